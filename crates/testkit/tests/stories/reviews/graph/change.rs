//! Mutations of merge requests.

use super::{act, ask, data, mutation, one, set};
use crate::reviews::{commit, developer, forge, open};
use serde_json::{Value, json};
use testkit::{TestServer, TestUser};

#[testkit::story]
async fn merge_requests_are_made_and_changed(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let jane = developer(&t, &project, "jane").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    let input = "projectPath:\"acme/forge\",title:\"An anvil\",sourceBranch:\"anvil\",\
        targetBranch:\"main\",description:\"Heavy\",labels:[\"iron\"]";
    let create = mutation("mergeRequestCreate", input, "mergeRequest{iid labels{nodes{id title}}}");
    let made = data(&smith, &create).await["done"].clone();
    assert_eq!((&made["errors"], &made["mergeRequest"]["iid"]), (&json!([]), &json!("1")));
    let label = made["mergeRequest"]["labels"]["nodes"][0]["id"].clone();
    let twin = data(&smith, &create).await["done"].clone();
    let text = "Another open merge request already exists for this source branch: !1";
    assert_eq!((&twin["errors"], &twin["mergeRequest"]), (&json!([text]), &Value::Null));

    let update = "title:\"The anvil\",description:null,state:CLOSED,timeEstimate:\"1h 30m\"";
    let fields = "title description state timeEstimate";
    let changed = set(&smith, "mergeRequestUpdate", update, fields).await;
    let expected = json!({"title": "The anvil", "description": null, "state": "closed",
        "timeEstimate": 5400});
    assert_eq!(changed, expected);
    let opened = set(&smith, "mergeRequestUpdate", "state:OPEN", "state").await;
    assert_eq!(opened["state"], "opened");
    let refused = act(&smith, "mergeRequestUpdate", "timeEstimate:\"x\"", "iid").await;
    let text = "Time estimate must have a valid format and be greater than or equal to zero.";
    assert_eq!((&refused["errors"], &refused["mergeRequest"]), (&json!([text]), &Value::Null));

    let fields = "title draft";
    let draft = set(&smith, "mergeRequestSetDraft", "draft:true", fields).await;
    assert_eq!(draft, json!({"title": "Draft: The anvil", "draft": true}));
    let ready = set(&smith, "mergeRequestSetDraft", "draft:false", fields).await;
    assert_eq!(ready, json!({"title": "The anvil", "draft": false}));
    let locked = set(&smith, "mergeRequestSetLocked", "locked:true", "discussionLocked").await;
    assert_eq!(locked["discussionLocked"], true);

    let fields = "assignees{nodes{username}}";
    for (input, expected) in [
        ("assigneeUsernames:[\"smith\"]", json!([{"username": "smith"}])),
        (
            "assigneeUsernames:[\"jane\"],operationMode:APPEND",
            json!([{"username": "smith"}, {"username": "jane"}]),
        ),
        (
            "assigneeUsernames:[\"smith\"],operationMode:REMOVE",
            json!([{"username": "jane"}]),
        ),
    ] {
        let now = set(&smith, "mergeRequestSetAssignees", input, fields).await;
        assert_eq!(now["assignees"]["nodes"], expected, "{input}");
    }
    let input = format!("labelIds:[{label}],operationMode:REMOVE");
    let bare = set(&smith, "mergeRequestSetLabels", &input, "labels{count}").await;
    assert_eq!(bare["labels"]["count"], 0);
    let goal = smith
        .post(project.at("/milestones"))
        .json(&json!({"title": "v1"}))
        .await
        .is(201)
        .id();
    let input = format!("milestoneId:\"gid://service/Milestone/{goal}\"");
    let aimed = set(&smith, "mergeRequestSetMilestone", &input, "milestone{title}").await;
    assert_eq!(aimed["milestone"]["title"], "v1");
    let told =
        set(&jane, "mergeRequestSetSubscription", "subscribedState:false", "subscribed").await;
    assert_eq!(told["subscribed"], false);
    let stranger = t.user("stranger").await;
    let input = "projectPath:\"acme/forge\",iid:\"1\",draft:true";
    let refused = ask(&stranger, &mutation("mergeRequestSetDraft", input, "")).await;
    assert_eq!(refused["data"]["done"], Value::Null, "{refused}");
    assert_eq!(refused["errors"][0]["extensions"]["code"], "notAvailable");
    assert_eq!(one(&smith, "draft").await["draft"], false);
}

