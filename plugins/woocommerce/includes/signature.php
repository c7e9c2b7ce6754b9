<?php

declare(strict_types=1);

namespace TrilhoPix;

/** Verification of webhook deliveries: Standard Webhooks, as docs/webhooks.md describes it. */
final class Signature
{
    private const TOLERANCE_S = 300;

    /** Returns whether the account's endpoint has signed these bytes within the last five minutes. */
    public static function is_valid(
        string $body,
        string $id,
        string $timestamp,
        string $signatures,
        #[\SensitiveParameter] string $secret,
        ?int $now = null,
    ): bool {
        $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : $secret;
        if ($key === false || $key === '' || $id === '' || !preg_match('/^[0-9]{1,15}$/D', $timestamp)) {
            return false;
        }
        if (abs(($now ?? time()) - (int) $timestamp) > self::TOLERANCE_S) {
            return false;
        }
        $ours = hash_hmac('sha256', "{$id}.{$timestamp}.{$body}", $key, true);
        $is_found = false;
        foreach (explode(' ', $signatures) as $signature) {
            $theirs = str_starts_with($signature, 'v1,') ? base64_decode(substr($signature, 3), true) : false;
            $is_found = ($theirs !== false && hash_equals($ours, $theirs)) || $is_found;
        }
        return $is_found;
    }
}
