<?php

declare(strict_types=1);

namespace TrilhoPix;

/** The routes of the plugin below /wp-json/trilho-pix/v1: the webhook, and the status that the payer's page polls. */
final class Routes
{
    /** Seconds within which the pages of one order read the API once. */
    private const POLL_S = 4;

    private const UUID = '/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/D';

    public static function register(): void
    {
        // Both prove themselves: by a signature, and by the key of the order.
        register_rest_route('trilho-pix/v1', '/webhook', [
            'methods' => 'POST',
            'callback' => [self::class, 'receive'],
            'permission_callback' => '__return_true',
        ]);
        register_rest_route('trilho-pix/v1', '/orders/(?P<id>\d+)', [
            'methods' => 'GET',
            'callback' => [self::class, 'show_status'],
            'permission_callback' => '__return_true',
        ]);
    }

    /**
     * Receives a delivery. What it says is a reason to read the charge, and nothing else: the order follows what the API answers.
     * 503 lets Trilho deliver it again.
     */
    public static function receive(\WP_REST_Request $request): \WP_REST_Response
    {
        $secret = read_setting('webhook_secret');
        if ($secret === '') {
            return new \WP_REST_Response(null, 503);
        }
        $is_valid = Signature::is_valid(
            $request->get_body(),
            (string) $request->get_header('webhook-id'),
            (string) $request->get_header('webhook-timestamp'),
            (string) $request->get_header('webhook-signature'),
            $secret,
        );
        if (!$is_valid) {
            return new \WP_REST_Response(null, 400);
        }
        try {
            $event = Client::decode($request->get_body());
        } catch (\JsonException) {
            return new \WP_REST_Response(null, 400);
        }
        $uuid = $event['data']['uuid'] ?? null;
        $is_ours = in_array($event['type'] ?? null, ['PAYMENT', 'REFUND'], true) && is_string($uuid) && preg_match(self::UUID, $uuid);
        if (!$is_ours) {
            return new \WP_REST_Response(null, 204);
        }
        try {
            $row = Store::find_charge($uuid);
            if ($row === null) {
                // A charge of another system of the account.
                return new \WP_REST_Response(null, 204);
            }
            Charges::sync($row);
            $refund = $event['data']['refund']['uuid'] ?? null;
            if ($event['type'] === 'REFUND' && is_string($refund) && !Refunds::sync_of($uuid, $refund)) {
                return new \WP_REST_Response(null, 503);
            }
            return new \WP_REST_Response(null, 204);
        } catch (ApiError $error) {
            log_line("Charge {$uuid}: {$error->getMessage()}");
            return new \WP_REST_Response(null, 503);
        }
    }

    /** Answers the payer's page: waiting, paid, review or expired. */
    public static function show_status(\WP_REST_Request $request): \WP_REST_Response
    {
        $order = wc_get_order((int) $request['id']);
        $key = $request->get_param('key');
        if (!$order instanceof \WC_Order || !is_string($key) || $key === '' || !hash_equals((string) $order->get_order_key(), $key)) {
            return new \WP_REST_Response(null, 404);
        }
        $charges = Store::find_charges($order->get_id());
        $row = end($charges);
        if ($row === false || $row['charge_uuid'] === null) {
            return new \WP_REST_Response(null, 404);
        }
        $is_open = in_array($row['status'], ['UNDEFINED', 'PENDING', 'PROCESSING', 'EXPIRED'], true) && $row['is_applied'] !== '1';
        if ($is_open && (int) $row['read_at'] <= time() - self::POLL_S) {
            try {
                $row = Charges::sync($row);
            } catch (ApiError $error) {
                // The page asks again; the webhook and the schedule do too.
                log_line("Order {$row['order_id']}: {$error->getMessage()}");
            }
        }
        $response = new \WP_REST_Response(['status' => self::describe($row)]);
        $response->header('Cache-Control', 'no-store');
        return $response;
    }

    public static function describe(array $row): string
    {
        return match (true) {
            $row['is_applied'] === '1' => $row['pays_order'] !== null ? 'paid' : 'review',
            in_array($row['status'], ['EXPIRED', 'CANCELLED', 'FAILED'], true) => 'expired',
            default => 'waiting',
        };
    }
}
