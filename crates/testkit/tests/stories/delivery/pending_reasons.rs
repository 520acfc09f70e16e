//! Why a job waits: what the runners that are online lack for it.

use super::runner_jobs::runner;
use super::running::{begun, job, newest};
use serde_json::{Value, json};
use testkit::{Browser, TestProject, TestServer};

const THREE: &str = "
one: {script: make}
two: {script: make}
hot: {script: make, tags: [forge]}
";

/// A machine asks for a job with the token of a runner.
async fn ask(t: &TestServer, token: &str) -> u16 {
    let body = json!({"token": token, "system_id": "s_1", "info": {"features": {}}});
    t.anonymous().post("/jobs/request").json(&body).await.status
}

/// Why a job waits, by REST, and that its page says so in these words.
async fn reason(
    t: &TestServer, (project, dev): (&TestProject, &Browser), id: i64, words: &str,
) -> Value {
    let path = format!("/{}/-/jobs/{id}", project.path);
    let page = dev.get(&path).await.is(200).text();
    assert!(page.contains(words), "{words}: {page}");
    let listed = t.admin().get(project.at("/jobs")).await.is(200);
    assert_eq!(listed.each("pending_reason"), vec![Value::Null; listed.each("id").len()]);
    t.admin().get(project.at(&format!("/jobs/{id}"))).await.is(200).json()["pending_reason"].clone()
}

/// The pipeline of a branch that is not protected, with its jobs.
async fn aside(t: &TestServer, project: &TestProject, first: i64) -> (i64, i64, i64) {
    t.admin().post(project.at(&format!("/pipelines/{first}/cancel"))).await.is(200);
    let aside = json!({"branch": "side", "start_branch": "main", "commit_message": "Aside",
        "actions": [{"action": "create", "file_path": "a.txt", "content": "x"}]});
    t.admin().post(project.at("/repository/commits")).json(&aside).await.is(201);
    t.settle().await;
    let id = newest(t, project).await;
    assert_ne!(id, first);
    let of = async |name: &str| job(t, id, name).await.id;
    (of("one").await, of("two").await, of("hot").await)
}

#[testkit::story]
async fn a_job_says_what_runners_lack_for_it(t: TestServer) {
    let (project, first) = begun(&t, "acme/anvil", THREE).await;
    let dev = t.user("dev").await;
    project.add(&dev, 30).await;
    let (one, two, hot) = aside(&t, &project, first).await;
    let browser = t.browser("dev").await;
    let seen = (&project, &browser);
    let nobody = "No runner that is online takes jobs of this project.";
    assert_eq!(reason(&t, seen, one, nobody).await, "no_runner");

    let cold = runner(&t, json!({"tag_list": ["cold"], "run_untagged": false})).await;
    assert_eq!(reason(&t, seen, one, nobody).await, "no_runner", "it was never heard of");
    assert_eq!(ask(&t, &cold).await, 204);
    let untagged = "No runner that is online takes jobs without tags.";
    assert_eq!(reason(&t, seen, one, untagged).await, "tags_missing");
    let tagged = "No runner that is online has all of its tags.";
    assert_eq!(reason(&t, seen, hot, tagged).await, "tags_missing");

    let guard = runner(&t, json!({"access_level": "ref_protected"})).await;
    assert_eq!(ask(&t, &guard).await, 204);
    let protected = "The runners that are online take jobs of protected branches and tags alone.";
    assert_eq!(reason(&t, seen, one, protected).await, "protected_mismatch");

    let smith = runner(&t, json!({})).await;
    assert_eq!(ask(&t, &smith).await, 201);
    let busy = "The runners that may take it are at work.";
    assert_eq!(reason(&t, seen, two, busy).await, "runners_busy");
    let running = t.admin().get(project.at(&format!("/jobs/{one}"))).await.is(200).json();
    assert_eq!(running.get("pending_reason"), None);

    // Runners that the project does not want are none for it.
    let own = json!({"shared_runners_enabled": false});
    t.admin().put(project.at("")).json(&own).await.is(200);
    assert_eq!(reason(&t, seen, two, nobody).await, "no_runner");
}
