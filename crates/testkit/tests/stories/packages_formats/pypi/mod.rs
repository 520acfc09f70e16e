//! Python packages as twine sends them and pip and uv read them.

mod access;
mod index;
mod parallel;
mod refusals;

use crate::packages_formats::archives::{tar_gz, zip};
use crate::packages_formats::forms::multipart;
use testkit::{Client, Request, TestProject};

const JSON: &str = "application/vnd.pypi.simple.v1+json";

/// A file with the name and version that twine reads in it.
pub struct Upload {
    name: &'static str,
    version: String,
    file: String,
    bytes: Vec<u8>,
}

/// What an archive says of itself.
fn metadata(name: &str, version: &str) -> String {
    format!(
        "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: Strikes <hard>\n\
         Requires-Python: >=3.9,<4\n\n# {name}\n"
    )
}

/// A wheel of a project whose name needs no escaping.
pub fn wheel(name: &'static str, version: &str) -> Upload {
    let own = metadata(name, version);
    let info = format!("{name}-{version}.dist-info");
    let bytes = zip(&[
        (format!("{name}/__init__.py").as_str(), "strike = True\n"),
        (&format!("{info}/METADATA"), &own),
        (&format!("{info}/WHEEL"), "Wheel-Version: 1.0\n"),
        (&format!("{info}/RECORD"), ""),
    ]);
    Upload {
        name,
        version: version.to_owned(),
        file: format!("{name}-{version}-py3-none-any.whl"),
        bytes,
    }
}

/// The sources of a project.
fn sources(name: &'static str, version: &str) -> Upload {
    let own = metadata(name, version);
    let folder = format!("{name}-{version}");
    let bytes = tar_gz(&[
        (format!("{folder}/PKG-INFO").as_str(), own.as_str()),
        (&format!("{folder}/setup.py"), ""),
    ]);
    Upload {
        name,
        version: version.to_owned(),
        file: format!("{folder}.tar.gz"),
        bytes,
    }
}

impl Upload {
    fn digest(&self) -> String {
        testkit::sha256(&self.bytes)
    }

    /// As twine sends it.
    pub fn to(&self, client: &Client, project: &TestProject) -> Request {
        let texts = [
            (":action", "file_upload"),
            ("protocol_version", "1"),
            ("name", self.name),
            ("version", &self.version),
            ("sha256_digest", &self.digest()),
            ("blake2_256_digest", "not looked at"),
            ("classifiers", "Topic :: One"),
            ("classifiers", "Topic :: Two"),
        ];
        self.with(client, project, &texts)
    }

    /// With these texts beside it.
    fn with(&self, client: &Client, project: &TestProject, texts: &[(&str, &str)]) -> Request {
        let request = client.post(project.at("/packages/pypi"));
        multipart(request, texts, &[("content", &self.file, &self.bytes)])
    }

    /// Where it is downloaded, below a project or group.
    fn address(&self) -> String {
        format!("/packages/pypi/files/{}/{}", self.digest(), self.file)
    }
}

/// The index of a name as JSON.
async fn index(client: &Client, address: String) -> serde_json::Value {
    let reply = client.get(address).header("accept", JSON).await.is(200);
    assert_eq!(reply.header("content-type"), JSON);
    reply.json()
}
