//! What a list of components is, whichever format it came in.

mod chains;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use chains::{Chain, MAX_ANCESTORS};

/// The versions of CycloneDX that are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SpecVersion {
    #[serde(rename = "1.4")]
    V1_4,
    #[serde(rename = "1.5")]
    V1_5,
    #[serde(rename = "1.6")]
    V1_6,
}

impl SpecVersion {
    pub const ALL: [SpecVersion; 3] = [SpecVersion::V1_4, SpecVersion::V1_5, SpecVersion::V1_6];

    /// As documents write it.
    pub fn text(self) -> &'static str {
        match self {
            SpecVersion::V1_4 => "1.4",
            SpecVersion::V1_5 => "1.5",
            SpecVersion::V1_6 => "1.6",
        }
    }

    pub fn parse(text: &str) -> Option<SpecVersion> {
        SpecVersion::ALL.into_iter().find(|version| version.text() == text)
    }
}

/// What a component is there for.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    #[default]
    Production,
    Development,
    Test,
}

impl Category {
    pub fn text(self) -> &'static str {
        match self {
            Category::Production => "production",
            Category::Development => "development",
            Category::Test => "test",
        }
    }

    /// What is unknown counts as production: nothing is hidden by a typing error.
    pub fn parse(text: &str) -> Category {
        match text.trim().to_ascii_lowercase().as_str() {
            "development" | "dev" => Category::Development,
            "test" => Category::Test,
            _ => Category::Production,
        }
    }
}

/// A licence as a component names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum License {
    /// An id of the SPDX list.
    Id(String),
    /// A valid SPDX expression of more than an id.
    Expression(String),
    Named {
        name: String,
        /// By http or https only, so that it can be a link.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
}

impl License {
    /// The id, the expression or the name.
    pub fn text(&self) -> &str {
        match self {
            License::Id(text) | License::Expression(text) => text,
            License::Named { name, .. } => name,
        }
    }
}

/// A digest of a component, under CycloneDX's name of its algorithm (`SHA-256`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Hash {
    pub algorithm: String,
    /// In lower-case hexadecimal digits.
    pub value: String,
}

/// A program that wrote a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Tool {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Who wrote a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Author {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// A name and a value of which the format knows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Property {
    pub name: String,
    pub value: String,
}

/// Something that software is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Component {
    /// Unique in a [`Bom`]; made up where the document has none.
    pub reference: String,
    /// CycloneDX's type: `library`, `application`, `container`, …
    pub kind: String,
    pub group: Option<String>,
    pub name: String,
    pub version: Option<String>,
    /// Valid and normalised, or none.
    pub purl: Option<String>,
    pub licenses: Vec<License>,
    pub hashes: Vec<Hash>,
    pub category: Category,
    /// The lock file that names it.
    pub input_file: Option<String>,
    /// The file people edit.
    pub source_file: Option<String>,
    /// `bundler`, `yarn`, `npm`, …: as a property says, else by the type of the purl.
    pub packager: Option<String>,
    pub language: Option<String>,
    /// `in_use` or `not_found`.
    pub reachability: Option<String>,
    /// The image of a scanned container, `name:tag`.
    pub image: Option<String>,
    /// Of a scanned container, `name:version`.
    pub operating_system: Option<String>,
}

impl Component {
    /// The file it is named in.
    pub fn path(&self) -> Option<&str> {
        self.input_file.as_deref().or(self.source_file.as_deref())
    }

    /// The name as people write it: with the group, as packagers join the two.
    pub fn full_name(&self) -> String {
        match self.group.as_deref().filter(|group| !group.is_empty()) {
            Some(group) => format!("{group}/{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A list of components, nested ones flattened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bom {
    pub spec: SpecVersion,
    pub serial_number: Option<String>,
    pub timestamp: Option<String>,
    pub tools: Vec<Tool>,
    pub authors: Vec<Author>,
    /// Those of the whole document.
    pub properties: Vec<Property>,
    /// What the list is about.
    pub root: Option<Component>,
    pub components: Vec<Component>,
    /// Reference of a component (or the root) → references it depends on.
    pub dependencies: BTreeMap<String, Vec<String>>,
}
