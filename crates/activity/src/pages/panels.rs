//! What people did last, on the first page of a project or group, and a year of a
//! person as a calendar.

use super::show::place;
use super::views::EventRows;
use crate::kinds::Kind;
use crate::list::{Events, Of};
use crate::telling::Story;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::ui::{self, Panel, panel};
use kernel::time::{Date, date_of};
use spaces::pages::panels::PanelPage;
use std::collections::BTreeMap;
use store::Tx;

/// Rows of a panel; the page of activity has all.
const NEWEST: i64 = 5;
/// Events that a calendar counts.
const COUNTED: i64 = 5_000;

/// The newest of a project or group, or of a person.
pub fn activity(tx: &mut Tx<'_>, viewer: &Viewer, page: PanelPage<'_>) -> Result<Option<Panel>> {
    let (of, here, url) = match page {
        PanelPage::Home => return Ok(None),
        PanelPage::Overview(space, _) => {
            let here = space.url();
            (Of::Place(place(space)), here.clone(), format!("{here}/-/activity"))
        }
        PanelPage::Person(user) => {
            let url = format!("/users/{}/activity", user.username);
            (Of::Author(user.id), String::new(), url)
        }
    };
    let events = Events::of(of).newest(tx, viewer, NEWEST)?;
    // A project where nothing was done yet says how to begin.
    let is_work = |kind: &str| ![Kind::Project, Kind::Member].map(Kind::stored).contains(&kind);
    let is_overview = matches!(page, PanelPage::Overview(..));
    let shows = match is_overview {
        true => events.iter().any(|event| is_work(&event.target_type)),
        false => !events.is_empty(),
    };
    if !shows {
        return Ok(None);
    }
    let story = Story::read(tx, &events)?;
    let rows = EventRows::new(&story, &events, &here, tx.now());
    Ok(Some(panel("activity", "Latest activity", rows).all("All activity", url)))
}

/// How much a person did on each day of the last year.
pub fn calendar(tx: &mut Tx<'_>, viewer: &Viewer, page: PanelPage<'_>) -> Result<Option<Panel>> {
    let PanelPage::Person(user) = page else {
        return Ok(None);
    };
    let today = date_of(tx.now());
    let first = today.checked_sub(jiff::Span::new().days(364)).unwrap_or(Date::MIN);
    let counts = counts(tx, viewer, user, first)?;
    let first_day = viewer.user().map(|user| user.first_day_of_week).unwrap_or_default();
    let year = ui::calendar("Activity in the last year", (first, today), first_day, &counts)
        .leading(format!("/users/{}/activity?day=", user.username));
    Ok(Some(panel("calendar", "Last year", year)))
}

/// Events by day, as far as the viewer sees what they are about.
fn counts(
    tx: &mut Tx<'_>, viewer: &Viewer, user: &User, first: Date,
) -> Result<BTreeMap<Date, u64>> {
    let events = Events {
        after: first.yesterday().ok(),
        ..Events::of(Of::Author(user.id))
    };
    let mut counts = BTreeMap::new();
    for event in events.newest(tx, viewer, COUNTED)? {
        *counts.entry(date_of(event.created_at)).or_default() += 1;
    }
    Ok(counts)
}
