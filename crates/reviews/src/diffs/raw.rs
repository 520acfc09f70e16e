//! What differs as git writes it, handed on as it comes.

use kernel::app::App;
use kernel::error::Result;
use kernel::http::Response;
use repositories::formats::object_id::ObjectId;
use repositories::output;

/// As what git writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawForm {
    /// Of files that are no text, that they differ.
    Plain,
    /// With all that is needed to apply it.
    Diff,
    /// Commit by commit, as mails.
    Patch,
}

/// What differs between two commits of a repository. It is not kept by anybody, and bounded
/// by how fast the client takes it alone.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn raw(
    app: &App, repository: i64, base: ObjectId, head: ObjectId, form: RawForm,
) -> Result<Response> {
    let started = output::start(app, repository, |git| {
        let git = git.args(["-c", "core.quotePath=false", "-c", "core.bigFileThreshold=16m"]);
        let git = match form {
            RawForm::Plain => git.args(["diff-tree", "-p", "-r", "--full-index"]),
            RawForm::Diff => git.args(["diff-tree", "-p", "-r", "--full-index", "--binary"]),
            RawForm::Patch => {
                git.args(["format-patch", "--stdout", "--no-signature", "--full-index", "--binary"])
            }
        };
        let git = git.args(["--no-textconv", "--no-ext-diff", "--find-renames=30%"]);
        match form {
            RawForm::Patch => git.args([format!("{base}..{head}")]),
            RawForm::Plain | RawForm::Diff => git.args([base.to_string(), head.to_string()]),
        }
    });
    Ok(started.await?.text())
}
