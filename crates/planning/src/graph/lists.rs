//! Issues of a project, of a group, and of all that the caller sees.

use super::enums::chosen;
use super::issue::number;
use super::{Moment, read_pages};
use crate::model::{Issue, IssueKind, IssueState};
use crate::rules::awards;
use crate::store::issues::filter::{AnyOf, Has, IssueFilter, Marks, Stage, Times};
use crate::store::issues::list::{self as rows, Owners};
use identity::graph::{Tally, caller, viewer};
use identity::viewer::Viewer;
use kernel::graph::input::GraphInput;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, Graph, HasTypeRef, Key, Order, STRING, TIME,
    Window, argument, named, object,
};
use kernel::graph_input;
use kernel::ids::fold;
use kernel::time::Timestamp;
use serde_json::Value as Json;
use spaces::graph::{NamespaceView, ProjectView as Project};
use std::sync::Arc;
use store::Tx;

const MOST: usize = 100;

pub fn graph(g: &mut Graph) {
    let text = "What issues are not like.";
    g.input("NegatedIssueFilterInput", text, NotLike::arguments());
    let text = "What issues are like in one way at least.";
    g.input("UnionedIssueFilterInput", text, Either::arguments());
    g.count("Issue");
    g.on::<Project>("Project")
        .connections(
            "issues",
            object::<Issue>("Issue"),
            |projects: Vec<Arc<Project>>, ask, args, context| async move {
                let ids = projects.iter().map(|it| it.project.id).collect();
                asked(Owners::Projects(ids), ask, args, context).await
            },
        )
        .describe("Its issues that the caller may see.")
        .args::<Filters>();
    g.on::<NamespaceView>("Group")
        .connections(
            "issues",
            object::<Issue>("Issue"),
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
        )
        .args::<Filters>();
    g.query()
        .connection("issues", object::<Issue>("Issue"), |_, ask, args, context| {
            everywhere(ask, args, context)
        })
        .describe("Issues that the caller may see; at least one filter is needed.")
        .args::<Filters>();
}

graph_input! {
    /// What issues are like, or are not.
    #[derive(Default)]
    struct Like {
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
        types: Option<Vec<String>> = named("IssueType").required().list(),
    }
}

graph_input! {
    #[derive(Default)]
    struct NotLike {
        ..like: Like,
        /// Not of these milestones.
        milestone_wildcard_id: Option<String> = named("MilestoneWildcardId"),
    }
}

graph_input! {
    #[derive(Default)]
    struct Either {
        /// By one of these users.
        author_usernames: Option<Vec<String>> = STRING.required().list(),
        /// Assigned to one of these users.
        assignee_usernames: Option<Vec<String>> = STRING.required().list(),
        /// With one of these labels.
        label_names: Option<Vec<String>> = STRING.required().list(),
    }
}

graph_input! {
    struct Filters {
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
        /// Only of this epic; there are none.
        epic_id: Option<String> = STRING,
        /// What they are not like.
        not: Option<NotLike> = named("NegatedIssueFilterInput"),
        /// What they are like in one way at least.
        either as "or": Option<Either> = named("UnionedIssueFilterInput"),
        /// The order.
        sort: Option<String> = named("IssueSort") => "created_desc",
    }
}

/// A list of texts that is not too long.
fn bounded<T>(list: Option<Vec<T>>, name: &str) -> Result<Vec<T>, Fault> {
    let list = list.unwrap_or_default();
    match list.len() > MOST {
        true => Err(Fault::argument(format!("{name} cannot have more than {MOST} entries"))),
        false => Ok(list),
    }
}

/// One of these titles at least; one alone may be `Any` or `None`.
fn titled(titles: Vec<String>) -> Option<Has<Vec<String>>> {
    match titles.as_slice() {
        [] => None,
        [only] => Has::of(only, |only| vec![only.to_owned()]),
        _ => Some(Has::This(titles)),
    }
}

impl Like {
    fn marks(
        self,
        milestone: Option<&str>,
        context: &Context,
    ) -> Result<(Marks, Vec<IssueKind>), Fault> {
        let titles =
            |list: Option<Vec<Option<String>>>, name: &str| -> Result<Vec<String>, Fault> {
                let list = bounded(list, name)?.into_iter().flatten();
                Ok(list.filter(|one| !one.is_empty()).collect())
            };
        let labels = titles(self.label_name, "labelName")?;
        let milestones_found = titles(self.milestone_title, "milestoneTitle")?;
        let wildcard = match milestone {
            Some("ANY") => Some(Has::Any),
            Some("NONE") => Some(Has::None),
            _ => None,
        };
        let iids = self.iids.map(|all| bounded(Some(all), "iids")).transpose()?;
        let user = |text: &str| match text.parse::<i64>() {
            Ok(id) => id,
            Err(_) => identity::graph::USER_ID.read(text).unwrap_or(0),
        };
        let weight = |text: &str| text.parse().unwrap_or(-1);
        let reaction = self.my_reaction_emoji.as_deref().and_then(awards::wanted);
        let kinds = self.types.unwrap_or_default().into_iter();
        let kinds = kinds.filter_map(|one| chosen(Some(one), IssueKind::from_text));
        let marks = Marks {
            labels: titled(labels),
            milestone: match milestones_found.is_empty() {
                true => wildcard,
                false => titled(milestones_found),
            },
            author_id: None,
            author_username: self.author_username,
            assignee: self.assignee_id.and_then(|text| Has::of(&text, user)),
            assignee_usernames: bounded(self.assignee_usernames, "assigneeUsernames")?,
            iids: iids.map(|all| all.iter().map(|one| number(one)).collect()),
            weight: self.weight.and_then(|text| Has::of(&text, weight)),
            reaction: reaction.map(|wanted| (viewer(context).user_id().unwrap_or(0), wanted)),
        };
        Ok((marks, kinds.collect()))
    }
}

