<?php

declare(strict_types=1);

namespace Trilho\Internal;

use Trilho\File;

/** @internal One call of an operation, as every attempt sends it. */
final class Call
{
    /** The path with its values, for messages. */
    public readonly string $path;

    /** The path with its query. */
    public readonly string $target;

    public readonly string $body;

    /** The media type of the body; null where there is none. */
    public readonly ?string $contentType;

    public readonly ?string $idempotencyKey;

    /**
     * @param string $accept The media type of a success.
     * @param array<string, string> $path Values of the placeholders.
     * @param array<string, mixed> $query
     * @param ?array<string, mixed> $body
     * @param ?list<File> $files They make the body a form.
     */
    public function __construct(
        public readonly string $operation,
        public readonly string $method,
        string $template,
        public readonly string $accept,
        array $path = [],
        array $query = [],
        ?array $body = null,
        ?array $files = null,
        bool $isKeyed = false,
        ?string $idempotencyKey = null,
    ) {
        $this->path = self::fillPath($template, $path);
        $texts = array_map(Json::text(...), Json::present($query));
        $this->target = $this->path . ($texts ? '?' . http_build_query($texts, '', '&', PHP_QUERY_RFC3986) : '');
        $this->idempotencyKey = $isKeyed ? self::requireKey($idempotencyKey ?? self::generateKey()) : null;
        if ($files !== null) {
            $boundary = bin2hex(random_bytes(16));
            $this->body = self::encodeForm(Json::present($body ?? []), $files, $boundary);
            $this->contentType = "multipart/form-data; boundary={$boundary}";
            return;
        }
        $this->body = $body === null ? '' : Json::encodeBody($body);
        $this->contentType = $body === null ? null : 'application/json';
    }

    /** Writes a day as `YYYY-MM-DD`, whatever the time of it. */
    public static function day(\DateTimeInterface|string|null $day): ?string
    {
        return $day instanceof \DateTimeInterface ? $day->format('Y-m-d') : $day;
    }

    public function hasEffect(): bool
    {
        return $this->method !== 'GET';
    }

    /** Returns whether the API answers a repeat with the result of the first request. */
    public function isRepeatable(): bool
    {
        return $this->idempotencyKey !== null || in_array($this->method, ['GET', 'PUT', 'DELETE'], true);
    }

    /**
     * Fills the placeholders of a path. An empty value, `.` or `..` would be the path of another resource.
     *
     * @param array<string, string> $values
     */
    private static function fillPath(string $template, array $values): string
    {
        foreach ($values as $name => $value) {
            if (in_array($value, ['', '.', '..'], true)) {
                throw new \InvalidArgumentException("{$name} must be the id of a resource.");
            }
            $template = str_replace("{{$name}}", rawurlencode($value), $template);
        }
        return $template;
    }

    /** A header of another form could be another header. */
    private static function requireKey(string $key): string
    {
        if (!preg_match('/^[\x20-\x7e]{1,255}$/D', $key)) {
            throw new \InvalidArgumentException('The idempotency key must be 1 to 255 printable ASCII characters.');
        }
        return $key;
    }

    /** Makes a random UUID. */
    private static function generateKey(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }

    /**
     * @param array<string, mixed> $fields
     * @param list<File> $files
     */
    private static function encodeForm(array $fields, array $files, string $boundary): string
    {
        $form = '';
        foreach ($fields as $name => $value) {
            $text = Json::text($value);
            $form .= "--{$boundary}\r\nContent-Disposition: form-data; name=\"{$name}\"\r\n\r\n{$text}\r\n";
        }
        foreach ($files as $index => $file) {
            $name = str_replace(['\\', '"', "\r", "\n"], ['\\\\', '\"', '', ''], $file->name);
            $form .= "--{$boundary}\r\n"
                . "Content-Disposition: form-data; name=\"attachments[{$index}][file]\"; filename=\"{$name}\"\r\n"
                . 'Content-Type: ' . self::mediaTypeOf($file->name) . "\r\n\r\n{$file->content}\r\n";
        }
        return "{$form}--{$boundary}--\r\n";
    }

    /** Names the types of files that the API accepts; it looks at the content itself. */
    private static function mediaTypeOf(string $name): string
    {
        return match (strtolower(pathinfo($name, PATHINFO_EXTENSION))) {
            'pdf' => 'application/pdf',
            'png' => 'image/png',
            'jpg', 'jpeg' => 'image/jpeg',
            'webp' => 'image/webp',
            default => 'application/octet-stream',
        };
    }
}
