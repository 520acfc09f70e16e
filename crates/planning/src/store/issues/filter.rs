//! What lists of issues are narrowed to, the same for every interface.

use crate::model::{IssueKind, IssueState};
use crate::store::listed::{Alike, ISSUES, all_but, folded};
use jiff::ToSpan;
use kernel::http::params::{Param, Unusable};
use kernel::time::{Date, Timestamp};
use serde_json::{Value, json};
use store::Fragment;

kernel::choices! {
    pub enum Due {
        NoDay = "0",
        Any = "any",
        Today = "today",
        Tomorrow = "tomorrow",
        Overdue = "overdue",
        Week = "week",
        Month = "month",
        Around = "next_month_and_previous_two_weeks",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Has<T> {
    This(T),
    Any,
    /// Not one.
    None,
}

impl<T> Has<T> {
    /// What a text asks for: `Any`, `None` or something else; nothing of an empty
    /// one.
    pub fn of(text: &str, this: impl FnOnce(&str) -> T) -> Option<Has<T>> {
        match text.to_ascii_lowercase().as_str() {
            "" => None,
            "any" => Some(Has::Any),
            "none" => Some(Has::None),
            _ => Some(Has::This(this(text))),
        }
    }
}

/// A number, or `Any`, or `None`.
impl Param for Has<i64> {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        match value.as_str().map(str::to_ascii_lowercase).as_deref() {
            Some("any") => Ok(Has::Any),
            Some("none") => Ok(Has::None),
            _ => i64::parse(value).map(Has::This),
        }
    }

    fn schema() -> Value {
        json!({"type": "string", "description": "A number, Any or None"})
    }
}

/// A list to which some conditions apply; also what `not` leaves out.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    pub alike: Alike,
    pub iids: Option<Vec<i64>>,
    pub weight: Option<Has<i64>>,
}

/// Of each that is named, one at least.
#[derive(Debug, Clone, Default)]
pub struct AnyOf {
    pub labels: Vec<String>,
    pub author_usernames: Vec<String>,
    pub assignee_usernames: Vec<String>,
}

/// Milestones by where they stand in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Started,
    /// Open and due in the future.
    Upcoming,
}

kernel::params! {
    #[derive(Default)]
    pub struct Times {
        /// Only made since.
        pub created_after: Option<Timestamp>,
        /// Only made until.
        pub created_before: Option<Timestamp>,
        /// Only changed since.
        pub updated_after: Option<Timestamp>,
        /// Only unchanged since.
        pub updated_before: Option<Timestamp>,
        pub closed_after: Option<Timestamp> = None,
        pub closed_before: Option<Timestamp> = None,
    }
}

#[derive(Debug, Clone, Default)]
pub struct IssueFilter {
    pub state: Option<IssueState>,
    pub is: Marks,
    pub not: Marks,
    pub any_of: AnyOf,
    pub stage: Option<Stage>,
    pub ids: Option<Vec<i64>>,
    pub milestone_id: Option<i64>,
    pub search: Option<String>,
    pub in_title: bool,
    pub in_description: bool,
    pub confidential: Option<bool>,
    pub kinds: Vec<IssueKind>,
    pub not_kinds: Vec<IssueKind>,
    pub due: Option<Due>,
    pub times: Times,
    /// Of one of these epics, as far as the viewer sees it: read where the viewer is
    /// known.
    pub epic: Option<Has<Vec<i64>>>,
    /// Things that issues do not have here (iterations) were asked for.
    pub impossible: bool,
}

/// Adds what a filter asks for to a condition on `issues`.
pub fn narrow(sql: &mut Fragment, filter: &IssueFilter, today: Date) {
    if let Some(state) = filter.state {
        sql.push(" and issues.state = ", state);
    }
    if let Some(ids) = &filter.ids {
        sql.raw(" and").in_list("issues.id", ids);
    }
    if let Some(id) = filter.milestone_id {
        sql.push(" and issues.milestone_id = ", id);
    }
    if let Some(confidential) = filter.confidential {
        sql.push(" and issues.confidential = ", confidential);
    }
    for (test, kinds) in [(" and", &filter.kinds), (" and not", &filter.not_kinds)] {
        if !kinds.is_empty() {
            let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
            sql.raw(test).in_list("issues.kind", kinds);
        }
    }
    ISSUES.times(sql, &filter.times);
    ISSUES.search(sql, filter.search.as_deref(), (filter.in_title, filter.in_description));
    if let Some(due) = filter.due {
        narrow_due(sql, due, today);
    }
    if filter.impossible {
        sql.raw(" and 1 = 0");
    }
    if let Some(stage) = filter.stage {
        sql.raw(" and ").append(ISSUES.at_stage(stage, today));
    }
    any_of(sql, &filter.any_of);
    all_but(sql, marks(&filter.is), marks(&filter.not));
}

fn any_of(sql: &mut Fragment, any: &AnyOf) {
    ISSUES.any_of(sql, any);
    if !any.assignee_usernames.is_empty() {
        sql.raw(
            " and issues.id in (select a.issue_id from issue_assignees a
                join users on users.id = a.user_id where",
        )
        .in_list("users.username_folded", folded(&any.assignee_usernames))
        .raw(")");
    }
}

fn narrow_due(sql: &mut Fragment, due: Due, today: Date) {
    let week = today
        .checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days())
        .unwrap_or(today);
    let after = |from: Date, span: jiff::Span| from.checked_add(span).unwrap_or(Date::MAX);
    let (first, last) = match due {
        Due::NoDay => {
            sql.raw(" and issues.due_on is null");
            return;
        }
        Due::Any => {
            sql.raw(" and issues.due_on is not null");
            return;
        }
        Due::Overdue => {
            sql.push(" and issues.due_on < ", today).raw(" and issues.state = 'opened'");
            return;
        }
        Due::Today => (today, today),
        Due::Tomorrow => (after(today, 1.day()), after(today, 1.day())),
        Due::Week => (week, after(week, 6.days())),
        Due::Month => (today.first_of_month(), today.last_of_month()),
        Due::Around => (
            after(today, -14.days()),
            after(today.first_of_month(), 1.month()).last_of_month(),
        ),
    };
    sql.push(" and issues.due_on >= ", first).push(" and issues.due_on <= ", last);
}

fn marks(marks: &Marks) -> Vec<Fragment> {
    let mut tests = ISSUES.alike(&marks.alike);
    if let Some(iids) = &marks.iids {
        let mut test = Fragment::default();
        test.in_list("issues.iid", iids);
        tests.push(test);
    }
    if let Some(weight) = &marks.weight {
        tests.push(match weight {
            Has::This(weight) => ISSUES.equals("weight", *weight),
            Has::Any => Fragment::new("issues.weight is not null"),
            Has::None => Fragment::new("issues.weight is null"),
        });
    }
    tests
}
