//! Branches and tags.

use serde_json::json;

#[testkit::story]
async fn branches_are_found_sorted_and_paged(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let list = |query: &str| t.admin().get(project.at(&format!("/repository/branches{query}")));
    let names = async |query: &str| list(query).await.is(200).each("name");

    assert_eq!(names("").await, ["ahead", "main", "side"]);
    for (query, wanted) in [
        ("?search=^ma", vec!["main"]),
        ("?search=d$", vec!["ahead"]),
        ("?regex=^[ms]", vec!["main", "side"]),
        ("?regex=(a%2B)%2B$", vec![]),
        ("?per_page=1&page=2", vec!["main"]),
    ] {
        assert_eq!(names(query).await, wanted, "{query}");
    }
    let refused = list("?regex=(").await.is(400).json();
    assert_eq!(refused, json!({"message": "Regex is invalid"}));

    let first = list("?pagination=keyset&per_page=2").await.is(200);
    assert_eq!(first.each("name"), ["ahead", "main"]);
    let next = first.link("next").unwrap();
    let path = next.split_once("/api/v4").unwrap().1.to_owned();
    let second = t.admin().get(path).await.is(200);
    assert_eq!((second.each("name"), second.link("next")), (vec![json!("side")], None));
    list("?pagination=keyset&page_token=none").await.is(422);

    let all = list("").await.json();
    assert_eq!(all[1]["commit"]["id"], git.id("one", "main").await.as_str());
    let flags = |name: &str| [0, 1, 2].map(|at| all[at][name].clone());
    assert_eq!(flags("default"), [false, true, false]);
    assert_eq!(flags("merged"), [false, false, true]);
}

#[testkit::story]
async fn a_branch_is_there_or_not(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let at = |name: &str| project.at(&format!("/repository/branches/{name}"));
    let branch = t.admin().get(at("side")).await.is(200).json();
    assert_eq!(branch["commit"]["id"], git.id("one", "side").await.as_str());
    assert_eq!((&branch["merged"], &branch["protected"]), (&json!(true), &json!(false)));
    assert_eq!(t.admin().get(at("main")).await.is(200).json()["protected"], true);
    t.admin().head(at("side")).await.is(204);
    t.admin().head(at("none")).await.is(404);
    let missing = t.admin().get(at("none")).await.is(404).json();
    assert_eq!(missing, json!({"message": "404 Branch Not Found"}));
}

#[testkit::story]
async fn tags_are_told_with_what_they_lead_to(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let list = |query: &str| t.admin().get(project.at(&format!("/repository/tags{query}")));
    let names = async |query: &str| list(query).await.is(200).each("name");
    assert_eq!(names("?order_by=version").await, ["v1.10.0", "v1.9.0"]);
    assert_eq!(names("?order_by=name&sort=asc").await, ["v1.10.0", "v1.9.0"]);
    assert_eq!(names("?order_by=version&sort=asc").await, ["v1.9.0", "v1.10.0"]);
    assert_eq!(names("?search=^v1.1").await, ["v1.10.0"]);
    list("?pagination=keyset&page_token=none").await.is(422);

    let tag = t.admin().get(project.at("/repository/tags/v1.10.0")).await.is(200).json();
    assert_eq!(tag["target"], git.id("one", "v1.10.0").await.as_str());
    assert_eq!(tag["commit"]["id"], git.id("one", "ahead").await.as_str());
    assert_eq!((&tag["message"], &tag["protected"]), (&json!("tenth"), &json!(false)));
    assert!(tag["created_at"].is_string() && tag["release"].is_null());
    let light = t.admin().get(project.at("/repository/tags/v1.9.0")).await.is(200).json();
    assert_eq!((&light["message"], &light["created_at"]), (&json!(""), &json!(null)));
    t.admin().get(project.at("/repository/tags/none")).await.is(404);
}

#[testkit::story]
async fn an_empty_repository_has_nothing(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let get = |path: &str| t.admin().get(project.at(&format!("/repository/{path}")));
    for list in ["branches", "tags"] {
        assert_eq!(get(list).await.is(200).json(), json!([]));
    }
    for (path, thing) in [
        ("tree", "Tree"),
        ("commits", "Repository"),
        ("commits/main", "Commit"),
        ("archive", "File"),
        ("compare?from=a&to=b", "Ref"),
    ] {
        let told = get(path).await.is(404).json();
        assert_eq!(told["message"], format!("404 {thing} Not Found"), "{path}");
    }
}
