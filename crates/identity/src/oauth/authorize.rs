//! `/oauth/authorize`: the user is asked, and the client gets a code or a no
//! (RFC 6749 section 4.1).

use super::applications::{self, Application};
use super::codes::{self, NewCode};
use super::refusal::Refusal;
use super::request::{self, PARAMETERS, Request, ResponseMode, Target};
use super::sent::{Lenient, PageForm, PageQuery};
use super::settings::OAuth;
use super::views::{Consent, ErrorPage, FormPost};
use super::{families, redirect};
use crate::author::Author;
use crate::hooks::{self, SignOn};
use crate::viewer::{SignedIn, Viewer};
use crate::{pages, sessions};
use http::{HeaderValue, Method, StatusCode, header};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Page};
use kernel::http::{RequestContext, Response, Routes, reply};
use kernel::time::Timestamp;
use std::sync::Arc;

const PATH: &str = "/oauth/authorize";
/// Label of the mark that a sign-in was asked for at some time.
const MARK: &str = "oauth sign in after";
/// Parameter that carries the mark.
const MARK_PARAMETER: &str = "signed_in_after";
/// Scopes that an administrator may be kept from giving to what nobody trusts.
const POWERFUL: &[&str] = &[
    "api",
    "read_api",
    "sudo",
    "admin_mode",
    "read_repository",
    "write_repository",
    "read_registry",
    "write_registry",
    "read_virtual_registry",
    "write_virtual_registry",
];

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, decide);
    r.page(Method::DELETE, PATH, deny);
}

/// What happens next to a request.
enum Next {
    /// The user cannot be sent back to the client.
    Page(StatusCode, Refusal),
    Client(Target, Refusal),
    /// The user must sign in, and comes back to this path.
    SignIn(String),
    /// The user must start somewhere else and comes back later.
    Elsewhere(String),
    Ask(Box<Asking>),
    /// The user need not be asked.
    Go(Box<Asking>),
}

/// Everything known once a request may be answered.
struct Asking {
    application: Application,
    request: Request,
    target: Target,
    signed_in: Arc<SignedIn>,
    authenticated_at: Timestamp,
}

/// Decides on a request, asking nobody yet.
async fn examine(
    app: &App, context: &RequestContext, viewer: &Viewer, read: Lenient,
) -> Result<Next> {
    let bad = |refusal| Ok(Next::Page(StatusCode::BAD_REQUEST, refusal));
    let Some(uid) = read.sent.get("client_id").map(str::to_owned) else {
        return bad(Refusal::missing("client_id"));
    };
    let Some(application) = app.read(move |tx| applications::find_by_uid(tx, &uid)).await? else {
        return bad(Refusal::InvalidClient);
    };
    let target = request::target(&read.sent);
    if target.redirect_uri.is_empty() {
        return bad(Refusal::missing("redirect_uri"));
    }
    if !redirect::is_registered(&application.redirect_uris, &target.redirect_uri) {
        return bad(Refusal::InvalidRedirectUri(
            "The redirect URI is not one that the application registered.".into(),
        ));
    }
    let mark = read.sent.get(MARK_PARAMETER).map(str::to_owned);
    let request = match request::check(read, &application) {
        Ok(request) => request,
        Err(refusal) => return Ok(Next::Client(target, refusal)),
    };
    let Some((signed_in, session)) = viewer.in_session() else {
        return Ok(match request.prompt.none {
            true => Next::Client(target, Refusal::LoginRequired),
            false => Next::SignIn(here(context)),
        });
    };
    let began = app.read(move |tx| sessions::began(tx, session)).await?;
    let Some(began) = began else {
        return Ok(Next::SignIn(here(context)));
    };
    if let Some(path) = fresh_sign_in(app, context, &request, began, mark.as_deref()) {
        return Ok(match request.prompt.none {
            true => Next::Client(target, Refusal::LoginRequired),
            false => Next::SignIn(path),
        });
    }
    let asking = Asking {
        application,
        request,
        target,
        signed_in: signed_in.clone(),
        authenticated_at: began,
    };
    consider(app, context, asking).await
}

