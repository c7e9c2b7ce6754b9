<?php

declare(strict_types=1);

namespace Trilho;

use Psr\Http\Message\ResponseInterface;

/** What the headers of a response say: the id of the request, the rate limit, and whether it is a stored response. */
final class ResponseInfo
{
    /**
     * @param string $operation The one of the OpenAPI document, for example `createPayment`.
     * @param int $attempt The number of the attempt, from 1.
     * @param ?string $requestId `X-Request-Id`.
     * @param ?string $idempotencyKey The key of the call; null where the operation takes none.
     * @param bool $isReplayed `Idempotent-Replayed`: the stored response of an earlier request with the same key.
     * @param ?float $retryAfterS `Retry-After`.
     * @param ?RateLimit $rateLimit `RateLimit` and `RateLimit-Policy`; null where the operation has no limit.
     */
    public function __construct(
        public readonly string $operation,
        public readonly int $attempt,
        public readonly int $status,
        public readonly ?string $requestId,
        public readonly ?string $idempotencyKey,
        public readonly bool $isReplayed,
        public readonly ?float $retryAfterS,
        public readonly ?RateLimit $rateLimit,
    ) {
    }

    /** @internal */
    public static function of(ResponseInterface $response, string $operation, int $attempt, ?string $key): self
    {
        $header = static fn (string $name): ?string => $response->hasHeader($name)
            ? $response->getHeaderLine($name)
            : null;
        return new self(
            $operation,
            $attempt,
            $response->getStatusCode(),
            $header('X-Request-Id'),
            $key,
            $header('Idempotent-Replayed') === 'true',
            self::parseRetryAfter($header('Retry-After'), time()),
            self::parseRateLimit($header('RateLimit-Policy') ?? '', $header('RateLimit') ?? ''),
        );
    }

    /** @internal Reads `Retry-After`: seconds, or an HTTP date. */
    public static function parseRetryAfter(?string $value, int $now): ?float
    {
        $text = trim($value ?? '');
        if (preg_match('/^[0-9]{1,9}$/D', $text)) {
            return (float) $text;
        }
        $at = \DateTimeImmutable::createFromFormat('D, d M Y H:i:s \G\M\T', $text, new \DateTimeZone('UTC'));
        return $at === false ? null : (float) max(0, $at->getTimestamp() - $now);
    }

    private static function parseRateLimit(string $policy, string $state): ?RateLimit
    {
        $read = static function (string $header): array {
            preg_match_all('/;(\w)=([0-9]{1,9})/', $header, $found);
            return array_map(intval(...), array_combine($found[1], $found[2]));
        };
        ['q' => $quota, 'w' => $windowS] = $read($policy) + ['q' => null, 'w' => null];
        ['r' => $remaining, 't' => $resetS] = $read($state) + ['r' => null, 't' => null];
        $isWhole = $quota !== null && $windowS !== null && $remaining !== null && $resetS !== null;
        return $isWhole ? new RateLimit($quota, $windowS, $remaining, $resetS) : null;
    }
}
