//! Where somebody changes files: a branch, a path in it, and what is there.

use super::super::parts::commit_form::Goal;
use super::super::spot::Spot;
use super::super::visit::{CodeHead, CodeVisit};
use crate::address;
use kernel::error::{Error, Found, Result};
use repositories::lfs::Pointer;
use repositories::model::RepositoryKind;
use repositories::objects::{Commit, Entry, EntryKind, Objects, Path};
use repositories::place::Place;
use repositories::protection;
use repositories::store::refs;
use store::Tx;

/// Largest file that is edited as a text, in bytes: as a form, each may take six.
const LARGEST: u64 = 1024 * 1024;

/// A place in the code that the viewer may push to, at least by a new branch.
#[derive(Clone)]
pub struct Site {
    pub visit: CodeVisit,
    pub head: CodeHead,
    /// The branch, tag or commit of the address.
    pub name: String,
    pub path: Path,
    pub goal: Goal,
    /// What a change follows; none before the first.
    pub commit: Option<Commit>,
}

/// What the refs say of an address.
struct Named {
    spot: Option<Spot>,
    name: String,
    path: Path,
    goal: Goal,
}

impl Site {
    /// Finds it for who may push to the project.
    ///
    /// # Errors
    ///
    /// `Unauthenticated` for strangers, `Forbidden` for who may not push, `NotFound`
    /// where there is no such ref.
    pub async fn find(visit: CodeVisit) -> Result<Site> {
        visit.viewer.signed_in()?;
        let asked = visit.clone();
        let (head, named) = visit.find(move |tx, head| name(tx, &asked, head)).await?;
        let commit = match named.spot {
            None => None,
            Some(spot) => {
                let work =
                    move |objects: &Objects| objects.commit_at(&spot.revision)?.found("Tree");
                Some(visit.objects(&head, work).await?)
            }
        };
        let Named { name, path, goal, .. } = named;
        Ok(Site { visit, head, name, path, goal, commit })
    }

    /// The address of a path on a page of this project.
    pub fn address(&self, page: &str, branch: &str, path: &Path) -> String {
        address::of_path(self.head.url(), page, branch, path)
    }

    /// The same in the ref it is about.
    pub fn here(&self, page: &str, path: &Path) -> String {
        self.address(page, &self.name, path)
    }

    /// The file at its path, if there is one.
    pub async fn file(&self) -> Result<Option<File>> {
        let Some(tree) = self.commit.as_ref().map(|commit| commit.tree) else {
            return Ok(None);
        };
        let path = self.path.clone();
        let work = move |objects: &Objects| match objects.entry(tree, &path)? {
            Some(entry) if entry.kind != EntryKind::Folder => File::read(objects, entry).map(Some),
            _ => Ok(None),
        };
        self.visit.objects(&self.head, work).await
    }

    /// Whether there is a folder at a path, as the root always is.
    pub async fn has_folder(&self, path: &Path) -> Result<bool> {
        let (Some(commit), false) = (&self.commit, path.is_root()) else {
            return Ok(path.is_root());
        };
        let (tree, path) = (commit.tree, path.clone());
        let work = move |objects: &Objects| {
            let entry = objects.entry(tree, &path)?;
            Ok(entry.is_some_and(|entry| entry.kind == EntryKind::Folder))
        };
        self.visit.objects(&self.head, work).await
    }

    /// The folder nearest to a path that a commit still has.
    pub async fn nearest(&self, commit: &Commit, path: &Path) -> Result<Path> {
        let (tree, lowest) = (commit.tree, path.folder());
        // The row read before may be older than the commit: its repository is asked anew.
        let (_, repository) = self
            .visit
            .find(|tx, head| {
                let kind = RepositoryKind::Project;
                repositories::store::of_project(tx, head.code.project.id, kind)?.found("Repository")
            })
            .await?;
        let work = move |objects: &Objects| {
            let mut folder = lowest.clone();
            while !folder.is_root() && objects.entry(tree, &folder)?.is_none() {
                folder = folder.folder();
            }
            Ok(folder)
        };
        repositories::objects::read(&self.visit.app, &repository, work).await
    }
}

