//! Pull requests, who merged them, and what was said of them as a whole.

use super::answers::{End, Pull, Requested, Review, WholePull, people, person};
use super::walk::{Part, Thing, lost, read};
use super::{Upstream, is_commit};
use crate::model::{self, Kind, MergeRequest, Object};
use crate::run::{Import, Page, Trouble};
use crate::upstream::{Failed, Leaf};
use reviews::transfer::{Outcome, Reviewer};

/// What stands for the name of who, or of what, is gone.
const GONE: &str = "unknown";

impl Upstream {
    pub(super) async fn merge_requests(
        &self, import: &Import, stored: Option<&str>,
    ) -> Result<Page, Trouble> {
        let leaf: Leaf = stored.map_or_else(|| Ok(self.pull_list(import)), read)?;
        let listed = self.pulls::<Pull>(import, &leaf).await?;
        listed.page(Kind::PullRequest, |one| {
            Ok(Some(Object::MergeRequest(Box::new(merge_request(one)))))
        })
    }

    pub(super) async fn merged_by(&self, thing: &Thing) -> Result<Part, Failed> {
        if thing.merged_at.is_none() {
            return Ok(Part::default());
        }
        let path = self.path(&format!("/pulls/{}", thing.number));
        let pull = self.client.ask::<WholePull>(&path, &[]).await?.value;
        let at = pull.merged_at.or(thing.merged_at);
        let merged_by = person(pull.merged_by);
        let object = merged_by.is_some().then(|| {
            Object::Review(Box::new(model::Review {
                number: thing.number,
                key: "merged".into(),
                by: None,
                state: None,
                text: None,
                merged_by,
                at,
            }))
        });
        Ok(Part { objects: object.into_iter().collect(), ..Part::default() })
    }

    /// Who was asked and has not answered, where the list does not tell.
    pub(super) async fn review_requests(&self, thing: &Thing) -> Result<Part, Failed> {
        let is_open = thing.state.as_deref() == Some("open");
        if thing.requested_reviewers.is_some() || !is_open {
            return Ok(Part::default());
        }
        let path = self.path(&format!("/pulls/{}/requested_reviewers", thing.number));
        let requested = self.client.ask::<Requested>(&path, &[]).await?.value;
        let asked = people(requested.users).into_iter().map(|who| {
            Object::Review(Box::new(model::Review {
                number: thing.number,
                key: format!("request:{}", who.id),
                by: Some(who),
                state: Some("unreviewed".into()),
                text: None,
                merged_by: None,
                at: None,
            }))
        });
        Ok(Part { objects: asked.take(Page::MOST).collect(), ..Part::default() })
    }

    pub(super) async fn reviews(&self, thing: &Thing, leaf: Option<&Leaf>) -> Result<Part, Failed> {
        let first = || self.first(&format!("/pulls/{}/reviews", thing.number), &[]);
        let leaf = leaf.cloned().unwrap_or_else(first);
        let listed = self.list::<Review>(&leaf).await?;
        let objects = listed.things.into_iter().filter_map(|one| review(thing.number, one));
        Ok(Part {
            objects: objects.map(|one| Object::Review(Box::new(one))).collect(),
            lost: listed.lost.into_iter().map(|one| lost(Kind::Review, one)).collect(),
            next: listed.next,
        })
    }
}

/// What somebody said; nothing of what they have not sent yet.
fn review(number: i64, from: Review) -> Option<model::Review> {
    let state = match from.state.as_str() {
        "PENDING" => return None,
        "APPROVED" => "approved",
        "CHANGES_REQUESTED" => "requested_changes",
        _ => "reviewed",
    };
    Some(model::Review {
        number,
        key: from.id.to_string(),
        by: person(from.user),
        state: Some(state.into()),
        text: from.body.filter(|text| !text.trim().is_empty()),
        merged_by: None,
        at: from.submitted_at,
    })
}

fn merge_request(from: Pull) -> MergeRequest {
    let source_branch = source_branch(&from);
    let state = match (from.merged_at, from.state.as_str()) {
        (Some(_), _) => Outcome::Merged,
        (None, "closed") => Outcome::Closed,
        (None, _) => Outcome::Opened,
    };
    let assigned = match from.assignees.is_empty() {
        true => from.assignee.into_iter().collect(),
        false => from.assignees,
    };
    let asked = people(from.requested_reviewers).into_iter();
    MergeRequest {
        number: from.number,
        title: from.title,
        description: from.body,
        author: person(from.user),
        assignees: people(assigned),
        reviewers: asked.map(|who| Reviewer { who, state: None }).collect(),
        state,
        is_draft: from.draft,
        source_branch,
        target_branch: from.base.branch,
        head: from.head.sha.filter(|id| is_commit(id)),
        start: from.base.sha.filter(|id| is_commit(id)),
        base: None,
        versions: Vec::new(),
        merge_commit: from.merge_commit_sha.filter(|id| state == Outcome::Merged && is_commit(id)),
        squash_commit: None,
        is_squashed: false,
        removes_source_branch: false,
        labels: from.labels.into_iter().map(|label| label.name).collect(),
        milestone: from.milestone.map(|milestone| milestone.title),
        is_locked: from.locked,
        time_estimate: 0,
        time_spent: 0,
        closed_at: from.closed_at.filter(|_| state == Outcome::Closed),
        closed_by: None,
        merged_at: from.merged_at,
        merged_by: None,
        approvals: Vec::new(),
        reactions: Vec::new(),
        created_at: from.created_at,
        updated_at: from.updated_at,
    }
}

