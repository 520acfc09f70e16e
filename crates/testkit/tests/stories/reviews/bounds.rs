//! How much is asked for at once.

use super::graph::{ask, one};
use super::{commit, developer, forge, open};
use serde_json::{Value, json};
use store::sql;
use testkit::{Client, Git, TestProject, TestServer};

/// Writes files of one text each, with their numbers before it.
async fn write(
    client: &Client, project: &TestProject, branch: &str, (begin, count): (&str, usize), text: &str,
) {
    let file = |number: usize| {
        json!({"action": "create", "file_path": format!("{begin}{number}.txt"),
            "content": text})
    };
    let actions: Vec<Value> = (0..count).map(file).collect();
    let mut body = json!({"branch": branch, "commit_message": "Write", "actions": actions});
    if branch != "main" {
        body["start_branch"] = json!("main");
    }
    client.post(project.at("/repository/commits")).json(&body).await.is(201);
}

#[testkit::story]
async fn conflicts_that_are_too_many_are_left_to_git(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let admin = t.admin();
    // More files than 100, and more bytes than 2 MiB.
    let heavy = |mark: &str| format!("{mark}{}", "x".repeat(195 * 1024));
    write(&admin, &project, "anvil", ("many", 101), "anvil\n").await;
    write(&admin, &project, "horn", ("heavy", 11), &heavy("horn")).await;
    write(&admin, &project, "main", ("many", 101), "main\n").await;
    write(&admin, &project, "main", ("heavy", 11), &heavy("main")).await;
    let browser = t.browser("smith").await;
    for (iid, branch) in [(1, "anvil"), (2, "horn")] {
        open(&smith, &project, branch).await;
        t.settle().await;
        let path = format!("/acme/forge/-/merge_requests/{iid}/conflicts");
        let page = browser.get(&path).await.is(200).text();
        assert!(page.contains("There are too many conflicts to resolve them here."), "{iid}");
        assert!(page.contains("git merge FETCH_HEAD"), "{page}");
        assert!(!page.contains("name=\"source_sha\"") && !page.contains("xxxx"), "{iid}");
        assert!(page.len() < 100_000, "{}", page.len());
    }
}

#[testkit::story]
async fn so_many_commits_are_shown_beside_its_own(t: TestServer) {
    let project = forge(&t).await;
    for name in ["one", "two"] {
        commit(&t, &project, "main", name, "x\n").await;
    }
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    let id = open(&t.admin(), &project, "anvil").await.id();
    let filled = t.app().write(move |tx| {
        let now = tx.now();
        for number in 0..499 {
            tx.execute(
                sql!(
                    "insert into merge_request_context_commits
                        (merge_request_id, commit_id, created_at) values ($1, $2, $3)"
                ),
                (id, format!("{number:040x}"), now),
            )?;
        }
        Ok(())
    });
    filled.await.expect("they are written");
    let commits = t.admin().get(project.at("/repository/commits?per_page=2")).await.is(200);
    let [first, second] = &commits.each("id")[..] else {
        panic!("two commits")
    };
    let path = project.at("/merge_requests/1/context_commits");
    let add = async |commits: Value| {
        let body = json!({"commits": commits});
        t.admin().post(&path).json(&body).await
    };
    let full = "Context commits should not be more than 500";
    assert_eq!(add(json!([first, second])).await.is(400).json()["message"], full);
    add(json!([first])).await.is(201);
    assert_eq!(add(json!([second])).await.is(400).json()["message"], full);
}

/// What a query was refused with.
fn fault(answer: &Value) -> &str {
    answer["errors"][0]["message"].as_str().unwrap_or_default()
}

