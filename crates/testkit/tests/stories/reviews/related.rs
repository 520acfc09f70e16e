//! Merge requests beside what they are about: issues, milestones, labels, commits, counts,
//! searches; and what else hangs on them.

use super::{commit, developer, forge, open, wanted};
use serde_json::{Value, json};
use store::sql;
use testkit::{Client, TestProject, TestServer, TestUser};

const NONE: [Value; 0] = [];

/// A merge request of smith that closes the first issue, which wears a label and has a
/// milestone, as it does; jane is assigned to it and reviews it.
async fn begun(t: &TestServer) -> (TestProject, [TestUser; 2], Value) {
    let project = forge(t).await;
    let smith = developer(t, &project, "smith").await;
    let jane = developer(t, &project, "jane").await;
    let milestones = project.at("/milestones");
    let goal = smith.post(milestones).json(&json!({"title": "May"})).await.is(201).id();
    let issue = json!({"title": "Heavy", "labels": "iron", "milestone_id": goal});
    smith.post(project.at("/issues")).json(&issue).await.is(201);
    commit(t, &project, "anvil", "anvil.txt", "x\n").await;
    let mut body = wanted("anvil");
    body["description"] = json!("Closes #1");
    for (key, value) in [
        ("labels", json!("iron")),
        ("milestone_id", json!(goal)),
        ("assignee_id", json!(jane.id)),
        ("reviewer_ids", json!([jane.id])),
    ] {
        body[key] = value;
    }
    let made = smith.post(project.at("/merge_requests")).json(&body).await.is(201).json();
    t.settle().await;
    (project, [smith, jane], made)
}

async fn iids(client: &Client, path: String) -> Vec<Value> {
    client.get(path).await.is(200).each("iid")
}

#[testkit::story]
async fn they_are_listed_beside_what_they_are_about(t: TestServer) {
    let (project, [smith, _], made) = begun(&t).await;
    let reader = t.user("reader").await;
    commit(&t, &project, "horn", "horn.txt", "x\n").await;
    let mut names = wanted("horn");
    names["description"] = json!("See #1");
    smith.post(project.at("/merge_requests")).json(&names).await.is(201);
    let goal = &made["milestone"]["id"];
    let sha = made["sha"].as_str().expect("a head");
    let paths = [
        (project.at("/issues/1/closed_by"), vec![1]),
        (project.at("/issues/1/related_merge_requests"), vec![2, 1]),
        (project.at(&format!("/milestones/{goal}/merge_requests")), vec![1]),
        (project.at(&format!("/repository/commits/{sha}/merge_requests")), vec![1]),
        (project.at("/search?scope=merge_requests&search=anvil"), vec![1]),
        (project.at("/search?scope=merge_requests&search=anvil&state=merged"), vec![]),
        ("/search?scope=merge_requests&search=merge".to_owned(), vec![2, 1]),
        ("/groups/acme/search?scope=merge_requests&search=closes".to_owned(), vec![1]),
    ];
    for (path, expected) in &paths {
        assert_eq!(iids(&reader, path.clone()).await, *expected, "{path}");
    }
    let counted = async |client: &Client| {
        let issue = client.get(project.at("/issues/1")).await.is(200).json();
        let labels = client.get(project.at("/labels?with_counts=true")).await.is(200).json();
        let open = labels[0]["open_merge_requests_count"].clone();
        (issue["merge_requests_count"].clone(), open)
    };
    assert_eq!(counted(&reader).await, (json!(1), json!(1)));

    // Who does not see them is told of none, and that by no number.
    let hidden = json!({"merge_requests_access_level": "private"});
    t.admin().put(project.at("")).json(&hidden).await.is(200);
    for (path, expected) in &paths {
        assert_eq!(iids(&reader, path.clone()).await, NONE, "{path}");
        assert_eq!(iids(&smith, path.clone()).await, *expected, "{path}");
    }
    assert_eq!(counted(&reader).await, (json!(0), json!(0)));
    assert_eq!(counted(&smith).await, (json!(1), json!(1)));
}

#[testkit::story]
async fn those_of_a_groups_milestone_are_listed(t: TestServer) {
    let (project, [smith, _], _) = begun(&t).await;
    let group = t.group("acme").await;
    let goal = json!({"title": "June"});
    let goal = t.admin().post(group.at("/milestones")).json(&goal).await.is(201).id();
    let path = group.at(&format!("/milestones/{goal}/merge_requests"));
    assert_eq!(iids(&smith, path.clone()).await, NONE);
    let change = json!({"milestone_id": goal});
    smith.put(project.at("/merge_requests/1")).json(&change).await.is(200);
    assert_eq!(iids(&smith, path).await, [1]);
}

#[testkit::story]
async fn what_waits_for_somebody_is_counted(t: TestServer) {
    let (project, [smith, jane], _) = begun(&t).await;
    let counts = async |client: &Client| client.get("/user_counts").await.is(200).json();
    let expected = json!({"merge_requests": 2, "assigned_issues": 0, "assigned_merge_requests": 1,
        "review_requested_merge_requests": 1, "todos": 2});
    assert_eq!(counts(&jane).await, expected);
    assert_eq!(counts(&smith).await["merge_requests"], 0);
    let close = json!({"state_event": "close"});
    smith.put(project.at("/merge_requests/1")).json(&close).await.is(200);
    let counted = counts(&jane).await;
    assert_eq!((&counted["merge_requests"], &counted["todos"]), (&json!(0), &json!(0)));
    t.anonymous().get("/user_counts").await.is(401);
}

