//! Depth, recursion, call counts and complexity of an operation
//! (docs/interface/graphql.md 4 and «Complexity, exactly»).

use super::ast::{Field, Operation, Selection};
use super::error::StaticError;
use super::fragments::Fragments;
use super::{is_taken, literals};
use kernel::graph::table::{self, Cost, Table};
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Steps after which an operation counts as too complex.
const MAX_STEPS: u32 = 50_000;
/// The complexity of an operation that takes too many steps to score.
const BEYOND: u64 = 1_000_000;
/// How often a field with selections may stand on one branch.
const MAX_RECURSION: u32 = 2;
/// Fields that every list and type has, so that they do not count.
const STRUCTURE: &[&str] = &["node", "edges", "nodes", "ofType"];

/// What an operation costs and uses.
#[derive(Debug, Default)]
pub struct Report {
    pub complexity: u64,
    pub depth: u64,
    /// Fields repeated too often on one branch.
    recursion: Option<String>,
    /// Fields that stand more often than they may, and how often they may.
    overused: BTreeMap<String, u32>,
    /// `Type.field` of everything selected.
    pub used_fields: BTreeSet<String>,
    pub deprecated_fields: BTreeSet<String>,
    /// `Type.field(argument)` of deprecated arguments.
    pub deprecated_arguments: BTreeSet<String>,
}

