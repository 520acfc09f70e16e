//! Settings of a project (docs/interface/monitoring.md 5).

use super::ProjectPath;
use crate::errors::limits::ErrorLimits;
use crate::errors::model::Setting;
use crate::errors::rules::settings::{self, Change};
use crate::errors::store::settings as rows;
use identity::Caller;
use kernel::error::{Error, Found, Result};
use kernel::http::params::{Flat, Param, Unusable};
use kernel::http::{Ok200, Params, Routes};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use spaces::access::Purpose;

const PATH: &str = "/projects/{id}/error_tracking/settings";
/// What is not found where nothing was ever said.
const MISSING: &str = "Error Tracking Setting";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, show).slashed().summary("Shows how a project tracks errors");
    r.put(PATH, put).slashed().summary("Sets how a project tracks errors");
    r.patch(PATH, update).slashed().summary("Changes how a project tracks errors");
}

/// Yes or no, where a blank is no answer.
#[derive(Debug, Clone, Copy)]
pub struct YesOrNo(bool);

impl Param for YesOrNo {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        match value {
            Value::Null => Err(Unusable::Empty),
            Value::String(text) if text.is_empty() => Err(Unusable::Empty),
            other => bool::parse(other).map(YesOrNo),
        }
    }

    fn schema() -> Value {
        bool::schema()
    }
}

kernel::params! {
    pub struct PutSettings {
        pub at: Flat<ProjectPath>,
        /// Whether it tracks any.
        pub active: YesOrNo,
        /// Whether it receives them here.
        pub integrated: YesOrNo,
    }
}

kernel::params! {
    pub struct UpdateSettings {
        pub at: Flat<ProjectPath>,
        /// Whether it tracks any.
        pub active: YesOrNo,
        /// Whether it receives them here.
        pub integrated: Option<YesOrNo>,
    }
}

/// How a project tracks errors.
#[derive(Serialize, JsonSchema)]
pub struct TrackingSettingsEntity {
    /// Whether it tracks any.
    active: bool,
    /// What the tracker elsewhere calls the project.
    project_name: Option<String>,
    /// Its pages there.
    tracker_external_url: Option<String>,
    /// Where that tracker answers.
    api_url: Option<String>,
    /// Whether it receives errors here.
    integrated: bool,
}

impl TrackingSettingsEntity {
    fn new(setting: Setting, limits: &ErrorLimits) -> TrackingSettingsEntity {
        let external = (!setting.integrated).then_some(&setting);
        TrackingSettingsEntity {
            active: setting.active,
            project_name: external.and_then(Setting::external_project),
            tracker_external_url: external.and_then(Setting::external_url),
            api_url: external.and_then(|setting| setting.api_url.clone()),
            integrated: setting.integrated && limits.integrated,
        }
    }
}

async fn show(by: Caller, path: Params<ProjectPath>) -> Result<Ok200<TrackingSettingsEntity>> {
    by.read(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &path.id, Purpose::Update)?;
        let setting = rows::of_project(tx, project.id)?.found(MISSING)?;
        let limits = kernel::settings::read(tx)?;
        Ok(Ok200(TrackingSettingsEntity::new(setting, &limits)))
    })
    .await
}

/// Sets them, also where there were none.
async fn put(by: Caller, params: Params<PutSettings>) -> Result<Ok200<TrackingSettingsEntity>> {
    let change = change(params.active, Some(params.integrated));
    by.write(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &params.at.id, Purpose::Update)?;
        let limits: ErrorLimits = kernel::settings::read(tx)?;
        if !limits.integrated {
            return Err(Error::NotFound(""));
        }
        let setting = settings::put(&by.app, tx, &by.viewer, &project, &change)?;
        Ok(Ok200(TrackingSettingsEntity::new(setting, &limits)))
    })
    .await
}

async fn update(
    by: Caller, params: Params<UpdateSettings>,
) -> Result<Ok200<TrackingSettingsEntity>> {
    let change = change(params.active, params.integrated);
    by.write(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &params.at.id, Purpose::Update)?;
        rows::of_project(tx, project.id)?.found(MISSING)?;
        let setting = settings::put(&by.app, tx, &by.viewer, &project, &change)?;
        let limits = kernel::settings::read(tx)?;
        Ok(Ok200(TrackingSettingsEntity::new(setting, &limits)))
    })
    .await
}

fn change(active: YesOrNo, integrated: Option<YesOrNo>) -> Change {
    Change {
        active: active.0,
        integrated: integrated.map(|it| it.0),
        external: None,
    }
}
