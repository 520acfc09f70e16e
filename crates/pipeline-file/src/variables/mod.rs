//! Variables of all levels: which one wins, and what they expand to (contract 8).

mod expansion;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::expression::Lookup;
pub use expansion::{Expansion, expand_text, names};

/// Where a variable comes from, the weakest first (delivery 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Predefined,
    Deployment,
    /// `variables:` of the file and what workflow rules add.
    Top,
    /// `variables:` of a job and what its rules and its matrix add.
    Job,
    /// Reports of earlier jobs: written into a file by the job that hands them on.
    Dotenv,
    Instance,
    /// The nearest group is given last.
    Group,
    Project,
    Pipeline,
    Schedule,
    /// Given when a job is played.
    Manual,
}

/// A variable as jobs and rules see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    pub value: String,
    pub level: Level,
    /// Its value is not expanded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
    /// The runner writes the value into a file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub file: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
}

impl Variable {
    pub fn new(level: Level, name: impl Into<String>, value: impl Into<String>) -> Self {
        let (name, value) = (name.into(), value.into());
        Self { name, value, level, raw: false, file: false, masked: false }
    }
}

/// The variables that win, by name.
#[derive(Clone, Debug, Default)]
pub struct Variables(IndexMap<String, Variable>);

impl Variables {
    /// Of equal names the stronger level wins, within a level the later one.
    pub fn merge(all: impl IntoIterator<Item = Variable>) -> Self {
        let mut merged = Self::default();
        for variable in all {
            merged.add(variable);
        }
        merged
    }

    pub fn add(&mut self, variable: Variable) {
        match self.0.get(&variable.name) {
            Some(stronger) if stronger.level > variable.level => (),
            _ => {
                self.0.insert(variable.name.clone(), variable);
            }
        }
    }

    pub fn get(&self, name: &str) -> Option<&Variable> {
        self.0.get(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Variable> {
        self.0.values()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of each through all others.
    pub fn expand(&self) -> Result<Self, Expansion> {
        expansion::expand(self)
    }
}

impl Lookup for Variables {
    fn lookup(&self, name: &str) -> Option<&str> {
        self.get(name).map(|variable| variable.value.as_str())
    }
}

/// Whether a text can name a variable of the file.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
