//! Filters of lists, the same for every interface that shows them.

use super::contains;
use crate::access::{self, GUEST, OWNER, Purpose};
use crate::model::{Namespace, Sort, Visibility};
use identity::viewer::Viewer;
use kernel::ids::fold;
use kernel::time::{Date, Timestamp};
use serde_json::json;
use store::{Fragment, IntoValue, Tx};

kernel::choices! {
    /// Orders of projects.
    pub enum ProjectOrder {
        Id = "id",
        Name = "name",
        Path = "path",
        CreatedAt = "created_at",
        UpdatedAt = "updated_at",
        LastActivityAt = "last_activity_at",
        StarCount = "star_count",
        Similarity = "similarity",
        StorageSize = "storage_size",
        RepositorySize = "repository_size",
        PackagesSize = "packages_size",
        WikiSize = "wiki_size",
    }
}

impl ProjectOrder {
    pub fn column(self) -> &'static str {
        match self {
            ProjectOrder::Id => "projects.id",
            ProjectOrder::Name | ProjectOrder::Similarity => "projects.name_folded",
            ProjectOrder::Path => "projects.full_path_folded",
            ProjectOrder::UpdatedAt => "projects.updated_at",
            ProjectOrder::LastActivityAt => "projects.last_activity_at",
            ProjectOrder::StarCount => "projects.star_count",
            _ => "projects.created_at",
        }
    }
}

kernel::params! {
    /// What a list of projects is narrowed to, and how it is shown.
    #[derive(Default)]
    pub struct ListProjects {
        /// Only projects the caller is a member of.
        pub membership: Option<bool>,
        /// Only projects the caller owns.
        pub owned: Option<bool>,
        /// Only projects the caller starred.
        pub starred: Option<bool>,
        /// Only archived ones, or only others.
        pub archived: Option<bool>,
        /// Only of this visibility.
        pub visibility: Option<Visibility>,
        /// In name, path or description.
        pub search: Option<String>,
        /// Search the namespace's path too.
        pub search_namespaces: Option<bool>,
        /// Fewer fields.
        pub simple: Option<bool>,
        /// Only with all these topics.
        pub topic: Option<Vec<String>>,
        /// Only where the caller has at least this role.
        pub min_access_level: Option<i64>,
        /// What to sort by.
        pub order_by: Option<ProjectOrder>,
        /// Direction.
        pub sort: Option<Sort>,
        /// Only ids above.
        pub id_after: Option<i64>,
        /// Only ids below.
        pub id_before: Option<i64>,
        /// Only active since.
        pub last_activity_after: Option<Timestamp>,
        /// Only inactive since.
        pub last_activity_before: Option<Timestamp>,
        /// Only changed since.
        pub updated_after: Option<Timestamp>,
        /// Only unchanged since.
        pub updated_before: Option<Timestamp>,
        /// Only with issues.
        pub with_issues_enabled: Option<bool>,
        /// Only with merge requests.
        pub with_merge_requests_enabled: Option<bool>,
        /// Only with files in this programming language.
        pub with_programming_language: Option<String>,
        /// Only imported ones.
        pub imported: Option<bool>,
        /// Only those marked for deletion on this day.
        pub marked_for_deletion_on: Option<Date>,
        /// With bytes in use.
        pub statistics: Option<bool>,
        /// Where the repository lies; administrators only.
        pub repository_storage: Option<String>,
    }
}

/// What lists of projects of every interface are narrowed to.
#[derive(Debug, Clone, Default)]
pub struct ProjectFilter {
    pub like: ListProjects,
    pub ids: Option<Vec<i64>>,
    pub full_paths: Option<Vec<String>>,
    /// Only those in the viewer's own namespace.
    pub personal: bool,
}

impl ProjectFilter {
    /// Condition on `projects`: those the viewer may see that pass.
    pub fn condition(&self, tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
        let mut sql = self.like.condition(tx, viewer);
        if let Some(ids) = &self.ids {
            sql.raw(" and").in_list("projects.id", ids);
        }
        if let Some(paths) = &self.full_paths {
            let folded: Vec<String> = paths.iter().map(|path| fold(path)).collect();
            sql.raw(" and").in_list("projects.full_path_folded", folded);
        }
        if self.personal {
            let own = own_projects(viewer.user_id().unwrap_or(-1));
            sql.raw(" and ").append(own);
        }
        sql
    }
}

