//! Lists of projects, groups and namespaces: filters, orders and pages.

use crate::packages_formats::forms::multipart;
use crate::spaces::{add, group, project};
use serde_json::{Value, json};
use testkit::Client;

/// The paths of a list.
async fn paths(client: &Client, list: &str) -> Vec<String> {
    let mut paths: Vec<String> = client
        .get(list)
        .await
        .is(200)
        .each("path")
        .iter()
        .map(|path| path.as_str().unwrap_or_default().to_owned())
        .collect();
    paths.sort();
    paths
}

#[testkit::story]
async fn keyset_pages_show_every_project_once(t: testkit::TestServer) {
    let group = t.group("acme").await.id;
    let many = |from: usize, to: usize| {
        t.app().write(move |tx| {
            let now = tx.now();
            for number in from..to {
                tx.execute(
                    store::sql!(
                        "insert into projects (namespace_id, name, name_folded, path,
                        path_folded, full_path, full_path_folded, visibility, topics, features,
                        last_activity_at, created_at, updated_at)
                        values ($1, $2, $2, $2, $2, $3, $3, 20, $4, $5, $6, $6, $6)"
                    ),
                    (
                        group,
                        format!("p{number}"),
                        format!("acme/p{number}"),
                        store::Json(json!([])),
                        store::Json(json!({})),
                        now,
                    ),
                )?;
            }
            Ok(())
        })
    };
    many(0, 250).await.expect("rows");
    for sort in ["asc", "desc"] {
        let mut seen: Vec<i64> = Vec::new();
        let mut next =
            Some(format!("/projects?pagination=keyset&per_page=40&order_by=id&sort={sort}"));
        let mut added = 0;
        while let Some(path) = next {
            let page = t.anonymous().get(&path).await.is(200);
            assert_eq!((page.header("x-total"), page.header("x-page")), ("", ""));
            seen.extend(page.each("id").iter().filter_map(Value::as_i64));
            let number = if sort == "asc" { 1000 } else { 2000 } + added;
            many(number, number + 1).await.expect("a row");
            added += 1;
            next = page
                .link("next")
                .map(|url| url.split("/api/v4").nth(1).expect("ours").to_owned());
        }
        let mut once = seen.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), seen.len(), "none twice");
        let missing: Vec<i64> = t
            .app()
            .read(|tx| {
                Ok(tx.all::<i64>(
                    store::sql!("select id from projects where path <> 'p' order by id limit 250"),
                    (),
                )?)
            })
            .await
            .expect("rows")
            .into_iter()
            .filter(|id| !seen.contains(id))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}

#[testkit::story]
async fn filters_by_id_hold_on_every_keyset_page(t: testkit::TestServer) {
    let mut ids = Vec::new();
    for number in 0..6 {
        ids.push(t.project(&format!("acme/p{number}")).await.id);
    }
    for (filter, wanted) in [
        (format!("id_after={}&sort=desc", ids[1]), vec![5, 4, 3, 2]),
        (format!("id_before={}&sort=asc", ids[4]), vec![0, 1, 2, 3]),
        (format!("id_after={}&sort=asc", ids[1]), vec![2, 3, 4, 5]),
    ] {
        let mut next = Some(format!("/projects?pagination=keyset&per_page=1&{filter}"));
        let mut seen = Vec::new();
        while let Some(path) = next {
            let page = t.admin().get(&path).await.is(200);
            seen.extend(page.each("id"));
            next = page
                .link("next")
                .map(|url| url.split("/api/v4").nth(1).expect("ours").to_owned());
        }
        let wanted: Vec<Value> = wanted.into_iter().map(|at: usize| json!(ids[at])).collect();
        assert_eq!(seen, wanted, "{filter}");
    }
    t.admin().get("/projects?pagination=keyset&order_by=name").await.is(405);
    t.admin().get("/projects?pagination=keyset&cursor=forged").await.is(400);
}

#[testkit::story]
async fn names_are_found_whatever_their_case(t: testkit::TestServer) {
    let admin = t.admin();
    group(&admin, "g", json!({"name": "Größe Ältere"})).await.is(201);
    let body = json!({"name": "ÄRGER 🚀", "path": "Anger", "description": "Über ÖFEN"});
    admin.post("/projects").json(&body).await.is(201);
    for text in ["ärger", "ÄRGER", "anger", "ANGER", "öfen", "ÜBER"] {
        assert_eq!(paths(&admin, &format!("/projects?search={text}")).await, ["Anger"], "{text}");
    }
    assert_eq!(paths(&admin, "/projects?search=100%25").await, Vec::<String>::new());
    assert_eq!(paths(&admin, "/projects?search=_ng").await, Vec::<String>::new());
    for text in ["größe", "GRÖSSE", "ÄLTERE"] {
        let expected = if text == "GRÖSSE" { vec![] } else { vec!["g"] };
        assert_eq!(paths(&admin, &format!("/groups?search={text}")).await, expected, "{text}");
    }
    assert_eq!(paths(&admin, "/namespaces?search=ÄLTERE").await, ["g"]);
}

