<?php

declare(strict_types=1);

namespace TrilhoPix;

/** The calls of the API that the plugin needs, by the HTTP API of WordPress. README.md says why it is not the SDK. */
final class Client
{
    private const TIMEOUT_S = 20;
    private const ATTEMPTS = 3;
    private const RETRIED_STATUSES = [408, 429, 500, 502, 503, 504];
    private const MAX_BODY_BYTES = 1_000_000;

    public function __construct(
        private readonly string $base_url,
        #[\SensitiveParameter] private readonly string $token,
    ) {
    }

    /** The token is not part of what is printed. */
    public function __debugInfo(): array
    {
        return ['base_url' => $this->base_url];
    }

    /**
     * Creates a charge, or returns the one that the key has created. The body is sent as it is stored.
     *
     * @throws ApiError
     */
    public function create_charge(string $body, string $key): array
    {
        return $this->read_data($this->send('POST', '/payments', $body, $key));
    }

    /** @throws ApiError */
    public function read_charge(string $uuid): array
    {
        return $this->read_data($this->send('GET', "/payments/{$uuid}"));
    }

    /** Asks for the cancellation of a charge; whether it is cancelled says the charge itself. @throws ApiError */
    public function cancel_charge(string $uuid): void
    {
        $this->send('POST', "/payments/{$uuid}/cancel");
    }

    /** Returns the QR code of a charge as SVG. @throws ApiError */
    public function read_qr_code(string $uuid): string
    {
        return $this->send('GET', "/payments/{$uuid}/qr.svg", accept: 'image/svg+xml');
    }

    /**
     * Refunds a charge, or returns the refund that the key has created. The body is sent as it is stored.
     *
     * @throws ApiError
     */
    public function refund(string $uuid, string $body, string $key): array
    {
        return $this->read_data($this->send('POST', "/payments/{$uuid}/refund", $body, $key));
    }

    /** @throws ApiError */
    public function read_refund(string $uuid, string $refund): array
    {
        return $this->read_data($this->send('GET', "/payments/{$uuid}/refunds/{$refund}"));
    }

    /** Sends a call; every attempt has the same key. Returns the body of a success. @throws ApiError */
    private function send(
        string $method,
        string $path,
        ?string $body = null,
        ?string $key = null,
        string $accept = 'application/json',
    ): string {
        $this->check_address();
        $headers = ['Accept' => $accept, 'Authorization' => "Bearer {$this->token}"];
        if ($body !== null) {
            $headers['Content-Type'] = 'application/json';
        }
        if ($key !== null) {
            $headers['Idempotency-Key'] = $key;
        }
        for ($attempt = 1; ; $attempt++) {
            $response = wp_remote_request(rtrim($this->base_url, '/') . '/api/v1' . $path, [
                'method' => $method,
                'headers' => $headers,
                'body' => $body,
                'timeout' => self::TIMEOUT_S,
                // A redirect would carry the token to another host.
                'redirection' => 0,
                'limit_response_size' => self::MAX_BODY_BYTES,
                'user-agent' => 'trilho-pix-woocommerce',
            ]);
            // Not the text of WordPress' error: a plugin of the site may have put the request into it.
            $error = is_wp_error($response) ? new ApiError(0, 'no_answer') : self::read_error($response);
            if ($error === null) {
                return (string) wp_remote_retrieve_body($response);
            }
            $is_retried = $error->status === 0 || in_array($error->status, self::RETRIED_STATUSES, true);
            if (!$is_retried || $error->is_refusal() || $attempt === self::ATTEMPTS) {
                throw $error;
            }
            usleep((int) apply_filters('trilho_pix_retry_delay_us', 400_000 * $attempt));
        }
    }

    /** The token goes over TLS only; a server on this machine is for development. @throws ApiError */
    private function check_address(): void
    {
        $scheme = wp_parse_url($this->base_url, PHP_URL_SCHEME);
        $host = wp_parse_url($this->base_url, PHP_URL_HOST);
        $is_local = in_array($host, ['localhost', '127.0.0.1'], true);
        if ($this->token === '' || ($scheme !== 'https' && !($scheme === 'http' && $is_local))) {
            throw new ApiError(0, 'not_configured');
        }
    }

    private static function read_error(array $response): ?ApiError
    {
        $status = (int) wp_remote_retrieve_response_code($response);
        if ($status >= 200 && $status < 300) {
            return null;
        }
        try {
            $body = self::decode((string) wp_remote_retrieve_body($response));
        } catch (\JsonException) {
            $body = [];
        }
        $code = is_string($body['code'] ?? null) && preg_match('/^\w{1,60}$/D', $body['code']) ? $body['code'] : '';
        $id = is_string($body['request_id'] ?? null) && preg_match('/^[\w-]{1,64}$/D', $body['request_id'])
            ? $body['request_id']
            : '';
        $data = is_array($body['data'] ?? null) ? $body['data'] : [];
        $refund = is_array($data['refund'] ?? null) ? $data['refund'] : null;
        // A refund's data.status is that of its charge.
        $final = $refund === null ? $data['status'] ?? null : $refund['status'] ?? null;
        return new ApiError($status, $code, $id, $final === 'FAILED');
    }

    /** @throws ApiError The answer is no success that this version can read: its outcome is unknown. */
    private function read_data(string $text): array
    {
        try {
            $data = self::decode($text)['data'] ?? null;
        } catch (\JsonException) {
            $data = null;
        }
        if (!is_array($data) || !is_string($data['uuid'] ?? null)) {
            throw new ApiError(0, 'unexpected_response');
        }
        return $data;
    }

    /**
     * Parses JSON; a number becomes a text, which keeps all its digits.
     *
     * @throws \JsonException
     */
    public static function decode(string $text): array
    {
        // A text, or a number: whatever begins first.
        $exact = preg_replace_callback(
            '/"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/s',
            static fn (array $found): string => $found[0][0] === '"' ? $found[0] : "\"{$found[0]}\"",
            $text,
        );
        $value = json_decode($exact ?? '', true, 64, JSON_THROW_ON_ERROR);
        return is_array($value) ? $value : throw new \JsonException('Not an object.');
    }
}
