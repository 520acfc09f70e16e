//! What the pages of this room show: plain view models of their templates.

use askama::Template;
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Moment, Page, Pages};

/// What the heading says about the project or group the packages are in.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// Its name.
    pub name: String,
    /// Its full path (`acme/anvil`).
    pub full_path: String,
    /// Its address without a trailing slash (`/acme/anvil`, `/groups/acme`).
    pub url: String,
    /// The other pages of it, made by the room that owns them.
    pub tabs: Vec<Tab>,
}

/// `<place>/-/packages`.
#[derive(Debug, Template)]
#[template(path = "packages.html")]
pub struct Packages {
    /// The page.
    pub page: Page,
    /// The project or group.
    pub place: Place,
    /// Filter `search`.
    pub search: String,
    /// Filter `type`, empty for any.
    pub kind: String,
    /// The types to choose from.
    pub kinds: Vec<Choice>,
    /// Order `sort`.
    pub sort: String,
    /// The values of `sort` to choose from.
    pub sorts: Vec<Choice>,
    /// A filter hides packages.
    pub is_filtered: bool,
    /// Shell lines that publish a first package, or empty.
    pub publish_example: String,
    /// The packages of this page.
    pub packages: Vec<PackageRow>,
    /// Where the list stands.
    pub pages: Pages,
}

/// One package in a list.
#[derive(Debug, Clone, Default)]
pub struct PackageRow {
    /// Its name.
    pub name: String,
    /// Its version, or empty.
    pub version: String,
    /// `generic`, `npm` …
    pub kind: String,
    /// `default`, `hidden`, `processing`, `error`, `pending_destruction`,
    /// `deprecated`.
    pub status: String,
    /// Its address.
    pub url: String,
    /// In a group: the project's full path, else empty.
    pub project: String,
    /// Who published it, or empty.
    pub creator: String,
    /// When.
    pub created_at: Moment,
}

/// `<project>/-/packages/<id>`; deleting posts to `…/delete`, deleting one
/// file to `…/files/<file id>/delete`.
#[derive(Debug, Template)]
#[template(path = "package.html")]
pub struct Package {
    /// The page.
    pub page: Page,
    /// The project.
    pub place: Place,
    /// The package as in the list.
    pub package: PackageRow,
    /// Its id.
    pub id: i64,
    /// Why its status is so, or empty.
    pub status_message: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// How to use it: a title and shell lines each.
    pub install: Vec<(String, String)>,
    /// Its files on this page.
    pub files: Vec<FileRow>,
    /// Where the list of files stands.
    pub pages: Pages,
    /// Size of all files, in bytes.
    pub size: u64,
    /// Other versions, newest first.
    pub versions: Vec<PackageRow>,
    /// Downloads so far.
    pub downloads: u64,
    /// Downloads by day (`Mar 4`) from the oldest, for the chart; empty hides it.
    pub downloads_by_day: Vec<(String, u64)>,
    /// When it was last downloaded.
    pub last_downloaded_at: Option<Moment>,
    /// The viewer may delete it.
    pub can_delete: bool,
}

/// One file of a package.
#[derive(Debug, Clone, Default)]
pub struct FileRow {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Where it is downloaded.
    pub url: String,
    /// Bytes.
    pub size: u64,
    /// When it was uploaded.
    pub created_at: Moment,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
    /// SHA-1 in hexadecimal, or empty.
    pub sha1: String,
    /// MD5 in hexadecimal, or empty.
    pub md5: String,
}

#[cfg(test)]
mod tests;
