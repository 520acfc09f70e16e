//! A file of advisories is read, some at a time.

mod objects;

use super::matching::advisories_changed;
use super::model::{MOST, Tally};
use super::store::{self, Dated, loads};
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::jobs::{Failure, Job, Run};
use objects::Objects;
use sbom::osv;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Advisories of one transaction, and bytes of them.
const BATCH: usize = 200;
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Reads what an administrator brought.
#[derive(Debug, Serialize, Deserialize)]
pub struct LoadAdvisories {
    pub load: i64,
}

impl Job for LoadAdvisories {
    const NAME: &'static str = "delivery.load_advisories";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.load.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app.clone(), self.load);
        let load = app.read(move |tx| loads::by_id(tx, id)).await?;
        let Some(key) = load.and_then(|load| load.blob_key) else {
            return Ok(());
        };
        let tally = read(&app, &key).await?;
        let ended = app.write(move |tx| {
            if !run.end(tx)? {
                return Ok(());
            }
            loads::finish(tx, id, &tally)?;
            advisories_changed(tx)
        });
        Ok(ended.await?)
    }
}

/// Reads all of a file. What is no advisory is counted, and what follows it is read.
async fn read(app: &App, key: &str) -> Result<Tally> {
    let (_, bytes) = app.blobs().get(key, None).await?;
    let received = app.blobs().receive(bytes, None).await?;
    let mut tally = Tally::default();
    let mut room = MOST - app.read(store::count).await?;
    let mut objects = Objects::open(received.open()?)?;
    loop {
        let step = tokio::task::spawn_blocking(move || {
            let batch = Batch::read(&mut objects);
            (objects, batch)
        });
        let (rest, batch) = step.await.map_err(Error::internal)?;
        objects = rest;
        tally.add(batch.tally);
        room -= batch.advisories.len() as i64;
        if room < 0 {
            let reason = Some(format!("There is room for {MOST} advisories only."));
            tally.add(Tally { reason, ..Tally::default() });
            return Ok(tally);
        }
        let all: Arc<[Dated]> = batch.advisories.into();
        tally.add(app.write(move |tx| store::take(tx, &all)).await?);
        if batch.is_last {
            return Ok(tally);
        }
    }
}

/// Some advisories of a file.
#[derive(Default)]
struct Batch {
    advisories: Vec<Dated>,
    tally: Tally,
    is_last: bool,
}

impl Batch {
    fn read(objects: &mut Objects) -> Batch {
        let (mut batch, mut bytes) = (Batch::default(), 0);
        while batch.advisories.len() < BATCH && bytes < BATCH_BYTES {
            match objects.next() {
                None => {
                    batch.is_last = true;
                    break;
                }
                Some(Ok(object)) => {
                    bytes += object.len();
                    match dated(&object) {
                        Ok(advisory) => batch.advisories.push(advisory),
                        Err(reason) => batch.refuse(reason),
                    }
                }
                Some(Err(reason)) => batch.refuse(reason),
            }
        }
        batch
    }

    fn refuse(&mut self, reason: String) {
        self.tally.add(Tally { refused: 1, reason: Some(reason), ..Tally::default() });
    }
}

fn dated(object: &[u8]) -> std::result::Result<Dated, String> {
    let advisory = osv::read(object).map_err(|wrong| wrong.0)?;
    match advisory.modified.parse::<Timestamp>() {
        Ok(at) => Ok((at, advisory)),
        Err(_) => Err(format!("Advisory {} is invalid: modified is no time", advisory.id)),
    }
}
