//! Pages about alerts, met by the built program: on two nodes, and killed while
//! it pages. Each rule pages once and says so in one note; its mail is sent at
//! least once, and twice only if a server was killed while it sent it.

use crate::alerts::Door;
use crate::nodes::end_leases;
use crate::place::{PASSWORD, Place, Server, project, until};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use store::{Tx, sql};
use testkit::{Client, run};

/// Alerts that are sent.
const ALERTS: usize = 40;
/// Who is paged, each by a rule of their own.
const PEOPLE: [&str; 3] = ["jane", "carl", "mia"];
/// Mails of all rules.
const MAILS: usize = ALERTS * PEOPLE.len();

/// A mail that tells somebody of an alert: its title, and whom.
type Mail = (String, String);

fn title(alert: usize) -> String {
    format!("Alert {alert}")
}

/// A project whose alerts page people one second after another.
async fn watched(client: &Client) -> Door {
    let project = project(client).await;
    let mut rules = Vec::new();
    for (seconds, name) in PEOPLE.iter().enumerate() {
        let user = json!({"username": name, "name": name, "email": format!("{name}@example.com"),
            "password": PASSWORD, "skip_confirmation": true});
        let user = client.post("/users").json(&user).await.is(201).id();
        let member = json!({"user_id": user, "access_level": 30});
        let members = format!("{project}/members");
        client.post(members).json(&member).await.is(201);
        rules.push(json!({"elapsed_time_seconds": seconds, "status": "resolved", "user_id": user}));
    }
    let policy = json!({"name": "Wake up", "rules": rules});
    let policies = format!("{project}/alert_management/escalation_policies");
    client.post(policies).json(&policy).await.is(201);
    Door::of(client, &project).await
}

/// Sends every alert, by these servers in turn and all at once.
async fn send(servers: &[&Server], door: &Door) {
    let sent = (0..ALERTS).map(|alert| {
        let client = Client::nobody(&servers[alert % servers.len()].url);
        let body = json!({"title": title(alert), "fingerprint": alert.to_string()});
        let door = door.clone();
        async move { door.sent(&client, &body).await.is(200) }
    });
    futures_util::future::join_all(sent).await;
}

/// How often each mail was sent.
fn mails(place: &Place) -> HashMap<Mail, usize> {
    let mut mails = HashMap::new();
    for file in testkit::files_below(&place.path().join("data/mail")) {
        if file.extension().is_none_or(|it| it != "eml") {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a mail is text");
        let header = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let about = header("Subject: anvil | Page: ");
        if let (Some(about), Some(to)) = (about, header("To: ")) {
            *mails.entry((about.into(), to.into())).or_default() += 1;
        }
    }
    mails
}

/// Escalations that go on, and mails that are not sent.
async fn open(place: &Place) -> i64 {
    let count = sql!(
        "select (select count(*) from escalations)
            + (select count(*) from jobs where name = 'monitoring.tell_on_call')"
    );
    place.row(count).await
}

/// Each rule has paged about each alert; a mail was sent twice only if it is
/// one of these.
async fn all_are_paged(place: &Place, repeated: &HashSet<Mail>) {
    let all = MAILS as i64;
    let recorded: (i64, i64, i64) = place
        .row(sql!(
            "select (select count(*) from escalation_pages),
                (select count(mailed_at) from escalation_pages),
                (select count(*) from notes where body like 'paged @%' escape '\\')"
        ))
        .await;
    assert_eq!(recorded, (all, all, all), "pages, sent ones, notes");
    let sent = mails(place);
    for alert in 0..ALERTS {
        for name in PEOPLE {
            let mail = (title(alert), format!("{name}@example.com"));
            let most = 1 + usize::from(repeated.contains(&mail));
            let times = sent.get(&mail).copied().unwrap_or(0);
            assert!((1..=most).contains(&times), "{mail:?} was sent {times} times");
        }
    }
    assert_eq!(sent.len(), MAILS);
}

/// Ends a server while it sends mail; the name by which it leases jobs.
async fn kill_at_work(place: &Place, server: Server) -> String {
    // The first mails may all be another node's.
    let works = async || mails(place).len() >= 5 && name(&server.said()).is_some();
    until("it has begun to send mails", works).await;
    let said = server.kill();
    assert!(mails(place).len() < MAILS, "everything had been sent");
    name(&said).expect("it said who it is")
}

/// The name of a node, which it tells of each of its jobs.
fn name(said: &[String]) -> Option<String> {
    let node = |line: &String| {
        let line: Value = serde_json::from_str(line).ok()?;
        line["node"].as_str().map(str::to_owned)
    };
    said.iter().find_map(node)
}

/// Waits until all is paged, though this node is dead; the mails that it may
/// have sent without saying so.
async fn carried_on(place: &Place, dead: &str) -> HashSet<Mail> {
    let mut pages = Vec::new();
    until("the rest is paged", async || {
        let left = end_leases(place, dead).await.into_values();
        pages.extend(left.filter_map(|payload| payload["page"].as_i64()));
        open(place).await == 0
    })
    .await;
    let named = move |tx: &mut Tx<'_>| {
        tx.all(
            sql!(
                "select a.title, u.email from escalation_pages p
                 join alerts a on a.id = p.alert_id join users u on u.id = p.user_id
                 where p.id in_list($1)"
            ),
            (pages.clone(),),
        )
    };
    let named: Vec<Mail> = place.within(named).await;
    named.into_iter().collect()
}

/// The same place, whose servers tell of their jobs.
fn talking(place: Place) -> Place {
    place.with("TENON_LOG", "kernel::jobs=info").with("TENON_LOG_FORMAT", "json")
}

#[test]
fn two_nodes_page_by_each_rule_once() {
    run(async {
        let Some(place) = Place::postgres() else {
            return;
        };
        let (one, two) = (place.serve(), place.serve());
        let door = watched(&one.client(&place.token())).await;
        send(&[&one, &two], &door).await;
        until("all is paged", async || open(&place).await == 0).await;
        all_are_paged(&place, &HashSet::new()).await;
    });
}

#[test]
fn a_killed_server_goes_on_paging_when_it_is_back() {
    run(async {
        for place in Place::both().into_iter().map(talking) {
            let server = place.serve();
            let door = watched(&server.client(&place.token())).await;
            send(&[&server], &door).await;
            let dead = kill_at_work(&place, server).await;

            let _again = place.serve();
            let repeated = carried_on(&place, &dead).await;
            all_are_paged(&place, &repeated).await;
        }
    });
}

#[test]
fn what_a_killed_node_did_not_page_another_does() {
    run(async {
        let Some(place) = Place::postgres().map(talking) else {
            return;
        };
        let (one, two) = (place.serve(), place.serve());
        let door = watched(&one.client(&place.token())).await;
        send(&[&one, &two], &door).await;
        let dead = kill_at_work(&place, one).await;
        let repeated = carried_on(&place, &dead).await;
        all_are_paged(&place, &repeated).await;
    });
}
