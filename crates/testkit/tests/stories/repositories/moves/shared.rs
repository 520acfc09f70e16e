//! Forks have packs in common with their source, in whatever storage.

use super::{age, cloned, is_empty, moved, of, pushed, texts};
use ::store::sql;
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn what_a_fork_needs_stays_until_it_moves(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    let head = git.id("anvil", "main").await;
    // Where new ones go makes no difference: a fork begins where its source is.
    let weights = json!({"repository_storages_weighted": {"default": 0, "second": 1}});
    t.admin().put("/application/settings").json(&weights).await.is(200);
    let fork = json!({"namespace_path": "root", "path": "fork", "name": "fork"});
    let fork = t.admin().post(project.at("/fork")).json(&fork).await.is(201).json();
    assert_eq!(fork["repository_storage"], "default");
    age(&t, "default");

    assert_eq!(moved(&t, &of(&project), "second").await["state"], "finished");
    assert!(!is_empty(&t, "default"), "the fork has them still");
    assert_eq!(cloned(&t, &git, "root/fork", "fork").await, head);
    assert_eq!(cloned(&t, &git, "acme/anvil", "source").await, head);

    let there = testkit::files_below(&super::folder(&t, "second").join("sha256"));
    let written = |path: &std::path::PathBuf| std::fs::metadata(path).unwrap().modified().unwrap();
    let before: Vec<_> = there.iter().map(written).collect();
    let moves = format!("/projects/{}/repository_storage_moves", fork["id"]);
    let ended = moved(&t, &moves, "second").await;
    assert_eq!(ended["state"], "finished");
    assert_eq!(ended["bytes_done"], ended["bytes_total"]);
    let after: Vec<_> = there.iter().map(written).collect();
    assert_eq!(before, after, "what is there already is not copied again");
    assert!(is_empty(&t, "default"));
    assert_eq!(cloned(&t, &git, "root/fork", "fork2").await, head);

    // Both ways, any number of times.
    for storage in ["default", "second", "default"] {
        for moves in [of(&project), moves.clone()] {
            assert_eq!(moved(&t, &moves, storage).await["state"], "finished");
        }
    }
    assert_eq!(cloned(&t, &git, "acme/anvil", "source2").await, head);
    let keys = sql!("select key from blobs where key like 'second:%' escape '\\'");
    assert_eq!(texts(&t, keys).await, Vec::<String>::new());
}

#[testkit::story]
async fn packs_that_others_replaced_go_with_the_old_copy(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    for number in 0..5 {
        git.commit("anvil", "count.txt", &format!("{number}\n")).await;
        git.run_in("anvil", &["push", "--quiet", "origin", "main"]).await.done();
    }
    t.admin().post(project.at("/housekeeping")).await.is(201);
    t.settle().await;
    let retired = sql!("select name from repository_packs where retired_at is not null");
    assert!(!texts(&t, retired).await.is_empty());
    age(&t, "default");
    assert_eq!(moved(&t, &of(&project), "second").await["state"], "finished");
    assert_eq!(texts(&t, retired).await, Vec::<String>::new());
    assert!(is_empty(&t, "default"));
    cloned(&t, &git, "acme/anvil", "again").await;
}
