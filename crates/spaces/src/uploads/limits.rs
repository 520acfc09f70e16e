//! How large a file may be.

use kernel::error::{Error, Result};

/// Most MiB that can be allowed: 1 TiB.
const MOST: i64 = 1 << 20;

kernel::setting! {
    /// What people may put into texts.
    #[derive(PartialEq, Eq)]
    pub struct UploadLimits = "uploads" {
        pub megabytes: i64 = 100,
    }
}

identity::settings_part! {
    UploadLimits {
        /// MiB that a file of a text may have.
        max_attachment_size: i64 => megabytes,
    } sealed {}
}

impl UploadLimits {
    fn validate(&self) -> Result<()> {
        match (1..=MOST).contains(&self.megabytes) {
            true => Ok(()),
            false => {
                let text = format!("must be between 1 and {MOST}");
                Err(Error::invalid("max_attachment_size", text))
            }
        }
    }

    /// In bytes.
    pub fn bytes(&self) -> u64 {
        self.megabytes.unsigned_abs() << 20
    }
}
