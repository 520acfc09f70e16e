//! The closed lists of the room.

use super::sorts::time_sorts;
use crate::model::{
    EscalationStatus, HealthStatus, IssueKind, IssueState, LinkType, MilestoneState, Severity,
};
use crate::store::todos::{Action, State};
use kernel::graph::shape::Leaf;
use kernel::graph::{EnumItem, Graph, item};
use serde_json::json;

pub const STATE: Leaf<IssueState> = Leaf::new("IssueState", |it| json!(it.as_str()));
pub const TYPE: Leaf<IssueKind> = Leaf::upper("IssueType");
pub const SEVERITY: Leaf<Severity> = Leaf::upper("IssuableSeverity");
pub const ESCALATION: Leaf<EscalationStatus> = Leaf::upper("IssueEscalationStatus");
pub const EPIC_STATE: Leaf<IssueState> = Leaf::new("EpicState", |it| json!(it.as_str()));
pub const ITEM_STATE: Leaf<IssueState> = Leaf::new("WorkItemState", |it| match it {
    IssueState::Opened => json!("OPEN"),
    IssueState::Closed => json!("CLOSED"),
});
pub const HEALTH: Leaf<HealthStatus> = Leaf::new("HealthStatus", |it| json!(health(it)));
pub const MILESTONE_STATE: Leaf<MilestoneState> =
    Leaf::new("MilestoneStateEnum", |it| json!(it.as_str()));
pub const ACTION: Leaf<Action> = Leaf::new("TodoActionEnum", |it| json!(it.as_str()));
pub const TODO_STATE: Leaf<State> = Leaf::new("TodoStateEnum", |it| json!(it.as_str()));

/// The value of a name as the enums above have it.
pub fn chosen<T>(name: Option<String>, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    read(&name?.to_ascii_lowercase())
}

const fn health(status: HealthStatus) -> &'static str {
    match status {
        HealthStatus::OnTrack => "onTrack",
        HealthStatus::NeedsAttention => "needsAttention",
        HealthStatus::AtRisk => "atRisk",
    }
}

/// The health that a value of its enum names.
pub fn health_of(name: &str) -> Option<HealthStatus> {
    use HealthStatus::{AtRisk, NeedsAttention, OnTrack};
    [OnTrack, NeedsAttention, AtRisk].into_iter().find(|one| health(*one) == name)
}

/// The kind of link that a value of `WorkItemRelatedLinkType` names.
pub fn link_of(name: Option<&str>) -> LinkType {
    match name {
        Some("BLOCKS") => LinkType::Blocks,
        Some("BLOCKED_BY") => LinkType::IsBlockedBy,
        _ => LinkType::RelatesTo,
    }
}

pub fn graph(g: &mut Graph) {
    let states = vec![item("opened", "To be done."), item("closed", "Done, or not to be done.")];
    g.enumeration("IssueState", "States of an issue.", states);
    let states = vec![
        item("opened", "To be done."),
        item("closed", "Done, or not to be done."),
        item("locked", "Only members comment."),
        item("all", "Whichever."),
    ];
    g.enumeration("IssuableState", "States to look for.", states);
    let types = vec![
        item("ISSUE", "Work."),
        item("INCIDENT", "Something that is broken."),
        item("TASK", "A piece of work."),
        item("TEST_CASE", "How something is tested; there are none here."),
        item("REQUIREMENT", "What must hold; there are none here."),
        item("EPIC", "Work of many issues, which a group does; among work items only."),
    ];
    g.enumeration("IssueType", "What an issue is about.", types);
    let severities = vec![
        item("UNKNOWN", "Nobody said."),
        item("LOW", "Hardly matters."),
        item("MEDIUM", "Matters."),
        item("HIGH", "Matters much."),
        item("CRITICAL", "Matters most."),
    ];
    g.enumeration("IssuableSeverity", "How bad an incident is.", severities);
    let statuses = vec![
        item("TRIGGERED", "Nobody looks after it yet."),
        item("ACKNOWLEDGED", "Somebody looks after it."),
        item("RESOLVED", "What was broken works again."),
    ];
    let text = "How far people are with an incident.";
    g.enumeration("IssueEscalationStatus", text, statuses);
    let modes = vec![
        item("REPLACE", "These and no others."),
        item("APPEND", "These, too."),
        item("REMOVE", "These no longer."),
    ];
    g.enumeration("MutationOperationMode", "How a set changes.", modes);
    let events = vec![item("CLOSE", "Close it."), item("REOPEN", "Open it again.")];
    g.enumeration("IssueStateEvent", "What happens to an issue.", events);
    g.enumeration("IssueSort", "Orders of issues.", sorts());
    epics(g);
    work_items(g);
    let wildcards = vec![
        item("NONE", "Without a milestone."),
        item("ANY", "With a milestone."),
        item("STARTED", "Of a milestone that has begun and is open."),
        item("UPCOMING", "Of an open milestone that is due in the future."),
    ];
    let text = "Milestones by what they are.";
    g.enumeration("MilestoneWildcardId", text, wildcards);
    let wildcards = vec![item("NONE", "Nobody is assigned."), item("ANY", "Somebody is assigned.")];
    g.enumeration("AssigneeWildcardId", "Assigned or not.", wildcards);
    let fields = vec![item("TITLE", "The title."), item("DESCRIPTION", "The description.")];
    g.enumeration("IssuableSearchableField", "Where to search.", fields);
    let states = vec![item("active", "Being worked for."), item("closed", "Over.")];
    g.enumeration("MilestoneStateEnum", "States of a milestone.", states);
    todos(g);
}

