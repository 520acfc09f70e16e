//! What stands in the columns of a board: a statement for the cards of all columns,
//! and one for their numbers.

use crate::access::Scope;
use crate::model::boards::{Columns, Key};
use crate::model::{Issue, IssueState};
use crate::store::issues::TABLES;
use crate::store::issues::filter::IssueFilter;
use crate::store::issues::order::POSITION;
use crate::store::listing::Listing;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, by_owner};
use kernel::http::paging::COUNT_LIMIT;
use std::cmp::Reverse;
use std::collections::HashMap;
use store::{Fragment, Tx};

/// Which issues a board shows to whom.
pub struct Asked<'a> {
    pub viewer: &'a Viewer,
    pub scope: &'a Scope,
    pub filter: &'a IssueFilter,
    pub columns: &'a Columns,
}

/// How much stands in a column, counted no further than lists tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub cards: i64,
    pub weight: i64,
}

impl Asked<'_> {
    /// Condition: the issues of a column.
    fn condition(&self, tx: &Tx<'_>, key: Key) -> Fragment {
        let state = match key {
            Key::Closed => IssueState::Closed,
            Key::Open | Key::List(_) => IssueState::Opened,
        };
        let filter = IssueFilter { state: Some(state), ..self.filter.clone() };
        let mut condition = Issue::seen(tx, self.viewer, self.scope, &filter);
        let worn = "exists (select 1 from issue_labels worn where worn.issue_id = issues.id and";
        match key {
            Key::List(_) => {
                let label = self.columns.label(key).map_or(-1, |label| label.id);
                condition.raw(&format!(" and {worn}")).push(" worn.label_id = ", label).raw(")");
            }
            Key::Open if !self.columns.lists.is_empty() => {
                condition
                    .raw(&format!(" and not {worn}"))
                    .in_list("worn.label_id", self.columns.labels())
                    .raw(")");
            }
            Key::Open | Key::Closed => {}
        }
        condition
    }

    /// One statement out of one for each column.
    fn each(&self, keys: &[Key], part: impl Fn(Key) -> Fragment) -> Fragment {
        let mut query = Fragment::default();
        for (at, key) in keys.iter().enumerate() {
            let union = if at == 0 { "" } else { " union all " };
            query.raw(union).append(part(*key));
        }
        query
    }

    /// The cards of these columns, at most so many of each, in their order.
    pub fn cards(
        &self, tx: &mut Tx<'_>, keys: &[Key], most: impl Fn(Key) -> i64,
    ) -> Result<HashMap<i64, Vec<Issue>>> {
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        let part = |key: Key| {
            let mut part = Fragment::new(&format!(
                "select * from (select {}, cast({} as bigint) as owner from {TABLES} where ",
                Issue::COLUMNS,
                key.number()
            ));
            let order = match key {
                Key::Closed => "issues.closed_at desc nulls last",
                Key::Open | Key::List(_) => &format!("{POSITION} desc"),
            };
            part.append(self.condition(tx, key))
                .push(&format!(" order by {order}, issues.id desc limit "), most(key))
                .raw(") as cards");
            part
        };
        let query = self.each(keys, part);
        let found: Vec<Owned<Issue>> = tx.query(query)?;
        let mut cards = by_owner(found);
        // A union has no order.
        for (owner, issues) in &mut cards {
            match *owner == Key::Closed.number() {
                true => issues.sort_by_key(|issue| Reverse((issue.closed_at, issue.id))),
                false => issues.sort_by_key(|issue| Reverse((issue.relative_position, issue.id))),
            }
        }
        Ok(cards)
    }

    /// How much stands in these columns.
    pub fn counts(&self, tx: &mut Tx<'_>, keys: &[Key]) -> Result<HashMap<i64, Count>> {
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        let part = |key: Key| {
            let mut part = Fragment::new(&format!(
                "select cast({} as bigint), count(*), cast(coalesce(sum(counted.weight), 0) as bigint)
                 from (select issues.weight from {TABLES} where ",
                key.number()
            ));
            part.append(self.condition(tx, key))
                .push(" limit ", COUNT_LIMIT + 1)
                .raw(") as counted");
            part
        };
        let query = self.each(keys, part);
        let found: Vec<(i64, i64, i64)> = tx.query(query)?;
        let count = |(key, cards, weight)| (key, Count { cards, weight });
        Ok(found.into_iter().map(count).collect())
    }

    /// The card at the end of a column, or the one beside another.
    pub fn last(&self, tx: &mut Tx<'_>, key: Key, from_top: bool) -> Result<Option<i64>> {
        self.edge(tx, key, from_top, Fragment::default())
    }

    /// The card of the column right above or below an issue.
    pub fn beside(
        &self, tx: &mut Tx<'_>, key: Key, issue: &Issue, is_above: bool,
    ) -> Result<Option<i64>> {
        let beyond = if is_above { ">" } else { "<" };
        let mut test = Fragment::new(&format!(" and ({POSITION}, issues.id) {beyond} ("));
        test.bind(issue.relative_position).push(", ", issue.id).raw(")");
        self.edge(tx, key, !is_above, test)
    }

    fn edge(
        &self, tx: &mut Tx<'_>, key: Key, from_top: bool, test: Fragment,
    ) -> Result<Option<i64>> {
        let direction = if from_top { "desc" } else { "asc" };
        let mut query = Fragment::new(&format!("select issues.id from {TABLES} where "));
        query
            .append(self.condition(tx, key))
            .append(test)
            .raw(&format!(" order by {POSITION} {direction}, issues.id {direction} limit 1"));
        Ok(tx.query(query)?.into_iter().next())
    }
}
