//! The type `Issue`, one by its number or ID, and mutations that write one.

use super::change::{At, edit, one, shown};
use super::enums::{ESCALATION, HEALTH, SEVERITY, STATE, TYPE, chosen};
use super::labels::numbers;
use super::prose::{Prose, referred, timed, written};
use super::{
    EPIC_ID, ISSUE_ID, ISSUE_TYPES, Issues, MILESTONE_ID, Moment, one_by_id, one_of_each, writer,
};
use crate::guarded;
use crate::model::{Issue, IssueKind};
use crate::rules::issues::{Assignees, IssueInput, StateEvent};
use crate::rules::labelling::Labelling;
use crate::store::issues as rows;
use identity::graph::{People, Person, USER_ID, caller};
use identity::viewer::Viewer;
use kernel::error::Error;
use kernel::graph::{
    Args, BOOLEAN, Context, Fault, Graph, HasTypeRef, ID, INT, ObjectBuilder, STRING, TIME,
    argument, item, named, object,
};
use kernel::graph_input;
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use kernel::time::{Date, Timestamp, start_of};
use serde_json::Value as Json;
use spaces::graph::ProjectView as Project;
use spaces::model::SourceKind;
use std::any::Any;
use std::sync::Arc;
use store::Tx;

/// Check boxes of a text.
pub struct Tasks {
    pub count: i64,
    pub completed: i64,
}

pub fn graph(g: &mut Graph) {
    g.object::<Tasks>("TaskCompletionStatus", "Check boxes of a description.")
        .field("count", INT.required(), |it| it.count)
        .describe("How many there are.")
        .field("completedCount", INT.required(), |it| it.completed)
        .describe("How many are ticked.");
    let health = vec![
        item("onTrack", "As planned."),
        item("needsAttention", "Late, or about to be."),
        item("atRisk", "In danger."),
    ];
    g.enumeration("HealthStatus", "How an issue goes.", health);
    for name in ISSUE_TYPES {
        let it = g.object::<Issue>(name, "An issue.");
        let it = times(marks(texts(it)));
        let it = ticked(timed(it), tasks);
        super::notes::noteable(it, crate::issues::noteable);
        let issue = g.on::<Issue>(name);
        super::todos::todoable(issue, "currentUserTodos", crate::issues::noteable);
    }
    lookups(g);
}

pub fn mutations(g: &mut Graph) {
    create(g);
    update(g);
}

fn prose(it: &Issue) -> Prose<'_> {
    let source = (SourceKind::Project, it.project_id);
    Prose { title: &it.title, text: it.description.as_deref(), source }
}

fn tasks(it: &Issue) -> Tasks {
    Tasks { count: it.task_count, completed: it.task_completed_count }
}

fn reference(it: &Issue, full: bool) -> String {
    let path = if full { it.project_path.as_str() } else { "" };
    format!("{path}#{}", it.iid)
}

/// Adds the check boxes of its description.
pub fn ticked<T: Any + Send + Sync>(
    it: ObjectBuilder<'_, T>, tasks: fn(&T) -> Tasks,
) -> ObjectBuilder<'_, T> {
    let shape = object::<Tasks>("TaskCompletionStatus").required();
    it.field("taskCompletionStatus", shape, move |it| Arc::new(tasks(it)))
        .describe("Check boxes of its description.")
}

