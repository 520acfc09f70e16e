//! The OAuth provider: examining, exchanging and rotating tokens, and what
//! password hashing does to everyone else.

use std::path::Path;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::{Connection, params};
use serde_json::Value;
use sha2::{Digest, Sha512};

use super::load::{self, Request, Stream, Values};
use super::peer::Peer;
use super::report::{Bound, Line};
use super::{Bench, READERS, WRITERS, seed};
use xtask::server::{self, Server};
use xtask::steps;

const REDIRECT: &str = "https://client.example/callback";
/// Codes made for one second of exchanges; a run that needs more fails.
const CODES_A_SECOND: u64 = 15_000;
/// The other server exchanges fewer.
const PEER_CODES_A_SECOND: u64 = 12_000;
/// A password every user of a run has.
const PASSWORD: &str = "correct horse battery staple";
/// Users who sign in, so that each does so seldom.
const SIGNERS: usize = 16;
/// Answers a second whose times are compared, and connections that ask.
const STEADY: f64 = 200.0;
const STEADY_CONNECTIONS: usize = 8;
/// Seconds over which they are.
const STEADY_SECONDS: u64 = 10;

/// An application and what its requests say.
struct Client {
    basic: String,
    access: String,
    codes: Values,
    refresh: Values,
}

impl Client {
    fn exchange(&self, path: &str) -> Request {
        let body = format!("grant_type=authorization_code&code={{value}}&redirect_uri={REDIRECT}");
        Request::form(path, self.basic.clone(), &body, self.codes.clone())
    }

    fn rotate(&self, path: &str) -> Request {
        let body = "grant_type=refresh_token&refresh_token={value}";
        Request::form(path, self.basic.clone(), body, self.refresh.clone())
    }

    fn introspect(&self, path: &str) -> Request {
        let body = format!("token={}", self.access);
        Request::form(path, self.basic.clone(), &body, Values::None)
    }

    /// What answers about the bearer token itself.
    fn bearer(&self, path: &str) -> Request {
        Request {
            headers: vec![format!("authorization: Bearer {}", self.access)],
            ..Request::get(path, "")
        }
    }
}

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let data = server::fresh_directory("bench-oauth")?;
    let server = bench.start(&data, &[])?;
    let root = server.root_token()?;
    let client = register(bench, &server, &data, &root)?;
    let mut lines = against_liveness(bench, &server, &client)?;
    lines.extend(against_peer(bench, &server, &client)?);
    lines.push(beside_sign_ins(&server, &client)?);
    server.stop()?;
    Ok(lines)
}

fn against_liveness(
    bench: &Bench<'_>, server: &Server, client: &Client,
) -> Result<Vec<Line>, String> {
    let liveness = Request::get("/-/liveness", "");
    let compare = |name, request: &Request, connections, least| -> Result<Line, String> {
        steps::say(name);
        let (rates, live) = bench.turns(
            || bench.rate(server, request, connections),
            || bench.rate(server, &liveness, connections),
        )?;
        Ok(Line::ratio(name, &rates, &live, Bound::AtLeast(least)))
    };
    Ok(vec![
        compare(
            "token/info, against liveness",
            &client.bearer("/oauth/token/info"),
            READERS,
            0.35,
        )?,
        compare(
            "introspection, against liveness",
            &client.introspect("/oauth/introspect"),
            READERS,
            0.35,
        )?,
        compare(
            "code exchange of 64 clients, durable, against liveness",
            &client.exchange("/oauth/token"),
            WRITERS,
            0.10,
        )?,
        compare(
            "refresh rotation of 64 clients, durable, against liveness",
            &client.rotate("/oauth/token"),
            WRITERS,
            0.10,
        )?,
    ])
}

/// The same work of oidc-provider, which keeps its rows in memory.
fn against_peer(bench: &Bench<'_>, server: &Server, client: &Client) -> Result<Vec<Line>, String> {
    steps::say("starting oidc-provider");
    let codes = PEER_CODES_A_SECOND * bench.seconds_in_all();
    let peer = Peer::oidc_provider(codes, WRITERS)?;
    let theirs = client_of_peer(&peer)?;
    let compare = |name, ours: &Request, others: &Request, connections| -> Result<Line, String> {
        steps::say(name);
        let time = Duration::from_secs(bench.options.seconds);
        let (rates, other) = bench.turns(
            || bench.rate(server, ours, connections),
            || load::rate(peer.url(), others, connections, time),
        )?;
        Ok(Line::ratio(name, &rates, &other, Bound::AtLeast(1.0)))
    };
    Ok(vec![
        compare(
            "token/info, against oidc-provider's userinfo",
            &client.bearer("/oauth/token/info"),
            &theirs.bearer("/me"),
            READERS,
        )?,
        compare(
            "introspection, against oidc-provider",
            &client.introspect("/oauth/introspect"),
            &theirs.introspect("/token/introspection"),
            READERS,
        )?,
        compare(
            "code exchange on disk, against oidc-provider in memory",
            &client.exchange("/oauth/token"),
            &theirs.exchange("/token"),
            WRITERS,
        )?,
        compare(
            "refresh rotation on disk, against oidc-provider in memory",
            &client.rotate("/oauth/token"),
            &theirs.rotate("/token"),
            WRITERS,
        )?,
    ])
}

