//! SQLite's one writer: a thread that commits queued writes together.

use crate::config::Context;
use crate::sqlite_engine::Connection;
use crate::store::stopping;
use crate::tx::{Session, Tx, attempt};
use crate::work::{Ended, Work};
use crate::{Error, Result};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How long a group goes on taking queued writes before it commits.
const GROUP_TIME: Duration = Duration::from_millis(100);

/// A queued write. It may run more than once before it is answered.
pub(crate) struct Job {
    work: Work,
    context: Arc<Context>,
    reply: oneshot::Sender<Result<()>>,
    /// How the last run ended.
    ended: Option<Ended>,
}

impl Job {
    /// A write, and where its end is told: whether it is durable or has failed
    /// by itself.
    pub(crate) fn new(work: Work, context: Arc<Context>) -> (Job, oneshot::Receiver<Result<()>>) {
        let (reply, answer) = oneshot::channel();
        let job = Job { work, context, reply, ended: None };
        (job, answer)
    }

    /// Whether nobody waits for the answer.
    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    /// Runs the closure in the open transaction; true if it succeeded.
    fn run(&mut self, session: &mut dyn Session) -> bool {
        let run = &mut |tx: &mut Tx<'_>| self.work.run(tx);
        let ended = attempt(session, &self.context, run);
        self.ended.insert(ended).is_done()
    }

    /// Answers with what the last run gave, or with the group's failure.
    fn answer(self, committed: Result<()>) {
        let result = match (self.ended, committed) {
            (Some(Ended::Done(_)) | None, Err(error)) => Err(error),
            (Some(ended), _) => ended.finish(),
            (None, Ok(())) => Err(stopping()),
        };
        self.reply.send(result).ok();
    }
}

/// How a group of writes ended.
enum Group {
    /// All is durable.
    Committed,
    /// One write undid the whole transaction and was answered; the others
    /// have to run again.
    Lost,
    /// The transaction did not begin or did not commit.
    Refused(Error),
}

/// The writer's thread: ends when the store is dropped.
pub(crate) fn write_queue(mut connection: Connection, queue: &Receiver<Job>, size: usize) {
    let mut again = VecDeque::new();
    let mut alone = 0_usize;
    while let Some(first) = again.pop_front().or_else(|| queue.recv().ok()) {
        let limit = if alone > 0 { 1 } else { size };
        alone = alone.saturating_sub(1);
        let mut more = || again.pop_front().or_else(|| queue.try_recv().ok());
        let (group, outcome) = run_group(&mut connection, first, limit, &mut more);
        let retry = match &outcome {
            Group::Committed => false,
            Group::Lost => true,
            // A deferred constraint: one of them is guilty, so each runs alone.
            Group::Refused(Error::Foreign) if group.len() > 1 => {
                alone = group.len();
                true
            }
            Group::Refused(_) => false,
        };
        if retry {
            group.into_iter().rev().for_each(|job| again.push_front(job));
            continue;
        }
        for job in group {
            job.answer(match &outcome {
                Group::Refused(error) => Err(error.clone()),
                _ => Ok(()),
            });
        }
    }
}

fn run_group(
    connection: &mut Connection, first: Job, limit: usize, more: &mut dyn FnMut() -> Option<Job>,
) -> (Vec<Job>, Group) {
    if let Err(error) = connection.control("begin immediate") {
        return (vec![first], Group::Refused(error));
    }
    let started = Instant::now();
    let mut group = Vec::new();
    let mut next = Some(first);
    while let Some(mut job) = next {
        if !job.is_abandoned() {
            if let Err(error) = run_job(connection, &mut job) {
                connection.rollback();
                job.answer(Err(error));
                return (group, Group::Lost);
            }
            group.push(job);
        }
        let open = group.len() < limit && started.elapsed() < GROUP_TIME;
        next = if open { more() } else { None };
    }
    match connection.control("commit") {
        Ok(()) => (group, Group::Committed),
        Err(error) => {
            connection.rollback();
            (group, Group::Refused(error))
        }
    }
}

/// Runs one write of a group; an error means the whole group is undone.
fn run_job(connection: &mut Connection, job: &mut Job) -> Result<()> {
    connection.control("savepoint job")?;
    let kept = job.run(connection);
    if connection.is_lost() {
        return Err(Error::Engine("the statement undid its transaction".to_owned()));
    }
    if !kept {
        connection.control("rollback to job")?;
    }
    connection.control("release job")
}
