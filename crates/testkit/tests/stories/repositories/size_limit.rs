//! How large the code of a project and its large files may be, whatever way they come.

use crate::lfs::{batch, send};
use serde_json::{Value, json};
use testkit::{Git, TestProject, TestServer, sha256};

const SETTINGS: &str = "/application/settings";
const EXCEED: &str = "Your push to this repository would cause it to exceed the size limit of";

/// A project with a pushed branch `main`, and its clone in a folder named like it.
async fn begun(t: &TestServer, git: &Git, name: &str) -> TestProject {
    let path = format!("acme/{name}");
    let project = t.project(&path).await;
    git.begin(name, &path).await;
    git.run_in(name, &["push", "--quiet", "origin", "main"]).await.done();
    project
}

/// Bytes of the code of a project and its large files.
async fn size(t: &TestServer, project: &TestProject) -> i64 {
    let shown = t.admin().get(project.at("?statistics=true")).await.is(200).json();
    let of = |key: &str| shown["statistics"][key].as_i64().unwrap();
    of("repository_size") + of("lfs_objects_size")
}

async fn limit(t: &TestServer, project: &TestProject, bytes: impl Into<Value>) {
    let body = json!({"repository_size_limit": bytes.into()});
    t.admin().put(project.at("")).json(&body).await.is(200);
}

async fn push(git: &Git, name: &str, refs: &[&str]) -> testkit::Ran {
    git.run_in(name, &[&["push", "origin"], refs].concat()).await
}

/// Text that packs hardly make smaller.
fn dense(seed: &str) -> String {
    (0..40).map(|number| sha256(format!("{seed}{number}")) + "\n").collect()
}

#[testkit::story]
async fn a_push_may_fill_the_last_byte_and_no_more(t: TestServer) {
    let git = Git::of(&t.admin());
    let project = begun(&t, &git, "anvil").await;
    // Another one that is given the very same packs.
    let (twin, url) = (t.project("acme/twin").await, git.url("acme/twin"));
    git.run_in("anvil", &["push", "--quiet", &url, "main"]).await.done();
    git.commit("anvil", "ore.txt", &dense("ore")).await;
    git.run_in("anvil", &["push", "--quiet", &url, "main"]).await.done();
    let (before, full) = (size(&t, &project).await, size(&t, &twin).await);

    limit(&t, &project, full - 1).await;
    let refused = push(&git, "anvil", &["main"]).await.refused(EXCEED);
    assert!(
        refused
            .said
            .contains("so it has been rejected. Please contact your Service administrator")
    );
    assert_eq!(size(&t, &project).await, before, "nothing of it stays");
    limit(&t, &project, full).await;
    push(&git, "anvil", &["main"]).await.done();
    assert_eq!(size(&t, &project).await, full);

    // What adds nothing goes on, until there is more than there may be. Packs that were
    // joined take less.
    push(&git, "anvil", &["main:refs/heads/side"]).await.done();
    t.settle().await;
    let full = size(&t, &project).await;
    limit(&t, &project, full).await;
    git.commit("anvil", "more.txt", "more\n").await;
    push(&git, "anvil", &["main"]).await.refused(EXCEED);
    limit(&t, &project, full - 1).await;
    let over =
        "Your push has been rejected, because this repository has exceeded its size limit of";
    let refused = push(&git, "anvil", &["main"]).await.refused(over);
    assert!(
        refused
            .said
            .contains(" by 1 Byte. Please contact your Service administrator for")
    );
    push(&git, "anvil", &["main~1:refs/heads/third"]).await.refused(over);
    push(&git, "anvil", &[":side"]).await.done();
    limit(&t, &project, 0).await;
    push(&git, "anvil", &["main"]).await.done();
}

