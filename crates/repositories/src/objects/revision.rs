//! What a text of a user stands for: a branch, a tag, or a commit by its name.

use super::{Commit, Objects};
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::model::{Ref, Repository};
use crate::store::refs;
use ::store::Tx;
use kernel::app::App;
use kernel::error::Result;

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
    let found = refs::some(tx, repository.id, &names)?;
    let best = names.iter().find_map(|name| found.iter().find(|one| one.name == *name));
    if let Some(best) = best {
        return Ok(Some(Revision::Ref(best.clone())));
    }
    let text = text.to_ascii_lowercase();
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    Ok(match text.parse::<ObjectId>() {
        Ok(id) => Some(Revision::Id(id)),
        Err(_) if is_hexadecimal && (FEWEST..40).contains(&text.len()) => {
            Some(Revision::Beginning(text))
        }
        Err(_) => None,
    })
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
