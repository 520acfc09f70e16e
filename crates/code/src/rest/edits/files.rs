//! One file at a time.

use super::actions::{Content, ContentEncoding};
use super::{MAX_BODY, check_rate, code};
use crate::access::CodeRequest;
use kernel::error::{Error, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Params, Routes};
use repositories::edits::{self, Action, ActionKind, Author, EditRequest, Refused, Start};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

const STALE: &str =
    "You are attempting to update a file that has changed since you started editing it.";

pub fn routes(r: &mut Routes) {
    let path = "/files/{file_path}";
    r.post(path, create).takes(MAX_BODY).summary("Makes a file by a commit");
    r.put(path, update).takes(MAX_BODY).summary("Changes a file by a commit");
    r.delete(path, destroy).summary("Deletes a file by a commit");
}

kernel::params! {
    /// Which file, and the commit that changes it.
    pub struct FileCommit {
        /// Path of the file.
        pub file_path: String,
        /// The branch it is on.
        pub branch: String,
        /// What the commit says.
        pub commit_message: String,
        /// The branch that a new one begins with.
        pub start_branch: Option<String>,
        /// Whom the commit names as its author.
        pub author_name: Option<String>,
        /// Their address.
        pub author_email: Option<String>,
        /// The last commit of the file that is known.
        pub last_commit_id: Option<String>,
    }
}

kernel::params! {
    /// A file and what it shall hold.
    pub struct WriteFile {
        pub commit: Flat<FileCommit>,
        /// What it holds.
        pub content: Content,
        /// How the content is written; text unless said.
        pub encoding: Option<ContentEncoding>,
        /// Whether it may be started as a program.
        pub execute_filemode: Option<bool>,
    }
}

/// A file that was written.
#[derive(Debug, Serialize, JsonSchema)]
struct WrittenFile {
    file_path: String,
    branch: String,
}

async fn create(at: CodeRequest, params: Params<WriteFile>) -> Result<Created<WrittenFile>> {
    write(at, params.0, ActionKind::Create).await.map(Created)
}

async fn update(at: CodeRequest, params: Params<WriteFile>) -> Result<Ok200<WrittenFile>> {
    write(at, params.0, ActionKind::Update).await.map(Ok200)
}

async fn destroy(at: CodeRequest, params: Params<FileCommit>) -> Result<NoContent> {
    let action = Action::new(ActionKind::Delete, params.file_path.clone());
    commit(&at, params.0, action).await?;
    Ok(NoContent)
}

async fn write(at: CodeRequest, params: WriteFile, kind: ActionKind) -> Result<WrittenFile> {
    check_rate(&at, params.content.len())?;
    let written = WrittenFile {
        file_path: params.commit.file_path.clone(),
        branch: params.commit.branch.clone(),
    };
    let action = Action {
        content: Some(params.content.decoded(params.encoding)?),
        is_program: params.execute_filemode,
        ..Action::new(kind, written.file_path.clone())
    };
    commit(&at, params.commit.0, action).await?;
    Ok(written)
}

async fn commit(at: &CodeRequest, params: FileCommit, action: Action) -> Result<()> {
    if !is_path(&params.file_path) {
        let text = "file_path should be a valid file path";
        return Err(Error::Parameters(vec![text.into()]));
    }
    let code = code(at).await?;
    let seen = params.last_commit_id.filter(|id| !id.is_empty());
    let action = Action {
        last_commit_id: seen.filter(|_| action.kind != ActionKind::Create),
        ..action
    };
    let request = EditRequest {
        start: params.start_branch.filter(|name| !name.is_empty()).map(Start::Branch),
        author: Author { name: params.author_name, email: params.author_email },
        ..EditRequest::new(&params.branch, &params.commit_message, vec![action])
    };
    let made = edits::commit(&at.app, &at.viewer, &code.project, request).await?;
    made.map(drop).map_err(refusal)
}

fn refusal(refused: Refused) -> Error {
    match refused.text.starts_with("The file has changed since") {
        true => Error::Exact(400, json!({"message": STALE})),
        false => refused.into(),
    }
}

/// Relative, and without a way up.
fn is_path(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('/')
        && !text.contains('\0')
        && text.split('/').all(|part| part != "..")
}
