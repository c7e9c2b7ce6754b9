<?php

declare(strict_types=1);

namespace Trilho;

use Trilho\Internal\Json;
use Trilho\Internal\Read;

/** Verification of webhook deliveries: Standard Webhooks, as Trilho's page of webhooks describes it. */
final class Webhook
{
    /**
     * Returns the event of a delivery whose signature and timestamp are right.
     *
     * @param string $body The body exactly as it arrived, before any parsing.
     * @param array<string, string|list<string>> $headers The headers of the delivery, in any case.
     * @param string|list<string> $secret The signing secret of the endpoint; several while your configuration changes.
     * @param float $toleranceS Seconds that the timestamp may be away from the clock, in both directions.
     * @param ?float $now The clock in Unix seconds, for tests.
     *
     * @throws WebhookVerificationError Answer 400: the delivery is not from Trilho, or is a replay.
     * @throws InvalidEventError It is from Trilho, and its body is not an event that this version can read.
     */
    public static function verify(
        string $body,
        array $headers,
        #[\SensitiveParameter] string|array $secret,
        float $toleranceS = 300,
        ?float $now = null,
    ): Event {
        $headers = array_change_key_case($headers);
        $header = static function (string $name) use ($headers): string {
            $value = $headers[$name] ?? '';
            return is_array($value) ? (string) reset($value) : (string) $value;
        };
        [$id, $timestamp] = [$header('webhook-id'), $header('webhook-timestamp')];
        if ($id === '' || !preg_match('/^[0-9]{1,15}$/D', $timestamp)) {
            throw new WebhookVerificationError('The delivery has no webhook-id, or no webhook-timestamp.');
        }
        // A tolerance that is no number accepts nothing.
        if (!(abs(($now ?? microtime(true)) - (int) $timestamp) <= $toleranceS)) {
            throw new WebhookVerificationError('The timestamp is too old or too new.');
        }
        $isVerified = false;
        foreach ((array) $secret as $one) {
            $ours = hash_hmac('sha256', "{$id}.{$timestamp}.{$body}", self::readSecret($one), true);
            $isVerified = self::hasSignature($header('webhook-signature'), $ours) || $isVerified;
        }
        if (!$isVerified) {
            throw new WebhookVerificationError('No signature matches.');
        }
        try {
            return new Event(Read::object(Json::decode($body)));
        } catch (\UnexpectedValueException | \JsonException) {
            throw new InvalidEventError('The body of a signed delivery is not an event.');
        }
    }

    /** Compares every signature of a header in constant time. */
    private static function hasSignature(string $header, string $ours): bool
    {
        $isFound = false;
        foreach (explode(' ', $header) as $signature) {
            $theirs = str_starts_with($signature, 'v1,') ? base64_decode(substr($signature, 3), true) : false;
            $isFound = ($theirs !== false && hash_equals($ours, $theirs)) || $isFound;
        }
        return $isFound;
    }

    /** The key of `whsec_…` is its base64; a secret of your own is the key itself. */
    private static function readSecret(#[\SensitiveParameter] string $secret): string
    {
        if (!str_starts_with($secret, 'whsec_')) {
            return $secret !== '' ? $secret : throw new \InvalidArgumentException('The signing secret is empty.');
        }
        $key = base64_decode(substr($secret, strlen('whsec_')), true);
        if ($key === false || $key === '') {
            throw new \InvalidArgumentException('The signing secret is not whsec_ and base64.');
        }
        return $key;
    }
}
