//! Lists of merge requests.

use super::data;
use crate::reviews::{commit, developer, forge, open};
use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer, TestUser};

/// Numbers of a list of the project.
async fn listed(client: &Client, args: &str) -> String {
    let args = match args {
        "" => String::new(),
        args => format!("({args})"),
    };
    let query =
        format!("{{project(fullPath:\"acme/forge\"){{mergeRequests{args}{{nodes{{iid}}}}}}}}");
    numbers(&data(client, &query).await["project"]["mergeRequests"])
}

fn numbers(list: &Value) -> String {
    let nodes = list["nodes"].as_array().expect("a list").iter();
    let iids: Vec<&str> = nodes.filter_map(|it| it["iid"].as_str()).collect();
    iids.join(" ")
}

/// Three merge requests, the first one closed; jane made the second, which has a thumb up,
/// and reviews the third, a draft.
async fn three(t: &TestServer) -> (TestProject, TestUser, TestUser) {
    let project = forge(t).await;
    let smith = developer(t, &project, "smith").await;
    let jane = developer(t, &project, "jane").await;
    for (branch, by) in [("anvil", &smith), ("horn", &jane), ("tongs", &smith)] {
        commit(t, &project, branch, &format!("{branch}.txt"), "x\n").await;
        open(by, &project, branch).await;
    }
    let one = |rest: &str| project.at(&format!("/merge_requests/{rest}"));
    smith.put(one("1")).json(&json!({"state_event": "close"})).await.is(200);
    smith
        .post(one("2/award_emoji"))
        .json(&json!({"name": "thumbsup"}))
        .await
        .is(201);
    let change = json!({"title": "Draft: Tongs", "labels": "iron",
        "assignee_ids": [smith.id], "reviewer_ids": [jane.id]});
    smith.put(one("3")).json(&change).await.is(200);
    (project, smith, jane)
}

#[testkit::story]
async fn lists_are_narrowed_sorted_and_counted(t: TestServer) {
    let (_, smith, _) = three(&t).await;
    for (args, expected) in [
        ("", "3 2 1"),
        ("sort:CREATED_ASC", "1 2 3"),
        ("sort:created_desc", "3 2 1"),
        ("sort:TITLE_ASC", "3 1 2"),
        ("sort:CLOSED_AT_DESC", "1 3 2"),
        ("sort:POPULARITY_DESC", "2 3 1"),
        ("sort:PRIORITY_ASC", "1 2 3"),
        ("sort:MILESTONE_DUE_ASC", "1 2 3"),
        ("state:closed", "1"),
        ("state:opened", "3 2"),
        ("state:all,first:2", "3 2"),
        ("draft:true", "3"),
        ("authorUsername:\"jane\"", "2"),
        ("assigneeUsername:\"smith\"", "3"),
        ("assigneeWildcardId:NONE", "2 1"),
        ("reviewerUsername:\"jane\"", "3"),
        ("reviewerWildcardId:ANY", "3"),
        ("reviewStates:[UNREVIEWED]", "3"),
        ("approvedBy:[\"jane\"]", ""),
        ("labelName:[\"iron\"]", "3"),
        ("labelName:[\"None\"]", "2 1"),
        ("labels:[\"iron\"]", "3"),
        ("milestoneWildcardId:STARTED", ""),
        ("sourceBranches:[\"anvil\",\"horn\"]", "2 1"),
        ("targetBranches:[\"other\"]", ""),
        ("not:{sourceBranches:[\"anvil\"]}", "3 2"),
        ("not:{authorUsername:\"jane\",labelName:[\"iron\"]}", "1"),
        ("search:\"horn\",in:[TITLE]", "2"),
        ("iids:[\"1\",\"3\"]", "3 1"),
        ("createdAfter:\"2100-01-01\"", ""),
        ("myReactionEmoji:\"thumbsup\"", "2"),
    ] {
        assert_eq!(listed(&smith, args).await, expected, "{args}");
    }
    let list = "mergeRequests(first:1,sort:POPULARITY_DESC";
    let fields = "count nodes{iid} pageInfo{endCursor hasNextPage}";
    let query = format!("{{group(fullPath:\"acme\"){{{list}){{{fields}}}}}}}");
    let first = data(&smith, &query).await["group"]["mergeRequests"].clone();
    assert_eq!((numbers(&first).as_str(), &first["count"]), ("2", &json!(3)));
    let after = first["pageInfo"]["endCursor"].as_str().expect("a cursor");
    let query = format!("{{group(fullPath:\"acme\"){{{list},after:\"{after}\"){{{fields}}}}}}}");
    let next = data(&smith, &query).await["group"]["mergeRequests"].clone();
    assert_eq!((numbers(&next).as_str(), &next["pageInfo"]["hasNextPage"]), ("3", &json!(true)));
}

