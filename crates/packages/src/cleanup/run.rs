//! Applying cleanup rules, and telling beforehand what they would take.
//!
//! A run goes through the names of its rule in their order. What it removes
//! of some names, the records of that and where it is now are one
//! transaction, so a run that was cut off goes on from there and has neither
//! half a version behind it nor one that nobody told of.

use super::model::{CleanupRun, Going, Rule, Standing};
use super::rule::Judge;
use crate::model::ProtectionRule;
use crate::rules::{destroy, protection};
use crate::store::cleanup_rules::{self as rows, Names};
use crate::store::protection as protections;
use crate::tasks::{ApplyRule, PurgeSome};
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Registry, enqueue};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use store::Tx;

/// Names looked at together.
const NAMES: i64 = 100;
/// Names of which a dry run tells how large they are.
const LARGEST: usize = 12;
/// Most versions removed in one transaction.
const REMOVED: usize = 100;

/// Begins runs of these rules and sets their jobs at work. A run under way
/// goes on instead; its job may have given up.
pub fn begin(tx: &mut Tx<'_>, registry: &Registry, rules: &[i64]) -> Result<()> {
    for run in rows::begin(tx, rules)? {
        enqueue(tx, registry, &ApplyRule { run })?;
    }
    Ok(())
}

/// The next names of a run.
pub(crate) struct Seen {
    run: CleanupRun,
    names: Names,
    /// Those of which something may go; only these are looked at while others
    /// wait to write.
    busy: Names,
    /// How many names the rule is about, where that was not counted before.
    total: Option<i64>,
}

/// Nothing where the run, its rule or its names have come to an end.
pub(crate) fn look(tx: &mut Tx<'_>, id: i64) -> Result<Option<Seen>> {
    let Some((run, rule)) = rows::under_way(tx, id)? else {
        return Ok(None);
    };
    if !rule.enabled {
        return Ok(None);
    }
    let from = (run.after_project, run.after_name.as_str());
    let Some(names) = rows::next_names(tx, &rule, from, NAMES)? else {
        return Ok(None);
    };
    let total = match run.names_done {
        0 => Some(rows::count_names(tx, &rule)?),
        _ => None,
    };
    let judge = Judge::new(rule, tx.now())?;
    let mut busy = BTreeSet::new();
    judge.visit(tx, &names, |one| {
        if !judge.reasons(&one).is_empty() {
            busy.insert(one.name_key);
        }
    })?;
    let busy = Names { keys: busy.into_iter().collect(), ..names.clone() };
    Ok(Some(Seen { run, names, busy, total }))
}

/// Removes some versions of the names seen. How far the run is then; nothing
/// where it ended meanwhile.
pub(crate) fn step(
    tx: &mut Tx<'_>, registry: &Registry, id: i64, seen: &Seen,
) -> Result<Option<CleanupRun>> {
    let Some((mut run, rule)) = rows::under_way(tx, id)?.filter(|(_, rule)| rule.enabled) else {
        return Ok(None);
    };
    // Another job of the run is ahead.
    if run != seen.run {
        return Ok(Some(run));
    }
    let mut going = Vec::new();
    let mut left = false;
    if !seen.busy.keys.is_empty() {
        let judge = Judge::new(rule.clone(), tx.now())?;
        visit_going(tx, &judge, &seen.busy, |one| match going.len() < REMOVED {
            true => going.push(one),
            false => left = true,
        })?;
    }
    destroy::by_rule(tx, registry, &rule, &going)?;
    let ids: Vec<i64> = going.iter().map(|one| one.standing.id).collect();
    if !ids.is_empty() {
        enqueue(tx, registry, &PurgeSome { packages: ids })?;
    }
    run.removed_packages += going.len() as i64;
    run.removed_size += going.iter().map(|one| one.standing.size).sum::<i64>();
    run.names_total = seen.total.unwrap_or(run.names_total);
    if let Some(last) = seen.names.keys.last().filter(|_| !left) {
        run.after_project = seen.names.project_id;
        run.after_name.clone_from(last);
        run.names_done += seen.names.keys.len() as i64;
    }
    rows::save(tx, &run)?;
    Ok(Some(run))
}

/// Ends a run that has come to its end.
pub(crate) fn end(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    match rows::under_way(tx, id)? {
        Some((run, _)) => rows::finish(tx, &run),
        None => Ok(()),
    }
}

/// Shows each version of these names that goes to `visit`.
fn visit_going(
    tx: &mut Tx<'_>, judge: &Judge, names: &Names, mut visit: impl FnMut(Going),
) -> Result<()> {
    let kept = protections::against_deletion(tx, names.project_id)?;
    let is_kept = |name: &str| {
        let fits = |rule: &ProtectionRule| {
            rule.package_type == judge.rule().package_type
                && protection::fits(rule.package_type, &rule.package_name_pattern, name)
        };
        kept.iter().any(fits)
    };
    judge.visit(tx, names, |one| {
        let reasons = judge.reasons(&one);
        if !reasons.is_empty() && !is_kept(&one.name) {
            visit(Going { standing: one, reasons });
        }
    })
}

/// What a rule would take away.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Preview {
    pub packages: i64,
    /// Bytes.
    pub size: i64,
    /// Bytes by name, of the names with most of them.
    pub largest: Vec<(String, u64)>,
    /// Those asked for, by project, name and then the newest first.
    pub shown: Vec<Going>,
}

/// Adds a version to those of its name, which come one after the other.
fn add(sizes: &mut Vec<(String, u64)>, one: Standing) {
    let bytes = one.size.unsigned_abs();
    match sizes.last_mut() {
        Some((name, size)) if *name == one.name => *size += bytes,
        _ => sizes.push((one.name, bytes)),
    }
}

/// A dry run: all that a rule would take away now, of which `limit` versions
/// after the first `offset` are shown. Changes nothing.
pub async fn preview(app: &App, rule: Rule, offset: i64, limit: i64) -> Result<Preview> {
    let mut preview = Preview::default();
    let mut from = (0, String::new());
    loop {
        let (rule, place) = (rule.clone(), from.clone());
        let read = app.read(move |tx| {
            let Some(names) = rows::next_names(tx, &rule, (place.0, &place.1), NAMES)? else {
                return Ok(None);
            };
            let judge = Judge::new(rule, tx.now())?;
            let mut some = Preview::default();
            let (first, last) = (offset - preview.packages, offset + limit - preview.packages);
            visit_going(tx, &judge, &names, |one| {
                if (first..last).contains(&some.packages) {
                    some.shown.push(one.clone());
                }
                some.packages += 1;
                some.size += one.standing.size;
                add(&mut some.largest, one.standing);
            })?;
            Ok(Some((names, some)))
        });
        let Some((names, some)) = read.await? else {
            return Ok(preview);
        };
        preview.packages += some.packages;
        preview.size += some.size;
        preview.shown.extend(some.shown);
        preview.largest.extend(some.largest);
        preview.largest.sort_by_key(|(_, size)| Reverse(*size));
        preview.largest.truncate(LARGEST);
        from = (names.project_id, names.keys.last().cloned().unwrap_or_default());
    }
}
