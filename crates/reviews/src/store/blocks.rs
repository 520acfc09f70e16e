//! Merge requests that wait for others.

use crate::model::Block;
use ::store::{Fragment, Tx, sql};
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use planning::store::pages::{self, KeyType, List, Order};
use serde_json::json;

const SELECT: &str = ::store::concat!("select ", Block::COLUMNS, " from merge_request_blocks ");

/// Most merge requests that one waits for.
pub const MOST: i64 = 20;
/// Most that are looked at where a circle is looked for.
const FARTHEST: i64 = 1_000;

/// Which end of a block is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// What it waits for.
    Blocking,
    /// What waits for it.
    Blocked,
}

/// Has a merge request wait for another, unless it does.
pub fn insert(tx: &mut Tx<'_>, blocking_id: i64, blocked_id: i64) -> Result<Option<Block>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into merge_request_blocks (blocking_id, blocked_id, created_at)
             values ($1, $2, $3) on conflict (blocked_id, blocking_id) do nothing returning ",
            Block::COLUMNS
        ),
        (blocking_id, blocked_id, now),
    )?)
}

pub fn find(tx: &mut Tx<'_>, blocked_id: i64, id: i64) -> Result<Option<Block>> {
    Ok(tx.optional(sql!(SELECT, "where blocked_id = $1 and id = $2"), (blocked_id, id))?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from merge_request_blocks where id = $1"), (id,))?;
    Ok(())
}

pub fn count(tx: &mut Tx<'_>, blocked_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from merge_request_blocks where blocked_id = $1"),
        (blocked_id,),
    )?)
}

/// One page of the blocks at one end of a merge request.
pub fn list(tx: &mut Tx<'_>, id: i64, end: End, paging: Paging) -> Result<Paged<Block>> {
    let mut condition = Fragment::new(match end {
        End::Blocking => "merge_request_blocks.blocked_id = ",
        End::Blocked => "merge_request_blocks.blocking_id = ",
    });
    condition.bind(id);
    let list = List {
        select: Fragment::new(::store::concat!("select ", Block::COLUMNS)),
        from: Fragment::new("merge_request_blocks"),
        condition,
        order: Order {
            by: "merge_request_blocks.id".into(),
            key: Some(KeyType::Int),
            id: "merge_request_blocks.id",
            descending: false,
        },
    };
    pages::page(tx, list, paging, |block: &Block| (json!(block.id), block.id))
}

/// Whether one waits for another already, by whatever stands between.
pub fn waits_for(tx: &mut Tx<'_>, waiting_id: i64, for_id: i64) -> Result<bool> {
    let found: Vec<i64> = tx.all(
        sql!(
            "with recursive ways (id) as (
                select cast($1 as bigint)
                union
                select merge_request_blocks.blocking_id from ways
                join merge_request_blocks on merge_request_blocks.blocked_id = ways.id
             )
             select id from ways limit $2"
        ),
        (waiting_id, FARTHEST),
    )?;
    Ok(found.contains(&for_id) || found.len() as i64 >= FARTHEST)
}
