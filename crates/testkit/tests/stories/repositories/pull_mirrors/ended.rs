//! What ends a mirror, and what does not.

use super::{Pair, outcome, run};
use serde_json::json;
use store::sql;
use testkit::{TestServer, TestUser};

/// A port that nobody listens at.
fn closed_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// What somebody was told of mirrors by mail.
fn mails_to(t: &TestServer, user: &TestUser) -> Vec<String> {
    let address = format!("{}@example.com", user.username);
    let mails = t.app().mailer().sent().into_iter();
    let of_mirrors = mails.filter(|it| it.to == address && it.subject.contains("its mirror"));
    of_mirrors.map(|it| it.text).collect()
}

#[testkit::story(noon)]
async fn fourteen_failures_in_a_row_switch_it_off(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let mia = t.user("mia").await;
    pair.project.add(&mia, 40).await;
    let nowhere = json!({"url": format!("http://127.0.0.1:{}/x.git", closed_port())});
    pair.follow(&mia, nowhere.clone()).await;
    t.settle().await;
    for failures in 1..14 {
        let told = pair.shown(&t).await;
        assert_eq!((outcome(&told).0, &told["enabled"]), ("failed", &json!(true)));
        assert!(!outcome(&told).1.is_empty() && mails_to(&t, &mia).is_empty());
        // It is asked less and less often: half a day later always.
        let due = "repositories.pull_mirrors_due";
        let before = told["last_update_at"].clone();
        t.advance(3_599);
        run(&t, due, json!({})).await;
        let is_early = pair.shown(&t).await["last_update_at"] == before;
        assert!(is_early, "after {failures} failures");
        t.advance(12 * 3600);
        run(&t, due, json!({})).await;
        assert_ne!(pair.shown(&t).await["last_update_at"], before);
    }
    let told = pair.shown(&t).await;
    assert_eq!((outcome(&told).0, &told["enabled"]), ("failed", &json!(false)));
    let mails = mails_to(&t, &mia);
    assert_eq!(mails.len(), 1, "to who maintains the project: {mails:?}");
    for text in ["acme/anvil", "14 times", outcome(&told).1, "/-/settings/mirrors"] {
        assert!(mails[0].contains(text), "{}", mails[0]);
    }
    let refused = mia.post(pair.mirror()).await.is(400).json();
    assert_eq!(refused["message"], "400 Bad request - The project is not mirrored");
    let page = t.browser("mia").await.get("/acme/anvil").await.is(200).text();
    assert!(page.contains("It failed so often that it is switched off"), "{page}");

    // Somebody looks after it, and it begins anew.
    pair.follow(&mia, json!({})).await;
    assert_eq!(outcome(&pair.again(&t).await), ("finished", ""));
    mia.put(pair.mirror()).json(&nowhere).await.is(200);
    pair.again(&t).await;
    assert_eq!(pair.shown(&t).await["enabled"], true, "one failure is the first again");
}

#[testkit::story(noon)]
async fn who_set_it_up_has_to_maintain_the_project_still(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let (mia, kim) = (t.user("mia").await, t.user("kim").await);
    pair.project.add(&mia, 40).await;
    pair.project.add(&kim, 40).await;
    pair.follow(&mia, json!({})).await;
    t.settle().await;
    let first = pair.id_here("refs/heads/main").await;
    assert_eq!(outcome(&pair.shown(&t).await), ("finished", ""));
    let member = pair.project.at(&format!("/members/{}", mia.id));
    t.admin().put(&member).json(&json!({"access_level": 30})).await.is(200);
    pair.git.commit("one", "more.txt", "two\n").await;
    pair.push(&["main"]).await;
    let told = pair.again(&t).await;
    let (status, said) = outcome(&told);
    assert_eq!(status, "failed");
    assert!(said.starts_with("The user as whom this mirror acts may not push"), "{said}");
    assert_eq!(pair.id_here("refs/heads/main").await, first);
    // Whoever changes it takes it over.
    kim.put(pair.mirror()).json(&json!({"enabled": true})).await.is(200);
    assert_eq!(outcome(&pair.again(&t).await), ("finished", ""));
    let shown = t.admin().get(pair.project.at("")).await.is(200).json();
    assert_eq!(shown["mirror_user_id"], kim.id);
}

