//! Links of releases are made, changed and deleted.

use super::to_change;
use crate::access::{self, Releases};
use crate::model::{
    Link, LinkType, MOST_LINKS, Release, filepath_problem, name_problem, url_problem,
};
use crate::store::links::{self as rows, NewLink};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use kernel::ids::Reference;
use serde_json::json;
use spaces::model::Problems;

kernel::params! {
    /// A link to be.
    #[derive(Default)]
    pub struct LinkInput {
        /// What it is called.
        pub name: String,
        /// Where it leads.
        pub url: String,
        /// Its path below the release's own address, as `/dir/file`.
        pub direct_asset_path: Option<String>,
        /// The same by its old name.
        pub filepath: Option<String>,
        /// What it leads to.
        pub link_type: Option<LinkType>,
    }
}

kernel::params! {
    /// Changes of a link.
    #[derive(Default)]
    pub struct LinkChange {
        /// What it is called.
        pub name: Option<String>,
        /// Where it leads.
        pub url: Option<String>,
        /// Its path below the release's own address, as `/dir/file`.
        pub direct_asset_path: Patch<String>,
        /// The same by its old name.
        pub filepath: Patch<String>,
        /// What it leads to.
        pub link_type: Option<LinkType>,
    }
}

impl LinkChange {
    fn is_empty(&self) -> bool {
        let paths = (&self.direct_asset_path, &self.filepath);
        let says_path = !matches!(paths, (Patch::Absent, Patch::Absent));
        self.name.is_none() && self.url.is_none() && self.link_type.is_none() && !says_path
    }
}

/// Which release, of which project.
pub type Of<'o> = (&'o Reference, &'o str);

impl NewLink {
    fn of(input: &LinkInput) -> NewLink {
        let path = input.direct_asset_path.clone().or(input.filepath.clone());
        NewLink {
            name: input.name.trim().to_owned(),
            url: input.url.trim().to_owned(),
            filepath: path.filter(|path| !path.is_empty()),
            link_type: input.link_type.unwrap_or_default(),
        }
    }

    pub(crate) fn as_stored(link: &Link) -> NewLink {
        NewLink {
            name: link.name.clone(),
            url: link.url.clone(),
            filepath: link.filepath.clone(),
            link_type: link.link_type,
        }
    }

    /// What is wrong with it beside these others.
    pub(crate) fn check<'l>(
        &self, others: impl Iterator<Item = &'l NewLink> + Clone,
    ) -> Result<()> {
        const TAKEN: &str = "has already been taken";
        let taken = |same: &dyn Fn(&NewLink) -> bool| others.clone().any(same).then_some(TAKEN);
        let name = name_problem(&self.name);
        let url = url_problem(&self.url);
        let path = self.filepath.as_deref().and_then(filepath_problem);
        let path_taken = || taken(&|one| self.filepath.is_some() && one.filepath == self.filepath);
        let mut problems = Problems::default();
        for (field, problem) in [
            ("name", name.or_else(|| taken(&|one| one.name == self.name))),
            ("url", url.or_else(|| taken(&|one| one.url == self.url))),
            ("filepath", path.or_else(path_taken)),
        ] {
            problems.note(field, problem);
        }
        problems.check()
    }
}

/// Links of a release to be, as they are stored: the last one first, so that lists
/// have them in their order.
pub fn checked_links(inputs: &[LinkInput]) -> Result<Vec<NewLink>> {
    if inputs.len() > MOST_LINKS {
        return Err(too_many());
    }
    let links: Vec<NewLink> = inputs.iter().map(NewLink::of).collect();
    for (at, link) in links.iter().enumerate() {
        link.check(links[..at].iter())?;
    }
    Ok(links.into_iter().rev().collect())
}

fn too_many() -> Error {
    Error::BadRequest(format!("A release has at most {MOST_LINKS} links"))
}

/// The other links of a release.
fn others(tx: &mut Tx<'_>, release: &Release, but: i64) -> Result<Vec<NewLink>> {
    let all = rows::of_releases(tx, &[release.id])?;
    Ok(all.iter().filter(|link| link.id != but).map(NewLink::as_stored).collect())
}

pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, (reference, tag): Of<'_>, input: &LinkInput,
) -> Result<(Releases, Release, Link)> {
    let (here, release) = to_change(tx, viewer, reference, tag)?;
    let others = others(tx, &release, 0)?;
    if others.len() >= MOST_LINKS {
        return Err(too_many());
    }
    let new = NewLink::of(input);
    new.check(others.iter())?;
    let id = rows::insert(tx, release.id, &[new])?.pop().unwrap_or_default();
    let link = access::found(rows::find(tx, release.id, id)?)?;
    record(tx, viewer, "release_link.create", &release, &link)?;
    Ok((here, release, link))
}

pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, (reference, tag): Of<'_>, id: i64, change: &LinkChange,
) -> Result<(Releases, Release, Link)> {
    let (here, release) = to_change(tx, viewer, reference, tag)?;
    let mut link = access::found(rows::find(tx, release.id, id)?)?;
    if change.is_empty() {
        return Err(Error::none_of("name, url"));
    }
    let trimmed = |text: &String| text.trim().to_owned();
    if let Some(name) = &change.name {
        link.name = trimmed(name);
    }
    if let Some(url) = &change.url {
        link.url = trimmed(url);
    }
    for path in [&change.filepath, &change.direct_asset_path] {
        let path = path.clone().over(link.filepath.clone());
        link.filepath = path.filter(|path| !path.is_empty());
    }
    link.link_type = change.link_type.unwrap_or(link.link_type);
    link.updated_at = tx.now();
    let others = others(tx, &release, id)?;
    NewLink::as_stored(&link).check(others.iter())?;
    rows::update(tx, &link)?;
    record(tx, viewer, "release_link.update", &release, &link)?;
    Ok((here, release, link))
}

pub fn destroy(
    tx: &mut Tx<'_>, viewer: &Viewer, (reference, tag): Of<'_>, id: i64,
) -> Result<(Releases, Release, Link)> {
    let (here, release) = to_change(tx, viewer, reference, tag)?;
    let link = access::found(rows::find(tx, release.id, id)?)?;
    rows::delete(tx, id)?;
    record(tx, viewer, "release_link.destroy", &release, &link)?;
    Ok((here, release, link))
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, release: &Release, link: &Link,
) -> Result<()> {
    let details = json!({
        "project_id": release.project_id,
        "release_id": release.id,
        "url": link.url,
    });
    audit::record(tx, viewer, action, ("ReleaseLink", link.id, &link.name), details)
}
