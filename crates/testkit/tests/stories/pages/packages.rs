//! The list of packages, a row for each name, and the versions of a name.

use testkit::{Browser, TestServer};

const LIST: &str = "/acme/anvil/-/packages";

async fn page(browser: &Browser, path: &str) -> String {
    browser.get(path).await.is(200).text()
}

/// The names that a list shows, in its order, with the version beside each.
fn names(page: &str) -> Vec<String> {
    let rows = page.split("<p class=\"name\">").skip(1);
    let row = |row: &str| {
        let name = row.split_once('>').unwrap().1.split_once('<').unwrap().0;
        let version = row.split_once("<span class=\"mono\">").unwrap().1;
        format!("{name} {}", version.split_once('<').unwrap().0)
    };
    rows.map(row).collect()
}

#[testkit::story]
async fn a_name_is_listed_once_with_its_newest_version(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (group, jane) = (t.group("acme").await, t.user("jane").await);
    group.add(&jane, 40).await;
    for version in ["1.0", "1.1"] {
        project.generic_package("hammer", version).await;
    }
    project.generic_package("nail", "3.0").await;
    project.npm_package("hammer", "7.0.0").await;
    let newest = project.generic_package("hammer", "1.2").await;
    let other = t.project("acme/vice").await;
    other.generic_package("hammer", "0.1").await;
    t.admin().get(&newest.file).await.is(200);
    let jane = t.browser("jane").await;

    let shown = page(&jane, LIST).await;
    assert_eq!(names(&shown), ["hammer 1.2", "hammer 7.0.0", "nail 3.0"]);
    for text in [
        "Packages <span class=\"tally\">3</span>",
        ">3 versions</a>",
        ">1 version</a>",
        "6 B",
    ] {
        assert!(shown.contains(text), "{text} is not in {shown}");
    }
    let order = async |query: &str| names(&page(&jane, &format!("{LIST}?{query}")).await);
    assert_eq!(order("sort=created_asc").await, ["nail 3.0", "hammer 7.0.0", "hammer 1.2"]);
    assert_eq!(order("sort=name_asc").await, ["hammer 7.0.0", "hammer 1.2", "nail 3.0"]);
    assert_eq!(order("sort=version_desc").await, ["hammer 7.0.0", "nail 3.0", "hammer 1.2"]);
    assert_eq!(order("type=generic").await, ["hammer 1.2", "nail 3.0"]);
    assert_eq!(order("search=HAM").await, ["hammer 1.2", "hammer 7.0.0"]);
    assert_eq!(order("search=nothing").await, [] as [&str; 0]);
    assert_eq!(order("per_page=2&page=2").await, ["nail 3.0"]);
    let found = page(&jane, &format!("{LIST}?search=ham&type=generic")).await;
    assert!(found.contains("Packages <span class=\"tally\">1</span>"), "{found}");

    // In a group each project has its own.
    let all = page(&jane, "/groups/acme/-/packages").await;
    assert_eq!(names(&all), ["hammer 0.1", "hammer 1.2", "hammer 7.0.0", "nail 3.0"]);
    assert!(all.contains("Packages <span class=\"tally\">4</span>"), "{all}");

    // The interface lists versions as before.
    let versions = t.admin().get(project.at("/packages")).await.is(200);
    assert_eq!(versions.each("id").len(), 5);
    // When the newest goes, the one before it stands for the name.
    t.admin().delete(&newest.path).await.is(204);
    assert_eq!(names(&page(&jane, LIST).await), ["hammer 7.0.0", "nail 3.0", "hammer 1.1"]);
}

#[testkit::story]
async fn versions_of_a_name_have_a_list_of_their_own(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    for minor in 0..13 {
        project.npm_package("hammer", &format!("1.{minor}.0")).await;
    }
    project.npm_package("nail", "9.9.9").await;
    let found = t
        .admin()
        .get(project.at("/packages?package_version=1.5.0"))
        .await
        .is(200)
        .json();
    let one = format!("{LIST}/{}", found[0]["id"]);
    let browser = t.browser("jane").await;

    let shown = page(&browser, &one).await;
    assert!(shown.contains("Other versions") && shown.contains("1.12.0"), "{shown}");
    assert!(
        shown.contains(&format!("<a href=\"{one}/versions\">All 13 versions</a>")),
        "{shown}"
    );
    let all = page(&browser, &format!("{one}/versions?per_page=5")).await;
    for text in [
        "Versions <span class=\"tally\">13</span>",
        ">1.12.0</a>",
        ">1.8.0</a>",
        "latest",
        "1–5 of 13",
    ] {
        assert!(all.contains(text), "{text} is not in {all}");
    }
    assert!(!all.contains(">1.7.0</a>") && !all.contains("9.9.9"), "{all}");
    let last = page(&browser, &format!("{one}/versions?per_page=5&page=3")).await;
    assert!(last.contains(">1.0.0</a>") && !last.contains(">1.3.0</a>"), "{last}");

    browser.get(&format!("{LIST}/999999/versions")).await.is(404);
    t.user("olga").await;
    t.browser("olga").await.get(&format!("{one}/versions")).await.is(404);
    t.new_browser().get(&format!("{one}/versions")).await.is(302);
}
