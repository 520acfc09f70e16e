//! What formats tell of packages: from their names, and from what their
//! archives said.

use super::caller;
use crate::model::PackageType;
use crate::store::pages::{self as rows, Listed, StoredMetadata};
use kernel::graph::context::Loader;
use kernel::graph::{Context, Fault, Graph, HasTypeRef, JSON, ObjectBuilder, object, one_of};
use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use std::sync::Arc;

pub struct Metadata {
    kept: StoredMetadata,
    /// What the archive said; empty where the format keeps nothing.
    said: Map<String, Json>,
}

struct ComposerJson(Map<String, Json>);

impl Metadata {
    /// `None` where the format tells nothing of this package.
    fn of(kept: StoredMetadata) -> Option<Metadata> {
        let text = kept.metadata.as_deref();
        let said: Option<Map<String, Json>> = text.and_then(|text| serde_json::from_str(text).ok());
        let tells = match kept.package_type {
            PackageType::Maven => true,
            PackageType::Conan => kept.conan_name.is_some(),
            PackageType::Composer
            | PackageType::Nuget
            | PackageType::Pypi
            | PackageType::TerraformModule => said.is_some(),
            _ => false,
        };
        let said = said.unwrap_or_default();
        tells.then_some(Metadata { kept, said })
    }

    /// The object type of its format.
    fn concrete(&self) -> &'static str {
        match self.kept.package_type {
            PackageType::Composer => "ComposerMetadata",
            PackageType::Conan => "ConanMetadata",
            PackageType::Maven => "MavenMetadata",
            PackageType::Nuget => "NugetMetadata",
            PackageType::Pypi => "PypiMetadata",
            _ => "TerraformModuleMetadata",
        }
    }

    /// Group and artifact of a Maven package, whose name is their path.
    fn group_and_artifact(&self) -> (String, String) {
        match self.kept.name.rsplit_once('/') {
            Some((group, artifact)) => (group.replace('/', "."), artifact.to_owned()),
            None => (String::new(), self.kept.name.clone()),
        }
    }

    /// `name/version@user/channel` of a Conan package.
    fn recipe(&self) -> &str {
        self.kept.conan_name.as_deref().unwrap_or_default()
    }

    /// User and channel of that recipe; `_` where it has none.
    fn user_and_channel(&self) -> (String, String) {
        let rest = self.recipe().split_once('@').map(|(_, rest)| rest);
        let (user, channel) = rest.and_then(|rest| rest.split_once('/')).unwrap_or(("_", "_"));
        (user.to_owned(), channel.to_owned())
    }
}

pub fn graph(g: &mut Graph) {
    let members = [
        "ComposerMetadata",
        "ConanMetadata",
        "MavenMetadata",
        "NugetMetadata",
        "PypiMetadata",
        "TerraformModuleMetadata",
    ];
    let text = "What a format tells of a package.";
    g.union("PackageMetadata", text, &members);
    composer(g);
    conan(g);
    maven(g);
    let nuget = [
        ("licenseUrl", "license_url", "Where its licence is."),
        ("projectUrl", "project_url", "Its page."),
        ("iconUrl", "icon_url", "Its picture."),
    ];
    let of = g.object::<Metadata>("NugetMetadata", "What NuGet tells of a package.");
    said(of, &nuget);
    let pypi = [
        ("requiredPython", "requires_python", "Versions of Python it runs on."),
        ("metadataVersion", "metadata_version", "Form of what it says of itself."),
        ("summary", "summary", "What it is, in a line."),
        ("description", "description", "What it is."),
        ("descriptionContentType", "description_content_type", "How that is written."),
        ("keywords", "keywords", "What it is about."),
        ("authorEmail", "author_email", "How its authors are reached."),
    ];
    let of = g.object::<Metadata>("PypiMetadata", "What PyPI tells of a package.");
    said(of, &pypi);
    g.object::<Metadata>("TerraformModuleMetadata", "What Terraform tells of a module.")
        .field("fields", JSON, |it| Some(Json::Object(it.said.clone())))
        .describe("What the module says of itself.");
}

/// Fields that hold what the archive said under a key.
fn said(
    mut of: ObjectBuilder<'_, Metadata>, fields: &[(&'static str, &'static str, &'static str)],
) {
    for (name, key, text) in fields {
        let key = *key;
        of = of.value(name, text, move |it| string(&it.said, key));
    }
}

fn string(of: &Map<String, Json>, key: &str) -> Option<String> {
    match of.get(key)? {
        Json::String(text) => Some(text.clone()),
        Json::Array(all) => {
            let texts: Vec<&str> = all.iter().filter_map(Json::as_str).collect();
            Some(texts.join(", "))
        }
        _ => None,
    }
}

fn composer(g: &mut Graph) {
    let mut of = g.object::<ComposerJson>("PackageComposerJsonType", "Part of a composer.json.");
    for (name, text) in [
        ("name", "Name of the package."),
        ("type", "What kind of package."),
        ("license", "Its licence, or several."),
        ("version", "Its version, if the file names one."),
    ] {
        of = of.value(name, text, move |it| string(&it.0, name));
    }
    g.object::<Metadata>("ComposerMetadata", "What Composer tells of a package.")
        .value("targetSha", "What its archive is told by.", |it| it.kept.sha1.clone())
        .field(
            "composerJson",
            object::<ComposerJson>("PackageComposerJsonType").required(),
            |it| Arc::new(ComposerJson(it.said.clone())),
        )
        .describe("What its composer.json says.");
}

fn conan(g: &mut Graph) {
    g.object::<Metadata>("ConanMetadata", "What Conan tells of a package.")
        .value("recipe", "`name/version@user/channel`.", |it| it.recipe().to_owned())
        .value("recipePath", "The same as a path.", |it| it.recipe().replace('@', "/"))
        .value("packageUsername", "The user of the recipe.", |it| it.user_and_channel().0)
        .value("packageChannel", "The channel of the recipe.", |it| it.user_and_channel().1);
}

fn maven(g: &mut Graph) {
    g.object::<Metadata>("MavenMetadata", "What Maven tells of a package.")
        .value("path", "Path of its files.", |it| match &it.kept.version {
            Some(version) => format!("{}/{version}", it.kept.name),
            None => it.kept.name.clone(),
        })
        .value("appGroup", "Its group.", |it| it.group_and_artifact().0)
        .value("appName", "Its artifact.", |it| it.group_and_artifact().1)
        .value("appVersion", "Its version.", |it| it.kept.version.clone());
}

pub fn shown(package: ObjectBuilder<'_, Listed>) -> ObjectBuilder<'_, Listed> {
    package
        .load::<MetadataLoader, _>(
            "metadata",
            one_of::<Metadata>("PackageMetadata", Metadata::concrete),
            |it| Some(it.package.id),
        )
        .describe("What its format tells of it.")
}

struct MetadataLoader;

impl Loader for MetadataLoader {
    type Key = i64;
    type Value = Arc<Metadata>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Metadata>>, Fault> {
        let (app, _) = caller(&context)?;
        let found = app.read(move |tx| rows::kept(tx, ids)).await?;
        let told = found.into_iter().filter_map(|kept| {
            let id = kept.id;
            Some((id, Arc::new(Metadata::of(kept)?)))
        });
        Ok(told.collect())
    }
}
