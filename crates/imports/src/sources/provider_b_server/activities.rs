//! What was done with a pull request: notes, notes in code, and events. The newest comes first.

use super::answers::{Activity, Anchor, Comment, person};
use super::times::{millis, some_millis};
use crate::model::{CodeNote, Event, Note, Object, On, Person, Review};
use kernel::time::Timestamp;
use planning::transfer::Happening;
use reviews::transfer::Spot;

/// Lines that are quoted of what is answered.
const QUOTED: usize = 10;

/// An activity in our words. `seen` are those whose newer word on the whole was read before:
/// older ones of theirs count no more.
///
/// # Errors
///
/// What is wrong with it, in words.
pub fn objects(number: i64, of: &Activity, seen: &mut Vec<String>) -> Result<Vec<Object>, String> {
    let at = millis(of.created_date)?;
    let event = |what: Happening| {
        Object::Event(Event {
            on: On::MergeRequest(number),
            key: of.id.to_string(),
            by: person(of.user.as_ref()),
            at,
            what,
        })
    };
    Ok(match of.action.as_str() {
        "COMMENTED" => comments(number, of)?,
        "APPROVED" => said(number, of, "approved", at, seen),
        "REVIEWED" => said(number, of, "requested_changes", at, seen),
        "UNAPPROVED" => said(number, of, "unreviewed", at, seen),
        "DECLINED" => vec![event(Happening::Closed)],
        "REOPENED" => vec![event(Happening::Reopened)],
        "MERGED" => merged_by(number, of, at)
            .into_iter()
            .chain([event(Happening::Merged)])
            .collect(),
        _ => Vec::new(),
    })
}

/// The last word of a reviewer.
fn said(
    number: i64, of: &Activity, state: &str, at: Timestamp, seen: &mut Vec<String>,
) -> Vec<Object> {
    let Some(by) = person(of.user.as_ref()) else {
        return Vec::new();
    };
    if seen.contains(&by.id) {
        return Vec::new();
    }
    seen.push(by.id.clone());
    if state == "unreviewed" {
        // So it is without a word.
        return Vec::new();
    }
    vec![review(number, of.id.to_string(), |review| {
        review.by = Some(by);
        review.state = Some(state.to_owned());
        review.at = Some(at);
    })]
}

fn merged_by(number: i64, of: &Activity, at: Timestamp) -> Option<Object> {
    let committer = || of.commit.as_ref()?.committer.as_ref()?.person();
    let by: Person = person(of.user.as_ref()).or_else(committer)?;
    Some(review(number, "merged".into(), |review| {
        review.merged_by = Some(by);
        review.at = Some(at);
    }))
}

fn review(number: i64, key: String, say: impl FnOnce(&mut Review)) -> Object {
    let mut review = Review {
        number,
        key,
        by: None,
        state: None,
        text: None,
        merged_by: None,
        at: None,
    };
    say(&mut review);
    Object::Review(Box::new(review))
}

/// A comment and what was answered to it, oldest answer first.
fn comments(number: i64, of: &Activity) -> Result<Vec<Object>, String> {
    if of.comment_action.as_deref().is_some_and(|action| action != "ADDED") {
        // Answers and changes come with what they are of.
        return Ok(Vec::new());
    }
    let first = of.comment.as_ref().ok_or("It has no comment.")?;
    let mut answers = Vec::new();
    gather(first, None, &mut answers);
    answers.sort_by_key(|(answer, _)| (answer.created_date, answer.id));
    let spot = of.comment_anchor.as_ref().and_then(spot);
    let thread = Thread {
        number,
        name: first.id.to_string(),
        resolved_at: some_millis(first.thread_resolved_date)
            .or_else(|| some_millis(first.updated_date))
            .filter(|_| first.thread_resolved == Some(true)),
        resolved_by: person(first.thread_resolver.as_ref()),
        is_in_code: spot.is_some(),
    };
    let mut objects = vec![thread.object(first, text(first, None), spot)?];
    for (answer, quoted) in answers {
        objects.push(thread.object(answer, text(answer, quoted), None)?);
    }
    Ok(objects)
}

/// All answers below a comment, each with what it answers unless that is the first.
fn gather<'c>(
    comment: &'c Comment, quoted: Option<&'c Comment>,
    answers: &mut Vec<(&'c Comment, Option<&'c Comment>)>,
) {
    for answer in comment.comments.iter().flatten() {
        answers.push((answer, quoted));
        gather(answer, Some(answer), answers);
    }
}

/// The text of a comment, below what it answers.
fn text(of: &Comment, quoted: Option<&Comment>) -> String {
    let own = of.text.as_deref().unwrap_or_default();
    let Some(quoted) = quoted.and_then(|it| it.text.as_deref()) else {
        return own.to_owned();
    };
    let mut text = String::new();
    for line in quoted.lines().take(QUOTED) {
        text.push_str("> ");
        text.push_str(line);
        text.push('\n');
    }
    format!("{text}\n{own}")
}

/// What all notes of a thread share.
struct Thread {
    number: i64,
    name: String,
    resolved_at: Option<Timestamp>,
    resolved_by: Option<Person>,
    is_in_code: bool,
}

