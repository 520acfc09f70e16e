//! What there is to a work item, part by part: each part is a widget, an object of its
//! own type over the same item.

use super::super::{Pages, awards, beside, html, in_order, labels, milestones, notes, todos};
use super::{WorkItem, WorkItems, each, lists};
use crate::formats::tasks;
use crate::graph::enums::HEALTH;
use crate::graph::epics::{Below, EpicView, OfIssues, lines};
use crate::model::epics::{EPIC, WORK_ITEMS};
use crate::model::{HealthStatus, Issue, IssueState, Label, Milestone, color, human_span};
use crate::rules::epics::said;
use crate::rules::issues::noteable;
use crate::store::awards::{Award, Awardable};
use crate::store::labels::WornBy;
use crate::store::notes::ISSUE;
use crate::store::threads::Discussion;
use crate::store::todos::Todo;
use identity::graph::Person;
use kernel::graph::shape::{ListOf, Object, Required};
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Cost, DATE, Fault, GlobalId, Graph, HasTypeRef, ID,
    INT, Key, ObjectBuilder, Order, STRING, argument, enumeration, item, named, object, one_of,
};
use spaces::model::SourceKind;
use std::sync::Arc;

/// A part of a work item.
pub struct Widget {
    item: WorkItem,
    part: &'static Part,
}

/// Its name in the enum, the object type, and what that is.
struct Part(&'static str, &'static str, &'static str);

macro_rules! parts {
    ($($part:ident = $name:literal, $ty:literal, $text:literal;)*) => {
        $(static $part: Part = Part($name, $ty, $text);)*
        static PARTS: &[&Part] = &[$(&$part),*];
    };
}

parts! {
    ASSIGNEES = "ASSIGNEES", "WorkItemWidgetAssignees", "Who is assigned.";
    AWARD_EMOJI = "AWARD_EMOJI", "WorkItemWidgetAwardEmoji", "Reactions to it.";
    COLOR = "COLOR", "WorkItemWidgetColor", "Its colour.";
    CURRENT_USER_TODOS = "CURRENT_USER_TODOS", "WorkItemWidgetCurrentUserTodos",
        "What the caller has to do about it.";
    DESCRIPTION = "DESCRIPTION", "WorkItemWidgetDescription", "What it is about.";
    HEALTH_STATUS = "HEALTH_STATUS", "WorkItemWidgetHealthStatus", "How people say it goes.";
    HIERARCHY = "HIERARCHY", "WorkItemWidgetHierarchy", "What is above and below it.";
    LABELS = "LABELS", "WorkItemWidgetLabels", "Its labels.";
    LINKED_ITEMS = "LINKED_ITEMS", "WorkItemWidgetLinkedItems", "What has to do with it.";
    MILESTONE = "MILESTONE", "WorkItemWidgetMilestone", "What it is to be done for.";
    NOTES = "NOTES", "WorkItemWidgetNotes", "What is said about it.";
    NOTIFICATIONS = "NOTIFICATIONS", "WorkItemWidgetNotifications",
        "Whether the caller is told of it.";
    PARTICIPANTS = "PARTICIPANTS", "WorkItemWidgetParticipants", "Who takes part.";
    START_AND_DUE_DATE = "START_AND_DUE_DATE", "WorkItemWidgetStartAndDueDate",
        "When it begins and ends.";
    STATUS = "STATUS", "WorkItemWidgetStatus", "How far people are with it.";
    TIME_TRACKING = "TIME_TRACKING", "WorkItemWidgetTimeTracking", "The time it takes.";
    WEIGHT = "WEIGHT", "WorkItemWidgetWeight", "How heavy it is.";
}

/// Those that issues alone have, and those that epics alone have.
static OF_ISSUES: [&Part; 4] = [&ASSIGNEES, &MILESTONE, &TIME_TRACKING, &WEIGHT];
static OF_EPICS: [&Part; 1] = [&COLOR];

impl Widget {
    /// All parts of an item.
    pub fn all(item: &WorkItem) -> Vec<Arc<Widget>> {
        let others = match item {
            WorkItem::Issue(_) => &OF_EPICS[..],
            WorkItem::Epic(_) => &OF_ISSUES[..],
        };
        let is_of_others = |part: &Part| others.iter().any(|other| std::ptr::eq(*other, part));
        let own = PARTS.iter().filter(|part| !is_of_others(part));
        own.map(|part| Arc::new(Widget { item: item.clone(), part })).collect()
    }

    fn issue(&self) -> Option<&Issue> {
        match &self.item {
            WorkItem::Issue(issue) => Some(issue),
            WorkItem::Epic(_) => None,
        }
    }

    fn epic(&self) -> Option<&EpicView> {
        match &self.item {
            WorkItem::Issue(_) => None,
            WorkItem::Epic(epic) => Some(epic),
        }
    }

    fn health(&self) -> Option<HealthStatus> {
        match &self.item {
            WorkItem::Issue(issue) => issue.health_status,
            WorkItem::Epic(epic) => epic.health_status,
        }
    }

    /// Its check boxes, and those that are ticked.
    fn tasks(&self) -> (i64, i64) {
        match &self.item {
            WorkItem::Issue(issue) => (issue.task_count, issue.task_completed_count),
            WorkItem::Epic(epic) => tasks::count(epic.text()),
        }
    }

    fn votes(&self) -> (i64, i64) {
        match &self.item {
            WorkItem::Issue(issue) => (issue.upvotes, issue.downvotes),
            WorkItem::Epic(epic) => (epic.upvotes, epic.downvotes),
        }
    }

    /// Whether its days are its own, and not those of what is below it.
    fn is_fixed(&self) -> bool {
        self.epic().is_none_or(|epic| {
            let start = epic.start_is_fixed && epic.start_on_fixed.is_some();
            let due = epic.due_is_fixed && epic.due_on_fixed.is_some();
            start || due || (epic.start_is_fixed && epic.due_is_fixed)
        })
    }
}

/// The shape of all of them.
pub fn list() -> ListOf<Required<Object<Widget>>> {
    one_of::<Widget>("WorkItemWidget", |it| it.part.1).required().list()
}

pub fn items(widgets: &[Arc<Widget>]) -> Vec<WorkItem> {
    widgets.iter().map(|it| it.item.clone()).collect()
}

/// The object type of a part.
pub fn of<'g>(g: &'g mut Graph, name: &str) -> ObjectBuilder<'g, Widget> {
    let part = PARTS.iter().find(|part| part.0 == name).copied().unwrap_or(&DESCRIPTION);
    g.object::<Widget>(part.1, part.2).implements("WorkItemWidget")
}

