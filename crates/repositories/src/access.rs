//! Who may fetch and push, and what others are told (docs/interface/repositories.md 1.4).

use crate::formats::ref_name::RefName;
use crate::hidden::HiddenRequests;
use crate::hooks;
use crate::model::{Repository, RepositoryKind};
use crate::place::{Content, Place};
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

/// Whether a path ends as those of snippets do: `snippets/7`, `acme/anvil/snippets/7`.
fn is_of_snippet(place: &str) -> bool {
    let Some((above, id)) = place.rsplit_once('/') else {
        return false;
    };
    let is_below = above == "snippets" || above.ends_with("/snippets");
    is_below && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())
}

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
            None if is_of_snippet(place) => (place, RepositoryKind::Snippet),
            None => (place, RepositoryKind::Project),
        };
        Address { full_path: full_path.to_owned(), kind }
    }

    /// The path without its ending.
    pub fn place(&self) -> String {
        match self.kind {
            RepositoryKind::Project | RepositoryKind::Snippet => self.full_path.clone(),
            RepositoryKind::Wiki => format!("{}.wiki", self.full_path),
        }
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
    pub place: Place,
    pub repository: Option<Repository>,
    /// Whose refs are not told.
    pub hidden: HiddenRequests,
}

impl Found {
    /// The ref that HEAD stands for, or will.
    pub fn head(&self) -> RefName {
        self.place.head(self.repository.as_ref())
    }

    /// The project, if it is the code of one.
    pub fn code(&self) -> Option<&Project> {
        match &self.place {
            Place::Code(project) => Some(project),
            Place::Content(_) => None,
        }
    }

    /// Whether it was found by an address that it has no more.
    pub fn has_moved_from(&self, address: &Address) -> bool {
        fold(self.place.path()) != fold(&address.place())
    }

    /// Refuses who begins to write to it while nothing may be written.
    pub(crate) fn check_writable(&self) -> Result<()> {
        self.repository.as_ref().map_or(Ok(()), Repository::check_writable)
    }

    /// Its repository, made if there is none.
    pub(crate) fn made(self, tx: &mut Tx<'_>) -> Result<Repository> {
        let head = self.head();
        match self.repository {
            Some(repository) => Ok(repository),
            None => store::make(tx, self.place.holder(), &head),
        }
    }
}

/// Where a push goes.
#[derive(Debug, Clone)]
pub struct Pushing {
    pub viewer: Viewer,
    pub repository_id: i64,
    /// The branch that is wished for as the default one.
    pub default_branch: Option<String>,
    /// By what way it comes.
    pub way: Way,
    /// What is said to the server with a change that is made here, as by `git push -o`.
    pub options: Vec<String>,
    pub target: Target,
}

/// What a push is for, and what it is judged by.
#[derive(Debug, Clone)]
pub enum Target {
    /// Code is protected, has the push rules of its project, and large files.
    Code(CodeTarget),
    /// The room above judges.
    Content(Content),
}

/// The project whose code is pushed to.
#[derive(Debug, Clone)]
pub struct CodeTarget {
    pub project_id: i64,
    /// The key that who pushes is known by, if it is one of projects.
    pub deploy_key_id: Option<i64>,
    /// Who pushes may not push to the project, but to branches that were opened to them.
    pub is_opened: bool,
    /// Whether its pointers lead to large files.
    pub has_large_files: bool,
}

impl Pushing {
    /// The project whose code it is for.
    pub fn project_id(&self) -> Option<i64> {
        match &self.target {
            Target::Code(code) => Some(code.project_id),
            Target::Content(_) => None,
        }
    }

    /// The same by a key of projects.
    pub fn by_deploy_key(mut self, id: i64) -> Pushing {
        if let Target::Code(code) = &mut self.target {
            code.deploy_key_id = Some(id);
        }
        self
    }
}

/// A refusal with exactly this text.
fn told(status: u16, text: &str) -> Error {
    Error::Exact(status, text.into())
}

/// The repository, for who may begin to do this with it.
pub fn find(
    tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, service: Service,
) -> Result<Found> {
    let found = allowed(tx, viewer, address, service)?;
    if service == Service::Push {
        found.check_writable()?;
    }
    Ok(found)
}

