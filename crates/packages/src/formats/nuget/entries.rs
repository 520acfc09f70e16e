//! The versions that documents and feeds tell of, each with what its archive
//! said and its file.

use super::nuspec::Nuspec;
use super::{NUGET, file_name};
use crate::keys::name_key;
use crate::keys::nuget::{self as version, Level, Number};
use crate::scope::Scope;
use crate::store::index::{self, IndexedFile, Version};
use kernel::error::Result;
use std::collections::HashSet;
use store::{Fragment, Tx, grouped};

pub struct Entry {
    pub row: Version,
    pub nuspec: Nuspec,
    /// Its place among the others.
    pub number: Number,
    pub file: IndexedFile,
    /// It is the highest release of its name.
    pub is_latest: bool,
    /// It is the highest version of its name.
    pub is_absolute_latest: bool,
}

impl Entry {
    pub fn version(&self) -> &str {
        self.row.version.as_deref().unwrap_or_default()
    }

    /// The name as it is compared and addressed.
    pub fn name_key(&self) -> String {
        name_key(NUGET, &self.row.name)
    }

    /// The version as it is compared and addressed.
    pub fn version_key(&self) -> String {
        version::key(self.version())
    }

    /// Whether clients of this level can read it, and what it needs.
    fn is_read_by(&self, level: Level) -> bool {
        let groups = self.nuspec.dependency_groups.iter();
        let mut needed = groups.flat_map(|group| &group.dependencies);
        let in_range = |range: &str| {
            let mut ends = range.split(['[', ']', '(', ')', ',']).map(str::trim);
            ends.any(version::is_semver2)
        };
        level == Level::Two
            || !(version::is_semver2(self.version()) || needed.any(|one| in_range(&one.range)))
    }
}

pub enum EntriesQuery {
    Named(String),
    /// Those of names that hold all of these folded words.
    Matching(Vec<String>),
}

/// The versions of a name, lowest first.
pub fn of_name(tx: &mut Tx<'_>, scope: &Scope, name: &str) -> Result<Vec<Entry>> {
    let rows = scope.of_format(NUGET).versions(tx, name)?;
    of_rows(tx, rows, Level::Two)
}

/// All versions that are wanted and can be read, by name and then lowest
/// first.
pub fn wanted(
    tx: &mut Tx<'_>, scope: &Scope, wanted: &EntriesQuery, level: Level,
) -> Result<Vec<Entry>> {
    let packages = scope.of_format(NUGET);
    let rows = match wanted {
        EntriesQuery::Named(name) => packages.versions(tx, name)?,
        EntriesQuery::Matching(words) => packages.versions_of_words(tx, words)?,
    };
    of_rows(tx, rows, level)
}

pub fn one(tx: &mut Tx<'_>, scope: &Scope, name: &str, version: &str) -> Result<Option<Entry>> {
    let row = scope.of_format(NUGET).version(tx, name, Some(version))?;
    Ok(of_rows(tx, row.into_iter().collect(), Level::Two)?.pop())
}

pub struct Search {
    /// Words that the name has to hold, folded.
    pub words: Vec<String>,
    /// Versions that only lead to a release count, too.
    pub prerelease: bool,
    pub level: Level,
    /// Names left out at the beginning.
    pub skip: i64,
    pub take: i64,
}

/// The names that are found, in order, each with its versions, lowest first;
/// and how many names there are in all.
pub fn search(tx: &mut Tx<'_>, scope: &Scope, search: &Search) -> Result<(Vec<Vec<Entry>>, i64)> {
    let counted = found("select count(distinct p.name_key) from packages p where ", scope, search);
    let total = index::first(tx, counted)?.unwrap_or(0);
    let mut query = found("select p.name_key from packages p where ", scope, search);
    query
        .push(" group by p.name_key order by p.name_key limit ", search.take)
        .push(" offset ", search.skip);
    let names: Vec<String> = tx.query(query)?;
    let rows = scope.of_format(NUGET).versions_of_keys(tx, names)?;
    let mut entries = of_rows(tx, rows, Level::Two)?;
    entries.retain(|entry| {
        let is_read = search.level == Level::Two || !version::is_semver2(entry.version());
        is_read && (search.prerelease || !entry.number.is_prerelease())
    });
    let mut groups: Vec<Vec<Entry>> = Vec::new();
    for entry in entries {
        match groups.last_mut() {
            Some(group) if group[0].name_key() == entry.name_key() => group.push(entry),
            _ => groups.push(vec![entry]),
        }
    }
    Ok((groups, total))
}

/// A selection of what a search finds.
fn found(select: &str, scope: &Scope, search: &Search) -> Fragment {
    let mut query = scope.of_format(NUGET).select(select);
    query.raw(index::SHOWN);
    index::with_words(&mut query, &search.words);
    if !search.prerelease {
        // Keys have no build metadata, so a hyphen begins the suffix.
        query.raw(" and p.version_key not like '%-%'");
    }
    if search.level == Level::One {
        query.raw(" and p.version not like '%+%' and p.version_key not like '%-%.%'");
    }
    query
}

/// Rows with their archives, by name and then lowest first; of several
/// projects' of one name and version the newest. Rows whose archive was
/// deleted tell of nothing.
fn of_rows(tx: &mut Tx<'_>, mut rows: Vec<Version>, level: Level) -> Result<Vec<Entry>> {
    rows.sort_by_key(|row| std::cmp::Reverse(row.id));
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut files =
        grouped(index::files(tx, &ids)?.into_iter().map(|file| (file.file.package_id, file)));
    let mut seen = HashSet::new();
    let mut entries: Vec<Entry> = rows
        .into_iter()
        .filter_map(|row| entry(files.remove(&row.id)?, row))
        .filter(|entry| entry.is_read_by(level))
        .filter(|entry| seen.insert((entry.name_key(), entry.number.clone())))
        .collect();
    entries.sort_by_cached_key(|entry| (entry.name_key(), entry.number.clone()));
    mark_latest(&mut entries);
    Ok(entries)
}

fn entry(files: Vec<IndexedFile>, row: Version) -> Option<Entry> {
    let version = row.version.as_deref()?;
    let number = Number::parse(version)?;
    let archive = file_name(&row.name, version, "nupkg");
    // Of several the newest, which comes last.
    let mut files = files.into_iter().rev();
    let file = files.find(|file| file.file.file_name == archive)?;
    Some(Entry {
        nuspec: Nuspec::of_kept(row.metadata.as_deref()),
        number,
        file,
        is_latest: false,
        is_absolute_latest: false,
        row,
    })
}

/// Marks the highest of each name; entries come by name, lowest first.
fn mark_latest(entries: &mut [Entry]) {
    for of_name in entries.chunk_by_mut(|one, two| one.name_key() == two.name_key()) {
        if let Some(last) = of_name.last_mut() {
            last.is_absolute_latest = true;
        }
        let mut highest = of_name.iter_mut().rev();
        if let Some(release) = highest.find(|entry| !entry.number.is_prerelease()) {
            release.is_latest = true;
        }
    }
}
