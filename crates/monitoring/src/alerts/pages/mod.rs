//! Pages of the area: the list of a project's alerts, one alert, where alerts
//! come from, and what they trigger. Every form goes through the rules that
//! REST uses, and works without a script.

mod change;
mod images;
mod integration;
mod list;
mod settings;
mod show;
mod story;
mod talk;
pub mod views;

use http::Method;
use kernel::html::Pages;
use kernel::http::{Paging, Routes};
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

/// Where a list of so many stands.
fn pages(paging: &Paging, total: u64, url: String) -> Pages {
    let (limit, offset) = (paging.per_page, paging.offset());
    Pages {
        page: (offset / limit.max(1) + 1).unsigned_abs(),
        per_page: limit.unsigned_abs(),
        total,
        url,
    }
}
