//! Whether there are lists of dependencies and exports of them: on the instance, in all
//! groups above, and in the project (docs/interface/delivery.md 20).

use ::store::{Fragment, Tx, sql};
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use spaces::access::find_group;
use spaces::model::{Namespace, Project};

kernel::setting! {
    /// Whether the instance has lists of dependencies.
    pub struct Switches = "delivery.switches" {
        pub dependency_exports: bool = true,
    }
}

identity::settings_part! {
    Switches {
        /// Projects have lists of dependencies, and exports of them.
        dependency_exports_enabled: bool => dependency_exports,
    } sealed {}
}

impl Switches {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}

/// What is answered where it is off.
pub fn refusal() -> Error {
    Error::forbidden("This feature is switched off")
}

/// Whether the instance, a group and all groups above it have them.
pub fn is_on_in(tx: &mut Tx<'_>, group: &Namespace) -> Result<bool> {
    if !kernel::settings::read::<Switches>(tx)?.dependency_exports {
        return Ok(false);
    }
    let off: Option<i64> = tx.optional(
        sql!(
            "select id from namespaces where id in_list($1)
                and not dependency_exports_enabled limit 1"
        ),
        (group.ids(),),
    )?;
    Ok(off.is_none())
}

/// The same for a project, which may have switched off its own.
pub fn is_on_for(tx: &mut Tx<'_>, project: &Project) -> Result<bool> {
    if !crate::pipelines::store::settings::of_project(tx, project.id)?.dependency_exports {
        return Ok(false);
    }
    match find_group(tx, &Reference::Id(project.namespace_id))? {
        Some(group) => is_on_in(tx, &group),
        None => Ok(kernel::settings::read::<Switches>(tx)?.dependency_exports),
    }
}

/// Refuses where the project has none.
pub fn check_project(tx: &mut Tx<'_>, project: &Project) -> Result<()> {
    match is_on_for(tx, project)? {
        true => Ok(()),
        false => Err(refusal()),
    }
}

/// Refuses where the group has none.
pub fn check_group(tx: &mut Tx<'_>, group: &Namespace) -> Result<()> {
    match is_on_in(tx, group)? {
        true => Ok(()),
        false => Err(refusal()),
    }
}

/// Condition on `projects`: neither they nor a group above them switches it off. One
/// engine reads `false` as a text, the other as a number.
pub fn on_in_projects() -> Fragment {
    Fragment::new(
        "not exists (select 1 from ci_project_settings switched
                where switched.project_id = projects.id and not switched.dependency_exports)
            and not exists (select 1 from namespaces off, namespaces home
                where home.id = projects.namespace_id and not off.dependency_exports_enabled
                    and home.lineage >= off.lineage and home.lineage < off.lineage || ':')
            and not exists (select 1 from settings where settings.key = 'delivery.switches'
                and cast(settings.value ->> 'dependency_exports' as text) in ('false', '0'))",
    )
}

/// Those of some projects that have them.
pub fn on_among_projects(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Vec<i64>> {
    let mut query = Fragment::new("select projects.id from projects where");
    query.in_list("projects.id", ids).raw(" and ").append(on_in_projects());
    Ok(tx.query(query)?)
}

/// Those of some groups that have them.
pub fn on_among_groups(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Vec<i64>> {
    if !kernel::settings::read::<Switches>(tx)?.dependency_exports {
        return Ok(Vec::new());
    }
    let mut query = Fragment::new("select home.id from namespaces home where");
    query.in_list("home.id", ids).raw(
        " and not exists (select 1 from namespaces off where not off.dependency_exports_enabled
            and home.lineage >= off.lineage and home.lineage < off.lineage || ':')",
    );
    Ok(tx.query(query)?)
}
