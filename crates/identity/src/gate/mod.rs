//! From the credentials of a request to its viewer (docs/interface/identity.md 3).
//!
//! Tokens are one indexed query joined with their user. A credential that is
//! sent but unknown is refused, never ignored; only a dead session cookie is,
//! since browsers keep those.

mod credentials;
mod git;
mod refused;
mod sudo;

use crate::addresses::Addresses;
use crate::admin_mode;
use crate::model::{TokenKind, User};
use crate::oauth;
use crate::oauth::families::{self, Pair};
use crate::registry_session::Holding;
use crate::sessions::Session;
use crate::settings::{Sessions, TokenRules};
use crate::sign_up::SignUp;
use crate::standing::AdminMode;
use crate::tokens::DeployToken;
use crate::two_factor::requirement;
use crate::viewer::{Credential, SignedIn, SourceType, Viewer};
use crate::{
    access, csrf, feed_tokens, git_pass, hooks, reauthentication, registry_session, sessions,
    tokens,
};
use credentials::SentCredential;
pub(crate) use credentials::cookie_of;
use http::Method;
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::html::{Seen, flash};
use kernel::http::routes::{GateCookie, Route, Stranger, Surface};
use kernel::http::throttle::Caller;
use kernel::http::{Call, Gate};
use kernel::time::{Timestamp, date_of};
use refused::{Refused, Resolved};
use std::collections::HashSet;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

/// Seconds between two notes of the same credential's use.
const NOTE_EVERY: i64 = 600;

/// Resolves the viewer of every request.
#[derive(Default)]
pub struct IdentityGate {
    /// Uses being written down, so that a burst writes once.
    noting: Arc<Mutex<HashSet<Noted>>>,
    addresses: Addresses,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Noted {
    Token(i64),
    Session(i64),
    Family(i64),
}

impl IdentityGate {
    pub fn new() -> IdentityGate {
        IdentityGate::default()
    }

    async fn resolve(&self, call: &mut Call) -> Resolved {
        let sent = credentials::find(call).await?;
        let peer = call.request.peer.to_string();
        if let SentCredential::Token(text) | SentCredential::Private(text) = &sent
            && ends_rotation(call)
        {
            end_family_of_revoked(&call.app.clone(), text.clone()).await?;
        }
        let viewer = match sent {
            SentCredential::Nothing => Viewer::Anonymous,
            SentCredential::Unusable => return Err(Error::Unauthenticated.into()),
            SentCredential::Token(text) => self.by_token(&call.app.clone(), peer, text).await?,
            SentCredential::Private(text) => self.by_private(&call.app.clone(), peer, text).await?,
            SentCredential::Job(text) => {
                self.by_job(&call.app.clone(), call.route.clone(), peer, text).await?
            }
            SentCredential::Registry(text) | SentCredential::Deploy { token: text, .. }
                if text.starts_with(hooks::JOB_TOKEN_PREFIX) =>
            {
                self.by_job(&call.app.clone(), call.route.clone(), peer, text).await?
            }
            SentCredential::Registry(text) => {
                let (app, path) = (call.app.clone(), call.request.uri.path().to_owned());
                if registry_session::is_pass(&text) {
                    call.extensions.insert(registry_session::ByPass);
                }
                self.by_registry(&app, peer, text, path).await?
            }
            SentCredential::Deploy { username, token } if call.route.git => {
                let (app, path) = (call.app.clone(), call.request.uri.path().to_owned());
                match git_pass::viewer(&app, peer.clone(), &path, &token).await? {
                    Some(viewer) => viewer,
                    None => self.by_git(&app, peer, username.unwrap_or_default(), token).await?,
                }
            }
            SentCredential::Deploy { username, token } => {
                let name = username.clone().filter(|_| call.route.names_user);
                let app = call.app.clone();
                let viewer = self.by_deploy(&app, peer, username, token).await?;
                check_name(&viewer, name)?;
                viewer
            }
            SentCredential::Feed(text) => self.by_feed(&call.app.clone(), peer, text).await?,
            SentCredential::Cookie(cookie) => self.by_session(call, cookie).await?,
        };
        if !matches!(viewer, Viewer::Anonymous) {
            call.is_from_known();
        }
        let (app, surface, peer) = (call.app.clone(), call.route.surface, call.request.peer);
        if let Some(user) = viewer.user() {
            self.addresses.check(&app, surface, user, peer).await?;
        }
        let viewer = admin_mode::settle(&app, surface, viewer).await?;
        let viewer = sudo::apply(call, viewer).await?;
        Ok(with_todos(call, viewer).await?)
    }

