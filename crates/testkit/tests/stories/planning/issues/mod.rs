//! One issue: made, changed, told about, removed.

mod events;

use serde_json::{Value, json};

#[testkit::story]
async fn an_issue_is_made_and_shown_whole(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let goal = jane
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    let body = json!({
        "title": " Broken hinge ", "description": "- [x] look\n- [ ] mend", "labels": "bug,door",
        "assignee_ids": [jane.id], "milestone_id": goal.id(), "due_date": "2031-02-01",
        "weight": 3, "issue_type": "incident", "severity": "high",
    });
    let made = jane.post(project.at("/issues")).json(&body).await.is(201);
    let issue = made.json();
    let base = t.app().base_url().to_owned();
    assert_eq!((&issue["iid"], &issue["title"]), (&json!(1), &json!("Broken hinge")));
    assert_eq!((&issue["state"], &issue["labels"]), (&json!("opened"), &json!(["bug", "door"])));
    assert_eq!((&issue["type"], &issue["issue_type"]), (&json!("INCIDENT"), &json!("incident")));
    assert_eq!((&issue["severity"], &issue["weight"]), (&json!("high"), &json!(3)));
    assert_eq!(
        (&issue["author"]["username"], &issue["assignee"]["id"]),
        (&json!("jane"), &json!(jane.id))
    );
    assert_eq!(
        (&issue["milestone"]["title"], &issue["due_date"]),
        (&json!("1.0"), &json!("2031-02-01"))
    );
    assert_eq!(issue["task_completion_status"], json!({"count": 2, "completed_count": 1}));
    assert_eq!(issue["task_status"], "1 of 2 checklist items completed");
    assert_eq!(
        issue["references"],
        json!({"short": "#1", "relative": "#1", "full": "acme/anvil#1"})
    );
    assert_eq!(issue["web_url"], format!("{base}/acme/anvil/-/issues/1"));
    assert_eq!(
        issue["_links"]["notes"],
        format!("{base}/api/v4/projects/{}/issues/1/notes", project.id)
    );
    assert_eq!(
        (&issue["subscribed"], &issue["discussion_locked"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(
        (&issue["closed_at"], &issue["moved_to_id"], &issue["epic"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(jane.get(project.at("/issues/1")).await.is(200).json(), issue);
    assert_eq!(t.admin().get(format!("/issues/{}", made.id())).await.is(200).id(), made.id());
    jane.get(format!("/issues/{}", made.id())).await.is(403);

    let shown = jane.get(project.at("")).await.is(200).json();
    assert_eq!(shown["open_issues_count"], 1);
    let made = jane.get(format!("/users/{}/associations_count", jane.id)).await.is(200).json();
    assert_eq!(made["issues_count"], 1);
    let bug = jane.get(project.at("/labels/bug")).await.is(200).json();
    assert_eq!((&bug["open_issues_count"], &bug["color"]), (&json!(1), &json!("#6699cc")));
}

#[testkit::story]
async fn a_change_changes_what_it_names(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    let one = project.at("/issues/1");
    let body = json!({"title": "Hinge", "labels": ["a", "b"], "assignee_id": jane.id, "due_date": "2031-02-01"});
    jane.post(project.at("/issues")).json(&body).await.is(201);

    let changed = jane
        .put(format!("{one}?add_labels=c&remove_labels=a,nothing"))
        .await
        .is(200)
        .json();
    assert_eq!(changed["labels"], json!(["b", "c"]));
    assert_eq!(
        (&changed["title"], &changed["due_date"]),
        (&json!("Hinge"), &json!("2031-02-01"))
    );
    let body = json!({"labels": "", "assignee_ids": [joe.id, 99_999], "due_date": "", "description": "oil"});
    let changed = jane.put(&one).json(&body).await.is(200).json();
    assert_eq!((&changed["labels"], &changed["due_date"]), (&json!([]), &Value::Null));
    assert_eq!(changed["assignees"].as_array().map(Vec::len), Some(1));
    assert_eq!(changed["assignee"]["username"], "joe");
    let changed = jane
        .put(&one)
        .json(&json!({"assignee_ids": [0], "discussion_locked": true}))
        .await
        .is(200)
        .json();
    assert_eq!(
        (&changed["assignees"], &changed["discussion_locked"]),
        (&json!([]), &json!(true))
    );

    let closed = jane.put(&one).json(&json!({"state_event": "close"})).await.is(200).json();
    assert_eq!(
        (&closed["state"], &closed["closed_by"]["username"]),
        (&json!("closed"), &json!("jane"))
    );
    assert!(closed["closed_at"].is_string());
    assert_eq!(jane.get(project.at("")).await.json()["open_issues_count"], 0);
    let open = jane.put(&one).json(&json!({"state_event": "reopen"})).await.is(200).json();
    assert_eq!(
        (&open["state"], &open["closed_at"], &open["closed_by"]),
        (&json!("opened"), &Value::Null, &Value::Null)
    );

    let nothing = jane.put(&one).json(&json!({})).await.is(400);
    assert!(nothing.text().contains("at least one parameter must be provided"));
}

#[testkit::story]
async fn time_is_estimated_and_spent(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    admin.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let at = |rest: &str| project.at(&format!("/issues/1/{rest}"));
    let set = admin
        .post(at("time_estimate"))
        .json(&json!({"duration": "1w 2h"}))
        .await
        .is(200)
        .json();
    assert_eq!(
        (&set["time_estimate"], &set["human_time_estimate"]),
        (&json!(151_200), &json!("1w 2h"))
    );
    let with_summary = format!("{}?duration=3h&summary=bolts", at("add_spent_time"));
    admin.post(with_summary).await.is(201);
    let told = admin.get(at("notes")).await.is(200).each("body");
    assert!(told.contains(&json!("added 3h of time spent: bolts")), "{told:?}");
    let spent = admin
        .post(at("add_spent_time"))
        .json(&json!({"duration": "-1h"}))
        .await
        .is(201)
        .json();
    assert_eq!(
        (&spent["total_time_spent"], &spent["human_total_time_spent"]),
        (&json!(7_200), &json!("2h"))
    );
    admin.post(at("add_spent_time")).json(&json!({"duration": "-3h"})).await.is(400);
    admin
        .post(at("add_spent_time"))
        .json(&json!({"duration": "soon"}))
        .await
        .is(400);
    let stats = admin.get(at("time_stats")).await.is(200).json();
    assert_eq!(stats, spent);
    admin.post(at("reset_spent_time")).await.is(200);
    let reset = admin.post(at("reset_time_estimate")).await.is(200).json();
    assert_eq!(
        (&reset["time_estimate"], &reset["human_time_estimate"]),
        (&json!(0), &Value::Null)
    );
    assert_eq!(reset["total_time_spent"], 0);
}

#[testkit::story]
async fn people_subscribe_and_take_part(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let at = |rest: &str| project.at(&format!("/issues/1/{rest}"));
    jane.post(at("subscribe")).await.is(304);
    let gone = jane.post(at("unsubscribe")).await.is(201);
    assert_eq!(gone.json()["subscribed"], false);
    jane.post(at("unsubscribe")).await.is(304);
    joe.post(at("unsubscribe")).await.is(304);
    joe.post(at("subscribe")).await.is(201);
    jane.put(project.at("/issues/1"))
        .json(&json!({"assignee_ids": [joe.id]}))
        .await
        .is(200);
    let all = jane.get(at("participants")).await.is(200);
    assert_eq!(all.each("username"), [json!("jane"), json!("joe")]);
    assert_eq!(jane.get(at("closed_by")).await.is(200).json(), json!([]));
    assert_eq!(jane.get(at("related_merge_requests")).await.is(200).json(), json!([]));
}

#[testkit::story]
async fn numbers_and_times_are_for_owners(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (owner, maker) = (t.user("owner").await, t.user("maker").await);
    project.add(&owner, 50).await;
    project.add(&maker, 40).await;
    let body = json!({"title": "old", "iid": 41, "created_at": "2001-02-03T04:05:06Z"});
    let plain = maker.post(project.at("/issues")).json(&body).await.is(201).json();
    assert_eq!(plain["iid"], 1);
    assert_ne!(plain["created_at"], "2001-02-03T04:05:06.000Z");
    let made = owner.post(project.at("/issues")).json(&body).await.is(201).json();
    assert_eq!(
        (&made["iid"], &made["created_at"]),
        (&json!(41), &json!("2001-02-03T04:05:06.000Z"))
    );
    owner.post(project.at("/issues")).json(&body).await.is(409);
    let next = maker.post(project.at("/issues")).json(&json!({"title": "next"})).await.is(201);
    assert_eq!(next.json()["iid"], 42);
    owner.delete(project.at("/issues/41")).await.is(204);
    owner.get(project.at("/issues/41")).await.is(404);
}

#[testkit::story]
async fn bad_issues_are_told(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, issues) = (t.admin(), project.at("/issues"));
    let missing = admin.post(&issues).json(&json!({})).await.is(400).json();
    assert_eq!(missing["error"], "title is missing");
    for (body, field) in [
        (json!({"title": " "}), "title"),
        (json!({"title": "x".repeat(256)}), "title"),
        (json!({"title": "a\r\nBcc: b"}), "title"),
        (json!({"title": "x", "description": "x".repeat(1_000_001)}), "description"),
        (json!({"title": "x", "weight": -1}), "weight"),
        (json!({"title": "x", "iid": 0}), "iid"),
        (json!({"title": "x", "iid": i64::MAX}), "iid"),
        (json!({"title": "x", "milestone_id": 99_999}), "milestone_id"),
    ] {
        let refused = admin.post(&issues).json(&body).await.is(400);
        assert!(refused.json()["message"][field].is_array(), "{field}");
    }
    for body in [
        json!({"title": "x", "issue_type": "epic"}),
        json!({"title": "x", "due_date": "soon"}),
        json!({"title": "x", "assignee_ids": "me"}),
        json!({"title": "x", "confidential": "perhaps"}),
    ] {
        admin.post(&issues).json(&body).await.is(400);
    }
    for (iid, status) in
        [("0", 404), ("-1", 404), ("99999999999999999", 404), ("1.5", 400), ("x", 400)]
    {
        admin.get(format!("{issues}/{iid}")).await.is(status);
    }
    assert_eq!(admin.get(&issues).await.is(200).json(), json!([]));
    let made = admin.post(&issues).json(&json!({"title": "first"})).await.is(201);
    assert_eq!(made.json()["iid"], 1, "refused ones take no number");
}

#[testkit::story]
async fn spam_makes_no_issue(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let rules = json!({"spam_blocked_domains": ["spam.example"]});
    t.admin().put("/application/settings").json(&rules).await.is(200);
    let body = json!({"title": "Cheap", "description": "https://spam.example/buy"});
    let refused = jane.post(project.at("/issues")).json(&body).await.is(400).json();
    assert_eq!(
        refused["message"]["error"],
        "Your issue has been recognized as spam and has been discarded."
    );
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    jane.put(project.at("/issues/1"))
        .json(&json!({"description": "https://spam.example/buy"}))
        .await
        .is(400);
    jane.put(project.at("/issues/1"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    assert_eq!(jane.get(project.at("/issues")).await.is(200).each("title"), [json!("Hinge")]);
}

#[testkit::story]
async fn issues_go_with_their_project(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let made = t
        .admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    t.admin().post(project.at("/issues/1/unsubscribe")).await.is(201);
    t.admin().delete(project.at("")).await.is(202);
    t.admin().get(format!("/issues/{}", made.id())).await.is(404);
    t.settle().await;
    let left = t.app().read(|tx| {
        let issues: i64 = tx.one("select count(*) from issues", ())?;
        let asked: i64 = tx.one("select count(*) from subscriptions", ())?;
        let numbers: i64 = tx.one("select count(*) from internal_ids", ())?;
        Ok((issues, asked, numbers))
    });
    assert_eq!(left.await.unwrap(), (0, 0, 0));
}

#[testkit::story]
async fn forms_empty_the_lists_of_an_issue(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let filled = json!({"title": "x", "assignee_ids": [jane.id], "labels": "bug"});
    jane.post(project.at("/issues")).json(&filled).await.is(201);

    let emptied = jane.put(project.at("/issues/1")).form("assignee_ids[]=&labels[]=").await;

    let emptied = emptied.is(200).json();
    assert_eq!((&emptied["assignees"], &emptied["labels"]), (&json!([]), &json!([])));
}