fn client_of_peer(peer: &Peer) -> Result<Client, String> {
    let texts = |key: &str| -> Vec<String> {
        let all = peer.said()[key].as_array().into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let access = peer.said()["access"].as_str();
    Ok(Client {
        basic: "authorization: Basic YmVuY2g6YmVuY2gtc2VjcmV0".to_owned(),
        access: access.ok_or("oidc-provider made no access token")?.to_owned(),
        codes: Values::each(texts("codes")),
        refresh: Values::chain(texts("refresh"), "refresh_token"),
    })
}

/// How much slower the slowest of a hundred answers gets while eight people
/// a second sign in.
fn beside_sign_ins(server: &Server, client: &Client) -> Result<Line, String> {
    steps::say("token/info while people sign in");
    let info = client.bearer("/oauth/token/info");
    let steady = Stream {
        request: &info,
        connections: STEADY_CONNECTIONS,
        per_second: STEADY,
    };
    let body = format!(
        "grant_type=password&scope=read_user&username={{value}}&password={}",
        PASSWORD.replace(' ', "+")
    );
    let names = (0..8 * STEADY_SECONDS as usize + 64)
        .map(|number| format!("signer-{}", number % SIGNERS))
        .collect();
    let sign_in = Request::form("/oauth/token", client.basic.clone(), &body, Values::each(names));
    let signing = Stream { request: &sign_in, connections: 8, per_second: 8.0 };
    let time = Duration::from_secs(STEADY_SECONDS);
    let idle = load::times(server.url(), &steady, None, time)?;
    let busy = load::times(server.url(), &steady, Some(&signing), time)?;
    let (idle, busy) = (slowest_of_a_hundred(idle), slowest_of_a_hundred(busy));
    steps::say(&format!(
        "p99 {:.2} ms idle, {:.2} ms while people sign in",
        idle * 1e3,
        busy * 1e3
    ));
    Ok(Line::new(
        "p99 of token/info while 8 people a second sign in, against idle",
        busy / idle,
        Bound::AtMost(3.0),
        "",
    ))
}

fn slowest_of_a_hundred(mut times: Vec<Duration>) -> f64 {
    times.sort();
    let at = times.len() * 99 / 100;
    times.get(at).map_or(f64::NAN, Duration::as_secs_f64)
}

/// Makes the application, people with passwords and first tokens through the
/// API, then codes straight in the database: the pages that make them are not
/// what is measured.
fn register(bench: &Bench<'_>, server: &Server, data: &Path, root: &str) -> Result<Client, String> {
    let limit = r#"{"sign_in_limit_per_minute":100000}"#;
    let settings = "/api/v4/application/settings".to_owned();
    let raise = Request::json("PUT", settings, &[root.to_owned()], limit);
    load::once(server.url(), &raise)?;
    for number in 0..SIGNERS {
        let person = format!(
            r#"{{"username":"signer-{number}","name":"Signer","email":"signer-{number}@example.org","password":"{PASSWORD}","skip_confirmation":true}}"#
        );
        seed::post(server.url(), root, "/users", person)?;
    }
    let body = format!(r#"{{"name":"Bench","redirect_uri":"{REDIRECT}","scopes":"read_user"}}"#);
    let made = seed::post(server.url(), root, "/applications", body)?;
    let text = |key: &str| made[key].as_str().unwrap_or_default().to_owned();
    let basic = format!(
        "authorization: Basic {}",
        STANDARD.encode(format!("{}:{}", text("application_id"), text("secret")))
    );
    let chains = (0..WRITERS)
        .map(|number| pair(server, &basic, &format!("signer-{}", number % SIGNERS)))
        .collect::<Result<Vec<_>, String>>()?;
    let (access, _) = pair(server, &basic, "signer-0")?;
    let codes = codes(data, seed::id_of(&made)?, CODES_A_SECOND * bench.seconds_in_all() * 2)?;
    Ok(Client {
        basic,
        access,
        codes: Values::each(codes),
        refresh: Values::chain(
            chains.into_iter().map(|(_, refresh)| refresh).collect(),
            "refresh_token",
        ),
    })
}

/// An access and a refresh token of a person.
fn pair(server: &Server, basic: &str, name: &str) -> Result<(String, String), String> {
    let body = format!(
        "grant_type=password&scope=read_user&username={name}&password={}",
        PASSWORD.replace(' ', "+")
    );
    let request = Request::form("/oauth/token", basic.to_owned(), &body, Values::None);
    let answer = load::once(server.url(), &request)?;
    let made: Value =
        serde_json::from_str(&answer).map_err(|error| format!("{answer}: {error}"))?;
    match (made["access_token"].as_str(), made["refresh_token"].as_str()) {
        (Some(access), Some(refresh)) => Ok((access.to_owned(), refresh.to_owned())),
        _ => Err(format!("no tokens in {made}")),
    }
}

/// Codes for people in turn, as if they had consented just now.
fn codes(data: &Path, application: i64, count: u64) -> Result<Vec<String>, String> {
    steps::say(&format!("seeding {count} authorization codes"));
    let path = seed::database(data)?;
    let texts: Vec<String> = (0..count).map(|number| format!("{number:064x}")).collect();
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_err(|error| error.to_string())?
        .as_micros() as i64;
    let fill = || -> rusqlite::Result<()> {
        let mut connection = Connection::open(&path)?;
        connection.busy_timeout(Duration::from_secs(30))?;
        let transaction = connection.transaction()?;
        let user: i64 = transaction.query_row(
            "select id from users where username = 'signer-0'",
            [],
            |row| row.get(0),
        )?;
        let mut insert = transaction.prepare(
            "insert into oauth_codes (application_id, user_id, digest, redirect_uri, scopes,
                authenticated_at, ip_address, user_agent, expires_at, created_at)
             values (?1, ?2, ?3, ?4, 'read_user', ?5, '127.0.0.1', 'bench', ?6, ?5)",
        )?;
        for text in &texts {
            let digest = Sha512::digest(text.as_bytes()).to_vec();
            insert.execute(params![application, user, digest, REDIRECT, now, now + 600_000_000])?;
        }
        drop(insert);
        transaction.commit()
    };
    fill().map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(texts)
}
