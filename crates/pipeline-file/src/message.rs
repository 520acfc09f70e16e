//! What is wrong with a file, and where.

use serde::{Deserialize, Serialize};

/// A place in one of the files that were read: lines and columns count from 1.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Place {
    /// Index into [`crate::Configuration::files`].
    pub file: u16,
    pub line: u32,
    pub column: u32,
}

/// An error or a warning as people read it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    pub text: String,
    /// Missing where no single line is to blame.
    pub at: Option<Place>,
}

impl Message {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), at: None }
    }

    pub fn at(place: Place, text: impl Into<String>) -> Self {
        Self { text: text.into(), at: Some(place) }
    }
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Texts as the messages list them: `["a", "b"]`.
pub(crate) fn quoted_list<T: AsRef<str>>(items: &[T]) -> String {
    let quoted: Vec<String> = items.iter().map(|item| format!("{:?}", item.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}
