//! Issues of a project, of a group, and of all that the caller sees.

use super::enums::chosen;
use super::issue::number;
use super::{IssueView, Moment};
use crate::model::{Issue, IssueKind, IssueState};
use crate::rules::awards;
use crate::store::issues::filter::{AnyOf, Filter, Has, Marks, Stage};
use crate::store::issues::list::{self as rows, Owners};
use identity::graph::{Tally, caller, viewer};
use kernel::graph::{
    Args, Argument, Ask, BOOLEAN, Connection, Context, Fault, Graph, HasTypeRef, Key,
    ObjectBuilder, Order, STRING, TIME, argument, named, object,
};
use kernel::ids::fold;
use kernel::time::Timestamp;
use serde::Deserialize;
use serde_json::Value as Json;
use spaces::graph::{NamespaceView, ProjectView as Project};
use std::any::Any;
use std::sync::Arc;

/// Most entries of one list of a filter.
const MOST: usize = 100;

pub fn graph(g: &mut Graph) {
    let mut not = marks();
    not.push(text(
        "milestoneWildcardId",
        "MilestoneWildcardId",
        "Not of these milestones.",
    ));
    g.input("NegatedIssueFilterInput", "What issues are not like.", not);
    let any = vec![
        many("authorUsernames", "By one of these users."),
        many("assigneeUsernames", "Assigned to one of these users."),
        many("labelNames", "With one of these labels."),
    ];
    g.input(
        "UnionedIssueFilterInput",
        "What issues are like in one way at least.",
        any,
    );
    g.count("Issue");
    let list = g
        .on::<Project>("Project")
        .connections(
            "issues",
            object::<IssueView>("Issue"),
            |projects: Vec<Arc<Project>>, ask, args, context| async move {
                let ids = projects.iter().map(|it| it.project.id).collect();
                asked(Owners::Projects(ids), ask, args, context).await
            },
        )
        .describe("Its issues that the caller may see.");
    filters(list);
    let list = g
        .on::<NamespaceView>("Group")
        .connections(
            "issues",
            object::<IssueView>("Issue"),
            |groups: Vec<Arc<NamespaceView>>, ask, args, context| async move {
                let ids = groups.iter().map(|it| it.namespace.id).collect();
                let below: Option<bool> = args.get("includeSubgroups")?;
                let owners = Owners::Groups(ids, below.unwrap_or(false));
                asked(owners, ask, args, context).await
            },
        )
        .describe("Issues of its projects that the caller may see.")
        .arg(
            argument("includeSubgroups", BOOLEAN)
                .default(false)
                .describe("Also those of the groups below."),
        );
    filters(list);
    let list = g
        .query()
        .connection(
            "issues",
            object::<IssueView>("Issue"),
            |_, ask, args, context| everywhere(ask, args, context),
        )
        .describe("Issues that the caller may see; at least one filter is needed.");
    filters(list);
}

fn text(name: &str, of: &'static str, text: &str) -> Argument {
    argument(name, named(of)).describe(text)
}

fn many(name: &str, text: &str) -> Argument {
    argument(name, STRING.required().list()).describe(text)
}

/// What issues are like, or are not.
fn marks() -> Vec<Argument> {
    vec![
        argument("iids", STRING.required().list()).describe("These numbers."),
        argument("labelName", STRING.list()).describe("All these labels; `Any` or `None` alone."),
        argument("milestoneTitle", STRING.list()).describe("One of these milestones."),
        argument("authorUsername", STRING).describe("By this user."),
        many("assigneeUsernames", "Assigned to all these users."),
        argument("assigneeId", STRING)
            .describe("Assigned to the user of this number or global ID; `Any` or `None`."),
        argument("myReactionEmoji", STRING)
            .describe("With this reaction of the caller; `Any` or `None`."),
        argument("weight", STRING).describe("Of this weight; `Any` or `None`."),
        argument("types", named("IssueType").required().list()).describe("Of these types."),
    ]
}

