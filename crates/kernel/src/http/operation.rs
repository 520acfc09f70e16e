//! How the types of a handler describe it for OpenAPI.

use super::params::{Field, object_schema};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use store::Plugs;

/// The description of one route while its handler's types add to it.
pub struct Operation<'d> {
    pub(super) generator: &'d mut SchemaGenerator,
    pub(super) path: Vec<String>,
    pub(super) has_body: bool,
    pub(super) parameters: Vec<Value>,
    pub(super) body: Option<Value>,
    pub(super) in_body: Vec<Field>,
    pub(super) responses: Map<String, Value>,
    pub(super) plugs: &'d Plugs,
}

impl<'d> Operation<'d> {
    /// What a room was given by those above it.
    pub fn plugged<T: std::any::Any + Send + Sync>(&self) -> Option<&'d T> {
        self.plugs.get().ok()
    }

    /// Declared parameters: those of the template go in the path, the others
    /// in the body where the method has one, else in the query.
    pub fn parameters(&mut self, fields: Vec<Field>) {
        let (in_path, rest): (Vec<_>, Vec<_>) = fields
            .into_iter()
            .partition(|field| self.path.iter().any(|name| name == field.name));
        for field in in_path {
            self.path.retain(|name| name != field.name);
            self.parameters.push(parameter(&field, "path"));
        }
        if !self.has_body {
            self.query(rest);
        } else if !rest.is_empty() {
            self.in_body.extend(rest);
            let schema = object_schema(&self.in_body);
            let required = self.in_body.iter().any(|field| field.required);
            self.body = Some(json!({"required": required, "content": {
                "application/json": {"schema": schema},
                "application/x-www-form-urlencoded": {"schema": schema},
            }}));
        }
    }

    /// Those of these parameters that the template has; an extractor may serve
    /// several.
    pub fn in_path(&mut self, fields: Vec<Field>) {
        let is_here = |field: &Field| self.path.iter().any(|name| name == field.name);
        let here = fields.into_iter().filter(is_here).collect();
        self.parameters(here);
    }

    /// Parameters that are always in the query.
    pub fn query(&mut self, fields: Vec<Field>) {
        let described = fields.iter().map(|field| parameter(field, "query"));
        self.parameters.extend(described);
    }

    /// The body described before may also come as multipart, with files.
    pub fn takes_files(&mut self) {
        if let Some(body) = &mut self.body {
            let content = &mut body["content"];
            content["multipart/form-data"] = content["application/json"].clone();
        }
    }

    /// A body of bytes.
    pub fn binary_body(&mut self) {
        self.body = Some(json!({"required": true, "content": {
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}));
    }

    /// A JSON answer of this type.
    pub fn answers<T: JsonSchema>(&mut self, status: u16) {
        let schema = self.generator.subschema_for::<T>();
        self.responses.insert(
            status.to_string(),
            json!({"description": "Success", "content": {"application/json": {"schema": schema}}}),
        );
    }

    /// An answer without a described body.
    pub fn status(&mut self, status: u16, description: &str) {
        self.responses.insert(status.to_string(), json!({"description": description}));
    }
}

fn parameter(field: &Field, place: &str) -> Value {
    let mut described = json!({
        "name": field.name, "in": place, "required": field.required || place == "path",
        "schema": field.schema,
    });
    if !field.description.is_empty() {
        described["description"] = json!(field.description);
    }
    if place == "query" && field.schema["type"] == "array" {
        described["name"] = json!(format!("{}[]", field.name));
    }
    described
}
