//! Changing issues, notes, labels and reactions.

use crate::graphql::{ask, ask_with, data, message};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::Client;

const AT: &str = "projectPath:\"acme/anvil\",iid:\"1\"";
const NOT_AVAILABLE: &str = "The resource that you are attempting to access does not exist or \
    you don't have permission to perform this action";

/// What a mutation of issue 1 answers beside `errors`, which are empty.
async fn set(client: &Client, name: &str, input: &str, fields: &str) -> Value {
    let query = format!("mutation{{{name}(input:{{{AT},{input}}}){{issue{{{fields}}} errors}}}}");
    let answer = data(client, &query).await[name].clone();
    assert_eq!(answer["errors"], json!([]), "{query}");
    answer["issue"].clone()
}

/// The payload of a mutation of something else.
async fn run(client: &Client, name: &str, input: &str, fields: &str) -> Value {
    let query = format!("mutation{{{name}(input:{{{input}}}){{{fields} errors}}}}");
    data(client, &query).await[name].clone()
}

#[testkit::story]
async fn an_issue_is_made_with_all_its_marks(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    jane.post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    let input = format!(
        "projectPath:\"acme/anvil\",title:\"Hinge\",description:\"oil\",type:INCIDENT,confidential:true,\
        locked:true,dueDate:\"2031-02-01\",labels:[\"bug\"],assigneeIds:[\"gid://service/User/{}\"],\
        milestoneId:\"gid://service/Milestone/1\",weight:2,clientMutationId:\"7\"",
        joe.id
    );
    let made = run(&jane, "createIssue", &input, "clientMutationId issue{iid type confidential discussionLocked dueDate \
        labels{nodes{title}} assignees{nodes{username}} milestone{title} weight description author{username}}").await;
    assert_eq!(
        made,
        json!({"clientMutationId": "7", "errors": [], "issue": {"iid": "1", "type": "INCIDENT",
        "confidential": true, "discussionLocked": true, "dueDate": "2031-02-01T00:00:00Z",
        "labels": {"nodes": [{"title": "bug"}]}, "assignees": {"nodes": [{"username": "joe"}]},
        "milestone": {"title": "1.0"}, "weight": 2, "description": "oil", "author": {"username": "jane"}}})
    );
    // What a guest may not set is left out, as in REST.
    let hers = run(
        &joe,
        "createIssue",
        "projectPath:\"acme/anvil\",title:\"b\",labels:[\"bug\"],iid:77",
        "issue{iid labels{nodes{title}}}",
    )
    .await;
    assert_eq!(hers["issue"], json!({"iid": "2", "labels": {"nodes": []}}));
    let blank = run(
        &jane,
        "createIssue",
        "projectPath:\"acme/anvil\",title:\" \"",
        "issue{iid}",
    )
    .await;
    assert_eq!(
        blank,
        json!({"issue": null, "errors": ["Title can't be blank"]})
    );
    for (who, path) in [
        (&*t.user("outsider").await, "acme/anvil"),
        (&*jane, "acme/nothing"),
    ] {
        let query = format!(
            "mutation{{createIssue(input:{{projectPath:\"{path}\",title:\"t\"}}){{issue{{iid}}}}}}"
        );
        let answer = ask(who, &query).await;
        assert_eq!(
            (message(&answer), &answer["data"]["createIssue"]),
            (NOT_AVAILABLE, &Value::Null)
        );
    }
}

