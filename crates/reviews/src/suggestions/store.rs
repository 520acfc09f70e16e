//! `suggestions`, and `suggestion_commits`: commits that apply them, noted before the branch
//! moves to them.

use super::change::Change;
use super::model::Suggestion;
use ::store::{FromRow, Json, Tx, sql};
use kernel::error::Result;
use repositories::formats::object_id::ObjectId;
use serde_json::Value;

/// Where a thread stands, and the lines around that.
#[derive(Debug, Clone, FromRow)]
#[columns("review_threads")]
pub struct Standing {
    pub position: Json<Value>,
    pub around_from: Option<i64>,
    pub around_text: Option<String>,
}

/// Where a discussion stands, if it stands in code.
pub fn standing(tx: &mut Tx<'_>, discussion_id: &str) -> Result<Option<Standing>> {
    Ok(tx.optional(
        sql!(
            "select ",
            Standing::COLUMNS,
            " from review_threads where review_threads.discussion_id = $1"
        ),
        (discussion_id,),
    )?)
}

pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Suggestion>> {
    Ok(tx.all(
        sql!(
            "select ",
            Suggestion::COLUMNS,
            " from suggestions where suggestions.id in_list($1) order by suggestions.id"
        ),
        (ids,),
    )?)
}

/// What these notes suggest, in the order that each says it.
pub fn of_notes(tx: &mut Tx<'_>, notes: &[i64]) -> Result<Vec<Suggestion>> {
    if notes.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tx.all(
        sql!(
            "select ",
            Suggestion::COLUMNS,
            " from suggestions where suggestions.note_id in_list($1)
             order by suggestions.note_id, suggestions.place"
        ),
        (notes,),
    )?)
}

/// A suggestion, and the discussion it stands in.
#[derive(Debug, Clone, FromRow)]
pub struct Open {
    pub discussion_id: String,
    #[nested]
    pub suggestion: Suggestion,
}

/// Those of discussions that were not applied, and whose lines are still there.
pub fn open_of_discussions(tx: &mut Tx<'_>, discussions: &[String]) -> Result<Vec<Open>> {
    Ok(tx.all(
        sql!(
            "select notes.discussion_id, ",
            Suggestion::COLUMNS,
            " from suggestions join notes on notes.id = suggestions.note_id
             where notes.discussion_id in_list($1) and not suggestions.is_outdated
                and suggestions.applied_commit_id is null
             order by suggestions.id"
        ),
        (discussions,),
    )?)
}

/// The notes about a merge request that suggest something which was not applied, and whose
/// lines are still there; the oldest.
pub fn open_notes(tx: &mut Tx<'_>, kind: &str, request_id: i64, most: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select notes.id from notes
             where notes.noteable_type = $1 and notes.noteable_id = $2 and exists
                (select 1 from suggestions where suggestions.note_id = notes.id
                    and not suggestions.is_outdated
                    and suggestions.applied_commit_id is null)
             order by notes.id limit $3"
        ),
        (kind, request_id, most),
    )?)
}

/// Writes what a note at a line suggests, in place of what it did.
pub fn replace(tx: &mut Tx<'_>, note_id: i64, line: u32, changes: &[Change]) -> Result<()> {
    tx.execute(sql!("delete from suggestions where note_id = $1"), (note_id,))?;
    for (place, change) in (0_i64..).zip(changes) {
        tx.execute(
            sql!(
                "insert into suggestions (note_id, place, lines_above, lines_below,
                    from_content, to_content)
                 values ($1, $2, $3, $4, $5, $6)"
            ),
            (
                note_id,
                place,
                i64::from(line.saturating_sub(change.from_line)),
                i64::from(change.to_line.saturating_sub(line)),
                &change.from_content,
                &change.to_content,
            ),
        )?;
    }
    Ok(())
}

/// Notes that the lines of these are other ones by now.
pub fn outdate(tx: &mut Tx<'_>, ids: &[i64]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    tx.execute(sql!("update suggestions set is_outdated = true where id in_list($1)"), (ids,))?;
    Ok(())
}

/// Notes a commit that is about to apply these.
pub fn note_commit(tx: &mut Tx<'_>, ids: &[i64], commit: ObjectId) -> Result<()> {
    tx.execute(
        sql!(
            "insert into suggestion_commits (suggestion_id, commit_id)
             select id, cast($2 as text) from suggestions where id in_list($1)
             on conflict do nothing"
        ),
        (ids, commit),
    )?;
    Ok(())
}

/// Those about a merge request that a commit applies, each with its discussion.
pub fn applied_by(
    tx: &mut Tx<'_>, kind: &str, request_id: i64, commit: ObjectId,
) -> Result<Vec<(i64, String)>> {
    Ok(tx.all(
        sql!(
            "select suggestions.id, notes.discussion_id from suggestion_commits
             join suggestions on suggestions.id = suggestion_commits.suggestion_id
             join notes on notes.id = suggestions.note_id
             where suggestion_commits.commit_id = $3 and notes.noteable_type = $1
                and notes.noteable_id = $2
             order by suggestions.id"
        ),
        (kind, request_id, commit),
    )?)
}

/// Notes that these were applied; commits that did not are forgotten.
pub fn apply(tx: &mut Tx<'_>, ids: &[i64], commit: ObjectId) -> Result<()> {
    tx.execute(
        sql!("update suggestions set applied_commit_id = $2 where id in_list($1)"),
        (ids, commit),
    )?;
    tx.execute(sql!("delete from suggestion_commits where suggestion_id in_list($1)"), (ids,))?;
    Ok(())
}
