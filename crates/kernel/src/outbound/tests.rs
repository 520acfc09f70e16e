use std::convert::Infallible;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::any;

use super::*;

fn redirect(status: u16, to: String) -> Response {
    (StatusCode::from_u16(status).unwrap(), [(header::LOCATION, to)]).into_response()
}

/// Says what it was asked: method, headers of interest, body.
async fn echo(request: Request) -> String {
    let (head, body) = request.into_parts();
    let mut lines = vec![head.method.to_string()];
    for name in ["authorization", "private-token", "cookie", "accept", "content-type"] {
        if let Some(value) = head.headers.get(name) {
            lines.push(format!("{name}={}", value.to_str().unwrap()));
        }
    }
    let body = axum::body::to_bytes(body, 1000).await.unwrap();
    lines.push(format!("body={}", String::from_utf8_lossy(&body)));
    lines.join("\n")
}

async fn endless() -> Response {
    let bytes = Ok::<_, Infallible>(Bytes::from(vec![0; 1000]));
    let forever = futures_util::stream::repeat_with(move || bytes.clone());
    axum::body::Body::from_stream(forever).into_response()
}

async fn never() -> Response {
    std::future::pending().await
}

/// Redirects by query: `/to?302=http://…`.
async fn to(request: Request) -> Response {
    let query = request.uri().query().unwrap_or_default().to_owned();
    let (status, target) = query.split_once('=').unwrap();
    redirect(status.parse().unwrap(), target.to_owned())
}

