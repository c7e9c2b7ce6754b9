<?php

declare(strict_types=1);

namespace Trilho;

/** Limits of a call: its attempts, the delays between them, and the seconds of everything together. */
final class RetryPolicy
{
    /**
     * @param int $maxAttempts Attempts of one call, the first included; 1 never retries.
     * @param float $baseDelayS The delay before the second attempt, doubled for each further one.
     * @param float $deadlineS Seconds after which no attempt begins. The time of one attempt is a setting of the HTTP client.
     */
    public function __construct(
        public readonly int $maxAttempts = 4,
        public readonly float $baseDelayS = 0.5,
        public readonly float $maxDelayS = 8.0,
        public readonly float $deadlineS = 60.0,
    ) {
        if ($maxAttempts < 1 || $deadlineS <= 0 || $baseDelayS < 0 || $maxDelayS < 0) {
            throw new \InvalidArgumentException(
                'A retry policy needs at least one attempt, a deadline, and no negative delay.',
            );
        }
    }

    /** @internal Returns the delay after a number of failed attempts: what the API asks for, and a random part that doubles. */
    public function delayAfter(int $failedAttempts, float $retryAfterS): float
    {
        $ceiling = min($this->baseDelayS * 2 ** ($failedAttempts - 1), $this->maxDelayS);
        return $retryAfterS + $ceiling * (0.5 + random_int(0, 1_000_000) / 2_000_000);
    }
}
