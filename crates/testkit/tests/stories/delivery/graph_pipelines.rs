//! Pipelines and jobs in GraphQL.

use super::running::{begun, commit, fails, job, jobs_of, passes, status, take};
use serde_json::{Value, json};
use testkit::{Client, TestServer};

async fn answer(client: &Client, query: &str) -> Value {
    let body = json!({"query": query});
    client
        .request(http::Method::POST, "/api/graphql")
        .json(&body)
        .await
        .is(200)
        .json()
}

async fn data(client: &Client, query: &str) -> Value {
    let answer = answer(client, query).await;
    assert_eq!(answer["errors"], json!(null), "{query}");
    answer["data"].clone()
}

const FILE: &str = "
stages: [build, deploy]
compile: {stage: build, script: make, tags: [linux]}
ship: {stage: deploy, script: make ship, when: manual, allow_failure: true}
";

#[testkit::story(noon)]
async fn pipelines_are_asked_for(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", FILE).await;
    let sha = t.admin().get(project.at(&format!("/pipelines/{id}"))).await.json();
    let sha = sha["sha"].as_str().unwrap_or_default().to_owned();
    let fields = "id iid status ref sha source active cancelable retryable complete createdAt \
        updatedAt startedAt finishedAt duration coverage path user{username} project{fullPath} \
        stages{nodes{name status detailedStatus{label} jobs{count nodes{name}}}} \
        jobs{count nodes{name status stage{name} tags allowFailure retryable playable duration \
            createdAt webPath pipeline{iid}}} \
        detailedStatus{text label group detailsPath} \
        userPermissions{updatePipeline destroyPipeline}";
    let query = format!(
        "{{project(fullPath:\"acme/anvil\"){{pipelines{{count nodes{{{fields}}}}} \
            pipeline(iid:\"1\"){{id}} newest:pipeline(sha:\"{sha}\"){{id}} \
            none:pipeline(iid:\"7\"){{id}} jobs(statuses:[PENDING]){{nodes{{name}}}}}}}}"
    );
    let found = data(&t.admin(), &query).await["project"].clone();
    assert_eq!(found["pipelines"]["count"], 1);
    let one = &found["pipelines"]["nodes"][0];
    let wanted = json!({"iid": "1", "status": "PENDING", "ref": "main", "source": "push",
        "active": true, "cancelable": true, "retryable": false, "complete": false,
        "startedAt": null, "duration": null, "coverage": null,
        "path": format!("/acme/anvil/-/pipelines/{id}"), "user": {"username": "root"},
        "project": {"fullPath": "acme/anvil"},
        "userPermissions": {"updatePipeline": true, "destroyPipeline": true}});
    for (key, value) in wanted.as_object().unwrap() {
        assert_eq!(&one[key], value, "{key}");
    }
    assert_eq!(one["id"], format!("gid://service/Ci::Pipeline/{id}"));
    assert_eq!(one["detailedStatus"]["label"], "pending");
    assert_eq!(one["stages"]["nodes"][0]["name"], "build");
    assert_eq!(one["stages"]["nodes"][0]["status"], "pending");
    for (at, name) in [(0, "compile"), (1, "ship")] {
        let wanted = json!({"count": 1, "nodes": [{"name": name}]});
        assert_eq!(one["stages"]["nodes"][at]["jobs"], wanted);
    }
    let jobs = &one["jobs"];
    assert_eq!(jobs["count"], 2);
    assert_eq!(jobs["nodes"][0]["name"], "ship");
    assert_eq!(jobs["nodes"][1]["tags"], json!(["linux"]));
    assert_eq!(jobs["nodes"][1]["stage"]["name"], "build");
    assert_eq!(jobs["nodes"][1]["pipeline"]["iid"], "1");
    assert_eq!((&found["pipeline"]["id"], &found["newest"]["id"]), (&one["id"], &one["id"]));
    assert_eq!(found["none"], Value::Null);
    assert_eq!(found["jobs"]["nodes"], json!([{"name": "compile"}]));

    passes(&t, id, "compile").await;
    commit(&t, &project, "a", "b", "Again").await;
    let narrowed = |args: &str| {
        format!(
            "{{project(fullPath:\"acme/anvil\"){{pipelines({args}){{count(limit:1) nodes{{iid}}}}}}}}"
        )
    };
    for (args, iids) in [
        ("first:1", json!([{"iid": "2"}])),
        ("last:1", json!([{"iid": "1"}])),
        ("status:PENDING", json!([{"iid": "2"}])),
        ("ref:\"gone\"", json!([])),
        ("scope:TAGS", json!([])),
        ("source:\"push\",username:\"root\",first:1", json!([{"iid": "2"}])),
        ("updatedBefore:\"2001-01-01T00:00:00Z\"", json!([])),
    ] {
        let found = data(&t.admin(), &narrowed(args)).await;
        assert_eq!(found["project"]["pipelines"]["nodes"], iids, "{args}");
    }
    let wrong = answer(&t.admin(), &narrowed("source:\"nothing\"")).await;
    assert!(wrong["errors"][0]["message"].as_str().unwrap_or_default().contains("source"));
    let both = "{project(fullPath:\"acme/anvil\"){pipeline(iid:\"1\",sha:\"a\"){id}}}";
    assert!(!answer(&t.admin(), both).await["errors"].is_null());
}

