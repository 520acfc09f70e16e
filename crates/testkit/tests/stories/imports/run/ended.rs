//! Imports are given up, and end or go on where who asked for them, or their job, is gone.

use super::{Imported, Upstream, Wishes, start};
use kernel::jobs;
use serde_json::json;
use testkit::TestServer;

/// Has those go on that nobody goes on with.
async fn tend(t: &TestServer) {
    let app = t.app().clone();
    let enqueued = t
        .app()
        .write(move |tx| jobs::enqueue(tx, app.jobs(), &imports::run::TendImports::default()));
    enqueued.await.expect("it is enqueued");
    t.settle().await;
}

#[testkit::story(noon)]
async fn an_import_is_given_up_in_any_state(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    let rests = Wishes { rests: true, ..Wishes::default() };
    let one = Imported::begin(&t, &upstream, rests).await;
    let (kim, project) = (t.user("kim").await, one.project);
    let member = json!({"user_id": kim.id, "access_level": 40});
    one.jane
        .post(format!("/projects/{project}/members"))
        .json(&member)
        .await
        .is(201);
    let cancel = "/import/provider_a/cancel";
    let body = json!({"project_id": project});

    t.anonymous().post(cancel).json(&body).await.is(401);
    let told = kim.post(cancel).json(&body).await.is(403).json();
    assert_eq!(told, json!({"message": "Unauthorized access"}));
    one.jane.post(cancel).json(&json!({"project_id": 0})).await.is(404);
    let other = t.project("acme/other").await;
    kim.post(cancel).json(&json!({"project_id": other.id})).await.is(404);
    t.admin().post(cancel).json(&json!({"project_id": other.id})).await.is(404);

    let told = one.jane.post(cancel).json(&body).await.is(200).json();
    assert_eq!(
        told,
        json!({"id": project, "name": "anvil", "full_path": "/jane/anvil",
            "full_name": told["full_name"], "import_source": "acme/source",
            "import_status": "canceled", "human_import_status_name": "canceled",
            "provider_link": "/acme/source"})
    );
    let told = one.jane.post(cancel).json(&body).await.is(400).json();
    let said = "The import cannot be canceled because it is canceled";
    assert_eq!(told, json!({ "message": said }));
    assert_eq!(one.row(&t).await, ("canceled".into(), None), "what proves who asks is erased");
    one.jane.post(format!("{}/retry", one.at)).await.is(400);

    t.advance(3700);
    t.settle().await;
    assert!(upstream.times("/labels?1") == 0, "nothing goes on");
    assert_eq!(one.status().await, "canceled");
}

#[testkit::story(noon)]
async fn what_has_ended_is_not_given_up_and_what_goes_on_is(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    let one = Imported::begin(&t, &upstream, Wishes::default()).await;
    let cancel = format!("{}/cancel", one.at);
    let told = one.jane.post(&cancel).await.is(400).json();
    assert_eq!(told, json!({"message": "The import cannot be canceled because it is finished"}));

    upstream.fails("/labels", 503, None);
    let body = json!({"name": "other"});
    let project = one.jane.post("/projects").json(&body).await.is(201).id();
    start(&t, &upstream, (one.jane.id, project), Wishes::default()).await;
    t.settle().await;
    let at = format!("/projects/{project}/import");
    assert_eq!(one.jane.get(&at).await.is(200).json()["import_status"], "started");
    let told = one.jane.post(format!("{at}/cancel")).await.is(200).json();
    assert_eq!(told["import_status"], "canceled");
    upstream.labels(&["bug"]);
    t.advance(60);
    t.settle().await;
    let labels = one.jane.get(format!("/projects/{project}/labels")).await.is(200);
    assert!(labels.each("name").is_empty(), "nothing more is written");
}

#[testkit::story(noon)]
async fn who_asked_and_may_act_no_more_imports_nothing(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    let rests = Wishes { rests: true, ..Wishes::default() };
    let one = Imported::begin(&t, &upstream, rests).await;
    t.admin().post(format!("/users/{}/block", one.jane.id)).await.is(201);
    t.advance(3700);
    t.settle().await;
    let told = t.admin().get(&one.at).await.is(200).json();
    assert_eq!(told["import_status"], "failed");
    assert_eq!(upstream.times("/labels?1"), 0);
}

#[testkit::story(noon)]
async fn an_import_whose_job_is_lost_goes_on(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    upstream.labels(&["bug"]);
    let rests = Wishes { rests: true, ..Wishes::default() };
    let one = Imported::begin(&t, &upstream, rests).await;
    let lost = t.app().write(|tx| {
        Ok(tx.execute(store::sql!("delete from jobs where name = 'imports.step'"), ())?)
    });
    lost.await.expect("it is lost");
    t.advance(3700);
    t.settle().await;
    assert_ne!(one.status().await, "finished");
    tend(&t).await;
    assert_eq!(one.status().await, "finished");
    assert_eq!(one.labels().await, [json!("bug")]);
}
