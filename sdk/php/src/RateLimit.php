<?php

declare(strict_types=1);

namespace Trilho;

/** The limit of the access token. */
final class RateLimit
{
    /**
     * @param int $quota Requests that are allowed in the window.
     * @param int $remaining Requests that are left.
     * @param int $resetS Seconds until the whole quota is left again.
     */
    public function __construct(
        public readonly int $quota,
        public readonly int $windowS,
        public readonly int $remaining,
        public readonly int $resetS,
    ) {
    }
}
