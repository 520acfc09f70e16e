//! `access_tokens`, and `deploy_tokens` as credentials.

use crate::model::{AccessToken, TokenKind, User, UserId};
use crate::viewer::SourceType;
use kernel::error::Result;
use kernel::secrets;
use kernel::time::{Date, Timestamp};
use store::{FromRow, Json, Tx, sql};

const HOLDER: &str = store::concat!(
    "select ",
    Holder::COLUMNS,
    " from access_tokens join users on users.id = access_tokens.user_id where "
);
const DEPLOY_TOKEN: &str =
    store::concat!("select ", DeployToken::COLUMNS, " from deploy_tokens where ");

pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<AccessToken>> {
    Ok(tx.optional(sql!("select * from access_tokens where id = $1"), (id,))?)
}

pub fn find_of_source(
    tx: &mut Tx<'_>, source: (SourceType, i64), id: i64,
) -> Result<Option<AccessToken>> {
    Ok(tx.optional(
        sql!("select * from access_tokens where source_type = $1 and source_id = $2 and id = $3"),
        (source.0.as_str(), source.1, id),
    )?)
}

/// Ends one token. Bots are deleted by who knows their memberships.
pub fn revoke(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update access_tokens set revoked = true, updated_at = $2 where id = $1"),
        (id, now),
    )
}

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

/// A credential's owner and what it allows, from one indexed query.
#[derive(Debug, Clone, FromRow)]
#[columns("access_tokens")]
pub struct Holder {
    #[nested]
    pub token: AccessToken,
    #[nested]
    pub user: User,
}

#[derive(Debug, Clone, FromRow)]
#[columns("deploy_tokens")]
pub struct DeployToken {
    pub id: i64,
    /// `Project` or `Group`.
    pub source_type: String,
    pub source_id: i64,
    /// The user name Basic must carry.
    pub username: String,
    /// Space-separated.
    pub scopes: String,
    pub revoked: bool,
    pub expires_at: Option<Timestamp>,
}

/// Who holds this token, whatever its prefix.
pub fn holder(tx: &mut Tx<'_>, text: &str) -> Result<Option<Holder>> {
    Ok(tx.optional(sql!(HOLDER, "access_tokens.digest = $1"), (secrets::digest(text),))?)
}

pub fn holder_by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Holder>> {
    Ok(tx.optional(sql!(HOLDER, "access_tokens.id = $1"), (id,))?)
}

pub fn deploy_token(tx: &mut Tx<'_>, text: &str) -> Result<Option<DeployToken>> {
    Ok(tx.optional(sql!(DEPLOY_TOKEN, "digest = $1"), (secrets::digest(text),))?)
}

pub fn deploy_token_by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<DeployToken>> {
    Ok(tx.optional(sql!(DEPLOY_TOKEN, "id = $1"), (id,))?)
}

/// Stores a token that ends then.
pub fn insert(
    tx: &mut Tx<'_>, new: &NewToken, digest: Vec<u8>, expires_at: Option<Date>, family: Option<i64>,
) -> Result<AccessToken> {
    let now = tx.now();
    Ok(tx.one(
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
            digest,
            new.scopes.join(" "),
            family,
            expires_at,
            now,
        ),
    )?)
}

#[derive(Debug, Clone)]
pub struct NewToken {
    pub kind: TokenKind,
    pub user_id: i64,
    /// Whether that user is an administrator, who may have more scopes.
    pub admin: bool,
    /// The project or group a bot's token enters.
    pub source: Option<(SourceType, i64)>,
    /// Role of the bot there.
    pub access_level: Option<i64>,
    pub name: String,
    pub description: Option<String>,
    pub scopes: Vec<String>,
    /// Last day; `None` is the longest allowed.
    pub expires_at: Option<Date>,
}

impl NewToken {
    /// A token of a person, of whom all is known and of it nothing yet.
    pub fn of(kind: TokenKind, user: &User) -> NewToken {
        NewToken {
            kind,
            user_id: user.id,
            admin: user.is_admin,
            source: None,
            access_level: None,
            name: String::new(),
            description: None,
            scopes: Vec::new(),
            expires_at: None,
        }
    }
}

/// Notes a use, and the addresses of the last ones.
pub fn note_use(tx: &mut Tx<'_>, token: i64, now: Timestamp, ips: Vec<String>) -> Result<()> {
    tx.run(
        sql!("update access_tokens set last_used_at = $2, last_used_ips = $3 where id = $1"),
        (token, now, Json(ips)),
    )
}

/// Personal tokens of people that end soon, past this id, whose owners were not told of it yet.
pub fn ending(
    tx: &mut Tx<'_>, today: Date, horizon: Date, stage: i64, after: i64, most: i64,
) -> Result<Vec<AccessToken>> {
    Ok(tx.all(
        sql!(
            "select t.* from access_tokens t join users u on u.id = t.user_id
             where t.kind = 'personal' and t.revoked = false and t.expires_at > $1
                and t.expires_at <= $2 and (t.expiry_told is null or t.expiry_told > $3)
                and t.id > $4 and u.kind = 'human' and u.state = 'active'
             order by t.id limit $5"
        ),
        (today, horizon, stage, after, most),
    )?)
}

pub fn note_told(tx: &mut Tx<'_>, token: i64, stage: i64) -> Result<()> {
    tx.run(sql!("update access_tokens set expiry_told = $2 where id = $1"), (token, stage))
}

/// Leaves the tokens of a bot in their lists, held by the ghost.
pub fn leave_to_ghost(
    tx: &mut Tx<'_>, id: UserId, ghost_id: UserId, now: Timestamp, today: &str,
) -> Result<()> {
    tx.run(
        sql!(
            "update access_tokens set user_id = $2, updated_at = $3,
                revoked = (revoked or expires_at is null or expires_at > $4)
             where user_id = $1 and kind in ('project', 'group')"
        ),
        (id, ghost_id, now, today),
    )
}
