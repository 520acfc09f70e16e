//! Stars, deploy tokens, shares and invitations on the pages of projects and
//! groups.

use kernel::mail::Message;
use serde_json::json;
use testkit::{Browser, TestServer};

const PAGES: [&str; 2] = ["/acme/anvil", "/groups/acme"];

/// A project and its group, with somebody of this role in both.
async fn member(t: &TestServer, name: &str, level: i64) -> Browser {
    let project = t.project("acme/anvil").await;
    let user = t.user(name).await;
    project.add(&user, level).await;
    t.group("acme").await.add(&user, level).await;
    t.browser(name).await
}

async fn mails_to(t: &TestServer, address: &str) -> Vec<Message> {
    t.settle().await;
    let sent = t.app().mailer().sent();
    sent.into_iter().filter(|mail| mail.to == address).collect()
}

fn field(page: &str, id: &str) -> String {
    let field = &page[page.find(&format!("id=\"{id}\"")).expect("it is shown")..];
    let value = field.split("value=\"").nth(1).and_then(|rest| rest.split('"').next());
    value.unwrap_or_default().to_owned()
}

#[testkit::story]
async fn deploy_tokens_are_made_shown_once_and_revoked(t: TestServer) {
    let jane = member(&t, "jane", 50).await;
    let package = t.project("acme/anvil2").await.generic_package("hammer", "1.0").await;
    for page in PAGES {
        let path = format!("{page}/-/deploy_tokens");
        assert!(jane.get(&path).await.is(200).text().contains("No deploy tokens"));
        let form = [
            ("action", "create"),
            ("name", "ci <1>"),
            ("scopes[]", "read_package_registry"),
            ("expires_at", "2999-01-01"),
        ];
        let made = jane.post(&path, &form).await.is(200).text();
        let token = field(&made, "new-token");
        assert!(token.starts_with("svdt-") && made.contains("ci &#60;1&#62;"), "{made}");
        assert!(field(&made, "new-username").starts_with("service+deploy-token-"));
        let list = jane.get(&path).await.is(200).text();
        assert!(!list.contains(&token) && list.contains("2999-01-01"));
        if page.starts_with("/groups") {
            t.anonymous().get(&package.file).header("deploy-token", &token).await.is(200);
        }
        let id = list.split("name=\"token_id\" value=\"").nth(1).expect("it can be revoked");
        let id = id.split('"').next().unwrap_or_default();
        let revoke = [("action", "revoke"), ("token_id", id)];
        let (_, list) = jane.submit(&path, &revoke).await;
        assert!(list.contains("Deploy token revoked.") && list.contains("No deploy tokens"));
        t.anonymous().get(&package.file).header("deploy-token", &token).await.is(401);
        jane.post(&path, &revoke).await.is(404);

        let wrong = [("name", " "), ("username", "a b"), ("scopes[]", "read_package_registry")];
        let refused = jane.post(&path, &wrong).await.is(422).text();
        for name in ["name", "username"] {
            assert!(refused.contains(&format!("id=\"e-{name}\"")), "{name}: {refused}");
        }
        let refused = jane.post(&path, &[("name", "x")]).await.is(422).text();
        assert!(refused.contains("Choose at least one"), "{refused}");
        let past = [
            ("name", "x"),
            ("scopes[]", "read_package_registry"),
            ("expires_at", "2001-01-01"),
        ];
        assert!(jane.post(&path, &past).await.is(422).text().contains("Must be in the future"));
    }
}

#[testkit::story]
async fn deploy_tokens_are_for_who_may_manage_them(t: TestServer) {
    let dora = member(&t, "dora", 30).await;
    t.user("olga").await;
    let olga = t.browser("olga").await;
    for page in PAGES {
        let path = format!("{page}/-/deploy_tokens");
        let form = [("name", "x"), ("scopes[]", "read_package_registry")];
        dora.get(&path).await.is(403);
        dora.post(&path, &form).await.is(403);
        olga.get(&path).await.is(404);
        olga.post(&path, &form).await.is(404);
        t.anonymous().at(&path).await.is(401);
    }
    assert_eq!(t.admin().get("/deploy_tokens").await.is(200).json(), json!([]));
}

#[testkit::story]
async fn a_group_maintainer_reads_deploy_tokens_only(t: TestServer) {
    let mia = member(&t, "mia", 40).await;
    let body = json!({"name": "theirs", "scopes": ["read_package_registry"]});
    t.admin().post("/groups/acme/deploy_tokens").json(&body).await.is(201);
    let path = "/groups/acme/-/deploy_tokens";
    let page = mia.get(path).await.is(200).text();
    assert!(page.contains("theirs") && !page.contains("value=\"revoke\""), "{page}");
    assert!(!page.contains("New deploy token"));
    let form = [("name", "x"), ("scopes[]", "read_package_registry")];
    mia.post(path, &form).await.is(403);
}

