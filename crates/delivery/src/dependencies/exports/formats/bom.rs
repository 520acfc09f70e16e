//! Bills of materials of a project: CycloneDX 1.6, with or without what is known to be wrong,
//! and SPDX 2.3.

use super::rows::Batches;
use crate::dependencies::model::Dependency;
use jiff::Timestamp;
use sbom::cyclonedx::{self, Link, Root};
use sbom::model::{Author, SpecVersion, Tool};
use sbom::spdx;
use sbom::vex::{self, Finding};
use std::io::{self, Write};

/// What a document says of itself.
#[derive(Debug, Clone)]
pub struct About {
    /// `urn:uuid:…`, of this document alone.
    pub serial_number: String,
    /// An address that no other document has.
    pub namespace: String,
    pub at: Timestamp,
    /// What it is about.
    pub name: String,
    /// Where the code of that is.
    pub vcs: Option<String>,
    /// The program that writes it.
    pub tool: Tool,
    /// Who asked for it.
    pub author: Author,
}

impl About {
    /// To the second, in UTC.
    pub fn timestamp(&self) -> String {
        self.at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    fn heading(&self) -> cyclonedx::Heading {
        cyclonedx::Heading {
            serial_number: self.serial_number.clone(),
            timestamp: self.timestamp(),
            tools: vec![self.tool.clone()],
            authors: vec![self.author.clone()],
            properties: Vec::new(),
            root: Some(self.root()),
        }
    }

    fn root(&self) -> Root {
        Root {
            name: self.name.clone(),
            version: None,
            vcs: self.vcs.clone(),
        }
    }
}

pub enum Bill<W: Write> {
    CycloneDx(cyclonedx::Writer<W>),
    Vex(vex::Writer<W>),
    Spdx(spdx::Writer<W>),
}

impl<W: Write> Bill<W> {
    pub fn cyclonedx(out: W, about: &About) -> io::Result<Bill<W>> {
        let heading = about.heading();
        cyclonedx::Writer::begin(out, SpecVersion::V1_6, &heading).map(Bill::CycloneDx)
    }

    pub fn vex(out: W, about: &About) -> io::Result<Bill<W>> {
        vex::Writer::begin(out, &about.heading()).map(Bill::Vex)
    }

    pub fn spdx(out: W, about: &About) -> io::Result<Bill<W>> {
        let version = about.tool.version.as_deref().unwrap_or_default();
        let person = about.author.name.as_deref().unwrap_or_default();
        let heading = spdx::Heading {
            name: about.name.clone(),
            namespace: about.namespace.clone(),
            created: about.timestamp(),
            creators: vec![
                format!("Tool: {}-{version}", about.tool.name),
                format!("Person: {person}"),
            ],
            root: about.root(),
        };
        spdx::Writer::begin(out, &heading).map(Bill::Spdx)
    }

    pub fn batch(&mut self, all: Batches) -> io::Result<()> {
        for row in all.batches.into_iter().flat_map(|batch| batch.rows) {
            let findings = all.findings.get(&row.id).map(Vec::as_slice).unwrap_or_default();
            self.add(row, findings)?;
        }
        Ok(())
    }

    fn add(&mut self, mut row: Dependency, findings: &[Finding]) -> io::Result<()> {
        let depends_on = std::mem::take(&mut row.depends_on.0);
        let document = usize::try_from(row.document).unwrap_or_default();
        let top_level = row.top_level;
        let component = row.component();
        let link = Link::References { document, depends_on: &depends_on, top_level };
        match self {
            Bill::CycloneDx(writer) => writer.component(&component, link),
            Bill::Vex(writer) => writer.component(&component, link, findings),
            Bill::Spdx(writer) => writer.component(&component, link),
        }
    }

    pub fn finish(self) -> io::Result<W> {
        match self {
            Bill::CycloneDx(writer) => writer.finish(),
            Bill::Vex(writer) => writer.finish(),
            Bill::Spdx(writer) => writer.finish(),
        }
    }
}