#[testkit::story(noon)]
async fn what_a_server_left_in_the_middle_is_taken_up_and_nothing_runs_twice(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    let id = pair.follow(&t.admin(), json!({})).await["id"].clone();
    t.settle().await;
    let newest = pair.git.commit("one", "more.txt", "two\n").await;
    pair.push(&["main"]).await;
    let left = t
        .app()
        .write(|tx| Ok(tx.execute(sql!("update pull_mirrors set update_status = 'started'"), ())?));
    left.await.unwrap();
    run(&t, "repositories.pull_mirror", json!({"mirror": id})).await;
    assert_eq!(outcome(&pair.shown(&t).await), ("finished", ""));
    assert_eq!(pair.id_here("refs/heads/main").await, Some(newest.clone()));
    // One that has ended is over, however many jobs come after it.
    let before = pair.shown(&t).await;
    t.advance(60);
    run(&t, "repositories.pull_mirror", json!({"mirror": id})).await;
    assert_eq!(pair.shown(&t).await, before);

    // While another node is at it, this one waits.
    pair.git.commit("one", "more.txt", "three\n").await;
    pair.push(&["main"]).await;
    t.advance(300);
    let payload = json!({"mirror": id});
    let elsewhere = t.app().write(move |tx| {
        let (now, later) = (tx.now(), tx.now() + std::time::Duration::from_secs(60));
        Ok(tx.execute(
            sql!(
                "insert into jobs (name, payload, state, leased_by, lease_until, attempts,
                    run_at, created_at, updated_at)
                 values ('repositories.pull_mirror', $1, 'running', 'other', $2, 1, $3, $3, $3)"
            ),
            (store::Json(payload.clone()), later, now),
        )?)
    });
    elsewhere.await.unwrap();
    t.admin().post(pair.mirror()).await.is(202);
    let waits = async || {
        let now = t.now();
        let queued = t.app().read(move |tx| {
            let count: i64 = tx.one(
                sql!(
                    "select count(*) from jobs where name = 'repositories.pull_mirror'
                        and state = 'queued' and run_at > $1"
                ),
                (now,),
            )?;
            Ok(count)
        });
        queued.await.unwrap() == 1
    };
    crate::alerts::until("it is put off", waits).await;
    assert_eq!(pair.shown(&t).await["update_status"], "scheduled");
    assert_eq!(pair.id_here("refs/heads/main").await, Some(newest));
    let ends = t
        .app()
        .write(|tx| Ok(tx.execute(sql!("delete from jobs where leased_by = 'other'"), ())?));
    ends.await.unwrap();
    t.advance(10);
    t.settle().await;
    assert_eq!(outcome(&pair.shown(&t).await), ("finished", ""));
    assert_eq!(pair.refs("acme/anvil").await, pair.refs("acme/source").await);
}

#[testkit::story(noon)]
async fn a_mirror_of_nothing_any_more_is_done(t: TestServer) {
    let pair = Pair::begin(&t).await;
    pair.push(&["main"]).await;
    pair.follow(&t.admin(), json!({})).await;
    t.settle().await;
    pair.push(&["main:refs/heads/late"]).await;
    t.admin().post(pair.mirror()).await.is(202);
    t.admin().post(pair.project.at("/archive")).await.is(201);
    t.advance(300);
    t.settle().await;
    t.admin().post(pair.project.at("/unarchive")).await.is(201);
    assert_eq!(pair.names_here().await, ["refs/heads/main"], "an archived project stays");
    t.admin().put(pair.mirror()).json(&json!({"enabled": false})).await.is(200);
    t.settle().await;
    assert_eq!(pair.names_here().await, ["refs/heads/main"]);
    let off = json!({"import_url": null});
    t.admin().put(pair.project.at("")).json(&off).await.is(200);
    t.admin().get(pair.mirror()).await.is(404);
    t.admin().post(pair.mirror()).await.is(404);
}
