//! What pipelines tell of a package, nothing yet, as there are none; and where
//! its registry is.

use crate::store::pages::Listed;
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, Graph, HasTypeRef, ID, Key, ObjectBuilder, Order,
    STRING, TIME, enumeration, item, object,
};
use spaces::graph::Groups;
use std::sync::Arc;

/// Most pipelines of a page, as in REST.
const MAX_PIPELINES: u32 = 20;

/// A pipeline that built a package; there are none yet.
enum Pipeline {}
pub fn graph(g: &mut Graph) {
    pipelines(g);
    super::file_metadata::graph(g);
    super::dependencies::graph(g);
}

/// What all types of packages show.
pub fn common(package: ObjectBuilder<'_, Listed>) -> ObjectBuilder<'_, Listed> {
    super::metadata::shown(package)
        .connections_up_to(
            MAX_PIPELINES,
            "pipelines",
            object::<Pipeline>("Pipeline"),
            |parents, ask, args, context| none("pipelines", parents, ask, args, context),
        )
        .describe("Pipelines that built it; at most 20 a page.")
}

/// What only a package alone shows.
pub fn alone(package: ObjectBuilder<'_, Listed>) {
    let package =
        package.value("lastDownloadedAt", "When a file of it was last downloaded.", |it| {
            it.package.last_downloaded_at
        });
    let package = super::dependencies::shown(package);
    let package = of_project(package, "npmUrl", "npm", "npm");
    let package = of_project(package, "mavenUrl", "Maven", "maven");
    let package = of_project(package, "conanUrl", "Conan", "conan");
    let package = of_project(package, "nugetUrl", "NuGet", "nuget/index.json");
    let package = of_project(package, "pypiUrl", "PyPI, for installing", "pypi/simple");
    let package = of_project(package, "pypiSetupUrl", "PyPI, for publishing", "pypi");
    let package = of_group(package, "composerUrl", "Composer", |base, id| {
        format!("{base}/api/v4/group/{id}/-/packages/composer/packages.json")
    });
    of_group(
        package,
        "composerConfigRepositoryUrl",
        "Composer, as its configuration names it",
        |base, id| {
            let host = base.split_once("://").map_or(base, |(_, host)| host);
            format!("{host}/{id}")
        },
    );
}

/// The address of a format's registry of the project.
fn of_project<'g>(
    package: ObjectBuilder<'g, Listed>, name: &str, format: &str, path: &'static str,
) -> ObjectBuilder<'g, Listed> {
    package
        .resolve(name, STRING, move |it, _, context| async move {
            let (base, id) = (context.app()?.base_url(), it.package.project_id);
            Ok(Some(format!("{base}/api/v4/projects/{id}/packages/{path}")))
        })
        .describe(&format!("The project's registry of {format}."))
}

/// The address of a format's registry of the project's group; null where the
/// project is a user's own.
fn of_group<'g>(
    package: ObjectBuilder<'g, Listed>, name: &str, format: &str, address: fn(&str, i64) -> String,
) -> ObjectBuilder<'g, Listed> {
    package
        .resolve(name, STRING, move |it, _, context| async move {
            let found = context.load::<Groups>([it.namespace_id]).await?;
            let base = context.app()?.base_url();
            Ok(found.contains_key(&it.namespace_id).then(|| address(base, it.namespace_id)))
        })
        .describe(&format!("The group's registry of {format}."))
}

/// An empty page for each package, if the page is asked for rightly.
async fn none<T>(
    sort: &'static str, parents: Vec<Arc<Listed>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<T>>>, Fault> {
    ask.window(&context, sort, &[Key::int("id", Order::Desc)])?;
    Ok(parents.iter().map(|_| Some(Connection::empty())).collect())
}

fn pipelines(g: &mut Graph) {
    let states = [
        "CREATED",
        "WAITING_FOR_RESOURCE",
        "PREPARING",
        "PENDING",
        "RUNNING",
        "FAILED",
        "SUCCESS",
        "CANCELED",
        "SKIPPED",
        "MANUAL",
        "SCHEDULED",
    ];
    let items = states.map(|name| item(name, "A state of a pipeline."));
    g.enumeration("PipelineStatusEnum", "States of a pipeline.", items.into());
    g.object::<Pipeline>("Pipeline", "A run of jobs.")
        .field("id", ID.required(), |it| match *it {})
        .describe("Global ID.")
        .field("iid", STRING.required(), |it| match *it {})
        .describe("Its number in the project.")
        .field("status", enumeration("PipelineStatusEnum").required(), |it| match *it {})
        .describe("Its state.")
        .field("ref", STRING, |it| match *it {})
        .describe("The branch or tag it ran for.")
        .field("sha", STRING, |it| match *it {})
        .describe("The commit it ran for.")
        .field("source", STRING, |it| match *it {})
        .describe("What started it.")
        .field("createdAt", TIME.required(), |it| match *it {})
        .describe("When it was made.")
        .field("updatedAt", TIME.required(), |it| match *it {})
        .describe("When it last changed.");
    g.count("Pipeline");
}
