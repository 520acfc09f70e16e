//! What the pages of the area show.

use super::line::Line;
use super::policy::RuleFields;
use super::schedule::RotationFields;
use super::schedules::Form;
use crate::on_call::model::{MAX_RULES, Policy, Schedule};
use askama::Template;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Page, Pages};
use kernel::http::Text;
use spaces::pages::SpaceHead;

/// `<project>/-/oncall_schedules`.
#[derive(Debug, Template)]
#[template(path = "oncall_schedules.html")]
pub struct ScheduleList {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    pub can_change: bool,
    pub schedules: Vec<ScheduleRow>,
    pub pages: Pages,
    pub form: Form,
    pub zones: Vec<Choice>,
    pub errors: Errors,
}

#[derive(Debug, Clone)]
pub struct ScheduleRow {
    pub schedule: Schedule,
    /// Sign-in names of who is on call now.
    pub now: Vec<String>,
    pub lines: Vec<Line>,
}

/// `<project>/-/oncall_schedules/<number>`: its forms post here with `action`
/// `save`, `remove`, `rotate` and `drop`.
#[derive(Debug, Template)]
#[template(path = "oncall_schedule.html")]
pub struct OneSchedule {
    pub page: Page,
    pub url: String,
    pub can_change: bool,
    pub schedule: Schedule,
    /// Sign-in names of who is on call now.
    pub now: Vec<String>,
    pub rotations: Vec<RotationRow>,
    pub form: Form,
    pub zones: Vec<Choice>,
    pub rotation: RotationFields,
    pub units: Vec<Choice>,
    pub errors: Errors,
}

#[derive(Debug, Clone)]
pub struct RotationRow {
    pub id: i64,
    pub plan: String,
    pub people: Vec<String>,
    pub line: Line,
}

/// `<project>/-/escalation_policies`.
#[derive(Debug, Template)]
#[template(path = "escalation_policies.html")]
pub struct OnePolicy {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    pub can_change: bool,
    pub policy: Option<Policy>,
    /// Its rules in words.
    pub sentences: Vec<String>,
    pub name: Text,
    pub description: Text,
    /// Its rules, as typed, with some that are empty.
    pub rules: Vec<RuleFields>,
    pub states: Vec<Choice>,
    pub schedules: Vec<Choice>,
    pub errors: Errors,
}

impl OnePolicy {
    fn most(&self) -> usize {
        MAX_RULES
    }
}
