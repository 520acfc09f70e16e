//! Files that texts name and that lie beside releases are fetched, and texts and links lead to
//! them here. Where they come from is a small server.

use super::{CHANGED, CREATED, bring, import, person};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use imports::attachments::{Files, page};
use imports::model::Kind;
use imports::run::{Import, Lost, Trouble};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use testkit::service::near;
use testkit::{TestProject, TestServer};
use url::Url;

const AUTHORIZATION: &str = "token secret-of-ada";

/// What was asked for: the path, and what proved who asks.
type Asked = Arc<Mutex<Vec<(String, Option<String>)>>>;

/// The server that files come from.
struct Upstream {
    url: Url,
    asked: Asked,
}

async fn answer(State(asked): State<Asked>, headers: HeaderMap, uri: Uri) -> Response {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let said = text("authorization").map(str::to_owned);
    let path = uri.path().to_owned();
    asked
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push((path.clone(), said.clone()));
    let kind = |kind: &'static str| [("content-type", kind)];
    match path.as_str() {
        _ if said.as_deref() != Some(AUTHORIZATION) => StatusCode::NOT_FOUND.into_response(),
        "/user-attachments/assets/0a-1b" => (kind("image/png"), "a picture").into_response(),
        "/user-attachments/files/1/log.txt" => (kind("text/plain"), "a log").into_response(),
        "/user-attachments/files/2/huge.bin" => vec![0_u8; 2 << 20].into_response(),
        "/user-attachments/files/3/near.txt" => {
            (StatusCode::FOUND, [("location", "http://10.0.0.1/secret")]).into_response()
        }
        "/user-attachments/files/4/page" => (kind("text/html"), "<h1>Who?</h1>").into_response(),
        "/user-attachments/files/6/busy.txt" => {
            (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "90")]).into_response()
        }
        "/repos/acme/forge/releases/assets/1"
            if text("accept") == Some("application/octet-stream") =>
        {
            "a tool".into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

impl Upstream {
    async fn start(t: &TestServer) -> Upstream {
        near(t).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Asked::default();
        let router = Router::new().fallback(answer).with_state(asked.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let url = Url::parse(&format!("http://{address}/")).expect("an address");
        Upstream { url, asked }
    }

    /// The address of a file.
    fn at(&self, path: &str) -> String {
        self.url.join(path).expect("an address").into()
    }

    fn files(&self, texts: bool) -> Files {
        Files {
            web: self.url.clone(),
            api: self.url.clone(),
            authorization: Some(AUTHORIZATION.to_owned()),
            texts,
        }
    }

    /// How often something was asked for.
    fn times(&self) -> usize {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// All pages: how many files came, and what is lost.
async fn all(t: &TestServer, import: &Import, files: &Files) -> (i64, Vec<Lost>) {
    let (mut cursor, mut came, mut lost) = (None, 0, Vec::new());
    for _ in 0..50 {
        let page = page(t.app(), import, files, cursor.as_deref()).await.expect("a page");
        came += page.brought.iter().map(|(_, count)| count).sum::<i64>();
        lost.extend(page.lost);
        cursor = page.next;
        if cursor.is_none() {
            return (came, lost);
        }
    }
    panic!("the stage does not end");
}

fn issue(number: i64, description: &str) -> Value {
    json!({"type": "issue", "number": number, "title": "Cracks", "description": description,
        "author": person("smith"), "created_at": CREATED, "updated_at": CHANGED})
}

fn note(key: &str, text: &str) -> Value {
    json!({"type": "note", "on": {"kind": "issue", "number": 1}, "key": key, "text": text,
        "author": person("smith"), "created_at": CREATED, "updated_at": CREATED})
}

fn release(url: &str, description: &str) -> Value {
    let release = json!({"tag": "v1", "author": null, "description": description,
        "created_at": CREATED, "released_at": CREATED});
    let asset = json!({"name": "tool.zip", "url": url, "size": 6});
    json!({"type": "release", "release": release, "assets": [asset]})
}

async fn begin(t: &TestServer) -> (TestProject, Import) {
    let project = t.project("acme/forge").await;
    let import = import(t, &project, json!({})).await;
    (project, import)
}

async fn shown(t: &TestServer, project: &TestProject, rest: &str) -> Value {
    t.admin().get(project.at(rest)).await.is(200).json()
}

#[testkit::story(noon)]
async fn files_of_texts_are_here_from_then_on(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    let (project, import) = begin(&t).await;
    let picture = upstream.at("/user-attachments/assets/0a-1b");
    let log = upstream.at("/user-attachments/files/1/log.txt");
    let text = format!("![shot]({picture})\n\n`{picture}`\n<img src=\"{picture}\">");
    let tool = upstream.at("/repos/acme/forge/releases/assets/1");
    let objects = json!([
        issue(1, &text),
        note("n1", &format!("See {log}.")),
        note("n2", "https://other.example/user-attachments/assets/0a-1b"),
        release(&tool, &format!("[log]({log})"))
    ]);
    bring(&t, &import, objects).await.expect("they are written");

    let (came, lost) = all(&t, &import, &upstream.files(true)).await;
    assert_eq!((came, lost), (3, Vec::new()));
    assert_eq!(upstream.times(), 3, "each is fetched once");
    let told = shown(&t, &project, "/issues/1").await;
    let told = (told["description"].as_str().unwrap(), told["updated_at"].as_str().unwrap());
    assert!(told.1.starts_with("2020-02-03T04:05:06"), "it did not change: {told:?}");
    let path = told.0.strip_prefix("![shot](").and_then(|rest| rest.split(')').next());
    let path = path.expect("a picture").to_owned();
    assert!(path.starts_with("/uploads/") && path.ends_with("/0a-1b.png"), "{path}");
    let expected = format!("![shot]({path})\n\n`{picture}`\n<img src=\"{path}\">");
    assert_eq!(told.0, expected, "code is left alone");
    assert_eq!(t.admin().get(project.at(&path)).await.is(200).text(), "a picture");
    let notes = t.admin().get(project.at("/issues/1/notes?sort=asc")).await.is(200).each("body");
    let said = notes[0].as_str().unwrap();
    assert!(said.starts_with("See [log.txt](/uploads/") && said.ends_with(")."), "{said}");
    assert_eq!(notes[1], "https://other.example/user-attachments/assets/0a-1b");
    let told = shown(&t, &project, "/releases/v1").await;
    let description = told["description"].as_str().unwrap();
    assert!(description.starts_with("[log](/uploads/"), "{description}");
    let link = &told["assets"]["links"][0];
    let url = link["url"].as_str().unwrap().strip_prefix(t.app().base_url());
    let url = url.expect("it is here").to_owned();
    assert!(url.ends_with("/tool.zip"), "{url}");
    let path = url.strip_prefix(&format!("/-/project/{}", project.id)).expect("its upload");
    assert_eq!(t.admin().get(project.at(path)).await.is(200).text(), "a tool");

    let (came, lost) = all(&t, &import, &upstream.files(true)).await;
    assert_eq!((came, lost, upstream.times()), (0, Vec::new(), 3), "nothing comes twice");
}

#[testkit::story(noon)]
async fn what_cannot_be_fetched_stays_and_is_told(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    let (project, import) = begin(&t).await;
    t.admin()
        .put("/application/settings")
        .json(&json!({"max_attachment_size": 1}))
        .await
        .is(200);
    let paths = ["2/huge.bin", "3/near.txt", "4/page", "5/gone.txt"];
    let urls = paths.map(|path| upstream.at(&format!("/user-attachments/files/{path}")));
    let near = "http://169.254.169.254/user-attachments/files/1/log.txt";
    let text = format!("{}\n{near}\n<script>alert(1)</script>", urls.join("\n"));
    bring(&t, &import, json!([issue(1, &text)])).await.expect("it is written");

    let (came, lost) = all(&t, &import, &upstream.files(true)).await;
    assert_eq!(came, 0);
    let told: Vec<&str> = lost.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(told, urls.each_ref().map(String::as_str));
    assert!(lost.iter().all(|one| one.kind == Kind::NoteAttachment));
    let reasons: Vec<&str> = lost.iter().map(|one| one.reason.as_str()).collect();
    assert!(reasons[0].contains("large") && reasons[1].contains("10.0.0.1"), "{reasons:?}");
    assert!(reasons[2].contains("a page") && reasons[3].contains("404"), "{reasons:?}");
    let issue = shown(&t, &project, "/issues/1").await;
    assert_eq!(issue["description"], text);
    let uploads = t.admin().get(project.at("/uploads")).await.is(200);
    assert!(uploads.each("id").is_empty());
}

#[testkit::story(noon)]
async fn only_files_of_releases_come_unless_others_are_wished_for(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    let (project, import) = begin(&t).await;
    let picture = upstream.at("/user-attachments/assets/0a-1b");
    let tool = upstream.at("/repos/acme/forge/releases/assets/1");
    let objects = json!([issue(1, &picture), release(&tool, &picture)]);
    bring(&t, &import, objects).await.expect("they are written");

    let (came, lost) = all(&t, &import, &upstream.files(false)).await;
    assert_eq!((came, lost), (1, Vec::new()));
    assert_eq!(shown(&t, &project, "/issues/1").await["description"], picture.as_str());
    assert_eq!(shown(&t, &project, "/releases/v1").await["description"], picture.as_str());
}

#[testkit::story(noon)]
async fn a_server_that_is_asked_too_often_is_waited_for(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    let (_, import) = begin(&t).await;
    let busy = upstream.at("/user-attachments/files/6/busy.txt");
    let log = upstream.at("/user-attachments/files/1/log.txt");
    let objects = json!([issue(1, &log), issue(2, &busy)]);
    bring(&t, &import, objects).await.expect("they are written");

    let files = upstream.files(true);
    let first = page(t.app(), &import, &files, Some("issue:0")).await.expect("one came");
    assert_eq!(first.brought, [(Kind::NoteAttachment, 1)]);
    let cursor = first.next.expect("there is more");
    let until = t.now() + jiff::SignedDuration::from_secs(90);
    match page(t.app(), &import, &files, Some(&cursor)).await {
        Err(Trouble::Wait(at)) => assert_eq!(at, until),
        other => panic!("{other:?}"),
    }
}
