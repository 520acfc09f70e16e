//! What users tell about themselves.

use kernel::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::fmt;
use store::{FromRow, FromValue};

/// A text of a profile; one that was never set is empty on the wire.
#[derive(Debug, Clone, Default)]
pub struct Words(pub Option<String>);

impl Words {
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromValue for Words {
    fn from_value(value: store::Value) -> store::Result<Self> {
        FromValue::from_value(value).map(Words)
    }
}

impl Serialize for Words {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl JsonSchema for Words {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// What a user tells about themselves, in wire order.
#[derive(Debug, Clone, Default, FromRow, Serialize, JsonSchema)]
pub struct ProfileTexts {
    /// A few words.
    pub bio: Words,
    /// Where they are.
    pub location: Words,
    /// E-mail shown to everyone; every user as JSON has it already.
    #[serde(skip)]
    pub public_email: Words,
    /// Account there.
    pub linkedin: Words,
    /// Account there.
    pub twitter: Words,
    /// Account there.
    pub discord: Words,
    /// Handle at that provider.
    pub provider_a: Words,
    /// Their site.
    pub website_url: Words,
    /// Where they work.
    pub organization: Words,
    /// As what.
    pub job_title: Words,
    /// Pronouns.
    pub pronouns: Words,
}

impl ProfileTexts {
    /// Job and employer in one line.
    pub fn work(&self) -> Option<String> {
        let set = |words: &Words| words.0.clone().filter(|text| !text.is_empty());
        match (set(&self.job_title), set(&self.organization)) {
            (Some(job), Some(employer)) => Some(format!("{job} at {employer}")),
            (job, employer) => job.or(employer),
        }
    }
}

/// What a user tells about themselves, and what administrators see.
#[derive(Debug, Clone, Default, FromRow)]
pub struct Profile {
    #[nested]
    pub texts: ProfileTexts,
    /// E-mail used in commits made in the browser.
    pub commit_email: Option<String>,
    pub note: Option<String>,
    /// Colour scheme of the pages.
    pub theme_id: i64,
    pub color_scheme_id: i64,
    pub created_by_id: Option<i64>,
    /// Start of the present session.
    pub current_sign_in_at: Option<Timestamp>,
    /// Start of the one before.
    pub last_sign_in_at: Option<Timestamp>,
    pub current_sign_in_ip: Option<String>,
    pub last_sign_in_ip: Option<String>,
    pub sign_in_count: i64,
}
