//! Folders.

use super::{between, developer, led, with_files};
use testkit::{Git, TestServer};

#[testkit::story]
async fn a_folder_shows_its_entries_with_their_last_commits(t: TestServer) {
    let (project, git) = super::super::history(&t).await;
    let browser = developer(&t, &project).await;

    let page = browser.get("/acme/anvil/-/tree/main").await.is(200).text();

    let names = ["docs", "src", "README.md", "link", "odd &#34;é\tname", "pixels", "parts"];
    let places = names
        .map(|name| page.find(&format!(">{name}<")).unwrap_or_else(|| panic!("{name}: {page}")));
    assert!(places.is_sorted(), "{places:?}");
    for (name, kind) in [("README.md", "blob"), ("src", "tree"), ("link", "blob")] {
        assert!(page.contains(&format!("href=\"/acme/anvil/-/{kind}/main/{name}\"")), "{name}");
    }
    assert!(page.contains("→ README.md") && page.contains("@ 11111111"));
    for name in ["docs", "src", "README.md", "link", "pixels", "parts"] {
        let row = between(&page, &format!(">{name}<"), "</tr>");
        let last =
            super::super::lines(&git, &["log", "-1", "--format=%H", "main", "--", name]).await;
        assert!(row.contains(&format!("/acme/anvil/-/commit/{}", last[0])), "{name}: {row}");
        assert!(row.contains("<time "), "{name}: {row}");
    }
    assert!(!page.contains("<h1 id=") && page.contains("user-content-anvil"), "{page}");
    assert!(page.contains("Merge side"));
    assert!(page.contains(&format!("/-/tree/{}\"", git.id("one", "main").await)));

    let below = browser.get("/acme/anvil/-/tree/side/docs").await.is(200).text();
    assert!(below.contains("href=\"/acme/anvil/-/blob/side/docs/guide.md\""));
    assert!(below.contains("<h1>docs</h1>") && below.contains("aria-label=\"Folder above\""));
    let whole = browser.get("/acme/anvil/-/tree").await.is(200).text();
    assert!(whole.contains("href=\"/acme/anvil/-/blob/main/README.md\""));
}

#[testkit::story]
async fn files_and_folders_lead_to_one_another(t: TestServer) {
    let (project, git) = super::super::history(&t).await;
    git.run_in("one", &["push", "--quiet", "origin", "main:refs/heads/v1.9.0"])
        .await
        .done();
    git.run_in("one", &["push", "--quiet", "origin", "main:refs/heads/a/b"])
        .await
        .done();
    let browser = developer(&t, &project).await;
    for (from, status, to) in [
        ("tree/main/README.md", 302, "blob/main/README.md"),
        ("blob/main/src", 302, "tree/main/src"),
        ("blame/main/src", 302, "tree/main/src"),
        ("tree/v1.9.0/src?x=1", 302, "tree/v1.9.0/src?ref_type=heads&x=1"),
    ] {
        let to = format!("/acme/anvil/-/{to}");
        assert_eq!(led(&browser, &format!("/acme/anvil/-/{from}"), status).await, to);
    }
    let tag = browser.get("/acme/anvil/-/tree/v1.9.0?ref_type=tags").await.is(200).text();
    assert!(tag.contains("href=\"/acme/anvil/-/tree/v1.9.0/src?ref_type=tags\""), "{tag}");
    let deep = browser.get("/acme/anvil/-/tree/a/b/src").await.is(200).text();
    assert!(deep.contains("href=\"/acme/anvil/-/blob/a/b/src/beak.txt\""));
    let id = git.id("one", "main").await;
    browser.get(&format!("/acme/anvil/-/tree/{id}/src")).await.is(200);
    browser.get(&format!("/acme/anvil/-/tree/{}", &id[..8])).await.is(200);
    for nowhere in ["tree/none", "tree/main/none", "tree/main/parts", "blob/main/none", "tree/-x"] {
        browser.get(&format!("/acme/anvil/-/{nowhere}")).await.is(404);
    }
    for (old, new) in [
        ("tree/main/src?x=1", "tree/main/src?x=1"),
        ("blob/main/src/tree/a%20b", "blob/main/src/tree/a%20b"),
    ] {
        let to = format!("/acme/anvil/-/{new}");
        assert_eq!(led(&browser, &format!("/acme/anvil/{old}"), 301).await, to);
    }
}

#[testkit::story]
async fn a_menu_leads_to_the_same_path_in_other_refs(t: TestServer) {
    let (project, _) = super::super::history(&t).await;
    let browser = developer(&t, &project).await;
    let page = browser.get("/acme/anvil/-/tree/main/src").await.is(200).text();
    let menu = between(&page, "id=\"refs\"", "</details>");
    for url in ["main/src", "ahead/src", "v1.10.0/src"] {
        assert!(menu.contains(&format!("href=\"/acme/anvil/-/tree/{url}\"")), "{url}: {menu}");
    }
    let found = browser.get("/acme/anvil/-/tree/main/src?refs=V1.1").await.is(200).text();
    let menu = between(&found, "id=\"refs\"", "</details>");
    assert!(menu.contains("tree/v1.10.0/src") && !menu.contains("tree/v1.9.0/src"), "{menu}");
    assert!(menu.starts_with(" open"), "{menu}");
}

