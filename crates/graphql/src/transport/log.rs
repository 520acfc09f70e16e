//! One line for each operation (docs/interface/graphql.md 8). Tokens are never in it,
//! literals and secret variables are masked.

use super::incoming::{Entry, Incoming};
use crate::validation::{Checked, lexer};
use identity::{Credential, Viewer};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Parts of names whose values are not logged.
const SECRET: &[&str] = &["token", "password", "secret", "key", "value", "otp", "captcha"];
/// Longest logged variables, in bytes.
const MAX_VARIABLES: usize = 2_000;

/// Writes the line of an operation that ran.
pub fn operation(incoming: &Incoming, entry: &Entry, checked: &Checked, took: Duration) {
    if !tracing::enabled!(target: "graphql", tracing::Level::INFO) {
        return;
    }
    let operation = checked.operation();
    let text = entry.source.as_ref().map_or("", |source| source.query.as_str());
    let query = lexer::masked(text);
    let fingerprint = hex::encode(&Sha256::digest(query.as_bytes())[..16]);
    let mut variables = text_of(&filtered(&checked.variables));
    if variables.len() > MAX_VARIABLES {
        variables = "[too long]".to_owned();
    }
    tracing::info!(
        target: "graphql",
        request_id = %incoming.request.request_id,
        operation_name = operation.name.as_deref().unwrap_or_default(),
        operation_fingerprint = %fingerprint,
        is_mutation = checked.is_mutation(),
        complexity = checked.score,
        depth = checked.depth,
        used_fields = %checked.used_fields.join(","),
        used_deprecated_fields = %checked.deprecated_fields.join(","),
        used_deprecated_arguments = %checked.deprecated_arguments.join(","),
        seconds = took.as_secs_f64(),
        user_id = incoming.viewer.user_id(),
        client_id = client(&incoming.viewer),
        remote_ip = %incoming.request.peer,
        %variables,
        %query,
    );
}

/// The application whose token asks.
fn client(viewer: &Viewer) -> Option<i64> {
    match viewer {
        Viewer::User(signed_in) => match signed_in.credential {
            Credential::OAuth { application, .. } => application,
            _ => None,
        },
        _ => None,
    }
}

fn text_of(variables: &Map<String, Json>) -> String {
    Json::Object(variables.clone()).to_string()
}

fn filtered(values: &Map<String, Json>) -> Map<String, Json> {
    let one = |(name, value): (&String, &Json)| {
        let folded = name.to_lowercase();
        let secret = SECRET.iter().any(|part| folded.contains(part));
        let shown = if secret { json!("[FILTERED]") } else { masked(value) };
        (name.clone(), shown)
    };
    values.iter().map(one).collect()
}

fn masked(value: &Json) -> Json {
    match value {
        Json::Object(fields) => Json::Object(filtered(fields)),
        Json::Array(items) => Json::Array(items.iter().map(masked).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_variables_are_masked_at_any_depth() {
        let Json::Object(given) = json!({"name": "a", "input": [{"apiToken": "s", "n": 1}]}) else {
            panic!("an object")
        };
        let shown = Json::Object(filtered(&given));
        assert_eq!(shown, json!({"name": "a", "input": [{"apiToken": "[FILTERED]", "n": 1}]}));
    }
}
