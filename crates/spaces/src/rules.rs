//! What changes groups and projects, and what must hold.

use crate::access::{self, OWNER, Purpose};
use crate::jobs::{DestroyNamespace, DestroyProject};
use crate::model::{
    MAX_DESCRIPTION, Namespace, PRIVATE, Problems, Project, Visibility, path_error,
};
use crate::namespaces::{self, Place};
use crate::project_select;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::ids::{Reference, fold};
use kernel::jobs::enqueue_at;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::{Json, Tx, sql};

/// Writes an audit record of what the viewer did.
pub fn record(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    action: &'static str,
    target: (&'static str, i64, &str),
    details: Value,
) -> Result<()> {
    let record = audit::Record {
        author_id: viewer.author_id(),
        action,
        target_type: target.0,
        target_id: target.1,
        target_name: target.2,
        details,
        ip_address: viewer.ip_address(),
    };
    Ok(audit::write(tx, record)?)
}

fn of_group(group: &Namespace) -> (&'static str, i64, &str) {
    ("Group", group.id, &group.full_path)
}

fn of_project(project: &Project) -> (&'static str, i64, &str) {
    ("Project", project.id, &project.full_path)
}

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
    let saved = check_group(&place, change, visibility)
        .and_then(|()| namespaces::insert_group(tx, &place, visibility.level(), signed_in.user.id))
        .and_then(|id| id.ok_or_else(|| Error::invalid("path", "has already been taken")))
        .map_err(failed_to_save)?;
    let group = access::find_group(tx, &Reference::Id(saved))?.ok_or(Error::NotFound("Group"))?;
    write_group(tx, &group, change, visibility.level())?;
    add_owner(tx, "Group", saved, signed_in.user.id)?;
    record(tx, viewer, "group.create", of_group(&group), json!({}))?;
    access::find_group(tx, &Reference::Id(saved))?.ok_or(Error::NotFound("Group"))
}

/// No parent, for those who may have groups without one.
fn at_the_top(viewer: &Viewer) -> Result<Option<Namespace>> {
    let signed_in = viewer.signed_in()?;
    let user = &signed_in.user;
    let may = user.is_human()
        && user.can_create_group
        && !user.is_external
        && signed_in.bot_source.is_none();
    match may || viewer.is_admin() {
        true => Ok(None),
        false => Err(Error::forbidden("")),
    }
}

/// The form in which clients expect an unusable new group.
fn failed_to_save(error: Error) -> Error {
    let Error::Invalid(fields) = error else {
        return error;
    };
    let fields: serde_json::Map<String, Value> = fields
        .into_iter()
        .map(|(name, messages)| (name, json!(messages)))
        .collect();
    let message = format!("Failed to save group {}", Value::Object(fields));
    Error::Exact(400, json!({"message": message}))
}

fn check_group(place: &Place, change: &GroupChange, visibility: Visibility) -> Result<()> {
    let mut problems = Problems::default();
    place.problems(&mut problems);
    check_description(change.description.as_deref(), &mut problems);
    problems.check()?;
    access::check_visibility(visibility, place.parent.as_ref())
}

fn check_description(text: Option<&str>, problems: &mut Problems) {
    if text.is_some_and(|text| text.chars().count() > MAX_DESCRIPTION) {
        problems.add("description", "is too long (maximum is 2000 characters)");
    }
}

fn add_owner(tx: &mut Tx<'_>, kind: &str, id: i64, user_id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into members (source_type, source_id, user_id, access_level, created_by_id,
                created_at, updated_at) values ($1, $2, $3, $4, $3, $5, $5)
             on conflict (source_type, source_id, user_id) do nothing"
        ),
        (kind, id, user_id, OWNER, now),
    )?;
    Ok(())
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
                default_branch = $12, updated_at = $13 where id = $1"
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
        move_group(tx, &group, &place)?;
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

