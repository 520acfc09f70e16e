//! Several lists as one, CycloneDX 1.4: components first, and what stands above them last,
//! when all lists have been seen.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::model::{Author, Bom, Component, Property, SpecVersion, Tool};
use crate::relations::{Link, Relations, digest};

use super::parts;
use super::{component_json, write_relations};

/// Most tools, authors and properties of the whole.
const MAX_ABOVE: usize = 10_000;

/// Lists that become one. What is the same in several stands in it once.
pub struct Merge<W: Write> {
    out: W,
    timestamp: String,
    tools: BTreeSet<Tool>,
    authors: BTreeSet<Author>,
    properties: BTreeSet<Property>,
    relations: Relations,
    /// Digest of a component without its reference → its place.
    seen: HashMap<u128, u32>,
    documents: usize,
}

impl<W: Write> Merge<W> {
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn begin(mut out: W, serial_number: &str, timestamp: &str) -> io::Result<Merge<W>> {
        out.write_all(b"{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"1.4\",\"serialNumber\":")?;
        serde_json::to_writer(&mut out, serial_number)?;
        out.write_all(b",\"version\":1,\"components\":[")?;
        Ok(Merge {
            out,
            timestamp: timestamp.to_owned(),
            tools: BTreeSet::new(),
            authors: BTreeSet::new(),
            properties: BTreeSet::new(),
            relations: Relations::default(),
            seen: HashMap::new(),
            documents: 0,
        })
    }

    /// Writes the components of a list that none before had.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn add(&mut self, bom: &Bom) -> io::Result<()> {
        self.documents += 1;
        take(&mut self.tools, &bom.tools);
        take(&mut self.authors, &bom.authors);
        take(&mut self.properties, &bom.properties);
        for component in &bom.components {
            let depends_on = bom.dependencies.get(&component.reference);
            let depends_on = depends_on.map(Vec::as_slice).unwrap_or_default();
            let link = Link::References { document: self.documents, depends_on, top_level: false };
            self.component(component, link)?;
        }
        Ok(())
    }

    fn component(&mut self, component: &Component, link: Link<'_>) -> io::Result<()> {
        let key = same(component);
        if let Some(place) = self.seen.get(&key) {
            self.relations.link(*place, component, link);
            return Ok(());
        }
        let (place, reference) = match component.purl {
            Some(_) => self.relations.add(component, link),
            None => {
                let purl = built(component);
                let with_purl = Component { purl, ..component.clone() };
                self.relations.add(&with_purl, link)
            }
        };
        if !self.seen.is_empty() {
            self.out.write_all(b",")?;
        }
        self.seen.insert(key, place);
        let mut json = component_json(component, &reference, "library", SpecVersion::V1_4);
        if component.purl.is_none()
            && let (Some(purl), Value::Object(all)) = (built(component), &mut json)
        {
            all.insert("purl".into(), json!(purl));
        }
        serde_json::to_writer(&mut self.out, &json)?;
        Ok(())
    }

    /// Writes relations and what stands above, this platform (`own`) among the tools.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn finish(mut self, own: Tool) -> io::Result<W> {
        self.tools.insert(own);
        self.out.write_all(b"],\"dependencies\":[")?;
        write_relations(&mut self.out, &self.relations, false)?;
        self.out.write_all(b"],\"metadata\":")?;
        let properties: Vec<Property> = self.properties.into_iter().collect();
        let metadata = json!({
            "timestamp": self.timestamp,
            "tools": self.tools.iter().map(parts::tool).collect::<Value>(),
            "authors": self.authors.iter().map(parts::author).collect::<Value>(),
            "properties": parts::properties(&properties),
        });
        serde_json::to_writer(&mut self.out, &metadata)?;
        self.out.write_all(b"}")?;
        Ok(self.out)
    }
}

fn take<T: Ord + Clone>(all: &mut BTreeSet<T>, more: &[T]) {
    for one in more {
        if all.len() < MAX_ABOVE {
            all.insert(one.clone());
        }
    }
}

/// A package URL for what has none, where its packager is known.
fn built(component: &Component) -> Option<String> {
    let kind = crate::purl::kind_of_packager(component.packager.as_deref()?)?;
    crate::purl::build(
        kind,
        component.group.as_deref(),
        &component.name,
        component.version.as_deref(),
    )
}

/// What makes two components the same: all but how their documents refer to them.
fn same(component: &Component) -> u128 {
    let nameless = Component { reference: String::new(), ..component.clone() };
    digest(&nameless)
}
