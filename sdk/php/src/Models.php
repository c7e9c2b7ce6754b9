<?php

// Made from openapi.json by `npm run sdk:php`; do not edit.

declare(strict_types=1);

namespace Trilho\Model;

use Trilho\Amount;
use Trilho\Internal\Read;

class Abatement
{
    /**
     * An amount, or a share of the value
     * FIXED, PERCENTAGE; a newer API may have others.
     */
    public readonly string $type;

    /** Reais where FIXED, percent where PERCENTAGE (2 is 2 %), at most 99.99 */
    public readonly Amount $value;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
    }
}

/** The limits in force, null where nothing binds */
class AccountLimits
{
    /** Reais, at most two decimals */
    public readonly ?Amount $perTransfer;

    /** Reais, at most two decimals */
    public readonly ?Amount $perDay;

    /** Reais, at most two decimals */
    public readonly ?Amount $perNight;

    public readonly Night $night;

    /** Reais, at most two decimals */
    public readonly ?Amount $perReceiverPerDay;

    public readonly ?NewReceiver $newReceiver;

    /** @var list<AccountLimitsTrustedReceiver> */
    public readonly array $trustedReceivers;

    public readonly bool $allowedReceiversOnly;

    public readonly DuplicateGuard $duplicateGuard;

    public readonly ?ShownApprovalRule $approvals;

    /**
     * The secret that signs call-outs. Whole where a PUT or a rotation has made it, masked elsewhere; absent where
     * no call-out was ever set
     */
    public readonly ?string $calloutToken;

    /** What allows more, and when it takes effect; a PUT of what is in force cancels it */
    public readonly ?Pending $pending;

    /** Counts the changes; 0 where none was made */
    public readonly int $version;

    /** null where none was made */
    public readonly ?\DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->perTransfer = isset($data['per_transfer']) ? Read::amount($data['per_transfer']) : null;
        $this->perDay = isset($data['per_day']) ? Read::amount($data['per_day']) : null;
        $this->perNight = isset($data['per_night']) ? Read::amount($data['per_night']) : null;
        $this->night = new Night(Read::object($data['night'] ?? null));
        $this->perReceiverPerDay = isset($data['per_receiver_per_day']) ? Read::amount($data['per_receiver_per_day']) : null;
        $this->newReceiver = isset($data['new_receiver']) ? new NewReceiver(Read::object($data['new_receiver'])) : null;
        $this->trustedReceivers = Read::items($data['trusted_receivers'] ?? null, static fn (mixed $item) => new AccountLimitsTrustedReceiver(Read::object($item)));
        $this->allowedReceiversOnly = Read::flag($data['allowed_receivers_only'] ?? null);
        $this->duplicateGuard = new DuplicateGuard(Read::object($data['duplicate_guard'] ?? null));
        $this->approvals = isset($data['approvals']) ? new ShownApprovalRule(Read::object($data['approvals'])) : null;
        $this->calloutToken = isset($data['callout_token']) ? Read::text($data['callout_token']) : null;
        $this->pending = isset($data['pending']) ? new Pending(Read::object($data['pending'])) : null;
        $this->version = Read::integer($data['version'] ?? null);
        $this->updatedAt = isset($data['updated_at']) ? Read::time($data['updated_at']) : null;
    }
}

class AccountLimitsTrustedReceiver
{
    public readonly ?string $document;

    public readonly ?string $pixKey;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->document = isset($data['document']) ? Read::text($data['document']) : null;
        $this->pixKey = isset($data['pix_key']) ? Read::text($data['pix_key']) : null;
    }
}

/** Who is paid, and the account */
class AccountReceiver
{
    /** Holder of the account */
    public readonly string $name;

    /** CPF or CNPJ with valid check digits, without formatting */
    public readonly string $document;

    /** ISPB of the bank; this or `bank_code` */
    public readonly ?string $ispb;

    /** COMPE code of the bank; this or `ispb` */
    public readonly ?string $bankCode;

    /** Branch, without its check digit */
    public readonly string $agency;

    /** Number of the account with its check digit, without a hyphen; a check digit X is 0 */
    public readonly string $account;

    /** CHECKING, PAYMENT, SAVINGS, SALARY; a newer API may have others. */
    public readonly string $accountType;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->document = Read::text($data['document'] ?? null);
        $this->ispb = isset($data['ispb']) ? Read::text($data['ispb']) : null;
        $this->bankCode = isset($data['bank_code']) ? Read::text($data['bank_code']) : null;
        $this->agency = Read::text($data['agency'] ?? null);
        $this->account = Read::text($data['account'] ?? null);
        $this->accountType = Read::text($data['account_type'] ?? null);
    }
}

class AdditionalInfo
{
    public readonly string $name;

    public readonly string $value;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->value = Read::text($data['value'] ?? null);
    }
}

class AdditionalInfoInput
{
    public readonly string $name;

    public readonly string $value;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->value = Read::text($data['value'] ?? null);
    }
}

class AmountDue
{
    /** Reais, at most two decimals */
    public readonly Amount $value;

    public readonly string $on;

    public readonly bool $isForecast;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->value = Read::amount($data['value'] ?? null);
        $this->on = Read::text($data['on'] ?? null);
        $this->isForecast = Read::flag($data['is_forecast'] ?? null);
    }
}

/** What your server has answered, which must approve it too */
class ApprovalCallout
{
    /** null until the call-out has ended */
    public readonly ?bool $approved;

    /** When it ended */
    public readonly ?\DateTimeImmutable $at;

    /** Requests made, at most three */
    public readonly int $requests;

    /**
     * Why it does not approve; before it ends, why the last request has no answer
     * callout_refused, callout_timeout, callout_unreachable, callout_bad_status, callout_bad_answer,
     * callout_interrupted; a newer API may have others.
     */
    public readonly ?string $code;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->approved = isset($data['approved']) ? Read::flag($data['approved']) : null;
        $this->at = isset($data['at']) ? Read::time($data['at']) : null;
        $this->requests = Read::integer($data['requests'] ?? null);
        $this->code = isset($data['code']) ? Read::text($data['code']) : null;
    }
}

class ApprovalRule
{
    /** Reais: a transfer of more waits */
    public readonly Amount $above;

    /** Persons who must approve it */
    public readonly ?int $count;

    public readonly ?int $expiresHours;

    /**
     * Your server must approve it too: it is asked by a signed POST. https, resolving to public addresses only;
     * null or absent: it is not asked
     */
    public readonly ?string $calloutUrl;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->above = Read::amount($data['above'] ?? null);
        $this->count = isset($data['count']) ? Read::integer($data['count']) : null;
        $this->expiresHours = isset($data['expires_hours']) ? Read::integer($data['expires_hours']) : null;
        $this->calloutUrl = isset($data['callout_url']) ? Read::text($data['callout_url']) : null;
    }
}

class Attachment
{
    public readonly string $uuid;

    /** Signed; it expires */
    public readonly string $url;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->url = Read::text($data['url'] ?? null);
    }
}

class Attempt
{
    public readonly string $provider;

    /**
     * preparing, calling, accepted, settled, rejected, unreachable, unknown, duplicate; a newer API may have
     * others.
     */
    public readonly string $outcome;

    public readonly string $code;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->provider = Read::text($data['provider'] ?? null);
        $this->outcome = Read::text($data['outcome'] ?? null);
        $this->code = Read::text($data['code'] ?? null);
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class AuthCode
{
    public readonly string $authCodeId;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $expiresAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->authCodeId = Read::text($data['auth_code_id'] ?? null);
        $this->expiresAt = Read::time($data['expires_at'] ?? null);
    }
}

class Balance
{
    /** Reais, at most two decimals */
    public readonly Amount $availableBalance;

    /** Reais, at most two decimals */
    public readonly Amount $pendingBalance;

    /** Reais, at most two decimals */
    public readonly Amount $blockedBalance;

    /** Reais, at most two decimals */
    public readonly Amount $retainedBalance;

    /** Reais, at most two decimals */
    public readonly Amount $provisionedBalance;

    /** What the service has advanced and the next inflows repay: a debt, in none of the others */
    public readonly Amount $shortfallBalance;

    public readonly string $currency;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->availableBalance = Read::amount($data['available_balance'] ?? null);
        $this->pendingBalance = Read::amount($data['pending_balance'] ?? null);
        $this->blockedBalance = Read::amount($data['blocked_balance'] ?? null);
        $this->retainedBalance = Read::amount($data['retained_balance'] ?? null);
        $this->provisionedBalance = Read::amount($data['provisioned_balance'] ?? null);
        $this->shortfallBalance = Read::amount($data['shortfall_balance'] ?? null);
        $this->currency = Read::text($data['currency'] ?? null);
    }
}

class Bank
{
    /** COMPE code; empty where the bank has none */
    public readonly string $code;

    public readonly string $name;

    public readonly string $ispb;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->code = Read::text($data['code'] ?? null);
        $this->name = Read::text($data['name'] ?? null);
        $this->ispb = Read::text($data['ispb'] ?? null);
    }
}

class Charge
{
    public readonly string $uuid;

    /** Reais that the merchant asked; 0 where the payer chooses */
    public readonly Amount $value;

    /** Reais that the payer pays: `value` and `fees`. Of an open amount what was paid */
    public readonly Amount $totalValue;

    /** Reais that the payer pays on top of `value`. Of an open amount they come out of it */
    public readonly Amount $fees;

    public readonly string $currency;

    /**
     * UNDEFINED, PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING; a newer API
     * may have others.
     */
    public readonly string $status;

    public readonly string $type;

    public readonly ?string $externalRef;

    public readonly ?FinalBeneficiaryShown $finalBeneficiary;

    public readonly ?DebtorShown $debtor;

    /** PERSON, COMPANY; a newer API may have others. */
    public readonly ?string $payerKind;

    /** FULL, ROOT; a newer API may have others. */
    public readonly ?string $match;

    public readonly ?string $message;

    /** @var array<string, string>|null */
    public readonly ?array $metadata;

    /** Only of a charge with a due date: how often it was changed by PATCH */
    public readonly ?int $revision;

    /** @var list<Split> */
    public readonly array $splits;

    /** @var list<StatusChange> */
    public readonly array $history;

    public readonly ProviderShown $provider;

    /** The static code of the account that it was paid to */
    public readonly ?string $qrCodeUuid;

    /** The recurrence whose payer it debits, and for which cycle */
    public readonly ?ChargeCycle $recurrence;

    /** Only on a FAILED charge: why no provider issued it, or why its debit failed */
    public readonly ?ChargeError $error;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** Sum of the settled refunds and returns */
    public readonly Amount $refundedValue;

    /**
     * What the charge leaves to its account and its splits: what the payer paid, less `fees`, less
     * `refunded_value`, less the fees of these refunds. 0 until it is paid; below 0 once more was refunded than
     * was left
     */
    public readonly Amount $netValue;

    /**
     * Its refunds in any status, oldest first
     *
     * @var list<string>
     */
    public readonly array $refundUuids;

    public readonly Payment $payment;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->totalValue = Read::amount($data['total_value'] ?? null);
        $this->fees = Read::amount($data['fees'] ?? null);
        $this->currency = Read::text($data['currency'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->externalRef = isset($data['external_ref']) ? Read::text($data['external_ref']) : null;
        $this->finalBeneficiary = isset($data['final_beneficiary']) ? new FinalBeneficiaryShown(Read::object($data['final_beneficiary'])) : null;
        $this->debtor = isset($data['debtor']) ? new DebtorShown(Read::object($data['debtor'])) : null;
        $this->payerKind = isset($data['payer_kind']) ? Read::text($data['payer_kind']) : null;
        $this->match = isset($data['match']) ? Read::text($data['match']) : null;
        $this->message = isset($data['message']) ? Read::text($data['message']) : null;
        $this->metadata = isset($data['metadata']) ? Read::object($data['metadata']) : null;
        $this->revision = isset($data['revision']) ? Read::integer($data['revision']) : null;
        $this->splits = Read::items($data['splits'] ?? null, static fn (mixed $item) => new Split(Read::object($item)));
        $this->history = Read::items($data['history'] ?? null, static fn (mixed $item) => new StatusChange(Read::object($item)));
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
        $this->qrCodeUuid = isset($data['qr_code_uuid']) ? Read::text($data['qr_code_uuid']) : null;
        $this->recurrence = isset($data['recurrence']) ? new ChargeCycle(Read::object($data['recurrence'])) : null;
        $this->error = isset($data['error']) ? new ChargeError(Read::object($data['error'])) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
        $this->refundedValue = Read::amount($data['refunded_value'] ?? null);
        $this->netValue = Read::amount($data['net_value'] ?? null);
        $this->refundUuids = Read::items($data['refund_uuids'] ?? null, static fn (mixed $item) => Read::text($item));
        $this->payment = new Payment(Read::object($data['payment'] ?? null));
    }
}

class ChargeCycle
{
    public readonly string $uuid;

    public readonly int $cycle;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->cycle = Read::integer($data['cycle'] ?? null);
    }
}

class ChargeError
{
    public readonly string $code;

    public readonly string $message;

    public readonly ?string $providerCode;

    public readonly ?string $provider;

    /** @var list<ChargeErrorAttempt> */
    public readonly array $attempts;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->code = Read::text($data['code'] ?? null);
        $this->message = Read::text($data['message'] ?? null);
        $this->providerCode = isset($data['provider_code']) ? Read::text($data['provider_code']) : null;
        $this->provider = isset($data['provider']) ? Read::text($data['provider']) : null;
        $this->attempts = Read::items($data['attempts'] ?? null, static fn (mixed $item) => new ChargeErrorAttempt(Read::object($item)));
    }
}

class ChargeErrorAttempt
{
    public readonly string $provider;

    public readonly string $outcome;

    public readonly string $code;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->provider = Read::text($data['provider'] ?? null);
        $this->outcome = Read::text($data['outcome'] ?? null);
        $this->code = Read::text($data['code'] ?? null);
    }
}

class ChargePix
{
    public readonly ?Party $sender;

    public readonly Party $receiver;

    /** Id of the charge at its provider; null for transfers and refunds */
    public readonly ?string $txid;

    /** Reais as a decimal string with two decimals */
    public readonly Amount $value;

    /** QR_DYNAMIC, QR_STATIC, KEY, MANUAL, AUTOMATIC, REFUND; a newer API may have others. */
    public readonly string $type;

    public readonly string $pixKey;

    /** @var list<AdditionalInfo> */
    public readonly array $additionalInfo;

    public readonly ?ChargeTransaction $transaction;

