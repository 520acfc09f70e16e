//! What the pages of this room show: plain view models of their templates.

use super::members::{MemberForm, ShareForm};
use super::{create, deploy_tokens, settings};
use crate::access::role_name;
use crate::features::FeatureField;
use crate::model;
use crate::store;
use crate::store::deploy_tokens::DeployToken;
use crate::store::invitations::Invitation;
use crate::store::members::HeldRow;
use crate::store::stars::Starrer;
use askama::Template;
use identity::model::User;
use identity::pages::tokens::{ScopeBox, ShownSecret, TokenForm, TokenRow};
use kernel::html::ui::{self, Choice, Panel, Tab};
use kernel::html::{Errors, Moment, Page, Pages};
use kernel::http::Text;
use kernel::markup;
use kernel::time::{Date, Timestamp, date_of};

use super::code_front::CodeHtml;
use super::head::SpaceHead;
use super::panels::HeadMenu;
use super::tree::Tree;

kernel::params! {
    /// Filters of the list of projects.
    #[derive(Default)]
    pub struct HomeFilter {
        /// In name or path.
        pub search: Text,
        /// `mine`, `starred` or empty for all.
        pub scope: Text,
        /// Of this visibility.
        pub visibility: Text,
        /// Order.
        pub sort: Text,
    }
}

/// `/projects`: those the viewer may see.
#[derive(Debug, Template)]
#[template(path = "home.html")]
pub struct Home {
    pub page: Page,
    /// The list without its filter.
    pub url: &'static str,
    pub filter: HomeFilter,
    pub scopes: Vec<Choice>,
    pub visibilities: Vec<Choice>,
    pub sorts: Vec<Choice>,
    pub can_create: bool,
    pub projects: ProjectList,
}

impl Home {
    fn is_filtered(&self) -> bool {
        let HomeFilter { search, scope, visibility, .. } = &self.filter;
        !(search.is_empty() && scope.is_empty() && visibility.is_empty())
    }
}

/// One page of a list of projects, as `project_rows.html` shows it.
#[derive(Debug, Clone, Default)]
pub struct ProjectList {
    pub rows: Vec<model::Project>,
    /// Whether a row says where its project stands.
    pub with_namespace: bool,
    pub now: Timestamp,
    pub pages: Pages,
}

/// `/groups`: the groups the viewer may see.
#[derive(Debug, Template)]
#[template(path = "groups.html")]
pub struct Groups {
    pub page: Page,
    pub search: String,
    pub can_create: bool,
    pub groups: Tree,
    pub pages: Pages,
}

/// `/groups/<path>`: what it is, subgroups and projects, and what is newest.
#[derive(Debug, Template)]
#[template(path = "group.html")]
pub struct Group {
    pub page: Page,
    pub head: SpaceHead,
    pub can_create_projects: bool,
    pub can_create_subgroups: bool,
    /// Its description as HTML that is safe to show, or empty.
    pub about: String,
    /// What is looked for below it.
    pub search: String,
    pub subgroups: Tree,
    pub projects: ProjectList,
    pub panels: Vec<Panel>,
    pub menus: Vec<HeadMenu>,
    /// Some members, where the viewer may see them.
    pub people: Vec<store::MemberRow>,
    pub created_at: Moment,
    /// The viewer's role, or empty.
    pub role: String,
}

impl Group {
    /// Whether there is anything to look through.
    fn is_searchable(&self) -> bool {
        !self.search.is_empty() || !self.subgroups.is_empty() || self.projects.pages.total > 0
    }
}

/// `/<username>`: a person and their own projects.
#[derive(Debug, Template)]
#[template(path = "person.html")]
pub struct Person {
    pub page: Page,
    pub user: User,
    pub is_self: bool,
    /// What they did, for who may see it.
    pub panels: Vec<Panel>,
    /// Whether the viewer follows them; none for who cannot.
    pub is_followed: Option<bool>,
    /// What they say they are doing, or empty.
    pub status: String,
    /// Their own projects that the viewer may see.
    pub projects: ProjectList,
    /// Since when, unless the profile is private.
    pub joined_at: Option<Moment>,
}

