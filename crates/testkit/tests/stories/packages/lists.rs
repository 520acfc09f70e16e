//! Lists of a project and of a group: filters, orders, pages.

use crate::packages::registry::Registry;
use serde_json::json;

#[testkit::story]
async fn a_package_is_written_field_by_field(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a.txt", "a").await;
    r.publish(&t, "hammer/1.1/a.txt", "a").await;

    let list = t.admin().get(r.at("")).await.is(200).json();
    let (id, project) = (list[0]["id"].clone(), r.id);
    let keys: Vec<&str> =
        list[0].as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "id",
            "name",
            "version",
            "package_type",
            "status",
            "_links",
            "created_at",
            "last_downloaded_at",
            "tags"
        ]
    );
    assert_eq!(
        list[0]["_links"],
        json!({
            "web_path": format!("/acme/anvil/-/packages/{id}"),
            "delete_api_path": format!("{}/api/v4/projects/{project}/packages/{id}", t.url()),
        })
    );
    assert_eq!(list[0]["status"], "default");
    let shown = t.admin().get(r.at(&format!("/{id}"))).await.is(200).json();
    assert_eq!(shown["versions"].as_array().map(Vec::len), Some(1));
    assert_eq!(shown["versions"][0]["version"], "1.1");
    assert_eq!(shown["versions"][0]["pipelines"], json!([]));
}

#[testkit::story]
async fn filters_and_orders_hold(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    for rest in ["hammer/2.0/a", "Anvil_big/1.0/a", "anvil/3.0/a", "100/0.1/a"] {
        r.publish(&t, rest, "x").await;
    }
    let names = async |query: &str| t.admin().get(r.at(query)).await.is(200).each("name");

    assert_eq!(names("").await, ["hammer", "Anvil_big", "anvil", "100"]);
    assert_eq!(names("?sort=desc").await, ["100", "anvil", "Anvil_big", "hammer"]);
    assert_eq!(names("?order_by=name").await, ["100", "Anvil_big", "anvil", "hammer"]);
    assert_eq!(names("?order_by=version").await, ["100", "Anvil_big", "hammer", "anvil"]);
    assert_eq!(names("?order_by=type&sort=desc").await.len(), 4);
    assert_eq!(names("?package_name=ANVIL").await, ["Anvil_big", "anvil"]);
    assert_eq!(names("?package_name=big%20anv").await, ["Anvil_big"]);
    assert_eq!(names("?package_name=_").await, ["Anvil_big"]);
    assert!(names("?package_name=%25").await.is_empty());
    assert!(names("?package_name=%5C").await.is_empty());
    assert_eq!(names("?package_name=%20").await.len(), 4);
    assert_eq!(names("?package_version=3.0").await, ["anvil"]);
    assert_eq!(names("?package_version=").await.len(), 4);
    assert_eq!(names("?package_type=generic").await.len(), 4);
    assert!(names("?package_type=npm").await.is_empty());
    for kind in [
        "composer",
        "conan",
        "golang",
        "helm",
        "maven",
        "nuget",
        "pypi",
        "terraform_module",
    ] {
        assert!(names(&format!("?package_type={kind}")).await.is_empty());
    }
    for bad in [
        "?package_type=cargo",
        "?order_by=size",
        "?sort=up",
        "?status=lost",
        "?page=0",
        "?per_page=x",
        "?order_by=project_path",
        "?package_name=a%00b",
    ] {
        t.admin().get(r.at(bad)).await.is(400);
    }
}

#[testkit::story]
async fn pages_count_what_the_list_shows(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    for number in 0..5 {
        r.publish(&t, &format!("hammer/1.{number}/a"), "x").await;
    }
    let reply = t.admin().get(r.at("?per_page=2&page=2")).await.is(200);
    assert_eq!(reply.each("version"), ["1.2", "1.3"]);
    assert_eq!(reply.header("x-total"), "5");
    assert_eq!(reply.header("x-total-pages"), "3");
    assert_eq!(reply.header("x-next-page"), "3");
    assert!(reply.link("next").is_some_and(|link| link.contains("page=3")));
    let past = t.admin().get(r.at("?per_page=2&page=9")).await.is(200);
    assert_eq!((past.json(), past.header("x-total")), (json!([]), "5"));
    let filtered = t.admin().get(r.at("?package_version=1.3")).await.is(200);
    assert_eq!(filtered.header("x-total"), "1");
    let none = t.admin().get(r.at("?package_version=9")).await.is(200);
    assert_eq!(none.header("x-total"), "0");
}

#[testkit::story]
async fn a_group_lists_what_its_projects_have(t: testkit::TestServer) {
    let first = Registry::new(&t, "acme/zinc", 0).await;
    let second = Registry::new(&t, "acme/anvil", 20).await;
    let other = Registry::new(&t, "apex/anvil", 20).await;
    first.publish(&t, "b/2.0/x", "x").await;
    second.publish(&t, "a/1.0/x", "x").await;
    first.publish(&t, "c/3.0/x", "x").await;
    other.publish(&t, "d/4.0/x", "x").await;
    let group = format!("/groups/{}/packages", first.namespace);
    let names =
        async |query: &str| t.admin().get(format!("{group}{query}")).await.is(200).each("name");

    assert_eq!(names("").await, ["b", "a", "c"]);
    assert_eq!(names("?order_by=name&sort=desc").await, ["c", "b", "a"]);
    assert_eq!(names("?order_by=project_path").await, ["a", "b", "c"]);
    assert_eq!(names("?order_by=project_path&sort=desc").await, ["c", "b", "a"]);
    assert_eq!(names("?order_by=version&per_page=1&page=2").await, ["b"]);
    assert_eq!(names("?order_by=type&exclude_subgroups=true").await, ["b", "a", "c"]);
    assert_eq!(names("?package_name=C").await, ["c"]);
    let reply = t.admin().get(&group).await.is(200);
    assert_eq!(reply.header("x-total"), "3");
    assert_eq!(reply.each("project_path"), ["acme/zinc", "acme/anvil", "acme/zinc"]);

    // Nobody sees the private project's packages, a guest of it neither.
    let public = t.anonymous().get(&group).await.is(200);
    assert_eq!((public.each("name"), public.header("x-total")), (vec![json!("a")], "1"));
    let guest = first.person(&t, "guest", 10).await;
    assert_eq!(guest.get(&group).await.is(200).each("name"), ["a"]);
    let reporter = first.person(&t, "reporter", 20).await;
    let seen = reporter.get(&group).await.is(200);
    assert_eq!(seen.each("name"), ["b", "a", "c"]);
    assert!(seen.json()[0]["_links"]["delete_api_path"].is_null());
}

#[testkit::story]
async fn pipelines_are_keyset_pages_of_at_most_twenty(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a.txt", "a").await;
    let path = r.at(&format!("/{}/pipelines", r.id_of(&t, "hammer").await));

    let reply = t.admin().get(&path).await.is(200);
    assert_eq!((reply.json(), reply.header("x-total")), (json!([]), ""));
    t.admin().get(format!("{path}?per_page=20")).await.is(200);
    for bad in ["per_page=21", "per_page=0", "per_page=-1", "per_page=x", "cursor=garbage"] {
        t.admin().get(format!("{path}?{bad}")).await.is(400);
    }
}
