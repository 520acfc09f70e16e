//! What every page with access tokens shows: rows, the form, its scopes. The
//! template `token_parts.html` draws them, for users and for what has tokens
//! of its own.

use crate::model::{AccessToken, TokenKind};
use crate::scopes;
use crate::settings::TokenRules;
use kernel::html::Moment;
use kernel::time::Timestamp;

/// Scopes that are wanted most often; the others stand behind a fold.
const COMMON: &[&str] = &["api", "read_api", "read_user", "self_rotate"];

/// A secret on its only page.
#[derive(Debug, Clone)]
pub struct ShownSecret {
    pub name: String,
    pub token: String,
}

#[derive(Debug, Clone, Default)]
pub struct TokenForm {
    pub name: String,
    pub description: String,
    /// Field `expires_at`, `YYYY-MM-DD`.
    pub expires_at: String,
    /// Names of the scopes that are ticked.
    pub chosen: Vec<String>,
    /// One sentence on the longest life of a token, or empty.
    pub expires_hint: String,
    /// The scopes on offer that are wanted most often.
    pub scopes: Vec<ScopeBox>,
    pub more: Vec<ScopeBox>,
}

impl TokenForm {
    /// Offers what a token of this kind may have; `admin` is its owner.
    pub fn offer(&mut self, kind: TokenKind, admin: bool, rules: &TokenRules) {
        self.expires_hint = match rules.require_expiry {
            true => format!("At most {} days from now, which is also the default.", rules.max_days),
            false => "Leave empty for a token that does not end.".into(),
        };
        let fitting = scopes::all().filter(|scope| {
            scopes::fits(kind, scope, admin) && scopes::is_offered(scope, &self.chosen)
        });
        let boxes = fitting.map(|name| ScopeBox::new(name, describe(name), &self.chosen));
        (self.scopes, self.more) = boxes.partition(|scope| COMMON.contains(&scope.name));
    }

    /// Whether the fold must be open to show what is ticked.
    pub fn shows_more(&self) -> bool {
        self.more.iter().any(|scope| scope.checked)
    }
}

#[derive(Debug, Clone, Default)]
pub struct ScopeBox {
    pub name: &'static str,
    pub description: &'static str,
    pub checked: bool,
}

impl ScopeBox {
    pub fn new(name: &'static str, description: &'static str, chosen: &[String]) -> ScopeBox {
        let checked = chosen.iter().any(|one| one == name);
        ScopeBox { name, description, checked }
    }
}

#[derive(Debug, Clone, Default)]
pub struct TokenRow {
    pub id: i64,
    pub name: String,
    /// Its description, or empty.
    pub description: String,
    /// Role of its bot, or empty.
    pub role: String,
    pub scopes: Vec<String>,
    pub created_at: Moment,
    pub last_used_at: Option<Moment>,
    /// The date it ends on (`2027-03-01`), or empty for never.
    pub expires_on: String,
    /// `active`, `revoked` or `expired`.
    pub state: String,
}

impl TokenRow {
    pub fn new(token: &AccessToken, now: Timestamp) -> TokenRow {
        let state = match token.revoked {
            true => "revoked",
            false if token.is_expired(now) => "expired",
            false => "active",
        };
        let day = token.expires_at.map(|day| day.to_string());
        TokenRow {
            id: token.id,
            name: token.name.clone(),
            description: token.description.clone().unwrap_or_default(),
            role: String::new(),
            scopes: token.scopes(),
            created_at: Moment::new(token.created_at, now),
            last_used_at: Moment::maybe(token.last_used_at, now),
            expires_on: day.unwrap_or_default(),
            state: state.into(),
        }
    }
}

/// What a scope allows, for people.
fn describe(scope: &str) -> &'static str {
    match scope {
        "api" => "Read and change everything its holder may, packages included.",
        "read_api" => "Read everything its holder may.",
        other => scopes::described(other).unwrap_or("For a named feature, where it is installed."),
    }
}
