<?php

declare(strict_types=1);

namespace TrilhoPix;

/** Refunds of the charge that has paid an order. Each is stored with its key before it is sent. */
final class Refunds
{
    /** A second refund of the same amount within this time is taken for a repeated click. */
    private const REPEATED_S = 120;

    /**
     * Refunds a part of an order. After an unknown outcome, the same amount repeats the same refund.
     *
     * @return true|\WP_Error WooCommerce removes its own record of the refund where it is an error.
     */
    public static function create(int $order_id, int $cents, string $reason): bool|\WP_Error
    {
        try {
            return Store::with_lock($order_id, static fn (): bool|\WP_Error => self::create_locked($order_id, $cents, $reason));
        } catch (ApiError $error) {
            log_line("Order {$order_id}: {$error->getMessage()}");
            return new \WP_Error('trilho_pix_busy', __('The refund was not sent. Try again.', 'trilho-pix'));
        }
    }

    private static function create_locked(int $order_id, int $cents, string $reason): bool|\WP_Error
    {
        $paying = null;
        foreach (Store::find_charges($order_id) as $row) {
            $paying = $row['pays_order'] !== null ? $row : $paying;
        }
        if ($paying === null) {
            return new \WP_Error('trilho_pix_not_paid', __('No PIX has paid this order: refund it in the dashboard of Trilho.', 'trilho-pix'));
        }
        $refunds = Store::find_refunds($order_id);
        $left = (int) $paying['cents'];
        foreach ($refunds as $refund) {
            if ($refund['status'] === 'FAILED') {
                continue;
            }
            if ($refund['status'] === 'NEW') {
                if ((int) $refund['cents'] === $cents) {
                    return self::send($refund);
                }
                return new \WP_Error('trilho_pix_unknown', sprintf(
                    /* translators: %s: amount */
                    __('It is not known whether the refund of %s was executed. Repeat it with the same amount first.', 'trilho-pix'),
                    Amount::show((int) $refund['cents']),
                ));
            }
            $is_recent = (int) $refund['created_at'] > time() - self::REPEATED_S || $refund['status'] === 'PROCESSING';
            if ((int) $refund['cents'] === $cents && $is_recent) {
                return new \WP_Error('trilho_pix_repeated', sprintf(
                    /* translators: %s: amount */
                    __('%s was refunded a moment ago. To refund the same amount again, wait two minutes and until that refund has settled.', 'trilho-pix'),
                    Amount::show($cents),
                ));
            }
            $left -= (int) $refund['cents'];
        }
        if ($cents <= 0 || $cents > $left) {
            return new \WP_Error('trilho_pix_too_much', sprintf(
                /* translators: %s: amount */
                __('At most %s can be refunded.', 'trilho-pix'),
                Amount::show(max(0, $left)),
            ));
        }
        $number = count($refunds) + 1;
        $fields = [];
        $text = trim((string) preg_replace('/[\p{C}\s]+/u', ' ', $reason));
        if ($text !== '') {
            $fields['description'] = mb_substr($text, 0, 140);
        }
        Store::add_refund([
            'order_id' => $order_id,
            'number' => $number,
            'idempotency_key' => Store::build_key('refund', $order_id, $number),
            'charge_uuid' => $paying['charge_uuid'],
            'cents' => $cents,
            'body' => '{"value":' . Amount::format($cents) . ($fields === [] ? '}' : ',' . substr(wp_json_encode($fields), 1)),
            'status' => 'NEW',
        ]);
        $refunds = Store::find_refunds($order_id);
        return self::send(end($refunds));
    }