#[testkit::story]
async fn so_many_are_compared_named_and_applied_at_once(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let git = Git::of(&smith);
    git.run(&["clone", "--quiet", &git.url("acme/forge"), "one"]).await.done();
    let branches: Vec<String> = (0..21).map(|number| format!("main:b{number}")).collect();
    let mut push = vec!["push", "--quiet", "origin"];
    push.extend(branches.iter().map(String::as_str));
    git.run_in("one", &push).await.done();
    for number in 0..21 {
        open(&smith, &project, &format!("b{number}")).await;
    }
    t.settle().await;
    let compared = async |count: usize, field: &str| {
        let list = format!("mergeRequests(first:{count}){{nodes{{{field}}}}}");
        let query = format!("{{project(fullPath:\"acme/forge\"){{{list}}}}}");
        ask(&smith, &query).await
    };
    for field in ["diffStats{path}", "diffStatsSummary{fileCount}"] {
        assert_eq!(compared(20, field).await["errors"], Value::Null, "{field}");
        let text = "No more than 20 merge requests are compared at once";
        assert_eq!(fault(&compared(21, field).await), text, "{field}");
    }

    let names: Vec<String> = (0..101).map(|number| format!("\"u{number}\"")).collect();
    let labels: Vec<String> =
        (1..102).map(|id| format!("\"gid://service/ProjectLabel/{id}\"")).collect();
    let (names, labels) = (names.join(","), labels.join(","));
    for (name, field, given) in [
        ("mergeRequestSetAssignees", "assigneeUsernames", &names),
        ("mergeRequestSetReviewers", "reviewerUsernames", &names),
        ("mergeRequestSetLabels", "labelIds", &labels),
    ] {
        let input = format!("projectPath:\"acme/forge\",iid:\"1\",{field}:[{given}]");
        let answer = ask(&smith, &format!("mutation{{{name}(input:{{{input}}}){{errors}}}}")).await;
        assert_eq!(fault(&answer), format!("{field} cannot have more than 100 entries"));
    }
    let input = format!(
        "projectPath:\"acme/forge\",title:\"x\",sourceBranch:\"b1\",targetBranch:\"main\",\
         labels:[{names}]"
    );
    let create = format!("mutation{{mergeRequestCreate(input:{{{input}}}){{errors}}}}");
    assert_eq!(fault(&ask(&smith, &create).await), "labels cannot have more than 100 entries");

    let batch = "/suggestions/batch_apply";
    let ids: Vec<i64> = (1..102).collect();
    let many = smith.put(batch).json(&json!({"ids": ids})).await.is(400).json();
    let text = "400 Bad request - At most 100 suggestions are applied at once";
    assert_eq!(many["message"], text);
    smith.put(batch).json(&json!({"ids": ids[..100]})).await.is(404);
    smith.put(batch).json(&json!({"ids": []})).await.is(400);
}

#[testkit::story]
async fn what_is_undone_together_merges_nothing(t: TestServer) {
    let project = forge(&t).await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    commit(&t, &project, "horn", "horn.txt", "x\n").await;
    let sha = open(&t.admin(), &project, "anvil").await.json()["sha"].clone();
    t.settle().await;
    let at = "projectPath:\"acme/forge\"";
    let draft =
        format!("draft:mergeRequestSetDraft(input:{{{at},iid:\"1\",draft:true}}){{errors}}");
    let accept = format!("mergeRequestAccept(input:{{{at},iid:\"1\",sha:{sha}}}){{errors}}");
    let branches = "sourceBranch:\"horn\",targetBranch:\"main\"";
    let create = format!("mergeRequestCreate(input:{{{at},title:\"x\",{branches}}}){{errors}}");
    for other in [accept, create] {
        let query = json!({"query": format!("mutation{{{draft} other:{other}}}")});
        let sent = t.admin().request(http::Method::POST, "/api/graphql").json(&query);
        let answer = sent.header("x-service-batch", "atomic").await.is(200).json();
        let text = "Code cannot be changed in a request whose mutations are undone together";
        assert_eq!(fault(&answer), text, "{answer}");
        assert_eq!(answer["data"], json!({"draft": null, "other": null}));
    }
    let left = one(&t.admin(), "draft state").await;
    assert_eq!(left, json!({"draft": false, "state": "opened"}));
    let all = t.admin().get(project.at("/merge_requests")).await.is(200);
    assert_eq!(all.each("iid"), [1]);
}
