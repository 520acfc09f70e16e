//! Which commits the lines of a file are of.

use super::files::{self, At, OneFile};
use super::{SCOPES, refused};
use crate::access::CodeRequest;
use crate::blame;
use crate::entity::local;
use http::{Method, StatusCode};
use kernel::error::{Found, Result};
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use repositories::objects::Commit;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    r.get("/files/{file_path}/blame", show)
        .scopes(SCOPES)
        .summary("Tells which commits the lines of a file are of");
}

kernel::params! {
    /// From which line to which.
    struct Lines {
        /// The first, from 1.
        pub start: i64,
        /// The last.
        pub end: i64,
    }
}

kernel::params! {
    struct Range {
        /// Some lines alone.
        range: Option<Lines>,
    }
}

/// A commit, as lines are told to be of it.
#[derive(Debug, Serialize, JsonSchema)]
struct BlamedCommit {
    id: String,
    parent_ids: Vec<String>,
    message: String,
    authored_date: String,
    author_name: String,
    author_email: String,
    committed_date: String,
    committer_name: String,
    committer_email: String,
}

/// Lines that follow one another, of one commit.
#[derive(Debug, Serialize, JsonSchema)]
struct BlameItem {
    commit: BlamedCommit,
    lines: Vec<String>,
}

async fn show(
    at: CodeRequest, request: Arc<RequestContext>, one: Params<OneFile>, rev: Params<At>,
    range: Params<Range>,
) -> Result<Response> {
    let lines = checked(range.range.as_ref())?;
    let file = files::find(&at, one.path()?, Some(&rev.rev), 0).await?;
    let mut response = match request.method == Method::HEAD {
        true => reply::empty(StatusCode::OK),
        false => reply::json(StatusCode::OK, &items(&at, &file, lines).await?)?,
    };
    file.describe(&mut response);
    Ok(response)
}

fn checked(range: Option<&Lines>) -> Result<Option<(i64, i64)>> {
    let Some(Lines { start, end }) = range else {
        return Ok(None);
    };
    for (name, number) in [("start", start), ("end", end)] {
        if *number < 1 {
            return Err(refused(format!("range[{name}] does not have a valid value")));
        }
    }
    match start <= end {
        true => Ok(Some((*start, *end))),
        false => Err(refused("range[start] must be less than or equal to range[end]")),
    }
}

async fn items(
    at: &CodeRequest, file: &files::File, lines: Option<(i64, i64)>,
) -> Result<Vec<BlameItem>> {
    let repository = file.code.repository()?;
    let mut told = blame::read(&at.app, repository.id, (file.commit, &file.path), None).await?;
    if let Some((start, end)) = lines {
        let end = usize::try_from(end).unwrap_or(usize::MAX).min(told.len());
        let start = usize::try_from(start - 1).unwrap_or(usize::MAX).min(end);
        told = told.drain(start..end).collect();
    }
    let parts = blame::parts(told);
    let commits = blame::commits(&at.app, repository, &parts).await?;
    let item = |part: blame::Part| {
        let commit = blamed(commits.get(&part.commit).found("Commit")?);
        Ok(BlameItem { commit, lines: part.lines })
    };
    parts.into_iter().map(item).collect()
}

fn blamed(commit: &Commit) -> BlamedCommit {
    BlamedCommit {
        id: commit.id.to_string(),
        parent_ids: commit.parents.iter().map(ToString::to_string).collect(),
        message: commit.message.clone(),
        authored_date: local(&commit.author),
        author_name: commit.author.name.clone(),
        author_email: commit.author.email.clone(),
        committed_date: local(&commit.committer),
        committer_name: commit.committer.name.clone(),
        committer_email: commit.committer.email.clone(),
    }
}
