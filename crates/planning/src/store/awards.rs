//! Reactions by emoji.

use super::pages::{self, List};
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::{Paged, Paging};
use kernel::time::Timestamp;
use serde_json::json;
use store::{Fragment, FromRow, Tx, sql};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awardable {
    Issue(i64),
    Epic(i64),
    Note(i64),
    /// A thing of a room above, of the kind that its notes call it.
    Thing(&'static str, i64),
}

impl Awardable {
    fn kind(self) -> &'static str {
        match self {
            Awardable::Issue(_) => "Issue",
            Awardable::Epic(_) => "Epic",
            Awardable::Note(_) => "Note",
            Awardable::Thing(kind, _) => kind,
        }
    }

    pub fn id(self) -> i64 {
        match self {
            Awardable::Issue(id)
            | Awardable::Epic(id)
            | Awardable::Note(id)
            | Awardable::Thing(_, id) => id,
        }
    }
}

#[derive(Debug, Clone, FromRow)]
pub struct Award {
    pub id: i64,
    pub user_id: i64,
    pub awardable_type: String,
    pub awardable_id: i64,
    pub name: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Adds a reaction, unless the user has given it already.
pub fn insert(tx: &mut Tx<'_>, user_id: i64, to: Awardable, name: &str) -> Result<Option<Award>> {
    let now = tx.now();
    insert_at(tx, user_id, to, name, now)
}

/// The same, given earlier.
pub fn insert_at(
    tx: &mut Tx<'_>, user_id: i64, to: Awardable, name: &str, at: Timestamp,
) -> Result<Option<Award>> {
    let made: Option<Award> = tx.optional(
        sql!(
            "insert into award_emoji (user_id, awardable_type, awardable_id, name, created_at,
                updated_at) values ($1, $2, $3, $4, $5, $5)
             on conflict (awardable_type, awardable_id, name, user_id) do nothing returning *"
        ),
        (user_id, to.kind(), to.id(), name, at),
    )?;
    if made.is_some() {
        counted(tx, to, name, 1)?;
    }
    Ok(made)
}

/// Gives a thing that is new the reactions to another one.
pub fn copy(tx: &mut Tx<'_>, from: Awardable, to: Awardable) -> Result<()> {
    let names: Vec<String> = tx.all(
        sql!(
            "insert into award_emoji (user_id, awardable_type, awardable_id, name, created_at,
                updated_at)
             select user_id, $3, $4, name, created_at, updated_at from award_emoji
             where awardable_type = $1 and awardable_id = $2 returning name"
        ),
        (from.kind(), from.id(), to.kind(), to.id()),
    )?;
    for name in ["thumbsup", "thumbsdown"] {
        let count = names.iter().filter(|known| *known == name).count();
        counted(tx, to, name, i64::try_from(count).unwrap_or_default())?;
    }
    Ok(())
}

/// Keeps the counts of thumbs of an issue or epic.
fn counted(tx: &mut Tx<'_>, to: Awardable, name: &str, by: i64) -> Result<()> {
    let statement = match (to, name) {
        (Awardable::Issue(_), "thumbsup") => {
            sql!("update issues set upvotes = upvotes + $2 where id = $1")
        }
        (Awardable::Issue(_), "thumbsdown") => {
            sql!("update issues set downvotes = downvotes + $2 where id = $1")
        }
        (Awardable::Epic(_), "thumbsup") => {
            sql!("update epics set upvotes = upvotes + $2 where id = $1")
        }
        (Awardable::Epic(_), "thumbsdown") => {
            sql!("update epics set downvotes = downvotes + $2 where id = $1")
        }
        _ => return Ok(()),
    };
    tx.execute(statement, (to.id(), by))?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, to: Awardable, award: &Award) -> Result<()> {
    let gone = tx.execute(sql!("delete from award_emoji where id = $1"), (award.id,))?;
    match gone {
        0 => Ok(()),
        _ => counted(tx, to, &award.name, -1),
    }
}