/// What stands between a signed-in user and the question.
async fn consider(app: &App, context: &RequestContext, asking: Asking) -> Result<Next> {
    let forbidden = |text: &str| {
        let refusal = Refusal::InvalidRequest(text.into());
        Ok(Next::Page(StatusCode::FORBIDDEN, refusal))
    };
    let user = &asking.signed_in.user;
    let trusted = asking.application.trusted;
    if user.confirmed_at.is_none() {
        return forbidden("Confirm your e-mail address before you let applications act for you.");
    }
    let wanted = &asking.request.scopes;
    if crate::scopes::are_powers(wanted) && !user.is_admin {
        return Ok(Next::Client(asking.target, Refusal::InvalidScope));
    }
    let rules: OAuth = app.settings().get(app).await?;
    let is_powerful = |scope: &String| POWERFUL.contains(&scope.as_str());
    let restrained = asking.signed_in.may_be_admin() && !rules.admins_may_authorize && !trusted;
    if restrained && wanted.iter().any(is_powerful) {
        return forbidden(
            "Administrators may not give these scopes to an application that is not trusted.",
        );
    }
    if let Some(group) = asking.request.root_namespace_id {
        let signed_in = asking.signed_in.clone();
        let sign_on = app.read(move |tx| hooks::sign_on(tx, group, &signed_in)).await?;
        if let SignOn::StartsAt(path) = sign_on {
            return Ok(match asking.request.prompt.none {
                true => Next::Client(asking.target, Refusal::LoginRequired),
                false => Next::Elsewhere(with_return(&path, &here(context))),
            });
        }
    }
    let (id, application, wanted) = (user.id, asking.application.id, wanted.clone());
    let known = trusted
        || (asking.application.confidential
            && app.read(move |tx| families::has_consent(tx, id, application, &wanted)).await?);
    let prompt = asking.request.prompt;
    if known && !prompt.consent {
        return Ok(Next::Go(Box::new(asking)));
    }
    Ok(match prompt.none {
        true => Next::Client(asking.target, Refusal::ConsentRequired),
        false => Next::Ask(Box::new(asking)),
    })
}

/// The path and query of this request, to come back to.
fn here(context: &RequestContext) -> String {
    let here = context.uri.path_and_query();
    here.map_or_else(|| PATH.to_owned(), |part| part.as_str().to_owned())
}

/// Where to sign in, to come back here.
pub(super) fn sign_in_path(context: &RequestContext) -> String {
    with_return("/users/sign_in", &here(context))
}

fn with_return(path: &str, back: &str) -> String {
    let back: String = url::form_urlencoded::byte_serialize(back.as_bytes()).collect();
    let joint = if path.contains('?') { '&' } else { '?' };
    format!("{path}{joint}return_to={back}")
}

/// Where to come back to when the client wants a sign-in younger than the
/// session. The path carries a signed time, so that the sign-in after it is
/// recognised and nobody is asked twice.
fn fresh_sign_in(
    app: &App, context: &RequestContext, request: &Request, began: Timestamp, mark: Option<&str>,
) -> Option<String> {
    let now = app.now().as_second();
    let marked = mark
        .and_then(|text| app.secrets().verify(MARK, text))
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .and_then(|text| text.parse::<i64>().ok());
    if marked.is_some_and(|after| began.as_second() >= after) {
        return None;
    }
    let asks = request.prompt.login || request.prompt.select_account;
    let old = request.max_age.is_some_and(|age| now - began.as_second() > age || age == 0);
    if !asks && !old {
        return None;
    }
    let mark = app.secrets().sign(MARK, now.to_string().as_bytes());
    let path = here(context);
    let (path, query) = path.split_once('?').unwrap_or((&path, ""));
    let kept: Vec<&str> = query
        .split('&')
        .filter(|pair| pair.split('=').next() != Some(MARK_PARAMETER))
        .collect();
    let mark: String = url::form_urlencoded::byte_serialize(mark.as_bytes()).collect();
    Some(format!("{path}?{}&{MARK_PARAMETER}={mark}", kept.join("&")))
}

async fn show(
    app: App, context: Arc<RequestContext>, viewer: Viewer, query: PageQuery,
) -> Result<Response> {
    let prompt_login = query.0.sent.get("prompt").is_some_and(|text| text.contains("login"));
    match examine(&app, &context, &viewer, query.0).await? {
        Next::SignIn(back) => {
            let again = if prompt_login || viewer.in_session().is_some() {
                "&again=true"
            } else {
                ""
            };
            reply::redirect(&format!("{}{again}", with_return("/users/sign_in", &back)))
        }
        Next::Ask(asking) => ask(&app, &viewer, *asking).await,
        Next::Go(asking) => grant(&app, &context, *asking).await,
        other => refuse(&app, &viewer, other),
    }
}

async fn decide(
    app: App, context: Arc<RequestContext>, viewer: Viewer, form: PageForm,
) -> Result<Response> {
    if form
        .0
        .sent
        .get("_method")
        .is_some_and(|method| method.eq_ignore_ascii_case("delete"))
    {
        return deny(app, context, viewer, form).await;
    }
    match examine(&app, &context, &viewer, form.0).await? {
        Next::SignIn(_) => reply::redirect("/users/sign_in"),
        Next::Ask(asking) | Next::Go(asking) => grant(&app, &context, *asking).await,
        other => refuse(&app, &viewer, other),
    }
}

async fn deny(
    app: App, context: Arc<RequestContext>, viewer: Viewer, form: PageForm,
) -> Result<Response> {
    match examine(&app, &context, &viewer, form.0).await? {
        Next::SignIn(_) => reply::redirect("/users/sign_in"),
        Next::Ask(asking) | Next::Go(asking) => {
            answer_error(&app, &asking.target, &Refusal::AccessDenied)
        }
        other => refuse(&app, &viewer, other),
    }
}

