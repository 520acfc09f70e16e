//! What docs/interface/graphql.md «Bad input and abuse» names, sent to the whole server:
//! each is answered within 50 ms of processor time and 16 MiB, or refused.
//!
//! Processor time is counted, not the clock's, so a loaded machine changes
//! nothing. A build without optimisation takes longer for everything; there
//! the bound follows what a plain pass over the longest text takes.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use axum::body::{Body, Bytes, to_bytes};
use graphql::validation::{MAX_CHARACTERS, lexer};
use identity::gate::IdentityGate;
use kernel::http::serve::Server;
use peak_alloc::PeakAlloc;
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;
use testkit::TestServer;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Most memory one request may take, in bytes.
const MEMORY_LIMIT: usize = 16 * 1024 * 1024;
/// Most processor time, in an optimised build.
const TIME_LIMIT: Duration = Duration::from_millis(50);
/// The same in plain passes over the longest text.
const PASSES: u32 = 500;
/// Plain passes that are measured together.
const ROUNDS: u32 = 200;
/// How often each is sent; the quickest counts.
const TRIES: usize = 3;

/// What comes of a request.
#[derive(Debug, PartialEq)]
enum End {
    /// Data without errors.
    Answered,
    /// One entry refused before it runs, with this code.
    Refused(String),
    /// The whole request refused with this status.
    Whole(u16),
}

fn refused(code: &str) -> End {
    End::Refused(code.to_owned())
}

/// A request's body and what should come of it.
struct Case {
    name: &'static str,
    body: Vec<u8>,
    end: End,
}

/// One query without variables.
fn query(name: &'static str, query: impl Into<String>, end: End) -> Case {
    with(name, query, json!({}), end)
}

fn with(name: &'static str, query: impl Into<String>, variables: Value, end: End) -> Case {
    let query: String = query.into();
    let length = query.chars().count();
    assert!(length <= MAX_CHARACTERS, "{name} has {length} characters");
    let body = json!({"query": query, "variables": variables}).to_string();
    Case {
        name,
        body: body.into_bytes(),
        end,
    }
}

fn raw(name: &'static str, body: impl Into<Vec<u8>>, status: u16) -> Case {
    Case {
        name,
        body: body.into(),
        end: End::Whole(status),
    }
}

fn fill(unit: &str, rest: usize) -> String {
    unit.repeat((MAX_CHARACTERS - rest) / unit.len())
}

/// `open` and `close` around each other, as often as fits.
fn nested(start: &str, open: &str, close: &str, end: &str) -> String {
    let room = MAX_CHARACTERS - start.len() - end.len();
    let count = room / (open.len() + close.len());
    format!("{start}{}{}{end}", open.repeat(count), close.repeat(count))
}

/// Fragments that each spread the next one `times`.
fn fragments(times: usize) -> String {
    let spreads = |n: usize| format!("...f{n} ").repeat(times);
    let mut text = "{...f0}".to_owned();
    let last = "fragment f%% on Query{__typename}";
    let mut n = 0;
    loop {
        let next = format!("fragment f{n} on Query{{{}}}", spreads(n + 1));
        if text.len() + next.len() + last.len() + 9 > MAX_CHARACTERS {
            return text + &last.replace("%%", &n.to_string());
        }
        text += &next;
        n += 1;
    }
}

