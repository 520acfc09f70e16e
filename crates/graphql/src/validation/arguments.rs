//! Arguments of fields and directives, and what is written in them.

use super::ast::{Argument, Value};
use super::error::{Pos, StaticError};
use super::literals;
use super::usages::Usage;
use super::validate::{Validator, Visit};
use kernel::graph::TypeRef;
use kernel::graph::table::{Input, Kind};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

impl<'d> Validator<'d, '_> {
    /// Arguments of a field or directive, or the fields of an input object.
    pub(super) fn arguments(
        &mut self, word: &str, owner: &str, inputs: &BTreeMap<Arc<str>, Input>,
        given: &'d [Argument], pos: Pos,
    ) -> Visit {
        let mut seen = HashSet::new();
        for argument in given {
            self.step()?;
            let name = &argument.name;
            self.path.push(name.to_string());
            if !seen.insert(name) {
                self.not_unique(word, argument)?;
            } else if let Some(input) = inputs.get(name) {
                self.argument(word, owner, input, argument)?;
            } else {
                let text = format!("{word} '{owner}' doesn't accept argument '{name}'");
                let error = StaticError::new("argumentNotAccepted", text).at(argument.pos);
                let error = error.with("name", owner).with("typeName", word);
                self.refuse(error.with("argumentName", &**name))?;
            }
            self.path.pop();
        }
        let missing = inputs.values().filter(|input| input.is_required());
        let missing: Vec<&Input> = missing.filter(|input| !seen.contains(&input.name)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        if word == "InputObject" {
            return missing.iter().try_for_each(|input| self.attribute(owner, input, pos));
        }
        let names: Vec<&str> = missing.iter().map(|input| &*input.name).collect();
        let names = names.join(", ");
        let text = format!("{word} '{owner}' is missing required arguments: {names}");
        let error = StaticError::new("missingRequiredArguments", text).at(pos);
        let error = error.with("className", word).with("name", owner);
        self.refuse(error.with("arguments", names))
    }

    fn attribute(&mut self, owner: &str, input: &Input, pos: Pos) -> Visit {
        let (name, ty) = (&input.name, input.ty.to_string());
        let text =
            format!("Argument '{name}' on InputObject '{owner}' is required. Expected type {ty}");
        let error = StaticError::new("missingRequiredInputObjectAttribute", text).at(pos);
        let error = error.with("argumentName", &**name).with("argumentType", ty);
        self.refuse(error.with("inputObjectType", owner))
    }

    fn argument(
        &mut self, word: &str, owner: &str, input: &Input, argument: &'d Argument,
    ) -> Visit {
        if let Err(misfit) = literals::fits(self.table, &input.ty, &argument.value) {
            let (name, value, ty) = (&argument.name, &argument.value, &input.ty);
            let kind = if misfit.is_some() { "CoercionError" } else { word };
            let text = misfit.unwrap_or_else(|| {
                format!(
                    "Argument '{name}' on {word} '{owner}' has an invalid value ({value}). \
                     Expected type '{ty}'."
                )
            });
            let error = StaticError::new("argumentLiteralsIncompatible", text).at(argument.pos);
            return self.refuse(error.with("typeName", kind).with("argumentName", &**name));
        }
        self.within(&input.ty, &argument.value, input.default.is_some(), argument)
    }

    /// Variables and input objects inside a value that otherwise fits.
    fn within(
        &mut self, ty: &TypeRef, value: &'d Value, defaulted: bool, argument: &'d Argument,
    ) -> Visit {
        self.step()?;
        match (ty.nullable(), value) {
            (_, Value::Variable(name)) => {
                self.usages.push(Usage {
                    name,
                    argument,
                    ty: Some(ty.clone()),
                    defaulted,
                    path: self.path.clone(),
                });
                Ok(())
            }
            (TypeRef::List(inner), Value::List(items)) => {
                items.iter().try_for_each(|item| self.within(inner, item, false, argument))
            }
            (TypeRef::List(inner), single) => self.within(inner, single, false, argument),
            (TypeRef::Named(name), Value::Object(fields)) => {
                let table = self.table;
                match table.get(name).map(|def| &def.kind) {
                    Some(Kind::Input(inputs)) => {
                        self.arguments("InputObject", name, inputs, fields, argument.pos)
                    }
                    _ => self.free_object(fields),
                }
            }
            (_, Value::List(_)) => self.free(value, argument),
            _ => Ok(()),
        }
    }

    /// Variables inside a free JSON value, which may be of any type.
    fn free(&mut self, value: &'d Value, argument: &'d Argument) -> Visit {
        self.step()?;
        match value {
            Value::Variable(name) => {
                self.usages.push(Usage {
                    name,
                    argument,
                    ty: None,
                    defaulted: false,
                    path: self.path.clone(),
                });
                Ok(())
            }
            Value::List(items) => items.iter().try_for_each(|one| self.free(one, argument)),
            Value::Object(fields) => self.free_object(fields),
            _ => Ok(()),
        }
    }

    fn free_object(&mut self, fields: &'d [Argument]) -> Visit {
        let mut seen = HashSet::new();
        fields.iter().try_for_each(|one| {
            if !seen.insert(&one.name) {
                self.not_unique("InputObject", one)?;
            }
            self.free(&one.value, one)
        })
    }

    /// An argument, or a field of an input object, that stands there twice.
    fn not_unique(&mut self, word: &str, argument: &Argument) -> Visit {
        let (code, thing) = match word {
            "InputObject" => ("inputFieldNotUnique", "input field"),
            _ => ("argumentNotUnique", "argument"),
        };
        let name = &argument.name;
        let text = format!("There can be only one {thing} named \"{name}\"");
        let error = StaticError::new(code, text).at(argument.pos);
        self.refuse(error.with("name", &**name))
    }
}
