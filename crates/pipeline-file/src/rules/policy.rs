//! `only` and `except`.

use super::{Judge, RefKind, Subject};
use crate::model::{Job, Policy};
use crate::pattern;
use crate::variables::Variables;

/// Whether a job without rules is in; without `only` it is for branches and tags,
/// unless the workflow has rules.
pub(crate) fn admits(
    job: &Job, workflow_rules: bool, judge: &Judge<'_>, variables: &Variables,
) -> bool {
    let branches_and_tags = || Some(vec!["branches".to_owned(), "tags".to_owned()]);
    let only = match &job.only {
        Some(only) if only.refs.is_none() => {
            Some(Policy { refs: branches_and_tags(), ..only.clone() })
        }
        Some(only) => Some(only.clone()),
        None if workflow_rules => None,
        None => Some(Policy { refs: branches_and_tags(), ..Policy::default() }),
    };
    let keys = |policy: &Policy| conditions(policy, judge, variables);
    let in_only = only.is_none_or(|only| keys(&only).into_iter().all(|holds| holds));
    let in_except = job
        .except
        .as_ref()
        .is_some_and(|except| keys(except).into_iter().any(|holds| holds));
    in_only && !in_except
}

/// Each key of a policy, whether it holds.
fn conditions(policy: &Policy, judge: &Judge<'_>, variables: &Variables) -> Vec<bool> {
    let subject = judge.context.subject();
    let refs = policy.refs.as_ref().map(|refs| refs.iter().any(|name| fits(name, subject)));
    let expressions = policy.variables.as_ref().map(|expressions| {
        expressions.iter().any(|expression| judge.true_of(expression, variables))
    });
    let changes = policy.changes.as_ref().map(|paths| judge.changed(paths, variables));
    let kubernetes = policy.kubernetes.then_some(subject.kubernetes);
    [refs, expressions, changes, kubernetes].into_iter().flatten().collect()
}

fn fits(written: &str, subject: &Subject) -> bool {
    let (name, project) = pattern::of_ref(written);
    if project.is_some_and(|project| project != subject.project) {
        return false;
    }
    let source = subject.source.strip_suffix("_event").unwrap_or(&subject.source);
    let plural = match source.ends_with("sh") {
        true => name.strip_suffix("es"),
        false => name.strip_suffix('s'),
    };
    if name == source || plural == Some(source) {
        return true;
    }
    match subject.kind {
        RefKind::MergeRequest => false,
        RefKind::Branch if name == "branches" => true,
        RefKind::Tag if name == "tags" => true,
        _ => match pattern::literal(name) {
            Some((source, flags)) => pattern::compile(source, flags)
                .is_some_and(|regex| regex.is_match(&subject.reference)),
            None => name == subject.reference,
        },
    }
}
