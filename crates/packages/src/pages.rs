//! HTML pages of a project's registry: the list, one package, deletion.
//!
//! A project's path has any number of parts, which a route cannot say, so
//! each page is declared once per depth and reads the path itself.

pub mod views;

use crate::access::{Entered, enter};
use crate::model::{self, PackageType};
use crate::rules::destroy;
use crate::store::list::{self, Filter, OrderBy};
use crate::store::{files, packages};
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::{Choice, Tab};
use kernel::html::{Html, Moment, Pages};
use kernel::http::{Asked, Paging, Params, Response, Routes, reply};
use kernel::ids::Reference;
use kernel::time::{Date, Timestamp};
use spaces::access::Purpose;
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;
use views::{FileRow, Package, PackageRow, Packages, Place};

/// Most parts of a project's path: groups nest 20 deep.
const MAX_PARTS: usize = 21;
/// Most files one page shows.
const MAX_FILES: i64 = 500;

/// The room's pages.
pub fn routes(r: &mut Routes) {
    for parts in 2..=MAX_PARTS {
        let place: String = (1..=parts).map(|at| format!("/{{part{at}}}")).collect();
        let one = format!("{place}/-/packages/{{package_id}}");
        r.page(Method::GET, &format!("{place}/-/packages"), list_page);
        r.page(Method::GET, &one, package_page);
        r.page(Method::POST, &format!("{one}/delete"), delete_package);
        r.page(
            Method::POST,
            &format!("{one}/files/{{file_id}}/delete"),
            delete_file,
        );
    }
}

kernel::params! {
    /// What the list shows.
    pub struct ListPage {
        /// Words of the name.
        pub search: Option<String>,
        /// The format.
        pub kind as "type": Option<String>,
        /// The order.
        pub sort: Option<String>,
    }
}

kernel::params! {
    /// A package.
    pub struct OnePackage {
        /// The package.
        pub package_id: i64,
    }
}

kernel::params! {
    /// A file of a package.
    pub struct OneFile {
        /// The package.
        pub package_id: i64,
        /// The file.
        pub file_id: i64,
    }
}

/// The project whose page was asked for.
fn project_of(asked: &Asked) -> Result<Reference> {
    let path = asked.uri.path();
    let place = path
        .split("/-/")
        .next()
        .unwrap_or_default()
        .trim_start_matches('/');
    let decoded = percent_encoding::percent_decode_str(place).decode_utf8();
    Ok(Reference::Path(
        decoded
            .map_err(|_| Error::NotFound("Project"))?
            .into_owned(),
    ))
}

fn place_of(project: &spaces::Project) -> Place {
    let url = format!("/{}", project.full_path);
    Place {
        name: project.name.clone(),
        full_path: project.full_path.clone(),
        tabs: vec![
            Tab::new("Overview", url.as_str(), false),
            Tab::new("Packages", format!("{url}/-/packages"), true),
        ],
        url,
    }
}

/// Names of the users who published these, by id.
fn creators(
    tx: &mut Tx<'_>,
    rows: &[model::Package],
) -> Result<HashMap<i64, identity::model::User>> {
    let ids: Vec<i64> = rows
        .iter()
        .filter_map(|package| package.creator_id)
        .collect();
    Ok(identity::entities::load_basic(tx, &ids)?)
}

fn row(
    package: &model::Package,
    place: &Place,
    creators: &HashMap<i64, identity::model::User>,
    now: Timestamp,
) -> PackageRow {
    let creator = package.creator_id.and_then(|id| creators.get(&id));
    PackageRow {
        name: package
            .conan_name
            .clone()
            .unwrap_or_else(|| package.name.clone()),
        version: package.version.clone().unwrap_or_default(),
        kind: package.package_type.as_str().to_owned(),
        status: package.status.as_str().to_owned(),
        url: format!("{}/-/packages/{}", place.url, package.id),
        project: String::new(),
        creator: creator
            .map(|user| user.username.clone())
            .unwrap_or_default(),
        created_at: Moment::new(package.created_at, now),
    }
}

