//! One job, from its code to the files that it leaves.

use crate::cache::{Caches, Restored};
use crate::client::{Client, Standing, State};
use crate::executor::{Executor, Room};
use crate::files::{self, Chosen};
use crate::log::{Log, Sending};
use crate::process::{Bounds, Ended, run};
use crate::script::{self, Places};
use crate::wire::{Artifact, Job};
use crate::{Failed, source};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use tokio::time::Instant;

/// How long what runs after a script may take, and what is stored when its time is over.
const AFTER: Duration = Duration::from_secs(5 * 60);

/// What all jobs of a runner share.
#[derive(Clone)]
pub struct Shared {
    pub client: Client,
    pub executor: Executor,
    /// Where jobs and caches are.
    pub folder: PathBuf,
}

/// Runs a job, and tells the server of it. `halt` ends it at once.
pub async fn perform(shared: Shared, job: Job, mut halt: watch::Receiver<bool>) {
    let (job, log) = (Arc::new(job), Log::default());
    let (mut sending, standing) = Sending::new(shared.client.clone(), job.clone(), log.clone());
    let stopper = sending.stopper();
    let work = work(&shared, &job, &log, standing);
    tokio::pin!(work);
    let state = loop {
        tokio::select! {
            state = &mut work => break state,
            () = sending.run() => {}
            () = halted(&mut halt) => {
                stopper.send_replace(Standing::Halted);
                break work.await;
            }
        }
    };
    sending.finish(&state).await;
}

/// Waits for the end of all jobs.
async fn halted(halt: &mut watch::Receiver<bool>) {
    if halt.wait_for(|halts| *halts).await.is_err() {
        std::future::pending().await
    }
}

async fn work(
    shared: &Shared, job: &Arc<Job>, log: &Log, standing: watch::Receiver<Standing>,
) -> State {
    let folder = shared.folder.join("jobs").join(job.id.to_string());
    let seconds = Duration::from_secs(job.runner_info.timeout.max(1));
    let until = Instant::now() + seconds;
    let bounds = Bounds { until, standing, cleans_up: false };
    let greeting = concat!("Running with tenon runner ", env!("CARGO_PKG_VERSION"));
    log.say(greeting).await;
    let desk = Desk { shared, job, log, bounds, folder: &folder };
    let state = match desk.all().await {
        Ok(ended) => desk.state(ended, seconds).await,
        Err(error) => {
            log.wrong(&format!("ERROR: Job failed (system failure): {error}")).await;
            State::Failed { reason: error.reason(), exit_code: None }
        }
    };
    if state == State::Success {
        log.line("\u{1b}[32;1mJob succeeded\u{1b}[0;m").await;
    }
    state
}

/// A job at work.
struct Desk<'d> {
    shared: &'d Shared,
    job: &'d Arc<Job>,
    log: &'d Log,
    bounds: Bounds,
    folder: &'d Path,
}

