//! Pages of lists, by number or by key.

use kernel::error::{Error, Result};
use kernel::http::paging::COUNT_LIMIT;
use kernel::http::{Paged, Paging, Start};
use kernel::time::Timestamp;
use serde_json::{Value, json};
use store::{Fragment, FromRow, Tx};

#[derive(Debug, Clone, Copy)]
pub enum KeyType {
    Text,
    Int,
    Time,
}

/// How a list is sorted; ties fall to the id.
#[derive(Debug, Clone)]
pub struct Order {
    pub by: String,
    /// Of which type, if pages can be found by it: then it is never null.
    pub key: Option<KeyType>,
    pub id: &'static str,
    pub descending: bool,
}

pub struct List {
    /// `select …`, without `from`.
    pub select: Fragment,
    pub from: Fragment,
    /// After `where`.
    pub condition: Fragment,
    pub order: Order,
}

impl List {
    /// Rows of a table as they stand, by this column, its id.
    pub fn by_id(table: &str, id: &'static str, condition: Fragment, descending: bool) -> List {
        List {
            select: Fragment::new(&format!("select {table}.*")),
            from: Fragment::new(table),
            condition,
            order: Order { by: id.to_owned(), key: Some(KeyType::Int), id, descending },
        }
    }
}

/// One page of a list; `key` gives the sort key and the id of a row.
pub fn page<R: FromRow>(
    tx: &mut Tx<'_>, list: List, paging: Paging, key: impl Fn(&R) -> (Value, i64),
) -> Result<Paged<R>> {
    let keyset = paging.is_keyset();
    if keyset && list.order.key.is_none() {
        let text = "Keyset pagination is not yet available for this type of request";
        return Err(Error::Exact(405, json!({"error": text, "message": text})));
    }
    let total = match keyset {
        true => None,
        false => Some(count(tx, &list.from, &list.condition)?),
    };
    let rows: Vec<R> = tx.query(query(list, &paging)?)?;
    Ok(match keyset {
        true => Paged::keyed(rows, paging, |row| {
            let (key, id) = key(row);
            vec![key, json!(id)]
        }),
        false => Paged::numbered(rows, paging, total),
    })
}

pub fn query(list: List, paging: &Paging) -> Result<Fragment> {
    let List { select, from, mut condition, order } = list;
    if let Start::After(Some(keys)) = &paging.start {
        after(&mut condition, &order, keys)?;
    }
    let direction = if order.descending { "desc" } else { "asc" };
    let mut query = select;
    query.raw(" from ").append(from).raw(" where ");
    query.append(condition).raw(" order by ");
    if order.by != order.id {
        let nulls = if order.key.is_none() { " nulls last" } else { "" };
        query.raw(&format!("{} {direction}{nulls}, ", order.by));
    }
    query.raw(&format!("{} {direction}", order.id));
    query.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok(query)
}

/// Rows of a condition, counted no further than lists tell.
pub fn count(tx: &mut Tx<'_>, from: &Fragment, condition: &Fragment) -> Result<i64> {
    let mut counted = Fragment::new("select count(*) from (select 1 from ");
    counted.append(from.clone()).raw(" where ").append(condition.clone());
    counted.push(" limit ", COUNT_LIMIT + 1).raw(") as counted");
    Ok(tx.query::<i64>(counted)?.into_iter().next().unwrap_or(0))
}

/// The key of a time, in microseconds.
pub fn time_key(at: Timestamp) -> Value {
    json!(at.as_microsecond())
}

fn after(condition: &mut Fragment, order: &Order, keys: &[Value]) -> Result<()> {
    let unusable = || Error::Parameters(vec!["cursor does not have a valid value".into()]);
    let [key, id] = keys else {
        return Err(unusable());
    };
    let id = id.as_i64().ok_or_else(unusable)?;
    let beyond = if order.descending { "<" } else { ">" };
    if order.by == order.id {
        condition.push(&format!(" and {} {beyond} ", order.id), id);
        return Ok(());
    }
    condition.raw(&format!(" and ({}, {}) {beyond} (", order.by, order.id));
    match order.key {
        Some(KeyType::Text) => condition.bind(key.as_str().ok_or_else(unusable)?),
        Some(KeyType::Int) => condition.bind(key.as_i64().ok_or_else(unusable)?),
        _ => {
            let at = key.as_i64().ok_or_else(unusable)?;
            condition.bind(Timestamp::from_microsecond(at).map_err(|_| unusable())?)
        }
    };
    condition.push(", ", id).raw(")");
    Ok(())
}