fn filter(args: &Args, context: &Context) -> Result<IssueFilter, Fault> {
    let given: Filters = args.read()?;
    let milestone = given.milestone_wildcard_id.as_deref();
    let (not, either) = (given.not.unwrap_or_default(), given.either.unwrap_or_default());
    let of_types = given.like.types.as_ref().is_some_and(|all| !all.is_empty());
    let (mut is, kinds) = given.like.marks(milestone, context)?;
    let (not, not_kinds) = not.like.marks(not.milestone_wildcard_id.as_deref(), context)?;
    if let Some(iid) = given.iid {
        is.iids.get_or_insert_default().push(number(&iid));
    }
    is.assignee_usernames.extend(given.assignee_username);
    match given.assignee_wildcard_id.as_deref() {
        Some("ANY") => is.assignee = Some(Has::Any),
        Some("NONE") => is.assignee = Some(Has::None),
        _ => {}
    }
    let fields = given.fields.unwrap_or_default();
    let time = |at: Option<Moment<Timestamp>>| at.map(|at| at.0);
    Ok(IssueFilter {
        impossible: given.state.as_deref() == Some("locked")
            || given.epic_id.is_some_and(|epic| !epic.eq_ignore_ascii_case("none"))
            // Only types that there are none of.
            || (of_types && kinds.is_empty()),
        state: chosen(given.state, IssueState::from_text),
        is,
        not,
        any_of: AnyOf {
            labels: bounded(either.label_names, "labelNames")?,
            author_usernames: bounded(either.author_usernames, "authorUsernames")?,
            assignee_usernames: bounded(either.assignee_usernames, "assigneeUsernames")?,
        },
        stage: match milestone {
            Some("STARTED") => Some(Stage::Started),
            Some("UPCOMING") => Some(Stage::Upcoming),
            _ => None,
        },
        search: given.search,
        in_title: fields.iter().any(|one| one == "TITLE"),
        in_description: fields.iter().any(|one| one == "DESCRIPTION"),
        confidential: given.confidential,
        kinds,
        not_kinds,
        times: Times {
            created_after: time(given.created_after),
            created_before: time(given.created_before),
            updated_after: time(given.updated_after),
            updated_before: time(given.updated_before),
            closed_after: time(given.closed_after),
            closed_before: time(given.closed_before),
        },
        ..IssueFilter::default()
    })
}

#[derive(Debug, Clone, Copy)]
enum By {
    Created,
    Updated,
    Due,
    Weight,
    Title,
    Popularity,
}

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
    pub fn newest() -> Sorted {
        Sorted { by: By::Created, order: Order::Desc }
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
) -> Result<Vec<Option<Connection<Issue>>>, Fault> {
    let filter = filter(&args, &context)?;
    pages(owners, filter, Sorted::read(&args)?, ask, context).await
}

/// A page for each owner, with how to count its list.
pub async fn pages(
    owners: Owners,
    filter: IssueFilter,
    sorted: Sorted,
    ask: Ask,
    context: Context,
) -> Result<Vec<Option<Connection<Issue>>>, Fault> {
    let window = ask.window(&context, &sorted.name(), &sorted.keys())?;
    let tally = {
        let (owners, filter) = (owners.clone(), filter.clone());
        Tally::new(move |tx, viewer, limit| rows::counts_of(tx, viewer, &owners, &filter, limit))
    };
    let ids = owners.ids();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        rows::pages_of(tx, viewer, &owners, &filter, window)
    };
    let keys = |it: &Issue| sorted.values(it);
    let pages = read_pages(&context, window, &ids, read, keys).await?;
    Ok(tally.counts(pages, ids))
}

async fn everywhere(
    ask: Ask,
    args: Args,
    context: Context,
) -> Result<Option<Connection<Issue>>, Fault> {
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
    let page = window.page(found, |it: &Issue| sorted.values(it));
    Ok(Some(page.counted(move |context, limit| {
        let filter = filter.clone();
        async move {
            let (app, viewer) = caller(&context)?;
            let count = app.read(move |tx| rows::count_all(tx, &viewer, &filter, limit));
            Ok(count.await?)
        }
    })))
}
