//! What administrators may change about sign-in, sessions and tokens.

mod part;

pub use part::Part;

use kernel::error::{Error, Result};
use kernel::settings::Setting;
use serde::{Deserialize, Serialize};

/// How people sign in.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct SignIn {
    pub max_attempts: i64,
    pub unlock_minutes: i64,
    pub per_minute: i64,
    pub new_users_external: bool,
    pub new_users_private: bool,
    pub projects_limit: i64,
    pub can_create_group: bool,
    pub notify_new_places: bool,
}

impl Default for SignIn {
    fn default() -> SignIn {
        SignIn {
            max_attempts: 10,
            unlock_minutes: 10,
            per_minute: 10,
            new_users_external: false,
            new_users_private: false,
            projects_limit: 100_000,
            can_create_group: true,
            notify_new_places: true,
        }
    }
}

impl Setting for SignIn {
    const KEY: &'static str = "identity.sign_in";
}

impl SignIn {
    /// Refuses values that would lock everyone out or switch protection off.
    pub fn validate(&self) -> Result<()> {
        within("max_login_attempts", self.max_attempts, 1, 1_000)?;
        within(
            "failed_login_attempts_unlock_period_in_minutes",
            self.unlock_minutes,
            1,
            100_000,
        )?;
        within("sign_in_limit_per_minute", self.per_minute, 1, 100_000)?;
        within(
            "default_projects_limit",
            self.projects_limit,
            0,
            i64::from(i32::MAX),
        )
    }
}

/// How long sessions last.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Sessions {
    pub expire_minutes: i64,
    pub remember_me: bool,
    /// Days without use that end a remembered session.
    pub remember_days: i64,
}

impl Default for Sessions {
    fn default() -> Sessions {
        Sessions {
            expire_minutes: 10_080,
            remember_me: true,
            remember_days: 14,
        }
    }
}

impl Setting for Sessions {
    const KEY: &'static str = "identity.sessions";
}

impl Sessions {
    /// Refuses values no session could live with.
    pub fn validate(&self) -> Result<()> {
        within("session_expire_delay", self.expire_minutes, 1, 5_256_000)
    }

    /// How long a session lives without use.
    pub fn lifetime(&self, remembered: bool) -> jiff::SignedDuration {
        let minutes = match remembered && self.remember_me {
            true => self.expire_minutes.max(self.remember_days * 24 * 60),
            false => self.expire_minutes,
        };
        jiff::SignedDuration::from_mins(minutes)
    }
}

/// What access tokens may be.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct TokenRules {
    pub prefix: String,
    pub require_expiry: bool,
    pub max_days: i64,
    pub impersonation: bool,
}

impl Default for TokenRules {
    fn default() -> TokenRules {
        TokenRules {
            prefix: "svpat-".into(),
            require_expiry: true,
            max_days: 365,
            impersonation: true,
        }
    }
}

impl Setting for TokenRules {
    const KEY: &'static str = "identity.tokens";
}

impl TokenRules {
    /// Refuses a prefix that would not survive a header and absurd limits.
    pub fn validate(&self) -> Result<()> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
        if self.prefix.chars().count() > 20 {
            let message = "is too long (maximum is 20 characters)";
            return Err(Error::invalid("personal_access_token_prefix", message));
        }
        if !self.prefix.chars().all(allowed) {
            return Err(Error::invalid("personal_access_token_prefix", "is invalid"));
        }
        within("max_personal_access_token_lifetime", self.max_days, 1, 365)
    }
}

/// Refuses a number out of bounds.
pub(crate) fn within(key: &str, value: i64, least: i64, most: i64) -> Result<()> {
    if value < least {
        let message = format!("must be greater than or equal to {least}");
        return Err(Error::invalid(key, message));
    }
    if value > most {
        return Err(Error::invalid(
            key,
            format!("must be less than or equal to {most}"),
        ));
    }
    Ok(())
}

/// How sign-in is limited.
pub(crate) mod attempts {
    crate::settings_part! {
        super::SignIn {
            /// Failed sign-ins that lock an account.
            max_login_attempts: i64 => max_attempts,
            /// Minutes it stays locked.
            failed_login_attempts_unlock_period_in_minutes: i64 => unlock_minutes,
            /// Sign-ins a minute from one address.
            sign_in_limit_per_minute: i64 => per_minute,
        } sealed {}
    }
}

/// What new users get.
pub(crate) mod new_users {
    crate::settings_part! {
        super::SignIn {
            /// New users are external.
            user_default_external: bool => new_users_external,
            /// New users have a private profile.
            user_defaults_to_private_profile: bool => new_users_private,
            /// Projects a new user may have.
            default_projects_limit: i64 => projects_limit,
            /// Whether new users may create groups.
            can_create_group: bool => can_create_group,
            /// Whether users get a mail when somebody signs in from a new place.
            notify_on_unknown_sign_in: bool => notify_new_places,
        } sealed {}
    }
}

pub(crate) mod sessions {
    crate::settings_part! {
        super::Sessions {
            /// Minutes without use that end a session.
            session_expire_delay: i64 => expire_minutes,
            /// Whether «remember me» is offered.
            remember_me_enabled: bool => remember_me,
        } sealed {}
    }
}

pub(crate) mod tokens {
    crate::settings_part! {
        super::TokenRules {
            /// What access tokens begin with.
            personal_access_token_prefix: String => prefix,
            /// Whether every token must have a last day.
            require_personal_access_token_expiry: bool => require_expiry,
            /// Most days until then.
            max_personal_access_token_lifetime: i64 => max_days,
            /// Whether impersonation tokens work.
            impersonation_enabled: bool => impersonation,
        } sealed {}
    }
}