    /// Applications' tokens first, told by their shape, then the others.
    async fn by_token(&self, app: &App, peer: String, text: String) -> Resolved {
        if oauth::is_token(&text) {
            let token = text.clone();
            let found = app
                .read_inline(move |tx| {
                    let pair = families::by_access(tx, &token)?;
                    let user = match &pair {
                        Some(pair) => crate::users::find(tx, pair.user_id)?,
                        None => None,
                    };
                    Ok(pair.zip(user))
                })
                .await?;
            if let Some((pair, user)) = found {
                return self.with_oauth(app, peer, pair, user).await;
            }
        }
        self.by_private(app, peer, text).await
    }

    /// Any token but those of applications.
    async fn by_private(&self, app: &App, peer: String, text: String) -> Resolved {
        match app.read_inline(move |tx| tokens::holder(tx, &text)).await? {
            Some(holder) => self.with_token(app, peer, holder).await,
            None => Err(Error::Unauthenticated.into()),
        }
    }

    async fn with_oauth(&self, app: &App, peer: String, pair: Pair, user: User) -> Resolved {
        let now = app.now();
        let checked = match refused::check_pair(&pair, now) {
            Ok(()) => check_user(app, &user).await,
            refused => refused,
        };
        checked.map_err(|error| Refused::of(error, Noted::Family(pair.family)))?;
        if stale(pair.last_used_at, &user, now) {
            let (family, user, ip) = (pair.family, user.id, peer.clone());
            self.note(app, Noted::Family(family), move |tx| families::touch(tx, family, user, &ip));
        }
        let credential =
            Credential::OAuth { family: pair.family, application: pair.application_id };
        Ok(Viewer::User(Arc::new(SignedIn {
            scopes: pair.scopes(),
            ..SignedIn::by(user, credential, peer)
        })))
    }

    async fn with_token(&self, app: &App, peer: String, holder: tokens::Holder) -> Resolved {
        let now = app.now();
        let tokens::Holder { token, user } = holder;
        let works = match token.kind {
            TokenKind::Impersonation => {
                let rules: TokenRules = app.settings().get(app).await?;
                rules.impersonation
            }
            _ => true,
        };
        let checked = match refused::check_alive(&token, works, now) {
            Ok(()) => check_user(app, &user).await,
            refused => refused,
        };
        checked.map_err(|error| Refused::of(error, Noted::Token(token.id)))?;
        if stale(token.last_used_at, &user, now) {
            let (id, user, ip) = (token.id, user.id, peer.clone());
            self.note(app, Noted::Token(id), move |tx| tokens::touch(tx, id, user, &ip));
        }
        let source = token.source_type.as_deref().and_then(SourceType::from_text);
        let credential =
            Credential::Token { id: token.id, kind: token.kind, family: token.family() };
        Ok(Viewer::User(Arc::new(SignedIn {
            scopes: token.scopes(),
            bot_source: source.zip(token.source_id),
            ..SignedIn::by(user, credential, peer)
        })))
    }

    /// A job of a pipeline while it runs: it fetches code, and uses what is made for jobs,
    /// with the rights of its user in its own project.
    async fn by_job(&self, app: &App, route: Arc<Route>, peer: String, text: String) -> Resolved {
        let scopes: &[&str] = match route {
            route if route.git => &["read_repository"],
            route if route.registry || route.job_tokens => &["api"],
            _ => return Err(Error::Unauthenticated.into()),
        };
        let found = app
            .read_inline(move |tx| {
                let job = hooks::job_of_token(tx, &text)?;
                let user = match &job {
                    Some(job) => crate::users::find(tx, job.user_id)?,
                    None => None,
                };
                Ok(job.zip(user))
            })
            .await?;
        let (job, user) = found.ok_or(Error::Unauthenticated)?;
        check_user(app, &user).await?;
        let user = User { is_admin: false, ..user };
        let credential = Credential::Job { id: job.id, project: job.project_id };
        Ok(Viewer::User(Arc::new(SignedIn {
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
            bot_source: Some((SourceType::Project, job.project_id)),
            ..SignedIn::by(user, credential, peer)
        })))
    }

    /// A reader of feeds, who may read what its user may, and has no other rights.
    async fn by_feed(&self, app: &App, peer: String, text: String) -> Resolved {
        let handle = app.clone();
        let found = app.read_inline(move |tx| feed_tokens::holder(&handle, tx, &text)).await?;
        let user = found.ok_or(Error::Unauthenticated)?;
        check_user(app, &user).await?;
        let user = User { is_admin: false, ..user };
        Ok(Viewer::User(Arc::new(SignedIn {
            scopes: vec!["read_user".to_owned()],
            ..SignedIn::by(user, Credential::Feed, peer)
        })))
    }

