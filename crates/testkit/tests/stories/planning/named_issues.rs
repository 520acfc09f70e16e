//! Notes of the program that name an issue show to who sees that issue.

use serde_json::{Value, json};

const NOTES: &str = "{project(fullPath:\"acme/anvil\"){issue(iid:\"1\"){
    notes{nodes{body}} discussions{nodes{id}}}}}";

#[testkit::story]
async fn a_note_keeps_a_confidential_issue_to_itself(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let (guest, joe) = (t.user("guest").await, t.user("joe").await);
    project.add(&guest, 10).await;
    project.add(&joe, 10).await;
    let secret = json!({"title": "Secret", "confidential": true, "assignee_ids": [joe.id]});
    for issue in [json!({"title": "Hinge"}), secret, json!({"title": "Door"})] {
        admin.post(project.at("/issues")).json(&issue).await.is(201);
    }
    let links = project.at("/issues/1/links");
    for iid in [2, 3] {
        let to = json!({"target_project_id": project.id, "target_issue_iid": iid});
        admin.post(&links).json(&to).await.is(201);
    }
    let link = admin.get(&links).await.is(200).json()[0]["issue_link_id"].clone();
    admin.delete(format!("{links}/{link}")).await.is(200);
    let clone = json!({"to_project_id": project.id});
    admin.post(project.at("/issues/2/clone")).json(&clone).await.is(201);
    let made = admin.put(project.at("/issues/4")).json(&json!({"confidential": false}));
    made.await.is(200);

    let notes = project.at("/issues/1/notes");
    let all = admin.get(&notes).await.is(200);
    let open = guest.get(&notes).await.is(200);

    let text = |word: &str, iid: i64| json!(format!("{word} #{iid}"));
    let related = "marked this issue as related to";
    assert_eq!(
        all.each("body"),
        [text("removed the relation with", 2), text(related, 3), text(related, 2)]
    );
    assert_eq!((open.each("body"), open.header("x-total")), (vec![text(related, 3)], "1"));
    assert_eq!(joe.get(&notes).await.is(200).each("body").len(), 3);
    // Neither by itself, nor as a discussion, nor to react to.
    let hidden = all.each("id")[0].clone();
    guest.get(format!("{notes}/{hidden}")).await.is(404);
    joe.get(format!("{notes}/{hidden}")).await.is(200);
    guest.get(format!("{notes}/{hidden}/award_emoji")).await.is(404);
    let discussions = project.at("/issues/1/discussions");
    let told = admin.get(&discussions).await.is(200).each("id");
    assert_eq!(told.len(), 3);
    assert_eq!(guest.get(&discussions).await.is(200).header("x-total"), "1");
    let first = told[0].as_str().expect("an id");
    guest.get(format!("{discussions}/{first}")).await.is(404);
    let copy = project.at("/issues/4/notes");
    assert!(admin.get(&copy).await.is(200).each("body").contains(&json!("cloned from #2")));
    assert!(!guest.get(&copy).await.is(200).each("body").contains(&json!("cloned from #2")));
    // The same by GraphQL and on the page.
    let ask = async |client: &testkit::Client| -> Value {
        let request = client.request(http::Method::POST, "/api/graphql");
        let reply = request.json(&json!({"query": NOTES})).await.is(200);
        reply.json()["data"]["project"]["issue"].clone()
    };
    let (whole, part) = (ask(&admin).await, ask(&guest).await);
    let count = |of: &Value, list: &str| of[list]["nodes"].as_array().map(Vec::len);
    assert_eq!((count(&whole, "notes"), count(&whole, "discussions")), (Some(3), Some(3)));
    assert_eq!((count(&part, "notes"), count(&part, "discussions")), (Some(1), Some(1)));
    assert_eq!(part["notes"]["nodes"], json!([{"body": text(related, 3)}]));
    let page = t.browser("guest").await.get("/acme/anvil/-/issues/1").await.is(200).text();
    assert!(page.contains("#3") && !page.contains("#2"), "{page}");
}
