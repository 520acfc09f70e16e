//! Labels and to-dos.

use super::*;

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
    assert_eq!(again, json!({"label": null, "errors": ["Label already exists"]}));
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
        (&*guest, "projectPath:\"acme/anvil\",title:\"x\"", NOT_AVAILABLE),
        (&*jane, "groupPath:\"acme\",title:\"x\"", NOT_AVAILABLE),
        (
            &*jane,
            "title:\"x\"",
            "Please provide either projectPath or groupPath argument, but not both.",
        ),
    ] {
        let answer =
            ask(who, &format!("mutation{{labelCreate(input:{{{input}}}){{errors}}}}")).await;
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
        ids.push(t.admin().post(project.at("/labels")).json(&body).await.is(201).id());
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
    assert_eq!((&counted["issue"]["labels"], &counted["labels"]), (&eight, &eight));
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
    assert_eq!(of("action"), [json!("assigned"), json!("mentioned"), json!("assigned")]);
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
            found["currentUser"]["todos"]["nodes"].as_array().map(Vec::len),
            Some(count),
            "{args}"
        );
    }
    let back = run(&joe, "todoRestore", &format!("id:{id}"), "todo{state}").await;
    assert_eq!(back["todo"]["state"], "pending");
    let all = run(&joe, "todosMarkAllDone", "", "todos{id}").await;
    assert_eq!(all["todos"].as_array().map(Vec::len), Some(3));
    let ids = json!(of("id"));
    let many = run(&joe, "todoRestoreMany", &format!("ids:{ids}"), "todos{state}").await;
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
    assert_eq!(again, json!({"todo": null, "errors": ["There is such a to-do already"]}));
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
    assert_eq!(data(&jane, &format!("{{todo(id:{id}){{state}}}}")).await, json!({"todo": null}));
    let other = ask_with(
        &jane,
        "query($u:String){user(username:$u){todos{nodes{id}}}}",
        json!({"u": "joe"}),
    )
    .await;
    assert_eq!(other["data"]["user"]["todos"], Value::Null);
    // What may no longer be seen is no longer told of.
    t.admin().delete(project.at(&format!("/members/{}", joe.id))).await.is(204);
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
