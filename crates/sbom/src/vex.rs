//! What is known to be wrong with components: CycloneDX 1.6 with vulnerabilities, as the
//! advisories say it. Nobody has judged them yet.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::cyclonedx::{self, Heading};
use crate::model::{Component, SpecVersion};
use crate::osv::Severity;
use crate::relations::Link;

/// An advisory about a component.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub id: String,
    pub severity: Severity,
    /// A vector of CVSS 3.
    pub vector: Option<String>,
    pub score: Option<f64>,
    pub summary: Option<String>,
    pub url: Option<String>,
}

/// A document of components and what is wrong with them.
pub struct Writer<W: Write> {
    inner: cyclonedx::Writer<W>,
    found: BTreeMap<String, (Finding, BTreeSet<u32>)>,
}

impl<W: Write> Writer<W> {
    /// Writes what stands above the components.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn begin(out: W, heading: &Heading) -> io::Result<Writer<W>> {
        let inner = cyclonedx::Writer::begin(out, SpecVersion::V1_6, heading)?;
        Ok(Writer { inner, found: BTreeMap::new() })
    }

    /// Writes a component, and remembers what is wrong with it.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn component(
        &mut self, component: &Component, link: Link<'_>, findings: &[Finding],
    ) -> io::Result<()> {
        let place = self.inner.place(component, link)?;
        for finding in findings {
            let entry = self.found.entry(finding.id.clone());
            entry.or_insert_with(|| (finding.clone(), BTreeSet::new())).1.insert(place);
        }
        Ok(())
    }

    /// Writes what is wrong with what, and gives the writer back.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn finish(self) -> io::Result<W> {
        let (mut out, relations) = self.inner.close()?;
        out.write_all(b",\"vulnerabilities\":[")?;
        for (index, (finding, places)) in self.found.values().enumerate() {
            if index > 0 {
                out.write_all(b",")?;
            }
            let references: Vec<&str> =
                places.iter().map(|place| relations.reference(*place)).collect();
            serde_json::to_writer(&mut out, &vulnerability(finding, &references))?;
        }
        out.write_all(b"]}")?;
        Ok(out)
    }
}

fn vulnerability(finding: &Finding, references: &[&str]) -> Value {
    let mut all = Map::new();
    all.insert("bom-ref".into(), json!(format!("vulnerability:{}", finding.id)));
    all.insert("id".into(), json!(finding.id));
    if let Some(url) = &finding.url {
        all.insert("source".into(), json!({"url": url}));
    }
    all.insert("ratings".into(), json!([rating(finding)]));
    if let Some(summary) = &finding.summary {
        all.insert("description".into(), json!(summary));
    }
    all.insert("analysis".into(), json!({"state": "in_triage"}));
    let affects: Vec<Value> = references.iter().map(|it| json!({"ref": it})).collect();
    all.insert("affects".into(), affects.into());
    Value::Object(all)
}

fn rating(finding: &Finding) -> Value {
    let mut rating = Map::new();
    if let Some(score) = finding.score {
        rating.insert("score".into(), json!(score));
    }
    rating.insert("severity".into(), json!(finding.severity.text()));
    let method = finding.vector.as_deref().and_then(|vector| {
        let method = if vector.starts_with("CVSS:3.1/") {
            "CVSSv31"
        } else {
            "CVSSv3"
        };
        vector.starts_with("CVSS:3.").then_some(method)
    });
    if let (Some(method), Some(vector)) = (method, &finding.vector) {
        rating.insert("method".into(), json!(method));
        rating.insert("vector".into(), json!(vector));
    }
    Value::Object(rating)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_names_the_components() {
        let heading = Heading {
            serial_number: "urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79".into(),
            timestamp: "2026-01-01T00:00:00Z".into(),
            tools: Vec::new(),
            authors: Vec::new(),
            properties: Vec::new(),
            root: None,
        };
        let finding = Finding {
            id: "OSV-1".into(),
            severity: Severity::High,
            vector: Some("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H".into()),
            score: Some(7.5),
            summary: Some("Bad".into()),
            url: Some("https://example.com/OSV-1".into()),
        };
        let component = |name: &str| Component {
            name: name.into(),
            purl: Some(format!("pkg:npm/{name}@1")),
            ..Component::default()
        };
        let mut writer = Writer::begin(Vec::new(), &heading).expect("begun");
        for name in ["a", "b", "a"] {
            let findings = std::slice::from_ref(&finding);
            let findings = if name == "a" { findings } else { &[] };
            writer.component(&component(name), Link::None, findings).expect("written");
        }
        let document: Value =
            serde_json::from_slice(&writer.finish().expect("finished")).expect("JSON");
        let all = document["vulnerabilities"].as_array().expect("a list");
        assert_eq!(all.len(), 1);
        assert_eq!(all[0]["affects"], json!([{"ref": "pkg:npm/a@1"}]));
        assert_eq!(all[0]["ratings"][0]["method"], "CVSSv31");
    }
}
