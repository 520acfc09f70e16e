//! Bare repositories on a disk, brought in and written out by `tenon repository`.

mod export;
mod import;

pub use export::export;
pub use import::import;
pub(crate) use import::pieces;

use crate::access::{Address, Found};
use crate::hidden::HiddenRequests;
use crate::hooks;
use crate::model::RepositoryKind;
use crate::place::Place;
use crate::store;
use ::store::Tx;
use kernel::error::{Found as _, Result};
use kernel::ids::Reference;
use spaces::store::lookups;

/// What stands at a path, as git's addresses have it but for `.git`, and its repository
/// if something was pushed to it yet.
///
/// # Errors
///
/// `NotFound` if there is no such project, wiki or snippet.
fn of_path(tx: &mut Tx<'_>, path: &str) -> Result<Found> {
    let address = Address::named(path);
    let place = match address.kind {
        RepositoryKind::Project => {
            let reference = Reference::Path(address.full_path);
            Place::code(&lookups::find_project(tx, &reference)?.found("Project")?)
        }
        kind => {
            let find = hooks::contents(tx, kind)?.find;
            Place::Content(find(tx, &address)?.found("Repository")?)
        }
    };
    let repository = store::of(tx, place.holder())?;
    Ok(Found { place, repository, hidden: HiddenRequests::default() })
}
