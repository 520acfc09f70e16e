//! Rows and closed lists of this room: plain types, no decisions.

pub mod boards;
pub mod color;
pub mod epics;
pub mod note_actions;

use kernel::time::{Date, Timestamp};
use store::{FromRow, UpdateRow};

/// Longest title, in characters.
pub const MAX_TITLE: usize = 255;
/// Longest description or note, in characters.
pub const MAX_TEXT: usize = 1_000_000;
/// Longest description of a label, in characters.
pub const MAX_LABEL_TEXT: usize = 512;
/// Most assignees of an issue, and most labels named in one request.
pub const MAX_NAMED: usize = 200;

kernel::choices! {
    #[derive(Default)]
    pub enum IssueState {
        #[default]
        Opened = "opened",
        Closed = "closed",
    }
}

kernel::choices! {
    #[derive(Default)]
    pub enum IssueKind {
        #[default]
        Issue = "issue",
        Incident = "incident",
        Task = "task",
    }
}

kernel::choices! {
    #[derive(Default)]
    pub enum Severity as "IncidentSeverity" {
        #[default]
        Unknown = "unknown",
        Low = "low",
        Medium = "medium",
        High = "high",
        Critical = "critical",
    }
}

kernel::choices! {
    /// How far people are with an incident.
    #[derive(Default)]
    pub enum EscalationStatus {
        /// Nobody looks after it yet.
        #[default]
        Triggered = "triggered",
        /// Somebody does.
        Acknowledged = "acknowledged",
        /// What was broken works again.
        Resolved = "resolved",
    }
}

impl EscalationStatus {
    pub fn label(self) -> &'static str {
        match self {
            EscalationStatus::Triggered => "Triggered",
            EscalationStatus::Acknowledged => "Acknowledged",
            EscalationStatus::Resolved => "Resolved",
        }
    }
}

kernel::choices! {
    /// How people say that an issue or an epic goes.
    pub enum HealthStatus {
        OnTrack = "on_track",
        NeedsAttention = "needs_attention",
        AtRisk = "at_risk",
    }
}

impl HealthStatus {
    pub fn label(self) -> &'static str {
        match self {
            HealthStatus::OnTrack => "on track",
            HealthStatus::NeedsAttention => "needs attention",
            HealthStatus::AtRisk => "at risk",
        }
    }

    /// What the program tells of it when it is set, or removed.
    pub fn remark(now: Option<HealthStatus>) -> String {
        match now {
            Some(status) => format!("changed health status to **{}**", status.label()),
            None => "removed the health status".to_owned(),
        }
    }
}

kernel::choices! {
    #[derive(Default)]
    pub enum MilestoneState {
        #[default]
        Active = "active",
        Closed = "closed",
    }
}

kernel::choices! {
    /// How two issues are linked, seen from the first.
    pub enum LinkType {
        RelatesTo = "relates_to",
        Blocks = "blocks",
        IsBlockedBy = "is_blocked_by",
    }
}

