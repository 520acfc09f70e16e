//! Programs elsewhere begin pipelines with tokens.

use super::runner_jobs::{runner, take};
use super::running::{begun, newest};
use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

const FILE: &str = "a: {script: e}\nb: {script: e, rules: [{if: '$CI_PIPELINE_TRIGGERED == \"true\" && $COLOUR == \"red\"'}]}";

async fn token(t: &TestServer, project: &TestProject) -> (i64, String) {
    let body = json!({"description": "deploys"});
    let made = t.admin().post(project.at("/triggers")).json(&body).await.is(201).json();
    let token = made["token"].as_str().unwrap().to_owned();
    (made["id"].as_i64().unwrap(), token)
}

#[testkit::story]
async fn triggers_are_for_maintainers(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let (dev, out) = (t.user("dev").await, t.user("out").await);
    project.add(&dev, 30).await;
    let all = project.at("/triggers");
    let body = json!({"description": "deploys"});
    dev.post(&all).json(&body).await.is(403);
    dev.get(&all).await.is(403);
    out.get(&all).await.is(404);
    t.anonymous().get(&all).await.is(401);
    let made = t.admin().post(&all).json(&body).await.is(201).json();
    let keys: Vec<&String> = made.as_object().unwrap().keys().collect();
    let order = [
        "id",
        "token",
        "description",
        "created_at",
        "updated_at",
        "last_used",
        "expires_at",
        "owner",
    ];
    assert_eq!(keys, order);
    let token = made["token"].as_str().unwrap();
    assert!(token.len() > 20, "{token}");
    let one = project.at(&format!("/triggers/{}", made["id"]));
    let shown = t.admin().get(&one).await.is(200).json();
    let short = shown["token"].as_str().unwrap();
    assert!(short.len() == 4 && token.contains(short), "{short} of {token}");
    assert_eq!(
        (&shown["owner"]["username"], &shown["last_used"]),
        (&json!("root"), &Value::Null)
    );
    let stored = t.app().read(|tx| {
        let all: Vec<(Vec<u8>, String)> =
            tx.all("select token_digest, short_token from ci_triggers", ())?;
        Ok(all)
    });
    let stored = stored.await.unwrap();
    assert!(stored[0].0 != token.as_bytes() && stored[0].1 == short);
    let changed = t.admin().put(&one).json(&json!({"description": "y"})).await.is(200).json();
    assert_eq!((&changed["description"], &changed["token"]), (&json!("y"), &json!(short)));
    assert_eq!(t.admin().get(&all).await.is(200).each("id"), [made["id"].clone()]);
    for wrong in [json!({}), json!({"description": " "}), json!({"description": "x".repeat(256)})] {
        t.admin().post(&all).json(&wrong).await.is(400);
    }
    let past = json!({"description": "x", "expires_at": "2001-01-01"});
    t.admin().post(&all).json(&past).await.is(400);
    let other = t.project("acme/bellows").await;
    t.admin().get(other.at(&format!("/triggers/{}", made["id"]))).await.is(404);
    let few = json!({"pipeline_triggers": 1});
    t.admin().put("/application/plan_limits").json(&few).await.is(200);
    let answer = t.admin().post(&all).json(&body).await.is(400).json();
    let text = "Maximum number of pipeline triggers (1) exceeded";
    assert_eq!(answer["message"]["base"], json!([text]));
    dev.delete(&one).await.is(403);
    t.admin().delete(&one).await.is(204);
    t.admin().get(&one).await.is(404);
}

#[testkit::story(noon)]
async fn a_token_begins_a_pipeline(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let (id, token) = token(&t, &project).await;
    let own = runner(&t, json!({})).await;
    take(&t, &own).await;
    let to = project.at("/trigger/pipeline");
    let body = json!({"token": token, "ref": "main", "variables": {"COLOUR": "red"}, "more": 1});
    let begun = t.anonymous().post(&to).json(&body).await.is(201).json();
    assert_eq!((&begun["source"], &begun["ref"]), (&json!("trigger"), &json!("main")));
    assert_eq!(begun["user"]["username"], "root");
    let pipeline = begun["id"].as_i64().unwrap();
    let jobs = t.admin().get(project.at(&format!("/pipelines/{pipeline}/jobs"))).await.is(200);
    assert_eq!(jobs.each("name").len(), 2, "rules see what it was given");
    let given = t.admin().get(project.at(&format!("/pipelines/{pipeline}/variables"))).await;
    let given = given.is(200).json();
    assert_eq!(given[0], json!({"key": "COLOUR", "value": "red", "variable_type": "env_var"}));
    assert_eq!(
        (&given[1]["key"], &given[1]["variable_type"]),
        (&json!("TRIGGER_PAYLOAD"), &json!("file"))
    );
    let payload = given[1]["value"].as_str().unwrap();
    assert!(payload.contains("\"more\":1") && !payload.contains(&token), "{payload}");
    // The runner is told, too.
    let (_, _, job) = take(&t, &own).await;
    let told: Vec<&Value> = job["variables"].as_array().unwrap().iter().collect();
    let value =
        |key: &str| told.iter().find(|one| one["key"] == key).map(|one| one["value"].clone());
    assert_eq!(value("CI_PIPELINE_TRIGGERED"), Some(json!("true")));
    assert!(
        value("CI_TRIGGER_SHORT_TOKEN")
            .is_some_and(|short| token.contains(short.as_str().unwrap()))
    );
    let shown = t.admin().get(project.at(&format!("/triggers/{id}"))).await.is(200).json();
    assert!(shown["last_used"].is_string(), "{shown}");

    // As forms send it, and with the branch in the path.
    let form = format!("token={token}&ref=main&variables[COLOUR]=blue");
    t.anonymous()
        .post(&to)
        .header("content-type", "application/x-www-form-urlencoded")
        .bytes(form)
        .await
        .is(201);
    let path = project.at(&format!("/ref/main/trigger/pipeline?token={token}"));
    t.anonymous().post(&path).await.is(201);
}