#[testkit::story]
async fn one_thing_is_set_at_a_time(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    jane.post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    for (name, input, fields, wanted) in [
        (
            "issueSetLocked",
            "locked:true",
            "discussionLocked",
            json!({"discussionLocked": true}),
        ),
        (
            "issueSetConfidential",
            "confidential:true",
            "confidential",
            json!({"confidential": true}),
        ),
        (
            "issueSetDueDate",
            "dueDate:\"2031-02-01\"",
            "dueDate",
            json!({"dueDate": "2031-02-01T00:00:00Z"}),
        ),
        (
            "issueSetDueDate",
            "dueDate:null",
            "dueDate",
            json!({"dueDate": null}),
        ),
        ("issueSetWeight", "weight:4", "weight", json!({"weight": 4})),
        (
            "issueSetSeverity",
            "severity:LOW",
            "severity",
            json!({"severity": "LOW"}),
        ),
        (
            "issueSetSubscription",
            "subscribedState:false",
            "subscribed",
            json!({"subscribed": false}),
        ),
        (
            "issueSetSubscription",
            "subscribedState:true",
            "subscribed",
            json!({"subscribed": true}),
        ),
        (
            "updateIssue",
            "title:\"Door\",description:\"d\",stateEvent:CLOSE",
            "title description state",
            json!({"title": "Door", "description": "d", "state": "closed"}),
        ),
        (
            "updateIssue",
            "description:null,stateEvent:REOPEN,weight:null",
            "description state weight",
            json!({"description": null, "state": "opened", "weight": null}),
        ),
        (
            "updateIssue",
            "clientMutationId:\"nothing\"",
            "title",
            json!({"title": "Door"}),
        ),
    ] {
        assert_eq!(
            set(&jane, name, input, fields).await,
            wanted,
            "{name} {input}"
        );
    }
    let names = |mode: &str, who: &str| format!("assigneeUsernames:{who},operationMode:{mode}");
    let assigned = "assignees{nodes{username}}";
    for (mode, who, wanted) in [
        (
            "REPLACE",
            "[\"jane\",\"nobody\"]",
            json!([{"username": "jane"}]),
        ),
        (
            "APPEND",
            "[\"joe\"]",
            json!([{"username": "jane"}, {"username": "joe"}]),
        ),
        ("REMOVE", "[\"jane\"]", json!([{"username": "joe"}])),
    ] {
        let issue = set(&jane, "issueSetAssignees", &names(mode, who), assigned).await;
        assert_eq!(issue["assignees"]["nodes"], wanted, "{mode}");
    }
    // Who may see an issue may not change it for that.
    let query = format!("mutation{{issueSetLocked(input:{{{AT},locked:false}}){{issue{{iid}}}}}}");
    assert_eq!(message(&ask(&joe, &query).await), NOT_AVAILABLE);
    let bad =
        format!("mutation{{issueSetWeight(input:{{{AT},weight:-1}}){{issue{{iid}} errors}}}}");
    assert_eq!(
        data(&jane, &bad).await["issueSetWeight"],
        json!({"issue": null,
        "errors": ["Weight must be greater than or equal to 0"]})
    );
    let read = t.token_of(jane.id, &["read_api"]).await;
    assert_eq!(message(&ask(&read, &query).await), NOT_AVAILABLE);
    assert_eq!(message(&ask(&t.anonymous(), &query).await), NOT_AVAILABLE);
}

#[testkit::story]
async fn types_that_there_are_none_of_find_and_make_nothing(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    admin
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    for (types, found) in [
        ("[TEST_CASE,REQUIREMENT]", 0),
        ("[EPIC]", 0),
        ("[EPIC,ISSUE]", 1),
        ("[]", 1),
    ] {
        for (filter, wanted) in [
            (format!("types:{types}"), found),
            ("not:{types:[TEST_CASE]}".to_owned(), 1),
        ] {
            let query =
                format!("{{project(fullPath:\"acme/anvil\"){{issues({filter}){{count}}}}}}");
            assert_eq!(
                data(&admin, &query).await["project"]["issues"]["count"],
                wanted,
                "{filter}"
            );
        }
    }
    let text = json!(["Type is not supported"]);
    let made = run(
        &admin,
        "createIssue",
        "projectPath:\"acme/anvil\",title:\"b\",type:TEST_CASE",
        "issue{iid}",
    )
    .await;
    assert_eq!(made, json!({"issue": null, "errors": text}));
    let query = format!("mutation{{updateIssue(input:{{{AT},type:EPIC}}){{issue{{iid}} errors}}}}");
    assert_eq!(
        data(&admin, &query).await["updateIssue"],
        json!({"issue": null, "errors": text})
    );
}

