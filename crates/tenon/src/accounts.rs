//! Accounts and tokens from the command line, and the first administrator.

use crate::options::Options;
use crate::{Outcome, wiring};
use identity::oauth::applications::Registration;
use identity::{bootstrap, password};
use kernel::app::App;
use kernel::error::Error;
use kernel::time::Date;
use serde_json::json;
use std::io::BufRead;

/// What `tenon token create` takes.
#[derive(clap::Args)]
pub struct NewToken {
    /// Whose token it is
    #[arg(long, value_name = "USERNAME")]
    user: String,
    /// For people
    #[arg(long)]
    name: String,
    /// What it may do, such as api or read_user,read_api
    #[arg(long, value_delimiter = ',', required = true)]
    scopes: Vec<String>,
    /// Last day, such as 2027-01-31 [default: the longest allowed]
    #[arg(long, value_name = "DATE")]
    expires: Option<Date>,
}

/// What `tenon user create` takes.
#[derive(clap::Args)]
pub struct NewUser {
    /// Name in addresses and at sign-in
    #[arg(long)]
    username: String,
    /// E-mail address; it counts as confirmed
    #[arg(long)]
    email: String,
    /// Name for people [default: the username]
    #[arg(long)]
    name: Option<String>,
    /// An administrator
    #[arg(long)]
    admin: bool,
    /// Read the password from the first line of standard input
    #[arg(long, required = true)]
    password_stdin: bool,
}

/// What `tenon application create` takes.
#[derive(clap::Args)]
pub struct NewApplication {
    /// Shown to users when they are asked for consent
    #[arg(long)]
    name: String,
    /// Where users are sent back to; may be given several times
    #[arg(long, value_name = "URI", required = true)]
    redirect_uri: Vec<String>,
    /// It cannot keep a secret: a single-page, desktop or mobile application
    #[arg(long)]
    public: bool,
    /// What it may ask for, such as "api openid"
    #[arg(long)]
    scopes: String,
    /// Users are not asked for consent
    #[arg(long)]
    trusted: bool,
}

/// Registers an application of the instance and answers its credentials as
/// JSON; the secret of a public one is null.
pub async fn create_application(options: Options, wanted: NewApplication) -> Outcome<String> {
    let (app, _) = wiring::assemble(options).await?;
    let new = Registration {
        name: wanted.name,
        redirect_uris: wanted.redirect_uri.join("\n"),
        scopes: wanted
            .scopes
            .split_whitespace()
            .map(str::to_owned)
            .collect(),
        confidential: !wanted.public,
        trusted: wanted.trusted,
    };
    let made = app
        .write(move |tx| bootstrap::create_application(tx, &new))
        .await;
    let (made, secret) = made.map_err(said)?;
    let secret = secret.map(|secret| secret.expose().to_owned());
    Ok(json!({"client_id": made.uid, "client_secret": secret}).to_string())
}

/// Makes the first administrator where there is no user yet. Without a given
/// password a random one is made, which is returned to be shown once.
pub async fn first_administrator(app: &App, given: Option<String>) -> Outcome<Option<String>> {
    let empty = app.read(bootstrap::is_empty).await;
    if !empty.map_err(said)? {
        return Ok(None);
    }
    let made = given.is_none();
    let text = given.unwrap_or_else(password::random);
    if let Some(problem) = password::problem(&text) {
        return Err(format!("the password in TENON_ROOT_PASSWORD {problem}"));
    }
    let hash = password::hash(text.clone()).await.map_err(said)?;
    let root = app
        .write(move |tx| bootstrap::bootstrap(tx, &hash))
        .await
        .map_err(said)?;
    Ok(root.filter(|_| made).map(|_| text))
}

/// Makes a token and answers its text.
pub async fn create_token(options: Options, wanted: NewToken) -> Outcome<String> {
    let (app, _) = wiring::assemble(options).await?;
    let made = app
        .write(move |tx| {
            let NewToken {
                user,
                name,
                scopes,
                expires,
            } = &wanted;
            bootstrap::create_token(tx, user, name, scopes, *expires)
        })
        .await;
    made.map(|(_, secret)| secret.expose().to_owned())
        .map_err(said)
}

/// Makes an account and answers a sentence about it.
pub async fn create_user(
    options: Options,
    wanted: NewUser,
    input: std::io::Stdin,
) -> Outcome<String> {
    let mut line = String::new();
    input
        .lock()
        .read_line(&mut line)
        .map_err(|error| format!("standard input: {error}"))?;
    let text = line.trim_end_matches(['\r', '\n']).to_owned();
    if let Some(problem) = password::problem(&text) {
        return Err(format!("the password {problem}"));
    }
    let (app, _) = wiring::assemble(options).await?;
    let hash = password::hash(text).await.map_err(said)?;
    let made = app
        .write(move |tx| {
            let NewUser {
                username,
                email,
                name,
                admin,
                ..
            } = &wanted;
            let name = name.as_ref().unwrap_or(username);
            bootstrap::create_user(tx, username, name, email, &hash, *admin)
        })
        .await;
    made.map(|user| format!("user {} has id {}", user.username, user.id))
        .map_err(said)
}

/// A refusal as a sentence for the terminal.
fn said(error: Error) -> String {
    match error {
        Error::Invalid(fields) => {
            let said = fields
                .iter()
                .map(|(field, texts)| format!("{field} {}", texts.join(", ")));
            said.collect::<Vec<_>>().join("; ")
        }
        Error::NotFound(thing) => format!("no such {}", thing.to_lowercase()),
        Error::Forbidden(reason) => reason,
        Error::Parameters(texts) => texts.join(", "),
        Error::BadRequest(text) | Error::Conflict(text) | Error::Unavailable(text) => text,
        other => other.to_string(),
    }
}
