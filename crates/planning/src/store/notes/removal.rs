//! Notes that go, and the discussions they began.

use super::{ISSUE, MERGE_REQUEST, Note, counted};
use crate::model::epics::EPIC;
use kernel::error::Result;
use store::{Tx, sql};

/// Discussions that notes began which name one of these things begin with the next note.
macro_rules! begin_again_without {
    ($names:literal) => {
        sql!(
            "update notes set begins = true, begins_in_public = not internal where id in
                (select min(answers.id) from notes named
                 join notes answers on answers.discussion_id = named.discussion_id
                 where named.",
            $names,
            " in_list($1) and answers.id <> named.id
                    and (answers.",
            $names,
            " is null or not answers.",
            $names,
            " in_list($1))
                 group by answers.discussion_id)"
        )
    };
}

pub fn delete(tx: &mut Tx<'_>, note: &Note) -> Result<()> {
    tx.execute(
        sql!("delete from award_emoji where awardable_type = 'Note' and awardable_id = $1"),
        (note.id,),
    )?;
    let began = sql!("delete from notes where id = $1 returning begins, begins_in_public");
    if let Some(began) = tx.optional::<(bool, bool)>(began, (note.id,))? {
        begin_again(tx, &note.discussion_id, began)?;
    }
    match note.is_system {
        true => Ok(()),
        false => counted(tx, note, -1),
    }
}

/// The next note of a discussion begins it, where the one that did is gone.
fn begin_again(tx: &mut Tx<'_>, discussion_id: &str, began: (bool, bool)) -> Result<()> {
    if began.0 {
        tx.execute(
            sql!(
                "update notes set begins = true where id =
                    (select id from notes where discussion_id = $1
                     order by created_at, id limit 1)"
            ),
            (discussion_id,),
        )?;
    }
    if began.1 {
        tx.execute(
            sql!(
                "update notes set begins_in_public = true where id =
                    (select id from notes where discussion_id = $1 and not internal
                     order by created_at, id limit 1)"
            ),
            (discussion_id,),
        )?;
    }
    Ok(())
}

/// Removes what refers by kind and id to things that go: all notes about them, awards,
/// to-dos and subscriptions.
pub fn forget(tx: &mut Tx<'_>, kind: &str, ids: &[i64]) -> Result<()> {
    // The database removes what names one of these, but not what answers that.
    let begin_again = match kind {
        ISSUE => Some(begin_again_without!("names_issue_id")),
        EPIC => Some(begin_again_without!("names_epic_id")),
        MERGE_REQUEST => Some(begin_again_without!("names_request_id")),
        _ => None,
    };
    if let Some(statement) = begin_again {
        tx.execute(statement, (ids,))?;
    }
    for statement in [
        sql!(
            "delete from award_emoji where awardable_type = 'Note' and awardable_id in
                (select id from notes where noteable_type = $1 and noteable_id in_list($2))"
        ),
        sql!("delete from notes where noteable_type = $1 and noteable_id in_list($2)"),
        sql!("delete from award_emoji where awardable_type = $1 and awardable_id in_list($2)"),
        sql!("delete from todos where target_type = $1 and target_id in_list($2)"),
        sql!("delete from subscriptions where target_type = $1 and target_id in_list($2)"),
    ] {
        tx.execute(statement, (kind, ids))?;
    }
    Ok(())
}
