//! What REST shows of advisories, in wire order.

use super::model::{Advisory, Load};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Advisory")]
pub struct AdvisoryEntity {
    /// The id of its database.
    pub id: String,
    pub aliases: Vec<String>,
    pub summary: Option<String>,
    /// `unknown`, `none`, `low`, `medium`, `high`, `critical`.
    pub severity: String,
    /// A vector of CVSS 3.
    pub vector: Option<String>,
    pub url: Option<String>,
    pub modified_at: String,
    pub loaded_at: String,
}

impl From<Advisory> for AdvisoryEntity {
    fn from(advisory: Advisory) -> AdvisoryEntity {
        AdvisoryEntity {
            id: advisory.name,
            aliases: advisory.aliases.0,
            summary: advisory.summary,
            severity: advisory.severity,
            vector: advisory.vector,
            url: advisory.url,
            modified_at: wire::text(advisory.modified_at),
            loaded_at: wire::text(advisory.created_at),
        }
    }
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "AdvisoryLoad")]
pub struct LoadEntity {
    pub id: i64,
    /// `running`, `finished`, or `failed` where nothing was read.
    pub status: &'static str,
    /// New ones, and newer ones of those there.
    pub loaded: i64,
    pub unchanged: i64,
    /// Those that were withdrawn.
    pub removed: i64,
    /// What was no advisory.
    pub refused: i64,
    /// Why it was not read, or why the first was refused.
    pub reason: Option<String>,
    pub created_at: String,
    pub finished_at: Option<String>,
}

impl From<Load> for LoadEntity {
    fn from(load: Load) -> LoadEntity {
        let nothing = load.loaded + load.unchanged + load.removed == 0;
        let status = match (load.finished_at, &load.reason) {
            (None, _) => "running",
            (Some(_), Some(_)) if nothing => "failed",
            (Some(_), _) => "finished",
        };
        LoadEntity {
            id: load.id,
            status,
            loaded: load.loaded,
            unchanged: load.unchanged,
            removed: load.removed,
            refused: load.refused,
            reason: load.reason,
            created_at: wire::text(load.created_at),
            finished_at: load.finished_at.map(wire::text),
        }
    }
}
