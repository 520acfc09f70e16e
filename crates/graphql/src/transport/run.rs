//! Runs what was checked, one entry after another; where the caller asks for
//! it (`X-Service-Batch: atomic`), in one transaction that is kept if every
//! mutation succeeds.

use super::Step;
use super::answer::Answered;
use super::incoming::{Entry, Incoming};
use super::log;
use crate::deprecated_usage::Uses;
use crate::execute;
use crate::validation::{Checked, report};
use kernel::error::{CONFLICT, Error, Result};
use kernel::graph::{Context, Request, Table};
use kernel::shared_transaction::Together;
use std::sync::Arc;
use std::time::Instant;

/// How often entries that belong together are tried when others' changes get
/// in their way.
const TRIES: usize = 5;

/// The entries of a request on their way.
pub struct Run<'r> {
    pub incoming: &'r Incoming,
    pub table: &'r Arc<Table>,
    pub request: Arc<Request>,
    /// Where uses of deprecated members are counted.
    pub uses: &'r Uses,
}

impl Run<'_> {
    /// The answers to all entries, in their order.
    pub async fn all(&self, checked: &[Step<Arc<Checked>>]) -> Result<Vec<Answered>> {
        if !self.request.atomic {
            return Ok(self.until_failure(checked).await?.0);
        }
        // Nothing begins when a part cannot.
        if checked.iter().any(Step::is_err) {
            return Ok(checked.iter().map(undone).collect());
        }
        for _ in 0..TRIES {
            let work = async {
                let answers = self.until_failure(checked).await;
                let keep = answers.as_ref().is_ok_and(|(_, failed)| failed.is_none());
                (answers, keep)
            };
            let (mut answers, failed) = match self.incoming.app.together(work).await? {
                Together::Kept(answers) | Together::Undone(answers) => answers?,
                Together::Again => {
                    self.request.begin_anew();
                    continue;
                }
            };
            let Some(failed) = failed else {
                return Ok(answers);
            };
            let mut all: Vec<Answered> = checked.iter().map(undone).collect();
            if let Some((place, own)) = all.get_mut(failed).zip(answers.pop()) {
                *place = own;
            }
            return Ok(all);
        }
        Err(Error::Unavailable(CONFLICT.into()))
    }

    /// The answers up to the first mutation that fails, if those that follow
    /// depend on it, and which one that was. An entry sees what those before
    /// it changed.
    async fn until_failure(
        &self, checked: &[Step<Arc<Checked>>],
    ) -> Result<(Vec<Answered>, Option<usize>)> {
        let mut answers = Vec::with_capacity(checked.len());
        for (entry, step) in self.incoming.kind.entries().iter().zip(checked) {
            let (answer, failed) = match step {
                Err(errors) => (Answered::refused(errors), false),
                Ok(checked) => self.one(entry, checked).await?,
            };
            answers.push(answer);
            if failed && self.request.atomic {
                let at = answers.len() - 1;
                return Ok((answers, Some(at)));
            }
        }
        Ok((answers, None))
    }

    /// The answer to one entry, and whether it is a mutation that failed.
    async fn one(&self, entry: &Entry, checked: &Checked) -> Result<(Answered, bool)> {
        let extensions = entry.asks.extensions(self.table, checked);
        if entry.asks.dry_run {
            return Ok((Answered::scored(checked, extensions), false));
        }
        let began = Instant::now();
        let context = Context {
            request: self.request.clone(),
            table: self.table.clone(),
            score: checked.score,
            limit: checked.limit,
        };
        let outcome = execute::run(context, checked).await;
        self.note_deprecations(checked);
        log::operation(self.incoming, entry, checked, began.elapsed());
        let outcome = outcome.map_err(|error| whole(&error))?;
        let failed = !outcome.errors.is_empty() || self.request.has_failed();
        let failed = checked.is_mutation() && failed;
        Ok((Answered::of(outcome, checked, extensions), failed))
    }
}

impl Run<'_> {
    /// Counts deprecated members for the operator's report.
    fn note_deprecations(&self, checked: &Checked) {
        let Some(user) = self.incoming.viewer.user_id() else {
            return;
        };
        let used = report::deprecations(self.table, checked);
        if !used.is_empty() {
            self.uses.note(&self.incoming.app, user, used);
        }
    }
}

/// The answer of an entry that is not done.
fn undone(step: &Step<Arc<Checked>>) -> Answered {
    match step {
        Ok(checked) => Answered::undone(checked),
        Err(errors) => Answered::refused(errors),
    }
}

/// The refusal of the whole request that a failure below becomes.
fn whole(error: &Error) -> Error {
    match error {
        Error::Limited(seconds) => Error::Limited(*seconds),
        Error::Unavailable(text) => Error::Unavailable(text.clone()),
        other => Error::internal(other.to_string()),
    }
}
