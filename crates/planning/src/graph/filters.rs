//! What lists of issues and of work items are narrowed to.

use super::enums::chosen;
use super::issue::number;
use super::{EPIC_ID, Moment};
use crate::model::{IssueKind, IssueState};
use crate::rules::narrowing;
use crate::store::issues::filter::{AnyOf, Has, IssueFilter, Marks, Stage, Times};
use crate::store::listed::Alike;
use identity::graph::viewer;
use kernel::graph::input::GraphInput;
use kernel::graph::{BOOLEAN, Context, Fault, Graph, HasTypeRef, STRING, TIME, named};
use kernel::graph_input;
use kernel::time::Timestamp;

const MOST: usize = 100;

pub fn graph(g: &mut Graph) {
    for (issues, text) in [
        ("NegatedIssueFilterInput", "What issues are not like."),
        ("NegatedWorkItemFilterInput", "What work items are not like."),
    ] {
        g.input(issues, text, NotLike::arguments());
    }
    for (issues, text) in [
        ("UnionedIssueFilterInput", "What issues are like in one way at least."),
        ("UnionedWorkItemFilterInput", "What work items are like in one way at least."),
    ] {
        g.input(issues, text, Either::arguments());
    }
}

graph_input! {
    /// What issues are like, or are not.
    #[derive(Default)]
    pub struct Like {
        /// These numbers.
        iids: Option<Vec<String>> = STRING.required().list(),
        /// All these labels; `Any` or `None` alone.
        label_name: Option<Vec<Option<String>>> = STRING.list(),
        /// One of these milestones.
        milestone_title: Option<Vec<Option<String>>> = STRING.list(),
        /// By this user.
        author_username: Option<String> = STRING,
        /// Assigned to all these users.
        assignee_usernames: Option<Vec<String>> = STRING.required().list(),
        /// Assigned to the user of this number or global ID; `Any` or `None`.
        assignee_id: Option<String> = STRING,
        /// With this reaction of the caller; `Any` or `None`.
        my_reaction_emoji: Option<String> = STRING,
        /// Of this weight; `Any` or `None`.
        weight: Option<String> = STRING,
        /// Of these types.
        pub types: Option<Vec<String>> = named("IssueType").required().list(),
    }
}

graph_input! {
    #[derive(Default)]
    pub struct NotLike {
        ..like: Like,
        /// Not of these milestones.
        milestone_wildcard_id: Option<String> = named("MilestoneWildcardId"),
    }
}

graph_input! {
    #[derive(Default)]
    pub struct Either {
        /// By one of these users.
        author_usernames: Option<Vec<String>> = STRING.required().list(),
        /// Assigned to one of these users.
        assignee_usernames: Option<Vec<String>> = STRING.required().list(),
        /// With one of these labels.
        label_names: Option<Vec<String>> = STRING.required().list(),
    }
}

graph_input! {
    pub struct Common {
        ..like: Like,
        /// Only in this state.
        state: Option<String> = named("IssuableState"),
        /// Only of this number.
        iid: Option<String> = STRING,
        /// In title or description.
        search: Option<String> = STRING,
        /// Where to search.
        fields as "in": Option<Vec<String>> = named("IssuableSearchableField").required().list(),
        /// Only assigned to this user.
        assignee_username: Option<String> = STRING,
        /// Only assigned ones, or only others.
        assignee_wildcard_id: Option<String> = named("AssigneeWildcardId"),
        /// Only of such milestones.
        milestone_wildcard_id: Option<String> = named("MilestoneWildcardId"),
        /// Only confidential ones, or only others.
        confidential: Option<bool> = BOOLEAN,
        /// Only made since.
        created_after: Option<Moment<Timestamp>> = TIME,
        /// Only made until.
        created_before: Option<Moment<Timestamp>> = TIME,
        /// Only changed since.
        updated_after: Option<Moment<Timestamp>> = TIME,
        /// Only unchanged since.
        updated_before: Option<Moment<Timestamp>> = TIME,
        /// Only closed since.
        closed_after: Option<Moment<Timestamp>> = TIME,
        /// Only closed until.
        closed_before: Option<Moment<Timestamp>> = TIME,
    }
}

/// A list of texts that is not too long.
pub fn bounded<T>(list: Option<Vec<T>>, name: &str) -> Result<Vec<T>, Fault> {
    let list = list.unwrap_or_default();
    match list.len() > MOST {
        true => Err(Fault::argument(format!("{name} cannot have more than {MOST} entries"))),
        false => Ok(list),
    }
}

/// Anything or nothing, as a wildcard says.
pub fn wildcard<T>(name: Option<&str>) -> Option<Has<T>> {
    match name {
        Some("ANY") => Some(Has::Any),
        Some("NONE") => Some(Has::None),
        _ => None,
    }
}

