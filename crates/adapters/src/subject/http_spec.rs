//! A system under test that is called over HTTP.

use std::collections::BTreeSet;

use strum::{IntoStaticStr, VariantArray};

use super::header_spec::HeaderSpec;
use super::request_template::RequestTemplate;
use super::url_template::UrlTemplate;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Span};
use fsmsim_syntax::document::{Fields, named, one_of, text_of};

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
pub(super) enum HttpMethod {
    Get,
    #[default]
    Post,
    Put,
    Patch,
}

/// A system under test that is called over HTTP, with one request per turn.
#[derive(Clone, Debug)]
pub struct HttpSpec {
    pub url: UrlTemplate,
    /// The location of `url`.
    pub url_span: Span,
    pub(super) method: HttpMethod,
    pub headers: Vec<HeaderSpec>,
    /// The body of the request. `None` sends no body.
    pub body: Option<RequestTemplate>,
}

impl HttpSpec {
    /// Parses the keys of a system under test that belong to HTTP.
    pub(super) fn read(fields: &mut Fields<'_, '_>, known: &BTreeSet<String>) -> Option<Self> {
        let url = fields.required("url");
        let method = fields.node("method");
        let headers = fields.entries("headers");
        let body = fields.node("body");
        let found = fields.found();
        let method = match method {
            None => HttpMethod::default(),
            Some(node) => {
                let name = text_of(node, "method", found)?.to_uppercase();
                found.take(one_of(&name, node.span, &named::<HttpMethod>()))?
            }
        };
        if let Some(body) = body.filter(|_| method == HttpMethod::Get) {
            Diagnostic::error(Code::BadSubject, "cannot use `body` with `method: GET`")
                .at(body.span, "would not be sent")
                .help("write `method: POST`, or put the utterance into `url`: `…?text={{say}}`")
                .add_to(found);
        }
        let headers = headers
            .iter()
            .filter_map(|header| HeaderSpec::read(header, found))
            .collect();
        let body = body.map(|body| RequestTemplate::read(body, known, found));
        let url_span = url?.span;
        let url = UrlTemplate::read(url?, known, found)?;
        Some(Self {
            url,
            url_span,
            method,
            headers,
            body,
        })
    }

    /// The name of the method.
    pub fn method(&self) -> &'static str {
        self.method.into()
    }
}
