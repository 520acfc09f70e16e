//! Packuments: all versions of a name as one document, in full or what
//! installing needs of it.

use super::manifest::StoredManifest;
use super::names;
use crate::store::index::Version;
use kernel::error::{Error, Result};
use kernel::time::wire;
use serde::Serialize;
use std::collections::BTreeMap;

/// How much of each version is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Full,
    Abbreviated,
}

impl Form {
    /// The form that `Accept` asks for. npm lists several types and means the
    /// first of them.
    pub fn accepted(accept: Option<&str>) -> Form {
        let first = accept.unwrap_or_default().split(',').next();
        let first = first.unwrap_or_default().split(';').next();
        match first.unwrap_or_default().trim() {
            "application/vnd.npm.install-v1+json" => Form::Abbreviated,
            _ => Form::Full,
        }
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Form::Full => "application/json",
            Form::Abbreviated => "application/vnd.npm.install-v1+json",
        }
    }

    /// What its kept document is called.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Full => "full",
            Form::Abbreviated => "abbreviated",
        }
    }
}

pub struct Packument<'p> {
    pub name: &'p str,
    /// Its versions, the oldest first.
    pub versions: &'p [Version],
    /// Tags and the versions they are on.
    pub tags: &'p BTreeMap<String, String>,
    /// What it is called as a state of the name.
    pub revision: &'p str,
    pub base_url: &'p str,
}

impl Packument<'_> {
    pub fn text(&self, form: Form) -> Result<Vec<u8>> {
        let mut out = String::with_capacity(self.versions.len() * 1_024 + 512);
        out.push('{');
        if form == Form::Full {
            member(&mut out, "_id", self.name)?;
            member(&mut out, "_rev", self.revision)?;
        }
        member(&mut out, "name", self.name)?;
        member(&mut out, "dist-tags", self.tags)?;
        out.push_str("\"versions\":{");
        self.write_versions(&mut out, form)?;
        out.push_str("},");
        self.write_times(&mut out, form)?;
        out.push('}');
        Ok(out.into_bytes())
    }

    fn write_versions(&self, out: &mut String, form: Form) -> Result<()> {
        let mut is_first = true;
        for version in self.versions {
            let (Some(number), Some(metadata)) = (&version.version, &version.metadata) else {
                continue;
            };
            let kept = StoredManifest::read(metadata)?;
            if !std::mem::replace(&mut is_first, false) {
                out.push(',');
            }
            text(out, number)?;
            out.push(':');
            open_object(
                out,
                match form {
                    Form::Full => kept.manifest,
                    Form::Abbreviated => kept.short,
                },
            );
            if let Some(deprecated) = kept.deprecated {
                out.push_str("\"deprecated\":");
                out.push_str(deprecated);
                out.push(',');
            }
            out.push_str("\"dist\":");
            open_object(out, kept.dist);
            out.push_str("\"tarball\":");
            text(out, &tarball(self.base_url, version.project_id, &version.name, number))?;
            out.push_str("}}");
        }
        Ok(())
    }

    fn write_times(&self, out: &mut String, form: Form) -> Result<()> {
        let created = self.versions.iter().map(|one| one.created_at).min();
        let changed = self.versions.iter().map(|one| one.updated_at).max();
        let modified = changed.map(wire::text).unwrap_or_default();
        if form == Form::Abbreviated {
            out.push_str("\"modified\":");
            return text(out, &modified);
        }
        out.push_str("\"time\":{");
        member(out, "created", &created.map(wire::text))?;
        for version in self.versions {
            if let Some(number) = &version.version {
                member(out, number, &wire::text(version.created_at))?;
            }
        }
        out.push_str("\"modified\":");
        text(out, &modified)?;
        out.push('}');
        Ok(())
    }
}

/// A JSON object without its end, ready for one more member.
fn open_object(out: &mut String, object: &str) {
    let begun = object.strip_suffix('}').unwrap_or(object);
    out.push_str(begun);
    if !begun.ends_with('{') {
        out.push(',');
    }
}

fn member<T: Serialize + ?Sized>(out: &mut String, key: &str, value: &T) -> Result<()> {
    text(out, key)?;
    out.push(':');
    text(out, value)?;
    out.push(',');
    Ok(())
}

fn text<T: Serialize + ?Sized>(out: &mut String, value: &T) -> Result<()> {
    out.push_str(&serde_json::to_string(value).map_err(Error::internal)?);
    Ok(())
}

/// Where the file of a version is, always at its project.
fn tarball(base_url: &str, project_id: i64, name: &str, version: &str) -> String {
    // `+` stands for itself in a path; nothing else here could be special.
    let file = names::file_name(name, version);
    format!("{base_url}/api/v4/projects/{project_id}/packages/npm/{name}/-/{file}")
}

