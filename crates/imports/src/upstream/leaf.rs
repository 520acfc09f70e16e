//! Where a list stands, as it is stored in the cursor of an import.

use super::Failed;
use serde::{Deserialize, Serialize};

/// Pages of one list.
const MOST_PAGES: u32 = 10_000;

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    pub url: String,
    /// How many were read before.
    pub before: u32,
}

impl Leaf {
    /// The first page.
    pub fn first(url: String) -> Leaf {
        Leaf { url, before: 0 }
    }

    /// The page after it, where an answer says that there is one.
    ///
    /// # Errors
    ///
    /// [`Failed::Elsewhere`] where the list leads to itself, [`Failed::Endless`] where it has
    /// too many pages.
    pub fn after(&self, next: Option<String>) -> Result<Option<Leaf>, Failed> {
        match next {
            None => Ok(None),
            Some(url) if url == self.url => Err(Failed::Elsewhere),
            Some(_) if self.before + 1 >= MOST_PAGES => Err(Failed::Endless),
            Some(url) => Ok(Some(Leaf { url, before: self.before + 1 })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end() {
        let first = Leaf::first("https://h/a".into());
        let second = first.after(Some("https://h/b".into())).expect("it goes on");
        assert_eq!(second, Some(Leaf { url: "https://h/b".into(), before: 1 }));
        assert_eq!(first.after(None).expect("it ends"), None);
        assert!(first.after(Some("https://h/a".into())).is_err());
        let late = Leaf { before: MOST_PAGES - 1, ..first };
        assert!(late.after(Some("https://h/b".into())).is_err());
    }
}
