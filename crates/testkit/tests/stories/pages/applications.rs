//! Applications that groups register, and who may.

use http::Method;
use serde_json::json;
use testkit::{Browser, TestServer};

const ACME: &str = "/groups/acme/-/settings/applications";
const SHOP: &[(&str, &str)] = &[
    ("name", "Shop"),
    ("redirect_uri", "https://shop.example/cb"),
    ("scopes[]", "read_user"),
    ("confidential", "1"),
    ("trusted", "1"),
];

/// Registers an application there; the path of its page.
async fn register(browser: &Browser, list: &str) -> String {
    browser.post(list, SHOP).await.is(200);
    let page = browser.get(list).await.is(200).text();
    let at = page.rfind(&format!("href=\"{list}/")).expect("it is listed");
    let id = page[at..].split(['/', '"']).find(|part| part.parse::<i64>().is_ok());
    format!("{list}/{}", id.expect("an id"))
}

async fn kept(t: &TestServer) -> Vec<(String, bool)> {
    t.app()
        .read(|tx| {
            let sql = "select owner_type, trusted from applications
            where owner_type is not null order by id";
            Ok(tx.all(sql, ())?)
        })
        .await
        .expect("they can be read")
}

#[testkit::story]
async fn owners_of_a_group_register_its_applications(t: TestServer) {
    let (acme, olga) = (t.group("acme").await, t.user("olga").await);
    acme.add(&olga, 50).await;
    let browser = t.browser("olga").await;
    let page = browser.get("/groups/acme/-/settings").await.is(200).text();
    assert!(page.contains(&format!("href=\"{ACME}\"")), "{page}");
    let empty = browser.get(ACME).await.is(200).text();
    assert!(empty.contains("Applications of acme") && !empty.contains("name=\"trusted\""));
    let made = browser.post(ACME, SHOP).await.is(200).text();
    assert!(made.contains("it is shown this once only"), "{made}");
    assert_eq!(kept(&t).await, [("Group".to_owned(), false)], "owners cannot trust it");

    let refused = browser.post(ACME, &[("name", ""), ("redirect_uri", "ftp:x")]).await.is(422);
    assert!(
        refused.text().contains("Can&#39;t be blank") || refused.text().contains("Can't be blank")
    );
    let one = register(&browser, ACME).await;
    let change = [
        ("name", "Store"),
        ("redirect_uri", "https://store.example/cb"),
        ("scopes[]", "api"),
        ("confidential", "1"),
    ];
    let (to, page) = browser.submit(&one, &change).await;
    assert!(to == one && page.contains("Store") && page.contains("Application saved."));
    let renewed = browser.post(&format!("{one}/renew"), &[]).await.is(200).text();
    assert!(renewed.contains("being replaced"));
    let (to, _) = browser.submit(&format!("{one}/delete"), &[]).await;
    assert_eq!(to, ACME);
    browser.get(&one).await.is(404);
    let told = t.admin().get("/audit_events?entity_type=Application").await.is(200);
    assert_eq!(told.json()[0]["event_name"], "application.delete");

    // They end with the group.
    t.admin().delete("/groups/acme").await.is(202);
    t.settle().await;
    assert!(kept(&t).await.is_empty());
}

#[testkit::story]
async fn others_neither_see_nor_change_them(t: TestServer) {
    let (acme, other) = (t.group("acme").await, t.group("other").await);
    let (olga, mary, eve) = (t.user("olga").await, t.user("mary").await, t.user("eve").await);
    acme.add(&olga, 50).await;
    acme.add(&mary, 40).await;
    other.add(&eve, 50).await;
    let owner = t.browser("olga").await;
    let one = register(&owner, ACME).await;
    let renew = format!("{one}/renew");
    for (login, status) in [("mary", 403), ("eve", 404)] {
        let browser = t.browser(login).await;
        for path in [ACME, one.as_str()] {
            let refused = browser.get(path).await.is(status).text();
            assert!(!refused.contains("Shop"));
            assert!(refused.contains(&format!("@{login}")), "the page knows who looks");
        }
        browser.get("/-/user_settings/profile").await.is(200);
        for path in [ACME, one.as_str(), renew.as_str()] {
            browser.post(path, SHOP).await.is(status);
        }
    }
    for path in [ACME, one.as_str()] {
        t.anonymous().at(path).await.is(401);
    }
    // Not by a path of another group, of oneself, or of the instance.
    let id = one.rsplit('/').next().unwrap();
    let foreign = t.browser("eve").await;
    for list in ["/groups/other/-/settings/applications", "/-/user_settings/applications"] {
        foreign.get(list).await.is(200);
        foreign.get(&format!("{list}/{id}")).await.is(404);
        foreign.post(&format!("{list}/{id}/delete"), &[]).await.is(404);
    }
    // Forms need their token, and a browser.
    owner.post_bare(&renew, &[]).await.is(403);
    olga.request(Method::POST, &renew).form("").await.is(401);
    let less = json!({"access_level": 40});
    let second = t.user("second").await;
    acme.add(&second, 50).await;
    t.admin()
        .put(format!("/groups/{}/members/{}", acme.id, olga.id))
        .json(&less)
        .await
        .is(200);
    owner.get("/-/user_settings/profile").await.is(200);
    owner.post(&renew, &[]).await.is(403);
    assert_eq!(kept(&t).await.len(), 1);
}

#[testkit::story]
async fn applications_end_with_their_user(t: TestServer) {
    let olga = t.user("olga").await;
    let browser = t.browser("olga").await;
    browser.get("/-/user_settings/applications").await.is(200);
    register(&browser, "/-/user_settings/applications").await;
    assert_eq!(kept(&t).await.len(), 1);
    t.admin().delete(format!("/users/{}", olga.id)).await.is(204);
    assert!(kept(&t).await.is_empty());
}
