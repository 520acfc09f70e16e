//! Where a group's single sign-on comes into an authorization request. The
//! room that has it plugs itself in; here a stand-in does.

use identity::hooks::{Hooks, SignOn, SingleSignOn};
use identity::viewer::SignedIn;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Mutex;
use store::Tx;
use testkit::TestServer;

/// The group that has single sign-on, by name; sessions are by user.
struct Acme;

static LIVE: Mutex<Option<HashSet<i64>>> = Mutex::new(None);

impl SingleSignOn for Acme {
    fn ask(
        &self, tx: &mut Tx<'_>, group: i64, signed_in: &SignedIn,
    ) -> kernel::error::Result<SignOn> {
        let path: Option<String> =
            tx.optional(store::sql!("select full_path from namespaces where id = $1"), (group,))?;
        if path.as_deref() != Some("acme") {
            return Ok(SignOn::NotUsed);
        }
        let live = LIVE.lock().unwrap();
        let has_session = live.as_ref().is_some_and(|live| live.contains(&signed_in.user.id));
        Ok(match has_session {
            true => SignOn::Live,
            false => SignOn::StartsAt("/groups/acme/-/saml/sso".into()),
        })
    }
}

/// Plugs the stand-in into this server.
fn plug(t: &TestServer) {
    let hooks: &Hooks = t.app().plugged().unwrap();
    assert!(hooks.single_sign_on.set(&Acme).is_ok());
}

async fn story(t: TestServer) {
    plug(&t);
    let jane = t.user("jane").await;
    let (acme, other) = (t.group("acme").await, t.group("other").await);
    let new = json!({"name": "Shop", "redirect_uri": "https://app.example/cb", "scopes": "api"});
    let shop = t.admin().post("/applications").json(&new).await.is(201).json();
    let uid = shop["application_id"].as_str().unwrap().to_owned();
    let path = |group: i64, more: &str| {
        format!(
            "/oauth/authorize?client_id={uid}&redirect_uri=https%3A%2F%2Fapp.example%2Fcb\
             &response_type=code&scope=api&root_namespace_id={group}{more}"
        )
    };
    let browser = t.browser("jane").await;

    let away = browser.get(&path(acme.id, "&state=x")).await.is(302);
    let target = url::Url::parse(&t.url()).unwrap().join(away.header("location")).unwrap();
    assert_eq!(target.path(), "/groups/acme/-/saml/sso");
    let back = target.query_pairs().find(|(name, _)| name == "return_to");
    let back = back.expect("a way back").1.into_owned();
    assert_eq!(back, path(acme.id, "&state=x"), "the whole question resumes");
    let quiet = browser.get(&path(acme.id, "&prompt=none")).await.is(302);
    assert!(quiet.header("location").contains("error=login_required"));
    browser.get(&path(other.id, "")).await.is(200);

    LIVE.lock().unwrap().get_or_insert_default().insert(jane.id);
    browser.get(&back).await.is(200);
    LIVE.lock().unwrap().get_or_insert_default().remove(&jane.id);
}

// One test: both servers of this process share the stand-in's sessions.
#[test]
fn a_group_with_single_sign_on_is_asked_first() {
    testkit::run(async {
        story(TestServer::sqlite().await).await;
        if let Some(server) = TestServer::postgres().await {
            story(server).await;
        }
    });
}
