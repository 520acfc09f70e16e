//! Pull requests as merge requests.

use super::answers::{HasText, Participant, PullRequest, User, person};
use super::words::Words;
use crate::model::{MergeRequest, Person};
use crate::sources::provider_b_server::foreign_branch;
use kernel::time::Timestamp;
use reviews::transfer::{Approval, Outcome, Reviewer};

/// A pull request in our words.
///
/// # Errors
///
/// What is wrong with it, in words.
pub fn merge_request(of: &PullRequest, words: &Words<'_>) -> Result<MergeRequest, String> {
    let state = outcome(&of.state)?;
    let updated_at = of.updated_on.unwrap_or(of.created_on);
    let by = |wanted: Outcome| person(of.closed_by.as_ref()).filter(|_| state == wanted);
    let at = |wanted: Outcome| (state == wanted).then_some(updated_at);
    Ok(MergeRequest {
        number: of.id,
        title: of.title.clone(),
        description: Some(words.of(of.text())),
        author: person(of.author.as_ref()),
        assignees: Vec::new(),
        reviewers: reviewers(of),
        state,
        is_draft: of.draft == Some(true),
        source_branch: source_branch(of),
        target_branch: of.destination.branch().ok_or("It has no target branch.")?.to_owned(),
        head: of.source.commit().map(str::to_owned),
        start: of.destination.commit().map(str::to_owned),
        base: None,
        versions: Vec::new(),
        merge_commit: of.merge_commit.as_ref().and_then(|commit| commit.hash.clone()),
        squash_commit: None,
        is_squashed: false,
        removes_source_branch: of.close_source_branch == Some(true),
        labels: Vec::new(),
        milestone: None,
        is_locked: false,
        time_estimate: 0,
        time_spent: 0,
        closed_at: at(Outcome::Closed),
        closed_by: by(Outcome::Closed),
        merged_at: at(Outcome::Merged),
        merged_by: by(Outcome::Merged),
        approvals: approvals(of, updated_at),
        reactions: Vec::new(),
        created_at: of.created_on,
        updated_at,
    })
}

fn outcome(state: &str) -> Result<Outcome, String> {
    match state {
        "OPEN" => Ok(Outcome::Opened),
        "MERGED" => Ok(Outcome::Merged),
        "DECLINED" | "SUPERSEDED" => Ok(Outcome::Closed),
        other => Err(format!("Its state is unknown: {other}")),
    }
}

/// The branch itself, or a name for that of another repository, which may be gone.
fn source_branch(of: &PullRequest) -> String {
    let branch = of.source.branch().unwrap_or("unknown");
    let (from, to) = (of.source.repository(), of.destination.repository());
    if from.is_some() && from == to {
        return branch.to_owned();
    }
    let (owner, name) = from.and_then(|name| name.split_once('/')).unwrap_or(("unknown", "fork"));
    foreign_branch(of.source.commit(), owner, of.id, name, branch)
}

/// Who was asked, and what they said last.
fn reviewers(of: &PullRequest) -> Vec<Reviewer<Person>> {
    let participants = || of.participants.iter().flatten();
    let asked = of.reviewers.iter().flatten().filter_map(User::person);
    let reviewing = participants().filter(|it| it.role.as_deref() == Some("REVIEWER"));
    let mut all: Vec<Reviewer<Person>> = Vec::new();
    for who in asked.chain(reviewing.filter_map(who)) {
        if all.iter().all(|known| known.who.id != who.id) {
            let said = participants().find(|it| self::who(it).is_some_and(|it| it.id == who.id));
            all.push(Reviewer { who, state: Some(state(said).to_owned()) });
        }
    }
    all
}

fn who(of: &Participant) -> Option<Person> {
    person(of.user.as_ref())
}

fn state(of: Option<&Participant>) -> &'static str {
    match of {
        Some(it) if it.approved == Some(true) => "approved",
        Some(it) if it.state.as_deref() == Some("changes_requested") => "requested_changes",
        _ => "unreviewed",
    }
}