impl ListProjects {
    /// Condition on `projects`: those the viewer may see that pass.
    pub fn condition(&self, tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
        let mut sql = access::visible_projects(tx, viewer, Purpose::Read);
        self.of_viewer(tx, viewer, &mut sql);
        if let Some(archived) = self.archived {
            sql.push(" and projects.archived = ", archived);
        }
        if let Some(visibility) = self.visibility {
            sql.push(" and projects.visibility = ", visibility.level());
        }
        let search = self.search.as_deref();
        if let Some(search) = search.filter(|text| !text.is_empty()) {
            let columns: &[&str] = match self.search_namespaces {
                Some(true) => &["name_folded", "full_path_folded", "description_folded"],
                _ => &["name_folded", "path_folded", "description_folded"],
            };
            search_in(&mut sql, "projects", columns, search);
        }
        for topic in self.topic.iter().flatten() {
            // The text of a JSON list of texts is the same on both engines.
            let quoted = json!(topic).to_string();
            sql.push(" and cast(projects.topics as text) like ", contains(&quoted))
                .raw(" escape '\\'");
        }
        self.bounds(&mut sql);
        // No files are kept that a language could be told from, nothing is
        // imported, and what is marked for deletion shows to nobody.
        let language = self.with_programming_language.as_deref();
        if language.is_some_and(|language| !language.is_empty())
            || self.imported == Some(true)
            || self.marked_for_deletion_on.is_some()
        {
            sql.raw(" and 1 = 0");
        }
        if self.with_issues_enabled == Some(true) {
            sql.raw(" and coalesce(projects.features ->> 'issues', '') <> 'disabled'");
        }
        if self.with_merge_requests_enabled == Some(true) {
            sql.raw(" and coalesce(projects.features ->> 'merge_requests', '') <> 'disabled'");
        }
        sql
    }

    /// What the viewer has to do with the projects.
    fn of_viewer(&self, tx: &Tx<'_>, viewer: &Viewer, sql: &mut Fragment) {
        let least = [
            self.membership.filter(|only| *only).map(|_| GUEST),
            self.owned.filter(|only| *only).map(|_| OWNER),
            self.min_access_level,
        ];
        if let Some(level) = least.into_iter().flatten().max() {
            match viewer.user_id() {
                Some(user_id) => {
                    sql.raw(" and ").append(access::projects_of(tx, user_id, level));
                }
                None => {
                    sql.raw(" and false");
                }
            }
        }
        if self.starred == Some(true) {
            let starred = starred_projects(viewer.user_id().unwrap_or(-1));
            sql.raw(" and ").append(starred);
        }
    }

    fn bounds(&self, sql: &mut Fragment) {
        if let Some(id) = self.id_after {
            sql.push(" and projects.id > ", id);
        }
        if let Some(id) = self.id_before {
            sql.push(" and projects.id < ", id);
        }
        for (test, at) in [
            (" and projects.last_activity_at >= ", self.last_activity_after),
            (" and projects.last_activity_at <= ", self.last_activity_before),
            (" and projects.updated_at >= ", self.updated_after),
            (" and projects.updated_at <= ", self.updated_before),
        ] {
            if let Some(at) = at {
                sql.push(test, at);
            }
        }
    }
}

/// A condition on `projects` that a value and a parenthesis close.
fn closed(text: &str, value: impl IntoValue) -> Fragment {
    let mut condition = Fragment::default();
    condition.push(text, value).raw(")");
    condition
}

pub fn starred_projects(user_id: i64) -> Fragment {
    let stars = "projects.id in (select s.project_id from stars s where s.user_id = ";
    closed(stars, user_id)
}

pub fn own_projects(user_id: i64) -> Fragment {
    let own = "projects.namespace_id in (select n.id from namespaces n where n.owner_id = ";
    closed(own, user_id)
}

/// Projects that stand right in a namespace.
pub fn projects_right_in(namespace_id: i64) -> Fragment {
    closed("(projects.namespace_id = ", namespace_id)
}

/// Projects that were forked from one.
pub fn forks_of(project_id: i64) -> Fragment {
    closed("(projects.forked_from_id = ", project_id)
}

/// Projects in a group and the groups below it.
pub fn projects_below(group: &Namespace) -> Fragment {
    let mut below = Fragment::new(
        "projects.namespace_id in (select n.id from namespaces n where n.lineage >= ",
    );
    below.bind(&group.lineage);
    below.append(closed(" and n.lineage < ", group.lineage_end()));
    below
}

pub fn projects_shared_with(group_id: i64) -> Fragment {
    let shared = "projects.id in (select s.source_id from shares s
        where s.source_type = 'Project' and s.group_id = ";
    closed(shared, group_id)
}

pub fn search_projects(sql: &mut Fragment, text: &str) {
    if !text.is_empty() {
        let columns = ["name_folded", "full_path_folded"];
        search_in(sql, "projects", &columns, text);
    }
}

pub fn search_groups(sql: &mut Fragment, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        search_in(sql, "namespaces", &["name_folded", "full_path_folded"], text);
    }
}

/// Users whose name or login contains the text, or whose e-mail it is.
pub fn search_users(sql: &mut Fragment, text: Option<&str>) {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return;
    };
    let folded = fold(text);
    sql.push(" and (users.name_folded like ", contains(&folded))
        .push(" escape '\\' or users.username_folded like ", contains(&folded))
        .push(" escape '\\' or users.email_folded = ", folded)
        .raw(")");
}

pub fn search_in(sql: &mut Fragment, table: &str, columns: &[&str], text: &str) {
    let pattern = contains(&fold(text));
    sql.raw(" and (");
    for (index, column) in columns.iter().enumerate() {
        let or = if index == 0 { "" } else { " or " };
        sql.push(&format!("{or}{table}.{column} like "), pattern.as_str())
            .raw(" escape '\\'");
    }
    sql.raw(")");
}
