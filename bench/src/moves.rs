//! A repository goes from one storage to another, beside a copy of its files.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xtask::server::{self, Server};
use xtask::steps::{self, Outcome};

use super::load::{self, Request};
use super::report::{Bound, Line};
use super::repositories::{git, write_noise};
use super::{Bench, seed};

/// Bytes of the repository.
const SIZE: u64 = 256 << 20;
const STORAGES: [&str; 2] = ["one", "two"];
/// How often it is asked whether a move has ended.
const OFTEN: Duration = Duration::from_millis(5);

/// All lines of this part.
pub fn lines(bench: &Bench<'_>) -> Result<Vec<Line>, String> {
    let place = Place::begin(bench)?;
    steps::say("moves of a repository and copies of its files");
    let (rates, others) = bench.turns(|| place.move_rate(), || place.copy_rate())?;
    place.server.stop()?;
    Ok(vec![Line::ratio(
        "move of a repository of 256 MiB, against cp with fsync",
        &rates,
        &others,
        Bound::AtLeast(0.5),
    )])
}

/// A server with two storages on one disk, and a repository that is moved.
struct Place {
    server: Server,
    token: String,
    project: i64,
    folder: PathBuf,
}

impl Place {
    fn begin(bench: &Bench<'_>) -> Result<Place, String> {
        let folder = server::fresh_directory("bench-moves")?;
        let place = |name: &str| format!("{name}=file://{}/{name}", folder.display());
        let storages = STORAGES.map(place).join(",");
        let environment = [("TENON_STORAGES", storages.as_str())];
        let server = bench.start(&folder.join("data"), &environment)?;
        let token = server.root_token()?;
        let project = seed::project(server.url(), &token, "moved")?;
        steps::say("pushing 256 MiB");
        git::run(&folder, &["init", "--quiet", "--initial-branch=main", "working"])?;
        let working = folder.join("working");
        write_noise(&working.join("noise.bin"), SIZE)?;
        git::run(&working, &["add", "noise.bin"])?;
        git::run(&working, &["commit", "--quiet", "--message", "Noise"])?;
        let url = format!("http://root:{token}@{}/root/moved.git", load::host_of(server.url()));
        git::run(&working, &["push", "--quiet", &url, "main"])?;
        Ok(Place { server, token, project, folder })
    }

    /// Where the files of a storage are.
    fn files_of(&self, storage: &str) -> PathBuf {
        self.folder.join(storage).join("sha256")
    }

    /// MiB a second of a move to the storage where it does not lie.
    fn move_rate(&self) -> Result<f64, String> {
        let [one, two] = STORAGES;
        let (from, to) = match files(&self.files_of(one))?.is_empty() {
            true => (two, one),
            false => (one, two),
        };
        let begun = Instant::now();
        let path = format!("/projects/{}/repository_storage_moves", self.project);
        let body = json!({"destination_storage_name": to}).to_string();
        let made = seed::post(self.server.url(), &self.token, &path, body)?;
        self.wait(seed::id_of(&made)?)?;
        let rate = rate(begun);
        // Files stay there for a day, and what is there would not be copied again.
        for file in files(&self.files_of(from))? {
            fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        Ok(rate)
    }

    /// Waits until a move has ended.
    fn wait(&self, id: i64) -> Outcome {
        let target = format!("/api/v4/project_repository_storage_moves/{id}");
        let asked = Request::get(&target, &self.token);
        loop {
            let answer = load::once(self.server.url(), &asked)?;
            let answer: Value = serde_json::from_str(&answer).map_err(|it| it.to_string())?;
            match answer["state"].as_str() {
                Some("finished") => return Ok(()),
                Some("scheduled" | "started" | "replicated") => std::thread::sleep(OFTEN),
                _ => return Err(format!("it was not moved: {answer}")),
            }
        }
    }

    /// MiB a second of a copy of what a move would copy, which is on the disk then.
    fn copy_rate(&self) -> Result<f64, String> {
        let mut sources = Vec::new();
        for storage in STORAGES {
            sources.extend(files(&self.files_of(storage))?);
        }
        let copies = self.folder.join("copies");
        let failed = |error: std::io::Error| format!("{}: {error}", copies.display());
        fs::create_dir(&copies).map_err(failed)?;
        let begun = Instant::now();
        for (number, source) in sources.iter().enumerate() {
            let copy = copies.join(number.to_string());
            fs::copy(source, &copy).map_err(failed)?;
            File::open(&copy).and_then(|file| file.sync_all()).map_err(failed)?;
        }
        let rate = rate(begun);
        fs::remove_dir_all(&copies).map_err(failed)?;
        Ok(rate)
    }
}

fn rate(begun: Instant) -> f64 {
    SIZE as f64 / f64::from(1 << 20) / begun.elapsed().as_secs_f64()
}

/// The files below a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        match path.is_dir() {
            true => found.extend(files(&path)?),
            false => found.push(path),
        }
    }
    Ok(found)
}
