//! What runners do with jobs: they take them, write their logs, bring files, end them.

use super::running::{begun, jobs_of, status};
use crate::spaces::run_job;
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use testkit::{Client, Git, TestProject, TestServer};

const TWO: &str = "
stages: [build, test]
variables: {COLOUR: blue}
compile:
  stage: build
  before_script: [prepare]
  script: [make, make install]
  after_script: [tidy]
  image: {name: 'rust:1', entrypoint: ['']}
  services: [{name: 'postgres:16', alias: db}]
  artifacts: {paths: [out/], expire_in: 1 day, reports: {dotenv: build.env}}
  cache: {key: deps, paths: [target/]}
unit: {stage: test, script: make test}
";

pub async fn runner(t: &TestServer, more: Value) -> String {
    let mut body = json!({"runner_type": "instance_type"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let made = t.admin().post("/user/runners").json(&body).await.is(201).json();
    made["token"].as_str().unwrap_or_default().to_owned()
}

async fn ask(t: &TestServer, token: &str) -> testkit::Reply {
    let body = json!({"token": token, "system_id": "s_1", "info": {"name": "gitlab-runner",
        "version": "17.5.0", "features": {"cancel_gracefully": false, "refspecs": true}}});
    t.anonymous().post("/jobs/request").json(&body).await
}

/// The next job, and the token it comes with.
pub async fn take(t: &TestServer, token: &str) -> (i64, String, Value) {
    let job = ask(t, token).await.is(201).json();
    let token = job["token"].as_str().unwrap_or_default().to_owned();
    (job["id"].as_i64().unwrap_or_default(), token, job)
}

pub async fn end(t: &TestServer, (id, token): (i64, &str), state: &str) -> testkit::Reply {
    let body = json!({"token": token, "state": state});
    let told = t.anonymous().put(format!("/jobs/{id}")).json(&body).await;
    t.settle().await;
    told
}

pub async fn log(
    t: &TestServer, (id, token): (i64, &str), start: usize, text: &str,
) -> testkit::Reply {
    let end = (start + text.len()) as i64 - 1;
    t.anonymous()
        .patch(format!("/jobs/{id}/trace"))
        .header("job-token", token)
        .header("content-range", &format!("{start}-{end}"))
        .header("content-type", "text/plain")
        .bytes(text.to_owned())
        .await
}

pub fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub fn gzipped(text: &str) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

pub async fn bring(
    t: &TestServer, (id, token): (i64, &str), query: &str, name: &str, bytes: Vec<u8>,
) -> testkit::Reply {
    let mut body = format!(
        "--B\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
    )
    .into_bytes();
    body.extend(bytes);
    body.extend(b"\r\n--B--\r\n");
    t.anonymous()
        .post(format!("/jobs/{id}/artifacts?{query}"))
        .header("job-token", token)
        .header("content-type", "multipart/form-data; boundary=B")
        .bytes(body)
        .await
}

fn variable<'j>(job: &'j Value, key: &str) -> &'j Value {
    let all = job["variables"].as_array().expect("variables");
    let found = all.iter().find(|one| one["key"] == key);
    found.unwrap_or_else(|| panic!("no {key} in {all:?}"))
}

