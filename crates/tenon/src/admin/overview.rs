//! `/admin`: what this instance holds and how it does.

use super::page;
use crate::system;
use askama::Template;
use http::Method;
use identity::Admin;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Tile};
use kernel::html::{Html, Page};
use kernel::http::{Response, Routes};
use kernel::jobs::{self, Counts};
use store::{Engine, Tx, sql};

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/admin", show);
}

#[derive(Template)]
#[template(path = "admin_overview.html")]
struct AdminOverview {
    page: Page,
    tiles: Vec<Tile>,
    counts: Counts,
    /// A sentence on the jobs, and whether it is a good one.
    health: (String, bool),
    facts: Vec<(&'static str, String)>,
}

async fn show(app: App, admin: Admin) -> Result<Response> {
    let (tiles, counts) = app.read(|tx| Ok((tiles(tx)?, jobs::counts(tx)?))).await?;
    let view = AdminOverview {
        page: page(&app, &admin, "Overview"),
        tiles,
        health: health(&counts),
        counts,
        facts: facts(&app),
    };
    Ok(Html::new(&view)?.response())
}

fn tiles(tx: &mut Tx<'_>) -> Result<Vec<Tile>> {
    let one = |label: &str, count: i64, url: &str| Tile::new(label, count, url);
    let users =
        tx.one(sql!("select count(*) from users where kind = 'human' and state = 'active'"), ())?;
    let groups = tx.one(
        sql!(
            "select count(*) from namespaces where kind = 'group' and deletion_scheduled_at is null"
        ),
        (),
    )?;
    let projects =
        tx.one(sql!("select count(*) from projects where deletion_scheduled_at is null"), ())?;
    let packages = tx.one(
        sql!("select cast(coalesce(sum(displayable), 0) as bigint) from package_counts"),
        (),
    )?;
    Ok(vec![
        one("Active users", users, "/admin/users?filter=active"),
        one("Groups", groups, "/groups"),
        one("Projects", projects, "/"),
        one("Packages", packages, ""),
    ])
}

/// A sentence, and whether it is a good one.
fn health(counts: &Counts) -> (String, bool) {
    match counts.failed {
        0 => ("No job has given up.".into(), true),
        1 => ("One job has given up and waits for you.".into(), false),
        n => (format!("{n} jobs have given up and wait for you."), false),
    }
}

fn facts(app: &App) -> Vec<(&'static str, String)> {
    let database = match app.store().engine() {
        Engine::Sqlite => "SQLite, embedded",
        Engine::Postgres => "PostgreSQL",
    };
    vec![
        ("Version", system::VERSION.to_owned()),
        ("Address", app.base_url().to_owned()),
        ("Database", database.to_owned()),
    ]
}
