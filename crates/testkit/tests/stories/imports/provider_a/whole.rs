//! What comes of a repository, with its numbers, times and people.

use super::{Story, each, somebody, told};
use serde_json::{Value, json};
use testkit::{Client, TestServer};

const EARLY: &str = "2019-05-01T10:00:00Z";
const LATER: &str = "2019-05-02T10:00:00Z";
const LAST: &str = "2019-05-03T10:00:00Z";

fn issue(number: i64, title: &str) -> Value {
    json!({"number": number, "title": title, "body": "See #2", "state": "open", "locked": false,
        "user": somebody(21, "ada"), "assignees": [], "labels": [], "milestone": null,
        "comments": 0, "reactions": {"total_count": 0}, "created_at": EARLY,
        "updated_at": LATER})
}

impl Story {
    /// Has upstream hold some of everything.
    async fn fill(&self) {
        let base = self.git.id("one", "main").await;
        self.git.run_in("one", &["switch", "--quiet", "-c", "topic"]).await.done();
        let head = self.git.commit("one", "lib.rs", "one\ntwo\nthree\n").await;
        self.git.run_in("one", &["push", "--quiet", "origin", "topic"]).await.done();
        let double = &self.double;
        double.of_repository("labels", json!([{"name": "bug", "color": "F00000"}]));
        double.of_repository(
            "milestones",
            json!([{"number": 3, "title": "1.0", "description": "First", "state": "closed",
                "due_on": "2019-06-01T07:00:00Z", "created_at": EARLY, "updated_at": LATER}]),
        );
        let mut closed = issue(1, "It breaks");
        closed["state"] = json!("closed");
        closed["closed_at"] = json!(LATER);
        closed["labels"] = json!([{"name": "bug"}]);
        closed["milestone"] = json!({"title": "1.0"});
        closed["assignees"] = json!([somebody(22, "bob")]);
        closed["reactions"] = json!({"total_count": 1});
        let mut as_issue = issue(2, "Mend it");
        as_issue["pull_request"] = json!({"merged_at": null});
        let mut gone = issue(3, "From somebody who left");
        gone["user"] = Value::Null;
        double.of_repository("issues", json!([closed, as_issue, gone]));
        double.of_repository(
            "issues/1/reactions",
            json!([{"user": somebody(22, "bob"), "content": "+1", "created_at": LATER}]),
        );
        double.of_repository("pulls", json!([self.pull(&base, &head)]));
        self.say(&head);
    }

    fn pull(&self, base: &str, head: &str) -> Value {
        let repo = json!({"id": 7, "name": "source"});
        json!({"number": 2, "title": "Mend it", "body": "Fixes #3", "state": "open",
            "draft": false, "locked": false, "user": somebody(22, "bob"), "assignees": [],
            "requested_reviewers": [somebody(23, "cid")], "labels": [{"name": "bug"}],
            "milestone": null, "head": {"ref": "topic", "sha": head, "repo": repo},
            "base": {"ref": "main", "sha": base, "repo": repo}, "created_at": EARLY,
            "updated_at": LAST})
    }

    /// What was said, and done.
    fn say(&self, head: &str) {
        let double = &self.double;
        let note = |id: i64, kind: &str, number: i64, body: &str| {
            let url = format!("https://code.example/acme/source/{kind}/{number}#c");
            json!({"id": id, "user": somebody(21, "ada"), "body": body, "html_url": url,
                "issue_url": format!("https://code.example/repos/acme/source/issues/{number}"),
                "reactions": {"total_count": 0}, "created_at": LATER, "updated_at": LATER})
        };
        double.of_repository(
            "issues/comments",
            json!([note(51, "issues", 1, "Still so, @ada"), note(52, "pull", 2, "Thanks")]),
        );
        let spoken = |id: i64, answers: Value, body: &str| {
            json!({"id": id, "in_reply_to_id": answers, "user": somebody(23, "cid"),
                "body": body, "path": "lib.rs", "diff_hunk": "@@ -0,0 +1,3 @@\n+one\n+two",
                "commit_id": head, "original_commit_id": head, "side": "RIGHT", "line": 2,
                "original_line": 2, "created_at": LATER, "updated_at": LATER,
                "pull_request_url": "https://code.example/repos/acme/source/pulls/2"})
        };
        double.of_repository(
            "pulls/comments",
            json!([spoken(61, Value::Null, "Why two?"), spoken(62, json!(61), "I see")]),
        );
        double.of_repository(
            "pulls/2/reviews",
            json!([{"id": 71, "user": somebody(24, "dee"), "body": "Good", "state": "APPROVED",
                "submitted_at": LAST}]),
        );
        double.of_repository(
            "issues/1/timeline",
            json!([{"id": 81, "event": "labeled", "label": {"name": "bug"},
                "actor": somebody(21, "ada"), "created_at": LATER},
                {"id": 82, "event": "closed", "actor": somebody(22, "bob"), "created_at": LATER}]),
        );
        double.of_repository(
            "collaborators",
            json!([{"id": 21, "login": "ada", "role_name": "maintain"},
                {"id": 29, "login": "eve", "role_name": "auditor"}]),
        );
        double.list("/repos/acme/source/branches", json!([{"name": "main", "protected": true}]));
        double.one(
            "/repos/acme/source/branches/main/protection",
            json!({"required_pull_request_reviews": {"require_code_owner_reviews": false}}),
        );
        double.of_repository(
            "releases",
            json!([{"tag_name": "v1", "name": "One", "body": "News", "draft": true,
                "author": somebody(21, "ada"), "created_at": EARLY, "published_at": null}]),
        );
    }
}

