//! How each client gets the package that a page shows: lines to copy, with
//! `<token>` where the reader's own token goes.

use crate::model::{Package, PackageFile, PackageType};

pub struct InstallSource<'s> {
    pub package: &'s Package,
    /// Its newest file.
    pub file: Option<&'s PackageFile>,
    /// The group that Composer reads from.
    pub group_id: i64,
    pub base_url: &'s str,
}

/// Titles and lines, for packages that have a version.
pub fn lines(shown: &InstallSource<'_>) -> Vec<(String, String)> {
    let Some(version) = shown.package.version.as_deref() else {
        return Vec::new();
    };
    let steps = match shown.package.package_type {
        PackageType::Composer => composer(shown, version),
        PackageType::Conan => conan(shown, version),
        PackageType::Generic => generic(shown, version),
        PackageType::Golang => golang(shown, version),
        PackageType::Helm => helm(shown, version),
        PackageType::Maven => maven(shown, version),
        PackageType::Npm => npm(shown, version),
        PackageType::Nuget => nuget(shown, version),
        PackageType::Pypi => pypi(shown, version),
        PackageType::TerraformModule => terraform(shown, version),
    };
    let owned = |(title, lines): (&str, String)| (title.to_owned(), lines);
    steps.into_iter().map(owned).collect()
}

pub(super) type Steps = Vec<(&'static str, String)>;

impl InstallSource<'_> {
    pub(super) fn name(&self) -> &str {
        &self.package.name
    }

    /// The address of a format's endpoint in the project.
    pub(super) fn at(&self, rest: &str) -> String {
        let id = self.package.project_id;
        format!("{}/api/v4/projects/{id}/packages/{rest}", self.base_url)
    }

    /// The address without its scheme, which some settings are named by.
    pub(super) fn bare(&self, rest: &str) -> String {
        let url = self.at(rest);
        url.split_once("//").map_or(url.clone(), |(_, bare)| bare.to_owned())
    }

    /// The scheme, and the address behind it, for credentials in between.
    fn with_credentials(&self, rest: &str) -> String {
        let url = self.at(rest);
        match url.split_once("//") {
            Some((scheme, bare)) => format!("{scheme}//<user>:<token>@{bare}"),
            None => url,
        }
    }
}

fn composer(shown: &InstallSource<'_>, version: &str) -> Steps {
    let (base_url, group) = (shown.base_url, shown.group_id);
    let host = base_url.split_once("//").map_or(base_url, |(_, host)| host);
    vec![
        (
            "Add the repository",
            format!(
                "composer config repositories.{group} composer \\\n  \
                 {base_url}/api/v4/group/{group}/-/packages/composer/packages.json\n\
                 composer config http-basic.{host} <user> <token>"
            ),
        ),
        ("Require it", format!("composer require {}:{version}", shown.name())),
    ]
}

fn conan(shown: &InstallSource<'_>, version: &str) -> Steps {
    let short = format!("{}/{version}", shown.name());
    let recipe = shown.package.conan_name.as_deref().unwrap_or(&short);
    // That is how a recipe without user and channel is kept, not what clients take.
    let recipe = recipe.trim_end_matches("@_/_");
    vec![
        (
            "Add the remote",
            format!(
                "conan remote add tenon {}\nconan remote login tenon <user> -p <token>",
                shown.at("conan")
            ),
        ),
        ("Install it", format!("conan install --requires={recipe} --remote=tenon")),
    ]
}

fn generic(shown: &InstallSource<'_>, version: &str) -> Steps {
    let Some(file) = shown.file else {
        return Vec::new();
    };
    let path = file.file_name.replace("%2F", "/");
    let url = shown.at(&format!("generic/{}/{version}/{path}", shown.name()));
    vec![(
        "Download with curl",
        format!("curl --header \"PRIVATE-TOKEN: <token>\" --remote-name \\\n  {url}"),
    )]
}

fn golang(shown: &InstallSource<'_>, version: &str) -> Steps {
    let (proxy, module) = (shown.with_credentials("go"), shown.name());
    vec![(
        "Get it",
        format!(
            "export GOPROXY={proxy},direct\nexport GONOSUMDB={module}\ngo get {module}@{version}"
        ),
    )]
}

fn helm(shown: &InstallSource<'_>, version: &str) -> Steps {
    let (repository, chart) = (shown.at("helm/stable"), shown.name());
    vec![
        (
            "Add the repository (its channel is `stable`, unless published to another)",
            format!("helm repo add tenon {repository} --username <user> --password <token>"),
        ),
        (
            "Install it",
            format!("helm install my-{chart} tenon/{chart} --version {version}"),
        ),
    ]
}

