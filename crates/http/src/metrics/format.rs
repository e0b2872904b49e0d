//! Text formats of metrics, and content negotiation between them.

use http::{HeaderMap, header};
use std::fmt::Write;

/// Text format of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsFormat {
    /// OpenMetrics 1.0, written by the library.
    OpenMetrics,
    /// The older Prometheus format, which more programs can read.
    Plain,
}

impl MetricsFormat {
    /// Format that `Accept` prefers; OpenMetrics if neither is preferred.
    pub fn accepted(headers: &HeaderMap) -> Self {
        let fields = headers.get_all(header::ACCEPT).iter().filter_map(|field| field.to_str().ok());
        let (mut open, mut plain) = (None::<f32>, None::<f32>);
        for range in fields.flat_map(|field| field.split(',')) {
            let mut parts = range.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default().to_ascii_lowercase();
            let weight = parts.find_map(|part| part.strip_prefix("q=")?.parse().ok()).unwrap_or(1.0);
            let best = match name.as_str() {
                "application/openmetrics-text" => &mut open,
                "text/plain" | "text/*" => &mut plain,
                _ => continue,
            };
            *best = Some(best.map_or(weight, |best| best.max(weight)));
        }
        // Clients that accept anything get OpenMetrics, for compatibility with earlier versions.
        let open = open.unwrap_or(0.0);
        if plain.is_some_and(|plain| plain > open) { Self::Plain } else { Self::OpenMetrics }
    }

    /// Value of `Content-Type`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Plain => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

/// Converts OpenMetrics to the plain format. Samples stay unchanged; the lines about their families get the names and
/// types of the plain format.
pub(super) fn plain(openmetrics: &str) -> String {
    let mut out = String::with_capacity(openmetrics.len());
    // The lines about a family come before its samples, with the type last: the name depends on it.
    let mut help = None;
    for line in openmetrics.lines() {
        if let Some(about) = line.strip_prefix("# HELP ") {
            help = about.split_once(' ');
        } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|about| about.split_once(' ')) {
            // The plain format names families of these types after their samples.
            let (ending, kind) = match kind {
                "counter" => ("_total", "counter"),
                "info" => ("_info", "gauge"),
                "unknown" => ("", "untyped"),
                "stateset" => ("", "gauge"),
                kind => ("", kind),
            };
            if let Some((_, text)) = help.take().filter(|(of, _)| *of == name) {
                // The plain format does not escape quotes.
                let _ = writeln!(out, "# HELP {name}{ending} {}", text.replace("\\\"", "\""));
            }
            let _ = writeln!(out, "# TYPE {name}{ending} {kind}");
        } else if !line.starts_with('#') {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn the_format_is_the_one_that_is_asked_for() {
        use MetricsFormat::{OpenMetrics, Plain};
        for (accept, expect) in [
            (None, OpenMetrics),
            (Some("*/*"), OpenMetrics),
            (Some("application/json"), OpenMetrics),
            (Some("text/plain"), Plain),
            (Some("text/plain;version=0.0.4"), Plain),
            (Some("Text/Plain; version=0.0.4; q=0.5, */*;q=0.1"), Plain),
            (Some("text/*"), Plain),
            (Some("text/plain;q=0"), OpenMetrics),
            (Some("application/openmetrics-text, text/plain"), OpenMetrics),
            (Some("application/openmetrics-text;q=0.3, text/plain;q=0.7"), Plain),
            // Sent by Prometheus.
            (
                Some(
                    "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,\
                     text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                ),
                OpenMetrics,
            ),
        ] {
            let mut headers = HeaderMap::new();
            headers.extend(accept.map(|accept| (header::ACCEPT, HeaderValue::from_static(accept))));
            assert_eq!(MetricsFormat::accepted(&headers), expect, "{accept:?}");
        }
    }
}
