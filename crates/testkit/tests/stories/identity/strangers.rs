//! What people see of pages before they sign in.

use http::Method;
use serde_json::json;

#[testkit::story]
async fn who_looks_for_a_hidden_page_signs_in_first(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    t.user("outsider").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let outsider = t.browser("outsider").await;
    for path in [
        "/acme/anvil",
        "/acme/anvil/-/packages",
        "/acme/anvil/-/issues?state=opened",
        "/groups/acme",
        "/acme",
        // Of what there is not the same is told.
        "/acme/nothing",
        "/acme/nothing/-/packages",
        "/acme/anvil/-/nothing",
        "/groups/nothing",
        "/nobody",
        "/nobody/at/all",
    ] {
        let back = url::form_urlencoded::byte_serialize(path.as_bytes()).collect::<String>();
        for method in [Method::GET, Method::HEAD] {
            let led = t.anonymous().request(method, path).await.is(302);
            let to = led.header("location").replace("%2D", "-").replace("%2E", ".");
            assert_eq!(to, format!("/users/sign_in?return_to={back}"));
        }
        outsider.get(path).await.is(404);
    }
    // What only programs ask for is not there, and forms lead nowhere.
    t.anonymous().at("/.well-known/change-password").await.is(404);
    t.anonymous().request(Method::POST, "/acme/nothing").form("a=b").await.is(405);

    let browser = t.new_browser();
    let led = browser.get("/acme/anvil").await.is(302).header("location").to_owned();
    let page = browser.get(&led).await.is(200);
    assert!(page.text().contains("Sign in to go on to the page you asked for."));
    let back = page.hidden("return_to").expect("where to go on");
    let form = [("login", "jane"), ("password", testkit::PASSWORD), ("return_to", &*back)];
    let entered = browser.post("/users/sign_in", &form).await.is(302);
    assert_eq!(entered.header("location"), "/acme/anvil");
    browser.get("/acme/anvil").await.is(200);
}

#[testkit::story]
async fn people_have_a_page_for_everybody(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    t.user("john").await;
    let new = json!({"name": "tongs", "visibility": "public"});
    jane.post("/projects").json(&new).await.is(201);
    let hidden = json!({"name": "moulds", "visibility": "private"});
    jane.post("/projects").json(&hidden).await.is(201);
    let page = t.anonymous().at("/jane").await.is(200).text();
    assert!(page.contains("tongs") && !page.contains("moulds"), "{page}");
    assert!(page.contains("here since"), "{page}");

    let path = format!("/users/{}", jane.id);
    t.admin().put(&path).json(&json!({"private_profile": true})).await.is(200);
    let john = t.browser("john").await;
    for page in [t.anonymous().at("/jane").await, john.get("/jane").await] {
        let page = page.is(200).text();
        assert!(!page.contains("tongs") && !page.contains("here since"), "{page}");
    }
    let own = t.browser("jane").await.get("/jane").await.is(200).text();
    assert!(own.contains("tongs") && own.contains("here since"), "{own}");
    t.admin().post(format!("{path}/ban")).await.is(201);
    t.anonymous().at("/jane").await.is(302);
    john.get("/jane").await.is(404);
}

#[testkit::story]
async fn guides_of_clients_lead_to_the_form_of_a_token(t: testkit::TestServer) {
    t.user("jane").await;
    let browser = t.browser("jane").await;
    for path in ["/-/user_settings/personal_access_tokens", "/-/profile/personal_access_tokens"] {
        let led = browser.get(&format!("{path}?name=glab&scopes=read_user,api")).await.is(302);
        assert_eq!(
            led.header("location"),
            "/-/user_settings/tokens?name=glab&scopes=read_user,api"
        );
    }
    let wish = "/-/user_settings/tokens?name=%3Cb%3Eglab&scopes=read_user,api,sudo,nothing&expires_at=2027-01-31";
    let page = browser.get(wish).await.is(200).text();
    assert!(page.contains("&#60;b&#62;glab") && page.contains("2027-01-31"), "{page}");
    let ticked = |scope: &str| {
        let at = page.find(&format!("value=\"{scope}\"")).expect(scope);
        page[at..].split('>').next().is_some_and(|tag| tag.contains("checked"))
    };
    assert!(ticked("read_user") && ticked("api") && !ticked("read_api"));
    assert!(!page.contains("value=\"sudo\""), "only administrators may have it");
}

#[testkit::story]
async fn programs_are_told_what_not_to_collect(t: testkit::TestServer) {
    let text = t.anonymous().at("/robots.txt").await.is(200);
    assert!(text.header("content-type").starts_with("text/plain"));
    assert!(text.text().starts_with("User-agent: *\n"));
    assert!(text.text().contains("\nDisallow: /api/\n"));
}
