//! Answers by mail: out of a mailbox of Debian's dovecot, and as a mail server hands
//! them over.

use crate::dovecot::{Authority, Dovecot};
use crate::place::{Place, project, until};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;
use store::{Tx, sql};
use testkit::{Client, run};

/// The address to which an answer to the last mail goes.
fn reply_to(mails: &Path) -> Option<String> {
    let mut files: Vec<_> =
        fs::read_dir(mails).ok()?.filter_map(|file| Some(file.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|kind| kind == "eml"));
    files.sort();
    let text = fs::read_to_string(files.last()?).ok()?.replace("\r\n ", " ");
    let line = text.lines().find(|line| line.starts_with("Reply-To: "))?;
    let address = line.split(['<', '>']).nth(1)?;
    Some(address.to_owned())
}

async fn person(admin: &Client, name: &str) -> i64 {
    let body = json!({
        "email": format!("{name}@example.com"), "username": name, "name": name,
        "password": "correct-horse-battery", "skip_confirmation": true,
    });
    admin.post("/users").json(&body).await.is(201).id()
}

/// A project with an issue of which joe got mail, and the address for his answer.
async fn told(place: &Place, admin: &Client) -> (String, String) {
    let project = project(admin).await;
    let joe = person(admin, "joe").await;
    let member = json!({"user_id": joe, "access_level": 30});
    admin.post(format!("{project}/members")).json(&member).await.is(201);
    let issue = json!({"title": "A hinge", "assignee_ids": [joe]});
    admin.post(format!("{project}/issues")).json(&issue).await.is(201);
    let mails = place.path().join("data/mail");
    until("a mail is sent", async || reply_to(&mails).is_some()).await;
    (project, reply_to(&mails).expect("an address"))
}

async fn notes(admin: &Client, project: &str) -> Vec<Value> {
    let comments = format!("{project}/issues/1/notes?activity_filter=only_comments");
    admin.get(comments).await.is(200).each("body")
}

async fn read(dovecot: &Dovecot) {
    until("the mailbox is read", async || {
        tokio::time::sleep(Duration::from_millis(500)).await;
        dovecot.unread() == 0
    })
    .await;
}

/// Has the mailbox looked into now.
async fn look(place: &Place) {
    let look = |tx: &mut Tx<'_>| {
        let now = tx.now();
        tx.execute(
            sql!(
                "insert into jobs (name, payload, state, run_at, created_at, updated_at)
                 values ('incoming.poll', '{}', 'queued', $1, $1, $1)"
            ),
            (now,),
        )
    };
    place.within(look).await;
}

/// Whose certificate the server does not believe, and what it says of it.
async fn refused(place: Place, url: &str) -> String {
    let place = place
        .with("TENON_INCOMING_MAIL_ADDRESS", "reply+KEY@in.example.com")
        .with("TENON_INCOMING_MAIL_URL", url);
    let server = place.serve();
    let failed = sql!(
        "select coalesce(max(last_error), '') from jobs
         where name = 'incoming.poll' and state = 'failed'"
    );
    let mut said = String::new();
    until("it says why it does not read", async || {
        tokio::time::sleep(Duration::from_millis(200)).await;
        said = place.row(failed).await;
        !said.is_empty()
    })
    .await;
    assert_eq!(server.terminate().0, Some(0));
    said
}

#[test]
fn a_mailbox_is_read_over_tls_from_whom_the_server_believes() {
    let authority = Authority::new();
    let Some(dovecot) = Dovecot::secured(&authority) else {
        return;
    };
    let own = authority.path("authority.pem");
    run(async {
        for url in [dovecot.secure_url("localhost"), dovecot.begun_url()] {
            let place = Place::sqlite()
                .with("TENON_INCOMING_MAIL_ADDRESS", "reply+KEY@in.example.com")
                .with("TENON_INCOMING_MAIL_URL", &url)
                .with("TENON_CA_FILE", &own);
            dovecot.deliver("From: eve@example.com\nTo: nobody@in.example.com\n\nBuy!\n");
            let server = place.serve();
            read(&dovecot).await;
            assert_eq!(server.terminate().0, Some(0));
        }
        dovecot.deliver("From: eve@example.com\nTo: nobody@in.example.com\n\nBuy!\n");
        let unknown = refused(Place::sqlite(), &dovecot.secure_url("localhost")).await;
        let of =
            "The mail server is not believed: its certificate is of no authority that is known";
        assert!(unknown.starts_with(of) && unknown.ends_with("ca_file"), "{unknown}");
        let begun = refused(Place::sqlite(), &dovecot.begun_url()).await;
        assert_eq!(begun, unknown);
        let place = Place::sqlite().with("TENON_CA_FILE", &own);
        let other = refused(place, &dovecot.secure_url("127.0.0.1")).await;
        assert_eq!(other, "The mail server is not believed: its certificate is for another name");
        assert_eq!(dovecot.unread(), 1);
    });
}

/// Has the database refuse notes that begin with this word, or take them again.
async fn breaks(place: &Place, is_broken: bool) {
    let statement = match (place.database.is_some(), is_broken) {
        (true, true) => "alter table notes add constraint broken check (body not like 'Break%')",
        (true, false) => "alter table notes drop constraint broken",
        (false, true) => {
            "create trigger broken before insert on notes when new.body like 'Break%'
             begin select raise(abort, 'broken'); end"
        }
        (false, false) => "drop trigger broken",
    };
    place.within(move |tx| tx.execute(statement, ())).await;
}

