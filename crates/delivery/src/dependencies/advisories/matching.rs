//! Dependencies and advisories find each other, whenever one of them changes.

use super::store::matches::{self, Candidate, Matches};
use ::store::Tx;
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use sbom::osv::Package;
use sbom::purl::{self, Parts};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Dependencies of one transaction, and what is read at once of what is said of them.
const BATCH: i64 = 500;

/// A list has become the current one of its project.
///
/// # Errors
///
/// Where the job cannot be written.
pub fn list_changed(tx: &mut Tx<'_>, list_id: i64) -> Result<()> {
    let now = tx.now();
    enqueue_at(tx, &MatchList { list: list_id }, now)
}

/// Advisories have come or gone.
pub fn advisories_changed(tx: &mut Tx<'_>) -> Result<()> {
    let now = tx.now();
    enqueue_at(tx, &MatchAll {}, now)
}

/// Looks for the dependencies of a list.
#[derive(Debug, Serialize, Deserialize)]
pub struct MatchList {
    pub list: i64,
}

impl Job for MatchList {
    const NAME: &'static str = "delivery.match_advisories";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.list.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        Ok(match_list(&run.app, self.list).await?)
    }
}

/// Looks for the dependencies of all lists.
#[derive(Debug, Serialize, Deserialize)]
pub struct MatchAll {}

impl Job for MatchAll {
    const NAME: &'static str = "delivery.match_all_advisories";

    fn dedupe_key(&self) -> Option<String> {
        Some("all".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        let mut list = 0;
        while let Some(next) = app.read(move |tx| matches::next_list(tx, list)).await? {
            match_list(&app, next).await?;
            list = next;
        }
        Ok(())
    }
}

async fn match_list(app: &App, list: i64) -> Result<()> {
    let mut after = Some(0);
    while let Some(place) = after {
        after = app.write(move |tx| match_some(tx, list, place)).await?;
    }
    Ok(())
}

/// Looks for some dependencies; the last of them, unless there are no more.
fn match_some(tx: &mut Tx<'_>, list: i64, after: i64) -> Result<Option<i64>> {
    let all = matches::candidates(tx, list, after, BATCH)?;
    let by_key = by_key(&all);
    let mut found = Matches::default();
    let mut place = (!by_key.is_empty()).then_some(0);
    while let Some(from) = place {
        let keys = by_key.keys().cloned().collect();
        let some = matches::about(tx, keys, from, BATCH)?;
        for about in &some {
            for (id, purl, parts) in by_key.get(&about.package_key).into_iter().flatten() {
                if about.affected.0.is_about(purl, parts) {
                    found.add(*id, about);
                }
            }
        }
        place = some.last().map(|last| last.id);
    }
    matches::replace(tx, &all, &found)?;
    Ok(all.last().map(|last| last.id))
}

type Wanted<'a> = (i64, &'a str, Parts);

fn by_key(all: &[Candidate]) -> HashMap<String, Vec<Wanted<'_>>> {
    let mut by_key: HashMap<String, Vec<Wanted<'_>>> = HashMap::new();
    for one in all {
        let Some(purl) = one.purl.as_deref() else { continue };
        let (Some(parts), Some(package)) = (purl::parse(purl), Package::of_purl(purl)) else {
            continue;
        };
        by_key.entry(package.key()).or_default().push((one.id, purl, parts));
    }
    by_key
}
