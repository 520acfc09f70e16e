//! What is asked and answered.

use super::{ALL, at_once, cloned, moved, of, of_packs, of_rows, pushed, to};
use serde_json::{Value, json};
use testkit::TestServer;

/// The keys of an answer in their order.
fn keys(text: &str, all: &[&str]) {
    let mut at = 0;
    for key in all {
        let quoted = format!("\"{key}\":");
        at += text[at..].find(&quoted).unwrap_or_else(|| panic!("{key} in {text}"));
    }
}

#[testkit::story]
async fn a_project_is_moved_with_its_wiki(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    let page = json!({"title": "home", "content": "iron"});
    t.admin().post(project.at("/wikis")).json(&page).await.is(201);
    assert_eq!(of_rows(&t).await, ["default"]);
    let before = t.admin().get(project.at("")).await.is(200).json();

    at_once(&t, 0).await;
    let made = t.admin().post(of(&project)).json(&to("second")).await.is(201);
    let head = ["id", "created_at", "state", "source_storage_name", "destination_storage_name"];
    let whose = [
        "project",
        "id",
        "description",
        "name",
        "name_with_namespace",
        "path",
        "path_with_namespace",
        "created_at",
    ];
    let more = ["bytes_done", "bytes_total", "error", "read_only_ms"];
    keys(&made.text(), &[head.as_slice(), &whose, &more].concat());
    let told = made.json();
    assert_eq!(told["state"], "scheduled");
    assert_eq!(told["source_storage_name"], "default");
    assert_eq!(told["destination_storage_name"], "second");
    assert_eq!(
        told["project"],
        json!({"id": project.id, "description": null, "name": "anvil",
        "name_with_namespace": "acme / anvil", "path": "anvil",
        "path_with_namespace": "acme/anvil", "created_at": before["created_at"]})
    );
    let stamp = told["created_at"].as_str().unwrap();
    assert!(stamp.len() == 24 && stamp.ends_with('Z'), "{stamp}");
    // While it waits, everybody goes on.
    let tip = git.commit("anvil", "ore.txt", "iron\n").await;
    git.run_in("anvil", &["push", "--quiet", "origin", "main"]).await.done();

    at_once(&t, 2).await;
    let second = t.project("acme/bellows").await;
    let other = t.admin().post(of(&second)).json(&to("second")).await.is(201).id();
    t.settle().await;
    let one = format!("{}/{}", of(&project), told["id"]);
    let ended = t.admin().get(&one).await.is(200).json();
    assert_eq!((&ended["state"], &ended["error"]), (&json!("finished"), &Value::Null));
    assert!(ended["bytes_total"].as_i64().unwrap() > 0);
    assert_eq!(ended["bytes_done"], ended["bytes_total"]);
    assert!(ended["read_only_ms"].is_i64(), "{ended}");
    assert_eq!(t.admin().get(format!("{ALL}/{}", told["id"])).await.is(200).json(), ended);
    assert_eq!(
        (of_rows(&t).await, of_packs(&t).await),
        (vec!["second".into()], vec!["second".into()])
    );
    let after = t.admin().get(project.at("")).await.is(200).json();
    assert_eq!(after["repository_storage"], "second");
    assert!(after["updated_at"].as_str() > before["updated_at"].as_str());

    assert_eq!(cloned(&t, &git, "acme/anvil", "again").await, tip);
    cloned(&t, &git, "acme/anvil.wiki", "wiki").await;
    git.commit("again", "more.txt", "more\n").await;
    git.run_in("again", &["push", "--quiet", "origin", "main"]).await.done();
    assert_eq!(of_packs(&t).await, ["second"]);

    let all = t.admin().get(ALL).await.is(200);
    assert_eq!(all.each("id"), [json!(other), told["id"].clone()], "the newest first");
    assert_eq!(all.header("x-total"), "2");
    let own = t.admin().get(of(&project)).await.is(200).each("id");
    assert_eq!(own, [told["id"].clone()]);
    let first = t.admin().get(format!("{ALL}?per_page=1&page=2")).await.is(200).each("id");
    assert_eq!(first, [told["id"].clone()]);
    let audit = t.admin().get("/audit_events?per_page=100").await.is(200).text();
    assert!(audit.contains("storage_move.schedule") && audit.contains("storage_move.finish"));
}

