//! `/admin/settings`: what administrators may change about the instance.

use super::views::{AdminSettings, SettingsField, SettingsSection};
use crate::instance::{self, Everything};
use crate::users::Author;
use crate::viewer::Admin;
use http::{Method, StatusCode};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Errors, Flash, Html, flash};
use kernel::http::{Response, Routes};
use serde_json::{Map, Value};

const PATH: &str = "/admin/settings";

/// Declares the pages.
pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, save);
}

/// Key, control, label and hint of a setting.
type Field = (&'static str, &'static str, &'static str, &'static str);

const SIGN_IN: &[Field] = &[
    (
        "max_login_attempts",
        "number",
        "Failed sign-ins that lock an account",
        "",
    ),
    (
        "failed_login_attempts_unlock_period_in_minutes",
        "number",
        "Minutes it stays locked",
        "",
    ),
    (
        "sign_in_limit_per_minute",
        "number",
        "Sign-ins a minute from one address",
        "",
    ),
    (
        "session_expire_delay",
        "number",
        "Minutes without use that end a session",
        "",
    ),
    (
        "remember_me_enabled",
        "box",
        "People may stay signed in on a device",
        "",
    ),
];
const NEW_USERS: &[Field] = &[
    (
        "user_default_external",
        "box",
        "New users are external",
        "They see only what they are members of and what is public.",
    ),
    (
        "user_defaults_to_private_profile",
        "box",
        "New users have a private profile",
        "",
    ),
    ("can_create_group", "box", "New users may create groups", ""),
    (
        "default_projects_limit",
        "number",
        "Projects a new user may have",
        "",
    ),
];
const TOKENS: &[Field] = &[
    (
        "require_personal_access_token_expiry",
        "box",
        "Every token has a last day",
        "",
    ),
    (
        "max_personal_access_token_lifetime",
        "number",
        "Most days until then",
        "1 to 365.",
    ),
    (
        "personal_access_token_prefix",
        "text",
        "What tokens begin with",
        "So that scanners recognise a token that leaked. Tokens that exist keep theirs.",
    ),
    (
        "impersonation_enabled",
        "box",
        "Administrators may act as other users with impersonation tokens",
        "",
    ),
];
const LIMITS: &[Field] = &[
    (
        "throttle_unauthenticated_web_enabled",
        "box",
        "Limit pages for who is not signed in",
        "",
    ),
    (
        "throttle_unauthenticated_web_requests_per_period",
        "number",
        "Requests",
        "",
    ),
    (
        "throttle_unauthenticated_web_period_in_seconds",
        "number",
        "in seconds",
        "",
    ),
    (
        "throttle_unauthenticated_api_enabled",
        "box",
        "Limit the API for who is not signed in",
        "",
    ),
    (
        "throttle_unauthenticated_api_requests_per_period",
        "number",
        "Requests",
        "",
    ),
    (
        "throttle_unauthenticated_api_period_in_seconds",
        "number",
        "in seconds",
        "",
    ),
    (
        "throttle_authenticated_web_enabled",
        "box",
        "Limit pages for each user",
        "",
    ),
    (
        "throttle_authenticated_web_requests_per_period",
        "number",
        "Requests",
        "",
    ),
    (
        "throttle_authenticated_web_period_in_seconds",
        "number",
        "in seconds",
        "",
    ),
    (
        "throttle_authenticated_api_enabled",
        "box",
        "Limit the API for each user",
        "",
    ),
    (
        "throttle_authenticated_api_requests_per_period",
        "number",
        "Requests",
        "",
    ),
    (
        "throttle_authenticated_api_period_in_seconds",
        "number",
        "in seconds",
        "",
    ),
];
const OUTBOUND: &[Field] = &[
    (
        "allow_local_requests_from_web_hooks_and_services",
        "box",
        "The server may call its own network",
        "",
    ),
    (
        "deny_all_requests_except_allowed",
        "box",
        "The server may call nothing but what is listed",
        "",
    ),
    (
        "outbound_local_requests_allowlist",
        "text",
        "Always allowed",
        "Names, addresses and networks, with commas between them.",
    ),
];
/// Heading, sentence and fields of the sections.
const SECTIONS: &[(&str, &str, &[Field])] = &[
    ("Sign-in and sessions", "", SIGN_IN),
    (
        "New users",
        "These hold for users made from now on.",
        NEW_USERS,
    ),
    ("Access tokens", "", TOKENS),
    (
        "Request limits",
        "Who asks more often is told to wait.",
        LIMITS,
    ),
    ("Outgoing calls", "", OUTBOUND),
];

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn sections(values: &Map<String, Value>) -> Vec<SettingsSection> {
    let field = |&(key, kind, label, hint): &Field| SettingsField {
        key,
        label,
        hint: hint.to_owned(),
        kind,
        value: match values.get(key).map(text).unwrap_or_default() {
            value if kind != "box" => value,
            value => (value == "true" || value == "1").to_string(),
        },
    };
    let section =
        |&(title, text, fields): &(&'static str, &'static str, &[Field])| SettingsSection {
            title,
            text,
            fields: fields.iter().map(field).collect(),
        };
    SECTIONS.iter().map(section).collect()
}

async fn show(app: App, admin: Admin) -> Result<Response> {
    let stored = app.read(instance::read).await?;
    render(&app, &admin, &stored, Errors::default(), None)
}

fn render(
    app: &App,
    admin: &Admin,
    values: &Map<String, Value>,
    errors: Errors,
    refusal: Option<Flash>,
) -> Result<Response> {
    let status = match refusal {
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    let mut page = super::admin::page(app, admin, "Settings");
    page.flash = refusal.or(page.flash);
    let view = AdminSettings {
        page,
        tab: "Settings",
        url: PATH,
        sections: sections(values),
        errors,
    };
    Ok(Html::new(&view)?.status(status).response())
}

async fn save(app: App, admin: Admin, sent: Everything) -> Result<Response> {
    let by = Author::from(admin.0.as_ref());
    let (inner, mut typed) = (app.clone(), sent.sent().clone());
    match app.write(move |tx| sent.save(&inner, tx, &by)).await {
        Ok(_) => flash::done(&app, PATH, "The settings are saved."),
        Err(error) => {
            let (errors, refusal) = flash::in_form(error)?;
            let mut values = app.read(instance::read).await?;
            values.append(&mut typed);
            render(&app, &admin, &values, errors, refusal)
        }
    }
}
