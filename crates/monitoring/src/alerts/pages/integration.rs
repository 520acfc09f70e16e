//! `…/-/settings/alerts/<id>`: one integration: its address and key, how its
//! payloads are read, and what it received of late.

use super::views::{AlertIntegration, TargetRow};
use crate::access::Manager;
use crate::alerts::limits::AlertLimits;
use crate::alerts::model::Integration;
use crate::alerts::payload::Payload;
use crate::alerts::payload::mapping::{MAX_PATHS, Mapped, Mapping, Path, Target, offered};
use crate::alerts::receive::keep;
use crate::alerts::rules::integrations::{self, Change};
use crate::alerts::store::{deliveries, integrations as rows};
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::html::{Moment, Page};
use kernel::http::{Flat, Params, Patch, Response, Text};
use serde_json::{Value, json};
use spaces::pages::{Section, Space, Visit};
use store::Tx;

const DELIVERIES: i64 = 100;
/// A payload to begin with.
const SAMPLE: &str = "{\n  \"title\": \"Test alert\",\n  \"severity\": \"low\"\n}";
/// How long the old key may still open it, in seconds.
const OVERLAPS: &[(&str, &str)] = &[
    ("0", "At once"),
    ("3600", "After an hour"),
    ("86400", "After a day"),
    ("604800", "After a week"),
];

kernel::choices! {
    /// What the forms ask for.
    pub enum Action {
        Save = "save",
        /// Another key.
        Reset = "reset",
        /// A trial.
        Test = "test",
        Remove = "remove",
    }
}

kernel::params! {
    pub struct OneIntegration {
        pub integration_id: i64,
    }
}

kernel::params! {
    pub struct Form {
        pub at: Flat<OneIntegration>,
        pub action: Action,
        pub fields: Flat<Fields>,
        /// Where fields are: a name and a path, with a space between them.
        pub mapping: Option<Vec<String>>,
        /// For how many seconds the old key opens it, too.
        pub overlap_seconds: Option<i64>,
        /// What its sender would send, as JSON.
        pub payload: Option<String>,
    }
}

kernel::params! {
    /// The fields of an integration as they are typed.
    #[derive(Default)]
    pub struct Fields {
        pub name: Text,
        pub active: Option<bool>,
        /// Longest silence, in seconds; blank for any.
        pub heartbeat_seconds: Text,
        /// What its sender sends, as JSON.
        pub payload_example: Text,
        /// Paths whose values alone tell alerts apart, one a line.
        pub identity_fields: Text,
        /// Paths that do not tell alerts apart, one a line.
        pub ignored_fields: Text,
    }
}

#[derive(Clone)]
struct IntegrationPage {
    app: App,
    visit: Visit,
    id: i64,
}

pub(super) async fn show(app: App, visit: Visit, path: Params<OneIntegration>) -> Result<Response> {
    let page = IntegrationPage { app: app.clone(), visit, id: path.integration_id };
    form::show(&app, page).await
}

pub(super) async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let Params(form) = form;
    let page = IntegrationPage { app: app.clone(), visit, id: form.at.integration_id };
    match form.action {
        Action::Test => {
            let done = page.trial(&form).await;
            form::answer(&app, page, form, done).await
        }
        _ => form::submit(&app, page, form).await,
    }
}

