//! REST of snippets.

use super::{at, base, made, paths};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn snippets_are_made_changed_and_deleted(t: TestServer) {
    let project = t.project("acme/anvil").await;
    for project in [None, Some(&project)] {
        let two = json!({"title": "Two", "description": "About *it*", "visibility": "private",
            "files": [{"file_path": "a.rs", "content": "a\n"}, {"file_path": "", "content": "b\n"}]});
        let snippet = t.admin().post(base(project)).json(&two).await.is(201).json();
        assert_eq!(paths(&snippet), ["a.rs", "snippetfile1.txt"]);
        assert_eq!((&snippet["title"], &snippet["visibility"]), (&json!("Two"), &json!("private")));
        assert_eq!((&snippet["file_name"], &snippet["imported"]), (&json!("a.rs"), &json!(false)));
        assert_eq!(snippet["project_id"], project.map_or(Value::Null, |one| json!(one.id)));
        let path = project.map_or(String::new(), |_| "/acme/anvil".to_owned());
        let web = format!("{}{path}/-/snippets/{}", t.url(), snippet["id"]);
        assert_eq!(snippet["web_url"], web);
        assert_eq!(snippet["raw_url"], format!("{web}/raw"));
        assert_eq!(snippet["files"][0]["raw_url"], format!("{web}/raw/main/a.rs"));
        let git = format!("{}{path}/snippets/{}.git", t.url(), snippet["id"]);
        assert_eq!(snippet["http_url_to_repo"], git);
        assert_eq!(t.admin().get(at(project, &snippet, "")).await.is(200).json(), snippet);
        assert_eq!(t.admin().get(base(project)).await.is(200).json(), json!([snippet]));

        let change = json!({"title": "Three", "description": null, "files": [
            {"action": "move", "previous_path": "a.rs", "file_path": "src/b.rs"},
            {"action": "update", "file_path": "snippetfile1.txt", "content": "new\n"},
            {"action": "create", "file_path": "c", "content": "c\n"}]});
        let changed = t.admin().put(at(project, &snippet, "")).json(&change).await.is(200).json();
        assert_eq!(paths(&changed), ["c", "snippetfile1.txt", "src/b.rs"]);
        assert_eq!((&changed["title"], &changed["description"]), (&json!("Three"), &Value::Null));
        let raw = t.admin().get(at(project, &snippet, "/files/main/src%2Fb.rs/raw")).await.is(200);
        assert_eq!(raw.text(), "a\n", "it moved as it was");
        assert_eq!(t.admin().get(at(project, &snippet, "/raw")).await.is(200).text(), "c\n");

        let text = "To update Snippets with multiple files, you must use the `files` parameter";
        for one in [json!({"content": "x"}), json!({"file_name": "x"})] {
            let refused = t.admin().put(at(project, &snippet, "")).json(&one).await.is(400);
            assert_eq!(refused.json(), json!({"message": {"error": text}}));
        }
        t.admin().delete(at(project, &snippet, "")).await.is(204);
        let gone = t.admin().get(at(project, &snippet, "")).await.is(404).json();
        assert_eq!(gone["message"], "404 Snippet Not Found");
    }
}

#[testkit::story]
async fn the_only_file_is_named_and_written_by_itself(t: TestServer) {
    let user = t.user("ada").await;
    let body = json!({"title": "One", "file_name": "a.py", "content": "print(1)\n"});
    let snippet = user.post("/snippets").json(&body).await.is(201).json();
    assert_eq!(snippet["visibility"], "internal");
    let put = async |body: Value| {
        let changed = user.put(at(None, &snippet, "")).json(&body).await.is(200).json();
        let raw = user.get(at(None, &snippet, "/raw")).await.is(200);
        assert!(raw.header("content-type").starts_with("text/plain"), "{raw:?}");
        (paths(&changed).join(" "), raw.text())
    };
    assert_eq!(put(json!({"file_name": "b.py"})).await, ("b.py".into(), "print(1)\n".into()));
    assert_eq!(put(json!({"content": "2\n"})).await, ("b.py".into(), "2\n".into()));
    let both = json!({"content": "3\n", "file_name": "c.py"});
    assert_eq!(put(both).await, ("c.py".into(), "3\n".into()));
    // The same again changes nothing, and is no error.
    assert_eq!(put(json!({"content": "3\n"})).await, ("c.py".into(), "3\n".into()));
}

