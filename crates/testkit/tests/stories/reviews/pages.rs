//! The pages of one merge request.

use super::{commit, developer, forge, open};
use serde_json::{Value, json};
use testkit::{Browser, TestProject, TestServer, TestUser};

const ONE: &str = "/acme/forge/-/merge_requests/1";

/// A maintainer of a project, in a browser.
async fn keeper(t: &TestServer, project: &TestProject) -> (TestUser, Browser) {
    let user = t.user("keeper").await;
    project.add(&user, 40).await;
    (user, t.browser("keeper").await)
}

async fn page(browser: &Browser, url: &str) -> String {
    browser.get(url).await.is(200).text()
}

#[testkit::story]
async fn a_page_says_what_is_missing_and_merges_once_nothing_is(t: TestServer) {
    let project = forge(&t).await;
    let (keeper, browser) = keeper(&t, &project).await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    let body = json!({"title": "Draft: <b>An anvil</b>", "source_branch": "anvil",
        "target_branch": "main", "description": "- [ ] <i>heavy</i>"});
    keeper.post(project.at("/merge_requests")).json(&body).await.is(201);
    t.settle().await;

    let draft = page(&browser, ONE).await;
    assert!(
        draft.contains("&#60;b&#62;An anvil") && !draft.contains("<b>An anvil"),
        "{draft}"
    );
    assert!(draft.contains("<h1><span>&#60;b&#62;An") && draft.contains(">Draft</span>"));
    assert!(draft.contains("It is a draft.") && draft.contains("Mark as ready"), "{draft}");
    assert!(draft.contains("Merge once nothing is missing"), "{draft}");
    assert!(
        !draft.contains(">Merge</button>") && draft.contains("git switch anvil"),
        "{draft}"
    );
    let (to, ready) = browser.submit(ONE, &[("action", "ready")]).await;
    assert_eq!(to, ONE);
    assert!(ready.contains("Ready to merge") && ready.contains(">Merge</button>"), "{ready}");
    assert!(ready.contains("Merge branch &#39;anvil&#39; into &#39;main&#39;"), "{ready}");

    let sha = browser.get(ONE).await.is(200).hidden("sha").expect("a head");
    let form = [
        ("sha", sha.as_str()),
        ("has_squash", "1"),
        ("has_removal", "1"),
        ("should_remove_source_branch", "1"),
    ];
    let merge = format!("{ONE}/merge");
    let (_, merged) = browser.submit(&merge, &form).await;
    assert!(
        merged.contains(">Merged</h2>") && merged.contains("Revert or cherry-pick"),
        "{merged}"
    );
    let shown = keeper.get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!((&shown["state"], &shown["squash"]), (&json!("merged"), &json!(false)));
    let late = browser.post(&merge, &form).await.is(422).text();
    assert!(late.contains("It is not open any more."), "{late}");
}

#[testkit::story]
async fn strangers_see_a_public_one_without_forms_and_nothing_of_a_hidden_one(t: TestServer) {
    let project = forge(&t).await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&t.admin(), &project, "anvil").await;
    let hidden = t.project("vault/gold").await;
    commit(&t, &hidden, "main", "README.md", "x\n").await;
    commit(&t, &hidden, "anvil", "anvil.txt", "x\n").await;
    open(&t.admin(), &hidden, "anvil").await;
    t.settle().await;

    let stranger = t.new_browser();
    let seen = page(&stranger, ONE).await;
    assert!(seen.contains("Merge anvil") && seen.contains(">anvil</code>"), "{seen}");
    assert!(!seen.contains("method=\"post\"") && seen.contains("to comment"), "{seen}");
    assert!(page(&stranger, &format!("{ONE}/commits")).await.contains("Add anvil.txt"));
    assert!(page(&stranger, &format!("{ONE}/merge_box")).await.contains("Ready to merge"));
    t.user("outsider").await;
    let outsider = t.browser("outsider").await;
    let one = "/vault/gold/-/merge_requests/1";
    for rest in ["", "/commits", "/pipelines", "/merge_box"] {
        outsider.get(&format!("{one}{rest}")).await.is(404);
    }
    for rest in ["", "/merge", "/rebase", "/approve", "/review", "/source_branch", "/pipelines"] {
        outsider.post(&format!("{one}{rest}"), &[("action", "close")]).await.is(404);
    }
    // Who sees it and may not do that is told so, and nothing happens.
    outsider.get(ONE).await.is(200);
    let refused = outsider.post(&format!("{ONE}/merge"), &[("has_squash", "1")]).await.is(422);
    assert!(refused.text().contains("You may not merge into this branch."), "{refused:?}");
    outsider.post(ONE, &[("action", "close")]).await.is(422);
    let shown = t.admin().get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!(shown["state"], "opened");
}