#[testkit::story]
async fn a_name_in_the_field_of_searches_leads_there(t: TestServer) {
    begun(&t).await;
    let smith = t.browser("smith").await;
    for text in ["acme%2Fforge!1", "!1&project=acme%2Fforge"] {
        let reply = smith.get(&format!("/search?q={text}")).await.is(303);
        assert_eq!(reply.header("location"), "/acme/forge/-/merge_requests/1", "{text}");
    }
    smith.get("/search?q=acme%2Fforge!2").await.is(200);
    let page = smith.get("/search?q=anvil&type=merge_requests").await.is(200).text();
    assert!(page.contains("href=\"/acme/forge/-/merge_requests/1\""), "{page}");
}

#[testkit::story]
async fn commits_of_the_target_are_shown_beside_its_own(t: TestServer) {
    let (project, [smith, _], _) = begun(&t).await;
    let reader = t.user("reader").await;
    let head = t.admin().get(project.at("/repository/commits/main")).await.is(200).json();
    let sha = head["id"].as_str().expect("a commit").to_owned();
    let path = project.at("/merge_requests/1/context_commits");
    let body = json!({"commits": [sha]});
    reader.post(&path).json(&body).await.is(403);
    assert_eq!(smith.post(&path).json(&body).await.is(201).each("id"), [json!(sha)]);
    assert_eq!(reader.get(&path).await.is(200).each("title"), [head["title"].clone()]);
    let message = async |body: Value| {
        let refused = smith.post(&path).json(&body).await.is(400).json();
        refused["message"].as_str().unwrap_or_default().to_owned()
    };
    let again = format!("Context commits: {sha} are already created");
    assert_eq!(message(body.clone()).await, again);
    let none = "One or more context commits' sha is not valid.";
    let unknown = "0123456789012345678901234567890123456789";
    for wrong in [unknown, "main", ".."] {
        assert_eq!(message(json!({"commits": [wrong]})).await, none, "{wrong}");
    }
    let many = "Context commits array size should not be more than 20";
    assert_eq!(message(json!({"commits": vec![sha.clone(); 21]})).await, many);
    smith.post(&path).await.is(400);

    let refused = smith.delete(format!("{path}?commits[]={unknown}")).await.is(400).json();
    assert_eq!(refused["message"], none);
    reader.delete(format!("{path}?commits[]={sha}")).await.is(403);
    smith.delete(format!("{path}?commits[]={}", &sha[..8])).await.is(204);
    assert_eq!(reader.get(&path).await.is(200).json(), json!([]));
}

#[testkit::story]
async fn who_approves_publishes_what_they_wrote(t: TestServer) {
    let (project, [smith, jane], _) = begun(&t).await;
    let one = project.at("/merge_requests/1");
    let draft = json!({"note": "Fine"});
    jane.post(format!("{one}/draft_notes")).json(&draft).await.is(201);
    let body = json!({"publish_review": true});
    jane.post(format!("{one}/approve")).json(&body).await.is(201);
    assert_eq!(jane.get(format!("{one}/draft_notes")).await.is(200).json(), json!([]));
    let notes = smith.get(format!("{one}/notes?activity_filter=only_comments")).await.is(200);
    assert_eq!(notes.each("body"), ["Fine"]);
}

#[testkit::story]
async fn new_rules_ask_those_whom_they_name_until_they_approve(t: TestServer) {
    let (project, [smith, jane], _) = begun(&t).await;
    let one = project.at("/merge_requests/1");
    let rule = json!({"name": "Smiths", "approvals_required": 1, "user_ids": [jane.id]});
    smith.post(format!("{one}/approval_rules")).json(&rule).await.is(201);
    let todo = "/todos?action=approval_required";
    assert_eq!(jane.get(todo).await.is(200).each("target_type"), ["MergeRequest"]);
    jane.post(format!("{one}/approve")).await.is(201);
    assert_eq!(jane.get(todo).await.is(200).json(), json!([]));
}

#[testkit::story]
async fn what_nobody_ends_is_ended(t: TestServer) {
    let (project, [smith, _], made) = begun(&t).await;
    let (id, other) = (made["id"].as_i64().expect("an id"), project.at("/merge_requests/2"));
    commit(&t, &project, "horn", "horn.txt", "x\n").await;
    open(&smith, &project, "horn").await;
    t.settle().await;
    // A server went down while it rebased one and merged another, whose branch went then.
    let crashed = t.app().write(move |tx| {
        let since = tx.now() - jiff::SignedDuration::from_secs(901);
        tx.execute(
            sql!("update merge_requests set rebase_started_at = $2 where id = $1"),
            (id, since),
        )?;
        tx.execute(
            sql!(
                "update merge_requests set state = 'locked', locked_at = $2
                 where iid = 2 and target_project_id in
                    (select one.target_project_id from merge_requests one where one.id = $1)"
            ),
            (id, since),
        )?;
        Ok(())
    });
    crashed.await.expect("they are changed");
    t.admin().delete(project.at("/repository/branches/horn")).await.is(204);
    crate::spaces::run_job(&t, "reviews.sweep").await;
    let path = project.at("/merge_requests/1?include_rebase_in_progress=true");
    let shown = smith.get(path).await.is(200).json();
    assert_eq!(shown["rebase_in_progress"], false);
    assert!(
        shown["merge_error"]
            .as_str()
            .is_some_and(|text| text.starts_with("Rebase failed:"))
    );
    assert_eq!(smith.get(&other).await.is(200).json()["state"], "closed");
}
