//! Errors, settings and keys in a browser.

use super::*;
use crate::error_tracking::number;

#[testkit::story]
async fn pages_show_errors_and_change_them(t: TestServer) {
    let tracker = three(&t).await;
    let jane = t.user("jane").await;
    tracker.project.add(&jane, 30).await;
    let browser = t.browser("jane").await;
    let list = "/acme/anvil/-/error_tracking";
    let page = browser.get(&format!("{list}?sort=frequency")).await.is(200).text();
    assert!(page.contains("3 events") && page.contains("100% of C &#60;b&#62;2"), "{page}");
    assert_eq!(page.matches("class=\"spark\"").count(), 3, "{page}");
    assert!(page.contains("Events in the last 14 days: 3, 3 at most"), "{page}");
    let hourly = browser.get(&format!("{list}?span=24h")).await.is(200).text();
    assert!(hourly.contains("Events in the last 24 hours: 3"), "{hourly}");
    assert!(!page.contains("<b>2"), "{page}");
    let id = tracker.errors().await[0]["id"].clone();
    let page = browser.get(&format!("{list}/{id}/details")).await.is(200).text();
    for text in [
        "Events in the last 24 hours: 2, 2 at most",
        "Events by day",
        "in UTC",
        "app.py:7",
        "&#60;script&#62;before",
        "work()",
        "This event",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("<script>before"));
    let (to, page) = browser.submit(&format!("{list}/{id}"), &[("status", "resolved")]).await;
    assert_eq!(to, format!("{list}/{id}/details"));
    assert!(page.contains("The error is resolved."), "{page}");
    assert_eq!(
        tracker.errors().await.iter().filter(|one| one["status"] == "resolved").count(),
        1
    );
    let page = browser.get(&format!("{list}?search=nothing+of+the+kind")).await.is(200).text();
    assert!(page.contains("No error found"), "{page}");
}

#[testkit::story]
async fn scripts_in_pages_read_and_change_errors(t: TestServer) {
    let tracker = three(&t).await;
    let jane = t.user("jane").await;
    tracker.project.add(&jane, 30).await;
    let browser = t.browser("jane").await;
    let list = "/acme/anvil/-/error_tracking";
    let read = async |rest: &str| browser.get(&format!("{list}{rest}")).await.is(200).json();
    let all = read(".json?sort=frequency").await;
    assert_eq!(all["errors"].as_array().unwrap().len(), 3);
    assert_eq!(all["errors"][0]["title"], "C: 100% of C <b>2</b>");
    assert_eq!(all["pagination"], json!({"previous": null, "next": null}));
    let id = all["errors"][0]["id"].as_str().unwrap();
    assert_eq!(read(&format!("/{id}/details.json")).await["error"]["tags"]["logger"], "shop");
    let stack = read(&format!("/{id}/stack_trace.json")).await;
    assert_eq!(stack["error"]["stack_trace_entries"][0]["lineNo"], 7);
    let page = browser.get(&format!("{list}/{id}/details")).await.is(200);
    let token = page.hidden("authenticity_token").unwrap();
    let fields = [("authenticity_token", token.as_str()), ("status", "resolved")];
    let put = browser
        .send_as(Method::PUT, &format!("{list}/{id}"), &fields, "application/json")
        .await;
    assert_eq!(put.is(200).json(), json!({"updated": true, "closed_issue_iid": null}));
    for (status, text) in [
        ("lost", "status does not have a valid value"),
        ("", "status does not have a valid value"),
    ] {
        let fields = [("authenticity_token", token.as_str()), ("status", status)];
        let put = browser
            .send_as(Method::PUT, &format!("{list}/{id}"), &fields, "application/json")
            .await;
        assert_eq!(put.is(400).json()["error"], text);
    }
    let fields = [("authenticity_token", token.as_str())];
    let put = browser
        .send_as(Method::PUT, &format!("{list}/{id}"), &fields, "application/json")
        .await;
    assert_eq!(put.is(400).json()["error"], "status is missing");
    assert_eq!(read(".json").await["errors"].as_array().unwrap().len(), 2);
    assert_eq!(read(".json?issue_status=whatever").await["errors"].as_array().unwrap().len(), 3);
    browser.get(&format!("{list}/999999/details.json")).await.is(404);
    let bare = browser
        .send_as(
            Method::PUT,
            &format!("{list}/{id}"),
            &[("status", "ignored")],
            "application/json",
        )
        .await;
    assert!(bare.status >= 400, "{bare:?}");
}

