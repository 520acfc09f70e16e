//! What is said about snippets, and what is told of them.

use super::{at, made};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn people_write_and_react(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (ada, bob) = (t.user("ada").await, t.user("bob").await);
    project.add(&ada, 30).await;
    for project in [None, Some(&project)] {
        let snippet = made(&ada, project, "public").await;
        let path = |rest: &str| at(project, &snippet, rest);
        let body = json!({"body": "Nice, @ada"});
        let note = bob.post(path("/notes")).json(&body).await.is(201).json();
        assert_eq!(
            (&note["noteable_type"], &note["noteable_id"]),
            (&json!("Snippet"), &snippet["id"])
        );
        assert_eq!(note["project_id"], snippet["project_id"]);
        assert_eq!(t.anonymous().get(path("/notes")).await.is(200).json(), json!([note]));
        let one = path(&format!("/notes/{}", note["id"]));
        ada.put(&one).json(&json!({"body": "Mine"})).await.is(if project.is_some() {
            403
        } else {
            200
        });
        bob.put(&one).json(&json!({"body": "Better"})).await.is(200);
        t.anonymous().post(path("/notes")).json(&body).await.is(401);
        let secret = json!({"body": "x", "internal": true});
        ada.post(path("/notes")).json(&secret).await.is(403);

        let thread = bob.post(path("/discussions")).json(&body).await.is(201).json();
        let answer =
            path(&format!("/discussions/{}/notes", thread["id"].as_str().unwrap_or_default()));
        ada.post(&answer).json(&json!({"body": "Thanks"})).await.is(201);
        assert_eq!(bob.get(path("/discussions")).await.is(200).each("id").len(), 2);

        let award = json!({"name": "rocket"});
        let given = bob.post(path("/award_emoji")).json(&award).await.is(201).json();
        assert_eq!(
            (&given["awardable_type"], &given["awardable_id"]),
            (&json!("Snippet"), &snippet["id"])
        );
        bob.post(path("/award_emoji")).json(&award).await.is(404);
        let on_note = path(&format!("/notes/{}/award_emoji", note["id"]));
        bob.post(&on_note).json(&award).await.is(201);
        bob.delete(path(&format!("/award_emoji/{}", given["id"]))).await.is(204);

        let todos = ada.get("/todos?type=Snippet").await;
        if todos.status == 200 {
            assert!(!todos.each("id").is_empty(), "{todos:?}");
        }
        ada.delete(path("")).await.is(204);
        bob.get(path("/notes")).await.is(404);
    }
}

#[testkit::story]
async fn events_tell_of_snippets_to_who_sees_them(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (ada, bob) = (t.user("ada").await, t.user("bob").await);
    project.add(&ada, 30).await;
    let open = made(&ada, Some(&project), "public").await;
    let hidden = made(&ada, Some(&project), "private").await;
    let own = made(&ada, None, "public").await;
    for (project, snippet) in [(Some(&project), &hidden), (Some(&project), &open), (None, &own)] {
        let note = json!({"body": "Said"});
        ada.post(at(project, snippet, "/notes")).json(&note).await.is(201);
    }
    let told = |events: &Value| -> Vec<String> {
        let all = events.as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        all.iter()
            .map(|one| format!("{} {}", text(&one["action_name"]), text(&one["target_type"])))
            .collect()
    };
    let of_project = project.at("/events?target_type=snippet");
    assert_eq!(told(&bob.get(&of_project).await.is(200).json()), ["opened Snippet"]);
    assert_eq!(told(&ada.get(&of_project).await.is(200).json()).len(), 2);
    let notes = project.at("/events?target_type=note");
    assert_eq!(told(&bob.get(&notes).await.is(200).json()), ["commented on Note"]);
    assert_eq!(told(&ada.get(&notes).await.is(200).json()).len(), 2);
    let of_ada = format!("/users/{}/events", ada.id);
    let seen = bob.get(format!("{of_ada}?target_type=snippet")).await.is(200).json();
    assert_eq!(seen.as_array().map(Vec::len), Some(2), "{seen}");
    let personal = seen
        .as_array()
        .and_then(|all| all.iter().find(|one| one["project_id"].is_null()));
    assert_eq!(personal.map(|one| &one["target_title"]), Some(&json!("Greeting")));
    let page = t.browser("bob").await.get("/ada").await.is(200).text();
    assert!(page.contains(&format!("/-/snippets/{}", own["id"])), "{page}");
    ada.delete(at(None, &own, "")).await.is(204);
    let seen = bob.get(format!("{of_ada}?target_type=snippet")).await.is(200).json();
    assert_eq!(seen.as_array().map(Vec::len), Some(1), "{seen}");
}