fn filters<T: Any + Send + Sync>(list: ObjectBuilder<'_, T>) {
    let time = |name: &str, text: &str| argument(name, TIME).describe(text);
    let mut list = list
        .arg(text("state", "IssuableState", "Only in this state."))
        .arg(argument("iid", STRING).describe("Only of this number."))
        .arg(argument("search", STRING).describe("In title or description."))
        .arg(
            argument("in", named("IssuableSearchableField").required().list())
                .describe("Where to search."),
        )
        .arg(argument("assigneeUsername", STRING).describe("Only assigned to this user."))
        .arg(text(
            "assigneeWildcardId",
            "AssigneeWildcardId",
            "Only assigned ones, or only others.",
        ))
        .arg(text(
            "milestoneWildcardId",
            "MilestoneWildcardId",
            "Only of such milestones.",
        ))
        .arg(argument("confidential", BOOLEAN).describe("Only confidential ones, or only others."))
        .arg(time("createdAfter", "Only made since."))
        .arg(time("createdBefore", "Only made until."))
        .arg(time("updatedAfter", "Only changed since."))
        .arg(time("updatedBefore", "Only unchanged since."))
        .arg(time("closedAfter", "Only closed since."))
        .arg(time("closedBefore", "Only closed until."))
        .arg(argument("epicId", STRING).describe("Only of this epic; there are none."))
        .arg(text(
            "not",
            "NegatedIssueFilterInput",
            "What they are not like.",
        ))
        .arg(text(
            "or",
            "UnionedIssueFilterInput",
            "What they are like in one way at least.",
        ))
        .arg(text("sort", "IssueSort", "The order.").default("created_desc"));
    for mark in marks() {
        list = list.arg(mark);
    }
}

/// The filters of [`marks`], as given.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Given {
    iids: Option<Vec<String>>,
    label_name: Option<Vec<Option<String>>>,
    milestone_title: Option<Vec<Option<String>>>,
    milestone_wildcard_id: Option<String>,
    author_username: Option<String>,
    assignee_usernames: Option<Vec<String>>,
    assignee_id: Option<String>,
    my_reaction_emoji: Option<String>,
    weight: Option<String>,
    types: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Either {
    author_usernames: Option<Vec<String>>,
    assignee_usernames: Option<Vec<String>>,
    label_names: Option<Vec<String>>,
}

/// A list of texts that is not too long.
fn bounded<T>(list: Option<Vec<T>>, name: &str) -> Result<Vec<T>, Fault> {
    let list = list.unwrap_or_default();
    match list.len() > MOST {
        true => Err(Fault::argument(format!(
            "{name} cannot have more than {MOST} entries"
        ))),
        false => Ok(list),
    }
}

/// `Any`, `None` or something else; nothing of an empty text.
fn has<T>(text: Option<&str>, this: impl Fn(&str) -> T) -> Option<Has<T>> {
    let text = text.filter(|text| !text.is_empty())?;
    Some(match text.to_ascii_lowercase().as_str() {
        "any" => Has::Any,
        "none" => Has::None,
        _ => Has::This(this(text)),
    })
}

impl Given {
    /// What it asks for, with the types.
    fn marks(self, context: &Context) -> Result<(Marks, Vec<IssueKind>), Fault> {
        let titles =
            |list: Option<Vec<Option<String>>>, name: &str| -> Result<Vec<String>, Fault> {
                let list = bounded(list, name)?.into_iter().flatten();
                Ok(list.filter(|one| !one.is_empty()).collect())
            };
        let labels = titles(self.label_name, "labelName")?;
        let milestones_found = titles(self.milestone_title, "milestoneTitle")?;
        let wildcard = match self.milestone_wildcard_id.as_deref() {
            Some("ANY") => Some(Has::Any),
            Some("NONE") => Some(Has::None),
            _ => None,
        };
        let iids = self
            .iids
            .map(|all| bounded(Some(all), "iids"))
            .transpose()?;
        let user = |text: &str| match text.parse::<i64>() {
            Ok(id) => id,
            Err(_) => identity::graph::USER_ID.read(text).unwrap_or(0),
        };
        let reaction = self.my_reaction_emoji.as_deref().and_then(awards::wanted);
        let kinds = self.types.unwrap_or_default().into_iter();
        let kinds = kinds.filter_map(|one| chosen(Some(one), IssueKind::from_text));
        let marks = Marks {
            labels: match labels.as_slice() {
                [] => None,
                [only] => has(Some(only), |only| vec![only.to_owned()]),
                _ => Some(Has::This(labels)),
            },
            milestone: match milestones_found.as_slice() {
                [] => wildcard,
                [only] => has(Some(only), |only| vec![only.to_owned()]),
                _ => Some(Has::This(milestones_found)),
            },
            author_id: None,
            author_username: self.author_username,
            assignee: has(self.assignee_id.as_deref(), user),
            assignee_usernames: bounded(self.assignee_usernames, "assigneeUsernames")?,
            iids: iids.map(|all| all.iter().map(|one| number(one)).collect()),
            weight: has(self.weight.as_deref(), |text| text.parse().unwrap_or(-1)),
            reaction: reaction.map(|wanted| (viewer(context).user_id().unwrap_or(0), wanted)),
        };
        Ok((marks, kinds.collect()))
    }
}

