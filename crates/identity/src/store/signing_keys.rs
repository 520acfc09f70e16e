//! `signing_keys`: what signs ID tokens.

use kernel::error::Result;
use kernel::time::Timestamp;
use store::{FromRow, Tx, sql};

/// A key as it is published (RFC 7517).
#[derive(Debug, Clone, FromRow)]
pub struct Published {
    /// Its name in token headers.
    pub kid: String,
    /// Modulus, base64url.
    pub public_n: String,
    /// Exponent, base64url.
    pub public_e: String,
}

#[derive(FromRow)]
pub struct Row {
    pub kid: String,
    pub sealed: String,
    pub created_at: Timestamp,
}

pub fn newest(tx: &mut Tx<'_>) -> Result<Option<Row>> {
    Ok(tx.optional(
        sql!(
            "select kid, sealed, created_at from signing_keys where retired_at is null
             order by id desc limit 1"
        ),
        (),
    )?)
}

pub struct Made {
    pub kid: String,
    pub sealed: String,
    pub public_n: String,
    pub public_e: String,
}

/// Every published key, the newest first.
pub fn published(tx: &mut Tx<'_>) -> Result<Vec<Published>> {
    Ok(tx.all(sql!("select kid, public_n, public_e from signing_keys order by id desc"), ())?)
}

pub fn retire(tx: &mut Tx<'_>, now: Timestamp) -> Result<()> {
    tx.run(sql!("update signing_keys set retired_at = $1 where retired_at is null"), (now,))
}

pub fn insert(tx: &mut Tx<'_>, made: &Made, now: Timestamp) -> Result<()> {
    tx.run(
        sql!(
            "insert into signing_keys (kid, sealed, public_n, public_e, created_at)
                 values ($1, $2, $3, $4, $5)"
        ),
        (
            made.kid.as_str(),
            made.sealed.as_str(),
            made.public_n.as_str(),
            made.public_e.as_str(),
            now,
        ),
    )
}

pub fn delete_retired(tx: &mut Tx<'_>, gone: Timestamp) -> Result<()> {
    tx.run(sql!("delete from signing_keys where retired_at < $1"), (gone,))
}