/// The tags of a name: those that were set, and `latest` in any case.
pub fn tags(set: Vec<(String, String)>, versions: &[Version]) -> BTreeMap<String, String> {
    let mut tags: BTreeMap<String, String> = set.into_iter().collect();
    if !tags.contains_key("latest")
        && let Some(highest) = highest(versions)
    {
        tags.insert("latest".to_owned(), highest);
    }
    tags
}

/// The highest version, of releases if there are any.
fn highest(versions: &[Version]) -> Option<String> {
    let parsed = versions.iter().filter_map(|one| {
        let text = one.version.as_deref()?;
        let version = names::version(text)?;
        Some((version.pre.is_empty(), version, text))
    });
    parsed.max().map(|(_, _, text)| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use serde_json::{Value, json};

    fn version(number: &str, kept: [Value; 3], deprecated: Option<&str>) -> Version {
        let [manifest, short, dist] = kept.map(|part| part.to_string());
        let kept = StoredManifest { manifest: &manifest, short: &short, dist: &dist, deprecated };
        let at = "2026-01-02T03:04:05.678Z".parse().unwrap();
        Version {
            metadata: Some(kept.text()),
            created_at: at,
            updated_at: at,
            ..samples::version("@acme/hammer", number)
        }
    }

    fn bare(number: &str) -> Version {
        version(number, [json!({}), json!({}), json!({})], None)
    }

    #[test]
    fn both_forms_are_whole() {
        let described = json!({"name": "@acme/hammer", "description": "\"}\n"});
        let first = [described, json!({}), json!({"shasum": "ab"})];
        let second = [json!({"a": 1}), json!({"b": [{}]}), json!({})];
        let versions =
            [version("1.0.0", first, Some("\"use <2>\"")), version("1.1.0+x", second, None)];
        let tags = tags(vec![("next".into(), "1.0.0".into())], &versions);
        let packument = Packument {
            name: "@acme/hammer",
            versions: &versions,
            tags: &tags,
            revision: "3",
            base_url: "http://t.example",
        };
        let read =
            |form| -> Value { serde_json::from_slice(&packument.text(form).unwrap()).unwrap() };
        let files = "http://t.example/api/v4/projects/5/packages/npm/@acme/hammer/-/@acme/hammer";
        let at = "2026-01-02T03:04:05.678Z";
        assert_eq!(
            read(Form::Full),
            json!({"_id": "@acme/hammer", "_rev": "3",
            "name": "@acme/hammer", "dist-tags": {"latest": "1.1.0+x", "next": "1.0.0"},
            "versions": {
                "1.0.0": {"name": "@acme/hammer", "description": "\"}\n", "deprecated": "use <2>",
                    "dist": {"shasum": "ab", "tarball": format!("{files}-1.0.0.tgz")}},
                "1.1.0+x": {"a": 1, "dist": {"tarball": format!("{files}-1.1.0+x.tgz")}}},
            "time": {"created": at, "1.0.0": at, "1.1.0+x": at, "modified": at}})
        );
        assert_eq!(
            read(Form::Abbreviated),
            json!({"name": "@acme/hammer",
            "dist-tags": {"latest": "1.1.0+x", "next": "1.0.0"},
            "versions": {
                "1.0.0": {"deprecated": "use <2>",
                    "dist": {"shasum": "ab", "tarball": format!("{files}-1.0.0.tgz")}},
                "1.1.0+x": {"b": [{}], "dist": {"tarball": format!("{files}-1.1.0+x.tgz")}}},
            "modified": at})
        );
    }

    #[test]
    fn latest_is_the_highest_release_unless_it_was_set() {
        let of = |numbers: &[&str]| {
            let all: Vec<Version> = numbers.iter().map(|n| bare(n)).collect();
            tags(Vec::new(), &all).remove("latest")
        };
        assert_eq!(of(&["1.9.0", "1.10.0", "2.0.0-beta"]).as_deref(), Some("1.10.0"));
        assert_eq!(of(&["1.0.0-alpha", "1.0.0-beta"]).as_deref(), Some("1.0.0-beta"));
        assert_eq!(of(&[]), None);
        let set = vec![("latest".to_owned(), "1.0.0".to_owned())];
        assert_eq!(tags(set, &[bare("2.0.0")])["latest"], "1.0.0");
    }

    #[test]
    fn the_first_type_that_is_accepted_counts() {
        let npm = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";
        assert_eq!(Form::accepted(Some(npm)), Form::Abbreviated);
        assert_eq!(Form::accepted(Some("application/json")), Form::Full);
        assert_eq!(Form::accepted(Some("*/*")), Form::Full);
        assert_eq!(Form::accepted(None), Form::Full);
    }
}
