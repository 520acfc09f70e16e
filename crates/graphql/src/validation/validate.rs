//! Whether a document fits the interface. Every definition is visited once;
//! at most five errors are told, for at most the time allowed.

use super::ast::{Directive, Document, Field, Inline, Operation, Selection};
use super::error::{Pos, StaticError};
use super::fragments::Fragments;
use super::literals;
use super::usages::{self, Usage};
use super::{MAX_ERRORS, may_be_newer};
use kernel::graph::introspection::directives;
use kernel::graph::table::{Input, Kind, Table};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most directives of one selection.
const MAX_DIRECTIVES: usize = 10;
/// Steps between two looks at the clock.
const STEPS: u32 = 128;

/// Validation ends early: there are enough errors, or no time is left.
pub(super) struct Stop;
pub(super) type Visit = Result<(), Stop>;

pub fn document(
    table: &Table, document: &Document, fragments: &Fragments<'_>, time: Duration,
) -> Result<(), Vec<StaticError>> {
    let mut validator = Validator {
        table,
        fragments,
        errors: Vec::new(),
        path: Vec::new(),
        usages: Vec::new(),
        deadline: Instant::now() + time,
        steps: 0,
    };
    let _ = validator.document(document);
    if validator.errors.is_empty() {
        Ok(())
    } else {
        Err(validator.errors)
    }
}

pub(super) struct Validator<'d, 't> {
    pub table: &'t Table,
    pub fragments: &'t Fragments<'d>,
    pub errors: Vec<StaticError>,
    pub path: Vec<String>,
    pub usages: Vec<Usage<'d>>,
    deadline: Instant,
    steps: u32,
}

