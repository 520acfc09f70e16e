//! The checking front of GraphQL: whatever is sent, it answers, and what it
//! lets through keeps its limits.

#![no_main]

use graphql::validation::{Limits, Source, check, json, parse, variables};
use kernel::graph::{Connection, Graph, ID, INT, STRING, Table, HasTypeRef, argument, named, object};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

struct Thing;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut g = Graph::new();
    let filter = vec![
        argument("must", INT.required()),
        argument("inner", named("Filter")),
    ];
    g.input("Filter", "", filter);
    g.query()
        .field("project", object::<Thing>("Project"), |_| None)
        .arg(argument("fullPath", ID.required()))
        .field("echo", STRING, |_| None)
        .arg(argument("text", STRING))
        .arg(argument("filter", named("Filter")));
    g.object::<Thing>("Project", "")
        .field("id", ID, |_| None)
        .field("parent", object::<Thing>("Project"), |_| None)
        .connection("issues", object::<Thing>("Project"), |_, _, _, _| async {
            Ok(Some(Connection::empty()))
        });
    g.finish().expect("the table fits")
});

fuzz_target!(|data: &[u8]| {
    // What comes after the first zero byte is the variables.
    let mut parts = data.splitn(2, |byte| *byte == 0);
    let text = |part: Option<&[u8]>| String::from_utf8_lossy(part.unwrap_or_default()).into_owned();
    let (query, sent) = (text(parts.next()), text(parts.next()));
    let _ = json::check(sent.as_bytes());
    let sent = variables::sent(Some(&sent.into())).unwrap_or_default();
    let source = Source {
        query: query.chars().take(graphql::validation::MAX_CHARACTERS).collect(),
        operation_name: None,
        variables: sent,
    };
    let limits = Limits::of(false);
    let checked = parse(source).and_then(|parsed| check(&TABLE, parsed, limits));
    match checked {
        Ok(checked) => assert!(checked.score <= checked.limit && checked.depth <= limits.depth),
        Err(errors) => assert!((1..=5).contains(&errors.len())),
    }
});
