//! The pages of epics, as a browser without a script sees them.

mod beside;
mod lists;
mod one;
mod parallel;
mod statements;
mod talk;
mod tree;

use super::{made, several};
use serde_json::{Value, json};
use testkit::{TestGroup, TestServer, TestUser};

const LIST: &str = "/groups/acme/-/epics";
const ONE: &str = "/groups/acme/-/epics/1";

/// A public group with somebody of this level.
async fn group_of(t: &TestServer, name: &str, level: i64) -> (TestGroup, TestUser) {
    let group = t.group("acme").await;
    t.admin().put(group.at("?visibility=public")).await.is(200);
    let user = t.user(name).await;
    group.add(&user, level).await;
    (group, user)
}

/// Whether a page says this, be it at the beginning of a sentence.
fn says(page: &str, text: &str) -> bool {
    page.to_lowercase().contains(&text.to_lowercase())
}

/// What stands in a page in this order.
fn in_order(page: &str, parts: &[&str]) {
    let mut rest = page;
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            panic!("{part} is missing or stands elsewhere: {page}");
        };
        rest = after;
    }
}
