//! Between which projects a merge request is made that is not there yet.

use crate::access::network;
use ::store::Tx;
use kernel::error::Result;
use kernel::http::Text;
use spaces::access::Purpose;
use spaces::model::Project;
use spaces::pages::{Space, Visit};

kernel::params! {
    /// What is said of a merge request before its form is there.
    #[derive(Default)]
    pub struct Begun {
        pub source_project_id: Option<i64>,
        pub source_branch: Text,
        pub target_project_id: Option<i64>,
        pub target_branch: Text,
        pub title: Option<String>,
        pub description: Option<String>,
    }
}

/// The projects that may be meant, and those that are.
#[derive(Debug, Clone)]
pub struct Places {
    /// The project of the page.
    pub space: Space,
    pub sources: Vec<Project>,
    pub targets: Vec<Project>,
    /// None where the viewer may write to no branch.
    pub source: Option<Project>,
    /// None where nothing can be merged in any of them.
    pub target: Option<Project>,
}

impl Places {
    /// Finds those of the page that the viewer visits, for who reads its code.
    pub fn find(tx: &mut Tx<'_>, visit: &Visit, begun: &Begun) -> Result<Places> {
        let space = visit.authorize(tx, Purpose::DownloadCode)?;
        let here = space.project()?.clone();
        let named = [begun.source_project_id, begun.target_project_id, here.forked_from_id];
        let first: Vec<i64> = named.into_iter().flatten().collect();
        let sources = network::sources(tx, &visit.viewer, &here, &first)?;
        let targets = network::targets(tx, &visit.viewer, &here, &first)?;
        let source = chosen(&sources, [begun.source_project_id, Some(here.id)]);
        // A fork gives back to where it comes from.
        let usual = match here.mr_default_target_self {
            true => None,
            false => here.forked_from_id,
        };
        let target = chosen(&targets, [begun.target_project_id, usual, Some(here.id)]);
        Ok(Places { space, sources, targets, source, target })
    }
}

/// The first of these that is there, or else the first there is.
fn chosen<const N: usize>(projects: &[Project], ids: [Option<i64>; N]) -> Option<Project> {
    let mut wanted = ids.into_iter().flatten();
    let found = wanted.find_map(|id| projects.iter().find(|project| project.id == id));
    found.or(projects.first()).cloned()
}
