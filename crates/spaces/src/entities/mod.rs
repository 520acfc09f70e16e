//! What the REST interface shows of groups, namespaces and projects, fields
//! in wire order. What belongs to features that do not exist here has the
//! honest empty value.

mod shapes;

pub use shapes::*;

use crate::access::{self, MAINTAINER, OWNER};
use crate::ci_settings::CiSettings;
use crate::hooks::{AboutCode, AboutWanted, RepositorySizes};
use crate::imports;
use crate::merge_settings::MergeSettings;
use crate::mirror_settings::MirrorSettings;
use crate::model::{Namespace, OverrideRole, Project, Visibility};
use crate::{features, hooks, store, uploads};
use ::store::{Json, Tx};
use identity::Caller;
use identity::entities::{basic, load_basic};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::{date_of, wire};
use std::collections::HashMap;

/// Open issues by project, 0 where there are none; only of projects whose
/// issues the viewer sees.
pub fn open_issues(
    tx: &mut Tx<'_>, viewer: &Viewer, projects: &[&Project],
) -> Result<HashMap<i64, i64>> {
    let levels = access::Levels::in_projects(tx, viewer, projects)?;
    let shown = projects.iter().filter(|it| match it.feature("issues") {
        "disabled" => false,
        "private" => levels.of_project(it) >= access::GUEST,
        _ => true,
    });
    let ids: Vec<i64> = shown.map(|it| it.id).collect();
    let mut counts = match hooks::get(tx)?.open_issues {
        Some(read) => read(tx, &ids)?,
        None => HashMap::new(),
    };
    for id in ids {
        counts.entry(id).or_insert(0);
    }
    Ok(counts)
}

/// What a list of projects needs beside its rows, read for all at once.
#[derive(Default)]
pub struct RelatedToProjects {
    owners: HashMap<i64, User>,
    direct: HashMap<i64, i64>,
    groups: HashMap<i64, i64>,
    shares: HashMap<i64, Vec<store::ShareRow>>,
    /// Bytes of the projects whose viewer may know them.
    sizes: HashMap<i64, Sizes>,
    /// Open issues of the projects that have any.
    open_issues: HashMap<i64, i64>,
    /// What they were forked from, of what the viewer sees.
    sources: HashMap<i64, Project>,
    /// Bytes of the code of those that have any.
    code: HashMap<i64, i64>,
    /// Where it lies, for administrators.
    storages: HashMap<i64, String>,
    /// How pipelines run in those that say so.
    ci: HashMap<i64, CiSettings>,
    /// How merge requests are merged in those that say so.
    merging: HashMap<i64, MergeSettings>,
    /// What those follow that the viewer maintains.
    mirroring: HashMap<i64, MirrorSettings>,
    is_signed_in: bool,
    is_admin: bool,
}

