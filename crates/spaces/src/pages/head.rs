//! The navigation of a group or project, beside each of its pages.

use super::counts;
use super::place::Space;
use crate::access::{self, DEVELOPER, GUEST, MAINTAINER, OWNER, Purpose, REPORTER};
use crate::hooks;
use crate::model::Project;
use crate::store::count_members;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::ui::Tab;
use kernel::html::{Nav, NavLink, NavPart, Page};
use store::Tx;

/// A page that the navigation of a group or project leads to; pages below it
/// show it as the current one, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Overview,
    MergeRequests,
    Files,
    Commits,
    Branches,
    Tags,
    Issues,
    Boards,
    Epics,
    Roadmap,
    Incidents,
    Milestones,
    Labels,
    Wiki,
    Snippets,
    Pipelines,
    Jobs,
    Editor,
    Dependencies,
    Packages,
    Releases,
    Environments,
    Schedules,
    Errors,
    Alerts,
    OnCall,
    Escalation,
    Activity,
    Members,
    Settings,
}

impl Section {
    /// Text, picture and what follows the address of the group or project.
    fn shown(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Section::Overview => ("Overview", "home", ""),
            Section::MergeRequests => ("Merge requests", "merge", "/-/merge_requests"),
            Section::Files => ("Files", "folder", "/-/tree"),
            Section::Commits => ("Commits", "commit", "/-/commits"),
            Section::Branches => ("Branches", "branch", "/-/branches"),
            Section::Tags => ("Tags", "tag", "/-/tags"),
            Section::Issues => ("Issues", "issue", "/-/issues"),
            Section::Boards => ("Boards", "board", "/-/boards"),
            Section::Epics => ("Epics", "epic", "/-/epics"),
            Section::Roadmap => ("Roadmap", "roadmap", "/-/roadmap"),
            Section::Incidents => ("Incidents", "incident", "/-/incidents"),
            Section::Milestones => ("Milestones", "milestone", "/-/milestones"),
            Section::Labels => ("Labels", "label", "/-/labels"),
            Section::Wiki => ("Wiki", "book", "/-/wikis"),
            Section::Snippets => ("Snippets", "code", "/-/snippets"),
            Section::Pipelines => ("Pipelines", "pipeline", "/-/pipelines"),
            Section::Jobs => ("Jobs", "play", "/-/jobs"),
            Section::Editor => ("Pipeline editor", "edit", "/-/ci/editor"),
            Section::Dependencies => ("Dependencies", "shield", "/-/dependencies"),
            Section::Packages => ("Packages", "package", "/-/packages"),
            Section::Releases => ("Releases", "download", "/-/releases"),
            Section::Environments => ("Environments", "globe", "/-/environments"),
            Section::Schedules => ("Schedules", "calendar", "/-/pipeline_schedules"),
            Section::Errors => ("Errors", "error", "/-/error_tracking"),
            Section::Alerts => ("Alerts", "bell", "/-/alert_management"),
            Section::OnCall => ("On-call schedules", "calendar", "/-/oncall_schedules"),
            Section::Escalation => ("Escalation policy", "stairs", "/-/escalation_policies"),
            Section::Activity => ("Activity", "clock", "/-/activity"),
            Section::Members => ("Members", "members", "/-/members"),
            Section::Settings => ("Settings", "gear", "/-/settings"),
        }
    }
}

/// The order of the navigation, by what people are about.
const PARTS: &[(&str, &[Section])] = &[
    ("", &[Section::Overview]),
    (
        "Code",
        &[
            Section::MergeRequests,
            Section::Files,
            Section::Commits,
            Section::Branches,
            Section::Tags,
            Section::Snippets,
        ],
    ),
    (
        "Plan",
        &[
            Section::Issues,
            Section::Boards,
            Section::Epics,
            Section::Roadmap,
            Section::Incidents,
            Section::Milestones,
            Section::Labels,
            Section::Wiki,
        ],
    ),
    (
        "Build",
        &[
            Section::Pipelines,
            Section::Jobs,
            Section::Editor,
            Section::Schedules,
            Section::Dependencies,
        ],
    ),
    ("Deploy", &[Section::Releases, Section::Environments, Section::Packages]),
    (
        "Monitor",
        &[Section::Errors, Section::Alerts, Section::OnCall, Section::Escalation],
    ),
    ("Manage", &[Section::Activity, Section::Members, Section::Settings]),
];

