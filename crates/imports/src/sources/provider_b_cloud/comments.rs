//! What was written to a pull request, as notes and notes in code, in threads.
//!
//! An answer names what it answers, which may be an answer itself. So what is known of those
//! that came is kept from one page to the next, as far as it fits into a cursor.

use super::answers::{Comment, HasText, Inline, person};
use super::words::Words;
use crate::model::{CodeNote, Note, Object, On};
use kernel::time::Timestamp;
use reviews::transfer::Spot;
use serde::{Deserialize, Serialize};

/// Comments that are remembered.
const REMEMBERED: usize = 40;

/// What is known of a comment: its number, the first of its thread, if one came, and whether
/// that stands in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Known(i64, Option<i64>, bool);

/// What is known of the comments of a pull request that came.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Threads(Vec<Known>);

impl Threads {
    /// What is to be known for the page after this one.
    pub fn bounded(mut self) -> Threads {
        let gone = self.0.len().saturating_sub(REMEMBERED);
        self.0.drain(..gone);
        self
    }

    fn get(&self, id: i64) -> Option<Known> {
        self.0.iter().rev().find(|known| known.0 == id).copied()
    }

    /// The thread of a comment, and whether that stands in code. A deleted one begins none; the
    /// first answer to it does.
    fn enter(&mut self, of: &Comment) -> Known {
        let is_deleted = of.deleted == Some(true);
        let own = || (!is_deleted).then_some(of.id);
        let known = match of.parent.as_ref().map(|parent| parent.id) {
            None => Known(of.id, own(), of.inline.is_some()),
            Some(parent) => match self.get(parent) {
                Some(Known(_, Some(thread), in_code)) => Known(of.id, Some(thread), in_code),
                Some(Known(_, None, _)) => {
                    let known = Known(of.id, own(), of.inline.is_some());
                    self.0.push(Known(parent, known.1, known.2));
                    known
                }
                None => Known(of.id, Some(parent), of.inline.is_some()),
            },
        };
        self.0.push(known);
        known
    }
}

/// A comment in our words; nothing of one that is deleted, or that nobody else sees.
pub fn object(
    number: i64, of: &Comment, threads: &mut Threads, words: &Words<'_>,
) -> Option<Object> {
    if of.pending == Some(true) {
        return None;
    }
    let Known(_, thread, in_code) = threads.enter(of);
    let thread = thread.filter(|_| of.deleted != Some(true))?;
    let (author, text) = (person(of.user.as_ref()), words.of(of.text()));
    let (created_at, updated_at) = (of.created_on, of.updated_on.unwrap_or(of.created_on));
    let resolution = of.resolution.as_ref();
    let resolved_at: Option<Timestamp> = resolution.map(|it| it.created_on.unwrap_or(updated_at));
    let resolved_by = resolution.and_then(|it| person(it.user.as_ref()));
    Some(match in_code {
        true => Object::CodeNote(Box::new(CodeNote {
            number,
            key: of.id.to_string(),
            thread: thread.to_string(),
            author,
            text,
            spot: of.inline.as_ref().filter(|_| thread == of.id).and_then(spot),
            resolved_at,
            resolved_by,
            reactions: Vec::new(),
            created_at,
            updated_at,
        })),
        false => Object::Note(Box::new(Note {
            on: On::MergeRequest(number),
            key: format!("pull_request:{}", of.id),
            thread: Some(thread.to_string()),
            author,
            text,
            is_internal: false,
            is_system: false,
            resolved_at,
            resolved_by,
            reactions: Vec::new(),
            created_at,
            updated_at,
        })),
    })
}

/// Where a comment stands; none without a file.
fn spot(of: &Inline) -> Option<Spot> {
    Some(Spot {
        head: None,
        base: None,
        start: None,
        new_path: of.path.clone()?,
        old_path: None,
        new_line: of.to,
        old_line: of.from,
        first_new_line: of.start_to,
        first_old_line: of.start_from,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::collections::HashMap;

    fn comment(id: i64, parent: Option<i64>, more: Value) -> Comment {
        let mut of = json!({"id": id, "content": {"raw": "Text"}, "user": {"nickname": "ada"},
            "created_on": "2020-01-01T00:00:00+00:00"});
        if let Some(parent) = parent {
            of["parent"] = json!({"id": parent});
        }
        for (key, value) in more.as_object().into_iter().flatten() {
            of[key] = value.clone();
        }
        serde_json::from_value(of).expect("a comment")
    }

    /// Threads and whether they are in code, of those that come.
    fn threads(comments: &[Comment]) -> Vec<Option<(String, bool)>> {
        let (mut threads, names) = (Threads::default(), HashMap::new());
        let words = Words { web_url: "", names: &names };
        let mut all = Vec::new();
        for one in comments {
            let object = object(7, one, &mut threads, &words);
            all.push(object.map(|object| match object {
                Object::CodeNote(note) => (note.thread, true),
                Object::Note(note) => (note.thread.expect("a thread"), false),
                other => panic!("{other:?}"),
            }));
        }
        all
    }

    #[test]
    fn answers_to_answers_stand_in_the_thread_of_the_first() {
        let line = json!({"inline": {"path": "a.txt", "to": 3, "from": null}});
        let all = threads(&[
            comment(1, None, line),
            comment(2, Some(1), json!({})),
            comment(3, None, json!({})),
            comment(4, Some(2), json!({})),
            comment(5, Some(99), json!({})),
            comment(6, None, json!({"pending": true})),
        ]);
        let in_thread = |name: &str, in_code: bool| Some((name.to_owned(), in_code));
        assert_eq!(
            all,
            [
                in_thread("1", true),
                in_thread("1", true),
                in_thread("3", false),
                in_thread("1", true),
                in_thread("99", false),
                None,
            ]
        );
    }

    #[test]
    fn the_first_answer_to_what_is_deleted_begins_the_thread() {
        let line = json!({"path": "a.txt", "to": 3});
        let all = threads(&[
            comment(1, None, json!({"deleted": true, "inline": line})),
            comment(2, Some(1), json!({"inline": line})),
            comment(3, Some(1), json!({"inline": line})),
        ]);
        assert_eq!(all, [None, Some(("2".to_owned(), true)), Some(("2".to_owned(), true))]);
    }

    #[test]
    fn lines_are_those_of_their_side() {
        let line = json!({"inline": {"path": "a.txt", "from": 4, "to": null, "start_from": 2}});
        let names = HashMap::new();
        let words = Words { web_url: "", names: &names };
        let read = object(7, &comment(1, None, line), &mut Threads::default(), &words);
        match read {
            Some(Object::CodeNote(note)) => {
                let spot = note.spot.expect("a place");
                assert_eq!((spot.old_line, spot.new_line), (Some(4), None));
                assert_eq!((spot.first_old_line, spot.first_new_line), (Some(2), None));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn as_much_is_remembered_as_fits() {
        let known = |id: i64| Known(i64::MAX - id, Some(i64::MAX), false);
        let threads = Threads((0..500).map(known).collect()).bounded();
        let text = serde_json::to_string(&threads).expect("it is written");
        assert!(text.len() < 1950, "{}", text.len());
        assert_eq!(threads.0.len(), REMEMBERED);
        assert_eq!(threads.get(i64::MAX - 499), Some(known(499)));
    }
}
