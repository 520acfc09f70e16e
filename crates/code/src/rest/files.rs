//! Files at their paths.

use super::blobs::{MOST_AS_JSON, too_large};
use super::{SCOPES, refused};
use crate::access::{self, Code, CodeRequest};
use crate::history::Asked;
use crate::sending::{SMALL, send, send_large, tell};
use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{Method, StatusCode};
use kernel::error::{Found, Result};
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use repositories::lfs::Pointer;
use repositories::objects::{Blob, EntryKind, Objects, Path};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Commits that are gone through in process to find the last change of a file.
const STEPS: usize = 2000;

pub(super) fn routes(r: &mut Routes) {
    r.get("/files/{file_path}", show)
        .scopes(SCOPES)
        .job_tokens()
        .summary("Shows a file");
    r.get("/files/{file_path}/raw", raw)
        .scopes(SCOPES)
        .job_tokens()
        .summary("Answers with the bytes of a file");
}

kernel::params! {
    /// Which file.
    pub(super) struct OneFile {
        /// Its path.
        pub file_path: String,
    }
}

kernel::params! {
    pub(super) struct At {
        /// Branch, tag or commit; `HEAD` is the default branch.
        pub rev as "ref": String,
    }
}

kernel::params! {
    struct RawAt {
        /// Branch, tag or commit; the default branch unless said.
        pub rev as "ref": Option<String>,
        /// Of a pointer (git LFS) the large file itself.
        pub lfs: Option<bool>,
    }
}

impl OneFile {
    pub(super) fn path(&self) -> Result<Path> {
        let path = Path::read(&self.file_path).ok().filter(|path| !path.is_root());
        path.ok_or_else(|| refused("file_path should be a valid file path"))
    }
}

/// A file, and which commit changed it last.
#[derive(Debug)]
pub(super) struct File {
    pub(super) code: Code,
    pub(super) path: Path,
    /// As it was asked for.
    rev: String,
    blob: Blob,
    pub(super) commit: ObjectId,
    last: ObjectId,
    is_program: bool,
}

/// Last changes of files, by commit, where they were looked for.
struct LastChanges(Cache<(i64, ObjectId, Path), ObjectId>);

impl Default for LastChanges {
    fn default() -> LastChanges {
        LastChanges(Cache::new(20_000))
    }
}

/// The file, with its content if it has at most so many bytes.
pub(super) async fn find(
    at: &CodeRequest, path: Path, rev: Option<&str>, most: u64,
) -> Result<File> {
    let (code, revision) = at.at(rev, "Commit").await?;
    let changes = at.app.kept::<LastChanges>();
    let (repository, wanted) = (code.repository()?.id, path.clone());
    let work = move |objects: &Objects| {
        let commit = access::commit(objects, &revision, "Commit")?;
        let entry = objects.entry(commit.tree, &wanted)?.found("File")?;
        let blob = match entry.kind {
            EntryKind::Folder | EntryKind::Submodule => None,
            _ => objects.blob(entry.id, most)?,
        };
        let blob = blob.found("File")?;
        let (key, id) = ((repository, commit.id, wanted.clone()), commit.id);
        let last = match changes.0.get(&key) {
            Some(last) => Some(last),
            None => objects.last_change(commit, &wanted, STEPS)?.map(|commit| commit.id),
        };
        if let Some(last) = last {
            changes.0.insert(key, last);
        }
        Ok((blob, id, last, entry.kind == EntryKind::Program))
    };
    let (blob, commit, last, is_program) = at.objects(&code, work).await?;
    let last = match last {
        Some(last) => last,
        None => changed(at, repository, commit, &path).await?,
    };
    let rev = rev.unwrap_or("HEAD").to_owned();
    Ok(File { code, path, rev, blob, commit, last, is_program })
}

/// The last change, where it is long ago.
async fn changed(
    at: &CodeRequest, repository: i64, commit: ObjectId, path: &Path,
) -> Result<ObjectId> {
    let asked = Asked {
        from: vec![commit],
        path: Some(path.clone()),
        ..Asked::default()
    };
    let found = asked.page(&at.app, repository, 0, 1).await?;
    let last = found.first().copied().unwrap_or(commit);
    let changes = at.app.kept::<LastChanges>();
    changes.0.insert((repository, commit, path.clone()), last);
    Ok(last)
}

/// A file as JSON.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CodeFile")]
struct FileEntity {
    file_name: String,
    file_path: String,
    size: u64,
    encoding: &'static str,
    content_sha256: String,
    #[serde(rename = "ref")]
    rev: String,
    blob_id: String,
    commit_id: String,
    last_commit_id: String,
    execute_filemode: bool,
    content: String,
}

impl File {
    fn digest(&self) -> Option<String> {
        self.blob.content.as_ref().map(|content| hex::encode(Sha256::digest(content)))
    }

    /// The headers that tell of it.
    pub(super) fn describe(&self, response: &mut Response) {
        tell(response, "blob-id", &self.blob.id.to_string());
        tell(response, "commit-id", &self.commit.to_string());
        if let Some(digest) = self.digest() {
            tell(response, "content-sha256", &digest);
        }
        tell(response, "encoding", "base64");
        tell(response, "file-name", self.path.name());
        tell(response, "file-path", self.path.as_str());
        tell(response, "last-commit-id", &self.last.to_string());
        tell(response, "ref", &self.rev);
        tell(response, "size", &self.blob.size.to_string());
        tell(response, "execute-filemode", &self.is_program.to_string());
    }
}

async fn show(
    at: CodeRequest, request: Arc<RequestContext>, one: Params<OneFile>, rev: Params<At>,
) -> Result<Response> {
    let file = find(&at, one.path()?, Some(&rev.rev), MOST_AS_JSON).await?;
    let mut response = match request.method == Method::HEAD {
        true => reply::empty(StatusCode::OK),
        false => {
            let content = file.blob.content.as_ref().ok_or_else(too_large)?;
            let entity = FileEntity {
                file_name: file.path.name().to_owned(),
                file_path: file.path.to_string(),
                size: file.blob.size,
                encoding: "base64",
                content_sha256: file.digest().unwrap_or_default(),
                rev: file.rev.clone(),
                blob_id: file.blob.id.to_string(),
                commit_id: file.commit.to_string(),
                last_commit_id: file.last.to_string(),
                execute_filemode: file.is_program,
                content: STANDARD.encode(content),
            };
            reply::json(StatusCode::OK, &entity)?
        }
    };
    file.describe(&mut response);
    Ok(response)
}

async fn raw(
    at: CodeRequest, request: Arc<RequestContext>, one: Params<OneFile>, rev: Params<RawAt>,
) -> Result<Response> {
    // One slash before the path is taken as none.
    let path = one.file_path.strip_prefix('/').unwrap_or(&one.file_path).to_owned();
    let path = OneFile { file_path: path }.path()?;
    let mut file = find(&at, path, rev.rev.as_deref(), SMALL).await?;
    let mut told = http::Response::new(Body::empty());
    file.describe(&mut told);
    let empty = Blob { id: file.blob.id, size: 0, content: None };
    let blob = std::mem::replace(&mut file.blob, empty);
    let pointer = blob.content.as_deref().filter(|_| rev.lfs == Some(true));
    if let Some(pointer) = pointer.and_then(Pointer::read) {
        let named = file.path.name();
        return send_large(&at.app, file.code.project.id, &request, (&pointer, named)).await;
    }
    let mut response = send(&at.app, &file.code, &request, blob, file.path.name()).await?;
    response.headers_mut().extend(told.headers_mut().drain());
    Ok(response)
}
