//! Making, changing and deleting work items, with what REST shows of it.

use super::{BEYOND, NOT_AVAILABLE, epic, gid, item, run, widget};
use crate::graphql::{ask, data, message};
use serde_json::{Value, json};
use testkit::TestServer;

fn of_type(n: i64) -> String {
    format!("workItemTypeId:\"gid://service/WorkItems::Type/{n}\"")
}

#[testkit::story]
async fn an_issue_is_made_and_changed_part_by_part(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    group.add(&jane, 20).await;
    group.add(&joe, 10).await;
    let goal = jane
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201)
        .id();
    let label = json!({"name": "bug", "color": "red"});
    let label = jane.post(project.at("/labels")).json(&label).await.is(201).id();
    let other = jane.post(project.at("/issues?title=Door")).await.is(201).id();
    let (house, town) = (
        epic(&jane, &group, json!({"title": "House"})).await,
        epic(&jane, &group, json!({"title": "Town"})).await,
    );
    let input = format!(
        "namespacePath:\"acme/anvil\",title:\"Hinge\",{},confidential:true,clientMutationId:\"7\",\
        descriptionWidget:{{description:\"oil @joe\"}},assigneesWidget:{{assigneeIds:[\"gid://service/User/{}\"]}},\
        labelsWidget:{{labelIds:[\"gid://service/ProjectLabel/{label}\"]}},milestoneWidget:{{milestoneId:\"gid://service/Milestone/{goal}\"}},\
        hierarchyWidget:{{parentId:\"{}\"}},linkedItemsWidget:{{workItemsIds:[\"{}\"],linkType:BLOCKS}},\
        startAndDueDateWidget:{{dueDate:\"2031-02-01\"}},healthStatusWidget:{{healthStatus:atRisk}},weightWidget:{{weight:3}}",
        of_type(2),
        joe.id,
        gid(house),
        gid(other)
    );
    let made = run(
        &jane,
        "workItemCreate",
        &input,
        "clientMutationId workItem{id iid state workItemType{name}}",
    )
    .await;
    let rest = jane.get(project.at("/issues/2")).await.is(200);
    assert_eq!(
        made,
        json!({"clientMutationId": "7", "errors": [], "workItem": {"id": gid(rest.id()), "iid": "2",
            "state": "OPEN", "workItemType": {"name": "Incident"}}})
    );
    let id = rest.id();
    let shown = |one: &Value| -> Value {
        let keys = [
            "title",
            "description",
            "confidential",
            "labels",
            "due_date",
            "weight",
            "health_status",
            "issue_type",
            "epic_iid",
            "state",
        ];
        keys.iter().map(|key| one[*key].clone()).collect()
    };
    assert_eq!(
        shown(&rest.json()),
        json!([
            "Hinge",
            "oil @joe",
            true,
            ["bug"],
            "2031-02-01",
            3,
            "at_risk",
            "incident",
            1,
            "opened"
        ])
    );
    assert_eq!(rest.json()["milestone"]["title"], "1.0");
    assert_eq!(rest.json()["assignees"][0]["username"], "joe");
    let linked = jane.get(project.at("/issues/2/links")).await.is(200).json();
    assert_eq!((&linked[0]["iid"], &linked[0]["link_type"]), (&json!(1), &json!("blocks")));

    let input = format!(
        "id:\"{}\",title:\"Hook\",stateEvent:CLOSE,confidential:false,descriptionWidget:{{description:\"no oil\"}},\
        assigneesWidget:{{assigneeIds:[]}},labelsWidget:{{removeLabelIds:[\"gid://service/ProjectLabel/{label}\"]}},\
        milestoneWidget:{{milestoneId:null}},hierarchyWidget:{{parentId:\"{}\"}},\
        startAndDueDateWidget:{{dueDate:null}},healthStatusWidget:{{healthStatus:null}},weightWidget:{{weight:null}}",
        gid(id),
        gid(town)
    );
    let fields = "workItem{title state widgets{... on WorkItemWidgetHierarchy{parent{title}} ... on WorkItemWidgetStatus{status{name}}}}";
    let changed = run(&jane, "workItemUpdate", &input, fields).await;
    assert_eq!(
        (&changed["errors"], &changed["workItem"]["state"]),
        (&json!([]), &json!("CLOSED"))
    );
    let parts = changed["workItem"]["widgets"].to_string();
    assert!(parts.contains("Town") && parts.contains("Done"), "{parts}");
    let rest = jane.get(project.at("/issues/2")).await.is(200).json();
    assert_eq!(
        shown(&rest),
        json!(["Hook", "no oil", false, [], null, null, null, "incident", 2, "closed"])
    );
    assert_eq!((&rest["milestone"], &rest["assignees"]), (&Value::Null, &json!([])));
    // The program tells of it where it tells of changes by REST.
    let notes = jane.get(project.at("/issues/2/notes?per_page=100")).await.is(200).text();
    for told in [
        "changed health status to **at risk**",
        "removed the health status",
        "changed title from",
    ] {
        assert!(notes.contains(told), "{told}: {notes}");
    }
    let events = jane.get(project.at("/issues/2/resource_state_events")).await.is(200);
    assert_eq!(events.each("state"), [json!("closed")]);
    // What is not said stays.
    let input = format!("id:\"{}\",hierarchyWidget:{{parentId:null}}", gid(id));
    run(&jane, "workItemUpdate", &input, "workItem{title}").await;
    let rest = jane.get(project.at("/issues/2")).await.is(200).json();
    assert_eq!((&rest["title"], &rest["epic_iid"]), (&json!("Hook"), &Value::Null));
}

