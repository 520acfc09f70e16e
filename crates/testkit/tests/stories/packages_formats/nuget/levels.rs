//! Versions that only clients of SemVer 2 can read.

use super::{described, nuspec, package, told};
use testkit::{TestProject, TestServer};

/// Versions of the feed's answer, in its order, with which are the latest.
async fn versions(t: &TestServer, project: &TestProject, rest: &str) -> Vec<String> {
    let path = project.at(&format!("/packages/nuget/v2/{rest}"));
    let text = t.admin().get(path).await.is(200).text();
    let entries = text.split("<entry>").skip(1);
    let value = |entry: &str, of: &str| {
        let (_, rest) = entry.split_once(&format!("<d:{of}")).expect(of);
        let (_, rest) = rest.split_once('>').expect(of);
        rest.split('<').next().unwrap_or_default().to_owned()
    };
    let shown = entries.map(|entry| {
        let mut shown = value(entry, "Version");
        for (of, mark) in [("IsLatestVersion", "!"), ("IsAbsoluteLatestVersion", "*")] {
            if value(entry, of) == "true" {
                shown.push_str(mark);
            }
        }
        shown
    });
    shown.collect()
}

async fn stock(t: &TestServer) -> TestProject {
    let project = t.project("acme/anvil").await;
    for version in ["1.0.0", "1.4.0-beta", "1.4.0-beta.1", "1.5.0+build"] {
        package("Hammer", version).to(&t.admin(), &project).await.is(201);
    }
    // What it needs makes it so, too.
    let needs = "<dependencies><dependency id=\"Nail\" version=\"[1.0.0-rc.1, )\"/></dependencies>";
    let needy = described(&nuspec("Hammer", "1.6.0", needs));
    needy.to(&t.admin(), &project).await.is(201);
    package("Saw", "1.0.0-rc.1").to(&t.admin(), &project).await.is(201);
    project
}

#[testkit::story]
async fn the_feed_shows_them_to_who_asks(t: TestServer) {
    let project = stock(&t).await;
    let all = ["1.0.0", "1.4.0-beta", "1.4.0-beta.1", "1.5.0+build", "1.6.0!*"];
    for (rest, known) in [
        ("FindPackagesById()?id='hammer'", vec!["1.0.0!", "1.4.0-beta*"]),
        ("Packages()?$filter=Id%20eq%20'Hammer'", vec!["1.0.0!", "1.4.0-beta*"]),
        ("Packages()", vec!["1.0.0!", "1.4.0-beta*"]),
        ("Packages()?$filter=IsAbsoluteLatestVersion", vec!["1.4.0-beta*"]),
        (
            "Search()?searchTerm='hammer'&includePrerelease=true",
            vec!["1.0.0!", "1.4.0-beta*"],
        ),
        ("Search()?searchTerm='hammer'&includePrerelease=false", vec!["1.0.0!"]),
        ("Search()?searchTerm='saw'", vec![]),
        (
            "FindPackagesById()?id='hammer'&semVerLevel=1.0.0",
            vec!["1.0.0!", "1.4.0-beta*"],
        ),
        ("FindPackagesById()?id='hammer'&semVerLevel=2.0.0", all.to_vec()),
        ("FindPackagesById()?id='hammer'&semVerLevel='2.0.0'", all.to_vec()),
        ("Search()?searchTerm='hammer'&semVerLevel=2.0.0", all.to_vec()),
        ("Packages()?$filter=Id%20eq%20'Hammer'&semVerLevel=2.0.0", all.to_vec()),
        ("Packages()?semVerLevel=2.0.0&$filter=Id%20eq%20'Saw'", vec!["1.0.0-rc.1*"]),
    ] {
        assert_eq!(versions(&t, &project, rest).await, known, "{rest}");
    }
    let count = |query: &str| {
        let rest = format!("/packages/nuget/v2/FindPackagesById()/$count?id='hammer'{query}");
        t.admin().get(project.at(&rest))
    };
    assert_eq!(count("").await.is(200).text(), "2");
    assert_eq!(count("&semVerLevel=2.0.0").await.is(200).text(), "5");
    // Who names a version is given it.
    let named = project.at("/packages/nuget/v2/Packages(Id='Hammer',Version='1.4.0-beta.1')");
    t.admin().get(named).await.is(200);
    t.admin()
        .get(project.at("/packages/nuget/v2/package/hammer/1.4.0-beta.1"))
        .await
        .is(200);
}

#[testkit::story]
async fn a_search_shows_them_to_who_asks(t: TestServer) {
    let project = stock(&t).await;
    for (query, wanted, total) in [
        ("query", vec!["1.0.0", "1.4.0-beta", "1.6.0"], 1),
        ("query?prerelease=false", vec!["1.0.0", "1.6.0"], 1),
        ("query?q=saw", vec![], 0),
        ("query?q=saw&semVerLevel=2.0.0", vec!["1.0.0-rc.1"], 1),
        (
            "query?q=hammer&semVerLevel=2.0.0",
            vec!["1.0.0", "1.4.0-beta", "1.4.0-beta.1", "1.5.0+build", "1.6.0"],
            1,
        ),
    ] {
        let found = told(&t.admin(), &project, query).await;
        assert_eq!(found["totalHits"], total, "{query}");
        let versions = found["data"].as_array().unwrap().iter();
        let versions = versions.flat_map(|one| one["versions"].as_array().unwrap());
        let versions: Vec<_> = versions.map(|one| one["version"].as_str().unwrap()).collect();
        assert_eq!(versions, wanted, "{query}");
    }
}
