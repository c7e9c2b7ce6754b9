<?php

// Made from openapi.json by `npm run sdk:php`; do not edit.

declare(strict_types=1);

namespace Trilho\Resource;

use Trilho\Amount;
use Trilho\File;
use Trilho\Internal\Call;
use Trilho\Internal\Read;
use Trilho\Internal\Transport;
use Trilho\Model;
use Trilho\Omitted;
use Trilho\Page;

/** The operations of the API by what they are about. */
abstract class Resources
{
    public readonly Payments $payments;

    public readonly QrCodes $qrCodes;

    public readonly PaymentLinks $paymentLinks;

    public readonly Recurrences $recurrences;

    public readonly Refunds $refunds;

    public readonly Deposits $deposits;

    public readonly Meds $meds;

    public readonly TransferBatches $transferBatches;

    public readonly Transfers $transfers;

    public readonly Receipts $receipts;

    public readonly Limits $limits;

    public readonly Banks $banks;

    public readonly PixKeys $pixKeys;

    public readonly Providers $providers;

    public readonly Webhooks $webhooks;

    public readonly Events $events;

    public readonly Ledger $ledger;

    public readonly Reports $reports;

    public readonly Reconciliations $reconciliations;

    public readonly Health $health;

    /** @internal */
    protected function __construct(Transport $transport)
    {
        $this->payments = new Payments($transport);
        $this->qrCodes = new QrCodes($transport);
        $this->paymentLinks = new PaymentLinks($transport);
        $this->recurrences = new Recurrences($transport);
        $this->refunds = new Refunds($transport);
        $this->deposits = new Deposits($transport);
        $this->meds = new Meds($transport);
        $this->transferBatches = new TransferBatches($transport);
        $this->transfers = new Transfers($transport);
        $this->receipts = new Receipts($transport);
        $this->limits = new Limits($transport);
        $this->banks = new Banks($transport);
        $this->pixKeys = new PixKeys($transport);
        $this->providers = new Providers($transport);
        $this->webhooks = new Webhooks($transport);
        $this->events = new Events($transport);
        $this->ledger = new Ledger($transport);
        $this->reports = new Reports($transport);
        $this->reconciliations = new Reconciliations($transport);
        $this->health = new Health($transport);
    }
}

