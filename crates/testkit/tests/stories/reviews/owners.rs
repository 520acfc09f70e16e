//! Files that say who owns which paths, and whose approval merges need for that.

use super::{commit, developer, forge, open};
use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer, TestUser};

/// A merge request by smith of files that jane and joe own; he and they develop.
async fn owned(t: &TestServer) -> (TestProject, [TestUser; 3], String) {
    let project = forge(t).await;
    let smith = developer(t, &project, "smith").await;
    let jane = developer(t, &project, "jane").await;
    let joe = developer(t, &project, "joe").await;
    let owners = "# Who knows what\n*.txt @jane @nobody\n\n^[Docs]\ndocs/ @joe\nother/ @smith\n";
    commit(t, &project, "main", "CODEOWNERS", owners).await;
    commit(t, &project, "anvil", "anvil.txt", "x\n").await;
    commit(t, &project, "anvil", "docs/anvil.md", "x\n").await;
    open(&smith, &project, "anvil").await;
    t.settle().await;
    let one = project.at("/merge_requests/1");
    (project, [smith, jane, joe], one)
}

/// The rules, each by name, section, what it asks for, and whether it is met.
async fn rules(client: &Client, one: &str) -> Vec<[Value; 4]> {
    let state = client.get(format!("{one}/approval_state")).await.is(200).json();
    let rules = state["rules"].as_array().expect("rules").iter();
    let of_owners = rules.filter(|rule| rule["code_owner"] == true);
    let told = of_owners.map(|rule| {
        ["name", "section", "approvals_required", "approved"].map(|key| rule[key].clone())
    });
    told.collect()
}

async fn approved_by(client: &Client, one: &str) -> Vec<Value> {
    let shown = client.get(format!("{one}/approvals")).await.is(200).json();
    let given = shown["approved_by"].as_array().expect("approvals").iter();
    given.map(|one| one["user"]["username"].clone()).collect()
}

async fn rewrite(t: &TestServer, project: &TestProject, path: &str) {
    let body = json!({"branch": "anvil", "commit_message": "Change", "actions": [
        {"action": "update", "file_path": path, "content": "y\n"}]});
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    t.settle().await;
}

#[testkit::story]
async fn owners_of_what_changes_approve_where_the_branch_demands_it(t: TestServer) {
    let (project, [smith, jane, _], one) = owned(&t).await;
    let (text, docs) = ((json!("*.txt"), "codeowners"), (json!("docs/"), "Docs"));
    let told = |(name, section): &(Value, &str), required: i64, approved: bool| {
        [name.clone(), json!(section), json!(required), json!(approved)]
    };
    let expected = [told(&text, 0, true), told(&docs, 0, true)];
    assert_eq!(rules(&smith, &one).await, expected);
    let left = async || {
        let shown = smith.get(format!("{one}/approvals")).await.is(200).json();
        shown["approvals_left"].clone()
    };
    assert_eq!(left().await, 0);

    let demand = json!({"code_owner_approval_required": true});
    t.admin()
        .patch(project.at("/protected_branches/main"))
        .json(&demand)
        .await
        .is(200);
    let expected = [told(&text, 1, false), told(&docs, 0, true)];
    assert_eq!(rules(&smith, &one).await, expected);
    assert_eq!(left().await, 1);
    let state = smith.get(format!("{one}/approval_state")).await.is(200).json();
    let eligible = state["rules"][0]["eligible_approvers"].as_array().expect("people");
    assert_eq!(eligible.iter().map(|one| &one["username"]).collect::<Vec<_>>(), ["jane"]);
    jane.post(format!("{one}/approve")).await.is(201);
    assert_eq!(rules(&smith, &one).await, [told(&text, 1, true), told(&docs, 0, true)]);
    assert_eq!(left().await, 0);
}

#[testkit::story]
async fn a_push_takes_back_the_approvals_of_those_whose_files_it_touches(t: TestServer) {
    let (project, [smith, jane, joe], one) = owned(&t).await;
    let selective = json!({"selective_code_owner_removals": true});
    t.admin().post(project.at("/approvals")).json(&selective).await.is(201);
    for owner in [&jane, &joe] {
        owner.post(format!("{one}/approve")).await.is(201);
    }
    assert_eq!(approved_by(&smith, &one).await, ["jane", "joe"]);
    rewrite(&t, &project, "docs/anvil.md").await;
    assert_eq!(approved_by(&smith, &one).await, ["jane"]);
    commit(&t, &project, "anvil", "README.rst", "x\n").await;
    t.settle().await;
    assert_eq!(approved_by(&smith, &one).await, ["jane"]);
    rewrite(&t, &project, "anvil.txt").await;
    assert_eq!(approved_by(&smith, &one).await, Vec::<Value>::new());
}
