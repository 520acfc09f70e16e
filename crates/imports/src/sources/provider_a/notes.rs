//! Notes about issues and pull requests, and those that stand in code.

use super::answers::{CodeComment, Comment, person};
use super::hunk;
use super::issues::counted;
use super::walk::{Listed, Part, Steps, Thing, cursor, lost, read};
use super::{Upstream, is_commit};
use crate::model::{CodeNote, Kind, Note, Object, On};
use crate::run::{Import, Lost, Page, Stage, Trouble};
use crate::upstream::{Failed, Leaf, Unreadable};
use reviews::transfer::Spot;
use serde::{Deserialize, Serialize};

/// What a pull request's notes have in their addresses.
const OF_PULL: &str = "/pull/";
/// The side of what is removed.
const LEFT: &str = "LEFT";

/// Where a stage of notes stands: in the list of all of them, or, where that is wished or
/// upstream gives no more of it, in those of one thing after another.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum At {
    All(Leaf),
    Each(Steps),
}

impl Upstream {
    pub(super) async fn notes(
        &self, import: &Import, stored: Option<&str>,
    ) -> Result<Page, Trouble> {
        let leaf = match self.at(import, Stage::Notes, "/issues/comments", stored)? {
            At::All(leaf) => leaf,
            At::Each(steps) => return self.each_noted(import, Stage::Notes, steps).await,
        };
        match self.list::<Comment>(&leaf).await {
            Ok(listed) => self.with_reactions(listed).await?.page(),
            Err(failed) => self.or_each(import, Stage::Notes, (&leaf, failed)),
        }
    }

    pub(super) async fn code_notes(
        &self, import: &Import, stored: Option<&str>,
    ) -> Result<Page, Trouble> {
        let leaf = match self.at(import, Stage::CodeNotes, "/pulls/comments", stored)? {
            At::All(leaf) => leaf,
            At::Each(steps) => return self.each_noted(import, Stage::CodeNotes, steps).await,
        };
        match self.list::<CodeComment>(&leaf).await {
            Ok(listed) => self.code_with_reactions(listed).await?.page(),
            Err(failed) => self.or_each(import, Stage::CodeNotes, (&leaf, failed)),
        }
    }

    pub(super) async fn notes_of(
        &self, thing: &Thing, leaf: Option<&Leaf>,
    ) -> Result<Part, Failed> {
        if thing.comments == Some(0) {
            return Ok(Part::default());
        }
        let first = || self.first(&format!("/issues/{}/comments", thing.number), &[]);
        let leaf = leaf.cloned().unwrap_or_else(first);
        self.with_reactions(self.list(&leaf).await?).await
    }

    pub(super) async fn code_notes_of(
        &self, thing: &Thing, leaf: Option<&Leaf>,
    ) -> Result<Part, Failed> {
        let first = || self.first(&format!("/pulls/{}/comments", thing.number), &[]);
        let leaf = leaf.cloned().unwrap_or_else(first);
        self.code_with_reactions(self.list(&leaf).await?).await
    }

    fn at(
        &self, import: &Import, stage: Stage, path: &str, stored: Option<&str>,
    ) -> Result<At, Trouble> {
        let by_thing = import.options.0.optional_stages.single_endpoint_notes;
        match stored {
            Some(stored) => read(stored),
            None if by_thing => Ok(At::Each(self.steps(import, stage))),
            None => Ok(At::All(self.first_changed(import, path, &[]))),
        }
    }

    async fn each_noted(
        &self, import: &Import, stage: Stage, steps: Steps,
    ) -> Result<Page, Trouble> {
        let (page, next) = self.each(import, stage, steps).await?;
        Upstream::then(page, next.map(At::Each).as_ref())
    }

    /// Upstream gives only so many pages of all notes. The others are asked for thing by
    /// thing: what came already comes no second time.
    fn or_each(
        &self, import: &Import, stage: Stage, (leaf, failed): (&Leaf, Failed),
    ) -> Result<Page, Trouble> {
        match failed.status() {
            Some(422) if leaf.before > 0 => {
                let next = At::Each(self.steps(import, stage));
                Upstream::then(Page::default(), Some(&next))
            }
            _ => Err(failed.into()),
        }
    }

