//! OpenAPI 3.1 written from the routes themselves.

pub use super::operation::Operation;
use super::route::{Admits, Surface};
use super::routes::Endpoint;
use http::Method;
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};
use store::Plugs;

/// The whole document. `server` is the instance's address, `plugs` those that
/// its store is opened with.
pub fn document(routes: &[Endpoint], plugs: &Plugs, version: &str, server: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Value> = Map::new();
    let mut sorted: Vec<&Endpoint> =
        routes.iter().filter(|route| route.surface == Surface::Api).collect();
    sorted.sort_by(|a, b| (&a.path, a.method.as_str()).cmp(&(&b.path, b.method.as_str())));
    for route in sorted {
        let described = describe(route, plugs, &mut generator);
        let path = route.path.replace("{*", "{");
        let methods = paths.entry(path).or_insert_with(|| json!({}));
        methods[route.method.as_str().to_ascii_lowercase()] = described;
    }
    let mut schemas = generator.take_definitions(true);
    schemas.insert(
        "Refusal".into(),
        json!({"type": "object", "properties": {
            "message": {"description": "What was wrong: a text, or messages by field"},
            "error": {"type": "string"}, "error_description": {"type": "string"}}}),
    );
    json!({
        "openapi": "3.1.0",
        "info": {"title": "tenon", "version": version,
            "description": "REST API version 4 of tenon."},
        "servers": [{"url": server}],
        "security": [{}, {"token": []}, {"bearer": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {"type": "apiKey", "in": "header", "name": "PRIVATE-TOKEN"},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
        },
    })
}

fn describe(route: &Endpoint, plugs: &Plugs, generator: &mut SchemaGenerator) -> Value {
    let path = template_names(&route.path);
    let has_body = matches!(route.method, Method::POST | Method::PUT | Method::PATCH);
    let mut operation = Operation {
        generator,
        path,
        has_body: has_body && !route.streams,
        parameters: Vec::new(),
        body: None,
        in_body: Vec::new(),
        responses: Map::new(),
        plugs,
    };
    (route.handler.describe)(&mut operation);
    for (status, meaning) in &route.answers {
        operation.status(*status, meaning);
    }
    let Operation { path, mut parameters, body, mut responses, .. } = operation;
    for name in path {
        parameters.push(json!({"name": name, "in": "path", "required": true,
            "schema": {"type": "string"}}));
    }
    for (status, meaning) in refusals(route) {
        responses.entry(status.to_string()).or_insert_with(|| json!({
            "description": meaning,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}},
        }));
    }
    if route.method == Method::GET {
        responses.entry("304").or_insert_with(|| json!({"description": "Not modified"}));
    }
    let mut described = json!({
        "operationId": format!("{}_{}", route.operation, route.method.as_str().to_lowercase()),
        "summary": route.summary, "tags": [route.tag], "parameters": parameters, "responses": responses,
    });
    if let Some(body) = body {
        described["requestBody"] = body;
    }
    described
}

fn template_names(path: &str) -> Vec<String> {
    path.split('{')
        .skip(1)
        .filter_map(|part| part.split('}').next())
        .map(|name| name.trim_start_matches('*').to_owned())
        .collect()
}

/// Refusals that follow from how a route is declared.
fn refusals(route: &Endpoint) -> Vec<(u16, &'static str)> {
    let mut known = vec![
        (400, "A parameter is missing or unusable"),
        (414, "Path and query are too long"),
    ];
    let is_checked = route.admits != Admits::Unchecked;
    if is_checked {
        known.extend([
            (401, "No or bad credentials"),
            (403, "The right or scope is missing"),
            (429, "Too many requests"),
        ]);
    }
    if is_checked || route.path.contains('{') {
        known.push((404, "Unknown, or hidden from the caller"));
    }
    known.push((503, "Temporarily unavailable"));
    if route.path.contains("{id}") {
        known.extend([(301, "The project moved"), (405, "The project moved")]);
    }
    if route.method != Method::GET {
        known.extend([
            (409, "Conflicts with what exists"),
            (412, "Changed since If-Unmodified-Since"),
            (413, "The body is too large"),
            (422, "Refused by a rule"),
        ]);
    }
    known
}
