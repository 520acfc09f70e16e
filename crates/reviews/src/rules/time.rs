//! Time tracking.

use super::change::reread;
use super::remarks::remark;
use crate::model::MergeRequest;
use crate::store::filter::REQUESTS;
use ::store::Tx;
use kernel::error::Result;
use planning::rules::times::Timed;
use planning::store::listed::Listed;

impl Timed for MergeRequest {
    const LISTED: Listed = REQUESTS;

    fn id(&self) -> i64 {
        self.id
    }

    fn times(&self) -> (i64, i64) {
        (self.time_estimate, self.time_spent)
    }

    fn remark(&self, tx: &mut Tx<'_>, actor: Option<i64>, text: &str) -> Result<()> {
        remark(tx, self, actor, text)
    }

    fn reread(&self, tx: &mut Tx<'_>) -> Result<MergeRequest> {
        reread(tx, self.id)
    }
}
