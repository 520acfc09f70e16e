//! `artifacts:` and `cache:`: files that outlive a job (contract 7).

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::check::{At, Fields, Report, child, seconds, strings_or_one};
use crate::yaml::{Node, Value};

/// `artifacts:` of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifacts {
    pub name: Option<String>,
    pub paths: Vec<String>,
    pub exclude: Vec<String>,
    pub untracked: bool,
    pub when: Upload,
    /// As written: a duration or `never`.
    pub expire_in: Option<String>,
    pub expose_as: Option<String>,
    pub access: Access,
    /// Paths by the type of the report.
    pub reports: IndexMap<String, Vec<String>>,
    pub coverage_report: Option<CoverageReport>,
}

/// After what result files are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Upload {
    #[default]
    OnSuccess,
    OnFailure,
    Always,
}

/// Who may download artifacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    #[default]
    All,
    Developer,
    Maintainer,
    None,
}

/// `reports:coverage_report`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageReport {
    pub coverage_format: String,
    pub path: String,
}

const UPLOADS: [(&str, Upload); 3] = [
    ("on_success", Upload::OnSuccess),
    ("on_failure", Upload::OnFailure),
    ("always", Upload::Always),
];

const REPORTS: [&str; 27] = [
    "junit",
    "dotenv",
    "cyclonedx",
    "annotations",
    "codequality",
    "terraform",
    "accessibility",
    "metrics",
    "lsif",
    "repository_xray",
    "sast",
    "secret_detection",
    "dependency_scanning",
    "container_scanning",
    "cluster_image_scanning",
    "license_scanning",
    "dast",
    "api_fuzzing",
    "coverage_fuzzing",
    "sarif",
    "requirements",
    "requirements_v2",
    "performance",
    "browser_performance",
    "load_performance",
    "cobertura",
    "license_management",
];

pub(super) fn artifacts(at: At<'_>, report: &mut Report) -> Option<Arc<Artifacts>> {
    let known = [
        "name",
        "paths",
        "exclude",
        "untracked",
        "when",
        "expire_in",
        "expose_as",
        "public",
        "access",
        "reports",
    ];
    let fields = at.map(report, &known)?;
    let expire_in = fields.get("expire_in").filter(|node| node.text() != Some("never"));
    if expire_in.is_some_and(|node| seconds(node).is_none()) {
        fields.wrong(report, "expire_in", "should be a duration");
    }
    let mut coverage_report = None;
    let reports = child!(fields, "reports", |at| reports(at, report, &mut coverage_report));
    let artifacts = Artifacts {
        name: fields.string(report, "name"),
        paths: fields.strings(report, "paths").unwrap_or_default(),
        exclude: fields.strings(report, "exclude").unwrap_or_default(),
        untracked: fields.boolean(report, "untracked").unwrap_or(false),
        when: fields.one_of(report, "when", &UPLOADS).unwrap_or_default(),
        expire_in: fields.get("expire_in").and_then(Node::scalar_text),
        expose_as: fields.string(report, "expose_as"),
        access: access(&fields, report),
        reports: reports.unwrap_or_default(),
        coverage_report,
    };
    check_exposed(&artifacts, &fields, report);
    Some(Arc::new(artifacts))
}

fn access(fields: &Fields<'_>, report: &mut Report) -> Access {
    const WORDS: [(&str, Access); 4] = [
        ("none", Access::None),
        ("developer", Access::Developer),
        ("maintainer", Access::Maintainer),
        ("all", Access::All),
    ];
    if fields.has("public") && fields.has("access") {
        fields.at.wrong(report, "these keys cannot be used together: public, access");
    }
    let public = match fields.boolean(report, "public") {
        Some(false) => Access::Developer,
        _ => Access::All,
    };
    fields.one_of(report, "access", &WORDS).unwrap_or(public)
}

fn check_exposed(artifacts: &Artifacts, fields: &Fields<'_>, report: &mut Report) {
    let Some(name) = &artifacts.expose_as else {
        return;
    };
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().count() > 100 {
        fields.wrong(report, "expose_as", "is too long (maximum is 100 characters)");
    }
    if !name.starts_with(word) || !name.chars().all(|c| word(c) || c == '-' || c == ' ') {
        fields.wrong(report, "expose_as", "can contain only letters, digits, '-', '_' and spaces");
    }
    if artifacts.paths.is_empty() {
        fields.wrong(report, "paths", "can't be blank");
    } else if artifacts.paths.iter().any(|path| path.contains('*')) {
        fields.wrong(report, "paths", "can't contain '*' when used with 'expose_as'");
    }
}

fn reports(
    at: At<'_>, report: &mut Report, coverage: &mut Option<CoverageReport>,
) -> Option<IndexMap<String, Vec<String>>> {
    let known = [&REPORTS[..], &["coverage_report"]].concat();
    let fields = at.map(report, &known)?;
    *coverage = child!(fields, "coverage_report", |at| coverage_report(at, report));
    let mut reports = IndexMap::new();
    for key in fields.keys().filter(|key| REPORTS.contains(key)) {
        if let Some(paths) = fields.strings_or_one(report, key) {
            reports.insert(key.to_owned(), paths);
        }
    }
    Some(reports)
}

fn coverage_report(at: At<'_>, report: &mut Report) -> Option<CoverageReport> {
    const FORMATS: [(&str, &str); 2] = [("cobertura", "cobertura"), ("jacoco", "jacoco")];
    let fields = at.map(report, &["coverage_format", "path"])?;
    for key in ["coverage_format", "path"] {
        if !fields.has(key) {
            fields.wrong(report, key, "can't be blank");
        }
    }
    let format = fields.one_of(report, "coverage_format", &FORMATS);
    let path = fields.string(report, "path")?;
    Some(CoverageReport { coverage_format: format?.to_owned(), path })
}

