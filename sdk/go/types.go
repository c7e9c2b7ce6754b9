// Code generated from openapi.json by `npm run sdk:go`; DO NOT EDIT.

package trilho

import (
	"cmp"
	"encoding/json"
	"time"
)

// Abatement: an object of the API
type Abatement struct {
	// An amount, or a share of the value. FIXED, PERCENTAGE.
	Type string `json:"type"`
	// Reais where FIXED, percent where PERCENTAGE (2 is 2 %), at most 99.99.
	Value Amount `json:"value"`
}

// AccountLimits: The limits in force, null where nothing binds
type AccountLimits struct {
	// Reais, at most two decimals.
	PerTransfer Opt[Amount] `json:"per_transfer,omitzero"`
	// Reais, at most two decimals.
	PerDay Opt[Amount] `json:"per_day,omitzero"`
	// Reais, at most two decimals.
	PerNight Opt[Amount] `json:"per_night,omitzero"`
	Night    Night       `json:"night"`
	// Reais, at most two decimals.
	PerReceiverPerDay    Opt[Amount]                    `json:"per_receiver_per_day,omitzero"`
	NewReceiver          Opt[NewReceiver]               `json:"new_receiver,omitzero"`
	TrustedReceivers     []AccountLimitsTrustedReceiver `json:"trusted_receivers"`
	AllowedReceiversOnly bool                           `json:"allowed_receivers_only"`
	DuplicateGuard       DuplicateGuard                 `json:"duplicate_guard"`
	Approvals            Opt[ShownApprovalRule]         `json:"approvals,omitzero"`
	// The secret that signs call-outs. Whole where a PUT or a rotation has made it, masked elsewhere; absent where
	// no call-out was ever set.
	CalloutToken Opt[string] `json:"callout_token,omitzero"`
	// What allows more, and when it takes effect; a PUT of what is in force cancels it.
	Pending Opt[Pending] `json:"pending,omitzero"`
	// Counts the changes; 0 where none was made.
	Version int `json:"version"`
	// null where none was made.
	UpdatedAt Opt[time.Time] `json:"updated_at,omitzero"`
}

// AccountLimitsTrustedReceiver: an object of the API
type AccountLimitsTrustedReceiver struct {
	Document Opt[string] `json:"document,omitzero"`
	PixKey   Opt[string] `json:"pix_key,omitzero"`
}

// AccountReceiver: Who is paid, and the account
type AccountReceiver struct {
	// Holder of the account.
	Name string `json:"name"`
	// CPF or CNPJ with valid check digits, without formatting.
	Document string `json:"document"`
	// ISPB of the bank; this or `bank_code`.
	Ispb Opt[string] `json:"ispb,omitzero"`
	// COMPE code of the bank; this or `ispb`.
	BankCode Opt[string] `json:"bank_code,omitzero"`
	// Branch, without its check digit.
	Agency string `json:"agency"`
	// Number of the account with its check digit, without a hyphen; a check digit X is 0.
	Account string `json:"account"`
	// CHECKING, PAYMENT, SAVINGS, SALARY.
	AccountType string `json:"account_type"`
}

// AdditionalInfo: an object of the API
type AdditionalInfo struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// AdditionalInfoInput: an object of the API
type AdditionalInfoInput struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// AmountDue: an object of the API
type AmountDue struct {
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// `YYYY-MM-DD`.
	On         string `json:"on"`
	IsForecast bool   `json:"is_forecast"`
}

// ApprovalCallout: What your server has answered, which must approve it too
type ApprovalCallout struct {
	// null until the call-out has ended.
	Approved Opt[bool] `json:"approved,omitzero"`
	// When it ended.
	At Opt[time.Time] `json:"at,omitzero"`
	// Requests made, at most three.
	Requests int `json:"requests"`
	// Why it does not approve; before it ends, why the last request has no answer. callout_refused,
	// callout_timeout, callout_unreachable, callout_bad_status, callout_bad_answer, callout_interrupted.
	Code Opt[string] `json:"code,omitzero"`
}

// ApprovalRule: an object of the API
type ApprovalRule struct {
	// Reais: a transfer of more waits.
	Above Amount `json:"above"`
	// Persons who must approve it.
	Count        Opt[int] `json:"count,omitzero"`
	ExpiresHours Opt[int] `json:"expires_hours,omitzero"`
	// Your server must approve it too: it is asked by a signed POST. https, resolving to public addresses only;
	// null or absent: it is not asked.
	CalloutURL Opt[string] `json:"callout_url,omitzero"`
}

// AssignDepositRequest: an object of the API
type AssignDepositRequest struct {
	// The QR code that the payer has paid, or the charge whose static code it was.
	QrCodeUUID string `json:"qr_code_uuid"`
}

// Attachment: an object of the API
type Attachment struct {
	UUID string `json:"uuid"`
	// Signed; it expires.
	URL string `json:"url"`
}

// Attempt: an object of the API
type Attempt struct {
	Provider string `json:"provider"`
	// preparing, calling, accepted, settled, rejected, unreachable, unknown, duplicate.
	Outcome string `json:"outcome"`
	Code    string `json:"code"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// AuthCode: an object of the API
type AuthCode struct {
	AuthCodeID string `json:"auth_code_id"`
	// UTC, six fractional digits.
	ExpiresAt time.Time `json:"expires_at"`
}

// Balance: an object of the API
type Balance struct {
	// Reais, at most two decimals.
	AvailableBalance Amount `json:"available_balance"`
	// Reais, at most two decimals.
	PendingBalance Amount `json:"pending_balance"`
	// Reais, at most two decimals.
	BlockedBalance Amount `json:"blocked_balance"`
	// Reais, at most two decimals.
	RetainedBalance Amount `json:"retained_balance"`
	// Reais, at most two decimals.
	ProvisionedBalance Amount `json:"provisioned_balance"`
	// What the service has advanced and the next inflows repay: a debt, in none of the others.
	ShortfallBalance Amount `json:"shortfall_balance"`
	// BRL where it is empty.
	Currency string `json:"currency"`
}

// Bank: an object of the API
type Bank struct {
	// COMPE code; empty where the bank has none.
	Code string `json:"code"`
	Name string `json:"name"`
	Ispb string `json:"ispb"`
}

// BatchEventData: an object of the API
type BatchEventData struct {
	TransferBatch
	// Counts the events of this resource, from 1; a lower one that comes later is older news.
	Sequence int `json:"sequence"`
}

// Charge: an object of the API
type Charge struct {
	UUID string `json:"uuid"`
	// Reais that the merchant asked; 0 where the payer chooses.
	Value Amount `json:"value"`
	// Reais that the payer pays: `value` and `fees`. Of an open amount what was paid.
	TotalValue Amount `json:"total_value"`
	// Reais that the payer pays on top of `value`. Of an open amount they come out of it.
	Fees Amount `json:"fees"`
	// BRL where it is empty.
	Currency string `json:"currency"`
	// UNDEFINED, PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING.
	Status string `json:"status"`
	// PIX where it is empty.
	Type             string                     `json:"type"`
	ExternalRef      Opt[string]                `json:"external_ref,omitzero"`
	FinalBeneficiary Opt[FinalBeneficiaryShown] `json:"final_beneficiary,omitzero"`
	Debtor           Opt[DebtorShown]           `json:"debtor,omitzero"`
	// PERSON, COMPANY.
	PayerKind Opt[string] `json:"payer_kind,omitzero"`
	// FULL, ROOT.
	Match    Opt[string]       `json:"match,omitzero"`
	Message  Opt[string]       `json:"message,omitzero"`
	Metadata map[string]string `json:"metadata,omitzero"`
	// Only of a charge with a due date: how often it was changed by PATCH.
	Revision Opt[int]       `json:"revision,omitzero"`
	Splits   []Split        `json:"splits"`
	History  []StatusChange `json:"history"`
	Provider ProviderShown  `json:"provider"`
	// The static code of the account that it was paid to.
	QrCodeUUID Opt[string] `json:"qr_code_uuid,omitzero"`
	// The recurrence whose payer it debits, and for which cycle.
	Recurrence Opt[ChargeCycle] `json:"recurrence,omitzero"`
	// Only on a FAILED charge: why no provider issued it, or why its debit failed.
	Error Opt[ChargeError] `json:"error,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
	// Sum of the settled refunds and returns.
	RefundedValue Amount `json:"refunded_value"`
	// What the charge leaves to its account and its splits: what the payer paid, less `fees`, less
	// `refunded_value`, less the fees of these refunds. 0 until it is paid; below 0 once more was refunded than
	// was left.
	NetValue Amount `json:"net_value"`
	// Its refunds in any status, oldest first.
	RefundUUIDs []string `json:"refund_uuids"`
	Payment     Payment  `json:"payment"`
}

// ChargeCycle: an object of the API
type ChargeCycle struct {
	UUID  string `json:"uuid"`
	Cycle int    `json:"cycle"`
}

// ChargeError: an object of the API
type ChargeError struct {
	Code         string               `json:"code"`
	Message      string               `json:"message"`
	ProviderCode Opt[string]          `json:"provider_code,omitzero"`
	Provider     Opt[string]          `json:"provider,omitzero"`
	Attempts     []ChargeErrorAttempt `json:"attempts"`
}

// ChargeErrorAttempt: an object of the API
type ChargeErrorAttempt struct {
	Provider string `json:"provider"`
	Outcome  string `json:"outcome"`
	Code     string `json:"code"`
}

