//! Which refs a list has, by their names.

use crate::access::Code;
use kernel::error::{Error, Result};
use kernel::ids::fold;
use regex::{Regex, RegexBuilder};
use repositories::formats::object_id::ObjectId;
use repositories::model::{Ref, Repository};
use repositories::store::refs;
use serde_json::json;
use store::Tx;

/// Bytes that a compiled expression may take.
const LARGEST: usize = 1024 * 1024;

/// What the names of refs are asked for.
#[derive(Debug, Default)]
pub struct Wanted {
    search: Option<String>,
    regex: Option<Regex>,
}

impl Wanted {
    /// `^x` for names that begin so, `x$` for those that end so, else any place of them;
    /// or an expression, which takes a time in proportion to the names.
    pub fn of(search: Option<&str>, regex: Option<&str>) -> Result<Wanted> {
        let search = search.filter(|text| !text.is_empty()).map(fold);
        let compiled = |text: &str| RegexBuilder::new(text).size_limit(LARGEST).build();
        let regex = regex.filter(|text| !text.is_empty()).map(compiled).transpose();
        let wrong = |_| Error::Exact(400, json!({"message": "Regex is invalid"}));
        let regex = regex.map_err(wrong)?;
        Ok(Wanted { search, regex })
    }

    fn has(&self, name: &str) -> bool {
        let is_found = self.search.as_deref().is_none_or(|search| is_found(search, &fold(name)));
        is_found && self.regex.as_ref().is_none_or(|regex| regex.is_match(name))
    }
}

fn is_found(search: &str, name: &str) -> bool {
    match (search.strip_prefix('^'), search.strip_suffix('$')) {
        (Some(_), Some(_)) => search[1..].strip_suffix('$') == Some(name),
        (Some(beginning), None) => name.starts_with(beginning),
        (None, Some(end)) => name.ends_with(end),
        (None, None) => name.contains(search),
    }
}

/// A ref with its name as branches and tags have them.
#[derive(Debug, Clone)]
pub struct Named {
    pub name: String,
    pub object_id: ObjectId,
    peeled_id: Option<ObjectId>,
}

impl Named {
    pub fn of(one: &Ref) -> Named {
        let name = one.name.as_branch().or(one.name.as_tag()).unwrap_or(one.name.as_str());
        Named {
            name: name.to_owned(),
            object_id: one.object_id,
            peeled_id: one.peeled_id,
        }
    }

    /// What it leads to, which need be no commit.
    pub fn peeled(&self) -> ObjectId {
        self.peeled_id.unwrap_or(self.object_id)
    }

    /// It points at a tag object.
    pub fn is_annotated(&self) -> bool {
        self.peeled_id.is_some()
    }
}

/// Branches (`refs/heads/`) or tags (`refs/tags/`) by name.
pub fn all(
    tx: &mut Tx<'_>, repository: &Repository, below: &str, wanted: &Wanted,
) -> Result<Vec<Named>> {
    let refs = refs::beginning(tx, repository.id, &[below.to_owned()])?;
    let named = refs.iter().map(Named::of);
    Ok(named.filter(|one| wanted.has(&one.name)).collect())
}

/// The same of a project that may have no repository yet.
pub fn all_of(tx: &mut Tx<'_>, code: &Code, below: &str, wanted: &Wanted) -> Result<Vec<Named>> {
    match &code.repository {
        Some(repository) => all(tx, repository, below, wanted),
        None => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_ends() {
        let found = |search: &str| {
            let wanted = Wanted::of(Some(search), None).unwrap();
            ["main", "main-2", "old-Main"].map(|name| wanted.has(name))
        };
        assert_eq!(found("main"), [true, true, true]);
        assert_eq!(found("^main"), [true, true, false]);
        assert_eq!(found("main$"), [true, false, true]);
        assert_eq!(found("^main$"), [true, false, false]);
        assert_eq!(found("^"), [true, true, true]);
        assert_eq!(found("$"), [true, true, true]);
    }

    #[test]
    fn expressions_are_bounded() {
        for bad in ["(", "a{1000}{1000}{1000}", "[z-a]"] {
            assert!(Wanted::of(None, Some(bad)).is_err(), "{bad}");
        }
        let slow = Wanted::of(None, Some("(a+)+$")).unwrap();
        assert!(!slow.has(&("a".repeat(5000) + "!")));
    }
}
