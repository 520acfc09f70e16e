//! What administrators may change about the GraphQL interface.

use crate::error::Result;
use crate::settings::Setting;
use serde::{Deserialize, Serialize};

/// The settings.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphqlRules {
    /// Whether signed-in callers may send queries by their digest.
    pub persisted_queries: bool,
    /// Whether nothing but the queries on the operator's list is answered.
    pub allowed_queries_only: bool,
}

impl Setting for GraphqlRules {
    const KEY: &'static str = "kernel.graphql";
}

impl GraphqlRules {
    /// Every value is possible.
    pub fn validate(&self) -> Result<()> {
        Ok(())
    }
}