#[testkit::story]
async fn an_epic_is_made_and_changed_part_by_part(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let town = epic(&jane, &group, json!({"title": "Town"})).await;
    let label = json!({"name": "bug", "color": "red"});
    let label = jane.post(group.at("/labels")).json(&label).await.is(201).id();
    // Labels of projects are none of its group's, and are left out.
    let below = json!({"name": "below", "color": "red"});
    let below = jane.post(project.at("/labels")).json(&below).await.is(201).id();
    let issue = jane.post(project.at("/issues?title=Hinge")).await.is(201).id();
    let input = format!(
        "namespacePath:\"acme\",title:\"House\",{},descriptionWidget:{{description:\"tall\"}},\
        labelsWidget:{{labelIds:[\"gid://service/GroupLabel/{label}\",\"gid://service/ProjectLabel/{below}\"]}},hierarchyWidget:{{parentId:\"{}\"}},\
        linkedItemsWidget:{{workItemsIds:[\"{}\"]}},colorWidget:{{color:\"red\"}},\
        startAndDueDateWidget:{{startDate:\"2031-01-01\",dueDate:\"2031-02-01\"}},healthStatusWidget:{{healthStatus:onTrack}}",
        of_type(8),
        gid(town),
        gid(town)
    );
    let made = run(&jane, "workItemCreate", &input, "workItem{id iid workItemType{name}}").await;
    let rest = jane.get(group.at("/epics/2")).await.is(200).json();
    let id = rest["work_item_id"].as_i64().unwrap_or_default();
    assert_eq!(
        made,
        json!({"errors": [], "workItem": {"id": gid(id), "iid": "2", "workItemType": {"name": "Epic"}}})
    );
    let shown = |one: &Value| -> Value {
        let keys = [
            "title",
            "description",
            "labels",
            "color",
            "parent_iid",
            "start_date",
            "due_date",
            "start_date_is_fixed",
            "state",
        ];
        keys.iter().map(|key| one[*key].clone()).collect()
    };
    assert_eq!(
        shown(&rest),
        json!([
            "House",
            "tall",
            ["bug"],
            "#ff0000",
            1,
            "2031-01-01",
            "2031-02-01",
            true,
            "opened"
        ])
    );
    let related = jane.get(group.at("/epics/2/related_epics")).await.is(200);
    assert_eq!(related.each("title"), [json!("Town")]);
    let health = widget(&jane, id, "HealthStatus", "healthStatus").await;
    assert_eq!(health, json!({"healthStatus": "onTrack"}));

    let room = epic(&jane, &group, json!({"title": "Room"})).await;
    let input = format!(
        "id:\"{}\",title:\"Home\",stateEvent:CLOSE,labelsWidget:{{removeLabelIds:[\"gid://service/GroupLabel/{label}\"]}},\
        colorWidget:{{color:\"#00ff00\"}},hierarchyWidget:{{parentId:null,childrenIds:[\"{}\",\"{}\"]}},\
        startAndDueDateWidget:{{isFixed:false}}",
        gid(id),
        gid(room),
        gid(issue)
    );
    let changed = run(&jane, "workItemUpdate", &input, "workItem{title state}").await;
    assert_eq!(changed, json!({"errors": [], "workItem": {"title": "Home", "state": "CLOSED"}}));
    let rest = jane.get(group.at("/epics/2")).await.is(200).json();
    assert_eq!(
        shown(&rest),
        json!(["Home", "tall", [], "#00ff00", null, null, null, false, "closed"])
    );
    assert_eq!(
        jane.get(group.at("/epics/2/epics")).await.is(200).each("title"),
        [json!("Room")]
    );
    assert_eq!(
        jane.get(group.at("/epics/2/issues")).await.is(200).each("title"),
        [json!("Hinge")]
    );
    // Children go beside one another.
    let door = jane
        .post(project.at("/issues"))
        .json(&json!({"title": "Door", "epic_id": id - BEYOND}))
        .await;
    let door = door.is(201).id();
    let input = format!(
        "id:\"{}\",hierarchyWidget:{{adjacentWorkItemId:\"{}\",relativePosition:BEFORE}}",
        gid(door),
        gid(issue)
    );
    let moved = run(&jane, "workItemUpdate", &input, "workItem{title}").await;
    assert_eq!(moved["errors"], json!([]));
    let listed = jane.get(group.at("/epics/2/issues")).await.is(200);
    assert_eq!(listed.each("title"), [json!("Door"), json!("Hinge")]);
    let input =
        format!("id:\"{}\",hierarchyWidget:{{adjacentWorkItemId:\"{}\"}}", gid(id), gid(town));
    let stays = run(&jane, "workItemUpdate", &input, "workItem{title}").await;
    assert_eq!(
        stays,
        json!({"workItem": null, "errors": ["The work item could not be moved."]})
    );
}

