//! Packages that are hidden, one of each format that names things in its own way.

use crate::packages_formats::{archives, forms};
use testkit::{Client, TestProject};

/// Publishes a version of a Go module; what of it is asked for.
pub async fn go_module(admin: &Client, project: &TestProject) -> String {
    let module = format!("127.0.0.1/{}", project.path);
    let path = format!("{module}/@v/v1.0.0.zip");
    let bytes = archives::zip(&[(&format!("{module}@v1.0.0/a.go"), "package a")]);
    let at = project.at(&format!("/packages/go/{path}"));
    admin.put(at).bytes(bytes).await.is(201);
    path
}

/// Publishes a Conan recipe named after its project; the recipe and a file.
pub async fn conan_recipe(admin: &Client, project: &TestProject) -> (String, String) {
    let recipe = format!("hammer/1.0/{}/stable", project.path.replace('/', "+"));
    let file = format!("{recipe}/0/export/conanmanifest.txt");
    let at = project.at(&format!("/packages/conan/v1/files/{file}"));
    admin.put(at).bytes("1\n").await.is(200);
    (recipe, file)
}

/// Publishes a Composer package; the two parts of its archive's path.
pub async fn composer_archive(admin: &Client, project: &TestProject) -> (String, String) {
    let zip = archives::zip(&[("composer.json", r#"{"name": "smith/hammer"}"#)]);
    let request = admin.post(project.at("/packages/composer?tag=1.0.0"));
    let files = [("package", "p.zip", zip.as_slice())];
    forms::multipart(request, &[], &files).await.is(201);
    ("smith".into(), "hammer.zip".into())
}

/// Publishes a NuGet package; its file.
pub async fn nuget_package(admin: &Client, project: &TestProject) -> String {
    let own = "<package><metadata><id>hammer</id><version>1.0.0</version></metadata></package>";
    let zip = archives::zip(&[("hammer.nuspec", own)]);
    let request = admin.put(project.at("/packages/nuget"));
    let files = [("package", "package.nupkg", zip.as_slice())];
    forms::multipart(request, &[], &files).await.is(201);
    "hammer.1.0.0.nupkg".into()
}

/// Publishes a chart; its file.
pub async fn chart(project: &TestProject, admin: &Client) -> String {
    let own = "apiVersion: v2\nname: hammer\nversion: 1.0.0\n";
    let bytes = archives::tar_gz(&[("hammer/Chart.yaml", own)]);
    let request = admin.post(project.at("/packages/helm/api/stable/charts"));
    let files = [("chart", "hammer.tgz", bytes.as_slice())];
    forms::multipart(request, &[], &files).await.is(201);
    "hammer-1.0.0.tgz".into()
}

/// Publishes `hammer` for Python; the digest of its file.
pub async fn python_package(project: &TestProject, admin: &Client) -> String {
    let own = "Name: hammer\nVersion: 1.0\n";
    let bytes = archives::tar_gz(&[("hammer-1.0/PKG-INFO", own)]);
    let request = admin.post(project.at("/packages/pypi"));
    let texts = [("name", "hammer"), ("version", "1.0")];
    let files = [("content", "hammer-1.0.tar.gz", bytes.as_slice())];
    forms::multipart(request, &texts, &files).await.is(201);
    testkit::sha256(&bytes)
}
