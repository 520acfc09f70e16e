//! A card goes to another column, or to another place in its own: a change of the
//! issue by the rules of its page, and its place, in one transaction.

use crate::access::{ProjectAccess, Scope, desk_to_write, visible};
use crate::model::Issue;
use crate::model::boards::{Columns, Key};
use crate::rules::issues::{IssueInput, StateEvent, requests};
use crate::store::boards::cards::Asked;
use crate::store::issues as rows;
use crate::store::issues::filter::IssueFilter;
use crate::store::issues::order::{self, Side};
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use store::{Fragment, Tx};

/// Where in its column a card goes.
#[derive(Debug, Clone, Copy)]
pub enum Spot {
    /// Between these issues; the first that is there still tells the place.
    Between {
        below: Option<i64>,
        above: Option<i64>,
    },
    Top,
    Bottom,
    /// One place up or down in the column it is in.
    Up,
    Down,
}

#[derive(Debug, Clone, Copy)]
pub struct CardMove {
    pub issue_id: i64,
    pub from: Key,
    pub to: Key,
    pub spot: Spot,
}

/// The board that cards are moved on.
pub struct Table<'t> {
    pub viewer: &'t Viewer,
    pub scope: &'t Scope,
    pub columns: &'t Columns,
}

const GONE: &str = "This issue is gone, or you may no longer see it.";
const RIGHTS: &str = "Only reporters of its project move this issue.";
const NO_COLUMN: &str = "That column is gone: somebody changed the board. Reload the page.";

impl Table<'_> {
    /// Moves a card; the issue as it then is.
    pub fn carry(&self, tx: &mut Tx<'_>, asked: CardMove) -> Result<Issue> {
        let (desk, issue) = self.card(tx, asked.issue_id)?;
        if !desk.is_reporter() {
            return Err(Error::forbidden(RIGHTS));
        }
        for key in [asked.from, asked.to] {
            if matches!(key, Key::List(id) if self.columns.list(id).is_none()) {
                return Err(Error::Conflict(NO_COLUMN.into()));
            }
        }
        let worn = rows::label_ids(tx, issue.id)?;
        if !self.stands_in(asked.from, &issue, &worn) {
            let title = self.columns.title(asked.from);
            let text = format!(
                "#{} is no longer in {title}: somebody changed it meanwhile. Reload the page.",
                issue.iid
            );
            return Err(Error::Conflict(text));
        }
        let change = self.change(&issue, &worn, asked);
        let issue = match change.is_empty() {
            true => issue,
            false => requests::edit(tx, self.viewer, &desk, &issue, &change)?,
        };
        if asked.to != Key::Closed {
            self.place(tx, &issue, asked)?;
        }
        Ok(issue)
    }

    /// Puts a new issue on top of the cards of its column.
    pub fn put_on_top(
        &self, tx: &mut Tx<'_>, issue: &Issue, key: Key, filter: &IssueFilter,
    ) -> Result<()> {
        let (viewer, scope, columns) = (self.viewer, self.scope, self.columns);
        match (Asked { viewer, scope, filter, columns }).last(tx, key, true)? {
            Some(top) => order::put(tx, issue.id, Side::Above, top),
            None => Ok(()),
        }
    }

    fn card(&self, tx: &mut Tx<'_>, id: i64) -> Result<(ProjectAccess, Issue)> {
        let gone = || Error::NotFoundText(GONE.into());
        let issue = self.seen(tx, &[id])?.pop().ok_or_else(gone)?;
        match desk_to_write(tx, self.viewer, &Reference::Id(issue.project_id)) {
            Ok(desk) => Ok((desk, issue)),
            Err(Error::Forbidden(_)) => Err(Error::forbidden(RIGHTS)),
            Err(error) => Err(error),
        }
    }

    /// Those of these issues that the board shows to the viewer.
    fn seen(&self, tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Issue>> {
        let mut condition: Fragment = visible(tx, self.viewer, self.scope);
        condition.raw(" and").in_list("issues.id", ids);
        rows::of_condition(tx, condition)
    }

    fn stands_in(&self, key: Key, issue: &Issue, worn: &[i64]) -> bool {
        match key {
            Key::Closed => !issue.is_open(),
            Key::Open => {
                issue.is_open() && !self.columns.labels().iter().any(|id| worn.contains(id))
            }
            Key::List(_) => {
                let label = self.columns.label(key);
                issue.is_open() && label.is_some_and(|label| worn.contains(&label.id))
            }
        }
    }

    /// What becomes of the issue: of a column of a label it takes the label in place
    /// of the one it comes from; Open and Closed have none of the board's labels.
    fn change(&self, issue: &Issue, worn: &[i64], asked: CardMove) -> IssueInput {
        let mut change = IssueInput::default();
        if asked.from == asked.to {
            return change;
        }
        let label = |key: Key| self.columns.label(key).map(|label| label.id);
        match asked.to {
            Key::List(_) => {
                change.wears.add_label_ids = label(asked.to).into_iter().collect();
                change.wears.remove_label_ids = label(asked.from).into_iter().collect();
            }
            Key::Open | Key::Closed => {
                change.wears.remove_label_ids =
                    self.columns.labels().into_iter().filter(|id| worn.contains(id)).collect();
            }
        }
        change.state_event = match (issue.is_open(), asked.to) {
            (true, Key::Closed) => Some(StateEvent::Close),
            (false, Key::Open | Key::List(_)) => Some(StateEvent::Reopen),
            _ => None,
        };
        change
    }

    fn place(&self, tx: &mut Tx<'_>, issue: &Issue, asked: CardMove) -> Result<()> {
        let all = IssueFilter::default();
        let cards = Asked {
            viewer: self.viewer,
            scope: self.scope,
            filter: &all,
            columns: self.columns,
        };
        let (side, beside) = match asked.spot {
            Spot::Between { below, above } => return self.put_between(tx, issue, below, above),
            Spot::Top => (Side::Above, cards.last(tx, asked.to, true)?),
            Spot::Bottom => (Side::Below, cards.last(tx, asked.to, false)?),
            Spot::Up => (Side::Above, cards.beside(tx, asked.to, issue, true)?),
            Spot::Down => (Side::Below, cards.beside(tx, asked.to, issue, false)?),
        };
        match beside {
            Some(beside) => order::put(tx, issue.id, side, beside),
            None => Ok(()),
        }
    }

    /// Right below the one, or else right above the other, whichever is there still.
    fn put_between(
        &self, tx: &mut Tx<'_>, issue: &Issue, below: Option<i64>, above: Option<i64>,
    ) -> Result<()> {
        let named: Vec<i64> = below.into_iter().chain(above).collect();
        if named.is_empty() {
            return Ok(());
        }
        let there = self.seen(tx, &named)?;
        let is_there = |id: &i64| there.iter().any(|one| one.id == *id);
        match (below.filter(is_there), above.filter(is_there)) {
            (Some(id), _) => order::put(tx, issue.id, Side::Below, id),
            (None, Some(id)) => order::put(tx, issue.id, Side::Above, id),
            (None, None) => Ok(()),
        }
    }
}
