//! Whether rows and blobs agree, for `tenon check`.

use futures_util::TryStreamExt;
use jiff::Timestamp;
use kernel::app::App;
use kernel::blobs::GRACE_SECONDS;
use kernel::error::Result;
use std::collections::HashMap;
use store::sql;

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
    app: &App,
    read_bytes: bool,
    mut progress: impl FnMut(u64, u64) + Send,
) -> Result<Report> {
    let mut report = Report::default();
    let total: i64 = app
        .read(|tx| Ok(tx.one(sql!("select count(*) from blobs"), ())?))
        .await?;
    let total = total as u64;
    progress(0, total);
    let mut stored = list_blobs(app).await?;
    let mut after = String::new();
    loop {
        let from = after.clone();
        let rows: Vec<(String, i64)> = app
            .read(move |tx| {
                Ok(tx.all(
                    sql!("select key, size from blobs where key > $1 order by key limit $2"),
                    (from, BATCH),
                )?)
            })
            .await?;
        let Some((last, _)) = rows.last() else { break };
        after.clone_from(last);
        for (key, size) in rows {
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
    app: &App,
    report: &mut Report,
    stored: &mut Listed,
    key: String,
    size: i64,
    read_bytes: bool,
) -> Result<()> {
    let Some((bytes, _)) = stored.remove(&key) else {
        // Beside a server: it may have come after the list was made, and its
        // row may be gone since it was read.
        let named = key.clone();
        let row: Option<i64> = app
            .read(move |tx| {
                Ok(tx.optional(sql!("select size from blobs where key = $1"), (named,))?)
            })
            .await?;
        if row.is_some() && !app.blobs().exists(&key).await? {
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
    let differing: Vec<i64> = app
        .read(|tx| {
            Ok(tx.all(
                sql!(
                    "select f.id from package_files f join blobs b on b.key = f.blob_key
                     where f.size <> b.size or f.sha256 <> b.sha256 or f.sha512 <> b.sha512
                        or f.sha1 <> b.sha1 or f.md5 <> b.md5
                     order by f.id limit 1000"
                ),
                (),
            )?)
        })
        .await?;
    report.problems.extend(
        differing
            .into_iter()
            .map(|id| format!("package file {id} differs from its blob's row")),
    );
    Ok(())
}

/// Counters of listed packages that differ from the packages.
async fn counters(app: &App, report: &mut Report) -> Result<()> {
    let rows: Vec<(i64, i64, i64)> = app
        .read(|tx| {
            Ok(tx.all(
                sql!(
                    "select projects.id, coalesce(c.displayable, 0), coalesce(listed.number, 0)
                     from projects
                     left join package_counts c on c.project_id = projects.id
                     left join (select project_id, count(*) as number from packages
                        where live = 1 and status in ('default', 'deprecated', 'error')
                            and version is not null
                        group by project_id) listed on listed.project_id = projects.id
                     order by projects.id"
                ),
                (),
            )?)
        })
        .await?;
    for (project, counter, packages) in rows {
        report.projects += 1;
        if counter != packages {
            report.problems.push(format!(
                "project {project} counts {counter} listed packages, it has {packages}"
            ));
        }
    }
    Ok(())
}
