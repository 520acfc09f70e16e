//! Whether selections with one response key can be one.
//!
//! Fields are grouped by key, level by level, and each is compared with one
//! representative of its group: sameness is transitive, so this is linear in
//! the expanded document. A budget of steps guards the rest.

use super::ast::{Field, Operation, Selection};
use super::error::StaticError;
use super::fragments::Fragments;
use kernel::graph::TypeRef;
use kernel::graph::table::{Kind, Table};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Most steps of the comparison.
const MAX_STEPS: u32 = 50_000;

/// Checks all operations, with one budget; the first conflict is told.
pub fn check(
    table: &Table, operations: &[Operation], fragments: &Fragments<'_>,
) -> Result<(), StaticError> {
    let mut merge = Merge { table, fragments, steps: 0 };
    for operation in operations {
        let root: Arc<str> = operation.kind.root().into();
        let set = [(operation.selections.as_slice(), root)];
        merge.shapes(&set)?;
        merge.fields(&set)?;
    }
    Ok(())
}

/// Selections with the type they are made on.
type Set<'d> = (&'d [Selection], Arc<str>);

#[derive(Clone)]
struct FieldInSet<'d> {
    field: &'d Field,
    parent: Arc<str>,
    ty: Option<TypeRef>,
}

struct Merge<'d, 't> {
    table: &'t Table,
    fragments: &'t Fragments<'d>,
    steps: u32,
}

type Groups<'d> = Vec<Vec<FieldInSet<'d>>>;

