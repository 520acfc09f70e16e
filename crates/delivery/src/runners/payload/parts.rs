//! Parts of a payload that are read off what the pipeline file says.

use super::shape::{
    PayloadArtifact, PayloadCache, PayloadHook, PayloadImage, PayloadStep, PayloadVariable,
    executor,
};
use crate::pipelines::definition::Definition;
use crate::runners::artifacts::kinds::{self, ARCHIVE};
use pipeline_file::caches::{FileIds, Protection, key, sent};
use pipeline_file::model::{Artifacts, Cache, CacheKey, Image, Policies, Service, Upload, Work};
use serde_json::Value;

fn when(upload: Upload) -> String {
    let word = match upload {
        Upload::OnSuccess => "on_success",
        Upload::OnFailure => "on_failure",
        Upload::Always => "always",
    };
    word.to_owned()
}

/// What the job runs, and then what it runs whatever came of that.
pub fn steps(definition: &Definition, timeout: i64) -> Vec<PayloadStep> {
    let mut script = definition.before_script.clone().unwrap_or_default();
    if let Work::Script(lines) = &definition.work {
        script.extend(lines.iter().cloned());
    }
    let step = |name: &str, script, when: &str, allow_failure| PayloadStep {
        name: name.to_owned(),
        script,
        timeout,
        when: when.to_owned(),
        allow_failure,
    };
    let mut all = vec![step("script", script, "on_success", false)];
    if let Some(after) = definition.after_script.clone().filter(|lines| !lines.is_empty()) {
        all.push(step("after_script", after, "always", true));
    }
    all
}

/// Steps as the file has them.
pub fn run(definition: &Definition) -> Option<String> {
    match &definition.work {
        Work::Run(steps) => Some(steps.to_string()),
        _ => None,
    }
}

pub fn hooks(definition: &Definition) -> Vec<PayloadHook> {
    let script = definition.pre_get_sources_script.clone();
    let hook = |script| PayloadHook { name: "pre_get_sources_script".into(), script };
    script.map(hook).into_iter().collect()
}

pub fn image(image: &Image) -> PayloadImage {
    let policies = image.pull_policy.clone();
    PayloadImage {
        name: image.name.clone(),
        alias: None,
        entrypoint: image.entrypoint.clone(),
        command: None,
        ports: Vec::<Value>::new(),
        pull_policy: Some(policies).filter(|all| !all.is_empty()),
        executor_opts: executor(image),
        variables: Vec::new(),
    }
}

pub fn service(service: &Service) -> PayloadImage {
    let variables = service.variables.iter().map(|one| PayloadVariable {
        key: one.name.clone(),
        value: one.value.clone(),
        public: true,
        masked: false,
        file: false,
        raw: one.raw,
    });
    PayloadImage {
        alias: service.alias.clone(),
        command: service.command.clone(),
        variables: variables.collect(),
        ..image(&service.image)
    }
}

/// The archive of a job, and its reports, which it brings whatever came of it.
pub fn artifacts(all: &Artifacts) -> Vec<PayloadArtifact> {
    let archive = PayloadArtifact {
        name: all.name.clone(),
        untracked: all.untracked,
        paths: all.paths.clone(),
        exclude: all.exclude.clone(),
        when: when(all.when),
        expire_in: all.expire_in.clone(),
        artifact_type: ARCHIVE.to_owned(),
        artifact_format: "zip".to_owned(),
    };
    let has_archive = !all.paths.is_empty() || all.untracked;
    let coverage = all
        .coverage_report
        .iter()
        .map(|report| (report.coverage_format.as_str(), vec![report.path.clone()]));
    let named = all.reports.iter().map(|(name, paths)| (name.as_str(), paths.clone()));
    let reports = named.chain(coverage).filter_map(|(name, paths)| {
        let kind = kinds::find(name)?;
        Some(PayloadArtifact {
            name: Some(kind.file.to_owned()),
            untracked: false,
            paths,
            exclude: Vec::new(),
            when: "always".to_owned(),
            expire_in: all.expire_in.clone(),
            artifact_type: kind.name.to_owned(),
            artifact_format: kind.format.to_owned(),
        })
    });
    Some(archive).filter(|_| has_archive).into_iter().chain(reports).collect()
}

/// Whether the ids of files decide on a key.
pub fn needs_files(caches: &[Cache]) -> bool {
    caches.iter().any(|cache| !matches!(cache.key, CacheKey::Text(_)))
}

/// What caches are found by: apart for protected refs, unless the project or the cache
/// says otherwise.
pub fn caches(
    all: &[Cache], ids: &dyn FileIds, protected: bool, separated: bool,
) -> Vec<PayloadCache> {
    let one = |(index, cache): (usize, &Cache)| {
        let protection = match (separated, protected && !cache.unprotect) {
            (false, _) => Protection::Shared,
            (true, true) => Protection::Protected,
            (true, false) => Protection::NotProtected,
        };
        PayloadCache {
            key: sent(&key(cache, index, ids), None, protection),
            untracked: cache.untracked,
            policy: match &cache.policy {
                Policies::PullPush => "pull-push".to_owned(),
                Policies::Pull => "pull".to_owned(),
                Policies::Push => "push".to_owned(),
                Policies::Variable(text) => text.clone(),
            },
            paths: cache.paths.clone(),
            when: when(cache.when),
            fallback_keys: cache
                .fallback_keys
                .iter()
                .map(|fallback| sent(fallback, None, protection))
                .collect(),
        }
    };
    all.iter().enumerate().map(one).collect()
}
