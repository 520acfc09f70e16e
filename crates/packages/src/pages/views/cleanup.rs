//! What the page of cleanup rules shows.

use crate::cleanup::model::{CleanupRun, Rule};
use crate::cleanup::run::Preview;
use crate::pages::cleanup::Terms;
use askama::Template;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Moment, Page};
use kernel::time::Timestamp;
use spaces::pages::SpaceHead;

/// `<place>/-/settings/packages/cleanup`. All forms post here with `action`:
/// `preview` and `add` with the fields of a rule; `show`, `enable`, `disable`
/// and `remove` with `rule_id`.
#[derive(Debug, Template)]
#[template(path = "cleanup.html")]
pub struct Cleanup {
    pub page: Page,
    pub head: SpaceHead,
    /// Where the forms post to.
    pub address: String,
    /// Each with its last run.
    pub rules: Vec<(Rule, Option<CleanupRun>)>,
    /// What would go, where that was asked.
    pub preview: Option<Preview>,
    pub kinds: Vec<Choice>,
    /// The form of a new rule.
    pub form: Terms,
    /// What is wrong with it, by field name.
    pub errors: Errors,
    pub now: Timestamp,
}

impl Cleanup {
    /// Names by what would go of them.
    fn largest(&self, found: &Preview) -> Vec<(String, String, u64)> {
        let row = |(name, size): &(String, u64)| (name.clone(), ui::bytes(*size), *size);
        found.largest.iter().map(row).collect()
    }

    fn moment(&self, at: &Timestamp) -> Moment {
        Moment::new(*at, self.now)
    }
}

impl CleanupRun {
    /// What it took.
    fn taken(&self) -> String {
        let size = ui::bytes(self.removed_size.unsigned_abs());
        format!("removed {} versions, {size}", self.removed_packages)
    }
}
