//! Keeping what arrived. Deliveries of one project that come close together
//! go into one transaction ([`kernel::lanes`]), which counts them exactly; a
//! sender is answered after its commit. Two nodes that meet in the database
//! begin again, and the later one counts on.

use crate::alerts::jobs::{CloseIncident, News, RaiseIncident, TellOwners};
use crate::alerts::model::{AlertSetting, Status, Window};
use crate::alerts::payload::{Format, Incoming};
use crate::alerts::rules::prose::plain;
use crate::alerts::store::arrive::{self, New, Open, fingerprint_of_silence, noteable_of};
use crate::alerts::store::deliveries::{self, Entry};
use crate::alerts::store::integrations::{self, Receiver};
use crate::alerts::store::{settings, windows};
use crate::on_call::rules::escalation;
use jiff::{SignedDuration, Timestamp};
use kernel::app::App;
use kernel::error::{BestEffort, Result};
use kernel::jobs::enqueue_at;
use kernel::lanes::Lanes;
use kernel::limits::Limiter;
use planning::Noteable;
use planning::store::internal_ids::{self, Usage};
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
    /// How it was read.
    pub format: Format,
    /// Its alerts.
    pub items: Vec<Incoming>,
    /// Whether it stands in the integration's log.
    pub log: bool,
}

/// A request that was refused.
#[derive(Debug, Clone)]
pub struct Refused {
    /// What refused it.
    pub integration_id: i64,
    /// The status it was answered with.
    pub status: i64,
    /// Why.
    pub reason: &'static str,
}

#[derive(Debug, Clone)]
enum Item {
    Delivery(Delivery),
    Refused(Refused),
}

/// What became of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The alerts it was about: number and title.
    Kept(Vec<(i64, String)>),
    /// It ends an alert that is not open, and nothing else.
    Nothing,
    /// The integration receives nothing any more.
    Closed,
}

/// The queues of deliveries.
pub struct Arrivals {
    lanes: Lanes<i64, Item, Outcome>,
    noted: Limiter,
}

impl Default for Arrivals {
    fn default() -> Arrivals {
        Arrivals {
            lanes: Lanes::new(MOST, write),
            noted: Limiter::new("alert_refusals", NOTED, 60),
        }
    }
}

/// Keeps a delivery of a project.
pub async fn keep(app: &App, project_id: i64, delivery: Delivery) -> Result<Outcome> {
    let arrivals = app.kept::<Arrivals>();
    arrivals
        .lanes
        .run(app, project_id, Item::Delivery(delivery))
        .await
}

/// Notes a refusal when there is time for it.
pub fn note(app: &App, project_id: i64, refused: Refused) {
    let arrivals = app.kept::<Arrivals>();
    let key = refused.integration_id.to_string();
    if !arrivals.noted.check(&key, app.now()).allowed {
        return;
    }
    let app = app.clone();
    tokio::spawn(async move {
        let noted = arrivals
            .lanes
            .run(&app, project_id, Item::Refused(refused))
            .await;
        noted.best_effort("note a refused delivery");
    });
}

/// Which alert an item is about.
#[derive(Debug, Clone, Copy)]
enum Slot {
    /// One that was open before.
    Known(usize),
    /// One that is new.
    Fresh(usize),
}

struct Known {
    open: Open,
    added: i64,
    over: Option<Timestamp>,
    source: String,
}

struct Fresh<'i> {
    sent: &'i Incoming,
    integration_id: Option<i64>,
    events: i64,
    over: Option<Timestamp>,
    source: String,
    window: Option<String>,
}

/// What the deliveries of a transaction come to.
struct Batch<'i> {
    now: Timestamp,
    windows: Vec<Window>,
    /// Alerts that are open as far as the deliveries have been looked at.
    open: HashMap<String, Slot>,
    known: Vec<Known>,
    fresh: Vec<Fresh<'i>>,
}

