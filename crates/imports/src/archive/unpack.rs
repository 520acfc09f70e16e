//! A file that came is taken apart once: each entry becomes a blob of its own, so that what
//! reads them later begins anywhere, and a file is looked at as a whole before anything of it
//! is brought.

use super::blocking::{Blocking, ours};
use super::format::{END, End, List, MANIFEST, Manifest, is_known};
use super::reading::{self, Bounds, Refused};
use super::settings::FileLimits;
use super::store::{self, FileRow};
use crate::run::Trouble;
use kernel::app::App;
use kernel::blobs::{Received, Stored};
use kernel::error::{Error, Result};
use kernel::pipe::pipe;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use tokio::runtime::Handle;

/// Most bytes of the first entry and of the last one.
const SMALL: u64 = 1024 * 1024;
/// Entries that are noted by one statement.
const BATCH: usize = 200;

/// Takes the file of an import apart; what it says of itself.
pub async fn unpack(app: &App, row: &FileRow) -> Result<Manifest, Trouble> {
    let gone = || Trouble::Refused("The file is not stored any more.".into());
    let key = row.blob_key.clone().ok_or_else(gone)?;
    let limits: FileLimits = app.settings().get(app).await?;
    let (_, bytes) = app.blobs().get(&key, None).await?;
    let (handle, runtime, file) = (app.clone(), Handle::current(), row.id);
    let work = move || {
        let from = Blocking::over(runtime.clone(), bytes);
        let mut taken = Taken::begin(&handle, &runtime, file);
        let mut seen = Seen::default();
        let bounds = Bounds { unpacked: limits.unpacked() };
        let walked =
            reading::walk(from, bounds, |name, size, bytes| match seen.see(name, size, bytes)? {
                true => taken.take(name, bytes),
                false => Ok(()),
            });
        walked.map_err(trouble)?;
        taken.note().map_err(|error| trouble(Refused::Io(error)))?;
        seen.finish().map_err(Trouble::Refused)
    };
    let worked = tokio::task::spawn_blocking(work).await;
    worked.map_err(|error| Trouble::Internal(Error::internal(error)))?
}

/// What was found, or a sentence for whose file it is.
type Told<T> = Result<std::result::Result<T, String>>;

/// What a file says of itself that came whole and is not stored yet, and how many lines each
/// of its lists has.
///
/// # Errors
///
/// What the disk refuses.
pub async fn look(app: &App, file: &Received) -> Told<(Manifest, End)> {
    let limits: FileLimits = app.settings().get(app).await?;
    let opened = file.open()?;
    let bounds = Bounds { unpacked: limits.unpacked() };
    let looked = tokio::task::spawn_blocking(move || {
        let mut seen = Seen::default();
        let walked = reading::walk(opened, bounds, |name, size, bytes| {
            seen.see(name, size, bytes).map(drop)
        });
        match walked {
            Ok(()) => Ok(seen.whole()),
            Err(Refused::File(text)) => Ok(Err(text)),
            Err(Refused::Io(error)) => Err(Error::of_storage(error)),
        }
    });
    looked.await.map_err(Error::internal)?
}

/// The first entry of such a file alone.
///
/// # Errors
///
/// As [`look`].
pub async fn manifest(file: &Received) -> Told<Manifest> {
    let opened = file.open()?;
    let looked = tokio::task::spawn_blocking(move || {
        let mut seen = Seen::default();
        // The first entry is all that is wanted: what ends the reading is no failure.
        let walked = reading::walk(opened, Bounds::NONE, |name, size, bytes| {
            seen.see(name, size, bytes)?;
            Err(io::Error::from(io::ErrorKind::Interrupted))
        });
        match (seen.manifest, walked) {
            (Some(found), _) => found,
            (None, Err(Refused::File(text))) => Err(text),
            (None, _) => Err("The file is no export of a project.".into()),
        }
    });
    looked.await.map_err(Error::internal)
}

fn trouble(refused: Refused) -> Trouble {
    match refused {
        Refused::File(text) => Trouble::Refused(text),
        Refused::Io(error) => Trouble::Internal(ours(error).unwrap_or_else(Error::of_storage)),
    }
}

/// What was seen of a file.
#[derive(Default)]
struct Seen {
    manifest: Option<std::result::Result<Manifest, String>>,
    end: Option<End>,
    entries: u64,
    /// Whether the last entry is the end.
    is_over: bool,
}

impl Seen {
    /// Sees an entry; whether its bytes are to be taken.
    fn see(&mut self, name: &str, size: u64, bytes: &mut dyn Read) -> io::Result<bool> {
        self.is_over = name == END;
        if self.entries == 0 && name != MANIFEST {
            self.manifest = Some(Err("The file is no export of a project.".into()));
        }
        match name {
            MANIFEST if self.entries == 0 => {
                self.manifest = Some(match small(size, bytes)? {
                    Some(text) => Manifest::read(&text),
                    None => Err(format!("{MANIFEST} is too large.")),
                });
            }
            END => {
                self.end = small(size, bytes)?.and_then(|text| serde_json::from_slice(&text).ok())
            }
            _ => {}
        }
        if !self.is_over {
            self.entries += 1;
        }
        Ok(is_known(name) && matches!(self.manifest, Some(Ok(_))))
    }