    /// What a registry's client sent as its token: a pass, a deploy token or
    /// an access token, told apart by what is known.
    async fn by_registry(&self, app: &App, peer: String, text: String, path: String) -> Resolved {
        if registry_session::is_pass(&text) {
            return self.by_pass(app, peer, text, path).await;
        }
        match self.by_token(app, peer, text.clone()).await {
            Err(Refused { error: Error::Unauthenticated, .. }) => {
                let found = app.read_inline(move |tx| tokens::deploy_token(tx, &text)).await?;
                Ok(deploy_viewer(app, found.ok_or(Error::Unauthenticated)?)?)
            }
            known => known,
        }
    }

    async fn by_pass(&self, app: &App, peer: String, text: String, path: String) -> Resolved {
        let signer = app.clone();
        let held = app
            .read_inline(move |tx| registry_session::holding(&signer, tx, &text, &path))
            .await?;
        match held.ok_or(Error::Unauthenticated)? {
            Holding::Nobody => Ok(Viewer::Anonymous),
            Holding::Token(holder) => self.with_token(app, peer, *holder).await,
            Holding::Deploy(deploy) => Ok(deploy_viewer(app, deploy)?),
        }
    }

    /// A deploy token by Basic or header; Basic may also carry a user's token
    /// as its password, with any user name.
    async fn by_deploy(
        &self, app: &App, peer: String, username: Option<String>, text: String,
    ) -> Resolved {
        let basic = username.is_some();
        let (holder, deploy) = app
            .read_inline(move |tx| {
                let holder = match basic {
                    true => tokens::holder(tx, &text)?,
                    false => None,
                };
                let deploy = match &holder {
                    Some(_) => None,
                    None => tokens::deploy_token(tx, &text)?,
                };
                Ok((holder, deploy))
            })
            .await?;
        if let Some(holder) = holder {
            return self.with_token(app, peer, holder).await;
        }
        let deploy = deploy
            .filter(|token| username.as_ref().is_none_or(|name| *name == token.username))
            .ok_or(Error::Unauthenticated)?;
        Ok(deploy_viewer(app, deploy)?)
    }

    async fn by_session(&self, call: &mut Call, cookie: String) -> Result<Viewer> {
        let text = cookie.clone();
        let found = call
            .app
            .read_inline(move |tx| {
                let Some((session, user)) = sessions::holder(tx, &text)? else {
                    return Ok(None);
                };
                let required = requirement::find(tx, &user)?;
                Ok(Some((session, user, required)))
            })
            .await?;
        let Some((session, user, required)) = found else {
            return Ok(Viewer::Anonymous);
        };
        if user.state.refusal().is_some() {
            return Ok(Viewer::Anonymous);
        }
        call.is_from_known();
        if !is_safe(&call.request.method) && !proves_origin(call, session.id).await? {
            match call.route.surface {
                // Only its mutations change something, and they ask.
                Surface::Graphql => {
                    call.extensions.insert(csrf::Unproven);
                }
                Surface::Page => {
                    return Err(Error::forbidden(
                        "This form has expired. Go back, reload the page and try again.",
                    ));
                }
                _ => return Err(Error::Unauthenticated),
            }
        }
        let duty = required.settle(&call.app, user.id).await?;
        requirement::check(call, duty)?;
        let now = call.app.now();
        let ip = call.request.peer.to_string();
        if stale(Some(session.last_used_at), &user, now) {
            let (id, session, ip) = (session.id, session.clone(), ip.clone());
            keep_cookie(call, &session, &cookie).await?;
            self.note(&call.app, Noted::Session(id), move |tx| sessions::touch(tx, &session, &ip));
        }
        let credential = Credential::Session { id: session.id };
        Ok(Viewer::User(Arc::new(SignedIn {
            flash: flash::read(&call.app, &call.request.headers),
            proved_at: Some(session.proved_at),
            duty,
            admin_mode: AdminMode::asked_for(session.admin_until),
            ..SignedIn::by(user, credential, ip)
        })))
    }

    /// Writes a use down beside the request, which does not wait for it.
    fn note<F>(&self, app: &App, what: Noted, write: F)
    where
        F: Fn(&mut store::Tx<'_>) -> Result<()> + Send + 'static,
    {
        let fresh = self.noting.lock().is_ok_and(|mut noting| noting.insert(what));
        if !fresh {
            return;
        }
        let (app, noting) = (app.clone(), self.noting.clone());
        tokio::spawn(async move {
            app.write(write).await.best_effort("note the use of a credential");
            if let Ok(mut noting) = noting.lock() {
                noting.remove(&what);
            }
        });
    }
}

impl Gate for IdentityGate {
    fn admit<'c>(
        &'c self, call: &'c mut Call,
    ) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'c>> {
        Box::pin(async move {
            let viewer = match self.resolve(call).await {
                Ok(viewer) => viewer,
                Err(refused) => return Err(refused.told(call)),
            };
            if let Err(refused) = refused::check_scopes(call, &viewer) {
                return Err(refused.told(call));
            }
            if call.route.fresh {
                reauthentication::check(call, &viewer).await?;
            }
            if let Some(id) = viewer.user_id() {
                call.extensions.insert(Caller(id));
            }
            if let Viewer::Anonymous = viewer {
                call.extensions.insert(Stranger);
            }
            if let (Surface::Page, Viewer::User(signed_in)) = (call.route.surface, &viewer) {
                call.extensions.insert(Seen {
                    viewer: signed_in.as_seen(),
                    csrf: csrf::token(&call.app, signed_in),
                });
            }
            call.extensions.insert(viewer);
            Ok(())
        })
    }
}

