//! `tenon check`: do the rooms find their tables and files in agreement?

use crate::options::Options;
use crate::{Outcome, progress, told, wiring};
use kernel::app::App;
use kernel::error::Result;

/// Everything found wrong, one sentence each. Works beside a server. With
/// `contents` every file is read and its digest compared.
pub async fn run(options: Options, contents: bool) -> Outcome<Vec<String>> {
    let (app, _) = wiring::assemble_existing(options).await?;
    let bar = progress::things("files", 0);
    let report = packages::check::run(&app, contents, |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    });
    let report = report.await.map_err(told)?;
    bar.finish_and_clear();
    let mut problems = report.problems;
    problems.extend(repositories(&app, contents).await.map_err(told)?);
    problems.extend(unindexed(&app).await.map_err(told)?);
    Ok(problems)
}

/// What git finds wrong with repositories.
async fn repositories(app: &App, contents: bool) -> Result<Vec<String>> {
    let bar = progress::things("git", 0);
    let looked = repositories::check::run(app, contents, |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    });
    let problems = looked.await?;
    bar.finish_and_clear();
    Ok(problems)
}

/// What searching does not find though it is there. A job that still fills the
/// indexes is no problem.
async fn unindexed(app: &App) -> Result<Vec<String>> {
    app.read(|tx| {
        let mut problems = Vec::new();
        for source in kernel::search::filled(tx)? {
            match kernel::search::missing(tx, source)? {
                0 => {}
                count => problems.push(format!("{}: {count} rows are missing", source.index)),
            }
        }
        Ok(problems)
    })
    .await
}
