//! Forks: copies of projects with their code, which neither can take from the other.

use crate::lfs::send;
use ::store::sql;
use kernel::jobs::{Job, enqueue_at};
use repositories::upkeep::{Compact, Prune, Sweep};
use serde_json::{Value, json};
use testkit::{Client, Git, TestProject, TestServer, TestUser};

/// A public project with two branches and a tag, and somebody who forks it.
async fn begun(t: &TestServer) -> (TestProject, Git, TestUser) {
    let project = t.project_with("acme/anvil", "public").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["tag", "v1"]).await.done();
    git.run_in("one", &["switch", "--quiet", "--create", "side"]).await.done();
    git.commit("one", "side.txt", "side\n").await;
    git.run_in("one", &["switch", "--quiet", "main"]).await.done();
    git.run_in("one", &["push", "--quiet", "origin", "main", "side", "v1"])
        .await
        .done();
    (project, git, t.user("jane").await)
}

async fn fork(by: &Client, project: &TestProject, body: Value) -> Value {
    by.post(project.at("/fork")).json(&body).await.is(201).json()
}

async fn repository(t: &TestServer, path: &str) -> i64 {
    let path = path.to_owned();
    let read = t.app().read(move |tx| {
        Ok(tx.one(
            sql!(
                "select r.id from repositories r join projects p on p.id = r.project_id
                 where p.full_path = $1"
            ),
            (path.as_str(),),
        )?)
    });
    read.await.unwrap()
}

async fn run<J: Job + Clone>(t: &TestServer, job: J) {
    let queued = t.app().write(move |tx| {
        let now = tx.now();
        enqueue_at(tx, &job, now)
    });
    queued.await.unwrap();
    t.settle().await;
}

#[testkit::story]
async fn a_fork_begins_with_the_code_of_its_source(t: TestServer) {
    let (project, git, jane) = begun(&t).await;
    let change = json!({"description": "heavy", "issues_access_level": "private"});
    t.admin().put(project.at("")).json(&change).await.is(200);
    let made = fork(&jane, &project, json!({})).await;
    assert_eq!(made["path_with_namespace"], "jane/anvil");
    assert_eq!((&made["description"], &made["visibility"]), (&json!("heavy"), &json!("public")));
    assert_eq!(made["issues_access_level"], "private");
    assert_eq!(made["default_branch"], "main");
    assert_eq!(
        (&made["import_status"], &made["empty_repo"]),
        (&json!("finished"), &json!(false))
    );
    assert_eq!(made["mr_default_target_self"], false);
    assert_eq!(made["repository_object_format"], "sha1");
    let source = &made["forked_from_project"];
    assert_eq!((&source["id"], &source["forks_count"]), (&json!(project.id), &json!(1)));
    assert_eq!(source["path_with_namespace"], "acme/anvil");
    let shown = t.anonymous().get(project.at("")).await.is(200).json();
    assert_eq!((&shown["forks_count"], &shown["import_status"]), (&json!(1), &json!("none")));
    assert_eq!(shown.get("forked_from_project"), None);
    assert_eq!(shown["can_create_merge_request_in"], false);

    let own = Git::of(&jane);
    own.run(&["clone", "--quiet", &own.url("jane/anvil"), "two"]).await.done();
    own.run_in("two", &["fsck", "--strict"]).await.done();
    for (name, there) in [("origin/main", "main"), ("origin/side", "side"), ("v1", "v1")] {
        assert_eq!(own.id("two", name).await, git.id("one", there).await);
    }
    own.commit("two", "own.txt", "own\n").await;
    own.run_in("two", &["push", "--quiet", "origin", "main"]).await.done();
    let rules = jane.get("/projects/jane%2Fanvil/protected_branches").await.is(200).json();
    assert_eq!(rules[0]["name"], "main");
    let ids = t.anonymous().get(project.at("/forks?search=anvil")).await.is(200).each("id");
    assert_eq!(ids, [made["id"].clone()]);
    assert!(
        t.anonymous()
            .get(project.at("/forks?search=x"))
            .await
            .is(200)
            .each("id")
            .is_empty()
    );
}

