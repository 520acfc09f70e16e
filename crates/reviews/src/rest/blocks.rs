//! Merge requests that wait for others.

use super::{At, one};
use crate::access::{Scope, visible};
use crate::entity::shapes::BlockEntity;
use crate::entity::{Base, Related, basic};
use crate::model::{Block, MergeRequest};
use crate::rules::blocks as rules;
use crate::store::blocks::{self as rows, End};
use crate::store::by_ids;
use ::store::Tx;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Created, NoContent, Paged, Paging, Params, Routes};

pub(super) fn routes(r: &mut Routes) {
    r.get(&one("/blocks"), list_blocking)
        .summary("Lists the merge requests that one waits for");
    r.post(&one("/blocks"), create)
        .summary("Has a merge request wait for another one");
    r.delete(&one("/blocks/{block_id}"), destroy)
        .summary("Has a merge request wait no longer");
    r.get(&one("/blockees"), list_blocked)
        .summary("Lists the merge requests that wait for one");
}

kernel::params! {
    struct NewBlock {
        /// Id, and not number, of the merge request that has to be merged before.
        pub blocking_merge_request_id: i64,
    }
}

kernel::params! {
    struct OneBlock {
        /// Id of the dependency.
        pub block_id: i64,
    }
}

/// Blocks with both ends, as far as the caller sees them.
fn shown(
    tx: &mut Tx<'_>, by: &Caller, project_id: i64, blocks: &[Block],
) -> Result<Vec<BlockEntity>> {
    let ids: Vec<i64> =
        blocks.iter().flat_map(|block| [block.blocking_id, block.blocked_id]).collect();
    let condition = visible(tx, &by.viewer, &Scope::Everywhere);
    let requests = by_ids(tx, &ids, condition)?;
    let around = Related::read(tx, &by.viewer, Base::Nothing, &requests)?;
    let find = |id: i64| {
        let found = requests.iter().find(|request: &&MergeRequest| request.id == id)?;
        Some(basic(&by.app, found, &around, false))
    };
    let entity = |block: &Block| BlockEntity {
        id: block.id,
        blocking_merge_request: find(block.blocking_id),
        blocked_merge_request: find(block.blocked_id),
        project_id,
    };
    Ok(blocks.iter().map(entity).collect())
}

async fn list(at: At, end: End, paging: Paging) -> Result<Paged<BlockEntity>> {
    at.read(move |tx, by, here, request| {
        let page = rows::list(tx, request.id, end, paging)?;
        let shown = shown(tx, by, here.project.id, &page.items)?;
        Ok(page.replace(|_| shown))
    })
    .await
}

async fn list_blocking(at: At, paging: Paging) -> Result<Paged<BlockEntity>> {
    list(at, End::Blocking, paging).await
}

async fn list_blocked(at: At, paging: Paging) -> Result<Paged<BlockEntity>> {
    list(at, End::Blocked, paging).await
}

async fn create(at: At, asked: Params<NewBlock>) -> Result<Created<BlockEntity>> {
    at.write(move |tx, by, here, request| {
        let id = asked.blocking_merge_request_id;
        let block = rules::create(tx, &by.viewer, &here, &request, id)?;
        let mut shown = shown(tx, by, here.project.id, std::slice::from_ref(&block))?;
        shown.pop().map(Created).ok_or_else(|| kernel::error::Error::NotFound(""))
    })
    .await
}

async fn destroy(at: At, asked: Params<OneBlock>) -> Result<NoContent> {
    at.write(move |tx, by, here, request| {
        rules::destroy(tx, &by.viewer, &here, &request, asked.block_id)?;
        Ok(NoContent)
    })
    .await
}
