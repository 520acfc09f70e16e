//! Pages of issues and epics, of both or of one kind, and how they are sorted.

use super::sorts::sort_of;
use super::{mapped, read_pages};
use crate::store::items::{self as rows, Item, Items, Placed};
use identity::viewer::Viewer;
use kernel::graph::{Ask, Connection, Context, Fault, Key, Order, Window};
use kernel::ids::fold;
use kernel::time::{Date, Timestamp};
use serde_json::Value as Json;
use std::sync::Arc;
use store::Tx;

#[derive(Debug, Clone, Copy)]
enum By {
    Created,
    Updated,
    Title,
    Start,
    Due,
}

/// An order by its name in the enums of orders.
#[derive(Debug, Clone, Copy)]
pub struct Sorted {
    by: By,
    order: Order,
}

impl Sorted {
    pub fn named(name: Option<&str>) -> Sorted {
        let (by, order) = sort_of(name);
        let by = match by.as_str() {
            "updated" => By::Updated,
            "title" => By::Title,
            "start_date" => By::Start,
            "due_date" | "end_date" => By::Due,
            _ => By::Created,
        };
        Sorted { by, order }
    }

    fn keys(self) -> [Key; 2] {
        let key = match (self.by, self.order) {
            (By::Created, order) => Key::time("items.created_at", order),
            (By::Updated, order) => Key::time("items.updated_at", order),
            (By::Title, order) => Key::text("items.title_folded", order),
            (By::Start, Order::Asc) => Key::text("items.start_up", Order::Asc),
            (By::Start, Order::Desc) => Key::text("items.start_down", Order::Desc),
            (By::Due, Order::Asc) => Key::text("items.due_up", Order::Asc),
            (By::Due, Order::Desc) => Key::text("items.due_down", Order::Desc),
        };
        [key, Key::int("items.id", self.order)]
    }

    fn values(self, item: &Item) -> Vec<Json> {
        let (start, due) = days(item);
        let (made, changed) = times(item);
        let first = match self.by {
            By::Created => Key::instant(made),
            By::Updated => Key::instant(changed),
            By::Title => fold(title(item)).into(),
            By::Start => self.day(start),
            By::Due => self.day(due),
        };
        vec![first, item.id().into()]
    }

    /// A day as lists are sorted by it, where those without one come last.
    fn day(self, day: Option<Date>) -> Json {
        match (day, self.order) {
            (Some(day), _) => day.to_string().into(),
            (None, Order::Asc) => "9999-99-99".into(),
            (None, Order::Desc) => "".into(),
        }
    }
}

fn title(item: &Item) -> &str {
    match item {
        Item::Issue(issue) => &issue.title,
        Item::Epic(epic) => &epic.title,
    }
}

fn times(item: &Item) -> (Timestamp, Timestamp) {
    match item {
        Item::Issue(issue) => (issue.created_at, issue.updated_at),
        Item::Epic(epic) => (epic.created_at, epic.updated_at),
    }
}

/// The days an item begins and is due.
fn days(item: &Item) -> (Option<Date>, Option<Date>) {
    match item {
        Item::Issue(issue) => (None, issue.due_on),
        Item::Epic(epic) => (epic.start_on(), epic.due_on()),
    }
}

/// A page for each owner, each row made of an item.
pub async fn sorted<T>(
    (ids, items): (&[i64], Items), sorted: Sorted, ask: Ask, context: &Context,
    shown: impl Fn(&Item) -> Option<T>,
) -> Result<Vec<Connection<T>>, Fault> {
    let name = format!("work items {:?} {:?}", sorted.by, sorted.order);
    let window = ask.window(context, &name, &sorted.keys())?;
    pages((ids, items), window, context, |it| sorted.values(&it.item), shown).await
}

const PLACES: [Key; 3] = [
    Key::int("items.rank", Order::Asc),
    Key::int("items.position", Order::Asc),
    Key::int("items.id", Order::Asc),
];

/// The same in the order that is kept of them: epics, then issues.
pub async fn placed<T>(
    of: (&[i64], Items), ask: Ask, context: &Context, shown: impl Fn(&Item) -> Option<T>,
) -> Result<Vec<Connection<T>>, Fault> {
    let window = ask.window(context, "placed work items", &PLACES)?;
    let keys = |it: &Placed| {
        let rank = i64::from(matches!(it.item, Item::Issue(_)));
        vec![rank.into(), it.position.into(), it.item.id().into()]
    };
    pages(of, window, context, keys, shown).await
}

async fn pages<T>(
    (ids, items): (&[i64], Items), window: Window, context: &Context,
    keys: impl Fn(&Placed) -> Vec<Json>, shown: impl Fn(&Item) -> Option<T>,
) -> Result<Vec<Connection<T>>, Fault> {
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        rows::pages_of(tx, viewer, &items, window)
    };
    let pages = read_pages(context, window, ids, read, keys).await?;
    let shown = |it: &Placed| shown(&it.item).map(Arc::new);
    Ok(pages.into_iter().map(|page| mapped(page, shown)).collect())
}
