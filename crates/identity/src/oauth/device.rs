//! `/oauth/authorize_device` and `/oauth/device`: the device starts, the user
//! types its code elsewhere and decides (RFC 8628 section 3).

use super::applications::{self, Application};
use super::authorize::{private, sign_in_path};
use super::client::{self, Credentials};
use super::devices::{self, Device, INTERVAL, SECONDS, Started};
use super::endpoint;
use super::refusal::{self, Refusal, answered, settled};
use super::sent::{OauthParams, SentBody};
use super::views::{DeviceConfirm, DeviceForm};
use super::{limits, scopes};
use crate::author::Author;
use crate::viewer::{SignedInViewer, Viewer};
use crate::{attempts, pages, sessions};
use http::{Method, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::{Flash, Html};
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use serde_json::json;
use std::sync::Arc;
use store::Tx;

const PATH: &str = "/oauth/device";
const INVALID: &str = "The user code is invalid";
const EXPIRED: &str = "The user code is expired";
/// Seconds over which wrong codes are counted.
const WINDOW: i64 = 300;
/// Wrong codes of one user in that time.
const PER_USER: i64 = 5;
/// Wrong codes from one address in that time.
const PER_ADDRESS: i64 = 20;

pub fn routes(r: &mut Routes) {
    endpoint(r, Method::POST, "/oauth/authorize_device", start).streams();
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, look_up);
    r.page(Method::POST, "/oauth/device/confirm", confirm);
}

async fn start(app: App, request: Arc<RequestContext>, body: SentBody) -> Result<Response> {
    Ok(answered(begin(&app, &request, body.0).await, &request))
}

async fn begin(
    app: &App, request: &RequestContext, sent: refusal::Result<OauthParams>,
) -> refusal::Result<Response> {
    let sent = sent?;
    limits::spend(&limits::of(app).devices, request, app.now())?;
    let credentials = Credentials::find(request, &sent)?.ok_or(Refusal::InvalidClient)?;
    let scope = sent.get("scope").map(str::to_owned);
    let ip = request.peer.to_string();
    let agent: String = request
        .header(header::USER_AGENT)
        .unwrap_or_default()
        .chars()
        .take(255)
        .collect();
    let Started { device_code, user_code } = app
        .write(move |tx| {
            settled((|| {
                let application = client::authenticate_noting(tx, &credentials)?;
                let scopes = scopes::chosen(scope.as_deref(), &application.scopes())?;
                devices::start(tx, &application, &scopes, &ip, &agent)
            })())
        })
        .await??;
    let page = app.url(PATH);
    Ok(reply::json(
        StatusCode::OK,
        &json!({
            "device_code": device_code.expose(),
            "user_code": user_code,
            "verification_uri": page,
            "verification_uri_complete": format!("{page}?user_code={user_code}"),
            "expires_in": SECONDS,
            "interval": INTERVAL,
        }),
    )?)
}

kernel::params! {
    /// A code as typed; in the page's address it fills the form and does nothing else.
    pub struct DeviceCode {
        pub user_code: Option<String>,
    }
}

async fn show(
    app: App, viewer: Viewer, request: Arc<RequestContext>, params: Params<DeviceCode>,
) -> Result<Response> {
    if viewer.in_session().is_none() {
        return reply::redirect(&sign_in_path(&request));
    }
    let typed = params.user_code.as_deref().and_then(devices::normalized);
    let code = typed.map(|code| devices::shown(&code));
    form(&app, &viewer, code, None, StatusCode::OK)
}

fn form(
    app: &App, viewer: &Viewer, code: Option<String>, flash: Option<Flash>, status: StatusCode,
) -> Result<Response> {
    let mut page = pages::page(app, viewer, "Connect a device");
    page.flash = flash;
    let view = DeviceForm { page, user_code: code.unwrap_or_default() };
    Ok(private(Html::new(&view)?.status(status).response()))
}

/// Scripts ask with `Accept: application/json`.
fn wants_json(request: &RequestContext) -> bool {
    request
        .header(header::ACCEPT)
        .is_some_and(|accept| accept.contains("application/json") && !accept.contains("text/html"))
}

fn problem(
    app: &App, request: &RequestContext, viewer: &Viewer, typed: &str, text: &str,
) -> Result<Response> {
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    if wants_json(request) {
        return reply::json(status, &json!({"errors": [text]}));
    }
    form(app, viewer, Some(typed.to_owned()), Flash::failed(text), status)
}

