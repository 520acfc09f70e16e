//! Pushes by git that make and change merge requests, and what they are told.

use super::pipelines::OF_REQUESTS;
use super::{commit, developer, forge, open};
use crate::delivery::runner_jobs::{end, runner, take};
use serde_json::{Value, json};
use store::sql;
use testkit::{Client, Git, TestProject, TestServer};

/// A clone of a project with a new branch of one commit, in the folder `one`.
async fn cloned(client: &Client, path: &str, branch: &str) -> Git {
    let git = Git::of(client);
    git.run(&["clone", "--quiet", &git.url(path), "one"]).await.done();
    git.run_in("one", &["switch", "--quiet", "--create", branch]).await.done();
    git.commit("one", "anvil.txt", "x\n").await;
    git
}

/// Pushes a branch with these options; what git was told.
async fn push(git: &Git, branch: &str, options: &[&str]) -> String {
    let mut args = vec!["push"];
    for option in options {
        args.extend(["-o", option]);
    }
    args.extend(["origin", branch]);
    git.run_in("one", &args).await.done().said
}

async fn shown(client: &Client, project: &TestProject) -> Value {
    client.get(project.at("/merge_requests/1")).await.is(200).json()
}

#[testkit::story]
async fn who_pushes_is_told_where_the_request_is(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let git = cloned(&smith, "acme/forge", "anvil").await;
    let said = push(&git, "anvil", &[]).await;
    assert!(said.contains("To create a merge request for anvil, visit:"), "{said}");
    let new = "/acme/forge/-/merge_requests/new?merge_request%5Bsource_branch%5D=anvil";
    assert!(said.contains(new), "{said}");

    open(&smith, &project, "anvil").await;
    git.commit("one", "horn.txt", "x\n").await;
    let said = push(&git, "anvil", &[]).await;
    assert!(said.contains("View merge request for anvil:"), "{said}");
    assert!(said.contains("/acme/forge/-/merge_requests/1"), "{said}");

    let id = project.id;
    let set = t.app().write(move |tx| {
        tx.execute(
            sql!("insert into merge_request_settings (project_id, print_links) values ($1, false)"),
            (id,),
        )?;
        Ok(())
    });
    set.await.unwrap();
    git.commit("one", "face.txt", "x\n").await;
    assert!(!push(&git, "anvil", &[]).await.contains("merge request"));
}

#[testkit::story]
async fn a_push_makes_a_request_and_changes_it(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "Too light"}))
        .await
        .is(201);
    let git = cloned(&smith, "acme/forge", "1-heavy").await;
    git.commit("one", "horn.txt", "x\n").await;
    let options = [
        "merge_request.create",
        "mr.draft",
        "mr.label=iron",
        "mr.label=black",
        "mr.remove_source_branch=false",
        "mr.squash",
    ];
    let said = push(&git, "1-heavy", &options).await;
    assert!(said.contains("View merge request for 1-heavy:"), "{said}");
    assert!(!said.contains("WARNINGS"), "{said}");
    let made = shown(&smith, &project).await;
    assert_eq!(made["title"], "Draft: Resolve \"Too light\"");
    assert_eq!(made["description"], "Closes #1");
    assert_eq!(made["labels"], json!(["black", "iron"]));
    assert_eq!((&made["target_branch"], &made["squash"]), (&json!("main"), &json!(true)));
    assert_eq!(made["force_remove_source_branch"], false);
    assert_eq!(made["assignees"][0]["username"], "smith");
    assert_eq!(made["author"]["username"], "smith");

    let sha = git.commit("one", "face.txt", "x\n").await;
    let options = [
        "mr.title=An anvil",
        "mr.description=One\\nTwo",
        "mr.draft=false",
        "mr.unlabel=black",
        "mr.unassign=smith",
        "mr.assign=nobody-at-all",
    ];
    let said = push(&git, "1-heavy", &options).await;
    assert!(said.contains("User nobody-at-all could not be found"), "{said}");
    let changed = shown(&smith, &project).await;
    assert_eq!(
        (&changed["title"], &changed["description"], &changed["sha"]),
        (&json!("An anvil"), &json!("One\nTwo"), &json!(sha))
    );
    assert_eq!((&changed["labels"], &changed["assignees"]), (&json!(["iron"]), &json!([])));
    t.settle().await;
}

