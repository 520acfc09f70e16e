//! `dependency_list`: the dependencies of a project, and where its list comes from.

use super::parts::{Items, Location};
use super::rows::Batches;
use crate::dependencies::entity::{LicenseEntity, VulnerabilityEntity};
use serde::Serialize;
use std::io::{self, Write};

kernel::choices! {
    /// Whether there is a list, and why not.
    pub enum ReportStatus as "DependencyReportStatus" {
        Ok = "ok",
        NoDependencies = "no_dependencies",
        JobFailed = "job_failed",
        JobNotSetUp = "job_not_set_up",
    }
}

/// Where a list comes from.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub status: ReportStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generated_at: Option<String>,
}

impl Report {
    pub fn of(status: ReportStatus) -> Report {
        Report { status, job_path: None, generated_at: None }
    }
}

/// A dependency, in wire order.
#[derive(Debug, Serialize)]
struct Item<'i> {
    name: String,
    packager: Option<&'i str>,
    version: Option<&'i str>,
    location: Location,
    vulnerabilities: Vec<VulnerabilityEntity>,
    licenses: Vec<LicenseEntity>,
    occurrence_id: i64,
    vulnerability_count: usize,
}

pub struct List<W>(Items<W>);

impl<W: Write> List<W> {
    pub fn begin(out: W) -> io::Result<List<W>> {
        Items::after(out, "{\"dependencies\":[").map(List)
    }

    pub fn batch(&mut self, all: Batches) -> io::Result<()> {
        for batch in &all.batches {
            for row in &batch.rows {
                let known = all.vulnerabilities.get(&row.id).map(Vec::as_slice).unwrap_or_default();
                self.0.add(&Item {
                    name: row.full_name(),
                    packager: row.packager.as_deref(),
                    version: row.version.as_deref(),
                    location: Location::of(batch, row),
                    vulnerabilities: known.iter().map(Into::into).collect(),
                    licenses: LicenseEntity::all(&row.licenses.0),
                    occurrence_id: row.id,
                    vulnerability_count: known.len(),
                })?;
            }
        }
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn finish(self, report: &Report) -> io::Result<W> {
        let mut out = self.0.out;
        out.write_all(b"],\"report\":")?;
        serde_json::to_writer(&mut out, report)?;
        out.write_all(b"}")?;
        Ok(out)
    }
}