#[testkit::story]
async fn a_readme_leads_to_files_of_its_repository(t: TestServer) {
    let text = b"# Horn\n\n[a](a.md) [up](../b.md#x) [root](/README.md) ![p](p.png)\n\n\
        <script>alert(1)</script>\n\n[j](javascript:alert(1))\n";
    let (project, _) =
        with_files(&t, &[("docs/deep/readme.md", text), ("docs/index.txt", b"<b>")]).await;
    let browser = developer(&t, &project).await;
    let page = browser.get("/acme/anvil/-/tree/main/docs/deep").await.is(200).text();
    for address in [
        "href=\"/acme/anvil/-/blob/main/docs/deep/a.md\"",
        "href=\"/acme/anvil/-/blob/main/docs/b.md#x\"",
        "href=\"/acme/anvil/-/blob/main/README.md\"",
        "src=\"/acme/anvil/-/raw/main/docs/deep/p.png\"",
    ] {
        assert!(page.contains(address), "{address}: {page}");
    }
    assert!(!page.contains("<script>alert") && !page.contains("javascript:"));
    let plain = browser.get("/acme/anvil/-/tree/main/docs").await.is(200).text();
    assert!(plain.contains("&lt;b&gt;</pre>"), "{plain}");
}

#[testkit::story]
async fn a_folder_of_many_comes_in_pages(t: TestServer) {
    let names: Vec<String> = (0..1005).map(|n| format!("many/{n:04}.txt")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    let (project, _) = with_files(&t, &files).await;
    let browser = developer(&t, &project).await;
    let first = browser.get("/acme/anvil/-/tree/main/many").await.is(200).text();
    assert!(first.contains("many/0999.txt") && !first.contains("many/1000.txt"));
    assert!(first.contains("href=\"/acme/anvil/-/tree/main/many?page=2\""), "no second page");
    let second = browser.get("/acme/anvil/-/tree/main/many?page=2").await.is(200).text();
    assert!(second.contains("many/1004.txt") && !second.contains("many/0999.txt"));
    browser.get("/acme/anvil/-/tree/main/many?page=999999999").await.is(200);

    let found = browser.get("/acme/anvil/-/find_file/main?search=1004").await.is(200).text();
    assert!(found.contains("href=\"/acme/anvil/-/blob/main/many/1004.txt\""), "{found}");
    assert!(!found.contains("many/1003.txt"));
    let all = browser.get("/acme/anvil/-/find_file/main").await.is(200).text();
    assert!(all.contains("More are found by their names."));
    let none = browser.get("/acme/anvil/-/find_file/main?search=zzz").await.is(200).text();
    assert!(none.contains("No file is called so"));
}

#[testkit::story]
async fn who_may_not_read_code_sees_none(t: TestServer) {
    let hidden = t.project("acme/anvil").await;
    let open = t.project_with("tools/hammer", "public").await;
    for path in ["acme/anvil", "tools/hammer"] {
        let git = Git::of(&t.admin());
        git.begin("one", path).await;
        git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    }
    let jane = t.user("jane").await;
    let browser = t.browser("jane").await;
    let stranger = t.new_browser();
    let pages = [
        "tree/main",
        "blob/main/README.md",
        "raw/main/README.md",
        "blame/main/README.md",
        "find_file/main",
        "archive/main/anvil-main.zip",
    ];
    for page in pages {
        browser.get(&format!("/acme/anvil/-/{page}")).await.is(404);
        let asked = stranger.get(&format!("/acme/anvil/-/{page}")).await;
        assert!(
            !asked.text().contains("Anvil</a>") && !asked.text().contains("# Anvil"),
            "{page}"
        );
        stranger.get(&format!("/tools/hammer/-/{page}")).await.is(200);
    }
    hidden.add(&jane, 10).await;
    for page in pages {
        let refused = browser.get(&format!("/acme/anvil/-/{page}")).await;
        assert!([403, 404].contains(&refused.status), "{page}: {}", refused.status);
    }
    let body = serde_json::json!({"repository_access_level": "private"});
    t.admin().put(open.at("")).json(&body).await.is(200);
    let asked = stranger.get("/tools/hammer/-/raw/main/README.md").await;
    assert!(!asked.text().contains("# Anvil"));
    let home = stranger.get("/tools/hammer").await.is(200).text();
    assert!(!home.contains("README.md"), "{home}");
}
