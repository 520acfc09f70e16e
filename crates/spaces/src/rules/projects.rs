//! Rules of projects.

use super::forks;
use super::{add_owner, check_description, check_size_limit, of_project, set, text};
use crate::access::{self, OWNER, Purpose};
use crate::activity::{self, Action, PROJECT, Target, Where};
use crate::ci_settings::CiSettingsChange;
use crate::features::Features;
use crate::hooks;
use crate::merge_settings::MergeSettingsChange;
use crate::mirror_settings::MirrorSettingsChange;
use crate::model::{Namespace, OverrideRole, PRIVATE, Problems, Project, Visibility, path_error};
use crate::namespaces::{self, Taken};
use crate::store::forks as fork_rows;
use crate::store::projects::{self as rows, NewProject};
use crate::store::size_limits;
use crate::store::stars;
use crate::tasks::DestroyProject;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{CONFLICT, Error, Found, Result};
use kernel::http::{Flat, Patch};
use kernel::ids::{Reference, fold};
use kernel::jobs::enqueue_at;
use kernel::secrets::Secrets;
use serde_json::json;
use store::{Json, Tx};

const ROLE_IS_FOR_OWNERS: &str =
    "Only owners may change who gives variables to pipelines to or from this role.";

kernel::choices! {
    /// How branches are joined.
    pub enum MergeMethod { Merge = "merge", RebaseMerge = "rebase_merge", Ff = "ff" }
}

kernel::choices! {
    /// Whether commits are squashed.
    pub enum SquashOption {
        Never = "never",
        Always = "always",
        DefaultOn = "default_on",
        DefaultOff = "default_off",
    }
}

kernel::params! {
    /// What a project may be changed to; what is absent stays.
    #[derive(Default)]
    pub struct ProjectChange {
        /// Display name.
        pub name: Option<String>,
        /// Last part of its address.
        pub path: Option<String>,
        /// What it is for.
        pub description: Patch<String>,
        /// Who sees it.
        pub visibility: Option<Visibility>,
        /// The branch shown first.
        pub default_branch: Option<String>,
        /// Topics.
        pub topics: Option<Vec<String>>,
        /// Topics, by their old name.
        pub tag_list: Option<Vec<String>>,
        /// How branches are joined.
        pub merge_method: Option<MergeMethod>,
        /// Whether commits are squashed.
        pub squash_option: Option<SquashOption>,
        /// Users may ask for access.
        pub request_access_enabled: Option<bool>,
        /// The package registry is on.
        pub packages_enabled: Option<bool>,
        /// Only who sees the project sees the pictures of its texts.
        pub enforce_auth_checks_on_uploads: Option<bool>,
        /// Commits in its default branch close issues that they say they close.
        pub autoclose_referenced_issues: Option<bool>,
        /// It takes large files (git LFS).
        pub lfs_enabled: Option<bool>,
        /// Merge requests of a fork are for itself unless they say otherwise.
        pub mr_default_target_self: Option<bool>,
        /// Bytes that its code and large files may have, 0 for any number, null as the group
        /// above it has it; for administrators.
        pub repository_size_limit: Patch<i64>,
        /// Who may give variables to a pipeline.
        pub ci_pipeline_variables_minimum_override_role: Option<OverrideRole>,
        /// Whether developers may not, by its old name; the role wins over it.
        pub restrict_user_defined_variables: Option<bool>,
        /// Who started a pipeline may approve its deployments.
        pub allow_pipeline_trigger_approve_deployment: Option<bool>,
        /// It may follow another repository.
        pub pull_mirror_enabled: Option<bool>,
        pub ci: Flat<CiSettingsChange>,
        pub merging: Flat<MergeSettingsChange>,
        pub features: Flat<Features>,
    }
}

impl ProjectChange {
    fn topics(&self) -> Option<&Vec<String>> {
        self.topics.as_ref().or(self.tag_list.as_ref())
    }
}

