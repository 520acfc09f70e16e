//! How a component got into what it is part of.

use std::collections::{HashMap, VecDeque};

use super::Bom;

/// Longer chains lose what is nearest to the root.
pub const MAX_ANCESTORS: usize = 32;

/// The shortest way from the root to a component.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    /// The root depends on it directly.
    pub top_level: bool,
    /// Indexes in `components`, from a direct dependency of the root down to the
    /// component's parent. Empty for direct ones, and where no way is known.
    pub ancestors: Vec<usize>,
}

/// How far a component was reached, while the graph is walked.
#[derive(Clone, Copy, PartialEq)]
enum Reached {
    Not,
    Direct,
    From(usize),
}

impl Bom {
    /// A chain for each component. Linear; cycles end, because nothing is walked twice.
    pub fn chains(&self) -> Vec<Chain> {
        let edges = self.edges();
        let mut reached = vec![Reached::Not; self.components.len()];
        let mut queue = VecDeque::new();
        for start in self.direct(&edges) {
            if let Some(place) = reached.get_mut(start)
                && *place == Reached::Not
            {
                *place = Reached::Direct;
                queue.push_back(start);
            }
        }
        while let Some(parent) = queue.pop_front() {
            for &child in edges.get(parent).into_iter().flatten() {
                if let Some(place) = reached.get_mut(child)
                    && *place == Reached::Not
                {
                    *place = Reached::From(parent);
                    queue.push_back(child);
                }
            }
        }
        (0..reached.len()).map(|index| chain(&reached, index)).collect()
    }

    /// For each component the indexes of those it depends on.
    fn edges(&self) -> Vec<Vec<usize>> {
        let places = self.places();
        let children = |reference: &str| {
            let references = self.dependencies.get(reference).into_iter().flatten();
            references.filter_map(|it| places.get(it.as_str()).copied()).collect()
        };
        self.components.iter().map(|it| children(&it.reference)).collect()
    }

    fn places(&self) -> HashMap<&str, usize> {
        let numbered = self.components.iter().enumerate();
        numbered.map(|(index, it)| (it.reference.as_str(), index)).collect()
    }

    /// What the root depends on; without a known root, what nothing depends on.
    fn direct(&self, edges: &[Vec<usize>]) -> Vec<usize> {
        let of_root = self.root.as_ref().and_then(|it| self.dependencies.get(&it.reference));
        if let Some(references) = of_root {
            let places = self.places();
            return references.iter().filter_map(|it| places.get(it.as_str()).copied()).collect();
        }
        let mut named = vec![false; edges.len()];
        for &child in edges.iter().flatten() {
            if let Some(place) = named.get_mut(child) {
                *place = true;
            }
        }
        (0..edges.len()).filter(|index| named.get(*index) == Some(&false)).collect()
    }
}

fn chain(reached: &[Reached], index: usize) -> Chain {
    let mut ancestors = Vec::new();
    let mut at = index;
    while let Some(Reached::From(parent)) = reached.get(at)
        && ancestors.len() < MAX_ANCESTORS
    {
        ancestors.push(*parent);
        at = *parent;
    }
    ancestors.reverse();
    Chain {
        top_level: reached.get(index) == Some(&Reached::Direct),
        ancestors,
    }
}
