<?php

/** The tests of the plugin on WordPress from Debian: php tests/run.php. README.md says what they need. */

declare(strict_types=1);

use TrilhoPix\Amount;
use TrilhoPix\Charges;
use TrilhoPix\Client;
use TrilhoPix\Gateway;
use TrilhoPix\Signature;
use TrilhoPix\Store;

error_reporting(E_ALL);
require __DIR__ . '/server.php';
require ABSPATH . 'wp-settings.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
// Nothing is sent by mail.
add_filter('pre_wp_mail', '__return_true');
wp_install('Shop', 'admin', 'admin@example.com', true, '', 'a-password-for-tests');
wp_installing(false);
// Notices of WordPress' own age with a newer PHP are not faults of the plugin; its own warnings are.
set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    if (str_starts_with($file, dirname(__DIR__))) {
        throw new ErrorException($message, 0, $level, $file, $line);
    }
    return true;
});
require __DIR__ . '/woocommerce.php';
require __DIR__ . '/trilho.php';
require dirname(__DIR__) . '/trilho-pix.php';
do_action('activate_' . plugin_basename(dirname(__DIR__) . '/trilho-pix.php'));
do_action('plugins_loaded');
do_action('rest_api_init', rest_get_server());

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
$trilho = new Trilho();
add_filter('pre_http_request', [$trilho, 'answer'], 10, 3);
add_filter('trilho_pix_retry_delay_us', static fn (): int => 0);
update_option('woocommerce_trilho_pix_settings', [
    'enabled' => 'yes', 'title' => 'PIX', 'description' => 'Pague no app', 'base_url' => 'https://pix.example.com/',
    'token' => Trilho::TOKEN, 'webhook_secret' => SECRET, 'expires_minutes' => '30',
]);

$passed = 0;
$failed = 0;

function test(string $title, callable $story): void
{
    global $passed, $failed, $trilho;
    $trilho->breaks = $trilho->requests = $GLOBALS['log'] = $GLOBALS['notices'] = [];
    try {
        $story($trilho);
        $passed++;
        echo "ok {$title}\n";
    } catch (Throwable $error) {
        $failed++;
        echo "FAILED {$title}: {$error->getMessage()} ({$error->getFile()}:{$error->getLine()})\n";
    }
}

function same(mixed $expected, mixed $value): void
{
    if ($value !== $expected) {
        $at = debug_backtrace()[0]['line'];
        throw new Exception("line {$at}: expected " . var_export($expected, true) . ', not ' . var_export($value, true));
    }
}

function has(string $part, string $text): void
{
    if (!str_contains($text, $part)) {
        throw new Exception('line ' . debug_backtrace()[0]['line'] . ": no \"{$part}\" in {$text}");
    }
}

/** Returns an order with its charge. */
function order_with_charge(string $total = '150.75'): array
{
    $order = WC_Order::create($total);
    same('success', (new Gateway())->process_payment($order->get_id())['result']);
    return [$order->get_id(), Store::find_charges($order->get_id())[0]['charge_uuid']];
}

function paid_order(string $total = '100.00'): array
{
    global $trilho;
    [$id, $uuid] = order_with_charge($total);
    $trilho->set($uuid, 'PAID');
    same(204, deliver('PAYMENT', ['uuid' => $uuid]));
    same('processing', wc_get_order($id)->get_status());
    return [$id, $uuid];
}

function deliver(string $type, array $data, array $changes = []): int
{
    $body = $changes['body'] ?? json_encode(['id' => 'e', 'type' => $type, 'data' => $data + ['status' => 'PAID', 'value' => 1]]);
    $time = (string) ($changes['time'] ?? time());
    $key = base64_decode(substr($changes['secret'] ?? SECRET, 6));
    $request = new WP_REST_Request('POST', '/trilho-pix/v1/webhook');
    $request->set_body($changes['sent'] ?? $body);
    $request->set_header('webhook-id', 'msg_1');
    $request->set_header('webhook-timestamp', $time);
    $request->set_header('webhook-signature', $changes['signature'] ?? 'v1,' . base64_encode(hash_hmac('sha256', "msg_1.{$time}.{$body}", $key, true)));
    return rest_do_request($request)->get_status();
}

