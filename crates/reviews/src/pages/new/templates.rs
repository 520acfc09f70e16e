//! Templates of descriptions, which a project keeps in its default branch.

use code::boilerplate::{TemplateType, names_in, text_in};
use kernel::app::App;
use kernel::error::Result;
use repositories::model::Repository;
use repositories::objects::{self, Objects, Revision};

/// The template that is used where none is chosen.
const USUAL: &str = "default";

/// The templates of a project.
#[derive(Debug, Default, Clone)]
pub struct Templates {
    pub names: Vec<String>,
    /// The text of the one that is wanted.
    pub chosen: Option<String>,
    /// The text of the usual one.
    pub usual: Option<String>,
}

/// Reads those of a revision.
///
/// # Errors
///
/// `Unavailable` if too many read at once.
pub async fn read(
    app: &App, repository: &Repository, at: Revision, wanted: Option<String>,
) -> Result<Templates> {
    let work = move |objects: &Objects| {
        let Some(commit) = objects.commit_at(&at)? else {
            return Ok(Templates::default());
        };
        let kind = TemplateType::MergeRequests;
        let names = names_in(objects, &commit, kind)?;
        let text = |name: Option<&String>| match name {
            Some(name) => text_in(objects, &commit, kind, name),
            None => Ok(None),
        };
        let usual = names.iter().find(|name| name.eq_ignore_ascii_case(USUAL));
        let chosen = names.iter().find(|name| wanted.as_ref() == Some(*name));
        Ok(Templates { chosen: text(chosen)?, usual: text(usual)?, names })
    };
    objects::read(app, repository, work).await
}
