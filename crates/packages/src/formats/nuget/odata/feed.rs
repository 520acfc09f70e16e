//! The XML of the feed: Atom with the properties that old clients read, the
//! service document and the description of both.

use super::super::documents::Links;
use super::super::entries::Entry;
use super::super::nuspec::Nuspec;
use crate::keys::nuget as version;
use crate::rules::names::encoded;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use kernel::markup::escape;
use std::fmt::Write as _;

const NAMESPACES: &str = "xmlns=\"http://www.w3.org/2005/Atom\" \
    xmlns:d=\"http://schemas.microsoft.com/ado/2007/08/dataservices\" \
    xmlns:m=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\"";
const SCHEME: &str = "http://schemas.microsoft.com/ado/2007/08/dataservices/scheme";
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>";

/// What the feed has and which questions it answers.
pub const METADATA: &str = include_str!("metadata.xml");

/// Which collections there are.
pub fn service(links: &Links) -> String {
    let base = escape(&links.at("v2"));
    format!(
        "{DECLARATION}<service xml:base=\"{base}/\" xmlns=\"http://www.w3.org/2007/app\" \
         xmlns:atom=\"http://www.w3.org/2005/Atom\"><workspace><atom:title>Default</atom:title>\
         <collection href=\"Packages\"><atom:title>Packages</atom:title></collection>\
         </workspace></service>"
    )
}

/// A page of versions.
pub struct Page<'p> {
    /// What was asked, such as `Packages`.
    pub of: &'p str,
    pub entries: &'p [Entry],
    /// How many there are on all pages, if that is asked.
    pub total: Option<usize>,
    /// Where the next page is.
    pub next: Option<String>,
    pub now: Timestamp,
}

pub fn page(links: &Links, page: &Page<'_>) -> String {
    let base = escape(&links.at("v2"));
    let (of, now) = (escape(page.of), instant(page.now));
    let mut text = format!(
        "{DECLARATION}<feed xml:base=\"{base}/\" {NAMESPACES}><id>{base}/{of}</id>\
         <title type=\"text\">{of}</title><updated>{now}Z</updated>\
         <link rel=\"self\" title=\"{of}\" href=\"{of}\"/>"
    );
    if let Some(total) = page.total {
        let _ = write!(text, "<m:count>{total}</m:count>");
    }
    // A feed without entries needs an author of its own (RFC 4287, 4.1.1).
    if page.entries.is_empty() {
        text.push_str("<author><name/></author>");
    }
    for entry in page.entries {
        text.push_str("<entry>");
        inner(&mut text, links, entry);
        text.push_str("</entry>");
    }
    if let Some(next) = &page.next {
        let _ = write!(text, "<link rel=\"next\" href=\"{}\"/>", escape(next));
    }
    text.push_str("</feed>");
    text
}

pub fn entry(links: &Links, entry: &Entry) -> String {
    let base = escape(&links.at("v2"));
    let mut text = format!("{DECLARATION}<entry xml:base=\"{base}/\" {NAMESPACES}>");
    inner(&mut text, links, entry);
    text.push_str("</entry>");
    text
}

fn inner(text: &mut String, links: &Links, entry: &Entry) {
    let own = &entry.nuspec;
    let (name, number) = (&entry.row.name, entry.version());
    let address = format!("Packages(Id='{}',Version='{}')", encoded(name), encoded(number));
    let _ = write!(
        text,
        "<id>{}/{address}</id><category term=\"NuGet.V2FeedPackage\" scheme=\"{SCHEME}\"/>\
         <link rel=\"edit\" title=\"V2FeedPackage\" href=\"{address}\"/>\
         <title type=\"text\">{}</title><summary type=\"text\">{}</summary>\
         <updated>{}Z</updated><author><name>{}</name></author>\
         <content type=\"application/zip\" src=\"{}\"/>",
        escape(&links.at("v2")),
        escape(name),
        escape(&own.summary),
        instant(entry.row.created_at),
        escape(&own.authors),
        escape(&links.content_in_feed(entry)),
    );
    text.push_str("<m:properties>");
    properties(text, entry);
    text.push_str("</m:properties>");
}

