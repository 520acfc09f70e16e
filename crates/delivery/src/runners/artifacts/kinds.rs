//! Which files jobs leave: their types, formats and names.

/// A type of artifact, how it is packed, and what it is called where nobody says.
pub struct Kind {
    pub name: &'static str,
    pub format: &'static str,
    pub file: &'static str,
}

const fn kind(name: &'static str, format: &'static str, file: &'static str) -> Kind {
    Kind { name, format, file }
}

pub const ARCHIVE: &str = "archive";
pub const METADATA: &str = "metadata";
pub const DOTENV: &str = "dotenv";

/// Bytes of a list of components, packed.
const LARGEST_SBOM: u64 = 5 * 1024 * 1024;

impl Kind {
    /// Most bytes of one, where they are fewer than of others.
    pub fn largest(&self) -> Option<u64> {
        (self.name == "cyclonedx").then_some(LARGEST_SBOM)
    }
}

const ALL: &[Kind] = &[
    kind(ARCHIVE, "zip", "artifacts.zip"),
    kind(METADATA, "gzip", "metadata.gz"),
    kind("junit", "gzip", "junit.xml"),
    kind(DOTENV, "gzip", ".env"),
    kind("cobertura", "gzip", "cobertura-coverage.xml"),
    kind("jacoco", "gzip", "jacoco-coverage.xml"),
    kind("cyclonedx", "gzip", "gl-sbom.cdx.json"),
    kind("annotations", "gzip", "gl-annotations.json"),
    kind("metrics", "gzip", "metrics.txt"),
    kind("lsif", "zip", "lsif.json"),
    kind("repository_xray", "gzip", "gl-repository-xray.json"),
    kind("trace", "raw", "job.log"),
    kind("codequality", "raw", "gl-code-quality-report.json"),
    kind("terraform", "raw", "tfplan.json"),
    kind("accessibility", "raw", "gl-accessibility.json"),
    kind("sast", "raw", "gl-sast-report.json"),
    kind("secret_detection", "raw", "gl-secret-detection-report.json"),
    kind("dependency_scanning", "raw", "gl-dependency-scanning-report.json"),
    kind("container_scanning", "raw", "gl-container-scanning-report.json"),
    kind("cluster_image_scanning", "raw", "gl-cluster-image-scanning-report.json"),
    kind("license_scanning", "raw", "gl-license-scanning-report.json"),
    kind("license_management", "raw", "gl-license-management-report.json"),
    kind("dast", "raw", "gl-dast-report.json"),
    kind("api_fuzzing", "raw", "gl-api-fuzzing-report.json"),
    kind("coverage_fuzzing", "raw", "gl-coverage-fuzzing-report.json"),
    kind("sarif", "raw", "gl-sarif-report.json"),
    kind("requirements", "raw", "requirements.json"),
    kind("requirements_v2", "raw", "requirements_v2.json"),
    kind("performance", "raw", "performance.json"),
    kind("browser_performance", "raw", "browser-performance.json"),
    kind("load_performance", "raw", "load-performance.json"),
];

/// The kind of this name; the log is none that a runner brings.
pub fn find(name: &str) -> Option<&'static Kind> {
    ALL.iter().find(|kind| kind.name == name)
}
