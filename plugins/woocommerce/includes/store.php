<?php

declare(strict_types=1);

namespace TrilhoPix;

/**
 * The charges and refunds of orders, in tables of their own: what decides about money has unique keys of the database, and is read past
 * the caches of posts and orders.
 */
final class Store
{
    public const VERSION = '1';

    /** Seconds that a request waits while another one works on the same order. */
    private const LOCK_TIMEOUT_S = 30;

    public static function create_tables(): void
    {
        global $wpdb;
        $collate = $wpdb->get_charset_collate();
        $wpdb->query("CREATE TABLE IF NOT EXISTS {$wpdb->prefix}trilho_pix_charges (
            order_id BIGINT UNSIGNED NOT NULL,
            attempt INT UNSIGNED NOT NULL,
            idempotency_key VARCHAR(100) NOT NULL,
            cents BIGINT UNSIGNED NOT NULL,
            body TEXT NOT NULL,
            charge_uuid CHAR(36) NULL,
            status VARCHAR(20) NOT NULL,
            payload TEXT NULL,
            qr_svg MEDIUMTEXT NULL,
            expires_at BIGINT UNSIGNED NOT NULL DEFAULT 0,
            read_at BIGINT UNSIGNED NOT NULL DEFAULT 0,
            created_at BIGINT UNSIGNED NOT NULL,
            -- The order that this charge has paid: an order is paid by one charge at most.
            pays_order BIGINT UNSIGNED NULL,
            -- Whether the order shows the money of this charge.
            is_applied TINYINT UNSIGNED NOT NULL DEFAULT 0,
            PRIMARY KEY (order_id, attempt),
            UNIQUE KEY idempotency_key (idempotency_key),
            UNIQUE KEY charge_uuid (charge_uuid),
            UNIQUE KEY pays_order (pays_order),
            KEY unfinished (status, read_at)
        ) ENGINE=InnoDB {$collate}");
        $wpdb->query("CREATE TABLE IF NOT EXISTS {$wpdb->prefix}trilho_pix_refunds (
            order_id BIGINT UNSIGNED NOT NULL,
            number INT UNSIGNED NOT NULL,
            idempotency_key VARCHAR(100) NOT NULL,
            charge_uuid CHAR(36) NOT NULL,
            refund_uuid CHAR(36) NULL,
            cents BIGINT UNSIGNED NOT NULL,
            body TEXT NOT NULL,
            status VARCHAR(20) NOT NULL,
            created_at BIGINT UNSIGNED NOT NULL,
            PRIMARY KEY (order_id, number),
            UNIQUE KEY idempotency_key (idempotency_key),
            UNIQUE KEY refund_uuid (refund_uuid),
            KEY status (status)
        ) ENGINE=InnoDB {$collate}");
        update_option('trilho_pix_tables', self::VERSION);
    }