/// Makes a project of the viewer's own, in this namespace or their personal one.
pub fn create_own_project(
    tx: &mut Tx<'_>, viewer: &Viewer, namespace_id: Option<i64>, change: &ProjectChange,
) -> Result<Project> {
    let user = &viewer.signed_in()?.user;
    let namespace_id = match namespace_id {
        Some(id) => id,
        None => own_namespace(tx, user.id)?,
    };
    let home = namespace_for_projects(tx, viewer, &Reference::Id(namespace_id))?;
    if home.owner_id == Some(user.id) {
        check_limit(tx, user, home.id)?;
    }
    create_project(tx, viewer, &home, user.id, change)
}

pub fn own_namespace(tx: &mut Tx<'_>, user_id: i64) -> Result<i64> {
    rows::own_namespace(tx, user_id)?.found("Namespace")
}

pub(super) fn check_limit(tx: &mut Tx<'_>, user: &User, namespace_id: i64) -> Result<()> {
    let held = rows::count_in(tx, namespace_id)?;
    if held < user.projects_limit {
        return Ok(());
    }
    Err(Error::invalid(
        "limit_reached",
        format!("Your project limit is {} projects.", user.projects_limit),
    ))
}

/// Makes a project in a namespace already found fit for it.
pub fn create_project(
    tx: &mut Tx<'_>, viewer: &Viewer, namespace: &Namespace, creator_id: i64,
    change: &ProjectChange,
) -> Result<Project> {
    let (name, path) = name_and_path(change)?;
    let visibility = change.visibility.unwrap_or(Visibility::of(PRIVATE));
    check_project(&name, &path, change)?;
    check_size_limit(viewer, &change.repository_size_limit)?;
    access::check_visibility(visibility, Some(namespace))?;
    let full_path = format!("{}/{path}", namespace.full_path);
    let taken = Taken {
        name: namespaces::is_project_name_taken(tx, namespace.id, &name)?,
        path: namespaces::is_taken(tx, &full_path)?,
    };
    taken.check()?;
    let new = NewProject {
        namespace_id: namespace.id,
        name: &name,
        path: &path,
        full_path: &full_path,
        visibility: visibility.level(),
        creator_id,
    };
    let id = rows::insert(tx, &new)?.ok_or_else(|| Error::Unavailable(CONFLICT.into()))?;
    if let Some(owner) = namespace.owner_id {
        add_owner(tx, "Project", id, owner)?;
    }
    let project = reread(tx, id)?;
    write_project(tx, viewer, &project, change, visibility.level())?;
    for hook in &hooks::get(tx)?.project_created {
        hook(tx, &project)?;
    }
    let place = Where::Project(id);
    activity::record(tx, Some(creator_id), Action::Created, place, Target::new(PROJECT, id))?;
    let details = json!({});
    audit::record(tx, viewer, "project.create", of_project(&project), details)?;
    reread(tx, id)
}

pub(super) fn reread(tx: &mut Tx<'_>, id: i64) -> Result<Project> {
    access::find_project(tx, &Reference::Id(id))?.found("Project")
}

fn name_and_path(change: &ProjectChange) -> Result<(String, String)> {
    match (&change.name, &change.path) {
        (Some(name), Some(path)) => Ok((name.clone(), path.clone())),
        (Some(name), None) => Ok((name.clone(), path_from(name))),
        (None, Some(path)) => Ok((path.clone(), path.clone())),
        (None, None) => Err(Error::none_of("name, path")),
    }
}

/// A path made of a name: lower case, other characters as single dashes.
pub fn path_from(name: &str) -> String {
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
    check_description(&change.description, &mut problems);
    let mut topics = change.topics().into_iter().flatten();
    if topics.any(|topic| topic.is_empty() || topic.chars().count() > 255) {
        problems.add("topics", "must be 1 to 255 characters each");
    }
    for (feature, level) in &change.features.0.0 {
        let allowed: &[&str] = match feature.as_str() {
            "pages" | "package_registry" => &["disabled", "private", "enabled", "public"],
            _ => &["disabled", "private", "enabled"],
        };
        if !allowed.contains(&level.as_str()) {
            problems.add(&format!("{feature}_access_level"), "is not included in the list");
        }
    }
    problems.check()
}