#[testkit::story]
async fn files_are_read_at_a_ref(t: TestServer) {
    let user = t.user("ada").await;
    let snippet = made(&user, None, "public").await;
    user.put(at(None, &snippet, ""))
        .json(&json!({"content": "two\n"}))
        .await
        .is(200);
    let file = async |spot: &str, status: u16| {
        let path = at(None, &snippet, &format!("/files/{spot}/raw"));
        t.anonymous().get(path).await.is(status)
    };
    for name in ["main", "HEAD", "master"] {
        assert_eq!(file(&format!("{name}/hello.rs"), 200).await.text(), "two\n", "{name}");
    }
    let absent = file("other/hello.rs", 404).await.json();
    assert_eq!(absent["message"], "404 Reference Not Found");
    for path in ["absent.rs", "..%2Fhello.rs", ".git%2Fconfig"] {
        let absent = file(&format!("main/{path}"), 404).await.json();
        assert_eq!(absent["message"], "404 File Not Found", "{path}");
    }
    for odd in ["--upload-pack=x", "HEAD~1"] {
        file(&format!("{odd}/hello.rs"), 404).await;
    }
}

#[testkit::story]
async fn wrong_input_is_refused(t: TestServer) {
    let user = t.user("ada").await;
    let file = |path: &str| json!({"file_path": path, "content": "x"});
    let with = |files: Value| json!({"title": "x", "files": files});
    let eleven: Vec<Value> = (0..11).map(|n| file(&n.to_string())).collect();
    for (body, status) in [
        (json!({"title": "x"}), 400),
        (json!({"title": "", "file_name": "a", "content": "x"}), 400),
        (json!({"title": "x".repeat(256), "file_name": "a", "content": "x"}), 400),
        (json!({"title": "x", "content": "x"}), 400),
        (
            json!({"title": "x", "file_name": "a", "content": "x", "visibility": "odd"}),
            400,
        ),
        (
            json!({"title": "x", "content": "x", "file_name": "a", "files": [file("a")]}),
            400,
        ),
        (with(json!([])), 422),
        (with(json!([{"file_path": "a", "content": " "}])), 422),
        (with(json!([file("../a")])), 400),
        (with(json!([file(".git/config")])), 400),
        (with(json!([file("a"), file("a")])), 400),
        (with(json!(eleven)), 400),
    ] {
        let refused = user.post("/snippets").json(&body).await;
        assert_eq!(refused.status, status, "{body} {refused:?}");
    }
    assert_eq!(user.get("/snippets").await.is(200).json(), json!([]), "nothing is left of them");

    let snippet = made(&user, None, "private").await;
    for (body, status) in [
        (json!({}), 400),
        (json!({"title": " "}), 400),
        (
            json!({"files": [{"action": "update", "file_path": "absent", "content": "x"}]}),
            400,
        ),
        (json!({"files": [{"action": "delete", "file_path": "hello.rs"}]}), 400),
        (json!({"files": [{"action": "move", "file_path": "b"}]}), 422),
        (json!({"files": [{"action": "odd", "file_path": "b"}]}), 400),
        (json!({"files": [], "content": "x"}), 400),
    ] {
        let refused = user.put(at(None, &snippet, "")).json(&body).await;
        assert_eq!(refused.status, status, "{body} {refused:?}");
    }
    let gone = json!({"files": [{"action": "delete", "file_path": "hello.rs"}]});
    let refused = user.put(at(None, &snippet, "")).json(&gone).await.is(400).json();
    let text = "Error updating the snippet - The repository must contain at least 1 file.";
    assert_eq!(refused, json!({"message": {"error": text}}));
    assert_eq!(user.get(at(None, &snippet, "")).await.is(200).json(), snippet);
}

#[testkit::story]
async fn of_parallel_changes_none_is_lost(t: TestServer) {
    let user = t.user("ada").await;
    let snippet = made(&user, None, "private").await;
    let change = |number: usize| {
        let path = format!("file{number}");
        let file = json!({"action": "create", "file_path": path, "content": path});
        let body = match number {
            0 => json!({"title": "Renamed", "files": [file]}),
            1 => json!({"description": "Described", "files": [file]}),
            _ => json!({"files": [file]}),
        };
        user.put(at(None, &snippet, "")).json(&body)
    };
    let all = futures_util::future::join_all((0..6).map(|n| async move { change(n).await }));
    for reply in all.await {
        reply.is(200);
    }
    let now = user.get(at(None, &snippet, "")).await.is(200).json();
    assert_eq!(paths(&now).len(), 7, "{now}");
    assert_eq!((&now["title"], &now["description"]), (&json!("Renamed"), &json!("Described")));
}

