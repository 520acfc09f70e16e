//! Pages of the current lists of one project or of many, and what they are narrowed by.

use crate::dependencies::model::{Dependency, List, Needed};
use crate::dependencies::switches;
use ::store::{Fragment, Tx};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::Paging;
use kernel::ids::fold;
use spaces::access::{DEVELOPER, projects_of};
use spaces::model::Namespace;
use spaces::store::filters::{projects_below, search_in};
use std::collections::HashMap;

/// Projects of a group whose lists are shown together.
const MOST_PROJECTS: i64 = 10_000;

/// Which dependencies are listed.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub packagers: Vec<String>,
    /// Whole names with their groups, whatever their case.
    pub names: Vec<String>,
    pub licenses: Vec<String>,
    /// A part of the name, whatever its case.
    pub search: Option<String>,
    pub categories: Vec<Needed>,
    /// Where they were found.
    pub sources: Vec<Source>,
}

/// Where a dependency was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// In a file of the repository.
    File,
    /// In an image that a job scanned.
    Image,
    /// In an image of a registry: there are none.
    Registry,
    Unknown,
}

impl Source {
    fn condition(self) -> &'static str {
        match self {
            Source::File => {
                "(dependencies.image is null
                    and coalesce(dependencies.input_file, dependencies.source_file) is not null)"
            }
            Source::Image => "dependencies.image is not null",
            Source::Registry => "1 = 0",
            Source::Unknown => {
                "(dependencies.image is null
                    and coalesce(dependencies.input_file, dependencies.source_file) is null)"
            }
        }
    }
}

kernel::choices! {
    /// What dependencies are sorted by.
    #[derive(Default)]
    pub enum Sort as "DependencyOrder" {
        #[default]
        Name = "name",
        Packager = "packager",
        License = "license",
        Severity = "severity",
    }
}

impl Sort {
    /// What is compared first.
    fn column(self) -> &'static str {
        match self {
            Sort::Name => "dependencies.name_key",
            Sort::Packager => "coalesce(dependencies.packager, '')",
            Sort::License => {
                "(select min(sorted.license) from dependency_licenses sorted
                    where sorted.dependency_id = dependencies.id)"
            }
            Sort::Severity => "dependencies.severity",
        }
    }
}

impl Filter {
    fn narrow(&self, of: &mut Fragment) {
        if !self.packagers.is_empty() {
            of.raw(" and").in_list("dependencies.packager", self.packagers.clone());
        }
        if !self.names.is_empty() {
            let names: Vec<String> = self.names.iter().map(|name| fold(name)).collect();
            of.raw(" and").in_list("dependencies.name_key", names);
        }
        if let Some(part) = &self.search {
            search_in(of, "dependencies", &["name_key"], part);
        }
        if !self.categories.is_empty() {
            let words: Vec<String> = self.categories.iter().map(ToString::to_string).collect();
            of.raw(" and").in_list("dependencies.category", words);
        }
        if !self.sources.is_empty() {
            let any: Vec<&str> = self.sources.iter().map(|one| one.condition()).collect();
            of.raw(" and (").raw(&any.join(" or ")).raw(")");
        }
        if !self.licenses.is_empty() {
            of.raw(
                " and exists (select 1 from dependency_licenses chosen
                    where chosen.dependency_id = dependencies.id and",
            );
            of.in_list("chosen.license", self.licenses.clone()).raw(")");
        }
    }
}

/// Condition on `dependencies`: they are of these lists.
fn within(lists: &[i64]) -> Fragment {
    let mut of = Fragment::default();
    match lists {
        // An index by list and name then gives the order, too.
        [one] => of.push("dependencies.list_id = ", *one),
        many => of.in_list("dependencies.list_id", many),
    };
    of
}

