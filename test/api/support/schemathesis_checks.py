"""Check of every run: no request fails on the server's side."""

import time

import requests
import schemathesis

LONGEST_WAIT_S = 60


@schemathesis.check
def is_answered_in_the_end(_context, response, _case):
    """
    A 503 asks for the same request once more, after as long as it says, and that one is answered; no other status of the
    server's side is ever sent. The request is sent again as it was, with its Idempotency-Key.
    """
    status, headers = response.status_code, {name: values[0] for name, values in response.headers.items()}
    until = time.monotonic() + LONGEST_WAIT_S
    while status == 503 and time.monotonic() < until:
        time.sleep(float(headers["retry-after"]))
        repeated = requests.Session().send(response.request, timeout=20)
        status, headers = repeated.status_code, repeated.headers
    assert status < 500, f"[{status}] for a request that was sent until it was answered"
