//! HTML pages of the registry: the list of a project and of a group, one
//! package, deletion, and the settings that rule them.

mod cleanup;
mod details;
mod install;
mod limits;
pub mod panels;
mod publishing;
mod settings;
pub mod views;

use crate::access::{RegistryAccess, authorize};
use crate::model::{self, PackageType};
use crate::rules::destroy::Deletion;
use crate::store::list::{self, Filter, OfName, OrderBy};
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, Pages, flash};
use kernel::http::params::one_of;
use kernel::http::{Paging, Params, RequestContext, Response, Routes};
use kernel::ids::Reference;
use spaces::access::Purpose;
use spaces::pages::{Address, PROJECT, Section, Space, section};
use std::sync::Arc;
use store::Tx;
use views::{PackageRow, Packages};

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "packages", list_page);
    let one = format!("{PROJECT}/-/packages/{{package_id}}");
    r.page(Method::GET, &one, details::show);
    r.page(Method::GET, &format!("{one}/versions"), details::versions);
    r.page(Method::POST, &format!("{one}/delete"), delete_package);
    r.page(Method::POST, &format!("{one}/files/{{file_id}}/delete"), delete_file);
    settings::routes(r);
    cleanup::routes(r);
    limits::routes(r);
}

kernel::params! {
    pub struct ListPage {
        pub search: Option<String>,
        pub kind as "type": Option<String>,
        pub sort: Option<String>,
    }
}

kernel::params! {
    pub struct OnePackage {
        pub package_id: i64,
    }
}

kernel::params! {
    pub struct OneFile {
        pub package_id: i64,
        pub file_id: i64,
    }
}

/// Packages as lists show them; `path` tells the path of a project, if the
/// viewer may see it.
fn rows(
    tx: &mut Tx<'_>, packages: Vec<model::Package>, path: impl Fn(i64) -> Option<String>,
) -> Result<Vec<PackageRow>> {
    let ids: Vec<i64> = packages.iter().filter_map(|one| one.creator_id).collect();
    let (creators, now) = (identity::entities::load_basic(tx, &ids)?, tx.now());
    let rows = packages.into_iter().map(|package| PackageRow {
        path: path(package.project_id),
        of_name: OfName::default(),
        creator: package.creator_id.and_then(|id| creators.get(&id).cloned()),
        published: Moment::new(package.created_at, now),
        package,
    });
    Ok(rows.collect())
}

/// The same, each with what a list by names says of its name.
fn rows_of_names(
    tx: &mut Tx<'_>, packages: Vec<model::Package>, path: impl Fn(i64) -> Option<String>,
) -> Result<Vec<PackageRow>> {
    let ids: Vec<i64> = packages.iter().map(|one| one.id).collect();
    let mut of_names = list::of_names(tx, &ids)?;
    let mut rows = rows(tx, packages, path)?;
    for row in &mut rows {
        row.of_name = of_names.remove(&row.package.id).unwrap_or_default();
    }
    Ok(rows)
}

const SORTS: &[(&str, &str)] = &[
    ("created_desc", "Published last"),
    ("created_asc", "Published first"),
    ("name_asc", "Name"),
    ("version_desc", "Version"),
];

fn kinds() -> Vec<Choice> {
    let mut pairs = vec![("", "Any")];
    pairs.extend(PackageType::ALL.iter().map(|kind| (kind.as_str(), kind.as_str())));
    Choice::list(&pairs)
}

impl ListPage {
    fn sort(&self) -> Result<&'static str> {
        one_of("sort", self.sort.as_deref(), SORTS)
    }

    fn filter(&self) -> Result<Filter> {
        let sort = self.sort()?;
        let kind = self.kind.as_deref().filter(|kind| !kind.is_empty());
        let package_type = kind.map(|kind| {
            let wrong = || Error::BadRequest("type does not have a valid value".into());
            PackageType::from_text(kind).ok_or_else(wrong)
        });
        Ok(Filter {
            order_by: match sort {
                "name_asc" => OrderBy::Name,
                "version_desc" => OrderBy::Version,
                _ => OrderBy::CreatedAt,
            },
            descending: matches!(sort, "created_desc" | "version_desc"),
            package_type: package_type.transpose()?,
            words: list::words(self.search.as_deref().unwrap_or_default()),
            by_name: true,
            ..Filter::default()
        })
    }
}

