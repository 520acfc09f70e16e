//! Epics by their own type: what work items took the place of, kept whole.

use crate::graphql::{ask, data, message};
use serde_json::{Value, json};
use testkit::{Client, TestServer};

const NOT_AVAILABLE: &str = "The resource that you are attempting to access does not exist or \
    you don't have permission to perform this action";

/// The payload of a mutation.
async fn run(client: &Client, name: &str, input: &str, fields: &str) -> Value {
    let query = format!("mutation{{{name}(input:{{{input}}}){{{fields} errors}}}}");
    data(client, &query).await[name].clone()
}

/// What a query of the group `acme` answers.
async fn acme(client: &Client, fields: &str) -> Value {
    let query = format!("{{group(fullPath:\"acme\"){{{fields}}}}}");
    data(client, &query).await["group"].clone()
}

const WHOLE: &str = "epic(iid:\"2\"){id iid title titleHtml description descriptionHtml state confidential color textColor \
    webUrl webPath reference full:reference(full:true) upvotes downvotes subscribed hasChildren hasIssues \
    startDate startDateIsFixed startDateFixed startDateFromInheritedSource dueDate dueDateIsFixed \
    dueDateFixed dueDateFromInheritedSource closedAt author{username} group{fullPath} parent{iid} \
    labels{nodes{title} count} children{nodes{iid}} ancestors{nodes{iid}} \
    issues{nodes{id iid title epicIssueId relativePosition epic{iid} labels{nodes{title}}} count} \
    relatedEpics{nodes{iid title linkType relatedEpicLinkId linkCreatedAt}} linkType \
    awardEmoji{nodes{name}} currentUserTodos{nodes{state}} \
    userPermissions{readEpic updateEpic adminEpic createEpic destroyEpic createNote awardEmoji}}";

