//! Packages as lists that page by cursor read them, for many owners at once,
//! with what is shown of their project.

use super::list::{self, Filter, OrderBy};
use crate::keys::package_version_key;
use crate::model::{Package, PackageFile, PackageType, ProtectionRule, Tag};
use crate::rules::wildcard;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Key, Order, Owned, Window, by_owner};
use kernel::time::Timestamp;
use serde_json::Value as Json;
use spaces::Namespace;
use spaces::access::{Purpose, visible_projects};
use std::collections::{HashMap, HashSet};
use store::{Fragment, FromRow, Tx, sql};

/// Projects up to which a group's page is merged from the pages of each.
const MAX_MERGED: usize = 100;

/// A package with what is shown of its project.
#[derive(Debug, Clone, FromRow)]
#[columns("p")]
pub struct Listed {
    #[nested]
    pub package: Package,
    pub status_message: Option<String>,
    #[column("projects.full_path")]
    pub project_path: String,
    /// Last part of that path, which group lists sort by.
    #[column("projects.path")]
    pub project_name: String,
    #[column("projects.namespace_id")]
    pub namespace_id: i64,
}

const LISTED: &str = store::concat!("select ", Listed::COLUMNS);

#[derive(Debug, Clone, Copy)]
pub struct Sorted {
    pub by: OrderBy,
    pub order: Order,
}

impl Sorted {
    /// The columns sorted by; those of [`Filter`], which the indexes follow.
    pub fn keys(self) -> Vec<Key> {
        let first = match self.by {
            OrderBy::CreatedAt => None,
            OrderBy::Name => {
                return vec![Key::text("p.name", self.order), Key::int("p.id", self.order)];
            }
            OrderBy::Version => Some(Key::text("p.version_key", self.order)),
            OrderBy::Type => Some(Key::int("p.type_order", self.order)),
            OrderBy::ProjectPath => Some(Key::text("projects.path", self.order)),
        };
        let last = [Key::time("p.created_at", self.order), Key::int("p.id", self.order)];
        first.into_iter().chain(last).collect()
    }

    /// What these columns hold of a package.
    pub fn values(self, listed: &Listed) -> Vec<Json> {
        let package = &listed.package;
        let first: Option<Json> = match self.by {
            OrderBy::CreatedAt => None,
            OrderBy::Name => return vec![package.name.clone().into(), package.id.into()],
            OrderBy::Version => {
                let (version, recipe) = (&package.version, &package.conan_name);
                let (version, recipe) = (version.as_deref(), recipe.as_deref());
                Some(package_version_key(package.package_type, version, recipe).into())
            }
            OrderBy::Type => Some(package.package_type.order().into()),
            OrderBy::ProjectPath => Some(listed.project_name.clone().into()),
        };
        let last = [Key::instant(package.created_at), package.id.into()];
        first.into_iter().chain(last).collect()
    }
}

#[derive(Debug, Clone)]
pub enum Owners {
    Projects(Vec<i64>),
    /// Those of all projects below each group.
    Groups(Vec<Namespace>),
}

impl Owners {
    /// Their ids, in their order.
    pub fn ids(&self) -> Vec<i64> {
        match self {
            Owners::Projects(ids) => ids.clone(),
            Owners::Groups(groups) => groups.iter().map(|group| group.id).collect(),
        }
    }

    fn column(&self) -> &'static str {
        match self {
            Owners::Projects(_) => "p.project_id",
            Owners::Groups(_) => "top.id",
        }
    }

    /// From `table`, which has a `project_id`, under the alias `p`; ends
    /// inside the `where`, with the projects whose packages may be read.
    fn from(&self, tx: &Tx<'_>, viewer: &Viewer, table: &str) -> Fragment {
        let mut from = Fragment::default();
        match self {
            Owners::Projects(ids) => {
                from.raw(&format!(
                    " from {table} p join projects on projects.id = p.project_id where"
                ));
                match ids.as_slice() {
                    [id] => from.push(" p.project_id = ", *id),
                    _ => from.in_list("p.project_id", ids),
                };
            }
            Owners::Groups(_) => {
                from.raw(&format!(
                    " from namespaces top join namespaces below on below.lineage >= top.lineage
                        and below.lineage < top.lineage || ':'
                     join projects on projects.namespace_id = below.id
                     join {table} p on p.project_id = projects.id where"
                ))
                .in_list("top.id", self.ids());
            }
        }
        from.raw(" and ").append(visible_projects(tx, viewer, Purpose::ReadPackages));
        from
    }
}

