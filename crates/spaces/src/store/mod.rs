//! SQL of this room: lists, memberships, shares. The visible-set conditions
//! are in [`crate::access`].

use crate::model::{Namespace, Project, SourceKind};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::paging::COUNT_LIMIT;
use kernel::time::{Timestamp, date_of};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use store::{Fragment, FromRow, Row, Tx, sql};

pub mod claims;
pub mod counts;
pub mod deletion;
pub mod deploy_tokens;
pub mod filters;
pub mod forks;
pub mod groups;
pub mod invitations;
pub mod lookups;
pub mod members;
pub mod namespaces;
pub mod people;
pub mod places;
pub mod projects;
pub mod searched;
pub mod shares;
pub mod size_limits;
pub mod stars;
pub mod tree;

/// `%text%` with the wildcards of `like` taken literally (escape `\`).
pub fn contains(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// Rows matching a condition, counted no further than lists tell.
pub fn count(tx: &mut Tx<'_>, from: &str, condition: &Fragment) -> Result<i64> {
    let mut counted = Fragment::new("select count(*) from (select 1 from ");
    counted.raw(from).raw(" where ").append(condition.clone());
    counted.push(" limit ", COUNT_LIMIT + 1).raw(") as counted");
    Ok(tx.query::<i64>(counted)?.into_iter().next().unwrap_or(0))
}

/// Projects of a condition and what follows it.
pub fn projects_where(tx: &mut Tx<'_>, condition: Fragment) -> Result<Vec<Project>> {
    let mut list = Fragment::new(store::concat!(Project::SELECT, "where "));
    list.append(condition);
    Ok(tx.query(list)?)
}

/// Projects of a condition, in an order, with `limit` and `offset`.
pub fn projects(
    tx: &mut Tx<'_>, condition: &Fragment, order: &str, limit: i64, offset: i64,
) -> Result<Vec<Project>> {
    ordered(tx, store::concat!(Project::SELECT, "where "), condition, order, (limit, offset))
}

/// Namespaces of a condition, in an order, with `limit` and `offset`.
pub fn namespaces(
    tx: &mut Tx<'_>, condition: &Fragment, order: &str, limit: i64, offset: i64,
) -> Result<Vec<Namespace>> {
    let select = "select namespaces.* from namespaces where ";
    ordered(tx, select, condition, order, (limit, offset))
}

fn ordered<T: FromRow>(
    tx: &mut Tx<'_>, select: &str, condition: &Fragment, order: &str, (limit, offset): (i64, i64),
) -> Result<Vec<T>> {
    let mut list = Fragment::new(select);
    list.append(condition.clone()).raw(" order by ").raw(order);
    list.push(" limit ", limit).push(" offset ", offset);
    Ok(tx.query(list)?)
}

/// A group that something is shared with.
#[derive(Debug, Clone, FromRow, Serialize, JsonSchema)]
#[columns("shares")]
#[schemars(rename = "SharedWithEntity")]
pub struct ShareRow {
    #[serde(skip)]
    pub source_id: i64,
    pub group_id: i64,
    #[column("namespaces.name")]
    pub group_name: String,
    #[column("namespaces.full_path")]
    pub group_full_path: String,
    #[column("shares.access_level")]
    pub group_access_level: i64,
    pub expires_at: Option<String>,
}

/// Shares with groups the viewer may see, by what is shared.
pub fn shares_of(
    tx: &mut Tx<'_>, viewer: &Viewer, source_type: &str, ids: &[i64],
) -> Result<HashMap<i64, Vec<ShareRow>>> {
    let mut list = Fragment::new(store::concat!(
        "select ",
        ShareRow::COLUMNS,
        " from shares join namespaces on namespaces.id = shares.group_id where"
    ));
    list.in_list("shares.source_id", ids)
        .push(" and shares.source_type = ", source_type)
        .raw(" and ")
        .append(crate::access::visible_groups(tx, viewer))
        .raw(" order by shares.id");
    let rows: Vec<ShareRow> = tx.query(list)?;
    let mut by_source: HashMap<i64, Vec<ShareRow>> = HashMap::new();
    for row in rows {
        by_source.entry(row.source_id).or_default().push(row);
    }
    Ok(by_source)
}

/// The user's direct levels in these sources.
pub fn levels_of(
    tx: &mut Tx<'_>, user_id: i64, source_type: &str, ids: &[i64],
) -> Result<HashMap<i64, i64>> {
    let today = today(tx);
    Ok(tx.pairs(
        sql!(
            "select source_id, access_level from members
             where user_id = $1 and source_type = $2 and source_id in_list($3)
                and requested_at is null and (expires_at is null or expires_at > $4)"
        ),
        (user_id, source_type, ids, today),
    )?)
}

/// Those of these projects that the user asked to become a member of.
pub fn requested(tx: &mut Tx<'_>, user_id: i64, ids: &[i64]) -> Result<HashSet<i64>> {
    let rows: Vec<i64> = tx.all(
        sql!(
            "select source_id from members where user_id = $1 and source_type = 'Project'
                and source_id in_list($2) and requested_at is not null"
        ),
        (user_id, ids),
    )?;
    Ok(rows.into_iter().collect())
}

/// Those of these groups where the user has at least this role.
pub fn groups_among(
    tx: &mut Tx<'_>, user_id: i64, level: i64, ids: &[i64],
) -> Result<HashSet<i64>> {
    let mut list = Fragment::new("select namespaces.id from namespaces where");
    list.in_list("namespaces.id", ids).raw(" and ");
    list.append(crate::access::groups_of(tx, user_id, level));
    Ok(tx.query::<i64>(list)?.into_iter().collect())
}

/// Those of these projects where the user has at least this role.
pub fn projects_among(tx: &mut Tx<'_>, user_id: i64, level: i64, ids: &[i64]) -> Result<Vec<i64>> {
    let mut list = Fragment::new("select projects.id from projects where");
    list.in_list("projects.id", ids).raw(" and ");
    list.append(crate::access::projects_of(tx, user_id, level));
    Ok(tx.query(list)?)
}

/// Group and project ids of all projects below these groups.
pub fn project_ids_below(tx: &mut Tx<'_>, groups: &[i64]) -> Result<Vec<(i64, i64)>> {
    Ok(tx.all(
        sql!(
            "select top.id, p.id from namespaces top
             join namespaces n on n.lineage >= top.lineage and n.lineage < top.lineage || ':'
             join projects p on p.namespace_id = n.id
             where top.id in_list($1)"
        ),
        (groups,),
    )?)
}

/// Today in UTC, as dates are kept.
pub fn today(tx: &Tx<'_>) -> String {
    date_of(tx.now()).to_string()
}

#[derive(Debug, Clone)]
pub struct MemberRow {
    pub id: i64,
    /// Role, never above what a share allows.
    pub access_level: i64,
    pub created_by_id: Option<i64>,
    pub expires_at: Option<String>,
    pub created_at: Timestamp,
    /// When it was asked for, while it is a request.
    pub requested_at: Option<Timestamp>,
    pub user: User,
}

impl FromRow for MemberRow {
    fn from_row(row: &mut Row<'_>) -> store::Result<Self> {
        Ok(MemberRow {
            id: row.get("member_id")?,
            access_level: row.get("member_level")?,
            created_by_id: row.get("member_created_by_id")?,
            expires_at: row.get("member_expires_at")?,
            created_at: row.get("member_created_at")?,
            requested_at: row.get("member_requested_at")?,
            user: User::from_row(row)?,
        })
    }
}

#[derive(Debug, Clone)]
pub struct Source {
    pub kind: SourceKind,
    pub id: i64,
    /// Its name, for audit records.
    pub name: String,
    /// Ids of the groups whose members are members here too: those above, and
    /// a group itself.
    pub groups: Vec<i64>,
}

impl Source {
    pub fn of_group(group: &Namespace) -> Source {
        Source {
            kind: SourceKind::Group,
            id: group.id,
            name: group.full_path.clone(),
            groups: group.ids(),
        }
    }

    pub fn of_project(project: &Project) -> Source {
        Source {
            kind: SourceKind::Project,
            id: project.id,
            name: project.full_path.clone(),
            groups: project.ancestors(),
        }
    }

    /// Ids of the groups above it.
    pub fn above(&self) -> Vec<i64> {
        let mut ids = self.groups.clone();
        ids.retain(|id| self.kind == SourceKind::Project || *id != self.id);
        ids
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    Direct,
    All,
    Requests,
}

pub(crate) const MEMBER_COLUMNS: &str = "m.id as member_id, m.user_id as member_user_id, \
    m.access_level as member_level, m.created_by_id as member_created_by_id, \
    m.expires_at as member_expires_at, m.created_at as member_created_at, \
    m.requested_at as member_requested_at";

/// Adds that memberships of this alias are in force: granted, and not over.
pub fn in_force<'s>(sql: &'s mut Fragment, alias: &str, today: &str) -> &'s mut Fragment {
    let ends = format!(" and ({alias}.expires_at is null or {alias}.expires_at > ");
    sql.raw(&format!(" and {alias}.requested_at is null"))
        .push(&ends, today)
        .raw(")")
}

