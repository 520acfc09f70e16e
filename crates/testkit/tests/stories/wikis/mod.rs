//! Wikis of projects and groups: by git, by REST and on pages.

mod git;
mod pages;
mod rest;

use testkit::{Browser, TestServer};

/// A browser of a new user, who is given this level where the path leads.
async fn browser(t: &TestServer, members: String, level: i64) -> Browser {
    let user = t.user("keeper").await;
    let member = serde_json::json!({"user_id": user.id, "access_level": level});
    t.admin().post(members).json(&member).await.is(201);
    t.browser("keeper").await
}
