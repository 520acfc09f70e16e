//! Pictures of charts on an alert's page: adding, changing, removing.

use super::show::{AlertForms, AlertPage};
use crate::alerts::rules::images::{self, Chart};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Files, Flat, Params, Response};

/// What a picture is called that a form brings.
const NAME: &str = "chart";

kernel::params! {
    /// Where the chart is; blank for nothing.
    pub struct ChartForm {
        pub url: Option<String>,
        pub url_text: Option<String>,
    }
}

kernel::params! {
    pub struct ImageChange {
        pub image_id: i64,
        pub remove: Option<bool>,
        pub chart: Flat<ChartForm>,
    }
}

impl ChartForm {
    fn chart(&self) -> Chart {
        Chart {
            url: self.url.clone().into(),
            url_text: self.url_text.clone().into(),
        }
    }
}

pub(super) async fn add(
    app: App, page: AlertPage, form: Params<ChartForm>, files: Files,
) -> Result<Response> {
    let sent = files.named("file").filter(|bytes| !bytes.is_empty());
    let new = match sent {
        Some(bytes) => images::read(NAME, bytes, &form.chart()),
        None => Err(Error::invalid("file", "can't be blank")),
    };
    match new {
        Ok(new) => {
            page.change(&app, AlertForms::default(), move |tx, here| {
                images::create(tx, &here.alert, &new)?;
                Ok("Picture added.".to_owned())
            })
            .await
        }
        Err(error) => page.answer(&app, Err(error), AlertForms::default()).await,
    }
}

pub(super) async fn change(
    app: App, page: AlertPage, form: Params<ImageChange>,
) -> Result<Response> {
    page.change(&app, AlertForms::default(), move |tx, here| {
        if form.remove == Some(true) {
            images::destroy(tx, &here.alert, form.image_id)?;
            return Ok("Picture removed.".to_owned());
        }
        images::update(tx, &here.alert, form.image_id, &form.chart.chart())?;
        Ok("Picture updated.".to_owned())
    })
    .await
}
