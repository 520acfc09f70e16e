//! What a search finds, and what it hides.

use super::*;

#[testkit::story]
async fn a_search_finds_names(t: TestServer) {
    let project = t.project("acme/anvil").await;
    publish(
        &t,
        &project,
        &[
            ("Acme.Hammer", "1.0.0"),
            ("Acme.Hammer", "2.0.0-rc1"),
            ("Acme.Nail", "1.0.0"),
            ("a_b", "0.1.0"),
            ("axb", "0.1.0-dev"),
        ],
    )
    .await;
    let hammer = "Acme.Hammer 1.0.0 2.0.0-rc1";
    for (query, wanted, total) in [
        ("", vec!["a_b 0.1.0", hammer, "Acme.Nail 1.0.0", "axb 0.1.0-dev"], 4),
        ("?q=HAMM", vec![hammer], 1),
        ("?q=acme%20nai", vec!["Acme.Nail 1.0.0"], 1),
        ("?q=a_b", vec!["a_b 0.1.0"], 1),
        ("?q=%25", vec![], 0),
        ("?q=%5C", vec![], 0),
        (
            "?prerelease=false",
            vec!["a_b 0.1.0", "Acme.Hammer 1.0.0", "Acme.Nail 1.0.0"],
            3,
        ),
        ("?skip=1&take=1", vec![hammer], 4),
        ("?skip=9", vec![], 4),
        ("?take=0", vec![], 4),
        (
            "?q=acme&prerelease=true&semVerLevel=2.0.0&take=100000",
            vec![hammer, "Acme.Nail 1.0.0"],
            2,
        ),
    ] {
        let (mut shown, count) = found(&t, &project, query).await;
        let mut wanted: Vec<String> = wanted.into_iter().map(str::to_owned).collect();
        shown.sort();
        wanted.sort();
        assert_eq!((shown, count), (wanted, total), "{query}");
    }
    for wrong in [
        "?skip=-1",
        "?take=-1",
        "?take=x",
        "?prerelease=maybe",
        "?skip=99999999999999999999",
    ] {
        t.admin()
            .get(project.at(&format!("/packages/nuget/query{wrong}")))
            .await
            .is(400);
    }
    let one = &told(&t.admin(), &project, "query?q=hammer").await["data"][0];
    let base = format!("{}/api/v4{}", t.app().base_url(), project.at("/packages/nuget"));
    assert_eq!(
        one,
        &json!({
            "@type": "Package", "registration": format!("{base}/metadata/acme.hammer/index.json"),
            "authors": "Jane", "id": "Acme.Hammer", "title": "Acme.Hammer", "description": "Strikes",
            "summary": "", "totalDownloads": 0, "verified": true, "version": "2.0.0-rc1", "tags": "",
            "versions": [
                {"@id": format!("{base}/metadata/acme.hammer/1.0.0.json"), "version": "1.0.0", "downloads": 0},
                {"@id": format!("{base}/metadata/acme.hammer/2.0.0-rc1.json"), "version": "2.0.0-rc1",
                    "downloads": 0},
            ],
        })
    );
}

#[testkit::story]
async fn hidden_packages_are_fetched_by_who_knows_them(t: TestServer) {
    let project = t.project("acme/anvil").await;
    publish(&t, &project, &[("hammer", "1.0.0"), ("hammer", "1.1.0")]).await;
    let hide = |tx: &mut store::Tx<'_>| {
        tx.execute("update packages set status = 'hidden' where version = '1.0.0'", ())?;
        Ok(())
    };
    t.app().write(hide).await.expect("hidden");
    assert_eq!(listed(&t.admin(), &project, "hammer").await, ["1.1.0"]);
    assert_eq!(found(&t, &project, "").await.0, ["hammer 1.1.0"]);
    told(&t.admin(), &project, "metadata/hammer/1.0.0.json").await;
    t.admin()
        .get(project.at("/packages/nuget/download/hammer/1.0.0/hammer.1.0.0.nupkg"))
        .await
        .is(200);
}
