//! For the last moment of a move nothing is written: who begins to is refused, and what was
//! under way waits.

use super::{TEXT, change, pushed};
use crate::lfs::batch;
use ::store::sql;
use identity::viewer::Viewer;
use kernel::error::Found;
use kernel::ids::Reference;
use repositories::access;
use repositories::formats::commands::Command;
use repositories::formats::object_id::ObjectId;
use repositories::place::Place;
use repositories::receive::{self, Landed};
use serde_json::json;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use testkit::{TestServer, sha256};

async fn close(t: &TestServer) {
    change(t, sql!("update repositories set read_only_at = created_at")).await;
}

async fn open(t: &TestServer) {
    change(t, sql!("update repositories set read_only_at = null")).await;
}

#[testkit::story]
async fn nothing_is_written_for_a_moment(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    let admin = t.admin();
    let branch = json!({"branch": "side", "ref": "main"});
    admin.post(project.at("/repository/branches")).json(&branch).await.is(201);
    let file = json!({"branch": "side", "commit_message": "x",
        "actions": [{"action": "create", "file_path": "side.txt", "content": "side"}]});
    admin.post(project.at("/repository/commits")).json(&file).await.is(201);
    let request = json!({"source_branch": "side", "target_branch": "main", "title": "x"});
    admin.post(project.at("/merge_requests")).json(&request).await.is(201);
    let page = json!({"title": "home", "content": "iron"});
    admin.post(project.at("/wikis")).json(&page).await.is(201);
    let snippet = json!({"title": "x", "file_name": "a.txt", "content": "hello"});
    let snippet = admin.post("/snippets").json(&snippet).await.is(201).id();
    t.settle().await;
    close(&t).await;

    git.commit("anvil", "ore.txt", "iron\n").await;
    git.run_in("anvil", &["push", "origin", "main"]).await.refused(TEXT);
    git.run_in("anvil", &["fetch", "origin"]).await.done();
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "again"]).await.done();
    admin.get(project.at("/repository/files/README.md?ref=main")).await.is(200);

    let text = json!({"message": format!("403 Forbidden - {TEXT}")});
    let commit = json!({"branch": "main", "commit_message": "x",
        "actions": [{"action": "create", "file_path": "a.txt", "content": "iron"}]});
    let other = json!({"branch": "other", "ref": "main"});
    let tag = json!({"tag_name": "v1", "ref": "main"});
    for (path, body) in [
        ("/repository/commits", commit),
        ("/repository/branches", other),
        ("/repository/tags", tag),
        ("/wikis", json!({"title": "more", "content": "iron"})),
    ] {
        let refused = admin.post(project.at(path)).json(&body).await.is(403);
        assert_eq!(refused.json(), text, "{path}");
    }
    admin.delete(project.at("/repository/branches/side")).await.is(403);
    let merged = admin.put(project.at("/merge_requests/1/merge")).await.is(403);
    assert_eq!(merged.json(), text);
    let head = json!({"default_branch": "side"});
    assert_eq!(admin.put(project.at("")).json(&head).await.is(403).json(), text);
    let edit = json!({"content": "steel"});
    assert_eq!(admin.put(project.at("/wikis/home")).json(&edit).await.is(403).json(), text);
    let edit = json!({"file_name": "a.txt", "content": "steel"});
    let edited = admin.put(format!("/snippets/{snippet}")).json(&edit).await.is(403);
    assert_eq!(edited.json(), text);
    let object = json!([{"oid": sha256("steel"), "size": 5}]);
    let refused = batch(&admin, "acme/anvil", "upload", object.clone()).await.is(403);
    assert_eq!(refused.json()["message"], TEXT);
    batch(&admin, "acme/anvil", "download", object).await.is(200);
    // What is said about it is no writing to it.
    let note = json!({"note": "iron"});
    admin
        .post(project.at("/repository/commits/side/comments"))
        .json(&note)
        .await
        .is(201);

    open(&t).await;
    git.run_in("anvil", &["push", "--quiet", "origin", "main"]).await.done();
    admin.put(project.at("/merge_requests/1/merge")).await.is(200);
}

/// A large file whose upload was allowed before.
#[testkit::story]
async fn a_large_file_is_refused_too(t: TestServer) {
    pushed(&t, "acme/anvil").await;
    let object = json!([{"oid": sha256("steel"), "size": 5}]);
    let told = batch(&t.admin(), "acme/anvil", "upload", object).await.is(200).json();
    close(&t).await;
    let refused = crate::lfs::follow(&t, &told, "upload", Some("steel")).await.is(403);
    assert_eq!(refused.json()["message"], TEXT);
    open(&t).await;
    crate::lfs::follow(&t, &told, "upload", Some("steel")).await.is(200);
}

/// Runs when git was told the refs and has sent nothing yet.
const HOOK: &str = "#!/bin/sh\ntouch told\nuntil test -e go; do sleep 0.05; done\n";

#[testkit::story]
async fn a_push_that_was_told_the_refs_waits(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    let (admin, folder) = (t.admin(), git.at("anvil"));
    let hook = folder.join(".git/hooks/pre-push");
    std::fs::create_dir_all(folder.join(".git/hooks")).expect("a folder");
    std::fs::write(&hook, HOOK).expect("a hook");
    std::fs::set_permissions(&hook, Permissions::from_mode(0o755)).expect("it may run");
    let tip = git.commit("anvil", "ore.txt", "iron\n").await;
    let main = async || {
        let shown = admin.get(project.at("/repository/branches/main")).await.is(200).json();
        shown["commit"]["id"].clone()
    };
    let closed_meanwhile = async {
        while !folder.join("told").exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        close(&t).await;
        std::fs::write(folder.join("go"), "").expect("a file");
        tokio::time::sleep(Duration::from_secs(1)).await;
        let before = main().await;
        open(&t).await;
        before
    };
    let pushing = git.run_in("anvil", &["push", "--quiet", "origin", "main"]);
    let (ended, before) = tokio::join!(pushing, closed_meanwhile);
    ended.done();
    assert_ne!(before, tip, "it was taken while nothing may be written");
    assert_eq!(main().await, tip);
}

#[testkit::story]
async fn what_was_under_way_waits(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    git.run_in("anvil", &["push", "--quiet", "origin", "main:refs/heads/side"])
        .await
        .done();
    let side: ObjectId = git.id("anvil", "main").await.parse().unwrap();
    let id = project.id;
    let begun = t.app().write(move |tx| {
        let root = identity::users::find(tx, 1)?.found("User")?;
        let project = spaces::access::find_project(tx, &Reference::Id(id))?.found("Project")?;
        access::writing(tx, &Viewer::addressed(root), &Place::code(&project))
    });
    let begun = begun.await.unwrap();
    close(&t).await;

    let app = t.app().clone();
    let mut landing = tokio::spawn(async move {
        let name = "refs/heads/side";
        let gone = Command {
            sent_name: name.into(),
            name: name.parse().ok(),
            old: side,
            new: ObjectId::ZERO,
        };
        let none = None::<futures_util::stream::Empty<kernel::error::Result<bytes::Bytes>>>;
        receive::take(&app, &begun, vec![gone], none).await
    });
    let waits = tokio::time::timeout(Duration::from_millis(400), &mut landing).await;
    assert!(waits.is_err(), "it is refused, or went on: {:?}", waits.map(|it| it.is_ok()));
    open(&t).await;
    let landed = landing.await.unwrap().unwrap();
    assert!(
        matches!(&landed, Landed::Refs(refs) if refs.iter().all(Result::is_ok)),
        "{landed:?}"
    );
    t.admin().get(project.at("/repository/branches/side")).await.is(404);
}
