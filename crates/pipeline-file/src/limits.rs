//! How much of everything a file may hold (contract 1.2).

/// The bounds a configuration is read within.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: usize,
    /// What the values of one file may count, aliases by what they stand for.
    pub parsed_bytes: usize,
    /// How deep lists and maps may lie in each other.
    pub depth: usize,
    /// Bytes of all files together.
    pub total_bytes: usize,
    /// Files that may be included, on all levels, repeats too.
    pub includes: usize,
    /// What all values may count after `extends` and `!reference`.
    pub expanded_bytes: usize,
    /// Jobs that one job may need; 0 is any number.
    pub needs: usize,
    /// Instances of one `parallel`.
    pub parallel: usize,
    /// Jobs of a pipeline; 0 is any number.
    pub jobs: usize,
    /// Jobs of a pipeline that deploy; 0 is any number.
    pub deployments: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 2 << 20,
            parsed_bytes: 2 << 20,
            depth: 100,
            total_bytes: 300 << 20,
            includes: 150,
            expanded_bytes: 64 << 20,
            needs: 50,
            parallel: 200,
            jobs: 0,
            deployments: 500,
        }
    }
}

/// Characters of a job's name.
pub(crate) const JOB_NAME: usize = 255;
/// Tokens of one expression.
pub(crate) const EXPRESSION_TOKENS: usize = 100;
/// Levels of `extends`.
pub(crate) const EXTENDS_LEVELS: usize = 11;
/// Levels that lists of commands may be nested.
pub(crate) const NESTED_LISTS: usize = 10;
/// Comparisons of paths and patterns before a clause counts as true.
pub(crate) const PATH_COMPARISONS: usize = 50_000;
