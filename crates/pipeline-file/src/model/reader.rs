//! From the keys of a job to a job (contract 5).

use std::sync::Arc;

use super::job::{AllowFailure, Job, When, Work};
use super::rules::{self, RuleSite};
use super::small::{self, Inherit, Parallel};
use super::storage::Artifacts;
use super::variables::{self, Site};
use super::{container, environment, needs, policy, script, storage, trigger};
use crate::check::{At, Fields, Report, child};
use crate::inputs::inputs_of;
use crate::limits::JOB_NAME;
use crate::yaml::Value;

const JOB_KEYS: [&str; 38] = [
    "script",
    "run",
    "stage",
    "image",
    "services",
    "before_script",
    "after_script",
    "rules",
    "only",
    "except",
    "when",
    "start_in",
    "allow_failure",
    "manual_confirmation",
    "needs",
    "dependencies",
    "parallel",
    "retry",
    "timeout",
    "tags",
    "interruptible",
    "resource_group",
    "environment",
    "artifacts",
    "cache",
    "coverage",
    "variables",
    "inherit",
    "extends",
    "hooks",
    "id_tokens",
    "secrets",
    "release",
    "pages",
    "publish",
    "inputs",
    "dast_configuration",
    "identity",
];
const BRIDGE_KEYS: [&str; 15] = [
    "trigger",
    "parallel",
    "extends",
    "stage",
    "only",
    "except",
    "rules",
    "variables",
    "inherit",
    "allow_failure",
    "when",
    "needs",
    "resource_group",
    "environment",
    "interruptible",
];
const LONGEST_TIMEOUT: u64 = 30 * 86_400;
const MOST_TAGS: usize = 50;

/// Reads a job that is not hidden.
pub(super) fn read(name: &str, at: At<'_>, report: &mut Report) -> Option<Job> {
    let has =
        |key: &str| at.node.map().and_then(|map| map.get(key)).is_some_and(|node| !node.is_null());
    let scripted = has("script") || has("run");
    let bridge = has("trigger") || (!scripted && has("needs"));
    if !scripted && !bridge {
        let text = "should implement the script:, run:, or trigger: keyword";
        report.error(at.node.at, &format!("jobs {name} config {text}"));
        return None;
    }
    let known: &[&str] = if bridge { &BRIDGE_KEYS } else { &JOB_KEYS };
    let fields = at.map(report, known)?;
    check_name(name, at, report);
    let read_needs = child!(fields, "needs", |at| needs::read(at, report));
    let (needs, mirror) = match read_needs {
        Some(needs) => (Some(needs.list), needs.mirror),
        None => (None, None),
    };
    let work = match (bridge, mirror) {
        (false, _) => script_or_run(&fields, report),
        (true, Some(needs::Mirror(project))) if !fields.has("trigger") => {
            Some(Work::Mirror { project })
        }
        (true, _) if fields.has("trigger") => {
            child!(fields, "trigger", |at| trigger::read(at, report)).map(Work::Trigger)
        }
        (true, _) => {
            at.wrong(report, "should contain either a trigger or a needs:pipeline");
            None
        }
    };
    check_rules(&fields, report);
    let mut job = Reading { fields, bridge }.job(name, work, report)?;
    job.needs = needs.filter(|needs| !matches!(job.work, Work::Mirror { .. }) || !needs.is_empty());
    check_dependencies(&job, &fields, report);
    Some(job)
}

fn check_name(name: &str, at: At<'_>, report: &mut Report) {
    if name.is_empty() {
        at.field(report, "name", "can't be blank");
    } else if name.chars().count() > JOB_NAME {
        let text = format!("is too long (maximum is {JOB_NAME} characters)");
        at.field(report, "name", &text);
    }
}

fn script_or_run(fields: &Fields<'_>, report: &mut Report) -> Option<Work> {
    fields.excludes(report, "run", &["script", "before_script", "after_script"]);
    if let Some(node) = fields.get("run") {
        let steps = node.list().is_some_and(|items| items.iter().all(|item| item.map().is_some()));
        if !steps {
            fields.wrong(report, "run", "should be an array of hashes");
        }
        return Some(Work::Run(node.to_json()));
    }
    let commands = child!(fields, "script", |at| script::read(at, report))?;
    if commands.iter().all(|command| command.trim().is_empty()) {
        fields.wrong(report, "script", "can't be blank");
    }
    Some(Work::Script(commands))
}

