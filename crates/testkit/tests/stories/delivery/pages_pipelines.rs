//! Pages of pipelines: the list, a pipeline, running one, charts, badges, the editor.

use super::running::{begun, commit, fails, job, jobs_of, newest, passes, status, take};
use serde_json::json;
use testkit::{TestProject, TestServer};

const THREE: &str = "
stages: [build, test, deploy]
compile: {stage: build, script: make}
unit: {script: [make test], tags: [linux], needs: [compile]}
lint: {script: make lint, allow_failure: true}
ship: {stage: deploy, script: make ship, when: manual}
";

async fn member(t: &TestServer, project: &TestProject, name: &str, level: i64) -> testkit::Browser {
    let user = t.user(name).await;
    project.add(&user, level).await;
    t.browser(name).await
}

#[testkit::story(noon)]
async fn pipelines_are_listed_shown_and_run_again(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", THREE).await;
    let dev = member(&t, &project, "dev", 40).await;
    let list = dev.get("/acme/anvil/-/pipelines").await.is(200).text();
    for part in ["Begin", "Pending", "build: pending", "deploy: created", "Run pipeline", "main"] {
        assert!(list.contains(part), "{part}: {list}");
    }
    assert!(list.contains("href=\"/acme/anvil/-/jobs\""), "the navigation: {list}");
    let narrowed = dev.get("/acme/anvil/-/pipelines?status=failed").await.is(200).text();
    assert!(narrowed.contains("No pipelines match"), "{narrowed}");
    let of_tags = dev.get("/acme/anvil/-/pipelines?scope=tags&search=main").await.is(200).text();
    assert!(of_tags.contains("No pipelines match"), "{of_tags}");

    let url = format!("/acme/anvil/-/pipelines/{id}");
    let page = dev.get(&url).await.is(200).text();
    for part in [
        "<svg",
        "class=\"ci-need\"",
        "compile: pending",
        "aria-label=\"ship: created\"",
        "Cancel",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("Run again") && !page.contains("Delete"), "{page}");
    passes(&t, id, "compile").await;
    fails(&t, id, "unit", 2).await;
    passes(&t, id, "lint").await;
    assert_eq!(status(&t, &project, id).await, "failed");
    let jobs = dev.get(&format!("{url}/builds")).await.is(200).text();
    for part in ["compile", "Passed", "Failed", "may fail", "linux", "0:10"] {
        assert!(jobs.contains(part), "{part}: {jobs}");
    }
    let failed = dev.get(&format!("{url}/failures")).await.is(200).text();
    assert!(
        failed.contains("script failure") && failed.contains("It wrote nothing"),
        "{failed}"
    );
    let (_, again) = dev.submit(&url, &[("action", "retry")]).await;
    assert!(again.contains("What did not pass runs again."), "{again}");
    assert!(jobs_of(&t, &project, id).await.contains(&"unit pending".to_owned()));
    let (_, named) = dev.submit(&url, &[("action", "rename"), ("name", "Nightly <b>")]).await;
    assert!(named.contains("Nightly &#60;b&#62;") && !named.contains("<b>"), "{named}");
    let long = "x".repeat(256);
    let refused = dev.post(&url, &[("action", "rename"), ("name", &long)]).await.is(422).text();
    assert!(refused.contains("Is too long"), "{refused}");
    let (_, ended) = dev.submit(&url, &[("action", "cancel")]).await;
    assert!(ended.contains("Pipeline canceled."), "{ended}");
    dev.post(&url, &[("action", "delete")]).await.is(403);
    let owner = member(&t, &project, "olga", 50).await;
    let (to, gone) = owner.submit(&url, &[("action", "delete")]).await;
    assert_eq!(to, "/acme/anvil/-/pipelines");
    assert!(gone.contains("Pipeline deleted."), "{gone}");
    dev.get(&url).await.is(404);
}