fn refuse(app: &App, viewer: &Viewer, next: Next) -> Result<Response> {
    match next {
        Next::Client(target, refusal) => answer_error(app, &target, &refusal),
        Next::Elsewhere(path) => reply::redirect(&path),
        Next::Page(status, refusal) => {
            let view = ErrorPage {
                page: pages::page(app, viewer, "This application cannot be authorised"),
                code: refusal.code(),
                text: refusal.description().to_owned(),
            };
            Ok(private(Html::new(&view)?.status(status).response()))
        }
        Next::SignIn(_) | Next::Ask(_) | Next::Go(_) => reply::redirect("/users/sign_in"),
    }
}

/// The address of these pages never leaves with a link or an image.
pub(super) fn private(mut response: Response) -> Response {
    let none = HeaderValue::from_static("no-referrer");
    response.headers_mut().insert(header::REFERRER_POLICY, none);
    response
}

async fn ask(app: &App, viewer: &Viewer, asking: Asking) -> Result<Response> {
    let owner = asking.application.owner();
    let owner = app.read(move |tx| super::pages::owner_name(tx, owner)).await?;
    let request = &asking.request;
    let mut fields: Vec<(String, String)> = vec![
        ("client_id".into(), asking.application.uid.clone()),
        ("redirect_uri".into(), asking.target.redirect_uri.clone()),
        ("response_type".into(), "code".into()),
        ("scope".into(), request.scopes.join(" ")),
    ];
    let mut add = |name: &str, value: Option<String>| {
        debug_assert!(PARAMETERS.contains(&name), "{name} is not carried on");
        fields.extend(value.map(|value| (name.to_owned(), value)));
    };
    add("state", asking.target.state.clone());
    add("nonce", request.nonce.clone());
    add("code_challenge", request.challenge.clone());
    add("code_challenge_method", request.challenge.as_ref().map(|_| "S256".to_owned()));
    let form_post = asking.target.mode == ResponseMode::FormPost;
    add("response_mode", form_post.then(|| "form_post".to_owned()));
    add("root_namespace_id", request.root_namespace_id.map(|id| id.to_string()));
    let view = Consent {
        page: pages::page(app, viewer, "Authorise an application"),
        owner,
        host: redirect::shown_host(&asking.target.redirect_uri),
        scopes: asking.request.scopes,
        fields,
        application: asking.application,
    };
    let html = Html::new(&view)?.form_action(&redirect::policy_source(&asking.target.redirect_uri));
    Ok(private(html.response()))
}

async fn grant(app: &App, context: &RequestContext, asking: Asking) -> Result<Response> {
    let agent = context.header(header::USER_AGENT).unwrap_or_default();
    let allowed = NewCode {
        application_id: asking.application.id,
        user_id: asking.signed_in.user.id,
        redirect_uri: asking.target.redirect_uri.clone(),
        scopes: asking.request.scopes.join(" "),
        challenge: asking.request.challenge,
        nonce: asking.request.nonce,
        authenticated_at: asking.authenticated_at,
        ip_address: context.peer.to_string(),
        user_agent: agent.chars().take(255).collect(),
        ..NewCode::default()
    };
    let by = Author::from(asking.signed_in.as_ref());
    let application = asking.application;
    let code = app
        .write(move |tx| {
            let code = codes::create(tx, allowed.clone())?;
            applications::record(tx, &by, "application.authorize", &application)?;
            Ok(code)
        })
        .await?;
    answer(app, &asking.target, vec![("code", code.expose())])
}

fn answer_error(app: &App, target: &Target, refusal: &Refusal) -> Result<Response> {
    let parameters = vec![("error", refusal.code()), ("error_description", refusal.description())];
    answer(app, target, parameters)
}

/// Sends the answer, with `state` and the issuer (RFC 9207).
fn answer<'a>(
    app: &'a App, target: &'a Target, mut parameters: Vec<(&'a str, &'a str)>,
) -> Result<Response> {
    if let Some(state) = &target.state {
        parameters.push(("state", state));
    }
    parameters.push(("iss", app.base_url()));
    match target.mode {
        ResponseMode::Query => {
            let to = redirect::with_answer(&target.redirect_uri, &parameters);
            let mut response = private(reply::redirect(&to)?);
            super::refusal::no_store(&mut response);
            Ok(response)
        }
        ResponseMode::FormPost => {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            let view = FormPost {
                page: Page::new("Back to the application"),
                action: target.redirect_uri.clone(),
                host: redirect::shown_host(&target.redirect_uri),
                fields: parameters.iter().map(owned).collect(),
            };
            let source = redirect::policy_source(&target.redirect_uri);
            Ok(private(Html::new(&view)?.form_action(&source).response()))
        }
    }
}