/// What the pages of a group or project say of it.
#[derive(Debug, Clone, Default)]
pub struct SpaceHead {
    pub kind: &'static str,
    pub id: i64,
    pub name: String,
    pub full_path: String,
    /// Its address without a trailing slash (`/groups/acme`, `/acme/anvil`).
    pub url: String,
    /// What it stands in, from the outermost: text and address.
    pub above: Vec<(String, String)>,
    pub description: String,
    /// `private`, `internal`, `public`.
    pub visibility: String,
    pub is_archived: bool,
    /// The viewer may read its code.
    pub has_code: bool,
    /// The viewer may see merge requests of it.
    pub has_merge_requests: bool,
    /// Those that are open, of what the viewer sees.
    pub open_merge_requests: Option<u64>,
    pub has_issues: bool,
    /// It is a group that has epics.
    pub has_epics: bool,
    /// The viewer may read its wiki.
    pub has_wiki: bool,
    /// The viewer may see the snippets of the project.
    pub has_snippets: bool,
    /// The viewer may see the pipelines of the project.
    pub has_pipelines: bool,
    /// The viewer may see their jobs, too.
    pub has_jobs: bool,
    /// The viewer may push to some branch of it.
    pub can_push: bool,
    pub has_packages: bool,
    /// The viewer may see what it is made of.
    pub has_dependencies: bool,
    /// The viewer may see the releases of the project.
    pub has_releases: bool,
    /// The viewer may see the errors its programs report.
    pub has_errors: bool,
    /// The viewer may see the alerts that monitoring tools send.
    pub has_alerts: bool,
    /// Members, where the viewer may see them.
    pub members: Option<u64>,
    pub can_admin: bool,
    /// The viewer may change the rules of its packages.
    pub can_set_packages: bool,
}

impl Space {
    /// What the viewer may see of it, and do there.
    pub fn head(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<SpaceHead> {
        let level = self.level();
        let common = SpaceHead {
            full_path: self.full_path().to_owned(),
            url: self.url(),
            above: above(self),
            members: members(self, tx, viewer)?,
            ..SpaceHead::default()
        };
        let head = match self {
            Space::Group(group, _) => SpaceHead {
                kind: "Group",
                id: group.id,
                name: group.name.clone(),
                description: group.description.clone(),
                visibility: group.visibility().to_string(),
                has_merge_requests: true,
                has_issues: true,
                has_epics: hooks::has_epics(tx, group)?,
                has_wiki: access::allows_in_group(viewer, group, level, Purpose::ReadWiki),
                has_packages: true,
                has_dependencies: access::allows_in_group(
                    viewer,
                    group,
                    level,
                    Purpose::ReadDependencies,
                ),
                can_admin: level >= OWNER,
                can_set_packages: level >= MAINTAINER,
                ..common
            },
            Space::Project(project, _) => SpaceHead {
                kind: "Project",
                id: project.id,
                name: project.name.clone(),
                description: project.description.clone().unwrap_or_default(),
                visibility: project.visibility().to_string(),
                is_archived: project.archived,
                has_code: access::allows(viewer, project, level, Purpose::DownloadCode),
                has_merge_requests: access::allows(viewer, project, level, Purpose::DownloadCode)
                    && shows(project, "merge_requests", level),
                has_issues: shows(project, "issues", level),
                has_wiki: access::allows(viewer, project, level, Purpose::ReadWiki),
                has_snippets: access::allows(viewer, project, level, Purpose::ReadSnippets),
                has_pipelines: access::allows(viewer, project, level, Purpose::ReadPipelines)
                    && access::allows(viewer, project, level, Purpose::DownloadCode),
                can_push: access::allows(viewer, project, level, Purpose::PushCode),
                has_packages: access::allows(viewer, project, level, Purpose::ReadPackages),
                has_dependencies: access::allows(viewer, project, level, Purpose::ReadDependencies),
                has_releases: shows(project, "releases", level),
                has_errors: level >= DEVELOPER,
                has_alerts: level >= DEVELOPER,
                can_admin: level >= MAINTAINER,
                can_set_packages: level >= MAINTAINER && project.package_registry() != "disabled",
                ..common
            },
        };
        let has_jobs = match self {
            Space::Project(project, _) if head.has_pipelines => {
                level >= REPORTER || hooks::has_public_jobs(tx, project)?
            }
            _ => false,
        };
        let open_merge_requests = match head.has_merge_requests {
            true => counts::open_merge_requests(tx, viewer, self)?,
            false => None,
        };
        Ok(SpaceHead { has_jobs, open_merge_requests, ..head })
    }
}

impl SpaceHead {
    /// A page that the navigation leads to.
    pub fn page(&self, mut page: Page, section: Section) -> Page {
        page.active = match self.kind {
            "Group" => "groups",
            _ => "projects",
        };
        page.breadcrumbs = self.above.clone();
        if section != Section::Overview {
            page = page.crumb(&self.name, &self.url);
        }
        page.within(self.nav(section))
    }

    /// A page one step below one of the navigation: an issue, a part of the
    /// settings.
    pub fn page_below(&self, page: Page, section: Section) -> Page {
        let (label, url) = (section.shown().0, self.address(section));
        self.page(page, section).crumb(label, url)
    }

    fn nav(&self, current: Section) -> Nav {
        let link = |section: &Section| {
            let (label, picture, _) = section.shown();
            let link = NavLink::new(label, picture, self.address(*section), *section == current);
            match section {
                Section::Members => NavLink { count: self.members, ..link },
                Section::MergeRequests => NavLink { count: self.open_merge_requests, ..link },
                _ => link,
            }
        };
        let part = |(title, sections): &(&'static str, &[Section])| NavPart {
            title,
            links: sections.iter().filter(|section| self.has(**section)).map(link).collect(),
        };
        Nav {
            label: self.kind,
            name: self.name.clone(),
            url: self.url.clone(),
            context: self.full_path.clone(),
            has_picture: true,
            parts: PARTS.iter().map(part).filter(|part| !part.links.is_empty()).collect(),
        }
    }

