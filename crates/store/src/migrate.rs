//! Numbered migrations, one text for both engines. A statement that begins
//! `on sqlite` or `on postgres` is for that engine alone.

use crate::config::Context;
use crate::sql::{Piece, pieces};
use crate::tx::{Session, Tx};
use crate::{Engine, Error, Result};
use sha2::{Digest, Sha256};

/// One step of the schema.
///
/// Types have their PostgreSQL names. `id identity` declares the identity
/// column, `text` columns sort by bytes on both engines. Statements end with
/// `;` at the end of a line.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Its place in the order; never reused.
    pub number: i64,
    /// What it adds.
    pub name: &'static str,
    /// Its statements; never changed once released.
    pub sql: &'static str,
}

impl Migration {
    fn checksum(&self) -> String {
        Sha256::digest(self.sql).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Any number that no other program uses as its advisory lock.
const LOCK: i64 = 0x7e40_5c4e_3a00;

const LEDGER: &str = "create table if not exists schema_migrations (
    number bigint primary key, name text not null, checksum text not null,
    applied_at timestamptz not null)";

/// Whether any migration was applied.
pub(crate) fn has_run(session: &mut dyn Session, context: &Context) -> Result<bool> {
    let ledger = match session.engine() {
        Engine::Sqlite => "select 1 from sqlite_schema where name = 'schema_migrations'",
        Engine::Postgres => "select 1 where to_regclass('schema_migrations') is not null",
    };
    let mut tx = Tx::new(session, context, context.now());
    let known: Option<i64> = match tx.optional::<i64>(ledger, ())? {
        Some(_) => tx.optional("select number from schema_migrations limit 1", ())?,
        None => None,
    };
    Ok(known.is_some())
}

/// Applies what is missing, each migration in its own transaction.
pub(crate) fn run(
    session: &mut dyn Session, context: &Context, migrations: &[Migration],
) -> Result<()> {
    let locks = session.engine() == Engine::Postgres;
    if locks {
        session.batch(&format!("select pg_advisory_lock({LOCK})"))?;
    }
    while step(session, context, migrations)? {}
    if locks {
        session.batch(&format!("select pg_advisory_unlock({LOCK})"))?;
    }
    Ok(())
}

/// Applies the first missing migration; false when none was missing.
fn step(session: &mut dyn Session, context: &Context, migrations: &[Migration]) -> Result<bool> {
    session.batch(match session.engine() {
        Engine::Sqlite => "begin immediate",
        Engine::Postgres => "begin",
    })?;
    let applied = apply_next(session, context, migrations);
    session.batch(if applied.is_ok() { "commit" } else { "rollback" })?;
    applied
}

fn apply_next(
    session: &mut dyn Session, context: &Context, migrations: &[Migration],
) -> Result<bool> {
    session.batch(LEDGER)?;
    let now = context.now();
    let applied: Vec<(i64, String)> = Tx::new(&mut *session, context, now)
        .all("select number, checksum from schema_migrations order by number", ())?;
    compare(&applied, migrations)?;
    let mut missing: Vec<&Migration> = migrations
        .iter()
        .filter(|m| !applied.iter().any(|(number, _)| *number == m.number))
        .collect();
    missing.sort_by_key(|migration| migration.number);
    let Some(migration) = missing.first() else {
        return Ok(false);
    };
    for statement in statements(migration.sql, session.engine()) {
        session.batch(&statement).map_err(|error| {
            Error::Engine(format!("migration {} ({}): {error}", migration.number, migration.name))
        })?;
    }
    Tx::new(session, context, now).execute(
        "insert into schema_migrations (number, name, checksum, applied_at) values ($1, $2, $3, $4)",
        (migration.number, migration.name, migration.checksum(), now),
    )?;
    tracing::info!(number = migration.number, name = migration.name, "migration applied");
    Ok(true)
}

fn compare(applied: &[(i64, String)], migrations: &[Migration]) -> Result<()> {
    let known = migrations.iter().map(|migration| migration.number).max().unwrap_or(0);
    for (number, checksum) in applied {
        let Some(migration) = migrations.iter().find(|m| m.number == *number) else {
            return Err(Error::NewerSchema { found: *number, known });
        };
        if migration.checksum() != *checksum {
            return Err(Error::ChangedMigration { number: *number });
        }
    }
    Ok(())
}

/// The statements of a migration in an engine's words.
fn statements(sql: &str, engine: Engine) -> Vec<String> {
    let mut all = Vec::new();
    let mut one = Vec::new();
    let mut rest = pieces(sql).peekable();
    while let Some(piece) = rest.next() {
        let ends_line = match rest.peek() {
            None | Some(Piece::Comment(_)) => true,
            Some(Piece::Space(space)) => space.contains('\n'),
            _ => false,
        };
        match piece {
            Piece::Other(";") if ends_line => all.push(std::mem::take(&mut one)),
            Piece::Comment(_) => {}
            piece => one.push(piece),
        }
    }
    all.push(one);
    let meant = |one: &&Vec<Piece<'_>>| one.iter().any(|p| !matches!(p, Piece::Space(_)));
    let ours = all.iter().filter(meant).filter_map(|one| meant_for(one, engine));
    ours.map(|one| declared(one, engine)).collect()
}

/// A statement without the words that say which engine it is for; none if it is
/// for the other.
fn meant_for<'a, 's>(pieces: &'a [Piece<'s>], engine: Engine) -> Option<&'a [Piece<'s>]> {
    let begin = pieces.iter().position(|piece| !matches!(piece, Piece::Space(_)))?;
    let only = match pieces.get(begin + 2) {
        Some(word) if word.is_word("sqlite") => Engine::Sqlite,
        Some(word) if word.is_word("postgres") => Engine::Postgres,
        _ => return Some(pieces),
    };
    match pieces[begin].is_word("on") {
        true if only != engine => None,
        true => pieces.get(begin + 3..),
        false => Some(pieces),
    }
}

/// One statement with its column types translated.
fn declared(pieces: &[Piece<'_>], engine: Engine) -> String {
    let mut words = pieces.iter().filter(|piece| !matches!(piece, Piece::Space(_)));
    let defines = words.next().is_some_and(|p| p.is_word("create") || p.is_word("alter"))
        && words.next().is_some_and(|p| p.is_word("table"));
    let mut before = Piece::Other("(");
    let mut out = String::new();
    for piece in pieces {
        let column = defines && names_column(before);
        out.push_str(match (*piece, engine) {
            (p, Engine::Postgres) if column && p.is_word("text") => "text collate \"C\"",
            (p, Engine::Postgres) if column && p.is_word("identity") => {
                "bigint generated by default as identity primary key"
            }
            (p, Engine::Sqlite) if column && p.is_word("identity") => {
                "integer primary key autoincrement"
            }
            // Under the name jsonb SQLite would turn the text 1 into a number.
            (p, Engine::Sqlite) if column && p.is_word("jsonb") => "text",
            (p, _) => p.text(),
        });
        if !matches!(piece, Piece::Space(_)) {
            before = *piece;
        }
    }
    out.trim().to_owned()
}

/// Whether a type may follow: after a name that is no keyword.
fn names_column(before: Piece<'_>) -> bool {
    let keywords = [
        "add",
        "column",
        "as",
        "exists",
        "drop",
        "rename",
        "to",
        "by",
        "on",
        "constraint",
        "and",
        "or",
        "not",
    ];
    match before {
        Piece::Word(_) => !keywords.iter().any(|keyword| before.is_word(keyword)),
        Piece::Quoted(name) => name.starts_with('"'),
        _ => false,
    }
}
