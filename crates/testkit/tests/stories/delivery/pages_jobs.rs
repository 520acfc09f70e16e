//! Pages of jobs: their logs, their files, and what is done to them.

use super::running::{begun, job, passes, take};
use ::delivery::runners::store::traces::{Packed, append};
use serde_json::json;
use std::io::{Cursor, Write};
use testkit::{Browser, TestProject, TestServer};

const ONE: &str = "
compile: {script: make, artifacts: {paths: [out/], expire_in: 1 week}}
ship: {stage: deploy, script: make ship, when: manual}
";

async fn member(t: &TestServer, project: &TestProject, name: &str, level: i64) -> Browser {
    let user = t.user(name).await;
    project.add(&user, level).await;
    t.browser(name).await
}

/// Adds to the log of a job that runs.
async fn write(t: &TestServer, job: i64, start: usize, text: &str) {
    let (start, text) = (start as i64, text.to_owned());
    let rows = Packed::of(text.as_bytes()).unwrap();
    let done = t.app().write(move |tx| append(tx, job, start, &rows));
    done.await.unwrap();
}

#[testkit::story(noon)]
async fn a_log_has_colours_parts_and_numbers(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", ONE).await;
    let dev = member(&t, &project, "dev", 30).await;
    let waiting = job(&t, id, "compile").await.id;
    let url = format!("/acme/anvil/-/jobs/{waiting}");
    let page = dev.get(&url).await.is(200).text();
    assert!(page.contains("waits for a runner") && page.contains("Nothing was written yet"));
    let running = take(&t, id, "compile").await;
    let text = "section_start:100:get\r\x1b[0KGet sources\n\x1b[32;1mok\x1b[0m <script>\n\
                section_end:165:get\r\x1b[0Kdone\npartial";
    write(&t, running.id, 0, text).await;
    let page = dev.get(&url).await.is(200).text();
    for part in [
        "<details open><summary id=\"L1\">",
        "Get sources",
        "1:05",
        "<span class=\"a-b a-f2\">ok</span> &lt;script&gt;",
        "id=\"L3\"",
        "data-follow=",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("partial") && !page.contains("<script>\n"), "{page}");
    // What follows is asked for from where the last whole line ended.
    let at = text.len() - "partial".len();
    let more = format!("{url}/log?from={at}");
    let nothing = dev.get(&more).await.is(200);
    assert_eq!((nothing.text().as_str(), nothing.header("x-job-status")), ("", "running"));
    write(&t, running.id, text.len(), " line\n").await;
    let answer = dev.get(&more).await.is(200);
    assert!(answer.text().contains("id=\"L4\"") && answer.text().contains("partial line"));
    assert_eq!(answer.header("x-log-ends"), (text.len() + 6).to_string());
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    let raw = dev.get(&format!("{url}/raw")).await.is(200);
    assert_eq!(raw.text(), format!("{text} line\n"));
    let request = dev.request(http::Method::GET, &format!("{url}/raw"));
    let part = request.header("range", "bytes=0-6").await.is(206);
    assert_eq!(part.text(), "section");
    let found = dev.get(&format!("{url}?search=OK")).await.is(200).text();
    assert!(found.contains("#L2\">Line 2</a>"), "{found}");
    let none = dev.get(&format!("{url}?search=zebra")).await.is(200).text();
    assert!(none.contains("Nothing was found"), "{none}");
    for odd in ["?from=-5", "?from=999999999"] {
        dev.get(&format!("{url}{odd}")).await.is(200);
    }
}

#[testkit::story]
async fn a_long_log_is_shown_in_parts(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", ONE).await;
    let dev = member(&t, &project, "dev", 30).await;
    let running = take(&t, id, "compile").await;
    let mut start = 0;
    for piece in 0..8 {
        let lines =
            (0..1000).map(|n| format!("line {} {}\n", piece * 1000 + n + 1, "x".repeat(90)));
        let text: String = lines.collect();
        write(&t, running.id, start, &text).await;
        start += text.len();
    }
    fail(&t, running.id).await;
    let url = format!("/acme/anvil/-/jobs/{}", running.id);
    let end = dev.get(&url).await.is(200).text();
    assert!(end.contains("id=\"L8000\"") && end.contains(">line 8000 x"), "the end");
    assert!(!end.contains("id=\"L1\"") && end.len() < 1_000_000, "{}", end.len());
    let earlier = end.split("?from=").nth(2).and_then(|rest| rest.split('"').next()).unwrap();
    let before = dev.get(&format!("{url}?from={earlier}")).await.is(200).text();
    let shown = before.split("id=\"L").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert!(
        before.contains(&format!(">line {shown} x")),
        "numbers are those of the whole log"
    );
    let first = dev.get(&format!("{url}?from=0")).await.is(200).text();
    assert!(first.contains("id=\"L1\"") && first.contains(">line 1 x"), "the beginning");
    let found = dev.get(&format!("{url}?search=line%204321%20")).await.is(200).text();
    assert!(
        found.contains("Line 4321</a>") && found.contains("id=\"L4321\""),
        "a found line"
    );
}

