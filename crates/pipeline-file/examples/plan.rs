//! Prints what comes of a pipeline file as JSON: `plan FILE [NAME=VALUE…]`.
//!
//! Local files are read beside the file, which is taken for a push to `main`; with
//! `CI_COMMIT_BRANCH`, `CI_COMMIT_TAG` or `CI_PIPELINE_SOURCE` it is something else.

// An example talks to who runs it.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pipeline_file::model::{AllowFailure, Work};
use pipeline_file::{
    Answer, Changed, Configuration, Context, Files, Level, Limits, Loader, Origin, Outcome, Paths,
    PlannedJob, RefKind, Source, Start, Step, Subject, Variable, Variables, plan,
};
use serde_json::{Value, json};

fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next().map(PathBuf::from) else {
        eprintln!("plan FILE [NAME=VALUE…]");
        return std::process::ExitCode::FAILURE;
    };
    let folder = Folder::new(&file, &arguments.collect::<Vec<_>>());
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    println!("{:#}", folder.plan(text));
    std::process::ExitCode::SUCCESS
}

/// A folder that stands for a commit.
struct Folder {
    root: PathBuf,
    paths: Arc<Paths>,
    subject: Subject,
    variables: Vec<Variable>,
}

impl Folder {
    fn new(file: &Path, given: &[String]) -> Self {
        let root = file.parent().map(Path::to_path_buf).unwrap_or_default();
        let mut paths = Vec::new();
        list(&root, "", 0, &mut paths);
        let mut variables = vec![
            Variable::new(Level::Predefined, "CI", "true"),
            Variable::new(Level::Predefined, "CI_PIPELINE_SOURCE", "push"),
            Variable::new(Level::Predefined, "CI_DEFAULT_BRANCH", "main"),
        ];
        if !given.iter().any(|pair| pair.starts_with("CI_COMMIT_TAG=")) {
            variables.push(Variable::new(Level::Predefined, "CI_COMMIT_BRANCH", "main"));
        }
        for (name, value) in given.iter().filter_map(|pair| pair.split_once('=')) {
            let level = if name.starts_with("CI_") {
                Level::Predefined
            } else {
                Level::Pipeline
            };
            variables.push(Variable::new(level, name, value));
        }
        let all = Variables::merge(variables.iter().cloned());
        let value = |name: &str| all.get(name).map(|variable| variable.value.clone());
        let source = value("CI_PIPELINE_SOURCE").unwrap_or_default();
        let tag = value("CI_COMMIT_TAG");
        let subject = Subject {
            kind: match (&tag, source.as_str()) {
                (Some(_), _) => RefKind::Tag,
                (None, "merge_request_event") => RefKind::MergeRequest,
                (None, _) => RefKind::Branch,
            },
            source,
            reference: tag.or_else(|| value("CI_COMMIT_BRANCH")).unwrap_or_default(),
            project: "group/project".into(),
            kubernetes: false,
        };
        Self { root, paths: Arc::new(Paths::new(paths)), subject, variables }
    }

    fn load(&self, text: String) -> Configuration {
        let origin = Origin::Project { path: self.subject.project.clone(), sha: String::new() };
        let mut loader = Loader::new(Start {
            name: ".gitlab-ci.yml".into(),
            text,
            origin: origin.clone(),
            inputs: Default::default(),
            variables: Variables::merge(self.variables.iter().cloned()),
            child: false,
            limits: Limits::default(),
        });
        loop {
            match loader.next(self) {
                Step::Done(configuration) | Step::Failed(configuration) => return *configuration,
                Step::Need(requests) => {
                    for request in requests {
                        let answer = match &request.source {
                            Source::Listing => Answer::Paths(self.paths.clone()),
                            Source::Local { path } => {
                                match std::fs::read_to_string(self.root.join(path)) {
                                    Ok(text) => Answer::file(text, origin.clone()),
                                    Err(_) => Answer::Missing,
                                }
                            }
                            _ => Answer::NoProject,
                        };
                        loader.answer(request.id, answer);
                    }
                }
            }
        }
    }

    fn plan(&self, text: String) -> Value {
        let configuration = self.load(text);
        let texts = |list: &[pipeline_file::Message]| {
            list.iter().map(|message| message.text.clone()).collect::<Vec<_>>()
        };
        let warnings = texts(&configuration.warnings);
        match plan(&configuration, &self.variables, self, &Limits::default()) {
            Outcome::Failed(errors) => json!({ "errors": texts(&errors), "warnings": warnings }),
            Outcome::Pipeline(plan) => json!({
                "name": plan.name,
                "stages": plan.stages,
                "jobs": plan.jobs.iter().map(shown).collect::<Vec<_>>(),
                "warnings": warnings,
            }),
            other => json!({ "refused": other.refusal(), "warnings": warnings }),
        }
    }
}

fn shown(job: &PlannedJob) -> Value {
    let needs = job.needs.as_ref().map(|needs| {
        needs
            .iter()
            .map(|need| json!({ "job": need.name, "artifacts": need.artifacts }))
            .collect()
    });
    let values = Variables::merge(job.variables.iter().cloned());
    let values = values.expand().unwrap_or(values);
    let variables: serde_json::Map<String, Value> =
        values.iter().map(|it| (it.name.clone(), it.value.clone().into())).collect();
    json!({
        "name": job.name,
        "stage": job.stage,
        "when": job.when.word(),
        "allow_failure": match &job.allow_failure {
            AllowFailure::Always(flag) => json!(flag),
            AllowFailure::ExitCodes(codes) => json!({ "exit_codes": codes }),
        },
        "needs": needs.map(Value::Array),
        "dependencies": job.dependencies,
        "tags": job.tags,
        "environment": job.environment.as_ref().map(|it| {
            json!({ "name": it.name, "slug": it.slug, "tier": it.tier.word() })
        }),
        "script": match &job.job.work {
            Work::Script(commands) => json!(commands),
            _ => Value::Null,
        },
        "before_script": job.job.before_script.as_deref(),
        "after_script": job.job.after_script.as_deref(),
        "image": job.job.image.as_ref().map(|image| image.name.clone()),
        "variables": variables,
    })
}

fn list(folder: &Path, prefix: &str, depth: usize, paths: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten().filter(|_| depth < 10) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        match entry.path().is_dir() {
            true if name != ".git" => {
                list(&entry.path(), &format!("{path}/"), depth + 1, paths);
            }
            true => (),
            false => paths.push(path),
        }
    }
}

impl Context for Folder {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn changes(&self, _compare_to: Option<&str>) -> Changed {
        Changed::Undecidable
    }

    fn files(&self, project: Option<&str>, _reference: Option<&str>) -> Files {
        match project {
            None => Files::Paths(self.paths.clone()),
            Some(_) => Files::NoAccess,
        }
    }
}
