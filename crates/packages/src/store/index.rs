//! What the documents of formats are made of: versions of a name, their files
//! and tags, and names themselves, over a project, a group or everything.

use crate::keys::{name_key, version_key};
use crate::model::{PackageFile, PackageType, Status};
use crate::scope::Scope;
use crate::store::list::like;
use jiff::Timestamp;
use kernel::error::Result;
use store::{Fragment, FromRow, Tx, sql};

/// Most versions of a name that a document lists; of more, the newest.
pub const MAX_VERSIONS: i64 = 10_000;
/// Most files of these versions, likewise.
pub const MAX_FILES: i64 = 100_000;
/// Most names a list of names has.
pub const MAX_NAMES: i64 = 50_000;

/// A version that clients may install.
#[derive(Debug, Clone, FromRow)]
#[columns("p")]
pub struct Version {
    pub id: i64,
    pub project_id: i64,
    pub name: String,
    pub version: Option<String>,
    pub status: Status,
    /// What the format keeps of it, as JSON text.
    pub metadata: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A file with what the format keeps of it.
#[derive(Debug, Clone, FromRow)]
#[columns("f")]
pub struct IndexedFile {
    #[nested]
    pub file: PackageFile,
    /// SHA-512, lower-case hex.
    pub sha512: String,
    /// What the format keeps of it, as JSON text.
    pub metadata: Option<String>,
}

/// A file of a channel with the name and version of its package.
#[derive(Debug, Clone, FromRow)]
#[columns("p")]
pub struct ChannelFile {
    pub name: String,
    pub version: Option<String>,
    #[nested]
    pub file: IndexedFile,
}

const VERSION: &str = store::concat!("select ", Version::COLUMNS, " from packages p where ");
const FILES: &str = " from packages p join package_files f on f.package_id = p.id where ";
const FILE: &str = store::concat!("select ", IndexedFile::COLUMNS, FILES);
const CHANNEL_FILE: &str = store::concat!("select ", ChannelFile::COLUMNS, FILES);
/// States in which files can be fetched.
pub const FETCHED: &str = " and p.live = 1 and p.status in ('default', 'hidden', 'deprecated')";
/// States that lists and documents show; hidden packages are for who knows
/// their address.
pub const SHOWN: &str = " and p.live = 1 and p.status in ('default', 'deprecated')";

/// Narrows a selection to names that hold all of these folded words.
pub fn with_words(query: &mut Fragment, words: &[String]) {
    for word in words {
        query.push(" and p.name_folded like ", like(word)).raw(" escape '\\'");
    }
}

/// The first row, if there is any.
pub fn first<T: FromRow>(tx: &mut Tx<'_>, query: Fragment) -> Result<Option<T>> {
    Ok(tx.query(query)?.into_iter().next())
}

/// The versions of a selection that documents list, oldest first.
fn shown(tx: &mut Tx<'_>, mut query: Fragment) -> Result<Vec<Version>> {
    query.raw(SHOWN).push(" order by p.id desc limit ", MAX_VERSIONS);
    let mut found: Vec<Version> = tx.query(query)?;
    found.reverse();
    Ok(found)
}

/// The packages of one format that a client may see at its address.
#[derive(Debug, Clone, Copy)]
pub struct Index<'s> {
    scope: &'s Scope,
    package_type: PackageType,
}

impl Scope {
    /// Its packages of one format.
    pub fn of_format(&self, package_type: PackageType) -> Index<'_> {
        Index { scope: self, package_type }
    }
}