#[testkit::story(noon)]
async fn an_epic_is_shown_whole(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    for (title, parent) in [("Town", 0), ("House", 1), ("Room", 2), ("Road", 0)] {
        let body = json!({"title": title, "parent_id": parent, "labels": "door",
            "start_date_fixed": "2031-01-01", "start_date_is_fixed": title == "Room"});
        jane.post(group.at("/epics")).json(&body).await.is(201);
    }
    jane.put(group.at("/epics/2"))
        .json(&json!({"description": "*tall*"}))
        .await
        .is(200);
    let issue = json!({"title": "Hinge", "labels": "bug", "epic_id": 2, "due_date": "2031-02-01"});
    let issue = jane.post(project.at("/issues")).json(&issue).await.is(201).id();
    let link =
        json!({"target_group_id": group.id, "target_epic_iid": 4, "link_type": "is_blocked_by"});
    let link = jane.post(group.at("/epics/2/related_epics")).json(&link).await.is(201).json();
    jane.post(group.at("/epics/2/award_emoji?name=thumbsup")).await.is(201);
    jane.post(group.at("/epics/2/todo")).await.is(201);
    let rest = jane.get(group.at("/epics/2")).await.is(200).json();
    let place = jane.get(group.at("/epics/2/issues")).await.is(200).json();
    let place = place[0]["epic_issue_id"].clone();

    let mut shown = acme(&jane, WHOLE).await["epic"].clone();
    let html = shown["descriptionHtml"].take();
    assert!(html.as_str().unwrap_or_default().contains("<em>tall</em>"), "{html}");
    assert_eq!(
        shown,
        json!({"id": "gid://service/Epic/2", "iid": "2", "title": "House", "titleHtml": "House",
            "description": "*tall*", "descriptionHtml": null, "state": "opened", "confidential": false,
            "color": rest["color"], "textColor": rest["text_color"], "webUrl": rest["web_url"],
            "webPath": "/groups/acme/-/epics/2", "reference": "&2", "full": "acme&2",
            "upvotes": 1, "downvotes": 0, "subscribed": true, "hasChildren": true, "hasIssues": true,
            "startDate": "2031-01-01T00:00:00Z", "startDateIsFixed": false,
            "startDateFixed": "2031-01-01T00:00:00Z",
            "startDateFromInheritedSource": "2031-01-01T00:00:00Z",
            "dueDate": "2031-02-01T00:00:00Z", "dueDateIsFixed": false, "dueDateFixed": null,
            "dueDateFromInheritedSource": "2031-02-01T00:00:00Z", "closedAt": null,
            "author": {"username": "jane"}, "group": {"fullPath": "acme"}, "parent": {"iid": "1"},
            "labels": {"nodes": [{"title": "door"}], "count": 1},
            "children": {"nodes": [{"iid": "3"}]}, "ancestors": {"nodes": [{"iid": "1"}]},
            "issues": {"nodes": [{"id": format!("gid://service/Issue/{issue}"), "iid": "1",
                "title": "Hinge", "epicIssueId": format!("gid://service/EpicIssue/{place}"),
                "relativePosition": 1024, "epic": {"iid": "2"},
                "labels": {"nodes": [{"title": "bug"}]}}], "count": 1},
            "relatedEpics": {"nodes": [{"iid": "4", "title": "Road", "linkType": "is_blocked_by",
                "relatedEpicLinkId": format!("gid://service/Epic::RelatedEpicLink/{}", link["id"]),
                "linkCreatedAt": shown["relatedEpics"]["nodes"][0]["linkCreatedAt"]}]},
            "linkType": null, "awardEmoji": {"nodes": [{"name": "thumbsup"}]},
            "currentUserTodos": {"nodes": [{"state": "pending"}]},
            "userPermissions": {"readEpic": true, "updateEpic": true, "adminEpic": true,
                "createEpic": true, "destroyEpic": false, "createNote": true, "awardEmoji": true}})
    );
    // From the issue's side, and by lists of issues.
    let query = "{project(fullPath:\"acme/anvil\"){issue(iid:\"1\"){epic{iid title state} healthStatus} \
        of:issues(epicId:\"2\"){count} gid:issues(epicId:\"gid://service/Epic/2\"){count} \
        other:issues(epicId:\"1\"){count} any:issues(epicId:\"Any\"){count} none:issues(epicId:\"None\"){count}} \
        node(id:\"gid://service/Epic/2\"){... on Epic{title}}}";
    assert_eq!(
        data(&jane, query).await,
        json!({"project": {"issue": {"epic": {"iid": "2", "title": "House", "state": "opened"}, "healthStatus": null},
            "of": {"count": 1}, "gid": {"count": 1}, "other": {"count": 0}, "any": {"count": 1},
            "none": {"count": 0}}, "node": {"title": "House"}})
    );
}

