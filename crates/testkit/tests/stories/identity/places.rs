//! Mail about sign-ins from new places.

use identity::sign_in::{Attempt, begin};
use identity::users;
use kernel::secrets::Secret;
use serde_json::json;
use testkit::service::set;
use testkit::{TestServer, TestUser};

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";
const SAFARI: &str = "Mozilla/5.0 (iPhone) AppleWebKit/605.1 Version/17 Safari/604.1";

/// Signs in from there; the mails sent so far.
async fn from(
    t: &TestServer, user: &TestUser, ip: &str, agent: &str,
) -> Vec<kernel::mail::Message> {
    let attempt = Attempt {
        login: String::new(),
        password: Secret::new(""),
        remember: false,
        ip: ip.into(),
        agent: agent.into(),
        before: None,
        return_to: String::new(),
    };
    let id = user.id;
    let begun = t.app().write(move |tx| {
        let user = users::find(tx, id)?.expect("a user");
        begin(tx, &user, &attempt)
    });
    begun.await.unwrap();
    t.settle().await;
    t.app().mailer().sent()
}

#[testkit::story(noon)]
async fn a_sign_in_from_a_new_place_is_told_by_mail(t: TestServer) {
    let jane = t.user("jane").await;
    assert!(from(&t, &jane, "192.0.2.1", FIREFOX).await.is_empty(), "the very first");
    assert!(from(&t, &jane, "192.0.2.77", FIREFOX).await.is_empty(), "a neighbour");

    let mails = from(&t, &jane, "198.51.100.9", FIREFOX).await;
    assert_eq!((mails.len(), mails[0].to.as_str()), (1, "jane@example.com"));
    assert_eq!(mails[0].subject, "Sign-in from a new place");
    let sessions = format!("{}/-/user_settings/sessions", t.url());
    for part in ["6 May 2031, 12:00 UTC", "198.51.100.9", "Firefox on Linux", &sessions] {
        assert!(mails[0].text.contains(part), "{part}: {}", mails[0].text);
    }
    assert_eq!(from(&t, &jane, "192.0.2.1", SAFARI).await.len(), 2, "another browser");
    assert_eq!(from(&t, &jane, "198.51.100.10", FIREFOX).await.len(), 2, "known by now");
    assert_eq!(from(&t, &jane, "192.0.2.1", "x\r\nBcc: a@b.example").await.len(), 3);
    let last = t.app().mailer().sent().pop().unwrap();
    assert!(!last.subject.contains("Bcc") && last.to == "jane@example.com");
    let told = t.admin().get(format!("/audit_events?entity_type=User&entity_id={}", jane.id));
    let events = told.await.is(200).each("event_name");
    assert_eq!(events.iter().filter(|name| **name == "user.new_place").count(), 3);

    // A place unused for half a year is a new one.
    t.advance(181 * 86_400);
    identity_sweep(&t).await;
    assert_eq!(from(&t, &jane, "192.0.2.1", FIREFOX).await.len(), 4);

    set(&t, json!({"notify_on_unknown_sign_in": false})).await;
    assert_eq!(from(&t, &jane, "203.0.113.1", FIREFOX).await.len(), 4, "switched off");
    set(&t, json!({"notify_on_unknown_sign_in": true})).await;
    assert_eq!(from(&t, &jane, "203.0.113.1", FIREFOX).await.len(), 4, "but noted");
}

#[testkit::story(noon)]
async fn few_places_are_kept_and_the_last_used_stay(t: TestServer) {
    let jane = t.user("jane").await;
    set(&t, json!({"notify_on_unknown_sign_in": false})).await;
    for n in 0..60 {
        t.advance(1);
        from(&t, &jane, &format!("10.0.{n}.1"), FIREFOX).await;
    }
    let kept: i64 = t
        .app()
        .read(|tx| Ok(tx.one("select count(*) from sign_in_places", ())?))
        .await
        .unwrap();
    assert_eq!(kept, 50);
    set(&t, json!({"notify_on_unknown_sign_in": true})).await;
    assert_eq!(from(&t, &jane, "10.0.59.2", FIREFOX).await.len(), 0);
    assert_eq!(from(&t, &jane, "10.0.0.2", FIREFOX).await.len(), 1);
}

async fn identity_sweep(t: &TestServer) {
    let swept = t.app().write(identity::sign_in_locations::sweep);
    assert!(swept.await.unwrap() > 0);
}
