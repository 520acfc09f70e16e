//! What jobs are given stays with them: secrets that cannot be mistaken for anything else,
//! looked for in all that the server logs, answers, notes and stores.

use super::stored::stored;
use serde_json::{Value, json};
use std::io::Write;
use testkit::{Client, Reply, TestProject, TestServer};

const FILE: &str = "
build:
  script: e
  artifacts: {reports: {dotenv: build.env}}
  id_tokens: {WHO: {aud: 'https://vault.example'}}
ship: {stage: deploy, script: e, environment: production}
ask: {stage: deploy, script: e, when: manual}
";

/// A text that stands nowhere unless somebody told it, of letters that may be masked.
fn secret(name: &str) -> String {
    format!("told-{name}-9f27c1ab")
}

/// What was told in secret, and what the server refused.
#[derive(Default)]
struct Told {
    secrets: Vec<String>,
    refusals: Vec<Reply>,
}

impl Told {
    fn secret(&mut self, name: &str) -> String {
        let made = secret(name);
        self.secrets.push(made.clone());
        made
    }

    /// A field of an answer that is told once.
    fn once(&mut self, reply: &Reply) -> String {
        let token = reply.json()["token"].as_str().unwrap().to_owned();
        self.secrets.push(token.clone());
        token
    }

    fn refused(&mut self, reply: Reply, status: u16) {
        self.refusals.push(reply.is(status));
    }

    #[track_caller]
    fn is_not_in(&self, text: &str, where_: &str) {
        for secret in &self.secrets {
            assert!(!text.contains(secret.as_str()), "{secret} is in {where_}");
        }
    }
}

async fn project(t: &TestServer, path: &str, file: &str) -> TestProject {
    let project = t.project(path).await;
    let action = json!({"action": "create", "file_path": ".gitlab-ci.yml", "content": file});
    let body = json!({"branch": "main", "commit_message": "x [skip ci]", "actions": [action]});
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    project
}

async fn stored_variables(t: &TestServer, project: &TestProject, told: &mut Told) {
    let group = t.group("acme").await;
    let of_group = group.at("/variables");
    let of_project = project.at("/variables");
    for (to, key, more) in [
        ("/admin/ci/variables", "INSTANCE", json!({})),
        (of_group.as_str(), "GROUP", json!({"variable_type": "file"})),
        (of_project.as_str(), "PLAIN", json!({"raw": true})),
        (of_project.as_str(), "MASKED", json!({"masked": true})),
        (of_project.as_str(), "HIDDEN", json!({"masked_and_hidden": true})),
        (of_project.as_str(), "PROTECTED", json!({"protected": true})),
        (of_project.as_str(), "LIVE", json!({"environment_scope": "production"})),
    ] {
        let mut body = json!({"key": key, "value": told.secret(key)});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        t.admin().post(to).json(&body).await.is(201);
        // Each is changed once: audited with what changed, and not with what it was.
        let after = json!({"value": told.secret(&format!("{key}-changed"))});
        t.admin().put(format!("{to}/{key}")).json(&after).await.is(200);
        let unfit = json!({"key": "UNFIT", "value": told.secret("un fit"), "masked": true});
        told.refused(t.admin().post(to).json(&unfit).await, 400);
        let wrong = json!({"key": "WR-ONG", "value": told.secret("wrong")});
        told.refused(t.admin().post(to).json(&wrong).await, 400);
        let again = json!({"key": key, "value": told.secret("again")});
        if more["environment_scope"].is_null() {
            told.refused(t.admin().post(to).json(&again).await, 400);
        }
        let odd = json!({"key": "ODD", "value": told.secret("odd"), "variable_type": "x"});
        told.refused(t.admin().post(to).json(&odd).await, 400);
    }
}

