//! What is between two revisions, and who wrote them.

use serde_json::json;

#[testkit::story]
async fn two_revisions_are_compared(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let compare = |query: &str| t.admin().get(project.at(&format!("/repository/compare?{query}")));
    let told = compare("from=side&to=ahead").await.is(200).json();
    let wanted = super::lines(&git, &["rev-list", "--count", "side..ahead"]).await;
    assert_eq!(told["commits"].as_array().unwrap().len().to_string(), wanted[0]);
    assert_eq!(told["commit"]["id"], git.id("one", "ahead").await.as_str());
    let paths = |told: &serde_json::Value| {
        let files = told["diffs"].as_array().unwrap().iter();
        files
            .map(|file| file["new_path"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(paths(&told).contains(&"docs/more.md".to_owned()));
    assert_eq!(
        (&told["compare_same_ref"], &told["compare_timeout"]),
        (&json!(false), &json!(false))
    );

    let back = compare("from=ahead&to=side").await.is(200).json();
    assert_eq!((&back["commit"], &back["diffs"]), (&json!(null), &json!([])));
    let straight = compare("from=ahead&to=side&straight=true").await.is(200).json();
    assert!(paths(&straight).contains(&"docs/more.md".to_owned()));
    let same = compare("from=main&to=main").await.is(200).json();
    assert_eq!(same["compare_same_ref"], true);
    compare("from=main&to=none").await.is(404);
    let other = compare("from=main&to=side&from_project_id=99").await.is(400).json();
    let text = format!("Target project id:99 is not a fork of project id:{}", project.id);
    assert_eq!(other["message"], text);
}

#[testkit::story]
async fn revisions_have_something_in_common(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let base = |query: &str| t.admin().get(project.at(&format!("/repository/merge_base?{query}")));
    let told = base("refs[]=side&refs[]=ahead").await.is(200).json();
    assert_eq!(told["id"], git.id("one", "side").await.as_str());
    for (query, text) in [
        ("refs[]=side", "Provide at least 2 refs"),
        ("refs[]=side&refs[]=none", "Could not find ref: none"),
        ("refs=a,b", "Could not find refs: a, b"),
    ] {
        assert_eq!(base(query).await.is(400).json()["message"], text, "{query}");
    }
}

#[testkit::story]
async fn authors_are_counted(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let told = t.admin().get(project.at("/repository/contributors")).await.is(200).json();
    let wanted = super::lines(&git, &["rev-list", "--count", "main"]).await;
    let commits: i64 = wanted[0].parse().unwrap();
    let ada = json!([{"name": "Ada", "email": "ada@example.com", "commits": commits,
        "additions": 0, "deletions": 0}]);
    assert_eq!(told, ada);
    t.admin().get(project.at("/repository/contributors?ref=none")).await.is(404);
}
