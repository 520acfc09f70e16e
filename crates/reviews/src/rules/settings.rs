//! How merge requests of a project are merged, as projects show it and changes of them say
//! it, for `spaces::hooks::Hooks`.

use crate::approvals::editing::{Holder, set_for_everybody};
use crate::merging::messages::LONGEST_TEMPLATE;
use crate::model::issue_branch::{Named, template_error};
use crate::model::{Settings, pattern_error};
use crate::rules::create::branch_problem;
use crate::store::settings as rows;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::Patch;
use spaces::hooks::MergeSettingsHooks;
use spaces::merge_settings::{MergeSettings, MergeSettingsChange};
use spaces::model::{Problems, Project};
use std::collections::HashMap;

/// What rooms below are plugged in.
pub const HOOKS: MergeSettingsHooks = MergeSettingsHooks { read, change };

fn read(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, MergeSettings>> {
    let found = rows::shown(tx, projects)?;
    let shown = found
        .into_iter()
        .map(|(id, (settings, approvals))| (id, shown(settings, approvals)));
    Ok(shown.collect())
}

fn shown(settings: Settings, approvals: i64) -> MergeSettings {
    MergeSettings {
        automatic_rebase_enabled: settings.automatic_rebase,
        only_allow_merge_if_pipeline_succeeds: settings.pipelines_must_succeed,
        allow_merge_on_skipped_pipeline: settings.skipped_pipelines_pass,
        only_allow_merge_if_all_discussions_are_resolved: settings.threads_must_be_resolved,
        remove_source_branch_after_merge: settings.remove_source_branch,
        resolve_outdated_diff_discussions: settings.resolve_outdated_threads,
        printing_merge_request_link_enabled: settings.print_links,
        merge_pipelines_enabled: settings.merged_results,
        merge_commit_template: settings.merge_commit_template,
        squash_commit_template: settings.squash_commit_template,
        suggestion_commit_message: settings.suggestion_commit_message,
        merge_request_title_regex: settings.title_pattern,
        issue_branch_template: settings.issue_branch_template,
        approvals_before_merge: approvals,
    }
}

fn change(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, change: &MergeSettingsChange,
) -> Result<()> {
    let before = rows::of_project(tx, project.id)?;
    let after = changed(&before, change);
    if after != before {
        check(&after)?;
        rows::write(tx, project.id, &after)?;
    }
    let Some(required) = change.approvals_before_merge else {
        return Ok(());
    };
    let asked = rows::shown(tx, &[project.id])?;
    match asked.get(&project.id).is_some_and(|(_, approvals)| *approvals == required) {
        true => Ok(()),
        false => set_for_everybody(tx, viewer, Holder::Project(project), required).map(drop),
    }
}

fn changed(before: &Settings, change: &MergeSettingsChange) -> Settings {
    let flag = |sent: Option<bool>, stored: bool| sent.unwrap_or(stored);
    let text = |sent: &Patch<String>, stored: &Option<String>| {
        let text = sent.clone().map(|text| text.replace('\r', "")).over(stored.clone());
        text.filter(|text| !text.trim().is_empty())
    };
    Settings {
        remove_source_branch: flag(
            change.remove_source_branch_after_merge,
            before.remove_source_branch,
        ),
        pipelines_must_succeed: flag(
            change.only_allow_merge_if_pipeline_succeeds,
            before.pipelines_must_succeed,
        ),
        skipped_pipelines_pass: flag(
            change.allow_merge_on_skipped_pipeline,
            before.skipped_pipelines_pass,
        ),
        threads_must_be_resolved: flag(
            change.only_allow_merge_if_all_discussions_are_resolved,
            before.threads_must_be_resolved,
        ),
        resolve_outdated_threads: flag(
            change.resolve_outdated_diff_discussions,
            before.resolve_outdated_threads,
        ),
        print_links: flag(change.printing_merge_request_link_enabled, before.print_links),
        merged_results: flag(change.merge_pipelines_enabled, before.merged_results),
        automatic_rebase: flag(change.automatic_rebase_enabled, before.automatic_rebase),
        merge_commit_template: text(&change.merge_commit_template, &before.merge_commit_template),
        squash_commit_template: text(
            &change.squash_commit_template,
            &before.squash_commit_template,
        ),
        suggestion_commit_message: text(
            &change.suggestion_commit_message,
            &before.suggestion_commit_message,
        ),
        title_pattern: text(&change.merge_request_title_regex, &before.title_pattern),
        issue_branch_template: text(&change.issue_branch_template, &before.issue_branch_template),
    }
}

fn check(settings: &Settings) -> Result<()> {
    let mut problems = Problems::default();
    for (field, text) in [
        ("merge_commit_template", &settings.merge_commit_template),
        ("squash_commit_template", &settings.squash_commit_template),
        ("suggestion_commit_message", &settings.suggestion_commit_message),
    ] {
        if text.as_ref().is_some_and(|text| text.chars().count() > LONGEST_TEMPLATE) {
            problems.add(field, &format!("is too long (maximum is {LONGEST_TEMPLATE} characters)"));
        }
    }
    let wrong = settings.title_pattern.as_deref().and_then(pattern_error);
    problems.note("merge_request_title_regex", wrong);
    let wrong = settings.issue_branch_template.as_deref().and_then(branch_template_error);
    problems.note("issue_branch_template", wrong);
    problems.check()
}

fn branch_template_error(template: &str) -> Option<&'static str> {
    let usual = Named { iid: 1, title: "x", confidential: false };
    let is_wrong = || branch_problem(&usual.branch(Some(template))).is_some();
    template_error(template).or_else(|| is_wrong().then_some("makes no name of a branch"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_stays_and_blank_texts_are_none() {
        let before = Settings {
            merge_commit_template: Some("%{title}".into()),
            title_pattern: Some("^x".into()),
            ..Settings::default()
        };
        assert_eq!(changed(&before, &MergeSettingsChange::default()), before);
        let change = MergeSettingsChange {
            only_allow_merge_if_pipeline_succeeds: Some(true),
            merge_commit_template: Patch::Value(" \r\n".into()),
            squash_commit_template: Patch::Value("a\r\nb".into()),
            merge_request_title_regex: Patch::Null,
            ..MergeSettingsChange::default()
        };
        let after = changed(&before, &change);
        assert!(after.pipelines_must_succeed && after.remove_source_branch);
        assert_eq!((after.merge_commit_template, after.title_pattern), (None, None));
        assert_eq!(after.squash_commit_template.as_deref(), Some("a\nb"));
    }

    #[test]
    fn texts_that_are_too_long_are_refused() {
        let long = Settings {
            merge_commit_template: Some("x".repeat(LONGEST_TEMPLATE + 1)),
            ..Settings::default()
        };
        let wrong = Settings { title_pattern: Some("(".into()), ..Settings::default() };
        assert!(check(&long).is_err() && check(&wrong).is_err());
        for template in ["%{author}", "%{id}..%{title}", "-%{id}", "a\nb"] {
            let issue_branch_template = Some(template.to_owned());
            let wrong = Settings { issue_branch_template, ..Settings::default() };
            assert!(check(&wrong).is_err(), "{template}");
        }
        assert!(check(&Settings::default()).is_ok());
    }
}
