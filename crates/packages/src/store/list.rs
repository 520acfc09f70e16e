//! Lists of packages, of one project and of all projects of a group.
//!
//! A list of one project walks an index in the order asked for. A list of
//! several projects takes the first rows of each in that order and merges
//! them, so neither sorts the rows it does not show.

use crate::access::managed;
use crate::model::{Package, PackageType, Status};
use crate::scope::below;
use crate::store::index::with_words;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::paging::COUNT_LIMIT;
use spaces::access::{Purpose, visible_projects};
use std::collections::HashMap;
use store::{Fragment, FromRow, Tx, sql};

/// Projects up to which a group's list is merged from lists of each.
const MAX_MERGED: usize = 100;

kernel::choices! {
    pub enum OrderBy {
        CreatedAt = "created_at",
        Name = "name",
        Version = "version",
        Type = "type",
        ProjectPath = "project_path",
    }
}

/// Which packages a list shows, in which order.
#[derive(Debug, Clone)]
pub struct Filter {
    pub order_by: OrderBy,
    pub descending: bool,
    pub package_type: Option<PackageType>,
    /// Only names that contain all these words, folded.
    pub words: Vec<String>,
    pub version: Option<String>,
    pub include_versionless: bool,
    /// Only this state instead of the displayable ones.
    pub status: Option<Status>,
    /// Of each name of a format in a project only the version that was
    /// published last.
    pub by_name: bool,
}

impl Default for Filter {
    fn default() -> Self {
        Filter {
            order_by: OrderBy::CreatedAt,
            descending: false,
            package_type: None,
            words: Vec::new(),
            version: None,
            include_versionless: false,
            status: None,
            by_name: false,
        }
    }
}

impl Filter {
    /// Whether it selects exactly what `package_counts` counts.
    pub(super) fn is_counted(&self) -> bool {
        self.package_type.is_none()
            && self.words.is_empty()
            && self.version.is_none()
            && !self.include_versionless
            && self.status.is_none()
            && !self.by_name
    }

    /// The columns sorted by, on the alias `p`. Ties end with the id; format,
    /// version and project are followed by the time, which the ids follow,
    /// because so one index serves both this order and a filter by them.
    fn keys(&self) -> &'static [&'static str] {
        match self.order_by {
            OrderBy::CreatedAt | OrderBy::ProjectPath => &["p.created_at", "p.id"],
            OrderBy::Name => &["p.name", "p.id"],
            OrderBy::Version => &["p.version_key", "p.created_at", "p.id"],
            OrderBy::Type => &["p.type_order", "p.created_at", "p.id"],
        }
    }

    fn direction(&self) -> &'static str {
        if self.descending { " desc" } else { "" }
    }

    fn order(&self) -> String {
        let direction = self.direction();
        let keys = self.keys().iter().map(|key| format!("{key}{direction}"));
        keys.collect::<Vec<_>>().join(", ")
    }

    /// Appends the conditions but for the project.
    pub(super) fn push(&self, query: &mut Fragment) {
        query.raw(" and p.live = 1");
        match self.status {
            Some(status) => query.push(" and p.status = ", status),
            None => query.raw(" and p.status in ('default', 'deprecated', 'error')"),
        };
        if let Some(package_type) = self.package_type {
            query.push(" and p.type_order = ", package_type.order());
        }
        match &self.version {
            Some(version) => {
                query.push(" and p.version = ", version.as_str());
            }
            None if !self.include_versionless => {
                query.raw(" and p.version is not null");
            }
            None => {}
        }
        with_words(query, &self.words);
        if self.by_name {
            query.raw(NOTHING_NEWER);
        }
    }
}

/// No displayed version of the name was published later: told by the index
/// `packages_newest_of_name`, so that versions which are not shown are passed
/// over one by one and never sorted.
const NOTHING_NEWER: &str = " and not exists (select 1 from packages newer
    where newer.project_id = p.project_id and newer.package_type = p.package_type
        and newer.name_key = p.name_key and newer.live = 1
        and (newer.created_at, newer.id) > (p.created_at, p.id)
        and newer.status in ('default', 'deprecated', 'error') and newer.version is not null)";

/// A pattern that finds the word anywhere and takes nothing in it as special.
pub(crate) fn like(word: &str) -> String {
    let mut pattern = String::from("%");
    for c in word.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// The words of a fuzzy search: separated by spaces, a double-quoted part is
/// one word; folded, each once.
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (index, part) in text.split('"').enumerate() {
        let quoted = index % 2 == 1;
        let found: Vec<&str> = if quoted {
            vec![part]
        } else {
            part.split_whitespace().collect()
        };
        for word in found.into_iter().filter(|word| !word.is_empty()) {
            let word = kernel::ids::fold(word);
            if !words.contains(&word) {
                words.push(word);
            }
        }
    }
    words
}

/// A row of a list with the project's counter beside it.
#[derive(FromRow)]
#[columns("c")]
struct Counted {
    #[nested]
    package: Package,
    displayable: Option<i64>,
}