fn properties(text: &mut String, entry: &Entry) {
    let own = &entry.nuspec;
    let title = if own.title.is_empty() {
        &entry.row.name
    } else {
        &own.title
    };
    let created = instant(entry.row.created_at);
    let digest = hex::decode(&entry.file.sha512).unwrap_or_default();
    for (name, value) in [
        ("Id", entry.row.name.as_str()),
        ("Version", entry.version()),
        ("NormalizedVersion", &version::normal(entry.version())),
        ("Title", title),
        ("Authors", &own.authors),
        ("Description", &own.description),
        ("Summary", &own.summary),
        ("Tags", &own.tags),
        ("Copyright", &own.copyright),
        ("Language", &own.language),
        ("ReleaseNotes", &own.release_notes),
        ("ProjectUrl", &own.project_url),
        ("LicenseUrl", &own.license_url),
        ("IconUrl", &own.icon_url),
        ("MinClientVersion", &own.min_client_version),
        ("PackageHash", &STANDARD.encode(digest)),
        ("PackageHashAlgorithm", "SHA512"),
    ] {
        property(text, name, "", value);
    }
    // Empty means none here, where null would be one unnamed dependency.
    let _ = write!(text, "<d:Dependencies>{}</d:Dependencies>", escape(&dependencies(own)));
    for (name, truth) in [
        ("IsLatestVersion", entry.is_latest),
        ("IsAbsoluteLatestVersion", entry.is_absolute_latest),
        ("IsPrerelease", entry.number.is_prerelease()),
        ("RequireLicenseAcceptance", own.require_license_acceptance),
    ] {
        property(text, name, "Edm.Boolean", if truth { "true" } else { "false" });
    }
    for name in ["Created", "Published", "LastUpdated"] {
        property(text, name, "Edm.DateTime", &created);
    }
    property(text, "DownloadCount", "Edm.Int32", "0");
    property(text, "VersionDownloadCount", "Edm.Int32", "0");
    let size = entry.file.file.size.to_string();
    property(text, "PackageSize", "Edm.Int64", &size);
}

fn property(text: &mut String, name: &str, kind: &str, value: &str) {
    let kind = match kind {
        "" => String::new(),
        kind => format!(" m:type=\"{kind}\""),
    };
    let _ = match value {
        "" => write!(text, "<d:{name}{kind} m:null=\"true\"/>"),
        value => write!(text, "<d:{name}{kind}>{}</d:{name}>", escape(value)),
    };
}

/// `id:range:framework`, divided by `|`; a framework that needs nothing has
/// an entry of its own.
fn dependencies(nuspec: &Nuspec) -> String {
    let mut all = Vec::new();
    for group in &nuspec.dependency_groups {
        if group.dependencies.is_empty() && !group.framework.is_empty() {
            all.push(format!("::{}", group.framework));
        }
        for needed in &group.dependencies {
            all.push(format!("{}:{}:{}", needed.id, needed.range, group.framework));
        }
    }
    all.join("|")
}

/// A time of the feed, without its zone, which is UTC.
fn instant(at: Timestamp) -> String {
    let text = format!("{at:.6}");
    text.trim_end_matches('Z').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::nuget::nuspec::{Dependency, Group};

    #[test]
    fn dependencies_are_written_for_each_framework() {
        let group = |framework: &str, needed: &[(&str, &str)]| Group {
            framework: framework.into(),
            dependencies: needed
                .iter()
                .map(|(id, range)| Dependency { id: (*id).into(), range: (*range).into() })
                .collect(),
        };
        let nuspec = Nuspec {
            dependency_groups: vec![
                group("", &[("a", "1.0"), ("b", "")]),
                group("net45", &[("c", "[1.0,2.0)")]),
                group("net20", &[]),
            ],
            ..Nuspec::default()
        };
        assert_eq!(dependencies(&nuspec), "a:1.0:|b::|c:[1.0,2.0):net45|::net20");
        assert_eq!(dependencies(&Nuspec::default()), "");
    }
}
