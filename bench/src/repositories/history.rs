//! A repository of many commits, the same in every run, written as a stream for
//! `git fast-import`: many authors, side branches that are merged, files that
//! change, move and come, some of them binary.

use std::io::{self, Write};

/// Commits of the large repository, those of side branches among them.
pub const COMMITS: u32 = 20_000;

const AUTHORS: u64 = 60;
const FIRST_FILES: usize = 400;
const LINES: usize = 80;
/// Seconds between two commits, and when the first one was made.
const STEP: u64 = 3_000;
const BEGUN: u64 = 1_600_000_000;
/// Every so many commits something special happens.
const MERGE: u32 = 20;
const MOVE: u32 = 97;
const BINARY: u32 = 251;
const NEW: u32 = 11;
const TAG: u32 = 200;
const BRANCH: u32 = 400;

struct File {
    path: String,
    content: Content,
}

enum Content {
    Text(Vec<String>),
    Binary(Vec<u8>),
}

impl Content {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Content::Text(lines) => (lines.join("\n") + "\n").into_bytes(),
            Content::Binary(bytes) => bytes.clone(),
        }
    }
}

/// Writes the stream; branch `main` is the longest line of it.
pub fn write(out: impl Write) -> io::Result<()> {
    let mut history = History { out, seed: 0x9e37_79b9_7f4a_7c15, files: Vec::new(), mark: 0 };
    history.begin()?;
    while history.mark + 2 <= COMMITS {
        match history.mark % MERGE {
            0 => history.merge()?,
            _ => history.go_on()?,
        }
        history.name()?;
    }
    history.out.flush()
}

struct History<W> {
    out: W,
    seed: u64,
    files: Vec<File>,
    /// The number of the last commit; all before it are there.
    mark: u32,
}

impl<W: Write> History<W> {
    /// The next number below a limit: xorshift, so that every run is alike.
    fn below(&mut self, limit: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed % limit
    }

    fn any_file(&mut self) -> usize {
        let count = self.files.len() as u64;
        self.below(count) as usize
    }

    fn begin(&mut self) -> io::Result<()> {
        self.commit("refs/heads/main", "Begin", &[])?;
        self.put_new("README.md")?;
        for number in 0..FIRST_FILES {
            let part = number % 20;
            self.put_new(&format!("src/part_{part:02}/{}/unit_{number:03}.rs", part % 4))?;
        }
        Ok(())
    }

    fn commit(&mut self, name: &str, title: &str, parents: &[u32]) -> io::Result<()> {
        self.mark += 1;
        let (mark, author) = (self.mark, self.below(AUTHORS));
        let time = BEGUN + u64::from(mark) * STEP;
        let message = format!("{title} (change {mark})\n\nWhy it was needed is told here.\n");
        writeln!(self.out, "commit {name}\nmark :{mark}")?;
        for who in ["author", "committer"] {
            writeln!(self.out, "{who} Author {author} <author-{author}@example.org> {time} +0000")?;
        }
        write!(self.out, "data {}\n{message}", message.len())?;
        for (number, parent) in parents.iter().enumerate() {
            let word = if number == 0 { "from" } else { "merge" };
            writeln!(self.out, "{word} :{parent}")?;
        }
        Ok(())
    }

    fn put(&mut self, file: usize) -> io::Result<()> {
        let File { path, content } = &self.files[file];
        let bytes = content.bytes();
        writeln!(self.out, "M 100644 inline {path}\ndata {}", bytes.len())?;
        self.out.write_all(&bytes)?;
        writeln!(self.out)
    }

    fn put_new(&mut self, path: &str) -> io::Result<()> {
        let lines = (0..LINES).map(|_| self.line()).collect();
        self.files.push(File { path: path.to_owned(), content: Content::Text(lines) });
        self.put(self.files.len() - 1)
    }

    fn line(&mut self) -> String {
        let (name, value) = (self.below(5_000), self.below(1 << 40));
        format!("    let value_{name} = made_of({value:x});")
    }

    /// Another line in a file, or other bytes.
    fn change(&mut self, file: usize) -> io::Result<()> {
        let (line, at) = (self.line(), self.below(LINES as u64) as usize);
        match &mut self.files[file].content {
            Content::Text(lines) => lines[at] = line,
            Content::Binary(bytes) => bytes[at] ^= 0x55,
        }
        self.put(file)
    }

    /// One more commit on the main line.
    fn go_on(&mut self) -> io::Result<()> {
        let parent = self.mark;
        self.commit("refs/heads/main", "Change some values", &[parent])?;
        let mark = self.mark;
        if mark.is_multiple_of(MOVE) {
            self.relocate()?;
        }
        if mark.is_multiple_of(BINARY) {
            self.put_binary(mark)?;
        }
        if mark.is_multiple_of(NEW) {
            self.put_new(&format!("src/new_{:02}/unit_{mark}.rs", mark % 50))?;
        }
        for _ in 0..=self.below(2) {
            let file = self.any_file();
            self.change(file)?;
        }
        Ok(())
    }

    fn relocate(&mut self) -> io::Result<()> {
        let (file, mark) = (self.any_file(), self.mark);
        let new = format!("src/moved_{:02}/unit_{mark}.rs", mark % 20);
        let old = std::mem::replace(&mut self.files[file].path, new.clone());
        writeln!(self.out, "R {old} {new}")
    }

    fn put_binary(&mut self, mark: u32) -> io::Result<()> {
        let bytes = (0..8_192).map(|_| self.below(256) as u8).collect();
        let path = format!("assets/picture_{mark}.bin");
        self.files.push(File { path, content: Content::Binary(bytes) });
        self.put(self.files.len() - 1)
    }

    /// A commit beside the main line, and the one that merges it.
    fn merge(&mut self) -> io::Result<()> {
        let (main, file) = (self.mark, self.any_file());
        self.commit("refs/heads/side", "Change a value beside", &[main])?;
        self.change(file)?;
        let side = self.mark;
        self.commit("refs/heads/main", "Merge what was done beside", &[main, side])?;
        self.put(file)
    }

    /// Tags and branches, every now and then.
    fn name(&mut self) -> io::Result<()> {
        let mark = self.mark;
        if mark.is_multiple_of(TAG) {
            writeln!(self.out, "reset refs/tags/v{}.0\nfrom :{mark}\n", mark / TAG)?;
        }
        if mark.is_multiple_of(BRANCH) {
            writeln!(self.out, "reset refs/heads/work-{}\nfrom :{mark}\n", mark / BRANCH)?;
        }
        Ok(())
    }
}
