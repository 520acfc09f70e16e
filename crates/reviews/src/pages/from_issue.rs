//! The button of an issue that makes a merge request of it.

use super::refused::spoken;
use crate::rules::from_issue::make;
use crate::store::by_id;
use http::Method;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::html::{flash, form};
use kernel::http::{Params, Response, Routes, Text};
use spaces::access::Purpose;
use spaces::pages::{PROJECT, Visit};

const NOT_ALLOWED: &str = "You may not make a merge request of this issue";

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/issues/{{issue_iid}}/create_merge_request");
    r.page(Method::POST, &path, create);
}

kernel::params! {
    pub struct OfIssue {
        pub issue_iid: i64,
        /// Name of the branch, if the usual one is not wanted.
        pub branch_name: Text,
    }
}

async fn create(app: App, visit: Visit, Params(sent): Params<OfIssue>) -> Result<Response> {
    let by = visit.clone();
    let found = app.read(move |tx| {
        let space = by.authorize(tx, Purpose::Read)?;
        Ok((space.reference(), space.url()))
    });
    let (place, url) = found.await?;
    let named = Some(sent.branch_name.trim().to_owned()).filter(|name| !name.is_empty());
    let made = make(&app, &visit.viewer, (place, sent.issue_iid), named).await;
    match made.map_err(|error| spoken(error, NOT_ALLOWED)) {
        Ok(id) => {
            let request = app.read(move |tx| by_id(tx, id)?.found("")).await?;
            let text = format!("Merge request {} created.", request.reference());
            flash::done(&app, &request.path(), text)
        }
        Err(error) => {
            let (_, refused) = form::in_form(error, &[])?;
            let text = refused.map(|flash| flash.text).unwrap_or_default();
            flash::refused(&app, &format!("{url}/-/issues/{}", sent.issue_iid), text)
        }
    }
}
