//! Integrations of a project: where tools send alerts to (docs/interface/monitoring.md 1.1).

use super::ProjectPath;
use crate::access::Manager;
use crate::alerts::limits::AlertLimits;
use crate::alerts::model::{Delivered, Integration, Kind};
use crate::alerts::payload::mapping::{Mapped, Mapping, Path, Target, offered};
use crate::alerts::presets::Preset;
use crate::alerts::receive::keep::{self, Outcome};
use crate::alerts::rules::integrations::{self, Change};
use crate::alerts::store::{deliveries, integrations as rows};
use crate::rows::Times;
use identity::Caller;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::params::{Param, Source, Unusable};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Patch, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use spaces::access::Purpose;
use store::Tx;

const PATH: &str = "/projects/{id}/alert_management/http_integrations";
const ONE: &str = "/projects/{id}/alert_management/http_integrations/{integration_id}";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list).summary("Lists the alert integrations of a project");
    r.post(PATH, create).summary("Makes an alert integration of a project");
    r.get(ONE, show).summary("Shows an alert integration");
    r.put(ONE, update).summary("Changes an alert integration");
    r.delete(ONE, destroy).summary("Removes an alert integration");
    r.post(&format!("{ONE}/reset_token"), reset_token)
        .summary("Gives an alert integration another key");
    r.post(&format!("{ONE}/test"), test)
        .summary("Sends an alert as the integration's sender would");
    r.get(&format!("{ONE}/deliveries"), log)
        .summary("Lists what an alert integration received of late");
}

impl Param for Path {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        Path::parse(value).ok_or(Unusable::Invalid)
    }

    fn schema() -> Value {
        json!({"type": "array", "items": {"type": ["string", "integer"]}, "minItems": 1})
    }
}

kernel::params! {
    /// How payloads are read, and how long their sender may be silent.
    pub struct PayloadFields {
        /// What its sender sends.
        pub payload_example: Option<Source>,
        /// Where in it the fields of an alert are: field_name, path, label, type.
        pub payload_attribute_mappings: Option<Vec<Source>>,
        /// Paths whose values alone tell alerts apart.
        pub identity_fields: Option<Vec<Path>>,
        /// Paths that do not tell alerts apart.
        pub ignored_fields: Option<Vec<Path>>,
        /// Longest silence, in seconds, before an alert tells of it.
        pub heartbeat_seconds: Patch<i64>,
    }
}

kernel::params! {
    pub struct CreateIntegration {
        pub at: Flat<ProjectPath>,
        /// What people call it.
        pub name: String,
        /// Whether it receives anything.
        pub active: bool,
        /// What it is for; any sender unless given.
        pub kind as "type": Option<Kind>,
        /// Whether it answers at the project's plain address, if that is free.
        pub plain_address: Option<bool>,
        /// A sender whose payloads are known: fills mapping and identity where they are not given.
        pub preset: Option<Preset>,
        pub payloads: Flat<PayloadFields>,
    }
}

kernel::params! {
    pub struct IntegrationPath {
        /// The project.
        pub id: Reference,
        /// The integration.
        pub integration_id: i64,
    }
}

kernel::params! {
    pub struct UpdateIntegration {
        pub at: Flat<IntegrationPath>,
        /// What it is for.
        pub kind as "type": Option<Kind>,
        /// What people call it.
        pub name: Option<String>,
        /// Whether it receives anything.
        pub active: Option<bool>,
        pub payloads: Flat<PayloadFields>,
    }
}

kernel::params! {
    pub struct ResetToken {
        pub at: Flat<IntegrationPath>,
        /// Seconds for which the old key opens it, too.
        pub overlap_seconds: Option<i64>,
    }
}

kernel::params! {
    pub struct TestIntegration {
        pub at: Flat<IntegrationPath>,
        /// What its sender would send.
        pub payload: Source,
    }
}

