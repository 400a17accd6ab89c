//! Full-text search by word stems.

use rusqlite::{Connection, Error};

use super::search_words::search_words;
use fsmsim_core::machine::Stems;

/// A full-text index. Each text is identified by its position, from 0.
#[derive(Debug)]
pub struct KnowledgeIndex {
    connection: Connection,
}

impl KnowledgeIndex {
    /// Creates an index in memory from pairs of title and text.
    pub fn new<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>) -> Result<Self, Error> {
        let mut connection = Connection::open_in_memory()?;
        let stems = Stems::default();
        // Only stems are stored, without their source text.
        connection.execute_batch(
            "CREATE VIRTUAL TABLE texts USING fts5(stems, content = '', tokenize = 'unicode61')",
        )?;
        let all = connection.transaction()?;
        {
            let mut insert = all.prepare("INSERT INTO texts (rowid, stems) VALUES (?1, ?2)")?;
            for (number, (title, text)) in (0_i64..).zip(texts) {
                let words = stems
                    .of(title)
                    .union(&stems.of(text))
                    .fold(String::new(), |all, word| all + word + " ");
                insert.execute((number, words))?;
            }
        }
        all.commit()?;
        Ok(Self { connection })
    }

    /// The positions of at most `most` texts that share the most words with `looked_for`, best first. Ties keep the
    /// order of insertion.
    pub fn nearest(&self, looked_for: &[&str], most: u32) -> Vec<usize> {
        let words: Vec<String> = search_words(&Stems::default(), looked_for)
            .into_iter()
            .map(|word| format!("\"{word}\""))
            .collect();
        if words.is_empty() {
            return Vec::new();
        }
        self.found(&words.join(" OR "), most).unwrap_or_default()
    }

    fn found(&self, query: &str, most: u32) -> Result<Vec<usize>, Error> {
        let select = "SELECT rowid FROM texts WHERE texts MATCH ?1 ORDER BY rank, rowid LIMIT ?2";
        let mut select = self.connection.prepare_cached(select)?;
        Ok(select
            .query_map((query, most), |row| row.get::<_, i64>(0))?
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .filter_map(|number| usize::try_from(number).ok())
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(texts: &[&str], looked_for: &str) -> Vec<usize> {
        let index = KnowledgeIndex::new(texts.iter().map(|text| ("", *text))).unwrap();
        index.nearest(&[looked_for], 3)
    }

    #[test]
    fn search_matches_any_form_of_a_word() {
        let texts = [
            "Партнёры поддерживают проект.",
            "Бюджет и смета.",
            "Письма партнеров.",
            "О партнёрах",
        ];
        assert_eq!(nearest(&texts, "партнёрам"), [2, 3, 0]);
        assert_eq!(nearest(&["о смете", "о смете"], "смета"), [0, 1]);
        assert_eq!(nearest(&texts, "погода и"), [0; 0]);
    }

    #[test]
    fn search_treats_operators_as_words() {
        let texts = ["NEAR the budget", "nothing"];
        for said in [
            "\" budget",
            "NEAR(budget",
            "budget*",
            "«budget»",
            "stems: budget -x ^y",
            "a AND NOT (budget OR",
        ] {
            assert_eq!(nearest(&texts, said)[0], 0, "{said}");
        }
        assert_eq!(nearest(&texts, "\"\"\" * ( ) : ^ { }"), [0; 0]);
        assert_eq!(nearest(&[], "budget"), [0; 0]);
    }
}
