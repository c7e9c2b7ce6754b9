// Code generated from openapi.json by `npm run sdk:go`; DO NOT EDIT.

package trilho

import (
	"context"
	"iter"
)

// Resources are the operations of the API by what they are about.
type Resources struct {
	Payments        *PaymentsResource
	QrCodes         *QrCodesResource
	PaymentLinks    *PaymentLinksResource
	Recurrences     *RecurrencesResource
	Refunds         *RefundsResource
	Deposits        *DepositsResource
	Meds            *MedsResource
	TransferBatches *TransferBatchesResource
	Transfers       *TransfersResource
	Receipts        *ReceiptsResource
	Limits          *LimitsResource
	Banks           *BanksResource
	PixKeys         *PixKeysResource
	Providers       *ProvidersResource
	Webhooks        *WebhooksResource
	Events          *EventsResource
	Ledger          *LedgerResource
	Reports         *ReportsResource
	Reconciliations *ReconciliationsResource
	Health          *HealthResource
}

func newResources(transport *transport) Resources {
	return Resources{
		Payments:        &PaymentsResource{transport},
		QrCodes:         &QrCodesResource{transport},
		PaymentLinks:    &PaymentLinksResource{transport},
		Recurrences:     &RecurrencesResource{transport},
		Refunds:         &RefundsResource{transport},
		Deposits:        &DepositsResource{transport},
		Meds:            &MedsResource{transport},
		TransferBatches: &TransferBatchesResource{transport},
		Transfers:       &TransfersResource{transport},
		Receipts:        &ReceiptsResource{transport},
		Limits:          &LimitsResource{transport},
		Banks:           &BanksResource{transport},
		PixKeys:         &PixKeysResource{transport},
		Providers:       &ProvidersResource{transport},
		Webhooks:        &WebhooksResource{transport},
		Events:          &EventsResource{transport},
		Ledger:          &LedgerResource{transport},
		Reports:         &ReportsResource{transport},
		Reconciliations: &ReconciliationsResource{transport},
		Health:          &HealthResource{transport},
	}
}

// PaymentsResource has the operations of payments.
type PaymentsResource struct{ transport *transport }

// Create: Create a charge.
//
// Answers when a provider has issued the payload. Send an `Idempotency-Key`: a repeated request then gets the
// same answer and never a second charge. Token scope: `charges`.
func (r *PaymentsResource) Create(ctx context.Context, request CreatePaymentRequest, options ...CallOption) (*CreatedCharge, error) {
	return readOne[CreatedCharge](ctx, r.transport, call{operation: "createPayment", method: "POST", path: "/api/v1/payments", accept: "application/json", request: request, isKeyed: true}, options)
}

// List: List charges.
//
// Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.
func (r *PaymentsResource) List(ctx context.Context, query ListPaymentsQuery, options ...CallOption) (*Page[Charge], error) {
	return readPage[Charge](ctx, r.transport, call{operation: "listPayments", method: "GET", path: "/api/v1/payments", accept: "application/json", query: query}, options)
}

// Iterate: List charges, page after page.
func (r *PaymentsResource) Iterate(ctx context.Context, query ListPaymentsQuery, options ...CallOption) iter.Seq2[*Charge, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[Charge], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// Get: Read a charge.
//
// With its refunds and the history of its statuses. Token scope: `read` or `charges`.
func (r *PaymentsResource) Get(ctx context.Context, uuid string, options ...CallOption) (*Charge, error) {
	return readOne[Charge](ctx, r.transport, call{operation: "getPayment", method: "GET", path: "/api/v1/payments/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Revise: Change a PENDING charge with a due date.
//
// At its provider first, then here; only what is named changes. Without an answer of the provider the charge
// stays as it is, and the provider is asked until the result is known. A payment that has started wins. Token
// scope: `charges`.
func (r *PaymentsResource) Revise(ctx context.Context, uuid string, request RevisePaymentRequest, options ...CallOption) (*Charge, error) {
	return readOne[Charge](ctx, r.transport, call{operation: "revisePayment", method: "PATCH", path: "/api/v1/payments/{uuid}", accept: "application/json", pathValues: []string{uuid}, request: request, isKeyed: true}, options)
}

// GetQrSvg: The payload as a QR picture (SVG).
//
// Of `payment.payload`; 404 while no provider has issued one. Token scope: `read` or `charges`.
func (r *PaymentsResource) GetQrSvg(ctx context.Context, uuid string, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "getPaymentQrSvg", method: "GET", path: "/api/v1/payments/{uuid}/qr.svg", accept: "image/svg+xml", pathValues: []string{uuid}}, options)
}

// GetQrPng: The payload as a QR picture (PNG).
//
// Of `payment.payload`; 404 while no provider has issued one. Token scope: `read` or `charges`.
func (r *PaymentsResource) GetQrPng(ctx context.Context, uuid string, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "getPaymentQrPng", method: "GET", path: "/api/v1/payments/{uuid}/qr.png", accept: "image/png", pathValues: []string{uuid}}, options)
}

// Retry: Try a failed debit of a recurrence again.
//
// On a later day, where the recurrence allows retries: three at most, within seven days after the due day.
// Answers when its provider has accepted the retry, which `payment.tries` then shows. Token scope: `charges`.
func (r *PaymentsResource) Retry(ctx context.Context, uuid string, request RetryPaymentRequest, options ...CallOption) (*Charge, error) {
	return readOne[Charge](ctx, r.transport, call{operation: "retryPayment", method: "POST", path: "/api/v1/payments/{uuid}/retry", accept: "application/json", pathValues: []string{uuid}, request: request, isKeyed: true}, options)
}

// Cancel: Cancel a PENDING charge.
//
// At its provider first, then here. Without an answer of the provider the charge stays PENDING, and the
// provider is asked until the result is known. Token scope: `charges`.
func (r *PaymentsResource) Cancel(ctx context.Context, uuid string, options ...CallOption) (*Charge, error) {
	return readOne[Charge](ctx, r.transport, call{operation: "cancelPayment", method: "POST", path: "/api/v1/payments/{uuid}/cancel", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Refund: Refund a charge, whole or in part.
//
// Without `value`, all that is still refundable. Possible within 90 days of the payment, one refund of a
// charge at a time. Answers when the provider has accepted the refund; the REFUND event says how it ends.
// Token scope: `refunds`.
func (r *PaymentsResource) Refund(ctx context.Context, uuid string, request RefundPaymentRequest, options ...CallOption) (*RefundResult, error) {
	return readOne[RefundResult](ctx, r.transport, call{operation: "refundPayment", method: "POST", path: "/api/v1/payments/{uuid}/refund", accept: "application/json", pathValues: []string{uuid}, request: request, isKeyed: true}, options)
}

// ListRefunds: List the refunds of a charge.
//
// Newest first. `uuid` is the charge in each one, `refund.uuid` the refund. Token scope: `read` or `refunds`.
func (r *PaymentsResource) ListRefunds(ctx context.Context, uuid string, query ListPaymentRefundsQuery, options ...CallOption) (*Page[RefundResult], error) {
	return readPage[RefundResult](ctx, r.transport, call{operation: "listPaymentRefunds", method: "GET", path: "/api/v1/payments/{uuid}/refunds", accept: "application/json", pathValues: []string{uuid}, query: query}, options)
}

// IterateRefunds: List the refunds of a charge, page after page.
func (r *PaymentsResource) IterateRefunds(ctx context.Context, uuid string, query ListPaymentRefundsQuery, options ...CallOption) iter.Seq2[*RefundResult, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[RefundResult], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.ListRefunds(ctx, uuid, of, options...)
	})
}

// GetRefund: Read a refund.
//
// `uuid` is the charge, `refund.uuid` the refund. Token scope: `read` or `refunds`.
func (r *PaymentsResource) GetRefund(ctx context.Context, uuid, refund string, options ...CallOption) (*RefundResult, error) {
	return readOne[RefundResult](ctx, r.transport, call{operation: "getPaymentRefund", method: "GET", path: "/api/v1/payments/{uuid}/refunds/{refund}", accept: "application/json", pathValues: []string{uuid, refund}}, options)
}

// GetReceipt: Read the receipt of the payment of a charge.
//
// Once its money has settled. `official` tells whether its bank issues the PDF now; where a bank issues none,
// or does not answer, this service does. What went back since is in `returns`. `authentication` never changes
// while the secret key of the service stays. Token scope: `read` or `charges`.
func (r *PaymentsResource) GetReceipt(ctx context.Context, uuid string, options ...CallOption) (*Receipt, error) {
	return readOne[Receipt](ctx, r.transport, call{operation: "getPaymentReceipt", method: "GET", path: "/api/v1/payments/{uuid}/receipt", accept: "application/json", pathValues: []string{uuid}}, options)
}

// GetReceiptPdf: Read the receipt of the payment of a charge as a PDF.
//
// Once its money has settled. Its bank's own where that issues one, in its language; else this service's, of
// which equal receipts are equal bytes, at most 200 kB. Token scope: `read` or `charges`.
func (r *PaymentsResource) GetReceiptPdf(ctx context.Context, uuid string, query GetPaymentReceiptPdfQuery, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "getPaymentReceiptPdf", method: "GET", path: "/api/v1/payments/{uuid}/receipt.pdf", accept: "application/pdf", pathValues: []string{uuid}, query: query}, options)
}

