//! Issues with what stands beside them, and lists of them.

mod lists;

use crate::graphql::{ask, ask_with, data, message};
use serde_json::{Value, json};
use testkit::Client;

/// What a query of `project(fullPath: "acme/anvil")` answers.
async fn anvil(client: &Client, fields: &str) -> Value {
    let query = format!("{{project(fullPath:\"acme/anvil\"){{{fields}}}}}");
    data(client, &query).await["project"].clone()
}

/// The titles of a list of issues.
async fn titles(client: &Client, args: &str) -> Vec<String> {
    let fields = format!("issues({args}){{nodes{{title}} count}}");
    let found = anvil(client, &fields).await["issues"].clone();
    let nodes = found["nodes"].as_array().expect("nodes").clone();
    assert_eq!(found["count"], json!(nodes.len()), "{args}");
    let title = |node: &Value| node["title"].as_str().unwrap_or_default().to_owned();
    nodes.iter().map(title).collect()
}

const WHOLE: &str = "issue(iid:\"1\"){id iid title titleHtml description descriptionHtml state type \
    severity confidential discussionLocked dueDate weight upvotes downvotes userNotesCount blocked \
    subscribed reference full:reference(full:true) webUrl webPath closedAt moved timeEstimate \
    totalTimeSpent humanTimeEstimate author{username} assignees{nodes{username}} \
    labels{nodes{title color textColor} count} milestone{title state expired webPath} \
    epic{iid title state} movedTo{id} taskCompletionStatus{count completedCount} \
    userPermissions{readIssue adminIssue updateIssue createNote} \
    awardEmoji{nodes{name emoji unicode user{username}}}}";

#[testkit::story]
async fn an_issue_is_shown_whole(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    jane.post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    let body = json!({"title": "<b>Hinge", "description": "- [x] look\n- [ ] <script>x</script>",
        "labels": "door,bug", "assignee_ids": [jane.id], "milestone_id": 1, "weight": 3,
        "due_date": "2031-02-01", "issue_type": "incident", "severity": "high"});
    let made = jane.post(project.at("/issues")).json(&body).await.is(201);
    jane.post(project.at("/issues/1/award_emoji"))
        .json(&json!({"name": "thumbsup"}))
        .await
        .is(201);
    jane.post(project.at("/issues/1/time_estimate"))
        .json(&json!({"duration": "1h"}))
        .await
        .is(200);
    let issue = anvil(&jane, WHOLE).await["issue"].clone();
    let html = issue["descriptionHtml"].as_str().unwrap_or_default();
    assert!(html.contains("<li>") && !html.contains("<script"), "{html}");
    let mut rest = issue.clone();
    rest["descriptionHtml"] = json!("");
    assert_eq!(
        rest,
        json!({
            "id": format!("gid://service/Issue/{}", made.id()), "iid": "1", "title": "<b>Hinge",
            "titleHtml": "&lt;b&gt;Hinge", "description": "- [x] look\n- [ ] <script>x</script>",
            "descriptionHtml": "", "state": "opened", "type": "INCIDENT", "severity": "HIGH",
            "confidential": false, "discussionLocked": false, "dueDate": "2031-02-01T00:00:00Z",
            "weight": 3, "upvotes": 1, "downvotes": 0, "userNotesCount": 0, "blocked": false,
            "subscribed": true, "reference": "#1", "full": "acme/anvil#1",
            "webUrl": made.json()["web_url"], "webPath": "/acme/anvil/-/issues/1",
            "closedAt": null, "moved": false, "timeEstimate": 3600, "totalTimeSpent": 0,
            "humanTimeEstimate": "1h", "author": {"username": "jane"},
            "assignees": {"nodes": [{"username": "jane"}]},
            "labels": {"nodes": [{"title": "bug", "color": "#6699cc", "textColor": rest["labels"]["nodes"][0]["textColor"]},
                {"title": "door", "color": "#6699cc", "textColor": rest["labels"]["nodes"][1]["textColor"]}], "count": 2},
            "milestone": {"title": "1.0", "state": "active", "expired": false,
                "webPath": "/acme/anvil/-/milestones/1"},
            "epic": null, "movedTo": null, "taskCompletionStatus": {"count": 2, "completedCount": 1},
            "userPermissions": {"readIssue": true, "adminIssue": true, "updateIssue": true, "createNote": true},
            "awardEmoji": {"nodes": [{"name": "thumbsup", "emoji": "👍", "unicode": "1f44d",
                "user": {"username": "jane"}}]},
        })
    );
    assert_eq!(anvil(&jane, "openIssuesCount").await, json!({"openIssuesCount": 1}));
    let query = format!(
        "{{issue(id:\"gid://service/Issue/{}\"){{title}} node(id:\"gid://service/Issue/{}\"){{__typename}} \
        label: node(id:\"gid://service/ProjectLabel/1\"){{... on Label{{title}}}} \
        milestone(id:\"gid://service/Milestone/1\"){{title project{{path}}}}}}",
        made.id(),
        made.id()
    );
    let found = data(&jane, &query).await;
    assert_eq!(
        found,
        json!({"issue": {"title": "<b>Hinge"}, "node": {"__typename": "Issue"},
        "label": {"title": "door"}, "milestone": {"title": "1.0", "project": {"path": "anvil"}}})
    );
}

