//! Issues of a project and of a group.

use super::*;

#[testkit::story]
async fn issues_pass_filters(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    for goal in [
        json!({"title": "now", "start_date": "2020-01-01"}),
        json!({"title": "later", "due_date": "2999-01-01"}),
    ] {
        jane.post(project.at("/milestones")).json(&goal).await.is(201);
    }
    for body in [
        json!({"title": "one", "labels": "bug,door", "assignee_ids": [joe.id], "milestone_id": 1, "weight": 3}),
        json!({"title": "two", "labels": "bug", "confidential": true, "milestone_id": 2, "due_date": "2031-01-01"}),
        json!({"title": "three", "description": "of one kind", "issue_type": "incident", "weight": 1}),
    ] {
        jane.post(project.at("/issues")).json(&body).await.is(201);
    }
    jane.put(project.at("/issues/3"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    jane.post(project.at("/issues/1/award_emoji"))
        .json(&json!({"name": "tada"}))
        .await
        .is(201);
    for (args, wanted) in [
        ("state:opened", vec!["two", "one"]),
        ("state:closed", vec!["three"]),
        ("state:all,sort:CREATED_ASC", vec!["one", "two", "three"]),
        ("state:locked", vec![]),
        ("labelName:[\"bug\",\"door\"]", vec!["one"]),
        ("labelName:[\"Any\"]", vec!["two", "one"]),
        ("labelName:\"None\"", vec!["three"]),
        ("milestoneTitle:[\"now\",\"later\"]", vec!["two", "one"]),
        ("milestoneWildcardId:NONE", vec!["three"]),
        ("milestoneWildcardId:STARTED", vec!["one"]),
        ("milestoneWildcardId:UPCOMING", vec!["two"]),
        ("assigneeUsername:\"joe\"", vec!["one"]),
        ("assigneeWildcardId:NONE", vec!["three", "two"]),
        ("assigneeId:\"any\"", vec!["one"]),
        ("authorUsername:\"joe\"", vec![]),
        ("confidential:true", vec!["two"]),
        ("iids:[\"1\",\"3\"]", vec!["three", "one"]),
        ("iid:\"2\"", vec!["two"]),
        ("search:\"one\"", vec!["three", "one"]),
        ("search:\"one\",in:[TITLE]", vec!["one"]),
        ("types:[INCIDENT,TASK]", vec!["three"]),
        ("weight:\"3\"", vec!["one"]),
        ("weight:\"none\"", vec!["two"]),
        ("myReactionEmoji:\"tada\"", vec!["one"]),
        ("myReactionEmoji:\"None\"", vec!["three", "two"]),
        ("not:{labelName:[\"bug\"]}", vec!["three"]),
        ("not:{types:[INCIDENT],assigneeUsernames:[\"joe\"]}", vec!["two"]),
        ("not:{myReactionEmoji:\"tada\"}", vec!["three", "two"]),
        ("or:{labelNames:[\"door\",\"nothing\"]}", vec!["one"]),
        (
            "or:{authorUsernames:[\"joe\",\"jane\"],assigneeUsernames:[\"joe\"]}",
            vec!["one"],
        ),
        ("createdBefore:\"2001-01-01\"", vec![]),
        ("closedAfter:\"2001-01-01T00:00:00Z\"", vec!["three"]),
        ("sort:TITLE_ASC", vec!["one", "three", "two"]),
        ("sort:WEIGHT_ASC", vec!["three", "one", "two"]),
        ("sort:WEIGHT_DESC", vec!["one", "three", "two"]),
        ("sort:DUE_DATE_ASC", vec!["two", "one", "three"]),
        ("sort:POPULARITY_DESC,state:opened", vec!["two", "one"]),
        ("epicId:\"1\"", vec![]),
    ] {
        assert_eq!(titles(&jane, args).await, wanted, "{args}");
    }
    let many = format!("iids:{}", json!(vec!["1"; 101]));
    let query = format!("{{project(fullPath:\"acme/anvil\"){{issues({many}){{count}}}}}}");
    assert_eq!(message(&ask(&jane, &query).await), "iids cannot have more than 100 entries");
    let bare = ask(&jane, "{issues{nodes{title}}}").await;
    assert_eq!(message(&bare), "You must provide at least one filter argument for this query");
    let all =
        data(&jane, "{issues(state:opened){nodes{title} count limited:count(limit:1)}}").await;
    assert_eq!(
        all["issues"],
        json!({"nodes": [{"title": "two"}, {"title": "one"}], "count": 2, "limited": 2})
    );
    // The same reactions by REST.
    for (query, count) in [("tada", 1), ("Any", 1), ("none", 2)] {
        let path = project.at(&format!("/issues?my_reaction_emoji={query}"));
        assert_eq!(jane.get(path).await.is(200).each("id").len(), count, "{query}");
    }
    assert_eq!(
        jane.get(project.at("/issues?not[my_reaction_emoji]=tada"))
            .await
            .is(200)
            .each("id")
            .len(),
        2
    );
    assert_eq!(
        joe.get(project.at("/issues?my_reaction_emoji=tada")).await.is(200).json(),
        json!([])
    );
}

#[testkit::story]
async fn pages_go_forth_and_back(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    for (n, due) in [(1, "2031-01-02"), (2, ""), (3, "2031-01-01"), (4, "")] {
        let body = json!({"title": format!("n{n}"), "due_date": due});
        t.admin().post(project.at("/issues")).json(&body).await.is(201);
    }
    for sort in ["created_desc", "DUE_DATE_ASC", "DUE_DATE_DESC", "WEIGHT_ASC", "TITLE_ASC"] {
        let all = titles(&t.admin(), &format!("sort:{sort}")).await;
        let page = |args: String| {
            let fields = format!(
                "issues(sort:{sort},{args}){{nodes{{title}} pageInfo{{startCursor endCursor hasNextPage}}}}"
            );
            let admin = t.admin();
            async move { anvil(&admin, &fields).await["issues"].clone() }
        };
        let first = page("first:3".into()).await;
        assert_eq!(first["pageInfo"]["hasNextPage"], true);
        let second = page(format!("first:3,after:{}", first["pageInfo"]["endCursor"])).await;
        let back = page(format!("last:3,before:{}", second["pageInfo"]["startCursor"])).await;
        assert_eq!(back["nodes"], first["nodes"], "{sort}");
        let both: Vec<&Value> = [&first, &second]
            .iter()
            .flat_map(|page| page["nodes"].as_array().expect("nodes"))
            .map(|one| &one["title"])
            .collect();
        assert_eq!(
            both,
            all.iter().map(|one| json!(one)).collect::<Vec<_>>().iter().collect::<Vec<_>>(),
            "{sort}"
        );
    }
}

#[testkit::story]
async fn groups_show_what_their_projects_have(t: testkit::TestServer) {
    let (top, below) = (t.project("acme/anvil").await, t.project("acme/tools/saw").await);
    let jane = t.user("jane").await;
    top.add(&jane, 20).await;
    let group = t.group("acme").await;
    for (project, title) in [(&top, "in anvil"), (&below, "in saw")] {
        t.admin()
            .post(project.at("/issues"))
            .json(&json!({"title": title, "labels": "own"}))
            .await
            .is(201);
    }
    for (path, body) in [
        ("labels", json!({"name": "ours", "color": "red"})),
        ("milestones", json!({"title": "all"})),
    ] {
        t.admin().post(format!("/groups/{}/{path}", group.id)).json(&body).await.is(201);
    }
    let query = "{group(fullPath:\"acme\"){issues{nodes{title} count} deep:issues(includeSubgroups:true){nodes{title} count} \
        labels{nodes{title} count} milestones{nodes{title groupMilestone group{path}}} projects{nodes{path \
        labels{nodes{title}} all:labels(includeAncestorGroups:true,searchTerm:\"O\"){nodes{title} count} \
        label(title:\"ours\"){title id} milestones(includeAncestors:true){nodes{title}}}}}}";
    let seen = data(&t.admin(), query).await["group"].clone();
    assert_eq!(
        seen,
        json!({
            "issues": {"nodes": [{"title": "in anvil"}], "count": 1},
            "deep": {"nodes": [{"title": "in saw"}, {"title": "in anvil"}], "count": 2},
            "labels": {"nodes": [{"title": "ours"}], "count": 1},
            "milestones": {"nodes": [{"title": "all", "groupMilestone": true, "group": {"path": "acme"}}]},
            "projects": {"nodes": [{"path": "anvil", "labels": {"nodes": [{"title": "own"}]},
                "all": {"nodes": [{"title": "ours"}, {"title": "own"}], "count": 2},
                "label": {"title": "ours", "id": seen["projects"]["nodes"][0]["label"]["id"]},
                "milestones": {"nodes": [{"title": "all"}]}}]},
        })
    );
    let id = seen["projects"]["nodes"][0]["label"]["id"].as_str().unwrap_or_default();
    assert!(id.starts_with("gid://service/GroupLabel/"), "{id}");
    let hers = data(&jane, query).await;
    assert_eq!(hers["group"]["deep"]["count"], 1, "what is hidden is not counted");
}
