//! Push rules: what is asked of commits, files and names, whatever way they come.

use serde_json::{Value, json};
use testkit::{Client, Git, TestProject, TestServer};

/// A project with a pushed branch `main`, and a clone of somebody who maintains it.
async fn begun(t: &TestServer) -> (TestProject, Git) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    (project, git)
}

/// Sets the rule of a project to this alone.
async fn set(t: &TestServer, project: &TestProject, rule: Value) {
    let at = project.at("/push_rule");
    let gone = t.admin().delete(&at).await;
    assert!([204, 404].contains(&gone.status), "{gone:?}");
    t.admin().post(&at).json(&rule).await.is(201);
}

async fn push(git: &Git, args: &[&str]) -> testkit::Ran {
    git.run_in("one", &[&["push", "origin"], args].concat()).await
}

/// Commits with this message and pushes, which is refused so; the commit goes.
async fn refused(git: &Git, args: &[&str], text: &str) {
    let commit = [&["commit", "--quiet", "--allow-empty"], args].concat();
    git.run_in("one", &commit).await.done();
    push(git, &["main"]).await.refused(text);
    git.run_in("one", &["reset", "--quiet", "--hard", "origin/main"]).await.done();
}

#[testkit::story]
async fn rules_are_set_changed_and_ended(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let (maintainer, developer) = (t.user("mia").await, t.user("dev").await);
    project.add(&maintainer, 40).await;
    project.add(&developer, 30).await;
    let at = project.at("/push_rule");
    assert_eq!(maintainer.get(&at).await.is(200).json(), Value::Null);
    maintainer.put(&at).json(&json!({"member_check": true})).await.is(404);
    maintainer.delete(&at).await.is(404);
    let rule = json!({"commit_message_regex": "Fixes \\d+", "max_file_size": 5});
    let made = maintainer.post(&at).json(&rule).await.is(201);
    let keys: Vec<String> = made.json().as_object().unwrap().keys().cloned().collect();
    for key in ["id", "project_id", "created_at", "commit_message_negative_regex"] {
        assert!(keys.contains(&key.to_owned()), "{keys:?}");
    }
    let made = made.json();
    assert_eq!(made["project_id"], project.id);
    assert_eq!(made["commit_message_regex"], "Fixes \\d+");
    assert_eq!((&made["max_file_size"], &made["branch_name_regex"]), (&json!(5), &json!("")));
    assert_eq!(
        (&made["member_check"], &made["reject_unsigned_commits"]),
        (&json!(false), &Value::Null)
    );
    let twice = maintainer.post(&at).json(&rule).await.is(422).json();
    assert_eq!(twice, json!({"message": "Project push rule exists"}));
    let change = json!({"commit_message_regex": null, "reject_unsigned_commits": true});
    let changed = maintainer.put(&at).json(&change).await.is(200).json();
    assert_eq!(changed["commit_message_regex"], "");
    assert_eq!(changed["reject_unsigned_commits"], true);
    assert_eq!(changed["max_file_size"], 5);
    let change = json!({"reject_unsigned_commits": null});
    let changed = maintainer.put(&at).json(&change).await.is(200).json();
    assert_eq!(changed["reject_unsigned_commits"], Value::Null);
    assert_eq!(maintainer.get(&at).await.is(200).json(), changed);
    for wrong in [
        json!({"branch_name_regex": "("}),
        json!({"branch_name_regex": "a".repeat(512)}),
        json!({"commit_message_negative_regex": "a".repeat(2048)}),
        json!({"max_file_size": -1}),
    ] {
        maintainer.put(&at).json(&wrong).await.is(400);
    }
    let long = json!({"commit_message_negative_regex": "a".repeat(2047)});
    maintainer.put(&at).json(&long).await.is(200);
    developer.get(&at).await.is(403);
    developer.put(&at).json(&rule).await.is(403);
    maintainer.delete(&at).await.is(204);
    assert_eq!(maintainer.get(&at).await.is(200).json(), Value::Null);

    let at = group.at("/push_rule");
    let absent = json!({"message": "404 Push Rule Not Found"});
    assert_eq!(t.admin().get(&at).await.is(404).json(), absent);
    group.add(&maintainer, 40).await;
    maintainer.post(&at).json(&rule).await.is(403);
    let made = t.admin().post(&at).json(&rule).await.is(201).json();
    assert_eq!(made.get("project_id"), None);
    t.admin().post(&at).json(&rule).await.is(422);
    t.admin().delete(&at).await.is(204);
    maintainer.get("/application/push_rule").await.is(403);
}

