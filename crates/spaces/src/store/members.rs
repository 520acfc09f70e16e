//! Memberships, written one by one.

use super::{Source, today};
use crate::access::OWNER;
use crate::model::SourceKind;
use kernel::error::Result;
use kernel::http::Paging;
use kernel::time::{Date, Timestamp};
use std::collections::HashMap;
use store::{FromRow, Tx, sql};

/// Makes somebody an owner, unless they are a member.
pub fn insert_owner(tx: &mut Tx<'_>, kind: &str, id: i64, user_id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into members (source_type, source_id, user_id, access_level, created_by_id,
                created_at, updated_at) values ($1, $2, $3, $4, $3, $5, $5)
             on conflict (source_type, source_id, user_id) do nothing"
        ),
        (kind, id, user_id, OWNER, now),
    )?;
    Ok(())
}

pub struct NewRow {
    pub source: (SourceKind, i64),
    pub user_id: i64,
    pub level: i64,
    pub created_by_id: Option<i64>,
    pub expires_at: Option<Date>,
}

/// Adds a membership, in place of a request or one that ended; whether there
/// was no other.
pub fn insert(tx: &mut Tx<'_>, new: &NewRow) -> Result<bool> {
    let (now, today) = (tx.now(), today(tx));
    let added = tx.execute(
        sql!(
            "insert into members (source_type, source_id, user_id, access_level, created_by_id,
                expires_at, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $7)
             on conflict (source_type, source_id, user_id) do update set
                access_level = excluded.access_level, created_by_id = excluded.created_by_id,
                expires_at = excluded.expires_at, created_at = excluded.created_at,
                updated_at = excluded.updated_at, requested_at = null
             where members.requested_at is not null or members.expires_at <= $8"
        ),
        (
            new.source.0,
            new.source.1,
            new.user_id,
            new.level,
            new.created_by_id,
            new.expires_at,
            now,
            today,
        ),
    )?;
    Ok(added > 0)
}

pub fn updated_at(tx: &mut Tx<'_>, source: &Source, user_id: i64) -> Result<Option<Timestamp>> {
    Ok(tx.optional(
        sql!(
            "select updated_at from members where source_type = $1 and source_id = $2
                and user_id = $3 and requested_at is null"
        ),
        (source.kind, source.id, user_id),
    )?)
}

pub fn update(
    tx: &mut Tx<'_>, source: &Source, user_id: i64, level: i64, expires_at: Option<Date>,
) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update members set access_level = $4, expires_at = $5, updated_at = $6
             where source_type = $1 and source_id = $2 and user_id = $3"
        ),
        (source.kind, source.id, user_id, level, expires_at, now),
    )?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, source: &Source, user_id: i64) -> Result<()> {
    tx.execute(
        sql!("delete from members where source_type = $1 and source_id = $2 and user_id = $3"),
        (source.kind, source.id, user_id),
    )?;
    Ok(())
}

/// Removes memberships in what stands below a group, but those of owners; where
/// they were.
pub fn delete_below(
    tx: &mut Tx<'_>, group_id: i64, user_id: i64,
) -> Result<Vec<(SourceKind, i64)>> {
    let mut ended: Vec<(SourceKind, i64)> = tx.all(
        sql!(
            "delete from members where user_id = $2 and source_type = 'Group' and source_id in
                (select n.id from namespaces top join namespaces n
                    on n.lineage > top.lineage and n.lineage < top.lineage || ':'
                 where top.id = $1)
                and access_level < 50
             returning source_type, source_id"
        ),
        (group_id, user_id),
    )?;
    let in_projects: Vec<(SourceKind, i64)> = tx.all(
        sql!(
            "delete from members where user_id = $2 and source_type = 'Project' and source_id in
                (select p.id from namespaces top
                 join namespaces n on n.lineage >= top.lineage and n.lineage < top.lineage || ':'
                 join projects p on p.namespace_id = n.id where top.id = $1)
             returning source_type, source_id"
        ),
        (group_id, user_id),
    )?;
    ended.extend(in_projects);
    Ok(ended)
}

/// Adds a request, unless there is one or a membership.
pub fn insert_request(tx: &mut Tx<'_>, source: &Source, user_id: i64) -> Result<bool> {
    let now = tx.now();
    let made = tx.execute(
        sql!(
            "insert into members (source_type, source_id, user_id, access_level, requested_at,
                created_at, updated_at) values ($1, $2, $3, 30, $4, $4, $4)
             on conflict (source_type, source_id, user_id) do nothing"
        ),
        (source.kind, source.id, user_id, now),
    )?;
    Ok(made > 0)
}

pub fn grant(
    tx: &mut Tx<'_>, source: &Source, user_id: i64, level: i64, by: Option<i64>,
) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update members set access_level = $4, requested_at = null, created_by_id = $5,
                created_at = $6, updated_at = $6
             where source_type = $1 and source_id = $2 and user_id = $3"
        ),
        (source.kind, source.id, user_id, level, by, now),
    )?;
    Ok(())
}

