//! Issues as JSON.

use super::labels::{self as label_entity, LabelDetails};
use super::milestones::{MilestoneEntity, milestone};
use crate::access::Scope;
use crate::model::epics::Epic;
use crate::model::{Issue, IssueKind, IssueState, Label, Milestone, Severity, human_span};
use crate::requests::closing;
use crate::rules::times::Timed;
use crate::store::epics::issues::epics_of;
use crate::store::issues::{self as rows, links};
use crate::store::{labels, milestones};
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use store::Tx;

/// Labels by title, or whole.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum LabelsShown {
    /// Titles.
    Titles(Vec<String>),
    /// All about them.
    Details(Vec<LabelDetails>),
}

/// Time spent and estimated.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TimeStats {
    pub time_estimate: i64,
    pub total_time_spent: i64,
    pub human_time_estimate: Option<String>,
    pub human_total_time_spent: Option<String>,
}

/// Check boxes of the description.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskStatus {
    pub count: i64,
    pub completed_count: i64,
}

/// How an issue is named.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct References {
    /// In its project.
    pub short: String,
    /// From where it was asked for.
    pub relative: String,
    /// Anywhere.
    pub full: String,
}

/// Addresses of an issue's parts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct IssueLinks {
    #[serde(rename = "self")]
    pub itself: String,
    pub notes: String,
    pub award_emoji: String,
    pub project: String,
}

/// The epic of an issue, for who sees that.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EpicOfIssue {
    pub id: i64,
    pub iid: i64,
    pub title: String,
    pub url: String,
    pub group_id: i64,
}

/// An issue.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct IssueEntity {
    pub id: i64,
    pub iid: i64,
    pub project_id: i64,
    pub title: String,
    pub description: Option<String>,
    pub state: IssueState,
    pub created_at: String,
    pub updated_at: String,
    pub closed_at: Option<String>,
    pub closed_by: Option<UserBasic>,
    pub labels: LabelsShown,
    pub milestone: Option<MilestoneEntity>,
    pub assignees: Vec<UserBasic>,
    pub author: Option<UserBasic>,
    #[serde(rename = "type")]
    pub work_item_type: String,
    pub assignee: Option<UserBasic>,
    pub user_notes_count: i64,
    pub merge_requests_count: i64,
    pub upvotes: i64,
    pub downvotes: i64,
    pub due_date: Option<String>,
    pub confidential: bool,
    pub discussion_locked: Option<bool>,
    pub issue_type: IssueKind,
    pub web_url: String,
    pub time_stats: TimeStats,
    pub task_completion_status: TaskStatus,
    pub weight: Option<i64>,
    pub blocking_issues_count: i64,
    pub has_tasks: bool,
    pub task_status: String,
    #[serde(rename = "_links")]
    pub links: IssueLinks,
    pub references: References,
    pub severity: Severity,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscribed: Option<bool>,
    pub moved_to_id: Option<i64>,
    pub imported: bool,
    pub imported_from: String,
    pub service_desk_reply_to: Option<String>,
    pub epic_iid: Option<i64>,
    pub epic: Option<EpicOfIssue>,
    pub health_status: Option<String>,
}

/// What issues need beside their rows, read for all at once.
#[derive(Debug, Default)]
pub struct RelatedToIssues {
    users: HashMap<i64, User>,
    assignees: HashMap<i64, Vec<i64>>,
    labels: HashMap<i64, Vec<Label>>,
    milestones: HashMap<i64, Milestone>,
    blocking: HashMap<i64, i64>,
    /// How many merge requests close each.
    requests: HashMap<i64, i64>,
    epics: HashMap<i64, Epic>,
    /// Projects whose internal notes the viewer may count.
    reported: Option<HashSet<i64>>,
    /// The group the issues were asked for in; none: their project.
    base: Base,
}

#[derive(Debug, Clone, Default)]
enum Base {
    #[default]
    Project,
    Group(String),
    Nothing,
}

impl RelatedToIssues {
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, scope: &Scope, issues: &[Issue],
    ) -> Result<RelatedToIssues> {
        let ids: Vec<i64> = issues.iter().map(|issue| issue.id).collect();
        let assignees = rows::assignees_of(tx, &ids)?;
        let mut people: Vec<i64> = assignees.values().flatten().copied().collect();
        for issue in issues {
            people.extend(issue.author_id);
            people.extend(issue.closed_by_id);
        }
        let in_milestones: Vec<i64> = issues.iter().filter_map(|it| it.milestone_id).collect();
        Ok(RelatedToIssues {
            users: load_basic(tx, &people)?,
            assignees,
            labels: labels::of_issues(tx, &ids)?,
            milestones: milestones::by_ids(tx, &in_milestones)?,
            blocking: links::blocking(tx, viewer, &ids)?,
            requests: closing(tx, viewer, &ids)?,
            epics: epics_of(tx, viewer, &ids)?,
            reported: reported(tx, viewer, scope, issues)?,
            base: match scope {
                Scope::Project(_) => Base::Project,
                Scope::Group(group) => Base::Group(format!("{}/", group.full_path)),
                Scope::Everywhere => Base::Nothing,
            },
        })
    }

    fn person(&self, app: &App, id: Option<i64>) -> Option<UserBasic> {
        let user = self.users.get(&id?)?;
        Some(basic(app, user))
    }

    fn notes(&self, issue: &Issue) -> i64 {
        let all = match &self.reported {
            None => true,
            Some(projects) => projects.contains(&issue.project_id),
        };
        match all {
            true => issue.notes_count + issue.internal_notes_count,
            false => issue.notes_count,
        }
    }
}

