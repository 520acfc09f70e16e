//! Access tokens: making, finding, rotating and ending them.
//!
//! Only digests are stored. A rotation chain is a family; a revoked member
//! shown again for rotation ends the whole family (contract «Families»).

mod list;

pub use list::{Filter, SortBy, State, page, total};

use crate::model::{AccessToken, TokenKind, User, UserKind, UserState, scope_fits};
use crate::settings::TokenRules;
use crate::users::Author;
use crate::viewer::SourceType;
use kernel::error::{Error, Result};
use kernel::secrets::{self, Secret};
use kernel::time::{Date, Timestamp, date_of};
use store::{Json, Row, Tx, sql};

/// Longest description, in characters.
const MAX_DESCRIPTION: usize = 255;
/// Days a rotated token lives unless asked otherwise.
const ROTATED_DAYS: i64 = 7;

/// A token to be made.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// What it stands for.
    pub kind: TokenKind,
    /// Who acts with it.
    pub user_id: i64,
    /// Whether that user is an administrator, who may have more scopes.
    pub admin: bool,
    /// The project or group a bot's token enters.
    pub source: Option<(SourceType, i64)>,
    /// Role of the bot there.
    pub access_level: Option<i64>,
    /// For people.
    pub name: String,
    /// For people.
    pub description: Option<String>,
    /// At least one.
    pub scopes: Vec<String>,
    /// Last day; `None` is the longest allowed.
    pub expires_at: Option<Date>,
}

/// Makes a token; its text is returned here and never again.
pub fn create(tx: &mut Tx<'_>, new: &NewToken) -> Result<(AccessToken, Secret)> {
    let rules: TokenRules = kernel::settings::read(tx)?;
    let problems = problems(new);
    if !problems.is_empty() {
        return Err(Error::Invalid(problems));
    }
    let expires_at = last_day(&rules, new.expires_at, tx.now())?;
    insert(tx, &rules, new, expires_at, None)
}

fn problems(new: &NewToken) -> Vec<(String, Vec<String>)> {
    let mut problems = Vec::new();
    let mut add = |field: &str, text: &str| {
        problems.push((field.to_owned(), vec![text.to_owned()]));
    };
    if let Some(problem) = crate::model::name_problem(&new.name) {
        add("name", problem);
    }
    if new
        .description
        .as_ref()
        .is_some_and(|text| text.chars().count() > MAX_DESCRIPTION)
    {
        add("description", "is too long (maximum is 255 characters)");
    }
    if new.scopes.is_empty() {
        add("scopes", "can't be blank");
    } else if !new
        .scopes
        .iter()
        .all(|scope| scope_fits(new.kind, scope, new.admin))
    {
        add("scopes", "can only contain available scopes");
    }
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
    tx: &mut Tx<'_>,
    rules: &TokenRules,
    new: &NewToken,
    expires_at: Option<Date>,
    family: Option<i64>,
) -> Result<(AccessToken, Secret)> {
    let secret = secrets::random_token(&rules.prefix);
    let now = tx.now();
    let token = tx.one(
        sql!(
            "insert into access_tokens (kind, user_id, source_type, source_id, access_level, name,
                description, digest, scopes, family_id, expires_at, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12) returning *"
        ),
        (
            new.kind,
            new.user_id,
            new.source.map(|(kind, _)| kind.as_str()),
            new.source.map(|(_, id)| id),
            new.access_level,
            new.name.as_str(),
            new.description.as_deref(),
            secrets::digest(secret.expose()),
            new.scopes.join(" "),
            family,
            expires_at,
            now,
        ),
    )?;
    Ok((token, secret))
}

/// Records a change of a token.
pub fn record(
    tx: &mut Tx<'_>,
    by: &Author,
    action: &'static str,
    token: &AccessToken,
) -> Result<()> {
    Ok(kernel::audit::write(
        tx,
        kernel::audit::Record {
            author_id: by.id,
            action,
            target_type: "AccessToken",
            target_id: token.id,
            target_name: &token.name,
            details: serde_json::json!({"user_id": token.user_id, "kind": token.kind.as_str(),
                "scopes": token.scopes}),
            ip_address: by.ip.clone(),
        },
    )?)
}

/// One token.
pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<AccessToken>> {
    Ok(tx.optional(sql!("select * from access_tokens where id = $1"), (id,))?)
}

/// One token of a project or group.
pub fn find_of_source(
    tx: &mut Tx<'_>,
    source: (SourceType, i64),
    id: i64,
) -> Result<Option<AccessToken>> {
    Ok(tx.optional(
        sql!("select * from access_tokens where source_type = $1 and source_id = $2 and id = $3"),
        (source.0.as_str(), source.1, id),
    )?)
}

/// Ends one token. Bots are deleted by who knows their memberships.
pub fn revoke(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update access_tokens set revoked = true, updated_at = $2 where id = $1"),
        (id, now),
    )?;
    Ok(())
}

/// Ends every token of a family.
pub fn revoke_family(tx: &mut Tx<'_>, family: i64) -> Result<u64> {
    let now = tx.now();
    Ok(tx.execute(
        sql!(
            "update access_tokens set revoked = true, updated_at = $2
             where (family_id = $1 or id = $1) and revoked = false"
        ),
        (family, now),
    )?)
}

/// Replaces a token by a new one of its family. The caller has checked that
/// the token is active (see [`ready_to_rotate`]).
pub fn rotate(
    tx: &mut Tx<'_>,
    old: &AccessToken,
    expires_at: Option<Date>,
) -> Result<(AccessToken, Secret)> {
    let rules: TokenRules = kernel::settings::read(tx)?;
    let week = after(date_of(tx.now()), ROTATED_DAYS.min(rules.max_days));
    let expires_at = last_day(&rules, Some(expires_at.unwrap_or(week)), tx.now())?;
    revoke(tx, old.id)?;
    let source = old
        .source_type
        .as_deref()
        .and_then(SourceType::from_text)
        .zip(old.source_id);
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
    /// Go on.
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
        tracing::warn!(
            family = token.family(),
            ended,
            "a revoked token was shown for rotation"
        );
        return Ok(Ready::Reused);
    }
    Ok(if token.is_expired(tx.now()) {
        Ready::Expired
    } else {
        Ready::Yes
    })
}

