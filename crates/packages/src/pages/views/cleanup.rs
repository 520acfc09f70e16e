//! What the page of cleanup rules shows.

use askama::Template;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Moment, Page};
use spaces::pages::views::SpaceHead;

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
    pub rules: Vec<RuleRow>,
    /// What would go, where that was asked.
    pub preview: Option<CleanupPreview>,
    pub kinds: Vec<Choice>,
    /// The form of a new rule.
    pub form: RuleForm,
    /// What is wrong with it, by field name.
    pub errors: Errors,
}

#[derive(Debug, Clone, Default)]
pub struct RuleRow {
    pub id: i64,
    pub kind: String,
    pub terms: String,
    /// When it is applied next; never while it is off.
    pub next: Option<Moment>,
    /// What its last run took, or empty.
    pub last: String,
    /// Names done and all names of a run under way.
    pub progress: Option<(u64, u64)>,
}

/// What a rule would take.
#[derive(Debug, Clone, Default)]
pub struct CleanupPreview {
    pub count: u64,
    /// Bytes.
    pub size: u64,
    /// Bytes by name, most first, for the chart.
    pub largest: Vec<(String, u64)>,
    pub rows: Vec<FoundRow>,
}

#[derive(Debug, Clone, Default)]
pub struct FoundRow {
    pub name: String,
    pub version: String,
    pub published: Moment,
    pub downloaded: Option<Moment>,
    /// Bytes.
    pub size: u64,
    pub reasons: String,
}

/// The fields of a new rule, as they were sent.
#[derive(Debug, Clone, Default)]
pub struct RuleForm {
    /// Field `package_type`.
    pub kind: String,
    /// Field of its name, as all others.
    pub keep_last: String,
    pub older_than_days: String,
    pub not_downloaded_days: String,
    pub never_downloaded: bool,
    pub keep_name_regex: String,
    pub keep_version_regex: String,
    pub remove_name_regex: String,
    pub remove_version_regex: String,
}