struct Status(IssueState);

const STATUS_ID: GlobalId =
    GlobalId::new("WorkItemsStatusID", "WorkItems::Statuses::SystemDefined::Status");

pub fn graph(g: &mut Graph) {
    let names = PARTS.iter().map(|part| item(part.0, part.2));
    g.enumeration("WorkItemWidgetType", "Parts of work items.", names.collect());
    g.interface::<Widget>("WorkItemWidget", "A part of a work item.")
        .field("type", enumeration("WorkItemWidgetType"), |it| Some(it.part.0))
        .describe("Which part.");
    plain(g);
    texts(g);
    lists_beside(g);
    hierarchy(g);
}

fn plain(g: &mut Graph) {
    of(g, "COLOR")
        .field("color", STRING, |it| it.epic().map(|epic| epic.color.clone()))
        .describe("Its colour, `#rrggbb`.")
        .field("textColor", STRING, |it| {
            it.epic().map(|epic| color::text_on(&epic.color).to_owned())
        })
        .describe("What is read well on it.");
    of(g, "WEIGHT")
        .field("weight", INT, |it| it.issue().and_then(|issue| issue.weight))
        .describe("How heavy it is.");
    of(g, "HEALTH_STATUS")
        .field("healthStatus", HEALTH, Widget::health)
        .describe("How people say it goes.");
    of(g, "START_AND_DUE_DATE")
        .field("startDate", DATE, |it| lists::days(&it.item).0)
        .describe("The day it begins; issues have none.")
        .field("dueDate", DATE, |it| lists::days(&it.item).1)
        .describe("The day it is due.")
        .field("isFixed", BOOLEAN.required(), Widget::is_fixed)
        .describe("Whether these are its own days, and not those of what is below it.");
    of(g, "TIME_TRACKING")
        .field("timeEstimate", INT, |it| it.issue().map(|issue| issue.time_estimate))
        .describe("Seconds it is estimated to take.")
        .field("totalTimeSpent", INT, |it| it.issue().map(|issue| issue.time_spent))
        .describe("Seconds spent on it.")
        .field("humanTimeEstimate", STRING, |it| {
            it.issue().and_then(|issue| human_span(issue.time_estimate))
        })
        .describe("The time it is estimated to take, for people.")
        .field("humanTotalTimeSpent", STRING, |it| {
            it.issue().and_then(|issue| human_span(issue.time_spent))
        })
        .describe("The time spent on it, for people.");
    g.object::<Status>("WorkItemStatus", "How far people are with a work item.")
        .field("id", ID.required(), |it| match it.0 {
            IssueState::Opened => STATUS_ID.of(1),
            IssueState::Closed => STATUS_ID.of(3),
        })
        .describe("Global ID; the same on every server.")
        .field("name", STRING.required(), |it| match it.0 {
            IssueState::Opened => "To do".to_owned(),
            IssueState::Closed => "Done".to_owned(),
        })
        .describe("Its name.");
    of(g, "STATUS")
        .field("status", object::<Status>("WorkItemStatus"), |it| {
            Some(Arc::new(Status(it.item.state())))
        })
        .describe("To do while it is open, and done when it is closed.");
}