impl<'d> Merge<'d, '_> {
    /// One answer's value must have one shape, whatever the object's type.
    fn shapes(&mut self, sets: &[Set<'d>]) -> Result<(), StaticError> {
        for group in self.groups(sets)? {
            let first = &group[0];
            for other in &group[1..] {
                let (Some(one), Some(two)) = (&first.ty, &other.ty) else {
                    continue;
                };
                if !same_shape(self.table, one, two) {
                    let what = format!("`{one}` or `{two}`");
                    return Err(conflict("return_type", first.field, other.field, &what));
                }
            }
            let inner = below(&group);
            if !inner.is_empty() {
                self.shapes(&inner)?;
            }
        }
        Ok(())
    }

    /// On objects of one type, one key is one field with the same arguments.
    fn fields(&mut self, sets: &[Set<'d>]) -> Result<(), StaticError> {
        for group in self.groups(sets)? {
            for class in self.classes(group)? {
                let first = class[0].field;
                for other in &class[1..] {
                    self.step()?;
                    same_field(first, other.field)?;
                }
                let inner = below(&class);
                if !inner.is_empty() {
                    self.fields(&inner)?;
                }
            }
        }
        Ok(())
    }

    /// Fields that may apply to one object: those on each object type, each
    /// time with those on abstract types.
    fn classes(&mut self, group: Vec<FieldInSet<'d>>) -> Result<Groups<'d>, StaticError> {
        let is_object = |found: &FieldInSet<'d>| {
            let kind = self.table.get(&found.parent).map(|def| &def.kind);
            matches!(kind, Some(Kind::Object(_)))
        };
        let (objects, shared): (Vec<_>, Vec<_>) = group.into_iter().partition(is_object);
        let mut by_type: Vec<Vec<FieldInSet<'d>>> = Vec::new();
        let mut places: HashMap<Arc<str>, usize> = HashMap::new();
        for found in objects {
            let place = *places.entry(found.parent.clone()).or_insert_with(|| {
                by_type.push(shared.clone());
                by_type.len() - 1
            });
            self.step()?;
            by_type[place].push(found);
        }
        if by_type.is_empty() {
            by_type.push(shared);
        }
        for class in &by_type {
            self.steps += class.len() as u32;
        }
        Ok(by_type)
    }

    fn groups(&mut self, sets: &[Set<'d>]) -> Result<Groups<'d>, StaticError> {
        let mut groups: Groups<'d> = Vec::new();
        let mut places: HashMap<Arc<str>, usize> = HashMap::new();
        for (selections, parent) in sets {
            self.collect(selections, parent, &mut groups, &mut places)?;
        }
        Ok(groups)
    }

    fn collect(
        &mut self, selections: &'d [Selection], parent: &Arc<str>, groups: &mut Groups<'d>,
        places: &mut HashMap<Arc<str>, usize>,
    ) -> Result<(), StaticError> {
        for selection in selections {
            self.step()?;
            match selection {
                Selection::Field(field) => {
                    let place = *places.entry(field.key().clone()).or_insert_with(|| {
                        groups.push(Vec::new());
                        groups.len() - 1
                    });
                    let def = self.table.field(parent, &field.name);
                    groups[place].push(FieldInSet {
                        field,
                        parent: parent.clone(),
                        ty: def.map(|def| def.ty.clone()),
                    });
                }
                Selection::Inline(inline) => {
                    let on = inline.on.as_ref().unwrap_or(parent);
                    self.collect(&inline.selections, on, groups, places)?;
                }
                Selection::Spread(spread) => {
                    if let Some(fragment) = self.fragments.get(&spread.name) {
                        self.collect(&fragment.selections, &fragment.on, groups, places)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), StaticError> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            let text = "Query has too many overlapping fields to compare";
            return Err(StaticError::new("tooManyOverlaps", text));
        }
        Ok(())
    }
}

/// What a group selects below, each part with the type it is made on.
fn below<'d>(group: &[FieldInSet<'d>]) -> Vec<Set<'d>> {
    let mut seen: HashSet<(*const Field, &str)> = HashSet::new();
    let mut sets = Vec::new();
    for found in group {
        let Some(ty) = found.ty.as_ref().filter(|_| !found.field.selections.is_empty()) else {
            continue;
        };
        // A fragment spread twice brings the same selections twice.
        if seen.insert((found.field, ty.name())) {
            sets.push((found.field.selections.as_slice(), ty.name().clone()));
        }
    }
    sets
}

fn same_shape(table: &Table, one: &TypeRef, two: &TypeRef) -> bool {
    match (one, two) {
        (TypeRef::NonNull(one), TypeRef::NonNull(two)) => same_shape(table, one, two),
        (TypeRef::List(one), TypeRef::List(two)) => same_shape(table, one, two),
        (TypeRef::Named(one), TypeRef::Named(two)) => {
            one == two || (!table.is_leaf(one) && !table.is_leaf(two))
        }
        _ => false,
    }
}

fn same_field(one: &Field, two: &Field) -> Result<(), StaticError> {
    if std::ptr::eq(one, two) {
        return Ok(());
    }
    if one.name != two.name {
        let mut names = [&*one.name, &*two.name];
        names.sort_unstable();
        return Err(conflict("field", one, two, &names.join(" or ")));
    }
    let (first, second) = (arguments(one), arguments(two));
    if first != second {
        let what = format!("{first} or {second}");
        return Err(conflict("argument", one, two, &what));
    }
    Ok(())
}

/// Arguments by name, so that their order does not matter.
fn arguments(field: &Field) -> String {
    let mut all: Vec<String> = field
        .arguments
        .iter()
        .map(|one| format!("{}:{:?}", one.name, one.value.to_string()))
        .collect();
    all.sort_unstable();
    format!("{{{}}}", all.join(","))
}

fn conflict(kind: &str, one: &Field, two: &Field, what: &str) -> StaticError {
    let (key, an) = (one.key(), if kind == "argument" { "an" } else { "a" });
    let text = format!("Field '{key}' has {an} {kind} conflict: {what}?");
    let mut error = StaticError::new("fieldConflict", text)
        .at(one.pos)
        .at(two.pos)
        .with("fieldName", &**key)
        .with("conflicts", what);
    error.path = Some(Vec::new());
    error
}
