//! Recognizers shared by all dialogues and threads.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::recognizer::Recognizer;
use super::training_set::TrainingSet;
use crate::limits::MAX_RECOGNIZERS;

/// A recognizer that the first thread to need it creates.
type SharedRecognizer = Arc<OnceLock<Arc<Recognizer>>>;

/// The recognizers used last, the latest at the end, each with the hash of its training set.
static RECOGNIZERS: Mutex<Vec<(u64, SharedRecognizer)>> = Mutex::new(Vec::new());

/// The recognizer for a training set. Equal sets have one recognizer.
pub(crate) fn shared_recognizer(set: &TrainingSet<'_>) -> Arc<Recognizer> {
    let key = hash(set);
    let shared = {
        let mut all = RECOGNIZERS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().position(|(other, _)| *other == key);
        let entry = known.map_or_else(|| (key, SharedRecognizer::default()), |at| all.remove(at));
        let shared = Arc::clone(&entry.1);
        all.push(entry);
        if all.len() > MAX_RECOGNIZERS {
            all.remove(0);
        }
        shared
    };
    // Other threads can use other recognizers in the meantime.
    Arc::clone(shared.get_or_init(|| Arc::new(Recognizer::new(set))))
}

fn hash(set: &TrainingSet<'_>) -> u64 {
    set.classes.iter().fold(0, |key, class| {
        let key = xxh3_64_with_seed(class.name.as_bytes(), key);
        class.examples.iter().fold(key, |key, example| {
            xxh3_64_with_seed(example.text.as_bytes(), key ^ example.weight.to_bits())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::training_set::{TrainingClass, TrainingExample};
    use super::*;

    fn set(names: [&'static str; 2]) -> TrainingSet<'static> {
        let class = |name: &'static str| TrainingClass {
            name,
            examples: ["first", "second", "third"]
                .map(|word| TrainingExample {
                    text: format!("{name} {word}").into(),
                    weight: 1.0,
                })
                .into(),
        };
        TrainingSet {
            classes: names.map(class).into(),
        }
    }

    #[test]
    fn equal_sets_share_a_recognizer_in_all_threads() {
        let one = shared_recognizer(&set(["tea", "coffee"]));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    assert!(Arc::ptr_eq(
                        &one,
                        &shared_recognizer(&set(["tea", "coffee"]))
                    ));
                });
            }
        });
        let other = shared_recognizer(&set(["coffee", "tea"]));
        assert!(!Arc::ptr_eq(&one, &other));
        let classes = |recognizer: &Recognizer| {
            let read = recognizer.read("some coffee");
            let class = read
                .classes
                .first()
                .map(|class| (class.name.to_owned(), class.probability > 0.6));
            (class, read.closest.map(str::to_owned))
        };
        assert_eq!(classes(&one), classes(&other));
        // A second recognizer has the same result, to the last bit.
        let again = Recognizer::new(&set(["tea", "coffee"]));
        assert_eq!(one.read("first tea"), again.read("first tea"));
    }
}
