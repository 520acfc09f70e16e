//! Commits of many actions, by REST.

use serde_json::{Value, json};
use testkit::{Client, Git, Reply, TestProject, TestServer};

/// A project with two files on `main`.
pub async fn begun(t: &TestServer) -> TestProject {
    let project = t.project("acme/anvil").await;
    let body = commit(
        "main",
        json!([
            {"action": "create", "file_path": "README.md", "content": "# Anvil\n"},
            {"action": "create", "file_path": "docs/guide.md", "content": "one\ntwo\nthree\n"},
        ]),
    );
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    project
}

pub fn commit(branch: &str, actions: Value) -> Value {
    json!({"branch": branch, "commit_message": "Change files", "actions": actions})
}

async fn send(client: &Client, project: &TestProject, body: &Value) -> Reply {
    client.post(project.at("/repository/commits")).json(body).await
}

/// What one action on `main` is refused with.
async fn refused(client: &Client, project: &TestProject, action: Value) -> Value {
    send(client, project, &commit("main", json!([action]))).await.is(400).json()
}

#[testkit::story]
async fn one_commit_does_all_its_actions_in_turn(t: testkit::TestServer) {
    let project = begun(&t).await;
    let mut body = commit(
        "main",
        json!([
            {"action": "create", "file_path": "bin/run", "content": "IyEvYmluL3NoCg==\n",
             "encoding": "base64", "execute_filemode": true},
            {"action": "update", "file_path": "docs/guide.md", "content": "ünë\r\n"},
            {"action": "move", "file_path": "ABOUT.md", "previous_path": "README.md"},
            {"action": "create", "file_path": "empty"},
            {"action": "create", "file_path": "gone/for/good", "content": "x"},
            {"action": "delete", "file_path": "gone/for/good"},
            {"action": "chmod", "file_path": "empty", "execute_filemode": true},
            {"action": "move", "file_path": "docs/guide.md/now", "previous_path": "docs/guide.md"},
        ]),
    );
    body["author_name"] = "Ada <x>".into();
    body["author_email"] = "ada@example.com".into();
    let made = send(&t.admin(), &project, &body).await.is(201).json();
    assert_eq!(made["title"], "Change files");
    assert_eq!(made["author_name"], "Ada x");
    assert_eq!(made["author_email"], "ada@example.com");
    assert_ne!(made["committer_email"], "ada@example.com");
    assert_eq!(made["project_id"], project.id);
    assert!(made["stats"]["total"].is_number(), "{made}");

    let git = Git::of(&t.admin());
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "one"]).await.done();
    git.run_in("one", &["fsck", "--strict"]).await.done();
    assert_eq!(git.id("one", "HEAD").await, made["id"]);
    let listed = git.run_in("one", &["ls-tree", "-r", "HEAD"]).await.done();
    let files: Vec<(&str, &str)> = listed
        .said
        .lines()
        .filter_map(|line| Some((line.split_whitespace().next()?, line.split_once('\t')?.1)))
        .collect();
    let run = "100755";
    assert_eq!(
        files,
        [
            ("100644", "ABOUT.md"),
            (run, "bin/run"),
            ("100644", "docs/guide.md/now"),
            (run, "empty")
        ]
    );
    let read = |name: &str| std::fs::read(git.at("one").join(name)).unwrap();
    assert_eq!(read("ABOUT.md"), b"# Anvil\n");
    assert_eq!(read("bin/run"), b"#!/bin/sh\n");
    assert_eq!(read("docs/guide.md/now"), "ünë\r\n".as_bytes());
    assert_eq!(read("empty"), b"");
}

