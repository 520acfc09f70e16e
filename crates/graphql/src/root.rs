//! Root fields that belong to no room.

use identity::Viewer;
use kernel::graph::{Context, Done, Fault, Graph, HasTypeRef, STRING, argument, object};
use kernel::graph_input;
use std::sync::Arc;

#[derive(Debug, Clone, Copy)]
pub struct Build {
    /// That of the interface.
    pub version: &'static str,
    /// The commit it was built from.
    pub revision: &'static str,
}

struct Kas;

struct Complexity {
    score: u64,
    limit: u64,
}

struct Echo {
    messages: Option<Vec<String>>,
}

graph_input! {
    struct EchoInput {
        /// Come back as the payload's errors.
        errors: Option<Vec<String>> = STRING.required().list(),
        /// Come back as `echoes`.
        messages: Option<Vec<String>> = STRING.required().list(),
    }
}

pub fn viewer(context: &Context) -> Viewer {
    context.get::<Viewer>().cloned().unwrap_or_default()
}

pub fn graph(g: &mut Graph, build: Build) {
    g.object::<Kas>("Kas", "The server of agents in clusters, of which there is none.")
        .value("enabled", "Whether it runs.", |_| false)
        .field("externalUrl", STRING, |_| None)
        .describe("Where agents reach it.")
        .field("version", STRING, |_| None)
        .describe("Its version.");
    g.object::<Build>("Metadata", "The program.")
        .value("version", "The version of its interface.", |build| build.version.to_owned())
        .value("revision", "The commit it was built from.", |build| build.revision.to_owned())
        .field("kas", object::<Kas>("Kas").required(), |_| Arc::new(Kas))
        .describe("The server of agents in clusters.");
    g.object::<Complexity>("QueryComplexity", "What this operation costs.")
        .value("score", "Its score.", |cost| i64::try_from(cost.score).ok())
        .value("limit", "The most it might have.", |cost| i64::try_from(cost.limit).ok());
    g.query()
        .answer("echo", STRING.required(), |args, context| async move {
            let text: String = args.get("text")?;
            Ok(match viewer(&context).user() {
                Some(user) => format!("\"{}\" says: {text}", user.username),
                None => format!("nil says: {text}"),
            })
        })
        .describe("Says what it was told, and by whom.")
        .arg(argument("text", STRING.required()).describe("What to say."))
        .answer("metadata", object::<Build>("Metadata"), move |_, context| async move {
            viewer(&context).signed_in()?;
            Ok(Some(Arc::new(build)))
        })
        .describe("The program, for who is signed in.")
        .answer("queryComplexity", object::<Complexity>("QueryComplexity"), complexity)
        .describe("What this operation costs.");
    g.mutation::<Echo>("echoCreate", "Sends back what it is sent, and writes nothing.")
        .answers("echoes", STRING.required().list(), |echo| echo.messages.clone())
        .handle(|input: EchoInput, _| async {
            Ok(Done {
                errors: input.errors.unwrap_or_default(),
                payload: Some(Echo { messages: input.messages }),
            })
        });
}

async fn complexity(
    _: kernel::graph::Args, context: Context,
) -> Result<Option<Arc<Complexity>>, Fault> {
    Ok(Some(Arc::new(Complexity { score: context.score, limit: context.limit })))
}
