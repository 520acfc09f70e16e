//! In what a job runs: a shell of this machine, or containers of docker or podman.

use crate::Failed;
use crate::log::Log;
use crate::process::{Bounds, run};
use crate::script::quoted;
use crate::wire::{Image, Job};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// Where containers see the folder of their job.
const INSIDE: &str = "/builds";
/// Runs a script with the better shell that an image has.
const ANY_SHELL: &str =
    "if command -v bash >/dev/null; then exec bash \"$0\"; else exec sh \"$0\"; fi";

#[derive(Debug, Clone)]
pub enum Executor {
    Shell,
    /// The program of the engine, and the image of jobs that name none.
    Container {
        engine: String,
        image: String,
    },
}

impl Executor {
    /// As the server is told.
    pub fn name(&self) -> &'static str {
        match self {
            Executor::Shell => "shell",
            Executor::Container { .. } => "docker",
        }
    }
}

/// Where one job runs.
pub struct Room {
    kind: Kind,
    /// The folder of the job on this machine.
    folder: PathBuf,
}

enum Kind {
    Shell,
    Container(Containers),
}

/// The containers of a job, all in a network of their own.
struct Containers {
    engine: String,
    name: String,
    image: Image,
    services: Vec<String>,
}

impl Room {
    /// Gets ready for a job.
    ///
    /// # Errors
    ///
    /// Where an image cannot be had or a service not be started.
    pub async fn prepare(
        executor: &Executor, job: &Job, folder: &Path, log: &Log, bounds: &Bounds,
    ) -> Result<Room, Failed> {
        let kind = match executor {
            Executor::Shell => {
                log.say("Using Shell executor").await;
                Kind::Shell
            }
            Executor::Container { engine, image } => {
                let containers = Containers::prepare((engine, image), job, log, bounds).await?;
                Kind::Container(containers)
            }
        };
        Ok(Room { kind, folder: folder.to_owned() })
    }

    /// How a path below the folder of the job looks from inside.
    pub fn seen(&self, path: &Path) -> String {
        match (&self.kind, path.strip_prefix(&self.folder)) {
            (Kind::Container(_), Ok(rest)) => format!("{INSIDE}/{}", rest.display()),
            _ => path.display().to_string(),
        }
    }

    /// What runs a script in the folder of the code.
    pub fn command(&self, script: &Path, project: &Path) -> Command {
        match &self.kind {
            Kind::Shell => self.shell(script, project),
            Kind::Container(it) => {
                it.command(&self.folder, &self.seen(script), &self.seen(project))
            }
        }
    }

    /// A shell that knows of this program's environment only where programs are.
    fn shell(&self, script: &Path, project: &Path) -> Command {
        let path =
            std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        let has_bash = std::env::split_paths(&path).any(|folder| folder.join("bash").is_file());
        let mut command = Command::new(if has_bash { "bash" } else { "sh" });
        command.arg(script).current_dir(project).env_clear().env("PATH", path);
        for name in ["LANG", "LC_ALL", "TZ", "USER", "LOGNAME", "SHELL"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command.env("HOME", self.folder.join("home"));
        command
    }

    /// Takes away what was made for the job.
    pub async fn clean(&self) {
        if let Kind::Container(it) = &self.kind {
            it.clean().await;
        }
    }

    /// Takes away files that another user of a container made.
    pub async fn empty(&self) {
        if let Kind::Container(it) = &self.kind {
            it.empty(&self.folder).await;
        }
    }
}

impl Containers {
    async fn prepare(
        (engine, image): (&str, &str), job: &Job, log: &Log, bounds: &Bounds,
    ) -> Result<Containers, Failed> {
        let default = || Image {
            name: image.to_owned(),
            alias: None,
            entrypoint: Vec::new(),
            command: Vec::new(),
            variables: Vec::new(),
        };
        let mut containers = Containers {
            engine: engine.to_owned(),
            name: format!("tenon-job-{}", job.id),
            image: job.image.clone().unwrap_or_else(default),
            services: Vec::new(),
        };
        log.say(&format!("Using image {}", containers.image.name)).await;
        containers.done(&["network", "create", &containers.name], log, bounds).await?;
        for (at, service) in job.services.iter().enumerate() {
            if let Err(error) = containers.start(at, service, log, bounds).await {
                containers.clean().await;
                return Err(error);
            }
        }
        Ok(containers)
    }

