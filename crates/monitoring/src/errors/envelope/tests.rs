use super::*;
use proptest::prelude::*;

fn read(bytes: &[u8]) -> Result<Envelope, Fault> {
    let mut parser = Parser::default();
    parser.feed(bytes)?;
    parser.finish()
}

fn event_of(text: &str) -> Option<String> {
    let envelope = read(text.as_bytes()).unwrap();
    envelope.event.map(|event| String::from_utf8(event).unwrap())
}

#[test]
fn items_end_by_their_length_or_with_their_line() {
    for (text, event) in [
        ("{}", None),
        ("{}\n", None),
        ("{}\n\n\n", None),
        ("{}\n{\"type\":\"event\"}\n{\"a\":1}", Some("{\"a\":1}")),
        ("{}\n{\"type\":\"event\"}\n{\"a\":1}\r\n", Some("{\"a\":1}\r")),
        ("{}\n{\"type\":\"event\",\"length\":7}\n{\"a\":1}\n", Some("{\"a\":1}")),
        (
            "{}\n{\"type\":\"event\",\"length\":3}\na\nb\n{\"type\":\"span\"}\n",
            Some("a\nb"),
        ),
        ("{}\n{\"type\":\"event\",\"length\":0}\n\n{\"type\":\"span\"}\n", Some("")),
        ("{}\n{\"type\":\"event\",\"length\":null}\nab\n", Some("ab")),
        ("{}\n{\"type\":\"event\"}", Some("")),
        ("{}\n{\"type\":\"event\"}\n1\n{\"type\":\"event\"}\n2", Some("1")),
        ("{}\n{\"type\":\"session\"}\n{}\n{\"type\":\"event\"}\n2", Some("2")),
        (
            "{}\n{\"type\":\"attachment\",\"length\":4}\n{}\n\n\n{\"type\":\"event\"}\n2",
            Some("2"),
        ),
    ] {
        assert_eq!(event_of(text).as_deref(), event, "{text:?}");
    }
}

#[test]
fn headers_tell_the_number_and_the_key() {
    let text = r#"{"event_id":"fc6d8c0c-43fc-4630-ad85-0ee518f1b9d0","dsn":"https://svet_1@h/4"}"#;
    let read = read(text.as_bytes()).unwrap();
    assert_eq!(read.key.as_deref(), Some("svet_1"));
    assert_eq!(read.event_id.as_deref(), Some("fc6d8c0c-43fc-4630-ad85-0ee518f1b9d0"));
    for odd in ["{\"dsn\":7}", "{\"dsn\":\"x\",\"event_id\":[1]}", "{\"dsn\":\"https://h/4\"}"] {
        assert_eq!(super::tests::read(odd.as_bytes()).unwrap().key, None, "{odd}");
    }
}

#[test]
fn what_is_no_envelope_is_malformed() {
    for text in [
        "",
        "\n",
        "[]",
        "x",
        "{}\n[]\n",
        "{}\nx\n",
        "{}\n{}\n",
        "{}\n{\"type\":1}\n",
        "{}\n{\"type\":\"event\",\"length\":-1}\n",
        "{}\n{\"type\":\"event\",\"length\":\"7\"}\n",
        "{}\n{\"type\":\"span\",\"length\":9223372036854775808}\nabc",
        "{}\n{\"type\":\"span\",\"length\":99999999999999999999999}\nabc",
        "{}\n{\"type\":\"span\",\"length\":4}\nabc",
        "{}\n{\"type\":\"span\",\"length\":2}\nabc\n",
    ] {
        assert!(matches!(read(text.as_bytes()), Err(Fault::Malformed(_))), "{text:?}");
    }
}

#[test]
fn what_is_large_is_refused_while_it_arrives() {
    let long = "x".repeat(MAX_HEADERS + 1);
    let many = "{\"type\":\"span\"}\n\n".repeat(MAX_ITEMS + 1);
    let sessions = "{\"type\":\"session\"}\n\n".repeat(MAX_OF_KIND + 1);
    let event = format!("{{\"type\":\"event\"}}\n{}", "x".repeat(MAX_EVENT + 1));
    let said = format!("{{\"type\":\"event\",\"length\":{}}}\n", MAX_EVENT + 1);
    for text in [long.clone(), format!("{{{long}"), many, sessions, event, said] {
        let text = if text.starts_with('x') {
            text
        } else {
            format!("{{}}\n{text}")
        };
        let refused = read(text.as_bytes());
        assert!(matches!(refused, Err(Fault::TooLarge(_))), "{:.40}", text);
    }
}

#[test]
fn reports_are_kept_and_large_ones_passed_over() {
    let small = "{\"discarded_events\":[]}";
    let large = "x".repeat(MAX_REPORT + 1);
    let item = "{\"type\":\"client_report\"}\n";
    let text = format!("{{}}\n{item}{small}\n{item}{large}\n{{\"type\":\"event\"}}\n1\n");
    let read = read(text.as_bytes()).unwrap();
    assert_eq!(read.reports, [small.as_bytes()]);
    assert_eq!(read.event.as_deref(), Some(&b"1"[..]));
}

proptest! {
    #[test]
    fn pieces_of_any_size_read_alike(bytes in any::<Vec<u8>>(), cut in 1_usize..9, framed in any::<bool>()) {
        let mut text = Vec::new();
        if framed {
            text.extend_from_slice(b"{}\n{\"type\":\"event\"}\n");
        }
        text.extend_from_slice(&bytes);
        let whole = read(&text);
        let mut parser = Parser::default();
        let mut fed = Ok(());
        for piece in text.chunks(cut) {
            fed = fed.and_then(|()| parser.feed(piece));
        }
        prop_assert_eq!(whole, fed.and_then(|()| parser.finish()));
    }

    #[test]
    fn what_is_written_is_read(event in "[^\n]{0,60}", passed in "(?s).{0,60}", sized in any::<bool>()) {
        let length = if sized { format!(",\"length\":{}", event.len()) } else { String::new() };
        let text = format!(
            "{{}}\n{{\"type\":\"x\",\"length\":{}}}\n{passed}\n{{\"type\":\"event\"{length}}}\n{event}\n",
            passed.len()
        );
        let read = read(text.as_bytes()).unwrap();
        prop_assert_eq!(read.event, Some(event.into_bytes()));
    }
}