fn check_rules(fields: &Fields<'_>, report: &mut Report) {
    if !fields.has("rules") {
        return;
    }
    let both: Vec<&str> = ["only", "except", "start_in"]
        .into_iter()
        .filter(|key| fields.has(key))
        .collect();
    if !both.is_empty() {
        let text = format!("key may not be used with `rules`: {}", both.join(", "));
        fields.at.wrong(report, &text);
    }
}

/// `dependencies:` have to be among the needs.
fn check_dependencies(job: &Job, fields: &Fields<'_>, report: &mut Report) {
    let (Some(dependencies), Some(needs)) = (&job.dependencies, &job.needs) else {
        return;
    };
    let needed: std::collections::HashSet<&str> = needs
        .iter()
        .filter_map(|need| match need {
            needs::Need::Job { job, .. } => Some(job.as_str()),
            _ => None,
        })
        .collect();
    let missing: Vec<&str> = dependencies
        .iter()
        .map(String::as_str)
        .filter(|name| !needed.contains(name))
        .collect();
    if !missing.is_empty() {
        let text = format!("the {} should be part of needs", missing.join(", "));
        fields.wrong(report, "dependencies", &text);
    }
}

/// The keys of one job while they are read.
struct Reading<'a> {
    fields: Fields<'a>,
    bridge: bool,
}