#[testkit::story]
async fn reviewers_want_changes_and_are_asked_again(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let jane = developer(&t, &project, "jane").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    let fields = "reviewers{nodes{username mergeRequestInteraction{reviewState}}}";
    let state =
        |it: &Value| it["reviewers"]["nodes"][0]["mergeRequestInteraction"]["reviewState"].clone();
    let asked =
        set(&smith, "mergeRequestSetReviewers", "reviewerUsernames:[\"jane\"]", fields).await;
    assert_eq!(state(&asked), "UNREVIEWED");
    let wanted = set(&jane, "mergeRequestRequestChanges", "", "iid").await;
    assert_eq!(wanted["iid"], "1");
    assert_eq!(state(&one(&smith, fields).await), "REQUESTED_CHANGES");
    let none = act(&smith, "mergeRequestRequestChanges", "", "iid").await;
    assert_eq!(none["errors"], json!(["Reviewer not found"]));
    let input = format!("userId:\"gid://service/User/{}\"", jane.id);
    let again = set(&smith, "mergeRequestReviewerRereview", &input, fields).await;
    assert_eq!(state(&again), "UNREVIEWED");
    let input = format!("userId:\"gid://service/User/{}\"", smith.id);
    let none = act(&smith, "mergeRequestReviewerRereview", &input, "iid").await;
    assert_eq!(none["errors"], json!(["Reviewer not found"]));
}

#[testkit::story]
async fn wanted_changes_are_taken_back_by_who_wanted_them(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let jane = developer(&t, &project, "jane").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    let reviewers = async |by: &TestUser, names: &str, mode: &str| {
        let input = format!("reviewerUsernames:[\"{names}\"],operationMode:{mode}");
        let fields = "reviewers{nodes{username}}";
        set(by, "mergeRequestSetReviewers", &input, fields).await["reviewers"]["nodes"].clone()
    };
    let both = json!([{"username": "smith"}, {"username": "jane"}]);
    reviewers(&smith, "smith", "REPLACE").await;
    assert_eq!(reviewers(&jane, "jane", "APPEND").await, both);
    let left = reviewers(&jane, "smith", "REMOVE").await;
    assert_eq!(left, json!([{"username": "jane"}]));
    set(&jane, "mergeRequestRequestChanges", "", "iid").await;

    let name = "mergeRequestDestroyRequestedChanges";
    let none = act(&smith, name, "", "iid").await;
    let back = set(&jane, name, "", "reviewers{nodes{mergeRequestInteraction{reviewState}}}").await;
    let again = act(&jane, name, "", "iid").await;

    let refused = json!(["User has not requested changes for this merge request"]);
    assert_eq!((&none["errors"], &again["errors"]), (&refused, &refused));
    let state = json!([{"mergeRequestInteraction": {"reviewState": "UNREVIEWED"}}]);
    assert_eq!(back["reviewers"]["nodes"], state);
}

#[testkit::story]
async fn merges_are_refused_in_the_payload(t: TestServer) {
    let project = forge(&t).await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    let admin = t.admin();
    let body = json!({"title": "Draft: An anvil", "source_branch": "anvil",
        "target_branch": "main"});
    let made = admin.post(project.at("/merge_requests")).json(&body).await.is(201).json();
    let sha = made["sha"].as_str().expect("a head").to_owned();
    let wrong = format!("sha:\"{}\"", "1".repeat(sha.len()));
    let refused = act(&admin, "mergeRequestAccept", &wrong, "state").await;
    let text = format!("SHA does not match HEAD of source branch: {sha}");
    assert_eq!(refused["errors"], json!([text]));
    assert_eq!(refused["mergeRequest"]["state"], "opened");
    let right = format!("sha:\"{sha}\",commitMessage:\"An anvil comes\"");
    let refused = act(&admin, "mergeRequestAccept", &right, "state").await;
    let errors = refused["errors"].as_array().expect("errors");
    assert_eq!(errors[0], "This merge request cannot be merged.");
    assert!(errors.contains(&json!("It is a draft.")), "{errors:?}");

    let stranger = t.user("stranger").await;
    let input = format!("projectPath:\"acme/forge\",iid:\"1\",{right}");
    let denied = ask(&stranger, &mutation("mergeRequestAccept", &input, "")).await;
    assert_eq!(denied["errors"][0]["extensions"]["code"], "notAvailable", "{denied}");
    set(&admin, "mergeRequestSetDraft", "draft:false", "draft").await;
    let fields = "state mergeUser{username} mergeCommitSha mergeable";
    let merged = set(&admin, "mergeRequestAccept", &right, fields).await;
    assert_eq!(
        (&merged["state"], &merged["mergeUser"]["username"], &merged["mergeable"]),
        (&json!("merged"), &json!("root"), &json!(false))
    );
    let id = merged["mergeCommitSha"].as_str().expect("a commit");
    let written = admin.get(project.at(&format!("/repository/commits/{id}"))).await.is(200);
    assert_eq!(written.json()["title"], "An anvil comes");
}

