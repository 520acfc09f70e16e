//! Access tokens: making, finding, rotating and ending them.
//!
//! Only digests are stored. A rotation chain is a family; a revoked member
//! shown again for rotation ends the whole family (docs/interface/identity.md 4.1).

pub use crate::store::token_list::{Filter, SortBy, State, TokenTimes, page, total};

use crate::author::Author;
use crate::model::AccessToken;
use crate::problems::Problems;
use crate::scopes;
use crate::settings::TokenRules;
pub use crate::store::tokens::{
    DeployToken, Holder, NewToken, deploy_token, deploy_token_by_id, find, find_of_source, holder,
    holder_by_id, revoke, revoke_family,
};
use crate::viewer::{DeployViewer, SourceType, Viewer};
use kernel::error::{Error, Result};
use kernel::secrets::{self, Secret};
use kernel::time::{Date, Timestamp, date_of};
use std::sync::Arc;
use store::Tx;

/// Longest description, in characters.
const MAX_DESCRIPTION: usize = 255;
/// Days a rotated token lives unless asked otherwise.
const ROTATED_DAYS: i64 = 7;

/// A deploy token as viewer, if it is still good.
pub fn viewer_of(deploy: DeployToken, now: Timestamp) -> Option<Viewer> {
    let ended = deploy.expires_at.is_some_and(|end| end <= now);
    if deploy.revoked || ended {
        return None;
    }
    let scopes = deploy.scopes.split_whitespace();
    Some(Viewer::Deploy(Arc::new(DeployViewer {
        id: deploy.id,
        username: deploy.username,
        source_type: deploy.source_type,
        source_id: deploy.source_id,
        scopes: scopes.map(str::to_owned).collect(),
    })))
}

/// The same by its number.
pub fn deploy_viewer(tx: &mut Tx<'_>, id: i64) -> Result<Option<Viewer>> {
    let now = tx.now();
    Ok(deploy_token_by_id(tx, id)?.and_then(|deploy| viewer_of(deploy, now)))
}

/// Makes a token; its text is returned here and never again.
pub fn create(tx: &mut Tx<'_>, new: &NewToken) -> Result<(AccessToken, Secret)> {
    let rules: TokenRules = kernel::settings::read(tx)?;
    problems(new).done()?;
    let expires_at = last_day(&rules, new.expires_at, tx.now())?;
    insert(tx, &rules, new, expires_at, None)
}

fn problems(new: &NewToken) -> Problems {
    let mut problems = Problems::default();
    problems.add("name", crate::model::name_problem(&new.name));
    let length = new.description.as_ref().map_or(0, |text| text.chars().count());
    let long = length > MAX_DESCRIPTION;
    problems.add("description", long.then_some("is too long (maximum is 255 characters)"));
    let fits = |scope: &String| scopes::fits(new.kind, scope, new.admin);
    let scopes = match new.scopes.is_empty() {
        true => Some("can't be blank"),
        false if !new.scopes.iter().all(fits) => Some("can only contain available scopes"),
        false => None,
    };
    problems.add("scopes", scopes);
    problems
}

/// The day a token ends on: the one asked for, or the latest allowed.
fn last_day(rules: &TokenRules, asked: Option<Date>, now: Timestamp) -> Result<Option<Date>> {
    let today = date_of(now);
    let latest = after(today, rules.max_days);
    match asked {
        None => Ok(rules.require_expiry.then_some(latest)),
        Some(day) if day <= today => Err(Error::invalid("expires_at", "must be in the future")),
        Some(day) if day > latest && rules.require_expiry => {
            let message = format!("must be before {}", after(latest, 1));
            Err(Error::invalid("expires_at", message))
        }
        Some(day) => Ok(Some(day)),
    }
}

fn after(day: Date, days: i64) -> Date {
    day.saturating_add(jiff::Span::new().days(days))
}

fn insert(
    tx: &mut Tx<'_>, rules: &TokenRules, new: &NewToken, expires_at: Option<Date>,
    family: Option<i64>,
) -> Result<(AccessToken, Secret)> {
    let secret = secrets::random_token(&rules.prefix);
    let digest = secrets::digest(secret.expose());
    let token = crate::store::tokens::insert(tx, new, digest, expires_at, family)?;
    Ok((token, secret))
}

