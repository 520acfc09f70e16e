//! What administrators may change about applications.

use super::scopes;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::settings::Setting;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::Tx;

/// How applications may act for users.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct OAuth {
    /// Redirect addresses may be plain HTTP on any host; for development.
    pub allow_http_redirects: bool,
    /// Days after its last rotation that a refresh token works; 0 is for ever.
    pub refresh_days: i64,
    /// Whether the password grant works at all.
    pub password_grant: bool,
    /// Whether the password grant needs an application's credentials.
    pub password_grant_needs_client: bool,
    /// Whether a password opens anything but the sign-in page: Git over HTTPS
    /// and with it the password grant.
    pub password_for_git: bool,
    /// Whether administrators may give powerful scopes to applications that
    /// no administrator trusts.
    pub admins_may_authorize: bool,
    /// Whether anyone may register an application.
    pub dynamic_registration: bool,
    /// The scopes such applications get.
    pub dynamic_scopes: Vec<String>,
    /// Whether users may register applications of their own.
    pub user_applications: bool,
}

impl Default for OAuth {
    fn default() -> OAuth {
        OAuth {
            allow_http_redirects: false,
            refresh_days: 180,
            password_grant: true,
            password_grant_needs_client: false,
            password_for_git: true,
            admins_may_authorize: true,
            dynamic_registration: false,
            dynamic_scopes: vec!["mcp".into()],
            user_applications: true,
        }
    }
}

impl Setting for OAuth {
    const KEY: &'static str = "identity.oauth";
}

impl OAuth {
    /// Refuses values that no token could live with.
    pub fn validate(&self) -> Result<()> {
        if !(0..=3_650).contains(&self.refresh_days) {
            return Err(Error::invalid(
                "oauth_refresh_token_lifetime",
                "must be between 0 and 3650 days",
            ));
        }
        if !self
            .dynamic_scopes
            .iter()
            .all(|scope| scopes::is_known(scope))
        {
            return Err(Error::invalid(
                "dynamic_registration_scopes",
                "doesn't match configured on the server.",
            ));
        }
        Ok(())
    }
}

kernel::params! {
    /// The part of `/application/settings` that is about applications.
    pub struct Change {
        /// Redirect addresses may be plain HTTP on any host; for development.
        pub oauth_allow_http_redirects: Option<bool>,
        /// Days a refresh token works after its last rotation; 0 is for ever.
        pub oauth_refresh_token_lifetime: Option<i64>,
        /// Whether the password grant works at all.
        pub oauth_password_grant_enabled: Option<bool>,
        /// Whether the password grant needs an application's credentials.
        pub ropc_without_client_credentials: Option<bool>,
        /// Whether passwords work for Git over HTTPS, and so in the password grant.
        pub password_authentication_enabled_for_git: Option<bool>,
        /// Whether administrators may give powerful scopes to untrusted applications.
        pub disable_admin_oauth_scopes: Option<bool>,
        /// Whether anyone may register an application by POST /oauth/register.
        pub dynamic_client_registration_enabled: Option<bool>,
        /// The scopes such applications get.
        pub dynamic_client_registration_scopes: Option<Vec<String>>,
        /// Whether users may register applications.
        pub user_oauth_applications: Option<bool>,
    }
}

/// Adds the present values to the settings of the instance.
pub fn read(tx: &mut Tx<'_>, all: &mut Map<String, Value>) -> Result<()> {
    let rules: OAuth = kernel::settings::read(tx)?;
    let values = [
        (
            "oauth_allow_http_redirects",
            json!(rules.allow_http_redirects),
        ),
        ("oauth_refresh_token_lifetime", json!(rules.refresh_days)),
        ("oauth_password_grant_enabled", json!(rules.password_grant)),
        (
            "ropc_without_client_credentials",
            json!(!rules.password_grant_needs_client),
        ),
        (
            "password_authentication_enabled_for_git",
            json!(rules.password_for_git),
        ),
        (
            "disable_admin_oauth_scopes",
            json!(!rules.admins_may_authorize),
        ),
        (
            "dynamic_client_registration_enabled",
            json!(rules.dynamic_registration),
        ),
        (
            "dynamic_client_registration_scopes",
            json!(rules.dynamic_scopes),
        ),
        ("user_oauth_applications", json!(rules.user_applications)),
    ];
    all.extend(values.map(|(name, value)| (name.to_owned(), value)));
    Ok(())
}

pub fn apply(app: &App, tx: &mut Tx<'_>, change: &Change) -> Result<()> {
    let mut rules: OAuth = kernel::settings::read(tx)?;
    let set = |field: &mut bool, sent: Option<bool>| *field = sent.unwrap_or(*field);
    set(
        &mut rules.allow_http_redirects,
        change.oauth_allow_http_redirects,
    );
    set(
        &mut rules.password_grant,
        change.oauth_password_grant_enabled,
    );
    let needs_client = change
        .ropc_without_client_credentials
        .map(|without| !without);
    set(&mut rules.password_grant_needs_client, needs_client);
    set(
        &mut rules.password_for_git,
        change.password_authentication_enabled_for_git,
    );
    let may = change.disable_admin_oauth_scopes.map(|disabled| !disabled);
    set(&mut rules.admins_may_authorize, may);
    set(
        &mut rules.dynamic_registration,
        change.dynamic_client_registration_enabled,
    );
    set(&mut rules.user_applications, change.user_oauth_applications);
    rules.refresh_days = change
        .oauth_refresh_token_lifetime
        .unwrap_or(rules.refresh_days);
    if let Some(scopes) = &change.dynamic_client_registration_scopes {
        rules.dynamic_scopes = scopes.clone();
    }
    rules.validate()?;
    app.settings().set(tx, &rules)
}
