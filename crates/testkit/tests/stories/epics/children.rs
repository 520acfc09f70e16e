//! Epics below epics.

use super::{made, several};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn children_are_made_added_ordered_and_taken_out(t: TestServer) {
    let group = t.group("acme").await;
    let below = t.group("acme/tools").await;
    let admin = t.admin();
    let all = several(&admin, &group, &["top", "a"]).await;
    let b = made(&admin, &below, json!({"title": "b"})).await;
    for alias in ["epics", "links"] {
        let at = |rest: &str| group.at(&format!("/epics/1/{alias}{rest}"));
        let added = admin.post(at(&format!("/{}", all[1]["id"]))).await.is(201).json();
        assert_eq!((&added["parent_id"], &added["parent_iid"]), (&all[0]["id"], &json!(1)));
        let links = &added["_links"];
        assert_eq!(links["parent"], all[0]["_links"]["self"]);
        admin.post(at(&format!("/{}", b["id"]))).await.is(201);
        let c = admin.post(at("")).json(&json!({"title": "c"})).await.is(201).json();
        assert_eq!(c["parent_id"], all[0]["id"]);
        assert_eq!(admin.get(at("")).await.is(200).each("title"), ["a", "b", "c"]);

        let query = format!("/{}?move_before_id={}", c["id"], all[1]["id"]);
        let moved = admin.put(at(&query)).await.is(200);
        assert_eq!(moved.each("title"), ["a", "c", "b"]);
        let refused = admin.put(at(&format!("/{}?move_after_id=999999", c["id"]))).await.is(400);
        assert_eq!(refused.json(), json!({"message": {"error": "Epic could not be moved!"}}));

        for id in [&all[1]["id"], &b["id"], &c["id"]] {
            let gone = admin.delete(at(&format!("/{id}"))).await.is(200).json();
            assert_eq!(gone["parent_id"], Value::Null);
        }
        admin.delete(at(&format!("/{}", b["id"]))).await.is(404);
        admin.post(at("/999999")).await.is(404);
        assert_eq!(admin.get(at("")).await.is(200).json(), json!([]));
    }
    let notes = admin.get(group.at("/epics/1/notes?sort=asc")).await.is(200).each("body");
    assert_eq!(
        notes[..2],
        [json!("added child epic &2"), json!("added child epic acme/tools&1")]
    );
}

#[testkit::story]
async fn epics_stand_seven_deep_and_never_in_a_circle(t: TestServer) {
    let group = t.group("acme").await;
    let admin = t.admin();
    let titles = ["1", "2", "3", "4", "5", "6", "7", "8"];
    let all = several(&admin, &group, &titles).await;
    let put = |child: usize, parent: &Value| {
        admin.put(group.at(&format!("/epics/{child}?parent_id={parent}")))
    };
    for child in 2..=7 {
        let parent = &all[child - 2]["id"];
        assert_eq!(put(child, parent).await.is(200).json()["parent_id"], *parent);
    }
    let refusals = [
        (8, &all[6]["id"], "is too deep: at most 7 epics stand one below another"),
        (1, &all[6]["id"], "cannot be an epic that stands below this one"),
        (1, &all[0]["id"], "cannot be the epic itself"),
    ];
    for (child, parent, text) in refusals {
        let refused = put(child, parent).await.is(400).json();
        assert_eq!(refused["message"]["parent_id"], json!([text]));
    }
    let posted = group.at(&format!("/epics/7/epics/{}", all[7]["id"]));
    admin.post(posted).await.is(400);
    // As a whole tree it is as deep.
    put(2, &json!(0)).await.is(200);
    put(1, &all[7]["id"]).await.is(200);
    put(2, &all[0]["id"]).await.is(400);

    // What stood below a removed one stands by itself.
    admin.delete(group.at("/epics/3")).await.is(204);
    let left = admin.get(group.at("/epics/4")).await.is(200).json();
    assert_eq!((&left["parent_id"], &left["parent_iid"]), (&Value::Null, &Value::Null));
}

#[testkit::story]
async fn below_a_hidden_epic_everything_is_hidden(t: TestServer) {
    let group = t.group("acme").await;
    let guest = t.user("guest").await;
    group.add(&guest, 10).await;
    let admin = t.admin();
    let hidden = made(&admin, &group, json!({"title": "h", "confidential": true})).await;
    made(&admin, &group, json!({"title": "open"})).await;
    let text = "A non-confidential epic cannot be assigned to a confidential parent epic";
    let put = admin.put(group.at(&format!("/epics/2?parent_id={}", hidden["id"])));
    assert_eq!(put.await.is(400).json()["message"]["confidential"], json!([text]));
    // One that is made there is hidden, too.
    let child = json!({"title": "child"});
    let child = admin.post(group.at("/epics/1/epics")).json(&child).await.is(201).json();
    assert_eq!(child["confidential"], true);
    let shown = admin.put(group.at("/epics/3?confidential=false")).await.is(400).json();
    assert_eq!(shown["message"]["confidential"], json!([text]));
    admin.put(group.at("/epics/3?confidential=false&parent_id=0")).await.is(200);

    // An open parent is not hidden over an open child.
    let child = json!({"title": "x", "parent_id": 0});
    made(&admin, &group, child).await;
    let second = admin.get(group.at("/epics/2")).await.is(200).json();
    admin
        .put(group.at(&format!("/epics/4?parent_id={}", second["id"])))
        .await
        .is(200);
    let refused = admin.put(group.at("/epics/2?confidential=true")).await.is(400).json();
    let text = "Cannot make the epic confidential if it contains non-confidential child epics";
    assert_eq!(refused["message"]["confidential"], json!([text]));
}

#[testkit::story]
async fn a_hidden_parent_is_not_told(t: TestServer) {
    let (open, vault) = (t.group("plaza").await, t.group("vault").await);
    let admin = t.admin();
    admin.put(open.at("?visibility=public")).await.is(200);
    let hidden = made(&admin, &vault, json!({"title": "secret"})).await;
    made(&admin, &open, json!({"title": "x", "parent_id": hidden["id"]})).await;
    let stranger = t.user("stranger").await;
    let seen = stranger.get(open.at("/epics/1")).await.is(200).json();
    assert_eq!((&seen["parent_id"], &seen["parent_iid"]), (&Value::Null, &Value::Null));
    assert_eq!(seen["_links"]["parent"], Value::Null);
    let notes = stranger.get(open.at("/epics/1/notes")).await.is(200);
    assert_eq!(notes.json(), json!([]));
    assert_eq!(admin.get(open.at("/epics/1")).await.is(200).json()["parent_id"], hidden["id"]);
}
