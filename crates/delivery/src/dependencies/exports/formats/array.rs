//! `json_array`: the dependencies of all projects of a group.

use super::parts::{Items, Location};
use super::rows::Batches;
use crate::dependencies::entity::LicenseEntity;
use serde::Serialize;
use std::io::{self, Write};

/// A dependency, in wire order.
#[derive(Debug, Serialize)]
struct Item<'i> {
    name: String,
    packager: Option<&'i str>,
    version: Option<&'i str>,
    licenses: Vec<LicenseEntity>,
    location: Location,
}

pub struct Array<W>(Items<W>);

impl<W: Write> Array<W> {
    pub fn begin(out: W) -> io::Result<Array<W>> {
        Items::after(out, "[").map(Array)
    }

    pub fn batch(&mut self, all: Batches) -> io::Result<()> {
        for batch in &all.batches {
            for row in &batch.rows {
                self.0.add(&Item {
                    name: row.full_name(),
                    packager: row.packager.as_deref(),
                    version: row.version.as_deref(),
                    licenses: LicenseEntity::all(&row.licenses.0),
                    location: Location::of(batch, row),
                })?;
            }
        }
        Ok(())
    }

    pub fn finish(self) -> io::Result<W> {
        let mut out = self.0.out;
        out.write_all(b"]")?;
        Ok(out)
    }
}
