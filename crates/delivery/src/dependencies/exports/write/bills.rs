//! The bills of materials of a pipeline as one.

use super::plan::Plan;
use super::{Fault, Interrupted, Reading};
use crate::dependencies::ingest::boms_of_pipeline;
use crate::pipelines::model::Pipeline;
use kernel::pipe::Pipe;
use sbom::cyclonedx::Merge;

/// Merges what the jobs of a pipeline and its children brought. What cannot be read was told
/// on its job, and is left out.
pub fn merge(
    reading: &Reading<'_>, plan: &Plan, pipeline: &Pipeline, out: Pipe,
) -> Result<Pipe, Interrupted> {
    let about = &plan.about;
    let mut merge = Merge::begin(out, &about.serial_number, &about.timestamp())?;
    let opened = reading.runtime.block_on(boms_of_pipeline(reading.app, pipeline.id));
    let mut bills = opened.map_err(Fault::Passing)?;
    // A file that is gone meanwhile is not among them the next time.
    while let Some((_, found)) = reading.runtime.block_on(bills.next()).map_err(Fault::Passing)? {
        if let Ok(bill) = found {
            merge.add(&bill)?;
        }
    }
    Ok(merge.finish(about.tool.clone())?)
}
