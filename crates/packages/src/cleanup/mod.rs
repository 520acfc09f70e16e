//! Cleanup policies: of files of one name in one package, a project keeps
//! the newest so many. Whole versions go by the rules in [`rule`], which
//! [`run`] applies.
//!
//! [`Cleanup`](crate::tasks::Cleanup) looks for policies and rules that are due
//! and sets a [`CleanProject`](crate::tasks::CleanProject) or
//! [`ApplyRule`](crate::tasks::ApplyRule) at work for each, in one
//! transaction, so that neither is lost. That one goes
//! through the packages in batches, each its own transaction: after a crash
//! it begins again and finds less to do.

pub mod model;
pub mod rule;
pub mod run;

use crate::rules::protection::fits;
use crate::store::{cleanup as rows, files, packages, protection};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::audit;
use kernel::error::Result;
use kernel::time::Timestamp;
use model::{Candidate, KeepFiles, Policy, Superfluous};
use serde_json::json;
use spaces::Project;
use std::collections::BTreeMap;
use store::Tx;

/// Time between two runs of a policy, in seconds.
const EVERY: i64 = 12 * 60 * 60;
/// Packages or files of one transaction.
const BATCH: i64 = 100;

/// What holds for a project: everything is kept unless it says otherwise.
pub fn policies(tx: &mut Tx<'_>, projects: &[i64]) -> Result<Vec<Policy>> {
    let known = rows::policies(tx, projects)?;
    let of = |project_id: &i64| {
        let known = known.iter().find(|one| one.project_id == *project_id);
        known.cloned().unwrap_or(Policy {
            project_id: *project_id,
            keep_n_duplicated_package_files: KeepFiles::All,
            next_run_at: None,
        })
    };
    Ok(projects.iter().map(of).collect())
}

/// Sets a project's policy; without a number it is only due again later.
pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, keep: Option<KeepFiles>,
) -> Result<Policy> {
    let known = rows::policies(tx, &[project.id])?.pop();
    let known = known.map_or(KeepFiles::All, |one| one.keep_n_duplicated_package_files);
    let keep = keep.unwrap_or(known);
    let policy = Policy {
        project_id: project.id,
        keep_n_duplicated_package_files: keep,
        next_run_at: keep.count().map(|_| next_run(tx)),
    };
    rows::save(tx, &policy)?;
    audit::record(
        tx,
        viewer,
        "package_cleanup_policy.update",
        ("Project", project.id, &project.full_path),
        json!({"keep_n_duplicated_package_files": keep}),
    )?;
    Ok(policy)
}

pub(crate) fn next_run(tx: &Tx<'_>) -> Timestamp {
    tx.now() + jiff::SignedDuration::from_secs(EVERY)
}

/// Removes at most one batch of files of these packages; whether there may be
/// more of them, and the blobs nothing names any more.
pub(crate) fn clean(
    tx: &mut Tx<'_>, project: i64, packages: &[Candidate],
) -> Result<(bool, Vec<String>)> {
    // Asked each time: it may have been changed meanwhile.
    let Some(keep) = rows::kept_by(tx, project)?.and_then(KeepFiles::count) else {
        return Ok((false, Vec::new()));
    };
    let free = unprotected(tx, project, packages)?;
    let found = rows::superfluous(tx, &free, keep, BATCH)?;
    let keys = rows::remove(tx, found.iter().map(|file| file.id).collect())?;
    record(tx, project, keep, packages, &found)?;
    let more = found.len() as i64 == BATCH;
    Ok((more, files::release(tx, &keys)?))
}

/// The next packages whose files of one name are copies of each other.
pub(crate) fn packages_after(
    tx: &mut Tx<'_>, project: i64, after: Option<Candidate>,
) -> Result<Vec<Candidate>> {
    rows::candidates(tx, project, after.as_ref(), BATCH)
}

/// Those of these packages that a policy may change: whose files of one name
/// are copies of each other, and which no rule protects from whoever sets
/// policies.
fn unprotected(tx: &mut Tx<'_>, project: i64, packages: &[Candidate]) -> Result<Vec<i64>> {
    let rules = protection::against_deletion(tx, project)?;
    let is_free = |package: &&Candidate| {
        let is_protected = rules.iter().any(|rule| {
            rule.package_type == package.package_type
                && fits(rule.package_type, &rule.package_name_pattern, &package.name)
        });
        package.package_type.has_copies() && !is_protected
    };
    Ok(packages.iter().filter(is_free).map(|one| one.id).collect())
}

/// One record for each package that lost files, under no one's name.
fn record(
    tx: &mut Tx<'_>, project: i64, keep: i64, packages: &[Candidate], removed: &[Superfluous],
) -> Result<()> {
    let mut lost: BTreeMap<i64, Vec<serde_json::Value>> = BTreeMap::new();
    for file in removed {
        let details = json!({"file_id": file.id, "file_name": file.file_name, "size": file.size});
        lost.entry(file.package_id).or_default().push(details);
    }
    for package in packages {
        let Some(files) = lost.remove(&package.id) else {
            continue;
        };
        packages::touch(tx, package.id)?;
        audit::record(
            tx,
            &Viewer::Anonymous,
            "package_file.clean_up",
            ("Package", package.id, &package.name),
            json!({
                "project_id": project,
                "version": package.version,
                "keep": keep,
                "files": files,
            }),
        )?;
    }
    Ok(())
}

/// What a policy would take away.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Preview {
    pub files: i64,
    pub bytes: i64,
    pub first: Vec<Superfluous>,
}

/// A dry run: what would go from a project that keeps so many files of one
/// name, with the first `limit` files by name. Changes nothing.
pub async fn preview(app: &App, project: i64, keep: KeepFiles, limit: usize) -> Result<Preview> {
    let mut preview = Preview::default();
    let Some(keep) = keep.count() else {
        return Ok(preview);
    };
    let mut after = None;
    loop {
        let from: Option<Candidate> = after.take();
        let read = app.read(move |tx| {
            let packages = packages_after(tx, project, from)?;
            let free = unprotected(tx, project, &packages)?;
            let (count, bytes) = rows::superfluous_sum(tx, &free, keep)?;
            let first = rows::superfluous(tx, &free, keep, BATCH)?;
            Ok((packages.into_iter().next_back(), count, bytes, first))
        });
        let (last, count, bytes, first) = read.await?;
        preview.files += count;
        preview.bytes += bytes;
        let room = limit.saturating_sub(preview.first.len());
        preview.first.extend(first.into_iter().take(room));
        if last.is_none() {
            return Ok(preview);
        }
        after = last;
    }
}
