//! `…/-/releases`: pages of releases, their forms, and addresses that lead on.
//!
//! Every form goes through the rules that REST uses, and works without a script.

mod badge;
mod edit;
mod feed;
mod form;
mod further;
mod list;
mod new;
mod show;
mod views;

use crate::access::{self, Releases};
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::Routes;
use spaces::access::Purpose;
use spaces::pages::{Address, PROJECT, Space, SpaceHead};
use store::Tx;

pub fn routes(r: &mut Routes) {
    badge::routes(r);
    list::routes(r);
    feed::routes(r);
    new::routes(r);
    further::routes(r);
    show::routes(r);
    edit::routes(r);
}

/// An address below the releases of a project.
fn below(path: &str) -> String {
    format!("{PROJECT}/-/releases{path}")
}

kernel::params! {
    /// A release by its address.
    pub struct OneRelease {
        pub tag_name: String,
    }
}

/// A project whose releases the viewer sees, on a page.
struct Here {
    space: Space,
    head: SpaceHead,
    releases: Releases,
}

impl Here {
    fn find(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<Here> {
        let space = address.authorize(tx, viewer, Purpose::Read)?;
        let project = space.project()?.clone();
        let releases = access::of_project(tx, viewer, project, space.level())?;
        let head = space.head(tx, viewer)?;
        Ok(Here { space, head, releases })
    }

    /// The same for who reads its code: pages of single releases tell of tags.
    fn with_code(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<Here> {
        let here = Here::find(tx, viewer, address)?;
        match here.releases.reads_code {
            true => Ok(here),
            false => Err(Error::forbidden("")),
        }
    }

    /// The same for who writes releases.
    fn to_write(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<Here> {
        let here = Here::with_code(tx, viewer, address)?;
        match here.releases.may_write(tx, viewer)? {
            true => Ok(here),
            false => Err(Error::forbidden("")),
        }
    }

    /// Where its releases are listed.
    fn url(&self) -> String {
        format!("{}/-/releases", self.head.url)
    }
}
