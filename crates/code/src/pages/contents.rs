//! What a folder holds, as it stands on its page and on the first page of a project.

use super::parts::{CommitLine, FileTable, pipelines};
use super::spot::encoded;
use super::{CodeHead, Spot};
use crate::folder::{Folder, PAGE, last_commits};
use crate::readme::{self, Place};
use askama::Template;
use askama::filters::HtmlSafe;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Pages;
use kernel::time::Timestamp;
use repositories::formats::object_id::ObjectId;
use repositories::objects::{self, Entry, Objects, Path};
use std::sync::Arc;

/// A folder: its last commit, its entries, and the text that says what it is about.
#[derive(Debug, Clone, Template)]
#[template(path = "folder.html")]
pub struct FolderView {
    latest: Option<CommitLine>,
    files: FileTable,
    readme: Option<Readme>,
}

impl HtmlSafe for FolderView {}

#[derive(Debug, Clone)]
struct Readme {
    name: String,
    url: String,
    /// Safe to show; nothing where it is too large.
    html: Arc<str>,
}

impl FolderView {
    /// The view of one page, from 0, of a folder that was read.
    pub async fn of(
        app: &App, viewer: &Viewer, (head, spot): (&CodeHead, &Spot), folder: &Folder, page: usize,
    ) -> Result<FolderView> {
        let repository = head.code.repository()?;
        let last = last_commits(app, repository, folder, (&spot.path, page)).await?;
        let now: Timestamp = app.now();
        let url = spot.url(head.url(), "tree", &spot.path);
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let pages = Pages::new(number(page + 1), number(PAGE), number(folder.total), url);
        let latest = match (&last.folder, spot.path.is_root()) {
            (_, true) => Some(&folder.commit),
            (commit, false) => commit.as_ref(),
        };
        let ids: Vec<ObjectId> = latest.iter().map(|commit| commit.id).collect();
        let place = (&head.code.project, head.url());
        let pipeline = pipelines::of_commits(app, viewer, place, &ids).await?.pop().flatten();
        let line = |commit| CommitLine::of(commit, head.url(), now).piped(pipeline);
        Ok(FolderView {
            latest: latest.map(line),
            files: FileTable::of((head.url(), spot), folder, &last, pages, now),
            readme: match &folder.readme {
                Some(entry) if page == 0 => Some(readme(app, (head, spot), entry).await?),
                _ => None,
            },
        })
    }
}

/// Where texts of a folder stand.
pub fn place(head: &CodeHead, spot: &Spot, folder: &Path) -> Place {
    let before = |page: &str| format!("{}/-/{page}/{}", head.url(), encoded(&spot.name));
    Place {
        project: head.code.project.id,
        pages: before("blob"),
        bytes: before("raw"),
        folder: encoded(folder.as_str()),
        query: if spot.is_ambiguous {
            spot.kind.query().to_owned()
        } else {
            String::new()
        },
    }
}

async fn readme(app: &App, (head, spot): (&CodeHead, &Spot), entry: &Entry) -> Result<Readme> {
    let id = entry.id;
    let work = move |objects: &Objects| objects.blob(id, readme::MOST);
    let blob = objects::read(app, head.code.repository()?, work).await?;
    let html = match blob.and_then(|blob| blob.content) {
        Some(content) => {
            let place = place(head, spot, &spot.path);
            match readme::html(app, place, (id, &entry.name), content).await {
                // The folder is shown nevertheless.
                Err(Error::Unavailable(_)) => Arc::default(),
                html => html?,
            }
        }
        None => Arc::default(),
    };
    let url = spot.url(head.url(), "blob", &spot.path.below(&entry.name));
    Ok(Readme { name: entry.name.clone(), url, html })
}