#[test]
fn a_mail_over_which_the_server_fails_is_set_aside() {
    for place in Place::both() {
        let Some(dovecot) = Dovecot::start() else {
            return;
        };
        let place = place
            .with("TENON_INCOMING_MAIL_ADDRESS", "reply+KEY@in.example.com")
            .with("TENON_INCOMING_MAIL_URL", &format!("{}?delete=true", dovecot.url()));
        run(async move {
            let server = place.serve();
            let admin = server.client(&place.token());
            let (project, address) = told(&place, &admin).await;
            let answer = |id: i64, text: &str| {
                dovecot.deliver(&format!(
                    "From: joe@example.com\nTo: {address}\nMessage-ID: <{id}@x>\n\n{text}\n"
                ));
            };
            breaks(&place, true).await;
            answer(1, "Break it.");
            answer(2, "Oil it.");
            look(&place).await;
            // It waits, and the one behind it is read.
            until("the second is read", async || notes(&admin, &project).await.len() == 1).await;
            assert_eq!(notes(&admin, &project).await, ["Oil it."]);
            assert_eq!(dovecot.unread(), 1);
            look(&place).await;
            answer(3, "Paint it.");
            look(&place).await;
            until("the third is read", async || notes(&admin, &project).await.len() == 2).await;
            let tries: (i64, bool) =
                place.row(sql!("select tries, set_aside_at is null from incoming_tries")).await;
            assert_eq!(tries, (1, true), "the next try is half a minute away");

            // The last try.
            let last = |tx: &mut Tx<'_>| {
                tx.execute(sql!("update incoming_tries set tries = 9, next_at = created_at"), ())
            };
            place.within(last).await;
            look(&place).await;
            read(&dovecot).await;
            assert_eq!(dovecot.count("FLAGGED"), 1);
            until("administrators are told", async || {
                let told = sql!(
                    "select count(*) from audit_records where action = 'incoming_mail.set_aside'"
                );
                place.row::<i64>(told).await == 1
            })
            .await;

            // Once it is mended a person has it tried anew.
            breaks(&place, false).await;
            dovecot.mark_flagged_as_unread();
            look(&place).await;
            until("it is a note", async || notes(&admin, &project).await.len() == 3).await;
            until("it is removed", async || dovecot.count("ALL") == 0).await;
            assert_eq!(place.row::<i64>(sql!("select count(*) from incoming_tries")).await, 0);
            assert_eq!(server.terminate().0, Some(0));
        });
    }
}

/// Bytes of a large mail.
const LARGE: usize = 12 * 1024 * 1024;

#[test]
fn one_mail_at_a_time_is_in_memory() {
    const TOKEN: &str = "a-secret-of-sixteen-or-more";
    let place = Place::sqlite()
        .with("TENON_INCOMING_MAIL_ADDRESS", "reply+KEY@in.example.com")
        .with("TENON_INCOMING_MAIL_TOKEN", TOKEN);
    run(async move {
        let server = place.serve();
        let nobody = Client::nobody(&server.url);
        let mut mail = "From: joe@example.com\r\nTo: reply+0123456789abcdef@in.example.com\r\n\
            MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\
            Content-Type: text/plain\r\n\r\nSee.\r\n--b\r\n\
            Content-Type: application/octet-stream\r\nContent-Disposition: attachment; \
            filename=a\r\nContent-Transfer-Encoding: base64\r\n\r\n"
            .to_owned();
        let line = format!("{}\r\n", "QUJD".repeat(18));
        mail += &line.repeat(LARGE / line.len());
        mail += "\r\n--b--\r\n";
        let mail = bytes::Bytes::from(mail);
        let hand_over = async || {
            let request = nobody.request(reqwest::Method::POST, "/-/incoming_mail");
            let request = request.header("authorization", &format!("Bearer {TOKEN}"));
            request.bytes(mail.clone()).await.is(200)
        };
        let mut peaks = Vec::new();
        for many in [1, 1, 8] {
            server.forget_peak();
            let before = server.memory("VmRSS");
            futures_util::future::join_all((0..many).map(|_| hand_over())).await;
            peaks.push(server.memory("VmHWM").saturating_sub(before).max(LARGE as u64));
        }
        // Two may lie in memory as one goes and the next comes.
        assert!(peaks[2] < 2 * peaks[0].max(peaks[1]), "{peaks:?}");
        assert_eq!(server.terminate().0, Some(0));
    });
}

#[test]
fn an_answer_out_of_a_mailbox_becomes_a_note() {
    for place in Place::both() {
        let Some(dovecot) = Dovecot::start() else {
            return;
        };
        let place = place
            .with("TENON_INCOMING_MAIL_ADDRESS", "reply+KEY@in.example.com")
            .with("TENON_INCOMING_MAIL_URL", &dovecot.url());
        run(async move {
            let server = place.serve();
            let admin = server.client(&place.token());
            let (project, address) = told(&place, &admin).await;
            dovecot.deliver(&format!(
                "From: Joe <joe@example.com>\nTo: {address}\nMessage-ID: <1@example.com>\n\n\
                 It creaks.\n\n> What about it?\n"
            ));
            dovecot.deliver("From: eve@example.com\nTo: nobody@in.example.com\n\nBuy!\n");
            read(&dovecot).await;
            assert_eq!(notes(&admin, &project).await, ["It creaks."]);
            server.terminate();
        });
    }
}
