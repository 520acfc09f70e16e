//! Repositories as bundles: one file that git makes and reads, a list of refs and a pack.
//! What comes in goes the way of a push's objects and is told to nobody.

use crate::access::Found;
use crate::cache::{self, Having};
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::git::Git;
use crate::hidden::HiddenRequests;
use crate::model::Repository;
use crate::output::Output;
use crate::place::Place;
use crate::receive::limits::PushLimits;
use crate::receive::objects;
use crate::rules::moves::{self, Change, Outcome, RefMove};
use crate::store::{self, refs};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use kernel::app::App;
use kernel::error::{Error, Result};
use std::collections::HashMap;

/// Most bytes before the pack, and most refs in them.
const HEADER: usize = 128 * 1024 * 1024;
const REFS: usize = 1_000_000;
/// What bundles of objects named by SHA-1 begin with.
const SIGNATURES: [&str; 2] = ["# v2 git bundle", "# v3 git bundle"];
const SHA1: &str = "@object-format=sha1";
/// Refs of ours that are part of what a project has.
const OURS: [&str; 2] = ["refs/merge-requests/", "refs/keep-around/"];

/// The bundle of all refs of a repository as git writes it; none where there are no refs.
pub async fn write(app: &App, repository: i64) -> Result<Option<Output>> {
    if !app.read(move |tx| refs::any(tx, repository)).await? {
        return Ok(None);
    }
    let seat = app.kept::<Git>().seat().await?;
    let copy = cache::copy(app, repository, Having::ObjectsAndRefs).await?;
    let git = app.kept::<Git>().at(app, copy.folder()).await?;
    let git = git.args(["bundle", "create", "--quiet", "--version=2", "-", "--all"]);
    let mut running = git.start()?;
    drop(running.stdin());
    let stdout = running.stdout().ok_or_else(|| Error::internal("git has no output"))?;
    let output = Output::of(running, stdout, (copy, seat), |ended| ended.check("git bundle"));
    Ok(Some(output))
}

/// Brings a bundle into a repository, which is made where there is none; how many refs it
/// has of it. Refs that are there stay. HEAD is to stand for this branch in an empty one.
///
/// # Errors
///
/// `BadRequest` if it is no bundle, leads to objects that it lacks, or git refuses these.
pub async fn read(
    app: &App, place: &Place, head: Option<&str>,
    mut body: impl Stream<Item = Result<Bytes>> + Unpin + Send,
) -> Result<usize> {
    let (wanted, first) = begin(&mut body).await?;
    let head = head.and_then(|name| RefName::branch(name).ok());
    let head = head.filter(|name| wanted.contains_key(name));
    let (place, heading) = (place.clone(), head.clone());
    let repository = app.write(move |tx| {
        let repository = store::of(tx, place.holder())?;
        let found = Found {
            place: place.clone(),
            repository,
            hidden: HiddenRequests::default(),
        };
        found.check_writable()?;
        let repository = found.made(tx)?;
        if let Some(head) = &heading
            && !refs::any(tx, repository.id)?
        {
            store::set_head(tx, repository.id, head)?;
        }
        Ok(repository)
    });
    let repository = repository.await?;
    let wanted = missing(app, &repository, wanted).await?;
    if wanted.is_empty() {
        return Ok(0);
    }
    let seat = app.kept::<Git>().seat().await?;
    let received = objects::receive(app, repository.id, PushLimits::NONE, first, body).await?;
    drop(seat);
    let quarantine = received.map_err(Error::BadRequest)?;
    let ids: Vec<ObjectId> = wanted.values().copied().collect();
    let tips = quarantine.tips(app, &ids).await?;
    let mut all = Vec::with_capacity(wanted.len());
    for (name, new) in wanted {
        let Some(tip) = tips.get(&new) else {
            return Err(Error::BadRequest(format!("{name} leads to an object that is missing")));
        };
        all.push(RefMove { name, old: ObjectId::ZERO, new, peeled: tip.peeled });
    }
    let change = Change {
        repository: repository.id,
        moves: all,
        packs: quarantine.store(app, &repository).await?.into_iter().collect(),
        epoch: quarantine.epoch().unwrap_or(repository.epoch),
        atomic: false,
        heads: head.into_iter().collect(),
        push: None,
    };
    match app.write(move |tx| moves::move_refs(tx, &change)).await? {
        Outcome::Done(results) => Ok(results.iter().filter(|one| one.is_ok()).count()),
        _ => Err(Error::Unavailable("The repository was changed meanwhile.".into())),
    }
}