/// Who may give variables to a pipeline from now on, if that changes; some of it is for
/// owners to say.
fn override_role(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, change: &ProjectChange,
) -> Result<Option<OverrideRole>> {
    let before = project.pipeline_variables_role;
    let old = match (change.restrict_user_defined_variables, before) {
        (Some(false), _) => Some(OverrideRole::Developer),
        (Some(true), OverrideRole::Developer) => Some(OverrideRole::Maintainer),
        _ => None,
    };
    let wanted = change.ci_pipeline_variables_minimum_override_role.or(old);
    let Some(role) = wanted.filter(|role| *role != before) else {
        return Ok(None);
    };
    let for_owners = role == OverrideRole::Owner || before.is_for_owners();
    if for_owners && access::level_in_project(tx, viewer, project)? < OWNER {
        return Err(Error::forbidden(ROLE_IS_FOR_OWNERS));
    }
    Ok(Some(role))
}

fn write_project(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, change: &ProjectChange, visibility: i64,
) -> Result<()> {
    let mut features = project.features.0.clone();
    features.extend(change.features.0.0.clone());
    let registry = change.features.0.0.get("package_registry");
    let registry = registry.map(|level| level != "disabled");
    let packages_enabled = registry.or(change.packages_enabled);
    if change.packages_enabled == Some(true)
        && features.get("package_registry").map(String::as_str) == Some("disabled")
    {
        features.remove("package_registry");
    }
    let mut topics = change.topics().unwrap_or(&project.topics.0).clone();
    let mut seen = std::collections::HashSet::new();
    topics.retain(|topic| seen.insert(fold(topic)));
    let mut after = project.clone();
    after.visibility = visibility;
    after.topics = Json(topics);
    after.features = Json(features);
    let merge_method = change.merge_method.map(|method| method.to_string());
    let squash_option = change.squash_option.map(|option| option.to_string());
    set(&mut after.merge_method, &merge_method);
    set(&mut after.squash_option, &squash_option);
    set(&mut after.request_access_enabled, &change.request_access_enabled);
    set(&mut after.packages_enabled, &packages_enabled);
    let enforced = &change.enforce_auth_checks_on_uploads;
    set(&mut after.enforce_auth_checks_on_uploads, enforced);
    let autoclose = &change.autoclose_referenced_issues;
    set(&mut after.autoclose_referenced_issues, autoclose);
    set(&mut after.lfs_enabled, &change.lfs_enabled);
    set(&mut after.mr_default_target_self, &change.mr_default_target_self);
    if let Some(limit) = change.repository_size_limit.clone().sent() {
        size_limits::set_of_project(tx, project.id, limit)?;
    }
    if let Some(approves) = change.allow_pipeline_trigger_approve_deployment {
        rows::set_trigger_approves(tx, project.id, approves)?;
    }
    if let Some(enabled) = change.pull_mirror_enabled {
        rows::set_pull_mirror_enabled(tx, project.id, enabled)?;
    }
    hooks::change_ci_settings(tx, project, &change.ci)?;
    hooks::change_merge_settings(tx, viewer, project, &change.merging)?;
    if let Some(role) = override_role(tx, viewer, project, change)? {
        rows::set_pipeline_variables_role(tx, project.id, role)?;
    }
    after.description = text(&change.description).or(after.description);
    if let Some(branch) = &change.default_branch
        && let Some(make) = hooks::get(tx)?.default_branch
    {
        make(tx, project.id, branch)?;
    }
    after.default_branch = change.default_branch.clone().or(after.default_branch);
    rows::write(tx, &after)
}

/// Changes a project; a new path leaves a redirect.
pub fn update_project(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, change: &ProjectChange,
) -> Result<Project> {
    let project = access::project(tx, viewer, reference, Purpose::Update)?;
    let name = change.name.clone().unwrap_or_else(|| project.name.clone());
    let path = change.path.clone().unwrap_or_else(|| project.path.clone());
    check_project(&name, &path, change)?;
    check_size_limit(viewer, &change.repository_size_limit)?;
    let visibility = change.visibility.unwrap_or(Visibility::of(project.visibility));
    if visibility.level() != project.visibility {
        let home = home_of(tx, &project)?;
        access::check_visibility(visibility, Some(&home))?;
        forks::check_visibility(tx, &project, visibility)?;
    }
    if path != project.path || name != project.name {
        let namespace = (project.namespace_id, project.namespace_full_path.as_str());
        namespaces::replace_project(tx, &project, namespace, &name, &path)?.check()?;
    }
    write_project(tx, viewer, &project, change, visibility.level())?;
    if visibility.level() < project.visibility {
        fork_rows::narrow(tx, project.id, visibility.level())?;
    }
    let details = json!({"path": path});
    audit::record(tx, viewer, "project.update", of_project(&project), details)?;
    reread(tx, project.id)
}