fn many(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

/// JSON of this many levels around a number.
fn levels(count: usize) -> Value {
    (0..count).fold(json!(1), |inner, _| json!({"a": inner}))
}

fn nestings() -> Vec<Case> {
    vec![
        query(
            "deep selections",
            nested("", "{a", "}", ""),
            refused("documentTooDeep"),
        ),
        query(
            "deep lists",
            nested("{a(b:", "[", "]", ")}"),
            refused("documentTooDeep"),
        ),
        query(
            "deep objects",
            nested("{a(b:", "{x:", "}", ")}"),
            refused("documentTooDeep"),
        ),
        query(
            "deep list types",
            nested("query($v:", "[", "]", "){a}"),
            refused("documentTooDeep"),
        ),
        query(
            "deep defaults",
            nested("query($v:Int=", "[", "]", "){a}"),
            refused("documentTooDeep"),
        ),
        query(
            "brackets that never close",
            fill("(", 0),
            refused("documentTooDeep"),
        ),
        query(
            "inline fragments within each other",
            nested("{", "...{", "}", "}"),
            refused("documentTooDeep"),
        ),
        query(
            "groups within groups",
            format!(
                "{{group(fullPath:\"a\"){{{}id{}}}}}",
                "parent{".repeat(55),
                "}".repeat(55)
            ),
            refused("queryTooDeep"),
        ),
    ]
}

fn expansions() -> Vec<Case> {
    let fields = "currentUser{namespace{id} ...on User{namespace{name}}} ";
    vec![
        query(
            "fragment doubling",
            fragments(2),
            refused("tooManySelections"),
        ),
        query(
            "fragments by hundreds",
            fragments(100),
            refused("tooManySelections"),
        ),
        query(
            "a chain of fragments",
            fragments(1),
            refused("documentTooDeep"),
        ),
        query(
            "a cycle of fragments",
            "{...a} fragment a on Query{...b} fragment b on Query{...a}",
            refused("infiniteLoop"),
        ),
        query(
            "one fragment everywhere",
            format!(
                "{{{}}} fragment a on Query{{x:metadata{{version}} y:metadata{{version}}}}",
                "...a ".repeat(1_500)
            ),
            refused("tooManySelections"),
        ),
        query(
            "aliases",
            format!("{{{}}}", many(600, |n| format!("a{n}:__typename "))),
            refused("queryTooComplex"),
        ),
        query(
            "aliases of lists",
            format!(
                "{{{}}}",
                many(200, |n| format!("a{n}:users(first:100){{nodes{{id}}}} "))
            ),
            refused("queryTooComplex"),
        ),
        query(
            "fields that merge",
            format!("{{{}}}", fill("currentUser{id name} ", 2)),
            End::Answered,
        ),
        query(
            "overlapping fields",
            format!("{{{}}}", fill(fields, 2)),
            End::Answered,
        ),
        query(
            "directives on one field",
            format!("{{__typename {}}}", "@include(if:true)".repeat(500)),
            refused("tooManyDirectives"),
        ),
        query(
            "directives on many fields",
            format!(
                "{{__typename {}}}",
                "__typename @skip(if:true) ".repeat(380)
            ),
            End::Answered,
        ),
        query(
            "operations",
            format!(
                "{}fragment f on Query{{echo(text:$v)}}",
                many(450, |n| format!("query q{n}{{...f}} "))
            ),
            refused("operationNameRequired"),
        ),
    ]
}

fn introspections() -> Vec<Case> {
    let deep = |open: &str, close: &str, count: usize| {
        let (open, close) = (open.repeat(count), close.repeat(count));
        format!("{{__schema{{types{{{open}name{close}}}}}}}")
    };
    let aliased = |count| many(count, |n| format!("a{n}:__schema{{types{{name}}}} "));
    vec![
        query(
            "introspection in circles",
            deep("fields{type{", "}}", 20),
            refused("queryTooDeep"),
        ),
        query(
            "introspection twice around",
            deep("fields{type{", "}}", 3),
            refused("recursiveQuery"),
        ),
        query("types of types", deep("ofType{", "}", 15), End::Answered),
        query(
            "introspection many times",
            format!("{{{}}}", aliased(20)),
            End::Answered,
        ),
        query(
            "introspection too many times",
            format!("{{{}}}", aliased(21)),
            refused("fieldCalledTooOften"),
        ),
        query(
            "all of the interface",
            "{__schema{types{name description fields(includeDeprecated:true){name description \
             args{name description type{name kind ofType{name kind}} defaultValue} \
             type{name kind ofType{name kind ofType{name kind}}} isDeprecated} \
             inputFields{name type{name}} enumValues{name} possibleTypes{name}}}}",
            End::Answered,
        ),
    ]
}

fn texts() -> Vec<Case> {
    vec![
        query("quotes", fill("\"", 0), refused("parseError")),
        query("block quotes", fill("\"\"\" ", 0), refused("parseError")),
        query(
            "a comment",
            format!("#{}", fill("n", 1)),
            refused("parseError"),
        ),
        query("commas", fill(",", 0), refused("parseError")),
        query("tokens", fill("a ", 0), refused("parseError")),
        query(
            "NUL",
            format!("{{a{}}}", "\0".repeat(4_000)),
            refused("parseError"),
        ),
        query(
            "unknown fields",
            format!("{{{}}}", fill("x ", 20)),
            refused("undefinedField"),
        ),
        query(
            "a long name near to many",
            format!("{{{}}}", fill("n", 2)),
            refused("undefinedField"),
        ),
        query(
            "variables in the text",
            format!(
                "query({}){{__typename}}",
                many(900, |n| format!("$v{n}:Int "))
            ),
            refused("variableNotUsed"),
        ),
        query(
            "a list of variables",
            format!(
                "{{users(usernames:[{}]){{nodes{{id}}}}}}",
                "$v ".repeat(2_400)
            ),
            refused("variableNotDefined"),
        ),
    ]
}

fn bodies() -> Vec<Case> {
    let take = "query($i:EchoCreateInput!){__typename @skip(if:false) echo(text:\"\")}";
    let names = "query($n:[String!]){users(usernames:$n){nodes{id}}}";
    let keys = many(1_000_000, |n| format!("\"{n:x}\":1,"));
    let entry = "{\"query\":\"{__typename}\"}";
    let map = |count: usize| -> Value {
        let pairs = (0..count).map(|n| (format!("k{n}"), json!(1)));
        Value::Object(pairs.collect())
    };
    let mut long: Vec<u8> = b"{\"query\":\"".to_vec();
    long.resize(6 * 1024 * 1024, b'a');
    vec![
        with(
            "deep variables",
            take,
            json!({"i": levels(29)}),
            refused("variableNotUsed"),
        ),
        with(
            "variables too deep",
            take,
            json!({"i": levels(60)}),
            End::Whole(400),
        ),
        with(
            "wide variables",
            take,
            map(40_000),
            refused("variableNotUsed"),
        ),
        with(
            "a list of names",
            names,
            json!({"n": vec!["a"; 40_000]}),
            End::Answered,
        ),
        with(
            "wrong values",
            names,
            json!({"n": vec![1; 40_000]}),
            refused("invalidVariable"),
        ),
        raw(
            "10^6 keys",
            format!("{{\"variables\":{{{}\"z\":1}}}}", &keys[..5_000_000]),
            400,
        ),
        raw(
            "10^6 digits",
            format!("{{\"variables\":{{\"n\":{}}}}}", "9".repeat(1_000_000)),
            400,
        ),
        raw("open lists", "[".repeat(5_000_000), 400),
        raw("open objects", "{\"a\":".repeat(1_000_000), 400),
        raw(
            "a batch of a thousand",
            format!("[{}{entry}]", format!("{entry},").repeat(999)),
            422,
        ),
        raw(
            "a batch of everything",
            format!("[{}1]", "1,".repeat(49_000)),
            422,
        ),
        raw("spaces", " ".repeat(5_000_000), 400),
        raw("a body without end", long, 413),
        raw("half a letter", b"{\"query\":\"{\xff}\"}".to_vec(), 400),
        raw("half a pair", "{\"query\":\"{\\ud800}\"}", 400),
    ]
}

/// The processor time of all threads of this process so far.
fn processor_time() -> Option<Duration> {
    let mut sum = 0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let told = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        sum += told.split(' ').next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(sum))
}

