//! An import of gists, and gists as upstream tells of them.

use crate::upstream::Leaf;
use jiff::SignedDuration;
use kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use snippets::model::{MOST_BYTES, MOST_FILES};
use spaces::model::Visibility;
use std::collections::BTreeMap;
use store::{FromRow, Json, UpdateRow};

/// Letters of a title, and of a description.
const MOST_TITLE: usize = 255;
const MOST_TEXT: usize = 1_000_000;
/// Gists of which it is told why they did not come.
const MOST_FAILED: usize = 1_000;
/// How long nothing may be heard of an import before another one takes its place.
const SILENCE: SignedDuration = SignedDuration::from_hours(24);

const TOO_MANY: &str = "Snippet maximum file count exceeded";
const TOO_LARGE: &str = "Snippet repository size exceeded";
const EMPTY: &str = "The gist has no files.";
const NOWHERE: &str = "The gist does not say where its repository is.";

/// An import of gists; the last one of a user.
#[derive(Debug, Clone, FromRow, UpdateRow)]
#[columns("gist_imports")]
pub struct GistImport {
    pub id: i64,
    pub user_id: i64,
    /// Where the interface is, and the name of its server.
    pub base_url: String,
    pub host: String,
    #[written]
    pub sealed_token: Option<String>,
    /// Where the list goes on; none at its beginning.
    #[written]
    pub leaf: Option<Json<Leaf>>,
    /// Gists of that page that were looked at.
    #[written]
    pub done: i64,
    /// In a row, where it stands.
    #[written]
    pub attempts: i64,
    #[written]
    pub failed: Json<Vec<FailedGist>>,
    #[written]
    pub updated_at: Timestamp,
    #[written]
    pub ended_at: Option<Timestamp>,
}

impl GistImport {
    /// Whether it goes on.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.ended_at.is_none() && now.duration_since(self.updated_at) < SILENCE
    }

    /// Whether it is noted that a gist did not come for this reason.
    pub fn knows(&self, title: &str, reason: &str) -> bool {
        self.failed.0.iter().any(|one| one.title == title && one.reason == reason)
    }

    /// Notes that a gist did not come.
    pub fn note(&mut self, title: String, reason: String) {
        let Json(failed) = &mut self.failed;
        if failed.len() < MOST_FAILED {
            failed.push(FailedGist { title, reason });
        }
    }
}

/// A gist that did not come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedGist {
    pub title: String,
    pub reason: String,
}

/// A gist upstream.
#[derive(Debug, Clone, Deserialize)]
pub struct Gist {
    pub id: String,
    pub description: Option<String>,
    #[serde(default)]
    pub public: bool,
    #[serde(default)]
    pub files: BTreeMap<String, Option<File>>,
    /// It has more files than are told.
    #[serde(default)]
    pub truncated: bool,
    pub git_pull_url: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct File {
    #[serde(default)]
    pub size: i64,
}

impl Gist {
    /// Its description, or what its first file is called.
    pub fn title(&self) -> String {
        let described = self.description.as_deref().map(str::trim);
        let first = || self.files.keys().next().map(String::as_str);
        let title = described.filter(|text| !text.is_empty()).or_else(first);
        let line = title.and_then(|text| text.lines().next()).unwrap_or(&self.id);
        line.trim().chars().filter(|c| !c.is_control()).take(MOST_TITLE).collect()
    }

    /// What stands below its title, where the title does not say it all.
    pub fn text(&self) -> Option<String> {
        let text = self.description.as_deref()?.trim();
        let is_longer = text != self.title() && !text.is_empty();
        is_longer.then(|| text.chars().filter(|c| *c != '\0').take(MOST_TEXT).collect())
    }

    pub fn visibility(&self) -> Visibility {
        match self.public {
            true => Visibility::Public,
            false => Visibility::Private,
        }
    }

    /// Where git finds it, if it can become a snippet.
    pub fn address(&self) -> Result<&str, &'static str> {
        let sizes = self.files.values().flatten().map(|file| file.size.max(0));
        let size = sizes.fold(0, i64::saturating_add);
        match self.files.len() {
            _ if self.truncated => Err(TOO_MANY),
            0 => Err(EMPTY),
            many if many > MOST_FILES => Err(TOO_MANY),
            _ if size > MOST_BYTES => Err(TOO_LARGE),
            _ => self.git_pull_url.as_deref().ok_or(NOWHERE),
        }
    }
}

/// What is said where the repository of a gist is refused, in the words of this import where
/// it has some.
pub fn reason(refused: String) -> String {
    if refused.contains("size limit") {
        TOO_LARGE.to_owned()
    } else if refused.contains("can contain at most") {
        TOO_MANY.to_owned()
    } else {
        refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn gist(more: Value) -> Gist {
        let mut value = json!({"id": "aa5a", "description": null, "public": true,
            "files": {"b.rs": {"size": 10}, "a.rs": {"size": 5}},
            "git_pull_url": "https://gist.example/aa5a.git",
            "created_at": "2020-01-01T00:00:00Z"});
        for (key, field) in more.as_object().expect("an object") {
            value[key] = field.clone();
        }
        serde_json::from_value(value).expect("a gist")
    }

    #[test]
    fn a_gist_has_a_title() {
        assert_eq!(gist(json!({})).title(), "a.rs");
        let described = gist(json!({"description": " How it works \nin detail"}));
        assert_eq!(described.title(), "How it works");
        assert_eq!(described.text().as_deref(), Some("How it works \nin detail"));
        assert_eq!(gist(json!({"description": "Short"})).text(), None);
        let long = gist(json!({"description": "ä".repeat(300)}));
        assert_eq!(long.title().chars().count(), MOST_TITLE);
        assert_eq!(gist(json!({"files": {}})).title(), "aa5a");
    }

    #[test]
    fn what_no_snippet_can_be_is_refused() {
        assert_eq!(gist(json!({})).address(), Ok("https://gist.example/aa5a.git"));
        let files: serde_json::Map<String, Value> =
            (0..11).map(|n| (n.to_string(), json!({"size": 1}))).collect();
        assert_eq!(gist(json!({"files": files})).address(), Err(TOO_MANY));
        assert_eq!(gist(json!({"truncated": true})).address(), Err(TOO_MANY));
        let large = json!({"files": {"a": {"size": MOST_BYTES}, "b": {"size": 1}}});
        assert_eq!(gist(large).address(), Err(TOO_LARGE));
        assert_eq!(gist(json!({"files": {}})).address(), Err(EMPTY));
        assert_eq!(gist(json!({"git_pull_url": null})).address(), Err(NOWHERE));
        assert!(gist(json!({"files": {"a": null}})).address().is_ok());
    }

    #[test]
    fn refusals_have_the_words_of_gists() {
        assert_eq!(reason("to exceed the size limit of 50 MiB".into()), TOO_LARGE);
        assert_eq!(reason("The repository can contain at most 10 file(s).".into()), TOO_MANY);
        assert_eq!(reason("gone".into()), "gone");
    }
}
