//! Rules of groups.

use super::{add_owner, check_description, check_size_limit, of_group, set, text};
use crate::access::{self, Purpose};
use crate::branch_protection::{BranchProtection, BranchProtectionInput};
use crate::hooks;
use crate::model::{Namespace, PRIVATE, Problems, Visibility, path_error};
use crate::namespaces::{self, Place};
use crate::store::groups as rows;
use crate::store::size_limits;
use crate::tasks::DestroyNamespace;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use serde_json::json;
use store::{Json, Tx};

kernel::choices! {
    /// Who may create projects.
    pub enum ProjectCreation {
        NoOne = "noone",
        Owner = "owner",
        Maintainer = "maintainer",
        Developer = "developer",
        Administrator = "administrator",
    }
}

kernel::choices! {
    /// Who may create groups.
    pub enum SubgroupCreation { Owner = "owner", Maintainer = "maintainer" }
}

kernel::params! {
    /// What is said of a group beside its name and path; what is absent stays.
    #[derive(Default)]
    pub struct GroupFields {
        /// What it is for.
        pub description: Patch<String>,
        /// Who sees it.
        pub visibility: Option<Visibility>,
        /// Who may create projects in it.
        pub project_creation_level: Option<ProjectCreation>,
        /// Who may create groups in it.
        pub subgroup_creation_level: Option<SubgroupCreation>,
        /// Projects in it cannot be shared.
        pub share_with_group_lock: Option<bool>,
        /// Members need two factors.
        pub require_two_factor_authentication: Option<bool>,
        /// Hours they have to set up the second.
        pub two_factor_grace_period: Option<i64>,
        /// Sends mail.
        pub emails_enabled: Option<bool>,
        /// Cannot be mentioned.
        pub mentions_disabled: Option<bool>,
        /// Large files.
        pub lfs_enabled: Option<bool>,
        /// Users may ask for access.
        pub request_access_enabled: Option<bool>,
        /// It has epics, unless a group above it has none.
        pub epics_enabled: Option<bool>,
        /// Its projects have lists of dependencies and exports of them, unless a group above
        /// it has none.
        pub dependency_exports_enabled: Option<bool>,
        /// Its projects may follow repositories elsewhere, unless a group above it has none
        /// do so.
        pub pull_mirror_enabled: Option<bool>,
        /// Bytes that the code and large files of each project in it may have, 0 for any
        /// number, null as the group above it has it; for administrators.
        pub repository_size_limit: Patch<i64>,
        /// Of its new projects.
        pub default_branch: Option<String>,
        /// Who may push to that branch, as a number: 0 Developers, 1 they push, 2
        /// Maintainers, 3 Developers merge, 4 Developers make the first push.
        pub default_branch_protection: Option<i64>,
        /// The same in full.
        pub default_branch_protection_defaults: Option<BranchProtectionInput>,
    }
}

kernel::params! {
    /// What a group may be changed to.
    #[derive(Default)]
    pub struct GroupChange {
        /// Display name.
        pub name: Option<String>,
        /// Last part of its address.
        pub path: Option<String>,
        pub fields: Flat<GroupFields>,
    }
}

/// Makes a group whose first owner is the viewer.
pub fn create_group(
    tx: &mut Tx<'_>, viewer: &Viewer, parent_id: Option<i64>, change: &GroupChange,
) -> Result<Namespace> {
    let signed_in = viewer.signed_in()?;
    let parent = new_parent(tx, viewer, parent_id)?;
    let visibility = change.fields.visibility.unwrap_or(Visibility::of(PRIVATE));
    let place = Place {
        parent,
        name: change.name.clone().unwrap_or_default(),
        path: change.path.clone().unwrap_or_default(),
    };
    check_group(&place, change, visibility)?;
    check_size_limit(viewer, &change.fields.repository_size_limit)?;
    let saved = namespaces::insert_group(tx, &place, visibility.level(), signed_in.user.id)?;
    let group = reread(tx, saved)?;
    write_group(tx, &group, change, visibility.level())?;
    add_owner(tx, "Group", saved, signed_in.user.id)?;
    audit::record(tx, viewer, "group.create", of_group(&group), json!({}))?;
    reread(tx, saved)
}

