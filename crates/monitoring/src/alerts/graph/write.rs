//! Mutations of integrations.

use super::enums::{FIELD_TYPE, TARGET, TYPE};
use super::integration::{HTTP, IntegrationView, PROMETHEUS, PROMETHEUS_ID, SEGMENT, object_of};
use super::{INTEGRATION_ID, caller};
use crate::access::Manager;
use crate::alerts::model::{Integration, Kind};
use crate::alerts::payload::mapping::Mapping;
use crate::alerts::rules::integrations::{self as rules, Change};
use crate::alerts::store::integrations as rows;
use kernel::app::App;
use kernel::error::{Error, Found, Result as Wrote};
use kernel::graph::input::GraphInput;
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, Mark, MutationBuilder, STRING, argument,
    named, object,
};
use kernel::graph_input;
use kernel::ids::Reference;
use serde_json::{Value as Json, json};
use std::sync::Arc;
use store::Tx;

const FIELD: &str = "AlertManagementPayloadAlertFieldInput";
/// Name of integrations that are made without one.
const METRICS_NAME: &str = "Prometheus";
/// What is said of a second integration of the metrics tool.
const SECOND: &str = "Multiple Prometheus integrations are not supported";

struct Changed(Arc<IntegrationView>);

graph_input! {
    struct FieldInput {
        /// The field.
        field_name: String = TARGET.required(),
        /// The way to it.
        path: Json = SEGMENT.required().list().required(),
        /// What people call it.
        label: Option<String> = STRING,
        /// What kind of value it is.
        kind as "type": String = FIELD_TYPE.required(),
    }
}

graph_input! {
    struct PayloadInput {
        /// What its sender sends.
        payload_example: Option<String> = named("JsonString"),
        /// Where payloads hold the fields of an alert.
        payload_attribute_mappings: Option<Vec<FieldInput>> = named(FIELD).required().list(),
    }
}

graph_input! {
    struct Create {
        ..payloads: PayloadInput,
        /// Full path of the project.
        project_path: String = ID.required(),
        /// What people call it.
        name: String = STRING.required(),
        /// Whether it receives anything.
        active: bool = BOOLEAN.required(),
        /// What it is for.
        kind as "type": Option<String> = TYPE => "HTTP",
    }
}

graph_input! {
    struct Update {
        ..payloads: PayloadInput,
        /// The integration.
        id: i64 = INTEGRATION_ID.required(),
        /// What people call it.
        name: Option<String> = STRING,
        /// Whether it receives anything.
        active: Option<bool> = BOOLEAN,
        /// What it is for.
        kind as "type": Option<String> = TYPE,
    }
}

graph_input! {
    struct One {
        /// The integration.
        id: i64 = INTEGRATION_ID.required(),
    }
}

graph_input! {
    struct CreateMetrics {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Whether it receives anything.
        active: bool = BOOLEAN.required(),
    }
}

graph_input! {
    struct UpdateMetrics {
        /// The integration.
        id: i64 = named(PROMETHEUS_ID).required(),
        /// Whether it receives anything.
        active: Option<bool> = BOOLEAN,
    }
}

graph_input! {
    struct OneMetrics {
        /// The integration.
        id: i64 = named(PROMETHEUS_ID).required(),
    }
}

pub fn graph(g: &mut Graph) {
    let text = "Where payloads hold a field of an alert.";
    g.input(FIELD, text, FieldInput::arguments());
    http(g);
    metrics(g);
}

fn http(g: &mut Graph) {
    let text = "Makes an alert integration.";
    mutation(g, "httpIntegrationCreate", text, HTTP).handle(|it: Create, context| async move {
        let new = Change {
            name: Some(it.name),
            active: Some(it.active),
            ..it.payloads.change(it.kind)?
        };
        create(it.project_path, new, false, context).await
    });
    let text = "Changes an alert integration.";
    mutation(g, "httpIntegrationUpdate", text, HTTP).handle(|it: Update, context| async move {
        let wanted = Change {
            name: it.name,
            active: it.active,
            ..it.payloads.change(it.kind)?
        };
        update(it.id, wanted, false, context).await
    });
    let text = "Gives an alert integration another key; the old one stops at once.";
    mutation(g, "httpIntegrationResetToken", text, HTTP)
        .handle(|it: One, context| reset(it.id, false, context));
    let text = "Removes an alert integration; its alerts stay.";
    mutation(g, "httpIntegrationDestroy", text, HTTP).handle(|it: One, context| async move {
        change(it.id, false, context, |_, tx, by, one| rules::destroy(tx, by, one.id)).await
    });
}

fn mutation<'g>(
    g: &'g mut Graph, name: &'static str, text: &'static str, shows: &'static str,
) -> MutationBuilder<'g, Changed> {
    g.mutation::<Changed>(name, text).answers(
        "integration",
        object::<IntegrationView>(shows),
        |it| Some(it.0.clone()),
    )
}

