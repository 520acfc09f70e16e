//! Pages of imports, without a script.

use super::planning::{bring, import, issue, read_objects};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use http::Method;
use imports::settings::{Addresses, Providers};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::service::{near, set};
use testkit::{Browser, Git, TestServer};
use tokio::sync::Semaphore;

const SOURCES: &str = "/projects/import";
const PROVIDER_A: &str = "/projects/import/provider_a";
const LIST: &str = "/projects/imports";
const TOKEN: &str = "token-of-ada";

/// A server of each kind, of which little is there: what accounts offer, and repositories
/// that git does not find.
struct Upstream {
    url: String,
    /// What bellows are made of is told once this is closed.
    bellows: Arc<Semaphore>,
}

impl Upstream {
    async fn start(t: &TestServer) -> Upstream {
        near(t).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let bellows = Arc::new(Semaphore::new(0));
        let router = Router::new().fallback(answer).with_state((url.clone(), bellows.clone()));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Upstream { url, bellows }
    }
}

async fn answer(
    State((url, bellows)): State<(String, Arc<Semaphore>)>, headers: HeaderMap, uri: Uri,
) -> (StatusCode, String) {
    if uri.path().contains("/ada/bellows") {
        let _closed = bellows.acquire().await;
    }
    let said = headers.get("authorization").and_then(|value| value.to_str().ok());
    let said = said.unwrap_or_default();
    if !said.contains(TOKEN) && !said.starts_with("Basic ") {
        return (StatusCode::UNAUTHORIZED, json!({"message": "Bad credentials"}).to_string());
    }
    match found(&url, uri.path(), uri.query().unwrap_or_default()) {
        Some(value) => (StatusCode::OK, value.to_string()),
        None => (StatusCode::NOT_FOUND, json!({"message": "Not Found"}).to_string()),
    }
}

fn repository(url: &str, id: i64, name: &str) -> Value {
    json!({"id": id, "name": name, "full_name": format!("ada/{name}"), "private": id == 2,
        "visibility": if id == 2 { "private" } else { "public" }, "archived": id == 3,
        "owner": {"id": 7, "login": "ada"}, "description": format!("The {name}."),
        "clone_url": format!("{url}/ada/{name}.git"), "has_wiki": false,
        "default_branch": "main", "size": 1})
}

fn found(url: &str, path: &str, query: &str) -> Option<Value> {
    let named = [(1, "anvil"), (2, "bellows"), (3, "crane")];
    let all: Vec<Value> = named.iter().map(|(id, name)| repository(url, *id, name)).collect();
    if let Some(path) = path.strip_prefix("/api/v3") {
        return match path {
            "/user" => Some(json!({"id": 7, "login": "ada", "name": "Ada"})),
            "/user/orgs" | "/gists" => Some(json!([])),
            "/user/repos" => Some(json!(all)),
            path if path.starts_with("/repositories/") => {
                let id: usize = path["/repositories/".len()..].parse().ok()?;
                all.into_iter().nth(id.checked_sub(1)?)
            }
            path if path.starts_with("/repos/ada/") => Some(json!([])),
            _ => None,
        };
    }
    let of_server = |slug: &str| json!({"slug": slug, "name": slug, "project": {"key": "FORGE"}});
    match path {
        "/rest/api/1.0/repos" if query.contains("start=0") => Some(json!({
            "values": [of_server("anvil"), {"slug": 7}], "isLastPage": false, "nextPageStart": 60,
        })),
        "/rest/api/1.0/repos" => {
            Some(json!({"values": [of_server("bellows")], "isLastPage": true}))
        }
        _ => None,
    }
}

/// The sealed account that a page carries.
fn connection(page: &str) -> String {
    let field = page.split("name=\"connection\" value=\"").nth(1);
    field.and_then(|rest| rest.split('"').next()).expect("an account").to_owned()
}

/// The page of what Ada's token reads.
async fn connected(browser: &Browser, there: &Upstream) -> String {
    browser.get(PROVIDER_A).await.is(200);
    let fields = [("action", "connect"), ("address", there.url.as_str()), ("secret", TOKEN)];
    browser.post(PROVIDER_A, &fields).await.is(200).text()
}

