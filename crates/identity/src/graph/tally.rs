//! Counting the lists of many owners at once.

use super::viewer;
use crate::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result as Outcome;
use kernel::graph::{Connection, Context, Fault};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use store::Tx;
use tokio::sync::Mutex;

pub fn caller(context: &Context) -> Result<(App, Viewer), Fault> {
    Ok((context.app()?.clone(), viewer(context)))
}

type Count =
    Box<dyn Fn(&mut Tx<'_>, &Viewer, Option<i64>) -> Outcome<HashMap<i64, i64>> + Send + Sync>;

/// Counts the lists of all owners of a level when the first of them is asked.
pub struct Tally {
    count: Count,
    known: Mutex<HashMap<Option<i64>, HashMap<i64, i64>>>,
}

impl Tally {
    /// `count` gives the rows of each owner, to at most the number it is given
    /// and one more; owners without rows may be left out.
    pub fn new(
        count: impl Fn(&mut Tx<'_>, &Viewer, Option<i64>) -> Outcome<HashMap<i64, i64>>
        + Send
        + Sync
        + 'static,
    ) -> Arc<Tally> {
        Arc::new(Tally { count: Box::new(count), known: Mutex::default() })
    }

    /// The rows of one owner, to at most `limit` and one more.
    pub async fn of(
        self: Arc<Self>, context: &Context, owner: i64, limit: Option<i64>,
    ) -> Result<i64, Fault> {
        Ok(self.known(context, owner, limit).await?.unwrap_or(0))
    }

    /// The same, unless the owner was left out.
    pub async fn known(
        self: Arc<Self>, context: &Context, owner: i64, limit: Option<i64>,
    ) -> Result<Option<i64>, Fault> {
        let mut known = self.known.lock().await;
        let found = match known.entry(limit) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(place) => {
                let ((app, viewer), tally) = (caller(context)?, self.clone());
                let found = app.read(move |tx| (tally.count)(tx, &viewer, limit));
                place.insert(found.await?)
            }
        };
        Ok(found.get(&owner).copied())
    }

    /// Pages that are counted when they are asked for it, each as its owner's.
    pub fn counts<T>(
        self: Arc<Self>, pages: Vec<Connection<T>>, owners: Vec<i64>,
    ) -> Vec<Option<Connection<T>>> {
        let counted = |(page, owner): (Connection<T>, i64)| {
            let tally = self.clone();
            Some(page.counted(move |context, limit| {
                let tally = tally.clone();
                async move { tally.of(&context, owner, limit).await }
            }))
        };
        pages.into_iter().zip(owners).map(counted).collect()
    }
}