/// Those of some refs that the repository lacks.
async fn missing(
    app: &App, repository: &Repository, wanted: HashMap<RefName, ObjectId>,
) -> Result<HashMap<RefName, ObjectId>> {
    let id = repository.id;
    app.read(move |tx| {
        let names: Vec<&RefName> = wanted.keys().collect();
        let there = refs::current(tx, id, &names)?;
        Ok(wanted.into_iter().filter(|(name, _)| !there.contains_key(name)).collect())
    })
    .await
}

/// Reads the refs of a bundle; the second is what came of the pack with them.
async fn begin(
    body: &mut (impl Stream<Item = Result<Bytes>> + Unpin + Send),
) -> Result<(HashMap<RefName, ObjectId>, Bytes)> {
    let mut come = BytesMut::new();
    let mut looked = 0;
    loop {
        let end = come[looked..].windows(2).position(|two| two == b"\n\n");
        if let Some(end) = end.map(|at| looked + at) {
            let header = come.split_to(end + 2);
            return Ok((header_of(&header[..end])?, come.freeze()));
        }
        looked = come.len().saturating_sub(1);
        match body.next().await {
            Some(bytes) if come.len() <= HEADER => come.extend_from_slice(&bytes?),
            _ => return Err(no_bundle()),
        }
    }
}

fn header_of(bytes: &[u8]) -> Result<HashMap<RefName, ObjectId>> {
    let text = std::str::from_utf8(bytes).map_err(|_| no_bundle())?;
    let mut lines = text.lines();
    let signature = lines.next().unwrap_or_default();
    if !SIGNATURES.contains(&signature) {
        return Err(no_bundle());
    }
    let mut found = HashMap::new();
    for line in lines {
        if line == SHA1 && signature == SIGNATURES[1] {
            continue;
        }
        if line.starts_with('-') {
            return Err(Error::BadRequest("the bundle holds a part of a history only".into()));
        }
        let (id, name) = line.split_once(' ').ok_or_else(no_bundle)?;
        let id: ObjectId = id.parse().map_err(|_| no_bundle())?;
        let name = name.parse::<RefName>().ok().filter(is_taken);
        if let Some(name) = name {
            found.insert(name, id);
        }
        if found.len() > REFS {
            return Err(Error::BadRequest("the bundle has too many refs".into()));
        }
    }
    Ok(found)
}

/// HEAD and what is for a moment only are left out.
fn is_taken(name: &RefName) -> bool {
    name.is_writable() || OURS.iter().any(|prefix| name.as_str().starts_with(prefix))
}

fn no_bundle() -> Error {
    Error::BadRequest("it is no bundle of git".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;

    const ID: &str = "0123456789012345678901234567890123456789";

    async fn began(pieces: &[&str]) -> Result<(Vec<String>, Bytes)> {
        let pieces: Vec<Result<Bytes>> = pieces
            .iter()
            .map(|piece| Ok(Bytes::copy_from_slice(piece.as_bytes())))
            .collect();
        let (found, rest) = begin(&mut stream::iter(pieces)).await?;
        let mut names: Vec<String> = found.keys().map(RefName::to_string).collect();
        names.sort();
        Ok((names, rest))
    }

    #[tokio::test]
    async fn refs_are_read_wherever_the_pieces_end() {
        let text = format!(
            "# v2 git bundle\n{ID} HEAD\n{ID} refs/heads/main\n{ID} refs/tmp/x\n\
             {ID} refs/merge-requests/1/head\n\nPACK"
        );
        for cut in [1, 17, text.len() - 6, text.len() - 5, text.len() - 4] {
            let (names, rest) = began(&[&text[..cut], &text[cut..]]).await.expect("a bundle");
            assert_eq!(names, ["refs/heads/main", "refs/merge-requests/1/head"], "{cut}");
            assert!("PACK".ends_with(std::str::from_utf8(&rest).expect("a text")), "{cut}");
        }
    }

    #[tokio::test]
    async fn what_is_no_whole_bundle_is_refused() {
        for text in [
            "",
            "# v2 git bundle\n",
            "# v9 git bundle\n\nPACK",
            "# v2 git bundle\nnothing\n\nPACK",
            &format!("# v2 git bundle\n-{ID} a commit\n{ID} refs/heads/main\n\nPACK"),
            "# v3 git bundle\n@object-format=sha256\n\nPACK",
        ] {
            assert!(matches!(began(&[text]).await, Err(Error::BadRequest(_))), "{text}");
        }
    }
}
