//! `…/-/wikis/pages`: all pages, in their folders.

use super::parts::{clone_box, is_listed};
use super::{Head, WikiVisit};
use crate::model::PageFile;
use crate::tree;
use askama::Template;
use askama::filters::HtmlSafe;
use code::pages::parts::clone::CloneBox;
use kernel::error::Result;
use kernel::html::{Html, Page as Layout, ui};
use kernel::http::Response;
use spaces::access::Purpose;
use std::collections::BTreeMap;

#[derive(Template)]
#[template(path = "wiki_pages.html")]
struct AllView {
    page: Layout,
    wiki_url: String,
    total: usize,
    folder: Folder,
    templates: Folder,
    can_write: bool,
    clone: CloneBox,
}

/// What is in a folder.
#[derive(Debug, Default, Template)]
#[template(path = "wiki_folder.html")]
struct Folder {
    folders: BTreeMap<String, Folder>,
    /// Titles and addresses.
    pages: Vec<(String, String)>,
}

impl HtmlSafe for Folder {}

impl Folder {
    fn of<'p>(head: &Head, pages: impl Iterator<Item = &'p PageFile>) -> Folder {
        let mut root = Folder::default();
        for page in pages {
            let mut at = &mut root;
            for part in page.path.folder().parts() {
                at = at.folders.entry(part.replace('-', " ")).or_default();
            }
            at.pages.push((page.title(), head.url_of(&page.slug)));
        }
        root
    }

    fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.pages.is_empty()
    }
}

pub async fn show(visit: WikiVisit) -> Result<Response> {
    let head = visit.find(Purpose::ReadWiki).await?;
    let pages = match tree::commit(&visit.app, &head.wiki, None).await? {
        Some(commit) => {
            let read =
                move |objects: &repositories::objects::Objects| tree::pages(objects, commit.tree);
            tree::read(&visit.app, &head.wiki, read).await?
        }
        None => Vec::new(),
    };
    let view = AllView {
        page: head.below(visit.layout("All pages"), None),
        wiki_url: head.wiki.url(),
        total: pages.iter().filter(|page| is_listed(page)).count(),
        folder: Folder::of(&head, pages.iter().filter(|page| is_listed(page))),
        templates: Folder::of(&head, pages.iter().filter(|page| page.is_template())),
        can_write: head.can_write,
        clone: clone_box(&visit.app, &head),
    };
    Ok(Html::new(&view)?.response())
}
