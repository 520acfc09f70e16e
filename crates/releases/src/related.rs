//! What is shown of releases beside their rows, read for a whole list at once.

use crate::access::Releases;
use crate::model::{Evidence, Link, Release};
use crate::rules::milestones::is_usable;
use crate::store::{evidences, links, milestones};
use ::store::Tx;
use identity::entities::load_basic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::Result;
use planning::access::Scope;
use planning::model::Milestone;
use planning::rules::references::Links as Named;
use planning::store::milestones::{by_ids, issue_counts};
use std::collections::HashMap;

/// A milestone with its open and closed issues that the viewer sees.
pub type Counted = (Milestone, (i64, i64));

/// What belongs to some releases, by their ids.
#[derive(Debug, Default)]
pub struct Related {
    authors: HashMap<i64, User>,
    links: Vec<Link>,
    evidences: Vec<Evidence>,
    milestones: Vec<(i64, i64)>,
    goals: HashMap<i64, Counted>,
}

impl Related {
    pub fn load(tx: &mut Tx<'_>, viewer: &Viewer, releases: &[Release]) -> Result<Related> {
        let ids: Vec<i64> = releases.iter().map(|one| one.id).collect();
        let authors: Vec<i64> = releases.iter().filter_map(|one| one.author_id).collect();
        let milestones = milestones::of_releases(tx, &ids)?;
        let named: Vec<i64> = milestones.iter().map(|(_, milestone)| *milestone).collect();
        let counts = match named.is_empty() {
            true => HashMap::new(),
            false => issue_counts(tx, viewer, &Scope::Everywhere, &named)?,
        };
        let count = |goal: Milestone| {
            let counted = counts.get(&goal.id).copied().unwrap_or_default();
            (goal.id, (goal, counted))
        };
        Ok(Related {
            authors: load_basic(tx, &authors)?,
            links: links::of_releases(tx, &ids)?,
            evidences: evidences::of_releases(tx, &ids)?,
            goals: by_ids(tx, &named)?.into_values().map(count).collect(),
            milestones,
        })
    }

    pub fn author(&self, release: &Release) -> Option<&User> {
        self.authors.get(&release.author_id?)
    }

    pub fn links(&self, release: &Release) -> Vec<&Link> {
        self.links.iter().filter(|link| link.release_id == release.id).collect()
    }

    pub fn evidences(&self, release: &Release) -> Vec<&Evidence> {
        self.evidences.iter().filter(|one| one.release_id == release.id).collect()
    }

    /// The milestones that a release is for, as far as its project has them still.
    pub fn milestones(&self, here: &Releases, release: &Release) -> Vec<&Counted> {
        let own = self.milestones.iter().filter(|(id, _)| *id == release.id);
        let known = own.filter_map(|(_, milestone)| self.goals.get(milestone));
        known.filter(|(goal, _)| is_usable(&here.project, goal)).collect()
    }
}

/// What the descriptions of some releases of a project name, with links to what the
/// viewer sees of that.
pub fn named(
    tx: &mut Tx<'_>, viewer: &Viewer, base: &str, here: &Releases, releases: &[Release],
) -> Result<Named> {
    let texts = releases.iter().map(Release::text);
    Named::find(tx, viewer, base, Some(&here.project), texts)
}
