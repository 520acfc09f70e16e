//! Many who are told, and two nodes that tell.

use super::mail::told;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use testkit::{TestProject, TestServer, TestUser};

/// Statements sent so far by requests that write notes.
fn sent(t: &TestServer) -> u64 {
    let of = "http_request_statements_total{method=\"POST\",route=\"/api/v4/projects/{id}/issues/";
    let text = t.app().metrics().render();
    let lines = text.lines().filter(|one| one.starts_with(of) && one.contains("/notes\""));
    lines.filter_map(|one| one.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

async fn note(t: &TestServer, user: &TestUser, project: &TestProject) -> u64 {
    let before = sent(t);
    let note = json!({"body": "A note."});
    user.post(project.at("/issues/1/notes")).json(&note).await.is(201);
    sent(t) - before
}

/// Makes people who watch a project, as jane is, by a few statements for all of them.
async fn crowd(t: &TestServer, project: &TestProject, many: i64) {
    let id = project.id;
    let made = t.app().write(move |tx| {
        tx.execute(
            "insert into users (username, username_folded, name, name_folded, email, email_folded,
                kind, state, is_admin, is_external, password_expired, confirmed_at,
                projects_limit, can_create_group, page_theme, page_density,
                first_day_of_week, created_at, updated_at)
             with recursive numbers(n) as
                (select 1 union all select n + 1 from numbers where n < cast($1 as bigint))
             select 'watcher' || n, 'watcher' || n, 'watcher' || n, 'watcher' || n,
                'watcher' || n || '@example.com', 'watcher' || n || '@example.com',
                jane.kind, jane.state, false, false, false, jane.created_at,
                jane.projects_limit, jane.can_create_group, jane.page_theme,
                jane.page_density, jane.first_day_of_week, jane.created_at, jane.created_at
             from numbers, users jane where jane.username = 'jane'",
            (many,),
        )?;
        tx.execute(
            "insert into members (source_type, source_id, user_id, access_level, created_at,
                updated_at)
             select 'Project', p.id, u.id, 20, u.created_at, u.created_at
             from users u, projects p where u.username like 'watcher%' and p.id = $1",
            (id,),
        )?;
        Ok(tx.execute(
            "insert into notification_settings (user_id, source_type, source_id, level,
                events, updated_at)
             select u.id, 'Project', p.id, 'watch', '{}', u.created_at
             from users u, projects p where u.username like 'watcher%' and p.id = $1",
            (id,),
        )?)
    });
    assert_eq!(made.await.expect("a crowd"), many.unsigned_abs());
}

/// How many watch; no more are told of one thing.
const MANY: i64 = 1_000;
/// Requests of each kind of which the quickest counts: what else the machine does
/// makes some of them slow.
const TRIES: usize = 4;
/// How often at most: on a busy machine four may all be disturbed.
const MOST_TRIES: usize = 60;
/// How much longer a request may take.
const RATIO: f64 = 1.5;

