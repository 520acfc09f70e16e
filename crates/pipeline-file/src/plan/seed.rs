//! Which instances are in, and how rules change them.

use crate::configuration::Configuration;
use crate::environments::{Tier, name_slug, slug};
use crate::graph::group_name;
use crate::graph::instances::Instance;
use crate::message::Message;
use crate::model::{AllowFailure, Environment, Job, Need, Rule, RuleWhen, When};
use crate::rules::{Judge, admits};
use crate::variables::{Level, Variable, Variables, expand_text};

use super::PlannedEnvironment;
use super::late_url::LateUrl;

/// A job that is in, before it is connected with others.
pub(super) struct Seed<'a> {
    pub instance: &'a Instance,
    pub when: When,
    pub allow_failure: AllowFailure,
    pub needs: Option<&'a [Need]>,
    pub variables: Vec<Variable>,
    pub predefined: Vec<Variable>,
    pub tags: Vec<String>,
    pub environment: Option<PlannedEnvironment>,
    pub resource_group: Option<String>,
    pub interruptible: bool,
    /// Of the values it was decided with.
    bytes: usize,
}

/// What jobs are decided with.
pub(super) struct Seeds<'a> {
    pub configuration: &'a Configuration,
    pub outer: &'a Variables,
    /// Of the file, and of the rule of its workflow.
    pub top: &'a [Variable],
    pub judge: &'a Judge<'a>,
}

/// Variables of all jobs together; beyond this a server would only copy.
const MOST_VARIABLES: usize = 2_000_000;
/// Bytes of their values.
const MOST_BYTES: usize = 256 << 20;
/// Bytes of names that variables make: tags, environments, groups of resources.
pub(super) const LONGEST_NAME: usize = 1024;

impl<'a> Seeds<'a> {
    pub(super) fn plant(&self) -> Result<Vec<Seed<'a>>, Vec<Message>> {
        let mut seeds = Vec::new();
        let mut errors = Vec::new();
        let (mut copied, mut bytes) = (0, 0);
        for instance in self.configuration.instances.all.values() {
            copied += self.outer.len() + self.top.len() + instance.job.variables.len();
            if copied > MOST_VARIABLES || bytes > MOST_BYTES {
                let text = "The pipeline has too many variables for its jobs";
                return Err(vec![Message::at(instance.job.at, text)]);
            }
            match self.seed(instance) {
                Ok(seed) => {
                    bytes += seed.as_ref().map_or(0, |seed| seed.bytes);
                    seeds.extend(seed);
                }
                Err(error) => errors.push(error),
            }
        }
        match errors.is_empty() {
            true => Ok(seeds),
            false => Err(errors),
        }
    }

    fn seed(&self, instance: &'a Instance) -> Result<Option<Seed<'a>>, Message> {
        let job = &*instance.job;
        let mut own = self.of_file(instance);
        let mut predefined = predefined(instance);
        let mut all = self.outer.clone();
        predefined
            .iter()
            .chain(own.iter())
            .cloned()
            .for_each(|variable| all.add(variable));
        let Some(decision) = self.decide(job, instance, &all)? else {
            return Ok(None);
        };
        let rule = decision.rule;
        for variable in rule.iter().flat_map(|rule| &rule.variables) {
            own.add(variable.at_level(Level::Job));
            all.add(variable.at_level(Level::Job));
        }
        if matches!(decision.when, When::Manual | When::Delayed(_)) {
            add(&mut predefined, &mut all, "CI_JOB_MANUAL", "true");
        }
        let wrong = |why| Message::at(job.at, format!("{}: {why}", instance.name));
        let mut expanded = all.expand().map_err(wrong)?;
        let environment = job.environment.as_ref().map(|environment| {
            let planned = planned(environment, &expanded);
            for (name, value) in environment_variables(environment, &planned) {
                add(&mut predefined, &mut expanded, name, &value);
            }
            planned
        });
        let tags = job.tags.iter().flat_map(|tags| tags.iter());
        Ok(Some(Seed {
            instance,
            when: decision.when,
            allow_failure: allow_failure(job, rule),
            needs: rule.and_then(|rule| rule.needs.as_deref()).or(job.needs.as_deref()),
            tags: tags.map(|tag| expand_text(tag, &expanded, LONGEST_NAME)).collect(),
            resource_group: job
                .resource_group
                .as_ref()
                .map(|name| expand_text(name, &expanded, LONGEST_NAME)),
            interruptible: rule
                .and_then(|rule| rule.interruptible)
                .or(job.interruptible)
                .unwrap_or(false),
            bytes: expanded.iter().map(|variable| variable.value.len()).sum(),
            variables: own.iter().cloned().collect(),
            predefined,
            environment,
        }))
    }

    /// The variables of the file as a job sees them: its matrix over its own over the top.
    fn of_file(&self, instance: &Instance) -> Variables {
        let job = &instance.job;
        let top = self.top.iter().filter(|variable| job.inherit.variables.takes(&variable.name));
        let own = job.variables.iter().map(|variable| variable.at_level(Level::Job));
        let matrix = instance.matrix.iter();
        let matrix = matrix.map(|(name, value)| Variable::new(Level::Job, name, value));
        Variables::merge(top.cloned().chain(own).chain(matrix))
    }

    fn decide(
        &self, job: &'a Job, instance: &Instance, variables: &Variables,
    ) -> Result<Option<Decision<'a>>, Message> {
        let own = job.when.unwrap_or_default();
        let Some(rules) = &job.rules else {
            let workflow_rules = self.configuration.pipeline.workflow.rules.is_some();
            let admitted = admits(job, workflow_rules, self.judge, variables);
            return Ok(admitted.then_some(Decision { when: own, rule: None }));
        };
        for rule in rules {
            let holds = self.judge.holds(&rule.clauses, variables);
            let failed = |why| format!("Failed to parse rule for {}: {why}", instance.name);
            if holds.map_err(|why| Message::at(job.at, failed(why)))? {
                return Ok(match rule.when {
                    Some(RuleWhen::Never) => None,
                    Some(RuleWhen::When(when)) => Some(Decision { when, rule: Some(rule) }),
                    None => Some(Decision { when: own, rule: Some(rule) }),
                });
            }
        }
        Ok(None)
    }
}