pub fn delete_request(tx: &mut Tx<'_>, source: &Source, user_id: i64) -> Result<bool> {
    let gone = tx.execute(
        sql!(
            "delete from members where source_type = $1 and source_id = $2 and user_id = $3
                and requested_at is not null"
        ),
        (source.kind, source.id, user_id),
    )?;
    Ok(gone > 0)
}

/// What a user is a member of: its id, its name, its kind, and the role there.
pub type Held = (i64, String, SourceKind, i64);

/// What a user is a member of, of one kind or of both, and how much that is.
pub fn of_user(
    tx: &mut Tx<'_>, user_id: i64, only: Option<SourceKind>, paging: &Paging,
) -> Result<(Vec<Held>, i64)> {
    let (today, kind) = (today(tx), only.map_or("", SourceKind::as_str));
    let rows = tx.all(
        sql!(
            "select m.source_id, coalesce(p.name, n.name, ''), m.source_type, m.access_level
             from members m
             left join projects p on m.source_type = 'Project' and p.id = m.source_id
             left join namespaces n on m.source_type = 'Group' and n.id = m.source_id
             where m.user_id = $1 and m.requested_at is null
                and (m.expires_at is null or m.expires_at > $2)
                and ($3 = '' or m.source_type = $3)
             order by m.id limit $4 offset $5"
        ),
        (user_id, &today, kind, paging.fetch(), paging.offset()),
    )?;
    let total = tx.one(
        sql!(
            "select count(*) from members where user_id = $1 and requested_at is null
                and (expires_at is null or expires_at > $2)
                and ($3 = '' or source_type = $3)"
        ),
        (user_id, &today, kind),
    )?;
    Ok((rows, total))
}

/// A membership of a user, with where it is.
#[derive(Debug, Clone, FromRow)]
pub struct HeldRow {
    pub name: String,
    pub full_path: String,
    pub source_type: SourceKind,
    pub access_level: i64,
    pub expires_at: Option<String>,
    pub created_at: Timestamp,
}

/// How much a user is a member of.
pub fn count_held(tx: &mut Tx<'_>, user_id: i64) -> Result<i64> {
    let today = today(tx);
    Ok(tx.one(
        sql!(
            "select count(*) from members where user_id = $1 and requested_at is null
                and (expires_at is null or expires_at > $2)"
        ),
        (user_id, today),
    )?)
}

/// A page of what a user is a member of, by its address.
pub fn held_by(tx: &mut Tx<'_>, user_id: i64, paging: &Paging) -> Result<Vec<HeldRow>> {
    let today = today(tx);
    Ok(tx.all(
        sql!(
            "select coalesce(p.name, n.name, '') as name,
                coalesce(p.full_path, n.full_path, '') as full_path, m.source_type,
                m.access_level, m.expires_at, m.created_at
             from members m
             left join projects p on m.source_type = 'Project' and p.id = m.source_id
             left join namespaces n on m.source_type = 'Group' and n.id = m.source_id
             where m.user_id = $1 and m.requested_at is null
                and (m.expires_at is null or m.expires_at > $2)
             order by 2, m.id limit $3 offset $4"
        ),
        (user_id, &today, paging.per_page, paging.offset()),
    )?)
}

pub fn count_of_user(tx: &mut Tx<'_>, user_id: i64, kind: SourceKind) -> Result<i64> {
    let today = today(tx);
    Ok(tx.one(
        sql!(
            "select count(*) from members where user_id = $1 and source_type = $2
                and requested_at is null and (expires_at is null or expires_at > $3)"
        ),
        (user_id, kind, today),
    )?)
}

/// How many groups each of these users is a member of, of those in any.
pub fn groups_of_users(tx: &mut Tx<'_>, users: &[i64]) -> Result<Vec<(i64, i64)>> {
    let today = today(tx);
    Ok(tx.all(
        sql!(
            "select m.user_id, count(*) from members m
             join namespaces n on n.id = m.source_id and n.deletion_scheduled_at is null
             where m.user_id in_list($1) and m.source_type = 'Group'
                and m.requested_at is null
                and (m.expires_at is null or m.expires_at > $2)
             group by m.user_id"
        ),
        (users, today),
    )?)
}

