//! Stories about boards: their columns, their cards, and who sees and moves them.

mod cards;
mod order;
mod pages;
mod parallel;
mod rest;
mod seen;

use serde_json::json;
use testkit::{Browser, Client, Reply, TestProject, TestServer};

const BOARDS: &str = "/acme/anvil/-/boards";

/// A project of a board with the columns «doing» and «done»: the board's id and those
/// of its columns.
struct Planned {
    project: TestProject,
    board: i64,
    doing: i64,
    done: i64,
}

async fn planned(t: &TestServer) -> Planned {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let board = admin.post(project.at("/boards")).json(&json!({"name": "Work"})).await;
    let board = board.is(201).id();
    let mut lists = Vec::new();
    for name in ["doing", "done"] {
        let label = json!({"name": name, "color": "#112233"});
        let label = admin.post(project.at("/labels")).json(&label).await.is(201).id();
        let at = project.at(&format!("/boards/{board}/lists?label_id={label}"));
        lists.push(admin.post(at).await.is(201).id());
    }
    Planned { project, board, doing: lists[0], done: lists[1] }
}

impl Planned {
    /// An issue of this title and with these labels; its id.
    async fn issue(&self, by: &Client, title: &str, labels: &str) -> i64 {
        let body = json!({"title": title, "labels": labels});
        by.post(self.project.at("/issues")).json(&body).await.is(201).id()
    }

    /// A move as the script of boards asks for it.
    async fn carry(&self, browser: &Browser, fields: &[(&str, &str)]) -> Reply {
        let (board, token) = (self.board.to_string(), browser.form_token());
        let mut all = vec![("board_id", board.as_str()), ("authenticity_token", token.as_str())];
        all.extend_from_slice(fields);
        let accept = [("accept", "application/json")];
        browser.post_with(&format!("{BOARDS}/move"), &all, &accept).await
    }

    /// The same to a column, above or below others.
    async fn put(&self, browser: &Browser, issue: i64, (from, to): (&str, &str)) -> Reply {
        let id = issue.to_string();
        self.carry(browser, &[("issue_id", &id), ("from", from), ("to", to)]).await
    }
}

/// The titles of the cards of a board's columns, in their order.
fn columns(page: &str) -> Vec<(String, Vec<String>)> {
    let between = |text: &str, begin: &str, end: &str| {
        let rest = text.split_once(begin).map_or("", |(_, rest)| rest);
        rest.split(end).next().unwrap_or_default().to_owned()
    };
    page.split("<section class=\"board-column\"")
        .skip(1)
        .map(|column| {
            let cards = column.split("<p class=\"card-title\">").skip(1);
            let title = between(column, "data-title=\"", "\"");
            (title, cards.map(|card| between(card, "\">", "<")).collect())
        })
        .collect()
}

/// The cards of one column.
fn cards(page: &str, title: &str) -> Vec<String> {
    let found = columns(page).into_iter().find(|(one, _)| one == title);
    found.unwrap_or_else(|| panic!("no column {title}: {page}")).1
}
