//! Related epic links.

use super::{made, several};
use serde_json::{Value, json};
use testkit::{Client, Reply, TestGroup, TestServer};

async fn link(
    client: &Client, (group, iid): (&TestGroup, i64), (there, other): (&TestGroup, i64), kind: &str,
) -> Reply {
    let body = json!({"target_group_id": there.id, "target_epic_iid": other, "link_type": kind});
    let path = group.at(&format!("/epics/{iid}/related_epics"));
    client.post(path).json(&body).await
}

#[testkit::story]
async fn a_link_is_seen_from_both_ends(t: TestServer) {
    let (group, below) = (t.group("acme").await, t.group("acme/tools").await);
    let admin = t.admin();
    several(&admin, &group, &["a", "b"]).await;
    several(&admin, &below, &["c"]).await;

    let blocked = link(&admin, (&group, 1), (&group, 2), "is_blocked_by").await.is(201).json();
    let body = json!({"target_group_id": "acme/tools", "target_epic_iid": 1});
    let related = admin.post(group.at("/epics/1/related_epics")).json(&body).await.is(201).json();

    // Stored the other way round.
    assert_eq!(
        (&blocked["source_epic"]["title"], &blocked["target_epic"]["title"]),
        (&json!("b"), &json!("a"))
    );
    assert_eq!(blocked["link_type"], "blocks");
    assert_eq!(related["link_type"], "relates_to");
    assert_eq!(related["target_epic"]["references"]["full"], "acme/tools&1");
    for field in ["id", "created_at", "updated_at"] {
        assert!(!blocked[field].is_null(), "{field}");
    }
    let from_a = admin.get(group.at("/epics/1/related_epics")).await.is(200);
    assert_eq!(from_a.each("title"), ["b", "c"]);
    assert_eq!(from_a.each("link_type"), ["is_blocked_by", "relates_to"]);
    assert_eq!(
        from_a.each("related_epic_link_id"),
        [blocked["id"].clone(), related["id"].clone()]
    );
    assert!(from_a.json()[0]["link_created_at"].is_string());
    assert!(from_a.json()[0]["link_updated_at"].is_string());
    let from_b = admin.get(group.at("/epics/2/related_epics")).await.is(200);
    assert_eq!(from_b.each("link_type"), ["blocks"]);
    let told = admin.get(group.at("/epics/1/notes?sort=asc")).await.is(200).each("body");
    assert_eq!(
        told,
        [
            "marked this epic as blocked by &2",
            "marked this epic as related to acme/tools&1"
        ]
    );
    // A blocked epic may be closed.
    admin.put(group.at("/epics/1?state_event=close")).await.is(200);

    let gone = group.at(&format!("/epics/1/related_epics/{}", blocked["id"]));
    assert_eq!(admin.delete(&gone).await.is(200).json()["id"], blocked["id"]);
    assert_eq!(admin.delete(&gone).await.is(404).json()["message"], "404 Not found");
    assert_eq!(admin.get(group.at("/epics/2/related_epics")).await.is(200).json(), json!([]));
    // Of another epic.
    let foreign = group.at(&format!("/epics/2/related_epics/{}", related["id"]));
    admin.delete(foreign).await.is(404);
}

#[testkit::story(noon)]
async fn links_of_a_group_are_filtered_by_their_times(t: TestServer) {
    let (group, below) = (t.group("acme").await, t.group("acme/tools").await);
    let admin = t.admin();
    several(&admin, &group, &["a", "b"]).await;
    several(&admin, &below, &["c", "d"]).await;
    link(&admin, (&group, 1), (&group, 2), "relates_to").await.is(201);
    t.advance(60);
    let late = t.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    link(&admin, (&below, 1), (&below, 2), "blocks").await.is(201);

    let types = async |group: &TestGroup, query: &str| {
        let path = group.at(&format!("/related_epic_links{query}"));
        admin.get(path).await.is(200).each("link_type")
    };
    assert_eq!(types(&group, "").await, ["relates_to", "blocks"]);
    assert_eq!(types(&below, "").await, ["blocks"]);
    for name in ["created", "updated"] {
        // At or after, at or before.
        assert_eq!(types(&group, &format!("?{name}_after={late}")).await, ["blocks"]);
        let all = ["relates_to", "blocks"];
        assert_eq!(types(&group, &format!("?{name}_before={late}")).await, all);
        assert_eq!(types(&group, &format!("?{name}_after=2100-01-01T00:00:00Z")).await, [""; 0]);
    }
    assert_eq!(types(&group, "?per_page=1&page=2").await, ["blocks"]);
    admin.get(group.at("/related_epic_links?created_after=soon")).await.is(400);
}

