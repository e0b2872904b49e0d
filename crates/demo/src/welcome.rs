//! Text that the demo prints at its start.

use super::data::{COMPANY, Project};
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Facts in the text.
#[derive(Debug)]
pub struct Welcome {
    /// Address of the server.
    pub address: SocketAddr,
    /// Address of the metrics.
    pub metrics_address: Option<SocketAddr>,
    /// E-mail address and password of the company's owner.
    pub owner: (String, String),
    /// API key for both projects.
    pub api_key: String,
    /// Place of the data.
    pub kept_in: String,
    /// Keys and ids of the shop's live experiments.
    pub live: Vec<(String, i64)>,
    /// Origin of the shop that is served.
    pub shop: String,
    /// Origin of the shop that the experiments name.
    pub named: String,
    /// Command by which this program was called.
    pub program: String,
    /// Data directory.
    pub data_dir: String,
    /// True when the data directory holds the database too.
    pub all_there: bool,
}

impl Welcome {
    /// The text, with terminal colours or without.
    pub fn text(&self, colour: bool) -> String {
        let (strong, faint, plain) = if colour { ("\x1b[1m", "\x1b[2m", "\x1b[0m") } else { ("", "", "") };
        let site = format!("http://{}", reachable(self.address));
        let mut text = String::new();
        let mut line = |line: &str| {
            // Writing to text cannot fail.
            let _ = writeln!(text, "{}", line.trim_end());
        };
        line("");
        line(&format!("  {strong}{COMPANY}{plain}, a company that has tested its ideas for half a year"));
        line(&format!("  {faint}2 projects, 12 goals, 120 hypotheses, 30 experiments in every state{plain}"));
        line("");
        let row = |name: &str, value: &str| format!("  {name:<15} {value}");
        line(&row("The shop", &self.shop));
        if self.shop == self.named {
            let about = "its pages take part in the experiments: look around, and buy something";
            line(&row("", &format!("{faint}{about}{plain}")));
        } else {
            line(&row("", &format!("{faint}the experiments expect it at {}{plain}", self.named)));
        }
        let (email, password) = &self.owner;
        line(&row("Dashboard", &format!("{site}/")));
        line(&row("", &format!("{faint}sign in as{plain} {email} {faint}with{plain} {password}")));
        line(&row("Documentation", &format!("{site}/docs")));
        line(&row("Ruleset", &format!("{site}/ruleset/{}", Project::Shop.key())));
        if let Some(address) = self.metrics_address {
            line(&row("Metrics", &format!("http://{}/metrics", reachable(address))));
        }
        for project in Project::ALL {
            line(&row(project.name(), &format!("{:<21}   {faint}project key{plain}", project.key())));
        }
        line(&row("API key", &self.api_key));
        line(&row("", &format!("{faint}every scope, both projects, 30 days; it is not shown again{plain}")));
        line(&row("Data", &self.kept_in));
        for (title, curl) in self.tries(&site) {
            line("");
            line(&format!("  {faint}# {title}{plain}"));
            line(&curl);
        }
        line("");
        line(&format!("  {strong}Ctrl-C{plain} stops it."));
        line("");
        text
    }

    /// Commands to paste, each with its description.
    fn tries(&self, site: &str) -> Vec<(&'static str, String)> {
        let shop = format!("{site}/v2/project/{}", Project::Shop.key());
        let curl = |rest: &str| format!("  curl -H 'Authorization: Bearer {}' \\\n       {rest}", self.api_key);
        let mut tries = vec![
            ("the experiments of the company, newest first", curl(&format!("'{shop}/experiments?limit=5'"))),
            ("the shop's ideas about sizes", curl(&format!("'{shop}/hypotheses?search=size'"))),
        ];
        if let Some((_, id)) = self.live.first() {
            let send = r#"-X PATCH -H 'Content-Type: application/merge-patch+json' \
       -d '{"configuration": {"traffic_allocation": 60}}'"#;
            let rest = format!("{send} \\\n       '{shop}/experiment/{id}'");
            tries.push(("let 60 % of the visitors into a live experiment, without other changes", curl(&rest)));
        }
        let ofrep = format!("{shop}/ofrep/v1/evaluate/flags/compare-table");
        let context = r#"-d '{"context": {"targetingKey": "visitor-1", "country": "SE", "device": "mobile"}}'"#;
        let rest = format!("-H 'Content-Type: application/json' {context} \\\n       '{ofrep}'");
        tries.push(("the variant of a visitor, as OpenFeature clients request it", curl(&rest)));
        let program = &self.program;
        let place = format!("--data-dir {}", quoted(&self.data_dir));
        let project = format!("--project {}", Project::Shop.key());
        if self.all_there {
            let which = "--experiment trust-row --visitor visitor-1";
            let context = format!("--context url={}/", self.named);
            let explain = format!("  {program} explain {place} {project} \\\n       {which} {context}");
            tries.push(("why a visitor gets a variant, step by step", explain));
        }
        for (title, key) in [
            ("the result of a true winner", "compare-table"),
            ("the result of a change without an effect", "trust-row"),
            ("the result of a test that loses visitors, which its health check reports", "sock-bundle"),
        ] {
            if let Some((_, id)) = self.live.iter().find(|(known, _)| known == key) {
                tries.push((title, curl(&format!("'{shop}/experiment/{id}/result'"))));
            }
        }
        if let Some((_, id)) = self.live.iter().find(|(known, _)| known == "home-hero") {
            tries.push((
                "the weights of a bandit, and why they are so",
                curl(&format!("'{shop}/experiment/{id}/distribution'")),
            ));
        }
        // The first group that the company made.
        let holdout = curl(&format!("'{shop}/exclusion-group/1/result'"));
        tries.push(("the combined effect of the shop's experiments, against visitors who see none", holdout));
        tries.push(("the events of visitors, as they arrive", format!("  {program} log tail {place} {project}")));
        tries
    }
}

/// A path, quoted for a shell if necessary.
fn quoted(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte);
    if path.bytes().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// An address that a client on this machine can use.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