    /**
     * Runs a function while no other request works on the order. May be nested.
     *
     * @template T
     * @param callable(): T $work
     * @return T
     */
    public static function with_lock(int $order_id, callable $work): mixed
    {
        global $wpdb;
        $name = 'trilho_' . substr(md5(DB_NAME . $wpdb->prefix), 0, 12) . "_{$order_id}";
        if ($wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, %d)', $name, self::LOCK_TIMEOUT_S)) !== '1') {
            throw new ApiError(0, 'order_is_busy');
        }
        try {
            // What other requests have changed meanwhile.
            clean_post_cache($order_id);
            return $work();
        } finally {
            $wpdb->query($wpdb->prepare('SELECT RELEASE_LOCK(%s)', $name));
        }
    }

    /** Returns a key that no other shop on the same account uses, and this one for one operation only. */
    public static function build_key(string $kind, int $order_id, int $number): string
    {
        $shop = get_option('trilho_pix_shop');
        if (!is_string($shop) || $shop === '') {
            // add_option adds at most once: two requests get the same one.
            add_option('trilho_pix_shop', bin2hex(random_bytes(8)), '', false);
            wp_cache_delete('trilho_pix_shop', 'options');
            wp_cache_delete('notoptions', 'options');
            $shop = (string) get_option('trilho_pix_shop');
        }
        return "woo-{$shop}-{$kind}-{$order_id}-{$number}";
    }

    /** @return list<array<string, ?string>> The charges of an order, oldest first. */
    public static function find_charges(int $order_id): array
    {
        global $wpdb;
        return self::rows("SELECT * FROM {$wpdb->prefix}trilho_pix_charges WHERE order_id = %d ORDER BY attempt", $order_id);
    }

    /** @return ?array<string, ?string> */
    public static function find_charge(string $uuid): ?array
    {
        global $wpdb;
        return self::rows("SELECT * FROM {$wpdb->prefix}trilho_pix_charges WHERE charge_uuid = %s", $uuid)[0] ?? null;
    }

    /** @return list<array<string, ?string>> Charges that may still change or have not reached their order, longest unread first. */
    public static function find_unfinished(int $limit): array
    {
        global $wpdb;
        return self::rows(
            "SELECT * FROM {$wpdb->prefix}trilho_pix_charges WHERE charge_uuid IS NOT NULL AND created_at > %d
             AND (status IN ('UNDEFINED', 'PENDING', 'PROCESSING') OR (status = 'PAID' AND is_applied = 0))
             ORDER BY read_at LIMIT %d",
            time() - 40 * DAY_IN_SECONDS,
            $limit,
        );
    }

    /** @param array<string, mixed> $row */
    public static function add_charge(array $row): void
    {
        self::insert('charges', $row);
    }

    /** @param array<string, mixed> $values */
    public static function update_charge(array $row, array $values): void
    {
        self::update('charges', $values, ['order_id' => $row['order_id'], 'attempt' => $row['attempt']]);
    }

    /** Makes the charge the one that pays its order. Returns false where another charge has paid it. */
    public static function claim_order(array $row): bool
    {
        global $wpdb;
        if ($row['pays_order'] !== null) {
            return true;
        }
        $shows_errors = $wpdb->suppress_errors();
        $changed = $wpdb->update(
            "{$wpdb->prefix}trilho_pix_charges",
            ['pays_order' => $row['order_id']],
            ['order_id' => $row['order_id'], 'attempt' => $row['attempt']],
        );
        $wpdb->suppress_errors($shows_errors);
        return $changed === 1;
    }

    /** @return list<array<string, ?string>> The refunds of an order, oldest first. */
    public static function find_refunds(int $order_id): array
    {
        global $wpdb;
        return self::rows("SELECT * FROM {$wpdb->prefix}trilho_pix_refunds WHERE order_id = %d ORDER BY number", $order_id);
    }

    /** @return list<array<string, ?string>> */
    public static function find_unsettled_refunds(int $limit): array
    {
        global $wpdb;
        return self::rows(
            "SELECT * FROM {$wpdb->prefix}trilho_pix_refunds WHERE status = 'PROCESSING' ORDER BY created_at LIMIT %d",
            $limit,
        );
    }

    /** @param array<string, mixed> $row */
    public static function add_refund(array $row): void
    {
        self::insert('refunds', $row);
    }

    /** @param array<string, mixed> $values */
    public static function update_refund(array $row, array $values): void
    {
        self::update('refunds', $values, ['order_id' => $row['order_id'], 'number' => $row['number']]);
    }

    private static function rows(string $query, mixed ...$values): array
    {
        global $wpdb;
        $rows = $wpdb->get_results($wpdb->prepare($query, ...$values), ARRAY_A);
        // An unreadable table is not an order without charges.
        return $wpdb->last_error === '' && is_array($rows) ? $rows : throw new ApiError(0, 'database_error');
    }

    private static function insert(string $table, array $row): void
    {
        global $wpdb;
        if ($wpdb->insert("{$wpdb->prefix}trilho_pix_{$table}", $row + ['created_at' => time()]) !== 1) {
            throw new ApiError(0, 'database_error');
        }
    }

    private static function update(string $table, array $values, array $key): void
    {
        global $wpdb;
        if ($wpdb->update("{$wpdb->prefix}trilho_pix_{$table}", $values, $key) === false) {
            throw new ApiError(0, 'database_error');
        }
    }
}
