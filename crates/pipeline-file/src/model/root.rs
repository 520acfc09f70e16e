//! The top of a file: stages, workflow, defaults and jobs (contract 3, 4).

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::container::{self, Image, Service};
use super::job::Job;
use super::rules::{self, RuleSite};
use super::small::{self, IdToken, Retry};
use super::storage::{self, Artifacts, Cache};
use super::variables::{self, Site};
use super::{AutoCancel, OnJobFailure, OnNewCommit, Pipeline, RuleWhen, Workflow};
use super::{reader, script};
use crate::check::{At, Fields, Path, Report, child};
use crate::yaml::{Map, Node, Value};

/// Keys of the root that are no jobs.
pub(crate) const RESERVED: [&str; 11] = [
    "default",
    "include",
    "image",
    "services",
    "before_script",
    "after_script",
    "variables",
    "stages",
    "cache",
    "workflow",
    "spec",
];
const DEFAULT_KEYS: [&str; 12] = [
    "after_script",
    "artifacts",
    "before_script",
    "cache",
    "hooks",
    "id_tokens",
    "image",
    "interruptible",
    "retry",
    "services",
    "tags",
    "timeout",
];
/// The defaults that may stand on the top as well.
const OLD_DEFAULTS: [&str; 5] = ["image", "services", "cache", "before_script", "after_script"];

/// Reads a merged file; what is wrong is in the report.
pub(crate) fn read(root: &Map, report: &mut Report) -> Pipeline {
    let defaults = Defaults::read(root, report);
    let mut pipeline = Pipeline {
        stages: stages(root.get("stages"), report),
        variables: top_variables(root, report),
        workflow: workflow(root.get("workflow"), report),
        jobs: IndexMap::new(),
    };
    let jobs = Path::root("jobs");
    let mut visible = false;
    for (name, node) in root.iter().filter(|(name, _)| !RESERVED.contains(&name.as_str())) {
        let path = jobs.below(name);
        let at = At::new(node, &path);
        if name.starts_with('.') {
            if is_blank(node) {
                at.wrong(report, "can't be blank");
            }
            continue;
        }
        visible = true;
        if let Some(mut job) = reader::read(name, at, report) {
            defaults.give(&mut job);
            warn_of_open_rules(&job, &path, &pipeline.workflow, report);
            pipeline.jobs.insert(name.clone(), Arc::new(job));
        }
    }
    if !visible {
        let at = root.values().next().map(|node| node.at).unwrap_or_default();
        report.error(at, "jobs config should contain at least one visible job");
    }
    pipeline
}

fn is_blank(node: &Node) -> bool {
    match &node.value {
        Value::Null | Value::Bool(false) => true,
        Value::Text(text) => text.trim().is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(map) => map.is_empty(),
        _ => false,
    }
}

/// A last rule with nothing but `when` lets a push and a merge request each start one.
fn warn_of_open_rules(job: &Job, path: &Path<'_>, workflow: &Workflow, report: &mut Report) {
    let last = job.rules.as_ref().and_then(|rules| rules.last());
    let open = last.is_some_and(|rule| {
        let clauses = &rule.clauses;
        let bare =
            clauses.condition.is_none() && clauses.changes.is_none() && clauses.exists.is_none();
        bare && matches!(rule.when, Some(RuleWhen::When(_)))
    });
    if open && workflow.rules.is_none() {
        let text = format!(
            "{path} may allow multiple pipelines to run for a single action due to `rules:when` \
             clause with no `workflow:rules` - read more: \
             https://docs.gitlab.com/ci/jobs/job_rules/#avoid-duplicate-pipelines"
        );
        report.warning(job.at, text);
    }
}

fn stages(node: Option<&Node>, report: &mut Report) -> Vec<String> {
    let mut names: IndexSet<String> = IndexSet::new();
    match node.filter(|node| !node.is_null()) {
        None => names.extend(["build", "test", "deploy"].map(str::to_owned)),
        Some(node) => {
            let path = Path::root("stages");
            let at = At::new(node, &path);
            match node.list().map(|_| script::read(at, report)) {
                Some(list) => names.extend(list.unwrap_or_default()),
                None => at.wrong(report, "should be an array of strings"),
            }
            if names.iter().any(|name| name.chars().count() > 255) {
                at.wrong(report, "stage name is too long (maximum is 255 characters)");
            }
        }
    }
    let middle = names.into_iter().filter(|name| name != ".pre" && name != ".post");
    std::iter::once(".pre".to_owned())
        .chain(middle)
        .chain([".post".to_owned()])
        .collect()
}

fn top_variables(root: &Map, report: &mut Report) -> Vec<super::FileVariable> {
    let Some(node) = root.get("variables").filter(|node| !node.is_null()) else {
        return Vec::new();
    };
    let path = Path::root("variables");
    variables::read(At::new(node, &path), report, Site::Top).unwrap_or_default()
}

fn workflow(node: Option<&Node>, report: &mut Report) -> Workflow {
    let Some(node) = node.filter(|node| !node.is_null()) else {
        return Workflow::default();
    };
    let path = Path::root("workflow");
    let Some(fields) = At::new(node, &path).map(report, &["rules", "name", "auto_cancel"]) else {
        return Workflow::default();
    };
    let name = fields.string(report, "name");
    if name.as_ref().is_some_and(|name| name.chars().count() > 255) {
        fields.wrong(report, "name", "is too long (maximum is 255 characters)");
    }
    Workflow {
        name,
        rules: child!(fields, "rules", |at| rules::read(at, report, RuleSite::Workflow)),
        auto_cancel: child!(fields, "auto_cancel", |at| auto_cancel(at, report))
            .unwrap_or_default(),
    }
}