#[testkit::story]
async fn where_a_fork_goes_is_said(t: TestServer) {
    let (project, _, jane) = begun(&t).await;
    let (labs, hidden) = (t.group("labs").await, t.group("hidden").await);
    labs.add(&jane, 30).await;
    let body = json!({"namespace_path": "labs", "name": "Horn", "path": "horn",
        "description": "", "visibility": "public", "mr_default_target_self": true});
    let made = fork(&jane, &project, body).await;
    assert_eq!(made["path_with_namespace"], "labs/horn");
    assert_eq!((&made["name"], &made["description"]), (&json!("Horn"), &json!("")));
    // No wider than the group.
    assert_eq!(made["visibility"], "private");
    assert_eq!(made["mr_default_target_self"], true);
    let id = made["id"].as_i64().unwrap();
    let change = json!({"mr_default_target_self": false});
    let changed = t.admin().put(format!("/projects/{id}")).json(&change).await.is(200);
    assert_eq!(changed.json()["mr_default_target_self"], false);
    let made = fork(&jane, &project, json!({"namespace_id": labs.id, "visibility": "internal"}));
    assert_eq!(made.await["path_with_namespace"], "labs/anvil");
    let made = fork(&jane, &project, json!({"namespace": "jane", "visibility": "internal"})).await;
    assert_eq!(made["visibility"], "internal");

    let at = project.at("/fork");
    let post = |body: Value| jane.post(&at).json(&body);
    let taken = post(json!({})).await.is(409).json();
    let text = json!(["has already been taken"]);
    assert_eq!(taken, json!({"message": {"name": text, "path": text}}));
    let absent = json!({"message": "404 Target Namespace Not Found"});
    assert_eq!(post(json!({"namespace_id": hidden.id})).await.is(404).json(), absent);
    assert_eq!(post(json!({"namespace_path": "nowhere"})).await.is(404).json(), absent);
    post(json!({"namespace_path": "root"})).await.is(403);
    post(json!({"path": "a b", "name": "x"})).await.is(400);
    post(json!({"path": "c", "name": "c", "branches": "nowhere"})).await.is(404);
    t.anonymous().post(&at).json(&json!({})).await.is(401);
    jane.get("/projects/jane%2Fc").await.is(404);
}

#[testkit::story]
async fn who_may_not_fork_is_refused(t: TestServer) {
    let (project, _, jane) = begun(&t).await;
    let (member, olga) = (t.user("member").await, t.user("olga").await);
    project.add(&member, 20).await;
    let set = async |body: Value| t.admin().put(project.at("")).json(&body).await.is(200);
    set(json!({"forking_access_level": "disabled"})).await;
    member.post(project.at("/fork")).await.is(403);
    set(json!({"forking_access_level": "private"})).await;
    jane.post(project.at("/fork")).await.is(403);
    member.post(project.at("/fork")).await.is(201);
    set(json!({"forking_access_level": "enabled", "repository_access_level": "disabled"})).await;
    jane.post(project.at("/fork")).await.is(403);
    set(json!({"repository_access_level": "enabled", "visibility": "private"})).await;
    jane.post(project.at("/fork")).await.is(404);

    // A source is told of to who sees it, and a fork listed so.
    let fork = olga.get("/projects/member%2Fanvil").await;
    assert_eq!(fork.status, 404);
    let shown = member.get("/projects/member%2Fanvil").await.is(200).json();
    assert_eq!(shown["forked_from_project"]["id"], project.id);
    assert_eq!(shown["visibility"], "private", "the source is private");
    let wide = json!({"visibility": "public"});
    let refused = member.put("/projects/member%2Fanvil").json(&wide).await.is(400).text();
    assert!(
        refused.contains("since the fork source project has lower visibility"),
        "{refused}"
    );
    let id = shown["id"].as_i64().unwrap();
    let add = json!({"user_id": olga.id, "access_level": 30});
    member.post(format!("/projects/{id}/members")).json(&add).await.is(201);
    let shown = olga.get(format!("/projects/{id}")).await.is(200).json();
    assert_eq!(shown.get("forked_from_project"), None);
    project.add(&jane, 20).await;
    assert!(jane.get(project.at("/forks")).await.is(200).each("id").is_empty());
}

