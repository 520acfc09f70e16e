//! What the pages of this room show: plain view models of their templates.

use askama::Template;
use identity::pages::tokens::{ShownSecret, TokenForm, TokenRow};
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Errors, Moment, Page, Pages};

/// `/`: the projects the viewer may see.
#[derive(Debug, Template)]
#[template(path = "home.html")]
pub struct Home {
    /// The page; `active` is `projects`.
    pub page: Page,
    /// Filter `search`.
    pub search: String,
    /// Filter `scope`: empty for all, `mine`, `starred` …
    pub scope: String,
    /// The values of `scope` to choose from.
    pub scopes: Vec<Choice>,
    /// Filter `visibility`, empty for any.
    pub visibility: String,
    /// The values of `visibility` to choose from.
    pub visibilities: Vec<Choice>,
    /// Order `sort`.
    pub sort: String,
    /// The values of `sort` to choose from.
    pub sorts: Vec<Choice>,
    /// Whether the viewer may make projects.
    pub can_create: bool,
    /// The projects of this page.
    pub projects: Vec<ProjectRow>,
    /// Where the list stands.
    pub pages: Pages,
}

impl Home {
    fn is_filtered(&self) -> bool {
        !(self.search.is_empty() && self.scope.is_empty() && self.visibility.is_empty())
    }
}

/// One project in a list.
#[derive(Debug, Clone, Default)]
pub struct ProjectRow {
    /// `acme/tools`, or what is left of it inside its group.
    pub namespace: String,
    pub name: String,
    /// Its address (`/acme/tools/anvil`).
    pub url: String,
    /// Its description, or empty.
    pub description: String,
    /// `private`, `internal`, `public`.
    pub visibility: String,
    /// It takes no changes.
    pub is_archived: bool,
    /// The viewer's role (`Developer`), or empty.
    pub role: String,
    /// When something last happened.
    pub last_activity_at: Moment,
}

/// One group in a list.
#[derive(Debug, Clone, Default)]
pub struct GroupRow {
    /// Its name; in the list of all groups with those above it.
    pub name: String,
    /// Its address (`/groups/acme`).
    pub url: String,
    /// Its description, or empty.
    pub description: String,
    /// `private`, `internal`, `public`.
    pub visibility: String,
    /// Subgroups the viewer may see.
    pub subgroups: u64,
    /// Projects the viewer may see.
    pub projects: u64,
    /// Direct members; 0 hides them.
    pub members: u64,
}

/// `/groups`: the groups the viewer may see.
#[derive(Debug, Template)]
#[template(path = "groups.html")]
pub struct Groups {
    /// The page; `active` is `groups`.
    pub page: Page,
    /// Filter `search`.
    pub search: String,
    /// Whether the viewer may make groups.
    pub can_create: bool,
    /// The groups of this page.
    pub groups: Vec<GroupRow>,
    /// Where the list stands.
    pub pages: Pages,
}

/// What the heading of a group's or project's pages says.
#[derive(Debug, Clone, Default)]
pub struct SpaceHead {
    /// `Group` or `Project`.
    pub kind: &'static str,
    pub id: i64,
    pub name: String,
    /// Its full path (`acme/anvil`).
    pub full_path: String,
    /// Its address without a trailing slash (`/groups/acme`, `/acme/anvil`).
    pub url: String,
    /// Its description, or empty.
    pub description: String,
    /// `private`, `internal`, `public`.
    pub visibility: String,
    /// It takes no changes.
    pub is_archived: bool,
    /// The viewer may see its issues.
    pub has_issues: bool,
    /// The viewer may see its packages.
    pub has_packages: bool,
    /// The viewer may see the errors its programs report.
    pub has_errors: bool,
    /// The viewer may see the alerts that monitoring tools send.
    pub has_alerts: bool,
    /// Members, where the viewer may see them.
    pub members: Option<u64>,
    /// The viewer may change its settings.
    pub can_admin: bool,
    /// The viewer may change the rules of its packages.
    pub can_set_packages: bool,
}

impl SpaceHead {
    /// One or two letters in place of a picture.
    pub fn initials(&self) -> String {
        kernel::html::PageViewer::initials(&self.name)
    }

