//! Lists of issues: filters, orders, pages.

use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

/// Four issues of a project that differ in what lists ask about.
async fn four(t: &TestServer) -> TestProject {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 50).await;
    project.add(&joe, 20).await;
    let goal = jane
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201)
        .id();
    jane.post(project.at("/labels"))
        .json(&json!({"name": "bug", "color": "red", "priority": 1}))
        .await
        .is(201);
    jane.post(project.at("/labels"))
        .json(&json!({"name": "door", "color": "red", "priority": 2}))
        .await
        .is(201);
    for body in [
        json!({"title": "Ärger", "description": "100% broken", "labels": "bug,door",
            "milestone_id": goal, "created_at": "2001-01-01T00:00:00Z"}),
        json!({"title": "Bolt_loose", "labels": "door", "assignee_ids": [joe.id], "weight": 5,
            "created_at": "2002-01-01T00:00:00Z", "due_date": "2002-02-02"}),
        json!({"title": "Clasp", "assignee_ids": [jane.id, joe.id], "issue_type": "incident",
            "created_at": "2003-01-01T00:00:00Z", "due_date": "2001-02-02", "confidential": true}),
    ] {
        jane.post(project.at("/issues")).json(&body).await.is(201);
    }
    let body = json!({"title": "Drawer", "description": "the bolt"});
    joe.post(project.at("/issues")).json(&body).await.is(201);
    jane.put(project.at("/issues/4"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    project
}

#[testkit::story]
async fn filters_narrow_a_list(t: TestServer) {
    let project = four(&t).await;
    let jane = t.admin().get("/users?username=jane").await.json()[0]["id"].clone();
    for (query, expected) in [
        ("", vec![4, 3, 2, 1]),
        ("state=opened", vec![3, 2, 1]),
        ("state=closed", vec![4]),
        ("state=all&sort=asc", vec![1, 2, 3, 4]),
        ("labels=door", vec![2, 1]),
        ("labels=door,bug", vec![1]),
        ("labels[]=door&labels[]=bug", vec![1]),
        ("labels=None", vec![4, 3]),
        ("labels=Any", vec![2, 1]),
        ("labels=nothing", vec![]),
        ("milestone=1.0", vec![1]),
        ("milestone=None", vec![4, 3, 2]),
        ("milestone=any", vec![1]),
        ("author_username=joe", vec![4]),
        ("assignee_username=joe", vec![3, 2]),
        ("assignee_username[]=joe&assignee_username[]=jane", vec![3]),
        ("assignee_id=None", vec![4, 1]),
        ("assignee_id=Any", vec![3, 2]),
        ("search=%C3%84RGER", vec![1]),
        ("search=bolt", vec![4, 2]),
        ("search=bolt&in=title", vec![2]),
        ("search=bolt&in=description", vec![4]),
        ("search=100%25", vec![1]),
        ("search=t_l", vec![2]),
        ("search=%25", vec![1]),
        ("iids[]=1&iids[]=3", vec![3, 1]),
        ("confidential=true", vec![3]),
        ("issue_type=incident", vec![3]),
        ("weight=5", vec![2]),
        ("weight=None", vec![4, 3, 1]),
        ("created_after=2001-06-01T00:00:00Z&created_before=2002-06-01", vec![2]),
        ("updated_after=2999-01-01T00:00:00Z", vec![]),
        ("due_date=overdue", vec![3, 2]),
        ("due_date=0", vec![4, 1]),
        ("due_date=any", vec![3, 2]),
        ("due_date=today", vec![]),
        ("due_date=next_month_and_previous_two_weeks", vec![]),
        ("epic_id=None", vec![4, 3, 2, 1]),
        ("epic_id=7", vec![]),
        ("not[labels]=bug", vec![4, 3, 2]),
        ("not[milestone]=1.0", vec![4, 3, 2]),
        ("not[author_username]=jane", vec![4]),
        ("not[assignee_username]=joe", vec![4, 1]),
        ("not[iids][]=1&not[weight]=5", vec![4, 3]),
        ("order_by=updated_at&sort=asc&state=opened", vec![1, 2, 3]),
        ("order_by=title&sort=asc", vec![2, 3, 4, 1]),
        ("order_by=due_date&sort=asc", vec![3, 2, 1, 4]),
        ("order_by=weight", vec![2, 4, 3, 1]),
        ("order_by=label_priority&sort=asc", vec![1, 2, 3, 4]),
        ("order_by=relative_position&sort=asc", vec![1, 2, 3, 4]),
    ] {
        let found = t.admin().get(project.at(&format!("/issues?{query}"))).await.is(200);
        assert_eq!(
            found.each("iid"),
            expected.iter().map(|iid| json!(iid)).collect::<Vec<_>>(),
            "{query}"
        );
        assert_eq!(found.header("x-total"), expected.len().to_string(), "{query}");
    }
    let own = t
        .admin()
        .get(project.at(&format!("/issues?author_id={jane}&not[assignee_id]={jane}")))
        .await
        .is(200);
    assert_eq!(own.each("iid"), [json!(2), json!(1)]);
    for bad in [
        "state=new",
        "order_by=colour",
        "assignee_id=me",
        "weight=heavy",
        "in=notes",
        "due_date=someday",
        "not=x",
    ] {
        t.admin().get(project.at(&format!("/issues?{bad}"))).await.is(400);
    }
}

#[testkit::story]
async fn everyone_lists_their_own_across_projects(t: TestServer) {
    let project = four(&t).await;
    let other = t.project("acme/tools/forge").await;
    let joe = t.admin().get("/users?username=joe").await.json()[0]["id"].as_i64().unwrap();
    let client = t.token_of(joe, &["read_api"]).await;
    t.admin()
        .post(other.at("/issues"))
        .json(&json!({"title": "hidden"}))
        .await
        .is(201);
    assert_eq!(client.get("/issues").await.is(200).each("iid"), [json!(4)]);
    assert_eq!(
        client.get("/issues?scope=assigned_to_me").await.is(200).each("iid"),
        [json!(3), json!(2)]
    );
    assert_eq!(client.get("/issues?scope=all").await.is(200).each("iid").len(), 4);
    let whole = t.admin().get("/groups/acme/issues").await.is(200);
    assert_eq!(whole.each("iid").len(), 5);
    let named: Vec<Value> =
        whole.each("references").iter().map(|one| one["relative"].clone()).collect();
    assert!(
        named.contains(&json!("tools/forge#1")) && named.contains(&json!("anvil#4")),
        "{named:?}"
    );
    assert_eq!(
        t.admin().get("/groups/acme%2Ftools/issues").await.is(200).each("iid"),
        [json!(1)]
    );
    let full = client.get("/issues").await.json()[0]["references"]["relative"].clone();
    assert_eq!(full, "acme/anvil#4");
    let goal = project.at("/milestones");
    let goal = t.admin().get(&goal).await.json()[0]["id"].clone();
    let of = t.admin().get(project.at(&format!("/milestones/{goal}/issues"))).await.is(200);
    assert_eq!(of.each("iid"), [json!(1)]);
    let merges = t
        .admin()
        .get(project.at(&format!("/milestones/{goal}/merge_requests")))
        .await
        .is(200);
    assert_eq!(merges.json(), json!([]));
}

#[testkit::story]
async fn pages_are_found_by_key_in_every_keyed_order(t: TestServer) {
    let project = four(&t).await;
    for (query, expected) in [
        ("", vec![4, 3, 2, 1]),
        ("order_by=title&sort=asc", vec![2, 3, 4, 1]),
        ("order_by=updated_at&sort=asc&labels=door", vec![1, 2]),
        ("order_by=relative_position", vec![4, 3, 2, 1]),
    ] {
        let mut next = Some(project.at(&format!("/issues?pagination=keyset&per_page=1&{query}")));
        let mut seen = Vec::new();
        while let Some(path) = next {
            let page = t.admin().get(&path).await.is(200);
            assert_eq!(page.header("x-total"), "");
            seen.extend(page.each("iid").iter().filter_map(Value::as_i64));
            next = page
                .link("next")
                .map(|url| url.split("/api/v4").nth(1).expect("ours").to_owned());
        }
        assert_eq!(seen, expected, "{query}");
    }
    t.admin()
        .get(project.at("/issues?pagination=keyset&order_by=weight"))
        .await
        .is(405);
    t.admin()
        .get(project.at("/issues?pagination=keyset&cursor=forged"))
        .await
        .is(400);
}

#[testkit::story]
async fn labels_come_with_details_when_asked(t: TestServer) {
    let project = four(&t).await;
    let found = t
        .admin()
        .get(project.at("/issues?iids[]=1&with_labels_details=true"))
        .await
        .is(200);
    assert_eq!(found.json()[0]["labels"][0]["name"], "bug");
    assert_eq!(found.json()[0]["labels"][0]["color"], "#ff0000");
    assert_eq!(found.json()[0]["labels"][1]["text_color"], "#FFFFFF");
}
