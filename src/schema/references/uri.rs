//! URI references (RFC 3986) as far as schemas need them: split, join, percent-decode. Fetches nothing.

/// A URI reference without its fragment, and the fragment.
pub(crate) fn split_fragment(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// The first character that may not stand in a URI reference, if there is one.
pub(crate) fn bad_char(reference: &str) -> Option<char> {
    let (uri, fragment) = split_fragment(reference);
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?@!$&'()*+,;=%[]".contains(c) || !c.is_ascii();
    let in_fragment = |c: char| allowed(c) && c != '[' && c != ']';
    uri.chars().find(|&c| !allowed(c)).or_else(|| fragment.chars().find(|&c| !in_fragment(c)))
}

/// Decodes `%XX`; `None` when an escape is cut or the result is no UTF-8.
pub(crate) fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut digit = || bytes.next().and_then(|b| char::from(b).to_digit(16));
        let (high, low) = (digit()?, digit()?);
        out.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(out).ok()
}

#[derive(Default, Clone, Copy)]
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
}

fn parts(uri: &str) -> Parts<'_> {
    let mut out = Parts::default();
    let mut rest = uri;
    if let Some((head, tail)) = rest.split_once(':') {
        let scheme = head.starts_with(|c: char| c.is_ascii_alphabetic())
            && head.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        if scheme {
            out.scheme = Some(head);
            rest = tail;
        }
    }
    if let Some((before, query)) = rest.split_once('?') {
        out.query = Some(query);
        rest = before;
    }
    if let Some(tail) = rest.strip_prefix("//") {
        let cut = tail.find('/').unwrap_or(tail.len());
        let (authority, path) = tail.split_at_checked(cut).unwrap_or((tail, ""));
        out.authority = Some(authority);
        rest = path;
    }
    out.path = rest;
    out
}

fn remove_dots(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut out: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').skip(usize::from(absolute)).collect();
    let last = segments.len().saturating_sub(1);
    for (i, segment) in segments.iter().enumerate() {
        match *segment {
            "." | ".." => {
                if *segment == ".." {
                    out.pop();
                }
                if i == last {
                    out.push("");
                }
            }
            other => out.push(other),
        }
    }
    let joined = out.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

fn build(p: Parts<'_>, path: &str) -> String {
    let mut out = String::new();
    if let Some(scheme) = p.scheme {
        out.push_str(&scheme.to_ascii_lowercase());
        out.push(':');
    }
    if let Some(authority) = p.authority {
        out.push_str("//");
        out.push_str(&authority.to_ascii_lowercase());
    }
    out.push_str(path);
    if let Some(query) = p.query {
        out.push('?');
        out.push_str(query);
    }
    out
}

/// Joins a reference (without fragment) to a base. Without a base the reference stays as written.
pub(crate) fn join(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.to_owned();
    }
    let r = parts(reference);
    if r.scheme.is_some() {
        return build(r, &if r.authority.is_some() { remove_dots(r.path) } else { r.path.to_owned() });
    }
    if base.is_empty() {
        return reference.to_owned();
    }
    let b = parts(base);
    if r.authority.is_some() {
        return build(Parts { scheme: b.scheme, ..r }, &remove_dots(r.path));
    }
    let with = |query| Parts { query, ..b };
    if r.path.is_empty() {
        return build(with(r.query), b.path);
    }
    if r.path.starts_with('/') {
        return build(with(r.query), &remove_dots(r.path));
    }
    let merged = match b.path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{}", r.path),
        None if b.authority.is_some() => format!("/{}", r.path),
        None => r.path.to_owned(),
    };
    build(with(r.query), &remove_dots(&merged))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_like_rfc_3986() {
        let base = "http://a/b/c/d;p?q";
        for (reference, want) in [
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../../../g", "http://a/g"),
            ("urn:x:y", "urn:x:y"),
        ] {
            assert_eq!(join(base, reference), want, "{reference}");
        }
        assert_eq!(join("", "./"), "./");
        assert_eq!(join("http://h", "x"), "http://h/x");
    }

    #[test]
    fn decodes_and_names_bad_characters() {
        assert_eq!(percent_decode("a%20b").as_deref(), Some("a b"));
        assert_eq!(percent_decode("a%2"), None);
        assert_eq!(percent_decode("%ff"), None);
        assert_eq!(bad_char("#/$defs/a b"), Some(' '));
        assert_eq!(bad_char("#/$defs/List[int]"), Some('['));
        assert_eq!(bad_char("http://[::1]/x#a"), None);
    }
}
