//! Forms as clients send them.

use testkit::Request;

const BOUNDARY: &str = "the-parts-of-a-form";

/// A multipart form of these texts, then these files: field, name and bytes.
pub fn multipart(
    request: Request, texts: &[(&str, &str)], files: &[(&str, &str, &[u8])],
) -> Request {
    let mut body = Vec::new();
    for (field, text) in texts {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(format!("\r\n{text}\r\n").as_bytes());
    }
    for (field, name, bytes) in files {
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{field}\"; \
             filename=\"{name}\"\r\nContent-Type: application/octet-stream\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    request.header("content-type", &kind).bytes(body)
}