/// Milestones that have begun or are to come, as a wildcard says.
pub fn staged(name: Option<&str>) -> Option<Stage> {
    match name {
        Some("STARTED") => Some(Stage::Started),
        Some("UPCOMING") => Some(Stage::Upcoming),
        _ => None,
    }
}

impl Like {
    fn marks(
        self, milestone: Option<&str>, context: &Context,
    ) -> Result<(Marks, Vec<IssueKind>), Fault> {
        let labels = bounded(self.label_name, "labelName")?.into_iter().flatten();
        let milestones = bounded(self.milestone_title, "milestoneTitle")?.into_iter().flatten();
        let of_title = narrowing::labels(milestones.collect());
        let iids = self.iids.map(|all| bounded(Some(all), "iids")).transpose()?;
        let user = |text: &str| match text.parse::<i64>() {
            Ok(id) => id,
            Err(_) => identity::graph::USER_ID.read(text).unwrap_or(0),
        };
        let weight = |text: &str| text.parse().unwrap_or(-1);
        let kinds = self.types.unwrap_or_default().into_iter();
        let kinds = kinds.filter_map(|one| chosen(Some(one), IssueKind::from_text));
        let marks = Marks {
            alike: Alike {
                labels: narrowing::labels(labels.collect()),
                milestone: of_title.or_else(|| wildcard(milestone)),
                author_id: None,
                author_username: self.author_username,
                assignee: self.assignee_id.and_then(|text| Has::of(&text, user)),
                assignee_usernames: bounded(self.assignee_usernames, "assigneeUsernames")?,
                reaction: narrowing::reaction(&viewer(context), self.my_reaction_emoji.as_deref()),
            },
            iids: iids.map(|all| all.iter().map(|one| number(one)).collect()),
            weight: self.weight.and_then(|text| Has::of(&text, weight)),
        };
        Ok((marks, kinds.collect()))
    }
}

impl NotLike {
    /// The types that are left out by name.
    pub fn types(&self) -> &[String] {
        self.like.types.as_deref().unwrap_or_default()
    }
}

/// Epics by a number, a global ID, `Any` or `None`; nothing of an empty text.
pub fn of_epic(text: &str) -> Option<Has<Vec<i64>>> {
    let id = |text: &str| match text.parse::<i64>() {
        Ok(id) => id,
        Err(_) => EPIC_ID.read(text).unwrap_or(0),
    };
    Has::of(text, |text| vec![id(text)])
}

impl Common {
    /// The types that are asked for by name.
    pub fn types(&self) -> &[String] {
        self.like.types.as_deref().unwrap_or_default()
    }

    pub fn filter(
        self, not: Option<NotLike>, either: Option<Either>, context: &Context,
    ) -> Result<IssueFilter, Fault> {
        let milestone = self.milestone_wildcard_id.as_deref();
        let (not, either) = (not.unwrap_or_default(), either.unwrap_or_default());
        let of_types = !self.types().is_empty();
        let (mut is, kinds) = self.like.marks(milestone, context)?;
        let (not, not_kinds) = not.like.marks(not.milestone_wildcard_id.as_deref(), context)?;
        if let Some(iid) = self.iid {
            is.iids.get_or_insert_default().push(number(&iid));
        }
        is.alike.assignee_usernames.extend(self.assignee_username);
        let somebody = wildcard(self.assignee_wildcard_id.as_deref());
        is.alike.assignee = somebody.or(is.alike.assignee);
        let fields = self.fields.unwrap_or_default();
        let time = |at: Option<Moment<Timestamp>>| at.map(|at| at.0);
        Ok(IssueFilter {
            impossible: self.state.as_deref() == Some("locked")
                // Only types that there are none of.
                || (of_types && kinds.is_empty()),
            state: chosen(self.state, IssueState::from_text),
            is,
            not,
            any_of: AnyOf {
                labels: bounded(either.label_names, "labelNames")?,
                author_usernames: bounded(either.author_usernames, "authorUsernames")?,
                assignee_usernames: bounded(either.assignee_usernames, "assigneeUsernames")?,
            },
            stage: staged(milestone),
            search: self.search,
            in_title: fields.iter().any(|one| one == "TITLE"),
            in_description: fields.iter().any(|one| one == "DESCRIPTION"),
            confidential: self.confidential,
            kinds,
            not_kinds,
            times: Times {
                created_after: time(self.created_after),
                created_before: time(self.created_before),
                updated_after: time(self.updated_after),
                updated_before: time(self.updated_before),
                closed_after: time(self.closed_after),
                closed_before: time(self.closed_before),
            },
            ..IssueFilter::default()
        })
    }
}
