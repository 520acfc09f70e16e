//! The address of an environment that a job finds out: its own report of variables, or
//! that of a job it depends on, says it.

use super::artifacts::dependencies;
use super::store;
use super::store::dotenv;
use crate::pipelines::model::Job;
use crate::pipelines::store::jobs::definition;
use ::store::Tx;
use kernel::error::Result;
use kernel::secrets::Secrets;

/// Notes it of a job that ends well, where its file leaves it open.
pub fn find_out(tx: &mut Tx<'_>, secrets: &Secrets, job: &Job) -> Result<()> {
    if job.environment.is_none() {
        return Ok(());
    }
    let Some(definition) = definition(tx, job.id)? else {
        return Ok(());
    };
    let environment = definition.environment.as_ref().map(|said| &said.environment);
    let Some(late) = environment.and_then(|it| it.late_url.as_ref()) else {
        return Ok(());
    };
    let before = dependencies::jobs_of(tx, job, &definition)?;
    let mut handed_on = dotenv::of(tx, secrets, before.iter().map(|one| one.id).collect())?;
    handed_on.extend(dotenv::of(tx, secrets, vec![job.id])?);
    let url = late.with(handed_on).replace('\0', "");
    store::jobs::set_environment_url(tx, job.id, &url)
}
