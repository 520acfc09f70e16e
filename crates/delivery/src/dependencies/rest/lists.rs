//! Lists of what a project, or those of a group, depend on.

use crate::dependencies::entity::{DependencyEntity, GroupDependencyEntity, ProjectOfDependency};
use crate::dependencies::model::{Dependency, Needed, PackageManager, name_key};
use crate::dependencies::store::lists::{self, Filter, Sort};
use crate::dependencies::{access, advisories, store as rows};
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Result};
use kernel::http::{Flat, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use spaces::access::find_projects;
use spaces::model::{Project, Sort as Direction};
use std::collections::HashMap;

pub fn routes(r: &mut Routes) {
    r.get("/projects/{id}/dependencies", of_project)
        .summary("Lists what a project depends on");
    r.get("/groups/{id}/dependencies", of_group)
        .summary("Lists what the projects of a group and its subgroups depend on");
}

kernel::params! {
    /// Which dependencies, and in which order.
    pub struct Wanted {
        /// Only those that one of these installs.
        pub package_manager: Option<Vec<PackageManager>>,
        /// Only those of these names.
        pub component_names: Option<Vec<String>>,
        /// Only those under one of these licences: SPDX ids, expressions, names, `unknown`.
        pub licenses: Option<Vec<String>>,
        /// Only those whose name has this part.
        pub search: Option<String>,
        /// Only those that are needed for one of these.
        pub category: Option<Vec<Needed>>,
        /// What they are sorted by: the name, unless said.
        pub sort_by: Option<Sort>,
        /// The direction: `asc`, unless said; by severity the worst first.
        pub sort: Option<Direction>,
    }
}

kernel::params! {
    pub struct OfProject {
        /// Id or path of the project.
        pub id: Reference,
        pub wanted: Flat<Wanted>,
    }
}

kernel::params! {
    pub struct OfGroup {
        /// Id or path of the group.
        pub id: Reference,
        pub wanted: Flat<Wanted>,
    }
}

impl Wanted {
    fn filter(&self) -> Filter {
        let packagers = self.package_manager.iter().flatten().map(ToString::to_string);
        let search = self.search.as_ref().map(|text| text.trim().to_owned());
        Filter {
            packagers: packagers.collect(),
            names: self.component_names.clone().unwrap_or_default(),
            licenses: self.licenses.clone().unwrap_or_default(),
            search: search.filter(|text| !text.is_empty()),
            categories: self.category.clone().unwrap_or_default(),
            sources: Vec::new(),
        }
    }

    fn order(&self) -> (Sort, bool) {
        let by = self.sort_by.unwrap_or_default();
        let usual = by == Sort::Severity;
        (by, self.sort.map_or(usual, |way| way == Direction::Desc))
    }
}

/// These lists are paged by number only.
fn numbered(paging: Paging) -> Result<Paging> {
    match paging.is_keyset() {
        true => Err(Error::Parameters(vec!["pagination does not have a valid value".into()])),
        false => Ok(paging),
    }
}

/// Dependencies with what is known to be wrong with them.
fn entities(tx: &mut Tx<'_>, found: &[Dependency]) -> Result<Vec<DependencyEntity>> {
    let ids: Vec<i64> = found.iter().map(|one| one.id).collect();
    let wrong = advisories::of(tx, &ids)?;
    let of = |one: &Dependency| wrong.get(&one.id).map_or(&[][..], Vec::as_slice);
    Ok(found.iter().map(|one| DependencyEntity::of(one, of(one))).collect())
}

async fn of_project(
    by: Caller, asked: Params<OfProject>, paging: Paging,
) -> Result<Paged<DependencyEntity>> {
    let app = by.app.clone();
    Paged::read(&app, numbered(paging)?, move |tx, paging| {
        let project = access::project(tx, &by.viewer, &asked.id)?;
        let list = rows::current(tx, project.id)?;
        let lists: Vec<i64> = list.iter().map(|list| list.id).collect();
        let (filter, order) = (asked.wanted.filter(), asked.wanted.order());
        let (found, total) = lists::page(tx, &lists, &filter, order, paging)?;
        Ok((entities(tx, &found)?, total))
    })
    .await
}

async fn of_group(
    by: Caller, asked: Params<OfGroup>, paging: Paging,
) -> Result<Paged<GroupDependencyEntity>> {
    let app = by.app.clone();
    Paged::read(&app, numbered(paging)?, move |tx, paging| {
        let group = access::group(tx, &by.viewer, &asked.id)?;
        let all = lists::below(tx, &by.viewer, &group)?;
        let lists: Vec<i64> = all.iter().map(|list| list.id).collect();
        let (filter, order) = (asked.wanted.filter(), asked.wanted.order());
        let (found, total) = lists::page(tx, &lists, &filter, order, paging)?;
        Ok((in_projects(tx, &lists, &found)?, total))
    })
    .await
}

/// Dependencies with their projects, and how often they stand in these lists.
fn in_projects(
    tx: &mut Tx<'_>, lists: &[i64], found: &[Dependency],
) -> Result<Vec<GroupDependencyEntity>> {
    let ids: Vec<i64> = found.iter().map(|one| one.project_id).collect();
    let projects: HashMap<i64, Project> =
        find_projects(tx, &ids)?.into_iter().map(|one| (one.id, one)).collect();
    let key = |one: &Dependency| name_key(one.group_name.as_deref(), &one.name);
    let counts = lists::occurrences(tx, lists, found.iter().map(key).collect())?;
    let entity = |(one, dependency): (&Dependency, DependencyEntity)| {
        let same = (
            key(one),
            one.version.clone().unwrap_or_default(),
            one.packager.clone().unwrap_or_default(),
        );
        Some(GroupDependencyEntity {
            dependency,
            project: ProjectOfDependency::of(projects.get(&one.project_id)?),
            occurrence_count: counts.get(&same).copied().unwrap_or(1),
        })
    };
    let entities = entities(tx, found)?;
    Ok(found.iter().zip(entities).filter_map(entity).collect())
}