#[testkit::story]
async fn lists_are_narrowed(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (ada, bob) = (t.user("ada").await, t.user("bob").await);
    project.add(&ada, 30).await;
    let open = made(&ada, None, "public").await;
    let hidden = made(&ada, None, "private").await;
    let of_project = made(&ada, Some(&project), "public").await;
    let of_bob = made(&bob, None, "internal").await;
    let ids = |all: &[&Value]| all.iter().map(|one| one["id"].clone()).collect::<Vec<_>>();
    let listed = async |path: &str| ada.get(path).await.is(200).each("id");
    assert_eq!(listed("/snippets").await, ids(&[&of_project, &hidden, &open]));
    assert_eq!(listed("/snippets/public").await, ids(&[&open]));
    assert_eq!(listed("/snippets/all").await, ids(&[&of_bob, &of_project, &hidden, &open]));
    assert_eq!(listed("/snippets/all?per_page=1&page=2").await, ids(&[&of_project]));
    assert_eq!(listed(&project.at("/snippets")).await, ids(&[&of_project]));
    assert_eq!(listed("/snippets?created_before=2001-01-01").await, ids(&[]));
    assert_eq!(listed("/snippets?created_after=2001-01-01").await.len(), 3);
    ada.get("/snippets?created_after=soon").await.is(400);
    let found = bob.get("/search?scope=snippet_titles&search=greeting").await.is(200);
    assert_eq!(found.each("id"), ids(&[&of_bob, &of_project, &open]));
    let found = ada.get("/search?scope=snippet_titles&search=hello.rs").await.is(200);
    assert_eq!(found.each("id").len(), 4, "files are found by their names");
    t.anonymous().get("/snippets").await.is(401);
    let shown = t.admin().get(project.at("?statistics=true")).await.is(200).json();
    assert!(shown["statistics"]["snippets_size"].as_i64() > Some(0), "{shown}");
}

#[testkit::story]
async fn administrators_see_what_one_was_made_with(t: TestServer) {
    let user = t.user("ada").await;
    let body = json!({"title": "x", "file_name": "a", "content": "x"});
    let request = user.post("/snippets").json(&body).header("user-agent", "shears/1.0");
    let snippet = request.await.is(201).json();
    let detail = at(None, &snippet, "/user_agent_detail");
    user.get(&detail).await.is(403);
    let told = t.admin().get(&detail).await.is(200).json();
    let wanted = json!({"user_agent": "shears/1.0", "ip_address": "127.0.0.1",
        "akismet_submitted": false});
    assert_eq!(told, wanted);
}

#[testkit::story]
async fn spam_is_refused(t: TestServer) {
    let user = t.user("ada").await;
    let snippet = made(&user, None, "private").await;
    let rules = json!({"spam_blocked_domains": ["pills.example"]});
    t.admin().put("/application/settings").json(&rules).await.is(200);
    let body =
        json!({"title": "x", "file_name": "a", "content": "Buy at https://pills.example/now"});
    let text = "Your snippet has been recognized as spam and has been discarded.";
    let refused = user.post("/snippets").json(&body).await.is(400).json();
    assert_eq!(refused, json!({"message": {"error": text}}));
    let change = json!({"content": "Buy at https://pills.example/now"});
    user.put(at(None, &snippet, "")).json(&change).await.is(400);
    let raw = user.get(at(None, &snippet, "/raw")).await.is(200).text();
    assert_eq!(raw, "fn main() {}\n", "nothing was written");
    assert_eq!(user.get("/snippets").await.is(200).each("id").len(), 1);
}

#[testkit::story]
async fn who_leaves_takes_their_own_along(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let ada = t.user("ada").await;
    project.add(&ada, 30).await;
    let own = made(&ada, None, "public").await;
    let of_project = made(&ada, Some(&project), "public").await;
    t.admin().delete(format!("/users/{}", ada.id)).await.is(204);
    t.settle().await;
    t.admin().get(at(None, &own, "")).await.is(404);
    let kept = t.admin().get(at(Some(&project), &of_project, "")).await.is(200).json();
    assert_eq!(kept["author"]["username"], "ghost");
    let raw = t.admin().get(at(Some(&project), &of_project, "/raw")).await.is(200).text();
    assert_eq!(raw, "fn main() {}\n");
    t.admin().delete(project.at("")).await.is(202);
}