pub fn project_query(project_id: i64, filter: &Filter, limit: i64, offset: i64) -> Fragment {
    let mut query = Fragment::new("select ");
    query
        .raw(Counted::COLUMNS)
        .raw(" from packages p")
        .raw(" left join package_counts c on c.project_id = p.project_id")
        .push(" where p.project_id = ", project_id);
    filter.push(&mut query);
    query
        .raw(" order by ")
        .raw(&filter.order())
        .push(" limit ", limit)
        .push(" offset ", offset);
    query
}

/// One page of a project's packages and how many there are in all.
pub fn of_project(
    tx: &mut Tx<'_>, project_id: i64, filter: &Filter, limit: i64, offset: i64,
) -> Result<(Vec<Package>, i64)> {
    let rows: Vec<Counted> = tx.query(project_query(project_id, filter, limit, offset))?;
    let total = match rows.first() {
        Some(first) if filter.is_counted() => first.displayable.unwrap_or(0),
        None if offset == 0 => 0,
        _ if filter.is_counted() => super::packages::count_of(tx, project_id)?,
        _ => count(tx, &[project_id], filter)?,
    };
    Ok((rows.into_iter().map(|row| row.package).collect(), total))
}

/// A project of a group with what its list needs.
#[derive(FromRow)]
pub struct Source {
    pub id: i64,
    /// The last part of its path, which `project_path` sorts by.
    pub path: String,
    /// How many packages its default list has.
    pub displayable: i64,
}

/// The projects below a group whose packages the viewer may read and that
/// have any.
pub fn projects_below(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &spaces::Namespace, exclude_subgroups: bool,
) -> Result<Vec<Source>> {
    let visible = visible_projects(tx, viewer, Purpose::ReadPackages);
    let mut query = Fragment::new(
        "select projects.id, projects.path, coalesce(c.displayable, 0) as displayable
         from projects left join package_counts c on c.project_id = projects.id
         where ",
    );
    if exclude_subgroups {
        query.push("projects.namespace_id = ", group.id);
    } else {
        query.append(below(group));
    }
    query
        .raw(
            " and exists (select 1 from packages p where p.project_id = projects.id
                and p.live = 1) and (",
        )
        .append(visible)
        .raw(") order by projects.id");
    Ok(tx.query(query)?)
}

/// The full paths of those of these projects that the viewer may see, not
/// only their registries.
pub fn project_paths(
    tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64],
) -> Result<HashMap<i64, String>> {
    let mut query = Fragment::new("select projects.id, projects.full_path from projects where");
    query.in_list("projects.id", ids).raw(" and ").append(visible_projects(
        tx,
        viewer,
        Purpose::Read,
    ));
    Ok(tx.query::<(i64, String)>(query)?.into_iter().collect())
}

/// What a page of a group says of a project.
#[derive(FromRow)]
pub struct ProjectOfGroup {
    id: i64,
    pub full_path: String,
    /// The viewer may see the project itself, not only its registry.
    pub is_readable: bool,
    pub may_delete: bool,
}

pub fn shown_projects(
    tx: &mut Tx<'_>, viewer: &Viewer, rows: &[Package],
) -> Result<HashMap<i64, ProjectOfGroup>> {
    let mut ids: Vec<i64> = rows.iter().map(|package| package.project_id).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut query = Fragment::new("select projects.id, projects.full_path, (");
    query
        .append(visible_projects(tx, viewer, Purpose::Read))
        .raw(") as is_readable, (")
        .append(managed(tx, viewer));
    query.raw(") as may_delete from projects where").in_list("projects.id", ids);
    let found: Vec<ProjectOfGroup> = tx.query(query)?;
    Ok(found.into_iter().map(|shown| (shown.id, shown)).collect())
}

/// One page of the packages of several projects and how many there are.
pub fn of_projects(
    tx: &mut Tx<'_>, projects: &[Source], filter: &Filter, limit: i64, offset: i64,
) -> Result<(Vec<Package>, i64)> {
    if projects.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let query = group_query(projects, filter, limit, offset);
    let rows: Vec<Package> = tx.query(query)?;
    let total = if filter.is_counted() {
        projects.iter().map(|project| project.displayable).sum()
    } else if rows.is_empty() && offset == 0 {
        0
    } else {
        let ids: Vec<i64> = projects.iter().map(|project| project.id).collect();
        count(tx, &ids, filter)?
    };
    Ok((rows, total))
}

pub fn group_query(projects: &[Source], filter: &Filter, limit: i64, offset: i64) -> Fragment {
    // A project without listed packages has nothing for the default filter.
    let used: Vec<&Source> = projects
        .iter()
        .filter(|one| !filter.is_counted() || one.displayable > 0)
        .collect();
    if used.is_empty() || used.len() > MAX_MERGED {
        return sorted_query(projects, filter, limit, offset);
    }
    merged_query(&used, filter, limit, offset)
}

