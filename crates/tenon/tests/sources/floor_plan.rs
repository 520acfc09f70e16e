//! Files stay short, and few read each other in a circle (CONTRIBUTING, «Where a line belongs»).

use crate::sources;
use std::collections::{BTreeMap, BTreeSet};

/// Lines of a file: more hold a second idea.
const MAX_LINES: usize = 500;
/// Files that may read each other in a circle, parents and children apart.
const MAX_CIRCLE: usize = 5;

/// A module by the names that lead to it.
type Module = Vec<String>;
/// The modules of a crate with what they say, without comments and tests.
type Modules = BTreeMap<Module, String>;

#[test]
fn no_file_is_too_long() {
    let long = |text: &str| text.lines().count() > MAX_LINES;
    let found: Vec<String> = sources()
        .into_iter()
        .filter_map(|(path, text)| long(&text).then_some(path))
        .collect();
    assert!(found.is_empty(), "more than {MAX_LINES} lines: {found:?}");
}

/// A file that no other declares is compiled by nobody: what it says may be wrong for long.
#[test]
fn every_file_is_a_module() {
    let sources = sources();
    let lost: Vec<&String> = sources.keys().filter(|path| !is_declared(path, &sources)).collect();
    assert!(lost.is_empty(), "no file says `mod` of {lost:?}");
}

/// Whether a file is the root of something, or another one names it.
fn is_declared(path: &str, sources: &BTreeMap<String, String>) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or_default();
    let is_target = ["/tests", "/examples", "/fuzz_targets"]
        .iter()
        .any(|target| folder.ends_with(target));
    if is_target || matches!(name, "lib" | "main" | "build") {
        return true;
    }
    let above = [folder.to_owned(), format!("{folder}/lib"), format!("{folder}/main")];
    let (by_name, by_path) = (format!("mod {name};"), format!("#[path = \"{name}.rs\"]"));
    let beside = |file: &&String| file.rsplit_once('/').is_some_and(|(other, _)| other == folder);
    above
        .iter()
        .filter_map(|file| sources.get(file))
        .any(|text| text.contains(&by_name))
        || sources.keys().filter(beside).any(|file| sources[file].contains(&by_path))
}

#[test]
fn no_circle_of_files_is_large() {
    for (name, modules) in crates() {
        let reads = arrows(&modules);
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            modules.keys().map(|from| (from, reach(from, &reads))).collect();
        for (from, to) in &reached {
            let back = |other: &&&Module| reached[**other].contains(from);
            let circle: Vec<String> = to.iter().filter(back).map(|it| it.join("::")).collect();
            let size = circle.len();
            assert!(size <= MAX_CIRCLE, "{name}: {size} files in a circle: {circle:?}");
        }
    }
}

/// The modules of each crate.
fn crates() -> BTreeMap<String, Modules> {
    let mut crates: BTreeMap<String, Modules> = BTreeMap::new();
    for (path, text) in sources() {
        let Some((name, file)) = path.split_once("/src/") else {
            continue;
        };
        let modules = crates.entry(name.to_owned()).or_default();
        let mut module: Module = file.split('/').map(str::to_owned).collect();
        if matches!(file, "lib" | "main") {
            module.clear();
        }
        modules.insert(module, code(&text));
    }
    crates
}

/// A text without comments, and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines();
    let uncommented = lines.filter(|line| !line.trim_start().starts_with("//"));
    uncommented.collect::<Vec<_>>().join("\n")
}

/// Which modules each names, but for its parents and children.
fn arrows(modules: &Modules) -> BTreeMap<&Module, BTreeSet<&Module>> {
    let handed_on = handed_on(modules);
    let mut arrows: BTreeMap<&Module, BTreeSet<&Module>> = BTreeMap::new();
    for (from, text) in modules {
        for path in used(text).chain(spelt_out(text)) {
            let absolute = absolute(from, &path, modules);
            let Some(to) = absolute.and_then(|path| place(path, modules, &handed_on)) else {
                continue;
            };
            if !to.starts_with(from) && !from.starts_with(to) {
                arrows.entry(from).or_default().insert(to);
            }
        }
    }
    arrows
}

/// All that can be reached from a module; itself by a circle only.
fn reach<'m>(
    from: &Module, arrows: &BTreeMap<&'m Module, BTreeSet<&'m Module>>,
) -> BTreeSet<&'m Module> {
    let (mut reached, mut ahead) = (BTreeSet::new(), vec![from]);
    while let Some(module) = ahead.pop() {
        for next in arrows.get(module).into_iter().flatten() {
            if reached.insert(*next) {
                ahead.push(next);
            }
        }
    }
    reached
}