/// The projects of these issues where the viewer is a reporter; none: all.
fn reported(
    tx: &mut Tx<'_>, viewer: &Viewer, scope: &Scope, issues: &[Issue],
) -> Result<Option<HashSet<i64>>> {
    if viewer.is_admin() {
        return Ok(None);
    }
    if let Scope::Project(desk) = scope {
        return Ok((!desk.is_reporter()).then(HashSet::new));
    }
    let Some(user_id) = viewer.user_id() else {
        return Ok(Some(HashSet::new()));
    };
    let ids: Vec<i64> = issues.iter().map(|issue| issue.project_id).collect();
    Ok(Some(rows::reported(tx, user_id, &ids)?))
}

pub fn web_url(app: &App, issue: &Issue) -> String {
    app.url(&issue.path())
}

pub fn time_stats(it: &impl Timed) -> TimeStats {
    let (estimated, spent) = it.times();
    TimeStats {
        time_estimate: estimated,
        total_time_spent: spent,
        human_time_estimate: human_span(estimated),
        human_total_time_spent: human_span(spent),
    }
}

/// One issue; labels whole where details were asked for.
pub fn issue(app: &App, issue: &Issue, around: &RelatedToIssues, details: bool) -> IssueEntity {
    let assigned = around.assignees.get(&issue.id);
    let assignees: Vec<UserBasic> = assigned
        .into_iter()
        .flatten()
        .filter_map(|id| around.person(app, Some(*id)))
        .collect();
    let worn = around.labels.get(&issue.id).map(Vec::as_slice);
    let worn = worn.unwrap_or_default();
    let epic = around.epics.get(&issue.id);
    let (count, completed_count) = (issue.task_count, issue.task_completed_count);
    IssueEntity {
        id: issue.id,
        iid: issue.iid,
        project_id: issue.project_id,
        title: issue.title.clone(),
        description: issue.description.clone(),
        state: issue.state,
        created_at: wire::text(issue.created_at),
        updated_at: wire::text(issue.updated_at),
        closed_at: issue.closed_at.map(wire::text),
        closed_by: around.person(app, issue.closed_by_id),
        labels: match details {
            true => LabelsShown::Details(worn.iter().map(label_entity::details).collect()),
            false => LabelsShown::Titles(worn.iter().map(|one| one.title.clone()).collect()),
        },
        milestone: issue
            .milestone_id
            .and_then(|id| around.milestones.get(&id))
            .map(|one| milestone(app, one)),
        assignee: assignees.first().cloned(),
        assignees,
        author: around.person(app, issue.author_id),
        work_item_type: issue.kind.as_str().to_ascii_uppercase(),
        user_notes_count: around.notes(issue),
        merge_requests_count: around.requests.get(&issue.id).copied().unwrap_or(0),
        upvotes: issue.upvotes,
        downvotes: issue.downvotes,
        due_date: issue.due_on.map(|day| day.to_string()),
        confidential: issue.confidential,
        discussion_locked: issue.discussion_locked,
        issue_type: issue.kind,
        web_url: web_url(app, issue),
        time_stats: time_stats(issue),
        task_completion_status: TaskStatus { count, completed_count },
        weight: issue.weight,
        blocking_issues_count: around.blocking.get(&issue.id).copied().unwrap_or(0),
        has_tasks: count > 0,
        task_status: match count {
            0 => String::new(),
            1 => format!("{completed_count} of 1 checklist item completed"),
            _ => format!("{completed_count} of {count} checklist items completed"),
        },
        links: addresses(app, issue),
        references: references(issue, &around.base),
        severity: issue.severity,
        subscribed: None,
        moved_to_id: issue.moved_to_id,
        imported: issue.imported_from.is_some(),
        imported_from: issue.imported_from.clone().unwrap_or_else(|| "none".to_owned()),
        service_desk_reply_to: None,
        epic_iid: epic.map(|epic| epic.iid),
        epic: epic.map(|epic| EpicOfIssue {
            id: epic.id,
            iid: epic.iid,
            title: epic.title.clone(),
            url: epic.path(),
            group_id: epic.group_id,
        }),
        health_status: issue.health_status.map(|status| status.to_string()),
    }
}

fn addresses(app: &App, issue: &Issue) -> IssueLinks {
    let project = app.url(&format!("/api/v4/projects/{}", issue.project_id));
    let itself = format!("{project}/issues/{}", issue.iid);
    IssueLinks {
        notes: format!("{itself}/notes"),
        award_emoji: format!("{itself}/award_emoji"),
        itself,
        project,
    }
}

fn references(issue: &Issue, base: &Base) -> References {
    let short = format!("#{}", issue.iid);
    let full = format!("{}{short}", issue.project_path);
    let relative = match base {
        Base::Project => short.clone(),
        Base::Group(path) => full.strip_prefix(path.as_str()).unwrap_or(&full).to_owned(),
        Base::Nothing => full.clone(),
    };
    References { short, relative, full }
}
