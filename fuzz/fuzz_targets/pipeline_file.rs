//! Pipeline files: the first line is an expression, the rest a file that may
//! include itself.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use pipeline_file::expression::Expression;
use pipeline_file::{
    Answer, Changed, Context, Files, Level, Limits, Loader, Origin, Outcome, Paths, RefKind,
    Source, Start, Step, Subject, Variable, Variables, durations, environments, pattern, plan,
};

struct Commit {
    subject: Subject,
    paths: Arc<Paths>,
}

impl Context for Commit {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn changes(&self, _compare_to: Option<&str>) -> Changed {
        Changed::Paths(self.paths.clone())
    }

    fn files(&self, project: Option<&str>, _reference: Option<&str>) -> Files {
        match project {
            None => Files::Paths(self.paths.clone()),
            Some(_) => Files::NoAccess,
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let (line, file) = text.split_once('\n').unwrap_or((text, ""));
    if let Ok(expression) = Expression::parse(line) {
        let _ = expression.holds(&Variables::default());
    }
    let _ = (durations::parse(line), pattern::compile(line, "i"));
    assert!(environments::slug(line).len() <= 24);
    let commit = Commit {
        subject: Subject {
            source: "push".into(),
            reference: "main".into(),
            kind: RefKind::Branch,
            project: "group/project".into(),
            kubernetes: false,
        },
        paths: Arc::new(Paths::new(vec!["a/b.rs".into(), "c.yml".into()])),
    };
    let variables = [Variable::new(Level::Predefined, "CI_COMMIT_BRANCH", "main")];
    let limits = Limits { includes: 3, ..Limits::default() };
    let mut loader = Loader::new(Start {
        name: "ci.yml".into(),
        text: file.into(),
        origin: Origin::Project { path: "group/project".into(), sha: "0".into() },
        inputs: Default::default(),
        variables: Variables::merge(variables.clone()),
        child: false,
        limits: limits.clone(),
    });
    let configuration = loop {
        match loader.next(&commit) {
            Step::Done(done) | Step::Failed(done) => break done,
            Step::Need(requests) => {
                for request in requests {
                    let answer = match request.source {
                        Source::Listing => Answer::Paths(commit.paths.clone()),
                        _ => Answer::file(file, request.from),
                    };
                    loader.answer(request.id, answer);
                }
            }
        }
    };
    let _ = configuration.merged_yaml();
    if let Outcome::Pipeline(plan) = plan(&configuration, &variables, &commit, &limits) {
        for job in &plan.jobs {
            assert!(
                job.needs
                    .iter()
                    .flatten()
                    .all(|need| { plan.jobs.iter().any(|other| other.name == need.name) })
            );
        }
    }
});