#[testkit::story]
async fn of_two_who_fork_to_one_path_one_wins(t: TestServer) {
    let (project, _, jane) = begun(&t).await;
    let at = project.at("/fork");
    let tries = (0..6).map(|_| {
        let request = jane.post(&at);
        tokio::spawn(async move { request.await.status })
    });
    let tries: Vec<_> = tries.collect();
    let mut statuses = Vec::new();
    for one in tries {
        statuses.push(one.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409]);
    assert_eq!(t.admin().get(project.at("")).await.is(200).json()["forks_count"], 1);
}

#[testkit::story(noon)]
async fn a_user_forks_fifty_times_an_hour(t: TestServer) {
    let (project, _, jane) = begun(&t).await;
    for n in 0..50 {
        let (path, name) = (format!("f{n}"), format!("f{n}"));
        let status = match n {
            0 => 201,
            // Those that are refused count, too.
            _ => 404,
        };
        let body = json!({"path": path, "name": name, "namespace_path":
            if n == 0 { "jane" } else { "nowhere" }});
        jane.post(project.at("/fork")).json(&body).await.is(status);
    }
    let body = json!({"path": "late", "name": "late"});
    let late = jane.post(project.at("/fork")).json(&body).await.is(429);
    assert!(!late.header("retry-after").is_empty());
    t.user("joe").await.post(project.at("/fork")).await.is(201);
    t.advance(3600);
    jane.post(project.at("/fork")).json(&body).await.is(201);
}

#[testkit::story(noon)]
async fn a_fork_and_its_source_take_nothing_from_each_other(t: TestServer) {
    let (project, git, jane) = begun(&t).await;
    send(&t, &t.admin(), "acme/anvil", "steel").await;
    for n in 0..3 {
        git.commit("one", "count.txt", &format!("{n}\n")).await;
        git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    }
    fork(&jane, &project, json!({})).await;
    let other = json!({"namespace_path": "root", "path": "copy", "name": "copy"});
    fork(&t.admin(), &project, other).await;
    let head = git.id("one", "main").await;

    // The source is packed anew, loses a branch, and its old packs are swept away.
    let source = repository(&t, "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", ":side"]).await.done();
    run(&t, Compact { repository: source }).await;
    run(&t, Prune { repository: source }).await;
    t.advance(25 * 3600);
    run(&t, Sweep {}).await;
    kernel::blobs_sweep::sweep(t.app()).await.unwrap();
    let clone = async |path: &str, to: &str| {
        std::fs::remove_dir_all(t.app().config().cache_dir.join("repositories")).unwrap();
        git.run(&["clone", "--quiet", &git.url(path), to]).await.done();
        git.run_in(to, &["fsck", "--strict"]).await.done();
        assert_eq!(git.id(to, "origin/main").await, head);
    };
    clone("acme/anvil", "source").await;
    clone("jane/anvil", "fork").await;
    assert_eq!(git.id("fork", "origin/side").await, git.id("one", "side").await);

    // So it is the other way round.
    let own = repository(&t, "jane/anvil").await;
    run(&t, Prune { repository: own }).await;
    t.advance(25 * 3600);
    run(&t, Sweep {}).await;
    kernel::blobs_sweep::sweep(t.app()).await.unwrap();
    clone("acme/anvil", "source2").await;
    clone("root/copy", "copy").await;

    // A source that is deleted leaves its forks whole, with their large files.
    t.admin().delete(project.at("")).await.is(202);
    t.settle().await;
    t.advance(25 * 3600);
    run(&t, Sweep {}).await;
    kernel::blobs_sweep::sweep(t.app()).await.unwrap();
    clone("jane/anvil", "fork2").await;
    clone("root/copy", "copy2").await;
    let shown = jane.get("/projects/jane%2Fanvil").await.is(200).json();
    assert_eq!(shown.get("forked_from_project"), None);
    let objects = json!([{"oid": testkit::sha256("steel"), "size": 5}]);
    let told = crate::lfs::batch(&jane, "jane/anvil", "download", objects).await.is(200).json();
    assert!(told["objects"][0]["actions"]["download"].is_object(), "{told}");
}

