//! What the deliveries of one transaction come to: alerts that are new, those
//! that go on or are over, and what follows from that.

use super::{Item, Outcome};
use crate::alerts::model::{AlertSetting, Status, Window};
use crate::alerts::payload::{Format, Incoming};
use crate::alerts::rules::prose::plain;
use crate::alerts::store::arrive::{self, New, Open, fingerprint_of_silence, noteable_of};
use crate::alerts::store::integrations::Receiver;
use crate::alerts::store::windows;
use crate::on_call::rules::escalation;
use crate::tasks::{CloseIncident, News, RaiseIncident, TellOwners};
use jiff::Timestamp;
use kernel::error::Result;
use kernel::jobs::enqueue_at;
use planning::Noteable;
use planning::store::internal_ids::{self, Usage};
use std::collections::{HashMap, HashSet};
use store::Tx;

/// Which alert an item is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slot {
    /// One that was open before.
    Known(usize),
    Fresh(usize),
}

/// When an alert ended, and who said so.
type End = (Timestamp, String);

struct Known {
    open: Open,
    added: i64,
    over: Option<End>,
}

struct Fresh<'i> {
    sent: &'i Incoming,
    integration_id: Option<i64>,
    events: i64,
    over: Option<End>,
    window: Option<String>,
}

pub(super) struct Batch<'i> {
    now: Timestamp,
    windows: Vec<Window>,
    /// Alerts that are open as far as the deliveries have been looked at.
    open: HashMap<String, Slot>,
    known: Vec<Known>,
    fresh: Vec<Fresh<'i>>,
}