#[testkit::story(noon)]
async fn a_runner_is_given_all_of_a_job(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", TWO).await;
    let secret = json!({"key": "SECRET", "value": "supersecret", "masked": true});
    t.admin().post(project.at("/variables")).json(&secret).await.is(201);
    let fixed = json!({"key": "CI_JOB_TOKEN", "value": "mine"});
    t.admin().post(project.at("/variables")).json(&fixed).await.is(201);
    let own = runner(&t, json!({"description": "forge", "maximum_timeout": 900})).await;
    let (id, token, job) = take(&t, &own).await;
    let keys: Vec<&str> = job.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "id",
            "token",
            "allow_git_fetch",
            "job_info",
            "git_info",
            "runner_info",
            "variables",
            "steps",
            "image",
            "services",
            "artifacts",
            "cache",
            "credentials",
            "dependencies",
            "features",
            "hooks",
            "secrets",
            "policy_options",
        ]
    );
    let info = &job["job_info"];
    assert_eq!(
        (&info["name"], &info["stage"], &info["pipeline_id"], &info["project_full_path"]),
        (&json!("compile"), &json!("build"), &json!(pipeline), &json!("acme/anvil"))
    );
    let git = &job["git_info"];
    let url = git["repo_url"].as_str().unwrap();
    assert!(url.contains(&format!("//gitlab-ci-token:{token}@")), "{url}");
    assert_eq!((&git["ref"], &git["ref_type"]), (&json!("main"), &json!("branch")));
    assert_eq!(
        git["refspecs"],
        json!([
            format!("+{}:refs/pipelines/{pipeline}", git["sha"].as_str().unwrap()),
            "+refs/heads/main:refs/remotes/origin/main"
        ])
    );
    assert_eq!(job["runner_info"]["timeout"], 900);
    assert_eq!(
        job["steps"],
        json!([
            {"name": "script", "script": ["prepare", "make", "make install"], "timeout": 900,
                "when": "on_success", "allow_failure": false},
            {"name": "after_script", "script": ["tidy"], "timeout": 900, "when": "always",
                "allow_failure": true}
        ])
    );
    assert_eq!(
        (&job["image"]["name"], &job["image"]["entrypoint"]),
        (&json!("rust:1"), &json!([""]))
    );
    assert_eq!(job["services"][0]["alias"], "db");
    let types: Vec<&Value> = job["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["artifact_type"])
        .collect();
    assert_eq!(types, ["archive", "dotenv"]);
    assert_eq!(job["cache"][0]["key"], "deps-protected");
    assert_eq!(variable(&job, "COLOUR")["value"], "blue");
    assert_eq!(variable(&job, "SECRET")["masked"], true);
    assert_eq!(variable(&job, "SECRET")["public"], false);
    assert_eq!(variable(&job, "CI_JOB_TOKEN")["value"], token);
    assert_eq!(variable(&job, "CI_JOB_NAME")["value"], "compile");
    assert_eq!(variable(&job, "CI_RUNNER_DESCRIPTION")["value"], "forge");
    assert_eq!(variable(&job, "GITLAB_USER_LOGIN")["value"], "root");
    assert_eq!(variable(&job, "CI_PIPELINE_ID")["value"], pipeline.to_string());

    // It is nobody else's, and what comes after it waits for it.
    let nothing = ask(&t, &own).await.is(204);
    assert_eq!(nothing.header("x-gitlab-last-update"), nothing.header("x-service-last-update"));
    let running = end(&t, (id, &token), "running").await.is(200);
    assert_eq!(running.header("job-status"), "running");
    end(&t, (id, &token), "asleep").await.is(400);
    end(&t, (id, "jbt-other"), "success").await.is(403);
    assert_eq!(end(&t, (id, &token), "success").await.is(200).header("job-status"), "success");
    let over = end(&t, (id, &token), "success").await.is(403);
    assert_eq!(over.json(), json!({"message": "403 Forbidden - Job is not running"}));
    assert_eq!(over.header("job-status"), "success");
    let (id, token, job) = take(&t, &own).await;
    assert_eq!(job["job_info"]["name"], "unit");
    let body = json!({"token": token, "state": "failed", "failure_reason": "bad_luck",
        "exit_code": 3});
    t.anonymous().put(format!("/jobs/{id}")).json(&body).await.is(200);
    t.settle().await;
    let shown = t.admin().get(project.at(&format!("/jobs/{id}"))).await.is(200).json();
    assert_eq!(shown["failure_reason"], "unknown_failure");
    assert_eq!(status(&t, &project, pipeline).await, "failed");
}

