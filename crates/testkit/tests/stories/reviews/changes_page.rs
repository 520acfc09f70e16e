//! The changes of a merge request as a page: files, comments on lines, drafts, viewed marks.

use super::{commit, developer, forge, open};
use serde_json::{Value, json};
use std::collections::HashSet;
use testkit::{Browser, TestProject, TestServer, TestUser};

const DIFFS: &str = "/acme/forge/-/merge_requests/1/diffs";
/// SHA-1 of `list.txt`, by which pages name the file.
const LIST: &str = "9588c4e9d06805a8dc379de81a23d99ef56c429b";

/// A merge request that changes the second of five lines, and who wrote it.
async fn changed(t: &TestServer) -> (TestProject, TestUser, Browser) {
    let project = forge(t).await;
    commit(t, &project, "main", "list.txt", "a\nb\nc\nd\ne\n").await;
    let smith = developer(t, &project, "smith").await;
    act(t, &project, "anvil", json!([update("a\nB\nc\nd\ne\n")])).await;
    open(&smith, &project, "anvil").await;
    t.settle().await;
    let browser = t.browser("smith").await;
    (project, smith, browser)
}

fn update(text: &str) -> Value {
    json!({"action": "update", "file_path": "list.txt", "content": text})
}

/// Commits to a branch, which begins at `main` where it is new.
async fn act(t: &TestServer, project: &TestProject, branch: &str, actions: Value) {
    let branches = project.at(&format!("/repository/branches/{branch}"));
    let is_there = t.admin().get(branches).await.status == 200;
    let mut body = json!({"branch": branch, "commit_message": "Act", "actions": actions});
    if !is_there {
        body["start_branch"] = json!("main");
    }
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
}

fn has(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "no {text} in {page}");
    }
}

fn lacks(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(!page.contains(text), "{text} in {page}");
    }
}

/// The form at a line of the page, filled in.
async fn filled(browser: &Browser, line: &str, from: &str, body: &str) -> Vec<(String, String)> {
    let address = format!("{DIFFS}?comment={LIST}_{line}&from={from}");
    let page = browser.get(&address).await.is(200);
    has(&page.text(), &["Add comment now", "Start a review"]);
    let field = |name: &str| (name.to_owned(), page.hidden(name).expect("a field"));
    let mut fields: Vec<(String, String)> =
        ["comment", "from", "base_sha", "start_sha", "head_sha", "w"].map(field).into();
    fields.push(("body".to_owned(), body.to_owned()));
    fields
}

