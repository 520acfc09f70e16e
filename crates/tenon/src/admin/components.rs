//! `/-/components`: every part that pages are made of, as it looks. For
//! administrators, and for whoever builds a page.

use super::page;
use askama::Template;
use http::Method;
use identity::Admin;
use jiff::civil::date;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Chip, Choice, Panel, Row, Tab, Tile, Timeline, badge, icon, panel};
use kernel::html::{Flash, Html, Moment, Page, Pages, Tone};
use kernel::http::{Response, Routes};
use kernel::time::{Date, Timestamp, date_of};
use planning::pages::boards::parts::Board;
use planning::pages::notes::Story;
use std::collections::BTreeMap;
use std::time::Duration;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/-/components", show);
}

#[derive(Template)]
#[template(path = "components.html")]
struct Components {
    page: Page,
    now: Timestamp,
    earlier: Timestamp,
    today: Date,
    tabs: Vec<Tab>,
    chips: Vec<Chip>,
    pages: Pages,
    choices: Vec<Choice>,
    bars: Vec<(String, u64)>,
    ranking: Vec<(String, String, u64)>,
    /// The first and the last day of a calendar, and what was done on some.
    span: (Date, Date),
    days: BTreeMap<Date, u64>,
    tiles: Vec<Tile>,
    flashes: Vec<Flash>,
    panel: Panel,
    story: Story,
    board: Board,
    timeline: Timeline,
}

/// The newest of a list.
fn sample(earlier: Timestamp, now: Timestamp) -> Panel {
    let row = Row::new(icon("package"), "anvil")
        .url(Some("#panel".into()))
        .badge(badge("npm", "plain"))
        .about("1.2.0")
        .at("published", Moment::new(earlier, now));
    panel("sample-panel", "Packages", ui::rows(vec![row])).all("All packages", "#panel")
}

async fn show(app: App, admin: Admin) -> Result<Response> {
    let now = app.now();
    let earlier = now - Duration::from_secs(90 * 60);
    let view = Components {
        page: page(&app, &admin, "Components"),
        now,
        earlier,
        today: date_of(now),
        tabs: vec![
            Tab::new("Open", "#tabs", true).count(12),
            Tab::new("Closed", "#tabs", false).count(340),
            Tab::new("All", "#tabs", false),
        ],
        chips: vec![Chip::new("Label: bug", "#query"), Chip::new("Author: mira", "#query")],
        pages: Pages::new(6, 20, 400, "/-/components"),
        choices: Choice::list(&[("one", "One"), ("two", "Two")]),
        bars: (0u64..24).map(|hour| (format!("{hour:02}:00"), hour * 7 % 11)).collect(),
        ranking: [("linux", 12), ("windows", 5)]
            .map(|(name, count)| (name.to_owned(), count.to_string(), count))
            .to_vec(),
        span: (date(2030, 1, 1), date(2030, 12, 31)),
        days: (1i8..13).zip(1..).map(|(month, n)| (date(2030, month, 2 * month), n)).collect(),
        tiles: vec![Tile::new("Active users", 1204, ""), Tile::new("Groups", 17, "/groups")],
        flashes: [Tone::Plain, Tone::Good, Tone::Warn, Tone::Bad]
            .map(|tone| Flash { tone, text: "What was done, or why not.".into() })
            .to_vec(),
        panel: sample(earlier, now),
        story: Story::sample(now),
        board: Board::sample(now),
        timeline: ui::timeline::sample(),
    };
    Ok(Html::new(&view)?.response())
}