impl Report {
    /// Every limit that is passed.
    pub fn check(&self, complexity: u64, depth: u64) -> Result<(), Vec<StaticError>> {
        let mut errors = Vec::new();
        if self.complexity > complexity {
            errors.push(too_complex(self.complexity, complexity));
        }
        if self.depth > depth {
            let text =
                format!("Query has depth of {}, which exceeds max depth of {depth}", self.depth);
            errors.push(StaticError::new("queryTooDeep", text));
        }
        if let Some(fields) = &self.recursion {
            let text = format!(
                "Recursive query - too many of fields '{fields}' detected in single branch of \
                 the query"
            );
            errors.push(StaticError::new("recursiveQuery", text));
        }
        for (field, times) in &self.overused {
            let text =
                format!("\"{field}\" field can be requested only for {times} Query(s) at a time.");
            errors.push(StaticError::new("fieldCalledTooOften", text));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// The error of a score over its limit.
pub fn too_complex(score: u64, limit: u64) -> StaticError {
    let text = format!("Query has complexity of {score}, which exceeds max complexity of {limit}");
    StaticError::new("queryTooComplex", text)
        .with("score", score)
        .with("limit", limit)
}

/// Walks an operation that is valid and of bounded size.
pub fn analyse(
    table: &Table, operation: &Operation, fragments: &Fragments<'_>, variables: &Map<String, Json>,
) -> Result<Report, StaticError> {
    let root: Arc<str> = operation.kind.root().into();
    let mut walk = Walk {
        table,
        fragments,
        variables,
        report: Report::default(),
        branch: BTreeMap::new(),
        calls: HashMap::new(),
    };
    walk.selections(&operation.selections, &root, 0);
    let mut report = walk.report;
    let mut score = Score::new(table, fragments, variables);
    let sum = score.sets(&[&operation.selections], &root);
    report.complexity = if score.steps > MAX_STEPS { BEYOND } else { sum };
    Ok(report)
}

/// One field of an operation with its share of the score.
#[derive(Debug, PartialEq)]
pub struct Part {
    /// Response keys from the root.
    pub path: Vec<Arc<str>>,
    /// `Type.field`.
    pub member: String,
    /// What it costs with everything below it.
    pub cost: u64,
}

/// Every field of an operation that [`analyse`] has scored, parents first.
/// Where a value may be of several types, the one that costs most is listed:
/// it is the one that counts.
pub fn parts(
    table: &Table, operation: &Operation, fragments: &Fragments<'_>, variables: &Map<String, Json>,
) -> Vec<Part> {
    let root: Arc<str> = operation.kind.root().into();
    let mut parts = Vec::new();
    let mut score = Score::new(table, fragments, variables);
    score.list(&[&operation.selections], &root, &[], &mut parts);
    parts
}

struct Walk<'d, 't> {
    table: &'t Table,
    fragments: &'t Fragments<'d>,
    variables: &'t Map<String, Json>,
    report: Report,
    branch: BTreeMap<&'d str, u32>,
    calls: HashMap<String, u32>,
}

impl<'d> Walk<'d, '_> {
    fn selections(&mut self, all: &'d [Selection], parent: &Arc<str>, depth: u64) {
        for selection in all {
            match selection {
                Selection::Field(field) if is_taken(&field.directives, self.variables) => {
                    self.field(field, parent, depth + 1);
                }
                Selection::Inline(inline) if is_taken(&inline.directives, self.variables) => {
                    let on = inline.on.as_ref().unwrap_or(parent);
                    self.selections(&inline.selections, on, depth);
                }
                Selection::Spread(spread) if is_taken(&spread.directives, self.variables) => {
                    if let Some(fragment) = self.fragments.get(&spread.name) {
                        self.selections(&fragment.selections, &fragment.on, depth);
                    }
                }
                _ => {}
            }
        }
    }

    fn field(&mut self, field: &'d Field, parent: &Arc<str>, depth: u64) {
        let Some(def) = self.table.field(parent, &field.name) else {
            return;
        };
        self.report.depth = self.report.depth.max(depth);
        self.note(field, def, parent);
        if field.selections.is_empty() {
            return;
        }
        let counts = !STRUCTURE.contains(&&*field.name);
        if counts {
            let times = self.branch.entry(&field.name).or_default();
            *times += 1;
            if *times > MAX_RECURSION && self.report.recursion.is_none() {
                let over = self.branch.iter().filter(|(_, times)| **times > MAX_RECURSION);
                let over: Vec<String> =
                    over.map(|(name, times)| format!("{name:?}=>{times}")).collect();
                self.report.recursion = Some(format!("{{{}}}", over.join(", ")));
            }
        }
        self.selections(&field.selections, def.ty.name(), depth);
        if counts && let Some(times) = self.branch.get_mut(&*field.name) {
            *times -= 1;
        }
    }

    fn note(&mut self, field: &Field, def: &table::Field, parent: &str) {
        let name = format!("{parent}.{}", field.name);
        if let Some(most) = def.at_most {
            let calls = self.calls.entry(name.clone()).or_default();
            *calls += 1;
            if *calls > most {
                self.report.overused.insert(field.name.to_string(), most);
            }
        }
        if def.mark.is_some() {
            self.report.deprecated_fields.insert(name.clone());
        }
        for argument in &field.arguments {
            let input = def.arguments.get(&argument.name);
            if input.is_some_and(|input| input.mark.is_some()) {
                let text = format!("{name}({})", argument.name);
                self.report.deprecated_arguments.insert(text);
            }
        }
        self.report.used_fields.insert(name);
    }
}

/// Selections that merge, by address, on a type.
type Known = (Vec<*const Selection>, Arc<str>);

struct Score<'d, 't> {
    table: &'t Table,
    fragments: &'t Fragments<'d>,
    variables: &'t Map<String, Json>,
    steps: u32,
    known: HashMap<Known, Dearest>,
}

/// The largest sum, and the object type that has it.
type Dearest = (u64, Option<Arc<str>>);

impl<'d, 't> Score<'d, 't> {
    fn new(
        table: &'t Table, fragments: &'t Fragments<'d>, variables: &'t Map<String, Json>,
    ) -> Score<'d, 't> {
        Score { table, fragments, variables, steps: 0, known: HashMap::new() }
    }

    /// The sum over merged fields; for abstract types the largest sum of the
    /// types a value may have.
    fn sets(&mut self, sets: &[&'d [Selection]], parent: &Arc<str>) -> u64 {
        self.dearest(sets, parent).0
    }

    fn dearest(&mut self, sets: &[&'d [Selection]], parent: &Arc<str>) -> Dearest {
        let key = (sets.iter().map(|set| set.as_ptr()).collect(), parent.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut conditions = BTreeSet::new();
        for set in sets {
            self.conditions(set, &mut conditions);
        }
        // Types that satisfy the same conditions score the same.
        let mut seen: BTreeSet<Vec<bool>> = BTreeSet::new();
        let mut most: Dearest = (0, None);
        for object in self.table.possible(parent) {
            let matches = conditions.iter().map(|on| self.table.is_a(&object, on));
            if !seen.insert(matches.collect()) || self.steps > MAX_STEPS {
                continue;
            }
            let merged = self.merged(sets, &object);
            let sum = merged.iter().map(|fields| self.field(fields, &object)).sum();
            if most.1.is_none() || sum > most.0 {
                most = (sum, Some(object));
            }
        }
        self.known.insert(key, most.clone());
        most
    }

    /// The fields of each response key, in the order of the document.
    fn merged(&mut self, sets: &[&'d [Selection]], object: &str) -> Vec<Vec<&'d Field>> {
        let mut order = Vec::new();
        let mut places = HashMap::new();
        for set in sets {
            self.collect(set, object, &mut order, &mut places);
        }
        order
    }

    fn list(
        &mut self, sets: &[&'d [Selection]], parent: &Arc<str>, path: &[Arc<str>],
        into: &mut Vec<Part>,
    ) {
        let Some(object) = self.dearest(sets, parent).1 else {
            return;
        };
        let table = self.table;
        for fields in self.merged(sets, &object) {
            let Some(def) = table.field(&object, &fields[0].name) else {
                continue;
            };
            let mut path = path.to_vec();
            path.push(fields[0].key().clone());
            into.push(Part {
                path: path.clone(),
                member: format!("{object}.{}", fields[0].name),
                cost: self.field(&fields, &object),
            });
            self.list(&below(&fields), def.ty.name(), &path, into);
        }
    }

    fn conditions(&mut self, set: &'d [Selection], into: &mut BTreeSet<Arc<str>>) {
        for selection in set {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return;
            }
            match selection {
                Selection::Field(_) => {}
                Selection::Inline(inline) => {
                    into.extend(inline.on.clone());
                    self.conditions(&inline.selections, into);
                }
                Selection::Spread(spread) => {
                    if let Some(fragment) = self.fragments.get(&spread.name) {
                        into.insert(fragment.on.clone());
                        self.conditions(&fragment.selections, into);
                    }
                }
            }
        }
    }

    fn collect(
        &mut self, set: &'d [Selection], object: &str, order: &mut Vec<Vec<&'d Field>>,
        places: &mut HashMap<Arc<str>, usize>,
    ) {
        for selection in set {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return;
            }
            match selection {
                Selection::Field(field) if is_taken(&field.directives, self.variables) => {
                    let place = *places.entry(field.key().clone()).or_insert_with(|| {
                        order.push(Vec::new());
                        order.len() - 1
                    });
                    let merged = &mut order[place];
                    let known = merged.last().is_some_and(|last| std::ptr::eq(*last, field));
                    if !known {
                        merged.push(field);
                    }
                }
                Selection::Inline(inline) if is_taken(&inline.directives, self.variables) => {
                    let on = inline.on.as_ref();
                    if on.is_none_or(|on| self.table.is_a(object, on)) {
                        self.collect(&inline.selections, object, order, places);
                    }
                }
                Selection::Spread(spread) if is_taken(&spread.directives, self.variables) => {
                    let fragment = self.fragments.get(&spread.name);
                    if let Some(fragment) = fragment.filter(|one| self.table.is_a(object, &one.on))
                    {
                        self.collect(&fragment.selections, object, order, places);
                    }
                }
                _ => {}
            }
        }
    }

    fn field(&mut self, merged: &[&'d Field], object: &str) -> u64 {
        let field = merged[0];
        let Some(def) = self.table.field(object, &field.name) else {
            return 0;
        };
        let sets = below(merged);
        let children = if sets.is_empty() {
            0
        } else {
            self.sets(&sets, def.ty.name())
        };
        let git = u64::from(def.git);
        match def.cost {
            Cost::Constant(cost) => u64::from(cost) + children,
            Cost::Plain => 1 + children + git,
            Cost::LookedUp => self.looked_up(field, def, children + 1 + git),
        }
    }

    fn looked_up(&self, field: &Field, def: &table::Field, base: u64) -> u64 {
        let args =
            literals::arguments(self.table, &def.arguments, &field.arguments, self.variables);
        let given = |name: &str| args.get(name).is_some_and(|value| !value.is_null());
        let base = base + u64::from(given("sort")) + 5 * u64::from(given("search"));
        let Some(page) = def.page else {
            return base;
        };
        if given("iid") || given("iids") {
            return base;
        }
        let rows = ["first", "last"].iter().filter_map(|name| args.get(*name)?.as_i64());
        let rows = rows.map(|rows| rows.max(0) as u64);
        let rows = rows.fold(u64::from(page), u64::min);
        base + base * rows / 100
    }
}

/// What merged fields select.
fn below<'d>(merged: &[&'d Field]) -> Vec<&'d [Selection]> {
    let sets = merged.iter().map(|one| one.selections.as_slice());
    sets.filter(|set| !set.is_empty()).collect()
}