/// Everything that is asked for.
fn filter(args: &Args, context: &Context) -> Result<Filter, Fault> {
    let given: Given = serde_json::from_value(Json::Object((*args.0).clone()))
        .map_err(kernel::error::Error::internal)?;
    let not: Option<Given> = args.get("not")?;
    let either: Either = args.get::<Option<Either>>("or")?.unwrap_or_default();
    let wildcard = given.milestone_wildcard_id.clone();
    let of_types = given.types.as_ref().is_some_and(|all| !all.is_empty());
    let (mut is, kinds) = given.marks(context)?;
    let (not, not_kinds) = not.unwrap_or_default().marks(context)?;
    if let Some(iid) = args.get::<Option<String>>("iid")? {
        is.iids.get_or_insert_default().push(number(&iid));
    }
    is.assignee_usernames
        .extend(args.get::<Option<String>>("assigneeUsername")?);
    match args.get::<Option<String>>("assigneeWildcardId")?.as_deref() {
        Some("ANY") => is.assignee = Some(Has::Any),
        Some("NONE") => is.assignee = Some(Has::None),
        _ => {}
    }
    let fields: Option<Vec<String>> = args.get("in")?;
    let fields = fields.unwrap_or_default();
    let time = |name: &str| -> Result<Option<Timestamp>, Fault> {
        let at: Option<Moment<Timestamp>> = args.get(name)?;
        Ok(at.map(|at| at.0))
    };
    let state: Option<String> = args.get("state")?;
    let epic: Option<String> = args.get("epicId")?;
    Ok(Filter {
        impossible: state.as_deref() == Some("locked")
            || epic.is_some_and(|epic| !epic.eq_ignore_ascii_case("none"))
            // Only types that there are none of.
            || (of_types && kinds.is_empty()),
        state: chosen(state, IssueState::from_text),
        is,
        not,
        any_of: AnyOf {
            labels: bounded(either.label_names, "labelNames")?,
            author_usernames: bounded(either.author_usernames, "authorUsernames")?,
            assignee_usernames: bounded(either.assignee_usernames, "assigneeUsernames")?,
        },
        stage: match wildcard.as_deref() {
            Some("STARTED") => Some(Stage::Started),
            Some("UPCOMING") => Some(Stage::Upcoming),
            _ => None,
        },
        search: args.get("search")?,
        in_title: fields.iter().any(|one| one == "TITLE"),
        in_description: fields.iter().any(|one| one == "DESCRIPTION"),
        confidential: args.get("confidential")?,
        kinds,
        not_kinds,
        created_after: time("createdAfter")?,
        created_before: time("createdBefore")?,
        updated_after: time("updatedAfter")?,
        updated_before: time("updatedBefore")?,
        closed_after: time("closedAfter")?,
        closed_before: time("closedBefore")?,
        ..Filter::default()
    })
}

/// What issues are sorted by.
#[derive(Debug, Clone, Copy)]
enum By {
    Created,
    Updated,
    Due,
    Weight,
    Title,
    Popularity,
}

/// The order of a list.
#[derive(Debug, Clone, Copy)]
pub struct Sorted {
    by: By,
    order: Order,
}

/// Stands for no day, after or before every other.
const NO_DAY: [&str; 2] = ["9999-99-99", ""];
/// Stands for no weight, after or before every other.
const NO_WEIGHT: [i64; 2] = [9_999_999_999, -1];

impl Sorted {
    /// The last made first.
    pub fn newest() -> Sorted {
        Sorted {
            by: By::Created,
            order: Order::Desc,
        }
    }

    fn read(args: &Args) -> Result<Sorted, Fault> {
        let name: Option<String> = args.get("sort")?;
        let name = name.unwrap_or_default().to_ascii_lowercase();
        let order = match name.ends_with("_asc") {
            true => Order::Asc,
            false => Order::Desc,
        };
        let by = match name.rsplit_once('_').map_or("", |(by, _)| by) {
            "updated" => By::Updated,
            "due_date" => By::Due,
            "weight" => By::Weight,
            "title" => By::Title,
            "popularity" => By::Popularity,
            _ => By::Created,
        };
        Ok(Sorted { by, order })
    }