impl Reading<'_> {
    fn job(&self, name: &str, work: Option<Work>, report: &mut Report) -> Option<Job> {
        let fields = &self.fields;
        let pages = self.pages(name, report);
        let artifacts = child!(fields, "artifacts", |at| storage::artifacts(at, report));
        let variables = child!(fields, "variables", |at| variables::read(at, report, Site::Job));
        let hooks = child!(fields, "hooks", |at| hooks(at, report));
        self.without_effect(report);
        let inputs = fields
            .get("inputs")
            .map(|node| inputs_of(node, &format!("{}:inputs", fields.at.path)));
        let inputs = match inputs {
            Some(Err(error)) => {
                report.error(fields.at.node.at, &error.text);
                None
            }
            Some(Ok(inputs)) => Some(inputs),
            None => None,
        };
        let job = Job {
            name: name.to_owned(),
            at: fields.at.node.at,
            stage: child!(fields, "stage", |at| at.string(report)).unwrap_or_else(|| "test".into()),
            before_script: child!(fields, "before_script", |at| script::shared(at, report)),
            after_script: child!(fields, "after_script", |at| script::shared(at, report)),
            pre_get_sources_script: hooks,
            image: child!(fields, "image", |at| container::image(at, report)),
            services: child!(fields, "services", |at| container::services(at, report)),
            artifacts: with_pages(artifacts, pages.as_deref()),
            cache: child!(fields, "cache", |at| storage::caches(at, report)),
            retry: child!(fields, "retry", |at| small::retry(at, report)),
            tags: child!(fields, "tags", |at| tags(at, report)),
            id_tokens: child!(fields, "id_tokens", |at| small::id_tokens(at, report)),
            timeout: child!(fields, "timeout", |at| at.duration(report, LONGEST_TIMEOUT)),
            interruptible: child!(fields, "interruptible", |at| at.boolean(report)),
            rules: child!(fields, "rules", |at| rules::read(at, report, RuleSite::Job)),
            only: child!(fields, "only", |at| policy::read(at, report)),
            except: child!(fields, "except", |at| policy::read(at, report)),
            when: self.when(report),
            allow_failure: self.allow_failure(report),
            manual_confirmation: fields.string(report, "manual_confirmation"),
            needs: None,
            dependencies: fields.strings(report, "dependencies"),
            parallel: self.parallel(report),
            resource_group: self.resource_group(report),
            environment: child!(fields, "environment", |at| environment::read(at, report)),
            coverage: self.coverage(report),
            variables: variables.unwrap_or_default(),
            inherit: child!(fields, "inherit", |at| small::inherit(at, report))
                .unwrap_or_else(Inherit::default),
            release: child!(fields, "release", |at| small::release(at, report)),
            secrets: fields.get("secrets").map(|node| node.to_json()),
            pages,
            inputs: inputs.unwrap_or_default(),
            work: work?,
        };
        Some(job)
    }

    fn when(&self, report: &mut Report) -> Option<When> {
        const WORDS: [(&str, When); 5] = [
            ("on_success", When::OnSuccess),
            ("on_failure", When::OnFailure),
            ("always", When::Always),
            ("manual", When::Manual),
            ("delayed", When::Delayed(0)),
        ];
        let words = if self.bridge { &WORDS[..4] } else { &WORDS[..] };
        let when = self.fields.one_of(report, "when", words);
        match when {
            Some(When::Delayed(_)) => rules::start_in(&self.fields, report).map(When::Delayed),
            _ => {
                if self.fields.has("start_in") && !self.fields.has("rules") {
                    self.fields.wrong(report, "start_in", "must be blank");
                }
                when
            }
        }
    }

    fn allow_failure(&self, report: &mut Report) -> Option<AllowFailure> {
        let node = self.fields.get("allow_failure")?;
        match &node.value {
            Value::Bool(flag) => Some(AllowFailure::Always(*flag)),
            Value::Map(_) if !self.bridge => child!(self.fields, "allow_failure", |at| {
                let fields = at.map(report, &["exit_codes"])?;
                let codes = small::exit_codes(&fields, report);
                (!codes.is_empty()).then_some(AllowFailure::ExitCodes(codes))
            }),
            _ => {
                let text = match self.bridge {
                    true => "should be a boolean value",
                    false => "should be a hash or a boolean value",
                };
                self.fields.wrong(report, "allow_failure", text);
                None
            }
        }
    }

    fn parallel(&self, report: &mut Report) -> Option<Parallel> {
        child!(self.fields, "parallel", |at| small::parallel(at, report, self.bridge))
    }

    fn resource_group(&self, report: &mut Report) -> Option<String> {
        let name = self.fields.string(report, "resource_group")?;
        if !environment::is_written_name(&name) || name.chars().count() > 255 {
            let text = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and \
                        spaces";
            self.fields.wrong(report, "resource_group", text);
        }
        Some(name)
    }

    fn coverage(&self, report: &mut Report) -> Option<String> {
        child!(self.fields, "coverage", |at| {
            let parts = at.node.text().and_then(crate::pattern::literal);
            let valid = parts.filter(|(source, flags)| {
                flags.is_empty() && crate::pattern::compile(source, "").is_some()
            });
            if valid.is_none() {
                at.wrong(report, "must be a regular expression with re2 syntax");
            }
            valid.map(|(source, _)| source.to_owned())
        })
    }

    /// The folder of a site; a job named `pages` makes one unless it says no.
    fn pages(&self, name: &str, report: &mut Report) -> Option<String> {
        let publish = self.fields.string(report, "publish");
        let folder = || publish.clone().unwrap_or_else(|| "public".into());
        match self.fields.get("pages").map(|node| &node.value) {
            None => (name == "pages").then(folder),
            Some(Value::Bool(true)) => Some(folder()),
            Some(Value::Bool(false)) => None,
            Some(Value::Map(_)) => child!(self.fields, "pages", |at| {
                let fields = at.map(report, &["publish", "path_prefix", "expire_in"])?;
                Some(fields.string(report, "publish").unwrap_or_else(folder))
            }),
            Some(_) => {
                self.fields.wrong(report, "pages", "should be a hash or a boolean value");
                None
            }
        }
    }

    /// Warns of what is understood and does nothing here.
    fn without_effect(&self, report: &mut Report) {
        let path = self.fields.at.path;
        for key in ["dast_configuration", "identity", "secrets"] {
            if let Some(node) = self.fields.get(key) {
                report.warning(node.at, format!("{path} {key} has no effect on this server"));
            }
        }
        let prefix = self.fields.get("pages").and_then(|node| node.map()?.get("path_prefix"));
        if let Some(node) = prefix {
            let text = format!("{path} pages:path_prefix has no effect on this server");
            report.warning(node.at, text);
        }
    }
}

fn with_pages(artifacts: Option<Arc<Artifacts>>, folder: Option<&str>) -> Option<Arc<Artifacts>> {
    let Some(folder) = folder else {
        return artifacts;
    };
    let mut artifacts = artifacts.map(Arc::unwrap_or_clone).unwrap_or_default();
    if !artifacts.paths.iter().any(|path| path == folder) {
        artifacts.paths.push(folder.to_owned());
    }
    Some(Arc::new(artifacts))
}

pub(super) fn hooks(at: At<'_>, report: &mut Report) -> Option<Arc<Vec<String>>> {
    let fields = at.map(report, &["pre_get_sources_script"])?;
    child!(fields, "pre_get_sources_script", |at| script::shared(at, report))
}

pub(super) fn tags(at: At<'_>, report: &mut Report) -> Option<Arc<Vec<String>>> {
    let tags = at.strings(report)?;
    if tags.len() >= MOST_TAGS {
        at.wrong(report, &format!("must be less than the limit of {MOST_TAGS} tags"));
    }
    Some(Arc::new(tags))
}

pub(super) fn timeout(at: At<'_>, report: &mut Report) -> Option<u64> {
    at.duration(report, LONGEST_TIMEOUT)
}
