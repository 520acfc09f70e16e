//! What others wrote stays text: names of branches and files, what commits and files say,
//! titles, labels, comments and suggestions, wherever a merge request is told of.

use super::forge;
use super::graph::data;
use serde_json::{Value, json};
use testkit::{Browser, Git, TestProject, TestServer, TestUser};

const LIST: &str = "/acme/forge/-/merge_requests";
const ONE: &str = "/acme/forge/-/merge_requests/1";
/// Both branches, which reorder what is read.
const SOURCE: &str = "s\"'onfocus='alert(1)'><evil>\u{202e}x";
const TARGET: &str = "t\"'onfocus='alert(1)'><evil>\u{202e}x";
/// The file that both branches add, and what is in it.
const FILE: &str = "f\"' onfocus='alert(1)'><evil>\u{202e}.txt";
const LINES: &str = "</code><script>alert(1)</script><evil>\u{202e}\nsecond\n";
const COMMIT: &str = "</title><script>alert(1)</script><evil>\u{202e}\n\n\
    <img src=x onerror=alert(1)> [a](javascript:alert(1))";
const AUTHOR: &str = "\u{202e}Eve & \"Co\" <e\"&x@x>";
/// A title, of labels, milestones, rules and people, too.
const TITLE: &str = "T\"' onfocus='alert(1)'><evil><script>alert(1)</script>";
const TEXT: &str = "Said <script>alert(1)</script><evil>x</evil> \
    <img src=x onerror=alert(1)> [a](javascript:alert(1)) ![b](javascript:alert(1)) \
    <a href=\"javascript:alert(1)\" onfocus='alert(1)'>c</a>";

/// As a part of an address.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Commits a file with this message, as somebody whose name is no better.
async fn write(git: &Git, text: &str) {
    git.commit("one", FILE, text).await;
    let amend = ["commit", "--quiet", "--amend", "--message", COMMIT, "--author", AUTHOR];
    git.run_in("one", &amend).await.done();
}

async fn push(git: &Git, branch: &str) {
    let to = format!("HEAD:refs/heads/{branch}");
    git.run_in("one", &["push", "--quiet", "origin", &to]).await.done();
}

/// A merge request of smith that conflicts, which jane, who maintains the project, talked
/// about, reviews and approved.
async fn scene(t: &TestServer) -> (TestProject, TestUser) {
    let project = forge(t).await;
    let (smith, jane) = (t.user("smith").await, t.user("jane").await);
    for (user, level) in [(&smith, 30), (&jane, 40)] {
        project.add(user, level).await;
        let name = json!({"name": TITLE});
        t.admin().put(format!("/users/{}", user.id)).json(&name).await.is(200);
    }
    let git = Git::of(&t.admin());
    git.run(&["clone", "--quiet", &git.url("acme/forge"), "one"]).await.done();
    for (branch, text) in [(TARGET, "other\n"), (SOURCE, LINES)] {
        git.run_in("one", &["checkout", "--quiet", "--detach", "origin/main"])
            .await
            .done();
        write(&git, text).await;
        push(&git, branch).await;
    }
    let admin = t.admin();
    let label = json!({"name": TITLE, "color": "red", "description": TEXT});
    admin.post(project.at("/labels")).json(&label).await.is(201);
    let goal = json!({"title": TITLE, "description": TEXT});
    let goal = admin.post(project.at("/milestones")).json(&goal).await.is(201).id();
    let body = json!({"title": TITLE, "description": TEXT, "source_branch": SOURCE,
        "target_branch": TARGET, "labels": TITLE, "milestone_id": goal,
        "assignee_ids": [smith.id], "reviewer_ids": [jane.id]});
    smith.post(project.at("/merge_requests")).json(&body).await.is(201);
    t.settle().await;
    talk(&project, &jane).await;
    // Commits that are pushed later are told of in a note.
    git.commit("one", "more.txt", "more\n").await;
    git.run_in("one", &["commit", "--quiet", "--amend", "--message", COMMIT])
        .await
        .done();
    push(&git, SOURCE).await;
    t.settle().await;
    (project, smith)
}