// ChargePix: an object of the API
type ChargePix struct {
	Sender   Opt[Party] `json:"sender,omitzero"`
	Receiver Party      `json:"receiver"`
	// Id of the charge at its provider; null for transfers and refunds.
	Txid Opt[string] `json:"txid,omitzero"`
	// Reais as a decimal string with two decimals.
	Value Amount `json:"value"`
	// QR_DYNAMIC, QR_STATIC, KEY, MANUAL, AUTOMATIC, REFUND.
	Type           string                 `json:"type"`
	PixKey         string                 `json:"pix_key"`
	AdditionalInfo []AdditionalInfo       `json:"additional_info"`
	Transaction    Opt[ChargeTransaction] `json:"transaction,omitzero"`
	// PENDING, COMPLETED, FAILED, EXPIRED, CANCELLED.
	Status string `json:"status"`
	// UTC, six fractional digits.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// ChargeRecurrenceRequest: an object of the API
type ChargeRecurrenceRequest struct {
	// Reais; where absent, the value of the recurrence.
	Value Opt[Amount] `json:"value,omitzero"`
	// Due day in Brasília, 2 to 10 days from today; its cycle has no other charge. `YYYY-MM-DD`.
	DueOn string `json:"due_on"`
	// Text that the payer is shown.
	Message Opt[string] `json:"message,omitzero"`
	// Your reference, such as the number of an order.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// Shares of other accounts in what the charge brings in.
	Splits []SplitInput `json:"splits,omitzero"`
}

// ChargeTransaction: an object of the API
type ChargeTransaction struct {
	UUID string `json:"uuid"`
	// Reais as a decimal string with two decimals.
	Value Amount `json:"value"`
	// IN, OUT.
	MovementType string `json:"movement_type"`
	// EXTERNAL_TRANSFER, EXTERNAL_REFUND.
	Type string `json:"type"`
	// PENDING, SETTLED, FAILED.
	Status string `json:"status"`
	// End-to-end id of the PIX, 32 characters; empty until its provider reports it.
	EndToEnd string `json:"end_to_end"`
	// UTC, six fractional digits.
	SettledAt Opt[time.Time] `json:"settled_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// CodeReading: an object of the API
type CodeReading struct {
	UUID string `json:"uuid"`
	// STATIC: a key, with or without a value. DYNAMIC: a charge at the receiver’s bank, DUE: one with a due date.
	// RECURRENCE: an authorization of Pix Automático. COMPOSITE: a charge and a recurrence, of which the charge is
	// shown. STATIC, DYNAMIC, DUE, RECURRENCE, COMPOSITE.
	Kind     string      `json:"kind"`
	Receiver Party       `json:"receiver"`
	Txid     Opt[string] `json:"txid,omitzero"`
	Value    CodeValue   `json:"value"`
	// What the receiver’s bank says of it at this moment. A static code is PAYABLE: its key is looked up when it
	// is paid. PAYABLE, PAID, REMOVED, EXPIRED, TOO_EARLY.
	Status string `json:"status"`
	// Of a charge with a due date: the end of its last day, weekends counted and holidays not.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
	// VERIFIED: the certificate that signed the charge is of the trust store of this installation. UNVERIFIED: its
	// chain was not checked, or the code is static. VERIFIED, UNVERIFIED.
	Signature string `json:"signature"`
	// The charge of this account that has the code.
	OwnChargeUUID Opt[string] `json:"own_charge_uuid,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
}

// CodeValue: an object of the API
type CodeValue struct {
	// Reais, at most two decimals.
	Original Amount `json:"original"`
	// Reais to be paid on `pay_on`, or today.
	DueNow Amount `json:"due_now"`
	// Reais, at most two decimals.
	Fine Amount `json:"fine"`
	// Reais, at most two decimals.
	Interest Amount `json:"interest"`
	// Reais, at most two decimals.
	Discount Amount `json:"discount"`
	// Reais, at most two decimals.
	Abatement Amount `json:"abatement"`
	// The payer chooses the value; `due_now` may propose one.
	Open bool `json:"open"`
}

// Contest: an object of the API
type Contest struct {
	// PENDING until it was handed to the provider, PROCESSING until its decision. PENDING, PROCESSING, ACCEPTED,
	// REJECTED.
	Status   string `json:"status"`
	Analysis string `json:"analysis"`
	// Reference of the provider.
	Protocol Opt[string] `json:"protocol,omitzero"`
	// What came back by it.
	Value Opt[Amount] `json:"value,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// ContestMedRequest: an object of the API
type ContestMedRequest struct {
	// Why the money should not have been returned.
	Analysis string `json:"analysis"`
	// Proofs, at most 10, sent as `attachments[0][file]`, `attachments[1][file]`, ….
	Attachments []File `json:"-"`
}

// CreateAccountTransferRequest: an object of the API
type CreateAccountTransferRequest struct {
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// PIX is the only type.
	Type     Opt[string]     `json:"type,omitzero"`
	Receiver AccountReceiver `json:"receiver"`
	// Your reference, such as the number of an order.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// The only provider to use; where absent, the default ones in their order. A bound token always uses its own.
	ProviderUUID     Opt[string]           `json:"provider_uuid,omitzero"`
	FinalBeneficiary Opt[FinalBeneficiary] `json:"final_beneficiary,omitzero"`
	// ISO 8601 with offset, in the future, at most 90 days ahead.
	ScheduledFor Opt[time.Time] `json:"scheduled_for,omitzero"`
	// Send it though the same value was sent to the same receiver within the seconds of `duplicate_guard`.
	AllowDuplicate Opt[bool] `json:"allow_duplicate,omitzero"`
}

// CreateCodeTransferRequest: an object of the API
type CreateCodeTransferRequest struct {
	// The copy-and-paste PIX code; this or `read_uuid`.
	Payload Opt[string] `json:"payload,omitzero"`
	// A reading of POST /qr-codes/read: the code is read again, and paid only where receiver, value and txid are
	// as they were shown.
	ReadUUID Opt[string] `json:"read_uuid,omitzero"`
	// Reais; needed where the payer chooses the value, and else the value of the code or absent.
	Value Opt[Amount] `json:"value,omitzero"`
	// PIX is the only type.
	Type Opt[string] `json:"type,omitzero"`
	// CPF or CNPJ of the recipient: the provider must confirm that the key belongs to it.
	Document Opt[string] `json:"document,omitzero"`
	// Look-up of the key of the code within the last 15 minutes.
	LookupUUID Opt[string] `json:"lookup_uuid,omitzero"`
	// Only with `lookup_uuid`: what happens where the look-up does not match its document or name, or the key has
	// another owner before it is sent; REFUSE where absent. REFUSE, WARN.
	OnMismatch Opt[string] `json:"on_mismatch,omitzero"`
	// Your reference, such as the number of an order.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// The only provider to use; where absent, the default ones in their order. A bound token always uses its own.
	ProviderUUID     Opt[string]           `json:"provider_uuid,omitzero"`
	FinalBeneficiary Opt[FinalBeneficiary] `json:"final_beneficiary,omitzero"`
	// Send it though the same value was sent to the same receiver within the seconds of `duplicate_guard`.
	AllowDuplicate Opt[bool] `json:"allow_duplicate,omitzero"`
}

// CreatePaymentLinkRequest: an object of the API
type CreatePaymentLinkRequest struct {
	// The charge that the link shows; a charge has one link that works. Without it the link creates charges of
	// `value`.
	ChargeUUID Opt[string] `json:"charge_uuid,omitzero"`
	// Text that the payer reads on the page, and that each charge of the link has.
	Message Opt[string] `json:"message,omitzero"`
	// Reais that each payer is asked.
	Value Opt[Amount] `json:"value,omitzero"`
	// Your reference, which every charge of the link has.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// The only provider to use; where absent, the default ones in their order. A bound token always uses its own.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Shares of other accounts in each charge of the link.
	Splits []SplitInput `json:"splits,omitzero"`
	// Seconds until the charge can be paid no more, from 60 to 30 days; by default a day. Without effect on a
	// static code, which does not expire; not for a charge with a due date.
	ExpiresIn Opt[int] `json:"expires_in,omitzero"`
	// Texts of yours, at most 30.
	Metadata map[string]string `json:"metadata,omitzero"`
	// Most charges of the link that are paid or can be paid at one time, by default 1. One that expires, fails or
	// is cancelled unpaid frees its place.
	MaxPayments Opt[int] `json:"max_payments,omitzero"`
	// Until then payers may ask for a code: ISO 8601 with offset, in the future, at most 366 days ahead. Without
	// it the link works until it is revoked.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
}

// CreatePaymentRequest: an object of the API
type CreatePaymentRequest struct {
	// Reais. 0 is an open amount, which the payer chooses: the code is a static one where the provider issues no
	// other, and then it does not expire.
	Value Amount `json:"value"`
	// PIX is the only type. PIX where it is empty.
	Type string `json:"type"`
	// Your reference, such as the number of an order.
	ExternalRef      Opt[string]           `json:"external_ref,omitzero"`
	FinalBeneficiary Opt[FinalBeneficiary] `json:"final_beneficiary,omitzero"`
	// The only provider to use; where absent, the default ones in their order. A bound token always uses its own.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Shares of other accounts in what the charge brings in, at most the whole value; the pair of recipient and
	// type is unique.
	Splits []SplitInput `json:"splits,omitzero"`
	Debtor Opt[Debtor]  `json:"debtor,omitzero"`
	// Only the `debtor` may pay. A PIX of another document never pays the charge: it is returned or reviewed, as
	// the account has chosen, and the charge stays PENDING.
	VerifySender Opt[bool] `json:"verify_sender,omitzero"`
	// Only persons (CPF) or only companies (CNPJ) may pay. PERSON, COMPANY.
	PayerKind Opt[string] `json:"payer_kind,omitzero"`
	// With `verify_sender`: FULL compares the whole document; ROOT allows every CNPJ with the first eight
	// characters of the debtor's. FULL where absent. FULL, ROOT.
	Match Opt[string] `json:"match,omitzero"`
	// Seconds until the charge can be paid no more, from 60 to 30 days; by default a day. Without effect on a
	// static code, which does not expire; not for a charge with a due date.
	ExpiresIn Opt[int] `json:"expires_in,omitzero"`
	Due       Opt[Due] `json:"due,omitzero"`
	// Text that the payer is shown.
	Message Opt[string] `json:"message,omitzero"`
	// Texts that the payer is shown besides `message`, where the provider shows any.
	AdditionalInfo []AdditionalInfoInput `json:"additional_info,omitzero"`
	// Texts of yours, at most 30.
	Metadata map[string]string `json:"metadata,omitzero"`
}

// MarshalJSON fills in the fields that have one value only.
func (o CreatePaymentRequest) MarshalJSON() ([]byte, error) {
	type fields CreatePaymentRequest
	plain := fields(o)
	plain.Type = cmp.Or(plain.Type, "PIX")
	return json.Marshal(plain)
}

// CreatePixKeyAuthCodeRequest: an object of the API
type CreatePixKeyAuthCodeRequest struct {
	// What `key` is. EMAIL, PHONE.
	Type string `json:"type"`
	// The e-mail address, or the mobile with `+55`, that is to be a key.
	Key string `json:"key"`
	// A NOMINAL provider of the account; the default one where absent.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
}

// CreatePixKeyRequest: an object of the API
type CreatePixKeyRequest struct {
	// DOCUMENT is the document of the account, RANDOM is made by the provider, EMAIL and PHONE are what the code
	// was sent to. DOCUMENT, EMAIL, PHONE, RANDOM.
	Type string `json:"type"`
	// Of `POST /pix-keys/auth-code`; required for EMAIL and PHONE.
	AuthCodeID Opt[string] `json:"auth_code_id,omitzero"`
	// The six digits that came; required for EMAIL and PHONE.
	AuthCode Opt[string] `json:"auth_code,omitzero"`
	// A NOMINAL provider of the account; the default one where absent.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
}

// CreateQrCodeRequest: an object of the API
type CreateQrCodeRequest struct {
	// The only provider to use; where absent, the default ones in their order. A bound token always uses its own.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Reais that every payer is asked; 0, or absent, where the payer chooses.
	Value Opt[Amount] `json:"value,omitzero"`
	// The txid of every PIX to the code, one code of a provider account each; where absent, one is made.
	Reference Opt[string] `json:"reference,omitzero"`
	// What the payer reads. It shares 99 bytes of the payload with the PIX key, so that a long key leaves less.
	Description Opt[string] `json:"description,omitzero"`
	// Your reference, which every charge of the code has.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// Shares of other accounts in each charge of the code; only PERCENTAGE where the payer chooses the value.
	Splits []SplitInput `json:"splits,omitzero"`
	// What becomes of a PIX of another value, or after the code was disabled: KEEP makes it a charge like the
	// others, RETURN sends it back to its payer. KEEP, RETURN.
	OnPayment Opt[string] `json:"on_payment,omitzero"`
	// Texts of yours, at most 20.
	Metadata map[string]string `json:"metadata,omitzero"`
}

// CreateRecurrenceRequest: an object of the API
type CreateRecurrenceRequest struct {
	// Reais of each charge, without its fee; where absent, each charge names its own.
	Value Opt[Amount] `json:"value,omitzero"`
	// Without `value`: the least that the payer may choose as their own limit of a charge.
	MinimumValue Opt[Amount] `json:"minimum_value,omitzero"`
	// WEEKLY, MONTHLY, QUARTERLY, SEMIANNUAL, ANNUAL.
	Frequency string `json:"frequency"`
	// Due day of the first cycle, in Brasília; within a year. `YYYY-MM-DD`.
	StartsOn string `json:"starts_on"`
	// The last day on which a charge may be due; where absent, it has no end. `YYYY-MM-DD`.
	EndsOn Opt[string] `json:"ends_on,omitzero"`
	// Your contract with the payer, at most 35 characters.
	Contract string `json:"contract"`
	// What is paid for, as the bank of the payer shows it; at most 35 characters.
	Subject Opt[string]      `json:"subject,omitzero"`
	Debtor  RecurrenceDebtor `json:"debtor"`
	// Whether a debit that failed may be tried again, three times within seven days. NOT_ALLOWED,
	// THREE_IN_SEVEN_DAYS.
	RetryPolicy string `json:"retry_policy"`
	// How the payer authorizes it: REQUEST, which their bank shows them; QR, a code that they read;
	// QR_WITH_PAYMENT, a code that also pays `first_charge`; PAYMENT_THEN_OFFER, an offer of their bank once they
	// have paid `first_charge`, which has a due date. REQUEST, QR, QR_WITH_PAYMENT, PAYMENT_THEN_OFFER.
	Journey string `json:"journey"`
	// Needed by the journeys QR_WITH_PAYMENT and PAYMENT_THEN_OFFER: a charge that the code also pays.
	FirstCharge Opt[FirstCharge] `json:"first_charge,omitzero"`
	// Needed by the journey REQUEST.
	PayerAccount Opt[PayerAccount] `json:"payer_account,omitzero"`
	// Of the journey REQUEST: until when the payer may decide; by default seven days.
	RequestExpiresAt Opt[time.Time] `json:"request_expires_at,omitzero"`
	// AUTOMATIC creates the charge of each cycle; MANUAL leaves it to you. AUTOMATIC where `value` is sent, else
	// MANUAL. AUTOMATIC, MANUAL.
	Generate Opt[string] `json:"generate,omitzero"`
	// Days before the due day on which a charge is created, at 09:00 in Brasília.
	DaysBefore Opt[int] `json:"days_before,omitzero"`
	// Shares of other accounts in each charge that is created for it.
	Splits []SplitInput `json:"splits,omitzero"`
	// Your reference, such as the number of an order.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// The only provider to use; where absent, the default ones in their order. A bound token always uses its own.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Texts of yours, at most 20.
	Metadata map[string]string `json:"metadata,omitzero"`
}

// CreateReportRequest: an object of the API
type CreateReportRequest struct {
	// LEDGER: all lines of the statement. PAYMENTS, TRANSFERS, REFUNDS: those of such operations, with their fees.
	// MEDS, RECURRENCES: those of disputes, and of charges of recurrences. FEES: fees alone. RECONCILIATION:
	// differences between the statements of providers and the ledger. LEDGER, PAYMENTS, TRANSFERS, REFUNDS, MEDS,
	// FEES, RECURRENCES, RECONCILIATION.
	Kind string `json:"kind"`
	// OFX for LEDGER only. CSV, JSONL, OFX.
	Format string `json:"format"`
	// Only this provider of the account; a bound token has its own.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Decimal separator of CSV; a Brazilian Excel reads COMMA. POINT, COMMA.
	Decimal Opt[string] `json:"decimal,omitzero"`
	// The first day, by the clocks of Brasília. `YYYY-MM-DD`.
	DateFrom string `json:"date_from"`
	// The last day, at most 92 days in all; today makes the report partial, by the clocks of Brasília.
	// `YYYY-MM-DD`.
	DateTo string `json:"date_to"`
}

// CreateTransferBatchRequest: an object of the API
type CreateTransferBatchRequest struct {
	Name Opt[string] `json:"name,omitzero"`
	// EACH: an item that fails stops no other; by default. ALL_VALID: the items must be within the limits of one
	// transfer when they are ordered, and none is started after one has failed. ALL_VALID, EACH.
	Mode Opt[string] `json:"mode,omitzero"`
	// Of an item that the available balance does not cover: FAIL, by default, or WAIT, with those after it. WAIT,
	// FAIL.
	OnShortBalance Opt[string] `json:"on_short_balance,omitzero"`
	// ISO 8601 with offset, in the future, at most 90 days ahead: no item is sent before.
	ScheduledFor Opt[time.Time] `json:"scheduled_for,omitzero"`
	// The only provider to use; where absent, the default ones in their order. A bound token always uses its own.
	ProviderUUID Opt[string]              `json:"provider_uuid,omitzero"`
	Items        []TransferBatchItemOrder `json:"items"`
}

// CreateTransferRequest: an object of the API
type CreateTransferRequest struct {
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// PIX is the only type.
	Type Opt[string] `json:"type,omitzero"`
	// Key of the recipient, at most 77 characters: CPF, CNPJ, e-mail, mobile with `+55`, or random key.
	PixKey string `json:"pix_key"`
	// CPF or CNPJ of the recipient: the provider must confirm that the key belongs to it.
	Document Opt[string] `json:"document,omitzero"`
	// Look-up of `pix_key` within the last 15 minutes: the transfer goes to the receiver that it has shown.
	LookupUUID Opt[string] `json:"lookup_uuid,omitzero"`
	// Only with `lookup_uuid`: what happens where the look-up does not match its document or name, or the key has
	// another owner before it is sent; REFUSE where absent. REFUSE, WARN.
	OnMismatch Opt[string] `json:"on_mismatch,omitzero"`
	// Your reference, such as the number of an order.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// The only provider to use; where absent, the default ones in their order. A bound token always uses its own.
	ProviderUUID     Opt[string]           `json:"provider_uuid,omitzero"`
	FinalBeneficiary Opt[FinalBeneficiary] `json:"final_beneficiary,omitzero"`
	// ISO 8601 with offset, in the future, at most 90 days ahead.
	ScheduledFor Opt[time.Time] `json:"scheduled_for,omitzero"`
	// Send it though the same value was sent to the same receiver within the seconds of `duplicate_guard`.
	AllowDuplicate Opt[bool] `json:"allow_duplicate,omitzero"`
}

// CreateWebhookRequest: an object of the API
type CreateWebhookRequest struct {
	// https, resolving to public addresses only.
	URL string `json:"url"`
	// Generated where absent.
	Token Opt[string] `json:"token,omitzero"`
	// All where absent, except `BATCH`, `RECURRENCE` and `REPORT`, which are delivered only where they are named.
	// PAYMENT, TRANSFER, REFUND, MED, PIX_TRANSACTION, BATCH, RECURRENCE, REPORT.
	Events []string `json:"events,omitzero"`
}

// CreatedCharge: an object of the API
type CreatedCharge struct {
	UUID string `json:"uuid"`
	// Reais that the merchant asked; 0 where the payer chooses.
	Value Amount `json:"value"`
	// Reais that the payer pays: `value` and `fees`. Of an open amount what was paid.
	TotalValue Amount `json:"total_value"`
	// Reais that the payer pays on top of `value`. Of an open amount they come out of it.
	Fees Amount `json:"fees"`
	// BRL where it is empty.
	Currency string `json:"currency"`
	// UNDEFINED, PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING.
	Status string `json:"status"`
	// PIX where it is empty.
	Type             string                     `json:"type"`
	ExternalRef      Opt[string]                `json:"external_ref,omitzero"`
	FinalBeneficiary Opt[FinalBeneficiaryShown] `json:"final_beneficiary,omitzero"`
	Debtor           Opt[DebtorShown]           `json:"debtor,omitzero"`
	// PERSON, COMPANY.
	PayerKind Opt[string] `json:"payer_kind,omitzero"`
	// FULL, ROOT.
	Match    Opt[string]       `json:"match,omitzero"`
	Message  Opt[string]       `json:"message,omitzero"`
	Metadata map[string]string `json:"metadata,omitzero"`
	// Only of a charge with a due date: how often it was changed by PATCH.
	Revision Opt[int]       `json:"revision,omitzero"`
	Splits   []Split        `json:"splits"`
	History  []StatusChange `json:"history"`
	Provider ProviderShown  `json:"provider"`
	// The static code of the account that it was paid to.
	QrCodeUUID Opt[string] `json:"qr_code_uuid,omitzero"`
	// The recurrence whose payer it debits, and for which cycle.
	Recurrence Opt[ChargeCycle] `json:"recurrence,omitzero"`
	// Only on a FAILED charge: why no provider issued it, or why its debit failed.
	Error Opt[ChargeError] `json:"error,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time      `json:"updated_at"`
	Payment   CreatedPayment `json:"payment"`
}

// CreatedPayment: an object of the API
type CreatedPayment struct {
	UUID string `json:"uuid"`
	// PENDING, COMPLETED, FAILED, EXPIRED, CANCELLED.
	Status string `json:"status"`
	// The copy-and-paste PIX code; empty of the debit of a recurrence.
	Payload string    `json:"payload"`
	Pix     ChargePix `json:"pix"`
	// Null of a static code, which does not expire. Of a charge with a due date the end of its last payable day in
	// Brasília, moved to the next business day.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
	Due       Opt[DueShown]  `json:"due,omitzero"`
	// Of a charge with a due date that can be paid: a forecast of what it costs today, by the national bank
	// holidays. The provider computes what is paid; a state or municipal holiday where the payer lives can move
	// the due day.
	AmountDue Opt[AmountDue] `json:"amount_due,omitzero"`
	// Of a paid charge with a due date: what was paid, and what that consists of where its provider reports it.
	Paid Opt[PaidParts] `json:"paid,omitzero"`
	// Only of the debit of a recurrence: its tries, as its provider has reported them.
	Tries []DebitTry `json:"tries,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// PIX where it is empty.
	Type string `json:"type"`
}

// CursorPageMeta: Of a page by `cursor`
type CursorPageMeta struct {
	PerPage int `json:"per_page"`
	// The `cursor` of the next page, for 24 hours; null on the last one.
	NextCursor Opt[string] `json:"next_cursor,omitzero"`
}

// DebitTry: an object of the API
type DebitTry struct {
	// `YYYY-MM-DD`.
	On string `json:"on"`
	// FIRST on the due day, RETRY on a later one, SAME_DAY where the bank is asked again on the day of one that
	// failed. FIRST, RETRY, SAME_DAY.
	Kind string `json:"kind"`
	// REQUESTED, SCHEDULED, PAID, CANCELLED, REJECTED, EXPIRED.
	Status string `json:"status"`
	// Why it was rejected, a code of the rail.
	Code     Opt[string] `json:"code,omitzero"`
	EndToEnd Opt[string] `json:"end_to_end,omitzero"`
}

// Debtor: Who is to pay; providers show it to the payer
type Debtor struct {
	Name string `json:"name"`
	// CPF or CNPJ with valid check digits, without formatting.
	Document string             `json:"document"`
	Email    Opt[string]        `json:"email,omitzero"`
	Address  Opt[DebtorAddress] `json:"address,omitzero"`
}

// DebtorAddress: Needed by some providers for a charge with a due date
type DebtorAddress struct {
	Street       string      `json:"street"`
	Number       Opt[string] `json:"number,omitzero"`
	Complement   Opt[string] `json:"complement,omitzero"`
	Neighborhood Opt[string] `json:"neighborhood,omitzero"`
	City         string      `json:"city"`
	State        string      `json:"state"`
	// CEP, without formatting.
	ZipCode string `json:"zip_code"`
}

// DebtorShown: an object of the API
type DebtorShown struct {
	Name     string             `json:"name"`
	Document string             `json:"document"`
	Email    Opt[string]        `json:"email,omitzero"`
	Address  Opt[DebtorAddress] `json:"address,omitzero"`
}

// DefaultProvider: an object of the API
type DefaultProvider struct {
	// The value of a `provider_uuid`.
	UUID string `json:"uuid"`
	// UNDEFINED, ACTIVE, INFORMATION_PENDING, KYC_PENDING, KYC_ANALYSIS, KYC_REJECTED, LIVENESS_PENDING,
	// LIVENESS_APPROVED, LIVENESS_REJECTED, CONFIGURATION_PENDING, BLOCKED, INACTIVE.
	Status string `json:"status"`
	// PROVIDER_A, PROVIDER_B, PROVIDER_C, PROVIDER_D.
	Provider string `json:"provider"`
	// NOMINAL, POOL.
	Type string `json:"type"`
	// ACTIVE and the integration is healthy.
	IsOperational bool `json:"is_operational"`
	// Whether calls may name it.
	IsPublic bool `json:"is_public"`
	// Reais that one transfer through it may send at most; null where no limit is set.
	MaxPerTransfer Opt[Amount] `json:"max_per_transfer,omitzero"`
	// null for POOL.
	VirtualAccount Opt[VirtualAccount] `json:"virtual_account,omitzero"`
}

// Delivery: an object of the API
type Delivery struct {
	UUID  string         `json:"uuid"`
	Event EventReference `json:"event"`
	// PENDING, DELIVERED, FAILED, CANCELLED.
	Status string `json:"status"`
	// When the next attempt is due, or was due if it is running. Null after the last attempt, and possibly until
	// the first has an outcome.
	NextAttemptAt Opt[time.Time] `json:"next_attempt_at,omitzero"`
	// The latest twenty, in their order.
	Attempts []DeliveryAttempt `json:"attempts"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// DeliveryAttempt: an object of the API
type DeliveryAttempt struct {
	Number int `json:"number"`
	// UTC, six fractional digits.
	At time.Time `json:"at"`
	// The HTTP status; null where there was no answer.
	Status Opt[int] `json:"status,omitzero"`
	// Why there was none: refused_address, no_connection, timeout, broken.
	Failure    Opt[string] `json:"failure,omitzero"`
	DurationMs int         `json:"duration_ms"`
	// The beginning of the answer, at most 1 kB.
	Answer string `json:"answer"`
}

// Deposit: an object of the API
type Deposit struct {
	UUID       string     `json:"uuid"`
	Initiation Initiation `json:"initiation"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// IN, OUT.
	MovementType string `json:"movement_type"`
	// EXTERNAL_TRANSFER, EXTERNAL_REFUND.
	Type string `json:"type"`
	// PENDING, SETTLED, FAILED.
	Status string `json:"status"`
	// End-to-end id of the PIX, 32 characters; empty until its provider reports it.
	EndToEnd   string      `json:"end_to_end"`
	ChargeUUID Opt[string] `json:"charge_uuid,omitzero"`
	// The transfer that this one pays, pays again or returns.
	TransferUUID Opt[string] `json:"transfer_uuid,omitzero"`
	// The movement that this one returns.
	OriginalUUID Opt[string] `json:"original_uuid,omitzero"`
	// The connection that carried this PIX; absent where none is known.
	Provider Opt[ProviderShown] `json:"provider,omitzero"`
	// Why this PIX is not the payment of a charge, or that it settled twice or after it had failed; absent
	// otherwise. deposit, second_payment, wrong_amount, wrong_payer, unknown_payer, charge_over, code_disabled,
	// orphan, duplicate_settlement, late_settlement, provider_tariff, provider_withdrawal, provider_credit,
	// provider_block, provider_unblock, panel_transfer, panel_return, opening_balance, adjustment.
	Reason Opt[string] `json:"reason,omitzero"`
	// UTC, six fractional digits.
	SettledAt Opt[time.Time] `json:"settled_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
	// Null while it stays with the account.
	Return Opt[DepositReturn] `json:"return,omitzero"`
}

// DepositReturn: an object of the API
type DepositReturn struct {
	// PROCESSING, REVIEW, COMPLETED, FAILED.
	Status string `json:"status"`
	// The order of its POST; absent where the account policy or an operator returns it.
	UUID Opt[string] `json:"uuid,omitzero"`
	// UTC, six fractional digits.
	CreatedAt Opt[time.Time]          `json:"created_at,omitzero"`
	Error     Opt[DepositReturnError] `json:"error,omitzero"`
}

// DepositReturnError: an object of the API
type DepositReturnError struct {
	Code         string      `json:"code"`
	Message      string      `json:"message"`
	ProviderCode Opt[string] `json:"provider_code,omitzero"`
}

// Discount: an object of the API
type Discount struct {
	// An amount, or a share of the value. FIXED, PERCENTAGE.
	Type string `json:"type"`
	// For paying until a day.
	Until  []Until             `json:"until,omitzero"`
	PerDay Opt[DiscountPerDay] `json:"per_day,omitzero"`
}

// DiscountPerDay: For each day before the due day
type DiscountPerDay struct {
	// Which days count: all, or those on which banks settle. CALENDAR, BUSINESS.
	Days string `json:"days"`
	// Reais where FIXED, percent where PERCENTAGE (2 is 2 %), at most 99.99.
	Value Amount `json:"value"`
}

// Dispute: an object of the API
type Dispute struct {
	UUID             string        `json:"uuid"`
	PixInTransaction DisputeRecord `json:"pix_in_transaction"`
	Attachments      []Attachment  `json:"attachments"`
	// RECEIVED_MED, REQUESTED_MED.
	MedType string `json:"med_type"`
	// UNDEFINED, SCAM, WRONG_TRANSACTION, COERCION_CRIME, UNAUTHORIZED_ACCESS.
	DisputeType string `json:"dispute_type"`
	// PENDING, PROCESSING, ACCEPTED, REJECTED, CANCELLED.
	Status  string `json:"status"`
	Details string `json:"details"`
	// Of the reply, or the provider’s while there is none.
	Analysis string `json:"analysis"`
	// Why the provider refused the last reply; absent once there is another.
	ReplyError Opt[DisputeFailure] `json:"reply_error,omitzero"`
	// Of a REQUESTED_MED that is REJECTED: why the provider refused the request.
	Error Opt[DisputeFailure] `json:"error,omitzero"`
	// Whether it is over. True with `PROCESSING`: no decision was published in the 91 days in which money could be
	// returned, and nothing is blocked any more.
	Resolved bool `json:"resolved"`
	// Deadline of the reply.
	DueAt time.Time `json:"due_at"`
	// Disputed amount.
	Value Amount `json:"value"`
	// Amount blocked for the dispute now.
	BlockedValue Amount `json:"blocked_value"`
	// Of a REQUESTED_MED: what came back by it.
	RecoveredValue Opt[Amount] `json:"recovered_value,omitzero"`
	// Of a REQUESTED_MED whose provider shows it: how far the Central Bank has come, from bank to bank that the
	// money has reached.
	Recovery Opt[Recovery] `json:"recovery,omitzero"`
	// Of money that was returned by a RECEIVED_MED: until then it may be contested.
	ContestableUntil Opt[time.Time] `json:"contestable_until,omitzero"`
	// Absent while what was returned has not been contested.
	Contest      Opt[Contest]  `json:"contest,omitzero"`
	ChargeUUID   Opt[string]   `json:"charge_uuid,omitzero"`
	TransferUUID Opt[string]   `json:"transfer_uuid,omitzero"`
	Provider     ProviderShown `json:"provider"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// DisputeFailure: an object of the API
type DisputeFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// DisputeInitiation: an object of the API
type DisputeInitiation struct {
	Sender   Opt[Party] `json:"sender,omitzero"`
	Receiver Party      `json:"receiver"`
	// Id of the charge at its provider; null for transfers and refunds.
	Txid Opt[string] `json:"txid,omitzero"`
	// Reais as a decimal string with two decimals.
	Value Amount `json:"value"`
	// QR_DYNAMIC, QR_STATIC, KEY, MANUAL, AUTOMATIC, REFUND.
	Type           string           `json:"type"`
	PixKey         string           `json:"pix_key"`
	AdditionalInfo []AdditionalInfo `json:"additional_info"`
	// PENDING, COMPLETED, FAILED.
	Status string `json:"status"`
	// UTC, six fractional digits.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// DisputeRecord: The disputed PIX
type DisputeRecord struct {
	UUID       string            `json:"uuid"`
	Initiation DisputeInitiation `json:"initiation"`
	// Reais as a decimal string with two decimals.
	Value Amount `json:"value"`
	// IN, OUT.
	MovementType string `json:"movement_type"`
	// EXTERNAL_TRANSFER, EXTERNAL_REFUND.
	Type string `json:"type"`
	// PENDING, SETTLED, FAILED.
	Status string `json:"status"`
	// End-to-end id of the PIX, 32 characters; empty until its provider reports it.
	EndToEnd string `json:"end_to_end"`
	// UTC, six fractional digits.
	SettledAt Opt[time.Time] `json:"settled_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// Due: When the charge is to be paid, and what its provider adds or subtracts for the day of payment. Excludes
// `expires_in`
type Due struct {
	// A day in Brasília, `YYYY-MM-DD`. `YYYY-MM-DD`.
	On string `json:"on"`
	// Days after the due day on which it can still be paid, from 0 to 365.
	PayableDaysAfter Opt[int]       `json:"payable_days_after,omitzero"`
	Fine             Opt[Fine]      `json:"fine,omitzero"`
	Interest         Opt[Interest]  `json:"interest,omitzero"`
	Abatement        Opt[Abatement] `json:"abatement,omitzero"`
	Discount         Opt[Discount]  `json:"discount,omitzero"`
}

// DueAmount: an object of the API
type DueAmount struct {
	// FIXED, PERCENTAGE.
	Type string `json:"type"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
}

// DueDiscount: an object of the API
type DueDiscount struct {
	// FIXED, PERCENTAGE.
	Type   string                 `json:"type"`
	Until  []Until                `json:"until,omitzero"`
	PerDay Opt[DueDiscountPerDay] `json:"per_day,omitzero"`
}

// DueDiscountPerDay: an object of the API
type DueDiscountPerDay struct {
	// CALENDAR, BUSINESS.
	Days string `json:"days"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
}

// DueInterest: an object of the API
type DueInterest struct {
	// FIXED, PERCENTAGE.
	Type string `json:"type"`
	// DAY, MONTH, YEAR.
	Per string `json:"per"`
	// CALENDAR, BUSINESS.
	Days string `json:"days"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
}

// DueShown: an object of the API
type DueShown struct {
	// `YYYY-MM-DD`.
	On               string           `json:"on"`
	PayableDaysAfter int              `json:"payable_days_after"`
	Fine             Opt[DueAmount]   `json:"fine,omitzero"`
	Interest         Opt[DueInterest] `json:"interest,omitzero"`
	Abatement        Opt[DueAmount]   `json:"abatement,omitzero"`
	Discount         Opt[DueDiscount] `json:"discount,omitzero"`
}

// DuplicateGuard: Within these seconds the same value to the same key is sent only with `allow_duplicate`; 0:
// none
type DuplicateGuard struct {
	Seconds int `json:"seconds"`
}

// EventReference: an object of the API
type EventReference struct {
	ID string `json:"id"`
	// PAYMENT, TRANSFER, REFUND, MED, PIX_TRANSACTION, BATCH, RECURRENCE, REPORT, TEST.
	Type string `json:"type"`
}

// ExportLedgerCsvQuery: an object of the API
type ExportLedgerCsvQuery struct {
	// Only of this provider of the account: its `uuid`.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Lines of these types: what changed the balance. EXTERNAL_TRANSFER, EXTERNAL_REFUND, SPLIT, FEE, HOLD,
	// ADJUSTMENT, REVERSAL, SHORTFALL.
	Type []string `json:"type,omitzero"`
	// The operation of the line, or the charge, transfer, refund or dispute that it names.
	OperationUUID Opt[string] `json:"operation_uuid,omitzero"`
	// Lines of the PIX with this end-to-end id: its own, and what was held, shared or repaid with it.
	EndToEnd Opt[string] `json:"end_to_end,omitzero"`
	// Lines of operations of these types. Without `operation_uuid`, `date_from` is at most 31 days before
	// `date_to`. CHARGE, SPLIT, TRANSFER, REFUND, DISPUTE, DEPOSIT, RETURN, PROVIDER_ENTRY, ADJUSTMENT.
	OperationType []string `json:"operation_type,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Decimal separator; a Brazilian Excel reads COMMA. POINT, COMMA.
	Decimal Opt[string] `json:"decimal,omitzero"`
}

// ExportLedgerOfxQuery: an object of the API
type ExportLedgerOfxQuery struct {
	// Only of this provider of the account: its `uuid`.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
}

// FinalBeneficiary: The seller on whose behalf the account collects or pays
type FinalBeneficiary struct {
	Name string `json:"name"`
	// CPF or CNPJ with valid check digits, without formatting.
	Document string `json:"document"`
}

// FinalBeneficiaryShown: an object of the API
type FinalBeneficiaryShown struct {
	Name     string `json:"name"`
	Document string `json:"document"`
}

// Fine: an object of the API
type Fine struct {
	// An amount, or a share of the value. FIXED, PERCENTAGE.
	Type string `json:"type"`
	// Reais where FIXED, percent where PERCENTAGE (2 is 2 %), at most 99.99.
	Value Amount `json:"value"`
}

// FirstCharge: The body of `POST /payments`, without `provider_uuid`; where it names no `debtor`, it is that
// of the recurrence
type FirstCharge struct {
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// PIX is the only type. PIX where it is empty.
	Type string `json:"type"`
	// Your reference, such as the number of an order.
	ExternalRef      Opt[string]           `json:"external_ref,omitzero"`
	FinalBeneficiary Opt[FinalBeneficiary] `json:"final_beneficiary,omitzero"`
	// Shares of other accounts in what the charge brings in, at most the whole value; the pair of recipient and
	// type is unique.
	Splits []SplitInput `json:"splits,omitzero"`
	Debtor Opt[Debtor]  `json:"debtor,omitzero"`
	// Only the `debtor` may pay. A PIX of another document never pays the charge: it is returned or reviewed, as
	// the account has chosen, and the charge stays PENDING.
	VerifySender Opt[bool] `json:"verify_sender,omitzero"`
	// Only persons (CPF) or only companies (CNPJ) may pay. PERSON, COMPANY.
	PayerKind Opt[string] `json:"payer_kind,omitzero"`
	// With `verify_sender`: FULL compares the whole document; ROOT allows every CNPJ with the first eight
	// characters of the debtor's. FULL where absent. FULL, ROOT.
	Match Opt[string] `json:"match,omitzero"`
	// Seconds until the charge can be paid no more, from 60 to 30 days; by default a day. Without effect on a
	// static code, which does not expire; not for a charge with a due date.
	ExpiresIn Opt[int] `json:"expires_in,omitzero"`
	Due       Opt[Due] `json:"due,omitzero"`
	// Text that the payer is shown.
	Message Opt[string] `json:"message,omitzero"`
	// Texts that the payer is shown besides `message`, where the provider shows any.
	AdditionalInfo []AdditionalInfoInput `json:"additional_info,omitzero"`
	// Texts of yours, at most 30.
	Metadata map[string]string `json:"metadata,omitzero"`
}

// MarshalJSON fills in the fields that have one value only.
func (o FirstCharge) MarshalJSON() ([]byte, error) {
	type fields FirstCharge
	plain := fields(o)
	plain.Type = cmp.Or(plain.Type, "PIX")
	return json.Marshal(plain)
}

// FirstChargeReference: an object of the API
type FirstChargeReference struct {
	UUID string `json:"uuid"`
}

// GetDefaultProvidersResult: an object of the API
type GetDefaultProvidersResult struct {
	PIX []DefaultProvider `json:"PIX"`
}

// GetLedgerBalancesQuery: an object of the API
type GetLedgerBalancesQuery struct {
	// Only of this provider of the account: its `uuid`.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
}

// GetMedEvidencePdfQuery: an object of the API
type GetMedEvidencePdfQuery struct {
	// Language of the document; by default Portuguese. pt-BR, en.
	Language Opt[string] `json:"language,omitzero"`
}

// GetPaymentReceiptPdfQuery: an object of the API
type GetPaymentReceiptPdfQuery struct {
	// Language of the document; by default Portuguese. pt-BR, en.
	Language Opt[string] `json:"language,omitzero"`
}

// GetPaymentRefundReceiptPdfQuery: an object of the API
type GetPaymentRefundReceiptPdfQuery struct {
	// Language of the document; by default Portuguese. pt-BR, en.
	Language Opt[string] `json:"language,omitzero"`
}

// GetTransferReceiptPdfQuery: an object of the API
type GetTransferReceiptPdfQuery struct {
	// Language of the document; by default Portuguese. pt-BR, en.
	Language Opt[string] `json:"language,omitzero"`
}

// GivenApproval: an object of the API
type GivenApproval struct {
	By string `json:"by"`
	// UTC, six fractional digits.
	At time.Time `json:"at"`
}

// GivenRejection: an object of the API
type GivenRejection struct {
	By string `json:"by"`
	// UTC, six fractional digits.
	At     time.Time   `json:"at"`
	Reason Opt[string] `json:"reason,omitzero"`
}

// Health: an object of the API
type Health struct {
	// ok where it is empty.
	Status string `json:"status"`
}

// HistoryEntry: an object of the API
type HistoryEntry struct {
	// DRAFT, PROCESSING, COMPLETED, CANCELLED.
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
}

// Initiation: an object of the API
type Initiation struct {
	Sender   Opt[Party] `json:"sender,omitzero"`
	Receiver Party      `json:"receiver"`
	// Id of the charge at its provider; null for transfers and refunds.
	Txid Opt[string] `json:"txid,omitzero"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// QR_DYNAMIC, QR_STATIC, KEY, MANUAL, AUTOMATIC, REFUND.
	Type   string      `json:"type"`
	PixKey Opt[string] `json:"pix_key,omitzero"`
	// PENDING, COMPLETED, FAILED.
	Status string `json:"status"`
	// UTC, six fractional digits.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// Interest: For each day after the due day; `value` is that of the period
type Interest struct {
	// An amount, or a share of the value. FIXED, PERCENTAGE.
	Type string `json:"type"`
	// DAY, MONTH, YEAR.
	Per string `json:"per"`
	// Which days count: all, or those on which banks settle. CALENDAR, BUSINESS.
	Days string `json:"days"`
	// Reais where FIXED, percent where PERCENTAGE (2 is 2 %), at most 99.99.
	Value Amount `json:"value"`
}

// KeyInitiation: an object of the API
type KeyInitiation struct {
	Sender   Opt[Party] `json:"sender,omitzero"`
	Receiver Party      `json:"receiver"`
	// Of a PIX code that names one.
	Txid Opt[string] `json:"txid,omitzero"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// MANUAL: to a bank account, without a key. QR_DYNAMIC, QR_STATIC: by a PIX code, whose key is `pix_key`. KEY,
	// MANUAL, QR_DYNAMIC, QR_STATIC.
	Type string `json:"type"`
	// Key of the recipient; empty for a bank account.
	PixKey string `json:"pix_key"`
	// PENDING, COMPLETED, FAILED, CANCELLED, EXPIRED.
	Status string `json:"status"`
	// UTC, six fractional digits.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// KeyLookup: an object of the API
type KeyLookup struct {
	// The value of `lookup_uuid` of a transfer.
	UUID string `json:"uuid"`
	// Masked where a look-up is read again.
	PixKey string `json:"pix_key"`
	// DOCUMENT, EMAIL, PHONE, RANDOM.
	Type string `json:"type"`
	// The owner of the key, masked.
	Receiver Party `json:"receiver"`
	// Of `document`; UNKNOWN where none was sent, or the provider masks the owner’s and it does not contradict.
	// MATCH, MISMATCH, UNKNOWN.
	DocumentMatch string `json:"document_match"`
	// Of `name`, without regard to case and accents; UNKNOWN where none was sent, or the provider names none.
	// EXACT, PARTIAL, NONE, UNKNOWN.
	NameMatch string        `json:"name_match"`
	Provider  ProviderShown `json:"provider"`
	// A transfer may name the look-up until then.
	ExpiresAt time.Time `json:"expires_at"`
	// null where the provider tells none.
	Budget Opt[LookupBudget] `json:"budget,omitzero"`
}

// LedgerBalances: an object of the API
type LedgerBalances struct {
	// Null: from the first line on. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Null: up to now. `YYYY-MM-DD`.
	DateTo   Opt[string] `json:"date_to,omitzero"`
	TimeZone string      `json:"time_zone"`
	// One per provider account.
	Balances []LedgerPeriodBalance `json:"balances"`
}

// LedgerCounterparty: Who paid or was paid; unknown texts are empty
type LedgerCounterparty struct {
	Name string `json:"name"`
	// Masked.
	Document string `json:"document"`
}

// LedgerLine: an object of the API
type LedgerLine struct {
	// The movement; a movement may have several lines.
	UUID string `json:"uuid"`
	// This line.
	LineUUID string `json:"line_uuid"`
	// EXTERNAL_TRANSFER and EXTERNAL_REFUND: the PIX itself, one line in its whole value. REVERSAL: the order
	// never left. SPLIT, FEE, HOLD and SHORTFALL (what the service advanced or was repaid) are lines of their own.
	// EXTERNAL_TRANSFER, EXTERNAL_REFUND, SPLIT, FEE, HOLD, ADJUSTMENT, REVERSAL, SHORTFALL.
	Type string `json:"type"`
	// Whether this line adds or takes. IN, OUT.
	MovementType string `json:"movement_type"`
	// What this line adds or takes, never negative.
	Value Amount `json:"value"`
	// The available balance at this provider after this line, as text; `balance_after` is a number.
	Balance Amount `json:"balance"`
	// The available balance at this provider after this line.
	BalanceAfter Amount `json:"balance_after"`
	// Of the movement. A line REVERSAL of a FAILED movement gives back what its line OUT had held. PENDING,
	// SETTLED, FAILED.
	Status string `json:"status"`
	// Of the PIX, on its own line; empty on all others, and until its provider reports it.
	EndToEnd string `json:"end_to_end"`
	// Of the caller's own charge or transfer.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// Null for fees, holds, shortfalls and adjustments, for a share taken back from several accounts, and where
	// the provider names no party.
	Counterparty Opt[LedgerCounterparty] `json:"counterparty,omitzero"`
	// CHARGE, SPLIT, TRANSFER, REFUND, DISPUTE, DEPOSIT, RETURN, PROVIDER_ENTRY, ADJUSTMENT.
	OperationType string `json:"operation_type"`
	// The charge, transfer, refund or dispute; of a SPLIT its charge; otherwise the movement.
	OperationUUID string `json:"operation_uuid"`
	// deposit, second_payment, wrong_amount, wrong_payer, unknown_payer, charge_over, code_disabled, orphan,
	// duplicate_settlement, late_settlement, provider_tariff, provider_withdrawal, provider_credit,
	// provider_block, provider_unblock, panel_transfer, panel_return, opening_balance, adjustment.
	Reason       Opt[string]   `json:"reason,omitzero"`
	ChargeUUID   Opt[string]   `json:"charge_uuid,omitzero"`
	TransferUUID Opt[string]   `json:"transfer_uuid,omitzero"`
	RefundUUID   Opt[string]   `json:"refund_uuid,omitzero"`
	DisputeUUID  Opt[string]   `json:"dispute_uuid,omitzero"`
	Provider     ProviderShown `json:"provider"`
	// UTC, six fractional digits.
	SettledAt Opt[time.Time] `json:"settled_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
}

// LedgerPeriodBalance: an object of the API
type LedgerPeriodBalance struct {
	Provider ProviderShown `json:"provider"`
	// The lines before the period. Below zero only where the period begins between two that overlap.
	OpeningBalance Amount `json:"opening_balance"`
	// The opening balance and the lines of the period.
	ClosingBalance Amount `json:"closing_balance"`
	// What the lines IN add.
	In Amount `json:"in"`
	// What the lines OUT take, never negative.
	Out    Amount  `json:"out"`
	Lines  int     `json:"lines"`
	Totals []Total `json:"totals"`
}

// LimitUsage: Counted from the first PUT of limits on
type LimitUsage struct {
	PerDay   LimitUsagePerDay `json:"per_day"`
	PerNight PerNight         `json:"per_night"`
}

// LimitUsagePerDay: an object of the API
type LimitUsagePerDay struct {
	// Reais, at most two decimals.
	Limit Opt[Amount] `json:"limit,omitzero"`
	// Reais that were let through, and have not come back as failed.
	Used Amount `json:"used"`
	// null where there is no limit.
	Left Opt[Amount] `json:"left,omitzero"`
	// UTC, six fractional digits.
	ResetsAt time.Time `json:"resets_at"`
}

// LimitValues: an object of the API
type LimitValues struct {
	// Reais, at most two decimals.
	PerTransfer Opt[Amount] `json:"per_transfer,omitzero"`
	// Reais, at most two decimals.
	PerDay Opt[Amount] `json:"per_day,omitzero"`
	// Reais, at most two decimals.
	PerNight Opt[Amount] `json:"per_night,omitzero"`
	Night    Night       `json:"night"`
	// Reais, at most two decimals.
	PerReceiverPerDay    Opt[Amount]                  `json:"per_receiver_per_day,omitzero"`
	NewReceiver          Opt[NewReceiver]             `json:"new_receiver,omitzero"`
	TrustedReceivers     []LimitValuesTrustedReceiver `json:"trusted_receivers"`
	AllowedReceiversOnly bool                         `json:"allowed_receivers_only"`
	DuplicateGuard       DuplicateGuard               `json:"duplicate_guard"`
	Approvals            Opt[ShownApprovalRule]       `json:"approvals,omitzero"`
}

// LimitValuesTrustedReceiver: an object of the API
type LimitValuesTrustedReceiver struct {
	Document Opt[string] `json:"document,omitzero"`
	PixKey   Opt[string] `json:"pix_key,omitzero"`
}

// ListBanksQuery: an object of the API
type ListBanksQuery struct {
	// Part of the name, the COMPE code, or the beginning of the ISPB.
	Search Opt[string] `json:"search,omitzero"`
}

// ListEventsQuery: an object of the API
type ListEventsQuery struct {
	// Of one of these types. PAYMENT, TRANSFER, REFUND, MED, PIX_TRANSACTION, BATCH, RECURRENCE, REPORT, TEST.
	Type []string `json:"type,omitzero"`
	// Of this charge, transfer, refund, dispute or PIX, and of the refunds and PIX that belong to it.
	OperationUUID Opt[string] `json:"operation_uuid,omitzero"`
	// Of the PIX with this end-to-end id, and of the charge, transfer, refund and dispute that it belongs to.
	EndToEnd Opt[string] `json:"end_to_end,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
}

// ListLedgerLinesQuery: an object of the API
type ListLedgerLinesQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Only of this provider of the account: its `uuid`.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Lines of these types: what changed the balance. EXTERNAL_TRANSFER, EXTERNAL_REFUND, SPLIT, FEE, HOLD,
	// ADJUSTMENT, REVERSAL, SHORTFALL.
	Type []string `json:"type,omitzero"`
	// The operation of the line, or the charge, transfer, refund or dispute that it names.
	OperationUUID Opt[string] `json:"operation_uuid,omitzero"`
	// Lines of the PIX with this end-to-end id: its own, and what was held, shared or repaid with it.
	EndToEnd Opt[string] `json:"end_to_end,omitzero"`
	// Lines of operations of these types. Without `operation_uuid`, `date_from` is at most 31 days before
	// `date_to`. CHARGE, SPLIT, TRANSFER, REFUND, DISPUTE, DEPOSIT, RETURN, PROVIDER_ENTRY, ADJUSTMENT.
	OperationType []string `json:"operation_type,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
}

// ListMedsQuery: an object of the API
type ListMedsQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Only these, at most 100; repeated or separated by commas.
	UUID []string `json:"uuid,omitzero"`
	// In one of these statuses; `UNDEFINED` selects none. PENDING, PROCESSING, ACCEPTED, REJECTED, CANCELLED,
	// UNDEFINED.
	Status []string `json:"status,omitzero"`
	// RECEIVED_MED claims a payment of a charge back, REQUESTED_MED a transfer. RECEIVED_MED, REQUESTED_MED.
	MedType []string `json:"med_type,omitzero"`
	// With one of these reasons. UNDEFINED, SCAM, WRONG_TRANSACTION, COERCION_CRIME, UNAUTHORIZED_ACCESS.
	DisputeType []string `json:"dispute_type,omitzero"`
	// Whether the dispute is closed.
	Resolved Opt[bool] `json:"resolved,omitzero"`
	// Whether it awaits a reply or a decision: PENDING or PROCESSING, and not resolved.
	Open Opt[bool] `json:"open,omitzero"`
	// Whether money was returned by it that may be contested now, and was not yet.
	Contestable Opt[bool] `json:"contestable,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
}

// ListPaymentLinksQuery: an object of the API
type ListPaymentLinksQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Only these, at most 100; repeated or separated by commas.
	UUID []string `json:"uuid,omitzero"`
	// Of this charge.
	ChargeUUID Opt[string] `json:"charge_uuid,omitzero"`
	// With exactly this reference of the caller.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
}

// ListPaymentRefundsQuery: an object of the API
type ListPaymentRefundsQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
}

// ListPaymentsQuery: an object of the API
type ListPaymentsQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Only these, at most 100; repeated or separated by commas.
	UUID []string `json:"uuid,omitzero"`
	// In one of these statuses; `UNDEFINED` is a charge that no provider has issued yet. UNDEFINED, PENDING, PAID,
	// FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING.
	Status []string `json:"status,omitzero"`
	// Every payment is a PIX; `UNDEFINED` selects none. UNDEFINED, PIX.
	Type Opt[string] `json:"type,omitzero"`
	// Paid by the PIX with this end-to-end id.
	EndToEnd Opt[string] `json:"end_to_end,omitzero"`
	// Paid by the holder of this CPF or CNPJ.
	PayerDocument Opt[string] `json:"payer_document,omitzero"`
	// The payer's name begins so, in any case; at least three characters.
	PayerName Opt[string] `json:"payer_name,omitzero"`
	// Due on this day or later, in Brasília: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DueFrom Opt[string] `json:"due_from,omitzero"`
	// Due on this day or earlier, in Brasília: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DueTo Opt[string] `json:"due_to,omitzero"`
	// Paid on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	PaymentDateFrom Opt[string] `json:"payment_date_from,omitzero"`
	// Paid on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	PaymentDateTo Opt[string] `json:"payment_date_to,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
	// With exactly this reference of the caller.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// With this txid on the rail.
	Txid Opt[string] `json:"txid,omitzero"`
	// Only of this provider of the account: its `uuid`.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Paid to this static code of the account.
	QrCodeUUID Opt[string] `json:"qr_code_uuid,omitzero"`
	// Debits of this recurrence.
	RecurrenceUUID Opt[string] `json:"recurrence_uuid,omitzero"`
	// Created by this payment link, for its payers.
	PaymentLinkUUID Opt[string] `json:"payment_link_uuid,omitzero"`
	// `value` is at least this, in reais.
	ValueMin Opt[Amount] `json:"value_min,omitzero"`
	// `value` is at most this, in reais.
	ValueMax Opt[Amount] `json:"value_max,omitzero"`
}

