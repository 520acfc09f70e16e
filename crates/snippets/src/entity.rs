//! Snippets as JSON.

use crate::model::{BRANCH, Snippet};
use ::store::Tx;
use code::entity::in_address;
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::model::Visibility;
use std::collections::HashMap;

/// Some files of a person or a project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SnippetEntity {
    pub id: i64,
    pub title: String,
    pub description: Option<String>,
    pub visibility: Visibility,
    pub author: Option<UserBasic>,
    pub created_at: String,
    pub updated_at: String,
    /// Nothing of a personal one.
    pub project_id: Option<i64>,
    pub web_url: String,
    /// The bytes of the first file.
    pub raw_url: String,
    pub ssh_url_to_repo: String,
    pub http_url_to_repo: String,
    /// The first file.
    pub file_name: String,
    pub files: Vec<SnippetFile>,
    pub imported: bool,
    /// `none`.
    pub imported_from: &'static str,
}

/// A file of a snippet.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SnippetFile {
    pub path: String,
    pub raw_url: String,
}

/// Who wrote some of them.
pub fn authors(tx: &mut Tx<'_>, snippets: &[Snippet]) -> Result<HashMap<i64, User>> {
    let ids: Vec<i64> = snippets.iter().filter_map(|one| one.author_id).collect();
    Ok(load_basic(tx, &ids)?)
}

/// The path of the bytes of a file, from the instance's address on.
pub fn raw_path(snippet: &Snippet, file: &str) -> String {
    format!("{}/raw/{BRANCH}/{}", snippet.path(), in_address(file))
}

pub fn snippet(app: &App, snippet: &Snippet, authors: &HashMap<i64, User>) -> SnippetEntity {
    let file = |path: &String| SnippetFile {
        path: path.clone(),
        raw_url: app.url(&raw_path(snippet, path)),
    };
    let author = snippet.author_id.and_then(|id| authors.get(&id));
    let web_url = app.url(&snippet.path());
    let repository = format!("{}.git", snippet.repository_path());
    SnippetEntity {
        id: snippet.id,
        title: snippet.title.clone(),
        description: snippet.description.clone(),
        visibility: snippet.visibility(),
        author: author.map(|user| basic(app, user)),
        created_at: wire::text(snippet.created_at),
        updated_at: wire::text(snippet.updated_at),
        project_id: snippet.project_id,
        raw_url: format!("{web_url}/raw"),
        web_url,
        ssh_url_to_repo: app.ssh_url(&repository),
        http_url_to_repo: app.url(&format!("/{repository}")),
        file_name: snippet.file_name().to_owned(),
        files: snippet.files().iter().map(file).collect(),
        imported: false,
        imported_from: "none",
    }
}

/// One with who wrote it.
pub fn one(app: &App, tx: &mut Tx<'_>, row: &Snippet) -> Result<SnippetEntity> {
    let authors = authors(tx, std::slice::from_ref(row))?;
    Ok(snippet(app, row, &authors))
}

/// What a snippet was made with, for administrators.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UserAgentEntity {
    pub user_agent: String,
    pub ip_address: String,
    /// Whether it was handed on as spam.
    pub akismet_submitted: bool,
}