    async fn with_reactions(&self, listed: Listed<Comment>) -> Result<Part, Failed> {
        let asked =
            |one: &Comment| (format!("/issues/comments/{}", one.id), counted(&one.reactions));
        let reactions = self.reactions(listed.things.iter().map(asked).collect()).await?;
        let mut part = begun(Kind::Note, listed.lost, listed.next);
        for (one, reactions) in listed.things.into_iter().zip(reactions) {
            match note(one) {
                Ok(note) => {
                    part.objects.push(Object::Note(Box::new(Note { reactions, ..note })));
                }
                Err(lost) => part.lost.push(lost),
            }
        }
        Ok(part)
    }

    async fn code_with_reactions(&self, listed: Listed<CodeComment>) -> Result<Part, Failed> {
        let asked =
            |one: &CodeComment| (format!("/pulls/comments/{}", one.id), counted(&one.reactions));
        let reactions = self.reactions(listed.things.iter().map(asked).collect()).await?;
        let mut part = begun(Kind::DiffNote, listed.lost, listed.next);
        for (one, reactions) in listed.things.into_iter().zip(reactions) {
            match code_note(one) {
                Ok(note) => {
                    let note = CodeNote { reactions, ..note };
                    part.objects.push(Object::CodeNote(Box::new(note)));
                }
                Err(lost) => part.lost.push(lost),
            }
        }
        Ok(part)
    }
}

impl Part {
    /// The same as a page of all notes.
    fn page(self) -> Result<Page, Trouble> {
        Ok(Page {
            next: cursor(self.next.map(At::All).as_ref())?,
            objects: self.objects,
            lost: self.lost,
            ..Page::default()
        })
    }
}

fn begun(kind: Kind, unread: Vec<Unreadable>, next: Option<Leaf>) -> Part {
    let lost = unread.into_iter().map(|one| lost(kind, one)).collect();
    Part { objects: Vec::new(), lost, next }
}

/// The number at the end of an address.
fn number(url: Option<&str>) -> Option<i64> {
    url?.rsplit('/').next()?.parse().ok()
}

fn of_nothing(kind: Kind, id: i64) -> Lost {
    let reason = "It does not say what it is about".to_owned();
    Lost { kind, key: id.to_string(), reason }
}

fn note(from: Comment) -> Result<Note, Lost> {
    let number = number(from.issue_url.as_deref());
    let number = number.ok_or_else(|| of_nothing(Kind::Note, from.id))?;
    let of_pull = from.html_url.as_deref().is_some_and(|url| url.contains(OF_PULL));
    Ok(Note {
        on: if of_pull {
            On::MergeRequest(number)
        } else {
            On::Issue(number)
        },
        key: from.id.to_string(),
        thread: None,
        author: person(from.user),
        text: from.body.unwrap_or_default(),
        is_internal: false,
        is_system: false,
        resolved_at: None,
        resolved_by: None,
        reactions: Vec::new(),
        created_at: from.created_at,
        updated_at: from.updated_at.unwrap_or(from.created_at),
    })
}

fn code_note(from: CodeComment) -> Result<CodeNote, Lost> {
    let number = number(from.pull_request_url.as_deref());
    let number = number.ok_or_else(|| of_nothing(Kind::DiffNote, from.id))?;
    let spot = from.in_reply_to_id.is_none().then(|| spot(&from));
    Ok(CodeNote {
        number,
        key: from.id.to_string(),
        thread: from.in_reply_to_id.unwrap_or(from.id).to_string(),
        author: person(from.user),
        text: from.body.unwrap_or_default(),
        spot,
        resolved_at: None,
        resolved_by: None,
        reactions: Vec::new(),
        created_at: from.created_at,
        updated_at: from.updated_at.unwrap_or(from.created_at),
    })
}

