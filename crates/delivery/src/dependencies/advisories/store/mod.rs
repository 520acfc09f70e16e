//! `advisories`, `advisory_packages`; [`loads`] has `advisory_loads`, and [`matches`]
//! `dependency_advisories`.

pub mod loads;
pub mod matches;

use super::model::{Advisory, Tally};
use crate::pipelines::store::inserts;
use ::store::{Fragment, IntoValue, Json, Tx, Value, concat, sql};
use jiff::Timestamp;
use kernel::error::Result;
use kernel::http::Paging;
use sbom::osv;
use std::collections::{BTreeMap, HashMap};

const SELECT: &str = concat!("select ", Advisory::COLUMNS, " from advisories ");

/// A page of those with this in their ids, or of all, and how many there are.
pub fn page(
    tx: &mut Tx<'_>, package: Option<&str>, paging: &Paging,
) -> Result<(Vec<Advisory>, i64)> {
    let mut of = Fragment::new("");
    match package {
        Some(key) => {
            of.push(
                "advisories.id in (select p.advisory_id from advisory_packages p
                    where p.package_key = ",
                key,
            );
            of.raw(")")
        }
        None => of.raw("advisories.id > 0"),
    };
    let total = spaces::store::count(tx, "advisories", &of)?;
    let mut list = Fragment::new(SELECT);
    list.raw("where ").append(of).raw(" order by advisories.name");
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

pub fn named(tx: &mut Tx<'_>, name: &str) -> Result<Option<Advisory>> {
    Ok(tx.optional(sql!(SELECT, "where advisories.name = $1"), (name,))?)
}

pub fn count(tx: &mut Tx<'_>) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from advisories"), ())?)
}

pub fn delete(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<()> {
    tx.execute(sql!("delete from advisories where id in_list($1)"), (ids,))?;
    Ok(())
}

/// An advisory with the time of its last change.
pub type Dated = (Timestamp, osv::Advisory);

/// Takes those in that are newer than what is there, and those away that were withdrawn.
pub fn take(tx: &mut Tx<'_>, all: &[Dated]) -> Result<Tally> {
    let mut newest: BTreeMap<&str, &Dated> = BTreeMap::new();
    for one in all {
        let known = newest.entry(&one.1.id).or_insert(one);
        if one.0 > known.0 {
            *known = one;
        }
    }
    let names: Vec<String> = newest.keys().map(|name| (*name).to_owned()).collect();
    let there: Vec<(String, i64, Timestamp)> = tx.all(
        sql!("select name, id, modified_at from advisories where name in_list($1)"),
        (names,),
    )?;
    let there: HashMap<String, (i64, Timestamp)> =
        there.into_iter().map(|(name, id, at)| (name, (id, at))).collect();
    let mut tally = Tally::default();
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    for (name, one) in newest {
        match there.get(name) {
            Some((_, at)) if *at >= one.0 => tally.unchanged += 1,
            known => {
                gone.extend(known.map(|(id, _)| *id));
                match one.1.withdrawn {
                    true => tally.removed += i64::from(known.is_some()),
                    false => new.push(one),
                }
            }
        }
    }
    tally.loaded += new.len() as i64;
    delete(tx, gone)?;
    insert(tx, &new)?;
    Ok(tally)
}

fn insert(tx: &mut Tx<'_>, all: &[&Dated]) -> Result<()> {
    let now = tx.now();
    let row = |(at, one): &&Dated| -> Vec<Value> {
        vec![
            one.id.as_str().into_value(),
            at.into_value(),
            one.severity.text().into_value(),
            one.vector.clone().into_value(),
            one.summary.clone().into_value(),
            one.url.clone().into_value(),
            Json(&one.aliases).into_value(),
            now.into_value(),
        ]
    };
    let rows: Vec<Vec<Value>> = all.iter().map(row).collect();
    let before = "insert into advisories (name, modified_at, severity, vector, summary, url,
        aliases, created_at) values";
    let mut ids: HashMap<String, i64> = HashMap::new();
    for statement in inserts(before, &rows, " returning name, id") {
        let made: Vec<(String, i64)> = tx.query(statement)?;
        ids.extend(made);
    }
    let mut packages: Vec<Vec<Value>> = Vec::new();
    for (_, one) in all {
        let Some(id) = ids.get(&one.id) else { continue };
        for affected in &one.affected {
            let key = affected.package.key();
            packages.push(vec![id.into_value(), key.into_value(), Json(affected).into_value()]);
        }
    }
    let before = "insert into advisory_packages (advisory_id, package_key, affected) values";
    for statement in inserts(before, &packages, "") {
        tx.change_by(statement)?;
    }
    Ok(())
}
