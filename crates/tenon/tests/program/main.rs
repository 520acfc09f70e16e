//! The built program as its users meet it: started, stopped, killed, moved.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use testkit::postgres::Database;
use testkit::{Client, run};

const PASSWORD: &str = "correct horse battery";

/// A place for one instance: its directory and, where it is not SQLite, its
/// database.
struct Place {
    directory: TempDir,
    database: Option<Database>,
}

/// A running server, killed when dropped.
struct Server {
    child: Child,
    url: String,
}

impl Place {
    fn sqlite() -> Place {
        let directory = tempfile::tempdir().expect("a temporary directory");
        Place {
            directory,
            database: None,
        }
    }

    fn postgres() -> Option<Place> {
        let database = Database::create("program_empty", |_| Ok(()))?;
        Some(Place {
            database: Some(database),
            ..Place::sqlite()
        })
    }

    /// Both engines, or the one there is.
    fn both() -> Vec<Place> {
        [Some(Place::sqlite()), Place::postgres()]
            .into_iter()
            .flatten()
            .collect()
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenon"));
        command
            .args(arguments)
            .current_dir(self.path())
            .stdin(Stdio::null());
        command.env("TENON_ROOT_PASSWORD", PASSWORD);
        if let Some(database) = &self.database {
            command.env("TENON_DATABASE_URL", database.url());
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments)
            .output()
            .expect("the program can be started")
    }

    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    #[track_caller]
    fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?} succeeded");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    fn serve(&self) -> Server {
        let mut child = self
            .command(&["serve", "--listen", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let errors = child.stderr.take().expect("standard error is piped");
        let mut lines = BufReader::new(errors).lines();
        let mut said = String::new();
        let url = loop {
            let line = lines
                .next()
                .unwrap_or_else(|| panic!("it ended: {said}"))
                .expect("text");
            match line.strip_prefix("listening on ") {
                Some(url) => break url.to_owned(),
                None => said.push_str(&line),
            }
        };
        std::thread::spawn(move || lines.for_each(drop));
        Server { child, url }
    }

    fn token(&self) -> String {
        self.succeeds(&[
            "token", "create", "--user", "root", "--name", "t", "--scopes", "api",
        ])
    }
}

impl Server {
    fn client(&self, token: &str) -> Client {
        Client::of(&self.url, token)
    }

    fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    fn terminate(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .expect("kill runs");
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn told_to_stop_it_ends_in_order() {
    let place = Place::sqlite();
    assert_eq!(place.serve().terminate(), Some(0));
}

#[test]
fn the_first_password_is_shown_once() {
    let place = Place::sqlite();
    for expected in [true, false] {
        let mut child = place
            .command(&["--listen", "127.0.0.1:0"])
            .env_remove("TENON_ROOT_PASSWORD")
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let errors = child.stderr.take().expect("standard error is piped");
        let lines = BufReader::new(errors).lines().map_while(Result::ok);
        let said: Vec<String> = lines
            .take_while(|line| !line.starts_with("listening on"))
            .collect();
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        assert_eq!(
            said.iter().any(|line| line.contains("password")),
            expected,
            "{said:?}"
        );
    }
}

#[test]
fn a_second_server_on_one_file_is_refused() {
    let place = Place::sqlite();
    let _first = place.serve();
    let said = place.fails(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(said.contains("another server uses"), "{said}");
}

#[test]
fn a_newer_schema_is_refused() {
    for place in Place::both() {
        place.succeeds(&["migrate"]);
        let url = match &place.database {
            Some(database) => database.url().to_owned(),
            None => format!("sqlite:{}", place.path().join("data/tenon.db").display()),
        };
        let mut newer = tenon::wiring::migrations().to_vec();
        newer.push(store::Migration {
            number: 9999,
            name: "later",
            sql: "create table later (id identity);",
        });
        let config = store::Config::from_url(&url).expect("a known scheme");
        drop(store::Store::open(config, &newer).expect("the newer program migrates"));
        let said = place.fails(&["serve", "--listen", "127.0.0.1:0"]);
        assert!(said.contains("use a newer program"), "{said}");
    }
}

#[test]
fn an_unknown_setting_names_the_nearest() {
    let place = Place::sqlite();
    std::fs::write(place.path().join("tenon.toml"), "lisen = \"127.0.0.1:0\"").expect("written");
    let said = place.fails(&["serve"]);
    assert!(said.contains("did you mean listen?"), "{said}");
}

/// Ten times killed in the midst of writes: what was answered is there.
#[test]
fn a_killed_server_loses_no_answered_write() {
    run(async {
        for place in Place::both() {
            let mut answered: Vec<String> = Vec::new();
            let mut token = None;
            for round in 0..10 {
                let server = place.serve();
                let token = token.get_or_insert_with(|| place.token()).clone();
                let client = server.client(&token);
                let lost = missing(&client, &answered).await;
                assert!(lost.is_empty(), "answered and lost: {lost:?}");
                let storm = Storm::begin(8, |writer| (client.clone(), format!("{round}-{writer}")));
                storm.answers(5).await;
                server.kill();
                answered.extend(storm.end().await);
            }
            assert!(answered.len() >= 50, "only {} writes", answered.len());
            place.succeeds(&["check"]);
        }
    });
}

/// Writers that make tokens and keep the names of those answered.
struct Storm {
    answered: Arc<Mutex<Vec<String>>>,
    writers: Vec<tokio::task::JoinHandle<()>>,
}

impl Storm {
    fn begin(writers: usize, to: impl Fn(usize) -> (Client, String)) -> Storm {
        let answered = Arc::new(Mutex::new(Vec::new()));
        let writers = (0..writers)
            .map(|writer| {
                let (client, prefix) = to(writer);
                tokio::spawn(write(client, prefix, answered.clone()))
            })
            .collect();
        Storm { answered, writers }
    }

    /// Waits until so many writes were answered.
    async fn answers(&self, wanted: usize) {
        let limit = Instant::now() + Duration::from_secs(60);
        while self.answered.lock().expect("no panic").len() < wanted {
            assert!(Instant::now() < limit, "the server does not answer");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Stops the writers; a request under way may still be answered before.
    async fn end(self) -> Vec<String> {
        for writer in self.writers {
            writer.abort();
            writer.await.ok();
        }
        std::mem::take(&mut self.answered.lock().expect("no panic"))
    }
}

/// Makes tokens until aborted or until the server is gone.
async fn write(client: Client, prefix: String, answered: Arc<Mutex<Vec<String>>>) {
    for number in 0.. {
        let name = format!("{prefix}-{number}");
        let body = json!({"name": name, "scopes": ["read_api"]});
        let sent = client
            .post("/users/1/personal_access_tokens")
            .json(&body)
            .try_send()
            .await;
        match sent {
            Ok(reply) if reply.status == 201 => {
                answered.lock().expect("no panic").push(name);
            }
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

async fn missing(client: &Client, names: &[String]) -> Vec<String> {
    let mut found = std::collections::HashSet::new();
    for page in 1.. {
        let path = format!("/personal_access_tokens?per_page=100&page={page}");
        let listed = client.get(path).await.is(200).each("name");
        found.extend(listed.iter().filter_map(Value::as_str).map(str::to_owned));
        if listed.len() < 100 {
            break;
        }
    }
    names
        .iter()
        .filter(|name| !found.contains(*name))
        .cloned()
        .collect()
}

#[test]
fn two_nodes_share_one_database_and_one_may_die() {
    run(async {
        let Some(place) = Place::postgres() else {
            return;
        };
        let (one, two) = (place.serve(), place.serve());
        let token = place.token();
        let (to_one, to_two) = (one.client(&token), two.client(&token));
        let first = Storm::begin(4, |writer| (to_one.clone(), format!("one-{writer}")));
        let second = Storm::begin(4, |writer| (to_two.clone(), format!("two-{writer}")));
        first.answers(5).await;
        one.kill();
        let mut answered = first.end().await;
        let before = second.answered.lock().expect("no panic").len();
        second.answers(before + 10).await;
        answered.extend(second.end().await);
        assert_eq!(missing(&to_two, &answered).await, Vec::<String>::new());
        assert_eq!(two.terminate(), Some(0));
    });
}

/// A backup taken while serving restores into either engine.
#[test]
fn a_backup_restores_into_either_engine() {
    run(async {
        for from in Place::both() {
            let server = from.serve();
            let token = from.token();
            let archive = from.path().join("backup.tar");
            let archive = archive.to_str().expect("a plain path");
            from.succeeds(&["backup", archive]);
            let said = from.fails(&["backup", archive]);
            assert!(said.contains("exists already"), "{said}");
            let before = server.client(&token).get("/user").await.is(200).json();
            drop(server);
            for to in Place::both() {
                to.succeeds(&["restore", archive]);
                let server = to.serve();
                let client = server.client(&token);
                let after = client.get("/user").await.is(200).json();
                for key in ["id", "username", "email", "created_at"] {
                    assert_eq!(before[key], after[key]);
                }
                // The next id is a new one.
                let body = json!({"username": "jane", "name": "J", "email": "j@example.com", "password": PASSWORD});
                assert_eq!(client.post("/users").json(&body).await.is(201).id(), 2);
                let said = to.fails(&["restore", archive]);
                assert!(
                    said.contains("a server uses") || said.contains("empty database"),
                    "{said}"
                );
            }
        }
    });
}
