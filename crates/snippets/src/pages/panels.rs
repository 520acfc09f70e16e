//! Snippets on the page of a person.

use crate::access::visible;
use crate::model::Snippet;
use crate::store::{self, Between};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::Moment;
use kernel::html::ui::{self, Panel, Row, icon, panel};
use kernel::http::Paging;
use spaces::pages::panels::PanelPage;

/// Snippets that are shown; the list has all.
const NEWEST: i64 = 5;

/// The newest snippets of a person, of those that the viewer sees.
pub fn snippets(tx: &mut Tx<'_>, viewer: &Viewer, page: PanelPage<'_>) -> Result<Option<Panel>> {
    let PanelPage::Person(user) = page else {
        return Ok(None);
    };
    let mut condition = visible(tx, viewer);
    condition.push(" and snippets.author_id = ", user.id);
    let found = store::list(tx, condition, &Between::default(), Paging::first(NEWEST))?.items;
    if found.is_empty() {
        return Ok(None);
    }
    let now = tx.now();
    let row = |one: Snippet| {
        let files = ui::count(one.files().len() as u64, "file");
        Row::new(icon("code"), &one.title)
            .url(Some(one.path()))
            .badge(ui::visibility(one.visibility()))
            .about(files)
            .at("changed", Moment::new(one.updated_at, now))
    };
    let rows = ui::rows(found.into_iter().map(row).collect());
    let url = format!("/users/{}/snippets", user.username);
    Ok(Some(panel("snippets", "Snippets", rows).all("All snippets", url)))
}
