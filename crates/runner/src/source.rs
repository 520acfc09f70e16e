//! The code of a job, by git. The token of the job is on no command line and in no file:
//! git asks for it what the environment has.

use crate::Failed;
use crate::log::Log;
use crate::process::{Bounds, Ended, run};
use crate::wire::Job;
use std::path::Path;
use std::time::Duration;
use tokio::process::Command;
use url::Url;

/// How often the code is asked for, and how long is waited in between.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_secs(2);
/// Answers git with the token of the job.
const HELPER: &str = "!f() { test \"$1\" = get && \
                      printf 'username=gitlab-ci-token\\npassword=%s\\n' \"$CI_JOB_TOKEN\"; }; f";

/// Git for one job.
struct Git<'g> {
    job: &'g Job,
    /// Where the code comes to be, and the home of who fetches it.
    project: &'g Path,
    home: &'g Path,
}

impl Git<'_> {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .args(arguments)
            .current_dir(self.project)
            .env("HOME", self.home)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("CI_JOB_TOKEN", &self.job.token);
        command
    }

    async fn run(&self, log: &Log, bounds: &Bounds, arguments: &[&str]) -> Result<Ended, Failed> {
        Ok(run(self.command(arguments), log, bounds.clone()).await?)
    }
}

/// Fetches the commit of a job, and puts its files into a folder.
///
/// # Errors
///
/// Where git is not there or the address is none.
pub async fn fetch(
    job: &Job, (project, home): (&Path, &Path), log: &Log, bounds: &Bounds,
) -> Result<Ended, Failed> {
    match job.variable("GIT_STRATEGY") {
        Some("none" | "empty") => {
            log.say("Skipping Git repository setup").await;
            return Ok(Ended::Code(0));
        }
        _ => log.say(&format!("Fetching changes of {}", job.git_info.r#ref)).await,
    }
    let mut url = Url::parse(&job.git_info.repo_url)
        .map_err(|error| Failed::of(format!("the address of the code: {error}")))?;
    // A local address has no place for them, and needs none.
    let _ = (url.set_username(""), url.set_password(None));
    let origin = url.as_str();
    let git = Git { job, project, home };
    for arguments in [
        &["init", "--quiet"][..],
        &["remote", "add", "origin", origin],
        &["config", "credential.helper", ""],
        &["config", "--add", "credential.helper", HELPER],
    ] {
        let ended = git.run(log, bounds, arguments).await?;
        if !ended.is_good() {
            return Ok(ended);
        }
    }
    let ended = objects(&git, log, bounds).await?;
    if !ended.is_good() {
        return Ok(ended);
    }
    let sha = job.git_info.sha.as_str();
    let short = sha.get(..8).unwrap_or(sha);
    log.say(&format!("Checking out {short} as detached HEAD")).await;
    let ended = git
        .run(log, bounds, &["checkout", "--quiet", "--force", "--detach", sha])
        .await?;
    match ended.is_good() {
        true => submodules(&git, log, bounds).await,
        false => Ok(ended),
    }
}

async fn objects(git: &Git<'_>, log: &Log, bounds: &Bounds) -> Result<Ended, Failed> {
    let asked = git.job.variable("GIT_DEPTH").and_then(|text| text.parse().ok());
    let depth: u32 = asked.unwrap_or(git.job.git_info.depth);
    let deep = format!("--depth={depth}");
    let mut arguments = vec!["fetch", "--quiet", "--no-tags", "origin"];
    if depth > 0 {
        arguments.insert(1, &deep);
    }
    arguments.extend(git.job.git_info.refspecs.iter().map(String::as_str));
    let mut ended = git.run(log, bounds, &arguments).await?;
    for _ in 1..TRIES {
        if !matches!(ended, Ended::Code(code) if code != 0) {
            break;
        }
        tokio::time::sleep(PAUSE).await;
        ended = git.run(log, bounds, &arguments).await?;
    }
    Ok(ended)
}

async fn submodules(git: &Git<'_>, log: &Log, bounds: &Bounds) -> Result<Ended, Failed> {
    let mut arguments = vec!["submodule", "update", "--init", "--quiet"];
    match git.job.variable("GIT_SUBMODULE_STRATEGY") {
        Some("normal") => {}
        Some("recursive") => arguments.push("--recursive"),
        _ => return Ok(Ended::Code(0)),
    }
    log.say("Updating submodules").await;
    git.run(log, bounds, &arguments).await
}
