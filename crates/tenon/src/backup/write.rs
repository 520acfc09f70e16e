//! Writing an archive.

use super::{ABOUT, About, FILES, FORMAT, KEYS, TABLES, key_file, rows};
use crate::options::Options;
use crate::schema::{Table, tables};
use crate::{Outcome, progress, system, told, wiring};
use futures_util::TryStreamExt;
use kernel::app::App;
use kernel::blobs_sweep;
use kernel::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Instant;

/// How long deleted files are kept for the backup at a time; half of it is
/// enough to copy the largest file.
const KEEP_SECONDS: i64 = 2 * 60 * 60;

/// Writes the archive beside its place and moves it there when it is whole.
/// Its mode is 0600: it holds digests, and mostly the keys.
pub async fn write(options: Options, to: &Path) -> Outcome<String> {
    if to.exists() {
        return Err(format!("{} exists already", to.display()));
    }
    let is_apart = options.keys.is_some();
    let key_file = key_file(&options);
    let (app, _) = wiring::assemble_existing(options).await?;
    let keys = match is_apart {
        true => None,
        false => Some(
            std::fs::read(&key_file).map_err(|error| format!("{}: {error}", key_file.display()))?,
        ),
    };
    let folder = match to.parent() {
        Some(folder) if folder.as_os_str() != "" => folder,
        _ => Path::new("."),
    };
    let cannot = |error: std::io::Error| format!("{}: {error}", to.display());
    let part = tempfile::Builder::new()
        .prefix(".tenon-backup")
        .make_in(folder, |path| {
            OpenOptions::new().create_new(true).write(true).mode(0o600).open(path)
        })
        .map_err(cannot)?;
    let mut archive = Archive { out: BufWriter::new(part.as_file()) };
    let filled = copy(&app, folder, &mut archive, keys).await;
    let forgotten = blobs_sweep::keep_for(&app, 0).await;
    let files = filled.map_err(told)?;
    forgotten.map_err(told)?;
    archive.finish().map_err(cannot)?;
    part.persist_noclobber(to).map_err(|error| cannot(error.error))?;
    let advice = match is_apart {
        true => "it does not hold the keys: keep TENON_KEYS, no restore works without them",
        false => "it holds the keys: keep it where nobody else reads it",
    };
    Ok(format!("wrote {} with {files} files; {advice}", to.display()))
}

/// Everything but the archive's end; how many files it holds.
async fn copy(
    app: &App, folder: &Path, archive: &mut Archive<'_>, keys: Option<Vec<u8>>,
) -> Result<usize> {
    // From before the rows are read, so that no file they name goes meanwhile.
    blobs_sweep::keep_for(app, KEEP_SECONDS).await?;
    let dumped = dump(app, folder).await?;
    archive.fill(app, dumped, keys).await
}

/// Every table in a temporary file, all as of one instant.
async fn dump(app: &App, folder: &Path) -> Result<Vec<(Table, File)>> {
    let folder = folder.to_owned();
    app.read(move |tx| {
        let mut dumped = Vec::new();
        let tables = tables(wiring::migrations());
        let bar = progress::things("tables", tables.len() as u64);
        for table in tables {
            let mut lines = BufWriter::new(tempfile::tempfile_in(&folder)?);
            let mut failed = None;
            tx.each(rows::select(&table), (), |cells| {
                let line = rows::to_line(&table, cells)?;
                if let Err(error) = writeln!(lines, "{line}") {
                    failed.get_or_insert(error);
                }
                Ok(())
            })?;
            if let Some(error) = failed {
                return Err(error.into());
            }
            let mut file = lines.into_inner().map_err(|error| error.into_error())?;
            file.rewind()?;
            dumped.push((table, file));
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(dumped)
    })
    .await
}

struct Archive<'f> {
    out: BufWriter<&'f File>,
}

