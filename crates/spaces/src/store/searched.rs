//! Projects and groups as they are indexed and listed by a search.

use kernel::error::Result;
use kernel::search::{Source, index};
use store::{Tx, sql};

pub static PROJECTS: Source = Source {
    index: "search_projects",
    id: "projects.id",
    select: "select projects.id, projects.id as project_id, cast(null as bigint) as number,
            projects.name || ' ' || projects.full_path as name, projects.description as body
        from projects where ",
    hit: "projects.id, cast(null as bigint) as number, projects.name as title,
        substr(projects.description, 1, 5000) as body, projects.full_path as place,
        case projects.visibility when 20 then 'public' when 10 then 'internal'
            else 'private' end as word,
        projects.last_activity_at as at",
};

pub static GROUPS: Source = Source {
    index: "search_groups",
    id: "namespaces.id",
    select: "select namespaces.id, cast(null as bigint) as project_id,
            cast(null as bigint) as number,
            namespaces.name || ' ' || namespaces.full_path as name, namespaces.description as body
        from namespaces where namespaces.kind = 'group' and ",
    hit: "namespaces.id, cast(null as bigint) as number, namespaces.name as title,
        substr(namespaces.description, 1, 5000) as body, namespaces.full_path as place,
        case namespaces.visibility when 20 then 'public' when 10 then 'internal'
            else 'private' end as word,
        namespaces.created_at as at",
};

/// Indexes a group with all below it, whose paths changed.
pub fn index_below(tx: &mut Tx<'_>, lineage: &str, end: &str) -> Result<()> {
    let groups: Vec<i64> = tx.all(
        sql!("select id from namespaces where lineage >= $1 and lineage < $2"),
        (lineage, end),
    )?;
    index(tx, &GROUPS, &groups)?;
    let projects: Vec<i64> = tx.all(
        sql!(
            "select p.id from projects p join namespaces n on n.id = p.namespace_id
             where n.lineage >= $1 and n.lineage < $2"
        ),
        (lineage, end),
    )?;
    Ok(index(tx, &PROJECTS, &projects)?)
}
