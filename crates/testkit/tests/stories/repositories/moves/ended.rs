//! Moves that go wrong leave all as it was, and are begun again.

use super::{
    ALL, at_once, block, change, cloned, found_again, moved, of, of_packs, of_rows, pushed, texts,
    to, unblock,
};
use ::store::sql;
use serde_json::{Value, json};
use testkit::TestServer;

/// Nothing is left of a move, and everybody writes.
async fn all_is_as_it_was(t: &TestServer) {
    assert_eq!(
        (of_rows(t).await, of_packs(t).await),
        (vec!["default".into()], vec!["default".into()])
    );
    let left = sql!(
        "select name from repository_packs
         where other_pack_key is not null or other_index_key is not null"
    );
    assert_eq!(texts(t, left).await, Vec::<String>::new());
    let closed = sql!("select kind from repositories where read_only_at is not null");
    assert_eq!(texts(t, closed).await, Vec::<String>::new());
    let blobs = sql!("select key from blobs where key like 'second:%' escape '\\'");
    assert_eq!(texts(t, blobs).await, Vec::<String>::new());
}

#[testkit::story]
async fn a_storage_that_takes_nothing_changes_nothing(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    block(&t, "second");
    let ended = moved(&t, &of(&project), "second").await;
    assert_eq!(ended["state"], "failed");
    assert!(ended["error"].as_str().is_some_and(|text| !text.contains('/')), "{ended}");
    all_is_as_it_was(&t).await;
    git.commit("anvil", "ore.txt", "iron\n").await;
    git.run_in("anvil", &["push", "--quiet", "origin", "main"]).await.done();
    cloned(&t, &git, "acme/anvil", "again").await;

    unblock(&t, "second");
    let retry = format!("{ALL}/{}/retry", ended["id"]);
    let again = t.admin().post(&retry).await.is(201).json();
    assert_ne!(again["id"], ended["id"]);
    assert_eq!((&again["state"], &again["error"]), (&json!("scheduled"), &Value::Null));
    t.settle().await;
    assert_eq!(
        t.admin().get(ALL).await.is(200).each("state"),
        [json!("finished"), json!("failed")]
    );
    assert_eq!(of_packs(&t).await, ["second"]);
    let late = t.admin().post(format!("{ALL}/{}/retry", again["id"])).await.is(400).json();
    let text = "400 Bad request - The move cannot be retried because it is finished";
    assert_eq!(late, json!({"message": text}));
}

#[testkit::story]
async fn a_repository_that_is_not_whole_stays(t: TestServer) {
    let (project, _) = pushed(&t, "acme/anvil").await;
    change(
        &t,
        sql!("update repository_refs set object_id = '00000000000000000000000000000000000000ff'"),
    )
    .await;
    let ended = moved(&t, &of(&project), "second").await;
    assert_eq!(ended["state"], "failed");
    let text = "The project repository lacks objects that its refs lead to; see tenon check.";
    assert_eq!(ended["error"], text);
    all_is_as_it_was(&t).await;
}

#[testkit::story]
async fn damaged_bytes_are_not_moved(t: TestServer) {
    let (project, _) = pushed(&t, "acme/anvil").await;
    // What follows a push reads it.
    t.settle().await;
    let key = texts(&t, sql!("select pack_key from repository_packs")).await.remove(0);
    let path = super::folder(&t, "default").join(&key);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let ended = moved(&t, &of(&project), "second").await;
    assert_eq!(ended["state"], "failed");
    let begins = format!(
        "Failed to verify project repository checksum from {} to ",
        kernel::blobs::sha256_of(&key)
    );
    assert!(ended["error"].as_str().unwrap().starts_with(&begins), "{ended}");
    all_is_as_it_was(&t).await;
    assert!(super::is_empty(&t, "second"), "nothing of it is there");
}

