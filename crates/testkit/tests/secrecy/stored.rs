//! All that a database holds, on both engines.

use std::collections::BTreeMap;
use testkit::TestServer;

/// Tables and columns of SQLite.
const OF_SQLITE: &str = "select m.name, c.name from sqlite_master m, pragma_table_info(m.name) c
     where m.type = 'table' and m.name not like 'sqlite%'";
/// Tables of PostgreSQL.
const OF_POSTGRES: &str = "select cast(table_name as text), cast(table_type as text)
     from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE'";

async fn rows(t: &TestServer, statement: String) -> Option<Vec<(String, String)>> {
    let read = t.app().read(move |tx| {
        let rows: Vec<(String, String)> = tx.all(&statement, ())?;
        Ok(rows)
    });
    read.await.ok()
}

/// For each table, a statement whose rows are all texts and bytes in it: bytes in hexadecimal
/// digits, and on SQLite all of them.
async fn statements(t: &TestServer) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    if let Some(tables) = rows(t, OF_POSTGRES.into()).await {
        for (table, _) in tables {
            let statement = format!("select cast(t as text), '' from \"{table}\" t");
            all.insert(table, statement);
        }
        return all;
    }
    let mut columns = BTreeMap::<String, Vec<String>>::new();
    for (table, column) in rows(t, OF_SQLITE.into()).await.expect("it is one of the two") {
        let read = format!("lower(coalesce(hex(\"{column}\"), ''))");
        columns.entry(table).or_default().push(read);
    }
    for (table, columns) in columns {
        let statement = format!("select {}, '' from \"{table}\"", columns.join(" || ' ' || "));
        all.insert(table, statement);
    }
    all
}

/// The tables, and in one text all that is in each.
pub async fn stored(t: &TestServer) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (table, statement) in statements(t).await {
        let rows = rows(t, statement).await.unwrap_or_else(|| panic!("{table} is not read"));
        let text: Vec<String> = rows.into_iter().map(|(text, _)| text).collect();
        all.push((table, text.join("\n")));
    }
    let jobs = all.iter().find(|(table, _)| table == "ci_jobs").expect("the table of jobs");
    assert!(jobs.1.contains("build") || jobs.1.contains(&hex::encode("build")), "{}", jobs.1);
    all
}
