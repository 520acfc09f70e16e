//! Images of containers: where a job runs, and what runs beside it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::variables::{self, FileVariable, Site};
use crate::check::{At, Fields, Report, child, strings_or_one};

/// `image:`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entrypoint: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pull_policy: Vec<String>,
    #[serde(default, skip_serializing_if = "Executor::is_empty")]
    pub executor: Executor,
}

/// What only some executors understand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executor {
    pub docker_platform: Option<String>,
    pub docker_user: Option<String>,
    pub kubernetes_user: Option<String>,
}

impl Executor {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One of `services:`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    #[serde(flatten)]
    pub image: Image,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<FileVariable>,
}

const IMAGE_KEYS: [&str; 5] = ["name", "entrypoint", "docker", "kubernetes", "pull_policy"];

pub(super) fn image(at: At<'_>, report: &mut Report) -> Option<Arc<Image>> {
    if let Some(name) = at.node.text() {
        return named(name, at, report).map(Arc::new);
    }
    if at.node.map().is_none() {
        at.wrong(report, "should be a hash or a string");
        return None;
    }
    let fields = at.map(report, &IMAGE_KEYS)?;
    fields_of_image(&fields, report).map(Arc::new)
}

fn named(name: &str, at: At<'_>, report: &mut Report) -> Option<Image> {
    if name.trim().is_empty() {
        at.field(report, "name", "can't be blank");
        return None;
    }
    Some(Image { name: name.to_owned(), ..Image::default() })
}

fn fields_of_image(fields: &Fields<'_>, report: &mut Report) -> Option<Image> {
    if !fields.has("name") {
        fields.wrong(report, "name", "can't be blank");
    }
    let docker = child!(fields, "docker", |at| {
        let fields = at.map(report, &["platform", "user"])?;
        Some((fields.string(report, "platform"), fields.string(report, "user")))
    });
    let kubernetes_user = child!(fields, "kubernetes", |at| {
        at.map(report, &["user"])?.get("user")?.scalar_text()
    });
    let (docker_platform, docker_user) = docker.unwrap_or_default();
    let executor = Executor { docker_platform, docker_user, kubernetes_user };
    Some(Image {
        entrypoint: fields.strings(report, "entrypoint"),
        pull_policy: pull_policy(fields, report),
        executor,
        name: fields.string(report, "name")?,
    })
}

fn pull_policy(fields: &Fields<'_>, report: &mut Report) -> Vec<String> {
    const KNOWN: [&str; 3] = ["always", "never", "if-not-present"];
    let Some(node) = fields.get("pull_policy") else {
        return Vec::new();
    };
    let path = fields.at.path.below("pull_policy");
    let at = At::new(node, &path);
    let Some(policies) = strings_or_one(node) else {
        at.wrong(report, "should be a string or an array of strings");
        return Vec::new();
    };
    let unknown: Vec<&str> = policies
        .iter()
        .map(String::as_str)
        .filter(|name| !KNOWN.contains(name))
        .collect();
    if !unknown.is_empty() {
        at.wrong(report, &format!("contains unknown values: {}", unknown.join(", ")));
    }
    policies
}

pub(super) fn services(at: At<'_>, report: &mut Report) -> Option<Arc<Vec<Service>>> {
    let Some(items) = at.node.list() else {
        at.wrong(report, "should be an array");
        return None;
    };
    let path = at.path.below("service");
    let read = |item| service(At::new(item, &path), report);
    Some(Arc::new(items.iter().filter_map(read).collect()))
}

fn service(at: At<'_>, report: &mut Report) -> Option<Service> {
    if let Some(name) = at.node.text() {
        return named(name, at, report).map(|image| Service { image, ..Service::default() });
    }
    if at.node.map().is_none() {
        at.wrong(report, "should be a hash or a string");
        return None;
    }
    let known = [&IMAGE_KEYS[..], &["alias", "command", "variables"]].concat();
    let fields = at.map(report, &known)?;
    let variables = child!(fields, "variables", |at| variables::read(at, report, Site::Job));
    Some(Service {
        alias: fields.string(report, "alias"),
        command: fields.strings(report, "command"),
        variables: variables.unwrap_or_default(),
        image: fields_of_image(&fields, report)?,
    })
}