async fn talk(project: &TestProject, jane: &TestUser) {
    let one = |rest: &str| project.at(&format!("/merge_requests/1{rest}"));
    let rule = json!({"name": TITLE, "approvals_required": 1, "user_ids": [jane.id]});
    jane.post(one("/approval_rules")).json(&rule).await.is(201);
    jane.post(one("/notes")).json(&json!({"body": TEXT})).await.is(201);
    let place = |line: i64| json!({"path": FILE, "line": line});
    let suggestion = format!("{TEXT}\n```suggestion:-0+0\n{LINES}```\n");
    let thread = json!({"body": suggestion, "position": place(1)});
    jane.post(one("/discussions")).json(&thread).await.is(201);
    let draft = json!({"note": TEXT, "position": place(2)});
    jane.post(one("/draft_notes")).json(&draft).await.is(201);
    jane.post(one("/approve")).await.is(201);
}

/// Names and values of the attributes of all tags.
fn attributes(html: &str) -> Vec<(String, String)> {
    let (mut found, mut rest) = (Vec::new(), html);
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let name = |c: char| c.is_whitespace() || c == '>';
        rest = &rest[rest.find(name).unwrap_or(rest.len())..];
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
            if rest.is_empty() || rest.starts_with('>') {
                break;
            }
            let ends = |c: char| c.is_whitespace() || c == '=' || c == '>';
            let (name, after) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
            let (value, after) = match after.strip_prefix('=') {
                Some(after) => value(after),
                None => ("", after),
            };
            found.push((name.to_ascii_lowercase(), value.to_owned()));
            rest = after;
        }
    }
    found
}

/// A value, in quotes or without, and what follows it.
fn value(text: &str) -> (&str, &str) {
    let quote = text.chars().next().filter(|c| ['"', '\''].contains(c));
    let body = if quote.is_some() { &text[1..] } else { text };
    let ends = |c: char| match quote {
        Some(quote) => c == quote,
        None => c.is_whitespace() || c == '>',
    };
    let (value, after) = body.split_at(body.find(ends).unwrap_or(body.len()));
    (value, quote.and_then(|quote| after.strip_prefix(quote)).unwrap_or(after))
}

/// Fails where something that was written is more than text.
fn check(html: &str, of: &str) {
    let is_text = !html.contains("<evil") && !html.contains("<script>alert");
    assert!(is_text, "{of}: {html}");
    assert!(!html.contains("&#38;lt;") && !html.contains("&amp;lt;"), "{of}: escaped twice");
    for (name, value) in attributes(html) {
        let leads = ["href", "src", "action", "formaction"].contains(&name.as_str());
        let calls = value.trim_start().to_ascii_lowercase().starts_with("javascript:");
        let acts = name.contains("onfocus") || name.contains("onerror");
        assert!(!(acts || leads && calls), "{of}: {name}={value}");
    }
}

/// What is read of a page: without commands to be typed, and what is to be sent.
fn read(html: &str) -> String {
    let mut read = html.to_owned();
    for (begin, end) in [("<pre", "</pre>"), ("<textarea", "</textarea>"), ("value=\"", "\"")] {
        let mut parts = read.split(begin);
        let first = parts.next().unwrap_or_default().to_owned();
        let others = parts.filter_map(|part| part.split_once(end).map(|(_, after)| after));
        read = others.fold(first, |all, part| all + part);
    }
    read
}

#[test]
fn what_acts_is_found() {
    let html = "a < b<p title=\"x>y\" hidden data-x='\"'>c</p><a href=d onfocus = e><br/>";
    let found = attributes(html);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["title", "hidden", "data-x", "href", "onfocus", "", "e"]);
    assert_eq!((found[0].1.as_str(), found[2].1.as_str()), ("x>y", "\""));
    assert_eq!(read("a<pre>b</pre>c<textarea x>d</textarea>e value=\"f\"g"), "ace g");
}

