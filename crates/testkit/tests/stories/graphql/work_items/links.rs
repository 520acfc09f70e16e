//! Links between work items.

use super::{NOT_AVAILABLE, epic, gid, run, widget};
use crate::graphql::{ask, message};
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn work_items_are_linked_as_by_rest(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (group, vault) = (t.group("acme").await, t.group("vault").await);
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let house = epic(&jane, &group, json!({"title": "House"})).await;
    let road = epic(&jane, &group, json!({"title": "Road"})).await;
    let secret = epic(&t.admin(), &vault, json!({"title": "Secret"})).await;
    let mut issues = Vec::new();
    for title in ["a", "b", "c"] {
        issues.push(
            jane.post(project.at("/issues"))
                .json(&json!({"title": title}))
                .await
                .is(201)
                .id(),
        );
    }
    let fields = "message workItem{id widgets{... on WorkItemWidgetLinkedItems{linkedItems{nodes{linkType workItem{title}}}}}}";
    let input = format!(
        "id:\"{}\",workItemsIds:[\"{}\",\"{}\"],linkType:BLOCKED_BY",
        gid(issues[0]),
        gid(issues[1]),
        gid(issues[2])
    );
    let added = run(&jane, "workItemAddLinkedItems", &input, fields).await;
    assert_eq!(
        added["message"],
        format!("Successfully linked ID(s): {}, {}.", issues[1], issues[2])
    );
    let listed = jane.get(project.at("/issues/1/links")).await.is(200);
    assert_eq!(listed.each("link_type"), [json!("is_blocked_by"), json!("is_blocked_by")]);
    let shown = added["workItem"].to_string();
    assert!(shown.contains("is_blocked_by"), "{shown}");

    let input = format!("id:\"{}\",workItemsIds:[\"{}\"]", gid(house), gid(road));
    run(&jane, "workItemAddLinkedItems", &input, "message").await;
    let related = jane.get(group.at("/epics/1/related_epics")).await.is(200).json();
    assert_eq!(related[0]["link_type"], "relates_to");
    let link = widget(&jane, house, "LinkedItems", "linkedItems{nodes{linkId}}").await;
    let number = related[0]["related_epic_link_id"].as_i64().unwrap_or_default() + super::BEYOND;
    let wanted = format!("gid://service/WorkItems::RelatedWorkItemLink/{number}");
    assert_eq!(link["linkedItems"]["nodes"][0]["linkId"], wanted);

    let no_match =
        "No matching work item found. Make sure that you are adding a valid work item ID.";
    for (id, others, wanted) in [
        (house, vec![road], "Epic(s) already assigned"),
        (house, vec![house], "&1 cannot be added: cannot be related to itself"),
        (house, vec![secret], no_match),
        (
            house,
            vec![issues[0]],
            "Epics can be linked to epics only, and issues to issues.",
        ),
        (issues[1], vec![issues[0]], "Issue(s) already assigned"),
        (
            house,
            vec![road; 11],
            "No more than 10 work items can be modified at the same time.",
        ),
        (house, vec![], "workItemsIds cannot be empty."),
    ] {
        let others: Vec<String> = others.iter().map(|id| format!("\"{}\"", gid(*id))).collect();
        let input = format!("id:\"{}\",workItemsIds:[{}]", gid(id), others.join(","));
        let told = run(&jane, "workItemAddLinkedItems", &input, "message").await;
        assert_eq!(told, json!({"message": null, "errors": [wanted]}), "{input}");
    }

    for (id, other, left) in [(issues[0], issues[1], 1), (house, road, 0)] {
        let input = format!("id:\"{}\",workItemsIds:[\"{}\"]", gid(id), gid(other));
        let removed = run(&jane, "workItemRemoveLinkedItems", &input, "message").await;
        assert_eq!(removed["message"], format!("Successfully unlinked ID(s): {other}."));
        let found = widget(&jane, id, "LinkedItems", "linkedItems{nodes{linkId}}").await;
        assert_eq!(found["linkedItems"]["nodes"].as_array().map(Vec::len), Some(left));
        let again = run(&jane, "workItemRemoveLinkedItems", &input, "message").await;
        assert_eq!(again, json!({"message": null, "errors": [no_match]}));
    }
    let stranger = t.user("stranger").await;
    for name in ["workItemAddLinkedItems", "workItemRemoveLinkedItems"] {
        let query = format!(
            "mutation{{{name}(input:{{id:\"{}\",workItemsIds:[\"{}\"]}}){{message}}}}",
            gid(house),
            gid(road)
        );
        for who in [&*stranger, &t.anonymous()] {
            assert_eq!(message(&ask(who, &query).await), NOT_AVAILABLE);
        }
    }
}