/// Mutations of integrations of the metrics tool, which those above replace.
fn metrics(g: &mut Graph) {
    let deprecated = |replacement: &'static str| Mark::Deprecated {
        reason: "One kind of integration does for all",
        milestone: "18.2",
        replacement: Some(replacement),
    };
    let api = || argument("apiUrl", STRING).describe("Where the sender answers; not used.");
    let text = "Makes an integration of the metrics tool.";
    mutation(g, "prometheusIntegrationCreate", text, PROMETHEUS)
        .mark(deprecated("HttpIntegrationCreate"))
        .input(api())
        .handle(|it: CreateMetrics, context| async move {
            let new = Change {
                kind: Some(Kind::Prometheus),
                name: Some(METRICS_NAME.to_owned()),
                active: Some(it.active),
                ..Change::default()
            };
            create(it.project_path, new, true, context).await
        });
    let text = "Changes an integration of the metrics tool.";
    mutation(g, "prometheusIntegrationUpdate", text, PROMETHEUS)
        .mark(deprecated("HttpIntegrationUpdate"))
        .input(api())
        .handle(|it: UpdateMetrics, context| {
            let wanted = Change { active: it.active, ..Change::default() };
            update(it.id, wanted, true, context)
        });
    let text = "Gives an integration of the metrics tool another key.";
    mutation(g, "prometheusIntegrationResetToken", text, PROMETHEUS)
        .mark(deprecated("HttpIntegrationResetToken"))
        .handle(|it: OneMetrics, context| reset(it.id, true, context));
}

impl PayloadInput {
    fn change(&self, kind: Option<String>) -> Result<Change, Fault> {
        let mapping = self.payload_attribute_mappings.as_ref().map(|entries| {
            let entries: Vec<Json> = entries.iter().map(FieldInput::entry).collect();
            Mapping::sent(&entries)
        });
        Ok(Change {
            kind: kind.and_then(|kind| Kind::from_text(&kind.to_ascii_lowercase())),
            payload_example: self.payload_example.as_deref().map(object_of).transpose()?,
            payload_mapping: mapping.transpose()?,
            ..Change::default()
        })
    }
}

impl FieldInput {
    /// As REST names its fields.
    fn entry(&self) -> Json {
        json!({
            "field_name": self.field_name,
            "path": self.path,
            "label": self.label,
            "type": self.kind,
        })
    }
}

fn done(app: &App, one: Integration, project: &str, metrics: bool) -> Result<Done<Changed>, Fault> {
    Ok(Done::from(Changed(IntegrationView::new(app, one, project, metrics)?)))
}

async fn create(
    path: String, new: Change, metrics: bool, context: Context,
) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let (handle, reference) = (app.clone(), Reference::Path(path));
    let wrote = app.write(move |tx| {
        let by = Manager::authorize(tx, &viewer, &reference)?;
        if metrics && rows::has_other(tx, by.project.id, Kind::Prometheus, 0)? {
            return Err(Error::invalid("base", SECOND));
        }
        let made = rules::create(&handle, tx, &by, &new, metrics)?;
        Ok((made, by.project.full_path.clone()))
    });
    let (made, project) = wrote.await?;
    done(&app, made, &project, metrics)
}

async fn update(
    id: i64, wanted: Change, metrics: bool, context: Context,
) -> Result<Done<Changed>, Fault> {
    let nothing = wanted.kind.is_none()
        && wanted.name.is_none()
        && wanted.active.is_none()
        && wanted.payload_example.is_none()
        && wanted.payload_mapping.is_none();
    change(id, metrics, context, move |_, tx, by, one| {
        if nothing && !metrics {
            let text = "Please provide attributes to update";
            return Err(Error::invalid("base", text));
        }
        rules::update(tx, by, one, &wanted)
    })
    .await
}

async fn reset(id: i64, metrics: bool, context: Context) -> Result<Done<Changed>, Fault> {
    change(id, metrics, context, |app, tx, by, one| rules::reset_token(app, tx, by, one, 0)).await
}

async fn change(
    id: i64, metrics: bool, context: Context,
    work: impl Fn(&App, &mut Tx<'_>, &Manager, &Integration) -> Wrote<Integration>
    + Send
    + Sync
    + 'static,
) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let handle = app.clone();
    let wrote = app.write(move |tx| {
        let one = rows::by_id(tx, id)?.found("Integration")?;
        let by = Manager::authorize(tx, &viewer, &Reference::Id(one.project_id))?;
        if metrics && one.kind != Kind::Prometheus {
            return Err(Error::NotFound("Integration"));
        }
        let changed = work(&handle, tx, &by, &one)?;
        Ok((changed, by.project.full_path.clone()))
    });
    let (changed, project) = wrote.await?;
    done(&app, changed, &project, metrics)
}
