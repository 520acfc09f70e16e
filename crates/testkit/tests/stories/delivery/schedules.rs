//! Pipelines begin by the clock.

use super::running::{begun, commit, newest};
use serde_json::{Value, json};
use testkit::{Browser, TestProject, TestServer};

const FILE: &str = "a: {script: e}\nnightly: {script: e, rules: [{if: '$CI_PIPELINE_SCHEDULE_DESCRIPTION == \"Nightly\"'}]}";

async fn make(t: &TestServer, project: &TestProject, more: Value) -> i64 {
    let mut body = json!({"description": "Nightly", "ref": "main", "cron": "0 4 * * *"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let made = t.admin().post(project.at("/pipeline_schedules")).json(&body).await;
    made.is(201).id()
}

async fn count(t: &TestServer, project: &TestProject) -> usize {
    let all = t.admin().get(project.at("/pipelines?source=schedule&per_page=100")).await;
    all.is(200).each("id").len()
}

#[testkit::story(noon)]
async fn a_schedule_begins_pipelines_at_its_times(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let id = make(&t, &project, json!({})).await;
    let at = project.at(&format!("/pipeline_schedules/{id}"));
    let shown = t.admin().get(&at).await.is(200).json();
    let keys: Vec<&String> = shown.as_object().unwrap().keys().collect();
    let order = [
        "id",
        "description",
        "ref",
        "cron",
        "cron_timezone",
        "next_run_at",
        "active",
        "created_at",
        "updated_at",
        "owner",
        "last_pipeline",
        "variables",
        "inputs",
    ];
    assert_eq!(keys, order);
    assert_eq!(
        (&shown["ref"], &shown["cron_timezone"]),
        (&json!("refs/heads/main"), &json!("UTC"))
    );
    assert_eq!((&shown["owner"]["username"], &shown["active"]), (&json!("root"), &json!(true)));
    assert!(shown["next_run_at"].as_str().unwrap().contains("T04:00:00"), "{shown}");
    assert_eq!(shown["last_pipeline"], Value::Null);
    assert_eq!(count(&t, &project).await, 0);

    // Noon is 16 hours before four.
    t.advance(16 * 3600 - 60);
    t.settle().await;
    assert_eq!(count(&t, &project).await, 0);
    t.advance(61);
    t.settle().await;
    assert_eq!(count(&t, &project).await, 1, "one for one time");
    t.advance(600);
    t.settle().await;
    assert_eq!(count(&t, &project).await, 1);
    let pipeline = newest(&t, &project).await;
    let begun = t
        .admin()
        .get(project.at(&format!("/pipelines/{pipeline}")))
        .await
        .is(200)
        .json();
    assert_eq!((&begun["source"], &begun["ref"]), (&json!("schedule"), &json!("main")));
    assert_eq!(begun["user"]["username"], "root");
    let jobs = t.admin().get(project.at(&format!("/pipelines/{pipeline}/jobs"))).await.is(200);
    assert_eq!(jobs.each("name").len(), 2, "rules see the description");
    let shown = t.admin().get(&at).await.is(200).json();
    assert_eq!(shown["last_pipeline"]["id"], pipeline);
    let all = t.admin().get(format!("{at}/pipelines")).await.is(200);
    assert_eq!(all.each("id"), [pipeline]);
    t.advance(24 * 3600);
    t.settle().await;
    assert_eq!(count(&t, &project).await, 2);

    // What is off begins nothing, and another time is the only one.
    t.admin().put(&at).json(&json!({"active": false})).await.is(200);
    t.advance(24 * 3600);
    t.settle().await;
    assert_eq!(count(&t, &project).await, 2);
    let change = json!({"active": true, "cron": "30 4 * * *", "cron_timezone": "europe/berlin"});
    let shown = t.admin().put(&at).json(&change).await.is(200).json();
    assert_eq!(shown["cron_timezone"], "Europe/Berlin");
    t.advance(24 * 3600);
    t.settle().await;
    assert_eq!(count(&t, &project).await, 3);
    t.admin().delete(&at).await.is(204);
    t.advance(24 * 3600);
    t.settle().await;
    assert_eq!(count(&t, &project).await, 3);
    t.admin().get(project.at(&format!("/pipelines/{pipeline}"))).await.is(200);
}

#[testkit::story]
async fn developers_change_their_own(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let branch = json!({"branch": "work", "ref": "main"});
    t.admin().post(project.at("/repository/branches")).json(&branch).await.is(201);
    let (dev, other, rep, mia, out) = (
        t.user("dev").await,
        t.user("other").await,
        t.user("rep").await,
        t.user("mia").await,
        t.user("out").await,
    );
    for (user, level) in [(&dev, 30), (&other, 30), (&rep, 20), (&mia, 40)] {
        project.add(user, level).await;
    }
    let all = project.at("/pipeline_schedules");
    let body = json!({"description": "x", "ref": "work", "cron": "0 4 * * *"});
    rep.post(&all).json(&body).await.is(403);
    out.post(&all).json(&body).await.is(404);
    t.anonymous().post(&all).json(&body).await.is(401);
    let id = dev.post(&all).json(&body).await.is(201).id();
    let one = project.at(&format!("/pipeline_schedules/{id}"));
    // Others see it, without its variables.
    for reader in [&other, &rep] {
        let shown = reader.get(&one).await.is(200).json();
        assert!(shown.get("variables").is_none(), "{shown}");
        assert_eq!(reader.get(&all).await.is(200).each("id"), [id]);
    }
    out.get(&one).await.is(404);
    let change = json!({"description": "y"});
    for refused in [&other, &rep] {
        refused.put(&one).json(&change).await.is(403);
        refused.delete(&one).await.is(403);
        let variable = json!({"key": "A", "value": "x"});
        refused.post(format!("{one}/variables")).json(&variable).await.is(403);
    }
    assert_eq!(dev.put(&one).json(&change).await.is(200).json()["description"], "y");
    mia.put(&one).json(&change).await.is(200);
    // The default branch is for who may push to it.
    dev.put(&one).json(&json!({"ref": "main"})).await.is(403);
    mia.put(&one).json(&json!({"ref": "main"})).await.is(200);
    dev.post(format!("{one}/play")).await.is(403);
    let played = mia.post(format!("{one}/play")).await.is(201).json();
    assert_eq!(played, json!({"message": "201 Created"}));
    t.settle().await;
    let pipeline = t.admin().get(project.at("/pipelines?source=schedule")).await.is(200).json();
    let id = pipeline[0]["id"].as_i64().unwrap();
    let shown = t.admin().get(project.at(&format!("/pipelines/{id}"))).await.is(200).json();
    assert_eq!(shown["user"]["username"], "mia", "who plays it is who runs it");
    rep.post(format!("{one}/play")).await.is(403);
    let taken = mia.post(format!("{one}/take_ownership")).await.is(201).json();
    assert_eq!(taken["owner"]["username"], "mia");
    dev.put(&one).json(&change).await.is(403);
}

#[testkit::story(noon)]
async fn who_has_lost_the_right_begins_nothing_more(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let mia = t.user("mia").await;
    project.add(&mia, 40).await;
    let body = json!({"description": "x", "ref": "main", "cron": "0 * * * *"});
    let id = mia.post(project.at("/pipeline_schedules")).json(&body).await.is(201).id();
    let role = json!({"access_level": 20});
    t.admin()
        .put(project.at(&format!("/members/{}", mia.id)))
        .json(&role)
        .await
        .is(200);
    t.advance(3601);
    t.settle().await;
    assert_eq!(count(&t, &project).await, 0);
    let shown = t.admin().get(project.at(&format!("/pipeline_schedules/{id}"))).await.is(200);
    assert_eq!(shown.json()["active"], false);
    let inactive = t.admin().get(project.at("/pipeline_schedules?scope=inactive")).await;
    assert_eq!(inactive.is(200).each("id"), [id]);
    let active = t.admin().get(project.at("/pipeline_schedules?scope=active")).await.is(200);
    assert!(active.each("id").is_empty());
    t.admin().get(project.at("/pipeline_schedules?scope=odd")).await.is(400);
}

#[testkit::story]
async fn wrong_schedules_are_refused(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let all = project.at("/pipeline_schedules");
    let right = json!({"description": "x", "ref": "main", "cron": "0 4 * * *"});
    for (field, value, text) in [
        ("cron", "0 4 * *", "is invalid syntax"),
        ("cron", "0 0 31 2 *", "is invalid syntax"),
        ("cron_timezone", "Mars/Base", "is invalid syntax"),
        ("ref", "none", "is no branch or tag"),
        ("ref", "", "can't be blank"),
        ("description", " ", "can't be blank"),
    ] {
        let mut body = right.clone();
        body[field] = json!(value);
        let answer = t.admin().post(&all).json(&body).await.is(400).json();
        assert_eq!(answer["message"][field], json!([text]), "{body}");
    }
    let mut long = right.clone();
    long["description"] = json!("x".repeat(256));
    t.admin().post(&all).json(&long).await.is(400);
    t.admin().post(&all).json(&json!({"description": "x"})).await.is(400);
    let few = json!({"ci_pipeline_schedules": 1});
    t.admin().put("/application/plan_limits").json(&few).await.is(200);
    let id = make(&t, &project, json!({})).await;
    let answer = t.admin().post(&all).json(&right).await.is(400).json();
    let text = "Maximum number of pipeline schedules (1) exceeded";
    assert_eq!(answer["message"]["base"], json!([text]));
    let other = t.project("acme/bellows").await;
    let there = other.at(&format!("/pipeline_schedules/{id}"));
    let answer = t.admin().get(there).await.is(404).json();
    assert_eq!(answer, json!({"message": "404 Pipeline Schedule Not Found"}));
}

#[testkit::story]
async fn its_pipelines_are_given_its_variables(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let id = make(&t, &project, json!({})).await;
    let at = project.at(&format!("/pipeline_schedules/{id}/variables"));
    let variable = json!({"key": "COLOUR", "value": "blue"});
    let made = t.admin().post(&at).json(&variable).await.is(201).json();
    let whole = json!({"key": "COLOUR", "variable_type": "env_var", "value": "blue", "raw": false});
    assert_eq!(made, whole);
    let again = t.admin().post(&at).json(&variable).await.is(400).json();
    assert_eq!(again["message"]["key"], json!(["(COLOUR) has already been taken"]));
    t.admin().post(&at).json(&json!({"key": "A-B", "value": "x"})).await.is(400);
    let one = format!("{at}/COLOUR");
    let change = json!({"value": "red", "variable_type": "file"});
    let changed = t.admin().put(&one).json(&change).await.is(200).json();
    assert_eq!((&changed["value"], &changed["variable_type"]), (&json!("red"), &json!("file")));
    t.admin().put(format!("{at}/NONE")).json(&change).await.is(404);
    let sealed = t.app().read(|tx| {
        let all: Vec<String> = tx.all("select sealed_value from ci_schedule_variables", ())?;
        Ok(all)
    });
    assert!(
        sealed
            .await
            .unwrap()
            .iter()
            .all(|text| !text.contains("red") && text.len() > 20)
    );
    t.admin()
        .post(project.at(&format!("/pipeline_schedules/{id}/play")))
        .await
        .is(201);
    t.settle().await;
    let pipeline = newest(&t, &project).await;
    let given = t.admin().get(project.at(&format!("/pipelines/{pipeline}/variables"))).await;
    let expected = json!([{"key": "COLOUR", "value": "red", "variable_type": "file"}]);
    assert_eq!(given.is(200).json(), expected);
    let gone = t.admin().delete(&one).await.is(202).json();
    assert_eq!(gone["key"], "COLOUR");
    t.admin().delete(&one).await.is(404);
}

#[testkit::story]
async fn its_pipelines_are_given_its_inputs(t: TestServer) {
    let file = "spec: {inputs: {who: {options: [me, you]}, n: {type: number, default: 1}}}\n---\n\
                \"job-$[[ inputs.who ]]\": {script: e, parallel: \"$[[ inputs.n ]]\"}\n";
    let (project, _) = begun(&t, "acme/anvil", "a: {script: e}").await;
    commit(&t, &project, ".gitlab-ci.yml", file, "Inputs [skip ci]").await;
    let given = json!([{"name": "who", "value": "you"}, {"name": "n", "value": 2}]);
    let id = make(&t, &project, json!({"inputs": given})).await;
    let at = project.at(&format!("/pipeline_schedules/{id}"));
    assert_eq!(t.admin().get(&at).await.is(200).json()["inputs"], given);
    let reader = t.user("reader").await;
    project.add(&reader, 20).await;
    assert!(reader.get(&at).await.is(200).json().get("inputs").is_none());
    let names = async || {
        t.admin().post(format!("{at}/play")).await.is(201);
        t.settle().await;
        let pipeline = newest(&t, &project).await;
        let jobs = t.admin().get(project.at(&format!("/pipelines/{pipeline}/jobs"))).await;
        let mut names: Vec<String> =
            jobs.is(200).each("name").iter().map(ToString::to_string).collect();
        names.sort();
        names
    };
    assert_eq!(names().await, ["\"job-you 1/2\"", "\"job-you 2/2\""]);

    // Those that are not named stay.
    let change =
        json!({"inputs": [{"name": "who", "value": "me"}, {"name": "n", "destroy": true}]});
    let changed = t.admin().put(&at).json(&change).await.is(200).json();
    assert_eq!(changed["inputs"], json!([{"name": "who", "value": "me"}]));
    assert_eq!(names().await, ["\"job-me 1/1\""]);
    let same = t.admin().put(&at).json(&json!({"active": false})).await.is(200).json();
    assert_eq!(same["inputs"], json!([{"name": "who", "value": "me"}]));
    for (inputs, status) in [
        (json!([{"name": "none", "destroy": true}]), 400),
        (json!([{"name": "who"}]), 400),
        (json!([{"name": "", "value": 1}]), 400),
        (json!([{"name": "who", "value": {"a": 1}}]), 400),
        (
            json!(
                (0..20)
                    .map(|n| json!({"name": format!("i{n}"), "value": n}))
                    .collect::<Vec<_>>()
            ),
            400,
        ),
        (json!([]), 200),
    ] {
        let answer = t.admin().put(&at).json(&json!({"inputs": inputs})).await;
        assert_eq!(answer.status, status, "{inputs}");
    }
}

async fn browser(t: &TestServer, project: &TestProject, name: &str, level: i64) -> Browser {
    let user = t.user(name).await;
    project.add(&user, level).await;
    t.browser(name).await
}

#[testkit::story]
async fn schedules_are_made_changed_and_run_on_pages(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let mia = browser(&t, &project, "mia", 40).await;
    let rep = browser(&t, &project, "rep", 20).await;
    let url = "/acme/anvil/-/pipeline_schedules";
    let empty = mia.get(url).await.is(200).text();
    assert!(empty.contains("No schedules") && empty.contains("New schedule"), "{empty}");
    let new = format!("{url}/new");
    rep.get(&new).await.is(403);
    let typed = [
        ("action", "save"),
        ("description", "Nightly build"),
        ("ref", "main"),
        ("cron", "0 4 * *"),
        ("cron_timezone", "Europe/Berlin"),
        ("active", "1"),
    ];
    let refused = mia.post(&new, &typed).await.is(422).text();
    assert!(
        refused.contains("Is invalid syntax") && refused.contains("Nightly build"),
        "{refused}"
    );
    let mut fit = typed;
    fit[3].1 = "0 4 * * *";
    let (to, page) = mia.submit(&new, &fit).await;
    assert_eq!(to, url);
    assert!(page.contains("Schedule added.") && page.contains("Nightly build"), "{page}");
    let all = t.admin().get(project.at("/pipeline_schedules")).await.is(200);
    let id = all.each("id")[0].to_string();
    let edit = format!("{url}/{id}/edit");
    let variable = [("action", "add_variable"), ("key", "COLOUR"), ("value", "blue")];
    let (_, page) = mia.submit(&edit, &variable).await;
    assert!(page.contains("Variable added.") && page.contains("COLOUR"), "{page}");
    let removed = [("action", "remove_variable"), ("key", "COLOUR")];
    let (_, page) = mia.submit(&edit, &removed).await;
    assert!(page.contains("No variables"), "{page}");
    rep.get(&edit).await.is(403);
    assert!(!rep.get(url).await.is(200).text().contains("Run now"));
    let play = [("action", "play"), ("schedule_id", id.as_str())];
    rep.post(url, &play).await.is(403);
    let (_, page) = mia.submit(url, &play).await;
    assert!(page.contains("A pipeline of the schedule begins."), "{page}");
    t.settle().await;
    assert_eq!(count(&t, &project).await, 1);
    let (_, page) = mia.submit(url, &[("action", "delete"), ("schedule_id", id.as_str())]).await;
    assert!(page.contains("Schedule deleted.") && page.contains("No schedules"), "{page}");
}
