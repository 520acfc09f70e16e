//! What no format lets happen.

use crate::packages_formats::side_by_side::FORMATS;

/// Where clients read, below a project, with what they may put there.
const PLACES: &[&str] = &[
    "generic/{}/1.0/a",
    "generic/hammer/{}/a",
    "generic/hammer/1.0/{}",
    "npm/{}",
    "npm/hammer/-/{}",
    "npm/-/package/{}/dist-tags",
    "pypi/simple/{}",
    "pypi/files/0000000000000000000000000000000000000000000000000000000000000000/{}",
    "maven/com/acme/{}/1.0/a.jar",
    "maven/com/acme/hammer/1.0/{}",
    "helm/{}/index.yaml",
    "helm/stable/charts/{}",
    "terraform/modules/{}/aws/1.0.0",
    "terraform/modules/hammer/{}/1.0.0",
    "terraform/modules/hammer/aws/{}",
    "go/127.0.0.1/acme/anvil/{}/@v/list",
    "go/127.0.0.1/acme/anvil/@v/{}",
    "composer/archives/acme/{}",
    "nuget/download/{}/index.json",
    "nuget/download/hammer/{}/hammer.1.0.0.nupkg",
    "nuget/download/hammer/1.0.0/{}",
    "nuget/metadata/hammer/{}",
    "nuget/v2/package/hammer/{}",
    "nuget/v2/{}",
    "conan/v1/conans/{}/1.0/_/_/digest",
    "conan/v1/files/hammer/1.0/_/_/0/export/{}",
    "conan/v2/conans/hammer/{}/_/_/latest",
    "conan/v2/conans/hammer/1.0/_/_/revisions/{}/files/conanfile.py",
    "conan/v2/conans/hammer/1.0/_/_/revisions/0123456789abcdef0123456789abcdef/files/{}",
];

const TRICKS: &[&str] = &[
    "%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%2f..%2fdata%2fkeys",
    "%252e%252e%252fkeys",
    "..%5c..%5ckeys",
    "a%00b",
    "a%0d%0aX-Evil:%20yes",
    "a%2f%2f%2fb",
    "%2fetc%2fpasswd",
    "%ff%fe",
    "%3cscript%3e",
];

#[testkit::story]
async fn no_path_leads_out_of_a_format(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let long = "a".repeat(5_000);
    for place in PLACES {
        for trick in TRICKS.iter().copied().chain([long.as_str()]) {
            let path = project.at(&format!("/packages/{}", place.replace("{}", trick)));
            let read = t.admin().get(&path).await;
            // An index of nothing may be there; a file may not.
            let is_clear = matches!(read.status, 400 | 404 | 414)
                || (read.status == 200 && place.contains("index.yaml"))
                || (read.status == 200 && place.ends_with("list"));
            assert!(is_clear, "GET {path}: {read:?}");
            assert!(read.headers.get("x-evil").is_none(), "{path}");
            let sent = t.admin().put(&path).bytes("x").await;
            assert!((400..500).contains(&sent.status), "PUT {path}: {sent:?}");
        }
    }
    let found = t.admin().get(project.at("/packages")).await.is(200);
    assert_eq!(found.text(), "[]");
}

#[testkit::story]
async fn no_name_of_a_client_becomes_a_name_in_the_store(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    for (format, publish, statuses) in FORMATS {
        publish(&t.admin(), &project, 0).await.is(statuses[0]);
        let of = project.at(&format!("/packages?package_type={format}"));
        let id = t.admin().get(of).await.is(200).json()[0]["id"].clone();
        let files = project.at(&format!("/packages/{id}/package_files"));
        let file = t.admin().get(&files).await.is(200).json()[0]["id"].clone();
        let got = t.admin().get(format!("{files}/{file}/download")).await.is(200);
        assert_eq!(got.header("x-content-type-options"), "nosniff", "{format}");
        assert!(got.header("content-disposition").starts_with("attachment"), "{format}");
        assert_eq!(got.header("content-type"), "application/octet-stream", "{format}");
    }
    for file in testkit::files_below(&t.app().config().data_dir.join("blobs/sha256")) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_digest = name.len() >= 60 && name.bytes().all(|b| b.is_ascii_hexdigit());
        assert!(is_digest, "{}", file.display());
    }
}

#[testkit::story]
async fn numbers_too_large_are_of_nothing(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let large = "99999999999999999999999";
    for path in [
        format!("/projects/{large}/packages"),
        format!("/projects/{large}/packages/npm/hammer"),
        format!("/groups/{large}/-/packages/pypi/simple"),
        project.at(&format!("/packages/{large}")),
        project.at(&format!("/packages/{large}/package_files")),
        project.at(&format!("/packages/1/package_files/{large}/download")),
        project.at(&format!("/packages/cleanup/rules/{large}")),
        project.at(&format!("/packages?page={large}")),
    ] {
        let status = t.admin().get(&path).await.status;
        assert!(matches!(status, 400 | 404), "{path}: {status}");
    }
}