fn maven(shown: &InstallSource<'_>, version: &str) -> Steps {
    let (group, artifact) = shown.name().rsplit_once('/').unwrap_or(("", shown.name()));
    let (group, url) = (group.replace('/', "."), shown.at("maven"));
    vec![
        (
            "pom.xml",
            format!(
                "<dependency>\n  <groupId>{group}</groupId>\n  <artifactId>{artifact}</artifactId>\n  \
                 <version>{version}</version>\n</dependency>\n\n\
                 <repository>\n  <id>tenon</id>\n  <url>{url}</url>\n</repository>"
            ),
        ),
        (
            "settings.xml",
            "<server>\n  <id>tenon</id>\n  <username><user></username>\n  \
             <password><token></password>\n</server>"
                .to_owned(),
        ),
    ]
}

fn npm(shown: &InstallSource<'_>, version: &str) -> Steps {
    let (registry, bare) = (shown.at("npm/"), shown.bare("npm/"));
    let scope = shown.name().split_once('/').map(|(scope, _)| scope);
    let setting = match scope {
        Some(scope) => format!("{scope}:registry"),
        None => "registry".to_owned(),
    };
    vec![
        (".npmrc", format!("{setting}={registry}\n//{bare}:_authToken=<token>")),
        ("Install it", format!("npm install {}@{version}", shown.name())),
    ]
}

fn nuget(shown: &InstallSource<'_>, version: &str) -> Steps {
    let source = shown.at("nuget/index.json");
    vec![
        (
            "Add the source",
            format!(
                "dotnet nuget add source {source} --name tenon \\\n  \
                 --username <user> --password <token> --store-password-in-clear-text"
            ),
        ),
        ("Install it", format!("dotnet add package {} --version {version}", shown.name())),
    ]
}

fn pypi(shown: &InstallSource<'_>, version: &str) -> Steps {
    let index = shown.with_credentials("pypi/simple");
    vec![(
        "Install it",
        format!("pip install {}=={version} \\\n  --index-url {index}", shown.name()),
    )]
}

fn terraform(shown: &InstallSource<'_>, version: &str) -> Steps {
    let host = shown.base_url.split_once("//").map_or("", |(_, host)| host);
    let (name, system) = shown.name().split_once('/').unwrap_or((shown.name(), ""));
    vec![(
        "Use it",
        format!(
            "module \"{name}\" {{\n  source  = \"{host}/<top-level group>/{name}/{system}\"\n  \
             version = \"{version}\"\n}}"
        ),
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::package;

    fn lines_of(package: &Package) -> String {
        let shown = InstallSource {
            package,
            file: None,
            group_id: 7,
            base_url: "https://code.example",
        };
        let lines = lines(&shown).into_iter().map(|(_, lines)| lines);
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_format_says_how_it_is_used() {
        for package_type in PackageType::ALL {
            // A generic package is downloaded by its files.
            if *package_type == PackageType::Generic {
                continue;
            }
            let lines = lines_of(&package(*package_type, "acme/anvil"));
            assert!(lines.contains("anvil"), "{}", package_type.as_str());
            assert!(lines.contains("1.0.0"), "{}", package_type.as_str());
        }
    }

    #[test]
    fn every_format_says_how_it_is_published() {
        for package_type in PackageType::ALL {
            let package = package(*package_type, "acme/Anvil");
            let shown = InstallSource {
                package: &package,
                file: None,
                group_id: 7,
                base_url: "https://code.example",
            };
            let steps = super::super::publishing::lines(&shown);
            assert!(!steps.is_empty(), "{}", package_type.as_str());
            for (title, lines) in steps {
                assert!(!title.is_empty() && !lines.contains("1.0.0"), "{lines}");
            }
        }
    }

    #[test]
    fn a_scope_gets_its_own_registry() {
        let scoped = lines_of(&package(PackageType::Npm, "@acme/anvil"));
        assert!(scoped.starts_with(
            "@acme:registry=https://code.example/api/v4/projects/5/packages/npm/\n\
             //code.example/api/v4/projects/5/packages/npm/:_authToken=<token>"
        ));
        let plain = lines_of(&package(PackageType::Npm, "anvil"));
        assert!(plain.starts_with("registry="));
    }

    #[test]
    fn a_package_without_version_has_nothing_to_install() {
        let versionless = Package {
            version: None,
            ..package(PackageType::Maven, "org/acme/anvil")
        };
        assert_eq!(lines_of(&versionless), "");
    }
}
