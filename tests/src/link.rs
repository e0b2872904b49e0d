//! A network link to a server that can be cut and restored.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Forwards bytes between clients and a server.
pub struct Link {
    shared: Arc<Shared>,
    accepting: Mutex<Option<thread::JoinHandle<()>>>,
}

struct Shared {
    here: SocketAddr,
    there: String,
    is_cut: AtomicBool,
    /// True while bytes are held back.
    is_frozen: AtomicBool,
    /// Words of a transaction whose commit must not be answered.
    trap: Mutex<Option<&'static str>>,
    streams: Mutex<Vec<TcpStream>>,
}

impl Link {
    /// Creates a link to the server of a database URL. Also returns the URL through the link.
    ///
    /// # Panics
    /// When the link cannot be created.
    pub fn to(url: &str) -> (Self, String) {
        let config: tokio_postgres::Config = url.parse().expect("a database's URL");
        let host = match config.get_hosts().first() {
            Some(tokio_postgres::config::Host::Tcp(host)) => host.clone(),
            other => panic!("no host in {other:?}"),
        };
        let there = format!("{host}:{}", config.get_ports().first().unwrap_or(&5432));
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let shared = Arc::new(Shared {
            here: listener.local_addr().expect("an address"),
            there: there.clone(),
            is_cut: AtomicBool::new(false),
            is_frozen: AtomicBool::new(false),
            trap: Mutex::default(),
            streams: Mutex::default(),
        });
        assert!(url.contains(&there), "{url} names {there} in another way");
        let through = url.replacen(&there, &shared.here.to_string(), 1);
        let accepting = Mutex::new(Some(Shared::accept(&shared, listener)));
        (Self { shared, accepting }, through)
    }

    /// Closes every connection and accepts no new ones.
    ///
    /// # Panics
    /// When the link is already cut.
    pub fn cut(&self) {
        self.shared.is_cut.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        drop(TcpStream::connect(self.shared.here));
        let accepting = self.accepting.lock().unwrap_or_else(PoisonError::into_inner).take();
        accepting.expect("a link that is whole").join().expect("an end");
        for stream in self.shared.streams().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Keeps connections and accepts more, but forwards nothing.
    pub fn freeze(&self) {
        self.shared.is_frozen.store(true, Ordering::SeqCst);
    }

    /// Forwards the bytes that were held back and all later ones.
    pub fn thaw(&self) {
        self.shared.is_frozen.store(false, Ordering::SeqCst);
    }

    /// Freezes when a transaction commits in which these words were sent: the commit
    /// reaches the server, but its response does not return.
    pub fn keep_answer_to_commit_of(&self, words: &'static str) {
        *self.shared.trap.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
    }

    /// Accepts connections again.
    ///
    /// # Panics
    /// When the port cannot be bound.
    pub fn mend(&self) {
        let listener = TcpListener::bind(self.shared.here).expect("the same port");
        self.shared.is_cut.store(false, Ordering::SeqCst);
        self.shared.is_frozen.store(false, Ordering::SeqCst);
        let accepting = Shared::accept(&self.shared, listener);
        *self.accepting.lock().unwrap_or_else(PoisonError::into_inner) = Some(accepting);
    }
}

impl Shared {
    fn streams(&self) -> std::sync::MutexGuard<'_, Vec<TcpStream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(shared: &Arc<Self>, listener: TcpListener) -> thread::JoinHandle<()> {
        let shared = shared.clone();
        thread::spawn(move || {
            while let Ok((near, _)) = listener.accept() {
                if shared.is_cut.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(far) = TcpStream::connect(&shared.there) else { continue };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (Ok(from), Ok(to), Ok(kept)) = (from.try_clone(), to.try_clone(), from.try_clone()) else {
                        continue;
                    };
                    shared.streams().push(kept);
                    let shared = shared.clone();
                    thread::spawn(move || shared.pass_on(from, to));
                }
            }
        })
    }

    /// Returns whether these bytes commit a transaction that contained the trap's words. The link then freezes and
    /// the trap is removed.
    fn is_trapped(&self, bytes: &[u8], has_words: &mut bool) -> bool {
        let mut trap = self.trap.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(words) = *trap else { return false };
        let has = |words: &str| bytes.windows(words.len()).any(|window| window == words.as_bytes());
        *has_words |= has(words);
        let is_here = *has_words && has("COMMIT");
        if is_here {
            *trap = None;
            self.is_frozen.store(true, Ordering::SeqCst);
        }
        is_here
    }

    fn pass_on(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut buffer = [0; 16 << 10];
        let mut has_words = false;
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            if self.is_trapped(&buffer[..read], &mut has_words) {
                if to.write_all(&buffer[..read]).is_err() {
                    break;
                }
                continue;
            }
            while self.is_frozen.load(Ordering::SeqCst) && !self.is_cut.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(2));
            }
            if to.write_all(&buffer[..read]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    }
}
