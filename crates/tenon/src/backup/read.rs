//! Reading an archive.

use super::{ABOUT, About, FILES, FORMAT, KEYS, TABLES, key_file, rows};
use crate::options::Options;
use crate::schema::{Table, tables};
use crate::{Outcome, progress, told, wiring};
use bytes::Bytes;
use futures_util::stream;
use indicatif::ProgressBar;
use kernel::blobs::storage_of;
use kernel::error::{Error, Result};
use kernel::secrets::Secrets;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use store::{Engine, Migration, Store, Tx, Value};

/// Rows of one statement, at most; both engines take 32,766 parameters.
const BATCH: usize = 200;

/// Where each entry of the archive is: position and size.
type Index = HashMap<String, (u64, u64)>;

/// Fills an empty installation. The rows go in as one transaction after the
/// files, so a restore that failed can be tried again.
pub async fn restore(options: Options, from: &Path) -> Outcome<String> {
    let unread = |error: String| format!("{}: {error}", from.display());
    let file = File::open(from).map_err(|error| unread(error.to_string()))?;
    let archive = Archive::open(file).map_err(|error| unread(told(error)))?;
    let known = wiring::migrations();
    let newest = known.iter().map(|migration| migration.number).max().unwrap_or(0);
    if archive.about.schema > newest {
        return Err(format!(
            "the archive was written by a newer program ({}); restore it with that one",
            archive.about.version
        ));
    }
    let part: Vec<Migration> =
        known.iter().copied().filter(|one| one.number <= archive.about.schema).collect();
    let store = wiring::open_store_with(&options, &part)?;
    let _lock = store.serve_lock().map_err(|error| match error {
        store::Error::InUse => "a server uses this database; stop it first".to_owned(),
        error => error.to_string(),
    })?;
    let tables = tables(&part);
    refuse_filled(&store, &tables).await?;
    archive.restore_keys(&options)?;
    let blobs = wiring::open_blobs(&options)?;
    let files = archive.restore_files(&blobs).await.map_err(told)?;
    let archive = Arc::new(archive);
    let count = tables.len();
    restore_rows(&store, archive, tables).await.map_err(told)?;
    drop(_lock);
    drop(store);
    wiring::open_store(&options)?;
    Ok(format!("restored {count} tables and {files} files"))
}

async fn refuse_filled(store: &Store, tables: &[Table]) -> Outcome {
    for table in tables {
        let text = format!("select 1 from {} limit 1", table.name);
        let found: Option<rows::Cells> = store
            .read(move |tx| tx.optional(text.as_str(), ()))
            .await
            .map_err(|error: store::Error| error.to_string())?;
        if found.is_some() {
            return Err(format!(
                "restore needs an empty database, but {} has rows; name another --data or --database-url",
                table.name
            ));
        }
    }
    Ok(())
}

async fn restore_rows(store: &Store, archive: Arc<Archive>, tables: Vec<Table>) -> Result<()> {
    let engine = store.engine();
    store
        .write(move |tx| {
            let bar = progress::things("tables", tables.len() as u64);
            for table in &tables {
                load(tx, &archive, table)?;
                if engine == Engine::Postgres {
                    continue_numbers(tx, table)?;
                }
                bar.inc(1);
            }
            bar.finish_and_clear();
            Ok(())
        })
        .await
}

/// Inserts a table's rows. What refers to a row of the same table is set once
/// all are there.
fn load(tx: &mut Tx<'_>, archive: &Archive, table: &Table) -> Result<()> {
    let own: Vec<usize> = (0..table.columns.len())
        .filter(|at| table.columns[*at].refers_to.as_ref() == Some(&table.name))
        .collect();
    let mut later: Vec<(usize, Value, Value)> = Vec::new();
    let mut batch = Vec::new();
    for line in archive.lines(&format!("{TABLES}{}.jsonl", table.name))? {
        let mut row = rows::from_line(table, &line?)?;
        for at in &own {
            let empty = Value::Null(table.columns[*at].kind);
            let target = std::mem::replace(&mut row[*at], empty);
            if !matches!(target, Value::Null(_)) {
                later.push((*at, row[0].clone(), target));
            }
        }
        batch.push(row);
        if batch.len() == BATCH {
            insert(tx, table, std::mem::take(&mut batch))?;
        }
    }
    insert(tx, table, batch)?;
    for (at, id, target) in later {
        let (name, column, key) = (&table.name, &table.columns[at].name, &table.columns[0].name);
        tx.execute(format!("update {name} set {column} = $2 where {key} = $1"), vec![id, target])?;
    }
    Ok(())
}

fn insert(tx: &mut Tx<'_>, table: &Table, rows: Vec<Vec<Value>>) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let width = table.columns.len();
    let tuple = |row: usize| {
        let places: Vec<String> = (1..=width).map(|at| format!("${}", row * width + at)).collect();
        format!("({})", places.join(", "))
    };
    let tuples: Vec<String> = (0..rows.len()).map(tuple).collect();
    let text = format!(
        "insert into {} ({}) values {}",
        table.name,
        rows::names(table),
        tuples.join(", ")
    );
    tx.execute(text, rows.into_iter().flatten().collect::<Vec<Value>>())?;
    Ok(())
}