/// A page of those of some lists, and how many there are.
pub fn page(
    tx: &mut Tx<'_>, lists: &[i64], filter: &Filter, (sort, descends): (Sort, bool),
    paging: &Paging,
) -> Result<(Vec<Dependency>, i64)> {
    if lists.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let mut of = within(lists);
    filter.narrow(&mut of);
    let total = spaces::store::count(tx, "dependencies", &of)?;
    let mut list = Fragment::new("select ");
    list.raw(Dependency::COLUMNS).raw(" from dependencies where ").append(of);
    let way = if descends { "desc" } else { "asc" };
    list.raw(" order by ").raw(sort.column()).raw(" ").raw(way);
    if sort != Sort::Name {
        list.raw(", dependencies.name_key");
    }
    list.raw(", dependencies.id");
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

/// Some by their ids, of current lists.
pub fn some(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Vec<Dependency>> {
    let mut query = Fragment::new("select ");
    query.raw(Dependency::COLUMNS).raw(
        " from dependencies join dependency_lists on dependency_lists.id = dependencies.list_id
            where dependency_lists.is_current and",
    );
    query.in_list("dependencies.id", ids);
    Ok(tx.query(query)?)
}

/// Condition on `projects`: below a group, at work, and with lists that the viewer reads.
pub fn readable_below(tx: &Tx<'_>, viewer: &Viewer, group: &Namespace) -> Fragment {
    let mut of = projects_below(group);
    of.raw(" and not projects.archived and projects.deletion_scheduled_at is null and ");
    of.append(switches::on_in_projects());
    if !viewer.is_admin() {
        let user = viewer.user_id().unwrap_or_default();
        of.raw(" and ").append(projects_of(tx, user, DEVELOPER));
    }
    of
}

/// The current lists of the projects below a group that the viewer reads, by the paths of
/// these.
pub fn below(tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace) -> Result<Vec<List>> {
    let of = readable_below(tx, viewer, group);
    let mut query = Fragment::new("select ");
    query.raw(List::COLUMNS).raw(
        " from dependency_lists join projects on projects.id = dependency_lists.project_id
            where dependency_lists.is_current and ",
    );
    query.append(of).raw(" order by projects.full_path");
    query.push(" limit ", MOST_PROJECTS);
    Ok(tx.query(query)?)
}

/// The same of each of some groups, in one statement.
pub fn below_each(
    tx: &mut Tx<'_>, viewer: &Viewer, groups: &[&Namespace],
) -> Result<Vec<Owned<List>>> {
    let mut query = Fragment::default();
    for (at, group) in groups.iter().enumerate() {
        query.raw(if at == 0 { "select " } else { " union all select " });
        query
            .raw(&format!("{}, cast({} as bigint) as owner", List::COLUMNS, group.id))
            .raw(
                " from dependency_lists join projects on projects.id = dependency_lists.project_id
                where dependency_lists.is_current and ",
            );
        query.append(readable_below(tx, viewer, group));
    }
    match groups.is_empty() {
        true => Ok(Vec::new()),
        false => Ok(tx.query(query)?),
    }
}

/// What a list is narrowed to by one click, and how many are left then.
#[derive(Debug, Clone, Default)]
pub struct Facets {
    pub licenses: Vec<(String, i64)>,
    pub packagers: Vec<(String, i64)>,
    pub categories: Vec<(String, i64)>,
}

/// The facets of some lists, each with those that most have first.
pub fn facets(tx: &mut Tx<'_>, lists: &[i64], most: i64) -> Result<Facets> {
    if lists.is_empty() {
        return Ok(Facets::default());
    }
    Ok(Facets {
        licenses: counted(tx, "dependency_licenses", "license", lists, most)?,
        packagers: counted(tx, "dependencies", "packager", lists, most)?,
        categories: counted(tx, "dependencies", "category", lists, most)?,
    })
}

fn counted(
    tx: &mut Tx<'_>, table: &str, column: &str, lists: &[i64], most: i64,
) -> Result<Vec<(String, i64)>> {
    let mut query = Fragment::new(&format!("select {column}, count(*) from {table} where"));
    query.in_list("list_id", lists);
    query.raw(&format!(" and {column} is not null group by {column}"));
    query.raw(&format!(" order by count(*) desc, {column}")).push(" limit ", most);
    Ok(tx.query(query)?)
}

/// What tells a component of a version from others: name, version, packager.
pub type Sameness = (String, String, String);

/// How often components of these names stand in some lists.
pub fn occurrences(
    tx: &mut Tx<'_>, lists: &[i64], name_keys: Vec<String>,
) -> Result<HashMap<Sameness, i64>> {
    if lists.is_empty() || name_keys.is_empty() {
        return Ok(HashMap::new());
    }
    let mut query = Fragment::new(
        "select name_key, coalesce(version, '') as version, coalesce(packager, '') as packager,
            count(*) from dependencies where",
    );
    query.in_list("list_id", lists).raw(" and").in_list("name_key", name_keys);
    query.raw(" group by name_key, coalesce(version, ''), coalesce(packager, '')");
    let rows: Vec<(String, String, String, i64)> = tx.query(query)?;
    let pair = |(name, version, packager, count)| ((name, version, packager), count);
    Ok(rows.into_iter().map(pair).collect())
}

/// A page for each of some owners, of whose lists these are.
pub fn pages_of(
    tx: &mut Tx<'_>, owners: &[(i64, Vec<i64>)], filter: &Filter, window: &Window,
) -> Result<Vec<Owned<Dependency>>> {
    let Some(from) = owned(owners, filter) else {
        return Ok(Vec::new());
    };
    Ok(tx.query(window.narrow_each(Dependency::COLUMNS, "owners.owner_id", from))?)
}

/// How many those of each owner are, counted no further than one past the limit.
pub fn counts(
    tx: &mut Tx<'_>, owners: &[(i64, Vec<i64>)], filter: &Filter, limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let Some(from) = owned(owners, filter) else {
        return Ok(HashMap::new());
    };
    let mut query = Fragment::new("select owners.owner_id, count(*)");
    query.append(from).raw(" group by owners.owner_id");
    let rows: Vec<(i64, i64)> = tx.query(query)?;
    let most = limit.map_or(i64::MAX, |limit| limit.saturating_add(1));
    Ok(rows.into_iter().map(|(owner, count)| (owner, count.min(most))).collect())
}

/// ` from …` the dependencies of the lists of some owners.
fn owned(owners: &[(i64, Vec<i64>)], filter: &Filter) -> Option<Fragment> {
    let mut from = Fragment::new(" from (");
    let some = owners.iter().filter(|(_, lists)| !lists.is_empty());
    let mut is_first = true;
    for (owner, lists) in some {
        from.raw(if is_first { "select " } else { " union all select " });
        is_first = false;
        from.raw(&format!(
            "cast({owner} as bigint) as owner_id, lists.id as list_id from dependency_lists lists"
        ));
        from.raw(" where").in_list("lists.id", lists.as_slice());
    }
    if is_first {
        return None;
    }
    from.raw(") owners join dependencies on dependencies.list_id = owners.list_id where 1 = 1");
    filter.narrow(&mut from);
    Some(from)
}
