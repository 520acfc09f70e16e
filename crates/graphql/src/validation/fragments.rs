//! How fragments hang together: cycles, nesting and expanded size, found
//! without following any fragment twice and without recursing through them.

use super::ast::{Document, Fragment, Selection, Spread};
use super::error::StaticError;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Most selections of an operation when every fragment stands where it is
/// spread.
pub const MAX_EXPANDED: u64 = 5_000;
/// Deepest nesting of selections when fragments stand where they are spread.
pub const MAX_HEIGHT: u64 = 200;

/// The fragments of a document by name; of several the first counts.
pub struct Fragments<'d> {
    by_name: HashMap<Arc<str>, &'d Fragment>,
    measures: HashMap<Arc<str>, Measure>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Measure {
    selections: u64,
    height: u64,
}

impl<'d> Fragments<'d> {
    /// Measures all fragments, or names those that contain themselves.
    pub fn new(document: &'d Document) -> Result<Fragments<'d>, Vec<StaticError>> {
        let mut by_name: HashMap<Arc<str>, &Fragment> = HashMap::new();
        for fragment in &document.fragments {
            by_name.entry(fragment.name.clone()).or_insert(fragment);
        }
        let mut fragments = Fragments { by_name, measures: HashMap::new() };
        let endless = fragments.measure_all(document);
        if endless.is_empty() {
            return Ok(fragments);
        }
        let error = |fragment: &&Fragment| {
            let name = &fragment.name;
            let mut error = StaticError::new(
                "infiniteLoop",
                format!("Fragment {name} contains an infinite loop"),
            )
            .at(fragment.pos)
            .with("fragmentName", &**name);
            error.path = Some(vec![format!("fragment {name}")]);
            error
        };
        Err(endless.iter().map(error).collect())
    }

    pub fn get(&self, name: &str) -> Option<&'d Fragment> {
        self.by_name.get(name).copied()
    }

    /// Refuses an operation whose expanded selections are too many or too
    /// deep to be walked.
    pub fn check_size(&self, selections: &[Selection]) -> Result<(), StaticError> {
        let measure = self.measure(selections);
        if measure.selections > MAX_EXPANDED {
            let text = format!("Query has more than {MAX_EXPANDED} selections with its fragments");
            return Err(StaticError::new("tooManySelections", text));
        }
        if measure.height > MAX_HEIGHT {
            let text = format!("Query nests fragments more than {MAX_HEIGHT} deep");
            return Err(StaticError::new("documentTooDeep", text));
        }
        Ok(())
    }

    /// Depth-first by an own stack; a fragment is measured after all that it
    /// spreads.
    fn measure_all(&mut self, document: &'d Document) -> Vec<&'d Fragment> {
        let mut open: HashSet<Arc<str>> = HashSet::new();
        let mut endless = Vec::new();
        for fragment in &document.fragments {
            let mut stack = vec![(fragment, spreads(&fragment.selections), 0)];
            if self.measures.contains_key(&fragment.name) {
                continue;
            }
            open.insert(fragment.name.clone());
            while let Some((current, inner, next)) = stack.last_mut() {
                let Some(name) = inner.get(*next).map(|spread| spread.name.clone()) else {
                    let measure = self.measure(&current.selections);
                    self.measures.insert(current.name.clone(), measure);
                    open.remove(&current.name);
                    stack.pop();
                    continue;
                };
                *next += 1;
                if open.contains(&name) {
                    let known = |one: &&Fragment| one.name == current.name;
                    if !endless.iter().any(known) {
                        endless.push(*current);
                    }
                } else if !self.measures.contains_key(&name)
                    && let Some(child) = self.get(&name)
                {
                    open.insert(name);
                    stack.push((child, spreads(&child.selections), 0));
                }
            }
        }
        endless
    }

    fn measure(&self, selections: &[Selection]) -> Measure {
        let mut sum = Measure::default();
        for selection in selections {
            let inner = match selection {
                Selection::Field(field) => self.measure(&field.selections),
                Selection::Inline(inline) => self.measure(&inline.selections),
                Selection::Spread(spread) => {
                    self.measures.get(&spread.name).copied().unwrap_or_default()
                }
            };
            sum.selections = sum.selections.saturating_add(inner.selections + 1);
            sum.height = sum.height.max(inner.height + 1);
        }
        sum.selections = sum.selections.min(u64::from(u32::MAX));
        sum
    }
}

/// The spreads in these selections, not those within fragments.
pub fn spreads(selections: &[Selection]) -> Vec<&Spread> {
    let mut found = Vec::new();
    collect(selections, &mut found);
    found
}

fn collect<'d>(selections: &'d [Selection], into: &mut Vec<&'d Spread>) {
    for selection in selections {
        match selection {
            Selection::Field(field) => collect(&field.selections, into),
            Selection::Inline(inline) => collect(&inline.selections, into),
            Selection::Spread(spread) => into.push(spread),
        }
    }
}
