//! Branches, tags, picks and reverts, by REST.

use super::edits::{begun, commit};
use serde_json::{Value, json};
use testkit::{Git, TestProject, TestServer};

async fn update(t: &TestServer, project: &TestProject, branch: &str, text: &str) -> Value {
    let action = json!({"action": "update", "file_path": "docs/guide.md", "content": text});
    let made = t.admin().post(project.at("/repository/commits"));
    made.json(&commit(branch, json!([action]))).await.is(201).json()
}

#[testkit::story]
async fn branches_come_and_go(t: testkit::TestServer) {
    let project = begun(&t).await;
    let admin = t.admin();
    let all = project.at("/repository/branches");
    let make = |name: &str, from: &str| json!({"branch": name, "ref": from});
    let made = admin.post(&all).json(&make("a/b", "main")).await.is(201).json();
    assert_eq!((&made["name"], &made["merged"]), (&json!("a/b"), &json!(true)));
    assert_eq!(made["default"], false);
    let invalid = "Failed to create branch 'c': invalid reference name 'nowhere'";
    for (body, text) in [
        (json!({"branch": "c"}), "Ref is missing"),
        (make("a/b", "main"), "Branch already exists"),
        (make("--x", "main"), "Branch name is invalid"),
        (make("@{-1}", "main"), "Branch name is invalid"),
        (make(&"x".repeat(300), "main"), "Branch name is invalid"),
        (make("c", "nowhere"), invalid),
        (
            make("a", "main"),
            "Failed to create branch 'a': Branch name conflicts with existing branch hierarchy.",
        ),
    ] {
        let said = admin.post(&all).json(&body).await.is(400).json();
        assert_eq!(said["message"], text, "{body}");
    }
    let said = admin.delete(format!("{all}/main")).await.is(400).json();
    assert_eq!(said["message"], "The default branch of a project cannot be deleted.");
    let late = admin.delete(format!("{all}/a%2Fb"));
    let late = late.header("if-unmodified-since", "Fri, 01 Jan 2010 00:00:00 GMT");
    late.await.is(412);
    admin.delete(format!("{all}/a%2Fb")).await.is(204);
    admin.delete(format!("{all}/a%2Fb")).await.is(404);
    let reporter = t.user("reporter").await;
    project.add(&reporter, 20).await;
    reporter.post(&all).json(&make("c", "main")).await.is(403);
    reporter.delete(format!("{all}/main")).await.is(403);
}

#[testkit::story]
async fn what_is_protected_or_archived_stays(t: testkit::TestServer) {
    let project = begun(&t).await;
    let admin = t.admin();
    let (developer, maintainer) = (t.user("developer").await, t.user("maintainer").await);
    project.add(&developer, 30).await;
    project.add(&maintainer, 40).await;
    let branches = project.at("/repository/branches");
    for name in ["kept", "kept-too"] {
        let body = json!({"branch": name, "ref": "main"});
        developer.post(&branches).json(&body).await.is(201);
    }
    let rule = json!({"name": "kept*"});
    maintainer.post(project.at("/protected_branches")).json(&rule).await.is(201);
    let rule = json!({"name": "v*"});
    maintainer.post(project.at("/protected_tags")).json(&rule).await.is(201);
    developer.delete(format!("{branches}/kept")).await.is(403);
    let tag = json!({"tag_name": "v1", "ref": "main"});
    developer.post(project.at("/repository/tags")).json(&tag).await.is(400);
    maintainer.post(project.at("/repository/tags")).json(&tag).await.is(201);
    maintainer.delete(format!("{branches}/kept")).await.is(204);

    admin.post(project.at("/archive")).await.is(201);
    let add = commit("kept-too", json!([{"action": "create", "file_path": "x"}]));
    let branch = json!({"branch": "new", "ref": "main"});
    let tag = json!({"tag_name": "w1", "ref": "main"});
    for (path, body) in [("commits", add), ("branches", branch), ("tags", tag)] {
        let path = project.at(&format!("/repository/{path}"));
        maintainer.post(path).json(&body).await.is(403);
    }
    maintainer.delete(format!("{branches}/kept-too")).await.is(403);
    maintainer.delete(project.at("/repository/merged_branches")).await.is(403);
    let file = json!({"branch": "main", "commit_message": "x"});
    let path = project.at("/repository/files/README.md");
    maintainer.delete(path).json(&file).await.is(403);
    assert_eq!(maintainer.get(&branches).await.is(200).each("name"), ["kept-too", "main"]);
}

