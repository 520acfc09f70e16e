//! Lists of packages of a project and of a group.

use super::Sort;
use crate::access::authorize;
use crate::builds;
use crate::declare::reads;
use crate::entity::{self, PackageEntity};
use crate::model::{Package, PackageType, Status, Tag};
use crate::rules::names::invalid;
use crate::store::list::{self, Filter, OrderBy};
use crate::store::packages as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::params::Flat;
use kernel::http::{Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use spaces::access::Purpose;
use std::collections::HashMap;
use store::Tx;

/// Most words of a fuzzy search.
const MAX_WORDS: usize = 16;

pub(super) fn routes(r: &mut Routes) {
    reads(r, "/projects/{id}/packages", of_project).summary("Lists the packages of a project");
    reads(r, "/groups/{id}/packages", of_group).summary("Lists the packages of a group's projects");
}

kernel::choices! {
    pub enum ProjectOrder {
        CreatedAt = "created_at", Name = "name", Version = "version", Type = "type",
    }
}

kernel::params! {
    pub struct ListProject {
        /// The project.
        pub id: Reference,
        /// The column sorted by, created_at unless given.
        pub order_by: Option<ProjectOrder>,
        pub wanted: Flat<Wanted>,
    }
}

kernel::params! {
    pub struct ListGroup {
        /// The group.
        pub id: Reference,
        /// Leave out the projects of subgroups.
        pub exclude_subgroups: Option<bool>,
        /// The column sorted by, created_at unless given.
        pub order_by: Option<OrderBy>,
        pub wanted: Flat<Wanted>,
    }
}

kernel::params! {
    pub struct Wanted {
        /// The direction, asc unless given.
        pub sort: Option<Sort>,
        /// Only this format.
        pub package_type: Option<PackageType>,
        /// Only names that contain these words.
        pub package_name: Option<String>,
        /// Only this version.
        pub package_version: Option<String>,
        /// Also packages without a version.
        pub include_versionless: Option<bool>,
        /// Only this state.
        pub status: Option<Status>,
    }
}

impl Wanted {
    fn filter(&self, order_by: Option<OrderBy>) -> Result<Filter> {
        let version = self.package_version.clone();
        Ok(Filter {
            order_by: order_by.unwrap_or(OrderBy::CreatedAt),
            descending: self.sort == Some(Sort::Desc),
            package_type: self.package_type,
            words: words_of(self.package_name.as_deref())?,
            version: version.filter(|text| !text.trim().is_empty()),
            include_versionless: self.include_versionless.unwrap_or(false),
            status: self.status,
            by_name: false,
        })
    }
}

fn words_of(name: Option<&str>) -> Result<Vec<String>> {
    let words = list::words(name.unwrap_or_default());
    if words.len() > MAX_WORDS {
        return Err(invalid("package_name"));
    }
    Ok(words)
}

async fn of_project(
    app: App, viewer: Viewer, params: Params<ListProject>, paging: Paging,
) -> Result<Paged<PackageEntity>> {
    let order = params.order_by.map(ProjectOrder::as_str);
    let filter = params.wanted.filter(order.and_then(OrderBy::from_text))?;
    let (base_url, handle) = (app.base_url().to_owned(), app.clone());
    Paged::read(&app, numbered(paging)?, move |tx, part| {
        let entered = authorize(tx, &viewer, &params.id, Purpose::ReadPackages)?;
        let project = &entered.project;
        let (limit, offset) = (part.fetch(), part.offset());
        let (rows, total) = list::of_project(tx, project.id, &filter, limit, offset)?;
        let (mut tags, may_delete) = (tags_of(tx, &rows)?, entered.may_delete());
        let mut built = builds::of_packages(&handle, tx, &viewer, ids(&rows))?;
        let shown = rows.into_iter().map(|package| {
            let tags = tags.remove(&package.id).unwrap_or_default();
            let built = built.remove(&package.id);
            entity::package(&base_url, package, &project.full_path, may_delete, tags)
                .built_by(built)
        });
        Ok((shown.collect(), total))
    })
    .await
}

fn ids(packages: &[Package]) -> Vec<i64> {
    packages.iter().map(|package| package.id).collect()
}

/// One page of the packages of all projects below a group.
async fn of_group(
    app: App, viewer: Viewer, params: Params<ListGroup>, paging: Paging,
) -> Result<Paged<PackageEntity>> {
    let filter = params.wanted.filter(params.order_by)?;
    let (base_url, handle) = (app.base_url().to_owned(), app.clone());
    let exclude_subgroups = params.exclude_subgroups.unwrap_or(false);
    Paged::read(&app, numbered(paging)?, move |tx, part| {
        let group = group_for_reading(tx, &viewer, &params.id)?;
        let projects = list::projects_below(tx, &viewer, &group, exclude_subgroups)?;
        let (limit, offset) = (part.fetch(), part.offset());
        let (rows, total) = list::of_projects(tx, &projects, &filter, limit, offset)?;
        let mut tags = tags_of(tx, &rows)?;
        let mut built = builds::of_packages(&handle, tx, &viewer, ids(&rows))?;
        let shown = list::shown_projects(tx, &viewer, &rows)?;
        let entities = rows.into_iter().map(|package| {
            let tags = tags.remove(&package.id).unwrap_or_default();
            let project_id = package.project_id;
            let project = shown.get(&project_id);
            let path = project.map_or("", |project| &project.full_path);
            let may_delete = project.is_some_and(|project| project.may_delete);
            let built = built.remove(&package.id);
            let entity = entity::package(&base_url, package, path, may_delete, tags);
            let mut entity = entity.built_by(built);
            entity.project_id = Some(project_id);
            entity.project_path = project
                .filter(|project| project.is_readable)
                .map(|project| project.full_path.clone());
            entity
        });
        Ok((entities.collect(), total))
    })
    .await
}

/// These lists are paged by number only.
fn numbered(paging: Paging) -> Result<Paging> {
    if paging.is_keyset() {
        return Err(Error::Parameters(vec!["pagination does not have a valid value".into()]));
    }
    Ok(paging)
}

/// The group, if the viewer may see it, or else may read packages somewhere
/// below it: a registry open to all is open in the lists of groups, too
/// (docs/interface/packages.md 1.5).
fn group_for_reading(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference,
) -> Result<spaces::Namespace> {
    let seen = spaces::group(tx, viewer, reference, Purpose::ReadPackages);
    if !matches!(seen, Err(Error::NotFound(_))) {
        return seen;
    }
    let hidden = spaces::access::find_group(tx, reference)?.found("Group")?;
    match list::projects_below(tx, viewer, &hidden, false)?.is_empty() {
        true => seen,
        false => Ok(hidden),
    }
}

fn tags_of(tx: &mut Tx<'_>, rows: &[Package]) -> Result<HashMap<i64, Vec<Tag>>> {
    let tagged = rows.iter().filter(|package| package.package_type.has_tags());
    let ids: Vec<i64> = tagged.map(|package| package.id).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(entity::tags_by_package(rows::tags_of(tx, ids)?))
}
