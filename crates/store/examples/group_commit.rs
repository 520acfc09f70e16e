//! Measures what sharing commits gains: durable writes from many tasks, with
//! group commit and with one commit each. Arguments: writes (10000), tasks (64).
#![allow(clippy::print_stdout, reason = "it prints what it measured")]

use std::time::Instant;
use store::{Config, Error, Migration, Store};

const NOTES: Migration = Migration {
    number: 1,
    name: "notes",
    sql: "create table notes (id identity, body text not null);\n",
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse());
    let writes: i64 = numbers.next().unwrap_or(Ok(10_000))?;
    let tasks: i64 = numbers.next().unwrap_or(Ok(64))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut rates = Vec::new();
    for group_size in [1, 256] {
        let directory = tempfile::tempdir_in(std::env::current_dir()?)?;
        let mut config = Config::sqlite(&directory.path().join("bench.db"));
        config.group_size = group_size;
        let store = Store::open(config, &[NOTES])?;
        let started = Instant::now();
        runtime.block_on(write_all(store, writes, tasks))?;
        let rate = writes as f64 / started.elapsed().as_secs_f64();
        println!("group size {group_size}: {rate:.0} durable writes/s");
        rates.push(rate);
    }
    println!("ratio: {:.1}", rates[1] / rates[0]);
    Ok(())
}

async fn write_all(store: Store, writes: i64, tasks: i64) -> Result<(), Error> {
    let running: Vec<_> = (0..tasks)
        .map(|task| {
            let store = store.clone();
            tokio::spawn(async move {
                for n in (task..writes).step_by(tasks.max(1) as usize) {
                    let sql = "insert into notes (body) values ($1)";
                    store.write(move |tx| tx.execute(sql, (format!("note {n}"),))).await?;
                }
                Ok(())
            })
        })
        .collect();
    for task in running {
        task.await.map_err(|error| Error::Engine(error.to_string()))??;
    }
    let count = store.read(|tx| tx.one::<i64>("select count(*) from notes", ())).await?;
    assert_eq!(count, writes);
    Ok(())
}
