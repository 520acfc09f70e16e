//! The pages on which merge requests are made and changed.

use super::{commit, commit_titled, developer, forge, open};
use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

const LIST: &str = "/acme/forge/-/merge_requests";

fn begun(project: &str, source: &str) -> String {
    format!("/{project}/-/merge_requests/new?merge_request%5Bsource_branch%5D={source}")
}

async fn one(t: &TestServer, project: &TestProject) -> Value {
    t.admin().get(project.at("/merge_requests/1")).await.is(200).json()
}

#[testkit::story]
async fn commits_fill_the_form_and_the_form_makes_it(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    developer(&t, &project, "jane").await;
    let issue = json!({"title": "The door hangs"});
    smith.post(project.at("/issues")).json(&issue).await.is(201);
    let file = ("1-mend", "door.txt", "oak\n");
    commit_titled(&t, &project, file, "Mend the door\n\nIt hung askew.").await;
    let browser = t.browser("smith").await;

    let first = browser.get(&format!("{LIST}/new")).await.is(200).text();
    assert!(first.contains("<option value=\"1-mend\">"), "{first}");
    assert!(first.contains("value=\"main\""), "{first}");
    let page = browser.get(&begun("acme/forge", "1-mend")).await.is(200).text();
    assert!(page.contains("value=\"Mend the door\""), "{page}");
    assert!(page.contains("It hung askew.\n\nCloses #1"), "{page}");
    assert!(page.contains("1 changed file") && page.contains("door.txt"), "{page}");
    assert!(
        page.contains("<h3 class=\"part-title\">"),
        "below the heading of commits: {page}"
    );

    let id = project.id.to_string();
    let fields = [
        ("source_project_id", id.as_str()),
        ("source_branch", "1-mend"),
        ("target_project_id", id.as_str()),
        ("target_branch", "main"),
        ("title", "Mend it"),
        ("description", "Well\r\ndone"),
        ("draft", "1"),
        ("labels", "iron, oak"),
        ("reviewers", "jane"),
        ("assignees", "smith"),
        ("squash", "1"),
        ("remove_source_branch", "0"),
    ];
    let wrong = fields.map(|(name, value)| match name {
        "reviewers" => (name, "nobody"),
        _ => (name, value),
    });
    let again = browser.post(LIST, &wrong).await.is(422).text();
    assert!(again.contains("Names somebody who is not here"), "{again}");
    assert!(
        again.contains("value=\"Mend it\"") && again.contains("value=\"iron, oak\""),
        "{again}"
    );

    let made = browser.post(LIST, &fields).await.is(303);
    assert_eq!(made.header("location"), format!("{LIST}/1"));
    let made = one(&t, &project).await;
    assert_eq!(
        (&made["title"], &made["description"]),
        (&json!("Draft: Mend it"), &json!("Well\ndone"))
    );
    assert_eq!((&made["labels"], &made["squash"]), (&json!(["iron", "oak"]), &json!(true)));
    assert_eq!(made["reviewers"][0]["username"], "jane");
    assert_eq!(made["assignees"][0]["username"], "smith");
    assert_eq!(made["force_remove_source_branch"], false);

    let twin = browser.get(&begun("acme/forge", "1-mend")).await.is(200).text();
    let text = "There is an open merge request of these branches already";
    assert!(twin.contains(text) && twin.contains(&format!("href=\"{LIST}/1\"")), "{twin}");
    let refused = browser.post(LIST, &fields).await.is(422).text();
    assert!(refused.contains("Another open merge request already exists"), "{refused}");
    assert!(refused.contains("value=\"Mend it\""), "{refused}");
}

#[testkit::story]
async fn the_first_message_with_a_text_and_templates_word_it(t: TestServer) {
    let project = forge(&t).await;
    developer(&t, &project, "smith").await;
    commit_titled(&t, &project, ("coal", "a.txt", "x\n"), "One").await;
    commit_titled(&t, &project, ("coal", "b.txt", "x\n"), "Two\n\nOf <i>two</i>.").await;
    commit_titled(&t, &project, ("oak-and_ash", "c.txt", "x\n"), "Three").await;
    commit_titled(&t, &project, ("oak-and_ash", "d.txt", "x\n"), "Four").await;
    let folder = ".service/merge_request_templates";
    let usual = "From %{source_branch}";
    commit(&t, &project, "main", &format!("{folder}/Default.md"), usual).await;
    commit(&t, &project, "main", &format!("{folder}/Large.md"), "Why?").await;
    let browser = t.browser("smith").await;

    let page = browser.get(&begun("acme/forge", "coal")).await.is(200).text();
    assert!(page.contains("value=\"Two\"") && page.contains("Of &#60;i&#62;two"), "{page}");
    assert!(!page.contains("<i>two"), "{page}");
    let page = browser.get(&begun("acme/forge", "oak-and_ash")).await.is(200).text();
    assert!(page.contains("value=\"Oak and ash\""), "{page}");
    assert!(page.contains("From oak-and_ash"), "{page}");
    let chosen = format!("{}&issuable_template=Large", begun("acme/forge", "coal"));
    let page = browser.get(&chosen).await.is(200).text();
    assert!(page.contains("Why?</textarea>"), "{page}");
}