function poll(int $id, ?string $key = null): array
{
    $request = new WP_REST_Request('GET', "/trilho-pix/v1/orders/{$id}");
    $request->set_query_params(['key' => $key ?? "wc_order_{$id}"]);
    $response = rest_do_request($request);
    return [$response->get_status(), $response->get_data()['status'] ?? null];
}

function posts(Trilho $trilho, string $end): array
{
    return array_values(array_filter($trilho->requests, static fn (array $one): bool => $one[0] === 'POST' && str_ends_with($one[1], $end)));
}

function notes(int $id): string
{
    return implode("\n", wc_get_order($id)->see('notes'));
}

function page(int $id): string
{
    ob_start();
    Gateway::render_code($id);
    return (string) ob_get_clean();
}

/** Makes the stored expiry of a charge pass. */
function age(int $id): void
{
    global $wpdb;
    $wpdb->query("UPDATE {$wpdb->prefix}trilho_pix_charges SET read_at = 0 WHERE order_id = {$id}");
}

foreach ([['150.75', 15075], ['0.1', 10], ['7', 700], ['10.5000', 1050], [0.1 + 0.2, 30], [1234567890.12, 123456789012], [3, 300]] as [$text, $cents]) {
    test('an amount is read exactly: ' . var_export($text, true), static fn () => same($cents, Amount::parse($text)));
}
foreach (['', '-1', '1.234', '1,50', '1e3', 'abc', "1\n", '1234567890123', NAN] as $text) {
    test('no amount is refused: ' . var_export($text, true), static function () use ($text): void {
        try {
            Amount::parse($text);
        } catch (UnexpectedValueException) {
            return;
        }
        throw new Exception('accepted');
    });
}
test('an amount is written exactly', static function (): void {
    same('150.75', Amount::format(15075));
    same('0.05', Amount::format(5));
    same('R$ 1.234.567,05', Amount::show(123456705));
});
test('a number of JSON keeps its digits, and texts stay', static function (): void {
    same(
        ['value' => '0.10', 'text' => 'a 1.5 \" b', 'list' => ['12345678901234567890.12', null, true]],
        Client::decode('{"value":0.10,"text":"a 1.5 \\\\\" b","list":[12345678901234567890.12,null,true]}'),
    );
});