/// Pages that everybody sees who is signed in.
fn pages() -> Vec<String> {
    let file = encoded(FILE);
    let filter = format!("labels={0}&milestone={0}&search={0}", encoded(TITLE));
    vec![
        LIST.to_owned(),
        format!("{LIST}?{filter}"),
        ONE.to_owned(),
        format!("{ONE}/commits"),
        format!("{ONE}/conflicts"),
        format!("{ONE}/diffs"),
        format!("{ONE}/diffs?view=parallel"),
        format!("{ONE}/diffs?path={file}&context=full"),
        format!("{ONE}/merge_box"),
        format!("{ONE}/pipelines"),
        format!("{ONE}/suggestions"),
        "/groups/acme/-/merge_requests".to_owned(),
        "/dashboard/merge_requests?scope=all".to_owned(),
    ]
}

/// And those that other rooms have, or that take rights.
fn more_pages() -> Vec<String> {
    let (source, target) = (encoded(SOURCE), encoded(TARGET));
    let branches = format!(
        "merge_request%5Bsource_branch%5D={source}&merge_request%5Btarget_branch%5D={target}"
    );
    vec![
        format!("{LIST}?source_branch={source}&target_branch={target}"),
        format!("{ONE}/edit"),
        format!("{LIST}/new?{branches}"),
        format!("{LIST}/new?{branches}&change_branches=true"),
        "/".to_owned(),
        "/acme/forge".to_owned(),
        "/acme/forge/-/activity".to_owned(),
        "/acme/forge/-/branches".to_owned(),
        "/acme/forge/-/settings/merge_requests".to_owned(),
        "/dashboard/todos".to_owned(),
        "/search?q=evil&type=merge_requests".to_owned(),
        "/acme/forge.atom".to_owned(),
        "/groups/acme.atom".to_owned(),
    ]
}

#[testkit::story]
async fn what_was_written_is_text_on_every_page(t: TestServer) {
    scene(&t).await;
    t.user("reader").await;
    let [jane, smith, reader] =
        [t.browser("jane").await, t.browser("smith").await, t.browser("reader").await];
    let shown = async |browser: &Browser, path: &str| {
        let page = browser.get(path).await.is(200).text();
        check(&page, path);
        page
    };
    for path in pages() {
        shown(&jane, &path).await;
        let page = shown(&reader, &path).await;
        assert!(!read(&page).contains('\u{202e}'), "{path}: {page}");
    }
    for path in more_pages() {
        shown(&jane, &path).await;
    }
    shown(&smith, ONE).await;
    // They were there to be shown.
    let page = shown(&jane, ONE).await;
    for text in ["&#60;evil&#62;", "Suggested change", "added 1 commit"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let page = shown(&jane, &format!("{ONE}/diffs")).await;
    assert!(page.contains("Only you see it."), "{page}");
    let page = shown(&jane, &format!("{ONE}/conflicts")).await;
    assert!(page.contains("&#60;evil&#62;\u{fffd}.txt"), "{page}");
}

/// All texts of an answer.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text.as_str()],
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[testkit::story]
async fn what_was_written_is_text_in_mails_and_interfaces(t: TestServer) {
    let (project, smith) = scene(&t).await;
    let mails = t.app().mailer().sent();
    assert!(mails.iter().any(|mail| mail.subject.contains("<evil>")), "{mails:?}");
    for mail in &mails {
        let html = mail.html.as_deref().unwrap_or_default();
        check(html, &mail.subject);
        assert!(!mail.subject.contains(['\r', '\n']), "{}", mail.subject);
    }
    let of = "titleHtml descriptionHtml labels{nodes{descriptionHtml}} \
        milestone{descriptionHtml} notes{nodes{bodyHtml}} commits{nodes{titleHtml}} \
        discussions{nodes{notes{nodes{bodyHtml}}}}";
    let query = format!("{{project(fullPath:\"acme/forge\"){{mergeRequests{{nodes{{{of}}}}}}}}}");
    let told = data(&smith, &query).await;
    let told = texts(&told);
    assert!(told.iter().filter(|text| text.contains("&lt;")).count() >= 2, "{told:?}");
    for html in told {
        check(html, "GraphQL");
    }
    let one = project.at("/merge_requests/1?render_html=true");
    let shown = smith.get(one).await.is(200).json();
    for field in ["title_html", "description_html"] {
        check(shown[field].as_str().expect("HTML"), field);
    }
}
