//! A subject that is asked by a request over HTTP.

use std::collections::BTreeSet;

use strum::{IntoStaticStr, VariantArray};

use super::header_spec::HeaderSpec;
use super::request_template::RequestTemplate;
use super::url_template::UrlTemplate;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Span};
use fsmsim_syntax::document::{Fields, named, one_of, text_of};

/// How a request asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
pub(super) enum HttpMethod {
    Get,
    #[default]
    Post,
    Put,
    Patch,
}

/// A subject that is asked by a request over HTTP, one a turn.
#[derive(Clone, Debug)]
pub struct HttpSpec {
    /// Where it is asked.
    pub url: UrlTemplate,
    /// Where that is written.
    pub url_span: Span,
    /// How.
    pub(super) method: HttpMethod,
    /// With these headers.
    pub headers: Vec<HeaderSpec>,
    /// With this body; nothing is sent where there is none.
    pub body: Option<RequestTemplate>,
}

impl HttpSpec {
    /// Reads what belongs to it of the keys of a subject.
    pub(super) fn read(fields: &mut Fields<'_, '_>, known: &BTreeSet<String>) -> Option<Self> {
        let (url, method) = (fields.required("url"), fields.node("method"));
        let (headers, body) = (fields.entries("headers"), fields.node("body"));
        let found = fields.found();
        let method = match method {
            None => HttpMethod::default(),
            Some(node) => {
                let name = text_of(node, "method", found)?.to_uppercase();
                found.take(one_of(&name, node.span, &named::<HttpMethod>()))?
            }
        };
        if let Some(body) = body.filter(|_| method == HttpMethod::Get) {
            Diagnostic::error(Code::BadSubject, "a request by GET has no body")
                .at(body.span, "would not be sent")
                .help("write `method: POST`, or put what is said into `url`: `…?text={{say}}`")
                .add_to(found);
        }
        let headers = headers
            .iter()
            .filter_map(|header| HeaderSpec::read(header, found))
            .collect();
        let body = body.map(|body| RequestTemplate::read(body, known, found));
        let (url_span, url) = (url?.span, UrlTemplate::read(url?, known, found)?);
        Some(Self {
            url,
            url_span,
            method,
            headers,
            body,
        })
    }

    /// How it is asked: the name of the method.
    pub fn method(&self) -> &'static str {
        self.method.into()
    }
}
