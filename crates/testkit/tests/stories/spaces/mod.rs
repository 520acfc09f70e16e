//! Stories about groups, projects and members, on both engines.

mod abuse;
mod basics;
mod changes;
mod deletion;
mod deploy_tokens;
mod inherited;
mod invitations;
mod lists;
mod members;
mod migrations;
mod moves;
mod names;
mod races;
mod tokens;
mod uploads;

use serde_json::{Value, json};
use testkit::{Client, Reply, TestServer, TestUser};

/// Runs a periodic job now.
pub async fn run_job(t: &TestServer, name: &'static str) {
    run_job_with(t, name, json!({})).await;
}

/// Runs a job with this payload now.
pub async fn run_job_with(t: &TestServer, name: &'static str, payload: Value) {
    let queued = t.app().write(move |tx| {
        let now = tx.now();
        tx.execute(
            store::sql!(
                "insert into jobs (name, payload, state, run_at, created_at, updated_at)
                 values ($1, $2, 'queued', $3, $3, $3)"
            ),
            (name, store::Json(payload.clone()), now),
        )?;
        Ok(())
    });
    queued.await.expect("a job can be queued");
    t.settle().await;
}

/// Makes a group with this path as the client.
async fn group(client: &Client, path: &str, more: Value) -> Reply {
    let mut body = json!({"name": path, "path": path});
    extend(&mut body, more);
    client.post("/groups").json(&body).await
}

/// Makes a project with this path as the client.
async fn project(client: &Client, path: &str, more: Value) -> Reply {
    let mut body = json!({"name": path, "path": path});
    extend(&mut body, more);
    client.post("/projects").json(&body).await
}

fn extend(body: &mut Value, more: Value) {
    if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
}

/// Gives a person a role in what stands at this address.
async fn add(client: &Client, at: &str, user: &TestUser, level: i64) -> Reply {
    let body = json!({"user_id": user.id, "access_level": level});
    client.post(format!("{at}/members")).json(&body).await
}