impl PayloadFields {
    fn change(&self) -> Result<Change> {
        let mapping = self.payload_attribute_mappings.as_ref().map(|entries| {
            let entries: Vec<Value> = entries.iter().cloned().map(Value::Object).collect();
            Mapping::sent(&entries)
        });
        Ok(Change {
            payload_example: self.payload_example.clone(),
            payload_mapping: mapping.transpose()?,
            identity_fields: self.identity_fields.clone(),
            ignored_fields: self.ignored_fields.clone(),
            heartbeat_seconds: self.heartbeat_seconds.clone(),
            ..Change::default()
        })
    }
}

impl IntegrationPath {
    fn authorize(&self, tx: &mut Tx<'_>, by: &Caller) -> Result<(Manager, Integration)> {
        let here = Manager::authorize(tx, &by.viewer, &self.id)?;
        let integration = rows::find(tx, here.project.id, self.integration_id)?;
        Ok((here, integration.found("Integration")?))
    }
}

/// A field of a payload.
#[derive(Serialize, JsonSchema)]
pub struct FieldEntity {
    /// What it fills.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    field_name: Option<Target>,
    #[serde(flatten)]
    mapped: Mapped,
}

/// An alert integration.
#[derive(Serialize, JsonSchema)]
pub struct IntegrationEntity {
    /// Its number.
    id: i64,
    /// What it is for.
    #[serde(rename = "type")]
    kind: Kind,
    /// What people call it.
    name: String,
    /// Whether it receives anything.
    active: bool,
    /// The last part of its address.
    endpoint_identifier: String,
    /// Its key.
    token: String,
    /// Where senders send to.
    url: String,
    /// Until when the key before opens it, too.
    previous_token_until: Option<String>,
    /// What its sender sends.
    payload_example: Value,
    /// Where in it the fields of an alert are.
    payload_attribute_mappings: Vec<FieldEntity>,
    /// The fields that the example offers.
    payload_alert_fields: Vec<FieldEntity>,
    /// Paths whose values alone tell alerts apart.
    identity_fields: Value,
    /// Paths that do not tell alerts apart.
    ignored_fields: Value,
    /// Longest silence, in seconds, before an alert tells of it.
    heartbeat_seconds: Option<i64>,
    /// When something last arrived.
    last_received_at: Option<String>,
    #[serde(flatten)]
    times: Times,
}

impl IntegrationEntity {
    fn new(app: &App, here: &Manager, one: Integration) -> Result<IntegrationEntity> {
        let field =
            |field_name, mapped: &Mapped| FieldEntity { field_name, mapped: mapped.clone() };
        let offers = one.payload_example.as_object().map(offered);
        let offers = offers.unwrap_or_default();
        let mappings = one.payload_mapping.0.entries();
        let now = app.now();
        Ok(IntegrationEntity {
            token: integrations::token(app, &one)?,
            url: integrations::url(app.base_url(), &here.project.full_path, &one),
            payload_attribute_mappings: mappings
                .map(|(target, mapped)| field(Some(target), mapped))
                .collect(),
            payload_alert_fields: offers.iter().map(|mapped| field(None, mapped)).collect(),
            identity_fields: json!(one.identity_fields.0),
            ignored_fields: json!(one.ignored_fields.0),
            previous_token_until: one.overlaps_until(now).map(wire::text),
            last_received_at: one.last_received_at.map(wire::text),
            times: one.times,
            id: one.id,
            kind: one.kind,
            name: one.name,
            active: one.active,
            endpoint_identifier: one.endpoint_identifier,
            payload_example: one.payload_example,
            heartbeat_seconds: one.heartbeat_seconds,
        })
    }
}

/// An alert that a trial was about.
#[derive(Serialize, JsonSchema)]
pub struct TouchedEntity {
    /// Its number.
    iid: i64,
    /// Its title.
    title: String,
}

async fn list(
    by: Caller, path: Params<ProjectPath>, paging: Paging,
) -> Result<Paged<IntegrationEntity>> {
    by.read(move |tx, by| {
        let here = Manager::authorize(tx, &by.viewer, &path.id)?;
        let (limit, offset) = (paging.fetch(), paging.offset());
        let found = rows::list(tx, here.project.id, limit, offset)?.into_iter();
        let shown = found.map(|one| IntegrationEntity::new(&by.app, &here, one));
        let total = rows::count(tx, here.project.id)?;
        let shown = shown.collect::<Result<Vec<_>>>()?;
        Ok(Paged::numbered(shown, paging, Some(total)))
    })
    .await
}