#[testkit::story]
async fn a_job_goes_to_who_may_run_it(t: TestServer) {
    let file = "
tagged: {script: a, tags: [linux, rust]}
plain: {script: b}
";
    let (project, pipeline) = begun(&t, "acme/anvil", file).await;
    let other = t.project("other/bellows").await;
    let of = |project: &TestProject| {
        json!({"runner_type": "project_type",
        "project_id": project.id})
    };
    let group = t.group("other").await;
    for more in [
        json!({"paused": true}),
        json!({"tag_list": ["linux"], "run_untagged": false}),
        of(&other),
        json!({"runner_type": "group_type", "group_id": group.id}),
    ] {
        let token = runner(&t, more.clone()).await;
        let answer = ask(&t, &token).await;
        assert_eq!(answer.status, 204, "{more}");
    }
    ask(&t, "glrt-nothing").await.is(403);
    let body = json!({"runner_type": "project_type", "project_id": project.id,
        "tag_list": ["rust", "linux", "x64"], "run_untagged": false});
    let tagged = runner(&t, body).await;
    assert_eq!(take(&t, &tagged).await.2["job_info"]["name"], "tagged");
    ask(&t, &tagged).await.is(204);
    let acme = t.group("acme").await;
    let grouped = runner(&t, json!({"runner_type": "group_type", "group_id": acme.id})).await;
    assert_eq!(take(&t, &grouped).await.2["job_info"]["name"], "plain");
    assert_eq!(jobs_of(&t, &project, pipeline).await, ["plain running", "tagged running"]);
    let gone = t.anonymous().delete("/runners").json(&json!({"token": grouped}));
    gone.await.is(204);
    begun(&t, "acme/chisel", "one: {script: a}").await;
    assert_ne!(ask(&t, &grouped).await.status, 201, "a runner that is gone gets nothing");
}

#[testkit::story]
async fn who_waits_is_told_at_once(t: TestServer) {
    let token = runner(&t, json!({})).await;
    let state = ask(&t, &token).await.is(204).header("x-gitlab-last-update").to_owned();
    let body = json!({"token": token, "system_id": "s_1", "last_update": state});
    let waiting = tokio::spawn(t.anonymous().post("/jobs/request").json(&body).begin());
    let (_, pipeline) = begun(&t, "acme/anvil", "one: {script: a}").await;
    let answer = waiting.await.unwrap();
    assert_eq!(answer.status().as_u16(), 201);
    let job: Value = answer.json().await.unwrap();
    assert_eq!(job["job_info"]["pipeline_id"], pipeline);
}

#[testkit::story(noon)]
async fn a_job_that_its_runner_never_heard_of_is_given_to_another(t: TestServer) {
    let file = "lost: {script: a}\nheard: {script: a}";
    let (project, pipeline) = begun(&t, "acme/anvil", file).await;
    let own = runner(&t, json!({})).await;
    let (lost, old, _) = take(&t, &own).await;
    let (heard, token, _) = take(&t, &own).await;
    t.advance(1);
    log(&t, (heard, &token), 0, "x").await.is(202);
    for (seconds, wanted) in [(110, "lost running"), (20, "lost pending")] {
        t.advance(seconds);
        run_job(&t, "delivery.give_up_stuck").await;
        assert_eq!(jobs_of(&t, &project, pipeline).await, ["heard running", wanted]);
    }
    log(&t, (lost, &old), 0, "x").await.is(403);
    let (again, new, _) = take(&t, &own).await;
    assert_eq!(again, lost);
    log(&t, (lost, &old), 0, "x").await.is(403);
    log(&t, (lost, &new), 0, "x").await.is(202);
    end(&t, (lost, &new), "success").await.is(200);
}