fn sent(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[testkit::story]
async fn files_are_shown_with_their_names_escaped(t: TestServer) {
    let project = forge(&t).await;
    let text = json!([
        {"action": "create", "file_path": "odd/<b>&.txt", "content": "<i>one</i>\n"},
        {"action": "update", "file_path": "README.md", "content": "# Anvil\n"},
    ]);
    act(&t, &project, "anvil", text).await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    let stranger = t.new_browser();

    let page = stranger.get(DIFFS).await.is(200).text();

    has(
        &page,
        &[
            "2 changed files",
            "odd/&#60;b&#62;&#38;.txt",
            "&lt;i&gt;one&lt;/i&gt;",
            "<bdi>odd</bdi>",
            "href=\"#8ec9a00bfd09b3190ac6b22251dbb1aa95a0579d\"",
            "Sign in</a> to comment on lines.",
        ],
    );
    lacks(&page, &["<b>&", "class=\"say\"", "class=\"pair\"", "data-viewed>"]);
    let beside = stranger.get(&format!("{DIFFS}?view=parallel&w=1")).await.is(200).text();
    has(&beside, &["class=\"pair\"", "?view=parallel"]);
    let alone = stranger.get(&format!("{DIFFS}?path=README.md")).await.is(200).text();
    has(&alone, &["id=\"8ec9a00bfd09b3190ac6b22251dbb1aa95a0579d\"", "All files"]);
    lacks(&alone, &["<i>one", "&lt;i&gt;one"]);
    // What is not found may be hidden: they are asked to sign in.
    stranger.get(&format!("{DIFFS}?path=../x")).await.is(302);
    stranger.get(&format!("{DIFFS}?diff_id=999999")).await.is(302);
    stranger.get(&format!("{DIFFS}?start_sha=nothing")).await.is(302);
}

#[testkit::story]
async fn lines_are_commented_on_by_forms(t: TestServer) {
    let (project, smith, browser) = changed(&t).await;
    let one = project.at("/merge_requests/1");
    let page = browser.get(DIFFS).await.is(200).text();
    let link =
        format!("href=\"?comment={LIST}_3_2#{LIST}_3_2\" aria-label=\"Comment on added line 2\"");
    has(&page, &[&link, "No open threads", "id=\"say-form\""]);

    let fields = filled(&browser, "3_2", "", "Why <b>so</b>?").await;
    let (to, page) = browser.submit(&format!("{DIFFS}/comments"), &sent(&fields)).await;

    assert!(to.starts_with(&format!("{DIFFS}?note=")), "{to}");
    has(&page, &["1 open thread", &format!("data-said=\"{LIST}_3_2\""), "Why "]);
    let made = smith.get(format!("{one}/discussions")).await.is(200).json();
    let note = &made[0]["notes"][0];
    assert_eq!((&note["type"], &note["body"]), (&json!("DiffNote"), &json!("Why <b>so</b>?")));
    assert_eq!(
        (&note["position"]["new_line"], &note["position"]["old_line"]),
        (&json!(2), &Value::Null)
    );
    let removed = filled(&browser, "2_2", "", "Gone").await;
    browser.submit(&format!("{DIFFS}/comments"), &sent(&removed)).await;
    let range = filled(&browser, "3_3", &format!("{LIST}_1_1"), "All of it").await;
    let (_, page) = browser.submit(&format!("{DIFFS}/comments"), &sent(&range)).await;
    has(&page, &["Lines 1 to 3", "3 open threads"]);
    let all = smith.get(format!("{one}/discussions")).await.is(200).json();
    assert_eq!(all[1]["notes"][0]["position"]["old_line"], 2);
    let position = &all[2]["notes"][0]["position"];
    assert_eq!(
        (&position["line_range"]["start"]["new_line"], &position["new_line"]),
        (&json!(1), &json!(3))
    );
    let blank = filled(&browser, "3_2", "", " ").await;
    let refused = browser.post(&format!("{DIFFS}/comments"), &sent(&blank)).await.is(422).text();
    has(&refused, &["Can&#39;t be blank", "Add comment now"]);
    let mut wrong = filled(&browser, "3_2", "", "x").await;
    wrong[4].1 = "1".repeat(40);
    browser.post(&format!("{DIFFS}/comments"), &sent(&wrong)).await.is(422);
    let suggested = browser
        .get(&format!("{DIFFS}?comment={LIST}_3_2&suggest=1"))
        .await
        .is(200)
        .text();
    has(&suggested, &["```suggestion:-0+0\nB\n```"]);
}

#[testkit::story]
async fn threads_are_answered_and_resolved_where_they_stand(t: TestServer) {
    let (project, smith, browser) = changed(&t).await;
    let fields = filled(&browser, "3_2", "", "Why?").await;
    browser.submit(&format!("{DIFFS}/comments"), &sent(&fields)).await;
    let one = project.at("/merge_requests/1");
    let made = smith.get(format!("{one}/discussions")).await.is(200).json();
    let (id, note) = (made[0]["id"].as_str().expect("id"), made[0]["notes"][0]["id"].clone());

    let answer = [("discussion_id", id), ("body", "Because")];
    let (_, page) = browser.submit(&format!("{DIFFS}/notes"), &answer).await;
    has(&page, &["Because", &format!("id=\"discussion_{id}\"")]);
    let edit = browser.get(&format!("{DIFFS}?page=1&edit={note}")).await.is(200).text();
    has(&edit, &["Edit comment"]);
    let (_, page) = browser
        .submit(&format!("{DIFFS}/notes/{note}"), &[("body", "Why, then?")])
        .await;
    has(&page, &["Why, then?"]);
    let thread = format!("{DIFFS}/discussions/{id}");
    let (to, page) = browser.submit(&thread, &[("resolved", "true")]).await;
    assert_eq!(to, format!("{DIFFS}?thread={id}#discussion_{id}"));
    has(&page, &["No open threads", "Resolved by smith"]);

    // A push takes the line away.
    act(&t, &project, "anvil", json!([update("a\nBee\nc\nd\ne\n")])).await;
    t.settle().await;
    let page = browser.get(DIFFS).await.is(200).text();
    has(&page, &[">outdated</span>", &format!("data-said=\"{LIST}\"")]);
    let versions = smith.get(format!("{one}/versions")).await.is(200).json();
    let first = &versions[1];
    let shown = browser.get(&format!("{DIFFS}?diff_id={}", first["id"])).await.is(200).text();
    has(
        &shown,
        &[&format!("data-said=\"{LIST}_3_2\""), "Version 1 compared with its target"],
    );
    let sha = first["head_commit_sha"].as_str().expect("sha");
    let between = browser.get(&format!("{DIFFS}?start_sha={sha}")).await.is(200).text();
    has(&between, &["Changed since version 1", "1 changed file"]);
    let deleted = browser.submit(&format!("{DIFFS}/notes/{note}"), &[("delete", "1")]).await;
    assert_eq!(deleted.0, format!("{DIFFS}?file={LIST}#{LIST}"));
    lacks(&deleted.1, &["Why, then?"]);
}

#[testkit::story]
async fn drafts_are_kept_and_seen_by_their_author_alone(t: TestServer) {
    let (project, smith, browser) = changed(&t).await;
    developer(&t, &project, "other").await;
    let fields = filled(&browser, "3_2", "", "Not yet said").await;

    let (to, page) = browser.submit(&format!("{DIFFS}/drafts"), &sent(&fields)).await;

    assert!(to.starts_with(&format!("{DIFFS}?draft=")), "{to}");
    has(
        &page,
        &["Only you see it.", "Not yet said", "Finish review (1)", "Add to review"],
    );
    let one = project.at("/merge_requests/1");
    let drafts = smith.get(format!("{one}/draft_notes")).await.is(200).json();
    assert_eq!(drafts[0]["position"]["new_line"], 2);
    let other = t.browser("other").await;
    lacks(&other.get(DIFFS).await.is(200).text(), &["Not yet said"]);
    let at = format!("{DIFFS}/drafts/{}", drafts[0]["id"]);
    other.post(&at, &[("action", "delete")]).await.is(404);
    let saved = [("action", "save"), ("body", "Said otherwise")];
    has(&browser.submit(&at, &saved).await.1, &["Said otherwise"]);
    browser.post(&at, &[("action", "save"), ("body", " ")]).await.is(422);
    let (_, page) = browser.submit(&at, &[("action", "publish")]).await;
    has(&page, &["1 open thread", "Said otherwise"]);
    lacks(&page, &["Only you see it.", "Finish review"]);
    assert_eq!(smith.get(format!("{one}/draft_notes")).await.is(200).json(), json!([]));
    has(&other.get(DIFFS).await.is(200).text(), &["Said otherwise"]);
}

#[testkit::story]
async fn viewed_marks_are_of_one_person_and_fall_with_a_change(t: TestServer) {
    let (project, _, browser) = changed(&t).await;
    developer(&t, &project, "other").await;
    let other = t.browser("other").await;
    let page = browser.get(DIFFS).await.is(200);
    has(&page.text(), &["0 of 1 viewed", "aria-pressed=\"false\""]);
    let change = page.hidden("change").expect("what it is");
    let mark = [("file", LIST), ("change", change.as_str()), ("viewed", "true")];

    let (to, page) = browser.submit(&format!("{DIFFS}/viewed"), &mark).await;

    assert_eq!(to, format!("{DIFFS}#{LIST}"));
    has(&page, &["1 of 1 viewed", "You viewed this file.", "aria-pressed=\"true\""]);
    lacks(&page, &["class=\"diff-lines"]);
    has(&other.get(DIFFS).await.is(200).text(), &["0 of 1 viewed", "class=\"diff-lines"]);
    act(&t, &project, "anvil", json!([update("a\nBee\nc\nd\ne\n")])).await;
    t.settle().await;
    let changed = browser.get(DIFFS).await.is(200);
    has(&changed.text(), &["0 of 1 viewed", "class=\"diff-lines"]);
    browser.post(&format!("{DIFFS}/viewed"), &mark).await.is(409);
    let change = changed.hidden("change").expect("what it is now");
    let token = browser.form_token();
    let mark = [
        ("authenticity_token", token.as_str()),
        ("file", LIST),
        ("change", change.as_str()),
        ("viewed", "true"),
    ];
    let headers = [("accept", "application/json")];
    let told = browser.post_with(&format!("{DIFFS}/viewed"), &mark, &headers).await.is(200);
    assert_eq!(told.json(), json!({"viewed": 1, "of": 1}));
}

#[testkit::story]
async fn what_is_hidden_has_no_changes_to_see(t: TestServer) {
    let project = t.project("vault/secret").await;
    commit(&t, &project, "main", "README.md", "x\n").await;
    act(
        &t,
        &project,
        "anvil",
        json!([{"action": "create", "file_path": "gold", "content": "x"}]),
    )
    .await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    t.user("outsider").await;
    let browser = t.browser("outsider").await;
    let diffs = "/vault/secret/-/merge_requests/1/diffs";
    for query in ["", "?part=1", "?path=gold"] {
        browser.get(&format!("{diffs}{query}")).await.is(404);
    }
    let forms: [(&str, &[(&str, &str)]); 6] = [
        ("comments", &[("body", "x")]),
        ("drafts", &[("body", "x")]),
        ("drafts/1", &[("action", "delete")]),
        ("notes", &[("body", "x"), ("discussion_id", "x")]),
        ("notes/1", &[("delete", "1")]),
        ("viewed", &[("file", LIST), ("change", "x"), ("viewed", "true")]),
    ];
    for (rest, fields) in forms {
        browser.post(&format!("{diffs}/{rest}"), fields).await.is(404);
    }
    browser
        .post(&format!("{diffs}/discussions/x"), &[("resolved", "true")])
        .await
        .is(404);
}

#[testkit::story]
async fn many_files_come_in_parts(t: TestServer) {
    let project = forge(&t).await;
    let file = |at: usize| {
        json!({"action": "create", "file_path": format!("many/f{at:02}.txt"),
            "content": format!("text of {at:02}\n")})
    };
    act(&t, &project, "anvil", (0..45).map(file).collect()).await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    let browser = t.new_browser();

    let page = browser.get(DIFFS).await.is(200).text();

    has(
        &page,
        &[
            "45 changed files",
            "text of 00",
            "text of 19",
            "f44.txt",
            &format!("{DIFFS}?page=2\""),
        ],
    );
    lacks(&page, &["text of 20", "Files before these"]);
    let part = browser.get(&format!("{DIFFS}?page=2&part=1")).await.is(200).text();
    has(
        &part,
        &["text of 20", "text of 39", "Files before these", &format!("{DIFFS}?page=3\"")],
    );
    lacks(&part, &["<!doctype", "text of 40", "review-bar"]);
    let last = browser.get(&format!("{DIFFS}?page=99")).await.is(200).text();
    has(&last, &["text of 44"]);
    lacks(&last, &["Next files"]);
    let lost = "many/f44.txt";
    let alone = browser.get(&format!("{DIFFS}?path={lost}&part=1")).await.is(200).text();
    has(&alone, &["text of 44"]);
    lacks(&alone, &["text of 43"]);
}

/// More files, and more lines, than a merge request is read with.
#[testkit::story]
async fn what_is_behind_the_limits_comes_when_it_is_asked_for(t: TestServer) {
    let project = forge(&t).await;
    t.admin()
        .put("/application/settings")
        .json(&json!({"diff_max_files": 30, "diff_max_lines": 100}))
        .await
        .is(200);
    let long: String = (0..300).map(|at| format!("line {at:03} of it\n")).collect();
    let file = |at: usize| {
        json!({"action": "create", "file_path": format!("f{at:02}.txt"),
            "content": format!("text of {at:02}\n")})
    };
    let mut actions: Vec<Value> = (0..50).map(file).collect();
    actions.push(json!({"action": "create", "file_path": "a/long.txt", "content": long}));
    act(&t, &project, "anvil", Value::Array(actions)).await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    let browser = t.new_browser();

    let page = browser.get(DIFFS).await.is(200).text();

    has(&page, &["51 changed files", "line 299 of it", "text of 18"]);
    lacks(&page, &["text of 19"]);
    let last = browser.get(&format!("{DIFFS}?page=3&part=1")).await.is(200).text();
    has(&last, &["text of 39", "text of 49"]);
}

/// Bytes of the longest page, and lines of the longest part of many files.
const MOST_BYTES: usize = 2_000_000;
const MOST_LINES: usize = 4_000;

/// The addresses by which a page leads on: to the next files, and to those that are folded.
fn led_to(page: &str) -> Vec<String> {
    let next = page.split("rel=\"next\" href=\"").skip(1);
    let next = next.filter_map(|rest| rest.split('"').next());
    let (folded, _) = page.rsplit_once("\" data-unfold").unwrap_or_default();
    let folded = folded.split("\" data-unfold").filter(|part| !part.is_empty());
    let folded = folded.filter_map(|part| part.rsplit("href=\"").next());
    let address = |escaped: &str| {
        let address = escaped.replace("&#38;", "&").replace("&amp;", "&");
        address.split('#').next().unwrap_or_default().to_owned()
    };
    next.chain(folded).map(address).collect()
}

/// As who has no script reads more files, and more lines, than a page holds.
#[testkit::story]
async fn all_of_it_is_read_by_the_addresses_in_pages(t: TestServer) {
    let project = forge(&t).await;
    let few = json!({"diff_max_files": 25});
    t.admin().put("/application/settings").json(&few).await.is(200);
    let mut wanted = HashSet::new();
    let mut actions = Vec::new();
    for at in 0..=30 {
        let (path, lines) = match at {
            30 => ("a/large.txt".to_owned(), 5_000),
            at => (format!("f{at:02}.txt"), 300),
        };
        let lines: Vec<String> = (0..lines).map(|line| format!("{line} of {path}")).collect();
        let text = lines.join("\n") + "\n";
        actions.push(json!({"action": "create", "file_path": path, "content": text}));
        wanted.extend(lines);
    }
    act(&t, &project, "anvil", Value::Array(actions)).await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    let browser = t.new_browser();

    let (mut known, mut left) = (HashSet::new(), vec![DIFFS.to_owned()]);
    while let Some(path) = left.pop().filter(|_| known.len() < 50) {
        if !known.insert(path.clone()) {
            continue;
        }
        let page = browser.get(&path).await.is(200).text();
        assert!(page.len() < MOST_BYTES, "{path}: {} bytes", page.len());
        let lines = page.matches("<div class=\"add\"").count();
        assert!(lines <= MOST_LINES || path.contains("path="), "{path}: {lines} lines");
        for line in page.split("<code>").filter_map(|rest| rest.split('\n').next()) {
            wanted.remove(line);
        }
        left.extend(led_to(&page));
    }

    assert!(wanted.is_empty(), "{} lines are not led to, of {known:?}", wanted.len());
    assert!(known.len() > 3, "{known:?}");
}
