//! Metrics of the server, for Prometheus.
//!
//! Labels come from closed sets: the routes of the router, HTTP methods, status
//! codes. No text from clients or customers becomes a label.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use muriel_delivery::intake::EventCounts;
use muriel_http::metrics::{HttpMetrics, MetricsFormat};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ComponentLabels {
    component: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct TaskLabels {
    task: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct JobLabels {
    rule: &'static str,
    outcome: &'static str,
}

/// Gauge in seconds.
type Seconds = Gauge<f64, std::sync::atomic::AtomicU64>;

/// Metrics of all tasks.
#[derive(Clone, Debug, Default)]
struct TaskMetrics {
    runs: Family<TaskLabels, Counter>,
    failures: Family<TaskLabels, Counter>,
    last_duration: Family<TaskLabels, Seconds>,
    last_success: Family<TaskLabels, Seconds>,
}

/// Metrics of one server.
pub struct Metrics {
    registry: Registry,
    /// Connections and requests.
    pub http: Arc<HttpMetrics>,
    /// Events by outcome.
    pub events: EventCounts,
    /// 1 while the event log accepts events, otherwise 0.
    pub event_log_taking: Gauge,
    components: Family<ComponentLabels, Gauge>,
    tasks: TaskMetrics,
    jobs: Family<JobLabels, Counter>,
    /// Free space on the volume of the event log, in bytes.
    pub disk_free_bytes: Gauge,
    /// Free space below which events are refused, in bytes.
    pub disk_reserve_bytes: Gauge,
    /// Time for which acknowledged events have waited for the warehouse.
    pub warehouse_lag_seconds: Gauge,
    /// Blocks of the event log that are missing or corrupt.
    pub event_log_damaged_blocks: Gauge,
    /// 1 while old events of a project are kept because the clock may be wrong,
    /// otherwise 0.
    pub project_retention_held: Gauge,
    /// 1 while retention is paused because the clock may be wrong, otherwise 0.
    pub event_log_retention_held: Gauge,
    /// Pairs of live experiments that the last nightly interaction checks left out.
    pub interaction_pairs_left_out: Gauge,
    /// Age of rulesets that could not be confirmed as current, once it exceeds the
    /// limit; otherwise 0.
    pub rulesets_stale_seconds: Gauge,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

impl Metrics {
    /// Creates all counters at zero, and records the start time.
    pub fn new() -> Metrics {
        let mut registry = Registry::default();

        let http = Arc::new(HttpMetrics::new(&mut registry));
        let events = Family::<OutcomeLabels, Counter>::default();
        registry.register("muriel_events", "Events that arrived, by outcome", events.clone());
        let events_that = |outcome| events.get_or_create_owned(&OutcomeLabels { outcome });
        let lost_by_pages = Counter::default();
        registry.register(
            "muriel_events_lost_by_pages",
            "Events that pages could not send or that were refused, as reported in health events",
            lost_by_pages.clone(),
        );
        let (ahead, late, unfilled) = (Counter::default(), Counter::default(), Counter::default());
        registry.register(
            "muriel_events_ahead",
            "Events dated more than five minutes in the future, stored as of their receipt",
            ahead.clone(),
        );
        registry.register(
            "muriel_events_late",
            "Events without a key, dated more than a day before their receipt; nothing counts them",
            late.clone(),
        );
        let shortened = Counter::default();
        registry.register(
            "muriel_events_shortened",
            "Events of whose addresses parameters or a fragment were left out",
            shortened.clone(),
        );
        registry.register(
            "muriel_events_unfilled_order_number",
            "Orders and refunds whose number a template left unfilled, stored without it",
            unfilled.clone(),
        );
        let signatures_refused = Counter::default();
        registry.register(
            "muriel_visitor_signatures_refused",
            "Requests of visitors who got no signature, because their network had got those of the hour",
            signatures_refused.clone(),
        );
        let event_log_taking = Gauge::default();
        registry.register("muriel_event_log_taking", "1 while the event log accepts events", event_log_taking.clone());
        let components = Family::<ComponentLabels, Gauge>::default();
        registry.register(
            "muriel_component_ok",
            "1 while this component is ok in /readyz, else 0: database, rulesets, events, disk, warehouse, log, tasks",
            components.clone(),
        );
        let tasks = TaskMetrics::default();
        registry.register("muriel_task_runs", "Runs of a task, including failed ones", tasks.runs.clone());
        registry.register("muriel_task_failures", "Runs of a task that failed", tasks.failures.clone());
        registry.register(
            "muriel_task_last_duration_seconds",
            "Duration of the latest run of a task",
            tasks.last_duration.clone(),
        );
        registry.register(
            "muriel_task_last_success_timestamp_seconds",
            "Time of a task's last success, in seconds since 1970",
            tasks.last_success.clone(),
        );
        let jobs = Family::<JobLabels, Counter>::default();
        registry.register(
            "muriel_jobs",
            "Jobs of the clock by rule and outcome: done, blocked, nothing (no longer needed), failed",
            jobs.clone(),
        );
        let mut gauge = |name: &str, help: &str| {
            let gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let disk_free_bytes = gauge("muriel_disk_free_bytes", "Bytes that are free on the volume of the event log");
        let disk_reserve_bytes = gauge("muriel_disk_reserve_bytes", "Free bytes below which events are refused");
        let warehouse_lag_seconds = gauge(
            "muriel_warehouse_lag_seconds",
            "Age of the oldest acknowledged event that is not in the warehouse yet",
        );
        let event_log_damaged_blocks = gauge(
            "muriel_event_log_damaged_blocks",
            "Blocks of the event log that results do not include because they are missing or damaged",
        );
        let interaction_pairs_left_out = gauge(
            "muriel_interaction_pairs_left_out",
            "Pairs of live experiments that the last nightly interaction check left out because there were too many",
        );
        let project_retention_held = Gauge::default();
        registry.register(
            "muriel_project_retention_held",
            "1 while old events of a project are kept because the clock may be wrong",
            project_retention_held.clone(),
        );
        let event_log_retention_held = Gauge::default();
        registry.register(
            "muriel_event_log_retention_held",
            "1 while old files of the event log are kept because the clock may be wrong: see muriel log prune --force",
            event_log_retention_held.clone(),
        );
        let rulesets_stale_seconds = Gauge::default();
        registry.register(
            "muriel_rulesets_stale_seconds",
            "Time since rulesets were last known to be up to date, once that is over a minute",
            rulesets_stale_seconds.clone(),
        );

        let started = Seconds::default();
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
        started.set(since_epoch.map_or(0.0, |since| since.as_secs_f64()));
        registry.register("process_start_time_seconds", "When the server started, in seconds since 1970", started);
        registry.register("muriel_build", "The running version", Info::new([("version", env!("CARGO_PKG_VERSION"))]));

        Metrics {
            http,
            events: EventCounts {
                stored: events_that("stored"),
                repeated: events_that("repeated"),
                invalid: events_that("invalid"),
                refused: events_that("refused"),
                consent_denied: events_that("consent_denied"),
                consent_missing: events_that("consent_missing"),
                gpc: events_that("gpc"),
                lost_by_pages,
                ahead,
                late,
                shortened,
                unfilled,
                signatures_refused,
            },
            components,
            tasks,
            jobs,
            disk_free_bytes,
            disk_reserve_bytes,
            warehouse_lag_seconds,
            event_log_damaged_blocks,
            event_log_taking,
            project_retention_held,
            event_log_retention_held,
            interaction_pairs_left_out,
            rulesets_stale_seconds,
            registry,
        }
    }

    /// Gauge of a component: 1 while it works, otherwise 0.
    pub fn component(&self, component: &'static str) -> Gauge {
        self.components.get_or_create_owned(&ComponentLabels { component })
    }

    /// Counts one run of a task that ends now.
    pub fn task_ran(&self, task: &'static str, duration: Duration, succeeded: bool) {
        let labels = TaskLabels { task };
        self.tasks.runs.get_or_create_owned(&labels).inc();
        // Creates the counter, so that it shows 0 before the first failure.
        let failures = self.tasks.failures.get_or_create_owned(&labels);
        self.tasks.last_duration.get_or_create_owned(&labels).set(duration.as_secs_f64());
        if succeeded {
            let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            self.tasks.last_success.get_or_create_owned(&labels).set(since_epoch.as_secs_f64());
        } else {
            failures.inc();
        }
    }

    /// Counts one job of the clock.
    pub fn job_ran(&self, rule: &'static str, outcome: &'static str) {
        self.jobs.get_or_create_owned(&JobLabels { rule, outcome }).inc();
    }

    /// All metrics in the given format.
    pub fn render(&self, format: MetricsFormat) -> String {
        muriel_http::metrics::write(&self.registry, format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{Method, StatusCode};
    use muriel_http::metrics::UNMATCHED;
    use std::collections::HashMap;

    #[test]
    fn renders_what_was_counted() {
        let metrics = Metrics::new();
        let route = "/v1/projects/{project}";
        let took = Duration::from_micros(300);
        metrics.http.answered(route, &Method::GET, StatusCode::OK, took);
        metrics.http.answered(route, &Method::GET, StatusCode::OK, took);
        let brew = Method::from_bytes(b"BREW").unwrap();
        metrics.http.answered(UNMATCHED, &brew, StatusCode::NOT_FOUND, took);
        metrics.http.rate_limited_key.inc();
        metrics.http.connections.inc();
        let text = metrics.render(MetricsFormat::OpenMetrics);
        for line in [
            r#"muriel_http_requests_total{route="/v1/projects/{project}",method="GET",status="200"} 2"#,
            r#"muriel_http_requests_total{route="unmatched",method="other",status="404"} 1"#,
            r#"muriel_http_request_duration_seconds_bucket{le="0.00025",route="/v1/projects/{project}"} 0"#,
            r#"muriel_http_request_duration_seconds_count{route="/v1/projects/{project}"} 2"#,
            r#"muriel_http_rate_limited_total{limit="key"} 1"#,
            r#"muriel_http_connections 1"#,
            r#"muriel_http_connections_rejected_total{reason="network"} 0"#,
            r#"muriel_rate_limit_entries{limit="network"} 0"#,
            r#"muriel_http_panics_total 0"#,
            r#"muriel_events_total{outcome="stored"} 0"#,
            r#"muriel_build_info{version="0.1.0"} 1"#,
        ] {
            assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
        }
        assert!(text.contains("\nprocess_start_time_seconds "));
    }

    /// Rules of the plain format, as checked by `promtool check metrics`.
    #[test]
    fn the_plain_format_has_its_names_and_types() {
        let metrics = Metrics::new();
        metrics.http.answered(UNMATCHED, &Method::GET, StatusCode::OK, Duration::ZERO);
        metrics.component("log").set(1);
        metrics.task_ran("prune", Duration::ZERO, false);
        metrics.job_ran("start", "done");
        let text = metrics.render(MetricsFormat::Plain);
        let mut types: HashMap<&str, &str> = HashMap::new();
        let (mut helped, mut samples) = (Vec::new(), 0);
        for line in text.lines() {
            if let Some(about) = line.strip_prefix("# HELP ") {
                let (name, help) = about.split_once(' ').unwrap();
                assert!(!help.is_empty() && !helped.contains(&name), "{line}");
                helped.push(name);
            } else if let Some(about) = line.strip_prefix("# TYPE ") {
                let (name, kind) = about.split_once(' ').unwrap();
                assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
                assert_eq!(helped.last(), Some(&name), "help comes before the type");
                assert_eq!(name.ends_with("_total"), kind == "counter", "{line}");
                assert!(types.insert(name, kind).is_none(), "{line}");
            } else {
                assert!(!line.starts_with('#'), "{line}");
                samples += 1;
                let name = line.split(['{', ' ']).next().unwrap();
                let is_of = |family: &&str| match types[family] {
                    "histogram" => {
                        ["_bucket", "_sum", "_count"].iter().any(|end| name.strip_suffix(end) == Some(family))
                    }
                    _ => name == *family,
                };
                assert!(types.keys().any(is_of), "{line} is of no family");
                let value = line.rsplit_once(' ').unwrap().1;
                assert!(value.parse::<f64>().is_ok(), "{line}");
            }
        }
        assert!(samples > 30 && types.len() == helped.len() && text.ends_with('\n'));
        assert!(text.contains("\n# TYPE muriel_build_info gauge\nmuriel_build_info{version="));
        // No sample is lost compared with the other format.
        let of = |text: &str| text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(samples, of(&metrics.render(MetricsFormat::OpenMetrics)));
    }

    #[test]
    fn each_metric_is_documented() {
        let guide = include_str!("../../../docs/running.md");
        let metrics = Metrics::new();
        metrics.http.answered(UNMATCHED, &Method::GET, StatusCode::OK, Duration::ZERO);
        metrics.component("log").set(1);
        metrics.task_ran("prune", Duration::ZERO, true);
        let text = metrics.render(MetricsFormat::OpenMetrics);
        let names: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
        assert!(names.len() > 15, "{names:?}");
        for name in names {
            let is_documented = ["`", "{", "_info{"].iter().any(|end| guide.contains(&format!("| `{name}{end}")));
            assert!(is_documented, "{name} is not in docs/running.md");
        }
    }
}