/// One of up to four caches of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    pub key: CacheKey,
    pub paths: Vec<String>,
    pub untracked: bool,
    pub policy: Policies,
    pub when: Upload,
    /// Not kept apart for protected refs.
    pub unprotect: bool,
    pub fallback_keys: Vec<String>,
}

/// How a cache is found again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKey {
    /// Expanded by the runner.
    Text(String),
    /// The content of these files decides.
    Files { files: Vec<String>, prefix: Option<String> },
    /// The last commits of these files decide.
    FilesCommits { files: Vec<String>, prefix: Option<String> },
}

/// Whether a cache is downloaded, uploaded, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policies {
    #[default]
    PullPush,
    Pull,
    Push,
    /// What a variable says.
    Variable(String),
}

const MOST_CACHES: usize = 4;
const MOST_FALLBACKS: usize = 5;
const MOST_KEY_FILES: usize = 2;

pub(super) fn caches(at: At<'_>, report: &mut Report) -> Option<Arc<Vec<Cache>>> {
    let caches = match &at.node.value {
        Value::List(items) if items.len() > MOST_CACHES => {
            at.wrong(report, &format!("no more than {MOST_CACHES} caches can be created"));
            return None;
        }
        Value::List(items) => {
            items.iter().filter_map(|item| cache(At::new(item, at.path), report)).collect()
        }
        Value::Map(_) => cache(at, report).into_iter().collect(),
        _ => {
            at.wrong(report, "can only be a hash or an array of hashes");
            return None;
        }
    };
    Some(Arc::new(caches))
}

fn cache(at: At<'_>, report: &mut Report) -> Option<Cache> {
    let known = ["key", "paths", "untracked", "policy", "when", "unprotect", "fallback_keys"];
    let fields = at.map(report, &known)?;
    let paths = child!(fields, "paths", |at| at.strings(report));
    let fallback_keys = fields.strings(report, "fallback_keys").unwrap_or_default();
    if fallback_keys.len() > MOST_FALLBACKS {
        let text = format!("has to many entries (maximum {MOST_FALLBACKS})");
        fields.wrong(report, "fallback_keys", &text);
    }
    Some(Cache {
        key: child!(fields, "key", |at| key(at, report))
            .unwrap_or_else(|| CacheKey::Text("default".into())),
        paths: paths.unwrap_or_default(),
        untracked: child!(fields, "untracked", |at| at.boolean(report)).unwrap_or(false),
        policy: policy(&fields, report),
        when: fields.one_of(report, "when", &UPLOADS).unwrap_or_default(),
        unprotect: fields.boolean(report, "unprotect").unwrap_or(false),
        fallback_keys,
    })
}

fn policy(fields: &Fields<'_>, report: &mut Report) -> Policies {
    match fields.get("policy").map(|node| node.text()) {
        None | Some(Some("pull-push")) => Policies::PullPush,
        Some(Some("pull")) => Policies::Pull,
        Some(Some("push")) => Policies::Push,
        Some(Some(text)) if text.starts_with('$') => Policies::Variable(text.to_owned()),
        Some(_) => {
            let text = "should be a variable or one of: pull-push, push, pull";
            fields.wrong(report, "policy", text);
            Policies::PullPush
        }
    }
}

fn key(at: At<'_>, report: &mut Report) -> Option<CacheKey> {
    if at.node.map().is_some() {
        return key_of_files(at, report);
    }
    let Some(text) = at.node.scalar_text().filter(|_| !matches!(at.node.value, Value::Bool(_)))
    else {
        at.wrong(report, "should be a hash, a string or a symbol");
        return None;
    };
    if text.contains('/') || text.to_lowercase().contains("%2f") {
        at.wrong(report, "cannot contain the \"/\" character");
    }
    if matches!(text.as_str(), "." | ".." | "%2e" | "%2E") {
        at.wrong(report, "cannot be \".\" or \"..\"");
    }
    Some(CacheKey::Text(text))
}

fn key_of_files(at: At<'_>, report: &mut Report) -> Option<CacheKey> {
    let fields = at.map(report, &["files", "files_commits", "prefix"])?;
    if fields.has("files") == fields.has("files_commits") {
        at.wrong(report, "must use exactly one of these keys: files, files_commits");
    }
    let mut prefix = fields.get("prefix").and_then(Node::scalar_text);
    if prefix.is_none() && fields.has("prefix") {
        fields.wrong(report, "prefix", "should be a string");
    }
    if prefix.as_ref().is_some_and(|text| text.contains('/')) {
        fields.wrong(report, "prefix", "cannot contain the \"/\" character");
        prefix = None;
    }
    let read = |at: At<'_>, report: &mut Report| {
        let files = strings_or_one(at.node).filter(|_| at.node.list().is_some());
        match files {
            Some(files) if (1..=MOST_KEY_FILES).contains(&files.len()) => Some(files),
            Some(files) if files.is_empty() => {
                at.wrong(report, "requires at least 1 item");
                None
            }
            Some(_) => {
                at.wrong(report, &format!("has too many items (maximum is {MOST_KEY_FILES})"));
                None
            }
            None => {
                at.wrong(report, "should be an array of strings");
                None
            }
        }
    };
    let by_content = child!(fields, "files", |at| read(at, report));
    let by_commit = child!(fields, "files_commits", |at| read(at, report));
    match (by_content, by_commit) {
        (Some(files), _) => Some(CacheKey::Files { files, prefix }),
        (None, Some(files)) => Some(CacheKey::FilesCommits { files, prefix }),
        (None, None) => None,
    }
}