/** The operations of payments. */
final class Payments
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Create a charge.
     *
     * Answers when a provider has issued the payload. Send an `Idempotency-Key`: a repeated request then gets the
     * same answer and never a second charge. Token scope: `charges`.
     *
     * @param Amount|string|int|float $value Reais. 0 is an open amount, which the payer chooses: the code is a
     * static one where the provider issues no other, and then it does not expire
     * @param string $type PIX is the only type
     * @param string|null $externalRef Your reference, such as the number of an order
     * @param array{name: string, document: string}|null $finalBeneficiary
     * @param string|null $providerUuid The only provider to use; where absent, the default ones in their order. A
     * bound token always uses its own
     * @param list<array{type: string, value: Amount|int|float, recipient_account_uuid: string}>|null $splits
     * Shares of other accounts in what the charge brings in, at most the whole value; the pair of recipient and
     * type is unique
     * @param array{name: string, document: string, email?: string, address?: array{street: string, number?:
     * string, complement?: string, neighborhood?: string, city: string, state: string, zip_code: string}}|null
     * $debtor
     * @param bool|null $verifySender Only the `debtor` may pay. A PIX of another document never pays the charge:
     * it is returned or reviewed, as the account has chosen, and the charge stays PENDING
     * @param string|null $payerKind Only persons (CPF) or only companies (CNPJ) may pay PERSON, COMPANY.
     * @param string|null $match With `verify_sender`: FULL compares the whole document; ROOT allows every CNPJ
     * with the first eight characters of the debtor's. FULL where absent FULL, ROOT.
     * @param int|null $expiresIn Seconds until the charge can be paid no more, from 60 to 30 days; by default a
     * day. Without effect on a static code, which does not expire; not for a charge with a due date
     * @param array{on: string, payable_days_after?: int, fine?: array{type: string, value: Amount|int|float},
     * interest?: array{type: string, per: string, days: string, value: Amount|int|float}, abatement?: array{type:
     * string, value: Amount|int|float}, discount?: array{type: string, until?: list<array{on: string, value:
     * Amount|int|float}>, per_day?: array{days: string, value: Amount|int|float}}}|null $due
     * @param string|null $message Text that the payer is shown
     * @param list<array{name: string, value: string}>|null $additionalInfo Texts that the payer is shown besides
     * `message`, where the provider shows any
     * @param array<string, string>|null $metadata Texts of yours, at most 30
     */
    public function create(Amount|string|int|float $value, string $type = 'PIX', ?string $externalRef = null, ?array $finalBeneficiary = null, ?string $providerUuid = null, ?array $splits = null, ?array $debtor = null, ?bool $verifySender = null, ?string $payerKind = null, ?string $match = null, ?int $expiresIn = null, ?array $due = null, ?string $message = null, ?array $additionalInfo = null, ?array $metadata = null, ?string $idempotencyKey = null): Model\CreatedCharge
    {
        return $this->transport->send(new Call('createPayment', 'POST', '/api/v1/payments', 'application/json', body: ['value' => Amount::orOmitted($value), 'type' => $type, 'external_ref' => $externalRef, 'final_beneficiary' => $finalBeneficiary === null ? null : (object) $finalBeneficiary, 'provider_uuid' => $providerUuid, 'splits' => $splits, 'debtor' => $debtor === null ? null : (object) $debtor, 'verify_sender' => $verifySender, 'payer_kind' => $payerKind, 'match' => $match, 'expires_in' => $expiresIn, 'due' => $due === null ? null : (object) $due, 'message' => $message, 'additional_info' => $additionalInfo, 'metadata' => $metadata === null ? null : (object) $metadata], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\CreatedCharge::class));
    }

    /**
     * List charges.
     *
     * Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses; `UNDEFINED` is a charge that no provider
     * has issued yet
     * @param string|null $type Every payment is a PIX; `UNDEFINED` selects none UNDEFINED, PIX.
     * @param string|null $endToEnd Paid by the PIX with this end-to-end id
     * @param string|null $payerDocument Paid by the holder of this CPF or CNPJ
     * @param string|null $payerName The payer's name begins so, in any case; at least three characters
     * @param \DateTimeInterface|string|null $dueFrom Due on this day or later, in Brasília: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dueTo Due on this day or earlier, in Brasília: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $paymentDateFrom Paid on this day or later, in `time_zone`:
     * `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $paymentDateTo Paid on this day or earlier, in `time_zone`:
     * `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $externalRef With exactly this reference of the caller
     * @param string|null $txid With this txid on the rail
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param string|null $qrCodeUuid Paid to this static code of the account
     * @param string|null $recurrenceUuid Debits of this recurrence
     * @param string|null $paymentLinkUuid Created by this payment link, for its payers
     * @param Amount|string|int|float|null $valueMin `value` is at least this, in reais
     * @param Amount|string|int|float|null $valueMax `value` is at most this, in reais
     * @return Page<Model\Charge>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, ?string $type = null, ?string $endToEnd = null, ?string $payerDocument = null, ?string $payerName = null, \DateTimeInterface|string|null $dueFrom = null, \DateTimeInterface|string|null $dueTo = null, \DateTimeInterface|string|null $paymentDateFrom = null, \DateTimeInterface|string|null $paymentDateTo = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $externalRef = null, ?string $txid = null, ?string $providerUuid = null, ?string $qrCodeUuid = null, ?string $recurrenceUuid = null, ?string $paymentLinkUuid = null, Amount|string|int|float|null $valueMin = null, Amount|string|int|float|null $valueMax = null): Page
    {
        return $this->transport->send(new Call('listPayments', 'GET', '/api/v1/payments', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'uuid' => $uuid, 'status' => $status, 'type' => $type, 'end_to_end' => $endToEnd, 'payer_document' => $payerDocument, 'payer_name' => $payerName, 'due_from' => Call::day($dueFrom), 'due_to' => Call::day($dueTo), 'payment_date_from' => Call::day($paymentDateFrom), 'payment_date_to' => Call::day($paymentDateTo), 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo), 'external_ref' => $externalRef, 'txid' => $txid, 'provider_uuid' => $providerUuid, 'qr_code_uuid' => $qrCodeUuid, 'recurrence_uuid' => $recurrenceUuid, 'payment_link_uuid' => $paymentLinkUuid, 'value_min' => Amount::orNull($valueMin), 'value_max' => Amount::orNull($valueMax)]), Read::page(Model\Charge::class));
    }

    /**
     * List charges, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses; `UNDEFINED` is a charge that no provider
     * has issued yet
     * @param string|null $type Every payment is a PIX; `UNDEFINED` selects none UNDEFINED, PIX.
     * @param string|null $endToEnd Paid by the PIX with this end-to-end id
     * @param string|null $payerDocument Paid by the holder of this CPF or CNPJ
     * @param string|null $payerName The payer's name begins so, in any case; at least three characters
     * @param \DateTimeInterface|string|null $dueFrom Due on this day or later, in Brasília: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dueTo Due on this day or earlier, in Brasília: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $paymentDateFrom Paid on this day or later, in `time_zone`:
     * `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $paymentDateTo Paid on this day or earlier, in `time_zone`:
     * `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $externalRef With exactly this reference of the caller
     * @param string|null $txid With this txid on the rail
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param string|null $qrCodeUuid Paid to this static code of the account
     * @param string|null $recurrenceUuid Debits of this recurrence
     * @param string|null $paymentLinkUuid Created by this payment link, for its payers
     * @param Amount|string|int|float|null $valueMin `value` is at least this, in reais
     * @param Amount|string|int|float|null $valueMax `value` is at most this, in reais
     * @return \Generator<int, Model\Charge>
     */
    public function iterate(?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, ?string $type = null, ?string $endToEnd = null, ?string $payerDocument = null, ?string $payerName = null, \DateTimeInterface|string|null $dueFrom = null, \DateTimeInterface|string|null $dueTo = null, \DateTimeInterface|string|null $paymentDateFrom = null, \DateTimeInterface|string|null $paymentDateTo = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $externalRef = null, ?string $txid = null, ?string $providerUuid = null, ?string $qrCodeUuid = null, ?string $recurrenceUuid = null, ?string $paymentLinkUuid = null, Amount|string|int|float|null $valueMin = null, Amount|string|int|float|null $valueMax = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, uuid: $uuid, status: $status, type: $type, endToEnd: $endToEnd, payerDocument: $payerDocument, payerName: $payerName, dueFrom: $dueFrom, dueTo: $dueTo, paymentDateFrom: $paymentDateFrom, paymentDateTo: $paymentDateTo, dateFrom: $dateFrom, dateTo: $dateTo, externalRef: $externalRef, txid: $txid, providerUuid: $providerUuid, qrCodeUuid: $qrCodeUuid, recurrenceUuid: $recurrenceUuid, paymentLinkUuid: $paymentLinkUuid, valueMin: $valueMin, valueMax: $valueMax, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read a charge.
     *
     * With its refunds and the history of its statuses. Token scope: `read` or `charges`.
     */
    public function get(string $uuid): Model\Charge
    {
        return $this->transport->send(new Call('getPayment', 'GET', '/api/v1/payments/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Charge::class));
    }

    /**
     * Change a PENDING charge with a due date.
     *
     * At its provider first, then here; only what is named changes. Without an answer of the provider the charge
     * stays as it is, and the provider is asked until the result is known. A payment that has started wins. Token
     * scope: `charges`.
     *
     * @param Amount|string|int|float|Omitted $value Reais that the charge asks from now on, without its fees
     * @param array{on: string, payable_days_after?: int, fine?: array{type: string, value: Amount|int|float},
     * interest?: array{type: string, per: string, days: string, value: Amount|int|float}, abatement?: array{type:
     * string, value: Amount|int|float}, discount?: array{type: string, until?: list<array{on: string, value:
     * Amount|int|float}>, per_day?: array{days: string, value: Amount|int|float}}}|null $due Replaces the due date
     * with all that belongs to it
     * @param string|null $message Text that the payer is shown from now on; it can be replaced, not removed
     */
    public function revise(string $uuid, Amount|string|int|float|Omitted $value = Omitted::Value, ?array $due = null, ?string $message = null, ?string $idempotencyKey = null): Model\Charge
    {
        return $this->transport->send(new Call('revisePayment', 'PATCH', '/api/v1/payments/{uuid}', 'application/json', path: ['uuid' => $uuid], body: ['value' => Amount::orOmitted($value), 'due' => $due === null ? null : (object) $due, 'message' => $message], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Charge::class));
    }

    /**
     * The payload as a QR picture (SVG).
     *
     * Of `payment.payload`; 404 while no provider has issued one. Token scope: `read` or `charges`.
     */
    public function getQrSvg(string $uuid): string
    {
        return $this->transport->send(new Call('getPaymentQrSvg', 'GET', '/api/v1/payments/{uuid}/qr.svg', 'image/svg+xml', path: ['uuid' => $uuid]), Read::content());
    }

    /**
     * The payload as a QR picture (PNG).
     *
     * Of `payment.payload`; 404 while no provider has issued one. Token scope: `read` or `charges`.
     */
    public function getQrPng(string $uuid): string
    {
        return $this->transport->send(new Call('getPaymentQrPng', 'GET', '/api/v1/payments/{uuid}/qr.png', 'image/png', path: ['uuid' => $uuid]), Read::content());
    }

    /**
     * Try a failed debit of a recurrence again.
     *
     * On a later day, where the recurrence allows retries: three at most, within seven days after the due day.
     * Answers when its provider has accepted the retry, which `payment.tries` then shows. Token scope: `charges`.
     *
     * @param \DateTimeInterface|string $on Day of the retry in Brasília: after today, and within seven days after
     * the due day
     */
    public function retry(string $uuid, \DateTimeInterface|string $on, ?string $idempotencyKey = null): Model\Charge
    {
        return $this->transport->send(new Call('retryPayment', 'POST', '/api/v1/payments/{uuid}/retry', 'application/json', path: ['uuid' => $uuid], body: ['on' => Call::day($on)], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Charge::class));
    }

    /**
     * Cancel a PENDING charge.
     *
     * At its provider first, then here. Without an answer of the provider the charge stays PENDING, and the
     * provider is asked until the result is known. Token scope: `charges`.
     */
    public function cancel(string $uuid): Model\Charge
    {
        return $this->transport->send(new Call('cancelPayment', 'POST', '/api/v1/payments/{uuid}/cancel', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Charge::class));
    }

    /**
     * Refund a charge, whole or in part.
     *
     * Without `value`, all that is still refundable. Possible within 90 days of the payment, one refund of a
     * charge at a time. Answers when the provider has accepted the refund; the REFUND event says how it ends.
     * Token scope: `refunds`.
     *
     * @param Amount|string|int|float|Omitted $value Reais; what is still refundable where absent
     * @param string|null $description Why, in words for the payer: the provider gets them with the refund
     */
    public function refund(string $uuid, Amount|string|int|float|Omitted $value = Omitted::Value, ?string $description = null, ?string $idempotencyKey = null): Model\RefundResult
    {
        return $this->transport->send(new Call('refundPayment', 'POST', '/api/v1/payments/{uuid}/refund', 'application/json', path: ['uuid' => $uuid], body: ['value' => Amount::orOmitted($value), 'description' => $description], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\RefundResult::class));
    }

    /**
     * List the refunds of a charge.
     *
     * Newest first. `uuid` is the charge in each one, `refund.uuid` the refund. Token scope: `read` or `refunds`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @return Page<Model\RefundResult>
     */
    public function listRefunds(string $uuid, ?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null): Page
    {
        return $this->transport->send(new Call('listPaymentRefunds', 'GET', '/api/v1/payments/{uuid}/refunds', 'application/json', path: ['uuid' => $uuid], query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone]), Read::page(Model\RefundResult::class));
    }

    /**
     * List the refunds of a charge, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @return \Generator<int, Model\RefundResult>
     */
    public function iterateRefunds(string $uuid, ?string $timeZone = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->listRefunds($uuid, timeZone: $timeZone, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read a refund.
     *
     * `uuid` is the charge, `refund.uuid` the refund. Token scope: `read` or `refunds`.
     */
    public function getRefund(string $uuid, string $refund): Model\RefundResult
    {
        return $this->transport->send(new Call('getPaymentRefund', 'GET', '/api/v1/payments/{uuid}/refunds/{refund}', 'application/json', path: ['uuid' => $uuid, 'refund' => $refund]), Read::one(Model\RefundResult::class));
    }

    /**
     * Read the receipt of the payment of a charge.
     *
     * Once its money has settled. `official` tells whether its bank issues the PDF now; where a bank issues none,
     * or does not answer, this service does. What went back since is in `returns`. `authentication` never changes
     * while the secret key of the service stays. Token scope: `read` or `charges`.
     */
    public function getReceipt(string $uuid): Model\Receipt
    {
        return $this->transport->send(new Call('getPaymentReceipt', 'GET', '/api/v1/payments/{uuid}/receipt', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Receipt::class));
    }

    /**
     * Read the receipt of the payment of a charge as a PDF.
     *
     * Once its money has settled. Its bank's own where that issues one, in its language; else this service's, of
     * which equal receipts are equal bytes, at most 200 kB. Token scope: `read` or `charges`.
     *
     * @param string|null $language Language of the document; by default Portuguese pt-BR, en.
     */
    public function getReceiptPdf(string $uuid, ?string $language = null): string
    {
        return $this->transport->send(new Call('getPaymentReceiptPdf', 'GET', '/api/v1/payments/{uuid}/receipt.pdf', 'application/pdf', path: ['uuid' => $uuid], query: ['language' => $language]), Read::content());
    }

    /**
     * Read the receipt of a refund.
     *
     * Once its money has settled. `official` tells whether its bank issues the PDF now; where a bank issues none,
     * or does not answer, this service does. What went back since is in `returns`. `authentication` never changes
     * while the secret key of the service stays. Token scope: `read` or `refunds`.
     */
    public function getRefundReceipt(string $uuid, string $refund): Model\Receipt
    {
        return $this->transport->send(new Call('getPaymentRefundReceipt', 'GET', '/api/v1/payments/{uuid}/refunds/{refund}/receipt', 'application/json', path: ['uuid' => $uuid, 'refund' => $refund]), Read::one(Model\Receipt::class));
    }

    /**
     * Read the receipt of a refund as a PDF.
     *
     * Once its money has settled. Its bank's own where that issues one, in its language; else this service's, of
     * which equal receipts are equal bytes, at most 200 kB. Token scope: `read` or `refunds`.
     *
     * @param string|null $language Language of the document; by default Portuguese pt-BR, en.
     */
    public function getRefundReceiptPdf(string $uuid, string $refund, ?string $language = null): string
    {
        return $this->transport->send(new Call('getPaymentRefundReceiptPdf', 'GET', '/api/v1/payments/{uuid}/refunds/{refund}/receipt.pdf', 'application/pdf', path: ['uuid' => $uuid, 'refund' => $refund], query: ['language' => $language]), Read::content());
    }
}

/** The operations of qr codes. */
final class QrCodes
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Create a static QR code.
     *
     * A code that many payers pay, with a value of yours or of theirs. No provider is called. Each PIX to it is a
     * charge of its own, PAID from its beginning. Token scope: `charges`.
     *
     * @param string|null $providerUuid The only provider to use; where absent, the default ones in their order. A
     * bound token always uses its own
     * @param Amount|string|int|float|Omitted $value Reais that every payer is asked; 0, or absent, where the payer
     * chooses
     * @param string|null $reference The txid of every PIX to the code, one code of a provider account each; where
     * absent, one is made
     * @param string|null $description What the payer reads. It shares 99 bytes of the payload with the PIX key, so
     * that a long key leaves less
     * @param string|null $externalRef Your reference, which every charge of the code has
     * @param list<array{type: string, value: Amount|int|float, recipient_account_uuid: string}>|null $splits
     * Shares of other accounts in each charge of the code; only PERCENTAGE where the payer chooses the value
     * @param string|null $onPayment What becomes of a PIX of another value, or after the code was disabled: KEEP
     * makes it a charge like the others, RETURN sends it back to its payer KEEP, RETURN.
     * @param array<string, string>|null $metadata Texts of yours, at most 20
     */
    public function create(?string $providerUuid = null, Amount|string|int|float|Omitted $value = Omitted::Value, ?string $reference = null, ?string $description = null, ?string $externalRef = null, ?array $splits = null, ?string $onPayment = null, ?array $metadata = null, ?string $idempotencyKey = null): Model\QrCode
    {
        return $this->transport->send(new Call('createQrCode', 'POST', '/api/v1/qr-codes', 'application/json', body: ['provider_uuid' => $providerUuid, 'value' => Amount::orOmitted($value), 'reference' => $reference, 'description' => $description, 'external_ref' => $externalRef, 'splits' => $splits, 'on_payment' => $onPayment, 'metadata' => $metadata === null ? null : (object) $metadata], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\QrCode::class));
    }

    /**
     * List the QR codes of the account.
     *
     * Newest first. The code of a single charge is shown by that charge. Token scope: `read` or `charges`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses
     * @param string|null $reference With this reference
     * @param string|null $externalRef With exactly this reference of the caller
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return Page<Model\QrCode>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, ?string $reference = null, ?string $externalRef = null, ?string $providerUuid = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null): Page
    {
        return $this->transport->send(new Call('listQrCodes', 'GET', '/api/v1/qr-codes', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'uuid' => $uuid, 'status' => $status, 'reference' => $reference, 'external_ref' => $externalRef, 'provider_uuid' => $providerUuid, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo)]), Read::page(Model\QrCode::class));
    }

    /**
     * List the QR codes of the account, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses
     * @param string|null $reference With this reference
     * @param string|null $externalRef With exactly this reference of the caller
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return \Generator<int, Model\QrCode>
     */
    public function iterate(?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, ?string $reference = null, ?string $externalRef = null, ?string $providerUuid = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, uuid: $uuid, status: $status, reference: $reference, externalRef: $externalRef, providerUuid: $providerUuid, dateFrom: $dateFrom, dateTo: $dateTo, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read a QR code.
     *
     * With what it has received. Token scope: `read` or `charges`.
     */
    public function get(string $uuid): Model\QrCode
    {
        return $this->transport->send(new Call('getQrCode', 'GET', '/api/v1/qr-codes/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\QrCode::class));
    }

    /**
     * The code as a QR picture (SVG).
     *
     * Of `payload`, for printing. It never changes. Token scope: `read` or `charges`.
     */
    public function getQrSvg(string $uuid): string
    {
        return $this->transport->send(new Call('getQrCodeQrSvg', 'GET', '/api/v1/qr-codes/{uuid}/qr.svg', 'image/svg+xml', path: ['uuid' => $uuid]), Read::content());
    }

    /**
     * The code as a QR picture (PNG).
     *
     * Of `payload`, for printing. It never changes. Token scope: `read` or `charges`.
     */
    public function getQrPng(string $uuid): string
    {
        return $this->transport->send(new Call('getQrCodeQrPng', 'GET', '/api/v1/qr-codes/{uuid}/qr.png', 'image/png', path: ['uuid' => $uuid]), Read::content());
    }

    /**
     * List the charges of a QR code.
     *
     * Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $status In one of these statuses
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return Page<Model\Charge>
     */
    public function listPayments(string $uuid, ?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $status = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null): Page
    {
        return $this->transport->send(new Call('listQrCodePayments', 'GET', '/api/v1/qr-codes/{uuid}/payments', 'application/json', path: ['uuid' => $uuid], query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'status' => $status, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo)]), Read::page(Model\Charge::class));
    }

    /**
     * List the charges of a QR code, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $status In one of these statuses
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return \Generator<int, Model\Charge>
     */
    public function iteratePayments(string $uuid, ?string $timeZone = null, array|string|null $status = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->listPayments($uuid, timeZone: $timeZone, status: $status, dateFrom: $dateFrom, dateTo: $dateTo, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Disable a QR code.
     *
     * The code can still be paid, because the banks of payers ask nobody about a static code: such a PIX becomes
     * what `on_payment` says. A second time changes nothing. Token scope: `charges`.
     */
    public function disable(string $uuid): Model\QrCode
    {
        return $this->transport->send(new Call('disableQrCode', 'POST', '/api/v1/qr-codes/{uuid}/disable', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\QrCode::class));
    }

    /**
     * Read a PIX code before it is paid.
     *
     * Checks the code and reads the charge at the bank of its receiver, whose signature is verified. Nothing is
     * paid. What the code says may change until it is paid: that bank is asked again then. Token scope:
     * `transfers`.
     *
     * @param string $payload The copy-and-paste PIX code; blanks around it do not count
     * @param \DateTimeInterface|string|null $payOn The day of payment in Brasília, for which a charge with a due
     * date is read; default: today
     * @param string|null $codMun The municipality of the payer by the table of the IBGE, whose holidays count
     */
    public function read(string $payload, \DateTimeInterface|string|null $payOn = null, ?string $codMun = null): Model\CodeReading
    {
        return $this->transport->send(new Call('readQrCode', 'POST', '/api/v1/qr-codes/read', 'application/json', body: ['payload' => $payload, 'pay_on' => Call::day($payOn), 'cod_mun' => $codMun]), Read::one(Model\CodeReading::class));
    }

    /**
     * Read what was read of a PIX code.
     *
     * As it was read then, for thirty days. Token scope: `read` or `transfers`.
     */
    public function getReading(string $reading): Model\CodeReading
    {
        return $this->transport->send(new Call('getCodeReading', 'GET', '/api/v1/qr-codes/read/{reading}', 'application/json', path: ['reading' => $reading]), Read::one(Model\CodeReading::class));
    }
}

/** The operations of payment links. */
final class PaymentLinks
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Create a payment link.
     *
     * For a charge: its page. For a value: a page whose button creates a charge for the payer, as `POST /payments`
     * would, as often as `max_payments` and until `expires_at` allow. The charges have the events of any charge.
     * Token scope: `charges`.
     *
     * @param string|null $chargeUuid The charge that the link shows; a charge has one link that works. Without it
     * the link creates charges of `value`
     * @param string|null $message Text that the payer reads on the page, and that each charge of the link has
     * @param Amount|string|int|float|Omitted $value Reais that each payer is asked
     * @param string|null $externalRef Your reference, which every charge of the link has
     * @param string|null $providerUuid The only provider to use; where absent, the default ones in their order. A
     * bound token always uses its own
     * @param list<array{type: string, value: Amount|int|float, recipient_account_uuid: string}>|null $splits
     * Shares of other accounts in each charge of the link
     * @param int|null $expiresIn Seconds until the charge can be paid no more, from 60 to 30 days; by default a
     * day. Without effect on a static code, which does not expire; not for a charge with a due date
     * @param array<string, string>|null $metadata Texts of yours, at most 30
     * @param int|null $maxPayments Most charges of the link that are paid or can be paid at one time, by default
     * 1. One that expires, fails or is cancelled unpaid frees its place
     * @param \DateTimeInterface|string|null $expiresAt Until then payers may ask for a code: ISO 8601 with offset,
     * in the future, at most 366 days ahead. Without it the link works until it is revoked
     */
    public function create(?string $chargeUuid = null, ?string $message = null, Amount|string|int|float|Omitted $value = Omitted::Value, ?string $externalRef = null, ?string $providerUuid = null, ?array $splits = null, ?int $expiresIn = null, ?array $metadata = null, ?int $maxPayments = null, \DateTimeInterface|string|null $expiresAt = null, ?string $idempotencyKey = null): Model\PaymentLink
    {
        return $this->transport->send(new Call('createPaymentLink', 'POST', '/api/v1/payment-links', 'application/json', body: ['charge_uuid' => $chargeUuid, 'message' => $message, 'value' => Amount::orOmitted($value), 'external_ref' => $externalRef, 'provider_uuid' => $providerUuid, 'splits' => $splits, 'expires_in' => $expiresIn, 'metadata' => $metadata === null ? null : (object) $metadata, 'max_payments' => $maxPayments, 'expires_at' => $expiresAt], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\PaymentLink::class));
    }

    /**
     * List payment links.
     *
     * Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param string|null $chargeUuid Of this charge
     * @param string|null $externalRef With exactly this reference of the caller
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return Page<Model\PaymentLink>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $uuid = null, ?string $chargeUuid = null, ?string $externalRef = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null): Page
    {
        return $this->transport->send(new Call('listPaymentLinks', 'GET', '/api/v1/payment-links', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'uuid' => $uuid, 'charge_uuid' => $chargeUuid, 'external_ref' => $externalRef, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo)]), Read::page(Model\PaymentLink::class));
    }

    /**
     * List payment links, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param string|null $chargeUuid Of this charge
     * @param string|null $externalRef With exactly this reference of the caller
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return \Generator<int, Model\PaymentLink>
     */
    public function iterate(?string $timeZone = null, array|string|null $uuid = null, ?string $chargeUuid = null, ?string $externalRef = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, uuid: $uuid, chargeUuid: $chargeUuid, externalRef: $externalRef, dateFrom: $dateFrom, dateTo: $dateTo, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read a payment link.
     *
     * With its address and what takes its places. Token scope: `read` or `charges`.
     */
    public function get(string $uuid): Model\PaymentLink
    {
        return $this->transport->send(new Call('getPaymentLink', 'GET', '/api/v1/payment-links/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\PaymentLink::class));
    }

    /**
     * Revoke a payment link.
     *
     * Its page says so, and creates no further charge. Charges that exist stay: who has a code can still pay it. A
     * second time changes nothing. Token scope: `charges`.
     */
    public function revoke(string $uuid): Model\PaymentLink
    {
        return $this->transport->send(new Call('revokePaymentLink', 'POST', '/api/v1/payment-links/{uuid}/revoke', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\PaymentLink::class));
    }
}

/** The operations of recurrences. */
final class Recurrences
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Create a recurrence.
     *
     * Pix Automático: the payer authorizes it once in their bank, and is then debited each cycle. Answers when a
     * provider has created it; a RECURRENCE event tells what the payer has decided. Token scope: `charges`.
     *
     * @param Amount|string|int|float|Omitted $value Reais of each charge, without its fee; where absent, each
     * charge names its own
     * @param Amount|string|int|float|Omitted $minimumValue Without `value`: the least that the payer may choose as
     * their own limit of a charge
     * @param string $frequency  WEEKLY, MONTHLY, QUARTERLY, SEMIANNUAL, ANNUAL.
     * @param \DateTimeInterface|string $startsOn Due day of the first cycle, in Brasília; within a year
     * @param \DateTimeInterface|string|null $endsOn The last day on which a charge may be due; where absent, it
     * has no end
     * @param string $contract Your contract with the payer, at most 35 characters
     * @param string|null $subject What is paid for, as the bank of the payer shows it; at most 35 characters
     * @param array{name: string, document: string, address?: array{street: string, number?: string, complement?:
     * string, neighborhood?: string, city: string, state: string, zip_code: string}} $debtor
     * @param string $retryPolicy Whether a debit that failed may be tried again, three times within seven days
     * NOT_ALLOWED, THREE_IN_SEVEN_DAYS.
     * @param string $journey How the payer authorizes it: REQUEST, which their bank shows them; QR, a code that
     * they read; QR_WITH_PAYMENT, a code that also pays `first_charge`; PAYMENT_THEN_OFFER, an offer of their bank
     * once they have paid `first_charge`, which has a due date REQUEST, QR, QR_WITH_PAYMENT, PAYMENT_THEN_OFFER.
     * @param array{value: Amount|int|float, type: string, external_ref?: string, final_beneficiary?: array{name:
     * string, document: string}, splits?: list<array{type: string, value: Amount|int|float,
     * recipient_account_uuid: string}>, debtor?: array{name: string, document: string, email?: string, address?:
     * array{street: string, number?: string, complement?: string, neighborhood?: string, city: string, state:
     * string, zip_code: string}}, verify_sender?: bool, payer_kind?: string, match?: string, expires_in?: int,
     * due?: array{on: string, payable_days_after?: int, fine?: array{type: string, value: Amount|int|float},
     * interest?: array{type: string, per: string, days: string, value: Amount|int|float}, abatement?: array{type:
     * string, value: Amount|int|float}, discount?: array{type: string, until?: list<array{on: string, value:
     * Amount|int|float}>, per_day?: array{days: string, value: Amount|int|float}}}, message?: string,
     * additional_info?: list<array{name: string, value: string}>, metadata?: array<string, string>}|null
     * $firstCharge Needed by the journeys QR_WITH_PAYMENT and PAYMENT_THEN_OFFER: a charge that the code also pays
     * @param array{ispb: string, agency?: string, account: string}|null $payerAccount Needed by the journey
     * REQUEST
     * @param \DateTimeInterface|string|null $requestExpiresAt Of the journey REQUEST: until when the payer may
     * decide; by default seven days
     * @param string|null $generate AUTOMATIC creates the charge of each cycle; MANUAL leaves it to you. AUTOMATIC
     * where `value` is sent, else MANUAL AUTOMATIC, MANUAL.
     * @param int|null $daysBefore Days before the due day on which a charge is created, at 09:00 in Brasília
     * @param list<array{type: string, value: Amount|int|float, recipient_account_uuid: string}>|null $splits
     * Shares of other accounts in each charge that is created for it
     * @param string|null $externalRef Your reference, such as the number of an order
     * @param string|null $providerUuid The only provider to use; where absent, the default ones in their order. A
     * bound token always uses its own
     * @param array<string, string>|null $metadata Texts of yours, at most 20
     */
    public function create(string $frequency, \DateTimeInterface|string $startsOn, string $contract, array $debtor, string $retryPolicy, string $journey, Amount|string|int|float|Omitted $value = Omitted::Value, Amount|string|int|float|Omitted $minimumValue = Omitted::Value, \DateTimeInterface|string|null $endsOn = null, ?string $subject = null, ?array $firstCharge = null, ?array $payerAccount = null, \DateTimeInterface|string|null $requestExpiresAt = null, ?string $generate = null, ?int $daysBefore = null, ?array $splits = null, ?string $externalRef = null, ?string $providerUuid = null, ?array $metadata = null, ?string $idempotencyKey = null): Model\Recurrence
    {
        return $this->transport->send(new Call('createRecurrence', 'POST', '/api/v1/recurrences', 'application/json', body: ['value' => Amount::orOmitted($value), 'minimum_value' => Amount::orOmitted($minimumValue), 'frequency' => $frequency, 'starts_on' => Call::day($startsOn), 'ends_on' => Call::day($endsOn), 'contract' => $contract, 'subject' => $subject, 'debtor' => (object) $debtor, 'retry_policy' => $retryPolicy, 'journey' => $journey, 'first_charge' => $firstCharge === null ? null : (object) $firstCharge, 'payer_account' => $payerAccount === null ? null : (object) $payerAccount, 'request_expires_at' => $requestExpiresAt, 'generate' => $generate, 'days_before' => $daysBefore, 'splits' => $splits, 'external_ref' => $externalRef, 'provider_uuid' => $providerUuid, 'metadata' => $metadata === null ? null : (object) $metadata], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Recurrence::class));
    }

    /**
     * List recurrences.
     *
     * Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses
     * @param string|null $externalRef With exactly this reference of the caller
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param bool|null $isPastDue Whether the last due charge is not paid
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return Page<Model\Recurrence>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, ?string $externalRef = null, ?string $providerUuid = null, ?bool $isPastDue = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null): Page
    {
        return $this->transport->send(new Call('listRecurrences', 'GET', '/api/v1/recurrences', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'uuid' => $uuid, 'status' => $status, 'external_ref' => $externalRef, 'provider_uuid' => $providerUuid, 'is_past_due' => $isPastDue, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo)]), Read::page(Model\Recurrence::class));
    }

    /**
     * List recurrences, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses
     * @param string|null $externalRef With exactly this reference of the caller
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param bool|null $isPastDue Whether the last due charge is not paid
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return \Generator<int, Model\Recurrence>
     */
    public function iterate(?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, ?string $externalRef = null, ?string $providerUuid = null, ?bool $isPastDue = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, uuid: $uuid, status: $status, externalRef: $externalRef, providerUuid: $providerUuid, isPastDue: $isPastDue, dateFrom: $dateFrom, dateTo: $dateTo, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read a recurrence.
     *
     * With its next charge and the history of its statuses. Token scope: `read` or `charges`.
     */
    public function get(string $uuid): Model\Recurrence
    {
        return $this->transport->send(new Call('getRecurrence', 'GET', '/api/v1/recurrences/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Recurrence::class));
    }

    /**
     * The payload of a recurrence as a QR picture (SVG).
     *
     * Of `payload`; 404 of the journey REQUEST, and while the provider does not show one. Token scope: `read` or
     * `charges`.
     */
    public function getQrSvg(string $uuid): string
    {
        return $this->transport->send(new Call('getRecurrenceQrSvg', 'GET', '/api/v1/recurrences/{uuid}/qr.svg', 'image/svg+xml', path: ['uuid' => $uuid]), Read::content());
    }

    /**
     * The payload of a recurrence as a QR picture (PNG).
     *
     * Of `payload`; 404 of the journey REQUEST, and while the provider does not show one. Token scope: `read` or
     * `charges`.
     */
    public function getQrPng(string $uuid): string
    {
        return $this->transport->send(new Call('getRecurrenceQrPng', 'GET', '/api/v1/recurrences/{uuid}/qr.png', 'image/png', path: ['uuid' => $uuid]), Read::content());
    }

    /**
     * Cancel a recurrence.
     *
     * At its provider first, then here; its debits that are not made yet are cancelled with it. Without an answer
     * of the provider it stays as it is, and the provider is asked until the result is known. Token scope:
     * `charges`.
     */
    public function cancel(string $uuid): Model\Recurrence
    {
        return $this->transport->send(new Call('cancelRecurrence', 'POST', '/api/v1/recurrences/{uuid}/cancel', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Recurrence::class));
    }

    /**
     * Create the charge of a cycle.
     *
     * Of an ACTIVE recurrence, 2 to 10 days before its due day; a cycle has one charge. Answers when the provider
     * has made the debit. A PAYMENT event tells how it ends. Token scope: `charges`.
     *
     * @param Amount|string|int|float|Omitted $value Reais; where absent, the value of the recurrence
     * @param \DateTimeInterface|string $dueOn Due day in Brasília, 2 to 10 days from today; its cycle has no other
     * charge
     * @param string|null $message Text that the payer is shown
     * @param string|null $externalRef Your reference, such as the number of an order
     * @param list<array{type: string, value: Amount|int|float, recipient_account_uuid: string}>|null $splits
     * Shares of other accounts in what the charge brings in
     */
    public function charge(string $uuid, \DateTimeInterface|string $dueOn, Amount|string|int|float|Omitted $value = Omitted::Value, ?string $message = null, ?string $externalRef = null, ?array $splits = null, ?string $idempotencyKey = null): Model\CreatedCharge
    {
        return $this->transport->send(new Call('chargeRecurrence', 'POST', '/api/v1/recurrences/{uuid}/charges', 'application/json', path: ['uuid' => $uuid], body: ['value' => Amount::orOmitted($value), 'due_on' => Call::day($dueOn), 'message' => $message, 'external_ref' => $externalRef, 'splits' => $splits], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\CreatedCharge::class));
    }
}

/** The operations of refunds. */
final class Refunds
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List the refunds of all charges.
     *
     * Newest first. Each one under its own uuid, with its charge; what a provider returned for a dispute is a
     * refund, too. Token scope: `read` or `refunds`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param string|null $chargeUuid Of this charge
     * @param string|null $endToEnd Sent by the PIX with this end-to-end id, which is not that of the payment
     * @return Page<Model\ListedRefund>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $providerUuid = null, ?string $chargeUuid = null, ?string $endToEnd = null): Page
    {
        return $this->transport->send(new Call('listRefunds', 'GET', '/api/v1/refunds', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'uuid' => $uuid, 'status' => $status, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo), 'provider_uuid' => $providerUuid, 'charge_uuid' => $chargeUuid, 'end_to_end' => $endToEnd]), Read::page(Model\ListedRefund::class));
    }

    /**
     * List the refunds of all charges, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param string|null $chargeUuid Of this charge
     * @param string|null $endToEnd Sent by the PIX with this end-to-end id, which is not that of the payment
     * @return \Generator<int, Model\ListedRefund>
     */
    public function iterate(?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $providerUuid = null, ?string $chargeUuid = null, ?string $endToEnd = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, uuid: $uuid, status: $status, dateFrom: $dateFrom, dateTo: $dateTo, providerUuid: $providerUuid, chargeUuid: $chargeUuid, endToEnd: $endToEnd, perPage: $perPage, cursor: $cursor));
    }
}

/** The operations of deposits. */
final class Deposits
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Read a deposit and its return.
     *
     * A received PIX that pays no charge, by the `uuid` of its PIX_TRANSACTION event or of its line in the ledger.
     * `return` is null while it stays with the account. Once it is assigned to a QR code, `charge_uuid` names the
     * charge that it pays. Token scope: `read` or `refunds`.
     */
    public function get(string $uuid): Model\Deposit
    {
        return $this->transport->send(new Call('getDeposit', 'GET', '/api/v1/deposits/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Deposit::class));
    }

    /**
     * Return a deposit to its payer.
     *
     * The whole value, within 90 days of the payment; a part of it is not returned. Answers when the money is
     * held; the PIX_TRANSACTION event of the return, with the deposit as its `original_uuid`, says how it ends.
     * Token scope: `refunds`.
     */
    public function returnToPayer(string $uuid, ?string $idempotencyKey = null): Model\Deposit
    {
        return $this->transport->send(new Call('returnDeposit', 'POST', '/api/v1/deposits/{uuid}/return', 'application/json', path: ['uuid' => $uuid], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Deposit::class));
    }

    /**
     * Assign a deposit to a QR code.
     *
     * A PIX from which the app of the payer left the txid out pays the code that you name, as if it had named it:
     * a charge that is PAID at once, or the PENDING charge of the code, with the fee and the splits of the code.
     * Once, and for good: the charge can be refunded. Token scope: `refunds`.
     *
     * @param string $qrCodeUuid The QR code that the payer has paid, or the charge whose static code it was
     */
    public function assign(string $uuid, string $qrCodeUuid, ?string $idempotencyKey = null): Model\Charge
    {
        return $this->transport->send(new Call('assignDeposit', 'POST', '/api/v1/deposits/{uuid}/assign', 'application/json', path: ['uuid' => $uuid], body: ['qr_code_uuid' => $qrCodeUuid], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Charge::class));
    }
}

/** The operations of meds. */
final class Meds
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List disputes.
     *
     * Newest first. Each one as its own GET shows it. Token scope: `read` or `refunds`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses; `UNDEFINED` selects none
     * @param list<string>|string|null $medType RECEIVED_MED claims a payment of a charge back, REQUESTED_MED a
     * transfer
     * @param list<string>|string|null $disputeType With one of these reasons
     * @param bool|null $resolved Whether the dispute is closed
     * @param bool|null $open Whether it awaits a reply or a decision: PENDING or PROCESSING, and not resolved
     * @param bool|null $contestable Whether money was returned by it that may be contested now, and was not yet
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return Page<Model\Dispute>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, array|string|null $medType = null, array|string|null $disputeType = null, ?bool $resolved = null, ?bool $open = null, ?bool $contestable = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null): Page
    {
        return $this->transport->send(new Call('listMeds', 'GET', '/api/v1/meds', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'uuid' => $uuid, 'status' => $status, 'med_type' => $medType, 'dispute_type' => $disputeType, 'resolved' => $resolved, 'open' => $open, 'contestable' => $contestable, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo)]), Read::page(Model\Dispute::class));
    }

    /**
     * List disputes, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses; `UNDEFINED` selects none
     * @param list<string>|string|null $medType RECEIVED_MED claims a payment of a charge back, REQUESTED_MED a
     * transfer
     * @param list<string>|string|null $disputeType With one of these reasons
     * @param bool|null $resolved Whether the dispute is closed
     * @param bool|null $open Whether it awaits a reply or a decision: PENDING or PROCESSING, and not resolved
     * @param bool|null $contestable Whether money was returned by it that may be contested now, and was not yet
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return \Generator<int, Model\Dispute>
     */
    public function iterate(?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, array|string|null $medType = null, array|string|null $disputeType = null, ?bool $resolved = null, ?bool $open = null, ?bool $contestable = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, uuid: $uuid, status: $status, medType: $medType, disputeType: $disputeType, resolved: $resolved, open: $open, contestable: $contestable, dateFrom: $dateFrom, dateTo: $dateTo, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Ask for the money of a transfer back.
     *
     * For fraud, coercion and access by others, within 80 days of the settlement, once for ever for each transfer.
     * Answers once the provider has the request, or with PENDING where it does not answer in time; MED events tell
     * how far it has come. What other banks return of it is credited as it arrives. Token scope: `refunds`.
     *
     * @param string $transferUuid A settled transfer of the account
     * @param string $disputeType What has happened. A quarrel about goods, or an own mistake, is none of these
     * UNDEFINED, SCAM, WRONG_TRANSACTION, COERCION_CRIME, UNAUTHORIZED_ACCESS.
     * @param string $details What has happened, for the analysts of the banks
     */
    public function request(string $transferUuid, string $disputeType, string $details, ?string $idempotencyKey = null): Model\Dispute
    {
        return $this->transport->send(new Call('requestMed', 'POST', '/api/v1/meds', 'application/json', body: ['transfer_uuid' => $transferUuid, 'dispute_type' => $disputeType, 'details' => $details], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Dispute::class));
    }

    /**
     * Read a dispute.
     *
     * With the links of its attachments, which are signed and expire. Token scope: `read` or `refunds`.
     */
    public function get(string $uuid): Model\Dispute
    {
        return $this->transport->send(new Call('getMed', 'GET', '/api/v1/meds/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Dispute::class));
    }

    /**
     * Read what is recorded of a disputed PIX as a PDF.
     *
     * The dispute, its PIX, the charge or transfer that it belongs to with its history, and the names of the
     * attachments: to attach to a reply, or to hand to a bank. Equal bytes until the dispute changes. Token scope:
     * `read` or `refunds`.
     *
     * @param string|null $language Language of the document; by default Portuguese pt-BR, en.
     */
    public function getEvidencePdf(string $uuid, ?string $language = null): string
    {
        return $this->transport->send(new Call('getMedEvidencePdf', 'GET', '/api/v1/meds/{uuid}/evidence.pdf', 'application/pdf', path: ['uuid' => $uuid], query: ['language' => $language]), Read::content());
    }

    /**
     * Cancel a dispute that the account has requested.
     *
     * At its provider first, then here. Without an answer of the provider it stays as it is, and the provider is
     * asked until the result is known. The transfer cannot be disputed again. Token scope: `refunds`.
     */
    public function cancel(string $uuid): Model\Dispute
    {
        return $this->transport->send(new Call('cancelMed', 'POST', '/api/v1/meds/{uuid}/cancel', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Dispute::class));
    }

    /**
     * Answer a dispute.
     *
     * Once, while the dispute is PENDING and about money received. The response is PROCESSING; then the reply is
     * sent to the provider. Token scope: `refunds`.
     *
     * @param bool $accept `1` or `true` accepts: the money goes back. `0` or `false` rejects
     * @param string $analysis Why; a provider may accept fewer characters, with links to the files: then 422 says
     * how many
     * @param list<File>|null $attachments Proofs, at most 10, sent as `attachments[0][file]`,
     * `attachments[1][file]`, …
     */
    public function reply(string $uuid, bool $accept, string $analysis, array $attachments = [], ?string $idempotencyKey = null): Model\Dispute
    {
        return $this->transport->send(new Call('replyToMed', 'POST', '/api/v1/meds/{uuid}/reply', 'application/json', path: ['uuid' => $uuid], body: ['accept' => $accept, 'analysis' => $analysis], files: $attachments, isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Dispute::class));
    }

    /**
     * Contest what was returned by a dispute.
     *
     * Once, until `contestable_until` of a RECEIVED_MED. No provider takes it by its API: it is PENDING until the
     * operator of the service has handed it to the provider, then PROCESSING until the decision. MED events tell
     * both. Token scope: `refunds`.
     *
     * @param string $analysis Why the money should not have been returned
     * @param list<File>|null $attachments Proofs, at most 10, sent as `attachments[0][file]`,
     * `attachments[1][file]`, …
     */
    public function contest(string $uuid, string $analysis, array $attachments = [], ?string $idempotencyKey = null): Model\Dispute
    {
        return $this->transport->send(new Call('contestMed', 'POST', '/api/v1/meds/{uuid}/contest', 'application/json', path: ['uuid' => $uuid], body: ['analysis' => $analysis], files: $attachments, isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Dispute::class));
    }
}

/** The operations of transfer batches. */
final class TransferBatches
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Send money to many PIX keys, bank accounts and PIX codes.
     *
     * Up to 5,000 items, checked before anything is stored: an error names the field (`items.12.value`). Each item
     * becomes a transfer of its own, which limits and balance may refuse when it is started. With `text/csv` the
     * body is a table with the columns `value`, `external_ref`, `pix_key`, `payload`, `document` and
     * `description`, and of bank accounts `name`, `ispb` or `bank_code`, `agency`, `account` and `account_type`,
     * or their Portuguese names, and the other fields are sent in the query; an error names the line
     * (`lines.14.value`). Token scope: `transfers`.
     *
     * @param string|null $name
     * @param string|null $mode EACH: an item that fails stops no other; by default. ALL_VALID: the items must be
     * within the limits of one transfer when they are ordered, and none is started after one has failed ALL_VALID,
     * EACH.
     * @param string|null $onShortBalance Of an item that the available balance does not cover: FAIL, by default,
     * or WAIT, with those after it WAIT, FAIL.
     * @param \DateTimeInterface|string|null $scheduledFor ISO 8601 with offset, in the future, at most 90 days
     * ahead: no item is sent before
     * @param string|null $providerUuid The only provider to use; where absent, the default ones in their order. A
     * bound token always uses its own
     * @param list<array{value: Amount|int|float, pix_key?: string, receiver?: array{name: string, document:
     * string, ispb?: string, bank_code?: string, agency: string, account: string, account_type: string}, payload?:
     * string, document?: string, external_ref: string, final_beneficiary?: array{name: string, document: string},
     * allow_duplicate?: bool, description?: string}> $items
     */
    public function create(array $items, ?string $name = null, ?string $mode = null, ?string $onShortBalance = null, \DateTimeInterface|string|null $scheduledFor = null, ?string $providerUuid = null, ?string $idempotencyKey = null): Model\TransferBatch
    {
        return $this->transport->send(new Call('createTransferBatch', 'POST', '/api/v1/transfers/batches', 'application/json', body: ['name' => $name, 'mode' => $mode, 'on_short_balance' => $onShortBalance, 'scheduled_for' => $scheduledFor, 'provider_uuid' => $providerUuid, 'items' => $items], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\TransferBatch::class));
    }

    /**
     * List batches of transfers.
     *
     * Newest first, with the counts of their items. Token scope: `read` or `transfers`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return Page<Model\TransferBatch>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null): Page
    {
        return $this->transport->send(new Call('listTransferBatches', 'GET', '/api/v1/transfers/batches', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'uuid' => $uuid, 'status' => $status, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo)]), Read::page(Model\TransferBatch::class));
    }

    /**
     * List batches of transfers, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return \Generator<int, Model\TransferBatch>
     */
    public function iterate(?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, uuid: $uuid, status: $status, dateFrom: $dateFrom, dateTo: $dateTo, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read a batch of transfers.
     *
     * With the counts of its items; `waiting_for` says why no further item is started. Token scope: `read` or
     * `transfers`.
     */
    public function get(string $batch): Model\TransferBatch
    {
        return $this->transport->send(new Call('getTransferBatch', 'GET', '/api/v1/transfers/batches/{batch}', 'application/json', path: ['batch' => $batch]), Read::one(Model\TransferBatch::class));
    }

    /**
     * List the items of a batch.
     *
     * In the order in which they were sent. One that was started has a `transfer_uuid`. Token scope: `read` or
     * `transfers`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $status In one of these statuses; an item that was not started is PENDING
     * @return Page<Model\TransferBatchItem>
     */
    public function listItems(string $batch, ?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $status = null): Page
    {
        return $this->transport->send(new Call('listTransferBatchItems', 'GET', '/api/v1/transfers/batches/{batch}/items', 'application/json', path: ['batch' => $batch], query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'status' => $status]), Read::page(Model\TransferBatchItem::class));
    }

    /**
     * List the items of a batch, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $status In one of these statuses; an item that was not started is PENDING
     * @return \Generator<int, Model\TransferBatchItem>
     */
    public function iterateItems(string $batch, ?string $timeZone = null, array|string|null $status = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->listItems($batch, timeZone: $timeZone, status: $status, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Approve a batch that is DRAFT.
     *
     * By a person who has not ordered it. It is PROCESSING once as many persons as its account requires have
     * approved its sum. Token scope: `transfers`.
     */
    public function approve(string $batch): Model\TransferBatch
    {
        return $this->transport->send(new Call('approveTransferBatch', 'POST', '/api/v1/transfers/batches/{batch}/approve', 'application/json', path: ['batch' => $batch]), Read::one(Model\TransferBatch::class));
    }

    /**
     * Reject a batch that is DRAFT.
     *
     * By a person who has not ordered it. It is CANCELLED, and no item is started. Token scope: `transfers`.
     *
     * @param string $reason Why it is not sent; shown with the transfer
     */
    public function reject(string $batch, string $reason): Model\TransferBatch
    {
        return $this->transport->send(new Call('rejectTransferBatch', 'POST', '/api/v1/transfers/batches/{batch}/reject', 'application/json', path: ['batch' => $batch], body: ['reason' => $reason]), Read::one(Model\TransferBatch::class));
    }

    /**
     * Cancel a batch.
     *
     * Possible while it is DRAFT or PROCESSING. Items that were started go on. Token scope: `transfers`.
     */
    public function cancel(string $batch): Model\TransferBatch
    {
        return $this->transport->send(new Call('cancelTransferBatch', 'POST', '/api/v1/transfers/batches/{batch}/cancel', 'application/json', path: ['batch' => $batch]), Read::one(Model\TransferBatch::class));
    }
}

/** The operations of transfers. */
final class Transfers
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Send money to a PIX key.
     *
     * Answers PROCESSING when a provider has accepted, or after ten seconds without an outcome; 400 with the
     * stored transfer (`status` FAILED, `error`) when all providers have rejected it. Token scope: `transfers`.
     *
     * @param Amount|string|int|float $value Reais, at most two decimals
     * @param string|null $type PIX is the only type
     * @param string $pixKey Key of the recipient, at most 77 characters: CPF, CNPJ, e-mail, mobile with `+55`, or
     * random key
     * @param string|null $document CPF or CNPJ of the recipient: the provider must confirm that the key belongs to
     * it
     * @param string|null $lookupUuid Look-up of `pix_key` within the last 15 minutes: the transfer goes to the
     * receiver that it has shown
     * @param string|null $onMismatch Only with `lookup_uuid`: what happens where the look-up does not match its
     * document or name, or the key has another owner before it is sent; REFUSE where absent REFUSE, WARN.
     * @param string|null $externalRef Your reference, such as the number of an order
     * @param string|null $providerUuid The only provider to use; where absent, the default ones in their order. A
     * bound token always uses its own
     * @param array{name: string, document: string}|null $finalBeneficiary
     * @param \DateTimeInterface|string|null $scheduledFor ISO 8601 with offset, in the future, at most 90 days
     * ahead
     * @param bool|null $allowDuplicate Send it though the same value was sent to the same receiver within the
     * seconds of `duplicate_guard`
     */
    public function create(Amount|string|int|float $value, string $pixKey, ?string $type = null, ?string $document = null, ?string $lookupUuid = null, ?string $onMismatch = null, ?string $externalRef = null, ?string $providerUuid = null, ?array $finalBeneficiary = null, \DateTimeInterface|string|null $scheduledFor = null, ?bool $allowDuplicate = null, ?string $idempotencyKey = null): Model\Transfer
    {
        return $this->transport->send(new Call('createTransfer', 'POST', '/api/v1/transfers', 'application/json', body: ['value' => Amount::orOmitted($value), 'type' => $type, 'pix_key' => $pixKey, 'document' => $document, 'lookup_uuid' => $lookupUuid, 'on_mismatch' => $onMismatch, 'external_ref' => $externalRef, 'provider_uuid' => $providerUuid, 'final_beneficiary' => $finalBeneficiary === null ? null : (object) $finalBeneficiary, 'scheduled_for' => $scheduledFor, 'allow_duplicate' => $allowDuplicate], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Transfer::class));
    }

    /**
     * List transfers.
     *
     * Newest first. Each one as its own GET shows it. Token scope: `read` or `transfers`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses; `UNDEFINED` selects none
     * @param string|null $type Every payment is a PIX; `UNDEFINED` selects none UNDEFINED, PIX.
     * @param \DateTimeInterface|string|null $transferDateFrom Settled on this day or later, in `time_zone`:
     * `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $transferDateTo Settled on this day or earlier, in `time_zone`:
     * `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $externalRef With exactly this reference of the caller
     * @param string|null $endToEnd Sent by the PIX with this end-to-end id
     * @param string|null $pixKey Sent to this key; a blank is read as `+`, which no key contains unencoded
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param string|null $batchUuid Items of this batch
     * @return Page<Model\Transfer>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, ?string $type = null, \DateTimeInterface|string|null $transferDateFrom = null, \DateTimeInterface|string|null $transferDateTo = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $externalRef = null, ?string $endToEnd = null, ?string $pixKey = null, ?string $providerUuid = null, ?string $batchUuid = null): Page
    {
        return $this->transport->send(new Call('listTransfers', 'GET', '/api/v1/transfers', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'uuid' => $uuid, 'status' => $status, 'type' => $type, 'transfer_date_from' => Call::day($transferDateFrom), 'transfer_date_to' => Call::day($transferDateTo), 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo), 'external_ref' => $externalRef, 'end_to_end' => $endToEnd, 'pix_key' => $pixKey, 'provider_uuid' => $providerUuid, 'batch_uuid' => $batchUuid]), Read::page(Model\Transfer::class));
    }

    /**
     * List transfers, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $status In one of these statuses; `UNDEFINED` selects none
     * @param string|null $type Every payment is a PIX; `UNDEFINED` selects none UNDEFINED, PIX.
     * @param \DateTimeInterface|string|null $transferDateFrom Settled on this day or later, in `time_zone`:
     * `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $transferDateTo Settled on this day or earlier, in `time_zone`:
     * `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $externalRef With exactly this reference of the caller
     * @param string|null $endToEnd Sent by the PIX with this end-to-end id
     * @param string|null $pixKey Sent to this key; a blank is read as `+`, which no key contains unencoded
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param string|null $batchUuid Items of this batch
     * @return \Generator<int, Model\Transfer>
     */
    public function iterate(?string $timeZone = null, array|string|null $uuid = null, array|string|null $status = null, ?string $type = null, \DateTimeInterface|string|null $transferDateFrom = null, \DateTimeInterface|string|null $transferDateTo = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $externalRef = null, ?string $endToEnd = null, ?string $pixKey = null, ?string $providerUuid = null, ?string $batchUuid = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, uuid: $uuid, status: $status, type: $type, transferDateFrom: $transferDateFrom, transferDateTo: $transferDateTo, dateFrom: $dateFrom, dateTo: $dateTo, externalRef: $externalRef, endToEnd: $endToEnd, pixKey: $pixKey, providerUuid: $providerUuid, batchUuid: $batchUuid, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Send money to a bank account.
     *
     * Like a transfer to a PIX key, for a receiver without one: `initiation.type` is MANUAL and `pix_key` empty.
     * Providers that pay no account of this type are skipped. Token scope: `transfers`.
     *
     * @param Amount|string|int|float $value Reais, at most two decimals
     * @param string|null $type PIX is the only type
     * @param array{name: string, document: string, ispb?: string, bank_code?: string, agency: string, account:
     * string, account_type: string} $receiver
     * @param string|null $externalRef Your reference, such as the number of an order
     * @param string|null $providerUuid The only provider to use; where absent, the default ones in their order. A
     * bound token always uses its own
     * @param array{name: string, document: string}|null $finalBeneficiary
     * @param \DateTimeInterface|string|null $scheduledFor ISO 8601 with offset, in the future, at most 90 days
     * ahead
     * @param bool|null $allowDuplicate Send it though the same value was sent to the same receiver within the
     * seconds of `duplicate_guard`
     */
    public function createToAccount(Amount|string|int|float $value, array $receiver, ?string $type = null, ?string $externalRef = null, ?string $providerUuid = null, ?array $finalBeneficiary = null, \DateTimeInterface|string|null $scheduledFor = null, ?bool $allowDuplicate = null, ?string $idempotencyKey = null): Model\Transfer
    {
        return $this->transport->send(new Call('createAccountTransfer', 'POST', '/api/v1/transfers/bank-accounts', 'application/json', body: ['value' => Amount::orOmitted($value), 'type' => $type, 'receiver' => (object) $receiver, 'external_ref' => $externalRef, 'provider_uuid' => $providerUuid, 'final_beneficiary' => $finalBeneficiary === null ? null : (object) $finalBeneficiary, 'scheduled_for' => $scheduledFor, 'allow_duplicate' => $allowDuplicate], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Transfer::class));
    }

    /**
     * Pay a PIX code.
     *
     * Reads the code at the bank of its receiver, and pays what it asks at this moment: `initiation.type` is
     * QR_DYNAMIC or QR_STATIC, with its `txid`. Providers that do not pay codes of this kind are skipped; a static
     * code without a txid may be paid as a transfer to its key. A bank that reports another value or receiver
     * contradicts the order: the transfer is not settled by it, and an operator is alerted. Token scope:
     * `transfers`.
     *
     * @param string|null $payload The copy-and-paste PIX code; this or `read_uuid`
     * @param string|null $readUuid A reading of POST /qr-codes/read: the code is read again, and paid only where
     * receiver, value and txid are as they were shown
     * @param Amount|string|int|float|Omitted $value Reais; needed where the payer chooses the value, and else the
     * value of the code or absent
     * @param string|null $type PIX is the only type
     * @param string|null $document CPF or CNPJ of the recipient: the provider must confirm that the key belongs to
     * it
     * @param string|null $lookupUuid Look-up of the key of the code within the last 15 minutes
     * @param string|null $onMismatch Only with `lookup_uuid`: what happens where the look-up does not match its
     * document or name, or the key has another owner before it is sent; REFUSE where absent REFUSE, WARN.
     * @param string|null $externalRef Your reference, such as the number of an order
     * @param string|null $providerUuid The only provider to use; where absent, the default ones in their order. A
     * bound token always uses its own
     * @param array{name: string, document: string}|null $finalBeneficiary
     * @param bool|null $allowDuplicate Send it though the same value was sent to the same receiver within the
     * seconds of `duplicate_guard`
     */
    public function payCode(?string $payload = null, ?string $readUuid = null, Amount|string|int|float|Omitted $value = Omitted::Value, ?string $type = null, ?string $document = null, ?string $lookupUuid = null, ?string $onMismatch = null, ?string $externalRef = null, ?string $providerUuid = null, ?array $finalBeneficiary = null, ?bool $allowDuplicate = null, ?string $idempotencyKey = null): Model\Transfer
    {
        return $this->transport->send(new Call('createCodeTransfer', 'POST', '/api/v1/transfers/qr-codes', 'application/json', body: ['payload' => $payload, 'read_uuid' => $readUuid, 'value' => Amount::orOmitted($value), 'type' => $type, 'document' => $document, 'lookup_uuid' => $lookupUuid, 'on_mismatch' => $onMismatch, 'external_ref' => $externalRef, 'provider_uuid' => $providerUuid, 'final_beneficiary' => $finalBeneficiary === null ? null : (object) $finalBeneficiary, 'allow_duplicate' => $allowDuplicate], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Transfer::class));
    }

    /**
     * Read a transfer with its attempts.
     *
     * `outcome` is `unknown` while no provider has said whether the money left; it is asked again at
     * `next_check_at`. Token scope: `read` or `transfers`.
     */
    public function get(string $uuid): Model\Transfer
    {
        return $this->transport->send(new Call('getTransfer', 'GET', '/api/v1/transfers/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Transfer::class));
    }

    /**
     * Cancel a transfer that waits.
     *
     * Possible while it is PENDING: before its time, or before its approvals. Token scope: `transfers`.
     */
    public function cancel(string $uuid): Model\Transfer
    {
        return $this->transport->send(new Call('cancelTransfer', 'POST', '/api/v1/transfers/{uuid}/cancel', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Transfer::class));
    }

    /**
     * Approve a transfer that waits for approvals.
     *
     * By the person who made the token: not the one who ordered the transfer, and each person counts once. With
     * the last approval that it needs it is sent, or waits for its time. A PIX code is read again before: the
     * approval of one that has changed is refused. Token scope: `transfers`.
     */
    public function approve(string $uuid): Model\Transfer
    {
        return $this->transport->send(new Call('approveTransfer', 'POST', '/api/v1/transfers/{uuid}/approve', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Transfer::class));
    }

    /**
     * Reject a transfer that waits for approvals.
     *
     * By another person than the one who ordered it. It is cancelled, and its money is available again. Token
     * scope: `transfers`.
     *
     * @param string $reason Why it is not sent; shown with the transfer
     */
    public function reject(string $uuid, string $reason): Model\Transfer
    {
        return $this->transport->send(new Call('rejectTransfer', 'POST', '/api/v1/transfers/{uuid}/reject', 'application/json', path: ['uuid' => $uuid], body: ['reason' => $reason]), Read::one(Model\Transfer::class));
    }

    /**
     * Read the receipt of a transfer.
     *
     * Once its money has settled. `official` tells whether its bank issues the PDF now; where a bank issues none,
     * or does not answer, this service does. What went back since is in `returns`. `authentication` never changes
     * while the secret key of the service stays. Token scope: `read` or `transfers`.
     */
    public function getReceipt(string $uuid): Model\Receipt
    {
        return $this->transport->send(new Call('getTransferReceipt', 'GET', '/api/v1/transfers/{uuid}/receipt', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Receipt::class));
    }

    /**
     * Read the receipt of a transfer as a PDF.
     *
     * Once its money has settled. Its bank's own where that issues one, in its language; else this service's, of
     * which equal receipts are equal bytes, at most 200 kB. Token scope: `read` or `transfers`.
     *
     * @param string|null $language Language of the document; by default Portuguese pt-BR, en.
     */
    public function getReceiptPdf(string $uuid, ?string $language = null): string
    {
        return $this->transport->send(new Call('getTransferReceiptPdf', 'GET', '/api/v1/transfers/{uuid}/receipt.pdf', 'application/pdf', path: ['uuid' => $uuid], query: ['language' => $language]), Read::content());
    }
}

/** The operations of receipts. */
final class Receipts
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Check a receipt by its authentication code.
     *
     * Without a token. Tells the value, the day and initials, so that whoever holds a receipt can compare them. A
     * code that was not issued here, was altered, or is of a receipt that can no longer be checked is 404.
     * Requests are limited per network.
     */
    public function check(string $authentication): Model\ReceiptCheck
    {
        return $this->transport->send(new Call('checkReceipt', 'GET', '/api/v1/receipts/{authentication}', 'application/json', path: ['authentication' => $authentication]), Read::one(Model\ReceiptCheck::class));
    }
}

/** The operations of limits. */
final class Limits
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Read the limits of the account.
     *
     * Those in force, and in `pending` what allows more later. Token scope: `read` or `transfers`.
     */
    public function get(): Model\AccountLimits
    {
        return $this->transport->send(new Call('getLimits', 'GET', '/api/v1/limits', 'application/json'), Read::one(Model\AccountLimits::class));
    }

    /**
     * Replace the limits of the account.
     *
     * What allows less acts at once, what allows more after 24 hours (`pending`). A field that is absent sets no
     * limit. Limits count the transfers and refunds that are sent from their first PUT on. The first `callout_url`
     * must complete a TLS handshake, and `callout_token` is shown whole only then. Token scope: `transfers`.
     *
     * @param Amount|string|int|float|Omitted $perTransfer Reais that one transfer may send; null or absent: no
     * limit
     * @param Amount|string|int|float|Omitted $perDay Reais that transfers and refunds of a day in Brasília may
     * send; null or absent: no limit
     * @param Amount|string|int|float|Omitted $perNight Reais that the transfers of a night may send, which count
     * per day as well; null or absent: no limit
     * @param array{from: string, to: string}|null $night By default from 20:00 to 06:00
     * @param Amount|string|int|float|Omitted $perReceiverPerDay Reais that one PIX key may get on a day in
     * Brasília; null or absent: no limit
     * @param array{value: Amount|int|float, hours: int}|null $newReceiver Reais that a PIX key may get in all
     * until `hours` have passed since the first transfer to it settled
     * @param list<array{document?: string, pix_key?: string}>|null $trustedReceivers
     * @param bool|null $allowedReceiversOnly Only `trusted_receivers` may be paid
     * @param array{seconds: int}|null $duplicateGuard
     * @param array{above: Amount|int|float, count?: int, expires_hours?: int, callout_url?: string}|null
     * $approvals Transfers of more than `above` wait until `count` persons other than who ordered them approve, at
     * most `expires_hours`; null or absent: none wait
     * @param int|null $version The `version` that was read: other limits are then not overwritten
     */
    public function replace(Amount|string|int|float|Omitted $perTransfer = Omitted::Value, Amount|string|int|float|Omitted $perDay = Omitted::Value, Amount|string|int|float|Omitted $perNight = Omitted::Value, ?array $night = null, Amount|string|int|float|Omitted $perReceiverPerDay = Omitted::Value, ?array $newReceiver = null, ?array $trustedReceivers = null, ?bool $allowedReceiversOnly = null, ?array $duplicateGuard = null, ?array $approvals = null, ?int $version = null): Model\AccountLimits
    {
        return $this->transport->send(new Call('replaceLimits', 'PUT', '/api/v1/limits', 'application/json', body: ['per_transfer' => Amount::orOmitted($perTransfer), 'per_day' => Amount::orOmitted($perDay), 'per_night' => Amount::orOmitted($perNight), 'night' => $night === null ? null : (object) $night, 'per_receiver_per_day' => Amount::orOmitted($perReceiverPerDay), 'new_receiver' => $newReceiver === null ? null : (object) $newReceiver, 'trusted_receivers' => $trustedReceivers, 'allowed_receivers_only' => $allowedReceiversOnly, 'duplicate_guard' => $duplicateGuard === null ? null : (object) $duplicateGuard, 'approvals' => $approvals === null ? null : (object) $approvals, 'version' => $version]), Read::one(Model\AccountLimits::class));
    }

    /**
     * Replace the secret that signs call-outs.
     *
     * Shows the new one in `callout_token`, this once. For 24 hours the old one signs too: `webhook-signature`
     * holds a signature of each. Token scope: `transfers`.
     *
     * @param string|null $token Generated where absent
     */
    public function rotateCalloutToken(?string $token = null): Model\AccountLimits
    {
        return $this->transport->send(new Call('rotateCalloutToken', 'POST', '/api/v1/limits/callout/rotate', 'application/json', body: ['token' => $token]), Read::one(Model\AccountLimits::class));
    }

    /**
     * Read what is used of the limits of the account.
     *
     * Of this day and night in Brasília. Token scope: `read` or `transfers`.
     */
    public function getUsage(): Model\LimitUsage
    {
        return $this->transport->send(new Call('getLimitUsage', 'GET', '/api/v1/limits/usage', 'application/json'), Read::one(Model\LimitUsage::class));
    }
}

/** The operations of banks. */
final class Banks
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Find a bank by its name or code.
     *
     * Institutions with a COMPE code, by name, as the Central Bank lists them. One without such a code has an ISPB
     * all the same. Token scope: `read` or `transfers`.
     *
     * @param string|null $search Part of the name, the COMPE code, or the beginning of the ISPB
     * @return list<Model\ListedBank>
     */
    public function list(?string $search = null): array
    {
        return $this->transport->send(new Call('listBanks', 'GET', '/api/v1/banks', 'application/json', query: ['search' => $search]), Read::list(Model\ListedBank::class));
    }
}

/** The operations of pix keys. */
final class PixKeys
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Request the code that proves an e-mail address or phone.
     *
     * Six digits, good for ten minutes, one key and five wrong guesses. At most five codes of an account in 60
     * seconds, and to an address in an hour. The code of a test token is not sent. Token scope: `charges`.
     *
     * @param string $type What `key` is EMAIL, PHONE.
     * @param string $key The e-mail address, or the mobile with `+55`, that is to be a key
     * @param string|null $providerUuid A NOMINAL provider of the account; the default one where absent
     */
    public function requestAuthCode(string $type, string $key, ?string $providerUuid = null, ?string $idempotencyKey = null): Model\AuthCode
    {
        return $this->transport->send(new Call('createPixKeyAuthCode', 'POST', '/api/v1/pix-keys/auth-code', 'application/json', body: ['type' => $type, 'key' => $key, 'provider_uuid' => $providerUuid], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\AuthCode::class));
    }

    /**
     * Create a PIX key.
     *
     * DOCUMENT is the document of the account, EMAIL and PHONE the address that the code was sent to, RANDOM is
     * made by the provider. At most three keys of a type; every call counts as an attempt, three in 60 seconds,
     * except the repeat of one that has begun. Token scope: `charges`.
     *
     * @param string $type DOCUMENT is the document of the account, RANDOM is made by the provider, EMAIL and PHONE
     * are what the code was sent to DOCUMENT, EMAIL, PHONE, RANDOM.
     * @param string|null $authCodeId Of `POST /pix-keys/auth-code`; required for EMAIL and PHONE
     * @param string|null $authCode The six digits that came; required for EMAIL and PHONE
     * @param string|null $providerUuid A NOMINAL provider of the account; the default one where absent
     */
    public function create(string $type, ?string $authCodeId = null, ?string $authCode = null, ?string $providerUuid = null, ?string $idempotencyKey = null): Model\PixKey
    {
        return $this->transport->send(new Call('createPixKey', 'POST', '/api/v1/pix-keys', 'application/json', body: ['type' => $type, 'auth_code_id' => $authCodeId, 'auth_code' => $authCode, 'provider_uuid' => $providerUuid], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\PixKey::class));
    }

    /**
     * List the PIX keys of the account.
     *
     * Newest first. Only keys that were created here: a key that was registered at a provider, by which it
     * receives charges, is shown by them as `payment.pix.pix_key`. Token scope: `read` or `charges`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $type Of one of these types
     * @return Page<Model\PixKey>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $type = null): Page
    {
        return $this->transport->send(new Call('listPixKeys', 'GET', '/api/v1/pix-keys', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'type' => $type]), Read::page(Model\PixKey::class));
    }

    /**
     * List the PIX keys of the account, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $type Of one of these types
     * @return \Generator<int, Model\PixKey>
     */
    public function iterate(?string $timeZone = null, array|string|null $type = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, type: $type, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read a PIX key.
     *
     * A key of another account is not found, nor one that was not created here and by which a provider receives
     * charges. Token scope: `read` or `charges`.
     */
    public function get(string $key): Model\PixKey
    {
        return $this->transport->send(new Call('getPixKey', 'GET', '/api/v1/pix-keys/{key}', 'application/json', path: ['key' => $key]), Read::one(Model\PixKey::class));
    }

    /**
     * Remove a PIX key.
     *
     * At its provider, too. The key by which a provider receives charges is in use, and stays: 409, also where GET
     * does not show it. Token scope: `charges`.
     */
    public function delete(string $key): void
    {
        $this->transport->send(new Call('deletePixKey', 'DELETE', '/api/v1/pix-keys/{key}', 'application/json', path: ['key' => $key]), Read::nothing());
    }

    /**
     * Look up the owner of a PIX key.
     *
     * Shows whom a transfer would pay. The Central Bank allows a payer a number of look-ups, and a key that does
     * not exist takes twenty: look up only what is to be paid. An answer is used again for a minute, and for ten
     * minutes where the key does not exist. At most thirty look-ups of a token in 60 seconds, and 3,000 of an
     * account on a day. Token scope: `transfers`.
     *
     * @param string $pixKey Key of the recipient, at most 77 characters: CPF, CNPJ, e-mail, mobile with `+55`, or
     * random key
     * @param string|null $providerUuid The only provider to use; where absent, the default ones in their order. A
     * bound token always uses its own
     * @param string|null $document CPF or CNPJ that the owner of the key should have
     * @param string|null $name Name that the owner of the key should have
     */
    public function lookUp(string $pixKey, ?string $providerUuid = null, ?string $document = null, ?string $name = null): Model\KeyLookup
    {
        return $this->transport->send(new Call('lookUpPixKey', 'POST', '/api/v1/pix-keys/lookup', 'application/json', body: ['pix_key' => $pixKey, 'provider_uuid' => $providerUuid, 'document' => $document, 'name' => $name]), Read::one(Model\KeyLookup::class));
    }

    /**
     * Read a look-up of a PIX key.
     *
     * Kept for thirty days, the key masked. `budget` is null: the provider shows it. Token scope: `read` or
     * `transfers`.
     */
    public function getLookup(string $uuid): Model\KeyLookup
    {
        return $this->transport->send(new Call('getPixKeyLookup', 'GET', '/api/v1/pix-keys/lookups/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\KeyLookup::class));
    }
}

/** The operations of providers. */
final class Providers
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List the providers of the account.
     *
     * With their balances. A bound token sees its own. Token scope: `read` or `transfers`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $status In one of these statuses
     * @return Page<Model\Provider>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $status = null): Page
    {
        return $this->transport->send(new Call('listProviders', 'GET', '/api/v1/providers', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'status' => $status]), Read::page(Model\Provider::class));
    }

    /**
     * List the providers of the account, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $status In one of these statuses
     * @return \Generator<int, Model\Provider>
     */
    public function iterate(?string $timeZone = null, array|string|null $status = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, status: $status, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read the default providers.
     *
     * In their order of priority; a bound token sees itself where it is one of them. Token scope: `read` or
     * `transfers`.
     */
    public function getDefaults(): Model\GetDefaultProvidersResult
    {
        return $this->transport->send(new Call('getDefaultProviders', 'GET', '/api/v1/providers/defaults', 'application/json'), Read::one(Model\GetDefaultProvidersResult::class));
    }

    /**
     * Replace the default providers.
     *
     * Providers that are absent from the list are defaults no more. Token scope: `transfers`.
     *
     * @param string $paymentType PIX is the only type
     * @param list<string> $providerUuids The first is preferred, the others are fallbacks in their order
     */
    public function replaceDefaults(array $providerUuids, string $paymentType = 'PIX'): void
    {
        $this->transport->send(new Call('replaceDefaultProviders', 'PUT', '/api/v1/providers/defaults', 'application/json', body: ['payment_type' => $paymentType, 'provider_uuids' => $providerUuids]), Read::nothing());
    }

    /**
     * Read a provider.
     *
     * With its balances and the look-ups of PIX keys that are left there. Another one than that of a bound token
     * is not found. Token scope: `read` or `transfers`.
     */
    public function get(string $uuid): Model\ProviderDetails
    {
        return $this->transport->send(new Call('getProvider', 'GET', '/api/v1/providers/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\ProviderDetails::class));
    }
}

/** The operations of webhooks. */
final class Webhooks
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Register a webhook.
     *
     * The endpoint must complete a TLS handshake. The token is shown whole only here. Token scope: `webhooks`.
     *
     * @param string $url https, resolving to public addresses only
     * @param string|null $token Generated where absent
     * @param list<string>|null $events All where absent, except `BATCH`, `RECURRENCE` and `REPORT`, which are
     * delivered only where they are named
     */
    public function create(string $url, ?string $token = null, ?array $events = null, ?string $idempotencyKey = null): Model\Webhook
    {
        return $this->transport->send(new Call('createWebhook', 'POST', '/api/v1/webhooks', 'application/json', body: ['url' => $url, 'token' => $token, 'events' => $events], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Webhook::class));
    }

    /**
     * List the webhooks of the account.
     *
     * Newest first; tokens are masked. Token scope: `read` or `webhooks`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @return Page<Model\Webhook>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null): Page
    {
        return $this->transport->send(new Call('listWebhooks', 'GET', '/api/v1/webhooks', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone]), Read::page(Model\Webhook::class));
    }

    /**
     * List the webhooks of the account, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @return \Generator<int, Model\Webhook>
     */
    public function iterate(?string $timeZone = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read a webhook.
     *
     * Its token is masked. Token scope: `read` or `webhooks`.
     */
    public function get(string $uuid): Model\Webhook
    {
        return $this->transport->send(new Call('getWebhook', 'GET', '/api/v1/webhooks/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Webhook::class));
    }

    /**
     * Change a webhook.
     *
     * Only what is named changes. Another `url`, and `status` ACTIVE of a disabled one, take a TLS handshake.
     * DISABLED ends what was to be delivered; `recover` brings it back. Token scope: `webhooks`.
     *
     * @param string|null $url https, resolving to public addresses only
     * @param string|null $token Replaces the token as a rotation does
     * @param list<string>|null $events Replace the events that the endpoint receives
     * @param string|null $status ACTIVE enables it again, after another TLS handshake ACTIVE, DISABLED.
     */
    public function update(string $uuid, ?string $url = null, ?string $token = null, ?array $events = null, ?string $status = null): Model\Webhook
    {
        return $this->transport->send(new Call('updateWebhook', 'PATCH', '/api/v1/webhooks/{uuid}', 'application/json', path: ['uuid' => $uuid], body: ['url' => $url, 'token' => $token, 'events' => $events, 'status' => $status]), Read::one(Model\Webhook::class));
    }

    /**
     * Remove a webhook.
     *
     * Deliveries that are under way end. Token scope: `webhooks`.
     */
    public function delete(string $uuid): void
    {
        $this->transport->send(new Call('deleteWebhook', 'DELETE', '/api/v1/webhooks/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::nothing());
    }

    /**
     * Replace the token of a webhook.
     *
     * Shows the new token, this once. For 24 hours the old one signs too: `webhook-signature` holds a signature of
     * each. Token scope: `webhooks`.
     *
     * @param string|null $token Generated where absent
     */
    public function rotateToken(string $uuid, ?string $token = null): Model\Webhook
    {
        return $this->transport->send(new Call('rotateWebhookToken', 'POST', '/api/v1/webhooks/{uuid}/rotate', 'application/json', path: ['uuid' => $uuid], body: ['token' => $token]), Read::one(Model\Webhook::class));
    }

    /**
     * Send a TEST event to a webhook.
     *
     * It is signed, delivered and listed like any other event; `data` is the webhook itself. Token scope:
     * `webhooks`.
     */
    public function test(string $uuid): Model\Delivery
    {
        return $this->transport->send(new Call('testWebhook', 'POST', '/api/v1/webhooks/{uuid}/test', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Delivery::class));
    }

    /**
     * List the deliveries of a webhook, with each attempt.
     *
     * Newest first. Token scope: `read` or `webhooks`.
     *
     * @param list<string>|string|null $status In one of these statuses
     * @param list<string>|string|null $type Of an event of one of these types
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @return Page<Model\Delivery>
     */
    public function listDeliveries(string $uuid, array|string|null $status = null, array|string|null $type = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $timeZone = null, ?int $page = null, ?int $perPage = null, ?string $cursor = null): Page
    {
        return $this->transport->send(new Call('listWebhookDeliveries', 'GET', '/api/v1/webhooks/{uuid}/deliveries', 'application/json', path: ['uuid' => $uuid], query: ['status' => $status, 'type' => $type, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo), 'time_zone' => $timeZone, 'page' => $page, 'per_page' => $perPage, 'cursor' => $cursor]), Read::page(Model\Delivery::class));
    }

    /**
     * List the deliveries of a webhook, with each attempt, page after page.
     *
     * @param list<string>|string|null $status In one of these statuses
     * @param list<string>|string|null $type Of an event of one of these types
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @return \Generator<int, Model\Delivery>
     */
    public function iterateDeliveries(string $uuid, array|string|null $status = null, array|string|null $type = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $timeZone = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->listDeliveries($uuid, status: $status, type: $type, dateFrom: $dateFrom, dateTo: $dateTo, timeZone: $timeZone, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Send an event again.
     *
     * Whatever came of it before: at once, and then on the schedule from its beginning. Refused while an attempt
     * is due. Token scope: `webhooks`.
     */
    public function resendDelivery(string $uuid, string $delivery): Model\Delivery
    {
        return $this->transport->send(new Call('resendWebhookDelivery', 'POST', '/api/v1/webhooks/{uuid}/deliveries/{delivery}/resend', 'application/json', path: ['uuid' => $uuid, 'delivery' => $delivery]), Read::one(Model\Delivery::class));
    }

    /**
     * Send the events that a webhook has missed.
     *
     * Sends again every subscribed event since then that was not delivered: failed, still failing, or never sent.
     * Refused while an earlier recovery of the webhook runs. Token scope: `webhooks`.
     *
     * @param \DateTimeInterface|string $since ISO 8601 with its offset; not in the future
     */
    public function recover(string $uuid, \DateTimeInterface|string $since): void
    {
        $this->transport->send(new Call('recoverWebhook', 'POST', '/api/v1/webhooks/{uuid}/recover', 'application/json', path: ['uuid' => $uuid], body: ['since' => $since]), Read::nothing());
    }
}

/** The operations of events. */
final class Events
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List the events of the last 30 days.
     *
     * Newest first, whether or not a webhook received them. A bound token sees those of its provider. Token scope:
     * `read` or `webhooks`.
     *
     * @param list<string>|string|null $type Of one of these types
     * @param string|null $operationUuid Of this charge, transfer, refund, dispute or PIX, and of the refunds and
     * PIX that belong to it
     * @param string|null $endToEnd Of the PIX with this end-to-end id, and of the charge, transfer, refund and
     * dispute that it belongs to
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @return Page<\Trilho\Event>
     */
    public function list(array|string|null $type = null, ?string $operationUuid = null, ?string $endToEnd = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $timeZone = null, ?int $page = null, ?int $perPage = null, ?string $cursor = null): Page
    {
        return $this->transport->send(new Call('listEvents', 'GET', '/api/v1/events', 'application/json', query: ['type' => $type, 'operation_uuid' => $operationUuid, 'end_to_end' => $endToEnd, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo), 'time_zone' => $timeZone, 'page' => $page, 'per_page' => $perPage, 'cursor' => $cursor]), Read::page(\Trilho\Event::class));
    }

    /**
     * List the events of the last 30 days, page after page.
     *
     * @param list<string>|string|null $type Of one of these types
     * @param string|null $operationUuid Of this charge, transfer, refund, dispute or PIX, and of the refunds and
     * PIX that belong to it
     * @param string|null $endToEnd Of the PIX with this end-to-end id, and of the charge, transfer, refund and
     * dispute that it belongs to
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @return \Generator<int, \Trilho\Event>
     */
    public function iterate(array|string|null $type = null, ?string $operationUuid = null, ?string $endToEnd = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $timeZone = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(type: $type, operationUuid: $operationUuid, endToEnd: $endToEnd, dateFrom: $dateFrom, dateTo: $dateTo, timeZone: $timeZone, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read an event.
     *
     * Exactly the body that endpoints received. Token scope: `read` or `webhooks`.
     */
    public function get(string $id): \Trilho\Event
    {
        return $this->transport->send(new Call('getEvent', 'GET', '/api/v1/events/{id}', 'application/json', path: ['id' => $id]), Read::one(\Trilho\Event::class));
    }
}

/** The operations of ledger. */
final class Ledger
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List what changed the available balance, with the balance after each line.
     *
     * Newest first. Each PIX is one line, in its whole value and with its `end_to_end`; fees, shares, holds,
     * reversals and shortfalls have lines of their own. Token scope: `read`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param list<string>|string|null $type Lines of these types: what changed the balance
     * @param string|null $operationUuid The operation of the line, or the charge, transfer, refund or dispute that
     * it names
     * @param string|null $endToEnd Lines of the PIX with this end-to-end id: its own, and what was held, shared or
     * repaid with it
     * @param list<string>|string|null $operationType Lines of operations of these types. Without `operation_uuid`,
     * `date_from` is at most 31 days before `date_to`
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return Page<Model\LedgerLine>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, ?string $providerUuid = null, array|string|null $type = null, ?string $operationUuid = null, ?string $endToEnd = null, array|string|null $operationType = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null): Page
    {
        return $this->transport->send(new Call('listLedgerLines', 'GET', '/api/v1/ledger', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'provider_uuid' => $providerUuid, 'type' => $type, 'operation_uuid' => $operationUuid, 'end_to_end' => $endToEnd, 'operation_type' => $operationType, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo)]), Read::page(Model\LedgerLine::class));
    }

    /**
     * List what changed the available balance, with the balance after each line, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param list<string>|string|null $type Lines of these types: what changed the balance
     * @param string|null $operationUuid The operation of the line, or the charge, transfer, refund or dispute that
     * it names
     * @param string|null $endToEnd Lines of the PIX with this end-to-end id: its own, and what was held, shared or
     * repaid with it
     * @param list<string>|string|null $operationType Lines of operations of these types. Without `operation_uuid`,
     * `date_from` is at most 31 days before `date_to`
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @return \Generator<int, Model\LedgerLine>
     */
    public function iterate(?string $timeZone = null, ?string $providerUuid = null, array|string|null $type = null, ?string $operationUuid = null, ?string $endToEnd = null, array|string|null $operationType = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, providerUuid: $providerUuid, type: $type, operationUuid: $operationUuid, endToEnd: $endToEnd, operationType: $operationType, dateFrom: $dateFrom, dateTo: $dateTo, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read the opening and closing balance of a period, and what its lines add and take, by provider.
     *
     * The opening balance and the lines add up to the closing balance. Token scope: `read`.
     *
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     */
    public function getBalances(?string $providerUuid = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $timeZone = null): Model\LedgerBalances
    {
        return $this->transport->send(new Call('getLedgerBalances', 'GET', '/api/v1/ledger/balances', 'application/json', query: ['provider_uuid' => $providerUuid, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo), 'time_zone' => $timeZone]), Read::one(Model\LedgerBalances::class));
    }

    /**
     * Export the lines as CSV, the oldest first.
     *
     * UTF-8 with a byte order mark, semicolons, CRLF. Amounts have their sign, times are those of `time_zone`. All
     * lines of the filters are in one file. Token scope: `read`.
     *
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param list<string>|string|null $type Lines of these types: what changed the balance
     * @param string|null $operationUuid The operation of the line, or the charge, transfer, refund or dispute that
     * it names
     * @param string|null $endToEnd Lines of the PIX with this end-to-end id: its own, and what was held, shared or
     * repaid with it
     * @param list<string>|string|null $operationType Lines of operations of these types. Without `operation_uuid`,
     * `date_from` is at most 31 days before `date_to`
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param string|null $decimal Decimal separator; a Brazilian Excel reads COMMA POINT, COMMA.
     */
    public function exportCsv(?string $providerUuid = null, array|string|null $type = null, ?string $operationUuid = null, ?string $endToEnd = null, array|string|null $operationType = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $timeZone = null, ?string $decimal = null): string
    {
        return $this->transport->send(new Call('exportLedgerCsv', 'GET', '/api/v1/ledger.csv', 'text/csv', query: ['provider_uuid' => $providerUuid, 'type' => $type, 'operation_uuid' => $operationUuid, 'end_to_end' => $endToEnd, 'operation_type' => $operationType, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo), 'time_zone' => $timeZone, 'decimal' => $decimal]), Read::content());
    }

    /**
     * Export the lines as OFX 1.02, the oldest first.
     *
     * One statement per provider account, with its closing balance. `FITID` is the `line_uuid`, dates have no
     * time. Orders that never left, and those of today that may still fail, are left out. Token scope: `read`.
     *
     * @param string|null $providerUuid Only of this provider of the account: its `uuid`
     * @param \DateTimeInterface|string|null $dateFrom Created on this day or later, in `time_zone`: `YYYY-MM-DD`
     * @param \DateTimeInterface|string|null $dateTo Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     */
    public function exportOfx(?string $providerUuid = null, \DateTimeInterface|string|null $dateFrom = null, \DateTimeInterface|string|null $dateTo = null, ?string $timeZone = null): string
    {
        return $this->transport->send(new Call('exportLedgerOfx', 'GET', '/api/v1/ledger.ofx', 'application/x-ofx', query: ['provider_uuid' => $providerUuid, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo), 'time_zone' => $timeZone]), Read::content());
    }
}

/** The operations of reports. */
final class Reports
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Order a report of at most 92 days.
     *
     * Its file is made in the background, one of an account at a time, and kept for 30 days. Days are those of
     * Brasília. A report of days that are over has the same bytes whenever it is made, RECONCILIATION excepted.
     * Token scope: `read`.
     *
     * @param string $kind LEDGER: all lines of the statement. PAYMENTS, TRANSFERS, REFUNDS: those of such
     * operations, with their fees. MEDS, RECURRENCES: those of disputes, and of charges of recurrences. FEES: fees
     * alone. RECONCILIATION: differences between the statements of providers and the ledger LEDGER, PAYMENTS,
     * TRANSFERS, REFUNDS, MEDS, FEES, RECURRENCES, RECONCILIATION.
     * @param string $format OFX for LEDGER only CSV, JSONL, OFX.
     * @param string|null $providerUuid Only this provider of the account; a bound token has its own
     * @param string|null $decimal Decimal separator of CSV; a Brazilian Excel reads COMMA POINT, COMMA.
     * @param \DateTimeInterface|string $dateFrom The first day, by the clocks of Brasília
     * @param \DateTimeInterface|string $dateTo The last day, at most 92 days in all; today makes the report
     * partial, by the clocks of Brasília
     */
    public function create(string $kind, string $format, \DateTimeInterface|string $dateFrom, \DateTimeInterface|string $dateTo, ?string $providerUuid = null, ?string $decimal = null, ?string $idempotencyKey = null): Model\Report
    {
        return $this->transport->send(new Call('createReport', 'POST', '/api/v1/reports', 'application/json', body: ['kind' => $kind, 'format' => $format, 'provider_uuid' => $providerUuid, 'decimal' => $decimal, 'date_from' => Call::day($dateFrom), 'date_to' => Call::day($dateTo)], isKeyed: true, idempotencyKey: $idempotencyKey), Read::one(Model\Report::class));
    }

    /**
     * List reports.
     *
     * Newest first, those without a file included. Token scope: `read`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $kind Reports of these kinds
     * @param list<string>|string|null $status Reports with one of these statuses
     * @return Page<Model\Report>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $uuid = null, array|string|null $kind = null, array|string|null $status = null): Page
    {
        return $this->transport->send(new Call('listReports', 'GET', '/api/v1/reports', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'uuid' => $uuid, 'kind' => $kind, 'status' => $status]), Read::page(Model\Report::class));
    }

    /**
     * List reports, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $uuid Only these, at most 100; repeated or separated by commas
     * @param list<string>|string|null $kind Reports of these kinds
     * @param list<string>|string|null $status Reports with one of these statuses
     * @return \Generator<int, Model\Report>
     */
    public function iterate(?string $timeZone = null, array|string|null $uuid = null, array|string|null $kind = null, array|string|null $status = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, uuid: $uuid, kind: $kind, status: $status, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read the schedules of reports.
     *
     * Token scope: `read`.
     */
    public function getSchedules(): Model\ReportSchedules
    {
        return $this->transport->send(new Call('getReportSchedules', 'GET', '/api/v1/reports/schedules', 'application/json'), Read::one(Model\ReportSchedules::class));
    }

    /**
     * Replace the schedules of reports.
     *
     * Each orders a report of the day before, or of the seven days before, after its hour of Brasília; none orders
     * any more that is not sent. Token scope: `read`.
     *
     * @param list<array{kind: string, format: string, provider_uuid?: string, decimal?: string, frequency: string,
     * weekday?: int, hour: int}> $schedules
     */
    public function replaceSchedules(array $schedules): Model\ReportSchedules
    {
        return $this->transport->send(new Call('replaceReportSchedules', 'PUT', '/api/v1/reports/schedules', 'application/json', body: ['schedules' => $schedules]), Read::one(Model\ReportSchedules::class));
    }

    /**
     * Read a report.
     *
     * Token scope: `read`.
     */
    public function get(string $uuid): Model\Report
    {
        return $this->transport->send(new Call('getReport', 'GET', '/api/v1/reports/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Report::class));
    }

    /**
     * Cancel a report, or delete its file.
     *
     * A PENDING report is FAILED then, a READY one EXPIRED; any other is answered as it is. Token scope: `read`.
     */
    public function delete(string $uuid): Model\Report
    {
        return $this->transport->send(new Call('deleteReport', 'DELETE', '/api/v1/reports/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Report::class));
    }

    /**
     * Download the file of a READY report.
     *
     * In the format of the report, which has its length and its digest. Token scope: `read`.
     */
    public function download(string $uuid): string
    {
        return $this->transport->send(new Call('downloadReport', 'GET', '/api/v1/reports/{uuid}/download', 'application/octet-stream', path: ['uuid' => $uuid]), Read::content());
    }
}

/** The operations of reconciliations. */
final class Reconciliations
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List what the reconciliation has found at each provider.
     *
     * Of NOMINAL providers: the account of a POOL belongs to several accounts. Token scope: `read`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @return Page<Model\Reconciliation>
     */
    public function list(?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null): Page
    {
        return $this->transport->send(new Call('listReconciliations', 'GET', '/api/v1/reconciliations', 'application/json', query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone]), Read::page(Model\Reconciliation::class));
    }

    /**
     * List what the reconciliation has found at each provider, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @return \Generator<int, Model\Reconciliation>
     */
    public function iterate(?string $timeZone = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->list(timeZone: $timeZone, perPage: $perPage, cursor: $cursor));
    }

    /**
     * Read what the reconciliation has found at a provider.
     *
     * Token scope: `read`.
     */
    public function get(string $uuid): Model\Reconciliation
    {
        return $this->transport->send(new Call('getReconciliation', 'GET', '/api/v1/reconciliations/{uuid}', 'application/json', path: ['uuid' => $uuid]), Read::one(Model\Reconciliation::class));
    }

    /**
     * List the PIX on which a provider and the ledger differ.
     *
     * Newest first, with those that were settled or closed. Token scope: `read`.
     *
     * @param int|null $page Number of the page, from 1
     * @param int|null $perPage Rows of a page, by default 15; where `uuid` names more, as many as it names
     * @param string|null $cursor Instead of `page`: empty for the first page, then the `next_cursor` of the page
     * before. Rows that are added meanwhile neither repeat nor hide others
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $kind Differences of these kinds
     * @param list<string>|string|null $status Differences with one of these statuses
     * @return Page<Model\ReconciliationDifference>
     */
    public function listDifferences(string $uuid, ?int $page = null, ?int $perPage = null, ?string $cursor = null, ?string $timeZone = null, array|string|null $kind = null, array|string|null $status = null): Page
    {
        return $this->transport->send(new Call('listReconciliationDifferences', 'GET', '/api/v1/reconciliations/{uuid}/differences', 'application/json', path: ['uuid' => $uuid], query: ['page' => $page, 'per_page' => $perPage, 'cursor' => $cursor, 'time_zone' => $timeZone, 'kind' => $kind, 'status' => $status]), Read::page(Model\ReconciliationDifference::class));
    }

    /**
     * List the PIX on which a provider and the ledger differ, page after page.
     *
     * @param string|null $timeZone IANA time zone of the days in this query; by default UTC
     * @param list<string>|string|null $kind Differences of these kinds
     * @param list<string>|string|null $status Differences with one of these statuses
     * @return \Generator<int, Model\ReconciliationDifference>
     */
    public function iterateDifferences(string $uuid, ?string $timeZone = null, array|string|null $kind = null, array|string|null $status = null, int $perPage = 100): \Generator
    {
        return Page::iterate(fn (string $cursor): Page => $this->listDifferences($uuid, timeZone: $timeZone, kind: $kind, status: $status, perPage: $perPage, cursor: $cursor));
    }
}

/** The operations of health. */
final class Health
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Whether the process is up.
     *
     * Looks at nothing else.
     */
    public function getLiveness(): Model\Health
    {
        return $this->transport->send(new Call('getLiveness', 'GET', '/healthz', 'application/json'), Read::whole(Model\Health::class));
    }

    /**
     * Whether PostgreSQL is migrated and takes writes, Temporal can be reached, and the process is not stopping.
     *
     * Where it is not, `data` names the part that does not answer.
     */
    public function getReadiness(): Model\Health
    {
        return $this->transport->send(new Call('getReadiness', 'GET', '/readyz', 'application/json'), Read::whole(Model\Health::class));
    }
}