    /** PENDING, COMPLETED, FAILED, EXPIRED, CANCELLED; a newer API may have others. */
    public readonly string $status;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $expiresAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->sender = isset($data['sender']) ? new Party(Read::object($data['sender'])) : null;
        $this->receiver = new Party(Read::object($data['receiver'] ?? null));
        $this->txid = isset($data['txid']) ? Read::text($data['txid']) : null;
        $this->value = Read::amount($data['value'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->pixKey = Read::text($data['pix_key'] ?? null);
        $this->additionalInfo = Read::items($data['additional_info'] ?? null, static fn (mixed $item) => new AdditionalInfo(Read::object($item)));
        $this->transaction = isset($data['transaction']) ? new ChargeTransaction(Read::object($data['transaction'])) : null;
        $this->status = Read::text($data['status'] ?? null);
        $this->expiresAt = isset($data['expires_at']) ? Read::time($data['expires_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class ChargeTransaction
{
    public readonly string $uuid;

    /** Reais as a decimal string with two decimals */
    public readonly Amount $value;

    /** IN, OUT; a newer API may have others. */
    public readonly string $movementType;

    /** EXTERNAL_TRANSFER, EXTERNAL_REFUND; a newer API may have others. */
    public readonly string $type;

    /** PENDING, SETTLED, FAILED; a newer API may have others. */
    public readonly string $status;

    /** End-to-end id of the PIX, 32 characters; empty until its provider reports it */
    public readonly string $endToEnd;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $settledAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->movementType = Read::text($data['movement_type'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->endToEnd = Read::text($data['end_to_end'] ?? null);
        $this->settledAt = isset($data['settled_at']) ? Read::time($data['settled_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class CodeReading
{
    public readonly string $uuid;

    /**
     * STATIC: a key, with or without a value. DYNAMIC: a charge at the receiver’s bank, DUE: one with a due date.
     * RECURRENCE: an authorization of Pix Automático. COMPOSITE: a charge and a recurrence, of which the charge is
     * shown
     * STATIC, DYNAMIC, DUE, RECURRENCE, COMPOSITE; a newer API may have others.
     */
    public readonly string $kind;

    public readonly Party $receiver;

    public readonly ?string $txid;

    public readonly CodeValue $value;

    /**
     * What the receiver’s bank says of it at this moment. A static code is PAYABLE: its key is looked up when it
     * is paid
     * PAYABLE, PAID, REMOVED, EXPIRED, TOO_EARLY; a newer API may have others.
     */
    public readonly string $status;

    /** Of a charge with a due date: the end of its last day, weekends counted and holidays not */
    public readonly ?\DateTimeImmutable $expiresAt;

    /**
     * VERIFIED: the certificate that signed the charge is of the trust store of this installation. UNVERIFIED: its
     * chain was not checked, or the code is static
     * VERIFIED, UNVERIFIED; a newer API may have others.
     */
    public readonly string $signature;

    /** The charge of this account that has the code */
    public readonly ?string $ownChargeUuid;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->kind = Read::text($data['kind'] ?? null);
        $this->receiver = new Party(Read::object($data['receiver'] ?? null));
        $this->txid = isset($data['txid']) ? Read::text($data['txid']) : null;
        $this->value = new CodeValue(Read::object($data['value'] ?? null));
        $this->status = Read::text($data['status'] ?? null);
        $this->expiresAt = isset($data['expires_at']) ? Read::time($data['expires_at']) : null;
        $this->signature = Read::text($data['signature'] ?? null);
        $this->ownChargeUuid = isset($data['own_charge_uuid']) ? Read::text($data['own_charge_uuid']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
    }
}

class CodeValue
{
    /** Reais, at most two decimals */
    public readonly Amount $original;

    /** Reais to be paid on `pay_on`, or today */
    public readonly Amount $dueNow;

    /** Reais, at most two decimals */
    public readonly Amount $fine;

    /** Reais, at most two decimals */
    public readonly Amount $interest;

    /** Reais, at most two decimals */
    public readonly Amount $discount;

    /** Reais, at most two decimals */
    public readonly Amount $abatement;

    /** The payer chooses the value; `due_now` may propose one */
    public readonly bool $open;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->original = Read::amount($data['original'] ?? null);
        $this->dueNow = Read::amount($data['due_now'] ?? null);
        $this->fine = Read::amount($data['fine'] ?? null);
        $this->interest = Read::amount($data['interest'] ?? null);
        $this->discount = Read::amount($data['discount'] ?? null);
        $this->abatement = Read::amount($data['abatement'] ?? null);
        $this->open = Read::flag($data['open'] ?? null);
    }
}

class Contest
{
    /**
     * PENDING until it was handed to the provider, PROCESSING until its decision
     * PENDING, PROCESSING, ACCEPTED, REJECTED; a newer API may have others.
     */
    public readonly string $status;

    public readonly string $analysis;

    /** Reference of the provider */
    public readonly ?string $protocol;

    /** What came back by it */
    public readonly ?Amount $value;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->status = Read::text($data['status'] ?? null);
        $this->analysis = Read::text($data['analysis'] ?? null);
        $this->protocol = isset($data['protocol']) ? Read::text($data['protocol']) : null;
        $this->value = isset($data['value']) ? Read::amount($data['value']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class CreatedCharge
{
    public readonly string $uuid;

    /** Reais that the merchant asked; 0 where the payer chooses */
    public readonly Amount $value;

    /** Reais that the payer pays: `value` and `fees`. Of an open amount what was paid */
    public readonly Amount $totalValue;

    /** Reais that the payer pays on top of `value`. Of an open amount they come out of it */
    public readonly Amount $fees;

    public readonly string $currency;

    /**
     * UNDEFINED, PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING; a newer API
     * may have others.
     */
    public readonly string $status;

    public readonly string $type;

    public readonly ?string $externalRef;

    public readonly ?FinalBeneficiaryShown $finalBeneficiary;

    public readonly ?DebtorShown $debtor;

    /** PERSON, COMPANY; a newer API may have others. */
    public readonly ?string $payerKind;

    /** FULL, ROOT; a newer API may have others. */
    public readonly ?string $match;

    public readonly ?string $message;

    /** @var array<string, string>|null */
    public readonly ?array $metadata;

    /** Only of a charge with a due date: how often it was changed by PATCH */
    public readonly ?int $revision;

    /** @var list<Split> */
    public readonly array $splits;

    /** @var list<StatusChange> */
    public readonly array $history;

    public readonly ProviderShown $provider;

    /** The static code of the account that it was paid to */
    public readonly ?string $qrCodeUuid;

    /** The recurrence whose payer it debits, and for which cycle */
    public readonly ?ChargeCycle $recurrence;

    /** Only on a FAILED charge: why no provider issued it, or why its debit failed */
    public readonly ?ChargeError $error;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    public readonly CreatedPayment $payment;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->totalValue = Read::amount($data['total_value'] ?? null);
        $this->fees = Read::amount($data['fees'] ?? null);
        $this->currency = Read::text($data['currency'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->externalRef = isset($data['external_ref']) ? Read::text($data['external_ref']) : null;
        $this->finalBeneficiary = isset($data['final_beneficiary']) ? new FinalBeneficiaryShown(Read::object($data['final_beneficiary'])) : null;
        $this->debtor = isset($data['debtor']) ? new DebtorShown(Read::object($data['debtor'])) : null;
        $this->payerKind = isset($data['payer_kind']) ? Read::text($data['payer_kind']) : null;
        $this->match = isset($data['match']) ? Read::text($data['match']) : null;
        $this->message = isset($data['message']) ? Read::text($data['message']) : null;
        $this->metadata = isset($data['metadata']) ? Read::object($data['metadata']) : null;
        $this->revision = isset($data['revision']) ? Read::integer($data['revision']) : null;
        $this->splits = Read::items($data['splits'] ?? null, static fn (mixed $item) => new Split(Read::object($item)));
        $this->history = Read::items($data['history'] ?? null, static fn (mixed $item) => new StatusChange(Read::object($item)));
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
        $this->qrCodeUuid = isset($data['qr_code_uuid']) ? Read::text($data['qr_code_uuid']) : null;
        $this->recurrence = isset($data['recurrence']) ? new ChargeCycle(Read::object($data['recurrence'])) : null;
        $this->error = isset($data['error']) ? new ChargeError(Read::object($data['error'])) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
        $this->payment = new CreatedPayment(Read::object($data['payment'] ?? null));
    }
}

class CreatedPayment
{
    public readonly string $uuid;

    /** PENDING, COMPLETED, FAILED, EXPIRED, CANCELLED; a newer API may have others. */
    public readonly string $status;

    /** The copy-and-paste PIX code; empty of the debit of a recurrence */
    public readonly string $payload;

    public readonly ChargePix $pix;

    /**
     * Null of a static code, which does not expire. Of a charge with a due date the end of its last payable day in
     * Brasília, moved to the next business day
     */
    public readonly ?\DateTimeImmutable $expiresAt;

    public readonly ?DueShown $due;

    /**
     * Of a charge with a due date that can be paid: a forecast of what it costs today, by the national bank
     * holidays. The provider computes what is paid; a state or municipal holiday where the payer lives can move
     * the due day
     */
    public readonly ?AmountDue $amountDue;

    /** Of a paid charge with a due date: what was paid, and what that consists of where its provider reports it */
    public readonly ?PaidParts $paid;

    /**
     * Only of the debit of a recurrence: its tries, as its provider has reported them
     *
     * @var list<DebitTry>|null
     */
    public readonly ?array $tries;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    public readonly string $type;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->payload = Read::text($data['payload'] ?? null);
        $this->pix = new ChargePix(Read::object($data['pix'] ?? null));
        $this->expiresAt = isset($data['expires_at']) ? Read::time($data['expires_at']) : null;
        $this->due = isset($data['due']) ? new DueShown(Read::object($data['due'])) : null;
        $this->amountDue = isset($data['amount_due']) ? new AmountDue(Read::object($data['amount_due'])) : null;
        $this->paid = isset($data['paid']) ? new PaidParts(Read::object($data['paid'])) : null;
        $this->tries = isset($data['tries']) ? Read::items($data['tries'], static fn (mixed $item) => new DebitTry(Read::object($item))) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
    }
}

/** Of a page by `cursor` */
class CursorPageMeta
{
    public readonly int $perPage;

    /** The `cursor` of the next page, for 24 hours; null on the last one */
    public readonly ?string $nextCursor;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->perPage = Read::integer($data['per_page'] ?? null);
        $this->nextCursor = isset($data['next_cursor']) ? Read::text($data['next_cursor']) : null;
    }
}

class DebitTry
{
    public readonly string $on;

    /**
     * FIRST on the due day, RETRY on a later one, SAME_DAY where the bank is asked again on the day of one that
     * failed
     * FIRST, RETRY, SAME_DAY; a newer API may have others.
     */
    public readonly string $kind;

    /** REQUESTED, SCHEDULED, PAID, CANCELLED, REJECTED, EXPIRED; a newer API may have others. */
    public readonly string $status;

    /** Why it was rejected, a code of the rail */
    public readonly ?string $code;

    public readonly ?string $endToEnd;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->on = Read::text($data['on'] ?? null);
        $this->kind = Read::text($data['kind'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->code = isset($data['code']) ? Read::text($data['code']) : null;
        $this->endToEnd = isset($data['end_to_end']) ? Read::text($data['end_to_end']) : null;
    }
}

/** Who is to pay; providers show it to the payer */
class Debtor
{
    public readonly string $name;

    /** CPF or CNPJ with valid check digits, without formatting */
    public readonly string $document;

    public readonly ?string $email;

    public readonly ?DebtorAddress $address;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->document = Read::text($data['document'] ?? null);
        $this->email = isset($data['email']) ? Read::text($data['email']) : null;
        $this->address = isset($data['address']) ? new DebtorAddress(Read::object($data['address'])) : null;
    }
}

/** Needed by some providers for a charge with a due date */
class DebtorAddress
{
    public readonly string $street;

    public readonly ?string $number;

    public readonly ?string $complement;

    public readonly ?string $neighborhood;

    public readonly string $city;

    public readonly string $state;

    /** CEP, without formatting */
    public readonly string $zipCode;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->street = Read::text($data['street'] ?? null);
        $this->number = isset($data['number']) ? Read::text($data['number']) : null;
        $this->complement = isset($data['complement']) ? Read::text($data['complement']) : null;
        $this->neighborhood = isset($data['neighborhood']) ? Read::text($data['neighborhood']) : null;
        $this->city = Read::text($data['city'] ?? null);
        $this->state = Read::text($data['state'] ?? null);
        $this->zipCode = Read::text($data['zip_code'] ?? null);
    }
}

class DebtorShown
{
    public readonly string $name;

    public readonly string $document;

    public readonly ?string $email;

    public readonly ?DebtorAddress $address;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->document = Read::text($data['document'] ?? null);
        $this->email = isset($data['email']) ? Read::text($data['email']) : null;
        $this->address = isset($data['address']) ? new DebtorAddress(Read::object($data['address'])) : null;
    }
}

class DefaultProvider
{
    /** The value of a `provider_uuid` */
    public readonly string $uuid;

    /**
     * UNDEFINED, ACTIVE, INFORMATION_PENDING, KYC_PENDING, KYC_ANALYSIS, KYC_REJECTED, LIVENESS_PENDING,
     * LIVENESS_APPROVED, LIVENESS_REJECTED, CONFIGURATION_PENDING, BLOCKED, INACTIVE; a newer API may have others.
     */
    public readonly string $status;

    /** PROVIDER_A, PROVIDER_B, PROVIDER_C, PROVIDER_D; a newer API may have others. */
    public readonly string $provider;

    /** NOMINAL, POOL; a newer API may have others. */
    public readonly string $type;

    /** ACTIVE and the integration is healthy */
    public readonly bool $isOperational;

    /** Whether calls may name it */
    public readonly bool $isPublic;

    /** Reais that one transfer through it may send at most; null where no limit is set */
    public readonly ?Amount $maxPerTransfer;

    /** null for POOL */
    public readonly ?VirtualAccount $virtualAccount;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->provider = Read::text($data['provider'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->isOperational = Read::flag($data['is_operational'] ?? null);
        $this->isPublic = Read::flag($data['is_public'] ?? null);
        $this->maxPerTransfer = isset($data['max_per_transfer']) ? Read::amount($data['max_per_transfer']) : null;
        $this->virtualAccount = isset($data['virtual_account']) ? new VirtualAccount(Read::object($data['virtual_account'])) : null;
    }
}

class Delivery
{
    public readonly string $uuid;

    public readonly EventReference $event;

    /** PENDING, DELIVERED, FAILED, CANCELLED; a newer API may have others. */
    public readonly string $status;

    /**
     * When the next attempt is due, or was due if it is running. Null after the last attempt, and possibly until
     * the first has an outcome
     */
    public readonly ?\DateTimeImmutable $nextAttemptAt;

    /**
     * The latest twenty, in their order
     *
     * @var list<DeliveryAttempt>
     */
    public readonly array $attempts;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->event = new EventReference(Read::object($data['event'] ?? null));
        $this->status = Read::text($data['status'] ?? null);
        $this->nextAttemptAt = isset($data['next_attempt_at']) ? Read::time($data['next_attempt_at']) : null;
        $this->attempts = Read::items($data['attempts'] ?? null, static fn (mixed $item) => new DeliveryAttempt(Read::object($item)));
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class DeliveryAttempt
{
    public readonly int $number;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $at;

    /** The HTTP status; null where there was no answer */
    public readonly ?int $status;

    /** Why there was none: refused_address, no_connection, timeout, broken */
    public readonly ?string $failure;

    public readonly int $durationMs;

    /** The beginning of the answer, at most 1 kB */
    public readonly string $answer;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->number = Read::integer($data['number'] ?? null);
        $this->at = Read::time($data['at'] ?? null);
        $this->status = isset($data['status']) ? Read::integer($data['status']) : null;
        $this->failure = isset($data['failure']) ? Read::text($data['failure']) : null;
        $this->durationMs = Read::integer($data['duration_ms'] ?? null);
        $this->answer = Read::text($data['answer'] ?? null);
    }
}

class Deposit
{
    public readonly string $uuid;

    public readonly Initiation $initiation;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** IN, OUT; a newer API may have others. */
    public readonly string $movementType;

    /** EXTERNAL_TRANSFER, EXTERNAL_REFUND; a newer API may have others. */
    public readonly string $type;

    /** PENDING, SETTLED, FAILED; a newer API may have others. */
    public readonly string $status;

    /** End-to-end id of the PIX, 32 characters; empty until its provider reports it */
    public readonly string $endToEnd;

    public readonly ?string $chargeUuid;

    /** The transfer that this one pays, pays again or returns */
    public readonly ?string $transferUuid;

    /** The movement that this one returns */
    public readonly ?string $originalUuid;

    /** The connection that carried this PIX; absent where none is known */
    public readonly ?ProviderShown $provider;

    /**
     * Why this PIX is not the payment of a charge, or that it settled twice or after it had failed; absent
     * otherwise
     * deposit, second_payment, wrong_amount, wrong_payer, unknown_payer, charge_over, code_disabled, orphan,
     * duplicate_settlement, late_settlement, provider_tariff, provider_withdrawal, provider_credit,
     * provider_block, provider_unblock, panel_transfer, panel_return, opening_balance, adjustment; a newer API may
     * have others.
     */
    public readonly ?string $reason;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $settledAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** Null while it stays with the account */
    public readonly ?DepositReturn $return;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->initiation = new Initiation(Read::object($data['initiation'] ?? null));
        $this->value = Read::amount($data['value'] ?? null);
        $this->movementType = Read::text($data['movement_type'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->endToEnd = Read::text($data['end_to_end'] ?? null);
        $this->chargeUuid = isset($data['charge_uuid']) ? Read::text($data['charge_uuid']) : null;
        $this->transferUuid = isset($data['transfer_uuid']) ? Read::text($data['transfer_uuid']) : null;
        $this->originalUuid = isset($data['original_uuid']) ? Read::text($data['original_uuid']) : null;
        $this->provider = isset($data['provider']) ? new ProviderShown(Read::object($data['provider'])) : null;
        $this->reason = isset($data['reason']) ? Read::text($data['reason']) : null;
        $this->settledAt = isset($data['settled_at']) ? Read::time($data['settled_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
        $this->return = isset($data['return']) ? new DepositReturn(Read::object($data['return'])) : null;
    }
}

class DepositReturn
{
    /** PROCESSING, REVIEW, COMPLETED, FAILED; a newer API may have others. */
    public readonly string $status;

    /** The order of its POST; absent where the account policy or an operator returns it */
    public readonly ?string $uuid;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $createdAt;

    public readonly ?DepositReturnError $error;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->status = Read::text($data['status'] ?? null);
        $this->uuid = isset($data['uuid']) ? Read::text($data['uuid']) : null;
        $this->createdAt = isset($data['created_at']) ? Read::time($data['created_at']) : null;
        $this->error = isset($data['error']) ? new DepositReturnError(Read::object($data['error'])) : null;
    }
}

class DepositReturnError
{
    public readonly string $code;

    public readonly string $message;

    public readonly ?string $providerCode;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->code = Read::text($data['code'] ?? null);
        $this->message = Read::text($data['message'] ?? null);
        $this->providerCode = isset($data['provider_code']) ? Read::text($data['provider_code']) : null;
    }
}

class Discount
{
    /**
     * An amount, or a share of the value
     * FIXED, PERCENTAGE; a newer API may have others.
     */
    public readonly string $type;

    /**
     * For paying until a day
     *
     * @var list<Until>|null
     */
    public readonly ?array $until;

    public readonly ?DiscountPerDay $perDay;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->until = isset($data['until']) ? Read::items($data['until'], static fn (mixed $item) => new Until(Read::object($item))) : null;
        $this->perDay = isset($data['per_day']) ? new DiscountPerDay(Read::object($data['per_day'])) : null;
    }
}

/** For each day before the due day */
class DiscountPerDay
{
    /**
     * Which days count: all, or those on which banks settle
     * CALENDAR, BUSINESS; a newer API may have others.
     */
    public readonly string $days;

    /** Reais where FIXED, percent where PERCENTAGE (2 is 2 %), at most 99.99 */
    public readonly Amount $value;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->days = Read::text($data['days'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
    }
}

class Dispute
{
    public readonly string $uuid;

    public readonly DisputeRecord $pixInTransaction;

    /** @var list<Attachment> */
    public readonly array $attachments;

    /** RECEIVED_MED, REQUESTED_MED; a newer API may have others. */
    public readonly string $medType;

    /** UNDEFINED, SCAM, WRONG_TRANSACTION, COERCION_CRIME, UNAUTHORIZED_ACCESS; a newer API may have others. */
    public readonly string $disputeType;

    /** PENDING, PROCESSING, ACCEPTED, REJECTED, CANCELLED; a newer API may have others. */
    public readonly string $status;

    public readonly string $details;

    /** Of the reply, or the provider’s while there is none */
    public readonly string $analysis;

    /** Why the provider refused the last reply; absent once there is another */
    public readonly ?DisputeFailure $replyError;

    /** Of a REQUESTED_MED that is REJECTED: why the provider refused the request */
    public readonly ?DisputeFailure $error;

    /**
     * Whether it is over. True with `PROCESSING`: no decision was published in the 91 days in which money could be
     * returned, and nothing is blocked any more
     */
    public readonly bool $resolved;

    /** Deadline of the reply */
    public readonly \DateTimeImmutable $dueAt;

    /** Disputed amount */
    public readonly Amount $value;

    /** Amount blocked for the dispute now */
    public readonly Amount $blockedValue;

    /** Of a REQUESTED_MED: what came back by it */
    public readonly ?Amount $recoveredValue;

    /**
     * Of a REQUESTED_MED whose provider shows it: how far the Central Bank has come, from bank to bank that the
     * money has reached
     */
    public readonly ?Recovery $recovery;

    /** Of money that was returned by a RECEIVED_MED: until then it may be contested */
    public readonly ?\DateTimeImmutable $contestableUntil;

    /** Absent while what was returned has not been contested */
    public readonly ?Contest $contest;

    public readonly ?string $chargeUuid;

    public readonly ?string $transferUuid;

    public readonly ProviderShown $provider;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->pixInTransaction = new DisputeRecord(Read::object($data['pix_in_transaction'] ?? null));
        $this->attachments = Read::items($data['attachments'] ?? null, static fn (mixed $item) => new Attachment(Read::object($item)));
        $this->medType = Read::text($data['med_type'] ?? null);
        $this->disputeType = Read::text($data['dispute_type'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->details = Read::text($data['details'] ?? null);
        $this->analysis = Read::text($data['analysis'] ?? null);
        $this->replyError = isset($data['reply_error']) ? new DisputeFailure(Read::object($data['reply_error'])) : null;
        $this->error = isset($data['error']) ? new DisputeFailure(Read::object($data['error'])) : null;
        $this->resolved = Read::flag($data['resolved'] ?? null);
        $this->dueAt = Read::time($data['due_at'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->blockedValue = Read::amount($data['blocked_value'] ?? null);
        $this->recoveredValue = isset($data['recovered_value']) ? Read::amount($data['recovered_value']) : null;
        $this->recovery = isset($data['recovery']) ? new Recovery(Read::object($data['recovery'])) : null;
        $this->contestableUntil = isset($data['contestable_until']) ? Read::time($data['contestable_until']) : null;
        $this->contest = isset($data['contest']) ? new Contest(Read::object($data['contest'])) : null;
        $this->chargeUuid = isset($data['charge_uuid']) ? Read::text($data['charge_uuid']) : null;
        $this->transferUuid = isset($data['transfer_uuid']) ? Read::text($data['transfer_uuid']) : null;
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class DisputeFailure
{
    public readonly string $code;

    public readonly string $message;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->code = Read::text($data['code'] ?? null);
        $this->message = Read::text($data['message'] ?? null);
    }
}

class DisputeInitiation
{
    public readonly ?Party $sender;

    public readonly Party $receiver;

    /** Id of the charge at its provider; null for transfers and refunds */
    public readonly ?string $txid;

    /** Reais as a decimal string with two decimals */
    public readonly Amount $value;

    /** QR_DYNAMIC, QR_STATIC, KEY, MANUAL, AUTOMATIC, REFUND; a newer API may have others. */
    public readonly string $type;

    public readonly string $pixKey;

    /** @var list<AdditionalInfo> */
    public readonly array $additionalInfo;

    /** PENDING, COMPLETED, FAILED; a newer API may have others. */
    public readonly string $status;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $expiresAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->sender = isset($data['sender']) ? new Party(Read::object($data['sender'])) : null;
        $this->receiver = new Party(Read::object($data['receiver'] ?? null));
        $this->txid = isset($data['txid']) ? Read::text($data['txid']) : null;
        $this->value = Read::amount($data['value'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->pixKey = Read::text($data['pix_key'] ?? null);
        $this->additionalInfo = Read::items($data['additional_info'] ?? null, static fn (mixed $item) => new AdditionalInfo(Read::object($item)));
        $this->status = Read::text($data['status'] ?? null);
        $this->expiresAt = isset($data['expires_at']) ? Read::time($data['expires_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

/** The disputed PIX */
class DisputeRecord
{
    public readonly string $uuid;

    public readonly DisputeInitiation $initiation;

    /** Reais as a decimal string with two decimals */
    public readonly Amount $value;

    /** IN, OUT; a newer API may have others. */
    public readonly string $movementType;

    /** EXTERNAL_TRANSFER, EXTERNAL_REFUND; a newer API may have others. */
    public readonly string $type;

    /** PENDING, SETTLED, FAILED; a newer API may have others. */
    public readonly string $status;

    /** End-to-end id of the PIX, 32 characters; empty until its provider reports it */
    public readonly string $endToEnd;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $settledAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->initiation = new DisputeInitiation(Read::object($data['initiation'] ?? null));
        $this->value = Read::amount($data['value'] ?? null);
        $this->movementType = Read::text($data['movement_type'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->endToEnd = Read::text($data['end_to_end'] ?? null);
        $this->settledAt = isset($data['settled_at']) ? Read::time($data['settled_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

/**
 * When the charge is to be paid, and what its provider adds or subtracts for the day of payment. Excludes
 * `expires_in`
 */
class Due
{
    /** A day in Brasília, `YYYY-MM-DD` */
    public readonly string $on;

    /** Days after the due day on which it can still be paid, from 0 to 365 */
    public readonly ?int $payableDaysAfter;

    public readonly ?Fine $fine;

    public readonly ?Interest $interest;

    public readonly ?Abatement $abatement;

    public readonly ?Discount $discount;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->on = Read::text($data['on'] ?? null);
        $this->payableDaysAfter = isset($data['payable_days_after']) ? Read::integer($data['payable_days_after']) : null;
        $this->fine = isset($data['fine']) ? new Fine(Read::object($data['fine'])) : null;
        $this->interest = isset($data['interest']) ? new Interest(Read::object($data['interest'])) : null;
        $this->abatement = isset($data['abatement']) ? new Abatement(Read::object($data['abatement'])) : null;
        $this->discount = isset($data['discount']) ? new Discount(Read::object($data['discount'])) : null;
    }
}

class DueAmount
{
    /** FIXED, PERCENTAGE; a newer API may have others. */
    public readonly string $type;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
    }
}

class DueDiscount
{
    /** FIXED, PERCENTAGE; a newer API may have others. */
    public readonly string $type;

    /** @var list<Until>|null */
    public readonly ?array $until;

    public readonly ?DueDiscountPerDay $perDay;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->until = isset($data['until']) ? Read::items($data['until'], static fn (mixed $item) => new Until(Read::object($item))) : null;
        $this->perDay = isset($data['per_day']) ? new DueDiscountPerDay(Read::object($data['per_day'])) : null;
    }
}

class DueDiscountPerDay
{
    /** CALENDAR, BUSINESS; a newer API may have others. */
    public readonly string $days;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->days = Read::text($data['days'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
    }
}

class DueInterest
{
    /** FIXED, PERCENTAGE; a newer API may have others. */
    public readonly string $type;

    /** DAY, MONTH, YEAR; a newer API may have others. */
    public readonly string $per;

    /** CALENDAR, BUSINESS; a newer API may have others. */
    public readonly string $days;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->per = Read::text($data['per'] ?? null);
        $this->days = Read::text($data['days'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
    }
}

class DueShown
{
    public readonly string $on;

    public readonly int $payableDaysAfter;

    public readonly ?DueAmount $fine;

    public readonly ?DueInterest $interest;

    public readonly ?DueAmount $abatement;

    public readonly ?DueDiscount $discount;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->on = Read::text($data['on'] ?? null);
        $this->payableDaysAfter = Read::integer($data['payable_days_after'] ?? null);
        $this->fine = isset($data['fine']) ? new DueAmount(Read::object($data['fine'])) : null;
        $this->interest = isset($data['interest']) ? new DueInterest(Read::object($data['interest'])) : null;
        $this->abatement = isset($data['abatement']) ? new DueAmount(Read::object($data['abatement'])) : null;
        $this->discount = isset($data['discount']) ? new DueDiscount(Read::object($data['discount'])) : null;
    }
}

/** Within these seconds the same value to the same key is sent only with `allow_duplicate`; 0: none */
class DuplicateGuard
{
    public readonly int $seconds;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->seconds = Read::integer($data['seconds'] ?? null);
    }
}

class EventReference
{
    public readonly string $id;

    /**
     * PAYMENT, TRANSFER, REFUND, MED, PIX_TRANSACTION, BATCH, RECURRENCE, REPORT, TEST; a newer API may have
     * others.
     */
    public readonly string $type;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->id = Read::text($data['id'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
    }
}

/** The seller on whose behalf the account collects or pays */
class FinalBeneficiary
{
    public readonly string $name;

    /** CPF or CNPJ with valid check digits, without formatting */
    public readonly string $document;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->document = Read::text($data['document'] ?? null);
    }
}

class FinalBeneficiaryShown
{
    public readonly string $name;

    public readonly string $document;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->document = Read::text($data['document'] ?? null);
    }
}

class Fine
{
    /**
     * An amount, or a share of the value
     * FIXED, PERCENTAGE; a newer API may have others.
     */
    public readonly string $type;

    /** Reais where FIXED, percent where PERCENTAGE (2 is 2 %), at most 99.99 */
    public readonly Amount $value;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
    }
}

/**
 * The body of `POST /payments`, without `provider_uuid`; where it names no `debtor`, it is that of the
 * recurrence
 */
class FirstCharge
{
    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** PIX is the only type */
    public readonly string $type;

    /** Your reference, such as the number of an order */
    public readonly ?string $externalRef;

    public readonly ?FinalBeneficiary $finalBeneficiary;

    /**
     * Shares of other accounts in what the charge brings in, at most the whole value; the pair of recipient and
     * type is unique
     *
     * @var list<SplitInput>|null
     */
    public readonly ?array $splits;

    public readonly ?Debtor $debtor;

    /**
     * Only the `debtor` may pay. A PIX of another document never pays the charge: it is returned or reviewed, as
     * the account has chosen, and the charge stays PENDING
     */
    public readonly ?bool $verifySender;

    /**
     * Only persons (CPF) or only companies (CNPJ) may pay
     * PERSON, COMPANY; a newer API may have others.
     */
    public readonly ?string $payerKind;

    /**
     * With `verify_sender`: FULL compares the whole document; ROOT allows every CNPJ with the first eight
     * characters of the debtor's. FULL where absent
     * FULL, ROOT; a newer API may have others.
     */
    public readonly ?string $match;

    /**
     * Seconds until the charge can be paid no more, from 60 to 30 days; by default a day. Without effect on a
     * static code, which does not expire; not for a charge with a due date
     */
    public readonly ?int $expiresIn;

    public readonly ?Due $due;

    /** Text that the payer is shown */
    public readonly ?string $message;

    /**
     * Texts that the payer is shown besides `message`, where the provider shows any
     *
     * @var list<AdditionalInfoInput>|null
     */
    public readonly ?array $additionalInfo;

    /**
     * Texts of yours, at most 30
     *
     * @var array<string, string>|null
     */
    public readonly ?array $metadata;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->value = Read::amount($data['value'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->externalRef = isset($data['external_ref']) ? Read::text($data['external_ref']) : null;
        $this->finalBeneficiary = isset($data['final_beneficiary']) ? new FinalBeneficiary(Read::object($data['final_beneficiary'])) : null;
        $this->splits = isset($data['splits']) ? Read::items($data['splits'], static fn (mixed $item) => new SplitInput(Read::object($item))) : null;
        $this->debtor = isset($data['debtor']) ? new Debtor(Read::object($data['debtor'])) : null;
        $this->verifySender = isset($data['verify_sender']) ? Read::flag($data['verify_sender']) : null;
        $this->payerKind = isset($data['payer_kind']) ? Read::text($data['payer_kind']) : null;
        $this->match = isset($data['match']) ? Read::text($data['match']) : null;
        $this->expiresIn = isset($data['expires_in']) ? Read::integer($data['expires_in']) : null;
        $this->due = isset($data['due']) ? new Due(Read::object($data['due'])) : null;
        $this->message = isset($data['message']) ? Read::text($data['message']) : null;
        $this->additionalInfo = isset($data['additional_info']) ? Read::items($data['additional_info'], static fn (mixed $item) => new AdditionalInfoInput(Read::object($item))) : null;
        $this->metadata = isset($data['metadata']) ? Read::object($data['metadata']) : null;
    }
}

class FirstChargeReference
{
    public readonly string $uuid;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
    }
}

class GetDefaultProvidersResult
{
    /** @var list<DefaultProvider> */
    public readonly array $PIX;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->PIX = Read::items($data['PIX'] ?? null, static fn (mixed $item) => new DefaultProvider(Read::object($item)));
    }
}

class GivenApproval
{
    public readonly string $by;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $at;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->by = Read::text($data['by'] ?? null);
        $this->at = Read::time($data['at'] ?? null);
    }
}

class GivenRejection
{
    public readonly string $by;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $at;

    public readonly ?string $reason;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->by = Read::text($data['by'] ?? null);
        $this->at = Read::time($data['at'] ?? null);
        $this->reason = isset($data['reason']) ? Read::text($data['reason']) : null;
    }
}

class Health
{
    public readonly string $status;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->status = Read::text($data['status'] ?? null);
    }
}

class HistoryEntry
{
    /** DRAFT, PROCESSING, COMPLETED, CANCELLED; a newer API may have others. */
    public readonly string $status;

    public readonly \DateTimeImmutable $createdAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->status = Read::text($data['status'] ?? null);
        $this->createdAt = Read::time($data['created_at'] ?? null);
    }
}

class Initiation
{
    public readonly ?Party $sender;

    public readonly Party $receiver;

    /** Id of the charge at its provider; null for transfers and refunds */
    public readonly ?string $txid;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** QR_DYNAMIC, QR_STATIC, KEY, MANUAL, AUTOMATIC, REFUND; a newer API may have others. */
    public readonly string $type;

    public readonly ?string $pixKey;

    /** PENDING, COMPLETED, FAILED; a newer API may have others. */
    public readonly string $status;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $expiresAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->sender = isset($data['sender']) ? new Party(Read::object($data['sender'])) : null;
        $this->receiver = new Party(Read::object($data['receiver'] ?? null));
        $this->txid = isset($data['txid']) ? Read::text($data['txid']) : null;
        $this->value = Read::amount($data['value'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->pixKey = isset($data['pix_key']) ? Read::text($data['pix_key']) : null;
        $this->status = Read::text($data['status'] ?? null);
        $this->expiresAt = isset($data['expires_at']) ? Read::time($data['expires_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

/** For each day after the due day; `value` is that of the period */
class Interest
{
    /**
     * An amount, or a share of the value
     * FIXED, PERCENTAGE; a newer API may have others.
     */
    public readonly string $type;

    /** DAY, MONTH, YEAR; a newer API may have others. */
    public readonly string $per;

    /**
     * Which days count: all, or those on which banks settle
     * CALENDAR, BUSINESS; a newer API may have others.
     */
    public readonly string $days;

    /** Reais where FIXED, percent where PERCENTAGE (2 is 2 %), at most 99.99 */
    public readonly Amount $value;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->per = Read::text($data['per'] ?? null);
        $this->days = Read::text($data['days'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
    }
}

class KeyInitiation
{
    public readonly ?Party $sender;

    public readonly Party $receiver;

    /** Of a PIX code that names one */
    public readonly ?string $txid;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /**
     * MANUAL: to a bank account, without a key. QR_DYNAMIC, QR_STATIC: by a PIX code, whose key is `pix_key`
     * KEY, MANUAL, QR_DYNAMIC, QR_STATIC; a newer API may have others.
     */
    public readonly string $type;

    /** Key of the recipient; empty for a bank account */
    public readonly string $pixKey;

    /** PENDING, COMPLETED, FAILED, CANCELLED, EXPIRED; a newer API may have others. */
    public readonly string $status;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $expiresAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->sender = isset($data['sender']) ? new Party(Read::object($data['sender'])) : null;
        $this->receiver = new Party(Read::object($data['receiver'] ?? null));
        $this->txid = isset($data['txid']) ? Read::text($data['txid']) : null;
        $this->value = Read::amount($data['value'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->pixKey = Read::text($data['pix_key'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->expiresAt = isset($data['expires_at']) ? Read::time($data['expires_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class KeyLookup
{
    /** The value of `lookup_uuid` of a transfer */
    public readonly string $uuid;

    /** Masked where a look-up is read again */
    public readonly string $pixKey;

    /** DOCUMENT, EMAIL, PHONE, RANDOM; a newer API may have others. */
    public readonly string $type;

    /** The owner of the key, masked */
    public readonly Party $receiver;

    /**
     * Of `document`; UNKNOWN where none was sent, or the provider masks the owner’s and it does not contradict
     * MATCH, MISMATCH, UNKNOWN; a newer API may have others.
     */
    public readonly string $documentMatch;

    /**
     * Of `name`, without regard to case and accents; UNKNOWN where none was sent, or the provider names none
     * EXACT, PARTIAL, NONE, UNKNOWN; a newer API may have others.
     */
    public readonly string $nameMatch;

    public readonly ProviderShown $provider;

    /** A transfer may name the look-up until then */
    public readonly \DateTimeImmutable $expiresAt;

    /** null where the provider tells none */
    public readonly ?LookupBudget $budget;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->pixKey = Read::text($data['pix_key'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->receiver = new Party(Read::object($data['receiver'] ?? null));
        $this->documentMatch = Read::text($data['document_match'] ?? null);
        $this->nameMatch = Read::text($data['name_match'] ?? null);
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
        $this->expiresAt = Read::time($data['expires_at'] ?? null);
        $this->budget = isset($data['budget']) ? new LookupBudget(Read::object($data['budget'])) : null;
    }
}

class LedgerBalances
{
    /** Null: from the first line on */
    public readonly ?string $dateFrom;

    /** Null: up to now */
    public readonly ?string $dateTo;

    public readonly string $timeZone;

    /**
     * One per provider account
     *
     * @var list<LedgerPeriodBalance>
     */
    public readonly array $balances;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->dateFrom = isset($data['date_from']) ? Read::text($data['date_from']) : null;
        $this->dateTo = isset($data['date_to']) ? Read::text($data['date_to']) : null;
        $this->timeZone = Read::text($data['time_zone'] ?? null);
        $this->balances = Read::items($data['balances'] ?? null, static fn (mixed $item) => new LedgerPeriodBalance(Read::object($item)));
    }
}

/** Who paid or was paid; unknown texts are empty */
class LedgerCounterparty
{
    public readonly string $name;

    /** Masked */
    public readonly string $document;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->document = Read::text($data['document'] ?? null);
    }
}

class LedgerLine
{
    /** The movement; a movement may have several lines */
    public readonly string $uuid;

    /** This line */
    public readonly string $lineUuid;

    /**
     * EXTERNAL_TRANSFER and EXTERNAL_REFUND: the PIX itself, one line in its whole value. REVERSAL: the order
     * never left. SPLIT, FEE, HOLD and SHORTFALL (what the service advanced or was repaid) are lines of their own
     * EXTERNAL_TRANSFER, EXTERNAL_REFUND, SPLIT, FEE, HOLD, ADJUSTMENT, REVERSAL, SHORTFALL; a newer API may have
     * others.
     */
    public readonly string $type;

    /**
     * Whether this line adds or takes
     * IN, OUT; a newer API may have others.
     */
    public readonly string $movementType;

    /** What this line adds or takes, never negative */
    public readonly Amount $value;

    /** The available balance at this provider after this line, as text; `balance_after` is a number */
    public readonly Amount $balance;

    /** The available balance at this provider after this line */
    public readonly Amount $balanceAfter;

    /**
     * Of the movement. A line REVERSAL of a FAILED movement gives back what its line OUT had held
     * PENDING, SETTLED, FAILED; a newer API may have others.
     */
    public readonly string $status;

    /** Of the PIX, on its own line; empty on all others, and until its provider reports it */
    public readonly string $endToEnd;

    /** Of the caller's own charge or transfer */
    public readonly ?string $externalRef;

    /**
     * Null for fees, holds, shortfalls and adjustments, for a share taken back from several accounts, and where
     * the provider names no party
     */
    public readonly ?LedgerCounterparty $counterparty;

    /**
     * CHARGE, SPLIT, TRANSFER, REFUND, DISPUTE, DEPOSIT, RETURN, PROVIDER_ENTRY, ADJUSTMENT; a newer API may have
     * others.
     */
    public readonly string $operationType;

    /** The charge, transfer, refund or dispute; of a SPLIT its charge; otherwise the movement */
    public readonly string $operationUuid;

    /**
     * deposit, second_payment, wrong_amount, wrong_payer, unknown_payer, charge_over, code_disabled, orphan,
     * duplicate_settlement, late_settlement, provider_tariff, provider_withdrawal, provider_credit,
     * provider_block, provider_unblock, panel_transfer, panel_return, opening_balance, adjustment; a newer API may
     * have others.
     */
    public readonly ?string $reason;

    public readonly ?string $chargeUuid;

    public readonly ?string $transferUuid;

    public readonly ?string $refundUuid;

    public readonly ?string $disputeUuid;

    public readonly ProviderShown $provider;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $settledAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->lineUuid = Read::text($data['line_uuid'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->movementType = Read::text($data['movement_type'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->balance = Read::amount($data['balance'] ?? null);
        $this->balanceAfter = Read::amount($data['balance_after'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->endToEnd = Read::text($data['end_to_end'] ?? null);
        $this->externalRef = isset($data['external_ref']) ? Read::text($data['external_ref']) : null;
        $this->counterparty = isset($data['counterparty']) ? new LedgerCounterparty(Read::object($data['counterparty'])) : null;
        $this->operationType = Read::text($data['operation_type'] ?? null);
        $this->operationUuid = Read::text($data['operation_uuid'] ?? null);
        $this->reason = isset($data['reason']) ? Read::text($data['reason']) : null;
        $this->chargeUuid = isset($data['charge_uuid']) ? Read::text($data['charge_uuid']) : null;
        $this->transferUuid = isset($data['transfer_uuid']) ? Read::text($data['transfer_uuid']) : null;
        $this->refundUuid = isset($data['refund_uuid']) ? Read::text($data['refund_uuid']) : null;
        $this->disputeUuid = isset($data['dispute_uuid']) ? Read::text($data['dispute_uuid']) : null;
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
        $this->settledAt = isset($data['settled_at']) ? Read::time($data['settled_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
    }
}

class LedgerPeriodBalance
{
    public readonly ProviderShown $provider;

    /** The lines before the period. Below zero only where the period begins between two that overlap */
    public readonly Amount $openingBalance;

    /** The opening balance and the lines of the period */
    public readonly Amount $closingBalance;

    /** What the lines IN add */
    public readonly Amount $in;

    /** What the lines OUT take, never negative */
    public readonly Amount $out;

    public readonly int $lines;

    /** @var list<Total> */
    public readonly array $totals;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
        $this->openingBalance = Read::amount($data['opening_balance'] ?? null);
        $this->closingBalance = Read::amount($data['closing_balance'] ?? null);
        $this->in = Read::amount($data['in'] ?? null);
        $this->out = Read::amount($data['out'] ?? null);
        $this->lines = Read::integer($data['lines'] ?? null);
        $this->totals = Read::items($data['totals'] ?? null, static fn (mixed $item) => new Total(Read::object($item)));
    }
}

/** Counted from the first PUT of limits on */
class LimitUsage
{
    public readonly LimitUsagePerDay $perDay;

    public readonly PerNight $perNight;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->perDay = new LimitUsagePerDay(Read::object($data['per_day'] ?? null));
        $this->perNight = new PerNight(Read::object($data['per_night'] ?? null));
    }
}

class LimitUsagePerDay
{
    /** Reais, at most two decimals */
    public readonly ?Amount $limit;

    /** Reais that were let through, and have not come back as failed */
    public readonly Amount $used;

    /** null where there is no limit */
    public readonly ?Amount $left;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $resetsAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->limit = isset($data['limit']) ? Read::amount($data['limit']) : null;
        $this->used = Read::amount($data['used'] ?? null);
        $this->left = isset($data['left']) ? Read::amount($data['left']) : null;
        $this->resetsAt = Read::time($data['resets_at'] ?? null);
    }
}

class LimitValues
{
    /** Reais, at most two decimals */
    public readonly ?Amount $perTransfer;

    /** Reais, at most two decimals */
    public readonly ?Amount $perDay;

    /** Reais, at most two decimals */
    public readonly ?Amount $perNight;

    public readonly Night $night;

    /** Reais, at most two decimals */
    public readonly ?Amount $perReceiverPerDay;

    public readonly ?NewReceiver $newReceiver;

    /** @var list<LimitValuesTrustedReceiver> */
    public readonly array $trustedReceivers;

    public readonly bool $allowedReceiversOnly;

    public readonly DuplicateGuard $duplicateGuard;

    public readonly ?ShownApprovalRule $approvals;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->perTransfer = isset($data['per_transfer']) ? Read::amount($data['per_transfer']) : null;
        $this->perDay = isset($data['per_day']) ? Read::amount($data['per_day']) : null;
        $this->perNight = isset($data['per_night']) ? Read::amount($data['per_night']) : null;
        $this->night = new Night(Read::object($data['night'] ?? null));
        $this->perReceiverPerDay = isset($data['per_receiver_per_day']) ? Read::amount($data['per_receiver_per_day']) : null;
        $this->newReceiver = isset($data['new_receiver']) ? new NewReceiver(Read::object($data['new_receiver'])) : null;
        $this->trustedReceivers = Read::items($data['trusted_receivers'] ?? null, static fn (mixed $item) => new LimitValuesTrustedReceiver(Read::object($item)));
        $this->allowedReceiversOnly = Read::flag($data['allowed_receivers_only'] ?? null);
        $this->duplicateGuard = new DuplicateGuard(Read::object($data['duplicate_guard'] ?? null));
        $this->approvals = isset($data['approvals']) ? new ShownApprovalRule(Read::object($data['approvals'])) : null;
    }
}

class LimitValuesTrustedReceiver
{
    public readonly ?string $document;

    public readonly ?string $pixKey;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->document = isset($data['document']) ? Read::text($data['document']) : null;
        $this->pixKey = isset($data['pix_key']) ? Read::text($data['pix_key']) : null;
    }
}

class ListedBank
{
    public readonly string $ispb;

    /** COMPE code */
    public readonly string $code;

    public readonly string $name;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->ispb = Read::text($data['ispb'] ?? null);
        $this->code = Read::text($data['code'] ?? null);
        $this->name = Read::text($data['name'] ?? null);
    }
}

class ListedRefund
{
    public readonly string $uuid;

    /** PROCESSING, COMPLETED, FAILED; a newer API may have others. */
    public readonly string $status;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** Reais, at most two decimals */
    public readonly Amount $fees;

    /** The text for the payer, where one was given */
    public readonly ?string $description;

    public readonly Movement $pixOriginal;

    public readonly Movement $pixRefund;

    public readonly ?RefundError $error;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    public readonly string $chargeUuid;

    /** Of the charge */
    public readonly ?string $externalRef;

    public readonly ProviderShown $provider;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->fees = Read::amount($data['fees'] ?? null);
        $this->description = isset($data['description']) ? Read::text($data['description']) : null;
        $this->pixOriginal = new Movement(Read::object($data['pix_original'] ?? null));
        $this->pixRefund = new Movement(Read::object($data['pix_refund'] ?? null));
        $this->error = isset($data['error']) ? new RefundError(Read::object($data['error'])) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
        $this->chargeUuid = Read::text($data['charge_uuid'] ?? null);
        $this->externalRef = isset($data['external_ref']) ? Read::text($data['external_ref']) : null;
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
    }
}

class LookupBudget
{
    /** Tokens of a full budget */
    public readonly float $capacity;

    /** Tokens that are left, as the provider reported them last, and computed since */
    public readonly int $left;

    public readonly float $refillPerMinute;

    /**
     * Tokens that this look-up took: 0 where the answer was known. Of a provider: what a look-up takes that finds
     * its key; one of a key that does not exist takes 20
     */
    public readonly int $cost;

    /** When the budget is full again, if nothing is looked up */
    public readonly \DateTimeImmutable $resetsAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->capacity = Read::number($data['capacity'] ?? null);
        $this->left = Read::integer($data['left'] ?? null);
        $this->refillPerMinute = Read::number($data['refill_per_minute'] ?? null);
        $this->cost = Read::integer($data['cost'] ?? null);
        $this->resetsAt = Read::time($data['resets_at'] ?? null);
    }
}

class Movement
{
    public readonly string $uuid;

    public readonly Initiation $initiation;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** IN, OUT; a newer API may have others. */
    public readonly string $movementType;

    /** EXTERNAL_TRANSFER, EXTERNAL_REFUND; a newer API may have others. */
    public readonly string $type;

    /** PENDING, SETTLED, FAILED; a newer API may have others. */
    public readonly string $status;

    /** End-to-end id of the PIX, 32 characters; empty until its provider reports it */
    public readonly string $endToEnd;

    public readonly ?string $chargeUuid;

    /** The transfer that this one pays, pays again or returns */
    public readonly ?string $transferUuid;

    /** The movement that this one returns */
    public readonly ?string $originalUuid;

    /** The connection that carried this PIX; absent where none is known */
    public readonly ?ProviderShown $provider;

    /**
     * Why this PIX is not the payment of a charge, or that it settled twice or after it had failed; absent
     * otherwise
     * deposit, second_payment, wrong_amount, wrong_payer, unknown_payer, charge_over, code_disabled, orphan,
     * duplicate_settlement, late_settlement, provider_tariff, provider_withdrawal, provider_credit,
     * provider_block, provider_unblock, panel_transfer, panel_return, opening_balance, adjustment; a newer API may
     * have others.
     */
    public readonly ?string $reason;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $settledAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->initiation = new Initiation(Read::object($data['initiation'] ?? null));
        $this->value = Read::amount($data['value'] ?? null);
        $this->movementType = Read::text($data['movement_type'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->endToEnd = Read::text($data['end_to_end'] ?? null);
        $this->chargeUuid = isset($data['charge_uuid']) ? Read::text($data['charge_uuid']) : null;
        $this->transferUuid = isset($data['transfer_uuid']) ? Read::text($data['transfer_uuid']) : null;
        $this->originalUuid = isset($data['original_uuid']) ? Read::text($data['original_uuid']) : null;
        $this->provider = isset($data['provider']) ? new ProviderShown(Read::object($data['provider'])) : null;
        $this->reason = isset($data['reason']) ? Read::text($data['reason']) : null;
        $this->settledAt = isset($data['settled_at']) ? Read::time($data['settled_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class NewReceiver
{
    /** Reais, at most two decimals */
    public readonly Amount $value;

    public readonly int $hours;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->value = Read::amount($data['value'] ?? null);
        $this->hours = Read::integer($data['hours'] ?? null);
    }
}

class Night
{
    public readonly string $from;

    public readonly string $to;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->from = Read::text($data['from'] ?? null);
        $this->to = Read::text($data['to'] ?? null);
    }
}

/** Hours of `per_night`, between one noon and the next; over midnight where `to` is before `from` */
class NightHours
{
    /** `HH:MM` in Brasília */
    public readonly string $from;

    /** `HH:MM` in Brasília */
    public readonly string $to;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->from = Read::text($data['from'] ?? null);
        $this->to = Read::text($data['to'] ?? null);
    }
}

/** Who is paid, and the account */
class OrderedReceiver
{
    public readonly string $name;

    public readonly string $document;

    public readonly string $ispb;

    public readonly ?string $bankCode;

    public readonly string $agency;

    public readonly string $account;

    /** CHECKING, PAYMENT, SAVINGS, SALARY; a newer API may have others. */
    public readonly string $accountType;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->document = Read::text($data['document'] ?? null);
        $this->ispb = Read::text($data['ispb'] ?? null);
        $this->bankCode = isset($data['bank_code']) ? Read::text($data['bank_code']) : null;
        $this->agency = Read::text($data['agency'] ?? null);
        $this->account = Read::text($data['account'] ?? null);
        $this->accountType = Read::text($data['account_type'] ?? null);
    }
}

/** Of a numbered page */
class PageMeta
{
    public readonly int $currentPage;

    /** Number of the first row of the page, from 1; 0 without rows */
    public readonly int $from;

    public readonly int $lastPage;

    public readonly int $perPage;

    /** Number of the last row of the page; 0 without rows */
    public readonly int $to;

    public readonly int $total;

    /** The `cursor` of the next page, for 24 hours; null on the last one */
    public readonly ?string $nextCursor;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->currentPage = Read::integer($data['current_page'] ?? null);
        $this->from = Read::integer($data['from'] ?? null);
        $this->lastPage = Read::integer($data['last_page'] ?? null);
        $this->perPage = Read::integer($data['per_page'] ?? null);
        $this->to = Read::integer($data['to'] ?? null);
        $this->total = Read::integer($data['total'] ?? null);
        $this->nextCursor = isset($data['next_cursor']) ? Read::text($data['next_cursor']) : null;
    }
}

class PaidParts
{
    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** Reais, at most two decimals */
    public readonly ?Amount $fine;

    /** Reais, at most two decimals */
    public readonly ?Amount $interest;

    /** Reais, at most two decimals */
    public readonly ?Amount $discount;

    /** Reais, at most two decimals */
    public readonly ?Amount $abatement;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->value = Read::amount($data['value'] ?? null);
        $this->fine = isset($data['fine']) ? Read::amount($data['fine']) : null;
        $this->interest = isset($data['interest']) ? Read::amount($data['interest']) : null;
        $this->discount = isset($data['discount']) ? Read::amount($data['discount']) : null;
        $this->abatement = isset($data['abatement']) ? Read::amount($data['abatement']) : null;
    }
}

/** Sender or receiver of a PIX; unknown texts are empty */
class Party
{
    public readonly string $name;

    /** CPF or CNPJ; masked (`***982247**`) where it is another’s */
    public readonly string $document;

    public readonly string $accountNumber;

    public readonly string $accountAgency;

    public readonly Bank $bank;

    /** CHECKING, PAYMENT, SAVINGS, SALARY; a newer API may have others. */
    public readonly string $accountType;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->document = Read::text($data['document'] ?? null);
        $this->accountNumber = Read::text($data['account_number'] ?? null);
        $this->accountAgency = Read::text($data['account_agency'] ?? null);
        $this->bank = new Bank(Read::object($data['bank'] ?? null));
        $this->accountType = Read::text($data['account_type'] ?? null);
    }
}

/** The account of the payer whose bank is sent the request */
class PayerAccount
{
    /** ISPB of the bank of the payer */
    public readonly string $ispb;

    public readonly ?string $agency;

    public readonly string $account;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->ispb = Read::text($data['ispb'] ?? null);
        $this->agency = isset($data['agency']) ? Read::text($data['agency']) : null;
        $this->account = Read::text($data['account'] ?? null);
    }
}

class Payment
{
    public readonly string $uuid;

    /** PENDING, COMPLETED, FAILED, EXPIRED, CANCELLED; a newer API may have others. */
    public readonly string $status;

    /** The copy-and-paste PIX code; empty of the debit of a recurrence */
    public readonly string $payload;

    public readonly ChargePix $pix;

    /**
     * Null of a static code, which does not expire. Of a charge with a due date the end of its last payable day in
     * Brasília, moved to the next business day
     */
    public readonly ?\DateTimeImmutable $expiresAt;

    public readonly ?DueShown $due;

    /**
     * Of a charge with a due date that can be paid: a forecast of what it costs today, by the national bank
     * holidays. The provider computes what is paid; a state or municipal holiday where the payer lives can move
     * the due day
     */
    public readonly ?AmountDue $amountDue;

    /** Of a paid charge with a due date: what was paid, and what that consists of where its provider reports it */
    public readonly ?PaidParts $paid;

    /**
     * Only of the debit of a recurrence: its tries, as its provider has reported them
     *
     * @var list<DebitTry>|null
     */
    public readonly ?array $tries;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** Reais as a decimal string with two decimals */
    public readonly Amount $value;

    /**
     * QR_STATIC where the payload is a static code of the key; AUTOMATIC of the debit of a recurrence, which has
     * no payload
     * QR_DYNAMIC, QR_STATIC, AUTOMATIC; a newer API may have others.
     */
    public readonly string $type;

    /** Whether only the `debtor` may pay */
    public readonly bool $verifySender;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->payload = Read::text($data['payload'] ?? null);
        $this->pix = new ChargePix(Read::object($data['pix'] ?? null));
        $this->expiresAt = isset($data['expires_at']) ? Read::time($data['expires_at']) : null;
        $this->due = isset($data['due']) ? new DueShown(Read::object($data['due'])) : null;
        $this->amountDue = isset($data['amount_due']) ? new AmountDue(Read::object($data['amount_due'])) : null;
        $this->paid = isset($data['paid']) ? new PaidParts(Read::object($data['paid'])) : null;
        $this->tries = isset($data['tries']) ? Read::items($data['tries'], static fn (mixed $item) => new DebitTry(Read::object($item))) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->verifySender = Read::flag($data['verify_sender'] ?? null);
    }
}

class PaymentLink
{
    public readonly string $uuid;

    /**
     * FULL: every place is taken, by charges that are paid or can be paid; ACTIVE again once one of them ends
     * unpaid
     * ACTIVE, FULL, EXPIRED, REVOKED; a newer API may have others.
     */
    public readonly string $status;

    /** The page of the payer, which needs no token */
    public readonly string $url;

    /** Only of a link that shows one charge */
    public readonly ?string $chargeUuid;

    public readonly ?string $message;

    /** Only of a link that creates charges, as are the fields below */
    public readonly ?Amount $value;

    public readonly ?string $externalRef;

    public readonly ?string $providerUuid;

    /** @var list<QrCodeSplit>|null */
    public readonly ?array $splits;

    /** Seconds until a charge of the link expires */
    public readonly ?int $expiresIn;

    /** @var array<string, string>|null */
    public readonly ?array $metadata;

    public readonly ?int $maxPayments;

    /** What takes the places. `GET /payments?payment_link_uuid=` lists the charges */
    public readonly ?PaymentLinkPlaces $payments;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $expiresAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $revokedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->url = Read::text($data['url'] ?? null);
        $this->chargeUuid = isset($data['charge_uuid']) ? Read::text($data['charge_uuid']) : null;
        $this->message = isset($data['message']) ? Read::text($data['message']) : null;
        $this->value = isset($data['value']) ? Read::amount($data['value']) : null;
        $this->externalRef = isset($data['external_ref']) ? Read::text($data['external_ref']) : null;
        $this->providerUuid = isset($data['provider_uuid']) ? Read::text($data['provider_uuid']) : null;
        $this->splits = isset($data['splits']) ? Read::items($data['splits'], static fn (mixed $item) => new QrCodeSplit(Read::object($item))) : null;
        $this->expiresIn = isset($data['expires_in']) ? Read::integer($data['expires_in']) : null;
        $this->metadata = isset($data['metadata']) ? Read::object($data['metadata']) : null;
        $this->maxPayments = isset($data['max_payments']) ? Read::integer($data['max_payments']) : null;
        $this->payments = isset($data['payments']) ? new PaymentLinkPlaces(Read::object($data['payments'])) : null;
        $this->expiresAt = isset($data['expires_at']) ? Read::time($data['expires_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->revokedAt = isset($data['revoked_at']) ? Read::time($data['revoked_at']) : null;
    }
}

class PaymentLinkPlaces
{
    /** Charges that were paid, refunded ones too */
    public readonly int $paid;

    /** Charges that can be paid, or are being created */
    public readonly int $open;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->paid = Read::integer($data['paid'] ?? null);
        $this->open = Read::integer($data['open'] ?? null);
    }
}

class Pending
{
    public readonly LimitValues $limits;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $effectiveAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->limits = new LimitValues(Read::object($data['limits'] ?? null));
        $this->effectiveAt = Read::time($data['effective_at'] ?? null);
    }
}

class PerNight
{
    /** Reais, at most two decimals */
    public readonly ?Amount $limit;

    /** Reais that were let through, and have not come back as failed */
    public readonly Amount $used;

    /** null where there is no limit */
    public readonly ?Amount $left;

    /** End of the night; null in daytime */
    public readonly ?\DateTimeImmutable $resetsAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->limit = isset($data['limit']) ? Read::amount($data['limit']) : null;
        $this->used = Read::amount($data['used'] ?? null);
        $this->left = isset($data['left']) ? Read::amount($data['left']) : null;
        $this->resetsAt = isset($data['resets_at']) ? Read::time($data['resets_at']) : null;
    }
}

class PixKey
{
    public readonly string $key;

    /** DOCUMENT, EMAIL, PHONE, RANDOM; a newer API may have others. */
    public readonly string $type;

    /** false while its provider has not confirmed a removal */
    public readonly bool $isActive;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    public readonly ProviderShown $provider;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->key = Read::text($data['key'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->isActive = Read::flag($data['is_active'] ?? null);
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
    }
}

class Provider
{
    /** The value of a `provider_uuid` */
    public readonly string $uuid;

    /**
     * UNDEFINED, ACTIVE, INFORMATION_PENDING, KYC_PENDING, KYC_ANALYSIS, KYC_REJECTED, LIVENESS_PENDING,
     * LIVENESS_APPROVED, LIVENESS_REJECTED, CONFIGURATION_PENDING, BLOCKED, INACTIVE; a newer API may have others.
     */
    public readonly string $status;

    /** PROVIDER_A, PROVIDER_B, PROVIDER_C, PROVIDER_D; a newer API may have others. */
    public readonly string $provider;

    /** NOMINAL, POOL; a newer API may have others. */
    public readonly string $type;

    /** ACTIVE and the integration is healthy */
    public readonly bool $isOperational;

    /** Whether calls may name it */
    public readonly bool $isPublic;

    /** Reais that one transfer through it may send at most; null where no limit is set */
    public readonly ?Amount $maxPerTransfer;

    /** null for POOL */
    public readonly ?VirtualAccount $virtualAccount;

    /** @var list<Balance> */
    public readonly array $balances;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->provider = Read::text($data['provider'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->isOperational = Read::flag($data['is_operational'] ?? null);
        $this->isPublic = Read::flag($data['is_public'] ?? null);
        $this->maxPerTransfer = isset($data['max_per_transfer']) ? Read::amount($data['max_per_transfer']) : null;
        $this->virtualAccount = isset($data['virtual_account']) ? new VirtualAccount(Read::object($data['virtual_account'])) : null;
        $this->balances = Read::items($data['balances'] ?? null, static fn (mixed $item) => new Balance(Read::object($item)));
    }
}

class ProviderDetails
{
    /** The value of a `provider_uuid` */
    public readonly string $uuid;

    /**
     * UNDEFINED, ACTIVE, INFORMATION_PENDING, KYC_PENDING, KYC_ANALYSIS, KYC_REJECTED, LIVENESS_PENDING,
     * LIVENESS_APPROVED, LIVENESS_REJECTED, CONFIGURATION_PENDING, BLOCKED, INACTIVE; a newer API may have others.
     */
    public readonly string $status;

    /** PROVIDER_A, PROVIDER_B, PROVIDER_C, PROVIDER_D; a newer API may have others. */
    public readonly string $provider;

    /** NOMINAL, POOL; a newer API may have others. */
    public readonly string $type;

    /** ACTIVE and the integration is healthy */
    public readonly bool $isOperational;

    /** Whether calls may name it */
    public readonly bool $isPublic;

    /** Reais that one transfer through it may send at most; null where no limit is set */
    public readonly ?Amount $maxPerTransfer;

    /** null for POOL */
    public readonly ?VirtualAccount $virtualAccount;

    /** @var list<Balance> */
    public readonly array $balances;

    /** Look-ups of PIX keys that the account has left there; null where the provider does not tell */
    public readonly ?LookupBudget $lookupBudget;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->provider = Read::text($data['provider'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->isOperational = Read::flag($data['is_operational'] ?? null);
        $this->isPublic = Read::flag($data['is_public'] ?? null);
        $this->maxPerTransfer = isset($data['max_per_transfer']) ? Read::amount($data['max_per_transfer']) : null;
        $this->virtualAccount = isset($data['virtual_account']) ? new VirtualAccount(Read::object($data['virtual_account'])) : null;
        $this->balances = Read::items($data['balances'] ?? null, static fn (mixed $item) => new Balance(Read::object($item)));
        $this->lookupBudget = isset($data['lookup_budget']) ? new LookupBudget(Read::object($data['lookup_budget'])) : null;
    }
}

/** The connection that carries this resource */
class ProviderShown
{
    public readonly string $uuid;

    /** PROVIDER_A, PROVIDER_B, PROVIDER_C, PROVIDER_D; a newer API may have others. */
    public readonly string $provider;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->provider = Read::text($data['provider'] ?? null);
    }
}

class QrCode
{
    public readonly string $uuid;

    /** ACTIVE, DISABLED; a newer API may have others. */
    public readonly string $status;

    /** The copy-and-paste PIX code, which does not expire */
    public readonly string $payload;

    /** Reais that each charge is of; 0 where the payer chooses */
    public readonly Amount $value;

    /** Reais that the payload asks: `value` and `fees`; 0 where the payer chooses */
    public readonly Amount $totalValue;

    /** Reais that each payer pays on top of `value` */
    public readonly Amount $fees;

    /** The txid of every PIX to the code */
    public readonly string $reference;

    public readonly string $pixKey;

    public readonly ?string $description;

    public readonly ?string $externalRef;

    /** @var list<QrCodeSplit> */
    public readonly array $splits;

    /** KEEP, RETURN; a newer API may have others. */
    public readonly string $onPayment;

    /** @var array<string, string> */
    public readonly array $metadata;

    public readonly QrCodeReceived $received;

    public readonly ProviderShown $provider;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->payload = Read::text($data['payload'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->totalValue = Read::amount($data['total_value'] ?? null);
        $this->fees = Read::amount($data['fees'] ?? null);
        $this->reference = Read::text($data['reference'] ?? null);
        $this->pixKey = Read::text($data['pix_key'] ?? null);
        $this->description = isset($data['description']) ? Read::text($data['description']) : null;
        $this->externalRef = isset($data['external_ref']) ? Read::text($data['external_ref']) : null;
        $this->splits = Read::items($data['splits'] ?? null, static fn (mixed $item) => new QrCodeSplit(Read::object($item)));
        $this->onPayment = Read::text($data['on_payment'] ?? null);
        $this->metadata = Read::object($data['metadata'] ?? null);
        $this->received = new QrCodeReceived(Read::object($data['received'] ?? null));
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

/** The charges that were paid to the code, refunded ones too */
class QrCodeReceived
{
    public readonly int $count;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->count = Read::integer($data['count'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
    }
}

class QrCodeSplit
{
    /** PERCENTAGE, FIXED; a newer API may have others. */
    public readonly string $type;

    /** Percent where PERCENTAGE, reais where FIXED */
    public readonly Amount $value;

    public readonly string $recipientAccountUuid;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->recipientAccountUuid = Read::text($data['recipient_account_uuid'] ?? null);
    }
}

class Receipt
{
    /** PAYMENT, TRANSFER, REFUND; a newer API may have others. */
    public readonly string $kind;

    /** The charge, the transfer or the refund */
    public readonly string $uuid;

    /** Whether the bank issues the PDF now; false: this service does */
    public readonly bool $official;

    /** Name of the bank that issues the PDF; null: this service does */
    public readonly ?string $issuer;

    /**
     * `test`: simulated, no money has moved
     * live, test; a newer API may have others.
     */
    public readonly string $mode;

    public readonly Movement $pix;

    /** Of a refund: end-to-end id of the PIX that it gives back */
    public readonly ?string $originalEndToEnd;

    /** Sum of all that went back since */
    public readonly Amount $returnedValue;

    /**
     * What went back since, oldest first; the newest 50
     *
     * @var list<ReceiptReturn>
     */
    public readonly array $returns;

    /** Code by which anybody can check the receipt, without a token */
    public readonly string $authentication;

    /** Page that checks it */
    public readonly string $checkUrl;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $checkableUntil;

    /** Address of the PDF for whoever has it, without a token; a new one each time the receipt is read */
    public readonly string $shareUrl;

    /** When `share_url` ends: 24 hours after it was read */
    public readonly \DateTimeImmutable $sharedUntil;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->kind = Read::text($data['kind'] ?? null);
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->official = Read::flag($data['official'] ?? null);
        $this->issuer = isset($data['issuer']) ? Read::text($data['issuer']) : null;
        $this->mode = Read::text($data['mode'] ?? null);
        $this->pix = new Movement(Read::object($data['pix'] ?? null));
        $this->originalEndToEnd = isset($data['original_end_to_end']) ? Read::text($data['original_end_to_end']) : null;
        $this->returnedValue = Read::amount($data['returned_value'] ?? null);
        $this->returns = Read::items($data['returns'] ?? null, static fn (mixed $item) => new ReceiptReturn(Read::object($item)));
        $this->authentication = Read::text($data['authentication'] ?? null);
        $this->checkUrl = Read::text($data['check_url'] ?? null);
        $this->checkableUntil = Read::time($data['checkable_until'] ?? null);
        $this->shareUrl = Read::text($data['share_url'] ?? null);
        $this->sharedUntil = Read::time($data['shared_until'] ?? null);
    }
}

class ReceiptCheck
{
    /**
     * `test`: simulated, no money has moved
     * live, test; a newer API may have others.
     */
    public readonly string $mode;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** Day of the settlement in Brasília, `YYYY-MM-DD` */
    public readonly string $day;

    /** Initials; empty where the name is unknown */
    public readonly string $sender;

    /** Initials; empty where the name is unknown */
    public readonly string $receiver;

    /** Sum of all that went back since */
    public readonly Amount $returnedValue;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->mode = Read::text($data['mode'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->day = Read::text($data['day'] ?? null);
        $this->sender = Read::text($data['sender'] ?? null);
        $this->receiver = Read::text($data['receiver'] ?? null);
        $this->returnedValue = Read::amount($data['returned_value'] ?? null);
    }
}

class ReceiptReturn
{
    /** The movement */
    public readonly string $uuid;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    public readonly string $endToEnd;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $settledAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->endToEnd = Read::text($data['end_to_end'] ?? null);
        $this->settledAt = isset($data['settled_at']) ? Read::time($data['settled_at']) : null;
    }
}

class Reconciliation
{
    /** That of the provider */
    public readonly string $uuid;

    public readonly ProviderShown $provider;

    /** When its balance was last read; null: never */
    public readonly ?\DateTimeImmutable $checkedAt;

    /** What the provider reported then */
    public readonly ?Amount $providerBalance;

    /** What the ledger had then, in all buckets */
    public readonly ?Amount $ledgerBalance;

    /** What of it may not have left, or not have arrived, at the provider: it explains as much */
    public readonly ?Amount $inTransit;

    /** Since when nothing in transit explains the difference; null: it is explained */
    public readonly ?\DateTimeImmutable $differsSince;

    /** Differences about single PIX that are OPEN */
    public readonly int $openDifferences;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
        $this->checkedAt = isset($data['checked_at']) ? Read::time($data['checked_at']) : null;
        $this->providerBalance = isset($data['provider_balance']) ? Read::amount($data['provider_balance']) : null;
        $this->ledgerBalance = isset($data['ledger_balance']) ? Read::amount($data['ledger_balance']) : null;
        $this->inTransit = isset($data['in_transit']) ? Read::amount($data['in_transit']) : null;
        $this->differsSince = isset($data['differs_since']) ? Read::time($data['differs_since']) : null;
        $this->openDifferences = Read::integer($data['open_differences'] ?? null);
    }
}

class ReconciliationDifference
{
    public readonly string $uuid;

    /**
     * MISSING_HERE: only the statement of the provider has the PIX. MISSING_THERE: only the ledger has it. The
     * others: both have it, with another value or status
     * MISSING_HERE, MISSING_THERE, VALUE_DIFFERS, STATUS_DIFFERS; a newer API may have others.
     */
    public readonly string $kind;

    /** IN, OUT; a newer API may have others. */
    public readonly string $movementType;

    /** Empty where the provider names none */
    public readonly string $endToEnd;

    /** As the statement has it */
    public readonly ?Amount $providerValue;

    /** As the ledger has it */
    public readonly ?Amount $value;

    /**
     * As the ledger has it
     * PENDING, SETTLED, FAILED; a newer API may have others.
     */
    public readonly ?string $movementStatus;

    /**
     * SETTLED: a later comparison has not found it any more. CLOSED: by the operator
     * OPEN, SETTLED, CLOSED; a newer API may have others.
     */
    public readonly string $status;

    /**
     * Who ends it while it is OPEN: SERVICE by itself, in time
     * SERVICE, OPERATOR; a newer API may have others.
     */
    public readonly ?string $waitsFor;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $foundAt;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $endedAt;

    public readonly ProviderShown $provider;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->kind = Read::text($data['kind'] ?? null);
        $this->movementType = Read::text($data['movement_type'] ?? null);
        $this->endToEnd = Read::text($data['end_to_end'] ?? null);
        $this->providerValue = isset($data['provider_value']) ? Read::amount($data['provider_value']) : null;
        $this->value = isset($data['value']) ? Read::amount($data['value']) : null;
        $this->movementStatus = isset($data['movement_status']) ? Read::text($data['movement_status']) : null;
        $this->status = Read::text($data['status'] ?? null);
        $this->waitsFor = isset($data['waits_for']) ? Read::text($data['waits_for']) : null;
        $this->foundAt = Read::time($data['found_at'] ?? null);
        $this->endedAt = isset($data['ended_at']) ? Read::time($data['ended_at']) : null;
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
    }
}

class Recovery
{
    /** CREATED, TRACKED, AWAITING_ANALYSIS, ANALYSED, REFUNDING, COMPLETED, CANCELLED; a newer API may have others. */
    public readonly string $stage;

    /**
     * The oldest first
     *
     * @var list<RecoveryEvent>
     */
    public readonly array $events;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->stage = Read::text($data['stage'] ?? null);
        $this->events = Read::items($data['events'] ?? null, static fn (mixed $item) => new RecoveryEvent(Read::object($item)));
    }
}

class RecoveryEvent
{
    /** CREATED, TRACKED, AWAITING_ANALYSIS, ANALYSED, REFUNDING, COMPLETED, CANCELLED; a newer API may have others. */
    public readonly string $stage;

    public readonly \DateTimeImmutable $at;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->stage = Read::text($data['stage'] ?? null);
        $this->at = Read::time($data['at'] ?? null);
    }
}

class Recurrence
{
    public readonly string $uuid;

    /** PENDING, PROCESSING, ACTIVE, REJECTED, EXPIRED, CANCELLED, ENDED, FAILED; a newer API may have others. */
    public readonly string $status;

    /** Reais of each charge; absent where it varies */
    public readonly ?Amount $value;

    /** Reais that the payer is debited each time: `value` and `fees` */
    public readonly ?Amount $totalValue;

    /** Reais that the payer pays on top of a fixed `value` */
    public readonly Amount $fees;

    /** Reais, at most two decimals */
    public readonly ?Amount $minimumValue;

    /** WEEKLY, MONTHLY, QUARTERLY, SEMIANNUAL, ANNUAL; a newer API may have others. */
    public readonly string $frequency;

    public readonly string $startsOn;

    public readonly ?string $endsOn;

    public readonly string $contract;

    public readonly ?string $subject;

    public readonly RecurrenceDebtorShown $debtor;

    /** NOT_ALLOWED, THREE_IN_SEVEN_DAYS; a newer API may have others. */
    public readonly string $retryPolicy;

    /** REQUEST, QR, QR_WITH_PAYMENT, PAYMENT_THEN_OFFER; a newer API may have others. */
    public readonly string $journey;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $requestExpiresAt;

    /** AUTOMATIC, MANUAL; a newer API may have others. */
    public readonly string $generate;

    public readonly int $daysBefore;

    /** @var list<RecurrenceSplit> */
    public readonly array $splits;

    public readonly ?string $externalRef;

    /** @var array<string, string> */
    public readonly array $metadata;

    /** Id of the recurrence on the rail (idRec) */
    public readonly ?string $railId;

    /** The code by which the payer authorizes it, and pays its first charge; null of the journey REQUEST */
    public readonly ?string $payload;

    /** The charge that the code also pays, as `GET /payments/{uuid}` shows it */
    public readonly ?FirstChargeReference $firstCharge;

    /** Due day of the next charge that is created for it; null where none is */
    public readonly ?string $nextChargeOn;

    /** Its last due charge is not paid */
    public readonly bool $isPastDue;

    public readonly ?RecurrenceReason $reason;

    /** @var list<SkippedCycle> */
    public readonly array $skipped;

    /** @var list<RecurrenceStatusChange> */
    public readonly array $history;

    public readonly ProviderShown $provider;

    /** Only on a FAILED recurrence: why no provider created it */
    public readonly ?RecurrenceError $error;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->value = isset($data['value']) ? Read::amount($data['value']) : null;
        $this->totalValue = isset($data['total_value']) ? Read::amount($data['total_value']) : null;
        $this->fees = Read::amount($data['fees'] ?? null);
        $this->minimumValue = isset($data['minimum_value']) ? Read::amount($data['minimum_value']) : null;
        $this->frequency = Read::text($data['frequency'] ?? null);
        $this->startsOn = Read::text($data['starts_on'] ?? null);
        $this->endsOn = isset($data['ends_on']) ? Read::text($data['ends_on']) : null;
        $this->contract = Read::text($data['contract'] ?? null);
        $this->subject = isset($data['subject']) ? Read::text($data['subject']) : null;
        $this->debtor = new RecurrenceDebtorShown(Read::object($data['debtor'] ?? null));
        $this->retryPolicy = Read::text($data['retry_policy'] ?? null);
        $this->journey = Read::text($data['journey'] ?? null);
        $this->requestExpiresAt = isset($data['request_expires_at']) ? Read::time($data['request_expires_at']) : null;
        $this->generate = Read::text($data['generate'] ?? null);
        $this->daysBefore = Read::integer($data['days_before'] ?? null);
        $this->splits = Read::items($data['splits'] ?? null, static fn (mixed $item) => new RecurrenceSplit(Read::object($item)));
        $this->externalRef = isset($data['external_ref']) ? Read::text($data['external_ref']) : null;
        $this->metadata = Read::object($data['metadata'] ?? null);
        $this->railId = isset($data['rail_id']) ? Read::text($data['rail_id']) : null;
        $this->payload = isset($data['payload']) ? Read::text($data['payload']) : null;
        $this->firstCharge = isset($data['first_charge']) ? new FirstChargeReference(Read::object($data['first_charge'])) : null;
        $this->nextChargeOn = isset($data['next_charge_on']) ? Read::text($data['next_charge_on']) : null;
        $this->isPastDue = Read::flag($data['is_past_due'] ?? null);
        $this->reason = isset($data['reason']) ? new RecurrenceReason(Read::object($data['reason'])) : null;
        $this->skipped = Read::items($data['skipped'] ?? null, static fn (mixed $item) => new SkippedCycle(Read::object($item)));
        $this->history = Read::items($data['history'] ?? null, static fn (mixed $item) => new RecurrenceStatusChange(Read::object($item)));
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
        $this->error = isset($data['error']) ? new RecurrenceError(Read::object($data['error'])) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

/** Who is debited */
class RecurrenceDebtor
{
    public readonly string $name;

    /** CPF or CNPJ with valid check digits, without formatting */
    public readonly string $document;

    /** Needed by some providers, else kept */
    public readonly ?DebtorAddress $address;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->document = Read::text($data['document'] ?? null);
        $this->address = isset($data['address']) ? new DebtorAddress(Read::object($data['address'])) : null;
    }
}

class RecurrenceDebtorShown
{
    public readonly string $name;

    public readonly string $document;

    public readonly ?DebtorAddress $address;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->name = Read::text($data['name'] ?? null);
        $this->document = Read::text($data['document'] ?? null);
        $this->address = isset($data['address']) ? new DebtorAddress(Read::object($data['address'])) : null;
    }
}

class RecurrenceError
{
    public readonly string $code;

    public readonly string $message;

    public readonly ?string $providerCode;

    public readonly ?string $provider;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->code = Read::text($data['code'] ?? null);
        $this->message = Read::text($data['message'] ?? null);
        $this->providerCode = isset($data['provider_code']) ? Read::text($data['provider_code']) : null;
        $this->provider = isset($data['provider']) ? Read::text($data['provider']) : null;
    }
}

/**
 * Why it was rejected or cancelled: a code of the rail, or `first_charge_not_paid` or `request_expired`, for
 * which it was cancelled by itself
 */
class RecurrenceReason
{
    public readonly string $code;

    /** payer, receiver; a newer API may have others. */
    public readonly ?string $by;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->code = Read::text($data['code'] ?? null);
        $this->by = isset($data['by']) ? Read::text($data['by']) : null;
    }
}

class RecurrenceSplit
{
    /** PERCENTAGE, FIXED; a newer API may have others. */
    public readonly string $type;

    /** Percent where PERCENTAGE, reais where FIXED */
    public readonly Amount $value;

    public readonly string $recipientAccountUuid;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->recipientAccountUuid = Read::text($data['recipient_account_uuid'] ?? null);
    }
}

class RecurrenceStatusChange
{
    /** PENDING, PROCESSING, ACTIVE, REJECTED, EXPIRED, CANCELLED, ENDED, FAILED; a newer API may have others. */
    public readonly string $status;

    public readonly \DateTimeImmutable $createdAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->status = Read::text($data['status'] ?? null);
        $this->createdAt = Read::time($data['created_at'] ?? null);
    }
}

class Refund
{
    public readonly string $uuid;

    /** PROCESSING, COMPLETED, FAILED; a newer API may have others. */
    public readonly string $status;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** Reais, at most two decimals */
    public readonly Amount $fees;

    /** The text for the payer, where one was given */
    public readonly ?string $description;

    public readonly Movement $pixOriginal;

    public readonly Movement $pixRefund;

    public readonly ?RefundError $error;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->fees = Read::amount($data['fees'] ?? null);
        $this->description = isset($data['description']) ? Read::text($data['description']) : null;
        $this->pixOriginal = new Movement(Read::object($data['pix_original'] ?? null));
        $this->pixRefund = new Movement(Read::object($data['pix_refund'] ?? null));
        $this->error = isset($data['error']) ? new RefundError(Read::object($data['error'])) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class RefundError
{
    public readonly string $code;

    public readonly string $message;

    public readonly ?string $providerCode;

    /**
     * Of `over_limit`: which limit
     * allowed_receivers_only, per_transfer, new_receiver, per_receiver_per_day, per_night, per_day; a newer API
     * may have others.
     */
    public readonly ?string $limit;

    /** Of `over_limit`: reais that the limit still allowed */
    public readonly ?Amount $left;

    /** Of `over_limit`: when the limit allows more; null where time alone changes nothing */
    public readonly ?\DateTimeImmutable $resetsAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->code = Read::text($data['code'] ?? null);
        $this->message = Read::text($data['message'] ?? null);
        $this->providerCode = isset($data['provider_code']) ? Read::text($data['provider_code']) : null;
        $this->limit = isset($data['limit']) ? Read::text($data['limit']) : null;
        $this->left = isset($data['left']) ? Read::amount($data['left']) : null;
        $this->resetsAt = isset($data['resets_at']) ? Read::time($data['resets_at']) : null;
    }
}

class RefundResult
{
    /** The charge */
    public readonly string $uuid;

    /**
     * UNDEFINED, PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING; a newer API
     * may have others.
     */
    public readonly string $status;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** Reais, at most two decimals */
    public readonly Amount $fees;

    public readonly Refund $refund;

    /** @var list<StatusChange> */
    public readonly array $history;

    public readonly ProviderShown $provider;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->fees = Read::amount($data['fees'] ?? null);
        $this->refund = new Refund(Read::object($data['refund'] ?? null));
        $this->history = Read::items($data['history'] ?? null, static fn (mixed $item) => new StatusChange(Read::object($item)));
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class Report
{
    public readonly string $uuid;

    /** LEDGER, PAYMENTS, TRANSFERS, REFUNDS, MEDS, FEES, RECURRENCES, RECONCILIATION; a newer API may have others. */
    public readonly string $kind;

    /** CSV, JSONL, OFX; a newer API may have others. */
    public readonly string $format;

    /** The first day, by the clocks of Brasília */
    public readonly string $dateFrom;

    /** The last day, by the clocks of Brasília */
    public readonly string $dateTo;

    /** Null: all providers */
    public readonly ?string $providerUuid;

    /** POINT, COMMA; a newer API may have others. */
    public readonly string $decimal;

    /**
     * READY: its file can be downloaded
     * PENDING, READY, FAILED, EXPIRED; a newer API may have others.
     */
    public readonly string $status;

    /**
     * Why it FAILED; `not_built`: order it again
     * cancelled, too_many_lines, not_built; a newer API may have others.
     */
    public readonly ?string $failure;

    /** Whether its last day was not over when it was built; null before */
    public readonly ?bool $isPartial;

    public readonly ?int $lines;

    public readonly ?int $sizeBytes;

    /** Of the file, in hexadecimal; kept when the file is gone */
    public readonly ?string $sha256;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $builtAt;

    /** Until when the file is kept */
    public readonly ?\DateTimeImmutable $expiresAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->kind = Read::text($data['kind'] ?? null);
        $this->format = Read::text($data['format'] ?? null);
        $this->dateFrom = Read::text($data['date_from'] ?? null);
        $this->dateTo = Read::text($data['date_to'] ?? null);
        $this->providerUuid = isset($data['provider_uuid']) ? Read::text($data['provider_uuid']) : null;
        $this->decimal = Read::text($data['decimal'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->failure = isset($data['failure']) ? Read::text($data['failure']) : null;
        $this->isPartial = isset($data['is_partial']) ? Read::flag($data['is_partial']) : null;
        $this->lines = isset($data['lines']) ? Read::integer($data['lines']) : null;
        $this->sizeBytes = isset($data['size_bytes']) ? Read::integer($data['size_bytes']) : null;
        $this->sha256 = isset($data['sha256']) ? Read::text($data['sha256']) : null;
        $this->builtAt = isset($data['built_at']) ? Read::time($data['built_at']) : null;
        $this->expiresAt = isset($data['expires_at']) ? Read::time($data['expires_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class ReportSchedule
{
    /** LEDGER, PAYMENTS, TRANSFERS, REFUNDS, MEDS, FEES, RECURRENCES, RECONCILIATION; a newer API may have others. */
    public readonly string $kind;

    /** CSV, JSONL, OFX; a newer API may have others. */
    public readonly string $format;

    /** Null: all providers */
    public readonly ?string $providerUuid;

    /** POINT, COMMA; a newer API may have others. */
    public readonly string $decimal;

    /** DAILY, WEEKLY, MONTHLY; a newer API may have others. */
    public readonly string $frequency;

    public readonly ?int $weekday;

    public readonly int $hour;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->kind = Read::text($data['kind'] ?? null);
        $this->format = Read::text($data['format'] ?? null);
        $this->providerUuid = isset($data['provider_uuid']) ? Read::text($data['provider_uuid']) : null;
        $this->decimal = Read::text($data['decimal'] ?? null);
        $this->frequency = Read::text($data['frequency'] ?? null);
        $this->weekday = isset($data['weekday']) ? Read::integer($data['weekday']) : null;
        $this->hour = Read::integer($data['hour'] ?? null);
        $this->createdAt = Read::time($data['created_at'] ?? null);
    }
}

class ReportScheduleOrder
{
    /**
     * LEDGER: all lines of the statement. PAYMENTS, TRANSFERS, REFUNDS: those of such operations, with their fees.
     * MEDS, RECURRENCES: those of disputes, and of charges of recurrences. FEES: fees alone. RECONCILIATION:
     * differences between the statements of providers and the ledger
     * LEDGER, PAYMENTS, TRANSFERS, REFUNDS, MEDS, FEES, RECURRENCES, RECONCILIATION; a newer API may have others.
     */
    public readonly string $kind;

    /**
     * OFX for LEDGER only
     * CSV, JSONL, OFX; a newer API may have others.
     */
    public readonly string $format;

    /** Only this provider of the account; a bound token has its own */
    public readonly ?string $providerUuid;

    /**
     * Decimal separator of CSV; a Brazilian Excel reads COMMA
     * POINT, COMMA; a newer API may have others.
     */
    public readonly ?string $decimal;

    /**
     * DAILY: of the day before. WEEKLY: of the seven days before. MONTHLY: of the month before, on its 1st
     * DAILY, WEEKLY, MONTHLY; a newer API may have others.
     */
    public readonly string $frequency;

    /** Of WEEKLY, on which day it is ordered: 1 is Monday */
    public readonly ?int $weekday;

    /** After which hour of Brasília it is ordered */
    public readonly int $hour;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->kind = Read::text($data['kind'] ?? null);
        $this->format = Read::text($data['format'] ?? null);
        $this->providerUuid = isset($data['provider_uuid']) ? Read::text($data['provider_uuid']) : null;
        $this->decimal = isset($data['decimal']) ? Read::text($data['decimal']) : null;
        $this->frequency = Read::text($data['frequency'] ?? null);
        $this->weekday = isset($data['weekday']) ? Read::integer($data['weekday']) : null;
        $this->hour = Read::integer($data['hour'] ?? null);
    }
}

class ReportSchedules
{
    /** @var list<ReportSchedule> */
    public readonly array $schedules;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->schedules = Read::items($data['schedules'] ?? null, static fn (mixed $item) => new ReportSchedule(Read::object($item)));
    }
}

class ShownApprovalRule
{
    /** Reais, at most two decimals */
    public readonly Amount $above;

    public readonly int $count;

    public readonly int $expiresHours;

    public readonly ?string $calloutUrl;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->above = Read::amount($data['above'] ?? null);
        $this->count = Read::integer($data['count'] ?? null);
        $this->expiresHours = Read::integer($data['expires_hours'] ?? null);
        $this->calloutUrl = isset($data['callout_url']) ? Read::text($data['callout_url']) : null;
    }
}

class ShownTrustedHolder
{
    public readonly string $document;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->document = Read::text($data['document'] ?? null);
    }
}

class ShownTrustedKey
{
    public readonly string $pixKey;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->pixKey = Read::text($data['pix_key'] ?? null);
    }
}

/** A cycle whose charge could not be created in time */
class SkippedCycle
{
    public readonly int $cycle;

    public readonly string $dueOn;

    public readonly \DateTimeImmutable $createdAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->cycle = Read::integer($data['cycle'] ?? null);
        $this->dueOn = Read::text($data['due_on'] ?? null);
        $this->createdAt = Read::time($data['created_at'] ?? null);
    }
}

class Split
{
    public readonly string $uuid;

    /** PERCENTAGE, FIXED; a newer API may have others. */
    public readonly string $type;

    /** Percent where PERCENTAGE, reais where FIXED */
    public readonly Amount $value;

    /** PENDING, CREDITED, FAILED; a newer API may have others. */
    public readonly string $status;

    public readonly SplitRecipient $recipientAccount;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->recipientAccount = new SplitRecipient(Read::object($data['recipient_account'] ?? null));
    }
}

class SplitInput
{
    /**
     * A share of the value, or an amount
     * PERCENTAGE, FIXED; a newer API may have others.
     */
    public readonly string $type;

    /** Percent where PERCENTAGE (10 is 10 %), reais where FIXED */
    public readonly Amount $value;

    /** The account that receives the share */
    public readonly string $recipientAccountUuid;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->recipientAccountUuid = Read::text($data['recipient_account_uuid'] ?? null);
    }
}

class SplitRecipient
{
    public readonly string $uuid;

    public readonly string $name;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->name = Read::text($data['name'] ?? null);
    }
}

class StatusChange
{
    /**
     * UNDEFINED, PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING; a newer API
     * may have others.
     */
    public readonly string $status;

    public readonly \DateTimeImmutable $createdAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->status = Read::text($data['status'] ?? null);
        $this->createdAt = Read::time($data['created_at'] ?? null);
    }
}

class Total
{
    /**
     * EXTERNAL_TRANSFER, EXTERNAL_REFUND, SPLIT, FEE, HOLD, ADJUSTMENT, REVERSAL, SHORTFALL; a newer API may have
     * others.
     */
    public readonly string $type;

    /** What the lines IN add */
    public readonly Amount $in;

    /** What the lines OUT take, never negative */
    public readonly Amount $out;

    public readonly int $lines;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->in = Read::amount($data['in'] ?? null);
        $this->out = Read::amount($data['out'] ?? null);
        $this->lines = Read::integer($data['lines'] ?? null);
    }
}

class Transfer
{
    public readonly string $uuid;

    /** Reais that the recipient receives */
    public readonly Amount $value;

    /** Reais that the sender pays on top of `value` */
    public readonly Amount $fees;

    public readonly string $currency;

    /**
     * UNDEFINED, PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING; a newer API
     * may have others.
     */
    public readonly string $status;

    public readonly string $type;

    public readonly ?string $externalRef;

    public readonly ?FinalBeneficiaryShown $finalBeneficiary;

    public readonly TransferRecord $transfer;

    /** @var list<StatusChange> */
    public readonly array $history;

    public readonly ProviderShown $provider;

    /** @var list<Attempt> */
    public readonly array $attempts;

    /** Only while no provider has said whether the money left; never send it again */
    public readonly ?string $outcome;

    /** Only with `outcome` */
    public readonly ?\DateTimeImmutable $unknownSince;

    /** Only with `outcome`: when the provider is asked again */
    public readonly ?\DateTimeImmutable $nextCheckAt;

    /** Of a scheduled transfer */
    public readonly ?\DateTimeImmutable $scheduledFor;

    /** Of a transfer that waits, or has waited, for approvals */
    public readonly ?TransferApproval $approval;

    /** The batch that it is an item of */
    public readonly ?string $batchUuid;

    /** Why a transfer is FAILED */
    public readonly ?TransferError $error;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->fees = Read::amount($data['fees'] ?? null);
        $this->currency = Read::text($data['currency'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->externalRef = isset($data['external_ref']) ? Read::text($data['external_ref']) : null;
        $this->finalBeneficiary = isset($data['final_beneficiary']) ? new FinalBeneficiaryShown(Read::object($data['final_beneficiary'])) : null;
        $this->transfer = new TransferRecord(Read::object($data['transfer'] ?? null));
        $this->history = Read::items($data['history'] ?? null, static fn (mixed $item) => new StatusChange(Read::object($item)));
        $this->provider = new ProviderShown(Read::object($data['provider'] ?? null));
        $this->attempts = Read::items($data['attempts'] ?? null, static fn (mixed $item) => new Attempt(Read::object($item)));
        $this->outcome = isset($data['outcome']) ? Read::text($data['outcome']) : null;
        $this->unknownSince = isset($data['unknown_since']) ? Read::time($data['unknown_since']) : null;
        $this->nextCheckAt = isset($data['next_check_at']) ? Read::time($data['next_check_at']) : null;
        $this->scheduledFor = isset($data['scheduled_for']) ? Read::time($data['scheduled_for']) : null;
        $this->approval = isset($data['approval']) ? new TransferApproval(Read::object($data['approval'])) : null;
        $this->batchUuid = isset($data['batch_uuid']) ? Read::text($data['batch_uuid']) : null;
        $this->error = isset($data['error']) ? new TransferError(Read::object($data['error'])) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
    }
}

/**
 * Approvals of persons who have not ordered it; `by` is the e-mail of a user, also of who made a token, or the
 * name of an operator; `callout` of a call-out that rejects
 */
class TransferApproval
{
    /** Persons who must approve it */
    public readonly int $needed;

    /** @var list<GivenApproval> */
    public readonly array $given;

    public readonly ?GivenRejection $rejected;

    public readonly ?ApprovalCallout $callout;

    /** Until then it waits; afterwards it is EXPIRED */
    public readonly \DateTimeImmutable $expiresAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->needed = Read::integer($data['needed'] ?? null);
        $this->given = Read::items($data['given'] ?? null, static fn (mixed $item) => new GivenApproval(Read::object($item)));
        $this->rejected = isset($data['rejected']) ? new GivenRejection(Read::object($data['rejected'])) : null;
        $this->callout = isset($data['callout']) ? new ApprovalCallout(Read::object($data['callout'])) : null;
        $this->expiresAt = Read::time($data['expires_at'] ?? null);
    }
}

class TransferBatch
{
    public readonly string $uuid;

    /** DRAFT, PROCESSING, COMPLETED, CANCELLED; a newer API may have others. */
    public readonly string $status;

    public readonly ?string $name;

    /** ALL_VALID, EACH; a newer API may have others. */
    public readonly string $mode;

    /** WAIT, FAIL; a newer API may have others. */
    public readonly string $onShortBalance;

    /** Number of items */
    public readonly int $total;

    /** Reais that all items together send, without fees */
    public readonly Amount $value;

    public readonly TransferBatchCounts $counts;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $scheduledFor;

    /**
     * Why no further item is started now; absent where one may be
     * approval, scheduled, account_blocked, paused, insufficient_balance, unfinished_items; a newer API may have
     * others.
     */
    public readonly ?string $waitingFor;

    /** Of a batch that waits, or has waited, for approvals */
    public readonly ?TransferApproval $approval;

    /**
     * Of a batch that was not cancelled by a request
     * item_failed, rejected, approval_expired; a newer API may have others.
     */
    public readonly ?string $cancelReason;

    /** @var list<HistoryEntry> */
    public readonly array $history;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->name = isset($data['name']) ? Read::text($data['name']) : null;
        $this->mode = Read::text($data['mode'] ?? null);
        $this->onShortBalance = Read::text($data['on_short_balance'] ?? null);
        $this->total = Read::integer($data['total'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->counts = new TransferBatchCounts(Read::object($data['counts'] ?? null));
        $this->scheduledFor = isset($data['scheduled_for']) ? Read::time($data['scheduled_for']) : null;
        $this->waitingFor = isset($data['waiting_for']) ? Read::text($data['waiting_for']) : null;
        $this->approval = isset($data['approval']) ? new TransferApproval(Read::object($data['approval'])) : null;
        $this->cancelReason = isset($data['cancel_reason']) ? Read::text($data['cancel_reason']) : null;
        $this->history = Read::items($data['history'] ?? null, static fn (mixed $item) => new HistoryEntry(Read::object($item)));
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

/** Items by their status; together they are `total` */
class TransferBatchCounts
{
    /** Not started, or scheduled */
    public readonly int $pending;

    public readonly int $processing;

    public readonly int $paid;

    public readonly int $partiallyRefunded;

    public readonly int $refunded;

    public readonly int $failed;

    public readonly int $cancelled;

    public readonly int $expired;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->pending = Read::integer($data['pending'] ?? null);
        $this->processing = Read::integer($data['processing'] ?? null);
        $this->paid = Read::integer($data['paid'] ?? null);
        $this->partiallyRefunded = Read::integer($data['partially_refunded'] ?? null);
        $this->refunded = Read::integer($data['refunded'] ?? null);
        $this->failed = Read::integer($data['failed'] ?? null);
        $this->cancelled = Read::integer($data['cancelled'] ?? null);
        $this->expired = Read::integer($data['expired'] ?? null);
    }
}

class TransferBatchItem
{
    /** Place in the batch, from 1 */
    public readonly int $line;

    /**
     * PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING; a newer API may have
     * others.
     */
    public readonly string $status;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    public readonly ?string $pixKey;

    public readonly ?OrderedReceiver $receiver;

    /** The PIX code that it pays; `pix_key` is its key */
    public readonly ?string $payload;

    public readonly ?string $document;

    public readonly string $externalRef;

    public readonly ?string $description;

    /** The transfer that the item has become; absent before it was started */
    public readonly ?string $transferUuid;

    public readonly ?string $endToEnd;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $settledAt;

    /** Why the item is FAILED */
    public readonly ?TransferBatchItemError $error;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->line = Read::integer($data['line'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
        $this->pixKey = isset($data['pix_key']) ? Read::text($data['pix_key']) : null;
        $this->receiver = isset($data['receiver']) ? new OrderedReceiver(Read::object($data['receiver'])) : null;
        $this->payload = isset($data['payload']) ? Read::text($data['payload']) : null;
        $this->document = isset($data['document']) ? Read::text($data['document']) : null;
        $this->externalRef = Read::text($data['external_ref'] ?? null);
        $this->description = isset($data['description']) ? Read::text($data['description']) : null;
        $this->transferUuid = isset($data['transfer_uuid']) ? Read::text($data['transfer_uuid']) : null;
        $this->endToEnd = isset($data['end_to_end']) ? Read::text($data['end_to_end']) : null;
        $this->settledAt = isset($data['settled_at']) ? Read::time($data['settled_at']) : null;
        $this->error = isset($data['error']) ? new TransferBatchItemError(Read::object($data['error'])) : null;
    }
}

class TransferBatchItemError
{
    public readonly string $code;

    public readonly string $message;

    public readonly ?string $providerCode;

    /**
     * Of `over_limit`: which limit
     * allowed_receivers_only, per_transfer, new_receiver, per_receiver_per_day, per_night, per_day; a newer API
     * may have others.
     */
    public readonly ?string $limit;

    /** Of `over_limit`: reais that the limit still allowed */
    public readonly ?Amount $left;

    /** Of `over_limit`: when the limit allows more; null where time alone changes nothing */
    public readonly ?\DateTimeImmutable $resetsAt;

    /** Of `possible_duplicate`: the earlier transfer */
    public readonly ?string $transferUuid;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->code = Read::text($data['code'] ?? null);
        $this->message = Read::text($data['message'] ?? null);
        $this->providerCode = isset($data['provider_code']) ? Read::text($data['provider_code']) : null;
        $this->limit = isset($data['limit']) ? Read::text($data['limit']) : null;
        $this->left = isset($data['left']) ? Read::amount($data['left']) : null;
        $this->resetsAt = isset($data['resets_at']) ? Read::time($data['resets_at']) : null;
        $this->transferUuid = isset($data['transfer_uuid']) ? Read::text($data['transfer_uuid']) : null;
    }
}

class TransferBatchItemOrder
{
    /** Reais, at most two decimals */
    public readonly Amount $value;

    /** Key of the recipient, as in POST /transfers; this, `receiver` or `payload` */
    public readonly ?string $pixKey;

    /** Account of the recipient at a bank, as in POST /transfers/bank-accounts; this, `pix_key` or `payload` */
    public readonly ?AccountReceiver $receiver;

    /**
     * A static copy-and-paste PIX code, and `value` as it says; this, `pix_key` or `receiver`. One whose charge is
     * at a bank is paid by POST /transfers/qr-codes
     */
    public readonly ?string $payload;

    /** CPF or CNPJ of the owner of the key: the provider must confirm that the key belongs to it */
    public readonly ?string $document;

    /** Your reference, another one for each item of the batch */
    public readonly string $externalRef;

    public readonly ?FinalBeneficiary $finalBeneficiary;

    /** Send it though the same value was sent to the same receiver within the seconds of `duplicate_guard` */
    public readonly ?bool $allowDuplicate;

    /** For you: shown with the item, sent to nobody */
    public readonly ?string $description;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->value = Read::amount($data['value'] ?? null);
        $this->pixKey = isset($data['pix_key']) ? Read::text($data['pix_key']) : null;
        $this->receiver = isset($data['receiver']) ? new AccountReceiver(Read::object($data['receiver'])) : null;
        $this->payload = isset($data['payload']) ? Read::text($data['payload']) : null;
        $this->document = isset($data['document']) ? Read::text($data['document']) : null;
        $this->externalRef = Read::text($data['external_ref'] ?? null);
        $this->finalBeneficiary = isset($data['final_beneficiary']) ? new FinalBeneficiary(Read::object($data['final_beneficiary'])) : null;
        $this->allowDuplicate = isset($data['allow_duplicate']) ? Read::flag($data['allow_duplicate']) : null;
        $this->description = isset($data['description']) ? Read::text($data['description']) : null;
    }
}

class TransferError
{
    public readonly string $code;

    public readonly string $message;

    public readonly ?string $providerCode;

    /**
     * Of `over_limit`: which limit
     * allowed_receivers_only, per_transfer, new_receiver, per_receiver_per_day, per_night, per_day; a newer API
     * may have others.
     */
    public readonly ?string $limit;

    /** Of `over_limit`: reais that the limit still allowed */
    public readonly ?Amount $left;

    /** Of `over_limit`: when the limit allows more; null where time alone changes nothing */
    public readonly ?\DateTimeImmutable $resetsAt;

    /** Of `possible_duplicate`: the earlier transfer */
    public readonly ?string $transferUuid;

    public readonly ?string $provider;

    /** @var list<TransferErrorAttempt> */
    public readonly array $attempts;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->code = Read::text($data['code'] ?? null);
        $this->message = Read::text($data['message'] ?? null);
        $this->providerCode = isset($data['provider_code']) ? Read::text($data['provider_code']) : null;
        $this->limit = isset($data['limit']) ? Read::text($data['limit']) : null;
        $this->left = isset($data['left']) ? Read::amount($data['left']) : null;
        $this->resetsAt = isset($data['resets_at']) ? Read::time($data['resets_at']) : null;
        $this->transferUuid = isset($data['transfer_uuid']) ? Read::text($data['transfer_uuid']) : null;
        $this->provider = isset($data['provider']) ? Read::text($data['provider']) : null;
        $this->attempts = Read::items($data['attempts'] ?? null, static fn (mixed $item) => new TransferErrorAttempt(Read::object($item)));
    }
}

class TransferErrorAttempt
{
    public readonly string $provider;

    /**
     * preparing, calling, accepted, settled, rejected, unreachable, unknown, duplicate; a newer API may have
     * others.
     */
    public readonly string $outcome;

    public readonly string $code;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->provider = Read::text($data['provider'] ?? null);
        $this->outcome = Read::text($data['outcome'] ?? null);
        $this->code = Read::text($data['code'] ?? null);
    }
}

class TransferRecord
{
    /** The movement that pays it; the transfer itself until its money is reserved */
    public readonly string $uuid;

    public readonly KeyInitiation $initiation;

    /** Reais, at most two decimals */
    public readonly Amount $value;

    public readonly string $movementType;

    public readonly string $type;

    /** PENDING, SETTLED, FAILED; a newer API may have others. */
    public readonly string $status;

    /** End-to-end id of the PIX, 32 characters; empty until its provider reports it */
    public readonly string $endToEnd;

    /** UTC, six fractional digits */
    public readonly ?\DateTimeImmutable $settledAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $updatedAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->initiation = new KeyInitiation(Read::object($data['initiation'] ?? null));
        $this->value = Read::amount($data['value'] ?? null);
        $this->movementType = Read::text($data['movement_type'] ?? null);
        $this->type = Read::text($data['type'] ?? null);
        $this->status = Read::text($data['status'] ?? null);
        $this->endToEnd = Read::text($data['end_to_end'] ?? null);
        $this->settledAt = isset($data['settled_at']) ? Read::time($data['settled_at']) : null;
        $this->createdAt = Read::time($data['created_at'] ?? null);
        $this->updatedAt = Read::time($data['updated_at'] ?? null);
    }
}

class TrustedHolder
{
    /** CPF or CNPJ with valid check digits, without formatting */
    public readonly string $document;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->document = Read::text($data['document'] ?? null);
    }
}

class TrustedKey
{
    /** Key of the recipient, at most 77 characters: CPF, CNPJ, e-mail, mobile with `+55`, or random key */
    public readonly string $pixKey;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->pixKey = Read::text($data['pix_key'] ?? null);
    }
}

/** Free of `new_receiver` */
class TrustedReceiver
{
    /** CPF or CNPJ with valid check digits, without formatting */
    public readonly ?string $document;

    /** Key of the recipient, at most 77 characters: CPF, CNPJ, e-mail, mobile with `+55`, or random key */
    public readonly ?string $pixKey;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->document = isset($data['document']) ? Read::text($data['document']) : null;
        $this->pixKey = isset($data['pix_key']) ? Read::text($data['pix_key']) : null;
    }
}

class Until
{
    /** A day in Brasília, `YYYY-MM-DD` */
    public readonly string $on;

    /** Reais where FIXED, percent where PERCENTAGE (2 is 2 %), at most 99.99 */
    public readonly Amount $value;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->on = Read::text($data['on'] ?? null);
        $this->value = Read::amount($data['value'] ?? null);
    }
}

/** The account that the provider holds for the account holder */
class VirtualAccount
{
    /** NOMINAL, POOL; a newer API may have others. */
    public readonly string $type;

    public readonly string $name;

    /** CPF or CNPJ; masked (`***982247**`) where it is another’s */
    public readonly string $document;

    public readonly string $accountNumber;

    public readonly string $accountAgency;

    public readonly Bank $bank;

    /** CHECKING, PAYMENT, SAVINGS, SALARY; a newer API may have others. */
    public readonly string $accountType;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->type = Read::text($data['type'] ?? null);
        $this->name = Read::text($data['name'] ?? null);
        $this->document = Read::text($data['document'] ?? null);
        $this->accountNumber = Read::text($data['account_number'] ?? null);
        $this->accountAgency = Read::text($data['account_agency'] ?? null);
        $this->bank = new Bank(Read::object($data['bank'] ?? null));
        $this->accountType = Read::text($data['account_type'] ?? null);
    }
}

class Webhook
{
    public readonly string $uuid;

