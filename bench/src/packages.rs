//! The package registry: documents and archives that clients fetch, and what
//! they publish, beside other registries.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::load::{self, Request, Values};
use super::peer::Peer;
use super::report::{Bound, Line};
use super::{Bench, READERS, seed};
use xtask::server::{self, Server};
use xtask::steps;

/// Versions of the package whose packument is fetched.
const VERSIONS: usize = 50;
/// Files of the simple index that is fetched, and how many a version has:
/// devpi-server takes minutes for as many versions.
const FILES: usize = 1_000;
const FILES_OF_A_VERSION: usize = 40;
/// Clients that publish.
const PUBLISHERS: usize = 8;
/// Bytes of a published archive.
const SMALL: usize = 10 * 1024;
/// Bytes of a downloaded archive.
const LARGE: usize = 1024 * 1024;
/// Packages made for one second of publishing; a run that needs more fails.
const PUBLISHED_A_SECOND: u64 = 2_000;

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let server = bench.start(&server::fresh_directory("bench-packages")?, &[])?;
    let token = server.root_token()?;
    let project = seed::project(server.url(), &token, "registry")?;
    let ours = Registry {
        url: server.url().to_owned(),
        prefix: format!("/api/v4/projects/{project}/packages/npm"),
        token: token.clone(),
    };
    steps::say("publishing for the registry's lines");
    ours.fill()?;
    let wheels = wheels()?;
    upload_wheels(&server, &token, project, &wheels)?;
    let simple =
        Request::get(&format!("/api/v4/projects/{project}/packages/pypi/simple/anvil/"), &token);
    let mut lines = against_liveness(bench, &server, &ours, &simple)?;
    lines.push(against_nginx(bench, &server, &ours)?);
    lines.extend(against_verdaccio(bench, &ours)?);
    lines.extend(against_indexes(bench, &server, &simple, &wheels)?);
    server.stop()?;
    Ok(lines)
}

fn against_liveness(
    bench: &Bench<'_>, server: &Server, ours: &Registry, simple: &Request,
) -> Result<Vec<Line>, String> {
    let liveness = Request::get("/-/liveness", "");
    let compare = |name, request: &Request, least| -> Result<Line, String> {
        steps::say(name);
        let (rates, live) = bench.turns(
            || bench.rate(server, request, READERS),
            || bench.rate(server, &liveness, READERS),
        )?;
        Ok(Line::ratio(name, &rates, &live, Bound::AtLeast(least)))
    };
    Ok(vec![
        compare("npm packument of 50 versions, against liveness", &ours.packument(), 0.15)?,
        compare("pypi simple index of 1,000 files, against liveness", simple, 0.03)?,
    ])
}

fn against_nginx(bench: &Bench<'_>, server: &Server, ours: &Registry) -> Result<Line, String> {
    let name = "tarball of 1 MiB, against nginx";
    steps::say(name);
    let folder = server::fresh_directory("bench-nginx-files")?;
    let archive = tarball("large", "1.0.0", LARGE)?;
    let put = |path: PathBuf| fs::write(path, &archive).map_err(|error| error.to_string());
    put(folder.join("large-1.0.0.tgz"))?;
    let nginx = Peer::nginx(&folder)?;
    let time = Duration::from_secs(bench.options.seconds);
    let (rates, other) = bench.turns(
        || bench.rate(server, &ours.archive("large", "1.0.0"), READERS),
        || load::rate(nginx.url(), &Request::get("/large-1.0.0.tgz", ""), READERS, time),
    )?;
    Ok(Line::ratio(name, &rates, &other, Bound::AtLeast(0.5)))
}