// GetRefundReceipt: Read the receipt of a refund.
//
// Once its money has settled. `official` tells whether its bank issues the PDF now; where a bank issues none,
// or does not answer, this service does. What went back since is in `returns`. `authentication` never changes
// while the secret key of the service stays. Token scope: `read` or `refunds`.
func (r *PaymentsResource) GetRefundReceipt(ctx context.Context, uuid, refund string, options ...CallOption) (*Receipt, error) {
	return readOne[Receipt](ctx, r.transport, call{operation: "getPaymentRefundReceipt", method: "GET", path: "/api/v1/payments/{uuid}/refunds/{refund}/receipt", accept: "application/json", pathValues: []string{uuid, refund}}, options)
}

// GetRefundReceiptPdf: Read the receipt of a refund as a PDF.
//
// Once its money has settled. Its bank's own where that issues one, in its language; else this service's, of
// which equal receipts are equal bytes, at most 200 kB. Token scope: `read` or `refunds`.
func (r *PaymentsResource) GetRefundReceiptPdf(ctx context.Context, uuid, refund string, query GetPaymentRefundReceiptPdfQuery, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "getPaymentRefundReceiptPdf", method: "GET", path: "/api/v1/payments/{uuid}/refunds/{refund}/receipt.pdf", accept: "application/pdf", pathValues: []string{uuid, refund}, query: query}, options)
}

// QrCodesResource has the operations of qr codes.
type QrCodesResource struct{ transport *transport }

// Create: Create a static QR code.
//
// A code that many payers pay, with a value of yours or of theirs. No provider is called. Each PIX to it is a
// charge of its own, PAID from its beginning. Token scope: `charges`.
func (r *QrCodesResource) Create(ctx context.Context, request CreateQrCodeRequest, options ...CallOption) (*QrCode, error) {
	return readOne[QrCode](ctx, r.transport, call{operation: "createQrCode", method: "POST", path: "/api/v1/qr-codes", accept: "application/json", request: request, isKeyed: true}, options)
}

// List: List the QR codes of the account.
//
// Newest first. The code of a single charge is shown by that charge. Token scope: `read` or `charges`.
func (r *QrCodesResource) List(ctx context.Context, query ListQrCodesQuery, options ...CallOption) (*Page[QrCode], error) {
	return readPage[QrCode](ctx, r.transport, call{operation: "listQrCodes", method: "GET", path: "/api/v1/qr-codes", accept: "application/json", query: query}, options)
}

// Iterate: List the QR codes of the account, page after page.
func (r *QrCodesResource) Iterate(ctx context.Context, query ListQrCodesQuery, options ...CallOption) iter.Seq2[*QrCode, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[QrCode], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// Get: Read a QR code.
//
// With what it has received. Token scope: `read` or `charges`.
func (r *QrCodesResource) Get(ctx context.Context, uuid string, options ...CallOption) (*QrCode, error) {
	return readOne[QrCode](ctx, r.transport, call{operation: "getQrCode", method: "GET", path: "/api/v1/qr-codes/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// GetQrSvg: The code as a QR picture (SVG).
//
// Of `payload`, for printing. It never changes. Token scope: `read` or `charges`.
func (r *QrCodesResource) GetQrSvg(ctx context.Context, uuid string, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "getQrCodeQrSvg", method: "GET", path: "/api/v1/qr-codes/{uuid}/qr.svg", accept: "image/svg+xml", pathValues: []string{uuid}}, options)
}

// GetQrPng: The code as a QR picture (PNG).
//
// Of `payload`, for printing. It never changes. Token scope: `read` or `charges`.
func (r *QrCodesResource) GetQrPng(ctx context.Context, uuid string, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "getQrCodeQrPng", method: "GET", path: "/api/v1/qr-codes/{uuid}/qr.png", accept: "image/png", pathValues: []string{uuid}}, options)
}

// ListPayments: List the charges of a QR code.
//
// Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.
func (r *QrCodesResource) ListPayments(ctx context.Context, uuid string, query ListQrCodePaymentsQuery, options ...CallOption) (*Page[Charge], error) {
	return readPage[Charge](ctx, r.transport, call{operation: "listQrCodePayments", method: "GET", path: "/api/v1/qr-codes/{uuid}/payments", accept: "application/json", pathValues: []string{uuid}, query: query}, options)
}

// IteratePayments: List the charges of a QR code, page after page.
func (r *QrCodesResource) IteratePayments(ctx context.Context, uuid string, query ListQrCodePaymentsQuery, options ...CallOption) iter.Seq2[*Charge, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[Charge], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.ListPayments(ctx, uuid, of, options...)
	})
}

