//! What a package says of itself: the `.nuspec` at the top of its archive.
//!
//! It is XML from a stranger: a document type definition, an entity that is
//! not XML's own and texts beyond their caps are refused.

use crate::archive::{self, Wanted};
use crate::keys::nuget::Number;
use crate::readme::{self, Readme};
use crate::rules::names::is_plain;
use kernel::error::{Error, Result};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use serde::{Deserialize, Serialize};
use std::io::{Read, Seek};
use url::Url;

/// Most bytes of a `.nuspec`.
const MAX_BYTES: usize = 1024 * 1024;
/// Longest text, in characters.
const MAX_TEXT: usize = 4000;
/// Longest address or version range, in bytes.
const MAX_SHORT: usize = 2000;
/// Most dependencies, groups and kinds together.
const MAX_ITEMS: usize = 5_000;
/// Deepest element.
const MAX_DEPTH: usize = 32;
/// Most bytes kept.
const MAX_KEPT: usize = 256 * 1024;
/// The kind of a package that only holds symbols.
const SYMBOLS: &str = "SymbolsPackage";

/// What is kept of it. The names of the addresses are those that the package
/// page and GraphQL read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "named as the elements")]
pub struct Nuspec {
    pub id: String,
    pub version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub authors: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tags: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub project_url: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub license_url: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub icon_url: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub release_notes: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub copyright: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub language: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub min_client_version: String,
    /// An SPDX expression.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub license: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub repository_url: String,
    /// Where in the archive the README is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub readme: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub require_license_acceptance: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependency_groups: Vec<Group>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub package_types: Vec<String>,
}

/// What is needed on one framework.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Group {
    /// The framework; empty is any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub framework: String,
    pub dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dependency {
    pub id: String,
    /// Which versions will do; empty is any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub range: String,
}

/// A `.nuspec` as it stands in an archive.
pub struct NuspecFile {
    pub nuspec: Nuspec,
    pub bytes: Vec<u8>,
    /// What the archive says at length, which NuGet has as Markdown.
    pub readme: Option<Readme>,
}

/// Finds and reads the `.nuspec` of an archive.
pub fn read(mut packed: impl Read + Seek) -> Result<NuspecFile> {
    let contents = archive::zip(&mut packed, is_nuspec)?;
    let mut members = contents.members.into_iter();
    let Some(first) = members.next() else {
        return Err(refused("the archive has no .nuspec at its top"));
    };
    if members.next().is_some() {
        return Err(refused("the archive has more than one .nuspec at its top"));
    }
    let nuspec = Nuspec::parse(&first.bytes)?;
    let readme = match nuspec.readme.is_empty() {
        true => None,
        false => read_readme(packed, &nuspec.readme)?,
    };
    Ok(NuspecFile { nuspec, bytes: first.bytes, readme })
}

/// The README at this path of an archive, which may be written in the way of
/// Windows.
fn read_readme(mut packed: impl Read + Seek, at: &str) -> Result<Option<Readme>> {
    packed.rewind().map_err(Error::internal)?;
    let at = at.replace('\\', "/");
    let at = at.trim_start_matches("./");
    let contents = archive::zip(packed, |path| match path.eq_ignore_ascii_case(at) {
        true => readme::beginning(),
        false => Wanted::No,
    })?;
    Ok(contents.members.first().and_then(|member| Readme::of(&member.bytes, true)))
}

fn is_nuspec(path: &str) -> bool {
    let end = path.len().saturating_sub(".nuspec".len());
    let is_one = path.get(end..).is_some_and(|end| end.eq_ignore_ascii_case(".nuspec"));
    is_one && !path.contains('/')
}

impl Nuspec {
    pub fn parse(bytes: &[u8]) -> Result<Nuspec> {
        if bytes.len() > MAX_BYTES {
            return Err(refused("the .nuspec is too large"));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| refused("the .nuspec is not UTF-8"))?;
        let nuspec = Document::default().read(text.trim_start_matches('\u{feff}'))?;
        nuspec.check()?;
        Ok(nuspec)
    }

