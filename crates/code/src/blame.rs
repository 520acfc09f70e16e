//! Which commits the lines of a file are of.

use kernel::app::App;
use kernel::error::Result;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Commit, Path};
use repositories::output;
use std::collections::HashMap;

/// Bytes that git may tell of a file.
const MOST: usize = 64 * 1024 * 1024;

/// Lines that follow one another, of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub commit: ObjectId,
    pub lines: Vec<String>,
}

/// The commit and text of each line of a file, or of those from one to another,
/// counted from 1, which must be there.
pub async fn read(
    app: &App, repository: i64, (commit, path): (ObjectId, &Path), lines: Option<(usize, usize)>,
) -> Result<Vec<(ObjectId, String)>> {
    let told = output::ask(app, repository, MOST, |git| {
        let said = ["blame", "--porcelain", "--no-textconv"].map(str::to_owned);
        let range = lines.map(|(first, last)| format!("-L{first},{last}"));
        let end = [commit.to_string(), "--".to_owned(), path.to_string()];
        git.args(said).args(range).args(end)
    });
    Ok(told_lines(&told.await?))
}

/// The same lines, those of one commit that follow one another together.
pub fn parts(lines: Vec<(ObjectId, String)>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (commit, line) in lines {
        match parts.last_mut().filter(|part| part.commit == commit) {
            Some(part) => part.lines.push(line),
            None => parts.push(Part { commit, lines: vec![line] }),
        }
    }
    parts
}

/// The commits of parts, each read once.
pub async fn commits(
    app: &App, repository: &Repository, parts: &[Part],
) -> Result<HashMap<ObjectId, Commit>> {
    let mut ids: Vec<ObjectId> = parts.iter().map(|part| part.commit).collect();
    ids.sort_unstable();
    ids.dedup();
    let commits = objects::read(app, repository, move |objects| objects.commits(&ids)).await?;
    Ok(commits.into_iter().map(|commit| (commit.id, commit)).collect())
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
