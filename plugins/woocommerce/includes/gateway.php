<?php

declare(strict_types=1);

namespace TrilhoPix;

/** The payment method of the checkout, its settings, and refunds from the order. */
final class Gateway extends \WC_Payment_Gateway
{
    public function __construct()
    {
        $this->id = GATEWAY_ID;
        $this->method_title = __('PIX by Trilho', 'trilho-pix');
        $this->method_description = __('The payer gets a PIX code; the order is paid once the payment is confirmed.', 'trilho-pix');
        $this->has_fields = false;
        $this->supports = ['products', 'refunds'];
        $this->init_form_fields();
        $this->init_settings();
        $this->title = (string) $this->get_option('title');
        $this->description = (string) $this->get_option('description');
        add_action("woocommerce_update_options_payment_gateways_{$this->id}", [$this, 'process_admin_options']);
    }

    public function init_form_fields(): void
    {
        $this->form_fields = [
            'enabled' => [
                'title' => __('Enable', 'trilho-pix'),
                'type' => 'checkbox',
                'label' => __('Offer PIX at the checkout', 'trilho-pix'),
                'default' => 'no',
            ],
            'title' => [
                'title' => __('Title', 'trilho-pix'),
                'type' => 'text',
                'default' => 'PIX',
            ],
            'description' => [
                'title' => __('Description', 'trilho-pix'),
                'type' => 'textarea',
                'default' => __('Pay with the app of your bank, by QR code or copy and paste.', 'trilho-pix'),
            ],
            'base_url' => [
                'title' => __('Address of Trilho', 'trilho-pix'),
                'type' => 'text',
                'placeholder' => 'https://pix.example.com',
                'default' => '',
            ],
            'token' => [
                'title' => __('Token', 'trilho-pix'),
                'type' => 'trilho_secret',
                'description' => __('With the scopes read, charges and refunds. TRILHO_PIX_TOKEN of wp-config.php takes precedence.', 'trilho-pix'),
            ],
            'webhook_secret' => [
                'title' => __('Signing secret of the webhook', 'trilho-pix'),
                'type' => 'trilho_secret',
                'description' => sprintf(
                    /* translators: %s: address */
                    __('Register an endpoint for PAYMENT and REFUND with the address %s, and write its secret here.', 'trilho-pix'),
                    esc_html(rest_url('trilho-pix/v1/webhook')),
                ),
            ],
            'expires_minutes' => [
                'title' => __('Minutes until a code expires', 'trilho-pix'),
                'type' => 'number',
                'default' => '60',
            ],
        ];
    }

    /** Shows a field for a secret. The stored one is never part of a page. */
    public function generate_trilho_secret_html(string $key, array $data): string
    {
        $is_set = read_setting($key) !== '';
        return sprintf(
            '<tr valign="top"><th scope="row"><label for="%1$s">%2$s</label></th><td>'
            . '<input type="password" id="%1$s" name="%1$s" value="" autocomplete="new-password" placeholder="%3$s" class="regular-text">'
            . '<p class="description">%4$s</p></td></tr>',
            esc_attr($this->get_field_key($key)),
            esc_html($data['title']),
            esc_attr($is_set ? __('Stored. Write a new one to replace it.', 'trilho-pix') : ''),
            wp_kses_post($data['description']),
        );
    }

    /** Keeps the stored secret where none was written. */
    public function validate_trilho_secret_field(string $key, mixed $value): string
    {
        $written = is_string($value) ? trim(wp_unslash($value)) : '';
        return $written !== '' ? $written : (string) $this->get_option($key);
    }

    /** PIX is in reais, and nothing is offered that would fail. */
    public function is_available(): bool
    {
        return parent::is_available()
            && get_woocommerce_currency() === 'BRL'
            && read_setting('token') !== ''
            && read_setting('base_url') !== '';
    }

    /** Creates the charge of an order, and sends the payer to the page with its code. */
    public function process_payment($order_id): array
    {
        try {
            Charges::ensure((int) $order_id);
        } catch (ApiError | \UnexpectedValueException $error) {
            log_line("Order {$order_id}: {$error->getMessage()}");
            wc_add_notice(__('The PIX code could not be created. Please try again in a moment.', 'trilho-pix'), 'error');
            return ['result' => 'failure'];
        }
        if (WC()->cart) {
            WC()->cart->empty_cart();
        }
        return ['result' => 'success', 'redirect' => $this->get_return_url(wc_get_order($order_id))];
    }

    /** Refunds a part of an order. WooCommerce deletes its record of the refund where this is an error. */
    public function process_refund($order_id, $amount = null, $reason = ''): bool|\WP_Error
    {
        try {
            $cents = Amount::parse($amount ?? '');
        } catch (\UnexpectedValueException) {
            return new \WP_Error('trilho_pix_amount', __('Write the amount of the refund, with at most two decimals.', 'trilho-pix'));
        }
        return Refunds::create((int) $order_id, $cents, (string) $reason);
    }

    /** Prints the code of an order on the page that thanks for it; what it says of the payment comes from the database. */
    public static function render_code(int $order_id): void
    {
        $charges = Store::find_charges($order_id);
        $row = end($charges);
        $order = wc_get_order($order_id);
        if ($row === false || $row['charge_uuid'] === null || !$order) {
            return;
        }
        $status = Routes::describe($row);
        $texts = [
            'waiting' => __('Waiting for your payment', 'trilho-pix'),
            'paid' => __('Payment received. Thank you!', 'trilho-pix'),
            'review' => __('We have received a payment and will contact you.', 'trilho-pix'),
            'expired' => __('This code has expired. Please order again, or pay this order from your account.', 'trilho-pix'),
        ];
        if ($status !== 'waiting') {
            printf('<section class="trilho-pix"><p role="status">%s</p></section>', esc_html($texts[$status]));
            return;
        }
        wp_enqueue_script('trilho-pix', plugins_url('assets/payment-page.js', PLUGIN_FILE), [], '0.1.0', true);
        $svg = Charges::read_qr_code($row);
        $image = $svg === '' ? '' : sprintf(
            '<img width="240" height="240" alt="%s" src="data:image/svg+xml;base64,%s">',
            esc_attr__('QR code of the PIX', 'trilho-pix'),
            base64_encode($svg),
        );
        printf(
            '<section class="trilho-pix" data-trilho-pix="%1$s" data-expires="%2$d" data-copied="%3$s">'
            . '<h2>%4$s</h2>%5$s<p><label for="trilho-pix-code">%6$s</label><br>'
            . '<textarea id="trilho-pix-code" readonly rows="4" style="width:100%%">%7$s</textarea></p>'
            . '<p><button type="button" class="button">%8$s</button></p><p role="status">%9$s</p></section>',
            esc_url(add_query_arg('key', $order->get_order_key(), rest_url("trilho-pix/v1/orders/{$order_id}"))),
            (int) $row['expires_at'],
            esc_attr__('Copied', 'trilho-pix'),
            /* translators: %s: amount */
            esc_html(sprintf(__('Pay %s by PIX', 'trilho-pix'), Amount::show((int) $row['cents']))),
            // Both parts are escaped above.
            $image, // phpcs:ignore WordPress.Security.EscapeOutput
            esc_html__('PIX code, copy and paste', 'trilho-pix'),
            esc_textarea((string) $row['payload']),
            esc_html__('Copy code', 'trilho-pix'),
            esc_html($texts['waiting']),
        );
    }
}
