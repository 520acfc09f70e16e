//! `dependency_advisories`: which dependencies advisories are about.

use crate::dependencies::advisories::model::{MOST_SHOWN, Vulnerability, rank};
use crate::pipelines::store::inserts;
use ::store::{FromRow, IntoValue, Json, Tx, Value, sql};
use kernel::error::Result;
use sbom::osv::{Affected, Severity, base_score};
use sbom::vex::Finding;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is known of some dependencies, the worst first.
pub fn findings(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Vec<Finding>>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<Found> = tx.all(
        sql!(
            "select d.dependency_id, a.name, a.severity, a.vector, a.summary, a.url
             from dependency_advisories d join advisories a on a.id = d.advisory_id
             where d.dependency_id in_list($1) order by d.dependency_id, a.name"
        ),
        (ids.to_vec(),),
    )?;
    let mut all: HashMap<i64, Vec<Finding>> = HashMap::new();
    for row in rows {
        all.entry(row.dependency_id).or_default().push(row.into());
    }
    for found in all.values_mut() {
        found.sort_by_key(|one| std::cmp::Reverse(one.severity));
        found.truncate(MOST_SHOWN);
    }
    Ok(all)
}

/// The same, as lists show it.
pub fn of(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Vec<Vulnerability>>> {
    let all = findings(tx, ids)?.into_iter();
    Ok(all.map(|(id, all)| (id, all.into_iter().map(shown).collect())).collect())
}

fn shown(finding: Finding) -> Vulnerability {
    Vulnerability {
        name: finding.summary.unwrap_or_else(|| finding.id.clone()),
        id: finding.id,
        severity: finding.severity.text().to_owned(),
        url: finding.url,
    }
}

#[derive(FromRow)]
struct Found {
    dependency_id: i64,
    name: String,
    severity: String,
    vector: Option<String>,
    summary: Option<String>,
    url: Option<String>,
}

impl From<Found> for Finding {
    fn from(row: Found) -> Finding {
        Finding {
            id: row.name,
            severity: Severity::parse(&row.severity).unwrap_or_default(),
            score: row.vector.as_deref().and_then(base_score),
            vector: row.vector,
            summary: row.summary,
            url: row.url,
        }
    }
}

/// The current list after another: its id.
pub fn next_list(tx: &mut Tx<'_>, after: i64) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!("select id from dependency_lists where is_current and id > $1 order by id limit 1"),
        (after,),
    )?)
}

/// A dependency to be looked for in advisories.
#[derive(Debug, Clone, FromRow)]
pub struct Candidate {
    pub id: i64,
    pub purl: Option<String>,
    pub severity: i64,
}

/// Some dependencies of a list after one of them.
pub fn candidates(tx: &mut Tx<'_>, list_id: i64, after: i64, most: i64) -> Result<Vec<Candidate>> {
    Ok(tx.all(
        sql!(
            "select id, purl, severity from dependencies where list_id = $1 and id > $2
             order by id limit $3"
        ),
        (list_id, after, most),
    )?)
}

/// What an advisory says of a package.
#[derive(Debug, FromRow)]
pub struct About {
    pub id: i64,
    pub package_key: String,
    pub affected: Json<Affected>,
    pub advisory_id: i64,
    pub severity: String,
}

/// Some of what is said of packages, after one of them.
pub fn about(tx: &mut Tx<'_>, keys: Vec<String>, after: i64, most: i64) -> Result<Vec<About>> {
    Ok(tx.all(
        sql!(
            "select p.id, p.package_key, p.affected, p.advisory_id, a.severity
             from advisory_packages p join advisories a on a.id = p.advisory_id
             where p.package_key in_list($1) and p.id > $2 order by p.id limit $3"
        ),
        (keys, after, most),
    )?)
}

/// Which of some dependencies are meant, and how bad the worst is.
#[derive(Debug, Default)]
pub struct Matches {
    /// Dependency and advisory.
    pub pairs: BTreeSet<(i64, i64)>,
    pub worst: HashMap<i64, i64>,
}

impl Matches {
    pub fn add(&mut self, dependency_id: i64, about: &About) {
        self.pairs.insert((dependency_id, about.advisory_id));
        let rank = rank(Severity::parse(&about.severity).unwrap_or_default());
        let worst = self.worst.entry(dependency_id).or_default();
        *worst = rank.max(*worst);
    }
}

/// Puts what was found in the place of what was known of these dependencies.
pub fn replace(tx: &mut Tx<'_>, of: &[Candidate], found: &Matches) -> Result<()> {
    let ids: Vec<i64> = of.iter().map(|one| one.id).collect();
    let known: Vec<(i64, i64)> = tx.all(
        sql!(
            "select dependency_id, advisory_id from dependency_advisories
             where dependency_id in_list($1)"
        ),
        (ids.clone(),),
    )?;
    let known: BTreeSet<(i64, i64)> = known.into_iter().collect();
    if known != found.pairs {
        tx.execute(
            sql!("delete from dependency_advisories where dependency_id in_list($1)"),
            (ids,),
        )?;
        let row = |(one, other): &(i64, i64)| vec![one.into_value(), other.into_value()];
        let rows: Vec<Vec<Value>> = found.pairs.iter().map(row).collect();
        let before = "insert into dependency_advisories (dependency_id, advisory_id) values";
        for statement in inserts(before, &rows, "") {
            tx.change_by(statement)?;
        }
    }
    set_severities(tx, of, found)
}

fn set_severities(tx: &mut Tx<'_>, of: &[Candidate], found: &Matches) -> Result<()> {
    let mut changed: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for one in of {
        let worst = found.worst.get(&one.id).copied().unwrap_or_default();
        if worst != one.severity {
            changed.entry(worst).or_default().push(one.id);
        }
    }
    for (severity, ids) in changed {
        tx.execute(
            sql!("update dependencies set severity = $2 where id in_list($1)"),
            (ids, severity),
        )?;
    }
    Ok(())
}
