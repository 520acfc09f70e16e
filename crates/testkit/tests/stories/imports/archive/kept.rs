//! How long files are kept, where they are sent, and what is told of one before it is brought.

use super::{Made, entries, exported, imported, issue, of_lines, send};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use testkit::{TestServer, service};

/// What a server was sent: how, of which type and length, and what.
type Sent = Arc<Mutex<Vec<(String, String, usize, Bytes)>>>;

async fn take(
    State(sent): State<Sent>, method: Method, headers: HeaderMap, body: Bytes,
) -> StatusCode {
    let text = |name: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let length = text("content-length").parse().unwrap_or_default();
    let one = (method.to_string(), text("content-type"), length, body);
    sent.lock().unwrap_or_else(PoisonError::into_inner).push(one);
    StatusCode::OK
}

/// A server that takes files of any size; its address.
async fn taker(t: &TestServer, sent: &Sent) -> String {
    service::near(t).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let limit = axum::extract::DefaultBodyLimit::disable();
    let router = Router::new().fallback(take).layer(limit).with_state(sent.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

#[testkit::story]
async fn a_file_is_sent_where_somebody_wants_it(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let blocked = json!({"upload": {"url": "http://127.0.0.1:1/x"}});
    let refused = t.admin().post(project.at("/export")).json(&blocked).await.is(400).text();
    assert!(refused.contains("upload[url] is blocked"), "{refused}");
    let sent = Sent::default();
    let url = format!("{}/file?signature=secret", taker(&t, &sent).await);
    for method in ["PUT", "POST"] {
        let body = json!({"description": "Copied", "upload": {"url": url, "http_method": method}});
        t.admin().post(project.at("/export")).json(&body).await.is(202);
        t.settle().await;
        let shown = t.admin().get(project.at("/export")).await.is(200).json();
        assert_eq!(shown["export_error"], Value::Null, "{shown}");
        let file = t.admin().get(project.at("/export/download")).await.is(200).body.to_vec();
        let manifest: Value =
            serde_json::from_slice(&entries(&file)["tenon-project.json"]).expect("JSON");
        assert_eq!(manifest["project"]["settings"]["description"], "Copied");
        let all = std::mem::take(&mut *sent.lock().unwrap_or_else(PoisonError::into_inner));
        let [(by, kind, length, bytes)] = all.as_slice() else {
            panic!("it is sent once");
        };
        assert_eq!((by.as_str(), kind.as_str()), (method, "application/gzip"));
        assert_eq!((*length, bytes.as_ref() == file.as_slice()), (file.len(), true));
    }
    let odd = json!({"upload": {"url": url, "http_method": "GET"}});
    t.admin().post(project.at("/export")).json(&odd).await.is(400);
}

#[testkit::story]
async fn a_file_that_cannot_be_sent_stays_to_be_downloaded(t: TestServer) {
    let project = t.project("acme/anvil").await;
    service::near(&t).await;
    // A server of ours takes no such files.
    let url = format!("{}/nowhere", t.url());
    let body = json!({"upload": {"url": url}});
    t.admin().post(project.at("/export")).json(&body).await.is(202);
    t.settle().await;
    let shown = t.admin().get(project.at("/export")).await.is(200).json();
    assert_eq!(shown["export_status"], "finished");
    let told = shown["export_error"].as_str().expect("a reason");
    assert!(told.contains("could not be sent"), "{told}");
    t.admin().get(project.at("/export/download")).await.is(200);
}

#[testkit::story(noon)]
async fn files_go_after_a_week(t: TestServer) {
    let project = t.project("acme/anvil").await;
    exported(&t, &t.admin(), project.id).await;
    t.advance(7 * 24 * 3600 + 1);
    let shown = t.admin().get(project.at("/export")).await.is(200).json();
    assert_eq!(shown["export_status"], "none");
    t.admin().get(project.at("/export/download")).await.is(404);
    t.admin().post(project.at("/export")).await.is(202);
    t.settle().await;
    let shown = t.admin().get(project.at("/export")).await.is(200).json();
    assert_eq!(shown["export_status"], "finished");
}

#[testkit::story]
async fn a_new_file_takes_the_place_of_the_one_before(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let first = exported(&t, &t.admin(), project.id).await;
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "New"}))
        .await
        .is(201);
    let second = exported(&t, &t.admin(), project.id).await;
    assert_ne!(first, second);
    let rows = t
        .app()
        .read(|tx| Ok(tx.one::<i64>(store::sql!("select count(*) from project_exports"), ())?));
    assert_eq!(rows.await.expect("a number"), 1);
}

#[testkit::story]
async fn what_would_come_is_told_and_nothing_is_made(t: TestServer) {
    let project = t.project("acme/anvil").await;
    for title in ["One", "Two"] {
        t.admin()
            .post(project.at("/issues"))
            .json(&json!({"title": title}))
            .await
            .is(201);
    }
    let file = exported(&t, &t.admin(), project.id).await;
    let texts = [("path", "copy"), ("namespace", "acme"), ("dry_run", "true")];
    let told = send(&t.admin(), &texts, &file).await.is(200).json();
    assert_eq!((&told["counts"]["issues"], &told["host"]), (&json!(2), &json!(t.app().host())));
    assert_eq!(told["path_with_namespace"], "acme/anvil");
    t.admin().get("/projects/acme%2Fcopy").await.is(404);
    let cut = &file[..file.len() - 40];
    send(&t.admin(), &texts, cut).await.is(400);
}

#[testkit::story]
async fn parts_of_a_file_go_once_all_came(t: TestServer) {
    let file = Made::begin()
        .with("issues-000001.ndjson", &of_lines(&[issue(1, "One")]))
        .ended(2);
    let (id, shown) = imported(&t, &t.admin(), "acme/anvil", &file).await;
    assert_eq!(shown["import_status"], "finished", "{shown}");
    let sweep = t.app().write(|tx| {
        let now = tx.now();
        Ok(tx.execute(
            "insert into jobs (name, payload, state, run_at, created_at, updated_at)
             values ('imports.sweep_project_files', $1, 'queued', $2, $2, $2)",
            (store::Json(json!({})), now),
        )?)
    });
    assert_eq!(sweep.await.expect("it is queued"), 1);
    t.settle().await;
    for table in ["project_files", "project_file_members"] {
        let rows = t
            .app()
            .read(move |tx| Ok(tx.one::<i64>(format!("select count(*) from {table}"), ())?));
        assert_eq!(rows.await.expect("a number"), 0, "{table}");
    }
    // The issues stay, of course.
    let issues = t.admin().get(format!("/projects/{id}/issues")).await.is(200);
    assert_eq!(issues.each("title"), [json!("One")]);
}
