//! Rows of commits that people said something of.

use crate::positions::{Kind, Position};
use code::entity::CommitEntity;
use kernel::time::Timestamp;
use repositories::objects::Commit;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use spaces::model::Project;
use store::{FromRow, Json};

/// Bytes of the message of a commit that are stored, and of its other texts.
const MOST_MESSAGE: usize = 100_000;
const MOST_TEXT: usize = 1_000;
/// Digits of the name of a commit, as it is shown.
const SHORT: usize = 8;

/// A commit that somebody said something of.
#[derive(Debug, Clone, FromRow)]
#[columns("discussed_commits")]
pub struct DiscussedCommit {
    /// 0, which no row has, where nobody said anything yet.
    pub id: i64,
    pub project_id: i64,
    /// Its name, in full.
    pub sha: String,
    pub title: String,
    pub author_email: String,
    /// As REST shows it; nothing of those that are older than these rows.
    pub facts: Option<Json<Value>>,
    pub updated_at: Timestamp,
    #[column("projects.full_path")]
    pub project_path: String,
}

impl DiscussedCommit {
    /// One that nobody said anything of.
    pub fn unsaid(project: &Project, sha: &str, now: Timestamp) -> DiscussedCommit {
        DiscussedCommit {
            id: 0,
            project_id: project.id,
            sha: sha.to_owned(),
            title: String::new(),
            author_email: String::new(),
            facts: None,
            updated_at: now,
            project_path: project.full_path.clone(),
        }
    }

    /// How texts name it.
    pub fn reference(&self) -> &str {
        self.sha.get(..SHORT).unwrap_or(&self.sha)
    }

    /// Path of its page, from the instance's address on.
    pub fn path(&self) -> String {
        format!("/{}/-/commit/{}", self.project_path, self.sha)
    }

    /// As REST shows it, at this address.
    pub fn entity(&self, web_url: &str) -> Value {
        let mut shown = match &self.facts {
            Some(Json(facts)) => facts.clone(),
            None => {
                json!({"id": self.sha, "short_id": self.reference(), "title": self.title})
            }
        };
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("web_url".to_owned(), web_url.into());
        }
        shown
    }
}

/// What is stored of a commit.
#[derive(Debug, Clone)]
pub struct NewCommit {
    pub sha: String,
    pub title: String,
    pub author_email: String,
    pub facts: Json<Value>,
}

impl NewCommit {
    pub fn of(commit: &Commit) -> NewCommit {
        let mut facts = CommitEntity::of(commit, "");
        stored(&mut facts.message, MOST_MESSAGE);
        for text in [
            &mut facts.title,
            &mut facts.author_name,
            &mut facts.author_email,
            &mut facts.committer_name,
            &mut facts.committer_email,
        ] {
            stored(text, MOST_TEXT);
        }
        NewCommit {
            sha: facts.id.clone(),
            title: facts.title.clone(),
            author_email: facts.author_email.clone(),
            facts: Json(json!(facts.with_trailers())),
        }
    }
}

/// A text as it can be stored, which holds no NUL and is not too long.
fn stored(text: &mut String, most: usize) {
    text.retain(|letter| letter != '\0');
    text.truncate(text.floor_char_boundary(most));
}

/// A line of what a commit changed, by one of its sides.
#[derive(Debug, Clone, Default, FromRow, Serialize, JsonSchema)]
#[columns("commit_threads")]
pub struct CommitLine {
    pub path: Option<String>,
    pub line: Option<i64>,
    /// `new` or `old`.
    pub line_type: Option<String>,
}

impl From<&Position> for CommitLine {
    fn from(position: &Position) -> CommitLine {
        let (path, line, side) = match position.line() {
            Some(line) if line.kind == Kind::Removed => (&position.paths.old, line.old, "old"),
            Some(line) => (&position.paths.new, line.new, "new"),
            None => {
                let path = Some(position.paths.new.clone());
                return CommitLine { path, ..CommitLine::default() };
            }
        };
        CommitLine {
            path: Some(path.clone()),
            line: Some(line.into()),
            line_type: Some(side.to_owned()),
        }
    }
}

/// Where a thread about a commit stands.
#[derive(Debug, Clone, FromRow)]
#[columns("commit_threads")]
pub struct CommitThread {
    pub discussion_id: String,
    /// Nothing of those that are older than positions.
    pub position: Option<Json<Value>>,
    #[nested]
    pub line: CommitLine,
    #[column("discussed_commits.sha")]
    pub sha: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::{Line, Paths, Shas, Spot};
    use repositories::formats::object_id::ObjectId;

    #[test]
    fn texts_are_cut_between_letters_and_hold_no_nul() {
        let mut text = "a\0ä".to_owned();
        stored(&mut text, 2);
        assert_eq!(text, "a");
        let mut text = "a\0ä".to_owned();
        stored(&mut text, 3);
        assert_eq!(text, "aä");
    }

    #[test]
    fn lines_are_told_by_the_side_they_are_on() {
        let told = |spot| {
            let shas = Shas {
                base: ObjectId::ZERO,
                start: ObjectId::ZERO,
                head: ObjectId::ZERO,
            };
            let paths = Paths { old: "a".into(), new: "b".into() };
            let line = CommitLine::from(&Position { shas, paths, spot });
            (line.path.unwrap_or_default(), line.line, line.line_type.unwrap_or_default())
        };
        let on = |kind| {
            let line = Line { kind, old: 3, new: 4 };
            told(Spot::Text { line, lines: None })
        };
        assert_eq!(on(Kind::Added), ("b".into(), Some(4), "new".into()));
        assert_eq!(on(Kind::Removed), ("a".into(), Some(3), "old".into()));
        assert_eq!(on(Kind::Same), ("b".into(), Some(4), "new".into()));
        assert_eq!(told(Spot::File), ("b".into(), None, String::new()));
    }
}
