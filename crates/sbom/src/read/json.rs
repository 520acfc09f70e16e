//! CycloneDX in JSON. Components are made while they are read, so that a document of many
//! small parts never lies in memory as a tree.

mod parts;
mod shapes;

use std::cell::{Cell, RefCell};

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess};

use crate::model::{Bom, Component, SpecVersion};

pub(crate) use shapes::Few;

use super::settle::{self, Raw, RawComponent};
use super::text::Text;
use super::{Limits, Wrong};
use parts::{Authors, Hashes, Licenses, Properties, Tools};
use shapes::{Fields, Items, List, Object};

pub(super) fn read(document: &str, limits: &Limits) -> Result<Bom, Wrong> {
    depth(document, limits)?;
    let reading = Reading { limits, read: Cell::new(0), refused: RefCell::new(None) };
    let mut fields = Document { reading: &reading, raw: Raw::default(), format: Text::Absent };
    let mut deserializer = serde_json::Deserializer::from_str(document);
    let read = Object { fields: &mut fields, path: String::new() }
        .deserialize(&mut deserializer)
        .and_then(|()| deserializer.end());
    if let Err(error) = read {
        let refused = reading.refused.borrow_mut().take();
        return Err(refused.unwrap_or_else(|| Wrong::json(error)));
    }
    match fields.format {
        Text::Is(text) if text == "CycloneDX" => settle::document(fields.raw, limits),
        Text::Absent => Err(Wrong::json("bomFormat is missing")),
        Text::Is(_) | Text::Other => Err(Wrong::json("bomFormat must be CycloneDX")),
    }
}

/// Before anything is parsed, so that nothing can recurse deeper.
fn depth(document: &str, limits: &Limits) -> Result<(), Wrong> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in document.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > limits.depth {
            return Err(Wrong::depth(limits));
        }
    }
    Ok(())
}

/// What all parts of one document share.
struct Reading<'a> {
    limits: &'a Limits,
    /// Components, and lines of relations, so far.
    read: Cell<usize>,
    /// Why it is given up, where the parser's own words would not say it well.
    refused: RefCell<Option<Wrong>>,
}

impl Reading<'_> {
    fn refuse<E: serde::de::Error>(&self, wrong: Wrong) -> E {
        let error = E::custom(&wrong);
        *self.refused.borrow_mut() = Some(wrong);
        error
    }
}

/// The whole document.
struct Document<'a> {
    reading: &'a Reading<'a>,
    raw: Raw,
    format: Text,
}

impl Fields for Document<'_> {
    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let reading = self.reading;
        match key {
            "bomFormat" => self.format = map.next_value()?,
            "specVersion" => {
                let text: Text = map.next_value()?;
                let version = text.known().and_then(|it| SpecVersion::parse(&it));
                let version = version.ok_or_else(|| reading.refuse(Wrong::spec()))?;
                self.raw.spec = Some(version);
            }
            "serialNumber" => self.raw.serial_number = map.next_value::<Text>()?.known(),
            "metadata" => {
                let fields = &mut Metadata { reading, raw: &mut self.raw };
                map.next_value_seed(Object { fields, path: key.into() })?;
            }
            "components" => {
                let items = &mut Components { reading, into: &mut self.raw.components };
                map.next_value_seed(List { items, path: key.into() })?;
            }
            "dependencies" => {
                let items = &mut Relations {
                    reading,
                    read: self.raw.dependencies.len(),
                    into: &mut self.raw.dependencies,
                };
                map.next_value_seed(List { items, path: key.into() })?;
            }
            "properties" => self.raw.properties.extend(map.next_value::<Properties>()?.0),
            _ => shapes::ignore(map)?,
        }
        Ok(())
    }
}

struct Metadata<'a> {
    reading: &'a Reading<'a>,
    raw: &'a mut Raw,
}

impl Fields for Metadata<'_> {
    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let limits = self.reading.limits;
        match key {
            "timestamp" => self.raw.timestamp = map.next_value::<Text>()?.known(),
            "tools" => self.raw.tools = map.next_value::<Tools>()?.settle(limits),
            "authors" => self.raw.authors = map.next_value::<Authors>()?.settle(limits),
            "properties" => self.raw.properties.extend(map.next_value::<Properties>()?.0),
            "component" => {
                // What is nested in the root is a part of it, not something it takes from others.
                let path = "metadata.component".to_owned();
                let fields = &mut Parts::new(self.reading, None, path.clone());
                map.next_value_seed(Object { fields, path })?;
                self.raw.root = fields.settled()?;
            }
            _ => shapes::ignore(map)?,
        }
        Ok(())
    }
}

/// A list of components, those within them after each.
struct Components<'a> {
    reading: &'a Reading<'a>,
    into: &'a mut Vec<Component>,
}

impl Items for Components<'_> {
    fn item<'de, A: SeqAccess<'de>>(
        &mut self, path: String, list: &mut A,
    ) -> Result<bool, A::Error> {
        let reading = self.reading;
        let place = self.into.len();
        let mut fields = Parts::new(reading, Some(&mut *self.into), path.clone());
        let object = Object { fields: &mut fields, path };
        if list.next_element_seed(object)?.is_none() {
            return Ok(false);
        }
        if let Some(component) = fields.settled()? {
            self.into.insert(place, component);
        }
        Ok(true)
    }
}

