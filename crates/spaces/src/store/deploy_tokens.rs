//! Deploy tokens of projects and groups.

use crate::deploy_tokens::NewDeployToken;
use crate::members::MembersOf;
use crate::model::SourceKind;
use kernel::error::Result;
use kernel::http::Paging;
use kernel::time::Timestamp;
use store::{Fragment, FromRow, Tx, sql};

/// A deploy token without its secret.
#[derive(Debug, Clone, FromRow)]
pub struct DeployToken {
    pub id: i64,
    pub name: String,
    pub username: String,
    pub scopes: String,
    pub revoked: bool,
    pub expires_at: Option<Timestamp>,
}

type Source = (SourceKind, i64);

/// Adds a token; its user name is made of its id unless given.
pub fn insert(
    tx: &mut Tx<'_>, place: &MembersOf<'_>, new: &NewDeployToken, digest: Vec<u8>,
) -> Result<i64> {
    let now = tx.now();
    let id: i64 = tx.one(
        sql!(
            "insert into deploy_tokens (source_type, source_id, name, username, digest, scopes,
                expires_at, created_by_id, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id"
        ),
        (
            place.source.kind,
            place.source.id,
            &new.name,
            new.username().unwrap_or_default(),
            digest,
            new.scopes.join(" "),
            new.expires_at,
            place.viewer.user_id(),
            now,
        ),
    )?;
    if new.username().is_none() {
        tx.execute(
            sql!("update deploy_tokens set username = $2 where id = $1"),
            (id, format!("service+deploy-token-{id}")),
        )?;
    }
    Ok(id)
}

pub fn find(tx: &mut Tx<'_>, source: Source, id: i64) -> Result<Option<DeployToken>> {
    Ok(tx.optional(
        sql!("select * from deploy_tokens where source_type = $1 and source_id = $2 and id = $3"),
        (source.0, source.1, id),
    )?)
}

/// Tokens, of one place or of all, and how many there are.
pub fn list(
    tx: &mut Tx<'_>, source: Option<Source>, active: Option<bool>, paging: &Paging,
) -> Result<(Vec<DeployToken>, i64)> {
    let mut condition = Fragment::new("true");
    if let Some((kind, id)) = source {
        condition.push(" and source_type = ", kind).push(" and source_id = ", id);
    }
    if let Some(active) = active {
        condition
            .raw(if active { " and (" } else { " and not (" })
            .raw("revoked = false and (expires_at is null or expires_at > ")
            .bind(tx.now())
            .raw("))");
    }
    let total = super::count(tx, "deploy_tokens", &condition)?;
    let mut list = Fragment::new("select * from deploy_tokens where ");
    list.append(condition)
        .push(" order by id limit ", paging.fetch())
        .push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from deploy_tokens where id = $1"), (id,))?;
    Ok(())
}