fn move_group(tx: &mut Tx<'_>, group: &Namespace, place: &Place) -> Result<()> {
    match namespaces::replace(tx, group, place)? {
        true => Ok(()),
        false => Err(Error::invalid("path", "has already been taken")),
    }
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
    if !namespaces::replace(tx, &group, &place)? {
        return refuse("The path has already been taken there.");
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
            "update projects set deletion_scheduled_at = $3,
                full_path_folded = '-/deleted/' || cast(id as text)
             where namespace_id in
                (select n.id from namespaces n where n.lineage >= $1 and n.lineage < $2)"
        ),
        (&namespace.lineage, &end, now),
    )?;
    tx.execute(
        sql!(
            "update namespaces set deletion_scheduled_at = $3, owner_id = null,
                full_path_folded = '-/deleted/group/' || cast(id as text)
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

/// What a project may be changed to; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "named as the columns")]
pub struct ProjectChange {
    pub name: Option<String>,
    pub path: Option<String>,
    pub description: Option<String>,
    pub visibility: Option<Visibility>,
    pub default_branch: Option<String>,
    pub topics: Option<Vec<String>>,
    pub merge_method: Option<String>,
    pub squash_option: Option<String>,
    pub request_access_enabled: Option<bool>,
    pub packages_enabled: Option<bool>,
    pub features: BTreeMap<String, String>,
}

/// Makes a project in a namespace already found fit for it.
pub fn create_project(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    namespace: &Namespace,
    creator_id: i64,
    change: &ProjectChange,
) -> Result<Project> {
    let (name, path) = name_and_path(change)?;
    let visibility = change.visibility.unwrap_or(Visibility::of(PRIVATE));
    check_project(&name, &path, change)?;
    access::check_visibility(visibility, Some(namespace))?;
    let full_path = format!("{}/{path}", namespace.full_path);
    let taken = || Error::invalid("path", "has already been taken");
    if namespaces::is_taken(tx, &full_path)? {
        return Err(taken());
    }
    let now = tx.now();
    let folded = fold(&full_path);
    let id: Option<i64> = tx.optional(
        sql!(
            "insert into projects (namespace_id, name, name_folded, path, full_path,
                full_path_folded, visibility, topics, creator_id, features, last_activity_at,
                created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $11)
             on conflict (full_path_folded) do nothing returning id"
        ),
        (
            namespace.id,
            &name,
            fold(&name),
            &path,
            &full_path,
            &folded,
            visibility.level(),
            json!([]),
            creator_id,
            json!({}),
            now,
        ),
    )?;
    let id = id.ok_or_else(taken)?;
    tx.execute(
        sql!("delete from project_redirects where full_path_folded = $1"),
        (&folded,),
    )?;
    if let Some(owner) = namespace.owner_id {
        add_owner(tx, "Project", id, owner)?;
    }
    let project = reread(tx, id)?;
    write_project(tx, &project, change, visibility.level())?;
    record(
        tx,
        viewer,
        "project.create",
        of_project(&project),
        json!({}),
    )?;
    reread(tx, id)
}

fn reread(tx: &mut Tx<'_>, id: i64) -> Result<Project> {
    access::find_project(tx, &Reference::Id(id))?.ok_or(Error::NotFound("Project"))
}

fn name_and_path(change: &ProjectChange) -> Result<(String, String)> {
    match (&change.name, &change.path) {
        (Some(name), Some(path)) => Ok((name.clone(), path.clone())),
        (Some(name), None) => Ok((name.clone(), path_from(name))),
        (None, Some(path)) => Ok((path.clone(), path.clone())),
        (None, None) => Err(Error::Parameters(vec![
            "name, path are missing, at least one parameter must be provided".into(),
        ])),
    }
}

/// A path made of a name: lower case, other characters as single dashes.
fn path_from(name: &str) -> String {
    let mut path = String::new();
    for c in fold(name).chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') {
            path.push(c);
        } else if !path.is_empty() && !path.ends_with('-') {
            path.push('-');
        }
    }
    path.trim_matches(['-', '.']).to_owned()
}

fn check_project(name: &str, path: &str, change: &ProjectChange) -> Result<()> {
    let mut problems = Problems::default();
    problems.note("name", crate::model::name_error(name));
    problems.note("path", path_error(path, false));
    check_description(change.description.as_deref(), &mut problems);
    let topics = change.topics.as_deref().unwrap_or_default();
    if topics
        .iter()
        .any(|topic| topic.is_empty() || topic.chars().count() > 255)
    {
        problems.add("topics", "must be 1 to 255 characters each");
    }
    for (feature, level) in &change.features {
        let allowed: &[&str] = match feature.as_str() {
            "pages" | "package_registry" => &["disabled", "private", "enabled", "public"],
            _ => &["disabled", "private", "enabled"],
        };
        if !allowed.contains(&level.as_str()) {
            problems.add(
                &format!("{feature}_access_level"),
                "is not included in the list",
            );
        }
    }
    problems.check()
}

