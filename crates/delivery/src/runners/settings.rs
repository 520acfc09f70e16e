//! What administrators say of all runners.

use kernel::error::{Error, Result};

kernel::setting! {
    pub struct RunnerSettings = "delivery.runners" {
        /// Whether runners may register by a registration token.
        pub registration_tokens: bool = true,
        /// Most bytes of one file that a job leaves, in MiB.
        pub max_artifacts_size: i64 = 100,
    }
}

impl RunnerSettings {
    pub fn validate(&self) -> Result<()> {
        match (1..=1_048_576).contains(&self.max_artifacts_size) {
            true => Ok(()),
            false => Err(Error::invalid("max_artifacts_size", "must be between 1 and 1048576")),
        }
    }
}

identity::settings_part! {
    RunnerSettings {
        /// Whether runners may register with a registration token.
        allow_runner_registration_token: bool => registration_tokens,
        /// Most bytes of one file that a job leaves, in MiB.
        max_artifacts_size: i64 => max_artifacts_size,
    } sealed {}
}
