//! The open errors of projects, page by page.

use super::{ErrorView, Errors, elsewhere};
use crate::errors::model::Tracked;
use crate::errors::store::errors::Sort;
use crate::errors::store::read;
use identity::graph::Tally;
use identity::graph::caller;
use kernel::graph::connection::by_owner;
use kernel::graph::{Args, Ask, Connection, Context, Fault, Key, Order};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::sync::Arc;

pub async fn listed(
    parents: Vec<Arc<Errors>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<ErrorView>>>, Fault> {
    let search: Option<String> = args.get("searchTerm")?;
    let search = search.unwrap_or_default();
    let name: Option<String> = args.get("sort")?;
    let name = name.unwrap_or_default().to_lowercase();
    let sort = Sort::from_text(&name).unwrap_or(Sort::LastSeen);
    let (here, there): (Vec<_>, Vec<_>) =
        parents.iter().cloned().partition(|parent| parent.setting.integrated);
    let mut pages = received(here, &ask, &search, sort, &context).await?;
    for parent in there {
        match elsewhere::page(&parent, &ask, &search, sort, &context).await {
            Ok(page) => {
                pages.insert(parent.project.id, page);
            }
            Err(fault) if parents.len() == 1 => return Err(fault),
            // One tracker that is away does not hide what others tell.
            Err(_) => {}
        }
    }
    let of = |parent: &Arc<Errors>| pages.remove(&parent.project.id);
    Ok(parents.iter().map(of).collect())
}

async fn received(
    parents: Vec<Arc<Errors>>, ask: &Ask, search: &str, sort: Sort, context: &Context,
) -> Result<HashMap<i64, Connection<ErrorView>>, Fault> {
    let ids: Vec<i64> = parents.iter().map(|it| it.project.id).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let window = ask.clone().window(context, &format!("tracker errors {sort}"), &keys(sort))?;
    let (app, _) = caller(context)?;
    let tally = {
        let (ids, words) = (ids.clone(), search.to_owned());
        Tally::new(move |tx, _, limit| read::open_counts(tx, &ids, &words, limit))
    };
    let (asked, words) = (ids.clone(), search.to_owned());
    let read = app.read(move |tx| {
        let rows = read::open_errors(tx, asked, &words, &window)?;
        Ok((rows, window))
    });
    let (rows, window) = read.await?;
    let mut found: HashMap<i64, Vec<Tracked>> = by_owner(rows);
    let pages = parents.into_iter().map(|parent| {
        let rows = found.remove(&parent.project.id).unwrap_or_default();
        let rows = rows.into_iter().map(|error| parent.view(error));
        window.page(rows.collect(), |it: &ErrorView| values(sort, &it.error))
    });
    let pages = tally.counts(pages.collect(), ids.clone()).into_iter();
    let owned = ids.into_iter().zip(pages);
    Ok(owned.filter_map(|(id, page)| Some((id, page?))).collect())
}

fn keys(sort: Sort) -> [Key; 2] {
    let by = match sort {
        Sort::LastSeen => Key::time("e.last_seen_at", Order::Desc),
        Sort::FirstSeen => Key::time("e.first_seen_at", Order::Desc),
        Sort::Frequency => Key::int("e.events_count", Order::Desc),
    };
    [by, Key::int("e.id", Order::Desc)]
}

fn values(sort: Sort, error: &Tracked) -> Vec<Json> {
    let by = match sort {
        Sort::LastSeen => Key::instant(error.last_seen_at),
        Sort::FirstSeen => Key::instant(error.first_seen_at),
        Sort::Frequency => json!(error.events_count),
    };
    vec![by, json!(error.id)]
}