    /// Runs the engine, and has it succeed.
    async fn done(&self, arguments: &[&str], log: &Log, bounds: &Bounds) -> Result<(), Failed> {
        let mut command = Command::new(&self.engine);
        command.args(arguments);
        match run(command, log, bounds.clone()).await?.is_good() {
            true => Ok(()),
            false => Err(Failed::of(format!("{} {} failed", self.engine, arguments.join(" ")))),
        }
    }

    async fn start(
        &mut self, at: usize, service: &Image, log: &Log, bounds: &Bounds,
    ) -> Result<(), Failed> {
        log.say(&format!("Starting service {}", service.name)).await;
        let name = format!("{}-service-{at}", self.name);
        let variables: Vec<String> = service
            .variables
            .iter()
            .map(|one| format!("{}={}", one.key, one.value))
            .collect();
        let aliases = aliases(service);
        let mut arguments = vec!["run", "--detach", "--name", &name, "--network", &self.name];
        for alias in &aliases {
            arguments.extend(["--network-alias", alias]);
        }
        for variable in &variables {
            arguments.extend(["--env", variable]);
        }
        arguments.extend(entrypoint(service));
        arguments.push(&service.name);
        arguments.extend(service.entrypoint.iter().skip(1).map(String::as_str));
        arguments.extend(service.command.iter().map(String::as_str));
        let started = self.done(&arguments, log, bounds).await;
        self.services.push(name.clone());
        started
    }

    fn command(&self, folder: &Path, script: &str, project: &str) -> Command {
        let mut command = Command::new(&self.engine);
        command
            .args(["run", "--rm", "--name", &self.name, "--network", &self.name])
            .arg("--volume")
            .arg(format!("{}:{INSIDE}", folder.display()))
            .args(["--workdir", project])
            .args(["--env", "GIT_CONFIG_COUNT=1", "--env", "GIT_CONFIG_KEY_0=safe.directory"])
            .args(["--env", "GIT_CONFIG_VALUE_0=*"])
            .args(entrypoint(&self.image))
            .arg(&self.image.name)
            .args(self.image.entrypoint.iter().skip(1))
            .args(["sh", "-c", ANY_SHELL, script]);
        command
    }

    /// Runs the engine for what it leaves; whether it does is of no account.
    async fn quietly(&self, arguments: &[&str]) {
        let mut command = Command::new(&self.engine);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Err(error) = command.status().await {
            tracing::warn!(engine = self.engine, %error, "a container engine is not reached");
        }
    }

    async fn clean(&self) {
        let mut names: Vec<&str> = self.services.iter().map(String::as_str).collect();
        names.push(&self.name);
        self.quietly(&[&["rm", "--force", "--volumes"], &names[..]].concat()).await;
        self.quietly(&["network", "rm", &self.name]).await;
    }

    async fn empty(&self, folder: &Path) {
        let volume = format!("{}:{INSIDE}", folder.display());
        let all = format!("rm -rf {}/* {}/.[!.]*", quoted(INSIDE), quoted(INSIDE));
        let shell = ["--entrypoint", "sh", &self.image.name, "-c", &all];
        self.quietly(&[&["run", "--rm", "--user", "0", "--volume", &volume], &shell[..]].concat())
            .await;
    }
}

/// The program that an image is to begin with: another than its own.
fn entrypoint(image: &Image) -> Vec<&str> {
    match image.entrypoint.first() {
        Some(program) => vec!["--entrypoint", program],
        None => Vec::new(),
    }
}

/// The names by which a job reaches a service: `host:5000/acme/db:1` as `host__acme__db` and
/// `host-acme-db`, and those that the file says.
fn aliases(service: &Image) -> Vec<String> {
    let parts = service
        .name
        .split('/')
        .map(|part| part.split([':', '@']).next().unwrap_or(part));
    let parts: Vec<&str> = parts.collect();
    let mut all = vec![parts.join("__"), parts.join("-")];
    all.extend(service.alias.iter().flat_map(|text| text.split([' ', ',']).map(str::to_owned)));
    all.retain(|alias| !alias.is_empty());
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_have_the_names_that_jobs_know() {
        for (name, alias, wanted) in [
            ("postgres:16", None, &["postgres"][..]),
            ("acme/db:1", Some("db"), &["acme__db", "acme-db", "db"]),
            (
                "host.example:5000/acme/db",
                None,
                &["host.example__acme__db", "host.example-acme-db"],
            ),
        ] {
            let service = Image {
                name: name.to_owned(),
                alias: alias.map(str::to_owned),
                entrypoint: Vec::new(),
                command: Vec::new(),
                variables: Vec::new(),
            };
            assert_eq!(aliases(&service), wanted, "{name}");
        }
    }
}
