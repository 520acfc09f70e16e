//! Mutations: one input object, one payload (docs/interface/graphql.md 8).

use super::build::Graph;
use super::context::{Args, Context};
use super::fault::Fault;
use super::input::{Argument, GraphInput, argument};
use super::scalars::STRING;
use super::shape::{Answer, HasTypeRef, Object, Shape, object};
use super::table::{Mark, Root, WRITE};
use super::types::TypeRef;
use crate::app::App;
use crate::error::Error;
use crate::http::throttle::Caller;
use crate::limits::Limiter;
use crate::read_only;
use serde::de::DeserializeOwned;
use std::any::{Any, TypeId};
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

/// What a mutation did.
pub struct Done<P> {
    /// Full sentences on why it did not succeed; empty when it did.
    pub errors: Vec<String>,
    /// What the payload shows; `None` shows nulls.
    pub payload: Option<P>,
}

impl<P> From<P> for Done<P> {
    fn from(payload: P) -> Done<P> {
        Done { errors: Vec::new(), payload: Some(payload) }
    }
}

struct Outcome<P> {
    client_mutation_id: Option<String>,
    done: Done<P>,
    /// Told beside the payload.
    denied: Option<Fault>,
}

/// Declares one mutation; ends with [`run`](Self::run).
pub struct MutationBuilder<'g, P> {
    graph: &'g mut Graph,
    name: &'static str,
    description: &'static str,
    inputs: Vec<Argument>,
    mark: Option<Mark>,
    at_most: Option<u32>,
    limiter: Option<Limiter>,
    payload: PhantomData<fn() -> P>,
}

impl Graph {
    /// A mutation whose payload is made of `P`. Its types are named after it:
    /// `echoCreate` takes `EchoCreateInput` and answers `EchoCreatePayload`.
    pub fn mutation<P: Any + Send + Sync>(
        &mut self, name: &'static str, description: &'static str,
    ) -> MutationBuilder<'_, P> {
        let id = argument("clientMutationId", STRING).describe("Sent back as it is.");
        MutationBuilder {
            graph: self,
            name,
            description,
            inputs: vec![id],
            mark: None,
            at_most: None,
            limiter: None,
            payload: PhantomData,
        }
    }
}

impl<P: Any + Send + Sync> MutationBuilder<'_, P> {
    /// A field of the input.
    pub fn input(mut self, field: Argument) -> Self {
        self.inputs.push(field);
        self
    }

    /// A field of the payload; null unless the mutation succeeded.
    pub fn answers<V, S>(
        self, name: &str, shape: S, answer: impl Fn(&P) -> Option<V> + Send + Sync + 'static,
    ) -> Self
    where
        V: Send + 'static,
        S: Shape<Value = Option<V>>,
    {
        let payload = type_name(self.name, "Payload");
        self.graph
            .on::<Outcome<P>>(&payload)
            .field(name, shape, move |outcome| outcome.done.payload.as_ref().and_then(&answer))
            .describe("What was changed.");
        self
    }

    /// It is deprecated or an experiment.
    pub fn mark(mut self, mark: Mark) -> Self {
        self.mark = Some(mark);
        self
    }

    /// It may stand only so often in one operation.
    pub fn at_most(mut self, times: u32) -> Self {
        self.at_most = Some(times);
        self
    }

    /// One user may do it so often in a minute, counted by each server for
    /// itself; over that the whole request is refused (docs/interface/graphql.md 3).
    pub fn limited(mut self, name: &'static str, per_minute: u64) -> Self {
        self.limiter = Some(Limiter::new(name, per_minute, 60));
        self
    }

    /// What it does with an input that declares its own fields; see
    /// [`graph_input!`](crate::graph_input) and [`run`](Self::run).
    pub fn handle<I, F, Fut>(mut self, work: F)
    where
        I: GraphInput,
        F: Fn(I, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Done<P>, Fault>> + Send + 'static,
    {
        self.inputs.extend(I::arguments());
        self.run(work);
    }

    /// What it does. Failed validation becomes the payload's `errors`; all
    /// else that fails is an error of the operation.
    pub fn run<I, F, Fut>(self, work: F)
    where
        I: DeserializeOwned + Send + 'static,
        F: Fn(I, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Done<P>, Fault>> + Send + 'static,
    {
        let (input, payload) = (type_name(self.name, "Input"), type_name(self.name, "Payload"));
        let of = format!("What `{}` takes.", self.name);
        self.graph.input(&input, &of, self.inputs);
        declare_payload::<P>(self.graph, &payload, self.name);
        let work = Arc::new(work);
        let limiter = self.limiter.map(Arc::new);
        let root = self.graph.object::<Root>("Mutation", "What may be changed.");
        let mut field = root
            .answer(self.name, Payload(object::<Outcome<P>>(&payload)), move |args, context| {
                let (work, limiter) = (work.clone(), limiter.clone());
                async move {
                    if let Some(limiter) = limiter {
                        within(&limiter, &context)?;
                    }
                    outcome(&*work, args, context).await.map(Arc::new).map(Some)
                }
            })
            .describe(self.description)
            .scopes(WRITE)
            .arg(argument("input", Input(Arc::from(input))).describe("What to do."));
        if let Some(times) = self.at_most {
            field = field.at_most(times);
        }
        if let Some(mark) = self.mark {
            field.mark(mark);
        }
    }
}

fn declare_payload<P: Send + Sync + 'static>(graph: &mut Graph, payload: &str, mutation: &str) {
    graph
        .object::<Outcome<P>>(payload, &format!("What `{mutation}` did."))
        .field("clientMutationId", STRING, |outcome| outcome.client_mutation_id.clone())
        .describe("As it was sent.")
        .field("errors", STRING.required().list().required(), |outcome| {
            outcome.done.errors.clone()
        })
        .describe("Why it did not succeed; empty when it did.");
}