// Disable: Disable a QR code.
//
// The code can still be paid, because the banks of payers ask nobody about a static code: such a PIX becomes
// what `on_payment` says. A second time changes nothing. Token scope: `charges`.
func (r *QrCodesResource) Disable(ctx context.Context, uuid string, options ...CallOption) (*QrCode, error) {
	return readOne[QrCode](ctx, r.transport, call{operation: "disableQrCode", method: "POST", path: "/api/v1/qr-codes/{uuid}/disable", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Read: Read a PIX code before it is paid.
//
// Checks the code and reads the charge at the bank of its receiver, whose signature is verified. Nothing is
// paid. What the code says may change until it is paid: that bank is asked again then. Token scope:
// `transfers`.
func (r *QrCodesResource) Read(ctx context.Context, request ReadQrCodeRequest, options ...CallOption) (*CodeReading, error) {
	return readOne[CodeReading](ctx, r.transport, call{operation: "readQrCode", method: "POST", path: "/api/v1/qr-codes/read", accept: "application/json", request: request}, options)
}

// GetReading: Read what was read of a PIX code.
//
// As it was read then, for thirty days. Token scope: `read` or `transfers`.
func (r *QrCodesResource) GetReading(ctx context.Context, reading string, options ...CallOption) (*CodeReading, error) {
	return readOne[CodeReading](ctx, r.transport, call{operation: "getCodeReading", method: "GET", path: "/api/v1/qr-codes/read/{reading}", accept: "application/json", pathValues: []string{reading}}, options)
}

// PaymentLinksResource has the operations of payment links.
type PaymentLinksResource struct{ transport *transport }

// Create: Create a payment link.
//
// For a charge: its page. For a value: a page whose button creates a charge for the payer, as `POST /payments`
// would, as often as `max_payments` and until `expires_at` allow. The charges have the events of any charge.
// Token scope: `charges`.
func (r *PaymentLinksResource) Create(ctx context.Context, request CreatePaymentLinkRequest, options ...CallOption) (*PaymentLink, error) {
	return readOne[PaymentLink](ctx, r.transport, call{operation: "createPaymentLink", method: "POST", path: "/api/v1/payment-links", accept: "application/json", request: request, isKeyed: true}, options)
}

// List: List payment links.
//
// Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.
func (r *PaymentLinksResource) List(ctx context.Context, query ListPaymentLinksQuery, options ...CallOption) (*Page[PaymentLink], error) {
	return readPage[PaymentLink](ctx, r.transport, call{operation: "listPaymentLinks", method: "GET", path: "/api/v1/payment-links", accept: "application/json", query: query}, options)
}

// Iterate: List payment links, page after page.
func (r *PaymentLinksResource) Iterate(ctx context.Context, query ListPaymentLinksQuery, options ...CallOption) iter.Seq2[*PaymentLink, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[PaymentLink], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// Get: Read a payment link.
//
// With its address and what takes its places. Token scope: `read` or `charges`.
func (r *PaymentLinksResource) Get(ctx context.Context, uuid string, options ...CallOption) (*PaymentLink, error) {
	return readOne[PaymentLink](ctx, r.transport, call{operation: "getPaymentLink", method: "GET", path: "/api/v1/payment-links/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Revoke: Revoke a payment link.
//
// Its page says so, and creates no further charge. Charges that exist stay: who has a code can still pay it. A
// second time changes nothing. Token scope: `charges`.
func (r *PaymentLinksResource) Revoke(ctx context.Context, uuid string, options ...CallOption) (*PaymentLink, error) {
	return readOne[PaymentLink](ctx, r.transport, call{operation: "revokePaymentLink", method: "POST", path: "/api/v1/payment-links/{uuid}/revoke", accept: "application/json", pathValues: []string{uuid}}, options)
}

// RecurrencesResource has the operations of recurrences.
type RecurrencesResource struct{ transport *transport }

// Create: Create a recurrence.
//
// Pix Automático: the payer authorizes it once in their bank, and is then debited each cycle. Answers when a
// provider has created it; a RECURRENCE event tells what the payer has decided. Token scope: `charges`.
func (r *RecurrencesResource) Create(ctx context.Context, request CreateRecurrenceRequest, options ...CallOption) (*Recurrence, error) {
	return readOne[Recurrence](ctx, r.transport, call{operation: "createRecurrence", method: "POST", path: "/api/v1/recurrences", accept: "application/json", request: request, isKeyed: true}, options)
}

// List: List recurrences.
//
// Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.
func (r *RecurrencesResource) List(ctx context.Context, query ListRecurrencesQuery, options ...CallOption) (*Page[Recurrence], error) {
	return readPage[Recurrence](ctx, r.transport, call{operation: "listRecurrences", method: "GET", path: "/api/v1/recurrences", accept: "application/json", query: query}, options)
}

// Iterate: List recurrences, page after page.
func (r *RecurrencesResource) Iterate(ctx context.Context, query ListRecurrencesQuery, options ...CallOption) iter.Seq2[*Recurrence, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[Recurrence], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// Get: Read a recurrence.
//
// With its next charge and the history of its statuses. Token scope: `read` or `charges`.
func (r *RecurrencesResource) Get(ctx context.Context, uuid string, options ...CallOption) (*Recurrence, error) {
	return readOne[Recurrence](ctx, r.transport, call{operation: "getRecurrence", method: "GET", path: "/api/v1/recurrences/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// GetQrSvg: The payload of a recurrence as a QR picture (SVG).
//
// Of `payload`; 404 of the journey REQUEST, and while the provider does not show one. Token scope: `read` or
// `charges`.
func (r *RecurrencesResource) GetQrSvg(ctx context.Context, uuid string, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "getRecurrenceQrSvg", method: "GET", path: "/api/v1/recurrences/{uuid}/qr.svg", accept: "image/svg+xml", pathValues: []string{uuid}}, options)
}

// GetQrPng: The payload of a recurrence as a QR picture (PNG).
//
// Of `payload`; 404 of the journey REQUEST, and while the provider does not show one. Token scope: `read` or
// `charges`.
func (r *RecurrencesResource) GetQrPng(ctx context.Context, uuid string, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "getRecurrenceQrPng", method: "GET", path: "/api/v1/recurrences/{uuid}/qr.png", accept: "image/png", pathValues: []string{uuid}}, options)
}

// Cancel: Cancel a recurrence.
//
// At its provider first, then here; its debits that are not made yet are cancelled with it. Without an answer
// of the provider it stays as it is, and the provider is asked until the result is known. Token scope:
// `charges`.
func (r *RecurrencesResource) Cancel(ctx context.Context, uuid string, options ...CallOption) (*Recurrence, error) {
	return readOne[Recurrence](ctx, r.transport, call{operation: "cancelRecurrence", method: "POST", path: "/api/v1/recurrences/{uuid}/cancel", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Charge: Create the charge of a cycle.
//
// Of an ACTIVE recurrence, 2 to 10 days before its due day; a cycle has one charge. Answers when the provider
// has made the debit. A PAYMENT event tells how it ends. Token scope: `charges`.
func (r *RecurrencesResource) Charge(ctx context.Context, uuid string, request ChargeRecurrenceRequest, options ...CallOption) (*CreatedCharge, error) {
	return readOne[CreatedCharge](ctx, r.transport, call{operation: "chargeRecurrence", method: "POST", path: "/api/v1/recurrences/{uuid}/charges", accept: "application/json", pathValues: []string{uuid}, request: request, isKeyed: true}, options)
}

// RefundsResource has the operations of refunds.
type RefundsResource struct{ transport *transport }

// List: List the refunds of all charges.
//
// Newest first. Each one under its own uuid, with its charge; what a provider returned for a dispute is a
// refund, too. Token scope: `read` or `refunds`.
func (r *RefundsResource) List(ctx context.Context, query ListRefundsQuery, options ...CallOption) (*Page[ListedRefund], error) {
	return readPage[ListedRefund](ctx, r.transport, call{operation: "listRefunds", method: "GET", path: "/api/v1/refunds", accept: "application/json", query: query}, options)
}

// Iterate: List the refunds of all charges, page after page.
func (r *RefundsResource) Iterate(ctx context.Context, query ListRefundsQuery, options ...CallOption) iter.Seq2[*ListedRefund, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[ListedRefund], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// DepositsResource has the operations of deposits.
type DepositsResource struct{ transport *transport }

// Get: Read a deposit and its return.
//
// A received PIX that pays no charge, by the `uuid` of its PIX_TRANSACTION event or of its line in the ledger.
// `return` is null while it stays with the account. Once it is assigned to a QR code, `charge_uuid` names the
// charge that it pays. Token scope: `read` or `refunds`.
func (r *DepositsResource) Get(ctx context.Context, uuid string, options ...CallOption) (*Deposit, error) {
	return readOne[Deposit](ctx, r.transport, call{operation: "getDeposit", method: "GET", path: "/api/v1/deposits/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// ReturnToPayer: Return a deposit to its payer.
//
// The whole value, within 90 days of the payment; a part of it is not returned. Answers when the money is
// held; the PIX_TRANSACTION event of the return, with the deposit as its `original_uuid`, says how it ends.
// Token scope: `refunds`.
func (r *DepositsResource) ReturnToPayer(ctx context.Context, uuid string, options ...CallOption) (*Deposit, error) {
	return readOne[Deposit](ctx, r.transport, call{operation: "returnDeposit", method: "POST", path: "/api/v1/deposits/{uuid}/return", accept: "application/json", pathValues: []string{uuid}, isKeyed: true}, options)
}

// Assign: Assign a deposit to a QR code.
//
// A PIX from which the app of the payer left the txid out pays the code that you name, as if it had named it:
// a charge that is PAID at once, or the PENDING charge of the code, with the fee and the splits of the code.
// Once, and for good: the charge can be refunded. Token scope: `refunds`.
func (r *DepositsResource) Assign(ctx context.Context, uuid string, request AssignDepositRequest, options ...CallOption) (*Charge, error) {
	return readOne[Charge](ctx, r.transport, call{operation: "assignDeposit", method: "POST", path: "/api/v1/deposits/{uuid}/assign", accept: "application/json", pathValues: []string{uuid}, request: request, isKeyed: true}, options)
}

// MedsResource has the operations of meds.
type MedsResource struct{ transport *transport }

// List: List disputes.
//
// Newest first. Each one as its own GET shows it. Token scope: `read` or `refunds`.
func (r *MedsResource) List(ctx context.Context, query ListMedsQuery, options ...CallOption) (*Page[Dispute], error) {
	return readPage[Dispute](ctx, r.transport, call{operation: "listMeds", method: "GET", path: "/api/v1/meds", accept: "application/json", query: query}, options)
}

// Iterate: List disputes, page after page.
func (r *MedsResource) Iterate(ctx context.Context, query ListMedsQuery, options ...CallOption) iter.Seq2[*Dispute, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[Dispute], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// Request: Ask for the money of a transfer back.
//
// For fraud, coercion and access by others, within 80 days of the settlement, once for ever for each transfer.
// Answers once the provider has the request, or with PENDING where it does not answer in time; MED events tell
// how far it has come. What other banks return of it is credited as it arrives. Token scope: `refunds`.
func (r *MedsResource) Request(ctx context.Context, request RequestMedRequest, options ...CallOption) (*Dispute, error) {
	return readOne[Dispute](ctx, r.transport, call{operation: "requestMed", method: "POST", path: "/api/v1/meds", accept: "application/json", request: request, isKeyed: true}, options)
}

// Get: Read a dispute.
//
// With the links of its attachments, which are signed and expire. Token scope: `read` or `refunds`.
func (r *MedsResource) Get(ctx context.Context, uuid string, options ...CallOption) (*Dispute, error) {
	return readOne[Dispute](ctx, r.transport, call{operation: "getMed", method: "GET", path: "/api/v1/meds/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// GetEvidencePdf: Read what is recorded of a disputed PIX as a PDF.
//
// The dispute, its PIX, the charge or transfer that it belongs to with its history, and the names of the
// attachments: to attach to a reply, or to hand to a bank. Equal bytes until the dispute changes. Token scope:
// `read` or `refunds`.
func (r *MedsResource) GetEvidencePdf(ctx context.Context, uuid string, query GetMedEvidencePdfQuery, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "getMedEvidencePdf", method: "GET", path: "/api/v1/meds/{uuid}/evidence.pdf", accept: "application/pdf", pathValues: []string{uuid}, query: query}, options)
}

// Cancel: Cancel a dispute that the account has requested.
//
// At its provider first, then here. Without an answer of the provider it stays as it is, and the provider is
// asked until the result is known. The transfer cannot be disputed again. Token scope: `refunds`.
func (r *MedsResource) Cancel(ctx context.Context, uuid string, options ...CallOption) (*Dispute, error) {
	return readOne[Dispute](ctx, r.transport, call{operation: "cancelMed", method: "POST", path: "/api/v1/meds/{uuid}/cancel", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Reply: Answer a dispute.
//
// Once, while the dispute is PENDING and about money received. The response is PROCESSING; then the reply is
// sent to the provider. Token scope: `refunds`.
func (r *MedsResource) Reply(ctx context.Context, uuid string, request ReplyToMedRequest, options ...CallOption) (*Dispute, error) {
	return readOne[Dispute](ctx, r.transport, call{operation: "replyToMed", method: "POST", path: "/api/v1/meds/{uuid}/reply", accept: "application/json", pathValues: []string{uuid}, request: request, isForm: true, files: request.Attachments, isKeyed: true}, options)
}

// Contest: Contest what was returned by a dispute.
//
// Once, until `contestable_until` of a RECEIVED_MED. No provider takes it by its API: it is PENDING until the
// operator of the service has handed it to the provider, then PROCESSING until the decision. MED events tell
// both. Token scope: `refunds`.
func (r *MedsResource) Contest(ctx context.Context, uuid string, request ContestMedRequest, options ...CallOption) (*Dispute, error) {
	return readOne[Dispute](ctx, r.transport, call{operation: "contestMed", method: "POST", path: "/api/v1/meds/{uuid}/contest", accept: "application/json", pathValues: []string{uuid}, request: request, isForm: true, files: request.Attachments, isKeyed: true}, options)
}

// TransferBatchesResource has the operations of transfer batches.
type TransferBatchesResource struct{ transport *transport }

// Create: Send money to many PIX keys, bank accounts and PIX codes.
//
// Up to 5,000 items, checked before anything is stored: an error names the field (`items.12.value`). Each item
// becomes a transfer of its own, which limits and balance may refuse when it is started. With `text/csv` the
// body is a table with the columns `value`, `external_ref`, `pix_key`, `payload`, `document` and
// `description`, and of bank accounts `name`, `ispb` or `bank_code`, `agency`, `account` and `account_type`,
// or their Portuguese names, and the other fields are sent in the query; an error names the line
// (`lines.14.value`). Token scope: `transfers`.
func (r *TransferBatchesResource) Create(ctx context.Context, request CreateTransferBatchRequest, options ...CallOption) (*TransferBatch, error) {
	return readOne[TransferBatch](ctx, r.transport, call{operation: "createTransferBatch", method: "POST", path: "/api/v1/transfers/batches", accept: "application/json", request: request, isKeyed: true}, options)
}

// List: List batches of transfers.
//
// Newest first, with the counts of their items. Token scope: `read` or `transfers`.
func (r *TransferBatchesResource) List(ctx context.Context, query ListTransferBatchesQuery, options ...CallOption) (*Page[TransferBatch], error) {
	return readPage[TransferBatch](ctx, r.transport, call{operation: "listTransferBatches", method: "GET", path: "/api/v1/transfers/batches", accept: "application/json", query: query}, options)
}

// Iterate: List batches of transfers, page after page.
func (r *TransferBatchesResource) Iterate(ctx context.Context, query ListTransferBatchesQuery, options ...CallOption) iter.Seq2[*TransferBatch, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[TransferBatch], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// Get: Read a batch of transfers.
//
// With the counts of its items; `waiting_for` says why no further item is started. Token scope: `read` or
// `transfers`.
func (r *TransferBatchesResource) Get(ctx context.Context, batch string, options ...CallOption) (*TransferBatch, error) {
	return readOne[TransferBatch](ctx, r.transport, call{operation: "getTransferBatch", method: "GET", path: "/api/v1/transfers/batches/{batch}", accept: "application/json", pathValues: []string{batch}}, options)
}

// ListItems: List the items of a batch.
//
// In the order in which they were sent. One that was started has a `transfer_uuid`. Token scope: `read` or
// `transfers`.
func (r *TransferBatchesResource) ListItems(ctx context.Context, batch string, query ListTransferBatchItemsQuery, options ...CallOption) (*Page[TransferBatchItem], error) {
	return readPage[TransferBatchItem](ctx, r.transport, call{operation: "listTransferBatchItems", method: "GET", path: "/api/v1/transfers/batches/{batch}/items", accept: "application/json", pathValues: []string{batch}, query: query}, options)
}

// IterateItems: List the items of a batch, page after page.
func (r *TransferBatchesResource) IterateItems(ctx context.Context, batch string, query ListTransferBatchItemsQuery, options ...CallOption) iter.Seq2[*TransferBatchItem, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[TransferBatchItem], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.ListItems(ctx, batch, of, options...)
	})
}

// Approve: Approve a batch that is DRAFT.
//
// By a person who has not ordered it. It is PROCESSING once as many persons as its account requires have
// approved its sum. Token scope: `transfers`.
func (r *TransferBatchesResource) Approve(ctx context.Context, batch string, options ...CallOption) (*TransferBatch, error) {
	return readOne[TransferBatch](ctx, r.transport, call{operation: "approveTransferBatch", method: "POST", path: "/api/v1/transfers/batches/{batch}/approve", accept: "application/json", pathValues: []string{batch}}, options)
}

// Reject: Reject a batch that is DRAFT.
//
// By a person who has not ordered it. It is CANCELLED, and no item is started. Token scope: `transfers`.
func (r *TransferBatchesResource) Reject(ctx context.Context, batch string, request RejectTransferBatchRequest, options ...CallOption) (*TransferBatch, error) {
	return readOne[TransferBatch](ctx, r.transport, call{operation: "rejectTransferBatch", method: "POST", path: "/api/v1/transfers/batches/{batch}/reject", accept: "application/json", pathValues: []string{batch}, request: request}, options)
}

// Cancel: Cancel a batch.
//
// Possible while it is DRAFT or PROCESSING. Items that were started go on. Token scope: `transfers`.
func (r *TransferBatchesResource) Cancel(ctx context.Context, batch string, options ...CallOption) (*TransferBatch, error) {
	return readOne[TransferBatch](ctx, r.transport, call{operation: "cancelTransferBatch", method: "POST", path: "/api/v1/transfers/batches/{batch}/cancel", accept: "application/json", pathValues: []string{batch}}, options)
}

// TransfersResource has the operations of transfers.
type TransfersResource struct{ transport *transport }

// Create: Send money to a PIX key.
//
// Answers PROCESSING when a provider has accepted, or after ten seconds without an outcome; 400 with the
// stored transfer (`status` FAILED, `error`) when all providers have rejected it. Token scope: `transfers`.
func (r *TransfersResource) Create(ctx context.Context, request CreateTransferRequest, options ...CallOption) (*Transfer, error) {
	return readOne[Transfer](ctx, r.transport, call{operation: "createTransfer", method: "POST", path: "/api/v1/transfers", accept: "application/json", request: request, isKeyed: true}, options)
}

// List: List transfers.
//
// Newest first. Each one as its own GET shows it. Token scope: `read` or `transfers`.
func (r *TransfersResource) List(ctx context.Context, query ListTransfersQuery, options ...CallOption) (*Page[Transfer], error) {
	return readPage[Transfer](ctx, r.transport, call{operation: "listTransfers", method: "GET", path: "/api/v1/transfers", accept: "application/json", query: query}, options)
}

// Iterate: List transfers, page after page.
func (r *TransfersResource) Iterate(ctx context.Context, query ListTransfersQuery, options ...CallOption) iter.Seq2[*Transfer, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[Transfer], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// CreateToAccount: Send money to a bank account.
//
// Like a transfer to a PIX key, for a receiver without one: `initiation.type` is MANUAL and `pix_key` empty.
// Providers that pay no account of this type are skipped. Token scope: `transfers`.
func (r *TransfersResource) CreateToAccount(ctx context.Context, request CreateAccountTransferRequest, options ...CallOption) (*Transfer, error) {
	return readOne[Transfer](ctx, r.transport, call{operation: "createAccountTransfer", method: "POST", path: "/api/v1/transfers/bank-accounts", accept: "application/json", request: request, isKeyed: true}, options)
}

// PayCode: Pay a PIX code.
//
// Reads the code at the bank of its receiver, and pays what it asks at this moment: `initiation.type` is
// QR_DYNAMIC or QR_STATIC, with its `txid`. Providers that do not pay codes of this kind are skipped; a static
// code without a txid may be paid as a transfer to its key. A bank that reports another value or receiver
// contradicts the order: the transfer is not settled by it, and an operator is alerted. Token scope:
// `transfers`.
func (r *TransfersResource) PayCode(ctx context.Context, request CreateCodeTransferRequest, options ...CallOption) (*Transfer, error) {
	return readOne[Transfer](ctx, r.transport, call{operation: "createCodeTransfer", method: "POST", path: "/api/v1/transfers/qr-codes", accept: "application/json", request: request, isKeyed: true}, options)
}

// Get: Read a transfer with its attempts.
//
// `outcome` is `unknown` while no provider has said whether the money left; it is asked again at
// `next_check_at`. Token scope: `read` or `transfers`.
func (r *TransfersResource) Get(ctx context.Context, uuid string, options ...CallOption) (*Transfer, error) {
	return readOne[Transfer](ctx, r.transport, call{operation: "getTransfer", method: "GET", path: "/api/v1/transfers/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Cancel: Cancel a transfer that waits.
//
// Possible while it is PENDING: before its time, or before its approvals. Token scope: `transfers`.
func (r *TransfersResource) Cancel(ctx context.Context, uuid string, options ...CallOption) (*Transfer, error) {
	return readOne[Transfer](ctx, r.transport, call{operation: "cancelTransfer", method: "POST", path: "/api/v1/transfers/{uuid}/cancel", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Approve: Approve a transfer that waits for approvals.
//
// By the person who made the token: not the one who ordered the transfer, and each person counts once. With
// the last approval that it needs it is sent, or waits for its time. A PIX code is read again before: the
// approval of one that has changed is refused. Token scope: `transfers`.
func (r *TransfersResource) Approve(ctx context.Context, uuid string, options ...CallOption) (*Transfer, error) {
	return readOne[Transfer](ctx, r.transport, call{operation: "approveTransfer", method: "POST", path: "/api/v1/transfers/{uuid}/approve", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Reject: Reject a transfer that waits for approvals.
//
// By another person than the one who ordered it. It is cancelled, and its money is available again. Token
// scope: `transfers`.
func (r *TransfersResource) Reject(ctx context.Context, uuid string, request RejectTransferRequest, options ...CallOption) (*Transfer, error) {
	return readOne[Transfer](ctx, r.transport, call{operation: "rejectTransfer", method: "POST", path: "/api/v1/transfers/{uuid}/reject", accept: "application/json", pathValues: []string{uuid}, request: request}, options)
}

// GetReceipt: Read the receipt of a transfer.
//
// Once its money has settled. `official` tells whether its bank issues the PDF now; where a bank issues none,
// or does not answer, this service does. What went back since is in `returns`. `authentication` never changes
// while the secret key of the service stays. Token scope: `read` or `transfers`.
func (r *TransfersResource) GetReceipt(ctx context.Context, uuid string, options ...CallOption) (*Receipt, error) {
	return readOne[Receipt](ctx, r.transport, call{operation: "getTransferReceipt", method: "GET", path: "/api/v1/transfers/{uuid}/receipt", accept: "application/json", pathValues: []string{uuid}}, options)
}

// GetReceiptPdf: Read the receipt of a transfer as a PDF.
//
// Once its money has settled. Its bank's own where that issues one, in its language; else this service's, of
// which equal receipts are equal bytes, at most 200 kB. Token scope: `read` or `transfers`.
func (r *TransfersResource) GetReceiptPdf(ctx context.Context, uuid string, query GetTransferReceiptPdfQuery, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "getTransferReceiptPdf", method: "GET", path: "/api/v1/transfers/{uuid}/receipt.pdf", accept: "application/pdf", pathValues: []string{uuid}, query: query}, options)
}

// ReceiptsResource has the operations of receipts.
type ReceiptsResource struct{ transport *transport }

// Check: Check a receipt by its authentication code.
//
// Without a token. Tells the value, the day and initials, so that whoever holds a receipt can compare them. A
// code that was not issued here, was altered, or is of a receipt that can no longer be checked is 404.
// Requests are limited per network.
func (r *ReceiptsResource) Check(ctx context.Context, authentication string, options ...CallOption) (*ReceiptCheck, error) {
	return readOne[ReceiptCheck](ctx, r.transport, call{operation: "checkReceipt", method: "GET", path: "/api/v1/receipts/{authentication}", accept: "application/json", pathValues: []string{authentication}}, options)
}

// LimitsResource has the operations of limits.
type LimitsResource struct{ transport *transport }

// Get: Read the limits of the account.
//
// Those in force, and in `pending` what allows more later. Token scope: `read` or `transfers`.
func (r *LimitsResource) Get(ctx context.Context, options ...CallOption) (*AccountLimits, error) {
	return readOne[AccountLimits](ctx, r.transport, call{operation: "getLimits", method: "GET", path: "/api/v1/limits", accept: "application/json"}, options)
}

// Replace: Replace the limits of the account.
//
// What allows less acts at once, what allows more after 24 hours (`pending`). A field that is absent sets no
// limit. Limits count the transfers and refunds that are sent from their first PUT on. The first `callout_url`
// must complete a TLS handshake, and `callout_token` is shown whole only then. Token scope: `transfers`.
func (r *LimitsResource) Replace(ctx context.Context, request ReplaceLimitsRequest, options ...CallOption) (*AccountLimits, error) {
	return readOne[AccountLimits](ctx, r.transport, call{operation: "replaceLimits", method: "PUT", path: "/api/v1/limits", accept: "application/json", request: request}, options)
}

// RotateCalloutToken: Replace the secret that signs call-outs.
//
// Shows the new one in `callout_token`, this once. For 24 hours the old one signs too: `webhook-signature`
// holds a signature of each. Token scope: `transfers`.
func (r *LimitsResource) RotateCalloutToken(ctx context.Context, request RotateCalloutTokenRequest, options ...CallOption) (*AccountLimits, error) {
	return readOne[AccountLimits](ctx, r.transport, call{operation: "rotateCalloutToken", method: "POST", path: "/api/v1/limits/callout/rotate", accept: "application/json", request: request}, options)
}

// GetUsage: Read what is used of the limits of the account.
//
// Of this day and night in Brasília. Token scope: `read` or `transfers`.
func (r *LimitsResource) GetUsage(ctx context.Context, options ...CallOption) (*LimitUsage, error) {
	return readOne[LimitUsage](ctx, r.transport, call{operation: "getLimitUsage", method: "GET", path: "/api/v1/limits/usage", accept: "application/json"}, options)
}

// BanksResource has the operations of banks.
type BanksResource struct{ transport *transport }

// List: Find a bank by its name or code.
//
// Institutions with a COMPE code, by name, as the Central Bank lists them. One without such a code has an ISPB
// all the same. Token scope: `read` or `transfers`.
func (r *BanksResource) List(ctx context.Context, query ListBanksQuery, options ...CallOption) ([]ListedBank, error) {
	return readList[ListedBank](ctx, r.transport, call{operation: "listBanks", method: "GET", path: "/api/v1/banks", accept: "application/json", query: query}, options)
}

// PixKeysResource has the operations of pix keys.
type PixKeysResource struct{ transport *transport }

// RequestAuthCode: Request the code that proves an e-mail address or phone.
//
// Six digits, good for ten minutes, one key and five wrong guesses. At most five codes of an account in 60
// seconds, and to an address in an hour. The code of a test token is not sent. Token scope: `charges`.
func (r *PixKeysResource) RequestAuthCode(ctx context.Context, request CreatePixKeyAuthCodeRequest, options ...CallOption) (*AuthCode, error) {
	return readOne[AuthCode](ctx, r.transport, call{operation: "createPixKeyAuthCode", method: "POST", path: "/api/v1/pix-keys/auth-code", accept: "application/json", request: request, isKeyed: true}, options)
}

// Create: Create a PIX key.
//
// DOCUMENT is the document of the account, EMAIL and PHONE the address that the code was sent to, RANDOM is
// made by the provider. At most three keys of a type; every call counts as an attempt, three in 60 seconds,
// except the repeat of one that has begun. Token scope: `charges`.
func (r *PixKeysResource) Create(ctx context.Context, request CreatePixKeyRequest, options ...CallOption) (*PixKey, error) {
	return readOne[PixKey](ctx, r.transport, call{operation: "createPixKey", method: "POST", path: "/api/v1/pix-keys", accept: "application/json", request: request, isKeyed: true}, options)
}

// List: List the PIX keys of the account.
//
// Newest first. Only keys that were created here: a key that was registered at a provider, by which it
// receives charges, is shown by them as `payment.pix.pix_key`. Token scope: `read` or `charges`.
func (r *PixKeysResource) List(ctx context.Context, query ListPixKeysQuery, options ...CallOption) (*Page[PixKey], error) {
	return readPage[PixKey](ctx, r.transport, call{operation: "listPixKeys", method: "GET", path: "/api/v1/pix-keys", accept: "application/json", query: query}, options)
}

// Iterate: List the PIX keys of the account, page after page.
func (r *PixKeysResource) Iterate(ctx context.Context, query ListPixKeysQuery, options ...CallOption) iter.Seq2[*PixKey, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[PixKey], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// Get: Read a PIX key.
//
// A key of another account is not found, nor one that was not created here and by which a provider receives
// charges. Token scope: `read` or `charges`.
func (r *PixKeysResource) Get(ctx context.Context, key string, options ...CallOption) (*PixKey, error) {
	return readOne[PixKey](ctx, r.transport, call{operation: "getPixKey", method: "GET", path: "/api/v1/pix-keys/{key}", accept: "application/json", pathValues: []string{key}}, options)
}

// Delete: Remove a PIX key.
//
// At its provider, too. The key by which a provider receives charges is in use, and stays: 409, also where GET
// does not show it. Token scope: `charges`.
func (r *PixKeysResource) Delete(ctx context.Context, key string, options ...CallOption) error {
	return readNothing(ctx, r.transport, call{operation: "deletePixKey", method: "DELETE", path: "/api/v1/pix-keys/{key}", accept: "application/json", pathValues: []string{key}}, options)
}

// LookUp: Look up the owner of a PIX key.
//
// Shows whom a transfer would pay. The Central Bank allows a payer a number of look-ups, and a key that does
// not exist takes twenty: look up only what is to be paid. An answer is used again for a minute, and for ten
// minutes where the key does not exist. At most thirty look-ups of a token in 60 seconds, and 3,000 of an
// account on a day. Token scope: `transfers`.
func (r *PixKeysResource) LookUp(ctx context.Context, request LookUpPixKeyRequest, options ...CallOption) (*KeyLookup, error) {
	return readOne[KeyLookup](ctx, r.transport, call{operation: "lookUpPixKey", method: "POST", path: "/api/v1/pix-keys/lookup", accept: "application/json", request: request}, options)
}

// GetLookup: Read a look-up of a PIX key.
//
// Kept for thirty days, the key masked. `budget` is null: the provider shows it. Token scope: `read` or
// `transfers`.
func (r *PixKeysResource) GetLookup(ctx context.Context, uuid string, options ...CallOption) (*KeyLookup, error) {
	return readOne[KeyLookup](ctx, r.transport, call{operation: "getPixKeyLookup", method: "GET", path: "/api/v1/pix-keys/lookups/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// ProvidersResource has the operations of providers.
type ProvidersResource struct{ transport *transport }

// List: List the providers of the account.
//
// With their balances. A bound token sees its own. Token scope: `read` or `transfers`.
func (r *ProvidersResource) List(ctx context.Context, query ListProvidersQuery, options ...CallOption) (*Page[Provider], error) {
	return readPage[Provider](ctx, r.transport, call{operation: "listProviders", method: "GET", path: "/api/v1/providers", accept: "application/json", query: query}, options)
}

// Iterate: List the providers of the account, page after page.
func (r *ProvidersResource) Iterate(ctx context.Context, query ListProvidersQuery, options ...CallOption) iter.Seq2[*Provider, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[Provider], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// GetDefaults: Read the default providers.
//
// In their order of priority; a bound token sees itself where it is one of them. Token scope: `read` or
// `transfers`.
func (r *ProvidersResource) GetDefaults(ctx context.Context, options ...CallOption) (*GetDefaultProvidersResult, error) {
	return readOne[GetDefaultProvidersResult](ctx, r.transport, call{operation: "getDefaultProviders", method: "GET", path: "/api/v1/providers/defaults", accept: "application/json"}, options)
}

// ReplaceDefaults: Replace the default providers.
//
// Providers that are absent from the list are defaults no more. Token scope: `transfers`.
func (r *ProvidersResource) ReplaceDefaults(ctx context.Context, request ReplaceDefaultProvidersRequest, options ...CallOption) error {
	return readNothing(ctx, r.transport, call{operation: "replaceDefaultProviders", method: "PUT", path: "/api/v1/providers/defaults", accept: "application/json", request: request}, options)
}

// Get: Read a provider.
//
// With its balances and the look-ups of PIX keys that are left there. Another one than that of a bound token
// is not found. Token scope: `read` or `transfers`.
func (r *ProvidersResource) Get(ctx context.Context, uuid string, options ...CallOption) (*ProviderDetails, error) {
	return readOne[ProviderDetails](ctx, r.transport, call{operation: "getProvider", method: "GET", path: "/api/v1/providers/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// WebhooksResource has the operations of webhooks.
type WebhooksResource struct{ transport *transport }

// Create: Register a webhook.
//
// The endpoint must complete a TLS handshake. The token is shown whole only here. Token scope: `webhooks`.
func (r *WebhooksResource) Create(ctx context.Context, request CreateWebhookRequest, options ...CallOption) (*Webhook, error) {
	return readOne[Webhook](ctx, r.transport, call{operation: "createWebhook", method: "POST", path: "/api/v1/webhooks", accept: "application/json", request: request, isKeyed: true}, options)
}

// List: List the webhooks of the account.
//
// Newest first; tokens are masked. Token scope: `read` or `webhooks`.
func (r *WebhooksResource) List(ctx context.Context, query ListWebhooksQuery, options ...CallOption) (*Page[Webhook], error) {
	return readPage[Webhook](ctx, r.transport, call{operation: "listWebhooks", method: "GET", path: "/api/v1/webhooks", accept: "application/json", query: query}, options)
}

// Iterate: List the webhooks of the account, page after page.
func (r *WebhooksResource) Iterate(ctx context.Context, query ListWebhooksQuery, options ...CallOption) iter.Seq2[*Webhook, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[Webhook], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// Get: Read a webhook.
//
// Its token is masked. Token scope: `read` or `webhooks`.
func (r *WebhooksResource) Get(ctx context.Context, uuid string, options ...CallOption) (*Webhook, error) {
	return readOne[Webhook](ctx, r.transport, call{operation: "getWebhook", method: "GET", path: "/api/v1/webhooks/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Update: Change a webhook.
//
// Only what is named changes. Another `url`, and `status` ACTIVE of a disabled one, take a TLS handshake.
// DISABLED ends what was to be delivered; `recover` brings it back. Token scope: `webhooks`.
func (r *WebhooksResource) Update(ctx context.Context, uuid string, request UpdateWebhookRequest, options ...CallOption) (*Webhook, error) {
	return readOne[Webhook](ctx, r.transport, call{operation: "updateWebhook", method: "PATCH", path: "/api/v1/webhooks/{uuid}", accept: "application/json", pathValues: []string{uuid}, request: request}, options)
}

// Delete: Remove a webhook.
//
// Deliveries that are under way end. Token scope: `webhooks`.
func (r *WebhooksResource) Delete(ctx context.Context, uuid string, options ...CallOption) error {
	return readNothing(ctx, r.transport, call{operation: "deleteWebhook", method: "DELETE", path: "/api/v1/webhooks/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// RotateToken: Replace the token of a webhook.
//
// Shows the new token, this once. For 24 hours the old one signs too: `webhook-signature` holds a signature of
// each. Token scope: `webhooks`.
func (r *WebhooksResource) RotateToken(ctx context.Context, uuid string, request RotateWebhookTokenRequest, options ...CallOption) (*Webhook, error) {
	return readOne[Webhook](ctx, r.transport, call{operation: "rotateWebhookToken", method: "POST", path: "/api/v1/webhooks/{uuid}/rotate", accept: "application/json", pathValues: []string{uuid}, request: request}, options)
}

// Test: Send a TEST event to a webhook.
//
// It is signed, delivered and listed like any other event; `data` is the webhook itself. Token scope:
// `webhooks`.
func (r *WebhooksResource) Test(ctx context.Context, uuid string, options ...CallOption) (*Delivery, error) {
	return readOne[Delivery](ctx, r.transport, call{operation: "testWebhook", method: "POST", path: "/api/v1/webhooks/{uuid}/test", accept: "application/json", pathValues: []string{uuid}}, options)
}

// ListDeliveries: List the deliveries of a webhook, with each attempt.
//
// Newest first. Token scope: `read` or `webhooks`.
func (r *WebhooksResource) ListDeliveries(ctx context.Context, uuid string, query ListWebhookDeliveriesQuery, options ...CallOption) (*Page[Delivery], error) {
	return readPage[Delivery](ctx, r.transport, call{operation: "listWebhookDeliveries", method: "GET", path: "/api/v1/webhooks/{uuid}/deliveries", accept: "application/json", pathValues: []string{uuid}, query: query}, options)
}

// IterateDeliveries: List the deliveries of a webhook, with each attempt, page after page.
func (r *WebhooksResource) IterateDeliveries(ctx context.Context, uuid string, query ListWebhookDeliveriesQuery, options ...CallOption) iter.Seq2[*Delivery, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[Delivery], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.ListDeliveries(ctx, uuid, of, options...)
	})
}

// ResendDelivery: Send an event again.
//
// Whatever came of it before: at once, and then on the schedule from its beginning. Refused while an attempt
// is due. Token scope: `webhooks`.
func (r *WebhooksResource) ResendDelivery(ctx context.Context, uuid, delivery string, options ...CallOption) (*Delivery, error) {
	return readOne[Delivery](ctx, r.transport, call{operation: "resendWebhookDelivery", method: "POST", path: "/api/v1/webhooks/{uuid}/deliveries/{delivery}/resend", accept: "application/json", pathValues: []string{uuid, delivery}}, options)
}

// Recover: Send the events that a webhook has missed.
//
// Sends again every subscribed event since then that was not delivered: failed, still failing, or never sent.
// Refused while an earlier recovery of the webhook runs. Token scope: `webhooks`.
func (r *WebhooksResource) Recover(ctx context.Context, uuid string, request RecoverWebhookRequest, options ...CallOption) error {
	return readNothing(ctx, r.transport, call{operation: "recoverWebhook", method: "POST", path: "/api/v1/webhooks/{uuid}/recover", accept: "application/json", pathValues: []string{uuid}, request: request}, options)
}

// EventsResource has the operations of events.
type EventsResource struct{ transport *transport }

// List: List the events of the last 30 days.
//
// Newest first, whether or not a webhook received them. A bound token sees those of its provider. Token scope:
// `read` or `webhooks`.
func (r *EventsResource) List(ctx context.Context, query ListEventsQuery, options ...CallOption) (*Page[Event], error) {
	return readPage[Event](ctx, r.transport, call{operation: "listEvents", method: "GET", path: "/api/v1/events", accept: "application/json", query: query}, options)
}

// Iterate: List the events of the last 30 days, page after page.
func (r *EventsResource) Iterate(ctx context.Context, query ListEventsQuery, options ...CallOption) iter.Seq2[*Event, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[Event], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// Get: Read an event.
//
// Exactly the body that endpoints received. Token scope: `read` or `webhooks`.
func (r *EventsResource) Get(ctx context.Context, id string, options ...CallOption) (*Event, error) {
	return readOne[Event](ctx, r.transport, call{operation: "getEvent", method: "GET", path: "/api/v1/events/{id}", accept: "application/json", pathValues: []string{id}}, options)
}

// LedgerResource has the operations of ledger.
type LedgerResource struct{ transport *transport }

// List: List what changed the available balance, with the balance after each line.
//
// Newest first. Each PIX is one line, in its whole value and with its `end_to_end`; fees, shares, holds,
// reversals and shortfalls have lines of their own. Token scope: `read`.
func (r *LedgerResource) List(ctx context.Context, query ListLedgerLinesQuery, options ...CallOption) (*Page[LedgerLine], error) {
	return readPage[LedgerLine](ctx, r.transport, call{operation: "listLedgerLines", method: "GET", path: "/api/v1/ledger", accept: "application/json", query: query}, options)
}

// Iterate: List what changed the available balance, with the balance after each line, page after page.
func (r *LedgerResource) Iterate(ctx context.Context, query ListLedgerLinesQuery, options ...CallOption) iter.Seq2[*LedgerLine, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[LedgerLine], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// GetBalances: Read the opening and closing balance of a period, and what its lines add and take, by provider.
//
// The opening balance and the lines add up to the closing balance. Token scope: `read`.
func (r *LedgerResource) GetBalances(ctx context.Context, query GetLedgerBalancesQuery, options ...CallOption) (*LedgerBalances, error) {
	return readOne[LedgerBalances](ctx, r.transport, call{operation: "getLedgerBalances", method: "GET", path: "/api/v1/ledger/balances", accept: "application/json", query: query}, options)
}

// ExportCsv: Export the lines as CSV, the oldest first.
//
// UTF-8 with a byte order mark, semicolons, CRLF. Amounts have their sign, times are those of `time_zone`. All
// lines of the filters are in one file. Token scope: `read`.
func (r *LedgerResource) ExportCsv(ctx context.Context, query ExportLedgerCsvQuery, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "exportLedgerCsv", method: "GET", path: "/api/v1/ledger.csv", accept: "text/csv", query: query}, options)
}

// ExportOfx: Export the lines as OFX 1.02, the oldest first.
//
// One statement per provider account, with its closing balance. `FITID` is the `line_uuid`, dates have no
// time. Orders that never left, and those of today that may still fail, are left out. Token scope: `read`.
func (r *LedgerResource) ExportOfx(ctx context.Context, query ExportLedgerOfxQuery, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "exportLedgerOfx", method: "GET", path: "/api/v1/ledger.ofx", accept: "application/x-ofx", query: query}, options)
}

// ReportsResource has the operations of reports.
type ReportsResource struct{ transport *transport }

// Create: Order a report of at most 92 days.
//
// Its file is made in the background, one of an account at a time, and kept for 30 days. Days are those of
// Brasília. A report of days that are over has the same bytes whenever it is made, RECONCILIATION excepted.
// Token scope: `read`.
func (r *ReportsResource) Create(ctx context.Context, request CreateReportRequest, options ...CallOption) (*Report, error) {
	return readOne[Report](ctx, r.transport, call{operation: "createReport", method: "POST", path: "/api/v1/reports", accept: "application/json", request: request, isKeyed: true}, options)
}

// List: List reports.
//
// Newest first, those without a file included. Token scope: `read`.
func (r *ReportsResource) List(ctx context.Context, query ListReportsQuery, options ...CallOption) (*Page[Report], error) {
	return readPage[Report](ctx, r.transport, call{operation: "listReports", method: "GET", path: "/api/v1/reports", accept: "application/json", query: query}, options)
}

// Iterate: List reports, page after page.
func (r *ReportsResource) Iterate(ctx context.Context, query ListReportsQuery, options ...CallOption) iter.Seq2[*Report, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[Report], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// GetSchedules: Read the schedules of reports.
//
// Token scope: `read`.
func (r *ReportsResource) GetSchedules(ctx context.Context, options ...CallOption) (*ReportSchedules, error) {
	return readOne[ReportSchedules](ctx, r.transport, call{operation: "getReportSchedules", method: "GET", path: "/api/v1/reports/schedules", accept: "application/json"}, options)
}

// ReplaceSchedules: Replace the schedules of reports.
//
// Each orders a report of the day before, or of the seven days before, after its hour of Brasília; none orders
// any more that is not sent. Token scope: `read`.
func (r *ReportsResource) ReplaceSchedules(ctx context.Context, request ReplaceReportSchedulesRequest, options ...CallOption) (*ReportSchedules, error) {
	return readOne[ReportSchedules](ctx, r.transport, call{operation: "replaceReportSchedules", method: "PUT", path: "/api/v1/reports/schedules", accept: "application/json", request: request}, options)
}

// Get: Read a report.
//
// Token scope: `read`.
func (r *ReportsResource) Get(ctx context.Context, uuid string, options ...CallOption) (*Report, error) {
	return readOne[Report](ctx, r.transport, call{operation: "getReport", method: "GET", path: "/api/v1/reports/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Delete: Cancel a report, or delete its file.
//
// A PENDING report is FAILED then, a READY one EXPIRED; any other is answered as it is. Token scope: `read`.
func (r *ReportsResource) Delete(ctx context.Context, uuid string, options ...CallOption) (*Report, error) {
	return readOne[Report](ctx, r.transport, call{operation: "deleteReport", method: "DELETE", path: "/api/v1/reports/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// Download: Download the file of a READY report.
//
// In the format of the report, which has its length and its digest. Token scope: `read`.
func (r *ReportsResource) Download(ctx context.Context, uuid string, options ...CallOption) ([]byte, error) {
	return readContent(ctx, r.transport, call{operation: "downloadReport", method: "GET", path: "/api/v1/reports/{uuid}/download", accept: "application/octet-stream", pathValues: []string{uuid}}, options)
}

// ReconciliationsResource has the operations of reconciliations.
type ReconciliationsResource struct{ transport *transport }

// List: List what the reconciliation has found at each provider.
//
// Of NOMINAL providers: the account of a POOL belongs to several accounts. Token scope: `read`.
func (r *ReconciliationsResource) List(ctx context.Context, query ListReconciliationsQuery, options ...CallOption) (*Page[Reconciliation], error) {
	return readPage[Reconciliation](ctx, r.transport, call{operation: "listReconciliations", method: "GET", path: "/api/v1/reconciliations", accept: "application/json", query: query}, options)
}

// Iterate: List what the reconciliation has found at each provider, page after page.
func (r *ReconciliationsResource) Iterate(ctx context.Context, query ListReconciliationsQuery, options ...CallOption) iter.Seq2[*Reconciliation, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[Reconciliation], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.List(ctx, of, options...)
	})
}

// Get: Read what the reconciliation has found at a provider.
//
// Token scope: `read`.
func (r *ReconciliationsResource) Get(ctx context.Context, uuid string, options ...CallOption) (*Reconciliation, error) {
	return readOne[Reconciliation](ctx, r.transport, call{operation: "getReconciliation", method: "GET", path: "/api/v1/reconciliations/{uuid}", accept: "application/json", pathValues: []string{uuid}}, options)
}

// ListDifferences: List the PIX on which a provider and the ledger differ.
//
// Newest first, with those that were settled or closed. Token scope: `read`.
func (r *ReconciliationsResource) ListDifferences(ctx context.Context, uuid string, query ListReconciliationDifferencesQuery, options ...CallOption) (*Page[ReconciliationDifference], error) {
	return readPage[ReconciliationDifference](ctx, r.transport, call{operation: "listReconciliationDifferences", method: "GET", path: "/api/v1/reconciliations/{uuid}/differences", accept: "application/json", pathValues: []string{uuid}, query: query}, options)
}

// IterateDifferences: List the PIX on which a provider and the ledger differ, page after page.
func (r *ReconciliationsResource) IterateDifferences(ctx context.Context, uuid string, query ListReconciliationDifferencesQuery, options ...CallOption) iter.Seq2[*ReconciliationDifference, error] {
	query.Page = Opt[int]{}
	query.PerPage = Some(query.PerPage.Or(perPage))
	return iterate(query.Cursor.Or(""), func(cursor string) (*Page[ReconciliationDifference], error) {
		of := query
		of.Cursor = Some(cursor)
		return r.ListDifferences(ctx, uuid, of, options...)
	})
}

// HealthResource has the operations of health.
type HealthResource struct{ transport *transport }

// GetLiveness: Whether the process is up.
//
// Looks at nothing else.
func (r *HealthResource) GetLiveness(ctx context.Context, options ...CallOption) (*Health, error) {
	return readWhole[Health](ctx, r.transport, call{operation: "getLiveness", method: "GET", path: "/healthz", accept: "application/json"}, options)
}

// GetReadiness: Whether PostgreSQL is migrated and takes writes, Temporal can be reached, and the process is
// not stopping.
//
// Where it is not, `data` names the part that does not answer.
func (r *HealthResource) GetReadiness(ctx context.Context, options ...CallOption) (*Health, error) {
	return readWhole[Health](ctx, r.transport, call{operation: "getReadiness", method: "GET", path: "/readyz", accept: "application/json"}, options)
}
