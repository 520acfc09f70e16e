//! Rules of groups.

use super::{add_owner, check_description, of_group, record};
use crate::access::{self, Purpose};
use crate::jobs::DestroyNamespace;
use crate::model::{Namespace, PRIVATE, Problems, Visibility, path_error};
use crate::namespaces::{self, Place};
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use serde_json::json;
use store::{Tx, sql};

/// What a group may be changed to; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "named as the columns")]
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
    let parent = match parent_id {
        Some(id) => Some(access::group(
            tx,
            viewer,
            &Reference::Id(id),
            Purpose::CreateSubgroup,
        )?),
        None => at_the_top(viewer)?,
    };
    let visibility = change.visibility.unwrap_or(Visibility::of(PRIVATE));
    let place = Place {
        parent,
        name: change.name.clone().unwrap_or_default(),
        path: change.path.clone().unwrap_or_default(),
    };
    check_group(&place, change, visibility)?;
    let saved = namespaces::insert_group(tx, &place, visibility.level(), signed_in.user.id)?;
    let group = access::find_group(tx, &Reference::Id(saved))?.ok_or(Error::NotFound("Group"))?;
    write_group(tx, &group, change, visibility.level())?;
    add_owner(tx, "Group", saved, signed_in.user.id)?;
    record(tx, viewer, "group.create", of_group(&group), json!({}))?;
    access::find_group(tx, &Reference::Id(saved))?.ok_or(Error::NotFound("Group"))
}

/// No parent, for those who may have groups without one.
fn at_the_top(viewer: &Viewer) -> Result<Option<Namespace>> {
    viewer.signed_in()?;
    match may_create_top_group(viewer) {
        true => Ok(None),
        false => Err(Error::forbidden("")),
    }
}

/// Whether the viewer may have groups without a parent.
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
    let now = tx.now();
    tx.execute(
        sql!(
            "update namespaces set description = $2, visibility = $3,
                project_creation_level = $4, subgroup_creation_level = $5,
                share_with_group_lock = $6, require_two_factor = $7, emails_enabled = $8,
                mentions_disabled = $9, lfs_enabled = $10, request_access_enabled = $11,
                default_branch = $12, updated_at = $13, two_factor_grace_period = $14
             where id = $1"
        ),
        (
            group.id,
            change.description.as_ref().unwrap_or(&group.description),
            visibility,
            change
                .project_creation_level
                .as_ref()
                .unwrap_or(&group.project_creation_level),
            change
                .subgroup_creation_level
                .as_ref()
                .unwrap_or(&group.subgroup_creation_level),
            change
                .share_with_group_lock
                .unwrap_or(group.share_with_group_lock),
            change
                .require_two_factor
                .unwrap_or(group.require_two_factor),
            change.emails_enabled.unwrap_or(group.emails_enabled),
            change.mentions_disabled.or(group.mentions_disabled),
            change.lfs_enabled.unwrap_or(group.lfs_enabled),
            change
                .request_access_enabled
                .unwrap_or(group.request_access_enabled),
            change
                .default_branch
                .as_ref()
                .or(group.default_branch.as_ref()),
            now,
            change
                .two_factor_grace_period
                .unwrap_or(group.two_factor_grace_period),
        ),
    )?;
    Ok(())
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
    record(
        tx,
        viewer,
        "group.update",
        of_group(&group),
        json!({"path": place.full_path()}),
    )?;
    access::find_group(tx, &Reference::Id(group.id))?.ok_or(Error::NotFound("Group"))
}

fn parent_of(tx: &mut Tx<'_>, group: &Namespace) -> Result<Option<Namespace>> {
    match group.parent_id {
        Some(id) => access::find_group(tx, &Reference::Id(id)),
        None => Ok(None),
    }
}

/// What stands in a group may not be seen by more than the group.
fn check_nothing_wider(tx: &mut Tx<'_>, group: &Namespace, wanted: Visibility) -> Result<()> {
    let end = format!("{}:", group.lineage);
    let wider: Option<i64> = tx.optional(
        sql!(
            "select n.id from namespaces n where n.lineage > $1 and n.lineage < $2
                and n.visibility > $3 and n.deletion_scheduled_at is null
             union all
             select p.id from projects p join namespaces n on n.id = p.namespace_id
             where n.lineage >= $1 and n.lineage < $2 and p.visibility > $3
                and p.deletion_scheduled_at is null"
        ),
        (&group.lineage, &end, wanted.level()),
    )?;
    match wider {
        None => Ok(()),
        Some(_) => Err(Error::invalid(
            "visibility_level",
            format!(
                "{wanted} is not allowed since this group contains things with higher visibility."
            ),
        )),
    }
}

/// Moves a group below another, or to the top.
pub fn transfer_group(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    reference: &Reference,
    to: Option<i64>,
) -> Result<Namespace> {
    let group = access::group(tx, viewer, reference, Purpose::Transfer)?;
    let refuse = |reason: &str| Err(Error::BadRequest(format!("Transfer failed: {reason}")));
    let parent = match to {
        Some(id) => Some(access::group(
            tx,
            viewer,
            &Reference::Id(id),
            Purpose::CreateSubgroup,
        )?),
        None => at_the_top(viewer)?,
    };
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
    let end = format!("{}:", group.lineage);
    let deepest: i64 = tx.one(
        sql!("select max(depth) from namespaces where lineage >= $1 and lineage < $2"),
        (&group.lineage, &end),
    )?;
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
    record(
        tx,
        viewer,
        "group.transfer",
        of_group(&group),
        json!({"to": place.full_path()}),
    )?;
    access::find_group(tx, &Reference::Id(group.id))?.ok_or(Error::NotFound("Group"))
}

/// Hides a group with all below it and leaves the work to a job.
pub fn destroy_group(tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace) -> Result<()> {
    record(tx, viewer, "group.destroy", of_group(group), json!({}))?;
    schedule_namespace(tx, group)
}

/// Hides a namespace with all below it, frees its paths and enqueues the job
/// that deletes it.
pub fn schedule_namespace(tx: &mut Tx<'_>, namespace: &Namespace) -> Result<()> {
    let now = tx.now();
    let end = format!("{}:", namespace.lineage);
    tx.execute(
        sql!(
            "update projects set deletion_scheduled_at = $3, unique_name = null,
                full_path_folded = '-/deleted/' || cast(id as text)
             where namespace_id in
                (select n.id from namespaces n where n.lineage >= $1 and n.lineage < $2)"
        ),
        (&namespace.lineage, &end, now),
    )?;
    tx.execute(
        sql!(
            "update namespaces set deletion_scheduled_at = $3, owner_id = null,
                unique_name = null, full_path_folded = '-/deleted/group/' || cast(id as text)
             where lineage >= $1 and lineage < $2"
        ),
        (&namespace.lineage, &end, now),
    )?;
    enqueue_at(
        tx,
        &DestroyNamespace {
            namespace: namespace.id,
        },
        now,
    )
}
