//! What administrators may change about the instance, as one list of keys: of
//! this room, the kernel and the rooms above.

mod graphql;
mod limits;
mod read_only;

use crate::author::Author;
use crate::hooks::{self, Hooks};
use crate::oauth::settings as oauth;
use crate::settings::{Part, Sessions, SignIn, TokenRules};
use crate::{sign_up, spam, two_factor};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::{FromParams, Source};
use kernel::http::{Call, FromCall};
use limits::Limits;
use serde_json::{Map, Value, json};
use store::Tx;

kernel::params! {
    /// The settings of this room.
    pub struct Change {
        /// Failed sign-ins that lock an account.
        pub max_login_attempts: Option<i64>,
        /// Minutes it stays locked.
        pub failed_login_attempts_unlock_period_in_minutes: Option<i64>,
        /// Sign-ins a minute from one address.
        pub sign_in_limit_per_minute: Option<i64>,
        /// New users are external.
        pub user_default_external: Option<bool>,
        /// New users have a private profile.
        pub user_defaults_to_private_profile: Option<bool>,
        /// Projects a new user may have.
        pub default_projects_limit: Option<i64>,
        /// Whether new users may create groups.
        pub can_create_group: Option<bool>,
        /// Whether users get a mail when somebody signs in from a new place.
        pub notify_on_unknown_sign_in: Option<bool>,
        /// Minutes without use that end a session.
        pub session_expire_delay: Option<i64>,
        /// Whether «remember me» is offered.
        pub remember_me_enabled: Option<bool>,
        /// What access tokens begin with.
        pub personal_access_token_prefix: Option<String>,
        /// Whether every token must have a last day.
        pub require_personal_access_token_expiry: Option<bool>,
        /// Most days until then.
        pub max_personal_access_token_lifetime: Option<i64>,
        /// Whether impersonation tokens work.
        pub impersonation_enabled: Option<bool>,
    }
}

/// Settings whose keys are the fields of what is stored.
const PARTS: &[Part] = &[
    sign_up::settings::PART,
    spam::settings::check::PART,
    spam::settings::challenge::PART,
    two_factor::settings::PART,
    graphql::PART,
    read_only::PART,
    crate::addresses::PART,
    crate::admin_mode::PART,
];

/// Those and the ones of the rooms above.
fn parts(hooks: &Hooks) -> impl Iterator<Item = &Part> {
    PARTS.iter().chain(&hooks.settings)
}

/// Everything that was sent, for this room, the kernel and the rooms above.
pub struct Everything(Source, Change, Limits, oauth::Change);

impl FromCall for Everything {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let source = call.merged().await?.clone();
        let change = Change::from_params(&source).map_err(Error::Parameters)?;
        let limits = Limits::from_params(&source).map_err(Error::Parameters)?;
        let oauth = oauth::Change::from_params(&source).map_err(Error::Parameters)?;
        parts(call.app.plugged()?)
            .try_for_each(|part| (part.check)(&source))
            .map_err(Error::Parameters)?;
        Ok(Everything(source, change, limits, oauth))
    }

    fn describe(operation: &mut kernel::http::openapi::Operation<'_>) {
        let hooks = operation.plugged::<Hooks>();
        let settings = hooks.into_iter().flat_map(parts);
        let settings: Vec<_> = settings.flat_map(|part| (part.fields)()).collect();
        operation.parameters(
            Change::fields()
                .into_iter()
                .chain(Limits::fields())
                .chain(oauth::Change::fields())
                .chain(settings)
                .collect(),
        );
    }
}