/// The memberships that count in a source, each with [`MemberRow`]'s columns; a
/// user may have several.
pub fn memberships(tx: &Tx<'_>, source: &Source, breadth: Breadth) -> Fragment {
    let today = today(tx);
    let mut all = Fragment::new("(select ");
    all.raw(MEMBER_COLUMNS)
        .push(" from members m where m.source_type = ", source.kind)
        .push(" and m.source_id = ", source.id);
    if breadth == Breadth::Requests {
        all.raw(" and m.requested_at is not null)");
        return all;
    }
    in_force(&mut all, "m", &today);
    if breadth == Breadth::Direct {
        all.raw(")");
        return all;
    }
    all.raw(" union all select ")
        .raw(MEMBER_COLUMNS)
        .raw(" from members m where m.source_type = 'Group' and")
        .in_list("m.source_id", &source.groups);
    in_force(&mut all, "m", &today)
        .raw(
            " union all select m.id, m.user_id,
                case when s.access_level < m.access_level then s.access_level
                    else m.access_level end,
                m.created_by_id, coalesce(m.expires_at, s.expires_at), m.created_at,
                m.requested_at
             from shares s join namespaces g on g.id = s.group_id
             join members m on m.source_type = 'Group' and m.requested_at is null
                and g.lineage like '%/' || cast(m.source_id as text) || '/%'
             where (m.expires_at is null or m.expires_at > ",
        )
        .bind(today.as_str())
        .push(") and (s.expires_at is null or s.expires_at > ", today.as_str())
        .push(") and ((s.source_type = ", source.kind)
        .push(" and s.source_id = ", source.id)
        .raw(") or (s.source_type = 'Group' and")
        .in_list("s.source_id", &source.groups)
        .raw(")))");
    all
}

kernel::params! {
    /// Filters of members.
    #[derive(Default)]
    pub struct MemberFilter {
        /// In name or username.
        pub query: Option<String>,
        /// Only these users.
        pub user_ids: Option<Vec<i64>>,
        /// Not these users.
        pub skip_users: Option<Vec<i64>>,
    }
}

fn listed(tx: &Tx<'_>, source: &Source, breadth: Breadth, filter: &MemberFilter) -> Fragment {
    let mut list = Fragment::new(
        " from (select each_row.*, row_number() over (partition by member_user_id
            order by member_level desc, member_id) as place from ",
    );
    list.append(memberships(tx, source, breadth));
    list.raw(" as each_row) as m join users on users.id = m.member_user_id where m.place = 1");
    filters::search_users(&mut list, filter.query.as_deref());
    if let Some(ids) = &filter.user_ids {
        list.raw(" and").in_list("users.id", ids);
    }
    if let Some(ids) = &filter.skip_users {
        list.raw(" and users.id not in_list(").bind(ids).raw(")");
    }
    list
}

