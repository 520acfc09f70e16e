//! A killed process loses no write it has acknowledged.

use crate::engines::{NOTES, configs, runtime};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;
use store::{Config, Error, Store};

/// Names the database the child writes to.
const TARGET: &str = "STORE_TEST_TARGET";

/// The child: writes from many tasks and prints each acknowledged number.
#[test]
#[ignore = "runs as the child of the test below"]
fn child_that_writes() {
    let Ok(url) = std::env::var(TARGET) else {
        return;
    };
    let store = Store::open(Config::from_url(&url).unwrap(), NOTES).unwrap();
    runtime().block_on(async {
        for task in 0..16 {
            let store = store.clone();
            tokio::spawn(async move {
                for n in 0.. {
                    let body = format!("w{task}-{n}");
                    let written = store.write({
                        let body = body.clone();
                        move |tx| tx.execute("insert into notes (body) values ($1)", (&body,))
                    });
                    written.await.unwrap();
                    writeln!(std::io::stdout(), "ack {body}").unwrap();
                }
            });
        }
        tokio::time::sleep(Duration::from_secs(20)).await;
    });
}

#[test]
fn a_killed_process_loses_no_acknowledged_write() {
    for (config, _place) in configs() {
        let mut acknowledged = Vec::new();
        for round in 1..4 {
            if round > 1 {
                let store = Store::open(config.clone(), NOTES).unwrap();
                store
                    .write_blocking(|tx| {
                        tx.execute("update notes set body = 'old' || id || body", ())
                    })
                    .unwrap();
                acknowledged.clear();
            }
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["crash::child_that_writes", "--exact", "--ignored", "--nocapture"])
                .env(TARGET, &config.url)
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let lines = BufReader::new(child.stdout.take().unwrap()).lines();
            for line in lines {
                // The last line may be cut by the kill.
                if let Some((_, body)) = line.unwrap().split_once("ack ") {
                    acknowledged.push(body.to_owned());
                }
                if acknowledged.len() == 300 * round {
                    child.kill().unwrap();
                }
            }
            child.wait().unwrap();
            acknowledged.truncate(acknowledged.len() - 1);
            let store = Store::open(config.clone(), NOTES).unwrap();
            let kept: Vec<String> = store
                .read_blocking(|tx| tx.all::<String>("select body from notes", ()))
                .unwrap_or_else(|error: Error| panic!("{error}"));
            let kept: std::collections::HashSet<_> = kept.into_iter().collect();
            let lost: Vec<_> = acknowledged.iter().filter(|body| !kept.contains(*body)).collect();
            assert!(lost.is_empty() && acknowledged.len() >= 299, "lost {lost:?}");
        }
    }
}
