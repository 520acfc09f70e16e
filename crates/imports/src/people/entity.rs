//! People elsewhere on the wire.

use super::model::{SourceUser, SourceUserStatus};
use crate::run::SourceName;
use ::store::Tx;
use identity::entities::{UserBasic, basic, load_basic};
use kernel::app::App;
use kernel::error::Result;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

/// Somebody elsewhere whose things were imported, and who they are here.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlaceholderEntity {
    /// Id.
    id: i64,
    /// Theirs there.
    source_user_id: String,
    /// Login there.
    source_username: String,
    /// Name there.
    source_name: Option<String>,
    /// The server they are known by.
    source_hostname: String,
    /// What was imported from.
    import_type: SourceName,
    /// How far it is settled who they are.
    status: SourceUserStatus,
    /// Who stands for them.
    placeholder_user: Option<UserBasic>,
    /// Who they are, or are asked whether they are.
    reassign_to_user: Option<UserBasic>,
    /// Who said so.
    reassigned_by_user: Option<UserBasic>,
    /// When something of theirs came first.
    created_at: String,
    /// When it was last said who they are.
    updated_at: String,
}

/// Those of some rows, in their order.
///
/// # Errors
///
/// What the database refuses.
pub fn all(app: &App, tx: &mut Tx<'_>, rows: Vec<SourceUser>) -> Result<Vec<PlaceholderEntity>> {
    let ids: Vec<i64> = rows.iter().flat_map(SourceUser::people).collect();
    let users = load_basic(tx, &ids)?;
    let user = |id: Option<i64>| id.and_then(|id| users.get(&id)).map(|user| basic(app, user));
    let entity = |row: SourceUser| PlaceholderEntity {
        id: row.id,
        placeholder_user: user(row.placeholder_id),
        reassign_to_user: user(row.user_id),
        reassigned_by_user: user(row.reassigned_by_id),
        source_user_id: row.source_user_id,
        source_username: row.username,
        source_name: row.name,
        source_hostname: row.host,
        import_type: row.source,
        status: row.status,
        created_at: wire::text(row.created_at),
        updated_at: wire::text(row.updated_at),
    };
    Ok(rows.into_iter().map(entity).collect())
}
