//! What a change of the interface would break for its clients: the schema
//! that is checked in against the one the rooms register.

use std::collections::BTreeMap;

/// Every breaking change from `before` to `after`, both as
/// [`kernel::graph::sdl::text`] writes them.
pub fn changes(before: &str, after: &str) -> Vec<String> {
    let (before, after) = (members(before), members(after));
    let mut found = Vec::new();
    for (name, old) in &before {
        match after.get(name) {
            None => found.push(format!("{name} is gone")),
            Some(new) => compare(name, old, new, &mut found),
        }
    }
    for (name, new) in &after {
        let inside = name.rsplit_once(['(', '.']).map(|(owner, _)| owner);
        let owner_is_old = inside.is_some_and(|owner| before.contains_key(owner));
        let is_new = !before.contains_key(name);
        if is_new && owner_is_old && new.role == Role::Input && new.is_required() {
            found.push(format!("{name} is new and required"));
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Type,
    Output,
    Input,
    Value,
}

#[derive(Debug)]
struct Member {
    role: Role,
    /// Kind of a type, or type of a field or input.
    ty: String,
    defaulted: bool,
}

impl Member {
    fn is_required(&self) -> bool {
        self.ty.ends_with('!') && !self.defaulted
    }
}

fn compare(name: &str, old: &Member, new: &Member, found: &mut Vec<String>) {
    let (was, is) = (&old.ty, &new.ty);
    let fits = match old.role {
        Role::Output => is.replace('!', "") == was.replace('!', "") && stricter(is, was),
        Role::Input => is.replace('!', "") == was.replace('!', "") && stricter(was, is),
        Role::Type | Role::Value => was == is,
    };
    if !fits {
        found.push(format!("{name} was {was} and is {is}"));
    }
    if old.role == Role::Input && old.defaulted && !new.defaulted && new.ty.ends_with('!') {
        found.push(format!("{name} lost its default"));
    }
}

/// Whether `one` excludes null wherever `other` does.
fn stricter(one: &str, other: &str) -> bool {
    let mut left = one.chars().peekable();
    for letter in other.chars() {
        if letter == '!' {
            if left.next() != Some('!') {
                return false;
            }
            continue;
        }
        while left.peek() == Some(&'!') {
            left.next();
        }
        left.next();
    }
    true
}

/// Members by name: `Type`, `Type.field`, `Type.field(argument`.
fn members(text: &str) -> BTreeMap<String, Member> {
    let mut found = BTreeMap::new();
    let (mut owner, mut kind, mut field) = (String::new(), String::new(), String::new());
    let mut described = false;
    for line in text.lines() {
        let quotes = line.matches("\"\"\"").count();
        if described || quotes > 0 {
            described = described != (quotes == 1);
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        match indent {
            0 => top(line, &mut owner, &mut kind, &mut found),
            2 if line.starts_with("):") => {
                add(&mut found, &field, Role::Output, &line[2..]);
            }
            2 if kind == "enum" => {
                let value = line.split(' ').next().unwrap_or_default();
                add(&mut found, &format!("{owner}.{value}"), Role::Value, "");
            }
            2 if line.ends_with('(') => field = format!("{owner}.{}", &line[..line.len() - 1]),
            2 => {
                let role = if kind == "input" { Role::Input } else { Role::Output };
                if let Some((name, rest)) = line.split_once(':') {
                    add(&mut found, &format!("{owner}.{name}"), role, rest);
                }
            }
            _ => {
                if let Some((name, rest)) = line.split_once(':') {
                    add(&mut found, &format!("{field}({name}"), Role::Input, rest);
                }
            }
        }
    }
    found
}

fn top(line: &str, owner: &mut String, kind: &mut String, found: &mut BTreeMap<String, Member>) {
    let mut words = line.split([' ', '{', '=']).filter(|word| !word.is_empty());
    let (Some(word), Some(name)) = (words.next(), words.next()) else {
        return;
    };
    if !matches!(word, "type" | "interface" | "union" | "enum" | "input" | "scalar") {
        kind.clear();
        return;
    }
    (*owner, *kind) = (name.to_owned(), word.to_owned());
    add(found, name, Role::Type, word);
    // Members of unions and interfaces of objects are promises as well.
    for part in words.filter(|part| !matches!(*part, "implements" | "&" | "|")) {
        add(found, &format!("{name} {part}"), Role::Value, "");
    }
}

fn add(found: &mut BTreeMap<String, Member>, name: &str, role: Role, rest: &str) {
    let rest = rest.split(" @").next().unwrap_or_default();
    let (ty, default) = match rest.split_once(" = ") {
        Some((ty, default)) => (ty, Some(default)),
        None => (rest, None),
    };
    let member = Member { role, ty: ty.trim().to_owned(), defaulted: default.is_some() };
    found.insert(name.to_owned(), member);
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = r#"schema {
  query: Query
}

"""Colors."""
enum Color {
  """Red."""
  RED
  BLUE @deprecated(reason: "Old")
}

input Filter {
  text: String!
  many: [Int!] = [1]
}

union Any = One | Two

type One implements Node {
  id: ID!
  """Of
  two lines: here."""
  list(
    """How many."""
    first: Int = 5
    must: Int!
  ): [One!] @cost(lookedUp: true)
}
"#;

    fn after(from: &str, to: &str) -> Vec<String> {
        assert!(BEFORE.contains(from), "{from}");
        changes(BEFORE, &BEFORE.replacen(from, to, 1))
    }

    #[test]
    fn what_breaks_clients_is_named() {
        assert_eq!(changes(BEFORE, BEFORE), Vec::<String>::new());
        assert_eq!(after("  RED\n", ""), ["Color.RED is gone"]);
        assert_eq!(after("enum Color", "enum Colour")[0], "Color is gone");
        assert_eq!(after("  id: ID!\n", ""), ["One.id is gone"]);
        assert_eq!(after("id: ID!", "id: ID"), ["One.id was ID! and is ID"]);
        assert_eq!(after("): [One!]", "): [One]"), ["One.list was [One!] and is [One]"]);
        assert_eq!(after("): [One!]", "): One"), ["One.list was [One!] and is One"]);
        assert_eq!(after("first: Int = 5\n", "\n"), ["One.list(first is gone"]);
        assert_eq!(
            after("first: Int = 5", "first: Int!"),
            ["One.list(first was Int and is Int!", "One.list(first lost its default"]
        );
        assert_eq!(
            after("must: Int!", "must: Int!\n    new: Int!"),
            ["One.list(new is new and required"]
        );
        assert_eq!(
            after("text: String!", "text: String!\n  new: Int!"),
            ["Filter.new is new and required"]
        );
        assert_eq!(after("union Any = One | Two", "union Any = One"), ["Any Two is gone"]);
        assert_eq!(after(" implements Node", ""), ["One Node is gone"]);
        assert_eq!(after("enum Color", "scalar Color")[0], "Color was enum and is scalar");
    }

    #[test]
    fn what_only_adds_breaks_nobody() {
        let none = Vec::<String>::new();
        assert_eq!(after("  RED\n", "  RED\n  GREEN\n"), none);
        assert_eq!(after("): [One!]", "): [One!]!"), none);
        assert_eq!(after("must: Int!", "must: Int"), none);
        assert_eq!(after("must: Int!", "must: Int!\n    new: Int! = 1"), none);
        assert_eq!(after("must: Int!", "must: Int! @deprecated(reason: \"a: b = c\")"), none);
        assert_eq!(after("union Any = One | Two", "union Any = One | Three | Two"), none);
        assert_eq!(after("\"\"\"Colors.\"\"\"", "\"\"\"Colours.\"\"\""), none);
        let more = format!("{BEFORE}\ninput New {{\n  must: Int!\n}}\n");
        assert_eq!(changes(BEFORE, &more), none);
    }
}