test('an order creates one charge of its total, with a key of the order and the attempt that is stored first', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge('150.75');
    [, , $key, $body] = posts($trilho, '/payments')[0];
    same(1, preg_match("/^woo-[0-9a-f]{16}-charge-{$id}-1$/", $key));
    same("{\"value\":150.75,\"type\":\"PIX\",\"external_ref\":\"woo-{$id}\",\"expires_in\":1800}", $body);
    same('150.75', $trilho->charges[$uuid]['value']);
    same('pending', wc_get_order($id)->get_status());
});
test('a repeated checkout is the same charge', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge();
    (new Gateway())->process_payment($id);
    same(1, count(posts($trilho, '/payments')));
    same([$uuid], array_column(Store::find_charges($id), 'charge_uuid'));
});
test('a charge whose answer is lost is repeated with its key and body, also by the next click, after the settings changed', static function (Trilho $trilho): void {
    $order = WC_Order::create('20.00');
    $count = count($trilho->charges);
    $trilho->breaks = ['lost_after', 'lost_before', '503'];
    same('failure', (new Gateway())->process_payment($order->get_id())['result']);
    same(1, count($GLOBALS['notices']));
    $settings = get_option('woocommerce_trilho_pix_settings');
    update_option('woocommerce_trilho_pix_settings', ['expires_minutes' => '10'] + $settings);
    same('success', (new Gateway())->process_payment($order->get_id())['result']);
    update_option('woocommerce_trilho_pix_settings', $settings);
    same(1, count(array_unique(array_map('serialize', posts($trilho, '/payments')))));
    same($count + 1, count($trilho->charges));
});
test('a refused charge is followed by one with another key', static function (Trilho $trilho): void {
    $order = WC_Order::create('20.00');
    $trilho->breaks = ['{"code":"validation_failed"}'];
    same('failure', (new Gateway())->process_payment($order->get_id())['result']);
    same('success', (new Gateway())->process_payment($order->get_id())['result']);
    same(2, count(array_unique(array_column(posts($trilho, '/payments'), 2))));
});
test('a changed total cancels the first charge before there is a second', static function (Trilho $trilho): void {
    [$id, $first] = order_with_charge('50.00');
    wc_get_order($id)->change(['total' => '60.00']);
    same('success', (new Gateway())->process_payment($id)['result']);
    same('CANCELLED', $trilho->charges[$first]['status']);
    same(['5000', '6000'], array_column(Store::find_charges($id), 'cents'));
});
test('a first charge that cannot be cancelled allows no second', static function (Trilho $trilho): void {
    [$id] = order_with_charge('50.00');
    wc_get_order($id)->change(['total' => '60.00']);
    $trilho->breaks = ['', '503', '503', '503'];
    same('failure', (new Gateway())->process_payment($id)['result']);
    same(1, count(Store::find_charges($id)));
});
test('a cancellation whose answer is lost is seen on the charge itself', static function (Trilho $trilho): void {
    [$id, $first] = order_with_charge('50.00');
    wc_get_order($id)->change(['total' => '60.00']);
    $trilho->breaks = ['', 'lost_after'];
    same('success', (new Gateway())->process_payment($id)['result']);
    same(['CANCELLED', 2], [$trilho->charges[$first]['status'], count(Store::find_charges($id))]);
});
test('a first charge that is paid while it would be replaced is the last one', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge('50.00');
    $trilho->set($uuid, 'PAID');
    wc_get_order($id)->change(['total' => '60.00']);
    (new Gateway())->process_payment($id);
    same(['on-hold', 1], [wc_get_order($id)->get_status(), count(Store::find_charges($id))]);
});
test('a total that is not of BRL, or has a fraction of a centavo, creates nothing', static function (Trilho $trilho): void {
    foreach ([WC_Order::create('10.00', 'USD'), WC_Order::create('10.005'), WC_Order::create('0.00')] as $order) {
        same('failure', (new Gateway())->process_payment($order->get_id())['result']);
    }
    same([], $trilho->requests);
});

