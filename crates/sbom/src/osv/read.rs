//! Reading an advisory (<https://ossf.github.io/osv-schema/>), from strangers.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

use crate::read::{Few, Text, Wrong, clean, link};

use super::affected::{Affected, Event, Package, Range, Scheme};
use super::cvss::base_score;
use super::{Advisory, Severity};

/// Longest id, name or version, and longest summary.
const LONGEST: usize = 256;
const LONGEST_SUMMARY: usize = 1_024;
/// Most versions that are listed for a package.
const MAX_VERSIONS: usize = 20_000;

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an advisory, which is an object")]
struct Raw {
    id: Text,
    modified: Text,
    withdrawn: Text,
    aliases: Few<Text>,
    summary: Text,
    details: Text,
    severity: Few<RawSeverity>,
    affected: Few<RawAffected>,
    references: Few<RawReference>,
    database_specific: Lenient<Said>,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object in severity")]
struct RawSeverity {
    r#type: Text,
    score: Text,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object in references")]
struct RawReference {
    r#type: Text,
    url: Text,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object in affected")]
struct RawAffected {
    package: Lenient<RawPackage>,
    ranges: Few<RawRange>,
    versions: Many,
    severity: Few<RawSeverity>,
    database_specific: Lenient<Said>,
    ecosystem_specific: Lenient<Said>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawPackage {
    ecosystem: Text,
    name: Text,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object in ranges")]
struct RawRange {
    r#type: Text,
    events: Few<RawEvent>,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object in events")]
struct RawEvent {
    introduced: Text,
    fixed: Text,
    last_affected: Text,
    limit: Text,
}

/// What databases add of their own.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    severity: Text,
}

/// An object, or something else of which nothing is wanted.
#[derive(Default)]
struct Lenient<T>(T);

impl<'de, T: Default + Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lenient<T>, D::Error> {
        deserializer.deserialize_any(LenientVisitor(PhantomData))
    }
}

struct LenientVisitor<T>(PhantomData<T>);

impl<'de, T: Default + Deserialize<'de>> Visitor<'de> for LenientVisitor<T> {
    type Value = Lenient<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Lenient<T>, E> {
        Ok(Lenient::default())
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Lenient<T>, E> {
        Ok(Lenient::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Lenient<T>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Lenient::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Lenient<T>, A::Error> {
        T::deserialize(de::value::MapAccessDeserializer::new(map)).map(Lenient)
    }
}

/// Listed versions.
#[derive(Default)]
struct Many(Vec<String>);

impl<'de> Deserialize<'de> for Many {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Many, D::Error> {
        deserializer.deserialize_any(ManyVisitor)
    }
}

struct ManyVisitor;

impl<'de> Visitor<'de> for ManyVisitor {
    type Value = Many;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list as versions")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Many, E> {
        Ok(Many::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Many, A::Error> {
        let mut many = Vec::new();
        while let Some(text) = list.next_element::<Text>()? {
            if many.len() < MAX_VERSIONS {
                many.extend(text.known().and_then(|it| clean(&it, LONGEST)));
            }
        }
        Ok(Many(many))
    }
}

/// Reads one advisory.
///
/// # Errors
///
/// Where it is no advisory: no JSON, without an id or a time of its last change.
pub fn read(bytes: &[u8]) -> Result<Advisory, Wrong> {
    let raw: Raw = serde_json::from_slice(bytes)
        .map_err(|error| Wrong(format!("Advisory is invalid: {error}")))?;
    let id = text(raw.id).ok_or_else(|| Wrong("Advisory is invalid: id is missing".into()))?;
    let missing = || Wrong(format!("Advisory {id} is invalid: modified is missing"));
    let modified = text(raw.modified).ok_or_else(missing)?;
    let rating = rating(&raw.severity.0, &raw.affected.0);
    let vector = rating.as_ref().map(|(vector, _)| vector.clone());
    let score = rating.map(|(_, score)| score);
    let said = said(raw.database_specific, &raw.affected.0);
    let summary =
        clean_of(raw.summary, LONGEST_SUMMARY).or_else(|| clean_of(raw.details, LONGEST_SUMMARY));
    Ok(Advisory {
        modified,
        withdrawn: raw.withdrawn != Text::Absent,
        aliases: raw.aliases.0.into_iter().filter_map(text).collect(),
        summary,
        severity: score.map(Severity::of_score).or(said).unwrap_or_default(),
        vector,
        score,
        url: url(raw.references.0),
        affected: raw.affected.0.into_iter().filter_map(affected).collect(),
        id,
    })
}

fn text(it: Text) -> Option<String> {
    clean_of(it, LONGEST)
}

fn clean_of(it: Text, limit: usize) -> Option<String> {
    it.known().and_then(|it| clean(&it, limit))
}

/// The vector that comes to most.
fn rating(own: &[RawSeverity], affected: &[RawAffected]) -> Option<(String, f64)> {
    let of_packages = affected.iter().flat_map(|it| it.severity.0.iter());
    let rated = own.iter().chain(of_packages).filter_map(|it| match (&it.r#type, &it.score) {
        (Text::Is(kind), Text::Is(vector)) if kind == "CVSS_V3" => {
            Some((clean(vector, LONGEST)?, base_score(vector.trim())?))
        }
        _ => None,
    });
    rated.max_by(|one, other| one.1.total_cmp(&other.1))
}

fn said(own: Lenient<Said>, affected: &[RawAffected]) -> Option<Severity> {
    let word = |it: &Lenient<Said>| match &it.0.severity {
        Text::Is(text) => Severity::parse(text),
        _ => None,
    };
    let of_packages = affected
        .iter()
        .filter_map(|it| word(&it.database_specific).or(word(&it.ecosystem_specific)));
    word(&own).or_else(|| of_packages.max())
}

/// An advisory's own page before all others.
fn url(references: Vec<RawReference>) -> Option<String> {
    let known = references.into_iter().filter_map(|it| {
        let url = link(&it.url.known()?, LONGEST_SUMMARY)?;
        Some((it.r#type != Text::Is("ADVISORY".into()), url))
    });
    known.min_by_key(|(later, _)| *later).map(|(_, url)| url)
}

fn affected(raw: RawAffected) -> Option<Affected> {
    let (ecosystem, name) = (text(raw.package.0.ecosystem)?, text(raw.package.0.name)?);
    let (system, release) = match ecosystem.split_once(':') {
        Some((system, release)) => (system, Some(release.trim_start_matches('v').to_owned())),
        None => (ecosystem.as_str(), None),
    };
    let (package, has_releases) = package(system, name)?;
    Some(Affected {
        package,
        release: release.filter(|_| has_releases),
        ranges: raw.ranges.0.into_iter().filter_map(range).collect(),
        versions: raw.versions.0,
    })
}

/// The package by its own name, and whether each release of its system has another one.
fn package(system: &str, name: String) -> Option<(Package, bool)> {
    let (kind, has_releases) = match system {
        "npm" => ("npm", false),
        "PyPI" => ("pypi", false),
        "crates.io" => ("cargo", false),
        "Go" => ("golang", false),
        "Maven" => ("maven", false),
        "NuGet" => ("nuget", false),
        "Packagist" => ("composer", false),
        "RubyGems" => ("gem", false),
        "Hex" => ("hex", false),
        "Pub" => ("pub", false),
        "SwiftURL" => ("swift", false),
        "ConanCenter" => ("conan", false),
        "Hackage" => ("hackage", false),
        "CRAN" => ("cran", false),
        "GitHub Actions" => ("githubactions", false),
        "Bitnami" => ("bitnami", false),
        "Debian" | "Ubuntu" => ("deb", true),
        "Alpine" => ("apk", true),
        _ => return None,
    };
    let name = match has_releases {
        true => format!("{}/{name}", system.to_lowercase()),
        false => name,
    };
    Some((Package { kind: kind.to_owned(), name }, has_releases))
}

fn range(raw: RawRange) -> Option<Range> {
    let scheme = match raw.r#type.known()?.as_str() {
        "SEMVER" => Scheme::Semver,
        "ECOSYSTEM" => Scheme::Ecosystem,
        // Of commits, which no component names.
        _ => return None,
    };
    let events = raw.events.0.into_iter().filter_map(event).collect();
    Some(Range { scheme, events })
}

fn event(raw: RawEvent) -> Option<Event> {
    let known = text(raw.introduced).map(Event::Introduced);
    let known = known.or_else(|| text(raw.fixed).map(Event::Fixed));
    let known = known.or_else(|| text(raw.last_affected).map(Event::LastAffected));
    known.or_else(|| text(raw.limit).map(Event::Limit))
}
