//! Protected branches and tags: what pushes are refused, and how it is changed.

use serde_json::{Value, json};
use testkit::{Client, Git, TestProject, TestServer, TestUser};

/// A project with a pushed branch `main`, and somebody who develops in it.
async fn begun(t: &TestServer) -> (TestProject, Git, TestUser) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let developer = t.user("dev").await;
    project.add(&developer, 30).await;
    (project, git, developer)
}

/// A clone of somebody with a commit that was not pushed.
async fn clone_of(client: &Client) -> Git {
    let git = Git::of(client);
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "two"]).await.done();
    git.commit("two", "horn.txt", "curved\n").await;
    git
}

async fn push(git: &Git, folder: &str, args: &[&str]) -> testkit::Ran {
    git.run_in(folder, &[&["push", "origin"], args].concat()).await
}

const PUSH: &str = "You are not allowed to push code to protected branches on this project.";
const CREATE: &str = "You are not allowed to create protected branches on this project.";
const FORCE: &str = "You are not allowed to force push code to a protected branch on this project.";

#[testkit::story]
async fn the_first_branch_is_protected(t: testkit::TestServer) {
    let (project, git, developer) = begun(&t).await;
    let rules = t.admin().get(project.at("/protected_branches")).await.is(200).json();
    assert_eq!(rules.as_array().map(Vec::len), Some(1));
    let main = &rules[0];
    assert_eq!(main["name"], "main");
    assert_eq!(main["allow_force_push"], false);
    assert_eq!(main["inherited"], false);
    let level = &main["push_access_levels"][0];
    assert_eq!(level["access_level"], 40);
    assert_eq!(level["access_level_description"], "Maintainers");
    assert_eq!(level["user_id"], Value::Null);

    let two = clone_of(&developer).await;
    push(&two, "two", &["main"]).await.refused(PUSH);
    push(&two, "two", &["main:feature"]).await.done();
    push(&two, "two", &["--force", "main~1:feature"]).await.done();
    push(&two, "two", &[":feature"]).await.done();

    // Who maintains the project pushes, but rewrites nothing.
    git.commit("one", "face.txt", "flat\n").await;
    push(&git, "one", &["main"]).await.done();
    push(&git, "one", &["--force", "main~1:main"]).await.refused(FORCE);
    let forced = json!({"allow_force_push": true});
    let path = project.at("/protected_branches/main");
    t.admin().patch(&path).json(&forced).await.is(200);
    push(&git, "one", &["--force", "main~1:main"]).await.done();

    t.admin().delete(&path).await.is(204);
    two.run_in("two", &["pull", "--quiet", "--rebase"]).await.done();
    push(&two, "two", &["main"]).await.done();
    t.admin().get(&path).await.is(404);
}

#[testkit::story]
async fn rules_are_for_names_that_are_like_them(t: testkit::TestServer) {
    let (project, git, developer) = begun(&t).await;
    let rules = project.at("/protected_branches");
    let release = json!({"name": "release/*", "push_access_level": 40, "merge_access_level": 30});
    t.admin().post(&rules).json(&release).await.is(201);
    let two = clone_of(&developer).await;
    push(&two, "two", &["main:refs/heads/release/1"]).await.refused(
        "You can only use an existing protected branch ref as the basis of a new protected branch.",
    );
    push(&two, "two", &["main~1:refs/heads/release/1"])
        .await
        .refused("You can only create protected branches using the web interface and API.");
    let closed = json!({"name": "closed-*", "push_access_level": 0, "merge_access_level": 0});
    t.admin().post(&rules).json(&closed).await.is(201);
    push(&two, "two", &["main:refs/heads/closed-1"]).await.refused(CREATE);
    // No one is no one, whoever asks.
    push(&git, "one", &["main:refs/heads/closed-1"]).await.refused(CREATE);

    push(&git, "one", &["main:refs/heads/release/1"]).await.done();
    push(&two, "two", &["main:refs/heads/release/1"]).await.refused(PUSH);
    push(&two, "two", &[":release/1"])
        .await
        .refused("Only a project maintainer or owner can delete a protected branch.");
    push(&git, "one", &[":release/1"])
        .await
        .refused("You can only delete protected branches using the web interface.");
    // The most permissive rule wins.
    let mine = json!({"name": "release/1", "allowed_to_push": [{"user_id": developer.id}]});
    let made = t.admin().post(&rules).json(&mine).await.is(201).json();
    assert_eq!(made["push_access_levels"][0]["access_level"], Value::Null);
    assert_eq!(made["push_access_levels"][0]["user_id"], developer.id);
    assert_eq!(made["merge_access_levels"][0]["access_level"], 40);
    push(&two, "two", &["main:refs/heads/release/1"]).await.done();
}

