//! Mails to many, from servers that are killed while they send them.

use crate::dovecot::Authority;
use crate::nodes::end_leases;
use crate::place::{Place, Server, project, until};
use crate::smtp::{MailServer, Taken};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;
use store::{Tx, sql};
use testkit::{Client, run};

/// Who watches the project.
const WATCHERS: usize = 150;
/// How long the mail server takes over a mail: so long that a killed server had some
/// under way.
const PAUSE: Duration = Duration::from_millis(15);

/// A mail that was under way when its server was killed comes again under the same
/// `Message-ID`, by which mail programs show it once; every other comes once, and
/// none is lost.
#[test]
fn a_killed_server_sends_the_rest_of_its_mails() {
    for place in Place::both() {
        run(one_server(place));
    }
}

/// The same of two nodes: what the living one sends is sent by it alone.
#[test]
fn of_two_nodes_one_sends_what_the_killed_one_left() {
    if let Some(place) = Place::postgres() {
        run(two_nodes(place));
    }
}

async fn one_server(place: Place) {
    let mails = MailServer::start(PAUSE);
    let place = sending(place, &mails);
    let server = place.serve();
    let issue = watched(&place, &server).await;
    comment(&server.client(&place.token()), &issue).await;
    until("a third of the mails has left", async || mails.taken().len() > WATCHERS / 3).await;
    let node = node(&server);
    sends(&place, &node).await;
    server.kill();
    let before = mails.taken().len();
    assert!(before < WATCHERS, "it was killed too late");
    let under_way = under_way(&place, &node).await;

    let server = place.serve();
    all_told(&place).await;
    told_once(mails.taken(), &under_way);
    assert_eq!(server.terminate().0, Some(0));
}

async fn two_nodes(place: Place) {
    let mails = MailServer::start(PAUSE);
    let place = sending(place, &mails);
    let (one, two) = (place.serve(), place.serve());
    let issue = watched(&place, &one).await;
    comment(&two.client(&place.token()), &issue).await;
    until("both send", async || {
        let sends = |server: &Server| server.said().iter().any(|line| is_telling(line).is_some());
        mails.taken().len() > WATCHERS / 3 && sends(&one) && sends(&two)
    })
    .await;
    let node = node(&one);
    sends(&place, &node).await;
    one.kill();
    assert!(mails.taken().len() < WATCHERS, "it was killed too late");
    let under_way = under_way(&place, &node).await;
    all_told(&place).await;
    told_once(mails.taken(), &under_way);
    assert_eq!(two.terminate().0, Some(0));
}

fn sending(place: Place, mails: &MailServer) -> Place {
    let place = place.with("TENON_MAIL_URL", &mails.url);
    place.with("TENON_LOG", "kernel::jobs=info").with("TENON_LOG_FORMAT", "json")
}

/// Makes an issue in a project that many watch, before they do.
async fn watched(place: &Place, server: &Server) -> String {
    let client = server.client(&place.token());
    let project = project(&client).await;
    let issue = json!({"title": "A hinge"});
    let made = client.post(format!("{project}/issues")).json(&issue).await.is(201).json();
    let id = made["project_id"].as_i64().expect("an id");
    all_told(place).await;
    place.within(move |tx| crowd(tx, id)).await;
    format!("{project}/issues/1")
}

/// People who watch a project, as rows.
fn crowd(tx: &mut Tx<'_>, project: i64) -> store::Result<()> {
    let now = tx.now();
    for n in 0..WATCHERS {
        let name = format!("watcher{n}");
        let user: i64 = tx.one(
            "insert into users (username, username_folded, name, name_folded, email, email_folded,
                kind, state, is_admin, is_external, password_expired, confirmed_at,
                projects_limit, can_create_group, page_theme, page_density,
                first_day_of_week, created_at, updated_at)
             select $1, $1, $1, $1, $2, $2, kind, state, false, false, false, $3, projects_limit,
                can_create_group, page_theme, page_density, first_day_of_week, $3, $3
             from users where username = 'root' returning id",
            (&name, format!("{name}@example.com"), now),
        )?;
        tx.execute(
            "insert into members (source_type, source_id, user_id, access_level, created_at,
                updated_at) values ('Project', $1, $2, 20, $3, $3)",
            (project, user, now),
        )?;
        tx.execute(
            "insert into notification_settings (user_id, source_type, source_id, level,
                events, updated_at) values ($1, 'Project', $2, 'watch', '{}', $3)",
            (user, project, now),
        )?;
    }
    Ok(())
}