impl Archive<'_> {
    /// Writes everything but the end; gives how many files were written.
    async fn fill(
        &mut self, app: &App, dumped: Vec<(Table, File)>, keys: Option<Vec<u8>>,
    ) -> Result<usize> {
        let about = About {
            format: FORMAT,
            version: system::VERSION.into(),
            schema: wiring::migrations()
                .iter()
                .map(|migration| migration.number)
                .max()
                .unwrap_or(0),
            created_at: app.now().to_string(),
            keys: app.secrets().names(),
        };
        let about = serde_json::to_vec_pretty(&about).map_err(Error::internal)?;
        self.entry(ABOUT, &mut about.as_slice(), about.len() as u64)?;
        if let Some(keys) = keys {
            self.entry(KEYS, &mut keys.as_slice(), keys.len() as u64)?;
        }
        let mut kept: Vec<(String, i64)> = Vec::new();
        for (table, mut file) in dumped {
            if table.name == "blobs" {
                kept = named(&table, &mut file)?;
            }
            let size = file.metadata()?.len();
            self.entry(&format!("{TABLES}{}.jsonl", table.name), &mut file, size)?;
        }
        self.files(app, &kept).await?;
        Ok(kept.len())
    }

    async fn files(&mut self, app: &App, kept: &[(String, i64)]) -> Result<()> {
        let bar = progress::bytes("files", kept.iter().map(|(_, size)| size.unsigned_abs()).sum());
        let mut missing = 0;
        let mut kept_at = Instant::now();
        for (key, size) in kept {
            if kept_at.elapsed().as_secs() > KEEP_SECONDS.unsigned_abs() / 2 {
                blobs_sweep::keep_for(app, KEEP_SECONDS).await?;
                kept_at = Instant::now();
            }
            let mut bytes = match app.blobs().get(key, None).await {
                Ok((total, bytes)) if total == size.unsigned_abs() => bytes,
                Ok(_) | Err(Error::NotFound(_)) => {
                    missing += 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            self.header(&format!("{FILES}{key}"), size.unsigned_abs())?;
            while let Some(bytes) = bytes.try_next().await? {
                bar.inc(bytes.len() as u64);
                self.out.write_all(&bytes)?;
            }
            self.pad(size.unsigned_abs())?;
        }
        bar.finish_and_clear();
        match missing {
            0 => Ok(()),
            _ => Err(Error::internal(format!(
                "{missing} files are missing or damaged; tenon check names them"
            ))),
        }
    }

    fn entry(&mut self, name: &str, from: &mut impl Read, size: u64) -> Result<()> {
        self.header(name, size)?;
        std::io::copy(from, &mut self.out)?;
        Ok(self.pad(size)?)
    }

    fn header(&mut self, name: &str, size: u64) -> std::io::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_path(name)?;
        header.set_size(size);
        header.set_mode(0o600);
        header.set_cksum();
        self.out.write_all(header.as_bytes())
    }

    /// Entries fill blocks of 512 bytes.
    fn pad(&mut self, size: u64) -> std::io::Result<()> {
        let rest = (512 - size % 512) % 512;
        self.out.write_all(&[0; 512][..rest as usize])
    }

    /// Two empty blocks end an archive.
    fn finish(mut self) -> std::io::Result<()> {
        self.out.write_all(&[0; 1024])?;
        self.out.flush()?;
        self.out.get_ref().sync_all()
    }
}

/// Key and size of each file in the dumped table `blobs`.
fn named(table: &Table, file: &mut File) -> Result<Vec<(String, i64)>> {
    use std::io::BufRead;
    let mut found = Vec::new();
    for line in std::io::BufReader::new(&mut *file).lines() {
        match rows::from_line(table, &line?)?.as_slice() {
            [store::Value::Text(key), store::Value::Int(size), ..] => {
                found.push((key.clone(), *size))
            }
            _ => return Err(Error::internal("the table of files has another shape")),
        }
    }
    file.rewind()?;
    Ok(found)
}