#[testkit::story]
async fn an_issue_moves_where_its_mover_reports(t: testkit::TestServer) {
    let (from, to) = (t.project("acme/anvil").await, t.project("acme/bolt").await);
    let jane = t.user("jane").await;
    from.add(&jane, 20).await;
    jane.post(from.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    let query = format!(
        "mutation{{issueMove(input:{{{AT},targetProjectPath:\"acme/bolt\"}}){{issue{{reference(full:true)}} errors}}}}"
    );
    let refused = ask(&jane, &query).await;
    let missing = ask(&jane, &query.replace("bolt", "nothing")).await;
    assert_eq!(
        (message(&refused), message(&missing)),
        (NOT_AVAILABLE, NOT_AVAILABLE)
    );
    to.add(&jane, 20).await;
    let moved = data(&jane, &query).await;
    assert_eq!(
        moved["issueMove"],
        json!({"issue": {"reference": "acme/bolt#1"}, "errors": []})
    );
    let old = data(
        &jane,
        "{project(fullPath:\"acme/anvil\"){issue(iid:\"1\"){state movedTo{reference(full:true)}}}}",
    )
    .await;
    assert_eq!(
        old["project"]["issue"],
        json!({"state": "closed", "movedTo": {"reference": "acme/bolt#1"}})
    );
}

#[testkit::story]
async fn notes_are_written_changed_and_deleted(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    let made = jane
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201)
        .id();
    let about = format!("noteableId:\"gid://service/Issue/{made}\"");
    let fields = "note{id body internal discussion{id} author{username}}";
    let note = run(
        &joe,
        "createNote",
        &format!("{about},body:\"mine\""),
        fields,
    )
    .await["note"]
        .clone();
    assert_eq!(
        (&note["body"], &note["author"]["username"]),
        (&json!("mine"), &json!("joe"))
    );
    let answer = format!(
        "{about},body:\"answer\",internal:true,discussionId:{}",
        note["discussion"]["id"]
    );
    let inner = run(&jane, "createNote", &answer, fields).await["note"].clone();
    assert_eq!(
        (&inner["discussion"]["id"], &inner["internal"]),
        (&note["discussion"]["id"], &json!(true))
    );
    let changed = run(
        &joe,
        "updateNote",
        &format!("id:{},body:\"ours\"", note["id"]),
        fields,
    )
    .await;
    assert_eq!(changed["note"]["body"], "ours");
    let blank = run(
        &joe,
        "updateNote",
        &format!("id:{},body:\" \"", note["id"]),
        fields,
    )
    .await;
    assert_eq!(
        blank,
        json!({"note": null, "errors": ["Note can't be blank"]})
    );
    let done = run(
        &jane,
        "createNote",
        &format!("{about},body:\"/close\""),
        fields,
    )
    .await;
    assert_eq!(
        done,
        json!({"note": null, "errors": []}),
        "commands alone leave no note"
    );
    for (who, query) in [
        (
            &joe,
            format!("updateNote(input:{{id:{},body:\"x\"}})", inner["id"]),
        ),
        (&joe, format!("destroyNote(input:{{id:{}}})", inner["id"])),
        (
            &t.user("outsider").await,
            format!("createNote(input:{{{about},body:\"x\"}})"),
        ),
    ] {
        let answer = ask(who, &format!("mutation{{{query}{{errors}}}}")).await;
        assert_eq!(message(&answer), NOT_AVAILABLE, "{query}");
    }
    let gone = run(
        &joe,
        "destroyNote",
        &format!("id:{}", note["id"]),
        "note{id}",
    )
    .await;
    assert_eq!(gone, json!({"note": null, "errors": []}));
    let query = format!("{{note(id:{}){{body}}}}", note["id"]);
    assert_eq!(data(&jane, &query).await, json!({"note": null}));
}

#[testkit::story]
async fn reactions_come_and_go(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, outsider) = (t.user("jane").await, t.user("outsider").await);
    project.add(&jane, 10).await;
    let made = jane
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201)
        .id();
    let note = jane
        .post(project.at("/issues/1/notes"))
        .json(&json!({"body": "b"}))
        .await
        .is(201)
        .id();
    for id in [
        format!("gid://service/Issue/{made}"),
        format!("gid://service/Note/{note}"),
    ] {
        let input = format!("awardableId:\"{id}\",name:\"tada\"");
        let award = "awardEmoji{name user{username}}";
        let added = run(&jane, "awardEmojiAdd", &input, award).await;
        assert_eq!(
            added["awardEmoji"],
            json!({"name": "tada", "user": {"username": "jane"}})
        );
        let again = run(&jane, "awardEmojiAdd", &input, award).await;
        assert_eq!(
            again,
            json!({"awardEmoji": null, "errors": ["Name has already been taken"]})
        );
        let off = run(
            &jane,
            "awardEmojiToggle",
            &input,
            "toggledOn awardEmoji{name}",
        )
        .await;
        assert_eq!(
            off,
            json!({"toggledOn": false, "awardEmoji": null, "errors": []})
        );
        let on = run(&jane, "awardEmojiToggle", &input, "toggledOn").await;
        assert_eq!(on["toggledOn"], true);
        assert_eq!(
            run(&jane, "awardEmojiRemove", &input, "awardEmoji{name}").await["errors"],
            json!([])
        );
        let bad = run(
            &jane,
            "awardEmojiAdd",
            &input.replace("tada", "no emoji"),
            award,
        )
        .await;
        assert_eq!(bad["errors"], json!(["Name is not a valid emoji name"]));
        let query = format!("mutation{{awardEmojiAdd(input:{{{input}}}){{errors}}}}");
        assert_eq!(message(&ask(&outsider, &query).await), NOT_AVAILABLE);
    }
}