const SORTS: &[(&str, &str)] = &[
    ("created_desc", "Newest"),
    ("created_asc", "Oldest"),
    ("name_asc", "Name"),
    ("version_desc", "Version"),
];

fn kinds() -> Vec<Choice> {
    let mut pairs = vec![("", "Any")];
    pairs.extend(
        PackageType::ALL
            .iter()
            .map(|kind| (kind.as_str(), kind.as_str())),
    );
    Choice::list(&pairs)
}

async fn list_page(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<ListPage>,
    paging: Paging,
) -> Result<Response> {
    let Params(params) = params;
    let reference = project_of(&asked)?;
    let search = params.search.unwrap_or_default();
    let kind = params.kind.unwrap_or_default();
    let sort = params.sort.unwrap_or_default();
    let sort = if sort.is_empty() {
        "created_desc".to_owned()
    } else {
        sort
    };
    let filter = Filter {
        order_by: match sort.as_str() {
            "name_asc" => OrderBy::Name,
            "version_desc" => OrderBy::Version,
            _ => OrderBy::CreatedAt,
        },
        descending: matches!(sort.as_str(), "created_desc" | "version_desc"),
        package_type: PackageType::from_text(&kind),
        words: list::words(&search),
        ..Filter::default()
    };
    let mut page = identity::pages::page(&app, &viewer, "Packages");
    page.active = "projects";
    let base_url = app.base_url().to_owned();
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("search", &search)
        .append_pair("type", &kind)
        .append_pair("sort", &sort)
        .finish();
    let view = app
        .read(move |tx| {
            let entered = enter(tx, &viewer, &reference, Purpose::ReadPackages)?;
            let place = place_of(&entered.project);
            let (limit, offset) = (paging.per_page, paging.offset());
            let (rows, total) = list::of_project(tx, entered.project.id, &filter, limit, offset)?;
            let (creators, now) = (creators(tx, &rows)?, tx.now());
            Ok(Packages {
                page: page.crumb(place.full_path.as_str(), place.url.as_str()),
                is_filtered: !search.is_empty() || !kind.is_empty(),
                search,
                kind,
                kinds: kinds(),
                sort,
                sorts: Choice::list(SORTS),
                publish_example: format!(
                    "curl --header \"PRIVATE-TOKEN: <token>\" --upload-file hammer.zip \\\n  \
                     {base_url}/api/v4/projects/{}/packages/generic/hammer/1.0.0/hammer.zip",
                    entered.project.id
                ),
                packages: rows
                    .iter()
                    .map(|one| row(one, &place, &creators, now))
                    .collect(),
                pages: Pages {
                    page: (offset / limit.max(1) + 1).unsigned_abs(),
                    per_page: limit.unsigned_abs(),
                    total: total.unsigned_abs(),
                    url: format!("{}/-/packages?{query}", place.url),
                },
                place,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

async fn package_page(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<OnePackage>,
) -> Result<Response> {
    let reference = project_of(&asked)?;
    let mut page = identity::pages::page(&app, &viewer, "Package");
    page.active = "projects";
    let base_url = app.base_url().to_owned();
    let view = app
        .read(move |tx| {
            let entered = enter(tx, &viewer, &reference, Purpose::ReadPackages)?;
            let package = packages::package_in(tx, entered.project.id, params.package_id)?
                .filter(|package| package.status.is_detailed())
                .ok_or_else(destroy::not_found)?;
            package_view(tx, page, &entered, &package, &base_url)
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

fn package_view(
    tx: &mut Tx<'_>,
    page: kernel::html::Page,
    entered: &Entered,
    package: &model::Package,
    base_url: &str,
) -> Result<Package> {
    let (place, now) = (place_of(&entered.project), tx.now());
    let creators = creators(tx, std::slice::from_ref(package))?;
    let shown = row(package, &place, &creators, now);
    let stored = files::list(tx, package.id, "id", " desc", MAX_FILES, 0)?;
    let total = files::count(tx, package.id)?.unsigned_abs();
    let versions = packages::other_versions(tx, package)?;
    let versions = versions.into_iter().rev().take(20).map(|other| PackageRow {
        name: shown.name.clone(),
        version: other.version.unwrap_or_default(),
        kind: shown.kind.clone(),
        status: "default".into(),
        url: format!("{}/-/packages/{}", place.url, other.id),
        created_at: Moment::new(other.created_at, now),
        ..PackageRow::default()
    });
    let versions = versions.collect();
    let tags = packages::tags_of(tx, vec![package.id])?;
    let days = packages::downloads_by_day(tx, package.id)?;
    let api = format!(
        "/api/v4/projects/{}/packages/{}",
        package.project_id, package.id
    );
    let mut page = page
        .crumb(place.full_path.as_str(), place.url.as_str())
        .crumb("Packages", format!("{}/-/packages", place.url));
    page.title = shown.name.clone();
    Ok(Package {
        page,
        id: package.id,
        status_message: String::new(),
        tags: tags.into_iter().map(|tag| tag.name).collect(),
        install: install(package, &stored, base_url),
        size: stored.iter().map(|file| file.size.unsigned_abs()).sum(),
        files: stored
            .into_iter()
            .map(|file| file_row(file, &api, now))
            .collect(),
        pages: Pages {
            page: 1,
            per_page: total.max(1),
            total,
            url: shown.url.clone(),
        },
        versions,
        downloads: package.download_count.unsigned_abs(),
        downloads_by_day: days
            .into_iter()
            .map(|(day, n)| (label(&day), n.unsigned_abs()))
            .collect(),
        last_downloaded_at: Moment::maybe(package.last_downloaded_at, now),
        can_delete: entered.may_delete(),
        package: shown,
        place,
    })
}

/// `2026-03-04` as `Mar 4`.
fn label(day: &str) -> String {
    day.parse::<Date>()
        .map(|date| date.strftime("%b %-d").to_string())
        .unwrap_or_default()
}

fn file_row(file: model::PackageFile, api: &str, now: Timestamp) -> FileRow {
    let name = percent_encoding::percent_decode_str(&file.file_name).decode_utf8_lossy();
    FileRow {
        id: file.id,
        name: name.into_owned(),
        url: format!("{api}/package_files/{}/download", file.id),
        size: file.size.unsigned_abs(),
        created_at: Moment::new(file.created_at, now),
        sha256: file.sha256,
        sha1: file.sha1,
        md5: file.md5,
    }
}

/// How to fetch a generic package; other formats say it themselves.
fn install(
    package: &model::Package,
    stored: &[model::PackageFile],
    base_url: &str,
) -> Vec<(String, String)> {
    let (PackageType::Generic, Some(file), Some(version)) =
        (package.package_type, stored.first(), &package.version)
    else {
        return Vec::new();
    };
    let path = file.file_name.replace("%2F", "/");
    let line = format!(
        "curl --header \"PRIVATE-TOKEN: <token>\" --remote-name \\\n  \
         {base_url}/api/v4/projects/{}/packages/generic/{}/{version}/{path}",
        package.project_id, package.name
    );
    vec![("Download with curl".into(), line)]
}

async fn delete_package(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<OnePackage>,
) -> Result<Response> {
    let reference = project_of(&asked)?;
    let registry = app.jobs().clone();
    let path = app
        .write(move |tx| {
            let entered = enter(tx, &viewer, &reference, Purpose::DestroyPackage)?;
            destroy::package(tx, &registry, &viewer, &entered, &asked, params.package_id)?;
            Ok(format!("/{}/-/packages", entered.project.full_path))
        })
        .await?;
    reply::redirect(&path)
}

async fn delete_file(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<OneFile>,
) -> Result<Response> {
    let reference = project_of(&asked)?;
    let registry = app.jobs().clone();
    let path = app
        .write(move |tx| {
            let entered = enter(tx, &viewer, &reference, Purpose::DestroyPackage)?;
            let ids = (params.package_id, params.file_id);
            destroy::file(tx, &registry, &viewer, &entered, &asked, ids)?;
            Ok(format!(
                "/{}/-/packages/{}",
                entered.project.full_path, ids.0
            ))
        })
        .await?;
    reply::redirect(&path)
}