pub fn members(
    tx: &mut Tx<'_>, source: &Source, breadth: Breadth, filter: &MemberFilter, limit: i64,
    offset: i64,
) -> Result<(Vec<MemberRow>, i64)> {
    let mut counted = Fragment::new("select count(*)");
    counted.append(listed(tx, source, breadth, filter));
    let total = tx.query::<i64>(counted)?.into_iter().next().unwrap_or(0);
    let mut list = Fragment::new("select users.*, m.*");
    list.append(listed(tx, source, breadth, filter));
    list.push(" order by users.id limit ", limit).push(" offset ", offset);
    Ok((tx.query(list)?, total))
}

/// How many people are members, of the groups above and by shares, too.
pub fn count_members(tx: &mut Tx<'_>, source: &Source) -> Result<i64> {
    let mut counted = Fragment::new("select count(distinct each_row.member_user_id) from ");
    counted
        .append(memberships(tx, source, Breadth::All))
        .raw(" as each_row join users on users.id = each_row.member_user_id");
    Ok(tx.query::<i64>(counted)?.into_iter().next().unwrap_or(0))
}

/// Up to `limit` active people with at least this role, the highest first.
pub fn managers(tx: &mut Tx<'_>, source: &Source, least: i64, limit: i64) -> Result<Vec<i64>> {
    let mut list = Fragment::new("select users.id");
    list.append(listed(tx, source, Breadth::All, &MemberFilter::default()));
    list.push(" and m.member_level >= ", least)
        .raw(" and users.kind = 'human' and users.state = 'active'")
        .push(" order by m.member_level desc, users.id limit ", limit);
    Ok(tx.query(list)?)
}

pub fn member(
    tx: &mut Tx<'_>, source: &Source, breadth: Breadth, user_id: i64,
) -> Result<Option<MemberRow>> {
    let filter = MemberFilter { user_ids: Some(vec![user_id]), ..MemberFilter::default() };
    Ok(members(tx, source, breadth, &filter, 1, 0)?.0.into_iter().next())
}

/// The highest role that a user has in the groups above, and the name of the
/// group that gives it.
pub fn inherited(tx: &mut Tx<'_>, source: &Source, user_id: i64) -> Result<Option<(i64, String)>> {
    let (above, today) = (source.above(), today(tx));
    Ok(tx.optional(
        sql!(
            "select m.access_level, n.name from members m join namespaces n on n.id = m.source_id
             where m.source_type = 'Group' and m.source_id in_list($1) and m.user_id = $2
                and m.requested_at is null and (m.expires_at is null or m.expires_at > $3)
             order by m.access_level desc, n.depth desc limit 1"
        ),
        (above, user_id, today),
    )?)
}

/// Whether somebody else owns a group, also by the groups above; owners for a
/// time do not count, or the group would be without one some day.
pub fn has_other_owner(tx: &mut Tx<'_>, source: &Source, user_id: i64) -> Result<bool> {
    let other: Option<i64> = tx.optional(
        sql!(
            "select m.user_id from members m join users u on u.id = m.user_id
             where m.source_type = 'Group' and m.source_id in_list($1) and m.access_level = 50
                and m.user_id <> $2 and m.requested_at is null and u.kind = 'human'
                and m.expires_at is null limit 1"
        ),
        (&source.groups, user_id),
    )?;
    Ok(other.is_some())
}
