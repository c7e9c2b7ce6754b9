<?php

declare(strict_types=1);

namespace TrilhoPix;

/** The charges of orders: at most one that can be paid at a time, and at most one that pays the order. */
final class Charges
{
    /** A code that ends sooner is replaced when the payer comes back. */
    private const MIN_LEFT_S = 60;

    /** Charges that one run of the schedule reads. */
    private const RECONCILED = 50;

    /** Statuses of an order that a payment in time completes. */
    private const PAYABLE = ['pending', 'on-hold', 'failed'];

    /**
     * Returns the charge that the payer of an order is to pay. Repeated, it is the same one until that has expired or the total has
     * changed; then the new one is created after the old one is proved to be payable no more.
     *
     * @throws ApiError
     * @throws \UnexpectedValueException The total of the order is no amount of BRL.
     */
    public static function ensure(int $order_id): array
    {
        return Store::with_lock($order_id, static function () use ($order_id): array {
            $order = wc_get_order($order_id);
            if (!$order instanceof \WC_Order) {
                throw new \UnexpectedValueException('Not an order.');
            }
            $cents = Amount::parse($order->get_total());
            if ($order->get_currency() !== 'BRL' || $cents <= 0) {
                throw new \UnexpectedValueException('Not an amount of BRL.');
            }
            $charges = Store::find_charges($order_id);
            foreach ($charges as $row) {
                // Money has arrived: there is nothing to pay, whatever a person decides about it.
                if ($row['is_applied'] === '1') {
                    return $row;
                }
            }
            $last = end($charges);
            if ($last !== false && $last['status'] !== 'REFUSED') {
                $last = $last['charge_uuid'] === null ? self::send($last) : self::sync($last);
                if (self::has_arrived($last) || $last['status'] === 'PROCESSING') {
                    return $last;
                }
                $is_open = in_array($last['status'], ['UNDEFINED', 'PENDING'], true);
                if ($is_open && (int) $last['cents'] === $cents && (int) $last['expires_at'] > time() + self::MIN_LEFT_S) {
                    return $last;
                }
                if ($is_open) {
                    $last = self::cancel($last);
                    if (self::has_arrived($last)) {
                        return $last;
                    }
                    if (!in_array($last['status'], ['CANCELLED', 'EXPIRED', 'FAILED'], true)) {
                        throw new ApiError(0, 'previous_code_is_open');
                    }
                }
            }
            return self::send(self::add($order, $cents, count($charges) + 1));
        });
    }

    /**
     * Reads a charge from the API and applies what it says to its order. Callers need no lock.
     *
     * @throws ApiError The charge cannot be read: nothing has changed.
     */
    public static function sync(array $row): array
    {
        $order_id = (int) $row['order_id'];
        return Store::with_lock($order_id, static function () use ($order_id, $row): array {
            $charge = build_client()->read_charge((string) $row['charge_uuid']);
            // As it is under the lock.
            $row = Store::find_charge((string) $row['charge_uuid']) ?? $row;
            if ($charge['uuid'] !== $row['charge_uuid']) {
                throw new ApiError(0, 'unexpected_response');
            }
            self::apply($row, $charge);
            Store::update_charge($row, ['status' => self::read_status($charge), 'read_at' => time()]);
            return Store::find_charge((string) $row['charge_uuid']) ?? $row;
        });
    }

    /** Returns whether the money of a charge has arrived. */
    public static function has_arrived(array $row): bool
    {
        return $row['is_applied'] === '1' || $row['status'] === 'PAID';
    }

    /** Cancels the charge of an order that was cancelled, or paid in another way. Where that fails, a person decides: see apply. */
    public static function cancel_open(int $order_id): void
    {
        try {
            Store::with_lock($order_id, static function () use ($order_id): void {
                foreach (Store::find_charges($order_id) as $row) {
                    if ($row['charge_uuid'] !== null && $row['pays_order'] === null && $row['status'] === 'PENDING') {
                        self::cancel($row);
                    }
                }
            });
        } catch (ApiError $error) {
            log_line("Order {$order_id}: {$error->getMessage()}");
        }
    }

    /** Reads charges and refunds whose end is not known, for shops that a webhook did not reach. */
    public static function reconcile(): void
    {
        foreach (Store::find_unfinished(self::RECONCILED) as $row) {
            try {
                self::sync($row);
            } catch (ApiError $error) {
                // The next one first, should this one never be readable.
                Store::update_charge($row, ['read_at' => time()]);
                log_line("Order {$row['order_id']}: {$error->getMessage()}");
            }
        }
        foreach (Store::find_unsettled_refunds(self::RECONCILED) as $refund) {
            Refunds::sync_of((string) $refund['charge_uuid'], (string) $refund['refund_uuid']);
        }
    }

    /** Cancels a charge, and returns it as it is then: a refusal may say that it is cancelled, or paid. @throws ApiError */
    private static function cancel(array $row): array
    {
        try {
            build_client()->cancel_charge((string) $row['charge_uuid']);
        } catch (ApiError $error) {
            log_line("Order {$row['order_id']}: the charge was not cancelled. {$error->getMessage()}");
        }
        return self::sync($row);
    }

    /** Returns the QR code as SVG, or an empty text where it cannot be read now: the code as text is there. */
    public static function read_qr_code(array $row): string
    {
        if ($row['qr_svg'] !== null) {
            return $row['qr_svg'];
        }
        try {
            $svg = build_client()->read_qr_code((string) $row['charge_uuid']);
            Store::update_charge($row, ['qr_svg' => $svg]);
            return $svg;
        } catch (ApiError $error) {
            log_line("Order {$row['order_id']}: {$error->getMessage()}");
            return '';
        }
    }

