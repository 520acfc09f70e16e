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
    /// The viewer may make schedules.
    pub can_change: bool,
    /// The schedules of this page.
    pub schedules: Vec<ScheduleRow>,
    /// Where the list stands.
    pub pages: Pages,
    /// What is typed into the form.
    pub form: ScheduleForm,
    /// What is wrong with it, by field name.
    pub errors: Errors,
}

/// One schedule in a list.
#[derive(Debug, Clone)]
pub struct ScheduleRow {
    pub name: String,
    pub url: String,
    /// What it is for, or empty.
    pub description: String,
    pub time_zone: String,
    /// Sign-in names of who is on call now.
    pub now: Vec<String>,
    /// Who is on call, by rotation.
    pub lines: Vec<Line>,
}

/// A schedule as it is typed.
#[derive(Debug, Clone, Default)]
pub struct ScheduleForm {
    pub name: String,
    pub description: String,
    pub time_zone: String,
    /// Every time zone there is.
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
    /// The viewer may change it.
    pub can_change: bool,
    /// The schedule as in the list.
    pub schedule: ScheduleRow,
    pub rotations: Vec<RotationRow>,
    /// What is typed into the form of the schedule.
    pub form: ScheduleForm,
    /// What is typed into the form of a rotation.
    pub rotation: RotationForm,
    /// What is wrong with a form, by field name.
    pub errors: Errors,
}

/// One rotation of a schedule.
#[derive(Debug, Clone)]
pub struct RotationRow {
    pub id: i64,
    pub name: String,
    pub plan: String,
    /// Sign-in names of who takes them.
    pub people: Vec<String>,
    pub line: Line,
}

/// A rotation as it is typed.
#[derive(Debug, Clone, Default)]
pub struct RotationForm {
    /// The one that changes; none for a new one.
    pub id: Option<i64>,
    pub name: String,
    /// When the first turn begins, by clocks of the time zone.
    pub starts_at: String,
    /// When the last one ends, or empty.
    pub ends_at: String,
    pub length: String,
    /// In what it is counted.
    pub unit: String,
    pub units: Vec<Choice>,
    /// The time of day people are on call, or empty.
    pub active_from: String,
    pub active_until: String,
    /// Sign-in names of who takes turns.
    pub participants: String,
}

/// `<project>/-/escalation_policies`.
#[derive(Debug, Template)]
#[template(path = "escalation_policies.html")]
pub struct OnePolicy {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    /// The viewer may change it.
    pub can_change: bool,
    /// The policy, if there is one.
    pub policy: Option<PolicyRow>,
    pub name: String,
    /// What it is for, as typed.
    pub description: String,
    /// Its rules, as typed, with some that are empty.
    pub rules: Vec<RuleForm>,
    /// What must have become of an alert.
    pub states: Vec<Choice>,
    pub schedules: Vec<Choice>,
    /// What is wrong with the form, by field name.
    pub errors: Errors,
}

/// The policy of a project.
#[derive(Debug, Clone)]
pub struct PolicyRow {
    pub name: String,
    /// What it is for, or empty.
    pub description: String,
    pub rules: Vec<String>,
}

/// A rule as it is typed.
#[derive(Debug, Clone, Default)]
pub struct RuleForm {
    /// After how many minutes.
    pub minutes: String,
    /// What must have become of an alert.
    pub status: String,
    /// Number of the schedule, or empty.
    pub schedule: String,
    /// Name of the user, or empty.
    pub username: String,
}

impl OnePolicy {
    /// Most rules there may be.
    fn most(&self) -> usize {
        MAX_RULES
    }
}