/// Forgets what waits to be sent, so that it is not sent while something is measured; what is
/// being sent is waited for.
async fn send_nothing(t: &TestServer) {
    loop {
        let left = t.app().write(|tx| {
            let waiting = "delete from jobs where name = 'planning.tell' and state = 'queued'";
            tx.execute(waiting, ())?;
            Ok(tx.one::<i64>("select count(*) from jobs where name like 'planning.%'", ())?)
        });
        if left.await.expect("jobs can be counted") == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Takes the mails that wait to be sent, once it is known who is told: whom they go to. To
/// send one takes as long as a request, and the first few are sent as all would be.
async fn taken(t: &TestServer) -> Vec<String> {
    const UNKNOWN: &str = "select count(*) from jobs where name = 'planning.notify'";
    while t.app().read(|tx| Ok(tx.one::<i64>(UNKNOWN, ())?)).await.expect("a count") > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let taken = t.app().write(|tx| {
        let jobs: Vec<(Value,)> = tx.all(
            "delete from jobs where name = 'planning.tell' and state = 'queued'
             returning payload",
            (),
        )?;
        let mut addresses: Vec<String> = Vec::new();
        for (tell,) in jobs {
            let user = tell["user"].as_i64();
            addresses.push(tx.one("select email from users where id = $1", (user,))?);
        }
        Ok(addresses)
    });
    taken.await.expect("what waits")
}

/// How many times as long the one takes as the other, by the quickest of each: asked until it is
/// within [`RATIO`], since what else runs on the machine only ever adds to a time.
async fn ratio(t: &TestServer, user: &TestUser, (one, other): (&str, &str)) -> f64 {
    let note = json!({"body": "A note."});
    let mut quickest = [Duration::MAX; 2];
    let ratio = |[one, other]: [Duration; 2]| one.as_secs_f64() / other.as_secs_f64();
    for tries in 0..MOST_TRIES {
        if tries >= TRIES && ratio(quickest) < RATIO {
            break;
        }
        for (path, best) in [one, other].into_iter().zip(&mut quickest) {
            let begun = Instant::now();
            user.post(path).json(&note).await.is(201);
            *best = begun.elapsed().min(*best);
            send_nothing(t).await;
        }
    }
    ratio(quickest)
}

#[testkit::story]
async fn a_thousand_watchers_cost_a_request_nothing(t: TestServer) {
    let (project, quiet) = (t.project("acme/anvil").await, t.project("acme/quiet").await);
    let jane = t.user("jane").await;
    for project in [&project, &quiet] {
        project.add(&jane, 20).await;
        jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    }
    t.settle().await;
    // The first differs: jane takes part from then on.
    note(&t, &jane, &project).await;
    t.settle().await;
    let few = note(&t, &jane, &project).await;
    t.settle().await;
    crowd(&t, &project, MANY).await;
    let notes = "/issues/1/notes";
    let slower = ratio(&t, &jane, (&project.at(notes), &quiet.at(notes))).await;
    assert!(slower < RATIO, "with watchers it takes {slower:.2} times as long");
    let known = t.app().mailer().sent().len();
    let many = note(&t, &jane, &project).await;
    assert!(few > 0 && few == many, "{few} and {many}");
    let taken = taken(&t).await;
    t.settle().await;
    let mails = t.app().mailer().sent().split_off(known);
    let told: Vec<String> = mails.into_iter().map(|mail| mail.to).chain(taken).collect();
    assert_eq!(told.iter().collect::<HashSet<_>>().len() as i64, MANY, "each is told");
    assert_eq!(told.len() as i64, MANY, "each once");
}

#[testkit::story]
async fn two_nodes_tell_each_once(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    crowd(&t, &project, 20).await;
    t.settle().await;
    let known = t.app().mailer().sent().len();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let other = tokio::spawn(kernel::jobs::work(t.app().clone(), 3, async {
        drop(stopped.await);
    }));
    for title in ["One", "Two", "Three"] {
        jane.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
    }
    t.settle().await;
    drop(stop);
    other.await.expect("the other node stops");
    let mut mails: HashMap<(String, String), usize> = HashMap::new();
    for mail in t.app().mailer().sent().split_off(known) {
        *mails.entry((mail.to, mail.subject)).or_default() += 1;
    }
    assert_eq!((mails.len(), mails.values().max()), (60, Some(&1)));
}

#[testkit::story]
async fn a_job_that_is_run_again_tells_nobody_again(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 20).await;
    let body = json!({"title": "Hinge", "assignee_ids": [joe.id]});
    let issue = jane.post(project.at("/issues")).json(&body).await.is(201).id();
    assert_eq!(told(&t, &joe).await.len(), 1);
    // What is gone is told to nobody.
    t.admin().delete(project.at("/issues/1")).await.is(204);
    let about = json!({"event": "closed", "about": {"kind": "Issue", "id": issue},
        "note": null, "actor": jane.id, "mark": "0", "direct": [[joe.id, "mentioned"]]});
    crate::spaces::run_job_with(&t, "planning.notify", about).await;
    let tell = json!({"event": "closed", "about": {"kind": "Issue", "id": issue},
        "note": null, "actor": jane.id, "user": joe.id, "reason": "mentioned"});
    crate::spaces::run_job_with(&t, "planning.tell", tell).await;
    for name in ["planning.tell_moved", "planning.tell_moved_to"] {
        let gone = json!({"project": 9_999, "from": "x/y", "actor": null, "user": joe.id});
        crate::spaces::run_job_with(&t, name, gone).await;
    }
    crate::spaces::run_job_with(&t, "planning.send_digest", json!({"user": 9_999})).await;
    let gone = json!({"news": "added", "source_type": "Group", "source_id": 9_999,
        "user": joe.id, "actor": null});
    crate::spaces::run_job_with(&t, "spaces.tell_member", gone).await;
    assert_eq!(told(&t, &joe).await.len(), 1);
}
