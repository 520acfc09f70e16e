//! Releases in GraphQL (docs/interface/releases.md «GraphQL»). The rules and what is seen are
//! those of REST: what is hidden there is null here.

mod enums;
mod lists;
mod mutations;
mod parts;
mod release;

use crate::access::{Releases, places};
use crate::entity::LinkEntity;
use crate::model::Release;
use crate::related::Related;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{GlobalId, Graph};
use std::sync::Arc;

const RELEASE_ID: GlobalId = GlobalId::new("ReleaseID", "Release");
const LINK_ID: GlobalId = GlobalId::new("ReleasesLinkID", "Releases::Link");
const EVIDENCE_ID: GlobalId = GlobalId::new("ReleasesEvidenceID", "Releases::Evidence");

pub fn graph(g: &mut Graph) {
    for id in [RELEASE_ID, LINK_ID, EVIDENCE_ID] {
        id.register(g);
    }
    enums::graph(g);
    parts::graph(g);
    release::graph(g);
    lists::graph(g);
    mutations::graph(g);
}

/// A release with its project as the viewer sees it, and what is read beside it for
/// all of a level.
pub struct ReleaseView {
    release: Release,
    here: Arc<Releases>,
    related: Arc<Related>,
}

impl ReleaseView {
    /// What is for who reads the code.
    fn with_code<T>(&self, what: impl FnOnce(&Release) -> T) -> Option<T> {
        self.here.reads_code.then(|| what(&self.release))
    }

    fn name(&self) -> String {
        match self.here.reads_code {
            true => self.release.name().to_owned(),
            false => self.release.name_without_tag(),
        }
    }
}

/// A link as it is shown.
pub struct LinkView {
    entity: LinkEntity,
    filepath: Option<String>,
}

/// Releases of projects that the viewer is known to see, with all that belongs to them.
fn views(
    tx: &mut Tx<'_>, viewer: &Viewer, releases: Vec<Release>,
) -> Result<Vec<Arc<ReleaseView>>> {
    let projects: Vec<i64> = releases.iter().map(|one| one.project_id).collect();
    let places = places(tx, viewer, &projects)?;
    let places: std::collections::HashMap<i64, Arc<Releases>> =
        places.into_iter().map(|(id, here)| (id, Arc::new(here))).collect();
    let related = Arc::new(Related::load(tx, viewer, &releases)?);
    let view = |release: Release| {
        let here = places.get(&release.project_id)?.clone();
        Some(Arc::new(ReleaseView { release, here, related: related.clone() }))
    };
    Ok(releases.into_iter().filter_map(view).collect())
}
