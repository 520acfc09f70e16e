//! Mutations of integrations.

use super::integration::{HTTP, IntegrationView, PROMETHEUS, PROMETHEUS_ID, object_of};
use super::{INTEGRATION_ID, SETTINGS, caller};
use crate::alerts::model::{Integration, Kind};
use crate::alerts::payload::mapping::Mapping;
use crate::alerts::rules::integrations::{self as rules, Change, New};
use crate::alerts::store::integrations as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result as Wrote};
use kernel::graph::{
    Argument, BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, Mark, MutationBuilder, STRING,
    argument, named, object,
};
use kernel::ids::Reference;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use spaces::Project;
use std::sync::Arc;
use store::Tx;

/// Name of integrations that are made without one.
const METRICS_NAME: &str = "Prometheus";
/// What is said of a second integration of the metrics tool.
const SECOND: &str = "Multiple Prometheus integrations are not supported";

/// What a mutation of an integration shows.
struct Changed(Arc<IntegrationView>);

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields {
    #[serde(rename = "type")]
    kind: Option<String>,
    name: Option<String>,
    active: Option<bool>,
    payload_example: Option<String>,
    payload_attribute_mappings: Option<Vec<Json>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    project_path: String,
    #[serde(flatten)]
    fields: Fields,
}

#[derive(Deserialize)]
struct Update {
    id: i64,
    #[serde(flatten)]
    fields: Fields,
}

#[derive(Deserialize)]
struct One {
    id: i64,
}

pub fn graph(g: &mut Graph) {
    g.input(
        "AlertManagementPayloadAlertFieldInput",
        "Where payloads hold a field of an alert.",
        vec![
            said(
                "fieldName",
                named("AlertManagementPayloadAlertFieldName").required(),
                "The field.",
            ),
            said(
                "path",
                named("PayloadAlertFieldPathSegment")
                    .required()
                    .list()
                    .required(),
                "The way to it.",
            ),
            said("label", STRING, "What people call it."),
            said(
                "type",
                named("AlertManagementPayloadAlertFieldType").required(),
                "What kind of value it is.",
            ),
        ],
    );
    http(g);
    metrics(g);
}

fn said(name: &str, shape: impl HasTypeRef, text: &str) -> Argument {
    argument(name, shape).describe(text)
}

fn shows<'g>(it: MutationBuilder<'g, Changed>, name: &'static str) -> MutationBuilder<'g, Changed> {
    it.answers("integration", object::<IntegrationView>(name), |it| {
        Some(it.0.clone())
    })
}