#[testkit::story]
async fn two_pushes_at_once_do_not_pass_it_together(t: TestServer) {
    let git = Git::of(&t.admin());
    let (project, twin) = (begun(&t, &git, "anvil").await, begun(&t, &git, "twin").await);
    let before = size(&t, &twin).await;
    git.commit("twin", "one.txt", &dense("one")).await;
    push(&git, "twin", &["main"]).await.done();
    let one = size(&t, &twin).await - before;
    limit(&t, &project, before + one + one / 2).await;

    let clones: Vec<Git> = (0..4).map(|_| Git::of(&t.admin())).collect();
    let work = clones.iter().enumerate().map(|(number, own)| async move {
        own.run(&["clone", "--quiet", &own.url("acme/anvil"), "two"]).await.done();
        own.commit("two", "one.txt", &dense(&number.to_string())).await;
        let to = format!("main:refs/heads/own-{number}");
        own.run_in("two", &["push", "origin", &to]).await
    });
    let ended = futures_util::future::join_all(work).await;
    assert_eq!(ended.iter().filter(|ran| ran.succeeded).count(), 1, "{ended:?}");
    assert!(size(&t, &project).await <= before + one + one / 2);
}

#[testkit::story]
async fn changes_without_git_are_held_to_it(t: TestServer) {
    let git = Git::of(&t.admin());
    let project = begun(&t, &git, "anvil").await;
    let full = size(&t, &project).await;
    limit(&t, &project, full).await;
    let text = "Your changes could not be committed, because this repository has exceeded its size \
                limit of";
    let actions = json!([{"action": "create", "file_path": "x", "content": dense("x")}]);
    let body = json!({"branch": "main", "commit_message": "More", "actions": actions});
    let refused = t.admin().post(project.at("/repository/commits")).json(&body).await;
    let said = refused.is(400).json();
    assert!(said["message"].as_str().unwrap().starts_with(text), "{said}");
    let input = json!({"projectPath": "acme/anvil", "branch": "main", "message": "More",
        "actions": [{"action": "CREATE", "filePath": "x", "content": dense("x")}]});
    let query = "mutation($input: CommitCreateInput!) {commitCreate(input: $input) {errors}}";
    let query = json!({"query": query, "variables": {"input": input}});
    let asked = t.admin().request(http::Method::POST, "/api/graphql").json(&query);
    let told = asked.await.is(200).json();
    let said = told["data"]["commitCreate"]["errors"][0].as_str().unwrap_or_default();
    assert!(said.starts_with(text), "{told}");
    assert_eq!(size(&t, &project).await, full);
}

#[testkit::story]
async fn large_files_count_and_are_counted(t: TestServer) {
    let git = Git::of(&t.admin());
    let project = begun(&t, &git, "anvil").await;
    let code = size(&t, &project).await;
    limit(&t, &project, code + 5).await;
    let object = |text: &str| json!({"oid": sha256(text), "size": text.len()});
    let large = batch(&t.admin(), "acme/anvil", "upload", json!([object("steel!")])).await;
    let said = large.is(406).json();
    let message = said["message"].as_str().unwrap();
    assert!(message.starts_with("Your push has been rejected, because this"), "{said}");
    assert!(message.contains(" by 1 Byte. Please contact"), "{said}");
    let both = json!([object("ste"), object("el!")]);
    batch(&t.admin(), "acme/anvil", "upload", both).await.is(406);
    send(&t, &t.admin(), "acme/anvil", "steel").await;
    assert_eq!(size(&t, &project).await, code + 5);
    // What is there may be named again, and got.
    let again = json!([object("steel")]);
    batch(&t.admin(), "acme/anvil", "upload", again.clone()).await.is(200);
    batch(&t.admin(), "acme/anvil", "download", again).await.is(200);
    git.commit("anvil", "more.txt", "more\n").await;
    push(&git, "anvil", &["main"]).await.refused(EXCEED);
}

