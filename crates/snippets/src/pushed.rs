//! What pushes and edits do to snippets: too many files, other branches and too many bytes
//! are refused before the refs move, and the row knows which files there are from then on.

use crate::activity::record;
use crate::model::{MOST_BYTES, MOST_FILES};
use crate::store;
use ::store::Tx;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use repositories::formats::object_id::ObjectId;
use repositories::hooks::{Arrived, Arriving, Judged};
use repositories::model::Repository;
use repositories::receive::Quarantine;
use repositories::rules::moves::RefMove;
use repositories::rules::push::PushRefused;
use repositories::size_limit::{self, TooLarge};
use spaces::activity::Action;
use std::time::Duration;

const NO_BRANCHES: &str = "You can not create or delete branches.";
const NO_FILES: &str = "The repository must contain at least 1 file.";
/// Most bytes of what git tells of the files, and how long it may take: ten long paths
/// have far less.
const TOLD: usize = 256 * 1024;
const PATIENCE: Duration = Duration::from_secs(60);

/// A file as git tells of it.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    path: String,
    size: u64,
}

/// Looks at what is pushed; notes the files that there will be.
pub fn judge(arriving: Arriving<'_>) -> BoxFuture<'_, Judged> {
    async move {
        let Arriving { app, repository, quarantine, moves, .. } = arriving;
        if !moves.iter().all(|one| is_allowed(repository, one)) {
            return Ok(Err(PushRefused(NO_BRANCHES.into())));
        }
        let Some(one) = moves.first() else {
            return Ok(Ok(serde_json::Value::Null));
        };
        if let Some(text) = too_large(repository, quarantine).await? {
            return Ok(Err(PushRefused(text)));
        }
        let files = match files(app, quarantine, one.new).await? {
            Some(files) => files,
            None => return Ok(Err(PushRefused(too_many()))),
        };
        match problem(&files) {
            Some(text) => Ok(Err(PushRefused(text))),
            None => {
                let paths: Vec<String> = files.into_iter().map(|file| file.path).collect();
                Ok(Ok(serde_json::to_value(paths).map_err(Error::internal)?))
            }
        }
    }
    .boxed()
}

/// Its one branch may move, and be made with its first files.
fn is_allowed(repository: &Repository, one: &RefMove) -> bool {
    let is_first = repository.pushed_at.is_none();
    one.name == repository.head && !one.new.is_zero() && (is_first || !one.old.is_zero())
}

fn too_many() -> String {
    format!("The repository can contain at most {MOST_FILES} file(s).")
}

fn problem(files: &[Told]) -> Option<String> {
    let bytes: u64 = files.iter().map(|file| file.size).fold(0, u64::saturating_add);
    match files.len() {
        0 => Some(NO_FILES.into()),
        many if many > MOST_FILES => Some(too_many()),
        _ => refusal(0, i64::try_from(bytes).unwrap_or(i64::MAX)),
    }
}

/// Whether the history takes more than it may with what is pushed.
async fn too_large(repository: &Repository, quarantine: &Quarantine) -> Result<Option<String>> {
    let more = quarantine.size().await?;
    Ok(refusal(repository.size, more).filter(|_| more > 0))
}

fn refusal(used: i64, more: i64) -> Option<String> {
    size_limit::within(MOST_BYTES, used, more).err().map(TooLarge::of_push)
}

/// The files of a commit; none if they are more than git tells of.
async fn files(app: &App, quarantine: &Quarantine, commit: ObjectId) -> Result<Option<Vec<Told>>> {
    let asked = quarantine
        .git(app)
        .await?
        .args(["ls-tree", "-r", "-z", "-l"])
        .args([commit.to_string()]);
    let answered = match asked.ask(Vec::new(), TOLD, PATIENCE).await {
        Err(Error::TooLarge) => return Ok(None),
        answered => answered?,
    };
    answered.ended.check("git ls-tree")?;
    Ok(Some(read(&String::from_utf8_lossy(&answered.output))))
}

/// Reads what `git ls-tree -z -l` tells: mode, kind, object and size, and a path.
fn read(told: &str) -> Vec<Told> {
    let one = |line: &str| {
        let (about, path) = line.split_once('\t')?;
        // A submodule has none.
        let size = about.split_whitespace().nth(3)?.parse().unwrap_or(0);
        Some(Told { path: path.to_owned(), size })
    };
    told.split('\0').filter_map(one).collect()
}

/// Writes down what was noted, as the refs move.
pub fn arrived(tx: &mut Tx<'_>, push: &Arrived<'_>) -> Result<()> {
    let files: Option<Vec<String>> =
        serde_json::from_value(push.noted.clone()).map_err(Error::internal)?;
    let id = push.holder.snippet_id().found("Snippet")?;
    let (Some(files), Some(snippet)) = (files, store::by_id(tx, id)?) else {
        return Ok(());
    };
    store::set_files(tx, id, &files)?;
    if let Some(project) = snippet.project_id {
        spaces::rules::note_activity(tx, project)?;
    }
    match snippet.is_written {
        true => Ok(()),
        false => record(tx, push.viewer.user_id(), Action::Created, &snippet),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, size: u64) -> Told {
        Told { path: path.to_owned(), size }
    }

    #[test]
    fn what_git_tells_is_read() {
        let id = "a".repeat(40);
        let told = format!(
            "100644 blob {id}      12\ta.rs\0100755 blob {id} 1234567\tb c/ü\t.sh\0\
             160000 commit {id}       -\tsub\0"
        );
        let files = [file("a.rs", 12), file("b c/ü\t.sh", 1_234_567), file("sub", 0)];
        assert_eq!(read(&told), files);
        assert!(read("").is_empty());
    }

    #[test]
    fn a_snippet_has_some_files_and_few_bytes() {
        let some = |count: usize| -> Vec<Told> { (0..count).map(|_| file("a", 1)).collect() };
        assert_eq!(problem(&some(1)), None);
        assert_eq!(problem(&some(MOST_FILES)), None);
        assert_eq!(problem(&[]).as_deref(), Some(NO_FILES));
        assert_eq!(problem(&some(11)), Some(too_many()));
        let most = MOST_BYTES.unsigned_abs();
        assert_eq!(problem(&[file("a", most)]), None);
        let text = problem(&[file("a", most), file("b", 1)]).unwrap_or_default();
        assert!(text.contains("to exceed the size limit of 50 MiB so"), "{text}");
        assert!(problem(&[file("a", u64::MAX), file("b", 1)]).is_some());
    }
}