#[testkit::story]
async fn each_filter_of_projects_narrows(t: testkit::TestServer) {
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    let acme = group(&jane, "acme", json!({"visibility": "public"})).await.is(201).id();
    let inside = json!({"namespace_id": acme, "visibility": "public", "topics": ["Tools", "iron"]});
    let open = project(&jane, "open", inside).await.is(201).id();
    let own = project(
        &joe,
        "own",
        json!({"visibility": "internal",
        "issues_access_level": "disabled", "merge_requests_access_level": "disabled"}),
    )
    .await
    .is(201)
    .id();
    let secret = project(&jane, "secret", json!({"namespace_id": acme})).await.is(201).id();
    add(&jane, &format!("/projects/{secret}"), &joe, 20).await.is(201);
    joe.post(format!("/projects/{open}/star")).await.is(201);
    joe.post(format!("/projects/{open}/star")).await.is(304);
    for (filter, wanted) in [
        ("", &["open", "own", "secret"][..]),
        ("membership=true", &["own", "secret"]),
        ("owned=true", &["own"]),
        ("min_access_level=20", &["own", "secret"]),
        ("min_access_level=30", &["own"]),
        ("starred=true", &["open"]),
        ("archived=true", &[]),
        ("archived=false", &["open", "own", "secret"]),
        ("visibility=public", &["open"]),
        ("visibility=private", &["secret"]),
        ("topic=Tools", &["open"]),
        ("topic=Tools,iron", &["open"]),
        ("topic=Tools,wood", &[]),
        ("search=acme", &[]),
        ("search=acme&search_namespaces=true", &["open", "secret"]),
        ("with_issues_enabled=true", &["open", "secret"]),
        ("with_merge_requests_enabled=true", &["open", "secret"]),
        ("last_activity_after=2999-01-01T00:00:00Z", &[]),
        ("last_activity_before=2999-01-01", &["open", "own", "secret"]),
        ("updated_after=2999-01-01", &[]),
    ] {
        assert_eq!(paths(&joe, &format!("/projects?{filter}")).await, wanted, "{filter}");
    }
    assert_eq!(paths(&joe, &format!("/projects?id_after={open}")).await, ["own", "secret"]);
    assert_eq!(paths(&joe, &format!("/projects?id_before={secret}")).await, ["open", "own"]);
    let simple = joe.get("/projects?simple=true&search=open").await.is(200).json();
    assert_eq!((&simple[0]["archived"], &simple[0]["path"]), (&Value::Null, &json!("open")));
    for order in [
        "id",
        "name",
        "path",
        "created_at",
        "updated_at",
        "last_activity_at",
        "star_count",
    ] {
        let up = joe.get(format!("/projects?order_by={order}&sort=asc")).await.is(200).each("id");
        let mut down = joe
            .get(format!("/projects?order_by={order}&sort=desc"))
            .await
            .is(200)
            .each("id");
        down.reverse();
        assert_eq!(up, down, "{order}");
    }
    for wrong in [
        "order_by=nothing",
        "sort=up",
        "visibility=secret",
        "archived=perhaps",
        "id_after=x",
        "id_before=1.5",
        "id_after=99999999999999999999",
        "min_access_level=high",
        "last_activity_after=yesterday",
        "per_page=0",
        "per_page=-1",
        "page=x",
        "pagination=no",
    ] {
        joe.get(format!("/projects?{wrong}")).await.is(400);
    }
    assert_eq!(paths(&joe, &format!("/users/{}/projects", joe.id)).await, ["own"]);
    assert_eq!(paths(&jane, "/users/joe/projects").await, ["own"]);
    assert_eq!(
        paths(&t.anonymous(), &format!("/users/{}/projects", joe.id)).await,
        Vec::<String>::new()
    );
    assert_eq!(paths(&jane, &format!("/users/{}/starred_projects", joe.id)).await, ["open"]);
    let starrers = jane.get(format!("/projects/{open}/starrers")).await.is(200).json();
    assert_eq!(starrers[0]["user"]["username"], "joe");
    joe.post(format!("/projects/{open}/unstar")).await.is(201);
    joe.post(format!("/projects/{open}/unstar")).await.is(304);
    assert_eq!(joe.get(format!("/projects/{own}")).await.is(200).json()["star_count"], 0);
}