pub(super) fn auto_cancel(at: At<'_>, report: &mut Report) -> Option<AutoCancel> {
    const ON_COMMIT: [(&str, OnNewCommit); 3] = [
        ("conservative", OnNewCommit::Conservative),
        ("interruptible", OnNewCommit::Interruptible),
        ("none", OnNewCommit::None),
    ];
    const ON_FAILURE: [(&str, OnJobFailure); 2] =
        [("none", OnJobFailure::None), ("all", OnJobFailure::All)];
    let fields = at.map(report, &["on_new_commit", "on_job_failure"])?;
    let on_new_commit = must_be(&fields, "on_new_commit", &ON_COMMIT, report);
    let on_job_failure = must_be(&fields, "on_job_failure", &ON_FAILURE, report);
    Some(AutoCancel { on_new_commit, on_job_failure })
}

fn must_be<T: Copy>(
    fields: &Fields<'_>, key: &str, words: &[(&str, T)], report: &mut Report,
) -> Option<T> {
    let node = fields.get(key)?;
    let value = crate::check::word(node, words);
    if value.is_none() {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        fields.wrong(report, key, &format!("must be one of: {}", names.join(", ")));
    }
    value
}

/// What jobs take that lack it: copied whole, never merged.
#[derive(Default)]
struct Defaults {
    before_script: Option<Arc<Vec<String>>>,
    after_script: Option<Arc<Vec<String>>>,
    pre_get_sources_script: Option<Arc<Vec<String>>>,
    image: Option<Arc<Image>>,
    services: Option<Arc<Vec<Service>>>,
    artifacts: Option<Arc<Artifacts>>,
    cache: Option<Arc<Vec<Cache>>>,
    retry: Option<Arc<Retry>>,
    tags: Option<Arc<Vec<String>>>,
    id_tokens: Option<Arc<IndexMap<String, IdToken>>>,
    timeout: Option<u64>,
    interruptible: Option<bool>,
}

impl Defaults {
    fn read(root: &Map, report: &mut Report) -> Self {
        let empty = Node::new(Value::Map(Map::new()), Default::default());
        let node = root.get("default").filter(|node| !node.is_null()).unwrap_or(&empty);
        let path = Path::root("default");
        let at = At::new(node, &path);
        let Some(fields) = at.map(report, &DEFAULT_KEYS) else {
            return Self::default();
        };
        let mut defaults = Self {
            before_script: child!(fields, "before_script", |at| script::shared(at, report)),
            after_script: child!(fields, "after_script", |at| script::shared(at, report)),
            pre_get_sources_script: child!(fields, "hooks", |at| reader::hooks(at, report)),
            image: child!(fields, "image", |at| container::image(at, report)),
            services: child!(fields, "services", |at| container::services(at, report)),
            artifacts: child!(fields, "artifacts", |at| storage::artifacts(at, report)),
            cache: child!(fields, "cache", |at| storage::caches(at, report)),
            retry: child!(fields, "retry", |at| small::retry(at, report)),
            tags: child!(fields, "tags", |at| reader::tags(at, report)),
            id_tokens: child!(fields, "id_tokens", |at| small::id_tokens(at, report)),
            timeout: child!(fields, "timeout", |at| reader::timeout(at, report)),
            interruptible: child!(fields, "interruptible", |at| at.boolean(report)),
        };
        for key in OLD_DEFAULTS {
            if let Some(node) = root.get(key).filter(|node| !node.is_null()) {
                if fields.has(key) {
                    let text = format!("{key} is defined in top-level and `default:` entry");
                    report.error(node.at, &text);
                }
                defaults.add_old(key, node, report);
            }
        }
        defaults
    }

    fn add_old(&mut self, key: &str, node: &Node, report: &mut Report) {
        let path = Path::root(key);
        let at = At::new(node, &path);
        match key {
            "image" => self.image = container::image(at, report),
            "services" => self.services = container::services(at, report),
            "cache" => self.cache = storage::caches(at, report),
            "before_script" => self.before_script = script::shared(at, report),
            _ => self.after_script = script::shared(at, report),
        }
    }

    fn give(&self, job: &mut Job) {
        let takes = |key: &str| job.inherit.default.takes(key);
        if job.interruptible.is_none() && takes("interruptible") {
            job.interruptible = self.interruptible;
        }
        if job.work.is_bridge() {
            return;
        }
        if job.timeout.is_none() && takes("timeout") {
            job.timeout = self.timeout;
        }
        macro_rules! give {
            ($($field:ident: $key:literal),*) => {
                $(if job.$field.is_none() && job.inherit.default.takes($key) {
                    job.$field = self.$field.clone();
                })*
            };
        }
        give!(
            image: "image", services: "services", artifacts: "artifacts", cache: "cache",
            retry: "retry", tags: "tags", id_tokens: "id_tokens",
            pre_get_sources_script: "hooks"
        );
        if !matches!(job.work, super::Work::Run(_)) {
            give!(before_script: "before_script", after_script: "after_script");
        }
    }
}
