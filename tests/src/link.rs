//! The way to a server, which can be cut and mended.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Passes bytes on between whoever connects to it and a server.
pub struct Link {
    shared: Arc<Shared>,
    accepting: Mutex<Option<thread::JoinHandle<()>>>,
}

struct Shared {
    here: SocketAddr,
    there: String,
    is_cut: AtomicBool,
    /// Whether bytes stay where they are.
    is_frozen: AtomicBool,
    /// What a connection carries whose next commit is not answered.
    trap: Mutex<Option<&'static str>>,
    streams: Mutex<Vec<TcpStream>>,
}

impl Link {
    /// A link to the server of a database's URL, and the URL through it.
    ///
    /// # Panics
    /// When there is none to be made.
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

    /// Ends every connection and takes no more.
    ///
    /// # Panics
    /// When it is cut already.
    pub fn cut(&self) {
        self.shared.is_cut.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.shared.here));
        let accepting = self.accepting.lock().unwrap_or_else(PoisonError::into_inner).take();
        accepting.expect("a link that is whole").join().expect("an end");
        for stream in self.shared.streams().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Keeps connections and takes more, but passes nothing on.
    pub fn freeze(&self) {
        self.shared.is_frozen.store(true, Ordering::SeqCst);
    }

    /// Passes on what is held back and all that comes.
    pub fn thaw(&self) {
        self.shared.is_frozen.store(false, Ordering::SeqCst);
    }

    /// Freezes when a transaction commits in which these words were sent: the commit
    /// arrives, and its answer does not.
    pub fn keep_answer_to_commit_of(&self, words: &'static str) {
        *self.shared.trap.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
    }

    /// Takes connections again.
    ///
    /// # Panics
    /// When it cannot.
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

    /// Whether these bytes commit what had the words of the trap, which freezes and is
    /// gone then.
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
