//! CycloneDX in XML. A document type definition is refused, so that no entity grows.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::model::{Author, Bom, Component, SpecVersion, Tool};

use super::settle::{self, Raw, RawComponent, RawLicense};
use super::text::clean;
use super::{Limits, Wrong};

/// The address that names the format, with its version behind.
const SPACE: &str = "http://cyclonedx.org/schema/bom/";
/// Most items of a list within a component or the metadata.
const MAX_FEW: usize = 256;

pub(super) fn read(document: &str, limits: &Limits) -> Result<Bom, Wrong> {
    let mut reading = Reading::new(limits);
    let mut reader = Reader::from_str(document);
    loop {
        match reader.read_event().map_err(Wrong::xml)? {
            Event::Start(start) => reading.open(&start)?,
            Event::Empty(start) => {
                reading.open(&start)?;
                reading.close()?;
            }
            Event::End(_) => reading.close()?,
            Event::Text(part) => reading.add(&part.xml10_content()),
            Event::CData(part) => reading.add(&part.xml10_content()),
            Event::GeneralRef(reference) => {
                let known = match reference.resolve_char_ref().map_err(Wrong::xml)? {
                    Some(one) => Some(one.to_string()),
                    None => {
                        quick_xml::escape::resolve_predefined_entity(&reference).map(str::to_owned)
                    }
                };
                let known = known.ok_or_else(|| Wrong::xml("an unknown entity"))?;
                reading.add(&known);
            }
            Event::DocType(_) => return Err(Wrong::xml("it has a document type definition")),
            Event::Eof => break,
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
        }
    }
    match reading.path.is_empty() {
        true => settle::document(reading.raw, limits),
        false => Err(Wrong::xml("it ends before its last element does")),
    }
}

/// A component that is open.
struct Open {
    /// How deep its element lies.
    depth: usize,
    /// How many components there were before it: those within it come after.
    place: usize,
    is_root: bool,
    raw: RawComponent,
    /// Name and address of the licence that is open.
    license: (Option<String>, Option<String>),
}

struct Reading<'a> {
    limits: &'a Limits,
    raw: Raw,
    path: Vec<String>,
    /// What stands in the innermost element.
    text: String,
    /// The attribute of the innermost element that goes with its text.
    name: String,
    open: Vec<Open>,
    tool: Tool,
    author: Author,
    relations: usize,
}

impl<'a> Reading<'a> {
    fn new(limits: &'a Limits) -> Reading<'a> {
        Reading {
            limits,
            raw: Raw::default(),
            path: Vec::new(),
            text: String::new(),
            name: String::new(),
            open: Vec::new(),
            tool: Tool::default(),
            author: Author::default(),
            relations: 0,
        }
    }

    fn add(&mut self, text: &str) {
        let room = self.limits.text.saturating_sub(self.text.len());
        self.text
            .push_str(text.get(..text.floor_char_boundary(room)).unwrap_or_default());
    }

    fn open(&mut self, start: &BytesStart<'_>) -> Result<(), Wrong> {
        self.text.clear();
        self.path.push(start.local_name().as_ref().to_owned());
        let depth = self.path.len();
        if depth > self.limits.depth {
            return Err(Wrong::depth(self.limits));
        }
        let place: Vec<&str> = self.path.iter().skip(self.base()).map(String::as_str).collect();
        match (self.open.is_empty(), place.as_slice()) {
            (true, ["bom"]) => self.document(start),
            (true, [_]) => Err(Wrong::xml("the outermost element must be bom")),
            (true, ["bom", "components", "component"]) => self.component(start, false),
            (true, ["bom", "metadata", "component"]) => self.component(start, true),
            (false, ["components", "component"]) if !self.within_root() => {
                self.component(start, false)
            }
            (true, ["bom", "dependencies", "dependency"]) => {
                let from = required(start, "ref")?;
                self.count_relation()?;
                self.raw.dependencies.push((from, Vec::new()));
                Ok(())
            }
            (true, ["bom", "dependencies", "dependency", "dependency"]) => {
                let to = required(start, "ref")?;
                self.count_relation()?;
                if let Some((_, all)) = self.raw.dependencies.last_mut() {
                    all.push(to);
                }
                Ok(())
            }
            (_, [.., "hashes", "hash"]) => self.named(start, "alg"),
            (_, [.., "properties", "property"]) => self.named(start, "name"),
            _ => Ok(()),
        }
    }

    /// How many elements lie around the parts of the innermost component.
    fn base(&self) -> usize {
        self.open.last().map_or(0, |open| open.depth)
    }

    fn within_root(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_root)
    }

    fn named(&mut self, start: &BytesStart<'_>, name: &str) -> Result<(), Wrong> {
        self.name = attribute(start, name)?.unwrap_or_default();
        Ok(())
    }

    fn document(&mut self, start: &BytesStart<'_>) -> Result<(), Wrong> {
        for found in start.attributes() {
            let found = found.map_err(Wrong::xml)?;
            let value = found.normalized_value(XmlVersion::Implicit1_0).map_err(Wrong::xml)?;
            if let Some(version) = value.strip_prefix(SPACE) {
                self.raw.spec = SpecVersion::parse(version);
            }
        }
        self.raw.serial_number = attribute(start, "serialNumber")?;
        match self.raw.spec {
            Some(_) => Ok(()),
            None => Err(Wrong::spec()),
        }
    }

