//! What an answer tells besides its data, for requests that ask: what every
//! field costs, and which deprecated members are in use.

use super::ast::{self, Selection};
use super::cost::{self, Part};
use super::{Checked, Fragments, is_taken, literals};
use kernel::graph::table::{Kind, Mark, Table};
use kernel::graph::types::TypeRef;
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Score, limit and depth, and what each field costs with all below it.
pub fn cost(table: &Table, checked: &Checked) -> Json {
    let parts = Fragments::new(&checked.document)
        .map(|fragments| cost::parts(table, checked.operation(), &fragments, &checked.variables));
    let part = |part: &Part| {
        let path: Vec<&str> = part.path.iter().map(|key| &**key).collect();
        json!({"path": path, "field": part.member, "cost": part.cost})
    };
    let fields: Vec<Json> = parts.unwrap_or_default().iter().map(part).collect();
    json!({
        "score": checked.score,
        "limit": checked.limit,
        "depth": checked.depth,
        "fields": fields,
    })
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Marked {
    /// Such as `User.email`, `Query.runners(active)` or `UserState.old`.
    pub member: String,
    /// Why it will go, and since when that is known.
    pub reason: String,
    pub replacement: Option<String>,
    /// The release that may remove it.
    pub removed_in: Option<String>,
}

/// Deprecated members that the operation uses: fields, arguments, input
/// fields and values of enums, with what to use instead and when they go.
pub fn deprecations(table: &Table, checked: &Checked) -> Vec<Marked> {
    let operation = checked.operation();
    let mut used = Used {
        table,
        checked,
        followed: HashSet::new(),
        found: BTreeMap::new(),
    };
    for variable in &operation.variables {
        if let Some(value) = checked.variables.get(&*variable.name) {
            used.given(&variable.ty, value);
        }
    }
    used.selections(&operation.selections, &operation.kind.root().into());
    let one = |(member, mark): (String, &Mark)| {
        let replacement = match mark {
            Mark::Deprecated { replacement, .. } => *replacement,
            Mark::Experiment { .. } => None,
        };
        Marked {
            member,
            reason: mark.reason(),
            replacement: replacement.map(str::to_owned),
            removed_in: mark.removed_in(),
        }
    };
    used.found.into_iter().map(one).collect()
}

/// The marked members found so far.
struct Used<'u> {
    table: &'u Table,
    checked: &'u Checked,
    followed: HashSet<&'u str>,
    found: BTreeMap<String, &'u Mark>,
}

impl<'u> Used<'u> {
    fn note(&mut self, member: String, mark: Option<&'u Mark>) {
        if let Some(mark) = mark {
            self.found.insert(member, mark);
        }
    }

    fn selections(&mut self, all: &'u [Selection], parent: &Arc<str>) {
        let variables = &self.checked.variables;
        for selection in all {
            match selection {
                Selection::Field(field) if is_taken(&field.directives, variables) => {
                    self.field(field, parent);
                }
                Selection::Inline(inline) if is_taken(&inline.directives, variables) => {
                    let on = inline.on.as_ref().unwrap_or(parent);
                    self.selections(&inline.selections, on);
                }
                Selection::Spread(spread) if is_taken(&spread.directives, variables) => {
                    let mut all = self.checked.document.fragments.iter();
                    let fragment = all.find(|one| one.name == spread.name);
                    let fresh = self.followed.insert(&spread.name);
                    if let Some(fragment) = fragment.filter(|_| fresh) {
                        self.selections(&fragment.selections, &fragment.on);
                    }
                }
                _ => {}
            }
        }
    }

    fn field(&mut self, field: &'u ast::Field, parent: &Arc<str>) {
        let table = self.table;
        let Some(def) = table.field(parent, &field.name) else {
            return;
        };
        let member = format!("{parent}.{}", field.name);
        for argument in &field.arguments {
            if let Some(input) = def.arguments.get(&argument.name) {
                self.note(format!("{member}({})", argument.name), input.mark.as_ref());
                self.written(&input.ty, &argument.value);
            }
        }
        self.note(member, def.mark.as_ref());
        self.selections(&field.selections, def.ty.name());
    }

    /// What is written out in the query, which may be long and is not copied.
    fn written(&mut self, ty: &TypeRef, value: &ast::Value) {
        let (table, name) = (self.table, ty.name());
        match (table.get(name).map(|def| &def.kind), value) {
            (_, ast::Value::List(items)) => items.iter().for_each(|item| self.written(ty, item)),
            (Some(Kind::Enum(_)), ast::Value::Enum(_)) => self.given(ty, &literals::plain(value)),
            (Some(Kind::Input(inputs)), ast::Value::Object(fields)) => {
                for field in fields {
                    if let Some(input) = inputs.get(&field.name) {
                        self.note(format!("{name}.{}", field.name), input.mark.as_ref());
                        self.written(&input.ty, &field.value);
                    }
                }
            }
            _ => {}
        }
    }

    fn given(&mut self, ty: &TypeRef, value: &Json) {
        let (table, name) = (self.table, ty.name());
        match (table.get(name).map(|def| &def.kind), value) {
            (_, Json::Array(items)) => items.iter().for_each(|item| self.given(ty, item)),
            (Some(Kind::Enum(values)), Json::String(value)) => {
                let mark = values.get(value.as_str()).and_then(|one| one.mark.as_ref());
                self.note(format!("{name}.{value}"), mark);
            }
            (Some(Kind::Input(inputs)), Json::Object(fields)) => {
                for (key, value) in fields {
                    if let Some(input) = inputs.get(key.as_str()) {
                        self.note(format!("{name}.{key}"), input.mark.as_ref());
                        self.given(&input.ty, value);
                    }
                }
            }
            _ => {}
        }
    }
}