test('a webhook completes the order once, after the charge was read', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge();
    $trilho->set($uuid, 'PAID');
    same(204, deliver('PAYMENT', ['uuid' => $uuid]));
    same(204, deliver('PAYMENT', ['uuid' => $uuid]));
    $order = wc_get_order($id);
    same(['processing', 1, 'E18236120202611211204s0a7Kd93hQx'], [$order->get_status(), $order->see('completions'), $order->see('transaction')]);
    has('R$ 150,75', notes($id));
});
test('a webhook that says PAID of a charge that is not completes nothing', static function (): void {
    [$id, $uuid] = order_with_charge();
    same(204, deliver('PAYMENT', ['uuid' => $uuid, 'status' => 'PAID']));
    same('pending', wc_get_order($id)->get_status());
});
test('a webhook whose charge cannot be read is asked for again', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge();
    $trilho->set($uuid, 'PAID');
    $trilho->breaks = ['503', 'lost_before', '500'];
    same(503, deliver('PAYMENT', ['uuid' => $uuid]));
    same('pending', wc_get_order($id)->get_status());
    same(204, deliver('PAYMENT', ['uuid' => $uuid]));
    same('processing', wc_get_order($id)->get_status());
});
foreach (
    [
        'of another secret' => ['secret' => 'whsec_' . base64_encode('another secret of 24 byte')],
        'of six minutes ago' => ['time' => time() - 360],
        'of six minutes ahead' => ['time' => time() + 360],
        'whose time is none' => ['time' => '1e9'],
        'without a signature' => ['signature' => ''],
        'with another version' => ['signature' => 'v2,abc'],
        'whose body was changed' => ['sent' => '{"type":"PAYMENT"}'],
        'that is no JSON' => ['body' => '{"a"'],
    ] as $what => $changes
) {
    test("a delivery {$what} is refused, and reads nothing", static function (Trilho $trilho) use ($changes): void {
        [$id, $uuid] = order_with_charge();
        $trilho->set($uuid, 'PAID');
        $trilho->requests = [];
        same(400, deliver('PAYMENT', ['uuid' => $uuid], $changes));
        same([], $trilho->requests);
        same('pending', wc_get_order($id)->get_status());
    });
}
test('the signature of Standard Webhooks is valid, among others too', static function (): void {
    $body = '{"test": 2432232314}';
    $signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
    same(true, Signature::is_valid($body, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', "v1,AAAA {$signature}", SECRET, 1614265330));
    same(false, Signature::is_valid($body, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', $signature, 'whsec_', 1614265330));
    same(false, Signature::is_valid($body, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', $signature, 'whsec_!', 1614265330));
});
test('a webhook without a stored secret accepts nothing', static function (): void {
    $settings = get_option('woocommerce_trilho_pix_settings');
    update_option('woocommerce_trilho_pix_settings', ['webhook_secret' => ''] + $settings);
    $status = deliver('PAYMENT', ['uuid' => wp_generate_uuid4()]);
    update_option('woocommerce_trilho_pix_settings', $settings);
    same(503, $status);
});
test('an event of another system of the account changes nothing', static function (Trilho $trilho): void {
    same(204, deliver('PAYMENT', ['uuid' => wp_generate_uuid4()]));
    same(204, deliver('TRANSFER', ['uuid' => wp_generate_uuid4()]));
    same(204, deliver('PAYMENT', ['uuid' => "1' OR '1'='1"]));
    same([], $trilho->requests);
});

test('the page of the payer polls, and learns of the payment without a webhook', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge();
    age($id);
    same([200, 'waiting'], poll($id));
    $trilho->set($uuid, 'PAID');
    $trilho->requests = [];
    same([200, 'waiting'], poll($id));
    same([], $trilho->requests);
    age($id);
    same([200, 'paid'], poll($id));
    same('processing', wc_get_order($id)->get_status());
});
test('the status of an order needs its key', static function (): void {
    [$id] = order_with_charge();
    same([404, null], poll($id, 'wc_order_other'));
    same([404, null], poll($id, ''));
    same([404, null], poll(99, 'wc_order_99'));
});
test('the schedule completes an order that no webhook and no page has', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge();
    $trilho->set($uuid, 'PAID');
    do_action('trilho_pix_reconcile');
    same('processing', wc_get_order($id)->get_status());
});
test('a PIX that comes late puts the order on hold', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge();
    $trilho->set($uuid, 'EXPIRED');
    deliver('PAYMENT', ['uuid' => $uuid]);
    same('pending', wc_get_order($id)->get_status());
    $trilho->set($uuid, 'PAID');
    same(204, deliver('PAYMENT', ['uuid' => $uuid]));
    same(204, deliver('PAYMENT', ['uuid' => $uuid]));
    same(['on-hold', 0], [wc_get_order($id)->get_status(), wc_get_order($id)->see('completions')]);
    same(1, substr_count(notes($id), 'late'));
    same([200, 'review'], poll($id));
});
test('a cancelled order cancels its charge, and money that comes all the same puts it on hold', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge();
    wc_get_order($id)->update_status('cancelled');
    same('CANCELLED', $trilho->charges[$uuid]['status']);
    $trilho->set($uuid, 'PAID');
    deliver('PAYMENT', ['uuid' => $uuid]);
    same('on-hold', wc_get_order($id)->get_status());
});
test('an order that is paid twice is completed once, then on hold with a note', static function (Trilho $trilho): void {
    [$id, $first] = order_with_charge('50.00');
    $trilho->set($first, 'EXPIRED');
    same('success', (new Gateway())->process_payment($id)['result']);
    $second = Store::find_charges($id)[1]['charge_uuid'];
    $trilho->set($second, 'PAID');
    deliver('PAYMENT', ['uuid' => $second]);
    same('processing', wc_get_order($id)->get_status());
    $trilho->set($first, 'PAID');
    deliver('PAYMENT', ['uuid' => $first]);
    same(['on-hold', 1], [wc_get_order($id)->get_status(), wc_get_order($id)->see('completions')]);
    has('another PIX has paid this order', notes($id));
});
test('the database allows one paying charge for an order, and one charge for a key', static function (): void {
    [$id] = order_with_charge();
    $row = Store::find_charges($id)[0];
    Store::add_charge(['attempt' => 2, 'idempotency_key' => "other-{$id}", 'charge_uuid' => wp_generate_uuid4()] + array_intersect_key($row, array_flip(['order_id', 'cents', 'body', 'status'])));
    same(true, Store::claim_order($row));
    same(false, Store::claim_order(Store::find_charges($id)[1]));
    try {
        Store::add_charge(['attempt' => 3] + array_intersect_key($row, array_flip(['order_id', 'idempotency_key', 'cents', 'body', 'status'])));
    } catch (TrilhoPix\ApiError $error) {
        same('database_error', $error->error_code);
        return;
    }
    throw new Exception('one key, two charges');
});
test('an order that was paid in another way cancels its charge, and a PIX puts it on hold', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge();
    wc_get_order($id)->payment_complete('card');
    same('CANCELLED', $trilho->charges[$uuid]['status']);
    $trilho->set($uuid, 'PAID');
    deliver('PAYMENT', ['uuid' => $uuid]);
    same('on-hold', wc_get_order($id)->get_status());
    has('paid already', notes($id));
});
test('a total that changed after the code was shown puts the order on hold', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge('50.00');
    wc_get_order($id)->change(['total' => '500.00']);
    $trilho->set($uuid, 'PAID');
    deliver('PAYMENT', ['uuid' => $uuid]);
    same('on-hold', wc_get_order($id)->get_status());
});
test('a request that ended between the claim and the order is finished by the next', static function (Trilho $trilho): void {
    [$id, $uuid] = order_with_charge();
    Store::claim_order(Store::find_charges($id)[0]);
    $trilho->set($uuid, 'PAID');
    deliver('PAYMENT', ['uuid' => $uuid]);
    same('processing', wc_get_order($id)->get_status());
});
test('an order whose money has arrived shows no new code', static function (Trilho $trilho): void {
    [$id] = paid_order();
    $trilho->requests = [];
    (new Gateway())->process_payment($id);
    same([], $trilho->requests);
});

