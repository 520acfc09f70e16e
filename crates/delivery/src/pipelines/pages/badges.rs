//! `…/-/badges/REF/pipeline.svg` and `coverage.svg`: small pictures for pages elsewhere.

use super::{Here, below};
use crate::pipelines::entity::DetailedStatus;
use crate::pipelines::model::Pipeline;
use crate::pipelines::status::Status;
use crate::pipelines::store;
use ::store::Tx;
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::shield::{Chosen, Means, Shield};
use kernel::http::{Flat, Params, Response, Routes};
use spaces::access::Purpose;
use spaces::pages::Address;

/// From which part of the code on, in percent, tests try much of it, and some.
const MUCH: f64 = 90.0;
const SOME: f64 = 75.0;
const UNKNOWN: &str = "unknown";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("badges/{*rest}"), show);
}

kernel::params! {
    pub struct Asked {
        /// A branch or tag, and the name of a picture.
        pub rest: String,
        /// The coverage of this job alone.
        pub job: Option<String>,
        /// What passed before, where the newest pipeline was left out.
        pub ignore_skipped: Option<bool>,
        pub chosen: Flat<Chosen>,
    }
}

async fn show(
    app: App, viewer: Viewer, address: Address, asked: Params<Asked>,
) -> Result<Response> {
    let Params(asked) = asked;
    let chosen = asked.chosen.0.clone();
    let shield = app.read(move |tx| {
        let here = Here::to(tx, &viewer, &address, Purpose::ReadPipelines)?;
        let (on_ref, name) = asked.rest.rsplit_once('/').ok_or(Error::NotFound(""))?;
        let skipped = asked.ignore_skipped == Some(true);
        let newest = store::pipelines::newest(tx, here.project.id, on_ref, skipped)?;
        match name {
            "pipeline.svg" => Ok(pipeline(newest.map(|one| one.status))),
            "coverage.svg" => coverage(tx, newest, asked.job.as_deref()),
            _ => Err(Error::NotFound("")),
        }
    });
    shield.await?.chosen(&chosen).response()
}

fn pipeline(status: Option<Status>) -> Shield {
    let Some(status) = status else {
        return Shield::new("pipeline", UNKNOWN, Means::Nothing);
    };
    let means = match status {
        Status::Success => Means::Good,
        Status::Failed => Means::Bad,
        Status::Running | Status::Pending | Status::Preparing => Means::Fair,
        _ => Means::Nothing,
    };
    let words = DetailedStatus::of(status, String::new());
    Shield::new("pipeline", &words.text.to_lowercase(), means)
}

fn coverage(tx: &mut Tx<'_>, newest: Option<Pipeline>, job: Option<&str>) -> Result<Shield> {
    let percent = match (newest, job) {
        (None, _) => None,
        (Some(pipeline), None) => store::pipelines::coverage(tx, pipeline.id)?,
        (Some(pipeline), Some(name)) => store::jobs::coverage(tx, pipeline.id, name)?,
    };
    Ok(match percent {
        None => Shield::new("coverage", UNKNOWN, Means::Nothing),
        Some(percent) => {
            let means = match percent {
                percent if percent >= MUCH => Means::Good,
                percent if percent >= SOME => Means::Fair,
                _ => Means::Bad,
            };
            Shield::new("coverage", &format!("{percent:.2}%"), means)
        }
    })
}