/// What `work` takes, if the system tells.
async fn measured<T>(work: impl Future<Output = T>) -> (T, Option<Duration>) {
    let before = processor_time();
    let done = work.await;
    let after = processor_time();
    (
        done,
        after
            .zip(before)
            .map(|(after, before)| after.saturating_sub(before)),
    )
}

async fn answer(server: &Server, token: &str, body: Bytes) -> (u16, Bytes) {
    let request = http::Request::post("/api/graphql")
        .header("content-type", "application/json")
        .header("private-token", token)
        .body(Body::from(body))
        .expect("a request");
    let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let response = server.answer(peer, request).await;
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), usize::MAX).await;
    (status, body.expect("a body"))
}

fn end_of(status: u16, body: &[u8]) -> End {
    if status != 200 {
        return End::Whole(status);
    }
    let body: Value = serde_json::from_slice(body).expect("JSON");
    match body["errors"][0]["extensions"]["code"].as_str() {
        Some(code) => refused(code),
        None => End::Answered,
    }
}

/// What is wrong with the answer to one case.
async fn problems(server: &Server, token: &str, case: &Case, most: Duration) -> Vec<String> {
    let body = Bytes::copy_from_slice(&case.body);
    let (mut least, mut problems) = (None, Vec::new());
    for _ in 0..TRIES {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let ((status, told), took) = measured(answer(server, token, body.clone())).await;
        let grown = MEMORY.peak_usage().saturating_sub(before);
        least = least.into_iter().chain(took).min();
        let end = end_of(status, &told);
        if end != case.end {
            let text = String::from_utf8_lossy(&told);
            problems.push(format!("ends with {end:?}: {text:.300}"));
        }
        if grown > MEMORY_LIMIT {
            problems.push(format!("took {grown} bytes"));
        }
    }
    if let Some(least) = least.filter(|least| *least > most) {
        problems.push(format!("took {least:?} of {most:?}"));
    }
    let named = |problem: String| format!("{} {problem}", case.name);
    problems.into_iter().map(named).collect()
}

/// The bound of this build.
async fn bound() -> Duration {
    let plain = "a b(c: 1) ".repeat(MAX_CHARACTERS / 10);
    // Many at once: the system counts in ticks.
    let passes = async { (0..ROUNDS).for_each(|_| drop(lexer::masked(&plain))) };
    let pass = measured(passes).await.1.unwrap_or_default() / ROUNDS;
    match cfg!(debug_assertions) {
        true => TIME_LIMIT.max(pass * PASSES),
        false => TIME_LIMIT,
    }
}

#[test]
fn whatever_is_sent_is_answered_cheaply_or_refused() {
    // Threads that end would take their time along.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_keep_alive(Duration::from_secs(3600))
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let t = TestServer::sqlite().await;
        let token = t.user("jane").await.token().expect("a token").to_owned();
        let gate = Box::new(IdentityGate::new());
        let server: Arc<Server> =
            Server::new(t.app().clone(), gate, tenon::wiring::routes()).expect("a server");
        let hello = Bytes::from_static(b"{\"query\":\"{currentUser{id}}\"}");
        assert_eq!(answer(&server, &token, hello).await.0, 200);
        let most = bound().await;
        let all = [
            nestings(),
            expansions(),
            introspections(),
            texts(),
            bodies(),
        ];
        let mut found = Vec::new();
        for case in all.iter().flatten() {
            found.extend(problems(&server, &token, case, most).await);
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
    });
}