#[testkit::story]
async fn where_a_project_comes_from_is_chosen(t: TestServer) {
    let jane = t.user("jane").await;
    t.new_browser().get(SOURCES).await.is(401);
    let browser = t.browser(&jane.username).await;
    let new = browser.get("/projects/new").await.is(200).text();
    assert!(new.contains("href=\"/projects/import\""));
    let shown = browser.get(SOURCES).await.is(200).text();
    for text in ["Provider A", "Provider B Server", "Provider B Cloud", "A project file", "git"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    for path in ["provider_a", "provider_b_server", "provider_b_cloud", "git", "project_file"] {
        browser.get(&format!("{SOURCES}/{path}")).await.is(200);
    }
    browser.get("/projects/import/elsewhere").await.is(404);
    set(&t, json!({"import_sources": ["git"]})).await;
    let shown = browser.get(SOURCES).await.is(200).text();
    assert!(shown.contains("A repository") && !shown.contains("Provider A"), "{shown}");
    for path in ["provider_a", "project_file"] {
        browser.get(&format!("{SOURCES}/{path}")).await.is(403);
    }
    set(&t, json!({"import_sources": []})).await;
    let shown = browser.get(SOURCES).await.is(200).text();
    assert!(shown.contains("Imports are switched off"));
    browser.get("/projects/import/git").await.is(403);
}

#[testkit::story]
async fn repositories_of_an_account_are_listed(t: TestServer) {
    let there = Upstream::start(&t).await;
    let jane = t.user("jane").await;
    let browser = t.browser(&jane.username).await;
    browser.get(PROVIDER_A).await.is(200);
    for (address, secret, said) in [
        (there.url.as_str(), "", "be blank"),
        (there.url.as_str(), "another", "Is refused there"),
        ("http://10.0.0.1", TOKEN, "s blocked"),
        ("file:///etc/passwd", TOKEN, "blocked"),
    ] {
        let fields = [("action", "connect"), ("address", address), ("secret", secret)];
        let refused = browser.post(PROVIDER_A, &fields).await.is(422).text();
        assert!(refused.contains(said), "{address}: {refused}");
        assert!(!refused.contains(TOKEN));
    }
    let page = connected(&browser, &there).await;
    for text in ["ada/anvil", "The bellows.", "Private", "archived", "value=\"2\""] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains(TOKEN), "what proves who asks is not in the page");
    let sealed = connection(&page);
    let search = [("action", "search"), ("connection", &sealed), ("search", "CRANE")];
    let page = browser.post(PROVIDER_A, &search).await.is(200).text();
    assert!(page.contains("ada/crane") && !page.contains("ada/anvil"), "{page}");
    let search = [("action", "search"), ("connection", &sealed), ("search", "winch")];
    let page = browser.post(PROVIDER_A, &search).await.is(200).text();
    assert!(page.contains("No repository found"));

    // Nobody else uses it, nor another page of the same user.
    let kim = t.user("kim").await;
    let other = t.browser(&kim.username).await;
    other.get(PROVIDER_A).await.is(200);
    let refused = other.post(PROVIDER_A, &search).await.is(422).text();
    assert!(refused.contains("Has to be typed again"), "{refused}");
    browser.post("/projects/import/provider_b_cloud", &search).await.is(422);
    browser.post_bare(PROVIDER_A, &search).await.is(403);

    let page = "/projects/import/provider_b_server";
    browser.get(page).await.is(200);
    let fields = [
        ("action", "connect"),
        ("address", there.url.as_str()),
        ("username", "ada"),
        ("secret", TOKEN),
    ];
    let first = browser.post(page, &fields).await.is(200).text();
    assert!(first.contains("FORGE/anvil") && first.contains("Next page"), "{first}");
    let sealed = connection(&first);
    let next = [("action", "after"), ("connection", sealed.as_str()), ("page", "1")];
    let second = browser.post(page, &next).await.is(200).text();
    assert!(second.contains("FORGE/bellows") && second.contains("Previous page"), "{second}");
    assert!(!second.contains("Next page"));
}

