//! `tenon check`: do the rooms find their tables and files in agreement?

use crate::options::Options;
use crate::{Outcome, progress, wiring};

/// Everything found wrong, one sentence each. Works beside a server. With
/// `contents` every file is read and its digest compared.
pub async fn run(options: Options, contents: bool) -> Outcome<Vec<String>> {
    let (app, _) = wiring::assemble_existing(options).await?;
    let bar = progress::things("files", 0);
    let report = packages::check::run(&app, contents, |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    });
    let report = report.await.map_err(|error| error.to_string())?;
    bar.finish_and_clear();
    Ok(report.problems)
}
