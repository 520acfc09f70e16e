//! The small lists within components and metadata.

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

use crate::model::{Author, Tool};

use super::super::settle::RawLicense;
use super::super::text::{Text, clean};
use super::Limits;
use super::shapes::Few;

/// `licenses`: each a licence or an expression.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Licenses(Few<Choice>);

#[derive(Default, Deserialize)]
#[serde(default, expecting = "a license or an expression")]
struct Choice {
    license: Option<Named>,
    expression: Text,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object as license")]
struct Named {
    id: Text,
    name: Text,
    url: Text,
}

impl Licenses {
    pub(super) fn settle(self) -> Vec<RawLicense> {
        self.0.0.into_iter().filter_map(Choice::settle).collect()
    }
}

impl Choice {
    fn settle(self) -> Option<RawLicense> {
        if let Some(expression) = self.expression.known() {
            return Some(RawLicense::Text(expression));
        }
        let named = self.license?;
        match (named.id.known(), named.name.known()) {
            (Some(id), _) => Some(RawLicense::Text(id)),
            (None, Some(name)) => Some(RawLicense::Named { name, url: named.url.known() }),
            (None, None) => None,
        }
    }
}

/// `hashes` of a component.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Hashes(Few<Digest>);

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object in hashes")]
struct Digest {
    alg: Text,
    content: Text,
}

impl Hashes {
    pub(super) fn settle(self) -> Vec<(String, String)> {
        let pairs = self.0.0.into_iter();
        pairs.filter_map(|it| Some((it.alg.known()?, it.content.known()?))).collect()
    }
}

/// `properties`, as names and values.
pub(super) struct Properties(pub Vec<(String, String)>);

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object in properties")]
struct Pair {
    name: Text,
    value: Text,
}

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Properties, D::Error> {
        let pairs = Few::<Pair>::deserialize(deserializer)?.0.into_iter();
        let known =
            pairs.filter_map(|it| Some((it.name.known()?, it.value.known().unwrap_or_default())));
        Ok(Properties(known.collect()))
    }
}

#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Authors(Few<Person>);

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object in authors")]
struct Person {
    name: Text,
    email: Text,
}

impl Authors {
    pub(super) fn settle(self, limits: &Limits) -> Vec<Author> {
        let text = |it: Text| it.known().and_then(|it| clean(&it, limits.text));
        let people = self.0.0.into_iter();
        let people = people.map(|it| Author { name: text(it.name), email: text(it.email) });
        people.filter(|it| *it != Author::default()).collect()
    }
}

/// `metadata.tools`: a list until 1.4, since 1.5 also components and services.
#[derive(Default)]
pub(super) struct Tools(Vec<Program>);

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object in tools")]
struct Program {
    vendor: Text,
    group: Text,
    publisher: Text,
    name: Text,
    version: Text,
}

impl Tools {
    pub(super) fn settle(self, limits: &Limits) -> Vec<Tool> {
        self.0.into_iter().filter_map(|it| it.settle(limits)).collect()
    }
}

impl Program {
    fn settle(self, limits: &Limits) -> Option<Tool> {
        let text = |it: Text| it.known().and_then(|it| clean(&it, limits.text));
        Some(Tool {
            vendor: text(self.vendor).or(text(self.group)).or(text(self.publisher)),
            name: text(self.name)?,
            version: text(self.version),
        })
    }
}

impl<'de> Deserialize<'de> for Tools {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tools, D::Error> {
        deserializer.deserialize_any(ToolsVisitor)
    }
}

struct ToolsVisitor;

impl<'de> Visitor<'de> for ToolsVisitor {
    type Value = Tools;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object as metadata.tools")
    }

    fn visit_unit<E: Error>(self) -> Result<Tools, E> {
        Ok(Tools::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Tools, A::Error> {
        let list = serde::de::value::SeqAccessDeserializer::new(list);
        Ok(Tools(Few::deserialize(list)?.0))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tools, A::Error> {
        let mut tools = Tools::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "components" => tools.0 = map.next_value::<Few<Program>>()?.0,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(tools)
    }
}