    /// Links between its pages: `Overview`, `Issues`, `Packages`, `Errors`,
    /// `Members`, `Settings`.
    pub fn tabs(&self, current: &str) -> Vec<Tab> {
        let tab = |label: &str, path: &str| {
            Tab::new(label, format!("{}{path}", self.url), label == current)
        };
        let mut tabs = vec![tab("Overview", "")];
        if self.has_issues {
            tabs.push(tab("Issues", "/-/issues"));
        }
        if self.has_packages {
            tabs.push(tab("Packages", "/-/packages"));
        }
        if self.has_errors {
            tabs.push(tab("Errors", "/-/error_tracking"));
        }
        if self.has_alerts {
            tabs.push(tab("Alerts", "/-/alert_management"));
        }
        if let Some(members) = self.members {
            tabs.push(tab("Members", "/-/members").count(members));
        }
        if self.can_admin {
            tabs.push(tab("Settings", "/-/settings"));
        } else if self.can_set_packages {
            tabs.push(tab("Settings", "/-/settings/packages"));
        }
        tabs
    }

    /// Links between its settings.
    pub fn settings_tabs(&self, current: &str) -> Vec<Tab> {
        let tab = |label: &str, path: &str| {
            let url = format!("{}/-/{path}", self.url);
            Tab::new(label, url, label == current)
        };
        let mut tabs = Vec::new();
        if self.can_admin {
            tabs.push(tab("General", "settings"));
            tabs.push(tab("Access tokens", "access_tokens"));
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
        }
        tabs
    }
}

/// `/groups/<path>`: subgroups and projects.
#[derive(Debug, Template)]
#[template(path = "group.html")]
pub struct Group {
    /// The page; `active` is `groups`.
    pub page: Page,
    pub head: SpaceHead,
    /// The viewer may make projects here.
    pub can_create_projects: bool,
    /// The viewer may make subgroups here.
    pub can_create_subgroups: bool,
    pub subgroups: Vec<GroupRow>,
    /// Its projects on this page.
    pub projects: Vec<ProjectRow>,
    /// Where the list of projects stands.
    pub pages: Pages,
    pub created_at: Moment,
    /// The viewer's role, or empty.
    pub role: String,
}

/// `/<username>`: a person and their own projects.
#[derive(Debug, Template)]
#[template(path = "person.html")]
pub struct Person {
    pub page: Page,
    pub name: String,
    pub username: String,
    pub initials: String,
    /// The viewer looks at themselves.
    pub is_self: bool,
    /// Their own projects that the viewer may see.
    pub projects: Vec<ProjectRow>,
    /// Where the list stands.
    pub pages: Pages,
    /// Since when, unless the profile is private.
    pub joined_at: Option<Moment>,
}

/// `/<path>`: what a project is and how to use its registry.
#[derive(Debug, Template)]
#[template(path = "project.html")]
pub struct Project {
    /// The page; `active` is `projects`.
    pub page: Page,
    pub head: SpaceHead,
    pub topics: Vec<String>,
    /// The viewer's role, or empty.
    pub role: String,
    /// The instance's address without a trailing slash.
    pub base_url: String,
    /// The viewer may publish packages.
    pub can_publish: bool,
    pub stars: u64,
    pub created_at: Moment,
    /// When something last happened.
    pub last_activity_at: Moment,
}

impl Project {
    fn api_url(&self) -> String {
        format!("{}/api/v4/projects/{}", self.base_url, self.head.id)
    }

    fn publish_example(&self) -> String {
        format!(
            "curl --fail --header \"PRIVATE-TOKEN: $TOKEN\" \\\n     --upload-file anvil.tar.gz \\\n     \"{}/packages/generic/anvil/1.0.0/anvil.tar.gz\"",
            self.api_url()
        )
    }
}

/// `…/-/members` of a group or project. All its forms post here, with the
/// field `action`: `add` with `username`, `access_level`, `expires_at`,
/// `change` with `user_id` and the last two, `remove` with `user_id`.
#[derive(Debug, Template)]
#[template(path = "members.html")]
pub struct Members {
    pub page: Page,
    pub head: SpaceHead,
    /// Filter `search`.
    pub search: String,
    /// The viewer may change members.
    pub can_manage: bool,
    /// Roles the viewer may give: access level and name.
    pub roles: Vec<Choice>,
    /// The form for a new member, with what was typed.
    pub form: MemberForm,
    /// What is wrong with the form, by field name.
    pub errors: Errors,
    /// The members of this page.
    pub members: Vec<MemberRow>,
    /// Who asks for access, for those who manage members.
    pub requests: Vec<RequestRow>,
    /// The viewer's own way in.
    pub way_in: WayIn,
    /// Where the list stands.
    pub pages: Pages,
}

/// How somebody who is no member becomes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WayIn {
    /// Not by asking, or they are one already.
    #[default]
    None,
    MayAsk,
    Asked,
}

/// Somebody who asks for access.
#[derive(Debug, Clone, Default)]
pub struct RequestRow {
    pub user_id: i64,
    pub username: String,
    pub name: String,
    pub requested_at: Option<Moment>,
}