async fn create(
    by: Caller, params: Params<CreateIntegration>,
) -> Result<Created<IntegrationEntity>> {
    let mut new = Change {
        kind: params.kind,
        name: Some(params.name.clone()),
        active: Some(params.active),
        ..params.payloads.change()?
    };
    if let Some(preset) = params.preset {
        preset.fill(&mut new);
    }
    by.write(move |tx, by| {
        let here = Manager::authorize(tx, &by.viewer, &params.at.id)?;
        let is_plain = params.plain_address.unwrap_or(false);
        let made = integrations::create(&by.app, tx, &here, &new, is_plain)?;
        Ok(Created(IntegrationEntity::new(&by.app, &here, made)?))
    })
    .await
}

async fn show(by: Caller, path: Params<IntegrationPath>) -> Result<Ok200<IntegrationEntity>> {
    by.read(move |tx, by| {
        let (here, one) = path.authorize(tx, by)?;
        Ok(Ok200(IntegrationEntity::new(&by.app, &here, one)?))
    })
    .await
}

async fn update(by: Caller, params: Params<UpdateIntegration>) -> Result<Ok200<IntegrationEntity>> {
    let change = Change {
        kind: params.kind,
        name: params.name.clone(),
        active: params.active,
        ..params.payloads.change()?
    };
    by.write(move |tx, by| {
        let (here, one) = params.at.authorize(tx, by)?;
        let changed = integrations::update(tx, &here, &one, &change)?;
        Ok(Ok200(IntegrationEntity::new(&by.app, &here, changed)?))
    })
    .await
}

async fn reset_token(by: Caller, params: Params<ResetToken>) -> Result<Ok200<IntegrationEntity>> {
    by.write(move |tx, by| {
        let (here, one) = params.at.authorize(tx, by)?;
        let overlap = params.overlap_seconds.unwrap_or(0);
        let changed = integrations::reset_token(&by.app, tx, &here, &one, overlap)?;
        Ok(Ok200(IntegrationEntity::new(&by.app, &here, changed)?))
    })
    .await
}

async fn destroy(by: Caller, path: Params<IntegrationPath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let here = Manager::authorize(tx, &by.viewer, &path.id)?;
        integrations::destroy(tx, &here, path.integration_id)?;
        Ok(NoContent)
    })
    .await
}

/// Does as if its sender had sent something.
async fn test(
    app: App, viewer: Viewer, params: Params<TestIntegration>,
) -> Result<Ok200<Vec<TouchedEntity>>> {
    let limits: AlertLimits = app.settings().get(&app).await?;
    let now = app.now();
    let (project_id, delivery) = app
        .read(move |tx| {
            let project = spaces::project(tx, &viewer, &params.at.id, Purpose::ManageAlerts)?;
            let one = rows::find(tx, project.id, params.at.integration_id)?.found("Integration")?;
            let delivery = integrations::trial(&one, &limits, params.payload.clone(), now)?;
            Ok((project.id, delivery))
        })
        .await?;
    match keep::keep(&app, project_id, delivery).await? {
        Outcome::Kept(alerts) => {
            let entity = |(iid, title)| TouchedEntity { iid, title };
            Ok(Ok200(alerts.into_iter().map(entity).collect()))
        }
        Outcome::Nothing => Err(Error::BadRequest("no open alert is ended by this".into())),
        Outcome::Closed => Err(Error::forbidden("The integration is not active")),
    }
}

async fn log(
    by: Caller, path: Params<IntegrationPath>, paging: Paging,
) -> Result<Paged<Delivered>> {
    by.read(move |tx, by| {
        let (_, one) = path.authorize(tx, by)?;
        deliveries::page(tx, one.id, paging)
    })
    .await
}
