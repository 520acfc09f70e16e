//! Progress bars of the commands that may take long; silent when standard
//! error is no terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that counts `total` things called `what`.
pub fn things(what: &'static str, total: u64) -> ProgressBar {
    bar(total, "{prefix:>10} {wide_bar} {pos}/{len} {eta}").with_prefix(what)
}

/// A bar that counts bytes.
pub fn bytes(what: &'static str, total: u64) -> ProgressBar {
    bar(total, "{prefix:>10} {wide_bar} {bytes}/{total_bytes} {eta}").with_prefix(what)
}

fn bar(total: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