async fn outcome<I, P, F, Fut>(work: &F, args: Args, context: Context) -> Result<Outcome<P>, Fault>
where
    I: DeserializeOwned,
    F: Fn(I, Context) -> Fut,
    Fut: Future<Output = Result<Done<P>, Fault>>,
{
    let id = args.0.get("input").and_then(|input| input.get("clientMutationId"));
    let client_mutation_id = id.and_then(|id| id.as_str()).map(str::to_owned);
    let failed = |errors| Done { errors, payload: None };
    if let Ok(app) = context.app() {
        writable(app).await?;
    }
    let request = context.request.clone();
    let (done, denied) = match work(args.get("input")?, context).await {
        Ok(done) => (done, None),
        Err(Fault::Refused(error)) => {
            let errors = sentences(&error).ok_or(Fault::Refused(error))?;
            (failed(errors), None)
        }
        Err(Fault::Denied(denied)) => {
            let errors = vec![denied.sentence.clone()];
            (failed(errors), Some(denied.told()))
        }
        Err(fault) => return Err(fault),
    };
    if !done.errors.is_empty() {
        request.fail();
    }
    Ok(Outcome { client_mutation_id, done, denied })
}

/// Refuses every mutation of a read-only instance.
async fn writable(app: &App) -> Result<(), Fault> {
    match read_only::check(app).await {
        Err(Error::Forbidden(text)) => Err(Fault::said("readOnly", text)),
        other => Ok(other?),
    }
}

/// Counts a use of a mutation that may be used so often only.
fn within(limiter: &Limiter, context: &Context) -> Result<(), Fault> {
    let (Some(Caller(id)), Ok(app)) = (context.get::<Caller>(), context.app()) else {
        return Ok(());
    };
    let decision = limiter.check(&id.to_string(), app.now());
    match decision.allowed {
        true => Ok(()),
        false => Err(Error::Limited(decision.retry_after).into()),
    }
}

/// The shape of a payload, which may have an error beside it.
struct Payload<P>(Object<Outcome<P>>);

impl<P> Clone for Payload<P> {
    fn clone(&self) -> Self {
        Payload(self.0.clone())
    }
}

impl<P: Any + Send + Sync> HasTypeRef for Payload<P> {
    fn type_ref(&self) -> TypeRef {
        self.0.type_ref()
    }
}

impl<P: Any + Send + Sync> Shape for Payload<P> {
    type Value = Option<Arc<Outcome<P>>>;

    fn answer(&self, value: Self::Value) -> Answer {
        let denied = value.as_ref().and_then(|outcome| outcome.denied.clone());
        let answer = self.0.answer(value);
        match denied {
            Some(fault) => Answer::Beside(Box::new(answer), fault),
            None => answer,
        }
    }

    fn rust(&self) -> Option<(TypeId, &'static str)> {
        self.0.rust()
    }
}

/// The full sentences of a failed validation or an impossible transition.
fn sentences(error: &Error) -> Option<Vec<String>> {
    match error {
        Error::Invalid(fields) => {
            let of = |(field, messages): &(String, Vec<String>)| -> Vec<String> {
                let whole = |message: &String| match field.as_str() {
                    "base" => message.clone(),
                    name => capital(&format!("{} {message}", name.replace('_', " "))),
                };
                messages.iter().map(whole).collect()
            };
            Some(fields.iter().flat_map(of).collect())
        }
        Error::Conflict(text) | Error::Unprocessable(text) | Error::BadRequest(text) => {
            Some(vec![text.clone()])
        }
        _ => None,
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

fn type_name(field: &str, suffix: &str) -> String {
    format!("{}{suffix}", capital(field))
}

/// The required input object of a mutation.
#[derive(Clone)]
struct Input(Arc<str>);

impl HasTypeRef for Input {
    fn type_ref(&self) -> super::TypeRef {
        super::TypeRef::Named(self.0.clone()).required()
    }
}
