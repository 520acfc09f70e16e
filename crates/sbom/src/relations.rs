//! What hangs below what in a document that is written piece by piece: every component gets
//! a reference of its own, and the relations are known when the last one is written.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::model::Component;

/// What a component hangs below.
#[derive(Debug, Clone, Copy)]
pub enum Link<'a> {
    /// As rows have it: below the root, below the last of its ancestors (name and version).
    Row { top_level: bool, parent: Option<(&'a str, Option<&'a str>)> },
    /// By the references within one of several documents.
    References { document: usize, depends_on: &'a [String], top_level: bool },
    /// Nobody knows.
    None,
}

/// References that were given out, and what is known about them.
#[derive(Default)]
pub(crate) struct Relations {
    references: Vec<Box<str>>,
    by_purl: HashMap<u128, u32>,
    taken: HashSet<u128>,
    /// How often a reference was wanted that was taken.
    again: HashMap<u128, u32>,
    /// Names with versions, and references of documents, by their digests.
    places: HashMap<u128, u32>,
    roots: BTreeSet<u32>,
    /// A place, and what it hangs below or what hangs below it.
    below: Vec<(u128, u32)>,
    above: Vec<(u32, u128)>,
}

/// Two digests of 64 bits with different beginnings: names of strangers that meet in both
/// are not made by chance.
pub(crate) fn digest(value: impl Hash) -> u128 {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (salt, &value).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    (half(0x5bd1_e995) << 64) | half(0x27d4_eb2f)
}

impl Relations {
    /// A reference for a component that nobody has yet: its purl, else the one it brought.
    pub fn add(&mut self, component: &Component, link: Link<'_>) -> (u32, String) {
        let wanted = component.purl.as_deref().unwrap_or(&component.reference);
        let wanted = if wanted.is_empty() { "component" } else { wanted };
        let reference = self.unique(wanted);
        let place = u32::try_from(self.references.len()).unwrap_or(u32::MAX);
        self.references.push(reference.as_str().into());
        self.link(place, component, link);
        (place, reference)
    }

    /// A reference of the document itself, which nothing else gets.
    pub fn reserve(&mut self, reference: &str) {
        self.taken.insert(digest(reference));
    }

    fn unique(&mut self, wanted: &str) -> String {
        let key = digest(wanted);
        if self.taken.insert(key) {
            return wanted.to_owned();
        }
        let mut next = self.again.get(&key).copied().unwrap_or(1);
        loop {
            next = next.saturating_add(1);
            let other = format!("{wanted}#{next}");
            if self.taken.insert(digest(&other)) {
                self.again.insert(key, next);
                return other;
            }
        }
    }

    /// What rows call it; of several with one name the first is meant.
    fn name(&mut self, place: u32, name: &str, version: Option<&str>) {
        self.places.entry(digest((0_u8, name, version))).or_insert(place);
    }

    /// What is known about something that was added.
    pub fn link(&mut self, place: u32, component: &Component, link: Link<'_>) {
        match link {
            Link::Row { top_level, parent } => {
                self.name(place, &component.full_name(), component.version.as_deref());
                if component.group.is_some() {
                    self.name(place, &component.name, component.version.as_deref());
                }
                if top_level {
                    self.roots.insert(place);
                }
                if let Some((name, version)) = parent {
                    self.below.push((digest((0_u8, name, version)), place));
                }
            }
            Link::References { document, depends_on, top_level } => {
                if top_level {
                    self.roots.insert(place);
                }
                self.places.insert(digest((1_u8, document, &component.reference)), place);
                for to in depends_on {
                    self.above.push((place, digest((1_u8, document, to))));
                }
            }
            Link::None => {}
        }
    }

    /// A place for a component, with its reference; where another of its package URL has one,
    /// that place without, and only what is known about it grows.
    pub fn add_once(&mut self, component: &Component, link: Link<'_>) -> (u32, Option<String>) {
        let key = component.purl.as_deref().map(digest);
        if let Some(place) = key.and_then(|key| self.by_purl.get(&key).copied()) {
            self.link(place, component, link);
            return (place, None);
        }
        let (place, reference) = self.add(component, link);
        if let Some(key) = key {
            self.by_purl.insert(key, place);
        }
        (place, Some(reference))
    }

    /// The reference at a place.
    pub fn reference(&self, place: u32) -> &str {
        self.references.get(place as usize).map(|it| &**it).unwrap_or_default()
    }

    /// What the root depends on.
    pub fn roots(&self) -> impl Iterator<Item = u32> {
        self.roots.iter().copied()
    }

    /// What everything else depends on, in the order it was added: a place, and the places
    /// below it.
    pub fn all(&self) -> impl Iterator<Item = (u32, Vec<u32>)> {
        let below = self.below.iter().filter_map(|(key, to)| Some((*self.places.get(key)?, *to)));
        let above = self
            .above
            .iter()
            .filter_map(|(from, key)| Some((*from, *self.places.get(key)?)));
        let mut edges: Vec<(u32, u32)> =
            below.chain(above).filter(|(from, to)| from != to).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut edges = edges.into_iter().peekable();
        let places = 0..u32::try_from(self.references.len()).unwrap_or(u32::MAX);
        places.map(move |place| {
            let next = || edges.next_if(|(from, _)| *from == place).map(|(_, to)| to);
            (place, std::iter::from_fn(next).collect())
        })
    }
}
