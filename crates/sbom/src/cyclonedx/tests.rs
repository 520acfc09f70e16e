//! What is written is read as the same; what is merged is there once.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::model::{Bom, Category, Hash, License};
use crate::read::{Limits, read};

fn heading() -> Heading {
    Heading {
        serial_number: "urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79".into(),
        timestamp: "2026-01-01T00:00:00Z".into(),
        tools: vec![Tool { name: "tool".into(), ..Tool::default() }],
        authors: Vec::new(),
        properties: Vec::new(),
        root: Some(Root { name: "shop".into(), ..Root::default() }),
    }
}

fn written(bom: &Bom, spec: SpecVersion) -> Vec<u8> {
    let mut writer = Writer::begin(Vec::new(), spec, &heading()).expect("begun");
    for component in &bom.components {
        let depends_on = bom.dependencies.get(&component.reference);
        let depends_on = depends_on.map(Vec::as_slice).unwrap_or_default();
        let link = Link::References { document: 1, depends_on, top_level: false };
        writer.component(component, link).expect("written");
    }
    writer.finish().expect("finished")
}

/// What has to survive, by purl.
type Essence = BTreeMap<String, (Option<String>, Vec<Hash>, Vec<License>, Category, Vec<String>)>;

fn essence(bom: &Bom) -> Essence {
    let purl = |it: &Component| it.purl.clone().unwrap_or_else(|| it.name.clone());
    let by_reference: BTreeMap<&str, String> =
        bom.components.iter().map(|it| (it.reference.as_str(), purl(it))).collect();
    let entry = |it: &Component| {
        let below = bom.dependencies.get(&it.reference).into_iter().flatten();
        let mut below: Vec<String> =
            below.filter_map(|to| by_reference.get(to.as_str()).cloned()).collect();
        below.sort();
        let known =
            (it.version.clone(), it.hashes.clone(), it.licenses.clone(), it.category, below);
        (purl(it), known)
    };
    bom.components.iter().map(entry).collect()
}

fn license() -> impl Strategy<Value = License> {
    prop_oneof![
        Just(License::Id("MIT".into())),
        Just(License::Expression("MIT OR (ISC AND Apache-2.0)".into())),
        (
            "[a-z \"<&]{0,8}Licence",
            proptest::option::of(Just("https://example.com/x".to_owned()))
        )
            .prop_map(|(name, url)| License::Named { name: name.trim().to_owned(), url }),
    ]
}

fn component() -> impl Strategy<Value = Component> {
    let hashes = proptest::collection::vec("[0-9a-f]{64}", 0..3);
    let version = proptest::option::of("[0-9a-z.+ -]{0,5}[0-9a-z]");
    let licenses = proptest::collection::vec(license(), 0..4);
    (version, hashes, licenses, 0..3_usize, any::<bool>(), "[a-z]{0,4}\\PC{0,6}").prop_map(
        |(version, hashes, licenses, category, with_purl, odd)| Component {
            kind: "library".into(),
            name: odd.chars().filter(|it| !it.is_control()).collect::<String>().trim().into(),
            version: version.map(|it| it.trim().to_owned()),
            purl: with_purl.then(String::new),
            licenses,
            hashes: hashes
                .into_iter()
                .map(|value| Hash { algorithm: "SHA-256".into(), value })
                .collect(),
            category: [Category::Production, Category::Development, Category::Test][category],
            ..Component::default()
        },
    )
}

