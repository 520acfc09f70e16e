//! What pages of activity show.

use super::filter::ActivityFilter;
use crate::list::Event;
use crate::telling::{PlaceLink, Story};
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::html::ui::{self, Chip, Tab};
use kernel::html::{Moment, Page, Pages};
use kernel::time::Timestamp;

/// `…/-/activity`, `/dashboard/activity`, `/users/<username>/activity`.
#[derive(Debug, Template)]
#[template(path = "activity.html")]
pub struct ActivityPage {
    pub page: Page,
    /// The list without anything that narrows it.
    pub url: String,
    pub filter: ActivityFilter,
    /// Lists of other people's activity.
    pub whose: Vec<Tab>,
    pub kinds: Vec<Tab>,
    pub chips: Vec<Chip>,
    pub rows: EventRows,
    pub pages: Pages,
}

/// Rows of events.
#[derive(Debug, Template)]
#[template(path = "event_rows.html")]
pub struct EventRows {
    pub rows: Vec<EventRow>,
}

impl HtmlSafe for EventRows {}

#[derive(Debug)]
pub struct EventRow {
    icon: &'static str,
    author: String,
    /// Empty where they have no page.
    author_url: String,
    words: &'static str,
    target: String,
    target_url: Option<String>,
    /// Where it was, unless that is where the page is about.
    place: Option<PlaceLink>,
    excerpt: String,
    at: Moment,
}

impl EventRows {
    /// Rows of a page, which need not say where things were that were at `here`.
    pub fn new(story: &Story, events: &[Event], here: &str, now: Timestamp) -> EventRows {
        let row = |event: &Event| {
            let told = story.tell(event);
            let (target, target_url, place) = match told.is_of_place {
                true => (told.place.path.clone(), Some(told.place.url.clone()), None),
                false => {
                    let elsewhere = !told.place.url.is_empty() && told.place.url != here;
                    let place = Some(told.place.clone()).filter(|_| elsewhere);
                    (told.target.clone(), told.target_url.clone(), place)
                }
            };
            EventRow {
                icon: told.icon,
                author: told.author_name().to_owned(),
                author_url: told.author_url().unwrap_or_default(),
                words: told.words,
                target,
                target_url,
                place,
                excerpt: told.excerpt,
                at: Moment::new(event.created_at, now),
            }
        };
        EventRows { rows: events.iter().map(row).collect() }
    }
}
