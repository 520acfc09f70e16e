//! How much a push may bring.

kernel::setting! {
    /// Bounds of pushes.
    #[derive(Copy)]
    pub struct PushLimits = "repositories.push_limits" {
        /// Bytes of a push; 0 for any number.
        pub receive_max_input_size: i64 = 5 * 1024 * 1024 * 1024,
    }
}

impl PushLimits {
    /// Refuses what makes no sense.
    pub fn validate(&self) -> kernel::error::Result<()> {
        match self.receive_max_input_size >= 0 {
            true => Ok(()),
            false => Err(kernel::error::Error::invalid(
                "receive_max_input_size",
                "must be greater than or equal to 0",
            )),
        }
    }
}
