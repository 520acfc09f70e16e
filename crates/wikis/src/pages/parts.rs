//! What stands beside pages.

use super::{Head, WikiVisit};
use crate::model::PageFile;
use crate::render;
use crate::tree::Beside;
use askama::Template;
use askama::filters::HtmlSafe;
use code::pages::parts::clone::CloneBox;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui;

/// Pages that are listed beside one.
const LISTED: usize = 15;

/// A list of pages, or the page that stands in its place.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "wiki_side.html")]
pub struct Side {
    /// What was written in its place, as HTML.
    own: Option<String>,
    pages: Vec<(String, String)>,
    total: usize,
    all_url: String,
}

impl HtmlSafe for Side {}

impl Side {
    pub async fn read(visit: &WikiVisit, head: &Head, beside: &Beside) -> Result<Side> {
        let shown = || beside.pages.iter().filter(|page| is_listed(page));
        Ok(Side {
            own: match &beside.sidebar {
                Some(page) => {
                    let WikiVisit { app, viewer, .. } = visit;
                    Some(render::html(app, viewer, &head.wiki, page).await?)
                }
                None => None,
            },
            pages: shown()
                .take(LISTED)
                .map(|page| (page.shown_path(), head.url_of(&page.slug)))
                .collect(),
            total: shown().count(),
            all_url: format!("{}/pages", head.wiki.url()),
        })
    }
}

/// Whether readers look for a page in lists.
pub fn is_listed(page: &PageFile) -> bool {
    !page.is_sidebar() && !page.is_template()
}

/// How the wiki is taken away.
pub fn clone_box(app: &App, head: &Head) -> CloneBox {
    CloneBox::at(app.base_url(), head.wiki.place().path())
}
