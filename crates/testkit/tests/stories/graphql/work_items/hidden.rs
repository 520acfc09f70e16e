//! What somebody does not see is not shown, counted, or told of by anything beside it.

use super::{BEYOND, epic, gid, item, widget};
use crate::graphql::data;
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn hidden_ends_are_never_shown_or_counted(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (group, vault) = (t.group("acme").await, t.group("vault").await);
    let (admin, guest) = (t.admin(), t.user("guest").await);
    group.add(&guest, 10).await;
    // A hidden epic above, one below, an issue of a hidden project, hidden links.
    let above = epic(&admin, &group, json!({"title": "Above secret", "confidential": true})).await;
    let house = json!({"title": "House", "confidential": true, "parent_id": above - BEYOND});
    let house = epic(&admin, &group, house).await;
    admin.put(group.at("/epics/2?parent_id=0")).await.is(200);
    admin.put(group.at("/epics/2?confidential=false")).await.is(200);
    let town = epic(&admin, &vault, json!({"title": "Vault secret"})).await;
    let body = json!({"parent_id": town - BEYOND});
    admin.put(group.at("/epics/2")).json(&body).await.is(200);
    let below = json!({"title": "Below secret", "confidential": true, "parent_id": house - BEYOND});
    epic(&admin, &group, below).await;
    let closed = t.project("vault/door").await;
    let issue = json!({"title": "Issue secret", "epic_id": house - BEYOND});
    admin.post(closed.at("/issues")).json(&issue).await.is(201);
    let link =
        json!({"target_group_id": vault.id, "target_epic_iid": 1, "link_type": "is_blocked_by"});
    admin.post(group.at("/epics/2/related_epics")).json(&link).await.is(201);
    let internal = json!({"body": "note secret", "internal": true});
    admin
        .post(group.at(&format!("/epics/{}/notes", house - BEYOND)))
        .json(&internal)
        .await
        .is(201);
    let open = admin.post(project.at("/issues?title=Open")).await.is(201).id();
    let shut = json!({"title": "Shut secret", "confidential": true});
    admin.post(project.at("/issues")).json(&shut).await.is(201);
    let link = json!({"target_project_id": project.id, "target_issue_iid": 2, "link_type": "is_blocked_by"});
    admin.post(project.at("/issues/1/links")).json(&link).await.is(201);

    let hierarchy = "parent{title} hasParent depth ancestors{nodes{title} count} hasChildren children{nodes{title} count}";
    let linked = "blocked blockedByCount linkedItems{nodes{workItem{title}}}";
    assert_eq!(
        widget(&guest, house, "Hierarchy", hierarchy).await,
        json!({"parent": null, "hasParent": false, "depth": 0, "ancestors": {"nodes": [], "count": 0},
            "hasChildren": false, "children": {"nodes": [], "count": 0}})
    );
    for id in [house, open] {
        assert_eq!(
            widget(&guest, id, "LinkedItems", linked).await,
            json!({"blocked": false, "blockedByCount": 0, "linkedItems": {"nodes": []}})
        );
    }
    let said = widget(&guest, house, "Notes", "discussions{nodes{notes{nodes{body}}}}").await;
    assert!(!said.to_string().contains("secret"), "{said}");
    let people = widget(&guest, open, "Participants", "participants{nodes{username}}").await;
    assert_eq!(people["participants"]["nodes"], json!([{"username": "root"}]));
    let whole = "{group(fullPath:\"acme\"){workItems(includeDescendants:true){nodes{title} count} \
        epics{nodes{title parent{title} children{nodes{title}} ancestors{nodes{title}} hasChildren hasIssues \
        issues{nodes{title} count} relatedEpics{nodes{title}} notes{nodes{body}}}}}}";
    let found = data(&guest, whole).await["group"].clone();
    assert_eq!(
        found["workItems"],
        json!({"nodes": [{"title": "Open"}, {"title": "House"}], "count": 2})
    );
    assert!(!found.to_string().contains("secret"), "{found}");
    let one = &found["epics"]["nodes"][0];
    assert_eq!((&one["hasChildren"], &one["hasIssues"]), (&json!(false), &json!(false)));
    for id in [above, town, gone()] {
        assert_eq!(item(&guest, id, "title").await, Value::Null, "{}", gid(id));
    }
    // The same query shows it all to who sees it.
    let found = data(&admin, whole).await["group"].clone();
    for secret in ["Above", "Below", "Issue", "Shut", "Vault", "note"] {
        assert!(found.to_string().contains(&format!("{secret} secret")), "{secret}: {found}");
    }
}

/// The number of no epic.
fn gone() -> i64 {
    BEYOND + 99_999
}
