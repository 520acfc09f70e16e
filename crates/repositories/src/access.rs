//! Who may fetch and push, and what others are told (docs/interface/repositories.md 1.4).

use crate::formats::ref_name::RefName;
use crate::model::{Repository, RepositoryKind};
use crate::protection::Way;
use crate::store;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::{Reference, fold};
use serde::{Deserialize, Serialize};
use spaces::access::{self, Purpose};
use spaces::model::Project;

pub const NOT_FOUND: &str = "The project you were looking for could not be found.";
const NO_DOWNLOAD: &str = "You are not allowed to download code from this project.";
pub const NO_PUSH: &str = "You are not allowed to push code to this project.";
const NO_UPLOAD_SCOPE: &str = "You are not allowed to upload code.";

/// The branch of repositories whose project names none.
const USUAL_BRANCH: &str = "main";

/// A repository as its address names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub full_path: String,
    pub kind: RepositoryKind,
}

impl Address {
    /// The repository at a path without its ending.
    pub fn named(place: &str) -> Address {
        let (full_path, kind) = match place.strip_suffix(".wiki") {
            Some(path) => (path, RepositoryKind::Wiki),
            None => (place, RepositoryKind::Project),
        };
        Address { full_path: full_path.to_owned(), kind }
    }
}

/// What somebody wants of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Service {
    Fetch,
    Push,
}

impl Service {
    /// The scope of tokens that it needs at least.
    pub fn scope(self) -> &'static str {
        match self {
            Service::Fetch => "read_repository",
            Service::Push => "write_repository",
        }
    }

    pub fn from_name(name: &str) -> Option<Service> {
        match name {
            "git-upload-pack" => Some(Service::Fetch),
            "git-receive-pack" => Some(Service::Push),
            _ => None,
        }
    }

    /// The program of git that does it.
    pub fn name(self) -> &'static str {
        match self {
            Service::Fetch => "git-upload-pack",
            Service::Push => "git-receive-pack",
        }
    }
}

/// A repository that somebody may fetch from or push to. One that nothing was pushed
/// to yet has no row.
#[derive(Debug, Clone)]
pub struct Found {
    pub project: Project,
    pub kind: RepositoryKind,
    pub repository: Option<Repository>,
}

impl Found {
    /// The ref that HEAD stands for, or will.
    pub fn head(&self) -> RefName {
        let wished = self.project.default_branch.as_deref();
        let usual = || RefName::branch(USUAL_BRANCH).expect("it is a good name");
        match &self.repository {
            Some(repository) => repository.head.clone(),
            None => wished.and_then(|name| RefName::branch(name).ok()).unwrap_or_else(usual),
        }
    }

    /// Whether it was found by an address that it has no more.
    pub fn has_moved_from(&self, address: &Address) -> bool {
        fold(&self.project.full_path) != fold(&address.full_path)
    }

    /// Its repository, made if there is none.
    pub(crate) fn made(self, tx: &mut Tx<'_>) -> Result<Repository> {
        let head = self.head();
        match self.repository {
            Some(repository) => Ok(repository),
            None => store::make_for_project(tx, self.project.id, self.kind, &head),
        }
    }
}

/// Where a push goes.
#[derive(Debug, Clone)]
pub struct Pushing {
    pub viewer: Viewer,
    /// The key that they are known by, if it is one of projects.
    pub deploy_key_id: Option<i64>,
    pub project_id: i64,
    pub repository_id: i64,
    /// The branch that the project wants as its default.
    pub default_branch: Option<String>,
    /// By what way it comes.
    pub way: Way,
    /// Whether its pointers lead to large files.
    pub has_large_files: bool,
}

/// A refusal with exactly this text.
fn told(status: u16, text: &str) -> Error {
    Error::Exact(status, text.into())
}

/// The repository, for who may do this with it.
pub fn find(
    tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, service: Service,
) -> Result<Found> {
    if service == Service::Push {
        check_upload(viewer)?;
    }
    let reference = Reference::Path(address.full_path.clone());
    let project = match project(tx, viewer, &reference, service) {
        // Git goes on at the old address.
        Err(Error::Moved(id)) => {
            let id = id.parse().unwrap_or_default();
            project(tx, viewer, &Reference::Id(id), service)?
        }
        found => found?,
    };
    let repository = store::of_project(tx, project.id, address.kind)?;
    Ok(Found { project, kind: address.kind, repository })
}

fn project(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, service: Service,
) -> Result<Project> {
    let purpose = match service {
        Service::Fetch => Purpose::DownloadCode,
        Service::Push => Purpose::PushCode,
    };
    let found = access::project(tx, viewer, reference, purpose);
    found.map_err(|error| match (error, viewer) {
        // Strangers are asked who they are, whether there is something or not.
        (Error::NotFound(_) | Error::Forbidden(_), Viewer::Anonymous) => Error::Unauthenticated,
        (Error::NotFound(_), _) => told(404, NOT_FOUND),
        (Error::Forbidden(_), _) if service == Service::Fetch => told(403, NO_DOWNLOAD),
        (Error::Forbidden(_), _) => told(403, NO_PUSH),
        (other, _) => other,
    })
}

/// Whether the credential lets its holder push anywhere.
fn check_upload(viewer: &Viewer) -> Result<()> {
    let may = match viewer {
        Viewer::Anonymous => return Err(Error::Unauthenticated),
        Viewer::User(signed_in) => {
            signed_in.has_scope("write_repository") || signed_in.has_scope("api")
        }
        Viewer::Deploy(_) => false,
    };
    match may {
        true => Ok(()),
        false => Err(told(403, NO_UPLOAD_SCOPE)),
    }
}

/// The same for a push, which makes the repository if there is none.
pub fn pushing(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<Pushing> {
    let found = find(tx, viewer, address, Service::Push)?;
    to_push(tx, viewer, found, Way::Git)
}

/// The same for a change that is made here by somebody who may push to the project.
pub fn writing(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<Pushing> {
    let kind = RepositoryKind::Project;
    let repository = store::of_project(tx, project.id, kind)?;
    let found = Found { project: project.clone(), kind, repository };
    to_push(tx, viewer, found, Way::Api)
}

fn to_push(tx: &mut Tx<'_>, viewer: &Viewer, found: Found, way: Way) -> Result<Pushing> {
    Ok(Pushing {
        viewer: viewer.clone(),
        deploy_key_id: None,
        project_id: found.project.id,
        default_branch: found.project.default_branch.clone(),
        has_large_files: found.project.lfs_enabled,
        repository_id: found.made(tx)?.id,
        way,
    })
}
