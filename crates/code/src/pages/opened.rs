//! A page about a path of a ref: what all of them begin with.

use super::parts::{PathSteps, RefMenu};
use super::{CodeHead, CodeVisit, RefKind, Spot};
use crate::access;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::http::Response;
use kernel::http::reply::redirect;
use kernel::time::Timestamp;
use repositories::model::Repository;
use repositories::objects::{Commit, Objects, Path};
use spaces::pages::Section;

/// A spot that a page is about.
pub struct Opened {
    pub head: CodeHead,
    pub spot: Spot,
    pub refs: RefMenu,
    pub now: Timestamp,
}

/// What becomes of a visit: a page, or another address.
pub enum Opening {
    At(Box<Opened>),
    Elsewhere(Response),
}

impl Opening {
    /// Finds what an address below `/-/PAGE/` is about. Where a branch and a tag have the
    /// same name, the address that says which is meant is led to; where there is no code
    /// yet, the first page of the project.
    pub async fn find(visit: &CodeVisit, page: &'static str) -> Result<Opening> {
        let (rest, kind, search) = (visit.rest.clone(), visit.kind, visit.refs.clone());
        let found = visit.find(move |tx, head| {
            let Some(repository) = &head.code.repository else {
                return Ok(None);
            };
            let Some(spot) = Spot::read(tx, repository, &rest, kind)? else {
                return Ok(None);
            };
            let at = (head.url(), page);
            let refs = RefMenu::read(tx, repository, at, &spot, search.as_deref())?;
            Ok(Some((spot, refs)))
        });
        let (head, found) = found.await?;
        let Some((spot, refs)) = found else {
            return match visit.rest.trim_matches('/') {
                "" => redirect(head.url()).map(Opening::Elsewhere),
                _ => Err(Error::NotFound("Tree")),
            };
        };
        if spot.is_ambiguous && visit.kind.is_none() {
            let url = spot.url(head.url(), page, &spot.path);
            let joint = if visit.query.is_empty() { "" } else { "&" };
            return redirect(&format!("{url}{joint}{}", visit.query)).map(Opening::Elsewhere);
        }
        let now = visit.app.now();
        Ok(Opening::At(Box::new(Opened { head, spot, refs, now })))
    }
}

/// Answers with a page about a spot, or where else an address leads.
pub async fn open<F, A>(visit: CodeVisit, page: &'static str, answer: F) -> Result<Response>
where
    F: FnOnce(CodeVisit, Box<Opened>) -> A,
    A: Future<Output = Result<Response>>,
{
    match Opening::find(&visit, page).await? {
        Opening::At(at) => answer(visit, at).await,
        Opening::Elsewhere(response) => Ok(response),
    }
}

impl Opened {
    /// The repository, which is there.
    pub fn repository(&self) -> Result<&Repository> {
        self.head.code.repository()
    }

    /// The viewer may push, and it is on a branch. Whether they may push to this branch,
    /// and where else their change goes, is said by the form.
    pub fn may_change(&self) -> bool {
        self.head.can_push && self.spot.branch().is_some()
    }

    /// The address of its path on another page.
    pub fn url(&self, page: &str) -> String {
        self.spot.url(self.head.url(), page, &self.spot.path)
    }

    /// The same at a commit, which stays what it is.
    pub fn permalink(&self, page: &str, commit: &Commit) -> String {
        let spot = Spot {
            name: commit.id.to_string(),
            kind: RefKind::Commit,
            is_ambiguous: false,
            ..self.spot.clone()
        };
        spot.url(self.head.url(), page, &spot.path)
    }

    /// The path as links.
    pub fn steps(&self) -> PathSteps {
        PathSteps::of(&self.head.code.project.path, self.head.url(), &self.spot)
    }

    /// The page, called after its path, below the files of the project.
    pub fn page(&self, visit: &CodeVisit, title: &str) -> Page {
        let page = visit.page(title);
        match self.spot.path.is_root() {
            true => self.head.head.page(page, Section::Files),
            false => self.head.page(page, Section::Files),
        }
    }
}

/// The commit of a spot.
pub fn commit(objects: &Objects, spot: &Spot) -> Result<Commit> {
    access::commit(objects, &spot.revision, "Tree")
}

/// A path as a title.
pub fn title(path: &Path) -> &str {
    if path.is_root() { "Files" } else { path.name() }
}
