<?php
/**
 * Plugin Name: Trilho PIX for WooCommerce
 * Description: PIX at the checkout by Trilho: QR code and copy-and-paste, confirmation by webhook, refunds from the order.
 * Version: 0.1.0
 * Requires at least: 6.1
 * Requires PHP: 8.1
 * WC requires at least: 8.3
 * License: Apache-2.0
 * Text Domain: trilho-pix
 * Domain Path: /languages
 */

declare(strict_types=1);

namespace TrilhoPix;

defined('ABSPATH') || exit;

foreach (['amount', 'api-error', 'client', 'signature', 'store', 'charges', 'refunds', 'routes'] as $file) {
    require_once __DIR__ . "/includes/{$file}.php";
}

const PLUGIN_FILE = __FILE__;
const GATEWAY_ID = 'trilho_pix';
const RECONCILE_HOOK = 'trilho_pix_reconcile';

/** Returns the setting of the gateway; a constant of wp-config.php, such as TRILHO_PIX_TOKEN, takes precedence. */
function read_setting(string $name): string
{
    $constant = 'TRILHO_PIX_' . strtoupper($name);
    if (defined($constant)) {
        return (string) constant($constant);
    }
    $settings = get_option('woocommerce_' . GATEWAY_ID . '_settings', []);
    return is_array($settings) ? (string) ($settings[$name] ?? '') : '';
}

/** Returns the client of the API with the settings of the shop. */
function build_client(): Client
{
    return new Client(read_setting('base_url'), read_setting('token'));
}

/** Writes a line to the log of WooCommerce: texts of this plugin, codes and ids only, never a request or its headers. */
function log_line(string $message): void
{
    wc_get_logger()->warning($message, ['source' => 'trilho-pix']);
}

register_activation_hook(__FILE__, static function (): void {
    Store::create_tables();
});
register_deactivation_hook(__FILE__, static function (): void {
    wp_clear_scheduled_hook(RECONCILE_HOOK);
});

add_action('before_woocommerce_init', static function (): void {
    $features = '\Automattic\WooCommerce\Utilities\FeaturesUtil';
    if (class_exists($features)) {
        $features::declare_compatibility('custom_order_tables', __FILE__, true);
        $features::declare_compatibility('cart_checkout_blocks', __FILE__, true);
    }
});

add_filter('cron_schedules', static fn (array $schedules): array => $schedules + [
    'trilho_pix_five_minutes' => ['interval' => 300, 'display' => 'Trilho PIX'],
]);

add_action('plugins_loaded', static function (): void {
    if (!class_exists('WC_Payment_Gateway')) {
        return;
    }
    load_plugin_textdomain('trilho-pix', false, basename(__DIR__) . '/languages');
    // An update of the plugin runs no activation.
    if (get_option('trilho_pix_tables') !== Store::VERSION) {
        Store::create_tables();
    }
    require_once __DIR__ . '/includes/gateway.php';
    add_filter('woocommerce_payment_gateways', static fn (array $gateways): array => [...$gateways, Gateway::class]);
    add_action('woocommerce_blocks_payment_method_type_registration', static function ($registry): void {
        require_once __DIR__ . '/includes/blocks.php';
        $registry->register(new Blocks());
    });
    add_action('rest_api_init', [Routes::class, 'register']);
    add_action('woocommerce_thankyou_' . GATEWAY_ID, [Gateway::class, 'render_code']);
    foreach (['cancelled', 'processing', 'completed'] as $status) {
        add_action("woocommerce_order_status_{$status}", [Charges::class, 'cancel_open']);
    }
    add_action(RECONCILE_HOOK, [Charges::class, 'reconcile']);
    if (!wp_next_scheduled(RECONCILE_HOOK)) {
        wp_schedule_event(time() + 300, 'trilho_pix_five_minutes', RECONCILE_HOOK);
    }
}, 20);
