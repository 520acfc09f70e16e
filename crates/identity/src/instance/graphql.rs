//! The part of `/application/settings` about the GraphQL interface.

use kernel::graph::settings::GraphqlRules;

crate::settings_part! {
    GraphqlRules {
        /// Whether signed-in callers may send GraphQL queries by their digest.
        graphql_persisted_queries_enabled: bool => persisted_queries,
        /// Whether only GraphQL queries on the list of allowed ones are answered.
        graphql_allowed_queries_only: bool => allowed_queries_only,
    } sealed {
    }
}