    pub fn of_kept(text: Option<&str>) -> Nuspec {
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    pub fn kept(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }

    pub fn is_of_symbols(&self) -> bool {
        let mut kinds = self.package_types.iter();
        kinds.any(|kind| kind.eq_ignore_ascii_case(SYMBOLS))
    }

    fn check(&self) -> Result<()> {
        if !is_name(&self.id) {
            return Err(refused("id in the .nuspec is invalid"));
        }
        if Number::parse(&self.version).is_none() {
            return Err(refused("version in the .nuspec is invalid"));
        }
        for group in &self.dependency_groups {
            for needed in &group.dependencies {
                if !is_name(&needed.id) || !is_divisible(&needed.range) {
                    return Err(refused("a dependency in the .nuspec is invalid"));
                }
            }
            if !is_divisible(&group.framework) {
                return Err(refused("a targetFramework in the .nuspec is invalid"));
            }
        }
        if self.kept()?.len() > MAX_KEPT {
            return Err(refused("the .nuspec is too large"));
        }
        Ok(())
    }
}

/// Whether this may be the name of a package (docs/interface/packages.md 2.2,
/// which leaves the length open; clients have limits of 100).
pub fn is_name(text: &str) -> bool {
    is_plain(text, "-+._") && !text.bytes().all(|b| b == b'.')
}

/// Whether a range or framework can stand in the list of dependencies of old
/// feeds, which `:` and `|` divide.
fn is_divisible(text: &str) -> bool {
    text.len() <= MAX_SHORT && !text.contains([':', '|']) && !text.contains(char::is_control)
}

#[derive(Default)]
struct Document {
    nuspec: Nuspec,
    path: Vec<String>,
    /// The text of the element that is open.
    text: String,
    items: usize,
    /// The licence is a file of the archive, whose name tells nothing.
    has_license_file: bool,
    /// The root element was met.
    begun: bool,
}

impl Document {
    fn read(mut self, text: &str) -> Result<Nuspec> {
        let mut reader = Reader::from_str(text);
        loop {
            match reader.read_event().map_err(broken)? {
                Event::Start(start) => self.open(&start)?,
                Event::Empty(start) => {
                    self.open(&start)?;
                    self.close()?;
                }
                Event::End(_) => self.close()?,
                Event::Text(part) => self.add(&part.xml10_content())?,
                Event::CData(part) => self.add(&part.xml10_content())?,
                Event::GeneralRef(reference) => {
                    let known = match reference.resolve_char_ref().map_err(broken)? {
                        Some(one) => Some(one.to_string()),
                        None => quick_xml::escape::resolve_predefined_entity(&reference)
                            .map(str::to_owned),
                    };
                    let known = known.ok_or_else(|| refused("the .nuspec has an unknown entity"));
                    self.add(&known?)?;
                }
                Event::DocType(_) => {
                    return Err(refused("the .nuspec has a document type definition"));
                }
                Event::Eof => break,
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            }
        }
        if !self.begun || !self.path.is_empty() {
            return Err(broken(()));
        }
        Ok(self.nuspec)
    }

