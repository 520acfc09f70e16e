//! Reading and managing errors: REST, GraphQL, pages and their JSON
//! (docs/interface/monitoring.md 6.6).

mod pages;

use crate::error_tracking::{Tracker, event};
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, TestServer};

pub async fn graphql(client: &Client, query: &str) -> Value {
    let body = json!({"query": query});
    let answer = client.request(Method::POST, "/api/graphql").json(&body).await.is(200).json();
    assert_eq!(answer["errors"], Value::Null, "{query}");
    answer["data"].clone()
}

/// Three errors: `A` once, `B` twice, `C` three times.
async fn three(t: &TestServer) -> Tracker {
    let tracker = Tracker::new(t, "acme/anvil").await;
    for (kind, times) in [("C", 3), ("A", 1), ("B", 2)] {
        for n in 0..times {
            let mut sent = event(kind, &format!("100% of {kind} <b>{n}</b>"));
            sent["exception"]["values"][0]["stacktrace"]["frames"][0]["pre_context"] =
                json!(["<script>before"]);
            sent["exception"]["values"][0]["stacktrace"]["frames"][0]["context_line"] =
                json!("work()");
            sent["logger"] = json!("shop");
            sent["release"] = json!("1.2");
            tracker.report(sent).await.is(200);
        }
    }
    tracker
}

#[testkit::story]
async fn lists_are_filtered_searched_and_sorted(t: TestServer) {
    let tracker = three(&t).await;
    let path = tracker.project.at("/error_tracking/errors");
    let names = async |query: &str| {
        let reply = t.admin().get(format!("{path}?{query}")).await.is(200);
        reply
            .each("name")
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("").await, ["B", "A", "C"]);
    assert_eq!(names("sort=first_seen").await, ["B", "A", "C"]);
    assert_eq!(names("sort=frequency").await, ["C", "B", "A"]);
    assert_eq!(names("sort=frequency&per_page=1&page=2").await, ["B"]);
    assert_eq!(names("search=100%25%20of%20a").await, ["A"]);
    assert_eq!(names("search=WORK(APP)&sort=frequency").await, ["C", "B", "A"]);
    assert_eq!(names("search=%25of%25").await, [] as [&str; 0]);
    let all = t.admin().get(&path).await.is(200);
    assert_eq!(all.header("x-total"), "3");
    let a = all.json()[1]["id"].clone();
    let one = format!("{path}/{a}");
    t.admin().put(&one).json(&json!({"status": "resolved"})).await.is(200);
    assert_eq!(names("status=resolved").await, ["A"]);
    for (query, total) in [
        ("", "3"),
        ("?status=resolved", "1"),
        ("?status=unresolved", "2"),
        ("?status=ignored", "0"),
        ("?search=work", "3"),
        ("?search=100%25%20of%20a&status=unresolved", "0"),
    ] {
        let listed = t.admin().get(format!("{path}{query}")).await.is(200);
        assert_eq!(listed.header("x-total"), total, "{query}");
    }
    assert_eq!(names("status=unresolved&sort=frequency").await, ["C", "B"]);
    assert_eq!(names("sort=frequency").await, ["C", "B", "A"]);
    t.admin().put(&one).json(&json!({"status": "lost"})).await.is(400);
    t.admin().get(format!("{path}?status=lost")).await.is(400);
    t.admin().get(format!("{path}/999999")).await.is(404);
}