/// A pipeline of each way to begin one with variables of its own.
async fn pipelines(t: &TestServer, project: &TestProject, told: &mut Told) -> [(i64, String); 3] {
    let (admin, to) = (t.admin(), project.at("/pipeline"));
    let given = told.secret("pipeline");
    let one = json!({"key": "GIVEN", "value": given});
    let body = json!({"ref": "main", "variables": [one]});
    let by_api = admin.post(&to).json(&body).await.is(201).id();
    let twice = json!({"ref": "main", "variables": [one, one]});
    told.refused(admin.post(&to).json(&twice).await, 400);

    let planned = told.secret("schedule");
    let body = json!({"description": "Nightly", "ref": "main", "cron": "0 4 * * *"});
    let made = admin.post(project.at("/pipeline_schedules")).json(&body).await.is(201);
    let at = project.at(&format!("/pipeline_schedules/{}", made.id()));
    let body = json!({"key": "PLANNED", "value": planned});
    admin.post(format!("{at}/variables")).json(&body).await.is(201);
    let wrong = json!({"key": "P-", "value": told.secret("planned wrong")});
    told.refused(admin.post(format!("{at}/variables")).json(&wrong).await, 400);
    admin.post(format!("{at}/play")).await.is(201);
    t.settle().await;
    let by_schedule = admin.get(project.at("/pipelines?source=schedule")).await.is(200).json();

    let sent = told.secret("trigger");
    let body = json!({"description": "deploys"});
    let token = told.once(&admin.post(project.at("/triggers")).json(&body).await.is(201));
    let begin = project.at(&format!("/trigger/pipeline?token={token}"));
    let body = json!({"ref": "main", "variables": {"SENT": sent}});
    let by_trigger = t.anonymous().post(&begin).json(&body).await.is(201).id();
    let nowhere = json!({"ref": "none", "variables": {"SENT": sent}});
    told.refused(t.anonymous().post(&begin).json(&nowhere).await, 400);
    let guessed = project.at(&format!("/trigger/pipeline?token={}", told.secret("guess")));
    told.refused(t.anonymous().post(&guessed).json(&body).await, 404);
    [
        (by_api, given),
        (by_schedule[0]["id"].as_i64().unwrap(), planned),
        (by_trigger, sent),
    ]
}

fn gzipped(text: &str) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

async fn bring_dotenv(t: &TestServer, (id, token): (&Value, &str), text: &str) {
    let head = "--B\r\ncontent-disposition: form-data; name=\"file\"; filename=\".env\"\r\n\r\n";
    let body = [head.as_bytes(), gzipped(text).as_slice(), b"\r\n--B--\r\n"].concat();
    let query = format!("artifact_type=dotenv&artifact_format=gzip&token={token}");
    t.anonymous()
        .post(format!("/jobs/{id}/artifacts?{query}"))
        .header("content-type", "multipart/form-data; boundary=B")
        .bytes(body)
        .await
        .is(201);
}

fn value<'j>(job: &'j Value, key: &str) -> Option<&'j str> {
    let all = job["variables"].as_array().unwrap();
    all.iter().find(|one| one["key"] == key)?["value"].as_str()
}

/// Does a job whose log says all that must not be seen.
async fn does(t: &TestServer, job: &Value, told: &mut Told) {
    let (id, token) = (&job["id"], job["token"].as_str().unwrap());
    told.secrets.push(token.to_owned());
    told.secrets.extend(value(job, "WHO").map(str::to_owned));
    let masked = job["variables"].as_array().unwrap().iter();
    let masked = masked.filter(|one| one["masked"] == true);
    let text: String = masked.map(|one| format!("{}\n", one["value"].as_str().unwrap())).collect();
    assert!(text.contains(token), "{job}");
    // In pieces smaller than any of them.
    let mut sent = 0;
    for piece in text.as_bytes().chunks(20) {
        let range = format!("{sent}-{}", sent + piece.len() - 1);
        let append = t.anonymous().patch(format!("/jobs/{id}/trace?token={token}"));
        append.header("content-range", &range).bytes(piece.to_vec()).await.is(202);
        sent += piece.len();
    }
    if job["job_info"]["name"] == "build" {
        let handed = told.secret("dotenv");
        bring_dotenv(t, (id, token), &format!("HANDED={handed}")).await;
    }
    let guessed = json!({"token": told.secret("guess"), "state": "success"});
    told.refused(t.anonymous().put(format!("/jobs/{id}")).json(&guessed).await, 403);
    let done = json!({"state": "success"});
    let to = format!("/jobs/{id}?token={token}");
    t.anonymous().put(&to).json(&done).await.is(200);
    told.refused(t.anonymous().put(&to).json(&done).await, 403);
}

