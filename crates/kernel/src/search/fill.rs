//! The job that indexes what was there before its index: after an update, after
//! a backup was restored, which holds no index.

use super::{BATCH, Source, Sources, put};
use crate::error::Result;
use crate::jobs::{Failure, Job, Registry, RegistryBuilder, Run, enqueue};
use serde::{Deserialize, Serialize};
use store::{Fragment, Tx, sql};

/// How often it looks whether an index has to be filled, in seconds.
const PERIOD: i64 = 600;

/// Registers it.
pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add_periodic::<FillIndexes>(PERIOD);
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct FillIndexes {}

impl Job for FillIndexes {
    const NAME: &'static str = "search.fill";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> std::result::Result<(), Failure> {
        if run.app.read(|tx| Ok(unfilled(tx)?.is_empty())).await? {
            return Ok(());
        }
        let (mut done, total) = (0, run.app.read(|tx| Ok(things(tx)?)).await?);
        while let Some(filled) = run.app.write(|tx| Ok(step(tx)?)).await? {
            done += filled;
            run.progress(done.min(total), total).await;
        }
        Ok(())
    }
}

/// The indexes to fill, and the ids up to which that is done.
fn unfilled(tx: &mut Tx<'_>) -> store::Result<Vec<(&'static Source, i64)>> {
    let begun: Vec<(String, i64, bool)> =
        tx.all(sql!("select name, filled_to, is_done from search_fills"), ())?;
    let sources = tx.plugged::<Sources>()?;
    let state = |source: &&'static Source| {
        let known = begun.iter().find(|(name, ..)| name == source.index);
        match known {
            Some((.., true)) => None,
            Some((_, filled_to, _)) => Some((*source, *filled_to)),
            None => Some((*source, 0)),
        }
    };
    Ok(sources.0.iter().filter_map(state).collect())
}

/// The indexes that hold everything.
pub fn filled(tx: &mut Tx<'_>) -> Result<Vec<&'static Source>> {
    let unfilled: Vec<&str> = unfilled(tx)?.iter().map(|(source, _)| source.index).collect();
    let mut all = tx.plugged::<Sources>()?.0.clone();
    all.retain(|source| !unfilled.contains(&source.index));
    Ok(all)
}

/// An index, and whether it holds everything.
#[derive(Debug)]
pub struct Filling {
    /// The index.
    pub index: &'static str,
    /// It holds everything.
    pub is_full: bool,
}

/// All indexes, in the order they are filled in.
pub fn fillings(tx: &mut Tx<'_>) -> Result<Vec<Filling>> {
    let unfilled: Vec<&str> = unfilled(tx)?.iter().map(|(source, _)| source.index).collect();
    let filling = |source: &&'static Source| Filling {
        index: source.index,
        is_full: !unfilled.contains(&source.index),
    };
    Ok(tx.plugged::<Sources>()?.0.iter().map(filling).collect())
}

/// Has an index written again from its first thing on, by the job; nothing where
/// there is no such index.
pub fn again(tx: &mut Tx<'_>, registry: &Registry, index: &str) -> Result<Option<&'static str>> {
    let sources = tx.plugged::<Sources>()?;
    let Some(source) = sources.0.iter().find(|source| source.index == index) else {
        return Ok(None);
    };
    tx.execute(sql!("delete from search_fills where name = $1"), (source.index,))?;
    enqueue(tx, registry, &FillIndexes {})?;
    Ok(Some(source.index))
}

/// How many things are still to be indexed.
fn things(tx: &mut Tx<'_>) -> store::Result<i64> {
    let mut total = 0;
    for (source, filled_to) in unfilled(tx)? {
        let mut count = Fragment::new(&format!("select count(*) from ({}", source.select));
        count.push(&format!("{} > ", source.id), filled_to).raw(") as things");
        total += tx.query::<i64>(count)?.into_iter().sum::<i64>();
    }
    Ok(total)
}

/// Fills indexes until a batch of things is done; how many, or none once all
/// indexes are full.
fn step(tx: &mut Tx<'_>) -> store::Result<Option<i64>> {
    let mut filled = None;
    for (source, filled_to) in unfilled(tx)? {
        let mut texts = Fragment::new(source.select);
        texts
            .push(&format!("{} > ", source.id), filled_to)
            .raw(&format!(" order by {}", source.id))
            .push(" limit ", BATCH as i64);
        let ids = put(tx, source, texts)?;
        let is_done = ids.len() < BATCH;
        tx.execute(
            sql!(
                "insert into search_fills (name, filled_to, is_done) values ($1, $2, $3)
                 on conflict (name) do update
                 set filled_to = excluded.filled_to, is_done = excluded.is_done"
            ),
            (source.index, ids.last().copied().unwrap_or(filled_to), is_done),
        )?;
        filled = Some(filled.unwrap_or(0) + ids.len() as i64);
        if !is_done {
            break;
        }
    }
    Ok(filled)
}