/// `/<path>`: what a project is, what is newest in it and who works there; how
/// to begin, while it holds nothing.
#[derive(Debug, Template)]
#[template(path = "project.html")]
pub struct Project {
    pub page: Page,
    pub head: SpaceHead,
    pub project: model::Project,
    /// Its description as HTML that is safe to show, or empty.
    pub about: String,
    /// Its code, which it begins with.
    pub code: CodeHtml,
    pub panels: Vec<Panel>,
    pub menus: Vec<HeadMenu>,
    /// Some members, where the viewer may see them.
    pub people: Vec<store::MemberRow>,
    pub now: Timestamp,
    /// The viewer's role, or empty.
    pub role: String,
    /// The instance's address without a trailing slash.
    pub base_url: String,
    pub can_publish: bool,
    /// Whether the viewer starred it; none for who cannot.
    pub is_starred: Option<bool>,
    pub can_fork: bool,
    /// What it was forked from, where the viewer sees that.
    pub source: Option<model::Project>,
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
/// `change` with `user_id` and the last two, `remove` with `user_id`; `share`
/// with `group`, `group_access`, `share_until`; and so on.
#[derive(Debug, Template)]
#[template(path = "members.html")]
pub struct Members {
    pub page: Page,
    pub head: SpaceHead,
    pub search: String,
    pub can_manage: bool,
    /// Roles the viewer may give: access level and name.
    pub roles: Vec<Choice>,
    pub form: MemberForm,
    pub errors: Errors,
    pub members: Vec<MemberRow>,
    pub requests: Vec<store::MemberRow>,
    pub now: Timestamp,
    pub way_in: WayIn,
    pub pages: Pages,
    pub can_share: bool,
    /// Groups it is shared with, those that the viewer may see.
    pub shares: Vec<store::ShareRow>,
    /// Open invitations, for who manages members.
    pub invitations: Vec<Invitation>,
    /// What was typed of a share.
    pub share: ShareForm,
}

impl Members {
    fn role_name(&self, level: &i64) -> &'static str {
        role_name(*level)
    }

    /// The role of a share that was typed, or empty.
    fn share_level(&self) -> String {
        self.share.group_access.map(|level| level.to_string()).unwrap_or_default()
    }

    /// The role that was typed, or empty.
    fn level(&self) -> String {
        self.form.access_level.map(|level| level.to_string()).unwrap_or_default()
    }
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

/// A member, and what the viewer may do about it.
#[derive(Debug, Clone)]
pub struct MemberRow {
    pub member: store::MemberRow,
    pub is_direct: bool,
    /// The group it comes from, where the viewer may see that: name and path.
    pub inherited_from: Option<(String, String)>,
    pub can_change: bool,
    /// The viewer's own, which they may give up.
    pub can_leave: bool,
}

impl MemberRow {
    fn role(&self) -> &'static str {
        role_name(self.member.access_level)
    }

    /// Whether its role is that of a choice.
    /// The date it ends on, or empty.
    fn expires_on(&self) -> &str {
        self.member.expires_at.as_deref().unwrap_or_default()
    }
}

/// `…/-/settings` of a group or project. All its forms post here, with the
/// field `action`: `save`, `features` (the fields of REST), `rename` (`path`), `archive`, `unarchive`, `move`
/// (`to`), `delete` (`confirm`: the full path).
#[derive(Debug, Default, Template)]
#[template(path = "settings.html")]
pub struct Settings {
    pub page: Page,
    pub head: SpaceHead,
    pub form: settings::Fields,
    pub visibilities: Vec<Choice>,
    /// Where it may move: the first asks for a choice.
    pub targets: Vec<Choice>,
    pub can_delete: bool,
    /// Who may use each feature of a project.
    pub features: Vec<FeatureField>,
    pub errors: Errors,
}

