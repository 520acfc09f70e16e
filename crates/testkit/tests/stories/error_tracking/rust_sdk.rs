//! The stock SDK of Rust, unmodified, over its ureq transport (docs/interface/monitoring.md 7),
//! and the envelopes that its types write.

use crate::error_tracking::Tracker;
use sentry::protocol::{Attachment, EnvelopeItem, Event, Exception, User};
use sentry::{Client, ClientOptions, Envelope, Hub, Level, Scope};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long the SDK may take to send what it has.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
struct TooHot(std::num::ParseIntError);

impl fmt::Display for TooHot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("1600 degrees")
    }
}

impl Error for TooHot {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

/// A program that reports an error, a message and a panic, with its sessions
/// told; whether all of it was sent.
fn program(dsn: &str) -> bool {
    let options = ClientOptions::new()
        .dsn(dsn)
        .release("1.4.2")
        .environment("forge")
        .attach_stacktrace(true)
        .add_integration(sentry_backtrace::AttachStacktraceIntegration)
        .add_integration(sentry_backtrace::ProcessStacktraceIntegration);
    let client = Arc::new(Client::from(sentry::apply_defaults(options)));
    let hub = Arc::new(Hub::new(Some(client.clone()), Arc::new(Scope::default())));
    Hub::run(hub, || {
        sentry::start_session();
        let user = User { id: Some("7".into()), ..User::default() };
        sentry::configure_scope(|scope| scope.set_user(Some(user)));
        let cause = "hot".parse::<i32>().unwrap_err();
        sentry::capture_error(&TooHot(cause));
        sentry::capture_message("the fire is out", Level::Warning);
        std::panic::catch_unwind(|| panic!("the anvil fell")).unwrap_err();
        sentry::end_session();
    });
    client.close(Some(PATIENCE))
}

fn named(errors: Vec<Value>) -> BTreeMap<String, Value> {
    let name = |error: &Value| error["name"].as_str().unwrap().to_owned();
    errors.into_iter().map(|error| (name(&error), error)).collect()
}

#[testkit::story]
async fn the_sdk_of_rust_reports_errors_messages_and_panics(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let keys = t.admin().get(tracker.project.at("/error_tracking/client_keys")).await.is(200);
    let dsn = keys.each("tracker_dsn")[0].as_str().unwrap().to_owned();

    let sent = tokio::task::spawn_blocking(move || program(&dsn)).await.unwrap();

    assert!(sent, "not all was sent");
    let found = named(tracker.errors().await);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["Log Message", "TooHot", "panic"]);
    let told = |name: &str| {
        let error = &found[name];
        json!([
            error["description"],
            error["level"],
            error["events_count"],
            error["users_count"],
            error["last_release"]
        ])
    };
    assert_eq!(told("TooHot"), json!(["1600 degrees", "error", 1, 1, "1.4.2"]));
    assert_eq!(told("panic"), json!(["the anvil fell", "fatal", 1, 1, "1.4.2"]));
    assert_eq!(told("Log Message"), json!(["the fire is out", "warning", 1, 1, "1.4.2"]));
    // It sends the stacks of errors and messages with its threads.
    let jane = t.user("jane").await;
    tracker.project.add(&jane, 30).await;
    let browser = t.browser("jane").await;
    for (name, error) in &found {
        let one = format!("/acme/anvil/-/error_tracking/{}", error["id"]);
        let stack = browser.get(&format!("{one}/stack_trace.json")).await.is(200).text();
        assert!(stack.contains("rust_sdk::program"), "{name}: {stack}");
        let page = browser.get(&format!("{one}/details")).await.is(200).text();
        assert!(page.contains("rust_sdk::program"), "{name}: {page}");
    }
    let dropped = t.app().read(|tx| {
        Ok(tx.one::<i64>(store::sql!("select count(*) from error_tracking_drops"), ())?)
    });
    assert_eq!(dropped.await.unwrap(), 0);
}

#[testkit::story]
async fn envelopes_as_its_types_write_them_are_read(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let raised = Exception {
        ty: "TooHot".into(),
        value: Some("1600\ndegrees".into()),
        ..Exception::default()
    };
    let event = Event { exception: vec![raised].into(), ..Event::default() };
    let id = event.event_id.simple().to_string();
    let mut envelope = Envelope::new();
    envelope.add_item(EnvelopeItem::Attachment(Attachment {
        buffer: b"{\"type\":\"event\"}\n\n\xff\0".to_vec(),
        filename: "log.txt".into(),
        ..Attachment::default()
    }));
    envelope.add_item(event);
    let mut bytes = Vec::new();
    envelope.to_writer(&mut bytes).unwrap();

    let kept = tracker.to("envelope").bytes(bytes.clone()).await.is(200);

    assert_eq!(kept.json(), json!({"id": id}));
    let error = tracker.only_error().await;
    assert_eq!(
        (error["name"].clone(), error["description"].clone()),
        (json!("TooHot"), json!("1600\ndegrees"))
    );
    // Cut anywhere, it is refused or holds nothing yet, and is never half an event.
    for at in (1..bytes.len()).step_by(7) {
        let cut = tracker.to("envelope").bytes(bytes[..at].to_vec()).await;
        assert!(matches!(cut.status, 200 | 400), "{at}: {cut:?}");
    }
    assert_eq!(tracker.only_error().await["events_count"], 1);
}