fn reread(tx: &mut Tx<'_>, id: i64) -> Result<Namespace> {
    access::find_group(tx, &Reference::Id(id))?.found("Group")
}

/// Where a group may go: below one, or to the top.
fn new_parent(tx: &mut Tx<'_>, viewer: &Viewer, id: Option<i64>) -> Result<Option<Namespace>> {
    if let Some(id) = id {
        let (id, purpose) = (Reference::Id(id), Purpose::CreateSubgroup);
        return access::group(tx, viewer, &id, purpose).map(Some);
    }
    viewer.signed_in()?;
    match may_create_top_group(viewer) {
        true => Ok(None),
        false => Err(Error::forbidden("")),
    }
}

pub fn may_create_top_group(viewer: &Viewer) -> bool {
    let Viewer::User(signed_in) = viewer else {
        return false;
    };
    let user = &signed_in.user;
    let may = user.is_human()
        && user.can_create_group
        && !user.is_external
        && signed_in.bot_source.is_none();
    may || viewer.is_admin()
}

fn check_group(place: &Place, change: &GroupChange, visibility: Visibility) -> Result<()> {
    let mut problems = Problems::default();
    place.problems(&mut problems);
    check_description(&change.fields.description, &mut problems);
    problems.check()?;
    if let Some(hours) = change.fields.two_factor_grace_period {
        identity::two_factor::settings::check_grace(hours)?;
    }
    access::check_visibility(visibility, place.parent.as_ref())
}

fn write_group(
    tx: &mut Tx<'_>, group: &Namespace, change: &GroupChange, visibility: i64,
) -> Result<()> {
    let (mut after, new) = (group.clone(), &change.fields);
    after.visibility = visibility;
    let projects = new.project_creation_level.map(|level| level.to_string());
    let subgroups = new.subgroup_creation_level.map(|level| level.to_string());
    set(&mut after.description, &text(&new.description));
    set(&mut after.project_creation_level, &projects);
    set(&mut after.subgroup_creation_level, &subgroups);
    set(&mut after.share_with_group_lock, &new.share_with_group_lock);
    set(&mut after.require_two_factor, &new.require_two_factor_authentication);
    set(&mut after.two_factor_grace_period, &new.two_factor_grace_period);
    set(&mut after.emails_enabled, &new.emails_enabled);
    set(&mut after.lfs_enabled, &new.lfs_enabled);
    set(&mut after.request_access_enabled, &new.request_access_enabled);
    set(&mut after.epics_enabled, &new.epics_enabled);
    set(&mut after.dependency_exports_enabled, &new.dependency_exports_enabled);
    set(&mut after.pull_mirror_enabled, &new.pull_mirror_enabled);
    after.mentions_disabled = new.mentions_disabled.or(after.mentions_disabled);
    after.default_branch = new.default_branch.clone().or(after.default_branch);
    if let Some(limit) = new.repository_size_limit.clone().sent() {
        size_limits::set_of_group(tx, group.id, limit)?;
    }
    after.branch_protection = branch_protection(group, new)?;
    rows::write(tx, &after)
}

fn branch_protection(
    group: &Namespace, new: &GroupFields,
) -> Result<Option<Json<BranchProtection>>> {
    let numbered = new.default_branch_protection.map(BranchProtection::of_number).transpose()?;
    let before = numbered.or_else(|| group.branch_protection.clone().map(|Json(own)| own));
    let after = match &new.default_branch_protection_defaults {
        Some(input) => Some(input.over(before.unwrap_or_default())?),
        None => before,
    };
    Ok(after.map(Json))
}

