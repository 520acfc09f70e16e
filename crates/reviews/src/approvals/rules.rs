//! Approvals are given and taken back, by people and by what happens to a merge request.

use super::model::{Rule, RuleRow, RuleType};
use super::owners::{self, Demand, Owner};
use super::scenes::Scenes;
use super::state::Scene;
use super::store::{self, given};
use crate::access;
use crate::merging::rebase;
use crate::merging::status::ApprovalProgress;
use crate::model::{MergeRequest, State, Version};
use crate::rules::approvals_changed;
use ::store::Tx;
use identity::users::confirmed_owners;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::fold;
use spaces::access::{PLANNER, level_in_project};
use spaces::model::Project;
use std::collections::HashMap;
use std::slice::from_ref;

/// What became of approvals: of one user, or of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Somebody approved.
    Approval,
    /// Somebody took theirs back.
    Unapproval,
    /// With that, nothing is missing any more.
    Approved,
    /// With that, something is missing again.
    Unapproved,
}

/// What somebody is for the approvals of a merge request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub has_approved: bool,
    /// Their approval counts, and it can be given still.
    pub may_approve: bool,
    /// They have to prove who they are.
    pub needs_proof: bool,
}

/// Refuses who has no right to approvals at all.
///
/// # Errors
///
/// `Unauthenticated` of strangers, `Forbidden` of guests and where nothing changes any more.
pub fn check_right(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<()> {
    viewer.signed_in()?;
    let level = level_in_project(tx, viewer, project)?;
    match level >= PLANNER && !project.archived {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
}

/// What the viewer is for the approvals.
pub fn standing(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest) -> Result<Standing> {
    let scenes = Scenes::read(tx, from_ref(request))?;
    standing_in(tx, viewer, request, &scenes)
}

/// The same, where what decides it was read already.
pub fn standing_in(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, scenes: &Scenes,
) -> Result<Standing> {
    let user = viewer.signed_in()?.user.id;
    let scene = scenes.of(request);
    Ok(Standing {
        has_approved: scene.approvals.contains(&user),
        may_approve: can_approve(tx, request, scene, user)?,
        needs_proof: scene.settings.require_reauthentication,
    })
}

/// Whether somebody's approval counts and can be given. One who has none to show yet is not
/// among those whose roles were read.
fn can_approve(
    tx: &mut Tx<'_>, request: &MergeRequest, scene: Scene<'_>, user: i64,
) -> Result<bool> {
    let is_open = matches!(request.state, State::Opened | State::Closed);
    if !is_open {
        return Ok(false);
    }
    let roles = super::scenes::with_role(tx, request.target_project_id, scene.roles, user)?;
    Ok(Scene { roles: &roles, ..scene }.may_approve(user))
}

/// Approves; false where they have before.
///
/// # Errors
///
/// `Unauthenticated` where their approval does not count, or comes too late.
pub fn approve(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest,
) -> Result<bool> {
    let user = viewer.signed_in()?.user.id;
    let here = standing(tx, viewer, request)?;
    if here.has_approved {
        return Ok(false);
    }
    if !here.may_approve {
        return Err(Error::Unauthenticated);
    }
    let was_whole = is_whole(tx, request)?;
    if !given::insert(tx, request.id, user)? {
        return Ok(false);
    }
    approvals_changed(tx, viewer, project, request, Change::Approval)?;
    if !was_whole && is_whole(tx, request)? {
        approvals_changed(tx, viewer, project, request, Change::Approved)?;
    }
    Ok(true)
}

/// Takes the viewer's approval back; false where there is none.
///
/// # Errors
///
/// `404 Not Found` once it is merged, or is being merged.
pub fn unapprove(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest,
) -> Result<bool> {
    let user = viewer.signed_in()?.user.id;
    let was_whole = is_whole(tx, request)?;
    if !given::delete(tx, request.id, user)? {
        return Ok(false);
    }
    if matches!(request.state, State::Merged | State::Locked) {
        return Err(Error::NotFoundText("404 Not Found".into()));
    }
    approvals_changed(tx, viewer, project, request, Change::Unapproval)?;
    if was_whole && !is_whole(tx, request)? {
        approvals_changed(tx, viewer, project, request, Change::Unapproved)?;
    }
    Ok(true)
}

/// Takes all approvals back, as bots of the project and of groups above it may.
///
/// # Errors
///
/// `Unauthenticated` for anybody else, and once it is merged.
pub(super) fn reset(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest,
) -> Result<()> {
    let by = viewer.signed_in()?;
    let is_bot = by.bot_source.is_some() && by.has_scope("api");
    let is_late = matches!(request.state, State::Merged | State::Locked);
    if !is_bot || is_late || !access::may_update(tx, viewer, project, request)? {
        return Err(Error::Unauthenticated);
    }
    take_back(tx, request.id, None)
}

fn take_back(tx: &mut Tx<'_>, request: i64, users: Option<&[i64]>) -> Result<()> {
    let users = given::take_back(tx, request, users)?;
    match users.is_empty() {
        true => Ok(()),
        false => given::unapprove_reviewers(tx, request, &users),
    }
}

fn is_whole(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<bool> {
    let scenes = Scenes::read(tx, from_ref(request))?;
    Ok(scenes.of(request).state().is_approved())
}

/// How far the approvals of some merge requests are; those that lack none are left out.
pub fn progress(
    tx: &mut Tx<'_>, requests: &[MergeRequest],
) -> Result<HashMap<i64, ApprovalProgress>> {
    if requests.is_empty() {
        return Ok(HashMap::new());
    }
    let scenes = Scenes::read(tx, requests)?;
    let missing = requests.iter().filter(|one| !scenes.of(one).state().is_approved());
    Ok(missing.map(|one| (one.id, ApprovalProgress::Missing)).collect())
}

/// Takes back what a push makes invalid: approvals stay where the same lines change, as by
/// a rebase. `touched` are the demands of files by the paths at which others do.
pub fn pushed(
    tx: &mut Tx<'_>, project: &Project, request: &MergeRequest,
    (before, after): (&Version, &Version), touched: &[Demand],
) -> Result<()> {
    let is_same = before.patch_id.is_some() && before.patch_id == after.patch_id;
    if is_same || is_rebased(request, after) {
        return Ok(());
    }
    let settings = store::settings(tx, project.id)?;
    if settings.reset_approvals_on_push {
        return take_back(tx, request.id, None);
    }
    if !settings.selective_code_owner_removals || touched.is_empty() {
        return Ok(());
    }
    let scenes = Scenes::read(tx, from_ref(request))?;
    let state = scenes.of(request).state();
    let is_touched = |row: &RuleRow| {
        let is_it =
            |one: &Demand| Some(&one.section) == row.section.as_ref() && one.pattern == row.name;
        row.rule_type == RuleType::CodeOwner && touched.iter().any(is_it)
    };
    let of_owners = state.rules.iter().filter(|it| is_touched(&it.rule.row));
    let owners: Vec<i64> = of_owners.flat_map(|rule| rule.eligible.iter().copied()).collect();
    match owners.is_empty() {
        true => Ok(()),
        false => take_back(tx, request.id, Some(&owners)),
    }
}

/// Whether pushes to merge requests of a project take back the approvals of owners alone.
pub fn removes_selectively(tx: &mut Tx<'_>, project_id: i64) -> Result<bool> {
    let settings = store::settings(tx, project_id)?;
    Ok(settings.selective_code_owner_removals && !settings.reset_approvals_on_push)
}

/// Whether a push brings what a rebase made here.
fn is_rebased(request: &MergeRequest, after: &Version) -> bool {
    let made = request.merge_params.0.get(rebase::HEAD_KEY).and_then(|head| head.as_str());
    made.is_some_and(|head| head == after.head_id.to_string())
}

/// Notes whose addresses committers of a merge request have; only those that somebody
/// confirmed mean anybody.
pub fn committed(tx: &mut Tx<'_>, request: i64, addresses: &[String]) -> Result<()> {
    let folded: Vec<String> = addresses.iter().map(|address| fold(address)).collect();
    let owners = match folded.is_empty() {
        true => HashMap::new(),
        false => confirmed_owners(tx, &folded)?,
    };
    let mut users: Vec<i64> = owners.into_values().collect();
    users.sort_unstable();
    users.dedup();
    given::set_committers(tx, request, &users)
}

/// Keeps the rules of a merge request, and whose approvals counted, as they are when it is
/// merged.
pub fn freeze(tx: &mut Tx<'_>, _: &Project, request: &MergeRequest) -> Result<()> {
    let scenes = Scenes::read(tx, from_ref(request))?;
    let scene = Scene { is_merged: false, ..scenes.of(request) };
    if scene.own_rules.iter().any(|rule| rule.row.is_snapshot) {
        return Ok(());
    }
    let state = scene.state();
    let counts = |rule: &&Rule| state.rules.iter().any(|one| one.rule.row.id == rule.row.id);
    let idle = scene.own_rules.iter().filter(|rule| !counts(rule));
    let idle: Vec<i64> = idle.map(|rule| rule.row.id).collect();
    store::rules::delete(tx, &idle)?;
    for one in &state.rules {
        match one.rule.row.project_id {
            Some(_) => {
                let kept = snapshot(request.id, one.rule, &one.approved_by);
                store::rules::insert(tx, &kept)?;
            }
            None => store::rules::set_approvers(tx, one.rule.row.id, &one.approved_by)?,
        }
    }
    Ok(())
}

/// A rule of the project as one of a merge request.
fn snapshot(request: i64, rule: &Rule, approved_by: &[i64]) -> Rule {
    let row = RuleRow {
        project_id: None,
        merge_request_id: Some(request),
        source_rule_id: Some(rule.row.id),
        applies_to_all_protected_branches: false,
        is_snapshot: true,
        ..rule.row.clone()
    };
    let approvers = approved_by.to_vec();
    Rule { row, branches: Vec::new(), approvers, ..rule.clone() }
}

/// Makes the rules of those who own what a merge request changes, in place of those that
/// were made before: by the text of the file of owners and all paths that change.
pub fn set_owners(
    tx: &mut Tx<'_>, project: &Project, request: i64, text: &str, paths: &[String],
) -> Result<()> {
    store::rules::delete_of_request(tx, request, RuleType::CodeOwner)?;
    let mut demands = owners::demands(text, paths);
    demands.truncate(super::model::MOST_RULES);
    if demands.is_empty() {
        return Ok(());
    }
    let found = Found::read(tx, project, &demands)?;
    for demand in demands {
        let rule = found.rule(request, demand);
        store::rules::insert(tx, &rule)?;
    }
    Ok(())
}

/// Whom names and addresses mean.
struct Found {
    users: HashMap<String, i64>,
    groups: HashMap<String, i64>,
    addresses: HashMap<String, i64>,
}

impl Found {
    fn read(tx: &mut Tx<'_>, project: &Project, demands: &[Demand]) -> Result<Found> {
        let (mut names, mut addresses) = (Vec::new(), Vec::new());
        for owner in demands.iter().flat_map(|demand| &demand.owners) {
            match owner {
                Owner::Name(name) => names.push(fold(name)),
                Owner::Address(address) => addresses.push(fold(address)),
            }
        }
        Ok(Found {
            users: store::users_named(tx, &names)?,
            groups: store::groups_named(tx, project, &names)?,
            addresses: confirmed_owners(tx, &addresses)?,
        })
    }

    fn rule(&self, request: i64, demand: Demand) -> Rule {
        let (mut users, mut groups) = (Vec::new(), Vec::new());
        for owner in &demand.owners {
            match owner {
                Owner::Name(name) => {
                    users.extend(self.users.get(&fold(name)));
                    groups.extend(self.groups.get(&fold(name)));
                }
                Owner::Address(address) => users.extend(self.addresses.get(&fold(address))),
            }
        }
        let row = RuleRow {
            id: 0,
            project_id: None,
            merge_request_id: Some(request),
            source_rule_id: None,
            name: demand.pattern,
            rule_type: RuleType::CodeOwner,
            report_type: None,
            section: Some(demand.section),
            approvals_required: demand.approvals,
            applies_to_all_protected_branches: false,
            is_snapshot: false,
        };
        Rule {
            row,
            users,
            groups,
            branches: Vec::new(),
            approvers: Vec::new(),
        }
    }
}
