//! Whether rows and blobs agree, for `tenon check`.

use crate::store::check as rows;
use futures_util::TryStreamExt;
use jiff::Timestamp;
use kernel::app::App;
use kernel::blobs::GRACE_SECONDS;
use kernel::error::Result;
use std::collections::HashMap;

/// Rows read at once.
const BATCH: i64 = 5_000;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Report {
    /// Blobs whose row and bytes were compared.
    pub blobs: u64,
    /// Projects whose counters were compared.
    pub projects: u64,
    /// What does not agree, each a complete sentence.
    pub problems: Vec<String>,
    /// Blobs without a row that are too young to be taken away.
    pub young_orphans: u64,
}

impl Report {
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Compares everything. `progress` is told how many of how many rows are
/// done. With `read_bytes` every blob is read and its digest compared.
pub async fn run(
    app: &App, read_bytes: bool, mut progress: impl FnMut(u64, u64) + Send,
) -> Result<Report> {
    let mut report = Report::default();
    let total = app.read(rows::count_blobs).await? as u64;
    progress(0, total);
    let mut stored = list_blobs(app).await?;
    let mut after = String::new();
    loop {
        let from = after.clone();
        let some = app.read(move |tx| rows::blobs(tx, &from, BATCH)).await?;
        let Some((last, _)) = some.last() else { break };
        after.clone_from(last);
        for (key, size) in some {
            compare(app, &mut report, &mut stored, key, size, read_bytes).await?;
            report.blobs += 1;
        }
        progress(report.blobs, total);
    }
    orphans(app, &mut report, stored);
    files(app, &mut report).await?;
    counters(app, &mut report).await?;
    Ok(report)
}

type Listed = HashMap<String, (u64, Timestamp)>;

async fn list_blobs(app: &App) -> Result<Listed> {
    let mut found = HashMap::new();
    let mut list = app.blobs().list();
    while let Some((key, size, at)) = list.try_next().await? {
        found.insert(key, (size, at));
    }
    Ok(found)
}

async fn compare(
    app: &App, report: &mut Report, stored: &mut Listed, key: String, size: i64, read_bytes: bool,
) -> Result<()> {
    let Some((bytes, _)) = stored.remove(&key) else {
        // Beside a server: it may have come after the list was made, and its
        // row may be gone since it was read.
        let named = key.clone();
        let has_row = app.read(move |tx| rows::has_row(tx, &named)).await?;
        if has_row && !app.blobs().exists(&key).await? {
            report.problems.push(format!("blob {key} is missing"));
        }
        return Ok(());
    };
    if i64::try_from(bytes) != Ok(size) {
        report
            .problems
            .push(format!("blob {key} has {bytes} bytes, its row says {size}"));
    } else if read_bytes && !app.blobs().verify(&key).await? {
        report.problems.push(format!("blob {key} is damaged"));
    }
    Ok(())
}

fn orphans(app: &App, report: &mut Report, left: Listed) {
    let before = app.now() - jiff::SignedDuration::from_secs(GRACE_SECONDS);
    let mut old: Vec<String> = Vec::new();
    for (key, (_, at)) in left {
        if at < before {
            old.push(format!("blob {key} has no row"));
        } else {
            report.young_orphans += 1;
        }
    }
    old.sort();
    report.problems.append(&mut old);
}

/// Files whose size or digest differs from their blob's.
async fn files(app: &App, report: &mut Report) -> Result<()> {
    let differing = app.read(rows::differing_files).await?;
    report.problems.extend(
        differing
            .into_iter()
            .map(|id| format!("package file {id} differs from its blob's row")),
    );
    Ok(())
}

/// Counters of listed packages that differ from the packages.
async fn counters(app: &App, report: &mut Report) -> Result<()> {
    for (project, counter, packages) in app.read(rows::counters).await? {
        report.projects += 1;
        if counter != packages {
            report.problems.push(format!(
                "project {project} counts {counter} listed packages, it has {packages}"
            ));
        }
    }
    Ok(())
}