/// Changes a group; a new name or path moves everything below it.
pub fn update_group(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, change: &GroupChange,
) -> Result<Namespace> {
    let group = access::group(tx, viewer, reference, Purpose::Update)?;
    let parent = parent_of(tx, &group)?;
    let place = Place {
        parent,
        name: change.name.clone().unwrap_or_else(|| group.name.clone()),
        path: change.path.clone().unwrap_or_else(|| group.path.clone()),
    };
    let visibility = change.fields.visibility;
    let visibility = visibility.unwrap_or(Visibility::of(group.visibility));
    check_group(&place, change, visibility)?;
    check_size_limit(viewer, &change.fields.repository_size_limit)?;
    if visibility.level() < group.visibility {
        check_nothing_wider(tx, &group, visibility)?;
    }
    if place.name != group.name || place.path != group.path {
        namespaces::replace(tx, &group, &place)?.check()?;
    }
    write_group(tx, &group, change, visibility.level())?;
    let details = json!({"path": place.full_path()});
    audit::record(tx, viewer, "group.update", of_group(&group), details)?;
    reread(tx, group.id)
}

fn parent_of(tx: &mut Tx<'_>, group: &Namespace) -> Result<Option<Namespace>> {
    match group.parent_id {
        Some(id) => access::find_group(tx, &Reference::Id(id)),
        None => Ok(None),
    }
}

/// What stands in a group may not be seen by more than the group.
fn check_nothing_wider(tx: &mut Tx<'_>, group: &Namespace, wanted: Visibility) -> Result<()> {
    let text = "is not allowed since this group contains things with higher visibility.";
    match rows::has_wider(tx, group, wanted.level())? {
        false => Ok(()),
        true => Err(Error::invalid("visibility_level", format!("{wanted} {text}"))),
    }
}

pub fn transfer_group(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, to: Option<i64>,
) -> Result<Namespace> {
    let group = access::group(tx, viewer, reference, Purpose::Transfer)?;
    let refuse = |reason: &str| Err(Error::BadRequest(format!("Transfer failed: {reason}")));
    let parent = new_parent(tx, viewer, to)?;
    if parent.as_ref().map(|parent| parent.id) == group.parent_id {
        return refuse("The group is already there.");
    }
    if let Some(parent) = &parent {
        if parent.lineage.starts_with(&group.lineage) {
            return refuse("A group cannot move below itself.");
        }
        if parent.visibility < group.visibility {
            return refuse("The group would be more visible than what it would stand in.");
        }
    }
    let deepest = rows::deepest(tx, &group)?;
    let below = parent.as_ref().map_or(0, |parent| parent.depth + 1);
    if below + deepest - group.depth >= crate::model::MAX_DEPTH {
        return refuse("Groups would be nested too deeply.");
    }
    hooks::check_group_settled(tx, &group, false)?;
    let place = Place { parent, name: group.name.clone(), path: group.path.clone() };
    // What is reserved depends on where a group stands.
    if let Some(problem) = path_error(&place.path, place.parent.is_none()) {
        return refuse(&format!("The path {problem} there."));
    }
    let taken = namespaces::replace(tx, &group, &place)?;
    if taken.any() {
        let what = if taken.path { "path" } else { "name" };
        return refuse(&format!("The {what} has already been taken there."));
    }
    let details = json!({"to": place.full_path()});
    audit::record(tx, viewer, "group.transfer", of_group(&group), details)?;
    reread(tx, group.id)
}

/// Hides a group with all below it and leaves the work to a job.
pub fn destroy_group(tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace) -> Result<()> {
    hooks::check_group_settled(tx, group, true)?;
    audit::record(tx, viewer, "group.destroy", of_group(group), json!({}))?;
    schedule_namespace(tx, group)
}

/// Hides a namespace with all below it, frees its paths and enqueues the job
/// that deletes it.
pub fn schedule_namespace(tx: &mut Tx<'_>, namespace: &Namespace) -> Result<()> {
    let now = tx.now();
    rows::hide(tx, namespace)?;
    let job = DestroyNamespace { namespace: namespace.id };
    enqueue_at(tx, &job, now)
}
