//! Many of everything on the pages of epics cost what two cost.

use super::*;

fn sent(t: &TestServer, route: &str) -> u64 {
    let line = format!("http_request_statements_total{{method=\"GET\",route=\"{route}\"}} ");
    let text = t.app().metrics().render();
    let count = text.lines().find_map(|one| one.strip_prefix(&line));
    count.map_or(0, |count| count.parse().expect("a count"))
}

#[testkit::story]
async fn many_children_cost_what_two_cost(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 20).await;
    let project = t.project("acme/anvil").await;
    let top = made(&jane, &group, json!({"title": "top"})).await["id"].clone();
    let browser = t.browser("jane").await;
    let mut before = None;
    for (count, from) in [(2, 0), (20, 2)] {
        for n in from..count {
            let body = json!({"title": format!("child {n}"), "parent_id": top, "labels": "bug"});
            let child = made(&jane, &group, body).await;
            let body = json!({"title": format!("grandchild {n}"), "parent_id": child["id"]});
            made(&jane, &group, body).await;
            for epic in [&top, &child["id"]] {
                let body = json!({"title": format!("issue {n}"), "epic_id": epic});
                jane.post(project.at("/issues")).json(&body).await.is(201);
            }
            let link = json!({"target_group_id": group.id, "target_epic_iid": child["iid"]});
            jane.post(group.at("/epics/1/related_epics")).json(&link).await.is(201);
        }
        let mut costs = Vec::new();
        for (route, path) in [
            ("/groups/{*group}/-/epics", format!("{LIST}?per_page={count}")),
            ("/groups/{*group}/-/epics/{epic_iid}", ONE.to_owned()),
        ] {
            let known = sent(&t, route);
            let page = browser.get(&path).await.is(200).text();
            assert!(
                page.matches(">child ").count() + page.matches(">grandchild ").count() >= count
            );
            costs.push(sent(&t, route) - known);
        }
        assert!(costs.iter().all(|cost| *cost > 0), "{costs:?}");
        match &before {
            None => before = Some(costs),
            Some(before) => assert_eq!(before, &costs),
        }
    }
}