#[testkit::story]
async fn a_log_grows_at_its_end_and_hides_secrets(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", "one: {script: a}").await;
    let secret = json!({"key": "SECRET", "value": "supersecret", "masked": true});
    t.admin().post(project.at("/variables")).json(&secret).await.is(201);
    let own = runner(&t, json!({})).await;
    let (id, token, _) = take(&t, &own).await;
    let held = (id, token.as_str());
    let first = log(&t, held, 0, "hello supersecret and super").await.is(202);
    assert_eq!((first.header("range"), first.header("job-status")), ("0-27", "running"));
    assert_eq!(first.header("x-gitlab-trace-update-interval"), "3");
    log(&t, held, 27, "secret, \x1b[31mred\x1b[0m").await.is(202);
    for start in [0, 20, 1000] {
        let gap = log(&t, held, start, "x").await.is(416);
        assert_eq!(gap.header("range"), "0-47", "{start}");
    }
    let bare = t.anonymous().patch(format!("/jobs/{id}/trace")).header("job-token", &token);
    let bare = bare.bytes("x").await.is(400).json();
    assert_eq!(bare, json!({"message": "400 Missing header Content-Range"}));
    log(&t, (id, "jbt-wrong"), 47, "x").await.is(403);
    let at = project.at(&format!("/jobs/{id}/trace"));
    let shown = t.admin().get(&at).await.is(200);
    let wanted = "hello [MASKED]*** and [MASKED]***, \x1b[31mred\x1b[0m";
    assert_eq!(shown.text(), wanted);
    assert!(shown.header("content-type").starts_with("text/plain"));
    let part = t.admin().get(&at).header("range", "bytes=6-9").await.is(206);
    assert_eq!((part.text().as_str(), part.header("content-range")), ("[MAS", "bytes 6-9/47"));
    t.admin().get(&at).header("range", "bytes=900-").await.is(416);
    t.user("out").await.get(&at).await.is(404);
    t.anonymous().get(&at).await.is(404);

    // A cancel is heard where the log is sent.
    t.admin().post(project.at(&format!("/jobs/{id}/cancel"))).await.is(201);
    let canceled = log(&t, held, 47, "more").await.is(403);
    assert_eq!(canceled.header("job-status"), "canceled");
}

#[testkit::story]
async fn of_pieces_that_begin_at_one_place_one_is_stored(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", "one: {script: a}").await;
    let own = runner(&t, json!({})).await;
    let (id, token, _) = take(&t, &own).await;
    for round in 0..5 {
        let texts: Vec<String> = (0..8).map(|one| format!("{round}{one}\n")).collect();
        let sent = texts.iter().map(|text| log(&t, (id, &token), 3 * round, text));
        let answers = futures_util::future::join_all(sent).await;
        let codes: Vec<u16> = answers.iter().map(|it| it.status).collect();
        assert_eq!(codes.iter().filter(|code| **code == 202).count(), 1, "{codes:?}");
        assert_eq!(codes.iter().filter(|code| **code == 416).count(), 7, "{codes:?}");
    }
    let shown = t.admin().get(project.at(&format!("/jobs/{id}/trace"))).await.is(200).text();
    let rounds: Vec<&str> = shown.lines().map(|line| &line[..1]).collect();
    assert_eq!(rounds, ["0", "1", "2", "3", "4"]);
}

#[testkit::story]
async fn a_long_piece_is_masked_as_a_short_one_is(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", "one: {script: a}").await;
    let secret = json!({"key": "SECRET", "value": "supersecret", "masked": true});
    t.admin().post(project.at("/variables")).json(&secret).await.is(201);
    let own = runner(&t, json!({})).await;
    let (id, token, _) = take(&t, &own).await;
    let text = "a supersecret line\n".repeat(10_000);
    log(&t, (id, &token), 0, &text).await.is(202);
    let shown = t.admin().get(project.at(&format!("/jobs/{id}/trace"))).await.is(200).text();
    assert_eq!(shown, text.replace("supersecret", "[MASKED]***"));
}