/// All settings by their keys.
pub fn read(tx: &mut Tx<'_>) -> Result<Map<String, Value>> {
    let sign_in: SignIn = kernel::settings::read(tx)?;
    let sessions: Sessions = kernel::settings::read(tx)?;
    let tokens: TokenRules = kernel::settings::read(tx)?;
    let own = json!({
        "max_login_attempts": sign_in.max_attempts,
        "failed_login_attempts_unlock_period_in_minutes": sign_in.unlock_minutes,
        "sign_in_limit_per_minute": sign_in.per_minute,
        "minimum_password_length": crate::password::MIN,
        "user_default_external": sign_in.new_users_external,
        "user_defaults_to_private_profile": sign_in.new_users_private,
        "default_projects_limit": sign_in.projects_limit,
        "can_create_group": sign_in.can_create_group,
        "notify_on_unknown_sign_in": sign_in.notify_new_places,
        "session_expire_delay": sessions.expire_minutes,
        "remember_me_enabled": sessions.remember_me,
        "personal_access_token_prefix": tokens.prefix,
        "require_personal_access_token_expiry": tokens.require_expiry,
        "max_personal_access_token_lifetime": tokens.max_days,
        "impersonation_enabled": tokens.impersonation,
    });
    let mut all = match own {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    limits::read(tx, &mut all)?;
    oauth::read(tx, &mut all)?;
    parts(hooks::get(tx)?).try_for_each(|part| (part.read)(tx, &mut all))?;
    Ok(all)
}

impl Everything {
    /// What was sent, by its keys.
    pub fn sent(&self) -> &Source {
        &self.0
    }

    /// Stores what was sent and answers all settings.
    pub fn save(&self, app: &App, tx: &mut Tx<'_>, by: &Author) -> Result<Map<String, Value>> {
        let Everything(source, change, limits, oauth) = self;
        apply(app, tx, change)?;
        limits::apply(app, tx, limits)?;
        oauth::apply(app, tx, oauth)?;
        parts(hooks::get(tx)?).try_for_each(|part| (part.write)(app, tx, source))?;
        record(tx, by, source)?;
        read(tx)
    }
}

fn apply(app: &App, tx: &mut Tx<'_>, change: &Change) -> Result<()> {
    fn set<T: Clone>(field: &mut T, sent: &Option<T>) {
        if let Some(value) = sent {
            *field = value.clone();
        }
    }
    let mut sign_in: SignIn = kernel::settings::read(tx)?;
    set(&mut sign_in.max_attempts, &change.max_login_attempts);
    set(
        &mut sign_in.unlock_minutes,
        &change.failed_login_attempts_unlock_period_in_minutes,
    );
    set(&mut sign_in.per_minute, &change.sign_in_limit_per_minute);
    set(
        &mut sign_in.new_users_external,
        &change.user_default_external,
    );
    set(
        &mut sign_in.new_users_private,
        &change.user_defaults_to_private_profile,
    );
    set(&mut sign_in.projects_limit, &change.default_projects_limit);
    set(&mut sign_in.can_create_group, &change.can_create_group);
    set(
        &mut sign_in.notify_new_places,
        &change.notify_on_unknown_sign_in,
    );
    sign_in.validate()?;
    let mut sessions: Sessions = kernel::settings::read(tx)?;
    set(&mut sessions.expire_minutes, &change.session_expire_delay);
    set(&mut sessions.remember_me, &change.remember_me_enabled);
    sessions.validate()?;
    let mut tokens: TokenRules = kernel::settings::read(tx)?;
    set(&mut tokens.prefix, &change.personal_access_token_prefix);
    set(
        &mut tokens.require_expiry,
        &change.require_personal_access_token_expiry,
    );
    set(
        &mut tokens.max_days,
        &change.max_personal_access_token_lifetime,
    );
    set(&mut tokens.impersonation, &change.impersonation_enabled);
    tokens.validate()?;
    app.settings().set(tx, &sign_in)?;
    app.settings().set(tx, &sessions)?;
    app.settings().set(tx, &tokens)
}

/// Names what was sent; values of other rooms' settings may be secret.
fn record(tx: &mut Tx<'_>, by: &Author, source: &Source) -> Result<()> {
    let secret = [
        "private_token",
        "access_token",
        "bearer_token",
        "sudo",
        crate::csrf::FIELD,
    ];
    let keys: Vec<&String> = source
        .keys()
        .filter(|key| !secret.contains(&key.as_str()))
        .collect();
    kernel::audit::record(
        tx,
        by,
        "settings.update",
        ("Instance", 0, "settings"),
        json!({"changed": keys}),
    )
}
