<?php

// What is peculiar to PHP. What all clients do is in test/sdk/conformance of the repository.

declare(strict_types=1);

use Trilho\Amount;
use Trilho\Event;
use Trilho\Internal\Json;
use Trilho\InvalidEventError;
use Trilho\ResponseInfo;
use Trilho\RetryPolicy;
use Trilho\Webhook;

spl_autoload_register(static function (string $class): void {
    $path = str_replace('\\', '/', substr($class, strlen('Trilho\\')));
    $file = match (true) {
        str_starts_with($path, 'Model/') => 'Models',
        str_starts_with($path, 'Resource/') => 'Resources',
        default => $path,
    };
    require_once __DIR__ . "/../src/{$file}.php";
});

$failures = [];
function check(string $what, mixed $expected, mixed $received): void
{
    global $failures;
    if ($expected !== $received) {
        $failures[] = "{$what}: " . var_export($received, true) . ' in place of ' . var_export($expected, true);
    }
}

/** Returns the class of what a function throws. */
function thrown(\Closure $function): ?string
{
    try {
        $function();
    } catch (\Throwable $error) {
        return $error::class;
    }
    return null;
}

foreach ([['150.75', '150.75'], [0.1, '0.10'], [7, '7.00'], ['-0.05', '-0.05'], [9999999999.99, '9999999999.99'], ['150.7500', '150.75']] as [$value, $text]) {
    check('an amount', $text, (string) Amount::of($value));
}
check('centavos', 15075, Amount::of('150.75')->cents);
foreach (['', '-', '.5', '1.', '1,5', '1e3', ' 1', '+1', "1\n", '1.005', 0.1 + 0.2, NAN, INF, '99999999999999999999'] as $wrong) {
    check('what is no amount', \InvalidArgumentException::class, thrown(static fn () => Amount::of($wrong)));
}

$read = Json::decode('{"a":12345678901234567.89,"b":[0.1,7],"c":"1.5 \\" 2.5","d":-3.05}');
check('numbers', ['a' => '12345678901234567.89', 'b' => ['0.1', 7], 'c' => '1.5 " 2.5', 'd' => '-3.05'], $read);
$body = ['value' => Amount::of('50.10'), 'splits' => [['value' => 10.5]], 'metadata' => (object) [], 'left_out' => null];
check('a body', '{"value":50.10,"splits":[{"value":10.50}],"metadata":{}}', Json::encodeBody($body));
check('an empty body', '{}', Json::encodeBody([]));

$event = ['id' => 'e', 'type' => 'NEWER', 'timestamp' => '2026-11-21T12:00:00.000000Z', 'data' => ['a' => 1]];
check('an event of a newer type', ['a' => 1], (new Event($event))->data);
foreach (['', '[]', '{}', 'null', '{"id":"e","type":"PAYMENT","timestamp":"2026-11-21T12:00:00Z","data":{"uuid":"x"}}'] as $body) {
    $now = time();
    $signature = base64_encode(hash_hmac('sha256', "e.{$now}.{$body}", 'own secret', true));
    $headers = ['Webhook-Id' => 'e', 'Webhook-Timestamp' => (string) $now, 'Webhook-Signature' => ["v1,{$signature}"]];
    check('a signed body that is no event', InvalidEventError::class, thrown(static fn () => Webhook::verify($body, $headers, ['other', 'own secret'])));
}

foreach ([['7', 7.0], [' 0 ', 0.0], ['soon', null], ['-1', null], [null, null], [gmdate('D, d M Y H:i:s \G\M\T', 90), 90.0]] as [$value, $seconds]) {
    check('Retry-After', $seconds, ResponseInfo::parseRetryAfter($value, 0));
}
$delay = (new RetryPolicy(baseDelayS: 1.0, maxDelayS: 4.0))->delayAfter(60, 3.0);
check('a delay', true, $delay >= 5.0 && $delay <= 7.0);
check('a policy without limits', \InvalidArgumentException::class, thrown(static fn () => new RetryPolicy(maxAttempts: 0)));

foreach ($failures as $failure) {
    fwrite(STDERR, "{$failure}\n");
}
exit($failures === [] ? 0 : 1);