#[testkit::story]
async fn each_filter_of_groups_narrows(t: testkit::TestServer) {
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    let top = group(&jane, "top", json!({"visibility": "public"})).await.is(201).id();
    let middle = group(&jane, "middle", json!({"parent_id": top, "visibility": "internal"}))
        .await
        .is(201)
        .id();
    let low = group(&jane, "low", json!({"parent_id": middle})).await.is(201).id();
    group(&joe, "joes", json!({})).await.is(201);
    add(&jane, &format!("/groups/{middle}"), &joe, 20).await.is(201);
    for (filter, wanted) in [
        ("", &["joes", "low", "middle", "top"][..]),
        ("all_available=true", &["joes", "low", "middle", "top"]),
        ("owned=true", &["joes"]),
        ("min_access_level=20", &["joes", "low", "middle"]),
        ("top_level_only=true", &["joes", "top"]),
        ("visibility=public", &["top"]),
        ("visibility=private", &["joes", "low"]),
        ("search=MIDD", &["low", "middle"]),
    ] {
        assert_eq!(paths(&joe, &format!("/groups?{filter}")).await, wanted, "{filter}");
    }
    assert_eq!(
        paths(&joe, &format!("/groups?skip_groups={top},{low}")).await,
        ["joes", "middle"]
    );
    assert_eq!(
        paths(&joe, &format!("/groups?skip_groups[]={top}")).await,
        ["joes", "low", "middle"]
    );
    assert_eq!(paths(&t.anonymous(), "/groups").await, ["top"]);
    assert_eq!(paths(&t.anonymous(), "/groups?owned=true").await, Vec::<String>::new());
    assert_eq!(paths(&joe, &format!("/groups/{top}/subgroups")).await, ["middle"]);
    assert_eq!(
        paths(&joe, &format!("/groups/{top}/descendant_groups")).await,
        ["low", "middle"]
    );
    assert_eq!(
        paths(&t.anonymous(), &format!("/groups/{top}/descendant_groups")).await,
        Vec::<String>::new()
    );
    let names = jane.get("/groups?order_by=path&sort=desc").await.is(200).each("full_path");
    assert_eq!(names, ["top/middle/low", "top/middle", "top"]);
    let mut next = Some("/groups?pagination=keyset&per_page=1".to_owned());
    let mut seen = Vec::new();
    while let Some(path) = next {
        let page = jane.get(&path).await.is(200);
        seen.extend(page.each("path"));
        next = page
            .link("next")
            .map(|url| url.split("/api/v4").nth(1).expect("ours").to_owned());
    }
    assert_eq!(seen, ["low", "middle", "top"]);
    jane.get("/groups?pagination=keyset&order_by=id").await.is(405);
}

#[testkit::story]
async fn namespaces_list_what_one_belongs_to(t: testkit::TestServer) {
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    let top = group(&jane, "top", json!({})).await.is(201).id();
    group(&jane, "below", json!({"parent_id": top})).await.is(201);
    add(&jane, &format!("/groups/{top}"), &joe, 20).await.is(201);
    assert_eq!(paths(&joe, "/namespaces").await, ["below", "joe", "top"]);
    assert_eq!(paths(&joe, "/namespaces?owned_only=true").await, ["joe"]);
    assert_eq!(paths(&joe, "/namespaces?top_level_only=true").await, ["joe", "top"]);
    assert_eq!(paths(&joe, "/namespaces?search=BEL").await, ["below"]);
    let shown = joe.get("/namespaces/top%2Fbelow").await.is(200).json();
    assert_eq!((&shown["kind"], &shown["parent_id"]), (&json!("group"), &json!(top)));
    let own = joe.get("/namespaces/joe").await.is(200).json();
    assert_eq!((&own["kind"], &own["full_path"]), (&json!("user"), &json!("joe")));
    joe.get("/namespaces/jane").await.is(404);
    t.anonymous().get("/namespaces").await.is(401);
    let taken = joe.get("/namespaces/top/exists").await.is(200).json();
    assert_eq!(taken, json!({"exists": true, "suggests": ["top1"]}));
    let free = joe.get("/namespaces/nobody/exists").await.is(200).json();
    assert_eq!(free, json!({"exists": false, "suggests": []}));
}

#[testkit::story]
async fn statistics_tell_the_bytes_of_packages_and_uploads(t: testkit::TestServer) {
    let anvil = t.project("acme/anvil").await;
    for (name, bytes) in [("a", 1000), ("b", 234)] {
        t.admin()
            .put(anvil.at(&format!("/packages/generic/{name}/1.0/f.bin")))
            .bytes(vec![b'x'; bytes])
            .await
            .is(201);
    }
    t.project("acme/empty").await;
    let file = [("file", "a.txt", &[b'x'; 66][..])];
    multipart(t.admin().post(anvil.at("/uploads")), &[], &file).await.is(201);
    let shown = t.admin().get(anvil.at("?statistics=true")).await.is(200).json();
    let sizes = &shown["statistics"];
    assert_eq!(
        [&sizes["packages_size"], &sizes["uploads_size"], &sizes["storage_size"]],
        [&json!(1234), &json!(66), &json!(1300)]
    );
    let list = t
        .admin()
        .get("/projects?statistics=true&order_by=id&sort=asc")
        .await
        .is(200)
        .json();
    assert_eq!(
        (&list[0]["statistics"]["packages_size"], &list[1]["statistics"]["packages_size"]),
        (&json!(1234), &json!(0))
    );
    let groups = t.admin().get("/groups?statistics=true").await.is(200).json();
    assert_eq!(groups[0]["statistics"]["packages_size"], 1234);
    assert_eq!(groups[0]["statistics"]["uploads_size"], 66);
    let package =
        t.admin().get(anvil.at("/packages?package_name=b")).await.is(200).json()[0]["id"].clone();
    t.admin().delete(anvil.at(&format!("/packages/{package}"))).await.is(204);
    let shown = t.admin().get(anvil.at("?statistics=true")).await.is(200).json();
    assert_eq!(shown["statistics"]["packages_size"], 1000);
}