/// A link between two issues, or two epics; `relates_to` or `blocks`, seen from its
/// source.
#[derive(Debug, Clone, FromRow)]
pub struct Link {
    pub id: i64,
    pub source_id: i64,
    pub target_id: i64,
    pub link_type: LinkType,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Link {
    /// The other end, seen from this one.
    pub fn other(&self, id: i64) -> i64 {
        match self.source_id == id {
            true => self.target_id,
            false => self.source_id,
        }
    }

    /// What the link is, seen from this one.
    pub fn seen_from(&self, id: i64) -> LinkType {
        match (self.link_type, self.source_id == id) {
            (LinkType::Blocks, false) => LinkType::IsBlockedBy,
            (kind, _) => kind,
        }
    }
}

kernel::choices! {
    /// What resource events tell of.
    pub enum EventKind {
        State = "state",
        Label = "label",
        Milestone = "milestone",
        Weight = "weight",
    }
}

#[derive(Debug, Clone, Default, FromRow)]
#[columns("labels")]
pub struct Label {
    pub id: i64,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub title: String,
    pub color: String,
    pub description: Option<String>,
    pub archived: bool,
    /// In the project it is seen from.
    #[column("label_priorities.priority")]
    pub priority: Option<i64>,
    #[column("(subscriptions.user_id is not null)")]
    pub subscribed: bool,
}

impl Label {
    /// What is said of it beside its title, or nothing.
    pub fn text(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }
}

#[derive(Debug, Clone, Default, FromRow)]
#[columns("milestones")]
pub struct Milestone {
    pub id: i64,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub iid: i64,
    pub title: String,
    pub description: Option<String>,
    pub state: MilestoneState,
    pub start_on: Option<Date>,
    pub due_on: Option<Date>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Of the project or group, below the instance's address.
    #[column("coalesce(projects.full_path, 'groups/' || namespaces.full_path)")]
    pub parent_path: String,
}

impl Milestone {
    pub fn is_expired(&self, today: Date) -> bool {
        self.due_on.is_some_and(|due| due < today)
    }

    pub fn text(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    pub fn is_active(&self) -> bool {
        self.state == MilestoneState::Active
    }

    pub fn path(&self) -> String {
        format!("/{}/-/milestones/{}", self.parent_path, self.iid)
    }
}

#[derive(Debug, Clone, Default, FromRow, UpdateRow)]
#[columns("issues")]
pub struct Issue {
    pub id: i64,
    pub project_id: i64,
    pub iid: i64,
    #[written]
    pub title: String,
    #[written]
    pub description: Option<String>,
    #[written]
    pub state: IssueState,
    #[written]
    pub kind: IssueKind,
    #[written]
    pub severity: Severity,
    /// Of no meaning unless it is an incident.
    #[written]
    pub escalation_status: EscalationStatus,
    pub author_id: Option<i64>,
    #[written]
    pub closed_by_id: Option<i64>,
    #[written]
    pub milestone_id: Option<i64>,
    pub moved_to_id: Option<i64>,
    pub promoted_to_epic_id: Option<i64>,
    #[written]
    pub confidential: bool,
    #[written]
    pub discussion_locked: Option<bool>,
    #[written]
    pub due_on: Option<Date>,
    #[written]
    pub weight: Option<i64>,
    #[written]
    pub health_status: Option<HealthStatus>,
    pub time_estimate: i64,
    pub time_spent: i64,
    #[written]
    pub task_count: i64,
    #[written]
    pub task_completed_count: i64,
    pub notes_count: i64,
    pub internal_notes_count: i64,
    pub upvotes: i64,
    pub downvotes: i64,
    /// What it came from, if not from here.
    #[written]
    pub imported_from: Option<String>,
    #[written]
    pub closed_at: Option<Timestamp>,
    pub created_at: Timestamp,
    #[written]
    pub updated_at: Timestamp,
    /// Where it stands on boards: the greatest on top.
    #[column("coalesce(issues.relative_position, issues.id * 1048576)")]
    pub relative_position: i64,
    #[column("projects.full_path")]
    pub project_path: String,
    /// Ids of the namespaces above the project.
    #[column("namespaces.lineage")]
    pub lineage: String,
}

impl Issue {
    pub fn text(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    pub fn is_open(&self) -> bool {
        self.state == IssueState::Opened
    }

    /// Whether only members comment.
    pub fn is_locked(&self) -> bool {
        self.discussion_locked == Some(true)
    }

    /// Its kind, unless that goes without saying.
    pub fn named_kind(&self) -> Option<IssueKind> {
        (self.kind != IssueKind::Issue).then_some(self.kind)
    }

    /// How bad an incident is, as far as that is known.
    pub fn known_severity(&self) -> Option<Severity> {
        let is_known = self.is_incident() && self.severity != Severity::Unknown;
        is_known.then_some(self.severity)
    }

    pub fn is_incident(&self) -> bool {
        self.kind == IssueKind::Incident
    }

    pub fn path(&self) -> String {
        format!("/{}/-/issues/{}", self.project_path, self.iid)
    }
}

pub fn title_error(title: &str) -> Option<&'static str> {
    if title.trim().is_empty() {
        Some("can't be blank")
    } else if title.chars().count() > MAX_TITLE {
        Some("is too long (maximum is 255 characters)")
    } else if title.chars().any(char::is_control) {
        Some("is invalid")
    } else {
        None
    }
}

/// Why a label's title cannot be used: lists of labels are told apart by
/// commas.
pub fn label_title_error(title: &str) -> Option<&'static str> {
    match title.contains(',') {
        true => Some("is invalid"),
        false => title_error(title),
    }
}

pub fn text_error(text: &str) -> Option<&'static str> {
    let long = text.len() > MAX_TEXT && text.chars().count() > MAX_TEXT;
    long.then_some("is too long (maximum is 1000000 characters)")
}

