//! Languages by the names of files. What is data or prose is no language here.

/// Names of languages and the endings of their files.
const ENDINGS: &[(&str, &[&str])] = &[
    ("Ada", &["adb", "ads"]),
    ("Assembly", &["asm", "s"]),
    ("Astro", &["astro"]),
    ("Awk", &["awk", "gawk"]),
    ("Batchfile", &["bat", "cmd"]),
    ("C", &["c", "h"]),
    ("C#", &["cs", "csx"]),
    ("C++", &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "tpp"]),
    ("CMake", &["cmake"]),
    ("COBOL", &["cbl", "cob"]),
    ("CSS", &["css"]),
    ("Clojure", &["clj", "cljc", "cljs"]),
    ("CoffeeScript", &["coffee"]),
    ("Common Lisp", &["lisp", "lsp"]),
    ("Crystal", &["cr"]),
    ("Cuda", &["cu", "cuh"]),
    ("D", &["d"]),
    ("Dart", &["dart"]),
    ("Dockerfile", &["dockerfile"]),
    ("Elixir", &["ex", "exs"]),
    ("Elm", &["elm"]),
    ("Emacs Lisp", &["el"]),
    ("Erlang", &["erl", "hrl"]),
    ("F#", &["fs", "fsi", "fsx"]),
    ("Fortran", &["f", "f90", "f95", "f03", "for"]),
    ("GLSL", &["glsl", "vert", "frag"]),
    ("Go", &["go"]),
    ("Groovy", &["gradle", "groovy"]),
    ("HCL", &["hcl", "tf", "tfvars"]),
    ("HTML", &["htm", "html", "xhtml"]),
    ("Handlebars", &["handlebars", "hbs"]),
    ("Haskell", &["hs"]),
    ("Haxe", &["hx"]),
    ("Java", &["java"]),
    ("JavaScript", &["cjs", "js", "jsx", "mjs"]),
    ("Julia", &["jl"]),
    ("Jupyter Notebook", &["ipynb"]),
    ("Kotlin", &["kt", "kts"]),
    ("Less", &["less"]),
    ("Lua", &["lua"]),
    ("MATLAB", &["matlab"]),
    ("Makefile", &["mak", "mk"]),
    ("Nim", &["nim"]),
    ("Nix", &["nix"]),
    ("OCaml", &["ml", "mli"]),
    ("Objective-C", &["m"]),
    ("Objective-C++", &["mm"]),
    ("PHP", &["php", "phtml"]),
    ("PLpgSQL", &["pgsql"]),
    ("Pascal", &["dpr", "pas", "pp"]),
    ("Perl", &["pl", "pm", "t"]),
    ("PowerShell", &["ps1", "psd1", "psm1"]),
    ("Prolog", &["pro", "prolog"]),
    ("Pug", &["pug"]),
    ("Python", &["py", "pyi", "pyw"]),
    ("QML", &["qml"]),
    ("R", &["r"]),
    ("Racket", &["rkt"]),
    ("Raku", &["raku", "rakumod"]),
    ("Ruby", &["gemspec", "rake", "rb", "ru"]),
    ("Rust", &["rs"]),
    ("SCSS", &["scss"]),
    ("Sass", &["sass"]),
    ("Scala", &["sbt", "sc", "scala"]),
    ("Scheme", &["scm", "ss"]),
    ("Shell", &["bash", "ksh", "sh", "zsh"]),
    ("Smalltalk", &["st"]),
    ("Solidity", &["sol"]),
    ("Starlark", &["bzl", "star"]),
    ("Stylus", &["styl"]),
    ("Svelte", &["svelte"]),
    ("Swift", &["swift"]),
    ("SystemVerilog", &["sv", "svh"]),
    ("Tcl", &["tcl"]),
    ("TeX", &["cls", "sty", "tex"]),
    ("Terra", &["t7"]),
    ("TypeScript", &["cts", "mts", "ts", "tsx"]),
    ("V", &["v"]),
    ("VHDL", &["vhd", "vhdl"]),
    ("Vala", &["vala", "vapi"]),
    ("Vim Script", &["vim"]),
    ("Visual Basic .NET", &["vb"]),
    ("Vue", &["vue"]),
    ("WebAssembly", &["wat"]),
    ("XSLT", &["xsl", "xslt"]),
    ("Zig", &["zig"]),
];

