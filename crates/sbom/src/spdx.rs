//! A writer of SPDX 2.3 in JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::cyclonedx::Root;
use crate::licenses;
use crate::model::{Component, Hash, License};
use crate::relations::{Link, Relations};

/// Where nobody said anything.
const UNKNOWN: &str = "NOASSERTION";
const DOCUMENT: &str = "SPDXRef-DOCUMENT";
const ROOT: &str = "SPDXRef-Root";

/// What stands above the packages.
#[derive(Debug, Clone)]
pub struct Heading {
    pub name: String,
    /// A URI that no other document has.
    pub namespace: String,
    /// `YYYY-MM-DDThh:mm:ssZ`
    pub created: String,
    /// `Tool: name-version`, `Organization: name`, `Person: name`.
    pub creators: Vec<String>,
    pub root: Root,
}

/// A document that grows: one package for each package URL.
pub struct Writer<W: Write> {
    out: W,
    relations: Relations,
    /// Names of licences that the SPDX list does not have, by their references.
    named: BTreeMap<String, String>,
}

impl<W: Write> Writer<W> {
    /// Writes what stands above the packages.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn begin(mut out: W, heading: &Heading) -> io::Result<Writer<W>> {
        let mut above = json!({
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": DOCUMENT,
            "name": heading.name,
            "documentNamespace": heading.namespace,
            "creationInfo": {"created": heading.created, "creators": heading.creators},
        })
        .to_string();
        // The brace at the end comes when everything is written.
        above.pop();
        out.write_all(above.as_bytes())?;
        out.write_all(b",\"packages\":[")?;
        serde_json::to_writer(&mut out, &root(&heading.root))?;
        Ok(Writer { out, relations: Relations::default(), named: BTreeMap::new() })
    }

    /// Writes a component; of one package URL only the first, though the relations of all
    /// count.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn component(&mut self, component: &Component, link: Link<'_>) -> io::Result<()> {
        let (place, Some(_)) = self.relations.add_once(component, link) else {
            return Ok(());
        };
        let declared = self.declared(&component.licenses);
        self.out.write_all(b",")?;
        serde_json::to_writer(&mut self.out, &package(component, place, declared))?;
        Ok(())
    }

    /// The licences of a component as one expression.
    fn declared(&mut self, all: &[License]) -> Option<String> {
        let known: Vec<License> = all.iter().filter_map(own).collect();
        let named = &mut self.named;
        let text = licenses::joined(&known, |reference, name| {
            named.insert(reference.to_owned(), name.to_owned());
        })?;
        for word in text.split([' ', '(', ')']).filter(|word| word.starts_with("LicenseRef-")) {
            let word = word.trim_end_matches('+');
            named.entry(word.to_owned()).or_insert_with(|| word.to_owned());
        }
        Some(text)
    }

    /// Writes licences and what depends on what, and gives the writer back.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(b"],\"hasExtractedLicensingInfos\":[")?;
        for (index, (reference, name)) in self.named.iter().enumerate() {
            if index > 0 {
                self.out.write_all(b",")?;
            }
            let info = json!({"licenseId": reference, "name": name, "extractedText": name});
            serde_json::to_writer(&mut self.out, &info)?;
        }
        self.out.write_all(b"],\"relationships\":[")?;
        serde_json::to_writer(&mut self.out, &relation(DOCUMENT, "DESCRIBES", ROOT))?;
        for place in self.relations.roots() {
            self.out.write_all(b",")?;
            let item = relation(ROOT, "DEPENDS_ON", &package_id(place));
            serde_json::to_writer(&mut self.out, &item)?;
        }
        for (from, all) in self.relations.all() {
            for to in all {
                self.out.write_all(b",")?;
                let item = relation(&package_id(from), "DEPENDS_ON", &package_id(to));
                serde_json::to_writer(&mut self.out, &item)?;
            }
        }
        self.out.write_all(b"]}")?;
        Ok(self.out)
    }
}

/// A licence as this document can say it: what other documents define is a name here.
fn own(license: &License) -> Option<License> {
    let name = match license {
        License::Named { name, .. } if name.eq_ignore_ascii_case("unknown") => return None,
        License::Expression(text) if text.contains("DocumentRef-") => text,
        License::Id(id) => return Some(with_exception(id).unwrap_or_else(|| license.clone())),
        known => return Some(known.clone()),
    };
    Some(License::Named { name: name.clone(), url: None })
}

