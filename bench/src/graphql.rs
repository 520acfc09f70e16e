//! GraphQL: a small question of a signed-in user.

use std::time::Duration;

use super::load::{self, Request};
use super::peer::Peer;
use super::report::{Bound, Line};
use super::{Bench, READERS};
use xtask::server;
use xtask::steps;

const QUESTION: &str = r#"{"query":"{ currentUser { name } }"}"#;

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let server = bench.start(&server::fresh_directory("bench-graphql")?, &[])?;
    let ask = question("/api/graphql", &server.root_token()?);
    let liveness = Request::get("/-/liveness", "");
    steps::say("currentUser by GraphQL, and liveness");
    let (rates, live) = bench.turns(
        || bench.rate(&server, &ask, READERS),
        || bench.rate(&server, &liveness, READERS),
    )?;
    steps::say("currentUser of graphql-yoga");
    let peer = Peer::graphql_yoga()?;
    let theirs = question("/graphql", "bench");
    let time = Duration::from_secs(bench.options.seconds);
    let (ours, other) = bench.turns(
        || bench.rate(&server, &ask, READERS),
        || load::rate(peer.url(), &theirs, READERS, time),
    )?;
    server.stop()?;
    Ok(vec![
        Line::ratio(
            "{ currentUser { name } }, against liveness",
            &rates,
            &live,
            Bound::AtLeast(0.30),
        ),
        Line::ratio(
            "{ currentUser { name } }, against graphql-yoga",
            &ours,
            &other,
            Bound::AtLeast(1.0),
        ),
    ])
}

fn question(target: &str, token: &str) -> Request {
    let headers = vec![format!("authorization: Bearer {token}")];
    Request {
        headers,
        ..Request::json("POST", target.to_owned(), &[], QUESTION)
    }
}