/// One component.
struct Parts<'a> {
    reading: &'a Reading<'a>,
    /// Where those within it go; nowhere for the root.
    nested: Option<&'a mut Vec<Component>>,
    path: String,
    raw: RawComponent,
    empty: bool,
}

impl<'a> Parts<'a> {
    fn new(
        reading: &'a Reading<'a>, nested: Option<&'a mut Vec<Component>>, path: String,
    ) -> Parts<'a> {
        Parts {
            reading,
            nested,
            path,
            raw: RawComponent::default(),
            empty: true,
        }
    }

    /// A text of it, which has to be one if it is there.
    fn text<'de, A: MapAccess<'de>>(
        &self, key: &str, map: &mut A,
    ) -> Result<Option<String>, A::Error> {
        match map.next_value()? {
            Text::Other => Err(A::Error::custom(format!("{}.{key} must be a string", self.path))),
            text => Ok(text.known()),
        }
    }

    /// The component of what was read; none where null stood in its place.
    fn settled<E: serde::de::Error>(&mut self) -> Result<Option<Component>, E> {
        if self.empty {
            return Ok(None);
        }
        let component = settle::component(std::mem::take(&mut self.raw), self.reading.limits);
        match component.name.is_empty() {
            true => Err(E::custom(format!("{}.name is missing", self.path))),
            false => Ok(Some(component)),
        }
    }

    /// Counts it before its parts are read.
    fn count<E: serde::de::Error>(&mut self) -> Result<(), E> {
        let limits = self.reading.limits;
        let read = self.reading.read.get() + usize::from(self.nested.is_some());
        self.reading.read.set(read);
        match read > limits.components {
            true => Err(self.reading.refuse(Wrong::components(limits))),
            false => Ok(()),
        }
    }
}

impl Fields for Parts<'_> {
    fn begin<E: serde::de::Error>(&mut self) -> Result<(), E> {
        self.empty = false;
        self.count()
    }

    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "bom-ref" => self.raw.reference = self.text(key, map)?,
            "type" => self.raw.kind = self.text(key, map)?,
            "group" => self.raw.group = self.text(key, map)?,
            "name" => self.raw.name = self.text(key, map)?,
            "version" => self.raw.version = self.text(key, map)?,
            "purl" => self.raw.purl = self.text(key, map)?,
            "licenses" => self.raw.licenses = map.next_value::<Licenses>()?.settle(),
            "hashes" => self.raw.hashes = map.next_value::<Hashes>()?.settle(),
            "properties" => self.raw.properties = map.next_value::<Properties>()?.0,
            "components" => match self.nested.as_deref_mut() {
                Some(into) => {
                    let items = &mut Components { reading: self.reading, into };
                    let path = format!("{}.components", self.path);
                    map.next_value_seed(List { items, path })?;
                }
                None => shapes::ignore(map)?,
            },
            _ => shapes::ignore(map)?,
        }
        Ok(())
    }
}

/// What depends on what.
struct Relations<'a> {
    reading: &'a Reading<'a>,
    read: usize,
    into: &'a mut Vec<(String, Vec<String>)>,
}

impl Relations<'_> {
    fn count<E: serde::de::Error>(&mut self) -> Result<(), E> {
        self.read += 1;
        let limits = self.reading.limits;
        match self.read > limits.relations {
            true => Err(self.reading.refuse(Wrong::relations(limits))),
            false => Ok(()),
        }
    }
}

impl Items for Relations<'_> {
    fn item<'de, A: SeqAccess<'de>>(
        &mut self, path: String, list: &mut A,
    ) -> Result<bool, A::Error> {
        let mut fields = Relation { all: self, from: None, to: Vec::new() };
        if list
            .next_element_seed(Object { fields: &mut fields, path: path.clone() })?
            .is_none()
        {
            return Ok(false);
        }
        let (from, to) = (fields.from, fields.to);
        self.count()?;
        match from {
            Some(from) => self.into.push((from, to)),
            None => return Err(A::Error::custom(format!("{path}.ref is missing"))),
        }
        Ok(true)
    }
}

struct Relation<'a, 'b> {
    all: &'a mut Relations<'b>,
    from: Option<String>,
    to: Vec<String>,
}

impl Fields for Relation<'_, '_> {
    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "ref" => self.from = map.next_value::<Text>()?.known(),
            "dependsOn" => {
                let items = &mut Targets { all: self.all, into: &mut self.to };
                map.next_value_seed(List { items, path: key.into() })?;
            }
            _ => shapes::ignore(map)?,
        }
        Ok(())
    }
}

struct Targets<'a, 'b> {
    all: &'a mut Relations<'b>,
    into: &'a mut Vec<String>,
}

impl Items for Targets<'_, '_> {
    fn item<'de, A: SeqAccess<'de>>(&mut self, _: String, list: &mut A) -> Result<bool, A::Error> {
        let Some(text) = list.next_element::<Text>()? else {
            return Ok(false);
        };
        self.all.count()?;
        self.into.extend(text.known());
        Ok(true)
    }
}
