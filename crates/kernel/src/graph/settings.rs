//! What administrators may change about the GraphQL interface.

use crate::error::Result;

kernel::setting! {
    /// The settings.
    #[derive(Copy)]
    pub struct GraphqlRules = "kernel.graphql" {
        /// Whether signed-in callers may send queries by their digest.
        pub persisted_queries: bool = false,
        /// Whether nothing but the queries on the operator's list is answered.
        pub allowed_queries_only: bool = false,
    }
}

impl GraphqlRules {
    /// Every value is possible.
    pub fn validate(&self) -> Result<()> {
        Ok(())
    }
}
