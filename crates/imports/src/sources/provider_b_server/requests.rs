//! Pull requests as merge requests.

use super::answers::{Participant, PullRequest, Reference, person};
use super::times::{millis, some_millis};
use crate::model::{MergeRequest, Person};
use reviews::transfer::{Outcome, Reviewer};

/// A pull request in our words.
///
/// # Errors
///
/// What is wrong with it, in words.
pub fn merge_request(of: &PullRequest) -> Result<MergeRequest, String> {
    let state = outcome(&of.state)?;
    let created_at = millis(of.created_date)?;
    let updated_at = some_millis(of.updated_date).unwrap_or(created_at);
    let ended_at = some_millis(of.closed_date).unwrap_or(updated_at);
    let merge_commit = of.properties.as_ref().and_then(|it| it.merge_commit.as_ref());
    Ok(MergeRequest {
        number: of.id,
        title: of.title.clone(),
        description: of.description.clone(),
        author: person(of.author.as_ref().and_then(|author| author.user.as_ref())),
        assignees: Vec::new(),
        reviewers: of.reviewers.iter().flatten().filter_map(reviewer).collect(),
        state,
        is_draft: of.draft == Some(true),
        source_branch: source_branch(of),
        target_branch: branch(&of.to_ref).to_owned(),
        head: of.from_ref.latest_commit.clone(),
        start: of.to_ref.latest_commit.clone(),
        base: None,
        versions: Vec::new(),
        merge_commit: merge_commit.and_then(|commit| commit.id.clone()),
        squash_commit: None,
        is_squashed: false,
        removes_source_branch: false,
        labels: Vec::new(),
        milestone: None,
        is_locked: of.locked == Some(true),
        time_estimate: 0,
        time_spent: 0,
        closed_at: (state == Outcome::Closed).then_some(ended_at),
        closed_by: None,
        merged_at: (state == Outcome::Merged).then_some(ended_at),
        merged_by: None,
        // They come with what was done, where their time stands.
        approvals: Vec::new(),
        reactions: Vec::new(),
        created_at,
        updated_at,
    })
}

fn outcome(state: &str) -> Result<Outcome, String> {
    match state {
        "OPEN" => Ok(Outcome::Opened),
        "MERGED" => Ok(Outcome::Merged),
        "DECLINED" => Ok(Outcome::Closed),
        other => Err(format!("Its state is unknown: {other}")),
    }
}

fn branch(reference: &Reference) -> &str {
    reference.id.strip_prefix("refs/heads/").unwrap_or(&reference.id)
}

/// The branch itself, or a name for that of another repository.
fn source_branch(of: &PullRequest) -> String {
    let repository = |reference: &Reference| {
        let it = reference.repository.as_ref()?;
        Some((it.project.as_ref()?.key.clone()?, it.slug.clone()))
    };
    match (repository(&of.from_ref), repository(&of.to_ref)) {
        (Some((key, slug)), Some(to)) if (&key, &slug) != (&to.0, &to.1) => {
            let head = of.from_ref.latest_commit.as_deref();
            foreign_branch(head, &key, of.id, &slug, branch(&of.from_ref))
        }
        _ => branch(&of.from_ref).to_owned(),
    }
}

/// What a branch of another repository is called: no branch of ours is called so.
pub fn foreign_branch(
    head: Option<&str>, owner: &str, number: i64, repository: &str, branch: &str,
) -> String {
    let plain = |text: &str| -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        text.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
    };
    let head: String = head.unwrap_or("unknown").chars().take(8).collect();
    let (owner, repository) = (plain(owner), plain(repository));
    format!("PB-{}-{owner}/{number}/{repository}/{branch}", plain(&head))
}

fn reviewer(of: &Participant) -> Option<Reviewer<Person>> {
    let state = match of.status.as_deref() {
        Some("APPROVED") => "approved",
        Some("NEEDS_WORK") => "requested_changes",
        None if of.approved == Some(true) => "approved",
        _ => "unreviewed",
    };
    Some(Reviewer { who: person(of.user.as_ref())?, state: Some(state.into()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(value: Value) -> Result<MergeRequest, String> {
        let of: PullRequest = serde_json::from_value(value).map_err(|error| error.to_string())?;
        merge_request(&of)
    }

    fn request(state: &str) -> Value {
        let of = |slug: &str| json!({"slug": slug, "project": {"key": "PRJ"}});
        json!({
            "id": 7, "title": "Add", "description": "Text", "state": state,
            "createdDate": 1_359_075_920_000_i64, "updatedDate": 1_359_085_920_000_i64,
            "fromRef": {"id": "refs/heads/feature/x", "latestCommit": "a".repeat(40),
                "repository": of("tool")},
            "toRef": {"id": "refs/heads/main", "latestCommit": "b".repeat(40),
                "repository": of("tool")},
            "author": {"user": {"id": 1, "name": "ada", "slug": "ada", "displayName": "Ada"}},
            "reviewers": [
                {"user": {"name": "ben"}, "approved": true, "status": "APPROVED"},
                {"user": {"name": "eve"}, "status": "NEEDS_WORK"},
                {"user": null, "status": "APPROVED"},
            ],
        })
    }

    #[test]
    fn states_and_times_are_told_apart() {
        for (state, outcome, closed, merged) in [
            ("OPEN", Outcome::Opened, false, false),
            ("DECLINED", Outcome::Closed, true, false),
            ("MERGED", Outcome::Merged, false, true),
        ] {
            let read = read(request(state)).unwrap();
            assert_eq!(read.state, outcome);
            assert_eq!((read.closed_at.is_some(), read.merged_at.is_some()), (closed, merged));
        }
        assert!(read(request("LOST")).is_err());
    }

    #[test]
    fn people_and_branches_are_named() {
        let read = read(request("OPEN")).unwrap();
        assert_eq!(read.author.map(|it| (it.id, it.username)), Some(("1".into(), "ada".into())));
        let states: Vec<_> = read.reviewers.iter().map(|it| it.state.as_deref()).collect();
        assert_eq!(states, [Some("approved"), Some("requested_changes")]);
        assert_eq!((&*read.source_branch, &*read.target_branch), ("feature/x", "main"));
    }

    #[test]
    fn a_branch_of_another_repository_has_a_name_of_its_own() {
        let mut value = request("OPEN");
        value["fromRef"]["repository"] = json!({"slug": "tool.fork", "project": {"key": "~ada"}});
        let read = read(value).unwrap();
        assert_eq!(read.source_branch, "PB-aaaaaaaa--ada/7/tool-fork/feature/x");
    }
}