#[testkit::story]
async fn what_waits_or_is_copied_is_given_up(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    at_once(&t, 0).await;
    let id = t.admin().post(of(&project)).json(&to("second")).await.is(201).id();
    let cancel = format!("{ALL}/{id}/cancel");
    let ended = t.admin().post(&cancel).await.is(200).json();
    assert_eq!(ended["state"], "failed");
    assert_eq!(ended["error"], "It was canceled by an administrator.");
    let late = t.admin().post(&cancel).await.is(400).json();
    let text = "400 Bad request - The move cannot be canceled because it is failed";
    assert_eq!(late, json!({"message": text}));

    // One that is copied just now, and about to end.
    let id = t.admin().post(of(&project)).json(&to("second")).await.is(201).id();
    change(
        &t,
        sql!(
            "update repository_storage_moves set state = 'started', is_dispatched = true,
                read_only_at = created_at where state = 'scheduled'"
        ),
    )
    .await;
    change(&t, sql!("update repositories set read_only_at = created_at")).await;
    git.commit("anvil", "ore.txt", "iron\n").await;
    git.run_in("anvil", &["push", "origin", "main"]).await.refused(super::TEXT);
    let ended = t.admin().post(format!("{ALL}/{id}/cancel")).await.is(200).json();
    assert_eq!(ended["state"], "failed");
    assert!(ended["read_only_ms"].is_i64());
    git.run_in("anvil", &["push", "--quiet", "origin", "main"]).await.done();
    all_is_as_it_was(&t).await;

    at_once(&t, 1).await;
    let ended = moved(&t, &of(&project), "second").await;
    assert_eq!(ended["state"], "finished");
    let late = format!("{ALL}/{}/cancel", ended["id"]);
    t.admin().post(late).await.is(400);
    let audit = t.admin().get("/audit_events?per_page=100").await.is(200).text();
    assert!(audit.contains("storage_move.cancel") && audit.contains("storage_move.fail"));
}

#[testkit::story]
async fn a_move_whose_server_ended_fails_and_is_begun_again(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    at_once(&t, 0).await;
    let id = t.admin().post(of(&project)).json(&to("second")).await.is(201).id();
    change(
        &t,
        sql!(
            "update repository_storage_moves set state = 'started', is_dispatched = true,
                read_only_at = created_at"
        ),
    )
    .await;
    change(&t, sql!("update repositories set read_only_at = created_at")).await;
    found_again(&t, id).await;
    let ended = t.admin().get(format!("{ALL}/{id}")).await.is(200).json();
    assert_eq!(ended["state"], "failed");
    let text = "The server ended while the repository was copied. Retry the move.";
    assert_eq!(ended["error"], text);
    all_is_as_it_was(&t).await;
    git.commit("anvil", "ore.txt", "iron\n").await;
    git.run_in("anvil", &["push", "--quiet", "origin", "main"]).await.done();
    // A job that comes late finds nothing to do.
    found_again(&t, id).await;
    at_once(&t, 2).await;
    t.admin().post(format!("{ALL}/{id}/retry")).await.is(201);
    t.settle().await;
    assert_eq!(of_packs(&t).await, ["second"]);

    // One that had moved already is cleaned up.
    change(
        &t,
        sql!("update repository_storage_moves set state = 'replicated' where state = 'finished'"),
    )
    .await;
    let last = t.admin().get(ALL).await.is(200).each("id")[0].as_i64().unwrap();
    found_again(&t, last).await;
    assert_eq!(t.admin().get(format!("{ALL}/{last}")).await.json()["state"], "finished");
}

#[testkit::story]
async fn what_is_left_of_the_old_copy_is_removed_again(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    super::age(&t, "default");
    block(&t, "default");
    let ended = moved(&t, &of(&project), "second").await;
    assert_eq!(ended["state"], "cleanup failed", "{ended}");
    assert!(ended["error"].is_string());
    assert_eq!(of_packs(&t).await, ["second"], "it has moved");
    assert!(!super::is_empty(&t, "default"));
    git.commit("anvil", "ore.txt", "iron\n").await;
    git.run_in("anvil", &["push", "--quiet", "origin", "main"]).await.done();

    unblock(&t, "default");
    let retry = format!("{ALL}/{}/retry", ended["id"]);
    let again = t.admin().post(&retry).await.is(201).json();
    assert_eq!((&again["id"], &again["state"]), (&ended["id"], &json!("replicated")));
    t.settle().await;
    let ended = t.admin().get(format!("{ALL}/{}", ended["id"])).await.is(200).json();
    assert_eq!((&ended["state"], &ended["error"]), (&json!("finished"), &Value::Null));
    assert!(super::is_empty(&t, "default"));
}
