//! Writers of CycloneDX in JSON. They write while they are given components; what they keep
//! is the references of those.

mod merge;
mod parts;

use std::io::{self, Write};

use serde_json::json;

pub use crate::relations::Link;
pub use merge::Merge;

use crate::model::{Author, Component, Property, SpecVersion, Tool};
use crate::relations::Relations;

pub(crate) use parts::component as component_json;

/// What stands above the components. Number and time are given, so that the same list is
/// the same document.
#[derive(Debug, Clone)]
pub struct Heading {
    /// `urn:uuid:…`
    pub serial_number: String,
    /// RFC 3339.
    pub timestamp: String,
    pub tools: Vec<Tool>,
    pub authors: Vec<Author>,
    pub properties: Vec<Property>,
    pub root: Option<Root>,
}

/// What the list is about: `metadata.component`.
#[derive(Debug, Clone, Default)]
pub struct Root {
    pub name: String,
    pub version: Option<String>,
    /// Where its source is.
    pub vcs: Option<String>,
}

impl Root {
    /// Its reference: what is made up here no package URL is.
    pub const REFERENCE: &'static str = "root";
}

/// A document that grows: one component for each package URL.
pub struct Writer<W: Write> {
    out: W,
    spec: SpecVersion,
    has_root: bool,
    relations: Relations,
    written: usize,
}

impl<W: Write> Writer<W> {
    /// Writes what stands above the components.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn begin(mut out: W, spec: SpecVersion, heading: &Heading) -> io::Result<Writer<W>> {
        write!(
            out,
            "{{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"{}\",\"serialNumber\":",
            spec.text()
        )?;
        serde_json::to_writer(&mut out, &heading.serial_number)?;
        out.write_all(b",\"version\":1,\"metadata\":")?;
        serde_json::to_writer(&mut out, &parts::metadata(heading))?;
        out.write_all(b",\"components\":[")?;
        let mut relations = Relations::default();
        relations.reserve(Root::REFERENCE);
        Ok(Writer {
            out,
            spec,
            has_root: heading.root.is_some(),
            relations,
            written: 0,
        })
    }

    /// Writes a component; of one package URL only the first, though the relations of all
    /// count.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn component(&mut self, component: &Component, link: Link<'_>) -> io::Result<()> {
        self.place(component, link).map(drop)
    }

    /// The same, and where it stands.
    pub(crate) fn place(&mut self, component: &Component, link: Link<'_>) -> io::Result<u32> {
        let (place, reference) = self.relations.add_once(component, link);
        let Some(reference) = reference else { return Ok(place) };
        if self.written > 0 {
            self.out.write_all(b",")?;
        }
        self.written += 1;
        let json = component_json(component, &reference, &component.kind, self.spec);
        serde_json::to_writer(&mut self.out, &json)?;
        Ok(place)
    }

    /// Writes what depends on what, and gives the writer back.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn finish(self) -> io::Result<W> {
        let (mut out, _) = self.close()?;
        out.write_all(b"}")?;
        Ok(out)
    }

    /// All but the last brace, and the references of what stands above it.
    pub(crate) fn close(mut self) -> io::Result<(W, Relations)> {
        self.out.write_all(b"],\"dependencies\":[")?;
        write_relations(&mut self.out, &self.relations, self.has_root)?;
        self.out.write_all(b"]")?;
        Ok((self.out, self.relations))
    }
}

/// The items of `dependencies`.
fn write_relations<W: Write>(out: &mut W, relations: &Relations, has_root: bool) -> io::Result<()> {
    let names = |places: &mut dyn Iterator<Item = u32>| -> Vec<&str> {
        places.map(|place| relations.reference(place)).collect()
    };
    let mut first = true;
    if has_root {
        let item = json!({"ref": Root::REFERENCE, "dependsOn": names(&mut relations.roots())});
        serde_json::to_writer(&mut *out, &item)?;
        first = false;
    }
    for (from, to) in relations.all() {
        if !std::mem::replace(&mut first, false) {
            out.write_all(b",")?;
        }
        let to = names(&mut to.into_iter());
        let item = json!({"ref": relations.reference(from), "dependsOn": to});
        serde_json::to_writer(&mut *out, &item)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
