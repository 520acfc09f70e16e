//! What the envelope of a publication says, and the shorter documents that
//! clients send to deprecate and unpublish.

use kernel::error::{Error, Result};
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, de::IgnoredAny};
use std::fmt;
use std::marker::PhantomData;

/// Most entries of one object: a packument has at most so many versions.
const MAX_ENTRIES: usize = crate::store::index::MAX_VERSIONS as usize;

/// The members of an object in their order.
#[derive(Debug)]
struct Pairs<T>(Vec<(String, T)>);

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Pairs(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

struct PairsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PairsVisitor<T> {
    type Value = Pairs<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<T>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            if pairs.len() >= MAX_ENTRIES {
                return Err(A::Error::custom("too many entries"));
            }
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

#[derive(Debug, Deserialize)]
struct PublishBody {
    name: Option<String>,
    #[serde(rename = "dist-tags", default)]
    tags: Pairs<String>,
    #[serde(default)]
    versions: Pairs<SentVersion>,
    #[serde(rename = "_attachments", default)]
    attachments: Pairs<Attachment>,
}

#[derive(Debug, Deserialize)]
struct SentVersion {
    name: Option<String>,
    version: Option<String>,
    deprecated: Option<String>,
    #[serde(default)]
    dist: Dist,
}

#[derive(Debug, Deserialize)]
struct Attachment {
    length: Option<u64>,
    #[serde(rename = "data")]
    _data: Option<IgnoredAny>,
}

/// Digests of the package file, as a client declares them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Dist {
    /// SHA-1 in hex.
    pub shasum: Option<String>,
    /// Digests as HTML writes them (W3C Subresource Integrity).
    pub integrity: Option<String>,
}

/// A version about to be published, as its client describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    pub version: String,
    pub tag: String,
    pub dist: Dist,
    /// The declared size of the file.
    pub length: Option<u64>,
}

fn read(envelope: &[u8]) -> Result<PublishBody> {
    serde_json::from_slice(envelope)
        .map_err(|_| Error::BadRequest("the body is not what npm clients send".into()))
}

fn refused<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::BadRequest(text.into()))
}

fn check_name(sent: Option<&str>, name: &str) -> Result<()> {
    match sent {
        Some(sent) if sent != name => refused("the name in the body is not the one in the URL"),
        _ => Ok(()),
    }
}

/// Reads the publication of a version of this name.
pub fn publication(envelope: &[u8], name: &str) -> Result<Publication> {
    let sent = read(envelope)?;
    check_name(sent.name.as_deref(), name)?;
    let mut versions = sent.versions.0.into_iter();
    let (version, described) = match (versions.next(), versions.next()) {
        (Some(only), None) => only,
        (None, _) => return refused("Version is empty."),
        _ => return refused("the body describes more than one version"),
    };
    if version.is_empty() {
        return refused("Version is empty.");
    }
    if super::names::version(&version).is_none() {
        return refused("the version is not a semantic version");
    }
    check_name(described.name.as_deref(), name)?;
    if described.version.is_some_and(|other| other != version) {
        return refused("the body gives the version in two ways");
    }
    let tag = tag(sent.tags.0, &version)?;
    let files = sent.attachments.0.into_iter();
    let lengths = files.filter(|(file, _)| file.ends_with(".tgz"));
    Ok(Publication {
        tag,
        dist: described.dist,
        length: lengths.filter_map(|(_, file)| file.length).next(),
        version,
    })
}

fn tag(sent: Vec<(String, String)>, version: &str) -> Result<String> {
    let mut tags = sent.into_iter();
    let Some((tag, to)) = tags.next() else {
        return Ok("latest".to_owned());
    };
    if tags.next().is_some() {
        return refused("the body has more than one dist-tag");
    }
    if to != version {
        return refused("the dist-tag is not for the version in the body");
    }
    check_tag(&tag)?;
    Ok(tag)
}

/// Refuses what cannot be a tag.
pub fn check_tag(tag: &str) -> Result<()> {
    if super::names::is_range(tag) {
        return refused("a dist-tag must not be a valid SemVer range");
    }
    match super::names::is_tag(tag) {
        true => Ok(()),
        false => refused("the dist-tag is invalid"),
    }
}