struct Tasks(i64, i64);

fn texts(g: &mut Graph) {
    g.object::<Tasks>("WorkItemTaskCompletionStatus", "Check boxes of a description.")
        .field("count", INT.required(), |it| it.0)
        .describe("How many there are.")
        .field("completedCount", INT.required(), |it| it.1)
        .describe("How many are ticked.");
    let tasks = object::<Tasks>("WorkItemTaskCompletionStatus");
    of(g, "DESCRIPTION")
        .field("description", STRING, |it| it.item.description())
        .describe("Its description, in Markdown.")
        .level("descriptionHtml", STRING, |widgets: Vec<Arc<Widget>>, _, _| {
            let source = |it: &Widget| -> Option<(SourceKind, i64)> { Some(it.item.source()) };
            html(widgets.iter().map(|it| (it.item.description(), source(it))).collect())
        })
        .describe("Its description as HTML.")
        .cost(Cost::RENDERED)
        .field("taskCompletionStatus", tasks, |it| {
            let (all, ticked) = it.tasks();
            Some(Arc::new(Tasks(all, ticked)))
        })
        .describe("Its check boxes.");
}

fn ids(issues: &[Arc<Issue>]) -> Vec<i64> {
    issues.iter().map(|it| it.id).collect()
}

fn numbers(epics: &[Arc<EpicView>]) -> Vec<i64> {
    epics.iter().map(|it| it.id).collect()
}

fn lists_beside(g: &mut Graph) {
    of(g, "ASSIGNEES")
        .connections("assignees", object::<Person>("UserCore"), assignees)
        .describe("Who is assigned.")
        .field("allowsMultipleAssignees", BOOLEAN.required(), |_| true)
        .describe("Whether more than one may be.");
    of(g, "LABELS")
        .connections("labels", object::<Label>("Label"), worn)
        .describe("Its labels, by title.");
    of(g, "MILESTONE")
        .load::<milestones::MilestonesOfThings, _>(
            "milestone",
            object::<Milestone>("Milestone"),
            |it| it.issue().and_then(|issue| issue.milestone_id),
        )
        .describe("What it is to be done for.");
    of(g, "NOTES")
        .connections("discussions", object::<Discussion>("Discussion"), discussions)
        .describe("Its discussions that the caller may see, in the order they began.")
        .arg(
            argument("filter", named("NotesFilterType"))
                .default("ALL_NOTES")
                .describe("Of people, of the program, or both."),
        )
        .field("discussionLocked", BOOLEAN, |it| Some(it.issue().is_some_and(Issue::is_locked)))
        .describe("Whether only members comment.");
    of(g, "AWARD_EMOJI")
        .field("upvotes", INT.required(), |it| it.votes().0)
        .describe("Thumbs up.")
        .field("downvotes", INT.required(), |it| it.votes().1)
        .describe("Thumbs down.")
        .connections("awardEmoji", object::<Award>("AwardEmoji"), reactions)
        .describe("Reactions to it, in the order they came.");
    of(g, "CURRENT_USER_TODOS")
        .connections("currentUserTodos", object::<Todo>("Todo"), own_todos)
        .describe("The caller's to-dos about it.")
        .arg(argument("state", named("TodoStateEnum")).describe("Only in this state."));
}