#[testkit::story]
async fn many_are_imported_at_once_and_tried_again(t: TestServer) {
    let there = Upstream::start(&t).await;
    let jane = t.user("jane").await;
    let browser = t.browser(&jane.username).await;
    let sealed = connection(&connected(&browser, &there).await);
    let with = |action, more: &[(&'static str, &'static str)]| {
        let mut fields = vec![("action", action), ("target_namespace", "jane")];
        fields.extend_from_slice(more);
        fields
    };
    let none = with("import", &[]);
    let none = [none.as_slice(), &[("connection", sealed.as_str())]].concat();
    let refused = browser.post(PROVIDER_A, &none).await.is(422).text();
    assert!(refused.contains("Choose at least one"), "{refused}");
    let both = with(
        "import",
        &[("repositories[]", "1"), ("repositories[]", "2"), ("new_name", "one")],
    );
    let both = [both.as_slice(), &[("connection", sealed.as_str())]].concat();
    let refused = browser.post(PROVIDER_A, &both).await.is(422).text();
    assert!(refused.contains("several are chosen"), "{refused}");
    let people = with("import", &[("repositories[]", "1"), ("user_map", "ada")]);
    let people = [people.as_slice(), &[("connection", sealed.as_str())]].concat();
    let refused = browser.post(PROVIDER_A, &people).await.is(422).text();
    assert!(refused.contains("a line without a name"), "{refused}");

    let tried = with("try", &[("repositories[]", "1"), ("repositories[]", "9")]);
    let tried = [tried.as_slice(), &[("connection", sealed.as_str())]].concat();
    let looked = browser.post(PROVIDER_A, &tried).await.is(200).text();
    assert!(looked.contains("What there is"), "{looked}");
    assert!(t.admin().get("/projects?search=anvil").await.is(200).each("id").is_empty());

    let all = with(
        "import",
        &[("repositories[]", "1"), ("repositories[]", "2"), ("repositories[]", "9")],
    );
    let all = [all.as_slice(), &[("connection", sealed.as_str())]].concat();
    let (to, shown) = browser.submit(PROVIDER_A, &all).await;
    assert_eq!(to, LIST);
    assert!(shown.contains("2 imports are begun.") && shown.contains("data-live"), "{shown}");
    assert!(shown.contains("jane/anvil") && shown.contains("jane/bellows"));
    assert!(!shown.contains(TOKEN));
    let at = "/jane/bellows/-/import";
    browser.get(at).await.is(200);
    let (_, shown) = browser.submit(at, &[("action", "cancel")]).await;
    assert!(
        shown.contains("The import is canceled.") && shown.contains("canceled"),
        "{shown}"
    );
    let refused = browser.post(at, &[("action", "cancel")]).await.is(422).text();
    assert!(refused.contains("cannot be canceled because it is canceled"), "{refused}");

    there.bellows.close();
    t.settle().await;
    let at = "/jane/anvil/-/import";
    let failed = browser.get(at).await.is(200).text();
    assert!(failed.contains("Failed to import the repository"), "{failed}");
    assert!(failed.contains("Try again") && !failed.contains("data-live"), "{failed}");
    let home = browser.get("/jane/anvil").await.is(200).text();
    assert!(home.contains("/jane/anvil/-/import"), "{home}");
    let refused = browser.post(at, &[("action", "retry")]).await.is(422).text();
    assert!(refused.contains("be blank"), "{refused}");
    let again = [("action", "retry"), ("secret", TOKEN)];
    let (_, shown) = browser.submit(at, &again).await;
    assert!(shown.contains("It goes on where it stood."), "{shown}");
    let page = connected(&browser, &there).await;
    assert!(page.contains("/jane/bellows/-/import"), "what was imported says so: {page}");
    let kim = t.user("kim").await;
    let kim = t.browser(&kim.username).await;
    kim.get("/jane/bellows/-/import").await.is(404);
    assert!(!kim.get(LIST).await.is(200).text().contains("anvil"));
}

