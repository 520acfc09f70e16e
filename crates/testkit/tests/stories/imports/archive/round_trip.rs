//! A project that was written and made anew is written the same again.

use super::{Entries, entries, exported, imported, lines};
use crate::lfs;
use serde_json::{Value, json};
use std::collections::HashMap;
use testkit::{Client, Git, TestProject, TestServer, TestUser};

/// Lists whose lines come back as they were; members become ones once they are known.
const LISTS: &[&str] = &[
    "labels",
    "milestones",
    "releases",
    "merge_requests",
    "issues",
    "code_notes",
    "notes",
    "events",
    "protected_branches",
    "snippets",
    "uploads",
    "lfs_objects",
];

/// A project that has something of everything.
struct Forge {
    project: TestProject,
    git: Git,
    mia: TestUser,
    upload: String,
}

async fn post(client: &Client, path: String, body: Value) -> Value {
    client.post(path).json(&body).await.is(201).json()
}

impl Forge {
    async fn begin(t: &TestServer) -> Forge {
        let project = t.project("acme/forge").await;
        let mia = t.user("mia").await;
        project.add(&mia, 40).await;
        let git = Git::of(&t.admin());
        git.begin("one", "acme/forge").await;
        git.commit("one", "list.txt", "a\nb\nc\n").await;
        git.run_in("one", &["tag", "--annotate", "-m", "one", "v1"]).await.done();
        git.run_in("one", &["checkout", "--quiet", "-b", "anvil"]).await.done();
        git.commit("one", "list.txt", "a\nB\nc\n").await;
        let refs = ["push", "--quiet", "origin", "main", "anvil", "v1"];
        git.run_in("one", &refs).await.done();
        let upload = Forge::upload(t, &project).await;
        Forge { project, git, mia, upload }
    }

    async fn upload(t: &TestServer, project: &TestProject) -> String {
        let request = t.admin().post(project.at("/uploads"));
        let files: &[(&str, &str, &[u8])] = &[("file", "note.txt", b"kept")];
        let sent = crate::packages_formats::forms::multipart(request, &[], files).await.is(201);
        sent.json()["url"].as_str().expect("an address").to_owned()
    }

    /// What is planned, and said of that.
    async fn plan(&self, t: &TestServer) {
        let (admin, at) = (t.admin(), |rest: &str| self.project.at(rest));
        let label = json!({"name": "bug", "color": "#d9534f", "priority": 2, "description": "x"});
        post(&admin, at("/labels"), label).await;
        let goal = json!({"title": "1.0", "due_date": "2031-05-01", "description": "first"});
        let milestone = post(&admin, at("/milestones"), goal).await;
        let first = json!({
            "title": "Anvil rings", "labels": "bug", "milestone_id": milestone["id"],
            "description": format!("See [note]({}) and #2", self.upload),
            "assignee_ids": [self.mia.id], "confidential": true, "due_date": "2031-04-01",
        });
        post(&self.mia, at("/issues"), first).await;
        post(&admin, at("/issues"), json!({"title": "Second"})).await;
        let link = json!({"target_project_id": self.project.id, "target_issue_iid": 1});
        post(&admin, at("/issues/2/links"), link).await;
        post(&self.mia, at("/issues/1/notes"), json!({"body": "A note"})).await;
        let thread = post(&admin, at("/issues/1/discussions"), json!({"body": "Begins"})).await;
        let thread = thread["id"].as_str().expect("an id");
        let answers = at(&format!("/issues/1/discussions/{thread}/notes"));
        post(&self.mia, answers, json!({"body": "Answers"})).await;
        post(&admin, at("/issues/1/award_emoji"), json!({"name": "thumbsup"})).await;
        admin.put(at("/issues/2")).json(&json!({"state_event": "close"})).await.is(200);
    }

