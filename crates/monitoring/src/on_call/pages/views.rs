//! What the pages of the area show: plain view models of their templates.

use super::line::Line;
use crate::on_call::model::MAX_RULES;
use askama::Template;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Page, Pages};
use spaces::pages::views::SpaceHead;

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
    pub form: ScheduleForm,
    pub errors: Errors,
}

#[derive(Debug, Clone)]
pub struct ScheduleRow {
    pub name: String,
    pub url: String,
    pub description: String,
    pub time_zone: String,
    /// Sign-in names of who is on call now.
    pub now: Vec<String>,
    pub lines: Vec<Line>,
}

#[derive(Debug, Clone, Default)]
pub struct ScheduleForm {
    pub name: String,
    pub description: String,
    pub time_zone: String,
    pub zones: Vec<Choice>,
}

/// `<project>/-/oncall_schedules/<number>`: its forms post here with `action`
/// `save`, `remove`, `rotate` and `drop`.
#[derive(Debug, Template)]
#[template(path = "oncall_schedule.html")]
pub struct OneSchedule {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    pub can_change: bool,
    pub schedule: ScheduleRow,
    pub rotations: Vec<RotationRow>,
    pub form: ScheduleForm,
    pub rotation: RotationForm,
    pub errors: Errors,
}

#[derive(Debug, Clone)]
pub struct RotationRow {
    pub id: i64,
    pub name: String,
    pub plan: String,
    pub people: Vec<String>,
    pub line: Line,
}

#[derive(Debug, Clone, Default)]
pub struct RotationForm {
    /// The one that changes; none for a new one.
    pub id: Option<i64>,
    pub name: String,
    /// When the first turn begins, by clocks of the time zone.
    pub starts_at: String,
    pub ends_at: String,
    pub length: String,
    pub unit: String,
    pub units: Vec<Choice>,
    pub active_from: String,
    pub active_until: String,
    pub participants: String,
}

/// `<project>/-/escalation_policies`.
#[derive(Debug, Template)]
#[template(path = "escalation_policies.html")]
pub struct OnePolicy {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    pub can_change: bool,
    pub policy: Option<PolicyRow>,
    pub name: String,
    pub description: String,
    /// Its rules, as typed, with some that are empty.
    pub rules: Vec<RuleForm>,
    pub states: Vec<Choice>,
    pub schedules: Vec<Choice>,
    pub errors: Errors,
}

#[derive(Debug, Clone)]
pub struct PolicyRow {
    pub name: String,
    pub description: String,
    pub rules: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub struct RuleForm {
    pub minutes: String,
    pub status: String,
    pub schedule: String,
    pub username: String,
}

impl OnePolicy {
    fn most(&self) -> usize {
        MAX_RULES
    }
}
