//! Whether the clauses of rules hold for a commit (contract 6.1, 6.2).

mod policy;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::expression::{Expression, Lookup, Regexes};
use crate::glob::{Dialect, Glob, is_pattern};
use crate::limits::PATH_COMPARISONS;
use crate::model::{Changes, Clauses, Exists};
use crate::variables::{Variables, expand_text};
pub(crate) use policy::admits;

/// What a pipeline is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// `push`, `merge_request_event`, … as in `CI_PIPELINE_SOURCE`.
    pub source: String,
    /// The name of the branch or tag.
    pub reference: String,
    pub kind: RefKind,
    /// The full path of the project, for `only: main@group/project`.
    pub project: String,
    /// A cluster is connected.
    pub kubernetes: bool,
}

/// What a pipeline runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefKind {
    Branch,
    Tag,
    MergeRequest,
}

/// Who knows the commit: rules ask it, it answers without waiting.
pub trait Context {
    fn subject(&self) -> &Subject;

    /// The files that the push or the merge request changed, or those since the
    /// merge base with a ref.
    fn changes(&self, compare_to: Option<&str>) -> Changed;

    /// The files of the commit, or of a ref of another project.
    fn files(&self, project: Option<&str>, reference: Option<&str>) -> Files;
}

/// Answers about changed files.
#[derive(Clone, Debug)]
pub enum Changed {
    /// Nothing to compare with: counts as changed.
    Undecidable,
    NoSuchRef,
    Paths(Arc<Paths>),
}

/// Answers about existing files.
#[derive(Clone, Debug)]
pub enum Files {
    NoAccess,
    Paths(Arc<Paths>),
}

/// Paths of files from the root of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths(Vec<String>);

impl Paths {
    pub fn new(mut paths: Vec<String>) -> Self {
        paths.sort_unstable();
        Self(paths)
    }

    fn has(&self, path: &str) -> bool {
        self.0.binary_search_by(|known| known.as_str().cmp(path)).is_ok()
    }

    /// Whether a file lies below a folder, written with its slash.
    fn has_folder(&self, folder: &str) -> bool {
        let at = self.0.partition_point(|known| known.as_str() < folder);
        self.0.get(at).is_some_and(|known| known.starts_with(folder))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Why a clause could not be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Undecided {
    CompareTo,
    Project(String),
    TooMuch,
}

impl std::fmt::Display for Undecided {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::CompareTo => f.write_str("rules:changes:compare_to is not a valid ref"),
            Self::Project(name) => {
                write!(f, "rules:exists:project `{name}` not found or access denied")
            }
            Self::TooMuch => f.write_str("the rules of all jobs take too long to decide"),
        }
    }
}

/// Comparisons that all rules of a file may take together; then they hold.
const ALL_COMPARISONS: usize = 20_000_000;
/// Rules that may be looked at for one pipeline.
const MOST_RULES: usize = 2_000_000;
/// Bytes of a path after expansion.
const LONGEST_PATH: usize = 4096;

/// Decides clauses, and remembers the patterns it compiled.
pub(crate) struct Judge<'a> {
    pub context: &'a dyn Context,
    globs: RefCell<HashMap<String, Option<Rc<Glob>>>>,
    comparisons: Cell<usize>,
    rules: Cell<usize>,
    regexes: Regexes,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(context: &'a dyn Context) -> Self {
        Self {
            context,
            globs: RefCell::default(),
            comparisons: Cell::new(0),
            rules: Cell::new(0),
            regexes: Regexes::default(),
        }
    }

    pub(crate) fn holds(
        &self, clauses: &Clauses, variables: &Variables,
    ) -> Result<bool, Undecided> {
        self.rules.set(self.rules.get() + 1);
        let holds = clauses
            .condition
            .as_ref()
            .is_none_or(|condition| self.true_of(condition, variables));
        if self.rules.get() > MOST_RULES || self.regexes.exhausted() {
            return Err(Undecided::TooMuch);
        }
        if !holds {
            return Ok(false);
        }
        if let Some(changes) = &clauses.changes
            && !self.changes(changes, variables)?
        {
            return Ok(false);
        }
        match &clauses.exists {
            Some(exists) => self.exists(exists, variables),
            None => Ok(true),
        }
    }

    pub(crate) fn true_of(&self, condition: &Expression, variables: &Variables) -> bool {
        condition.holds_with(variables as &dyn Lookup, &self.regexes)
    }

    fn changes(&self, clause: &Changes, variables: &Variables) -> Result<bool, Undecided> {
        let compare_to = clause
            .compare_to
            .as_ref()
            .map(|name| expand_text(name, variables, LONGEST_PATH));
        match self.context.changes(compare_to.as_deref()) {
            Changed::Undecidable => Ok(true),
            Changed::NoSuchRef => Err(Undecided::CompareTo),
            Changed::Paths(paths) => Ok(self.any_fits(&clause.paths, &paths, variables)),
        }
    }

    fn exists(&self, clause: &Exists, variables: &Variables) -> Result<bool, Undecided> {
        let project =
            clause.project.as_ref().map(|name| expand_text(name, variables, LONGEST_PATH));
        let reference =
            clause.reference.as_ref().map(|name| expand_text(name, variables, LONGEST_PATH));
        match self.context.files(project.as_deref(), reference.as_deref()) {
            Files::NoAccess => Err(Undecided::Project(project.unwrap_or_default())),
            Files::Paths(paths) => Ok(self.any_fits(&clause.paths, &paths, variables)),
        }
    }

    fn any_fits(&self, patterns: &[String], paths: &Paths, variables: &Variables) -> bool {
        let patterns: Vec<String> = patterns
            .iter()
            .map(|pattern| expand_text(pattern, variables, LONGEST_PATH))
            .collect();
        let (globs, names): (Vec<_>, Vec<_>) =
            patterns.iter().partition(|pattern| is_pattern(pattern));
        let named = |name: &str| match name.ends_with('/') {
            true => paths.has_folder(name),
            false => paths.has(name),
        };
        if names.into_iter().any(|name| named(name.trim_start_matches("./"))) {
            return true;
        }
        let comparisons = globs.len().saturating_mul(paths.0.len());
        let all = self.comparisons.get().saturating_add(comparisons);
        self.comparisons.set(all);
        if comparisons > PATH_COMPARISONS || all > ALL_COMPARISONS {
            return true;
        }
        globs.into_iter().any(|pattern| {
            self.glob(pattern).is_some_and(|glob| paths.iter().any(|path| glob.fits(path)))
        })
    }

    fn glob(&self, pattern: &str) -> Option<Rc<Glob>> {
        let mut globs = self.globs.borrow_mut();
        if let Some(known) = globs.get(pattern) {
            return known.clone();
        }
        // `dir/*/` tests folders, as `dir/` does.
        let glob = match pattern.strip_suffix('/') {
            Some(folder) => Glob::new(&format!("{folder}/**/*"), Dialect::Rules),
            None => Glob::new(pattern, Dialect::Rules),
        };
        let glob = glob.map(Rc::new);
        globs.insert(pattern.to_owned(), glob.clone());
        glob
    }

    /// `only:changes` and `except:changes`; true where nothing can be compared.
    pub(crate) fn changed(&self, patterns: &[String], variables: &Variables) -> bool {
        match self.context.changes(None) {
            Changed::Paths(paths) => self.any_fits(patterns, &paths, variables),
            Changed::Undecidable | Changed::NoSuchRef => true,
        }
    }
}