#[testkit::story]
async fn hidden_issues_look_like_missing_ones(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (jane, outsider) = (t.user("jane").await, t.user("outsider").await);
    project.add(&jane, 20).await;
    let secret = json!({"title": "Secret", "confidential": true});
    let made = jane.post(project.at("/issues")).json(&secret).await.is(201);
    jane.post(project.at("/issues")).json(&json!({"title": "Open"})).await.is(201);
    let inside = json!({"body": "between us", "internal": true});
    let note = jane.post(project.at("/issues/2/notes")).json(&inside).await.is(201);
    let query = format!(
        "{{issue(id:\"gid://service/Issue/{}\"){{title}} note(id:\"gid://service/Note/{}\"){{body}} \
        project(fullPath:\"acme/anvil\"){{issue(iid:\"1\"){{title}} openIssuesCount \
        issues{{nodes{{title userNotesCount notes{{nodes{{body}}}} discussions{{nodes{{id}}}}}} count}}}}}}",
        made.id(),
        note.id()
    );
    let hidden = json!({"issue": null, "note": null, "project": {"issue": null, "openIssuesCount": 1,
        "issues": {"nodes": [{"title": "Open", "userNotesCount": 0, "notes": {"nodes": []},
            "discussions": {"nodes": []}}], "count": 1}}});
    for stranger in [&*outsider, &t.anonymous()] {
        assert_eq!(data(stranger, &query).await, hidden);
    }
    let seen = data(&jane, &query).await;
    assert_eq!(
        (&seen["issue"]["title"], &seen["note"]["body"]),
        (&json!("Secret"), &json!("between us"))
    );
    assert_eq!(seen["project"]["issues"]["nodes"][0]["userNotesCount"], 1);
    // Who wrote a public issue shows to strangers, as in REST.
    let author = anvil(&t.anonymous(), "issue(iid:\"2\"){author{username}}").await;
    assert_eq!(author["issue"]["author"]["username"], "jane");
    t.admin()
        .put(project.at(""))
        .json(&json!({"issues_access_level": "private"}))
        .await
        .is(200);
    let gone = data(&outsider, &query).await;
    assert_eq!(
        (&gone["project"]["issues"]["count"], &gone["project"]["openIssuesCount"]),
        (&json!(0), &Value::Null)
    );
}

#[testkit::story]
async fn notes_and_discussions_stand_below_what_they_are_about(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let thread = jane
        .post(project.at("/issues/1/discussions"))
        .json(&json!({"body": "**first**"}))
        .await
        .is(201)
        .json();
    let id = thread["id"].as_str().unwrap_or_default();
    jane.post(project.at(&format!("/issues/1/discussions/{id}/notes")))
        .json(&json!({"body": "second"}))
        .await
        .is(201);
    jane.put(project.at("/issues/1"))
        .json(&json!({"confidential": true}))
        .await
        .is(200);
    let fields = "issue(iid:\"1\"){notes{nodes{body bodyHtml system internal resolvable url author{username} \
        project{path} discussion{id} userPermissions{adminNote resolveNote}}} people:notes(filter:ONLY_COMMENTS){nodes{body}} \
        discussions(filter:ONLY_COMMENTS){nodes{id replyId resolved createdAt notes{nodes{body}} \
        noteable{__typename ... on Issue{title} notes(first:1){nodes{body}}}}}}";
    let issue = anvil(&jane, fields).await["issue"].clone();
    let notes = issue["notes"]["nodes"].as_array().expect("notes").clone();
    assert_eq!(
        notes.iter().map(|one| one["body"].clone()).collect::<Vec<_>>(),
        [json!("**first**"), json!("second"), json!("made the issue confidential")]
    );
    let gid = format!("gid://service/Discussion/{id}");
    assert_eq!(
        (&notes[0]["discussion"]["id"], &notes[0]["project"]["path"]),
        (&json!(gid), &json!("anvil"))
    );
    assert_eq!((&notes[0]["system"], &notes[2]["system"]), (&json!(false), &json!(true)));
    assert!(
        notes[0]["bodyHtml"]
            .as_str()
            .unwrap_or_default()
            .contains("<strong>first</strong>")
    );
    assert!(
        notes[0]["url"]
            .as_str()
            .unwrap_or_default()
            .contains("/acme/anvil/-/issues/1#note_")
    );
    assert_eq!(notes[0]["userPermissions"], json!({"adminNote": true, "resolveNote": true}));
    assert_eq!(notes[2]["userPermissions"], json!({"adminNote": false, "resolveNote": false}));
    assert_eq!(issue["people"]["nodes"].as_array().map(Vec::len), Some(2));
    let talk = issue["discussions"]["nodes"].clone();
    assert_eq!(
        talk,
        json!([{"id": gid, "replyId": gid, "resolved": false, "createdAt": talk[0]["createdAt"],
        "notes": {"nodes": [{"body": "**first**"}, {"body": "second"}]},
        "noteable": {"__typename": "Issue", "title": "Hinge", "notes": {"nodes": [{"body": "**first**"}]}}}])
    );
}

