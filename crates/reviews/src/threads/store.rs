//! `review_threads` and `draft_notes`.

use super::model::{Draft, Standing, Stored, Thread, ThreadPlace, written};
use crate::positions::Position;
use crate::suggestions::Around;
use ::store::{Fragment, Json, Tx, sql};
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use planning::store::pages::{self, KeyType, List, Order};
use serde_json::{Value, json};

const DRAFTS: &str = ::store::concat!("select ", Draft::COLUMNS, " from draft_notes ");

/// Threads that are followed at once.
pub const BATCH: i64 = 200;

/// Says where a thread stands.
pub fn insert(
    tx: &mut Tx<'_>, request_id: i64, discussion_id: &str, stored: &Stored,
    commit_id: Option<&str>, is_outdated: bool,
) -> Result<()> {
    tx.execute(
        sql!(
            "insert into review_threads (discussion_id, merge_request_id, original_position,
                position, change_position, line_code, commit_id, is_outdated, around_from,
                around_text)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        ),
        (
            discussion_id,
            request_id,
            &stored.original,
            &stored.position,
            &stored.change,
            &stored.line_code,
            commit_id,
            is_outdated,
            stored.around_from(),
            stored.around_text(),
        ),
    )?;
    Ok(())
}

/// Those of these discussions that stand in code.
pub fn of_discussions(tx: &mut Tx<'_>, ids: &[String]) -> Result<Vec<Thread>> {
    Ok(tx.all(
        sql!(
            "select ",
            Thread::COLUMNS,
            " from review_threads where review_threads.discussion_id in_list($1)"
        ),
        (ids,),
    )?)
}

