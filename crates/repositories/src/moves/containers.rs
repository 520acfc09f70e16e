//! What is moved as one: projects, groups and snippets as administrators name them.

use super::model::Container;
use super::snippets::{MovedSnippet, OfSnippets};
use crate::hooks::Hooks;
use crate::model::{Holder, Repository, RepositoryKind};
use crate::place::{Content, Place};
use crate::store;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit::Target;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use spaces::access::{self, Purpose};
use spaces::store::{groups, projects};

/// A container and what people call it.
#[derive(Debug, Clone)]
pub struct Named {
    pub container: Container,
    pub name: String,
}

impl Named {
    /// As records of changes have it.
    pub fn target(&self) -> Target<'_> {
        let kind = match self.container {
            Container::Project(_) => "Project",
            Container::Group(_) => "Group",
            Container::Snippet(_) => "Snippet",
        };
        (kind, self.container.id(), &self.name)
    }
}

pub fn project(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Named> {
    let project = access::project(tx, viewer, reference, Purpose::Read)?;
    Ok(Named {
        container: Container::Project(project.id),
        name: project.full_path,
    })
}

pub fn group(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Named> {
    let group = access::group(tx, viewer, reference, Purpose::Read)?;
    Ok(Named { container: Container::Group(group.id), name: group.full_path })
}

pub fn snippet(tx: &mut Tx<'_>, id: i64) -> Result<Named> {
    let snippet = snippets(tx, &[id])?.pop().found("Snippet")?;
    Ok(Named { container: Container::Snippet(id), name: snippet.title })
}

/// The same of a container that a move is of; none if it is gone.
pub fn named(tx: &mut Tx<'_>, container: Container) -> Result<Option<Named>> {
    let name = match container {
        Container::Project(id) => {
            access::find_project(tx, &Reference::Id(id))?.map(|it| it.full_path)
        }
        Container::Group(id) => access::find_group(tx, &Reference::Id(id))?.map(|it| it.full_path),
        Container::Snippet(id) => snippets(tx, &[id])?.pop().map(|it| it.title),
    };
    Ok(name.map(|name| Named { container, name }))
}

/// Those of some snippets that are there.
pub fn snippets(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<MovedSnippet>> {
    match of_snippets(tx)? {
        Some(of_snippets) if !ids.is_empty() => (of_snippets.find)(tx, ids),
        _ => Ok(Vec::new()),
    }
}

fn of_snippets(tx: &Tx<'_>) -> Result<Option<OfSnippets>> {
    Ok(tx.plugged::<Hooks>()?.snippets)
}

/// The repository that says where a container lies, made if there is none yet.
pub fn repository(tx: &mut Tx<'_>, container: Container) -> Result<Repository> {
    let place = match container {
        Container::Project(id) => {
            Place::code(&access::find_project(tx, &Reference::Id(id))?.found("Project")?)
        }
        Container::Group(id) => {
            Place::Content(Content { holder: Holder::GroupWiki(id), path: String::new() })
        }
        Container::Snippet(id) => return store::of_snippet(tx, id)?.found("Snippet"),
    };
    match store::of(tx, place.holder())? {
        Some(repository) => Ok(repository),
        None => store::make(tx, place.holder(), &place.head(None)),
    }
}

/// Notes that a container changed.
pub fn touch(tx: &mut Tx<'_>, container: Container) -> Result<()> {
    match container {
        Container::Project(id) => projects::touch(tx, id),
        Container::Group(id) => groups::touch(tx, id),
        Container::Snippet(id) => match of_snippets(tx)? {
            Some(of_snippets) => (of_snippets.touch)(tx, id),
            None => Ok(()),
        },
    }
}

/// What a repository is called in sentences about its move.
pub fn word(repository: &Repository) -> &'static str {
    RepositoryKind::from_text(&repository.kind).map_or("repository", RepositoryKind::as_str)
}

/// Refuses what cannot be while a container moves.
pub fn moving(container: Container) -> Error {
    let kind = container.kind();
    Error::Conflict(format!(
        "The repositories of this {kind} are being moved to another storage. Try again when that \
         has ended, or have an administrator cancel it."
    ))
}