#[testkit::story]
async fn a_star_is_given_counted_and_taken_back(t: TestServer) {
    let jane = member(&t, "jane", 10).await;
    let page = jane.get("/acme/anvil").await.is(200).text();
    assert!(page.contains("name=\"starred\" value=\"1\""), "{page}");
    let (to, page) = jane.submit("/acme/anvil/-/star", &[("starred", "1")]).await;
    assert_eq!(to, "/acme/anvil");
    assert!(
        page.contains("You starred anvil.")
            && page.contains("starrers\" aria-label=\"1 star\">1</a>"),
        "{page}"
    );
    jane.submit("/acme/anvil/-/star", &[("starred", "1")]).await;
    let stored = t.admin().get("/projects/acme%2Fanvil").await.is(200).json();
    assert_eq!(stored["star_count"], 1, "one person has one star");
    let list = jane.get("/acme/anvil/-/starrers").await.is(200).text();
    assert!(list.contains("<span class=\"muted\">@jane</span>"), "{list}");
    let none = jane.get("/acme/anvil/-/starrers?search=zoe").await.is(200).text();
    assert!(none.contains("Nobody found"));
    let (_, page) = jane.submit("/acme/anvil/-/star", &[("starred", "0")]).await;
    assert!(page.contains("starrers\" aria-label=\"0 stars\">0</a>"), "{page}");
    t.user("olga").await;
    let olga = t.browser("olga").await;
    olga.get("/acme/anvil/-/starrers").await.is(404);
    olga.post("/acme/anvil/-/star", &[("starred", "1")]).await.is(404);
    jane.post_bare("/acme/anvil/-/star", &[("starred", "1")]).await.is(403);
    jane.post("/groups/acme/-/star", &[("starred", "1")]).await.is(404);
}

#[testkit::story]
async fn a_project_is_forked_by_a_form(t: TestServer) {
    let jane = member(&t, "jane", 20).await;
    let page = jane.get("/acme/anvil").await.is(200).text();
    assert!(page.contains("href=\"/acme/anvil/-/forks/new\""), "{page}");
    assert!(page.contains("forks\" aria-label=\"0 forks\">0</a>"), "{page}");
    let form = jane.get("/acme/anvil/-/forks/new").await.is(200).text();
    assert!(form.contains("value=\"anvil\"") && form.contains(">jane</option>"), "{form}");
    let fields = [("name", "Horn"), ("path", ""), ("visibility", "private")];
    let (to, page) = jane.submit("/acme/anvil/-/forks", &fields).await;
    assert_eq!(to, "/jane/horn");
    assert!(page.contains("Horn is forked."), "{page}");
    assert!(page.contains("<a href=\"/acme/anvil\">acme/anvil</a>"), "{page}");
    let refused = jane.post("/acme/anvil/-/forks", &fields).await.is(422).text();
    assert!(refused.contains("Has already been taken"), "{refused}");
    let list = jane.get("/acme/anvil/-/forks").await.is(200).text();
    assert!(list.contains("href=\"/jane/horn\""), "{list}");
    let none = jane.get("/acme/anvil/-/forks?search=beak").await.is(200).text();
    assert!(none.contains("No forks"), "{none}");
    let off = json!({"forking_access_level": "disabled"});
    t.admin().put("/projects/acme%2Fanvil").json(&off).await.is(200);
    jane.get("/acme/anvil/-/forks/new").await.is(403);
    jane.post("/acme/anvil/-/forks", &fields).await.is(403);
    let page = jane.get("/acme/anvil").await.is(200).text();
    assert!(
        !page.contains("/-/forks/new") && page.contains("aria-label=\"1 fork\""),
        "{page}"
    );
    t.user("olga").await;
    let olga = t.browser("olga").await;
    olga.get("/acme/anvil/-/forks").await.is(404);
    olga.get("/acme/anvil/-/forks/new").await.is(404);
    t.anonymous().at("/acme/anvil/-/forks/new").await.is(401);
    jane.post_bare("/acme/anvil/-/forks", &fields).await.is(403);
}

#[testkit::story]
async fn a_project_and_a_group_are_shared_with_a_group(t: TestServer) {
    let jane = member(&t, "jane", 50).await;
    let labs = t.group("labs").await;
    t.group("hidden").await;
    let john = t.user("john").await;
    labs.add(&john, 40).await;
    let me = t.admin().get("/users?username=jane").await.json()[0]["id"].clone();
    let body = json!({"user_id": me, "access_level": 10});
    t.admin().post("/groups/labs/members").json(&body).await.is(201);
    let browser = t.browser("john").await;
    for page in PAGES {
        browser.get(page).await.is(404);
        let path = format!("{page}/-/members");
        let form = [
            ("action", "share"),
            ("group", "labs"),
            ("group_access", "30"),
            ("share_until", "2999-01-01"),
        ];
        let (_, list) = jane.submit(&path, &form).await;
        assert!(list.contains("Members of labs come in as Developer at most."), "{list}");
        assert!(list.contains("href=\"/groups/labs\"") && list.contains("2999-01-01"));
        browser.get(page).await.is(200);
        let again = jane.post(&path, &form).await.is(422).text();
        assert!(again.contains("Has a share here already") && again.contains("value=\"labs\""));
        for group in ["hidden", "nowhere", ""] {
            let form = [("action", "share"), ("group", group), ("group_access", "30")];
            let refused = jane.post(&path, &form).await.is(422).text();
            assert!(refused.contains("Is not the path of a group you can see"), "{group}");
        }
        let id = labs.id.to_string();
        let end = [("action", "unshare"), ("group_id", id.as_str())];
        jane.submit(&path, &end).await;
        browser.get(page).await.is(404);
        jane.post(&path, &end).await.is(404);
    }
}