/// The branch as it is called there. That of a fork is none of this repository: it bears a
/// name that none of these has.
fn source_branch(from: &Pull) -> String {
    let End { branch, sha, user, repo } = &from.head;
    let here = from.base.repo.as_ref().map(|repo| repo.id);
    let there = repo.as_ref().map(|repo| repo.id);
    if here.is_some() && here == there {
        return branch.clone();
    }
    let commit: String = sha.iter().flat_map(|sha| sha.chars()).take(8).collect();
    let user = plain(user.as_ref().map_or(GONE, |user| user.login.as_str()));
    let fork = plain(repo.as_ref().map_or(GONE, |repo| repo.name.as_str()));
    format!("PA-{commit}-{user}/{}/{fork}/{branch}", from.number)
}

/// As it may stand in the name of a branch.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn pull(more: Value) -> Pull {
        let mut value = json!({
            "number": 7, "title": "Add it", "body": null, "state": "open",
            "user": {"id": 1, "login": "jane"},
            "head": {"ref": "topic", "sha": "a".repeat(40), "user": null,
                "repo": {"id": 5, "name": "anvil"}},
            "base": {"ref": "main", "sha": "b".repeat(40), "repo": {"id": 5, "name": "anvil"}},
            "merge_commit_sha": "c".repeat(40),
            "created_at": "2020-01-01T00:00:00Z", "updated_at": "2020-01-02T00:00:00Z"
        });
        for (key, field) in more.as_object().expect("an object") {
            value[key] = field.clone();
        }
        serde_json::from_value(value).expect("a pull request")
    }

    #[test]
    fn a_pull_request_is_open_closed_or_merged() {
        let open = merge_request(pull(json!({})));
        assert_eq!((open.state, open.merge_commit), (Outcome::Opened, None));
        let at = "2020-01-02T00:00:00Z";
        let closed = merge_request(pull(json!({"state": "closed", "closed_at": at})));
        assert_eq!(closed.state, Outcome::Closed);
        assert!(closed.closed_at.is_some() && closed.merged_at.is_none());
        let merged = json!({"state": "closed", "closed_at": at, "merged_at": at});
        let merged = merge_request(pull(merged));
        assert_eq!(merged.state, Outcome::Merged);
        assert!(merged.merge_commit.is_some() && merged.closed_at.is_none());
    }

    #[test]
    fn people_who_are_gone_are_nobody() {
        let ghost = json!({"user": {"id": 10137, "login": "ghost"}, "assignees": null,
            "requested_reviewers": [{"id": 2, "login": "bob"}, {"id": 10137, "login": "ghost"}]});
        let read = merge_request(pull(ghost));
        assert_eq!(read.author, None);
        let reviewers: Vec<&str> =
            read.reviewers.iter().map(|one| one.who.username.as_str()).collect();
        assert_eq!(reviewers, ["bob"]);
        assert_eq!(merge_request(pull(json!({"user": null}))).author, None);
    }

    #[test]
    fn branches_of_forks_have_names_of_their_own() {
        assert_eq!(source_branch(&pull(json!({}))), "topic");
        let head = |user: Value, repo: Value| {
            let sha = "a".repeat(40);
            source_branch(&pull(json!({"head": {"ref": "fix/it", "sha": sha, "user": user,
                "repo": repo}})))
        };
        let fork = json!({"id": 6, "name": "anvil.x"});
        let name = head(json!({"id": 2, "login": "bob[bot]"}), fork);
        assert_eq!(name, "PA-aaaaaaaa-bob-bot-/7/anvil-x/fix/it");
        assert_eq!(head(json!(null), json!(null)), "PA-aaaaaaaa-unknown/7/unknown/fix/it");
    }

    #[test]
    fn reviews_have_states() {
        let state = |state: &str, body: &str| {
            let from = json!({"id": 3, "user": null, "body": body, "state": state});
            let read = review(7, serde_json::from_value(from).expect("a review"))?;
            Some((read.state.unwrap_or_default(), read.text))
        };
        assert_eq!(state("APPROVED", ""), Some(("approved".into(), None)));
        assert_eq!(
            state("CHANGES_REQUESTED", "no"),
            Some(("requested_changes".into(), Some("no".into())))
        );
        assert_eq!(state("COMMENTED", " "), Some(("reviewed".into(), None)));
        assert_eq!(state("DISMISSED", "x"), Some(("reviewed".into(), Some("x".into()))));
        assert_eq!(state("PENDING", "x"), None);
    }
}
