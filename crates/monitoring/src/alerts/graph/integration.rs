//! Integrations: the interface, its two types, and what payloads offer.

use super::enums::{FIELD_TYPE, TARGET, TYPE};
use super::{INTEGRATION_ID, caller, ids, paths, read};
use crate::alerts::model::{Integration, Kind};
use crate::alerts::payload::mapping::{Mapped, Target, offered};
use crate::alerts::payload::{self, Payload};
use crate::alerts::rules::integrations;
use kernel::app::App;
use kernel::error::Result as Read;
use kernel::graph::scalars::split;
use kernel::graph::shape::Leaf;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, Graph, HasTypeRef, ID, Key, ObjectBuilder,
    Order, Owned, STRING, argument, named, object, one_of,
};
use serde_json::{Value as Json, json};
use spaces::graph::ProjectView as Project;
use std::collections::HashMap;
use std::sync::Arc;

const INTEGRATION: &str = "AlertManagementIntegration";
/// Integrations as those for any sender are shown.
pub const HTTP: &str = "AlertManagementHttpIntegration";
/// Integrations as those for the metrics tool are shown.
pub const PROMETHEUS: &str = "AlertManagementPrometheusIntegration";
/// Scalar and models of IDs of the latter, the newest first.
pub const PROMETHEUS_ID: &str = "IntegrationsPrometheusID";
const PROMETHEUS_MODELS: [&str; 2] = ["Integrations::Prometheus", "PrometheusService"];

/// A step of a path: a text or a number.
pub const SEGMENT: Leaf<Json> = Leaf::new("PayloadAlertFieldPathSegment", |it| it);
const JSON_STRING: Leaf<String> = Leaf::new("JsonString", Json::String);

/// An integration as the interface shows it to those who manage it.
pub struct IntegrationView {
    integration: Integration,
    token: String,
    url: String,
    /// Whether it is shown as one of the metrics tool.
    is_metrics: bool,
}

impl IntegrationView {
    pub fn new(
        app: &App, integration: Integration, project: &str, is_metrics: bool,
    ) -> Read<Arc<IntegrationView>> {
        Ok(Arc::new(IntegrationView {
            token: integrations::token(app, &integration)?,
            url: integrations::url(app.base_url(), project, &integration),
            integration,
            is_metrics,
        }))
    }

    fn type_name(&self) -> &'static str {
        match self.is_metrics {
            true => PROMETHEUS,
            false => HTTP,
        }
    }

    fn global_id(&self) -> String {
        match self.is_metrics {
            true => format!("gid://service/{}/{}", PROMETHEUS_MODELS[0], self.integration.id),
            false => INTEGRATION_ID.of(self.integration.id),
        }
    }
}

/// A field of a payload: what it fills, if it does, and where it is.
struct PayloadField(Option<Target>, Mapped);

pub fn graph(g: &mut Graph) {
    scalars(g);
    common(g.interface::<IntegrationView>(INTEGRATION, "Where a tool sends alerts."));
    let text = "Where the metrics tool sends alerts.";
    g.object::<IntegrationView>(PROMETHEUS, text).implements(INTEGRATION);
    place(g.object::<PayloadField>(
        "AlertManagementPayloadAlertField",
        "A field that a payload offers.",
    ));
    let text = "Where a payload holds a field of an alert.";
    place(g.object::<PayloadField>("AlertManagementPayloadAlertMappingField", text))
        .field("fieldName", TARGET, |it| it.0)
        .describe("The field.");
    http(g);
    projects(g);
}

fn scalars(g: &mut Graph) {
    let text = "A global ID of Integrations::Prometheus, such as \
        `gid://service/Integrations::Prometheus/1`.";
    g.scalar(PROMETHEUS_ID, text, |given| {
        let text = given.as_str().ok_or(None)?;
        let (model, id) = split(text).map_err(Some)?;
        match PROMETHEUS_MODELS.contains(&model) {
            true => Ok(json!(id.parse().ok().filter(|id| *id > 0).unwrap_or(0_i64))),
            false => Err(Some(format!(
                "{text:?} does not represent an instance of {}",
                PROMETHEUS_MODELS[0]
            ))),
        }
    });
    let text = "A step of the way to a field: a key, or a place in a list.";
    g.scalar("PayloadAlertFieldPathSegment", text, |given| match given {
        Json::String(_) => Ok(given.clone()),
        Json::Number(number) if number.is_u64() => Ok(given.clone()),
        _ => Err(None),
    });
    if !g.has("GlobalID") {
        let text = "A global ID of anything.";
        g.scalar("GlobalID", text, |given| {
            let text = given.as_str().ok_or(None)?;
            split(text).map_err(Some)?;
            Ok(given.clone())
        });
    }
}

fn common(it: ObjectBuilder<'_, IntegrationView>) {
    it.field("id", ID.required(), |it| it.global_id())
        .describe("Global ID.")
        .field("type", TYPE.required(), |it| it.integration.kind)
        .describe("What it is for.")
        .field("name", STRING, |it| Some(it.integration.name.clone()))
        .describe("What people call it.")
        .field("active", BOOLEAN, |it| Some(it.integration.active))
        .describe("Whether it receives anything.")
        .field("token", STRING, |it| Some(it.token.clone()))
        .describe("Its key.")
        .field("url", STRING, |it| Some(it.url.clone()))
        .describe("Where senders send to.")
        .field("apiUrl", STRING, |_| None)
        .describe("Where the sender answers; null, as nothing is asked of it.");
}

