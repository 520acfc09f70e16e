//! Names and versions of Terraform modules, and the documents about them
//! (docs/interface/packages.md 2.2, 2.12).

use crate::rules::names::require;
use crate::store::index;
use kernel::error::{Error, Result};
use semver::Version;
use serde::{Deserialize, Serialize};

/// Longest name, system or version, in bytes.
const MAX_PART: usize = 255;
/// Where submodules are within an archive.
const SUBMODULES: &str = "modules";

/// `NAME/SYSTEM`, as packages of modules are called.
pub fn package_name(name: &str, system: &str) -> Result<String> {
    require("module_name", is_plain(name))?;
    require("module_system", is_plain(system))?;
    Ok(format!("{name}/{system}"))
}

fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_PART
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Refuses what is no semantic version.
pub fn check_version(version: &str) -> Result<()> {
    if version.trim().is_empty() {
        return Err(Error::BadRequest("Version is empty.".into()));
    }
    let is_version = version.len() <= MAX_PART && Version::parse(version).is_ok();
    require("module_version", is_version)
}

pub fn file_name(name: &str, version: &str) -> String {
    format!("{}-{version}.tgz", name.replace('/', "-"))
}

/// What is kept of a version, as JSON.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleMetadata {
    /// Names of the submodules in the archive, in order.
    pub submodules: Vec<String>,
}

impl ModuleMetadata {
    /// From the paths of an archive.
    pub fn of<'p>(paths: impl Iterator<Item = &'p str>) -> ModuleMetadata {
        let mut submodules: Vec<String> = paths.filter_map(submodule).map(str::to_owned).collect();
        submodules.sort_unstable();
        submodules.dedup();
        ModuleMetadata { submodules }
    }
}

/// The submodule a file makes: `modules/NAME/FILE.tf`, below the root or the
/// one folder around everything.
pub fn submodule(path: &str) -> Option<&str> {
    let parts: Vec<&str> = path.split('/').collect();
    let (name, file) = match parts.as_slice() {
        [folder, name, file] | [_, folder, name, file] if *folder == SUBMODULES => (name, file),
        _ => return None,
    };
    file.ends_with(".tf").then_some(*name)
}

pub struct ModuleVersion {
    pub version: String,
    parsed: Version,
    kept: ModuleMetadata,
    pub project_id: i64,
}

/// The versions of a module, highest first.
pub fn sorted(versions: Vec<index::Version>) -> Vec<ModuleVersion> {
    let shown = |one: index::Version| {
        let version = one.version?;
        let kept = one.metadata.and_then(|text| serde_json::from_str(&text).ok());
        Some(ModuleVersion {
            parsed: Version::parse(&version).ok()?,
            version,
            kept: kept.unwrap_or_default(),
            project_id: one.project_id,
        })
    };
    let mut versions: Vec<ModuleVersion> = versions.into_iter().filter_map(shown).collect();
    versions.sort_by(|a, b| b.parsed.cmp(&a.parsed));
    versions.dedup_by(|a, b| a.version == b.version);
    versions
}

/// The version that stands for the module: the highest that is released, or
/// the highest.
pub fn latest(sorted: &[ModuleVersion]) -> Option<&ModuleVersion> {
    sorted.iter().find(|one| one.parsed.pre.is_empty()).or(sorted.first())
}

/// Answer to who asks which versions there are.
#[derive(Debug, Serialize)]
pub struct VersionsDocument {
    modules: [ModuleVersions; 1],
}

#[derive(Debug, Serialize)]
struct ModuleVersions {
    versions: Vec<VersionEntry>,
    source: String,
}

#[derive(Debug, Serialize)]
struct VersionEntry {
    version: String,
    submodules: Vec<SubmoduleEntry>,
    root: Part,
}

#[derive(Debug, Serialize)]
struct SubmoduleEntry {
    path: String,
    name: String,
    #[serde(flatten)]
    needs: Part,
}

#[derive(Debug, Serialize)]
struct Part {
    dependencies: [(); 0],
    providers: Vec<Provider>,
}

#[derive(Debug, Serialize)]
struct Provider {
    name: String,
    version: &'static str,
}

/// Answer about one version of a module.
#[derive(Debug, Serialize)]
pub struct ModuleDocument {
    name: String,
    provider: String,
    providers: [String; 1],
    root: Root,
    source: String,
    submodules: Vec<SubmoduleEntry>,
    version: String,
    versions: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Root {
    dependencies: [(); 0],
}

/// All versions, with the address of the project that holds the module.
pub fn versions_document(
    system: &str, sorted: &[ModuleVersion], source: String,
) -> VersionsDocument {
    let entry = |one: &ModuleVersion| VersionEntry {
        version: one.version.clone(),
        submodules: submodules(&one.kept),
        root: Part {
            dependencies: [],
            providers: vec![Provider { name: system.to_owned(), version: "" }],
        },
    };
    VersionsDocument {
        modules: [ModuleVersions { versions: sorted.iter().map(entry).collect(), source }],
    }
}

pub fn module_document(
    name: &str, system: &str, sorted: &[ModuleVersion], one: &ModuleVersion, source: String,
) -> ModuleDocument {
    ModuleDocument {
        name: name.to_owned(),
        provider: system.to_owned(),
        providers: [system.to_owned()],
        root: Root { dependencies: [] },
        source,
        submodules: submodules(&one.kept),
        version: one.version.clone(),
        versions: sorted.iter().map(|one| one.version.clone()).collect(),
    }
}

fn submodules(kept: &ModuleMetadata) -> Vec<SubmoduleEntry> {
    let entry = |name: &String| SubmoduleEntry {
        path: format!("{SUBMODULES}/{name}"),
        name: name.clone(),
        needs: Part { dependencies: [], providers: Vec::new() },
    };
    kept.submodules.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions_are_plain() {
        assert_eq!(package_name("vpc-2", "aws").unwrap(), "vpc-2/aws");
        assert_eq!(file_name("vpc-2/aws", "1.0.0"), "vpc-2-aws-1.0.0.tgz");
        let long = "a".repeat(256);
        for bad in ["", "Vpc", "a_b", "a/b", "..", "a.b", "a b", "é", &long] {
            assert!(package_name(bad, "aws").is_err(), "{bad}");
            assert!(package_name("vpc", bad).is_err(), "{bad}");
        }
        for good in ["1.0.0", "0.0.1-rc.1", "1.2.3+build.5"] {
            assert!(check_version(good).is_ok(), "{good}");
        }
        for bad in ["", " ", "v1.0.0", "1.0", "1", "1.0.0/..", "01.0.0", "latest"] {
            assert!(check_version(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn submodules_are_folders_with_code() {
        let paths = [
            "main.tf",
            "modules/subnet/main.tf",
            "modules/subnet/outputs.tf",
            "./modules/skipped/README.md",
            "vpc/modules/gateway/main.tf",
            "modules/deep/below/main.tf",
            "examples/modules.tf",
        ];
        let kept = ModuleMetadata::of(paths.into_iter());
        assert_eq!(kept.submodules, ["gateway", "subnet"]);
    }
}