/// A page of each owner. Projects whose packages the viewer may not read are
/// left out.
pub fn packages(
    tx: &mut Tx<'_>, viewer: &Viewer, owners: &Owners, filter: &Filter, window: &Window,
) -> Result<HashMap<i64, Vec<Listed>>> {
    let statement = match owners {
        Owners::Projects(ids) if ids.len() == 1 => alone(tx, viewer, owners, filter, window),
        Owners::Groups(groups) if groups.len() == 1 => {
            of_group(tx, viewer, &groups[0], filter, window)?
        }
        _ => {
            let mut from = owners.from(tx, viewer, "packages");
            filter.push(&mut from);
            window.narrow_each(Listed::COLUMNS, owners.column(), from)
        }
    };
    let rows: Vec<Owned<Listed>> = tx.query(statement)?;
    let mut found = by_owner(rows);
    let empty: Vec<i64> = owners.ids();
    let empty = empty.into_iter().filter(|id| !found.contains_key(id));
    let empty: Vec<i64> = empty.collect();
    let open = match owners {
        Owners::Projects(_) => readable(tx, viewer, empty)?,
        Owners::Groups(_) => empty.into_iter().collect(),
    };
    found.extend(open.into_iter().map(|id| (id, Vec::new())));
    Ok(found)
}

/// The page of a single owner, by an index in the order asked for.
fn alone(
    tx: &Tx<'_>, viewer: &Viewer, owners: &Owners, filter: &Filter, window: &Window,
) -> Fragment {
    let mut statement = Fragment::new(LISTED);
    statement.raw(&format!(", {} as owner", owners.column()));
    statement.append(owners.from(tx, viewer, "packages"));
    filter.push(&mut statement);
    window.narrow(&mut statement);
    statement
}