#[testkit::story]
async fn what_a_rule_refuses_is_told_in_sentences(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let house = epic(&jane, &group, json!({"title": "House"})).await;
    let issue = jane.post(project.at("/issues?title=Hinge")).await.is(201).id();
    let update = |id: i64, rest: String| format!("id:\"{}\",{rest}", gid(id));
    let no_match =
        "No matching work item found. Make sure that you are adding a valid work item ID.";
    for (name, input, wanted) in [
        (
            "workItemCreate",
            format!("namespacePath:\"acme/anvil\",title:\" \",{}", of_type(1)),
            "Title can't be blank",
        ),
        (
            "workItemCreate",
            format!("namespacePath:\"acme\",title:\" \",{}", of_type(8)),
            "Title can't be blank",
        ),
        (
            "workItemCreate",
            format!("namespacePath:\"acme\",title:\"x\",{}", of_type(4)),
            "There is no such type of work items.",
        ),
        (
            "workItemCreate",
            format!(
                "namespacePath:\"acme\",title:\"x\",{},assigneesWidget:{{assigneeIds:[]}},weightWidget:{{weight:1}}",
                of_type(8)
            ),
            "Following widget keys are not supported by Epic type: assigneesWidget, weightWidget",
        ),
        (
            "workItemCreate",
            format!(
                "namespacePath:\"acme/anvil\",title:\"x\",{},colorWidget:{{color:\"red\"}}",
                of_type(5)
            ),
            "Following widget keys are not supported by Task type: colorWidget",
        ),
        (
            "workItemUpdate",
            update(issue, "startAndDueDateWidget:{startDate:\"2031-01-01\"}".into()),
            "Start date is not supported: issues have a due date only.",
        ),
        (
            "workItemUpdate",
            update(issue, format!("hierarchyWidget:{{parentId:\"{}\"}}", gid(issue))),
            "Parent must be an epic.",
        ),
        (
            "workItemUpdate",
            update(issue, format!("hierarchyWidget:{{childrenIds:[\"{}\"]}}", gid(house))),
            "Issue type cannot have children.",
        ),
        (
            "workItemUpdate",
            update(house, format!("hierarchyWidget:{{parentId:\"{}\"}}", gid(house))),
            "Parent id cannot be the epic itself",
        ),
        (
            "workItemUpdate",
            update(house, format!("hierarchyWidget:{{childrenIds:[\"{}\"]}}", gid(999))),
            no_match,
        ),
        (
            "workItemUpdate",
            update(house, format!("linkedItemsWidget:{{workItemsIds:[\"{}\"]}}", gid(issue))),
            "Epics can be linked to epics only, and issues to issues.",
        ),
        (
            "workItemUpdate",
            update(
                house,
                format!("linkedItemsWidget:{{workItemsIds:[\"{}\"]}}", gid(BEYOND + 999)),
            ),
            no_match,
        ),
        (
            "workItemUpdate",
            update(
                house,
                "startAndDueDateWidget:{startDate:\"2031-02-01\",dueDate:\"2031-01-01\"}".into(),
            ),
            "Due date must be greater than start date",
        ),
    ] {
        let told = run(&jane, name, &input, "workItem{id}").await;
        assert_eq!(told, json!({"workItem": null, "errors": [wanted]}), "{input}");
    }
    let both = format!(
        "mutation{{workItemCreate(input:{{namespacePath:\"acme\",projectPath:\"acme/anvil\",title:\"x\",{}}}){{errors}}}}",
        of_type(1)
    );
    let text = "Please provide either projectPath or namespacePath argument, but not both.";
    assert_eq!(message(&ask(&jane, &both).await), text);
    // The older names still work.
    let input =
        format!("projectPath:\"acme/anvil\",description:\"old\",title:\"x\",{}", of_type(1));
    let made = run(&jane, "workItemCreate", &input, "workItem{description}").await;
    assert_eq!(made["workItem"]["description"], "old");
    // Nothing of what was refused is left.
    let shown =
        item(&jane, house, "title widgets{... on WorkItemWidgetHierarchy{hasChildren}}").await;
    assert!(!shown.to_string().contains("true"), "{shown}");
}

