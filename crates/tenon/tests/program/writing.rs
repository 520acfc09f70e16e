//! Two hundred bad clients at what people use while they write: files of texts,
//! previews, suggestions, searches.

use crate::place::{PASSWORD, Place};
use crate::siege::{
    Answer, BAD, Besieged, address, all, answer, ask, connect, is_put_off, request,
};
use serde_json::json;
use std::sync::Arc;
use testkit::{Browser, run};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const MIB: usize = 1 << 20;
/// Characters of the longest text that is rendered.
const LONGEST: usize = 1_000_000;
/// The boundary of all forms here.
const PART: &str = "\r\n--cut\r\ncontent-disposition: form-data; name=";

/// The root user in a browser that has seen a form.
async fn browser(besieged: &Besieged) -> Browser {
    let browser = Browser::of(besieged.server.client(""));
    browser.get("/users/sign_in").await.is(200);
    let fields = [("login", "root"), ("password", PASSWORD)];
    browser.post("/users/sign_in", &fields).await.is(302);
    browser.get("/acme/anvil/-/issues/new").await.is(200);
    browser
}

/// Bodies that a careless reader would keep, wait for, or be confused by.
fn uploads() -> Vec<Vec<u8>> {
    let file = |bytes: Vec<u8>| {
        let head = format!("{PART}\"file\"; filename=\"a.txt\"\r\n\r\n");
        [head.as_bytes(), &bytes, b"\r\n--cut--\r\n"].concat()
    };
    let field = |n: usize| format!("{PART}\"f{n}\"\r\n\r\nx");
    let many: String = (0..50_000).map(field).collect();
    vec![
        file(vec![b'a'; MIB / 2]),
        file(vec![b'a'; 12 * MIB]),
        [many.as_bytes(), b"\r\n--cut--\r\n"].concat(),
        format!("{PART}\"{}\"\r\n\r\nx\r\n--cut--\r\n", "n".repeat(2 * MIB)).into_bytes(),
        format!("{PART}\"file\"\r\n{}\r\n\r\n", "x-a: b\r\n".repeat(100_000)).into_bytes(),
        vec![b'-'; 4 * MIB],
    ]
}

