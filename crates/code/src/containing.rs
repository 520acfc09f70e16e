//! Which branches and tags have a commit.

use kernel::app::App;
use kernel::error::Result;
use repositories::formats::object_id::ObjectId;
use repositories::output;

/// Bytes of the names of refs that lead to a commit.
const MOST: usize = 4 * 1024 * 1024;

/// A branch or tag that leads to a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainingRef {
    pub is_tag: bool,
    pub name: String,
}

/// The refs below some of `refs/heads/` and `refs/tags/` that lead to a commit, by name;
/// at most so many.
pub async fn containing(
    app: &App, repository: i64, commit: ObjectId, below: &[&'static str], most: Option<usize>,
) -> Result<Vec<ContainingRef>> {
    let told = output::ask(app, repository, MOST, |git| {
        let asked = ["for-each-ref", "--format=%(refname)"].map(str::to_owned);
        let most = most.map(|most| format!("--count={most}"));
        git.args(asked)
            .args(most)
            .args([format!("--contains={commit}")])
            .args(below.to_vec())
    });
    let told = told.await?;
    let named = |line: &str| {
        let branch = line.strip_prefix("refs/heads/").map(|name| (false, name));
        let (is_tag, name) = branch.or(line.strip_prefix("refs/tags/").map(|name| (true, name)))?;
        Some(ContainingRef { is_tag, name: name.to_owned() })
    };
    Ok(String::from_utf8_lossy(&told).lines().filter_map(named).collect())
}
