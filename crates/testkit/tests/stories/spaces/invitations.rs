//! Invitations and access requests, with their mails.

use crate::spaces::{add, group};
use serde_json::{Value, json};
use testkit::{Client, Reply, TestServer};

async fn invite(client: &Client, at: &str, email: &str, more: Value) -> Reply {
    let mut body = json!({"email": email, "access_level": 30});
    crate::spaces::extend(&mut body, more);
    client.post(format!("{at}/invitations")).json(&body).await
}

/// Subjects of the mails to an address.
fn mails(t: &TestServer, to: &str) -> Vec<String> {
    let sent = t.app().mailer().sent().into_iter();
    // Not of what makes them members here.
    let asked = sent.filter(|mail| !mail.subject.starts_with("You are a member"));
    asked.filter(|mail| mail.to == to).map(|mail| mail.subject).collect()
}

/// The path of the link in the last mail to an address.
fn link(t: &TestServer, to: &str) -> String {
    let mail = t.app().mailer().sent().into_iter().rfind(|mail| mail.to == to);
    let text = mail.expect("a mail was sent").text;
    let at = text.find("/-/invites/").expect("a link");
    text[at..].lines().next().expect("a line").to_owned()
}

/// A session of this user, as a cookie, and a form token that goes with it.
async fn session(t: &TestServer, user: i64) -> (String, String) {
    let secret = "a-session-for-tests";
    let id = t
        .app()
        .write(move |tx| {
            let now = tx.now();
            let end = now + jiff::SignedDuration::from_hours(1);
            Ok(tx.one::<i64>(
                store::sql!(
                    "insert into sessions (digest, user_id, last_used_at, expires_at, created_at)
                values ($1, $2, $3, $4, $3) returning id"
                ),
                (kernel::secrets::digest(secret), user, now, end),
            )?)
        })
        .await
        .expect("a session");
    let page = t
        .anonymous()
        .at("/")
        .header("cookie", &format!("_service_session={secret}"))
        .await
        .is(200);
    let text = page.text();
    let from = text.find("authenticity_token\" value=\"").map(|at| at + 27);
    let token = from
        .and_then(|from| text[from..].split('"').next())
        .unwrap_or_default()
        .to_owned();
    assert!(!token.is_empty(), "session {id}: {text}");
    (format!("_service_session={secret}"), token)
}

#[testkit::story]
async fn an_invitation_is_listed_changed_and_dropped(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let at = project.at("");
    let made = invite(&t.admin(), &at, "joe@example.org", json!({})).await.is(201);
    assert_eq!(made.json(), json!({"status": "success"}));
    let again = invite(&t.admin(), &at, "JOE@example.org", json!({})).await.is(201);
    assert_eq!(
        again.json(),
        json!({"status": "error",
        "message": {"JOE@example.org": "Member already invited"}})
    );
    let bad = invite(&t.admin(), &at, "nobody,ann@example.org", json!({}))
        .await
        .is(201)
        .json();
    assert_eq!(bad["status"], "error");
    assert!(bad["message"]["nobody"].is_string() && bad["message"]["ann@example.org"].is_null());
    let listed = t.admin().get(project.at("/invitations?query=JOE")).await.is(200).json();
    assert_eq!(
        (&listed[0]["invite_email"], &listed[0]["access_level"], &listed[1]),
        (&json!("joe@example.org"), &json!(30), &Value::Null)
    );
    assert_eq!(listed[0]["created_by_name"], "Administrator");
    let one = project.at("/invitations/joe%40example.org");
    t.admin().put(&one).await.is(400);
    let changed = t
        .admin()
        .put(&one)
        .json(&json!({"access_level": 20, "expires_at": "2999-01-02"}))
        .await
        .is(200)
        .json();
    assert_eq!(
        (&changed["access_level"], &changed["expires_at"]),
        (&json!(20), &json!("2999-01-02"))
    );
    t.admin().put(&one).json(&json!({"expires_at": "2001-01-01"})).await.is(400);
    t.admin().put(&one).json(&json!({"access_level": 7})).await.is(400);
    t.admin().delete(&one).await.is(204);
    t.admin().delete(&one).await.is(404);
    t.admin().put(&one).json(&json!({"access_level": 20})).await.is(404);
    t.admin()
        .post(project.at("/invitations"))
        .json(&json!({"access_level": 30}))
        .await
        .is(400);
    let many: Vec<String> = (0..101).map(|n| format!("u{n}@example.org")).collect();
    invite(&t.admin(), &at, &many.join(","), json!({})).await.is(400);
}

