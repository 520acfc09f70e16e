//! What rules ask of a commit. They wait for nothing: what they ask that is not known is
//! noted, found out, and the plan is made again.

use crate::pipelines::predefined::Facts;
use pipeline_file::{Changed, Context, Files, Paths, RefKind, Subject};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// Something that is not known yet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wanted {
    /// Files that changed since another ref.
    ChangedSince(String),
    /// Files of another project.
    FilesOf { project: String, reference: Option<String> },
}

pub(super) struct World {
    pub subject: Subject,
    pub files: Arc<Paths>,
    /// By the push or the merge request.
    pub changed: Changed,
    pub since: HashMap<String, Changed>,
    pub elsewhere: HashMap<(String, Option<String>), Files>,
    pub wanted: Mutex<BTreeSet<Wanted>>,
}

impl World {
    pub fn new(facts: &Facts, files: Paths, changed: Changed) -> World {
        let is_request = facts.on_ref.starts_with("refs/merge-requests/");
        World {
            subject: Subject {
                source: facts.source.as_str().to_owned(),
                reference: facts.on_ref.clone(),
                kind: match (facts.tag, is_request) {
                    (true, _) => RefKind::Tag,
                    (false, true) => RefKind::MergeRequest,
                    (false, false) => RefKind::Branch,
                },
                project: facts.project.full_path.clone(),
                kubernetes: false,
            },
            files: Arc::new(files),
            changed,
            since: HashMap::new(),
            elsewhere: HashMap::new(),
            wanted: Mutex::default(),
        }
    }

    /// What was asked and not known since this was called last.
    pub fn take_wanted(&self) -> BTreeSet<Wanted> {
        std::mem::take(&mut *self.wanted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn want(&self, wanted: Wanted) {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).insert(wanted);
    }
}

impl Context for World {
    fn subject(&self) -> &Subject {
        &self.subject
    }

    fn changes(&self, compare_to: Option<&str>) -> Changed {
        let Some(name) = compare_to else {
            return self.changed.clone();
        };
        match self.since.get(name) {
            Some(changed) => changed.clone(),
            None => {
                self.want(Wanted::ChangedSince(name.to_owned()));
                Changed::Undecidable
            }
        }
    }

    fn files(&self, project: Option<&str>, reference: Option<&str>) -> Files {
        let Some(project) = project else {
            return Files::Paths(self.files.clone());
        };
        let key = (project.to_owned(), reference.map(str::to_owned));
        match self.elsewhere.get(&key) {
            Some(files) => files.clone(),
            None => {
                let (project, reference) = key;
                self.want(Wanted::FilesOf { project, reference });
                Files::Paths(Arc::default())
            }
        }
    }
}
