//! Snippets: plain types and what they may hold.

use jiff::Timestamp;
use spaces::model::Visibility;
use store::{FromRow, Json, UpdateRow};

/// Longest title and description, in characters.
const MAX_TITLE: usize = 255;
const MAX_TEXT: usize = 1_000_000;
/// Files of one snippet.
pub const MOST_FILES: usize = 10;
/// Bytes of its repository, and of its files together.
pub const MOST_BYTES: i64 = 50 * 1024 * 1024;
/// Its only branch.
pub const BRANCH: &str = "main";
/// What a file is called that nobody named, before its number and ending.
const UNNAMED: &str = "snippetfile";

#[derive(Debug, Clone, FromRow, UpdateRow)]
#[columns("snippets")]
pub struct Snippet {
    pub id: i64,
    pub project_id: Option<i64>,
    pub author_id: Option<i64>,
    #[written]
    pub title: String,
    #[written]
    pub description: Option<String>,
    #[written]
    pub visibility: i64,
    /// The paths of its files, in the order of its tree.
    pub files: Json<Vec<String>>,
    /// Its first files are there; until then nobody sees it.
    pub is_written: bool,
    pub user_agent: String,
    pub ip_address: String,
    pub marked_as_spam_at: Option<Timestamp>,
    pub created_at: Timestamp,
    #[written]
    pub updated_at: Timestamp,
    #[column("projects.full_path")]
    pub project_path: Option<String>,
}

impl Snippet {
    pub fn visibility(&self) -> Visibility {
        Visibility::of(self.visibility)
    }

    pub fn text(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    pub fn files(&self) -> &[String] {
        let Json(files) = &self.files;
        files
    }

    /// The first of them.
    pub fn file_name(&self) -> &str {
        self.files().first().map_or("", String::as_str)
    }

    /// The path of its page.
    pub fn path(&self) -> String {
        match &self.project_path {
            Some(project) => format!("/{project}/-/snippets/{}", self.id),
            None => format!("/-/snippets/{}", self.id),
        }
    }

    /// The address of its repository without `.git`.
    pub fn repository_path(&self) -> String {
        match &self.project_path {
            Some(project) => format!("{project}/snippets/{}", self.id),
            None => format!("snippets/{}", self.id),
        }
    }

    /// How texts name it.
    pub fn reference(&self) -> String {
        format!("${}", self.id)
    }
}

/// What is wrong with a title, if anything is.
pub fn title_problem(title: &str) -> Option<String> {
    if title.trim().is_empty() {
        return Some("can't be blank".into());
    }
    let is_long = title.chars().count() > MAX_TITLE;
    is_long.then(|| format!("is too long (maximum is {MAX_TITLE} characters)"))
}

/// The same of a description.
pub fn text_problem(text: &str) -> Option<String> {
    if text.contains('\0') {
        return Some("must not contain the zero character".into());
    }
    let is_long = text.chars().count() > MAX_TEXT;
    is_long.then(|| format!("is too long (maximum is {MAX_TEXT} characters)"))
}

/// The name of the next file that nobody named, beside these.
pub fn next_name<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let number = |name: &str| -> Option<u64> {
        name.strip_prefix(UNNAMED)?.strip_suffix(".txt")?.parse().ok()
    };
    let last = names.filter_map(number).max().unwrap_or(0);
    format!("{UNNAMED}{}.txt", last.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_there_and_short() {
        assert_eq!(title_problem(&"ä".repeat(255)), None);
        for wrong in ["", "  ", &"a".repeat(256)] {
            assert!(title_problem(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn files_without_names_are_numbered() {
        assert_eq!(next_name([].into_iter()), "snippetfile1.txt");
        let names = ["a.txt", "snippetfile7.txt", "snippetfilex.txt", "snippetfile2.txt"];
        assert_eq!(next_name(names.into_iter()), "snippetfile8.txt");
    }
}
