//! Which commits the lines of a file are of.

use super::files::{self, At, OneFile};
use super::{SCOPES, refused};
use crate::access::CodeRequest;
use crate::entity::local;
use http::{Method, StatusCode};
use kernel::error::{Found, Result};
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use repositories::formats::object_id::ObjectId;
use repositories::objects::{Commit, Objects};
use repositories::output;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes that git may tell of a file.
const MOST: usize = 64 * 1024 * 1024;

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
    let told = output::ask(&at.app, file.code.repository()?.id, MOST, |git| {
        let said = ["blame", "--porcelain", "--no-textconv"].map(str::to_owned);
        let end = [file.commit.to_string(), "--".to_owned(), file.path.to_string()];
        git.args(said).args(end)
    });
    let mut told = told_lines(&told.await?);
    if let Some((start, end)) = lines {
        let end = usize::try_from(end).unwrap_or(usize::MAX).min(told.len());
        let start = usize::try_from(start - 1).unwrap_or(usize::MAX).min(end);
        told = told.drain(start..end).collect();
    }
    let mut ids: Vec<ObjectId> = told.iter().map(|(id, _)| *id).collect();
    ids.dedup();
    let work = move |objects: &Objects| objects.commits(&ids);
    let commits = at.objects(&file.code, work).await?;
    let commits: HashMap<ObjectId, Commit> =
        commits.into_iter().map(|commit| (commit.id, commit)).collect();
    let mut items: Vec<BlameItem> = Vec::new();
    for (id, line) in told {
        let id_text = id.to_string();
        match items.last_mut().filter(|item| item.commit.id == id_text) {
            Some(item) => item.lines.push(line),
            None => {
                let commit = blamed(commits.get(&id).found("Commit")?);
                items.push(BlameItem { commit, lines: vec![line] });
            }
        }
    }
    Ok(items)
}

/// The commit and text of each line: in what git tells, a line's head begins with the
/// commit, and its text with a tab.
fn told_lines(told: &[u8]) -> Vec<(ObjectId, String)> {
    let mut lines = Vec::new();
    let mut commit = None;
    for line in told.split(|byte| *byte == b'\n') {
        match line.strip_prefix(b"\t") {
            Some(text) => {
                let text = String::from_utf8_lossy(text).into_owned();
                lines.extend(commit.take().map(|id| (id, text)));
            }
            None if commit.is_none() => {
                let id = line.get(..40).and_then(|id| std::str::from_utf8(id).ok());
                commit = id.and_then(|id| id.parse().ok());
            }
            None => {}
        }
    }
    lines
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart_from_what_is_said_of_them() {
        let id = "1".repeat(40);
        let other = "2".repeat(40);
        let told = format!("{id} 1 1 2\nsummary {other} 1\nfilename x\n\tone\n{id} 2 2\n\t\ttwo\n");
        let lines = told_lines(told.as_bytes());
        let texts: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["one", "\ttwo"]);
        assert!(lines.iter().all(|(found, _)| found.to_string() == id));
    }
}