    public readonly string $url;

    /** Whole where it is created or replaced, masked where it is read */
    public readonly string $token;

    /** Until then the token before this one signs as well */
    public readonly ?\DateTimeImmutable $previousTokenExpiresAt;

    /** ACTIVE, DISABLED; a newer API may have others. */
    public readonly string $status;

    public readonly ?string $disabledReason;

    /** @var list<string> */
    public readonly array $events;

    /** UTC, six fractional digits */
    public readonly \DateTimeImmutable $createdAt;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        $this->uuid = Read::text($data['uuid'] ?? null);
        $this->url = Read::text($data['url'] ?? null);
        $this->token = Read::text($data['token'] ?? null);
        $this->previousTokenExpiresAt = isset($data['previous_token_expires_at']) ? Read::time($data['previous_token_expires_at']) : null;
        $this->status = Read::text($data['status'] ?? null);
        $this->disabledReason = isset($data['disabled_reason']) ? Read::text($data['disabled_reason']) : null;
        $this->events = Read::items($data['events'] ?? null, static fn (mixed $item) => Read::text($item));
        $this->createdAt = Read::time($data['created_at'] ?? null);
    }
}

class BatchEventData extends TransferBatch
{
    /** Counts the events of this resource, from 1; a lower one that comes later is older news */
    public readonly int $sequence;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        parent::__construct($data);
        $this->sequence = Read::integer($data['sequence'] ?? null);
    }
}