#[testkit::story]
async fn what_is_hidden_is_null(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", FILE).await;
    let compile = job(&t, id, "compile").await.id;
    let (guest, stranger) = (t.user("gus").await, t.user("stranger").await);
    project.add(&guest, 10).await;
    let query = "{project(fullPath:\"acme/anvil\"){pipelines{count nodes{id}} jobs{nodes{id}} \
        pipeline(iid:\"1\"){id}}}";
    let seen = data(&guest, query).await;
    for key in ["pipelines", "jobs", "pipeline"] {
        assert_eq!(seen["project"][key], Value::Null, "{key}");
    }
    let node = format!(
        "{{pipeline:node(id:\"gid://service/Ci::Pipeline/{id}\"){{id}} \
          job:node(id:\"gid://service/Ci::Build/{compile}\"){{id}} jobs{{count nodes{{id}}}}}}"
    );
    for client in [&*guest, &*stranger, &t.anonymous()] {
        let seen = data(client, &node).await;
        assert_eq!((&seen["pipeline"], &seen["job"]), (&Value::Null, &Value::Null));
        assert_eq!(seen["jobs"], json!({"count": 0, "nodes": []}));
    }
    let seen = data(&t.admin(), &node).await;
    assert!(seen["pipeline"]["id"].is_string() && seen["job"]["id"].is_string(), "{seen}");
    assert_eq!(seen["jobs"]["count"], 2);
    let cancel = format!(
        "mutation{{pipelineCancel(input:{{id:\"gid://service/Ci::Pipeline/{id}\"}}){{errors}}}}"
    );
    for client in [&*guest, &*stranger] {
        let refused = answer(client, &cancel).await;
        let text = refused["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(text.contains("does not exist or you don't have permission"), "{refused}");
    }
    assert_eq!(status(&t, &project, id).await, "pending");
}

#[testkit::story]
async fn jobs_that_are_not_public_are_for_reporters(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", FILE).await;
    let compile = job(&t, id, "compile").await.id;
    let open = json!({"visibility": "public"});
    t.admin().put("/groups/acme").json(&open).await.is(200);
    let open = json!({"visibility": "public", "public_jobs": false});
    t.admin().put(project.at("")).json(&open).await.is(200);
    let (guest, reporter) = (t.user("gus").await, t.user("rita").await);
    project.add(&guest, 10).await;
    project.add(&reporter, 20).await;
    let query = format!(
        "{{project(fullPath:\"acme/anvil\"){{jobs{{count}} pipelines{{nodes{{status \
            stages{{nodes{{name}}}} jobs{{count nodes{{name}}}}}}}}}} \
          job:node(id:\"gid://service/Ci::Build/{compile}\"){{id}}}}"
    );

    for client in [&*guest, &t.anonymous()] {
        let seen = data(client, &query).await;
        let pipeline = json!({"status": "PENDING", "stages": null, "jobs": null});
        assert_eq!(seen["project"]["pipelines"]["nodes"], json!([pipeline]));
        assert_eq!((&seen["project"]["jobs"], &seen["job"]), (&Value::Null, &Value::Null));
    }

    let seen = data(&reporter, &query).await;
    let pipeline = &seen["project"]["pipelines"]["nodes"][0];
    assert_eq!(
        (&pipeline["jobs"]["count"], &seen["project"]["jobs"]["count"]),
        (&json!(2), &json!(2))
    );
    assert!(pipeline["stages"].is_object() && seen["job"]["id"].is_string(), "{seen}");
}

#[testkit::story]
async fn pipelines_and_jobs_are_moved(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", FILE).await;
    let dev = t.user("dev").await;
    project.add(&dev, 40).await;
    let mutate = async |name: &str, model: &str, id: i64, shown: &str| {
        let input = format!("{{id:\"gid://service/{model}/{id}\"}}");
        let query = format!("mutation{{{name}(input:{input}){{errors {shown}}}}}");
        data(&dev, &query).await[name].clone()
    };
    let of = |model| match model {
        "Ci::Pipeline" => "pipeline{status}",
        _ => "job{name status}",
    };
    let compile = take(&t, id, "compile").await.id;
    let ended = mutate("jobCancel", "Ci::Build", compile, of("Ci::Build")).await;
    assert_eq!(ended, json!({"errors": [], "job": {"name": "compile", "status": "CANCELED"}}));
    let again = mutate("jobRetry", "Ci::Build", compile, of("Ci::Build")).await;
    assert_eq!(again["job"]["status"], "PENDING");
    let twice = mutate("jobRetry", "Ci::Build", compile, of("Ci::Build")).await;
    assert_eq!(twice, json!({"errors": ["Job is not retryable"], "job": null}));
    let ship = job(&t, id, "ship").await.id;
    let early = mutate("jobPlay", "Ci::Build", ship, of("Ci::Build")).await;
    assert_eq!(early["errors"], json!(["Unplayable Job"]));
    passes(&t, id, "compile").await;
    let played = mutate("jobPlay", "Ci::Build", ship, of("Ci::Build")).await;
    assert_eq!(played["job"]["status"], "PENDING");
    fails(&t, id, "ship", 1).await;
    let retried = mutate("pipelineRetry", "Ci::Pipeline", id, of("Ci::Pipeline")).await;
    assert_eq!(retried["errors"], json!([]));
    let canceled = mutate("pipelineCancel", "Ci::Pipeline", id, of("Ci::Pipeline")).await;
    assert_eq!(canceled["errors"], json!([]));
    assert!(jobs_of(&t, &project, id).await.contains(&"compile success".to_owned()));
    let destroy = format!(
        "mutation{{pipelineDestroy(input:{{id:\"gid://service/Ci::Pipeline/{id}\"}}){{errors}}}}"
    );
    assert!(!answer(&dev, &destroy).await["errors"].is_null());
    let gone = data(&t.admin(), &destroy).await;
    assert_eq!(gone["pipelineDestroy"]["errors"], json!([]));
    t.admin().get(project.at(&format!("/pipelines/{id}"))).await.is(404);
}

#[testkit::story]
async fn stages_have_their_jobs(t: TestServer) {
    let file = "
stages: [build, deploy]
a: {stage: build, script: e}
b: {stage: build, script: e}
c: {stage: deploy, script: e}
";
    let (project, first) = begun(&t, "acme/anvil", file).await;
    fails(&t, first, "a", 1).await;
    t.admin().post(project.at(&format!("/pipelines/{first}/retry"))).await.is(201);
    commit(&t, &project, "a", "b", "Again").await;
    let jobs = "jobs(statuses:[PENDING,FAILED,CREATED,CANCELED],retried:RETRIED){count nodes{name status}}";
    let query = |retried: &str| {
        let jobs = jobs.replace("RETRIED", retried);
        format!(
            "{{project(fullPath:\"acme/anvil\"){{pipelines{{nodes{{iid stages{{nodes{{name {jobs}}}}}}}}}}}}}"
        )
    };
    let found = data(&t.admin(), &query("false")).await;
    let of = |found: &Value, pipeline: usize, stage: usize| {
        let stages = &found["project"]["pipelines"]["nodes"][pipeline]["stages"]["nodes"];
        stages[stage]["jobs"].clone()
    };
    let waits = json!([{"name": "b", "status": "PENDING"}, {"name": "a", "status": "PENDING"}]);
    assert_eq!(of(&found, 0, 0), json!({"count": 2, "nodes": waits}));
    let last = json!([{"name": "c", "status": "CREATED"}]);
    assert_eq!(of(&found, 0, 1), json!({"count": 1, "nodes": last}));
    assert_eq!(of(&found, 1, 0)["count"], 2);
    let found = data(&t.admin(), &query("true")).await;
    assert_eq!(of(&found, 1, 0)["count"], 3, "with the one that was run again");
}

#[testkit::story]
async fn a_job_is_started_with_variables(t: TestServer) {
    let file = "a: {script: e, when: manual}";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    let one = job(&t, id, "a").await.id;
    let play = |variables: &str| {
        format!(
            "mutation{{jobPlay(input:{{id:\"gid://service/Ci::Build/{one}\" \
                variables:[{variables}]}}){{errors job{{status}}}}}}"
        )
    };
    let twice = "{key:\"COLOUR\",value:\"red\"},{key:\"COLOUR\",value:\"blue\"}";
    let refused = data(&t.admin(), &play(twice)).await["jobPlay"].clone();
    let text = refused["errors"][0].as_str().unwrap_or_default();
    assert!(text.contains("Duplicate variable name: COLOUR"), "{refused}");
    let dev = t.user("dev").await;
    project.add(&dev, 40).await;
    let only = json!({"ci_pipeline_variables_minimum_override_role": "owner"});
    t.admin().put(project.at("")).json(&only).await.is(200);
    let given = play("{key:\"COLOUR\",value:\"red\"}");
    assert!(!answer(&dev, &given).await["errors"].is_null());
    let played = data(&t.admin(), &given).await["jobPlay"].clone();
    assert_eq!(played, json!({"errors": [], "job": {"status": "PENDING"}}));
    let token = super::runner_jobs::runner(&t, json!({})).await;
    let (_, _, taken) = super::runner_jobs::take(&t, &token).await;
    let all = taken["variables"].as_array().cloned().unwrap_or_default();
    let colour = all.iter().find(|one| one["key"] == "COLOUR");
    assert_eq!(colour.map(|one| &one["value"]), Some(&json!("red")), "{taken}");
}
