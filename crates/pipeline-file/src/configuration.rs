//! A file with all it includes, merged, checked, and its jobs multiplied.

use crate::check::Report;
use crate::graph::checks;
use crate::graph::instances::{Instances, multiply};
use crate::inherit::{Budget, extend, resolve};
use crate::limits::Limits;
use crate::message::Message;
use crate::model::{self, Pipeline};
use crate::yaml::{Map, Node, Value};

/// What a pipeline can be planned from, or all that is wrong with it.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    pub pipeline: Pipeline,
    /// Jobs as they run: one for each instance of `parallel`.
    pub(crate) instances: Instances,
    /// None, if a pipeline can be planned.
    pub errors: Vec<Message>,
    pub warnings: Vec<Message>,
    /// Names of the files that [`crate::Place`]s count.
    pub files: Vec<String>,
    merged: Map,
}

/// Warnings that lint shows.
const MOST_WARNINGS: usize = 25;

impl Configuration {
    pub(crate) fn build(
        merged: Map, files: Vec<String>, warnings: Vec<Message>, limits: &Limits,
    ) -> Self {
        let mut budget = Budget::new(limits);
        let resolved = extend(merged, &mut budget).and_then(|root| resolve(root, &mut budget));
        let merged = match resolved {
            Ok(merged) => merged,
            Err(error) => return Self::failed(error, files, warnings),
        };
        let mut report = Report { warnings, ..Report::default() };
        let pipeline = model::read(&merged, &mut report);
        let Report { errors, mut warnings, .. } = report;
        warnings.truncate(MOST_WARNINGS);
        let mut done = Self {
            pipeline,
            instances: Instances::default(),
            errors,
            warnings,
            files,
            merged,
        };
        if done.errors.is_empty() {
            done.check_logic(limits);
        }
        done
    }

    /// Logical checks stop at the first that fails.
    fn check_logic(&mut self, limits: &Limits) {
        let multiplied = multiply(&self.pipeline, limits);
        match multiplied.and_then(|instances| {
            checks::check(&self.pipeline, &instances, limits).map(|()| instances)
        }) {
            Ok(instances) => self.instances = instances,
            Err(error) => self.errors.push(error),
        }
    }

    pub(crate) fn failed(error: Message, files: Vec<String>, warnings: Vec<Message>) -> Self {
        Self { errors: vec![error], files, warnings, ..Self::default() }
    }

    /// The file after includes, `extends` and references, as lint shows it.
    pub fn merged_yaml(&self) -> String {
        crate::yaml::write(&Node::new(Value::Map(self.merged.clone()), Default::default()))
    }
}