class MedEventData extends Dispute
{
    /** Counts the events of this resource, from 1; a lower one that comes later is older news */
    public readonly int $sequence;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        parent::__construct($data);
        $this->sequence = Read::integer($data['sequence'] ?? null);
    }
}

class PaymentEventData extends Charge
{
    /** Counts the events of this resource, from 1; a lower one that comes later is older news */
    public readonly int $sequence;

    /** It was paid, or settled, after a final state had been shown */
    public readonly ?bool $late;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        parent::__construct($data);
        $this->sequence = Read::integer($data['sequence'] ?? null);
        $this->late = isset($data['late']) ? Read::flag($data['late']) : null;
    }
}

class PixTransactionEventData extends Movement
{
    /** Counts the events of this resource, from 1; a lower one that comes later is older news */
    public readonly int $sequence;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        parent::__construct($data);
        $this->sequence = Read::integer($data['sequence'] ?? null);
    }
}

class RecurrenceEventData extends Recurrence
{
    /** Counts the events of this resource, from 1; a lower one that comes later is older news */
    public readonly int $sequence;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        parent::__construct($data);
        $this->sequence = Read::integer($data['sequence'] ?? null);
    }
}

class RefundEventData extends RefundResult
{
    /** Counts the events of this resource, from 1; a lower one that comes later is older news */
    public readonly int $sequence;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        parent::__construct($data);
        $this->sequence = Read::integer($data['sequence'] ?? null);
    }
}