async fn list_page(
    app: App, viewer: Viewer, request: Arc<RequestContext>, params: Params<ListPage>,
    paging: Paging,
) -> Result<Response> {
    let Params(params) = params;
    let address = Address::of(&request)?;
    let (filter, sort) = (params.filter()?, params.sort()?.to_owned());
    let search = params.search.unwrap_or_default();
    let kind = params.kind.unwrap_or_default();
    let shown = identity::pages::page(&app, &viewer, "Packages");
    let base_url = app.base_url().to_owned();
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("search", &search)
        .append_pair("type", &kind)
        .append_pair("sort", &sort)
        .finish();
    let view = app.read(move |tx| {
        let space = address.authorize(tx, &viewer, Purpose::ReadPackages)?;
        let (limit, offset) = (paging.per_page, paging.offset());
        let (packages, total) = match &space {
            Space::Project(project, _) => {
                let (packages, total) = list::of_project(tx, project.id, &filter, limit, offset)?;
                let path = |_| Some(project.full_path.clone());
                (rows_of_names(tx, packages, path)?, total)
            }
            Space::Group(group, _) => of_group(tx, &viewer, group, &filter, (limit, offset))?,
        };
        let head = space.head(tx, &viewer)?;
        Ok(Packages {
            page: head.page(shown, Section::Packages),
            is_filtered: !search.is_empty() || !kind.is_empty(),
            search,
            kind,
            kinds: kinds(),
            sort,
            sorts: Choice::list(SORTS),
            publish_example: publish_example(tx, &viewer, &space, &base_url)?,
            packages,
            pages: Pages::of(&paging, total, format!("{}/-/packages?{query}", space.url())),
            head,
        })
    });
    Ok(Html::new(&view.await?)?.response())
}

fn of_group(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &spaces::Namespace, filter: &Filter,
    (limit, offset): (i64, i64),
) -> Result<(Vec<PackageRow>, i64)> {
    let projects = list::projects_below(tx, viewer, group, false)?;
    let (packages, total) = list::of_projects(tx, &projects, filter, limit, offset)?;
    let ids: Vec<i64> = packages.iter().map(|package| package.project_id).collect();
    // A registry may be open though its project is hidden.
    let paths = list::project_paths(tx, viewer, &ids)?;
    Ok((rows_of_names(tx, packages, |id| paths.get(&id).cloned())?, total))
}

/// How to publish a first package, for those who may.
fn publish_example(
    tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, base_url: &str,
) -> Result<String> {
    match space {
        Space::Project(project, _)
            if spaces::may(tx, viewer, project, Purpose::PublishPackage)? =>
        {
            Ok(format!(
                "curl --header \"PRIVATE-TOKEN: <token>\" --upload-file hammer.zip \\\n  \
                 {base_url}/api/v4/projects/{}/packages/generic/hammer/1.0.0/hammer.zip",
                project.id
            ))
        }
        _ => Ok(String::new()),
    }
}

/// The project of an address, as the rules of this room take it.
fn authorized(
    tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, purpose: Purpose,
) -> Result<RegistryAccess> {
    match address.authorize(tx, viewer, purpose)? {
        // By its id now: the address may be one it had before.
        Space::Project(project, _) => authorize(tx, viewer, &Reference::Id(project.id), purpose),
        Space::Group(..) => Err(Error::NotFound("Project")),
    }
}

async fn delete_package(
    app: App, viewer: Viewer, asked: Arc<RequestContext>, params: Params<OnePackage>,
) -> Result<Response> {
    let (address, registry) = (Address::of(&asked)?, app.jobs().clone());
    let id = params.package_id;
    let deleted = app.write(move |tx| {
        let entered = authorized(tx, &viewer, &address, Purpose::DestroyPackage)?;
        Deletion::new(&registry, &viewer, Some(&asked)).package(tx, &entered, id)?;
        Ok(format!("/{}/-/packages", entered.project.full_path))
    });
    flash::done(&app, &deleted.await?, "Package deleted.")
}

async fn delete_file(
    app: App, viewer: Viewer, asked: Arc<RequestContext>, params: Params<OneFile>,
) -> Result<Response> {
    let (address, registry) = (Address::of(&asked)?, app.jobs().clone());
    let ids = (params.package_id, params.file_id);
    let deleted = app.write(move |tx| {
        let entered = authorized(tx, &viewer, &address, Purpose::DestroyPackage)?;
        Deletion::new(&registry, &viewer, Some(&asked)).file(tx, &entered, ids)?;
        let path = &entered.project.full_path;
        Ok(format!("/{path}/-/packages/{}", ids.0))
    });
    flash::done(&app, &deleted.await?, "File deleted.")
}
