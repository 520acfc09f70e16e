//! Two people at once at the page of one epic.

use super::*;

#[testkit::story]
async fn two_at_once_lose_nothing(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 20).await;
    let joe = t.user("joe").await;
    group.add(&joe, 20).await;
    let top = made(&jane, &group, json!({"title": "top"})).await["id"].clone();
    let mut ids = Vec::new();
    for title in ["a", "b", "c", "d"] {
        let body = json!({"title": title, "parent_id": top});
        ids.push(made(&jane, &group, body).await["id"].to_string());
    }
    let (one, other) = (t.browser("jane").await, t.browser("joe").await);
    let (tree, parent) = (format!("{ONE}/tree"), top.to_string());
    let down = [("deed", "down"), ("child", ids[0].as_str()), ("parent", parent.as_str())];
    let up = [("deed", "up"), ("child", ids[3].as_str()), ("parent", parent.as_str())];
    let (first, second) = tokio::join!(one.post(&tree, &down), other.post(&tree, &up));
    first.is(303);
    second.is(303);
    let order = jane.get(group.at("/epics/1/epics")).await.is(200).each("title");
    assert_eq!(order, ["b", "a", "d", "c"]);

    // Of two who take the same out, one is told that it is gone.
    let gone = [("deed", "remove"), ("child", ids[1].as_str()), ("parent", parent.as_str())];
    let (first, second) = tokio::join!(one.post(&tree, &gone), other.post(&tree, &gone));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 404]);

    // Different fields do not undo each other.
    let labels = [("action", "labels"), ("labels", "bug")];
    let due = [("action", "due"), ("from", "fixed"), ("due_date", "2031-01-01")];
    let (first, second) = tokio::join!(one.post(ONE, &labels), other.post(ONE, &due));
    first.is(303);
    second.is(303);
    let shown = jane.get(group.at("/epics/1")).await.is(200).json();
    assert_eq!((&shown["labels"], &shown["due_date"]), (&json!(["bug"]), &json!("2031-01-01")));
}