// ListPixKeysQuery: an object of the API
type ListPixKeysQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Of one of these types. DOCUMENT, EMAIL, PHONE, RANDOM.
	Type []string `json:"type,omitzero"`
}

// ListProvidersQuery: an object of the API
type ListProvidersQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// In one of these statuses. UNDEFINED, ACTIVE, INFORMATION_PENDING, KYC_PENDING, KYC_ANALYSIS, KYC_REJECTED,
	// LIVENESS_PENDING, LIVENESS_APPROVED, LIVENESS_REJECTED, CONFIGURATION_PENDING, BLOCKED, INACTIVE.
	Status []string `json:"status,omitzero"`
}

// ListQrCodePaymentsQuery: an object of the API
type ListQrCodePaymentsQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// In one of these statuses. UNDEFINED, PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED,
	// EXPIRED, PROCESSING.
	Status []string `json:"status,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
}

// ListQrCodesQuery: an object of the API
type ListQrCodesQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Only these, at most 100; repeated or separated by commas.
	UUID []string `json:"uuid,omitzero"`
	// In one of these statuses. ACTIVE, DISABLED.
	Status []string `json:"status,omitzero"`
	// With this reference.
	Reference Opt[string] `json:"reference,omitzero"`
	// With exactly this reference of the caller.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// Only of this provider of the account: its `uuid`.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
}

// ListReconciliationDifferencesQuery: an object of the API
type ListReconciliationDifferencesQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Differences of these kinds. MISSING_HERE, MISSING_THERE, VALUE_DIFFERS, STATUS_DIFFERS.
	Kind []string `json:"kind,omitzero"`
	// Differences with one of these statuses. OPEN, SETTLED, CLOSED.
	Status []string `json:"status,omitzero"`
}

// ListReconciliationsQuery: an object of the API
type ListReconciliationsQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
}

// ListRecurrencesQuery: an object of the API
type ListRecurrencesQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Only these, at most 100; repeated or separated by commas.
	UUID []string `json:"uuid,omitzero"`
	// In one of these statuses. PENDING, PROCESSING, ACTIVE, REJECTED, EXPIRED, CANCELLED, ENDED, FAILED.
	Status []string `json:"status,omitzero"`
	// With exactly this reference of the caller.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// Only of this provider of the account: its `uuid`.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Whether the last due charge is not paid.
	IsPastDue Opt[bool] `json:"is_past_due,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
}

