//! Which branches and tags a mirror has to do with.

use super::model::compiled;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::model::Repository;
use crate::protection;
use ::store::Tx;
use kernel::error::Result;
use regex::Regex;
use spaces::model::Project;
use std::collections::HashMap;

/// Which branches a mirror has to do with; of tags all.
pub enum Scope {
    All,
    /// Those whose names are protected.
    Protected(Box<dyn Fn(&str) -> bool + Send + Sync>),
    Fitting(Regex),
}

impl Scope {
    /// Reads it for a mirror with these settings.
    pub fn read(
        tx: &mut Tx<'_>, project: &Project, repository: &Repository, only_protected: bool,
        pattern: Option<&str>,
    ) -> Result<Scope> {
        Ok(match pattern {
            _ if only_protected => {
                let rules = protection::protected_branches(tx, project, repository)?;
                Scope::Protected(Box::new(rules))
            }
            Some(pattern) => Scope::Fitting(compiled(pattern)?),
            None => Scope::All,
        })
    }

    pub fn has(&self, name: &RefName) -> bool {
        match (name.as_branch(), self) {
            (None, _) => name.as_tag().is_some(),
            (Some(_), Scope::All) => true,
            (Some(branch), Scope::Protected(is_protected)) => is_protected(branch),
            (Some(branch), Scope::Fitting(pattern)) => pattern.is_match(branch),
        }
    }
}

/// The refs that `git ls-remote` tells of; those with names that no ref here may have are
/// left alone.
pub fn listed(text: &str) -> HashMap<RefName, ObjectId> {
    let refs = text.lines().filter_map(|line| {
        let (id, name) = line.split_once('\t')?;
        Some((name.parse().ok()?, id.parse().ok()?))
    });
    refs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let one = "1".repeat(40);
        let text = format!("{one}\trefs/heads/a\nx\trefs/heads/b\n{one}\trefs/heads/..\nnonsense");
        let name: RefName = "refs/heads/a".parse().expect("a name");
        let id: ObjectId = one.parse().expect("an object");
        let read = HashMap::from([(name, id)]);
        assert_eq!(listed(&text), read);
    }
}
