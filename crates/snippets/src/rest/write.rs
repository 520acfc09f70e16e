//! Snippets are made and changed.

use super::{MAX_BODY, PlaceRequest, SnippetRequest};
use crate::access;
use crate::entity::{self, SnippetEntity};
use crate::model::Snippet;
use crate::rules::{self, ActionName, FileAction, FileChanges, SnippetChange, SnippetInput};
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Result};
use kernel::http::{Created, Ok200, Params, Patch, RequestContext, Routes};
use planning::guarded::Writer;
use spaces::model::Visibility;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes, (base, one): (&str, &str), name: &str, thing: &str) {
    r.post(base, create)
        .takes(MAX_BODY)
        .named(&format!("{name}_create"))
        .summary(format!("Makes {thing}"));
    r.put(one, update)
        .takes(MAX_BODY)
        .named(&format!("{name}_update"))
        .summary(format!("Changes {thing} and its files"));
}

kernel::params! {
    /// A file of a new snippet.
    struct NewFile {
        /// Its path; one is found for it if it is empty.
        pub file_path: String,
        /// Its text.
        pub content: String,
    }
}

kernel::params! {
    struct CreateSnippet {
        /// What it is called.
        pub title: String,
        /// What it is about, in Markdown.
        pub description: Option<String>,
        /// Who sees it; everybody who is signed in unless said.
        pub visibility: Option<Visibility>,
        /// Its files; either these or `content`.
        pub files: Option<Vec<NewFile>>,
        /// What the only file is called.
        pub file_name: Option<String>,
        /// The text of the only file.
        pub content: Option<String>,
    }
}

kernel::params! {
    /// What is done to a file of a snippet.
    struct ChangedFile {
        pub action: ActionName,
        /// Its path, where it is afterwards.
        pub file_path: Option<String>,
        /// Where it was.
        pub previous_path: Option<String>,
        /// Its text.
        pub content: Option<String>,
    }
}

kernel::params! {
    struct UpdateSnippet {
        /// What it is called.
        pub title: Option<String>,
        /// What it is about, in Markdown.
        pub description: Patch<String>,
        /// Who sees it.
        pub visibility: Option<Visibility>,
        /// What is done to its files; either this or `content` and `file_name`.
        pub files: Option<Vec<ChangedFile>>,
        /// What the only file is called.
        pub file_name: Option<String>,
        /// The text of the only file.
        pub content: Option<String>,
    }
}

fn misused(text: &str) -> Error {
    Error::Parameters(vec![text.to_owned()])
}

impl CreateSnippet {
    fn input(self) -> Result<SnippetInput> {
        let files = match (self.files, self.content) {
            (Some(files), None) => files.into_iter().map(NewFile::action).collect(),
            (None, Some(content)) => {
                let path = self.file_name.ok_or_else(|| Error::missing("file_name"))?;
                vec![NewFile { file_path: path, content }.action()]
            }
            (Some(_), Some(_)) => return Err(misused("files, content are mutually exclusive")),
            (None, None) => {
                let text = "files, content are missing, exactly one parameter must be provided";
                return Err(misused(text));
            }
        };
        Ok(SnippetInput {
            title: self.title,
            description: self.description,
            visibility: self.visibility.unwrap_or(Visibility::Internal),
            files,
        })
    }
}

impl NewFile {
    fn action(self) -> FileAction {
        FileAction {
            action: ActionName::Create,
            path: self.file_path,
            content: Some(self.content),
            ..FileAction::default()
        }
    }
}

impl UpdateSnippet {
    fn change(self) -> Result<SnippetChange> {
        let is_of_one = self.content.is_some() || self.file_name.is_some();
        let files = match self.files {
            Some(_) if is_of_one => {
                return Err(misused("files, content, file_name are mutually exclusive"));
            }
            Some(files) => FileChanges::Each(files.into_iter().map(ChangedFile::action).collect()),
            None => FileChanges::Only { name: self.file_name, content: self.content },
        };
        let says_files = !matches!(&files, FileChanges::Only { name: None, content: None });
        let change = SnippetChange {
            title: self.title,
            description: self.description,
            visibility: self.visibility,
            files,
        };
        match says_files || change.has_row() {
            true => Ok(change),
            false => {
                Err(Error::none_of("content, description, files, file_name, title, visibility"))
            }
        }
    }
}

impl ChangedFile {
    fn action(self) -> FileAction {
        FileAction {
            action: self.action,
            path: self.file_path.unwrap_or_default(),
            previous_path: self.previous_path,
            content: self.content,
            seen: None,
        }
    }
}

async fn shown(by: Caller, snippet: Snippet) -> Result<SnippetEntity> {
    by.read(move |tx: &mut Tx<'_>, by| entity::one(&by.app, tx, &snippet)).await
}

async fn create(
    at: PlaceRequest, request: Arc<RequestContext>, sent: Params<CreateSnippet>,
) -> Result<Created<SnippetEntity>> {
    let PlaceRequest { caller, project } = at;
    let (viewer, place) = (caller.viewer.clone(), project.clone());
    let may = move |tx: &mut Tx<'_>| access::to_create(tx, &viewer, place.as_ref()).map(drop);
    caller.app.read(may).await?;
    let writer = Writer::by_api(caller.viewer.clone(), request);
    let made = rules::create(&caller.app, writer, project, sent.0.input()?).await?;
    shown(caller, made.rest()?).await.map(Created)
}

async fn update(
    at: SnippetRequest, request: Arc<RequestContext>, sent: Params<UpdateSnippet>,
) -> Result<Ok200<SnippetEntity>> {
    let SnippetRequest { caller, which } = at;
    let (viewer, one) = (caller.viewer.clone(), which.clone());
    caller.app.read(move |tx| one.to_change(tx, &viewer).map(drop)).await?;
    let writer = Writer::by_api(caller.viewer.clone(), request);
    let changed = rules::update(&caller.app, writer, which, sent.0.change()?).await?;
    shown(caller, changed.rest()?).await.map(Ok200)
}
