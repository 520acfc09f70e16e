//! What is missing before a merge request can be merged, in words: for each failing check,
//! in their order, what it is, whether waiting helps, and what somebody has to do.

use super::Around;
use crate::access::{self, Scope};
use crate::merging::status::{DetailedStatus, PipelineEnd};
use crate::model::{MergeRequest, ReviewState};
use crate::pages::show::approvals::more_approvals;
use crate::store::blocks;
use crate::store::{self as rows};
use ::store::Tx;
use code::visible::visible;
use kernel::error::Result;
use kernel::http::Paging;

/// Names that one sentence holds.
const MOST_NAMES: usize = 5;

/// One thing that is missing.
#[derive(Debug, Clone, Default)]
pub struct Missing {
    pub text: String,
    /// What somebody has to do, or what waiting does.
    pub help: String,
    /// Waiting helps.
    pub waits: bool,
    /// Where it is done: words and addresses.
    pub links: Vec<(String, String)>,
    /// A button that does it: where its form goes, its value and its words.
    pub button: Option<(String, &'static str, &'static str)>,
    /// It is about files that both sides changed.
    pub is_conflict: bool,
    /// These files.
    pub files: Vec<String>,
    /// There are more of them.
    pub has_more: bool,
    /// What is typed to do it on one's own machine.
    pub commands: Option<String>,
}

impl Missing {
    fn new(text: impl Into<String>, help: impl Into<String>) -> Missing {
        Missing { text: text.into(), help: help.into(), ..Missing::default() }
    }

    /// Something that passes by itself.
    fn waiting(text: impl Into<String>, help: impl Into<String>) -> Missing {
        Missing { waits: true, ..Missing::new(text, help) }
    }

    fn link(mut self, words: &str, url: impl Into<String>) -> Missing {
        self.links.push((words.to_owned(), url.into()));
        self
    }

    fn button(self, url: String, value: &'static str, words: &'static str) -> Missing {
        Missing { button: Some((url, value, words)), ..self }
    }
}

/// What stands in the way of a merge that is not over yet.
pub fn missing(tx: &mut Tx<'_>, around: &Around<'_>) -> Result<Vec<Missing>> {
    let failing: Vec<DetailedStatus> = around.scene.facts.failing().collect();
    let mut missing = Vec::new();
    for status in failing {
        missing.extend(words(tx, around, status)?);
    }
    Ok(missing)
}

fn words(tx: &mut Tx<'_>, around: &Around<'_>, status: DetailedStatus) -> Result<Option<Missing>> {
    use DetailedStatus as D;
    let request = &around.found.request;
    Ok(Some(match status {
        D::NotOpen | D::Mergeable => return Ok(None),
        D::Preparing => Missing::waiting(
            "The merge request is being prepared.",
            "What differs is read now; this takes a moment.",
        ),
        D::Checking => Missing::waiting(
            "It is being checked whether the branches can be merged.",
            "This takes a moment.",
        ),
        D::Unchecked => Missing::waiting(
            "It is not known yet whether the branches can be merged.",
            "A check begins by itself.",
        ),
        D::RequestedChanges => requested_changes(around),
        D::NotApproved => not_approved(around),
        D::ApprovalsSyncing => {
            Missing::waiting("Approvals are being looked at after a push.", "This takes a moment.")
        }
        D::Blocked => blocked(tx, around)?,
        D::MergeTime => merge_time(request),
        D::Draft => draft(around),
        D::TitlePattern => title(around),
        D::CommitsStatus => commits(around),
        D::OpenThreads => threads(around),
        D::Conflict => conflict(around),
        D::NeedsRebase => needs_rebase(around),
        D::PipelineRuns => pipeline_runs(around),
        D::PipelineMustPass => pipeline_failed(around),
        other => beyond(other),
    }))
}

