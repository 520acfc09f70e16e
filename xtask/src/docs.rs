//! `cargo xtask docs`: files in the repository that the program writes.
//!
//! `tenon generate NAME` prints each of them. They are checked in so that a
//! change of the interface shows in review; a test of testkit compares them
//! in every run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use xtask::server;
use xtask::steps::{self, Outcome};
use xtask::tree;

/// The generated files at the top of the checkout.
const GENERATED: [&str; 4] = ["openapi.json", "routes.txt", "schema.graphql", "tenon.sample.toml"];

/// What `cargo xtask docs` takes.
#[derive(clap::Args)]
pub struct Options {
    /// Fail when a file differs or a page is not listed, and write nothing.
    #[arg(long)]
    check: bool,
}

/// Writes the generated files, or compares them.
pub fn run(options: &Options) -> Outcome {
    if options.check {
        check_lists().and_then(|()| check())
    } else {
        write()
    }
}

/// Directories whose README lists every page beside it.
const LISTED: [&str; 3] = ["docs/guide", "docs/decisions", "docs/interface"];

/// Fails with the names of the pages that no list has.
pub fn check_lists() -> Outcome {
    LISTED.into_iter().try_for_each(check_listed)
}

/// Fails with the names of the files that are not what the program prints.
fn check() -> Outcome {
    let program = server::checked()?;
    let mut stale = Vec::new();
    for name in GENERATED {
        let current = fs::read_to_string(tree::root().join(name)).unwrap_or_default();
        if current != generate(&program, name)? {
            stale.push(name);
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("{} not up to date; run cargo xtask docs", stale.join(", ")))
}

fn check_listed(directory: &str) -> Outcome {
    let path = tree::root().join(directory);
    let failed = |error: std::io::Error| format!("{directory}: {error}");
    let list = fs::read_to_string(path.join("README.md")).map_err(failed)?;
    let missing: Vec<String> = fs::read_dir(&path)
        .map_err(failed)?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != "README.md" && !list.contains(&format!("({name})")))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("{directory}/README.md does not list {}", missing.join(", ")))
}

fn write() -> Outcome {
    let program = server::checked()?;
    for name in GENERATED {
        let path = tree::root().join(name);
        fs::write(&path, generate(&program, name)?)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        steps::say(&format!("wrote {name}"));
    }
    Ok(())
}

fn generate(program: &Path, name: &str) -> Result<String, String> {
    let output = Command::new(program)
        .args(["generate", name])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("tenon generate {name} ended with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{name} is not UTF-8"))
}
