//! How snippets are made, changed and deleted. Their files are a commit of their
//! repository, written before the row is where both change.

mod input;

pub use input::{ActionName, FileAction, FileChanges, SnippetChange, SnippetInput};

use crate::access::{self, Maker, SnippetAccess, THING};
use crate::model::{BRANCH, Snippet, text_problem, title_problem};
use crate::store::{self, NewSnippet};
use ::store::Tx;
use identity::spam::logs;
use identity::spam::{Guarded, Verdict, guard};
use identity::viewer::Viewer;
use input::Texts;
use kernel::app::App;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use kernel::ids::Reference;
use planning::guarded::Writer;
use repositories::edits::{self, Action, EditRequest, NOTHING, Refused};
use serde_json::json;

/// A refusal in the form that clients read.
pub(crate) fn refused(status: u16, text: impl Into<String>) -> Error {
    let text: String = text.into();
    Error::Exact(status, json!({"message": {"error": text}}))
}

/// Which snippet, of which project if one is named.
#[derive(Debug, Clone)]
pub struct Which {
    pub project: Option<Reference>,
    pub id: i64,
}

impl Which {
    /// Any of this id.
    pub fn any(id: i64) -> Which {
        Which { project: None, id }
    }

    pub fn find(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<SnippetAccess> {
        access::find(tx, viewer, self.project.as_ref(), self.id)
    }

    pub fn to_change(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<SnippetAccess> {
        access::to_change(tx, viewer, self.project.as_ref(), self.id)
    }
}

/// Makes a snippet with its first files.
///
/// # Errors
///
/// `Invalid` by field; what is wrong with the files, as [`refused`].
pub async fn create(
    app: &App, writer: Writer, project: Option<Reference>, input: SnippetInput,
) -> Result<Guarded<Snippet>> {
    let (who, at) = (writer.viewer.clone(), project.clone());
    app.read(move |tx| access::to_create(tx, &who, at.as_ref()).map(drop)).await?;
    check(Some(&input.title), input.description.as_deref())?;
    let actions = input::first(&input.files)?;
    let texts = Texts::of(input.description.as_deref(), &input.files);
    let subject = writer.subject("create_snippet", &input.title, &texts.joined())?;
    let viewer = writer.viewer.clone();
    let made = guard(app, &subject, move |tx| insert(tx, &writer, project.as_ref(), &input));
    let id = match made.await? {
        Guarded::Made(id) => id,
        Guarded::Refused(refused) => return Ok(Guarded::Refused(refused)),
    };
    let written = commit(app, &viewer, id, "Initial commit", actions).await;
    match written {
        Ok(Ok(())) => {
            app.read(move |tx| store::by_id(tx, id)?.found(THING)).await.map(Guarded::Made)
        }
        Ok(Err(Refused { text, .. })) => {
            app.write(move |tx| store::remove(tx, &[id])).await?;
            Err(refused(400, format!("Error creating the snippet - {text}")))
        }
        Err(error) => {
            app.write(move |tx| store::remove(tx, &[id])).await?;
            Err(error)
        }
    }
}

fn insert(
    tx: &mut Tx<'_>, writer: &Writer, project: Option<&Reference>, input: &SnippetInput,
) -> Result<i64> {
    let author_id = writer.viewer.signed_in()?.user.id;
    let project_id = match access::to_create(tx, &writer.viewer, project)? {
        Maker::Project(project) => Some(project.id),
        Maker::Person(_) => None,
    };
    let (ip_address, user_agent) = writer.client.clone();
    store::insert(
        tx,
        &NewSnippet {
            project_id,
            author_id,
            title: input.title.clone(),
            description: input.description.clone(),
            visibility: input.visibility.level(),
            user_agent: user_agent.chars().take(255).collect(),
            ip_address,
        },
    )
}

/// Changes a snippet and its files.
///
/// # Errors
///
/// As [`create`].
pub async fn update(
    app: &App, writer: Writer, which: Which, change: SnippetChange,
) -> Result<Guarded<Snippet>> {
    let (who, at) = (writer.viewer.clone(), which.clone());
    let before = app.read(move |tx| at.to_change(tx, &who)).await?.snippet;
    let description = match &change.description {
        Patch::Value(text) => Some(text.as_str()),
        Patch::Absent | Patch::Null => None,
    };
    check(change.title.as_deref(), description)?;
    let actions = input::actions(&change.files, &before)?;
    if change.has_texts() {
        let title = change.title.as_ref().unwrap_or(&before.title);
        let description = change.description.clone().over(before.description.clone());
        let texts = Texts::of(description.as_deref(), &change.files);
        let subject = writer.subject("update_snippet", title, &texts.joined())?;
        let (who, at) = (writer.viewer.clone(), which.clone());
        // Spam is refused before the files are written, which no transaction holds.
        let judged = guard(app, &subject, move |tx| at.to_change(tx, &who).map(drop));
        if let Guarded::Refused(refused) = judged.await? {
            return Ok(Guarded::Refused(refused));
        }
    }
    let viewer = writer.viewer;
    if !actions.is_empty() {
        let message = "Update snippet";
        match commit(app, &viewer, before.id, message, actions).await? {
            Ok(()) => {}
            Err(Refused { text, .. }) if text == NOTHING => {}
            Err(Refused { text, .. }) => {
                return Err(refused(400, format!("Error updating the snippet - {text}")));
            }
        }
    }
    let changed = app.write(move |tx| {
        let found = which.to_change(tx, &viewer)?;
        if change.has_row() {
            store::update(tx, &change.over(found.snippet.clone()))?;
        }
        store::by_id(tx, found.snippet.id)?.found(THING)
    });
    changed.await.map(Guarded::Made)
}

/// Deletes a snippet with all that was said about it.
pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, which: &Which) -> Result<Snippet> {
    let found = which.to_change(tx, viewer)?;
    let snippet = found.snippet;
    repositories::moves::check_snippet(tx, snippet.id)?;
    store::remove(tx, &[snippet.id])?;
    let details = json!({"project_id": snippet.project_id});
    audit::record(tx, viewer, "snippet.destroy", ("Snippet", snippet.id, &snippet.title), details)?;
    Ok(snippet)
}

/// Writes a snippet down as spam, for administrators.
pub fn mark_as_spam(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<Snippet> {
    let found = access::find(tx, viewer, None, id)?;
    if !viewer.is_admin() {
        return Err(Error::forbidden(""));
    }
    let snippet = found.snippet;
    if let Some(author) = snippet.author_id {
        let users = identity::entities::load_basic(tx, &[author])?;
        if let Some(user) = users.get(&author) {
            let subject = input::subject_of(user, &snippet);
            logs::write(tx, &subject, Verdict::Deny, "marked by an administrator", false)?;
        }
    }
    store::mark_as_spam(tx, snippet.id)?;
    store::by_id(tx, snippet.id)?.found(THING)
}

/// Refuses texts that cannot be kept.
fn check(title: Option<&str>, description: Option<&str>) -> Result<()> {
    let problems = [
        ("title", title.and_then(title_problem)),
        ("description", description.and_then(text_problem)),
    ];
    let found: Vec<(String, Vec<String>)> = problems
        .into_iter()
        .filter_map(|(field, problem)| Some((field.to_owned(), vec![problem?])))
        .collect();
    match found.is_empty() {
        true => Ok(()),
        false => Err(Error::Invalid(found)),
    }
}

/// Writes files. That the viewer may was asked before.
async fn commit(
    app: &App, viewer: &Viewer, id: i64, message: &str, actions: Vec<Action>,
) -> Result<std::result::Result<(), Refused>> {
    let place = app.read(move |tx| {
        let snippet = store::by_id(tx, id)?.found(THING)?;
        access::place(tx, &snippet)
    });
    let place = place.await?;
    let request = EditRequest::new(BRANCH, message, actions);
    Ok(edits::commit_to(app, viewer, &place, request).await?.map(drop))
}