/// A credential's owner and what it allows, from one indexed query.
#[derive(Debug, Clone)]
pub struct Holder {
    /// The token.
    pub token: AccessToken,
    /// Who acts with it.
    pub user: User,
}

impl store::FromRow for Holder {
    fn from_row(row: &mut Row<'_>) -> store::Result<Self> {
        Ok(Holder {
            token: token_of(row)?,
            user: user_of(row)?,
        })
    }
}

fn token_of(row: &Row<'_>) -> store::Result<AccessToken> {
    Ok(AccessToken {
        id: row.at(0)?,
        kind: row.at(1)?,
        user_id: row.at(2)?,
        source_type: row.at(3)?,
        source_id: row.at(4)?,
        access_level: None,
        name: String::new(),
        description: None,
        scopes: row.at(5)?,
        family_id: row.at(6)?,
        revoked: row.at(7)?,
        expires_at: row.at(8)?,
        last_used_at: row.at(9)?,
        last_used_ips: row.at::<Option<Json<Vec<String>>>>(10)?,
        created_at: row.at(11)?,
        updated_at: row.at(12)?,
    })
}

fn user_of(row: &Row<'_>) -> store::Result<User> {
    Ok(User {
        id: row.at(2)?,
        username: row.at(13)?,
        name: row.at(14)?,
        email: row.at(15)?,
        kind: row.at::<UserKind>(16)?,
        state: row.at::<UserState>(17)?,
        is_admin: row.at(18)?,
        is_external: row.at(19)?,
        is_private: row.at(20)?,
        password_expired: row.at(21)?,
        locked_until: row.at(22)?,
        confirmed_at: row.at(23)?,
        avatar_key: row.at(24)?,
        projects_limit: row.at(25)?,
        can_create_group: row.at(26)?,
        last_activity_on: row.at(27)?,
        created_at: row.at(28)?,
        updated_at: row.at(29)?,
    })
}

macro_rules! holder_by {
    ($condition:literal) => {
        sql!(concat!(
            "select t.id, t.kind, t.user_id, t.source_type, t.source_id, t.scopes, t.family_id,
                t.revoked, t.expires_at, t.last_used_at, t.last_used_ips, t.created_at,
                t.updated_at, u.username, u.name, u.email, u.kind, u.state, u.is_admin,
                u.is_external, u.is_private, u.password_expired, u.locked_until, u.confirmed_at,
                u.avatar_key, u.projects_limit, u.can_create_group, u.last_activity_on,
                u.created_at, u.updated_at
             from access_tokens t join users u on u.id = t.user_id where ",
            $condition
        ))
    };
}

/// Who holds this token, whatever its prefix. Name, description and role are
/// left out: the hot path of every request does not need them.
pub fn holder(tx: &mut Tx<'_>, text: &str) -> Result<Option<Holder>> {
    Ok(tx.optional(holder_by!("t.digest = $1"), (secrets::digest(text),))?)
}

/// Who holds the token of this id.
pub fn holder_by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Holder>> {
    Ok(tx.optional(holder_by!("t.id = $1"), (id,))?)
}

/// A deploy token by its text.
#[derive(Debug, Clone)]
pub struct DeployToken {
    /// Id.
    pub id: i64,
    /// `Project` or `Group`.
    pub source_type: String,
    /// Id of that project or group.
    pub source_id: i64,
    /// The user name Basic must carry.
    pub username: String,
    /// Space-separated.
    pub scopes: String,
    /// Ended before its time.
    pub revoked: bool,
    /// Ends then.
    pub expires_at: Option<Timestamp>,
}

store::from_row! { DeployToken {
    id, source_type, source_id, username, scopes, revoked, expires_at
} }

/// The deploy token with this text.
pub fn deploy_token(tx: &mut Tx<'_>, text: &str) -> Result<Option<DeployToken>> {
    Ok(tx.optional(
        sql!(
            "select id, source_type, source_id, username, scopes, revoked, expires_at
             from deploy_tokens where digest = $1"
        ),
        (secrets::digest(text),),
    )?)
}

/// The deploy token of this id.
pub fn deploy_token_by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<DeployToken>> {
    Ok(tx.optional(
        sql!(
            "select id, source_type, source_id, username, scopes, revoked, expires_at
             from deploy_tokens where id = $1"
        ),
        (id,),
    )?)
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
    tx.execute(
        sql!("update access_tokens set last_used_at = $2, last_used_ips = $3 where id = $1"),
        (token, now, Json(ips)),
    )?;
    crate::users::note_activity(tx, user)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn a_token_ends_within_a_year_unless_expiry_is_not_required() {
        let now: Timestamp = "2026-01-10T15:00:00Z".parse().unwrap();
        let rules = TokenRules::default();
        assert_eq!(
            last_day(&rules, None, now).unwrap(),
            Some(day("2027-01-10"))
        );
        assert!(last_day(&rules, Some(day("2027-01-10")), now).is_ok());
        assert!(last_day(&rules, Some(day("2027-01-11")), now).is_err());
        assert!(last_day(&rules, Some(day("2026-01-10")), now).is_err());
        let free = TokenRules {
            require_expiry: false,
            ..TokenRules::default()
        };
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
        let fields: Vec<String> = problems(&new).into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["name", "description", "scopes"]);
    }
}
