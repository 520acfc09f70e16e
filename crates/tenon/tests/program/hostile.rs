//! Archives made to hurt, sent to every format that looks into what it is
//! sent: a clear refusal, nothing left of them, and little memory.

use crate::large::growth;
use crate::place::{Place, Server, project, until};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use testkit::hostile::{Packing, archives};
use testkit::{Client, Reply, Request, npm, run};

/// Most bytes by which the server's memory may grow.
const MAX_GROWTH: u64 = 64 << 20;

/// A format, the packing of its archives, the folder its files are in, how an
/// archive is sent, and what of the hostile ones it keeps as they are: clients
/// may be given archives of other kinds, and who has only links has no files.
struct Format {
    name: &'static str,
    packing: Packing,
    folder: &'static str,
    send: fn(&Client, &str, &[u8]) -> Request,
    kept: &'static [&'static str],
}

const FORMATS: &[Format] = &[
    Format {
        name: "npm",
        packing: Packing::TarGz,
        folder: "package",
        send: to_npm,
        kept: &[],
    },
    Format {
        name: "pypi, sources",
        packing: Packing::TarGz,
        folder: "hammer-1.0",
        send: sources_to_pypi,
        kept: &[],
    },
    Format {
        name: "pypi, a wheel",
        packing: Packing::Zip,
        folder: "hammer",
        send: wheel_to_pypi,
        kept: &[],
    },
    Format {
        name: "helm",
        packing: Packing::TarGz,
        folder: "hammer",
        send: to_helm,
        kept: &[],
    },
    Format {
        name: "terraform_module",
        packing: Packing::TarGz,
        folder: "modules/hammer",
        send: to_terraform,
        kept: &["nothing at all", "no archive", "another packing"],
    },
    Format {
        name: "golang",
        packing: Packing::Zip,
        folder: "127.0.0.1/acme/anvil@v1.0.0",
        send: to_golang,
        kept: &[],
    },
    Format {
        name: "composer",
        packing: Packing::Zip,
        folder: "hammer",
        send: to_composer,
        kept: &[],
    },
    Format {
        name: "nuget",
        packing: Packing::Zip,
        folder: "lib",
        send: to_nuget,
        kept: &[],
    },
    Format {
        name: "nuget, symbols",
        packing: Packing::Zip,
        folder: "lib",
        send: symbols_to_nuget,
        kept: &[],
    },
    Format {
        name: "conan, gzip",
        packing: Packing::TarGz,
        folder: "include",
        send: |client, packages, archive| to_conan(client, packages, "tgz", archive),
        kept: &[],
    },
    Format {
        name: "conan, xz",
        packing: Packing::TarXz,
        folder: "include",
        send: |client, packages, archive| to_conan(client, packages, "txz", archive),
        kept: &[],
    },
    Format {
        name: "conan, zstd",
        packing: Packing::TarZstd,
        folder: "include",
        send: |client, packages, archive| to_conan(client, packages, "tzst", archive),
        kept: &[],
    },
];

fn to_npm(client: &Client, packages: &str, archive: &[u8]) -> Request {
    let mut body = npm::plain("hammer", "1.0.0");
    body["versions"]["1.0.0"]["dist"]["integrity"] = json!(npm::integrity(archive));
    if let Some(dist) = body["versions"]["1.0.0"]["dist"].as_object_mut() {
        dist.remove("shasum");
    }
    body["_attachments"]["hammer-1.0.0.tgz"]["data"] = json!(STANDARD.encode(archive));
    body["_attachments"]["hammer-1.0.0.tgz"]["length"] = json!(archive.len());
    client.put(format!("{packages}/npm/hammer")).json(&body)
}

fn sources_to_pypi(client: &Client, packages: &str, archive: &[u8]) -> Request {
    to_pypi(client, packages, "hammer-1.0.tar.gz", archive)
}

fn wheel_to_pypi(client: &Client, packages: &str, archive: &[u8]) -> Request {
    to_pypi(client, packages, "hammer-1.0-py3-none-any.whl", archive)
}

