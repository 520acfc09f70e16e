//! What takes too long, fails inside, or is asked by who left. No field of the
//! program is slow on purpose, so these stories run over a table of their own.

use crate::graphql::{PATH, posted, refusal};
use graphql::execute;
use graphql::validation::{self, Limits, Source};
use identity::gate::IdentityGate;
use kernel::app::App;
use kernel::error::Error;
use kernel::graph::{Context, Graph, INT, Request, STRING, Table};
use kernel::http::Routes;
use kernel::http::serve::Server;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use testkit::{Client, TestServer};
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Counts to where nobody waits for.
const ENDLESS: &str = "with recursive n(i) as (
    select cast(1 as bigint) union all select i + 1 from n where i < 9000000000000
 ) select count(*) from n";

/// What is told of the statement of `slow`: nothing as it begins, then how it
/// failed.
type Ends = UnboundedReceiver<Option<store::Error>>;

/// A quick field, one whose statement never ends, and two that fail.
fn table() -> (Table, Ends) {
    let (tell, ends) = unbounded_channel();
    let mut g = Graph::new();
    g.query()
        .answer("quick", STRING, |_, _| async { Ok(Some("done".to_owned())) })
        .answer("slow", INT, move |_, context: Context| {
            let tell: UnboundedSender<Option<store::Error>> = tell.clone();
            async move {
                let counted = context.app()?.read(move |tx| {
                    tell.send(None).expect("the story listens");
                    let counted = tx.one::<i64>(ENDLESS, ());
                    tell.send(counted.as_ref().err().map(copy)).expect("the story listens");
                    Ok(counted?)
                });
                Ok(Some(counted.await?))
            }
        })
        .answer("broken", STRING, |_, context: Context| async move {
            let broken = context
                .app()?
                .read(|tx| Ok(tx.one::<String>("select secret from nowhere", ())?));
            Ok(Some(broken.await?))
        })
        .answer("busy", STRING, |_, _| async {
            Err(Error::Unavailable("select 1 took too long".into()).into())
        });
    (g.finish().expect("a table"), ends)
}

fn copy(error: &store::Error) -> store::Error {
    match error {
        store::Error::Cancelled => store::Error::Cancelled,
        other => store::Error::Engine(format!("{other:?}")),
    }
}

/// The next thing told of the slow statement.
async fn next(ends: &mut Ends) -> Option<store::Error> {
    let told = tokio::time::timeout(Duration::from_secs(60), ends.recv()).await;
    told.expect("something is told in time").expect("the field is there")
}

/// Runs a query with this much time, as the transport does with 30 seconds.
async fn run(app: &App, table: Table, query: &str, time: Duration) -> Value {
    let source = Source {
        query: query.to_owned(),
        operation_name: None,
        variables: Default::default(),
    };
    let parsed = validation::parse(source).expect("a document");
    let checked = validation::check(&table, parsed, Limits::of(true)).expect("it is valid");
    let mut extensions = http::Extensions::new();
    extensions.insert(app.clone());
    let context = Context {
        request: Arc::new(Request::new(extensions, tokio::time::Instant::now() + time)),
        table: Arc::new(table),
        score: checked.score,
        limit: checked.limit,
    };
    let outcome = execute::run(context, &checked).await;
    outcome.expect("nothing is broken").json()
}

/// The address of a second server over the same application.
async fn address(t: &TestServer, table: Table) -> String {
    let mut routes = Routes::new();
    graphql::transport::routes(&mut routes, table);
    let gate = Box::new(IdentityGate::new());
    let server = Server::new(t.app().clone(), gate, routes).expect("a server");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(server.serve(listener, std::future::pending()));
    address.to_string()
}

#[testkit::story]
async fn what_is_slow_is_cut_and_its_statement_stopped(t: TestServer) {
    let (table, mut ends) = table();

    let answer = run(t.app(), table, "{quick slow}", Duration::from_secs(2)).await;

    assert_eq!(answer["data"], json!({"quick": "done", "slow": null}));
    assert_eq!(answer["errors"][0]["message"], "Timeout on Query.slow");
    assert_eq!(answer["errors"].as_array().map(Vec::len), Some(1));
    assert!(next(&mut ends).await.is_none(), "it ran");
    let end = next(&mut ends).await;
    assert!(matches!(end, Some(store::Error::Cancelled)), "{end:?}");
}

#[testkit::story]
async fn who_leaves_takes_their_statements_along(t: TestServer) {
    let (table, mut ends) = table();
    let address = address(&t, table).await;
    let mut caller = tokio::net::TcpStream::connect(&address).await.expect("a connection");
    let body = json!({"query": "{slow}"}).to_string();
    let request = format!(
        "POST {PATH} HTTP/1.1\r\nhost: {address}\r\n\
        content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    caller.write_all(request.as_bytes()).await.expect("it is sent");
    assert!(next(&mut ends).await.is_none(), "it ran");

    drop(caller);

    let end = next(&mut ends).await;
    assert!(matches!(end, Some(store::Error::Cancelled)), "{end:?}");
}

#[testkit::story]
async fn failures_inside_tell_nothing(t: TestServer) {
    let (table, _ends) = table();
    let nobody = Client::nobody(&format!("http://{}", address(&t, table).await));
    let broken = posted(&nobody, &json!({"query": "{quick broken}"})).await;
    assert_eq!(refusal(&broken), (500, "Internal server error".into()));
    let busy = posted(&nobody, &json!({"query": "{quick busy}"})).await;
    let text = "Request timed out. Please try a less complex query or a smaller set of records.";
    assert_eq!(refusal(&busy), (503, text.into()));
    assert_eq!(busy.header("retry-after"), "5");
}
