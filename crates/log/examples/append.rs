//! Measures appends: `append [directory] [seconds] [two]`. With `two`, a full generation
//! of the index is written first, so that each event is looked up in two generations.
//!
//! 32 tasks append batches of 1 and of 20 events, each as fast as it gets responses.
//! Lines have about 350 bytes. Prints events per second, response times, and the CPU time
//! per event of the writer thread and of the whole process.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions, LogReader};
use uuid::Uuid;

const TASKS: u64 = 32;
const BATCHES: u64 = 64;

fn now_us() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64)
}

/// Pseudorandom number that is the same in every run.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A UUID of version 7, as browsers generate it, without a system call for randomness.
fn id(count: &AtomicU64) -> Uuid {
    let n = count.fetch_add(1, Ordering::Relaxed);
    let time = (now_us() as u128 / 1000) << 80;
    Uuid::from_u128(time | (7 << 76) | (u128::from(mix(n) & 0xfff) << 64) | (2 << 62) | u128::from(mix(!n) >> 2))
}

/// An event as a shop sends it, without its id.
fn line(n: u64) -> String {
    let pages = ["", "cart", "checkout", "search?q=teapot", "account/orders", "product"];
    let kinds = ["page_view", "click", "scroll", "custom"];
    let (r, visitor) = (mix(n), mix(n % 5000));
    format!(
        "{{\"kind\":\"{}\",\"visitor\":\"{visitor:016x}{:08x}\",\"at\":{},\"url\":\"https://shop.example/{}/{}\",\
         \"name\":\"step {}\",\"value\":{}.{:02},\"currency\":\"EUR\",\"device\":\"mobile\",\"browser\":\"Firefox\",\
         \"os\":\"Android\",\"country\":\"DE\",\"region\":\"BE\",\"referrer\":\"https://search.example/?q={:06x}\",\
         \"attributes\":{{\"plan\":\"pro\",\"item\":\"sku-{:05}\"}}}}\n",
        kinds[(r % 4) as usize],
        visitor >> 32,
        1_790_000_000_000_000u64 + n * 137,
        pages[(r >> 8) as usize % 6],
        r >> 44,
        (r >> 16) % 9,
        (r >> 20) % 300,
        r % 100,
        r >> 40,
        (r >> 24) % 40_000,
    )
}

/// CPU time of the threads whose name begins with `name`, in microseconds.
fn cpu_us(name: &str) -> u64 {
    let mut ticks = 0;
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let Ok(stat) = std::fs::read_to_string(task.path().join("stat")) else { continue };
        let Some((start, fields)) = stat.rsplit_once(')') else { continue };
        if start.split_once('(').is_some_and(|(_, thread)| thread.starts_with(name)) {
            let fields: Vec<&str> = fields.split_whitespace().collect();
            ticks += fields[11].parse().unwrap_or(0) + fields[12].parse().unwrap_or(0);
        }
    }
    // A tick is a hundredth of a second on Linux.
    ticks * 10_000
}

async fn load(log: &Log, count: &Arc<AtomicU64>, size: u64, seconds: f64) {
    let (events, micros) = (AtomicU64::new(0), Arc::new(std::sync::Mutex::new(Vec::new())));
    let events = Arc::new(events);
    // Batches are built before the measurement, so that only the log is measured.
    let mut tasks = Vec::new();
    let deadline = Instant::now() + Duration::from_secs_f64(seconds);
    let (began, writer, all) = (Instant::now(), cpu_us("muriel-log"), cpu_us(""));
    let first = log.last().seq;
    for task in 0..TASKS {
        let (log, events, micros, count) = (log.clone(), events.clone(), micros.clone(), count.clone());
        let key: Arc<str> = format!("project-{}", task % 4).into();
        let made: Vec<(Vec<u8>, Vec<usize>)> = (0..BATCHES)
            .map(|batch| {
                let (mut lines, mut ends) = (Vec::new(), Vec::new());
                for n in 0..size {
                    lines.extend_from_slice(line((task * BATCHES + batch) * size + n).as_bytes());
                    ends.push(lines.len());
                }
                (lines, ends)
            })
            .collect();
        tasks.push(tokio::spawn(async move {
            let mut took = Vec::new();
            for (lines, ends) in made.iter().cycle() {
                let begun = Instant::now();
                if begun >= deadline {
                    break;
                }
                let entries = ends.iter().map(|&end| BatchEvent { id: id(&count), scope: DedupScope::PROJECT, end });
                let batch = Batch {
                    project_key: key.clone(),
                    received_at: muriel_domain::Instant::from_us(now_us()),
                    events: entries.collect(),
                    lines: lines.clone(),
                };
                match log.append(batch).await {
                    Ok(taken) => drop(events.fetch_add(taken.len() as u64, Ordering::Relaxed)),
                    Err(refused) => eprintln!("{refused}"),
                }
                took.push(begun.elapsed().as_micros() as u64);
            }
            if let Ok(mut micros) = micros.lock() {
                micros.append(&mut took);
            }
        }));
    }
    for task in tasks {
        let _ = task.await;
    }
    let elapsed = began.elapsed().as_secs_f64();
    let events = events.load(Ordering::Relaxed);
    let mut micros = micros.lock().map(|micros| micros.clone()).unwrap_or_default();
    micros.sort_unstable();
    let at = |share: f64| micros.get((micros.len() as f64 * share) as usize).copied().unwrap_or(0) as f64 / 1000.0;
    let per_event = |us: u64| us as f64 / events.max(1) as f64;
    println!(
        "batches of {size:>2}: {:>8.0} events/s, {:>6.0} blocks/s, answers p50 {:.1} ms p99 {:.1} ms, \
         CPU per event: writer {:.2} us, process {:.2} us",
        events as f64 / elapsed,
        (log.last().seq - first) as f64 / elapsed,
        at(0.5),
        at(0.99),
        per_event(cpu_us("muriel-log") - writer),
        per_event(cpu_us("") - all),
    );
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments.next().map_or_else(|| std::env::temp_dir().join("muriel-append"), PathBuf::from);
    let seconds = arguments.next().map_or(Ok(5.0), |text| text.parse())?;
    let two = arguments.next().is_some_and(|text| text == "two");
    std::fs::create_dir_all(&dir)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    // Starts differently in every run, so that ids do not repeat.
    let count = Arc::new(AtomicU64::new(mix(now_us() as u64) >> 8));
    runtime.block_on(async {
        let mut options = LogOptions::default();
        if two {
            options.dedup_window_us = (seconds * 2.2e6) as i64;
        }
        let log = Log::open(&dir, options)?;
        if two {
            // Fills a generation; the next one begins then and lasts for the rest of the
            // run.
            load(&log, &count, 20, seconds * 2.2).await;
        }
        for size in [1, 20] {
            load(&log, &count, size, seconds).await;
        }
        log.close().await?;
        let bytes: u64 =
            std::fs::read_dir(&dir)?.flatten().filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum();
        let began = Instant::now();
        let verified = LogReader::open(&dir)?.verify()?;
        println!(
            "{} events in {} blocks verified in {:.2} s, {:.0} bytes per event with the index, damage: {:?}",
            verified.events,
            verified.blocks,
            began.elapsed().as_secs_f64(),
            bytes as f64 / verified.events.max(1) as f64,
            verified.first_damage,
        );
        Ok(())
    })
}
