//! The vectors of the contract, as they are numbered there.

mod support;

use pipeline_file::model::{AllowFailure, CacheKey, Policies, When, Work};
use pipeline_file::{Outcome, PlannedJob, Variables};
use support::Commit;

fn main_push() -> Commit {
    Commit::push("main")
}

fn job<'a>(plan: &'a pipeline_file::Plan, name: &str) -> &'a PlannedJob {
    plan.jobs
        .iter()
        .find(|job| job.name == name)
        .unwrap_or_else(|| panic!("no job {name}"))
}

fn needs(job: &PlannedJob) -> Vec<&str> {
    job.needs.iter().flatten().map(|need| need.name.as_str()).collect()
}

#[test]
fn v1_pre_and_post_are_first_and_last() {
    let plan = main_push()
        .plan("a: {stage: .post, script: e}\nb: {stage: .pre, script: e}\nc: {script: e}\n");
    let seen: Vec<_> = plan.jobs.iter().map(|job| (&*job.stage, &*job.name)).collect();
    assert_eq!(seen, [(".pre", "b"), ("test", "c"), (".post", "a")]);
    assert_eq!(plan.stages, [".pre", "test", ".post"]);
}

#[test]
fn v2_only_the_jobs_own_manual_may_fail() {
    let plan = main_push().plan(
        "
d: {script: e, when: manual}
f: {script: e, rules: [{when: manual}]}
g: {script: e, rules: [{if: $CI_COMMIT_BRANCH, when: manual, allow_failure: true}]}
",
    );
    for (name, allowed) in [("d", true), ("f", false), ("g", true)] {
        assert_eq!(job(&plan, name).when, When::Manual);
        assert_eq!(job(&plan, name).allow_failure, AllowFailure::Always(allowed), "{name}");
    }
}

#[test]
fn v3_a_matrix_multiplies_and_one_instance_is_needed() {
    let plan = main_push().plan(
        "
p: {script: e, parallel: {matrix: [{OS: linux, ARCH: [x64, arm]}, {OS: [mac], ARCH: arm}]}}
q: {stage: deploy, script: e, needs: [{job: p, parallel: {matrix: [{OS: linux, ARCH: arm}]}}]}
",
    );
    let names: Vec<_> = plan.jobs.iter().map(|job| &*job.name).collect();
    assert_eq!(names, ["p: [linux, x64]", "p: [linux, arm]", "p: [mac, arm]", "q"]);
    assert_eq!(needs(job(&plan, "q")), ["p: [linux, arm]"]);
    assert_eq!(job(&plan, "p: [mac, arm]").group, "p");
    let errors = main_push().errors(
        "
p: {script: e, parallel: {matrix: [{OS: linux, ARCH: arm}]}}
q: {stage: deploy, script: e, needs: [{job: p, parallel: {matrix: [{ARCH: arm, OS: linux}]}}]}
",
    );
    assert_eq!(errors, ["q job: undefined need: p: [arm, linux]"]);
}

#[test]
fn v4_a_plain_name_means_all_instances() {
    let plan = main_push().plan(
        "n: {script: e, parallel: 2}\nm: {stage: deploy, script: e, needs: [n]}\n\
         o: {stage: deploy, script: e, needs: [n 2/2]}\n",
    );
    assert_eq!(needs(job(&plan, "m")), ["n 1/2", "n 2/2"]);
    assert_eq!(needs(job(&plan, "o")), ["n 2/2"]);
    assert_eq!(job(&plan, "n 2/2").node, Some((2, 2)));
}

#[test]
fn v5_extends_merges_maps_and_replaces_the_rest() {
    let plan = main_push().plan(
        r#"
.a: {image: "x:1", variables: {A: "1", B: "1"}, script: [one, two], cache: {key: k, paths: [p]}}
.b: {variables: {B: "2"}, cache: {policy: pull}}
j: {extends: [.a, .b], script: [three], variables: {C: "3"}}
"#,
    );
    let j = job(&plan, "j");
    let values: Vec<_> = j.variables.iter().map(|v| (&*v.name, &*v.value)).collect();
    assert_eq!(values, [("A", "1"), ("B", "2"), ("C", "3")]);
    assert_eq!(j.job.work, Work::Script(vec!["three".into()]));
    assert_eq!(j.job.image.as_ref().unwrap().name, "x:1");
    let cache = &j.job.cache.as_ref().unwrap()[0];
    assert_eq!(cache.key, CacheKey::Text("k".into()));
    assert_eq!((cache.paths[0].as_str(), &cache.policy), ("p", &Policies::Pull));
}

