<?php

declare(strict_types=1);

namespace Trilho\Internal;

use Trilho\ResponseInfo;
use Trilho\TrilhoError;

/** @internal An attempt that failed. */
final class Failure
{
    /**
     * @param array<string, list<string>> $errors
     * @param bool $isRetried Another attempt may have another outcome.
     */
    public function __construct(
        private readonly string $message,
        private readonly string $code,
        public readonly ?ResponseInfo $info,
        private readonly array $errors,
        private readonly mixed $data,
        public readonly bool $isRetried,
        public readonly bool $isOutcomeUnknown,
    ) {
    }

    public static function withoutResponse(Call $call): self
    {
        $message = "{$call->method} {$call->path} got no response.";
        return new self($message, TrilhoError::CONNECTION_FAILED, null, [], null, true, $call->hasEffect());
    }

    /** A response that the API has not sent. Its body stays out of the message. */
    public static function unexpected(Call $call, ResponseInfo $info, bool $isRetried): self
    {
        $message = "{$call->method} {$call->path} got {$info->status}, and no answer of the API.";
        $isSuccess = $info->status >= 200 && $info->status < 300;
        $isUnknown = $call->hasEffect() && ($isSuccess || $info->status >= 500);
        return new self($message, TrilhoError::UNEXPECTED_RESPONSE, $info, [], null, $isRetried, $isUnknown);
    }

    /** Returns whether it says what has become of the attempts before it, which had the same key. */
    public function isAnswer(): bool
    {
        if ($this->isRetried || $this->info === null || $this->code === TrilhoError::UNEXPECTED_RESPONSE) {
            return false;
        }
        return $this->info->status !== 401 && $this->info->status !== 403;
    }

    public function toError(Call $call, int $attempts, bool $isOutcomeUnknown, bool $isLate): TrilhoError
    {
        $parts = [$this->message];
        foreach ($this->errors as $field => $texts) {
            foreach ((array) $texts as $text) {
                $parts[] = "{$field} {$text}";
            }
        }
        if ($this->info?->requestId !== null) {
            $parts[] = "request_id {$this->info->requestId}";
        }
        return new TrilhoError(
            implode('; ', $parts),
            $this->info === null && $isLate ? TrilhoError::TIMEOUT : $this->code,
            $this->info?->status,
            $this->info?->requestId,
            $this->errors,
            $this->data,
            $this->info?->retryAfterS,
            $this->info?->isReplayed ?? false,
            $call->idempotencyKey,
            $attempts,
            $isOutcomeUnknown,
        );
    }
}
