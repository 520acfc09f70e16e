//! What a shell is given to run, and the environment of a job.

use crate::Failed;
use crate::wire::{Job, Variable};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// The lines of a job as one script: it sets the environment, shows each line before it
/// runs it, and ends with the first that fails. Bash and plain shells run it alike.
///
/// The environment stands in the script, since the variables of a job must not decide how
/// the programs are found and told that start its shell.
pub fn text(environment: &BTreeMap<String, String>, lines: &[String]) -> String {
    let mut script = String::new();
    for (key, value) in environment {
        // Writing to a text cannot fail.
        let _ = writeln!(script, "export {key}={}", quoted(value));
    }
    script.push_str("if set -o | grep -q pipefail; then set -o pipefail; fi\n");
    script.push_str("set -e\nulimit -c 0\n");
    for line in lines {
        let _ = writeln!(script, "printf '%s\\n' {}", quoted(&shown(line)));
        let _ = writeln!(script, "{line}");
    }
    script
}

/// A line in colour; of one that goes on, its beginning.
fn shown(line: &str) -> String {
    let first = line.lines().next().unwrap_or_default();
    let more = match line.trim_end().contains('\n') {
        true => " # collapsed multi-line command",
        false => "",
    };
    format!("\u{1b}[32;1m$ {first}{more}\u{1b}[0;m")
}

/// A text as one word of a shell.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Where things of a job are.
pub struct Places<'p> {
    /// Files with values of variables: outside of the code.
    pub files: &'p Path,
    /// The code, and these files, as the job sees them.
    pub seen_project: String,
    pub seen_files: String,
}

/// What a job is told: its variables, the paths of those that are files, and where it is.
///
/// # Errors
///
/// Where a file cannot be written.
pub fn environment(job: &Job, at: &Places<'_>) -> Result<BTreeMap<String, String>, Failed> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(at.files)?;
    let mut all = BTreeMap::from([
        ("CI_SERVER".to_owned(), "yes".to_owned()),
        ("CI_BUILDS_DIR".to_owned(), parent(&at.seen_project)),
        ("CI_PROJECT_DIR".to_owned(), at.seen_project.clone()),
        ("TERM".to_owned(), "dumb".to_owned()),
    ]);
    for variable in job.variables.iter().filter(|one| is_name(&one.key)) {
        let value = match variable.file {
            true => file(variable, at)?,
            false => variable.value.clone(),
        };
        all.insert(variable.key.clone(), value);
    }
    Ok(all)
}

fn parent(path: &str) -> String {
    path.rsplit_once('/').map_or("/", |(before, _)| before).to_owned()
}

/// Whether a shell knows such a variable: others cannot be told, nor become files.
fn is_name(key: &str) -> bool {
    let letters = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    letters && !key.is_empty() && !key.starts_with(|c: char| c.is_ascii_digit())
}

fn file(variable: &Variable, at: &Places<'_>) -> Result<String, Failed> {
    let path = at.files.join(&variable.key);
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    std::io::Write::write_all(&mut file, variable.value.as_bytes())?;
    Ok(format!("{}/{}", at.seen_files, variable.key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(lines: &[&str]) -> (String, Option<i32>) {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let output = std::process::Command::new("sh")
            .args(["-c", &text(&BTreeMap::new(), &lines)])
            .output();
        let output = output.expect("there is a shell");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    }

    #[test]
    fn lines_are_shown_and_run_until_one_fails() {
        let (said, code) = ran(&["echo it\\'s", "printf %s 'a'\necho b", "exit 4", "echo never"]);
        assert_eq!(code, Some(4));
        assert!(said.contains("$ echo it\\'s\u{1b}[0;m\nit's\n"), "{said}");
        assert!(said.contains("# collapsed multi-line command\u{1b}[0;m\nab\n"), "{said}");
        assert!(!said.contains("never\n"), "{said}");
        let (_, code) = ran(&["false", "echo never"]);
        assert_eq!(code, Some(1));
    }

    #[test]
    fn a_word_stays_one() {
        for text in ["a b", "it's", "$HOME `id` \\ \"", "", "a\nb"] {
            let (said, _) = ran(&[&format!("printf %s {}", quoted(text))]);
            assert!(said.ends_with(&format!("\u{1b}[0;m\n{text}")), "{text:?}: {said:?}");
        }
    }

    #[test]
    fn names_that_no_shell_knows_are_left_out() {
        for (key, known) in [
            ("KEY", true),
            ("_a1", true),
            ("1A", false),
            ("A-B", false),
            ("", false),
            ("../x", false),
        ] {
            assert_eq!(is_name(key), known, "{key}");
        }
    }
}