#[testkit::story]
async fn tags_are_protected(t: testkit::TestServer) {
    let (project, git, developer) = begun(&t).await;
    let rules = project.at("/protected_tags");
    let made = t.admin().post(&rules).json(&json!({"name": "v*"})).await.is(201).json();
    assert_eq!(made["create_access_levels"][0]["access_level"], 40);
    assert_eq!(made["create_access_levels"][0]["access_level_description"], "Maintainers");
    let two = clone_of(&developer).await;
    push(&two, "two", &["main:refs/tags/other"]).await.done();
    push(&two, "two", &["--force", "main~1:refs/tags/other"]).await.done();
    push(&two, "two", &["main:refs/tags/v1"])
        .await
        .refused("You are not allowed to create this tag as it is protected.");
    push(&git, "one", &["main:refs/tags/v1"]).await.done();
    git.commit("one", "face.txt", "flat\n").await;
    push(&git, "one", &["--force", "main:refs/tags/v1"])
        .await
        .refused("Protected tags cannot be updated.");
    push(&git, "one", &[":refs/tags/v1"])
        .await
        .refused("You can only delete protected tags using the web interface.");
    push(&two, "two", &[":refs/tags/v1"])
        .await
        .refused("Only a project maintainer or owner can delete a protected tag.");

    let one = project.at("/protected_tags/v*");
    let levels = json!({"allowed_to_create": [{"access_level": 30}]});
    let changed = t.admin().patch(&one).json(&levels).await.is(200).json();
    assert_eq!(changed["create_access_levels"].as_array().map(Vec::len), Some(2));
    push(&two, "two", &["main:refs/tags/v2"]).await.done();
    t.admin().post(&rules).json(&json!({"name": "v*"})).await.is(409);
    t.admin().delete(&one).await.is(204);
    t.admin().get(&one).await.is(404);
    push(&two, "two", &[":refs/tags/v1"]).await.done();
}

#[testkit::story]
async fn an_empty_project_is_protected_as_well(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let developer = t.user("dev").await;
    project.add(&developer, 30).await;
    let git = Git::of(&developer);
    git.begin("one", "acme/anvil").await;
    push(&git, "one", &["main"])
        .await
        .refused("does not exist yet for acme/anvil")
        .refused("Ask a project Owner or Maintainer to push it first");
    let wrong = json!({"default_branch_protection": 7});
    t.admin().put("/groups/acme").json(&wrong).await.is(400);
    let wrong =
        json!({"default_branch_protection_defaults": {"allowed_to_push": [{"access_level": 7}]}});
    t.admin().put("/groups/acme").json(&wrong).await.is(400);
    let may = json!({"default_branch_protection_defaults": {"developer_can_initial_push": true}});
    let group = t.admin().put("/groups/acme").json(&may).await.is(200).json();
    assert_eq!(group["default_branch_protection"], 4);
    push(&git, "one", &["main"]).await.done();
    git.commit("one", "horn.txt", "curved\n").await;
    push(&git, "one", &["main"]).await.refused(PUSH);

    // Where nothing is protected, nothing is.
    let none = json!({"default_branch_protection": 0});
    t.admin().put("/groups/acme").json(&none).await.is(200);
    let open = t.project("acme/hammer").await;
    open.add(&developer, 30).await;
    let two = Git::of(&developer);
    two.begin("two", "acme/hammer").await;
    push(&two, "two", &["main"]).await.done();
    let rules = t.admin().get(open.at("/protected_branches")).await.is(200).json();
    assert_eq!(rules, json!([]));
}

