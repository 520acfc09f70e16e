//! Comments on commits.

use super::SCOPES;
use super::commits::{OneCommit, named};
use crate::access::CodeRequest;
use crate::commit_comments::{self as rows, CommitComment, Remark};
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, Paged, Paging, Params, Routes};
use kernel::time::wire;
use repositories::diffs::{self, FileDiff, Limits};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// Letters of a comment.
const LONGEST: usize = 1_000_000;

pub(super) fn routes(r: &mut Routes) {
    r.get("/commits/{sha}/comments", list)
        .scopes(SCOPES)
        .summary("Lists the comments on a commit");
    r.post("/commits/{sha}/comments", create).summary("Comments on a commit");
}

/// A comment on a commit, or on a line of it.
#[derive(Debug, Serialize, JsonSchema)]
struct CommitCommentEntity {
    #[serde(flatten)]
    remark: Remark,
    author: Option<UserBasic>,
    created_at: String,
}

impl CommitCommentEntity {
    fn of(app: &App, one: CommitComment, people: &HashMap<i64, User>) -> CommitCommentEntity {
        CommitCommentEntity {
            author: one.author_id.and_then(|id| people.get(&id)).map(|user| basic(app, user)),
            created_at: wire::text(one.created_at),
            remark: one.remark,
        }
    }
}

async fn list(
    at: CodeRequest, one: Params<OneCommit>, paging: Paging,
) -> Result<Paged<CommitCommentEntity>> {
    let (code, commit) = named(&at, &one.sha).await?;
    let (project, sha, app) = (code.project.id, commit.id.to_string(), at.app.clone());
    let page = Paged::read(&at.app, paging, move |tx, paging| {
        let of = (project, sha.as_str());
        let (rows, total) = rows::comments(tx, of, paging.fetch(), paging.offset())?;
        let people: Vec<i64> = rows.iter().filter_map(|row| row.author_id).collect();
        let people = load_basic(tx, &people)?;
        let entity = |row| CommitCommentEntity::of(&app, row, &people);
        Ok((rows.into_iter().map(entity).collect(), total))
    });
    page.await
}

kernel::choices! {
    /// Which side of a difference a line is on.
    enum LineType {
        New = "new",
        Old = "old",
    }
}

kernel::params! {
    /// A comment to be.
    struct CreateComment {
        /// Commit, branch or tag.
        pub sha: String,
        /// What it says.
        pub note: String,
        /// The file it is about.
        pub path: Option<String>,
        /// The line of that file.
        pub line: Option<i64>,
        /// Which side the line is on: `new` unless given.
        pub line_type: Option<LineType>,
    }
}

async fn create(
    at: CodeRequest, asked: Params<CreateComment>,
) -> Result<Created<CommitCommentEntity>> {
    let author = at.viewer.signed_in()?.user.id;
    let Params(asked) = asked;
    let (code, commit) = named(&at, &asked.sha).await?;
    if code.project.archived {
        return Err(Error::forbidden(""));
    }
    if asked.note.trim().is_empty() || asked.note.chars().count() > LONGEST {
        let text = format!("must be 1 to {LONGEST} characters");
        return Err(Error::invalid("note", text));
    }
    let kind = asked.line_type.unwrap_or(LineType::New);
    let place = match (asked.path.filter(|path| !path.is_empty()), asked.line) {
        (Some(path), Some(line)) => {
            let id = code.repository()?.id;
            let diffs = diffs::of_commit(&at.app, id, &commit, Limits::default()).await?;
            let is_there = diffs.files.iter().any(|file| has_line(file, &path, line, kind));
            is_there.then_some((path, line))
        }
        _ => None,
    };
    let (path, line) = place.unzip();
    let (app, project, sha) = (at.app.clone(), code.project.id, commit.id.to_string());
    let made = at.app.write(move |tx| {
        let comment = CommitComment {
            remark: Remark {
                note: asked.note.clone(),
                line_type: line.map(|_| kind.to_string()),
                path: path.clone(),
                line,
            },
            author_id: Some(author),
            created_at: tx.now(),
        };
        rows::insert_comment(tx, (project, &sha), &comment)?;
        spaces::rules::note_activity(tx, project)?;
        let people = load_basic(tx, &[author])?;
        Ok(Created(CommitCommentEntity::of(&app, comment, &people)))
    });
    made.await
}

/// Whether a difference shows this line of a file.
fn has_line(file: &FileDiff, path: &str, line: i64, kind: LineType) -> bool {
    let (own, absent) = match kind {
        LineType::New => (&file.new_path, '-'),
        LineType::Old => (&file.old_path, '+'),
    };
    let mut at = 0;
    own == path
        && file.text.lines().any(|text| match begins_at(text, kind) {
            Some(begin) => {
                at = begin;
                false
            }
            None if text.starts_with(absent) || text.starts_with('\\') => false,
            None => {
                at += 1;
                at - 1 == line
            }
        })
}

/// Where a hunk begins, of `@@ -1,2 +3,4 @@`.
fn begins_at(text: &str, kind: LineType) -> Option<i64> {
    let mut words = text.strip_prefix("@@ ")?.split(' ');
    let (old, new) = (words.next()?, words.next()?);
    let word = match kind {
        LineType::New => new.strip_prefix('+')?,
        LineType::Old => old.strip_prefix('-')?,
    };
    word.split(',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use repositories::diffs::{Change, Stats};
    use repositories::formats::object_id::ObjectId;

    #[test]
    fn lines_are_those_of_the_difference() {
        let file = FileDiff {
            old_path: "a".into(),
            new_path: "b".into(),
            old_mode: "100644".into(),
            new_mode: "100644".into(),
            old_id: ObjectId::ZERO,
            new_id: ObjectId::ZERO,
            change: Change::Changed,
            is_binary: false,
            text: "@@ -5,3 +5,3 @@ fn\n x\n-y\n+z\n w\n\\ No newline at end of file\n".into(),
            is_collapsed: false,
            is_too_large: false,
            stats: Stats::default(),
        };
        let lines = |path: &str, kind| {
            (0..12).filter(|line| has_line(&file, path, *line, kind)).collect::<Vec<_>>()
        };
        assert_eq!(lines("b", LineType::New), [5, 6, 7]);
        assert_eq!(lines("a", LineType::Old), [5, 6, 7]);
        assert!(lines("a", LineType::New).is_empty());
    }
}
