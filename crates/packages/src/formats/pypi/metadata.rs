//! What a wheel or source archive says of itself: its `METADATA` or
//! `PKG-INFO` (core metadata specification).

use super::names::Kind;
use crate::archive;
use crate::keys::pypi::{self as version, normalized};
use crate::readme::Readme;
use kernel::error::{Error, Result};
use serde::Serialize;
use std::io::{Read, Seek, SeekFrom};

/// What is shown of a release. Texts longer than ours are cut, not refused
/// (docs/interface/packages.md 2.5).
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Metadata {
    /// Version of the metadata itself.
    pub metadata_version: Option<String>,
    pub summary: Option<String>,
    /// The beginning of its description.
    pub description: Option<String>,
    pub description_content_type: Option<String>,
    pub keywords: Option<String>,
    pub author_email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home_page: Option<String>,
    /// A label and an address, with a comma between them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project_urls: Vec<String>,
    /// Versions of Python it runs on.
    pub requires_python: Option<String>,
    /// What it needs, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires_dist: Vec<String>,
}

/// The bytes of an archive's metadata file.
pub fn read(mut packed: impl Read + Seek, kind: Kind) -> Result<Vec<u8>> {
    let size = packed.seek(SeekFrom::End(0)).map_err(Error::internal)?;
    packed.rewind().map_err(Error::internal)?;
    let contents = match kind {
        Kind::Wheel => archive::zip(packed, is_wheels)?,
        Kind::Sources => archive::tar_gz(packed, size, is_sources)?,
        Kind::ZippedSources => archive::zip(packed, is_sources)?,
    };
    let what = match kind {
        Kind::Wheel => "METADATA",
        Kind::Sources | Kind::ZippedSources => "PKG-INFO",
    };
    let mut members = contents.members.into_iter();
    let Some(first) = members.next() else {
        return Err(refused(format!("the archive has no {what}")));
    };
    // Which of several counts is not agreed between installers.
    if members.next().is_some() {
        return Err(refused(format!("the archive has more than one {what}")));
    }
    Ok(first.bytes)
}

fn is_wheels(path: &str) -> bool {
    let folder = path.strip_suffix("/METADATA");
    folder.is_some_and(|folder| folder.ends_with(".dist-info") && !folder.contains('/'))
}

fn is_sources(path: &str) -> bool {
    let folder = path.strip_suffix("/PKG-INFO");
    folder.is_some_and(|folder| !folder.is_empty() && !folder.contains('/'))
}

#[derive(Debug, Default)]
pub struct Fields {
    /// Names in lower case, and values.
    headers: Vec<(String, String)>,
    /// What follows the headers: the description.
    body: String,
}

impl Fields {
    /// Reads lines of `Name: value`; a line that begins with a blank goes on
    /// with the one before. Lines that are neither are passed over.
    pub fn parse(bytes: &[u8]) -> Fields {
        let text = String::from_utf8_lossy(bytes);
        let mut fields = Fields::default();
        let mut rest = text.strip_prefix('\u{feff}').unwrap_or(&text);
        while !rest.is_empty() {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            rest = after;
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.is_empty() {
                break;
            }
            fields.add(line);
        }
        fields.body = rest.to_owned();
        fields
    }

    fn add(&mut self, line: &str) {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = self.headers.last_mut() {
                value.push('\n');
                // Some tools mark the lines of a description by a bar.
                let line = line.trim();
                value.push_str(line.strip_prefix('|').unwrap_or(line));
            }
        } else if let Some((name, value)) = line.split_once(':') {
            let name = name.to_ascii_lowercase();
            self.headers.push((name, value.trim().to_owned()));
        }
    }

    /// The first value of a field that is not blank.
    fn first<'f>(&'f self, name: &'f str) -> Option<&'f str> {
        let mut values = self.values(name);
        values.find(|value| !value.trim().is_empty())
    }

    fn values<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        let named = self.headers.iter().filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.as_str())
    }

    /// The values of a field that stands several times, as far as is kept.
    fn lines(&self, name: &str, most: usize, longest: usize) -> Vec<String> {
        let lines = self.values(name).map(str::trim).filter(|line| !line.is_empty());
        let cut = |line: &str| line.chars().take(longest).collect();
        lines.take(most).map(cut).collect()
    }

    /// Refuses an archive that is not of this name and version.
    pub fn check(&self, name: &str, version: &str) -> Result<()> {
        let only = |field: &'static str| {
            let mut values = self.values(field);
            values.next().filter(|_| values.next().is_none())
        };
        let differs = |what| Err(refused(format!("{what} is not that of the archive")));
        if only("name").is_none_or(|of| normalized(of) != normalized(name)) {
            return differs("Name");
        }
        if only("version").is_none_or(|of| version::key(of) != version::key(version)) {
            return differs("Version");
        }
        Ok(())
    }

    /// The description at its length, and whether it is Markdown.
    pub fn readme<'f>(&'f self, sent: impl Fn(&str) -> Option<&'f str>) -> Option<Readme> {
        let own = self.first("description-content-type");
        let kind = own.or_else(|| sent("description_content_type")).unwrap_or_default();
        let markdown = kind.trim().to_ascii_lowercase().starts_with("text/markdown");
        let body = Some(self.body.as_str()).filter(|body| !body.trim().is_empty());
        let text = self.first("description").or(body).or_else(|| sent("description"));
        Readme::new(text?, markdown)
    }

    /// What is kept to be shown. What the archive does not say is taken from
    /// the form it came with, whose fields are named alike.
    pub fn metadata<'f>(&self, sent: impl Fn(&str) -> Option<&'f str>) -> Metadata {
        let text = |field: &'static str, most: usize| {
            let form = field.replace('-', "_");
            let body = (field == "description").then_some(self.body.as_str());
            let found = self.first(field).or(body.filter(|body| !body.trim().is_empty()));
            let found = found.or_else(|| sent(&form).filter(|text| !text.trim().is_empty()));
            found.map(|text| text.chars().take(most).collect::<String>())
        };
        Metadata {
            metadata_version: text("metadata-version", 16),
            summary: text("summary", 255),
            description: text("description", 4000),
            description_content_type: text("description-content-type", 255),
            keywords: text("keywords", 1024),
            author_email: text("author-email", 2048),
            license: text("license-expression", 255).or_else(|| text("license", 255)),
            home_page: text("home-page", 2048),
            project_urls: self.lines("project-url", 50, 2048),
            requires_python: text("requires-python", 255),
            requires_dist: self.lines("requires-dist", 500, 255),
        }
        .clean()
    }
}