// ListRefundsQuery: an object of the API
type ListRefundsQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Only these, at most 100; repeated or separated by commas.
	UUID []string `json:"uuid,omitzero"`
	// In one of these statuses. PROCESSING, COMPLETED, FAILED.
	Status []string `json:"status,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
	// Only of this provider of the account: its `uuid`.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Of this charge.
	ChargeUUID Opt[string] `json:"charge_uuid,omitzero"`
	// Sent by the PIX with this end-to-end id, which is not that of the payment.
	EndToEnd Opt[string] `json:"end_to_end,omitzero"`
}

// ListReportsQuery: an object of the API
type ListReportsQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Only these, at most 100; repeated or separated by commas.
	UUID []string `json:"uuid,omitzero"`
	// Reports of these kinds. LEDGER, PAYMENTS, TRANSFERS, REFUNDS, MEDS, FEES, RECURRENCES, RECONCILIATION.
	Kind []string `json:"kind,omitzero"`
	// Reports with one of these statuses. PENDING, READY, FAILED, EXPIRED.
	Status []string `json:"status,omitzero"`
}

// ListTransferBatchItemsQuery: an object of the API
type ListTransferBatchItemsQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// In one of these statuses; an item that was not started is PENDING. PENDING, PAID, FAILED, REFUNDED,
	// PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING.
	Status []string `json:"status,omitzero"`
}

// ListTransferBatchesQuery: an object of the API
type ListTransferBatchesQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Only these, at most 100; repeated or separated by commas.
	UUID []string `json:"uuid,omitzero"`
	// In one of these statuses. DRAFT, PROCESSING, COMPLETED, CANCELLED.
	Status []string `json:"status,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
}

