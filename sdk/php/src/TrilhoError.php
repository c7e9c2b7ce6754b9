<?php

declare(strict_types=1);

namespace Trilho;

/**
 * A call that failed, after all its attempts. Build on `errorCode`, which is stable; the message is for people. No error
 * contains the access token.
 */
final class TrilhoError extends \RuntimeException
{
    /** No response arrived: the connection failed or broke. */
    public const CONNECTION_FAILED = 'connection_failed';

    /** No response arrived before the deadline. */
    public const TIMEOUT = 'timeout';

    /** A response that is not the API's: a proxy's page, a redirect, or a body that is not the documented one. */
    public const UNEXPECTED_RESPONSE = 'unexpected_response';

    /**
     * @param string $errorCode A code of ErrorCode, also one that is newer than this version, or one of the client.
     * @param ?int $status The HTTP status; null where no response arrived.
     * @param ?string $requestId Give it to the operator of the service with a question.
     * @param array<string, list<string>> $errors Messages by the path of each invalid field.
     * @param mixed $data The stored resource or its `uuid`, where the API has stored the operation.
     * @param ?float $retryAfterS Seconds to wait before a repeat, where the API names them.
     * @param bool $isReplayed The response is the stored one of an earlier request with the same key.
     * @param ?string $idempotencyKey Repeat the call with this key: the API answers with the result of the first.
     * @param int $attempts Requests that were sent.
     * @param bool $isOutcomeUnknown The operation may have been executed. Never send it again under another key.
     */
    public function __construct(
        string $message,
        public readonly string $errorCode,
        public readonly ?int $status,
        public readonly ?string $requestId,
        public readonly array $errors,
        public readonly mixed $data,
        public readonly ?float $retryAfterS,
        public readonly bool $isReplayed,
        public readonly ?string $idempotencyKey,
        public readonly int $attempts,
        public readonly bool $isOutcomeUnknown,
    ) {
        parent::__construct($message);
    }
}
