//! Connects the jobs that are in: needs, dependencies, the order of stages.

use std::collections::{HashMap, HashSet};

use super::seed::Seed;
use super::{PlannedJob, PlannedNeed};
use crate::configuration::Configuration;
use crate::graph::checks::circle;
use crate::graph::group_name;
use crate::graph::instances::{Instances, with_own_values};
use crate::graph::needs::resolve;
use crate::limits::Limits;
use crate::message::Message;
use crate::model::{Action, Need};

pub(super) fn connect(
    seeds: Vec<Seed<'_>>, configuration: &Configuration, limits: &Limits,
) -> Result<Vec<PlannedJob>, Vec<Message>> {
    let instances = &configuration.instances;
    let stages: HashMap<&str, usize> = configuration
        .pipeline
        .stages
        .iter()
        .enumerate()
        .map(|(at, name)| (name.as_str(), at))
        .collect();
    let present: HashSet<usize> = seeds
        .iter()
        .filter_map(|seed| instances.all.get_index_of(&seed.instance.name))
        .collect();
    let joining = Joining { instances, present, limits };
    let mut errors = Vec::new();
    let mut jobs = Vec::with_capacity(seeds.len());
    for seed in seeds {
        let needs = seed.needs.map(|needs| joining.needs(&seed, needs, &mut errors));
        let stage_index = stages.get(seed.instance.job.stage.as_str()).copied().unwrap_or(0);
        jobs.push(joining.job(seed, needs, stage_index));
    }
    if errors.is_empty() {
        errors.extend(check_circles(&jobs).or_else(|| check_limits(&jobs, limits)));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    jobs.sort_by_key(|job| job.stage_index);
    Ok(jobs)
}

struct Joining<'a> {
    instances: &'a Instances,
    /// Positions of the instances that are in.
    present: HashSet<usize>,
    limits: &'a Limits,
}

impl Joining<'_> {
    fn needs(
        &self, seed: &Seed<'_>, needs: &[Need], errors: &mut Vec<Message>,
    ) -> Vec<PlannedNeed> {
        let mut planned = Vec::new();
        for resolved in resolve(needs, seed.instance, self.instances, self.limits) {
            for at in resolved.found.iter().flat_map(|(_, found)| found.iter()) {
                let Some(other) = self.instances.get(*at) else {
                    continue;
                };
                let (artifacts, optional) = (resolved.artifacts, resolved.optional);
                if self.present.contains(at) {
                    let name = other.name.clone();
                    planned.push(PlannedNeed { name, artifacts, optional });
                } else if !optional {
                    errors.push(missing(seed, &other.name));
                }
            }
        }
        planned
    }

    fn job(
        &self, seed: Seed<'_>, needs: Option<Vec<PlannedNeed>>, stage_index: usize,
    ) -> PlannedJob {
        let job = seed.instance.job.clone();
        let dependencies = self.dependencies(&seed);
        let foreign = seed
            .needs
            .unwrap_or_default()
            .iter()
            .filter(|need| !matches!(need, Need::Job { .. }));
        PlannedJob {
            name: seed.instance.name.clone(),
            group: group_name(&seed.instance.name).to_owned(),
            stage: job.stage.clone(),
            stage_index,
            when: seed.when,
            allow_failure: seed.allow_failure,
            foreign_needs: foreign.cloned().collect(),
            // Needs of other pipelines only are nothing to wait for in this one.
            needs,
            dependencies,
            variables: seed.variables,
            predefined: seed.predefined,
            tags: seed.tags,
            environment: seed.environment,
            resource_group: seed.resource_group,
            interruptible: seed.interruptible,
            node: seed.instance.node,
            job,
        }
    }

    /// The jobs of `dependencies:` that are in.
    fn dependencies(&self, seed: &Seed<'_>) -> Option<Vec<String>> {
        let names = seed.instance.job.dependencies.as_ref()?;
        let mut found = Vec::new();
        for name in names {
            let name = with_own_values(name, &seed.instance.matrix);
            let named = self.instances.named(&name);
            let present = named.iter().filter(|at| self.present.contains(at));
            found.extend(present.filter_map(|at| Some(self.instances.get(*at)?.name.clone())));
        }
        Some(found)
    }
}

fn missing(seed: &Seed<'_>, other: &str) -> Message {
    let text = format!(
        "'{}' job needs '{other}' job, but '{other}' does not exist in the pipeline. This might \
         be because of the only, except, or rules keywords. To need a job that sometimes does \
         not exist in the pipeline, use needs:optional.",
        seed.instance.name
    );
    Message::at(seed.instance.job.at, text)
}

/// Rules may bring needs that the checks of the file have not seen.
fn check_circles(jobs: &[PlannedJob]) -> Option<Message> {
    let ruled = |job: &PlannedJob| job.job.rules.iter().flatten().any(|rule| rule.needs.is_some());
    if !jobs.iter().any(ruled) {
        return None;
    }
    let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    let places: HashMap<&str, usize> =
        names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let edges: Vec<Vec<usize>> = jobs
        .iter()
        .map(|job| {
            let needs = job.needs.iter().flatten();
            needs.filter_map(|need| places.get(need.name.as_str()).copied()).collect()
        })
        .collect();
    circle(&names, &edges)
}

fn check_limits(jobs: &[PlannedJob], limits: &Limits) -> Option<Message> {
    let over = |count: usize, limit: usize| limit > 0 && count > limit;
    if over(jobs.len(), limits.jobs) {
        let (count, limit) = (jobs.len(), limits.jobs);
        return Some(Message::new(format!(
            "Pipeline has too many jobs! Requested {count}, but the limit is {limit}."
        )));
    }
    let deploys = |job: &&PlannedJob| {
        job.job
            .environment
            .as_ref()
            .is_some_and(|environment| environment.action == Action::Start)
    };
    let count = jobs.iter().filter(deploys).count();
    over(count, limits.deployments).then(|| {
        let limit = limits.deployments;
        Message::new(format!(
            "Pipeline has too many deployments! Requested {count}, but the limit is {limit}."
        ))
    })
}