fn name(tx: &mut Tx<'_>, visit: &CodeVisit, head: &CodeHead) -> Result<Named> {
    if !head.can_push {
        return Err(Error::forbidden(""));
    }
    let (project, repository) = (&head.code.project, head.code.repository.as_ref());
    let is_empty = match repository {
        Some(repository) => refs::first_branches(tx, repository.id, 1)?.is_empty(),
        None => true,
    };
    let (spot, name, path) = match repository {
        Some(repository) if !is_empty => {
            let spot = Spot::read(tx, repository, &visit.rest, visit.kind)?.found("Tree")?;
            (Some(spot.clone()), spot.name, spot.path)
        }
        _ => {
            let (name, path) = first(head, &visit.rest).found("Tree")?;
            (None, name, path)
        }
    };
    let branch = spot.as_ref().is_none_or(|spot| spot.branch().is_some());
    let pushes = branch && protection::may_push(tx, &visit.viewer, project, repository, &name)?;
    let goal = match (is_empty, pushes) {
        (true, true) => Goal::Only(name.clone()),
        (true, false) => return Err(Error::forbidden("")),
        (false, true) => Goal::Either(name.clone()),
        (false, false) => Goal::New(name.clone()),
    };
    Ok(Named { spot, name, path, goal })
}

/// The branch that the first commit begins, and a path that is not there yet.
fn first(head: &CodeHead, rest: &str) -> Option<(String, Path)> {
    let place = Place::code(&head.code.project);
    let head = place.head(head.code.repository.as_ref());
    let branch = head.as_branch()?;
    let path = rest.trim_matches('/').strip_prefix(branch)?;
    let path = match path.strip_prefix('/') {
        Some(path) => path,
        None if path.is_empty() => path,
        None => return None,
    };
    Some((branch.to_owned(), Path::read(path).ok()?))
}

/// A file as it is in the branch.
#[derive(Debug, Clone)]
pub struct File {
    pub entry: Entry,
    /// What it holds, or why that cannot be edited here.
    pub text: Result<String, Obstacle>,
    /// It stands for a large file.
    pub is_pointer: bool,
}

/// Why a file is not edited as a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    Large,
    Binary,
    Encoding,
    Pointer,
    Link,
    Submodule,
}

impl Obstacle {
    /// What is said of it.
    pub fn text(self) -> &'static str {
        match self {
            Obstacle::Large => {
                "It is too large to be edited here. Change it with git, or replace it by an upload."
            }
            Obstacle::Binary => "It is no text. Replace it by an upload, or change it with git.",
            Obstacle::Encoding => {
                "It is a text in another encoding than UTF-8, which would be lost here. Change it with git, or replace it by an upload."
            }
            Obstacle::Pointer => {
                "It stands for a large file (git LFS). Change that with git, so that the large file is stored where the others are."
            }
            Obstacle::Link => "It is a symbolic link. Change it with git.",
            Obstacle::Submodule => {
                "It is a submodule, a commit of another repository. Change it with git."
            }
        }
    }
}

impl File {
    fn read(objects: &Objects, entry: Entry) -> Result<File> {
        let obstacle = match entry.kind {
            EntryKind::Link => Some(Obstacle::Link),
            EntryKind::Submodule => Some(Obstacle::Submodule),
            _ => None,
        };
        if let Some(obstacle) = obstacle {
            return Ok(File { entry, text: Err(obstacle), is_pointer: false });
        }
        let content = objects.blob(entry.id, LARGEST)?.found("File")?.content;
        let is_pointer = content.as_deref().and_then(Pointer::read).is_some();
        let text = match content {
            None => Err(Obstacle::Large),
            Some(_) if is_pointer => Err(Obstacle::Pointer),
            Some(content) => readable(content),
        };
        Ok(File { entry, text, is_pointer })
    }
}

fn readable(content: Vec<u8>) -> Result<String, Obstacle> {
    if content.contains(&0) {
        return Err(Obstacle::Binary);
    }
    String::from_utf8(content).map_err(|_| Obstacle::Encoding)
}