#[testkit::story]
async fn branches_that_cannot_be_are_asked_for_again(t: TestServer) {
    let project = forge(&t).await;
    developer(&t, &project, "smith").await;
    let browser = t.browser("smith").await;
    let page = browser.get(&begun("acme/forge", "none")).await.is(422).text();
    assert!(page.contains("Is no branch of this project"), "{page}");
    let page = browser.get(&begun("acme/forge", "main")).await.is(422).text();
    assert!(page.contains("Must be another branch"), "{page}");

    let reporter = t.user("reporter").await;
    project.add(&reporter, 20).await;
    let reporter = t.browser("reporter").await;
    let page = reporter.get(&format!("{LIST}/new")).await.is(200).text();
    assert!(page.contains("You have no branch to merge from"), "{page}");
    assert!(page.contains("/acme/forge/-/forks/new"), "{page}");
    reporter.get(&begun("acme/forge", "main")).await.is(403);
    let fields = [("source_branch", "main"), ("target_branch", "other"), ("title", "x")];
    reporter.post(LIST, &fields).await.is(403);
}

#[testkit::story]
async fn a_look_at_a_fork_brings_nothing_of_it(t: TestServer) {
    let project = forge(&t).await;
    let jane = t.user("jane").await;
    let fork = jane.post(project.at("/fork")).await.is(201).json();
    t.settle().await;
    let fork_id = fork["id"].as_i64().unwrap();
    let body = json!({"branch": "anvil", "start_branch": "main", "commit_message": "Anvil",
        "actions": [{"action": "create", "file_path": "anvil.txt", "content": "heavy\n"}]});
    let commits = format!("/projects/{fork_id}/repository/commits");
    let made = jane.post(commits).json(&body).await.is(201).json();
    let sha = made["id"].as_str().unwrap().to_owned();
    commit(&t, &project, "main", "later.txt", "x\n").await;

    let browser = t.browser("jane").await;
    let page = browser.get(&begun("jane/forge", "anvil")).await.is(200).text();
    assert!(page.contains("jane/forge:anvil") && page.contains("acme/forge:main"), "{page}");
    assert!(page.contains("value=\"Anvil\"") && page.contains("1 changed file"), "{page}");
    assert!(!page.contains("later.txt"), "{page}");
    let there = project.at(&format!("/repository/commits/{sha}"));
    t.admin().get(&there).await.is(404);

    let (from, into) = (fork_id.to_string(), project.id.to_string());
    let fields = [
        ("source_project_id", from.as_str()),
        ("source_branch", "anvil"),
        ("target_project_id", into.as_str()),
        ("target_branch", "main"),
        ("title", "Anvil"),
        ("allow_collaboration", "1"),
    ];
    let made = browser.post("/jane/forge/-/merge_requests", &fields).await.is(303);
    assert_eq!(made.header("location"), format!("{LIST}/1"));
    assert_eq!(one(&t, &project).await["allow_collaboration"], true);
}

#[testkit::story]
async fn what_is_said_of_one_is_changed(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    for branch in ["coal", "oak"] {
        commit(&t, &project, branch, &format!("{branch}.txt"), "x\n").await;
    }
    open(&smith, &project, "coal").await;
    let browser = t.browser("smith").await;
    let edit = format!("{LIST}/1/edit");
    let page = browser.get(&edit).await.is(200).text();
    assert!(
        page.contains("value=\"Merge coal\"") && page.contains("value=\"main\""),
        "{page}"
    );
    assert!(page.contains(">Merge coal (!1)</a>"), "{page}");
    let fields = [
        ("title", "Coal"),
        ("draft", "1"),
        ("description", "Hot"),
        ("target_branch", "oak"),
        ("labels", "fuel"),
        ("assignees", "smith"),
    ];
    let done = browser.post(&edit, &fields).await.is(303);
    assert_eq!(done.header("location"), format!("{LIST}/1"));
    let changed = one(&t, &project).await;
    assert_eq!((&changed["title"], &changed["draft"]), (&json!("Draft: Coal"), &json!(true)));
    assert_eq!(
        (&changed["target_branch"], &changed["labels"]),
        (&json!("oak"), &json!(["fuel"]))
    );
    assert_eq!(changed["assignees"][0]["username"], "smith");
    let again = browser.post(&edit, &[("title", ""), ("description", "Cold")]).await.is(422);
    assert!(again.text().contains("Cold</textarea>"), "{}", again.text());

    t.user("stranger").await;
    let stranger = t.browser("stranger").await;
    stranger.get(&edit).await.is(403);
    stranger.post(&edit, &[("title", "x")]).await.is(403);
    assert_eq!(one(&t, &project).await["title"], "Draft: Coal");
}