#[testkit::story]
async fn pipelines_with_hidden_jobs_are_for_reporters(t: TestServer) {
    let project = forge(&t).await;
    commit(&t, &project, "main", ".gitlab-ci.yml", "unit: {script: make}").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    let reporter = t.user("rita").await;
    project.add(&reporter, 20).await;
    t.user("outsider").await;
    let (inside, outside) = (t.browser("rita").await, t.browser("outsider").await);
    let pipelines = format!("{ONE}/pipelines");
    let tab = format!("href=\"{pipelines}\"");
    assert!(page(&outside, &pipelines).await.contains("/-/pipelines/"), "for all at first");

    let own = json!({"public_jobs": false});
    t.admin().put(project.at("")).json(&own).await.is(200);

    assert!(!page(&outside, ONE).await.contains(&tab));
    outside.get(&pipelines).await.is(404);
    assert!(page(&inside, ONE).await.contains(&tab));
    assert!(page(&inside, &pipelines).await.contains("/-/pipelines/"));
}

#[testkit::story]
async fn a_thread_shows_the_lines_it_is_about(t: TestServer) {
    let project = forge(&t).await;
    let (keeper, browser) = keeper(&t, &project).await;
    commit(&t, &project, "anvil", "list.txt", "a\nb\n<c>\nd\n").await;
    open(&keeper, &project, "anvil").await;
    t.settle().await;
    let one = project.at("/merge_requests/1");
    let refs = keeper.get(&one).await.is(200).json()["diff_refs"].clone();
    let position = json!({"position_type": "text", "old_path": "list.txt",
        "new_path": "list.txt", "new_line": 3,
        "base_sha": refs["base_sha"], "start_sha": refs["start_sha"],
        "head_sha": refs["head_sha"]});
    let body = json!({"body": "Why?", "position": position});
    let made = keeper.post(format!("{one}/discussions")).json(&body).await.is(201).json();

    let open = page(&browser, ONE).await;
    assert!(open.contains("<code>list.txt</code>") && open.contains("line 3"), "{open}");
    assert!(open.contains("data-n=\"3\"") && open.contains("&lt;c&gt;"), "{open}");
    assert!(
        open.contains("1 thread to resolve") && open.contains("Go to the first"),
        "{open}"
    );
    let thread = format!("{ONE}/discussions/{}", made["id"].as_str().expect("id"));
    let (_, settled) = browser.submit(&thread, &[("resolved", "true")]).await;
    assert!(
        settled.contains("Resolved by keeper") && !settled.contains("to resolve"),
        "{settled}"
    );
    let body = json!({"branch": "anvil", "commit_message": "Change it", "actions": [
        {"action": "update", "file_path": "list.txt", "content": "a\nb\ny\nd\n"}]});
    browser.submit(&thread, &[("resolved", "false")]).await;
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    t.settle().await;
    let outdated = page(&browser, ONE).await;
    assert!(
        outdated.contains(">outdated</span>") && outdated.contains("&lt;c&gt;"),
        "{outdated}"
    );
}

#[testkit::story]
async fn it_is_approved_reviewed_and_changed_by_forms(t: TestServer) {
    let project = forge(&t).await;
    let (keeper, browser) = keeper(&t, &project).await;
    let smith = developer(&t, &project, "smith").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    t.settle().await;

    let sha = browser.get(ONE).await.is(200).hidden("sha").expect("a head");
    let (_, approved) = browser.submit(&format!("{ONE}/approve"), &[("sha", &sha)]).await;
    assert!(approved.contains("You approved it.") && approved.contains("</a> approved it"));
    let (_, taken) = browser.submit(&format!("{ONE}/unapprove"), &[]).await;
    assert!(taken.contains("Nobody approved it yet."), "{taken}");

    let note = json!({"note": "Look at this"});
    let drafts = project.at("/merge_requests/1/draft_notes");
    keeper.post(&drafts).json(&note).await.is(201);
    assert!(page(&browser, ONE).await.contains("Finish review (1)"));
    assert!(!page(&t.new_browser(), ONE).await.contains("Look at this"));
    let review = [("verdict", "requested_changes"), ("summary", "Not yet")];
    let (_, reviewed) = browser.submit(&format!("{ONE}/review"), &review).await;
    for text in ["Look at this", "Not yet", "Wants changes", "keeper asked for changes."] {
        assert!(reviewed.contains(text), "{text}: {reviewed}");
    }
    let (_, labelled) = browser.submit(ONE, &[("action", "labels"), ("labels", "bug")]).await;
    assert!(labelled.contains("added the label"), "{labelled}");
    let unknown = [("action", "assignees"), ("assignees", "nobody-here")];
    let refused = browser.post(ONE, &unknown).await.is(422).text();
    assert!(refused.contains("Names somebody who is not here"), "{refused}");
    let (_, closed) = browser.submit(ONE, &[("action", "close")]).await;
    assert!(closed.contains("Closed without being merged"), "{closed}");
}

