//! Merges that put the commits of a source on top of a target that moved.

use super::graph::{data, one};
use super::merging::{branch, cloned, merge, said, set, shown};
use super::{commit, commit_titled, developer, forge, open, wanted};
use futures_util::future::join_all;
use serde_json::{Value, json};
use store::sql;
use testkit::{Client, TestProject, TestServer, TestUser};

const ONE: &str = "/acme/forge/-/merge_requests/1";
const CONFLICT: &str =
    "Rebase failed: Rebase locally, resolve all conflicts, then push the branch.";

/// A project whose merges rebase, with smith, who develops, and jane, who merges.
async fn begun(t: &TestServer, method: &str) -> (TestProject, TestUser, TestUser) {
    let project = forge(t).await;
    let smith = developer(t, &project, "smith").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let both = json!({"merge_method": method, "automatic_rebase_enabled": true});
    set(t, &project, both).await;
    (project, smith, jane)
}

/// Commits to a branch, which begins at `main` if it is new.
async fn change(client: &Client, project: i64, branch: &str, actions: Value, is_new: bool) {
    let mut body = json!({"branch": branch, "commit_message": format!("Change {branch}"),
        "actions": actions});
    if is_new {
        body["start_branch"] = json!("main");
    }
    let commits = format!("/projects/{project}/repository/commits");
    client.post(commits).json(&body).await.is(201);
}

fn create(path: &str) -> Value {
    json!([{"action": "create", "file_path": path, "content": "x\n"}])
}

fn update(text: &str) -> Value {
    json!([{"action": "update", "file_path": "list.txt", "content": text}])
}

/// A merge request of smith's with two commits, whose target moved since.
async fn behind(t: &TestServer, project: &TestProject, smith: &TestUser) -> Value {
    change(smith, project.id, "anvil", create("anvil.txt"), true).await;
    change(smith, project.id, "anvil", create("horn.txt"), false).await;
    open(smith, project, "anvil").await;
    commit(t, project, "main", "main.txt", "x\n").await;
    t.settle().await;
    shown(smith, project, 1).await
}

/// It was told once that it is merged.
async fn is_told_once(client: &Client, project: &TestProject, iid: i64) {
    let path = |rest: &str| project.at(&format!("/merge_requests/{iid}/{rest}"));
    let notes = client.get(path("notes?per_page=100")).await.is(200).each("body");
    assert_eq!(notes.iter().filter(|body| **body == "merged").count(), 1, "{notes:?}");
    let events = client.get(path("resource_state_events")).await.is(200).each("state");
    assert_eq!(events, ["merged"]);
}

/// The merge requests of a commit.
async fn of_commit(client: &Client, project: &TestProject, sha: &str) -> Vec<Value> {
    let path = project.at(&format!("/repository/commits/{sha}/merge_requests"));
    client.get(path).await.is(200).each("iid")
}

#[testkit::story]
async fn the_target_moves_to_commits_that_are_made_again(t: TestServer) {
    let (project, smith, jane) = begun(&t, "ff").await;
    let made = behind(&t, &project, &smith).await;
    assert_eq!(made["detailed_merge_status"], "mergeable");
    let told = one(&jane, "shouldBeRebased mergeable mergeabilityChecks{identifier status}").await;
    assert_eq!((&told["shouldBeRebased"], &told["mergeable"]), (&json!(true), &json!(true)));
    let checks = told["mergeabilityChecks"].as_array().expect("checks");
    let check = json!({"identifier": "NEED_REBASE", "status": "INACTIVE"});
    assert!(checks.contains(&check), "{checks:?}");
    let browser = t.browser("jane").await;
    let page = browser.get(ONE).await.is(200).text();
    let text = "The commits are rebased onto <code>main</code> when it is merged.";
    assert!(page.contains(text) && page.contains(">Merge</button>"), "{page}");

    let body = json!({"should_remove_source_branch": true, "sha": made["sha"]});
    let merged = merge(&jane, &project, 1, body).await.is(200).json();
    assert_eq!((&merged["state"], &merged["sha"]), (&json!("merged"), &made["sha"]));
    for none in ["merge_commit_sha", "squash_commit_sha", "merge_error"] {
        assert_eq!(merged[none], Value::Null, "{none}");
    }
    t.settle().await;
    let git = cloned(&t).await;
    let people = said(&git, &["log", "--format=%an %cn", "HEAD~2..HEAD"]).await;
    assert_eq!(people, "smith jane\nsmith jane");
    let below = said(&git, &["log", "-1", "--format=%s", "HEAD~2"]).await;
    assert_eq!(below, "Add main.txt");
    assert_eq!(said(&git, &["rev-list", "--count", "--merges", "HEAD"]).await, "0");
    // Nobody pushed to the source since the merge was made: it may go.
    git.run_in("one", &["rev-parse", "--verify", "origin/anvil"])
        .await
        .refused("fatal");
    is_told_once(&jane, &project, 1).await;
    let head = git.id("one", "HEAD").await;
    assert_eq!(of_commit(&jane, &project, &head).await, [1]);
    let page = browser.get(ONE).await.is(200).text();
    assert!(page.contains(&format!("/acme/forge/-/commit/{head}")), "{page}");
}

