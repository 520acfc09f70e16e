//! `POST /markdown`: text as the pages would show it.

use crate::viewer::SignedInViewer;
use kernel::error::{Error, Result};
use kernel::http::{Created, Params, Routes};
use kernel::markup;
use schemars::JsonSchema;
use serde::Serialize;

/// Declares the route.
pub fn routes(r: &mut Routes) {
    r.post("/markdown", render)
        .always()
        .summary("Renders Markdown to safe HTML");
}

kernel::params! {
    /// A text.
    pub struct Render {
        /// Markdown, at most 1,000,000 characters.
        pub text: String,
        /// Taken for clients' sake: one dialect is rendered.
        pub gfm: Option<bool>,
        /// Project that references are meant in.
        pub project: Option<String>,
    }
}

/// A rendered text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HtmlEntity {
    /// Sanitised.
    pub html: String,
}

async fn render(_: SignedInViewer, params: Params<Render>) -> Result<Created<HtmlEntity>> {
    let text = params.0.text;
    let html = tokio::task::spawn_blocking(move || markup::checked(&text));
    let html = html.await.map_err(Error::internal)??;
    Ok(Created(HtmlEntity { html }))
}
