//! Issues, and reactions to what people wrote.

use super::Upstream;
use super::answers::{Issue, IssueLabel, Reaction, Reactions, people, person};
use super::walk::{AT_ONCE, Listed, cursor, lost, read};
use crate::model::{self, Kind, Object, Person};
use crate::run::{Import, Page, Trouble};
use crate::upstream::{Failed, Leaf};
use futures_util::future::join_all;
use planning::transfer as plan;

/// Pages of the reactions to one thing.
const MOST_PAGES: usize = 10;

impl Upstream {
    /// Issues without the pull requests that stand among them.
    pub(super) async fn issues(
        &self, import: &Import, stored: Option<&str>,
    ) -> Result<Page, Trouble> {
        let leaf: Leaf = stored.map_or_else(|| Ok(self.issue_list(import)), read)?;
        let Listed { things, lost: unread, next } = self.list::<Issue>(&leaf).await?;
        let mut page = Page { next: cursor(next.as_ref())?, ..Page::default() };
        page.lost.extend(unread.into_iter().map(|one| lost(Kind::Issue, one)));
        let found: Vec<Issue> =
            things.into_iter().filter(|one| one.pull_request.is_none()).collect();
        let asked = |one: &Issue| (format!("/issues/{}", one.number), counted(&one.reactions));
        let reactions = self.reactions(found.iter().map(asked).collect()).await?;
        let both = found.into_iter().zip(reactions);
        page.objects.extend(both.map(|(one, reactions)| {
            Object::Issue(Box::new(model::Issue { reactions, ..issue(one) }))
        }));
        Ok(page)
    }

    /// The reactions to some things, by their paths and how many they have: those that have
    /// some are asked for them.
    pub(super) async fn reactions(
        &self, things: Vec<(String, i64)>,
    ) -> Result<Vec<Vec<plan::Reaction<Person>>>, Failed> {
        let mut all = Vec::with_capacity(things.len());
        for some in things.chunks(AT_ONCE) {
            let asked = some.iter().map(|(path, count)| self.reactions_to(path, *count));
            for reactions in join_all(asked).await {
                all.push(reactions?);
            }
        }
        Ok(all)
    }

    async fn reactions_to(
        &self, path: &str, count: i64,
    ) -> Result<Vec<plan::Reaction<Person>>, Failed> {
        let mut all = Vec::new();
        let first = || self.first(&format!("{path}/reactions"), &[]);
        let mut next = (count > 0).then(first);
        for _ in 0..MOST_PAGES {
            let Some(leaf) = next else {
                break;
            };
            let listed = match self.list::<Reaction>(&leaf).await {
                // What was said counts more than that somebody liked it.
                Err(failed) if failed.is_of_one() => break,
                listed => listed?,
            };
            all.extend(listed.things.into_iter().filter_map(reaction));
            next = listed.next;
        }
        Ok(all)
    }
}

/// How many reactions something has.
pub(super) fn counted(reactions: &Option<Reactions>) -> i64 {
    reactions.as_ref().map_or(0, |reactions| reactions.total_count)
}

fn reaction(from: Reaction) -> Option<plan::Reaction<Person>> {
    let name = match from.content.as_str() {
        "+1" => "thumbsup",
        "-1" => "thumbsdown",
        "laugh" => "smile",
        "hooray" => "tada",
        "confused" | "heart" | "rocket" | "eyes" => from.content.as_str(),
        _ => return None,
    };
    let name = name.to_owned();
    Some(plan::Reaction { by: person(from.user), name, at: from.created_at })
}

fn issue(from: Issue) -> model::Issue {
    let is_closed = from.state == "closed";
    let assigned = match from.assignees.is_empty() {
        true => from.assignee.into_iter().collect(),
        false => from.assignees,
    };
    model::Issue {
        number: from.number,
        title: from.title,
        description: from.body,
        author: person(from.user),
        assignees: people(assigned),
        is_closed,
        closed_at: from.closed_at.filter(|_| is_closed),
        closed_by: person(from.closed_by).filter(|_| is_closed),
        labels: from.labels.into_iter().filter_map(IssueLabel::name).collect(),
        milestone: from.milestone.map(|milestone| milestone.title),
        is_confidential: false,
        is_locked: from.locked,
        issue_type: None,
        weight: None,
        due_date: None,
        time_estimate: 0,
        time_spent: 0,
        links: Vec::new(),
        reactions: Vec::new(),
        created_at: from.created_at,
        updated_at: from.updated_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_issue_is_read_whole() {
        let from = json!({
            "number": 3, "title": "It breaks", "body": "When\r\n", "state": "closed",
            "user": {"id": 1, "login": "jane"}, "assignee": {"id": 2, "login": "bob"},
            "assignees": [], "labels": [{"name": "bug"}, "old", {"name": null}],
            "milestone": {"title": "1.0"}, "locked": true, "comments": 2,
            "closed_at": "2020-01-03T00:00:00Z", "closed_by": null,
            "created_at": "2020-01-01T00:00:00Z", "updated_at": "2020-01-03T00:00:00Z"
        });
        let read = issue(serde_json::from_value(from).expect("an issue"));
        assert!(read.is_closed && read.is_locked && read.closed_at.is_some());
        assert_eq!(read.labels, ["bug", "old"]);
        assert_eq!(read.assignees.first().map(|who| who.id.as_str()), Some("2"));
        assert_eq!(read.milestone.as_deref(), Some("1.0"));
    }

    #[test]
    fn reactions_have_names_here() {
        let name = |content: &str| {
            let from = json!({"user": null, "content": content,
                "created_at": "2020-01-01T00:00:00Z"});
            reaction(serde_json::from_value(from).expect("a reaction")).map(|one| one.name)
        };
        for (content, here) in [
            ("+1", "thumbsup"),
            ("-1", "thumbsdown"),
            ("laugh", "smile"),
            ("hooray", "tada"),
            ("heart", "heart"),
        ] {
            assert_eq!(name(content).as_deref(), Some(here));
        }
        assert_eq!(name("x"), None);
    }
}
