//! Logical checks of a whole file (contract 5, 6.3): the first that fails counts.

use std::collections::{HashMap, HashSet};

use super::components::components;
use super::instances::{Instance, Instances};
use super::needs::resolve;
use crate::limits::Limits;
use crate::message::{Message, quoted_list};
use crate::model::{Action, Job, Need, Pipeline};

pub(crate) fn check(
    pipeline: &Pipeline, instances: &Instances, limits: &Limits,
) -> Result<(), Message> {
    let stages: HashMap<&str, usize> = pipeline
        .stages
        .iter()
        .enumerate()
        .map(|(at, name)| (name.as_str(), at))
        .collect();
    let checks = Checks { pipeline, instances, stages, limits };
    for job in pipeline.jobs.values() {
        checks.job(job)?;
    }
    checks.circles()
}

struct Checks<'a> {
    pipeline: &'a Pipeline,
    instances: &'a Instances,
    stages: HashMap<&'a str, usize>,
    limits: &'a Limits,
}

/// Cross-checks that all `needs` of a file may take.
const MOST_EDGES: usize = 2_000_000;

impl Checks<'_> {
    fn job(&self, job: &Job) -> Result<(), Message> {
        let wrong = |text: String| Message::at(job.at, text);
        let name = &job.name;
        if !self.stages.contains_key(job.stage.as_str()) {
            return Err(wrong(format!(
                "{name} job: chosen stage {} does not exist; available stages are {}",
                job.stage,
                self.pipeline.stages.join(", ")
            )));
        }
        for other in job.dependencies.iter().flatten() {
            let found = self.instances.named(other);
            if found.is_empty() {
                return Err(wrong(format!("{name} job: undefined dependency: {other}")));
            }
            self.stage_order(job, other, &found, "dependency")?;
        }
        if let Some(needs) = &job.needs {
            self.needs(job, needs)?;
        }
        for needs in job.rules.iter().flatten().filter_map(|rule| rule.needs.as_ref()) {
            self.needs(job, needs)?;
        }
        self.on_stop(job)
    }

    fn needs(&self, job: &Job, needs: &[Need]) -> Result<(), Message> {
        let name = &job.name;
        let wrong = |text: String| Message::at(job.at, text);
        let most = self.limits.needs;
        if most > 0 && needs.len() > most {
            return Err(wrong(format!(
                "{name}: one job can only need {most} others, but you have listed {}. See needs \
                 keyword documentation for more details",
                needs.len()
            )));
        }
        let own: &[usize] = self.instances.of_job.get(name).map_or(&[], Vec::as_slice);
        // Only with `$[[ matrix.X ]]` do the instances of a job need different jobs.
        let differ = needs.iter().any(names_own_values);
        let looked_at = if differ { own.len() } else { 1 };
        for instance in own.iter().take(looked_at).filter_map(|at| self.instances.get(*at)) {
            self.needs_of(job, instance, needs)?;
        }
        Ok(())
    }

    fn needs_of(&self, job: &Job, instance: &Instance, needs: &[Need]) -> Result<(), Message> {
        let name = &job.name;
        let wrong = |text: String| Message::at(job.at, text);
        let mut seen = HashSet::new();
        let mut twice: Vec<String> = Vec::new();
        for resolved in resolve(needs, instance, self.instances, self.limits) {
            for (other, found) in &resolved.found {
                if found.is_empty() && !resolved.optional {
                    return Err(wrong(format!("{name} job: undefined need: {other}")));
                }
                self.stage_order(job, other, found, "need")?;
                if !seen.insert(other.clone()) {
                    twice.push(other.clone());
                }
            }
        }
        match twice.is_empty() {
            true => Ok(()),
            false => {
                let twice = twice.join(", ");
                Err(wrong(format!("{name} has the following needs duplicated: {twice}.")))
            }
        }
    }

    /// What is waited for may not stand in a later stage.
    fn stage_order(
        &self, job: &Job, other: &str, found: &[usize], what: &str,
    ) -> Result<(), Message> {
        let own = self.stages.get(job.stage.as_str());
        // All instances of a job stand in one stage.
        let later = found.first().and_then(|at| self.instances.get(*at)).is_some_and(|needed| {
            self.stages
                .get(needed.job.stage.as_str())
                .zip(own)
                .is_some_and(|(at, own)| at > own)
        });
        match later {
            false => Ok(()),
            true => {
                let text = format!(
                    "{} job: {what} {other} is not defined in current or prior stages",
                    job.name
                );
                Err(Message::at(job.at, text))
            }
        }
    }

    fn on_stop(&self, job: &Job) -> Result<(), Message> {
        let Some((environment, other)) =
            job.environment.as_ref().and_then(|env| Some((env, env.on_stop.as_ref()?)))
        else {
            return Ok(());
        };
        let wrong = |what: &str| {
            Err(Message::at(job.at, format!("{} job: on_stop job {other} {what}", job.name)))
        };
        let Some(stops) = self.pipeline.jobs.get(other) else {
            return wrong("is not defined");
        };
        match &stops.environment {
            None => wrong("does not have environment defined"),
            Some(other) if other.name != environment.name => {
                wrong("have different environment name")
            }
            Some(other) if other.action != Action::Stop => {
                wrong("needs to have action stop defined")
            }
            Some(_) => Ok(()),
        }
    }

    fn circles(&self) -> Result<(), Message> {
        let mut edges = Vec::with_capacity(self.instances.all.len());
        let mut count = 0_usize;
        for instance in self.instances.all.values() {
            let needs = instance.job.needs.as_deref().unwrap_or_default();
            let mut own = Vec::new();
            for resolved in resolve(needs, instance, self.instances, self.limits) {
                own.extend(resolved.found.iter().flat_map(|(_, found)| found.iter().copied()));
            }
            count += own.len();
            if count > MOST_EDGES {
                return Err(Message::at(instance.job.at, "The pipeline has too many needs"));
            }
            edges.push(own);
        }
        let names: Vec<&str> = self.instances.all.keys().map(String::as_str).collect();
        circle(&names, &edges).map_or(Ok(()), Err)
    }
}

fn names_own_values(need: &Need) -> bool {
    let Need::Job { job, matrix, .. } = need else {
        return false;
    };
    let has = |text: &String| text.contains("$[[");
    has(job) || matrix.iter().flat_map(|filter| filter.values()).flatten().any(has)
}

/// The first circle of jobs that need each other.
pub(crate) fn circle(names: &[&str], edges: &[Vec<usize>]) -> Option<Message> {
    let start = "The pipeline has circular dependencies";
    for (at, own) in edges.iter().enumerate() {
        if own.contains(&at) {
            let name = names.get(at).copied().unwrap_or_default();
            return Some(Message::new(format!("{start}: self-dependency: {name}")));
        }
    }
    let part = components(edges).into_iter().find(|part| part.len() > 1)?;
    let members: Vec<&str> = part.iter().filter_map(|at| names.get(*at).copied()).collect();
    Some(Message::new(format!(
        "{start}: topological sort failed: {}",
        quoted_list(&members)
    )))
}
