//! Git looks whether all that refs lead to is among the copies, as it will read them: by a
//! walk of everything, and then of what came meanwhile.

use super::plan::Part;
use super::{Halt, Moving};
use crate::cache::{self, Workbench};
use crate::formats::object_id::ObjectId;
use crate::git::Git;
use crate::model::Pack;
use crate::moves::containers::word;
use crate::moves::store::packs::MovingPack;
use kernel::app::App;
use kernel::error::Result;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// How long git may take for one repository.
const PATIENCE: Duration = Duration::from_secs(4 * 3600);
/// Bytes that it answers with.
const ANSWER: usize = 1024;

/// What was looked at, by the ids of the repositories.
#[derive(Default)]
pub(super) struct Looked(HashMap<i64, Seen>);

/// A repository made of the copies.
struct Seen {
    bench: Workbench,
    packs: HashSet<String>,
    /// What is known to be whole.
    tips: HashSet<ObjectId>,
}

impl Moving<'_> {
    /// Looks at a repository where it was copied to; one that lay there already was looked
    /// at when it came.
    pub(super) async fn look(&mut self, part: &Part) -> Result<(), Halt> {
        let is_there = part.packs.iter().all(|pack| pack.lies_in(&self.to));
        if is_there || part.refs.is_empty() {
            return Ok(());
        }
        let packs: Vec<Pack> =
            part.packs.iter().map(|pack| self.there(pack)).collect::<Result<_>>()?;
        let names: HashSet<String> = packs.iter().map(|pack| pack.name.clone()).collect();
        let id = part.repository.id;
        let before = self.looked.0.remove(&id).filter(|seen| seen.packs.is_subset(&names));
        let (bench, is_whole) = match before {
            Some(seen) => {
                let is_whole = self.while_noting(look_on(self.app, &seen, &packs, part)).await?;
                (seen.bench, is_whole)
            }
            None => self.while_noting(look_at(self.app, &packs, part)).await?,
        };
        if !is_whole {
            let word = word(&part.repository);
            return Err(Halt::Failed(format!(
                "The {word} repository lacks objects that its refs lead to; see tenon check."
            )));
        }
        let tips = part.refs.iter().map(|one| one.object_id).collect();
        self.looked.0.insert(id, Seen { bench, packs: names, tips });
        Ok(())
    }

    /// A pack as it is read where it goes to.
    fn there(&self, pack: &MovingPack) -> Result<Pack> {
        let (pack_key, index_key) = self.keys(pack)?;
        Ok(Pack {
            name: pack.name.clone(),
            pack_key,
            index_key,
            pack_size: pack.pack_size,
            index_size: pack.index_size,
        })
    }
}

/// Looks at everything.
async fn look_at(app: &App, packs: &[Pack], part: &Part) -> Result<(Workbench, bool)> {
    let bench = Workbench::new(app, "move").await?;
    let refs = Some((&part.repository.head, part.refs.as_slice()));
    cache::build(app, bench.folder(), packs, refs).await?;
    // Git leaves refs out that lead nowhere, where it looks for them itself.
    let all = told(part, &HashSet::new());
    let is_whole = walk(app, &bench, &["rev-list", "--objects", "--stdin", "--quiet"], all).await?;
    Ok((bench, is_whole))
}

/// Looks at what refs lead to that were elsewhere before.
async fn look_on(app: &App, seen: &Seen, packs: &[Pack], part: &Part) -> Result<bool> {
    cache::build(app, seen.bench.folder(), packs, None).await?;
    let new = told(part, &seen.tips);
    if new.is_empty() {
        return Ok(true);
    }
    let beyond = &["rev-list", "--objects", "--stdin", "--not", "--all", "--quiet"];
    walk(app, &seen.bench, beyond, new).await
}

/// What refs lead to, but for what is known, a line each.
fn told(part: &Part, known: &HashSet<ObjectId>) -> String {
    let tips: HashSet<ObjectId> = part.refs.iter().map(|one| one.object_id).collect();
    tips.difference(known).map(|id| format!("{id}\n")).collect()
}

/// Whether git finds all objects on its way.
async fn walk(app: &App, bench: &Workbench, arguments: &[&str], told: String) -> Result<bool> {
    let asking = app.kept::<Git>().at(app, bench.folder()).await?.args(arguments);
    let answered = asking.ask(told.into_bytes(), ANSWER, PATIENCE).await?;
    Ok(answered.ended.succeeded)
}
