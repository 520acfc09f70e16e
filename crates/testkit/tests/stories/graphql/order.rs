//! Mutations run one after another, those of a batch too. The program has none
//! yet that could tell, so this story has one of its own.

use crate::graphql::posted;
use identity::gate::IdentityGate;
use kernel::graph::{Graph, HasTypeRef, STRING, Table, argument};
use kernel::http::Routes;
use kernel::http::serve::Server;
use serde::Deserialize;
use serde_json::json;
use std::sync::{Arc, Mutex};
use testkit::Client;

#[derive(Deserialize)]
struct Turn {
    name: String,
}

type Turns = Arc<Mutex<Vec<String>>>;

/// One mutation that notes when it begins and when it ends.
fn table(turns: Turns) -> Table {
    let mut g = Graph::new();
    g.query().answer("nothing", STRING, |_, _| async { Ok(None) });
    g.mutation::<String>("turn", "Takes a turn.")
        .input(argument("name", STRING.required()))
        .answers("name", STRING, |name| Some(name.clone()))
        .run(move |input: Turn, _| {
            let turns = turns.clone();
            async move {
                let note =
                    |text: &str| turns.lock().unwrap().push(format!("{} {text}", input.name));
                note("begins");
                for _ in 0..10 {
                    tokio::task::yield_now().await;
                }
                note("ends");
                Ok(input.name.into())
            }
        });
    g.finish().expect("a table")
}

#[testkit::story]
async fn entries_of_a_batch_change_one_after_another(t: testkit::TestServer) {
    let turns = Turns::default();
    let mut routes = Routes::new();
    graphql::transport::routes(&mut routes, table(turns.clone()));
    let gate = Box::new(IdentityGate::new());
    let server = Server::new(t.app().clone(), gate, routes).expect("a server");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(server.serve(listener, std::future::pending()));
    let token = t.user("jane").await.token().expect("a token").to_owned();
    let jane = Client::of(&format!("http://{address}"), &token);
    let entry = |first: &str, second: &str| {
        json!({"query": format!("mutation{{\
        x:turn(input:{{name:\"{first}\"}}){{name}} y:turn(input:{{name:\"{second}\"}}){{name}}}}")})
    };

    let batch = json!([entry("a", "b"), entry("c", "d"), entry("e", "f")]);
    let reply = posted(&jane, &batch).await.is(200).json();

    let names = ["a", "b", "c", "d", "e", "f"];
    let serial: Vec<String> = names
        .iter()
        .flat_map(|name| [format!("{name} begins"), format!("{name} ends")])
        .collect();
    assert_eq!(*turns.lock().unwrap(), serial);
    assert_eq!(reply[2], json!({"data": {"x": {"name": "e"}, "y": {"name": "f"}}}));
}