fn payload(it: MutationBuilder<'_, Changed>) -> MutationBuilder<'_, Changed> {
    it.input(said(
        "payloadExample",
        named("JsonString"),
        "What its sender sends.",
    ))
    .input(said(
        "payloadAttributeMappings",
        named("AlertManagementPayloadAlertFieldInput")
            .required()
            .list(),
        "Where payloads hold the fields of an alert.",
    ))
}

fn http(g: &mut Graph) {
    let kind = || {
        let of = named("AlertManagementIntegrationType");
        said("type", of, "What it is for.")
    };
    let id = || said("id", INTEGRATION_ID.required(), "The integration.");
    let it = g
        .mutation::<Changed>("httpIntegrationCreate", "Makes an alert integration.")
        .input(said(
            "projectPath",
            ID.required(),
            "Full path of the project.",
        ))
        .input(said("name", STRING.required(), "What people call it."))
        .input(said(
            "active",
            BOOLEAN.required(),
            "Whether it receives anything.",
        ))
        .input(kind().default("HTTP"));
    shows(payload(it), HTTP).run(|it: Create, context| async move {
        let new = New {
            kind: it.fields.kind().unwrap_or(Kind::Http),
            name: it.fields.name.clone().unwrap_or_default(),
            active: it.fields.active.unwrap_or(true),
            plain_address: false,
            change: it.fields.change()?,
        };
        create(it.project_path, new, false, context).await
    });
    let it = g
        .mutation::<Changed>("httpIntegrationUpdate", "Changes an alert integration.")
        .input(id())
        .input(said("name", STRING, "What people call it."))
        .input(said("active", BOOLEAN, "Whether it receives anything."))
        .input(kind());
    shows(payload(it), HTTP).run(|it: Update, context| update(it, false, context));
    let text = "Gives an alert integration another key; the old one stops at once.";
    let it = g.mutation::<Changed>("httpIntegrationResetToken", text);
    shows(it.input(id()), HTTP).run(|it: One, context| reset(it, false, context));
    let text = "Removes an alert integration; its alerts stay.";
    let it = g.mutation::<Changed>("httpIntegrationDestroy", text);
    shows(it.input(id()), HTTP).run(|it: One, context| async move {
        change(it.id, false, context, |_, tx, viewer, project, one| {
            rules::destroy(tx, viewer, project, one.id)
        })
        .await
    });
}

/// Mutations of integrations of the metrics tool, which those above replace.
fn deprecated(replacement: &'static str) -> Mark {
    Mark::Deprecated {
        reason: "One kind of integration does for all",
        milestone: "18.2",
        replacement: Some(replacement),
    }
}

fn metrics(g: &mut Graph) {
    let id = || said("id", named(PROMETHEUS_ID).required(), "The integration.");
    let api = || said("apiUrl", STRING, "Where the sender answers; not used.");
    let text = "Makes an integration of the metrics tool.";
    let it = g
        .mutation::<Changed>("prometheusIntegrationCreate", text)
        .mark(deprecated("HttpIntegrationCreate"))
        .input(said(
            "projectPath",
            ID.required(),
            "Full path of the project.",
        ))
        .input(said(
            "active",
            BOOLEAN.required(),
            "Whether it receives anything.",
        ))
        .input(api());
    shows(it, PROMETHEUS).run(|it: Create, context| async move {
        let new = New {
            kind: Kind::Prometheus,
            name: METRICS_NAME.to_owned(),
            active: it.fields.active.unwrap_or(true),
            plain_address: true,
            change: Change::default(),
        };
        create(it.project_path, new, true, context).await
    });
    let text = "Changes an integration of the metrics tool.";
    let it = g
        .mutation::<Changed>("prometheusIntegrationUpdate", text)
        .mark(deprecated("HttpIntegrationUpdate"))
        .input(id())
        .input(said("active", BOOLEAN, "Whether it receives anything."))
        .input(api());
    shows(it, PROMETHEUS).run(|it: Update, context| update(it, true, context));
    let text = "Gives an integration of the metrics tool another key.";
    let it = g
        .mutation::<Changed>("prometheusIntegrationResetToken", text)
        .mark(deprecated("HttpIntegrationResetToken"));
    shows(it.input(id()), PROMETHEUS).run(|it: One, context| reset(it, true, context));
}

impl Fields {
    fn kind(&self) -> Option<Kind> {
        Kind::from_text(&self.kind.as_deref()?.to_ascii_lowercase())
    }

    fn change(&self) -> Result<Change, Fault> {
        let example = self.payload_example.as_deref().map(object_of).transpose()?;
        let mapping = self.payload_attribute_mappings.as_ref().map(|entries| {
            let entries: Vec<Json> = entries.iter().map(entry).collect();
            let wrong = |text: String| Error::invalid("payload_attribute_mappings", text);
            Mapping::parse(&entries).map_err(wrong)
        });
        Ok(Change {
            kind: self.kind(),
            name: self.name.clone(),
            active: self.active,
            payload_example: example,
            payload_mapping: mapping.transpose()?,
            ..Change::default()
        })
    }
}

/// An entry as REST names its fields.
fn entry(given: &Json) -> Json {
    json!({
        "field_name": given["fieldName"],
        "path": given["path"],
        "label": given["label"],
        "type": given["type"],
    })
}

fn done(app: &App, one: Integration, project: &str, metrics: bool) -> Result<Done<Changed>, Fault> {
    Ok(Done::from(Changed(IntegrationView::new(
        app, one, project, metrics,
    )?)))
}

async fn create(
    path: String,
    new: New,
    metrics: bool,
    context: Context,
) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let (handle, reference) = (app.clone(), Reference::Path(path));
    let wrote = app.write(move |tx| {
        let project = spaces::project(tx, &viewer, &reference, SETTINGS)?;
        if metrics && rows::has_other(tx, project.id, Kind::Prometheus, 0)? {
            return Err(Error::invalid("base", SECOND));
        }
        let made = rules::create(&handle, tx, &viewer, &project, &new)?;
        Ok((made, project.full_path))
    });
    let (made, project) = wrote.await?;
    done(&app, made, &project, metrics)
}

async fn update(it: Update, metrics: bool, context: Context) -> Result<Done<Changed>, Fault> {
    let wanted = it.fields.change()?;
    let nothing = wanted.kind.is_none()
        && wanted.name.is_none()
        && wanted.active.is_none()
        && wanted.payload_example.is_none()
        && wanted.payload_mapping.is_none();
    change(
        it.id,
        metrics,
        context,
        move |_, tx, viewer, project, one| {
            if nothing && !metrics {
                let text = "Please provide attributes to update";
                return Err(Error::invalid("base", text));
            }
            rules::update(tx, viewer, project, one, &wanted)
        },
    )
    .await
}

async fn reset(it: One, metrics: bool, context: Context) -> Result<Done<Changed>, Fault> {
    change(it.id, metrics, context, |app, tx, viewer, project, one| {
        rules::reset_token(app, tx, viewer, project, one, 0)
    })
    .await
}

/// Changes an integration of a project that the viewer manages, and shows it.
async fn change(
    id: i64,
    metrics: bool,
    context: Context,
    work: impl Fn(&App, &mut Tx<'_>, &Viewer, &Project, &Integration) -> Wrote<Integration>
    + Send
    + Sync
    + 'static,
) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let handle = app.clone();
    let wrote = app.write(move |tx| {
        let one = rows::by_id(tx, id)?.found("Integration")?;
        let project = Reference::Id(one.project_id);
        let project = spaces::project(tx, &viewer, &project, SETTINGS)?;
        if metrics && one.kind != Kind::Prometheus {
            return Err(Error::NotFound("Integration"));
        }
        let changed = work(&handle, tx, &viewer, &project, &one)?;
        Ok((changed, project.full_path))
    });
    let (changed, project) = wrote.await?;
    done(&app, changed, &project, metrics)
}