impl Metadata {
    /// PostgreSQL keeps no NUL.
    fn clean(mut self) -> Metadata {
        let texts = [
            &mut self.metadata_version,
            &mut self.summary,
            &mut self.description,
            &mut self.description_content_type,
            &mut self.keywords,
            &mut self.author_email,
            &mut self.license,
            &mut self.home_page,
            &mut self.requires_python,
        ];
        let lists = self.requires_dist.iter_mut().chain(&mut self.project_urls);
        for text in texts.into_iter().flatten().chain(lists) {
            text.retain(|c| c != '\0');
        }
        self
    }
}

fn refused(reason: String) -> Error {
    Error::BadRequest(format!("Validation failed: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Metadata-Version: 2.1\r\nName: Foo.Bar\r\nVersion: 1.0\nSummary: A tool\n\
        author-email: Jane <jane@example.com>\nDescription: One\n        |two\n\nThree: not a field\n";

    fn metadata(text: &str) -> Metadata {
        Fields::parse(text.as_bytes()).metadata(|_| None)
    }

    #[test]
    fn fields_end_at_the_first_empty_line() {
        let found = metadata(TEXT);
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(found.metadata_version, text("2.1"));
        assert_eq!(found.summary, text("A tool"));
        assert_eq!(found.author_email, text("Jane <jane@example.com>"));
        assert_eq!(found.description, text("One\ntwo"));
        assert_eq!(metadata("Name: x\n\n# Read me\n").description, text("# Read me\n"));
        assert_eq!(found.keywords, None);
    }

    #[test]
    fn what_the_archive_leaves_out_the_form_may_say() {
        let fields = Fields::parse(b"Name: x\nSummary: the archive's\nKeywords: \n");
        let found = fields.metadata(|field| match field {
            "summary" => Some("the form's"),
            "requires_python" => Some(">=3.9"),
            "keywords" => Some(" "),
            _ => None,
        });
        assert_eq!(found.summary.as_deref(), Some("the archive's"));
        assert_eq!(found.requires_python.as_deref(), Some(">=3.9"));
        assert_eq!(found.keywords, None);
    }

    #[test]
    fn long_texts_are_cut_and_nuls_are_dropped() {
        let found = metadata(&format!("Summary: \u{0}{}\nMetadata-Version: {0}", "ä".repeat(300)));
        assert_eq!(found.summary.map(|text| text.chars().count()), Some(254));
        assert_eq!(found.metadata_version.map(|text| text.chars().count()), Some(16));
    }

    #[test]
    fn an_archive_is_of_one_name_and_version() {
        let check = |text: &str| Fields::parse(text.as_bytes()).check("foo-bar", "1.0.0");
        assert!(check(TEXT).is_ok());
        for text in [
            "",
            "Name: foo-bar\n",
            "Version: 1.0\n",
            "Name: foo\nVersion: 1.0\n",
            "Name: foo-bar\nVersion: 1.1\n",
            "Name: foo-bar\nVersion: new\n",
            "Name: foo-bar\nName: foo-bar\nVersion: 1.0\n",
            "\nName: foo-bar\nVersion: 1.0\n",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_the_metadata_at_the_top_counts() {
        assert!(is_wheels("foo-1.0.dist-info/METADATA"));
        assert!(!is_wheels("x/foo-1.0.dist-info/METADATA"));
        assert!(!is_wheels("foo-1.0/METADATA"));
        assert!(is_sources("foo-1.0/PKG-INFO"));
        assert!(!is_sources("foo-1.0/foo.egg-info/PKG-INFO"));
        assert!(!is_sources("PKG-INFO"));
    }
}
