//! Which runners a list has.

use super::super::model::{ONLINE, Runner, RunnerType, STALE, Tags};
use super::SELECT;
use ::store::{Fragment, FromRow, Tx};
use jiff::Timestamp;
use kernel::error::Result;
use kernel::graph::Window;
use kernel::http::Paging;
use spaces::access::{MAINTAINER, OWNER, groups_of, projects_of};
use spaces::model::{Namespace, Project};

/// Whether it was heard of, as lists are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contacted {
    Online,
    Offline,
    Stale,
    Never,
}

/// What of a list is asked for.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub runner_type: Option<RunnerType>,
    pub contacted: Option<Contacted>,
    pub paused: Option<bool>,
    /// They have all of these.
    pub tags: Tags,
    pub version_prefix: Option<String>,
    pub creator_id: Option<i64>,
}

impl Filter {
    fn condition(&self, now: Timestamp) -> Fragment {
        let mut sql = Fragment::new("");
        if let Some(kind) = self.runner_type {
            sql.push(" and ci_runners.runner_type = ", kind);
        }
        if let Some(paused) = self.paused {
            sql.push(" and ci_runners.paused = ", paused);
        }
        if let Some(id) = self.creator_id {
            sql.push(" and ci_runners.creator_id = ", id);
        }
        for tag in self.tags.as_slice() {
            sql.push(" and replace(ci_runners.tags, ", format!(",{tag},"))
                .raw(", ',') <> ci_runners.tags");
        }
        if let Some(prefix) = &self.version_prefix {
            sql.raw(" and exists (select 1 from ci_runner_managers m")
                .raw(" where m.runner_id = ci_runners.id")
                .push(" and substr(m.version, 1, length(", prefix.as_str())
                .push(")) = ", prefix.as_str())
                .raw(")");
        }
        match self.contacted {
            None => {}
            Some(Contacted::Online) => {
                sql.push(" and ci_runners.contacted_at >= ", now - ONLINE);
            }
            Some(Contacted::Offline) => {
                sql.push(" and ci_runners.contacted_at < ", now - ONLINE);
            }
            Some(Contacted::Never) => {
                sql.raw(" and ci_runners.contacted_at is null");
            }
            Some(Contacted::Stale) => {
                sql.push(" and ci_runners.created_at <= ", now - STALE)
                    .push(" and coalesce(ci_runners.contacted_at, ci_runners.created_at) <= ", {
                        now - STALE
                    });
            }
        }
        sql
    }
}

/// All runners of the instance.
pub fn all() -> Fragment {
    Fragment::new("ci_runners.id > 0")
}

/// Those of the instance itself.
fn of_instance() -> Fragment {
    let mut sql = Fragment::new("");
    sql.push("ci_runners.runner_type = ", RunnerType::Instance);
    sql
}

/// Those that a user manages as a member: of projects they maintain and groups they own.
pub fn managed_by(tx: &Tx<'_>, user_id: i64) -> Fragment {
    let mut sql = Fragment::new(
        "(ci_runners.id in (select p.runner_id from ci_runner_projects p
            join projects on projects.id = p.project_id where ",
    );
    sql.append(projects_of(tx, user_id, MAINTAINER))
        .raw(") or ci_runners.group_id in (select namespaces.id from namespaces where ")
        .append(groups_of(tx, user_id, OWNER))
        .raw("))");
    sql
}

/// Which of some runners a user manages as a member.
pub fn managed_of(tx: &mut Tx<'_>, user_id: i64, ids: Vec<i64>) -> Result<Vec<i64>> {
    let mut sql = Fragment::new("select ci_runners.id from ci_runners where");
    sql.in_list("ci_runners.id", ids).raw(" and ").append(managed_by(tx, user_id));
    Ok(tx.query(sql)?)
}

/// Which of some runners are of groups that a user maintains.
pub fn read_of(tx: &mut Tx<'_>, user_id: i64, ids: Vec<i64>) -> Result<Vec<i64>> {
    let mut sql = Fragment::new("select ci_runners.id from ci_runners where");
    sql.in_list("ci_runners.id", ids)
        .raw(" and ci_runners.group_id in (select namespaces.id from namespaces where ")
        .append(groups_of(tx, user_id, MAINTAINER))
        .raw(")");
    Ok(tx.query(sql)?)
}

/// Those that take jobs of a project.
pub fn of_project(project: &Project) -> Fragment {
    let mut sql = Fragment::new("(");
    sql.push(
        "ci_runners.id in (select p.runner_id from ci_runner_projects p where p.project_id = ",
        project.id,
    )
    .raw(") or")
    .in_list("ci_runners.group_id", project.ancestors())
    .raw(" or ")
    .append(of_instance())
    .raw(")");
    sql
}

/// One that takes jobs and was heard of lately.
#[derive(Debug, Clone, FromRow)]
pub struct OnlineRunner {
    #[nested]
    pub runner: Runner,
    /// A machine of it does.
    pub knows_refspecs: bool,
}

