//! `tenon`: the command line. See [`Arguments`] for the commands.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for the terminal"
)]

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use tenon::options::{Given, Options, sample};
use tenon::{Outcome, accounts, backup, check, jobs, repository, serve, system, wiring};

/// Gives memory back after a flood, which glibc's does not (docs/decisions/0013).
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// A self-hosted platform for software development.
///
/// Without a command it serves. A file tenon.toml in the current directory is
/// read for what flags and TENON_… variables do not say.
#[derive(Parser)]
#[command(name = "tenon", version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// File of settings [default: tenon.toml, if it exists]
    #[arg(long, global = true, env = "TENON_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    given: Given,
}

#[derive(Subcommand)]
enum Command {
    /// Serve until told to stop (the default)
    Serve,
    /// Access tokens
    #[command(subcommand)]
    Token(Token),
    /// User accounts
    #[command(subcommand)]
    User(User),
    /// Applications that act for users (OAuth)
    #[command(subcommand)]
    Application(Application),
    /// Bring the database to this program's schema, and stop; a new one only
    /// where --data or --database-url says so
    Migrate,
    /// Write one archive of database, files and keys, also while serving
    Backup {
        /// The archive to write; it must not exist
        file: PathBuf,
    },
    /// Fill an empty installation from an archive; either database will do
    Restore {
        /// The archive to read
        file: PathBuf,
    },
    /// Repositories as folders on this machine
    #[command(subcommand)]
    Repository(Folder),
    /// Do the jobs of a server's pipelines on this machine, for code that is trusted
    Runner(jobs::Arguments),
    /// Compare the database with the files and the rooms' rules
    Check {
        /// Read every file and compare its digest
        #[arg(long)]
        contents: bool,
    },
    /// Print a file that is generated from the program
    #[command(hide = true)]
    Generate {
        /// openapi.json, routes.txt or tenon.sample.toml
        name: String,
    },
}

#[derive(Subcommand)]
enum Token {
    /// Make a personal access token and print it
    Create(accounts::NewToken),
}

#[derive(Subcommand)]
enum Folder {
    /// Bring a bare repository into a project that has none yet
    Import {
        /// The folder of the repository
        folder: PathBuf,
        /// The path of the project: group/project
        project: String,
    },
    /// Write the repository of a project as a bare one
    Export {
        /// The path of the project: group/project
        project: String,
        /// The folder to write; it must not exist
        folder: PathBuf,
    },
}

#[derive(Subcommand)]
enum User {
    /// Make an account; its password is read from standard input. Where --data
    /// or --database-url names a place without an instance, one begins there
    Create(accounts::NewUser),
}

#[derive(Subcommand)]
enum Application {
    /// Register an application and print its credentials as JSON
    Create(accounts::NewApplication),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("tenon: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a text; whoever reads it may stop before its end.
fn shown(text: &str) -> Outcome<ExitCode> {
    use std::io::{ErrorKind, Write};
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot print: {error}"))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn run(arguments: Arguments) -> Outcome<ExitCode> {
    if let Some(Command::Generate { name }) = &arguments.command {
        return shown(&generate(name)?);
    }
    let options = arguments.given.resolve(arguments.config.as_deref())?;
    serve::log(&options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    let code = runtime.block_on(command(arguments.command.unwrap_or(Command::Serve), options));
    // A statement still running must not keep the process.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    code
}

async fn command(command: Command, options: Options) -> Outcome<ExitCode> {
    match command {
        Command::Serve => serve::serve(options, |line| eprintln!("{line}")).await?,
        Command::Token(Token::Create(wanted)) => {
            println!("{}", accounts::create_token(options, wanted).await?);
        }
        Command::User(User::Create(wanted)) => {
            let say = |line: &str| eprintln!("{line}");
            accounts::create_user(options, wanted, std::io::stdin(), say).await?;
        }
        Command::Application(Application::Create(wanted)) => {
            println!("{}", accounts::create_application(options, wanted).await?);
        }
        Command::Migrate => {
            wiring::may_begin_instance(&options)?;
            wiring::open_store(&options)?;
            eprintln!("the database has the schema of this program");
        }
        Command::Backup { file } => eprintln!("{}", backup::write(options, &file).await?),
        Command::Restore { file } => eprintln!("{}", backup::restore(options, &file).await?),
        Command::Repository(Folder::Import { folder, project }) => {
            eprintln!("{}", repository::import(options, &folder, &project).await?);
        }
        Command::Repository(Folder::Export { project, folder }) => {
            eprintln!("{}", repository::export(options, &project, &folder).await?);
        }
        Command::Runner(arguments) => jobs::run(arguments, |line| eprintln!("{line}")).await?,
        Command::Check { contents } => {
            let troubles = check::run(options, contents).await?;
            for trouble in &troubles {
                println!("{trouble}");
            }
            if !troubles.is_empty() {
                eprintln!("{} troubles found", troubles.len());
                return Ok(ExitCode::FAILURE);
            }
            eprintln!("no trouble found");
        }
        Command::Generate { .. } => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn generate(name: &str) -> Outcome<String> {
    match name {
        "openapi.json" => Ok(system::openapi_file()),
        "routes.txt" => Ok(system::routes_file()),
        "schema.graphql" => Ok(system::schema_file()),
        "tenon.sample.toml" => Ok(sample()),
        _ => Err(format!(
            "{name} is not generated; openapi.json, routes.txt, schema.graphql and \
             tenon.sample.toml are"
        )),
    }
}