/// The versions a packument gives a word on their deprecation, which is empty
/// for those that are no longer deprecated.
pub fn deprecations(envelope: &[u8], name: &str) -> Result<Vec<(String, String)>> {
    let sent = read(envelope)?;
    check_name(sent.name.as_deref(), name)?;
    let versions = sent.versions.0.into_iter();
    let given = versions.filter_map(|(version, described)| Some((version, described.deprecated?)));
    let given: Vec<_> = given.collect();
    match given.is_empty() {
        true => Err(Error::missing("package versions to deprecate")),
        false => Ok(given),
    }
}

/// The versions a packument has.
pub fn versions(envelope: &[u8], name: &str) -> Result<Vec<String>> {
    let sent = read(envelope)?;
    check_name(sent.name.as_deref(), name)?;
    Ok(sent.versions.0.into_iter().map(|(version, _)| version).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn publication_of(body: &serde_json::Value) -> Result<Publication> {
        publication(body.to_string().as_bytes(), "hammer")
    }

    #[test]
    fn a_publication_is_one_version_with_one_tag() {
        let body = json!({"name": "hammer", "dist-tags": {"next": "1.0.0"},
            "versions": {"1.0.0": {"name": "hammer", "version": "1.0.0",
                "dist": {"shasum": "ab", "integrity": "sha512-x", "tarball": "http://x"}}},
            "_attachments": {"hammer-1.0.0.tgz": {"data": "", "length": 4},
                "hammer-1.0.0.sigstore": {"data": "", "length": 9}}});
        let read = publication_of(&body).unwrap();
        assert_eq!((read.version.as_str(), read.tag.as_str()), ("1.0.0", "next"));
        assert_eq!((read.length, read.dist.shasum.as_deref()), (Some(4), Some("ab")));
        let bare = json!({"versions": {"1.0.0": {}}});
        assert_eq!(publication_of(&bare).unwrap().tag, "latest");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (body, reason) in [
            (json!({}), "Version is empty."),
            (json!({"versions": {"": {}}}), "Version is empty."),
            (json!({"versions": {"1.0.0": {}, "1.0.1": {}}}), "more than one version"),
            (json!({"versions": {"1.0": {}}}), "not a semantic version"),
            (json!({"name": "x", "versions": {"1.0.0": {}}}), "not the one in the URL"),
            (json!({"versions": {"1.0.0": {"name": "x"}}}), "not the one in the URL"),
            (json!({"versions": {"1.0.0": {"version": "1.0.1"}}}), "in two ways"),
            (
                json!({"dist-tags": {"1.x": "1.0.0"}, "versions": {"1.0.0": {}}}),
                "SemVer range",
            ),
            (json!({"dist-tags": {"a b": "1.0.0"}, "versions": {"1.0.0": {}}}), "is invalid"),
            (
                json!({"dist-tags": {"a": "1.0.1"}, "versions": {"1.0.0": {}}}),
                "not for the version",
            ),
            (
                json!({"dist-tags": {"a": "1.0.0", "b": "1.0.0"}, "versions": {"1.0.0": {}}}),
                "more than one dist-tag",
            ),
            (json!({"versions": []}), "not what npm clients send"),
            (json!({"versions": {"1.0.0": 5}}), "not what npm clients send"),
            (
                json!({"versions": {"1.0.0": {}}, "_attachments": {"a.tgz": {"length": -1}}}),
                "not what npm clients send",
            ),
        ] {
            let refusal = publication_of(&body).unwrap_err();
            assert!(format!("{refusal:?}").contains(reason), "{body}: {refusal:?}");
        }
    }

    #[test]
    fn only_versions_with_a_word_on_it_are_deprecated() {
        let body = json!({"name": "hammer", "versions": {
            "1.0.0": {"deprecated": "use 2"}, "1.1.0": {"deprecated": ""}, "2.0.0": {}}});
        let given = deprecations(body.to_string().as_bytes(), "hammer").unwrap();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(given, [pair("1.0.0", "use 2"), pair("1.1.0", "")]);
        assert!(deprecations(br#"{"versions": {"1.0.0": {}}}"#, "hammer").is_err());
        assert!(deprecations(br#"{"versions": {"1.0.0": {"deprecated": {}}}}"#, "hammer").is_err());
    }
}
