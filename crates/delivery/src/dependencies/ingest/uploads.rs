//! Somebody sent a bill without a pipeline: it is read, and is the list of the project.

use super::boms::Boms;
use super::recording::Recording;
use super::rows::MOST;
use crate::dependencies::store::{self as rows, Origin, uploads};
use ::store::Tx;
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run};
use sbom::read::Wrong;
use serde::{Deserialize, Serialize};

const LATE: &str = "A newer pipeline or upload has taken its place.";

/// Reads what somebody sent.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReadUpload {
    pub upload: i64,
}

fn look(tx: &mut Tx<'_>, id: i64) -> Result<Option<(String, Origin)>> {
    let found = uploads::by_id(tx, id)?.filter(|upload| upload.finished_at.is_none());
    Ok(found.and_then(|upload| {
        let origin = Origin {
            project_id: upload.project_id,
            pipeline_id: None,
            upload_id: Some(upload.id),
            sha: None,
            said_at: upload.created_at,
        };
        Some((upload.blob_key?, origin))
    }))
}

impl Job for ReadUpload {
    const NAME: &'static str = "delivery.read_uploaded_sbom";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.upload.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app.clone(), self.upload);
        let Some((blob_key, origin)) = app.read(move |tx| look(tx, id)).await? else {
            return Ok(());
        };
        let read = recorded(&app, &blob_key, origin.clone()).await?;
        let ended = app.write(move |tx| {
            if !run.end(tx)? {
                return Ok(());
            }
            let reason = match &read {
                Ok(list) if rows::make_current(tx, *list, &origin)? => None,
                Ok(_) => Some(LATE),
                Err(text) => Some(text.as_str()),
            };
            uploads::finish(tx, id, reason)
        });
        Ok(ended.await?)
    }
}

/// The list that was written, or why there is none.
async fn recorded(
    app: &App, blob_key: &str, origin: Origin,
) -> Result<std::result::Result<i64, String>> {
    let bom = match Boms::open(app, blob_key, false).await?.next().await? {
        Some(Ok(bom)) => bom,
        Some(Err(Wrong(text))) => return Ok(Err(text)),
        None => return Ok(Err("The list is empty.".into())),
    };
    let Some(mut recording) = Recording::begin(app, origin).await? else {
        return Ok(Err(LATE.into()));
    };
    Ok(match recording.add(bom).await? {
        true => Ok(recording.list_id()),
        false => Err(format!("The list has more than {MOST} components.")),
    })
}
