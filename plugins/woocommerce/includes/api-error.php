<?php

declare(strict_types=1);

namespace TrilhoPix;

/** A call that had no success. Its message has a code and a request id, never a header or a body. */
final class ApiError extends \RuntimeException
{
    /** Codes of operations that may be executed, or are being executed. */
    private const UNKNOWN_OUTCOMES = ['not_confirmed', 'issuing', 'pix_key_unknown', 'cancellation_unknown'];

    /** @param bool $has_failed The API says that the operation itself is FAILED, which is final. */
    public function __construct(
        public readonly int $status,
        public readonly string $error_code,
        string $request_id = '',
        private readonly bool $has_failed = false,
    ) {
        parent::__construct(trim("Trilho: {$status} {$error_code} {$request_id}"));
    }

    /** Returns whether the operation is proved not to have been executed, so that another key is safe. */
    public function is_refusal(): bool
    {
        if ($this->has_failed) {
            return true;
        }
        return in_array($this->status, [400, 404, 409, 413, 415, 422], true)
            && $this->error_code !== ''
            && $this->error_code !== 'idempotency_key_reused'
            && !in_array($this->error_code, self::UNKNOWN_OUTCOMES, true);
    }
}