/// What modules hand on under names of their own, by `pub use`.
fn handed_on(modules: &Modules) -> BTreeMap<Module, Module> {
    let mut names = BTreeMap::new();
    for (module, text) in modules {
        for statement in statements(text).filter(|(is_public, _)| *is_public) {
            for path in leaves(&statement.1) {
                if let Some(to) = absolute(module, &path, modules) {
                    let mut name = module.clone();
                    name.extend(to.last().cloned());
                    if name != to {
                        names.insert(name, to);
                    }
                }
            }
        }
    }
    names
}

/// The module that a path from the root of the crate leads to.
fn place<'m>(
    mut path: Module, modules: &'m Modules, handed_on: &BTreeMap<Module, Module>,
) -> Option<&'m Module> {
    for _ in 0..5 {
        let known = (0..=path.len()).rev();
        let length = known.into_iter().find(|n| modules.contains_key(&path[..*n]))?;
        let named = path.get(..length + 1).and_then(|name| handed_on.get(name));
        match named {
            Some(to) => path = [to.as_slice(), &path[length + 1..]].concat(),
            None => {
                return modules.get_key_value(&path[..length]).map(|(module, _)| module);
            }
        }
    }
    None
}

/// A path of this crate from its root on; none of other crates.
fn absolute(from: &Module, path: &str, modules: &Modules) -> Option<Module> {
    let mut names = path.split("::").map(str::to_owned).peekable();
    let mut base = from.clone();
    match names.peek()?.as_str() {
        "crate" => {
            names.next();
            base.clear();
        }
        "self" => {
            names.next();
        }
        "super" => {
            while names.next_if(|name| name == "super").is_some() {
                base.pop();
            }
        }
        child => {
            let mut module = from.clone();
            module.push(child.to_owned());
            modules.get(&module)?;
        }
    }
    base.extend(names);
    Some(base)
}

/// The `use` statements: whether each is public, and its tree.
fn statements(text: &str) -> impl Iterator<Item = (bool, String)> + '_ {
    let lines = text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    lines.filter_map(|(start, line)| {
        let (head, _) = line.split_once("use ")?;
        let is_use = head.trim().is_empty() || head.trim_start().starts_with("pub");
        let tree = text[start + head.len() + 4..].split(';').next()?;
        is_use.then(|| (head.contains("pub"), tree.to_owned()))
    })
}

/// What a module imports for itself.
fn used(text: &str) -> impl Iterator<Item = String> + '_ {
    let private = statements(text).filter(|(is_public, _)| !is_public);
    private.flat_map(|(_, tree)| leaves(&tree))
}

/// The paths of this crate that code spells out.
fn spelt_out(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    text.lines()
        .filter(|line| !line.trim_start().starts_with("use "))
        .flat_map(move |line| line.split(move |c| !is_word(c)))
        .filter(|word| ["crate::", "super::"].iter().any(|root| word.starts_with(root)))
        .map(|word| word.trim_end_matches(':').to_owned())
}

/// The paths of a tree: `a::{b, c::{d}}` has `a::b` and `a::c::d`.
fn leaves(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        return vec![path.to_owned()];
    };
    let inner = &rest[..rest.rfind('}').unwrap_or(rest.len())];
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, char) in inner.char_indices().chain([(inner.len(), ',')]) {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let one = inner[start..at].trim();
                let paths = leaves(one).into_iter().filter(|path| !path.is_empty());
                let paths = paths.map(|path| format!("{}{path}", head.trim()));
                found.extend(paths.map(|path| path.trim_end_matches("::self").to_owned()));
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

#[test]
fn trees_are_read() {
    let found = leaves("a::{b as x, c::{self, d},\n e}");
    assert_eq!(found, ["a::b", "a::c", "a::c::d", "a::e"]);
}

#[test]
fn circles_are_found() {
    let modules: Modules = [
        ("a", "use super::b::One;"),
        ("b", "use crate::c::{Two, Three};"),
        ("c", "fn f() -> crate::a::Four {}"),
        ("d", "use super::a::Five;"),
    ]
    .into_iter()
    .map(|(name, text)| (vec![name.to_owned()], text.to_owned()))
    .collect();
    let reads = arrows(&modules);
    let names = |name: &str| -> Vec<String> {
        let reached = reach(&vec![name.to_owned()], &reads);
        reached.into_iter().map(|module| module.join("::")).collect()
    };
    assert_eq!(names("a"), ["a", "b", "c"]);
    assert_eq!(names("d"), ["a", "b", "c"], "it is in no circle itself");
}
