//! Whether what the rooms registered fits together; a failure ends the start.

use super::build::{Draft, Graph};
use super::coerce;
use super::table::{Field, Fields, Input, Kind, Mark, Table, TypeDef};
use super::types::TypeRef;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Graph {
    /// The table, or every reason why there is none.
    pub fn finish(mut self) -> Result<Table> {
        self.declare_nodes();
        let mut problems = std::mem::take(&mut self.problems);
        let inherited = inherit(&self.drafts);
        for (name, field) in inherited {
            if let Some(Kind::Object(fields)) =
                self.drafts.get_mut(&name).map(|draft| &mut draft.def.kind)
            {
                fields.fields.entry(field.name.clone()).or_insert(field);
            }
        }
        for (name, draft) in &self.drafts {
            if !draft.declared {
                problems.push(format!("fields are added to {name}, which nobody declares"));
            }
        }
        for expected in &self.expected {
            let behind = self.drafts.get(&expected.name).and_then(|draft| draft.rust);
            if let Some(rust) = behind.filter(|rust| rust.0 != expected.rust.0) {
                let (at, name) = (&expected.at, &expected.name);
                let (is, should) = (expected.rust.1, rust.1);
                problems.push(format!("{at} gives {is} for {name}, which is {should}"));
            }
        }
        let types = self.drafts.into_iter().map(|(name, draft)| (name, draft.def));
        let table = Table::new(types.collect(), Arc::new(self.models));
        for def in table.types() {
            check_type(&table, def, &mut problems);
        }
        if problems.is_empty() {
            return Ok(table);
        }
        let text = format!("the GraphQL table does not fit: {}", problems.join("; "));
        Err(Error::internal(text))
    }
}

/// Fields of interfaces for the objects behind which the same type stands, or that hold
/// what stands behind the interface.
fn inherit(drafts: &BTreeMap<Arc<str>, Draft>) -> Vec<(Arc<str>, Field)> {
    let mut found = Vec::new();
    for (name, draft) in drafts {
        let Kind::Object(fields) = &draft.def.kind else {
            continue;
        };
        for interface in &fields.implements {
            let Some(from) = drafts.get(interface) else {
                continue;
            };
            let Kind::Interface(shared) = &from.def.kind else {
                continue;
            };
            let behind = from.rust.map(|rust| rust.0);
            let through = draft.through.get(interface);
            let through = through.filter(|through| behind == Some(through.rust));
            if draft.rust.map(|rust| rust.0) == behind {
                found.extend(shared.fields.values().map(|field| (name.clone(), field.clone())));
            } else if let Some(through) = through {
                let fields = shared.fields.values();
                found.extend(fields.map(|field| (name.clone(), through.field(field))));
            }
        }
    }
    found
}

fn check_type(table: &Table, def: &TypeDef, problems: &mut Vec<String>) {
    let name = &def.name;
    if !def.system && !is_name(name) {
        problems.push(format!("{name} is no name for a type"));
    }
    match &def.kind {
        Kind::Object(fields) => {
            check_fields(table, def, fields, problems);
            check_implements(table, def, fields, problems);
        }
        Kind::Interface(fields) => {
            check_fields(table, def, fields, problems);
            if table.possible(name).is_empty() {
                problems.push(format!("nothing implements {name}"));
            }
        }
        Kind::Union(members) => {
            for member in members {
                let is_object =
                    table.get(member).is_some_and(|of| matches!(of.kind, Kind::Object(_)));
                if !is_object {
                    problems.push(format!("{name} has {member}, which is no object type"));
                }
            }
        }
        Kind::Enum(values) => {
            for (value, of) in values {
                check_mark(table, &format!("{name}.{value}"), of.mark.as_ref(), problems);
            }
        }
        Kind::Input(inputs) => {
            for input in inputs.values() {
                check_input(table, &format!("{name}.{}", input.name), input, problems);
            }
        }
        Kind::Scalar(_) => {}
    }
}

