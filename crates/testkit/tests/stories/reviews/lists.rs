//! Lists of merge requests, and who sees them.

use super::{commit, developer, forge, open};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn lists_are_narrowed_and_sorted(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let jane = developer(&t, &project, "jane").await;
    for branch in ["anvil", "bellows", "coal"] {
        commit(&t, &project, branch, &format!("{branch}.txt"), "x\n").await;
    }
    open(&smith, &project, "anvil").await;
    open(&smith, &project, "bellows").await;
    open(&jane, &project, "coal").await;
    let change = json!({"labels": "iron", "assignee_id": jane.id, "reviewer_ids": [smith.id]});
    smith.put(project.at("/merge_requests/1")).json(&change).await.is(200);
    smith
        .put(project.at("/merge_requests/2"))
        .json(&json!({"state_event": "close", "title": "Draft: Bellows"}))
        .await
        .is(200);

    let iids = async |query: &str| -> Vec<Value> {
        smith
            .get(project.at(&format!("/merge_requests{query}")))
            .await
            .is(200)
            .each("iid")
    };
    assert_eq!(iids("").await, [json!(3), json!(2), json!(1)]);
    assert_eq!(iids("?sort=asc").await, [json!(1), json!(2), json!(3)]);
    assert_eq!(iids("?state=closed").await, [json!(2)]);
    assert_eq!(iids("?state=opened").await, [json!(3), json!(1)]);
    assert_eq!(iids("?labels=iron").await, [json!(1)]);
    assert_eq!(iids("?labels=None&state=opened").await, [json!(3)]);
    assert_eq!(iids("?not[labels]=iron&state=opened").await, [json!(3)]);
    assert_eq!(iids("?author_username=jane").await, [json!(3)]);
    assert_eq!(iids(&format!("?assignee_id={}", jane.id)).await, [json!(1)]);
    assert_eq!(iids("?reviewer_username=smith").await, [json!(1)]);
    assert_eq!(iids("?reviewer_id=Any").await, [json!(1)]);
    assert_eq!(iids("?wip=yes").await, [json!(2)]);
    assert_eq!(iids("?draft=false").await, [json!(3), json!(1)]);
    assert_eq!(iids("?source_branch=coal").await, [json!(3)]);
    assert_eq!(iids("?search=anvil&in=title").await, [json!(1)]);
    assert_eq!(iids("?iids[]=1&iids[]=3").await, [json!(3), json!(1)]);
    assert_eq!(iids("?approved_by_ids=Any").await, Vec::<Value>::new());
    assert_eq!(iids("?order_by=title&sort=asc").await, [json!(2), json!(1), json!(3)]);
    for wrong in ["author_id=1&author_username=jane", "draft=true&wip=no", "in=x", "state=odd"] {
        smith.get(project.at(&format!("/merge_requests?{wrong}"))).await.is(400);
    }

    let simple = smith
        .get(project.at("/merge_requests?view=simple&iids[]=1"))
        .await
        .is(200)
        .json();
    assert!(simple[0].get("author").is_none() && simple[0]["web_url"].is_string());
    assert_eq!(smith.get("/merge_requests").await.is(200).each("iid"), [json!(2), json!(1)]);
    let reviews = smith.get("/merge_requests?scope=reviews_for_me").await.is(200);
    assert_eq!(reviews.each("iid"), [json!(1)]);
    let group = t.group("acme").await;
    let of_group = jane.get(group.at("/merge_requests?state=opened")).await.is(200);
    assert_eq!(of_group.each("iid"), [json!(3), json!(1)]);
    assert_eq!(of_group.json()[0]["references"]["relative"], "forge!3");
}

#[testkit::story]
async fn strangers_see_what_is_open_to_them(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    let stranger = t.user("stranger").await;

    let nobody = t.anonymous();
    nobody.get("/merge_requests").await.is(401);
    assert_eq!(nobody.get("/merge_requests?scope=all").await.is(200).each("iid"), [json!(1)]);
    stranger.get(project.at("/merge_requests/1")).await.is(200);

    let private = json!({"merge_requests_access_level": "private"});
    t.admin().put(project.at("")).json(&private).await.is(200);
    stranger.get(project.at("/merge_requests/1")).await.is(403);
    assert_eq!(nobody.get("/merge_requests?scope=all").await.is(200).json(), json!([]));
    let hidden = json!({"visibility": "private", "merge_requests_access_level": "enabled"});
    t.admin().put(project.at("")).json(&hidden).await.is(200);
    stranger.get(project.at("/merge_requests/1")).await.is(404);
    assert_eq!(stranger.get("/merge_requests?scope=all").await.is(200).json(), json!([]));
    smith.get(project.at("/merge_requests/1")).await.is(200);
}