fn write(tx: &mut Tx<'_>, project_id: &i64, items: &[Item]) -> Result<Vec<Outcome>> {
    let project_id = *project_id;
    let named = items.iter().filter_map(Item::integration_id).collect();
    let receiving = receiving(tx, project_id, named)?;
    let mut batch = Batch::read(tx, project_id, items, &receiving)?;
    let touched: Vec<Option<Vec<Slot>>> = items
        .iter()
        .map(|item| batch.take(item, &receiving))
        .collect();
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
    tx: &mut Tx<'_>,
    project_id: i64,
    ids: HashSet<i64>,
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

impl<'i> Batch<'i> {
    fn read(
        tx: &mut Tx<'_>,
        project_id: i64,
        items: &'i [Item],
        receiving: &HashMap<i64, Receiver>,
    ) -> Result<Batch<'i>> {
        let sent = items
            .iter()
            .filter_map(Item::delivery)
            .flat_map(|one| &one.items);
        let mut fingerprints: HashSet<&str> =
            sent.filter_map(|one| one.fingerprint.as_deref()).collect();
        let watched = receiving
            .values()
            .filter(|one| one.heartbeat_seconds.is_some());
        let silences: Vec<String> = watched.map(|one| fingerprint_of_silence(one.id)).collect();
        fingerprints.extend(silences.iter().map(String::as_str));
        let mut batch = Batch {
            now: tx.now(),
            windows: windows::open(tx, project_id)?,
            open: HashMap::new(),
            known: Vec::new(),
            fresh: Vec::new(),
        };
        for (fingerprint, open) in arrive::open(tx, project_id, &fingerprints)? {
            batch
                .open
                .insert(fingerprint, Slot::Known(batch.known.len()));
            batch.known.push(Known {
                open,
                added: 0,
                over: None,
                source: String::new(),
            });
        }
        Ok(batch)
    }

    /// Looks at what an item brings; nothing if it may not come in.
    fn take(&mut self, item: &'i Item, receiving: &HashMap<i64, Receiver>) -> Option<Vec<Slot>> {
        let delivery = item
            .delivery()
            .filter(|one| one.is_welcome(receiving, self.now))?;
        if let Some(id) = delivery.integration_id {
            // It is no longer silent.
            self.end(&fingerprint_of_silence(id), None, "Heartbeat");
        }
        let slots = delivery.items.iter();
        Some(
            slots
                .filter_map(|sent| self.take_one(sent, delivery.integration_id))
                .collect(),
        )
    }

    fn take_one(&mut self, sent: &'i Incoming, integration_id: Option<i64>) -> Option<Slot> {
        if let Some(at) = sent.over {
            return self.end(sent.fingerprint.as_deref()?, at, &sent.source);
        }
        let found = sent
            .fingerprint
            .as_ref()
            .and_then(|one| self.open.get(one).copied());
        match found {
            Some(Slot::Known(at)) => self.known[at].added += 1,
            Some(Slot::Fresh(at)) => self.fresh[at].events += 1,
            None => return Some(self.begin(sent, integration_id)),
        }
        found
    }

    fn begin(&mut self, sent: &'i Incoming, integration_id: Option<i64>) -> Slot {
        let concerns = |window: &&Window| {
            window.integration_id.is_none() || window.integration_id == integration_id
        };
        let window = self
            .windows
            .iter()
            .find(concerns)
            .map(|window| window.name.clone());
        let slot = Slot::Fresh(self.fresh.len());
        self.fresh.push(Fresh {
            sent,
            integration_id,
            events: 1,
            over: None,
            source: String::new(),
            window,
        });
        if let Some(fingerprint) = &sent.fingerprint {
            self.open.insert(fingerprint.clone(), slot);
        }
        slot
    }

    fn end(&mut self, fingerprint: &str, at: Option<Timestamp>, source: &str) -> Option<Slot> {
        let slot = self.open.remove(fingerprint)?;
        let at = at.unwrap_or(self.now);
        let (over, by) = match slot {
            Slot::Known(place) => {
                let known = &mut self.known[place];
                (&mut known.over, &mut known.source)
            }
            Slot::Fresh(place) => {
                let fresh = &mut self.fresh[place];
                (&mut fresh.over, &mut fresh.source)
            }
        };
        *over = Some(at);
        *by = source.to_owned();
        Some(slot)
    }

    /// Writes it all; the numbers of the new alerts in their order.
    fn write(&self, tx: &mut Tx<'_>, project_id: i64, setting: &AlertSetting) -> Result<Vec<i64>> {
        let mut notes: Vec<(Noteable, String)> = Vec::new();
        let met = self.known.iter();
        let met = met.filter(|one| one.added > 0 || one.over.is_some());
        let mut added: Vec<(i64, i64)> = met.map(|one| (one.open.id, one.added)).collect();
        arrive::count(tx, &added)?;
        let over = self.known.iter();
        let over = over.filter_map(|one| Some((one.open.id, one.over?)));
        arrive::end(tx, &over.collect::<Vec<_>>())?;
        for known in self.known.iter().filter(|one| one.over.is_some()) {
            notes.push((
                noteable_of(project_id, known.open.id),
                recovered(&known.source),
            ));
            follow_end(tx, known, setting)?;
        }
        let news = self.news(tx, project_id)?;
        let ids = arrive::insert(tx, project_id, &news)?;
        added.extend(ids.iter().copied().zip(news.iter().map(|new| new.events)));
        arrive::count_hour(tx, &added)?;
        for ((fresh, new), id) in self.fresh.iter().zip(&news).zip(&ids) {
            let about = noteable_of(project_id, *id);
            notes.push((
                about,
                format!("logged an alert from **{}**", plain(&fresh.sent.source)),
            ));
            if let Some(window) = &fresh.window {
                notes.push((
                    about,
                    format!(
                        "ignored it because of the maintenance window **{}**",
                        plain(window)
                    ),
                ));
            }
            if fresh.over.is_some() {
                notes.push((about, recovered(&fresh.source)));
            }
            follow_begin(tx, *id, new.status, setting)?;
        }
        let triggered = news.iter().zip(&ids);
        let triggered = triggered.filter(|(new, _)| new.status == Status::Triggered);
        let triggered: Vec<i64> = triggered.map(|(_, id)| *id).collect();
        escalation::begin(tx, project_id, &triggered)?;
        if !notes.is_empty() {
            let bot = identity::users::alert_bot(tx)?;
            planning::notes::system_all(tx, Some(bot), &notes)?;
        }
        Ok(news.iter().map(|new| new.iid).collect())
    }

    fn news(&self, tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<New<'i>>> {
        if self.fresh.is_empty() {
            return Ok(Vec::new());
        }
        let fingerprints = self
            .fresh
            .iter()
            .filter_map(|one| one.sent.fingerprint.clone());
        let lately = arrive::ended_lately(tx, project_id, fingerprints.collect())?;
        let count = self.fresh.len() as i64;
        let first = internal_ids::next_many(tx, Usage::Alerts, project_id, count)?;
        let numbered = self.fresh.iter().zip(first..);
        Ok(numbered
            .map(|(fresh, iid)| New {
                sent: fresh.sent,
                integration_id: fresh.integration_id,
                iid,
                status: match (fresh.over, &fresh.window) {
                    (Some(_), _) => Status::Resolved,
                    (None, Some(_)) => Status::Ignored,
                    (None, None) => Status::Triggered,
                },
                ended_at: fresh.over,
                events: fresh.events,
                flapping: fresh
                    .sent
                    .fingerprint
                    .as_ref()
                    .is_some_and(|one| lately.contains(one)),
            })
            .collect())
    }

    fn outcome(&self, item: &Item, touched: Option<Vec<Slot>>, iids: &[i64]) -> Outcome {
        let (Item::Delivery(delivery), Some(touched)) = (item, touched) else {
            return Outcome::Closed;
        };
        if touched.is_empty() && delivery.format == Format::Generic {
            return Outcome::Nothing;
        }
        let mut seen = HashSet::new();
        let alerts = touched.into_iter().map(|slot| match slot {
            Slot::Known(at) => (self.known[at].open.iid, self.known[at].open.title.clone()),
            Slot::Fresh(at) => (iids[at], self.fresh[at].sent.title.clone()),
        });
        Outcome::Kept(alerts.filter(|(iid, _)| seen.insert(*iid)).collect())
    }
}

