//! What the pages of this room show: plain view models of their templates.

pub mod cleanup;

use askama::Template;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Moment, Page, Pages};
use spaces::pages::views::SpaceHead;

/// `<place>/-/packages`.
#[derive(Debug, Template)]
#[template(path = "packages.html")]
pub struct Packages {
    pub page: Page,
    pub head: SpaceHead,
    pub search: String,
    /// Filter `type`, empty for any.
    pub kind: String,
    pub kinds: Vec<Choice>,
    pub sort: String,
    /// The values of `sort` to choose from.
    pub sorts: Vec<Choice>,
    pub is_filtered: bool,
    /// Shell lines that publish a first package, or empty.
    pub publish_example: String,
    pub packages: Vec<PackageRow>,
    pub pages: Pages,
}

#[derive(Debug, Clone, Default)]
pub struct PackageRow {
    pub name: String,
    pub version: String,
    /// `generic`, `npm` …
    pub kind: String,
    /// `default`, `hidden`, `processing`, `error`, `pending_destruction`,
    /// `deprecated`.
    pub status: String,
    /// Its address; empty where its project is hidden from the viewer.
    pub url: String,
    /// In a group: the project's full path, else empty.
    pub project: String,
    /// Who published it, or empty.
    pub creator: String,
    /// Their page; empty for access tokens, which have none.
    pub creator_url: String,
    pub created_at: Moment,
}

/// `<project>/-/packages/<id>`; deleting posts to `…/delete`, deleting one
/// file to `…/files/<file id>/delete`.
#[derive(Debug, Template)]
#[template(path = "package.html")]
pub struct Package {
    pub page: Page,
    /// The project's full path and address.
    pub place: (String, String),
    pub package: PackageRow,
    pub id: i64,
    /// Why its status is so, or empty.
    pub status_message: String,
    pub tags: Vec<String>,
    /// How to use it: a title and shell lines each.
    pub install: Vec<(String, String)>,
    /// How to publish its next version, likewise; empty for who may not.
    pub publish: Vec<(String, String)>,
    pub files: Vec<FileRow>,
    pub pages: Pages,
    /// Bytes.
    pub size: u64,
    /// Other versions, newest first.
    pub versions: Vec<PackageRow>,
    pub downloads: u64,
    /// Downloads by day (`Mar 4`) from the oldest, for the chart; empty hides it.
    pub downloads_by_day: Vec<(String, u64)>,
    pub last_downloaded_at: Option<Moment>,
    pub can_delete: bool,
}

#[derive(Debug, Clone, Default)]
pub struct FileRow {
    pub id: i64,
    pub name: String,
    pub url: String,
    /// Bytes.
    pub size: u64,
    pub created_at: Moment,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
    /// SHA-1 in hexadecimal, or empty.
    pub sha1: String,
    /// MD5 in hexadecimal, or empty.
    pub md5: String,
}

/// `<group>/-/settings/packages`: which duplicates are allowed.
#[derive(Debug, Template)]
#[template(path = "duplicates.html")]
pub struct Duplicates {
    pub page: Page,
    pub head: SpaceHead,
    /// One entry per format that has the setting.
    pub formats: Vec<DuplicateRow>,
    /// What is wrong with the form, by field name.
    pub errors: Errors,
}

#[derive(Debug, Clone, Default)]
pub struct DuplicateRow {
    pub label: &'static str,
    pub allowed_field: String,
    pub allowed: bool,
    pub exception_field: String,
    /// Pattern of names and versions that are exempt.
    pub exception: String,
}

/// `<project>/-/settings/packages`: which names only some may publish or
/// delete. Adding posts here with `action` `add`, removing with `remove` and
/// `rule_id`.
#[derive(Debug, Template)]
#[template(path = "protection.html")]
pub struct Protection {
    pub page: Page,
    pub head: SpaceHead,
    pub rules: Vec<RuleRow>,
    /// Field `pattern`.
    pub pattern: String,
    /// Field `package_type`.
    pub kind: String,
    pub kinds: Vec<Choice>,
    /// Field `push`.
    pub push: String,
    pub pushes: Vec<Choice>,
    /// Field `delete`.
    pub delete: String,
    pub deletes: Vec<Choice>,
}

#[derive(Debug, Clone, Default)]
pub struct RuleRow {
    pub id: i64,
    pub pattern: String,
    pub kind: String,
    /// Who may publish, or empty for no change.
    pub push: String,
    /// Who may delete, or empty for no change.
    pub delete: String,
}

#[cfg(test)]
mod tests;
