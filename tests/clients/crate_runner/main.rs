//! A runner on the crate gitlab-runner: it does jobs in a shell until it is killed.
//!
//! Usage: `crate_runner URL TOKEN FOLDER`.

use gitlab_runner::job::Job;
use gitlab_runner::{
    GitlabLayer, JobHandler, JobResult, Phase, RunnerBuilder, UploadableFile, outputln,
};
use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;
use tracing_subscriber::prelude::*;

/// A job, in its folder.
struct Shell {
    job: Job,
}

/// A file that a job left.
struct Left {
    name: String,
    content: Vec<u8>,
}

#[async_trait::async_trait]
impl UploadableFile for Left {
    type Data<'a> = &'a [u8];

    fn get_path(&self) -> Cow<'_, str> {
        self.name.as_str().into()
    }

    async fn get_data(&self) -> Result<&[u8], ()> {
        Ok(&self.content)
    }
}

impl Shell {
    /// Writes what earlier jobs left into the folder of this one.
    async fn bring(job: &Job) -> Result<(), ()> {
        for earlier in job.dependencies() {
            let Some(mut archive) = earlier.download().await.map_err(drop)? else {
                continue;
            };
            for at in 0..archive.len() {
                let mut file = archive.by_index(at).ok_or(())?;
                let path = job.build_dir().join(file.path().ok_or(())?);
                let mut content = Vec::new();
                file.read_to_end(&mut content).map_err(drop)?;
                std::fs::create_dir_all(path.parent().ok_or(())?).map_err(drop)?;
                std::fs::write(path, content).map_err(drop)?;
            }
            outputln!("brought the files of {}", earlier.name());
        }
        Ok(())
    }

    fn collect(folder: &Path, at: &Path, found: &mut Vec<Left>) -> std::io::Result<()> {
        for entry in std::fs::read_dir(at)? {
            let path = entry?.path();
            if path.is_dir() {
                Self::collect(folder, &path, found)?;
            } else if let Ok(name) = path.strip_prefix(folder) {
                let (name, content) = (name.to_string_lossy().into_owned(), std::fs::read(&path)?);
                found.push(Left { name, content });
            }
        }
        Ok(())
    }
}

#[async_trait::async_trait]
impl JobHandler<Left> for Shell {
    async fn step(&mut self, script: &[String], _: Phase) -> JobResult {
        let variables = self.job.variables().map(|one| (one.key(), one.value()));
        let output = Command::new("sh")
            .args(["-ec", &script.join("\n")])
            .envs(variables)
            .current_dir(self.job.build_dir())
            .kill_on_drop(true)
            .output()
            .await
            .map_err(drop)?;
        outputln!("{}", String::from_utf8_lossy(&output.stdout));
        output.status.success().then_some(()).ok_or(())
    }

    async fn get_uploadable_files(&mut self) -> Result<Box<dyn Iterator<Item = Left> + Send>, ()> {
        let (folder, mut found) = (self.job.build_dir(), Vec::new());
        Self::collect(folder, folder, &mut found).map_err(drop)?;
        Ok(Box::new(found.into_iter()))
    }
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, token, folder] = &arguments[..] else {
        panic!("URL, TOKEN and FOLDER");
    };
    let (layer, jobs) = GitlabLayer::new();
    tracing_subscriber::Registry::default().with(layer).init();
    let url = url.parse().expect("an address");
    let mut runner = RunnerBuilder::new(url, token, PathBuf::from(folder), jobs).build().await;
    loop {
        runner.wait_for_space(2).await;
        let asked = runner.request_job(|job| async move {
            Shell::bring(&job).await?;
            Ok(Shell { job })
        });
        if !asked.await.expect("the server answers") {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}
