//! What alerts refer to, as REST and pages show it.

use super::model::Alert;
use super::store::alerts::issue_iids;
use identity::entities::load_basic;
use identity::model::User;
use kernel::error::Result;
use std::collections::HashMap;
use store::Tx;

/// Who looks after alerts, and the numbers of their incidents.
#[derive(Debug)]
pub struct Related {
    users: HashMap<i64, User>,
    issues: HashMap<i64, i64>,
}

impl Related {
    /// Of these alerts, by two statements.
    pub fn read(tx: &mut Tx<'_>, alerts: &[Alert]) -> Result<Related> {
        let of = |id: fn(&Alert) -> Option<i64>| alerts.iter().filter_map(id).collect::<Vec<_>>();
        Ok(Related {
            users: load_basic(tx, &of(|alert| alert.assignee_id))?,
            issues: issue_iids(tx, of(|alert| alert.issue_id))?,
        })
    }

    pub fn assignee(&self, alert: &Alert) -> Option<&User> {
        self.users.get(&alert.assignee_id?)
    }

    /// The number of its incident in the project.
    pub fn issue_iid(&self, alert: &Alert) -> Option<i64> {
        self.issues.get(&alert.issue_id?).copied()
    }
}
