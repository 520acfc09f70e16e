//! What is asked of the files of new commits.

use super::check::{Judged, cut};
use super::model::{PushRule, pattern};
use crate::formats::object_id::ObjectId;
use crate::git::PATIENCE;
use crate::receive::Quarantine;
use crate::rules::push::PushRefused;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::programs::Invocation;
use regex::Regex;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// Commits whose files one git lists.
const BATCH: usize = 500;
/// Most bytes of the names of those of a batch.
const MOST: usize = 64 * 1024 * 1024;

/// Names of files that hold keys, passwords or what somebody typed.
const SECRETS: &[&str] = &[
    r"(^|/)id_(rsa|dsa|ecdsa|ed25519)(_sk)?$",
    r"\.(pem|key|p12|pfx|ppk|jks|keystore|kdbx)$",
    r"(^|/)\.(netrc|pgpass|htpasswd|my\.cnf|git-credentials)$",
    r"(^|/)(\.aws/credentials|\.docker/config\.json|\.kube/config)$",
    r"(^|/)\.[a-z_]*_?history$",
];

/// A rule as it is asked of files.
pub(super) struct Wanted {
    /// Paths that new files do not have, each as it is told.
    forbidden: Vec<(String, Regex)>,
    /// Megabytes; 0 for any.
    largest: u64,
}

impl Wanted {
    /// # Errors
    ///
    /// If a pattern is none, as who pushes is told.
    pub fn of(rule: &PushRule) -> Result<Wanted, String> {
        let secrets: &[&str] = if rule.prevent_secrets { SECRETS } else { &[] };
        let all = std::iter::once(rule.file_name_regex.as_str()).chain(secrets.iter().copied());
        let mut forbidden = Vec::new();
        for text in all {
            forbidden.extend(pattern(text)?.map(|regex| (text.to_owned(), regex)));
        }
        Ok(Wanted { forbidden, largest: rule.max_file_size.unsigned_abs() })
    }

    pub fn asks_nothing(&self) -> bool {
        self.forbidden.is_empty() && self.largest == 0
    }

    fn judge(&self, path: &str) -> Result<(), String> {
        match self.forbidden.iter().find(|(_, regex)| regex.is_match(path)) {
            Some((text, _)) => {
                let path = cut(path);
                Err(format!("File name {path} was prohibited by the pattern \"{text}\"."))
            }
            None => Ok(()),
        }
    }
}

/// Judges the files of new commits, and of the refs that lead to them.
pub(super) async fn check(
    app: &App, quarantine: &Quarantine, wanted: &Wanted, (tips, new): (&[ObjectId], &[ObjectId]),
) -> Result<Judged> {
    if !wanted.forbidden.is_empty() {
        for ids in new.chunks(BATCH) {
            if let Err(text) = names(app, quarantine, wanted, ids).await? {
                return Ok(Err(PushRefused(text)));
            }
        }
    }
    if wanted.largest == 0 {
        return Ok(Ok(()));
    }
    Ok(match too_large(app, quarantine, wanted.largest, tips).await? {
        Some(path) => Err(PushRefused(format!(
            "File \"{}\" is larger than the allowed size of {} MB",
            cut(&path),
            wanted.largest
        ))),
        None => Ok(()),
    })
}

/// Judges the paths that some commits add.
async fn names(
    app: &App, quarantine: &Quarantine, wanted: &Wanted, ids: &[ObjectId],
) -> Result<Result<(), String>> {
    let listing = quarantine.git(app).await?.args([
        "diff-tree",
        "--stdin",
        "-r",
        "-c",
        "--root",
        "--no-renames",
        "--diff-filter=A",
        "--name-only",
        "--no-commit-id",
        "-z",
    ]);
    let listed = match listing.ask(lines(ids).into_bytes(), MOST, PATIENCE).await {
        Err(Error::TooLarge) => return Ok(Err("The push has too many files".into())),
        listed => listed?,
    };
    listed.ended.check("git diff-tree")?;
    let text = String::from_utf8_lossy(&listed.output).into_owned();
    let mut paths = text.split('\0').filter(|path| !path.is_empty());
    Ok(paths.try_for_each(|path| wanted.judge(path)))
}

/// The path of a new file of more megabytes than this, if there is one.
async fn too_large(
    app: &App, quarantine: &Quarantine, megabytes: u64, tips: &[ObjectId],
) -> Result<Option<String>> {
    let least = megabytes * 1024 * 1024 + 1;
    let walk = ["rev-list", "--objects", "--stdin", "--not", "--all"];
    let omitted = ["--filter-print-omitted".to_owned(), format!("--filter=blob:limit={least}")];
    let walking = quarantine.git(app).await?.args(walk).args(omitted);
    let large = first_line(walking, tips, |line| line.starts_with('~')).await?;
    let Some(id) = large.and_then(|line| line.get(1..41).map(str::to_owned)) else {
        return Ok(None);
    };
    let walking = quarantine.git(app).await?.args(walk);
    let named = first_line(walking, tips, |line| line.starts_with(&id)).await?;
    let path = named.and_then(|line| line.get(41..).map(str::to_owned));
    Ok(Some(path.unwrap_or(id)))
}

/// The first line that is looked for of what git says of some objects.
async fn first_line(
    asking: Invocation, ids: &[ObjectId], is_wanted: impl Fn(&str) -> bool,
) -> Result<Option<String>> {
    let mut running = asking.start()?;
    if let Some(mut stdin) = running.stdin() {
        stdin.write_all(lines(ids).as_bytes()).await?;
        stdin.shutdown().await?;
    }
    let mut found = None;
    if let Some(stdout) = running.stdout() {
        let mut said = BufReader::new(stdout).split(b'\n');
        while let Some(line) = said.next_segment().await? {
            let line = String::from_utf8_lossy(&line);
            if found.is_none() && is_wanted(&line) {
                found = Some(line.into_owned());
            }
        }
    }
    running.end().await?.check("git rev-list")?;
    Ok(found)
}

fn lines(ids: &[ObjectId]) -> String {
    ids.iter().map(|id| format!("{id}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_refused() {
        let rule = PushRule { prevent_secrets: true, ..PushRule::default() };
        let wanted = Wanted::of(&rule).expect("good patterns");
        for bad in [
            "id_rsa",
            "keys/id_ed25519",
            "server.pem",
            "a/b.p12",
            ".netrc",
            "home/.bash_history",
            "x/.aws/credentials",
        ] {
            assert!(wanted.judge(bad).is_err(), "{bad}");
        }
        for good in ["id_rsa.pub", "pem.txt", "docs/history", "README.md", "netrc"] {
            assert_eq!(wanted.judge(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn names_are_refused_with_their_pattern() {
        let rule = PushRule { file_name_regex: r"\.exe$".into(), ..PushRule::default() };
        let wanted = Wanted::of(&rule).expect("a good pattern");
        assert_eq!(
            wanted.judge("bin/a.exe"),
            Err("File name bin/a.exe was prohibited by the pattern \"\\.exe$\".".into())
        );
    }
}
