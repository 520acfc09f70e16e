//! `POST /markdown`: text as the pages would show it.

use crate::rules::references::Links;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::{Purpose, project};
use spaces::model::Project;
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.post("/markdown", render).always().summary("Renders Markdown to safe HTML");
}

kernel::params! {
    pub struct Render {
        /// Markdown, at most 1,000,000 characters.
        pub text: String,
        /// Link issues, labels, milestones and people that the text names.
        pub gfm: Option<bool>,
        /// Id or path of the project that names are meant in.
        pub project: Option<Reference>,
    }
}

/// A rendered text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HtmlEntity {
    /// Sanitised.
    pub html: String,
}

async fn render(
    app: App, viewer: SignedInViewer, params: Params<Render>,
) -> Result<Created<HtmlEntity>> {
    let Params(asked) = params;
    let (viewer, text, base) = (viewer.viewer(), asked.text.clone(), app.url(""));
    let links = match asked.gfm {
        Some(true) => {
            app.read(move |tx| {
                let place = place(tx, &viewer, asked.project.as_ref())?;
                Links::find(tx, &viewer, &base, place.as_ref(), [text.as_str()])
            })
            .await?
        }
        _ => Links::default(),
    };
    let _turn = kernel::markup::turn().await?;
    let html = tokio::task::spawn_blocking(move || links.checked(&asked.text));
    let html = html.await.map_err(Error::internal)??;
    Ok(Created(HtmlEntity { html }))
}

/// The project, if the viewer sees it. A text is rendered also where they do
/// not: what it names stays text then.
fn place(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: Option<&Reference>,
) -> Result<Option<Project>> {
    let Some(reference) = reference else {
        return Ok(None);
    };
    match project(tx, viewer, reference, Purpose::Read) {
        Ok(project) => Ok(Some(project)),
        Err(Error::NotFound(_) | Error::Moved(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
