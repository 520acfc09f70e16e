//! Incidents made of alerts, and what becomes of one when the other is over
//! (docs/interface/monitoring.md 3).

use super::prose::{code, plain, tame};
use crate::alerts::model::{Alert, Severity, Status, UNTITLED};
use crate::alerts::store::alerts as rows;
use crate::alerts::store::arrive::noteable;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use kernel::error::Result;
use kernel::http::Patch;
use planning::issues::{self, IssueInput};
use planning::model::{Issue, IssueKind, IssueState, Severity as OfIssue};
use planning::{notes, todos};
use spaces::Project;
use store::Tx;

/// Longest markdown of an alert that an incident takes, in bytes.
const MAX_MARKDOWN: usize = 100_000;

/// Makes an incident of an alert and links the two. The author is whoever
/// asks for it, or the account of the program.
pub fn create(
    tx: &mut Tx<'_>, base_url: &str, project: &Project, alert: &Alert, author_id: i64,
) -> Result<Issue> {
    let new = IssueInput {
        kind: Some(IssueKind::Incident),
        severity: Some(severity(alert.severity)),
        description: Patch::Value(description(base_url, project, alert)),
        ..IssueInput::titled(&alert.title)
    };
    let mut issue = issues::create(tx, project.id, Some(author_id), &new)?;
    if alert.title == UNTITLED {
        let titled = IssueInput::titled(&format!("New: Incident {}", issue.iid));
        issue = issues::update(tx, Some(author_id), &issue, &titled)?;
    }
    rows::set_issue(tx, alert.id, issue.id)?;
    let text = format!("created incident #{} for this alert", issue.iid);
    notes::system(tx, noteable(alert), Some(author_id), &text)?;
    Ok(issue)
}

/// Incidents are not worth information only.
fn severity(of: Severity) -> OfIssue {
    match of {
        Severity::Critical => OfIssue::Critical,
        Severity::High => OfIssue::High,
        Severity::Medium => OfIssue::Medium,
        Severity::Low => OfIssue::Low,
        Severity::Info | Severity::Unknown => OfIssue::Unknown,
    }
}

/// A time as incidents tell it (docs/interface/monitoring.md 3).
fn moment(at: Timestamp) -> String {
    let at = at.to_zoned(TimeZone::UTC);
    at.strftime("%-d %B %Y, %-I:%M%p (UTC)").to_string()
}

/// Summary and Markdown of the alert, with a rule between them.
fn description(base_url: &str, project: &Project, alert: &Alert) -> String {
    let text = |text: &Option<String>| text.as_deref().map(plain);
    let hosts = (!alert.hosts.is_empty()).then(|| plain(&alert.hosts.join(" ")));
    let lines = [
        ("Start time", Some(moment(alert.started_at))),
        ("Severity", Some(alert.severity.as_str().to_owned())),
        ("full_query", alert.full_query().as_deref().map(code)),
        ("Service", text(&alert.service)),
        ("Monitoring tool", text(&alert.monitoring_tool)),
        ("Hosts", hosts),
        ("Description", text(&alert.description)),
        ("Alert", Some(alert.web_url(base_url, &project.full_path))),
    ];
    let lines = lines
        .into_iter()
        .filter_map(|(name, value)| Some(format!("**{name}:** {}", value?)));
    // Two spaces end a line within a paragraph.
    let summary = lines.collect::<Vec<_>>().join("  \n");
    let markdown = alert.incident_markdown().filter(|text| text.len() <= MAX_MARKDOWN);
    let parts = [Some(summary), markdown.as_deref().map(tame)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("\n\n---\n\n")
}

pub fn close(tx: &mut Tx<'_>, bot: i64, issue: &Issue, alert: &Alert) -> Result<()> {
    if issue.state == IssueState::Closed {
        return Ok(());
    }
    issues::close(tx, Some(bot), issue.id)?;
    let text = format!("closed this incident because the alert ^alert#{} was resolved", alert.iid);
    notes::system(tx, issues::noteable(issue), Some(bot), &text)?;
    Ok(())
}

/// Follows the closing of an issue: an alert that it is the incident of is
/// over, says whoever closed it.
pub fn issue_closed(tx: &mut Tx<'_>, issue: &Issue, actor: Option<i64>) -> Result<()> {
    let Some(alert) = rows::of_issue(tx, issue.id)? else {
        return Ok(());
    };
    if alert.status == Status::Resolved {
        return Ok(());
    }
    let now = tx.now();
    rows::set_status(tx, alert.id, Status::Resolved, Some(now), None)?;
    let text = format!("changed the status to **Resolved** by closing issue #{}", issue.iid);
    notes::system(tx, noteable(&alert), actor, &text)?;
    if actor.is_some() {
        todos::close_for(tx, actor, noteable(&alert))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_of_incidents_are_fewer() {
        assert_eq!(severity(Severity::Critical), OfIssue::Critical);
        assert_eq!(severity(Severity::Info), OfIssue::Unknown);
        let at = "2019-09-12T06:00:55Z".parse().unwrap();
        assert_eq!(moment(at), "12 September 2019, 6:00AM (UTC)");
    }
}
