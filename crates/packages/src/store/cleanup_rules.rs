//! Cleanup rules, their runs, and what they are about.

use crate::cleanup::model::{CleanupRun, Rule, Standing};
use crate::model::PackageType;
use kernel::error::Result;
use kernel::time::Timestamp;
use spaces::SpaceId;
use store::{Fragment, IntoValue, Tx, Value, sql};

/// Runs that are remembered of a rule.
const REMEMBERED: i64 = 20;
/// Names beyond which nobody counts how many there are.
const MAX_COUNTED: i64 = 1_000_000;

pub fn list(tx: &mut Tx<'_>, owner: SpaceId, limit: i64) -> Result<Vec<Rule>> {
    let (project, group) = owner.columns();
    Ok(tx.all(
        sql!(
            "select * from package_cleanup_rules
             where project_id = $1 or namespace_id = $2 order by id limit $3"
        ),
        (project, group, limit),
    )?)
}

pub fn rule_of(tx: &mut Tx<'_>, owner: SpaceId, id: i64) -> Result<Option<Rule>> {
    let (project, group) = owner.columns();
    Ok(tx.optional(
        sql!(
            "select * from package_cleanup_rules
             where id = $1 and (project_id = $2 or namespace_id = $3)"
        ),
        (id, project, group),
    )?)
}

pub fn of_projects(tx: &mut Tx<'_>, projects: &[i64]) -> Result<Vec<Rule>> {
    Ok(tx.all(
        sql!("select * from package_cleanup_rules where project_id in_list($1) order by id"),
        (projects,),
    )?)
}

/// Adds a rule; its id in `rule` is ignored.
pub fn insert(tx: &mut Tx<'_>, rule: &Rule) -> Result<i64> {
    let mut values = vec![
        rule.project_id.into_value(),
        rule.namespace_id.into_value(),
        rule.created_at.into_value(),
    ];
    values.extend(said(rule));
    Ok(tx.one(
        sql!(
            "insert into package_cleanup_rules (project_id, namespace_id, created_at,
                package_type, enabled, keep_last, keep_name_regex, keep_version_regex,
                remove_name_regex, remove_version_regex, older_than_days, not_downloaded_days,
                never_downloaded, next_run_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
             returning id"
        ),
        values,
    )?)
}

pub fn update(tx: &mut Tx<'_>, rule: &Rule) -> Result<()> {
    let mut values = vec![rule.id.into_value()];
    values.extend(said(rule));
    tx.execute(
        sql!(
            "update package_cleanup_rules set package_type = $2, enabled = $3, keep_last = $4,
                keep_name_regex = $5, keep_version_regex = $6, remove_name_regex = $7,
                remove_version_regex = $8, older_than_days = $9, not_downloaded_days = $10,
                never_downloaded = $11, next_run_at = $12, updated_at = $13
             where id = $1"
        ),
        values,
    )?;
    Ok(())
}

/// What changes of a rule, in the order of both statements.
fn said(rule: &Rule) -> [Value; 12] {
    [
        rule.package_type.into_value(),
        rule.enabled.into_value(),
        rule.keep_last.into_value(),
        rule.keep_name_regex.as_deref().into_value(),
        rule.keep_version_regex.as_deref().into_value(),
        rule.remove_name_regex.as_deref().into_value(),
        rule.remove_version_regex.as_deref().into_value(),
        rule.older_than_days.into_value(),
        rule.not_downloaded_days.into_value(),
        rule.never_downloaded.into_value(),
        rule.next_run_at.into_value(),
        rule.updated_at.into_value(),
    ]
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from package_cleanup_rules where id = $1"), (id,))?;
    Ok(())
}

/// At most `limit` rules that are due, which are due again `next`.
pub fn take_due(tx: &mut Tx<'_>, next: Timestamp, limit: i64) -> Result<Vec<i64>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            "update package_cleanup_rules set next_run_at = $2
             where id in (select id from package_cleanup_rules
                where next_run_at <= $1 order by next_run_at, id limit $3)
             returning id"
        ),
        (now, next, limit),
    )?)
}

/// Begins a run of each of these rules that has none under way; the ids of
/// all that are then.
pub fn begin(tx: &mut Tx<'_>, rules: &[i64]) -> Result<Vec<i64>> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into package_cleanup_runs (rule_id, under_way, after_project, after_name,
                names_done, names_total, removed_packages, removed_size, started_at)
             select id, 1, 0, '', 0, 0, 0, 0, $2 from package_cleanup_rules where id in_list($1)
             on conflict (rule_id, under_way) do nothing"
        ),
        (rules, now),
    )?;
    Ok(tx.all(
        sql!(
            "select id from package_cleanup_runs
             where rule_id in_list($1) and under_way = 1 order by id"
        ),
        (rules,),
    )?)
}

/// The run of this id that is under way, and its rule.
pub fn under_way(tx: &mut Tx<'_>, id: i64) -> Result<Option<(CleanupRun, Rule)>> {
    let run: Option<CleanupRun> = tx.optional(
        sql!("select * from package_cleanup_runs where id = $1 and under_way = 1"),
        (id,),
    )?;
    let Some(run) = run else {
        return Ok(None);
    };
    let rule: Option<Rule> =
        tx.optional(sql!("select * from package_cleanup_rules where id = $1"), (run.rule_id,))?;
    Ok(rule.map(|rule| (run, rule)))
}

/// The runs of a rule, the newest first.
pub fn runs(tx: &mut Tx<'_>, rule: i64) -> Result<Vec<CleanupRun>> {
    Ok(tx.all(
        sql!("select * from package_cleanup_runs where rule_id = $1 order by id desc limit $2"),
        (rule, REMEMBERED),
    )?)
}

