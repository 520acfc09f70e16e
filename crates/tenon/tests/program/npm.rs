//! npm's publications, whose file comes as text within JSON: whatever is sent,
//! the server's memory stays.

use crate::large::growth;
use crate::place::{Place, project};
use bytes::Bytes;
use futures_util::stream;
use testkit::{Client, npm, run};

/// Most bytes by which the server's memory may grow.
const MAX_GROWTH: u64 = 64 << 20;
/// Chunks of the large text, each of a mebibyte: what 192 of the file are.
const CHUNKS: usize = 256;

#[test]
fn a_publication_takes_little_memory() {
    run(async {
        let place = Place::sqlite();
        let server = place.serve();
        let client = server.client(&place.token());
        let packages = format!("{}/packages/npm", project(&client).await);
        // What a server takes once, with its first publication, is not growth.
        let small = client.put(format!("{packages}/small"));
        small.json(&npm::plain("small", "1.0.0")).await.is(200);

        let large = format!("{packages}/large");
        let begin = r#"{"versions": {"1.0.0": {}}, "_attachments": {"large-1.0.0.tgz": {"data": ""#;
        let bodies = [
            text(begin, "QUJD", "\"}}}"),
            text(r#"{"readme": ""#, "abcd", "\"}"),
            text(r#"{"name": ""#, "abcd", "\"}"),
            text(r#"{"x": ["#, "1,1,", "1]}"),
            text(r#"{"versions": {"#, "\"\":1", "}}"),
            text("", "[[[[", ""),
        ];
        for (number, body) in bodies.into_iter().enumerate() {
            let (status, grown) = growth(&server, refused(&client, &large, body)).await;
            assert!(status.is_none_or(|status| status == 400), "{number}: {status:?}");
            assert!(grown <= MAX_GROWTH, "body {number} took {grown} bytes");
        }
        client.get(format!("{packages}/small")).await.is(200);
    });
}

/// A body whose middle is long.
fn text(begin: &str, unit: &str, end: &str) -> reqwest::Body {
    let chunk = Bytes::from(unit.repeat((1 << 20) / unit.len()));
    let middle = std::iter::repeat_n(chunk, CHUNKS);
    let begin = std::iter::once(Bytes::from(begin.to_owned()));
    let end = std::iter::once(Bytes::from(end.to_owned()));
    let all = begin.chain(middle).chain(end).map(Ok::<_, std::io::Error>);
    reqwest::Body::wrap_stream(stream::iter(all))
}

/// The status of the refusal, unless the connection ended before it was read:
/// the server does not wait for the rest of what it refuses.
async fn refused(client: &Client, path: &str, body: reqwest::Body) -> Option<u16> {
    let sent = client.put(path).header("content-type", "application/json");
    let reply = sent.stream(body).try_send().await;
    reply.ok().map(|reply| reply.status)
}