fn allowed(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, service: Service) -> Result<Found> {
    if service == Service::Push {
        check_upload(viewer)?;
    }
    let place = match address.kind {
        RepositoryKind::Project => Place::code(&code(tx, viewer, address, service)?),
        // A project may stand in a group of this name.
        RepositoryKind::Snippet if is_project(tx, address)? => {
            Place::code(&code(tx, viewer, address, service)?)
        }
        RepositoryKind::Wiki | RepositoryKind::Snippet => {
            Place::Content(content(tx, viewer, address, service)?)
        }
    };
    let repository = store::of(tx, place.holder())?;
    let hidden = hidden(tx, viewer, &place)?;
    Ok(Found { place, repository, hidden })
}

fn hidden(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place) -> Result<HiddenRequests> {
    Ok(match place {
        Place::Code(project) if !viewer.is_admin() => hooks::hidden_requests(tx, &[project.id])?
            .remove(&project.id)
            .unwrap_or_default(),
        _ => HiddenRequests::default(),
    })
}

fn is_project(tx: &mut Tx<'_>, address: &Address) -> Result<bool> {
    let reference = Reference::Path(address.full_path.clone());
    Ok(access::find_project(tx, &reference)?.is_some())
}

fn code(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, service: Service) -> Result<Project> {
    let purpose = match service {
        Service::Fetch => Purpose::DownloadCode,
        Service::Push => Purpose::PushCode,
    };
    let reference = Reference::Path(address.full_path.clone());
    let found = match access::project(tx, viewer, &reference, purpose) {
        // Git goes on at the old address.
        Err(Error::Moved(id)) => {
            let id = id.parse().unwrap_or_default();
            access::project(tx, viewer, &Reference::Id(id), purpose)
        }
        found => found,
    };
    let found = match found {
        Err(Error::Forbidden(text)) if service == Service::Push => {
            opened(tx, viewer, &reference)?.ok_or(Error::Forbidden(text))
        }
        found => found,
    };
    found
        .map_err(|error| match error {
            Error::Forbidden(_) if service == Service::Fetch => Error::forbidden(NO_DOWNLOAD),
            Error::Forbidden(_) => Error::forbidden(NO_PUSH),
            other => other,
        })
        .map_err(|error| in_words(error, viewer, NOT_FOUND))
}

/// The project, if some branch of it was opened to the viewer.
fn opened(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Option<Project>> {
    let Some(project) = access::find_project(tx, reference)? else {
        return Ok(None);
    };
    let is_opened = hooks::is_opened(tx, viewer, &project, None)?;
    Ok(is_opened.then_some(project))
}

fn content(
    tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, service: Service,
) -> Result<Content> {
    let room = hooks::contents(tx, address.kind)?;
    let found = match (room.find)(tx, address)? {
        Some(content) => {
            let allowed = (room.authorize)(tx, viewer, &content, service);
            allowed.map(|()| content)
        }
        None => Err(Error::NotFound("")),
    };
    found.map_err(|error| in_words(error, viewer, room.not_found))
}

/// A refusal as git's user reads it.
fn in_words(error: Error, viewer: &Viewer, not_found: &str) -> Error {
    match (error, viewer) {
        // Strangers are asked who they are, whether there is something or not.
        (Error::NotFound(_) | Error::Forbidden(_), Viewer::Anonymous) => Error::Unauthenticated,
        (Error::NotFound(_), _) => told(404, not_found),
        (Error::Forbidden(text), _) => told(403, &text),
        (other, _) => other,
    }
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

/// The same for a push, which makes the repository if there is none. Its client was told
/// the refs before and shows nothing of a refusal that comes now: it waits
/// ([`crate::receive::receive`]).
pub fn pushing(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<Pushing> {
    let found = allowed(tx, viewer, address, Service::Push)?;
    to_push(tx, viewer, found, Way::Git)
}

/// The same for a change that is made here by somebody who may write there.
pub fn writing(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place) -> Result<Pushing> {
    let repository = store::of(tx, place.holder())?;
    let hidden = HiddenRequests::default();
    let found = Found { place: place.clone(), repository, hidden };
    found.check_writable()?;
    to_push(tx, viewer, found, Way::Api)
}

fn to_push(tx: &mut Tx<'_>, viewer: &Viewer, found: Found, way: Way) -> Result<Pushing> {
    let target = match &found.place {
        Place::Code(project) => Target::Code(CodeTarget {
            project_id: project.id,
            deploy_key_id: None,
            is_opened: !access::may(tx, viewer, project, Purpose::PushCode)?,
            has_large_files: project.lfs_enabled,
        }),
        Place::Content(content) => Target::Content(content.clone()),
    };
    Ok(Pushing {
        viewer: viewer.clone(),
        default_branch: found.place.default_branch().map(str::to_owned),
        repository_id: found.made(tx)?.id,
        way,
        options: Vec::new(),
        target,
    })
}
