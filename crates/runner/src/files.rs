//! Files that jobs leave, as archives and as reports.

use crate::Failed;
use flate2::{Compression, GzBuilder};
use pipeline_file::glob::{Dialect, Glob};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Files of one archive, and folders in each other.
const MOST: usize = 1_000_000;
const DEEPEST: usize = 100;

/// What is taken from the folder of a project.
pub struct Chosen {
    with: Vec<Glob>,
    without: Vec<Glob>,
}

fn globs(patterns: &[String]) -> Vec<Glob> {
    let clean = |text: &str| {
        let text = text.trim().trim_start_matches("./").trim_end_matches('/').to_owned();
        if text == "." { "**/*".to_owned() } else { text }
    };
    patterns
        .iter()
        .filter_map(|text| Glob::new(&clean(text), Dialect::Rules))
        .collect()
}

/// Whether a pattern is of a path, or of a folder above it.
fn fits(globs: &[Glob], path: &str) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.into_iter().any(|end| globs.iter().any(|glob| glob.fits(&path[..end])))
}

impl Chosen {
    pub fn new(paths: &[String], exclude: &[String]) -> Chosen {
        Chosen { with: globs(paths), without: globs(exclude) }
    }

    fn takes(&self, path: &str) -> bool {
        fits(&self.with, path) && !fits(&self.without, path)
    }

    /// Their paths in the folder, in order. Links are taken as links.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be read.
    pub fn find(&self, folder: &Path) -> Result<Vec<String>, Failed> {
        let mut found = Vec::new();
        self.collect(folder, "", 0, &mut found)?;
        found.sort();
        Ok(found)
    }

    fn collect(
        &self, folder: &Path, prefix: &str, depth: usize, found: &mut Vec<String>,
    ) -> Result<(), Failed> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if found.len() >= MOST || depth > DEEPEST || (depth == 0 && name == ".git") {
                continue;
            }
            let path = format!("{prefix}{name}");
            match entry.file_type()?.is_dir() {
                true => self.collect(&entry.path(), &format!("{path}/"), depth + 1, found)?,
                false if self.takes(&path) => found.push(path),
                false => {}
            }
        }
        Ok(())
    }
}

/// Packs files of a folder.
///
/// # Errors
///
/// Where one cannot be read, or the archive not be written.
pub fn pack(folder: &Path, paths: &[String], into: &Path) -> Result<(), Failed> {
    let mut archive = ZipWriter::new(BufWriter::new(File::create(into)?));
    let plain = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for path in paths {
        let full = folder.join(path);
        let about = fs::symlink_metadata(&full)?;
        if about.is_symlink() {
            let target = fs::read_link(&full)?;
            archive.add_symlink(path.as_str(), target.to_string_lossy(), plain)?;
        } else if about.is_file() {
            let options = plain
                .unix_permissions(about.permissions().mode() & 0o777)
                .large_file(about.len() > u64::from(u32::MAX) / 2);
            archive.start_file(path.as_str(), options)?;
            io::copy(&mut BufReader::new(File::open(&full)?), &mut archive)?;
        }
    }
    archive.finish()?;
    Ok(())
}

/// Unpacks an archive into a folder; nothing of it leads out of there.
///
/// # Errors
///
/// Where it is none, or cannot be written.
pub fn unpack(archive: &Path, folder: &Path) -> Result<(), Failed> {
    let mut archive = ZipArchive::new(BufReader::new(File::open(archive)?))?;
    Ok(archive.extract(folder)?)
}

/// Packs each file on its own, one behind the other, with its name and path: as reports
/// are sent.
///
/// # Errors
///
/// Where one cannot be read, or the file not be written.
pub fn squeeze(folder: &Path, paths: &[String], into: &Path) -> Result<(), Failed> {
    let mut file = BufWriter::new(File::create(into)?);
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut member = GzBuilder::new()
            .filename(name)
            .comment(path.as_str())
            .write(&mut file, Compression::default());
        io::copy(&mut File::open(folder.join(path))?, &mut member)?;
        member.finish()?;
    }
    io::Write::flush(&mut file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for path in files {
            let full = folder.path().join(path);
            fs::create_dir_all(full.parent().expect("it is below")).expect("a folder");
            fs::write(full, path).expect("a file");
        }
        folder
    }

    fn texts(all: &[&str]) -> Vec<String> {
        all.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn patterns_choose_files_and_whole_folders() {
        let files = ["a.txt", "out/b.bin", "out/deep/c.bin", "out/deep/d.tmp", ".git/config"];
        let folder = folder(&files);
        let chosen = |with: &[&str], without: &[&str]| {
            Chosen::new(&texts(with), &texts(without))
                .find(folder.path())
                .expect("it is read")
        };
        assert_eq!(chosen(&["out/"], &[]), ["out/b.bin", "out/deep/c.bin", "out/deep/d.tmp"]);
        assert_eq!(chosen(&["./out/**/*.bin"], &[]), ["out/b.bin", "out/deep/c.bin"]);
        assert_eq!(chosen(&["*.txt", "gone"], &[]), ["a.txt"]);
        assert_eq!(chosen(&["out"], &["out/**/*.tmp"]), ["out/b.bin", "out/deep/c.bin"]);
        assert_eq!(chosen(&["."], &[]).len(), 4, "what git keeps is left out");
        assert!(chosen(&["../*", "/etc/*"], &[]).is_empty());
    }

    #[test]
    fn what_is_packed_comes_out_the_same() {
        let from = folder(&["a/run.sh", "b"]);
        let script = from.path().join("a/run.sh");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
        std::os::unix::fs::symlink("b", from.path().join("link")).expect("a link");
        let paths = Chosen::new(&texts(&["."]), &[]).find(from.path()).expect("it is read");
        let archive = from.path().join("x.zip");
        pack(from.path(), &paths, &archive).expect("it is packed");
        let to = folder(&[]);
        unpack(&archive, to.path()).expect("it is unpacked");
        assert_eq!(
            fs::read_to_string(to.path().join("a/run.sh")).expect("it is there"),
            "a/run.sh"
        );
        let mode = fs::metadata(to.path().join("a/run.sh")).expect("it is there").permissions();
        assert_eq!(mode.mode() & 0o777, 0o755);
        assert_eq!(fs::read_link(to.path().join("link")).expect("a link"), Path::new("b"));
    }

    #[test]
    fn an_archive_stays_in_its_folder() {
        let from = folder(&[]);
        let archive = from.path().join("x.zip");
        let mut writer = ZipWriter::new(File::create(&archive).expect("a file"));
        let options = SimpleFileOptions::default();
        writer.add_symlink("way", "/tmp", options).expect("a link");
        writer.start_file("way/out-of-here", options).expect("a file");
        writer.finish().expect("an archive");
        let to = folder(&[]);
        let refused = unpack(&archive, to.path());
        assert!(refused.is_err() && !Path::new("/tmp/out-of-here").exists(), "{refused:?}");
    }

    #[test]
    fn reports_stand_one_behind_the_other() {
        let from = folder(&["a/junit.xml", "junit.xml"]);
        let into = from.path().join("out.gz");
        squeeze(from.path(), &texts(&["a/junit.xml", "junit.xml"]), &into).expect("it is packed");
        let mut text = String::new();
        let file = File::open(&into).expect("it is there");
        flate2::read::MultiGzDecoder::new(file)
            .read_to_string(&mut text)
            .expect("it is read");
        assert_eq!(text, "a/junit.xmljunit.xml");
    }
}