    /// What the file says of itself, if it is whole.
    fn finish(self) -> std::result::Result<Manifest, String> {
        self.whole().map(|(manifest, _)| manifest)
    }

    fn whole(self) -> std::result::Result<(Manifest, End), String> {
        let manifest = self.manifest.unwrap_or(Err("The file is empty.".into()))?;
        match self.end {
            Some(end) if self.is_over && end.entries == self.entries => Ok((manifest, end)),
            _ => Err("The file is not whole.".into()),
        }
    }
}

/// All bytes of an entry that is not large.
fn small(size: u64, bytes: &mut dyn Read) -> io::Result<Option<Vec<u8>>> {
    if size > SMALL {
        return Ok(None);
    }
    let mut text = Vec::new();
    bytes.take(SMALL).read_to_end(&mut text)?;
    Ok(Some(text))
}

/// Entries that are stored.
struct Taken<'t> {
    app: &'t App,
    runtime: &'t Handle,
    file: i64,
    waiting: Vec<(String, Stored)>,
}

impl<'t> Taken<'t> {
    fn begin(app: &'t App, runtime: &'t Handle, file: i64) -> Taken<'t> {
        Taken { app, runtime, file, waiting: Vec::new() }
    }

    /// Stores the bytes of an entry.
    fn take(&mut self, name: &str, from: &mut dyn Read) -> io::Result<()> {
        let (mut out, pieces) = pipe();
        let app = self.app.clone();
        let storing = self.runtime.spawn(async move { app.blobs().put(pieces, None).await });
        let copied = match copy(from, &mut out) {
            Ok(()) => out.close(),
            Err(error) => {
                out.fail(Error::BadRequest("the file ends early".into()));
                Err(error)
            }
        };
        let stored = self.runtime.block_on(storing).map_err(io::Error::other)?;
        // Where it broke since nobody took what came, who should have knows why.
        if let Err(error) = copied
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            return Err(error);
        }
        self.waiting.push((name.to_owned(), stored.map_err(io::Error::other)?));
        match self.waiting.len() >= BATCH {
            true => self.note(),
            false => Ok(()),
        }
    }

    /// Notes what is stored.
    fn note(&mut self) -> io::Result<()> {
        let (file, members) = (self.file, std::mem::take(&mut self.waiting));
        let noted = self.app.write(move |tx| {
            // Of two entries of one name the last one counts, as everywhere.
            let last: BTreeMap<&String, &Stored> = members.iter().map(|(n, s)| (n, s)).collect();
            let last: Vec<(String, Stored)> =
                last.into_iter().map(|(n, s)| (n.clone(), s.clone())).collect();
            store::put_members(tx, file, &last)
        });
        self.runtime.block_on(noted).map_err(io::Error::other)
    }
}

/// All bytes from one to the other; what fails of the source is told as it is.
fn copy(from: &mut dyn Read, to: &mut impl Write) -> io::Result<()> {
    let mut piece = vec![0; 64 * 1024];
    loop {
        match from.read(&mut piece)? {
            0 => return Ok(()),
            count => to.write_all(&piece[..count])?,
        }
    }
}

/// How many lines each list has, by the list.
pub fn counts(end: &End) -> Vec<(List, u64)> {
    let count = |list: &List| Some((*list, *end.lines.get(list.as_str())?));
    List::ALL.iter().filter_map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn saw(entries: &[(&str, &str)]) -> std::result::Result<Manifest, String> {
        let mut seen = Seen::default();
        for (name, text) in entries {
            let size = text.len() as u64;
            seen.see(name, size, &mut text.as_bytes()).expect("read");
        }
        seen.finish()
    }

    #[test]
    fn a_file_begins_with_what_it_is_and_ends_with_its_end() {
        let manifest = json!({
            "format": "tenon-project", "version": 1, "exported_at": "2031-01-01T00:00:00Z",
            "host": "code.example",
            "project": {"id": 1, "name": "a", "path": "a", "full_path": "x/a"},
        })
        .to_string();
        let manifest = (MANIFEST, manifest.as_str());
        let end = |entries: u64| json!({"entries": entries, "lines": {}}).to_string();
        let (one, two) = (end(1), end(2));
        let labels = ("labels-000001.ndjson", "");
        assert!(saw(&[manifest, (END, &one)]).is_ok());
        assert!(saw(&[manifest, labels, (END, &two)]).is_ok());
        for wrong in [
            &[][..],
            &[manifest],
            &[manifest, labels],
            &[manifest, labels, (END, &one)],
            &[manifest, (END, &one), labels],
            &[labels, manifest, (END, &two)],
            &[manifest, (END, "{")],
        ] {
            assert!(saw(wrong).is_err(), "{wrong:?}");
        }
    }
}
