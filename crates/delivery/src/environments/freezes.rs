//! Times in which nothing is to be deployed: jobs are told by `CI_DEPLOY_FREEZE`.

use super::model::FreezePeriod;
use super::store::freezes as rows;
use ::store::Tx;
use kernel::error::{Error, Found, Result};
use kernel::zones;
use pipeline_file::cron::Cron;
use spaces::model::Problems;

/// Most freezes of a project.
const MOST: usize = 100;

kernel::params! {
    /// When a freeze begins and ends.
    #[derive(Default)]
    pub struct FreezeInput {
        /// When it begins, as in crontabs.
        pub freeze_start: Option<String>,
        /// When it ends, as in crontabs.
        pub freeze_end: Option<String>,
        /// The zone of both: UTC unless said.
        pub cron_timezone: Option<String>,
    }
}

impl FreezeInput {
    /// A freeze with what was sent in the place of what it was.
    fn over(&self, before: FreezePeriod) -> Result<FreezePeriod> {
        let mut problems = Problems::default();
        let sent = |new: &Option<String>, old: String| new.clone().unwrap_or(old);
        let mut after = FreezePeriod {
            freeze_start: sent(&self.freeze_start, before.freeze_start),
            freeze_end: sent(&self.freeze_end, before.freeze_end),
            cron_timezone: sent(&self.cron_timezone, before.cron_timezone),
            ..before
        };
        for (field, text) in
            [("freeze_start", &after.freeze_start), ("freeze_end", &after.freeze_end)]
        {
            if Cron::parse(text).is_err() {
                problems.add(field, "is invalid syntax");
            }
        }
        match zones::named(&after.cron_timezone) {
            Some(name) => name.clone_into(&mut after.cron_timezone),
            None => problems.add("cron_timezone", "is invalid syntax"),
        }
        problems.check()?;
        Ok(after)
    }
}

pub fn create(tx: &mut Tx<'_>, project_id: i64, input: &FreezeInput) -> Result<FreezePeriod> {
    for (name, sent) in [("freeze_start", &input.freeze_start), ("freeze_end", &input.freeze_end)] {
        if sent.is_none() {
            return Err(Error::missing(name));
        }
    }
    let now = tx.now();
    let new = input.over(FreezePeriod {
        id: 0,
        project_id,
        freeze_start: String::new(),
        freeze_end: String::new(),
        cron_timezone: "UTC".to_owned(),
        created_at: now,
        updated_at: now,
    })?;
    if rows::of_project(tx, project_id)?.len() >= MOST {
        return Err(Error::invalid("base", "There are too many freeze periods"));
    }
    rows::insert(tx, &new)
}

pub fn update(tx: &mut Tx<'_>, before: FreezePeriod, input: &FreezeInput) -> Result<FreezePeriod> {
    let after = input.over(before)?;
    rows::update(tx, &after)?;
    rows::one(tx, after.project_id, after.id)?.found("")
}

/// Whether nothing is to be deployed now.
pub fn is_on(tx: &mut Tx<'_>, project_id: i64) -> Result<bool> {
    let now = tx.now();
    Ok(rows::of_project(tx, project_id)?.iter().any(|one| one.holds(now)))
}