test('a refund from the order is sent once, and its end is a note', static function (Trilho $trilho): void {
    [$id, $uuid] = paid_order('100.00');
    same(true, wc_create_refund(['order_id' => $id, 'amount' => '30.10', 'reason' => "Devolvido \"pelo\"\ncliente"]));
    [, $path, $key, $body] = posts($trilho, '/refund')[0];
    same("/payments/{$uuid}/refund", $path);
    same(1, preg_match("/^woo-[0-9a-f]{16}-refund-{$id}-1$/", $key));
    same('{"value":30.10,"description":"Devolvido \"pelo\" cliente"}', $body);
    $refund = array_key_last($trilho->refunds);
    $trilho->refunds[$refund]['status'] = 'COMPLETED';
    same(204, deliver('REFUND', ['uuid' => $uuid, 'refund' => ['uuid' => $refund]]));
    same(204, deliver('REFUND', ['uuid' => $uuid, 'refund' => ['uuid' => $refund]]));
    same(1, substr_count(notes($id), 'by PIX has settled.'));
});
test('a repeated click refunds once', static function (Trilho $trilho): void {
    [$id] = paid_order('100.00');
    same(true, wc_create_refund(['order_id' => $id, 'amount' => '30']));
    same('trilho_pix_repeated', wc_create_refund(['order_id' => $id, 'amount' => '30.00'])->get_error_code());
    same(1, count(posts($trilho, '/refund')));
    same(['30'], wc_get_order($id)->see('refunds'));
    same(true, wc_create_refund(['order_id' => $id, 'amount' => '20']));
});
test('a refund whose answer is lost is repeated with its key, and blocks others meanwhile', static function (Trilho $trilho): void {
    [$id] = paid_order('100.00');
    $count = count($trilho->refunds);
    $trilho->breaks = ['lost_after', 'lost_before', 'lost_before'];
    same('trilho_pix_unknown', wc_create_refund(['order_id' => $id, 'amount' => '30', 'reason' => 'a'])->get_error_code());
    same('trilho_pix_unknown', wc_create_refund(['order_id' => $id, 'amount' => '31'])->get_error_code());
    same(true, wc_create_refund(['order_id' => $id, 'amount' => '30', 'reason' => 'b']));
    same($count + 1, count($trilho->refunds));
    same(1, count(array_unique(array_map('serialize', posts($trilho, '/refund')))));
    same(['30'], wc_get_order($id)->see('refunds'));
});
test('a refused refund is an error, and the next one has another key', static function (Trilho $trilho): void {
    [$id] = paid_order('100.00');
    $trilho->breaks = ['{"code":"insufficient_balance"}'];
    $error = wc_create_refund(['order_id' => $id, 'amount' => '30']);
    same('trilho_pix_refused', $error->get_error_code());
    has('insufficient_balance', $error->get_error_message());
    same(true, wc_create_refund(['order_id' => $id, 'amount' => '30']));
    same(2, count(array_unique(array_column(posts($trilho, '/refund'), 2))));
});
test('an answer without a code is no refusal: a proxy may have given it', static function (Trilho $trilho): void {
    [$id] = paid_order('100.00');
    $trilho->breaks = ['{"message":"Unprocessable"}'];
    same('trilho_pix_unknown', wc_create_refund(['order_id' => $id, 'amount' => '30'])->get_error_code());
    same(true, wc_create_refund(['order_id' => $id, 'amount' => '30']));
    same(1, count(array_unique(array_column(posts($trilho, '/refund'), 2))));
});
test('no more is refunded than was paid', static function (Trilho $trilho): void {
    [$id] = paid_order('100.00');
    same(true, wc_create_refund(['order_id' => $id, 'amount' => '60']));
    same('trilho_pix_too_much', wc_create_refund(['order_id' => $id, 'amount' => '40.01'])->get_error_code());
    foreach (['0', '-1', '1.001', null] as $amount) {
        same(true, is_wp_error(wc_create_refund(['order_id' => $id, 'amount' => $amount])));
    }
    same(true, wc_create_refund(['order_id' => $id, 'amount' => '40.00']));
    same(2, count(posts($trilho, '/refund')));
});
test('an order that no PIX has paid is not refunded', static function (Trilho $trilho): void {
    [$id] = order_with_charge();
    same('trilho_pix_not_paid', wc_create_refund(['order_id' => $id, 'amount' => '1'])->get_error_code());
    same([], posts($trilho, '/refund'));
});
test('a refund that fails later puts the order on hold, found by the schedule', static function (Trilho $trilho): void {
    [$id] = paid_order('100.00');
    same(true, wc_create_refund(['order_id' => $id, 'amount' => '30']));
    $trilho->refunds[array_key_last($trilho->refunds)]['status'] = 'FAILED';
    do_action('trilho_pix_reconcile');
    same('on-hold', wc_get_order($id)->get_status());
});