#[testkit::story]
async fn developers_read_and_others_do_not(t: TestServer) {
    let tracker = three(&t).await;
    let other = Tracker::new(&t, "acme/hammer").await;
    let path = tracker.project.at("/error_tracking/errors");
    let id = t.admin().get(&path).await.is(200).each("id")[0].clone();
    let (jane, carl) = (t.user("jane").await, t.user("carl").await);
    tracker.project.add(&jane, 20).await;
    tracker.project.add(&carl, 30).await;
    let one = format!("{path}/{id}");
    jane.get(&path).await.is(403);
    jane.get(&one).await.is(403);
    carl.get(&one).await.is(200);
    carl.put(&one).json(&json!({"status": "ignored"})).await.is(200);
    jane.put(&one).json(&json!({"status": "resolved"})).await.is(403);
    t.admin()
        .get(other.project.at(&format!("/error_tracking/errors/{id}")))
        .await
        .is(404);

    let gid = format!("gid://service/Service::ErrorTracking::DetailedError/{id}");
    let ask = async |client: &Client, project: &str| {
        graphql(
            client,
            &format!(
                "{{project(fullPath:\"{project}\"){{trackerErrors{{externalUrl}} \
         trackerDetailedError(id:\"{gid}\"){{trackerId}}}}}}"
            ),
        )
        .await["project"]
            .clone()
    };
    assert_eq!(
        ask(&jane, "acme/anvil").await,
        json!({"trackerErrors": null, "trackerDetailedError": null})
    );
    assert_eq!(
        ask(&carl, "acme/anvil").await["trackerDetailedError"]["trackerId"],
        id.to_string()
    );
    assert_eq!(ask(&t.admin(), "acme/hammer").await["trackerDetailedError"], Value::Null);
    assert_eq!(ask(&carl, "acme/hammer").await, Value::Null);

    let page = "/acme/anvil/-/error_tracking";
    let (janes, carls) = (t.browser("jane").await, t.browser("carl").await);
    janes.get(page).await.is(403);
    janes.get(&format!("{page}/{id}/details")).await.is(403);
    carls.get(page).await.is(200);
    carls.get(&format!("{page}/{id}/details")).await.is(200);
    carls.get("/acme/anvil/-/settings/error_tracking").await.is(403);
    assert_eq!(
        janes.get(&format!("{page}.json")).await.is(401).json(),
        json!({"message": "Access denied"})
    );
    t.anonymous().at(format!("{page}.json")).await.is(401);
}

#[testkit::story]
async fn what_is_not_enabled_says_so(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let text = json!({"message": "Error Tracking is not enabled"});
    let refused = t.admin().get(project.at("/error_tracking/errors")).await.is(400);
    assert_eq!(refused.json(), text);
    let asked =
        graphql(&t.admin(), "{project(fullPath:\"acme/anvil\"){trackerErrors{externalUrl}}}").await;
    assert_eq!(asked["project"]["trackerErrors"], Value::Null);
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let browser = t.browser("jane").await;
    let refused = browser.get("/acme/anvil/-/error_tracking.json").await.is(400);
    assert_eq!(refused.json(), text);
    let page = browser.get("/acme/anvil/-/error_tracking").await.is(200).text();
    assert!(
        page.contains("Error tracking is off") && page.contains("/-/settings/error_tracking"),
        "{page}"
    );
}

