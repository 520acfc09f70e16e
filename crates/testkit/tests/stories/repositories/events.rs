//! What is told of pushes: activity, issues that commits name, the default branch.

use serde_json::{Value, json};
use testkit::Git;

async fn pushes(client: &testkit::Client, path: String) -> Vec<Value> {
    let events = client.get(path).await.is(200).json();
    let events = events.as_array().cloned().unwrap_or_default();
    events.into_iter().filter(|event| event.get("push_data").is_some()).collect()
}

#[testkit::story]
async fn each_ref_of_a_push_is_an_event(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    let push = async |args: &[&str]| {
        let all = [&["push", "--quiet", "origin"], args].concat();
        git.run_in("one", &all).await.done();
    };
    push(&["main"]).await;
    let first = git.id("one", "main").await;
    git.commit("one", "horn.txt", "curved\n").await;
    let title = "x".repeat(80);
    git.run_in("one", &["commit", "--quiet", "--amend", "--message", &title])
        .await
        .done();
    let second = git.id("one", "main").await;
    push(&["main"]).await;
    push(&["main:refs/tags/v1", "main:refs/notes/commits"]).await;
    push(&["main:side"]).await;
    push(&[":side"]).await;
    push(&["main:a", "main:b", "main:c", "main:refs/tags/d"]).await;

    let events = pushes(&t.admin(), project.at("/events")).await;
    let told: Vec<&str> = events.iter().filter_map(|it| it["action_name"].as_str()).collect();
    assert_eq!(
        told,
        ["pushed new", "deleted", "pushed new", "pushed new", "pushed", "pushed new"]
    );
    let cut = format!("{}...", "x".repeat(67));
    let data = |commits: i64, action: &str, kind: &str, name: &str| {
        json!({
            "commit_count": commits, "action": action, "ref_type": kind, "ref": name,
            "commit_from": null, "commit_to": second, "commit_title": cut, "ref_count": null,
        })
    };
    assert_eq!(events[4]["push_data"], {
        let mut pushed = data(1, "pushed", "branch", "main");
        pushed["commit_from"] = first.clone().into();
        pushed
    });
    assert_eq!(events[3]["push_data"], data(0, "created", "tag", "v1"));
    assert_eq!(events[2]["push_data"], data(0, "created", "branch", "side"));
    assert_eq!(events[1]["push_data"]["commit_from"], second);
    assert_eq!(events[1]["push_data"]["commit_to"], Value::Null);
    assert_eq!(events[1]["push_data"]["action"], "removed");
    assert_eq!(events[0]["push_data"]["ref"], Value::Null);
    assert_eq!(events[0]["push_data"]["ref_count"], 4);
    assert_eq!(events[0]["push_data"]["action"], "created");
    assert_eq!(events[5]["push_data"]["commit_count"], 1);
    assert_eq!(events[5]["push_data"]["commit_to"], first);
    assert_eq!(events[5]["target_type"], Value::Null);

    let filtered = pushes(&t.admin(), project.at("/events?action=pushed")).await;
    assert_eq!(filtered.len(), 6);
    let reader = t.user("reader").await;
    project.add(&reader, 20).await;
    let page = t.browser("reader").await.get("/acme/anvil/-/activity").await.is(200).text();
    assert!(page.contains("pushed the new") && page.contains("branch side"), "{page}");
    assert!(page.contains("4 branches") && page.contains(&cut));
}

#[testkit::story]
async fn only_who_may_read_code_sees_pushes(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    let issue = json!({"title": "Blunt"});
    t.admin().post(project.at("/issues")).json(&issue).await.is(201);
    git.commit("one", "horn.txt", "curved\n").await;
    let message = ["commit", "--quiet", "--amend", "--message", "See #1"];
    git.run_in("one", &message).await.done();
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let (reader, guest) = (t.user("reader").await, t.user("guest").await);
    project.add(&guest, 10).await;
    let keeper = t.user("keeper").await;
    project.add(&keeper, 20).await;
    let told = async |client: &testkit::Client, login: &str| {
        let events = pushes(client, project.at("/events")).await.len();
        let own = pushes(client, "/users/root/events".to_owned()).await.len();
        let notes = client.get(project.at("/issues/1/notes")).await.is(200).json();
        let notes = notes.to_string().contains("mentioned in commit");
        let page = t.browser(login).await.get("/acme/anvil/-/activity").await.is(200).text();
        (events, own, notes, page.contains("branch main"))
    };
    assert_eq!(told(&reader, "reader").await, (1, 1, true, true));
    let private = json!({"repository_access_level": "private"});
    t.admin().put(project.at("")).json(&private).await.is(200);
    assert_eq!(told(&reader, "reader").await, (0, 0, false, false));
    assert_eq!(told(&guest, "guest").await, (0, 0, false, false));
    assert_eq!(told(&keeper, "keeper").await, (1, 1, true, true));
    let disabled = json!({"repository_access_level": "disabled"});
    t.admin().put(project.at("")).json(&disabled).await.is(200);
    assert_eq!(told(&guest, "guest").await, (0, 0, false, false));
    assert_eq!(told(&keeper, "keeper").await, (0, 0, false, false));
}