test('the page has the code, the QR code and what it polls, escaped', static function (): void {
    [$id, $uuid] = order_with_charge();
    $page = page($id);
    has("00020126-{$uuid}", $page);
    has('data:image/svg+xml;base64,' . base64_encode('<svg xmlns="http://www.w3.org/2000/svg"/>'), $page);
    has("key=wc_order_{$id}", $page);
    has('R$ 150,75', $page);
});
test('the page of a paid order has no code', static function (): void {
    [$id, $uuid] = paid_order();
    has('Payment received', page($id));
    same(false, str_contains(page($id), $uuid));
});
test('the token and the secret are in no page, log, error or dump', static function (Trilho $trilho): void {
    $order = WC_Order::create('20.00');
    $trilho->breaks = ['lost_before', 'lost_before', 'lost_before'];
    (new Gateway())->process_payment($order->get_id());
    same(1, count($GLOBALS['log']));
    [$id] = order_with_charge();
    require_once dirname(__DIR__) . '/includes/blocks.php';
    $blocks = new TrilhoPix\Blocks();
    $blocks->initialize();
    $shown = page($id) . (new Gateway())->generate_settings_html() . print_r($GLOBALS['log'], true) . print_r($GLOBALS['notices'], true)
        . json_encode($blocks->get_payment_method_data()) . print_r(TrilhoPix\build_client(), true);
    same(false, str_contains($shown, Trilho::TOKEN));
    same(false, str_contains($shown, SECRET));
});
test('settings that are saved without a secret keep the stored one', static function (): void {
    $gateway = new Gateway();
    $settings = get_option('woocommerce_trilho_pix_settings');
    foreach ($settings as $name => $value) {
        $_POST[$gateway->get_field_key($name)] = in_array($name, ['token', 'webhook_secret'], true) ? '' : $value;
    }
    do_action('woocommerce_update_options_payment_gateways_trilho_pix');
    same(Trilho::TOKEN, get_option('woocommerce_trilho_pix_settings')['token']);
    $_POST[$gateway->get_field_key('token')] = ' trl_test_new ';
    $gateway->process_admin_options();
    same('trl_test_new', get_option('woocommerce_trilho_pix_settings')['token']);
    update_option('woocommerce_trilho_pix_settings', $settings);
});
foreach (['http://pix.example.com', 'ftp://pix.example.com', '', 'pix.example.com'] as $url) {
    test("the token is not sent to {$url}", static function (Trilho $trilho) use ($url): void {
        try {
            (new Client($url, Trilho::TOKEN))->read_charge(wp_generate_uuid4());
        } catch (TrilhoPix\ApiError $error) {
            same('not_configured', $error->error_code);
            same([], $trilho->requests);
            return;
        }
        throw new Exception('sent');
    });
}
test('the checkout of blocks and the classic one offer PIX in reais only', static function (): void {
    require_once dirname(__DIR__) . '/includes/blocks.php';
    $blocks = new TrilhoPix\Blocks();
    same([Gateway::class], apply_filters('woocommerce_payment_gateways', []));
    same(true, $blocks->is_active());
    same(['trilho-pix-blocks'], $blocks->get_payment_method_script_handles());
    same(true, wp_script_is('trilho-pix-blocks', 'registered'));
    same('Pague no app', $blocks->get_payment_method_data()['description']);
    update_option('woocommerce_currency', 'USD');
    $is_active = $blocks->is_active();
    delete_option('woocommerce_currency');
    same(false, $is_active);
});
test('every text is in Portuguese, and the compiled catalogue is that of the source', static function (): void {
    require_once ABSPATH . 'wp-includes/pomo/po.php';
    require_once ABSPATH . 'wp-includes/pomo/mo.php';
    $languages = dirname(__DIR__) . '/languages';
    $po = new PO();
    $mo = new MO();
    same(true, $po->import_from_file("{$languages}/trilho-pix-pt_BR.po"));
    if (getenv('WRITE_CATALOGUE') === '1') {
        $compiled = new MO();
        $compiled->entries = $po->entries;
        $compiled->headers = $po->headers;
        $compiled->export_to_file("{$languages}/trilho-pix-pt_BR.mo");
    }
    same(true, $mo->import_from_file("{$languages}/trilho-pix-pt_BR.mo"));
    $texts = [];
    foreach (glob(dirname(__DIR__) . '/includes/*.php') as $file) {
        preg_match_all("/(?:__|esc_html__|esc_attr__)\\('((?:[^'\\\\]|\\\\.)+)', 'trilho-pix'\\)/", file_get_contents($file), $found);
        $texts = [...$texts, ...array_map('stripslashes', $found[1])];
    }
    $texts = array_values(array_unique($texts));
    same(true, count($texts) > 30);
    foreach ($texts as $text) {
        $translation = $po->entries[$text]->translations[0] ?? '';
        same(true, $translation !== '' ?: $text);
        same($translation, $mo->translate($text));
        same(substr_count($text, '%'), substr_count($translation, '%'));
    }
    same([], array_values(array_diff(array_keys($po->entries), $texts)));
    load_textdomain('trilho-pix', "{$languages}/trilho-pix-pt_BR.mo");
    [$id] = order_with_charge();
    $page = page($id);
    unload_textdomain('trilho-pix');
    has('Pague R$ 150,75 com PIX', $page);
});

echo "{$passed} passed, {$failed} failed\n";
exit($failed > 0 ? 1 : 0);