#[testkit::story]
async fn a_merge_commit_is_made_of_what_is_made_again(t: TestServer) {
    let (project, smith, jane) = begun(&t, "rebase_merge").await;
    let made = behind(&t, &project, &smith).await;
    let stays = json!({"should_remove_source_branch": false});
    let merged = merge(&jane, &project, 1, stays).await.is(200).json();
    t.settle().await;
    let git = cloned(&t).await;
    assert_eq!(merged["merge_commit_sha"], git.id("one", "HEAD").await);
    assert_eq!(git.id("one", "HEAD^1").await, git.id("one", "HEAD^2~2").await);
    let people = said(&git, &["log", "--format=%an %cn", "HEAD^1..HEAD^2"]).await;
    assert_eq!(people, "smith jane\nsmith jane");
    assert_eq!(said(&git, &["rev-list", "--count", "--merges", "HEAD"]).await, "1");
    assert_eq!(made["sha"], git.id("one", "origin/anvil").await, "the source does not move");
    is_told_once(&jane, &project, 1).await;
    assert_eq!(of_commit(&jane, &project, &git.id("one", "HEAD^2").await).await, [1]);
    // It is where it was as it was merged, so that it may go later, too.
    let browser = t.browser("jane").await;
    browser.submit(&format!("{ONE}/source_branch"), &[]).await;
    jane.get(project.at("/repository/branches/anvil")).await.is(404);
}

#[testkit::story]
async fn one_commit_is_made_on_top_of_the_target(t: TestServer) {
    let (project, smith, jane) = begun(&t, "ff").await;
    let made = behind(&t, &project, &smith).await;
    let sha = made["sha"].as_str().expect("a head");
    let query = format!(
        "mutation{{done:mergeRequestAccept(input:{{projectPath:\"acme/forge\",iid:\"1\",\
         sha:\"{sha}\",squash:true}}){{errors}}}}"
    );
    assert_eq!(data(&jane, &query).await["done"], json!({"errors": []}));
    t.settle().await;
    let (git, merged) = (cloned(&t).await, shown(&jane, &project, 1).await);
    assert_eq!(merged["state"], "merged");
    assert_eq!(merged["squash_commit_sha"], git.id("one", "HEAD").await);
    assert_eq!(said(&git, &["log", "-1", "--format=%an %cn"]).await, "smith jane");
    assert_eq!(said(&git, &["log", "-1", "--format=%s", "HEAD^"]).await, "Add main.txt");
    for file in ["HEAD:anvil.txt", "HEAD:horn.txt", "HEAD:main.txt"] {
        said(&git, &["cat-file", "-e", file]).await;
    }

    // A single commit stays what it is, and is made again all the same.
    commit(&t, &project, "single", "single.txt", "x\n").await;
    open(&smith, &project, "single").await;
    commit(&t, &project, "main", "more.txt", "x\n").await;
    t.settle().await;
    let body = json!({"squash": true});
    let merged = merge(&jane, &project, 2, body).await.is(200).json();
    t.settle().await;
    let git = cloned(&t).await;
    assert_eq!(merged["squash_commit_sha"], git.id("one", "HEAD").await);
    let told = said(&git, &["log", "-2", "--format=%s"]).await;
    assert_eq!(told, "Add single.txt\nAdd more.txt");
    is_told_once(&jane, &project, 2).await;
}

