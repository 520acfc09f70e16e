//! The list of suites: scripts, and what runs each of them.

use Language::{
    Conan1Python, ConfiguredPython, GlabPython, GraphqlNode, Node, NodeAndCargo, NpmNode, Python,
    PythonAndNode, PythonAndRust, ReleaseNode, ReviewNode, UpdateNode,
};

/// One script and the program that runs it.
pub struct Suite {
    /// Shown while it runs.
    pub name: &'static str,
    /// In the checkout.
    pub script: &'static str,
    pub runs_on: Language,
    /// Against a server that calls itself `localhost`.
    pub named: bool,
    /// With GraphiQL as the server's explorer.
    pub graphiql: bool,
    /// Takes the server's mails by SMTP, which lie in a folder otherwise.
    pub mailed: bool,
    /// With git over SSH, on a free port.
    pub by_ssh: bool,
    /// With the public providers that projects are imported from at a free port, where the
    /// suite has doubles of them.
    pub with_providers: bool,
}

#[derive(Clone, Copy)]
pub enum Language {
    Python,
    /// With the packages of `tests/clients/conan_1/requirements.txt`.
    Conan1Python,
    /// With the packages of `tests/clients/configured/requirements.txt`.
    ConfiguredPython,
    /// With the packages of `tests/clients/glab_discussion/requirements.txt`.
    GlabPython,
    /// With the program of this folder of `tests/clients`.
    PythonAndRust(&'static str),
    /// With Node and the modules of this folder's `package.json` in `tests/clients`.
    PythonAndNode(&'static str),
    /// With the modules of `tests/clients/package.json`.
    Node,
    /// The same, with cargo-cyclonedx.
    NodeAndCargo,
    /// With the modules of `tests/clients/graphql/package.json`.
    GraphqlNode,
    /// With the package managers of `tests/clients/npm/package.json`.
    NpmNode,
    /// With the modules of `tests/clients/semantic_release/package.json`.
    ReleaseNode,
    /// With the modules of `tests/clients/danger/package.json`.
    ReviewNode,
    /// With the modules of `tests/clients/renovate/package.json`.
    UpdateNode,
}

const fn suite(runs_on: Language, name: &'static str, script: &'static str) -> Suite {
    Suite {
        name,
        script,
        runs_on,
        named: false,
        graphiql: false,
        mailed: false,
        by_ssh: false,
        with_providers: false,
    }
}

impl Suite {
    const fn named(self) -> Suite {
        Suite { named: true, ..self }
    }

    const fn with_graphiql(self) -> Suite {
        Suite { graphiql: true, ..self }
    }

    const fn by_ssh(self) -> Suite {
        Suite { by_ssh: true, ..self }
    }

    const fn mailed(self) -> Suite {
        Suite { mailed: true, ..self }
    }

    const fn with_providers(self) -> Suite {
        Suite { with_providers: true, ..self }
    }
}

/// The stock clients of the REST API, of the OAuth provider, of GraphQL, of
/// package registries and of monitoring. A listed script that is missing fails.
pub const CLIENTS: &[Suite] = &[
    suite(Python, "python-gitlab", "tests/clients/rest.py"),
    suite(Python, "python-gitlab for issues", "tests/clients/planning.py"),
    suite(Python, "python-gitlab for epics", "tests/clients/epics.py"),
    suite(Python, "python-gitlab for boards", "tests/clients/boards.py"),
    suite(Python, "python-gitlab for forks", "tests/clients/forks.py"),
    suite(Python, "python-gitlab for wikis", "tests/clients/wikis.py"),
    suite(Python, "python-gitlab for mirrors", "tests/clients/mirrors.py"),
    suite(
        Python,
        "PyGithub, atlassian-python-api and python-gitlab for imports",
        "tests/clients/imports.py",
    )
    .with_providers(),
    suite(Python, "imports from servers that do ill", "tests/clients/imports_faults.py")
        .with_providers(),
    suite(
        PythonAndNode("recorded"),
        "@octokit/fixtures-server and Prism for imports",
        "tests/clients/imports_recorded.py",
    )
    .with_providers(),
    suite(Python, "python-gitlab and git for snippets", "tests/clients/snippets.py"),
    suite(Python, "python-gitlab for runners", "tests/clients/runners.py"),
    suite(
        PythonAndRust("crate_runner"),
        "gitlab-runner of Rust and gitlab-python-runner",
        "tests/clients/foreign_runners.py",
    ),
    suite(Python, "python-gitlab for variables", "tests/clients/variables.py"),
    suite(Python, "python-gitlab for pipelines", "tests/clients/pipelines.py"),
    suite(Python, "python-gitlab for environments", "tests/clients/environments.py"),
    suite(
        Python,
        "cyclonedx-py, cyclonedx-python-lib and spdx-tools",
        "tests/clients/sbom.py",
    ),
    suite(
        NodeAndCargo,
        "@cyclonedx/cyclonedx-npm, cargo-cyclonedx and @cyclonedx/cyclonedx-library",
        "tests/clients/sbom.cjs",
    ),
    suite(ConfiguredPython, "gitlabform", "tests/clients/configured.py"),
    suite(Python, "python-gitlab for schedules", "tests/clients/schedules.py"),
    suite(Python, "python-gitlab and newsboat for activity", "tests/clients/events.py"),
    suite(
        Python,
        "python-gitlab and mutt for notifications",
        "tests/clients/notifications.py",
    ),
    suite(Python, "aiosmtpd for notifications", "tests/clients/smtp.py").mailed(),
    suite(Node, "@gitbeaker/rest", "tests/clients/rest.cjs"),
    suite(Node, "@gitbeaker/rest for epics", "tests/clients/epics.cjs"),
    suite(Node, "@gitbeaker/rest for environments", "tests/clients/environments.cjs"),
    suite(Node, "@gitbeaker/rest for activity", "tests/clients/events.cjs"),
    suite(Python, "python-gitlab for releases", "tests/clients/releases.py"),
    suite(Node, "@gitbeaker/rest for releases", "tests/clients/releases.cjs"),
    suite(Python, "python-gitlab for files of projects", "tests/clients/project_files.py"),
    suite(Node, "@gitbeaker/rest for files of projects", "tests/clients/project_files.cjs"),
    suite(ReleaseNode, "semantic-release", "tests/clients/semantic_release/release.cjs"),
    suite(Python, "python-gitlab for merge requests", "tests/clients/merge_requests.py"),
    suite(Python, "python-gitlab for reviews", "tests/clients/merge_request_reviews.py"),
    suite(Python, "git for merge requests", "tests/clients/merge_request_refs.py"),
    suite(GlabPython, "glab-discussion", "tests/clients/glab_discussion/discuss.py"),
    suite(Node, "@gitbeaker/rest for merge requests", "tests/clients/merge_requests.cjs"),
    suite(ReviewNode, "danger", "tests/clients/danger/review.cjs"),
    suite(UpdateNode, "renovate", "tests/clients/renovate/updates.cjs"),
    suite(Python, "schemathesis", "tests/clients/openapi.py").with_providers(),
    suite(Node, "openid-client and oauth4webapi", "tests/clients/oauth.cjs"),
    suite(Python, "Authlib and requests-oauthlib", "tests/clients/oauth.py"),
    suite(
        Node,
        "the guide's programs, oidc-client-ts among them",
        "tests/clients/examples.cjs",
    ),
    suite(Python, "git-credential-oauth", "tests/clients/git_credential.py"),
    suite(Python, "dulwich, libgit2 and jgit", "tests/clients/git_libraries.py"),
    suite(Node, "isomorphic-git", "tests/clients/git_libraries.cjs"),
    suite(Python, "git-lfs", "tests/clients/lfs.py"),
    suite(Python, "ssh, git-lfs and python-gitlab for keys", "tests/clients/ssh.py").by_ssh(),
    suite(Python, "git and python-gitlab for signatures", "tests/clients/signatures.py"),
    suite(Python, "libapache2-mod-auth-openidc", "tests/clients/apache.py"),
    suite(Python, "fido2", "tests/clients/keys.py").named(),
    suite(NpmNode, "npm, pnpm and yarn", "tests/clients/npm/managers.cjs"),
    suite(GraphqlNode, "graphql-http", "tests/clients/graphql/audits.cjs"),
    suite(Python, "gql and sgqlc", "tests/clients/graphql/introspected.py"),
    suite(Python, "python-gitlab for GraphQL", "tests/clients/graphql/who_asks.py"),
    suite(
        GraphqlNode,
        "@apollo/client and @urql/core",
        "tests/clients/graphql/applications.cjs",
    ),
    suite(
        GraphqlNode,
        "relay-compiler, graphql-codegen and graphql-inspector",
        "tests/clients/graphql/compilers.cjs",
    ),
    suite(Python, "schemathesis for GraphQL", "tests/clients/graphql/generated.py"),
    suite(Python, "curl", "tests/clients/graphql/curl.py"),
    suite(Python, "sentry-sdk and raven of Python", "tests/clients/errors.py"),
    suite(Node, "@sentry/node and raven of npm", "tests/clients/errors.cjs"),
    suite(Node, "@sentry/browser in chromium", "tests/clients/errors_browser.cjs"),
    suite(
        PythonAndRust("sentry_reqwest"),
        "sentry of Rust over reqwest",
        "tests/clients/errors_rust.py",
    ),
    suite(Python, "Alertmanager, apprise and curl for alerts", "tests/clients/alerts.py"),
    suite(Node, "@gitbeaker/rest for alerts and errors", "tests/clients/alerts.cjs"),
    suite(Python, "composer", "tests/clients/composer.py"),
    suite(Python, "Conan 2", "tests/clients/conan_2.py"),
    suite(Conan1Python, "Conan 1", "tests/clients/conan_1.py"),
    suite(Python, "go", "tests/clients/golang.py"),
    suite(Python, "Helm's library and PyYAML", "tests/clients/helm.py"),
    suite(Python, "build, twine, pip and uv", "tests/clients/pypi.py"),
    suite(Python, "NuGet's protocol 3, as dotnet speaks it", "tests/clients/nuget_v3.py"),
    suite(Python, "nuget 2.8", "tests/clients/nuget.py"),
    suite(Python, "Maven", "tests/clients/maven.py"),
    suite(Python, "Terraform", "tests/clients/terraform.py"),
];

/// The pages in a browser.
pub const BROWSER: &[Suite] = &[
    suite(Node, "chromium", "tests/browser/pages.cjs").named(),
    suite(Node, "the whole walk in chromium", "tests/browser/walk.cjs"),
    suite(Node, "applications, links and refusals in chromium", "tests/browser/doors.cjs"),
    suite(Node, "pipelines in chromium", "tests/browser/pipelines.cjs"),
    suite(Node, "the administration in chromium", "tests/browser/admin.cjs"),
    suite(Node, "charts and packages in chromium", "tests/browser/drawn.cjs"),
    suite(Node, "searching in chromium", "tests/browser/search.cjs"),
    suite(Node, "activity in chromium", "tests/browser/activity.cjs"),
    suite(Node, "boards and the roadmap in chromium", "tests/browser/boards.cjs"),
    suite(Node, "epics in chromium", "tests/browser/epics.cjs"),
    suite(Node, "history and differences in chromium", "tests/browser/history.cjs"),
    suite(Node, "merge requests in chromium", "tests/browser/merge_requests.cjs"),
    suite(Node, "imports in chromium", "tests/browser/imports.cjs"),
    suite(Node, "editors and pickers in chromium", "tests/browser/editor.cjs"),
    suite(Node, "texts in chromium", "tests/browser/text.cjs"),
    suite(Node, "pictures of pages in chromium", "tests/browser/pictures.cjs"),
    suite(Node, "the GraphQL explorer in chromium", "tests/browser/explorer.cjs"),
    suite(Node, "GraphiQL in chromium", "tests/browser/graphiql.cjs").with_graphiql(),
];