#[testkit::story]
async fn who_may_change_work_items_is_who_may_by_rest(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let group = t.group("acme").await;
    t.admin().put(group.at("?visibility=public")).await.is(200);
    let mut people = vec![(t.anonymous(), 0), ((*t.user("stranger").await).clone(), 1)];
    for (name, level) in [("guest", 10), ("planner", 15), ("reporter", 20), ("owner", 50)] {
        let user = t.user(name).await;
        group.add(&user, level).await;
        people.push(((*user).clone(), level));
    }
    let admin = t.admin();
    for (who, level) in &people {
        let house = epic(&admin, &group, json!({"title": "House"})).await;
        let issue = admin.post(project.at("/issues?title=Hinge")).await.is(201).id();
        let rights = "userPermissions{updateWorkItem deleteWorkItem}";
        let of_issue = item(who, issue, rights).await["userPermissions"].clone();
        let of_epic = item(who, house, rights).await["userPermissions"].clone();
        for (id, may) in [(issue, *level >= 20), (house, *level >= 15)] {
            let query = format!(
                "mutation{{workItemUpdate(input:{{id:\"{}\",title:\"x\"}}){{errors}}}}",
                gid(id)
            );
            let answer = ask(who, &query).await;
            assert_eq!(message(&answer).is_empty(), may, "{level}: {answer}");
            let told = if id == issue { &of_issue } else { &of_epic };
            assert_eq!(told["updateWorkItem"], may, "{level}");
        }
        for (id, may) in [(issue, *level >= 50), (house, [15, 50].contains(level))] {
            let query = format!(
                "mutation{{workItemDelete(input:{{id:\"{}\"}}){{namespace{{fullPath}} errors}}}}",
                gid(id)
            );
            let answer = ask(who, &query).await;
            match may {
                true => {
                    let gone = json!({"namespace": {"fullPath": "acme"}, "errors": []});
                    assert_eq!(answer["data"]["workItemDelete"], gone);
                    assert_eq!(item(&admin, id, "id").await, Value::Null);
                }
                false => assert_eq!(message(&answer), NOT_AVAILABLE, "{level}"),
            }
            let told = if id == issue { &of_issue } else { &of_epic };
            assert_eq!(told["deleteWorkItem"], may, "{level}");
        }
        let made = format!(
            "mutation{{workItemCreate(input:{{namespacePath:\"acme\",title:\"x\",{}}}){{errors}}}}",
            of_type(8)
        );
        assert_eq!(message(&ask(who, &made).await).is_empty(), *level >= 15, "{level}");
        let made = format!(
            "mutation{{workItemCreate(input:{{namespacePath:\"acme/anvil\",title:\"x\",{}}}){{errors}}}}",
            of_type(1)
        );
        assert_eq!(message(&ask(who, &made).await).is_empty(), *level >= 1, "{level}");
    }
    let gone = format!("mutation{{workItemDelete(input:{{id:\"{}\"}}){{errors}}}}", gid(99_999));
    assert_eq!(message(&ask(&admin, &gone).await), NOT_AVAILABLE);
}