/// The viewer with what the header of pages counts. What a script asks for has
/// no header.
async fn with_todos(call: &mut Call, viewer: Viewer) -> Result<Viewer> {
    let by_script = call.request.header("sec-fetch-dest").is_some_and(|text| text == "empty");
    match viewer {
        Viewer::User(signed_in) if call.route.surface == Surface::Page && !by_script => {
            let who = Viewer::User(signed_in.clone());
            let count = call.app.read_inline(move |tx| hooks::pending_todos(tx, &who)).await?;
            let mut signed_in = Arc::unwrap_or_clone(signed_in);
            signed_in.todos = count;
            Ok(Viewer::User(Arc::new(signed_in)))
        }
        other => Ok(other),
    }
}

/// A browser keeps a remembered session's cookie for as long as the session
/// lives, so it is told whenever that is put off.
async fn keep_cookie(call: &mut Call, session: &Session, cookie: &str) -> Result<()> {
    let rules: Sessions = call.app.settings().get(&call.app).await?;
    if session.remembered && rules.remember_me && call.route.surface == Surface::Page {
        let age = rules.lifetime(true).as_secs();
        let cookie = sessions::cookie(&call.app, sessions::COOKIE, cookie, Some(age))?;
        call.extensions.insert(GateCookie(cookie));
    }
    Ok(())
}

/// Refuses a user's token under another's name. Nobody knows the names of the
/// bots behind tokens of projects and groups.
fn check_name(viewer: &Viewer, name: Option<String>) -> Result<()> {
    let (Viewer::User(signed_in), Some(name)) = (viewer, name) else {
        return Ok(());
    };
    let is_own = name.eq_ignore_ascii_case(&signed_in.user.username);
    match is_own || signed_in.bot_source.is_some() {
        true => Ok(()),
        false => Err(Error::Unauthenticated),
    }
}

/// Whether the route rotates an access token: a revoked token shown there
/// means that someone kept a copy (docs/interface/identity.md 4.1).
fn ends_rotation(call: &Call) -> bool {
    call.route.path.contains("access_tokens/") && call.route.path.ends_with("/rotate")
}

async fn end_family_of_revoked(app: &App, text: String) -> Result<()> {
    let found = app.read(move |tx| tokens::holder(tx, &text)).await?;
    let Some(token) = found.map(|holder| holder.token).filter(|token| token.revoked) else {
        return Ok(());
    };
    let ended = app.write(move |tx| tokens::revoke_family(tx, token.family())).await?;
    tracing::warn!(ended, "a revoked token was used to rotate");
    Ok(())
}

/// A deploy token that is still good, as viewer.
fn deploy_viewer(app: &App, deploy: DeployToken) -> Result<Viewer> {
    tokens::viewer_of(deploy, app.now()).ok_or(Error::Unauthenticated)
}

/// Refuses a user who may not act by tokens (docs/interface/identity.md).
async fn check_user(app: &App, user: &User) -> Result<()> {
    let rules: SignUp = app.settings().get(app).await?;
    access::refusal(user, &rules, app.now()).map_or(Ok(()), |reason| Err(Error::forbidden(reason)))
}

fn stale(last: Option<Timestamp>, user: &User, now: Timestamp) -> bool {
    let old = last.is_none_or(|last| now.duration_since(last).as_secs() >= NOTE_EVERY);
    old || user.last_activity_on != Some(date_of(now))
}

fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether an unsafe request by session comes from our own page.
async fn proves_origin(call: &mut Call, session: i64) -> Result<bool> {
    if csrf::is_foreign(&call.app, &call.request, call.route.surface) {
        return Ok(false);
    }
    let header = call.request.header(csrf::HEADER).map(str::to_owned);
    let sent = match header {
        Some(sent) => Some(sent),
        // A form with a file says it first.
        None if call.route.streams && call.route.surface == Surface::Page => {
            call.first_text(csrf::FIELD).await?
        }
        None => call.text(csrf::FIELD).await?,
    };
    Ok(sent.is_some_and(|sent| csrf::check(&call.app, session, &sent)))
}
