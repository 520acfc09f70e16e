//! `…/-/pipelines/charts`: how many pipelines of the last month passed, and how long they
//! took.

use super::{Here, below};
use crate::formats::log::clock;
use crate::pipelines::status::Status;
use crate::pipelines::store::lists::{Past, since};
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Bars, Tile};
use kernel::html::{Html, Page};
use kernel::http::{Response, Routes};
use spaces::pages::{Address, Section};

/// Days that are drawn, and pipelines of them that are counted.
const DAYS: i64 = 30;
const MOST: i64 = 10_000;
const ZONE: &str = "UTC";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("pipelines/charts"), show);
}

/// What is drawn of a day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Day {
    label: String,
    all: u64,
    passed: u64,
    failed: u64,
    /// Seconds of each that came to an end.
    durations: Vec<u64>,
}

#[derive(Template)]
#[template(path = "pipeline_charts.html")]
pub struct View {
    page: Page,
    tiles: Vec<Tile>,
    charts: Vec<Bars>,
    has_any: bool,
    url: String,
}

async fn show(app: App, viewer: Viewer, address: Address) -> Result<Response> {
    let page = page(&app, &viewer, "Pipeline charts");
    let view = app.read(move |tx| {
        let here = Here::find(tx, &viewer, &address)?;
        let now = tx.now();
        let from = first_day(now);
        let past = since(tx, here.project.id, from, MOST)?;
        let days = days(from, &past);
        Ok(View {
            page: here.head.page_below(page, Section::Pipelines),
            tiles: tiles(&past),
            has_any: !past.is_empty(),
            charts: charts(&days),
            url: here.url("pipelines"),
        })
    });
    Ok(Html::new(&view.await?)?.response())
}

/// When the first day that is drawn begins.
fn first_day(now: Timestamp) -> Timestamp {
    let day = now.to_zoned(TimeZone::UTC).start_of_day().map(|day| day.timestamp());
    day.unwrap_or(now) - SignedDuration::from_hours(24 * (DAYS - 1))
}

fn days(from: Timestamp, past: &[Past]) -> Vec<Day> {
    let label = |at: i64| {
        let day = from + SignedDuration::from_hours(24 * at);
        day.to_zoned(TimeZone::UTC).strftime("%-d %b").to_string()
    };
    let mut days: Vec<Day> =
        (0..DAYS).map(|at| Day { label: label(at), ..Day::default() }).collect();
    for one in past {
        let hours = one.created_at.duration_since(from).as_hours();
        let day = usize::try_from(hours / 24).ok().and_then(|at| days.get_mut(at));
        let Some(day) = day else { continue };
        day.all += 1;
        match one.status {
            Status::Success => day.passed += 1,
            Status::Failed => day.failed += 1,
            _ => {}
        }
        day.durations.extend(seconds(one));
    }
    days
}

fn seconds(one: &Past) -> Option<u64> {
    let is_over = matches!(one.status, Status::Success | Status::Failed);
    one.duration.filter(|_| is_over).map(i64::unsigned_abs)
}

/// The middle one of some numbers.
fn median(mut all: Vec<u64>) -> Option<u64> {
    all.sort_unstable();
    all.get(all.len() / 2).copied()
}

fn tiles(past: &[Past]) -> Vec<Tile> {
    let count = |status| past.iter().filter(|one| one.status == status).count();
    let (passed, failed) = (count(Status::Success), count(Status::Failed));
    let share = match passed + failed {
        0 => "–".to_owned(),
        over => format!("{} %", passed * 100 / over),
    };
    let middle = median(past.iter().filter_map(seconds).collect());
    vec![
        Tile::new("Pipelines", past.len(), ""),
        Tile::new("Passed", passed, ""),
        Tile::new("Failed", failed, ""),
        Tile::new("Of those that ended passed", share, ""),
        Tile::new("Took (median)", middle.map_or("–".to_owned(), clock), ""),
    ]
}

fn charts(days: &[Day]) -> Vec<Bars> {
    let values = |of: fn(&Day) -> u64| -> Vec<(String, u64)> {
        days.iter().map(|day| (day.label.clone(), of(day))).collect()
    };
    let chart = |title: &str, of: fn(&Day) -> u64| ui::bars(title, &values(of)).zone(ZONE);
    vec![
        chart("Pipelines a day", |day| day.all),
        chart("Passed", |day| day.passed),
        chart("Failed", |day| day.failed),
        chart("Median seconds", |day| median(day.durations.clone()).unwrap_or(0)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_what_began_on_it() {
        let now: Timestamp = "2026-03-31T12:30:00Z".parse().unwrap();
        let from = first_day(now);
        assert_eq!(from.to_string(), "2026-03-02T00:00:00Z");
        let past = |created_at: &str, status, duration| Past {
            status,
            duration,
            created_at: created_at.parse().unwrap(),
        };
        let all = [
            past("2026-03-31T12:00:00Z", Status::Success, Some(10)),
            past("2026-03-31T00:00:00Z", Status::Failed, Some(30)),
            past("2026-03-31T01:00:00Z", Status::Running, Some(99)),
            past("2026-03-02T00:00:00Z", Status::Success, None),
        ];
        let days = days(from, &all);
        assert_eq!(days.len(), 30);
        let last = &days[29];
        assert_eq!((last.label.as_str(), last.all, last.passed, last.failed), ("31 Mar", 3, 1, 1));
        assert_eq!(last.durations, [10, 30]);
        assert_eq!((days[0].all, days[0].passed), (1, 1));
        assert_eq!(median(vec![3, 1, 2]), Some(2));
        assert_eq!(median(Vec::new()), None);
    }
}