    fn keys(self) -> [Key; 2] {
        let ascends = self.order == Order::Asc;
        let key = match self.by {
            By::Created => Key::time("issues.created_at", self.order),
            By::Updated => Key::time("issues.updated_at", self.order),
            By::Title => Key::text("issues.title_folded", self.order),
            By::Popularity => Key::int("issues.upvotes", self.order),
            By::Due if ascends => Key::text("coalesce(issues.due_on, '9999-99-99')", self.order),
            By::Due => Key::text("coalesce(issues.due_on, '')", self.order),
            By::Weight if ascends => Key::int("coalesce(issues.weight, 9999999999)", self.order),
            By::Weight => Key::int("coalesce(issues.weight, -1)", self.order),
        };
        [key, Key::int("issues.id", self.order)]
    }

    fn values(self, issue: &Issue) -> Vec<Json> {
        let end = usize::from(self.order == Order::Desc);
        let first = match self.by {
            By::Created => Key::instant(issue.created_at),
            By::Updated => Key::instant(issue.updated_at),
            By::Title => fold(&issue.title).into(),
            By::Popularity => issue.upvotes.into(),
            By::Due => match issue.due_on {
                Some(day) => day.to_string().into(),
                None => NO_DAY[end].into(),
            },
            By::Weight => issue.weight.unwrap_or(NO_WEIGHT[end]).into(),
        };
        vec![first, issue.id.into()]
    }

    fn name(self) -> String {
        format!("issues {:?} {:?}", self.by, self.order)
    }
}

async fn asked(
    owners: Owners,
    ask: Ask,
    args: Args,
    context: Context,
) -> Result<Vec<Option<Connection<IssueView>>>, Fault> {
    let filter = filter(&args, &context)?;
    pages(owners, filter, Sorted::read(&args)?, ask, context).await
}

/// A page for each owner, with how to count its list.
pub async fn pages(
    owners: Owners,
    filter: Filter,
    sorted: Sorted,
    ask: Ask,
    context: Context,
) -> Result<Vec<Option<Connection<IssueView>>>, Fault> {
    let window = ask.window(&context, &sorted.name(), &sorted.keys())?;
    let tally = {
        let (owners, filter) = (owners.clone(), filter.clone());
        Tally::new(move |tx, viewer, limit| rows::counts_of(tx, viewer, &owners, &filter, limit))
    };
    let ids = owners.ids();
    let (app, viewer) = caller(&context)?;
    let read = app.read(move |tx| {
        let found = rows::pages_of(tx, &viewer, &owners, &filter, &window)?;
        Ok((found, window))
    });
    let (found, window) = read.await?;
    let shown = |issue| IssueView::new(&app, issue);
    let found = found.into_iter().map(|one| one.map(shown)).collect();
    let pages = window.pages(&ids, found, |it: &IssueView| sorted.values(&it.issue));
    Ok(tally.counts(pages, ids))
}

async fn everywhere(
    ask: Ask,
    args: Args,
    context: Context,
) -> Result<Option<Connection<IssueView>>, Fault> {
    let pages = ["first", "last", "after", "before", "sort"];
    let narrows =
        |(name, value): (&String, &Json)| !pages.contains(&name.as_str()) && !value.is_null();
    if !args.0.iter().any(narrows) {
        let text = "You must provide at least one filter argument for this query";
        return Err(Fault::argument(text));
    }
    let filter = filter(&args, &context)?;
    let sorted = Sorted::read(&args)?;
    let window = ask.window(&context, &sorted.name(), &sorted.keys())?;
    let (app, viewer) = caller(&context)?;
    let narrowed = filter.clone();
    let read = app.read(move |tx| {
        let found = rows::page_of_all(tx, &viewer, &narrowed, &window)?;
        Ok((found, window))
    });
    let (found, window) = read.await?;
    let found = found.into_iter().map(|issue| IssueView::new(&app, issue));
    let page = window.page(found.collect(), |it: &IssueView| sorted.values(&it.issue));
    Ok(Some(page.counted(move |context, limit| {
        let filter = filter.clone();
        async move {
            let (app, viewer) = caller(&context)?;
            let count = app.read(move |tx| rows::count_all(tx, &viewer, &filter, limit));
            Ok(count.await?)
        }
    })))
}
