//! Folders: `/-/tree/REF/PATH`.

use super::contents::FolderView;
use super::opened::{Opened, commit, open, title};
use super::parts::{CloneBox, PathSteps, RefMenu};
use super::{CodeVisit, RefKind};
use crate::folder::Folder;
use askama::Template;
use http::Method;
use kernel::error::{Error, Found, Result};
use kernel::html::{Html, Page, ui};
use kernel::http::reply::redirect;
use kernel::http::{Params, Response, Routes};
use repositories::objects::{EntryKind, Objects};
use spaces::pages::PROJECT;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("{PROJECT}/-/tree"), show);
    r.page(Method::GET, &format!("{PROJECT}/-/tree/"), show);
    r.page(Method::GET, &format!("{PROJECT}/-/tree/{{*rest}}"), show);
}

kernel::params! {
    /// Which part of a long list.
    pub struct PageNumber {
        /// From 1.
        pub page: Option<i64>,
    }
}

impl PageNumber {
    /// From 0.
    pub fn index(&self) -> usize {
        usize::try_from(self.page.unwrap_or(1).saturating_sub(1)).unwrap_or_default()
    }
}

#[derive(Template)]
#[template(path = "tree.html")]
struct TreePage {
    page: Page,
    refs: RefMenu,
    steps: PathSteps,
    clone: CloneBox,
    folder: FolderView,
    history_url: String,
    find_url: String,
    permalink: String,
    /// What can be added to the folder, and where.
    changes: Vec<(&'static str, String)>,
}

async fn show(visit: CodeVisit, number: Params<PageNumber>) -> Result<Response> {
    open(visit, "tree", |visit, at| opened(visit, at, number.0)).await
}

async fn opened(visit: CodeVisit, at: Box<Opened>, number: PageNumber) -> Result<Response> {
    let (spot, page) = (at.spot.clone(), number.index());
    let read = move |objects: &Objects| {
        let commit = commit(objects, &spot)?;
        let entry = objects.entry(commit.tree, &spot.path)?.found("Tree")?;
        match entry.kind {
            EntryKind::Folder => Folder::read(objects, commit, &spot.path, page),
            EntryKind::Submodule => Err(Error::NotFound("Tree")),
            _ => Ok(None),
        }
    };
    let Some(folder) = visit.objects(&at.head, read).await? else {
        return redirect(&at.url("blob"));
    };
    let place = (&at.head, &at.spot);
    let view = FolderView::of(&visit.app, &visit.viewer, place, &folder, page).await?;
    Ok(Html::new(&page_of(&visit, *at, folder, view))?.response())
}

fn page_of(visit: &CodeVisit, at: Opened, folder: Folder, view: FolderView) -> TreePage {
    let project = &at.head.code.project;
    let name = (at.spot.kind != RefKind::Commit).then_some(at.spot.name.as_str());
    let id = folder.commit.id.to_string();
    let changes: &[(&'static str, &str)] = match at.may_change() {
        true => &[("New file", "new"), ("New folder", "new_folder"), ("Upload a file", "upload")],
        false => &[],
    };
    TreePage {
        changes: changes.iter().map(|(label, page)| (*label, at.url(page))).collect(),
        page: at.page(visit, title(&at.spot.path)),
        steps: at.steps(),
        clone: CloneBox::of(visit.app.base_url(), project, Some(name.unwrap_or(&id))),
        history_url: at.url("commits"),
        find_url: at.spot.url(at.head.url(), "find_file", &Default::default()),
        permalink: at.permalink("tree", &folder.commit),
        folder: view,
        refs: at.refs,
    }
}