    /// What changes, and is said of that.
    async fn review(&self, t: &TestServer) {
        let (admin, at) = (t.admin(), |rest: &str| self.project.at(rest));
        let request = json!({
            "title": "Ring louder", "source_branch": "anvil", "target_branch": "main",
            "reviewer_ids": [self.mia.id], "labels": "bug",
        });
        let made = post(&admin, at("/merge_requests"), request).await;
        t.settle().await;
        let refs = admin.get(at("/merge_requests/1")).await.is(200).json()["diff_refs"].clone();
        let position = json!({
            "position_type": "text", "base_sha": refs["base_sha"], "start_sha": refs["start_sha"],
            "head_sha": refs["head_sha"], "new_path": "list.txt", "old_path": "list.txt",
            "new_line": 2,
        });
        let body = json!({"body": "Why so loud?", "position": position});
        post(&self.mia, at("/merge_requests/1/discussions"), body).await;
        post(&self.mia, at("/merge_requests/1/notes"), json!({"body": "Well done"})).await;
        assert_eq!(made["iid"], 1);
        self.mia.post(at("/merge_requests/1/approve")).await.is(201);
    }

    /// What stands beside the code.
    async fn fill(&self, t: &TestServer) {
        let (admin, at) = (t.admin(), |rest: &str| self.project.at(rest));
        let link = json!({"name": "Home", "url": "https://anvil.example/"});
        let release = json!({
            "tag_name": "v1", "name": "First", "description": "Rings", "milestones": ["1.0"],
            "assets": {"links": [link]},
        });
        post(&admin, at("/releases"), release).await;
        let page = json!({"title": "Home", "content": "Welcome"});
        post(&admin, at("/wikis"), page).await;
        let files = json!([{"file_path": "a.txt", "content": "one\n"}]);
        let snippet = json!({"title": "Forging", "visibility": "private", "files": files});
        post(&self.mia, at("/snippets"), snippet).await;
        let rule = json!({"name": "stable-*", "push_access_level": 30, "merge_access_level": 30});
        post(&admin, at("/protected_branches"), rule).await;
        lfs::send(t, &admin, "acme/forge", "a large file").await;
        t.settle().await;
    }
}

/// Gives numbers of a server back as the places at which they come up first.
#[derive(Default)]
struct Places(HashMap<(String, String), usize>);

impl Places {
    fn of(&mut self, kind: &str, value: &mut Value) {
        if value.is_null() {
            return;
        }
        let next = self.0.len();
        let place = self.0.entry((kind.to_owned(), value.to_string())).or_insert(next);
        *value = json!(*place);
    }

    /// What of a line is the same wherever it is.
    fn line(&mut self, list: &str, mut line: Value) -> Value {
        for field in ["key", "thread"] {
            if let Some(value) = line.get_mut(field) {
                self.of(&format!("{list} {field}"), value);
            }
        }
        if list == "snippets" {
            self.of("snippet", &mut line["number"]);
        }
        people_by_name(&mut line);
        line
    }
}

/// People are told apart by their names alone: here they have others than there.
fn people_by_name(value: &mut Value) {
    match value {
        Value::Object(all) if all.contains_key("username") => {
            *value = all["username"].clone();
        }
        Value::Object(all) => all.values_mut().for_each(people_by_name),
        Value::Array(all) => all.iter_mut().for_each(people_by_name),
        _ => {}
    }
}

fn told(entries: &Entries, list: &str) -> Vec<Value> {
    let mut places = Places::default();
    lines(entries, list).into_iter().map(|line| places.line(list, line)).collect()
}

