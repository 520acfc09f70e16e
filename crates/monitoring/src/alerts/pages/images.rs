//! Pictures of charts on an alert's page: adding, changing, removing.

use super::project_of;
use super::show::again;
use crate::alerts::model::Alert;
use crate::alerts::rules::images::{self, Said};
use crate::alerts::store::alerts as rows;
use crate::alerts::store::images as image_rows;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::flash;
use kernel::http::{Files, Paging, Params, Patch, RequestContext, Response};
use spaces::access::Purpose;
use spaces::pages::Address;
use std::sync::Arc;
use store::Tx;

/// What a picture is called that a form brings.
const NAME: &str = "chart";

kernel::params! {
    /// A picture about to be added; it itself is a file.
    pub struct ImageForm {
        /// Number of the alert.
        pub alert_iid: i64,
        /// Where the chart is.
        pub url: Option<String>,
        /// What that place is called.
        pub url_text: Option<String>,
    }
}

kernel::params! {
    /// What becomes of a picture.
    pub struct ImageChange {
        /// Number of the alert.
        pub alert_iid: i64,
        /// The picture.
        pub image_id: i64,
        /// Take it away.
        pub remove: Option<bool>,
        /// Where the chart is.
        pub url: Option<String>,
        /// What that place is called.
        pub url_text: Option<String>,
    }
}

/// What a form says of where the chart is; blank for nothing.
fn said(url: &Option<String>, text: &Option<String>) -> Said {
    let patch = |text: &Option<String>| match text {
        Some(text) => Patch::Value(text.clone()),
        None => Patch::Null,
    };
    Said {
        url: patch(url),
        url_text: patch(text),
    }
}

fn authorize(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    address: &Address,
    iid: i64,
) -> Result<(Alert, String)> {
    let space = address.authorize(tx, viewer, Purpose::ManageAlerts)?;
    let project = project_of(&space)?;
    let alert = rows::find(tx, project.id, iid)?.found("Alert")?;
    let path = alert.path(&project.full_path);
    Ok((alert, path))
}

pub(super) async fn add(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<ImageForm>,
    files: Files,
    paging: Paging,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let sent = files.named("file").filter(|bytes| !bytes.is_empty());
    let new = match sent {
        Some(bytes) => images::read(NAME, bytes, &said(&form.url, &form.url_text)),
        None => Err(Error::invalid("file", "can't be blank")),
    };
    let new = match new {
        Ok(new) => new,
        Err(error) => return again(&app, viewer, address, form.alert_iid, paging, error).await,
    };
    let (asker, place, iid) = (viewer.clone(), address.clone(), form.alert_iid);
    let done = app.write(move |tx| {
        let (alert, path) = authorize(tx, &asker, &place, iid)?;
        images::create(tx, &alert, &new)?;
        Ok(path)
    });
    match done.await {
        Ok(path) => flash::done(&app, &path, "The picture is added."),
        Err(error) => again(&app, viewer, address, iid, paging, error).await,
    }
}

pub(super) async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<ImageChange>,
    paging: Paging,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (asker, place, iid) = (viewer.clone(), address.clone(), form.alert_iid);
    let done = app.write(move |tx| {
        let (alert, path) = authorize(tx, &asker, &place, iid)?;
        if form.remove == Some(true) {
            return match image_rows::remove(tx, alert.id, form.image_id)? {
                true => Ok((path, "The picture is removed.")),
                false => Err(Error::NotFound("Metric image")),
            };
        }
        let said = said(&form.url, &form.url_text);
        images::update(tx, &alert, form.image_id, &said)?;
        Ok((path, "The picture is changed."))
    });
    match done.await {
        Ok((path, text)) => flash::done(&app, &path, text),
        Err(error) => again(&app, viewer, address, iid, paging, error).await,
    }
}