/// The levels a user holds in these projects and groups by themselves, as a
/// member or by a share: kind, id, and the highest level.
pub fn levels_held(
    tx: &mut Tx<'_>, user_id: i64, projects: Vec<i64>, groups: Vec<i64>,
) -> Result<Vec<(String, i64, i64)>> {
    let today = today(tx);
    Ok(tx.all(
        sql!(
            "select source_type, source_id, max(level) from (
                select source_type, source_id, access_level as level from members
                where user_id = $1 and source_type = 'Project' and source_id in_list($2)
                    and requested_at is null and (expires_at is null or expires_at > $4)
                union all
                select source_type, source_id, access_level from members
                where user_id = $1 and source_type = 'Group' and source_id in_list($3)
                    and requested_at is null and (expires_at is null or expires_at > $4)
                union all
                select s.source_type, s.source_id,
                    case when s.access_level < m.access_level
                        then s.access_level else m.access_level end
                from shares s
                join namespaces g on g.id = s.group_id
                join members m on m.user_id = $1 and m.source_type = 'Group'
                    and m.requested_at is null and (m.expires_at is null or m.expires_at > $4)
                    and g.lineage like '%/' || cast(m.source_id as text) || '/%'
                where (s.expires_at is null or s.expires_at > $4)
                    and ((s.source_type = 'Project' and s.source_id in_list($2))
                        or (s.source_type = 'Group' and s.source_id in_list($3)))
             ) as levels group by source_type, source_id"
        ),
        (user_id, projects, groups, today),
    )?)
}

/// What members of some projects ($1) hold, by each way they hold it, on a day ($2).
const HELD_IN_PROJECTS: &str = "(
    select p.id as project_id, m.user_id, m.access_level as level
    from projects p join members m on m.source_type = 'Project' and m.source_id = p.id
    where p.id in_list($1) and m.requested_at is null
        and (m.expires_at is null or m.expires_at > $2)
    union all
    select p.id, m.user_id, m.access_level
    from projects p join namespaces n on n.id = p.namespace_id
    join members m on m.source_type = 'Group'
        and n.lineage like '%/' || cast(m.source_id as text) || '/%'
    where p.id in_list($1) and m.requested_at is null
        and (m.expires_at is null or m.expires_at > $2)
    union all
    select p.id, m.user_id,
        case when s.access_level < m.access_level then s.access_level else m.access_level end
    from projects p join namespaces n on n.id = p.namespace_id
    join shares s on (s.source_type = 'Project' and s.source_id = p.id)
        or (s.source_type = 'Group' and n.lineage like '%/' || cast(s.source_id as text) || '/%')
    join namespaces g on g.id = s.group_id
    join members m on m.source_type = 'Group'
        and g.lineage like '%/' || cast(m.source_id as text) || '/%'
    where p.id in_list($1) and (s.expires_at is null or s.expires_at > $2)
        and m.requested_at is null and (m.expires_at is null or m.expires_at > $2)
    union all
    select p.id, n.owner_id, 50 from projects p join namespaces n on n.id = p.namespace_id
    where p.id in_list($1) and n.owner_id is not null
 ) as held ";

/// The roles of some users in some projects, by both; without those who have none.
pub fn roles_in_projects(
    tx: &mut Tx<'_>, projects: Vec<i64>, users: Vec<i64>,
) -> Result<HashMap<(i64, i64), i64>> {
    let today = today(tx);
    let rows: Vec<(i64, i64, i64)> = tx.all(
        sql!(
            "select project_id, user_id, max(level) from ",
            HELD_IN_PROJECTS,
            "where user_id in_list($3) group by project_id, user_id"
        ),
        (projects, today, users),
    )?;
    Ok(rows
        .into_iter()
        .map(|(project, user, level)| ((project, user), level))
        .collect())
}

/// How many people are active who have at least a role in some projects, by project.
pub fn count_people(tx: &mut Tx<'_>, projects: Vec<i64>, level: i64) -> Result<HashMap<i64, i64>> {
    let today = today(tx);
    Ok(tx.pairs(
        sql!(
            "select held.project_id, count(distinct held.user_id) from ",
            HELD_IN_PROJECTS,
            "join users on users.id = held.user_id
             where held.level >= $3 and users.state = 'active' and users.kind = 'human'
             group by held.project_id"
        ),
        (projects, today, level),
    )?)
}

/// The members of some groups and of those above them, by group, at most so many.
pub fn people_of_groups(
    tx: &mut Tx<'_>, groups: Vec<i64>, most: i64,
) -> Result<HashMap<i64, Vec<i64>>> {
    let today = today(tx);
    Ok(tx.grouped(
        sql!(
            "select distinct g.id, m.user_id from namespaces g
             join members m on m.source_type = 'Group'
                and g.lineage like '%/' || cast(m.source_id as text) || '/%'
             where g.id in_list($1) and m.requested_at is null and m.access_level >= 10
                and (m.expires_at is null or m.expires_at > $2)
             order by g.id, m.user_id limit $3"
        ),
        (groups, today, most),
    )?)
}

/// Who is a member of a project itself, with their role and when it ends, after this user.
pub fn direct_after(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<(i64, i64, Option<Date>)>> {
    let today = today(tx);
    Ok(tx.all(
        sql!(
            "select user_id, access_level, expires_at from members
             where source_type = 'Project' and source_id = $1 and user_id > $2
                and requested_at is null and (expires_at is null or expires_at > $3)
             order by user_id limit $4"
        ),
        (project_id, after, today, limit),
    )?)
}
