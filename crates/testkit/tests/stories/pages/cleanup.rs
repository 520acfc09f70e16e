//! Cleanup rules on their page: looked at first, then switched on.

const PAGE: &str = "/acme/anvil/-/settings/packages/cleanup";

/// The fields of a rule that is about old versions of generic packages.
fn fields<'f>(action: &'f str, keep_last: &'f str) -> [(&'f str, &'f str); 9] {
    [
        ("action", action),
        ("package_type", "generic"),
        ("keep_last", keep_last),
        ("older_than_days", ""),
        ("not_downloaded_days", ""),
        ("remove_name_regex", "ham.*"),
        ("remove_version_regex", ""),
        ("keep_name_regex", ""),
        ("keep_version_regex", ""),
    ]
}

#[testkit::story(noon)]
async fn a_rule_shows_what_it_would_take_before_it_does(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    for version in ["1.0", "1.1", "1.2"] {
        project.generic_package("hammer", version).await;
        t.advance(60);
    }
    let jane = t.browser("jane").await;
    let settings = jane.get("/acme/anvil/-/settings/packages").await.is(200).text();
    assert!(settings.contains(PAGE));
    let page = jane.get(PAGE).await.is(200).text();
    assert!(page.contains("No rules yet"));

    let page = jane.post(PAGE, &fields("preview", "1")).await.is(200).text();
    assert!(page.contains("2 versions, 12 B") && page.contains("hammer 1.0"), "{page}");
    assert!(page.contains("not among the newest 1 of its name"));
    assert!(page.contains("Bytes by name") && page.contains("value=\"ham.*\""));
    assert!(page.contains("No rules yet"), "a look adds nothing");

    let (to, page) = jane.submit(PAGE, &fields("add", "1")).await;
    assert_eq!(to, PAGE);
    assert!(page.contains("Rule added") && page.contains(">off<"), "{page}");
    let rules = t.admin().get(project.at("/packages/cleanup/rules")).await.is(200);
    let id = rules.each("id")[0].to_string();
    let page = jane.post(PAGE, &[("action", "show"), ("rule_id", &id)]).await.is(200).text();
    assert!(page.contains("2 versions, 12 B"));
    jane.submit(PAGE, &[("action", "enable"), ("rule_id", &id)]).await;
    let rules = t.admin().get(project.at("/packages/cleanup/rules")).await.is(200).json();
    assert_eq!((&rules[0]["enabled"], &rules[0]["keep_last"]), (&true.into(), &1.into()));
    t.admin()
        .post(project.at(&format!("/packages/cleanup/rules/{id}/runs")))
        .await
        .is(201);
    t.settle().await;
    let page = jane.get(PAGE).await.is(200).text();
    assert!(page.contains("removed 2 versions, 12 B"), "{page}");
    jane.submit(PAGE, &[("action", "disable"), ("rule_id", &id)]).await;
    let (_, page) = jane.submit(PAGE, &[("action", "remove"), ("rule_id", &id)]).await;
    assert!(page.contains("No rules yet"));
}

#[testkit::story(noon)]
async fn what_is_wrong_with_a_rule_stands_beside_its_field(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    t.group("acme").await.add(&jane, 50).await;
    let jane = t.browser("jane").await;
    for place in [PAGE, "/groups/acme/-/settings/packages/cleanup"] {
        for (action, keep_last, told) in [
            ("add", "many", "Must be a number"),
            ("preview", "0", "Must be between 1 and 10000"),
        ] {
            let page = jane.post(place, &fields(action, keep_last)).await.is(422).text();
            assert!(page.contains("id=\"e-keep_last\"") && page.contains(told), "{page}");
        }
        let page = jane.post(place, &fields("preview", "1")).await.is(200).text();
        assert!(page.contains("Nothing would go"), "{page}");
    }
}
