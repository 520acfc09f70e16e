//! Which versions of which package.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::purl::Parts;
use crate::versions::compare;

/// A package by its own name; two texts that mean the same package have the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Package {
    /// The type of its package URL.
    pub kind: String,
    /// With its namespace.
    pub name: String,
}

impl Package {
    pub fn of_purl(purl: &str) -> Option<Package> {
        let parts = crate::purl::parse(purl)?;
        Some(Package { name: parts.full_name(), kind: parts.kind })
    }

    /// What it is found by.
    pub fn key(&self) -> String {
        let name = self.name.to_lowercase();
        let name = match self.kind.as_str() {
            "pypi" => python_name(&name),
            _ => name,
        };
        format!("{}/{name}", self.kind)
    }
}

/// PEP 503: runs of `-`, `_` and `.` are the same.
fn python_name(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|it| !it.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

/// How the versions of a range are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    Semver,
    /// As the packager does.
    Ecosystem,
}

/// Where a range begins or ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Introduced(String),
    Fixed(String),
    LastAffected(String),
    Limit(String),
}

impl Event {
    fn version(&self) -> &str {
        match self {
            Event::Introduced(it)
            | Event::Fixed(it)
            | Event::LastAffected(it)
            | Event::Limit(it) => it,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    pub scheme: Scheme,
    pub events: Vec<Event>,
}

/// Versions of a package that an advisory is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Affected {
    pub package: Package,
    /// Of which release of a system: `12` of Debian 12.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    #[serde(default)]
    pub ranges: Vec<Range>,
    #[serde(default)]
    pub versions: Vec<String>,
}

impl Affected {
    /// Whether a version of the package is meant.
    pub fn holds(&self, version: &str) -> bool {
        let listed = self.versions.iter().any(|it| self.is_same(it, version));
        listed || self.ranges.iter().any(|it| it.holds(&self.package.kind, version))
    }

    /// Whether a component is meant: by its version and, where releases of a system have
    /// packages of their own, by its release.
    pub fn is_about(&self, purl: &str, parts: &Parts) -> bool {
        let of_release = match &self.release {
            None => true,
            Some(release) => distribution(purl).is_some_and(|it| is_release(&it, release)),
        };
        of_release && parts.version.as_deref().is_some_and(|version| self.holds(version))
    }

    fn is_same(&self, one: &str, other: &str) -> bool {
        one == other || compare(&self.package.kind, one, other) == Some(Ordering::Equal)
    }
}

/// The qualifier `distro` of a package URL, as digits and dots: `debian-12.5` is 12.5.
fn distribution(purl: &str) -> Option<String> {
    let (_, qualifiers) = purl.split_once('?')?;
    let qualifiers = qualifiers.split('#').next()?;
    let value = qualifiers.split('&').find_map(|it| it.strip_prefix("distro="))?;
    let digits = value.find(|it: char| it.is_ascii_digit())?;
    value.get(digits..).map(str::to_owned)
}

fn is_release(distribution: &str, release: &str) -> bool {
    let rest = distribution.strip_prefix(release);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Range {
    /// The algorithm of the format's description: events in order, the last one counts.
    fn holds(&self, kind: &str, version: &str) -> bool {
        let kind = match self.scheme {
            Scheme::Semver => "semver",
            Scheme::Ecosystem => kind,
        };
        let at_least = |event: &str| match event {
            "0" => true,
            event => {
                matches!(compare(kind, version, event), Some(Ordering::Greater | Ordering::Equal))
            }
        };
        let limits = self.events.iter().filter(|it| matches!(it, Event::Limit(_)));
        let limits: Vec<&str> = limits.map(Event::version).filter(|it| *it != "*").collect();
        let below = |limit: &&str| compare(kind, version, limit) == Some(Ordering::Less);
        // Without an order nobody knows what lies between: only listed versions are meant.
        if compare(kind, version, version).is_none()
            || (!limits.is_empty() && !limits.iter().any(below))
        {
            return false;
        }
        let mut affected = false;
        for event in self.sorted(kind) {
            match event {
                Event::Introduced(at) if at_least(at) => affected = true,
                Event::Fixed(at) if at_least(at) => affected = false,
                Event::LastAffected(at)
                    if compare(kind, version, at).is_none_or(|it| it.is_gt()) =>
                {
                    affected = false;
                }
                _ => {}
            }
        }
        affected
    }

    /// The events in the order of their versions. Put in one by one: versions of strangers
    /// need not be in any order that holds.
    fn sorted(&self, kind: &str) -> Vec<&Event> {
        let known = |it: &&Event| it.version() == "0" || compare(kind, it.version(), "1").is_some();
        let mut sorted: Vec<&Event> = Vec::new();
        for event in self.events.iter().filter(known) {
            let after = sorted.iter().rposition(|it| !is_before(kind, event, it));
            sorted.insert(after.map_or(0, |place| place + 1), event);
        }
        sorted
    }
}

fn is_before(kind: &str, one: &Event, other: &Event) -> bool {
    match (one.version(), other.version()) {
        (one, other) if one == other => false,
        ("0", _) => true,
        (_, "0") => false,
        (one, other) => compare(kind, one, other) == Some(Ordering::Less),
    }
}