/// Checks of tools and policies that stand beside the merge request.
fn beyond(status: DetailedStatus) -> Missing {
    use DetailedStatus as D;
    match status {
        D::TrackerKeyMissing => Missing::new(
            "No issue of the tracker is named.",
            "Name one by its key in the title or the description.",
        ),
        D::PolicyViolated => Missing::new(
            "A policy of the project is not kept.",
            "Change what it forbids, or ask who set it.",
        ),
        D::PolicyPipeline => Missing::waiting(
            "A pipeline that a policy asks for has not ended.",
            "Wait until it has.",
        ),
        D::ExternalChecks => {
            Missing::waiting("A check of another service has not passed.", "Wait for its answer.")
        }
        D::LockedPaths => {
            Missing::new("It changes a path that somebody else locked.", "Ask them to unlock it.")
        }
        _ => Missing::new(
            "It changes a large file that somebody else locked.",
            "Ask them to unlock it.",
        ),
    }
}

/// Some names as a part of a sentence.
fn sentence(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    match (names.len(), more) {
        (0 | 1, 0) => names.concat(),
        (_, 0) => {
            let last = names.pop().unwrap_or_default();
            format!("{} and {last}", names.join(", "))
        }
        (_, more) => format!("{} and {more} more", names.join(", ")),
    }
}

fn requested_changes(around: &Around<'_>) -> Missing {
    let reviewers = around.scene.around.reviewers.get(&around.found.request.id);
    let names: Vec<String> = reviewers
        .into_iter()
        .flatten()
        .filter(|reviewer| reviewer.state == ReviewState::RequestedChanges)
        .filter_map(|reviewer| around.scene.around.user(reviewer.user_id))
        .map(|user| user.name.clone())
        .collect();
    let text = match sentence(names) {
        who if who.is_empty() => "A reviewer asked for changes.".to_owned(),
        who => format!("{who} asked for changes."),
    };
    let help = "It can be merged once they review it again and ask for none, or approve.";
    Missing::new(text, help).link("Reviews", "#approvals")
}

fn not_approved(around: &Around<'_>) -> Missing {
    let text = format!("It needs {}.", more_approvals(around.approvals_left));
    Missing::new(text, "Somebody who may approve has to.").link("Who may approve", "#approvals")
}

/// Names what it waits for, as far as the viewer sees that.
fn blocked(tx: &mut Tx<'_>, around: &Around<'_>) -> Result<Missing> {
    let all = Paging::first(blocks::MOST);
    let found = blocks::list(tx, around.found.request.id, blocks::End::Blocking, all)?;
    let ids: Vec<i64> = found.items.iter().map(|block| block.blocking_id).collect();
    let seen = access::visible(tx, around.viewer, &Scope::Everywhere);
    let waits_for = rows::by_ids(tx, &ids, seen)?;
    let mut missing = Missing::new(
        "It waits for other merge requests.",
        "They have to be merged first, or no longer be named as what it waits for.",
    );
    for one in waits_for.iter().filter(|one| one.merged_at.is_none()) {
        let words = format!("{}{} {}", one.project_path, one.reference(), one.title);
        missing = missing.link(&words, one.path());
    }
    Ok(missing)
}

fn merge_time(request: &MergeRequest) -> Missing {
    let at = request.merge_after.map(|at| at.strftime("%-d %b %Y, %H:%M UTC").to_string());
    let text = format!("It is not to be merged before {}.", at.unwrap_or_default());
    Missing::waiting(text, "Wait until then, or set another time.")
}

fn draft(around: &Around<'_>) -> Missing {
    let missing =
        Missing::new("It is a draft.", "Whoever works on it marks it as ready once it is.");
    match around.may_edit {
        true => missing.button(around.url.to_owned(), "ready", "Mark as ready"),
        false => missing,
    }
}

fn title(around: &Around<'_>) -> Missing {
    let pattern = around.scene.settings.title_pattern.as_deref().unwrap_or_default();
    let text = "The title is not written as the project asks.";
    let missing = Missing::new(text, format!("It has to match {pattern}"));
    match around.may_edit {
        true => missing.link("Edit the title", format!("{}/edit", around.url)),
        false => missing,
    }
}

