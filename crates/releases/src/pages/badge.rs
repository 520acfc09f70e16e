//! `…/-/badges/release.svg`: the tag of the latest release as a small picture.

use super::Here;
use crate::store;
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::shield::{Chosen, Means, Shield};
use kernel::http::{Params, Response, Routes};
use spaces::pages::{Address, PROJECT};

/// What the picture says where there is no release.
const NONE: &str = "none";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("{PROJECT}/-/badges/release.svg"), show);
}

async fn show(
    app: App, viewer: Viewer, address: Address, chosen: Params<Chosen>,
) -> Result<Response> {
    let shield = app.read(move |tx| {
        let here = Here::with_code(tx, &viewer, &address)?;
        let latest = store::latest(tx, here.releases.project.id)?;
        Ok(match latest {
            Some(release) => Shield::new("latest release", &release.tag, Means::Good),
            None => Shield::new("latest release", NONE, Means::Nothing),
        })
    });
    shield.await?.chosen(&chosen).response()
}
