//! What lists of issues are narrowed to, the same for every interface.

use crate::model::{IssueKind, IssueState};
use crate::store::contains;
use jiff::ToSpan;
use kernel::http::params::{Param, Unusable};
use kernel::ids::fold;
use kernel::time::{Date, Timestamp};
use serde_json::{Value, json};
use store::{Fragment, IntoValue};

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
    pub labels: Option<Has<Vec<String>>>,
    pub milestone: Option<Has<Vec<String>>>,
    pub author_id: Option<i64>,
    pub author_username: Option<String>,
    pub assignee: Option<Has<i64>>,
    pub assignee_usernames: Vec<String>,
    pub iids: Option<Vec<i64>>,
    pub weight: Option<Has<i64>>,
    pub reaction: Option<(i64, Has<String>)>,
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
    for (test, at) in [
        (" and issues.created_at >= ", filter.times.created_after),
        (" and issues.created_at <= ", filter.times.created_before),
        (" and issues.updated_at >= ", filter.times.updated_after),
        (" and issues.updated_at <= ", filter.times.updated_before),
        (" and issues.closed_at >= ", filter.times.closed_after),
        (" and issues.closed_at <= ", filter.times.closed_before),
    ] {
        if let Some(at) = at {
            sql.push(test, at);
        }
    }
    if let Some(search) = filter.search.as_deref().filter(|text| !text.is_empty()) {
        let columns: &[&str] = match (filter.in_title, filter.in_description) {
            (true, false) => &["issues.title_folded"],
            (false, true) => &["issues.description_folded"],
            _ => &["issues.title_folded", "issues.description_folded"],
        };
        contains(sql, columns, search);
    }
    if let Some(due) = filter.due {
        narrow_due(sql, due, today);
    }
    if filter.impossible {
        sql.raw(" and 1 = 0");
    }
    if let Some(stage) = filter.stage {
        sql.append(of_stage(stage, today));
    }
    any_of(sql, &filter.any_of);
    for test in marks(&filter.is) {
        sql.raw(" and ").append(test);
    }
    for test in marks(&filter.not) {
        sql.raw(" and (").append(test).raw(") is not true");
    }
}

/// ` and …`: the milestone stands there.
fn of_stage(stage: Stage, today: Date) -> Fragment {
    let mut test = Fragment::new(
        " and issues.milestone_id in (select milestones.id from milestones
            where milestones.state = 'active' and ",
    );
    match stage {
        Stage::Started => test.push("milestones.start_on <= ", today),
        Stage::Upcoming => test.push("milestones.due_on > ", today),
    };
    test.raw(")");
    test
}

fn any_of(sql: &mut Fragment, any: &AnyOf) {
    let folded = |names: &[String]| -> Vec<String> { names.iter().map(|one| fold(one)).collect() };
    if !any.labels.is_empty() {
        sql.raw(
            " and exists (select 1 from issue_labels l join labels on labels.id = l.label_id
                where l.issue_id = issues.id and",
        )
        .in_list("labels.title", any.labels.clone())
        .raw(")");
    }
    if !any.author_usernames.is_empty() {
        sql.raw(" and issues.author_id in (select users.id from users where")
            .in_list("users.username_folded", folded(&any.author_usernames))
            .raw(")");
    }
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

/// One test for each thing asked for; what is left out is left out one by
/// one.
fn marks(marks: &Marks) -> Vec<Fragment> {
    let mut tests = Vec::new();
    match &marks.labels {
        Some(Has::This(titles)) => {
            let each = titles.iter().map(|title| label(title));
            tests.extend(each.take(crate::model::MAX_NAMED));
        }
        Some(Has::Any) => tests.push(any_label(true)),
        Some(Has::None) => tests.push(any_label(false)),
        None => {}
    }
    if let Some(milestone) = &marks.milestone {
        tests.push(match milestone {
            Has::This(titles) => {
                let mut test = Fragment::new(
                    "issues.milestone_id in (select milestones.id from milestones where",
                );
                test.in_list("milestones.title", titles).raw(")");
                test
            }
            Has::Any => Fragment::new("issues.milestone_id is not null"),
            Has::None => Fragment::new("issues.milestone_id is null"),
        });
    }
    if let Some(id) = marks.author_id {
        tests.push(equals("issues.author_id = ", id));
    }
    if let Some(name) = &marks.author_username {
        tests.push(wrap(
            "issues.author_id in (select users.id from users
                where users.username_folded = ",
            fold(name),
        ));
    }
    if let Some(assignee) = &marks.assignee {
        tests.push(match assignee {
            Has::This(id) => wrap(
                "issues.id in (select a.issue_id from issue_assignees a where a.user_id = ",
                *id,
            ),
            Has::Any => assigned(true),
            Has::None => assigned(false),
        });
    }
    for name in &marks.assignee_usernames {
        tests.push(wrap(
            "issues.id in (select a.issue_id from issue_assignees a
                join users on users.id = a.user_id where users.username_folded = ",
            fold(name),
        ));
    }
    if let Some(iids) = &marks.iids {
        let mut test = Fragment::default();
        test.in_list("issues.iid", iids);
        tests.push(test);
    }
    if let Some(weight) = &marks.weight {
        tests.push(match weight {
            Has::This(weight) => equals("issues.weight = ", *weight),
            Has::Any => Fragment::new("issues.weight is not null"),
            Has::None => Fragment::new("issues.weight is null"),
        });
    }
    if let Some((user_id, reaction)) = &marks.reaction {
        tests.push(reacted(*user_id, reaction));
    }
    tests
}

fn reacted(user_id: i64, reaction: &Has<String>) -> Fragment {
    let not = if *reaction == Has::None { "not " } else { "" };
    let mut test = Fragment::new(&format!(
        "{not}exists (select 1 from award_emoji e where e.awardable_type = 'Issue'
            and e.awardable_id = issues.id and e.user_id = "
    ));
    test.bind(user_id);
    if let Has::This(name) = reaction {
        test.push(" and e.name = ", name);
    }
    test.raw(")");
    test
}

fn equals(text: &str, value: impl IntoValue) -> Fragment {
    let mut test = Fragment::new(text);
    test.bind(value);
    test
}

/// A test that ends in a parenthesis.
fn wrap(text: &str, value: impl IntoValue) -> Fragment {
    let mut test = equals(text, value);
    test.raw(")");
    test
}

fn label(title: &str) -> Fragment {
    wrap(
        "exists (select 1 from issue_labels l join labels on labels.id = l.label_id
            where l.issue_id = issues.id and labels.title = ",
        title,
    )
}

fn any_label(wanted: bool) -> Fragment {
    let not = if wanted { "" } else { "not " };
    Fragment::new(&format!(
        "{not}exists (select 1 from issue_labels l where l.issue_id = issues.id)"
    ))
}

fn assigned(wanted: bool) -> Fragment {
    let not = if wanted { "" } else { "not " };
    Fragment::new(&format!(
        "{not}exists (select 1 from issue_assignees a where a.issue_id = issues.id)"
    ))
}
