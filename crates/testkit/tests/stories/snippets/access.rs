//! Who sees and changes which snippet, as one table.

use super::{at, base, made};
use serde_json::json;
use testkit::{Client, TestServer};

/// Who asks, in the order of the columns.
const WHO: [&str; 8] = [
    "nobody",
    "external",
    "user",
    "guest",
    "reporter",
    "author",
    "maintainer",
    "admin",
];

async fn statuses(clients: &[Client], path: &str) -> Vec<u16> {
    let mut all = Vec::new();
    for client in clients {
        all.push(client.get(path).await.status);
    }
    all
}

async fn external(t: &TestServer) -> Client {
    let user = t.user("external").await;
    let change = json!({"external": true});
    t.admin().put(format!("/users/{}", user.id)).json(&change).await.is(200);
    (*user).clone()
}

#[testkit::story]
async fn snippets_are_for_who_may_see_them(t: TestServer) {
    let (open, closed) =
        (t.project_with("acme/open", "public").await, t.project("acme/closed").await);
    let author = t.user("author").await;
    let mut clients = vec![t.anonymous(), external(&t).await, (*t.user("user").await).clone()];
    for (name, level) in [("guest", 10), ("reporter", 20)] {
        let user = t.user(name).await;
        open.add(&user, level).await;
        closed.add(&user, level).await;
        clients.push((*user).clone());
    }
    open.add(&author, 30).await;
    closed.add(&author, 30).await;
    clients.push((*author).clone());
    let maintainer = t.user("maintainer").await;
    open.add(&maintainer, 40).await;
    closed.add(&maintainer, 40).await;
    clients.push((*maintainer).clone());
    clients.push(t.admin());

    // Which snippet, and what each of WHO is answered.
    let no = 404;
    for (project, visibility, wanted) in [
        (None, "public", [200, 200, 200, 200, 200, 200, 200, 200]),
        (None, "internal", [no, no, 200, 200, 200, 200, 200, 200]),
        (None, "private", [no, no, no, no, no, 200, no, 200]),
        (Some(&open), "public", [200, 200, 200, 200, 200, 200, 200, 200]),
        (Some(&open), "internal", [no, no, 200, 200, 200, 200, 200, 200]),
        (Some(&open), "private", [no, no, no, 200, 200, 200, 200, 200]),
        (Some(&closed), "public", [no, no, no, 200, 200, 200, 200, 200]),
        (Some(&closed), "internal", [no, no, no, 200, 200, 200, 200, 200]),
        (Some(&closed), "private", [no, no, no, 200, 200, 200, 200, 200]),
    ] {
        let snippet = made(&author, project, visibility).await;
        for rest in ["", "/raw", "/notes", "/files/main/hello.rs/raw", "/award_emoji"] {
            let path = at(project, &snippet, rest);
            let told = statuses(&clients, &path).await;
            assert_eq!(told, wanted, "{visibility} {path}, asked by {WHO:?}");
        }
        // Lists show what can be seen, and nothing else.
        for (client, status) in clients.iter().zip(wanted).skip(1) {
            let all = client.get("/snippets/all?per_page=100").await.is(200).each("id");
            assert_eq!(all.contains(&snippet["id"]), status == 200, "{visibility} {snippet}");
        }
        author.delete(at(project, &snippet, "")).await.is(204);
    }
}

#[testkit::story]
async fn snippets_are_changed_by_their_authors_and_maintainers(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (author, other) = (t.user("author").await, t.user("other").await);
    let maintainer = t.user("maintainer").await;
    for (user, level) in [(&author, 20), (&other, 30), (&maintainer, 40)] {
        project.add(user, level).await;
    }
    let of_project = made(&author, Some(&project), "public").await;
    let own = made(&author, None, "public").await;
    let title = json!({"title": "New"});
    let put = async |client: &Client, path: String| client.put(path).json(&title).await.status;
    assert_eq!(put(&other, at(Some(&project), &of_project, "")).await, 403);
    assert_eq!(put(&maintainer, at(Some(&project), &of_project, "")).await, 200);
    assert_eq!(put(&author, at(Some(&project), &of_project, "")).await, 200);
    assert_eq!(put(&other, at(None, &own, "")).await, 404);
    assert_eq!(put(&t.anonymous(), at(None, &own, "")).await, 401);
    assert_eq!(put(&author, at(None, &own, "")).await, 200);
    assert_eq!(put(&t.admin(), at(None, &own, "")).await, 200);
    other.delete(at(None, &own, "")).await.is(404);
    other.delete(at(Some(&project), &of_project, "")).await.is(403);
    // A snippet of another place is not found there.
    maintainer.get(at(Some(&project), &own, "")).await.is(404);

    // Who makes them in a project works there.
    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    let body = json!({"title": "x", "file_name": "a", "content": "x"});
    guest.post(base(Some(&project))).json(&body).await.is(403);
    t.anonymous().post("/snippets").json(&body).await.is(401);
    external(&t).await.post("/snippets").json(&body).await.is(403);

    // An author who left the project changes them no more.
    t.admin().delete(project.at(&format!("/members/{}", author.id))).await.is(204);
    assert_eq!(put(&author, at(Some(&project), &of_project, "")).await, 403);

    for (level, list) in [("private", 403), ("disabled", 403)] {
        let only = json!({"snippets_access_level": level});
        t.admin().put(project.at("")).json(&only).await.is(200);
        t.anonymous().get(base(Some(&project))).await.is(list);
        t.anonymous().get(at(None, &of_project, "")).await.is(404);
    }
    maintainer.get(base(Some(&project))).await.is(403);
    let events = maintainer.get(project.at("/events?target_type=snippet")).await.is(200);
    assert_eq!(events.json(), json!([]), "who may not read them is told nothing of them");
}
