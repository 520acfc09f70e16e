//! The table as text in the schema language, sorted by name, with costs.

use super::introspection;
use super::table::{Cost, Field, Fields, Input, Kind, Mark, Table, TypeDef};
use super::types::TypeRef;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// The whole interface. `@cost` tells what a field costs where that is not
/// one; a cost rises only in a major release.
pub fn text(table: &Table) -> String {
    let mut out = String::from("schema {\n  query: Query\n");
    if table.has_mutations() {
        out.push_str("  mutation: Mutation\n");
    }
    out.push_str("}\n\n");
    out.push_str(COST);
    let own = |one: &&introspection::Directive| one.name == "service_introduced";
    for directive in introspection::directives().iter().filter(own) {
        let arguments: Vec<String> =
            directive.arguments.iter().map(|input| one_input(table, input)).collect();
        let places = directive.locations.join(" | ");
        let line = format!("directive @{}({})", directive.name, arguments.join(", "));
        let _ = write!(out, "\n\"\"\"{}\"\"\"\n{line} on {places}\n", directive.description);
    }
    for def in table.types().filter(|def| !def.system) {
        out.push('\n');
        one_type(table, def, &mut out);
    }
    out
}

const COST: &str = "\"\"\"What a field costs besides its children: `constant`, or one; \
    looked-up fields and lists cost more with `sort` and `search`, pages of up to `page` rows \
    multiply.\"\"\"\ndirective @cost(constant: Int, lookedUp: Boolean, page: Int, git: Boolean) \
    on FIELD_DEFINITION\n";

fn one_type(table: &Table, def: &TypeDef, out: &mut String) {
    describe(&def.description, "", out);
    match &def.kind {
        Kind::Scalar(_) => {
            let _ = writeln!(out, "scalar {}", def.name);
        }
        Kind::Union(members) => {
            let members: Vec<&str> = members.iter().map(|one| &**one).collect();
            let _ = writeln!(out, "union {} = {}", def.name, members.join(" | "));
        }
        Kind::Enum(values) => {
            let _ = writeln!(out, "enum {} {{", def.name);
            for (name, value) in values {
                describe(&value.description, "  ", out);
                let _ = writeln!(out, "  {name}{}", deprecated(value.mark.as_ref()));
            }
            out.push_str("}\n");
        }
        Kind::Input(inputs) => {
            let _ = writeln!(out, "input {} {{", def.name);
            for input in inputs.values() {
                describe(&input.description, "  ", out);
                let _ = writeln!(out, "  {}", one_input(table, input));
            }
            out.push_str("}\n");
        }
        Kind::Object(fields) => with_fields(table, "type", def, fields, out),
        Kind::Interface(fields) => with_fields(table, "interface", def, fields, out),
    }
}

fn with_fields(table: &Table, word: &str, def: &TypeDef, fields: &Fields, out: &mut String) {
    let _ = write!(out, "{word} {}", def.name);
    if !fields.implements.is_empty() {
        let names: Vec<&str> = fields.implements.iter().map(|one| &**one).collect();
        let _ = write!(out, " implements {}", names.join(" & "));
    }
    out.push_str(" {\n");
    for field in fields.fields.values() {
        describe(&field.description, "  ", out);
        let _ = write!(out, "  {}", field.name);
        arguments(table, &field.arguments, out);
        let mark = deprecated(field.mark.as_ref());
        let _ = writeln!(out, ": {}{}{mark}", field.ty, cost(field));
    }
    out.push_str("}\n");
}

fn arguments(table: &Table, all: &BTreeMap<Arc<str>, Input>, out: &mut String) {
    if all.is_empty() {
        return;
    }
    out.push_str("(\n");
    for input in all.values() {
        describe(&input.description, "    ", out);
        let _ = writeln!(out, "    {}", one_input(table, input));
    }
    out.push_str("  )");
}

fn one_input(table: &Table, input: &Input) -> String {
    let default = input.default.as_ref();
    let default = default.map(|value| format!(" = {}", literal(table, &input.ty, value)));
    let mark = deprecated(input.mark.as_ref());
    format!("{}: {}{}{mark}", input.name, input.ty, default.unwrap_or_default())
}

fn cost(field: &Field) -> String {
    let mut parts = Vec::new();
    match field.cost {
        Cost::Constant(cost) => parts.push(format!("constant: {cost}")),
        Cost::LookedUp => parts.push("lookedUp: true".to_owned()),
        Cost::Plain => {}
    }
    if let Some(page) = field.page {
        parts.push(format!("page: {page}"));
    }
    if field.git {
        parts.push("git: true".to_owned());
    }
    if parts.is_empty() {
        return String::new();
    }
    format!(" @cost({})", parts.join(", "))
}

fn deprecated(mark: Option<&Mark>) -> String {
    mark.map(|mark| format!(" @deprecated(reason: {})", Json::String(mark.reason())))
        .unwrap_or_default()
}

fn describe(text: &str, indent: &str, out: &mut String) {
    if !text.is_empty() {
        let _ = writeln!(out, "{indent}\"\"\"{}\"\"\"", text.replace("\"\"\"", "\\\"\"\""));
    }
}

/// A value as it stands in a document of this type.
pub fn literal(table: &Table, ty: &TypeRef, value: &Json) -> String {
    match (ty.nullable(), value) {
        (TypeRef::List(inner), Json::Array(items)) => {
            let items: Vec<String> = items.iter().map(|one| literal(table, inner, one)).collect();
            format!("[{}]", items.join(", "))
        }
        (TypeRef::Named(name), Json::String(text)) => match table.get(name).map(|def| &def.kind) {
            Some(Kind::Enum(_)) => text.clone(),
            _ => value.to_string(),
        },
        (TypeRef::Named(name), Json::Object(fields)) => {
            let inputs = match table.get(name).map(|def| &def.kind) {
                Some(Kind::Input(inputs)) => Some(inputs),
                _ => None,
            };
            let any = TypeRef::named("JSON");
            let field = |(key, value): (&String, &Json)| {
                let ty = inputs.and_then(|all| all.get(key.as_str()));
                let ty = ty.map_or(&any, |input| &input.ty);
                format!("{key}: {}", literal(table, ty, value))
            };
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        _ => value.to_string(),
    }
}