#[testkit::story]
async fn what_cannot_be_done_is_refused_in_words(t: testkit::TestServer) {
    let project = begun(&t).await;
    let admin = t.admin();
    let exists = "A file with this name already exists";
    let missing = "A file with this name doesn't exist";
    let up = "Path cannot include directory traversal";
    for (action, text) in [
        (json!({"action": "create", "file_path": "README.md"}), exists),
        (json!({"action": "create", "file_path": "README.md/x"}), exists),
        (
            json!({"action": "create", "file_path": "docs"}),
            "A directory with this name already exists",
        ),
        (json!({"action": "update", "file_path": "x", "content": ""}), missing),
        (json!({"action": "update", "file_path": "docs", "content": ""}), missing),
        (json!({"action": "delete", "file_path": "x"}), missing),
        (json!({"action": "delete", "file_path": "docs"}), missing),
        (json!({"action": "chmod", "file_path": "x", "execute_filemode": true}), missing),
        (json!({"action": "move", "file_path": "y", "previous_path": "x"}), missing),
        (
            json!({"action": "move", "file_path": "docs/guide.md", "previous_path": "README.md"}),
            exists,
        ),
        (json!({"action": "create", "file_path": "../x"}), up),
        (json!({"action": "move", "file_path": "y", "previous_path": "a/../x"}), up),
        (json!({"action": "create", "file_path": ""}), "You must provide a file path"),
        (json!({"action": "create", "file_path": "/x"}), "invalid path: '/x'"),
        (
            json!({"action": "create", "file_path": ".GIT/config"}),
            "invalid path: '.GIT/config'",
        ),
        (json!({"action": "create", "file_path": "git~1/x"}), "invalid path: 'git~1/x'"),
        (
            json!({"action": "create", "file_path": ".g\u{200c}it/x"}),
            "invalid path: '.g\u{200c}it/x'",
        ),
        (json!({"action": "create", "file_path": "a\\b"}), "invalid path: 'a\\b'"),
        (json!({"action": "create", "file_path": "a//b"}), "invalid path: 'a//b'"),
        (
            json!({"action": "create", "file_path": "x", "content": "?", "encoding": "base64"}),
            "content is not valid base64",
        ),
    ] {
        let said = refused(&admin, &project, action.clone()).await;
        assert_eq!(said["message"], text, "{action}");
    }
    let late = commit(
        "main",
        json!([
            {"action": "create", "file_path": "fine"},
            {"action": "delete", "file_path": "x"},
        ]),
    );
    let said = send(&admin, &project, &late).await.is(400).json();
    assert_eq!((&said["action_index"], &said["path"]), (&json!(1), &json!("x")));

    for (action, text) in [
        (
            json!({"action": "burn", "file_path": "x"}),
            "actions[0][action] does not have a valid value",
        ),
        (json!({"action": "create"}), "actions[0][file_path] is missing"),
        (json!({"action": "update", "file_path": "x"}), "actions[0][content] is missing"),
        (
            json!({"action": "move", "file_path": "x"}),
            "actions[0][previous_path] is missing",
        ),
        (
            json!({"action": "chmod", "file_path": "x"}),
            "actions[0][execute_filemode] is missing",
        ),
    ] {
        let said = refused(&admin, &project, action).await;
        assert_eq!(said["error"], text);
    }
    // A submodule's settings that would be read as an option.
    let settings = "[submodule \"x\"]\n\tpath = x\n\turl = --upload-pack=x\n";
    let hostile = json!({"action": "create", "file_path": ".gitmodules", "content": settings});
    let said = refused(&admin, &project, hostile).await;
    assert!(
        said["message"].as_str().is_some_and(|text| text.contains("gitmodules")),
        "{said}"
    );
    let count = admin.get(project.at("/repository/commits")).await;
    assert!(count.status != 500);
    let git = Git::of(&admin);
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "one"]).await.done();
    let history = git.run_in("one", &["rev-list", "--all"]).await.done();
    assert_eq!(history.said.lines().count(), 1, "nothing was written");
}

