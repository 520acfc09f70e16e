//! The rows of the lists of projects, some at a time.

use super::super::formats::rows::{Batch, Batches, Place};
use super::plan::Plan;
use super::{Interrupted, Reading};
use crate::dependencies::advisories;
use crate::dependencies::model::List;
use crate::dependencies::store as lists;
use ::store::{Tx, sql};
use kernel::error::Result;
use std::collections::{HashMap, VecDeque};
use std::io;

/// Rows that one transaction reads, and projects that it looks at.
const ROWS: usize = 500;
const PROJECTS: usize = 50;

/// What a format needs to know beside the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Nothing,
    /// What is known to be wrong, in short.
    Vulnerabilities,
    /// The same at length.
    Findings,
}

/// What is wanted to be known of some rows, beside them.
fn known(tx: &mut Tx<'_>, batches: Vec<Batch>, wanted: Wanted) -> Result<Batches> {
    let rows = batches.iter().flat_map(|batch| &batch.rows);
    let ids: Vec<i64> = rows.map(|row| row.id).collect();
    let mut all = Batches { batches, ..Batches::default() };
    match wanted {
        _ if ids.is_empty() => {}
        Wanted::Nothing => {}
        Wanted::Vulnerabilities => all.vulnerabilities = advisories::of(tx, &ids)?,
        Wanted::Findings => all.findings = advisories::findings(tx, &ids)?,
    }
    Ok(all)
}

/// How far reading is.
#[derive(Debug)]
struct Cursor {
    left: VecDeque<Place>,
    /// The list that is being read, and its last row so far.
    open: Option<(Place, List, i64)>,
}

/// What came of a step; none where the list that was being read is whole no more.
type Step = Option<(Cursor, Batches)>;

impl Cursor {
    fn is_at_end(&self) -> bool {
        self.left.is_empty() && self.open.is_none()
    }

    /// The next rows: of the list that is open, then of lists that follow.
    fn step(mut self, tx: &mut Tx<'_>, wanted: Wanted) -> Result<Step> {
        let mut batches: Vec<Batch> = Vec::new();
        let mut room = ROWS;
        if let Some((place, list, after)) = self.open.take() {
            if !is_whole(tx, list.id)? {
                return Ok(None);
            }
            self.read(tx, (place, list, after), &mut room, &mut batches)?;
        }
        let next: Vec<Place> = self.left.iter().take(PROJECTS).cloned().collect();
        let mut current = current_lists(tx, &next, room)?;
        for place in next {
            if room == 0 {
                break;
            }
            self.left.pop_front();
            if let Some(list) = current.remove(&place.project_id) {
                self.read(tx, (place, list, 0), &mut room, &mut batches)?;
            }
        }
        let batches = known(tx, batches, wanted)?;
        Ok(Some((self, batches)))
    }

    fn read(
        &mut self, tx: &mut Tx<'_>, (place, list, after): (Place, List, i64), room: &mut usize,
        batches: &mut Vec<Batch>,
    ) -> Result<()> {
        let limit = i64::try_from(*room).unwrap_or(i64::MAX);
        let rows = lists::page_of_list(tx, list.id, after, limit)?;
        *room = room.saturating_sub(rows.len());
        let sha = list.sha.clone();
        // A full page may have been the last one: the next is empty then.
        if let Some(last) = rows.last().filter(|_| *room == 0) {
            self.open = Some((place.clone(), list, last.id));
        }
        batches.push(Batch { place, sha, rows });
        Ok(())
    }
}

/// Whether a list still has all of its rows: they are taken away some time after another
/// took its place.
fn is_whole(tx: &mut Tx<'_>, list_id: i64) -> Result<bool> {
    let now = tx.now();
    let found: Option<i64> = tx.optional(
        sql!(
            "select id from dependency_lists
             where id = $1 and (is_current or ends_at > $2)"
        ),
        (list_id, now),
    )?;
    Ok(found.is_some())
}

/// The lists of those projects that have one, by project.
fn current_lists(tx: &mut Tx<'_>, next: &[Place], room: usize) -> Result<HashMap<i64, List>> {
    if next.is_empty() || room == 0 {
        return Ok(HashMap::new());
    }
    let ids: Vec<i64> = next.iter().map(|place| place.project_id).collect();
    let found = lists::current_of(tx, &ids)?;
    Ok(found.into_iter().map(|list| (list.project_id, list)).collect())
}

/// Gives all rows of a plan to a format.
pub fn all<F>(
    reading: &Reading<'_>, plan: &Plan, wanted: Wanted, mut format: F,
    take: impl Fn(&mut F, Batches) -> io::Result<()>,
) -> Result<F, Interrupted> {
    let mut cursor = Cursor { left: plan.places.clone().into(), open: None };
    while !cursor.is_at_end() {
        let step = reading.app.read(move |tx| {
            let step = cursor.step(tx, wanted)?;
            Ok((step, tx.statements()))
        });
        let (step, statements) = reading.runtime.block_on(step)?;
        reading.statements.set(reading.statements.get() + statements);
        let (next, batches) = step.ok_or(Interrupted::Replaced)?;
        take(&mut format, batches)?;
        cursor = next;
    }
    Ok(format)
}
