//! What a text of a user stands for: a branch, a tag, or a commit by its name.

use super::{Commit, Objects};
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::hidden::{HiddenRequests, is_of_request};
use crate::hooks;
use crate::model::{Ref, Repository};
use crate::store::refs;
use ::store::Tx;
use kernel::app::App;
use kernel::error::Result;
use std::collections::HashMap;

/// Fewest digits that stand for a commit.
const FEWEST: usize = 4;

/// What a text stands for. Whether there is such an object is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revision {
    Ref(Ref),
    Id(ObjectId),
    /// The first digits of a name.
    Beginning(String),
}

impl Revision {
    /// The ref it was found by.
    pub fn name(&self) -> Option<&RefName> {
        match self {
            Revision::Ref(found) => Some(&found.name),
            _ => None,
        }
    }
}

/// What a text stands for: `HEAD`, a whole name of a ref, a branch, a tag or digits, in
/// this order. What git would take for an option, or calculate, is nothing here.
pub fn named(tx: &mut Tx<'_>, repository: &Repository, text: &str) -> Result<Option<Revision>> {
    let names = candidates(repository, text);
    let hidden = hidden(tx, &[repository], &names)?;
    let names = told(repository, names, &hidden);
    let found = refs::some(tx, repository.id, &names)?;
    Ok(best(&names, &found, text))
}

/// The same for a text in several repositories, in one statement for any number.
pub fn named_in_each(
    tx: &mut Tx<'_>, repositories: &[&Repository], text: &str,
) -> Result<Vec<Option<Revision>>> {
    let names: Vec<Vec<RefName>> = repositories.iter().map(|one| candidates(one, text)).collect();
    let hidden = hidden(tx, repositories, &names.concat())?;
    let told = repositories.iter().zip(names).map(|(one, names)| told(one, names, &hidden));
    let names: Vec<Vec<RefName>> = told.collect();
    let ids: Vec<i64> = repositories.iter().map(|one| one.id).collect();
    let found = refs::some_of_each(tx, ids, &names.concat())?;
    let of = |(one, names): (&&Repository, &Vec<RefName>)| {
        best(names, found.get(&one.id).map(Vec::as_slice).unwrap_or_default(), text)
    };
    Ok(repositories.iter().zip(&names).map(of).collect())
}

/// The refs that a text can be the name of, the likeliest first.
fn candidates(repository: &Repository, text: &str) -> Vec<RefName> {
    let mut names: Vec<RefName> = Vec::new();
    match text {
        "HEAD" => names.push(repository.head.clone()),
        _ if text.starts_with("refs/") => names.extend(text.parse::<RefName>().ok()),
        _ => {
            names.extend(RefName::branch(text).ok());
            names.extend(RefName::tag(text).ok());
        }
    }
    names.retain(|name| !name.is_hidden());
    names
}

/// Which merge requests of these repositories are hidden, if any of the names is a ref of one.
fn hidden(
    tx: &mut Tx<'_>, repositories: &[&Repository], names: &[RefName],
) -> Result<HashMap<i64, HiddenRequests>> {
    let projects: Vec<i64> = repositories.iter().filter_map(|one| one.project_id).collect();
    match names.iter().any(is_of_request) && !projects.is_empty() {
        true => hooks::hidden_requests(tx, &projects),
        false => Ok(HashMap::new()),
    }
}

/// The names without those that are hidden, whoever asks: administrators name commits.
fn told(
    repository: &Repository, mut names: Vec<RefName>, hidden: &HashMap<i64, HiddenRequests>,
) -> Vec<RefName> {
    if let Some(hidden) = repository.project_id.and_then(|id| hidden.get(&id)) {
        names.retain(|name| !hidden.hides(name));
    }
    names
}

/// The likeliest ref that is there, else the commit whose name this may be.
fn best(names: &[RefName], found: &[Ref], text: &str) -> Option<Revision> {
    let best = names.iter().find_map(|name| found.iter().find(|one| one.name == *name));
    if let Some(best) = best {
        return Some(Revision::Ref(best.clone()));
    }
    let text = text.to_ascii_lowercase();
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text.parse::<ObjectId>() {
        Ok(id) => Some(Revision::Id(id)),
        Err(_) if is_hexadecimal && (FEWEST..40).contains(&text.len()) => {
            Some(Revision::Beginning(text))
        }
        Err(_) => None,
    }
}

/// The same for who is not in a transaction.
pub async fn revision(app: &App, repository: &Repository, text: &str) -> Result<Option<Revision>> {
    let (repository, text) = (repository.clone(), text.to_owned());
    app.read_inline(move |tx| named(tx, &repository, &text)).await
}

impl Objects {
    /// The commit that it stands for.
    pub fn commit_at(&self, revision: &Revision) -> Result<Option<Commit>> {
        let id = match revision {
            Revision::Ref(found) => Some(found.peeled_id.unwrap_or(found.object_id)),
            Revision::Id(id) => Some(*id),
            Revision::Beginning(digits) => self.beginning(digits)?,
        };
        match id {
            Some(id) => self.peeled(id),
            None => Ok(None),
        }
    }
}
