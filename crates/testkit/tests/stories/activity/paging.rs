//! Pages of long lists.

use serde_json::{Value, json};
use store::Fragment;
use testkit::TestServer;
use testkit::{TestProject, TestUser};

/// Writes comments of an issue as the server would have.
async fn sow(t: &TestServer, project: &TestProject, author: &TestUser, count: i64) {
    let (project, author) = (project.id, author.id);
    let sown = t.app().write(move |tx| {
        for _ in 0..count {
            let mut sow = Fragment::new(
                "insert into activity_events (project_id, author_id, action, target_type,
                    target_id, created_at)
                 select project_id, ",
            );
            sow.bind(author)
                .raw(", action, target_type, target_id, created_at from activity_events")
                .push(" where target_type = 'Issue' and project_id = ", project)
                .raw(" order by id limit 1");
            tx.change_by(sow)?;
        }
        Ok(())
    });
    sown.await.expect("they are written");
}

#[testkit::story]
async fn a_long_list_is_walked_without_gaps_while_it_grows(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    sow(&t, &project, &jane, 1_200).await;
    for path in ["/events?".to_owned(), project.at("/events?"), "/events?scope=all&".to_owned()] {
        let first = jane.get(format!("{path}per_page=100")).await.is(200);
        assert_eq!(first.header("x-total"), "", "{path}: longer than anybody counts");
        let mut ids = first.each("id");
        for page in 2..=13 {
            let next = jane.get(format!("{path}per_page=100&page={page}")).await.is(200);
            ids.extend(next.each("id"));
            if page == 5 {
                // What is new moves the pages on by one.
                sow(&t, &project, &jane, 1).await;
            }
        }
        let mut whole = ids.iter().filter_map(Value::as_i64).collect::<Vec<_>>();
        let read = whole.len();
        assert!(whole.is_sorted_by(|one, next| one >= next), "{path}: newest first");
        whole.dedup();
        assert_eq!(read - whole.len(), 1, "{path}: one row came again, none was left out");

        let oldest = jane.get(format!("{path}per_page=100&sort=asc")).await.is(200).each("id");
        let second = jane.get(format!("{path}per_page=100&sort=asc&page=2")).await.is(200);
        assert!(oldest.last().map(Value::as_i64) < second.each("id").first().map(Value::as_i64));
        let beyond = jane.get(format!("{path}per_page=100&page=99")).await.is(200);
        assert_eq!(beyond.json(), json!([]), "{path}");
    }
}

#[testkit::story]
async fn what_is_hidden_meanwhile_is_on_no_page(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 30).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    sow(&t, &project, &jane, 1_200).await;
    let path = project.at("/events?per_page=100&page=");
    assert_eq!(joe.get(format!("{path}1")).await.is(200).each("id").len(), 100);
    assert_eq!(joe.get(format!("{path}2")).await.is(200).each("id").len(), 100);
    jane.put(project.at("/issues/1"))
        .json(&json!({"confidential": true}))
        .await
        .is(200);
    // Pages that were read a moment ago begin where they began, without what is
    // hidden now.
    for page in [1, 2, 3] {
        let shown = joe.get(format!("{path}{page}")).await.is(200);
        assert!(shown.each("id").len() <= 2, "page {page}");
        let about = shown.each("target_type");
        assert!(about.iter().all(Value::is_null), "page {page} shows the issue");
    }
}

#[testkit::story]
async fn few_projects_are_read_among_many(t: TestServer) {
    let jane = t.user("jane").await;
    let mut all = Vec::new();
    for name in ["anvil", "bellows", "tongs"] {
        let project = t.project(&format!("acme/{name}")).await;
        project.add(&jane, 30).await;
        for _ in 0..3 {
            let made = jane.post(project.at("/issues")).json(&json!({"title": name})).await;
            all.push(made.is(201).id());
        }
    }
    all.reverse();
    let ids = async |query: &str| -> Vec<i64> {
        let path = format!("/events?scope=all&target_type=issue&{query}");
        let ids = jane.get(path).await.is(200).each("target_id");
        ids.iter().filter_map(Value::as_i64).collect()
    };
    assert_eq!(ids("").await, all);
    assert_eq!(ids("per_page=2").await, all[..2]);
    assert_eq!(ids("per_page=2&page=3").await, all[4..6]);
    assert_eq!(ids("per_page=2&page=5").await, all[8..]);
    all.reverse();
    assert_eq!(ids("sort=asc&per_page=4&page=2").await, all[4..8]);
    let total = jane.get("/events?scope=all&target_type=issue").await;
    assert_eq!(total.header("x-total"), "9");
}