    fn component(&mut self, start: &BytesStart<'_>, is_root: bool) -> Result<(), Wrong> {
        let (depth, place) = (self.path.len(), self.raw.components.len());
        if place + self.open.len() >= self.limits.components + usize::from(is_root) {
            return Err(Wrong::components(self.limits));
        }
        let raw = RawComponent {
            reference: attribute(start, "bom-ref")?,
            kind: attribute(start, "type")?,
            ..RawComponent::default()
        };
        self.open.push(Open { depth, place, is_root, raw, license: (None, None) });
        Ok(())
    }

    fn count_relation(&mut self) -> Result<(), Wrong> {
        self.relations += 1;
        match self.relations > self.limits.relations {
            true => Err(Wrong::relations(self.limits)),
            false => Ok(()),
        }
    }

    fn close(&mut self) -> Result<(), Wrong> {
        let text = std::mem::take(&mut self.text);
        match self.open.last() {
            Some(open) if open.depth == self.path.len() => self.close_component()?,
            Some(_) => self.part_of_component(text),
            None => self.part_of_document(text),
        }
        self.path.pop();
        Ok(())
    }

    fn close_component(&mut self) -> Result<(), Wrong> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let component = settle::component(open.raw, self.limits);
        if component.name.is_empty() {
            let number = open.place + 1;
            return Err(Wrong::xml(format!("component {number} has no name")));
        }
        match open.is_root {
            true => self.raw.root = Some(component),
            false => self.insert(open.place, component),
        }
        Ok(())
    }

    fn insert(&mut self, place: usize, component: Component) {
        let place = place.min(self.raw.components.len());
        self.raw.components.insert(place, component);
    }

    fn part_of_component(&mut self, text: String) {
        let base = self.base();
        let name = std::mem::take(&mut self.name);
        let place: Vec<&str> = self.path.iter().skip(base).map(String::as_str).collect();
        let Some(open) = self.open.last_mut() else { return };
        let raw = &mut open.raw;
        match place.as_slice() {
            ["group"] => raw.group = Some(text),
            ["name"] => raw.name = Some(text),
            ["version"] => raw.version = Some(text),
            ["purl"] => raw.purl = Some(text),
            ["hashes", "hash"] if raw.hashes.len() < MAX_FEW => raw.hashes.push((name, text)),
            ["properties", "property"] if raw.properties.len() < MAX_FEW => {
                raw.properties.push((name, text));
            }
            ["licenses", "expression"] if raw.licenses.len() < MAX_FEW => {
                raw.licenses.push(RawLicense::Text(text));
            }
            ["licenses", "license", "id" | "name"] => open.license.0 = Some(text),
            ["licenses", "license", "url"] => open.license.1 = Some(text),
            ["licenses", "license"] if raw.licenses.len() < MAX_FEW => {
                let (name, url) = std::mem::take(&mut open.license);
                raw.licenses.extend(name.map(|name| RawLicense::Named { name, url }));
            }
            _ => {}
        }
    }

    fn part_of_document(&mut self, text: String) {
        let limit = self.limits.text;
        let place: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match place.as_slice() {
            ["bom", "metadata", "timestamp"] => self.raw.timestamp = Some(text),
            ["bom", "metadata", "authors", "author", "name"] => {
                self.author.name = clean(&text, limit);
            }
            ["bom", "metadata", "authors", "author", "email"] => {
                self.author.email = clean(&text, limit);
            }
            ["bom", "metadata", "authors", "author"] if self.raw.authors.len() < MAX_FEW => {
                let author = std::mem::take(&mut self.author);
                self.raw.authors.extend((author != Author::default()).then_some(author));
            }
            ["bom", "metadata", "tools", "tool"] => self.close_tool(),
            ["bom", "metadata", "tools", "components", "component"] => self.close_tool(),
            ["bom", "metadata", "tools", "tool", part] => {
                part_of_tool(&mut self.tool, part, &text, limit)
            }
            ["bom", "metadata", "tools", "components", "component", part] => {
                part_of_tool(&mut self.tool, part, &text, limit);
            }
            ["bom", "properties", "property"] | ["bom", "metadata", "properties", "property"]
                if self.raw.properties.len() < MAX_FEW =>
            {
                self.raw.properties.push((std::mem::take(&mut self.name), text));
            }
            _ => {}
        }
    }

    fn close_tool(&mut self) {
        let tool = std::mem::take(&mut self.tool);
        if !tool.name.is_empty() && self.raw.tools.len() < MAX_FEW {
            self.raw.tools.push(tool);
        }
    }
}

fn part_of_tool(tool: &mut Tool, part: &str, text: &str, limit: usize) {
    match part {
        "vendor" | "group" => tool.vendor = clean(text, limit),
        "publisher" if tool.vendor.is_none() => tool.vendor = clean(text, limit),
        "name" => tool.name = clean(text, limit).unwrap_or_default(),
        "version" => tool.version = clean(text, limit),
        _ => {}
    }
}

fn required(start: &BytesStart<'_>, name: &str) -> Result<String, Wrong> {
    let missing = || Wrong::xml(format!("{} has no {name}", start.local_name().as_ref()));
    attribute(start, name)?.ok_or_else(missing)
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, Wrong> {
    for found in start.attributes() {
        let found = found.map_err(Wrong::xml)?;
        if found.key.local_name().as_ref() == name {
            let value = found.normalized_value(XmlVersion::Implicit1_0).map_err(Wrong::xml)?;
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(None)
}
