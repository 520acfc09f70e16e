//! Small changes of many callers, made together (`kernel::keyed_batcher`).

use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::keyed_batcher::KeyedBatcher;
use serde_json::json;
use std::sync::Arc;
use store::{Json, Tx, sql};

/// What one caller wants of the counter.
#[derive(Clone, Copy)]
enum Item {
    Add,
    Fail,
    Panic,
}

fn read(tx: &mut Tx<'_>, key: &str) -> Result<i64> {
    let found: Option<(serde_json::Value,)> =
        tx.optional(sql!("select value from settings where key = $1"), (key,))?;
    Ok(found.and_then(|(value,)| value.as_i64()).unwrap_or(0))
}

/// Adds to a counter that every item reads and writes; what it is then.
#[expect(clippy::ptr_arg, reason = "a lane hands over its key as it keeps it")]
fn count(tx: &mut Tx<'_>, key: &String, items: &[Item]) -> Result<Vec<i64>> {
    let mut value = read(tx, key)?;
    let mut answers = Vec::new();
    for item in items {
        match item {
            Item::Add => value += 1,
            Item::Fail => return Err(Error::BadRequest("it was to fail".into())),
            Item::Panic => panic!("it was to panic"),
        }
        answers.push(value);
    }
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into settings (key, value, updated_at) values ($1, $2, $3)
             on conflict (key) do update set value = excluded.value"
        ),
        (key.as_str(), Json(json!(value)), now),
    )?;
    Ok(answers)
}

async fn value(app: &App, key: &str) -> i64 {
    let key = key.to_owned();
    app.read(move |tx| read(tx, &key)).await.expect("it is read")
}

#[testkit::story]
async fn each_caller_gets_an_answer_of_its_own(t: testkit::TestServer) {
    let counting: Arc<KeyedBatcher<String, Item, i64>> = Arc::new(KeyedBatcher::new(16, count));
    let callers: Vec<_> = (0..300)
        .map(|n| {
            let (app, counting) = (t.app().clone(), counting.clone());
            let key = format!("counter {}", n % 3);
            tokio::spawn(async move { counting.run(&app, key, Item::Add).await })
        })
        .collect();
    let mut answers = Vec::new();
    for caller in callers {
        answers.push(caller.await.expect("no panic").expect("an answer"));
    }
    answers.sort_unstable();
    let expected: Vec<i64> = (1..=100).flat_map(|n| [n, n, n]).collect();
    assert_eq!(answers, expected);
    for n in 0..3 {
        assert_eq!(value(t.app(), &format!("counter {n}")).await, 100);
    }
}

#[testkit::story]
async fn what_one_caller_sends_is_done_in_its_order(t: testkit::TestServer) {
    let counting: KeyedBatcher<String, Item, i64> = KeyedBatcher::new(4, count);
    let running: Vec<_> = (0..20).map(|_| counting.run(t.app(), "one".into(), Item::Add)).collect();
    let answers = futures_util::future::join_all(running).await;
    let answers: Vec<i64> = answers.into_iter().map(|answer| answer.expect("an answer")).collect();
    assert_eq!(answers, (1..=20).collect::<Vec<_>>());
}

#[testkit::story]
async fn an_item_that_fails_fails_alone(t: testkit::TestServer) {
    let counting: KeyedBatcher<String, Item, i64> = KeyedBatcher::new(64, count);
    let items = (0..40).map(|n| match n {
        7 => Item::Fail,
        9 => Item::Panic,
        _ => Item::Add,
    });
    let running: Vec<_> = items.map(|item| counting.run(t.app(), "one".into(), item)).collect();
    let answers = futures_util::future::join_all(running).await;
    let failed: Vec<usize> = answers
        .iter()
        .enumerate()
        .filter(|(_, answer)| answer.is_err())
        .map(|(n, _)| n)
        .collect();
    assert_eq!(failed, [7, 9]);
    assert!(matches!(answers[7], Err(Error::BadRequest(_))));
    assert_eq!(value(t.app(), "one").await, 38);
    assert_eq!(counting.run(t.app(), "one".into(), Item::Add).await.expect("an answer"), 39);
}

#[testkit::story]
async fn a_caller_that_leaves_holds_nobody_up(t: testkit::TestServer) {
    let counting: Arc<KeyedBatcher<String, Item, i64>> = Arc::new(KeyedBatcher::new(1, count));
    let callers: Vec<_> = (0..30)
        .map(|_| {
            let (app, counting) = (t.app().clone(), counting.clone());
            tokio::spawn(async move { counting.run(&app, "one".into(), Item::Add).await })
        })
        .collect();
    tokio::task::yield_now().await;
    let mut answered = 0;
    for (n, caller) in callers.into_iter().enumerate() {
        if n % 2 == 0 {
            caller.abort();
        } else {
            caller.await.expect("no panic").expect("an answer");
            answered += 1;
        }
    }
    let last = counting.run(t.app(), "one".into(), Item::Add).await.expect("an answer");
    assert_eq!(value(t.app(), "one").await, last);
    assert!((answered + 1..=31).contains(&last), "{last} of {answered}");
}
