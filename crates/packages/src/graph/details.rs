//! Where the registry of a package is. Which pipelines built it, a room above says.

use crate::store::pages::Listed;
use kernel::graph::{Graph, ObjectBuilder, STRING};
use spaces::graph::Groups;

pub fn graph(g: &mut Graph) {
    super::file_metadata::graph(g);
    super::dependencies::graph(g);
}

/// What all types of packages show.
pub fn common(package: ObjectBuilder<'_, Listed>) -> ObjectBuilder<'_, Listed> {
    super::metadata::shown(package)
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