/// Where threads of a merge request stand in code, in the order they began, of which some
/// note meets a condition.
pub fn places(
    tx: &mut Tx<'_>, request_id: i64, shown: &Fragment, most: i64,
) -> Result<Vec<ThreadPlace>> {
    let mut query = Fragment::new(
        "select review_threads.discussion_id as discussion_id,
            review_threads.line_code as line_code,
            case when review_threads.line_code is null
                then review_threads.position ->> 'new_path' end as path,
            review_threads.is_outdated as is_outdated,
            exists (select 1 from notes where notes.discussion_id = review_threads.discussion_id
                and notes.in_thread and not notes.is_system and notes.resolved_at is null and ",
    );
    query
        .append(shown.clone())
        .push(
            ") as is_open from review_threads where review_threads.merge_request_id = ",
            request_id,
        )
        .raw(
            " and exists (select 1 from notes
                where notes.discussion_id = review_threads.discussion_id and ",
        )
        .append(shown.clone())
        .push(") order by review_threads.id limit ", most);
    Ok(tx.query(query)?)
}

/// Where those of these discussions stand, and stood at first, that stand in code.
pub fn standings(tx: &mut Tx<'_>, ids: &[String]) -> Result<Vec<Standing>> {
    Ok(tx.all(
        sql!(
            "select ",
            Standing::COLUMNS,
            " from review_threads where review_threads.discussion_id in_list($1)"
        ),
        (ids,),
    )?)
}

/// Threads of a merge request that are not outdated, from one on.
pub fn to_follow(tx: &mut Tx<'_>, request_id: i64, after: i64) -> Result<Vec<Thread>> {
    Ok(tx.all(
        sql!(
            "select ",
            Thread::COLUMNS,
            " from review_threads where merge_request_id = $1 and id > $2 and not is_outdated
             order by id limit $3"
        ),
        (request_id, after, BATCH),
    )?)
}

/// Brings a thread elsewhere, between these lines.
pub fn moved(tx: &mut Tx<'_>, id: i64, position: &Position, around: Option<&Around>) -> Result<()> {
    tx.execute(
        sql!(
            "update review_threads set position = $2, line_code = $3, around_from = $4,
                around_text = $5
             where id = $1"
        ),
        (
            id,
            written(position),
            position.line_code(),
            around.map(|around| i64::from(around.from_line)),
            around.map(|around| around.text.as_str()),
        ),
    )?;
    Ok(())
}

/// Notes that what a thread is about is gone, and where that is seen.
pub fn outdated(tx: &mut Tx<'_>, id: i64, change: Option<Json<Value>>) -> Result<()> {
    tx.execute(
        sql!("update review_threads set is_outdated = true, change_position = $2 where id = $1"),
        (id, change),
    )?;
    Ok(())
}

/// Forgets where a thread stands whose last note is about to go.
pub fn forget_after(tx: &mut Tx<'_>, discussion_id: &str, note_id: i64) -> Result<()> {
    tx.execute(
        sql!(
            "delete from review_threads where discussion_id = $1 and not exists
                (select 1 from notes where notes.discussion_id = $1 and notes.id <> $2)"
        ),
        (discussion_id, note_id),
    )?;
    Ok(())
}

/// A draft note that is to be.
#[derive(Debug, Clone)]
pub struct NewDraft {
    pub author_id: i64,
    pub discussion_id: Option<String>,
    pub resolves_discussion: bool,
    pub body: String,
    pub stored: Option<Stored>,
    pub commit_id: Option<String>,
}

pub fn insert_draft(tx: &mut Tx<'_>, request_id: i64, new: &NewDraft) -> Result<Draft> {
    let now = tx.now();
    let stored = new.stored.as_ref();
    Ok(tx.one(
        sql!(
            "insert into draft_notes (merge_request_id, author_id, discussion_id,
                resolves_discussion, body, original_position, position, change_position,
                line_code, commit_id, around_from, around_text, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning ",
            Draft::COLUMNS
        ),
        (
            request_id,
            new.author_id,
            &new.discussion_id,
            new.resolves_discussion,
            &new.body,
            stored.map(|stored| stored.original.clone()),
            stored.map(|stored| stored.position.clone()),
            stored.and_then(|stored| stored.change.clone()),
            stored.and_then(|stored| stored.line_code.clone()),
            &new.commit_id,
            stored.and_then(Stored::around_from),
            stored.and_then(Stored::around_text),
            now,
        ),
    )?)
}

/// Writes another text of a draft note, and where it stands if that is said.
pub fn rewrite_draft(
    tx: &mut Tx<'_>, id: i64, body: Option<&str>, stored: Option<&Stored>,
) -> Result<()> {
    if let Some(body) = body {
        tx.execute(sql!("update draft_notes set body = $2 where id = $1"), (id, body))?;
    }
    if let Some(stored) = stored {
        tx.execute(
            sql!(
                "update draft_notes set original_position = $2, position = $3,
                    change_position = $4, line_code = $5, around_from = $6, around_text = $7
                 where id = $1"
            ),
            (
                id,
                &stored.original,
                &stored.position,
                &stored.change,
                &stored.line_code,
                stored.around_from(),
                stored.around_text(),
            ),
        )?;
    }
    Ok(())
}

/// A draft note of somebody's own.
pub fn draft(tx: &mut Tx<'_>, request_id: i64, author_id: i64, id: i64) -> Result<Option<Draft>> {
    Ok(tx.optional(
        sql!(DRAFTS, "where id = $1 and merge_request_id = $2 and author_id = $3"),
        (id, request_id, author_id),
    )?)
}

/// All draft notes of somebody about a merge request, in the order they were written.
pub fn drafts(tx: &mut Tx<'_>, request_id: i64, author_id: i64) -> Result<Vec<Draft>> {
    Ok(tx.all(
        sql!(DRAFTS, "where merge_request_id = $1 and author_id = $2 order by id limit $3"),
        (request_id, author_id, super::model::MOST_DRAFTS),
    )?)
}

pub fn count_drafts(tx: &mut Tx<'_>, request_id: i64, author_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from draft_notes where merge_request_id = $1 and author_id = $2"),
        (request_id, author_id),
    )?)
}

/// One page of them.
pub fn list_drafts(
    tx: &mut Tx<'_>, request_id: i64, author_id: i64, paging: Paging,
) -> Result<Paged<Draft>> {
    let mut condition = Fragment::new("draft_notes.merge_request_id = ");
    condition.bind(request_id).push(" and draft_notes.author_id = ", author_id);
    let list = List {
        select: Fragment::new(::store::concat!("select ", Draft::COLUMNS)),
        from: Fragment::new("draft_notes"),
        condition,
        order: Order {
            by: "draft_notes.id".into(),
            key: Some(KeyType::Int),
            id: "draft_notes.id",
            descending: false,
        },
    };
    pages::page(tx, list, paging, |draft: &Draft| (json!(draft.id), draft.id))
}

pub fn delete_drafts(tx: &mut Tx<'_>, ids: &[i64]) -> Result<()> {
    tx.execute(sql!("delete from draft_notes where id in_list($1)"), (ids,))?;
    Ok(())
}