impl FormPage for IntegrationPage {
    type Form = Form;
    type View = AlertIntegration;
    const FIELDS: &'static [&'static str] = &[
        "name",
        "heartbeat_seconds",
        "payload_example",
        "identity_fields",
        "ignored_fields",
        "payload",
        "overlap_seconds",
    ];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Alert integration")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<AlertIntegration> {
        let (space, _, one) = self.authorize(tx)?;
        let received = deliveries::list(tx, one.id, DELIVERIES, 0)?;
        let (now, project) = (tx.now(), space.full_path());
        let all = settings(&space);
        let head = space.head(tx, &self.visit.viewer)?;
        let page = head.page_below(page, Section::Settings);
        let mut page = page.crumb("Alerts", all.as_str());
        page.title = one.name.clone();
        let form = typed.form.as_ref();
        let payload = form.and_then(|form| form.payload.clone());
        let overlap = one.overlaps_until(now);
        Ok(AlertIntegration {
            page,
            head,
            url: format!("{all}/{}", one.id),
            title: one.name.clone(),
            address: integrations::url(self.app.base_url(), project, &one),
            token: integrations::token(&self.app, &one)?,
            previous_until: overlap.map(|until| Moment::new(until, now)),
            overlaps: Choice::list(OVERLAPS),
            form: match form.filter(|form| form.action == Action::Save) {
                Some(form) => form.fields.0.clone(),
                None => Fields::of(&one),
            },
            targets: targets(&one),
            payload: payload.unwrap_or_else(|| SAMPLE.to_owned()),
            deliveries: received,
            now,
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (space, by, one) = self.authorize(tx)?;
        let text = match form.action {
            Action::Reset => {
                let overlap = form.overlap_seconds.unwrap_or(0);
                integrations::reset_token(&self.app, tx, &by, &one, overlap)?;
                "The integration has another key."
            }
            Action::Remove => {
                integrations::destroy(tx, &by, one.id)?;
                return Outcome::led(settings(&space), "Integration removed.");
            }
            Action::Save | Action::Test => {
                let change = form.change(&one.payload_mapping.0)?;
                integrations::update(tx, &by, &one, &change)?;
                "Integration saved."
            }
        };
        Outcome::led(format!("{}/{}", settings(&space), one.id), text)
    }
}

/// The page of all integrations.
fn settings(space: &Space) -> String {
    format!("{}/-/settings/alerts", space.url())
}

impl IntegrationPage {
    fn authorize(&self, tx: &mut Tx<'_>) -> Result<(Space, Manager, Integration)> {
        let (space, by) = Manager::visit(tx, &self.visit)?;
        let found = rows::find(tx, by.project.id, self.id)?.found("Integration")?;
        Ok((space, by, found))
    }

    /// Does as if the sender had sent what was typed.
    async fn trial(&self, form: &Form) -> Result<Outcome<Self>> {
        let limits: AlertLimits = self.app.settings().get(&self.app).await?;
        let payload = object("payload", form.payload.as_deref().unwrap_or_default())?;
        let (page, now) = (self.clone(), self.app.now());
        let read = self.app.read(move |tx| {
            let (space, _, one) = page.authorize(tx)?;
            let delivery = integrations::trial(&one, &limits, payload, now)?;
            let url = format!("{}/{}", settings(&space), one.id);
            Ok((one.project_id, url, delivery))
        });
        let (project_id, url, delivery) = read.await?;
        match keep::keep(&self.app, project_id, delivery).await? {
            keep::Outcome::Kept(alerts) if alerts.is_empty() => {
                Outcome::led(url, "Nothing in it is an alert.")
            }
            keep::Outcome::Kept(alerts) => {
                let names: Vec<String> = alerts.iter().map(|(iid, _)| format!("#{iid}")).collect();
                let text = format!("It was received as alert {}.", names.join(", "));
                Outcome::led(url, text)
            }
            keep::Outcome::Nothing => {
                Err(Error::invalid("payload", "ends an alert that is not open"))
            }
            keep::Outcome::Closed => Err(Error::Conflict("The integration is not active".into())),
        }
    }
}

/// Paths as a field of several lines holds them.
fn lines(paths: &[Path]) -> String {
    let lines: Vec<String> = paths.iter().map(|path| json!(path).to_string()).collect();
    lines.join("\n")
}

impl Fields {
    /// The fields of an integration as it is stored.
    fn of(one: &Integration) -> Fields {
        let example = match &one.payload_example {
            Value::Object(example) if example.is_empty() => String::new(),
            example => format!("{example:#}"),
        };
        let heartbeat = one.heartbeat_seconds.map(|seconds| seconds.to_string());
        Fields {
            name: Text(one.name.clone()),
            active: Some(one.active),
            heartbeat_seconds: Text(heartbeat.unwrap_or_default()),
            payload_example: Text(example),
            identity_fields: Text(lines(&one.identity_fields.0)),
            ignored_fields: Text(lines(&one.ignored_fields.0)),
        }
    }
}

/// Every field of an alert, with the places that the example offers.
fn targets(one: &Integration) -> Vec<TargetRow> {
    let offers = one.payload_example.as_object().map(offered);
    let offers = offers.unwrap_or_default();
    Target::ALL
        .iter()
        .map(|target| {
            let value = |mapped: &Mapped| format!("{target} {}", json!(mapped.path));
            let chosen = one.payload_mapping.0.get(*target);
            let mut options = Choice::list(&[("", "Where it usually is")]);
            let beside = chosen.filter(|chosen| offers.iter().all(|one| one.path != chosen.path));
            options.extend(
                offers
                    .iter()
                    .chain(beside)
                    .map(|mapped| Choice { value: value(mapped), label: mapped.label.clone() }),
            );
            TargetRow {
                name: target.as_str(),
                label: target.field().replace('_', " "),
                chosen: chosen.map(value).unwrap_or_default(),
                options,
            }
        })
        .collect()
}

