//! Components of bills as rows of a list: each of a file once, with what leads to it.

use crate::dependencies::model::Ancestor;
use crate::dependencies::store::Row;
use sbom::model::{Bom, Component};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Components that the list of a project has at most.
pub const MOST: usize = 200_000;
/// References that one component names at most.
const MOST_REFERENCES: usize = 10_000;

/// What a list has already, over all its reports.
#[derive(Default)]
pub struct Seen {
    hasher: RandomState,
    /// By what tells components apart: the report, and the reference there.
    by_identity: HashMap<u64, (i64, String)>,
    /// Reports so far.
    documents: i64,
}

impl Seen {
    pub fn len(&self) -> usize {
        self.by_identity.len()
    }

    fn identity(&self, it: &Component) -> u64 {
        let file = (&it.input_file, &it.source_file, &it.image);
        self.hasher
            .hash_one((&it.kind, &it.group, &it.name, &it.version, &it.purl, file))
    }
}

/// The rows of a bill and its number, or None if the list has no room for it.
pub fn of_bom(bom: Bom, seen: &mut Seen) -> Option<(i64, Vec<Row>)> {
    if seen.len().saturating_add(bom.components.len()) > MOST {
        return None;
    }
    let document = seen.documents;
    seen.documents += 1;
    let chains = bom.chains();
    let names: Vec<Ancestor> = bom.components.iter().map(ancestor).collect();
    // A component that stands twice in a report keeps the relations of both.
    let mut same: HashMap<String, String> = HashMap::new();
    let mut fresh = Vec::new();
    for (component, chain) in bom.components.into_iter().zip(chains) {
        let identity = seen.identity(&component);
        match seen.by_identity.get(&identity) {
            Some((of, reference)) if *of == document => {
                same.insert(component.reference, reference.clone());
            }
            Some(_) => {}
            None => {
                let place = (document, component.reference.clone());
                seen.by_identity.insert(identity, place);
                fresh.push((component, chain));
            }
        }
    }
    let mut depends_on: HashMap<&str, Vec<&str>> = HashMap::new();
    for (from, to) in &bom.dependencies {
        let from = same.get(from).unwrap_or(from);
        let to = to.iter().map(|to| same.get(to).unwrap_or(to).as_str());
        depends_on.entry(from).or_default().extend(to.filter(|to| *to != from.as_str()));
    }
    let rows = fresh.into_iter().map(|(component, chain)| {
        let references = depends_on.remove(component.reference.as_str()).unwrap_or_default();
        Row {
            depends_on: distinct(references),
            top_level: chain.top_level,
            ancestors: chain.ancestors.iter().filter_map(|at| names.get(*at).cloned()).collect(),
            component,
        }
    });
    Some((document, rows.collect()))
}

fn ancestor(component: &Component) -> Ancestor {
    Ancestor {
        name: component.full_name(),
        version: component.version.clone(),
    }
}

fn distinct(mut references: Vec<&str>) -> Vec<String> {
    references.sort_unstable();
    references.dedup();
    references.truncate(MOST_REFERENCES);
    references.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sbom::model::SpecVersion;

    fn component(reference: &str, name: &str, file: Option<&str>) -> Component {
        Component {
            reference: reference.into(),
            kind: "library".into(),
            name: name.into(),
            version: Some("1.0".into()),
            input_file: file.map(str::to_owned),
            ..Component::default()
        }
    }

    fn bom(components: Vec<Component>, dependencies: &[(&str, &[&str])]) -> Bom {
        let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect();
        Bom {
            spec: SpecVersion::V1_6,
            serial_number: None,
            timestamp: None,
            tools: Vec::new(),
            authors: Vec::new(),
            properties: Vec::new(),
            root: Some(component("root", "shop", None)),
            components,
            dependencies: dependencies
                .iter()
                .map(|(from, to)| ((*from).to_owned(), texts(to)))
                .collect(),
        }
    }

    #[test]
    fn what_stands_twice_is_one_row_with_the_relations_of_both() {
        let twice = vec![
            component("a", "anvil", Some("a.lock")),
            component("b", "anvil", Some("a.lock")),
            component("c", "chain", Some("a.lock")),
            component("d", "anvil", Some("b.lock")),
        ];
        let relations: &[(&str, &[&str])] =
            &[("root", &["a"]), ("a", &["b"]), ("b", &["c"]), ("c", &["b", "a"])];
        let mut seen = Seen::default();
        let (document, rows) = of_bom(bom(twice, relations), &mut seen).unwrap();
        assert_eq!((document, rows.len()), (0, 3));
        let refs = |row: &Row| row.depends_on.clone();
        assert_eq!((refs(&rows[0]), refs(&rows[1])), (vec!["c".to_owned()], vec!["a".to_owned()]));
        assert!(rows[0].top_level && !rows[1].top_level);
        assert_eq!(rows[1].ancestors.first().map(|it| it.name.as_str()), Some("anvil"));
    }

    #[test]
    fn another_report_of_the_same_file_adds_what_is_new() {
        let mut seen = Seen::default();
        of_bom(bom(vec![component("a", "anvil", None)], &[]), &mut seen).unwrap();
        let again = vec![component("x", "anvil", None), component("y", "chain", None)];
        let (document, rows) = of_bom(bom(again, &[]), &mut seen).unwrap();
        let names: Vec<&str> = rows.iter().map(|row| row.component.name.as_str()).collect();
        assert_eq!((document, names), (1, vec!["chain"]));
    }
}