/// The newest run of each of these rules.
pub fn last_runs(tx: &mut Tx<'_>, rules: &[i64]) -> Result<Vec<CleanupRun>> {
    Ok(tx.all(
        sql!(
            "select * from package_cleanup_runs where id in
                (select max(id) from package_cleanup_runs where rule_id in_list($1)
                 group by rule_id)"
        ),
        (rules,),
    )?)
}

/// Stores how far a run is.
pub fn save(tx: &mut Tx<'_>, run: &CleanupRun) -> Result<()> {
    tx.execute(
        sql!(
            "update package_cleanup_runs set after_project = $2, after_name = $3,
                names_done = $4, names_total = $5, removed_packages = $6, removed_size = $7
             where id = $1"
        ),
        (
            run.id,
            run.after_project,
            run.after_name.as_str(),
            run.names_done,
            run.names_total,
            run.removed_packages,
            run.removed_size,
        ),
    )?;
    Ok(())
}

/// Ends a run, and forgets those long past.
pub fn finish(tx: &mut Tx<'_>, run: &CleanupRun) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update package_cleanup_runs set under_way = null, finished_at = $2
             where id = $1"
        ),
        (run.id, now),
    )?;
    tx.execute(
        sql!(
            "delete from package_cleanup_runs where rule_id = $1 and id not in
                (select id from package_cleanup_runs where rule_id = $1
                 order by id desc limit $2)"
        ),
        (run.rule_id, REMEMBERED),
    )?;
    Ok(())
}

/// Names of one project that a rule looks at together.
#[derive(Debug, Clone, PartialEq)]
pub struct Names {
    pub project_id: i64,
    /// The names as the format compares them, in their order.
    pub keys: Vec<String>,
}

/// The next names a rule is about, after this one of this project.
pub fn next_names(
    tx: &mut Tx<'_>, rule: &Rule, (project, name): (i64, &str), limit: i64,
) -> Result<Option<Names>> {
    let mut from = (project, name);
    loop {
        let mut query = in_scope("select projects.id", rule)?;
        query
            .push(" and projects.id >= ", from.0)
            .push(
                " and exists (select 1 from packages p where p.project_id = projects.id
                    and p.package_type = ",
                rule.package_type,
            )
            .raw(" and p.live = 1) order by projects.id limit 1");
        let Some(project_id) = tx.query::<i64>(query)?.pop() else {
            return Ok(None);
        };
        let after = if project_id == from.0 { from.1 } else { "" };
        let keys = names_after(tx, project_id, rule.package_type, after, limit)?;
        if !keys.is_empty() {
            return Ok(Some(Names { project_id, keys }));
        }
        from = (project_id + 1, "");
    }
}

fn names_after(
    tx: &mut Tx<'_>, project_id: i64, package_type: PackageType, after: &str, limit: i64,
) -> Result<Vec<String>> {
    Ok(tx.all(
        sql!(
            "select distinct name_key from packages
             where project_id = $1 and package_type = $2 and live = 1 and name_key > $3
             order by name_key limit $4"
        ),
        (project_id, package_type, after, limit),
    )?)
}

/// How many names a rule is about.
pub fn count_names(tx: &mut Tx<'_>, rule: &Rule) -> Result<i64> {
    let mut query = Fragment::new("select count(*) from (");
    query
        .append(in_scope(
            "select distinct projects.id, p.name_key from packages p
                join projects on projects.id = p.project_id",
            rule,
        )?)
        .push(" and p.live = 1 and p.package_type = ", rule.package_type)
        .push(" limit ", MAX_COUNTED)
        .raw(") counted");
    Ok(tx.query::<i64>(query)?.pop().unwrap_or(0))
}

/// A selection of projects that a rule is about: read-only ones and those that
/// go anyway are left alone.
fn in_scope(select: &str, rule: &Rule) -> Result<Fragment> {
    let mut query = Fragment::new(select);
    if !select.contains(" from ") {
        query.raw(" from projects");
    }
    query.raw(
        " join namespaces n on n.id = projects.namespace_id
         where not projects.archived and projects.deletion_scheduled_at is null",
    );
    match rule.owner()? {
        SpaceId::Project(id) => query.push(" and projects.id = ", id),
        SpaceId::Group(id) => query
            .push(" and n.lineage >= (select lineage from namespaces where id = ", id)
            // ':' follows '/' and all digits, so this ends what begins so.
            .push(") and n.lineage < (select lineage || ':' from namespaces where id = ", id)
            .raw(" and deletion_scheduled_at is null)"),
    };
    Ok(query)
}

/// Shows each version of these names that a rule might take of those published
/// before this to `visit`, by name and then the newest first.
pub fn visit(
    tx: &mut Tx<'_>, rule: &Rule, names: &Names, published_before: Timestamp,
    mut visit: impl FnMut(Standing),
) -> Result<()> {
    tx.each(
        sql!(
            "select id, project_id, name, name_key, version, package_type, status, created_at,
                last_downloaded_at, place, cast(coalesce((select sum(f.size)
                    from package_files f where f.package_id = placed.id
                        and f.status = 'default'), 0) as bigint) as size
             from (select p.*, row_number() over
                    (partition by p.name_key order by p.created_at desc, p.id desc) as place
                from packages p
                where p.project_id = $1 and p.package_type = $2 and p.name_key in_list($3)
                    and p.live = 1 and p.version is not null and p.status <> 'processing') placed
             where place > $4 and created_at < $5
             order by name_key, place"
        ),
        (
            names.project_id,
            rule.package_type,
            names.keys.as_slice(),
            rule.keep_last.unwrap_or(0),
            published_before,
        ),
        |one: Standing| {
            visit(one);
            Ok(())
        },
    )?;
    Ok(())
}