impl Form {
    /// What becomes of an integration with this mapping.
    fn change(&self, before: &Mapping) -> Result<Change> {
        let fields = &self.fields;
        let heartbeat = fields.heartbeat_seconds.trim();
        let wrong = |_| Error::invalid("heartbeat_seconds", "is not a number");
        let example = object("payload_example", &fields.payload_example)?;
        let mut known: Vec<Mapped> = before.entries().map(|(_, one)| one.clone()).collect();
        known.extend(offered(&example));
        let chosen = self.mapping.as_deref().unwrap_or_default();
        Ok(Change {
            name: Some(fields.name.0.clone()),
            active: Some(fields.active.unwrap_or(false)),
            payload_mapping: Some(mapping(chosen, &known)?),
            payload_example: Some(example),
            identity_fields: Some(paths("identity_fields", &fields.identity_fields)?),
            ignored_fields: Some(paths("ignored_fields", &fields.ignored_fields)?),
            heartbeat_seconds: match heartbeat.is_empty() {
                true => Patch::Null,
                false => Patch::Value(heartbeat.parse().map_err(wrong)?),
            },
            ..Change::default()
        })
    }
}

/// An object out of a field; a blank one is an empty object.
fn object(field: &'static str, text: &str) -> Result<Payload> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Payload::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(Error::invalid(field, "must be a JSON object")),
    }
}

/// Paths, one a line: JSON lists, or plain names of fields at the top.
fn paths(field: &'static str, text: &str) -> Result<Vec<Path>> {
    let lines = text.lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    if lines.len() > MAX_PATHS {
        return Err(Error::invalid(field, "has too many lines"));
    }
    let read = |line: &&str| {
        let value = match line.starts_with('[') {
            true => serde_json::from_str(line).ok()?,
            false => Value::String((*line).to_owned()),
        };
        Path::parse(&value)
    };
    let paths: Option<Vec<Path>> = lines.iter().map(read).collect();
    paths.ok_or_else(|| Error::invalid(field, "has an unusable line"))
}

/// What the lists of places say: `TITLE ["a","b"]`. Places that are known keep
/// their label and type.
fn mapping(chosen: &[String], known: &[Mapped]) -> Result<Mapping> {
    let wrong = |text: String| Error::invalid("mapping", text);
    let chosen = chosen.iter().filter(|text| !text.is_empty());
    let entries = chosen.map(|text| {
        let (name, path) = text.split_once(' ')?;
        let path: Value = serde_json::from_str(path).ok()?;
        let at = Path::parse(&path);
        let like = known.iter().find(|one| at.as_ref() == Some(&one.path));
        Some(json!({
            "field_name": name,
            "path": path,
            "label": like.map(|one| &one.label),
            "type": like.map(|one| one.kind),
        }))
    });
    let entries: Option<Vec<Value>> = entries.collect();
    let entries = entries.ok_or_else(|| wrong("is unusable".into()))?;
    Mapping::parse(&entries).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_forms_are_read() {
        assert_eq!(object("x", "{\"a\": 1}").unwrap().len(), 1);
        assert!(object("x", "").unwrap().is_empty());
        assert!(object("x", "[]").is_err() && object("x", "{").is_err());
        let found = paths("x", "host\n\n[\"a\", 0, \"b\"]\r\n").unwrap();
        assert_eq!(lines(&found), "[\"host\"]\n[\"a\",0,\"b\"]");
        assert!(paths("x", "[1.5]").is_err() && paths("x", "[").is_err());
        let chosen = [String::new(), "TITLE [\"alert\",\"name\"]".to_owned()];
        let read = mapping(&chosen, &[]).unwrap();
        assert_eq!(
            read.get(Target::Title).map(|one| one.path.label()),
            Some("alert/name".to_owned())
        );
        for bad in ["TITLE", "ODD [\"a\"]", "TITLE {}", "TITLE ["] {
            assert!(mapping(&[bad.to_owned()], &[]).is_err(), "{bad}");
        }
    }
}
