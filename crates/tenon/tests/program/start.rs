//! Started and stopped.

use crate::place::Place;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
fn told_to_stop_it_ends_in_order() {
    let place = Place::sqlite();
    assert_eq!(place.serve().terminate().0, Some(0));
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
        let said: Vec<String> =
            lines.take_while(|line| !line.starts_with("listening on")).collect();
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        assert_eq!(said.iter().any(|line| line.contains("password")), expected, "{said:?}");
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
        place.succeeds(&["migrate", "--data", "data"]);
        let mut newer = tenon::wiring::migrations().to_vec();
        newer.push(store::Migration {
            number: 9999,
            name: "later",
            sql: "create table later (id identity);",
        });
        let config = store::Config::from_url(&place.database_url()).expect("a known scheme");
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
