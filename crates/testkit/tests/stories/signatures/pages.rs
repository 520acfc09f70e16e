//! Signatures and GPG keys on pages.

use super::{ADA, ada, pushed};
use testkit::TestServer;

const PATH: &str = "/-/user_settings/gpg_keys";

fn check(page: &str, has: &[&str], lacks: &[&str]) {
    for text in has {
        assert!(page.contains(text), "no {text} in {page}");
    }
    for text in lacks {
        assert!(!page.contains(text), "{text} in {page}");
    }
}

#[testkit::story]
async fn one_adds_removes_and_revokes_a_gpg_key(t: TestServer) {
    let ada = t.user("ada").await;
    let browser = t.browser("ada").await;
    check(&browser.get(PATH).await.is(200).text(), &["No GPG keys"], &[]);
    let wrong = browser.post(PATH, &[("action", "add"), ("key", "typed")]).await.is(422);
    check(&wrong.text(), &["Is invalid", ">typed</textarea>"], &[]);

    let (to, page) = browser.submit(PATH, &[("action", "add"), ("key", ADA)]).await;

    assert_eq!(to, PATH);
    check(&page, &["Key added.", "<bdi>ada@example.com</bdi>"], &["not confirmed"]);
    let id = ada.get("/user/gpg_keys").await.is(200).each("id")[0].to_string();
    let (_, page) = browser.submit(PATH, &[("action", "revoke"), ("id", &id)]).await;
    check(&page, &["Key revoked.", "No GPG keys"], &[]);
    browser.post(PATH, &[("action", "remove"), ("id", &id)]).await.is(404);
    // Of another user's account the address says nothing.
    let eve = t.user("eve").await;
    let browser = t.browser("eve").await;
    let (_, page) = browser.submit(PATH, &[("action", "add"), ("key", ADA)]).await;
    check(&page, &["Key added.", "not confirmed"], &[]);
    let id = eve.get("/user/gpg_keys").await.is(200).each("id")[0].to_string();
    let (_, page) = browser.submit(PATH, &[("action", "remove"), ("id", &id)]).await;
    check(&page, &["Key removed."], &[]);
}

#[testkit::story]
async fn signed_commits_and_tags_say_so(t: TestServer) {
    let ada = ada(&t, &[]).await;
    let project = pushed(&t).await;
    project.add(&ada, 20).await;
    let browser = t.browser("ada").await;
    let page = async |path: &str| browser.get(path).await.is(200).text();
    let commit = "/acme/anvil/-/commits/by-subkey";
    let unknown = "The key it was signed with is of nobody here.";
    check(&page(commit).await, &[">Unverified<", unknown], &[">Verified<"]);

    super::add_gpg_key(&ada, ADA).await;

    let said = ">Verified<";
    check(&page(commit).await, &[said, "href=\"/ada\""], &[">Unverified<"]);
    let id = ada.get(project.at("/repository/commits/by-subkey")).await.is(200).json();
    let id = id["id"].as_str().unwrap_or_default().to_owned();
    check(&page(&format!("/acme/anvil/-/commit/{id}")).await, &[said, "GPG key"], &[]);
    check(&page("/acme/anvil/-/tags").await, &[said], &[">Unverified<"]);
    check(&page("/acme/anvil/-/tags/v1").await, &[said], &["BEGIN PGP"]);
    check(&page("/acme/anvil/-/commits/broken").await, &[">Unverified<"], &[said]);
    let plain = page("/acme/anvil/-/commits/main").await;
    check(&plain, &[], &["class=\"signature\""]);
}
