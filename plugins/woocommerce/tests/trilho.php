<?php

declare(strict_types=1);

/**
 * The API as the plugin meets it: charges and refunds by idempotency key, in memory. It stands where WordPress would send a request, so
 * that the plugin's client runs whole. `breaks` says for each of the next requests what happens to it.
 */
final class Trilho
{
    public const TOKEN = 'trl_test_secret0secret0secret0';

    public array $charges = [];
    public array $refunds = [];
    public array $requests = [];
    /** @var list<string> lost_before, lost_after, or a status such as 503; then nothing. */
    public array $breaks = [];
    private array $answers = [];

    public function answer(mixed $before, array $args, string $url): array|WP_Error
    {
        $path = substr($url, strlen('https://pix.example.com/api/v1'));
        $key = $args['headers']['Idempotency-Key'] ?? null;
        $this->requests[] = [$args['method'], $path, $key, $args['body']];
        if ($args['headers']['Authorization'] !== 'Bearer ' . self::TOKEN || $args['redirection'] !== 0) {
            return self::respond(401, ['code' => 'unauthenticated']);
        }
        $break = array_shift($this->breaks);
        if ($break === 'lost_before') {
            return new WP_Error('http_request_failed', 'Bearer ' . self::TOKEN);
        }
        if (is_numeric($break)) {
            return self::respond((int) $break, ['code' => 'temporarily_unavailable', 'request_id' => 'r-1']);
        }
        if (is_string($break) && str_starts_with($break, '{')) {
            return self::respond(422, json_decode($break, true));
        }
        $response = $this->execute($args['method'], $path, $key, $args['body']);
        return $break === 'lost_after' ? new WP_Error('http_request_failed', 'timeout') : $response;
    }

    public function set(string $uuid, string $status): void
    {
        $this->charges[$uuid]['status'] = $status;
        $this->charges[$uuid]['history'][] = ['status' => $status];
    }

    private function execute(string $method, string $path, ?string $key, ?string $body): array
    {
        if ($key !== null && isset($this->answers[$key])) {
            [$sent, $answer] = $this->answers[$key];
            return $sent === $body ? $answer : self::respond(422, ['code' => 'idempotency_key_reused']);
        }
        $answer = $this->run($method, $path, json_decode($body ?? '{}', true), $body ?? '');
        if ($key !== null) {
            $this->answers[$key] = [$body, $answer];
        }
        return $answer;
    }

    private function run(string $method, string $path, array $body, string $text): array
    {
        if ("{$method} {$path}" === 'POST /payments') {
            $uuid = wp_generate_uuid4();
            $this->charges[$uuid] = [
                'uuid' => $uuid,
                'value' => preg_match('/"value":([\d.]+)/', $text, $found) ? $found[1] : '0',
                'status' => 'PENDING',
                'history' => [['status' => 'PENDING']],
                'expires' => time() + $body['expires_in'],
            ];
            return $this->show($uuid, 201);
        }
        if (!preg_match('#^/payments/([0-9a-f-]{36})(?:/(\w+(?:\.svg)?))?(?:/([0-9a-f-]{36}))?$#', $path, $parts)) {
            return self::respond(404, ['code' => 'not_found']);
        }
        [$uuid, $what] = [$parts[1], $parts[2] ?? ''];
        if (!isset($this->charges[$uuid])) {
            return self::respond(404, ['code' => 'not_found']);
        }
        if ($what === 'cancel') {
            if ($this->charges[$uuid]['status'] !== 'PENDING') {
                return self::respond(409, ['code' => 'not_cancellable']);
            }
            $this->set($uuid, 'CANCELLED');
        }
        if ($what === 'qr.svg') {
            return ['response' => ['code' => 200], 'headers' => [], 'body' => '<svg xmlns="http://www.w3.org/2000/svg"/>'];
        }
        if ($what === 'refund') {
            $refund = wp_generate_uuid4();
            preg_match('/"value":([\d.]+)/', $text, $found);
            $this->refunds[$refund] = ['uuid' => $refund, 'status' => 'PROCESSING', 'value' => $found[1], 'charge' => $uuid];
            return $this->show_refund($refund);
        }
        return $what === 'refunds' ? $this->show_refund($parts[3]) : $this->show($uuid, 200);
    }

    private function show(string $uuid, int $status): array
    {
        $charge = $this->charges[$uuid];
        return self::respond($status, ['data' => [
            'uuid' => $uuid,
            'value' => '#' . $charge['value'],
            'status' => $charge['status'],
            'history' => $charge['history'],
            'payment' => [
                'payload' => "00020126-{$uuid}",
                'expires_at' => gmdate('Y-m-d\TH:i:s.000000\Z', $charge['expires']),
                'pix' => ['transaction' => $charge['status'] === 'PENDING' ? null : ['end_to_end' => 'E18236120202611211204s0a7Kd93hQx']],
            ],
        ]]);
    }

    private function show_refund(string $uuid): array
    {
        $refund = $this->refunds[$uuid];
        $shown = ['value' => "#{$refund['value']}"] + $refund;
        return self::respond(200, ['data' => ['uuid' => $refund['charge'], 'status' => 'PROCESSING', 'refund' => $shown]]);
    }

    /** Amounts are JSON numbers, as those of the API. */
    private static function respond(int $status, array $body): array
    {
        $text = preg_replace('/"#([\d.]+)"/', '$1', json_encode($body));
        return ['response' => ['code' => $status, 'message' => ''], 'headers' => [], 'body' => $text];
    }
}