#[testkit::story]
async fn one_branch_alone_is_forked(t: TestServer) {
    let (project, git, jane) = begun(&t).await;
    let made = fork(&jane, &project, json!({"branches": "main"})).await;
    assert_eq!(made["default_branch"], "main");
    t.settle().await;
    let own = Git::of(&jane);
    let url = own.url("jane/anvil");
    own.run(&["clone", "--quiet", &url, "two"]).await.done();
    let listed = own.run_in("two", &["ls-remote", "origin"]).await.done().said;
    assert!(!listed.contains("side") && !listed.contains("v1"), "{listed}");
    // What the other branch has is not in it.
    let side = git.id("one", "side").await;
    own.run_in("two", &["fetch", "--quiet", &url, &side])
        .await
        .refused("not our ref");
}

#[testkit::story]
async fn projects_are_declared_forks_and_forks_no_more(t: TestServer) {
    let (project, _, jane) = begun(&t).await;
    let body = json!({"name": "own", "visibility": "public"});
    let own = jane.post("/projects").json(&body).await.is(201).id();
    let link = |id: i64| format!("/projects/{own}/fork/{id}");
    let joe = t.user("joe").await;
    joe.post(link(project.id)).await.is(403);
    let absent = json!({"message": "404 Source Project Not Found"});
    assert_eq!(jane.post(link(999)).await.is(404).json(), absent);
    jane.post(link(own)).await.is(409);
    let linked = jane.post(link(project.id)).await.is(201).json();
    assert_eq!(linked["forked_from_project"]["id"], project.id);
    let again = jane.post(link(project.id)).await.is(409).json();
    assert_eq!(again, json!({"message": "Project already forked"}));
    let count = async || {
        t.admin().get(project.at("")).await.is(200).json()["forks_count"]
            .as_i64()
            .unwrap()
    };
    assert_eq!(count().await, 1);

    // A source that is seen by fewer takes its forks, and theirs, along.
    let fork_of_fork = joe.post(format!("/projects/{own}/fork")).await.is(201).id();
    let narrow = json!({"visibility": "internal"});
    t.admin().put(project.at("")).json(&narrow).await.is(200);
    for id in [own, fork_of_fork] {
        let shown = t.admin().get(format!("/projects/{id}")).await.is(200).json();
        assert_eq!(shown["visibility"], "internal");
    }
    joe.delete(format!("/projects/{own}/fork")).await.is(403);
    t.anonymous().delete(format!("/projects/{own}/fork")).await.is(401);
    jane.delete(format!("/projects/{own}/fork")).await.is(204);
    jane.delete(format!("/projects/{own}/fork")).await.is(304);
    assert_eq!(count().await, 0);
    // Its own fork stays one.
    let shown = joe.get(format!("/projects/{fork_of_fork}")).await.is(200).json();
    assert_eq!(shown["forked_from_project"]["id"], own);
    // A network takes no second one.
    jane.post(link(project.id)).await.is(409);
    joe.delete(format!("/projects/{fork_of_fork}")).await.is(202);
    assert_eq!(jane.get(format!("/projects/{own}")).await.is(200).json()["forks_count"], 0);
}