fn commits(around: &Around<'_>) -> Missing {
    let (request, scene) = (&around.found.request, around.scene);
    let branches = scene.around.flags(request).branches;
    match (branches.source, branches.target) {
        (false, _) => Missing::new(
            format!("The source branch {} is not there.", visible(&request.source_branch)),
            "Push it again, or close the merge request.",
        ),
        (_, false) => {
            let text =
                format!("The target branch {} is not there.", visible(&request.target_branch));
            let missing = Missing::new(text, "Choose another one.");
            match around.may_edit {
                true => missing.link("Edit", format!("{}/edit", around.url)),
                false => missing,
            }
        }
        _ => Missing::new(
            "There is nothing to merge.",
            "The source branch has no commit that the target lacks: push one.",
        ),
    }
}

fn threads(around: &Around<'_>) -> Missing {
    let text = match around.unresolved {
        0 | 1 => "A thread is not resolved.".to_owned(),
        threads if threads > 99 => "More than 99 threads are not resolved.".to_owned(),
        threads => format!("{threads} threads are not resolved."),
    };
    let help = "The project asks for all threads to be resolved.";
    let missing = Missing::new(text, help);
    match &around.first_thread {
        Some(url) => missing.link("Go to the first", url.as_str()),
        None => missing,
    }
}

/// The files are named where they are found quickly.
fn conflict(around: &Around<'_>) -> Missing {
    let missing = Missing {
        is_conflict: true,
        commands: Some(around.by_hand()),
        ..Missing::new(
            "Both branches changed the same lines.",
            "Somebody has to resolve the conflicts on the source branch.",
        )
    };
    match around.may_push {
        true => missing.link("Resolve conflicts here", format!("{}/conflicts", around.url)),
        false => missing,
    }
}

fn needs_rebase(around: &Around<'_>) -> Missing {
    if around.found.request.rebase_started_at.is_some() {
        let text = "The source branch is being rebased.";
        return Missing::waiting(text, "This takes a moment.");
    }
    let missing = Missing {
        commands: Some(around.by_hand()),
        ..Missing::new(
            "The source branch lacks commits of the target.",
            "The project merges only what has all of them: rebase it.",
        )
    };
    match around.may_rebase {
        true => missing.button(format!("{}/rebase", around.url), "rebase", "Rebase"),
        false => missing,
    }
}

fn pipeline_runs(around: &Around<'_>) -> Missing {
    let missing = Missing::waiting("The pipeline has not ended.", "Wait until it has.");
    linked(missing, around)
}

fn pipeline_failed(around: &Around<'_>) -> Missing {
    let missing = match around.scene.facts.pipelines.end {
        None => Missing::new(
            "There is no pipeline of the newest commit.",
            "The project asks for one that succeeds: run one, or push again.",
        ),
        Some(PipelineEnd::Skipped) => Missing::new(
            "The pipeline was skipped.",
            "The project asks for one that succeeds: run one.",
        ),
        _ => Missing::new(
            "The pipeline did not succeed.",
            "The project asks for one that does: mend what failed, or try its jobs again.",
        ),
    };
    linked(missing, around)
}

fn linked(missing: Missing, around: &Around<'_>) -> Missing {
    match &around.pipeline {
        Some((_, url)) => missing.link("Pipeline", url.as_str()),
        None => missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_a_part_of_a_sentence() {
        let said = |count: usize| sentence((1..=count).map(|n| n.to_string()).collect());
        assert_eq!(said(0), "");
        assert_eq!(said(1), "1");
        assert_eq!(said(2), "1 and 2");
        assert_eq!(said(3), "1, 2 and 3");
        assert_eq!(said(7), "1, 2, 3, 4, 5 and 2 more");
    }

    #[test]
    fn what_passes_by_itself_is_said_to() {
        for status in DetailedStatus::ALL.iter().copied() {
            use DetailedStatus as D;
            let is_beyond = matches!(
                status,
                D::TrackerKeyMissing
                    | D::PolicyViolated
                    | D::PolicyPipeline
                    | D::ExternalChecks
                    | D::LockedPaths
                    | D::LockedLargeFiles
            );
            if is_beyond {
                assert_eq!(beyond(status).waits, status.passes_by_itself(), "{status}");
            }
        }
    }
}
