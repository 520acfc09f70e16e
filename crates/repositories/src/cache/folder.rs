//! A copy on the disk: what git finds in the folder.

use super::blocking;
use crate::model::{Pack, Ref};
use kernel::blobs::Blobs;
use kernel::error::Result;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What git is told of a copy. What nobody outside may see is hidden again here, for
/// fetches that git answers itself.
const SETTINGS: &str = "\
[core]
	repositoryformatversion = 0
	bare = true
	bigFileThreshold = 32m
	packedGitWindowSize = 16m
	packedGitLimit = 256m
	deltaBaseCacheLimit = 32m
[transfer]
	hideRefs = refs/keep-around/
	hideRefs = refs/tmp/
	hideRefs = refs/environments/
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[pack]
	threads = 2
	windowMemory = 64m
[gc]
	auto = 0
[maintenance]
	auto = false
";

const REFS: &str = "packed-refs";

pub(super) fn has_refs(folder: &Path) -> bool {
    folder.join(REFS).exists()
}

fn packs_in(folder: &Path) -> PathBuf {
    folder.join("objects").join("pack")
}

/// Makes the folder if it is not there, and gives it these packs; how many bytes came.
pub(super) async fn fill(blobs: &Blobs, folder: &Path, packs: &[Pack]) -> Result<i64> {
    let (at, wanted) = (folder.to_owned(), packs.to_vec());
    let missing = blocking(move || {
        make(&at)?;
        let folder = packs_in(&at);
        Ok(wanted.into_iter().filter(|pack| !is_there(&folder, pack)).collect::<Vec<_>>())
    })
    .await?;
    let (to, mut bytes) = (packs_in(folder), 0);
    for pack in missing {
        // The index last: by it git finds the pack.
        blobs
            .place(&pack.pack_key, &to.join(format!("pack-{}.pack", pack.name)))
            .await?;
        blobs
            .place(&pack.index_key, &to.join(format!("pack-{}.idx", pack.name)))
            .await?;
        bytes += pack.pack_size + pack.index_size;
    }
    Ok(bytes)
}

/// Whether all these packs are there.
pub(super) async fn is_whole(folder: &Path, packs: &[Pack]) -> Result<bool> {
    let (folder, packs) = (packs_in(folder), packs.to_vec());
    blocking(move || Ok(packs.iter().all(|pack| is_there(&folder, pack)))).await
}

fn make(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(packs_in(folder))?;
    std::fs::create_dir_all(folder.join("objects/info"))?;
    std::fs::create_dir_all(folder.join("refs"))?;
    let settings = folder.join("config");
    if !std::fs::read_to_string(&settings).is_ok_and(|text| text == SETTINGS) {
        replace(&settings, SETTINGS)?;
    }
    // Who went away while a copy was made or deleted may have left either without the other.
    match folder.join("HEAD").exists() {
        true => Ok(()),
        false => replace(&folder.join("HEAD"), "ref: refs/heads/main\n"),
    }
}

/// A file that was cut off, as by a crash of the machine, is none.
fn is_there(folder: &Path, pack: &Pack) -> bool {
    let files = [("pack", pack.pack_size), ("idx", pack.index_size)];
    files.iter().all(|(ending, size)| {
        let path = folder.join(format!("pack-{}.{ending}", pack.name));
        match std::fs::metadata(&path) {
            Ok(file) if file.len() == size.unsigned_abs() => true,
            Ok(_) => {
                let _ = std::fs::remove_file(&path);
                false
            }
            Err(_) => false,
        }
    })
}

/// Writes all refs, as `git pack-refs` does.
pub(super) async fn write_refs(folder: &Path, head: &str, refs: &[Ref]) -> Result<()> {
    let mut text = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    for one in refs {
        let _ = writeln!(text, "{} {}", one.object_id, one.name);
        if let Some(peeled) = one.peeled_id {
            let _ = writeln!(text, "^{peeled}");
        }
    }
    let (folder, head) = (folder.to_owned(), format!("ref: {head}\n"));
    blocking(move || {
        replace(&folder.join("HEAD"), &head)?;
        replace(&folder.join(REFS), &text)
    })
    .await
}

/// Writes a file, whole or not at all.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let part =
        path.with_extension(format!("part-{}", hex::encode(kernel::secrets::random_bytes::<8>())));
    std::fs::write(&part, text)?;
    std::fs::rename(&part, path)
}

#[cfg(test)]
mod tests {
    use super::make;

    #[test]
    fn a_copy_that_was_half_made_is_made_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        make(folder.path()).expect("it is made");
        for file in ["HEAD", "config"] {
            std::fs::remove_file(folder.path().join(file)).expect("it is there");
            make(folder.path()).expect("it is made");
            gix::open_opts(folder.path(), gix::open::Options::isolated().open_path_as_is(true))
                .unwrap_or_else(|error| panic!("without {file}: {error}"));
        }
    }
}
