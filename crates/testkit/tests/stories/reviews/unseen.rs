//! Who does not see something is not told of it by numbers, mails and names, and nobody is
//! once they lost sight of it.

use super::graph::one;
use super::hidden::scene;
use super::{commit, commit_titled, developer, forge, open, wanted};
use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer, TestUser};

#[testkit::story]
async fn numbers_beside_others_leave_hidden_ones_out(t: TestServer) {
    let scene = scene(&t).await;
    let admin = t.admin();
    let hidden = admin.get(scene.forge.at("/merge_requests/2")).await.is(200).json();
    let sha = hidden["sha"].as_str().expect("a head");
    let of_commit = scene.forge.at(&format!("/repository/commits/{sha}/merge_requests"));
    let found = "/search?scope=merge_requests&search=merge";
    let counted = async |client: &Client| {
        let brought = client.get(&of_commit).await.is(200);
        let count = brought.each("iid").len();
        assert_eq!(brought.header("x-total"), count.to_string(), "{brought:?}");
        (count, client.get(found).await.is(200).each("iid").len())
    };
    assert_eq!(counted(&admin).await, (1, 4));
    // Of the vault smith sees one, and nothing of who was banned.
    assert_eq!(counted(&scene.smith).await, (0, 3));
    for user in scene.strangers() {
        let name = &user.username;
        assert_eq!(counted(user).await, (0, 2), "{name}");
        let browser = t.browser(name).await;
        let page = browser.get("/acme/forge/-/issues").await.is(200).text();
        let beside = "<span>Merge requests</span> <span class=\"tally\">2</span>";
        assert!(page.contains(beside), "{name}: {page}");
        let page = browser.get("/groups/acme/-/merge_requests").await.is(200).text();
        assert!(page.contains("Open <span class=\"tally\">2</span>"), "{name}: {page}");
    }
}