/// Languages of files that are called so.
const NAMES: &[(&str, &[&str])] = &[
    ("CMake", &["cmakelists.txt"]),
    ("Dockerfile", &["containerfile", "dockerfile"]),
    ("Groovy", &["jenkinsfile"]),
    ("Makefile", &["gnumakefile", "makefile"]),
    ("Meson", &["meson.build"]),
    ("Ruby", &["brewfile", "gemfile", "rakefile", "vagrantfile"]),
    ("Shell", &[".bash_profile", ".bashrc", ".profile", ".zshrc"]),
    ("Starlark", &["build.bazel", "workspace"]),
    ("Vim Script", &[".vimrc"]),
];

/// Folders of what others wrote, or programs.
const VENDORED: &[&str] = &[
    "bower_components",
    "deps",
    "dist",
    "external",
    "extern",
    "node_modules",
    "third-party",
    "third_party",
    "vendor",
    "vendors",
];
/// Folders of what is said about it.
const DOCUMENTATION: &[&str] = &["doc", "docs", "documentation", "example", "examples", "samples"];
/// Endings of what programs wrote.
const GENERATED: &[&str] = &[
    ".min.js",
    ".min.css",
    ".pb.go",
    ".pb.cc",
    ".pb.h",
    "_pb2.py",
    ".g.dart",
    ".designer.cs",
];

/// The language of a file of this name.
pub fn by_name(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let among = |table: &[(&'static str, &[&str])], text: &str| {
        table.iter().find(|(_, all)| all.contains(&text)).map(|(language, _)| *language)
    };
    among(NAMES, &name).or_else(|| among(ENDINGS, name.rsplit_once('.')?.1))
}

/// A language by its name, however it is written.
pub fn by_own_name(name: &str) -> Option<&'static str> {
    let names = ENDINGS.iter().chain(NAMES).map(|(language, _)| *language);
    let folded = name.replace('-', " ").to_lowercase();
    names.into_iter().find(|known| known.replace('-', " ").to_lowercase() == folded)
}

/// Whether others wrote a file.
pub fn is_vendored(path: &str) -> bool {
    is_below(path, VENDORED)
}

/// Whether a file is about the project, and no part of it.
pub fn is_documentation(path: &str) -> bool {
    is_below(path, DOCUMENTATION)
}

/// Whether a program wrote a file.
pub fn is_generated(path: &str) -> bool {
    GENERATED.iter().any(|ending| path.ends_with(ending))
}

fn is_below(path: &str, folders: &[&str]) -> bool {
    let mut above = path.split('/').rev().skip(1);
    above.any(|folder| folders.contains(&folder.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_languages() {
        for (name, language) in [
            ("main.rs", Some("Rust")),
            ("Makefile", Some("Makefile")),
            ("A.CPP", Some("C++")),
            ("README.md", None),
            ("data.json", None),
            ("noending", None),
        ] {
            assert_eq!(by_name(name), language, "{name}");
        }
        assert_eq!(by_own_name("objective-c"), Some("Objective-C"));
        assert_eq!(by_own_name("Vim-script"), Some("Vim Script"));
        assert_eq!(by_own_name("Klingon"), None);
    }

    #[test]
    fn an_ending_is_of_one_language() {
        let mut all: Vec<&str> = ENDINGS.iter().flat_map(|(_, all)| all.iter().copied()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn places_tell_what_is_no_part_of_it() {
        assert!(is_vendored("vendor/a/b.go") && !is_vendored("src/vendor.rs"));
        assert!(is_documentation("docs/conf.py") && !is_documentation("docs.py"));
        assert!(is_generated("a/jquery.min.js") && !is_generated("a/min.js"));
    }
}