#[testkit::story]
async fn new_projects_begin_with_the_rule_above(t: TestServer) {
    let group = t.group("acme").await;
    t.group("acme/inner").await;
    let instance = json!({"commit_message_regex": "of all", "reject_non_dco_commits": true});
    t.admin().post("/application/push_rule").json(&instance).await.is(201);
    let rule = json!({"commit_message_regex": "of acme"});
    t.admin().post(group.at("/push_rule")).json(&rule).await.is(201);
    let project = t.project("acme/inner/anvil").await;
    let well = t.project("plaza/well").await;
    for (one, message) in [(&project, "of acme"), (&well, "of all")] {
        let own = t.admin().get(one.at("/push_rule")).await.is(200).json();
        assert_eq!(own["commit_message_regex"], message);
        assert_eq!(own["project_id"], one.id);
    }
    // What is null follows the instance.
    set(&t, &project, json!({})).await;
    let body = json!({"branch": "main", "commit_message": "x", "content": ""});
    let file = project.at("/repository/files/a");
    let said = t.admin().post(&file).json(&body).await.is(400).json();
    assert_eq!(said, json!({"message": "Commit message must contain a DCO signoff"}));
    let off = json!({"reject_non_dco_commits": false});
    t.admin().put("/application/push_rule").json(&off).await.is(200);
    t.admin().post(&file).json(&body).await.is(201);
}

#[testkit::story]
async fn commits_are_as_the_rule_has_them(t: TestServer) {
    let (project, git) = begun(&t).await;
    set(&t, &project, json!({"commit_message_regex": "^Closes \\d+$"})).await;
    let text = "Commit message does not follow the pattern '^Closes \\d+$'";
    refused(&git, &["--message", "Forge"], text).await;
    // One of several refuses all.
    git.run_in("one", &["commit", "--quiet", "--allow-empty", "--message", "Bad"])
        .await
        .done();
    let good = ["commit", "--quiet", "--allow-empty", "--message", "Forge\n\nCloses 5"];
    git.run_in("one", &good).await.done();
    push(&git, &["main"]).await.refused(text);
    git.run_in("one", &["reset", "--quiet", "--hard", "origin/main"]).await.done();
    git.run_in("one", &good).await.done();
    push(&git, &["main"]).await.done();

    // The same is asked of commits by REST.
    let body = |message: &str| {
        let file = json!({"action": "create", "file_path": "a", "content": ""});
        json!({"branch": "main", "commit_message": message, "actions": [file]})
    };
    let commits = project.at("/repository/commits");
    let said = t.admin().post(&commits).json(&body("x")).await.is(400).json();
    assert_eq!(said, json!({"message": text}));
    t.admin().post(&commits).json(&body("Closes 7")).await.is(201);
    let pick = json!({"branch": "main"});
    let sha = git.id("one", "main").await;
    let picked = project.at(&format!("/repository/commits/{sha}/revert"));
    t.admin().post(picked).json(&pick).await.is(400);

    set(&t, &project, json!({"commit_message_negative_regex": "(?i)wip"})).await;
    git.run_in("one", &["pull", "--quiet", "origin", "main"]).await.done();
    let text = "Commit message contains the forbidden pattern '(?i)wip'";
    refused(&git, &["--message", "WIP: forge"], text).await;

    // What is there already is not asked for again.
    set(&t, &project, json!({"commit_message_regex": "never"})).await;
    push(&git, &["main:refs/heads/side"]).await.done();
    t.admin()
        .post(project.at("/repository/branches?branch=more&ref=main"))
        .await
        .is(201);
    set(&t, &project, json!({"author_email_regex": "@anvil\\.example$"})).await;
    refused(
        &git,
        &["--message", "x"],
        "Committer's email 'ada@example.com' does not follow the pattern '@anvil\\.example$'",
    )
    .await;
}

#[testkit::story]
async fn names_and_tags_are_as_the_rule_has_them(t: TestServer) {
    let (project, git) = begun(&t).await;
    push(&git, &["main:refs/heads/old", "main:refs/tags/v1"]).await.done();
    set(&t, &project, json!({"branch_name_regex": "^fix/", "deny_delete_tag": true})).await;
    let text = "Branch name does not follow the pattern '^fix/'";
    push(&git, &["main:refs/heads/other"]).await.refused(text);
    push(&git, &["main:refs/heads/fix/horn"]).await.done();
    let branch = |name: &str| project.at(&format!("/repository/branches?branch={name}&ref=main"));
    let said = t.admin().post(branch("other")).await.is(400).json();
    assert_eq!(said["message"], text);
    t.admin().post(branch("fix/face")).await.is(201);
    // The default branch, and branches that go, have any name.
    git.commit("one", "horn.txt", "curved\n").await;
    push(&git, &["main", ":old"]).await.done();
    push(&git, &[":refs/tags/v1"]).await.refused("You cannot delete a tag");
    t.admin().delete(project.at("/repository/tags/v1")).await.is(204);
}

