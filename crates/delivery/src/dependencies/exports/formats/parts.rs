//! What the formats of lists show of a dependency.

use super::rows::Batch;
use crate::dependencies::entity::LicenseEntity;
use crate::dependencies::model::{Ancestor, Dependency};
use serde::Serialize;
use std::io::{self, Write};

/// Where a dependency was found.
#[derive(Debug, Serialize)]
pub struct Location {
    pub blob_path: Option<String>,
    path: Option<String>,
    top_level: bool,
    ancestors: Vec<Ancestor>,
}

impl Location {
    pub fn of(batch: &Batch, row: &Dependency) -> Location {
        Location {
            blob_path: row.blob_path(&batch.place.full_path, batch.sha.as_deref()),
            path: row.path(),
            top_level: row.top_level,
            ancestors: row.ancestors.0.clone(),
        }
    }
}

/// What a licence is called in one word.
pub fn identifier(license: &LicenseEntity) -> &str {
    license.spdx_identifier.as_deref().unwrap_or(&license.name)
}

/// Items of a JSON array as they come.
pub struct Items<W> {
    pub out: W,
    is_empty: bool,
}

impl<W: Write> Items<W> {
    /// After the bracket that opens the array.
    pub fn after(mut out: W, beginning: &str) -> io::Result<Items<W>> {
        out.write_all(beginning.as_bytes())?;
        Ok(Items { out, is_empty: true })
    }

    pub fn add(&mut self, item: &impl Serialize) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.write_all(b",")?;
        }
        Ok(serde_json::to_writer(&mut self.out, item)?)
    }

    pub fn is_empty(&self) -> bool {
        self.is_empty
    }
}