#[testkit::story(noon)]
async fn epics_of_groups_are_narrowed_sorted_and_paged(t: TestServer) {
    let (group, below) = (t.group("acme").await, t.group("acme/tools").await);
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    group.add(&jane, 20).await;
    group.add(&joe, 20).await;
    for (who, at, body) in [
        (
            &jane,
            &group,
            json!({"title": "House", "labels": "door", "description": "tall",
            "due_date_fixed": "2031-03-01", "due_date_is_fixed": true}),
        ),
        (
            &joe,
            &group,
            json!({"title": "Road", "labels": "door,bug", "confidential": true}),
        ),
        (
            &jane,
            &below,
            json!({"title": "Bolt", "start_date_fixed": "2031-01-01", "start_date_is_fixed": true,
            "due_date_fixed": "2031-02-01", "due_date_is_fixed": true}),
        ),
    ] {
        who.post(at.at("/epics")).json(&body).await.is(201);
        t.advance(1);
    }
    jane.put(group.at("/epics/2?state_event=close")).await.is(200);
    jane.post(group.at("/epics/1/award_emoji?name=tada")).await.is(201);
    for (args, wanted) in [
        ("first:9", "Bolt,Road,House"),
        ("includeDescendantGroups:false", "Road,House"),
        ("state:opened", "Bolt,House"),
        ("state:closed", "Road"),
        ("state:all,sort:created_asc", "House,Road,Bolt"),
        ("sort:TITLE_ASC", "Bolt,House,Road"),
        ("sort:START_DATE_ASC,first:1", "Bolt"),
        ("sort:END_DATE_ASC", "Bolt,House,Road"),
        ("sort:END_DATE_DESC", "House,Bolt,Road"),
        ("sort:UPDATED_DESC,last:1", "House"),
        ("search:\"tall\"", "House"),
        ("search:\"tall\",in:[TITLE]", ""),
        ("labelName:[\"door\",\"bug\"]", "Road"),
        ("labelName:[\"None\"]", "Bolt"),
        ("not:{labelName:[\"bug\"]}", "Bolt,House"),
        ("or:{labelNames:[\"bug\",\"x\"],authorUsernames:[\"joe\"]}", "Road"),
        ("authorUsername:\"joe\"", "Road"),
        ("not:{authorUsername:\"joe\"}", "Bolt,House"),
        ("confidential:true", "Road"),
        ("myReactionEmoji:\"tada\"", "House"),
        ("not:{myReactionEmoji:\"tada\"}", "Bolt,Road"),
        ("iid:1", "Bolt,House"),
        ("iids:[\"2\"]", "Road"),
        ("createdAfter:\"2100-01-01\"", ""),
    ] {
        let found = acme(&jane, &format!("epics({args}){{nodes{{title}}}}")).await;
        let nodes = found["epics"]["nodes"].as_array().cloned().unwrap_or_default();
        let titles: Vec<&str> = nodes.iter().filter_map(|it| it["title"].as_str()).collect();
        assert_eq!(titles.join(","), wanted, "{args}");
    }
    let query = "{group(fullPath:\"acme/tools\"){epics(includeAncestorGroups:true){nodes{title}}}}";
    let found = data(&jane, query).await["group"]["epics"]["nodes"].clone();
    assert_eq!(found.as_array().map(Vec::len), Some(3), "{found}");
    let page = acme(&jane, "epics(first:2){pageInfo{endCursor hasNextPage}}").await;
    let cursor = page["epics"]["pageInfo"]["endCursor"].as_str().unwrap_or_default().to_owned();
    assert_eq!(page["epics"]["pageInfo"]["hasNextPage"], true);
    let next = acme(&jane, &format!("epics(first:2,after:\"{cursor}\"){{nodes{{title}}}}")).await;
    assert_eq!(next["epics"]["nodes"], json!([{"title": "House"}]));
}

