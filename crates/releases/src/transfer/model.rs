//! Releases that come from elsewhere or go there (see `planning::transfer` for what `P` is).

use kernel::time::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>"))]
pub struct Release<P> {
    pub tag: String,
    /// The commit of the tag; read from the tag where it is not told.
    pub commit: Option<String>,
    pub name: Option<String>,
    pub description: Option<String>,
    pub author: Option<P>,
    #[serde(default)]
    pub milestones: Vec<String>,
    #[serde(default)]
    pub links: Vec<Link>,
    pub created_at: Timestamp,
    pub released_at: Timestamp,
}

impl<P> Release<P> {
    /// The same with its people by other names.
    pub fn with_people<Q, E>(
        self, person: &mut impl FnMut(P) -> Result<Q, E>,
    ) -> Result<Release<Q>, E> {
        Ok(Release {
            tag: self.tag,
            commit: self.commit,
            name: self.name,
            description: self.description,
            author: self.author.map(person).transpose()?,
            milestones: self.milestones,
            links: self.links,
            created_at: self.created_at,
            released_at: self.released_at,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub name: String,
    pub url: String,
    /// Below the release, for a lasting address.
    pub path: Option<String>,
    /// `other`, `runbook`, `image` or `package`; other without it.
    pub link_type: Option<String>,
}
