//! Pages of schedules: all of a project, and the form of one.

mod form;
mod list;

use ::store::Tx;
use http::Method;
use kernel::error::{Error, Result};
use kernel::http::Routes;
use spaces::access::{Purpose, may};
use spaces::pages::{PROJECT, Space, Visit};

const SECTION: &str = "pipeline_schedules";

pub fn routes(r: &mut Routes) {
    let all = format!("{PROJECT}/-/{SECTION}");
    let new = format!("{all}/new");
    let one = format!("{all}/{{pipeline_schedule_id}}/edit");
    r.page(Method::GET, &all, list::show);
    r.page(Method::POST, &all, list::change);
    r.page(Method::GET, &new, form::show_new);
    r.page(Method::POST, &new, form::create);
    r.page(Method::GET, &one, form::show);
    r.page(Method::POST, &one, form::change);
}

/// The project, for this purpose and for who reads its code.
fn found(tx: &mut Tx<'_>, visit: &Visit, purpose: Purpose) -> Result<Space> {
    let space = visit.authorize(tx, purpose)?;
    match may(tx, &visit.viewer, space.project()?, Purpose::DownloadCode)? {
        true => Ok(space),
        false => Err(Error::forbidden("")),
    }
}

fn url(space: &Space) -> String {
    format!("{}/-/{SECTION}", space.url())
}