/// Does all jobs that wait for a runner; what it was given.
async fn work(t: &TestServer, runner: &str, told: &mut Told) -> Vec<Value> {
    let mut all = Vec::new();
    for _ in 0..40 {
        t.settle().await;
        let ask = json!({"token": runner, "system_id": "s_1"});
        let answer = t.anonymous().post("/jobs/request").json(&ask).await;
        if answer.status == 204 {
            return all;
        }
        let job = answer.is(201).json();
        does(t, &job, told).await;
        all.push(job);
    }
    panic!("there is no end to the jobs");
}

async fn runner(t: &TestServer, project: &TestProject, told: &mut Told) -> String {
    let body = json!({"runner_type": "project_type", "project_id": project.id});
    let made = t.admin().post("/user/runners").json(&body).await.is(201);
    let guessed = json!({"token": told.secret("glrt-guess"), "system_id": "s_1"});
    told.refused(t.anonymous().post("/runners/verify").json(&guessed).await, 403);
    told.refused(t.anonymous().post("/jobs/request").json(&guessed).await, 403);
    let old = project.at("/runners/reset_registration_token");
    told.once(&t.admin().post(old).await.is(201));
    told.once(&made)
}

/// The same jobs with values of their own for one that somebody starts.
async fn starts(t: &TestServer, project: &TestProject, pipeline: i64, told: &mut Told) {
    let jobs = t.admin().get(project.at(&format!("/pipelines/{pipeline}/jobs"))).await;
    let jobs = jobs.is(200).json();
    let asked = jobs.as_array().unwrap().iter().find(|job| job["name"] == "ask").unwrap();
    let one = json!({"key": "MANUAL", "value": told.secret("manual")});
    let body = json!({"job_variables_attributes": [one]});
    let play = project.at(&format!("/jobs/{}/play", asked["id"]));
    t.admin().post(play).json(&body).await.is(200);
}

