//! Programs the tests need: found, or installed.
//!
//! Root on a system with `apt-get` gets what is missing installed; anyone
//! else is told the command to run. What cargo, pip and npm install goes
//! under the target directory. A second run installs nothing and works
//! without a network.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::cluster;
use crate::steps::{Outcome, cargo, run};
use crate::tree;

const CARGO_FUZZ: &str = "0.13.2";
const CARGO_CYCLONEDX: &str = "0.5.9";

/// The system's package manager works for one at a time.
static SYSTEM: Mutex<()> = Mutex::new(());
/// Held while a place of packages is looked at and filled: what the clients
/// need is installed beside the first steps, and whoever comes later waits.
static PLACES: Mutex<()> = Mutex::new(());

/// The first of these programs that is on PATH.
pub fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    names
        .iter()
        .flat_map(|name| env::split_paths(&path).map(move |directory| directory.join(name)))
        .find(|program| program.is_file())
}

/// PostgreSQL's server programs.
pub fn postgres() -> Outcome {
    if cluster::programs().is_some() {
        return Ok(());
    }
    system_packages("PostgreSQL's server programs", &["postgresql"])?;
    match cluster::programs() {
        Some(_) => Ok(()),
        None => Err(format!(
            "the package postgresql brought none of {}",
            cluster::PROGRAMS.join(", ")
        )),
    }
}

/// The program that shows codes like an app on a phone.
pub fn oathtool() -> Outcome {
    if on_path(&["oathtool"]).is_some() {
        return Ok(());
    }
    system_packages("oathtool", &["oathtool"])
}

/// The client of SSH, which git starts.
pub fn openssh() -> Outcome {
    if on_path(&["ssh"]).is_some() && on_path(&["ssh-keygen"]).is_some() {
        return Ok(());
    }
    system_packages("ssh", &["openssh-client"])
}

/// A mail server with mailboxes.
pub fn dovecot() -> Outcome {
    if on_path(&["dovecot"]).is_some() && on_path(&["openssl"]).is_some() {
        return Ok(());
    }
    system_packages("dovecot and openssl", &["dovecot-imapd", "openssl"])
}

/// PATH with the programs we installed ourselves in front.
pub fn path() -> OsString {
    let own = tree::target().join("tools/bin");
    let inherited = env::var_os("PATH").unwrap_or_default();
    env::join_paths(std::iter::once(own).chain(env::split_paths(&inherited))).unwrap_or(inherited)
}