/// PostgreSQL numbers the next row from a sequence that inserts with a given
/// number do not move; SQLite looks at the rows.
fn continue_numbers(tx: &mut Tx<'_>, table: &Table) -> Result<()> {
    for column in table.columns.iter().filter(|column| column.is_identity) {
        let (name, column) = (&table.name, &column.name);
        tx.all::<i64>(
            format!(
                "select setval(pg_get_serial_sequence('{name}', '{column}'), \
                 (select coalesce(max({column}), 0) + 1 from {name}), false)"
            ),
            (),
        )?;
    }
    Ok(())
}

struct Archive {
    file: File,
    index: Index,
    about: About,
}

impl Archive {
    fn open(file: File) -> Result<Archive> {
        let mut index = Index::new();
        for entry in tar::Archive::new(&file).entries_with_seek()? {
            let entry = entry?;
            let name = entry.path()?.display().to_string();
            index.insert(name, (entry.raw_file_position(), entry.size()));
        }
        let mut archive = Archive { file, index, about: About::default() };
        let not_ours = || Error::internal("not a backup of tenon");
        let about = archive.bytes(ABOUT)?.ok_or_else(not_ours)?;
        archive.about = serde_json::from_slice(&about).map_err(|_| not_ours())?;
        match archive.about.format {
            FORMAT => Ok(archive),
            _ => Err(Error::internal("the archive has a layout this program does not know")),
        }
    }

    fn part(&self, name: &str) -> Result<Option<std::io::Take<File>>> {
        let Some((position, size)) = self.index.get(name).copied() else {
            return Ok(None);
        };
        // Handles of one file share its position, and parts are read in turn.
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(position))?;
        Ok(Some(file.take(size)))
    }

    fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(mut part) = self.part(name)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    fn lines(&self, name: &str) -> Result<impl Iterator<Item = std::io::Result<String>>> {
        let part = self.part(name)?.ok_or_else(|| Error::internal(format!("{name} is missing")))?;
        Ok(BufReader::new(part).lines())
    }

    /// Puts the key file in place where the environment gives no keys, and
    /// refuses to go on without any key the archive's secrets need.
    fn restore_keys(&self, options: &Options) -> Outcome {
        let held = self.bytes(KEYS).map_err(told)?;
        match (&held, &options.keys) {
            (_, Some(_)) => {}
            (Some(keys), None) => place_keys(&key_file(options), keys)?,
            (None, None) => {
                return Err(
                    "the archive does not hold its keys; set TENON_KEYS to those it was written with"
                        .into(),
                );
            }
        }
        let known = Secrets::open(&key_file(options), options.keys.clone()).map_err(told)?.names();
        let lacking = |name: &&String| !known.contains(name);
        match self.about.keys.iter().find(lacking) {
            None => Ok(()),
            Some(name) if held.is_some() => Err(format!(
                "TENON_KEYS lacks the key {name} of the archive; add it, or unset TENON_KEYS to use the archive's keys"
            )),
            Some(name) => {
                Err(format!("TENON_KEYS lacks the key {name}, which the archive was written with"))
            }
        }
    }

    async fn restore_files(&self, blobs: &kernel::blobs::Blobs) -> Result<usize> {
        let files: Vec<(&str, &String, u64)> = self
            .index
            .iter()
            .filter_map(|(name, (_, size))| Some((name.strip_prefix(FILES)?, name, *size)))
            .collect();
        let unknown = files.iter().find(|(key, ..)| blobs.storage(storage_of(key)).is_err());
        if let Some((key, ..)) = unknown {
            let name = storage_of(key);
            return Err(Error::internal(format!(
                "the archive has files of the storage {name}; name it with --storage {name}=URL"
            )));
        }
        let bar = progress::bytes("files", files.iter().map(|(_, _, size)| size).sum());
        for (key, name, size) in &files {
            let part = self.part(name)?.ok_or_else(|| Error::internal("an entry vanished"))?;
            let storage = blobs.storage(storage_of(key))?;
            let stored = storage.put(stream::iter(Chunks { part, bar: bar.clone() }), None).await?;
            if stored.key != *key || stored.size != *size {
                return Err(Error::internal(format!("{name} is damaged")));
            }
        }
        bar.finish_and_clear();
        Ok(files.len())
    }
}

/// Writes the key file; other keys there are a mistake.
fn place_keys(path: &Path, keys: &[u8]) -> Outcome {
    let cannot = |error: std::io::Error| format!("{}: {error}", path.display());
    if path.exists() {
        return match std::fs::read(path).map_err(cannot)? == keys {
            true => Ok(()),
            false => Err(format!("{} holds other keys; name another --data", path.display())),
        };
    }
    let mut file = File::options()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(path)
        .map_err(cannot)?;
    file.write_all(keys).and_then(|()| file.sync_all()).map_err(cannot)
}

/// An entry's bytes in pieces.
struct Chunks {
    part: std::io::Take<File>,
    bar: ProgressBar,
}

impl Iterator for Chunks {
    type Item = Result<Bytes>;
    fn next(&mut self) -> Option<Result<Bytes>> {
        let mut chunk = vec![0; 256 * 1024];
        match self.part.read(&mut chunk) {
            Ok(0) => None,
            Ok(read) => {
                chunk.truncate(read);
                self.bar.inc(read as u64);
                Some(Ok(chunk.into()))
            }
            Err(error) => Some(Err(error.into())),
        }
    }
}
