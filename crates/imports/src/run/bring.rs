//! What a page holds is written, and counted.

use super::failures;
use super::model::{Import, Stage};
use crate::ledger;
use crate::model::{Kind, Object};
use crate::store::failures as rows;
use crate::writers::{self, Desk, Prepared};
use ::store::Tx;
use kernel::error::{Error, Result};
use spaces::model::Project;
use std::collections::{HashMap, HashSet};

/// Objects that are to be written, in the order in which they came.
#[derive(Clone, Copy)]
pub struct Load<'l> {
    /// What they come by.
    pub stage: Stage,
    pub objects: &'l [Object],
    /// What git says of them.
    pub prepared: &'l Prepared,
}

/// Writes objects, all or none of them, and counts them in the import, which is not stored.
pub fn bring(
    tx: &mut Tx<'_>, import: &mut Import, project: &Project, load: Load<'_>,
) -> Result<()> {
    let before = Before::read(tx, import, load.objects)?;
    write(tx, import, project, load)?;
    before.forget_failures(tx, import)?;
    before.count(import);
    Ok(())
}

fn write(tx: &mut Tx<'_>, import: &Import, project: &Project, load: Load<'_>) -> Result<()> {
    let Load { objects, prepared, .. } = load;
    let mut desk = Desk::open(tx, import, project, prepared)?;
    objects.iter().try_for_each(|object| writers::write(tx, &mut desk, object))
}

/// The same, each for itself: what cannot be written is noted among what failed.
pub fn bring_each(
    tx: &mut Tx<'_>, import: &mut Import, project: &Project, load: Load<'_>,
) -> Result<()> {
    for object in load.objects {
        let alone = Load { objects: std::slice::from_ref(object), ..load };
        match tx.savepoint(|tx| bring(tx, import, project, alone)) {
            Ok(()) => {}
            // The database is busy, which is no fault of the object's.
            Err(Error::Unavailable(text)) => return Err(Error::Unavailable(text)),
            Err(error) => failures::of_object(tx, import, load.stage, object, &error)?,
        }
    }
    Ok(())
}

/// What was known of objects before they are written.
struct Before {
    /// The keys of each kind that did not come before.
    fresh: HashMap<Kind, HashSet<String>>,
    /// Those of them that failed before.
    failed: HashMap<Kind, HashSet<String>>,
}

impl Before {
    fn read(tx: &mut Tx<'_>, import: &Import, objects: &[Object]) -> Result<Before> {
        let mut fresh: HashMap<Kind, HashSet<String>> = HashMap::new();
        for object in objects {
            fresh.entry(object.kind()).or_default().insert(object.key());
        }
        let mut failed = HashMap::new();
        for (kind, keys) in &mut fresh {
            let all: Vec<String> = keys.iter().cloned().collect();
            let known = ledger::known(tx, import.id, *kind, &all)?;
            keys.retain(|key| !known.contains_key(key));
            if import.failures > 0 {
                failed.insert(*kind, rows::among(tx, import.id, *kind, &all)?);
            }
        }
        Ok(Before { fresh, failed })
    }

    /// What comes again was counted when it came first, and what failed when it was read.
    fn count(&self, import: &mut Import) {
        for (kind, keys) in &self.fresh {
            let failed = self.failed.get(kind);
            let is_new = |key: &&String| failed.is_none_or(|failed| !failed.contains(*key));
            let read = keys.iter().filter(is_new).count();
            import.stats.0.fetched(*kind, count(read));
            import.stats.0.imported(*kind, count(keys.len()));
        }
    }

    fn forget_failures(&self, tx: &mut Tx<'_>, import: &mut Import) -> Result<()> {
        let mut is_any = false;
        for (kind, keys) in self.failed.iter().filter(|(_, keys)| !keys.is_empty()) {
            let keys: Vec<String> = keys.iter().cloned().collect();
            rows::forget(tx, import.id, *kind, &keys)?;
            is_any = true;
        }
        if is_any {
            import.failures = rows::count(tx, import.id)?;
        }
        Ok(())
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
