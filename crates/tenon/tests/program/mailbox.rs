//! Answers by mail through a mailbox of a mail server: Debian's dovecot.

use crate::place::{Place, project, until};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use testkit::{Client, run};

const PASSWORD: &str = "mail-box";

/// A mail server with one user for each mailbox that is named.
struct Dovecot {
    directory: TempDir,
    child: Child,
    port: u16,
}

impl Dovecot {
    /// None where it is not installed, or may not be another user.
    fn start() -> Option<Dovecot> {
        let (uid, gid) = (number("-u")?, number("-g")?);
        let is_there = Command::new("dovecot").arg("--version").stdout(Stdio::null()).status();
        if !is_there.is_ok_and(|status| status.success()) || !am_root() {
            return None;
        }
        let directory = tempfile::tempdir().expect("a temporary directory");
        let port = free_port();
        let place = directory.path().display();
        let settings = format!(
            "protocols = imap\nlisten = 127.0.0.1\nbase_dir = {place}/run\nlog_path = {place}/log\n\
             ssl = no\ndisable_plaintext_auth = no\nmail_location = maildir:{place}/mail/%u\n\
             first_valid_uid = {uid}\nfirst_valid_gid = {gid}\n\
             passdb {{\n driver = static\n args = password={PASSWORD}\n}}\n\
             userdb {{\n driver = static\n args = uid={uid} gid={gid} home={place}/mail/%u\n}}\n\
             service imap-login {{\n inet_listener imap {{\n  port = {port}\n }}\n \
             inet_listener imaps {{\n  port = 0\n }}\n}}\n"
        );
        fs::create_dir(directory.path().join("mail")).expect("a directory");
        for (path, mode) in [("", 0o755), ("mail", 0o777)] {
            let path = directory.path().join(path);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
        }
        fs::write(directory.path().join("dovecot.conf"), settings).expect("settings");
        let child = Command::new("dovecot")
            .arg("-F")
            .args(["-c".as_ref(), directory.path().join("dovecot.conf").as_os_str()])
            .spawn()
            .expect("dovecot can be started");
        Some(Dovecot { directory, child, port })
    }

    fn url(&self) -> String {
        format!("imap://reply:{PASSWORD}@127.0.0.1:{}/INBOX", self.port)
    }

    fn control(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("doveadm");
        command.args(["-c".as_ref(), self.directory.path().join("dovecot.conf").as_os_str()]);
        command.args(arguments);
        command
    }

    /// Puts a mail into the mailbox, as a mail server that got it does.
    fn deliver(&self, mail: &str) {
        let mut child = self
            .control(&["save", "-u", "reply", "-m", "INBOX"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("doveadm can be started");
        let mut input = child.stdin.take().expect("standard input is piped");
        input.write_all(mail.replace('\n', "\r\n").as_bytes()).expect("it reads");
        drop(input);
        assert!(child.wait().expect("it ends").success());
    }

    fn unread(&self) -> usize {
        let found = self
            .control(&["search", "-u", "reply", "mailbox", "INBOX", "UNSEEN"])
            .output()
            .expect("doveadm can be started");
        String::from_utf8_lossy(&found.stdout).lines().count()
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        // Its children end with it, which they do not when it is killed.
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").arg(pid).status();
        let _ = self.child.wait();
    }
}

/// An id of the user `mail`.
fn number(which: &str) -> Option<u32> {
    let told = Command::new("id").args([which, "mail"]).output().ok()?;
    String::from_utf8_lossy(&told.stdout).trim().parse().ok()
}

fn am_root() -> bool {
    let told = Command::new("id").arg("-u").output().expect("id can be started");
    told.stdout == b"0\n"
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

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

#[test]
fn an_answer_out_of_a_mailbox_becomes_a_note() {
    for place in Place::both() {
        let Some(dovecot) = Dovecot::start() else {
            assert!(std::env::var_os("CI").is_none_or(|_| !am_root()), "dovecot is not installed");
            return;
        };
        let place = place
            .with("TENON_INCOMING_MAIL_ADDRESS", "reply+KEY@in.example.com")
            .with("TENON_INCOMING_MAIL_URL", &dovecot.url());
        run(async move {
            let server = place.serve();
            let admin = server.client(&place.token());
            let project = project(&admin).await;
            let joe = person(&admin, "joe").await;
            let member = json!({"user_id": joe, "access_level": 30});
            admin.post(format!("{project}/members")).json(&member).await.is(201);
            let issue = json!({"title": "A hinge", "assignee_ids": [joe]});
            admin.post(format!("{project}/issues")).json(&issue).await.is(201);
            let mails = place.path().join("data/mail");
            until("a mail is sent", async || reply_to(&mails).is_some()).await;
            let address = reply_to(&mails).expect("an address");

            dovecot.deliver(&format!(
                "From: Joe <joe@example.com>\nTo: {address}\nMessage-ID: <1@example.com>\n\n\
                 It creaks.\n\n> What about it?\n"
            ));
            dovecot.deliver("From: eve@example.com\nTo: nobody@in.example.com\n\nBuy!\n");
            until("the mailbox is read", async || {
                tokio::time::sleep(Duration::from_millis(500)).await;
                dovecot.unread() == 0
            })
            .await;
            let notes = admin
                .get(format!("{project}/issues/1/notes?activity_filter=only_comments"))
                .await
                .is(200);
            assert_eq!(notes.each("body"), ["It creaks."]);
            server.terminate();
        });
    }
}
