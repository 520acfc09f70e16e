//! Accounts and tokens from the command line, and the first administrator.

use crate::options::Options;
use crate::{Outcome, told, wiring};
use identity::oauth::applications::Registration;
use identity::password_rules::{self, Person};
use identity::{bootstrap, password};
use kernel::app::App;
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
    let (app, _) = wiring::assemble_existing(options).await?;
    let new = Registration {
        name: wanted.name,
        redirect_uris: wanted.redirect_uri.join("\n"),
        scopes: wanted.scopes.split_whitespace().map(str::to_owned).collect(),
        confidential: !wanted.public,
        trusted: wanted.trusted,
    };
    let made = app.write(move |tx| bootstrap::create_application(tx, &new)).await;
    let (made, secret) = made.map_err(told)?;
    let secret = secret.map(|secret| secret.expose().to_owned());
    Ok(json!({"client_id": made.uid, "client_secret": secret}).to_string())
}

/// Makes what every instance has and this one lacks: an administrator and the
/// built-in applications. Without a given password the administrator gets a
/// random one, which is said once.
pub async fn complete(app: &App, given: Option<String>, say: impl Fn(&str)) -> Outcome {
    let lacks = app.read(bootstrap::lacks).await.map_err(told)?;
    if lacks.applications {
        app.write(bootstrap::add_applications).await.map_err(told)?;
    }
    if !lacks.administrator {
        return Ok(());
    }
    let is_random = given.is_none();
    if let Some(problem) = given.as_deref().and_then(bootstrap::password_problem) {
        return Err(format!("the password in TENON_ROOT_PASSWORD {problem}"));
    }
    let text = given.unwrap_or_else(password::random);
    let hash = password::hash(text.clone()).await.map_err(told)?;
    let made = app.write(move |tx| bootstrap::add_administrator(tx, &hash));
    let Some(root) = made.await.map_err(told)? else {
        return Ok(());
    };
    if is_random {
        say(&format!("the administrator {} has the password {text}", root.username));
        say("it is not shown again; change it after signing in");
    } else {
        say(&format!("the administrator is {}", root.username));
    }
    Ok(())
}

/// Makes a token and answers its text.
pub async fn create_token(options: Options, wanted: NewToken) -> Outcome<String> {
    let (app, _) = wiring::assemble_existing(options).await?;
    let made = app
        .write(move |tx| {
            let (user, name) = (&wanted.user, &wanted.name);
            bootstrap::create_token(tx, user, name, &wanted.scopes, wanted.expires)
        })
        .await;
    made.map(|(_, secret)| secret.expose().to_owned()).map_err(told)
}

/// Makes an account and says so. Where an instance begins by it, or lacks what
/// every instance has, that is made first.
pub async fn create_user(
    mut options: Options, wanted: NewUser, input: std::io::Stdin, say: impl Fn(&str),
) -> Outcome {
    let mut line = String::new();
    input
        .lock()
        .read_line(&mut line)
        .map_err(|error| format!("standard input: {error}"))?;
    let text = line.trim_end_matches(['\r', '\n']).to_owned();
    let person = Person {
        username: &wanted.username,
        name: wanted.name.as_ref().unwrap_or(&wanted.username),
        email: &wanted.email,
    };
    if let Some(problem) = password_rules::problem(&text, person) {
        return Err(format!("the password {problem}"));
    }
    if wiring::may_begin_instance(&options)? {
        say(&format!("a new instance begins in {}", options.data.display()));
    }
    let given = options.root_password.take();
    let (app, _) = wiring::assemble(options).await?;
    complete(&app, given, &say).await?;
    let hash = password::hash(text).await.map_err(told)?;
    let made = app.write(move |tx| {
        let (username, email) = (&wanted.username, &wanted.email);
        let name = wanted.name.as_ref().unwrap_or(username);
        bootstrap::create_user(tx, username, name, email, &hash, wanted.admin)
    });
    let user = made.await.map_err(told)?;
    say(&format!("user {} has id {}", user.username, user.id));
    Ok(())
}