impl Thread {
    fn object(&self, of: &Comment, text: String, spot: Option<Spot>) -> Result<Object, String> {
        let created_at = millis(of.created_date)?;
        let updated_at = some_millis(of.updated_date).unwrap_or(created_at);
        let (key, author) = (of.id.to_string(), person(of.author.as_ref()));
        let (resolved_at, resolved_by) = (self.resolved_at, self.resolved_by.clone());
        Ok(match self.is_in_code {
            true => Object::CodeNote(Box::new(CodeNote {
                number: self.number,
                key,
                thread: self.name.clone(),
                author,
                text,
                spot,
                resolved_at,
                resolved_by,
                reactions: Vec::new(),
                created_at,
                updated_at,
            })),
            false => Object::Note(Box::new(Note {
                on: On::MergeRequest(self.number),
                key,
                thread: Some(self.name.clone()),
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
}

/// Where an anchor stands; none without a file. The number on the other side of a line that
/// is unchanged is found where it is written.
fn spot(anchor: &Anchor) -> Option<Spot> {
    let is_old = match anchor.line_type.as_deref() {
        Some("ADDED") => false,
        Some("REMOVED") => true,
        _ => anchor.file_type.as_deref() == Some("FROM"),
    };
    Some(Spot {
        head: anchor.to_hash.clone(),
        base: None,
        start: anchor.from_hash.clone(),
        new_path: anchor.path.clone()?,
        old_path: anchor.src_path.clone(),
        new_line: anchor.line.filter(|_| !is_old),
        old_line: anchor.line.filter(|_| is_old),
        first_new_line: None,
        first_old_line: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(value: Value) -> Vec<Object> {
        let of: Activity = serde_json::from_value(value).unwrap();
        objects(7, &of, &mut Vec::new()).unwrap()
    }

    fn comment(id: i64, at: i64, answers: Vec<Value>) -> Value {
        let text = format!("text {id}");
        json!({"id": id, "text": text, "author": {"name": "ada"}, "createdDate": at,
            "comments": answers})
    }

    fn spot_of(anchor: Value) -> (Option<u32>, Option<u32>) {
        let commented = json!({"id": 1, "createdDate": 1, "action": "COMMENTED",
            "commentAction": "ADDED", "comment": comment(10, 1, Vec::new()),
            "commentAnchor": anchor});
        match &read(commented)[..] {
            [Object::CodeNote(note)] => {
                let spot = note.spot.as_ref().unwrap();
                (spot.old_line, spot.new_line)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn answers_stand_in_one_thread_and_quote_what_they_answer() {
        let deep = comment(12, 9, Vec::new());
        let value = json!({"id": 1, "createdDate": 1, "action": "COMMENTED",
            "comment": comment(10, 1, vec![comment(11, 5, vec![deep]), comment(13, 7, vec![])])});
        let notes: Vec<_> = read(value)
            .into_iter()
            .map(|object| match object {
                Object::Note(note) => (note.key, note.thread.unwrap(), note.text),
                other => panic!("{other:?}"),
            })
            .collect();
        let expected = [
            ("10", "text 10"),
            ("11", "text 11"),
            ("13", "text 13"),
            ("12", "> text 11\n\ntext 12"),
        ];
        for (note, (key, text)) in notes.iter().zip(expected) {
            assert_eq!((&*note.0, &*note.1, &*note.2), (key, "10", text));
        }
        assert_eq!(notes.len(), expected.len());
    }

    #[test]
    fn lines_are_those_of_their_side() {
        let anchor = |line_type: &str, file_type: &str| {
            json!({"path": "a.txt", "line": 3, "lineType": line_type, "fileType": file_type,
                "fromHash": "b", "toHash": "a"})
        };
        assert_eq!(spot_of(anchor("ADDED", "TO")), (None, Some(3)));
        assert_eq!(spot_of(anchor("REMOVED", "FROM")), (Some(3), None));
        assert_eq!(spot_of(anchor("CONTEXT", "FROM")), (Some(3), None));
        assert_eq!(spot_of(anchor("CONTEXT", "TO")), (None, Some(3)));
        assert_eq!(spot_of(json!({"path": "a.txt"})), (None, None));
    }

    #[test]
    fn the_newest_word_of_a_reviewer_counts() {
        let mut seen = Vec::new();
        let mut count = |action: &str, name: &str| {
            let of = json!({"id": 1, "createdDate": 1, "action": action, "user": {"name": name}});
            let of: Activity = serde_json::from_value(of).unwrap();
            objects(7, &of, &mut seen).unwrap().len()
        };
        assert_eq!(count("UNAPPROVED", "ada"), 0);
        assert_eq!(count("APPROVED", "ada"), 0);
        assert_eq!(count("APPROVED", "ben"), 1);
        assert_eq!(count("RESCOPED", "ben"), 0);
    }

    #[test]
    fn who_merged_is_told_by_who_did_it_or_signed_it() {
        let merged = |user: Value| {
            read(json!({"id": 1, "createdDate": 1, "action": "MERGED", "user": user,
                "commit": {"committer": {"displayName": "Ben", "emailAddress": "b@x.example"}}}))
        };
        for (user, id) in [(json!({"name": "ada"}), "ada"), (json!(null), "b@x.example")] {
            match &merged(user)[..] {
                [Object::Review(review), Object::Event(event)] => {
                    assert_eq!(review.merged_by.as_ref().map(|it| it.id.as_str()), Some(id));
                    assert_eq!(event.what, Happening::Merged);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
