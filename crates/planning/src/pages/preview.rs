//! Texts as they will look, for who is writing them.

use super::authorized;
use crate::rules::references::Links;
use http::{Method, StatusCode};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::Text;
use kernel::http::{Params, Response, Routes, reply};
use serde_json::json;
use spaces::access::Purpose;
use spaces::pages::{Visit, section};

pub fn routes(r: &mut Routes) {
    section(r, Method::POST, "preview_markdown", preview);
}

kernel::params! {
    pub struct Typed {
        /// Markdown, at most 1,000,000 characters.
        pub text: Text,
    }
}

async fn preview(app: App, visit: Visit, form: Params<Typed>) -> Result<Response> {
    let Params(form) = form;
    let text = form.text.0.clone();
    let links = app
        .read(move |tx| {
            let space = visit.authorize(tx, Purpose::ReadMembers)?;
            let parent = authorized(&space).parent;
            Links::find(tx, &visit.viewer, "", &parent, [text.as_str()])
        })
        .await?;
    let _turn = kernel::markup::turn().await?;
    let html = tokio::task::spawn_blocking(move || links.previewed(&form.text));
    let html = html.await.map_err(Error::internal)??;
    reply::json(StatusCode::OK, &json!({"body": html}))
}