#[testkit::story]
async fn a_conflict_names_its_files_and_what_to_type(t: TestServer) {
    let project = forge(&t).await;
    let (keeper, browser) = keeper(&t, &project).await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&keeper, &project, "anvil").await;
    commit(&t, &project, "main", "horn.txt", "x\n").await;
    t.settle().await;
    assert!(page(&browser, ONE).await.contains(">Rebase</button>"));
    commit(&t, &project, "main", "anvil.txt", "another\n").await;
    t.settle().await;

    let shown = page(&browser, ONE).await;
    assert!(!shown.contains(">Rebase</button>"), "git would stop at the conflict: {shown}");

    for text in [
        "Both branches changed the same lines.",
        "<code>anvil.txt</code>",
        "git merge origin/main",
        "/merge_requests/1/conflicts\"",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
}

#[testkit::story]
async fn approvals_are_said_once_and_offered_where_they_count(t: TestServer) {
    let project = forge(&t).await;
    let (keeper, browser) = keeper(&t, &project).await;
    let smith = developer(&t, &project, "smith").await;
    let jane = developer(&t, &project, "jane").await;
    let rule = json!({"name": "Toolmakers", "approvals_required": 2,
        "user_ids": [keeper.id, jane.id]});
    t.admin().post(project.at("/approval_rules")).json(&rule).await.is(201);
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    t.settle().await;

    let own = page(&t.browser("smith").await, ONE).await;
    assert!(own.contains("It needs 2 more approvals.") && own.contains("Needs 2 more approvals"));
    assert!(!own.contains(">Request changes<"), "nobody asks themselves: {own}");
    jane.post(project.at("/merge_requests/1/approve")).await.is(201);
    let one = page(&browser, ONE).await;
    for text in [
        "It needs 1 more approval.",
        "Approved by <a href=\"/jane\">jane</a> ",
        "May approve: <a href=\"/keeper\">keeper</a></p>",
        ">Approve</button>",
        ">Request changes</a>",
    ] {
        assert!(one.contains(text), "{text}: {one}");
    }
    assert!(!one.contains("</a> approved it"), "it is said already: {one}");
    let closed = json!({"state_event": "close"});
    smith.put(project.at("/merge_requests/1")).json(&closed).await.is(200);
    let closed = page(&browser, ONE).await;
    assert!(
        closed.contains("Approved by <a") && !closed.contains(">Approve</button>"),
        "{closed}"
    );
}

#[testkit::story]
async fn a_push_is_told_with_its_commits_and_the_way_to_what_differs(t: TestServer) {
    let project = forge(&t).await;
    let (keeper, browser) = keeper(&t, &project).await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&keeper, &project, "anvil").await;
    t.settle().await;
    commit(&t, &project, "anvil", "horn.txt", "x\n").await;
    t.settle().await;

    let one = project.at("/merge_requests/1");
    let head = keeper.get(&one).await.is(200).json()["sha"].clone();
    let head = head.as_str().expect("a commit");
    let notes = keeper.get(format!("{one}/notes")).await.is(200).each("body");
    let told = notes.iter().filter_map(Value::as_str).find(|text| text.starts_with("added 1"));
    let told = told.expect("the push is told");
    let line = format!("* [{}](/acme/forge/-/commit/{head}) - Add horn.txt", &head[..8]);
    assert!(told.contains(&line), "{told}");
    let (_, way) = told.split_once("[Compare with previous version](").expect("a way");
    let differs = page(&browser, way.trim_end_matches(')')).await;
    assert!(differs.contains("horn.txt") && !differs.contains("anvil.txt"), "{differs}");
    assert!(differs.contains("Changed since version 1"), "{differs}");
    assert!(page(&browser, ONE).await.contains(">Compare with previous version</a>"));
}