/// Sends so much of a body as fast as it is taken, and the rest never; the answer
/// without its first letter, if the server did not close before it was read.
async fn upload(
    server: Arc<crate::place::Server>, number: u32, head: String, body: Vec<u8>, sent: usize,
) -> Option<Answer> {
    let mut stream = connect(&server, address(number)).await.ok()?;
    let length = body.len();
    let head = format!("{head}content-length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.ok()?;
    let (mut read, mut write) = stream.split();
    let send = async {
        for piece in body[..sent].chunks(64 * 1024) {
            if write.write_all(piece).await.is_err() {
                break;
            }
        }
    };
    let mut begun = [0; 1];
    let (_, told) = tokio::join!(send, read.read_exact(&mut begun));
    told.ok()?;
    answer(&mut stream).await.ok()
}

#[test]
#[ignore = "compares times, which other work would blur: part of a full check"]
fn uploads_take_little() {
    run(async {
        let place = Place::sqlite().with("TENON_TRANSFER_TIMEOUT", "2");
        let besieged = Besieged::begin(place).await;
        let client = besieged.server.client(&besieged.token);
        let small = json!({"max_attachment_size": 8});
        client.put("/application/settings").json(&small).await.is(200);
        let path = format!("/api/v4{}/uploads", besieged.project);
        let bodies = Arc::new(uploads());
        for stalls in [false, true] {
            let head = format!(
                "POST {path} HTTP/1.1\r\nhost: tenon\r\n{}\
                 content-type: multipart/form-data; boundary=cut\r\n",
                besieged.with_token()
            );
            let bad = all(BAD, |number| {
                let (server, head, bodies) =
                    (besieged.server.clone(), head.clone(), bodies.clone());
                async move {
                    let body = bodies[number as usize % bodies.len()].clone();
                    let sent = if stalls { body.len() - 1 } else { body.len() };
                    upload(server, number, head, body, sent).await
                }
            });
            let what = if stalls { "stalled uploads" } else { "uploads" };
            let answers: Vec<Answer> =
                besieged.endures(what, bad).await.into_iter().flatten().collect();
            assert!(answers.len() > BAD as usize / 2, "{} were answered", answers.len());
            for got in answers {
                match got.status {
                    201 => assert!(!stalls, "it was not whole"),
                    400 | 408 | 413 | 422 => {}
                    _ => is_put_off(&got),
                }
            }
        }
    });
}

/// Texts of the greatest size that mean to take long, or become much.
fn texts() -> Vec<String> {
    let filled = |unit: &str| unit.repeat(LONGEST / unit.chars().count());
    let code = |language: &str, unit: &str| {
        let room = LONGEST - language.len() - 8;
        format!("```{language}\n{}\n```", unit.repeat(room / unit.len()))
    };
    vec![
        filled("x"),
        filled("&"),
        filled("> "),
        filled("> - "),
        filled("*a* "),
        filled(":tada: "),
        filled("[a](b) "),
        filled("|a|b|\n|-|-|\n"),
        filled("#1 @a ~b %c "),
        filled("- [ ] a\n"),
        filled("<b>"),
        filled("\u{e9}"),
        code("rust", "fn a(b: &str) -> u8 { 1 + \"c\" } // d\n"),
        code("js", "/*"),
        code("json", "{\"a\":1,"),
        code("html", "<a b='c'>"),
    ]
}

#[test]
#[ignore = "compares times, which other work would blur: part of a full check"]
fn previews_take_little() {
    run(async {
        let besieged = Besieged::begin(Place::sqlite()).await;
        let browser = browser(&besieged).await;
        let (cookie, token) = (browser.cookie(), browser.form_token());
        let mut requests = Vec::new();
        for text in texts() {
            let body = json!({"text": text, "gfm": true, "project": "acme/anvil"}).to_string();
            let head = format!("content-type: application/json\r\n{}", besieged.with_token());
            requests.push(request("POST", "/api/v4/markdown", &head, &body));
            let text: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
            let sent: String = url::form_urlencoded::byte_serialize(token.as_bytes()).collect();
            let body = format!("authenticity_token={sent}&text={text}");
            let head =
                format!("content-type: application/x-www-form-urlencoded\r\ncookie: {cookie}\r\n");
            requests.push(request("POST", "/acme/anvil/-/preview_markdown", &head, &body));
        }
        let requests = Arc::new(requests);
        let bad = all(BAD, |number| {
            let (server, requests) = (besieged.server.clone(), requests.clone());
            async move {
                let sent = &requests[number as usize % requests.len()];
                ask(&server, address(number), sent).await.ok()
            }
        });
        let answers: Vec<Answer> =
            besieged.endures("previews", bad).await.into_iter().flatten().collect();
        assert!(answers.len() > BAD as usize / 2, "{} were answered", answers.len());
        for got in answers {
            match got.status {
                200 | 201 => assert!(got.body.len() <= 6 * MIB, "{}", got.body.len()),
                413 => {}
                _ => is_put_off(&got),
            }
        }
    });
}

#[test]
#[ignore = "compares times, which other work would blur: part of a full check"]
fn suggestions_and_searches_take_little() {
    run(async {
        let besieged = Besieged::begin(Place::sqlite()).await;
        let browser = browser(&besieged).await;
        let client = besieged.server.client(&besieged.token);
        for n in 0..200 {
            let text = format!("door {n} {}", "hinge ".repeat(2_000));
            let body = json!({"title": format!("door {n}"), "description": text});
            let path = format!("{}/issues", besieged.project);
            client.post(path).json(&body).await.is(201);
        }
        let words: String = (0..32).map(|n| format!("d{n}+")).collect();
        let mut paths = vec![
            "/search?q=door".to_owned(),
            "/search?q=d&type=issues&page=500".into(),
            format!("/search?q={words}"),
            format!("/search?q={}", "%25_".repeat(300)),
            "/api/v4/search?scope=issues&search=hinge&per_page=100".into(),
            format!("/api/v4/search?scope=notes&search={}", "x".repeat(1000)),
        ];
        for kind in ["people", "labels", "milestones", "projects", "groups", "issues", "emoji"] {
            for typed in ["", "d", "%25%25", &"_".repeat(7_000)] {
                paths.push(format!("/-/suggest?kind={kind}&q={typed}&project=acme/anvil"));
            }
        }
        let cookie = format!("cookie: {}\r\n", browser.cookie());
        let requests: Vec<_> = paths
            .iter()
            .map(|path| match path.starts_with("/api/") {
                true => request("GET", path, &besieged.with_token(), ""),
                false => request("GET", path, &cookie, ""),
            })
            .collect();
        let requests = Arc::new(requests);
        let bad = all(BAD, |number| {
            let (server, requests) = (besieged.server.clone(), requests.clone());
            async move {
                let mut answers = Vec::new();
                for turn in 0..10 {
                    let sent = &requests[(number as usize + turn) % requests.len()];
                    answers.push(ask(&server, address(number), sent).await.unwrap());
                }
                answers
            }
        });
        for got in besieged.endures("searches", bad).await.into_iter().flatten() {
            match got.status {
                200 | 400 | 404 => assert!(got.body.len() <= MIB, "{}", got.body.len()),
                _ => is_put_off(&got),
            }
        }
    });
}
