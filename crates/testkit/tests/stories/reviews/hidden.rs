//! What hides a merge request hides all there is to tell of it: titles, counts, mails, names
//! of it elsewhere. So it is with the fork that one comes from, and with issues of few.

use super::graph::data;
use super::{commit, developer, forge, open, wanted};
use serde_json::{Value, json};
use testkit::{Browser, Client, Git, TestProject, TestServer, TestUser};

/// Words that stand nowhere but in what is hidden.
const SECRETS: [&str; 4] = ["kestrel", "merlin", "osprey", "shadow"];

/// What follows the number of a merge request in addresses of the API.
const BELOW: [&str; 22] = [
    "",
    "/approval_state",
    "/approvals",
    "/award_emoji",
    "/blockees",
    "/blocks",
    "/changes",
    "/closes_issues",
    "/commits",
    "/context_commits",
    "/diffs",
    "/discussions",
    "/draft_notes",
    "/merge_ref",
    "/notes",
    "/participants",
    "/pipelines",
    "/raw_diffs",
    "/related_issues",
    "/resource_state_events",
    "/reviewers",
    "/versions",
];

/// And in those of pages.
const PAGES: [&str; 10] = [
    "",
    ".diff",
    ".patch",
    "/commits",
    "/conflicts",
    "/diffs",
    "/edit",
    "/merge_box",
    "/pipelines",
    "/suggestions",
];

pub(super) struct Scene {
    pub forge: TestProject,
    vault: TestProject,
    milestone: i64,
    pub smith: TestUser,
    outsider: TestUser,
    /// Of the vault, where they see no code.
    guest: TestUser,
    /// Was a member of the vault, and had to do there.
    eve: TestUser,
}

impl Scene {
    pub fn strangers(&self) -> [&TestUser; 3] {
        [&self.outsider, &self.guest, &self.eve]
    }
}

/// Three merge requests into a public project: one that closes an issue of few and waits for
/// one of a private project, one of somebody who was banned, and one from a private fork.
pub(super) async fn scene(t: &TestServer) -> Scene {
    let forge = forge(t).await;
    let smith = developer(t, &forge, "smith").await;
    let mallory = developer(t, &forge, "mallory").await;
    let [outsider, guest, eve] =
        [t.user("outsider").await, t.user("guest").await, t.user("eve").await];
    let vault = t.project("acme/vault").await;
    for (user, level) in [(&smith, 40), (&guest, 10), (&eve, 30)] {
        vault.add(user, level).await;
    }
    let group = t.group("acme").await;
    let admin = t.admin();
    let milestone = admin.post(group.at("/milestones")).json(&json!({"title": "May"})).await;
    let milestone = milestone.is(201).id();
    let label = json!({"name": "iron", "color": "red"});
    admin.post(group.at("/labels")).json(&label).await.is(201);
    for (title, confidential) in [("Open", false), ("Osprey", true)] {
        let issue = json!({"title": title, "confidential": confidential});
        admin.post(forge.at("/issues")).json(&issue).await.is(201);
    }

    let make = async |by: &TestUser, project: &TestProject, branch: &str, more: Value| -> i64 {
        commit(t, project, branch, &format!("{branch}.txt"), "x\n").await;
        let mut body = wanted(branch);
        for (key, value) in more.as_object().expect("fields") {
            body[key] = value.clone();
        }
        body["labels"] = json!("iron");
        body["milestone_id"] = json!(milestone);
        by.post(project.at("/merge_requests")).json(&body).await.is(201).id()
    };
    make(&smith, &forge, "anvil", json!({"description": "Closes #1, closes #2"})).await;
    let people = json!({"assignee_ids": [eve.id], "reviewer_ids": [outsider.id],
        "description": "Merlin closes #1"});
    make(&mallory, &forge, "horn", people).await;
    let note = json!({"body": "Merlin @eve"});
    smith.post(forge.at("/merge_requests/2/notes")).json(&note).await.is(201);
    commit(t, &vault, "main", "README.md", "x\n").await;
    let people = json!({"assignee_ids": [eve.id], "reviewer_ids": [eve.id],
        "description": "Closes acme/forge#1, see acme/forge!1"});
    let blocking = make(&smith, &vault, "kestrel", people).await;
    let blocks = json!({"blocking_merge_request_id": blocking});
    smith.post(forge.at("/merge_requests/1/blocks")).json(&blocks).await.is(201);
    from_private_fork(t, &forge).await;

    t.admin().post(format!("/users/{}/ban", mallory.id)).await.is(201);
    let member = vault.at(&format!("/members/{}", eve.id));
    t.admin().delete(member).await.is(204);
    t.settle().await;
    Scene { forge, vault, milestone, smith, outsider, guest, eve }
}

