//! Variables and fragments: declared where used, used where declared.

use super::ast::{Argument, Document, Operation, Variable};
use super::error::StaticError;
use super::fragments::{self, Fragments};
use super::validate::{Stop, Validator};
use kernel::graph::TypeRef;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub struct Usage<'d> {
    pub name: &'d Arc<str>,
    /// The argument it stands in.
    pub argument: &'d Argument,
    /// The type of its place; none where anything goes.
    pub ty: Option<TypeRef>,
    /// Its place has a default.
    pub defaulted: bool,
    pub path: Vec<String>,
}

type Usages<'d> = HashMap<Arc<str>, Vec<Usage<'d>>>;

/// Checks every operation with the fragments it reaches, then the fragments.
pub fn check<'d>(
    validator: &mut Validator<'d, '_>, document: &'d Document, of_operations: &[Vec<Usage<'d>>],
    of_fragments: &Usages<'d>,
) -> Result<(), Stop> {
    let mut reached = HashSet::new();
    for (operation, own) in document.operations.iter().zip(of_operations) {
        let names = reachable(validator, operation)?;
        check_operation(validator, operation, own, &names, of_fragments)?;
        reached.extend(names);
    }
    for fragment in &document.fragments {
        if !reached.contains(&fragment.name) {
            let name = &fragment.name;
            let text = format!("Fragment {name} was defined, but not used");
            let mut error = StaticError::new("useAndDefineFragment", text).at(fragment.pos);
            error.path = Some(vec![format!("fragment {name}")]);
            validator.refuse(error.with("fragmentName", &**name))?;
        }
    }
    undefined(validator, document)
}

/// Spreads of fragments that are nowhere.
fn undefined<'d>(validator: &mut Validator<'d, '_>, document: &'d Document) -> Result<(), Stop> {
    let operations = document.operations.iter();
    let operations = operations.map(|one| (title_path(one), &one.selections));
    let fragments = document.fragments.iter();
    let fragments = fragments.map(|one| (format!("fragment {}", one.name), &one.selections));
    for (title, selections) in operations.chain(fragments) {
        for spread in fragments::spreads(selections) {
            validator.step()?;
            if validator.fragments.get(&spread.name).is_none() {
                let name = &spread.name;
                let text = format!("Fragment {name} was used, but not defined");
                let mut error = StaticError::new("useAndDefineFragment", text).at(spread.pos);
                error.path = Some(vec![title.clone(), format!("... {name}")]);
                validator.refuse(error.with("fragmentName", &**name))?;
            }
        }
    }
    Ok(())
}

fn title_path(operation: &Operation) -> String {
    match &operation.name {
        Some(name) => format!("{} {name}", operation.kind.word()),
        None => operation.kind.word().to_owned(),
    }
}

/// Names of all fragments that an operation reaches.
fn reachable<'d>(
    validator: &mut Validator<'d, '_>, operation: &'d Operation,
) -> Result<Vec<Arc<str>>, Stop> {
    let fragments: &Fragments<'d> = validator.fragments;
    let mut seen = HashSet::new();
    let mut order = Vec::new();
    let mut open = fragments::spreads(&operation.selections);
    while let Some(spread) = open.pop() {
        validator.step()?;
        if !seen.insert(&spread.name) {
            continue;
        }
        if let Some(fragment) = fragments.get(&spread.name) {
            order.push(spread.name.clone());
            open.extend(fragments::spreads(&fragment.selections));
        }
    }
    Ok(order)
}

fn check_operation<'d>(
    validator: &mut Validator<'d, '_>, operation: &'d Operation, own: &[Usage<'d>],
    reached: &[Arc<str>], of_fragments: &Usages<'d>,
) -> Result<(), Stop> {
    let declared = operation.variables.iter().map(|one| (&one.name, one));
    let declared: HashMap<&Arc<str>, &Variable> = declared.collect();
    let title = operation.title();
    let mut used = HashSet::new();
    let in_fragments = reached.iter().filter_map(|name| of_fragments.get(name));
    for usage in own.iter().chain(in_fragments.flatten()) {
        validator.step()?;
        let first = used.insert(usage.name);
        match declared.get(usage.name) {
            Some(variable) => fits(validator, variable, usage)?,
            None if first => {
                let name = usage.name;
                let text = format!("Variable ${name} is used by {title} but not declared");
                let error = StaticError::new("variableNotDefined", text);
                let mut error = error.at(usage.argument.pos).with("variableName", &**name);
                error.path = Some(usage.path.clone());
                validator.refuse(error)?;
            }
            None => {}
        }
    }
    for variable in &operation.variables {
        if !used.contains(&variable.name) {
            let name = &variable.name;
            let text = format!("Variable ${name} is declared by {title} but not used");
            let mut error = StaticError::new("variableNotUsed", text).at(operation.pos);
            error.path = Some(vec![title_path(operation)]);
            validator.refuse(error.with("variableName", &**name))?;
        }
    }
    Ok(())
}

fn fits<'d>(
    validator: &mut Validator<'d, '_>, variable: &'d Variable, usage: &Usage<'d>,
) -> Result<(), Stop> {
    let Some(place) = &usage.ty else {
        return Ok(());
    };
    let never_null = variable
        .default
        .as_ref()
        .is_some_and(|value| !matches!(value, super::ast::Value::Null));
    let given = if never_null {
        variable.ty.clone().required()
    } else {
        variable.ty.clone()
    };
    let wanted = if usage.defaulted { place.nullable() } else { place };
    let what = if given.name() != place.name() {
        "Type mismatch"
    } else if given.list_depth() != place.list_depth() {
        "List dimension mismatch"
    } else if !levels_fit(&given, wanted) {
        "Nullability mismatch"
    } else {
        return Ok(());
    };
    let (name, argument) = (&variable.name, &usage.argument.name);
    let text = format!("{what} on variable ${name} and argument {argument} ({given} / {place})");
    let error = StaticError::new("variableMismatch", text).at(usage.argument.pos);
    let error = error.with("variableName", &**name).with("typeName", given.to_string());
    let error = error.with("argumentName", &**argument);
    let mut error = error.with("errorMessage", what);
    error.path = Some(usage.path.clone());
    validator.refuse(error)
}

/// Whether a value of `given` is never null where `wanted` is not.
fn levels_fit(given: &TypeRef, wanted: &TypeRef) -> bool {
    match (given, wanted) {
        (TypeRef::NonNull(given), TypeRef::NonNull(wanted)) => levels_fit(given, wanted),
        (_, TypeRef::NonNull(_)) => false,
        (TypeRef::NonNull(given), wanted) => levels_fit(given, wanted),
        (TypeRef::List(given), TypeRef::List(wanted)) => levels_fit(given, wanted),
        _ => true,
    }
}
