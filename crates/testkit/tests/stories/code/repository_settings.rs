//! The page that says which branches and tags are protected.

use serde_json::json;
use testkit::TestServer;

const PAGE: &str = "/acme/anvil/-/settings/repository";

#[testkit::story]
async fn branches_and_tags_are_protected_on_a_page(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let member = t.user("member").await;
    project.add(&member, 30).await;
    let put = json!({"branch": "main", "commit_message": "Begin", "content": "x"});
    t.admin().post(project.at("/repository/files/a.txt")).json(&put).await.is(201);
    t.admin()
        .post(project.at("/repository/branches?branch=side&ref=main"))
        .await
        .is(201);
    let smith = t.user("smith").await;
    project.add(&smith, 40).await;
    let browser = t.browser("smith").await;
    let page = browser.get(PAGE).await.is(200).text();
    assert!(
        page.contains("<code>main</code>") && page.contains("Protect a branch"),
        "{page}"
    );

    let (_, page) = browser
        .submit(
            PAGE,
            &[
                ("action", "protect"),
                ("kind", "branch"),
                ("name", "release/*"),
                ("push", "0"),
                ("merge", "30"),
                ("allow_force_push", "1"),
            ],
        )
        .await;
    assert!(
        page.contains("release/* is protected.") && page.contains("force push"),
        "{page}"
    );
    let rule = async || {
        let at = project.at("/protected_branches/release%2F*");
        t.admin().get(at).await.is(200).json()
    };
    let told = rule().await;
    assert_eq!(told["push_access_levels"][0]["access_level"], 0);
    assert_eq!(told["merge_access_levels"][0]["access_level"], 30);
    assert_eq!(told["allow_force_push"], true);

    // Users stay where the role changes, and go by themselves.
    let who = json!({"allowed_to_push": [{"user_id": member.id}]});
    t.admin()
        .patch(project.at("/protected_branches/release%2F*"))
        .json(&who)
        .await
        .is(200);
    let change = [
        ("action", "change"),
        ("kind", "branch"),
        ("name", "release/*"),
        ("push", "40"),
        ("merge", "30"),
    ];
    browser.submit(PAGE, &change).await;
    let told = rule().await;
    assert_eq!(told["push_access_levels"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        (&told["push_access_levels"][0]["access_level"], &told["allow_force_push"]),
        (&json!(40), &json!(false))
    );
    let level = told["push_access_levels"][1]["id"].to_string();
    let forget = [
        ("action", "forget"),
        ("kind", "branch"),
        ("name", "release/*"),
        ("deed", "push"),
        ("level_id", level.as_str()),
    ];
    browser.submit(PAGE, &forget).await;
    assert_eq!(rule().await["push_access_levels"].as_array().map(Vec::len), Some(1));

    let tag = [("action", "protect"), ("kind", "tag"), ("name", "v*"), ("create", "40")];
    browser.submit(PAGE, &tag).await;
    let again = browser.post(PAGE, &tag).await.is(422).text();
    assert!(again.contains("already exists") && again.contains("value=\"v*\""), "{again}");
    let blank = browser
        .post(PAGE, &[("action", "protect"), ("kind", "tag"), ("name", " ")])
        .await;
    assert!(blank.is(422).text().contains("Is invalid"));
    browser
        .submit(PAGE, &[("action", "unprotect"), ("kind", "tag"), ("name", "v*")])
        .await;
    assert_eq!(t.admin().get(project.at("/protected_tags")).await.is(200).json(), json!([]));

    browser.submit(PAGE, &[("action", "default"), ("default_branch", "side")]).await;
    assert_eq!(t.admin().get(project.at("")).await.json()["default_branch"], "side");
    let wrong = browser.post(PAGE, &[("action", "default"), ("default_branch", "none")]).await;
    assert!(wrong.is(422).text().contains("Is no branch of this repository"));
    let unknown = [("action", "unprotect"), ("kind", "tag"), ("name", "none")];
    browser.post(PAGE, &unknown).await.is(404);

    let member = t.browser("member").await;
    member.get(PAGE).await.is(403);
    member.post(PAGE, &tag).await.is(403);
    t.user("other").await;
    t.browser("other").await.get(PAGE).await.is(404);
}
