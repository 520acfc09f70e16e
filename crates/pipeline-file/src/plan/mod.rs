//! From a configuration and what is known of the commit to the jobs of a pipeline
//! (contract 6, 10.1).

mod jobs;
mod late_url;
mod seed;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::configuration::Configuration;
use crate::environments::Tier;
use crate::limits::Limits;
use crate::message::Message;
use crate::model::{AllowFailure, AutoCancel, Job, Need, RuleWhen, When};
use crate::rules::{Context, Judge};
use crate::variables::{Level, Variable, Variables, expand_text};

pub use late_url::LateUrl;

/// What a pipeline is to be made of.
#[derive(Clone, Debug)]
pub struct Plan {
    /// `workflow:name`, expanded.
    pub name: Option<String>,
    pub auto_cancel: AutoCancel,
    /// Variables that the rule of the workflow adds to those of the file.
    pub workflow_variables: Vec<Variable>,
    /// Only those that have jobs, in order.
    pub stages: Vec<String>,
    /// By stage, within a stage as written.
    pub jobs: Vec<PlannedJob>,
}

/// A job that is to be created.
#[derive(Clone, Debug)]
pub struct PlannedJob {
    pub name: String,
    /// Shared by the instances of a parallel job.
    pub group: String,
    pub stage: String,
    /// Position of the stage among all of the file.
    pub stage_index: usize,
    /// Everything that no rule changes.
    pub job: Arc<Job>,
    pub when: When,
    pub allow_failure: AllowFailure,
    /// Jobs it waits for; missing: all of earlier stages.
    pub needs: Option<Vec<PlannedNeed>>,
    /// Files of other pipelines and projects.
    pub foreign_needs: Vec<Need>,
    /// Jobs whose files it takes; missing: those of the needs, or of earlier stages.
    pub dependencies: Option<Vec<String>>,
    /// Those of the file: its own, of its matrix, of its rule and of the top; as written.
    pub variables: Vec<Variable>,
    /// What the job itself says: `CI_JOB_NAME` and the like.
    pub predefined: Vec<Variable>,
    /// Expanded.
    pub tags: Vec<String>,
    pub environment: Option<PlannedEnvironment>,
    /// Expanded.
    pub resource_group: Option<String>,
    pub interruptible: bool,
    /// Counted from 1, with how many instances there are.
    pub node: Option<(u32, u32)>,
}

/// A job that is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedNeed {
    pub name: String,
    pub artifacts: bool,
    pub optional: bool,
}

/// An environment with its variables expanded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedEnvironment {
    pub name: String,
    pub slug: String,
    pub tier: Tier,
    /// Names that are not known yet stand in it as written.
    pub url: Option<String>,
    /// The same, where reports of variables decide on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_url: Option<LateUrl>,
    pub auto_stop_in: Option<String>,
}

impl PlannedEnvironment {
    /// Its address as far as the file says all of it.
    pub fn known_url(&self) -> Option<String> {
        self.url
            .clone()
            .filter(|_| self.late_url.as_ref().is_none_or(LateUrl::is_known))
    }
}

/// What comes of a configuration.
#[derive(Clone, Debug)]
pub enum Outcome {
    Pipeline(Box<Plan>),
    /// The rules of the workflow do not let it be.
    Filtered,
    /// No job is in, or only some of `.pre` and `.post`.
    Empty,
    Failed(Vec<Message>),
}

impl Outcome {
    /// What people read where there is no pipeline.
    pub fn refusal(&self) -> Option<String> {
        match self {
            Self::Pipeline(_) => None,
            Self::Filtered => Some(
                "The pipeline did not run. Review the workflow:rules configuration for the \
                 pipeline."
                    .into(),
            ),
            Self::Empty => Some(
                "The resulting pipeline would have been empty. Review the rules configuration \
                 for the relevant jobs."
                    .into(),
            ),
            Self::Failed(errors) => errors.first().map(|error| error.text.clone()),
        }
    }
}

/// Plans a pipeline.
///
/// `variables` are those of all levels but the file's own: what the server knows
/// before the pipeline, and what instance, groups, project and the request set.
pub fn plan(
    configuration: &Configuration, variables: &[Variable], context: &dyn Context, limits: &Limits,
) -> Outcome {
    if !configuration.errors.is_empty() {
        return Outcome::Failed(configuration.errors.clone());
    }
    let judge = Judge::new(context);
    let outer = Variables::merge(variables.iter().cloned());
    let workflow = match run_workflow(configuration, &outer, &judge) {
        Ok(Some(workflow)) => workflow,
        Ok(None) => return Outcome::Filtered,
        Err(error) => return Outcome::Failed(vec![error]),
    };
    let seeds = seed::Seeds {
        configuration,
        outer: &outer,
        top: &workflow.top,
        judge: &judge,
    };
    let jobs = match seeds.plant().and_then(|seeds| jobs::connect(seeds, configuration, limits)) {
        Ok(jobs) => jobs,
        Err(errors) => return Outcome::Failed(errors),
    };
    if jobs.iter().all(|job| matches!(job.stage.as_str(), ".pre" | ".post")) {
        return Outcome::Empty;
    }
    let mut stages: Vec<String> = jobs.iter().map(|job| job.stage.clone()).collect();
    stages.dedup();
    Outcome::Pipeline(Box::new(Plan {
        name: workflow.name,
        auto_cancel: workflow.auto_cancel,
        workflow_variables: workflow.added,
        stages,
        jobs,
    }))
}

/// What the workflow makes of a pipeline that is let in.
struct Admitted {
    name: Option<String>,
    auto_cancel: AutoCancel,
    top: Vec<Variable>,
    added: Vec<Variable>,
}

fn run_workflow(
    configuration: &Configuration, outer: &Variables, judge: &Judge<'_>,
) -> Result<Option<Admitted>, Message> {
    let workflow = &configuration.pipeline.workflow;
    let mut top: Vec<Variable> = configuration
        .pipeline
        .variables
        .iter()
        .map(|variable| variable.at_level(Level::Top))
        .collect();
    let mut all = outer.clone();
    top.iter().cloned().for_each(|variable| all.add(variable));
    let mut auto_cancel = workflow.auto_cancel;
    let mut added = Vec::new();
    if let Some(rules) = &workflow.rules {
        let mut decided = None;
        for rule in rules {
            let holds = judge.holds(&rule.clauses, &all);
            if holds.map_err(|why| Message::new(format!("workflow:{why}")))? {
                decided = Some(rule);
                break;
            }
        }
        let Some(rule) = decided.filter(|rule| rule.when != Some(RuleWhen::Never)) else {
            return Ok(None);
        };
        auto_cancel = auto_cancel.with(rule.auto_cancel);
        added.extend(rule.variables.iter().map(|variable| variable.at_level(Level::Top)));
        top.extend(added.iter().cloned());
        added.iter().cloned().for_each(|variable| all.add(variable));
    }
    let name = workflow.name.as_ref().map(|name| {
        let expanded = all.expand().unwrap_or(all);
        expand_text(name, &expanded, 1024).trim().chars().take(255).collect::<String>()
    });
    let name = name.filter(|name| !name.is_empty());
    Ok(Some(Admitted { name, auto_cancel, top, added }))
}
