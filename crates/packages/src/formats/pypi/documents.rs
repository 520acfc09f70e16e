//! The simple index: HTML (PEP 503) and JSON (PEP 691, 700, 714), for one name
//! and for all.

use crate::keys::pypi::{self, normalized};
use crate::model::PackageType;
use crate::rules::names::encoded;
use crate::scope::Scope;
use crate::store::index::{self, IndexedFile};
use http::header;
use kernel::error::{Error, Result};
use kernel::http::RequestContext;
use kernel::markup::escape;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt::Write as _;
use store::Tx;

const JSON: &str = "application/vnd.pypi.simple.v1+json";
const HTML: &str = "application/vnd.pypi.simple.v1+html";

/// How an index is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For people and older clients.
    Html,
    /// The same under the name newer clients ask for.
    VersionedHtml,
    Json,
}

impl Form {
    /// What the client likes best; HTML where it likes nothing of ours, as
    /// PEP 691 allows.
    pub fn accepted(request: &RequestContext) -> Form {
        let accepted = request.header(header::ACCEPT).unwrap_or_default();
        preferred(accepted)
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Form::Html => "text/html; charset=utf-8",
            Form::VersionedHtml => HTML,
            Form::Json => JSON,
        }
    }

    /// What a kept document of this form is called.
    pub const fn kept_as(self) -> &'static str {
        match self {
            Form::Json => "json",
            Form::Html | Form::VersionedHtml => "html",
        }
    }
}

fn preferred(accepted: &str) -> Form {
    let mut best: (u32, Form) = (0, Form::Html);
    for range in accepted.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let form = match parts.next().unwrap_or_default().to_ascii_lowercase().as_str() {
            JSON | "application/vnd.pypi.simple.latest+json" => Form::Json,
            HTML | "application/vnd.pypi.simple.latest+html" => Form::VersionedHtml,
            "text/html" | "text/*" | "*/*" => Form::Html,
            _ => continue,
        };
        let quality = parts.find_map(|part| part.strip_prefix("q=")?.trim().parse::<f32>().ok());
        let weight = (quality.unwrap_or(1.0).clamp(0.0, 1.0) * 1000.0) as u32;
        if weight > best.0 {
            best = (weight, form);
        }
    }
    best.1
}

/// What is kept of a file for its line in an index, named as in JSON.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FileMetadata {
    /// Versions of Python it runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_python: Option<String>,
    /// Digest of the metadata that can be fetched alone (PEP 714).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_metadata: Option<Digest>,
}

/// A digest by the name of its algorithm.
#[derive(Debug, Serialize, Deserialize)]
pub struct Digest {
    /// Lower-case hex.
    pub sha256: String,
}

#[derive(Serialize)]
struct Meta {
    #[serde(rename = "api-version")]
    api_version: &'static str,
}

const META: Meta = Meta { api_version: "1.1" };

#[derive(Serialize)]
struct Project<'a> {
    meta: Meta,
    name: &'a str,
    versions: Vec<String>,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct File<'a> {
    filename: &'a str,
    url: String,
    hashes: Digest,
    #[serde(flatten)]
    kept: FileMetadata,
    size: i64,
    upload_time: String,
    yanked: bool,
}

/// The index of one name with links below `prefix`; nothing of a name that
/// nobody published.
pub fn of_name(
    tx: &mut Tx<'_>, scope: &Scope, name: &str, prefix: &str, form: Form,
) -> Result<Option<Vec<u8>>> {
    let published = scope.of_format(PackageType::Pypi).versions(tx, name)?;
    if published.is_empty() {
        return Ok(None);
    }
    let ids: Vec<i64> = published.iter().map(|version| version.id).collect();
    let files = index::files(tx, &ids)?;
    let name = normalized(name);
    let lines = files.iter().map(|file| line(file, prefix));
    let lines: Vec<File<'_>> = lines.collect::<Result<_>>()?;
    if form != Form::Json {
        return Ok(Some(html(&name, lines.iter().map(anchor)).into_bytes()));
    }
    // Every version once, and only those that have files (PEP 700).
    let with_files: HashMap<i64, ()> = files.iter().map(|it| (it.file.package_id, ())).collect();
    let mut versions: Vec<String> = published
        .iter()
        .filter(|version| with_files.contains_key(&version.id))
        .filter_map(|version| pypi::normal(version.version.as_deref()?))
        .collect();
    versions.dedup();
    let project = Project { meta: META, name: &name, versions, files: lines };
    serde_json::to_vec(&project).map(Some).map_err(Error::internal)
}