    /** Stores an attempt with its key and body, before anything is sent. */
    private static function add(\WC_Order $order, int $cents, int $attempt): array
    {
        $order_id = $order->get_id();
        $minutes = max(1, min(43_200, (int) (read_setting('expires_minutes') ?: 60)));
        $rest = wp_json_encode([
            'type' => 'PIX',
            'external_ref' => substr("woo-{$order_id}", 0, 255),
            'expires_in' => $minutes * 60,
        ]);
        Store::add_charge([
            'order_id' => $order_id,
            'attempt' => $attempt,
            'idempotency_key' => Store::build_key('charge', $order_id, $attempt),
            'cents' => $cents,
            'body' => '{"value":' . Amount::format($cents) . ',' . substr($rest, 1),
            'status' => 'NEW',
        ]);
        $charges = Store::find_charges($order_id);
        return end($charges);
    }

    /** Sends a stored attempt. Repeated after an unknown outcome, it is the same charge. @throws ApiError */
    private static function send(array $row): array
    {
        try {
            $charge = build_client()->create_charge((string) $row['body'], (string) $row['idempotency_key']);
        } catch (ApiError $error) {
            if ($error->is_refusal()) {
                Store::update_charge($row, ['status' => 'REFUSED']);
            }
            throw $error;
        }
        $payload = $charge['payment']['payload'] ?? null;
        if (!is_string($payload) || $payload === '' || Amount::parse((string) $charge['value']) !== (int) $row['cents']) {
            throw new ApiError(0, 'unexpected_response');
        }
        Store::update_charge($row, [
            'charge_uuid' => $charge['uuid'],
            'payload' => $payload,
            'expires_at' => (int) strtotime((string) ($charge['payment']['expires_at'] ?? '')),
            'status' => self::read_status($charge),
        ]);
        // A stored answer is that of the first time: what the charge is now says its GET.
        return self::sync(['charge_uuid' => $charge['uuid']] + $row);
    }

    private static function read_status(array $charge): string
    {
        return is_string($charge['status'] ?? null) ? substr($charge['status'], 0, 20) : throw new ApiError(0, 'unexpected_response');
    }

    /**
     * Applies a charge, as the API shows it now, to its order. The caller holds the lock of the order.
     *
     * The order is completed where the charge is PAID, in time, with the total of an order that waits for it, and no other charge has
     * paid it. Money that arrived in any other way puts the order on hold, with the reason as a note: a person decides.
     */
    private static function apply(array $row, array $charge): void
    {
        $statuses = array_column(is_array($charge['history'] ?? null) ? $charge['history'] : [], 'status');
        $status = self::read_status($charge);
        if ($row['is_applied'] === '1' || !in_array('PAID', [...$statuses, $status], true)) {
            return;
        }
        $order = wc_get_order((int) $row['order_id']);
        if (!$order instanceof \WC_Order) {
            log_line("Order {$row['order_id']} does not exist any more, and its charge {$row['charge_uuid']} is {$status}.");
            Store::update_charge($row, ['is_applied' => 1]);
            return;
        }
        $end_to_end = (string) ($charge['payment']['pix']['transaction']['end_to_end'] ?? '');
        // Before this charge is claimed, and after: a request may have ended between the claim and the order.
        $reason = $row['pays_order'] === null ? self::find_doubt($row, $charge, $statuses, $order) : null;
        if ($reason === null && !Store::claim_order($row)) {
            $reason = __('another PIX has paid this order', 'trilho-pix');
        }
        $amount = Amount::show((int) $row['cents']);
        if ($reason === null) {
            if (!$order->is_paid()) {
                $order->payment_complete($end_to_end);
                $order->add_order_note(sprintf(
                    /* translators: 1: amount, 2: end-to-end id */
                    __('PIX of %1$s received, end-to-end id %2$s.', 'trilho-pix'),
                    $amount,
                    $end_to_end,
                ));
                if (!wc_get_order($order->get_id())->is_paid()) {
                    throw new ApiError(0, 'order_not_completed');
                }
            }
        } else {
            $order->update_status('on-hold', sprintf(
                /* translators: 1: amount, 2: reason, 3: charge, 4: end-to-end id */
                __('A PIX of %1$s needs your decision: %2$s. Charge %3$s, end-to-end id %4$s. Deliver, or refund it.', 'trilho-pix'),
                $amount,
                $reason,
                (string) $row['charge_uuid'],
                $end_to_end,
            ));
        }
        Store::update_charge($row, ['is_applied' => 1]);
    }

    /** Returns why the money of a charge does not simply pay its order; null where it does. */
    private static function find_doubt(array $row, array $charge, array $statuses, \WC_Order $order): ?string
    {
        foreach (Store::find_charges((int) $row['order_id']) as $other) {
            if ($other['attempt'] !== $row['attempt'] && $other['is_applied'] === '1') {
                return __('another PIX has paid this order', 'trilho-pix');
            }
        }
        if ($order->is_paid()) {
            return __('this order was paid already', 'trilho-pix');
        }
        if (array_intersect(['EXPIRED', 'CANCELLED'], $statuses) !== []) {
            return __('it was paid late', 'trilho-pix');
        }
        if (!in_array($order->get_status(), self::PAYABLE, true)) {
            return __('the order was not waiting for payment any more', 'trilho-pix');
        }
        if ($charge['status'] !== 'PAID') {
            return __('it was refunded, at least in part, outside of this shop', 'trilho-pix');
        }
        try {
            $total = Amount::parse($order->get_total());
        } catch (\UnexpectedValueException) {
            $total = -1;
        }
        if ($total !== (int) $row['cents'] || Amount::parse((string) $charge['value']) !== $total) {
            return __('its amount is not the total of the order', 'trilho-pix');
        }
        return null;
    }
}