async fn from_private_fork(t: &TestServer, forge: &TestProject) {
    let jane = t.user("jane").await;
    let body = json!({"path": "shadow", "name": "shadow", "visibility": "private"});
    let fork = jane.post(forge.at("/fork")).json(&body).await.is(201).id();
    t.settle().await;
    let body = json!({"branch": "face", "start_branch": "main", "commit_message": "Face",
        "actions": [{"action": "create", "file_path": "face.txt", "content": "x"}]});
    let commits = format!("/projects/{fork}/repository/commits");
    jane.post(commits).json(&body).await.is(201);
    let mut body = wanted("face");
    body["target_project_id"] = json!(forge.id);
    let requests = format!("/projects/{fork}/merge_requests");
    jane.post(requests).json(&body).await.is(201);
    t.settle().await;
}

/// How many of each list somebody is told of.
async fn counted(client: &Client, scene: &Scene) -> Vec<String> {
    let forge = &scene.forge;
    let lists = [
        "/merge_requests?scope=all&state=all".to_owned(),
        "/groups/acme/merge_requests".to_owned(),
        forge.at("/merge_requests"),
        format!("/groups/acme/milestones/{}/merge_requests", scene.milestone),
        forge.at("/issues/1/closed_by"),
        forge.at("/issues/1/related_merge_requests"),
        forge.at("/merge_requests/1/closes_issues"),
        forge.at("/merge_requests/1/related_issues"),
    ];
    let mut counted = Vec::new();
    for list in lists {
        counted.push(client.get(list).await.is(200).header("x-total").to_owned());
    }
    let issue = client.get(forge.at("/issues/1")).await.is(200).json();
    counted.push(issue["merge_requests_count"].to_string());
    let labels = client.get(forge.at("/labels?with_counts=true")).await.is(200).json();
    counted.push(labels[0]["open_merge_requests_count"].to_string());
    counted
}