#[testkit::story]
async fn one_repository_is_imported_by_its_address(t: TestServer) {
    near(&t).await;
    t.project("acme/source").await;
    let git = Git::of(&t.admin());
    git.begin("source", "acme/source").await;
    git.run_in("source", &["push", "--quiet", "origin", "main"]).await.done();
    let jane = t.user("jane").await;
    let browser = t.browser(&jane.username).await;
    let (page, url) = ("/projects/import/git", git.url("acme/source"));
    browser.get(page).await.is(200);
    for (address, name, said) in [
        ("", "x", "be blank"),
        ("http://10.0.0.1/x.git", "x", "s blocked"),
        (url.as_str(), "", "be blank"),
    ] {
        let fields = [("url", address), ("name", name)];
        let refused = browser.post(page, &fields).await.is(422).text();
        assert!(refused.contains(said), "{address}: {refused}");
    }
    let (to, shown) = browser.submit(page, &[("url", url.as_str()), ("name", "Brought")]).await;
    assert_eq!(to, "/jane/brought");
    assert!(shown.contains("Brought is being brought."), "{shown}");
    t.settle().await;
    let told = t.admin().get("/projects/jane%2Fbrought").await.is(200).json();
    assert_eq!(told["import_status"], "finished");
    let shown = browser.get("/jane/brought/-/import").await.is(200).text();
    assert!(shown.contains("Its code came by its address alone"), "{shown}");
}

#[testkit::story]
async fn gists_are_imported_on_a_page(t: TestServer) {
    let there = Upstream::start(&t).await;
    let public = Addresses {
        provider_a_api: format!("{}/api/v3", there.url),
        provider_a_git: there.url.clone(),
        ..Addresses::default()
    };
    t.app().plugged::<Providers>().expect("it is plugged in").say(public);
    let jane = t.user("jane").await;
    let browser = t.browser(&jane.username).await;
    let page = "/-/snippets/import";
    browser.get(page).await.is(200);
    for (secret, said) in [("", "be blank"), ("another", "Access denied")] {
        let refused = browser.post(page, &[("secret", secret)]).await.is(422).text();
        assert!(refused.contains(said), "{refused}");
    }
    let (to, shown) = browser.submit(page, &[("secret", TOKEN)]).await;
    assert_eq!(to, "/-/snippets");
    assert!(shown.contains("Your gists are on their way."), "{shown}");
    browser.get(page).await.is(200);
    t.settle().await;
    set(&t, json!({"import_sources": []})).await;
    browser.get(page).await.is(403);
}

#[testkit::story]
async fn a_project_becomes_a_file_and_a_project_again(t: TestServer) {
    let jane = t.user("jane").await;
    let made = jane.post("/projects").json(&json!({"name": "anvil"})).await.is(201).id();
    let issue = json!({"title": "The horn is bent"});
    jane.post(format!("/projects/{made}/issues")).json(&issue).await.is(201);
    let browser = t.browser(&jane.username).await;
    let at = "/jane/anvil/-/export";
    let shown = browser.get(at).await.is(200).text();
    assert!(shown.contains("There is none.") && shown.contains("/jane/anvil/-/export\""));
    browser.get(&format!("{at}/download")).await.is(404);
    let long = "x".repeat(10_000);
    browser.post(at, &[("description", long.as_str())]).await.is(422);
    let (_, shown) = browser.submit(at, &[("description", "Another one.")]).await;
    assert!(
        shown.contains("The file is being written.") || shown.contains("Download"),
        "{shown}"
    );
    t.settle().await;
    let shown = browser.get(at).await.is(200).text();
    assert!(shown.contains("Download") && !shown.contains("data-live"), "{shown}");
    let file = browser.get(&format!("{at}/download")).await.is(200);
    assert_eq!(file.header("content-type"), "application/gzip");

    let page = "/projects/import/project_file";
    browser.get(page).await.is(200);
    let sent = send(&browser, page, "again", &file.body).await;
    assert_eq!(sent.is(303).header("location"), "/jane/again/-/import");
    t.settle().await;
    let shown = browser.get("/jane/again/-/import").await.is(200).text();
    assert!(shown.contains("finished") && shown.contains("Issues"), "{shown}");
    let issues = browser.get("/jane/again/-/issues").await.is(200).text();
    assert!(issues.contains("The horn is bent"));
    let refused = send(&browser, page, "again", &file.body).await.is(422).text();
    assert!(refused.contains("already been taken"), "{refused}");
    let kim = t.user("kim").await;
    let kim = t.browser(&kim.username).await;
    kim.get(at).await.is(404);
    kim.get(&format!("{at}/download")).await.is(404);
}

