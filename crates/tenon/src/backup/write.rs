//! Writing an archive.

use super::{ABOUT, About, FILES, FORMAT, KEYS, TABLES, key_file, rows};
use crate::options::Options;
use crate::schema::{Table, tables};
use crate::{Outcome, progress, system, wiring};
use futures_util::TryStreamExt;
use kernel::app::App;
use kernel::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use store::sql;

/// Writes the archive beside its place and moves it there when it is whole.
/// Its mode is 0600: it holds the keys.
pub async fn write(options: Options, to: &Path) -> Outcome<String> {
    if to.exists() {
        return Err(format!("{} exists already", to.display()));
    }
    let keys = std::fs::read(key_file(&options)).ok();
    let (app, _) = wiring::assemble(options).await?;
    let folder = match to.parent() {
        Some(folder) if folder.as_os_str() != "" => folder,
        _ => Path::new("."),
    };
    let cannot = |error: std::io::Error| format!("{}: {error}", to.display());
    let part = tempfile::Builder::new()
        .prefix(".tenon-backup")
        .make_in(folder, |path| {
            OpenOptions::new()
                .create_new(true)
                .write(true)
                .mode(0o600)
                .open(path)
        })
        .map_err(cannot)?;
    let dumped = dump(&app, folder)
        .await
        .map_err(|error| error.to_string())?;
    let mut archive = Archive {
        out: BufWriter::new(part.as_file()),
    };
    let files = archive
        .fill(&app, dumped, keys)
        .await
        .map_err(|error| error.to_string())?;
    archive.finish().map_err(cannot)?;
    part.persist_noclobber(to)
        .map_err(|error| cannot(error.error))?;
    Ok(format!("wrote {} with {files} files", to.display()))
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
        &mut self,
        app: &App,
        dumped: Vec<(Table, File)>,
        keys: Option<Vec<u8>>,
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
        let bar = progress::bytes(
            "files",
            kept.iter().map(|(_, size)| size.unsigned_abs()).sum(),
        );
        let mut vanished = 0;
        for (key, size) in kept {
            let found = match app.blobs().get(key, None).await {
                Ok((total, bytes)) if total == size.unsigned_abs() => Some(bytes),
                Ok(_) | Err(Error::NotFound(_)) => None,
                Err(error) => return Err(error),
            };
            let Some(mut bytes) = found else {
                // Deleted since the rows were read is fine; missing is not.
                vanished += usize::from(still_named(app, key).await?);
                continue;
            };
            self.header(&format!("{FILES}{key}"), size.unsigned_abs())?;
            while let Some(bytes) = bytes.try_next().await? {
                bar.inc(bytes.len() as u64);
                self.out.write_all(&bytes)?;
            }
            self.pad(size.unsigned_abs())?;
        }
        bar.finish_and_clear();
        match vanished {
            0 => Ok(()),
            _ => Err(Error::internal(format!(
                "{vanished} files are missing or damaged; tenon check names them"
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

async fn still_named(app: &App, key: &str) -> Result<bool> {
    let key = key.to_owned();
    let found: Option<i64> = app
        .read(move |tx| Ok(tx.optional(sql!("select size from blobs where key = $1"), (key,))?))
        .await?;
    Ok(found.is_some())
}