impl Desk<'_> {
    async fn state(&self, ended: Ended, seconds: Duration) -> State {
        let failed = |reason, exit_code| State::Failed { reason, exit_code };
        match ended {
            Ended::Code(0) => State::Success,
            Ended::Code(code) => {
                self.log.wrong(&format!("ERROR: Job failed: exit code {code}")).await;
                failed("script_failure", Some(code))
            }
            Ended::TooLong => {
                let text =
                    format!("ERROR: Job failed: it took longer than {} s", seconds.as_secs());
                self.log.wrong(&text).await;
                failed("job_execution_timeout", None)
            }
            Ended::Canceled => {
                self.log.wrong("ERROR: Job failed: canceled").await;
                failed("runner_system_failure", None)
            }
        }
    }

    fn project(&self) -> PathBuf {
        self.folder.join(&self.job.job_info.project_full_path)
    }

    /// All of the job; what is made for it is gone at the end.
    async fn all(&self) -> Result<Ended, Failed> {
        // What a runner left that was killed with the job.
        self.remove(None).await?;
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(self.project())?;
        builder.create(self.folder.join("home"))?;
        self.begin("prepare_executor").await;
        let room =
            Room::prepare(&self.shared.executor, self.job, self.folder, self.log, &self.bounds);
        let room = room.await;
        self.end("prepare_executor").await;
        let ended = match &room {
            Ok(room) => self.in_room(room).await,
            Err(_) => Ok(Ended::Code(0)),
        };
        if let Ok(room) = &room {
            room.clean().await;
        }
        self.remove(room.as_ref().ok()).await?;
        room?;
        ended
    }

    /// Removes the folder of the job.
    async fn remove(&self, room: Option<&Room>) -> Result<(), Failed> {
        if remove(self.folder).await.is_err()
            && let Some(room) = room
        {
            room.empty().await;
            remove(self.folder).await?;
        }
        Ok(())
    }

    async fn begin(&self, name: &str) {
        let text = format!("section_start:{}:{name}\r\u{1b}[0K", now());
        self.log.write(text.as_bytes()).await;
    }

    async fn end(&self, name: &str) {
        let text = format!("section_end:{}:{name}\r\u{1b}[0K\n", now());
        self.log.write(text.as_bytes()).await;
    }

    async fn in_room(&self, room: &Room) -> Result<Ended, Failed> {
        let (project, files) = (self.project(), self.folder.join("files"));
        let places = Places {
            files: &files,
            seen_project: room.seen(&project),
            seen_files: room.seen(&files),
        };
        let mut environment = script::environment(self.job, &places)?;
        let before = self.step(room, "pre_get_sources_script", &environment, &self.bounds).await?;
        if let Some(ended) = before.filter(|ended| !ended.is_good()) {
            return Ok(ended);
        }
        self.begin("get_sources").await;
        let home = self.folder.join("home");
        let fetched = source::fetch(self.job, (&project, &home), self.log, &self.bounds).await;
        self.end("get_sources").await;
        let fetched = fetched?;
        if !fetched.is_good() {
            return match fetched {
                Ended::Code(_) => Err(Failed::of("the code cannot be fetched")),
                other => Ok(other),
            };
        }
        self.restore(&project).await?;
        self.files_of_earlier_jobs(&project).await?;
        let step = self.step(room, "script", &environment, &self.bounds).await?;
        let ended = step.ok_or_else(|| Failed::of("the job has no script"))?;
        let word = match ended {
            Ended::Code(0) => "success",
            Ended::Canceled => "canceled",
            _ => "failed",
        };
        environment.insert("CI_JOB_STATUS".to_owned(), word.to_owned());
        self.after(room, &environment).await?;
        self.keep(&project, ended).await?;
        Ok(ended)
    }

    /// Runs a script of the job, if it has it.
    async fn step(
        &self, room: &Room, name: &str, environment: &BTreeMap<String, String>, bounds: &Bounds,
    ) -> Result<Option<Ended>, Failed> {
        let Some(lines) = self.job.script(name).filter(|lines| !lines.is_empty()) else {
            return Ok(None);
        };
        let file = self.folder.join(format!("{name}.sh"));
        fs::write(&file, script::text(environment, lines))?;
        let section = if name == "script" { "step_script" } else { name };
        self.begin(section).await;
        let ended = run(room.command(&file, &self.project()), self.log, bounds.clone()).await;
        self.end(section).await;
        Ok(Some(ended?))
    }

    /// What runs whatever came of the script, for some minutes more.
    async fn after(
        &self, room: &Room, environment: &BTreeMap<String, String>,
    ) -> Result<(), Failed> {
        let until = Instant::now() + AFTER;
        let bounds = Bounds { until, cleans_up: true, ..self.bounds.clone() };
        let ended = self.step(room, "after_script", environment, &bounds).await?;
        if ended.is_some_and(|ended| !ended.is_good()) {
            self.log
                .wrong("WARNING: after_script failed, but job will continue unaffected")
                .await;
        }
        Ok(())
    }

    async fn restore(&self, project: &Path) -> Result<(), Failed> {
        if self.job.cache.is_empty() {
            return Ok(());
        }
        self.begin("restore_cache").await;
        for at in 0..self.job.cache.len() {
            let (job, folder, to) = (self.job.clone(), self.caches(), project.to_owned());
            let found = blocking(move || Caches::of(&job, &folder).restore(&job.cache[at], &to));
            match found.await {
                Ok(Restored::Found(key)) => self.log.say(&format!("Restored cache {key}")).await,
                Ok(Restored::Nothing) => self.log.say("No cache is there").await,
                // A job does without.
                Err(error) => self.log.wrong(&format!("WARNING: no cache: {error}")).await,
            }
        }
        self.end("restore_cache").await;
        Ok(())
    }

    fn caches(&self) -> PathBuf {
        self.shared.folder.join("cache")
    }

    async fn files_of_earlier_jobs(&self, project: &Path) -> Result<(), Failed> {
        let with_files = |it: &&crate::wire::Dependency| {
            it.artifacts_file.as_ref().is_some_and(|file| file.size > 0)
        };
        let earlier: Vec<_> = self.job.dependencies.iter().filter(with_files).collect();
        if earlier.is_empty() {
            return Ok(());
        }
        self.begin("download_artifacts").await;
        for one in earlier {
            self.log
                .say(&format!("Downloading artifacts for {} ({})", one.name, one.id))
                .await;
            let archive = self.folder.join("earlier.zip");
            let loaded = self.shared.client.download(one.id, &one.token, &archive).await;
            loaded.map_err(|error| match error {
                Failed::Answer(404, _) => Failed::Missing(one.name.clone()),
                other => other,
            })?;
            let (from, to) = (archive.clone(), project.to_owned());
            blocking(move || files::unpack(&from, &to)).await?;
            fs::remove_file(archive)?;
        }
        self.end("download_artifacts").await;
        Ok(())
    }

    /// Stores caches and files, as the job says of what came of it.
    async fn keep(&self, project: &Path, ended: Ended) -> Result<(), Failed> {
        if *self.bounds.standing.borrow() != Standing::Running {
            return Ok(());
        }
        self.keep_caches(project, ended.is_good()).await;
        let fits = |it: &&Artifact| it.when.fits(ended.is_good());
        let all: Vec<&Artifact> = self.job.artifacts.iter().filter(fits).collect();
        if all.is_empty() {
            return Ok(());
        }
        let word = if ended.is_good() { "success" } else { "failure" };
        let section = format!("upload_artifacts_on_{word}");
        self.begin(&section).await;
        let mut sent = Ok(());
        for artifact in all {
            // The others are brought all the same.
            let one = self.keep_files(project, artifact).await;
            sent = sent.and(one);
        }
        self.end(&section).await;
        sent
    }

    async fn keep_caches(&self, project: &Path, succeeded: bool) {
        for at in 0..self.job.cache.len() {
            let (job, folder, from) = (self.job.clone(), self.caches(), project.to_owned());
            let save = move || Caches::of(&job, &folder).save(&job.cache[at], &from, succeeded);
            match blocking(save).await {
                Ok(None) => {}
                Ok(Some(count)) => self.log.say(&format!("Kept {count} files in the cache")).await,
                Err(error) => self.log.wrong(&format!("WARNING: no cache: {error}")).await,
            }
        }
    }

    async fn keep_files(&self, project: &Path, artifact: &Artifact) -> Result<(), Failed> {
        let chosen = Chosen::new(&artifact.paths, &artifact.exclude);
        let from = project.to_owned();
        let mut paths = blocking(move || chosen.find(&from)).await?;
        if artifact.untracked {
            paths.extend(self.untracked(project).await?);
            paths.sort();
            paths.dedup();
        }
        let kind = artifact.artifact_type.as_str();
        if paths.is_empty() {
            let text = format!("WARNING: {}: no matching files", artifact.paths.join(", "));
            self.log.wrong(&text).await;
            return Ok(());
        }
        let files = if paths.len() == 1 { "file" } else { "files" };
        self.log.say(&format!("Uploading {} {files} as {kind}", paths.len())).await;
        let (packed, name) = self.packed(project, artifact, paths).await?;
        let format = artifact.artifact_format.as_str();
        let expires = artifact.expire_in.as_deref();
        let sent = self.upload((kind, format), expires, (&packed, name)).await;
        fs::remove_file(&packed)?;
        sent
    }

    /// Brings a file; a server that is away for a moment is asked again.
    async fn upload(
        &self, kind: (&str, &str), expires: Option<&str>, (path, name): (&Path, String),
    ) -> Result<(), Failed> {
        let client = &self.shared.client;
        for pause in [1, 2, 4, 8] {
            match client.upload(self.job, kind, expires, (path, name.clone())).await {
                Err(Failed::Http(_) | Failed::Answer(500.., _)) => {
                    tokio::time::sleep(Duration::from_secs(pause)).await;
                }
                other => return other,
            }
        }
        client.upload(self.job, kind, expires, (path, name)).await
    }

    /// One file to send, and its name.
    async fn packed(
        &self, project: &Path, artifact: &Artifact, paths: Vec<String>,
    ) -> Result<(PathBuf, String), Failed> {
        let (project, into) = (project.to_owned(), self.folder.join("leaving"));
        let plain = artifact.name.clone().unwrap_or_else(|| "artifacts".to_owned());
        let plain = plain.replace('/', "-");
        let format = artifact.artifact_format.clone();
        blocking(move || match format.as_str() {
            "zip" => {
                files::pack(&project, &paths, &into)?;
                let end = if plain.ends_with(".zip") { "" } else { ".zip" };
                Ok((into, format!("{plain}{end}")))
            }
            "gzip" => {
                files::squeeze(&project, &paths, &into)?;
                Ok((into, format!("{plain}.gz")))
            }
            _ => {
                let path = paths.first().cloned().unwrap_or_default();
                fs::copy(project.join(&path), &into)?;
                Ok((into, path.rsplit('/').next().unwrap_or(&plain).to_owned()))
            }
        })
        .await
    }

    /// Files that git does not know.
    async fn untracked(&self, project: &Path) -> Result<Vec<String>, Failed> {
        let mut git = tokio::process::Command::new("git");
        git.args(["ls-files", "--others", "-z"]).current_dir(project);
        let output = git.output().await?;
        let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

async fn remove(folder: &Path) -> Result<(), Failed> {
    match tokio::fs::remove_dir_all(folder).await {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

async fn blocking<T: Send + 'static>(
    what: impl FnOnce() -> Result<T, Failed> + Send + 'static,
) -> Result<T, Failed> {
    tokio::task::spawn_blocking(what)
        .await
        .map_err(|error| Failed::of(format!("a task ended: {error}")))?
}