/// Those of a project that are online, the newest first, at most so many.
pub fn online(tx: &mut Tx<'_>, project: &Project, most: i64) -> Result<Vec<OnlineRunner>> {
    let since = tx.now() - ONLINE;
    let mut rows = Fragment::new(::store::concat!(
        "select ",
        Runner::COLUMNS,
        ", exists (select 1 from ci_runner_managers m where m.runner_id = ci_runners.id
            and m.knows_refspecs and m.contacted_at >= "
    ));
    rows.bind(since)
        .raw(") as knows_refspecs from ci_runners where ")
        .append(of_project(project))
        .push(" and not ci_runners.paused and ci_runners.contacted_at >= ", since)
        .push(" order by ci_runners.id desc limit ", most);
    Ok(tx.query(rows)?)
}

/// Those right in a group.
pub fn right_in(group: &Namespace) -> Fragment {
    let mut sql = Fragment::new("");
    sql.push("ci_runners.group_id = ", group.id);
    sql
}

/// The group `g` is this one, or below it.
fn at_or_below(group: &Namespace) -> Fragment {
    let mut sql = Fragment::new("(");
    sql.push("g.lineage >= ", group.lineage.as_str())
        .push(" and g.lineage < ", format!("{}:", group.lineage))
        .raw(")");
    sql
}

/// Those of a group, of groups below it, and of the projects in these.
pub fn at_and_below(group: &Namespace) -> Fragment {
    let mut sql = Fragment::new("(ci_runners.group_id in (select g.id from namespaces g where ");
    sql.append(at_or_below(group))
        .raw(") or ci_runners.id in (select p.runner_id from ci_runner_projects p")
        .raw(" join projects on projects.id = p.project_id")
        .raw(" join namespaces g on g.id = projects.namespace_id where ")
        .append(at_or_below(group))
        .raw("))");
    sql
}

/// Those of a group and of those above it, and of the instance.
pub fn of_group(group: &Namespace) -> Fragment {
    let mut sql = Fragment::new("(");
    sql.in_list("ci_runners.group_id", group.ids())
        .raw(" or ")
        .append(of_instance())
        .raw(")");
    sql
}

/// Those that meet a condition, as far as a text is in what people call them or begins
/// their token.
pub fn searched(condition: &Fragment, search: Option<&str>) -> Fragment {
    let mut sql = condition.clone();
    if let Some(text) = search.filter(|text| !text.is_empty()) {
        let text: String = text.chars().take(255).collect();
        sql.push(" and (ci_runners.short_token = ", text.as_str())
            .push(" or replace(ci_runners.description, ", text.as_str())
            .raw(", '') <> ci_runners.description)");
    }
    sql
}

/// The same in the order of a window.
pub fn window(
    tx: &mut Tx<'_>, condition: &Fragment, filter: &Filter, window: &Window,
) -> Result<Vec<Runner>> {
    let mut rows = Fragment::new(SELECT);
    rows.raw("where ").append(condition.clone()).append(filter.condition(tx.now()));
    window.narrow(&mut rows);
    Ok(tx.query(rows)?)
}

/// How many there are, to this number and one more.
pub fn count(
    tx: &mut Tx<'_>, condition: &Fragment, filter: &Filter, limit: Option<i64>,
) -> Result<i64> {
    let mut counted = Fragment::new("select count(*) from ci_runners where ");
    counted.append(condition.clone()).append(filter.condition(tx.now()));
    let count = tx.query::<i64>(counted)?.into_iter().next().unwrap_or_default();
    Ok(limit.map_or(count, |limit| count.min(limit.saturating_add(1))))
}

/// A page of those that meet a condition, and how many there are.
pub fn page(
    tx: &mut Tx<'_>, condition: &Fragment, filter: &Filter, paging: &Paging,
) -> Result<(Vec<Runner>, i64)> {
    let filtered = filter.condition(tx.now());
    let mut counted = Fragment::new("select count(*) from ci_runners where ");
    counted.append(condition.clone()).append(filtered.clone());
    let total = tx.query::<i64>(counted)?.into_iter().next().unwrap_or_default();
    let mut rows = Fragment::new(SELECT);
    rows.raw("where ").append(condition.clone()).append(filtered);
    rows.raw(" order by ci_runners.id");
    rows.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(rows)?, total))
}

/// How many there are right in a project, in a group, or of the instance.
pub fn count_in(tx: &mut Tx<'_>, kind: RunnerType, id: i64) -> Result<i64> {
    let mut sql = Fragment::new("select count(*) from ");
    match kind {
        RunnerType::Instance => sql.raw("ci_runners where ").append(of_instance()),
        RunnerType::Group => sql.push("ci_runners where ci_runners.group_id = ", id),
        RunnerType::Project => sql.push("ci_runner_projects p where p.project_id = ", id),
    };
    Ok(tx.query::<i64>(sql)?.into_iter().next().unwrap_or_default())
}