// ListTransfersQuery: an object of the API
type ListTransfersQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Only these, at most 100; repeated or separated by commas.
	UUID []string `json:"uuid,omitzero"`
	// In one of these statuses; `UNDEFINED` selects none. UNDEFINED, PENDING, PAID, FAILED, REFUNDED,
	// PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING.
	Status []string `json:"status,omitzero"`
	// Every payment is a PIX; `UNDEFINED` selects none. UNDEFINED, PIX.
	Type Opt[string] `json:"type,omitzero"`
	// Settled on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	TransferDateFrom Opt[string] `json:"transfer_date_from,omitzero"`
	// Settled on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	TransferDateTo Opt[string] `json:"transfer_date_to,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
	// With exactly this reference of the caller.
	ExternalRef Opt[string] `json:"external_ref,omitzero"`
	// Sent by the PIX with this end-to-end id.
	EndToEnd Opt[string] `json:"end_to_end,omitzero"`
	// Sent to this key; a blank is read as `+`, which no key contains unencoded.
	PixKey Opt[string] `json:"pix_key,omitzero"`
	// Only of this provider of the account: its `uuid`.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Items of this batch.
	BatchUUID Opt[string] `json:"batch_uuid,omitzero"`
}

// ListWebhookDeliveriesQuery: an object of the API
type ListWebhookDeliveriesQuery struct {
	// In one of these statuses. PENDING, DELIVERED, FAILED, CANCELLED.
	Status []string `json:"status,omitzero"`
	// Of an event of one of these types. PAYMENT, TRANSFER, REFUND, MED, PIX_TRANSACTION, BATCH, RECURRENCE,
	// REPORT, TEST.
	Type []string `json:"type,omitzero"`
	// Created on this day or later, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateFrom Opt[string] `json:"date_from,omitzero"`
	// Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`. `YYYY-MM-DD`.
	DateTo Opt[string] `json:"date_to,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
}

// ListWebhooksQuery: an object of the API
type ListWebhooksQuery struct {
	// Number of the page, from 1.
	Page Opt[int] `json:"page,omitzero"`
	// Rows of a page, by default 15; where `uuid` names more, as many as it names.
	PerPage Opt[int] `json:"per_page,omitzero"`
	// Instead of `page`: empty for the first page, then the `next_cursor` of the page before. Rows that are added
	// meanwhile neither repeat nor hide others.
	Cursor Opt[string] `json:"cursor,omitzero"`
	// IANA time zone of the days in this query; by default UTC.
	TimeZone Opt[string] `json:"time_zone,omitzero"`
}

// ListedBank: an object of the API
type ListedBank struct {
	Ispb string `json:"ispb"`
	// COMPE code.
	Code string `json:"code"`
	Name string `json:"name"`
}

// ListedRefund: an object of the API
type ListedRefund struct {
	UUID string `json:"uuid"`
	// PROCESSING, COMPLETED, FAILED.
	Status string `json:"status"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// Reais, at most two decimals.
	Fees Amount `json:"fees"`
	// The text for the payer, where one was given.
	Description Opt[string]      `json:"description,omitzero"`
	PixOriginal Movement         `json:"pix_original"`
	PixRefund   Movement         `json:"pix_refund"`
	Error       Opt[RefundError] `json:"error,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt  time.Time `json:"updated_at"`
	ChargeUUID string    `json:"charge_uuid"`
	// Of the charge.
	ExternalRef Opt[string]   `json:"external_ref,omitzero"`
	Provider    ProviderShown `json:"provider"`
}

// LookUpPixKeyRequest: an object of the API
type LookUpPixKeyRequest struct {
	// Key of the recipient, at most 77 characters: CPF, CNPJ, e-mail, mobile with `+55`, or random key.
	PixKey string `json:"pix_key"`
	// The only provider to use; where absent, the default ones in their order. A bound token always uses its own.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// CPF or CNPJ that the owner of the key should have.
	Document Opt[string] `json:"document,omitzero"`
	// Name that the owner of the key should have.
	Name Opt[string] `json:"name,omitzero"`
}

// LookupBudget: an object of the API
type LookupBudget struct {
	// Tokens of a full budget.
	Capacity float64 `json:"capacity"`
	// Tokens that are left, as the provider reported them last, and computed since.
	Left            int     `json:"left"`
	RefillPerMinute float64 `json:"refill_per_minute"`
	// Tokens that this look-up took: 0 where the answer was known. Of a provider: what a look-up takes that finds
	// its key; one of a key that does not exist takes 20.
	Cost int `json:"cost"`
	// When the budget is full again, if nothing is looked up.
	ResetsAt time.Time `json:"resets_at"`
}

// MedEventData: an object of the API
type MedEventData struct {
	Dispute
	// Counts the events of this resource, from 1; a lower one that comes later is older news.
	Sequence int `json:"sequence"`
}

// Movement: an object of the API
type Movement struct {
	UUID       string     `json:"uuid"`
	Initiation Initiation `json:"initiation"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// IN, OUT.
	MovementType string `json:"movement_type"`
	// EXTERNAL_TRANSFER, EXTERNAL_REFUND.
	Type string `json:"type"`
	// PENDING, SETTLED, FAILED.
	Status string `json:"status"`
	// End-to-end id of the PIX, 32 characters; empty until its provider reports it.
	EndToEnd   string      `json:"end_to_end"`
	ChargeUUID Opt[string] `json:"charge_uuid,omitzero"`
	// The transfer that this one pays, pays again or returns.
	TransferUUID Opt[string] `json:"transfer_uuid,omitzero"`
	// The movement that this one returns.
	OriginalUUID Opt[string] `json:"original_uuid,omitzero"`
	// The connection that carried this PIX; absent where none is known.
	Provider Opt[ProviderShown] `json:"provider,omitzero"`
	// Why this PIX is not the payment of a charge, or that it settled twice or after it had failed; absent
	// otherwise. deposit, second_payment, wrong_amount, wrong_payer, unknown_payer, charge_over, code_disabled,
	// orphan, duplicate_settlement, late_settlement, provider_tariff, provider_withdrawal, provider_credit,
	// provider_block, provider_unblock, panel_transfer, panel_return, opening_balance, adjustment.
	Reason Opt[string] `json:"reason,omitzero"`
	// UTC, six fractional digits.
	SettledAt Opt[time.Time] `json:"settled_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// NewReceiver: an object of the API
type NewReceiver struct {
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	Hours int    `json:"hours"`
}

// Night: an object of the API
type Night struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// NightHours: Hours of `per_night`, between one noon and the next; over midnight where `to` is before `from`
type NightHours struct {
	// `HH:MM` in Brasília.
	From string `json:"from"`
	// `HH:MM` in Brasília.
	To string `json:"to"`
}

// OrderedReceiver: Who is paid, and the account
type OrderedReceiver struct {
	Name     string      `json:"name"`
	Document string      `json:"document"`
	Ispb     string      `json:"ispb"`
	BankCode Opt[string] `json:"bank_code,omitzero"`
	Agency   string      `json:"agency"`
	Account  string      `json:"account"`
	// CHECKING, PAYMENT, SAVINGS, SALARY.
	AccountType string `json:"account_type"`
}

// PageMeta: Of a numbered page
type PageMeta struct {
	CurrentPage int `json:"current_page"`
	// Number of the first row of the page, from 1; 0 without rows.
	From     int `json:"from"`
	LastPage int `json:"last_page"`
	PerPage  int `json:"per_page"`
	// Number of the last row of the page; 0 without rows.
	To    int `json:"to"`
	Total int `json:"total"`
	// The `cursor` of the next page, for 24 hours; null on the last one.
	NextCursor Opt[string] `json:"next_cursor,omitzero"`
}

// PaidParts: an object of the API
type PaidParts struct {
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// Reais, at most two decimals.
	Fine Opt[Amount] `json:"fine,omitzero"`
	// Reais, at most two decimals.
	Interest Opt[Amount] `json:"interest,omitzero"`
	// Reais, at most two decimals.
	Discount Opt[Amount] `json:"discount,omitzero"`
	// Reais, at most two decimals.
	Abatement Opt[Amount] `json:"abatement,omitzero"`
}

// Party: Sender or receiver of a PIX; unknown texts are empty
type Party struct {
	Name string `json:"name"`
	// CPF or CNPJ; masked (`***982247**`) where it is another’s.
	Document      string `json:"document"`
	AccountNumber string `json:"account_number"`
	AccountAgency string `json:"account_agency"`
	Bank          Bank   `json:"bank"`
	// CHECKING, PAYMENT, SAVINGS, SALARY.
	AccountType string `json:"account_type"`
}

// PayerAccount: The account of the payer whose bank is sent the request
type PayerAccount struct {
	// ISPB of the bank of the payer.
	Ispb    string      `json:"ispb"`
	Agency  Opt[string] `json:"agency,omitzero"`
	Account string      `json:"account"`
}

// Payment: an object of the API
type Payment struct {
	UUID string `json:"uuid"`
	// PENDING, COMPLETED, FAILED, EXPIRED, CANCELLED.
	Status string `json:"status"`
	// The copy-and-paste PIX code; empty of the debit of a recurrence.
	Payload string    `json:"payload"`
	Pix     ChargePix `json:"pix"`
	// Null of a static code, which does not expire. Of a charge with a due date the end of its last payable day in
	// Brasília, moved to the next business day.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
	Due       Opt[DueShown]  `json:"due,omitzero"`
	// Of a charge with a due date that can be paid: a forecast of what it costs today, by the national bank
	// holidays. The provider computes what is paid; a state or municipal holiday where the payer lives can move
	// the due day.
	AmountDue Opt[AmountDue] `json:"amount_due,omitzero"`
	// Of a paid charge with a due date: what was paid, and what that consists of where its provider reports it.
	Paid Opt[PaidParts] `json:"paid,omitzero"`
	// Only of the debit of a recurrence: its tries, as its provider has reported them.
	Tries []DebitTry `json:"tries,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
	// Reais as a decimal string with two decimals.
	Value Amount `json:"value"`
	// QR_STATIC where the payload is a static code of the key; AUTOMATIC of the debit of a recurrence, which has
	// no payload. QR_DYNAMIC, QR_STATIC, AUTOMATIC.
	Type string `json:"type"`
	// Whether only the `debtor` may pay.
	VerifySender bool `json:"verify_sender"`
}