fn bom() -> impl Strategy<Value = Bom> {
    let components = proptest::collection::vec(component(), 1..8);
    (components, proptest::collection::vec((0..8_usize, 0..8_usize), 0..16)).prop_map(
        |(mut components, edges)| {
            for (index, component) in components.iter_mut().enumerate() {
                component.name = format!("{index}{}", component.name);
                component.reference = format!("ref-{index}");
                if component.purl.is_some() {
                    let version = component.version.as_deref();
                    component.purl = crate::purl::build("npm", None, &component.name, version);
                }
            }
            let mut dependencies: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (from, to) in edges {
                if from != to && from < components.len() && to < components.len() {
                    let all = dependencies.entry(format!("ref-{from}")).or_default();
                    all.push(format!("ref-{to}"));
                    all.sort();
                    all.dedup();
                }
            }
            Bom {
                spec: SpecVersion::V1_6,
                serial_number: None,
                timestamp: None,
                tools: Vec::new(),
                authors: Vec::new(),
                properties: Vec::new(),
                root: None,
                components,
                dependencies,
            }
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_the_same(bom in bom()) {
        for spec in [SpecVersion::V1_4, SpecVersion::V1_6] {
            let document = written(&bom, spec);
            let again = read(&document, &Limits::default()).expect("valid");
            prop_assert_eq!(essence(&again), essence(&bom));
            prop_assert_eq!(&document, &written(&bom, spec));
        }
    }

    #[test]
    fn chains_end_and_never_name_the_component(bom in bom()) {
        for (index, chain) in bom.chains().iter().enumerate() {
            prop_assert!(!chain.ancestors.contains(&index));
            prop_assert!(!chain.top_level || chain.ancestors.is_empty());
        }
    }
}

fn named(name: &str) -> Component {
    let purl = Some(format!("pkg:npm/{name}@1"));
    let version = Some("1".into());
    let (kind, reference) = ("application".into(), format!("any-{name}"));
    Component {
        name: name.into(),
        purl,
        version,
        kind,
        reference,
        ..Component::default()
    }
}

fn json(document: &[u8]) -> Value {
    serde_json::from_slice(document).expect("JSON")
}

#[test]
fn rows_hang_below_the_last_of_their_ancestors() {
    let mut writer = Writer::begin(Vec::new(), SpecVersion::V1_6, &heading()).expect("begun");
    let row = |top_level, parent| Link::Row { top_level, parent };
    // The parent comes after, and one package stands in two files.
    writer
        .component(&named("b"), row(false, Some(("a", Some("1")))))
        .expect("written");
    writer.component(&named("a"), row(true, None)).expect("written");
    writer.component(&named("b"), row(true, None)).expect("written");
    let document = json(&writer.finish().expect("finished"));
    assert_eq!(document["components"].as_array().map(Vec::len), Some(2));
    let expected = serde_json::json!([
        {"ref": "root", "dependsOn": ["pkg:npm/b@1", "pkg:npm/a@1"]},
        {"ref": "pkg:npm/b@1", "dependsOn": []},
        {"ref": "pkg:npm/a@1", "dependsOn": ["pkg:npm/b@1"]},
    ]);
    assert_eq!(document["dependencies"], expected);
    assert_eq!(document["metadata"]["properties"], serde_json::json!([]));
}

#[test]
fn lists_merge_into_one() {
    let list = |components: Vec<Component>, tool: &str| Bom {
        spec: SpecVersion::V1_5,
        serial_number: None,
        timestamp: None,
        tools: vec![Tool { name: tool.into(), ..Tool::default() }],
        authors: Vec::new(),
        properties: vec![Property { name: "a".into(), value: "b".into() }],
        root: None,
        dependencies: BTreeMap::from([("any-a".into(), vec!["any-b".into()])]),
        components,
    };
    let unpurled = Component {
        purl: None,
        packager: Some("npm".into()),
        group: Some("@x".into()),
        licenses: vec![License::Named { name: "unknown".into(), url: None }],
        ..named("c")
    };
    let other = Component { licenses: vec![License::Id("MIT".into())], ..named("a") };
    let mut merge = Merge::begin(Vec::new(), "urn:uuid:1", "2026-01-01T00:00:00Z").expect("begun");
    merge.add(&list(vec![named("a"), named("b")], "one")).expect("added");
    merge.add(&list(vec![other, named("b"), unpurled], "two")).expect("added");
    let own = Tool { name: "own".into(), ..Tool::default() };
    let document = json(&merge.finish(own).expect("finished"));
    let components = document["components"].as_array().expect("a list");
    let references: Vec<&str> = components.iter().filter_map(|it| it["bom-ref"].as_str()).collect();
    let expected = ["pkg:npm/a@1", "pkg:npm/b@1", "pkg:npm/a@1#2", "pkg:npm/%40x/c@1"];
    assert_eq!(references, expected);
    assert!(components.iter().all(|it| it["type"] == "library"));
    assert_eq!(components[3]["purl"], "pkg:npm/%40x/c@1");
    assert_eq!(components[3].get("licenses"), None);
    assert_eq!(document["metadata"]["tools"].as_array().map(Vec::len), Some(3));
    assert_eq!(document["metadata"]["properties"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["dependencies"][2]["dependsOn"][0], "pkg:npm/b@1");
}
