<?php

declare(strict_types=1);

namespace Trilho\Internal;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Trilho\ResponseInfo;
use Trilho\RetryPolicy;
use Trilho\Trilho;
use Trilho\TrilhoError;

/** @internal Sends calls, again where that is safe and may help. */
final class Transport
{
    /** Statuses after which a repeat may succeed (Trilho's page of errors, "Whether to try again"). */
    private const RETRIED_STATUSES = [408, 429, 500, 502, 503, 504];

    /** Codes after which the operation may be executed, or is being executed. */
    private const UNKNOWN_OUTCOMES = [
        'not_confirmed',
        'issuing',
        'pix_key_unknown',
        'cancellation_unknown',
        'revision_unknown',
    ];

    /** @param ?\Closure(ResponseInfo): mixed $onResponse */
    public function __construct(
        #[\SensitiveParameter] private readonly string $token,
        private readonly string $baseUrl,
        private readonly ClientInterface $client,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
        private readonly RetryPolicy $retries,
        private readonly ?\Closure $onResponse,
    ) {
    }

    /** The token is not part of what is printed. */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl, 'retries' => $this->retries];
    }

    /**
     * Sends a call until it has a result, an error, or no attempt left. Every attempt has the same key.
     *
     * @param \Closure(string): mixed $read Reads the body of a success.
     */
    public function send(Call $call, \Closure $read): mixed
    {
        $endsAt = microtime(true) + $this->retries->deadlineS;
        $isOutcomeUnknown = false;
        for ($attempt = 1; ; $attempt++) {
            $outcome = $this->attempt($call, $attempt, $read);
            if (!$outcome instanceof Failure) {
                return $outcome;
            }
            $isOutcomeUnknown = $outcome->isOutcomeUnknown || ($isOutcomeUnknown && !$outcome->isAnswer());
            $delayS = $this->retries->delayAfter($attempt, $outcome->info?->retryAfterS ?? 0.0);
            $leftS = $endsAt - microtime(true);
            $isRepeated = $outcome->isRetried && $attempt < $this->retries->maxAttempts && $call->isRepeatable();
            if (!$isRepeated || $leftS <= $delayS) {
                throw $outcome->toError($call, $attempt, $isOutcomeUnknown, $leftS <= 0);
            }
            usleep((int) ($delayS * 1_000_000));
        }
    }

    private function attempt(Call $call, int $attempt, \Closure $read): mixed
    {
        try {
            $response = $this->client->sendRequest($this->build($call));
            $body = (string) $response->getBody();
        } catch (ClientExceptionInterface | \RuntimeException) {
            // Not the text of the error, nor the error itself: it may hold the request with its token.
            return Failure::withoutResponse($call);
        }
        if (self::isTruncated($response, $body)) {
            return Failure::withoutResponse($call);
        }
        $info = ResponseInfo::of($response, $call->operation, $attempt, $call->idempotencyKey);
        $this->report($info);
        $mediaType = trim(explode(';', $response->getHeaderLine('Content-Type'))[0]);
        if ($info->status < 200 || $info->status > 299) {
            return self::describeError($call, $info, $mediaType === 'application/json' ? $body : '');
        }
        try {
            return $mediaType === $call->accept ? $read($body) : Failure::unexpected($call, $info, false);
        } catch (\UnexpectedValueException) {
            return Failure::unexpected($call, $info, false);
        }
    }

    private function build(Call $call): RequestInterface
    {
        $request = $this->requests
            ->createRequest($call->method, $this->baseUrl . $call->target)
            ->withHeader('Accept', $call->accept . ($call->accept === 'application/json' ? '' : ', application/json'))
            ->withHeader('Authorization', "Bearer {$this->token}")
            ->withHeader('User-Agent', 'trilho-php/' . Trilho::VERSION);
        if ($call->idempotencyKey !== null) {
            $request = $request->withHeader('Idempotency-Key', $call->idempotencyKey);
        }
        if ($call->contentType === null) {
            return $request;
        }
        return $request
            ->withHeader('Content-Type', $call->contentType)
            ->withBody($this->streams->createStream($call->body));
    }

    /** Some clients return what has arrived of a body whose connection broke. */
    private static function isTruncated(ResponseInterface $response, string $body): bool
    {
        $length = $response->getHeaderLine('Content-Length');
        return !$response->hasHeader('Content-Encoding') && is_numeric($length) && strlen($body) < (int) $length;
    }

    /** Calls the caller's function. What it throws changes nothing: the operation may have moved money. */
    private function report(ResponseInfo $info): void
    {
        try {
            ($this->onResponse ?? static fn (): mixed => null)($info);
        } catch (\Throwable) {
            // The outcome of the call is that of its response.
        }
    }

    private static function describeError(Call $call, ResponseInfo $info, string $text): Failure
    {
        try {
            $body = Json::decode($text);
        } catch (\JsonException) {
            $body = null;
        }
        $code = is_array($body) ? $body['code'] ?? null : null;
        // A stored response is final for its key, and so is an operation that has FAILED.
        $isFailed = is_array($body) && is_array($body['data'] ?? null) && ($body['data']['status'] ?? null) === 'FAILED';
        $isRetried = in_array($info->status, self::RETRIED_STATUSES, true) && !$info->isReplayed && !$isFailed;
        if (!is_string($code)) {
            return Failure::unexpected($call, $info, $isRetried);
        }
        $isUnknown = $info->status === 500 || in_array($code, self::UNKNOWN_OUTCOMES, true);
        $message = is_string($body['message'] ?? null) ? $body['message'] : '';
        return new Failure(
            "{$info->status} {$code}: {$message}",
            $code,
            $info,
            is_array($body['errors'] ?? null) ? $body['errors'] : [],
            $body['data'] ?? null,
            $isRetried,
            $call->hasEffect() && $isUnknown,
        );
    }
}