#[testkit::story]
async fn graphql_shows_errors_with_their_stack(t: TestServer) {
    let tracker = three(&t).await;
    let found = graphql(&t.admin(), "{project(fullPath:\"acme/anvil\"){name trackerErrors{externalUrl \
        errors(first:2,sort:FREQUENCY){count all:count(limit:1) nodes{id title message culprit status count userCount \
        firstSeen lastSeen shortId type externalUrl trackerId trackerProjectName frequency{time count}} \
        pageInfo{hasNextPage endCursor}}}}}").await;
    let errors = &found["project"]["trackerErrors"];
    assert!(
        errors["externalUrl"]
            .as_str()
            .unwrap()
            .ends_with("/acme/anvil/-/error_tracking")
    );
    let nodes = errors["errors"]["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 2);
    assert_eq!((&errors["errors"]["count"], &errors["errors"]["all"]), (&json!(3), &json!(2)));
    let c = &nodes[0];
    assert_eq!(
        (c["title"].clone(), c["count"].clone(), c["status"].clone()),
        (json!("C: 100% of C <b>2</b>"), json!(3), json!("UNRESOLVED"))
    );
    let bars = c["frequency"].as_array().unwrap();
    let sum: i64 = bars.iter().map(|bar| bar["count"].as_i64().unwrap()).sum();
    assert_eq!((bars.len(), sum), (24, 3));
    assert!(errors["errors"]["pageInfo"]["hasNextPage"].as_bool().unwrap());
    let cursor = errors["errors"]["pageInfo"]["endCursor"].as_str().unwrap();
    let rest = graphql(
        &t.admin(),
        &format!(
            "{{project(fullPath:\"acme/anvil\"){{trackerErrors{{\
        errors(first:2,sort:FREQUENCY,after:\"{cursor}\"){{nodes{{title}}}}}}}}}}"
        ),
    )
    .await;
    let rest = &rest["project"]["trackerErrors"]["errors"]["nodes"];
    assert_eq!(rest.as_array().unwrap().len(), 1);
    let searched = graphql(
        &t.admin(),
        "{project(fullPath:\"acme/anvil\"){trackerErrors{\
        errors(searchTerm:\"of b\"){count nodes{title}}}}}",
    )
    .await;
    assert_eq!(
        searched["project"]["trackerErrors"]["errors"]["nodes"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(searched["project"]["trackerErrors"]["errors"]["count"], 1);

    let id = c["id"].as_str().unwrap();
    let found = graphql(&t.admin(), &format!("{{project(fullPath:\"acme/anvil\"){{\
        trackerDetailedError(id:\"{id}\"){{title externalBaseUrl tags{{level logger}} \
        firstReleaseShortVersion lastReleaseShortVersion serviceIssuePath integrated}} \
        trackerErrors{{detailedError(id:\"{id}\"){{id}} errorStackTrace(id:\"{id}\"){{issueId dateReceived \
        stackTraceEntries{{function fileName line col traceContext{{line code}}}}}}}}}}}}")).await;
    let detailed = &found["project"]["trackerDetailedError"];
    assert_eq!(detailed["tags"], json!({"level": "error", "logger": "shop"}));
    assert_eq!(detailed["lastReleaseShortVersion"], "1.2");
    let errors = &found["project"]["trackerErrors"];
    assert_eq!(errors["detailedError"]["id"], id);
    assert_eq!(
        errors["errorStackTrace"]["stackTraceEntries"],
        json!([{
            "function": "work", "fileName": "app.py", "line": "7", "col": null,
            "traceContext": [{"line": 6, "code": "<script>before"}, {"line": 7, "code": "work()"}],
        }])
    );
    drop(tracker);
}

#[testkit::story]
async fn a_title_is_whole_where_one_error_is_shown(t: TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let whole = format!("E: {}", "x".repeat(200));
    tracker.report(event("E", &whole[3..])).await.is(200);
    let id = tracker.only_error().await["id"].to_string();
    let gid = format!("gid://service/Service::ErrorTracking::DetailedError/{id}");
    let found = graphql(
        &t.admin(),
        &format!(
            "{{project(fullPath:\"acme/anvil\"){{\
        trackerDetailedError(id:\"{gid}\"){{title}} trackerErrors{{errors{{nodes{{title}}}}}}}}}}"
        ),
    )
    .await;
    assert_eq!(found["project"]["trackerDetailedError"]["title"], *whole);
    assert_eq!(found["project"]["trackerErrors"]["errors"]["nodes"][0]["title"], whole[..64]);
    let jane = t.user("jane").await;
    tracker.project.add(&jane, 30).await;
    let browser = t.browser("jane").await;
    let list = "/acme/anvil/-/error_tracking";
    let listed = browser.get(&format!("{list}.json")).await.is(200).json();
    let shown = browser.get(&format!("{list}/{id}/details.json")).await.is(200).json();
    assert_eq!(
        (&listed["errors"][0]["title"], &shown["error"]["title"]),
        (&json!(whole[..64]), &json!(whole))
    );
}

#[testkit::story]
async fn errors_that_are_received_here_are_listed_here(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let url = "https://t.example/api/0/projects/acme/anvil/";
    let elsewhere = [
        ("action", "save"),
        ("active", "1"),
        ("mode", "external"),
        ("api_url", url),
        ("token", "s3cret"),
    ];
    t.browser("jane")
        .await
        .submit("/acme/anvil/-/settings/error_tracking", &elsewhere)
        .await;
    let external_url = async || {
        let asked =
            graphql(&jane, "{project(fullPath:\"acme/anvil\"){trackerErrors{externalUrl}}}").await;
        asked["project"]["trackerErrors"]["externalUrl"].clone()
    };
    assert_eq!(external_url().await, "https://t.example/acme/anvil/");
    let here = json!({"active": true, "integrated": true});
    jane.put(project.at("/error_tracking/settings")).json(&here).await.is(200);
    assert_eq!(external_url().await, format!("{}/acme/anvil/-/error_tracking", t.url()));
}

#[testkit::story]
async fn what_people_say_of_an_error_is_recorded(t: TestServer) {
    let tracker = three(&t).await;
    let jane = t.user("jane").await;
    tracker.project.add(&jane, 30).await;
    let id = tracker.errors().await[0]["id"].clone();
    let path = tracker.project.at(&format!("/error_tracking/errors/{id}"));
    for _ in 0..2 {
        jane.put(&path).json(&json!({"status": "ignored"})).await.is(200);
    }
    let records = t.admin().get("/audit_events").await.is(200).json();
    let of_errors = records.as_array().unwrap().iter();
    let of_errors: Vec<_> =
        of_errors.filter(|one| one.to_string().contains("error.update")).collect();
    assert_eq!(of_errors.len(), 1, "{records}");
    assert_eq!(of_errors[0]["author_id"], jane.id);
}
