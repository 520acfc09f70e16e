//! Issues on the pages that sum up several rooms.

use super::views::IssueRows;
use super::{first_page, list, scope};
use crate::access::Scope;
use crate::model::{Issue, IssueState};
use crate::store::issues::filter::{IssueFilter, Marks};
use crate::store::issues::list::{OrderBy, Sorting};
use crate::store::listed::Alike;
use crate::store::listing;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::ui::{self, Panel, panel};
use spaces::pages::panels::PanelPage;
use spaces::pages::{Space, SpaceHead};
use store::Tx;

/// Rows at home; the list has all.
const AT_HOME: i64 = 8;
/// Rows of a project or group.
const NEWEST: i64 = 5;

/// Those assigned to the viewer, or the newest of a project or group.
pub fn issues(tx: &mut Tx<'_>, viewer: &Viewer, page: PanelPage<'_>) -> Result<Option<Panel>> {
    match page {
        PanelPage::Home => match viewer.user() {
            Some(user) => assigned(tx, viewer, user).map(Some),
            None => Ok(None),
        },
        PanelPage::Overview(space, head) => newest(tx, viewer, space, head),
        PanelPage::Person(_) => Ok(None),
    }
}

fn assigned(tx: &mut Tx<'_>, viewer: &Viewer, user: &User) -> Result<Panel> {
    let filter = IssueFilter {
        state: Some(IssueState::Opened),
        is: Marks {
            alike: Alike {
                assignee_usernames: vec![user.username.clone()],
                ..Alike::default()
            },
            ..Marks::default()
        },
        ..IssueFilter::default()
    };
    let everywhere = Scope::Everywhere;
    let updated = Sorting { by: OrderBy::UpdatedAt, descending: true };
    let found =
        listing::list::<Issue>(tx, viewer, &everywhere, &filter, updated, first_page(AT_HOME))?;
    let total = ui::total(&found);
    let panel = match found.items.is_empty() {
        true => {
            let none = ui::rows(Vec::new()).or("No open issue is assigned to you.");
            panel("issues", "Assigned to you", none)
        }
        false => {
            let rows = list::read_rows(tx, found.items, None)?;
            panel("issues", "Assigned to you", IssueRows { rows })
        }
    };
    Ok(panel.count(total).all("See all issues", "/dashboard/issues"))
}

fn newest(
    tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, head: &SpaceHead,
) -> Result<Option<Panel>> {
    if !head.has_issues {
        return Ok(None);
    }
    let created = Sorting { by: OrderBy::CreatedAt, descending: true };
    let (here, all) = (scope(space), IssueFilter::default());
    let found = listing::list::<Issue>(tx, viewer, &here, &all, created, first_page(NEWEST))?;
    if found.items.is_empty() {
        return Ok(None);
    }
    let rows = list::read_rows(tx, found.items, Some(space))?;
    let url = format!("{}/-/issues?state=all", space.url());
    Ok(Some(
        panel("issues", "Latest issues", IssueRows { rows }).all("All issues", url),
    ))
}