async fn one(client: &Client, path: String) -> Value {
    client.get(path).await.is(200).json()
}

#[testkit::story(noon)]
async fn a_repository_comes_whole(t: TestServer) {
    let story = Story::begin(&t).await;
    story.fill().await;
    let project = story.import(&t, json!({})).await;

    let import = told(&story.jane, &project).await;
    assert_eq!(import["import_status"], "finished", "{import}");
    let failed = import["failed_relations"].as_array().expect("a list");
    let reasons: Vec<String> =
        failed.iter().map(|it| it["exception_message"].to_string()).collect();
    assert_eq!(reasons.len(), 1, "the custom role alone: {reasons:?}");
    assert!(reasons[0].contains("auditor"), "{reasons:?}");
    let branches = format!("{project}/repository/branches");
    assert_eq!(each(&story.jane, &branches, "name").await, ["main", "topic"]);

    let jane = &story.jane;
    let labels = jane.get(format!("{project}/labels")).await.is(200).json();
    assert_eq!((&labels[0]["name"], &labels[0]["color"]), (&json!("bug"), &json!("#f00000")));
    let milestones = jane.get(format!("{project}/milestones?state=closed")).await.is(200).json();
    assert_eq!((&milestones[0]["iid"], &milestones[0]["title"]), (&json!(3), &json!("1.0")));
    assert_eq!(milestones[0]["due_date"], "2019-06-01");
    let releases = jane.get(format!("{project}/releases")).await.is(200);
    assert!(releases.each("tag_name").is_empty(), "drafts are nobody's yet");
    let protected = jane.get(format!("{project}/protected_branches")).await.is(200).json();
    assert_eq!(protected[0]["name"], "main");
    assert_eq!(protected[0]["push_access_levels"][0]["access_level"], 0, "{protected}");
}

#[testkit::story(noon)]
async fn issues_keep_numbers_times_and_people(t: TestServer) {
    let story = Story::begin(&t).await;
    story.fill().await;
    let project = story.import(&t, json!({})).await;

    let jane = &story.jane;
    let list = format!("{project}/issues?order_by=created_at&sort=asc");
    let mut numbers = each(jane, &list, "iid").await;
    numbers.sort_by_key(|number| number.as_i64());
    assert_eq!(numbers, [json!(1), json!(3)]);
    let closed = one(jane, format!("{project}/issues/1")).await;
    assert_eq!((&closed["state"], &closed["title"]), (&json!("closed"), &json!("It breaks")));
    assert_eq!(closed["created_at"], "2019-05-01T10:00:00.000Z");
    assert_eq!(closed["closed_at"], "2019-05-02T10:00:00.000Z");
    assert_eq!(closed["labels"], json!(["bug"]));
    assert_eq!(closed["milestone"]["title"], "1.0");
    assert_eq!(closed["description"], "See !2", "it was a pull request");
    let name = closed["author"]["username"].as_str().expect("a name");
    assert!(name.starts_with("ada_placeholder_user_"), "{name}");
    assert_eq!(closed["upvotes"], 1);
    let gone = one(jane, format!("{project}/issues/3")).await;
    assert_eq!(gone["author"]["username"], "ghost");

    let notes = jane.get(format!("{project}/issues/1/notes?sort=asc")).await.is(200).json();
    let said = notes.as_array().expect("notes").iter().find(|note| note["system"] == false);
    let said = said.expect("a note");
    assert_eq!(said["created_at"], "2019-05-02T10:00:00.000Z");
    assert!(
        said["body"].as_str().is_some_and(|body| body.starts_with("Still so, ")),
        "{said}"
    );
    let events = jane
        .get(format!("{project}/issues/1/resource_label_events"))
        .await
        .is(200)
        .json();
    assert_eq!(
        (&events[0]["action"], &events[0]["label"]["name"]),
        (&json!("add"), &json!("bug"))
    );
    let states = jane.get(format!("{project}/issues/1/resource_state_events")).await.is(200);
    assert_eq!(states.each("state"), [json!("closed")]);
}

