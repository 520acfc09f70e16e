//! `…/-/packages/<id>`: one package, and all versions of its name.

use super::views::{Package, PackageRow, Versions};
use super::{OnePackage, authorized, install, publishing, rows};
use crate::about::About;
use crate::access::{RegistryAccess, not_found};
use crate::model::{self, Status};
use crate::store::{files, packages};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Page, Pages};
use kernel::http::{Paging, Params, RequestContext, Response};
use kernel::markup::{self, Relative, Rendering};
use kernel::time::{Date, Timestamp, date_of};
use spaces::access::Purpose;
use spaces::pages::{Address, Section, Space, SpaceHead};
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

const MAX_FILES: i64 = 500;
/// Other versions that the page of a package names, the newest.
const OTHERS: i64 = 10;
/// Days of downloads that are charted.
const DAYS: i64 = 30;

pub(super) async fn show(
    app: App, viewer: Viewer, asked: Arc<RequestContext>, params: Params<OnePackage>,
) -> Result<Response> {
    let address = Address::of(&asked)?;
    let shown = identity::pages::page(&app, &viewer, "Package");
    let base_url = app.base_url().to_owned();
    // For its README.
    let _turn = markup::turn().await?;
    let view = app
        .read(move |tx| {
            let entered = authorized(tx, &viewer, &address, Purpose::ReadPackages)?;
            let package = entered.package(tx, params.package_id, Status::is_detailed)?;
            let space = Space::Project(entered.project.clone(), entered.level);
            let head = space.head(tx, &viewer)?;
            view(tx, shown, head, &entered, package, &base_url)
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

fn view(
    tx: &mut Tx<'_>, page: Page, head: SpaceHead, entered: &RegistryAccess,
    package: model::Package, base_url: &str,
) -> Result<Package> {
    let path = &entered.project.full_path;
    let files = files::list(tx, package.id, "id", " desc", MAX_FILES, 0)?;
    let total = files::count(tx, package.id)?.unsigned_abs();
    let (mut versions, versions_total) = packages::versions_of(tx, &package, OTHERS + 1, 0)?;
    versions.retain(|one| one.version != package.version);
    versions.truncate(OTHERS as usize);
    let tags = packages::tags_of(tx, vec![package.id])?;
    let metadata = packages::metadata(tx, package.id)?;
    let about = About::of(package.package_type, metadata.as_deref());
    let readme = packages::readme(tx, package.id)?;
    let days = packages::downloads_by_day(tx, package.id)?;
    let words = install::InstallSource {
        package: &package,
        file: files.first(),
        group_id: entered.project.namespace_id,
        base_url,
    };
    let (install, mut publish) = (install::lines(&words), Vec::new());
    if entered.may_publish() {
        publish = publishing::lines(&words);
    }
    let url = format!("/{path}/-/packages/{}", package.id);
    let row = row(tx, package, path)?;
    let mut page = head.page_below(page, Section::Packages);
    page.title = row.name().to_owned();
    Ok(Package {
        page,
        tags,
        install,
        publish,
        readme: readme.map(|readme| match readme.markdown {
            true => readme_html(&readme.content, &about),
            false => format!("<pre tabindex=\"0\">{}</pre>", markup::escape(&readme.content)),
        }),
        about,
        files,
        pages: Pages { page: 1, per_page: total.max(1), total, url: url.clone() },
        url,
        versions,
        versions_total: versions_total.unsigned_abs(),
        downloads_by_day: by_day(tx.now(), days),
        can_delete: entered.may_delete(),
        now: tx.now(),
        row,
        head,
    })
}

/// A README as a part of the page. What it names beside itself is not here, so
/// that leads to where it was written, or nowhere.
fn readme_html(text: &str, about: &About) -> String {
    let base = about.readme_base();
    let relative = base.as_deref().map_or(Relative::Nowhere, Relative::Below);
    Rendering { lowered: 2, relative, ..Rendering::default() }.html(text)
}

fn row(tx: &mut Tx<'_>, package: model::Package, path: &str) -> Result<PackageRow> {
    let row = rows(tx, vec![package], |_| Some(path.to_owned()))?.pop();
    row.ok_or_else(not_found)
}

/// The last days up to today, those without downloads among them; nothing
/// where none had any.
fn by_day(now: Timestamp, counts: Vec<(String, i64)>) -> Vec<(String, u64)> {
    let counts: HashMap<String, i64> = counts.into_iter().collect();
    let today = date_of(now);
    let days = (0..DAYS)
        .rev()
        .filter_map(|ago| today.checked_sub(jiff::Span::new().days(ago)).ok());
    let bar = |day: Date| {
        let count = counts.get(&day.to_string()).copied().unwrap_or(0);
        (day.strftime("%-d %b").to_string(), count.unsigned_abs())
    };
    let bars: Vec<(String, u64)> = days.map(bar).collect();
    match bars.iter().any(|(_, count)| *count > 0) {
        true => bars,
        false => Vec::new(),
    }
}

/// `…/-/packages/<id>/versions`.
pub(super) async fn versions(
    app: App, viewer: Viewer, asked: Arc<RequestContext>, params: Params<OnePackage>,
    paging: Paging,
) -> Result<Response> {
    let address = Address::of(&asked)?;
    let shown = identity::pages::page(&app, &viewer, "Versions");
    let view = app
        .read(move |tx| {
            let entered = authorized(tx, &viewer, &address, Purpose::ReadPackages)?;
            let package = entered.package(tx, params.package_id, Status::is_detailed)?;
            let space = Space::Project(entered.project.clone(), entered.level);
            let head = space.head(tx, &viewer)?;
            let path = &entered.project.full_path;
            let (limit, offset) = (paging.per_page, paging.offset());
            let (found, total) = packages::versions_of(tx, &package, limit, offset)?;
            let tags = packages::tags_of(tx, found.iter().map(|one| one.id).collect())?;
            let url = format!("/{path}/-/packages/{}", package.id);
            let own = row(tx, package, path)?;
            let page = head.page_below(shown, Section::Packages);
            let mut page = page.crumb(own.name(), url.as_str());
            page.title = format!("Versions of {}", own.name());
            Ok(Versions {
                page,
                pages: Pages::of(&paging, total, format!("{url}/versions")),
                versions: rows(tx, found, |_| Some(path.clone()))?,
                tags,
                row: own,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_without_downloads_stand_in_the_chart() {
        let now: Timestamp = "2026-03-04T10:00:00Z".parse().unwrap();
        let days = by_day(now, vec![("2026-03-03".into(), 4), ("2025-01-01".into(), 9)]);
        assert_eq!(days.len(), 30);
        assert_eq!(days[28], ("3 Mar".to_owned(), 4));
        assert_eq!(days[29], ("4 Mar".to_owned(), 0));
        assert!(by_day(now, vec![("2025-01-01".into(), 9)]).is_empty());
    }
}