#[testkit::story]
async fn of_eight_who_push_at_once_each_is_told_once(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let first = Git::of(&t.admin());
    first.begin("one", "acme/anvil").await;
    first.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let gits: Vec<Git> = (0..8).map(|_| Git::of(&t.admin())).collect();
    let work = gits.iter().enumerate().map(|(number, git)| async move {
        git.run(&["clone", "--quiet", &git.url("acme/anvil"), "two"]).await.done();
        git.commit("two", &format!("{number}.txt"), "x\n").await;
        let to = format!("main:own-{number}");
        git.run_in("two", &["push", "--quiet", "origin", &to]).await.done();
    });
    futures_util::future::join_all(work).await;
    let events = pushes(&t.admin(), project.at("/events?per_page=50")).await;
    let mut names: Vec<String> = events
        .iter()
        .filter_map(|event| Some(event["push_data"]["ref"].as_str()?.to_owned()))
        .collect();
    names.sort();
    let own = (0..8).map(|number| format!("own-{number}"));
    let expected: Vec<String> = std::iter::once("main".to_owned()).chain(own).collect();
    assert_eq!(names, expected);
    assert!(events.iter().all(|event| event["push_data"]["commit_count"] == 1));
}

#[testkit::story]
async fn commits_close_and_name_issues(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let other = t.project("acme/hammer").await;
    for title in ["one", "two", "three", "four"] {
        let body = json!({"title": title});
        t.admin().post(project.at("/issues")).json(&body).await.is(201);
    }
    t.admin()
        .post(other.at("/issues"))
        .json(&json!({"title": "head"}))
        .await
        .is(201);
    let developer = t.user("dev").await;
    project.add(&developer, 40).await;
    let git = Git::of(&developer);
    git.begin("one", "acme/anvil").await;
    let push = async |message: &str, to: &str| {
        git.commit("one", &format!("{}.txt", message.len()), message).await;
        git.run_in("one", &["commit", "--quiet", "--amend", "--message", message])
            .await
            .done();
        git.run_in("one", &["push", "--quiet", "origin", to]).await.done();
        git.id("one", "HEAD").await
    };
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let state = async |path: String| {
        t.admin().get(path).await.is(200).json()["state"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let notes = async |iid: i64| -> Vec<String> {
        let path = project.at(&format!("/issues/{iid}/notes?sort=asc"));
        let notes = t.admin().get(path).await.is(200).json();
        let notes = notes.as_array().cloned().unwrap_or_default();
        notes
            .iter()
            .filter_map(|note| Some(note["body"].as_str()?.to_owned()))
            .collect()
    };
    let side = push("Fix it\n\nCloses #1 and acme/hammer#1", "main:side").await;
    assert_eq!(state(project.at("/issues/1")).await, "opened");
    assert_eq!(notes(1).await, [format!("mentioned in commit {side}")]);
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    assert_eq!(state(project.at("/issues/1")).await, "closed");
    assert!(notes(1).await.contains(&format!("closed via commit {side}")));
    // Who pushes does not see the other project.
    assert_eq!(state(other.at("/issues/1")).await, "opened");
    let issue = t.admin().get(project.at("/issues/1")).await.is(200).json();
    assert_eq!(issue["closed_by"]["username"], "dev");

    let seen = push("Look at #2, `#3` apart", "main").await;
    assert_eq!(notes(2).await, [format!("mentioned in commit {seen}")]);
    assert_eq!(notes(3).await, Vec::<String>::new());
    let off = json!({"autoclose_referenced_issues": false});
    let changed = t.admin().put(project.at("")).json(&off).await.is(200).json();
    assert_eq!(changed["autoclose_referenced_issues"], false);
    let left = push("Resolves: #4 for now", "main").await;
    assert_eq!(state(project.at("/issues/4")).await, "opened");
    assert_eq!(notes(4).await, [format!("mentioned in commit {left}")]);
    // The same commits again tell nothing new.
    git.run_in("one", &["push", "--quiet", "origin", "main:again"]).await.done();
    assert_eq!(notes(4).await.len(), 1);
}

#[testkit::story]
async fn the_default_branch_is_what_head_stands_for(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let shown = async || t.admin().get(project.at("?statistics=true")).await.is(200).json();
    assert_eq!(shown().await["empty_repo"], true);
    t.admin()
        .put(project.at(""))
        .json(&json!({"default_branch": "wish"}))
        .await
        .is(200);
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", "main:trunk"]).await.done();
    let now = shown().await;
    assert_eq!((&now["empty_repo"], &now["default_branch"]), (&json!(false), &json!("trunk")));
    assert!(now["statistics"]["repository_size"].as_i64() > Some(0));
    git.run_in("one", &["push", "--quiet", "origin", "main:next"]).await.done();
    assert_eq!(shown().await["default_branch"], "trunk");
    for wrong in ["nowhere", "a..b"] {
        let body = json!({"default_branch": wrong});
        t.admin().put(project.at("")).json(&body).await.is(400);
    }
    t.admin()
        .put(project.at(""))
        .json(&json!({"default_branch": "next"}))
        .await
        .is(200);
    assert_eq!(shown().await["default_branch"], "next");
    let listed = git.run_in("one", &["ls-remote", "--symref", "origin", "HEAD"]).await.done();
    assert!(listed.said.starts_with("ref: refs/heads/next"), "{}", listed.said);
    git.run_in("one", &["push", "origin", ":next"])
        .await
        .refused("The default branch of a project cannot be deleted.");
}