/// The page of a group, merged from the pages of its projects unless they
/// are many, so that rows not shown are not sorted.
fn of_group(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace, filter: &Filter, window: &Window,
) -> Result<Fragment> {
    let projects = list::projects_below(tx, viewer, group, false)?;
    if projects.is_empty() || projects.len() > MAX_MERGED {
        let owners = Owners::Groups(vec![group.clone()]);
        return Ok(alone(tx, viewer, &owners, filter, window));
    }
    let mut statement = Fragment::new(LISTED);
    statement.push(", cast(", group.id).raw(
        " as bigint) as owner from packages p join projects on projects.id = p.project_id
         where p.id in (select id from (",
    );
    for (index, project) in projects.iter().enumerate() {
        statement.raw(if index == 0 { "" } else { " union all " }).push(
            "select id from (select p.id from packages p
                 join projects on projects.id = p.project_id where p.project_id = ",
            project.id,
        );
        filter.push(&mut statement);
        window.narrow(&mut statement);
        statement.raw(&format!(") b{index}"));
    }
    statement.raw(") merged)");
    window.narrow(&mut statement);
    Ok(statement)
}

/// Those of these projects whose packages the viewer may read.
pub fn readable(tx: &mut Tx<'_>, viewer: &Viewer, ids: Vec<i64>) -> Result<HashSet<i64>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let mut query = Fragment::new("select projects.id from projects where");
    query.in_list("projects.id", ids).raw(" and ");
    query.append(visible_projects(tx, viewer, Purpose::ReadPackages));
    Ok(tx.query::<i64>(query)?.into_iter().collect())
}

/// How many packages each owner has, counted to one more than `limit`.
pub fn counts(
    tx: &mut Tx<'_>, viewer: &Viewer, owners: &Owners, filter: &Filter, limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let most = limit.map_or(i64::MAX, |limit| limit.saturating_add(1));
    let owner = owners.column();
    let mut query;
    if filter.is_counted() {
        query = Fragment::new(&format!("select {owner}, cast(sum(p.displayable) as bigint)"));
        query
            .append(owners.from(tx, viewer, "package_counts"))
            .raw(&format!(" group by {owner}"));
    } else {
        query =
            Fragment::new(&format!("select counted.owner, count(*) from (select {owner} as owner"));
        query.append(owners.from(tx, viewer, "packages"));
        filter.push(&mut query);
        if owners.ids().len() == 1 {
            query.push(" limit ", most);
        }
        query.raw(") counted group by counted.owner");
    }
    let rows: Vec<(i64, i64)> = tx.query(query)?;
    let cut = rows.into_iter().map(|(owner, count)| (owner, count.min(most)));
    Ok(cut.collect())
}

/// A package that can be shown alone, if the viewer may read it.
pub fn package(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<Option<Listed>> {
    Ok(by_ids(tx, viewer, vec![id])?.into_iter().next())
}

/// Those of these packages that can be shown alone, as far as the viewer may
/// read them.
pub fn by_ids(tx: &mut Tx<'_>, viewer: &Viewer, ids: Vec<i64>) -> Result<Vec<Listed>> {
    let mut query = Fragment::new(LISTED);
    query
        .raw(" from packages p join projects on projects.id = p.project_id where")
        .in_list("p.id", ids)
        .raw(" and p.live = 1 and p.status in ('default', 'deprecated') and ")
        .append(visible_projects(tx, viewer, Purpose::ReadPackages));
    Ok(tx.query(query)?)
}

/// What is kept of a package for its format.
#[derive(Debug, Clone, FromRow)]
pub struct StoredMetadata {
    pub id: i64,
    pub package_type: PackageType,
    pub name: String,
    pub version: Option<String>,
    pub conan_name: Option<String>,
    /// What the format read in its archive, as JSON text.
    pub metadata: Option<String>,
    /// SHA-1 of its newest file, in hex.
    pub sha1: Option<String>,
}

/// What is kept of these packages for their formats.
pub fn kept(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Vec<StoredMetadata>> {
    Ok(tx.all(
        sql!(
            "select p.id, p.package_type, p.name, p.version, p.conan_name, p.metadata,
                (select f.sha1 from package_files f
                    where f.package_id = p.id and f.status = 'default'
                    order by f.id desc limit 1) as sha1
             from packages p where p.id in_list($1)"
        ),
        (ids,),
    )?)
}

/// What is kept of a file for its format.
#[derive(Debug, Clone, FromRow)]
pub struct KeptFile {
    pub id: i64,
    pub channel: Option<String>,
    /// What its archive said, as JSON.
    pub metadata: Option<String>,
    /// Revision of the recipe, if it is a file of Conan.
    pub recipe_revision: Option<String>,
    /// Reference of the binary package; empty for the recipe's own files.
    pub package_reference: Option<String>,
    /// Revision of the binary package, likewise.
    pub package_revision: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What is kept of those of these files that formats tell something of.
pub fn kept_files(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Vec<KeptFile>> {
    Ok(tx.all(
        sql!(
            "select f.id, f.channel, f.metadata, c.recipe_revision, c.package_reference,
                c.package_revision, f.created_at, f.updated_at
             from package_files f left join conan_files c on c.file_id = f.id
             where f.id in_list($1) and (c.file_id is not null
                or (f.channel is not null and f.metadata is not null))"
        ),
        (ids,),
    )?)
}

const VERSIONS: &str = " from packages o join packages p on p.project_id = o.project_id
        and p.package_type = o.package_type and p.name_key = o.name_key
     join projects on projects.id = p.project_id
     where p.live = 1 and p.status in ('default', 'deprecated', 'error') and";

/// The page of all displayable versions of each of these packages, itself
/// among them.
pub fn versions(
    tx: &mut Tx<'_>, ids: Vec<i64>, window: &Window,
) -> Result<HashMap<i64, Vec<Listed>>> {
    let mut from = Fragment::new(VERSIONS);
    from.in_list("o.id", ids);
    let rows: Vec<Owned<Listed>> = tx.query(window.narrow_each(Listed::COLUMNS, "o.id", from))?;
    Ok(by_owner(rows))
}

/// How many displayable versions each of these packages has, itself among
/// them.
pub fn version_counts(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashMap<i64, i64>> {
    let mut query = Fragment::new("select o.id, count(*)");
    query.raw(VERSIONS).in_list("o.id", ids).raw(" group by o.id");
    Ok(tx.query::<(i64, i64)>(query)?.into_iter().collect())
}

/// A page of the files of each package.
pub fn files(
    tx: &mut Tx<'_>, ids: Vec<i64>, window: &Window,
) -> Result<HashMap<i64, Vec<PackageFile>>> {
    let mut from = Fragment::new(" from package_files f where f.status = 'default' and");
    from.in_list("f.package_id", ids);
    let rows: Vec<Owned<PackageFile>> =
        tx.query(window.narrow_each(PackageFile::COLUMNS, "f.package_id", from))?;
    Ok(by_owner(rows))
}

/// A page of the tags of each package.
pub fn tags(tx: &mut Tx<'_>, ids: Vec<i64>, window: &Window) -> Result<Vec<Owned<Tag>>> {
    let mut from = Fragment::new(" from package_tags t where");
    from.in_list("t.package_id", ids);
    Ok(tx.query(window.narrow_each(Tag::COLUMNS, "t.package_id", from))?)
}

/// A page of the protection rules of each project.
pub fn rules(
    tx: &mut Tx<'_>, projects: Vec<i64>, window: &Window,
) -> Result<Vec<Owned<ProtectionRule>>> {
    let mut from = Fragment::new(" from package_protection_rules r where");
    from.in_list("r.project_id", projects);
    let columns = ProtectionRule::COLUMNS;
    Ok(tx.query(window.narrow_each(columns, "r.project_id", from))?)
}

/// A name in a project, of one format.
pub type Named = (i64, PackageType, String);

/// Which of these names some protection rule is about.
pub fn protected(tx: &mut Tx<'_>, names: Vec<Named>) -> Result<HashMap<Named, bool>> {
    let mut projects: Vec<i64> = names.iter().map(|name| name.0).collect();
    projects.sort_unstable();
    projects.dedup();
    let mut query = Fragment::new(
        "select project_id, package_type, package_name_pattern
         from package_protection_rules where",
    );
    query.in_list("project_id", projects);
    let mut rules: HashMap<(i64, PackageType), Vec<String>> = HashMap::new();
    for (project, package_type, pattern) in tx.query::<Named>(query)? {
        let of = rules.entry((project, package_type)).or_default();
        of.push(pattern);
    }
    let told = names.into_iter().map(|name| {
        let patterns = rules.get(&(name.0, name.1));
        let fits = |pattern: &String| wildcard::matches(pattern, &name.2);
        let is = patterns.is_some_and(|patterns| patterns.iter().any(fits));
        (name, is)
    });
    Ok(told.collect())
}
