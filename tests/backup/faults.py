"""A proxy in front of a store with the interface of S3, which injects the faults of networks and stores.

It also checks what Amazon's service checks and stores for tests do not: signatures, with the library of Amazon's own
clients, and the digests of request bodies.
"""

import base64
import hashlib
import http.client
import http.server
import socket
import struct
import threading
import time
from email.utils import formatdate, parsedate_to_datetime
from datetime import datetime, timedelta, timezone
from urllib.parse import parse_qsl, unquote, urlsplit

from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


class Fault:
    """A fault for requests that `matches` selects: for the next `times` of them, or for all."""

    def __init__(self, kind, matches=lambda request: True, times=None):
        self.kind, self.matches, self.left = kind, matches, times
        self.hits = 0


class Request:
    """A request, for selecting faults. `key` is the key of the object without its bucket."""

    def __init__(self, method, path, bucket):
        self.method, split = method, urlsplit(path)
        self.key = unquote(split.path).removeprefix(f"/{bucket}").lstrip("/")
        self.query = split.query
        self.is_part = "partNumber=" in self.query
        self.is_list = method == "GET" and "list-type=2" in self.query


def refusal(method, url, headers, credentials):
    """The status and code with which a request is refused because of its signature, or None if it is valid."""
    bare, _, signature = url.partition("&X-Amz-Signature=")
    query = dict(parse_qsl(urlsplit(bare).query, keep_blank_values=True))
    key, day, region, service, end = query.get("X-Amz-Credential", "////").split("/")
    if key != credentials["AWS_ACCESS_KEY_ID"]:
        return 403, "InvalidAccessKeyId"
    if query.get("X-Amz-Security-Token") != credentials.get("AWS_SESSION_TOKEN"):
        return 400, "InvalidToken"
    made = datetime.strptime(query["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc)
    age = datetime.now(timezone.utc) - made
    if not timedelta(minutes=-5) < age < timedelta(seconds=int(query["X-Amz-Expires"])):
        return 403, "AccessDenied"
    signed = {name: headers[name] for name in query["X-Amz-SignedHeaders"].split(";")}
    request = AWSRequest(method, bare, signed)
    request.context["timestamp"] = query["X-Amz-Date"]
    keys = Credentials(key, credentials["AWS_SECRET_ACCESS_KEY"], credentials.get("AWS_SESSION_TOKEN"))
    auth = S3SigV4QueryAuth(keys, service, region, int(query["X-Amz-Expires"]))
    expected = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    return None if signature == expected else (403, "SignatureDoesNotMatch")


class Proxy(http.server.ThreadingHTTPServer):
    daemon_threads = True
    # Errors of cut connections are expected.
    handle_error = lambda *_: None  # noqa: E731

    def __init__(self, upstream, bucket, credentials):
        super().__init__(("127.0.0.1", 0), Handler)
        self.upstream, self.bucket, self.credentials = upstream, bucket, credentials
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.lock, self.faults, self.seen = threading.Lock(), [], []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def fault(self, *args, **options):
        fault = Fault(*args, **options)
        with self.lock:
            self.faults.append(fault)
        return fault

    def clear(self):
        with self.lock:
            self.faults, self.seen = [], []

    def of(self, request):
        """The kind of fault for this request, or None."""
        with self.lock:
            self.seen.append((request.method, request.key))
            for fault in self.faults:
                if fault.left != 0 and fault.matches(request):
                    fault.hits += 1
                    if fault.left is not None:
                        fault.left -= 1
                    return fault.kind
        return None

    def stored(self):
        """The keys that were written since the last `clear`, without locks."""
        with self.lock:
            return [key for method, key in self.seen if method == "PUT" and "/locks/" not in key]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def serve(self):
        request = Request(self.command, self.path, self.server.bucket)
        length = int(self.headers.get("Content-Length") or 0)
        kind = self.server.of(request)
        if kind == "cut request":
            self.rfile.read(length // 2)
            return self.cut()
        body = self.rfile.read(length)
        if kind == "slow":
            time.sleep(0.3)
        if isinstance(kind, int):
            return self.answer(kind, [], b"<Error><Code>SlowDown</Code><Message>no</Message></Error>" if kind == 503 else b"")
        if isinstance(kind, tuple):
            status, code = kind
            return self.answer(status, [], f"<Error><Code>{code}</Code></Error>".encode())
        if kind == "wrong bytes sent" and body:
            body = flipped(body)
        url = f"http://{self.headers['Host']}{self.path}"
        if refused := refusal(self.command, url, self.headers, self.server.credentials):
            return self.answer(refused[0], [], f"<Error><Code>{refused[1]}</Code></Error>".encode())
        digest = self.headers.get("Content-MD5")
        if digest and digest != base64.b64encode(hashlib.md5(body).digest()).decode():
            return self.answer(400, [], b"<Error><Code>BadDigest</Code></Error>")
        status, headers, content = self.forward(body)
        if kind == "lost answer":
            return self.cut()
        if kind == "cut answer":
            return self.answer(status, headers, content, sent=len(content) // 2)
        if kind == "wrong bytes" and status < 300:
            content = flipped(content)
        if kind == "truncated" and status < 300:
            headers = [(name, value) for name, value in headers if name.lower() != "content-range"]
            content = content[: len(content) // 2]
        if kind == "later":
            late = lambda value: formatdate(parsedate_to_datetime(value).timestamp() + 600, usegmt=True)  # noqa: E731
            headers = [(name, late(value) if name.lower() == "date" else value) for name, value in headers]
        self.answer(status, headers, content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = serve

    def forward(self, body):
        upstream = http.client.HTTPConnection(self.server.upstream, timeout=60)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
            upstream.request(self.command, self.path, body, headers)
            answer = upstream.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            upstream.close()

    def answer(self, status, headers, content, sent=None):
        self.send_response_only(status)
        hop = ("connection", "transfer-encoding", "content-length")
        names = {name.lower() for name, _ in headers}
        if "date" not in names:
            self.send_header("Date", self.date_time_string())
        for name, value in headers:
            if name.lower() not in hop:
                self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content if sent is None else content[:sent])
        self.wfile.flush()
        if sent is not None:
            self.cut()

    def cut(self):
        """Ends the connection prematurely, with a reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()


def flipped(content):
    """The content with one bit changed, in its middle."""
    at = len(content) // 2
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] if content else content