/// cargo-fuzz, which knows the flags that make coverage guide libFuzzer.
pub fn cargo_fuzz() -> Outcome {
    let works = || {
        cargo(["fuzz", "--version"])
            .env("PATH", path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if works() {
        return Ok(());
    }
    eprintln!("installing cargo-fuzz {CARGO_FUZZ} (a minute, once)");
    run(cargo(["install", "--locked", "cargo-fuzz", "--version", CARGO_FUZZ])
        .arg("--root")
        .arg(tree::target().join("tools"))
        .env_remove("CARGO_TARGET_DIR"))
}

/// Cargo's lister of what a project has: the directory of its program.
pub fn cargo_cyclonedx() -> Result<PathBuf, String> {
    let _alone = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    let root = tree::target().join("tools");
    // It runs once: building it well takes longer than it then saves.
    run(cargo(["install", "--quiet", "--locked", "--debug", "cargo-cyclonedx"])
        .args(["--version", CARGO_CYCLONEDX, "--root"])
        .arg(&root)
        .env_remove("CARGO_TARGET_DIR"))?;
    Ok(root.join("bin"))
}

/// Installs packages of the system, or says which command does.
fn system_packages(what: &str, packages: &[&str]) -> Outcome {
    let root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let Some(apt) = on_path(&["apt-get"]) else {
        return Err(format!(
            "{what} missing; install the equivalent of the Debian packages: {}",
            packages.join(" ")
        ));
    };
    if !root {
        return Err(format!(
            "{what} missing; run: sudo apt-get install --no-install-recommends {}",
            packages.join(" ")
        ));
    }
    let _alone = SYSTEM.lock().unwrap_or_else(PoisonError::into_inner);
    eprintln!("installing {what}");
    let apt_get = |arguments: &[&str]| {
        run(Command::new(&apt)
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdout(Stdio::null()))
    };
    let mut install = vec!["install", "-y", "-qq", "--no-install-recommends"];
    install.extend(packages);
    apt_get(&["update", "-qq"])?;
    apt_get(&install)
}

/// A Chromium that runs without a window. The one that never has any is the first choice:
/// the others draw their own window around each page, which takes a third more.
pub fn chromium() -> Result<PathBuf, String> {
    let shell = "chromium-headless-shell";
    let names = ["chromium", "chromium-browser", "google-chrome"];
    if on_path(&[shell]).is_none() && system_packages(shell, &[shell]).is_err() {
        if let Some(program) = on_path(&names) {
            return Ok(program);
        }
        system_packages("Chromium", &["chromium"])?;
    }
    on_path(&[shell])
        .or_else(|| on_path(&names))
        .ok_or_else(|| "the package chromium brought no program chromium".to_owned())
}

/// The clients that come from the system's packages: git's credential helper, its
/// large files, git in Java, a reader of feeds, one of mail, and Apache with its OpenID module. Apache is started
/// by its suite only.
pub fn packaged_clients() -> Outcome {
    let module = Path::new("/usr/lib/apache2/modules/mod_auth_openidc.so");
    let programs = ["git-credential-oauth", "git-lfs", "jgit", "newsboat", "mutt"];
    if programs.iter().all(|name| on_path(&[name]).is_some()) && module.is_file() {
        return Ok(());
    }
    let packages = [
        "git-credential-oauth",
        "git-lfs",
        "jgit-cli",
        "newsboat",
        "xdg-utils",
        "apache2-bin",
        "libapache2-mod-auth-openidc",
        "mutt",
    ];
    system_packages(
        "git-credential-oauth, git-lfs, jgit, newsboat, mutt and Apache's module",
        &packages,
    )
}

/// The go command and Composer, with what unpacks zip files for it.
pub fn go_and_composer() -> Outcome {
    let programs = ["go", "composer", "unzip"];
    if programs.iter().all(|name| on_path(&[name]).is_some()) {
        return Ok(());
    }
    system_packages("go and Composer", &["golang-go", "composer", "unzip"])
}

/// Gradle, and Maven with those of its plugins that its suite uses, which the
/// system's package keeps in a repository of its own.
pub fn maven() -> Outcome {
    let plugins = Path::new("/usr/share/maven-repo/org/apache/maven/plugins");
    let has = |name: &str| plugins.join(format!("maven-{name}-plugin")).is_dir();
    let programs = ["mvn", "gradle"];
    let are_here = programs.iter().all(|name| on_path(&[name]).is_some());
    if are_here && ["deploy", "dependency", "jar"].into_iter().all(has) {
        return Ok(());
    }
    let packages = [
        "gradle",
        "maven",
        "libmaven-deploy-plugin-java",
        "libmaven-dependency-plugin-java",
        "libmaven-jar-plugin-java",
    ];
    system_packages("Maven and Gradle", &packages)
}

/// The nuget command, which runs on Mono and reads the feed of version 2.
pub fn nuget() -> Outcome {
    if on_path(&["nuget"]).is_some() {
        return Ok(());
    }
    system_packages("nuget", &["nuget"])
}

/// Alertmanager and amtool; its suite starts one of its own.
pub fn alertmanager() -> Outcome {
    let programs = ["prometheus-alertmanager", "amtool"];
    if programs.iter().all(|name| on_path(&[name]).is_some()) {
        return Ok(());
    }
    system_packages("Alertmanager", &["prometheus-alertmanager"])
}

/// A Python that has the packages of `tests/clients/requirements.txt`.
pub fn python() -> Result<PathBuf, String> {
    python_with("tests/clients", "clients/venv")
}

/// A Python, in this directory under the target directory, that has the
/// packages which the `requirements.txt` of a directory of the checkout names.
pub fn python_with(packages: &str, under: &str) -> Result<PathBuf, String> {
    python_installed(packages, under, &[])
}

/// The same, of packages that ask for a newer Python than they need.
pub fn python_of_any_age(packages: &str, under: &str) -> Result<PathBuf, String> {
    python_installed(packages, under, &[("PIP_IGNORE_REQUIRES_PYTHON", "1")])
}

fn python_installed(
    packages: &str, under: &str, environment: &[(&str, &str)],
) -> Result<PathBuf, String> {
    let _alone = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    let requirements = format!("{packages}/requirements.txt");
    let wanted = read(&requirements)?;
    let directory = tree::target().join(under);
    let python = directory.join("bin/python");
    let installed = directory.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|done| done == wanted) {
        return Ok(python);
    }
    make_venv(&directory)?;
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--requirement"])
        .arg(tree::root().join(requirements))
        .envs(environment.iter().copied()))?;
    fs::write(&installed, wanted).map_err(|error| format!("{}: {error}", installed.display()))?;
    Ok(python)
}