#[testkit::story]
async fn hidden_ones_are_not_counted(t: TestServer) {
    let scene = scene(&t).await;
    let smiths = counted(&scene.smith, &scene).await;
    assert_eq!(smiths, ["3", "3", "2", "2", "2", "2", "2", "2", "2", "1"]);
    let expected = ["2", "2", "2", "1", "1", "1", "1", "1", "1", "1"];
    assert_eq!(counted(&t.anonymous(), &scene).await, expected);
    let query = "{vault:project(fullPath:\"acme/vault\"){mergeRequests{count}}
        forge:project(fullPath:\"acme/forge\"){mergeRequests{count}
            hidden:mergeRequest(iid:\"2\"){title}
            face:mergeRequest(iid:\"3\"){title sourceProject{fullPath}}}
        group(fullPath:\"acme\"){mergeRequests{count}}
        smith:user(username:\"smith\"){authoredMergeRequests{count}}
        mallory:user(username:\"mallory\"){authoredMergeRequests{count}}
        eve:user(username:\"eve\"){assignedMergeRequests{count}
            reviewRequestedMergeRequests{count}}}";
    for user in scene.strangers() {
        let name = &user.username;
        assert_eq!(counted(user, &scene).await, expected, "{name}");
        let own = user.get("/user_counts").await.is(200).json();
        let nothing = own.as_object().expect("counts").values().all(|count| *count == json!(0));
        assert!(nothing, "{name}: {own}");
        for state in ["pending", "done"] {
            let todos = user.get(format!("/todos?state={state}")).await.is(200).json();
            assert_eq!(todos, json!([]), "{name}");
        }
        let mut told = data(user, query).await;
        // A guest sees that there is the vault, and nothing in it.
        let vault = told["vault"].take();
        assert!(vault.is_null() || vault["mergeRequests"]["count"] == 0, "{name}: {vault}");
        let none = json!({"count": 0});
        let expected = json!({"vault": null, "group": {"mergeRequests": {"count": 2}},
            "forge": {"mergeRequests": {"count": 2}, "hidden": null,
                "face": {"title": "Merge face", "sourceProject": null}},
            "smith": {"authoredMergeRequests": {"count": 1}},
            "mallory": {"authoredMergeRequests": none},
            "eve": {"assignedMergeRequests": none, "reviewRequestedMergeRequests": none}});
        assert_eq!(told, expected, "{name}");
        let page = t.browser(name).await.get("/acme/forge/-/merge_requests?state=all").await;
        let tally = "All <span class=\"tally\">2";
        assert!(page.is(200).text().contains(tally), "{name}");
    }
}

#[testkit::story]
async fn nobody_comes_to_hidden_ones_by_their_addresses(t: TestServer) {
    let scene = scene(&t).await;
    for user in scene.strangers() {
        let (name, browser) = (&user.username, t.browser(&user.username).await);
        for (project, iid) in [(&scene.forge, 2), (&scene.vault, 1)] {
            // Who knows the project knows that its code is closed to them.
            let is_known = name == "guest" && iid == 1;
            let status = if is_known { 403 } else { 404 };
            let one = project.at(&format!("/merge_requests/{iid}"));
            for rest in BELOW {
                user.get(format!("{one}{rest}")).await.is(status);
            }
            let page = format!("/{}/-/merge_requests/{iid}", project.path);
            for rest in PAGES {
                browser.get(&format!("{page}{rest}")).await.is(status);
            }
            let body = json!({"body": "x", "note": "x", "title": "x"});
            for rest in
                ["/notes", "/discussions", "/draft_notes", "/approve", "/todo", "/subscribe"]
            {
                user.post(format!("{one}{rest}")).json(&body).await.is(status);
            }
            for rest in ["", "/merge", "/rebase"] {
                user.put(format!("{one}{rest}")).json(&body).await.is(status);
            }
        }
    }
}

/// Whether a text tells of something hidden; what somebody asked for is said to them again.
fn check(text: &str, asked: &str, by: &TestUser) {
    let text = text.to_lowercase();
    // Members of the vault know its name.
    let name = if by.username == "guest" { "kestrel" } else { "vault" };
    for secret in SECRETS.into_iter().chain([name]) {
        assert!(!text.contains(secret), "{asked} of {}: {secret} in {text}", by.username);
    }
}

#[testkit::story]
async fn nothing_tells_what_is_hidden(t: TestServer) {
    let scene = scene(&t).await;
    let known = t.app().mailer().sent().len();
    let note = json!({"body": "Kestrel @eve @guest @outsider"});
    let notes = scene.vault.at("/merge_requests/1/notes");
    scene.smith.post(notes).json(&note).await.is(201);
    t.settle().await;
    assert_eq!(t.app().mailer().sent().len(), known, "nobody else is told of it");

    let forge = |rest: &str| scene.forge.at(rest);
    let mut paths = vec![
        "/merge_requests?scope=all&state=all".to_owned(),
        "/groups/acme/merge_requests?render_html=true".to_owned(),
        forge("/issues/1/notes"),
        forge("/issues/1/related_merge_requests"),
        forge("/events"),
        format!("/groups/acme/milestones/{}/merge_requests", scene.milestone),
        format!("/users/{}/events", scene.smith.id),
        "/search?scope=merge_requests&search=merge".to_owned(),
        "/search?scope=notes&search=eve".to_owned(),
    ];
    for iid in [1, 3] {
        let one = |rest: &&str| forge(&format!("/merge_requests/{iid}{rest}"));
        let is_open = |rest: &&&str| !["/draft_notes", "/merge_ref"].contains(*rest);
        paths.extend(BELOW.iter().filter(is_open).map(one));
    }
    let pages = [
        "/acme/forge/-/merge_requests?state=all",
        "/groups/acme/-/merge_requests?state=all",
        "/dashboard/merge_requests?scope=all&state=all",
        "/acme/forge/-/merge_requests/1",
        "/acme/forge/-/merge_requests/3",
        "/acme/forge/-/merge_requests/3.patch",
        "/acme/forge/-/merge_requests/3/pipelines",
        "/acme/forge/-/issues/1",
        "/acme/forge/-/activity",
        "/users/smith/activity",
        "/search?q=merge",
    ];
    for user in scene.strangers() {
        for path in &paths {
            check(&user.get(path).await.is(200).text(), path, user);
        }
        let browser: Browser = t.browser(&user.username).await;
        for page in pages {
            check(&browser.get(page).await.is(200).text(), page, user);
        }
        let fields = "notes{nodes{body}} description commits{nodes{title webUrl}} \
            sourceProject{fullPath} participants{nodes{username}} pipelines{nodes{path}}";
        let query = format!(
            "{{project(fullPath:\"acme/forge\"){{mergeRequests(state:all){{nodes{{{fields}}}}}
                issue(iid:\"1\"){{notes{{nodes{{body}}}}}}}}}}"
        );
        check(&data(user, &query).await.to_string(), &query, user);
    }
}

#[testkit::story]
async fn titles_of_hidden_issues_are_not_filled_in(t: TestServer) {
    let project = forge(&t).await;
    let issue = json!({"title": "Osprey", "confidential": true});
    t.admin().post(project.at("/issues")).json(&issue).await.is(201);
    let jane = t.user("jane").await;
    jane.post(project.at("/fork")).json(&json!({})).await.is(201);
    let git = Git::of(&jane);
    git.run(&["clone", "--quiet", &git.url("jane/forge"), "one"]).await.done();
    git.run_in("one", &["switch", "--quiet", "--create", "1-falcon"]).await.done();
    git.commit("one", "a.txt", "x\n").await;
    git.commit("one", "b.txt", "x\n").await;
    git.run_in("one", &["push", "origin", "1-falcon"]).await.done();
    let page = "/jane/forge/-/merge_requests/new?merge_request%5Bsource_branch%5D=1-falcon";
    let page = t.browser("jane").await.get(page).await.is(200).text();
    assert!(page.contains("1-falcon") && !page.contains("Osprey"), "{page}");
    let push = ["push", "-o", "mr.create", "origin", "1-falcon:1-kestrel"];
    git.run_in("one", &push).await.done();
    let made = jane.get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!((&made["title"], &made["description"]), (&json!("1 kestrel"), &Value::Null));
    t.settle().await;
}

#[testkit::story]
async fn what_closed_an_issue_is_told_to_who_sees_it(t: TestServer) {
    let project = forge(&t).await;
    let issue = json!({"title": "Heavy"});
    t.admin().post(project.at("/issues")).json(&issue).await.is(201);
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    let reader = t.user("reader").await;
    open(&t.admin(), &project, "anvil").await;
    let closes = json!({"description": "Closes #1"});
    t.admin().put(project.at("/merge_requests/1")).json(&closes).await.is(200);
    t.admin().put(project.at("/merge_requests/1/merge")).await.is(200);
    t.settle().await;
    let told = async || {
        let notes = reader.get(project.at("/issues/1/notes")).await.is(200).each("body");
        notes.contains(&json!("closed via merge request !1"))
    };
    assert!(told().await);
    let private = json!({"merge_requests_access_level": "private"});
    t.admin().put(project.at("")).json(&private).await.is(200);
    assert!(!told().await);
}
