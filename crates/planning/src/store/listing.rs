//! Lists of issues, epics and merge requests: what is in a scope, passes a filter and is
//! sorted, the same for every interface.

use super::pages::{self, KeyType, List, Order};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use serde_json::Value;
use std::collections::HashMap;
use store::{Fragment, FromRow, Tx};

/// By what a list is sorted, and whether it runs from the greatest down.
#[derive(Debug, Clone, Copy)]
pub struct Sorting<B> {
    pub by: B,
    pub descending: bool,
}

/// A row that lists show.
pub trait Listing: FromRow {
    type Scope;
    type Filter;
    type By: Copy;
    /// `select …`, without `from`.
    const SELECT: &'static str;
    /// What follows `from`.
    const TABLES: &'static str;
    /// The column of its id.
    const ID: &'static str;

    /// Condition: those in a scope that the viewer may see and that pass.
    fn seen(tx: &Tx<'_>, viewer: &Viewer, scope: &Self::Scope, filter: &Self::Filter) -> Fragment;

    /// The expression of an order and the type of its key, where it has one.
    fn expression(by: Self::By) -> (&'static str, Option<KeyType>);

    /// Its key in an order, and its id.
    fn key(&self, by: Self::By) -> (Value, i64);
}

/// What [`list`] reads.
pub fn listed<L: Listing>(
    tx: &Tx<'_>, viewer: &Viewer, scope: &L::Scope, filter: &L::Filter, sorting: Sorting<L::By>,
) -> List {
    let (by, key) = L::expression(sorting.by);
    List {
        select: Fragment::new(L::SELECT),
        from: Fragment::new(L::TABLES),
        condition: L::seen(tx, viewer, scope, filter),
        order: Order {
            by: by.into(),
            key,
            id: L::ID,
            descending: sorting.descending,
        },
    }
}

/// One page of those in a scope that the viewer may see.
pub fn list<L: Listing>(
    tx: &mut Tx<'_>, viewer: &Viewer, scope: &L::Scope, filter: &L::Filter,
    sorting: Sorting<L::By>, paging: Paging,
) -> Result<Paged<L>> {
    let list = listed::<L>(tx, viewer, scope, filter, sorting);
    pages::page(tx, list, paging, |row: &L| row.key(sorting.by))
}

/// The rows of one page of it, where others count them.
pub fn rows<L: Listing>(
    tx: &mut Tx<'_>, viewer: &Viewer, scope: &L::Scope, filter: &L::Filter,
    sorting: Sorting<L::By>, paging: &Paging,
) -> Result<Vec<L>> {
    let list = listed::<L>(tx, viewer, scope, filter, sorting);
    let mut rows: Vec<L> = tx.query(pages::query(list, paging)?)?;
    rows.truncate(paging.per_page.unsigned_abs() as usize);
    Ok(rows)
}

/// How many of a scope pass, counted no further than lists tell.
pub fn count<L: Listing>(
    tx: &mut Tx<'_>, viewer: &Viewer, scope: &L::Scope, filter: &L::Filter,
) -> Result<i64> {
    let condition = L::seen(tx, viewer, scope, filter);
    pages::count(tx, &Fragment::new(L::TABLES), &condition)
}

/// How many rows each owner has, counted to at most `limit` and one more; what is counted
/// begins with its `from`.
pub fn counts_of(
    tx: &mut Tx<'_>, owner: &str, from: Fragment, limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let mut query = Fragment::new(&format!(
        "select owner, count(*) from (select {owner} as owner,
            row_number() over (partition by {owner}) as place"
    ));
    query.append(from).raw(") as counted");
    if let Some(limit) = limit {
        query.push(" where place <= ", limit.saturating_add(1));
    }
    query.raw(" group by owner");
    Ok(tx.query::<(i64, i64)>(query)?.into_iter().collect())
}
