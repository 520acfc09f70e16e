//! Threads of issues that are resolved and opened again.

use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer, TestUser};

/// A project with an issue of a reporter, and people who may less.
struct Setting {
    project: TestProject,
    /// Reporter.
    jane: TestUser,
    /// Guests.
    joe: TestUser,
    ann: TestUser,
}

impl Setting {
    async fn new(t: &TestServer) -> Setting {
        let project = t.project("acme/anvil").await;
        let (jane, joe, ann) = (t.user("jane").await, t.user("joe").await, t.user("ann").await);
        project.add(&jane, 20).await;
        project.add(&joe, 10).await;
        project.add(&ann, 10).await;
        jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
        Setting { project, jane, joe, ann }
    }

    /// A thread of somebody; its path.
    async fn thread(&self, by: &Client, text: &str) -> String {
        let all = self.project.at("/issues/1/discussions");
        let begun = by.post(&all).json(&json!({"body": text})).await.is(201).json();
        format!("{all}/{}", begun["id"].as_str().expect("an id"))
    }
}

async fn resolve(by: &Client, thread: &str, is_resolved: bool, status: u16) -> Value {
    // Clients send it in the query, as this one does, or as JSON.
    by.put(format!("{thread}?resolved={is_resolved}")).await.is(status).json()
}

#[testkit::story(noon)]
async fn a_thread_is_resolved_and_opened_again(t: TestServer) {
    let here = Setting::new(&t).await;
    let thread = here.thread(&here.joe, "Which oil?").await;
    let open = here.jane.get(&thread).await.is(200).json();
    assert_eq!((&open["resolvable"], &open["resolved"]), (&json!(true), &json!(false)));
    let note = &open["notes"][0];
    assert_eq!((&note["resolvable"], &note["resolved"]), (&json!(true), &json!(false)));
    assert!(note["resolved_by"].is_null() && note["resolved_at"].is_null(), "{note}");
    assert!(note.as_object().expect("a note").contains_key("resolved_at"));

    t.advance(60);
    let done = resolve(&here.jane, &thread, true, 200).await;
    assert_eq!(done["resolved"], true);
    let note = &done["notes"][0];
    assert_eq!(note["resolved_by"]["username"], "jane");
    assert_eq!(note["resolved_at"], "2031-05-06T12:01:00.000Z");
    assert_eq!(note["updated_at"], note["created_at"], "nobody wrote it anew");
    // Again changes nothing: it stays who it was.
    t.advance(60);
    let again = resolve(&t.admin(), &thread, true, 200).await;
    assert_eq!(again["notes"][0]["resolved_at"], "2031-05-06T12:01:00.000Z");
    assert_eq!(again["notes"][0]["resolved_by"]["username"], "jane");

    // What answers it leaves it resolved, whoever answers.
    let answer = json!({"body": "The brown one"});
    let answer = here.ann.post(format!("{thread}/notes")).json(&answer).await.is(201).json();
    assert_eq!((&answer["resolved"], &answer["resolvable"]), (&json!(true), &json!(true)));
    assert_eq!(answer["resolved_by"]["username"], "jane");
    // And so does taking away what began it.
    let first = format!("{thread}/notes/{}", done["notes"][0]["id"]);
    here.joe.delete(&first).await.is(204);
    let rest = here.jane.get(&thread).await.is(200).json();
    assert_eq!(
        (&rest["resolved"], rest["notes"].as_array().map(Vec::len)),
        (&json!(true), Some(1))
    );

    let reopened = here.jane.put(&thread).json(&json!({"resolved": false})).await.is(200).json();
    assert_eq!(reopened["resolved"], false);
    assert!(reopened["notes"][0]["resolved_by"].is_null(), "{reopened}");
    let listed = here.jane.get(here.project.at("/issues/1/discussions")).await.is(200).json();
    assert_eq!(listed[0]["resolved"], false);
    // The program tells nothing of it.
    let notes = here.jane.get(here.project.at("/issues/1/notes")).await.is(200);
    assert_eq!(notes.each("system"), [json!(false)]);
}

