//! Snippets as their room tells of them: it stands above this one.

use ::store::Tx;
use jiff::Timestamp;
use kernel::error::Result;
use spaces::model::Visibility;

/// A snippet whose repository is moved.
#[derive(Debug, Clone)]
pub struct MovedSnippet {
    pub id: i64,
    pub title: String,
    pub description: Option<String>,
    pub visibility: Visibility,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub project_id: Option<i64>,
    /// The path of its page.
    pub path: String,
    /// The address of its repository without `.git`.
    pub repository_path: String,
}

/// What moves ask of the room of snippets.
#[derive(Debug, Clone, Copy)]
pub struct OfSnippets {
    /// Those of these that are there, whoever asks.
    pub find: fn(&mut Tx<'_>, &[i64]) -> Result<Vec<MovedSnippet>>,
    /// Notes that something of one changed.
    pub touch: fn(&mut Tx<'_>, i64) -> Result<()>,
}