#[testkit::story]
async fn commits_that_do_not_fit_are_refused_and_nothing_moves(t: TestServer) {
    let (project, smith, jane) = begun(&t, "ff").await;
    commit(&t, &project, "main", "list.txt", "a\nb\nc\n").await;
    change(&smith, project.id, "anvil", update("a\nX\nc\n"), true).await;
    let back = json!([
        {"action": "update", "file_path": "list.txt", "content": "a\nb\nc\n"},
        {"action": "create", "file_path": "anvil.txt", "content": "x\n"},
    ]);
    change(&smith, project.id, "anvil", back, false).await;
    open(&smith, &project, "anvil").await;
    change(&t.admin(), project.id, "main", update("a\nZ\nc\n"), false).await;
    t.settle().await;
    let before = shown(&jane, &project, 1).await;
    // All of it together changes other lines than the target did.
    assert_eq!(before["detailed_merge_status"], "mergeable");
    let main = async || {
        let found = jane.get(project.at("/repository/branches/main")).await.is(200).json();
        found["commit"]["id"].clone()
    };
    let target = main().await;

    let refused = merge(&jane, &project, 1, json!({})).await.is(422).json();
    assert_eq!(refused["message"], "Branch cannot be merged");
    let left = shown(&jane, &project, 1).await;
    assert_eq!((&left["state"], &left["merge_error"]), (&json!("opened"), &json!(CONFLICT)));
    assert_eq!((&left["sha"], main().await), (&before["sha"], target));
    let page = t.browser("jane").await.get(ONE).await.is(200).text();
    assert!(page.contains(CONFLICT), "{page}");

    let body = json!({"squash": true});
    let merged = merge(&jane, &project, 1, body).await.is(200).json();
    assert_eq!((&merged["state"], &merged["merge_error"]), (&json!("merged"), &Value::Null));
    t.settle().await;
    let git = cloned(&t).await;
    assert_eq!(said(&git, &["show", "HEAD:list.txt"]).await, "a\nZ\nc");

    let same = async |branch: &str, title: &str| {
        commit_titled(&t, &project, (branch, "same.txt", "x\n"), title).await;
    };
    same("same", "Add it").await;
    open(&smith, &project, "same").await;
    same("main", "Add it, too").await;
    t.settle().await;
    merge(&jane, &project, 2, json!({})).await.is(422);
    let left = shown(&jane, &project, 2).await;
    let text = "Rebase failed: The target has all of its changes already.";
    assert_eq!((&left["state"], &left["merge_error"]), (&json!("opened"), &json!(text)));
}

#[testkit::story]
async fn the_source_of_a_fork_is_made_again_and_stays(t: TestServer) {
    let (project, _, jane) = begun(&t, "rebase_merge").await;
    let reader = t.user("reader").await;
    let fork = reader.post(project.at("/fork")).json(&json!({})).await.is(201).id();
    t.settle().await;
    change(&reader, fork, "anvil", create("anvil.txt"), true).await;
    let mut body = wanted("anvil");
    body["target_project_id"] = json!(project.id);
    let all = format!("/projects/{fork}/merge_requests");
    let made = reader.post(all).json(&body).await.is(201).json();
    commit(&t, &project, "main", "main.txt", "x\n").await;
    t.settle().await;
    merge(&jane, &project, 1, json!({})).await.is(200);
    t.settle().await;
    let git = cloned(&t).await;
    assert_eq!(git.id("one", "HEAD^1").await, git.id("one", "HEAD^2^").await);
    assert_eq!(said(&git, &["log", "-1", "--format=%an %cn", "HEAD^2"]).await, "reader jane");
    let source = format!("/projects/{fork}/repository/branches/anvil");
    let source = reader.get(source).await.is(200).json();
    assert_eq!(source["commit"]["id"], made["sha"]);
    is_told_once(&jane, &project, 1).await;
}