    fn has(&self, section: Section) -> bool {
        match section {
            Section::Overview | Section::Activity => true,
            Section::MergeRequests => self.has_merge_requests,
            Section::Files | Section::Commits | Section::Branches | Section::Tags => self.has_code,
            Section::Issues
            | Section::Boards
            | Section::Incidents
            | Section::Milestones
            | Section::Labels => self.has_issues,
            Section::Epics | Section::Roadmap => self.has_epics,
            Section::Wiki => self.has_wiki,
            Section::Snippets => self.has_snippets,
            Section::Pipelines | Section::Jobs => self.has_jobs,
            Section::Environments | Section::Schedules => self.has_pipelines,
            Section::Editor => self.has_pipelines && self.can_push,
            Section::Dependencies => self.has_dependencies,
            Section::Packages => self.has_packages,
            Section::Releases => self.has_releases,
            Section::Errors => self.has_errors,
            Section::Alerts | Section::OnCall | Section::Escalation => self.has_alerts,
            Section::Members => self.members.is_some(),
            Section::Settings => self.can_admin || self.can_set_packages,
        }
    }

    fn address(&self, section: Section) -> String {
        // Who may change nothing else begins with the packages.
        let further = match section {
            Section::Settings if !self.can_admin => "/-/settings/packages",
            other => other.shown().2,
        };
        format!("{}{further}", self.url)
    }

    /// Alerts, and who is paged by them: the pages of one task.
    pub fn alert_tabs(&self, current: Section) -> Vec<Tab> {
        let tab = |section: Section| {
            Tab::new(section.shown().0, self.address(section), section == current)
        };
        [Section::Alerts, Section::OnCall, Section::Escalation].map(tab).into()
    }

    pub fn settings_tabs(&self, current: &str) -> Vec<Tab> {
        let tab = |label: &str, path: &str| {
            let url = format!("{}/-/{path}", self.url);
            Tab::new(label, url, label == current)
        };
        let mut tabs = Vec::new();
        if self.can_admin {
            tabs.push(tab("General", "settings"));
            if self.kind == "Project" {
                tabs.push(tab("Repository", "settings/repository"));
                tabs.push(tab("Mirrors", "settings/mirrors"));
                tabs.push(tab("Merge requests", "settings/merge_requests"));
            }
            tabs.push(tab("Access tokens", "access_tokens"));
            tabs.push(tab("Deploy tokens", "deploy_tokens"));
            if self.kind == "Project" {
                tabs.push(tab("Deploy keys", "deploy_keys"));
            }
            tabs.push(tab("CI/CD", "settings/ci_cd"));
            if self.kind == "Project" {
                tabs.push(tab("Pipelines", "settings/pipelines"));
            }
            tabs.push(tab("Runners", "settings/runners"));
            tabs.push(tab("Protected environments", "settings/protected_environments"));
            if self.kind == "Group" {
                tabs.push(tab("Applications", "settings/applications"));
            }
        }
        if self.can_set_packages {
            tabs.push(tab("Packages", "settings/packages"));
        }
        if self.can_admin && self.kind == "Project" {
            tabs.push(tab("Error tracking", "settings/error_tracking"));
            tabs.push(tab("Alerts", "settings/alerts"));
            tabs.push(tab("Export", "export"));
        }
        // Placeholders belong to the group at the top, below the list of groups.
        if self.can_admin && self.kind == "Group" && self.above.len() == 1 {
            tabs.push(tab("Placeholders", "placeholders"));
        }
        tabs
    }
}

/// Whether a feature of a project is for somebody with this level in it.
fn shows(project: &Project, feature: &str, level: i64) -> bool {
    match project.feature(feature) {
        "disabled" => false,
        "private" => level >= GUEST,
        _ => true,
    }
}

/// How many members there are, for people.
fn members(space: &Space, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<Option<u64>> {
    let Viewer::User(_) = viewer else {
        return Ok(None);
    };
    let source = space.place(viewer).source;
    Ok(Some(count_members(tx, &source)?.unsigned_abs()))
}

/// The groups a group or project stands in, or the person.
fn above(space: &Space) -> Vec<(String, String)> {
    let (paths, names, is_of_person) = match space {
        Space::Group(group, _) => (&group.full_path, &group.full_name, false),
        Space::Project(project, _) => (
            &project.namespace_full_path,
            &project.namespace_full_name,
            project.namespace_kind != "group",
        ),
    };
    if is_of_person {
        return vec![(names.clone(), format!("/{paths}"))];
    }
    let mut steps = Vec::new();
    let mut path = String::from("/groups");
    // No name holds a slash, so the two split alike.
    for (part, name) in paths.split('/').zip(names.split(" / ")) {
        path = format!("{path}/{part}");
        steps.push((name.to_owned(), path.clone()));
    }
    if let Space::Group(..) = space {
        steps.pop();
        steps.insert(0, ("Groups".to_owned(), "/groups".to_owned()));
    }
    steps
}
