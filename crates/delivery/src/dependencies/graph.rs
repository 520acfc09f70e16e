//! Dependencies in GraphQL (docs/interface/delivery.md 20). Who may not read those of a
//! project or group finds null there.

use super::advisories;
use super::entity::LicenseEntity;
use super::model::{Dependency, PackageManager, name_key};
use super::store::lists::{self, Filter, Source};
use super::store::{self as rows};
use super::switches;
use ::store::Tx;
use identity::graph::{Tally, caller};
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::context::Loader;
use kernel::graph::shape::Leaf;
use kernel::graph::{
    Args, Ask, Connection, Context, EnumItem, Fault, GlobalId, Graph, HasTypeRef, INT, Key,
    ObjectBuilder, Order, Owned, STRING, argument, by_owner, item, named, object,
};
use spaces::access::{Levels, Purpose, find_projects};
use spaces::graph::{NamespaceView, ProjectView};
use spaces::model::{Namespace, Project};
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

const OCCURRENCE_ID: GlobalId = GlobalId::new("SbomOccurrenceID", "Sbom::Occurrence");
const PACKAGER: Leaf<PackageManager> = Leaf::upper("PackageManager");

/// A dependency of a project that the viewer reads, with what is shown beside it.
pub struct DependencyView {
    row: Dependency,
    full_path: String,
    sha: Option<String>,
    vulnerabilities: i64,
}

struct Location {
    blob_path: Option<String>,
    path: Option<String>,
}

pub fn graph(g: &mut Graph) {
    OCCURRENCE_ID.register(g);
    enumerations(g);
    types(g);
    g.count("Dependency");
    g.node::<Dependencies, _>(OCCURRENCE_ID, object("Dependency"));
    g.query()
        .answer("dependency", object::<DependencyView>("Dependency"), one)
        .describe("A dependency of a project, for its Developers.")
        .arg(argument("id", OCCURRENCE_ID.required()).describe("Its global ID."));
    let of_project = g.on::<ProjectView>("Project").connections(
        "dependencies",
        object::<DependencyView>("Dependency"),
        of_projects,
    );
    filters(of_project.describe("What it depends on, for its Developers."));
    let of_group = g.on::<NamespaceView>("Group").connections(
        "dependencies",
        object::<DependencyView>("Dependency"),
        of_groups,
    );
    let text = "What the projects in it and below depend on, for its Developers.";
    filters(of_group.describe(text));
}

fn enumerations(g: &mut Graph) {
    let orders = vec![
        item("NAME_ASC", "By name."),
        item("NAME_DESC", "By name, the last first."),
        item("PACKAGER_ASC", "By what installs them."),
        item("PACKAGER_DESC", "By what installs them, the last first."),
        item("SEVERITY_ASC", "By the worst that is known of them."),
        item("SEVERITY_DESC", "The worst first."),
    ];
    g.enumeration("DependencySort", "Orders of dependencies.", orders);
    let managers: Vec<EnumItem> =
        MANAGERS.iter().map(|name| item(name, "Installs packages.")).collect();
    g.enumeration("PackageManager", "What installs packages.", managers);
    let sources = vec![
        item("DEPENDENCY_SCANNING", "A file of the repository."),
        item("CONTAINER_SCANNING", "An image that a job scanned."),
        item("CONTAINER_SCANNING_FOR_REGISTRY", "An image of the registry: there are none."),
        item("NIL_SOURCE", "Nothing that is known."),
    ];
    g.enumeration("SbomSourceType", "Where dependencies were found.", sources);
}

/// The names of [`PackageManager`].
const MANAGERS: &[&str] = &[
    "BUNDLER",
    "YARN",
    "NPM",
    "PNPM",
    "MAVEN",
    "COMPOSER",
    "PIP",
    "CONAN",
    "GO",
    "NUGET",
    "SBT",
    "GRADLE",
    "PIPENV",
    "POETRY",
    "SETUPTOOLS",
    "APK",
    "CONDA",
    "PUB",
    "CARGO",
];

