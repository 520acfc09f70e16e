//! How much a push may bring.

use kernel::error::{Error, Result};

/// Most MiB that can be set: 1 TiB.
const MOST: i64 = 1 << 20;

kernel::setting! {
    /// Bounds of pushes.
    #[derive(Copy)]
    pub struct PushLimits = "repositories.push_limits" {
        pub megabytes: i64 = 5 * 1024,
    }
}

identity::settings_part! {
    PushLimits {
        /// MiB that a push, or a large file, may bring; 0 for any number.
        receive_max_input_size: i64 => megabytes,
    } sealed {}
}

impl PushLimits {
    /// Of what is on this machine already.
    pub const NONE: Self = Self { megabytes: 0 };

    fn validate(self) -> Result<()> {
        match (0..=MOST).contains(&self.megabytes) {
            true => Ok(()),
            false => {
                let text = format!("must be between 0 and {MOST}");
                Err(Error::invalid("receive_max_input_size", text))
            }
        }
    }

    /// In bytes; 0 for any number.
    pub fn bytes(self) -> u64 {
        self.megabytes.unsigned_abs() << 20
    }
}