#[testkit::story]
async fn notes_reactions_and_todos_take_work_items(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let house = epic(&jane, &group, json!({"title": "House"})).await;
    let hinge = jane.post(project.at("/issues?title=Hinge")).await.is(201).id();
    let by_epic = format!("gid://service/Epic/{}", house - BEYOND);
    for id in [gid(house), by_epic, gid(hinge)] {
        let input = format!("noteableId:\"{id}\",body:\"**so**\"");
        let fields = "note{body bodyHtml url userPermissions{adminNote createNote resolveNote} discussion{noteable{__typename}}}";
        let note = run(&jane, "createNote", &input, fields).await;
        assert_eq!(note["note"]["body"], "**so**", "{note}");
        let may = json!({"adminNote": true, "createNote": true, "resolveNote": false});
        assert_eq!(note["note"]["userPermissions"], may, "{id}");
        assert!(note["note"]["url"].as_str().unwrap_or_default().contains("#note_"), "{note}");
        let input = format!("awardableId:\"{id}\",name:\"tada\"");
        let toggled = run(&jane, "awardEmojiToggle", &input, "awardEmoji{name} toggledOn").await;
        assert!(toggled["errors"] == json!([]), "{toggled}");
        let input = format!("targetId:\"{id}\"");
        run(&jane, "todoCreate", &input, "todo{id}").await;
    }
    let notes = jane.get(group.at(&format!("/epics/{}/notes", house - BEYOND))).await.is(200);
    assert_eq!(notes.each("body"), [json!("**so**"), json!("**so**")]);
    let note = notes.json()[0]["id"].clone();
    let input = format!("id:\"gid://service/Note/{note}\",body:\"other\"");
    let changed = run(&jane, "updateNote", &input, "note{body}").await;
    assert_eq!(changed["note"]["body"], "other");
    let input = format!("id:\"gid://service/Note/{note}\"");
    run(&jane, "destroyNote", &input, "note{body}").await;
    let notes = jane.get(group.at(&format!("/epics/{}/notes", house - BEYOND))).await.is(200);
    assert_eq!(notes.each("body").len(), 1);
    let todos = data(&jane, "{currentUser{todos{nodes{targetType}}}}").await;
    let all = todos["currentUser"]["todos"]["nodes"].to_string();
    assert!(all.contains("EPIC") && all.contains("ISSUE"), "{all}");
}
