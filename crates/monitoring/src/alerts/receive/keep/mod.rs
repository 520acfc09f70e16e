//! Keeping what arrived. Deliveries of one project that come close together
//! go into one transaction ([`kernel::keyed_batcher`]), which counts them exactly; a
//! sender is answered after its commit. Two nodes that meet in the database
//! begin again, and the later one counts on.

mod batch;

use self::batch::{Batch, Slot};
use crate::alerts::payload::{Format, Incoming};
use crate::alerts::store::deliveries::{self, Entry};
use crate::alerts::store::integrations::{self, Receiver};
use crate::alerts::store::settings;
use jiff::{SignedDuration, Timestamp};
use kernel::app::App;
use kernel::error::{BestEffort, Result};
use kernel::keyed_batcher::KeyedBatcher;
use kernel::limits::Limiter;
use std::collections::{HashMap, HashSet};
use store::Tx;

/// Most deliveries kept in one transaction.
const MOST: usize = 256;
/// Refusals noted of an integration in a minute.
const NOTED: u64 = 20;

/// What one request brought.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// What received it; nothing where the program itself reports.
    pub integration_id: Option<i64>,
    /// The sealed key with which it came in; none where a user sends it.
    pub key: Option<String>,
    pub format: Format,
    pub items: Vec<Incoming>,
    /// Whether it stands in the integration's log.
    pub log: bool,
}

#[derive(Debug, Clone)]
enum Item {
    Delivery(Delivery),
    /// What a refusal is noted as.
    Refused(Entry),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The alerts it was about: number and title.
    Kept(Vec<(i64, String)>),
    /// It ends an alert that is not open, and nothing else.
    Nothing,
    Closed,
}

/// The queues of deliveries.
pub struct Arrivals {
    lanes: KeyedBatcher<i64, Item, Outcome>,
    noted: Limiter,
}

impl Default for Arrivals {
    fn default() -> Arrivals {
        Arrivals {
            lanes: KeyedBatcher::new(MOST, write),
            noted: Limiter::new("alert_refusals", NOTED, 60),
        }
    }
}

pub async fn keep(app: &App, project_id: i64, delivery: Delivery) -> Result<Outcome> {
    let arrivals = app.kept::<Arrivals>();
    arrivals.lanes.run(app, project_id, Item::Delivery(delivery)).await
}

/// Notes a refusal when there is time for it.
pub fn note(app: &App, project_id: i64, refused: Entry) {
    let arrivals = app.kept::<Arrivals>();
    let key = refused.integration_id.to_string();
    if !arrivals.noted.check(&key, app.now()).allowed {
        return;
    }
    let app = app.clone();
    tokio::spawn(async move {
        let noted = arrivals.lanes.run(&app, project_id, Item::Refused(refused)).await;
        noted.best_effort("note a refused delivery");
    });
}

fn write(tx: &mut Tx<'_>, project_id: &i64, items: &[Item]) -> Result<Vec<Outcome>> {
    let project_id = *project_id;
    let named = items.iter().filter_map(Item::integration_id).collect();
    let receiving = receiving(tx, project_id, named)?;
    let mut batch = Batch::read(tx, project_id, items, &receiving)?;
    let touched: Vec<Option<Vec<Slot>>> =
        items.iter().map(|item| batch.take(item, &receiving)).collect();
    let setting = settings::of_project(tx, project_id)?;
    let iids = batch.write(tx, project_id, &setting)?;
    let outcomes: Vec<Outcome> = items
        .iter()
        .zip(touched)
        .map(|(item, touched)| batch.outcome(item, touched, &iids))
        .collect();
    log(tx, items, &outcomes, &receiving)?;
    Ok(outcomes)
}

/// Those of these integrations that still receive something.
fn receiving(
    tx: &mut Tx<'_>, project_id: i64, ids: HashSet<i64>,
) -> Result<HashMap<i64, Receiver>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = integrations::among(tx, project_id, ids.into_iter().collect())?;
    Ok(found.into_iter().map(|one| (one.id, one)).collect())
}

impl Item {
    fn integration_id(&self) -> Option<i64> {
        match self {
            Item::Delivery(delivery) => delivery.integration_id,
            Item::Refused(refused) => Some(refused.integration_id),
        }
    }

    fn delivery(&self) -> Option<&Delivery> {
        match self {
            Item::Delivery(delivery) => Some(delivery),
            Item::Refused(_) => None,
        }
    }
}

impl Delivery {
    /// Whether it may still come in: the integration is active, and the key
    /// that it came with still opens it.
    fn is_welcome(&self, receiving: &HashMap<i64, Receiver>, now: Timestamp) -> bool {
        let Some(id) = self.integration_id else {
            return true;
        };
        let one = receiving.get(&id).filter(|one| one.active);
        let opens = |one: &Receiver| match &self.key {
            Some(key) => one.is_opened_by(key, now),
            None => true,
        };
        one.is_some_and(opens)
    }
}

/// Notes what integrations received and that they did.
fn log(
    tx: &mut Tx<'_>, items: &[Item], outcomes: &[Outcome], receiving: &HashMap<i64, Receiver>,
) -> Result<()> {
    let mut entries = Vec::new();
    let mut heard = HashSet::new();
    for (item, outcome) in items.iter().zip(outcomes) {
        let Some(one) = item.integration_id().and_then(|id| receiving.get(&id)) else {
            continue;
        };
        let (status, reason, iids) = match (item, outcome) {
            (Item::Refused(refused), _) => (refused.status, refused.reason, Vec::new()),
            (_, Outcome::Kept(alerts)) => (200, None, alerts.iter().map(|(iid, _)| *iid).collect()),
            (_, Outcome::Nothing) => (400, Some("ends no open alert"), Vec::new()),
            (_, Outcome::Closed) => (401, Some("the key was reset"), Vec::new()),
        };
        let is_heard = item.delivery().is_some() && *outcome != Outcome::Closed;
        if is_heard && heard.insert(one.id) {
            let seconds = one.heartbeat_seconds.map(SignedDuration::from_secs);
            let due = seconds.and_then(|seconds| tx.now().checked_add(seconds).ok());
            integrations::received(tx, one.id, due)?;
        }
        if item.delivery().is_none_or(|delivery| delivery.log) {
            entries.push(Entry { integration_id: one.id, status, reason, iids });
        }
    }
    deliveries::write(tx, &entries)
}