#[testkit::story]
async fn labels_are_made_in_projects_and_groups(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    project.add(&jane, 20).await;
    project.add(&guest, 10).await;
    let input = "projectPath:\"acme/anvil\",title:\"bug\",color:\"#ff0000\",description:\"*bad*\"";
    let made = run(
        &jane,
        "labelCreate",
        input,
        "label{title color description descriptionHtml subscribed archived}",
    )
    .await;
    assert_eq!(made["label"]["color"], "#ff0000");
    assert!(
        made["label"]["descriptionHtml"]
            .as_str()
            .unwrap_or_default()
            .contains("<em>bad</em>")
    );
    let again = run(&jane, "labelCreate", input, "label{title}").await;
    assert_eq!(
        again,
        json!({"label": null, "errors": ["Label already exists"]})
    );
    let bad = run(
        &jane,
        "labelCreate",
        "projectPath:\"acme/anvil\",title:\"x\",color:\"reddish\"",
        "label{title}",
    )
    .await;
    assert_eq!(bad["errors"], json!(["Color must be a valid color code"]));
    let group = run(
        &t.admin(),
        "labelCreate",
        "groupPath:\"acme\",title:\"ours\"",
        "label{id color}",
    )
    .await;
    assert!(
        group["label"]["id"]
            .as_str()
            .unwrap_or_default()
            .starts_with("gid://service/GroupLabel/")
    );
    for (who, input, text) in [
        (
            &*guest,
            "projectPath:\"acme/anvil\",title:\"x\"",
            NOT_AVAILABLE,
        ),
        (&*jane, "groupPath:\"acme\",title:\"x\"", NOT_AVAILABLE),
        (
            &*jane,
            "title:\"x\"",
            "Please provide either projectPath or groupPath argument, but not both.",
        ),
    ] {
        let answer = ask(
            who,
            &format!("mutation{{labelCreate(input:{{{input}}}){{errors}}}}"),
        )
        .await;
        assert_eq!(message(&answer), text);
    }
}

#[testkit::story]
async fn of_label_changes_at_once_none_is_lost(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    let mut ids = Vec::new();
    for n in 0..8 {
        let body = json!({"name": format!("l{n}"), "color": "red"});
        ids.push(
            t.admin()
                .post(project.at("/labels"))
                .json(&body)
                .await
                .is(201)
                .id(),
        );
    }
    let admin = Arc::new(t.admin());
    let adds: Vec<_> = ids
        .iter()
        .map(|id| {
            let (admin, id) = (admin.clone(), *id);
            tokio::spawn(async move {
                let input = format!("addLabelIds:[\"gid://service/ProjectLabel/{id}\"]");
                set(&admin, "updateIssue", &input, "iid").await
            })
        })
        .collect();
    for add in adds {
        add.await.expect("an answer");
    }
    let query = "{project(fullPath:\"acme/anvil\"){issue(iid:\"1\"){labels{count some:count(limit:3)}} labels{count some:count(limit:3)}}}";
    let counted = data(&admin, query).await["project"].clone();
    let eight = json!({"count": 8, "some": 4});
    assert_eq!(
        (&counted["issue"]["labels"], &counted["labels"]),
        (&eight, &eight)
    );
    let input = format!("removeLabelIds:[{}],addLabelIds:[]", ids[0]);
    let left = set(&admin, "updateIssue", &input, "labels{count}").await;
    assert_eq!(left["labels"]["count"], 7);
}