struct Decision<'a> {
    when: When,
    rule: Option<&'a Rule>,
}

/// A rule's word, else the job's, else only manual jobs of the job's own word may fail.
fn allow_failure(job: &Job, rule: Option<&Rule>) -> AllowFailure {
    match (rule.and_then(|rule| rule.allow_failure), &job.allow_failure) {
        (Some(allowed), _) => AllowFailure::Always(allowed),
        (None, Some(allowed)) => allowed.clone(),
        (None, None) => AllowFailure::Always(job.when == Some(When::Manual)),
    }
}

fn add(predefined: &mut Vec<Variable>, all: &mut Variables, name: &str, value: &str) {
    let variable = Variable::new(Level::Predefined, name, value);
    predefined.push(variable.clone());
    all.add(variable);
}

fn predefined(instance: &Instance) -> Vec<Variable> {
    let name = &instance.name;
    let mut list = vec![
        ("CI_JOB_NAME", name.clone()),
        ("CI_JOB_NAME_SLUG", name_slug(name)),
        ("CI_JOB_GROUP_NAME", group_name(name).to_owned()),
        ("CI_JOB_STAGE", instance.job.stage.clone()),
        ("CI_NODE_TOTAL", instance.node.map_or(1, |(_, total)| total).to_string()),
    ];
    if let Some((index, _)) = instance.node {
        list.push(("CI_NODE_INDEX", index.to_string()));
    }
    if let Some(image) = &instance.job.image {
        list.push(("CI_JOB_IMAGE", image.name.clone()));
    }
    let variable = |(name, value)| Variable::new(Level::Predefined, name, value);
    list.into_iter().map(variable).collect()
}

fn planned(environment: &Environment, variables: &Variables) -> PlannedEnvironment {
    let name = expand_text(&environment.name, variables, LONGEST_NAME);
    let slug = slug(&name);
    let own = [("CI_ENVIRONMENT_NAME", &name), ("CI_ENVIRONMENT_SLUG", &slug)];
    let own = own.map(|(key, value)| Variable::new(Level::Predefined, key, value.as_str()));
    let variables = Variables::merge(variables.iter().cloned().chain(own));
    let expand = |text: &Option<String>| {
        text.as_ref().map(|text| expand_text(text, &variables, LONGEST_NAME))
    };
    PlannedEnvironment {
        slug,
        tier: environment.tier.unwrap_or_else(|| Tier::of_name(&name)),
        url: expand(&environment.url),
        late_url: environment.url.as_ref().and_then(|url| LateUrl::of(url, &variables)),
        auto_stop_in: expand(&environment.auto_stop_in),
        name,
    }
}

fn environment_variables(
    environment: &Environment, planned: &PlannedEnvironment,
) -> Vec<(&'static str, String)> {
    let mut list = vec![
        ("CI_ENVIRONMENT_NAME", planned.name.clone()),
        ("CI_ENVIRONMENT_SLUG", planned.slug.clone()),
        ("CI_ENVIRONMENT_ACTION", environment.action.word().to_owned()),
        ("CI_ENVIRONMENT_TIER", planned.tier.word().to_owned()),
    ];
    // What reports say is put in when the job starts.
    let late = planned.late_url.as_ref().map(|late| &late.written);
    if let Some(url) = late.or(planned.url.as_ref()) {
        list.push(("CI_ENVIRONMENT_URL", url.clone()));
    }
    list
}