fn place(it: ObjectBuilder<'_, PayloadField>) -> ObjectBuilder<'_, PayloadField> {
    it.field("path", SEGMENT.required().list(), |it| match json!(it.1.path) {
        Json::Array(steps) => Some(steps),
        _ => None,
    })
    .describe("The way to it.")
    .field("label", STRING, |it| Some(it.1.label.clone()))
    .describe("What people call it.")
    .field("type", FIELD_TYPE, |it| Some(it.1.kind))
    .describe("What kind of value it is.")
}

fn http(g: &mut Graph) {
    let offer = object::<PayloadField>("AlertManagementPayloadAlertField");
    let mapped = object::<PayloadField>("AlertManagementPayloadAlertMappingField");
    g.object::<IntegrationView>(HTTP, "Where any tool sends alerts.")
        .implements(INTEGRATION)
        .field("payloadExample", JSON_STRING, |it| {
            Some(it.integration.payload_example.to_string())
        })
        .describe("What its sender sends.")
        .field("payloadAttributeMappings", mapped.required().list(), |it| {
            let entries = it.integration.payload_mapping.0.entries();
            let place = |(target, one): (Target, &Mapped)| {
                Arc::new(PayloadField(Some(target), one.clone()))
            };
            Some(entries.map(place).collect())
        })
        .describe("Where payloads hold the fields of an alert.")
        .field("payloadAlertFields", offer.required().list(), |it| {
            let example = it.integration.payload_example.as_object();
            Some(example.map(offers).unwrap_or_default())
        })
        .describe("The fields that the example offers.");
}

fn offers(example: &Payload) -> Vec<Arc<PayloadField>> {
    let place = |one: Mapped| Arc::new(PayloadField(None, one));
    offered(example).into_iter().map(place).collect()
}

fn projects(g: &mut Graph) {
    let offer = object::<PayloadField>("AlertManagementPayloadAlertField");
    g.on::<Project>("Project")
        .connections(
            "alertManagementIntegrations",
            one_of::<IntegrationView>(INTEGRATION, IntegrationView::type_name),
            |projects, ask, args: Args, context| async move {
                let id: Option<String> = args.get("id")?;
                let which = match id.as_deref().map(which) {
                    None => (None, None),
                    Some(Some((id, kind))) => (Some(id), Some(kind)),
                    Some(None) => (Some(0), None),
                };
                listed(projects, ask, which, true, context).await
            },
        )
        .describe("Where its alerts come from; none for those who do not manage it.")
        .arg(argument("id", named("GlobalID")).describe("Only this one."))
        .connections(
            "alertManagementHttpIntegrations",
            object::<IntegrationView>(HTTP),
            |projects, ask, args: Args, context| async move {
                let id: Option<i64> = args.get("id")?;
                listed(projects, ask, (id, None), false, context).await
            },
        )
        .describe("The same, all as integrations for any sender.")
        .arg(argument("id", INTEGRATION_ID).describe("Only this one."))
        .level(
            "alertManagementPayloadFields",
            offer.required().list(),
            |projects: Vec<Arc<Project>>, args: Args, context| async move {
                let text: String = args.get("payloadExample")?;
                let example = object_of(&text)?;
                let (app, viewer) = caller(&context)?;
                let ids = ids(&projects);
                let managed = app.read(move |tx| read::managed(tx, &viewer, &ids));
                let managed = managed.await?;
                let of =
                    |it: &Arc<Project>| managed.contains(&it.project.id).then(|| offers(&example));
                Ok(projects.iter().map(of).collect())
            },
        )
        .describe("The fields that a payload offers; null for those who do not manage it.")
        .arg(argument("payloadExample", STRING.required()).describe("The payload, as JSON."));
}

/// The object that a text of JSON is, within the limits of payloads.
pub fn object_of(text: &str) -> Result<Payload, Fault> {
    let wrong = || match serde_json::from_str::<Json>(text) {
        Ok(Json::Object(_)) => "payloadExample is too large or nested too deeply",
        Ok(_) => "payloadExample must be a JSON object",
        Err(_) => "payloadExample is not valid JSON",
    };
    payload::read(text.as_bytes()).ok_or_else(|| Fault::argument(wrong()))
}

/// Number and kind of an ID of either type.
fn which(text: &str) -> Option<(i64, Kind)> {
    let (model, id) = split(text).ok()?;
    let kind = match model {
        model if model == INTEGRATION_ID.model => Kind::Http,
        model if PROMETHEUS_MODELS.contains(&model) => Kind::Prometheus,
        _ => return None,
    };
    Some((id.parse().ok()?, kind))
}

const KEYS: [Key; 1] = [Key::int("i.id", Order::Asc)];

async fn listed(
    projects: Vec<Arc<Project>>, ask: Ask, (id, kind): (Option<i64>, Option<Kind>), by_kind: bool,
    context: Context,
) -> Result<Vec<Option<Connection<IntegrationView>>>, Fault> {
    let window = ask.window(&context, "alert integrations", &KEYS)?;
    let (app, viewer) = caller(&context)?;
    let owners = ids(&projects);
    let wanted = owners.clone();
    let read = app.read(move |tx| {
        let managed = read::managed(tx, &viewer, &wanted)?;
        let found = read::integrations(tx, &managed, id, kind, &window)?;
        Ok((found, window))
    });
    let (found, window) = read.await?;
    let paths = paths(&projects);
    let mut views: HashMap<i64, Vec<Arc<IntegrationView>>> = HashMap::new();
    for Owned { owner, row } in found {
        let path = paths.get(&owner).copied().unwrap_or_default();
        let is_metrics = by_kind && row.kind == Kind::Prometheus;
        let one = IntegrationView::new(&app, row, path, is_metrics)?;
        views.entry(owner).or_default().push(one);
    }
    let page = |owner: &i64| {
        let rows = views.get(owner).cloned().unwrap_or_default();
        Some(window.page_of(rows, |it: &IntegrationView| vec![it.integration.id.into()]))
    };
    Ok(owners.iter().map(page).collect())
}
