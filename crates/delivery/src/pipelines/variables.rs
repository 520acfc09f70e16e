//! Variables that somebody gives a pipeline or a job.

use crate::variables::model::{VariableType, key_problem, value_problem};
use kernel::error::{Error, Result};
use kernel::secrets::Secret;
use pipeline_file::{Level, Variable};
use std::collections::HashSet;

/// A variable and its value.
#[derive(Debug, Clone)]
pub struct Given {
    pub key: String,
    pub value: Secret,
    pub variable_type: VariableType,
    /// `$` in it stays as it is.
    pub raw: bool,
}

impl Given {
    /// As rules of a pipeline file and jobs see it.
    pub fn at_level(&self, level: Level) -> Variable {
        Variable {
            raw: self.raw,
            file: self.variable_type == VariableType::File,
            ..Variable::new(level, self.key.as_str(), self.value.expose())
        }
    }
}

kernel::params! {
    /// A variable that is given.
    pub struct VariableInput {
        /// Its name.
        pub key: String,
        /// Its value.
        pub value: String,
        /// How it is given: `env_var`, unless said.
        pub variable_type: Option<VariableType>,
    }
}

impl From<&VariableInput> for Given {
    fn from(input: &VariableInput) -> Given {
        Given {
            key: input.key.clone(),
            value: Secret::new(input.value.as_str()),
            variable_type: input.variable_type.unwrap_or_default(),
            raw: false,
        }
    }
}

/// Variables that may be given to one pipeline or job.
const MOST: usize = 1_000;

/// Refuses names and values that no variable has, and names given twice.
///
/// # Errors
///
/// `Invalid`, in words of `base`.
pub fn check(all: &[Given]) -> Result<()> {
    let refused = |text: String| Err(Error::invalid("base", text));
    if all.len() > MOST {
        return refused(format!("There are more than {MOST} variables"));
    }
    let mut seen = HashSet::new();
    for given in all {
        let key = &given.key;
        if let Some(problem) = key_problem(key) {
            return refused(format!("Variable key {problem}"));
        }
        if let Some(problem) = value_problem(&given.value, false, given.raw) {
            return refused(format!("{key}: {problem}"));
        }
        if !seen.insert(key.as_str()) {
            return refused(format!("Duplicate variable name: {key}"));
        }
    }
    Ok(())
}