fn write_project(
    tx: &mut Tx<'_>,
    project: &Project,
    change: &ProjectChange,
    visibility: i64,
) -> Result<()> {
    let now = tx.now();
    let mut features = project.features.0.clone();
    features.extend(change.features.clone());
    let registry = change
        .features
        .get("package_registry")
        .map(|level| level != "disabled");
    let packages_enabled = registry
        .or(change.packages_enabled)
        .unwrap_or(project.packages_enabled);
    if change.packages_enabled == Some(true)
        && features
            .get("package_registry")
            .is_some_and(|level| level == "disabled")
    {
        features.remove("package_registry");
    }
    let mut topics = change
        .topics
        .clone()
        .unwrap_or_else(|| project.topics.0.clone());
    let mut seen = std::collections::HashSet::new();
    topics.retain(|topic| seen.insert(fold(topic)));
    tx.execute(
        sql!(
            "update projects set description = $2, visibility = $3, default_branch = $4,
                topics = $5, merge_method = $6, squash_option = $7, request_access_enabled = $8,
                packages_enabled = $9, features = $10, updated_at = $11, last_activity_at = $11
             where id = $1"
        ),
        (
            project.id,
            change.description.as_ref().or(project.description.as_ref()),
            visibility,
            change
                .default_branch
                .as_ref()
                .or(project.default_branch.as_ref()),
            Json(topics),
            change
                .merge_method
                .as_ref()
                .unwrap_or(&project.merge_method),
            change
                .squash_option
                .as_ref()
                .unwrap_or(&project.squash_option),
            change
                .request_access_enabled
                .unwrap_or(project.request_access_enabled),
            packages_enabled,
            Json(features),
            now,
        ),
    )?;
    Ok(())
}

/// Changes a project; a new path leaves a redirect.
pub fn update_project(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    reference: &Reference,
    change: &ProjectChange,
) -> Result<Project> {
    let project = access::project(tx, viewer, reference, Purpose::Update)?;
    let name = change.name.clone().unwrap_or_else(|| project.name.clone());
    let path = change.path.clone().unwrap_or_else(|| project.path.clone());
    check_project(&name, &path, change)?;
    let visibility = change
        .visibility
        .unwrap_or(Visibility::of(project.visibility));
    if visibility.level() != project.visibility {
        let home = home_of(tx, &project)?;
        access::check_visibility(visibility, Some(&home))?;
    }
    if path != project.path {
        let namespace = (project.namespace_id, project.namespace_full_path.as_str());
        if !namespaces::replace_project(tx, &project, namespace, &path)? {
            return Err(Error::invalid("path", "has already been taken"));
        }
    }
    tx.execute(
        sql!("update projects set name = $2, name_folded = $3 where id = $1"),
        (project.id, &name, fold(&name)),
    )?;
    write_project(tx, &project, change, visibility.level())?;
    record(
        tx,
        viewer,
        "project.update",
        of_project(&project),
        json!({"path": path}),
    )?;
    reread(tx, project.id)
}

fn home_of(tx: &mut Tx<'_>, project: &Project) -> Result<Namespace> {
    access::find_namespace(tx, &Reference::Id(project.namespace_id))?
        .ok_or(Error::NotFound("Namespace"))
}

/// The namespace in which the viewer may create projects, by reference.
pub fn namespace_for_projects(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    reference: &Reference,
) -> Result<Namespace> {
    let found = access::find_namespace(tx, reference)?.ok_or(Error::NotFound("Namespace"))?;
    if found.is_group() {
        let by_id = Reference::Id(found.id);
        return access::group(tx, viewer, &by_id, Purpose::CreateProject).map_err(
            |error| match error {
                Error::NotFound(_) => Error::NotFound("Namespace"),
                other => other,
            },
        );
    }
    match viewer.is_admin() || (found.owner_id.is_some() && found.owner_id == viewer.user_id()) {
        true => Ok(found),
        false => Err(Error::forbidden("")),
    }
}

/// Moves a project to another namespace and leaves a redirect.
pub fn transfer_project(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    reference: &Reference,
    to: &Reference,
) -> Result<Project> {
    let project = access::project(tx, viewer, reference, Purpose::Transfer)?;
    let home = namespace_for_projects(tx, viewer, to)?;
    let refuse = |reason: &str| Err(Error::BadRequest(reason.to_owned()));
    if home.id == project.namespace_id {
        return refuse("Project is already in this namespace.");
    }
    if access::widest_below(Some(&home)) < project.visibility {
        return refuse("Project would be more visible than the namespace it would stand in.");
    }
    let place = (home.id, home.full_path.as_str());
    if !namespaces::replace_project(tx, &project, place, &project.path)? {
        return refuse("Project with same name or path in target namespace already exists");
    }
    if let Some(owner) = home.owner_id {
        add_owner(tx, "Project", project.id, owner)?;
    }
    record(
        tx,
        viewer,
        "project.transfer",
        of_project(&project),
        json!({"to": home.full_path}),
    )?;
    reread(tx, project.id)
}

