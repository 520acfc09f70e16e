//! What differs in merge requests, counted, and between which commits.

use super::{MOST_READ, Repositories, Versions, ids, targets};
use crate::diffs::reading::{Extent, Pair, Reading, read};
use crate::diffs::shown::ordered;
use crate::model::{MergeRequest, Version, VersionState};
use crate::positions::Shas;
use kernel::graph::{
    Args, Context, Fault, Graph, HasTypeRef, ObjectBuilder, STRING, argument, object,
};
use repositories::diffs::{Diffs, FileDiff, Stats};
use std::sync::Arc;

/// The commits between which something differs.
pub struct Refs(pub Shas);

/// Lines that came and went in a file.
struct FileStats {
    path: String,
    stats: Stats,
}

/// The same of all files.
struct Summary {
    stats: Stats,
    files: i64,
}

fn number(lines: u64) -> i64 {
    i64::try_from(lines).unwrap_or(i64::MAX)
}

pub fn graph(g: &mut Graph) {
    g.object::<Refs>("DiffRefs", "The commits between which something differs.")
        .value("baseSha", "The last commit that both sides have.", |it| {
            Some(it.0.base.to_string())
        })
        .value("headSha", "Where the source was.", |it| it.0.head.to_string())
        .value("startSha", "Where the target was.", |it| it.0.start.to_string());
    let it = g.object::<FileStats>("DiffStats", "Lines that came and went in a file.");
    lines(it, |it| it.stats).value("path", "Its path.", |it| it.path.clone());
    let it = g.object::<Summary>("DiffStatsSummary", "Lines that came and went in all files.");
    lines(it, |it| it.stats)
        .value("changes", "How many of both.", |it| {
            number(it.stats.additions.saturating_add(it.stats.deletions))
        })
        .value("fileCount", "How many files differ.", |it| it.files);
    of_requests(g.on::<MergeRequest>("MergeRequest"));
}

fn lines<T: std::any::Any + Send + Sync>(
    it: ObjectBuilder<'_, T>, of: fn(&T) -> Stats,
) -> ObjectBuilder<'_, T> {
    it.value("additions", "Lines that came.", move |it| number(of(it).additions))
        .value("deletions", "Lines that went.", move |it| number(of(it).deletions))
}

fn of_requests(it: ObjectBuilder<'_, MergeRequest>) {
    it.level(
        "diffRefs",
        object::<Refs>("DiffRefs"),
        |requests: Vec<Arc<MergeRequest>>, _, context| async move {
            let found = context.load::<Versions>(ids(&requests)).await?;
            let of = |it: &Arc<MergeRequest>| Some(Arc::new(Refs(shas(found.get(&it.id)?))));
            Ok(requests.iter().map(of).collect())
        },
    )
    .describe("Between which commits it changes something; null before its first version.")
    .level("diffStats", object::<FileStats>("DiffStats").required().list(), stats)
    .describe("How many lines it changes in each file; of no more than 20 merge requests at once.")
    .git()
    .arg(argument("path", STRING).describe("Only of the file at this path."))
    .level(
        "diffStatsSummary",
        object::<Summary>("DiffStatsSummary"),
        |requests: Vec<Arc<MergeRequest>>, _, context| async move {
            let all = differing(&requests, &context).await?;
            let of = |diffs: Option<Arc<Diffs>>| diffs.map(|it| Arc::new(summary(&it)));
            Ok(all.into_iter().map(of).collect())
        },
    )
    .describe("How many lines it changes in all; of no more than 20 merge requests at once.")
    .git();
}

pub fn shas(version: &Version) -> Shas {
    Shas {
        base: version.base_id,
        start: version.start_id,
        head: version.head_id,
    }
}

fn summary(diffs: &Diffs) -> Summary {
    Summary {
        stats: diffs.stats(),
        files: i64::try_from(diffs.files.len()).unwrap_or(i64::MAX),
    }
}

/// What differs in each of these; nothing before the first version, and once its files are
/// gone.
async fn differing(
    requests: &[Arc<MergeRequest>], context: &Context,
) -> Result<Vec<Option<Arc<Diffs>>>, Fault> {
    if requests.len() > MOST_READ {
        let text = format!("No more than {MOST_READ} merge requests are compared at once");
        return Err(Fault::argument(text));
    }
    let app = context.app()?;
    let versions = context.load::<Versions>(ids(requests)).await?;
    let repositories = context.load::<Repositories>(targets(requests)).await?;
    let mut all = Vec::with_capacity(requests.len());
    for it in requests {
        let has_files = |version: &&Version| version.state != VersionState::WithoutFiles;
        let version = versions.get(&it.id).filter(has_files);
        let found = match (version, repositories.get(&it.target_project_id)) {
            (Some(version), Some(repository)) => {
                let (old, new) = (version.base_id, version.head_id);
                let pair = Pair { repository: repository.id, old, new };
                Some(read(app, pair, Reading::of(Extent::Limited)).await?)
            }
            _ => None,
        };
        all.push(found);
    }
    Ok(all)
}

async fn stats(
    requests: Vec<Arc<MergeRequest>>, args: Args, context: Context,
) -> Result<Vec<Option<Vec<Arc<FileStats>>>>, Fault> {
    let path: Option<String> = args.get("path")?;
    let path = path.filter(|path| !path.is_empty());
    let all = differing(&requests, &context).await?;
    let is_meant = |file: &&FileDiff| path.as_ref().is_none_or(|path| file.new_path == *path);
    let of = |diffs: Arc<Diffs>| -> Vec<Arc<FileStats>> {
        let files = ordered(&diffs).into_iter().filter(is_meant);
        files
            .map(|file| Arc::new(FileStats { path: file.new_path.clone(), stats: file.stats }))
            .collect()
    };
    Ok(all.into_iter().map(|diffs| diffs.map(of)).collect())
}