fn types(g: &mut Graph) {
    g.object::<Location>("Location", "Where a dependency was found.")
        .field("blobPath", STRING, |it| it.blob_path.clone())
        .describe("Path of the page of the file, if a pipeline found it.")
        .field("path", STRING, |it| it.path.clone())
        .describe("Path of the file in the repository, or the name of the image.");
    g.object::<LicenseEntity>("License", "A licence of a dependency.")
        .field("name", STRING, |it| Some(it.name.clone()))
        .describe("Its name.")
        .field("spdxIdentifier", STRING, |it| it.spdx_identifier.clone())
        .describe("Its id in the SPDX list, or an expression of such ids.")
        .field("url", STRING, |it| it.url.clone())
        .describe("Its page.");
    g.object::<DependencyView>("Dependency", "Something that a project depends on.")
        .field("id", OCCURRENCE_ID.node().required(), |it| it.row.id)
        .describe("Global ID.")
        .value("name", "Its name.", |it| it.row.full_name())
        .field("version", STRING, |it| it.row.version.clone())
        .describe("Its version.")
        .field("packager", PACKAGER, |it| {
            it.row.packager.as_deref().and_then(PackageManager::from_text)
        })
        .describe("What installs it.")
        .field("location", object::<Location>("Location"), |it| {
            Some(Arc::new(Location {
                blob_path: it.row.blob_path(&it.full_path, it.sha.as_deref()),
                path: it.row.path(),
            }))
        })
        .describe("Where it was found.")
        .field("licenses", object::<LicenseEntity>("License").list(), |it| {
            let all = LicenseEntity::all(&it.row.licenses.0).into_iter();
            Some(all.map(|one| Some(Arc::new(one))).collect())
        })
        .describe("Its licences.")
        .field("reachability", STRING, |it| it.row.reachability.clone())
        .describe("Whether the code uses it, as its report says.")
        .field("vulnerabilityCount", INT.required(), |it| it.vulnerabilities)
        .describe("How much is known to be wrong with it.");
}

fn filters<T: Any + Send + Sync>(field: ObjectBuilder<'_, T>) {
    field
        .arg(argument("sort", named("DependencySort")).describe("The order."))
        .arg(
            argument("packageManagers", named("PackageManager").required().list())
                .describe("Only those that one of these installs."),
        )
        .arg(
            argument("componentNames", STRING.required().list())
                .describe("Only those of these names."),
        )
        .arg(
            argument("sourceTypes", named("SbomSourceType").required().list())
                .describe("Only those that were found there."),
        );
}

fn filter(args: &Args) -> Result<Filter, Fault> {
    let packagers: Option<Vec<String>> = args.get("packageManagers")?;
    let names: Option<Vec<String>> = args.get("componentNames")?;
    let sources: Option<Vec<String>> = args.get("sourceTypes")?;
    let source = |name: &String| match name.as_str() {
        "DEPENDENCY_SCANNING" => Source::File,
        "CONTAINER_SCANNING" => Source::Image,
        "NIL_SOURCE" => Source::Unknown,
        _ => Source::Registry,
    };
    let lower = |name: &String| name.to_ascii_lowercase();
    Ok(Filter {
        packagers: packagers.iter().flatten().map(lower).collect(),
        names: names.unwrap_or_default(),
        sources: sources.iter().flatten().map(source).collect(),
        ..Filter::default()
    })
}

/// The keys of an order, and what a row has for the first of them.
struct Sorted {
    keys: [Key; 2],
    first: fn(&Dependency) -> serde_json::Value,
}