#[testkit::story]
async fn the_first_branch_of_an_empty_project_has_a_commit(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let body = json!({"branch": "side", "ref": "main"});
    let made = t.admin().post(project.at("/repository/branches")).json(&body).await;
    assert_eq!(made.is(201).json()["name"], "side");
    let git = Git::of(&t.admin());
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "one"]).await.done();
    assert_eq!(git.run_in("one", &["ls-files"]).await.last_line(), "README.md");
    assert_eq!(git.run_in("one", &["branch", "--show-current"]).await.last_line(), "main");
}

#[testkit::story]
async fn merged_branches_go_together(t: testkit::TestServer) {
    let project = begun(&t).await;
    let admin = t.admin();
    for name in ["done", "done/too", "open"].map(|name| name.replace("done/", "also/")) {
        let body = json!({"branch": name, "ref": "main"});
        admin.post(project.at("/repository/branches")).json(&body).await.is(201);
    }
    update(&t, &project, "open", "other\n").await;
    let reporter = t.user("reporter").await;
    project.add(&reporter, 20).await;
    reporter.delete(project.at("/repository/merged_branches")).await.is(403);
    for _ in 0..2 {
        let said = admin.delete(project.at("/repository/merged_branches")).await.is(202).json();
        assert_eq!(said, json!({"message": "202 Accepted"}));
        t.settle().await;
    }
    let git = Git::of(&admin);
    let listed = git.run(&["ls-remote", "--heads", &git.url("acme/anvil")]).await.done();
    let names: Vec<&str> = listed
        .said
        .lines()
        .filter_map(|line| line.split_once("refs/heads/"))
        .map(|(_, n)| n)
        .collect();
    assert_eq!(names, ["main", "open"]);
}

#[testkit::story]
async fn tags_come_and_go(t: testkit::TestServer) {
    let project = begun(&t).await;
    let admin = t.admin();
    let all = project.at("/repository/tags");
    let make = |name: &str, from: &str| json!({"tag_name": name, "ref": from});
    let light = admin.post(&all).json(&make("v1", "main")).await.is(201).json();
    assert_eq!(light["target"], light["commit"]["id"]);
    let mut body = make("v2", "main");
    body["message"] = "Second\n".into();
    let annotated = admin.post(&all).json(&body).await.is(201).json();
    assert_eq!(annotated["message"], "Second");
    assert_eq!(annotated["commit"]["id"], light["target"]);
    assert_ne!(annotated["target"], light["target"]);
    for (body, text) in [
        (make("v1", "main"), "Tag v1 already exists"),
        (make("-x", "main"), "Tag name invalid"),
        (make("a b", "main"), "Tag name invalid"),
        (make("v3", ""), "Target is empty"),
        (make("v3", "nowhere"), "Target nowhere is invalid"),
        (make("main", "main"), "You cannot use default branch name to create a tag"),
    ] {
        let said = admin.post(&all).json(&body).await.is(400).json();
        assert_eq!(said["message"], text, "{body}");
    }
    let git = Git::of(&admin);
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "one"]).await.done();
    git.run_in("one", &["fsck", "--strict"]).await.done();
    let kind = git.run_in("one", &["cat-file", "-t", "v2"]).await.done();
    assert_eq!(kind.last_line(), "tag");
    admin.delete(format!("{all}/v1")).await.is(204);
    admin.delete(format!("{all}/v1")).await.is(404);
}