impl<'d> Validator<'d, '_> {
    fn document(&mut self, document: &'d Document) -> Visit {
        self.names(document)?;
        let mut of_operations = Vec::new();
        for operation in &document.operations {
            self.operation(operation)?;
            of_operations.push(std::mem::take(&mut self.usages));
        }
        let mut of_fragments: HashMap<Arc<str>, Vec<Usage<'d>>> = HashMap::new();
        for fragment in &document.fragments {
            self.path = vec![format!("fragment {}", fragment.name)];
            self.directives(&fragment.directives, "FRAGMENT_DEFINITION")?;
            if self.condition(&fragment.on, fragment.pos)? {
                self.selections(&fragment.selections, &fragment.on)?;
            }
            let usages = std::mem::take(&mut self.usages);
            of_fragments.entry(fragment.name.clone()).or_insert(usages);
        }
        self.path.clear();
        usages::check(self, document, &of_operations, &of_fragments)
    }

    /// Adds an error, with the path to where validation stands.
    pub fn refuse(&mut self, mut error: StaticError) -> Visit {
        error.path.get_or_insert_with(|| self.path.clone());
        self.errors.push(error);
        if self.errors.len() < MAX_ERRORS {
            Ok(())
        } else {
            Err(Stop)
        }
    }

    /// Counts work and now and then looks at the clock.
    pub fn step(&mut self) -> Visit {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS) && Instant::now() >= self.deadline {
            let text = "Timeout on validation of query";
            let mut error = StaticError::new("validationTimeout", text);
            error.path = Some(Vec::new());
            self.errors = vec![error];
            return Err(Stop);
        }
        Ok(())
    }

    fn names(&mut self, document: &'d Document) -> Visit {
        let mut operations: HashMap<Option<&Arc<str>>, Vec<Pos>> = HashMap::new();
        for operation in &document.operations {
            let of = operations.entry(operation.name.as_ref()).or_default();
            of.push(operation.pos);
        }
        for operation in &document.operations {
            let Some(places) = operations.remove(&operation.name.as_ref()) else {
                continue;
            };
            let code = "uniquelyNamedOperations";
            let error = match &operation.name {
                None if document.operations.len() > 1 => StaticError::new(
                    code,
                    "Operation name is required when multiple operations are present",
                ),
                Some(name) if places.len() > 1 => {
                    let text = format!("Operation name \"{name}\" must be unique");
                    StaticError::new(code, text).with("operationName", &**name)
                }
                _ => continue,
            };
            self.refuse(places.into_iter().fold(error, StaticError::at))?;
        }
        let mut seen = HashSet::new();
        for fragment in &document.fragments {
            if !seen.insert(&fragment.name) {
                let text = format!("Fragment name \"{}\" must be unique", fragment.name);
                let error = StaticError::new("fragmentNotUnique", text).at(fragment.pos);
                self.refuse(error.with("fragmentName", &*fragment.name))?;
            }
        }
        Ok(())
    }

    fn operation(&mut self, operation: &'d Operation) -> Visit {
        let word = operation.kind.word();
        self.path = vec![match &operation.name {
            Some(name) => format!("{word} {name}"),
            None => word.to_owned(),
        }];
        let root = operation.kind.root();
        if self.table.get(root).is_none() {
            let code = format!("missing{root}Configuration");
            let text = format!("Schema is not configured for {word}s");
            return self.refuse(StaticError::new(&code, text).at(operation.pos));
        }
        let mut seen = HashSet::new();
        for variable in &operation.variables {
            self.step()?;
            if !seen.insert(&variable.name) {
                let text = format!("There can only be one variable named \"{}\"", variable.name);
                let error = StaticError::new("variableNotUnique", text).at(variable.pos);
                self.refuse(error.with("variableName", &*variable.name))?;
            }
            self.variable(variable)?;
            self.directives(&variable.directives, "VARIABLE_DEFINITION")?;
        }
        self.directives(&operation.directives, &word.to_uppercase())?;
        if operation.selections.is_empty() {
            let title = operation.title();
            let text = format!(
                "Field must have selections ({title} returns {root} but has no selections. \
                 Did you mean '{} {{ ... }}'?)",
                operation.name.as_deref().unwrap_or_default()
            );
            let error = StaticError::new("selectionMismatch", text).at(operation.pos);
            return self.refuse(error.with("nodeName", title).with("typeName", root));
        }
        self.selections(&operation.selections, root)
    }

    fn variable(&mut self, variable: &super::ast::Variable) -> Visit {
        let (name, ty) = (&variable.name, variable.ty.name());
        if !self.table.is_input(ty) {
            let defined = self.table.get(ty).map_or("defined", |_| "valid");
            let text = format!("{ty} isn't a {defined} input type (on ${name})");
            let error = StaticError::new("variableRequiresValidType", text).at(variable.pos);
            return self.refuse(error.with("typeName", &**ty).with("variableName", &**name));
        }
        let Some(default) = &variable.default else {
            return Ok(());
        };
        let Err(misfit) = literals::fits_whole(self.table, &variable.ty, default) else {
            return Ok(());
        };
        let ty = variable.ty.to_string();
        let text = format!("Default value for ${name} doesn't match type {ty}");
        let error = StaticError::new("defaultValueInvalidType", misfit.unwrap_or(text));
        let error = error.at(variable.pos).with("variableName", &**name);
        self.refuse(error.with("typeName", ty))
    }

    fn selections(&mut self, all: &'d [Selection], parent: &str) -> Visit {
        for selection in all {
            self.step()?;
            match selection {
                Selection::Field(field) => {
                    self.path.push(field.key().to_string());
                    self.field(field, parent)?;
                }
                Selection::Inline(inline) => {
                    self.path.push(match &inline.on {
                        Some(on) => format!("... on {on}"),
                        None => "...".to_owned(),
                    });
                    self.inline(inline, parent)?;
                }
                Selection::Spread(spread) => {
                    self.path.push(format!("... {}", spread.name));
                    self.directives(&spread.directives, "FRAGMENT_SPREAD")?;
                    if let Some(fragment) = self.fragments.get(&spread.name) {
                        let title = format!(" {}", spread.name);
                        self.spreadable(&title, &fragment.on, parent, spread.pos)?;
                    }
                }
            }
            self.path.pop();
        }
        Ok(())
    }

    fn inline(&mut self, inline: &'d Inline, parent: &str) -> Visit {
        self.directives(&inline.directives, "INLINE_FRAGMENT")?;
        let Some(on) = &inline.on else {
            return self.selections(&inline.selections, parent);
        };
        let unknown = self.table.get(on).is_none();
        if unknown && may_be_newer(&inline.directives) {
            return Ok(());
        }
        if !self.condition(on, inline.pos)? {
            return Ok(());
        }
        self.spreadable("", on, parent, inline.pos)?;
        self.selections(&inline.selections, on)
    }

    /// Whether a fragment may apply to this type at all.
    fn condition(&mut self, on: &str, pos: Pos) -> Result<bool, Stop> {
        let error = match self.table.get(on).map(|def| &def.kind) {
            Some(Kind::Object(_) | Kind::Interface(_) | Kind::Union(_)) => return Ok(true),
            None => {
                let text = format!("No such type {on}, so it can't be a fragment condition");
                StaticError::new("undefinedType", text)
            }
            Some(_) => {
                let text =
                    format!("Invalid fragment on type {on} (must be Union, Interface or Object)");
                StaticError::new("fragmentOnNonCompositeType", text)
            }
        };
        self.refuse(error.at(pos).with("typeName", on))?;
        Ok(false)
    }

    /// Whether a fragment on one type may stand within another.
    fn spreadable(&mut self, title: &str, on: &str, parent: &str, pos: Pos) -> Visit {
        let known = self.table.fields(on).is_some() || !self.table.possible(on).is_empty();
        let possible = self.table.possible(parent);
        if on == parent || !known || possible.iter().any(|one| self.table.is_a(one, on)) {
            return Ok(());
        }
        let text = format!("Fragment{title} on {on} can't be spread inside {parent}");
        let name = if title.is_empty() { "unknown" } else { title.trim() };
        let error = StaticError::new("cannotSpreadFragment", text).at(pos);
        let error = error.with("typeName", on).with("fragmentName", name);
        self.refuse(error.with("parentName", parent))
    }

    fn field(&mut self, field: &'d Field, parent: &str) -> Visit {
        self.directives(&field.directives, "FIELD")?;
        let name = &field.name;
        let Some(def) = self.table.field(parent, name) else {
            if may_be_newer(&field.directives) {
                return Ok(());
            }
            let text = format!("Field '{name}' doesn't exist on type '{parent}'");
            let error = StaticError::new("undefinedField", text).at(field.pos);
            return self.refuse(error.with("typeName", parent).with("fieldName", &**name));
        };
        self.arguments("Field", name, &def.arguments, &field.arguments, field.pos)?;
        let ty = def.ty.name();
        let leaf = self.table.is_leaf(ty);
        if leaf == field.selections.is_empty() {
            return self.selections(&field.selections, ty);
        }
        let text = if leaf {
            let kind = match self.table.get(ty).map(|def| &def.kind) {
                Some(Kind::Enum(_)) => "enums",
                _ => "scalars",
            };
            let names: Vec<&str> = field.selections.iter().filter_map(selected).collect();
            format!(
                "Selections can't be made on {kind} (field '{name}' returns {ty} but has \
                 selections {names:?})"
            )
        } else {
            format!(
                "Field must have selections (field '{name}' returns {ty} but has no selections. \
                 Did you mean '{name} {{ ... }}'?)"
            )
        };
        let error = StaticError::new("selectionMismatch", text).at(field.pos);
        let error = error.with("nodeName", format!("field '{name}'"));
        self.refuse(error.with("typeName", &**ty))
    }

    fn directives(&mut self, all: &'d [Directive], place: &str) -> Visit {
        if all.len() > MAX_DIRECTIVES {
            let text = format!("More than {MAX_DIRECTIVES} directives at one place");
            return self.refuse(StaticError::new("tooManyDirectives", text).at(all[0].pos));
        }
        let mut seen = HashSet::new();
        for directive in all {
            self.step()?;
            let name = &directive.name;
            if !seen.insert(name) {
                let text =
                    format!("The directive \"{name}\" can only be used once at this location.");
                let error = StaticError::new("directiveNotUniqueForLocation", text);
                self.refuse(error.at(directive.pos).with("directiveName", &**name))?;
            }
            self.directive(directive, place)?;
        }
        Ok(())
    }

    fn directive(&mut self, directive: &'d Directive, place: &str) -> Visit {
        let (name, pos) = (&directive.name, directive.pos);
        let Some(def) = directives().iter().find(|def| def.name == &**name) else {
            let text = format!("Directive @{name} is not defined");
            let error = StaticError::new("undefinedDirective", text).at(pos);
            return self.refuse(error.with("directiveName", &**name));
        };
        if !def.locations.contains(&place) {
            let allowed: Vec<String> = def.locations.iter().map(|one| plural(one)).collect();
            let text = format!(
                "'@{name}' can't be applied to {} (allowed: {})",
                plural(place),
                allowed.join(", ")
            );
            let error = StaticError::new("directiveCannotBeApplied", text).at(pos);
            let error = error.with("targetName", plural(place));
            return self.refuse(error.with("name", &**name));
        }
        let inputs = def.arguments.iter();
        let inputs: BTreeMap<Arc<str>, Input> =
            inputs.map(|one| (one.name.clone(), one.clone())).collect();
        self.arguments("Directive", name, &inputs, &directive.arguments, pos)
    }
}

fn selected(selection: &Selection) -> Option<&str> {
    match selection {
        Selection::Field(field) => Some(&field.name),
        Selection::Spread(spread) => Some(&spread.name),
        Selection::Inline(_) => None,
    }
}

/// `INLINE_FRAGMENT` as `inline fragments`.
fn plural(place: &str) -> String {
    let words = place.to_lowercase().replace('_', " ");
    match words.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{words}s"),
    }
}