#[testkit::story]
async fn todos_are_marked_done_and_restored(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    for (title, text) in [("one", "see @joe"), ("two", "")] {
        let body = json!({"title": title, "description": text, "assignee_ids": [joe.id]});
        jane.post(project.at("/issues")).json(&body).await.is(201);
    }
    let list = "{currentUser{todos{nodes{id action state targetType body targetUrl author{username} project{path} group{path} \
        target{__typename webUrl ... on Issue{title}}}}}}";
    let todos = data(&joe, list).await["currentUser"]["todos"]["nodes"].clone();
    let of = |key: &str| {
        todos
            .as_array()
            .expect("todos")
            .iter()
            .map(|one| one[key].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of("action"),
        [json!("assigned"), json!("mentioned"), json!("assigned")]
    );
    assert_eq!(
        (&todos[0]["target"]["title"], &todos[0]["targetType"]),
        (&json!("two"), &json!("ISSUE"))
    );
    assert_eq!(
        (&todos[0]["body"], &todos[0]["author"]["username"]),
        (&json!("two"), &json!("jane"))
    );
    assert_eq!(todos[0]["target"]["webUrl"], todos[0]["targetUrl"]);
    let id = todos[0]["id"].clone();
    let done = run(&joe, "todoMarkDone", &format!("id:{id}"), "todo{id state}").await;
    assert_eq!(done["todo"], json!({"id": id, "state": "done"}));
    for (args, count) in [
        ("", 2),
        ("(state:[done])", 1),
        ("(state:[done,pending])", 3),
        ("(action:[mentioned])", 1),
        ("(type:[ALERT])", 0),
        ("(authorId:[\"1\"])", 0),
        ("(projectId:[\"1\"])", 2),
    ] {
        let query = format!("{{currentUser{{todos{args}{{nodes{{id}}}}}}}}").replace(
            "\"1\"])",
            &match args.contains("project") {
                true => format!("\"gid://service/Project/{}\"])", project.id),
                false => "\"1\"])".to_owned(),
            },
        );
        let found = data(&joe, &query).await;
        assert_eq!(
            found["currentUser"]["todos"]["nodes"]
                .as_array()
                .map(Vec::len),
            Some(count),
            "{args}"
        );
    }
    let back = run(&joe, "todoRestore", &format!("id:{id}"), "todo{state}").await;
    assert_eq!(back["todo"]["state"], "pending");
    let all = run(&joe, "todosMarkAllDone", "", "todos{id}").await;
    assert_eq!(all["todos"].as_array().map(Vec::len), Some(3));
    let ids = json!(of("id"));
    let many = run(
        &joe,
        "todoRestoreMany",
        &format!("ids:{ids}"),
        "todos{state}",
    )
    .await;
    assert_eq!(many["todos"].as_array().map(Vec::len), Some(3));
    let about = "targetId:\"gid://service/Issue/1\"";
    assert_eq!(
        run(&joe, "todosMarkAllDone", about, "todos{id}").await["todos"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    let made = run(&jane, "todoCreate", about, "todo{action body}").await;
    assert_eq!(made["todo"], json!({"action": "marked", "body": "one"}));
    let again = run(&jane, "todoCreate", about, "todo{id}").await;
    assert_eq!(
        again,
        json!({"todo": null, "errors": ["There is such a to-do already"]})
    );
    let hers = data(
        &jane,
        "{project(fullPath:\"acme/anvil\"){issue(iid:\"1\"){currentUserTodos{nodes{action}}}}}",
    )
    .await;
    assert_eq!(
        hers["project"]["issue"]["currentUserTodos"]["nodes"],
        json!([{"action": "marked"}])
    );
    // To-dos are their owner's alone.
    for query in [
        format!("mutation{{todoMarkDone(input:{{id:{id}}}){{errors}}}}"),
        "mutation{todoCreate(input:{targetId:\"gid://service/Issue/99\"}){errors}}".to_owned(),
    ] {
        assert_eq!(message(&ask(&jane, &query).await), NOT_AVAILABLE, "{query}");
    }
    assert_eq!(
        data(&jane, &format!("{{todo(id:{id}){{state}}}}")).await,
        json!({"todo": null})
    );
    let other = ask_with(
        &jane,
        "query($u:String){user(username:$u){todos{nodes{id}}}}",
        json!({"u": "joe"}),
    )
    .await;
    assert_eq!(other["data"]["user"]["todos"], Value::Null);
    // What may no longer be seen is no longer told of.
    t.admin()
        .delete(project.at(&format!("/members/{}", joe.id)))
        .await
        .is(204);
    let left = data(&joe, list).await["currentUser"]["todos"]["nodes"].clone();
    assert_eq!(left, json!([]));
    let hidden = data(
        &joe,
        &format!("{{todo(id:{id}){{target{{webUrl}} body targetUrl project{{path}}}}}}"),
    )
    .await;
    assert_eq!(
        hidden["todo"],
        json!({"target": null, "body": "", "targetUrl": null, "project": null})
    );
}