pub fn record(
    tx: &mut Tx<'_>, by: &Author, action: &'static str, token: &AccessToken,
) -> Result<()> {
    kernel::audit::record(
        tx,
        by,
        action,
        ("AccessToken", token.id, &token.name),
        serde_json::json!({"user_id": token.user_id, "kind": token.kind.as_str(),
                "scopes": token.scopes}),
    )
}

/// Replaces a token by a new one of its family. The caller has checked that
/// the token is active (see [`ready_to_rotate`]).
pub fn rotate(
    tx: &mut Tx<'_>, old: &AccessToken, expires_at: Option<Date>,
) -> Result<(AccessToken, Secret)> {
    let rules: TokenRules = kernel::settings::read(tx)?;
    let week = after(date_of(tx.now()), ROTATED_DAYS.min(rules.max_days));
    let expires_at = last_day(&rules, Some(expires_at.unwrap_or(week)), tx.now())?;
    revoke(tx, old.id)?;
    let source = old.source_type.as_deref().and_then(SourceType::from_text).zip(old.source_id);
    let new = NewToken {
        kind: old.kind,
        user_id: old.user_id,
        admin: true, // the scopes were checked when the first of the family was made
        source,
        access_level: old.access_level,
        name: old.name.clone(),
        description: old.description.clone(),
        scopes: old.scopes(),
        expires_at,
    };
    insert(tx, &rules, &new, expires_at, Some(old.family()))
}

/// Whether a token may still be rotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ready {
    Yes,
    /// Its day has come.
    Expired,
    /// It was revoked before: someone kept a copy, so its whole family has
    /// just been revoked. The transaction must commit.
    Reused,
}

/// Decides whether `token` may be rotated, and ends its family on reuse.
pub fn ready_to_rotate(tx: &mut Tx<'_>, token: &AccessToken) -> Result<Ready> {
    if token.revoked {
        let ended = revoke_family(tx, token.family())?;
        tracing::warn!(family = token.family(), ended, "a revoked token was shown for rotation");
        return Ok(Ready::Reused);
    }
    Ok(if token.is_expired(tx.now()) {
        Ready::Expired
    } else {
        Ready::Yes
    })
}

/// Notes a use: at most every ten minutes, and the last five addresses.
pub fn touch(tx: &mut Tx<'_>, token: i64, user: i64, ip: &str) -> Result<()> {
    let Some(known) = find(tx, token)? else {
        return Ok(());
    };
    let mut ips = known.last_used_ips.map(|ips| ips.0).unwrap_or_default();
    ips.retain(|one| one != ip);
    ips.insert(0, ip.to_owned());
    ips.truncate(5);
    let now = tx.now();
    crate::store::tokens::note_use(tx, token, now, ips)?;
    crate::users::note_activity(tx, user)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TokenKind;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn a_token_ends_within_a_year_unless_expiry_is_not_required() {
        let now: Timestamp = "2026-01-10T15:00:00Z".parse().unwrap();
        let rules = TokenRules::default();
        assert_eq!(last_day(&rules, None, now).unwrap(), Some(day("2027-01-10")));
        assert!(last_day(&rules, Some(day("2027-01-10")), now).is_ok());
        assert!(last_day(&rules, Some(day("2027-01-11")), now).is_err());
        assert!(last_day(&rules, Some(day("2026-01-10")), now).is_err());
        let free = TokenRules { require_expiry: false, ..TokenRules::default() };
        assert_eq!(last_day(&free, None, now).unwrap(), None);
        assert!(last_day(&free, Some(day("2030-01-01")), now).is_ok());
    }

    #[test]
    fn every_problem_of_a_new_token_is_named() {
        let new = NewToken {
            kind: TokenKind::Project,
            user_id: 1,
            admin: false,
            source: None,
            access_level: None,
            name: " ".into(),
            description: Some("x".repeat(256)),
            scopes: vec!["sudo".into()],
            expires_at: None,
        };
        let fields: Vec<String> = problems(&new).0.into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["name", "description", "scopes"]);
    }
}
