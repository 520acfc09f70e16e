//! What notes of the program tell, in the words that clients know it by. It is read off how
//! they begin: the program alone writes these beginnings.

/// How such notes begin, and what they tell; of two that fit the first counts.
const BEGINNINGS: &[(&str, &str)] = &[
    ("aborted the automatic merge", "merge"),
    ("added child epic ", "relate_to_child"),
    ("added issue ", "epic_issue_added"),
    ("added parent epic ", "relate_to_parent"),
    ("added to epic ", "issue_added_to_epic"),
    ("approved this merge request", "approved"),
    ("assigned to ", "assignee"),
    ("canceled the automatic merge", "merge"),
    ("changed due date to ", "start_date_or_due_date"),
    ("changed health status to ", "health_status"),
    ("changed milestone to ", "milestone"),
    ("changed start date to ", "start_date_or_due_date"),
    ("changed target branch from ", "branch"),
    ("changed the branches of this merge request", "commit"),
    ("changed the description", "description"),
    ("changed the incident status to ", "status"),
    ("changed the severity to ", "severity"),
    ("changed the status to ", "status"),
    ("changed time estimate to ", "time_tracking"),
    ("changed title from ", "title"),
    ("changed type from ", "issue_type"),
    ("cloned from ", "cloned"),
    ("closed", "closed"),
    ("created incident #", "alert_issue_added"),
    ("enabled an automatic merge", "merge"),
    ("locked the discussion", "locked"),
    ("made the epic confidential", "confidential"),
    ("made the epic visible", "visible"),
    ("made the issue confidential", "confidential"),
    ("made the issue visible", "visible"),
    ("marked this epic as ", "relate_epic"),
    ("marked this issue as ", "relate"),
    ("marked this merge request as ", "title"),
    ("mentioned in ", "cross_reference"),
    ("merged", "merged"),
    ("moved from another project", "moved"),
    ("moved to another project", "moved"),
    ("promoted ", "moved"),
    ("removed a dependency", "unrelate"),
    ("removed child epic ", "unrelate_from_child"),
    ("removed due date", "start_date_or_due_date"),
    ("removed from epic ", "issue_removed_from_epic"),
    ("removed issue ", "epic_issue_removed"),
    ("removed milestone", "milestone"),
    ("removed parent epic ", "unrelate_from_parent"),
    ("removed review request for ", "reviewer"),
    ("removed start date", "start_date_or_due_date"),
    ("removed the health status", "health_status"),
    ("removed the relation with ", "unrelate"),
    ("removed the time before which it is not merged", "merge"),
    ("removed time estimate", "time_tracking"),
    ("removed time spent", "time_tracking"),
    ("reopened", "opened"),
    ("requested changes", "requested_changes"),
    ("requested review from ", "reviewer"),
    ("resolved a thread", "discussion"),
    ("resolved the error that this issue is about", "closed"),
    ("reviewed this merge request", "reviewed"),
    ("set the merge to be no earlier than ", "merge"),
    ("unapproved this merge request", "unapproved"),
    ("unassigned ", "assignee"),
    ("unlocked the discussion", "unlocked"),
];

/// What a note of the program with this text tells, if there is a word for it.
pub fn action(text: &str) -> Option<&'static str> {
    let known = BEGINNINGS.iter().find(|(words, _)| text.starts_with(words));
    known.map(|(_, action)| *action).or_else(|| measured(text))
}

/// What was added or taken away of something that is counted.
fn measured(text: &str) -> Option<&'static str> {
    let line = text.lines().next()?;
    let rest = line.strip_prefix("added ").or_else(|| line.strip_prefix("subtracted "))?;
    // What time was spent on comes behind that, in words of people.
    if rest.contains(" of time spent") {
        return Some("time_tracking");
    }
    match rest.rsplit(' ').next()? {
        "commit" | "commits" => Some("commit"),
        "dependency" => Some("relate"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::HealthStatus;
    use crate::rules::changed::{Texts, remarks};

    #[test]
    fn notes_of_the_program_tell_their_action() {
        for (text, expected) in [
            ("approved this merge request", Some("approved")),
            ("requested review from @jane", Some("reviewer")),
            ("requested changes", Some("requested_changes")),
            ("added 2 commits\n\n* 12ab - Spend 1h of time spent", Some("commit")),
            ("added 1h of time spent: two more commits", Some("time_tracking")),
            ("subtracted 30m of time spent", Some("time_tracking")),
            ("added acme/forge!5 as a dependency", Some("relate")),
            ("closed via merge request !5", Some("closed")),
            ("marked this issue as blocked by #3", Some("relate")),
            ("added something else", None),
            ("paged @jane about this alert by e-mail", None),
            ("", None),
        ] {
            assert_eq!(action(text), expected, "{text}");
        }
    }

    #[test]
    fn changes_of_texts_and_marks_have_one() {
        let before = || Texts { title: "a", description: None, confidential: false };
        let after = || Texts { title: "b", description: Some("c"), confidential: true };
        for name in ["issue", "epic"] {
            let actions = |from, to| -> Vec<_> {
                remarks(name, from, to).iter().map(|text| action(text)).collect()
            };
            let there = actions(before(), after());
            assert_eq!(there, ["title", "description", "confidential"].map(Some));
            let back = actions(after(), before());
            assert_eq!(back, ["title", "description", "visible"].map(Some));
        }
        let health = [Some(HealthStatus::AtRisk), None].map(HealthStatus::remark);
        assert!(health.iter().all(|text| action(text) == Some("health_status")));
    }
}