#[testkit::story]
async fn what_goes_wrong_is_a_warning_and_the_push_stands(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let git = cloned(&smith, "acme/forge", "anvil").await;
    let said = push(&git, "anvil", &["mr.title=An anvil"]).await;
    let text = "A merge_request.create push option is required to create a merge request for \
        branch anvil";
    assert!(said.contains(text) && said.contains("WARNINGS:"), "{said}");
    git.commit("one", "horn.txt", "x\n").await;
    let said = push(&git, "anvil", &["mr.create", "mr.target=nowhere"]).await;
    assert!(said.contains("Target branch \"nowhere\" does not exist"), "{said}");
    let mut args = vec!["push", "-o", "mr.create", "origin"];
    let many: Vec<String> = (1..=11).map(|number| format!("anvil:b{number}")).collect();
    args.extend(many.iter().map(String::as_str));
    let said = git.run_in("one", &args).await.done().said;
    assert!(
        said.contains("Too many branches pushed (11 were pushed, limit is 10)"),
        "{said}"
    );
    let none = smith.get(project.at("/merge_requests")).await.is(200).json();
    assert_eq!(none, json!([]));
    let there = smith.get(project.at("/repository/branches?per_page=100")).await.is(200);
    assert_eq!(there.each("name").len(), 13);
}

#[testkit::story]
async fn a_push_has_its_request_merged_once_the_pipeline_passed(t: TestServer) {
    let project = forge(&t).await;
    commit(&t, &project, "main", ".gitlab-ci.yml", OF_REQUESTS).await;
    let git = cloned(&t.admin(), "acme/forge", "anvil").await;
    let options = ["merge_request.create", "merge_request.merge_when_pipeline_succeeds"];
    let said = push(&git, "anvil", &options).await;
    assert!(!said.contains("WARNINGS"), "{said}");
    t.settle().await;
    let waits = shown(&t.admin(), &project).await;
    assert_eq!(
        (&waits["state"], &waits["merge_when_pipeline_succeeds"]),
        (&json!("opened"), &json!(true))
    );
    let (id, token, _) = take(&t, &runner(&t, json!({})).await).await;
    end(&t, (id, &token), "success").await.is(200);
    assert_eq!(shown(&t.admin(), &project).await["state"], "merged");
}

#[testkit::story]
async fn a_fork_makes_requests_in_its_parent(t: TestServer) {
    let project = forge(&t).await;
    let jane = t.user("jane").await;
    jane.post(project.at("/fork")).json(&json!({})).await.is(201);
    let git = cloned(&jane, "jane/forge", "anvil").await;
    let said = push(&git, "anvil", &["merge_request.create"]).await;
    assert!(said.contains("/acme/forge/-/merge_requests/1"), "{said}");
    let made = shown(&jane, &project).await;
    assert_eq!((&made["title"], &made["state"]), (&json!("Change anvil.txt"), &json!("opened")));
    assert_ne!(made["source_project_id"], made["target_project_id"]);
    t.settle().await;
}

#[testkit::story]
async fn a_fork_makes_requests_in_itself_where_it_says_so(t: TestServer) {
    let project = forge(&t).await;
    let jane = t.user("jane").await;
    let fork = jane.post(project.at("/fork")).json(&json!({})).await.is(201).id();
    let own = format!("/projects/{fork}");
    let body = json!({"mr_default_target_self": true});
    let set = jane.put(&own).json(&body).await.is(200).json();
    assert_eq!(set["mr_default_target_self"], true);
    let git = cloned(&jane, "jane/forge", "anvil").await;
    let said = push(&git, "anvil", &["merge_request.create"]).await;
    assert!(said.contains("/jane/forge/-/merge_requests/1"), "{said}");
    let made = jane.get(format!("{own}/merge_requests/1")).await.is(200).json();
    assert_eq!(
        (&made["source_project_id"], &made["target_project_id"]),
        (&json!(fork), &json!(fork))
    );
    let none = jane.get(project.at("/merge_requests")).await.is(200).json();
    assert_eq!(none, json!([]));
    t.settle().await;
}
