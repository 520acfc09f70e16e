//! What two exports of a project differ in.

use super::access;
use super::model::{Export, Status};
use super::write::Turns;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use sbom::{Bom, Component, Limits};
use schemars::JsonSchema;
use serde::Serialize;
use spaces::model::Project;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a file that is compared.
const MOST: usize = 100 * 1024 * 1024;

/// A component of one of the two.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ComparedComponent {
    pub name: String,
    pub version: Option<String>,
    pub purl: Option<String>,
}

/// A component that both have, in other versions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChangedComponent {
    pub name: String,
    /// Those that only the older one has.
    pub from_versions: Vec<String>,
    /// Those that only the newer one has.
    pub to_versions: Vec<String>,
}

/// What two lists differ in.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "DependencyComparison")]
pub struct Comparison {
    pub added: Vec<ComparedComponent>,
    pub removed: Vec<ComparedComponent>,
    pub changed: Vec<ChangedComponent>,
}

/// An export of the viewer's that is of this project or one of its pipelines, and that can be
/// compared.
///
/// # Errors
///
/// 404 for others, 400 for formats that are no bills of materials, and before it has finished.
pub fn of_project(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, id: i64) -> Result<Export> {
    let (export, subject) = access::own(tx, viewer, id)?;
    let is_here = match &subject {
        access::Subject::Project(of) | access::Subject::Pipeline(of, _) => of.id == project.id,
        access::Subject::Group(_) => false,
    };
    let export = Some(export).filter(|_| is_here).found("DependencyListExport")?;
    if !export.export_type.is_sbom() || export.status != Status::Finished {
        let text = "Only finished exports of the types cyclonedx_1_6_json and sbom are compared";
        return Err(Error::BadRequest(text.to_owned()));
    }
    Ok(export)
}

/// Compares the files of two exports, one after the other.
///
/// # Errors
///
/// 503 where others compare or export now.
pub async fn compare(app: &App, from: Export, to: Export) -> Result<Comparison> {
    let busy = || Error::Unavailable("Too many exports are read. Please try again.".to_owned());
    let _turn = app.kept::<Turns>().try_take().ok_or_else(busy)?;
    let from = names_of(app, &from).await?;
    let to = names_of(app, &to).await?;
    Ok(difference(&from, &to))
}

/// The purl of each version, by name. A name alone tells nothing of packages of two kinds, so
/// the kind is part of the key.
type Names = BTreeMap<(String, String), BTreeMap<Option<String>, Option<String>>>;

async fn names_of(app: &App, export: &Export) -> Result<Names> {
    let key = export.file().found("DependencyListExport")?.key.to_owned();
    let bytes = app.blobs().read_small(&key, MOST).await?;
    let read = move || {
        let bom = sbom::read::read(&bytes, &Limits::default());
        bom.map(names).map_err(|wrong| Error::internal(wrong.0))
    };
    tokio::task::spawn_blocking(read).await.map_err(Error::internal)?
}

fn names(bom: Bom) -> Names {
    let mut all = Names::new();
    for component in bom.components {
        let versions = all.entry((component.full_name(), kind(&component))).or_default();
        versions.insert(component.version, component.purl);
    }
    all
}

fn kind(component: &Component) -> String {
    let kind = component.purl.as_deref().and_then(sbom::purl::kind);
    kind.unwrap_or_default().to_owned()
}

fn difference(from: &Names, to: &Names) -> Comparison {
    let mut found = Comparison { added: Vec::new(), removed: Vec::new(), changed: Vec::new() };
    let keys: BTreeSet<_> = from.keys().chain(to.keys()).collect();
    let nothing = BTreeMap::new();
    for key in keys {
        let (before, after) = (from.get(key).unwrap_or(&nothing), to.get(key).unwrap_or(&nothing));
        let of = |(version, purl): (&Option<String>, &Option<String>)| ComparedComponent {
            name: key.0.clone(),
            version: version.clone(),
            purl: purl.clone(),
        };
        match (before.is_empty(), after.is_empty()) {
            (true, _) => found.added.extend(after.iter().map(of)),
            (_, true) => found.removed.extend(before.iter().map(of)),
            _ => {
                let from_versions = only_in(before, after);
                let to_versions = only_in(after, before);
                if !(from_versions.is_empty() && to_versions.is_empty()) {
                    let name = key.0.clone();
                    found.changed.push(ChangedComponent { name, from_versions, to_versions });
                }
            }
        }
    }
    found
}

/// The versions of the one that the other has not.
fn only_in<T>(
    one: &BTreeMap<Option<String>, T>, other: &BTreeMap<Option<String>, T>,
) -> Vec<String> {
    let only = one.keys().filter(|version| !other.contains_key(*version));
    only.map(|version| version.clone().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(all: &[(&str, &str)]) -> Names {
        let mut names = Names::new();
        for (name, version) in all {
            let versions = names.entry(((*name).to_owned(), "npm".to_owned())).or_default();
            versions.insert(Some((*version).to_owned()), None);
        }
        names
    }

    #[test]
    fn lists_differ_in_names_and_versions() {
        let from = list(&[("a", "1"), ("b", "1"), ("c", "1"), ("c", "2"), ("same", "1")]);
        let to = list(&[("b", "2"), ("c", "2"), ("c", "3"), ("d", "1"), ("same", "1")]);
        let found = difference(&from, &to);
        let shown = |all: &[ComparedComponent]| -> Vec<String> {
            all.iter().map(|one| one.name.clone()).collect()
        };
        assert_eq!(
            (shown(&found.added), shown(&found.removed)),
            (vec!["d".into()], vec!["a".into()])
        );
        let changed: Vec<(String, String, String)> = found
            .changed
            .into_iter()
            .map(|one| (one.name, one.from_versions.join(" "), one.to_versions.join(" ")))
            .collect();
        let text = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(changed, [text("b", "1", "2"), text("c", "1", "3")]);
        assert_eq!(difference(&from, &from).changed, []);
    }
}
