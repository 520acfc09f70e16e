//! What has to be fetched for a project to follow a repository. Nothing is deleted: what is
//! gone there may be what somebody works on here.

use crate::edits::command;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::mirrors::scope::Scope;
use crate::rules::push::{PushRefused, PushedTo, check};
use std::collections::HashMap;

/// Where refs point.
pub type Refs = HashMap<RefName, ObjectId>;

/// What is to be fetched.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Branches and tags that point elsewhere there, or are not here, by name.
    pub wanted: Vec<RefName>,
    /// Those that no project takes.
    pub refused: Vec<RefName>,
}

/// Compares branches and tags there with those here, where the default branch is this one.
pub fn plan(here: &Refs, there: &Refs, scope: &Scope, default_branch: Option<&RefName>) -> Plan {
    let to = PushedTo { default_branch, kind: "project" };
    let (mut wanted, mut refused) = (Vec::new(), Vec::new());
    for (name, id) in there.iter().filter(|(name, _)| scope.has(name)) {
        let old = here.get(name).copied().unwrap_or(ObjectId::ZERO);
        if old == *id {
            continue;
        }
        match check(&to, &[command(name.clone(), old, *id)]) {
            Ok(()) => wanted.push(name.clone()),
            Err(PushRefused(_)) => refused.push(name.clone()),
        }
    }
    wanted.sort_unstable();
    refused.sort_unstable();
    Plan { wanted, refused }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    fn refs(all: &[(&str, &str)]) -> Refs {
        let one = |(name, digit): &(&str, &str)| {
            let (name, id): (RefName, ObjectId) =
                (name.parse().expect("a name"), digit.repeat(40).parse().expect("an object"));
            (name, id)
        };
        all.iter().map(one).collect()
    }

    fn names(all: &[&str]) -> Vec<RefName> {
        all.iter().map(|name| name.parse().expect("a name")).collect()
    }

    #[test]
    fn what_differs_is_fetched_and_what_is_gone_stays() {
        let here = refs(&[("refs/heads/a", "1"), ("refs/heads/b", "2"), ("refs/heads/own", "3")]);
        let odd = format!("refs/heads/{}", "a".repeat(40));
        let there = refs(&[
            ("refs/heads/a", "1"),
            ("refs/heads/b", "4"),
            ("refs/heads/new", "4"),
            ("refs/tags/v1", "5"),
            ("refs/tags/a", "5"),
            (&odd, "5"),
            ("refs/notes/commits", "6"),
        ]);
        let main: RefName = "refs/heads/a".parse().expect("a name");
        let all = plan(&here, &there, &Scope::All, Some(&main));
        assert_eq!(all.wanted, names(&["refs/heads/b", "refs/heads/new", "refs/tags/v1"]));
        assert_eq!(all.refused, names(&[&odd, "refs/tags/a"]));
        let only = Scope::Fitting(Regex::new("^n").expect("a pattern"));
        let few = plan(&here, &there, &only, None);
        assert_eq!(few.wanted, names(&["refs/heads/new", "refs/tags/a", "refs/tags/v1"]));
        assert_eq!(few.refused, []);
    }
}
