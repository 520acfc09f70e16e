//! How each client publishes the next version of the package that a page
//! shows: lines to copy, with `<token>` where the reader's own token goes.

use super::install::{InstallSource, Steps};
use crate::model::PackageType;

/// Titles and lines; of formats whose clients have no word for it, with curl.
pub fn lines(shown: &InstallSource<'_>) -> Vec<(String, String)> {
    let steps = match shown.package.package_type {
        PackageType::Composer => composer(shown),
        PackageType::Conan => conan(shown),
        PackageType::Generic => generic(shown),
        PackageType::Golang => golang(shown),
        PackageType::Helm => helm(shown),
        PackageType::Maven => maven(shown),
        PackageType::Npm => npm(shown),
        PackageType::Nuget => nuget(shown),
        PackageType::Pypi => pypi(shown),
        PackageType::TerraformModule => terraform(shown),
    };
    let owned = |(title, lines): (&str, String)| (title.to_owned(), lines);
    steps.into_iter().map(owned).collect()
}

/// One call of curl with a token.
fn curl(title: &'static str, rest: String) -> Steps {
    let call = format!("curl --fail-with-body --header \"PRIVATE-TOKEN: <token>\" \\\n  {rest}");
    vec![(title, call)]
}

fn composer(shown: &InstallSource<'_>) -> Steps {
    let url = shown.at("composer");
    curl(
        "Publish a tag with its sources",
        format!("--form tag=<version> --form package=@<sources>.zip \\\n  {url}"),
    )
}

fn conan(shown: &InstallSource<'_>) -> Steps {
    let name = shown.name();
    vec![(
        "Create and upload it",
        format!("conan create .\nconan upload \"{name}/<version>\" --remote=tenon"),
    )]
}

fn generic(shown: &InstallSource<'_>) -> Steps {
    let url = shown.at(&format!("generic/{}/<version>/", shown.name()));
    curl("Upload with curl", format!("--upload-file <file> \\\n  {url}"))
}

fn golang(shown: &InstallSource<'_>) -> Steps {
    let module = shown.name();
    let url = shown.at(&format!("go/{}/@v/<version>.zip", escaped(module)));
    curl(
        "Publish the zip file of a version",
        format!("--upload-file <version>.zip \\\n  {url}"),
    )
}

/// An upper-case letter of a module's path as `!` and its lower-case one.
fn escaped(module: &str) -> String {
    let mut escaped = String::with_capacity(module.len());
    for c in module.chars() {
        if c.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(c.to_ascii_lowercase());
    }
    escaped
}

fn helm(shown: &InstallSource<'_>) -> Steps {
    let (chart, url) = (shown.name(), shown.at("helm/api/stable/charts"));
    let call = format!(
        "helm package {chart}\n\
         curl --fail-with-body --user <user>:<token> \\\n  \
         --form chart=@{chart}-<version>.tgz \\\n  {url}"
    );
    vec![("Package and upload it", call)]
}

fn maven(shown: &InstallSource<'_>) -> Steps {
    let url = shown.at("maven");
    vec![
        (
            "pom.xml",
            format!(
                "<distributionManagement>\n  <repository>\n    <id>tenon</id>\n    \
                 <url>{url}</url>\n  </repository>\n  <snapshotRepository>\n    \
                 <id>tenon</id>\n    <url>{url}</url>\n  </snapshotRepository>\n\
                 </distributionManagement>"
            ),
        ),
        ("Deploy it", "mvn deploy".to_owned()),
    ]
}

fn npm(shown: &InstallSource<'_>) -> Steps {
    let (registry, bare) = (shown.at("npm/"), shown.bare("npm/"));
    vec![(
        "Publish it",
        format!(
            "npm config set //{bare}:_authToken <token>\n\
             npm publish --registry {registry}"
        ),
    )]
}

fn nuget(shown: &InstallSource<'_>) -> Steps {
    let package = shown.name();
    vec![(
        "Pack and push it",
        format!(
            "dotnet pack\n\
             dotnet nuget push {package}.<version>.nupkg --source tenon --api-key <token>"
        ),
    )]
}

fn pypi(shown: &InstallSource<'_>) -> Steps {
    let url = shown.at("pypi");
    vec![(
        "Build and upload it",
        format!(
            "python -m build\n\
             twine upload --repository-url {url} \\\n  \
             --username __token__ --password <token> dist/*"
        ),
    )]
}

fn terraform(shown: &InstallSource<'_>) -> Steps {
    let url = shown.at(&format!("terraform/modules/{}/<version>/file", shown.name()));
    curl("Publish an archive", format!("--upload-file <module>.tgz \\\n  {url}"))
}
