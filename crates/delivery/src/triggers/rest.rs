//! REST of triggers (docs/interface/delivery.md 14).

use super::begin::{Asked, find};
use super::entity::TriggerEntity;
use super::{rules, store};
use crate::pipelines::create::create as make;
use crate::pipelines::create::inputs::Inputs;
use crate::pipelines::entity::{PipelineEntity, pipeline};
use crate::pipelines::variables::Given;
use ::store::Tx;
use identity::Caller;
use identity::entities::load_basic;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::params::{Field, FromParams, Source};
use kernel::http::{
    Created, Flat, NoContent, Ok200, Paged, Paging, Params, RequestContext, Routes,
};
use kernel::ids::Reference;
use kernel::secrets::Secret;
use kernel::time::Timestamp;
use serde_json::{Map, Value, json};
use spaces::access::{Purpose, find_project, project};
use std::sync::Arc;

/// Parameters that carry credentials: jobs are not told of them.
const CREDENTIALS: &[&str] =
    &["token", "private_token", "access_token", "bearer_token", "job_token"];

pub fn routes(r: &mut Routes) {
    let one = "/projects/{id}/triggers/{trigger_id}";
    r.get("/projects/{id}/triggers", list)
        .summary("Lists the pipeline triggers of a project");
    r.post("/projects/{id}/triggers", create).summary("Makes a pipeline trigger");
    r.get(one, show).summary("Shows a pipeline trigger");
    r.put(one, update).summary("Describes a pipeline trigger anew");
    r.delete(one, destroy).summary("Deletes a pipeline trigger");
    for path in ["/projects/{id}/trigger/pipeline", "/projects/{id}/ref/{ref}/trigger/pipeline"] {
        let declared = r.post(path, begin).unchecked();
        let declared = declared.summary("Begins a pipeline with the token of a trigger or a job");
        if path.contains("{ref}") {
            declared.under("of_ref");
        }
    }
}

kernel::params! {
    pub struct OfProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

kernel::params! {
    pub struct OneTrigger {
        /// Id or path of the project.
        pub id: Reference,
        /// The trigger.
        pub trigger_id: i64,
    }
}

kernel::params! {
    pub struct CreateTrigger {
        pub at: Flat<OfProject>,
        /// What it is for.
        pub description: String,
        /// When its token ends.
        pub expires_at: Option<Timestamp>,
    }
}

kernel::params! {
    pub struct UpdateTrigger {
        pub one: Flat<OneTrigger>,
        /// What it is for.
        pub description: Option<String>,
    }
}

async fn list(
    by: Caller, asked: Params<OfProject>, paging: Paging,
) -> Result<Paged<TriggerEntity>> {
    let app = by.app.clone();
    Paged::read(&app, paging, move |tx, paging| {
        let project = project(tx, &by.viewer, &asked.id, Purpose::Update)?;
        let (page, total) = store::page(tx, project.id, paging)?;
        let people = load_basic(tx, &page.iter().map(|one| one.owner_id).collect::<Vec<_>>())?;
        let shown = page.iter().map(|one| TriggerEntity::of(&by.app, one, &people, None));
        Ok((shown.collect(), total))
    })
    .await
}

fn entity(
    tx: &mut Tx<'_>, by: &Caller, trigger: &super::model::Trigger, secret: Option<&Secret>,
) -> Result<TriggerEntity> {
    let people = load_basic(tx, &[trigger.owner_id])?;
    Ok(TriggerEntity::of(&by.app, trigger, &people, secret))
}

async fn show(by: Caller, one: Params<OneTrigger>) -> Result<Ok200<TriggerEntity>> {
    by.read(move |tx, by| {
        let trigger = rules::find(tx, &by.viewer, (&one.id, one.trigger_id))?;
        entity(tx, by, &trigger, None).map(Ok200)
    })
    .await
}

async fn create(by: Caller, sent: Params<CreateTrigger>) -> Result<Created<TriggerEntity>> {
    by.write(move |tx, by| {
        let project = project(tx, &by.viewer, &sent.at.id, Purpose::Update)?;
        let about = (sent.description.as_str(), sent.expires_at);
        let (made, secret) = rules::create(tx, &by.viewer, &project, about)?;
        entity(tx, by, &made, Some(&secret)).map(Created)
    })
    .await
}

async fn update(by: Caller, sent: Params<UpdateTrigger>) -> Result<Ok200<TriggerEntity>> {
    by.write(move |tx, by| {
        let at = (&sent.one.id, sent.one.trigger_id);
        let trigger = rules::find(tx, &by.viewer, at)?;
        let written = match &sent.description {
            Some(text) => rules::describe(tx, &by.viewer, trigger, text)?,
            None => trigger,
        };
        entity(tx, by, &written, None).map(Ok200)
    })
    .await
}

async fn destroy(by: Caller, one: Params<OneTrigger>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let trigger = rules::find(tx, &by.viewer, (&one.id, one.trigger_id))?;
        rules::destroy(tx, &by.viewer, &trigger)?;
        Ok(NoContent)
    })
    .await
}

kernel::params! {
    pub struct Begin {
        /// Id or path of the project.
        pub id: Reference,
        /// The branch or tag.
        pub on_ref as "ref": String,
        /// Of a trigger, or of a job that runs; that may also stand in a header.
        pub token: Option<String>,
        /// Variables that its jobs are given, by their names.
        pub variables: Option<Map<String, Value>>,
        /// For the inputs that its file declares, by their names.
        pub inputs: Option<Inputs>,
    }
}

/// All that was sent, but for credentials.
struct Payload(Source);

impl FromParams for Payload {
    fn from_params(source: &Source) -> Result<Self, Vec<String>> {
        let told = source.iter().filter(|(name, _)| !CREDENTIALS.contains(&name.as_str()));
        Ok(Payload(told.map(|(name, value)| (name.clone(), value.clone())).collect()))
    }

    fn fields() -> Vec<Field> {
        Vec::new()
    }
}

/// Texts by their names, as variables.
fn variables(sent: Option<Map<String, Value>>) -> Result<Vec<Given>> {
    let given = sent.into_iter().flatten().map(|(key, value)| match value {
        Value::String(text) => Ok(Given {
            key,
            value: Secret::new(text),
            variable_type: Default::default(),
            raw: false,
        }),
        _ => {
            let text = "variables needs to be a map of key-valued strings";
            Err(Error::Exact(400, json!({"message": text})))
        }
    });
    given.collect()
}

async fn begin(
    app: App, request: Arc<RequestContext>, sent: Params<Begin>, payload: Params<Payload>,
) -> Result<Created<PipelineEntity>> {
    let Params(sent) = sent;
    let in_header = request.header("job-token").map(str::to_owned);
    let token = sent.token.or(in_header).filter(|token| !token.is_empty());
    let asked = Asked {
        project: sent.id,
        token: Secret::new(token.ok_or_else(|| Error::missing("token"))?),
        on_ref: sent.on_ref,
        variables: variables(sent.variables)?,
        inputs: sent.inputs.unwrap_or_default(),
        payload: Secret::new(Value::Object(payload.0.0).to_string()),
    };
    let (viewer, creation) = app.write(move |tx| find(tx, &asked)).await?;
    match make(&app, &viewer, creation, None).await? {
        Ok(made) => {
            let handle = app.clone();
            let shown = app.read(move |tx| {
                let project = find_project(tx, &Reference::Id(made.project_id))?.found("")?;
                pipeline(&handle, tx, &project, &made).map(Created)
            });
            shown.await
        }
        Err(refused) => Err(Error::invalid("base", refused.text)),
    }
}