#[testkit::story]
async fn comments_alone_and_what_the_program_tells_are_not_resolved(t: TestServer) {
    let here = Setting::new(&t).await;
    let notes = here.project.at("/issues/1/notes");
    let alone = here.jane.post(&notes).json(&json!({"body": "alone"})).await.is(201).json();
    assert_eq!(alone["resolvable"], false);
    assert!(alone.get("resolved").is_none() && alone.get("resolved_by").is_none(), "{alone}");
    let rename = json!({"title": "Door"});
    here.jane.put(here.project.at("/issues/1")).json(&rename).await.is(200);
    let all = here.project.at("/issues/1/discussions");
    let listed = here.jane.get(&all).await.is(200);
    assert_eq!(listed.each("resolvable"), [json!(false), json!(false)]);
    assert!(listed.json()[0].get("resolved").is_none());
    for id in listed.each("id") {
        let one = format!("{all}/{}", id.as_str().expect("an id"));
        let refused = resolve(&here.jane, &one, true, 400).await;
        assert_eq!(refused["message"], "400 Bad request - Note is not resolvable");
    }
    // An answer makes a thread of a comment.
    let one = format!("{all}/{}", listed.json()[0]["id"].as_str().expect("an id"));
    here.joe.post(format!("{one}/notes")).json(&json!({"body": "no"})).await.is(201);
    assert_eq!(resolve(&here.jane, &one, true, 200).await["resolved"], true);
}

#[testkit::story]
async fn who_may_update_the_issue_or_began_the_thread_resolves_it(t: TestServer) {
    let here = Setting::new(&t).await;
    let outsider = t.user("outsider").await;
    let thread = here.thread(&here.joe, "Which oil?").await;
    resolve(&here.ann, &thread, true, 403).await;
    resolve(&here.joe, &thread, true, 200).await;
    resolve(&here.ann, &thread, false, 403).await;
    resolve(&here.jane, &thread, false, 200).await;
    resolve(&outsider, &thread, true, 404).await;
    t.anonymous().put(format!("{thread}?resolved=true")).await.is(401);
    here.jane.put(format!("{thread}?resolved=maybe")).await.is(400);
    here.jane.put(&thread).await.is(400);
    // Whoever made the issue may, guest or not.
    let mine = json!({"title": "Mine"});
    here.ann.post(here.project.at("/issues")).json(&mine).await.is(201);
    let all = here.project.at("/issues/2/discussions");
    let begun = here.joe.post(&all).json(&json!({"body": "so?"})).await.is(201).json();
    let other = format!("{all}/{}", begun["id"].as_str().expect("an id"));
    resolve(&here.ann, &other, true, 200).await;
    // Not by the way of another issue.
    let wrong = other.replace("/issues/2/", "/issues/1/");
    resolve(&here.jane, &wrong, false, 404).await;

    let hide = json!({"confidential": true});
    here.jane.put(here.project.at("/issues/1")).json(&hide).await.is(200);
    resolve(&here.joe, &thread, true, 404).await;
    resolve(&here.jane, &thread, true, 200).await;
    t.admin().post(here.project.at("/archive")).await.is(201);
    resolve(&here.jane, &thread, false, 403).await;
    assert_eq!(here.jane.get(&thread).await.is(200).json()["resolved"], true);
}

