//! The parts of a document, as JSON.

use serde_json::{Map, Value, json};

use crate::licenses;
use crate::model::{Author, Category, Component, License, Property, SpecVersion, Tool};

use super::{Heading, Root};

/// Names of our own properties.
const NAMESPACE: &str = "service:";

/// The types of components that all versions know.
const KINDS: [&str; 8] = [
    "application",
    "framework",
    "library",
    "container",
    "operating-system",
    "device",
    "firmware",
    "file",
];
/// Those that came later.
const LATER_KINDS: [&str; 5] = [
    "platform",
    "device-driver",
    "machine-learning-model",
    "data",
    "cryptographic-asset",
];

/// Ids of the SPDX list that the schemas' own copy of it does not have. They stand as names,
/// which are read as ids again.
const UNKNOWN_TO_SCHEMAS: [&str; 19] = [
    "BSD-2-Clause-pos-unchanged",
    "BSD-3-Clause-OpenWebUI",
    "BSD-Source-Code-no-disclaimer",
    "BSD-Source-alt-GPL",
    "BSD-ask-to-endorse",
    "Brian-Gladman-3-Clause-no-conversion",
    "Bugroff",
    "CC-BY-NC-3.0-IGO",
    "FDK-MPEG-H",
    "GFDL-1.1-invariants",
    "GFDL-1.1-no-invariants",
    "GFDL-1.2-invariants",
    "GFDL-1.2-no-invariants",
    "GFDL-1.3-invariants",
    "GFDL-1.3-no-invariants",
    "Hippocratic-3.0-core",
    "Informatica",
    "MVT-1.1",
    "atc-game",
];

pub(super) fn metadata(heading: &Heading) -> Value {
    let mut all = Map::new();
    all.insert("timestamp".into(), json!(heading.timestamp));
    all.insert("tools".into(), heading.tools.iter().map(tool).collect());
    all.insert("authors".into(), heading.authors.iter().map(author).collect());
    if let Some(root) = &heading.root {
        all.insert("component".into(), self::root(root));
    }
    all.insert("properties".into(), properties(&heading.properties));
    Value::Object(all)
}

fn root(root: &Root) -> Value {
    let mut all = Map::new();
    all.insert("type".into(), json!("application"));
    all.insert("bom-ref".into(), json!(Root::REFERENCE));
    all.insert("name".into(), json!(root.name));
    put(&mut all, "version", root.version.as_deref());
    if let Some(url) = &root.vcs {
        all.insert("externalReferences".into(), json!([{"type": "vcs", "url": url}]));
    }
    Value::Object(all)
}

pub(super) fn tool(tool: &Tool) -> Value {
    let mut all = Map::new();
    put(&mut all, "vendor", tool.vendor.as_deref());
    all.insert("name".into(), json!(tool.name));
    put(&mut all, "version", tool.version.as_deref());
    Value::Object(all)
}

pub(super) fn author(author: &Author) -> Value {
    let mut all = Map::new();
    put(&mut all, "name", author.name.as_deref());
    put(&mut all, "email", author.email.as_deref().filter(|it| is_address(it)));
    Value::Object(all)
}

/// As the schemas' format `idn-email` takes them.
fn is_address(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    !name.is_empty() && !host.is_empty() && !text.contains(char::is_whitespace)
}

pub(super) fn properties(all: &[Property]) -> Value {
    all.iter().map(|it| json!({"name": it.name, "value": it.value})).collect()
}

fn put(all: &mut Map<String, Value>, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        all.insert(name.into(), json!(value));
    }
}