#[testkit::story]
async fn the_older_mutations_change_what_rest_shows(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    group.add(&jane, 20).await;
    group.add(&guest, 10).await;
    let label = json!({"name": "bug", "color": "red"});
    let label = jane.post(group.at("/labels")).json(&label).await.is(201).id();
    let input = format!(
        "groupPath:\"acme\",title:\"House\",description:\"tall\",confidential:true,color:\"blue\",\
        startDateFixed:\"2031-01-01\",startDateIsFixed:true,dueDateFixed:\"2031-02-01\",dueDateIsFixed:true,\
        addLabels:[\"door\"],addLabelIds:[\"gid://service/GroupLabel/{label}\"]"
    );
    let made = run(&jane, "createEpic", &input, "epic{iid title color labels{nodes{title}}}").await;
    assert_eq!(
        made,
        json!({"errors": [], "epic": {"iid": "1", "title": "House", "color": "#0000ff",
            "labels": {"nodes": [{"title": "bug"}, {"title": "door"}]}}})
    );
    let rest = jane.get(group.at("/epics/1")).await.is(200).json();
    let keys = ["confidential", "start_date", "due_date", "description"];
    let shown: Vec<&Value> = keys.iter().map(|key| &rest[*key]).collect();
    assert_eq!(json!(shown), json!([true, "2031-01-01", "2031-02-01", "tall"]));
    let at = "groupPath:\"acme\",iid:\"1\"";
    let input = format!(
        "{at},title:\"Home\",confidential:false,stateEvent:CLOSE,dueDateFixed:null,removeLabelIds:[\"{label}\"]"
    );
    let changed =
        run(&jane, "updateEpic", &input, "epic{title state dueDate labels{nodes{title}}}").await;
    assert_eq!(
        changed["epic"],
        json!({"title": "Home", "state": "closed", "dueDate": null, "labels": {"nodes": [{"title": "door"}]}})
    );
    let nothing = run(&jane, "updateEpic", at, "epic{iid}").await;
    assert_eq!(nothing, json!({"epic": null, "errors": ["Nothing to change was given."]}));
    let blank = run(&jane, "updateEpic", &format!("{at},title:\"\""), "epic{iid}").await;
    assert_eq!(blank, json!({"epic": null, "errors": ["Title can't be blank"]}));
    jane.post(project.at("/issues?title=Hinge")).await.is(201);
    let input = format!("{at},projectPath:\"acme/anvil\",issueIid:\"1\"");
    let added = run(
        &jane,
        "epicAddIssue",
        &input,
        "epic{hasIssues} epicIssue{title relativePosition}",
    )
    .await;
    assert_eq!(
        added,
        json!({"errors": [], "epic": {"hasIssues": true}, "epicIssue": {"title": "Hinge", "relativePosition": 1024}})
    );
    let again = run(&jane, "epicAddIssue", &input, "epic{iid}").await;
    assert_eq!(again["errors"], json!(["Issue(s) already assigned"]));
    let input = format!("{at},subscribedState:false");
    let told = run(&jane, "epicSetSubscription", &input, "epic{subscribed}").await;
    assert_eq!(told["epic"], json!({"subscribed": false}));
    assert_eq!(jane.get(group.at("/epics/1")).await.is(200).json()["subscribed"], false);

    // Issues are put into epics, and taken out.
    let issue = "projectPath:\"acme/anvil\",iid:\"1\"";
    let out = run(&jane, "issueSetEpic", &format!("{issue},epicId:null"), "issue{epic{iid}}").await;
    assert_eq!(out["issue"], json!({"epic": null}));
    for input in [format!("{issue},epicId:\"gid://service/Epic/1\"")] {
        for name in ["issueSetEpic", "updateIssue"] {
            let put = run(&jane, name, &input, "issue{epic{title}}").await;
            assert_eq!(put["issue"]["epic"]["title"], "Home", "{name}");
        }
    }
    let input = "projectPath:\"acme/anvil\",title:\"Door\",epicId:\"gid://service/Epic/1\"";
    let made = run(&jane, "createIssue", input, "issue{iid epic{iid}}").await;
    assert_eq!(made["issue"], json!({"iid": "2", "epic": {"iid": "1"}}));
    let listed = jane.get(group.at("/epics/1/issues")).await.is(200);
    assert_eq!(listed.each("title"), [json!("Hinge"), json!("Door")]);
    let wrong = format!("{issue},epicId:\"gid://service/Epic/99\"");
    let refused = run(&jane, "issueSetEpic", &wrong, "issue{iid}").await;
    assert_eq!(refused, json!({"issue": null, "errors": ["Epic id is invalid"]}));

    for (who, name, input) in [
        (&*guest, "createEpic", "groupPath:\"acme\",title:\"x\"".to_owned()),
        (&*guest, "updateEpic", format!("{at},title:\"x\"")),
        (
            &*guest,
            "epicAddIssue",
            format!("{at},projectPath:\"acme/anvil\",issueIid:\"1\""),
        ),
        (&*jane, "updateEpic", "groupPath:\"acme\",iid:\"9\",title:\"x\"".to_owned()),
        (&*jane, "createEpic", "groupPath:\"nothing\",title:\"x\"".to_owned()),
        (&t.anonymous(), "epicSetSubscription", format!("{at},subscribedState:true")),
    ] {
        let query = format!("mutation{{{name}(input:{{{input}}}){{errors}}}}");
        let answer = ask(who, &query).await;
        assert_eq!(
            (message(&answer), &answer["data"][name]),
            (NOT_AVAILABLE, &Value::Null),
            "{query}"
        );
    }
}
