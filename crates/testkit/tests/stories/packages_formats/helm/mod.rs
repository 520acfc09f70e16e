//! Charts as Helm and its plugins send and read them.

mod access;
mod index;
mod parallel;
mod refusals;

use crate::packages_formats::archives::tar_gz;
use crate::packages_formats::forms::multipart;
use serde_json::Value;
use testkit::{Client, Request, TestProject};

/// A chart's archive.
pub struct Chart {
    file: String,
    bytes: Vec<u8>,
}

/// What a chart says of itself, with further lines.
fn described(name: &str, version: &str, rest: &str) -> String {
    format!("apiVersion: v2\nname: {name}\nversion: {version}\n{rest}")
}

pub fn chart(name: &str, version: &str) -> Chart {
    packed(name, version, &described(name, version, "description: Strikes\n"))
}

/// A chart whose Chart.yaml is this text.
fn packed(name: &str, version: &str, own: &str) -> Chart {
    Chart {
        file: format!("{name}-{version}.tgz"),
        bytes: tar_gz(&[
            (format!("{name}/Chart.yaml").as_str(), own),
            (&format!("{name}/values.yaml"), "a: b\n"),
            (&format!("{name}/charts/nail/Chart.yaml"), "not: looked at\n"),
        ]),
    }
}

impl Chart {
    fn digest(&self) -> String {
        testkit::sha256(&self.bytes)
    }

    /// What signs it; the signature itself is for its readers to check.
    fn provenance(&self) -> String {
        format!(
            "-----BEGIN PGP SIGNED MESSAGE-----\n\nname: x\n\n...\nfiles:\n  {}: sha256:{}\n\
             -----BEGIN PGP SIGNATURE-----\n",
            self.file,
            self.digest()
        )
    }

    /// As the chart-push plugin sends it.
    pub fn to(&self, client: &Client, project: &TestProject, channel: &str) -> Request {
        let request = client.post(project.at(&format!("/packages/helm/api/{channel}/charts")));
        multipart(request, &[], &[("chart", &self.file, &self.bytes)])
    }

    /// With its provenance file, or another.
    fn signed(&self, client: &Client, project: &TestProject, provenance: &str) -> Request {
        let request = client.post(project.at("/packages/helm/api/stable/charts"));
        let prov = format!("{}.prov", self.file);
        let files = [
            ("prov", prov.as_str(), provenance.as_bytes()),
            ("chart", &self.file, self.bytes.as_slice()),
        ];
        multipart(request, &[], &files)
    }
}

/// The entries of an index: name and versions in its order. Charts are lines
/// of JSON in it.
fn entries(index: &str) -> Vec<(String, Vec<Value>)> {
    let mut found: Vec<(String, Vec<Value>)> = Vec::new();
    for line in index.lines() {
        if let Some(chart) = line.strip_prefix("  - ") {
            let chart = serde_json::from_str(chart).expect("a line of JSON");
            found.last_mut().expect("a name stands first").1.push(chart);
        } else if let Some(name) = line.strip_prefix("  ") {
            let name = name.trim_end_matches(':').trim_matches('"');
            found.push((name.to_owned(), Vec::new()));
        }
    }
    found
}

/// Names and versions in an index.
async fn listed(client: &Client, address: String) -> Vec<(String, Vec<String>)> {
    let reply = client.get(address).await.is(200);
    assert_eq!(reply.header("content-type"), "text/yaml");
    let text = reply.text();
    assert!(text.starts_with("apiVersion: v1\nentries:"), "{text}");
    assert!(text.ends_with('\n') && text.contains("\ngenerated: \""), "{text}");
    let version = |chart: Value| chart["version"].as_str().expect("a version").to_owned();
    let all = entries(&text).into_iter();
    all.map(|(name, charts)| (name, charts.into_iter().map(version).collect()))
        .collect()
}

fn of(name: &str, versions: &[&str]) -> (String, Vec<String>) {
    let versions = versions.iter().map(|version| (*version).to_owned());
    (name.to_owned(), versions.collect())
}