    fn open(&mut self, start: &BytesStart<'_>) -> Result<()> {
        let name = start.local_name().as_ref().to_owned();
        if self.path.is_empty() {
            if self.begun || name != "package" {
                return Err(refused("the .nuspec is not that of a package"));
            }
            self.begun = true;
        }
        self.path.push(name);
        if self.path.len() > MAX_DEPTH {
            return Err(refused("the .nuspec is nested too deeply"));
        }
        self.text.clear();
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let ["package", "metadata", rest @ ..] = path.as_slice() else {
            return Ok(());
        };
        match rest {
            [] => {
                let least = attribute(start, "minClientVersion")?;
                self.nuspec.min_client_version = short(least);
            }
            ["license"] => self.has_license_file = attribute(start, "type")? == "file",
            ["repository"] if self.nuspec.repository_url.is_empty() => {
                self.nuspec.repository_url = address(&attribute(start, "url")?);
            }
            ["dependencies", "group"] => {
                let framework = attribute(start, "targetFramework")?;
                self.nuspec.dependency_groups.push(Group {
                    framework: framework.trim().to_owned(),
                    dependencies: Vec::new(),
                });
                self.count()?;
            }
            ["dependencies", "dependency"] => self.need(start, false)?,
            ["dependencies", "group", "dependency"] => self.need(start, true)?,
            ["packageTypes", "packageType"] => {
                let kind = short(attribute(start, "name")?);
                self.nuspec.package_types.push(kind);
                self.count()?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a dependency to the last group, or to the one of any framework.
    fn need(&mut self, start: &BytesStart<'_>, in_group: bool) -> Result<()> {
        let needed = Dependency {
            id: attribute(start, "id")?.trim().to_owned(),
            range: attribute(start, "version")?.trim().to_owned(),
        };
        let groups = &mut self.nuspec.dependency_groups;
        if !in_group && groups.is_empty() {
            groups.push(Group::default());
        }
        if let Some(last) = groups.last_mut() {
            last.dependencies.push(needed);
        }
        self.count()
    }

    fn count(&mut self) -> Result<()> {
        self.items += 1;
        match self.items > MAX_ITEMS {
            true => Err(refused("the .nuspec has too many dependencies")),
            false => Ok(()),
        }
    }

    fn add(&mut self, text: &str) -> Result<()> {
        // Outside of fields there is nothing but space between elements.
        if self.path.len() == 3 {
            self.text.push_str(text);
        } else if self.path.is_empty() && !text.trim().is_empty() {
            return Err(broken(()));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if let [_, parent, name] = self.path.as_slice()
            && parent == "metadata"
        {
            let (name, text) = (name.clone(), allowed(self.text.trim()));
            self.set(&name, text)?;
        }
        self.path.pop();
        self.text.clear();
        Ok(())
    }

    /// Of an element that is repeated the first counts.
    fn set(&mut self, name: &str, text: String) -> Result<()> {
        let own = &mut self.nuspec;
        let field = match name {
            "id" => &mut own.id,
            "version" => &mut own.version,
            "title" => &mut own.title,
            "authors" => &mut own.authors,
            "description" => &mut own.description,
            "summary" => &mut own.summary,
            "tags" => &mut own.tags,
            "projectUrl" => &mut own.project_url,
            "licenseUrl" => &mut own.license_url,
            "iconUrl" => &mut own.icon_url,
            "copyright" => &mut own.copyright,
            "language" => &mut own.language,
            "license" if !self.has_license_file => &mut own.license,
            "readme" => &mut own.readme,
            "releaseNotes" => &mut own.release_notes,
            "requireLicenseAcceptance" => {
                own.require_license_acceptance = text.eq_ignore_ascii_case("true");
                return Ok(());
            }
            _ => return Ok(()),
        };
        if !field.is_empty() {
            return Ok(());
        }
        *field = match name {
            // Nobody's release notes are worth a refusal.
            "releaseNotes" => text.chars().take(MAX_TEXT).collect(),
            "license" | "readme" => short(text),
            _ if name.ends_with("Url") => address(&text),
            _ if text.chars().count() > MAX_TEXT => {
                return Err(refused(&format!(
                    "{name} in the .nuspec is too long (maximum is {MAX_TEXT} characters)"
                )));
            }
            _ => text,
        };
        Ok(())
    }
}

/// The value of an attribute; empty without it.
fn attribute(start: &BytesStart<'_>, name: &str) -> Result<String> {
    for found in start.attributes() {
        let found = found.map_err(broken)?;
        if found.key.local_name().as_ref() == name {
            let value = found.normalized_value(XmlVersion::Implicit1_0).map_err(broken)?;
            return Ok(allowed(&value));
        }
    }
    Ok(String::new())
}

/// An address that pages may lead to; nothing of others.
fn address(text: &str) -> String {
    let parsed = Url::parse(text).ok();
    let usable = parsed.is_some_and(|url| matches!(url.scheme(), "http" | "https"));
    if usable { short(text.to_owned()) } else { String::new() }
}

/// Nothing of a text that is too long to be what it should be.
fn short(text: String) -> String {
    if text.len() > MAX_SHORT { String::new() } else { text }
}

/// The text without characters that XML 1.0 does not allow: character
/// references can smuggle them in, and feeds must be able to carry it out.
fn allowed(text: &str) -> String {
    let fits = |c: &char| {
        matches!(c, '\t' | '\n' | '\r')
            || (*c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{7f}'..='\u{9f}'))
    };
    text.chars().filter(fits).collect()
}

fn broken<E>(_: E) -> Error {
    refused("the .nuspec is not well-formed XML")
}

fn refused(reason: &str) -> Error {
    Error::BadRequest(reason.to_owned())
}

#[cfg(test)]
#[path = "nuspec_tests.rs"]
mod tests;
