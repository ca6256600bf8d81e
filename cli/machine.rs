//! What this machine is called, the certname where nobody names another; and its addresses.
//! Source: Facter 4, as Puppet 7.23.0 and 8.10.0 ask it.

use bunraku::files::read;
use std::net::UdpSocket;
use std::path::Path;

const HOSTNAME: &str = "/proc/sys/kernel/hostname";
const RESOLVER: &str = "/etc/resolv.conf";
/// Bytes that either may hold.
const MAX_FILE: u64 = 64 << 10;

/// Its name with the domain, in lower case; none where the system does not say.
pub fn name() -> Option<String> {
    let text = |file: &str| read::regular_text(Path::new(file), MAX_FILE).ok();
    named(&text(HOSTNAME)?, text(RESOLVER).as_deref().unwrap_or_default())
}

/// Its own addresses of either kind, those by which it reaches others. Nothing is sent.
pub fn addresses() -> [Option<String>; 2] {
    let own = |from: &str, to: &str| {
        let socket = UdpSocket::bind(from).ok()?;
        socket.connect(to).ok()?;
        Some(socket.local_addr().ok()?.ip().to_string())
    };
    // Addresses that are kept for documentation.
    [own("0.0.0.0:0", "192.0.2.1:9"), own("[::]:0", "[2001:db8::1]:9")]
}

fn named(hostname: &str, resolver: &str) -> Option<String> {
    let hostname = hostname.trim().trim_end_matches('.').to_lowercase();
    if hostname.is_empty() || hostname.contains('.') {
        return Some(hostname).filter(|name| !name.is_empty());
    }
    let of = |word: &str| {
        resolver.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            (words.next() == Some(word)).then(|| words.next()).flatten()
        })
    };
    let domain = of("domain").or_else(|| of("search")).map(|domain| domain.trim_end_matches('.'));
    Some(match domain.filter(|domain| !domain.is_empty()) {
        Some(domain) => format!("{hostname}.{}", domain.to_lowercase()),
        None => hostname,
    })
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_name_without_a_domain_gets_the_resolvers() {
        let name = |hostname, resolver| named(hostname, resolver);
        assert_eq!(name("web01.Example.com\n", "search other"), Some("web01.example.com".to_owned()));
        assert_eq!(name("web01", "nameserver 1\nsearch a.com b.com\n"), Some("web01.a.com".to_owned()));
        assert_eq!(name("web01", "search a.com\ndomain c.com\n"), Some("web01.c.com".to_owned()));
        assert_eq!(name("vm\n", ""), Some("vm".to_owned()));
        assert_eq!(name("\n", ""), None);
    }
}