#[testkit::story]
async fn merges_at_once_land_one_on_top_of_the_other(t: TestServer) {
    let (project, _, jane) = begun(&t, "ff").await;
    for number in 1..=4 {
        branch(&t, &project, &format!("b{number}")).await;
    }
    let all = (1..=4).map(|iid| merge(&jane, &project, iid, json!({})));
    for reply in join_all(all).await {
        assert_eq!(reply.is(200).json()["state"], "merged");
    }
    t.settle().await;
    let git = cloned(&t).await;
    assert_eq!(said(&git, &["rev-list", "--count", "HEAD"]).await, "5");
    assert_eq!(said(&git, &["rev-list", "--count", "--merges", "HEAD"]).await, "0");
    for number in 1..=4 {
        said(&git, &["cat-file", "-e", &format!("HEAD:b{number}.txt")]).await;
        is_told_once(&jane, &project, number).await;
    }
}

#[testkit::story]
async fn nothing_is_made_again_that_need_not_be(t: TestServer) {
    let (project, smith, jane) = begun(&t, "merge").await;
    let made = behind(&t, &project, &smith).await;
    let browser = t.browser("jane").await;
    assert!(!browser.get(ONE).await.is(200).text().contains("are rebased onto"));
    assert_eq!(one(&jane, "shouldBeRebased").await["shouldBeRebased"], false);
    merge(&jane, &project, 1, json!({})).await.is(200);
    assert_eq!(made["sha"], cloned(&t).await.id("one", "HEAD^2").await);

    let off = json!({"merge_method": "ff", "automatic_rebase_enabled": false});
    smith.put(project.at("")).json(&off).await.is(403);
    set(&t, &project, off).await;
    commit(&t, &project, "coal", "coal.txt", "x\n").await;
    open(&smith, &project, "coal").await;
    commit(&t, &project, "main", "more.txt", "x\n").await;
    t.settle().await;
    let refused = merge(&jane, &project, 2, json!({})).await.is(405).json();
    assert_eq!(refused["detailed_merge_status"], "need_rebase");
    let on = json!({"automatic_rebase_enabled": true});
    jane.put(project.at("")).json(&on).await.is(200);
    assert_eq!(shown(&jane, &project, 2).await["detailed_merge_status"], "mergeable");
    merge(&jane, &project, 2, json!({})).await.is(200);
    t.settle().await;

    // What has all of the target comes as it is.
    let made = branch(&t, &project, "tongs").await;
    merge(&jane, &project, 3, json!({})).await.is(200);
    assert_eq!(made["sha"], cloned(&t).await.id("one", "HEAD").await);
}

#[testkit::story]
async fn a_merge_that_lands_late_is_known_by_what_was_noted(t: TestServer) {
    let (project, smith, _) = begun(&t, "ff").await;
    let made = behind(&t, &project, &smith).await;
    let git = cloned(&t).await;
    let old = git.id("one", "HEAD").await;
    git.run_in("one", &["cherry-pick", "HEAD..origin/anvil"]).await.done();
    let new = git.id("one", "HEAD").await;
    // Who merges it stands still for so long that it is opened again.
    let id = made["id"].as_i64().expect("an id");
    let noted = json!({"merging": {"old": old, "new": new, "source": made["sha"],
        "rebased": new}});
    let locked = t.app().write(move |tx| {
        let since = tx.now() - jiff::SignedDuration::from_secs(901);
        let statement = sql!(
            "update merge_requests set state = 'locked', locked_at = $2, merge_params = $3
             where id = $1"
        );
        Ok(tx.execute(statement, (id, since, store::Json(noted.clone())))?)
    });
    assert_eq!(locked.await.expect("it is locked"), 1);
    crate::spaces::run_job(&t, "reviews.sweep").await;
    assert_eq!(shown(&smith, &project, 1).await["state"], "opened");
    git.run_in("one", &["push", "--quiet", "origin", "HEAD:main"]).await.done();
    t.settle().await;
    assert_eq!(shown(&smith, &project, 1).await["state"], "merged");
    is_told_once(&smith, &project, 1).await;
    assert_eq!(of_commit(&smith, &project, &new).await, [1]);
}