/// Where a note stands: in the newest commit that still has its lines, or in the one that it
/// was written for.
fn spot(from: &CodeComment) -> Spot {
    let is_current = from.line.is_some();
    let (commit, line, first) = match is_current {
        true => (&from.commit_id, from.line, from.start_line),
        false => (&from.original_commit_id, from.original_line, from.original_start_line),
    };
    let mut spot = Spot {
        head: commit.clone().filter(|id| is_commit(id)),
        base: None,
        start: None,
        new_path: from.path.clone(),
        old_path: None,
        new_line: None,
        old_line: None,
        first_new_line: None,
        first_old_line: None,
    };
    if from.subject_type.as_deref() == Some("file") {
        return spot;
    }
    let there = from.diff_hunk.as_deref().and_then(hunk::last);
    let is_unchanged = there.is_some_and(hunk::Numbers::is_unchanged);
    let old = there.and_then(|numbers| numbers.old);
    let new = there.and_then(|numbers| numbers.new);
    let has_moved = is_current && from.line != from.original_line;
    match from.side.as_deref() {
        Some(LEFT) => {
            spot.old_line = line.or(old);
            spot.new_line = new.filter(|_| is_unchanged && !has_moved);
        }
        _ => {
            spot.new_line = line.or(new);
            spot.old_line = old.filter(|_| is_unchanged || spot.new_line.is_none());
        }
    }
    match from.start_side.as_deref().or(from.side.as_deref()) {
        Some(LEFT) => spot.first_old_line = first,
        _ => spot.first_new_line = first,
    }
    spot
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn comment(more: Value) -> CodeComment {
        let mut value = json!({
            "id": 11, "user": {"id": 1, "login": "jane"}, "body": "Why?", "path": "src/a.rs",
            "diff_hunk": "@@ -1,3 +1,4 @@\n a\n b\n+c", "commit_id": "a".repeat(40),
            "original_commit_id": "b".repeat(40), "side": "RIGHT", "line": 3,
            "original_line": 3, "pull_request_url": "https://h/repos/a/b/pulls/7",
            "created_at": "2020-01-01T00:00:00Z"
        });
        for (key, field) in more.as_object().expect("an object") {
            value[key] = field.clone();
        }
        serde_json::from_value(value).expect("a comment")
    }

    fn lines(more: Value) -> (Option<u32>, Option<u32>) {
        let spot = spot(&comment(more));
        (spot.old_line, spot.new_line)
    }

    #[test]
    fn a_note_stands_on_its_line() {
        assert_eq!(lines(json!({})), (None, Some(3)));
        let unchanged = "@@ -4,3 +5,3 @@\n a\n b";
        let on = |more: Value| {
            let mut all = json!({"diff_hunk": unchanged, "line": 6, "original_line": 6});
            for (key, field) in more.as_object().expect("an object") {
                all[key] = field.clone();
            }
            lines(all)
        };
        assert_eq!(on(json!({})), (Some(5), Some(6)));
        assert_eq!(on(json!({"line": 9})), (Some(5), Some(9)));
        let left = json!({"side": "LEFT", "line": 5, "original_line": 5});
        assert_eq!(on(left), (Some(5), Some(6)));
        let removed = json!({"side": "LEFT", "line": 2, "original_line": 2,
            "diff_hunk": "@@ -1,3 +1,2 @@\n a\n-b"});
        assert_eq!(lines(removed), (Some(2), None));
        assert_eq!(lines(json!({"subject_type": "file"})), (None, None));
        let silent = json!({"line": null, "original_line": null});
        assert_eq!(lines(silent), (None, Some(3)));
    }

    #[test]
    fn a_note_that_is_outdated_stands_where_it_was_written() {
        let current = spot(&comment(json!({"start_line": 2})));
        assert_eq!(current.head, Some("a".repeat(40)));
        assert_eq!(current.first_new_line, Some(2));
        let outdated = json!({"line": null, "original_line": 3, "original_start_line": 1});
        let outdated = spot(&comment(outdated));
        assert_eq!(outdated.head, Some("b".repeat(40)));
        assert_eq!((outdated.new_line, outdated.first_new_line), (Some(3), Some(1)));
    }

    #[test]
    fn answers_stand_in_the_thread_of_the_first() {
        let first = code_note(comment(json!({}))).expect("a note");
        assert!(first.spot.is_some());
        let answer = json!({"id": 12, "in_reply_to_id": 11});
        let answer = code_note(comment(answer)).expect("a note");
        assert_eq!((answer.number, answer.thread, answer.spot), (7, first.thread, None));
        assert!(code_note(comment(json!({"pull_request_url": null}))).is_err());
    }

    #[test]
    fn notes_are_about_issues_or_pull_requests() {
        let on = |html: Value| {
            let from = json!({"id": 5, "user": null, "body": "x", "html_url": html,
                "issue_url": "https://h/repos/a/b/issues/7",
                "created_at": "2020-01-01T00:00:00Z"});
            note(serde_json::from_value(from).expect("a comment")).map(|note| note.on).ok()
        };
        assert_eq!(on(json!("https://h/a/b/pull/7#issuecomment-5")), Some(On::MergeRequest(7)));
        assert_eq!(on(json!("https://h/a/b/issues/7#issuecomment-5")), Some(On::Issue(7)));
        assert_eq!(on(json!(null)), Some(On::Issue(7)));
    }
}
