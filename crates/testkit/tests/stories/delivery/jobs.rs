//! What a job is given, and who gives a pipeline variables of their own.

use ::delivery::variables::{For, for_job, may_override, overridden};
use ::spaces::access::find_project;
use identity::viewer::Viewer;
use kernel::ids::Reference;
use serde_json::json;
use testkit::{Client, TestProject, TestServer};

/// Keys and values that a job of a project is given.
async fn given(
    t: &TestServer, project: &TestProject, is_protected: bool, environment: Option<&'static str>,
) -> Vec<String> {
    let (id, secrets) = (project.id, t.app().secrets().clone());
    let found = t.app().read(move |tx| {
        let project = find_project(tx, &Reference::Id(id))?.expect("a project");
        for_job(&secrets, tx, &project, &For { is_protected, is_foreign: false, environment })
    });
    let shown = found.await.unwrap().into_iter();
    shown.map(|one| format!("{}={}", one.key, one.value.expose())).collect()
}

#[testkit::story]
async fn a_job_is_given_the_nearest_value(t: TestServer) {
    t.group("acme").await;
    let (group, below) = (t.group("acme").await, t.group("acme/tools").await);
    let (project, other) = (t.project("acme/tools/anvil").await, t.project("acme/bellows").await);
    let post = async |to: String, body| t.admin().post(to).json(&body).await.is(201);
    let instance = || "/admin/ci/variables".to_owned();
    post(instance(), json!({"key": "A", "value": "instance"})).await;
    post(instance(), json!({"key": "D", "value": "instance"})).await;
    post(instance(), json!({"key": "CI_JOB_TOKEN", "value": "forged"})).await;
    post(group.at("/variables"), json!({"key": "A", "value": "group"})).await;
    post(group.at("/variables"), json!({"key": "B", "value": "group"})).await;
    post(below.at("/variables"), json!({"key": "B", "value": "below"})).await;
    let own = project.at("/variables");
    post(own.clone(), json!({"key": "C", "value": "all"})).await;
    let scoped = json!({"key": "C", "value": "prod", "environment_scope": "prod*"});
    post(own.clone(), scoped).await;
    let guarded = json!({"key": "E", "value": "guarded", "protected": true});
    post(own.clone(), guarded).await;

    let plain = ["A=group", "B=below", "C=all", "D=instance"];
    assert_eq!(given(&t, &project, false, None).await, plain);
    assert_eq!(given(&t, &other, false, None).await, ["A=group", "B=group", "D=instance"]);
    let deployed = ["A=group", "B=below", "C=prod", "D=instance", "E=guarded"];
    assert_eq!(given(&t, &project, true, Some("production")).await, deployed);
    let id = project.id;
    let found = t.app().read(move |tx| {
        let project = find_project(tx, &Reference::Id(id))?.expect("a project");
        overridden(tx, &project, &["A", "E", "Z", "CI_JOB_TOKEN"])
    });
    assert_eq!(found.await.unwrap(), ["A", "E"], "a linter tells of these");
    t.admin().delete(below.at("/variables/B")).await.is(204);
    assert_eq!(given(&t, &project, false, None).await[1], "B=group");
}

async fn set(client: &Client, project: &TestProject, body: serde_json::Value) -> (u16, String) {
    let answer = client.put(project.at("")).json(&body).await;
    let role = answer.json()["ci_pipeline_variables_minimum_override_role"].clone();
    (answer.status, role.as_str().unwrap_or_default().to_owned())
}

#[testkit::story]
async fn a_role_says_who_gives_variables_to_pipelines(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (owner, maintainer, developer) =
        (t.user("owner").await, t.user("mia").await, t.user("dev").await);
    for (user, level) in [(&owner, 50), (&maintainer, 40), (&developer, 30)] {
        project.add(user, level).await;
    }
    let name = "ci_pipeline_variables_minimum_override_role";
    let old = "restrict_user_defined_variables";
    let shown = maintainer.get(project.at("")).await.is(200).json();
    assert_eq!((&shown[name], &shown[old]), (&json!("maintainer"), &json!(true)));

    let ok = |role: &str| (200, role.to_owned());
    assert_eq!(set(&developer, &project, json!({name: "developer"})).await.0, 403);
    assert_eq!(set(&maintainer, &project, json!({name: "root"})).await.0, 400);
    assert_eq!(set(&maintainer, &project, json!({old: false})).await, ok("developer"));
    let shown = maintainer.get(project.at("")).await.is(200).json();
    assert_eq!(shown[old], false);
    assert_eq!(set(&maintainer, &project, json!({old: true})).await, ok("maintainer"));
    let both = json!({name: "no_one_allowed", old: false});
    assert_eq!(set(&maintainer, &project, both).await, ok("no_one_allowed"));
    assert_eq!(set(&maintainer, &project, json!({old: true})).await, ok("no_one_allowed"));
    // Owners alone lead away from it, and to themselves.
    assert_eq!(set(&maintainer, &project, json!({name: "maintainer"})).await.0, 403);
    assert_eq!(set(&owner, &project, json!({name: "owner"})).await, ok("owner"));
    assert_eq!(set(&maintainer, &project, json!({old: false})).await.0, 403);
    assert_eq!(set(&owner, &project, json!({name: "maintainer"})).await, ok("maintainer"));
    assert_eq!(set(&maintainer, &project, json!({name: "owner"})).await.0, 403);

    for (role, allowed) in [
        ("no_one_allowed", [false, false, false]),
        ("owner", [false, false, true]),
        ("maintainer", [false, true, true]),
        ("developer", [true, true, true]),
    ] {
        assert_eq!(set(&owner, &project, json!({name: role})).await, ok(role));
        let (id, users) = (project.id, [developer.id, maintainer.id, owner.id]);
        let found = t.app().read(move |tx| {
            let project = find_project(tx, &Reference::Id(id))?.expect("a project");
            let users = users.map(|id| identity::users::find(tx, id));
            let mut found = Vec::new();
            for user in users {
                let viewer = Viewer::addressed(user?.expect("a user"));
                found.push(may_override(tx, &viewer, &project)?);
            }
            Ok(found)
        });
        assert_eq!(found.await.unwrap(), allowed, "{role}");
    }
}
