//! How pages change: each change is a commit of the wiki's repository. That the viewer
//! may write there was asked before.

mod attachments;

pub use attachments::{Attachment, attach, receive};

use crate::access::Wiki;
use crate::model::{Format, MAX_CONTENT, Matter, PageFile, checked_slug};
use crate::tree::{self, Page};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use repositories::edits::{self, Action, ActionKind, EditRequest, Refused};
use repositories::formats::object_id::ObjectId;
use repositories::objects::Commit;

const DUPLICATE: &str = "Duplicate page: A page with that title already exists";
/// How the refusal of a change begins that somebody else was faster than.
pub const CHANGED: &str = edits::CHANGED;

/// What a page shall be. What is absent stays as it is.
#[derive(Debug, Clone, Default)]
pub struct PageInput {
    pub title: Option<String>,
    pub content: Option<String>,
    /// The content has what stands above the text in it.
    pub is_whole: bool,
    pub format: Option<Format>,
    /// The title above the text.
    pub own_title: Option<String>,
    /// What the commit says.
    pub message: Option<String>,
    /// The file that its writer has seen.
    pub seen: Option<ObjectId>,
}

/// Makes a page.
///
/// # Errors
///
/// `Invalid` by field; `base` where there is such a page.
pub async fn create(app: &App, viewer: &Viewer, wiki: &Wiki, input: PageInput) -> Result<Page> {
    let title = input.title.clone().unwrap_or_default();
    let slug = checked_slug(&title, "").map_err(|text| Error::invalid("title", text))?;
    let content = input.content.as_deref().unwrap_or_default();
    let text = Matter::default().above(input.own_title.as_deref(), content);
    let text = checked_content(text)?;
    if is_there(app, wiki, &slug).await? {
        return Err(Error::invalid("base", DUPLICATE));
    }
    let path = path(&slug, input.format.unwrap_or_default());
    let action = Action {
        content: Some(text.into()),
        ..Action::new(ActionKind::Create, path)
    };
    let message = message(viewer, &input, "created", &slug)?;
    commit(app, viewer, wiki, &message, action).await?;
    reread(app, wiki, &slug).await
}

/// Changes a page; one with another title or format becomes another file.
///
/// # Errors
///
/// `Invalid` by field; `Unprocessable` with [`CHANGED`] if it is no more what its writer has
/// seen.
pub async fn update(
    app: &App, viewer: &Viewer, wiki: &Wiki, page: &Page, input: PageInput,
) -> Result<Page> {
    let old = &page.file;
    let slug = match &input.title {
        // Its file may be called so that no title gives its name.
        Some(title) if *title == old.shown_path() => old.slug.clone(),
        Some(title) => checked_slug(title, old.path.folder().as_str())
            .map_err(|text| Error::invalid("title", text))?,
        None => old.slug.clone(),
    };
    let text = checked_content(match (page.matter(), &input.content) {
        (_, Some(whole)) if input.is_whole => whole.clone(),
        (matter, content) => {
            let content = content.as_deref().unwrap_or(matter.content);
            matter.above(input.own_title.as_deref(), content)
        }
    })?;
    let path = match input.format.filter(|format| *format != old.format) {
        None if slug == old.slug => old.path.to_string(),
        format => self::path(&slug, format.unwrap_or(old.format)),
    };
    if slug.to_lowercase() != old.slug.to_lowercase() && is_there(app, wiki, &slug).await? {
        return Err(Error::invalid("base", DUPLICATE));
    }
    if path == old.path.as_str() && text == page.text {
        return Ok(page.clone());
    }
    let kind = match path == old.path.as_str() {
        true => ActionKind::Update,
        false => ActionKind::Move,
    };
    let action = Action {
        previous_path: Some(old.path.to_string()),
        content: Some(text.into()),
        seen: input.seen,
        ..Action::new(kind, path)
    };
    let message = message(viewer, &input, "updated", &slug)?;
    commit(app, viewer, wiki, &message, action).await?;
    reread(app, wiki, &slug).await
}

/// Deletes a page.
pub async fn destroy(app: &App, viewer: &Viewer, wiki: &Wiki, file: &PageFile) -> Result<()> {
    let action = Action::new(ActionKind::Delete, file.path.to_string());
    let message = message(viewer, &PageInput::default(), "deleted", &file.slug)?;
    commit(app, viewer, wiki, &message, action).await.map(drop)
}

fn path(slug: &str, format: Format) -> String {
    format!("{slug}.{}", format.ending())
}

fn checked_content(text: String) -> Result<String> {
    match text.len() > MAX_CONTENT {
        true => Err(Error::invalid("content", "is too long (5 MiB at most)")),
        false => Ok(text),
    }
}

async fn is_there(app: &App, wiki: &Wiki, slug: &str) -> Result<bool> {
    let Some(commit) = tree::commit(app, wiki, None).await? else {
        return Ok(false);
    };
    let slug = slug.to_owned();
    tree::read(app, wiki, move |objects| Ok(tree::find(objects, commit.tree, &slug)?.is_some()))
        .await
}

fn message(viewer: &Viewer, input: &PageInput, done: &str, slug: &str) -> Result<String> {
    if let Some(given) = input.message.as_deref().filter(|text| !text.trim().is_empty()) {
        return Ok(given.to_owned());
    }
    let username = &viewer.signed_in()?.user.username;
    Ok(format!("{username} {done} page: {}", crate::model::title_of(slug)))
}

async fn commit(
    app: &App, viewer: &Viewer, wiki: &Wiki, message: &str, action: Action,
) -> Result<Commit> {
    let request = EditRequest::new(&wiki.branch(), message, vec![action]);
    let made = edits::commit_to(app, viewer, &wiki.place(), request).await?;
    made.map_err(refusal)
}

fn refusal(refused: Refused) -> Error {
    match refused.text {
        text if text.ends_with("already exists") => Error::invalid("base", DUPLICATE),
        text if text.starts_with("invalid path") || text.starts_with("Path cannot") => {
            Error::invalid("title", "has a part that no file may be called by")
        }
        text => Error::Unprocessable(text),
    }
}

/// A page as it is after a change.
async fn reread(app: &App, wiki: &Wiki, slug: &str) -> Result<Page> {
    let (space, slug) = (wiki.space.clone(), slug.to_owned());
    let wiki = app.read(move |tx| Wiki::of(tx, space)).await?;
    let gone = || Error::NotFound("Wiki Page");
    let commit = tree::commit(app, &wiki, None).await?.ok_or_else(gone)?;
    let found = tree::read(app, &wiki, move |objects| tree::page(objects, commit.tree, &slug));
    found.await?.ok_or_else(gone)
}
