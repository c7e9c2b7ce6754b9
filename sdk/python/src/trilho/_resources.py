"""Resources of the sync client. Made from openapi.json by `npm run sdk:python`; do not edit."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from . import inputs, models
from ._amounts import OMITTED, Amount, Omitted
from ._calls import Call, File, amount_of, optional_amount_of, path_of
from ._pages import Page, iterate_pages
from ._results import (
    read_content,
    read_event,
    read_event_page,
    read_list,
    read_nothing,
    read_one,
    read_page,
    read_text,
    read_whole,
)
from ._transports import SyncTransport
from .events import Event


class Payments:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        value: Amount,
        type: inputs.CreatePaymentType = "PIX",
        external_ref: str | None = None,
        final_beneficiary: inputs.FinalBeneficiary | None = None,
        provider_uuid: str | None = None,
        splits: Sequence[inputs.SplitInput] | None = None,
        debtor: inputs.Debtor | None = None,
        verify_sender: bool | None = None,
        payer_kind: inputs.CreatePaymentPayerKind | None = None,
        match: inputs.CreatePaymentMatch | None = None,
        expires_in: int | None = None,
        due: inputs.Due | None = None,
        message: str | None = None,
        additional_info: Sequence[inputs.AdditionalInfoInput] | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> models.CreatedCharge:
        """Create a charge.

        Answers when a provider has issued the payload. Send an `Idempotency-Key`: a repeated request then
        gets the same answer and never a second charge. Token scope: `charges`.

        Args:
            value: Reais. 0 is an open amount, which the payer chooses: the code is a static one where the
                provider issues no other, and then it does not expire.
            type: PIX is the only type.
            external_ref: Your reference, such as the number of an order.
            final_beneficiary: The seller on whose behalf the account collects or pays.
            provider_uuid: The only provider to use; where absent, the default ones in their order. A bound
                token always uses its own.
            splits: Shares of other accounts in what the charge brings in, at most the whole value; the pair
                of recipient and type is unique.
            debtor: Who is to pay; providers show it to the payer.
            verify_sender: Only the `debtor` may pay. A PIX of another document never pays the charge: it is
                returned or reviewed, as the account has chosen, and the charge stays PENDING.
            payer_kind: Only persons (CPF) or only companies (CNPJ) may pay.
            match: With `verify_sender`: FULL compares the whole document; ROOT allows every CNPJ with the
                first eight characters of the debtor's. FULL where absent.
            expires_in: Seconds until the charge can be paid no more, from 60 to 30 days; by default a day.
                Without effect on a static code, which does not expire; not for a charge with a due date.
            due: When the charge is to be paid, and what its provider adds or subtracts for the day of
                payment. Excludes `expires_in`.
            message: Text that the payer is shown.
            additional_info: Texts that the payer is shown besides `message`, where the provider shows any.
            metadata: Texts of yours, at most 30.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createPayment",
                "POST",
                "/api/v1/payments",
                read_one(models.CreatedCharge),
                body={
                    "value": amount_of("value", value),
                    "type": type,
                    "external_ref": external_ref,
                    "final_beneficiary": final_beneficiary,
                    "provider_uuid": provider_uuid,
                    "splits": splits,
                    "debtor": debtor,
                    "verify_sender": verify_sender,
                    "payer_kind": payer_kind,
                    "match": match,
                    "expires_in": expires_in,
                    "due": due,
                    "message": message,
                    "additional_info": additional_info,
                    "metadata": metadata,
                },
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListPaymentsStatus | Sequence[inputs.ListPaymentsStatus] | None = None,
        type: inputs.ListPaymentsType | None = None,
        end_to_end: str | None = None,
        payer_document: str | None = None,
        payer_name: str | None = None,
        due_from: date | str | None = None,
        due_to: date | str | None = None,
        payment_date_from: date | str | None = None,
        payment_date_to: date | str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        external_ref: str | None = None,
        txid: str | None = None,
        provider_uuid: str | None = None,
        qr_code_uuid: str | None = None,
        recurrence_uuid: str | None = None,
        payment_link_uuid: str | None = None,
        value_min: Amount | None = None,
        value_max: Amount | None = None,
    ) -> Page[models.Charge]:
        """List charges.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses; `UNDEFINED` is a charge that no provider has issued yet.
            type: Every payment is a PIX; `UNDEFINED` selects none.
            end_to_end: Paid by the PIX with this end-to-end id.
            payer_document: Paid by the holder of this CPF or CNPJ.
            payer_name: The payer's name begins so, in any case; at least three characters.
            due_from: Due on this day or later, in Brasília: `YYYY-MM-DD`.
            due_to: Due on this day or earlier, in Brasília: `YYYY-MM-DD`.
            payment_date_from: Paid on this day or later, in `time_zone`: `YYYY-MM-DD`.
            payment_date_to: Paid on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            external_ref: With exactly this reference of the caller.
            txid: With this txid on the rail.
            provider_uuid: Only of this provider of the account: its `uuid`.
            qr_code_uuid: Paid to this static code of the account.
            recurrence_uuid: Debits of this recurrence.
            payment_link_uuid: Created by this payment link, for its payers.
            value_min: `value` is at least this, in reais.
            value_max: `value` is at most this, in reais.
        """
        return self._transport.send(
            Call(
                "listPayments",
                "GET",
                "/api/v1/payments",
                read_page(models.Charge),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "uuid": uuid,
                    "status": status,
                    "type": type,
                    "end_to_end": end_to_end,
                    "payer_document": payer_document,
                    "payer_name": payer_name,
                    "due_from": due_from,
                    "due_to": due_to,
                    "payment_date_from": payment_date_from,
                    "payment_date_to": payment_date_to,
                    "date_from": date_from,
                    "date_to": date_to,
                    "external_ref": external_ref,
                    "txid": txid,
                    "provider_uuid": provider_uuid,
                    "qr_code_uuid": qr_code_uuid,
                    "recurrence_uuid": recurrence_uuid,
                    "payment_link_uuid": payment_link_uuid,
                    "value_min": optional_amount_of("value_min", value_min),
                    "value_max": optional_amount_of("value_max", value_max),
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListPaymentsStatus | Sequence[inputs.ListPaymentsStatus] | None = None,
        type: inputs.ListPaymentsType | None = None,
        end_to_end: str | None = None,
        payer_document: str | None = None,
        payer_name: str | None = None,
        due_from: date | str | None = None,
        due_to: date | str | None = None,
        payment_date_from: date | str | None = None,
        payment_date_to: date | str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        external_ref: str | None = None,
        txid: str | None = None,
        provider_uuid: str | None = None,
        qr_code_uuid: str | None = None,
        recurrence_uuid: str | None = None,
        payment_link_uuid: str | None = None,
        value_min: Amount | None = None,
        value_max: Amount | None = None,
    ) -> Iterator[models.Charge]:
        """List charges, page after page.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses; `UNDEFINED` is a charge that no provider has issued yet.
            type: Every payment is a PIX; `UNDEFINED` selects none.
            end_to_end: Paid by the PIX with this end-to-end id.
            payer_document: Paid by the holder of this CPF or CNPJ.
            payer_name: The payer's name begins so, in any case; at least three characters.
            due_from: Due on this day or later, in Brasília: `YYYY-MM-DD`.
            due_to: Due on this day or earlier, in Brasília: `YYYY-MM-DD`.
            payment_date_from: Paid on this day or later, in `time_zone`: `YYYY-MM-DD`.
            payment_date_to: Paid on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            external_ref: With exactly this reference of the caller.
            txid: With this txid on the rail.
            provider_uuid: Only of this provider of the account: its `uuid`.
            qr_code_uuid: Paid to this static code of the account.
            recurrence_uuid: Debits of this recurrence.
            payment_link_uuid: Created by this payment link, for its payers.
            value_min: `value` is at least this, in reais.
            value_max: `value` is at most this, in reais.
        """
        return iterate_pages(
            lambda cursor: self.list(
                per_page=per_page,
                time_zone=time_zone,
                uuid=uuid,
                status=status,
                type=type,
                end_to_end=end_to_end,
                payer_document=payer_document,
                payer_name=payer_name,
                due_from=due_from,
                due_to=due_to,
                payment_date_from=payment_date_from,
                payment_date_to=payment_date_to,
                date_from=date_from,
                date_to=date_to,
                external_ref=external_ref,
                txid=txid,
                provider_uuid=provider_uuid,
                qr_code_uuid=qr_code_uuid,
                recurrence_uuid=recurrence_uuid,
                payment_link_uuid=payment_link_uuid,
                value_min=value_min,
                value_max=value_max,
                cursor=cursor,
            )
        )

    def get(self, uuid: str) -> models.Charge:
        """Read a charge.

        With its refunds and the history of its statuses. Token scope: `read` or `charges`.
        """
        return self._transport.send(
            Call("getPayment", "GET", path_of("/api/v1/payments/{uuid}", uuid=uuid), read_one(models.Charge))
        )

    def revise(
        self,
        uuid: str,
        *,
        value: Amount | Omitted = OMITTED,
        due: inputs.Due | None = None,
        message: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Charge:
        """Change a PENDING charge with a due date.

        At its provider first, then here; only what is named changes. Without an answer of the provider the
        charge stays as it is, and the provider is asked until the result is known. A payment that has
        started wins. Token scope: `charges`.

        Args:
            value: Reais that the charge asks from now on, without its fees.
            due: When the charge is to be paid, and what its provider adds or subtracts for the day of
                payment. Excludes `expires_in`.
            message: Text that the payer is shown from now on; it can be replaced, not removed.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "revisePayment",
                "PATCH",
                path_of("/api/v1/payments/{uuid}", uuid=uuid),
                read_one(models.Charge),
                body={"value": amount_of("value", value), "due": due, "message": message},
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def get_qr_svg(self, uuid: str) -> str:
        """The payload as a QR picture (SVG).

        Of `payment.payload`; 404 while no provider has issued one. Token scope: `read` or `charges`.
        """
        return self._transport.send(
            Call(
                "getPaymentQrSvg",
                "GET",
                path_of("/api/v1/payments/{uuid}/qr.svg", uuid=uuid),
                read_text,
                accept="image/svg+xml",
            )
        )

    def get_qr_png(self, uuid: str) -> bytes:
        """The payload as a QR picture (PNG).

        Of `payment.payload`; 404 while no provider has issued one. Token scope: `read` or `charges`.
        """
        return self._transport.send(
            Call(
                "getPaymentQrPng",
                "GET",
                path_of("/api/v1/payments/{uuid}/qr.png", uuid=uuid),
                read_content,
                accept="image/png",
            )
        )

    def retry(self, uuid: str, *, on: date | str, idempotency_key: str | None = None) -> models.Charge:
        """Try a failed debit of a recurrence again.

        On a later day, where the recurrence allows retries: three at most, within seven days after the due
        day. Answers when its provider has accepted the retry, which `payment.tries` then shows. Token
        scope: `charges`.

        Args:
            on: Day of the retry in Brasília: after today, and within seven days after the due day.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "retryPayment",
                "POST",
                path_of("/api/v1/payments/{uuid}/retry", uuid=uuid),
                read_one(models.Charge),
                body={"on": on},
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def cancel(self, uuid: str) -> models.Charge:
        """Cancel a PENDING charge.

        At its provider first, then here. Without an answer of the provider the charge stays PENDING, and
        the provider is asked until the result is known. Token scope: `charges`.
        """
        return self._transport.send(
            Call(
                "cancelPayment",
                "POST",
                path_of("/api/v1/payments/{uuid}/cancel", uuid=uuid),
                read_one(models.Charge),
            )
        )

    def refund(
        self,
        uuid: str,
        *,
        value: Amount | Omitted = OMITTED,
        description: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.RefundResult:
        """Refund a charge, whole or in part.

        Without `value`, all that is still refundable. Possible within 90 days of the payment, one refund of
        a charge at a time. Answers when the provider has accepted the refund; the REFUND event says how it
        ends. Token scope: `refunds`.

        Args:
            value: Reais; what is still refundable where absent.
            description: Why, in words for the payer: the provider gets them with the refund.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "refundPayment",
                "POST",
                path_of("/api/v1/payments/{uuid}/refund", uuid=uuid),
                read_one(models.RefundResult),
                body={"value": amount_of("value", value), "description": description},
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def list_refunds(
        self,
        uuid: str,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
    ) -> Page[models.RefundResult]:
        """List the refunds of a charge.

        Newest first. `uuid` is the charge in each one, `refund.uuid` the refund. Token scope: `read` or
        `refunds`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
        """
        return self._transport.send(
            Call(
                "listPaymentRefunds",
                "GET",
                path_of("/api/v1/payments/{uuid}/refunds", uuid=uuid),
                read_page(models.RefundResult),
                query={"page": page, "per_page": per_page, "cursor": cursor, "time_zone": time_zone},
            )
        )

    def iterate_refunds(
        self, uuid: str, *, per_page: int = 100, time_zone: str | None = None
    ) -> Iterator[models.RefundResult]:
        """List the refunds of a charge, page after page.

        Newest first. `uuid` is the charge in each one, `refund.uuid` the refund. Token scope: `read` or
        `refunds`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
        """
        return iterate_pages(
            lambda cursor: self.list_refunds(uuid, per_page=per_page, time_zone=time_zone, cursor=cursor)
        )

    def get_refund(self, uuid: str, refund: str) -> models.RefundResult:
        """Read a refund.

        `uuid` is the charge, `refund.uuid` the refund. Token scope: `read` or `refunds`.
        """
        return self._transport.send(
            Call(
                "getPaymentRefund",
                "GET",
                path_of("/api/v1/payments/{uuid}/refunds/{refund}", uuid=uuid, refund=refund),
                read_one(models.RefundResult),
            )
        )

    def get_receipt(self, uuid: str) -> models.Receipt:
        """Read the receipt of the payment of a charge.

        Once its money has settled. `official` tells whether its bank issues the PDF now; where a bank
        issues none, or does not answer, this service does. What went back since is in `returns`.
        `authentication` never changes while the secret key of the service stays. Token scope: `read` or
        `charges`.
        """
        return self._transport.send(
            Call(
                "getPaymentReceipt",
                "GET",
                path_of("/api/v1/payments/{uuid}/receipt", uuid=uuid),
                read_one(models.Receipt),
            )
        )

    def get_receipt_pdf(
        self, uuid: str, *, language: inputs.GetPaymentReceiptPdfLanguage | None = None
    ) -> bytes:
        """Read the receipt of the payment of a charge as a PDF.

        Once its money has settled. Its bank's own where that issues one, in its language; else this
        service's, of which equal receipts are equal bytes, at most 200 kB. Token scope: `read` or
        `charges`.

        Args:
            language: Language of the document; by default Portuguese.
        """
        return self._transport.send(
            Call(
                "getPaymentReceiptPdf",
                "GET",
                path_of("/api/v1/payments/{uuid}/receipt.pdf", uuid=uuid),
                read_content,
                query={"language": language},
                accept="application/pdf",
            )
        )

    def get_refund_receipt(self, uuid: str, refund: str) -> models.Receipt:
        """Read the receipt of a refund.

        Once its money has settled. `official` tells whether its bank issues the PDF now; where a bank
        issues none, or does not answer, this service does. What went back since is in `returns`.
        `authentication` never changes while the secret key of the service stays. Token scope: `read` or
        `refunds`.
        """
        return self._transport.send(
            Call(
                "getPaymentRefundReceipt",
                "GET",
                path_of("/api/v1/payments/{uuid}/refunds/{refund}/receipt", uuid=uuid, refund=refund),
                read_one(models.Receipt),
            )
        )

    def get_refund_receipt_pdf(
        self, uuid: str, refund: str, *, language: inputs.GetPaymentRefundReceiptPdfLanguage | None = None
    ) -> bytes:
        """Read the receipt of a refund as a PDF.

        Once its money has settled. Its bank's own where that issues one, in its language; else this
        service's, of which equal receipts are equal bytes, at most 200 kB. Token scope: `read` or
        `refunds`.

        Args:
            language: Language of the document; by default Portuguese.
        """
        return self._transport.send(
            Call(
                "getPaymentRefundReceiptPdf",
                "GET",
                path_of("/api/v1/payments/{uuid}/refunds/{refund}/receipt.pdf", uuid=uuid, refund=refund),
                read_content,
                query={"language": language},
                accept="application/pdf",
            )
        )


class QrCodes:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        provider_uuid: str | None = None,
        value: Amount | Omitted = OMITTED,
        reference: str | None = None,
        description: str | None = None,
        external_ref: str | None = None,
        splits: Sequence[inputs.SplitInput] | None = None,
        on_payment: inputs.CreateQrCodeOnPayment | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> models.QrCode:
        """Create a static QR code.

        A code that many payers pay, with a value of yours or of theirs. No provider is called. Each PIX to
        it is a charge of its own, PAID from its beginning. Token scope: `charges`.

        Args:
            provider_uuid: The only provider to use; where absent, the default ones in their order. A bound
                token always uses its own.
            value: Reais that every payer is asked; 0, or absent, where the payer chooses.
            reference: The txid of every PIX to the code, one code of a provider account each; where absent,
                one is made.
            description: What the payer reads. It shares 99 bytes of the payload with the PIX key, so that a
                long key leaves less.
            external_ref: Your reference, which every charge of the code has.
            splits: Shares of other accounts in each charge of the code; only PERCENTAGE where the payer
                chooses the value.
            on_payment: What becomes of a PIX of another value, or after the code was disabled: KEEP makes
                it a charge like the others, RETURN sends it back to its payer.
            metadata: Texts of yours, at most 20.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createQrCode",
                "POST",
                "/api/v1/qr-codes",
                read_one(models.QrCode),
                body={
                    "provider_uuid": provider_uuid,
                    "value": amount_of("value", value),
                    "reference": reference,
                    "description": description,
                    "external_ref": external_ref,
                    "splits": splits,
                    "on_payment": on_payment,
                    "metadata": metadata,
                },
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListQrCodesStatus | Sequence[inputs.ListQrCodesStatus] | None = None,
        reference: str | None = None,
        external_ref: str | None = None,
        provider_uuid: str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Page[models.QrCode]:
        """List the QR codes of the account.

        Newest first. The code of a single charge is shown by that charge. Token scope: `read` or `charges`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses.
            reference: With this reference.
            external_ref: With exactly this reference of the caller.
            provider_uuid: Only of this provider of the account: its `uuid`.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return self._transport.send(
            Call(
                "listQrCodes",
                "GET",
                "/api/v1/qr-codes",
                read_page(models.QrCode),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "uuid": uuid,
                    "status": status,
                    "reference": reference,
                    "external_ref": external_ref,
                    "provider_uuid": provider_uuid,
                    "date_from": date_from,
                    "date_to": date_to,
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListQrCodesStatus | Sequence[inputs.ListQrCodesStatus] | None = None,
        reference: str | None = None,
        external_ref: str | None = None,
        provider_uuid: str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Iterator[models.QrCode]:
        """List the QR codes of the account, page after page.

        Newest first. The code of a single charge is shown by that charge. Token scope: `read` or `charges`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses.
            reference: With this reference.
            external_ref: With exactly this reference of the caller.
            provider_uuid: Only of this provider of the account: its `uuid`.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return iterate_pages(
            lambda cursor: self.list(
                per_page=per_page,
                time_zone=time_zone,
                uuid=uuid,
                status=status,
                reference=reference,
                external_ref=external_ref,
                provider_uuid=provider_uuid,
                date_from=date_from,
                date_to=date_to,
                cursor=cursor,
            )
        )

    def get(self, uuid: str) -> models.QrCode:
        """Read a QR code.

        With what it has received. Token scope: `read` or `charges`.
        """
        return self._transport.send(
            Call("getQrCode", "GET", path_of("/api/v1/qr-codes/{uuid}", uuid=uuid), read_one(models.QrCode))
        )

    def get_qr_svg(self, uuid: str) -> str:
        """The code as a QR picture (SVG).

        Of `payload`, for printing. It never changes. Token scope: `read` or `charges`.
        """
        return self._transport.send(
            Call(
                "getQrCodeQrSvg",
                "GET",
                path_of("/api/v1/qr-codes/{uuid}/qr.svg", uuid=uuid),
                read_text,
                accept="image/svg+xml",
            )
        )

    def get_qr_png(self, uuid: str) -> bytes:
        """The code as a QR picture (PNG).

        Of `payload`, for printing. It never changes. Token scope: `read` or `charges`.
        """
        return self._transport.send(
            Call(
                "getQrCodeQrPng",
                "GET",
                path_of("/api/v1/qr-codes/{uuid}/qr.png", uuid=uuid),
                read_content,
                accept="image/png",
            )
        )

    def list_payments(
        self,
        uuid: str,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        status: inputs.ListQrCodePaymentsStatus | Sequence[inputs.ListQrCodePaymentsStatus] | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Page[models.Charge]:
        """List the charges of a QR code.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            status: In one of these statuses.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return self._transport.send(
            Call(
                "listQrCodePayments",
                "GET",
                path_of("/api/v1/qr-codes/{uuid}/payments", uuid=uuid),
                read_page(models.Charge),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "status": status,
                    "date_from": date_from,
                    "date_to": date_to,
                },
            )
        )

    def iterate_payments(
        self,
        uuid: str,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        status: inputs.ListQrCodePaymentsStatus | Sequence[inputs.ListQrCodePaymentsStatus] | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Iterator[models.Charge]:
        """List the charges of a QR code, page after page.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            status: In one of these statuses.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return iterate_pages(
            lambda cursor: self.list_payments(
                uuid,
                per_page=per_page,
                time_zone=time_zone,
                status=status,
                date_from=date_from,
                date_to=date_to,
                cursor=cursor,
            )
        )

    def disable(self, uuid: str) -> models.QrCode:
        """Disable a QR code.

        The code can still be paid, because the banks of payers ask nobody about a static code: such a PIX
        becomes what `on_payment` says. A second time changes nothing. Token scope: `charges`.
        """
        return self._transport.send(
            Call(
                "disableQrCode",
                "POST",
                path_of("/api/v1/qr-codes/{uuid}/disable", uuid=uuid),
                read_one(models.QrCode),
            )
        )

    def read(
        self, *, payload: str, pay_on: date | str | None = None, cod_mun: str | None = None
    ) -> models.CodeReading:
        """Read a PIX code before it is paid.

        Checks the code and reads the charge at the bank of its receiver, whose signature is verified.
        Nothing is paid. What the code says may change until it is paid: that bank is asked again then.
        Token scope: `transfers`.

        Args:
            payload: The copy-and-paste PIX code; blanks around it do not count.
            pay_on: The day of payment in Brasília, for which a charge with a due date is read; default:
                today.
            cod_mun: The municipality of the payer by the table of the IBGE, whose holidays count.
        """
        return self._transport.send(
            Call(
                "readQrCode",
                "POST",
                "/api/v1/qr-codes/read",
                read_one(models.CodeReading),
                body={"payload": payload, "pay_on": pay_on, "cod_mun": cod_mun},
            )
        )

    def get_reading(self, reading: str) -> models.CodeReading:
        """Read what was read of a PIX code.

        As it was read then, for thirty days. Token scope: `read` or `transfers`.
        """
        return self._transport.send(
            Call(
                "getCodeReading",
                "GET",
                path_of("/api/v1/qr-codes/read/{reading}", reading=reading),
                read_one(models.CodeReading),
            )
        )


class PaymentLinks:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        charge_uuid: str | None = None,
        message: str | None = None,
        value: Amount | Omitted = OMITTED,
        external_ref: str | None = None,
        provider_uuid: str | None = None,
        splits: Sequence[inputs.SplitInput] | None = None,
        expires_in: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        max_payments: int | None = None,
        expires_at: datetime | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.PaymentLink:
        """Create a payment link.

        For a charge: its page. For a value: a page whose button creates a charge for the payer, as `POST
        /payments` would, as often as `max_payments` and until `expires_at` allow. The charges have the
        events of any charge. Token scope: `charges`.

        Args:
            charge_uuid: The charge that the link shows; a charge has one link that works. Without it the
                link creates charges of `value`.
            message: Text that the payer reads on the page, and that each charge of the link has.
            value: Reais that each payer is asked.
            external_ref: Your reference, which every charge of the link has.
            provider_uuid: The only provider to use; where absent, the default ones in their order. A bound
                token always uses its own.
            splits: Shares of other accounts in each charge of the link.
            expires_in: Seconds until the charge can be paid no more, from 60 to 30 days; by default a day.
                Without effect on a static code, which does not expire; not for a charge with a due date.
            metadata: Texts of yours, at most 30.
            max_payments: Most charges of the link that are paid or can be paid at one time, by default 1.
                One that expires, fails or is cancelled unpaid frees its place.
            expires_at: Until then payers may ask for a code: ISO 8601 with offset, in the future, at most
                366 days ahead. Without it the link works until it is revoked.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createPaymentLink",
                "POST",
                "/api/v1/payment-links",
                read_one(models.PaymentLink),
                body={
                    "charge_uuid": charge_uuid,
                    "message": message,
                    "value": amount_of("value", value),
                    "external_ref": external_ref,
                    "provider_uuid": provider_uuid,
                    "splits": splits,
                    "expires_in": expires_in,
                    "metadata": metadata,
                    "max_payments": max_payments,
                    "expires_at": expires_at,
                },
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        charge_uuid: str | None = None,
        external_ref: str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Page[models.PaymentLink]:
        """List payment links.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            charge_uuid: Of this charge.
            external_ref: With exactly this reference of the caller.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return self._transport.send(
            Call(
                "listPaymentLinks",
                "GET",
                "/api/v1/payment-links",
                read_page(models.PaymentLink),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "uuid": uuid,
                    "charge_uuid": charge_uuid,
                    "external_ref": external_ref,
                    "date_from": date_from,
                    "date_to": date_to,
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        charge_uuid: str | None = None,
        external_ref: str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Iterator[models.PaymentLink]:
        """List payment links, page after page.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            charge_uuid: Of this charge.
            external_ref: With exactly this reference of the caller.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return iterate_pages(
            lambda cursor: self.list(
                per_page=per_page,
                time_zone=time_zone,
                uuid=uuid,
                charge_uuid=charge_uuid,
                external_ref=external_ref,
                date_from=date_from,
                date_to=date_to,
                cursor=cursor,
            )
        )

    def get(self, uuid: str) -> models.PaymentLink:
        """Read a payment link.

        With its address and what takes its places. Token scope: `read` or `charges`.
        """
        return self._transport.send(
            Call(
                "getPaymentLink",
                "GET",
                path_of("/api/v1/payment-links/{uuid}", uuid=uuid),
                read_one(models.PaymentLink),
            )
        )

    def revoke(self, uuid: str) -> models.PaymentLink:
        """Revoke a payment link.

        Its page says so, and creates no further charge. Charges that exist stay: who has a code can still
        pay it. A second time changes nothing. Token scope: `charges`.
        """
        return self._transport.send(
            Call(
                "revokePaymentLink",
                "POST",
                path_of("/api/v1/payment-links/{uuid}/revoke", uuid=uuid),
                read_one(models.PaymentLink),
            )
        )


class Recurrences:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        frequency: inputs.CreateRecurrenceFrequency,
        starts_on: date | str,
        contract: str,
        debtor: inputs.RecurrenceDebtor,
        retry_policy: inputs.CreateRecurrenceRetryPolicy,
        journey: inputs.CreateRecurrenceJourney,
        value: Amount | Omitted = OMITTED,
        minimum_value: Amount | Omitted = OMITTED,
        ends_on: date | str | None = None,
        subject: str | None = None,
        first_charge: inputs.FirstCharge | None = None,
        payer_account: inputs.PayerAccount | None = None,
        request_expires_at: datetime | str | None = None,
        generate: inputs.CreateRecurrenceGenerate | None = None,
        days_before: int | None = None,
        splits: Sequence[inputs.SplitInput] | None = None,
        external_ref: str | None = None,
        provider_uuid: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Recurrence:
        """Create a recurrence.

        Pix Automático: the payer authorizes it once in their bank, and is then debited each cycle. Answers
        when a provider has created it; a RECURRENCE event tells what the payer has decided. Token scope:
        `charges`.

        Args:
            starts_on: Due day of the first cycle, in Brasília; within a year.
            contract: Your contract with the payer, at most 35 characters.
            debtor: Who is debited.
            retry_policy: Whether a debit that failed may be tried again, three times within seven days.
            journey: How the payer authorizes it: REQUEST, which their bank shows them; QR, a code that they
                read; QR_WITH_PAYMENT, a code that also pays `first_charge`; PAYMENT_THEN_OFFER, an offer of
                their bank once they have paid `first_charge`, which has a due date.
            value: Reais of each charge, without its fee; where absent, each charge names its own.
            minimum_value: Without `value`: the least that the payer may choose as their own limit of a
                charge.
            ends_on: The last day on which a charge may be due; where absent, it has no end.
            subject: What is paid for, as the bank of the payer shows it; at most 35 characters.
            first_charge: The body of `POST /payments`, without `provider_uuid`; where it names no `debtor`,
                it is that of the recurrence.
            payer_account: The account of the payer whose bank is sent the request.
            request_expires_at: Of the journey REQUEST: until when the payer may decide; by default seven
                days.
            generate: AUTOMATIC creates the charge of each cycle; MANUAL leaves it to you. AUTOMATIC where
                `value` is sent, else MANUAL.
            days_before: Days before the due day on which a charge is created, at 09:00 in Brasília.
            splits: Shares of other accounts in each charge that is created for it.
            external_ref: Your reference, such as the number of an order.
            provider_uuid: The only provider to use; where absent, the default ones in their order. A bound
                token always uses its own.
            metadata: Texts of yours, at most 20.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createRecurrence",
                "POST",
                "/api/v1/recurrences",
                read_one(models.Recurrence),
                body={
                    "value": amount_of("value", value),
                    "minimum_value": amount_of("minimum_value", minimum_value),
                    "frequency": frequency,
                    "starts_on": starts_on,
                    "ends_on": ends_on,
                    "contract": contract,
                    "subject": subject,
                    "debtor": debtor,
                    "retry_policy": retry_policy,
                    "journey": journey,
                    "first_charge": first_charge,
                    "payer_account": payer_account,
                    "request_expires_at": request_expires_at,
                    "generate": generate,
                    "days_before": days_before,
                    "splits": splits,
                    "external_ref": external_ref,
                    "provider_uuid": provider_uuid,
                    "metadata": metadata,
                },
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListRecurrencesStatus | Sequence[inputs.ListRecurrencesStatus] | None = None,
        external_ref: str | None = None,
        provider_uuid: str | None = None,
        is_past_due: bool | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Page[models.Recurrence]:
        """List recurrences.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses.
            external_ref: With exactly this reference of the caller.
            provider_uuid: Only of this provider of the account: its `uuid`.
            is_past_due: Whether the last due charge is not paid.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return self._transport.send(
            Call(
                "listRecurrences",
                "GET",
                "/api/v1/recurrences",
                read_page(models.Recurrence),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "uuid": uuid,
                    "status": status,
                    "external_ref": external_ref,
                    "provider_uuid": provider_uuid,
                    "is_past_due": is_past_due,
                    "date_from": date_from,
                    "date_to": date_to,
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListRecurrencesStatus | Sequence[inputs.ListRecurrencesStatus] | None = None,
        external_ref: str | None = None,
        provider_uuid: str | None = None,
        is_past_due: bool | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Iterator[models.Recurrence]:
        """List recurrences, page after page.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `charges`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses.
            external_ref: With exactly this reference of the caller.
            provider_uuid: Only of this provider of the account: its `uuid`.
            is_past_due: Whether the last due charge is not paid.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return iterate_pages(
            lambda cursor: self.list(
                per_page=per_page,
                time_zone=time_zone,
                uuid=uuid,
                status=status,
                external_ref=external_ref,
                provider_uuid=provider_uuid,
                is_past_due=is_past_due,
                date_from=date_from,
                date_to=date_to,
                cursor=cursor,
            )
        )

    def get(self, uuid: str) -> models.Recurrence:
        """Read a recurrence.

        With its next charge and the history of its statuses. Token scope: `read` or `charges`.
        """
        return self._transport.send(
            Call(
                "getRecurrence",
                "GET",
                path_of("/api/v1/recurrences/{uuid}", uuid=uuid),
                read_one(models.Recurrence),
            )
        )

    def get_qr_svg(self, uuid: str) -> str:
        """The payload of a recurrence as a QR picture (SVG).

        Of `payload`; 404 of the journey REQUEST, and while the provider does not show one. Token scope:
        `read` or `charges`.
        """
        return self._transport.send(
            Call(
                "getRecurrenceQrSvg",
                "GET",
                path_of("/api/v1/recurrences/{uuid}/qr.svg", uuid=uuid),
                read_text,
                accept="image/svg+xml",
            )
        )

    def get_qr_png(self, uuid: str) -> bytes:
        """The payload of a recurrence as a QR picture (PNG).

        Of `payload`; 404 of the journey REQUEST, and while the provider does not show one. Token scope:
        `read` or `charges`.
        """
        return self._transport.send(
            Call(
                "getRecurrenceQrPng",
                "GET",
                path_of("/api/v1/recurrences/{uuid}/qr.png", uuid=uuid),
                read_content,
                accept="image/png",
            )
        )

    def cancel(self, uuid: str) -> models.Recurrence:
        """Cancel a recurrence.

        At its provider first, then here; its debits that are not made yet are cancelled with it. Without an
        answer of the provider it stays as it is, and the provider is asked until the result is known. Token
        scope: `charges`.
        """
        return self._transport.send(
            Call(
                "cancelRecurrence",
                "POST",
                path_of("/api/v1/recurrences/{uuid}/cancel", uuid=uuid),
                read_one(models.Recurrence),
            )
        )

    def charge(
        self,
        uuid: str,
        *,
        due_on: date | str,
        value: Amount | Omitted = OMITTED,
        message: str | None = None,
        external_ref: str | None = None,
        splits: Sequence[inputs.SplitInput] | None = None,
        idempotency_key: str | None = None,
    ) -> models.CreatedCharge:
        """Create the charge of a cycle.

        Of an ACTIVE recurrence, 2 to 10 days before its due day; a cycle has one charge. Answers when the
        provider has made the debit. A PAYMENT event tells how it ends. Token scope: `charges`.

        Args:
            due_on: Due day in Brasília, 2 to 10 days from today; its cycle has no other charge.
            value: Reais; where absent, the value of the recurrence.
            message: Text that the payer is shown.
            external_ref: Your reference, such as the number of an order.
            splits: Shares of other accounts in what the charge brings in.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "chargeRecurrence",
                "POST",
                path_of("/api/v1/recurrences/{uuid}/charges", uuid=uuid),
                read_one(models.CreatedCharge),
                body={
                    "value": amount_of("value", value),
                    "due_on": due_on,
                    "message": message,
                    "external_ref": external_ref,
                    "splits": splits,
                },
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )


class Refunds:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListRefundsStatus | Sequence[inputs.ListRefundsStatus] | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        provider_uuid: str | None = None,
        charge_uuid: str | None = None,
        end_to_end: str | None = None,
    ) -> Page[models.ListedRefund]:
        """List the refunds of all charges.

        Newest first. Each one under its own uuid, with its charge; what a provider returned for a dispute
        is a refund, too. Token scope: `read` or `refunds`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            provider_uuid: Only of this provider of the account: its `uuid`.
            charge_uuid: Of this charge.
            end_to_end: Sent by the PIX with this end-to-end id, which is not that of the payment.
        """
        return self._transport.send(
            Call(
                "listRefunds",
                "GET",
                "/api/v1/refunds",
                read_page(models.ListedRefund),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "uuid": uuid,
                    "status": status,
                    "date_from": date_from,
                    "date_to": date_to,
                    "provider_uuid": provider_uuid,
                    "charge_uuid": charge_uuid,
                    "end_to_end": end_to_end,
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListRefundsStatus | Sequence[inputs.ListRefundsStatus] | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        provider_uuid: str | None = None,
        charge_uuid: str | None = None,
        end_to_end: str | None = None,
    ) -> Iterator[models.ListedRefund]:
        """List the refunds of all charges, page after page.

        Newest first. Each one under its own uuid, with its charge; what a provider returned for a dispute
        is a refund, too. Token scope: `read` or `refunds`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            provider_uuid: Only of this provider of the account: its `uuid`.
            charge_uuid: Of this charge.
            end_to_end: Sent by the PIX with this end-to-end id, which is not that of the payment.
        """
        return iterate_pages(
            lambda cursor: self.list(
                per_page=per_page,
                time_zone=time_zone,
                uuid=uuid,
                status=status,
                date_from=date_from,
                date_to=date_to,
                provider_uuid=provider_uuid,
                charge_uuid=charge_uuid,
                end_to_end=end_to_end,
                cursor=cursor,
            )
        )


class Deposits:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def get(self, uuid: str) -> models.Deposit:
        """Read a deposit and its return.

        A received PIX that pays no charge, by the `uuid` of its PIX_TRANSACTION event or of its line in the
        ledger. `return` is null while it stays with the account. Once it is assigned to a QR code,
        `charge_uuid` names the charge that it pays. Token scope: `read` or `refunds`.
        """
        return self._transport.send(
            Call("getDeposit", "GET", path_of("/api/v1/deposits/{uuid}", uuid=uuid), read_one(models.Deposit))
        )

    def return_to_payer(self, uuid: str, *, idempotency_key: str | None = None) -> models.Deposit:
        """Return a deposit to its payer.

        The whole value, within 90 days of the payment; a part of it is not returned. Answers when the money
        is held; the PIX_TRANSACTION event of the return, with the deposit as its `original_uuid`, says how
        it ends. Token scope: `refunds`.

        Args:
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "returnDeposit",
                "POST",
                path_of("/api/v1/deposits/{uuid}/return", uuid=uuid),
                read_one(models.Deposit),
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def assign(self, uuid: str, *, qr_code_uuid: str, idempotency_key: str | None = None) -> models.Charge:
        """Assign a deposit to a QR code.

        A PIX from which the app of the payer left the txid out pays the code that you name, as if it had
        named it: a charge that is PAID at once, or the PENDING charge of the code, with the fee and the
        splits of the code. Once, and for good: the charge can be refunded. Token scope: `refunds`.

        Args:
            qr_code_uuid: The QR code that the payer has paid, or the charge whose static code it was.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "assignDeposit",
                "POST",
                path_of("/api/v1/deposits/{uuid}/assign", uuid=uuid),
                read_one(models.Charge),
                body={"qr_code_uuid": qr_code_uuid},
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )


class Meds:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListMedsStatus | Sequence[inputs.ListMedsStatus] | None = None,
        med_type: inputs.ListMedsMedType | Sequence[inputs.ListMedsMedType] | None = None,
        dispute_type: inputs.ListMedsDisputeType | Sequence[inputs.ListMedsDisputeType] | None = None,
        resolved: bool | None = None,
        open: bool | None = None,
        contestable: bool | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Page[models.Dispute]:
        """List disputes.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `refunds`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses; `UNDEFINED` selects none.
            med_type: RECEIVED_MED claims a payment of a charge back, REQUESTED_MED a transfer.
            dispute_type: With one of these reasons.
            resolved: Whether the dispute is closed.
            open: Whether it awaits a reply or a decision: PENDING or PROCESSING, and not resolved.
            contestable: Whether money was returned by it that may be contested now, and was not yet.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return self._transport.send(
            Call(
                "listMeds",
                "GET",
                "/api/v1/meds",
                read_page(models.Dispute),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "uuid": uuid,
                    "status": status,
                    "med_type": med_type,
                    "dispute_type": dispute_type,
                    "resolved": resolved,
                    "open": open,
                    "contestable": contestable,
                    "date_from": date_from,
                    "date_to": date_to,
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListMedsStatus | Sequence[inputs.ListMedsStatus] | None = None,
        med_type: inputs.ListMedsMedType | Sequence[inputs.ListMedsMedType] | None = None,
        dispute_type: inputs.ListMedsDisputeType | Sequence[inputs.ListMedsDisputeType] | None = None,
        resolved: bool | None = None,
        open: bool | None = None,
        contestable: bool | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Iterator[models.Dispute]:
        """List disputes, page after page.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `refunds`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses; `UNDEFINED` selects none.
            med_type: RECEIVED_MED claims a payment of a charge back, REQUESTED_MED a transfer.
            dispute_type: With one of these reasons.
            resolved: Whether the dispute is closed.
            open: Whether it awaits a reply or a decision: PENDING or PROCESSING, and not resolved.
            contestable: Whether money was returned by it that may be contested now, and was not yet.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return iterate_pages(
            lambda cursor: self.list(
                per_page=per_page,
                time_zone=time_zone,
                uuid=uuid,
                status=status,
                med_type=med_type,
                dispute_type=dispute_type,
                resolved=resolved,
                open=open,
                contestable=contestable,
                date_from=date_from,
                date_to=date_to,
                cursor=cursor,
            )
        )

    def request(
        self,
        *,
        transfer_uuid: str,
        dispute_type: inputs.RequestMedDisputeType,
        details: str,
        idempotency_key: str | None = None,
    ) -> models.Dispute:
        """Ask for the money of a transfer back.

        For fraud, coercion and access by others, within 80 days of the settlement, once for ever for each
        transfer. Answers once the provider has the request, or with PENDING where it does not answer in
        time; MED events tell how far it has come. What other banks return of it is credited as it arrives.
        Token scope: `refunds`.

        Args:
            transfer_uuid: A settled transfer of the account.
            dispute_type: What has happened. A quarrel about goods, or an own mistake, is none of these.
            details: What has happened, for the analysts of the banks.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "requestMed",
                "POST",
                "/api/v1/meds",
                read_one(models.Dispute),
                body={"transfer_uuid": transfer_uuid, "dispute_type": dispute_type, "details": details},
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def get(self, uuid: str) -> models.Dispute:
        """Read a dispute.

        With the links of its attachments, which are signed and expire. Token scope: `read` or `refunds`.
        """
        return self._transport.send(
            Call("getMed", "GET", path_of("/api/v1/meds/{uuid}", uuid=uuid), read_one(models.Dispute))
        )

    def get_evidence_pdf(
        self, uuid: str, *, language: inputs.GetMedEvidencePdfLanguage | None = None
    ) -> bytes:
        """Read what is recorded of a disputed PIX as a PDF.

        The dispute, its PIX, the charge or transfer that it belongs to with its history, and the names of
        the attachments: to attach to a reply, or to hand to a bank. Equal bytes until the dispute changes.
        Token scope: `read` or `refunds`.

        Args:
            language: Language of the document; by default Portuguese.
        """
        return self._transport.send(
            Call(
                "getMedEvidencePdf",
                "GET",
                path_of("/api/v1/meds/{uuid}/evidence.pdf", uuid=uuid),
                read_content,
                query={"language": language},
                accept="application/pdf",
            )
        )

    def cancel(self, uuid: str) -> models.Dispute:
        """Cancel a dispute that the account has requested.

        At its provider first, then here. Without an answer of the provider it stays as it is, and the
        provider is asked until the result is known. The transfer cannot be disputed again. Token scope:
        `refunds`.
        """
        return self._transport.send(
            Call(
                "cancelMed",
                "POST",
                path_of("/api/v1/meds/{uuid}/cancel", uuid=uuid),
                read_one(models.Dispute),
            )
        )

    def reply(
        self,
        uuid: str,
        *,
        accept: bool,
        analysis: str,
        attachments: Iterable[File] = (),
        idempotency_key: str | None = None,
    ) -> models.Dispute:
        """Answer a dispute.

        Once, while the dispute is PENDING and about money received. The response is PROCESSING; then the
        reply is sent to the provider. Token scope: `refunds`.

        Args:
            accept: `1` or `true` accepts: the money goes back. `0` or `false` rejects.
            analysis: Why; a provider may accept fewer characters, with links to the files: then 422 says
                how many.
            attachments: Proofs, at most 10, sent as `attachments[0][file]`, `attachments[1][file]`, ….
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "replyToMed",
                "POST",
                path_of("/api/v1/meds/{uuid}/reply", uuid=uuid),
                read_one(models.Dispute),
                body={"accept": accept, "analysis": analysis},
                files={"attachments": attachments},
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def contest(
        self,
        uuid: str,
        *,
        analysis: str,
        attachments: Iterable[File] = (),
        idempotency_key: str | None = None,
    ) -> models.Dispute:
        """Contest what was returned by a dispute.

        Once, until `contestable_until` of a RECEIVED_MED. No provider takes it by its API: it is PENDING
        until the operator of the service has handed it to the provider, then PROCESSING until the decision.
        MED events tell both. Token scope: `refunds`.

        Args:
            analysis: Why the money should not have been returned.
            attachments: Proofs, at most 10, sent as `attachments[0][file]`, `attachments[1][file]`, ….
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "contestMed",
                "POST",
                path_of("/api/v1/meds/{uuid}/contest", uuid=uuid),
                read_one(models.Dispute),
                body={"analysis": analysis},
                files={"attachments": attachments},
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )


class TransferBatches:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        items: Sequence[inputs.TransferBatchItemOrder],
        name: str | None = None,
        mode: inputs.CreateTransferBatchMode | None = None,
        on_short_balance: inputs.CreateTransferBatchOnShortBalance | None = None,
        scheduled_for: datetime | str | None = None,
        provider_uuid: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.TransferBatch:
        """Send money to many PIX keys, bank accounts and PIX codes.

        Up to 5,000 items, checked before anything is stored: an error names the field (`items.12.value`).
        Each item becomes a transfer of its own, which limits and balance may refuse when it is started.
        With `text/csv` the body is a table with the columns `value`, `external_ref`, `pix_key`, `payload`,
        `document` and `description`, and of bank accounts `name`, `ispb` or `bank_code`, `agency`,
        `account` and `account_type`, or their Portuguese names, and the other fields are sent in the query;
        an error names the line (`lines.14.value`). Token scope: `transfers`.

        Args:
            mode: EACH: an item that fails stops no other; by default. ALL_VALID: the items must be within
                the limits of one transfer when they are ordered, and none is started after one has failed.
            on_short_balance: Of an item that the available balance does not cover: FAIL, by default, or
                WAIT, with those after it.
            scheduled_for: ISO 8601 with offset, in the future, at most 90 days ahead: no item is sent
                before.
            provider_uuid: The only provider to use; where absent, the default ones in their order. A bound
                token always uses its own.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createTransferBatch",
                "POST",
                "/api/v1/transfers/batches",
                read_one(models.TransferBatch),
                body={
                    "name": name,
                    "mode": mode,
                    "on_short_balance": on_short_balance,
                    "scheduled_for": scheduled_for,
                    "provider_uuid": provider_uuid,
                    "items": items,
                },
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListTransferBatchesStatus | Sequence[inputs.ListTransferBatchesStatus] | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Page[models.TransferBatch]:
        """List batches of transfers.

        Newest first, with the counts of their items. Token scope: `read` or `transfers`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return self._transport.send(
            Call(
                "listTransferBatches",
                "GET",
                "/api/v1/transfers/batches",
                read_page(models.TransferBatch),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "uuid": uuid,
                    "status": status,
                    "date_from": date_from,
                    "date_to": date_to,
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListTransferBatchesStatus | Sequence[inputs.ListTransferBatchesStatus] | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Iterator[models.TransferBatch]:
        """List batches of transfers, page after page.

        Newest first, with the counts of their items. Token scope: `read` or `transfers`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return iterate_pages(
            lambda cursor: self.list(
                per_page=per_page,
                time_zone=time_zone,
                uuid=uuid,
                status=status,
                date_from=date_from,
                date_to=date_to,
                cursor=cursor,
            )
        )

    def get(self, batch: str) -> models.TransferBatch:
        """Read a batch of transfers.

        With the counts of its items; `waiting_for` says why no further item is started. Token scope: `read`
        or `transfers`.
        """
        return self._transport.send(
            Call(
                "getTransferBatch",
                "GET",
                path_of("/api/v1/transfers/batches/{batch}", batch=batch),
                read_one(models.TransferBatch),
            )
        )

    def list_items(
        self,
        batch: str,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        status: inputs.ListTransferBatchItemsStatus
        | Sequence[inputs.ListTransferBatchItemsStatus]
        | None = None,
    ) -> Page[models.TransferBatchItem]:
        """List the items of a batch.

        In the order in which they were sent. One that was started has a `transfer_uuid`. Token scope:
        `read` or `transfers`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            status: In one of these statuses; an item that was not started is PENDING.
        """
        return self._transport.send(
            Call(
                "listTransferBatchItems",
                "GET",
                path_of("/api/v1/transfers/batches/{batch}/items", batch=batch),
                read_page(models.TransferBatchItem),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "status": status,
                },
            )
        )

    def iterate_items(
        self,
        batch: str,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        status: inputs.ListTransferBatchItemsStatus
        | Sequence[inputs.ListTransferBatchItemsStatus]
        | None = None,
    ) -> Iterator[models.TransferBatchItem]:
        """List the items of a batch, page after page.

        In the order in which they were sent. One that was started has a `transfer_uuid`. Token scope:
        `read` or `transfers`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            status: In one of these statuses; an item that was not started is PENDING.
        """
        return iterate_pages(
            lambda cursor: self.list_items(
                batch, per_page=per_page, time_zone=time_zone, status=status, cursor=cursor
            )
        )

    def approve(self, batch: str) -> models.TransferBatch:
        """Approve a batch that is DRAFT.

        By a person who has not ordered it. It is PROCESSING once as many persons as its account requires
        have approved its sum. Token scope: `transfers`.
        """
        return self._transport.send(
            Call(
                "approveTransferBatch",
                "POST",
                path_of("/api/v1/transfers/batches/{batch}/approve", batch=batch),
                read_one(models.TransferBatch),
            )
        )

    def reject(self, batch: str, *, reason: str) -> models.TransferBatch:
        """Reject a batch that is DRAFT.

        By a person who has not ordered it. It is CANCELLED, and no item is started. Token scope:
        `transfers`.

        Args:
            reason: Why it is not sent; shown with the transfer.
        """
        return self._transport.send(
            Call(
                "rejectTransferBatch",
                "POST",
                path_of("/api/v1/transfers/batches/{batch}/reject", batch=batch),
                read_one(models.TransferBatch),
                body={"reason": reason},
            )
        )

    def cancel(self, batch: str) -> models.TransferBatch:
        """Cancel a batch.

        Possible while it is DRAFT or PROCESSING. Items that were started go on. Token scope: `transfers`.
        """
        return self._transport.send(
            Call(
                "cancelTransferBatch",
                "POST",
                path_of("/api/v1/transfers/batches/{batch}/cancel", batch=batch),
                read_one(models.TransferBatch),
            )
        )


class Transfers:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        value: Amount,
        pix_key: str,
        type: inputs.CreateTransferType | None = None,
        document: str | None = None,
        lookup_uuid: str | None = None,
        on_mismatch: inputs.CreateTransferOnMismatch | None = None,
        external_ref: str | None = None,
        provider_uuid: str | None = None,
        final_beneficiary: inputs.FinalBeneficiary | None = None,
        scheduled_for: datetime | str | None = None,
        allow_duplicate: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.Transfer:
        """Send money to a PIX key.

        Answers PROCESSING when a provider has accepted, or after ten seconds without an outcome; 400 with
        the stored transfer (`status` FAILED, `error`) when all providers have rejected it. Token scope:
        `transfers`.

        Args:
            value: Reais, at most two decimals.
            pix_key: Key of the recipient, at most 77 characters: CPF, CNPJ, e-mail, mobile with `+55`, or
                random key.
            type: PIX is the only type.
            document: CPF or CNPJ of the recipient: the provider must confirm that the key belongs to it.
            lookup_uuid: Look-up of `pix_key` within the last 15 minutes: the transfer goes to the receiver
                that it has shown.
            on_mismatch: Only with `lookup_uuid`: what happens where the look-up does not match its document
                or name, or the key has another owner before it is sent; REFUSE where absent.
            external_ref: Your reference, such as the number of an order.
            provider_uuid: The only provider to use; where absent, the default ones in their order. A bound
                token always uses its own.
            final_beneficiary: The seller on whose behalf the account collects or pays.
            scheduled_for: ISO 8601 with offset, in the future, at most 90 days ahead.
            allow_duplicate: Send it though the same value was sent to the same receiver within the seconds
                of `duplicate_guard`.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createTransfer",
                "POST",
                "/api/v1/transfers",
                read_one(models.Transfer),
                body={
                    "value": amount_of("value", value),
                    "type": type,
                    "pix_key": pix_key,
                    "document": document,
                    "lookup_uuid": lookup_uuid,
                    "on_mismatch": on_mismatch,
                    "external_ref": external_ref,
                    "provider_uuid": provider_uuid,
                    "final_beneficiary": final_beneficiary,
                    "scheduled_for": scheduled_for,
                    "allow_duplicate": allow_duplicate,
                },
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListTransfersStatus | Sequence[inputs.ListTransfersStatus] | None = None,
        type: inputs.ListTransfersType | None = None,
        transfer_date_from: date | str | None = None,
        transfer_date_to: date | str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        external_ref: str | None = None,
        end_to_end: str | None = None,
        pix_key: str | None = None,
        provider_uuid: str | None = None,
        batch_uuid: str | None = None,
    ) -> Page[models.Transfer]:
        """List transfers.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `transfers`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses; `UNDEFINED` selects none.
            type: Every payment is a PIX; `UNDEFINED` selects none.
            transfer_date_from: Settled on this day or later, in `time_zone`: `YYYY-MM-DD`.
            transfer_date_to: Settled on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            external_ref: With exactly this reference of the caller.
            end_to_end: Sent by the PIX with this end-to-end id.
            pix_key: Sent to this key; a blank is read as `+`, which no key contains unencoded.
            provider_uuid: Only of this provider of the account: its `uuid`.
            batch_uuid: Items of this batch.
        """
        return self._transport.send(
            Call(
                "listTransfers",
                "GET",
                "/api/v1/transfers",
                read_page(models.Transfer),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "uuid": uuid,
                    "status": status,
                    "type": type,
                    "transfer_date_from": transfer_date_from,
                    "transfer_date_to": transfer_date_to,
                    "date_from": date_from,
                    "date_to": date_to,
                    "external_ref": external_ref,
                    "end_to_end": end_to_end,
                    "pix_key": pix_key,
                    "provider_uuid": provider_uuid,
                    "batch_uuid": batch_uuid,
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        status: inputs.ListTransfersStatus | Sequence[inputs.ListTransfersStatus] | None = None,
        type: inputs.ListTransfersType | None = None,
        transfer_date_from: date | str | None = None,
        transfer_date_to: date | str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        external_ref: str | None = None,
        end_to_end: str | None = None,
        pix_key: str | None = None,
        provider_uuid: str | None = None,
        batch_uuid: str | None = None,
    ) -> Iterator[models.Transfer]:
        """List transfers, page after page.

        Newest first. Each one as its own GET shows it. Token scope: `read` or `transfers`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            status: In one of these statuses; `UNDEFINED` selects none.
            type: Every payment is a PIX; `UNDEFINED` selects none.
            transfer_date_from: Settled on this day or later, in `time_zone`: `YYYY-MM-DD`.
            transfer_date_to: Settled on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            external_ref: With exactly this reference of the caller.
            end_to_end: Sent by the PIX with this end-to-end id.
            pix_key: Sent to this key; a blank is read as `+`, which no key contains unencoded.
            provider_uuid: Only of this provider of the account: its `uuid`.
            batch_uuid: Items of this batch.
        """
        return iterate_pages(
            lambda cursor: self.list(
                per_page=per_page,
                time_zone=time_zone,
                uuid=uuid,
                status=status,
                type=type,
                transfer_date_from=transfer_date_from,
                transfer_date_to=transfer_date_to,
                date_from=date_from,
                date_to=date_to,
                external_ref=external_ref,
                end_to_end=end_to_end,
                pix_key=pix_key,
                provider_uuid=provider_uuid,
                batch_uuid=batch_uuid,
                cursor=cursor,
            )
        )

    def create_to_account(
        self,
        *,
        value: Amount,
        receiver: inputs.AccountReceiver,
        type: inputs.CreateAccountTransferType | None = None,
        external_ref: str | None = None,
        provider_uuid: str | None = None,
        final_beneficiary: inputs.FinalBeneficiary | None = None,
        scheduled_for: datetime | str | None = None,
        allow_duplicate: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.Transfer:
        """Send money to a bank account.

        Like a transfer to a PIX key, for a receiver without one: `initiation.type` is MANUAL and `pix_key`
        empty. Providers that pay no account of this type are skipped. Token scope: `transfers`.

        Args:
            value: Reais, at most two decimals.
            receiver: Who is paid, and the account.
            type: PIX is the only type.
            external_ref: Your reference, such as the number of an order.
            provider_uuid: The only provider to use; where absent, the default ones in their order. A bound
                token always uses its own.
            final_beneficiary: The seller on whose behalf the account collects or pays.
            scheduled_for: ISO 8601 with offset, in the future, at most 90 days ahead.
            allow_duplicate: Send it though the same value was sent to the same receiver within the seconds
                of `duplicate_guard`.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createAccountTransfer",
                "POST",
                "/api/v1/transfers/bank-accounts",
                read_one(models.Transfer),
                body={
                    "value": amount_of("value", value),
                    "type": type,
                    "receiver": receiver,
                    "external_ref": external_ref,
                    "provider_uuid": provider_uuid,
                    "final_beneficiary": final_beneficiary,
                    "scheduled_for": scheduled_for,
                    "allow_duplicate": allow_duplicate,
                },
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def pay_code(
        self,
        *,
        payload: str | None = None,
        read_uuid: str | None = None,
        value: Amount | Omitted = OMITTED,
        type: inputs.CreateCodeTransferType | None = None,
        document: str | None = None,
        lookup_uuid: str | None = None,
        on_mismatch: inputs.CreateCodeTransferOnMismatch | None = None,
        external_ref: str | None = None,
        provider_uuid: str | None = None,
        final_beneficiary: inputs.FinalBeneficiary | None = None,
        allow_duplicate: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.Transfer:
        """Pay a PIX code.

        Reads the code at the bank of its receiver, and pays what it asks at this moment: `initiation.type`
        is QR_DYNAMIC or QR_STATIC, with its `txid`. Providers that do not pay codes of this kind are
        skipped; a static code without a txid may be paid as a transfer to its key. A bank that reports
        another value or receiver contradicts the order: the transfer is not settled by it, and an operator
        is alerted. Token scope: `transfers`.

        Args:
            payload: The copy-and-paste PIX code; this or `read_uuid`.
            read_uuid: A reading of POST /qr-codes/read: the code is read again, and paid only where
                receiver, value and txid are as they were shown.
            value: Reais; needed where the payer chooses the value, and else the value of the code or
                absent.
            type: PIX is the only type.
            document: CPF or CNPJ of the recipient: the provider must confirm that the key belongs to it.
            lookup_uuid: Look-up of the key of the code within the last 15 minutes.
            on_mismatch: Only with `lookup_uuid`: what happens where the look-up does not match its document
                or name, or the key has another owner before it is sent; REFUSE where absent.
            external_ref: Your reference, such as the number of an order.
            provider_uuid: The only provider to use; where absent, the default ones in their order. A bound
                token always uses its own.
            final_beneficiary: The seller on whose behalf the account collects or pays.
            allow_duplicate: Send it though the same value was sent to the same receiver within the seconds
                of `duplicate_guard`.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createCodeTransfer",
                "POST",
                "/api/v1/transfers/qr-codes",
                read_one(models.Transfer),
                body={
                    "payload": payload,
                    "read_uuid": read_uuid,
                    "value": amount_of("value", value),
                    "type": type,
                    "document": document,
                    "lookup_uuid": lookup_uuid,
                    "on_mismatch": on_mismatch,
                    "external_ref": external_ref,
                    "provider_uuid": provider_uuid,
                    "final_beneficiary": final_beneficiary,
                    "allow_duplicate": allow_duplicate,
                },
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def get(self, uuid: str) -> models.Transfer:
        """Read a transfer with its attempts.

        `outcome` is `unknown` while no provider has said whether the money left; it is asked again at
        `next_check_at`. Token scope: `read` or `transfers`.
        """
        return self._transport.send(
            Call(
                "getTransfer",
                "GET",
                path_of("/api/v1/transfers/{uuid}", uuid=uuid),
                read_one(models.Transfer),
            )
        )

    def cancel(self, uuid: str) -> models.Transfer:
        """Cancel a transfer that waits.

        Possible while it is PENDING: before its time, or before its approvals. Token scope: `transfers`.
        """
        return self._transport.send(
            Call(
                "cancelTransfer",
                "POST",
                path_of("/api/v1/transfers/{uuid}/cancel", uuid=uuid),
                read_one(models.Transfer),
            )
        )

    def approve(self, uuid: str) -> models.Transfer:
        """Approve a transfer that waits for approvals.

        By the person who made the token: not the one who ordered the transfer, and each person counts once.
        With the last approval that it needs it is sent, or waits for its time. A PIX code is read again
        before: the approval of one that has changed is refused. Token scope: `transfers`.
        """
        return self._transport.send(
            Call(
                "approveTransfer",
                "POST",
                path_of("/api/v1/transfers/{uuid}/approve", uuid=uuid),
                read_one(models.Transfer),
            )
        )

    def reject(self, uuid: str, *, reason: str) -> models.Transfer:
        """Reject a transfer that waits for approvals.

        By another person than the one who ordered it. It is cancelled, and its money is available again.
        Token scope: `transfers`.

        Args:
            reason: Why it is not sent; shown with the transfer.
        """
        return self._transport.send(
            Call(
                "rejectTransfer",
                "POST",
                path_of("/api/v1/transfers/{uuid}/reject", uuid=uuid),
                read_one(models.Transfer),
                body={"reason": reason},
            )
        )

    def get_receipt(self, uuid: str) -> models.Receipt:
        """Read the receipt of a transfer.

        Once its money has settled. `official` tells whether its bank issues the PDF now; where a bank
        issues none, or does not answer, this service does. What went back since is in `returns`.
        `authentication` never changes while the secret key of the service stays. Token scope: `read` or
        `transfers`.
        """
        return self._transport.send(
            Call(
                "getTransferReceipt",
                "GET",
                path_of("/api/v1/transfers/{uuid}/receipt", uuid=uuid),
                read_one(models.Receipt),
            )
        )

    def get_receipt_pdf(
        self, uuid: str, *, language: inputs.GetTransferReceiptPdfLanguage | None = None
    ) -> bytes:
        """Read the receipt of a transfer as a PDF.

        Once its money has settled. Its bank's own where that issues one, in its language; else this
        service's, of which equal receipts are equal bytes, at most 200 kB. Token scope: `read` or
        `transfers`.

        Args:
            language: Language of the document; by default Portuguese.
        """
        return self._transport.send(
            Call(
                "getTransferReceiptPdf",
                "GET",
                path_of("/api/v1/transfers/{uuid}/receipt.pdf", uuid=uuid),
                read_content,
                query={"language": language},
                accept="application/pdf",
            )
        )


class Receipts:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def check(self, authentication: str) -> models.ReceiptCheck:
        """Check a receipt by its authentication code.

        Without a token. Tells the value, the day and initials, so that whoever holds a receipt can compare
        them. A code that was not issued here, was altered, or is of a receipt that can no longer be checked
        is 404. Requests are limited per network.
        """
        return self._transport.send(
            Call(
                "checkReceipt",
                "GET",
                path_of("/api/v1/receipts/{authentication}", authentication=authentication),
                read_one(models.ReceiptCheck),
            )
        )


class Limits:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def get(self) -> models.AccountLimits:
        """Read the limits of the account.

        Those in force, and in `pending` what allows more later. Token scope: `read` or `transfers`.
        """
        return self._transport.send(
            Call("getLimits", "GET", "/api/v1/limits", read_one(models.AccountLimits))
        )

    def replace(
        self,
        *,
        per_transfer: Amount | None | None = None,
        per_day: Amount | None | None = None,
        per_night: Amount | None | None = None,
        night: inputs.NightHours | None = None,
        per_receiver_per_day: Amount | None | None = None,
        new_receiver: inputs.ReplaceLimitsNewReceiver | None | None = None,
        trusted_receivers: Sequence[inputs.TrustedHolder | inputs.TrustedKey] | None = None,
        allowed_receivers_only: bool | None = None,
        duplicate_guard: inputs.ReplaceLimitsDuplicateGuard | None = None,
        approvals: inputs.ApprovalRule | None | None = None,
        version: int | None = None,
    ) -> models.AccountLimits:
        """Replace the limits of the account.

        What allows less acts at once, what allows more after 24 hours (`pending`). A field that is absent
        sets no limit. Limits count the transfers and refunds that are sent from their first PUT on. The
        first `callout_url` must complete a TLS handshake, and `callout_token` is shown whole only then.
        Token scope: `transfers`.

        Args:
            per_transfer: Reais that one transfer may send; null or absent: no limit.
            per_day: Reais that transfers and refunds of a day in Brasília may send; null or absent: no
                limit.
            per_night: Reais that the transfers of a night may send, which count per day as well; null or
                absent: no limit.
            night: Hours of `per_night`, between one noon and the next; over midnight where `to` is before
                `from`.
            per_receiver_per_day: Reais that one PIX key may get on a day in Brasília; null or absent: no
                limit.
            new_receiver: Reais that a PIX key may get in all until `hours` have passed since the first
                transfer to it settled.
            allowed_receivers_only: Only `trusted_receivers` may be paid.
            duplicate_guard: Within these seconds the same value to the same key is sent only with
                `allow_duplicate`; 0: none.
            approvals: Transfers of more than `above` wait until `count` persons other than who ordered them
                approve, at most `expires_hours`; null or absent: none wait.
            version: The `version` that was read: other limits are then not overwritten.
        """
        return self._transport.send(
            Call(
                "replaceLimits",
                "PUT",
                "/api/v1/limits",
                read_one(models.AccountLimits),
                body={
                    "per_transfer": per_transfer,
                    "per_day": per_day,
                    "per_night": per_night,
                    "night": night,
                    "per_receiver_per_day": per_receiver_per_day,
                    "new_receiver": new_receiver,
                    "trusted_receivers": trusted_receivers,
                    "allowed_receivers_only": allowed_receivers_only,
                    "duplicate_guard": duplicate_guard,
                    "approvals": approvals,
                    "version": version,
                },
            )
        )

    def rotate_callout_token(self, *, token: str | None = None) -> models.AccountLimits:
        """Replace the secret that signs call-outs.

        Shows the new one in `callout_token`, this once. For 24 hours the old one signs too:
        `webhook-signature` holds a signature of each. Token scope: `transfers`.

        Args:
            token: Generated where absent.
        """
        return self._transport.send(
            Call(
                "rotateCalloutToken",
                "POST",
                "/api/v1/limits/callout/rotate",
                read_one(models.AccountLimits),
                body={"token": token},
            )
        )

    def get_usage(self) -> models.LimitUsage:
        """Read what is used of the limits of the account.

        Of this day and night in Brasília. Token scope: `read` or `transfers`.
        """
        return self._transport.send(
            Call("getLimitUsage", "GET", "/api/v1/limits/usage", read_one(models.LimitUsage))
        )


class Banks:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def list(self, *, search: str | None = None) -> builtins.list[models.ListedBank]:
        """Find a bank by its name or code.

        Institutions with a COMPE code, by name, as the Central Bank lists them. One without such a code has
        an ISPB all the same. Token scope: `read` or `transfers`.

        Args:
            search: Part of the name, the COMPE code, or the beginning of the ISPB.
        """
        return self._transport.send(
            Call("listBanks", "GET", "/api/v1/banks", read_list(models.ListedBank), query={"search": search})
        )


class PixKeys:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def request_auth_code(
        self,
        *,
        type: inputs.CreatePixKeyAuthCodeType,
        key: str,
        provider_uuid: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.AuthCode:
        """Request the code that proves an e-mail address or phone.

        Six digits, good for ten minutes, one key and five wrong guesses. At most five codes of an account
        in 60 seconds, and to an address in an hour. The code of a test token is not sent. Token scope:
        `charges`.

        Args:
            type: What `key` is.
            key: The e-mail address, or the mobile with `+55`, that is to be a key.
            provider_uuid: A NOMINAL provider of the account; the default one where absent.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createPixKeyAuthCode",
                "POST",
                "/api/v1/pix-keys/auth-code",
                read_one(models.AuthCode),
                body={"type": type, "key": key, "provider_uuid": provider_uuid},
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def create(
        self,
        *,
        type: inputs.CreatePixKeyType,
        auth_code_id: str | None = None,
        auth_code: str | None = None,
        provider_uuid: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.PixKey:
        """Create a PIX key.

        DOCUMENT is the document of the account, EMAIL and PHONE the address that the code was sent to,
        RANDOM is made by the provider. At most three keys of a type; every call counts as an attempt, three
        in 60 seconds, except the repeat of one that has begun. Token scope: `charges`.

        Args:
            type: DOCUMENT is the document of the account, RANDOM is made by the provider, EMAIL and PHONE
                are what the code was sent to.
            auth_code_id: Of `POST /pix-keys/auth-code`; required for EMAIL and PHONE.
            auth_code: The six digits that came; required for EMAIL and PHONE.
            provider_uuid: A NOMINAL provider of the account; the default one where absent.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createPixKey",
                "POST",
                "/api/v1/pix-keys",
                read_one(models.PixKey),
                body={
                    "type": type,
                    "auth_code_id": auth_code_id,
                    "auth_code": auth_code,
                    "provider_uuid": provider_uuid,
                },
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        type: inputs.ListPixKeysType | Sequence[inputs.ListPixKeysType] | None = None,
    ) -> Page[models.PixKey]:
        """List the PIX keys of the account.

        Newest first. Only keys that were created here: a key that was registered at a provider, by which it
        receives charges, is shown by them as `payment.pix.pix_key`. Token scope: `read` or `charges`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            type: Of one of these types.
        """
        return self._transport.send(
            Call(
                "listPixKeys",
                "GET",
                "/api/v1/pix-keys",
                read_page(models.PixKey),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "type": type,
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        type: inputs.ListPixKeysType | Sequence[inputs.ListPixKeysType] | None = None,
    ) -> Iterator[models.PixKey]:
        """List the PIX keys of the account, page after page.

        Newest first. Only keys that were created here: a key that was registered at a provider, by which it
        receives charges, is shown by them as `payment.pix.pix_key`. Token scope: `read` or `charges`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            type: Of one of these types.
        """
        return iterate_pages(
            lambda cursor: self.list(per_page=per_page, time_zone=time_zone, type=type, cursor=cursor)
        )

    def get(self, key: str) -> models.PixKey:
        """Read a PIX key.

        A key of another account is not found, nor one that was not created here and by which a provider
        receives charges. Token scope: `read` or `charges`.
        """
        return self._transport.send(
            Call("getPixKey", "GET", path_of("/api/v1/pix-keys/{key}", key=key), read_one(models.PixKey))
        )

    def delete(self, key: str) -> None:
        """Remove a PIX key.

        At its provider, too. The key by which a provider receives charges is in use, and stays: 409, also
        where GET does not show it. Token scope: `charges`.
        """
        self._transport.send(
            Call("deletePixKey", "DELETE", path_of("/api/v1/pix-keys/{key}", key=key), read_nothing)
        )

    def look_up(
        self,
        *,
        pix_key: str,
        provider_uuid: str | None = None,
        document: str | None = None,
        name: str | None = None,
    ) -> models.KeyLookup:
        """Look up the owner of a PIX key.

        Shows whom a transfer would pay. The Central Bank allows a payer a number of look-ups, and a key
        that does not exist takes twenty: look up only what is to be paid. An answer is used again for a
        minute, and for ten minutes where the key does not exist. At most thirty look-ups of a token in 60
        seconds, and 3,000 of an account on a day. Token scope: `transfers`.

        Args:
            pix_key: Key of the recipient, at most 77 characters: CPF, CNPJ, e-mail, mobile with `+55`, or
                random key.
            provider_uuid: The only provider to use; where absent, the default ones in their order. A bound
                token always uses its own.
            document: CPF or CNPJ that the owner of the key should have.
            name: Name that the owner of the key should have.
        """
        return self._transport.send(
            Call(
                "lookUpPixKey",
                "POST",
                "/api/v1/pix-keys/lookup",
                read_one(models.KeyLookup),
                body={"pix_key": pix_key, "provider_uuid": provider_uuid, "document": document, "name": name},
            )
        )

    def get_lookup(self, uuid: str) -> models.KeyLookup:
        """Read a look-up of a PIX key.

        Kept for thirty days, the key masked. `budget` is null: the provider shows it. Token scope: `read`
        or `transfers`.
        """
        return self._transport.send(
            Call(
                "getPixKeyLookup",
                "GET",
                path_of("/api/v1/pix-keys/lookups/{uuid}", uuid=uuid),
                read_one(models.KeyLookup),
            )
        )


class Providers:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        status: inputs.ListProvidersStatus | Sequence[inputs.ListProvidersStatus] | None = None,
    ) -> Page[models.Provider]:
        """List the providers of the account.

        With their balances. A bound token sees its own. Token scope: `read` or `transfers`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            status: In one of these statuses.
        """
        return self._transport.send(
            Call(
                "listProviders",
                "GET",
                "/api/v1/providers",
                read_page(models.Provider),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "status": status,
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        status: inputs.ListProvidersStatus | Sequence[inputs.ListProvidersStatus] | None = None,
    ) -> Iterator[models.Provider]:
        """List the providers of the account, page after page.

        With their balances. A bound token sees its own. Token scope: `read` or `transfers`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            status: In one of these statuses.
        """
        return iterate_pages(
            lambda cursor: self.list(per_page=per_page, time_zone=time_zone, status=status, cursor=cursor)
        )

    def get_defaults(self) -> models.GetDefaultProvidersResult:
        """Read the default providers.

        In their order of priority; a bound token sees itself where it is one of them. Token scope: `read`
        or `transfers`.
        """
        return self._transport.send(
            Call(
                "getDefaultProviders",
                "GET",
                "/api/v1/providers/defaults",
                read_one(models.GetDefaultProvidersResult),
            )
        )

    def replace_defaults(
        self,
        *,
        provider_uuids: Sequence[str],
        payment_type: inputs.ReplaceDefaultProvidersPaymentType = "PIX",
    ) -> None:
        """Replace the default providers.

        Providers that are absent from the list are defaults no more. Token scope: `transfers`.

        Args:
            provider_uuids: The first is preferred, the others are fallbacks in their order.
            payment_type: PIX is the only type.
        """
        self._transport.send(
            Call(
                "replaceDefaultProviders",
                "PUT",
                "/api/v1/providers/defaults",
                read_nothing,
                body={"payment_type": payment_type, "provider_uuids": provider_uuids},
            )
        )

    def get(self, uuid: str) -> models.ProviderDetails:
        """Read a provider.

        With its balances and the look-ups of PIX keys that are left there. Another one than that of a bound
        token is not found. Token scope: `read` or `transfers`.
        """
        return self._transport.send(
            Call(
                "getProvider",
                "GET",
                path_of("/api/v1/providers/{uuid}", uuid=uuid),
                read_one(models.ProviderDetails),
            )
        )


class Webhooks:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        url: str,
        token: str | None = None,
        events: Sequence[inputs.CreateWebhookEvent] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Webhook:
        """Register a webhook.

        The endpoint must complete a TLS handshake. The token is shown whole only here. Token scope:
        `webhooks`.

        Args:
            url: https, resolving to public addresses only.
            token: Generated where absent.
            events: All where absent, except `BATCH`, `RECURRENCE` and `REPORT`, which are delivered only
                where they are named.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createWebhook",
                "POST",
                "/api/v1/webhooks",
                read_one(models.Webhook),
                body={"url": url, "token": token, "events": events},
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
    ) -> Page[models.Webhook]:
        """List the webhooks of the account.

        Newest first; tokens are masked. Token scope: `read` or `webhooks`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
        """
        return self._transport.send(
            Call(
                "listWebhooks",
                "GET",
                "/api/v1/webhooks",
                read_page(models.Webhook),
                query={"page": page, "per_page": per_page, "cursor": cursor, "time_zone": time_zone},
            )
        )

    def iterate(self, *, per_page: int = 100, time_zone: str | None = None) -> Iterator[models.Webhook]:
        """List the webhooks of the account, page after page.

        Newest first; tokens are masked. Token scope: `read` or `webhooks`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
        """
        return iterate_pages(lambda cursor: self.list(per_page=per_page, time_zone=time_zone, cursor=cursor))

    def get(self, uuid: str) -> models.Webhook:
        """Read a webhook.

        Its token is masked. Token scope: `read` or `webhooks`.
        """
        return self._transport.send(
            Call("getWebhook", "GET", path_of("/api/v1/webhooks/{uuid}", uuid=uuid), read_one(models.Webhook))
        )

    def update(
        self,
        uuid: str,
        *,
        url: str | None = None,
        token: str | None = None,
        events: Sequence[inputs.UpdateWebhookEvent] | None = None,
        status: inputs.UpdateWebhookStatus | None = None,
    ) -> models.Webhook:
        """Change a webhook.

        Only what is named changes. Another `url`, and `status` ACTIVE of a disabled one, take a TLS
        handshake. DISABLED ends what was to be delivered; `recover` brings it back. Token scope:
        `webhooks`.

        Args:
            url: https, resolving to public addresses only.
            token: Replaces the token as a rotation does.
            events: Replace the events that the endpoint receives.
            status: ACTIVE enables it again, after another TLS handshake.
        """
        return self._transport.send(
            Call(
                "updateWebhook",
                "PATCH",
                path_of("/api/v1/webhooks/{uuid}", uuid=uuid),
                read_one(models.Webhook),
                body={"url": url, "token": token, "events": events, "status": status},
            )
        )

    def delete(self, uuid: str) -> None:
        """Remove a webhook.

        Deliveries that are under way end. Token scope: `webhooks`.
        """
        self._transport.send(
            Call("deleteWebhook", "DELETE", path_of("/api/v1/webhooks/{uuid}", uuid=uuid), read_nothing)
        )

    def rotate_token(self, uuid: str, *, token: str | None = None) -> models.Webhook:
        """Replace the token of a webhook.

        Shows the new token, this once. For 24 hours the old one signs too: `webhook-signature` holds a
        signature of each. Token scope: `webhooks`.

        Args:
            token: Generated where absent.
        """
        return self._transport.send(
            Call(
                "rotateWebhookToken",
                "POST",
                path_of("/api/v1/webhooks/{uuid}/rotate", uuid=uuid),
                read_one(models.Webhook),
                body={"token": token},
            )
        )

    def test(self, uuid: str) -> models.Delivery:
        """Send a TEST event to a webhook.

        It is signed, delivered and listed like any other event; `data` is the webhook itself. Token scope:
        `webhooks`.
        """
        return self._transport.send(
            Call(
                "testWebhook",
                "POST",
                path_of("/api/v1/webhooks/{uuid}/test", uuid=uuid),
                read_one(models.Delivery),
            )
        )

    def list_deliveries(
        self,
        uuid: str,
        *,
        status: inputs.ListWebhookDeliveriesStatus
        | Sequence[inputs.ListWebhookDeliveriesStatus]
        | None = None,
        type: inputs.ListWebhookDeliveriesType | Sequence[inputs.ListWebhookDeliveriesType] | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        time_zone: str | None = None,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
    ) -> Page[models.Delivery]:
        """List the deliveries of a webhook, with each attempt.

        Newest first. Token scope: `read` or `webhooks`.

        Args:
            status: In one of these statuses.
            type: Of an event of one of these types.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            time_zone: IANA time zone of the days in this query; by default UTC.
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
        """
        return self._transport.send(
            Call(
                "listWebhookDeliveries",
                "GET",
                path_of("/api/v1/webhooks/{uuid}/deliveries", uuid=uuid),
                read_page(models.Delivery),
                query={
                    "status": status,
                    "type": type,
                    "date_from": date_from,
                    "date_to": date_to,
                    "time_zone": time_zone,
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                },
            )
        )

    def iterate_deliveries(
        self,
        uuid: str,
        *,
        status: inputs.ListWebhookDeliveriesStatus
        | Sequence[inputs.ListWebhookDeliveriesStatus]
        | None = None,
        type: inputs.ListWebhookDeliveriesType | Sequence[inputs.ListWebhookDeliveriesType] | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        time_zone: str | None = None,
        per_page: int = 100,
    ) -> Iterator[models.Delivery]:
        """List the deliveries of a webhook, with each attempt, page after page.

        Newest first. Token scope: `read` or `webhooks`.

        Args:
            status: In one of these statuses.
            type: Of an event of one of these types.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            time_zone: IANA time zone of the days in this query; by default UTC.
            per_page: Resources that are read with one request.
        """
        return iterate_pages(
            lambda cursor: self.list_deliveries(
                uuid,
                status=status,
                type=type,
                date_from=date_from,
                date_to=date_to,
                time_zone=time_zone,
                per_page=per_page,
                cursor=cursor,
            )
        )

    def resend_delivery(self, uuid: str, delivery: str) -> models.Delivery:
        """Send an event again.

        Whatever came of it before: at once, and then on the schedule from its beginning. Refused while an
        attempt is due. Token scope: `webhooks`.
        """
        return self._transport.send(
            Call(
                "resendWebhookDelivery",
                "POST",
                path_of("/api/v1/webhooks/{uuid}/deliveries/{delivery}/resend", uuid=uuid, delivery=delivery),
                read_one(models.Delivery),
            )
        )

    def recover(self, uuid: str, *, since: datetime | str) -> None:
        """Send the events that a webhook has missed.

        Sends again every subscribed event since then that was not delivered: failed, still failing, or
        never sent. Refused while an earlier recovery of the webhook runs. Token scope: `webhooks`.

        Args:
            since: ISO 8601 with its offset; not in the future.
        """
        self._transport.send(
            Call(
                "recoverWebhook",
                "POST",
                path_of("/api/v1/webhooks/{uuid}/recover", uuid=uuid),
                read_nothing,
                body={"since": since},
            )
        )


class Events:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        type: inputs.ListEventsType | Sequence[inputs.ListEventsType] | None = None,
        operation_uuid: str | None = None,
        end_to_end: str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        time_zone: str | None = None,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
    ) -> Page[Event]:
        """List the events of the last 30 days.

        Newest first, whether or not a webhook received them. A bound token sees those of its provider.
        Token scope: `read` or `webhooks`.

        Args:
            type: Of one of these types.
            operation_uuid: Of this charge, transfer, refund, dispute or PIX, and of the refunds and PIX
                that belong to it.
            end_to_end: Of the PIX with this end-to-end id, and of the charge, transfer, refund and dispute
                that it belongs to.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            time_zone: IANA time zone of the days in this query; by default UTC.
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
        """
        return self._transport.send(
            Call(
                "listEvents",
                "GET",
                "/api/v1/events",
                read_event_page,
                query={
                    "type": type,
                    "operation_uuid": operation_uuid,
                    "end_to_end": end_to_end,
                    "date_from": date_from,
                    "date_to": date_to,
                    "time_zone": time_zone,
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                },
            )
        )

    def iterate(
        self,
        *,
        type: inputs.ListEventsType | Sequence[inputs.ListEventsType] | None = None,
        operation_uuid: str | None = None,
        end_to_end: str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        time_zone: str | None = None,
        per_page: int = 100,
    ) -> Iterator[Event]:
        """List the events of the last 30 days, page after page.

        Newest first, whether or not a webhook received them. A bound token sees those of its provider.
        Token scope: `read` or `webhooks`.

        Args:
            type: Of one of these types.
            operation_uuid: Of this charge, transfer, refund, dispute or PIX, and of the refunds and PIX
                that belong to it.
            end_to_end: Of the PIX with this end-to-end id, and of the charge, transfer, refund and dispute
                that it belongs to.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            time_zone: IANA time zone of the days in this query; by default UTC.
            per_page: Resources that are read with one request.
        """
        return iterate_pages(
            lambda cursor: self.list(
                type=type,
                operation_uuid=operation_uuid,
                end_to_end=end_to_end,
                date_from=date_from,
                date_to=date_to,
                time_zone=time_zone,
                per_page=per_page,
                cursor=cursor,
            )
        )

    def get(self, id: str) -> Event:
        """Read an event.

        Exactly the body that endpoints received. Token scope: `read` or `webhooks`.
        """
        return self._transport.send(
            Call("getEvent", "GET", path_of("/api/v1/events/{id}", id=id), read_event)
        )


class Ledger:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        provider_uuid: str | None = None,
        type: inputs.ListLedgerLinesType | Sequence[inputs.ListLedgerLinesType] | None = None,
        operation_uuid: str | None = None,
        end_to_end: str | None = None,
        operation_type: inputs.ListLedgerLinesOperationType
        | Sequence[inputs.ListLedgerLinesOperationType]
        | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Page[models.LedgerLine]:
        """List what changed the available balance, with the balance after each line.

        Newest first. Each PIX is one line, in its whole value and with its `end_to_end`; fees, shares,
        holds, reversals and shortfalls have lines of their own. Token scope: `read`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            provider_uuid: Only of this provider of the account: its `uuid`.
            type: Lines of these types: what changed the balance.
            operation_uuid: The operation of the line, or the charge, transfer, refund or dispute that it
                names.
            end_to_end: Lines of the PIX with this end-to-end id: its own, and what was held, shared or
                repaid with it.
            operation_type: Lines of operations of these types. Without `operation_uuid`, `date_from` is at
                most 31 days before `date_to`.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return self._transport.send(
            Call(
                "listLedgerLines",
                "GET",
                "/api/v1/ledger",
                read_page(models.LedgerLine),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "provider_uuid": provider_uuid,
                    "type": type,
                    "operation_uuid": operation_uuid,
                    "end_to_end": end_to_end,
                    "operation_type": operation_type,
                    "date_from": date_from,
                    "date_to": date_to,
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        provider_uuid: str | None = None,
        type: inputs.ListLedgerLinesType | Sequence[inputs.ListLedgerLinesType] | None = None,
        operation_uuid: str | None = None,
        end_to_end: str | None = None,
        operation_type: inputs.ListLedgerLinesOperationType
        | Sequence[inputs.ListLedgerLinesOperationType]
        | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
    ) -> Iterator[models.LedgerLine]:
        """List what changed the available balance, with the balance after each line, page after page.

        Newest first. Each PIX is one line, in its whole value and with its `end_to_end`; fees, shares,
        holds, reversals and shortfalls have lines of their own. Token scope: `read`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            provider_uuid: Only of this provider of the account: its `uuid`.
            type: Lines of these types: what changed the balance.
            operation_uuid: The operation of the line, or the charge, transfer, refund or dispute that it
                names.
            end_to_end: Lines of the PIX with this end-to-end id: its own, and what was held, shared or
                repaid with it.
            operation_type: Lines of operations of these types. Without `operation_uuid`, `date_from` is at
                most 31 days before `date_to`.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
        """
        return iterate_pages(
            lambda cursor: self.list(
                per_page=per_page,
                time_zone=time_zone,
                provider_uuid=provider_uuid,
                type=type,
                operation_uuid=operation_uuid,
                end_to_end=end_to_end,
                operation_type=operation_type,
                date_from=date_from,
                date_to=date_to,
                cursor=cursor,
            )
        )

    def get_balances(
        self,
        *,
        provider_uuid: str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        time_zone: str | None = None,
    ) -> models.LedgerBalances:
        """Read the opening and closing balance of a period, and what its lines add and take, by provider.

        The opening balance and the lines add up to the closing balance. Token scope: `read`.

        Args:
            provider_uuid: Only of this provider of the account: its `uuid`.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            time_zone: IANA time zone of the days in this query; by default UTC.
        """
        return self._transport.send(
            Call(
                "getLedgerBalances",
                "GET",
                "/api/v1/ledger/balances",
                read_one(models.LedgerBalances),
                query={
                    "provider_uuid": provider_uuid,
                    "date_from": date_from,
                    "date_to": date_to,
                    "time_zone": time_zone,
                },
            )
        )

    def export_csv(
        self,
        *,
        provider_uuid: str | None = None,
        type: inputs.ExportLedgerCsvType | Sequence[inputs.ExportLedgerCsvType] | None = None,
        operation_uuid: str | None = None,
        end_to_end: str | None = None,
        operation_type: inputs.ExportLedgerCsvOperationType
        | Sequence[inputs.ExportLedgerCsvOperationType]
        | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        time_zone: str | None = None,
        decimal: inputs.ExportLedgerCsvDecimal | None = None,
    ) -> bytes:
        """Export the lines as CSV, the oldest first.

        UTF-8 with a byte order mark, semicolons, CRLF. Amounts have their sign, times are those of
        `time_zone`. All lines of the filters are in one file. Token scope: `read`.

        Args:
            provider_uuid: Only of this provider of the account: its `uuid`.
            type: Lines of these types: what changed the balance.
            operation_uuid: The operation of the line, or the charge, transfer, refund or dispute that it
                names.
            end_to_end: Lines of the PIX with this end-to-end id: its own, and what was held, shared or
                repaid with it.
            operation_type: Lines of operations of these types. Without `operation_uuid`, `date_from` is at
                most 31 days before `date_to`.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            time_zone: IANA time zone of the days in this query; by default UTC.
            decimal: Decimal separator; a Brazilian Excel reads COMMA.
        """
        return self._transport.send(
            Call(
                "exportLedgerCsv",
                "GET",
                "/api/v1/ledger.csv",
                read_content,
                query={
                    "provider_uuid": provider_uuid,
                    "type": type,
                    "operation_uuid": operation_uuid,
                    "end_to_end": end_to_end,
                    "operation_type": operation_type,
                    "date_from": date_from,
                    "date_to": date_to,
                    "time_zone": time_zone,
                    "decimal": decimal,
                },
                accept="text/csv",
            )
        )

    def export_ofx(
        self,
        *,
        provider_uuid: str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        time_zone: str | None = None,
    ) -> bytes:
        """Export the lines as OFX 1.02, the oldest first.

        One statement per provider account, with its closing balance. `FITID` is the `line_uuid`, dates have
        no time. Orders that never left, and those of today that may still fail, are left out. Token scope:
        `read`.

        Args:
            provider_uuid: Only of this provider of the account: its `uuid`.
            date_from: Created on this day or later, in `time_zone`: `YYYY-MM-DD`.
            date_to: Created on this day or earlier, in `time_zone`: `YYYY-MM-DD`.
            time_zone: IANA time zone of the days in this query; by default UTC.
        """
        return self._transport.send(
            Call(
                "exportLedgerOfx",
                "GET",
                "/api/v1/ledger.ofx",
                read_content,
                query={
                    "provider_uuid": provider_uuid,
                    "date_from": date_from,
                    "date_to": date_to,
                    "time_zone": time_zone,
                },
                accept="application/x-ofx",
            )
        )


class Reports:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        kind: inputs.CreateReportKind,
        format: inputs.CreateReportFormat,
        date_from: date | str,
        date_to: date | str,
        provider_uuid: str | None = None,
        decimal: inputs.CreateReportDecimal | None = None,
        idempotency_key: str | None = None,
    ) -> models.Report:
        """Order a report of at most 92 days.

        Its file is made in the background, one of an account at a time, and kept for 30 days. Days are
        those of Brasília. A report of days that are over has the same bytes whenever it is made,
        RECONCILIATION excepted. Token scope: `read`.

        Args:
            kind: LEDGER: all lines of the statement. PAYMENTS, TRANSFERS, REFUNDS: those of such
                operations, with their fees. MEDS, RECURRENCES: those of disputes, and of charges of
                recurrences. FEES: fees alone. RECONCILIATION: differences between the statements of providers
                and the ledger.
            format: OFX for LEDGER only.
            date_from: The first day, by the clocks of Brasília.
            date_to: The last day, at most 92 days in all; today makes the report partial, by the clocks of
                Brasília.
            provider_uuid: Only this provider of the account; a bound token has its own.
            decimal: Decimal separator of CSV; a Brazilian Excel reads COMMA.
            idempotency_key: Repeat a call with the key of the first one to get its result; made for each
                call where absent.
        """
        return self._transport.send(
            Call(
                "createReport",
                "POST",
                "/api/v1/reports",
                read_one(models.Report),
                body={
                    "kind": kind,
                    "format": format,
                    "provider_uuid": provider_uuid,
                    "decimal": decimal,
                    "date_from": date_from,
                    "date_to": date_to,
                },
                is_keyed=True,
                idempotency_key=idempotency_key,
            )
        )

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        kind: inputs.ListReportsKind | Sequence[inputs.ListReportsKind] | None = None,
        status: inputs.ListReportsStatus | Sequence[inputs.ListReportsStatus] | None = None,
    ) -> Page[models.Report]:
        """List reports.

        Newest first, those without a file included. Token scope: `read`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            kind: Reports of these kinds.
            status: Reports with one of these statuses.
        """
        return self._transport.send(
            Call(
                "listReports",
                "GET",
                "/api/v1/reports",
                read_page(models.Report),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "uuid": uuid,
                    "kind": kind,
                    "status": status,
                },
            )
        )

    def iterate(
        self,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        uuid: str | Sequence[str] | None = None,
        kind: inputs.ListReportsKind | Sequence[inputs.ListReportsKind] | None = None,
        status: inputs.ListReportsStatus | Sequence[inputs.ListReportsStatus] | None = None,
    ) -> Iterator[models.Report]:
        """List reports, page after page.

        Newest first, those without a file included. Token scope: `read`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            uuid: Only these, at most 100; repeated or separated by commas.
            kind: Reports of these kinds.
            status: Reports with one of these statuses.
        """
        return iterate_pages(
            lambda cursor: self.list(
                per_page=per_page, time_zone=time_zone, uuid=uuid, kind=kind, status=status, cursor=cursor
            )
        )

    def get_schedules(self) -> models.ReportSchedules:
        """Read the schedules of reports.

        Token scope: `read`.
        """
        return self._transport.send(
            Call("getReportSchedules", "GET", "/api/v1/reports/schedules", read_one(models.ReportSchedules))
        )

    def replace_schedules(self, *, schedules: Sequence[inputs.ReportScheduleOrder]) -> models.ReportSchedules:
        """Replace the schedules of reports.

        Each orders a report of the day before, or of the seven days before, after its hour of Brasília;
        none orders any more that is not sent. Token scope: `read`.
        """
        return self._transport.send(
            Call(
                "replaceReportSchedules",
                "PUT",
                "/api/v1/reports/schedules",
                read_one(models.ReportSchedules),
                body={"schedules": schedules},
            )
        )

    def get(self, uuid: str) -> models.Report:
        """Read a report.

        Token scope: `read`.
        """
        return self._transport.send(
            Call("getReport", "GET", path_of("/api/v1/reports/{uuid}", uuid=uuid), read_one(models.Report))
        )

    def delete(self, uuid: str) -> models.Report:
        """Cancel a report, or delete its file.

        A PENDING report is FAILED then, a READY one EXPIRED; any other is answered as it is. Token scope:
        `read`.
        """
        return self._transport.send(
            Call(
                "deleteReport",
                "DELETE",
                path_of("/api/v1/reports/{uuid}", uuid=uuid),
                read_one(models.Report),
            )
        )

    def download(self, uuid: str) -> bytes:
        """Download the file of a READY report.

        In the format of the report, which has its length and its digest. Token scope: `read`.
        """
        return self._transport.send(
            Call(
                "downloadReport",
                "GET",
                path_of("/api/v1/reports/{uuid}/download", uuid=uuid),
                read_content,
                accept="application/octet-stream",
            )
        )


class Reconciliations:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
    ) -> Page[models.Reconciliation]:
        """List what the reconciliation has found at each provider.

        Of NOMINAL providers: the account of a POOL belongs to several accounts. Token scope: `read`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
        """
        return self._transport.send(
            Call(
                "listReconciliations",
                "GET",
                "/api/v1/reconciliations",
                read_page(models.Reconciliation),
                query={"page": page, "per_page": per_page, "cursor": cursor, "time_zone": time_zone},
            )
        )

    def iterate(
        self, *, per_page: int = 100, time_zone: str | None = None
    ) -> Iterator[models.Reconciliation]:
        """List what the reconciliation has found at each provider, page after page.

        Of NOMINAL providers: the account of a POOL belongs to several accounts. Token scope: `read`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
        """
        return iterate_pages(lambda cursor: self.list(per_page=per_page, time_zone=time_zone, cursor=cursor))

    def get(self, uuid: str) -> models.Reconciliation:
        """Read what the reconciliation has found at a provider.

        Token scope: `read`.
        """
        return self._transport.send(
            Call(
                "getReconciliation",
                "GET",
                path_of("/api/v1/reconciliations/{uuid}", uuid=uuid),
                read_one(models.Reconciliation),
            )
        )

    def list_differences(
        self,
        uuid: str,
        *,
        page: int | None = None,
        per_page: int | None = None,
        cursor: str | None = None,
        time_zone: str | None = None,
        kind: inputs.ListReconciliationDifferencesKind
        | Sequence[inputs.ListReconciliationDifferencesKind]
        | None = None,
        status: inputs.ListReconciliationDifferencesStatus
        | Sequence[inputs.ListReconciliationDifferencesStatus]
        | None = None,
    ) -> Page[models.ReconciliationDifference]:
        """List the PIX on which a provider and the ledger differ.

        Newest first, with those that were settled or closed. Token scope: `read`.

        Args:
            page: Number of the page, from 1.
            per_page: Rows of a page, by default 15; where `uuid` names more, as many as it names.
            cursor: Instead of `page`: empty for the first page, then the `next_cursor` of the page before.
                Rows that are added meanwhile neither repeat nor hide others.
            time_zone: IANA time zone of the days in this query; by default UTC.
            kind: Differences of these kinds.
            status: Differences with one of these statuses.
        """
        return self._transport.send(
            Call(
                "listReconciliationDifferences",
                "GET",
                path_of("/api/v1/reconciliations/{uuid}/differences", uuid=uuid),
                read_page(models.ReconciliationDifference),
                query={
                    "page": page,
                    "per_page": per_page,
                    "cursor": cursor,
                    "time_zone": time_zone,
                    "kind": kind,
                    "status": status,
                },
            )
        )

    def iterate_differences(
        self,
        uuid: str,
        *,
        per_page: int = 100,
        time_zone: str | None = None,
        kind: inputs.ListReconciliationDifferencesKind
        | Sequence[inputs.ListReconciliationDifferencesKind]
        | None = None,
        status: inputs.ListReconciliationDifferencesStatus
        | Sequence[inputs.ListReconciliationDifferencesStatus]
        | None = None,
    ) -> Iterator[models.ReconciliationDifference]:
        """List the PIX on which a provider and the ledger differ, page after page.

        Newest first, with those that were settled or closed. Token scope: `read`.

        Args:
            per_page: Resources that are read with one request.
            time_zone: IANA time zone of the days in this query; by default UTC.
            kind: Differences of these kinds.
            status: Differences with one of these statuses.
        """
        return iterate_pages(
            lambda cursor: self.list_differences(
                uuid, per_page=per_page, time_zone=time_zone, kind=kind, status=status, cursor=cursor
            )
        )


class Health:
    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport

    def get_liveness(self) -> models.Health:
        """Whether the process is up.

        Looks at nothing else.
        """
        return self._transport.send(Call("getLiveness", "GET", "/healthz", read_whole(models.Health)))

    def get_readiness(self) -> models.Health:
        """Whether PostgreSQL is migrated and takes writes, Temporal can be reached, and the process is not stopping.

        Where it is not, `data` names the part that does not answer.
        """
        return self._transport.send(Call("getReadiness", "GET", "/readyz", read_whole(models.Health)))


class Resources:
    def __init__(self, transport: SyncTransport) -> None:
        self.payments = Payments(transport)
        self.qr_codes = QrCodes(transport)
        self.payment_links = PaymentLinks(transport)
        self.recurrences = Recurrences(transport)
        self.refunds = Refunds(transport)
        self.deposits = Deposits(transport)
        self.meds = Meds(transport)
        self.transfer_batches = TransferBatches(transport)
        self.transfers = Transfers(transport)
        self.receipts = Receipts(transport)
        self.limits = Limits(transport)
        self.banks = Banks(transport)
        self.pix_keys = PixKeys(transport)
        self.providers = Providers(transport)
        self.webhooks = Webhooks(transport)
        self.events = Events(transport)
        self.ledger = Ledger(transport)
        self.reports = Reports(transport)
        self.reconciliations = Reconciliations(transport)
        self.health = Health(transport)