async fn comment(client: &Client, issue: &str) {
    let note = json!({"body": "It creaks."});
    client.post(format!("{issue}/notes")).json(&note).await.is(201);
}

/// A line of a log about the mail to one person.
fn is_telling(line: &str) -> Option<Value> {
    let line: Value = serde_json::from_str(line).ok()?;
    (line["name"] == "planning.tell").then_some(line)
}

/// The name by which a server leases its jobs.
fn node(server: &Server) -> String {
    let line = server.said().iter().find_map(|line| is_telling(line));
    let line = line.expect("it sends mails");
    line["node"].as_str().expect("its name").to_owned()
}

/// Waits until a server has mails under way.
async fn sends(place: &Place, node: &str) {
    until("it sends a mail", async || {
        let node = node.to_owned();
        let count = move |tx: &mut Tx<'_>| {
            tx.one::<i64>(
                sql!("select count(*) from jobs where state = 'running' and leased_by = $1"),
                (node.as_str(),),
            )
        };
        place.within(count).await > 0
    })
    .await;
}

/// Ends what a dead server leased; the addresses to which mails were under way.
async fn under_way(place: &Place, node: &str) -> BTreeSet<String> {
    let jobs: HashMap<i64, Value> = end_leases(place, node).await;
    let users: Vec<i64> = jobs.values().filter_map(|job| job["user"].as_i64()).collect();
    assert!(users.len() <= 4, "{users:?}: one for each worker at most");
    let addresses = move |tx: &mut Tx<'_>| {
        tx.all(sql!("select email from users where id in_list($1)"), (users.clone(),))
    };
    let addresses: Vec<String> = place.within(addresses).await;
    addresses.into_iter().collect()
}

async fn all_told(place: &Place) {
    until("all are told", async || {
        let count = sql!("select count(*) from jobs where name like 'planning.%'");
        tokio::time::sleep(Duration::from_millis(200)).await;
        place.row::<i64>(count).await == 0
    })
    .await;
}

fn told_once(taken: Vec<Taken>, under_way: &BTreeSet<String>) {
    let mut mails: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (to, id) in taken {
        mails.entry(to).or_default().push(id);
    }
    assert_eq!(mails.len(), WATCHERS, "everybody is told");
    for (to, ids) in mails {
        let again = usize::from(under_way.contains(&to));
        assert!(ids.len() <= 1 + again, "{to}: {ids:?}");
        assert!(!ids[0].is_empty() && ids.iter().all(|id| *id == ids[0]), "{to}: {ids:?}");
    }
}

#[test]
fn mail_leaves_over_tls_to_whom_the_server_believes() {
    let authority = Authority::new();
    let mails = MailServer::secured(&authority);
    run(async {
        let place = sending(Place::sqlite(), &mails);
        let server = place.serve();
        tell_joe(&server.client(&place.token())).await;
        let why =
            sql!("select coalesce(max(last_error), '') from jobs where name = 'planning.tell'");
        let mut said = String::new();
        until("it says why no mail leaves", async || {
            tokio::time::sleep(Duration::from_millis(200)).await;
            said = place.row(why).await;
            !said.is_empty()
        })
        .await;
        let of = "The mail server is not believed: its certificate is of no authority";
        assert!(said.starts_with(of), "{said}");
        assert!(mails.taken().is_empty());
        assert_eq!(server.terminate().0, Some(0));

        let own = authority.path("authority.pem");
        let place = sending(Place::sqlite(), &mails).with("TENON_CA_FILE", &own);
        let server = place.serve();
        tell_joe(&server.client(&place.token())).await;
        until("the mail has left", async || !mails.taken().is_empty()).await;
        assert_eq!(mails.taken()[0].0, "joe@example.com");
        assert_eq!(server.terminate().0, Some(0));

        let none = Place::sqlite().with("TENON_CA_FILE", "/nowhere.pem");
        assert!(none.fails(&["serve"]).contains("ca_file: /nowhere.pem: "));
    });
}

/// Has one mail sent.
async fn tell_joe(client: &Client) {
    let project = project(client).await;
    let joe = json!({
        "email": "joe@example.com", "username": "joe", "name": "joe",
        "password": "correct-horse-battery", "skip_confirmation": true,
    });
    let joe = client.post("/users").json(&joe).await.is(201).id();
    let member = json!({"user_id": joe, "access_level": 30});
    client.post(format!("{project}/members")).json(&member).await.is(201);
    let issue = json!({"title": "A hinge", "assignee_ids": [joe]});
    client.post(format!("{project}/issues")).json(&issue).await.is(201);
}
