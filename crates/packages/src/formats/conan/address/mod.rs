//! What a path below `conans/` or `files/` is about (docs/interface/packages.md 2.7).

mod kind;
mod recipe;

pub use kind::{INFO, Kind, MANIFEST, alternatives, kind, stored};
pub use recipe::{Recipe, RevisionPath, WITHOUT_REVISIONS};

use crate::rules::names::require;
use kernel::error::{Error, Result};
use recipe::{is_reference, is_revision};

/// What a path is about, behind the recipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// The recipe as a whole, or a binary package of it.
    Whole(Option<String>),
    /// The address of the manifest, of the recipe or of a binary package.
    Digest(Option<String>),
    /// The addresses of all files there.
    DownloadUrls(Option<String>),
    /// Addresses to upload files to.
    UploadUrls(Option<String>),
    /// Binary packages to be deleted.
    DeletePackages,
    /// Files of the recipe to be deleted.
    RemoveFiles,
    /// The newest revision of the recipe.
    Latest,
    Revisions,
    /// Its binary packages, of a revision or the newest.
    Search(Option<String>),
    /// The binary packages of a revision.
    Packages(String),
    /// The newest revision of a binary package.
    BinaryLatest(String, String),
    /// The revisions of a binary package.
    BinaryRevisions(String, String),
    Revision(RevisionPath),
    /// The names of the files of a revision.
    Files(RevisionPath),
    /// A file of a revision.
    File(RevisionPath, String),
}

/// Reads a path below `v1/conans/`.
pub fn without_revisions(path: &str) -> Result<(Recipe, About)> {
    let parts = split(path);
    let (recipe, rest) = recipe_of(&parts)?;
    let (reference, what) = match rest {
        ["packages", "delete"] => return Ok((recipe, About::DeletePackages)),
        ["packages", reference, what @ ..] => (Some(*reference), what),
        ["remove_files"] => return Ok((recipe, About::RemoveFiles)),
        ["search"] => return Ok((recipe, About::Search(None))),
        what => (None, what),
    };
    require("package_reference", reference.is_none_or(is_reference))?;
    let reference = reference.map(str::to_owned);
    let about = match what {
        [] => About::Whole(reference),
        ["digest"] => About::Digest(reference),
        ["download_urls"] => About::DownloadUrls(reference),
        ["upload_urls"] => About::UploadUrls(reference),
        _ => return Err(nothing()),
    };
    Ok((recipe, about))
}

/// Reads a path below `v2/conans/`.
pub fn with_revisions(path: &str) -> Result<(Recipe, About)> {
    let parts = split(path);
    let (recipe, rest) = recipe_of(&parts)?;
    let checked = |revision: &str| {
        require("recipe_revision", is_revision(revision)).map(|()| revision.to_owned())
    };
    let binary = |revision: &str, reference: &str| -> Result<(String, String)> {
        require("package_reference", is_reference(reference))?;
        Ok((checked(revision)?, reference.to_owned()))
    };
    let about = match rest {
        ["latest"] => About::Latest,
        ["revisions"] => About::Revisions,
        ["search"] => About::Search(None),
        ["revisions", revision, "search"] => About::Search(Some(checked(revision)?)),
        ["revisions", revision, "packages"] => About::Packages(checked(revision)?),
        ["revisions", revision, "packages", reference, "latest"] => {
            let (revision, reference) = binary(revision, reference)?;
            About::BinaryLatest(revision, reference)
        }
        ["revisions", revision, "packages", reference, "revisions"] => {
            let (revision, reference) = binary(revision, reference)?;
            About::BinaryRevisions(revision, reference)
        }
        ["revisions", first, "packages", reference, "revisions", second, what @ ..] => {
            within(RevisionPath::new(first, Some((reference, second)))?, what)?
        }
        ["revisions", revision, what @ ..] => within(RevisionPath::new(revision, None)?, what)?,
        _ => return Err(nothing()),
    };
    Ok((recipe, about))
}

/// Reads a path below `v1/files/`.
pub fn file(path: &str) -> Result<(Recipe, RevisionPath, String)> {
    let parts = split(path);
    let (recipe, rest) = recipe_of(&parts)?;
    let (place, file) = match rest {
        [revision, "export", file @ ..] => (RevisionPath::new(revision, None)?, file),
        [first, "package", reference, second, file @ ..] => {
            (RevisionPath::new(first, Some((reference, second)))?, file)
        }
        _ => return Err(nothing()),
    };
    match within(place, &[&["files"], file].concat())? {
        About::File(place, file) => Ok((recipe, place, file)),
        _ => Err(nothing()),
    }
}

fn within(place: RevisionPath, what: &[&str]) -> Result<About> {
    match what {
        [] => Ok(About::Revision(place)),
        ["files"] => Ok(About::Files(place)),
        ["files", path @ ..] => {
            let path = path.join("/");
            require("file_name", kind(&place, &path).is_some())?;
            Ok(About::File(place, path))
        }
        _ => Err(nothing()),
    }
}

fn split(path: &str) -> Vec<&str> {
    path.strip_suffix('/').unwrap_or(path).split('/').collect()
}

fn recipe_of<'p, 's>(parts: &'p [&'s str]) -> Result<(Recipe, &'p [&'s str])> {
    let (recipe, rest) = parts.split_at_checked(4).ok_or_else(nothing)?;
    Ok((Recipe::parse(recipe)?, rest))
}

fn nothing() -> Error {
    Error::NotFound("Package")
}

#[cfg(test)]
mod tests;
