//! Records of who changed what, written in the transaction of the change.

use store::{Fragment, Json, Result, Tx, sql};

/// One change that matters.
pub struct Record<'r> {
    /// Who did it; `None` is the system itself.
    pub author_id: Option<i64>,
    /// What happened, as `area.verb` (`member.create`).
    pub action: &'static str,
    /// Kind of the thing changed (`Project`, `Group`, `User`).
    pub target_type: &'static str,
    /// Its id.
    pub target_id: i64,
    /// Its name at the time, for people.
    pub target_name: &'r str,
    /// What changed; never a secret.
    pub details: serde_json::Value,
    /// The caller's address, where there is one.
    pub ip_address: Option<String>,
}

/// Writes one record.
pub fn write(tx: &mut Tx<'_>, record: Record<'_>) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into audit_records (author_id, action, target_type, target_id, target_name,
                details, ip_address, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        (
            record.author_id,
            record.action,
            record.target_type,
            record.target_id,
            record.target_name,
            Json(record.details),
            record.ip_address,
            now,
        ),
    )?;
    Ok(())
}

/// Writes several records by one statement.
pub fn write_all<'r>(tx: &mut Tx<'_>, records: impl IntoIterator<Item = Record<'r>>) -> Result<()> {
    let now = tx.now();
    let mut query = Fragment::new(
        "insert into audit_records (author_id, action, target_type, target_id, target_name,
            details, ip_address, created_at) values",
    );
    let mut between = " (";
    for record in records {
        query
            .push(between, record.author_id)
            .push(", ", record.action)
            .push(", ", record.target_type)
            .push(", ", record.target_id)
            .push(", ", record.target_name)
            .push(", ", Json(record.details))
            .push(", ", record.ip_address)
            .push(", ", now)
            .raw(")");
        between = ", (";
    }
    if between == " (" {
        return Ok(());
    }
    query.raw(" returning id");
    tx.query::<i64>(query).map(drop)
}
