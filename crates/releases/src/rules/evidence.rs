//! Evidence: what a release was when it came out, written down once.

use super::{milestones, to_change};
use crate::access::Releases;
use crate::model::Release;
use crate::store::evidences::{self as rows, EvidenceIssue};
use crate::store::milestones as links;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::time::wire;
use planning::model::Milestone;
use planning::store::milestones::by_ids;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use spaces::model::Project;

/// Issues that evidence tells of.
const MOST_ISSUES: i64 = 1_000;

/// Collects evidence of a release as it is now, for who may change it.
pub fn ask_for(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, tag: &str,
) -> Result<(Releases, Release)> {
    let (here, release) = to_change(tx, viewer, reference, tag)?;
    collect(tx, &here.project, &release)?;
    super::record(tx, viewer, "release.collect_evidence", &release)?;
    Ok((here, release))
}

/// Writes down what a release is now.
pub fn collect(tx: &mut Tx<'_>, project: &Project, release: &Release) -> Result<()> {
    let ids = links::of_releases(tx, &[release.id])?;
    let ids: Vec<i64> = ids.into_iter().map(|(_, milestone)| milestone).collect();
    let mut goals: Vec<Milestone> = by_ids(tx, &ids)?.into_values().collect();
    goals.retain(|goal| milestones::is_usable(project, goal));
    goals.sort_by_key(|goal| goal.id);
    // Whoever reads the code reads evidence: it tells of no issue that is for fewer.
    let issues = match project.feature("issues") {
        "disabled" | "private" => Vec::new(),
        _ => rows::issues(tx, project.id, &ids, MOST_ISSUES)?,
    };
    let summary = summary(project, release, &goals, &issues);
    let text = serde_json::to_string(&summary).map_err(Error::internal)?;
    let sha = hex::encode(Sha256::digest(text.as_bytes()));
    rows::insert(tx, release.id, &text, &sha)
}

fn summary(
    project: &Project, release: &Release, goals: &[Milestone], issues: &[EvidenceIssue],
) -> Value {
    let goal = |goal: &Milestone| {
        let own = issues.iter().filter(|issue| issue.milestone_id == Some(goal.id));
        json!({
            "id": goal.id,
            "title": goal.title,
            "description": goal.description,
            "state": goal.state.as_str(),
            "iid": goal.iid,
            "created_at": wire::text(goal.created_at),
            "due_date": goal.due_on.map(|day| day.to_string()),
            "issues": own.map(issue).collect::<Vec<_>>(),
        })
    };
    json!({"release": {
        "id": release.id,
        "tag_name": release.tag,
        "name": release.name(),
        "description": release.description,
        "created_at": wire::text(release.created_at),
        "project": {
            "id": project.id,
            "name": project.name,
            "description": project.description,
            "created_at": wire::text(project.created_at),
        },
        "milestones": goals.iter().map(goal).collect::<Vec<_>>(),
    }})
}

fn issue(issue: &EvidenceIssue) -> Value {
    json!({
        "id": issue.id,
        "title": issue.title,
        "description": issue.description,
        "state": issue.state,
        "iid": issue.iid,
        "confidential": false,
        "created_at": wire::text(issue.created_at),
        "due_date": issue.due_on.map(|day| day.to_string()),
    })
}
