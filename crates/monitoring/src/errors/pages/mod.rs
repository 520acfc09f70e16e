//! Pages of the area: the list of a project's errors, one error, and the
//! settings; and the same errors as JSON for scripts in pages.

mod json;
mod list;
pub mod panels;
mod settings;
mod show;
pub mod views;

use crate::errors::issues::NewErrorIssue;
use http::Method;
use kernel::http::Routes;
use kernel::http::params::Flat;
use spaces::pages::PROJECT;

pub fn routes(r: &mut Routes) {
    let all = format!("{PROJECT}/-/error_tracking");
    let one = format!("{all}/{{error_id}}");
    let own = format!("{PROJECT}/-/settings/error_tracking");
    r.page(Method::GET, &all, list::show);
    r.page(Method::GET, &format!("{one}/details"), show::show);
    r.page(Method::POST, &one, show::change);
    r.page(Method::GET, &own, settings::show);
    r.page(Method::POST, &own, settings::change);
    r.page(Method::GET, &format!("{all}.json"), json::list);
    r.page(Method::GET, &format!("{one}/details.json"), json::show);
    r.page(Method::GET, &format!("{one}/stack_trace.json"), json::stack);
    r.page(Method::PUT, &one, json::update);
    r.page(Method::POST, &format!("{one}/issue"), show::create_issue);
    r.page(Method::POST, &format!("{one}/issue.json"), json::create_issue);
}

kernel::params! {
    pub struct ErrorPage {
        pub error_id: i64,
    }
}

kernel::params! {
    pub struct CreateIssue {
        pub error_id: i64,
        pub issue: Flat<NewErrorIssue>,
    }
}

impl CreateIssue {
    /// What is typed; a blank title is none.
    fn wanted(&self) -> NewErrorIssue {
        let mut wanted = self.issue.0.clone();
        wanted.title = wanted.title.filter(|title| !title.trim().is_empty());
        wanted
    }
}
