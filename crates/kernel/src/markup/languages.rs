//! What the scanner of code knows of each language.

/// How a language is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Words, texts, numbers.
    Code,
    /// Names with values.
    Data,
    /// Angle brackets around names.
    Tags,
    /// Lines that came and went.
    Diff,
}

/// One language, or several that read alike.
#[derive(Debug)]
pub(super) struct Language {
    names: &'static [&'static str],
    pub(super) kind: Kind,
    /// What begins a comment to the end of the line.
    pub(super) lines: &'static [&'static str],
    /// What stands around longer comments.
    pub(super) blocks: &'static [(&'static str, &'static str)],
    /// Signs around texts.
    pub(super) quotes: &'static str,
    /// Signs before names of variables and the like.
    pub(super) signs: &'static str,
    /// Words with a meaning of their own, between spaces.
    keywords: &'static str,
    /// They mean the same in capitals.
    ignores_case: bool,
    /// What begins with a capital is a type.
    pub(super) names_types: bool,
    /// An apostrophe may stand alone.
    pub(super) has_lifetimes: bool,
}

impl Language {
    /// Whether a word has a meaning of its own.
    pub(super) fn knows(&self, word: &str) -> bool {
        // Longer ones would be no words, and are not looked for.
        if word.len() > 20 {
            return false;
        }
        let is_it = |known: &str| match self.ignores_case {
            true => known.eq_ignore_ascii_case(word),
            false => known == word,
        };
        self.keywords.split(' ').any(is_it)
    }
}

const SLASHES: &[(&str, &str)] = &[("/*", "*/")];
const ANGLES: &[(&str, &str)] = &[("<!--", "-->")];

const PLAIN: Language = Language {
    names: &[],
    kind: Kind::Code,
    lines: &["//"],
    blocks: SLASHES,
    quotes: "\"'",
    signs: "",
    keywords: "",
    ignores_case: false,
    names_types: true,
    has_lifetimes: false,
};

const SCRIPT: Language = Language { lines: &["#"], blocks: &[], ..PLAIN };

const DATA: Language = Language {
    kind: Kind::Data,
    keywords: "true false null yes no on off nan inf",
    ..SCRIPT
};