fn texts(it: ObjectBuilder<'_, Issue>) -> ObjectBuilder<'_, Issue> {
    let it = it
        .field("id", ID.required(), |it| ISSUE_ID.of(it.id))
        .describe("Global ID.")
        .field("iid", ID.required(), |it| it.iid.to_string())
        .describe("Number in its project.")
        .field("title", STRING.required(), |it| it.title.clone())
        .describe("Its title.");
    referred(written(it, prose, Issue::path), reference)
        .load::<People, _>("author", object::<Person>("UserCore"), |it| it.author_id)
        .describe("Who made it; null if their account is gone.")
        .load::<People, _>("closedBy", object::<Person>("UserCore"), |it| it.closed_by_id)
        .describe("Who closed it.")
}

fn marks(it: ObjectBuilder<'_, Issue>) -> ObjectBuilder<'_, Issue> {
    it.field("state", STATE.required(), |it| it.state)
        .describe("Open or closed.")
        .field("type", TYPE, |it| Some(it.kind))
        .describe("What it is about.")
        .field("severity", SEVERITY, |it| Some(it.severity))
        .describe("How bad an incident is.")
        .field("escalationStatus", ESCALATION, |it| {
            it.is_incident().then_some(it.escalation_status)
        })
        .describe("How far people are with an incident; null of other issues.")
        .field("healthStatus", HEALTH, |it| it.health_status)
        .describe("How people say it goes.")
        .field("confidential", BOOLEAN.required(), |it| it.confidential)
        .describe("Seen by its author, assignees and reporters only.")
        .field("hidden", BOOLEAN, |_| Some(false))
        .describe("Whether it is hidden since its author is banned.")
        .field("discussionLocked", BOOLEAN.required(), |it| it.is_locked())
        .describe("Whether only members comment.")
        .field("weight", INT, |it| it.weight)
        .describe("How heavy it is.")
        .field("upvotes", INT.required(), |it| it.upvotes)
        .describe("Thumbs up.")
        .field("downvotes", INT.required(), |it| it.downvotes)
        .describe("Thumbs down.")
        .field("moved", BOOLEAN, |it| Some(it.moved_to_id.is_some()))
        .describe("Whether it moved to another project.")
        .load::<Issues, _>("movedTo", object::<Issue>("Issue"), |it| it.moved_to_id)
        .describe("Where it moved to.")
        .field("projectId", INT.required(), |it| it.project_id)
        .describe("Number of its project.")
}

fn times(it: ObjectBuilder<'_, Issue>) -> ObjectBuilder<'_, Issue> {
    it.field("dueDate", TIME, |it| it.due_on.map(start_of))
        .describe("The day it is due.")
        .field("createdAt", TIME.required(), |it| it.created_at)
        .describe("When it was made.")
        .field("updatedAt", TIME.required(), |it| it.updated_at)
        .describe("When it last changed.")
        .field("closedAt", TIME, |it| it.closed_at)
        .describe("When it was closed.")
}

fn lookups(g: &mut Graph) {
    g.on::<Project>("Project")
        .level("issue", object::<Issue>("Issue"), of_projects)
        .describe("One issue; null unless the caller may see it.")
        .cost(kernel::graph::Cost::LookedUp)
        .arg(argument("iid", STRING).describe("Its number."));
    let text = "One issue; null unless the caller may see it.";
    one_by_id::<Issues, _>(g, "issue", "Issue", ISSUE_ID, text);
}

async fn of_projects(
    projects: Vec<Arc<Project>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<Issue>>>, Fault> {
    let iid: Option<String> = args.get("iid")?;
    let iid = number(&iid.unwrap_or_default());
    let places = projects.iter().map(|it| it.project.id).collect();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, places: &[i64]| {
        rows::visible_by_iid(tx, viewer, places, iid)
    };
    one_of_each(&context, places, read, |it: Issue| (it.project_id, it)).await
}

/// The number that a text is; 0, which no issue has, of any other text.
pub fn number(iid: &str) -> i64 {
    iid.parse().ok().filter(|iid| *iid > 0).unwrap_or(0)
}

graph_input! {
    struct CreateIssue {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Its title.
        title: String = STRING.required(),
        /// Its description, in Markdown.
        description: Option<String> = STRING,
        /// What it is about.
        kind as "type": Option<String> = named("IssueType"),
        /// Whether few see it.
        confidential: Option<bool> = BOOLEAN,
        /// Whether only members comment.
        locked: Option<bool> = BOOLEAN,
        /// The day it is due.
        due_date: Option<Moment<Date>> = named("ISO8601Date"),
        /// Titles of labels.
        labels: Option<Vec<String>> = STRING.required().list(),
        /// Global IDs of labels.
        label_ids: Option<Vec<Json>> = named("LabelID").required().list(),
        /// Who is assigned.
        assignee_ids: Option<Vec<i64>> = USER_ID.required().list(),
        /// What it is to be done for.
        milestone_id: Option<i64> = MILESTONE_ID,
        /// Its number; for owners.
        iid: Option<i64> = INT,
        /// When it was made; for owners.
        created_at: Option<Moment<Timestamp>> = TIME,
        /// How heavy it is.
        weight: Option<i64> = INT,
        /// The epic it is in.
        epic_id: Option<i64> = EPIC_ID,
    }
}

fn kind(name: Option<String>) -> Result<Option<IssueKind>, Fault> {
    let known = chosen(name.clone(), IssueKind::from_text);
    match name.is_some() && known.is_none() {
        true => Err(Error::invalid("type", "is not supported").into()),
        false => Ok(known),
    }
}

impl CreateIssue {
    fn input(self) -> Result<IssueInput, Fault> {
        Ok(IssueInput {
            title: Some(self.title),
            description: Patch::given(self.description),
            kind: kind(self.kind)?,
            confidential: self.confidential,
            discussion_locked: Patch::given(self.locked),
            due_on: Patch::given(self.due_date.map(|day| day.0)),
            wears: Flat(Labelling {
                labels: self.labels,
                label_ids: numbers(self.label_ids)?,
                ..Labelling::default()
            }),
            assignees: self.assignee_ids.map_or(Assignees::AsTheyAre, Assignees::Set),
            milestone_id: Patch::given(self.milestone_id),
            iid: self.iid,
            created_at: self.created_at.map(|at| at.0),
            weight: Patch::given(self.weight),
            epic_id: Patch::given(self.epic_id),
            ..IssueInput::default()
        })
    }
}

fn create(g: &mut Graph) {
    one(g, "createIssue", "Makes an issue.").handle(|it: CreateIssue, context| async move {
        let (app, _) = caller(&context)?;
        let project = Reference::Path(it.project_path.clone());
        let (writer, wanted) = (writer(&context)?, it.input()?);
        let made = guarded::open(&app, writer, project, wanted, |_, _, issue| Ok(issue));
        Ok(shown(made.await?.mutated()?))
    });
}

// Labels of updates come as IDs of either kind, or as bare numbers.
graph_input! {
    struct UpdateIssue {
        ..at: At,
        /// Another title.
        title: Option<String> = STRING,
        /// Another description; null for none.
        #[serde(default)]
        description: Patch<String> = STRING,
        /// Close it or open it again.
        state_event: Option<String> = named("IssueStateEvent"),
        /// Whether few see it.
        confidential: Option<bool> = BOOLEAN,
        /// Whether only members comment.
        locked: Option<bool> = BOOLEAN,
        /// The day it is due; null for none.
        #[serde(default)]
        due_date: Patch<Moment<Date>> = named("ISO8601Date"),
        /// These labels and no others.
        label_ids: Option<Vec<Json>> = ID.required().list(),
        /// These labels, too.
        add_label_ids: Option<Vec<Json>> = ID.required().list(),
        /// These labels no longer.
        remove_label_ids: Option<Vec<Json>> = ID.required().list(),
        /// What it is to be done for; null for nothing.
        #[serde(default)]
        milestone_id: Patch<i64> = MILESTONE_ID,
        /// What it is about.
        kind as "type": Option<String> = named("IssueType"),
        /// How heavy it is; null for nothing.
        #[serde(default)]
        weight: Patch<i64> = INT,
        /// The epic it is in; null for none.
        #[serde(default)]
        epic_id: Patch<i64> = EPIC_ID,
    }
}

impl UpdateIssue {
    fn input(self) -> Result<IssueInput, Fault> {
        Ok(IssueInput {
            title: self.title,
            description: self.description,
            state_event: chosen(self.state_event, StateEvent::from_text),
            confidential: self.confidential,
            discussion_locked: Patch::given(self.locked),
            due_on: self.due_date.map(|day| day.0),
            wears: Flat(Labelling {
                label_ids: numbers(self.label_ids)?,
                add_label_ids: numbers(self.add_label_ids)?.unwrap_or_default(),
                remove_label_ids: numbers(self.remove_label_ids)?.unwrap_or_default(),
                ..Labelling::default()
            }),
            milestone_id: self.milestone_id,
            kind: kind(self.kind)?,
            weight: self.weight,
            epic_id: self.epic_id,
            ..IssueInput::default()
        })
    }
}

fn update(g: &mut Graph) {
    one(g, "updateIssue", "Changes an issue.").handle(|it: UpdateIssue, context| async move {
        let place = it.at.place();
        edit(place, it.input()?, context).await
    });
}
