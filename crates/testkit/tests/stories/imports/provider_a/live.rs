//! Imports that keep following until they are cut over.

use super::{Story, each, somebody, told};
use serde_json::{Value, json};
use testkit::TestServer;

fn issue(number: i64, title: &str, updated_at: &str) -> Value {
    json!({"number": number, "title": title, "body": null, "state": "open",
        "user": somebody(21, "ada"), "comments": 0, "created_at": "2019-05-01T10:00:00Z",
        "updated_at": updated_at})
}

#[testkit::story(noon)]
async fn only_what_changed_is_asked_for_again(t: TestServer) {
    let story = Story::begin(&t).await;
    story
        .double
        .of_repository("labels", json!([{"name": "bug", "color": "00ff00"}]));
    let old = issue(1, "Old", "2019-05-01T10:00:00Z");
    story.double.of_repository("issues", json!([old]));
    let project = story.import(&t, json!({"live": true})).await;
    assert_eq!(told(&story.jane, &project).await["import_status"], "started");
    let issues = format!("{project}/issues?order_by=created_at&sort=asc");
    assert_eq!(each(&story.jane, &issues, "iid").await, [json!(1)]);
    assert!(!story.double.asked().iter().any(|url| url.contains("since=")));
    let before = story.double.unchanged();

    t.advance(300);
    let now = t.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let fresh = [issue(1, "Renamed", &now), issue(2, "New", &now)];
    story.double.of_repository("issues", json!(fresh));
    t.settle().await;
    let asked = story.double.asked();
    let has = |begin: &str, part: &str| {
        asked.iter().any(|url| url.starts_with(begin) && url.contains(part))
    };
    assert!(has("/repos/acme/source/issues?", "since="), "{asked:?}");
    assert!(has("/repos/acme/source/issues/comments?", "since="), "{asked:?}");
    assert!(has("/repos/acme/source/pulls/comments?", "since="), "{asked:?}");
    assert!(has("/repos/acme/source/pulls?", "sort=updated"), "{asked:?}");
    assert!(story.double.unchanged() > before, "what did not change costs nothing");
    let mut titles = each(&story.jane, &issues, "title").await;
    titles.sort_by_key(Value::to_string);
    assert_eq!(titles, ["New", "Renamed"]);

    story.jane.post(format!("{project}/import/cut_over")).await.is(200);
    t.settle().await;
    assert_eq!(told(&story.jane, &project).await["import_status"], "finished");
}
