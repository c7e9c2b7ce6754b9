<?php

declare(strict_types=1);

namespace TrilhoPix;

/** The payment method in the checkout of blocks. */
final class Blocks extends \Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType
{
    protected $name = GATEWAY_ID;

    public function initialize(): void
    {
        $this->settings = get_option('woocommerce_' . GATEWAY_ID . '_settings', []);
    }

    public function is_active(): bool
    {
        return (new Gateway())->is_available();
    }

    /** @return list<string> */
    public function get_payment_method_script_handles(): array
    {
        wp_register_script(
            'trilho-pix-blocks',
            plugins_url('assets/blocks.js', PLUGIN_FILE),
            ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'],
            '0.1.0',
            true,
        );
        return ['trilho-pix-blocks'];
    }

    /** Returns what the page of the checkout shows: no settings but these texts. */
    public function get_payment_method_data(): array
    {
        $gateway = new Gateway();
        return ['title' => $gateway->title, 'description' => $gateway->description, 'supports' => $this->get_supported_features()];
    }

    /** @return list<string> */
    public function get_supported_features(): array
    {
        return ['products'];
    }
}