#[testkit::story]
async fn what_goes_into_a_file_comes_out_of_it(t: TestServer) {
    let forge = Forge::begin(&t).await;
    forge.plan(&t).await;
    forge.review(&t).await;
    forge.fill(&t).await;
    let first = exported(&t, &t.admin(), forge.project.id).await;
    let (id, shown) = imported(&t, &t.admin(), "other/copy", &first).await;
    assert_eq!(shown["import_status"], "finished", "{shown}");
    assert_eq!(shown["failed_relations"], json!([]), "{shown}");
    assert_eq!(shown["import_type"], "project_file");
    let second = exported(&t, &t.admin(), id).await;
    let (first, second) = (entries(&first), entries(&second));
    for list in LISTS {
        let (before, after) = (told(&first, list), told(&second, list));
        assert!(!before.is_empty(), "there are {list}");
        assert_eq!(before, after, "{list}");
    }
    let digests = |entries: &Entries| -> Vec<(String, Vec<u8>)> {
        let of = entries
            .iter()
            .filter(|(name, _)| name.starts_with("uploads/") || name.starts_with("lfs/"));
        of.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
    };
    assert_eq!(digests(&first), digests(&second));
    same_refs(&forge.git, "acme/forge", "other/copy").await;
    same_refs(&forge.git, "acme/forge.wiki", "other/copy.wiki").await;
    let settings = |entries: &Entries| -> Value {
        let text = &entries["tenon-project.json"];
        let manifest: Value = serde_json::from_slice(text).expect("JSON");
        manifest["project"]["settings"].clone()
    };
    assert_eq!(settings(&first), settings(&second));
    let url = format!("/projects/{id}{}", forge.upload);
    assert_eq!(t.admin().get(url).await.is(200).text(), "kept");
}

async fn same_refs(git: &Git, one: &str, other: &str) {
    let refs = async |path: &str| {
        let told = git.run(&["ls-remote", &git.url(path)]).await.done();
        let mut lines: Vec<String> = told.said.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(refs(one).await, refs(other).await);
}

#[testkit::story]
async fn a_bundle_of_a_file_is_one_that_git_clones(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let file = exported(&t, &t.admin(), project.id).await;
    let bundle = &entries(&file)["repository.bundle"];
    std::fs::write(git.at("repository.bundle"), bundle).expect("a file");
    git.run(&["clone", "--quiet", "--branch", "main", "repository.bundle", "two"])
        .await
        .done();
    assert_eq!(git.id("two", "HEAD").await, git.id("one", "HEAD").await);
}

#[testkit::story]
async fn an_empty_project_goes_and_comes(t: TestServer) {
    let project = t.project("acme/bare").await;
    let file = exported(&t, &t.admin(), project.id).await;
    assert!(!entries(&file).contains_key("repository.bundle"));
    let (_, shown) = imported(&t, &t.admin(), "acme/again", &file).await;
    assert_eq!(shown["import_status"], "finished", "{shown}");
}

#[testkit::story]
async fn settings_are_overridden_and_so_is_a_project(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let body = json!({"description": "Rings", "merge_method": "ff"});
    t.admin().put(project.at("")).json(&body).await.is(200);
    let file = exported(&t, &t.admin(), project.id).await;
    let texts: &[(&str, &str)] = &[
        ("path", "anvil"),
        ("namespace", "acme"),
        ("override_params[description]", "Sings"),
        ("name", "Anvil again"),
    ];
    super::send(&t.admin(), texts, &file).await.is(400);
    let texts = [texts, &[("overwrite", "True")]].concat();
    super::send(&t.admin(), &texts, &file[..file.len() - 40]).await.is(400);
    t.admin().get(project.at("")).await.is(200);
    let made = super::send(&t.admin(), &texts, &file).await.is(201);
    assert_ne!(made.id(), project.id);
    t.settle().await;
    let shown = t.admin().get("/projects/acme%2Fanvil").await.is(200).json();
    assert_eq!((&shown["id"], &shown["name"]), (&json!(made.id()), &json!("Anvil again")));
    assert_eq!((&shown["description"], &shown["merge_method"]), (&json!("Sings"), &json!("ff")));
    let wrong = [("path", "x"), ("namespace", "acme"), ("override_params[visibility]", "odd")];
    let refused = super::send(&t.admin(), &wrong, &file).await.is(400).text();
    assert!(refused.contains("override_params[visibility]"), "{refused}");
}