#[testkit::story]
async fn internal_threads_and_locked_issues_keep_their_rules(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (jane, stranger) = (t.user("jane").await, t.user("stranger").await);
    project.add(&jane, 20).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let all = project.at("/issues/1/discussions");
    let begun = stranger.post(&all).json(&json!({"body": "so?"})).await.is(201).json();
    let thread = format!("{all}/{}", begun["id"].as_str().expect("an id"));
    let psst = json!({"body": "psst", "internal": true});
    let psst = jane.post(&all).json(&psst).await.is(201).json();
    let hidden = format!("{all}/{}", psst["id"].as_str().expect("an id"));
    resolve(&stranger, &hidden, true, 404).await;
    resolve(&stranger, &thread, true, 200).await;
    let lock = json!({"discussion_locked": true});
    jane.put(project.at("/issues/1")).json(&lock).await.is(200);
    resolve(&stranger, &thread, false, 403).await;
    resolve(&jane, &thread, false, 200).await;
}

#[testkit::story]
async fn a_note_resolves_the_thread_it_stands_in(t: TestServer) {
    let here = Setting::new(&t).await;
    let thread = here.thread(&here.joe, "Which oil?").await;
    let answer = json!({"body": "brown"});
    let answer = here.ann.post(format!("{thread}/notes")).json(&answer).await.is(201).id();
    let one = format!("{thread}/notes/{answer}");
    let put = |by: &Client, body: Value| by.put(&one).json(&body);
    put(&here.ann, json!({"resolved": true})).await.is(403);
    let note = put(&here.jane, json!({"resolved": true})).await.is(200).json();
    assert_eq!((&note["resolved"], &note["body"]), (&json!(true), &json!("brown")));
    assert_eq!(here.jane.get(&thread).await.json()["resolved"], true);
    let neither = put(&here.ann, json!({})).await.is(400).json();
    assert_eq!(
        neither["error"],
        "body, resolved are missing, exactly one parameter must be provided"
    );
    let both = put(&here.ann, json!({"body": "b", "resolved": true})).await.is(400).json();
    assert_eq!(both["error"], "body, resolved are mutually exclusive");
    let written = put(&here.ann, json!({"body": "dark"})).await.is(200).json();
    assert_eq!((&written["body"], &written["resolved"]), (&json!("dark"), &json!(true)));
    let plain = here.project.at(&format!("/issues/1/notes/{answer}"));
    let note = here.jane.put(&plain).json(&json!({"resolved": false})).await.is(200).json();
    assert_eq!(note["resolved"], false);
    assert_eq!(here.jane.get(&thread).await.json()["resolved"], false);
}

#[testkit::story]
async fn of_two_at_once_one_is_told(t: TestServer) {
    let here = Setting::new(&t).await;
    let (thread, admin) = (here.thread(&here.joe, "Which oil?").await, t.admin());
    for _ in 0..8 {
        let (one, other, third) = tokio::join!(
            resolve(&here.jane, &thread, true, 200),
            resolve(&here.joe, &thread, true, 200),
            resolve(&admin, &thread, true, 200),
        );
        let winner = &here.jane.get(&thread).await.json()["notes"][0]["resolved_by"]["username"];
        for told in [one, other, third] {
            assert_eq!(&told["notes"][0]["resolved_by"]["username"], winner);
        }
        resolve(&here.jane, &thread, false, 200).await;
    }
}

#[testkit::story]
async fn a_copy_of_an_issue_has_its_threads_as_they_are(t: TestServer) {
    let here = Setting::new(&t).await;
    let there = t.project("acme/hammer").await;
    there.add(&here.jane, 20).await;
    let settled = here.thread(&here.jane, "Which oil?").await;
    here.jane
        .post(format!("{settled}/notes"))
        .json(&json!({"body": "no"}))
        .await
        .is(201);
    here.thread(&here.jane, "Which door?").await;
    resolve(&here.jane, &settled, true, 200).await;
    let to = json!({"to_project_id": there.id});
    here.jane.post(here.project.at("/issues/1/move")).json(&to).await.is(201);
    let listed = here.jane.get(there.at("/issues/1/discussions")).await.is(200).json();
    let all = listed
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| one["resolvable"] == true);
    let told: Vec<_> = all.map(|one| (&one["resolved"], &one["notes"][0]["body"])).collect();
    let expected = [(&json!(true), &json!("Which oil?")), (&json!(false), &json!("Which door?"))];
    assert_eq!(told, expected);
}