/// nginx.
pub fn nginx() -> Result<PathBuf, String> {
    let found = || {
        on_path(&["nginx"])
            .or_else(|| Some("/usr/sbin/nginx".into()).filter(|path: &PathBuf| path.is_file()))
    };
    if let Some(program) = found() {
        return Ok(program);
    }
    system_packages("nginx", &["nginx-light"])?;
    found().ok_or_else(|| "the package nginx-light brought no program nginx".to_owned())
}

/// What lets nginx start programs.
pub fn fcgiwrap() -> Result<PathBuf, String> {
    let found = || on_path(&["fcgiwrap"]);
    if let Some(program) = found() {
        return Ok(program);
    }
    system_packages("fcgiwrap", &["fcgiwrap"])?;
    found().ok_or_else(|| "the package fcgiwrap brought no program fcgiwrap".to_owned())
}

fn make_venv(directory: &Path) -> Outcome {
    let make = || {
        let python = on_path(&["python3"]).ok_or("python3 is not on PATH")?;
        run(Command::new(python).args(["-m", "venv", "--clear"]).arg(directory))
    };
    make().or_else(|_| {
        system_packages("Python with venv", &["python3", "python3-venv"])?;
        make()
    })
}

/// Node and the directory with the modules of `tests/clients/package.json`.
pub fn node() -> Result<(PathBuf, PathBuf), String> {
    node_with("tests/clients", "clients/node")
}

/// Node, and in this directory under the target directory the modules that
/// the `package.json` of a directory of the checkout names.
pub fn node_with(packages: &str, under: &str) -> Result<(PathBuf, PathBuf), String> {
    let _alone = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    if on_path(&["node"]).is_none() || on_path(&["npm"]).is_none() {
        system_packages("Node and npm", &["nodejs", "npm"])?;
    }
    let node = on_path(&["node"]).ok_or("node is not on PATH")?;
    let npm = on_path(&["npm"]).ok_or("npm is not on PATH")?;
    let wanted = read(&format!("{packages}/package-lock.json"))?;
    let directory = tree::target().join(under);
    let modules = directory.join("node_modules");
    let installed = directory.join("installed.json");
    if fs::read_to_string(&installed).is_ok_and(|done| done == wanted) {
        return Ok((node, modules));
    }
    fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let package = read(&format!("{packages}/package.json"))?;
    for (name, text) in [("package.json", &package), ("package-lock.json", &wanted)] {
        let path = directory.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    run(Command::new(npm)
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(&directory))?;
    fs::write(&installed, wanted).map_err(|error| format!("{}: {error}", installed.display()))?;
    Ok((node, modules))
}

/// The program of a folder of `tests/clients`, built.
pub fn program(name: &str) -> Result<PathBuf, String> {
    let target = tree::target().join("clients").join(name);
    let manifest = format!("tests/clients/{name}/Cargo.toml");
    run(cargo(["build", "--quiet", "--locked", "--manifest-path", &manifest])
        .arg("--target-dir")
        .arg(&target))?;
    Ok(target.join("debug").join(name))
}

/// A text file of the checkout.
fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(tree::root().join(path)).map_err(|error| format!("{path}: {error}"))
}
