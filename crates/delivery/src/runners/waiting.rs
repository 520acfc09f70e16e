//! Runners that ask for work: those known to this server, and those that were told of none.

use super::model::Runner;
use super::store;
use super::take::{self, Taken, Taker};
use crate::queue::{Bell, State};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::secrets::{Secret, digest};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a runner is believed to be as it was read.
const FRESH: Duration = Duration::from_secs(3);
/// How long a request is held open that asks for what comes next.
const HOLD: Duration = Duration::from_secs(50);
/// How long it is believed that there is nothing for a runner: what another server let it
/// have since, such as a project, rings no bell here.
const IDLE: Duration = Duration::from_secs(20);
/// How often it is written down that a machine was heard of.
const NOTE: Duration = Duration::from_secs(60);
/// Runners and machines that are remembered at once.
const MOST: usize = 20_000;

/// What a server remembers of runners.
#[derive(Default)]
pub struct KnownRunners {
    runners: Mutex<HashMap<Vec<u8>, (Instant, Arc<Runner>)>>,
    /// Until which state of the queue there was nothing for a runner as it then was, and
    /// when that was looked at; apart where its machines know refspecs.
    idle: Mutex<HashMap<(i64, bool), (State, jiff::Timestamp, Instant)>>,
    noted: Mutex<HashMap<(i64, String), Instant>>,
}

/// Makes room before a map grows too large: what is forgotten is read again.
fn bounded<K, V>(map: &mut HashMap<K, V>) {
    if map.len() >= MOST {
        map.clear();
    }
}

impl KnownRunners {
    /// The runner of a token.
    ///
    /// # Errors
    ///
    /// 403 where there is none.
    pub async fn by_token(&self, app: &App, token: &Secret) -> Result<Arc<Runner>> {
        let key = digest(token.expose());
        let known = |map: &HashMap<Vec<u8>, (Instant, Arc<Runner>)>| {
            map.get(&key).filter(|(at, _)| at.elapsed() < FRESH).map(|(_, it)| it.clone())
        };
        let lock = || self.runners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runner) = known(&lock()) {
            return Ok(runner);
        }
        let wanted = key.clone();
        let found = app.read_inline(move |tx| store::by_digest(tx, wanted.clone())).await?;
        let mut runners = lock();
        let Some(runner) = found.map(Arc::new) else {
            runners.remove(&key);
            return Err(Error::forbidden(""));
        };
        bounded(&mut runners);
        runners.insert(key, (Instant::now(), runner.clone()));
        Ok(runner)
    }

    /// Whether there was nothing for a runner, and nothing came since.
    fn is_idle(&self, by: &Taker, state: State) -> bool {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle.get(&(by.runner.id, by.knows_refspecs));
        known.is_some_and(|(then, as_it_was, at)| {
            (*then, *as_it_was) == (state, by.runner.updated_at) && at.elapsed() < IDLE
        })
    }

    fn found_nothing(&self, by: &Taker, state: State) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        bounded(&mut idle);
        let who = (by.runner.id, by.knows_refspecs);
        idle.insert(who, (state, by.runner.updated_at, Instant::now()));
    }

    /// Whether it is time to write down that a machine was heard of.
    pub fn is_to_note(&self, runner: i64, system: &str) -> bool {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (runner, system.to_owned());
        if noted.get(&key).is_some_and(|at| at.elapsed() < NOTE) {
            return false;
        }
        bounded(&mut noted);
        noted.insert(key, Instant::now());
        true
    }
}

/// What came of asking for a job.
pub enum Answer {
    Job(Box<Taken>),
    /// None, and the state of the queue to wait from.
    Nothing(String),
}

/// The next job of a runner. Who knows the state of the queue waits a while for what
/// comes next.
pub async fn next(app: &App, by: Taker, last_update: Option<&str>) -> Result<Answer> {
    let bell: Bell = app.plugged::<Bell>()?.clone();
    let known = app.kept::<KnownRunners>();
    let began = Instant::now();
    bell.look(app).await?;
    let mut state = bell.state();
    let waits = last_update == Some(bell.name_of(state).as_str());
    loop {
        if !by.runner.paused && !known.is_idle(&by, state) {
            if let Some(taken) = try_take(app, &by).await? {
                return Ok(Answer::Job(Box::new(taken)));
            }
            known.found_nothing(&by, state);
        }
        if !waits || bell.is_closed() || began.elapsed() >= HOLD {
            return Ok(Answer::Nothing(bell.name_of(state)));
        }
        bell.wait(state).await;
        bell.look(app).await?;
        state = bell.state();
    }
}

/// Takes a job if there is one: only then is something written.
async fn try_take(app: &App, by: &Taker) -> Result<Option<Taken>> {
    let (asks, by) = (by.clone(), by.clone());
    if !app.read_inline(move |tx| take::is_there(tx, &asks)).await? {
        return Ok(None);
    }
    app.write(move |tx| take::take(tx, &by)).await
}