// PaymentEventData: an object of the API
type PaymentEventData struct {
	Charge
	// Counts the events of this resource, from 1; a lower one that comes later is older news.
	Sequence int `json:"sequence"`
	// It was paid, or settled, after a final state had been shown.
	Late Opt[bool] `json:"late,omitzero"`
}

// PaymentLink: an object of the API
type PaymentLink struct {
	UUID string `json:"uuid"`
	// FULL: every place is taken, by charges that are paid or can be paid; ACTIVE again once one of them ends
	// unpaid. ACTIVE, FULL, EXPIRED, REVOKED.
	Status string `json:"status"`
	// The page of the payer, which needs no token.
	URL string `json:"url"`
	// Only of a link that shows one charge.
	ChargeUUID Opt[string] `json:"charge_uuid,omitzero"`
	Message    Opt[string] `json:"message,omitzero"`
	// Only of a link that creates charges, as are the fields below.
	Value        Opt[Amount]   `json:"value,omitzero"`
	ExternalRef  Opt[string]   `json:"external_ref,omitzero"`
	ProviderUUID Opt[string]   `json:"provider_uuid,omitzero"`
	Splits       []QrCodeSplit `json:"splits,omitzero"`
	// Seconds until a charge of the link expires.
	ExpiresIn   Opt[int]          `json:"expires_in,omitzero"`
	Metadata    map[string]string `json:"metadata,omitzero"`
	MaxPayments Opt[int]          `json:"max_payments,omitzero"`
	// What takes the places. `GET /payments?payment_link_uuid=` lists the charges.
	Payments Opt[PaymentLinkPlaces] `json:"payments,omitzero"`
	// UTC, six fractional digits.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	RevokedAt Opt[time.Time] `json:"revoked_at,omitzero"`
}

// PaymentLinkPlaces: an object of the API
type PaymentLinkPlaces struct {
	// Charges that were paid, refunded ones too.
	Paid int `json:"paid"`
	// Charges that can be paid, or are being created.
	Open int `json:"open"`
}

// Pending: an object of the API
type Pending struct {
	Limits LimitValues `json:"limits"`
	// UTC, six fractional digits.
	EffectiveAt time.Time `json:"effective_at"`
}

// PerNight: an object of the API
type PerNight struct {
	// Reais, at most two decimals.
	Limit Opt[Amount] `json:"limit,omitzero"`
	// Reais that were let through, and have not come back as failed.
	Used Amount `json:"used"`
	// null where there is no limit.
	Left Opt[Amount] `json:"left,omitzero"`
	// End of the night; null in daytime.
	ResetsAt Opt[time.Time] `json:"resets_at,omitzero"`
}

// PixKey: an object of the API
type PixKey struct {
	Key string `json:"key"`
	// DOCUMENT, EMAIL, PHONE, RANDOM.
	Type string `json:"type"`
	// false while its provider has not confirmed a removal.
	IsActive bool `json:"is_active"`
	// UTC, six fractional digits.
	CreatedAt time.Time     `json:"created_at"`
	Provider  ProviderShown `json:"provider"`
}

// PixTransactionEventData: an object of the API
type PixTransactionEventData struct {
	Movement
	// Counts the events of this resource, from 1; a lower one that comes later is older news.
	Sequence int `json:"sequence"`
}

// Provider: an object of the API
type Provider struct {
	// The value of a `provider_uuid`.
	UUID string `json:"uuid"`
	// UNDEFINED, ACTIVE, INFORMATION_PENDING, KYC_PENDING, KYC_ANALYSIS, KYC_REJECTED, LIVENESS_PENDING,
	// LIVENESS_APPROVED, LIVENESS_REJECTED, CONFIGURATION_PENDING, BLOCKED, INACTIVE.
	Status string `json:"status"`
	// PROVIDER_A, PROVIDER_B, PROVIDER_C, PROVIDER_D.
	Provider string `json:"provider"`
	// NOMINAL, POOL.
	Type string `json:"type"`
	// ACTIVE and the integration is healthy.
	IsOperational bool `json:"is_operational"`
	// Whether calls may name it.
	IsPublic bool `json:"is_public"`
	// Reais that one transfer through it may send at most; null where no limit is set.
	MaxPerTransfer Opt[Amount] `json:"max_per_transfer,omitzero"`
	// null for POOL.
	VirtualAccount Opt[VirtualAccount] `json:"virtual_account,omitzero"`
	Balances       []Balance           `json:"balances"`
}

// ProviderDetails: an object of the API
type ProviderDetails struct {
	// The value of a `provider_uuid`.
	UUID string `json:"uuid"`
	// UNDEFINED, ACTIVE, INFORMATION_PENDING, KYC_PENDING, KYC_ANALYSIS, KYC_REJECTED, LIVENESS_PENDING,
	// LIVENESS_APPROVED, LIVENESS_REJECTED, CONFIGURATION_PENDING, BLOCKED, INACTIVE.
	Status string `json:"status"`
	// PROVIDER_A, PROVIDER_B, PROVIDER_C, PROVIDER_D.
	Provider string `json:"provider"`
	// NOMINAL, POOL.
	Type string `json:"type"`
	// ACTIVE and the integration is healthy.
	IsOperational bool `json:"is_operational"`
	// Whether calls may name it.
	IsPublic bool `json:"is_public"`
	// Reais that one transfer through it may send at most; null where no limit is set.
	MaxPerTransfer Opt[Amount] `json:"max_per_transfer,omitzero"`
	// null for POOL.
	VirtualAccount Opt[VirtualAccount] `json:"virtual_account,omitzero"`
	Balances       []Balance           `json:"balances"`
	// Look-ups of PIX keys that the account has left there; null where the provider does not tell.
	LookupBudget Opt[LookupBudget] `json:"lookup_budget,omitzero"`
}

// ProviderShown: The connection that carries this resource
type ProviderShown struct {
	UUID string `json:"uuid"`
	// PROVIDER_A, PROVIDER_B, PROVIDER_C, PROVIDER_D.
	Provider string `json:"provider"`
}

// QrCode: an object of the API
type QrCode struct {
	UUID string `json:"uuid"`
	// ACTIVE, DISABLED.
	Status string `json:"status"`
	// The copy-and-paste PIX code, which does not expire.
	Payload string `json:"payload"`
	// Reais that each charge is of; 0 where the payer chooses.
	Value Amount `json:"value"`
	// Reais that the payload asks: `value` and `fees`; 0 where the payer chooses.
	TotalValue Amount `json:"total_value"`
	// Reais that each payer pays on top of `value`.
	Fees Amount `json:"fees"`
	// The txid of every PIX to the code.
	Reference   string        `json:"reference"`
	PixKey      string        `json:"pix_key"`
	Description Opt[string]   `json:"description,omitzero"`
	ExternalRef Opt[string]   `json:"external_ref,omitzero"`
	Splits      []QrCodeSplit `json:"splits"`
	// KEEP, RETURN.
	OnPayment string            `json:"on_payment"`
	Metadata  map[string]string `json:"metadata"`
	Received  QrCodeReceived    `json:"received"`
	Provider  ProviderShown     `json:"provider"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// QrCodeReceived: The charges that were paid to the code, refunded ones too
type QrCodeReceived struct {
	Count int `json:"count"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
}

// QrCodeSplit: an object of the API
type QrCodeSplit struct {
	// PERCENTAGE, FIXED.
	Type string `json:"type"`
	// Percent where PERCENTAGE, reais where FIXED.
	Value                Amount `json:"value"`
	RecipientAccountUUID string `json:"recipient_account_uuid"`
}

// ReadQrCodeRequest: an object of the API
type ReadQrCodeRequest struct {
	// The copy-and-paste PIX code; blanks around it do not count.
	Payload string `json:"payload"`
	// The day of payment in Brasília, for which a charge with a due date is read; default: today. `YYYY-MM-DD`.
	PayOn Opt[string] `json:"pay_on,omitzero"`
	// The municipality of the payer by the table of the IBGE, whose holidays count.
	CodMun Opt[string] `json:"cod_mun,omitzero"`
}

// Receipt: an object of the API
type Receipt struct {
	// PAYMENT, TRANSFER, REFUND.
	Kind string `json:"kind"`
	// The charge, the transfer or the refund.
	UUID string `json:"uuid"`
	// Whether the bank issues the PDF now; false: this service does.
	Official bool `json:"official"`
	// Name of the bank that issues the PDF; null: this service does.
	Issuer Opt[string] `json:"issuer,omitzero"`
	// `test`: simulated, no money has moved. live, test.
	Mode string   `json:"mode"`
	Pix  Movement `json:"pix"`
	// Of a refund: end-to-end id of the PIX that it gives back.
	OriginalEndToEnd Opt[string] `json:"original_end_to_end,omitzero"`
	// Sum of all that went back since.
	ReturnedValue Amount `json:"returned_value"`
	// What went back since, oldest first; the newest 50.
	Returns []ReceiptReturn `json:"returns"`
	// Code by which anybody can check the receipt, without a token.
	Authentication string `json:"authentication"`
	// Page that checks it.
	CheckURL string `json:"check_url"`
	// UTC, six fractional digits.
	CheckableUntil time.Time `json:"checkable_until"`
	// Address of the PDF for whoever has it, without a token; a new one each time the receipt is read.
	ShareURL string `json:"share_url"`
	// When `share_url` ends: 24 hours after it was read.
	SharedUntil time.Time `json:"shared_until"`
}

