<?php

/**
 * The part of WooCommerce that the plugin uses, for tests: names and parameters are WooCommerce's, what they do is as little as the
 * tests need. Orders are rows of one option each in the database of WordPress, so that what is not saved is lost.
 */

declare(strict_types=1);

namespace {
    abstract class WC_Settings_API
    {
        public $plugin_id = 'woocommerce_';
        public $id = '';
        public $settings = [];
        public $form_fields = [];

        public function init_settings()
        {
            $defaults = array_map(static fn (array $field): string => $field['default'] ?? '', $this->form_fields);
            $this->settings = get_option("woocommerce_{$this->id}_settings", []) + $defaults;
        }

        public function get_option($key, $empty_value = null)
        {
            return $this->settings[$key] ?? $empty_value ?? '';
        }

        public function get_field_key($key)
        {
            return "woocommerce_{$this->id}_{$key}";
        }

        public function process_admin_options()
        {
            $this->init_settings();
            foreach ($this->form_fields as $key => $field) {
                $value = $_POST[$this->get_field_key($key)] ?? null;
                $validate = "validate_{$field['type']}_field";
                $this->settings[$key] = method_exists($this, $validate) ? $this->$validate($key, $value) : (string) $value;
            }
            return update_option("woocommerce_{$this->id}_settings", $this->settings);
        }

        /** The real one escapes and knows many types; this one shows stored values as the real one does. */
        public function generate_settings_html()
        {
            $html = '';
            foreach ($this->form_fields as $key => $field) {
                $generate = "generate_{$field['type']}_html";
                $html .= method_exists($this, $generate)
                    ? $this->$generate($key, $field)
                    : '<input name="' . esc_attr($this->get_field_key($key)) . '" value="' . esc_attr($this->get_option($key)) . '">';
            }
            return $html;
        }
    }

    abstract class WC_Payment_Gateway extends WC_Settings_API
    {
        public $enabled = 'yes';
        public $title;
        public $description;
        public $method_title = '';
        public $method_description = '';
        public $has_fields;
        public $supports = ['products'];

        public function is_available()
        {
            return $this->get_option('enabled') === 'yes';
        }

        public function get_return_url($order = null)
        {
            return home_url("/checkout/order-received/{$order->get_id()}/?key={$order->get_order_key()}");
        }
    }

    class WC_Order
    {
        private array $data;

        public function __construct(private int $id)
        {
            wp_cache_delete("order_{$id}", 'options');
            $this->data = get_option("order_{$id}");
        }

        public static function create(string $total, string $currency = 'BRL'): self
        {
            static $id = 100;
            $id++;
            add_option("order_{$id}", [
                'total' => $total, 'currency' => $currency, 'status' => 'pending', 'key' => "wc_order_{$id}", 'notes' => [],
                'transaction' => '', 'completions' => 0, 'refunds' => [],
            ], '', false);
            return new self($id);
        }

        public function change(array $data): void
        {
            $this->data = $data + $this->data;
            update_option("order_{$this->id}", $this->data);
        }

        public function see(string $name): mixed
        {
            return $this->data[$name];
        }

        public function get_id()
        {
            return $this->id;
        }

        public function get_total($context = 'view')
        {
            return $this->data['total'];
        }

        public function get_currency($context = 'view')
        {
            return $this->data['currency'];
        }

        public function get_status($context = 'view')
        {
            return $this->data['status'];
        }

        public function get_order_key($context = 'view')
        {
            return $this->data['key'];
        }

        public function is_paid()
        {
            return in_array($this->data['status'], ['processing', 'completed'], true);
        }

        public function add_order_note($note, $is_customer_note = 0, $added_by_user = false, $meta_data = [])
        {
            $this->change(['notes' => [...get_option("order_{$this->id}")['notes'], $note]]);
            return 1;
        }

        public function update_status($new_status, $note = '', $manual = false)
        {
            $this->change(['status' => $new_status]);
            $this->add_order_note($note);
            do_action("woocommerce_order_status_{$new_status}", $this->id, $this);
            return true;
        }

        public function payment_complete($transaction_id = '')
        {
            if (in_array($this->data['status'], ['on-hold', 'pending', 'failed', 'cancelled'], true)) {
                $this->change(['transaction' => $transaction_id, 'completions' => $this->data['completions'] + 1]);
                $this->update_status('processing');
            }
            return true;
        }
    }

    function wc_get_order($the_order = false)
    {
        return get_option("order_{$the_order}") === false ? false : new WC_Order((int) $the_order);
    }

    /** As the real one: keeps its record of the refund where the gateway has no error. */
    function wc_create_refund($args = [])
    {
        $order = wc_get_order($args['order_id']);
        $result = (new TrilhoPix\Gateway())->process_refund($args['order_id'], $args['amount'], $args['reason'] ?? '');
        if ($result === true) {
            wc_get_order($order->get_id())->change(['refunds' => [...get_option("order_{$order->get_id()}")['refunds'], $args['amount']]]);
        }
        return $result;
    }

    function get_woocommerce_currency()
    {
        return get_option('woocommerce_currency', 'BRL');
    }

    function wc_add_notice($message, $notice_type = 'success', $data = [])
    {
        $GLOBALS['notices'][] = $message;
    }

    function wc_get_logger()
    {
        return new class {
            public function warning($message, $context = [])
            {
                $GLOBALS['log'][] = $message;
            }
        };
    }

    function WC()
    {
        return (object) ['cart' => null];
    }
}

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
    abstract class AbstractPaymentMethodType
    {
        protected $name = '';
        protected $settings = [];

        public function get_name()
        {
            return $this->name;
        }
    }
}
