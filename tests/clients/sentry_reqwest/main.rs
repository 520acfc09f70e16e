//! A program that reports an error, a message and a panic to the DSN that it
//! is given, with its session told. It ends by that panic.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use sentry::protocol::User;
use sentry::{ClientOptions, Level};

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

fn heat(degrees: &str) -> Result<i32, TooHot> {
    degrees.parse().map_err(TooHot)
}

fn main() {
    let dsn = std::env::args().nth(1).expect("the argument is a DSN");
    rustls::crypto::ring::default_provider()
        .install_default()
        .expect("nobody chose another one");
    let _sentry = sentry::init(
        ClientOptions::new()
            .dsn(&dsn)
            .release("1.4.2")
            .environment("forge")
            .attach_stacktrace(true)
            .auto_session_tracking(true)
            .shutdown_timeout(PATIENCE)
            .debug(true),
    );
    let user = User {
        id: Some("7".into()),
        ..User::default()
    };
    sentry::configure_scope(|scope| scope.set_user(Some(user)));
    if let Err(error) = heat("hot") {
        sentry::capture_error(&error);
    }
    sentry::capture_message("the fire is out", Level::Warning);
    panic!("the anvil fell");
}
