//! Lists of work items, of epics, and what they are narrowed to.

use super::{BEYOND, epic, gid};
use crate::graphql::{ask, data, message};
use serde_json::{Value, json};
use testkit::{Client, TestServer};

/// The titles of a list of work items of the group `acme`, whose count is right.
async fn titles(client: &Client, args: &str) -> Vec<String> {
    let query =
        format!("{{group(fullPath:\"acme\"){{workItems({args}){{nodes{{title}} count}}}}}}");
    let found = data(client, &query).await["group"]["workItems"].clone();
    let nodes = found["nodes"].as_array().cloned().unwrap_or_default();
    assert_eq!(found["count"], json!(nodes.len()), "{args}");
    nodes
        .iter()
        .map(|it| it["title"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[testkit::story(noon)]
async fn work_items_are_narrowed_and_sorted(t: TestServer) {
    let project = t.project("acme/tools/anvil").await;
    let (group, below) = (t.group("acme").await, t.group("acme/tools").await);
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    group.add(&jane, 20).await;
    group.add(&joe, 20).await;
    let house = json!({"title": "House", "labels": "door", "description": "tall",
        "start_date_fixed": "2031-01-01", "start_date_is_fixed": true});
    let house = epic(&jane, &group, house).await;
    t.advance(1);
    let room = json!({"title": "Room", "parent_id": house - BEYOND,
        "due_date_fixed": "2031-03-01", "due_date_is_fixed": true});
    epic(&joe, &below, room).await;
    t.advance(1);
    let hinge = json!({"title": "Hinge", "labels": "door", "due_date": "2031-02-01",
        "assignee_ids": [joe.id], "epic_id": house - BEYOND});
    let hinge = jane.post(project.at("/issues")).json(&hinge).await.is(201).id();
    t.advance(1);
    let alarm = json!({"title": "Alarm", "issue_type": "incident"});
    jane.post(project.at("/issues")).json(&alarm).await.is(201);
    jane.put(project.at("/issues/2?state_event=close")).await.is(200);

    for (args, wanted) in [
        // Right in a group there are its epics.
        ("first:9", "House"),
        ("includeDescendants:true", "Alarm,Hinge,Room,House"),
        ("includeDescendants:true,sort:CREATED_ASC", "House,Room,Hinge,Alarm"),
        ("includeDescendants:true,sort:created_asc", "House,Room,Hinge,Alarm"),
        ("includeDescendants:true,sort:TITLE_ASC", "Alarm,Hinge,House,Room"),
        ("includeDescendants:true,sort:TITLE_DESC", "Room,House,Hinge,Alarm"),
        (
            "includeDescendants:true,sort:DUE_DATE_ASC,types:[EPIC,ISSUE]",
            "Hinge,House,Room",
        ),
        ("includeDescendants:true,sort:START_DATE_ASC,types:[EPIC]", "House,Room"),
        ("includeDescendants:true,types:[EPIC]", "Room,House"),
        ("includeDescendants:true,types:[INCIDENT]", "Alarm"),
        ("includeDescendants:true,types:[ISSUE,INCIDENT]", "Alarm,Hinge"),
        ("includeDescendants:true,types:[TEST_CASE]", ""),
        ("includeDescendants:true,not:{types:[EPIC]}", "Alarm,Hinge"),
        ("includeDescendants:true,state:opened", "Hinge,Room,House"),
        ("includeDescendants:true,state:closed", "Alarm"),
        ("includeDescendants:true,state:locked,types:[ISSUE]", ""),
        ("includeDescendants:true,search:\"ho\"", "House"),
        ("includeDescendants:true,search:\"tall\",in:[TITLE]", ""),
        ("includeDescendants:true,labelName:[\"door\"]", "Hinge,House"),
        ("includeDescendants:true,not:{labelName:[\"door\"]}", "Alarm,Room"),
        ("includeDescendants:true,or:{labelNames:[\"door\",\"x\"]}", "Hinge,House"),
        ("includeDescendants:true,authorUsername:\"joe\"", "Room"),
        ("includeDescendants:true,assigneeUsernames:[\"joe\"]", "Hinge"),
        ("includeDescendants:true,assigneeWildcardId:ANY", "Hinge"),
        ("includeDescendants:true,assigneeWildcardId:NONE", "Alarm,Room,House"),
        ("includeDescendants:true,milestoneWildcardId:ANY", ""),
        ("includeDescendants:true,iid:\"1\"", "Hinge,Room,House"),
        ("includeDescendants:true,iids:[\"2\"]", "Alarm"),
        ("includeDescendants:true,confidential:true", ""),
        ("includeDescendants:true,createdBefore:\"2000-01-01\"", ""),
    ] {
        let wanted: Vec<&str> = wanted.split(',').filter(|one| !one.is_empty()).collect();
        assert_eq!(titles(&jane, args).await, wanted, "{args}");
    }
    let args = format!("includeDescendants:true,parentIds:[\"{}\"]", gid(house));
    assert_eq!(titles(&jane, &args).await, ["Hinge", "Room"]);
    let args = format!(
        "includeDescendants:true,ids:[\"{}\",\"gid://service/Issue/{hinge}\"]",
        gid(house)
    );
    assert_eq!(titles(&jane, &args).await, ["Hinge", "House"]);
    let query = "{group(fullPath:\"acme/tools\"){own:workItems{nodes{title}} \
        all:workItems(includeAncestors:true){nodes{title}}} \
        project(fullPath:\"acme/tools/anvil\"){workItems{nodes{title} count} \
        none:workItems(types:[EPIC]){nodes{title} count}}}";
    assert_eq!(
        data(&jane, query).await,
        json!({"group": {"own": {"nodes": [{"title": "Room"}]},
            "all": {"nodes": [{"title": "Room"}, {"title": "House"}]}},
            "project": {"workItems": {"nodes": [{"title": "Alarm"}, {"title": "Hinge"}], "count": 2},
                "none": {"nodes": [], "count": 0}}})
    );
    // Pages go through both kinds, in both directions.
    let mut seen: Vec<Value> = Vec::new();
    let mut cursor = String::new();
    loop {
        let query = format!(
            "{{group(fullPath:\"acme\"){{workItems(first:1,after:\"{cursor}\",includeDescendants:true,\
            sort:TITLE_ASC){{nodes{{title}} pageInfo{{hasNextPage endCursor}}}}}}}}"
        );
        let page = data(&jane, &query).await["group"]["workItems"].clone();
        seen.push(page["nodes"][0]["title"].clone());
        cursor = page["pageInfo"]["endCursor"].as_str().unwrap_or_default().to_owned();
        if page["pageInfo"]["hasNextPage"] != true {
            break;
        }
    }
    assert_eq!(seen, ["Alarm", "Hinge", "House", "Room"]);
    let last = "{group(fullPath:\"acme\"){workItems(last:1,includeDescendants:true,sort:DUE_DATE_ASC){nodes{title} pageInfo{hasPreviousPage}}}}";
    let page = data(&jane, last).await["group"]["workItems"].clone();
    assert_eq!(page["pageInfo"]["hasPreviousPage"], true);
    let other = format!(
        "{{group(fullPath:\"acme\"){{workItems(after:\"{cursor}\",sort:TITLE_DESC){{nodes{{id}}}}}}}}"
    );
    assert_eq!(message(&ask(&jane, &other).await), "Please provide a valid cursor");
}

#[testkit::story]
async fn work_items_are_found_by_how_texts_name_them(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (group, vault) = (t.group("acme").await, t.group("vault").await);
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let issue = jane.post(project.at("/issues?title=Hinge")).await.is(201).json();
    let house = epic(&jane, &group, json!({"title": "House"})).await;
    epic(&t.admin(), &vault, json!({"title": "Secret"})).await;
    let url = issue["web_url"].as_str().unwrap_or_default();
    let query = format!(
        "{{workItemsByReference(refs:[\"Acme/anvil#1\",\"{url}\",\"acme&1\",\"vault&1\",\"acme&7\",\"nothing\"]){{nodes{{id title}} count}}}}"
    );
    let id = gid(issue["id"].as_i64().unwrap_or_default());
    assert_eq!(
        data(&jane, &query).await["workItemsByReference"],
        json!({"nodes": [{"id": id, "title": "Hinge"}, {"id": gid(house), "title": "House"}], "count": 2})
    );
    let many = vec!["\"acme&1\""; 101].join(",");
    let refused = ask(&jane, &format!("{{workItemsByReference(refs:[{many}]){{count}}}}")).await;
    assert_eq!(message(&refused), "refs cannot have more than 100 entries");
}
