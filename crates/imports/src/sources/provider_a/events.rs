//! What happened to issues and pull requests, by their timelines.

use super::Upstream;
use super::answers::{Happened, SourceIssue, User, person};
use super::walk::{Part, Thing, lost};
use crate::model::{Event, Kind, Object, On};
use crate::upstream::{Failed, Leaf};
use jiff::SignedDuration;
use kernel::time::Timestamp;
use planning::transfer::Happening;

/// Within that a pull request that was merged is closed by it.
const SOON: SignedDuration = SignedDuration::from_secs(5);

impl Upstream {
    pub(super) async fn events_of(
        &self, thing: &Thing, leaf: Option<&Leaf>,
    ) -> Result<Part, Failed> {
        let first = || self.first(&format!("/issues/{}/timeline", thing.number), &[]);
        let leaf = leaf.cloned().unwrap_or_else(first);
        let listed = self.list::<Happened>(&leaf).await?;
        let on = match thing.pull_request {
            Some(_) => On::MergeRequest(thing.number),
            None => On::Issue(thing.number),
        };
        let merged_at = listed.things.iter().find(|one| is(one, "merged"));
        let merged_at = merged_at.and_then(|one| one.created_at);
        let told = listed.things.into_iter().filter(|one| !is_by_merge(one, merged_at));
        let objects = told.filter_map(|one| event(on, one, &self.origin)).map(Object::Event);
        Ok(Part {
            objects: objects.collect(),
            lost: listed.lost.into_iter().map(|one| lost(Kind::IssueEvent, one)).collect(),
            next: listed.next,
        })
    }
}

fn is(one: &Happened, event: &str) -> bool {
    one.event.as_deref() == Some(event)
}

/// Whether a pull request was closed because it was merged.
fn is_by_merge(one: &Happened, merged_at: Option<Timestamp>) -> bool {
    let both = one.created_at.zip(merged_at);
    is(one, "closed") && both.is_some_and(|(at, merged)| at.duration_since(merged).abs() <= SOON)
}

fn event(on: On, from: Happened, origin: &str) -> Option<Event> {
    let at = from.created_at?;
    let key = key(on, &from, at);
    let by = person(from.actor.clone());
    Some(Event { on, key, by, at, what: happening(on, from, origin)? })
}

/// What an event is known by; some have no number of their own.
fn key(on: On, from: &Happened, at: Timestamp) -> String {
    if let Some(id) = from.id {
        return id.to_string();
    }
    let number = match on {
        On::Issue(number) | On::MergeRequest(number) => number,
    };
    let event = from.event.as_deref().unwrap_or_default();
    let issue = from.source.as_ref().and_then(|source| source.issue.as_ref());
    let by = issue.map(|issue| issue.number).unwrap_or_default();
    format!("{number}:{event}:{by}:{at}")
}

fn happening(on: On, from: Happened, origin: &str) -> Option<Happening> {
    let is_request = matches!(on, On::MergeRequest(_));
    let about = |word: &str, user: Option<User>| {
        let who = user.map(|user| user.login)?;
        Some(Happening::Told { text: format!("{word} @{who}") })
    };
    Some(match from.event.as_deref()? {
        "closed" => Happening::Closed,
        "reopened" => Happening::Reopened,
        "merged" if is_request => Happening::Merged,
        "labeled" => Happening::LabelAdded { label: from.label?.name },
        "unlabeled" => Happening::LabelRemoved { label: from.label?.name },
        "milestoned" => Happening::MilestoneAdded { title: from.milestone?.title },
        "demilestoned" => Happening::MilestoneRemoved { title: from.milestone?.title },
        "renamed" => {
            let rename = from.rename?;
            let text = format!("changed title from **{}** to **{}**", rename.from, rename.to);
            Happening::Told { text }
        }
        "assigned" => about("assigned to", from.assignee)?,
        "unassigned" => about("unassigned", from.assignee)?,
        "review_requested" => about("requested review from", from.requested_reviewer)?,
        "review_request_removed" => about("removed review request for", from.requested_reviewer)?,
        "cross-referenced" => {
            let name = named(&from.source?.issue?, origin);
            Happening::Told { text: format!("mentioned in {name}") }
        }
        _ => return None,
    })
}

/// How what names something is called here. What is of another repository is no link: nothing
/// here has to do with it.
fn named(issue: &SourceIssue, origin: &str) -> String {
    let number = issue.number;
    let place = issue.repository.as_ref().map(|repository| repository.full_name.as_str());
    match place.filter(|place| !place.eq_ignore_ascii_case(origin)) {
        Some(place) => format!("`{}#{number}`", place.replace('`', "")),
        None if issue.pull_request.is_some() => format!("merge request !{number}"),
        None => format!("issue #{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn happened(mut value: Value) -> Happened {
        value["created_at"] = json!("2020-01-01T00:00:00Z");
        serde_json::from_value(value).expect("an event")
    }

    fn told(value: Value) -> Option<Happening> {
        happening(On::MergeRequest(7), happened(value), "acme/anvil")
    }

    fn text(value: Value) -> Option<String> {
        match told(value)? {
            Happening::Told { text } => Some(text),
            _ => None,
        }
    }

    #[test]
    fn what_happened_is_told_in_words_of_here() {
        assert_eq!(told(json!({"event": "closed"})), Some(Happening::Closed));
        let label = Happening::LabelAdded { label: "bug".into() };
        assert_eq!(told(json!({"event": "labeled", "label": {"name": "bug"}})), Some(label));
        assert_eq!(told(json!({"event": "labeled"})), None);
        assert_eq!(told(json!({"event": "committed"})), None);
        let renamed = json!({"event": "renamed", "rename": {"from": "a", "to": "b"}});
        assert_eq!(text(renamed).as_deref(), Some("changed title from **a** to **b**"));
        let asked = json!({"event": "review_requested",
            "requested_reviewer": {"id": 2, "login": "bob"}});
        assert_eq!(text(asked).as_deref(), Some("requested review from @bob"));
    }

    #[test]
    fn what_names_a_thing_is_called_as_here() {
        let crossed =
            |issue: Value| text(json!({"event": "cross-referenced", "source": {"issue": issue}}));
        let here = json!({"full_name": "Acme/anvil"});
        let issue = json!({"number": 3, "repository": here});
        assert_eq!(crossed(issue).as_deref(), Some("mentioned in issue #3"));
        let pull = json!({"number": 4, "repository": here, "pull_request": {}});
        assert_eq!(crossed(pull).as_deref(), Some("mentioned in merge request !4"));
        let elsewhere = json!({"number": 5, "repository": {"full_name": "other/x"}});
        assert_eq!(crossed(elsewhere).as_deref(), Some("mentioned in `other/x#5`"));
    }

    #[test]
    fn a_merge_closes_once() {
        let closed = happened(json!({"event": "closed"}));
        let merged = happened(json!({"event": "merged"})).created_at;
        assert!(is_by_merge(&closed, merged) && !is_by_merge(&closed, None));
    }

    #[test]
    fn events_without_number_have_keys() {
        let at: Timestamp = "2020-01-01T00:00:00Z".parse().expect("a time");
        let crossed = json!({"event": "cross-referenced", "source": {"issue": {"number": 3}}});
        let name = key(On::Issue(7), &happened(crossed), at);
        assert_eq!(name, "7:cross-referenced:3:2020-01-01T00:00:00Z");
        let numbered = happened(json!({"event": "closed", "id": 9}));
        assert_eq!(key(On::Issue(7), &numbered, at), "9");
    }
}