#[testkit::story]
async fn nobody_invites_above_their_role(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (maintainer, dev) = (t.user("maint").await, t.user("dev").await);
    project.add(&maintainer, 40).await;
    project.add(&dev, 30).await;
    let at = project.at("");
    invite(&dev, &at, "joe@example.org", json!({})).await.is(403);
    dev.get(project.at("/invitations")).await.is(403);
    invite(&maintainer, &at, "joe@example.org", json!({"access_level": 50}))
        .await
        .is(403);
    invite(&maintainer, &at, "joe@example.org", json!({})).await.is(201);
    let one = project.at("/invitations/joe%40example.org");
    maintainer.put(&one).json(&json!({"access_level": 50})).await.is(403);
    t.admin().put(&one).json(&json!({"access_level": 50})).await.is(200);
    maintainer.put(&one).json(&json!({"access_level": 10})).await.is(403);
    maintainer.delete(&one).await.is(403);
    t.user("outsider").await.get(project.at("/invitations")).await.is(404);
}

#[testkit::story]
async fn an_account_with_the_address_is_a_member(t: TestServer) {
    let acme = t.group("acme").await;
    let at = acme.at("");
    invite(&t.admin(), &at, "joe@example.com", json!({"expires_at": "2999-01-02"}))
        .await
        .is(201);
    invite(&t.admin(), &at, "ann@example.com", json!({})).await.is(201);
    let joe = t.user("joe").await;
    let member = t.admin().get(acme.at(&format!("/members/{}", joe.id))).await.is(200).json();
    assert_eq!(
        (&member["access_level"], &member["expires_at"]),
        (&json!(30), &json!("2999-01-02"))
    );
    joe.get(&at).await.is(200);
    let ann = json!({"username": "ann", "name": "Ann", "email": "ann@example.com",
        "password": "correct horse battery", "skip_confirmation": false});
    let ann = t.admin().post("/users").json(&ann).await.is(201).id();
    t.admin().get(acme.at(&format!("/members/{ann}"))).await.is(404);
    let listed = t.admin().get(acme.at("/invitations")).await.is(200);
    assert_eq!(listed.each("invite_email"), [json!("ann@example.com")]);
    // As the link in the mail that confirms the address does.
    t.app()
        .write(move |tx| {
            let user = identity::users::find(tx, ann)?.expect("ann is here");
            identity::users::confirm_email(tx, &identity::users::Author::default(), &user, None)
        })
        .await
        .expect("confirmed");
    t.admin().get(acme.at(&format!("/members/{ann}"))).await.is(200);
    // A known address becomes a member at once.
    let jane = t.user("jane").await;
    invite(&t.admin(), &at, "Jane@Example.com", json!({})).await.is(201);
    jane.get(&at).await.is(200);
    let again = invite(&t.admin(), &at, "jane@example.com", json!({})).await.is(201).json();
    assert_eq!(again["message"]["jane@example.com"], "Member already exists");
    assert_eq!(t.admin().get(acme.at("/invitations")).await.is(200).json(), json!([]));
    // So does a further address of an account.
    invite(&t.admin(), "/groups/acme", "j@example.org", json!({"access_level": 20}))
        .await
        .is(201);
    let far = t.user("far").await;
    let more = json!({"email": "j@example.org", "skip_confirmation": true});
    t.admin().post(format!("/users/{}/emails", far.id)).json(&more).await.is(201);
    let member = t.admin().get(acme.at(&format!("/members/{}", far.id))).await.is(200);
    assert_eq!(member.json()["access_level"], 20);
}

#[testkit::story]
async fn the_link_in_the_mail_is_answered_once(t: TestServer) {
    let acme = t.group("acme").await;
    let joe = t.user("joe").await;
    invite(&t.admin(), &acme.at(""), "work@example.org", json!({})).await.is(201);
    t.settle().await;
    assert_eq!(mails(&t, "work@example.org"), ["Administrator invited you to the group acme"]);
    let link = link(&t, "work@example.org");
    let to = t.anonymous().at(&link).await.is(302);
    assert!(
        to.header("location").starts_with("/users/sign_in?return_to=%2F-%2Finvites"),
        "{to:?}"
    );
    let (cookie, token) = session(&t, joe.id).await;
    let page = t.anonymous().at(&link).header("cookie", &cookie).await.is(200);
    assert!(page.text().contains("acme") && page.text().contains("Developer"));
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    joe.get(acme.at("")).await.is(404);
    let answer = |form: String| {
        t.anonymous()
            .request(http::Method::POST, &link)
            .header("cookie", &cookie)
            .form(form)
    };
    answer("answer=accept".into()).await.is(403);
    joe.get(acme.at("")).await.is(404);
    let form = format!("answer=accept&authenticity_token={token}");
    let to = answer(form.clone()).await.is(302);
    assert_eq!(to.header("location"), "/groups/acme");
    let member = joe.get(acme.at(&format!("/members/{}", joe.id))).await.is(200);
    assert_eq!(member.json()["access_level"], 30);
    answer(form).await.is(404);
    t.anonymous().at("/-/invites/forged").header("cookie", &cookie).await.is(404);
}