impl Settings {
    /// What stands in a field.
    fn text<'f>(&self, field: &'f Option<String>) -> &'f str {
        field.as_deref().unwrap_or_default()
    }

    fn project_creations(&self) -> Vec<Choice> {
        Choice::list(settings::PROJECT_CREATION)
    }

    fn subgroup_creations(&self) -> Vec<Choice> {
        Choice::list(settings::SUBGROUP_CREATION)
    }
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
    pub form: TokenForm,
    pub roles: Vec<Choice>,
    pub level: String,
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

/// `…/-/deploy_tokens` of a group or project. Its forms post here, with the
/// field `action`: `create` with `name`, `username`, `expires_at`, `scopes[]`,
/// `revoke` with `token_id`.
#[derive(Debug, Template)]
#[template(path = "deploy_tokens.html")]
pub struct DeployTokens {
    pub page: Page,
    pub head: SpaceHead,
    /// User name and token just made, shown this once.
    pub secret: Option<(String, String)>,
    pub can_manage: bool,
    pub tokens: Vec<DeployToken>,
    pub form: deploy_tokens::Form,
    pub scopes: Vec<ScopeBox>,
    pub errors: Errors,
    pub now: Timestamp,
    pub pages: Pages,
}

impl DeployTokens {
    fn url(&self) -> String {
        format!("{}/-/deploy_tokens", self.head.url)
    }

    fn is_expired(&self, token: &DeployToken) -> bool {
        token.expires_at.is_some_and(|end| end <= self.now)
    }

    fn ends_on(&self, token: &DeployToken) -> Option<Date> {
        token.expires_at.map(date_of)
    }
}

/// `/<path>/-/starrers`: who starred a project.
#[derive(Debug, Template)]
#[template(path = "starrers.html")]
pub struct Starrers {
    pub page: Page,
    pub head: SpaceHead,
    pub search: String,
    pub starrers: Vec<Starrer>,
    pub now: Timestamp,
    pub pages: Pages,
}

/// `/<path>/-/forks`: what was forked from a project.
#[derive(Debug, Template)]
#[template(path = "forks.html")]
pub struct Forks {
    pub page: Page,
    pub head: SpaceHead,
    pub search: String,
    pub projects: ProjectList,
    pub can_fork: bool,
}

/// GET `/<path>/-/forks/new`; posts `name`, `path`, `namespace_id`, `description` and
/// `visibility` to `/<path>/-/forks`.
#[derive(Debug, Template)]
#[template(path = "new_fork.html")]
pub struct NewFork {
    pub page: Page,
    pub head: SpaceHead,
    pub form: create::Form,
    /// Where it may go.
    pub homes: Vec<Choice>,
    /// Field `namespace_id`.
    pub home: String,
    pub visibilities: Vec<Choice>,
    pub errors: Errors,
}

/// `/admin/users/<username>/memberships`.
#[derive(Debug, Template)]
#[template(path = "memberships.html")]
pub struct Memberships {
    pub page: Page,
    pub tabs: Vec<Tab>,
    pub rows: Vec<HeldRow>,
    pub now: Timestamp,
    pub pages: Pages,
}

impl Memberships {
    fn role(&self, row: &HeldRow) -> &'static str {
        role_name(row.access_level)
    }

    fn url(&self, row: &HeldRow) -> String {
        match row.source_type {
            model::SourceKind::Group => format!("/groups/{}", row.full_path),
            model::SourceKind::Project => format!("/{}", row.full_path),
        }
    }
}

/// `/` for strangers.
#[derive(Debug, Template)]
#[template(path = "front.html")]
pub struct Front {
    pub page: Page,
    /// The administrator's text as HTML, or empty.
    pub text: String,
    pub may_sign_up: bool,
    pub search: String,
    pub projects: ProjectList,
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
    pub form: create::Form,
    /// Where it may go: namespace id and full path; for groups also an empty
    /// value for none.
    pub parents: Vec<Choice>,
    /// Field `namespace_id` or `parent_id`.
    pub parent: String,
    pub visibilities: Vec<Choice>,
    pub errors: Errors,
}

#[cfg(test)]
mod tests;