// ReceiptCheck: an object of the API
type ReceiptCheck struct {
	// `test`: simulated, no money has moved. live, test.
	Mode string `json:"mode"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// Day of the settlement in Brasília, `YYYY-MM-DD`. `YYYY-MM-DD`.
	Day string `json:"day"`
	// Initials; empty where the name is unknown.
	Sender string `json:"sender"`
	// Initials; empty where the name is unknown.
	Receiver string `json:"receiver"`
	// Sum of all that went back since.
	ReturnedValue Amount `json:"returned_value"`
}

// ReceiptReturn: an object of the API
type ReceiptReturn struct {
	// The movement.
	UUID string `json:"uuid"`
	// Reais, at most two decimals.
	Value    Amount `json:"value"`
	EndToEnd string `json:"end_to_end"`
	// UTC, six fractional digits.
	SettledAt Opt[time.Time] `json:"settled_at,omitzero"`
}

// Reconciliation: an object of the API
type Reconciliation struct {
	// That of the provider.
	UUID     string        `json:"uuid"`
	Provider ProviderShown `json:"provider"`
	// When its balance was last read; null: never.
	CheckedAt Opt[time.Time] `json:"checked_at,omitzero"`
	// What the provider reported then.
	ProviderBalance Opt[Amount] `json:"provider_balance,omitzero"`
	// What the ledger had then, in all buckets.
	LedgerBalance Opt[Amount] `json:"ledger_balance,omitzero"`
	// What of it may not have left, or not have arrived, at the provider: it explains as much.
	InTransit Opt[Amount] `json:"in_transit,omitzero"`
	// Since when nothing in transit explains the difference; null: it is explained.
	DiffersSince Opt[time.Time] `json:"differs_since,omitzero"`
	// Differences about single PIX that are OPEN.
	OpenDifferences int `json:"open_differences"`
}

// ReconciliationDifference: an object of the API
type ReconciliationDifference struct {
	UUID string `json:"uuid"`
	// MISSING_HERE: only the statement of the provider has the PIX. MISSING_THERE: only the ledger has it. The
	// others: both have it, with another value or status. MISSING_HERE, MISSING_THERE, VALUE_DIFFERS,
	// STATUS_DIFFERS.
	Kind string `json:"kind"`
	// IN, OUT.
	MovementType string `json:"movement_type"`
	// Empty where the provider names none.
	EndToEnd string `json:"end_to_end"`
	// As the statement has it.
	ProviderValue Opt[Amount] `json:"provider_value,omitzero"`
	// As the ledger has it.
	Value Opt[Amount] `json:"value,omitzero"`
	// As the ledger has it. PENDING, SETTLED, FAILED.
	MovementStatus Opt[string] `json:"movement_status,omitzero"`
	// SETTLED: a later comparison has not found it any more. CLOSED: by the operator. OPEN, SETTLED, CLOSED.
	Status string `json:"status"`
	// Who ends it while it is OPEN: SERVICE by itself, in time. SERVICE, OPERATOR.
	WaitsFor Opt[string] `json:"waits_for,omitzero"`
	// UTC, six fractional digits.
	FoundAt time.Time `json:"found_at"`
	// UTC, six fractional digits.
	EndedAt  Opt[time.Time] `json:"ended_at,omitzero"`
	Provider ProviderShown  `json:"provider"`
}

// RecoverWebhookRequest: an object of the API
type RecoverWebhookRequest struct {
	// ISO 8601 with its offset; not in the future.
	Since time.Time `json:"since"`
}

// Recovery: an object of the API
type Recovery struct {
	// CREATED, TRACKED, AWAITING_ANALYSIS, ANALYSED, REFUNDING, COMPLETED, CANCELLED.
	Stage string `json:"stage"`
	// The oldest first.
	Events []RecoveryEvent `json:"events"`
}

// RecoveryEvent: an object of the API
type RecoveryEvent struct {
	// CREATED, TRACKED, AWAITING_ANALYSIS, ANALYSED, REFUNDING, COMPLETED, CANCELLED.
	Stage string    `json:"stage"`
	At    time.Time `json:"at"`
}

// Recurrence: an object of the API
type Recurrence struct {
	UUID string `json:"uuid"`
	// PENDING, PROCESSING, ACTIVE, REJECTED, EXPIRED, CANCELLED, ENDED, FAILED.
	Status string `json:"status"`
	// Reais of each charge; absent where it varies.
	Value Opt[Amount] `json:"value,omitzero"`
	// Reais that the payer is debited each time: `value` and `fees`.
	TotalValue Opt[Amount] `json:"total_value,omitzero"`
	// Reais that the payer pays on top of a fixed `value`.
	Fees Amount `json:"fees"`
	// Reais, at most two decimals.
	MinimumValue Opt[Amount] `json:"minimum_value,omitzero"`
	// WEEKLY, MONTHLY, QUARTERLY, SEMIANNUAL, ANNUAL.
	Frequency string `json:"frequency"`
	// `YYYY-MM-DD`.
	StartsOn string `json:"starts_on"`
	// `YYYY-MM-DD`.
	EndsOn   Opt[string]           `json:"ends_on,omitzero"`
	Contract string                `json:"contract"`
	Subject  Opt[string]           `json:"subject,omitzero"`
	Debtor   RecurrenceDebtorShown `json:"debtor"`
	// NOT_ALLOWED, THREE_IN_SEVEN_DAYS.
	RetryPolicy string `json:"retry_policy"`
	// REQUEST, QR, QR_WITH_PAYMENT, PAYMENT_THEN_OFFER.
	Journey string `json:"journey"`
	// UTC, six fractional digits.
	RequestExpiresAt Opt[time.Time] `json:"request_expires_at,omitzero"`
	// AUTOMATIC, MANUAL.
	Generate    string            `json:"generate"`
	DaysBefore  int               `json:"days_before"`
	Splits      []RecurrenceSplit `json:"splits"`
	ExternalRef Opt[string]       `json:"external_ref,omitzero"`
	Metadata    map[string]string `json:"metadata"`
	// Id of the recurrence on the rail (idRec).
	RailID Opt[string] `json:"rail_id,omitzero"`
	// The code by which the payer authorizes it, and pays its first charge; null of the journey REQUEST.
	Payload Opt[string] `json:"payload,omitzero"`
	// The charge that the code also pays, as `GET /payments/{uuid}` shows it.
	FirstCharge Opt[FirstChargeReference] `json:"first_charge,omitzero"`
	// Due day of the next charge that is created for it; null where none is. `YYYY-MM-DD`.
	NextChargeOn Opt[string] `json:"next_charge_on,omitzero"`
	// Its last due charge is not paid.
	IsPastDue bool                     `json:"is_past_due"`
	Reason    Opt[RecurrenceReason]    `json:"reason,omitzero"`
	Skipped   []SkippedCycle           `json:"skipped"`
	History   []RecurrenceStatusChange `json:"history"`
	Provider  ProviderShown            `json:"provider"`
	// Only on a FAILED recurrence: why no provider created it.
	Error Opt[RecurrenceError] `json:"error,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// RecurrenceDebtor: Who is debited
type RecurrenceDebtor struct {
	Name string `json:"name"`
	// CPF or CNPJ with valid check digits, without formatting.
	Document string `json:"document"`
	// Needed by some providers, else kept.
	Address Opt[DebtorAddress] `json:"address,omitzero"`
}

// RecurrenceDebtorShown: an object of the API
type RecurrenceDebtorShown struct {
	Name     string             `json:"name"`
	Document string             `json:"document"`
	Address  Opt[DebtorAddress] `json:"address,omitzero"`
}

// RecurrenceError: an object of the API
type RecurrenceError struct {
	Code         string      `json:"code"`
	Message      string      `json:"message"`
	ProviderCode Opt[string] `json:"provider_code,omitzero"`
	Provider     Opt[string] `json:"provider,omitzero"`
}

// RecurrenceEventData: an object of the API
type RecurrenceEventData struct {
	Recurrence
	// Counts the events of this resource, from 1; a lower one that comes later is older news.
	Sequence int `json:"sequence"`
}

// RecurrenceReason: Why it was rejected or cancelled: a code of the rail, or `first_charge_not_paid` or
// `request_expired`, for which it was cancelled by itself
type RecurrenceReason struct {
	Code string `json:"code"`
	// payer, receiver.
	By Opt[string] `json:"by,omitzero"`
}

// RecurrenceSplit: an object of the API
type RecurrenceSplit struct {
	// PERCENTAGE, FIXED.
	Type string `json:"type"`
	// Percent where PERCENTAGE, reais where FIXED.
	Value                Amount `json:"value"`
	RecipientAccountUUID string `json:"recipient_account_uuid"`
}

// RecurrenceStatusChange: an object of the API
type RecurrenceStatusChange struct {
	// PENDING, PROCESSING, ACTIVE, REJECTED, EXPIRED, CANCELLED, ENDED, FAILED.
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
}

// Refund: an object of the API
type Refund struct {
	UUID string `json:"uuid"`
	// PROCESSING, COMPLETED, FAILED.
	Status string `json:"status"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// Reais, at most two decimals.
	Fees Amount `json:"fees"`
	// The text for the payer, where one was given.
	Description Opt[string]      `json:"description,omitzero"`
	PixOriginal Movement         `json:"pix_original"`
	PixRefund   Movement         `json:"pix_refund"`
	Error       Opt[RefundError] `json:"error,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// RefundError: an object of the API
type RefundError struct {
	Code         string      `json:"code"`
	Message      string      `json:"message"`
	ProviderCode Opt[string] `json:"provider_code,omitzero"`
	// Of `over_limit`: which limit. allowed_receivers_only, per_transfer, new_receiver, per_receiver_per_day,
	// per_night, per_day.
	Limit Opt[string] `json:"limit,omitzero"`
	// Of `over_limit`: reais that the limit still allowed.
	Left Opt[Amount] `json:"left,omitzero"`
	// Of `over_limit`: when the limit allows more; null where time alone changes nothing.
	ResetsAt Opt[time.Time] `json:"resets_at,omitzero"`
}

// RefundEventData: an object of the API
type RefundEventData struct {
	RefundResult
	// Counts the events of this resource, from 1; a lower one that comes later is older news.
	Sequence int `json:"sequence"`
}

// RefundPaymentRequest: an object of the API
type RefundPaymentRequest struct {
	// Reais; what is still refundable where absent.
	Value Opt[Amount] `json:"value,omitzero"`
	// Why, in words for the payer: the provider gets them with the refund.
	Description Opt[string] `json:"description,omitzero"`
}

// RefundResult: an object of the API
type RefundResult struct {
	// The charge.
	UUID string `json:"uuid"`
	// UNDEFINED, PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING.
	Status string `json:"status"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// Reais, at most two decimals.
	Fees     Amount         `json:"fees"`
	Refund   Refund         `json:"refund"`
	History  []StatusChange `json:"history"`
	Provider ProviderShown  `json:"provider"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// RejectTransferBatchRequest: an object of the API
type RejectTransferBatchRequest struct {
	// Why it is not sent; shown with the transfer.
	Reason string `json:"reason"`
}

// RejectTransferRequest: an object of the API
type RejectTransferRequest struct {
	// Why it is not sent; shown with the transfer.
	Reason string `json:"reason"`
}

// ReplaceDefaultProvidersRequest: an object of the API
type ReplaceDefaultProvidersRequest struct {
	// PIX is the only type. PIX where it is empty.
	PaymentType string `json:"payment_type"`
	// The first is preferred, the others are fallbacks in their order.
	ProviderUUIDs []string `json:"provider_uuids"`
}

// MarshalJSON fills in the fields that have one value only.
func (o ReplaceDefaultProvidersRequest) MarshalJSON() ([]byte, error) {
	type fields ReplaceDefaultProvidersRequest
	plain := fields(o)
	plain.PaymentType = cmp.Or(plain.PaymentType, "PIX")
	return json.Marshal(plain)
}

// ReplaceLimitsRequest: an object of the API
type ReplaceLimitsRequest struct {
	// Reais that one transfer may send; null or absent: no limit.
	PerTransfer Opt[Amount] `json:"per_transfer,omitzero"`
	// Reais that transfers and refunds of a day in Brasília may send; null or absent: no limit.
	PerDay Opt[Amount] `json:"per_day,omitzero"`
	// Reais that the transfers of a night may send, which count per day as well; null or absent: no limit.
	PerNight Opt[Amount] `json:"per_night,omitzero"`
	// By default from 20:00 to 06:00.
	Night Opt[NightHours] `json:"night,omitzero"`
	// Reais that one PIX key may get on a day in Brasília; null or absent: no limit.
	PerReceiverPerDay Opt[Amount] `json:"per_receiver_per_day,omitzero"`
	// Reais that a PIX key may get in all until `hours` have passed since the first transfer to it settled.
	NewReceiver      Opt[NewReceiver]  `json:"new_receiver,omitzero"`
	TrustedReceivers []TrustedReceiver `json:"trusted_receivers,omitzero"`
	// Only `trusted_receivers` may be paid.
	AllowedReceiversOnly Opt[bool]           `json:"allowed_receivers_only,omitzero"`
	DuplicateGuard       Opt[DuplicateGuard] `json:"duplicate_guard,omitzero"`
	// Transfers of more than `above` wait until `count` persons other than who ordered them approve, at most
	// `expires_hours`; null or absent: none wait.
	Approvals Opt[ApprovalRule] `json:"approvals,omitzero"`
	// The `version` that was read: other limits are then not overwritten.
	Version Opt[int] `json:"version,omitzero"`
}

// ReplaceReportSchedulesRequest: an object of the API
type ReplaceReportSchedulesRequest struct {
	Schedules []ReportScheduleOrder `json:"schedules"`
}

// ReplyToMedRequest: an object of the API
type ReplyToMedRequest struct {
	// `1` or `true` accepts: the money goes back. `0` or `false` rejects.
	Accept bool `json:"accept"`
	// Why; a provider may accept fewer characters, with links to the files: then 422 says how many.
	Analysis string `json:"analysis"`
	// Proofs, at most 10, sent as `attachments[0][file]`, `attachments[1][file]`, ….
	Attachments []File `json:"-"`
}

// Report: an object of the API
type Report struct {
	UUID string `json:"uuid"`
	// LEDGER, PAYMENTS, TRANSFERS, REFUNDS, MEDS, FEES, RECURRENCES, RECONCILIATION.
	Kind string `json:"kind"`
	// CSV, JSONL, OFX.
	Format string `json:"format"`
	// The first day, by the clocks of Brasília. `YYYY-MM-DD`.
	DateFrom string `json:"date_from"`
	// The last day, by the clocks of Brasília. `YYYY-MM-DD`.
	DateTo string `json:"date_to"`
	// Null: all providers.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// POINT, COMMA.
	Decimal string `json:"decimal"`
	// READY: its file can be downloaded. PENDING, READY, FAILED, EXPIRED.
	Status string `json:"status"`
	// Why it FAILED; `not_built`: order it again. cancelled, too_many_lines, not_built.
	Failure Opt[string] `json:"failure,omitzero"`
	// Whether its last day was not over when it was built; null before.
	IsPartial Opt[bool] `json:"is_partial,omitzero"`
	Lines     Opt[int]  `json:"lines,omitzero"`
	SizeBytes Opt[int]  `json:"size_bytes,omitzero"`
	// Of the file, in hexadecimal; kept when the file is gone.
	Sha256 Opt[string] `json:"sha256,omitzero"`
	// UTC, six fractional digits.
	BuiltAt Opt[time.Time] `json:"built_at,omitzero"`
	// Until when the file is kept.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// ReportEventData: an object of the API
type ReportEventData struct {
	Report
	// Counts the events of this resource, from 1; a lower one that comes later is older news.
	Sequence int `json:"sequence"`
}

// ReportSchedule: an object of the API
type ReportSchedule struct {
	// LEDGER, PAYMENTS, TRANSFERS, REFUNDS, MEDS, FEES, RECURRENCES, RECONCILIATION.
	Kind string `json:"kind"`
	// CSV, JSONL, OFX.
	Format string `json:"format"`
	// Null: all providers.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// POINT, COMMA.
	Decimal string `json:"decimal"`
	// DAILY, WEEKLY, MONTHLY.
	Frequency string   `json:"frequency"`
	Weekday   Opt[int] `json:"weekday,omitzero"`
	Hour      int      `json:"hour"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
}

// ReportScheduleOrder: an object of the API
type ReportScheduleOrder struct {
	// LEDGER: all lines of the statement. PAYMENTS, TRANSFERS, REFUNDS: those of such operations, with their fees.
	// MEDS, RECURRENCES: those of disputes, and of charges of recurrences. FEES: fees alone. RECONCILIATION:
	// differences between the statements of providers and the ledger. LEDGER, PAYMENTS, TRANSFERS, REFUNDS, MEDS,
	// FEES, RECURRENCES, RECONCILIATION.
	Kind string `json:"kind"`
	// OFX for LEDGER only. CSV, JSONL, OFX.
	Format string `json:"format"`
	// Only this provider of the account; a bound token has its own.
	ProviderUUID Opt[string] `json:"provider_uuid,omitzero"`
	// Decimal separator of CSV; a Brazilian Excel reads COMMA. POINT, COMMA.
	Decimal Opt[string] `json:"decimal,omitzero"`
	// DAILY: of the day before. WEEKLY: of the seven days before. MONTHLY: of the month before, on its 1st. DAILY,
	// WEEKLY, MONTHLY.
	Frequency string `json:"frequency"`
	// Of WEEKLY, on which day it is ordered: 1 is Monday.
	Weekday Opt[int] `json:"weekday,omitzero"`
	// After which hour of Brasília it is ordered.
	Hour int `json:"hour"`
}

// ReportSchedules: an object of the API
type ReportSchedules struct {
	Schedules []ReportSchedule `json:"schedules"`
}

// RequestMedRequest: an object of the API
type RequestMedRequest struct {
	// A settled transfer of the account.
	TransferUUID string `json:"transfer_uuid"`
	// What has happened. A quarrel about goods, or an own mistake, is none of these. UNDEFINED, SCAM,
	// WRONG_TRANSACTION, COERCION_CRIME, UNAUTHORIZED_ACCESS.
	DisputeType string `json:"dispute_type"`
	// What has happened, for the analysts of the banks.
	Details string `json:"details"`
}

// RetryPaymentRequest: an object of the API
type RetryPaymentRequest struct {
	// Day of the retry in Brasília: after today, and within seven days after the due day. `YYYY-MM-DD`.
	On string `json:"on"`
}

// RevisePaymentRequest: an object of the API
type RevisePaymentRequest struct {
	// Reais that the charge asks from now on, without its fees.
	Value Opt[Amount] `json:"value,omitzero"`
	// Replaces the due date with all that belongs to it.
	Due Opt[Due] `json:"due,omitzero"`
	// Text that the payer is shown from now on; it can be replaced, not removed.
	Message Opt[string] `json:"message,omitzero"`
}

// RotateCalloutTokenRequest: an object of the API
type RotateCalloutTokenRequest struct {
	// Generated where absent.
	Token Opt[string] `json:"token,omitzero"`
}

// RotateWebhookTokenRequest: an object of the API
type RotateWebhookTokenRequest struct {
	// Generated where absent.
	Token Opt[string] `json:"token,omitzero"`
}

// ShownApprovalRule: an object of the API
type ShownApprovalRule struct {
	// Reais, at most two decimals.
	Above        Amount      `json:"above"`
	Count        int         `json:"count"`
	ExpiresHours int         `json:"expires_hours"`
	CalloutURL   Opt[string] `json:"callout_url,omitzero"`
}

// ShownTrustedHolder: an object of the API
type ShownTrustedHolder struct {
	Document string `json:"document"`
}

// ShownTrustedKey: an object of the API
type ShownTrustedKey struct {
	PixKey string `json:"pix_key"`
}

// SkippedCycle: A cycle whose charge could not be created in time
type SkippedCycle struct {
	Cycle int `json:"cycle"`
	// `YYYY-MM-DD`.
	DueOn     string    `json:"due_on"`
	CreatedAt time.Time `json:"created_at"`
}

// Split: an object of the API
type Split struct {
	UUID string `json:"uuid"`
	// PERCENTAGE, FIXED.
	Type string `json:"type"`
	// Percent where PERCENTAGE, reais where FIXED.
	Value Amount `json:"value"`
	// PENDING, CREDITED, FAILED.
	Status           string         `json:"status"`
	RecipientAccount SplitRecipient `json:"recipient_account"`
}

// SplitInput: an object of the API
type SplitInput struct {
	// A share of the value, or an amount. PERCENTAGE, FIXED.
	Type string `json:"type"`
	// Percent where PERCENTAGE (10 is 10 %), reais where FIXED.
	Value Amount `json:"value"`
	// The account that receives the share.
	RecipientAccountUUID string `json:"recipient_account_uuid"`
}

// SplitRecipient: an object of the API
type SplitRecipient struct {
	UUID string `json:"uuid"`
	Name string `json:"name"`
}

// StatusChange: an object of the API
type StatusChange struct {
	// UNDEFINED, PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING.
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
}

// TestEventData: an object of the API
type TestEventData struct {
	Webhook
	// Counts the events of this resource, from 1; a lower one that comes later is older news.
	Sequence int `json:"sequence"`
}

// Total: an object of the API
type Total struct {
	// EXTERNAL_TRANSFER, EXTERNAL_REFUND, SPLIT, FEE, HOLD, ADJUSTMENT, REVERSAL, SHORTFALL.
	Type string `json:"type"`
	// What the lines IN add.
	In Amount `json:"in"`
	// What the lines OUT take, never negative.
	Out   Amount `json:"out"`
	Lines int    `json:"lines"`
}

// Transfer: an object of the API
type Transfer struct {
	UUID string `json:"uuid"`
	// Reais that the recipient receives.
	Value Amount `json:"value"`
	// Reais that the sender pays on top of `value`.
	Fees Amount `json:"fees"`
	// BRL where it is empty.
	Currency string `json:"currency"`
	// UNDEFINED, PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING.
	Status string `json:"status"`
	// PIX where it is empty.
	Type             string                     `json:"type"`
	ExternalRef      Opt[string]                `json:"external_ref,omitzero"`
	FinalBeneficiary Opt[FinalBeneficiaryShown] `json:"final_beneficiary,omitzero"`
	Transfer         TransferRecord             `json:"transfer"`
	History          []StatusChange             `json:"history"`
	Provider         ProviderShown              `json:"provider"`
	Attempts         []Attempt                  `json:"attempts"`
	// Only while no provider has said whether the money left; never send it again.
	Outcome Opt[string] `json:"outcome,omitzero"`
	// Only with `outcome`.
	UnknownSince Opt[time.Time] `json:"unknown_since,omitzero"`
	// Only with `outcome`: when the provider is asked again.
	NextCheckAt Opt[time.Time] `json:"next_check_at,omitzero"`
	// Of a scheduled transfer.
	ScheduledFor Opt[time.Time] `json:"scheduled_for,omitzero"`
	// Of a transfer that waits, or has waited, for approvals.
	Approval Opt[TransferApproval] `json:"approval,omitzero"`
	// The batch that it is an item of.
	BatchUUID Opt[string] `json:"batch_uuid,omitzero"`
	// Why a transfer is FAILED.
	Error Opt[TransferError] `json:"error,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
}

// TransferApproval: Approvals of persons who have not ordered it; `by` is the e-mail of a user, also of who
// made a token, or the name of an operator; `callout` of a call-out that rejects
type TransferApproval struct {
	// Persons who must approve it.
	Needed   int                  `json:"needed"`
	Given    []GivenApproval      `json:"given"`
	Rejected Opt[GivenRejection]  `json:"rejected,omitzero"`
	Callout  Opt[ApprovalCallout] `json:"callout,omitzero"`
	// Until then it waits; afterwards it is EXPIRED.
	ExpiresAt time.Time `json:"expires_at"`
}

// TransferBatch: an object of the API
type TransferBatch struct {
	UUID string `json:"uuid"`
	// DRAFT, PROCESSING, COMPLETED, CANCELLED.
	Status string      `json:"status"`
	Name   Opt[string] `json:"name,omitzero"`
	// ALL_VALID, EACH.
	Mode string `json:"mode"`
	// WAIT, FAIL.
	OnShortBalance string `json:"on_short_balance"`
	// Number of items.
	Total int `json:"total"`
	// Reais that all items together send, without fees.
	Value  Amount              `json:"value"`
	Counts TransferBatchCounts `json:"counts"`
	// UTC, six fractional digits.
	ScheduledFor Opt[time.Time] `json:"scheduled_for,omitzero"`
	// Why no further item is started now; absent where one may be. approval, scheduled, account_blocked, paused,
	// insufficient_balance, unfinished_items.
	WaitingFor Opt[string] `json:"waiting_for,omitzero"`
	// Of a batch that waits, or has waited, for approvals.
	Approval Opt[TransferApproval] `json:"approval,omitzero"`
	// Of a batch that was not cancelled by a request. item_failed, rejected, approval_expired.
	CancelReason Opt[string]    `json:"cancel_reason,omitzero"`
	History      []HistoryEntry `json:"history"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// TransferBatchCounts: Items by their status; together they are `total`
type TransferBatchCounts struct {
	// Not started, or scheduled.
	Pending           int `json:"pending"`
	Processing        int `json:"processing"`
	Paid              int `json:"paid"`
	PartiallyRefunded int `json:"partially_refunded"`
	Refunded          int `json:"refunded"`
	Failed            int `json:"failed"`
	Cancelled         int `json:"cancelled"`
	Expired           int `json:"expired"`
}

// TransferBatchItem: an object of the API
type TransferBatchItem struct {
	// Place in the batch, from 1.
	Line int `json:"line"`
	// PENDING, PAID, FAILED, REFUNDED, PARTIALLY_REFUNDED, CANCELLED, EXPIRED, PROCESSING.
	Status string `json:"status"`
	// Reais, at most two decimals.
	Value    Amount               `json:"value"`
	PixKey   Opt[string]          `json:"pix_key,omitzero"`
	Receiver Opt[OrderedReceiver] `json:"receiver,omitzero"`
	// The PIX code that it pays; `pix_key` is its key.
	Payload     Opt[string] `json:"payload,omitzero"`
	Document    Opt[string] `json:"document,omitzero"`
	ExternalRef string      `json:"external_ref"`
	Description Opt[string] `json:"description,omitzero"`
	// The transfer that the item has become; absent before it was started.
	TransferUUID Opt[string] `json:"transfer_uuid,omitzero"`
	EndToEnd     Opt[string] `json:"end_to_end,omitzero"`
	// UTC, six fractional digits.
	SettledAt Opt[time.Time] `json:"settled_at,omitzero"`
	// Why the item is FAILED.
	Error Opt[TransferBatchItemError] `json:"error,omitzero"`
}

// TransferBatchItemError: an object of the API
type TransferBatchItemError struct {
	Code         string      `json:"code"`
	Message      string      `json:"message"`
	ProviderCode Opt[string] `json:"provider_code,omitzero"`
	// Of `over_limit`: which limit. allowed_receivers_only, per_transfer, new_receiver, per_receiver_per_day,
	// per_night, per_day.
	Limit Opt[string] `json:"limit,omitzero"`
	// Of `over_limit`: reais that the limit still allowed.
	Left Opt[Amount] `json:"left,omitzero"`
	// Of `over_limit`: when the limit allows more; null where time alone changes nothing.
	ResetsAt Opt[time.Time] `json:"resets_at,omitzero"`
	// Of `possible_duplicate`: the earlier transfer.
	TransferUUID Opt[string] `json:"transfer_uuid,omitzero"`
}

// TransferBatchItemOrder: an object of the API
type TransferBatchItemOrder struct {
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// Key of the recipient, as in POST /transfers; this, `receiver` or `payload`.
	PixKey Opt[string] `json:"pix_key,omitzero"`
	// Account of the recipient at a bank, as in POST /transfers/bank-accounts; this, `pix_key` or `payload`.
	Receiver Opt[AccountReceiver] `json:"receiver,omitzero"`
	// A static copy-and-paste PIX code, and `value` as it says; this, `pix_key` or `receiver`. One whose charge is
	// at a bank is paid by POST /transfers/qr-codes.
	Payload Opt[string] `json:"payload,omitzero"`
	// CPF or CNPJ of the owner of the key: the provider must confirm that the key belongs to it.
	Document Opt[string] `json:"document,omitzero"`
	// Your reference, another one for each item of the batch.
	ExternalRef      string                `json:"external_ref"`
	FinalBeneficiary Opt[FinalBeneficiary] `json:"final_beneficiary,omitzero"`
	// Send it though the same value was sent to the same receiver within the seconds of `duplicate_guard`.
	AllowDuplicate Opt[bool] `json:"allow_duplicate,omitzero"`
	// For you: shown with the item, sent to nobody.
	Description Opt[string] `json:"description,omitzero"`
}

// TransferError: an object of the API
type TransferError struct {
	Code         string      `json:"code"`
	Message      string      `json:"message"`
	ProviderCode Opt[string] `json:"provider_code,omitzero"`
	// Of `over_limit`: which limit. allowed_receivers_only, per_transfer, new_receiver, per_receiver_per_day,
	// per_night, per_day.
	Limit Opt[string] `json:"limit,omitzero"`
	// Of `over_limit`: reais that the limit still allowed.
	Left Opt[Amount] `json:"left,omitzero"`
	// Of `over_limit`: when the limit allows more; null where time alone changes nothing.
	ResetsAt Opt[time.Time] `json:"resets_at,omitzero"`
	// Of `possible_duplicate`: the earlier transfer.
	TransferUUID Opt[string]            `json:"transfer_uuid,omitzero"`
	Provider     Opt[string]            `json:"provider,omitzero"`
	Attempts     []TransferErrorAttempt `json:"attempts"`
}

// TransferErrorAttempt: an object of the API
type TransferErrorAttempt struct {
	Provider string `json:"provider"`
	// preparing, calling, accepted, settled, rejected, unreachable, unknown, duplicate.
	Outcome string `json:"outcome"`
	Code    string `json:"code"`
}

// TransferEventData: an object of the API
type TransferEventData struct {
	Transfer
	// Counts the events of this resource, from 1; a lower one that comes later is older news.
	Sequence int `json:"sequence"`
	// It was paid, or settled, after a final state had been shown.
	Late Opt[bool] `json:"late,omitzero"`
}

// TransferRecord: an object of the API
type TransferRecord struct {
	// The movement that pays it; the transfer itself until its money is reserved.
	UUID       string        `json:"uuid"`
	Initiation KeyInitiation `json:"initiation"`
	// Reais, at most two decimals.
	Value Amount `json:"value"`
	// OUT where it is empty.
	MovementType string `json:"movement_type"`
	// EXTERNAL_TRANSFER where it is empty.
	Type string `json:"type"`
	// PENDING, SETTLED, FAILED.
	Status string `json:"status"`
	// End-to-end id of the PIX, 32 characters; empty until its provider reports it.
	EndToEnd string `json:"end_to_end"`
	// UTC, six fractional digits.
	SettledAt Opt[time.Time] `json:"settled_at,omitzero"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
	// UTC, six fractional digits.
	UpdatedAt time.Time `json:"updated_at"`
}

// TrustedHolder: an object of the API
type TrustedHolder struct {
	// CPF or CNPJ with valid check digits, without formatting.
	Document string `json:"document"`
}

// TrustedKey: an object of the API
type TrustedKey struct {
	// Key of the recipient, at most 77 characters: CPF, CNPJ, e-mail, mobile with `+55`, or random key.
	PixKey string `json:"pix_key"`
}

// TrustedReceiver: Free of `new_receiver`
type TrustedReceiver struct {
	// CPF or CNPJ with valid check digits, without formatting.
	Document Opt[string] `json:"document,omitzero"`
	// Key of the recipient, at most 77 characters: CPF, CNPJ, e-mail, mobile with `+55`, or random key.
	PixKey Opt[string] `json:"pix_key,omitzero"`
}

// Until: an object of the API
type Until struct {
	// A day in Brasília, `YYYY-MM-DD`. `YYYY-MM-DD`.
	On string `json:"on"`
	// Reais where FIXED, percent where PERCENTAGE (2 is 2 %), at most 99.99.
	Value Amount `json:"value"`
}

// UpdateWebhookRequest: an object of the API
type UpdateWebhookRequest struct {
	// https, resolving to public addresses only.
	URL Opt[string] `json:"url,omitzero"`
	// Replaces the token as a rotation does.
	Token Opt[string] `json:"token,omitzero"`
	// Replace the events that the endpoint receives. PAYMENT, TRANSFER, REFUND, MED, PIX_TRANSACTION, BATCH,
	// RECURRENCE, REPORT.
	Events []string `json:"events,omitzero"`
	// ACTIVE enables it again, after another TLS handshake. ACTIVE, DISABLED.
	Status Opt[string] `json:"status,omitzero"`
}

// VirtualAccount: The account that the provider holds for the account holder
type VirtualAccount struct {
	// NOMINAL, POOL.
	Type string `json:"type"`
	Name string `json:"name"`
	// CPF or CNPJ; masked (`***982247**`) where it is another’s.
	Document      string `json:"document"`
	AccountNumber string `json:"account_number"`
	AccountAgency string `json:"account_agency"`
	Bank          Bank   `json:"bank"`
	// CHECKING, PAYMENT, SAVINGS, SALARY.
	AccountType string `json:"account_type"`
}

// Webhook: an object of the API
type Webhook struct {
	UUID string `json:"uuid"`
	URL  string `json:"url"`
	// Whole where it is created or replaced, masked where it is read.
	Token string `json:"token"`
	// Until then the token before this one signs as well.
	PreviousTokenExpiresAt Opt[time.Time] `json:"previous_token_expires_at,omitzero"`
	// ACTIVE, DISABLED.
	Status         string      `json:"status"`
	DisabledReason Opt[string] `json:"disabled_reason,omitzero"`
	// PAYMENT, TRANSFER, REFUND, MED, PIX_TRANSACTION, BATCH, RECURRENCE, REPORT.
	Events []string `json:"events"`
	// UTC, six fractional digits.
	CreatedAt time.Time `json:"created_at"`
}

// newEventData returns a pointer to the data of an event's type; nil where it is a newer one.
func newEventData(kind string) any {
	switch kind {
	case "PAYMENT":
		return new(PaymentEventData)
	case "TRANSFER":
		return new(TransferEventData)
	case "REFUND":
		return new(RefundEventData)
	case "MED":
		return new(MedEventData)
	case "PIX_TRANSACTION":
		return new(PixTransactionEventData)
	case "BATCH":
		return new(BatchEventData)
	case "RECURRENCE":
		return new(RecurrenceEventData)
	case "REPORT":
		return new(ReportEventData)
	case "TEST":
		return new(TestEventData)
	}
	return nil
}