#[testkit::story]
async fn what_blocks_an_issue_is_told(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    for title in ["wall", "door"] {
        t.admin()
            .post(project.at("/issues"))
            .json(&json!({"title": title}))
            .await
            .is(201);
    }
    let link =
        json!({"target_project_id": project.id, "target_issue_iid": 2, "link_type": "blocks"});
    t.admin().post(project.at("/issues/1/links")).json(&link).await.is(201);
    let fields =
        "issues(sort:created_asc){nodes{title blocked blockedByIssues{nodes{title} count}}}";
    let none = json!({"nodes": [], "count": 0});
    let blocks = json!({"nodes": [{"title": "wall"}], "count": 1});
    assert_eq!(
        anvil(&t.admin(), fields).await["issues"]["nodes"],
        json!([
            {"title": "wall", "blocked": false, "blockedByIssues": none},
            {"title": "door", "blocked": true, "blockedByIssues": blocks},
        ])
    );
    t.admin()
        .put(project.at("/issues/1"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    assert_eq!(anvil(&t.admin(), fields).await["issues"]["nodes"][1]["blocked"], false);
}

#[testkit::story]
async fn ids_of_several_models_are_read(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    let note =
        "mutation($id:NoteableID!){createNote(input:{noteableId:$id,body:\"b\"}){note{body}}}";
    let not = "does not represent an instance of Noteable";
    for (id, text) in [
        ("x".to_owned(), "\"x\" is not a valid Global ID".to_owned()),
        (
            "gid://other/Issue/1".into(),
            "\"gid://other/Issue/1\" is not a Service Global ID".into(),
        ),
    ] {
        let answer = ask_with(&t.admin(), note, json!({"id": id})).await;
        assert_eq!(answer["errors"][0]["extensions"]["problems"][0]["explanation"], text);
    }
    let answer = ask_with(&t.admin(), note, json!({"id": "gid://service/Project/1"})).await;
    assert_eq!(message(&answer), format!("\"gid://service/Project/1\" {not}"));
    let labels = "mutation($id:[LabelID!]){createIssue(input:{projectPath:\"acme/anvil\",title:\"t\",labelIds:$id}){issue{labels{nodes{title}}}}}";
    let made = t
        .admin()
        .post(project.at("/labels"))
        .json(&json!({"name": "bug", "color": "red"}))
        .await
        .is(201)
        .id();
    for model in ["ProjectLabel", "Label"] {
        let id = format!("gid://service/{model}/{made}");
        let answer = ask_with(&t.admin(), labels, json!({"id": [id]})).await;
        assert_eq!(
            answer["data"]["createIssue"]["issue"]["labels"]["nodes"],
            json!([{"title": "bug"}]),
            "{model}"
        );
    }
    let talk = "mutation($id:DiscussionID){createNote(input:{noteableId:\"gid://service/Issue/1\",body:\"b\",discussionId:$id}){note{body}}}";
    let answer = ask_with(&t.admin(), talk, json!({"id": "gid://service/Note/1"})).await;
    let text = "\"gid://service/Note/1\" does not represent an instance of Discussion";
    assert_eq!(answer["errors"][0]["extensions"]["problems"][0]["explanation"], text);
}
