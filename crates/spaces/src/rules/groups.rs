//! Rules of groups.

use super::{add_owner, check_description, of_group, set};
use crate::access::{self, Purpose};
use crate::model::{Namespace, PRIVATE, Problems, Visibility, path_error};
use crate::namespaces::{self, Place};
use crate::store::groups as rows;
use crate::tasks::DestroyNamespace;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use serde_json::json;
use store::Tx;

/// What a group may be changed to; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
pub struct GroupChange {
    pub name: Option<String>,
    pub path: Option<String>,
    pub description: Option<String>,
    pub visibility: Option<Visibility>,
    pub project_creation_level: Option<String>,
    pub subgroup_creation_level: Option<String>,
    pub share_with_group_lock: Option<bool>,
    pub require_two_factor: Option<bool>,
    pub two_factor_grace_period: Option<i64>,
    pub emails_enabled: Option<bool>,
    pub mentions_disabled: Option<bool>,
    pub lfs_enabled: Option<bool>,
    pub request_access_enabled: Option<bool>,
    pub default_branch: Option<String>,
}

/// Makes a group whose first owner is the viewer.
pub fn create_group(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    parent_id: Option<i64>,
    change: &GroupChange,
) -> Result<Namespace> {
    let signed_in = viewer.signed_in()?;
    let parent = new_parent(tx, viewer, parent_id)?;
    let visibility = change.visibility.unwrap_or(Visibility::of(PRIVATE));
    let place = Place {
        parent,
        name: change.name.clone().unwrap_or_default(),
        path: change.path.clone().unwrap_or_default(),
    };
    check_group(&place, change, visibility)?;
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
    check_description(change.description.as_deref(), &mut problems);
    problems.check()?;
    if let Some(hours) = change.two_factor_grace_period {
        identity::two_factor::settings::check_grace(hours)?;
    }
    access::check_visibility(visibility, place.parent.as_ref())
}

fn write_group(
    tx: &mut Tx<'_>,
    group: &Namespace,
    change: &GroupChange,
    visibility: i64,
) -> Result<()> {
    let mut after = group.clone();
    after.visibility = visibility;
    set(&mut after.description, &change.description);
    set(
        &mut after.project_creation_level,
        &change.project_creation_level,
    );
    set(
        &mut after.subgroup_creation_level,
        &change.subgroup_creation_level,
    );
    set(
        &mut after.share_with_group_lock,
        &change.share_with_group_lock,
    );
    set(&mut after.require_two_factor, &change.require_two_factor);
    set(
        &mut after.two_factor_grace_period,
        &change.two_factor_grace_period,
    );
    set(&mut after.emails_enabled, &change.emails_enabled);
    set(&mut after.lfs_enabled, &change.lfs_enabled);
    set(
        &mut after.request_access_enabled,
        &change.request_access_enabled,
    );
    after.mentions_disabled = change.mentions_disabled.or(after.mentions_disabled);
    after.default_branch = change.default_branch.clone().or(after.default_branch);
    rows::write(tx, &after)
}

/// Changes a group; a new name or path moves everything below it.
pub fn update_group(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    reference: &Reference,
    change: &GroupChange,
) -> Result<Namespace> {
    let group = access::group(tx, viewer, reference, Purpose::Update)?;
    let parent = parent_of(tx, &group)?;
    let place = Place {
        parent,
        name: change.name.clone().unwrap_or_else(|| group.name.clone()),
        path: change.path.clone().unwrap_or_else(|| group.path.clone()),
    };
    let visibility = change
        .visibility
        .unwrap_or(Visibility::of(group.visibility));
    check_group(&place, change, visibility)?;
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
        true => Err(Error::invalid(
            "visibility_level",
            format!("{wanted} {text}"),
        )),
    }
}

pub fn transfer_group(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    reference: &Reference,
    to: Option<i64>,
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
    let place = Place {
        parent,
        name: group.name.clone(),
        path: group.path.clone(),
    };
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
    audit::record(tx, viewer, "group.destroy", of_group(group), json!({}))?;
    schedule_namespace(tx, group)
}

/// Hides a namespace with all below it, frees its paths and enqueues the job
/// that deletes it.
pub fn schedule_namespace(tx: &mut Tx<'_>, namespace: &Namespace) -> Result<()> {
    let now = tx.now();
    rows::hide(tx, namespace)?;
    let job = DestroyNamespace {
        namespace: namespace.id,
    };
    enqueue_at(tx, &job, now)
}