#[testkit::story]
async fn branches_begin_where_a_commit_says(t: testkit::TestServer) {
    let project = begun(&t).await;
    let admin = t.admin();
    let add = |name: &str| json!([{"action": "create", "file_path": name}]);
    let with = |branch: &str, name: &str, more: &[(&str, Value)]| {
        let mut body = commit(branch, add(name));
        for (key, value) in more {
            body[*key] = value.clone();
        }
        body
    };
    let main = ("start_branch", json!("main"));
    let made = send(&admin, &project, &with("a", "1", std::slice::from_ref(&main)))
        .await
        .is(201)
        .json();
    let sha = made["id"].clone();
    let parent = made["parent_ids"][0].clone();
    let by_id = with("b", "2", &[("start_sha", sha.clone())]);
    assert_eq!(send(&admin, &project, &by_id).await.is(201).json()["parent_ids"][0], sha);
    let forced = with("a", "3", &[main.clone(), ("force", json!(true))]);
    assert_eq!(send(&admin, &project, &forced).await.is(201).json()["parent_ids"][0], parent);
    let empty = send(&admin, &project, &commit("a", json!([]))).await.is(201).json();
    assert_eq!(empty["stats"]["total"], 0);

    let zeros = "1".repeat(40);
    for (body, text) in [
        (
            with("new", "x", &[]),
            "You can only create or edit files when you are on a branch",
        ),
        (
            with("new", "x", &[("start_branch", json!("nowhere"))]),
            "You can only create or edit files when you are on a branch",
        ),
        (
            with("b", "x", std::slice::from_ref(&main)),
            "A branch called 'b' already exists. Switch to that branch in order to make changes",
        ),
        (
            with("a..b", "x", std::slice::from_ref(&main)),
            "Something went wrong when we tried to create 'a..b' for you: Branch name is invalid",
        ),
        (
            with("a/b", "x", std::slice::from_ref(&main)),
            "Something went wrong when we tried to create 'a/b' for you: \
             Branch name conflicts with existing branch hierarchy.",
        ),
        (with("new", "x", &[("start_sha", json!("--x"))]), "Invalid start_sha '--x'"),
        (
            with("new", "x", &[("start_sha", json!(zeros))]),
            "Cannot find start_sha '1111111111111111111111111111111111111111'",
        ),
    ] {
        assert_eq!(send(&admin, &project, &body).await.is(400).json()["message"], text);
    }
    let both = with("new", "x", &[main, ("start_sha", sha)]);
    let said = send(&admin, &project, &both).await.is(400).json();
    assert_eq!(said["error"], "start_branch, start_sha are mutually exclusive");
    let other = t.project("acme/other").await;
    let elsewhere = with("new", "x", &[("start_project", json!(other.id))]);
    let said = send(&admin, &project, &elsewhere).await.is(403).json();
    let text = "403 Forbidden - Project is not included in the fork network for anvil";
    assert_eq!(said["message"], text);
}

#[testkit::story]
async fn who_may_not_push_writes_nothing(t: testkit::TestServer) {
    let project = begun(&t).await;
    let reporter = t.user("reporter").await;
    project.add(&reporter, 20).await;
    let developer = t.user("developer").await;
    project.add(&developer, 30).await;
    let body = commit("main", json!([{"action": "create", "file_path": "x"}]));
    let text = "403 Forbidden - You are not allowed to push into this branch";
    // The first branch is protected: developers begin others.
    for who in [&reporter, &developer] {
        let said = send(who, &project, &body).await.is(403).json();
        assert_eq!(said["message"], text);
    }
    let mut own = body.clone();
    own["branch"] = "own".into();
    own["start_branch"] = "main".into();
    assert_eq!(send(&reporter, &project, &own).await.is(403).json()["message"], text);
    send(&developer, &project, &own).await.is(201);
    let stranger = t.user("stranger").await;
    send(&stranger, &project, &own).await.is(404);
    let reads = t.token_of(developer.id, &["read_api"]).await;
    send(&reads, &project, &own).await.is(403);
    send(&t.anonymous(), &project, &own).await.is(401);
}

#[testkit::story]
async fn writers_without_a_last_commit_all_win_and_with_it_one(t: testkit::TestServer) {
    let project = begun(&t).await;
    let admin = t.admin();
    let (client, place) = (&admin, &project);
    let writing = (0..8).map(|writer| async move {
        for round in 0..20 {
            let name = format!("{writer}/{round}");
            let body = commit("main", json!([{"action": "create", "file_path": name}]));
            send(client, place, &body).await.is(201);
        }
    });
    futures_util::future::join_all(writing).await;
    let git = Git::of(&admin);
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "one"]).await.done();
    git.run_in("one", &["fsck", "--strict"]).await.done();
    let history = git.run_in("one", &["rev-list", "--count", "HEAD"]).await.done();
    assert_eq!(history.last_line(), "161");
    let files = git.run_in("one", &["ls-files"]).await.done();
    assert_eq!(files.said.lines().count(), 162);

    let seen = git.run_in("one", &["log", "-1", "--format=%H", "--", "README.md"]).await.done();
    let seen = seen.last_line().to_owned();
    let seen = seen.as_str();
    let racing = (0..8).map(|writer| async move {
        let action = json!({"action": "update", "file_path": "README.md",
            "content": format!("by {writer}"), "last_commit_id": seen});
        send(client, place, &commit("main", json!([action]))).await
    });
    let replies = futures_util::future::join_all(racing).await;
    let won = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(won, 1);
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        assert_eq!(reply.status, 400);
        let text = "The file has changed since you started editing it: README.md";
        assert_eq!(reply.json()["message"], text);
    }
}
