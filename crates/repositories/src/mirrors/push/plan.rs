//! What has to be pushed for a mirror to be like the repository here.

use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::mirrors::scope::Scope;
use std::collections::{HashMap, HashSet};

/// What is to be pushed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Refs that come to be, or to point elsewhere.
    pub put: Vec<(RefName, ObjectId)>,
    /// Refs that go, and where they point there.
    pub gone: Vec<(RefName, ObjectId)>,
}

/// Compares branches and tags here with those there.
pub fn plan(
    here: &[(RefName, ObjectId)], there: &HashMap<RefName, ObjectId>, scope: &Scope,
) -> Plan {
    let names: HashSet<&RefName> = here.iter().map(|(name, _)| name).collect();
    let is_new = |(name, id): &&(RefName, ObjectId)| there.get(name) != Some(id);
    let put = here.iter().filter(|(name, _)| scope.has(name)).filter(is_new);
    let gone = there.iter().filter(|(name, _)| scope.has(name) && !names.contains(name));
    let mut gone: Vec<_> = gone.map(|(name, id)| (name.clone(), *id)).collect();
    gone.sort();
    Plan { put: put.cloned().collect(), gone }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    fn id(digit: &str) -> ObjectId {
        digit.repeat(40).parse().expect("an object")
    }

    fn refs(all: &[(&str, &str)]) -> Vec<(RefName, ObjectId)> {
        let one = |(name, digit): &(&str, &str)| (name.parse().expect("a name"), id(digit));
        all.iter().map(one).collect()
    }

    #[test]
    fn what_differs_is_pushed_and_what_is_gone_goes() {
        let here = refs(&[
            ("refs/heads/a", "1"),
            ("refs/heads/b", "2"),
            ("refs/heads/c", "3"),
            ("refs/tags/v1", "4"),
        ]);
        let there = refs(&[("refs/heads/a", "1"), ("refs/heads/b", "9"), ("refs/heads/x", "8")]);
        let there: HashMap<_, _> = there.into_iter().collect();
        let all = plan(&here, &there, &Scope::All);
        assert_eq!(all.put, here[1..]);
        assert_eq!(all.gone, refs(&[("refs/heads/x", "8")]));
        let only = Scope::Fitting(Regex::new("^b").expect("a pattern"));
        let few = plan(&here, &there, &only);
        assert_eq!(few.put, refs(&[("refs/heads/b", "2"), ("refs/tags/v1", "4")]));
        assert_eq!(few.gone, []);
        let protected = Scope::Protected(Box::new(|name| name == "x" || name == "a"));
        let few = plan(&here, &there, &protected);
        assert_eq!(few.put, refs(&[("refs/tags/v1", "4")]));
        assert_eq!(few.gone, refs(&[("refs/heads/x", "8")]));
    }
}
