//! Whether there are large files at all.

kernel::setting! {
    /// Large files on this instance.
    #[derive(Copy)]
    pub struct LfsSettings = "repositories.lfs" {
        pub enabled: bool = true,
    }
}

identity::settings_part! {
    LfsSettings {
        /// Projects may have large files (git LFS).
        lfs_enabled: bool => enabled,
    } sealed {}
}

impl LfsSettings {
    #[expect(clippy::unnecessary_wraps, reason = "settings are checked alike")]
    fn validate(self) -> kernel::error::Result<()> {
        Ok(())
    }
}