/// Says what a project follows, or begins with; as it is after that.
pub fn change_mirror(
    tx: &mut Tx<'_>, secrets: &Secrets, viewer: &Viewer, project: Project,
    change: &MirrorSettingsChange,
) -> Result<Project> {
    match hooks::get(tx)?.mirror_settings {
        Some(hooks) if !change.is_empty() => {
            (hooks.change)(tx, secrets, viewer, &project, change)?;
            reread(tx, project.id)
        }
        _ => Ok(project),
    }
}

/// Moves a project's last activity to now: somebody worked in it.
pub fn note_activity(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    rows::touch_activity(tx, project_id)
}

fn home_of(tx: &mut Tx<'_>, project: &Project) -> Result<Namespace> {
    access::find_namespace(tx, &Reference::Id(project.namespace_id))?.found("Namespace")
}

/// The namespace in which the viewer may create projects, by reference.
pub fn namespace_for_projects(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference,
) -> Result<Namespace> {
    let found = access::find_namespace(tx, reference)?.found("Namespace")?;
    if found.is_group() {
        let by_id = Reference::Id(found.id);
        return match access::group(tx, viewer, &by_id, Purpose::CreateProject) {
            Err(Error::NotFound(_)) => Err(Error::NotFound("Namespace")),
            other => other,
        };
    }
    let user = viewer.user();
    let own = user.is_some_and(|user| found.owner_id == Some(user.id) && !user.is_external);
    match viewer.is_admin() || own {
        true => Ok(found),
        false => Err(Error::forbidden("")),
    }
}

/// Moves a project to another namespace and leaves a redirect.
pub fn transfer_project(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, to: &Reference,
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
    hooks::check_settled(tx, project.id)?;
    let place = (home.id, home.full_path.as_str());
    let taken = namespaces::replace_project(tx, &project, place, &project.name, &project.path)?;
    if taken.any() {
        return refuse("Project with same name or path in target namespace already exists");
    }
    if let Some(owner) = home.owner_id {
        add_owner(tx, "Project", project.id, owner)?;
    }
    let details = json!({"to": home.full_path});
    audit::record(tx, viewer, "project.transfer", of_project(&project), details)?;
    for hook in &hooks::get(tx)?.project_moved {
        hook(tx, viewer, &project)?;
    }
    reread(tx, project.id)
}

pub fn archive_project(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, archived: bool,
) -> Result<Project> {
    let project = access::project(tx, viewer, reference, Purpose::Archive)?;
    rows::set_archived(tx, project.id, archived)?;
    let action = if archived {
        "project.archive"
    } else {
        "project.unarchive"
    };
    audit::record(tx, viewer, action, of_project(&project), json!({}))?;
    reread(tx, project.id)
}

/// Stars or unstars a project; `None` when nothing changes.
pub fn star_project(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, starred: bool,
) -> Result<Option<Project>> {
    let project = access::project(tx, viewer, reference, Purpose::Join)?;
    let user_id = viewer.signed_in()?.user.id;
    if !stars::set(tx, project.id, user_id, starred)? {
        return Ok(None);
    }
    reread(tx, project.id).map(Some)
}

/// Hides a project at once, frees its path and leaves the rest to a job.
pub fn destroy_project(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<()> {
    hooks::check_settled(tx, project.id)?;
    let now = tx.now();
    rows::hide(tx, project.id)?;
    let details = json!({});
    audit::record(tx, viewer, "project.destroy", of_project(project), details)?;
    let job = DestroyProject { project: project.id };
    enqueue_at(tx, &job, now)
}
