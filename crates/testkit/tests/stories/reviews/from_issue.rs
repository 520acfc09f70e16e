//! Merge requests that are made of issues: by a command, and by a button.

use super::{commit, developer, forge};
use crate::spaces::run_job_with;
use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer, TestUser};

const TITLE: &str = "Mend the door!";

/// A public project, whom it has as a developer, and an issue with a label.
async fn asked(t: &TestServer) -> (TestProject, TestUser) {
    let project = forge(t).await;
    let smith = developer(t, &project, "smith").await;
    issue(&t.admin(), &project, json!({"title": TITLE, "labels": "iron"})).await;
    (project, smith)
}

async fn issue(by: &Client, project: &TestProject, body: Value) -> i64 {
    let made = by.post(project.at("/issues")).json(&body).await.is(201).json();
    made["iid"].as_i64().expect("a number")
}

/// Writes a note of commands alone on an issue; what they did.
async fn act(
    t: &TestServer, by: &Client, project: &TestProject, (iid, text): (i64, &str),
) -> Value {
    let notes = project.at(&format!("/issues/{iid}/notes"));
    let done = by.post(notes).json(&json!({"body": text})).await.is(202).json();
    t.settle().await;
    done["commands_changes"].clone()
}

/// The source branches of all merge requests, the oldest first.
async fn branches(t: &TestServer, project: &TestProject) -> Vec<Value> {
    let all = t.admin().get(project.at("/merge_requests?sort=asc")).await.is(200);
    all.each("source_branch")
}

#[testkit::story]
async fn a_command_makes_a_branch_and_a_draft(t: TestServer) {
    let (project, smith) = asked(&t).await;

    let done = act(&t, &smith, &project, (1, "/create_merge_request")).await;

    let told = json!({"branch_name": "1-mend-the-door", "issue_iid": 1});
    assert_eq!(done, json!({"create_merge_request": told}));
    let made = smith.get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!(
        (&made["title"], &made["description"], &made["draft"]),
        (&json!("Draft: Resolve \"Mend the door!\""), &json!("Closes #1"), &json!(true))
    );
    assert_eq!(
        (&made["source_branch"], &made["target_branch"], &made["labels"]),
        (&json!("1-mend-the-door"), &json!("main"), &json!(["iron"]))
    );
    assert_eq!(
        (&made["author"]["username"], &made["assignee"]["username"]),
        (&json!("smith"), &json!("smith"))
    );
    let closes = smith.get(project.at("/merge_requests/1/closes_issues")).await.is(200);
    assert_eq!(closes.each("iid"), [1]);
    let notes = t.anonymous().get(project.at("/issues/1/notes")).await.is(200).each("body");
    let made = json!("created branch `1-mend-the-door` to address this issue");
    assert!(notes.contains(&made), "{notes:?}");

    // Further ones are numbered, or called as somebody wishes.
    act(&t, &smith, &project, (1, "/create_merge_request")).await;
    act(&t, &smith, &project, (1, "/create_merge_request fix/door")).await;
    let expected = ["1-mend-the-door", "1-mend-the-door-2", "fix/door"];
    assert_eq!(branches(&t, &project).await, expected);
    let again = json!({"title": "Oil it", "description": "Soon.\n/create_merge_request"});
    assert_eq!(issue(&smith, &project, again).await, 2);
    t.settle().await;
    assert_eq!(branches(&t, &project).await[3], "2-oil-it");
    let shown = smith.get(project.at("/issues/2")).await.is(200).json();
    assert_eq!(shown["description"], "Soon.");
}

#[testkit::story]
async fn names_follow_the_template_and_numbers_end(t: TestServer) {
    let (project, smith) = asked(&t).await;
    let template = json!({"issue_branch_template": "fix/%{title}-%{id}"});
    t.admin().put(project.at("")).json(&template).await.is(200);
    for _ in 0..6 {
        act(&t, &smith, &project, (1, "/create_merge_request")).await;
    }
    let made = branches(&t, &project).await;
    let name = |number: usize| match number {
        1 => "fix/mend-the-door-1".to_owned(),
        number => format!("fix/mend-the-door-1-{number}"),
    };
    let numbered: Vec<String> = (1..=5).map(name).collect();
    assert_eq!(made[..5], numbered);
    let last = made[5].as_str().expect("a name");
    let chance = last.strip_prefix("fix/mend-the-door-1-").expect("the same name");
    assert!(
        chance.len() == 16 && chance.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{last}"
    );
}

