//! Terms under which code may be used, as REST shows them.

use schemars::JsonSchema;
use serde::Serialize;

/// Under what terms code may be used.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LicenseEntity {
    /// `other` where there are terms that nobody knows.
    pub key: String,
    pub name: String,
    pub nickname: Option<String>,
    pub html_url: Option<String>,
    pub source_url: Option<String>,
}