#[testkit::story]
async fn a_pipeline_is_run_with_variables(t: TestServer) {
    let file = "a: {script: echo, rules: [{if: '$KIND == \"night\"'}]}";
    let project = t.project("acme/anvil").await;
    commit(&t, &project, ".gitlab-ci.yml", file, "Begin").await;
    let keeper = member(&t, &project, "keeper", 40).await;
    let url = "/acme/anvil/-/pipelines/new";
    let form = keeper.get(url).await.is(200).text();
    assert!(form.contains("value=\"main\""), "{form}");
    let refused = keeper.post(url, &[("ref", "main"), ("variables", "")]).await.is(422).text();
    assert!(refused.contains("The resulting pipeline would have been empty"), "{refused}");
    let wrong = [("ref", "main"), ("variables", "KIND night")];
    let refused = keeper.post(url, &wrong).await.is(422).text();
    assert!(refused.contains("Need NAME=value on each line"), "{refused}");
    let none = keeper.post(url, &[("ref", "gone")]).await.is(422).text();
    assert!(none.contains("Reference not found"), "{none}");
    let typed = [("ref", "main"), ("variables", "KIND=night\r\n")];
    let (to, page) = keeper.submit(url, &typed).await;
    let id = newest(&t, &project).await;
    assert_eq!(to, format!("/acme/anvil/-/pipelines/{id}"));
    assert!(page.contains("Pipeline begun.") && page.contains("a: pending"), "{page}");
    // Who may not override variables may not do so here.
    let dev = member(&t, &project, "dev", 30).await;
    assert!(!dev.get(url).await.is(200).text().contains("name=\"variables\""));
    let side = project.at("/repository/branches?branch=side&ref=main");
    t.admin().post(side).await.is(201);
    let typed = [("ref", "side"), ("variables", "KIND=night")];
    let refused = dev.post(url, &typed).await.is(422).text();
    assert!(
        refused.contains("Insufficient permissions to set pipeline variables"),
        "{refused}"
    );
}

#[testkit::story]
async fn only_who_may_sees_pipelines_and_runs_them(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", THREE).await;
    let job = job(&t, id, "compile").await.id;
    let (public, other) = begun(&t, "acme/open", THREE).await;
    let visibility = json!({"visibility": "public"});
    t.admin().put("/groups/acme").json(&visibility).await.is(200);
    t.admin().put(public.at("")).json(&visibility).await.is(200);
    t.user("stranger").await;
    let guest = member(&t, &project, "gus", 10).await;
    let reporter = member(&t, &project, "rita", 20).await;
    let (stranger, nobody) = (t.browser("stranger").await, t.new_browser());
    let pages = [
        "pipelines".to_owned(),
        "pipelines/charts".to_owned(),
        format!("pipelines/{id}"),
        format!("pipelines/{id}/builds"),
        format!("pipelines/{id}/failures"),
        format!("pipelines/{id}/test_report"),
        "jobs".to_owned(),
        format!("jobs/{job}"),
        format!("jobs/{job}/raw"),
        format!("jobs/{job}/log?from=0"),
        "badges/main/pipeline.svg".to_owned(),
    ];
    for page in &pages {
        let url = format!("/acme/anvil/-/{page}");
        reporter.get(&url).await.is(200);
        stranger.get(&url).await.is(404);
        guest.get(&url).await.is(403);
        let refused = nobody.get(&url).await.status;
        assert!(matches!(refused, 302 | 404), "{refused} {url}");
    }
    for (path, form) in [
        ("pipelines/new".to_owned(), [("ref", "main")]),
        (format!("pipelines/{id}"), [("action", "cancel")]),
        (format!("jobs/{job}"), [("action", "cancel")]),
        ("ci/editor".to_owned(), [("action", "check")]),
    ] {
        let url = format!("/acme/anvil/-/{path}");
        reporter.post(&url, &form).await.is(403);
        stranger.post(&url, &form).await.is(404);
    }
    assert_eq!(jobs_of(&t, &project, id).await[0], "compile pending");
    let open = nobody.get(&format!("/acme/open/-/pipelines/{other}")).await.is(200).text();
    assert!(open.contains("compile: pending") && !open.contains("Cancel"), "{open}");
    // A pipeline of one project is none of another.
    stranger.get(&format!("/acme/open/-/pipelines/{id}")).await.is(404);
    stranger.get(&format!("/acme/open/-/jobs/{job}")).await.is(404);
}

