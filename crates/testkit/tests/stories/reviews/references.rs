//! Merge requests by name: links in texts, and notes that tell which text names what.

use super::{commit, commit_titled, developer, forge, open};
use serde_json::{Value, json};
use testkit::{Client, TestServer};

/// Renders a text as one of a project, or of none.
async fn html(client: &Client, text: &str, project: &str) -> String {
    let mut body = json!({"text": text, "gfm": true});
    if !project.is_empty() {
        body["project"] = json!(project);
    }
    let answer = client.post("/markdown").json(&body).await.is(201).json();
    answer["html"].as_str().expect("a text").to_owned()
}

/// The texts of the notes below something.
async fn notes(client: &Client, path: &str) -> Vec<Value> {
    client.get(format!("{path}/notes?per_page=100")).await.is(200).each("body")
}

fn count(notes: &[Value], text: &str) -> usize {
    notes.iter().filter(|note| **note == *text).count()
}

#[testkit::story]
async fn names_and_addresses_become_links(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    let base = t.app().base_url().to_owned();
    let url = format!("{base}/acme/forge/-/merge_requests/1");

    let text = format!("!1 acme/forge!1 forge!1 {url} `!1` !2 acme/none!1 !!1");
    let shown = html(&smith, &text, "acme/forge").await;
    let link = format!("href=\"{url}\" title=\"Merge anvil\"");
    assert_eq!(shown.matches(&link).count(), 4, "{shown}");
    assert_eq!(shown.matches(">!1</a>").count(), 2, "{shown}");
    assert!(shown.contains("<code>!1</code> !2 acme/none!1 !!1"), "{shown}");
    let reader = t.user("reader").await;
    let elsewhere = html(&reader, &format!("!1 {url}"), "").await;
    assert!(elsewhere.contains("<p>!1 <a "), "{elsewhere}");
    assert!(elsewhere.contains(">acme/forge!1</a>"), "{elsewhere}");
}

#[testkit::story]
async fn what_is_hidden_stays_text_as_what_is_not_there(t: TestServer) {
    let project = t.project("vault/secret").await;
    commit(&t, &project, "main", "README.md", "x\n").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&t.admin(), &project, "anvil").await;
    let (reader, guest) = (t.user("reader").await, t.user("guest").await);
    project.add(&guest, 10).await;
    let base = t.app().base_url().to_owned();
    let text =
        |iid: i64| format!("vault/secret!{iid} {base}/vault/secret/-/merge_requests/{iid} {iid}");
    assert!(html(&t.admin(), &text(1), "").await.contains("title=\"Merge anvil\""));
    // A guest sees the project, and not its code.
    for client in [&*reader, &*guest] {
        let (hidden, none) = (html(client, &text(1), "").await, html(client, &text(2), "").await);
        assert!(hidden.contains("<p>vault/secret!1 <a "), "{hidden}");
        assert_eq!(hidden.replace('1', "2"), none.replace('1', "2"));
    }
}

#[testkit::story]
async fn who_may_read_both_is_told_which_text_names_what(t: TestServer) {
    let project = forge(&t).await;
    let secret = t.project("vault/secret").await;
    let (admin, reader) = (t.admin(), t.user("reader").await);
    let smith = developer(&t, &project, "smith").await;
    for (place, title) in [(&project, "Heavy"), (&secret, "Hush")] {
        admin.post(place.at("/issues")).json(&json!({"title": title})).await.is(201);
    }
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    commit(&t, &secret, "main", "README.md", "x\n").await;
    commit(&t, &secret, "anvil", "anvil.txt", "x\n").await;
    let request = |text: &str| {
        json!({"title": "Anvil", "source_branch": "anvil", "target_branch": "main",
            "description": text})
    };
    let all = "/merge_requests";
    smith
        .post(project.at(all))
        .json(&request("See #1 and vault/secret#1"))
        .await
        .is(201);
    let text = format!("{}/acme/forge/-/issues/1", t.app().base_url());
    admin.post(secret.at(all)).json(&request(&text)).await.is(201);
    let (issue, one) = (project.at("/issues/1"), project.at("/merge_requests/1"));
    // Again, and by what does not name it any more.
    let again = json!({"body": "As #1 says, acme/forge#1."});
    smith.post(format!("{one}/notes")).json(&again).await.is(201);
    smith.put(&one).json(&json!({"description": "Nothing"})).await.is(200);

    let here = "mentioned in merge request !1";
    let there = "mentioned in merge request vault/secret!1";
    let seen = notes(&admin, &issue).await;
    assert_eq!((count(&seen, here), count(&seen, there)), (1, 1), "{seen:?}");
    let seen = notes(&reader, &issue).await;
    assert_eq!((count(&seen, here), count(&seen, there)), (1, 0), "{seen:?}");
    // Who wrote it did not see that issue.
    let there = "mentioned in merge request acme/forge!1";
    assert_eq!(count(&notes(&admin, &secret.at("/issues/1")).await, there), 0);

    let names = json!({"title": "Light", "description": "See !1"});
    admin.post(project.at("/issues")).json(&names).await.is(201);
    let names = json!({"title": "Whisper", "description": "See acme/forge!1"});
    admin.post(secret.at("/issues")).json(&names).await.is(201);
    let body = json!({"body": "See acme/forge!1"});
    admin.post(secret.at("/merge_requests/1/notes")).json(&body).await.is(201);
    commit_titled(&t, &project, ("main", "oil.txt", "x\n"), "Oil !1").await;
    t.settle().await;
    let hidden = ["mentioned in issue vault/secret#2", "mentioned in merge request vault/secret!1"];
    for (client, of_hidden) in [(&admin, 1), (&*reader, 0)] {
        let seen = notes(client, &one).await;
        assert_eq!(count(&seen, "mentioned in issue #2"), 1, "{seen:?}");
        for text in hidden {
            assert_eq!(count(&seen, text), of_hidden, "{text}: {seen:?}");
        }
        let of_commit = |note: &&Value| {
            note.as_str().is_some_and(|text| text.starts_with("mentioned in commit "))
        };
        assert_eq!(seen.iter().filter(of_commit).count(), 1, "{seen:?}");
    }
}