/// What a deprecated id says that has its exception within: readers take it for the exception
/// alone.
fn with_exception(id: &str) -> Option<License> {
    let text = match id {
        "GPL-2.0-with-autoconf-exception" => "GPL-2.0-only WITH Autoconf-exception-2.0",
        "GPL-2.0-with-bison-exception" => "GPL-2.0-or-later WITH Bison-exception-2.2",
        "GPL-2.0-with-classpath-exception" => "GPL-2.0-only WITH Classpath-exception-2.0",
        "GPL-2.0-with-font-exception" => "GPL-2.0-only WITH Font-exception-2.0",
        "GPL-2.0-with-GCC-exception" => "GPL-2.0-only WITH GCC-exception-2.0",
        "GPL-3.0-with-autoconf-exception" => "GPL-3.0-only WITH Autoconf-exception-3.0",
        "GPL-3.0-with-GCC-exception" => "GPL-3.0-only WITH GCC-exception-3.1",
        "eCos-2.0" => "GPL-2.0-or-later WITH eCos-exception-2.0",
        _ => return None,
    };
    Some(License::Expression(text.to_owned()))
}

fn relation(from: &str, kind: &str, to: &str) -> Value {
    json!({"spdxElementId": from, "relationshipType": kind, "relatedSpdxElement": to})
}

fn package_id(place: u32) -> String {
    format!("SPDXRef-Package-{}", u64::from(place) + 1)
}

fn root(root: &Root) -> Value {
    let mut all = Map::new();
    all.insert("name".into(), json!(root.name));
    all.insert("SPDXID".into(), json!(ROOT));
    if let Some(version) = &root.version {
        all.insert("versionInfo".into(), json!(version));
    }
    let location = root.vcs.as_deref().filter(|url| is_named(url));
    let location = location.map(|url| format!("git+{url}"));
    all.insert("downloadLocation".into(), json!(location.as_deref().unwrap_or(UNKNOWN)));
    finish(&mut all, None);
    all.insert("primaryPackagePurpose".into(), json!("APPLICATION"));
    Value::Object(all)
}

/// Whether the host of an address has a name of the public kind: SPDX's own tools find a
/// document wrong that names another one.
fn is_named(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host.split(['/', ':']).next().unwrap_or_default();
    host.rsplit_once('.').is_some_and(|(_, last)| {
        (2..=5).contains(&last.len()) && last.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

/// What every package has to say.
fn finish(all: &mut Map<String, Value>, declared: Option<&str>) {
    all.insert("filesAnalyzed".into(), json!(false));
    all.insert("licenseConcluded".into(), json!(UNKNOWN));
    all.insert("licenseDeclared".into(), json!(declared.unwrap_or(UNKNOWN)));
    all.insert("copyrightText".into(), json!(UNKNOWN));
}

fn package(component: &Component, place: u32, declared: Option<String>) -> Value {
    let mut all = Map::new();
    all.insert("name".into(), json!(component.full_name()));
    all.insert("SPDXID".into(), json!(package_id(place)));
    if let Some(version) = &component.version {
        all.insert("versionInfo".into(), json!(version));
    }
    all.insert("downloadLocation".into(), json!(UNKNOWN));
    finish(&mut all, declared.as_deref());
    let checksums: Vec<Value> = component.hashes.iter().filter_map(checksum).collect();
    if !checksums.is_empty() {
        all.insert("checksums".into(), checksums.into());
    }
    if let Some(purl) = &component.purl {
        let reference = json!([{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": purl,
        }]);
        all.insert("externalRefs".into(), reference);
    }
    if let Some(purpose) = purpose(&component.kind) {
        all.insert("primaryPackagePurpose".into(), json!(purpose));
    }
    Value::Object(all)
}

fn checksum(hash: &Hash) -> Option<Value> {
    let algorithm = match hash.algorithm.as_str() {
        // The format leaves its length open, and readers take none.
        "BLAKE3" => return None,
        "SHA-1" => "SHA1",
        "SHA-256" => "SHA256",
        "SHA-384" => "SHA384",
        "SHA-512" => "SHA512",
        other => other,
    };
    Some(json!({"algorithm": algorithm, "checksumValue": hash.value}))
}

fn purpose(kind: &str) -> Option<&'static str> {
    let known = match kind {
        "application" => "APPLICATION",
        "framework" => "FRAMEWORK",
        "library" => "LIBRARY",
        "container" => "CONTAINER",
        "operating-system" => "OPERATING-SYSTEM",
        "device" => "DEVICE",
        "firmware" => "FIRMWARE",
        "file" => "FILE",
        _ => return None,
    };
    Some(known)
}

#[cfg(test)]
mod tests;
