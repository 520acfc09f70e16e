//! Links between two issues, or between two epics. Each kind has a table of its own,
//! and the tables are alike.

use crate::model::{Link, LinkType};
use kernel::error::Result;
use store::{Tx, sql};

/// Most links that one issue or epic has.
pub const MOST: i64 = 500;

/// What is read of a link.
pub const COLUMNS: &str = "id, source_id, target_id, link_type, created_at, updated_at";
const SELECT: &str = store::concat!("select ", COLUMNS, " from ");

/// A table of links: the statements on it.
#[derive(Debug, Clone, Copy)]
pub struct LinkTable {
    of_one: &'static str,
    find: &'static str,
    insert: &'static str,
    delete: &'static str,
    reaches: &'static str,
}

/// The statements on the table of this name.
macro_rules! links_in {
    ($table:literal) => {
        LinkTable {
            of_one: sql!(
                SELECT,
                $table,
                " where source_id = $1 union ",
                SELECT,
                $table,
                " where target_id = $1 order by 1"
            ),
            find: sql!(SELECT, $table, " where id = $2 and (source_id = $1 or target_id = $1)"),
            insert: sql!(
                "insert into ",
                $table,
                " (source_id, target_id, lower_id, higher_id, link_type,
                    created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)
                 on conflict (lower_id, higher_id) do nothing returning ",
                COLUMNS
            ),
            delete: sql!("delete from ", $table, " where id = $1"),
            reaches: sql!(
                "with recursive blocked (id) as (
                    select target_id from ",
                $table,
                " where source_id = $1 and link_type = 'blocks'
                    union
                    select l.target_id from blocked join ",
                $table,
                " l on l.source_id = blocked.id
                    where l.link_type = 'blocks'
                 )
                 select id from blocked where id = $2"
            ),
        }
    };
}

pub const ISSUE_LINKS: LinkTable = links_in!("issue_links");
pub const EPIC_LINKS: LinkTable = links_in!("epic_links");

impl LinkTable {
    /// Links of an issue or epic, in the order they were made.
    pub fn of(&self, tx: &mut Tx<'_>, id: i64) -> Result<Vec<Link>> {
        Ok(tx.all(self.of_one, (id,))?)
    }

    /// The link of this id, if it is one of this issue or epic.
    pub fn find(&self, tx: &mut Tx<'_>, of: i64, id: i64) -> Result<Option<Link>> {
        Ok(tx.optional(self.find, (of, id))?)
    }

    /// Links the source to the target, unless they are linked already.
    pub fn insert(
        &self, tx: &mut Tx<'_>, (source, target): (i64, i64), link_type: LinkType,
    ) -> Result<Option<Link>> {
        let (lower, higher) = (source.min(target), source.max(target));
        let now = tx.now();
        Ok(tx.optional(self.insert, (source, target, lower, higher, link_type, now))?)
    }

    pub fn delete(&self, tx: &mut Tx<'_>, id: i64) -> Result<()> {
        tx.run(self.delete, (id,))
    }

    /// Whether one blocks another, be it over others between them.
    pub fn reaches(&self, tx: &mut Tx<'_>, from: i64, to: i64) -> Result<bool> {
        let found: Option<i64> = tx.optional(self.reaches, (from, to))?;
        Ok(found.is_some())
    }
}