fn approvals(of: &PullRequest, updated_at: Timestamp) -> Vec<Approval<Person>> {
    let approving = of.participants.iter().flatten().filter(|it| it.approved == Some(true));
    let approval = |it: &Participant| {
        Some(Approval { by: who(it)?, at: it.participated_on.unwrap_or(updated_at) })
    };
    approving.filter_map(approval).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::collections::HashMap;

    fn request(state: &str) -> Value {
        let side = |branch: &str, hash: &str| {
            json!({"branch": {"name": branch}, "commit": {"hash": hash},
                "repository": {"full_name": "ws/tool"}})
        };
        let user = |name: &str| json!({"account_id": format!("id-{name}"), "nickname": name});
        json!({
            "id": 7, "title": "Add", "description": "Text", "state": state,
            "source": side("feature/x", "aaaaaaaaaaaa"),
            "destination": side("main", "bbbbbbbbbbbb"),
            "author": null, "closed_by": user("eve"), "reviewers": [user("ada"), user("ben")],
            "participants": [
                {"user": user("ben"), "role": "REVIEWER", "approved": true,
                    "participated_on": "2020-01-02T00:00:00+00:00"},
                {"user": user("eve"), "role": "REVIEWER", "state": "changes_requested"},
                {"user": user("kim"), "role": "PARTICIPANT", "approved": true},
            ],
            "created_on": "2020-01-01T00:00:00+00:00", "updated_on": "2020-01-03T00:00:00+00:00",
        })
    }

    fn read(value: Value) -> Result<MergeRequest, String> {
        let of: PullRequest = serde_json::from_value(value).expect("a pull request");
        merge_request(&of, &Words { web_url: "", names: &HashMap::new() })
    }

    #[test]
    fn states_say_who_ended_it_and_when() {
        for (state, outcome) in [
            ("OPEN", Outcome::Opened),
            ("MERGED", Outcome::Merged),
            ("DECLINED", Outcome::Closed),
            ("SUPERSEDED", Outcome::Closed),
        ] {
            let read = read(request(state)).expect("it is read");
            assert_eq!(read.state, outcome);
            let is_merged = outcome == Outcome::Merged;
            assert_eq!(
                (read.merged_by.is_some(), read.merged_at.is_some()),
                (is_merged, is_merged)
            );
            let is_closed = outcome == Outcome::Closed;
            assert_eq!(
                (read.closed_by.is_some(), read.closed_at.is_some()),
                (is_closed, is_closed)
            );
        }
        assert!(read(request("LOST")).is_err());
    }

    #[test]
    fn reviewers_and_approvals_come_along() {
        let read = read(request("OPEN")).expect("it is read");
        let said =
            |it: &Reviewer<Person>| (it.who.username.clone(), it.state.clone().expect("one"));
        let expected = [
            ("ada".to_owned(), "unreviewed".to_owned()),
            ("ben".to_owned(), "approved".to_owned()),
            ("eve".to_owned(), "requested_changes".to_owned()),
        ];
        assert_eq!(read.reviewers.iter().map(said).collect::<Vec<_>>(), expected);
        let approved: Vec<_> = read.approvals.iter().map(|it| it.by.username.as_str()).collect();
        assert_eq!(approved, ["ben", "kim"]);
        assert_eq!(read.approvals[1].at, read.updated_at);
    }

    #[test]
    fn a_branch_of_another_repository_has_a_name_of_its_own() {
        assert_eq!(read(request("OPEN")).expect("it is read").source_branch, "feature/x");
        let mut value = request("OPEN");
        value["source"]["repository"] = json!({"full_name": "ada/fork"});
        let foreign = "PB-aaaaaaaa-ada/7/fork/feature/x";
        assert_eq!(read(value.clone()).expect("it is read").source_branch, foreign);
        value["source"] = json!({"branch": null, "commit": null, "repository": null});
        let gone = read(value).expect("it is read");
        assert_eq!(gone.source_branch, "PB-unknown-unknown/7/fork/unknown");
        assert_eq!(gone.head, None);
    }
}
