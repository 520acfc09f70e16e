//! What projects are imported from, as administrators say, and as projects say.

use super::{Upstream, Wishes, new_import};
use imports::run::begin;
use kernel::error::Error;
use serde_json::{Value, json};
use testkit::{TestServer, service};

#[testkit::story(noon)]
async fn administrators_say_what_projects_are_imported_from(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    let settings = t.admin().get("/application/settings").await.is(200).json();
    let all = ["provider_a", "provider_b_server", "provider_b_cloud", "project_file", "git"];
    assert_eq!(settings["import_sources"], json!(all));
    let set = |sources: Value| {
        t.admin().put("/application/settings").json(&json!({"import_sources": sources}))
    };
    set(json!(["svn"])).await.is(400);
    set(json!(["project_file"])).await.is(200);

    let jane = t.user("jane").await;
    let project = jane.post("/projects").json(&json!({"name": "anvil"})).await.is(201).id();
    let (app, new) = (t.app().clone(), new_import(&upstream, &Wishes::default()));
    let refused = t.app().write(move |tx| {
        let user = identity::access::active_user(tx, jane.id)?.expect("a user");
        let by = identity::viewer::Viewer::addressed(user);
        let found = spaces::access::find_project(tx, &kernel::ids::Reference::Id(project))?;
        begin(tx, &app, &by, &found.expect("a project"), &new).map(drop)
    });
    let refused = refused.await.expect_err("it is off");
    let said = "provider_a import source is disabled";
    assert!(matches!(&refused, Error::Forbidden(text) if text == said), "{refused:?}");
    let body = json!({"name": "other", "import_url": "https://code.example/a.git"});
    t.admin().post("/projects").json(&body).await.is(403);
}

#[testkit::story(noon)]
async fn projects_that_came_otherwise_say_how(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let told = t.admin().get(project.at("/import")).await.is(200).json();
    assert_eq!(
        (&told["import_status"], &told["import_type"], &told["stats"]),
        (&json!("none"), &Value::Null, &Value::Null)
    );
    for deed in ["cancel", "retry", "cut_over", "relations/1/retry"] {
        t.admin().post(project.at(&format!("/import/{deed}"))).await.is(404);
    }
    let body = json!({"name": "other", "import_url": "https://127.0.0.1:2000/a.git"});
    service::near(&t).await;
    let made = t.admin().post("/projects").json(&body).await.is(201).id();
    let told = t.admin().get(format!("/projects/{made}/import")).await.is(200).json();
    assert_eq!(told["import_type"], "git", "{told}");
    let kim = t.user("kim").await;
    kim.get(project.at("/import")).await.is(404);
}
