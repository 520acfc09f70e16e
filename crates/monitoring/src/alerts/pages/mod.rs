//! Pages of the area: the list of a project's alerts, one alert, where alerts
//! come from, and what they trigger. Every form goes through the rules that
//! REST uses, and works without a script.

mod change;
mod images;
mod integration;
mod list;
mod settings;
mod show;
mod talk;
pub mod views;

use http::Method;
use kernel::error::{Error, Result};
use kernel::http::Routes;
use spaces::Project;
use spaces::pages::{PROJECT, Space};

pub fn routes(r: &mut Routes) {
    let all = format!("{PROJECT}/-/alert_management");
    let one = format!("{all}/{{alert_iid}}");
    let own = format!("{PROJECT}/-/settings/alerts");
    let integration = format!("{own}/{{integration_id}}");
    r.page(Method::GET, &all, list::show);
    r.page(Method::GET, &format!("{one}/details"), show::show);
    r.page(Method::POST, &one, change::change);
    talk::routes(r, &one);
    r.page(Method::POST, &format!("{one}/images"), images::add);
    r.page(
        Method::POST,
        &format!("{one}/images/{{image_id}}"),
        images::change,
    );
    r.page(Method::GET, &own, settings::show);
    r.page(Method::POST, &own, settings::change);
    r.page(Method::GET, &integration, integration::show);
    r.page(Method::POST, &integration, integration::change);
}

/// Groups have no alerts.
fn project_of(space: &Space) -> Result<&Project> {
    match space {
        Space::Project(project, _) => Ok(project),
        Space::Group(..) => Err(Error::NotFound("Project")),
    }
}