#[testkit::story]
async fn somebody_becomes_who_they_were(t: TestServer) {
    let project = t.project_with("acme/forge", "public").await;
    let group = t.group("acme").await;
    let brought = import(&t, project.id, ("provider_a", "code.example"), json!({})).await;
    let octocat = json!({"id": "583231", "username": "octocat", "name": "The Octocat"});
    let objects = read_objects(json!([issue(1, json!({"author": octocat}))]));
    bring(&t, &brought, objects).await.expect("they are written");
    let (jane, kim) = (t.user("jane").await, t.user("kim").await);
    group.add(&jane, 50).await;
    let browser = t.browser(&jane.username).await;
    let at = "/groups/acme/-/placeholders";
    let shown = browser.get(at).await.is(200).text();
    for text in [
        "Placeholder The Octocat",
        "octocat at code.example",
        "Not assigned",
        "Hand over",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    let settings = browser.get("/groups/acme/-/settings").await.is(200).text();
    assert!(settings.contains(at));
    let none = browser.get(&format!("{at}?search=winch")).await.is(200).text();
    assert!(none.contains("No placeholders"), "{none}");
    let id = t.admin().get(group.at("/placeholder_users")).await.is(200).each("id")[0].to_string();
    let to = |name| [("action", "reassign"), ("placeholder_id", id.as_str()), ("username", name)];
    let refused = browser.post(at, &to("nobody")).await.is(422).text();
    assert!(
        refused.contains("Is not found") && refused.contains("value=\"nobody\""),
        "{refused}"
    );
    let (_, shown) = browser.submit(at, &to("@kim")).await;
    assert!(shown.contains("is asked.") && shown.contains("Waits for an answer"), "{shown}");
    let late = browser.post(at, &to("kim")).await.is(422).text();
    assert!(late.contains("because it is awaiting_approval"), "{late}");
    let (_, shown) = browser
        .submit(at, &[("action", "cancel"), ("placeholder_id", id.as_str())])
        .await;
    assert!(shown.contains("Nobody is asked any more."), "{shown}");
    let (_, shown) =
        browser.submit(at, &[("action", "keep"), ("placeholder_id", id.as_str())]).await;
    assert!(shown.contains("Stays a placeholder"), "{shown}");
    browser.submit(at, &to("kim")).await;

    let own = "/-/profile/placeholders";
    let browser = t.browser(&kim.username).await;
    browser.get(at).await.is(403);
    let shown = browser.get(own).await.is(200).text();
    assert!(shown.contains("octocat at code.example") && shown.contains("acme"), "{shown}");
    let answer = |word| [("action", word), ("placeholder_id", id.as_str())];
    let (_, shown) = browser.submit(own, &answer("decline")).await;
    assert!(shown.contains("It stays with the placeholder.") && shown.contains("Nobody asks"));
    let again = t.browser(&jane.username).await;
    again.get(at).await.is(200);
    again.submit(at, &to("kim")).await;
    let (_, shown) = browser.submit(own, &answer("accept")).await;
    assert!(shown.contains("It is yours."), "{shown}");
    browser.post(own, &answer("accept")).await.is(422);
    t.settle().await;
    let told = t.admin().get(project.at("/issues/1")).await.is(200).json();
    assert_eq!(told["author"]["username"], "kim");
    let shown = again.get(at).await.is(200).text();
    assert!(shown.contains("Assigned") && shown.contains("@kim"), "{shown}");
}

/// Sends the form of a project file.
async fn send(browser: &Browser, page: &str, path: &str, file: &[u8]) -> testkit::Reply {
    let token = browser.form_token();
    let mut body = Vec::new();
    for (name, value) in [("authenticity_token", token.as_str()), ("path", path), ("name", path)] {
        let part =
            format!("--part\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    body.extend_from_slice(
        b"--part\r\nContent-Disposition: form-data; name=\"file\"; filename=\"p.tar.gz\"\r\n\r\n",
    );
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--part--\r\n");
    let request = browser.request(Method::POST, page).bytes(body);
    request.header("content-type", "multipart/form-data; boundary=part").await
}
