//! Pages of what owners have, read for all owners at once.

use identity::graph::Tally;
use kernel::error::Result;
use kernel::graph::{Connection, Owned, Window};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// What each owner has, as the viewer sees it.
pub(crate) struct Listed<V> {
    rows: HashMap<i64, Vec<Arc<V>>>,
    /// The owners whose list the viewer sees.
    open: Vec<i64>,
    window: Window,
}

impl<V> Listed<V> {
    /// Rows in their order, those of `views` for whoever sees them; the two functions say
    /// which is which.
    pub(crate) fn of<R>(
        (rows, open, window): (Vec<Owned<R>>, Vec<i64>, Window),
        (row_id, view_id): (fn(&R) -> i64, fn(&V) -> i64),
        views: impl FnOnce(Vec<R>) -> Result<Vec<Arc<V>>>,
    ) -> Result<Listed<V>> {
        let order: Vec<(i64, i64)> = rows.iter().map(|one| (one.owner, row_id(&one.row))).collect();
        let views = views(rows.into_iter().map(|one| one.row).collect())?;
        let views: HashMap<i64, Arc<V>> = views.into_iter().map(|it| (view_id(&it), it)).collect();
        let mut rows: HashMap<i64, Vec<Arc<V>>> = HashMap::new();
        for (owner, id) in order {
            rows.entry(owner).or_default().extend(views.get(&id).cloned());
        }
        Ok(Listed { rows, open, window })
    }

    /// A page for each owner, none for those whose list the viewer does not see.
    pub(crate) fn pages(
        self, owners: &[i64], keys: fn(&V) -> Vec<Value>, tally: Arc<Tally>,
    ) -> Vec<Option<Connection<V>>> {
        let page = |owner: &i64| {
            let rows = self.rows.get(owner).cloned().unwrap_or_default();
            self.window.page_of(rows, keys)
        };
        let pages = tally.counts(owners.iter().map(page).collect(), owners.to_vec());
        let seen = pages.into_iter().zip(owners);
        seen.map(|(page, owner)| page.filter(|_| self.open.contains(owner))).collect()
    }

    /// The owners whose list the viewer sees.
    pub(crate) fn open(&self) -> Vec<i64> {
        self.open.clone()
    }
}