#[testkit::story(noon)]
async fn pull_requests_keep_what_was_said_of_them(t: TestServer) {
    let story = Story::begin(&t).await;
    story.fill().await;
    let project = story.import(&t, json!({})).await;

    let jane = &story.jane;
    let request = one(jane, format!("{project}/merge_requests/2")).await;
    let closes = jane.get(format!("{project}/merge_requests/2/closes_issues")).await.is(200);
    assert_eq!(closes.each("iid"), [json!(3)], "issues came after it");
    assert_eq!((&request["state"], &request["title"]), (&json!("opened"), &json!("Mend it")));
    let branches = (&request["source_branch"], &request["target_branch"]);
    assert_eq!(branches, (&json!("topic"), &json!("main")));
    assert_eq!(request["description"], "Fixes #3");
    assert_eq!(request["created_at"], "2019-05-01T10:00:00.000Z");
    let reviewers = request["reviewers"].as_array().expect("a list");
    let names: Vec<&str> = reviewers.iter().filter_map(|one| one["username"].as_str()).collect();
    assert!(names.iter().any(|name| name.starts_with("cid_")), "{names:?}");

    let threads = jane.get(format!("{project}/merge_requests/2/discussions")).await.is(200).json();
    let threads = threads.as_array().expect("a list");
    let in_code = threads.iter().find(|thread| thread["notes"][0]["type"] == "DiffNote");
    let notes = in_code.expect("a thread in the code")["notes"].as_array().expect("notes");
    let texts: Vec<&str> = notes.iter().filter_map(|note| note["body"].as_str()).collect();
    assert_eq!(texts, ["Why two?", "I see"]);
    let position = &notes[0]["position"];
    assert_eq!((&position["new_path"], &position["new_line"]), (&json!("lib.rs"), &json!(2)));
    let approvals = one(jane, format!("{project}/merge_requests/2/approvals")).await;
    let by = approvals["approved_by"][0]["user"]["username"].as_str().unwrap_or_default();
    assert!(by.starts_with("dee_"), "{approvals}");
}

#[testkit::story(noon)]
async fn pages_are_followed_and_nothing_comes_twice(t: TestServer) {
    let story = Story::begin(&t).await;
    let issues: Vec<Value> = (1..=5).map(|number| issue(number, "One of five")).collect();
    story.double.of_repository("issues", json!(issues));
    let project = story.import(&t, json!({"pagination_limit": 2})).await;

    let asked = story.double.asked();
    let list = |page: &str| {
        let is_page = |url: &&String| {
            let url = url.as_str();
            url.starts_with("/repos/acme/source/issues?")
                && (url.contains(&format!("&page={page}"))
                    || page == "1" && !url.contains("&page="))
        };
        asked.iter().filter(is_page).count()
    };
    assert!(
        list("1") >= 1 && list("2") >= 1 && list("3") >= 1 && list("4") == 0,
        "{asked:?}"
    );
    assert!(
        asked
            .iter()
            .all(|url| !url.contains("per_page=100") || url.starts_with("/user/orgs")),
        "{asked:?}"
    );
    let import = told(&story.jane, &project).await;
    assert_eq!(import["stats"]["fetched"]["issue"], 5, "{import}");
    assert_eq!(import["stats"]["imported"]["issue"], 5, "{import}");
    let path = format!("{project}/issues");
    assert_eq!(each(&story.jane, &path, "iid").await.len(), 5);
}