impl Sorted {
    fn of(name: &str) -> Sorted {
        let order = if name.ends_with("_DESC") {
            Order::Desc
        } else {
            Order::Asc
        };
        let last = Key::int("dependencies.id", order);
        match name.split('_').next() {
            Some("PACKAGER") => Sorted {
                keys: [Key::text("coalesce(dependencies.packager, '')", order), last],
                first: |it| it.packager.clone().unwrap_or_default().into(),
            },
            Some("SEVERITY") => Sorted {
                keys: [Key::int("dependencies.severity", order), last],
                first: |it| it.severity.into(),
            },
            _ => Sorted {
                keys: [Key::text("dependencies.name_key", order), last],
                first: |it| name_key(it.group_name.as_deref(), &it.name).into(),
            },
        }
    }
}

/// An owner that is read, with its lists.
type Owner = (i64, Vec<i64>);

/// The lists of those of some projects that the viewer reads.
fn open_projects(tx: &mut Tx<'_>, viewer: &Viewer, projects: &[&Project]) -> Outcome<Vec<Owner>> {
    let levels = Levels::in_projects(tx, viewer, projects)?;
    let may = |project: &&&Project| levels.may(project, Purpose::ReadDependencies);
    let ids: Vec<i64> = projects.iter().filter(may).map(|project| project.id).collect();
    let on = switches::on_among_projects(tx, ids)?;
    let lists = rows::current_of(tx, &on)?;
    let list = |id: i64| lists.iter().filter(move |one| one.project_id == id).map(|one| one.id);
    Ok(on.iter().map(|id| (*id, list(*id).collect())).collect())
}

fn open_groups(tx: &mut Tx<'_>, viewer: &Viewer, groups: &[&Namespace]) -> Outcome<Vec<Owner>> {
    let levels = Levels::in_groups(tx, viewer, groups)?;
    let may = |group: &&&Namespace| levels.may_in_group(group, Purpose::ReadDependencies);
    let ids: Vec<i64> = groups.iter().filter(may).map(|group| group.id).collect();
    let on = switches::on_among_groups(tx, ids)?;
    let open: Vec<&Namespace> =
        groups.iter().copied().filter(|group| on.contains(&group.id)).collect();
    let lists = lists::below_each(tx, viewer, &open)?;
    let list = |id: i64| lists.iter().filter(move |row| row.owner == id).map(|row| row.row.id);
    Ok(on.iter().map(|id| (*id, list(*id).collect())).collect())
}

/// Rows with their projects, the commits of their lists, and how much is wrong with them.
fn views(tx: &mut Tx<'_>, found: Vec<Dependency>) -> Outcome<Vec<Arc<DependencyView>>> {
    let ids: Vec<i64> = found.iter().map(|one| one.id).collect();
    let mut projects: Vec<i64> = found.iter().map(|one| one.project_id).collect();
    projects.sort_unstable();
    projects.dedup();
    let paths: HashMap<i64, String> = find_projects(tx, &projects)?
        .into_iter()
        .map(|one| (one.id, one.full_path))
        .collect();
    let shas: HashMap<i64, Option<String>> = rows::current_of(tx, &projects)?
        .into_iter()
        .map(|one| (one.id, one.sha))
        .collect();
    let wrong = advisories::of(tx, &ids)?;
    let view = |row: Dependency| {
        let count = wrong.get(&row.id).map_or(0, Vec::len);
        Some(Arc::new(DependencyView {
            full_path: paths.get(&row.project_id)?.clone(),
            sha: shas.get(&row.list_id).cloned().flatten(),
            vulnerabilities: i64::try_from(count).unwrap_or(i64::MAX),
            row,
        }))
    };
    Ok(found.into_iter().filter_map(view).collect())
}

/// Dependencies by their ids.
pub struct Dependencies;

impl Loader for Dependencies {
    type Key = i64;
    type Value = Arc<DependencyView>;