#[test]
fn v6_the_including_file_wins_over_what_it_includes() {
    let plan = main_push()
        .file(
            "ci.yml",
            "variables: {V: base, W: base}\nt: {script: base, rules: [{when: never}], artifacts: \
             {reports: {dotenv: d.env}}}\n",
        )
        .plan(
            "
include: ci.yml
variables: {V: top}
t: {rules: [{when: always}], artifacts: {reports: {junit: j.xml}}}
",
        );
    let t = job(&plan, "t");
    let values: Vec<_> = t.variables.iter().map(|v| (&*v.name, &*v.value)).collect();
    assert_eq!(values, [("V", "top"), ("W", "base")]);
    assert_eq!(t.when, When::Always);
    assert_eq!(t.job.work, Work::Script(vec!["base".into()]));
    let reports = &t.job.artifacts.as_ref().unwrap().reports;
    assert!(reports.contains_key("junit") && reports.contains_key("dotenv"));
}

#[test]
fn v7_references_are_flattened_in_scripts() {
    let plan = main_push().plan(
        "
.s: {script: [a, b], vars: {X: one}}
j: {script: [first, !reference [.s, script]], variables: {Y: !reference [.s, vars, X]}}
",
    );
    let j = job(&plan, "j");
    let script = ["first", "a", "b"].map(str::to_owned).to_vec();
    assert_eq!(j.job.work, Work::Script(script));
    assert_eq!(j.variables[0].value, "one");
}

#[test]
fn v8_defaults_are_copied_whole_and_may_be_refused() {
    let plan = main_push().plan(
        "
default: {image: 'i:1', retry: 2, before_script: [d]}
variables: {G: g, H: h}
a: {script: e, inherit: {default: false, variables: false}}
b: {script: e, before_script: [own], inherit: {default: [image], variables: [G]}}
",
    );
    let (a, b) = (job(&plan, "a"), job(&plan, "b"));
    assert!(a.job.image.is_none() && a.job.retry.is_none() && a.variables.is_empty());
    assert_eq!(b.job.image.as_ref().unwrap().name, "i:1");
    assert_eq!(b.job.before_script.as_ref().unwrap()[0], "own");
    assert!(b.job.retry.is_none());
    assert_eq!(b.variables.len(), 1);
}

#[test]
fn v9_the_first_rule_that_holds_decides() {
    let text = "
a: {script: e, rules: [{if: '$CI_COMMIT_BRANCH =~ /^FEAT/i', when: never}, {when: always}]}
b: {script: e, rules: [{if: '$CI_COMMIT_BRANCH == \"\"'}, {if: '$NOPE != \"\"', when: manual}]}
c: {script: e, rules: [{if: $NOPE}]}
";
    let plan = Commit::push("feature/x").plan(text);
    assert_eq!(plan.jobs.len(), 1);
    assert_eq!(job(&plan, "b").when, When::Manual);
}

#[test]
fn v10_exists_looks_at_whole_paths_and_folders() {
    let text = "
a: {script: e, rules: [{exists: ['*.rs']}]}
b: {script: e, rules: [{exists: ['**/*.md']}]}
c: {script: e, rules: [{exists: [src/]}]}
";
    let names = main_push().file("src/a.rs", "").file("docs/a.md", "").names(text);
    assert_eq!(names, ["b", "c"]);
}

#[test]
fn v11_changes_are_compared_with_the_push_or_a_ref() {
    let text = "
a: {script: e, rules: [{changes: [src/**/*]}]}
b: {script: e, rules: [{changes: ['*.rs']}]}
d: {script: e, rules: [{changes: {paths: ['**/*.rs'], compare_to: main}}]}
";
    let mut commit = Commit::push("feature").changed(&["src/a.rs"]);
    commit.since.insert("main".into(), vec!["src/a.rs".into()]);
    assert_eq!(commit.names(text), ["a", "d"]);
    commit.changed = pipeline_file::Changed::Undecidable;
    assert_eq!(commit.names(text), ["a", "b", "d"]);
    commit.since.clear();
    let wanted = "Failed to parse rule for d: rules:changes:compare_to is not a valid ref";
    assert_eq!(commit.errors(text), [wanted]);
    assert_eq!(
        Commit::push("x")
            .changed(&[])
            .names("a: {script: e, rules: [{changes: ['*']}, {when: manual}]}"),
        ["a"]
    );
}

