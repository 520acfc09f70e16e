//! Commits and what they changed.

use serde_json::json;

#[testkit::story]
async fn histories_are_those_of_git(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let ids = async |query: &str| {
        let path = project.at(&format!("/repository/commits?per_page=50{query}"));
        t.admin().get(path).await.is(200).each("id")
    };
    for (query, args) in [
        ("&order=topo", vec!["--topo-order", "main"]),
        ("&ref_name=ahead&first_parent=true", vec!["--first-parent", "ahead"]),
        ("&path=src/beak.txt", vec!["main", "--", "src/beak.txt"]),
        ("&path=docs", vec!["main", "--", "docs"]),
        ("&author=ada@", vec!["--author=ada@", "main"]),
        ("&author=nobody", vec!["--author=nobody", "main"]),
        ("&all=true&order=topo", vec!["--topo-order", "main", "ahead", "side"]),
        ("&since=2999-01-01T00:00:00Z", vec!["--max-age=32472144000", "main"]),
        ("&ref_name=side..ahead&order=topo", vec!["--topo-order", "side..ahead"]),
        ("&ref_name=none", vec!["--max-count=0", "main"]),
    ] {
        let wanted = super::lines(&git, &[vec!["rev-list"], args].concat()).await;
        let mut found: Vec<String> =
            ids(query).await.iter().map(|id| id.as_str().unwrap().to_owned()).collect();
        let mut wanted = wanted;
        if query.contains("all=true") {
            found.sort();
            wanted.sort();
        }
        assert_eq!(found, wanted, "{query}");
    }
    let all = super::lines(&git, &["rev-list", "main"]).await;
    let page = t.admin().get(project.at("/repository/commits?per_page=2&page=2")).await.is(200);
    assert_eq!(page.each("id").len(), 2);
    assert_eq!((page.header("x-next-page"), page.header("x-total")), ("3", ""));
    let last = format!("/repository/commits?per_page={}", all.len());
    assert_eq!(t.admin().get(project.at(&last)).await.is(200).header("x-next-page"), "");
}

#[testkit::story]
async fn a_commit_is_told_whole(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let id = git.id("one", "main~1").await;
    let at = |rest: &str| project.at(&format!("/repository/commits/{rest}"));
    let commit = t.admin().get(at(&id)).await.is(200).json();
    assert_eq!(commit["title"], "Move the horn");
    assert_eq!(commit["short_id"], &id[..8]);
    assert_eq!(commit["trailers"], json!({"Changelog": "changed", "Signed-off-by": "Ada"}));
    assert_eq!(commit["extended_trailers"]["Changelog"], json!(["changed"]));
    assert_eq!(commit["stats"], json!({"additions": 2, "deletions": 0, "total": 2}));
    assert_eq!(commit["project_id"], project.id);
    assert!(commit["status"].is_null() && commit["last_pipeline"].is_null());
    assert_eq!(commit["parent_ids"], json!([git.id("one", "main~2").await]));

    for named in [&id[..7], "main~1", "main", "v1.10.0"] {
        let status = if named.contains('~') { 404 } else { 200 };
        t.admin().get(at(&named.replace('~', "%7E"))).await.is(status);
    }
    let bare = t.admin().get(at(&format!("{id}?stats=false"))).await.is(200).json();
    assert!(bare.get("stats").is_none());
    let listed = t.admin().get(project.at("/repository/commits?with_stats=true&trailers=true"));
    let listed = listed.await.is(200).json();
    let same = listed.as_array().unwrap().iter().find(|one| one["id"] == id.as_str()).unwrap();
    assert_eq!((&same["stats"], &same["trailers"]), (&commit["stats"], &commit["trailers"]));

    let refs = t.admin().get(at(&format!("{id}/refs"))).await.is(200);
    assert_eq!(refs.each("name"), ["ahead", "main", "v1.10.0", "v1.9.0"]);
    let tags = t.admin().get(at(&format!("{id}/refs?type=tag"))).await.is(200);
    assert_eq!(tags.each("type"), ["tag", "tag"]);
    let count = super::lines(&git, &["rev-list", "--count", "main"]).await;
    let sequence = t.admin().get(at("main/sequence")).await.is(200).json();
    assert_eq!(sequence["count"].to_string(), count[0]);
}

#[testkit::story]
async fn a_difference_is_that_of_git(t: testkit::TestServer) {
    let (project, git) = super::history(&t).await;
    let id = git.id("one", "main~1").await;
    let diff = t.admin().get(project.at(&format!("/repository/commits/{id}/diff")));
    let diff = diff.await.is(200).json();
    let named = |path: &str| {
        let found = diff.as_array().unwrap().iter().find(|file| file["new_path"] == path);
        found.unwrap_or_else(|| panic!("no {path}")).clone()
    };
    let moved = named("src/beak.txt");
    assert_eq!((&moved["renamed_file"], &moved["diff"]), (&json!(true), &json!("")));
    assert_eq!(moved["old_path"], "src/horn.txt");
    let program = named("README.md");
    assert_eq!((&program["a_mode"], &program["b_mode"]), (&json!("100644"), &json!("100755")));
    let pixels = named("pixels")["diff"].as_str().unwrap().to_owned();
    assert!(pixels.starts_with("Binary files /dev/null and b/pixels differ"), "{pixels}");
    let submodule = named("parts");
    assert_eq!((&submodule["b_mode"], &submodule["new_file"]), (&json!("160000"), &json!(true)));
    assert_eq!(named("link")["b_mode"], "120000");

    let odd = git.id("one", "main~2").await;
    let odd = t
        .admin()
        .get(project.at(&format!("/repository/commits/{odd}/diff?unidiff=true")));
    let odd = odd.await.is(200).json();
    assert_eq!(odd[0]["new_path"], "odd \"é\tname");
    let text = odd[0]["diff"].as_str().unwrap();
    assert!(text.starts_with("--- /dev/null\n+++ b/odd"), "{text}");

    let root = super::lines(&git, &["rev-list", "--max-parents=0", "main"]).await;
    let root = project.at(&format!("/repository/commits/{}/diff", root[0]));
    let root = t.admin().get(root).await.is(200).json();
    assert_eq!(root[0]["diff"], "@@ -0,0 +1 @@\n+# Anvil\n");
}
