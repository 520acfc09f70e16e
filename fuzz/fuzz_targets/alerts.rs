//! What monitoring tools send, and how integrations say it is to be read:
//! the first part of the input is a mapping, the rest a payload.

#![no_main]

use kernel::serde_json::{self, Value};
use kernel::time::Timestamp;
use libfuzzer_sys::fuzz_target;
use monitoring::alerts::payload::mapping::{Mapping, offered};
use monitoring::alerts::payload::{self, Reading, flat};
use monitoring::alerts::pictures;

fuzz_target!(|data: &[u8]| {
    let _ = pictures::ending(data);
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (mapping, body) = data.split_at(end);
    let entries: Vec<Value> = serde_json::from_slice(mapping).unwrap_or_default();
    let reading = Reading {
        mapping: Mapping::parse(&entries).unwrap_or_default(),
        fingerprints: true,
        ..Reading::default()
    };
    let Some(payload) = payload::read(body) else {
        return;
    };
    for field in offered(&payload) {
        assert!(field.path.find(&payload).is_some());
    }
    let now = Timestamp::UNIX_EPOCH;
    let first = payload::alerts(payload.clone(), &reading, now);
    assert_eq!(first, payload::alerts(payload, &reading, now));
    for alert in first {
        assert!(alert.title.chars().count() <= 200);
        assert!(alert.hosts.concat().chars().count() <= 255);
        assert!(flat::of(&alert.payload).len() <= 500);
    }
});