async fn assignees(
    widgets: Vec<Arc<Widget>>, ask: Ask, args: Args, context: Context,
) -> Pages<Person> {
    let of_issues = |issues| beside::assignees(issues, ask, args, context);
    // Epics have no such part.
    let of_epics = |_: Vec<Arc<EpicView>>| async { Ok(Vec::new()) };
    each(items(&widgets), of_issues, of_epics).await
}

async fn worn(widgets: Vec<Arc<Widget>>, ask: Ask, _: Args, context: Context) -> Pages<Label> {
    let on = |of, ids| labels::worn(of, ids, ask.clone(), context.clone());
    let of_issues = |all: Vec<_>| on(WornBy::ISSUES, ids(&all));
    let of_epics = |all: Vec<_>| on(WornBy::EPICS, numbers(&all));
    each(items(&widgets), of_issues, of_epics).await
}

async fn discussions(
    widgets: Vec<Arc<Widget>>, ask: Ask, args: Args, context: Context,
) -> Pages<Discussion> {
    let said =
        |kind, ids| notes::discussions((kind, ids), ask.clone(), args.clone(), context.clone());
    let of_issues = |all: Vec<_>| said(ISSUE, ids(&all));
    let of_epics = |all: Vec<_>| said(EPIC, numbers(&all));
    each(items(&widgets), of_issues, of_epics).await
}

async fn reactions(widgets: Vec<Arc<Widget>>, ask: Ask, _: Args, context: Context) -> Pages<Award> {
    let to = |of: Vec<Awardable>| awards::given(of, ask.clone(), context.clone());
    let of_issues = |all: Vec<_>| to(ids(&all).into_iter().map(Awardable::Issue).collect());
    let of_epics = |all: Vec<_>| to(numbers(&all).into_iter().map(Awardable::Epic).collect());
    each(items(&widgets), of_issues, of_epics).await
}

async fn own_todos(
    widgets: Vec<Arc<Widget>>, ask: Ask, args: Args, context: Context,
) -> Pages<Todo> {
    let about = |things| todos::about(things, ask.clone(), args.clone(), context.clone());
    let of_issues = |all: Vec<Arc<Issue>>| about(all.iter().map(|issue| noteable(issue)).collect());
    let of_epics =
        |all: Vec<Arc<EpicView>>| about(all.iter().map(|epic| said::noteable(epic)).collect());
    each(items(&widgets), of_issues, of_epics).await
}

fn hierarchy(g: &mut Graph) {
    let it = || object::<WorkItem>("WorkItem");
    of(g, "HIERARCHY")
        .level("parent", it(), |widgets: Vec<Arc<Widget>>, _, context| async move {
            parents(&items(&widgets), &context).await
        })
        .describe("The epic right above it, if the caller sees that.")
        .level(
            "hasParent",
            BOOLEAN.required(),
            |widgets: Vec<Arc<Widget>>, _, context| async move {
                let found = parents(&items(&widgets), &context).await?;
                Ok(found.iter().map(Option::is_some).collect())
            },
        )
        .describe("Whether there is one.")
        .level("depth", INT.required(), |widgets: Vec<Arc<Widget>>, _, context| async move {
            let found = above(&items(&widgets), &context).await?;
            Ok(found.iter().map(|line| line.len() as i64).collect())
        })
        .describe("How many are above it, as far as the caller sees each of them.")
        .connections("ancestors", it(), ancestors)
        .describe("The epics above it, the nearest first, up to one the caller does not see.")
        .connections("children", it(), children)
        .describe("What is right below it: epics, then issues, of those the caller sees.")
        .level("hasChildren", BOOLEAN.required(), |widgets: Vec<Arc<Widget>>, _, context| {
            has_children(items(&widgets), context)
        })
        .describe("Whether something that the caller sees is right below it.");
}

