//! kill -9 in the midst of writes.

use crate::place::{Place, project};
use crate::storm::{Ledger, Storm, rows_of_files};
use testkit::run;

#[test]
fn a_killed_server_keeps_its_promises_on_sqlite() {
    run(ten_rounds(Place::sqlite()));
}

#[test]
fn a_killed_server_keeps_its_promises_on_postgres() {
    if let Some(place) = Place::postgres() {
        run(ten_rounds(place));
    }
}

/// What was answered is there, what was not is whole or not there, the server
/// starts again by itself, and the blobs agree with the rows.
async fn ten_rounds(place: Place) {
    let mut server = place.serve();
    let token = place.token();
    let project = project(&server.client(&token)).await;
    let mut all = Ledger::default();
    for round in 0..10 {
        let client = server.client(&token);
        let storm =
            Storm::begin(4, &project, |writer| (client.clone(), format!("{round}-{writer}")));
        storm.goes_on(5).await;
        server.kill();
        let mut ledger = storm.end().await;

        server = place.serve();
        let wrongs = ledger.wrongs(&server.client(&token)).await;
        assert!(wrongs.is_empty(), "round {round}: {wrongs:#?}");
        place.succeeds(&["check", "--contents"]);
        all.append(ledger);
    }
    assert!(all.tokens.len() >= 50, "only {} tokens", all.tokens.len());
    let wrongs = all.wrongs(&server.client(&token)).await;
    assert!(wrongs.is_empty(), "at the end: {wrongs:#?}");
    assert_eq!(rows_of_files(&place).await, all.stored());
}