/// What the form for a new member holds.
#[derive(Debug, Clone, Default)]
pub struct MemberForm {
    /// Field `username`.
    pub username: String,
    /// Field `access_level`.
    pub access_level: String,
    /// Field `expires_at`, `YYYY-MM-DD`.
    pub expires_at: String,
}

#[derive(Debug, Clone, Default)]
pub struct MemberRow {
    pub user_id: i64,
    pub username: String,
    pub name: String,
    /// Name of the role (`Maintainer`).
    pub role: String,
    /// Its access level as text (`40`).
    pub access_level: String,
    pub is_direct: bool,
    /// The group it comes from, where the viewer may see that: name and address.
    pub inherited_from: Option<(String, String)>,
    /// The date it ends on, or empty.
    pub expires_on: String,
    pub created_at: Moment,
    /// It belongs to an access token.
    pub is_bot: bool,
    /// The viewer may change and remove it.
    pub can_change: bool,
    /// The viewer's own, which they may give up.
    pub can_leave: bool,
}

/// `…/-/settings` of a group or project. All its forms post here, with the
/// field `action`: `save`, `rename` (`path`), `archive`, `unarchive`, `move`
/// (`to`), `delete` (`confirm`: the full path).
#[derive(Debug, Default, Template)]
#[template(path = "settings.html")]
pub struct Settings {
    pub page: Page,
    pub head: SpaceHead,
    /// Field `name`.
    pub name: String,
    /// Field `description`.
    pub description: String,
    /// Field `path`.
    pub path: String,
    /// Field `visibility`.
    pub visibility: String,
    /// The visibilities that are allowed here.
    pub visibilities: Vec<Choice>,
    /// Field `topics` of a project, with commas between them.
    pub topics: String,
    /// Field `registry` of a project: who reads its packages.
    pub registry: String,
    /// The values of `registry`.
    pub registries: Vec<Choice>,
    /// Field `project_creation` of a group.
    pub project_creation: String,
    /// The values of `project_creation`.
    pub project_creations: Vec<Choice>,
    /// Field `subgroup_creation` of a group.
    pub subgroup_creation: String,
    /// The values of `subgroup_creation`.
    pub subgroup_creations: Vec<Choice>,
    /// Field `request_access`.
    pub request_access: bool,
    /// Where it may move: the first asks for a choice.
    pub targets: Vec<Choice>,
    /// The viewer may move and delete it.
    pub can_delete: bool,
    /// What is wrong, by field name.
    pub errors: Errors,
}

/// `…/-/access_tokens` of a group or project: list and form (`name`,
/// `description`, `access_level`, `expires_at`, `scopes[]`); rotate and revoke
/// post here, too, with `action` and `token_id`.
#[derive(Debug, Template)]
#[template(path = "space_tokens.html")]
pub struct SpaceTokens {
    pub page: Page,
    pub head: SpaceHead,
    /// The secret of the token just made, shown this once.
    pub secret: Option<ShownSecret>,
    pub active: Vec<TokenRow>,
    pub inactive: Vec<TokenRow>,
    /// The form, with what was typed.
    pub form: TokenForm,
    /// Roles the viewer may give.
    pub roles: Vec<Choice>,
    /// Field `access_level`.
    pub level: String,
    /// What is wrong with the form, by field name.
    pub errors: Errors,
}

impl SpaceTokens {
    fn url(&self) -> String {
        format!("{}/-/access_tokens", self.head.url)
    }

    fn act(&self, verb: &str, id: &i64) -> String {
        format!("{}?action={verb}&token_id={id}", self.url())
    }

    fn roles(&self) -> &[Choice] {
        &self.roles
    }

    fn role(&self) -> &str {
        &self.level
    }
}

/// GET `/groups/new` and `/projects/new`; posts `name`, `path`,
/// `namespace_id` (projects) or `parent_id` (groups), `description`,
/// `visibility` to `/groups` or `/projects`.
#[derive(Debug, Template)]
#[template(path = "new_space.html")]
pub struct NewSpace {
    pub page: Page,
    /// `group` or `project`.
    pub kind: &'static str,
    /// Field `name`.
    pub name: String,
    /// Field `path`; empty takes it from the name.
    pub path: String,
    /// Field `description`.
    pub description: String,
    /// Where it may go: namespace id and full path; for groups also an empty
    /// value for none.
    pub parents: Vec<Choice>,
    /// Field `namespace_id` or `parent_id`.
    pub parent: String,
    /// Field `visibility`.
    pub visibility: String,
    /// The visibilities that are allowed.
    pub visibilities: Vec<Choice>,
    /// What is wrong, by field name.
    pub errors: Errors,
}

#[cfg(test)]
mod tests;