/// The orders of epics and work items, but for those by when they are due.
fn common_sorts() -> Vec<EnumItem> {
    let mut sorts = time_sorts();
    sorts.push(item("TITLE_ASC", "By title."));
    sorts.push(item("TITLE_DESC", "By title, from the last."));
    sorts.push(item("START_DATE_ASC", "First begun first, those without a day last."));
    sorts.push(item("START_DATE_DESC", "Last begun first, those without a day last."));
    sorts
}

fn epics(g: &mut Graph) {
    let states = vec![
        item("opened", "To be done."),
        item("closed", "Done, or not to be done."),
        item("all", "Whichever."),
    ];
    g.enumeration("EpicState", "States of an epic.", states);
    let events = vec![item("CLOSE", "Close it."), item("REOPEN", "Open it again.")];
    g.enumeration("EpicStateEvent", "What happens to an epic.", events);
    let mut sorts = common_sorts();
    sorts.push(item("END_DATE_ASC", "First due first, those without a day last."));
    sorts.push(item("END_DATE_DESC", "Last due first, those without a day last."));
    g.enumeration("EpicSort", "Orders of epics.", sorts);
}

fn work_items(g: &mut Graph) {
    let states = vec![item("OPEN", "To be done."), item("CLOSED", "Done, or not to be done.")];
    g.enumeration("WorkItemState", "States of a work item.", states);
    let events = vec![item("CLOSE", "Close it."), item("REOPEN", "Open it again.")];
    g.enumeration("WorkItemStateEvent", "What happens to a work item.", events);
    let mut sorts = common_sorts();
    sorts.push(item("DUE_DATE_ASC", "First due first, those without a day last."));
    sorts.push(item("DUE_DATE_DESC", "Last due first, those without a day last."));
    g.enumeration("WorkItemSort", "Orders of work items.", sorts);
    let kinds = || {
        vec![
            item("RELATED", "They have to do with each other."),
            item("BLOCKS", "The first is in the way of the others."),
            item("BLOCKED_BY", "The others are in the way of the first."),
        ]
    };
    g.enumeration("WorkItemRelatedLinkType", "How work items are linked.", kinds());
    let places = vec![item("BEFORE", "Right before it."), item("AFTER", "Right after it.")];
    g.enumeration("RelativePositionType", "Where something goes in an order.", places);
}

fn sorts() -> Vec<EnumItem> {
    let more = vec![
        item("DUE_DATE_ASC", "First due first, those without a day last."),
        item("DUE_DATE_DESC", "Last due first, those without a day last."),
        item("WEIGHT_ASC", "Lightest first, those without a weight last."),
        item("WEIGHT_DESC", "Heaviest first, those without a weight last."),
        item("TITLE_ASC", "By title."),
        item("TITLE_DESC", "By title, from the last."),
        item("POPULARITY_ASC", "Fewest thumbs up first."),
        item("POPULARITY_DESC", "Most thumbs up first."),
    ];
    time_sorts().into_iter().chain(more).collect()
}

fn todos(g: &mut Graph) {
    let actions = vec![
        item("assigned", "They were assigned."),
        item("mentioned", "They were named."),
        item("directly_addressed", "They were spoken to."),
        item("build_failed", "A pipeline failed."),
        item("marked", "They want to come back to it."),
        item("approval_required", "They are asked to approve."),
        item("unmergeable", "It cannot be merged."),
        item("merge_train_removed", "It was taken off a merge train."),
        item("review_requested", "They are asked for a review."),
    ];
    let text = "Why somebody has something to do.";
    g.enumeration("TodoActionEnum", text, actions);
    let states = vec![item("pending", "To be done."), item("done", "Done.")];
    g.enumeration("TodoStateEnum", "Whether a to-do is done.", states);
}