#[testkit::story]
async fn rules_are_made_changed_and_ended(t: testkit::TestServer) {
    let (project, _, developer) = begun(&t).await;
    let rules = project.at("/protected_branches");
    let admin = t.admin();
    let stable = json!({
        "name": "stable",
        "push_access_level": 0,
        "merge_access_level": 30,
        "unprotect_access_level": 60,
        "allowed_to_merge": [{"access_level": 40}],
        "code_owner_approval_required": true,
    });
    let made = admin.post(&rules).json(&stable).await.is(201).json();
    assert_eq!(made["push_access_levels"][0]["access_level_description"], "No one");
    assert_eq!(made["merge_access_levels"].as_array().map(Vec::len), Some(2));
    assert_eq!(made["code_owner_approval_required"], true);
    let again = admin.post(&rules).json(&stable).await.is(409).json();
    assert_eq!(again["message"], "Protected branch 'stable' already exists");
    for (wrong, said) in [
        (
            json!({"push_access_level": 35}),
            "Push access levels access level is not included in the list",
        ),
        (
            json!({"unprotect_access_level": 0}),
            "Unprotect access levels access level is not included in the list",
        ),
        (
            json!({"allowed_to_push": [{"access_level": 40}, {"access_level": 40}]}),
            "Push access levels access level has already been taken",
        ),
        (
            json!({"allowed_to_push": [{"user_id": 9_999}]}),
            "Push access levels user is not a member who may push",
        ),
        (
            json!({"allowed_to_merge": [{"group_id": 9_999}]}),
            "Merge access levels group is not one of the project",
        ),
        (
            json!({"allowed_to_push": [{"deploy_key_id": 1}]}),
            "Push access levels deploy key is not one of the project that may push",
        ),
        (
            json!({"allowed_to_push": [{}]}),
            "Push access levels access level can't be blank",
        ),
    ] {
        let mut body = wrong.clone();
        body["name"] = "wrong".into();
        let refused = admin.post(&rules).json(&body).await.is(422).json();
        assert_eq!(refused["message"], json!([said]), "{wrong}");
    }
    admin.post(&rules).json(&json!({})).await.is(400);

    let one = project.at("/protected_branches/stable");
    let id = made["push_access_levels"][0]["id"].clone();
    let change = json!({"allowed_to_push": [
        {"id": id, "access_level": 40},
        {"user_id": developer.id},
    ]});
    let changed = admin.patch(&one).json(&change).await.is(200).json();
    let levels = changed["push_access_levels"].as_array().cloned().unwrap_or_default();
    assert_eq!(levels.len(), 2);
    assert_eq!(levels[0]["access_level"], 40);
    assert_eq!(levels[1]["access_level_description"], "dev");
    let emptied: Vec<Value> = levels
        .iter()
        .map(|level| json!({"id": level["id"], "_destroy": true}))
        .collect();
    let emptied = admin
        .patch(&one)
        .json(&json!({"allowed_to_push": emptied}))
        .await
        .is(200)
        .json();
    assert_eq!(emptied["push_access_levels"], json!([]));
    let unknown = json!({"allowed_to_push": [{"id": 9_999}]});
    admin.patch(&one).json(&unknown).await.is(422);

    // Readers of code list; maintainers change what they may unprotect.
    let maintainer = t.user("keeper").await;
    project.add(&maintainer, 40).await;
    maintainer.delete(&one).await.is(403);
    maintainer.patch(&one).json(&json!({"allow_force_push": true})).await.is(403);
    developer.post(&rules).json(&json!({"name": "x"})).await.is(403);
    let names = |list: Value| -> Vec<String> {
        let list = list.as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|rule| Some(rule["name"].as_str()?.to_owned())).collect()
    };
    let listed = developer.get(&rules).await.is(200).json();
    assert_eq!(names(listed), ["main", "stable"]);
    let listed = developer.get(format!("{rules}?search=STA")).await.is(200).json();
    assert_eq!(names(listed), ["stable"]);
    let stranger = t.user("stranger").await;
    stranger.get(&rules).await.is(404);
    admin.delete(&one).await.is(204);
    admin.delete(&one).await.is(404);
}

#[testkit::story]
async fn rules_of_a_group_come_first(t: testkit::TestServer) {
    let (project, git, developer) = begun(&t).await;
    let rules = "/groups/acme/protected_branches";
    let made = json!({"name": "main", "push_access_level": 30, "allow_force_push": true});
    t.admin().post(rules).json(&made).await.is(201);
    let listed = t.admin().get(project.at("/protected_branches")).await.is(200).json();
    assert_eq!(listed[0]["inherited"], true);
    assert_eq!(listed[1]["inherited"], false);
    let two = clone_of(&developer).await;
    push(&two, "two", &["main"]).await.done();
    push(&git, "one", &["--force", "main"]).await.done();
    developer.get(rules).await.is(403);
    let items = json!({"name": "x", "allowed_to_push": [{"user_id": developer.id}]});
    t.admin().post(rules).json(&items).await.is(422);
    // What is of the group is not changed from below.
    t.admin().delete(project.at("/protected_branches/main")).await.is(204);
    t.admin().delete(project.at("/protected_branches/main")).await.is(404);
    let one = "/groups/acme/protected_branches/main";
    t.admin().patch(one).json(&json!({"allow_force_push": false})).await.is(200);
    t.admin().get(one).await.is(200);
    t.admin().delete(one).await.is(204);
    t.admin().get(one).await.is(404);
    let parent = t.admin().get("/groups/acme").await.is(200).json()["id"].clone();
    let below = json!({"name": "below", "path": "below", "parent_id": parent});
    t.admin().post("/groups").json(&below).await.is(201);
    let refused = t.admin().post("/groups/acme%2Fbelow/protected_branches").json(&made).await;
    let refused = refused.is(422).json();
    assert_eq!(refused["message"], json!(["Group cannot be associated with a subgroup"]));
}