impl RelatedToProjects {
    /// Reads it in a constant number of statements.
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, projects: &[Project], statistics: bool,
    ) -> Result<RelatedToProjects> {
        let ids: Vec<i64> = projects.iter().map(|project| project.id).collect();
        let owners: Vec<i64> = projects.iter().filter_map(|p| p.namespace_owner_id).collect();
        let mut around = RelatedToProjects {
            owners: if owners.is_empty() {
                HashMap::new()
            } else {
                load_basic(tx, &owners)?
            },
            shares: store::shares_of(tx, viewer, "Project", &ids)?,
            is_signed_in: viewer.user_id().is_some(),
            is_admin: viewer.is_admin(),
            ..RelatedToProjects::default()
        };
        let repositories = repository_sizes(tx, &ids)?;
        around.code =
            repositories.iter().filter_map(|(id, sizes)| Some((*id, sizes.code?))).collect();
        if let (true, Some(read)) = (around.is_admin, hooks::get(tx)?.code_storages) {
            around.storages = read(tx, &ids)?;
        }
        around.ci = hooks::ci_settings_of(tx, &ids)?;
        around.merging = hooks::merge_settings_of(tx, &ids)?;
        around.sources = store::forks::sources(tx, viewer, projects)?;
        if let Some(read) = hooks::get(tx)?.open_issues {
            around.open_issues = read(tx, &ids)?;
        }
        if let Some(user_id) = viewer.user_id() {
            let above: Vec<i64> = projects.iter().flat_map(Project::ancestors).collect();
            around.direct = store::levels_of(tx, user_id, "Project", &ids)?;
            around.groups = store::levels_of(tx, user_id, "Group", &above)?;
        }
        let maintained = projects.iter().filter(|project| around.maintains(project));
        let maintained: Vec<i64> = maintained.map(|project| project.id).collect();
        let mut follow = hooks::mirror_settings_of(tx, &maintained)?;
        let mirroring = maintained.iter().map(|id| (*id, follow.remove(id).unwrap_or_default()));
        around.mirroring = mirroring.collect();
        if statistics {
            around.sizes = seen_sizes(tx, viewer, ids, &repositories)?;
        }
        Ok(around)
    }

    fn maintains(&self, project: &Project) -> bool {
        let above = project.ancestors();
        let above = above.iter().filter_map(|id| self.groups.get(id));
        let mut roles = self.direct.get(&project.id).into_iter().chain(above);
        self.is_admin || roles.any(|role| *role >= MAINTAINER)
    }

    /// Open issues that the viewer may count.
    fn open_issues(&self, project: &Project) -> i64 {
        let shown = self.has(project, "issues");
        let count = self.open_issues.get(&project.id).filter(|_| shown);
        count.copied().unwrap_or(0)
    }

    /// How its pipelines run; where their file is may name what is hidden.
    fn ci_settings(&self, project: &Project) -> CiSettings {
        let mut settings = self.ci.get(&project.id).cloned().unwrap_or_default();
        settings.ci_config_path.take_if(|_| !self.has(project, "repository"));
        settings
    }

    /// Whether the viewer may use a feature of a project they see.
    fn has(&self, project: &Project, feature: &str) -> bool {
        match project.feature(feature) {
            "disabled" => false,
            "private" => {
                let held = |id: i64| self.groups.contains_key(&id);
                self.is_admin
                    || self.direct.contains_key(&project.id)
                    || project.ancestors().into_iter().any(held)
            }
            _ => true,
        }
    }

    /// What a project was forked from.
    fn source(&self, app: &App, fork: &Project) -> Option<Box<ProjectEntity>> {
        let source = self.sources.get(&fork.forked_from_id?)?;
        Some(Box::new(project(app, source, &RelatedToProjects::default(), true)))
    }

    fn permissions(&self, project: &Project) -> Option<PermissionsEntity> {
        let entity = |level: i64| PermissionEntity { access_level: level, notification_level: 3 };
        self.is_signed_in.then(|| PermissionsEntity {
            project_access: self.direct.get(&project.id).copied().map(entity),
            group_access: project
                .ancestors()
                .iter()
                .filter_map(|id| self.groups.get(id).copied())
                .max()
                .map(entity),
        })
    }
}

/// What those projects hold whose viewer may know it: reporters and higher.
pub fn sizes(tx: &mut Tx<'_>, viewer: &Viewer, ids: Vec<i64>) -> Result<HashMap<i64, Sizes>> {
    let repositories = repository_sizes(tx, &ids)?;
    seen_sizes(tx, viewer, ids, &repositories)
}

/// The same, of those whose repositories have these sizes.
fn seen_sizes(
    tx: &mut Tx<'_>, viewer: &Viewer, ids: Vec<i64>, repositories: &HashMap<i64, RepositorySizes>,
) -> Result<HashMap<i64, Sizes>> {
    let ids = match viewer.user_id() {
        _ if viewer.is_admin() => ids,
        Some(user_id) => store::projects_among(tx, user_id, access::REPORTER, &ids)?,
        None => return Ok(HashMap::new()),
    };
    let sizes = sizes_of(tx, &ids, repositories)?;
    let size = |id: i64| (id, sizes.get(&id).copied().unwrap_or_default());
    Ok(ids.into_iter().map(size).collect())
}

