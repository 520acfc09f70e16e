//! What anybody may send to the endpoints of SDKs: envelopes in any pieces,
//! compressed in any way, and the events in them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use monitoring::errors::decode::{Decoder, Encoding, Form, Sink, sniff};
use monitoring::errors::detail::Detail;
use monitoring::errors::envelope::{Envelope, Parser};
use monitoring::errors::event::Event;
use monitoring::errors::fault::Fault;

/// Most bytes a body is decompressed to.
const LIMIT: u64 = 1 << 20;

fn read(bytes: &[u8], piece: usize) -> Result<Envelope, Fault> {
    let mut parser = Parser::default();
    for piece in bytes.chunks(piece) {
        parser.feed(piece)?;
    }
    parser.finish()
}

fuzz_target!(|data: &[u8]| {
    let Some((how, rest)) = data.split_first() else {
        return;
    };
    let whole = read(rest, usize::MAX);
    assert_eq!(whole, read(rest, usize::from(*how % 16) + 1));
    if let Ok(Envelope {
        event: Some(event), ..
    }) = whole
    {
        let _ = Event::parse(&event, "192.0.2.1");
        let _ = Detail::parse(&event);
    }
    let _ = Event::parse(rest, "192.0.2.1");
    let encodings = [
        Encoding::Gzip,
        Encoding::Deflate,
        Encoding::Brotli,
        Encoding::Zstd,
    ];
    let sink = Sink::new(Form::Whole(Vec::new()), LIMIT);
    if let Ok(mut decoder) = Decoder::new(encodings[usize::from(*how % 4)], sink) {
        let _ = decoder.feed(rest).and_then(|()| decoder.finish());
    }
    let _ = sniff(rest.to_vec(), LIMIT, LIMIT);
});
