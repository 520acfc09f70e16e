//! Merge requests that commands of issues asked for.

use super::viewer;
use crate::rules::from_issue::carry_out;
use crate::tasks::CreateOfIssue;
use kernel::error::Error;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<CreateOfIssue>();
}

impl Job for CreateOfIssue {
    const NAME: &'static str = "reviews.create_of_issue";

    fn dedupe_key(&self) -> Option<String> {
        Some(format!("{}:{}", self.project, self.branch))
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let Some(by) = viewer(&run.app, Some(self.user)).await? else {
            return Ok(());
        };
        match carry_out(&run.app, &by, &self).await {
            Ok(_) => Ok(()),
            Err(error @ (Error::Internal(_) | Error::Unavailable(_))) => Err(error.into()),
            // It is there, or may not be made any more.
            Err(error) => {
                tracing::info!(project = self.project, %error, "no merge request of an issue");
                Ok(())
            }
        }
    }
}
