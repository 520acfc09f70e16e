//! Profiles, statuses, and tokens that administrators make for others.

use super::admin::administrator;
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn a_person_is_followed_from_their_profile(t: TestServer) {
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    let browser = t.browser("jane").await;
    let page = browser.get("/joe").await.is(200).text();
    assert!(page.contains(">Follow</button>"), "{page}");
    let (to, page) = browser.submit("/users/joe/follow", &[("follows", "1")]).await;
    assert_eq!(to, "/joe");
    assert!(page.contains("You follow") && page.contains(">Unfollow</button>"), "{page}");
    let followers = jane.get(format!("/users/{}/followers", joe.id)).await.is(200);
    assert_eq!(followers.each("username"), [json!("jane")]);
    let (_, page) = browser.submit("/users/joe/follow", &[("follows", "0")]).await;
    assert!(page.contains("You no longer follow") && page.contains(">Follow</button>"));
    browser.post("/users/nobody/follow", &[("follows", "1")]).await.is(404);
    let own = browser.get("/jane").await.is(200).text();
    assert!(!own.contains("Follow</button>") && own.contains("Set status"), "{own}");
    let stranger = t.new_browser().get("/joe").await.is(200).text();
    assert!(!stranger.contains("Follow</button>"), "{stranger}");
}

#[testkit::story(noon)]
async fn a_status_is_said_on_the_profile_until_it_ends(t: TestServer) {
    t.user("jane").await;
    t.user("joe").await;
    let (jane, joe) = (t.browser("jane").await, t.browser("joe").await);
    let status = [
        ("message", "On <b>holiday"),
        ("emoji", ":palm_tree:"),
        ("busy", "1"),
        ("clear_after", "3_hours"),
    ];
    let (_, page) = jane.submit("/-/user_settings/status", &status).await;
    assert!(
        page.contains("Status saved.") && page.contains("What is set now ends"),
        "{page}"
    );
    let seen = joe.get("/jane").await.is(200).text();
    assert!(seen.contains("🌴 On &#60;b&#62;holiday (busy)"), "{seen}");
    let stranger = t.new_browser().get("/jane").await.is(200).text();
    assert!(!stranger.contains("holiday"), "{stranger}");
    t.advance(4 * 3600);
    let seen = joe.get("/jane").await.is(200).text();
    assert!(!seen.contains("holiday"), "{seen}");

    let long = "x".repeat(101);
    let refused = [("message", long.as_str()), ("emoji", ""), ("clear_after", "")];
    let page = jane.post("/-/user_settings/status", &refused).await.is(422).text();
    assert!(page.contains(&long) && page.contains("id=\"e-message\""), "{page}");
}

#[testkit::story]
async fn an_administrator_sets_and_clears_a_status(t: TestServer) {
    let joe = t.user("joe").await;
    let ada = administrator(&t).await;
    let status = [("message", "Away"), ("emoji", ""), ("clear_after", "")];
    let (to, page) = ada.submit("/admin/users/joe/status", &status).await;
    assert_eq!(to, "/admin/users/joe/status");
    assert!(page.contains("Status saved.") && page.contains("value=\"Away\""), "{page}");
    assert_eq!(joe.get("/user/status").await.is(200).json()["message"], "Away");
    let events = format!("/audit_events?entity_type=User&entity_id={}", joe.id);
    let events = t.admin().get(events).await.is(200).each("event_name");
    assert!(events.contains(&json!("user.set_status")), "{events:?}");
    let cleared = [("message", ""), ("emoji", ""), ("clear_after", "")];
    let (_, page) = ada.submit("/admin/users/joe/status", &cleared).await;
    assert!(page.contains("Status cleared."), "{page}");
    t.browser("joe").await.get("/admin/users/joe/status").await.is(403);
}

#[testkit::story]
async fn an_administrator_makes_tokens_for_a_user(t: TestServer) {
    let joe = t.user("joe").await;
    let ada = administrator(&t).await;
    let path = "/admin/users/joe/tokens";
    for kind in ["personal", "impersonation"] {
        let form = [("kind", kind), ("name", "robot"), ("scopes[]", "read_user")];
        let page = ada.post(path, &form).await.is(200).text();
        let begins = page.find("svpat-").unwrap_or_else(|| panic!("no token: {page}"));
        let rest = page[begins..].chars();
        let secret: String = rest.take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        let me = t.with_token(secret).get("/user").await.is(200).json();
        assert_eq!(me["id"], joe.id, "{kind}");
    }
    let path_of = format!("/users/{}/impersonation_tokens", joe.id);
    assert_eq!(t.admin().get(path_of).await.is(200).each("name"), [json!("robot")]);
    let account = ada.get("/admin/users/joe").await.is(200).text();
    assert!(
        account.contains("/admin/users/joe/tokens\"") && account.contains("impersonation"),
        "{account}"
    );
    let own = t.browser("joe").await.get("/-/user_settings/tokens").await.is(200).text();
    assert!(own.contains(">robot") && !own.contains("impersonation"), "{own}");

    let refused = ada.post(path, &[("name", "robot")]).await.is(422).text();
    assert!(refused.contains("value=\"robot\""), "{refused}");
    t.browser("joe").await.post(path, &[("name", "x")]).await.is(403);
}