    async fn load(
        context: Context, ids: Vec<i64>,
    ) -> Result<HashMap<i64, Arc<DependencyView>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let read = app.read(move |tx| {
            let found = lists::some(tx, ids)?;
            let of: Vec<i64> = found.iter().map(|one| one.project_id).collect();
            let projects = find_projects(tx, &of)?;
            let open = open_projects(tx, &viewer, &projects.iter().collect::<Vec<_>>())?;
            let is_open = |one: &Dependency| open.iter().any(|(id, _)| *id == one.project_id);
            views(tx, found.into_iter().filter(is_open).collect())
        });
        Ok(read.await?.into_iter().map(|it| (it.row.id, it)).collect())
    }
}

async fn one(args: Args, context: Context) -> Result<Option<Arc<DependencyView>>, Fault> {
    let id: i64 = args.get("id")?;
    Ok(context.load::<Dependencies>([id]).await?.get(&id).cloned())
}

type Pages = Vec<Option<Connection<DependencyView>>>;

async fn of_projects(
    of: Vec<Arc<ProjectView>>, ask: Ask, args: Args, context: Context,
) -> Result<Pages, Fault> {
    let ids = of.iter().map(|it| it.project.id).collect();
    let open = move |tx: &mut Tx<'_>, viewer: &Viewer| {
        let all: Vec<&Project> = of.iter().map(|it| &it.project).collect();
        open_projects(tx, viewer, &all)
    };
    listed(ids, open, ask, args, context).await
}

async fn of_groups(
    of: Vec<Arc<NamespaceView>>, ask: Ask, args: Args, context: Context,
) -> Result<Pages, Fault> {
    let ids = of.iter().map(|it| it.namespace.id).collect();
    let open = move |tx: &mut Tx<'_>, viewer: &Viewer| {
        let all: Vec<&Namespace> = of.iter().map(|it| &it.namespace).collect();
        open_groups(tx, viewer, &all)
    };
    listed(ids, open, ask, args, context).await
}

async fn listed(
    ids: Vec<i64>, open: impl FnOnce(&mut Tx<'_>, &Viewer) -> Outcome<Vec<Owner>> + Send + 'static,
    ask: Ask, args: Args, context: Context,
) -> Result<Pages, Fault> {
    let filter = filter(&args)?;
    let name: Option<String> = args.get("sort")?;
    let name = name.unwrap_or_else(|| "NAME_ASC".to_owned());
    let sorted = Sorted::of(&name);
    let window = ask.window(&context, &format!("dependencies {name}"), &sorted.keys)?;
    let (app, viewer) = caller(&context)?;
    let narrowed = filter.clone();
    let read = app.read(move |tx| {
        let open = open(tx, &viewer)?;
        let found = lists::pages_of(tx, &open, &narrowed, &window)?;
        let owners: Vec<i64> = found.iter().map(|row| row.owner).collect();
        let shown = views(tx, found.into_iter().map(|row| row.row).collect())?;
        let owned = owners.into_iter().zip(shown).map(|(owner, row)| Owned { owner, row });
        Ok((owned.collect::<Vec<_>>(), open, window))
    });
    let (found, open, window) = read.await?;
    let found = by_owner(found);
    let first = sorted.first;
    let pages = ids.iter().map(|owner| {
        let rows = found.get(owner).cloned().unwrap_or_default();
        window.page_of(rows, |it| vec![first(&it.row), it.row.id.into()])
    });
    let pages: Vec<_> = pages.collect();
    let readable: Vec<i64> = open.iter().map(|(owner, _)| *owner).collect();
    let tally = Tally::new(move |tx, _, limit| lists::counts(tx, &open, &filter, limit));
    let pages = tally.counts(pages, ids.clone()).into_iter();
    Ok(pages
        .zip(&ids)
        .map(|(page, owner)| page.filter(|_| readable.contains(owner)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_manager_has_its_name() {
        let names: Vec<String> = PackageManager::ALL
            .iter()
            .map(|it| it.to_string().to_ascii_uppercase())
            .collect();
        assert_eq!(names, MANAGERS);
    }
}
