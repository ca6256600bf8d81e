//! Requests made by hand, for the tests of this crate.

use crate::exchange::{Client, Request};
use bytes::Bytes;
use http::Method;
use percent_encoding::percent_decode_str;
use std::net::{IpAddr, Ipv4Addr};

/// `GET` of a URL's path and query, by a node `n.example.com` that takes any form.
pub fn get(url: &str) -> Request {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let query = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    Request {
        method: Method::GET,
        path: decode(path),
        query: query.map(|(key, value)| (decode(key), decode(value))).collect(),
        accept: vec!["*/*".to_owned()],
        content_type: None,
        if_none_match: None,
        if_modified_since: None,
        passed_on: false,
        body: Bytes::new(),
        client: Client {
            certname: Some("n.example.com".to_owned()),
            extensions: Vec::new(),
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            version: None,
            certificate: None,
            passes_on: None,
        },
    }
}
