//! How imports run, whatever they come from: page by page, through what goes wrong upstream and
//! here, until they end. Upstream is a small server that answers lists.

mod ended;
mod page_by_page;
mod setbacks;
mod sources;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use imports::run::{
    Credentials, NewImport, OptionalStages, Options, SourceName, TimeoutStrategy, begin,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use testkit::{TestServer, TestUser, service};

/// What proves upstream who asks; it must be told nowhere.
const TOKEN: &str = "upstream-token-1";

/// An answer of upstream.
#[derive(Clone)]
struct Said {
    status: u16,
    body: Value,
    /// The number of the page after it.
    next: Option<u32>,
    retry_after: Option<u32>,
}

/// A server with lists of one repository; those that nothing is said of are empty.
#[derive(Clone, Default)]
struct Upstream {
    url: String,
    said: Arc<Mutex<HashMap<String, Said>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(State(upstream): State<Upstream>, uri: Uri) -> (StatusCode, HeaderMap, String) {
    let path = uri.path().trim_start_matches("/repos/acme/source").to_owned();
    let pairs = uri.query().unwrap_or_default().split('&');
    let page = pairs.filter_map(|pair| pair.strip_prefix("page=")).next().unwrap_or("1");
    locked(&upstream.asked).push(format!("{path}?{page}"));
    let said = locked(&upstream.said).get(&format!("{path}?{page}")).cloned();
    let said = said.unwrap_or_else(|| Said {
        status: 200,
        body: json!([]),
        next: None,
        retry_after: None,
    });
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(next) = said.next {
        let link = format!("<{}{}?page={next}>; rel=\"next\"", upstream.url, uri.path());
        headers.insert(header::LINK, link.parse().expect("a header"));
    }
    if let Some(seconds) = said.retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    (
        StatusCode::from_u16(said.status).expect("a status"),
        headers,
        said.body.to_string(),
    )
}

impl Upstream {
    async fn start(t: &TestServer) -> Upstream {
        service::near(t).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let upstream = Upstream { url: format!("http://{address}"), ..Upstream::default() };
        let router = Router::new().fallback(answer).with_state(upstream.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        upstream
    }

    fn say(&self, list: &str, page: u32, said: Said) {
        locked(&self.said).insert(format!("{list}?{page}"), said);
    }

    /// Has a list hold these labels, one on each page.
    fn labels(&self, names: &[&str]) {
        for (at, name) in (1..).zip(names) {
            let is_last = usize::try_from(at).is_ok_and(|at| at == names.len());
            let body = json!([{"name": name, "color": "ff0000", "description": null}]);
            let next = (!is_last).then_some(at + 1);
            self.say("/labels", at, Said { status: 200, body, next, retry_after: None });
        }
    }

    /// Has a list answer this status.
    fn fails(&self, list: &str, status: u16, retry_after: Option<u32>) {
        let body = json!({"message": format!("no, {TOKEN}")});
        self.say(list, 1, Said { status, body, next: None, retry_after });
    }

    /// How often a page was asked for.
    fn times(&self, page: &str) -> usize {
        locked(&self.asked).iter().filter(|asked| *asked == page).count()
    }
}

/// What may differ from one import to another.
#[derive(Clone, Default)]
struct Wishes {
    is_live: bool,
    timeout: TimeoutStrategy,
    /// It does not begin before the clock is moved an hour.
    rests: bool,
}

/// A project of Jane's that is imported from upstream.
struct Imported {
    at: String,
    jane: TestUser,
    id: i64,
    project: i64,
}

impl Imported {
    async fn begin(t: &TestServer, upstream: &Upstream, wishes: Wishes) -> Imported {
        let jane = t.user("jane").await;
        let body = json!({"name": "anvil", "visibility": "public"});
        let project = jane.post("/projects").json(&body).await.is(201).id();
        let id = start(t, upstream, (jane.id, project), wishes).await;
        t.settle().await;
        Imported { at: format!("/projects/{project}/import"), jane, id, project }
    }

    async fn shown(&self) -> Value {
        self.jane.get(&self.at).await.is(200).json()
    }

    async fn status(&self) -> String {
        self.shown().await["import_status"].as_str().unwrap_or_default().to_owned()
    }

    async fn labels(&self) -> Vec<Value> {
        let path = format!("/projects/{}/labels", self.project);
        let mut names = self.jane.get(path).await.is(200).each("name");
        names.sort_by_key(Value::to_string);
        names
    }

    /// What is stored of it.
    async fn row(&self, t: &TestServer) -> (String, Option<String>) {
        let id = self.id;
        let read = t.app().read(move |tx| {
            Ok(tx.one::<(String, Option<String>)>(
                store::sql!("select status, sealed_credentials from imports where id = $1"),
                (id,),
            )?)
        });
        read.await.expect("it is there")
    }
}

fn new_import(upstream: &Upstream, wishes: &Wishes) -> NewImport {
    let stages = OptionalStages { collaborators: false, ..OptionalStages::default() };
    NewImport {
        source: SourceName::ProviderA,
        host: "127.0.0.1".into(),
        origin: "acme/source".into(),
        origin_id: Some(7),
        base_url: upstream.url.clone(),
        upstream: json!({"clone_url": format!("{}/acme/source.git", upstream.url)}),
        options: Options {
            optional_stages: stages,
            timeout_strategy: wishes.timeout,
            ..Options::default()
        },
        user_map: BTreeMap::new(),
        is_live: wishes.is_live,
        credentials: Some(Credentials { username: None, secret: TOKEN.into() }),
        correlation_id: Some("request-1".into()),
    }
}

/// Begins an import of what comes after the code.
async fn start(
    t: &TestServer, upstream: &Upstream, (user, project): (i64, i64), wishes: Wishes,
) -> i64 {
    let (app, new) = (t.app().clone(), new_import(upstream, &wishes));
    let begun = t.app().write(move |tx| {
        let user = identity::access::active_user(tx, user)?.expect("a user");
        let by = identity::viewer::Viewer::addressed(user);
        let found = spaces::access::find_project(tx, &kernel::ids::Reference::Id(project))?;
        let import = begin(tx, &app, &by, &found.expect("a project"), &new)?;
        let until = wishes.rests.then(|| tx.now() + jiff::SignedDuration::from_hours(1));
        tx.execute(
            store::sql!("update imports set stage = 'labels', waits_until = $2 where id = $1"),
            (import.id, until),
        )?;
        Ok(import.id)
    });
    begun.await.expect("it begins")
}
