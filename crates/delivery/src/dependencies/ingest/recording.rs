//! Rows become a list.

use super::rows::{Seen, of_bom};
use crate::dependencies::store::{self as rows, Origin, Row};
use kernel::app::App;
use kernel::error::{Error, Result};
use sbom::model::Bom;
use std::sync::Arc;

/// Rows of one transaction.
const BATCH: usize = 1_000;

/// A list that is being written.
pub struct Recording {
    app: App,
    origin: Origin,
    list_id: i64,
    seen: Seen,
}

impl Recording {
    /// Begins a list, unless a newer one is there already.
    pub async fn begin(app: &App, origin: Origin) -> Result<Option<Recording>> {
        let of = origin.clone();
        let begun = app.write(move |tx| match rows::would_be_current(tx, &of)? {
            true => rows::begin(tx, &of).map(Some),
            false => Ok(None),
        });
        let recording =
            |list_id| Recording { app: app.clone(), origin, list_id, seen: Seen::default() };
        Ok(begun.await?.map(recording))
    }

    pub fn list_id(&self) -> i64 {
        self.list_id
    }

    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Adds a bill; false where the list has no room for it.
    pub async fn add(&mut self, bom: Bom) -> Result<bool> {
        let mut seen = std::mem::take(&mut self.seen);
        let made = tokio::task::spawn_blocking(move || {
            let made = of_bom(bom, &mut seen);
            (seen, made)
        });
        let (seen, made) = made.await.map_err(Error::internal)?;
        self.seen = seen;
        let Some((document, rows)) = made else {
            return Ok(false);
        };
        self.write(document, rows).await?;
        Ok(true)
    }

    async fn write(&self, document: i64, rows: Vec<Row>) -> Result<()> {
        let place = (self.list_id, self.origin.project_id);
        let mut rest = rows.into_iter().peekable();
        while rest.peek().is_some() {
            let some: Arc<[Row]> = rest.by_ref().take(BATCH).collect();
            let written = self.app.write(move |tx| rows::add(tx, place, document, &some));
            written.await?;
        }
        Ok(())
    }
}
