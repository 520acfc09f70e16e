//! What REST shows of what was found in code.

use super::commits::FoundCommit;
use super::files::FoundLines;
use crate::entity::{CommitDetail, CommitEntity};
use crate::hooks;
use identity::Caller;
use kernel::error::Result;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::model::Project;

/// Lines of a file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BlobEntity {
    /// The path without its extension.
    pub basename: String,
    /// The lines, each with its end.
    pub data: String,
    pub path: String,
    pub filename: String,
    /// There is none.
    pub id: Option<i64>,
    /// The branch, tag or commit that was searched.
    #[serde(rename = "ref")]
    pub on_ref: String,
    /// The number of the first line.
    pub startline: usize,
    pub project_id: i64,
}

impl BlobEntity {
    pub fn of(found: &FoundLines<'_>) -> BlobEntity {
        let data = found.lines.iter().map(|line| format!("{line}\n")).collect();
        BlobEntity {
            basename: basename(&found.path).to_owned(),
            data,
            path: found.path.clone(),
            filename: found.path.clone(),
            id: None,
            on_ref: found.searched.ref_name.clone(),
            startline: found.first,
            project_id: found.searched.project.id,
        }
    }
}

/// A path without the extension of its name.
fn basename(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[name..].rfind('.') {
        // A name that begins with a dot has none there.
        None | Some(0) => path,
        Some(dot) => &path[..name + dot],
    }
}

/// Commits as they are shown by themselves, but for lines that came and went.
pub async fn details(by: &Caller, found: &[FoundCommit<'_>]) -> Result<Vec<CommitDetail>> {
    let commits: Vec<(Project, String)> = found
        .iter()
        .map(|one| (one.searched.project.clone(), one.commit.id.to_string()))
        .collect();
    let viewer = by.viewer.clone();
    let read = by.app.read(move |tx| {
        let commits: Vec<_> = commits.iter().map(|(one, sha)| (one, sha.clone())).collect();
        hooks::last_pipelines(tx, &viewer, &commits)
    });
    let mut pipelines = read.await?;
    let detail = |one: &FoundCommit<'_>| {
        let project = one.searched.project.id;
        let web_url = one.searched.project.web_url(by.app.base_url());
        let commit = CommitEntity::of(&one.commit, &web_url).with_trailers();
        let last = pipelines.remove(&(project, commit.id.clone()));
        CommitDetail::of(commit, project, last)
    };
    Ok(found.iter().map(detail).collect())
}

#[cfg(test)]
mod tests {
    use super::basename;

    #[test]
    fn extensions_are_taken_off() {
        for (path, without) in [
            ("a.b/c.tar.gz", "a.b/c.tar"),
            ("a.b/c", "a.b/c"),
            (".env", ".env"),
            ("x/.env", "x/.env"),
            ("README.md", "README"),
        ] {
            assert_eq!(basename(path), without);
        }
    }
}
