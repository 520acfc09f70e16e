//! What was read becomes a list: properties get their meaning, references become unique.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::licenses;
use crate::model::{Author, Bom, Category, Component, Hash, License, Property, SpecVersion, Tool};
use crate::purl;

use super::text::{clean, link};
use super::{Limits, Wrong};

/// A component as a document has it.
#[derive(Debug, Default)]
pub(super) struct RawComponent {
    pub reference: Option<String>,
    pub kind: Option<String>,
    pub group: Option<String>,
    pub name: Option<String>,
    pub version: Option<String>,
    pub purl: Option<String>,
    pub licenses: Vec<RawLicense>,
    pub hashes: Vec<(String, String)>,
    pub properties: Vec<(String, String)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum RawLicense {
    /// An id or an expression, in the place of one.
    Text(String),
    Named {
        name: String,
        url: Option<String>,
    },
}

/// A document as it was read.
#[derive(Debug, Default)]
pub(super) struct Raw {
    pub spec: Option<SpecVersion>,
    pub serial_number: Option<String>,
    pub timestamp: Option<String>,
    pub tools: Vec<Tool>,
    pub authors: Vec<Author>,
    pub properties: Vec<(String, String)>,
    pub root: Option<Component>,
    pub components: Vec<Component>,
    pub dependencies: Vec<(String, Vec<String>)>,
}

/// A component of what was read; its reference may be missing still, and be one of others.
pub(super) fn component(raw: RawComponent, limits: &Limits) -> Component {
    let text = |it: Option<String>| it.and_then(|it| clean(&it, limits.text));
    let meaning = Meaning::of(&raw.properties, limits);
    let mut component = Component {
        reference: text(raw.reference).unwrap_or_default(),
        kind: text(raw.kind).unwrap_or_else(|| "library".into()),
        group: text(raw.group),
        name: text(raw.name).unwrap_or_default(),
        version: text(raw.version),
        purl: raw
            .purl
            .as_deref()
            .and_then(|it| clean(it, limits.text))
            .and_then(|it| purl::normalise(&it)),
        licenses: raw.licenses.into_iter().filter_map(|it| license(it, limits)).collect(),
        hashes: raw.hashes.iter().filter_map(|(name, value)| hash(name, value)).collect(),
        category: meaning.category.unwrap_or_default(),
        ..Component::default()
    };
    meaning.give(&mut component);
    component
}

fn license(raw: RawLicense, limits: &Limits) -> Option<License> {
    let known = license_of(raw, limits)?;
    let nothing = ["NOASSERTION", "NONE", "unknown"].iter().any(|it| known.text() == *it);
    (!nothing).then_some(known)
}

fn license_of(raw: RawLicense, limits: &Limits) -> Option<License> {
    match raw {
        RawLicense::Text(text) => Some(licenses::of_text(&clean(&text, limits.text)?)),
        RawLicense::Named { name, url } => {
            let url = url.and_then(|it| link(&it, limits.text));
            match licenses::of_text(&clean(&name, limits.text)?) {
                License::Named { name, .. } => Some(License::Named { name, url }),
                known => Some(known),
            }
        }
    }
}

/// The digests that CycloneDX names, with their lengths in hexadecimal digits.
const ALGORITHMS: [(&str, usize); 12] = [
    ("MD5", 32),
    ("SHA-1", 40),
    ("SHA-256", 64),
    ("SHA-384", 96),
    ("SHA-512", 128),
    ("SHA3-256", 64),
    ("SHA3-384", 96),
    ("SHA3-512", 128),
    ("BLAKE2b-256", 64),
    ("BLAKE2b-384", 96),
    ("BLAKE2b-512", 128),
    ("BLAKE3", 64),
];

/// A digest; one that is none is left out, as a wrong one is worse than none.
fn hash(name: &str, value: &str) -> Option<Hash> {
    let (algorithm, digits) = ALGORITHMS
        .into_iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name.trim()))?;
    let value = value.trim();
    let valid = value.len() == digits && value.bytes().all(|it| it.is_ascii_hexdigit());
    valid.then(|| Hash {
        algorithm: algorithm.to_owned(),
        value: value.to_ascii_lowercase(),
    })
}

/// What properties say that have a meaning. Whoever made them stands in front of the first
/// colon and does not matter.
#[derive(Debug, Default, Clone)]
struct Meaning {
    category: Option<Category>,
    input_file: Option<String>,
    source_file: Option<String>,
    packager: Option<String>,
    language: Option<String>,
    reachability: Option<String>,
    image: [Option<String>; 2],
    operating_system: [Option<String>; 2],
    /// That the version of these names is another than the one that is known.
    foreign: bool,
}

impl Meaning {
    fn of(properties: &[(String, String)], limits: &Limits) -> Meaning {
        let mut meaning = Meaning::default();
        for (name, value) in properties {
            let Some((_, name)) = name.split_once(':') else { continue };
            let Some(value) = clean(value, limits.text) else { continue };
            meaning.take(name, value);
        }
        meaning
    }