fn check_fields(table: &Table, def: &TypeDef, fields: &Fields, problems: &mut Vec<String>) {
    if fields.fields.is_empty() {
        problems.push(format!("{} has no fields", def.name));
    }
    for field in fields.fields.values() {
        let at = format!("{}.{}", def.name, field.name);
        if !def.system && !is_name(&field.name) {
            problems.push(format!("{at} is no name for a field"));
        }
        match table.get(field.ty.name()) {
            None => problems.push(format!("{at} answers unknown {}", field.ty.name())),
            Some(of) if matches!(of.kind, Kind::Input(_)) => {
                problems.push(format!("{at} answers the input {}", of.name));
            }
            Some(_) => {}
        }
        check_mark(table, &at, field.mark.as_ref(), problems);
        for input in field.arguments.values() {
            check_input(table, &format!("{at}({})", input.name), input, problems);
        }
    }
}

fn check_input(table: &Table, at: &str, input: &Input, problems: &mut Vec<String>) {
    if !table.is_input(input.ty.name()) {
        problems.push(format!("{at} takes unknown {}", input.ty.name()));
        return;
    }
    check_mark(table, at, input.mark.as_ref(), problems);
    if input.mark.is_some() && input.is_required() {
        problems.push(format!("{at} is required and deprecated"));
    }
    if let Some(default) = &input.default
        && coerce::value(table, &input.ty, default).is_err()
    {
        problems.push(format!("{at} has a default that does not fit"));
    }
}

fn check_implements(table: &Table, def: &TypeDef, fields: &Fields, problems: &mut Vec<String>) {
    for interface in &fields.implements {
        let Some(Kind::Interface(shared)) = table.get(interface).map(|of| &of.kind) else {
            problems.push(format!("{} implements unknown {interface}", def.name));
            continue;
        };
        for wanted in shared.fields.values() {
            let own = fields.fields.get(&wanted.name);
            if !own.is_some_and(|own| keeps(table, own, wanted)) {
                let (name, field) = (&def.name, &wanted.name);
                problems.push(format!("{name}.{field} does not fit {interface}.{field}"));
            }
        }
    }
}

/// Whether a field answers what an interface promises, and takes what it takes.
fn keeps(table: &Table, own: &Field, wanted: &Field) -> bool {
    let takes = |input: &Input| {
        let same = own.arguments.get(&input.name);
        same.is_some_and(|same| same.ty == input.ty)
    };
    let asks_more =
        |input: &Input| input.is_required() && !wanted.arguments.contains_key(&input.name);
    fits(table, &own.ty, &wanted.ty)
        && wanted.arguments.values().all(takes)
        && !own.arguments.values().any(asks_more)
}

/// Whether `own` may stand where an interface promises `wanted`.
fn fits(table: &Table, own: &TypeRef, wanted: &TypeRef) -> bool {
    match (own, wanted) {
        (TypeRef::NonNull(own), TypeRef::NonNull(wanted)) => fits(table, own, wanted),
        (TypeRef::NonNull(own), wanted) => fits(table, own, wanted),
        (TypeRef::List(own), TypeRef::List(wanted)) => fits(table, own, wanted),
        (TypeRef::Named(own), TypeRef::Named(wanted)) => own == wanted || table.is_a(own, wanted),
        _ => false,
    }
}

/// The rules of docs/interface/graphql.md 7, checked at start.
fn check_mark(table: &Table, at: &str, mark: Option<&Mark>, problems: &mut Vec<String>) {
    let Some(mark) = mark else {
        return;
    };
    let milestone = match mark {
        Mark::Deprecated { milestone, .. } | Mark::Experiment { milestone } => milestone,
    };
    let numbers = milestone.split_once('.');
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !numbers.is_some_and(|(major, minor)| is_number(major) && is_number(minor)) {
        problems.push(format!("{at} is marked in {milestone}, which is no X.Y"));
    }
    let Mark::Deprecated { reason, replacement, .. } = mark else {
        return;
    };
    if reason.is_empty() || reason.ends_with('.') {
        problems.push(format!("{at} has a reason that is empty or ends with a period"));
    }
    if let Some((of, field)) = replacement.and_then(|name| name.split_once('.'))
        && table.field(of, field).is_none()
    {
        problems.push(format!("{at} is replaced by {of}.{field}, which is unknown"));
    }
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let starts = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    starts && !text.starts_with("__") && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