pub fn find(tx: &mut Tx<'_>, to: Awardable, id: i64) -> Result<Option<Award>> {
    Ok(tx.optional(
        sql!(
            "select * from award_emoji
             where awardable_type = $1 and awardable_id = $2 and id = $3"
        ),
        (to.kind(), to.id(), id),
    )?)
}

pub fn of_user(tx: &mut Tx<'_>, to: Awardable, user_id: i64, name: &str) -> Result<Option<Award>> {
    Ok(tx.optional(
        sql!(
            "select * from award_emoji where awardable_type = $1 and awardable_id = $2
                and user_id = $3 and name = $4"
        ),
        (to.kind(), to.id(), user_id, name),
    )?)
}

/// How many have given this reaction.
pub fn count_of(tx: &mut Tx<'_>, to: Awardable, name: &str) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from award_emoji
             where awardable_type = $1 and awardable_id = $2 and name = $3"
        ),
        (to.kind(), to.id(), name),
    )?)
}

/// Reactions of one name.
#[derive(Debug, Clone, FromRow)]
pub struct Given {
    pub name: String,
    pub count: i64,
    /// How many of them are by the user who asks: one or none.
    pub own: i64,
}

/// Names of reactions that are shown of one thing.
const MOST_NAMES: i64 = 50;

/// The reactions to something by their names, in the order they came first.
pub fn given(tx: &mut Tx<'_>, to: Awardable, user_id: Option<i64>) -> Result<Vec<Given>> {
    Ok(tx.all(
        sql!(
            "select name, count(*) as count, count(*) filter (where user_id = $3) as own
             from award_emoji where awardable_type = $1 and awardable_id = $2
             group by name order by min(id) limit $4"
        ),
        (to.kind(), to.id(), user_id.unwrap_or(0), MOST_NAMES),
    )?)
}

/// A page for each of these, which are all issues or all notes, of the
/// reactions to it.
pub fn pages_of(tx: &mut Tx<'_>, to: &[Awardable], window: &Window) -> Result<Vec<Owned<Award>>> {
    let kind = to.first().map_or("", |first| first.kind());
    let ids: Vec<i64> = to.iter().map(|one| one.id()).collect();
    let mut from = Fragment::new(" from award_emoji where award_emoji.awardable_type = ");
    from.bind(kind).raw(" and").in_list("award_emoji.awardable_id", ids);
    let columns = "award_emoji.*";
    Ok(tx.query(window.narrow_each(columns, "award_emoji.awardable_id", from))?)
}

/// One page of the reactions to something, in the order they came.
pub fn list(tx: &mut Tx<'_>, to: Awardable, paging: Paging) -> Result<Paged<Award>> {
    let mut condition = Fragment::new("award_emoji.awardable_type = ");
    condition.bind(to.kind()).push(" and award_emoji.awardable_id = ", to.id());
    let list = List::by_id("award_emoji", "award_emoji.id", condition, false);
    pages::page(tx, list, paging, |award: &Award| (json!(award.id), award.id))
}

/// Takes a leaving user's thumbs out of the counts of issues and epics.
pub fn forget_user(tx: &mut Tx<'_>, user_id: i64) -> Result<()> {
    for statement in [
        sql!(
            "update issues set upvotes = upvotes - 1 where id in
                (select awardable_id from award_emoji where user_id = $1
                    and awardable_type = 'Issue' and name = 'thumbsup')"
        ),
        sql!(
            "update issues set downvotes = downvotes - 1 where id in
                (select awardable_id from award_emoji where user_id = $1
                    and awardable_type = 'Issue' and name = 'thumbsdown')"
        ),
        sql!(
            "update epics set upvotes = upvotes - 1 where id in
                (select awardable_id from award_emoji where user_id = $1
                    and awardable_type = 'Epic' and name = 'thumbsup')"
        ),
        sql!(
            "update epics set downvotes = downvotes - 1 where id in
                (select awardable_id from award_emoji where user_id = $1
                    and awardable_type = 'Epic' and name = 'thumbsdown')"
        ),
        sql!("delete from award_emoji where user_id = $1"),
    ] {
        tx.execute(statement, (user_id,))?;
    }
    Ok(())
}