#[testkit::story]
async fn wikis_of_groups_and_snippets_are_moved(t: TestServer) {
    let (group, project) = (t.group("acme").await, t.project("acme/anvil").await);
    let page = json!({"title": "home", "content": "iron"});
    t.admin().post(group.at("/wikis")).json(&page).await.is(201);
    let moves = group.at("/repository_storage_moves");
    let ended = moved(&t, &moves, "second").await;
    assert_eq!(ended["state"], "finished", "{ended}");
    let web_url = format!("{}/groups/acme", t.url());
    assert_eq!(ended["group"], json!({"id": group.id, "web_url": web_url, "name": "acme"}));
    assert_eq!(of_packs(&t).await, ["second"]);
    let wiki = t.admin().get(group.at("/wikis/home")).await.is(200).json();
    assert_eq!(wiki["content"], "iron");
    let listed = t.admin().get("/group_repository_storage_moves").await.is(200).each("id");
    assert_eq!(listed, [ended["id"].clone()]);
    let one = format!("/group_repository_storage_moves/{}", ended["id"]);
    assert_eq!(t.admin().get(one).await.is(200).json(), ended);

    let body = json!({"title": "Greeting", "file_name": "a.txt", "content": "hello",
        "visibility": "private"});
    for (base, project_id) in [
        ("/snippets".to_owned(), Value::Null),
        (project.at("/snippets"), json!(project.id)),
    ] {
        let snippet = t.admin().post(&base).json(&body).await.is(201).json();
        let id = &snippet["id"];
        let ended = moved(&t, &format!("/snippets/{id}/repository_storage_moves"), "second").await;
        assert_eq!(ended["state"], "finished", "{ended}");
        let told = &ended["snippet"];
        assert_eq!((&told["id"], &told["project_id"]), (id, &project_id));
        for key in [
            "title",
            "description",
            "visibility",
            "created_at",
            "web_url",
            "raw_url",
            "ssh_url_to_repo",
            "http_url_to_repo",
        ] {
            assert_eq!(told[key], snippet[key], "{key}");
        }
        assert_eq!(told.as_object().unwrap().len(), 11, "{told}");
        let raw = t.admin().get(format!("/snippets/{id}/raw")).await.is(200).text();
        assert_eq!(raw, "hello");
        let one = format!("/snippet_repository_storage_moves/{}", ended["id"]);
        assert_eq!(t.admin().get(one).await.is(200).json(), ended);
    }
    assert_eq!(of_packs(&t).await, ["second"]);
}

#[testkit::story]
async fn what_lies_there_already_is_not_copied(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    let ended = moved(&t, &of(&project), "default").await;
    assert_eq!(ended["state"], "finished");
    assert_eq!((&ended["bytes_total"], &ended["bytes_done"]), (&json!(0), &json!(0)));
    cloned(&t, &git, "acme/anvil", "again").await;

    // One that nothing was written into yet lies where it shall when that comes.
    let empty = t.project("acme/empty").await;
    assert_eq!(moved(&t, &of(&empty), "second").await["state"], "finished");
    let shown = t.admin().get(empty.at("")).await.is(200).json();
    assert_eq!(
        (&shown["repository_storage"], &shown["empty_repo"]),
        (&json!("second"), &json!(true))
    );
    let page = json!({"title": "home", "content": "iron"});
    t.admin().post(empty.at("/wikis")).json(&page).await.is(201);
    assert_eq!(of_packs(&t).await, ["default", "second"]);
}

#[testkit::story]
async fn where_it_goes_is_found_by_weight_unless_said(t: TestServer) {
    let (project, _) = pushed(&t, "acme/anvil").await;
    let weights = json!({"repository_storages_weighted": {"default": 0, "second": 1}});
    t.admin().put("/application/settings").json(&weights).await.is(200);
    let made = t.admin().post(of(&project)).await.is(201).json();
    assert_eq!(made["destination_storage_name"], "second");
    t.settle().await;
    assert_eq!(of_rows(&t).await, ["second"]);
}

