//! Files in the shapes of real projects, beside what gitlab-ci-local 4.64.1 makes of
//! them: `tests/clients/pipeline_file.cjs --record` wrote `expected.json`.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pipeline_file::model::{AllowFailure, Job, Target, When, Work};
use pipeline_file::{Configuration, Outcome, PlannedJob, group_name};
use serde_json::{Value, json};
use support::Commit;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle")
}

/// Where the client does otherwise, and why it is not followed.
fn differs(stem: &str, what: &str) -> bool {
    match what {
        // It refuses them by a schema: a key without value, a stage named twice.
        "fails" => matches!(stem, "hidden_and_null" | "stages_and_edges"),
        // Its list ignores `only`, `except` and the rules of the workflow.
        "jobs" => matches!(stem, "only_except" | "workflow_rules"),
        _ => false,
    }
}

fn commit(stem: &str) -> (Commit, String) {
    let mut commit = Commit::push("main");
    for part in [
        "base.yml",
        "jobs.yml",
        "never.yml",
        "inputs.yml",
        "many/one.yml",
        "many/two.yml",
        "Dockerfile",
    ] {
        let path = format!("parts/{part}");
        let text = std::fs::read_to_string(folder().join(&path)).expect("a part");
        commit = commit.file(&path, &text);
    }
    let text = std::fs::read_to_string(folder().join(format!("{stem}.yml"))).expect("a file");
    (commit.file(".gitlab-ci.yml", ""), text)
}

#[test]
fn files_come_to_what_another_implementation_makes_of_them() {
    let expected = std::fs::read_to_string(folder().join("expected.json")).unwrap();
    let expected: serde_json::Map<String, Value> = serde_json::from_str(&expected).unwrap();
    assert!(expected.len() >= 40);
    let mut wrong = Vec::new();
    for (stem, theirs) in &expected {
        let (commit, text) = commit(stem);
        let outcome = commit.outcome(&text);
        let failed = matches!(outcome, Outcome::Failed(_));
        if theirs.get("error").is_some() != failed {
            if !differs(stem, "fails") {
                wrong.push(format!("{stem}: fails only on one side: {outcome:?}"));
            }
            continue;
        }
        if let Outcome::Pipeline(plan) = &outcome {
            if !differs(stem, "jobs") {
                compare_jobs(stem, &plan.jobs, &theirs["jobs"], &mut wrong);
            }
            // Warnings may come before the file.
            let preview = theirs["preview"].as_str().unwrap_or_default();
            let start = preview.find("---\n").unwrap_or(0);
            let preview = Commit::push("main").load(&preview[start..]);
            compare_preview(stem, &commit.load(&text), &preview, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn compare_jobs(stem: &str, ours: &[PlannedJob], theirs: &Value, wrong: &mut Vec<String>) {
    let theirs = theirs.as_array().expect("a list");
    let names: BTreeSet<&str> = theirs.iter().filter_map(|job| job["name"].as_str()).collect();
    let own: BTreeSet<&str> = ours.iter().map(|job| job.name.as_str()).collect();
    if names != own {
        wrong.push(format!("{stem}: {names:?} / {own:?}"));
        return;
    }
    for job in theirs {
        let name = job["name"].as_str().expect("a name");
        let Some(own) = ours.iter().find(|own| own.name == name) else {
            continue;
        };
        let mut check = |what: &str, own: Value| {
            if job[what] != own {
                wrong.push(format!("{stem} {name} {what}: {} / {own}", job[what]));
            }
        };
        check("stage", json!(own.stage));
        check("when", json!(own.when.word()));
        // Of manual jobs it prints the key alone, which says nothing where it is left out.
        if own.when != When::Manual || job["allow_failure"] == json!(true) {
            let allowed = match &own.allow_failure {
                AllowFailure::Always(flag) => json!(flag),
                AllowFailure::ExitCodes(codes) => json!({ "exit_codes": codes }),
            };
            check("allow_failure", allowed);
        }
        let needs = own.needs.as_ref().map(|needs| {
            needs
                .iter()
                .map(|need| group_name(&need.name).to_owned())
                .collect::<BTreeSet<_>>()
        });
        // It names optional needs that are not there.
        let groups: BTreeSet<&str> = names.iter().map(|name| group_name(name)).collect();
        let theirs = job["needs"].as_array().map(|needs| {
            let there = needs.iter().filter_map(Value::as_str).filter(|name| groups.contains(name));
            there.map(str::to_owned).collect::<BTreeSet<_>>()
        });
        if theirs != needs {
            wrong.push(format!("{stem} {name} needs: {theirs:?} / {needs:?}"));
        }
    }
}

/// Its preview is a file again: what jobs do has to be the same.
fn compare_preview(
    stem: &str, ours: &Configuration, theirs: &Configuration, wrong: &mut Vec<String>,
) {
    for (name, own) in &ours.pipeline.jobs {
        let Some(other) = theirs.pipeline.jobs.get(name) else {
            wrong.push(format!("{stem} {name}: not in the preview: {:?}", theirs.errors));
            continue;
        };
        let (mut own, other) = (what_it_does(own), what_it_does(other));
        // It does not hand on the tags of `default:`.
        if other["tags"].is_null() {
            own["tags"] = Value::Null;
        }
        if own != other {
            wrong.push(format!("{stem} {name}:\n  {other}\n  {own}"));
        }
    }
}

fn what_it_does(job: &Job) -> Value {
    let script = match &job.work {
        Work::Script(commands) => json!(commands),
        Work::Trigger(trigger) => {
            let mut trigger = trigger.clone();
            // It writes the long form of includes.
            if let Target::Child { include } = &mut trigger.target {
                for item in include.iter_mut().filter(|item| item.is_string()) {
                    *item = json!({ "local": item });
                }
            }
            json!(trigger)
        }
        work => json!(work),
    };
    let variables: BTreeSet<_> = job
        .variables
        .iter()
        .map(|it| format!("{}={} {}", it.name, it.value, it.raw))
        .collect();
    json!({
        "script": script,
        "before_script": job.before_script.as_deref(),
        "after_script": job.after_script.as_deref(),
        "image": job.image.as_deref(),
        "stage": job.stage,
        "tags": job.tags.as_deref(),
        "cache": job.cache.as_deref(),
        "artifacts": job.artifacts.as_deref(),
        "parallel": job.parallel,
        "timeout": job.timeout,
        "retry": job.retry.as_deref(),
        "variables": variables,
    })
}
