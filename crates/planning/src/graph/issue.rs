//! The type `Issue`, and one by its number or ID.

use super::absent::Epic;
use super::enums::{ESCALATION, SEVERITY, STATE, TYPE};
use super::{ISSUE_ID, IssueView, Issues, html, one_by_id};
use crate::model::IssueKind;
use crate::store::issues as rows;
use identity::graph::{People, Person, caller};
use kernel::graph::{
    Args, BOOLEAN, Context, Cost, Fault, Graph, HasTypeRef, ID, INT, ObjectBuilder, STRING, TIME,
    argument, enumeration, item, object,
};
use kernel::markup;
use kernel::time::start_of;
use spaces::graph::ProjectView as Project;
use std::collections::HashMap;
use std::sync::Arc;

struct Tasks {
    count: i64,
    completed: i64,
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
    let it = g.object::<IssueView>("Issue", "An issue.");
    let it = times(marks(texts(it)));
    super::notes::noteable(it, |it| crate::issues::noteable(&it.issue));
    super::todos::todoable(g.on::<IssueView>("Issue"), "currentUserTodos", |it| {
        crate::issues::noteable(&it.issue)
    });
    lookups(g);
}

fn texts(it: ObjectBuilder<'_, IssueView>) -> ObjectBuilder<'_, IssueView> {
    it.field("id", ID.required(), |it| ISSUE_ID.of(it.issue.id))
        .describe("Global ID.")
        .field("iid", ID.required(), |it| it.issue.iid.to_string())
        .describe("Number in its project.")
        .field("title", STRING.required(), |it| it.issue.title.clone())
        .describe("Its title.")
        .field("titleHtml", STRING, |it| {
            Some(markup::escape(&it.issue.title))
        })
        .describe("Its title as HTML.")
        .field("description", STRING, |it| it.issue.description.clone())
        .describe("Its description, in Markdown.")
        .level(
            "descriptionHtml",
            STRING,
            |issues: Vec<Arc<IssueView>>, _, _| {
                let texts = issues.iter().map(|it| it.issue.description.clone());
                html(texts.collect())
            },
        )
        .describe("Its description as HTML.")
        .cost(Cost::RENDERED)
        .field("webUrl", STRING.required(), |it| it.web_url.clone())
        .describe("Its page.")
        .field("webPath", STRING.required(), |it| it.web_path.clone())
        .describe("Path of its page.")
        .resolve(
            "reference",
            STRING.required(),
            |it, args: Args, _| async move {
                let full: Option<bool> = args.get("full")?;
                let path = match full.unwrap_or(false) {
                    true => it.issue.project_path.as_str(),
                    false => "",
                };
                Ok(format!("{path}#{}", it.issue.iid))
            },
        )
        .describe("How it is named.")
        .arg(
            argument("full", BOOLEAN)
                .default(false)
                .describe("With the path of its project."),
        )
        .load::<People, _>("author", object::<Person>("UserCore"), |it| {
            it.issue.author_id
        })
        .describe("Who made it; null if their account is gone.")
        .load::<People, _>("closedBy", object::<Person>("UserCore"), |it| {
            it.issue.closed_by_id
        })
        .describe("Who closed it.")
}

fn marks(it: ObjectBuilder<'_, IssueView>) -> ObjectBuilder<'_, IssueView> {
    it.field("state", STATE.required(), |it| it.issue.state)
        .describe("Open or closed.")
        .field("type", TYPE, |it| Some(it.issue.kind))
        .describe("What it is about.")
        .field("severity", SEVERITY, |it| Some(it.issue.severity))
        .describe("How bad an incident is.")
        .field("escalationStatus", ESCALATION, |it| {
            let is_incident = it.issue.kind == IssueKind::Incident;
            is_incident.then_some(it.issue.escalation_status)
        })
        .describe("How far people are with an incident; null of other issues.")
        .field("healthStatus", enumeration("HealthStatus"), |_| None)
        .describe("How it goes; nobody says so yet.")
        .field("epic", object::<Epic>("Epic"), |_| None)
        .describe("The epic it belongs to; there are none yet.")
        .field("confidential", BOOLEAN.required(), |it| {
            it.issue.confidential
        })
        .describe("Seen by its author, assignees and reporters only.")
        .field("hidden", BOOLEAN, |_| Some(false))
        .describe("Whether it is hidden since its author is banned.")
        .field("discussionLocked", BOOLEAN.required(), |it| {
            it.issue.discussion_locked.unwrap_or(false)
        })
        .describe("Whether only members comment.")
        .field("weight", INT, |it| it.issue.weight)
        .describe("How heavy it is.")
        .field("upvotes", INT.required(), |it| it.issue.upvotes)
        .describe("Thumbs up.")
        .field("downvotes", INT.required(), |it| it.issue.downvotes)
        .describe("Thumbs down.")
        .field(
            "taskCompletionStatus",
            object::<Tasks>("TaskCompletionStatus").required(),
            |it| {
                Arc::new(Tasks {
                    count: it.issue.task_count,
                    completed: it.issue.task_completed_count,
                })
            },
        )
        .describe("Check boxes of its description.")
        .field("moved", BOOLEAN, |it| Some(it.issue.moved_to_id.is_some()))
        .describe("Whether it moved to another project.")
        .load::<Issues, _>("movedTo", object::<IssueView>("Issue"), |it| {
            it.issue.moved_to_id
        })
        .describe("Where it moved to.")
        .field("projectId", INT.required(), |it| it.issue.project_id)
        .describe("Number of its project.")
}

fn times(it: ObjectBuilder<'_, IssueView>) -> ObjectBuilder<'_, IssueView> {
    it.field("dueDate", TIME, |it| it.issue.due_on.map(start_of))
        .describe("The day it is due.")
        .field("timeEstimate", INT.required(), |it| it.issue.time_estimate)
        .describe("Seconds it is estimated to take.")
        .field("totalTimeSpent", INT.required(), |it| it.issue.time_spent)
        .describe("Seconds spent on it.")
        .field("humanTimeEstimate", STRING, |it| {
            crate::model::human_span(it.issue.time_estimate)
        })
        .describe("The time it is estimated to take, for people.")
        .field("humanTotalTimeSpent", STRING, |it| {
            crate::model::human_span(it.issue.time_spent)
        })
        .describe("The time spent on it, for people.")
        .field("createdAt", TIME.required(), |it| it.issue.created_at)
        .describe("When it was made.")
        .field("updatedAt", TIME.required(), |it| it.issue.updated_at)
        .describe("When it last changed.")
        .field("closedAt", TIME, |it| it.issue.closed_at)
        .describe("When it was closed.")
}

fn lookups(g: &mut Graph) {
    g.on::<Project>("Project")
        .level("issue", object::<IssueView>("Issue"), of_projects)
        .describe("One issue; null unless the caller may see it.")
        .cost(kernel::graph::Cost::LookedUp)
        .arg(argument("iid", STRING).describe("Its number."));
    let text = "One issue; null unless the caller may see it.";
    one_by_id::<Issues, _>(g, "issue", "Issue", ISSUE_ID, text);
}

async fn of_projects(
    projects: Vec<Arc<Project>>,
    args: Args,
    context: Context,
) -> Result<Vec<Option<Arc<IssueView>>>, Fault> {
    let iid: Option<String> = args.get("iid")?;
    let iid = number(&iid.unwrap_or_default());
    let ids: Vec<i64> = projects.iter().map(|it| it.project.id).collect();
    let (app, viewer) = caller(&context)?;
    let asked = ids.clone();
    let found = app.read(move |tx| rows::visible_by_iid(tx, &viewer, &asked, iid));
    let found = found.await?.into_iter();
    let found: HashMap<i64, Arc<IssueView>> = found
        .map(|issue| (issue.project_id, Arc::new(IssueView::new(&app, issue))))
        .collect();
    Ok(ids.iter().map(|id| found.get(id).cloned()).collect())
}

/// The number that a text is; 0, which no issue has, of any other text.
pub fn number(iid: &str) -> i64 {
    iid.parse().ok().filter(|iid| *iid > 0).unwrap_or(0)
}
