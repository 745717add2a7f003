"""Asks pathmend from a site's server. One file, standard library only, Python 3.9 and later.

    client = Client("http://127.0.0.1:8080", key)
    client.suggest("/old/path", limit=3, options={"searchThreshold": 0.1})

Bodies and answers are those of the API (docs/reference/api.md). A client may be shared by threads.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import threading
import time
import urllib.parse
from typing import Any, Iterable, Iterator, Mapping, Optional

MAX_SUGGESTIONS_BYTES = 8 * 2**20
MAX_DOCUMENTS_BYTES = 128 * 2**20
MAX_WRITE_BYTES = 4 * 2**20
MAX_BATCH_ITEMS = 1_000
MAX_BATCH_BYTES = 1_900_000  # below the 2 MiB that pathmend takes as a body
MAX_WAIT_SECONDS = 30.0
FIRST_WAIT_SECONDS = 0.2


class PathmendError(Exception):
    """A call that was refused, with the API's ``code``, or that failed: timeout, unreachable, wrong_answer."""

    def __init__(
        self,
        message: str,
        code: str,
        status: Optional[int] = None,
        param: Optional[str] = None,
        details: Optional[Mapping[str, Any]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.param = param
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after


class Client:
    """All times are in seconds. A search is sent once and has ``timeout``, for a visitor waits for it. A write has
    ``write_timeout`` and is sent up to ``retries`` times more: after 429 and 503, as Retry-After says; upserts after
    other failures, too. Every method takes ``timeout`` and ``retries`` of its own, and raises PathmendError."""

    def __init__(
        self, url: str, key: str, timeout: float = 0.15, write_timeout: float = 10.0, retries: int = 4
    ) -> None:
        parts = urllib.parse.urlsplit(url or "")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url must be the address of your pathmend, such as http://127.0.0.1:8080")
        if not key or not all("!" <= character <= "~" for character in key):
            raise ValueError("key must be an API key of your project: pm_live_… or pm_test_…")
        self._https = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._base = parts.path.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._write_timeout = write_timeout
        self._retries = retries

    def suggest(self, path: str, limit: int = 3, options: Optional[Mapping[str, Any]] = None, **call: Any) -> dict:
        """The live pages that a dead path meant."""
        body = {"path": path, "limit": limit, "options": options or {}}
        return self._search("/v1/suggest", body, MAX_SUGGESTIONS_BYTES, **call)

    def semantic_search(
        self, query: str, limit: int = 3, options: Optional[Mapping[str, Any]] = None, **call: Any
    ) -> dict:
        """The pages whose content answers a question."""
        body = {"query": query, "limit": limit, "options": options or {}}
        return self._search("/v1/semantic-search", body, MAX_SUGGESTIONS_BYTES, **call)

    def retrieve(self, query: str, top_k: int = 3, filters: Optional[Mapping[str, Any]] = None, **call: Any) -> dict:
        """Whole documents that answer a question."""
        body = {"query": query, "top_k": top_k, "filters": filters or {}}
        return self._search("/v1/retrieve", body, MAX_DOCUMENTS_BYTES, **call)

    def upsert_page(self, page: Mapping[str, Any], **call: Any) -> dict:
        return self._write("POST", "/v1/pages/upsert", page, repeatable=True, **call)

    def upsert_pages(self, pages: Iterable[Mapping[str, Any]], delete: Iterable[str] = (), **call: Any) -> list[dict]:
        """Any number of pages and of urls to delete, in batches that the project's plan allows.

        Returns a result for each, in their order. It ends at the first batch that is refused; to send all of it again
        does no harm."""
        call.setdefault("timeout", 6 * self._write_timeout)
        results: list[dict] = []
        most = MAX_BATCH_ITEMS
        for items in _chunks(pages, delete):
            while items:
                batch, rest = items[:most], items[most:]
                body = {kind: [item for its, item in batch if its == kind] for kind in ("pages", "delete")}
                try:
                    answer = self._write("POST", "/v1/pages/batch", body, repeatable=True, **call)
                except PathmendError as error:
                    if error.status != 413:
                        raise
                    most = max(1, len(batch) // 2)
                    if len(batch) > 1:
                        continue
                    # This one page is too large, whatever its company. The others still go.
                    kind, item = batch[0]
                    url = item.get("url") if kind == "pages" else item
                    results.append({"url": url, "error": {"code": "payload_too_large", "message": str(error)}})
                else:
                    done = answer.get("results")
                    if not isinstance(done, list) or len(done) != len(batch) or not all(map(_is_result, done)):
                        raise PathmendError("pathmend did not answer for each page of the batch.", "wrong_answer")
                    # pathmend ends a long batch after some seconds. Those that it did not come to go into the next one.
                    codes = [result.get("error", {}).get("code") for result in done]
                    left = codes.index("overloaded") if "overloaded" in codes else 0
                    results.extend(done[:left] if left else done)
                    rest = batch[left:] + rest if left else rest
                items = rest
        return results

    def delete_page(self, url: Optional[str] = None, page_id: Optional[str] = None, **call: Any) -> dict:
        body = {"url": url} if url is not None else {"pageId": page_id}
        return self._write("DELETE", "/v1/pages/delete", body, repeatable=False, **call)

    def send_event(self, event: Mapping[str, Any], **call: Any) -> None:
        """A click on a suggestion, or a 404 that a visitor met."""
        self._write("POST", "/v1/events", event, repeatable=False, **call)

    def _search(
        self, path: str, body: Mapping[str, Any], most: int, timeout: Optional[float] = None, retries: int = 0
    ) -> dict:
        return self._send("POST", path, body, most, self._timeout if timeout is None else timeout, retries, True)

    def _write(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any],
        repeatable: bool,
        timeout: Optional[float] = None,
        retries: Optional[int] = None,
    ) -> dict:
        timeout = self._write_timeout if timeout is None else timeout
        retries = self._retries if retries is None else retries
        return self._send(method, path, body, MAX_WRITE_BYTES, timeout, retries, repeatable)

    def _send(
        self, method: str, path: str, body: Any, most: int, timeout: float, retries: int, repeatable: bool
    ) -> dict:
        payload = json.dumps(body).encode()
        attempt = 0
        while True:
            try:
                return self._send_once(method, path, payload, most, timeout)
            except PathmendError as error:
                wait = _wait_after(error, attempt, repeatable) if attempt < retries else None
                if wait is None:
                    raise
                time.sleep(wait)
                attempt += 1

    def _send_once(self, method: str, path: str, payload: bytes, most: int, timeout: float) -> dict:
        kind = http.client.HTTPSConnection if self._https else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=timeout)
        late = threading.Event()

        def end() -> None:
            # The timeout of a socket is for each of its reads. This is for all of them.
            late.set()
            if connection.sock is not None:
                try:
                    connection.sock.shutdown(2)
                except OSError:
                    pass

        timer = threading.Timer(timeout, end)
        timer.daemon = True
        timer.start()
        try:
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            connection.connect()
            if late.is_set():
                raise TimeoutError
            connection.request(method, self._base + path, payload, headers)
            response = connection.getresponse()
            text = response.read(most + 1)
            if late.is_set():
                raise TimeoutError
        except (OSError, http.client.HTTPException) as error:
            if late.is_set() or isinstance(error, TimeoutError):
                raise PathmendError(f"pathmend did not answer within {timeout} s.", "timeout") from error
            raise PathmendError(f"pathmend cannot be reached: {error}", "unreachable") from error
        finally:
            timer.cancel()
            connection.close()
        if len(text) > most:
            raise PathmendError(f"pathmend's answer has more than {most} bytes.", "wrong_answer")
        if not 200 <= response.status < 300:
            raise _refusal(response, text)
        answer = {} if response.status == 204 else _parse(text)
        if not isinstance(answer, dict):
            raise PathmendError("pathmend answered with something that is not a JSON object.", "wrong_answer")
        return answer


def _is_result(result: Any) -> bool:
    return isinstance(result, dict) and isinstance(result.get("error", {}), dict)


def _chunks(pages: Iterable[Mapping[str, Any]], urls: Iterable[str]) -> Iterator[list[tuple[str, Any]]]:
    """What one batch may hold at most, so that pages may come from a generator."""
    chunk: list[tuple[str, Any]] = []
    size = 0
    for kind, items in (("pages", pages), ("delete", urls)):
        for item in items:
            length = len(json.dumps(item))
            if chunk and (len(chunk) >= MAX_BATCH_ITEMS or size + length > MAX_BATCH_BYTES):
                yield chunk
                chunk, size = [], 0
            chunk.append((kind, item))
            size += length
    if chunk:
        yield chunk


def _wait_after(error: PathmendError, attempt: int, repeatable: bool) -> Optional[float]:
    """None where sending it again does not help, or not soon."""
    undone = error.status in (429, 503)
    if not undone and not (repeatable and (error.status is None or error.status >= 500)):
        return None
    wait = error.retry_after
    if wait is None:
        wait = FIRST_WAIT_SECONDS * 2**attempt * (1 + random.random())
    return wait if wait <= MAX_WAIT_SECONDS else None


def _refusal(response: http.client.HTTPResponse, text: bytes) -> PathmendError:
    """What an error says, whoever wrote it: pathmend, or a proxy before it."""
    body = _parse(text)
    error = body.get("error") if isinstance(body, dict) else None
    error = error if isinstance(error, dict) else {}
    return PathmendError(
        str(error.get("message") or f"pathmend answered with status {response.status}."),
        str(error.get("code") or "wrong_answer"),
        status=response.status,
        param=error.get("param"),
        details=error.get("details"),
        request_id=response.headers.get("X-Request-Id"),
        retry_after=_retry_after(response.headers.get("Retry-After")),
    )


def _retry_after(header: Optional[str]) -> Optional[float]:
    """Seconds, as pathmend sends them, or a date, as some proxies do."""
    if header is None:
        return None
    try:
        return max(0.0, float(int(header)))
    except (ValueError, OverflowError):
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # the latter where it is nested too deeply
        return None