#[testkit::story]
async fn an_address_is_invited_by_mail(t: TestServer) {
    let jane = member(&t, "jane", 50).await;
    for (page, address) in [(PAGES[0], "zoe@example.org"), (PAGES[1], "yan@example.org")] {
        let path = format!("{page}/-/members");
        let add = [("action", "add"), ("username", address), ("access_level", "20")];
        let (_, list) = jane.submit(&path, &add).await;
        assert!(list.contains("A mail with an invitation is on its way"), "{list}");
        assert!(list.contains(address) && list.contains("Reporter"));
        assert_eq!(mails_to(&t, address).await.len(), 1);
        let again = jane.post(&path, &add).await.is(422).text();
        assert!(again.contains("Is invited already"), "{again}");
        let change = [
            ("action", "invited"),
            ("email", address),
            ("access_level", "30"),
            ("expires_at", "2999-01-01"),
        ];
        let (_, list) = jane.submit(&path, &change).await;
        assert!(list.contains("is invited as Developer.") && list.contains("2999-01-01"));
        let (_, list) = jane.submit(&path, &[("action", "withdraw"), ("email", address)]).await;
        assert!(list.contains("Invitation withdrawn.") && !list.contains(address), "{list}");
        let wrong = [("action", "add"), ("username", "a@"), ("access_level", "20")];
        let refused = jane.post(&path, &wrong).await.is(422).text();
        assert!(refused.contains("id=\"e-username\""), "{refused}");
    }
    // Whose address is confirmed comes in at once.
    t.user("bob").await;
    let add = [("action", "add"), ("username", "bob@example.com"), ("access_level", "20")];
    let (_, list) = jane.submit("/acme/anvil/-/members", &add).await;
    assert!(list.contains("bob is now a member: Reporter."), "{list}");
}

#[testkit::story]
async fn a_developer_neither_invites_nor_shares(t: TestServer) {
    let dora = member(&t, "dora", 30).await;
    t.group("labs").await;
    let invite = json!({"email": "zoe@example.org", "access_level": 10});
    t.admin().post("/projects/acme%2Fanvil/invitations").json(&invite).await.is(201);
    for page in PAGES {
        let path = format!("{page}/-/members");
        let list = dora.get(&path).await.is(200).text();
        assert!(!list.contains("zoe@example.org") && !list.contains("value=\"share\""), "{list}");
        for form in [
            [("action", "share"), ("group", "labs"), ("group_access", "10")],
            [("action", "unshare"), ("group_id", "1"), ("group_access", "10")],
            [("action", "add"), ("username", "y@example.org"), ("access_level", "10")],
            [("action", "invited"), ("email", "zoe@example.org"), ("access_level", "30")],
            [("action", "withdraw"), ("email", "zoe@example.org"), ("access_level", "10")],
        ] {
            dora.post(&path, &form).await.is(403);
        }
    }
    let open = t.admin().get("/projects/acme%2Fanvil/invitations").await.is(200);
    assert_eq!(open.each("access_level"), [json!(10)]);
}

#[testkit::story]
async fn a_group_says_what_its_members_need(t: TestServer) {
    let jane = member(&t, "jane", 50).await;
    let path = "/groups/acme/-/settings";
    let form = [
        ("action", "save"),
        ("name", "acme"),
        ("share_lock", "1"),
        ("two_factor_grace_period", "3 days"),
        ("emails", "0"),
    ];
    let (_, page) = jane.submit(path, &form).await;
    assert!(page.contains("value=\"3 days\""), "{page}");
    let group = t.admin().get("/groups/acme").await.is(200).json();
    assert_eq!(
        (&group["share_with_group_lock"], &group["two_factor_grace_period"]),
        (&json!(true), &json!(72))
    );
    assert_eq!(group["emails_enabled"], false);
    assert_eq!(group["require_two_factor_authentication"], false, "what was not sent stays");
    t.group("labs").await;
    let me = t.admin().get("/users?username=jane").await.json()[0]["id"].clone();
    let body = json!({"user_id": me, "access_level": 10});
    t.admin().post("/groups/labs/members").json(&body).await.is(201);
    let share = [("action", "share"), ("group", "labs"), ("group_access", "10")];
    let refused = jane.post("/acme/anvil/-/members", &share).await.is(422).text();
    assert!(refused.contains("Sharing with groups is locked here."), "{refused}");
    let wrong = [("action", "save"), ("name", "acme"), ("two_factor_grace_period", "soon")];
    let refused = jane.post(path, &wrong).await.is(422).text();
    assert!(refused.contains("Is not a time such as"), "{refused}");
}
