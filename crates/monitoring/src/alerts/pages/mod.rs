//! Pages of the area: the list of a project's alerts, one alert, where alerts
//! come from, and what they trigger. Every form goes through the rules that
//! REST uses, and works without a script.

mod change;
mod images;
mod integration;
mod list;
pub mod panels;
mod settings;
mod show;
mod talk;
pub mod views;

use http::Method;
use kernel::http::Routes;
use spaces::pages::PROJECT;

pub fn routes(r: &mut Routes) {
    let all = format!("{PROJECT}/-/alert_management");
    let one = format!("{all}/{{alert_iid}}");
    let image = format!("{one}/images/{{image_id}}");
    let own = format!("{PROJECT}/-/settings/alerts");
    let integration = format!("{own}/{{integration_id}}");
    r.page(Method::GET, &all, list::show);
    r.page(Method::GET, &format!("{one}/details"), show::show);
    r.page(Method::POST, &one, change::change);
    talk::routes(r, &one);
    r.page(Method::POST, &format!("{one}/images"), images::add);
    r.page(Method::POST, &image, images::change);
    r.page(Method::GET, &own, settings::show);
    r.page(Method::POST, &own, settings::change);
    r.page(Method::GET, &integration, integration::show);
    r.page(Method::POST, &integration, integration::change);
}