    fn take(&mut self, name: &str, value: String) {
        let [image, tag] = &mut self.image;
        let [system, version] = &mut self.operating_system;
        let place = match name {
            "meta:schema_version" => return self.foreign = value != "1",
            "dependency_scanning:category" => {
                return self.category = Some(Category::parse(&value));
            }
            // What stock generators say of packages of development only.
            "npm:package:development" | "composer:package:isDevRequirement" => {
                return self.category = (value == "true").then_some(Category::Development);
            }
            "dependency_scanning:input_file:path" => &mut self.input_file,
            "dependency_scanning:source_file:path" => &mut self.source_file,
            "dependency_scanning:package_manager:name" => &mut self.packager,
            "dependency_scanning:language:name" => &mut self.language,
            "dependency_scanning_component:reachability" => &mut self.reachability,
            "container_scanning:image:name" => image,
            "container_scanning:image:tag" => tag,
            "container_scanning:operating_system:name" => system,
            "container_scanning:operating_system:version" => version,
            _ => return,
        };
        *place = Some(value);
    }

    /// Fills what a component does not say itself.
    fn give(&self, component: &mut Component) {
        let fill = |place: &mut Option<String>, value: &Option<String>| {
            if place.is_none() {
                place.clone_from(value);
            }
        };
        fill(&mut component.input_file, &self.input_file);
        fill(&mut component.source_file, &self.source_file);
        fill(&mut component.packager, &self.packager);
        fill(&mut component.language, &self.language);
        fill(&mut component.reachability, &self.reachability);
        fill(&mut component.image, &joined(&self.image));
        fill(&mut component.operating_system, &joined(&self.operating_system));
    }
}

fn joined(parts: &[Option<String>; 2]) -> Option<String> {
    match parts {
        [Some(name), Some(more)] => Some(format!("{name}:{more}")),
        [name, _] => name.clone(),
    }
}

/// The list of what was read.
pub(super) fn document(mut raw: Raw, limits: &Limits) -> Result<Bom, Wrong> {
    let spec = raw.spec.ok_or_else(Wrong::spec)?;
    let meaning = Meaning::of(&raw.properties, limits);
    let mut names = References::default();
    let root = raw.root.take().map(|root| settled(root, "root", &meaning, &mut names));
    let components: Vec<Component> = std::mem::take(&mut raw.components)
        .into_iter()
        .enumerate()
        .map(|(index, it)| settled(it, &format!("component-{}", index + 1), &meaning, &mut names))
        .collect();
    let text = |it: Option<String>| it.and_then(|it| clean(&it, limits.text));
    let properties = raw.properties.iter().filter_map(|(name, value)| {
        let name = clean(name, limits.text)?;
        Some(Property { name, value: clean(value, limits.text).unwrap_or_default() })
    });
    Ok(Bom {
        spec,
        serial_number: text(raw.serial_number),
        timestamp: text(raw.timestamp),
        properties: properties.collect(),
        dependencies: dependencies(raw.dependencies, &names, limits),
        tools: raw.tools,
        authors: raw.authors,
        root,
        components,
    })
}

fn settled(
    mut component: Component, made_up: &str, meaning: &Meaning, names: &mut References,
) -> Component {
    if meaning.foreign {
        component = Component {
            reference: component.reference,
            kind: component.kind,
            group: component.group,
            name: component.name,
            version: component.version,
            purl: component.purl,
            licenses: component.licenses,
            hashes: component.hashes,
            ..Component::default()
        };
    } else {
        meaning.give(&mut component);
    }
    if component.packager.is_none() {
        let by_type = component.purl.as_deref().and_then(purl::packager);
        component.packager = by_type.map(str::to_owned);
    }
    if component.reference.is_empty() {
        component.reference = component.purl.clone().unwrap_or_else(|| made_up.to_owned());
    }
    component.reference = names.unique(component.reference);
    component
}

/// References that are taken.
#[derive(Default)]
struct References {
    taken: HashSet<String>,
    next: HashMap<String, usize>,
}

impl References {
    fn unique(&mut self, wanted: String) -> String {
        if self.taken.insert(wanted.clone()) {
            return wanted;
        }
        let next = self.next.entry(wanted.clone()).or_insert(1);
        loop {
            *next += 1;
            let other = format!("{wanted}#{next}");
            if self.taken.insert(other.clone()) {
                return other;
            }
        }
    }
}

/// The relations between what is in the list; each once, none to itself.
fn dependencies(
    raw: Vec<(String, Vec<String>)>, names: &References, limits: &Limits,
) -> BTreeMap<String, Vec<String>> {
    let known = |text: &str| clean(text, limits.text).filter(|it| names.taken.contains(it));
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (from, to) in raw {
        let Some(from) = known(&from) else { continue };
        let to = to.iter().filter_map(|it| known(it)).filter(|it| *it != from);
        let to: Vec<String> = to.collect();
        all.entry(from).or_default().extend(to);
    }
    for to in all.values_mut() {
        to.sort();
        to.dedup();
    }
    all
}
