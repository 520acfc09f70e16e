//! Who comes in by a key, and what they may do with a repository.

use crate::model::SshKey;
use crate::store::{deploy, keys};
use ::store::Tx;
use identity::model::User;
use identity::users;
use identity::viewer::{DeployViewer, SourceType, Viewer};
use kernel::error::{Error, Found as _, Result};
use kernel::ids::Reference;
use kernel::time::Timestamp;
use repositories::access::{self, Address, Found, NO_PUSH, NOT_FOUND, Pushing, Service};
use spaces::access::{find_project, moved_project};
use spaces::model::Project;
use std::sync::Arc;

const EXPIRED: &str = "INFO: Your SSH key has expired. Please generate a new key.";
const NO_WRITE: &str = "This deploy key does not have write access to this project.";
/// Seconds before its end in which it is said that a key ends soon.
const SOON: i64 = 7 * 86400;
/// Seconds between two notes of the use of a key.
const NOTE_EVERY: i64 = 300;

/// Who comes in.
#[derive(Debug, Clone)]
pub struct Visitor {
    pub key: SshKey,
    pub who: Who,
    /// The client's address.
    address: String,
}

#[derive(Debug, Clone)]
pub enum Who {
    User(Box<User>),
    /// Whoever has a deploy key.
    Machine,
}

fn refused(text: &str) -> Error {
    Error::Exact(403, text.into())
}

/// The key with this SHA256, if it lets somebody in.
pub fn key(tx: &mut Tx<'_>, sha256: &str) -> Result<Option<SshKey>> {
    Ok(keys::by_sha256(tx, sha256)?.filter(SshKey::opens))
}

/// Who comes in by a key, if they may do anything still.
pub fn visitor(tx: &mut Tx<'_>, key: i64, address: &str) -> Result<Visitor> {
    let key = keys::by_id(tx, key)?.filter(SshKey::opens);
    let key = key.ok_or_else(|| refused("Your SSH key was removed."))?;
    if key.is_expired(tx.now()) {
        return Err(refused(EXPIRED));
    }
    let who = match key.user_id {
        None => Who::Machine,
        Some(id) => {
            let user = users::find(tx, id)?.found("User")?;
            if let Some(text) = identity::access::refusal_now(tx, &user)? {
                return Err(refused(text));
            }
            Who::User(Box::new(user))
        }
    };
    Ok(Visitor { key, who, address: address.to_owned() })
}

impl Visitor {
    pub fn ends_soon(&self, now: Timestamp) -> bool {
        let seconds = self.key.expires_at.map(|end| end.as_second() - now.as_second());
        seconds.is_some_and(|seconds| seconds < SOON)
    }

    /// Whether it is time to note that the key is used.
    pub fn is_to_be_noted(&self, now: Timestamp) -> bool {
        let last = self.key.last_used_at.map(Timestamp::as_second);
        last.is_none_or(|last| now.as_second() - last >= NOTE_EVERY)
    }

    /// Under what their deeds are counted.
    pub fn counted_as(&self) -> String {
        match &self.who {
            Who::User(user) => format!("user {}", user.id),
            Who::Machine => format!("key {}", self.key.id),
        }
    }

    /// The repository, for what they want of it.
    pub fn find(&self, tx: &mut Tx<'_>, address: &Address, service: Service) -> Result<Found> {
        let (viewer, address) = self.viewer(tx, address, service)?;
        let found = access::find(tx, &viewer, &address, service);
        found.map_err(|error| self.words(error, service))
    }

    /// The same for a push, which makes the repository if there is none.
    pub fn pushing(&self, tx: &mut Tx<'_>, address: &Address) -> Result<Pushing> {
        let (viewer, address) = self.viewer(tx, address, Service::Push)?;
        let to = access::pushing(tx, &viewer, &address);
        let to = to.map_err(|error| self.words(error, Service::Push))?;
        Ok(match self.who {
            Who::Machine => to.by_deploy_key(self.key.id),
            Who::User(_) => to,
        })
    }

    /// What somebody is told whose rights a deploy key borrows.
    fn words(&self, error: Error, service: Service) -> Error {
        match (&self.who, &error, service) {
            (Who::Machine, Error::Exact(404, _), Service::Push) => refused(NO_PUSH),
            _ => error,
        }
    }

    /// As whom they are asked for what they may, and where. A deploy key reads by
    /// itself, and pushes as who made it.
    fn viewer(
        &self, tx: &mut Tx<'_>, address: &Address, service: Service,
    ) -> Result<(Viewer, Address)> {
        let by = |user: &User| {
            let scopes = [Service::Fetch.scope(), Service::Push.scope()];
            Viewer::by_key(user.clone(), &scopes, self.address.clone())
        };
        if let Who::User(user) = &self.who {
            return Ok((by(user), address.clone()));
        }
        let hidden = || Error::Exact(404, NOT_FOUND.into());
        let project = find(tx, address)?.ok_or_else(hidden)?;
        let joined = deploy::find(tx, project.id, self.key.id)?.ok_or_else(hidden)?;
        if service == Service::Push && !joined.can_push {
            return Err(refused(NO_WRITE));
        }
        let address = Address { full_path: project.full_path, kind: address.kind };
        if service == Service::Fetch {
            let reader = DeployViewer {
                id: 0,
                username: String::new(),
                source_type: SourceType::Project.as_str().to_owned(),
                source_id: project.id,
                scopes: vec![service.scope().to_owned()],
            };
            return Ok((Viewer::Deploy(Arc::new(reader)), address));
        }
        let maker = self.maker(tx)?.ok_or_else(|| refused(NO_PUSH))?;
        Ok((by(&maker), address))
    }

    /// Who made a deploy key, if they may do anything still.
    fn maker(&self, tx: &mut Tx<'_>) -> Result<Option<User>> {
        match self.key.created_by_id {
            Some(id) => identity::access::active_user(tx, id),
            None => Ok(None),
        }
    }

    /// As whom large files are asked for over HTTP.
    pub fn for_large_files(&self, tx: &mut Tx<'_>) -> Result<User> {
        match &self.who {
            Who::User(user) => Ok((**user).clone()),
            Who::Machine => self.maker(tx)?.ok_or_else(|| refused(NO_PUSH)),
        }
    }
}

/// The project at an address, or that was there.
fn find(tx: &mut Tx<'_>, address: &Address) -> Result<Option<Project>> {
    let reference = Reference::Path(address.full_path.clone());
    if let Some(project) = find_project(tx, &reference)? {
        return Ok(Some(project));
    }
    match moved_project(tx, &reference)? {
        Some(id) => find_project(tx, &Reference::Id(id)),
        None => Ok(None),
    }
}
