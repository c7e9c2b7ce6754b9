"""When an attempt is repeated, and after which delay."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

#: docs/errors.md of Trilho, "Whether to try again": the repeat of a call with a key gets the result of the first.
RETRIED_STATUSES = frozenset({408, 429, 500, 502, 503, 504})


@dataclass(frozen=True)
class RetryPolicy:
    """Limits of a call: its attempts, the delays between them, and the seconds of everything together."""

    #: Attempts of one call, the first included; 1 never retries.
    max_attempts: int = 4
    #: The delay before the second attempt, doubled for each further one.
    base_delay_s: float = 0.5
    max_delay_s: float = 8.0
    #: Seconds from the call to its result or its error, all attempts and delays included.
    deadline_s: float = 60.0

    def __post_init__(self) -> None:
        if self.max_attempts < 1 or self.deadline_s <= 0 or self.base_delay_s < 0 or self.max_delay_s < 0:
            raise ValueError("a retry policy needs at least one attempt, a deadline, and no negative delay")


@dataclass
class Attempts:
    """Counts the attempts of one call and measures its time."""

    policy: RetryPolicy
    #: Whether the API answers a repeat as it answered the first request.
    is_repeatable: bool
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[float, float], float] = random.uniform
    count: int = 0
    #: An attempt before may have executed the operation.
    is_outcome_unknown: bool = False
    started_at: float = field(init=False)

    def __post_init__(self) -> None:
        self.started_at = self.clock()

    def remaining_s(self) -> float:
        """Seconds until the deadline; zero or less after it."""
        return self.policy.deadline_s - (self.clock() - self.started_at)

    def next_delay_s(self, retry_after_s: float | None = None) -> float | None:
        """Counts a failed attempt; returns the delay before the next one, or ``None`` where there is none."""
        self.count += 1
        if not self.is_repeatable or self.count >= self.policy.max_attempts:
            return None
        ceiling = min(self.policy.base_delay_s * 2 ** (self.count - 1), self.policy.max_delay_s)
        delay = self.jitter(ceiling / 2, ceiling) + (retry_after_s or 0)
        return delay if delay < self.remaining_s() else None
