//! What the pages of this room show: plain view models of their templates.

pub mod cleanup;

use crate::about::About;
use crate::model::{self, PackageFile, ProtectionRule, Tag};
use crate::needs::{Need, Why};
use crate::settings::{self, Format};
use crate::store::list::OfName;
use askama::Template;
use identity::model::User;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Moment, Page, Pages};
use kernel::time::Timestamp;
use spaces::pages::SpaceHead;

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

/// A package with what its page and lists show beside it.
#[derive(Debug, Clone)]
pub struct PackageRow {
    pub package: model::Package,
    /// The full path of its project; none where that is hidden from the viewer.
    pub path: Option<String>,
    /// Who published it.
    pub creator: Option<User>,
    pub published: Moment,
    /// What a list by names says of its name; nothing elsewhere.
    pub of_name: OfName,
}

impl PackageRow {
    /// Its name; of conan the recipe.
    pub fn name(&self) -> &str {
        let recipe = self.package.conan_name.as_ref();
        recipe.unwrap_or(&self.package.name)
    }

    pub fn version(&self) -> &str {
        self.package.version.as_deref().unwrap_or_default()
    }

    pub fn url(&self) -> Option<String> {
        let path = self.path.as_ref()?;
        Some(format!("/{path}/-/packages/{}", self.package.id))
    }
}

/// `<project>/-/packages/<id>`; deleting posts to `…/delete`, deleting one
/// file to `…/files/<file id>/delete`.
#[derive(Debug, Template)]
#[template(path = "package.html")]
pub struct Package {
    pub page: Page,
    pub head: SpaceHead,
    pub row: PackageRow,
    /// Its address.
    pub url: String,
    pub tags: Vec<Tag>,
    /// How to use it: a title and shell lines each.
    pub install: Vec<(String, String)>,
    /// How to publish its next version, likewise; empty for who may not.
    pub publish: Vec<(String, String)>,
    pub files: Vec<PackageFile>,
    pub pages: Pages,
    /// What it tells of itself.
    pub about: About,
    /// Its README as HTML that is safe to show.
    pub readme: Option<String>,
    /// The newest other versions.
    pub versions: Vec<model::Package>,
    /// How many versions its name has.
    pub versions_total: u64,
    /// Downloads by day (`4 Mar`) from the oldest, for the chart; empty hides it.
    pub downloads_by_day: Vec<(String, u64)>,
    pub can_delete: bool,
    pub now: Timestamp,
}

impl Package {
    fn moment(&self, at: &Timestamp) -> Moment {
        Moment::new(*at, self.now)
    }

    /// Bytes of the files that are shown.
    fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size.unsigned_abs()).sum()
    }

    fn download(&self, file: &PackageFile) -> String {
        let (project, id) = (self.row.package.project_id, file.id);
        let package = file.package_id;
        format!("/api/v4/projects/{project}/packages/{package}/package_files/{id}/download")
    }
}

impl Why {
    /// What is needed for this reason, as a heading.
    pub(super) fn title(self) -> &'static str {
        match self {
            Why::Runs => "Dependencies",
            Why::Develops => "To develop it",
            Why::Expects => "Peer dependencies",
            Why::Bundles => "Bundled",
        }
    }
}

impl About {
    /// What is needed, by reason.
    fn by_reason(&self) -> impl Iterator<Item = (Why, &[Need])> {
        let groups = self.needs.chunk_by(|one, next| one.why == next.why);
        groups.filter_map(|group| Some((group.first()?.why, group)))
    }
}

/// `<project>/-/packages/<id>/versions`.
#[derive(Debug, Template)]
#[template(path = "package_versions.html")]
pub struct Versions {
    pub page: Page,
    /// The package whose versions these are.
    pub row: PackageRow,
    pub versions: Vec<PackageRow>,
    pub tags: Vec<Tag>,
    pub pages: Pages,
}

impl Versions {
    fn tags_of(&self, row: &PackageRow) -> impl Iterator<Item = &Tag> {
        let id = row.package.id;
        self.tags.iter().filter(move |tag| tag.package_id == id)
    }
}

/// `<group>/-/settings/packages`: which duplicates are allowed.
#[derive(Debug, Template)]
#[template(path = "duplicates.html")]
pub struct Duplicates {
    pub page: Page,
    pub head: SpaceHead,
    /// Each format that has the setting.
    pub formats: Vec<(&'static Format, settings::Duplicates)>,
    /// What is wrong with the form, by field name.
    pub errors: Errors,
}

/// `<project>/-/settings/packages`: which names only some may publish or
/// delete. Adding posts here with `action` `add`, removing with `remove` and
/// `rule_id`.
#[derive(Debug, Template)]
#[template(path = "protection.html")]
pub struct Protection {
    pub page: Page,
    pub head: SpaceHead,
    pub rules: Vec<ProtectionRule>,
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

#[cfg(test)]
mod tests;
