//! Where repositories lie, as administrators see and choose it.

use ::store::sql;
use kernel::jobs::enqueue_at;
use repositories::upkeep::Compact;
use serde_json::{Value, json};
use testkit::{Git, TestServer};

const SETTINGS: &str = "/application/settings";

async fn weigh(t: &TestServer, weights: Value) {
    let body = json!({"repository_storages_weighted": weights});
    t.admin().put(SETTINGS).json(&body).await.is(200);
}

async fn push(t: &TestServer, project: &str, folder: &str) {
    t.project(project).await;
    let git = Git::of(&t.admin());
    git.begin(folder, project).await;
    git.commit(folder, "ore.txt", "iron\n").await;
    git.run_in(folder, &["push", "--quiet", "origin", "main"]).await.done();
}

/// The storages of a project's packs, by their keys.
async fn of_packs(t: &TestServer) -> Vec<String> {
    let keys: Vec<String> = t
        .app()
        .read(|tx| {
            let keys =
                sql!("select pack_key from repository_packs where retired_at is null order by id");
            Ok(tx.all(keys, ())?)
        })
        .await
        .unwrap();
    keys.iter().map(|key| kernel::blobs::storage_of(key).to_owned()).collect()
}

#[testkit::story]
async fn new_repositories_lie_where_the_weights_say(t: TestServer) {
    push(&t, "acme/anvil", "one").await;
    weigh(&t, json!({"default": 0, "second": 100})).await;
    push(&t, "acme/bellows", "two").await;
    assert_eq!(of_packs(&t).await, ["default", "second"]);

    let admin = t.admin();
    let storage = admin.get("/projects/acme%2Fbellows/storage").await.is(200).json();
    assert_eq!(storage["repository_storage"], "second");
    assert!(
        storage["disk_path"]
            .as_str()
            .is_some_and(|path| path.starts_with("repositories/"))
    );
    let project = admin.get("/projects/acme%2Fanvil").await.json();
    assert_eq!(project["repository_storage"], "default");
    let listed = admin.get("/projects?repository_storage=second").await.json();
    let paths: Vec<&str> =
        listed.as_array().unwrap().iter().filter_map(|it| it["path"].as_str()).collect();
    assert_eq!(paths, ["bellows"]);
    assert_eq!(admin.get("/projects?repository_storage=gone").await.json(), json!([]));

    // It is read, added to and packed again where it lies.
    let git = Git::of(&admin);
    git.run(&["clone", "--quiet", &git.url("acme/bellows"), "again"]).await.done();
    for number in 0..5 {
        git.commit("again", "count.txt", &format!("{number}\n")).await;
        git.run_in("again", &["push", "--quiet", "origin", "main"]).await.done();
    }
    let compact = |tx: &mut ::store::Tx<'_>| {
        let now = tx.now();
        let all: Vec<i64> = tx.all(sql!("select id from repositories"), ())?;
        all.into_iter()
            .try_for_each(|repository| enqueue_at(tx, &Compact { repository }, now))
    };
    t.app().write(compact).await.unwrap();
    t.settle().await;
    let packs = of_packs(&t).await;
    assert_eq!(packs[0], "default");
    assert!(packs.len() < 6 && packs[1..].iter().all(|name| name == "second"), "{packs:?}");
}

#[testkit::story]
async fn weights_are_of_storages_there_are(t: TestServer) {
    for wrong in [json!({"gone": 1}), json!({"second": 101}), json!({"second": -1}), json!("x")] {
        let body = json!({"repository_storages_weighted": wrong});
        t.admin().put(SETTINGS).json(&body).await.is(400);
    }
    let settings = t.admin().get(SETTINGS).await.json();
    assert_eq!(settings["repository_storages_weighted"], json!({"default": 100}));
    weigh(&t, json!({"default": 0})).await;
    push(&t, "acme/anvil", "one").await;
    assert_eq!(of_packs(&t).await, ["default"]);
}

#[testkit::story]
async fn storages_are_for_administrators(t: TestServer) {
    push(&t, "acme/anvil", "one").await;
    let address = "/projects/acme%2Fanvil/storage";
    let mira = t.user("mira").await;
    t.group("acme").await.add(&mira, 50).await;
    let owner = &mira;
    owner.get(address).await.is(403);
    t.anonymous().get(address).await.is(401);
    t.admin().get("/projects/999/storage").await.is(404);
    t.project("acme/empty").await;
    t.admin().get("/projects/acme%2Fempty/storage").await.is(404);
    let project = owner.get("/projects/acme%2Fanvil").await.json();
    assert_eq!(project.get("repository_storage"), None);
    let listed = owner.get("/projects?repository_storage=gone&membership=true").await;
    assert_eq!(listed.json().as_array().map(Vec::len), Some(2), "the filter is not theirs");
}