fn against_verdaccio(bench: &Bench<'_>, ours: &Registry) -> Result<Vec<Line>, String> {
    steps::say("starting verdaccio");
    let peer = Peer::verdaccio()?;
    let theirs = Registry {
        url: peer.url().to_owned(),
        prefix: String::new(),
        token: String::new(),
    };
    theirs.fill()?;
    let time = Duration::from_secs(bench.options.seconds);
    let compare = |name, request: fn(&Registry) -> Request| -> Result<Line, String> {
        steps::say(name);
        let (one, other) = (request(ours), request(&theirs));
        let (rates, others) = bench.turns(
            || load::rate(&ours.url, &one, READERS, time),
            || load::rate(&theirs.url, &other, READERS, time),
        )?;
        Ok(Line::ratio(name, &rates, &others, Bound::AtLeast(1.0)))
    };
    let mut lines = vec![
        compare("npm packument of 50 versions, against verdaccio", Registry::packument)?,
        compare("tarball of 1 MiB, against verdaccio", |registry| {
            registry.archive("large", "1.0.0")
        })?,
    ];
    let name = "publish of 10 KiB npm packages by 8 clients, against verdaccio";
    steps::say(name);
    let count = PUBLISHED_A_SECOND * bench.seconds_in_all();
    let (one, other) = (ours.publish("ours", count)?, theirs.publish("theirs", count)?);
    let (rates, others) = bench.turns(
        || load::rate(&ours.url, &one, PUBLISHERS, time),
        || load::rate(&theirs.url, &other, PUBLISHERS, time),
    )?;
    lines.push(Line::ratio(name, &rates, &others, Bound::AtLeast(1.0)));
    Ok(lines)
}

fn against_indexes(
    bench: &Bench<'_>, server: &Server, simple: &Request, wheels: &Path,
) -> Result<Vec<Line>, String> {
    let time = Duration::from_secs(bench.options.seconds);
    let compare = |name, peer: &Peer, target: &str| -> Result<Line, String> {
        steps::say(name);
        let (rates, others) = bench.turns(
            || bench.rate(server, simple, READERS),
            || load::rate(peer.url(), &Request::get(target, ""), READERS, time),
        )?;
        Ok(Line::ratio(name, &rates, &others, Bound::AtLeast(1.0)))
    };
    steps::say("starting pypiserver and devpi-server");
    let pypiserver = Peer::pypiserver(wheels)?;
    let devpi = Peer::devpi(wheels)?;
    Ok(vec![
        compare(
            "pypi simple index of 1,000 files, against pypiserver",
            &pypiserver,
            "/simple/anvil/",
        )?,
        compare(
            "pypi simple index of 1,000 files, against devpi-server",
            &devpi,
            "/root/bench/+simple/anvil/",
        )?,
    ])
}

/// An npm registry, ours or another.
struct Registry {
    url: String,
    prefix: String,
    token: String,
}

impl Registry {
    /// Publishes the package of many versions and the large one.
    fn fill(&self) -> Result<(), String> {
        for number in 0..VERSIONS {
            self.put("anvil", &format!("1.0.{number}"), 1024)?;
        }
        self.put("large", "1.0.0", LARGE)
    }

    fn put(&self, name: &str, version: &str, size: usize) -> Result<(), String> {
        let body = publication(&self.url, name, version, size)?;
        let request = Request { body, ..self.request("PUT", name) };
        load::once(&self.url, &request).map(|_| ())
    }

    fn packument(&self) -> Request {
        self.request("GET", "anvil")
    }

    fn archive(&self, name: &str, version: &str) -> Request {
        self.request("GET", &format!("{name}/-/{name}-{version}.tgz"))
    }

    /// Publishes packages of new names.
    fn publish(&self, prefix: &str, count: u64) -> Result<Request, String> {
        let pairs: Result<Vec<(String, String)>, String> = (0..count)
            .map(|number| {
                let name = format!("{prefix}-{number}");
                let body = publication(&self.url, &name, "1.0.0", SMALL)?;
                Ok((name, body))
            })
            .collect();
        Ok(Request {
            values: Values::bodies(pairs?),
            ..self.request("PUT", "{value}")
        })
    }

    fn request(&self, method: &'static str, rest: &str) -> Request {
        let headers = match self.token.as_str() {
            "" => Vec::new(),
            token => vec![format!("authorization: Bearer {token}")],
        };
        Request {
            method,
            headers,
            content_type: "application/json",
            ..Request::get(&format!("{}/{rest}", self.prefix), "")
        }
    }
}

