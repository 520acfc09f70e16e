//! What REST shows of licence policies, in wire order.

use super::model::{Mode, Policy};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "LicensePolicy")]
pub struct PolicyEntity {
    pub mode: Mode,
    /// Ids of the SPDX list; `unknown` stands for what nobody knows.
    pub licenses: Vec<String>,
    /// The project that has it, if it is not that of a group.
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub created_at: String,
    pub updated_at: String,
}

impl From<Policy> for PolicyEntity {
    fn from(policy: Policy) -> PolicyEntity {
        PolicyEntity {
            mode: policy.mode,
            licenses: policy.licenses.0,
            project_id: policy.project_id,
            group_id: policy.group_id,
            created_at: wire::text(policy.created_at),
            updated_at: wire::text(policy.updated_at),
        }
    }
}