#[testkit::story]
async fn commits_are_picked_and_taken_back(t: testkit::TestServer) {
    let project = begun(&t).await;
    let admin = t.admin();
    let branch = json!({"branch": "side", "ref": "main"});
    admin.post(project.at("/repository/branches")).json(&branch).await.is(201);
    let on_side = update(&t, &project, "side", "zero\ntwo\nthree\n").await;
    let sha = on_side["id"].as_str().expect("an id").to_owned();
    let at = |sha: &str, what: &str| project.at(&format!("/repository/commits/{sha}/{what}"));
    let main = json!({"branch": "main"});
    let dry = json!({"branch": "main", "dry_run": true});
    let tried = admin.post(at(&sha, "cherry_pick")).json(&dry).await.is(200).json();
    assert_eq!(tried, json!({"dry_run": "success"}));
    let picked = admin.post(at(&sha, "cherry_pick")).json(&main).await.is(201).json();
    let message = format!("Change files\n\n(cherry picked from commit {sha})");
    assert_eq!(picked["message"], message);
    let again = admin.post(at(&sha, "cherry_pick")).json(&dry).await.is(400).json();
    assert_eq!((&again["error_code"], &again["dry_run"]), (&json!("empty"), &json!("error")));
    let text = again["message"].as_str().unwrap_or_default();
    assert!(text.starts_with("Commit cherry-pick failed: "), "{text}");

    let id = picked["id"].as_str().expect("an id").to_owned();
    let reverted = admin.post(at(&id, "revert")).json(&main).await.is(201).json();
    assert_eq!(
        reverted["message"],
        format!("Revert \"Change files\"\n\nThis reverts commit {id}")
    );
    update(&t, &project, "main", "other\n").await;
    let said = admin.post(at(&sha, "cherry_pick")).json(&main).await.is(400).json();
    assert_eq!(said["error_code"], "conflict");
    let said = admin.post(at(&id, "revert")).json(&main).await.is(400).json();
    let text = said["message"].as_str().unwrap_or_default();
    assert!(text.starts_with("Commit revert failed: "), "{text}");

    admin.post(at(&"1".repeat(40), "revert")).json(&main).await.is(404);
    let nowhere = json!({"branch": "nowhere"});
    let said = admin.post(at(&sha, "cherry_pick")).json(&nowhere).await.is(404).json();
    assert_eq!(said["message"], "404 Branch Not Found");
    let reporter = t.user("reporter").await;
    project.add(&reporter, 20).await;
    reporter.post(at(&sha, "cherry_pick")).json(&main).await.is(403);
    let git = Git::of(&admin);
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "one"]).await.done();
    git.run_in("one", &["fsck", "--strict"]).await.done();
}

#[testkit::story]
async fn a_submodule_is_set_and_is_no_file(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let project = t.project("acme/vise").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/vise").await;
    let (old, new) = ("1".repeat(40), "2".repeat(40));
    let entry = format!("160000,{old},sub");
    git.run_in("one", &["update-index", "--add", "--cacheinfo", &entry])
        .await
        .done();
    let link = git.id("one", "HEAD:README.md").await;
    let entry = format!("120000,{link},link");
    git.run_in("one", &["update-index", "--add", "--cacheinfo", &entry])
        .await
        .done();
    git.run_in("one", &["commit", "--quiet", "--message", "Sub"]).await.done();
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let at = |path: &str| project.at(&format!("/repository/submodules/{path}"));
    let body = |sha: &str| json!({"branch": "main", "commit_sha": sha});
    t.admin().put(at("sub")).json(&body(&new)).await.is(200);
    for (path, sha) in [("sub", "zzz"), ("README.md", new.as_str()), ("x", new.as_str())] {
        t.admin().put(at(path)).json(&body(sha)).await.is(400);
    }
    for path in ["sub", "link"] {
        let action = json!({"action": "update", "file_path": path, "content": "x"});
        let sent = t.admin().post(project.at("/repository/commits"));
        sent.json(&commit("main", json!([action]))).await.is(400);
    }
    git.run_in("one", &["fetch", "--quiet"]).await.done();
    let listed = git.run_in("one", &["ls-tree", "origin/main", "sub"]).await.done();
    assert!(listed.said.contains(&new), "{}", listed.said);
}