fn to_pypi(client: &Client, packages: &str, file: &str, archive: &[u8]) -> Request {
    let texts = [("name", "hammer"), ("version", "1.0")];
    form(client.post(format!("{packages}/pypi")), &texts, ("content", file, archive))
}

fn to_helm(client: &Client, packages: &str, archive: &[u8]) -> Request {
    let request = client.post(format!("{packages}/helm/api/stable/charts"));
    form(request, &[], ("chart", "hammer-1.0.0.tgz", archive))
}

fn to_terraform(client: &Client, packages: &str, archive: &[u8]) -> Request {
    let path = format!("{packages}/terraform/modules/hammer/aws/1.0.0/file");
    client.put(path).bytes(archive.to_vec())
}

fn to_golang(client: &Client, packages: &str, archive: &[u8]) -> Request {
    let path = format!("{packages}/go/127.0.0.1/acme/anvil/@v/v1.0.0.zip");
    client.put(path).bytes(archive.to_vec())
}

fn to_composer(client: &Client, packages: &str, archive: &[u8]) -> Request {
    let request = client.post(format!("{packages}/composer"));
    form(request, &[("tag", "1.0.0")], ("package", "p.zip", archive))
}

fn to_nuget(client: &Client, packages: &str, archive: &[u8]) -> Request {
    let request = client.put(format!("{packages}/nuget"));
    form(request, &[], ("package", "p.nupkg", archive))
}

fn symbols_to_nuget(client: &Client, packages: &str, archive: &[u8]) -> Request {
    let request = client.put(format!("{packages}/nuget/symbolpackage"));
    form(request, &[], ("package", "p.snupkg", archive))
}

fn to_conan(client: &Client, packages: &str, ending: &str, archive: &[u8]) -> Request {
    let recipe = format!("{packages}/conan/v2/conans/hammer/1.0/_/_");
    let revision = format!("{recipe}/revisions/{}", "a".repeat(32));
    let path = format!("{revision}/files/conan_sources.{ending}");
    client.put(path).bytes(archive.to_vec())
}

/// A form of these texts and a file: field, name and bytes.
fn form(request: Request, texts: &[(&str, &str)], file: (&str, &str, &[u8])) -> Request {
    let part = "--cut\r\nContent-Disposition: form-data; name=";
    let mut body = String::new();
    for (field, text) in texts {
        body.push_str(&format!("{part}\"{field}\"\r\n\r\n{text}\r\n"));
    }
    let (field, name, bytes) = file;
    body.push_str(&format!("{part}\"{field}\"; filename=\"{name}\"\r\n\r\n"));
    let body = [body.as_bytes(), bytes, b"\r\n--cut--\r\n"].concat();
    let kind = "multipart/form-data; boundary=cut";
    request.header("content-type", kind).bytes(body)
}

#[test]
fn hostile_archives_cost_little() {
    run(async {
        let place = Place::sqlite();
        let server = place.serve();
        let client = server.client(&place.token());
        let packages = format!("{}/packages", project(&client).await);
        // What a server takes once, with its first upload, is not growth.
        let first = npm::plain("first", "1.0.0");
        let path = format!("{packages}/npm/first");
        client.put(path).json(&first).await.is(200);

        for format in FORMATS {
            let before = place.blob_files();
            for (what, archive) in archives(format.packing, format.folder) {
                if format.kept.contains(&what) {
                    continue;
                }
                let told = format!("{}: {what}", format.name);
                refused(&server, (format.send)(&client, &packages, &archive), &told).await;
            }
            until("nothing is left of what was refused", async || place.blob_files() == before)
                .await;
        }
        let listed = client.get(&packages).await.is(200).json();
        assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    });
}

async fn refused(server: &Server, request: Request, told: &str) {
    let (reply, grown): (Reply, u64) = growth(server, request.into_future()).await;
    assert!((400..500).contains(&reply.status), "{told}: {reply:?}");
    assert!(!reply.json()["message"].is_null(), "{told}: {reply:?}");
    assert!(grown <= MAX_GROWTH, "{told} took {grown} bytes");
}
