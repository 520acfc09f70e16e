//! Issues, what was written to them, and what kinds they have.

use super::answers::{HasText, Issue, IssueComment, person};
use super::words::Words;
use crate::model::{self, Note, Object, On};
use planning::transfer::{Label, Milestone};

/// Kinds of issues, which become labels, with colours of ours.
const KINDS: &[(&str, &str)] = &[
    ("bug", "#d9534f"),
    ("enhancement", "#428bca"),
    ("proposal", "#69d100"),
    ("task", "#7f8c8d"),
];
/// States in which nothing is left to be done.
const CLOSED: &[&str] = &["resolved", "invalid", "duplicate", "wontfix", "closed"];
const OPEN: &[&str] = &["new", "open", "on hold", "submitted"];

/// The labels that kinds of issues become.
pub fn labels() -> Vec<Object> {
    let label = |(name, color): &(&str, &str)| {
        Object::Label(Label {
            name: (*name).to_owned(),
            color: (*color).to_owned(),
            description: None,
            priority: None,
        })
    };
    KINDS.iter().map(label).collect()
}

/// An issue in our words, behind its milestone: the provider lists these by no address of
/// their own.
///
/// # Errors
///
/// What is wrong with it, in words.
pub fn objects(of: &Issue, words: &Words<'_>) -> Result<Vec<Object>, String> {
    let milestone = milestone(of);
    let issue = Object::Issue(Box::new(issue(of, words)?));
    Ok(milestone.map(Object::Milestone).into_iter().chain([issue]).collect())
}

fn issue(of: &Issue, words: &Words<'_>) -> Result<model::Issue, String> {
    let is_closed = CLOSED.contains(&of.state.as_str());
    if !is_closed && !OPEN.contains(&of.state.as_str()) {
        return Err(format!("Its state is unknown: {}", of.state));
    }
    let updated_at = of.updated_on.unwrap_or(of.created_on);
    Ok(model::Issue {
        number: of.id,
        title: of.title.clone(),
        description: Some(words.of(of.text())),
        author: person(of.reporter.as_ref()),
        assignees: person(of.assignee.as_ref()).into_iter().collect(),
        is_closed,
        closed_at: is_closed.then_some(updated_at),
        closed_by: None,
        labels: of.kind.iter().cloned().collect(),
        milestone: of.milestone.as_ref().and_then(|milestone| milestone.name.clone()),
        is_confidential: false,
        is_locked: false,
        issue_type: None,
        weight: None,
        due_date: None,
        time_estimate: 0,
        time_spent: 0,
        links: Vec::new(),
        reactions: Vec::new(),
        created_at: of.created_on,
        updated_at,
    })
}

/// The milestone of an issue; the first issue of it says when it was made.
fn milestone(of: &Issue) -> Option<Milestone> {
    let milestone = of.milestone.as_ref()?;
    Some(Milestone {
        number: milestone.number()?,
        title: milestone.name.clone()?,
        description: None,
        is_closed: false,
        start_date: None,
        due_date: None,
        created_at: of.created_on,
        updated_at: of.created_on,
    })
}

/// What was written to an issue; nothing of a change without a word.
pub fn note(number: i64, of: &IssueComment, words: &Words<'_>) -> Vec<Object> {
    let Some(text) = of.text().filter(|text| !text.trim().is_empty()) else {
        return Vec::new();
    };
    vec![Object::Note(Box::new(Note {
        on: On::Issue(number),
        key: format!("issue:{}", of.id),
        thread: None,
        author: person(of.user.as_ref()),
        text: words.of(Some(text)),
        is_internal: false,
        is_system: false,
        resolved_at: None,
        resolved_by: None,
        reactions: Vec::new(),
        created_at: of.created_on,
        updated_at: of.updated_on.unwrap_or(of.created_on),
    }))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::collections::HashMap;

    fn read(state: &str, milestone: Value) -> Result<Vec<Object>, String> {
        let of = json!({"id": 3, "title": "Broken", "content": {"raw": "Text"}, "state": state,
            "kind": "bug", "reporter": null, "milestone": milestone,
            "created_on": "2012-07-23T22:26:36.123456+00:00",
            "updated_on": "2013-07-23T22:26:36+00:00"});
        let of: Issue = serde_json::from_value(of).expect("an issue");
        objects(&of, &Words { web_url: "", names: &HashMap::new() })
    }

    #[test]
    fn states_are_open_or_closed() {
        for (state, closed) in
            [("new", false), ("on hold", false), ("wontfix", true), ("resolved", true)]
        {
            match &read(state, json!(null)).expect("it is read")[..] {
                [Object::Issue(issue)] => {
                    assert_eq!((issue.is_closed, issue.closed_at.is_some()), (closed, closed));
                    assert_eq!(
                        (&issue.labels[..], &issue.author),
                        (&["bug".to_owned()][..], &None)
                    );
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(read("lost", json!(null)).is_err());
    }

    #[test]
    fn a_milestone_comes_before_its_issue() {
        let milestone = json!({"name": "1.0", "links": {"self": {"href": "https://h/m/5"}}});
        match &read("new", milestone).expect("it is read")[..] {
            [Object::Milestone(milestone), Object::Issue(issue)] => {
                assert_eq!((milestone.number, milestone.title.as_str()), (5, "1.0"));
                assert_eq!(issue.milestone.as_deref(), Some("1.0"));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(read("new", json!({"name": "1.0"})).expect("it is read").len(), 1);
    }

    #[test]
    fn changes_without_a_word_are_no_notes() {
        let note = |content: Value| {
            let of = json!({"id": 1, "content": content, "user": null,
                "created_on": "2012-07-23T22:26:36+00:00"});
            let of: IssueComment = serde_json::from_value(of).expect("a comment");
            super::note(3, &of, &Words { web_url: "", names: &HashMap::new() }).len()
        };
        assert_eq!(note(json!({"raw": "Text"})), 1);
        for empty in [json!(null), json!({"raw": null}), json!({"raw": " "})] {
            assert_eq!(note(empty), 0);
        }
    }
}
