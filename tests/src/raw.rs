//! Raw HTTP requests that a client library would not send.

use crate::{Answer, Contract, DEADLINE};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// Sends these bytes and checks the response against the contract.
///
/// # Panics
/// When there is no response, or it breaks the contract.
#[track_caller]
pub fn exchange(address: SocketAddr, request: &[u8]) -> Answer {
    let answer = unchecked(address, request);
    check(request, &answer);
    answer
}

/// Sends requests one after the other on one connection, and returns the responses.
///
/// # Panics
/// When a response is missing or breaks the contract.
#[track_caller]
pub fn converse(address: SocketAddr, requests: &[&[u8]]) -> Vec<Answer> {
    let mut stream = connect(address);
    let ask = |request: &&[u8]| {
        stream.write_all(request).expect("a connection that stays");
        let answer = read_one(&mut stream);
        check(request, &answer);
        answer
    };
    requests.iter().map(ask).collect()
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(DEADLINE)).expect("a deadline");
    stream
}

#[track_caller]
fn check(request: &[u8], answer: &Answer) {
    let first_line = String::from_utf8_lossy(request).lines().next().unwrap_or_default().to_owned();
    let mut words = first_line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    Contract::check(method, target, answer);
}

/// Sends these bytes and returns the response without checks.
///
/// # Panics
/// When there is no response.
#[track_caller]
pub fn unchecked(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = connect(address);
    // A server may refuse before it has read everything.
    let _ = stream.write_all(request);
    read_one(&mut stream)
}

#[track_caller]
fn read_one(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 << 10];
    loop {
        if let Some(answer) = parse(&bytes) {
            return answer;
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => panic!("no whole answer: {}", String::from_utf8_lossy(&bytes)),
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

/// Parses a response, once it is complete.
fn parse(bytes: &[u8]) -> Option<Answer> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).expect("a head of text");
    let mut lines = head.split("\r\n");
    let first = lines.next().expect("a status line");
    let status = first.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
    let headers: Vec<(String, String)> = lines
        .map(|line| {
            let (name, value) = line.split_once(':').expect("a header field");
            (name.to_lowercase(), value.trim().to_owned())
        })
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, length)| length.parse().expect("a length"));
    let body = bytes.get(end + 4..end + 4 + length)?;
    Some(Answer::new(format!("raw request: {first}"), status, headers, body.to_vec()))
}