#[testkit::story]
async fn pairs_are_linked_once_and_never_in_a_circle(t: TestServer) {
    let group = t.group("acme").await;
    let admin = t.admin();
    several(&admin, &group, &["a", "b", "c"]).await;
    let both = async |from: i64, to: i64, kind: &str| {
        link(&admin, (&group, from), (&group, to), kind).await
    };
    both(1, 2, "blocks").await.is(201);
    for (from, to, kind) in [(1, 2, "blocks"), (2, 1, "relates_to"), (2, 1, "blocks")] {
        let again = both(from, to, kind).await.is(409);
        assert_eq!(again.json(), json!({"message": "Epic(s) already assigned"}));
    }
    both(2, 3, "blocks").await.is(201);
    both(3, 1, "blocks").await.is(422);
    both(1, 3, "is_blocked_by").await.is(422);
    both(3, 1, "relates_to").await.is(201);
    let own = both(1, 1, "relates_to").await.is(422).json();
    assert_eq!(own["message"], "&1 cannot be added: cannot be related to itself");
    let unknown = both(1, 99, "blocks").await.is(404);
    assert_eq!(unknown.json()["message"], "404 Not found");
    both(1, 3, "envies").await.is(400);
    let path = group.at("/epics/1/related_epics");
    for (body, field) in [
        (json!({"target_group_id": group.id}), "target_epic_iid"),
        (json!({"target_epic_iid": 2}), "target_group_id"),
    ] {
        let missing = admin.post(&path).json(&body).await.is(400).json();
        assert_eq!(missing["error"], format!("{field} is missing"));
    }
    let nowhere = json!({"target_group_id": 99_999, "target_epic_iid": 1});
    let refused = admin.post(&path).json(&nowhere).await.is(404);
    assert_eq!(refused.json()["message"], "404 Group Not Found");
}

#[testkit::story]
async fn only_members_of_both_groups_link(t: TestServer) {
    let (open, other) = (t.group("plaza").await, t.group("market").await);
    let vault = t.group("vault").await;
    let admin = t.admin();
    for group in [&open, &other] {
        admin.put(group.at("?visibility=public")).await.is(200);
        several(&admin, group, &["a"]).await;
    }
    several(&admin, &vault, &["secret"]).await;
    made(&admin, &other, json!({"title": "hidden", "confidential": true})).await;
    let (guest, stranger) = (t.user("guest").await, t.user("stranger").await);
    open.add(&guest, 10).await;

    assert_eq!(link(&t.anonymous(), (&open, 1), (&other, 1), "blocks").await.status, 401);
    link(&stranger, (&open, 1), (&other, 1), "blocks").await.is(403);
    let refused = link(&guest, (&open, 1), (&other, 1), "blocks").await.is(403);
    assert_eq!(
        refused.json()["message"],
        "Could not link epics. You must be a member of the project or group of both epics."
    );
    let hidden = link(&guest, (&open, 1), (&vault, 1), "blocks").await.is(404);
    assert_eq!(hidden.json()["message"], "404 Group Not Found");
    other.add(&guest, 10).await;
    link(&guest, (&open, 1), (&other, 2), "blocks").await.is(403);
    let made = link(&guest, (&open, 1), (&other, 1), "blocks").await.is(201).json();

    // A stranger reads it, and takes nothing away.
    let one = open.at(&format!("/epics/1/related_epics/{}", made["id"]));
    let listed = t.anonymous().get(open.at("/epics/1/related_epics")).await.is(200);
    assert_eq!(listed.each("title"), ["a"]);
    assert_eq!(t.anonymous().delete(&one).await.status, 401);
    stranger.delete(&one).await.is(403);
    guest.delete(&one).await.is(200);
}

#[testkit::story]
async fn hidden_ends_are_nowhere_to_be_seen(t: TestServer) {
    let (open, vault) = (t.group("plaza").await, t.group("vault").await);
    let admin = t.admin();
    admin.put(open.at("?visibility=public")).await.is(200);
    several(&admin, &open, &["a"]).await;
    several(&admin, &vault, &["secret"]).await;
    made(&admin, &open, json!({"title": "confidential", "confidential": true})).await;
    let guest = t.user("guest").await;
    open.add(&guest, 10).await;
    let first = link(&admin, (&open, 1), (&vault, 1), "blocks").await.is(201).json();
    link(&admin, (&open, 1), (&open, 2), "blocks").await.is(201);

    let listed = guest.get(open.at("/epics/1/related_epics")).await.is(200);
    assert_eq!((listed.json(), listed.header("x-total").to_owned()), (json!([]), "0".into()));
    let links = guest.get(open.at("/related_epic_links")).await.is(200);
    assert_eq!((links.json(), links.header("x-total").to_owned()), (json!([]), "0".into()));
    for path in ["/epics/1/notes", "/epics/1/discussions"] {
        assert_eq!(guest.get(open.at(path)).await.is(200).json(), json!([]));
    }
    let removed = guest.delete(open.at(&format!("/epics/1/related_epics/{}", first["id"])));
    assert_eq!(removed.await.is(404).json()["message"], "No Related Epic Link found");
    let all = admin.get(open.at("/related_epic_links")).await.is(200);
    assert_eq!(all.json().as_array().map(Vec::len), Some(2));
    let told: Vec<Value> = admin.get(open.at("/epics/1/notes")).await.is(200).each("body");
    assert_eq!(told.len(), 2);
    // With the epic goes what names it.
    admin.delete(vault.at("/epics/1")).await.is(204);
    assert_eq!(admin.get(open.at("/epics/1/notes")).await.is(200).each("body").len(), 1);
}