/// The epics right above these.
async fn parents(
    items: &[WorkItem], context: &Context,
) -> Result<Vec<Option<Arc<WorkItem>>>, Fault> {
    let of_issues = |all: Vec<Arc<Issue>>| async move {
        let found = context.load::<OfIssues>(ids(&all)).await?;
        let of = |it: &Arc<Issue>| found.get(&it.id).cloned();
        Ok(all.iter().map(|it| of(it).map(|it| Arc::new(WorkItem::Epic(it)))).collect())
    };
    let of_epics = |all: Vec<Arc<EpicView>>| async move {
        let above = |it: &Arc<EpicView>| it.parent_id.map(|id| id + WORK_ITEMS);
        let found = context.load::<WorkItems>(all.iter().filter_map(above)).await?;
        Ok(all.iter().map(|it| found.get(&above(it)?).cloned()).collect())
    };
    each(items.to_vec(), of_issues, of_epics).await
}

/// All epics above these, the nearest first.
async fn above(items: &[WorkItem], context: &Context) -> Result<Vec<Vec<Arc<WorkItem>>>, Fault> {
    let nearest = parents(items, context).await?;
    let epics: Vec<i64> = nearest.iter().flatten().map(|it| it.id() - WORK_ITEMS).collect();
    let mut further = lines(&epics, context).await?.into_iter();
    let line = |nearest: Option<Arc<WorkItem>>| {
        let Some(nearest) = nearest else {
            return Vec::new();
        };
        let rest = further.next().unwrap_or_default().into_iter();
        std::iter::once(nearest)
            .chain(rest.map(|it| Arc::new(WorkItem::Epic(it))))
            .collect()
    };
    Ok(nearest.into_iter().map(line).collect())
}

async fn ancestors(
    widgets: Vec<Arc<Widget>>, ask: Ask, _: Args, context: Context,
) -> Pages<WorkItem> {
    let window = ask.window(&context, "ancestors", &[Key::int("level", Order::Asc)])?;
    let found = above(&items(&widgets), &context).await?;
    let page = |line: Vec<Arc<WorkItem>>| {
        let count = line.len() as i64;
        Some(in_order(&window, &line).counted(move |_, _| async move { Ok(count) }))
    };
    Ok(found.into_iter().map(page).collect())
}

async fn children(
    widgets: Vec<Arc<Widget>>, ask: Ask, _: Args, context: Context,
) -> Pages<WorkItem> {
    // Nothing stands below an issue.
    let none = |all: Vec<Arc<Issue>>| async move {
        let empty = || Connection::empty().counted(|_, _| async { Ok(0) });
        Ok(all.iter().map(|_| Some(empty())).collect())
    };
    let of_epics = |all: Vec<_>| lists::below(numbers(&all), ask, context.clone());
    each(items(&widgets), none, of_epics).await
}

async fn has_children(items: Vec<WorkItem>, context: Context) -> Result<Vec<bool>, Fault> {
    let none = |all: Vec<Arc<Issue>>| async move { Ok(vec![false; all.len()]) };
    let of_epics = |all: Vec<Arc<EpicView>>| async move {
        let found = context.load::<Below>(numbers(&all)).await?;
        let of = |it: &Arc<EpicView>| found.get(&it.id).copied().unwrap_or_default();
        Ok(all.iter().map(|it| of(it).0 || of(it).1).collect())
    };
    each(items, none, of_epics).await
}