const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        keywords: "as async await break const continue crate dyn else enum extern false fn for if \
                   impl in let loop match mod move mut pub ref return self Self static struct super \
                   trait true type union unsafe use where while bool char str u8 u16 u32 u64 u128 \
                   usize i8 i16 i32 i64 i128 isize f32 f64",
        has_lifetimes: true,
        ..PLAIN
    },
    Language {
        names: &["c", "h", "cpp", "c++", "cc", "cxx", "hpp", "objc", "objective-c", "arduino"],
        keywords: "auto bool break case catch char class const constexpr continue default delete do \
                   double else enum explicit extern false final float for friend goto if inline int \
                   long namespace new noexcept nullptr operator override private protected public \
                   return short signed sizeof static struct switch template this throw true try \
                   typedef typename union unsigned using virtual void volatile while NULL include \
                   define ifdef ifndef endif pragma size_t",
        ..PLAIN
    },
    Language {
        names: &[
            "csharp", "c#", "cs", "java", "kotlin", "kt", "kts", "scala", "groovy", "gradle",
            "dart",
        ],
        signs: "@",
        keywords: "abstract as assert async await base bool boolean break byte case catch char class \
                   const constructor continue data def default do double else enum extends extension \
                   false final finally float for foreach fun get if implements implicit import in \
                   instanceof int interface internal is late lazy let long namespace native new null \
                   object open operator override package private protected public readonly record \
                   ref required return sealed set short static string struct super suspend switch \
                   synchronized this throw throws trait transient true try typeof using val var \
                   virtual void volatile when where while with yield",
        ..PLAIN
    },
    Language {
        names: &["go", "golang"],
        quotes: "\"'`",
        keywords: "any bool break byte case chan complex128 const continue default defer else error \
                   fallthrough false float32 float64 for func go goto if import int int16 int32 \
                   int64 int8 interface iota map nil package range return rune select string struct \
                   switch true type uint uint16 uint32 uint64 uint8 uintptr var",
        ..PLAIN
    },
    Language {
        names: &["javascript", "js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx", "node"],
        quotes: "\"'`",
        signs: "@",
        keywords: "abstract any as async await boolean break case catch class const continue debugger \
                   declare default delete do else enum export extends false finally for from function \
                   get if implements import in infer instanceof interface is keyof let namespace never \
                   new null number of override private protected public readonly return satisfies set \
                   static string super switch symbol this throw true try type typeof undefined unknown \
                   var void while with yield",
        ..PLAIN
    },
    Language {
        names: &[
            "swift", "zig", "v", "solidity", "glsl", "wgsl", "hlsl", "proto", "protobuf",
            "graphql", "gql",
        ],
        lines: &["//", "#"],
        signs: "@$",
        keywords: "any as async await bool break case catch class comptime const continue default \
                   defer do else enum errdefer error export extension extern fallthrough false fn for \
                   fragment func function guard if import in init inout input interface internal int \
                   let map message mutation nil null oneof open operator optional override package \
                   private protocol pub public query repeated required return rpc scalar schema self \
                   service static string struct subscript subscription super switch test throw throws \
                   true try type union unreachable usingnamespace var void where while",
        ..PLAIN
    },
    Language {
        names: &["python", "py", "python3", "starlark", "bazel", "gdscript"],
        signs: "@",
        keywords: "False None True and as assert async await break case class continue def del elif \
                   else except finally for from global if import in is lambda match nonlocal not or \
                   pass raise return self try while with yield int str bool float list dict set tuple",
        ..SCRIPT
    },
    Language {
        names: &["ruby", "rb", "crystal", "elixir", "ex", "exs", "julia", "jl"],
        signs: "@$",
        keywords: "alias and begin break case class cond def defmodule defp defer do else elsif end \
                   ensure export false fn for function if import in include let macro module mutable \
                   next nil not nothing or private raise receive redo require rescue retry return self \
                   struct super then true try unless until use using when while with yield",
        ..SCRIPT
    },
    Language {
        names: &["php"],
        lines: &["//", "#"],
        signs: "$",
        keywords: "abstract and array as bool break callable case catch class clone const continue \
                   declare default do echo else elseif empty enum extends false final finally fn for \
                   foreach function global if implements include instanceof int interface isset list \
                   match namespace new null or private protected public readonly require \
                   require_once return self static string switch this throw trait true try unset use \
                   var void while xor yield",
        ..PLAIN
    },
    Language {
        names: &["bash", "sh", "shell", "zsh", "fish", "console", "shell-session", "shellscript"],
        signs: "$",
        keywords: "alias break case cd continue do done echo elif else esac eval exec exit export fi \
                   for function if in local read readonly return select set shift source sudo test \
                   then trap unset until while",
        names_types: false,
        ..SCRIPT
    },
    Language {
        names: &["powershell", "ps1", "pwsh", "perl", "pl", "r", "tcl", "nix"],
        signs: "$@%",
        keywords: "and assert begin break catch continue do else elseif elsif end exit false finally \
                   for foreach function if in inherit last let library local my next not null or our \
                   package param process rec redo repeat require return sub switch then throw true try \
                   unless until use while with FALSE NULL TRUE",
        names_types: false,
        ..SCRIPT
    },
    Language {
        names: &["dockerfile", "docker", "containerfile"],
        signs: "$",
        keywords: "add arg as cmd copy entrypoint env expose from healthcheck label onbuild run shell \
                   stopsignal user volume workdir",
        ignores_case: true,
        names_types: false,
        ..SCRIPT
    },
    Language {
        names: &["makefile", "make", "mk", "cmake", "just", "justfile"],
        signs: "$@",
        keywords: "define else endef endif export if ifdef ifeq ifndef ifneq include override set \
                   unexport function endfunction foreach endforeach project message",
        names_types: false,
        ..SCRIPT
    },
    Language {
        names: &["lua", "haskell", "hs", "elm", "ada", "vhdl"],
        lines: &["--"],
        blocks: &[("{-", "-}"), ("--[[", "]]")],
        has_lifetimes: true,
        keywords: "and as break case class data deriving do else elseif end false for function goto \
                   hiding if import in infix instance is let local module newtype nil not of or \
                   procedure qualified repeat return signal then true type until where while",
        ..PLAIN
    },
    Language {
        names: &["sql", "postgresql", "postgres", "mysql", "sqlite", "plsql"],
        lines: &["--"],
        signs: "$@",
        keywords: "add all alter and any as asc begin between bigint boolean by cascade case check \
                   column commit constraint create cross current_timestamp database date default \
                   delete desc distinct drop else end exists explain false foreign from full function \
                   grant group having if in index inner insert int integer intersect into is join key \
                   left like limit not null numeric offset on or order outer over partition primary \
                   references replace returning revoke right rollback select set table text then \
                   timestamp to transaction trigger true union unique update using values varchar view \
                   when where with",
        ignores_case: true,
        names_types: false,
        ..PLAIN
    },
    Language {
        names: &["json", "json5", "jsonc"],
        lines: &["//"],
        blocks: SLASHES,
        ..DATA
    },
    Language {
        names: &[
            "yaml",
            "yml",
            "toml",
            "ini",
            "conf",
            "cfg",
            "properties",
            "env",
            "dotenv",
            "editorconfig",
        ],
        lines: &["#", ";"],
        signs: "$&*",
        ..DATA
    },
    Language {
        names: &["hcl", "terraform", "tf", "nginx", "caddy", "caddyfile"],
        lines: &["#", "//"],
        blocks: SLASHES,
        signs: "$",
        keywords: "true false null resource data variable output module provider terraform locals for \
                   in if server location listen root",
        ..DATA
    },
    Language {
        names: &["css", "scss", "less", "sass"],
        lines: &[],
        blocks: SLASHES,
        signs: "@$",
        keywords: "auto inherit initial none unset important",
        ..DATA
    },
    Language {
        names: &["html", "xml", "svg", "xhtml", "vue", "svelte", "astro", "rss", "plist"],
        kind: Kind::Tags,
        lines: &[],
        blocks: ANGLES,
        ..PLAIN
    },
    Language { names: &["diff", "patch"], kind: Kind::Diff, ..PLAIN },
];

/// The language that a block says it is in.
pub(super) fn language(info: &str) -> Option<&'static Language> {
    let part = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | ':');
    let name = info.trim_start().split(part).next().filter(|name| !name.is_empty())?;
    let is_it = |known: &&&str| known.eq_ignore_ascii_case(name);
    LANGUAGES.iter().find(|one| one.names.iter().any(|known| is_it(&known)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_name_means_one_language() {
        let mut seen = HashSet::new();
        for name in LANGUAGES.iter().flat_map(|one| one.names) {
            assert!(seen.insert(name), "{name} is listed twice");
            assert!(language(name).is_some());
        }
        for info in ["Rust", "rust,no_run", "rust {.x}", "  rs title=a.rs", "yaml:a.yml"] {
            assert!(language(info).is_some(), "{info}");
        }
        assert!(language("").is_none() && language(" ,").is_none());
    }
}