fn merged_query(used: &[&Source], filter: &Filter, limit: i64, offset: i64) -> Fragment {
    let by_path = filter.order_by == OrderBy::ProjectPath;
    let keys = filter.keys();
    let direction = filter.direction();
    let mut order: Vec<String> = (0..keys.len()).map(|at| format!("m.k{at}{direction}")).collect();
    if by_path {
        order.insert(0, format!("m.path{direction}"));
    }
    let order = order.join(", ");
    let mut query = Fragment::new("select ");
    query.raw(Package::COLUMNS).raw(" from (select * from (");
    for (index, project) in used.iter().enumerate() {
        query.raw(if index == 0 { "" } else { " union all " });
        query.raw("select * from (select p.id as package_id");
        for (at, key) in keys.iter().enumerate() {
            query.raw(&format!(", {key} as k{at}"));
        }
        if by_path {
            query.push(", ", project.path.as_str()).raw(" as path");
        }
        query.push(" from packages p where p.project_id = ", project.id);
        filter.push(&mut query);
        query
            .raw(" order by ")
            .raw(&filter.order())
            .push(" limit ", offset.saturating_add(limit))
            .raw(&format!(") b{index}"));
    }
    query
        .raw(") m order by ")
        .raw(&order)
        .push(" limit ", limit)
        .push(" offset ", offset)
        .raw(") m join packages p on p.id = m.package_id order by ")
        .raw(&order);
    query
}

fn sorted_query(projects: &[Source], filter: &Filter, limit: i64, offset: i64) -> Fragment {
    let ids: Vec<i64> = projects.iter().map(|project| project.id).collect();
    let by_path = filter.order_by == OrderBy::ProjectPath;
    let mut query = Fragment::new("select ");
    query.raw(Package::COLUMNS).raw(" from packages p");
    if by_path {
        query.raw(" join projects on projects.id = p.project_id");
    }
    query.raw(" where").in_list("p.project_id", ids);
    filter.push(&mut query);
    query.raw(" order by ");
    if by_path {
        query.raw("projects.path").raw(filter.direction()).raw(", ");
    }
    query.raw(&filter.order()).push(" limit ", limit).push(" offset ", offset);
    query
}

fn count(tx: &mut Tx<'_>, projects: &[i64], filter: &Filter) -> Result<i64> {
    let query = match filter.by_name {
        true => count_of_names(projects, filter),
        false => {
            let mut query = Fragment::new("select count(*) from (select 1 from packages p where");
            query.in_list("p.project_id", projects.to_vec());
            filter.push(&mut query);
            query.push(" limit ", COUNT_LIMIT + 1).raw(") counted");
            query
        }
    };
    let counts: Vec<i64> = tx.query(query)?;
    Ok(counts.into_iter().next().unwrap_or(0))
}

/// Counts names that have a version to show, as far as they are counted: walks
/// names, not their versions.
fn count_of_names(projects: &[i64], filter: &Filter) -> Fragment {
    let mut query = Fragment::new("select count(*) from (select 1 from package_names n where");
    query.in_list("n.project_id", projects.to_vec());
    if let Some(package_type) = filter.package_type {
        query.push(" and n.package_type = ", package_type);
    }
    query.raw(
        " and exists (select 1 from packages p where p.project_id = n.project_id
            and p.package_type = n.package_type and p.name_key = n.name_key",
    );
    // Where there is any, one is the newest.
    Filter { by_name: false, ..filter.clone() }.push(&mut query);
    query.push(") limit ", COUNT_LIMIT + 1).raw(") counted");
    query
}

/// What a list by names says of each beside its newest version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct OfName {
    /// Displayable versions.
    pub versions: i64,
    /// Downloads of all of them.
    pub downloads: i64,
    /// Bytes of the newest one's files.
    pub size: i64,
}

/// The same for each of these packages, by two statements.
pub fn of_names(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, OfName>> {
    let sizes: Vec<(i64, i64)> = tx.all(
        sql!(
            "select package_id, cast(sum(size) as bigint) from package_files
             where package_id in_list($1) and status = 'default' group by package_id"
        ),
        (ids,),
    )?;
    let sizes: HashMap<i64, i64> = sizes.into_iter().collect();
    let counts: Vec<(i64, i64, i64)> = tx.all(
        sql!(
            "select o.id, count(*), cast(sum(p.download_count) as bigint)
             from packages o join packages p on p.project_id = o.project_id
                and p.package_type = o.package_type and p.name_key = o.name_key
             where o.id in_list($1) and p.live = 1
                and p.status in ('default', 'deprecated', 'error') and p.version is not null
             group by o.id"
        ),
        (ids,),
    )?;
    let of_name = |(id, versions, downloads)| {
        let size = sizes.get(&id).copied().unwrap_or(0);
        (id, OfName { versions, downloads, size })
    };
    Ok(counts.into_iter().map(of_name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_folded_and_kept_whole_in_quotes() {
        assert_eq!(words(" Ham  mer ham "), ["ham", "mer"]);
        assert_eq!(words("a \"b C\" d"), ["a", "b c", "d"]);
        assert_eq!(words("\"open end"), ["open end"]);
        assert!(words("  \"\" ").is_empty());
    }

    #[test]
    fn special_characters_are_text() {
        assert_eq!(like("5%_\\"), "%5\\%\\_\\\\%");
    }
}