async fn fail(t: &TestServer, id: i64) {
    use ::delivery::pipelines::jobs::{Outcome, finish};
    use ::delivery::pipelines::model::FailureReason;
    let done = t.app().write(move |tx| {
        let job = ::delivery::pipelines::store::jobs::by_id(tx, id)?.expect("a job");
        finish(tx, &job, Outcome::failed(FailureReason::ScriptFailure))
    });
    done.await.unwrap();
}

#[testkit::story]
async fn jobs_are_started_ended_and_erased_on_their_page(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", ONE).await;
    let keeper = member(&t, &project, "keeper", 40).await;
    let compile = take(&t, id, "compile").await;
    write(&t, compile.id, 0, "secret words\n").await;
    let url = format!("/acme/anvil/-/jobs/{}", compile.id);
    let erase = [("action", "erase")];
    let early = keeper.post(&url, &erase).await.is(422).text();
    assert!(early.contains("nothing to erase"), "{early}");
    fail(&t, compile.id).await;
    let failures = format!("/acme/anvil/-/pipelines/{id}/failures");
    let end = keeper.get(&failures).await.is(200).text();
    assert!(end.contains("secret words") && end.contains("compile"), "{end}");
    let dev = member(&t, &project, "dev", 30).await;
    dev.post(&url, &erase).await.is(403);
    dev.post(&url, &[("action", "retry")]).await.is(403);
    let (_, erased) = keeper.submit(&url, &erase).await;
    assert!(erased.contains("are gone") && !erased.contains("secret words"), "{erased}");
    let (to, again) = keeper.submit(&url, &[("action", "retry")]).await;
    assert!(to != url && again.contains("It runs again."), "{to} {again}");
    let twice = keeper.post(&url, &[("action", "retry")]).await.is(422).text();
    assert!(twice.contains("cannot be run again"), "{twice}");
    let old = keeper.get(&url).await.is(200).text();
    assert!(old.contains("Another job took the place"), "{old}");
    let (_, ended) = keeper.submit(&to, &[("action", "cancel")]).await;
    assert!(ended.contains("Job canceled."), "{ended}");

    let (_, again) = keeper.submit(&to, &[("action", "retry")]).await;
    assert!(again.contains("It runs again."), "{again}");
    passes(&t, id, "compile").await;
    let ship = job(&t, id, "ship").await.id;
    let url = format!("/acme/anvil/-/jobs/{ship}");
    let page = keeper.get(&url).await.is(200).text();
    assert!(
        page.contains("waits for somebody") && page.contains("name=\"variables\""),
        "{page}"
    );
    let wrong = [("action", "play"), ("variables", "A-B=1")];
    let refused = keeper.post(&url, &wrong).await.is(422).text();
    assert!(refused.contains("A-B=1") && refused.contains("letters, digits"), "{refused}");
    dev.post(&url, &[("action", "play"), ("variables", "A=1")]).await.is(403);
    let (_, begun) = keeper.submit(&url, &[("action", "play"), ("variables", "A=1")]).await;
    assert!(begun.contains("Job started."), "{begun}");
    let list = keeper.get("/acme/anvil/-/jobs?scope=pending").await.is(200).text();
    assert!(list.contains("ship") && !list.contains("compile"), "{list}");
}

fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The newest job of a runner brings an archive and passes.
async fn archived(t: &TestServer, bytes: Vec<u8>) -> i64 {
    let made = json!({"runner_type": "instance_type"});
    let made = t.admin().post("/user/runners").json(&made).await.is(201).json();
    let ask = json!({"token": made["token"], "system_id": "s_1"});
    let job = t.anonymous().post("/jobs/request").json(&ask).await.is(201).json();
    let (id, token) = (job["id"].as_i64().unwrap(), job["token"].as_str().unwrap());
    let mut body =
        b"--B\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\n"
            .to_vec();
    body.extend(bytes);
    body.extend(b"\r\n--B--\r\n");
    t.anonymous()
        .post(format!(
            "/jobs/{id}/artifacts?artifact_type=archive&artifact_format=zip&expire_in=1%20week"
        ))
        .header("job-token", token)
        .header("content-type", "multipart/form-data; boundary=B")
        .bytes(body)
        .await
        .is(201);
    let end = json!({"token": token, "state": "success"});
    t.anonymous().put(format!("/jobs/{id}")).json(&end).await.is(200);
    t.settle().await;
    id
}

#[testkit::story]
async fn files_of_a_job_are_browsed_sent_and_kept(t: TestServer) {
    let file = "compile: {script: make, artifacts: {paths: [out/]}}";
    let (project, _) = begun(&t, "acme/anvil", file).await;
    // Those of the latest job stay otherwise.
    let goes = json!({"keep_latest_artifact": false});
    t.admin().put(project.at("")).json(&goes).await.is(200);
    let dev = member(&t, &project, "dev", 30).await;
    let files = [("out/a b.txt", "first"), ("out/x/<i>.html", "second"), ("../up", "no")];
    let id = archived(&t, zipped(&files)).await;
    let url = format!("/acme/anvil/-/jobs/{id}");
    let page = dev.get(&url).await.is(200).text();
    assert!(page.contains("Browse") && page.contains("deleted"), "{page}");
    let root = dev.get(&format!("{url}/artifacts/browse")).await.is(200).text();
    assert!(root.contains(">out</a>") && !root.contains("../up"), "{root}");
    let folder = dev.get(&format!("{url}/artifacts/browse/out")).await.is(200).text();
    assert!(folder.contains("artifacts/file/out/a%20b.txt") && folder.contains(">x</a>"));
    let inner = dev.get(&format!("{url}/artifacts/browse/out/x/")).await.is(200).text();
    assert!(inner.contains("&#60;i&#62;.html") && !inner.contains("<i>"), "{inner}");
    dev.get(&format!("{url}/artifacts/browse/gone")).await.is(404);
    let sent = dev.get(&format!("{url}/artifacts/file/out/a%20b.txt")).await.is(200);
    assert_eq!(sent.text(), "first");
    assert!(sent.header("content-disposition").starts_with("attachment"));
    dev.get(&format!("{url}/artifacts/file/..%2Fup")).await.is(404);
    dev.get(&format!("{url}/artifacts/download")).await.is(200);

    let latest = "/acme/anvil/-/jobs/artifacts/main";
    dev.get(&format!("{latest}/download?job=compile")).await.is(200);
    let raw = dev.get(&format!("{latest}/raw/out/a%20b.txt?job=compile")).await.is(200);
    assert_eq!(raw.text(), "first");
    let led = dev.get(&format!("{latest}/browse/out?job=compile")).await.is(303);
    assert_eq!(led.header("location"), format!("{url}/artifacts/browse/out"));
    dev.get(&format!("{latest}/download?job=other")).await.is(404);
    let rita = member(&t, &project, "rita", 20).await;
    rita.post(&url, &[("action", "keep")]).await.is(403);
    let (_, kept) = dev.submit(&url, &[("action", "keep")]).await;
    assert!(kept.contains("Its files are kept.") && !kept.contains(", deleted"), "{kept}");
    t.user("stranger").await;
    let stranger = t.browser("stranger").await;
    for path in ["download", "browse", "file/out/a%20b.txt"] {
        stranger.get(&format!("{url}/artifacts/{path}")).await.is(404);
    }
}

#[testkit::story]
async fn an_archive_that_is_none_is_an_empty_folder(t: TestServer) {
    let file = "compile: {script: make, artifacts: {paths: [out/]}}";
    let (project, _) = begun(&t, "acme/anvil", file).await;
    let dev = member(&t, &project, "dev", 30).await;
    let id = archived(&t, b"PK\x05\x06 this is no archive".to_vec()).await;
    let page = dev
        .get(&format!("/acme/anvil/-/jobs/{id}/artifacts/browse"))
        .await
        .is(200)
        .text();
    assert!(page.contains("Nothing here"), "{page}");
    dev.get(&format!("/acme/anvil/-/jobs/{id}/artifacts/file/a")).await.is(404);
}
