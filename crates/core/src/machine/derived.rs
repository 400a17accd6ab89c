//! A value that is computed from a machine once.

use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, OnceLock};

/// A value that another crate computes from a machine, such as an index of its examples. A clone of a machine can be
/// changed, so it computes its own value.
#[derive(Default)]
pub struct Derived(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Derived {
    /// The value, computed by the first call. Of values of several types, only the first one is kept.
    pub fn get<T: Any + Send + Sync>(&self, compute: impl Fn() -> T) -> Arc<T> {
        let kept = self.0.get_or_init(|| Arc::new(compute()));
        let kept = Arc::clone(kept).downcast();
        kept.unwrap_or_else(|_| Arc::new(compute()))
    }
}

impl Clone for Derived {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Debug for Derived {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Derived").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Derived;

    #[test]
    fn value_is_computed_once_for_each_machine() {
        let derived = Derived::default();
        assert_eq!(*derived.get(|| 1), 1);
        assert_eq!(*derived.get(|| 2), 1);
        assert_eq!(*derived.get(|| "other"), "other");
        assert_eq!(*derived.clone().get(|| 2), 2);
    }
}