/// Makes a project read-only, or writable again.
pub fn archive_project(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    reference: &Reference,
    archived: bool,
) -> Result<Project> {
    let project = access::project(tx, viewer, reference, Purpose::Archive)?;
    let now = tx.now();
    tx.execute(
        sql!("update projects set archived = $2, updated_at = $3 where id = $1"),
        (project.id, archived, now),
    )?;
    let action = if archived {
        "project.archive"
    } else {
        "project.unarchive"
    };
    record(tx, viewer, action, of_project(&project), json!({}))?;
    reread(tx, project.id)
}

/// Stars or unstars a project; `None` when nothing changes.
pub fn star_project(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    reference: &Reference,
    starred: bool,
) -> Result<Option<Project>> {
    let project = access::project(tx, viewer, reference, Purpose::Join)?;
    let user_id = viewer.signed_in()?.user.id;
    let now = tx.now();
    let changed = match starred {
        true => tx.execute(
            sql!(
                "insert into stars (project_id, user_id, created_at) values ($1, $2, $3)
                 on conflict (project_id, user_id) do nothing"
            ),
            (project.id, user_id, now),
        )?,
        false => tx.execute(
            sql!("delete from stars where project_id = $1 and user_id = $2"),
            (project.id, user_id),
        )?,
    };
    if changed == 0 {
        return Ok(None);
    }
    let by: i64 = if starred { 1 } else { -1 };
    tx.execute(
        sql!("update projects set star_count = star_count + $2 where id = $1"),
        (project.id, by),
    )?;
    reread(tx, project.id).map(Some)
}

/// Hides a project at once, frees its path and leaves the rest to a job.
pub fn destroy_project(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update projects set deletion_scheduled_at = $2,
                full_path_folded = '-/deleted/' || cast(id as text) where id = $1"
        ),
        (project.id, now),
    )?;
    tx.execute(
        sql!("delete from project_redirects where project_id = $1"),
        (project.id,),
    )?;
    record(
        tx,
        viewer,
        "project.destroy",
        of_project(project),
        json!({}),
    )?;
    enqueue_at(
        tx,
        &DestroyProject {
            project: project.id,
        },
        now,
    )
}

/// Projects that stand right in a namespace, also those being deleted.
pub fn projects_in(tx: &mut Tx<'_>, namespace_id: i64) -> Result<Vec<i64>> {
    let rows: Vec<Project> = tx.all(
        sql!(project_select!(
            "where projects.namespace_id = $1 order by projects.id"
        )),
        (namespace_id,),
    )?;
    Ok(rows.into_iter().map(|project| project.id).collect())
}

/// Shares a project or group with a group.
pub fn share(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    source: (&'static str, i64, &str),
    with: &Namespace,
    level: i64,
    expires_at: Option<String>,
) -> Result<()> {
    if !access::GRANTABLE.contains(&level) {
        return Err(Error::Parameters(vec![
            "group_access does not have a valid value".into(),
        ]));
    }
    let now = tx.now();
    let made = tx.execute(
        sql!(
            "insert into shares (source_type, source_id, group_id, access_level, expires_at,
                created_at) values ($1, $2, $3, $4, $5, $6)
             on conflict (source_type, source_id, group_id) do nothing"
        ),
        (source.0, source.1, with.id, level, expires_at, now),
    )?;
    if made == 0 {
        return Err(Error::Conflict("Already shared with this group".into()));
    }
    record(
        tx,
        viewer,
        "share.create",
        source,
        json!({"group_id": with.id, "access_level": level}),
    )
}

/// Ends a share.
pub fn unshare(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    source: (&'static str, i64, &str),
    group_id: i64,
) -> Result<()> {
    let gone = tx.execute(
        sql!("delete from shares where source_type = $1 and source_id = $2 and group_id = $3"),
        (source.0, source.1, group_id),
    )?;
    if gone == 0 {
        return Err(Error::NotFound(""));
    }
    record(
        tx,
        viewer,
        "share.destroy",
        source,
        json!({"group_id": group_id}),
    )
}