#[testkit::story]
async fn settings_and_keys_are_managed_on_a_page(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let browser = t.browser("jane").await;
    let path = "/acme/anvil/-/settings/error_tracking";
    assert!(browser.get(path).await.is(200).text().contains("No keys yet"));
    let (to, page) = browser
        .submit(
            path,
            &[("action", "save"), ("active", "1"), ("mode", "integrated"), ("api_url", "")],
        )
        .await;
    assert_eq!(to, path);
    assert!(page.contains("Settings saved. Make a key"), "{page}");
    let none = browser.get("/acme/anvil/-/error_tracking").await.is(200).text();
    assert!(
        none.contains("No open errors")
            && none.contains(&format!("href=\"{path}\">Set up a program")),
        "{none}"
    );
    let (_, page) = browser.submit(path, &[("action", "add")]).await;
    assert!(page.contains("@127.0.0.1:") && page.contains("svet_"), "{page}");
    let keys = t.admin().get(project.at("/error_tracking/client_keys")).await.is(200);
    let id = keys.each("id")[0].to_string();
    let (_, page) = browser.submit(path, &[("action", "remove"), ("key_id", &id)]).await;
    assert!(page.contains("Key removed.") && page.contains("No keys yet"), "{page}");

    let elsewhere = [
        ("action", "save"),
        ("active", "1"),
        ("mode", "external"),
        ("api_url", "https://t.example/"),
    ];
    let page = browser.post(path, &elsewhere).await.is(422).text();
    assert!(page.contains("Is invalid") && page.contains("https://t.example/"), "{page}");
    let url = "https://t.example/api/0/projects/acme/big-anvil/";
    let elsewhere = [
        ("action", "save"),
        ("active", "1"),
        ("mode", "external"),
        ("api_url", url),
        ("token", ""),
    ];
    let page = browser.post(path, &elsewhere).await.is(422).text();
    assert!(page.contains("Is a required field"), "{page}");
    let elsewhere = [
        ("action", "save"),
        ("active", "1"),
        ("mode", "external"),
        ("api_url", url),
        ("token", "s3cret-word"),
    ];
    browser.submit(path, &elsewhere).await;
    assert!(!browser.get(path).await.text().contains("s3cret-word"));
    let shown = t.admin().get(project.at("/error_tracking/settings")).await.is(200).json();
    assert_eq!(
        shown,
        json!({"active": true, "project_name": "Big Anvil",
        "tracker_external_url": "https://t.example/acme/big-anvil/", "api_url": url, "integrated": false})
    );
    let stored = t
        .app()
        .read(|tx| {
            Ok(tx.one::<String>(
                store::sql!("select sealed_token from error_tracking_settings"),
                (),
            )?)
        })
        .await
        .unwrap();
    assert!(!stored.contains("s3cret-word"));
}

#[testkit::story]
async fn events_of_an_error_are_paged_one_by_one(t: TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    for n in 1..=4_u128 {
        let mut sent = event("C", "broken");
        sent["event_id"] = json!(number(n));
        sent["tags"] =
            json!({"browser": if n == 3 { "fox" } else { "cat" }, "step": n.to_string()});
        sent["breadcrumbs"] = json!([{"timestamp": 1769872245, "message": "before it"}]);
        tracker.report(sent).await.is(200);
    }
    tracker.report(event("Other", "whole")).await.is(200);
    let jane = t.user("jane").await;
    tracker.project.add(&jane, 30).await;
    let browser = t.browser("jane").await;
    let errors = tracker.errors().await;
    let of = |name: &str| errors.iter().find(|one| one["name"] == name).unwrap()["id"].clone();
    let one = format!("/acme/anvil/-/error_tracking/{}/details", of("C"));
    let at = async |query: &str| browser.get(&format!("{one}{query}")).await.is(200).text();
    let leads = |page: &str, n: u128, text: &str| {
        let link = format!("href=\"{one}?event={}\">", number(n));
        page.split(&link)
            .skip(1)
            .any(|rest| rest.starts_with(text) || rest.contains(text))
    };

    let newest = at("").await;
    assert!(newest.contains("<dt>step</dt><dd>4</dd>"), "{newest}");
    assert!(leads(&newest, 1, "First") && leads(&newest, 3, "Previous"), "{newest}");
    assert!(!newest.contains(">Last</a>") && !newest.contains("rel=\"next\""), "{newest}");
    let second = at(&format!("?event={}", number(2))).await;
    assert!(second.contains("<dt>step</dt><dd>2</dd>"), "{second}");
    for (n, text) in [(1, "Previous"), (3, "Next"), (4, "Last")] {
        assert!(leads(&second, n, text), "{n} {text}: {second}");
    }
    let first = at(&format!("?event={}", number(1))).await;
    assert!(!first.contains(">First</a>") && !first.contains("rel=\"prev\""), "{first}");

    // Three of four events have one browser.
    for text in [
        "of the last 4 events",
        "<span class=\"what\">cat</span><span class=\"much\">75 %",
    ] {
        assert!(newest.contains(text), "{text} is not in {newest}");
    }
    // No date stands as machines write it.
    assert!(
        newest.contains(">15:10:45</time>") && !newest.contains(">2026-01-31T"),
        "{newest}"
    );

    for odd in [number(9), "x".to_owned(), "%27".to_owned()] {
        browser.get(&format!("{one}?event={odd}")).await.is(404);
    }
    let other = format!("/acme/anvil/-/error_tracking/{}/details", of("Other"));
    browser.get(&format!("{other}?event={}", number(1))).await.is(404);
}