    /** Sends a stored refund. Repeated after an unknown outcome, it is the same refund. */
    private static function send(array $row): bool|\WP_Error
    {
        $order = wc_get_order((int) $row['order_id']);
        $amount = Amount::show((int) $row['cents']);
        try {
            $data = build_client()->refund((string) $row['charge_uuid'], (string) $row['body'], (string) $row['idempotency_key']);
            $refund = self::read_refund($row, $data);
        } catch (ApiError $error) {
            log_line("Order {$row['order_id']}: {$error->getMessage()}");
            if ($error->is_refusal()) {
                Store::update_refund($row, ['status' => 'FAILED']);
                return new \WP_Error('trilho_pix_refused', sprintf(
                    /* translators: 1: amount, 2: error code */
                    __('The refund of %1$s was refused: %2$s. Nothing was refunded.', 'trilho-pix'),
                    $amount,
                    $error->error_code,
                ));
            }
            $order->add_order_note(sprintf(
                /* translators: %s: amount */
                __('It is not known whether the refund of %s was executed. Repeat it with the same amount: it is executed once.', 'trilho-pix'),
                $amount,
            ));
            return new \WP_Error('trilho_pix_unknown', sprintf(
                /* translators: %s: amount */
                __('It is not known whether the refund of %s was executed. Repeat it with the same amount first.', 'trilho-pix'),
                $amount,
            ));
        }
        Store::update_refund($row, ['refund_uuid' => $refund['uuid'], 'status' => 'PROCESSING']);
        if ($refund['status'] === 'FAILED') {
            Store::update_refund($row, ['status' => 'FAILED']);
            return new \WP_Error('trilho_pix_refused', sprintf(
                /* translators: 1: amount, 2: error code */
                __('The refund of %1$s was refused: %2$s. Nothing was refunded.', 'trilho-pix'),
                $amount,
                (string) ($refund['error']['code'] ?? 'FAILED'),
            ));
        }
        $order->add_order_note(sprintf(
            /* translators: 1: amount, 2: refund */
            __('Refund of %1$s by PIX accepted: %2$s. A note will say when it has settled.', 'trilho-pix'),
            $amount,
            $refund['uuid'],
        ));
        self::settle(['refund_uuid' => $refund['uuid'], 'status' => 'PROCESSING'] + $row, $refund);
        return true;
    }

    /** Reads a refund of the shop from the API, and writes on its order how it has ended. Others are ignored. */
    public static function sync_of(string $charge_uuid, string $refund_uuid): bool
    {
        $charge = Store::find_charge($charge_uuid);
        if ($charge === null) {
            return true;
        }
        try {
            Store::with_lock((int) $charge['order_id'], static function () use ($charge, $refund_uuid): void {
                foreach (Store::find_refunds((int) $charge['order_id']) as $row) {
                    if ($row['refund_uuid'] === $refund_uuid) {
                        $data = build_client()->read_refund((string) $row['charge_uuid'], $refund_uuid);
                        self::settle($row, self::read_refund($row, $data));
                    }
                }
            });
            return true;
        } catch (ApiError $error) {
            log_line("Order {$charge['order_id']}: {$error->getMessage()}");
            return false;
        }
    }

    /** Writes the end of a refund on its order, once. The caller holds the lock of the order. */
    private static function settle(array $row, array $refund): void
    {
        if (!in_array($refund['status'], ['COMPLETED', 'FAILED'], true) || $refund['status'] === $row['status']) {
            return;
        }
        $order = wc_get_order((int) $row['order_id']);
        $amount = Amount::show((int) $row['cents']);
        if ($order && $refund['status'] === 'COMPLETED') {
            /* translators: %s: amount */
            $order->add_order_note(sprintf(__('The refund of %s by PIX has settled.', 'trilho-pix'), $amount));
        } elseif ($order) {
            // WooCommerce shows it as refunded: only a person can put that right.
            $order->update_status('on-hold', sprintf(
                /* translators: %s: amount */
                __('The refund of %s by PIX has failed, and the money is still with you: delete the refund of this order, and refund again.', 'trilho-pix'),
                $amount,
            ));
        }
        Store::update_refund($row, ['status' => $refund['status']]);
    }

    /** @throws ApiError The answer is not the refund that was sent. */
    private static function read_refund(array $row, array $data): array
    {
        $refund = $data['refund'] ?? null;
        $is_ours = is_array($refund) && is_string($refund['uuid'] ?? null) && is_string($refund['status'] ?? null)
            && $data['uuid'] === $row['charge_uuid']
            && Amount::parse((string) ($refund['value'] ?? '')) === (int) $row['cents'];
        return $is_ours ? $refund : throw new ApiError(0, 'unexpected_response');
    }
}
