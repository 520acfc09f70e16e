//! What rooms plug in is found by every transaction.

use crate::engines::{NOTES, configs, open};
use store::{Error, Plugs};

struct Hook(fn(&mut store::Tx<'_>) -> store::Result<i64>);
struct Other;

fn count(tx: &mut store::Tx<'_>) -> store::Result<i64> {
    tx.one(store::sql!("select count(*) from notes"), ())
}

#[test]
fn what_is_plugged_in_is_found_by_its_type() {
    for (mut config, place) in configs() {
        config.plugs.plug(Hook(count)).unwrap();
        let db = open((config, place), NOTES);

        let counted = db.store.write_blocking(|tx| {
            let hook: &Hook = tx.plugged()?;
            tx.savepoint(|tx| (tx.plugged::<Hook>()?.0)(tx))?;
            (hook.0)(tx)
        });

        assert_eq!(counted, Ok(0));
        assert!(db.store.plugged::<Hook>().is_ok());
        let missing = db.store.read_blocking(|tx| tx.plugged::<Other>().map(drop));
        assert!(matches!(missing, Err(Error::NotPlugged { what }) if what.ends_with("Other")));
    }
}

#[test]
fn a_second_one_of_a_type_is_refused() {
    let mut plugs = Plugs::default();
    plugs.plug(Other).unwrap();
    let twice = plugs.plug(Other);
    assert!(matches!(twice, Err(Error::PluggedTwice { what }) if what.ends_with("Other")));
}