async fn serve() -> String {
    let routes = Router::new()
        .route("/echo", any(echo))
        .route("/endless", any(endless))
        .route("/never", any(never))
        .route("/to", any(to))
        .route("/loop", any(|| async { redirect(302, "/loop".into()) }))
        .route("/nowhere", any(|| async { StatusCode::FOUND }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    format!("http://{address}")
}

fn open(allowed: &[&str]) -> Outbound {
    let allowed_hosts = allowed.iter().map(|host| (*host).to_owned()).collect();
    Outbound::new(Policy { allowed_hosts, ..Policy::default() }, &Trust::default()).unwrap()
}

fn text(answer: Answer) -> String {
    String::from_utf8(answer.body.to_vec()).unwrap()
}

#[tokio::test]
async fn a_call_to_an_allowed_address_answers() {
    let base = serve().await;
    let call = Call::post_json(format!("{base}/echo"), &serde_json::json!({"a": 1}));
    let answer = open(&["127.0.0.1"]).call(call.clone()).await.unwrap();
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(text(answer), "POST\naccept=*/*\ncontent-type=application/json\nbody={\"a\":1}");

    let local = Outbound::new(Policy { allow_local: true, ..Policy::default() }, &Trust::default())
        .unwrap();
    assert!(local.call(call).await.is_ok());
    assert_eq!(local.call(Call::get(format!("{base}/x"))).await.unwrap().status, 404);
}

#[tokio::test]
async fn local_addresses_are_blocked_however_written() {
    let base = serve().await;
    let port = base.rsplit(':').next().unwrap();
    let client = open(&[]);
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "0x7f.1",
        "2130706433",
        "0177.0.0.1",
        "127.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "[::]",
        "169.254.169.254",
        "10.0.0.1",
    ] {
        let url = format!("http://{host}:{port}/echo");
        let fault = client.call(Call::get(&url)).await.unwrap_err();
        assert!(matches!(fault, Fault::Blocked(_)), "{host}: {fault:?}");
        assert!(matches!(client.check(&url).await, Err(Fault::Blocked(_))), "{host}");
    }
}

#[tokio::test]
async fn metadata_stays_blocked_where_local_is_allowed() {
    let client =
        Outbound::new(Policy { allow_local: true, ..Policy::default() }, &Trust::default())
            .unwrap();
    for url in ["http://169.254.169.254/latest", "http://[fd00:ec2::254]/", "http://0.0.0.0/"] {
        assert!(matches!(client.check(url).await, Err(Fault::Blocked(_))), "{url}");
    }
    assert!(client.check("http://127.0.0.1/").await.is_ok());
}

#[tokio::test]
async fn names_are_allowed_by_name() {
    let base = serve().await.replace("127.0.0.1", "localhost");
    let call = || Call::get(format!("{base}/echo"));
    assert!(open(&["LocalHost"]).call(call()).await.is_ok());
    assert!(matches!(open(&["example.com"]).call(call()).await, Err(Fault::Blocked(_))));
    let client = open(&["localhost"]);
    client.set_policy(Policy::default());
    assert!(matches!(client.call(call()).await, Err(Fault::Blocked(_))));
}

#[tokio::test]
async fn a_port_on_the_list_opens_that_port_only() {
    let base = serve().await;
    let port = base.rsplit(':').next().unwrap();
    for host in ["127.0.0.1", "localhost"] {
        let call = || Call::get(format!("http://{host}:{port}/echo"));
        assert!(open(&[&format!("{host}:{port}")]).call(call()).await.is_ok());
        let fault = open(&[&format!("{host}:1")]).call(call()).await;
        assert!(matches!(fault, Err(Fault::Blocked(_))), "{host}: {fault:?}");
    }
    let by_address = open(&["127.0.0.0/8", "[::1]"]);
    let call = Call::get(format!("http://localhost:{port}/echo"));
    assert!(by_address.call(call).await.is_ok());
}

#[tokio::test]
async fn a_closed_policy_denies_what_is_not_listed() {
    let closed = Outbound::new(
        Policy { allow_local: true, only_allowed: true, ..Policy::default() },
        &Trust::default(),
    )
    .unwrap();
    for url in ["http://127.0.0.1/", "http://localhost/", "http://8.8.8.8/"] {
        assert!(matches!(closed.check(url).await, Err(Fault::Denied)), "{url}");
        let fault = closed.call(Call::get(url)).await;
        assert!(matches!(fault, Err(Fault::Denied)), "{url}: {fault:?}");
    }
}

#[tokio::test]
async fn other_schemes_and_nonsense_are_refused() {
    for url in ["file:///etc/passwd", "ftp://example.com", "gopher://x", "", "http://", "//x"] {
        let fault = open(&[]).call(Call::get(url)).await.unwrap_err();
        assert!(matches!(fault, Fault::Url), "{url}: {fault:?}");
    }
    let fault = open(&[]).call(Call::get("http://absent.invalid/")).await.unwrap_err();
    assert!(matches!(fault, Fault::Unknown(_)), "{fault:?}");
}

#[tokio::test]
async fn every_redirect_is_checked() {
    let base = serve().await;
    let client = open(&["127.0.0.1"]);
    for target in ["http://127.0.0.2:1/", "http://[::1]/", "http://169.254.169.254/"] {
        let fault = client.call(Call::get(format!("{base}/to?302={target}"))).await.unwrap_err();
        assert!(matches!(fault, Fault::Blocked(_)), "{target}: {fault:?}");
    }
    let fault = client.call(Call::get(format!("{base}/to?302=file:///x"))).await.unwrap_err();
    assert!(matches!(fault, Fault::Url), "{fault:?}");
    let fault = client.call(Call::get(format!("{base}/loop"))).await.unwrap_err();
    assert!(matches!(fault, Fault::Redirect), "{fault:?}");
    assert_eq!(client.call(Call::get(format!("{base}/nowhere"))).await.unwrap().status, 302);
}

#[tokio::test]
async fn encryption_is_not_given_up() {
    let answer = http::Response::builder().status(302).header("location", "http://b.example/");
    let answer = reqwest::Response::from(answer.body("").unwrap());
    let from = Url::parse("https://a.example/").unwrap();
    assert!(matches!(next(&from, &answer), Err(Fault::Redirect)));
}

fn with_secrets(url: String) -> Call {
    Call::new(Method::POST, url)
        .header(header::AUTHORIZATION, HeaderValue::from_static("Bearer x"))
        .header(header::COOKIE, HeaderValue::from_static("c=1"))
        .header(HeaderName::from_static("private-token"), HeaderValue::from_static("t"))
        .header(header::ACCEPT, HeaderValue::from_static("text/plain"))
        .body("hello")
}

#[tokio::test]
async fn credentials_stay_with_their_server() {
    let (first, second) = (serve().await, serve().await);
    let client = open(&["127.0.0.1"]);
    let call = with_secrets(format!("{first}/to?307={second}/echo"));
    let answer = client.call(call).await.unwrap();
    assert_eq!(text(answer), "POST\naccept=text/plain\nbody=hello");

    let call = with_secrets(format!("{first}/to?303=/echo"));
    let answer = text(client.call(call).await.unwrap());
    assert!(answer.starts_with("GET\nauthorization=Bearer x") && answer.ends_with("body="));
}

#[tokio::test]
async fn answers_are_limited_in_size_and_time() {
    let base = serve().await;
    let client = open(&["127.0.0.1"]);
    let call = Call::get(format!("{base}/endless")).max_answer(50_000);
    assert!(matches!(client.call(call).await, Err(Fault::TooLarge)));
    let call = Call::get(format!("{base}/echo")).max_answer(3);
    assert!(matches!(client.call(call).await, Err(Fault::TooLarge)));
    for path in ["never", "endless"] {
        let call = Call::get(format!("{base}/{path}")).timeout(Duration::from_millis(200));
        let fault = client.call(call.max_answer(u64::MAX)).await.unwrap_err();
        assert!(matches!(fault, Fault::Timeout), "{path}: {fault:?}");
        assert!(fault.may_pass());
    }
    let fault = client.call(Call::get("http://127.0.0.1:1/")).await.unwrap_err();
    assert!(matches!(fault, Fault::Connection(_)), "{fault:?}");
}

/// A server for `localhost` that answers over TLS, and the file of the authority that
/// gave it its certificate.
fn secured(folder: &std::path::Path) -> (String, std::path::PathBuf) {
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use std::io::{Read, Write};
    std::fs::write(folder.join("names"), "subjectAltName = DNS:localhost\n").unwrap();
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    for command in [
        format!("req -x509 -days 2 -subj /CN=own {key} -keyout own.key -out own.pem"),
        format!("req -subj /CN=localhost {key} -keyout server.key -out server.csr"),
        "x509 -req -days 2 -in server.csr -extfile names -CA own.pem -CAkey own.key \
         -CAcreateserial -out server.pem"
            .to_owned(),
    ] {
        let mut openssl = std::process::Command::new("openssl");
        let done = openssl.args(command.split_whitespace()).current_dir(folder).output();
        assert!(done.unwrap().status.success(), "{command}");
    }
    let certificate = CertificateDer::from_pem_file(folder.join("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key);
    let config = Arc::new(config.unwrap());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            let session = rustls::ServerConnection::new(config.clone()).unwrap();
            let mut session = rustls::StreamOwned::new(session, connection);
            if session.read(&mut [0; 4096]).is_ok() {
                let answer =
                    b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
                session.write_all(answer).unwrap();
            }
        }
    });
    (url, folder.join("own.pem"))
}

#[tokio::test]
async fn an_authority_of_ones_own_is_believed_once_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (url, own) = secured(folder.path());
    let local = || Policy { allow_local: true, ..Policy::default() };
    let named = Outbound::new(local(), &Trust::with_file(&own).unwrap()).unwrap();
    assert_eq!(text(named.call(Call::get(&url)).await.unwrap()), "hello");
    let unnamed = Outbound::new(local(), &Trust::default()).unwrap();
    let fault = unnamed.call(Call::get(&url)).await.unwrap_err();
    assert!(matches!(&fault, Fault::Connection(why) if why.contains("ca_file")), "{fault:?}");
}