#[test]
fn v12_rules_of_the_workflow_let_no_pipeline_be() {
    let text = "workflow: {rules: [{if: $CI_COMMIT_TAG}]}\na: {script: e}\n";
    assert!(matches!(main_push().outcome(text), Outcome::Filtered));
    assert_eq!(Commit::tag("v1").names(text), ["a"]);
}

#[test]
fn v13_jobs_of_pre_alone_are_no_pipeline() {
    assert!(matches!(main_push().outcome("a: {stage: .pre, script: e}"), Outcome::Empty));
}

#[test]
fn v14_a_need_that_is_not_there_stops_all_unless_optional() {
    let text = "x: {stage: build, script: e, rules: [{if: $NOPE}]}\ny: {script: e, needs: [x]}\n";
    let wanted = "'y' job needs 'x' job, but 'x' does not exist in the pipeline. This might be \
                  because of the only, except, or rules keywords. To need a job that sometimes \
                  does not exist in the pipeline, use needs:optional.";
    assert_eq!(main_push().errors(text), [wanted]);
    let plan = main_push().plan(&text.replace("[x]", "[{job: x, optional: true}]"));
    assert_eq!(job(&plan, "y").needs, Some(Vec::new()));
}

#[test]
fn v15_jobs_without_rules_are_not_for_merge_requests() {
    let text = "
a: {script: e}
b: {script: e, rules: [{if: $CI_PIPELINE_SOURCE == \"merge_request_event\"}]}
";
    assert_eq!(Commit::merge_request("x").names(text), ["b"]);
    assert_eq!(main_push().names(text), ["a"]);
}

#[test]
fn v16_only_and_except() {
    let text = "
a: {script: e, only: [main]}
b: {script: e, only: [/^feature/]}
c: {script: e, except: [branches]}
d: {script: e, only: {variables: ['$CI_COMMIT_BRANCH == \"main\"']}}
";
    assert_eq!(Commit::push("feature/x").names(text), ["b"]);
    assert_eq!(main_push().names(text), ["a", "d"]);
    assert_eq!(Commit::tag("v1").names(text), ["c"]);
    let more = "
p: {script: e, only: [pushes]}
q: {script: e, only: [main@group/project]}
r: {script: e, only: [main@other/project]}
s: {script: e, only: [merge_requests, schedules]}
t: {script: e, except: {changes: ['*.md']}}
";
    assert_eq!(main_push().changed(&["a.rs"]).names(more), ["p", "q", "t"]);
    assert_eq!(main_push().changed(&["a.md"]).names(more), ["p", "q"]);
    assert_eq!(Commit::merge_request("x").names(more), ["s"]);
}

#[test]
fn v17_values_are_expanded_as_the_job_sees_them() {
    let text = r#"
variables: {A: top, B: "$A-x", R: {value: "$A-raw", expand: false}}
j: {variables: {A: job, C: "${B}!", D: "$$A", U: "$UNDEF"}, script: e}
k: {script: e}
"#;
    let plan = main_push().plan(text);
    let values = |name: &str| {
        let all = Variables::merge(job(&plan, name).variables.iter().cloned()).expand().unwrap();
        move |name: &str| all.get(name).unwrap().value.clone()
    };
    let j = values("j");
    for (name, value) in [
        ("A", "job"),
        ("B", "job-x"),
        ("C", "job-x!"),
        ("D", "$$A"),
        ("R", "$A-raw"),
        ("U", "$UNDEF"),
    ] {
        assert_eq!(j(name), value);
    }
    assert_eq!((values("k")("A"), values("k")("B")), ("top".into(), "top-x".into()));
    let circle = main_push().errors("variables: {A: $B, B: $A}\nj: {script: e}");
    assert_eq!(circle, ["j: circular variable reference detected: [\"A\", \"B\"]"]);
}

#[test]
fn v18_no_needs_means_at_once() {
    let text = "
mk: {stage: build, script: e, artifacts: {reports: {dotenv: d.env}}}
use: {variables: {X: job}, script: e}
own: {needs: [], variables: {X: job}, script: e}
";
    let plan = main_push().plan(text);
    assert_eq!(job(&plan, "own").needs, Some(Vec::new()));
    assert_eq!(job(&plan, "use").needs, None);
}

const TEMPLATE: &str = r#"
spec:
  inputs:
    n: {type: number}
    who: {options: [me, you]}
    c: {type: array, default: [x, y]}
---
"job-$[[ inputs.who ]]": {parallel: "$[[ inputs.n ]]", script: "$[[ inputs.c ]]"}
"#;

#[test]
fn v22_inputs_keep_their_types() {
    let commit = main_push().file("tpl.yml", TEMPLATE);
    let plan = commit.plan("include: [{local: tpl.yml, inputs: {n: 2, who: you}}]");
    let names: Vec<_> = plan.jobs.iter().map(|job| &*job.name).collect();
    assert_eq!(names, ["job-you 1/2", "job-you 2/2"]);
    assert_eq!(plan.jobs[0].job.work, Work::Script(vec!["x".into(), "y".into()]));
    for (inputs, wanted) in [
        (
            "{n: 1, who: nobody}",
            "`tpl.yml`: `who` input: `nobody` cannot be used because it is not in the list of \
             allowed options",
        ),
        ("{who: me}", "`tpl.yml`: `n` input: required value has not been provided"),
        ("{n: x, who: me}", "`tpl.yml`: `n` input: provided value is not a number"),
        ("{n: 1, who: me, z: 1, y: 2}", "`tpl.yml`: unknown input arguments: z, y"),
    ] {
        let errors = commit.errors(&format!("include: [{{local: tpl.yml, inputs: {inputs}}}]"));
        assert_eq!(errors, [wanted]);
    }
}

#[test]
fn v23_a_rules_variables_win_over_all_of_the_file() {
    let text = "
r: {variables: {V: job, W: w}, rules: [{if: $CI_COMMIT_BRANCH, variables: {V: rule}}], script: e}
workflow: {rules: [{if: $CI_COMMIT_BRANCH, variables: {Z: wf, W: wf}}]}
s: {script: e}
";
    let plan = main_push().plan(text);
    let value = |job: &PlannedJob, name: &str| {
        job.variables
            .iter()
            .find(|variable| variable.name == name)
            .map(|v| v.value.clone())
    };
    let r = job(&plan, "r");
    assert_eq!((value(r, "V"), value(r, "W")), (Some("rule".into()), Some("w".into())));
    let s = job(&plan, "s");
    assert_eq!((value(s, "V"), value(s, "Z")), (None, Some("wf".into())));
}

#[test]
fn v25_what_is_wrong_is_said() {
    for (text, wanted) in [
        (
            "a: {image: x}",
            "jobs a config should implement the script:, run:, or trigger: keyword",
        ),
        (
            "a: {script: e, stage: qa}",
            "a job: chosen stage qa does not exist; available stages are .pre, build, test, \
             deploy, .post",
        ),
        ("a: {script: e, needs: [zz]}", "a job: undefined need: zz"),
        (
            "a: {stage: build, script: e, needs: [b]}\nb: {script: e}",
            "a job: need b is not defined in current or prior stages",
        ),
        (
            "a: {stage: build, script: e}\nb: {stage: build, script: e}\n\
             c: {script: e, needs: [a], dependencies: [b]}",
            "jobs:c dependencies the b should be part of needs",
        ),
        ("a: {script: e, extends: .nope}", "a: unknown keys in `extends` (.nope)"),
        ("a: {script: e, foo: 1}", "jobs:a config contains unknown keys: foo"),
        (
            "a: {script: e, when: never}",
            "jobs:a when should be one of: on_success, on_failure, always, manual, delayed",
        ),
        ("a: {script: e, when: delayed}", "jobs:a start in should be a duration"),
        (
            "a: {script: e, needs: [b]}\nb: {script: e, needs: [a]}",
            "The pipeline has circular dependencies: topological sort failed: [\"a\", \"b\"]",
        ),
        (
            "a: {script: e, needs: [a]}",
            "The pipeline has circular dependencies: self-dependency: a",
        ),
        (
            "a: {script: e, only: [main], rules: [{when: always}]}",
            "jobs:a config key may not be used with `rules`: only",
        ),
        (
            "a: {script: e}\nb: {script: e, needs: [a, a]}",
            "b has the following needs duplicated: a.",
        ),
        ("a: {script: e, dependencies: [x]}", "a job: undefined dependency: x"),
        (".a: {script: e}", "jobs config should contain at least one visible job"),
        ("[a]", "Invalid configuration format"),
        ("", "Please provide content of .gitlab-ci.yml"),
        (
            "foo: 1",
            "jobs foo config should implement the script:, run:, or trigger: keyword",
        ),
    ] {
        assert_eq!(main_push().errors(text), [wanted], "{text}");
    }
}