#[testkit::story]
async fn what_makes_no_sense_is_refused(t: TestServer) {
    let (project, _) = pushed(&t, "acme/anvil").await;
    let group = t.group("acme").await;
    let admin = t.admin();
    let not_listed = json!({"message":
        {"destination_storage_name": ["is not included in the list"]}});
    for unknown in ["gone", "", "a/b", "../second"] {
        let refused = admin.post(of(&project)).json(&to(unknown)).await.is(400).json();
        assert_eq!(refused, not_listed, "{unknown:?}");
    }
    for (body, word) in [
        (json!({"destination_storage_name": "second"}), "source_storage_name"),
        (json!({"source_storage_name": "default"}), "destination_storage_name"),
        (
            json!({"source_storage_name": "gone", "destination_storage_name": "second"}),
            "source_storage_name",
        ),
        (
            json!({"source_storage_name": "default", "destination_storage_name": "gone"}),
            "destination_storage_name",
        ),
        (
            json!({"source_storage_name": ["default"], "destination_storage_name": "second"}),
            "source_storage_name",
        ),
    ] {
        let refused = admin.post(ALL).json(&body).await.is(400).text();
        assert!(refused.contains(word), "{refused}");
    }
    for unknown in [
        "/projects/999/repository_storage_moves",
        "/groups/999/repository_storage_moves",
        "/snippets/999/repository_storage_moves",
    ] {
        admin.get(unknown).await.is(404);
        admin.post(unknown).json(&to("second")).await.is(404);
        admin.get(format!("{unknown}/1")).await.is(404);
    }
    at_once(&t, 0).await;
    let id = admin.post(of(&project)).json(&to("second")).await.is(201).id();
    let busy = admin.post(of(&project)).json(&to("second")).await.is(400).json();
    assert_eq!(busy, json!({"message": {"project": ["is read-only"]}}));
    for elsewhere in [
        format!("/group_repository_storage_moves/{id}"),
        format!("/snippet_repository_storage_moves/{id}"),
        group.at(&format!("/repository_storage_moves/{id}")),
        format!("{ALL}/999"),
        t.project("acme/other").await.at(&format!("/repository_storage_moves/{id}")),
    ] {
        admin.get(elsewhere).await.is(404);
    }
    admin.post(format!("/group_repository_storage_moves/{id}/cancel")).await.is(404);
    for wrong in [-1, 101] {
        let body = json!({"repository_storage_moves_at_once": wrong});
        admin.put("/application/settings").json(&body).await.is(400);
    }
}

#[testkit::story]
async fn moves_are_for_administrators(t: TestServer) {
    let (project, _) = pushed(&t, "acme/anvil").await;
    let (group, owner) = (t.group("acme").await, t.user("owner").await);
    group.add(&owner, 50).await;
    at_once(&t, 0).await;
    let id = t.admin().post(of(&project)).json(&to("second")).await.is(201).id();
    let read = [
        ALL.to_owned(),
        format!("{ALL}/{id}"),
        of(&project),
        format!("{}/{id}", of(&project)),
        group.at("/repository_storage_moves"),
        "/group_repository_storage_moves".into(),
        "/snippet_repository_storage_moves".into(),
        "/snippets/1/repository_storage_moves".into(),
    ];
    for path in read {
        owner.get(&path).await.is(403);
        t.anonymous().get(&path).await.is(401);
    }
    let all = json!({"source_storage_name": "default", "destination_storage_name": "second"});
    for path in [
        of(&project),
        ALL.into(),
        format!("{ALL}/{id}/cancel"),
        format!("{ALL}/{id}/retry"),
    ] {
        owner.post(&path).json(&all).await.is(403);
        t.anonymous().post(&path).json(&all).await.is(401);
    }
    assert_eq!(t.admin().get(format!("{ALL}/{id}")).await.json()["state"], "scheduled");
}

#[testkit::story]
async fn administrators_switch_moves_off(t: TestServer) {
    let (project, _) = pushed(&t, "acme/anvil").await;
    let id = moved(&t, &of(&project), "second").await["id"].clone();
    let off = json!({"storage_moves_enabled": false});
    t.admin().put("/application/settings").json(&off).await.is(200);
    let text = json!({"message": "403 Forbidden - This feature is switched off"});
    for path in [ALL.to_owned(), of(&project), format!("{ALL}/{id}")] {
        assert_eq!(t.admin().get(path).await.is(403).json(), text);
    }
    assert_eq!(t.admin().post(of(&project)).json(&to("default")).await.is(403).json(), text);
    t.admin().post("/projects/999/repository_storage_moves").await.is(404);
    t.admin().get(format!("{ALL}/999")).await.is(404);
}