#[testkit::story]
async fn requests_are_granted_and_denied_by_who_may(t: TestServer) {
    let (jane, joe, ann) = (t.user("jane").await, t.user("joe").await, t.user("ann").await);
    let acme = group(&jane, "acme", json!({"visibility": "public"})).await.is(201).id();
    let at = format!("/groups/{acme}");
    let ask = joe.post(format!("{at}/access_requests")).await.is(201).json();
    assert_eq!(ask["username"], "joe");
    joe.post(format!("{at}/access_requests")).await.is(400);
    jane.post(format!("{at}/access_requests")).await.is(400);
    t.anonymous().post(format!("{at}/access_requests")).await.is(401);
    joe.get(format!("{at}/access_requests")).await.is(403);
    assert_eq!(
        jane.get(format!("{at}/access_requests")).await.is(200).each("username"),
        [json!("joe")]
    );
    assert!(
        !jane
            .get(format!("{at}/members"))
            .await
            .is(200)
            .each("username")
            .contains(&json!("joe"))
    );
    t.settle().await;
    assert_eq!(mails(&t, "jane@example.com"), ["joe asks for access to the group acme"]);
    joe.put(format!("{at}/access_requests/{}/approve", joe.id)).await.is(403);
    let granted = jane
        .put(format!("{at}/access_requests/{}/approve", joe.id))
        .json(&json!({"access_level": 20}))
        .await
        .is(201)
        .json();
    assert_eq!(granted["access_level"], 20);
    jane.put(format!("{at}/access_requests/{}/approve", joe.id)).await.is(404);
    t.settle().await;
    assert_eq!(mails(&t, "joe@example.com"), ["Access to the group acme was granted"]);
    ann.post(format!("{at}/access_requests")).await.is(201);
    joe.delete(format!("{at}/access_requests/{}", ann.id)).await.is(403);
    jane.delete(format!("{at}/access_requests/{}", ann.id)).await.is(204);
    jane.delete(format!("{at}/access_requests/{}", ann.id)).await.is(404);
    t.settle().await;
    assert_eq!(mails(&t, "ann@example.com"), ["Access to the group acme was denied"]);
    ann.post(format!("{at}/access_requests")).await.is(201);
    ann.delete(format!("{at}/access_requests/{}", ann.id)).await.is(204);
    t.settle().await;
    assert_eq!(mails(&t, "ann@example.com").len(), 1);
    jane.put(&at)
        .json(&json!({"request_access_enabled": false, "emails_enabled": false}))
        .await
        .is(200);
    ann.post(format!("{at}/access_requests")).await.is(403);
}

#[testkit::story]
async fn a_request_for_a_project_reaches_its_maintainers(t: TestServer) {
    let (jane, joe, dev) = (t.user("jane").await, t.user("joe").await, t.user("dev").await);
    let anvil = t.project_with("acme/anvil", "internal").await;
    add(&t.admin(), &anvil.at(""), &jane, 40).await.is(201);
    add(&t.admin(), &anvil.at(""), &dev, 30).await.is(201);
    joe.post(anvil.at("/access_requests")).await.is(201);
    t.settle().await;
    assert_eq!(mails(&t, "jane@example.com"), ["joe asks for access to the project acme/anvil"]);
    assert!(mails(&t, "dev@example.com").is_empty());
    jane.put(anvil.at(&format!("/access_requests/{}/approve", joe.id)))
        .json(&json!({"access_level": 50}))
        .await
        .is(403);
    jane.put(anvil.at(&format!("/access_requests/{}/approve", joe.id)))
        .await
        .is(201);
    let granted = joe.get(anvil.at(&format!("/members/{}", joe.id))).await.is(200);
    assert_eq!(granted.json()["access_level"], 30);
    t.project("secret/plan").await;
    joe.post("/projects/secret%2Fplan/access_requests").await.is(404);
}
