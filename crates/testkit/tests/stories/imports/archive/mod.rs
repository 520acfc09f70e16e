//! Projects as files: what goes into one comes out of it again, and nothing that somebody made
//! by hand does harm.

mod access;
mod hostile;
mod kept;
mod relations;
mod remote;
mod round_trip;

use crate::packages_formats::forms::multipart;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use tar::{Archive, Builder, EntryType, Header};
use testkit::{Client, Reply, TestServer};

/// The entries of a file, by name.
type Entries = BTreeMap<String, Vec<u8>>;

/// Has a project written, and downloads its file.
async fn exported(t: &TestServer, client: &Client, project: i64) -> Vec<u8> {
    let path = format!("/projects/{project}/export");
    client.post(&path).await.is(202);
    t.settle().await;
    let shown = client.get(&path).await.is(200).json();
    assert_eq!(shown["export_status"], "finished", "{shown}");
    client.get(format!("{path}/download")).await.is(200).body.to_vec()
}

/// Lets everybody send as many files as they like.
async fn unlimited(t: &TestServer) {
    let limits = json!({"project_import_limit": 0, "project_export_limit": 0});
    t.admin().put("/application/settings").json(&limits).await.is(200);
}

/// Sends a file that a project is to be made of.
async fn send(client: &Client, texts: &[(&str, &str)], file: &[u8]) -> Reply {
    let request = client.post("/projects/import");
    multipart(request, texts, &[("file", "file.tar.gz", file)]).await
}

/// Makes a project of a file, in a group; as it is when all came.
async fn imported(t: &TestServer, client: &Client, path: &str, file: &[u8]) -> (i64, Value) {
    let (group, name) = path.rsplit_once('/').expect("write GROUP/PROJECT");
    t.group(group).await;
    let made = send(client, &[("path", name), ("namespace", group)], file).await.is(201);
    assert_eq!(made.json()["import_status"], "scheduled", "{}", made.text());
    t.settle().await;
    let shown = client.get(format!("/projects/{}/import", made.id())).await.is(200).json();
    (made.id(), shown)
}

fn entries(file: &[u8]) -> Entries {
    let mut archive = Archive::new(MultiGzDecoder::new(file));
    let mut found = Entries::new();
    for entry in archive.entries().expect("a tar") {
        let mut entry = entry.expect("an entry");
        let name = entry.path().expect("a name").display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("its bytes");
        found.insert(name, bytes);
    }
    found
}

/// The lines of a list.
fn lines(entries: &Entries, list: &str) -> Vec<Value> {
    let is_part = |name: &str| {
        name.strip_prefix(list)
            .is_some_and(|rest| rest.starts_with('-') && rest.len() == 14)
    };
    let parts = entries.iter().filter(|(name, _)| is_part(name));
    let texts = parts.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned());
    let text: String = texts.collect();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A file that somebody made by hand.
struct Made(Builder<Vec<u8>>);

impl Made {
    /// Nothing yet.
    fn empty() -> Made {
        Made(Builder::new(Vec::new()))
    }

    /// With what each file begins with.
    fn begin() -> Made {
        Made::empty().with("tenon-project.json", &manifest().to_string())
    }

    fn with(mut self, name: &str, text: &str) -> Made {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        self.0.append_data(&mut header, name, text.as_bytes()).expect("added");
        self
    }

    /// An entry of another kind, or with a name that no program writes.
    fn with_odd(mut self, kind: EntryType, name: &[u8]) -> Made {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        if kind.is_symlink() || kind.is_hard_link() {
            header.set_link_name("/etc/passwd").expect("a link");
        }
        header.set_cksum();
        self.0.append(&header, std::io::empty()).expect("added");
        self
    }

    /// The file with the end that so many entries have.
    fn ended(self, entries: u64) -> Vec<u8> {
        let end = json!({"entries": entries, "lines": {}}).to_string();
        self.with("end.json", &end).packed()
    }

    fn packed(self) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&self.0.into_inner().expect("a tar")).expect("packed");
        gzip.finish().expect("packed")
    }
}

fn manifest() -> Value {
    json!({
        "format": "tenon-project", "version": 1, "exported_at": "2031-01-01T00:00:00Z",
        "host": "elsewhere.example",
        "project": {
            "id": 7, "name": "Anvil", "path": "anvil", "full_path": "acme/anvil",
            "settings": {"description": "From elsewhere"},
        },
    })
}

fn person(name: &str) -> Value {
    json!({"id": name, "username": name, "name": name})
}

fn issue(number: i64, title: &str) -> Value {
    json!({
        "type": "issue", "number": number, "title": title, "author": person("mona"),
        "created_at": "2020-01-01T00:00:00Z", "updated_at": "2020-01-02T00:00:00Z",
    })
}

fn note(key: &str, number: i64, text: &str) -> Value {
    json!({
        "type": "note", "on": {"kind": "issue", "number": number}, "key": key, "text": text,
        "author": person("mona"), "created_at": "2020-01-03T00:00:00Z",
        "updated_at": "2020-01-03T00:00:00Z",
    })
}

fn of_lines(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