impl Index<'_> {
    /// A selection of its packages; `select` ends in its `where`.
    pub fn select(self, select: &str) -> Fragment {
        let mut query = Fragment::new(select);
        query
            .append(self.scope.condition())
            .push(" and p.package_type = ", self.package_type);
        query
    }

    fn named(self, select: &str, name: &str) -> Fragment {
        let mut query = self.select(select);
        query.push(" and p.name_key = ", name_key(self.package_type, name));
        query
    }

    /// A selection of what clients may fetch in a version of a name.
    fn in_version(self, select: &str, name: &str, version: Option<&str>) -> Fragment {
        let mut query = self.named(select, name);
        let key = version_key(self.package_type, version);
        query.push(" and p.version_key = ", key).raw(FETCHED);
        query
    }

    /// The versions of a name that documents list, oldest first.
    pub fn versions(self, tx: &mut Tx<'_>, name: &str) -> Result<Vec<Version>> {
        shown(tx, self.named(VERSION, name))
    }

    /// The versions of every name that documents list, oldest first.
    pub fn all_versions(self, tx: &mut Tx<'_>) -> Result<Vec<Version>> {
        shown(tx, self.select(VERSION))
    }

    /// The versions, oldest first, of names that hold all of these folded words.
    pub fn versions_of_words(self, tx: &mut Tx<'_>, words: &[String]) -> Result<Vec<Version>> {
        let mut query = self.select(VERSION);
        with_words(&mut query, words);
        shown(tx, query)
    }

    /// The versions of names with these keys that documents list, oldest first.
    pub fn versions_of_keys(self, tx: &mut Tx<'_>, keys: Vec<String>) -> Result<Vec<Version>> {
        let mut query = self.select(VERSION);
        query.raw(" and").in_list("p.name_key", keys);
        shown(tx, query)
    }

    /// One version of a name that clients may fetch, hidden ones too; of several
    /// projects' the newest.
    pub fn version(
        self, tx: &mut Tx<'_>, name: &str, version: Option<&str>,
    ) -> Result<Option<Version>> {
        let mut query = self.in_version(VERSION, name, version);
        query.raw(" order by p.id desc limit 1");
        first(tx, query)
    }

    /// The newest file of this name in packages of this name, whatever their
    /// version, that clients may fetch.
    pub fn newest_file(
        self, tx: &mut Tx<'_>, name: &str, file_name: &str,
    ) -> Result<Option<IndexedFile>> {
        first(tx, self.newest_file_query(name, file_name))
    }

    /// What [`Index::newest_file`] asks.
    pub fn newest_file_query(self, name: &str, file_name: &str) -> Fragment {
        let mut query = self.named(FILE, name);
        query
            .raw(FETCHED)
            .push(" and f.file_name = ", file_name)
            .raw(" and f.status = 'default' order by f.id desc limit 1");
        query
    }

    /// The file of this digest and name that clients may fetch; of several
    /// projects' the newest.
    pub fn file_of_digest(
        self, tx: &mut Tx<'_>, sha256: &str, file_name: &str,
    ) -> Result<Option<IndexedFile>> {
        let mut query = self.select(FILE);
        query
            .push(" and f.sha256 = ", sha256)
            .push(" and f.file_name = ", file_name)
            .raw(" and f.status = 'default'")
            .raw(FETCHED)
            .raw(" order by f.id desc limit 1");
        first(tx, query)
    }

    /// The newest files of this name in this version of a name that clients may
    /// fetch, newest first; of several projects' all.
    pub fn newest_files(
        self, tx: &mut Tx<'_>, (name, version): (&str, Option<&str>), file_name: &str, most: i64,
    ) -> Result<Vec<IndexedFile>> {
        let mut query = self.in_version(FILE, name, version);
        query
            .push(" and f.file_name = ", file_name)
            .push(" and f.status = 'default' order by f.id desc limit ", most);
        Ok(tx.query(query)?)
    }

    /// The files of a channel that lists show, newest first.
    pub fn files_in_channel(self, tx: &mut Tx<'_>, channel: &str) -> Result<Vec<ChannelFile>> {
        let mut query = self.in_channel(channel);
        query.raw(SHOWN).push(" order by f.id desc limit ", MAX_FILES);
        Ok(tx.query(query)?)
    }

    /// The newest file of this name in a channel that clients may fetch.
    pub fn newest_in_channel(
        self, tx: &mut Tx<'_>, channel: &str, file_name: &str,
    ) -> Result<Option<ChannelFile>> {
        let mut query = self.in_channel(channel);
        query
            .push(" and f.file_name = ", file_name)
            .raw(FETCHED)
            .raw(" order by f.id desc limit 1");
        first(tx, query)
    }

    fn in_channel(self, channel: &str) -> Fragment {
        let mut query = self.select(CHANNEL_FILE);
        query.push(" and f.channel = ", channel).raw(" and f.status = 'default'");
        query
    }

    /// The names published in the format, each once, in order.
    pub fn names(self, tx: &mut Tx<'_>) -> Result<Vec<String>> {
        let mut query = self.select("select min(p.name) from packages p where ");
        query
            .raw(SHOWN)
            .push(" group by p.name_key order by p.name_key limit ", MAX_NAMES);
        Ok(tx.query(query)?)
    }
}