class ReportEventData extends Report
{
    /** Counts the events of this resource, from 1; a lower one that comes later is older news */
    public readonly int $sequence;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        parent::__construct($data);
        $this->sequence = Read::integer($data['sequence'] ?? null);
    }
}

class TestEventData extends Webhook
{
    /** Counts the events of this resource, from 1; a lower one that comes later is older news */
    public readonly int $sequence;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        parent::__construct($data);
        $this->sequence = Read::integer($data['sequence'] ?? null);
    }
}

class TransferEventData extends Transfer
{
    /** Counts the events of this resource, from 1; a lower one that comes later is older news */
    public readonly int $sequence;

    /** It was paid, or settled, after a final state had been shown */
    public readonly ?bool $late;

    /** @param array<string, mixed> $data */
    public function __construct(array $data)
    {
        parent::__construct($data);
        $this->sequence = Read::integer($data['sequence'] ?? null);
        $this->late = isset($data['late']) ? Read::flag($data['late']) : null;
    }
}

/** @internal */
final class EventData
{
    /**
     * Returns the data of a type of event; the array itself where this version does not know it.
     *
     * @param array<string, mixed> $data
     */
    public static function of(string $type, array $data): object|array
    {
        return match ($type) {
            'PAYMENT' => new PaymentEventData($data),
            'TRANSFER' => new TransferEventData($data),
            'REFUND' => new RefundEventData($data),
            'MED' => new MedEventData($data),
            'PIX_TRANSACTION' => new PixTransactionEventData($data),
            'BATCH' => new BatchEventData($data),
            'RECURRENCE' => new RecurrenceEventData($data),
            'REPORT' => new ReportEventData($data),
            'TEST' => new TestEventData($data),
            default => $data,
        };
    }
}
