//! Eight clients publish one version at once, and another eight versions at
//! once, in every format: how many rows there are then, and what counters say.

use crate::packages_formats::forms::multipart;
use crate::packages_formats::{archives, conan, golang, helm, nuget, pypi, terraform};
use futures_util::future::join_all;
use serde_json::{Value, json};
use store::sql;
use testkit::{Client, Request, TestProject, TestServer, npm};

const CLIENTS: usize = 8;

/// How a version is published.
pub type Publish = fn(&Client, &TestProject, u32) -> Request;

/// Every format that clients publish by an upload: how, and the statuses that
/// a version published twice may have.
pub const FORMATS: &[(&str, Publish, &[u16])] = &[
    ("generic", generic, &[201]),
    ("npm", of_npm, &[200, 403]),
    ("pypi", of_pypi, &[201, 400]),
    ("maven", of_maven, &[200]),
    ("helm", of_helm, &[201]),
    ("terraform_module", of_terraform, &[201, 403]),
    ("golang", of_golang, &[201, 409]),
    ("composer", of_composer, &[201, 400]),
    ("nuget", of_nuget, &[201]),
    ("conan", of_conan, &[200]),
];

fn generic(client: &Client, project: &TestProject, minor: u32) -> Request {
    let path = project.at(&format!("/packages/generic/hammer/1.{minor}/a"));
    client.put(path).bytes("a hammer")
}

fn of_npm(client: &Client, project: &TestProject, minor: u32) -> Request {
    let body = npm::plain("hammer", &format!("1.{minor}.0"));
    client.put(project.at("/packages/npm/hammer")).json(&body)
}

fn of_pypi(client: &Client, project: &TestProject, minor: u32) -> Request {
    pypi::wheel("hammer", &format!("1.{minor}")).to(client, project)
}

fn of_maven(client: &Client, project: &TestProject, minor: u32) -> Request {
    let path = format!("/packages/maven/com/acme/hammer/1.{minor}/hammer-1.{minor}.jar");
    client.put(project.at(&path)).bytes("a jar")
}

fn of_helm(client: &Client, project: &TestProject, minor: u32) -> Request {
    helm::chart("hammer", &format!("1.{minor}.0")).to(client, project, "stable")
}

fn of_terraform(client: &Client, project: &TestProject, minor: u32) -> Request {
    let path = format!("/packages/terraform/modules/hammer/aws/1.{minor}.0/file");
    client.put(project.at(&path)).bytes(terraform::module(""))
}

fn of_golang(client: &Client, project: &TestProject, minor: u32) -> Request {
    let module = format!("{}/{}", golang::HOST, project.path);
    let version = format!("v1.{minor}.0");
    let bytes = golang::module_zip(&module, &version, &format!("module {module}\n"));
    client
        .put(project.at(&format!("/packages/go/{module}/@v/{version}.zip")))
        .bytes(bytes)
}

fn of_composer(client: &Client, project: &TestProject, minor: u32) -> Request {
    let manifest = json!({"name": "acme/hammer"}).to_string();
    let archive = archives::zip(&[("hammer/composer.json", manifest.as_str())]);
    let tag = format!("1.{minor}.0");
    let request = client.post(project.at("/packages/composer"));
    multipart(request, &[("tag", &tag)], &[("package", "p.zip", &archive)])
}

fn of_nuget(client: &Client, project: &TestProject, minor: u32) -> Request {
    nuget::package("hammer", &format!("1.{minor}.0")).to(client, project)
}

fn of_conan(client: &Client, project: &TestProject, minor: u32) -> Request {
    let recipe = conan::recipe_at(&project.at(""), &format!("hammer/1.{minor}/_/_"));
    client
        .put(recipe.in_recipe(conan::RREV, "/files/conan_export.tgz"))
        .bytes(conan::archive())
}

/// Statuses of requests sent at once, in their order.
async fn at_once(requests: impl Iterator<Item = Request>) -> Vec<u16> {
    let sent = requests.map(|request| tokio::spawn(async move { request.await.status }));
    let ended = join_all(sent).await;
    ended.into_iter().map(|one| one.expect("no panic")).collect()
}

/// Rows of the project's packages, what its counter says, and files without
/// a package or bytes.
async fn counted(t: &TestServer, project: &TestProject) -> (i64, i64, i64) {
    let id = project.id;
    let read = t.app().read(move |tx| {
        Ok(tx.one(
            sql!(
                "select (select count(*) from packages where project_id = $1 and live = 1),
                    (select displayable from package_counts where project_id = $1),
                    (select count(*) from packages p where p.project_id = $1 and not exists
                        (select 1 from package_files f join blobs b on b.key = f.blob_key
                         where f.package_id = p.id))"
            ),
            (id,),
        )?)
    });
    read.await.expect("counted")
}

#[testkit::story]
async fn publishers_of_every_format_get_in_nobody_s_way(t: TestServer) {
    let admin = t.admin();
    for (format, publish, refused) in FORMATS {
        let project = t.project(&format!("acme/{}", format.replace('_', "-"))).await;

        let same = at_once((0..CLIENTS).map(|_| publish(&admin, &project, 0))).await;

        let first = refused[0];
        assert!(same.contains(&first), "{format}: {same:?}");
        assert!(same.iter().all(|status| refused.contains(status)), "{format}: {same:?}");
        if refused.len() > 1 {
            let winners = same.iter().filter(|status| **status == first).count();
            assert_eq!(winners, 1, "{format}: {same:?}");
        }
        assert_eq!(counted(&t, &project).await, (1, 1, 0), "{format}");

        let others = at_once((1..=CLIENTS as u32).map(|minor| publish(&admin, &project, minor)));
        assert_eq!(others.await, [first; CLIENTS], "{format}");

        let all = CLIENTS as i64 + 1;
        assert_eq!(counted(&t, &project).await, (all, all, 0), "{format}");
        let path = project.at(&format!("/packages?package_type={format}&per_page=100"));
        let listed = admin.get(path).await.is(200);
        assert_eq!(listed.header("x-total"), all.to_string(), "{format}");
        assert_eq!(listed.json().as_array().map(Vec::len), Some(all as usize));
    }
    let report = packages::check::run(t.app(), true, |_, _| {}).await.expect("checked");
    assert_eq!(report.problems, Vec::<String>::new());
    let kinds: Vec<Value> = admin
        .get("/groups/acme/packages?per_page=100&order_by=type")
        .await
        .is(200)
        .each("package_type");
    assert!(FORMATS.iter().all(|(format, ..)| kinds.contains(&json!(format))));
}
