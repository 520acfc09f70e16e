//! Threads of an issue that are resolved, and opened again.

use crate::guarded;
use crate::pages::desk;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::flash;
use kernel::http::{Params, Response};
use spaces::access::Purpose;
use spaces::pages::Visit;

kernel::params! {
    pub struct ResolveForm {
        pub issue_iid: i64,
        pub discussion_id: String,
        /// Whether the thread is resolved.
        pub resolved: bool,
        /// The page of the story that it stands on.
        pub page: Option<i64>,
    }
}

pub async fn resolve(app: App, visit: Visit, form: Params<ResolveForm>) -> Result<Response> {
    let Params(form) = form;
    let Visit { viewer, address } = visit;
    let (who, iid) = (viewer.clone(), form.issue_iid);
    let find = app.read(move |tx| {
        let (space, _) = desk(tx, &who, &address, Purpose::ReadMembers)?;
        Ok((space.reference(), format!("{}/-/issues/{iid}", space.url())))
    });
    let (project, url) = find.await?;
    let thread = form.discussion_id;
    guarded::resolve(&app, viewer, (project, iid), thread.clone(), form.resolved).await?;
    let page = match form.page {
        Some(page) if page > 1 => format!("?page={page}"),
        _ => String::new(),
    };
    let done = if form.resolved {
        "Thread resolved."
    } else {
        "Thread reopened."
    };
    flash::done(&app, &format!("{url}{page}#discussion_{thread}"), done)
}