#[testkit::story]
async fn what_may_not_be_made_is_skipped(t: TestServer) {
    let (project, smith) = asked(&t).await;
    let reporter = t.user("reporter").await;
    project.add(&reporter, 20).await;
    let none = json!({});
    assert_eq!(act(&t, &reporter, &project, (1, "/create_merge_request")).await, none);
    for name in ["a..b", "main", "--upload-pack=x"] {
        let text = format!("/create_merge_request {name}");
        assert_eq!(act(&t, &smith, &project, (1, &text)).await, none, "{name}");
    }
    // Who reads the code would read what a confidential issue is about.
    let secret = json!({"title": "Osprey", "confidential": true});
    let hidden = issue(&t.admin(), &project, secret.clone()).await;
    assert_eq!(act(&t, &smith, &project, (hidden, "/create_merge_request")).await, none);
    smith
        .put(project.at("/issues/1"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    assert_eq!(act(&t, &smith, &project, (1, "/create_merge_request")).await, none);
    let body = json!({"body": "Look\n/create_merge_request"});
    let said = reporter.post(project.at("/issues/1/notes")).json(&body).await.is(201).json();
    assert_eq!(said["body"], "Look");
    assert!(branches(&t, &project).await.is_empty());

    let vault = t.project("acme/vault").await;
    vault.add(&smith, 30).await;
    assert_eq!(issue(&smith, &vault, secret).await, 1);
    assert_eq!(
        act(&t, &smith, &vault, (1, "/create_merge_request")).await,
        none,
        "no branch yet"
    );
    commit(&t, &vault, "main", "README.md", "# Vault\n").await;
    act(&t, &smith, &vault, (1, "/create_merge_request")).await;
    assert_eq!(branches(&t, &vault).await, ["1-confidential-issue"]);
}

#[testkit::story]
async fn the_job_makes_one_however_often_it_runs(t: TestServer) {
    let (project, smith) = asked(&t).await;
    let main = t.admin().get(project.at("/repository/branches/main")).await.is(200).json();
    let task = json!({"project": project.id, "issue": 1, "branch": "1-door",
        "from": main["commit"]["id"], "user": smith.id});
    for _ in 0..2 {
        run_job_with(&t, "reviews.create_of_issue", task.clone()).await;
        assert_eq!(branches(&t, &project).await, ["1-door"]);
    }
    let notes = smith.get(project.at("/issues/1/notes")).await.is(200).each("body");
    let branch = json!("created branch `1-door` to address this issue");
    assert_eq!(notes.iter().filter(|note| **note == branch).count(), 1);

    // What was taken meanwhile is somebody else's.
    commit(&t, &project, "2-door", "door.txt", "x\n").await;
    let mut taken = task.clone();
    taken["branch"] = json!("2-door");
    run_job_with(&t, "reviews.create_of_issue", taken).await;
    assert_eq!(branches(&t, &project).await, ["1-door"]);
}

#[testkit::story]
async fn a_button_leads_to_the_merge_request(t: TestServer) {
    let (project, smith) = asked(&t).await;
    let reporter = t.user("reporter").await;
    project.add(&reporter, 20).await;
    let page = "/acme/forge/-/issues/1";
    let make = "/acme/forge/-/issues/1/create_merge_request";
    let button = "Create merge request</button>";
    let (browser, reads) = (t.browser("smith").await, t.browser("reporter").await);
    assert!(!reads.get(page).await.is(200).text().contains(button));
    assert!(!t.new_browser().get(page).await.is(200).text().contains(button));
    let (to, told) = reads.submit(make, &[]).await;
    assert_eq!(to, page);
    assert!(told.contains("You may not make a merge request of this issue."), "{told}");

    assert!(browser.get(page).await.is(200).text().contains(button));
    let (to, told) = browser.submit(make, &[("branch_name", "")]).await;
    assert_eq!(to, "/acme/forge/-/merge_requests/1");
    assert!(told.contains("Merge request !1 created."), "{told}");
    let (to, told) = browser.submit(make, &[("branch_name", "1-mend-the-door")]).await;
    assert_eq!(to, page);
    assert!(told.contains("branch name has already been taken"), "{told}");
    let (to, _) = browser.submit(make, &[("branch_name", "fix/door")]).await;
    assert_eq!(to, "/acme/forge/-/merge_requests/2");
    assert_eq!(branches(&t, &project).await, ["1-mend-the-door", "fix/door"]);

    let secret = json!({"title": "Osprey", "confidential": true});
    let hidden = issue(&smith, &project, secret).await;
    let confidential = format!("/acme/forge/-/issues/{hidden}");
    let shown = browser.get(&confidential).await.is(200).text();
    assert!(
        !shown.contains(button) && shown.contains("Work on it in a private fork."),
        "{shown}"
    );
    let (_, told) = browser.submit(&format!("{confidential}/create_merge_request"), &[]).await;
    assert!(told.contains("Work on it in a private fork."), "{told}");
    t.user("stranger").await;
    let stranger = t.browser("stranger").await;
    stranger
        .post(&format!("{confidential}/create_merge_request"), &[])
        .await
        .is(404);
    t.settle().await;
}
