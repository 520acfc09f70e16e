//! What a page of changes is about: read before it is known what differs.

use super::aims::{Aim, LineName};
use super::listing::Listing;
use super::look::Look;
use super::overview::Overview;
use super::rights::Rights;
use super::versions::{Compared, Versions};
use crate::model::MergeRequest;
use crate::noteable::MERGE_REQUEST;
use crate::pages::frame::{self, Found};
use crate::positions::Position;
use crate::store::viewed;
use crate::threads::model::{Draft, read};
use crate::threads::store as rows;
use ::store::Tx;
use code::pages::parts::diff::id_of;
use identity::viewer::Viewer;
use kernel::error::Result;
use planning::access::Desk;
use planning::store::notes;
use repositories::formats::object_id::ObjectId;
use repositories::model::{Repository, RepositoryKind};
use repositories::store::{of_project, refs};
use spaces::access::Purpose;
use spaces::pages::Address;
use std::collections::HashMap;

/// A merge request for who sees it, with what is known of its changes.
pub struct Subject {
    pub found: Found,
    pub rights: Rights,
    pub repository: Option<Repository>,
    /// Where the default branch is, which says what programs wrote.
    pub default: Option<ObjectId>,
    pub versions: Versions,
    /// What is compared; nothing before the first version.
    pub compared: Option<Compared>,
    pub overview: Overview,
    /// The changes that the viewer has looked at, by file.
    pub viewed: HashMap<String, String>,
    /// The viewer's drafts.
    pub drafts: Vec<Draft>,
    /// The thread that is looked for.
    pub thread: Option<String>,
}

impl Subject {
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, iid: i64, look: &Look,
    ) -> Result<Subject> {
        let found = frame::find(tx, viewer, address, iid, Purpose::DownloadCode)?;
        let (here, request) = (&found.here, &found.request);
        let project = request.target_project_id;
        let repository = of_project(tx, project, RepositoryKind::Project)?;
        let default = match &repository {
            Some(repository) => {
                let heads = refs::current(tx, repository.id, &[&repository.head])?;
                heads.get(&repository.head).copied()
            }
            None => None,
        };
        let (viewed, drafts) = match viewer.user_id() {
            Some(user) => {
                (viewed::of_user(tx, request.id, user)?, rows::drafts(tx, request.id, user)?)
            }
            None => (HashMap::new(), Vec::new()),
        };
        let versions = Versions::read(tx, request)?;
        let compared = match versions.newest() {
            Some(newest) => Some(Compared::of(tx, request, newest, look)?),
            None => None,
        };
        Ok(Subject {
            rights: Rights::read(tx, viewer, &found)?,
            compared,
            versions,
            overview: Overview::read(tx, viewer, Desk::from(here), request)?,
            thread: thread(tx, request, look)?,
            repository,
            default,
            viewed,
            drafts,
            found,
        })
    }

    pub fn request(&self) -> &MergeRequest {
        &self.found.request
    }

    /// The address of the changes.
    pub fn url(&self) -> String {
        url_of(self.request())
    }

    /// The file that something is looked for in, by its name on the page.
    pub fn aimed_at(&self, look: &Look) -> Option<String> {
        if let Some(aim) = Aim::of(look) {
            return Some(aim.at.file);
        }
        let draft = look.draft.and_then(|id| self.drafts.iter().find(|draft| draft.id == id));
        let thread = match draft {
            Some(draft) => match &draft.discussion_id {
                Some(id) => Some(id.as_str()),
                None => return draft_file(draft),
            },
            None => self.thread.as_deref(),
        };
        let file = thread.and_then(|thread| self.overview.file_of(thread));
        file.or(look.file.as_deref()).map(str::to_owned)
    }

    /// The part of the files that is shown, from 1: the one that something is looked for
    /// in, else the one that is asked for.
    pub fn page(&self, look: &Look, listing: &Listing) -> usize {
        let asked = look.page.and_then(|page| usize::try_from(page).ok()).unwrap_or(1);
        let aimed = match self.aimed_at(look) {
            // What stands in no file stands behind the last one.
            Some(file) => Some(listing.page_of(&file).unwrap_or(listing.pages())),
            None => look.draft.map(|_| listing.pages()),
        };
        aimed.unwrap_or(asked).clamp(1, listing.pages())
    }

    /// The drafts that stand in none of these files.
    pub fn elsewhere(&self, listing: &Listing) -> Vec<i64> {
        let is_elsewhere = |draft: &&Draft| match &draft.discussion_id {
            Some(id) => self.overview.file_of(id).is_none(),
            None => match draft.position.as_ref().and_then(read) {
                Some(position) => place(listing, &position).is_none(),
                None => true,
            },
        };
        self.drafts.iter().filter(is_elsewhere).map(|draft| draft.id).collect()
    }
}

/// The address of the changes of a merge request.
pub fn url_of(request: &MergeRequest) -> String {
    format!("{}/diffs", request.path())
}

fn place(listing: &Listing, position: &Position) -> Option<usize> {
    let of = |path: &str| listing.place(&id_of(path));
    of(&position.paths.new).or_else(|| of(&position.paths.old))
}

/// The file that a thread stands in, by its name on the page.
pub fn file_of_thread(tx: &mut Tx<'_>, discussion_id: &str) -> Result<Option<String>> {
    let found = rows::standings(tx, &[discussion_id.to_owned()])?.pop();
    Ok(found.and_then(|one| read(&one.position)).map(|at| id_of(at.path())))
}

/// The file that a draft stands in, likewise.
pub fn file_of_draft(tx: &mut Tx<'_>, draft: &Draft) -> Result<Option<String>> {
    match &draft.discussion_id {
        Some(id) => file_of_thread(tx, id),
        None => Ok(draft_file(draft)),
    }
}

fn draft_file(draft: &Draft) -> Option<String> {
    let line = draft.line_code.as_deref().and_then(LineName::read);
    let path = || draft.position.as_ref().and_then(read).map(|at| id_of(at.path()));
    line.map(|line| line.file).or_else(path)
}

/// The thread that is looked for, or that of the note that is.
fn thread(tx: &mut Tx<'_>, request: &MergeRequest, look: &Look) -> Result<Option<String>> {
    if look.thread.is_some() {
        return Ok(look.thread.clone());
    }
    let Some(id) = look.note.or(look.edit) else {
        return Ok(None);
    };
    let note = notes::by_id(tx, id)?;
    let is_here =
        |note: &notes::Note| note.noteable_type == MERGE_REQUEST && note.noteable_id == request.id;
    Ok(note.filter(is_here).map(|note| note.discussion_id))
}
