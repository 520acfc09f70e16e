//! What runner programs ask about themselves, with a token in the body or a header.

use super::super::entity::{ResetToken, RunnerToken};
use super::super::model::{MAX_SYSTEM_ID, NO_SYSTEM, Runner};
use super::super::rules::{self, RunnerOptions};
use super::super::store::{self, managers::Said};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::{Field, Param};
use kernel::http::{
    Call, Created, Flat, FromCall, NoContent, Ok200, Params, RequestContext, Response, Routes,
};
use kernel::secrets::{Secret, digest};
use serde_json::{Value, json};
use std::sync::Arc;

/// Longest text that a machine says of itself and that is kept, in characters.
const MAX_SAID: usize = 255;

/// A refusal in the description of the interface.
pub const NO_SUCH: &str = "There is no such token";

pub fn routes(r: &mut Routes) {
    r.post("/runners", register)
        .unchecked()
        .answers(403, NO_SUCH)
        .answers(410, "Registration tokens are switched off")
        .summary("Registers a runner by a registration token");
    r.delete("/runners", unregister)
        .unchecked()
        .answers(403, NO_SUCH)
        .summary("Deletes the runner that asks");
    r.delete("/runners/managers", unregister_manager)
        .unchecked()
        .answers(403, NO_SUCH)
        .answers(404, "There is no such machine")
        .summary("Forgets a machine of the runner that asks");
    r.post("/runners/verify", verify)
        .unchecked()
        .answers(403, NO_SUCH)
        .summary("Tells a runner that its token is good");
    r.post("/runners/reset_authentication_token", reset)
        .unchecked()
        .answers(403, NO_SUCH)
        .summary("Gives the runner that asks another token");
    r.get("/runners/router/discovery", discovery)
        .unchecked()
        .answers(501, "This server routes no jobs")
        .summary("Tells runners that no other server hands out jobs");
}

/// The token that a program sends: in the body, or in a header.
pub struct SentToken(pub Secret);

impl FromCall for SentToken {
    async fn from_call(call: &mut Call) -> Result<SentToken> {
        let header = call.request.header("runner-token").map(str::to_owned);
        let sent = match call.merged().await?.get("token") {
            Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
            None | Some(Value::Null | Value::String(_)) => header,
            Some(_) => return Err(Error::Parameters(vec!["token is invalid".into()])),
        };
        sent.map(|text| SentToken(Secret::new(text)))
            .ok_or_else(|| Error::missing("token"))
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.parameters(vec![Field {
            name: "token",
            description: "The token; the header Runner-Token may carry it, too.",
            schema: String::schema(),
            required: true,
        }]);
    }
}

kernel::params! {
    /// What a program says of itself.
    #[derive(Default)]
    pub struct Info {
        /// Version of the program.
        pub version: Option<String>,
        /// Commit it was built from.
        pub revision: Option<String>,
        /// Operating system.
        pub platform: Option<String>,
        /// Of the processor.
        pub architecture: Option<String>,
        /// How it runs jobs.
        pub executor: Option<String>,
    }
}

impl Info {
    pub fn said(self, request: &RequestContext) -> Said {
        let short =
            |text: Option<String>| text.map(|text| text.chars().take(MAX_SAID).collect::<String>());
        Said {
            version: short(self.version),
            revision: short(self.revision),
            platform: short(self.platform),
            architecture: short(self.architecture),
            executor: short(self.executor),
            ip_address: Some(request.peer.to_string()),
            knows_refspecs: None,
        }
    }
}

/// The runner of a token.
///
/// # Errors
///
/// 403 where there is none.
pub fn runner(tx: &mut Tx<'_>, token: &Secret) -> Result<Runner> {
    let found = store::by_digest(tx, digest(token.expose()))?;
    found.ok_or_else(|| Error::forbidden(""))
}

/// Which machine it is.
pub fn system_id(sent: Option<String>) -> Result<String> {
    match sent {
        Some(id) if id.chars().count() > MAX_SYSTEM_ID => Err(Error::Parameters(vec![
            "system_id is too long (maximum is 64 characters)".into(),
        ])),
        Some(id) if !id.is_empty() => Ok(id),
        _ => Ok(NO_SYSTEM.to_owned()),
    }
}

/// Notes that a machine of a runner was heard of.
pub fn heard_of(tx: &mut Tx<'_>, runner: &Runner, system_id: &str, said: &Said) -> Result<()> {
    let now = tx.now();
    store::managers::note(tx, runner.id, system_id, said)?;
    store::contacted(tx, runner.id, now)
}

kernel::params! {
    pub struct Register {
        /// What the program says of itself.
        pub info: Option<Info>,
        pub options: Flat<RunnerOptions>,
    }
}

async fn register(
    app: App, token: SentToken, request: Arc<RequestContext>, sent: Params<Register>,
) -> Result<Created<RunnerToken>> {
    let Params(sent) = sent;
    let said = sent.info.unwrap_or_default().said(&request);
    let made = app.write(move |tx| rules::register(tx, token.0.expose(), &sent.options, &said));
    Ok(Created(RunnerToken::of(&made.await?)))
}

async fn unregister(app: App, token: SentToken) -> Result<NoContent> {
    app.write(move |tx| {
        let runner = runner(tx, &token.0)?;
        rules::unregister(tx, &Viewer::Anonymous, &runner)?;
        Ok(NoContent)
    })
    .await
}

kernel::params! {
    pub struct System {
        /// Which machine it is.
        pub system_id: String,
        /// What the program says of itself.
        pub info: Option<Info>,
    }
}

async fn unregister_manager(app: App, token: SentToken, sent: Params<System>) -> Result<NoContent> {
    app.write(move |tx| {
        let runner = runner(tx, &token.0)?;
        match store::managers::delete(tx, runner.id, &sent.system_id)? {
            true => Ok(NoContent),
            false => Err(Error::NotFound("Runner manager")),
        }
    })
    .await
}

async fn verify(
    app: App, token: SentToken, request: Arc<RequestContext>, sent: Params<System>,
) -> Result<Ok200<RunnerToken>> {
    let Params(sent) = sent;
    let system = system_id(Some(sent.system_id))?;
    let said = sent.info.unwrap_or_default().said(&request);
    app.write(move |tx| {
        let runner = runner(tx, &token.0)?;
        heard_of(tx, &runner, &system, &said)?;
        let token = token.0.expose().to_owned();
        Ok(Ok200(RunnerToken { id: runner.id, token, token_expires_at: None }))
    })
    .await
}

async fn reset(app: App, token: SentToken) -> Result<Created<ResetToken>> {
    app.write(move |tx| {
        let runner = runner(tx, &token.0)?;
        let made = rules::reset_token(tx, &Viewer::Anonymous, runner)?;
        Ok(Created(made.token.into()))
    })
    .await
}

async fn discovery() -> Result<Response> {
    Err(Error::Exact(501, json!({"message": "501 Not Implemented"})))
}