/// These packages as versions, by name.
pub fn versions_of_ids(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Vec<Version>> {
    Ok(tx.all(sql!(VERSION, "p.id in_list($1) order by p.name_key"), (ids,))?)
}

/// The files of these packages, by package and then oldest first.
pub fn files(tx: &mut Tx<'_>, packages: &[i64]) -> Result<Vec<IndexedFile>> {
    Ok(tx.all(
        sql!(
            "select ",
            IndexedFile::COLUMNS,
            " from package_files f where f.package_id in_list($1) and f.status = 'default'
             order by f.package_id, f.id limit $2"
        ),
        (packages, MAX_FILES),
    )?)
}

/// Whether another project below the same top namespace has a package of this
/// name.
pub fn is_elsewhere(
    tx: &mut Tx<'_>, project_id: i64, package_type: PackageType, name: &str,
) -> Result<bool> {
    let lineage: Option<String> = tx.optional(
        sql!(
            "select n.lineage from projects join namespaces n on n.id = projects.namespace_id
             where projects.id = $1"
        ),
        (project_id,),
    )?;
    let lineage = lineage.unwrap_or_default();
    let top = lineage.split('/').nth(1).unwrap_or_default();
    // ':' follows '/' and all digits, so this ends what begins so.
    let (from, to) = (format!("/{top}/"), format!("/{top}/:"));
    let found: Option<i64> = tx.optional(
        sql!(
            "select p.id from packages p
             join projects on projects.id = p.project_id
             join namespaces n on n.id = projects.namespace_id
             where p.package_type = $1 and p.name_key = $2 and p.live = 1 and p.project_id <> $3
                and n.lineage >= $4 and n.lineage < $5
             limit 1"
        ),
        (package_type, name_key(package_type, name), project_id, from, to),
    )?;
    Ok(found.is_some())
}

/// Whether any project, or any below this top-level namespace, has a package of
/// this name.
pub fn is_published(
    tx: &mut Tx<'_>, root: Option<i64>, package_type: PackageType, name: &str,
) -> Result<bool> {
    let mut query = Fragment::new(
        "select 1 from packages p join projects on projects.id = p.project_id
         join namespaces n on n.id = projects.namespace_id
         where p.live = 1 and p.package_type = ",
    );
    query
        .bind(package_type)
        .push(" and p.name_key = ", name_key(package_type, name));
    if let Some(root) = root {
        query
            .push(" and n.lineage >= ", format!("/{root}/"))
            // ':' follows '/' and all digits, so this ends what begins so.
            .push(" and n.lineage < ", format!("/{root}/:"));
    }
    query.raw(" limit 1");
    Ok(first::<i64>(tx, query)?.is_some())
}

/// How often what all names of a format in a project offer has changed. Counts
/// only grow and are never removed, so their sum tells every change.
pub fn stamp_of_format(tx: &mut Tx<'_>, project_id: i64, package_type: PackageType) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select coalesce(cast(sum(stamp) as bigint), 0) from package_names
             where project_id = $1 and package_type = $2"
        ),
        (project_id, package_type),
    )?)
}

/// How often what a name of a project offers has changed; 0 of names unknown.
pub fn stamp(
    tx: &mut Tx<'_>, project_id: i64, package_type: PackageType, name: &str,
) -> Result<i64> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select stamp from package_names
             where project_id = $1 and package_type = $2 and name_key = $3"
        ),
        (project_id, package_type, name_key(package_type, name)),
    )?;
    Ok(found.unwrap_or(0))
}
