//! Errors of a tracker elsewhere.

use super::{ErrorView, Errors};
use crate::errors::external::{self, ExternalError};
use crate::errors::model::Status;
use crate::errors::store::errors::{Filter, Sort};
use identity::graph::caller;
use kernel::error::Error;
use kernel::graph::{Ask, Connection, Context, Fault, Key, Order};
use std::sync::Arc;

/// An error of a tracker elsewhere, and its place in the list.
pub struct There(pub i64, pub ExternalError);

/// The page that a tracker elsewhere shows first.
pub async fn page(
    parent: &Errors, ask: &Ask, search: &str, sort: Sort, context: &Context,
) -> Result<Connection<ErrorView>, Fault> {
    const PLACES: [Key; 1] = [Key::int("place", Order::Asc)];
    let label = format!("tracker errors elsewhere {sort}");
    let window = ask.clone().window(context, &label, &PLACES)?;
    let (app, _) = caller(context)?;
    let filter = Filter {
        status: Some(Status::Unresolved),
        search: Some(search.to_owned()),
        sort: Some(sort),
    };
    let listed = external::list(&app, &parent.setting, &filter, None).await;
    let listed = listed.map_err(|error| match error {
        Error::Exact(_, body) => {
            let text = body["message"].as_str().unwrap_or_default();
            Fault::said("trackerUnavailable", text)
        }
        other => other.into(),
    })?;
    let shown = (1..).zip(&listed.errors).map(|(place, found)| {
        Arc::new(ErrorView {
            there: Some(There(place, found.clone())),
            ..parent.view(found.error.clone())
        })
    });
    let shown: Vec<Arc<ErrorView>> = shown.collect();
    let count = shown.len() as i64;
    let page = window.page_of_whole(&shown, |it| it.there.as_ref().map_or(0, |it| it.0));
    Ok(page.counted(move |_, limit| async move {
        Ok(limit.map_or(count, |limit| count.min(limit.saturating_add(1))))
    }))
}
