//! Who takes part in issues, epics and merge requests.

use super::read_pages;
use crate::store::taking_part::{self as rows, WithPeople};
use identity::graph::{People, Person};
use identity::viewer::Viewer;
use kernel::graph::{Ask, Connection, Context, Fault, Key, Order, Window};
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

/// Ids of people in the order of their ids, and the people of all pages.
pub type PagesOfPeople = (Vec<Connection<i64>>, HashMap<i64, Arc<Person>>);

/// A page for each of these of who takes part.
pub async fn taking_part(
    of: WithPeople, ids: &[i64], ask: Ask, context: &Context,
) -> Result<PagesOfPeople, Fault> {
    let key = Key::int("people.user_id", Order::Asc);
    let window = ask.window(context, "participants", &[key])?;
    let asked = ids.to_vec();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        rows::taking_part(tx, viewer, of, &asked, window)
    };
    let keys = |id: &i64| vec![(*id).into()];
    let pages = read_pages(context, window, ids, read, keys).await?;
    let named = pages.iter().flat_map(|page| page.rows.iter().map(|(id, _)| **id));
    let named: Vec<i64> = named.collect();
    let people = context.load::<People>(named).await?;
    Ok((pages, people))
}
