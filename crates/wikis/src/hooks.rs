//! What this room plugs into that of repositories: wikis by git.

use crate::access::{of_group, of_project};
use crate::pushed;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use repositories::access::{Address, Service};
use repositories::hooks::Contents;
use repositories::model::{Holder, RepositoryKind};
use repositories::place::Content;
use spaces::access::{self, Purpose, find_group, find_project, moved_project};
use store::Tx;

const NOT_FOUND: &str = "The wiki you were looking for could not be found.";
const NO_FETCH: &str = "You are not allowed to download files from this wiki.";
const NO_PUSH: &str = "You are not allowed to write to this project's wiki.";
const NO_PUSH_TO_GROUP: &str = "You are not allowed to write to this group's wiki.";

/// Wikis, for `repositories::hooks::Hooks`.
pub const CONTENTS: Contents = Contents {
    kind: RepositoryKind::Wiki,
    not_found: NOT_FOUND,
    find,
    authorize,
    judge: pushed::judge,
    arrived: pushed::arrived,
};

fn find(tx: &mut Tx<'_>, address: &Address) -> Result<Option<Content>> {
    let reference = Reference::Path(address.full_path.clone());
    if let Some(project) = find_project(tx, &reference)? {
        return Ok(Some(of_project(&project)));
    }
    if let Some(group) = find_group(tx, &reference)? {
        return Ok(Some(of_group(&group)));
    }
    let project = match moved_project(tx, &reference)? {
        Some(id) => find_project(tx, &Reference::Id(id))?,
        None => None,
    };
    Ok(project.as_ref().map(of_project))
}

fn authorize(tx: &mut Tx<'_>, viewer: &Viewer, content: &Content, service: Service) -> Result<()> {
    let purpose = match service {
        Service::Fetch => Purpose::ReadWiki,
        Service::Push => Purpose::WriteWiki,
    };
    let allowed = match (content.holder.project_id(), content.holder) {
        (Some(id), _) => access::project(tx, viewer, &Reference::Id(id), purpose).map(drop),
        (None, Holder::GroupWiki(id)) => {
            access::group(tx, viewer, &Reference::Id(id), purpose).map(drop)
        }
        _ => Err(Error::NotFound("")),
    };
    allowed.map_err(|error| match (error, service, content.holder) {
        (Error::Forbidden(_), Service::Fetch, _) => Error::forbidden(NO_FETCH),
        (Error::Forbidden(_), _, Holder::GroupWiki(_)) => Error::forbidden(NO_PUSH_TO_GROUP),
        (Error::Forbidden(_), ..) => Error::forbidden(NO_PUSH),
        (other, ..) => other,
    })
}
