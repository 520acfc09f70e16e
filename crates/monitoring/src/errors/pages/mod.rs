//! Pages of the area: the list of a project's errors, one error, and the
//! settings; and the same errors as JSON for scripts in pages.

mod json;
mod list;
mod settings;
mod show;
pub mod views;

use crate::errors::issues::NewErrorIssue;
use http::Method;
use kernel::http::Routes;
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
    r.page(
        Method::POST,
        &format!("{one}/issue.json"),
        json::create_issue,
    );
}

kernel::params! {
    /// An error.
    pub struct ErrorPage {
        /// The error.
        pub error_id: i64,
    }
}

kernel::params! {
    /// An issue about an error.
    pub struct CreateIssue {
        /// The error.
        pub error_id: i64,
        /// Title of the issue; that of the error unless given.
        pub title: Option<String>,
        /// Seen by author, assignees and reporters only.
        pub confidential: Option<bool>,
    }
}

impl CreateIssue {
    fn wanted(&self) -> NewErrorIssue {
        let title = self.title.clone().filter(|title| !title.trim().is_empty());
        NewErrorIssue {
            title,
            confidential: self.confidential.unwrap_or(false),
        }
    }
}