#[testkit::story]
async fn a_value_is_hidden_in_however_many_pieces_it_comes(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", "one: {script: a}").await;
    let secret = json!({"key": "SECRET", "value": "supersecret", "masked": true});
    t.admin().post(project.at("/variables")).json(&secret).await.is(201);
    let own = runner(&t, json!({})).await;
    let (id, token, _) = take(&t, &own).await;
    let text = "a supersecret, supersecret";
    for (at, letter) in text.chars().enumerate() {
        log(&t, (id, &token), at, &letter.to_string()).await.is(202);
    }
    let shown = t.admin().get(project.at(&format!("/jobs/{id}/trace"))).await.is(200);
    assert_eq!(shown.text(), "a [MASKED]***, [MASKED]***");
}

#[testkit::story]
async fn a_log_that_is_too_long_fails_its_job(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", "one: {script: a}").await;
    let own = runner(&t, json!({})).await;
    let (id, token, _) = take(&t, &own).await;
    let most: i64 = 100 * 1024 * 1024;
    let longer = t.app().write(move |tx| {
        let piece = "insert into ci_trace_pieces (job_id, begins, size, lines, is_packed, bytes)
            values ($1, $2, 1, 0, false, $3)";
        Ok(tx.execute(piece, (id, most - 3, b"x".to_vec()))?)
    });
    longer.await.unwrap();
    let at = usize::try_from(most).unwrap() - 2;
    log(&t, (id, &token), at, "ab").await.is(202);
    let over = log(&t, (id, &token), at + 2, "c").await.is(403);
    assert_eq!(over.header("job-status"), "failed");
    let shown = t.admin().get(project.at(&format!("/jobs/{id}"))).await.is(200).json();
    assert_eq!(shown["status"], "failed");
}

#[testkit::story]
async fn files_go_from_job_to_job(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", TWO).await;
    let own = runner(&t, json!({})).await;
    let (id, token, _) = take(&t, &own).await;
    let held = (id, token.as_str());
    let archive = zipped(&[("out/a.txt", "iron"), ("../evil", "x"), ("b", "y")]);
    let query = "artifact_type=archive&artifact_format=zip&expire_in=1+day";
    bring(&t, held, query, "artifacts.zip", archive.clone()).await.is(201);
    bring(&t, held, query, "artifacts.zip", archive.clone()).await.is(201);
    let again = bring(&t, held, query, "artifacts.zip", zipped(&[])).await.is(400).json();
    let text = "another artifact of the same type already exists";
    assert_eq!(again, json!({"message": text}));
    let wrong = bring(&t, held, "artifact_type=junit&artifact_format=zip", "j", Vec::new());
    let text = "Invalid file format with specified file type";
    assert_eq!(wrong.await.is(400).json(), json!({"message": text}));
    bring(&t, held, "artifact_type=gold", "g", Vec::new()).await.is(400);
    let dotenv = "artifact_type=dotenv&artifact_format=gzip";
    bring(&t, held, dotenv, ".env", gzipped("no pair")).await.is(400);
    bring(&t, held, dotenv, ".env", gzipped("VERSION=1.2\nCOLOUR=red"))
        .await
        .is(201);
    bring(&t, (id, "jbt-wrong"), query, "a.zip", archive.clone()).await.is(403);
    end(&t, held, "success").await.is(200);

    // The next job is given them, and fetches them by its own token.
    let (next, later, job) = take(&t, &own).await;
    let dependency = &job["dependencies"][0];
    assert_eq!((&dependency["id"], &dependency["name"]), (&json!(id), &json!("compile")));
    assert_eq!(dependency["artifacts_file"]["size"], archive.len());
    assert_eq!(variable(&job, "VERSION")["value"], "1.2");
    assert_eq!(variable(&job, "COLOUR")["value"], "red");
    let at = format!("/jobs/{id}/artifacts");
    let fetch = |token: &str| t.anonymous().get(&at).header("job-token", token);
    assert_eq!(fetch(&later).await.is(200).header("content-type"), "application/zip");
    fetch("jbt-wrong").await.is(403);
    fetch(&token).await.is(403);
    t.anonymous().get(&at).await.is(401);
    end(&t, (next, &later), "success").await.is(200);
    fetch(&later).await.is(403);

    // People have the archive, and one file of it at a time.
    let here = project.at(&format!("/jobs/{id}/artifacts"));
    let reader = t.user("may").await;
    reader.get(&here).await.is(404);
    project.add(&reader, 20).await;
    reader.get(&here).await.is(200);
    assert_eq!(reader.get(format!("{here}/out/a.txt")).await.is(200).text(), "iron");
    for path in ["out", "nothing", "..%2Fevil", "/b"] {
        let status = reader.get(format!("{here}/{path}")).await.status;
        assert!([400, 404].contains(&status), "{path} {status}");
    }
    let latest = project.at("/jobs/artifacts/main/download?job=compile");
    reader.get(&latest).await.is(200);
    let raw = project.at("/jobs/artifacts/main/raw/out/a.txt?job=compile");
    assert_eq!(reader.get(&raw).await.is(200).text(), "iron");
    reader.get(project.at("/jobs/artifacts/main/download?job=none")).await.is(404);
    reader.post(format!("{here}/keep")).await.is(403);
    reader.delete(&here).await.is(403);
    t.admin().post(format!("{here}/keep")).await.is(200);
    t.admin().delete(&here).await.is(204);
    t.admin().get(&here).await.is(404);
}