#[testkit::story]
async fn what_was_told_of_a_large_file_before_is_asked_again(t: TestServer) {
    let git = Git::of(&t.admin());
    let project = begun(&t, &git, "anvil").await;
    limit(&t, &project, size(&t, &project).await + 5).await;
    let object = |text: &str| json!({"oid": sha256(text), "size": text.len()});
    let mut tickets = Vec::new();
    for text in ["steel", "brass", "lead!"] {
        let told = batch(&t.admin(), "acme/anvil", "upload", json!([object(text)])).await;
        tickets.push((text, told.is(200).json()));
    }
    let sending = tickets
        .iter()
        .map(|(text, told)| crate::lfs::follow(&t, told, "upload", Some(*text)));
    let sent = futures_util::future::join_all(sending).await;
    let mut statuses: Vec<u16> = sent.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 406, 406]);
}

#[testkit::story]
async fn the_nearest_who_says_something_decides(t: TestServer) {
    let git = Git::of(&t.admin());
    let project = begun(&t, &git, "anvil").await;
    let group = t.group("acme").await;
    let set = async |path: String, bytes: Value| {
        let body = json!({"repository_size_limit": bytes});
        t.admin().put(path).json(&body).await.is(200)
    };
    let pushed = async |allowed: bool| {
        let ran = push(&git, "anvil", &["main"]).await;
        assert_eq!(ran.succeeded, allowed, "{ran:?}");
    };
    git.commit("anvil", "more.txt", "more\n").await;
    set(SETTINGS.into(), json!(1)).await;
    pushed(false).await;
    set(group.at(""), json!(0)).await;
    pushed(true).await;
    git.commit("anvil", "more.txt", "and more\n").await;
    set(group.at(""), json!(2)).await;
    pushed(false).await;
    let shown = set(project.at(""), json!(0)).await.json();
    assert_eq!(shown["repository_size_limit"], 0);
    pushed(true).await;
    git.commit("anvil", "more.txt", "and still more\n").await;
    let shown = set(project.at(""), Value::Null).await.json();
    assert_eq!(shown["repository_size_limit"], Value::Null);
    pushed(false).await;
    set(group.at(""), Value::Null).await;
    set(SETTINGS.into(), json!(0)).await;
    pushed(true).await;
}

#[testkit::story]
async fn administrators_alone_see_it_and_set_it(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let owner = t.user("olga").await;
    group.add(&owner, 50).await;
    for at in [project.at(""), group.at("")] {
        let shown = t.admin().get(&at).await.is(200).json();
        assert_eq!(shown.get("repository_size_limit"), Some(&Value::Null), "{at}");
        let shown = owner.get(&at).await.is(200).json();
        assert_eq!(shown.get("repository_size_limit"), None, "{at}");
        for sent in [json!(5), json!(0), Value::Null] {
            let body = json!({"repository_size_limit": sent});
            owner.put(&at).json(&body).await.is(403);
        }
        let body = json!({"repository_size_limit": -1});
        t.admin().put(&at).json(&body).await.is(400);
        let body = json!({"repository_size_limit": i64::MAX});
        let shown = t.admin().put(&at).json(&body).await.is(200).json();
        assert_eq!(shown["repository_size_limit"], i64::MAX);
    }
    let more = json!({"name": "horn", "namespace_id": group.id, "repository_size_limit": 7});
    owner.post("/projects").json(&more).await.is(403);
    let made = t.admin().post("/projects").json(&more).await.is(201).json();
    assert_eq!(made["repository_size_limit"], 7);
    let listed = owner.get("/groups").await.is(200).json();
    assert_eq!(listed[0].get("repository_size_limit"), None);
    t.admin()
        .put(SETTINGS)
        .json(&json!({"repository_size_limit": -1}))
        .await
        .is(400);
    owner.put(SETTINGS).json(&json!({"repository_size_limit": 1})).await.is(403);
    let settings = t.admin().get(SETTINGS).await.is(200).json();
    assert_eq!(settings["repository_size_limit"], 0);
}