fn line<'a>(file: &'a IndexedFile, prefix: &str) -> Result<File<'a>> {
    let kept = match &file.metadata {
        Some(kept) => serde_json::from_str(kept).map_err(Error::internal)?,
        None => FileMetadata::default(),
    };
    let file = &file.file;
    let encoded = encoded(&file.file_name);
    Ok(File {
        filename: &file.file_name,
        url: format!("{prefix}/files/{}/{encoded}", file.sha256),
        hashes: Digest { sha256: file.sha256.clone() },
        kept,
        size: file.size,
        upload_time: file.created_at.to_string(),
        yanked: false,
    })
}

fn anchor(file: &File<'_>) -> String {
    let mut anchor = format!("<a href=\"{}#sha256={}\"", escape(&file.url), file.hashes.sha256);
    let mut add = |name: &str, value: &str| {
        let _ = write!(anchor, " {name}=\"{}\"", escape(value));
    };
    if let Some(python) = &file.kept.requires_python {
        add("data-requires-python", python);
    }
    if let Some(metadata) = &file.kept.core_metadata {
        let digest = format!("sha256={}", metadata.sha256);
        // Clients from before PEP 714 know the second name only.
        add("data-core-metadata", &digest);
        add("data-dist-info-metadata", &digest);
    }
    anchor.push('>');
    anchor.push_str(&escape(file.filename));
    anchor.push_str("</a>");
    anchor
}

/// The index of all names below `prefix`; `of` is who has them.
pub fn of_all(
    tx: &mut Tx<'_>, scope: &Scope, prefix: &str, of: &str, form: Form,
) -> Result<Vec<u8>> {
    let names = scope.of_format(PackageType::Pypi).names(tx)?;
    if form == Form::Json {
        let projects: Vec<_> =
            names.iter().map(|name| serde_json::json!({ "name": name })).collect();
        let list = serde_json::json!({"meta": META, "projects": projects});
        return serde_json::to_vec(&list).map_err(Error::internal);
    }
    let anchors = names.iter().map(|name| {
        let (address, name) = (escape(&normalized(name)), escape(name));
        format!("<a href=\"{}/simple/{address}/\">{name}</a>", escape(prefix))
    });
    Ok(html(of, anchors).into_bytes())
}

fn html(title: &str, anchors: impl Iterator<Item = String>) -> String {
    let title = escape(title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html>\n<head>\n\
         <meta name=\"pypi:repository-version\" content=\"1.1\">\n\
         <title>Links for {title}</title>\n</head>\n<body>\n<h1>Links for {title}</h1>\n"
    );
    for anchor in anchors {
        page.push_str(&anchor);
        page.push_str("<br>\n");
    }
    page.push_str("</body>\n</html>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_get_what_they_like_best() {
        for (accepted, form) in [
            ("", Form::Html),
            ("*/*", Form::Html),
            ("text/html", Form::Html),
            ("application/json", Form::Html),
            (JSON, Form::Json),
            ("application/vnd.pypi.simple.latest+json", Form::Json),
            (HTML, Form::VersionedHtml),
            (
                "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01",
                Form::Json,
            ),
            ("application/vnd.pypi.simple.v1+json;q=0.1, text/html;q=0.9", Form::Html),
            ("application/vnd.pypi.simple.v1+json;q=0", Form::Html),
        ] {
            assert_eq!(preferred(accepted), form, "{accepted}");
        }
    }

    #[test]
    fn names_stay_within_their_places() {
        let page = html("<x>", ["a".to_owned()].into_iter());
        assert!(page.contains("<h1>Links for &lt;x&gt;</h1>"));
        let file = File {
            filename: "a\"><script>",
            url: "http://x/\"".into(),
            hashes: Digest { sha256: "0".into() },
            kept: FileMetadata {
                requires_python: Some(">=3.9,<4 \"".into()),
                core_metadata: None,
            },
            size: 1,
            upload_time: String::new(),
            yanked: false,
        };
        assert_eq!(
            anchor(&file),
            "<a href=\"http://x/&quot;#sha256=0\" \
             data-requires-python=\"&gt;=3.9,&lt;4 &quot;\">a&quot;&gt;&lt;script&gt;</a>"
        );
    }
}
