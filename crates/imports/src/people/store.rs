//! `import_source_users`.

use super::model::{SourceUser, SourceUserStatus};
use crate::run::SourceName;
use ::store::{Fragment, Tx, sql};
use kernel::error::Result;
use kernel::http::Paging;
use kernel::ids::fold;
use std::collections::HashMap;

const SELECT: &str = ::store::concat!("select ", SourceUser::COLUMNS, " from import_source_users ");

/// By what people of one server are known in a top-level group.
#[derive(Debug, Clone)]
pub struct Known {
    pub namespace_id: i64,
    pub source: SourceName,
    pub host: String,
}

/// Somebody by what is theirs there.
pub fn find(tx: &mut Tx<'_>, by: &Known, source_user_id: &str) -> Result<Option<SourceUser>> {
    Ok(tx.optional(
        sql!(
            SELECT,
            "where namespace_id = $1 and source = $2 and host = $3 and source_user_id = $4"
        ),
        (by.namespace_id, by.source, &by.host, source_user_id),
    )?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<SourceUser>> {
    Ok(tx.optional(sql!(SELECT, "where id = $1"), (id,))?)
}

/// Whose placeholder this is.
pub fn of_placeholder(tx: &mut Tx<'_>, user_id: i64) -> Result<Option<SourceUser>> {
    Ok(tx.optional(sql!(SELECT, "where placeholder_id = $1 order by id limit 1"), (user_id,))?)
}

/// How many a group knows.
pub fn count(tx: &mut Tx<'_>, namespace_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from import_source_users where namespace_id = $1"),
        (namespace_id,),
    )?)
}

/// Adds somebody, unless they are there; the id.
pub fn insert(
    tx: &mut Tx<'_>, by: &Known, source_user_id: &str, (username, name): (&str, Option<&str>),
) -> Result<Option<i64>> {
    let now = tx.now();
    let words = fold(&format!("{username} {}", name.unwrap_or_default()));
    Ok(tx.optional(
        sql!(
            "insert into import_source_users (namespace_id, source, host, source_user_id, username,
                name, words_folded, status, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
             on conflict do nothing returning id"
        ),
        (
            by.namespace_id,
            by.source,
            &by.host,
            source_user_id,
            username,
            name,
            words,
            SourceUserStatus::PendingReassignment,
            now,
        ),
    )?)
}

pub fn set_placeholder(tx: &mut Tx<'_>, id: i64, placeholder: Option<i64>) -> Result<()> {
    tx.run(
        sql!("update import_source_users set placeholder_id = $2 where id = $1"),
        (id, placeholder),
    )
}

/// Writes how far it is settled who somebody is.
pub fn settle(tx: &mut Tx<'_>, row: &SourceUser) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update import_source_users
             set status = $2, user_id = $3, reassigned_by_id = $4, updated_at = $5
             where id = $1"
        ),
        (row.id, row.status, row.user_id, row.reassigned_by_id, now),
    )
}

/// The usernames here of those of whom it is settled who they are, by their logins there.
pub fn settled(tx: &mut Tx<'_>, by: &Known) -> Result<HashMap<String, String>> {
    Ok(tx.pairs(
        sql!(
            "select s.username, u.username as here
             from import_source_users s join users u on u.id = s.user_id
             where s.namespace_id = $1 and s.source = $2 and s.host = $3
                and s.status in ('reassignment_in_progress', 'completed') and u.kind = 'human'"
        ),
        (by.namespace_id, by.source, &by.host),
    )?)
}

/// Those that a group knows.
pub fn of_group(
    tx: &mut Tx<'_>, namespace_id: i64, filter: &Filter, paging: &Paging,
) -> Result<(Vec<SourceUser>, i64)> {
    let mut narrowed = Fragment::new("where namespace_id = ");
    narrowed.bind(namespace_id);
    if let Some(status) = filter.status {
        narrowed.push(" and status = ", status);
    }
    if let Some(search) = filter.search.as_deref().filter(|text| !text.is_empty()) {
        let pattern = spaces::store::contains(&fold(search));
        narrowed.push(" and words_folded like ", pattern).raw(" escape '\\'");
    }
    page(tx, narrowed, paging)
}

/// Which of them.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub status: Option<SourceUserStatus>,
    /// In the login or name there.
    pub search: Option<String>,
}

/// Those of whom somebody is asked whether they are it.
pub fn asked_of(tx: &mut Tx<'_>, user_id: i64, paging: &Paging) -> Result<(Vec<SourceUser>, i64)> {
    let mut asked = Fragment::new("where user_id = ");
    asked.bind(user_id).push(" and status = ", SourceUserStatus::AwaitingApproval);
    page(tx, asked, paging)
}

fn page(tx: &mut Tx<'_>, narrowed: Fragment, paging: &Paging) -> Result<(Vec<SourceUser>, i64)> {
    let mut count = Fragment::new("select count(*) from import_source_users ");
    count.append(narrowed.clone());
    let total: Option<i64> = tx.query(count)?.into_iter().next();
    let mut rows = Fragment::new(SELECT);
    rows.append(narrowed)
        .push(" order by id limit ", paging.fetch())
        .push(" offset ", paging.offset());
    Ok((tx.query(rows)?, total.unwrap_or(0)))
}
