//! The tables as the migrations declare them, for what must read every one of
//! them alike (backup and restore).

use store::{Migration, Type};

#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub name: String,
    /// Its columns in the order declared.
    pub columns: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: String,
    pub kind: Type,
    pub is_identity: bool,
    /// The table its values must exist in.
    pub refers_to: Option<String>,
}

/// The tables after these migrations, each after the tables it refers to.
pub fn tables(migrations: &[Migration]) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for statement in migrations.iter().flat_map(|migration| statements(migration.sql)) {
        let words: Vec<&str> = statement.split_whitespace().collect();
        match words.as_slice() {
            ["create", "table", name, ..] => {
                let (Some(from), Some(to)) = (statement.find('('), statement.rfind(')')) else {
                    continue;
                };
                let name = name.split('(').next().unwrap_or(name).to_owned();
                let columns = parts(&statement[from + 1..to]).into_iter().filter_map(column);
                tables.push(Table { name, columns: columns.collect() });
            }
            ["alter", "table", name, "add", "column", definition @ ..] => {
                let added = column(&definition.join(" "));
                if let Some(table) = tables.iter_mut().find(|table| table.name == *name) {
                    table.columns.extend(added);
                }
            }
            ["alter", "table", name, "drop", "column", dropped, ..] => {
                if let Some(table) = tables.iter_mut().find(|table| table.name == *name) {
                    table.columns.retain(|column| column.name != *dropped);
                }
            }
            ["drop", "table", name, ..] => tables.retain(|table| table.name != *name),
            _ => {}
        }
    }
    tables
}

/// Statements without comments; they end with `;` at the end of a line.
fn statements(sql: &str) -> Vec<String> {
    let bare: String = sql
        .lines()
        .map(|line| format!("{}\n", line.split("--").next().unwrap_or_default().trim_end()))
        .collect();
    bare.split(";\n").map(|statement| statement.trim().to_owned()).collect()
}

/// The parts between commas that stand in no parentheses.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    for (at, char) in text.char_indices() {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// A column's declaration; none for a constraint of the table.
fn column(text: &str) -> Option<Column> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (name, declared) = (words.first()?, words.get(1)?);
    let kind = match *declared {
        "identity" | "bigint" | "integer" => Type::Int,
        "boolean" => Type::Bool,
        "double" => Type::Real,
        "text" => Type::Text,
        "bytea" => Type::Bytes,
        "timestamptz" => Type::Time,
        "jsonb" => Type::Json,
        _ => return None,
    };
    let refers_to = words.iter().position(|word| *word == "references");
    Some(Column {
        name: (*name).to_owned(),
        kind,
        is_identity: *declared == "identity",
        refers_to: refers_to.and_then(|at| words.get(at + 1)).map(|name| (*name).to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_read() {
        let sql = "-- Notes, with; odd (comments)\ncreate table notes (\n    id identity,\n    \
                   parent_id bigint references notes (id) on delete cascade, -- above\n    \
                   body text not null default 'a, b',\n    primary key (id, body)\n);\n\
                   create index notes_by_parent on notes (parent_id);\n\
                   alter table notes add column seen boolean;\n";
        let tables = tables(&[Migration { number: 1, name: "notes", sql }]);
        let shown: Vec<_> = tables[0]
            .columns
            .iter()
            .map(|c| (c.name.as_str(), c.kind, c.is_identity, c.refers_to.as_deref()))
            .collect();
        assert_eq!(
            shown,
            [
                ("id", Type::Int, true, None),
                ("parent_id", Type::Int, false, Some("notes")),
                ("body", Type::Text, false, None),
                ("seen", Type::Bool, false, None),
            ]
        );
    }

    #[test]
    fn every_column_of_the_program_is_known() {
        let migrations = crate::wiring::migrations();
        let count = |beginning: &str| {
            let all = migrations.iter().flat_map(|migration| statements(migration.sql));
            all.filter(|statement| statement.starts_with(beginning)).count()
        };
        let tables = tables(migrations);
        assert_eq!(tables.len(), count("create table") - count("drop table"));
        assert!(tables.iter().all(|table| !table.columns.is_empty()));
    }
}
