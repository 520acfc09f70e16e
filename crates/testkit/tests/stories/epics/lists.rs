//! Lists of epics: filters, order, groups above and below.

use super::{made, several};
use serde_json::{Value, json};
use testkit::{Client, TestServer};

async fn titles(client: &Client, path: &str) -> Vec<Value> {
    client.get(path).await.is(200).each("title")
}

#[testkit::story(noon)]
async fn epics_are_listed_as_they_are_asked_for(t: TestServer) {
    let group = t.group("acme").await;
    let (jane, admin) = (t.user("jane").await, t.admin());
    group.add(&jane, 30).await;
    made(
        &admin,
        &group,
        json!({"title": "b", "labels": "bug,late", "description": "Ünder"}),
    )
    .await;
    t.advance(60);
    made(&jane, &group, json!({"title": "a", "labels": "bug"})).await;
    t.advance(60);
    made(&jane, &group, json!({"title": "c", "confidential": true})).await;
    jane.put(group.at("/epics/2?state_event=close")).await.is(200);
    jane.post(group.at("/epics/1/award_emoji?name=rocket")).await.is(201);
    let me = jane.id;
    for (query, expected) in [
        ("", vec!["c", "a", "b"]),
        ("?sort=asc", vec!["b", "a", "c"]),
        ("?order_by=title", vec!["c", "b", "a"]),
        ("?order_by=title&sort=asc", vec!["a", "b", "c"]),
        ("?order_by=updated_at", vec!["c", "a", "b"]),
        ("?state=opened", vec!["c", "b"]),
        ("?state=closed", vec!["a"]),
        ("?state=all", vec!["c", "a", "b"]),
        ("?search=üNDER", vec!["b"]),
        ("?search=A", vec!["a"]),
        ("?author_username=JANE", vec!["c", "a"]),
        (&format!("?author_id={me}"), vec!["c", "a"]),
        (&format!("?not[author_id]={me}"), vec!["b"]),
        ("?not[author_username]=jane", vec!["b"]),
        ("?labels=bug", vec!["a", "b"]),
        ("?labels=bug,late", vec!["b"]),
        ("?labels=Any", vec!["a", "b"]),
        ("?labels=None", vec!["c"]),
        ("?not[labels]=late", vec!["c", "a"]),
        ("?confidential=true", vec!["c"]),
        ("?confidential=false", vec!["a", "b"]),
        ("?my_reaction_emoji=rocket", vec!["b"]),
        ("?my_reaction_emoji=Any", vec!["b"]),
        ("?my_reaction_emoji=None", vec!["c", "a"]),
        ("?my_reaction_emoji=tada", vec![]),
        ("?created_after=2100-01-01", vec![]),
        ("?created_before=2100-01-01&updated_after=2000-01-01", vec!["c", "a", "b"]),
        ("?updated_before=2000-01-01", vec![]),
        ("?per_page=1&page=2", vec!["a"]),
        ("?iids=1&colour=red", vec!["c", "a", "b"]),
    ] {
        let listed = titles(&jane, &group.at(&format!("/epics{query}"))).await;
        assert_eq!(listed, expected, "{query}");
    }
    let details = jane.get(group.at("/epics?labels=late&with_labels_details=true")).await.is(200);
    let label = &details.json()[0]["labels"][0];
    for field in ["id", "name", "color", "description", "description_html", "text_color"] {
        assert!(label.get(field).is_some(), "{field}: {label}");
    }
    let both = jane.get(group.at("/epics?author_id=1&author_username=root")).await.is(400);
    assert!(both.text().contains("author_id, author_username are mutually exclusive"));
    for query in ["?state=burning", "?order_by=colour", "?sort=up", "?created_after=soon"] {
        jane.get(group.at(&format!("/epics{query}"))).await.is(400);
    }
    assert_eq!(titles(&jane, &group.at("/-/epics?labels=late")).await, ["b"]);
}

#[testkit::story]
async fn groups_above_and_below_are_listed_as_asked(t: TestServer) {
    let (top, middle) = (t.group("acme").await, t.group("acme/tools").await);
    let below = t.group("acme/tools/small").await;
    let admin = t.admin();
    several(&admin, &top, &["top"]).await;
    several(&admin, &middle, &["middle"]).await;
    several(&admin, &below, &["below"]).await;
    for (query, expected) in [
        ("", vec!["below", "middle"]),
        ("?include_descendant_groups=false", vec!["middle"]),
        ("?include_ancestor_groups=true", vec!["below", "middle", "top"]),
        (
            "?include_ancestor_groups=true&include_descendant_groups=false",
            vec!["middle", "top"],
        ),
    ] {
        let listed = titles(&admin, &middle.at(&format!("/epics{query}"))).await;
        assert_eq!(listed, expected, "{query}");
    }
    // Named whole where it is of another group than the one that was asked.
    let listed = admin.get(middle.at("/epics")).await.is(200).each("references");
    assert_eq!(listed[0]["relative"], "acme/tools/small&1");
    assert_eq!(listed[1]["relative"], "&1");
}

#[testkit::story]
async fn epics_are_events_only_where_they_are_asked_for(t: TestServer) {
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    group.add(&jane, 30).await;
    made(&jane, &group, json!({"title": "Ship it"})).await;
    jane.put(group.at("/epics/1?state_event=close")).await.is(200);
    assert_eq!(jane.get("/events?target_type=issue").await.is(200).json(), json!([]));
    let usual = jane.get("/events").await.is(200).each("target_type");
    assert!(!usual.contains(&json!("Epic")), "{usual:?}");
    let asked = jane.get("/events?target_type=epic").await.is(200);
    assert_eq!(asked.each("action_name"), [json!("closed"), json!("opened")]);
    assert_eq!(asked.each("target_title"), [json!("Ship it"), json!("Ship it")]);
    assert_eq!(asked.each("target_iid"), [json!(1), json!(1)]);
    jane.put(group.at("/epics/1?confidential=true")).await.is(200);
    let guest = t.user("guest").await;
    group.add(&guest, 10).await;
    let seen = guest.get(format!("/users/{}/events?target_type=epic", jane.id)).await.is(200);
    assert_eq!(seen.json(), json!([]));
}