/// The grant of a typed code and whose it is, or why there is none.
type Looked = std::result::Result<(Device, Application), &'static str>;

/// Finds a grant by its user code; wrong ones are counted and, past the
/// limits, right ones are refused too.
fn look(tx: &mut Tx<'_>, typed: &str, user: i64, ip: &str) -> Result<Looked> {
    let keys = [
        (format!("user_code:user:{user}"), PER_USER),
        (format!("user_code:ip:{}", kernel::limits::counted_as(ip)), PER_ADDRESS),
    ];
    for (key, limit) in &keys {
        attempts::check(tx, key, *limit, WINDOW)?;
    }
    let Some(device) = devices::by_user_code(tx, typed)? else {
        for (key, limit) in &keys {
            attempts::count(tx, key, *limit, WINDOW)?;
        }
        return Ok(Err(INVALID));
    };
    if device.expires_at <= tx.now() {
        return Ok(Err(EXPIRED));
    }
    let application = applications::find(tx, device.application_id)?.found("Application")?;
    Ok(Ok((device, application)))
}

async fn look_up(
    app: App, viewer: SignedInViewer, request: Arc<RequestContext>, params: Params<DeviceCode>,
) -> Result<Response> {
    let viewer = viewer.viewer();
    let (signed_in, _) = viewer.in_session().ok_or(Error::Unauthenticated)?;
    let typed = params.user_code.clone().unwrap_or_default();
    let (user, ip, code) = (signed_in.user.id, request.peer.to_string(), typed.clone());
    let looked = app.write(move |tx| look(tx, &code, user, &ip)).await?;
    let (device, application) = match looked {
        Ok(found) => found,
        Err(why) => return problem(&app, &request, &viewer, &typed, why),
    };
    let owner = application.owner();
    let owner = app.read(move |tx| super::pages::owner_name(tx, owner)).await?;
    let view = DeviceConfirm {
        page: pages::page(&app, &viewer, "Connect a device"),
        application,
        owner,
        user_code: devices::normalized(&typed)
            .map(|code| devices::shown(&code))
            .unwrap_or_default(),
        device,
    };
    Ok(private(Html::new(&view)?.response()))
}

kernel::choices! {
    pub enum Decision {
        Authorize = "authorize",
        Deny = "deny",
    }
}

kernel::params! {
    pub struct ConfirmDevice {
        /// As shown on the device.
        pub user_code: String,
        pub decision: Decision,
    }
}

async fn confirm(
    app: App, viewer: SignedInViewer, request: Arc<RequestContext>, params: Params<ConfirmDevice>,
) -> Result<Response> {
    let viewer = viewer.viewer();
    let (signed_in, session) = viewer.in_session().ok_or(Error::Unauthenticated)?;
    let (user, by) = (signed_in.user.clone(), Author::from(signed_in.as_ref()));
    let ip = request.peer.to_string();
    let (typed, code) = (params.user_code.clone(), params.user_code.clone());
    let approved = params.decision == Decision::Authorize;
    let looked = app
        .write(move |tx| {
            let looked = look(tx, &code, user.id, &ip)?;
            let Ok((device, application)) = &looked else {
                return Ok(looked);
            };
            let for_admins = crate::scopes::are_powers(&scopes::split(&device.scopes));
            if approved && (user.confirmed_at.is_none() || (for_admins && !user.is_admin)) {
                let text = "You may not give this application its scopes.";
                return Err(Error::forbidden(text));
            }
            let began = sessions::began(tx, session)?.ok_or(Error::Unauthenticated)?;
            if !devices::decide(tx, device.id, user.id, approved, began)? {
                return Ok(Err(EXPIRED));
            }
            let action = match approved {
                true => "application.authorize",
                false => "application.deny",
            };
            applications::record(tx, &by, action, application)?;
            Ok(looked)
        })
        .await?;
    match looked {
        Err(why) => problem(&app, &request, &viewer, &typed, why),
        Ok(_) if wants_json(&request) => Ok(reply::empty(StatusCode::NO_CONTENT)),
        Ok(_) => {
            let text = match approved {
                true => "Device successfully authorized",
                false => "The device was refused",
            };
            form(&app, &viewer, None, Flash::done(text), StatusCode::OK)
        }
    }
}