/// What a client sends to publish a version.
fn publication(url: &str, name: &str, version: &str, size: usize) -> Result<String, String> {
    let archive = tarball(name, version, size)?;
    let file = format!("{name}-{version}.tgz");
    let dist = json!({"tarball": format!("{url}/{name}/-/{file}")});
    let manifest = json!({
        "name": name, "version": version, "description": "A package of the benchmark.",
        "license": "MIT", "main": "index.js", "scripts": {"test": "node test.js"},
        "dependencies": {"hammer": "^1.2.3", "tongs": "~4.5.6"},
        "repository": {"type": "git", "url": "https://code.example/acme/anvil.git"},
        "_id": format!("{name}@{version}"), "dist": dist,
    });
    let whole = json!({
        "_id": name, "name": name, "description": "A package of the benchmark.",
        "dist-tags": {"latest": version},
        "versions": {version: manifest},
        "access": null,
        "_attachments": {file: {
            "content_type": "application/octet-stream",
            "data": STANDARD.encode(&archive), "length": archive.len(),
        }},
    });
    Ok(whole.to_string())
}

/// A package's archive of about this size.
fn tarball(name: &str, version: &str, size: usize) -> Result<Vec<u8>, String> {
    let manifest = json!({"name": name, "version": version}).to_string();
    let noise = noise(&format!("{name} {version}"), size);
    let packed = GzEncoder::new(Vec::new(), Compression::fast());
    let mut archive = tar::Builder::new(packed);
    let mut add = |path: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, bytes)
    };
    add("package/package.json", manifest.as_bytes())
        .and_then(|()| add("package/data.bin", &noise))
        .map_err(|error| error.to_string())?;
    let packed = archive.into_inner().and_then(GzEncoder::finish);
    packed.map_err(|error| error.to_string())
}

/// Bytes that do not compress.
fn noise(seed: &str, size: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size + 32);
    let mut block = Sha256::digest(seed);
    while bytes.len() < size {
        bytes.extend_from_slice(&block);
        block = Sha256::digest(block);
    }
    bytes.truncate(size);
    bytes
}

/// A folder with the wheels of one project, many builds of every version.
fn wheels() -> Result<PathBuf, String> {
    let folder = server::fresh_directory("bench-wheels")?;
    for number in 0..FILES {
        let version = format!("1.0.{}", number / FILES_OF_A_VERSION);
        let build = number % FILES_OF_A_VERSION + 1;
        let path = folder.join(format!("anvil-{version}-{build}-py3-none-any.whl"));
        fs::write(path, wheel(&version)?).map_err(|error| error.to_string())?;
    }
    Ok(folder)
}

fn wheel(version: &str) -> Result<Vec<u8>, String> {
    use std::io::Write;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let folder = format!("anvil-{version}.dist-info");
    let metadata =
        format!("Metadata-Version: 2.1\nName: anvil\nVersion: {version}\nRequires-Python: >=3.8\n");
    let wheel = "Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
    let files = [
        ("anvil/__init__.py".to_owned(), ""),
        (format!("{folder}/METADATA"), metadata.as_str()),
        (format!("{folder}/WHEEL"), wheel),
        (format!("{folder}/RECORD"), ""),
    ];
    for (name, text) in files {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(name, options).map_err(|error| error.to_string())?;
        archive.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    }
    let done = archive.finish().map_err(|error| error.to_string())?;
    Ok(done.into_inner())
}

/// Uploads the wheels as twine does.
fn upload_wheels(server: &Server, token: &str, project: i64, wheels: &Path) -> Result<(), String> {
    let entries = fs::read_dir(wheels).map_err(|error| error.to_string())?;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let version = name.split('-').nth(1).unwrap_or_default().to_owned();
        let bytes = fs::read(entry.path()).map_err(|error| error.to_string())?;
        let fields = [
            (":action", "file_upload"),
            ("name", "anvil"),
            ("version", version.as_str()),
            ("requires_python", ">=3.8"),
        ];
        let body = form(&fields, &name, &bytes);
        let target = format!("/api/v4/projects/{project}/packages/pypi");
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        load::post_bytes(server.url(), &target, token, &kind, &body)?;
    }
    Ok(())
}

const BOUNDARY: &str = "bench-cut-here";

fn form(fields: &[(&str, &str)], name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut body = String::new();
    for (field, text) in fields {
        body.push_str(&format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{text}\r\n"
        ));
    }
    body.push_str(&format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"content\"; \
         filename=\"{name}\"\r\nContent-Type: application/octet-stream\r\n\r\n"
    ));
    let mut body = body.into_bytes();
    body.extend_from_slice(bytes);
    body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    body
}
