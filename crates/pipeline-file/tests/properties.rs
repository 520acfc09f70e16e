//! What holds for any text.

mod support;

use std::time::{Duration, Instant};

use pipeline_file::{Level, Outcome, Variable, Variables, durations, environments};
use proptest::prelude::*;
use support::Commit;

/// Pieces that files are made of, so that made-up texts come far.
const PIECES: [&str; 48] = [
    "a:",
    "b:",
    ".x:",
    "\n",
    "\n  ",
    "\n    ",
    "- ",
    "script: e",
    "script: [e, [f]]",
    "extends: .x",
    "extends: [a, b]",
    "rules:",
    "if: $X == \"a\"",
    "if: '$X =~ /a.c/ && !$Y'",
    "changes: ['**/*']",
    "exists: [a/]",
    "when: manual",
    "when: delayed",
    "start_in: 1 day",
    "needs: [a]",
    "needs: []",
    "needs: [{job: b, optional: true}]",
    "parallel: 3",
    "parallel: {matrix: [{X: [1, 2]}]}",
    "variables: {X: $Y, Y: $X}",
    "variables: {X: \"$$Z ${A}\"}",
    "stages: [a, b]",
    "stage: a",
    "include: a.yml",
    "include: [{local: b.yml, inputs: {x: 1}}]",
    "!reference [a, script]",
    "&x ",
    "*x",
    "<<: *x",
    "default:",
    "image: i:1",
    "cache: {key: {files: [a]}, paths: [b]}",
    "artifacts: {reports: {junit: a}}",
    "environment: {name: $X, on_stop: b}",
    "trigger: a/b",
    "workflow:",
    "only: [main]",
    "except: [/a b/]",
    "$[[ inputs.x ]]",
    "spec: {inputs: {x: }}",
    "\n---\n",
    "{",
    "}",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)
            .prop_map(|pieces| pieces.concat()),
        ".{0,200}",
        prop::collection::vec(job(), 1..6).prop_map(|jobs| jobs.concat()),
    ]
}

fn job() -> impl Strategy<Value = String> {
    let key = prop::sample::select(&PIECES[7..45]);
    (0..4_u8, prop::collection::vec(key, 0..5)).prop_map(|(name, keys)| {
        let mut text = format!("j{name}:\n  script: e\n");
        for key in keys.into_iter().filter(|key| key.contains(": ")) {
            text += &format!("  {key}\n");
        }
        text
    })
}

fn commit() -> Commit {
    Commit::push("main")
        .file(
            "a.yml",
            "spec: {inputs: {x: {default: y}}}\n---\nc: {script: \"$[[ inputs.x ]]\"}",
        )
        .file("b.yml", "include: b.yml")
        .changed(&["a/b"])
}

fn names(outcome: &Outcome) -> Vec<String> {
    match outcome {
        Outcome::Pipeline(plan) => plan.jobs.iter().map(|job| format!("{job:?}")).collect(),
        other => vec![format!("{other:?}")],
    }
}

proptest! {
    #[test]
    fn any_text_comes_to_the_same_end_twice(text in text()) {
        let started = Instant::now();
        let commit = commit();
        let first = commit.outcome(&text);
        prop_assert_eq!(names(&first), names(&commit.outcome(&text)));
        prop_assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn needs_are_planned_and_no_earlier_stage_waits_for_a_later(text in text()) {
        if let Outcome::Pipeline(plan) = commit().outcome(&text) {
            for job in &plan.jobs {
                for need in job.needs.iter().flatten() {
                    let needed = plan.jobs.iter().find(|other| other.name == need.name);
                    prop_assert!(needed.is_some_and(|it| it.stage_index <= job.stage_index));
                }
            }
        }
    }

    #[test]
    fn the_merged_file_reads_as_the_same_pipeline(text in text()) {
        let commit = commit();
        let configuration = commit.load(&text);
        if configuration.errors.is_empty() {
            let again = commit.outcome(&configuration.merged_yaml());
            let shown = |outcome: &Outcome| match outcome {
                Outcome::Pipeline(plan) => plan
                    .jobs
                    .iter()
                    .map(|job| format!("{} {:?} {:?}", job.name, job.when, job.variables))
                    .collect(),
                other => vec![other.refusal().unwrap_or_default()],
            };
            prop_assert_eq!(shown(&commit.outcome(&text)), shown(&again));
        }
    }

    #[test]
    fn expansion_ends(values in prop::collection::vec("[A-E$%{} x]{0,12}", 5)) {
        let all = ["A", "B", "C", "D", "E"].into_iter().zip(values);
        let all = all.map(|(name, value)| Variable::new(Level::Job, name, value));
        if let Ok(expanded) = Variables::merge(all).expand() {
            prop_assert_eq!(expanded.len(), 5);
        }
    }

    #[test]
    fn expressions_and_durations_never_panic(text in ".{0,80}") {
        let _ = durations::parse(&text);
        let _ = pipeline_file::expression::Expression::parse(&text);
        let _ = pipeline_file::pattern::compile(&text, "i");
        let slug = environments::slug(&text);
        prop_assert!(slug.len() <= 24 && !slug.ends_with('-'));
        prop_assert!(pipeline_file::group_name(&text).len() <= text.len());
    }
}
