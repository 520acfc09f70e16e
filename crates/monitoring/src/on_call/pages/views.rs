//! What the pages of the area show.

use super::policy::{Action, RuleFields};
use super::roster::Roster;
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
    pub roster: Roster,
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
    pub roster: Roster,
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
    pub name: String,
    pub plan: String,
    pub people: Vec<String>,
}

/// `<project>/-/escalation_policies`: its forms post here with `action` `save`,
/// `remove`, `add`, `change` and `drop`.
#[derive(Debug, Template)]
#[template(path = "escalation_policies.html")]
pub struct OnePolicy {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    pub can_change: bool,
    pub policy: Option<Policy>,
    pub rules: Vec<RuleLine>,
    pub may_add: bool,
    pub name: Text,
    pub description: Text,
    /// The rule about to be added, as typed.
    pub rule: RuleFields,
    /// Which form was refused, and of which rule.
    pub opened: Option<(Action, Option<i64>)>,
    pub states: Vec<Choice>,
    pub schedules: Vec<Choice>,
    pub errors: Errors,
}

/// A rule in words, and its form.
#[derive(Debug, Clone)]
pub struct RuleLine {
    pub id: i64,
    /// How long after an alert began.
    pub after: String,
    pub text: String,
    pub fields: RuleFields,
}

impl OnePolicy {
    fn most(&self) -> usize {
        MAX_RULES
    }

    fn is_adding(&self) -> bool {
        matches!(self.opened, Some((Action::Add, _)))
    }

    fn is_naming(&self) -> bool {
        matches!(self.opened, Some((Action::Save, _)))
    }

    fn is_changing(&self, rule: &RuleLine) -> bool {
        self.opened == Some((Action::Change, Some(rule.id)))
    }

    /// What is wrong with a rule, beside the form that says it.
    fn wrong(&self, is_here: bool) -> String {
        if is_here {
            self.errors.of("rules")
        } else {
            String::new()
        }
    }
}
