//! A commit that tests make up, and the way from a text to a plan.

#![allow(dead_code)]

use std::collections::BTreeMap;
use std::sync::Arc;

use pipeline_file::yaml::Map;
use pipeline_file::{
    Answer, Changed, Configuration, Context, Files, Level, Limits, Loader, Origin, Outcome, Paths,
    Plan, RefKind, Source, Start, Step, Subject, Variable, Variables, plan,
};

/// A push to main unless it says otherwise.
pub struct Commit {
    pub subject: Subject,
    pub changed: Changed,
    /// Changed files since a ref.
    pub since: BTreeMap<String, Vec<String>>,
    pub files: BTreeMap<String, String>,
    pub variables: Vec<Variable>,
    pub child: bool,
    pub inputs: Map,
}

impl Commit {
    pub fn push(branch: &str) -> Self {
        let subject = Subject {
            source: "push".into(),
            reference: branch.into(),
            kind: RefKind::Branch,
            project: "group/project".into(),
            kubernetes: false,
        };
        let variables = [
            ("CI_PIPELINE_SOURCE", "push"),
            ("CI_COMMIT_BRANCH", branch),
            ("CI_COMMIT_REF_NAME", branch),
            ("CI_DEFAULT_BRANCH", "main"),
        ];
        Self {
            subject,
            changed: Changed::Undecidable,
            since: BTreeMap::new(),
            files: BTreeMap::new(),
            variables: variables
                .into_iter()
                .map(|(name, value)| Variable::new(Level::Predefined, name, value))
                .collect(),
            child: false,
            inputs: Map::new(),
        }
    }

    pub fn tag(name: &str) -> Self {
        let mut commit = Self::push(name);
        commit.subject.kind = RefKind::Tag;
        commit.variables.retain(|variable| variable.name != "CI_COMMIT_BRANCH");
        commit.variables.push(Variable::new(Level::Predefined, "CI_COMMIT_TAG", name));
        commit
    }

    pub fn merge_request(branch: &str) -> Self {
        let mut commit = Self::push(branch);
        commit.subject.kind = RefKind::MergeRequest;
        commit.subject.source = "merge_request_event".into();
        commit.variables.retain(|variable| !variable.name.starts_with("CI_"));
        let source = Variable::new(Level::Predefined, "CI_PIPELINE_SOURCE", "merge_request_event");
        commit.variables.push(source);
        commit
    }

    pub fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.into(), text.into());
        self
    }

    pub fn variable(mut self, level: Level, name: &str, value: &str) -> Self {
        self.variables.push(Variable::new(level, name, value));
        self
    }

    pub fn changed(mut self, paths: &[&str]) -> Self {
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        self.changed = Changed::Paths(Arc::new(Paths::new(paths)));
        self
    }

    fn origin(&self) -> Origin {
        Origin::Project { path: "group/project".into(), sha: "0".repeat(40) }
    }

    fn respond(&self, source: &Source) -> Answer {
        match source {
            Source::Local { path } => match self.files.get(path) {
                Some(text) => Answer::file(text, self.origin()),
                None => Answer::Missing,
            },
            Source::Listing => Answer::Paths(self.paths()),
            Source::Project { project, reference, path } => match project.as_str() {
                "other/project" if reference.as_deref() == Some("gone") => Answer::NoReference,
                "other/project" => match self.files.get(&format!("other:{path}")) {
                    Some(text) => {
                        let origin = Origin::Project { path: project.clone(), sha: "1".repeat(40) };
                        Answer::file(text, origin)
                    }
                    None => Answer::Missing,
                },
                _ => Answer::NoProject,
            },
            Source::Remote { url } => match self.files.get(url) {
                Some(text) => Answer::file(text, Origin::Public),
                None => Answer::HttpStatus { attempts: 3, code: 404 },
            },
            Source::Component { address } => match self.files.get(address) {
                Some(text) => Answer::File {
                    text: text.clone(),
                    origin: self.origin(),
                    component: [("version".to_owned(), "1.2".to_owned())].into_iter().collect(),
                },
                None => Answer::Missing,
            },
            Source::Artifact { path, .. } => match self.files.get(path) {
                Some(text) => Answer::file(text, self.origin()),
                None => Answer::Missing,
            },
        }
    }

    fn paths(&self) -> Arc<Paths> {
        Arc::new(Paths::new(self.files.keys().cloned().collect()))
    }

    pub fn load(&self, text: &str) -> Configuration {
        let mut loader = Loader::new(Start {
            name: ".gitlab-ci.yml".into(),
            text: text.into(),
            origin: self.origin(),
            inputs: self.inputs.clone(),
            variables: Variables::merge(self.variables.iter().cloned()),
            child: self.child,
            limits: Limits::default(),
        });
        loop {
            match loader.next(self) {
                Step::Done(configuration) | Step::Failed(configuration) => return *configuration,
                Step::Need(requests) => {
                    assert!(!requests.is_empty());
                    for request in requests {
                        loader.answer(request.id, self.respond(&request.source));
                    }
                }
            }
        }
    }

    pub fn outcome(&self, text: &str) -> Outcome {
        plan(&self.load(text), &self.variables, self, &Limits::default())
    }

    pub fn plan(&self, text: &str) -> Plan {
        match self.outcome(text) {
            Outcome::Pipeline(plan) => *plan,
            other => panic!("no pipeline: {other:?}\n{text}"),
        }
    }

    /// The names of the jobs, in order.
    pub fn names(&self, text: &str) -> Vec<String> {
        self.plan(text).jobs.into_iter().map(|job| job.name).collect()
    }

    /// The texts of all errors.
    pub fn errors(&self, text: &str) -> Vec<String> {
        let configuration = self.load(text);
        let errors = match configuration.errors.is_empty() {
            false => configuration.errors,
            true => match plan(&configuration, &self.variables, self, &Limits::default()) {
                Outcome::Failed(errors) => errors,
                _ => Vec::new(),
            },
        };
        errors.into_iter().map(|error| error.text).collect()
    }
}

impl Context for Commit {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn changes(&self, compare_to: Option<&str>) -> Changed {
        match compare_to {
            None => self.changed.clone(),
            Some(name) => match self.since.get(name) {
                Some(paths) => Changed::Paths(Arc::new(Paths::new(paths.clone()))),
                None => Changed::NoSuchRef,
            },
        }
    }

    fn files(&self, project: Option<&str>, _reference: Option<&str>) -> Files {
        match project {
            None | Some("group/project") => Files::Paths(self.paths()),
            Some(_) => Files::NoAccess,
        }
    }
}
