//! What docs/interface/graphql.md «Bad input and abuse» names, sent to the whole server:
//! each is answered within 50 ms of processor time and 16 MiB, or refused.
//!
//! Processor time is counted, not the clock's, so a loaded machine changes
//! nothing. A build without optimisation takes longer for everything; there
//! the bound follows what a plain pass over the longest text takes.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod cases;

use axum::body::{Body, Bytes, to_bytes};
use cases::{Case, End, refused};
use graphql::validation::{MAX_CHARACTERS, lexer};
use identity::gate::IdentityGate;
use kernel::http::serve::Server;
use peak_alloc::PeakAlloc;
use serde_json::Value;
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
    (done, after.zip(before).map(|(after, before)| after.saturating_sub(before)))
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
        let mut found = Vec::new();
        for case in cases::all() {
            found.extend(problems(&server, &token, &case, most).await);
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
    });
}