#[testkit::story(noon)]
async fn files_go_when_their_time_is_over(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", TWO).await;
    let own = runner(&t, json!({})).await;
    let (id, token, _) = take(&t, &own).await;
    let held = (id, token.as_str());
    bring(&t, held, "expire_in=1+hour", "a.zip", zipped(&[("a", "b")]))
        .await
        .is(201);
    let here = project.at(&format!("/jobs/{id}/artifacts"));
    t.admin().get(&here).await.is(200);
    t.advance(3601);
    t.admin().get(&here).await.is(404);
}

#[testkit::story]
async fn a_job_reads_code_by_its_token_while_it_runs(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", "one: {script: a}").await;
    let other = t.project("acme/bellows").await;
    let own = runner(&t, json!({})).await;
    let (id, token, job) = take(&t, &own).await;
    let client: Client = t.admin();
    let git = Git::of(&client);
    let url = |path: &str| git.url_with("gitlab-ci-token", &token, path);
    git.run(&["init", "-q", "work"]).await.done();
    let sha = job["git_info"]["sha"].as_str().unwrap();
    let exact = format!("+{sha}:refs/pipelines/{pipeline}");
    git.run_in("work", &["fetch", "--depth=1", &url("acme/anvil"), &exact])
        .await
        .done();
    assert_eq!(git.id("work", &format!("refs/pipelines/{pipeline}")).await, sha);
    let push = format!("{sha}:refs/heads/mine");
    let pushed = git.run_in("work", &["push", &url("acme/anvil"), &push]).await;
    assert!(!pushed.succeeded, "a job pushes nothing");
    let foreign = git.run_in("work", &["fetch", &url("acme/bellows"), "main"]).await;
    assert!(!foreign.succeeded, "it is of one project");

    // The API is closed to it but where jobs have something to do.
    let by = |path: &str| t.anonymous().get(path).header("job-token", &token);
    by("/projects").await.is(401);
    by("/user").await.is(401);
    by(&project.at(&format!("/jobs/{id}/trace"))).await.is(200);
    by(&other.at(&format!("/jobs/{id}/trace"))).await.is(404);
    let file = "/packages/generic/tool/1.0/tool.txt";
    let put = |project: &TestProject| {
        let request = t.anonymous().put(project.at(file)).header("job-token", &token);
        request.bytes("hammer")
    };
    put(&project).await.is(201);
    put(&other).await.is(404);
    end(&t, (id, &token), "success").await.is(200);
    by(&project.at(&format!("/jobs/{id}/trace"))).await.is(401);
    put(&project).await.is(401);
}