/// What everybody below a Maintainer is answered.
async fn lesser_see_none(t: &TestServer, project: &TestProject, pipeline: i64, told: &Told) {
    let query = json!({"query": "{ciVariables{nodes{key value}}
        group(fullPath:\"acme\"){ciVariables{nodes{key value}}}
        project(fullPath:\"acme/anvil\"){id ciVariables{nodes{key value}}
            pipelines{nodes{id status}} jobs{nodes{id name}}}}"});
    let users = [("dev", 30), ("rita", 20)];
    let mut clients: Vec<Client> = vec![t.anonymous()];
    for (name, level) in users {
        let user = t.user(name).await;
        project.add(&user, level).await;
        clients.push(Client::clone(&user));
    }
    let jobs = t.admin().get(project.at("/jobs?per_page=100")).await.is(200).each("id");
    for client in &clients {
        let answer = client.request(http::Method::POST, "/api/graphql").json(&query).await;
        let answer = answer.is(200);
        assert!(answer.json()["data"].is_object(), "{answer:?}");
        told.is_not_in(&answer.text(), "GraphQL");
        let mut paths = vec![
            "/admin/ci/variables".to_owned(),
            "/groups/acme/variables".to_owned(),
            "/runners".to_owned(),
            project.at("/variables"),
            project.at("/variables/PLAIN"),
            project.at("/triggers"),
            project.at("/pipeline_schedules"),
            project.at("/runners"),
            project.at("/jobs"),
            project.at(&format!("/pipelines/{pipeline}")),
            project.at(&format!("/pipelines/{pipeline}/variables")),
            project.at("/ci/lint"),
        ];
        for id in &jobs {
            paths.push(project.at(&format!("/jobs/{id}")));
            paths.push(project.at(&format!("/jobs/{id}/trace")));
        }
        for path in paths {
            told.is_not_in(&client.get(&path).await.text(), &path);
        }
    }
}

/// What jobs of others are given: the value of the instance, and nothing else of these.
async fn others_are_given_none(t: &TestServer, project: &TestProject, told: &Told) {
    let other = self::project(t, "elsewhere/bellows", "one: {script: e}").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let fork = jane.post(project.at("/fork")).await.is(201).id();
    t.settle().await;
    let body = json!({"ref": "main"});
    jane.post(format!("/projects/{fork}/pipeline")).json(&body).await.is(201);
    t.admin().post(other.at("/pipeline")).json(&body).await.is(201);
    let shared = json!({"runner_type": "instance_type"});
    let shared = t.admin().post("/user/runners").json(&shared).await.is(201).json();
    let everywhere = secret("INSTANCE-changed");
    let mut seen = Vec::new();
    for _ in 0..2 {
        let ask = json!({"token": shared["token"], "system_id": "s_1"});
        let job = t.anonymous().post("/jobs/request").json(&ask).await.is(201);
        seen.push(job.json()["job_info"]["project_id"].as_i64().unwrap());
        assert_eq!(value(&job.json(), "INSTANCE"), Some(everywhere.as_str()));
        told.is_not_in(&job.text().replace(&everywhere, ""), "a job of another project");
    }
    seen.sort_unstable();
    let mut wanted = [other.id, fork];
    wanted.sort_unstable();
    assert_eq!(seen, wanted);
}

/// What is for protected refs is not given to others.
async fn work_branch(t: &TestServer, project: &TestProject, runner: &str, told: &mut Told) {
    let branch = json!({"branch": "work", "ref": "main"});
    t.admin().post(project.at("/repository/branches")).json(&branch).await.is(201);
    t.admin()
        .post(project.at("/pipeline"))
        .json(&json!({"ref": "work"}))
        .await
        .is(201);
    let jobs = work(t, runner, told).await;
    assert_eq!(jobs.len(), 2);
    for job in jobs {
        assert!(value(&job, "PLAIN").is_some());
        assert!(!job.to_string().contains(&secret("PROTECTED-changed")), "{job}");
        assert_eq!(value(&job, "GIVEN"), None);
    }
}

#[testkit::story]
async fn what_jobs_are_given_is_found_nowhere_else(t: TestServer) {
    let log = super::listen();
    let mut told = Told::default();
    let project = project(&t, "acme/anvil", FILE).await;
    stored_variables(&t, &project, &mut told).await;
    let runner = runner(&t, &project, &mut told).await;
    let begun = pipelines(&t, &project, &mut told).await;
    let mut jobs = work(&t, &runner, &mut told).await;
    starts(&t, &project, begun[0].0, &mut told).await;
    jobs.extend(work(&t, &runner, &mut told).await);
    assert_eq!(jobs.len(), 7);
    for job in &jobs {
        // Each has what it is for, and nothing of other pipelines.
        assert_eq!(value(job, "PROTECTED"), Some(secret("PROTECTED-changed").as_str()));
        assert_eq!(value(job, "LIVE").is_some(), job["job_info"]["name"] == "ship");
        assert_eq!(value(job, "MANUAL").is_some(), job["job_info"]["name"] == "ask");
        for (pipeline, given) in &begun {
            let own = job["job_info"]["pipeline_id"] == *pipeline;
            assert_eq!(job.to_string().contains(given), own, "{job}");
        }
    }
    work_branch(&t, &project, &runner, &mut told).await;

    others_are_given_none(&t, &project, &told).await;
    lesser_see_none(&t, &project, begun[0].0, &told).await;
    for refusal in &told.refusals {
        told.is_not_in(&refusal.text(), &refusal.asked);
    }
    for page in 1..=5 {
        let events = t.admin().get(format!("/audit_events?per_page=100&page={page}")).await;
        told.is_not_in(&events.is(200).text(), "the audit");
    }
    for (table, text) in stored(&t).await {
        told.is_not_in(&text, &table);
        for secret in &told.secrets {
            assert!(!text.contains(&hex::encode(secret)), "{secret} is in {table}");
        }
    }
    told.is_not_in(&log.text(), "the log");
}