impl<'i> Batch<'i> {
    pub(super) fn read(
        tx: &mut Tx<'_>, project_id: i64, items: &'i [Item], receiving: &HashMap<i64, Receiver>,
    ) -> Result<Batch<'i>> {
        let sent = items.iter().filter_map(Item::delivery).flat_map(|one| &one.items);
        let mut fingerprints: HashSet<&str> =
            sent.filter_map(|one| one.fingerprint.as_deref()).collect();
        let watched = receiving.values().filter(|one| one.heartbeat_seconds.is_some());
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
            batch.open.insert(fingerprint, Slot::Known(batch.known.len()));
            batch.known.push(Known { open, added: 0, over: None });
        }
        Ok(batch)
    }

    /// Looks at what an item brings; nothing if it may not come in.
    pub(super) fn take(
        &mut self, item: &'i Item, receiving: &HashMap<i64, Receiver>,
    ) -> Option<Vec<Slot>> {
        let delivery = item.delivery().filter(|one| one.is_welcome(receiving, self.now))?;
        if let Some(id) = delivery.integration_id {
            // It is no longer silent.
            self.end(&fingerprint_of_silence(id), None, "Heartbeat");
        }
        let slots = delivery.items.iter();
        Some(slots.filter_map(|sent| self.take_one(sent, delivery.integration_id)).collect())
    }

    fn take_one(&mut self, sent: &'i Incoming, integration_id: Option<i64>) -> Option<Slot> {
        if let Some(at) = sent.over {
            return self.end(sent.fingerprint.as_deref()?, at, &sent.source);
        }
        let found = sent.fingerprint.as_ref().and_then(|one| self.open.get(one).copied());
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
        let window = self.windows.iter().find(concerns).map(|window| window.name.clone());
        let slot = Slot::Fresh(self.fresh.len());
        self.fresh.push(Fresh { sent, integration_id, events: 1, over: None, window });
        if let Some(fingerprint) = &sent.fingerprint {
            self.open.insert(fingerprint.clone(), slot);
        }
        slot
    }

    fn end(&mut self, fingerprint: &str, at: Option<Timestamp>, source: &str) -> Option<Slot> {
        let slot = self.open.remove(fingerprint)?;
        let at = at.unwrap_or(self.now);
        let over = match slot {
            Slot::Known(place) => &mut self.known[place].over,
            Slot::Fresh(place) => &mut self.fresh[place].over,
        };
        *over = Some((at, source.to_owned()));
        Some(slot)
    }

    /// Writes it all; the numbers of the new alerts in their order.
    pub(super) fn write(
        &self, tx: &mut Tx<'_>, project_id: i64, setting: &AlertSetting,
    ) -> Result<Vec<i64>> {
        let mut notes: Vec<(Noteable, String)> = Vec::new();
        let met = self.known.iter();
        let met = met.filter(|one| one.added > 0 || one.over.is_some());
        let mut added: Vec<(i64, i64)> = met.map(|one| (one.open.id, one.added)).collect();
        arrive::count(tx, &added)?;
        self.end_known(tx, project_id, setting, &mut notes)?;
        let news = self.news(tx, project_id)?;
        let ids = arrive::insert(tx, project_id, &news)?;
        added.extend(ids.iter().copied().zip(news.iter().map(|new| new.events)));
        arrive::count_hour(tx, &added)?;
        for (fresh, id) in self.fresh.iter().zip(&ids) {
            let about = noteable_of(project_id, *id);
            notes.extend(fresh.notes().map(|text| (about, text)));
        }
        let triggered = news.iter().zip(&ids);
        let triggered = triggered.filter(|(new, _)| new.status == Status::Triggered);
        let triggered: Vec<i64> = triggered.map(|(_, id)| *id).collect();
        for id in &triggered {
            follow_begin(tx, *id, setting)?;
        }
        escalation::begin(tx, project_id, &triggered)?;
        if !notes.is_empty() {
            let bot = identity::users::alert_bot(tx)?;
            planning::notes::system_all(tx, Some(bot), &notes)?;
        }
        Ok(news.iter().map(|new| new.iid).collect())
    }

    /// Ends those alerts that were open before and are over.
    fn end_known(
        &self, tx: &mut Tx<'_>, project_id: i64, setting: &AlertSetting,
        notes: &mut Vec<(Noteable, String)>,
    ) -> Result<()> {
        let over = self.known.iter();
        let over = over.filter_map(|one| Some((one.open.id, one.over.as_ref()?.0)));
        arrive::end(tx, &over.collect::<Vec<_>>())?;
        for Known { open, over, .. } in &self.known {
            if let Some((_, source)) = over {
                notes.push((noteable_of(project_id, open.id), recovered(source)));
                follow_end(tx, open, setting)?;
            }
        }
        Ok(())
    }

    fn news(&self, tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<New<'i>>> {
        if self.fresh.is_empty() {
            return Ok(Vec::new());
        }
        let fingerprints = self.fresh.iter().filter_map(|one| one.sent.fingerprint.clone());
        let lately = arrive::ended_lately(tx, project_id, fingerprints.collect())?;
        let count = self.fresh.len() as i64;
        let first = internal_ids::next_many(tx, Usage::Alerts, project_id, count)?;
        let numbered = self.fresh.iter().zip(first..);
        Ok(numbered
            .map(|(fresh, iid)| New {
                sent: fresh.sent,
                integration_id: fresh.integration_id,
                iid,
                status: match (&fresh.over, &fresh.window) {
                    (Some(_), _) => Status::Resolved,
                    (None, Some(_)) => Status::Ignored,
                    (None, None) => Status::Triggered,
                },
                ended_at: fresh.over.as_ref().map(|(at, _)| *at),
                events: fresh.events,
                flapping: fresh.sent.fingerprint.as_ref().is_some_and(|one| lately.contains(one)),
            })
            .collect())
    }

    pub(super) fn outcome(&self, item: &Item, touched: Option<Vec<Slot>>, iids: &[i64]) -> Outcome {
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

impl Fresh<'_> {
    /// What happened to it, in words.
    fn notes(&self) -> impl Iterator<Item = String> {
        let began = format!("logged an alert from **{}**", plain(&self.sent.source));
        let ignored = self
            .window
            .as_deref()
            .map(plain)
            .map(|window| format!("ignored it because of the maintenance window **{window}**"));
        let ended = self.over.as_ref().map(|(_, source)| recovered(source));
        [Some(began), ignored, ended].into_iter().flatten()
    }
}

fn follow_begin(tx: &mut Tx<'_>, id: i64, setting: &AlertSetting) -> Result<()> {
    let now = tx.now();
    if setting.create_issue {
        enqueue_at(tx, &RaiseIncident { alert: id }, now)?;
    }
    tell(tx, id, News::Began, setting)
}

fn follow_end(tx: &mut Tx<'_>, open: &Open, setting: &AlertSetting) -> Result<()> {
    let now = tx.now();
    if setting.auto_close_incident && open.issue_id.is_some() {
        enqueue_at(tx, &CloseIncident { alert: open.id }, now)?;
    }
    match open.status {
        Status::Ignored => Ok(()),
        _ => tell(tx, open.id, News::Ended, setting),
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