fn repository_sizes(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, RepositorySizes>> {
    match hooks::get(tx)?.repository_sizes {
        Some(read) => read(tx, ids),
        None => Ok(HashMap::new()),
    }
}

/// Those of these projects that hold anything, by three statements more.
fn sizes_of(
    tx: &mut Tx<'_>, ids: &[i64], repositories: &HashMap<i64, RepositorySizes>,
) -> Result<HashMap<i64, Sizes>> {
    let packages = match hooks::get(tx)?.packages_size {
        Some(read) => read(tx, ids)?,
        None => HashMap::new(),
    };
    let mut sizes: HashMap<i64, Sizes> = HashMap::new();
    for (id, bytes) in packages {
        sizes.entry(id).or_default().packages = bytes;
    }
    for (id, bytes) in uploads::sizes(tx, ids)? {
        sizes.entry(id).or_default().uploads = bytes;
    }
    for id in ids {
        let Some(kept) = repositories.get(id) else {
            continue;
        };
        let sizes = sizes.entry(*id).or_default();
        sizes.code = kept.code.unwrap_or_default();
        (sizes.wiki, sizes.snippets) = (kept.wiki, kept.snippets);
    }
    if let Some(read) = hooks::get(tx)?.large_file_sizes {
        for (id, bytes) in read(tx, ids)? {
            sizes.entry(id).or_default().large_files = bytes;
        }
    }
    Ok(sizes)
}

/// Where a project is cloned from over SSH.
pub fn ssh_url(app: &App, project: &Project) -> String {
    app.ssh_url(&format!("{}.git", project.full_path))
}

fn namespace_of(app: &App, project: &Project) -> NamespaceEntity {
    let prefix = if project.namespace_kind == "group" {
        "/groups"
    } else {
        ""
    };
    NamespaceEntity {
        id: project.namespace_id,
        name: project.namespace_name.clone(),
        path: project.namespace_path.clone(),
        kind: project.namespace_kind.clone(),
        full_path: project.namespace_full_path.clone(),
        parent_id: project.namespace_parent_id,
        avatar_url: None,
        web_url: app.url(&format!("{prefix}/{}", project.namespace_full_path)),
    }
}

pub fn namespace(app: &App, namespace: &Namespace) -> NamespaceEntity {
    NamespaceEntity {
        id: namespace.id,
        name: namespace.name.clone(),
        path: namespace.path.clone(),
        kind: namespace.kind.clone(),
        full_path: namespace.full_path.clone(),
        parent_id: namespace.parent_id,
        avatar_url: None,
        web_url: namespace.web_url(app.base_url()),
    }
}

/// One project; `simple` leaves the details out.
pub fn project(
    app: &App, project: &Project, around: &RelatedToProjects, simple: bool,
) -> ProjectEntity {
    ProjectEntity {
        id: project.id,
        description: project.description.clone(),
        name: project.name.clone(),
        name_with_namespace: project.name_with_namespace(),
        path: project.path.clone(),
        path_with_namespace: project.full_path.clone(),
        created_at: wire::text(project.created_at),
        last_activity_at: wire::text(project.last_activity_at),
        default_branch: project.default_branch.clone(),
        topics: project.topics.0.clone(),
        tag_list: project.topics.0.clone(),
        ssh_url_to_repo: ssh_url(app, project),
        http_url_to_repo: app.url(&format!("/{}.git", project.full_path)),
        web_url: project.web_url(app.base_url()),
        readme_url: None,
        forks_count: project.forks_count,
        star_count: project.star_count,
        avatar_url: None,
        visibility: Visibility::of(project.visibility),
        namespace: namespace_of(app, project),
        details: (!simple).then(|| Box::new(details(app, project, around))),
    }
}

fn details(app: &App, project: &Project, around: &RelatedToProjects) -> ProjectDetails {
    let owner = |id: i64| around.owners.get(&id);
    let mirroring = around.mirroring.get(&project.id).cloned().map(Box::new);
    let size = around.sizes.get(&project.id);
    ProjectDetails {
        owner: project.namespace_owner_id.and_then(owner).map(|it| basic(app, it)),
        archived: project.archived,
        empty_repo: !around.code.contains_key(&project.id),
        repository_storage: around.storages.get(&project.id).cloned(),
        creator_id: project.creator_id,
        import_status: imports::shown(project).to_string(),
        open_issues_count: around.open_issues(project),
        merge_method: project.merge_method.clone(),
        squash_option: project.squash_option.clone(),
        updated_at: wire::text(project.updated_at),
        packages_enabled: project.package_registry() != "disabled",
        switches: features::switches(project),
        lfs_enabled: project.lfs_enabled,
        request_access_enabled: project.request_access_enabled,
        enforce_auth_checks_on_uploads: project.enforce_auth_checks_on_uploads,
        autoclose_referenced_issues: project.autoclose_referenced_issues,
        ci: around.ci_settings(project),
        merging: around.merging.get(&project.id).cloned().unwrap_or_default(),
        ci_pipeline_variables_minimum_override_role: project.pipeline_variables_role,
        restrict_user_defined_variables: project.pipeline_variables_role != OverrideRole::Developer,
        levels: features::levels(project),
        permissions: around.permissions(project),
        links: links(app, project.id),
        shared_with_groups: around.shares.get(&project.id).cloned().unwrap_or_default(),
        statistics: size.copied().map(StatisticsEntity::of_project),
        license: None,
        repository_size_limit: around.is_admin.then_some(project.repository_size_limit),
        import_error: project.import_error.clone().filter(|_| mirroring.is_some()),
        mirroring,
        pull_mirror_enabled: project.pull_mirror_enabled,
        forked_from_project: around.source(app, project),
        mr_default_target_self: project.mr_default_target_self,
        can_create_merge_request_in: around.is_signed_in
            && !project.archived
            && around.has(project, "merge_requests"),
        repository_object_format: "sha1".into(),
        service_desk_enabled: false,
        marked_for_deletion_on: None,
        allow_pipeline_trigger_approve_deployment: project
            .allow_pipeline_trigger_approve_deployment,
        merge_trains_enabled: false,
    }
}

fn links(app: &App, id: i64) -> ProjectLinks {
    let itself = app.url(&format!("/api/v4/projects/{id}"));
    ProjectLinks {
        issues: format!("{itself}/issues"),
        merge_requests: format!("{itself}/merge_requests"),
        repo_branches: format!("{itself}/repository/branches"),
        labels: format!("{itself}/labels"),
        events: format!("{itself}/events"),
        members: format!("{itself}/members"),
        itself,
    }
}

/// Projects with what surrounds them, one for one.
pub fn projects(
    tx: &mut Tx<'_>, by: &Caller, rows: &[Project], simple: bool, statistics: bool,
) -> Result<Vec<ProjectEntity>> {
    let around = match simple {
        true => RelatedToProjects::default(),
        false => RelatedToProjects::read(tx, &by.viewer, rows, statistics)?,
    };
    Ok(rows.iter().map(|row| project(&by.app, row, &around, simple)).collect())
}

pub fn one_project(
    tx: &mut Tx<'_>, by: &Caller, row: &Project, statistics: bool,
) -> Result<ProjectEntity> {
    let around = RelatedToProjects::read(tx, &by.viewer, std::slice::from_ref(row), statistics)?;
    Ok(project(&by.app, row, &around, false))
}

/// A project with what its code says of it; its license where that is wanted.
pub fn with_code(
    app: &App, mut entity: ProjectEntity, about: AboutCode, wanted: AboutWanted,
) -> ProjectEntity {
    entity.readme_url = about.readme.map(|path| app.url(&path));
    let Some(details) = &mut entity.details else {
        return entity;
    };
    if let (Some(statistics), Some(count)) = (&mut details.statistics, about.commit_count) {
        statistics.commit_count = Some(count);
    }
    details.license = wanted.license.then(|| ProjectLicense {
        license_url: about.license_file.map(|path| app.url(&path)),
        license: about.license,
    });
    entity
}

pub fn group(by: &Caller, group: &Namespace) -> GroupEntity {
    let protection = group.branch_protection.clone().map(|Json(own)| own).unwrap_or_default();
    GroupEntity {
        id: group.id,
        web_url: group.web_url(by.app.base_url()),
        name: group.name.clone(),
        path: group.path.clone(),
        description: group.description.clone(),
        visibility: Visibility::of(group.visibility),
        share_with_group_lock: group.share_with_group_lock,
        require_two_factor_authentication: group.require_two_factor,
        two_factor_grace_period: group.two_factor_grace_period,
        project_creation_level: group.project_creation_level.clone(),
        auto_devops_enabled: None,
        subgroup_creation_level: group.subgroup_creation_level.clone(),
        emails_disabled: !group.emails_enabled,
        emails_enabled: group.emails_enabled,
        mentions_disabled: group.mentions_disabled,
        lfs_enabled: group.lfs_enabled,
        epics_enabled: group.epics_enabled,
        dependency_exports_enabled: group.dependency_exports_enabled,
        pull_mirror_enabled: group.pull_mirror_enabled,
        default_branch: group.default_branch.clone(),
        default_branch_protection: protection.number(),
        default_branch_protection_defaults: protection,
        avatar_url: None,
        request_access_enabled: group.request_access_enabled,
        full_name: group.full_name.clone(),
        full_path: group.full_path.clone(),
        created_at: wire::text(group.created_at),
        parent_id: group.parent_id,
        marked_for_deletion_on: group.deletion_scheduled_at.map(|at| date_of(at).to_string()),
        repository_size_limit: by.viewer.is_admin().then_some(group.repository_size_limit),
        statistics: None,
        shared_with_groups: None,
        projects: None,
        shared_projects: None,
    }
}

pub fn one_group(tx: &mut Tx<'_>, by: &Caller, row: &Namespace) -> Result<GroupEntity> {
    let mut entity = group(by, row);
    let mut found = store::shares_of(tx, &by.viewer, "Group", &[row.id])?;
    entity.shared_with_groups = Some(found.remove(&row.id).unwrap_or_default());
    Ok(entity)
}

/// Bytes used by all projects below each of these groups.
pub fn group_statistics(
    tx: &mut Tx<'_>, viewer: &Viewer, groups: &[Namespace],
) -> Result<HashMap<i64, StatisticsEntity>> {
    let mut all = HashMap::new();
    let wanted: Vec<i64> = groups.iter().map(|group| group.id).collect();
    let owned = match viewer.user_id() {
        Some(_) if viewer.is_admin() => None,
        Some(user_id) => Some(store::groups_among(tx, user_id, OWNER, &wanted)?),
        None => return Ok(all),
    };
    let below = store::project_ids_below(tx, &wanted)?;
    let ids: Vec<i64> = below.iter().map(|(_, project)| *project).collect();
    let repositories = repository_sizes(tx, &ids)?;
    let sizes = sizes_of(tx, &ids, &repositories)?;
    for group in groups {
        if owned.as_ref().is_some_and(|owned| !owned.contains(&group.id)) {
            continue;
        }
        let mine = below.iter().filter(|(id, _)| *id == group.id);
        let mut total = Sizes::default();
        for one in mine.filter_map(|(_, project)| sizes.get(project)) {
            total.add(one);
        }
        all.insert(group.id, StatisticsEntity::of(total));
    }
    Ok(all)
}