/// A component under a reference and of a type.
pub(crate) fn component(
    component: &Component, reference: &str, kind: &str, spec: SpecVersion,
) -> Value {
    let mut all = Map::new();
    all.insert("type".into(), json!(kind_in(kind, spec)));
    all.insert("bom-ref".into(), json!(reference));
    put(&mut all, "group", component.group.as_deref());
    all.insert("name".into(), json!(component.name));
    put(&mut all, "version", component.version.as_deref());
    let hashes: Vec<Value> = component
        .hashes
        .iter()
        .map(|it| json!({"alg": it.algorithm, "content": it.value}))
        .collect();
    if !hashes.is_empty() {
        all.insert("hashes".into(), hashes.into());
    }
    let licenses = self::licenses(&component.licenses);
    if !licenses.is_empty() {
        all.insert("licenses".into(), licenses.into());
    }
    put(&mut all, "purl", component.purl.as_deref());
    let properties = own_properties(component);
    if !properties.is_empty() {
        all.insert("properties".into(), properties.into());
    }
    Value::Object(all)
}

/// A type that this version knows.
fn kind_in(kind: &str, spec: SpecVersion) -> &str {
    let later = spec > SpecVersion::V1_4
        && LATER_KINDS.contains(&kind)
        && (spec == SpecVersion::V1_6 || kind != "cryptographic-asset");
    match later || KINDS.contains(&kind) {
        true => kind,
        false => "library",
    }
}

/// Either licences or one expression, as schemas since 1.5 want it: an expression beside
/// others stands as a name, which is read as an expression again.
fn licenses(all: &[License]) -> Vec<Value> {
    let known = all.iter().filter(|it| !it.text().eq_ignore_ascii_case("unknown"));
    let known: Vec<&License> = known.collect();
    if let [License::Expression(text)] = known.as_slice() {
        return vec![json!({"expression": text})];
    }
    known.into_iter().map(license).collect()
}

fn license(license: &License) -> Value {
    match license {
        License::Id(id) if UNKNOWN_TO_SCHEMAS.contains(&id.as_str()) => {
            json!({"license": {"name": id, "url": licenses::page(id)}})
        }
        License::Id(id) => json!({"license": {"id": id, "url": licenses::page(id)}}),
        License::Expression(name) | License::Named { name, url: None } => {
            json!({"license": {"name": name}})
        }
        License::Named { name, url: Some(url) } => json!({"license": {"name": name, "url": url}}),
    }
}

/// What properties said, under our own names.
fn own_properties(component: &Component) -> Vec<Value> {
    let category = (component.category != Category::Production).then(|| component.category.text());
    let scanned = |both: &Option<String>, first: &str, second: &str| {
        let (name, more) = match both.as_deref().map(|it| it.rsplit_once(':').unwrap_or((it, ""))) {
            // A colon before a slash is that of a host's port.
            Some((name, more)) if !more.contains('/') => (Some(name), Some(more)),
            _ => (both.as_deref(), None),
        };
        [
            (first.to_owned(), name.map(str::to_owned)),
            (second.to_owned(), more.filter(|it| !it.is_empty()).map(str::to_owned)),
        ]
    };
    let text = |it: &Option<String>| it.clone();
    let scanning = "dependency_scanning";
    let mut all = vec![
        (format!("{scanning}:category"), category.map(str::to_owned)),
        (format!("{scanning}:input_file:path"), text(&component.input_file)),
        (format!("{scanning}:source_file:path"), text(&component.source_file)),
        (format!("{scanning}:package_manager:name"), packager(component)),
        (format!("{scanning}:language:name"), text(&component.language)),
        (
            "dependency_scanning_component:reachability".into(),
            text(&component.reachability),
        ),
    ];
    let place = "container_scanning";
    all.extend(scanned(
        &component.image,
        &format!("{place}:image:name"),
        &format!("{place}:image:tag"),
    ));
    all.extend(scanned(
        &component.operating_system,
        &format!("{place}:operating_system:name"),
        &format!("{place}:operating_system:version"),
    ));
    let known = all.into_iter().filter_map(|(name, value)| {
        Some(json!({"name": format!("{NAMESPACE}{name}"), "value": value?}))
    });
    known.collect()
}

/// The packager, where the package URL does not say it.
fn packager(component: &Component) -> Option<String> {
    let by_type = component.purl.as_deref().and_then(crate::purl::packager);
    component.packager.clone().filter(|it| Some(it.as_str()) != by_type)
}