/// A time span as people write it: days of eight hours, weeks of five days.
pub fn human_span(seconds: i64) -> Option<String> {
    const UNITS: [(&str, i64); 5] =
        [("mo", 576_000), ("w", 144_000), ("d", 28_800), ("h", 3_600), ("m", 60)];
    if seconds == 0 {
        return None;
    }
    let mut rest = seconds.unsigned_abs();
    let mut parts = Vec::new();
    for (unit, length) in UNITS {
        let count = rest / length as u64;
        rest %= length as u64;
        if count > 0 {
            parts.push(format!("{count}{unit}"));
        }
    }
    if rest > 0 {
        parts.push(format!("{rest}s"));
    }
    let sign = if seconds < 0 { "-" } else { "" };
    Some(format!("{sign}{}", parts.join(" ")))
}

/// The seconds of a span as people write it (`1w 2d 3h 30m`, `-1h`); a bare
/// number is hours. None if it is not one, or past a thousand years.
pub fn parse_span(text: &str) -> Option<i64> {
    const MOST: i64 = 30_000_000_000;
    let text = text.trim();
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut total: i64 = 0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number: i64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let length = match &rest[..letters] {
            "mo" | "month" | "months" => 576_000,
            "w" | "week" | "weeks" => 144_000,
            "d" | "day" | "days" => 28_800,
            "" | "h" | "hour" | "hours" => 3_600,
            "m" | "min" | "minute" | "minutes" => 60,
            "s" | "sec" | "second" | "seconds" => 1,
            _ => return None,
        };
        rest = rest[letters..].trim_start();
        total = total.checked_add(number.checked_mul(length)?)?;
    }
    (total <= MOST).then_some(sign * total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_written_alike() {
        for (text, seconds) in [
            ("30m", 1_800),
            ("1h 30m", 5_400),
            ("1d", 28_800),
            ("1w 2d", 201_600),
            ("1mo 1s", 576_001),
            ("-1h", -3_600),
        ] {
            assert_eq!(parse_span(text), Some(seconds), "{text}");
            assert_eq!(human_span(seconds).as_deref(), Some(text));
        }
        assert_eq!(parse_span("2"), Some(7_200));
        assert_eq!(parse_span("1h30m"), Some(5_400));
        assert_eq!(human_span(0), None);
        for bad in ["", "x", "1y", "h", "1h foo", "99999999999999999999h", "9999999mo"] {
            assert_eq!(parse_span(bad), None, "{bad}");
        }
    }

    #[test]
    fn titles_are_bounded() {
        assert_eq!(title_error("Größe 🚀"), None);
        assert!(title_error(" ").is_some());
        assert!(title_error("a\r\nBcc: x").is_some());
        assert!(title_error(&"x".repeat(256)).is_some());
        assert!(label_title_error("a,b").is_some());
    }
}