#[testkit::story]
async fn a_branch_of_a_fork_follows_its_source(t: TestServer) {
    let (project, git, jane) = begun(&t).await;
    fork(&jane, &project, json!({})).await;
    let sync = |by: &Client, body: Value| by.post("/projects/jane%2Fanvil/fork/sync").json(&body);
    let own = Git::of(&jane);
    let tip = async |branch: &str| {
        let listed = own.run(&["ls-remote", &own.url("jane/anvil"), branch]).await.done().said;
        listed.split('\t').next().unwrap_or_default().to_owned()
    };
    let new = git.commit("one", "horn.txt", "curved\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "main", "main:refs/heads/more"])
        .await
        .done();
    let answer = sync(&jane, json!({"branch": "main"})).await.is(202).json();
    assert_eq!(answer, json!({"message": "202 Accepted"}));
    assert_eq!(tip("refs/heads/main").await, new);
    sync(&jane, json!({})).await.is(202);
    sync(&jane, json!({"branch": "more"})).await.is(202);
    assert_eq!(tip("refs/heads/more").await, new);
    own.run(&["clone", "--quiet", &own.url("jane/anvil"), "two"]).await.done();
    own.run_in("two", &["fsck", "--strict"]).await.done();

    // What is ahead stays, and what went another way is refused.
    let ahead = own.commit("two", "own.txt", "own\n").await;
    own.run_in("two", &["push", "--quiet", "origin", "main"]).await.done();
    sync(&jane, json!({"branch": "main"})).await.is(202);
    assert_eq!(tip("refs/heads/main").await, ahead);
    git.commit("one", "other.txt", "other\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let refused = sync(&jane, json!({"branch": "main"})).await.is(400).text();
    assert!(refused.contains("cannot follow"), "{refused}");

    sync(&jane, json!({"branch": "nowhere"})).await.is(404);
    sync(&t.anonymous(), json!({})).await.is(401);
    let olga = t.user("olga").await;
    sync(&olga, json!({})).await.is(403);
    t.admin().post(project.at("/fork/sync")).await.is(400);
    for _ in 0..4 {
        sync(&jane, json!({"branch": "nowhere"})).await.is(404);
    }
    sync(&jane, json!({"branch": "nowhere"})).await.is(429);
}

/// What GraphQL answers.
async fn asked(by: &Client, query: &str) -> Value {
    let request = by.request(http::Method::POST, "/api/graphql");
    request.json(&json!({"query": query})).await.is(200).json()
}

#[testkit::story(noon)]
async fn a_fork_knows_how_far_it_is_from_its_source(t: TestServer) {
    let (project, git, jane) = begun(&t).await;
    fork(&jane, &project, json!({})).await;
    let details = async |by: &Client, path: &str, args: &str| {
        let fields = "forkDetails{ahead behind isSyncing hasConflicts}".replace("Details", args);
        let told = asked(by, &format!("{{project(fullPath:\"{path}\"){{{fields}}}}}")).await;
        assert_eq!(told["errors"], Value::Null, "{told}");
        told["data"]["project"]["forkDetails"].clone()
    };
    let told = |ahead: i64, behind: i64, conflicts: bool| json!({"ahead": ahead, "behind": behind, "isSyncing": false, "hasConflicts": conflicts});
    let of = "jane/anvil";
    assert_eq!(details(&jane, of, "Details").await, told(0, 0, false));
    assert_eq!(details(&jane, "acme/anvil", "Details").await, Value::Null);
    for text in ["one\n", "two\n"] {
        git.commit("one", "horn.txt", text).await;
    }
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    assert_eq!(details(&jane, of, "Details").await, told(0, 2, false));
    assert_eq!(details(&jane, of, "Details(ref:\"side\")").await, told(0, 0, false));
    assert_eq!(details(&jane, of, "Details(ref:\"nowhere\")").await, Value::Null);

    let sync = |branch: &str| {
        format!(
            "mutation{{projectSyncFork(input:{{projectPath:\"jane/anvil\",targetBranch:\"{branch}\"}})\
             {{details{{ahead behind isSyncing hasConflicts}} errors}}}}"
        )
    };
    let done = asked(&jane, &sync("main")).await["data"]["projectSyncFork"].clone();
    assert_eq!(done, json!({"details": told(0, 0, false), "errors": []}));
    let own = Git::of(&jane);
    own.run(&["clone", "--quiet", &own.url(of), "two"]).await.done();
    assert_eq!(own.id("two", "origin/main").await, git.id("one", "main").await);
    own.commit("two", "own.txt", "own\n").await;
    own.run_in("two", &["push", "--quiet", "origin", "main"]).await.done();
    git.commit("one", "other.txt", "other\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    assert_eq!(details(&jane, of, "Details").await, told(1, 1, true));
    let refused = asked(&jane, &sync("main")).await["data"]["projectSyncFork"].clone();
    assert_eq!(refused["details"], Value::Null);
    assert!(refused["errors"][0].as_str().unwrap().contains("cannot follow"), "{refused}");

    // Who may not read the source is told nothing of it, nor has others push.
    let olga = t.user("olga").await;
    let told = asked(&olga, &sync("main")).await;
    assert!(told["errors"][0]["message"].is_string(), "{told}");
    t.admin()
        .put(project.at(""))
        .json(&json!({"repository_access_level": "private"}))
        .await
        .is(200);
    assert_eq!(details(&jane, of, "Details").await, Value::Null);
    for _ in 0..8 {
        asked(&jane, &sync("nowhere")).await;
    }
    let late = jane.request(http::Method::POST, "/api/graphql");
    late.json(&json!({"query": sync("nowhere")})).await.is(429);
}

#[testkit::story]
async fn a_commit_begins_in_another_project_of_the_network(t: TestServer) {
    let (project, git, jane) = begun(&t).await;
    fork(&jane, &project, json!({})).await;
    let file = git.commit("one", "horn.txt", "curved\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let at = "/projects/jane%2Fanvil/repository/commits";
    let body = |more: Value| {
        let actions = json!([
            {"action": "update", "file_path": "horn.txt", "content": "straight\n"},
            {"action": "create", "file_path": "own.txt", "content": "own\n"},
        ]);
        let mut body = json!({"branch": "new", "commit_message": "Mend", "actions": actions,
            "start_branch": "main", "start_project": "acme/anvil"});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    };
    // What only the source has is not there without it.
    let own = body(json!({"start_project": "jane/anvil"}));
    jane.post(at).json(&own).await.is(400);
    let made = jane.post(at).json(&body(json!({}))).await.is(201).json();
    assert_eq!(made["parent_ids"], json!([file]));
    let clone = Git::of(&jane);
    clone.run(&["clone", "--quiet", &clone.url("jane/anvil"), "two"]).await.done();
    clone.run_in("two", &["fsck", "--strict"]).await.done();
    assert_eq!(clone.id("two", "origin/new").await, made["id"]);
    let held = clone.run_in("two", &["show", "origin/new:horn.txt"]).await.done();
    assert_eq!(held.last_line(), "straight");
    let id = json!({"branch": "third", "start_branch": null, "start_sha": file});
    jane.post(at).json(&body(id)).await.is(201);
    let taken = jane.post(at).json(&body(json!({}))).await.is(400).json();
    assert!(
        taken["message"].as_str().unwrap().starts_with("A branch called 'new'"),
        "{taken}"
    );
    let nowhere = body(json!({"branch": "fourth", "start_branch": "nowhere"}));
    jane.post(at).json(&nowhere).await.is(400);

    // Nor of what is not in it, or not seen.
    t.project_with("acme/other", "public").await;
    let hidden = t.project("acme/hidden").await;
    t.admin().post(hidden.at("/fork/1")).await;
    for name in ["acme/other", "acme/hidden", "acme/nowhere"] {
        let other = body(json!({"branch": "fifth", "start_project": name}));
        let refused = jane.post(at).json(&other).await.is(403).json();
        assert_eq!(
            refused["message"],
            "403 Forbidden - Project is not included in the fork network for anvil"
        );
    }
}
