<?php

// Carries out orders with the SDK for PHP: a line of JSON for each, answered by one with its outcome.

declare(strict_types=1);

use GuzzleHttp\Client;
use GuzzleHttp\Psr7\HttpFactory;
use Trilho\Amount;
use Trilho\Event;
use Trilho\File;
use Trilho\Page;
use Trilho\ResponseInfo;
use Trilho\RetryPolicy;
use Trilho\Trilho;
use Trilho\TrilhoError;
use Trilho\Webhook;
use Trilho\WebhookVerificationError;

require 'GuzzleHttp/autoload.php';
require __DIR__ . '/trilho/vendor/autoload.php';

function camelCase(string $name): string
{
    return lcfirst(str_replace('_', '', ucwords($name, '_')));
}

function snakeCase(string $name): string
{
    return strtoupper($name) === $name ? $name : strtolower((string) preg_replace('/(?<!^)[A-Z]/', '_$0', $name));
}

/** Returns a result as JSON has it. */
function plain(mixed $value): mixed
{
    return match (true) {
        $value instanceof Amount => (string) $value,
        $value instanceof \DateTimeInterface => $value->format('Y-m-d\TH:i:s.u\Z'),
        $value instanceof Page => ['data' => plain($value->data), 'meta' => plain($value->meta)],
        is_array($value) => array_map(plain(...), $value),
        is_object($value) => plainObject($value),
        default => $value,
    };
}

function plainObject(object $value): array
{
    $fields = [];
    foreach (get_object_vars($value) as $name => $inner) {
        $fields[snakeCase($name)] = plain($inner);
    }
    return $fields;
}

function execute(array $order, array &$responses, array &$texts): mixed
{
    if (isset($order['verify'])) {
        ['body' => $body, 'headers' => $headers, 'secrets' => $secrets] = $order['verify'];
        return Webhook::verify($body, $headers, $secrets, (float) ($order['verify']['toleranceS'] ?? 300));
    }
    ['client' => $client, 'call' => $call] = $order;
    $retries = $client['retries'];
    $factory = new HttpFactory();
    $trilho = new Trilho(
        $client['token'],
        $client['baseUrl'],
        new Client(['timeout' => min($client['timeoutMs'], $retries['deadlineMs']) / 1000]),
        $factory,
        $factory,
        new RetryPolicy(
            $retries['maxAttempts'],
            $retries['baseDelayMs'] / 1000,
            $retries['maxDelayMs'] / 1000,
            $retries['deadlineMs'] / 1000,
        ),
        static function (ResponseInfo $info) use (&$responses): void {
            $responses[] = get_object_vars($info);
        },
    );
    $texts[] = print_r($trilho, true);
    $name = empty($call['isIterated']) ? $call['method'] : str_replace('list', 'iterate', $call['method']);
    $named = [];
    foreach (($call['body'] ?? []) + ($call['query'] ?? []) as $field => $value) {
        $named[camelCase($field)] = $value;
    }
    if (isset($call['files'])) {
        $named['attachments'] = array_map(
            static fn (array $file): File => new File($file['name'], $file['text']),
            $call['files'],
        );
    }
    if (isset($call['idempotencyKey'])) {
        $named['idempotencyKey'] = $call['idempotencyKey'];
    }
    $result = $trilho->{$call['resource']}->{$name}(...$call['path'], ...$named);
    return $result instanceof \Generator ? iterator_to_array($result, false) : $result;
}

function describeError(TrilhoError $error): array
{
    return [
        'code' => $error->errorCode,
        'status' => $error->status,
        'requestId' => $error->requestId,
        'errors' => $error->errors ?: null,
        'data' => $error->data,
        'retryAfterS' => $error->retryAfterS,
        'isReplayed' => $error->isReplayed,
        'idempotencyKey' => $error->idempotencyKey,
        'isOutcomeUnknown' => $error->isOutcomeUnknown,
    ];
}

while (($line = fgets(STDIN)) !== false) {
    $responses = [];
    $texts = [];
    try {
        $result = plain(execute(json_decode($line, true, 512, JSON_THROW_ON_ERROR), $responses, $texts));
        $outcome = ['result' => $result];
    } catch (WebhookVerificationError $error) {
        $outcome = ['forged' => $error->getMessage()];
    } catch (TrilhoError $error) {
        $texts[] = (string) $error;
        $outcome = ['error' => describeError($error)];
    } catch (\InvalidArgumentException | \TypeError $error) {
        $outcome = ['refused' => $error->getMessage()];
    }
    $flags = JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE;
    echo json_encode([...$outcome, 'responses' => $responses, 'texts' => $texts], $flags), "\n";
}