#[testkit::story]
async fn files_are_as_the_rule_has_them(t: TestServer) {
    let (project, git) = begun(&t).await;
    let rule = json!({"file_name_regex": "\\.exe$", "prevent_secrets": true, "max_file_size": 1});
    set(&t, &project, rule).await;
    let refuse = async |file: &str, content: &str, text: &str| {
        git.commit("one", file, content).await;
        push(&git, &["main"]).await.refused(text);
        git.run_in("one", &["reset", "--quiet", "--hard", "origin/main"]).await.done();
    };
    let text = "File name bin/a.exe was prohibited by the pattern \"\\.exe$\".";
    refuse("bin/a.exe", "x", text).await;
    refuse("keys/id_rsa", "x", "File name keys/id_rsa was prohibited by the pattern").await;
    let large = "x".repeat(1024 * 1024 + 1);
    let text = "File \"art/horn.psd\" is larger than the allowed size of 1 MB";
    refuse("art/horn.psd", &large, text).await;
    git.commit("one", "art/small.psd", &large[1..]).await;
    push(&git, &["main"]).await.done();

    // A file of a commit that takes it back again is there still.
    git.commit("one", "a.exe", "x").await;
    git.run_in("one", &["rm", "--quiet", "a.exe"]).await.done();
    git.run_in("one", &["commit", "--quiet", "--message", "Take it back"])
        .await
        .done();
    push(&git, &["main"]).await.refused("prohibited by the pattern");
    git.run_in("one", &["reset", "--quiet", "--hard", "origin/main"]).await.done();
    // So is one that a merge alone brings.
    git.run_in("one", &["switch", "--quiet", "--create", "side"]).await.done();
    git.commit("one", "side.txt", "x").await;
    git.run_in("one", &["switch", "--quiet", "main"]).await.done();
    git.run_in("one", &["merge", "--quiet", "--no-ff", "--no-commit", "side"])
        .await
        .done();
    std::fs::write(git.at("one").join("b.exe"), "x").unwrap();
    git.run_in("one", &["add", "b.exe"]).await.done();
    git.run_in("one", &["commit", "--quiet", "--message", "Merge"]).await.done();
    push(&git, &["main"]).await.refused("File name b.exe was prohibited");

    let body = json!({"branch": "main", "commit_message": "x", "content": "x"});
    let path = project.at("/repository/files/c%2Eexe");
    let said = t.admin().post(path).json(&body).await.is(400).text();
    assert!(said.contains("File name c.exe was prohibited"), "{said}");
}

#[testkit::story]
async fn people_are_as_the_rule_has_them(t: TestServer) {
    let (project, _) = begun(&t).await;
    let ada = t.user("ada").await;
    project.add(&ada, 40).await;
    let git = clone_of(&ada).await;
    let as_author =
        |author: &str| vec!["--message".to_owned(), "x".into(), format!("--author={author}")];
    let refuse = async |author: &str, text: &str| {
        let args = as_author(author);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        refused(&git, &args, text).await;
    };
    set(&t, &project, json!({"member_check": true})).await;
    refuse("Eve <eve@example.org>", "Author 'eve@example.org' is not a member of team").await;
    git.commit("one", "a.txt", "a").await;
    push(&git, &["main"]).await.done();

    set(&t, &project, json!({"commit_committer_check": true})).await;
    git.commit("one", "b.txt", "b").await;
    push(&git, &["main"]).await.done();
    let bob = t.user("bob").await;
    project.add(&bob, 40).await;
    let other = clone_of(&bob).await;
    other.commit("one", "c.txt", "c").await;
    push(&other, &["main"])
        .await
        .refused("You cannot push commits for 'ada@example.com'.");
    // By REST the committer is who asks.
    let body = json!({"branch": "main", "commit_message": "x", "content": ""});
    bob.post(project.at("/repository/files/d")).json(&body).await.is(201);
    git.run_in("one", &["pull", "--quiet", "--rebase", "origin", "main"])
        .await
        .done();

    set(&t, &project, json!({"commit_committer_name_check": true})).await;
    let text = "Your git username is inconsistent with Service account name";
    refuse("Ada <ada@example.com>", text).await;
    set(&t, &project, json!({"reject_non_dco_commits": true})).await;
    refused(&git, &["--message", "x"], "Commit message must contain a DCO signoff").await;
    set(&t, &project, json!({"reject_unsigned_commits": true})).await;
    refused(&git, &["--message", "x"], "Commit must be signed with a GPG key").await;
    ada.post(project.at("/repository/files/e")).json(&body).await.is(201);
}

async fn clone_of(client: &Client) -> Git {
    let git = Git::of(client);
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "one"]).await.done();
    git
}