/// Notes what integrations received and that they did.
fn log(
    tx: &mut Tx<'_>,
    items: &[Item],
    outcomes: &[Outcome],
    receiving: &HashMap<i64, Receiver>,
) -> Result<()> {
    let mut entries = Vec::new();
    let mut heard = HashSet::new();
    for (item, outcome) in items.iter().zip(outcomes) {
        let Some(one) = item.integration_id().and_then(|id| receiving.get(&id)) else {
            continue;
        };
        let (status, reason, iids) = match (item, outcome) {
            (Item::Refused(refused), _) => (refused.status, Some(refused.reason), Vec::new()),
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
            entries.push(Entry {
                integration_id: one.id,
                status,
                reason,
                iids,
            });
        }
    }
    deliveries::write(tx, &entries)
}

fn follow_begin(tx: &mut Tx<'_>, id: i64, status: Status, setting: &AlertSetting) -> Result<()> {
    let now = tx.now();
    if status != Status::Triggered {
        return Ok(());
    }
    if setting.create_issue {
        enqueue_at(tx, &RaiseIncident { alert: id }, now)?;
    }
    tell(tx, id, News::Began, setting)
}

fn follow_end(tx: &mut Tx<'_>, known: &Known, setting: &AlertSetting) -> Result<()> {
    let now = tx.now();
    if setting.auto_close_incident && known.open.issue_id.is_some() {
        enqueue_at(
            tx,
            &CloseIncident {
                alert: known.open.id,
            },
            now,
        )?;
    }
    match known.open.status {
        Status::Ignored => Ok(()),
        _ => tell(tx, known.open.id, News::Ended, setting),
    }
}

fn tell(tx: &mut Tx<'_>, alert: i64, news: News, setting: &AlertSetting) -> Result<()> {
    let now = tx.now();
    match setting.send_email {
        true => enqueue_at(tx, &TellOwners { alert, news }, now),
        false => Ok(()),
    }
}

fn recovered(source: &str) -> String {
    format!("logged a recovery alert from **{}**", plain(source))
}
