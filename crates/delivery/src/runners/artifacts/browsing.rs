//! What an archive has in a folder: its list of files is read, the files are not.

use crate::formats::zip_directory::{END, Entry, entries, place};
use crate::runners::store::artifacts::Artifact;
use bytes::BytesMut;
use futures_util::StreamExt;
use kernel::app::App;
use kernel::error::Result;
use std::collections::BTreeMap;
use std::ops::Range;

/// Rows of one folder that are shown.
const MOST: usize = 2_000;

/// A folder of an archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folder {
    /// Names of folders in it.
    pub folders: Vec<String>,
    /// Names and sizes of files in it.
    pub files: Vec<(String, u64)>,
    /// It has more than is shown.
    pub is_cut: bool,
}

/// Everything that the archive of a job has; none where it cannot be read.
pub async fn listed(app: &App, file: &Artifact) -> Result<Option<Vec<Entry>>> {
    let size = file.size.unsigned_abs();
    if size == 0 {
        return Ok(None);
    }
    let end = part(app, file, size.saturating_sub(END)..size).await?;
    let Some(place) = place(&end, size).filter(|place| !place.is_empty()) else {
        return Ok(None);
    };
    let list = part(app, file, place).await?;
    Ok(entries(&list))
}

async fn part(app: &App, file: &Artifact, range: Range<u64>) -> Result<BytesMut> {
    let (_, mut bytes) = app.blobs().get(&file.blob_key, Some(range)).await?;
    let mut all = BytesMut::new();
    while let Some(more) = bytes.next().await {
        all.extend_from_slice(&more?);
    }
    Ok(all)
}

/// What stands right in a folder, which ends with a slash unless it is the root; none
/// where nothing is below it.
pub fn folder(all: &[Entry], path: &str) -> Option<Folder> {
    let mut rows: BTreeMap<(bool, &str), u64> = BTreeMap::new();
    let mut is_there = path.is_empty();
    let mut is_cut = false;
    for entry in all {
        let Some(rest) = entry.path.strip_prefix(path) else {
            continue;
        };
        is_there = true;
        if rest.is_empty() || entry.is_link {
            continue;
        }
        let row = match rest.split_once('/') {
            Some((folder, _)) => (false, folder),
            None => (true, rest),
        };
        if rows.len() >= MOST && !rows.contains_key(&row) {
            is_cut = true;
            continue;
        }
        rows.insert(row, entry.size);
    }
    let names = rows.keys().filter(|(is_file, _)| !is_file);
    is_there.then(|| Folder {
        folders: names.map(|(_, name)| (*name).to_owned()).collect(),
        files: rows
            .iter()
            .filter(|((is_file, _), _)| *is_file)
            .map(|((_, name), size)| ((*name).to_owned(), *size))
            .collect(),
        is_cut,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_what_stands_right_in_it() {
        let entry = |path: &str| Entry {
            path: path.to_owned(),
            size: path.len() as u64,
            is_link: path == "link",
        };
        let all = ["b.txt", "out/", "out/a", "out/x/y", "link"].map(entry);
        let root = folder(&all, "").unwrap();
        assert_eq!(root.folders, ["out"]);
        assert_eq!(root.files, [("b.txt".to_owned(), 5)]);
        let out = folder(&all, "out/").unwrap();
        assert_eq!((out.folders, out.files), (vec!["x".to_owned()], vec![("a".to_owned(), 5)]));
        assert_eq!(folder(&all, "gone/"), None);
        assert_eq!(folder(&[], "").unwrap(), Folder::default());
    }
}
