//! The kernel's own pages: jobs and audit records.
//!
//! Plain view models; who fills them decides who may see them.

use super::page::{Moment, Page, Pages};
use super::ui::{self, Choice, Tab};
use askama::Template;

/// Links between the pages of the administration.
pub fn admin_tabs(current: &str) -> Vec<Tab> {
    [
        ("Overview", "/admin"),
        ("Users", "/admin/users"),
        ("Settings", "/admin/settings"),
        ("Package limits", "/admin/package_limits"),
        ("Applications", "/admin/applications"),
        ("Spam", "/admin/spam_logs"),
        ("Jobs", "/admin/jobs"),
        ("Audit", "/admin/audit"),
    ]
    .map(|(label, url)| Tab::new(label, url, label == current))
    .to_vec()
}

/// `/admin`: what the instance holds and how it does.
#[derive(Debug, Template)]
#[template(path = "admin_overview.html")]
pub struct AdminOverview {
    /// The page.
    pub page: Page,
    /// How much there is of what.
    pub tiles: Vec<Tile>,
    /// Jobs that wait.
    pub queued: u64,
    /// Jobs that run.
    pub running: u64,
    /// Jobs that have given up.
    pub failed: u64,
    /// A sentence on the jobs, and whether it is a good one.
    pub health: (String, bool),
    /// What the instance is.
    pub facts: Vec<Fact>,
}

/// One count.
#[derive(Debug, Clone, Default)]
pub struct Tile {
    /// Of what.
    pub label: String,
    /// How many.
    pub count: u64,
    /// Where they are listed, or empty.
    pub url: String,
}

/// One line of text with its name.
#[derive(Debug, Clone, Default)]
pub struct Fact {
    /// Its name.
    pub label: String,
    /// The text.
    pub text: String,
}

/// `/admin/jobs`: what waits, runs and has failed.
#[derive(Debug, Template)]
#[template(path = "admin_jobs.html")]
pub struct AdminJobs {
    /// The page.
    pub page: Page,
    /// The state shown: empty for all, `queued`, `running`, `failed`.
    pub state: String,
    /// Jobs that wait.
    pub queued: u64,
    /// Jobs that run.
    pub running: u64,
    /// Jobs that have given up.
    pub failed: u64,
    /// The jobs of this page.
    pub jobs: Vec<JobRow>,
    /// Where the list stands.
    pub pages: Pages,
}

impl AdminJobs {
    fn filters(&self) -> Vec<Tab> {
        let tab = |label: &str, state: &str, count: u64| {
            let url = format!("/admin/jobs?state={state}");
            Tab::new(label, url, self.state == state).count(count)
        };
        vec![
            tab("All", "", self.queued + self.running + self.failed),
            tab("Queued", "queued", self.queued),
            tab("Running", "running", self.running),
            tab("Failed", "failed", self.failed),
        ]
    }
}

/// One job in the list.
#[derive(Debug, Clone, Default)]
pub struct JobRow {
    /// Its id; retry posts to `/admin/jobs/<id>/retry`, discard to
    /// `/admin/jobs/<id>/discard`.
    pub id: i64,
    /// Its kind (`packages.purge`).
    pub name: String,
    /// `queued`, `running` or `failed`.
    pub state: String,
    /// Attempts so far.
    pub attempts: i64,
    /// When it is or was due.
    pub run_at: Moment,
    /// Steps done.
    pub done: u64,
    /// Steps in all; 0 when unknown.
    pub total: u64,
    /// The last failure, or empty.
    pub error: String,
}

/// `/admin/audit`: who changed what.
#[derive(Debug, Template)]
#[template(path = "admin_audit.html")]
pub struct AdminAudit {
    /// The page.
    pub page: Page,
    /// Filter: sign-in name of the author.
    pub author: String,
    /// Filter: start of the action (`member.`).
    pub action: String,
    /// Filter: kind of target, or empty.
    pub target_type: String,
    /// The kinds of target to choose from; the first is «any», with an empty
    /// value.
    pub target_types: Vec<Choice>,
    /// The records of this page, newest first.
    pub records: Vec<AuditRow>,
    /// Where the list stands.
    pub pages: Pages,
}

/// One audit record.
#[derive(Debug, Clone, Default)]
pub struct AuditRow {
    /// When it happened.
    pub at: Moment,
    /// Sign-in name, or empty for the system itself.
    pub author: String,
    /// What happened (`member.create`).
    pub action: String,
    /// Kind of the thing (`Project`).
    pub target_type: String,
    /// Its name at the time.
    pub target_name: String,
    /// What changed, as short text.
    pub details: String,
    /// Where the request came from, or empty.
    pub ip_address: String,
}