#[testkit::story]
async fn no_token_tells_anything(t: TestServer) {
    let (project, first) = begun(&t, "acme/anvil", FILE).await;
    let (other, _) = begun(&t, "acme/bellows", FILE).await;
    let (id, token) = token(&t, &project).await;
    let ask = async |path: String, token: &str, on_ref: &str| {
        let body = json!({"token": token, "ref": on_ref});
        t.anonymous().post(path).json(&body).await
    };
    let here = || project.at("/trigger/pipeline");
    let unknown = ask(here(), "svtt-wrong", "main").await.is(404).json();
    let elsewhere = ask(other.at("/trigger/pipeline"), &token, "main").await.is(404).json();
    let nowhere = ask("/projects/99999/trigger/pipeline".into(), &token, "main").await;
    assert_eq!(unknown, json!({"message": "404 Not found"}));
    assert_eq!((&elsewhere, &nowhere.is(404).json()), (&unknown, &unknown));
    ask(here(), "jbt-wrong", "main").await.is(404);
    t.anonymous().post(here()).json(&json!({"ref": "main"})).await.is(400);
    let wrong = json!({"token": token, "ref": "main", "variables": {"A": {"b": 1}}});
    let answer = t.anonymous().post(here()).json(&wrong).await.is(400).json();
    assert_eq!(answer, json!({"message": "variables needs to be a map of key-valued strings"}));
    let answer = ask(here(), &token, "none").await.is(400).json();
    assert_eq!(answer, json!({"message": {"base": ["Reference not found"]}}));

    // It has the rights that its owner has now.
    let mia = t.user("mia").await;
    project.add(&mia, 40).await;
    let body = json!({"description": "hers"});
    let hers = mia.post(project.at("/triggers")).json(&body).await.is(201).json();
    let hers = hers["token"].as_str().unwrap();
    ask(here(), hers, "main").await.is(201);
    let role = json!({"access_level": 30});
    let member = project.at(&format!("/members/{}", mia.id));
    t.admin().put(&member).json(&role).await.is(200);
    ask(here(), hers, "main").await.is(400);
    t.admin().delete(&member).await.is(204);
    ask(here(), hers, "main").await.is(400);
    t.admin().post(format!("/users/{}/block", mia.id)).await.is(201);
    ask(here(), hers, "main").await.is(404);
    t.admin().delete(project.at(&format!("/triggers/{id}"))).await.is(204);
    ask(here(), &token, "main").await.is(404);
    assert!(newest(&t, &project).await > first);
}

#[testkit::story(noon)]
async fn a_token_ends(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let end = t.app().now() + jiff::SignedDuration::from_hours(1);
    let body = json!({"description": "x", "expires_at": end.to_string()});
    let made = t.admin().post(project.at("/triggers")).json(&body).await.is(201).json();
    let ask = json!({"token": made["token"], "ref": "main"});
    t.anonymous().post(project.at("/trigger/pipeline")).json(&ask).await.is(201);
    t.advance(3601);
    t.anonymous().post(project.at("/trigger/pipeline")).json(&ask).await.is(404);
}

#[testkit::story]
async fn a_job_begins_a_pipeline_of_another_project(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    let (_, token, _) = take(&t, &own).await;
    let (other, _) = begun(&t, "acme/bellows", FILE).await;
    let to = other.at("/trigger/pipeline");
    let ask = json!({"token": token, "ref": "main"});
    t.anonymous().post(&to).json(&ask).await.is(404);
    let entry = json!({"target_project_id": project.id});
    t.admin()
        .post(other.at("/job_token_scope/allowlist"))
        .json(&entry)
        .await
        .is(201);
    let begun = t.anonymous().post(&to).json(&ask).await.is(201).json();
    assert_eq!(begun["source"], "pipeline");
}

#[testkit::story]
async fn inputs_are_given_to_the_file(t: TestServer) {
    let file = "spec: {inputs: {who: {options: [me, you]}, n: {type: number, default: 1}}}\n---\n\
                \"job-$[[ inputs.who ]]\": {script: e, parallel: \"$[[ inputs.n ]]\"}\n";
    let (project, _) = begun(&t, "acme/anvil", "a: {script: e}").await;
    super::running::commit(&t, &project, ".gitlab-ci.yml", file, "Inputs [skip ci]").await;
    let to = project.at("/pipeline");
    let body = json!({"ref": "main", "inputs": {"who": "you", "n": 2}});
    let made = t.admin().post(&to).json(&body).await.is(201).id();
    let jobs = t.admin().get(project.at(&format!("/pipelines/{made}/jobs?sort=asc"))).await;
    let mut names: Vec<String> = jobs
        .is(200)
        .each("name")
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["job-you 1/2", "job-you 2/2"]);
    let wrong = json!({"ref": "main", "inputs": {"who": "nobody"}});
    let answer = t.admin().post(&to).json(&wrong).await.is(400);
    assert!(answer.text().contains("not in the list of allowed options"), "{answer:?}");
    t.admin().post(&to).json(&json!({"ref": "main"})).await.is(400);
    let many: serde_json::Map<String, Value> =
        (0..21).map(|n| (format!("i{n}"), json!("x"))).collect();
    t.admin().post(&to).json(&json!({"ref": "main", "inputs": many})).await.is(400);
    let (_, token) = token(&t, &project).await;
    let ask = json!({"token": token, "ref": "main", "inputs": {"who": "me"}});
    t.anonymous().post(project.at("/trigger/pipeline")).json(&ask).await.is(201);
}