#[testkit::story(noon)]
async fn badges_and_charts_tell_of_the_newest(t: TestServer) {
    let file = "'a <b>': {script: make, coverage: '/(\\d+)%/'}";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    let dev = member(&t, &project, "dev", 30).await;
    let badge = async |path: &str| {
        let answer = dev.get(&format!("/acme/anvil/-/badges/{path}")).await.is(200);
        assert_eq!(answer.header("content-type"), "image/svg+xml");
        assert_eq!(answer.header("cache-control"), "no-store");
        answer.text()
    };
    assert!(badge("main/pipeline.svg").await.contains("pipeline: pending"));
    assert!(badge("gone/x/pipeline.svg").await.contains("pipeline: unknown"));
    assert!(badge("main/coverage.svg").await.contains("coverage: unknown"));
    passes(&t, id, "a <b>").await;
    let sql = "update ci_jobs set coverage = 93.456";
    t.app().write(move |tx| Ok(tx.execute(sql, ())?)).await.unwrap();
    assert!(badge("main/pipeline.svg").await.contains("pipeline: passed"));
    assert!(badge("main/coverage.svg").await.contains("coverage: 93.46%"));
    let of_job = badge("main/coverage.svg?job=a%20%3Cb%3E").await;
    assert!(of_job.contains("93.46%"), "{of_job}");
    assert!(badge("main/coverage.svg?job=other").await.contains("unknown"));
    let named = badge("main/pipeline.svg?key_text=%3Cscript%3E&key_width=80").await;
    assert!(!named.contains("<script>") && named.contains("script"), "{named}");
    dev.get("/acme/anvil/-/badges/main/other.svg").await.is(404);
    let charts = dev.get("/acme/anvil/-/pipelines/charts").await.is(200).text();
    assert!(charts.contains("100 %") && charts.contains("0:10"), "{charts}");
    nothing_yet(&t).await;
}

/// A project without pipelines has pages, too.
async fn nothing_yet(t: &TestServer) {
    let empty = t.project("acme/empty").await;
    let dev = member(t, &empty, "dan", 40).await;
    let list = dev.get("/acme/empty/-/pipelines").await.is(200).text();
    assert!(list.contains("No pipelines yet"), "{list}");
    let charts = dev.get("/acme/empty/-/pipelines/charts").await.is(200).text();
    assert!(charts.contains("Nothing to draw"), "{charts}");
    let jobs = dev.get("/acme/empty/-/jobs").await.is(200).text();
    assert!(jobs.contains("No jobs"), "{jobs}");
    dev.get("/acme/empty/-/ci/editor").await.is(200);
}

#[testkit::story]
async fn the_file_is_checked_and_committed_in_the_editor(t: TestServer) {
    let project = t.project("acme/anvil").await;
    commit(&t, &project, "README.md", "hello", "Begin").await;
    let dev = member(&t, &project, "dev", 40).await;
    let url = "/acme/anvil/-/ci/editor";
    let page = dev.get(url).await.is(200).text();
    assert!(page.contains("not yet in main") && page.contains("compile:"), "{page}");
    let wrong = "a: {script: x, stage: nowhere}";
    let form = |action, content| [("action", action), ("branch", "main"), ("content", content)];
    let checked = dev.post(url, &form("check", wrong)).await.is(200).text();
    assert!(checked.contains("not valid") && checked.contains("nowhere"), "{checked}");
    let right = "a: {script: x}\r\n'b <i>': {script: y, needs: [a]}\r\n";
    let checked = dev.post(url, &form("check", right)).await.is(200).text();
    assert!(checked.contains("2 jobs") && checked.contains("class=\"ci-need\""), "{checked}");
    assert!(!checked.contains("<i>"), "{checked}");
    let (to, done) = dev.submit(url, &form("commit", right)).await;
    assert!(to.starts_with(url) && done.contains("Committed to main."), "{to} {done}");
    let at = "/repository/files/.gitlab-ci.yml/raw?ref=main";
    let text = t.admin().get(project.at(at)).await.is(200).text();
    assert_eq!(text, "a: {script: x}\n'b <i>': {script: y, needs: [a]}\n");
    // What others wrote meanwhile is not overwritten.
    let refused = dev.post(url, &form("commit", "c: {script: z}")).await.is(422).text();
    assert!(refused.contains("c: {script: z}"), "{refused}");
    assert_eq!(t.admin().get(project.at(at)).await.text(), text);
    dev.get(&format!("{url}?branch=gone")).await.is(404);
    t.settle().await;
    let begun = newest(&t, &project).await;
    assert_eq!(take(&t, begun, "a").await.name, "a", "the commit began a pipeline");
    let settings = "insert into ci_project_settings (project_id, config_path,
        auto_cancel_pending, build_timeout, build_git_strategy, separated_caches,
        keep_latest_artifact, public_jobs, forward_deployment_enabled,
        forward_deployment_rollback_allowed)
        values ($1, 'https://elsewhere.example/ci.yml', true, 3600, 'fetch', true, true, true,
            true, true)";
    let id = project.id;
    t.app().write(move |tx| Ok(tx.execute(settings, (id,))?)).await.unwrap();
    let elsewhere = dev.get(url).await.is(200).text();
    assert!(elsewhere.contains("This file is not edited here"), "{elsewhere}");
}