/// Merge requests of smith's that jane wrote about for few, and that hidden things name.
async fn whispered(t: &TestServer) -> (TestProject, TestUser) {
    let project = forge(t).await;
    let (smith, jane) =
        (developer(t, &project, "smith").await, developer(t, &project, "jane").await);
    commit(t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    let at = |rest: &str| project.at(&format!("/merge_requests/1{rest}"));
    smith.post(at("/notes")).json(&json!({"body": "Plain"})).await.is(201);
    let internal = json!({"body": "psst", "internal": true});
    for rest in ["/notes", "/discussions"] {
        jane.post(at(rest)).json(&internal).await.is(201);
    }
    let vault = t.project("acme/vault").await;
    commit(t, &vault, "main", "README.md", "x\n").await;
    commit(t, &vault, "gold", "gold.txt", "x\n").await;
    let mut names = wanted("gold");
    names["description"] = json!("See acme/forge!1");
    t.admin().post(vault.at("/merge_requests")).json(&names).await.is(201);
    let issue = json!({"title": "Osprey", "confidential": true, "description": "See !1"});
    t.admin().post(project.at("/issues")).json(&issue).await.is(201);
    t.settle().await;
    (project, smith)
}

#[testkit::story]
async fn what_few_may_read_is_counted_for_few(t: TestServer) {
    let (project, smith) = whispered(&t).await;
    let reader = t.user("reader").await;
    let at = |rest: &str| project.at(&format!("/merge_requests/1{rest}"));
    let total = async |client: &Client, path: String| {
        let list = client.get(path).await.is(200);
        let count = list.json().as_array().map_or(0, Vec::len);
        assert_eq!(list.header("x-total"), count.to_string(), "{list:?}");
        count
    };
    for (user, notes, threads) in [(&reader, 1, 0), (&smith, 3, 1)] {
        let name = &user.username;
        let shown = user.get(at("")).await.is(200).json();
        assert_eq!(shown["user_notes_count"], notes, "{name}");
        let listed = user.get(project.at("/merge_requests")).await.is(200);
        assert_eq!(listed.each("user_notes_count"), [notes], "{name}");
        let told = one(user, "userNotesCount resolvableDiscussionsCount").await;
        let expected = json!({"userNotesCount": notes, "resolvableDiscussionsCount": threads});
        assert_eq!(told, expected, "{name}");
        let comments = total(user, at("/notes?activity_filter=only_comments")).await;
        assert_eq!(comments, notes, "{name}");
        let browser = t.browser(name).await;
        let page = browser.get("/acme/forge/-/merge_requests/1").await.is(200).text();
        let tab = format!("Conversation <span class=\"tally\">{notes}</span>");
        assert!(page.contains(&tab), "{name}: {page}");
        let page = browser.get("/acme/forge/-/merge_requests").await.is(200).text();
        let word = if notes == 1 { "comment" } else { "comments" };
        assert!(page.contains(&format!("{notes}<span class=\"hush\"> {word}")), "{name}: {page}");
    }
    // What names it is hidden, and so are those who wrote for few.
    let people = async |user: &TestUser| {
        let people = user.get(at("/participants")).await.is(200).each("username");
        let nodes = one(user, "participants{nodes{username}}").await;
        let nodes = nodes["participants"]["nodes"].as_array().cloned().unwrap_or_default();
        let named: Vec<Value> = nodes.iter().map(|node| node["username"].clone()).collect();
        (people, named)
    };
    assert_eq!(people(&reader).await, (vec![json!("smith")], vec![json!("smith")]));
    assert!(people(&smith).await.0.contains(&json!("jane")));
    assert_eq!(total(&reader, at("/notes")).await, 1);
    assert_eq!(total(&reader, at("/discussions")).await, 1);
    assert!(total(&t.admin(), at("/notes")).await >= 5);
}

/// Everything that mails tell of a merge request, done by somebody.
async fn goes_on(t: &TestServer, keeper: &TestUser, vault: &TestProject, names: &str) {
    let one = |rest: &str| vault.at(&format!("/merge_requests/1{rest}"));
    let note = json!({"body": format!("Kestrel {names}")});
    keeper.post(one("/notes")).json(&note).await.is(201);
    let thread = keeper.post(one("/discussions")).json(&note).await.is(201).json();
    let thread = one(&format!("/discussions/{}", thread["id"].as_str().expect("an id")));
    keeper.put(thread).json(&json!({"resolved": true})).await.is(200);
    for change in [
        json!({"title": "Draft: Kestrel"}),
        json!({"title": "Kestrel", "description": names}),
        json!({"add_labels": "iron"}),
        json!({"assignee_ids": [keeper.id]}),
        json!({"state_event": "close"}),
        json!({"state_event": "reopen"}),
    ] {
        keeper.put(one("")).json(&change).await.is(200);
        t.settle().await;
    }
    commit(t, vault, "kestrel", "more.txt", "x\n").await;
    t.settle().await;
    for rest in ["/approve", "/unapprove"] {
        keeper.post(one(rest)).await.is(201);
    }
    keeper.put(one("/merge")).await.is(200);
    t.settle().await;
}

#[testkit::story]
async fn who_lost_sight_of_it_is_told_nothing_more(t: TestServer) {
    let vault = t.project_with("acme/vault", "public").await;
    commit(&t, &vault, "main", "README.md", "x\n").await;
    commit(&t, &vault, "kestrel", "kestrel.txt", "x\n").await;
    let keeper = t.user("keeper").await;
    vault.add(&keeper, 40).await;
    let [stays, left, demoted, blocked] = [
        developer(&t, &vault, "stays").await,
        developer(&t, &vault, "left").await,
        developer(&t, &vault, "demoted").await,
        developer(&t, &vault, "blocked").await,
    ];
    let outsider = t.user("outsider").await;
    let mut body = wanted("kestrel");
    body["assignee_ids"] = json!([demoted.id, blocked.id]);
    body["reviewer_ids"] = json!([stays.id, left.id]);
    left.post(vault.at("/merge_requests")).json(&body).await.is(201);
    let subscribe = vault.at("/merge_requests/1/subscribe");
    let watch = json!({"level": "watch"});
    for user in [&stays, &demoted, &outsider] {
        user.post(&subscribe).await;
        let settings = vault.at("/notification_settings");
        user.put(settings).json(&watch).await.is(200);
    }
    t.settle().await;

    let admin = t.admin();
    let private = json!({"visibility": "private"});
    admin.put(vault.at("")).json(&private).await.is(200);
    let member = |user: &TestUser| vault.at(&format!("/members/{}", user.id));
    admin.delete(member(&left)).await.is(204);
    let guest = json!({"access_level": 10});
    admin.put(member(&demoted)).json(&guest).await.is(200);
    admin.post(format!("/users/{}/block", blocked.id)).await.is(201);
    t.settle().await;
    let known = t.app().mailer().sent().len();
    let names = "@stays @left @demoted @blocked @outsider";
    goes_on(&t, &keeper, &vault, names).await;

    let sent = t.app().mailer().sent().split_off(known);
    let about: Vec<&str> = sent
        .iter()
        .filter(|mail| mail.subject.contains("(!1)"))
        .map(|mail| mail.to.as_str())
        .collect();
    assert!(about.len() >= 8, "{about:?}");
    // The keeper is assigned when an administrator pushes.
    let sees = |to: &&str| ["stays@example.com", "keeper@example.com"].contains(to);
    assert!(about.iter().all(sees), "{about:?}");
    for user in [&left, &demoted, &outsider] {
        let name = &user.username;
        let todos = user.get("/todos").await.is(200).json();
        assert_eq!(todos, json!([]), "{name}");
        let events = user.get("/events?target_type=merge_request").await.is(200).json();
        assert_eq!(events, json!([]), "{name}");
    }
}

/// A text that names a hidden merge request in each way, by one who sees it, and its pages.
async fn named(t: &TestServer, project: &TestProject, keeper: &TestUser) -> Vec<String> {
    let base = t.app().base_url().to_owned();
    let text = format!("See acme/vault!1, {base}/acme/vault/-/merge_requests/1 and more");
    commit(t, project, "anvil", "anvil.txt", "x\n").await;
    let mut request = wanted("anvil");
    request["description"] = json!(text);
    let mut pages = Vec::new();
    for (path, body) in [
        ("/issues", json!({"title": "Light", "description": text})),
        ("/merge_requests", request),
        ("/milestones", json!({"title": "May", "description": text})),
        (
            "/snippets",
            json!({"title": "Oil", "file_name": "a.txt", "content": "x",
                "visibility": "public", "description": text}),
        ),
    ] {
        let made = keeper.post(project.at(path)).json(&body).await.is(201).json();
        let url = made["web_url"].as_str().expect("a page");
        pages.push(url.strip_prefix(&base).expect("one of ours").to_owned());
    }
    for path in ["/issues/1/notes", "/merge_requests/1/notes"] {
        keeper.post(project.at(path)).json(&json!({"body": text})).await.is(201);
    }
    let release = json!({"tag_name": "v1", "ref": "main", "description": text});
    keeper.post(project.at("/releases")).json(&release).await.is(201);
    let wiki = json!({"title": "home", "content": text});
    keeper.post(project.at("/wikis")).json(&wiki).await.is(201);
    commit_titled(t, project, ("main", "oil.txt", "x\n"), "Oil as acme/vault!1").await;
    let main = keeper.get(project.at("/repository/branches/main")).await.is(200).json();
    let sha = main["commit"]["id"].as_str().expect("a head");
    pages.push(format!("/acme/forge/-/commit/{sha}"));
    pages.push("/acme/forge/-/releases/v1".to_owned());
    pages.push("/acme/forge/-/wikis/home".to_owned());
    t.settle().await;
    pages
}

#[testkit::story]
async fn texts_of_every_kind_tell_no_title_of_what_is_hidden(t: TestServer) {
    let project = forge(&t).await;
    let vault = t.project("acme/vault").await;
    commit(&t, &vault, "main", "README.md", "x\n").await;
    commit(&t, &vault, "kestrel", "kestrel.txt", "x\n").await;
    open(&t.admin(), &vault, "kestrel").await;
    let (keeper, reader) = (t.user("keeper").await, t.user("reader").await);
    for place in [&project, &vault] {
        place.add(&keeper, 40).await;
    }
    let watch = json!({"level": "watch"});
    let settings = project.at("/notification_settings");
    reader.put(settings).json(&watch).await.is(200);

    let pages = named(&t, &project, &keeper).await;

    let (insider, outsider) = (t.browser("keeper").await, t.browser("reader").await);
    for page in pages {
        let seen = insider.get(&page).await.is(200).text();
        assert!(seen.contains("title=\"Merge kestrel\""), "{page}: {seen}");
        let seen = outsider.get(&page).await.is(200).text();
        assert!(seen.contains("acme/vault!1") && !seen.contains("kestrel"), "{page}: {seen}");
    }
    let mails = t.app().mailer().sent();
    let told: Vec<_> = mails.iter().filter(|mail| mail.to == "reader@example.com").collect();
    assert!(told.len() >= 3, "{mails:?}");
    for mail in told {
        let html = mail.html.as_deref().unwrap_or_default();
        assert!(!html.contains("kestrel") && !mail.text.contains("kestrel"), "{mail:?}");
    }
}