#[testkit::story]
async fn notes_stand_in_what_differs(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    commit(&t, &project, "anvil", "anvil.txt", "a\nb\n").await;
    let id = open(&smith, &project, "anvil").await.id();
    t.settle().await;
    let refs = one(&smith, "diffRefs{headSha startSha}").await["diffRefs"].clone();
    let begin = |line: i64| {
        let input = format!(
            "noteableId:\"gid://service/MergeRequest/{id}\",body:\"Why?\",position:{{headSha:{},\
                startSha:{},paths:{{newPath:\"anvil.txt\"}},newLine:{line}}}",
            refs["headSha"], refs["startSha"]
        );
        let fields = "note{body position{filePath oldLine newLine positionType x \
            diffRefs{headSha}} discussion{id resolvable resolved}}";
        mutation("createDiffNote", &input, fields)
    };
    let refused = data(&smith, &begin(9)).await["done"].clone();
    let texts = ["Line code can't be blank", "Line code must be a valid line code"];
    assert_eq!((&refused["errors"], &refused["note"]), (&json!(texts), &Value::Null));
    let done = data(&smith, &begin(2)).await["done"].clone();
    assert_eq!(done["errors"], json!([]));
    let position = json!({"filePath": "anvil.txt", "oldLine": null, "newLine": 2,
        "positionType": "text", "x": null, "diffRefs": {"headSha": refs["headSha"]}});
    assert_eq!((&done["note"]["body"], &done["note"]["position"]), (&json!("Why?"), &position));
    let discussion = &done["note"]["discussion"];
    assert_eq!(
        (&discussion["resolvable"], &discussion["resolved"]),
        (&json!(true), &json!(false))
    );

    let input = format!(
        "noteableId:\"gid://service/MergeRequest/{id}\",body:\"Here\",position:{{headSha:{},\
            startSha:{},paths:{{newPath:\"anvil.txt\"}},width:10,height:20,x:1,y:2}}",
        refs["headSha"], refs["startSha"]
    );
    let fields = "note{position{positionType newLine width height x y}}";
    let point =
        data(&smith, &mutation("createImageDiffNote", &input, fields)).await["done"].clone();
    let position = json!({"positionType": "image", "newLine": null, "width": 10, "height": 20,
        "x": 1, "y": 2});
    assert_eq!(point, json!({"errors": [], "note": {"position": position}}));

    let input = format!("noteableId:\"gid://service/MergeRequest/{id}\",body:\"And why?\"");
    let query = mutation("createDiscussion", &input, "note{position{x} discussion{resolvable}}");
    let note = data(&smith, &query).await["done"]["note"].clone();
    assert_eq!(note, json!({"position": null, "discussion": {"resolvable": true}}));
    let input = format!("id:{},resolve:true", discussion["id"]);
    let fields = "discussion{resolved resolvedBy{username}}";
    let query = mutation("discussionToggleResolve", &input, fields);
    let toggled = data(&smith, &query).await["done"]["discussion"].clone();
    assert_eq!(toggled, json!({"resolved": true, "resolvedBy": {"username": "smith"}}));
    let counts = one(&smith, "resolvableDiscussionsCount resolvedDiscussionsCount").await;
    let expected = json!({"resolvableDiscussionsCount": 3, "resolvedDiscussionsCount": 1});
    assert_eq!(counts, expected);
    let refused = ask(&t.anonymous(), &begin(1)).await;
    assert_eq!(refused["errors"][0]["extensions"]["code"], "notAvailable", "{refused}");
}