async fn ask(client: &Client, query: &str) -> Value {
    let to = client.request(http::Method::POST, "/api/graphql");
    to.json(&json!({"query": query})).await.is(200).json()
}

#[testkit::story]
async fn graphql_tells_and_toggles_the_same(t: TestServer) {
    let here = Setting::new(&t).await;
    let thread = here.thread(&here.joe, "Which oil?").await;
    here.ann
        .post(format!("{thread}/notes"))
        .json(&json!({"body": "brown"}))
        .await
        .is(201);
    here.jane
        .post(here.project.at("/issues/1/notes"))
        .json(&json!({"body": "alone"}))
        .await
        .is(201);
    let id = thread.rsplit('/').next().expect("an id").to_owned();
    let fields = "resolvable resolved resolvedBy { username } resolvedAt";
    let toggle = |on: bool| {
        format!(
            "mutation {{ discussionToggleResolve(input: {{id: \"gid://service/Discussion/{id}\", \
             resolve: {on}}}) {{ discussion {{ {fields} notes {{ nodes {{ {fields} }} }} }} errors }} }}"
        )
    };
    let refused = ask(&here.ann, &toggle(true)).await;
    assert!(refused["data"]["discussionToggleResolve"].is_null(), "{refused}");
    assert!(
        refused["errors"][0]["message"]
            .as_str()
            .is_some_and(|it| it.contains("permission"))
    );
    let done = ask(&here.joe, &toggle(true)).await;
    let done = &done["data"]["discussionToggleResolve"];
    assert_eq!(done["errors"], json!([]));
    let by_joe = |it: &Value| {
        it["resolved"] == true
            && it["resolvable"] == true
            && !it["resolvedAt"].is_null()
            && it["resolvedBy"]["username"] == "joe"
    };
    assert!(by_joe(&done["discussion"]), "{done}");
    let notes = done["discussion"]["notes"]["nodes"].as_array().expect("notes").clone();
    assert!(notes.len() == 2 && notes.iter().all(by_joe), "{notes:?}");
    assert_eq!(here.jane.get(&thread).await.json()["resolved"], true);

    let all = format!(
        "{{ project(fullPath: \"acme/anvil\") {{ issue(iid: \"1\") {{
            discussions {{ nodes {{ {fields} }} }}
            notes {{ nodes {{ {fields} userPermissions {{ resolveNote }} }} }} }} }} }}"
    );
    for (by, may) in [(&here.jane, true), (&here.joe, true), (&here.ann, false)] {
        let issue = ask(by, &all).await["data"]["project"]["issue"].clone();
        let told: Vec<&Value> =
            issue["discussions"]["nodes"].as_array().expect("some").iter().collect();
        assert!(by_joe(told[0]), "{issue}");
        assert_eq!((&told[1]["resolvable"], &told[1]["resolved"]), (&json!(false), &json!(false)));
        let may_resolve =
            |at: usize| &issue["notes"]["nodes"][at]["userPermissions"]["resolveNote"];
        assert_eq!([may_resolve(0), may_resolve(1)], [&json!(may); 2]);
        assert_eq!(may_resolve(2), &json!(false), "a comment alone");
    }
    let open = ask(&here.jane, &toggle(false)).await;
    let open = &open["data"]["discussionToggleResolve"]["discussion"];
    assert_eq!((&open["resolved"], &open["resolvedBy"]), (&json!(false), &Value::Null));
    // What is hidden is as if it were not.
    let outsider = t.user("outsider").await;
    let hidden = ask(&outsider, &toggle(true)).await["errors"][0]["message"].clone();
    let absent = ask(&outsider, &toggle(true).replace(&id, &"0".repeat(40))).await;
    assert_eq!(hidden, absent["errors"][0]["message"]);
}