#[testkit::story]
async fn people_have_lists_and_hidden_ones_are_in_none(t: TestServer) {
    let (_, smith, jane) = three(&t).await;
    let vault = t.project_with("acme/vault", "private").await;
    vault.add(&smith, 30).await;
    commit(&t, &vault, "main", "README.md", "# Vault\n").await;
    commit(&t, &vault, "lock", "lock.txt", "x\n").await;
    let body = json!({"title": "A lock", "source_branch": "lock", "target_branch": "main",
        "assignee_ids": [smith.id]});
    let hidden = smith.post(vault.at("/merge_requests")).json(&body).await.is(201).id();

    let query = format!(
        "{{smith:user(username:\"smith\"){{authoredMergeRequests{{count nodes{{title}}}}
            assignedMergeRequests(projectPath:\"acme/forge\"){{count}}}}
        jane:user(username:\"jane\"){{reviewRequestedMergeRequests{{count nodes{{iid}}}}}}
        group(fullPath:\"acme\"){{mergeRequests{{count}}}}
        project(fullPath:\"acme/vault\"){{name}}
        mergeRequest(id:\"gid://service/MergeRequest/{hidden}\"){{title}}
        node(id:\"gid://service/MergeRequest/{hidden}\"){{id}}}}"
    );
    let own = data(&smith, &query).await;
    assert_eq!(own["smith"]["authoredMergeRequests"]["count"], 3);
    assert_eq!(own["smith"]["assignedMergeRequests"]["count"], 1);
    assert_eq!(own["group"]["mergeRequests"]["count"], 4);
    assert_eq!(own["mergeRequest"]["title"], "A lock");
    let seen = data(&jane, &query).await;
    assert_eq!(seen["smith"]["authoredMergeRequests"]["count"], 2);
    assert_eq!(numbers(&seen["jane"]["reviewRequestedMergeRequests"]), "3");
    assert_eq!(seen["group"]["mergeRequests"]["count"], 3);
    for absent in ["project", "mergeRequest", "node"] {
        assert_eq!(seen[absent], Value::Null, "{absent}");
    }
    assert!(!seen.to_string().contains("A lock"));
}

#[testkit::story(noon)]
async fn the_time_until_they_are_merged_is_added_up(t: TestServer) {
    let (forge, admin, jane) = (forge(&t).await, t.admin(), t.user("jane").await);
    let vault = t.project_with("acme/vault", "private").await;
    commit(&t, &vault, "main", "README.md", "# Vault\n").await;
    for (project, branch) in [(&forge, "anvil"), (&forge, "horn"), (&vault, "lock")] {
        commit(&t, project, branch, &format!("{branch}.txt"), "x\n").await;
        open(&admin, project, branch).await;
    }
    let query = "{group(fullPath:\"acme\"){mergeRequests{totalTimeToMerge count}}
        project(fullPath:\"acme/forge\"){mergeRequests(state:opened){totalTimeToMerge}}
        user(username:\"root\"){authoredMergeRequests{totalTimeToMerge}}}";
    let total = |seen: &Value| seen["group"]["mergeRequests"]["totalTimeToMerge"].clone();
    assert_eq!(total(&data(&admin, query).await), Value::Null);

    for (project, seconds) in [(&forge, 3_600), (&vault, 1_800)] {
        t.advance(seconds);
        admin.put(project.at("/merge_requests/1/merge")).json(&json!({})).await.is(200);
    }

    let seen = data(&admin, query).await;
    assert_eq!(total(&seen), json!(9_000.0));
    assert_eq!(seen["group"]["mergeRequests"]["count"], 3);
    assert_eq!(seen["project"]["mergeRequests"]["totalTimeToMerge"], Value::Null);
    let seen = data(&jane, query).await;
    assert_eq!(total(&seen), json!(3_600.0));
    assert_eq!(seen["user"]["authoredMergeRequests"]["totalTimeToMerge"], json!(3_600.0));
}
