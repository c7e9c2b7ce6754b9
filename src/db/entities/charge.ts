import { defineEntity } from '@mikro-orm/core'
import type { ChargeState } from '../../domain/charges/charge.ts'
import type { DueTerms, PaidParts } from '../../domain/charges/due-terms.ts'
import type { DocumentMatch, PayerKind } from '../../domain/charges/payer-restriction.ts'
import type { SplitStatus, SplitType } from '../../domain/charges/split.ts'
import type { AdditionalInfo, DebtorAddress } from '../../domain/providers/provider.ts'
import type { ChargeTry } from '../../domain/recurrences/charge-try.ts'
import type { PaymentStatus } from '../../domain/shared/payment-status.ts'
import { Account } from './account.ts'
import { centsColumn, historyColumn, timestampColumn, unionColumn } from './columns.ts'
import { Connection } from './connection.ts'
import { orderColumns } from './order.ts'
import { PartyType } from './party.ts'
import type { OperationFailure } from './transfer.ts'

/** Why no provider issued the charge: the last refusal or a code of the catalogue, and each provider's outcome. */
type ChargeFailure = OperationFailure & {
  attempts: { provider: string; outcome: string; code: string }[]
}

/** What a charge with a due date asked when it was issued, before its first revision. */
type IssuedTerms = {
  valueCents: number
  totalCents: number
  due: DueTerms
  message: string | null
  /** ISO 8601 UTC. */
  expiresAt: string | null
}

const charge = defineEntity({
  name: 'Charge',
  properties: p => ({
    ...orderColumns(),
    connection: () => p.manyToOne(Connection),
    state: unionColumn<ChargeState>(),
    totalCents: centsColumn(),
    externalRef: p.text().nullable(),
    beneficiaryName: p.text().nullable(),
    beneficiaryDocument: p.text().nullable(),
    debtorName: p.text().nullable(),
    debtorDocument: p.text().nullable(),
    debtorEmail: p.text().nullable(),
    debtorAddress: p.json<DebtorAddress>().nullable(),
    /** Only the debtor may pay. */
    isSenderVerified: p.boolean().default(false),
    payerKind: unionColumn<PayerKind>().nullable(),
    payerMatch: unionColumn<DocumentMatch>().nullable(),
    /** When it is to be paid; null of a charge without a due date. */
    due: p.json<DueTerms>().nullable(),
    /** Number of its last revision that its provider has accepted. */
    revision: p.integer().default(0),
    issuedAs: p.json<IssuedTerms>().nullable(),
    /** What its payment consists of, where its provider has reported that. */
    paidParts: p.json<PaidParts>().nullable(),
    /** The recurrence whose payer it debits, for which cycle, and the due day of that; null of any other charge. */
    recurrenceUuid: p.uuid().nullable(),
    cycle: p.integer().nullable(),
    debitOn: p.text().nullable(),
    /** Of a debit: its tries, as its provider has reported them. */
    tries: p.json<ChargeTry[]>().onCreate(() => []),
    message: p.text().nullable(),
    additionalInfo: p.json<AdditionalInfo[]>(),
    metadata: p.json<Record<string, string>>(),
    paymentUuid: p.uuid(),
    payload: p.text().nullable(),
    txid: p.text().nullable(),
    /** Key and receiver of the payload; null once the charge is paid, because its movement has them. */
    pixKey: p.text().nullable(),
    receiver: p.type(PartyType).nullable(),
    /** Null of a static code, which does not expire. */
    expiresInSeconds: p.integer().nullable(),
    expiresAt: timestampColumn().nullable(),
    cancelRequestedAt: timestampColumn().nullable(),
    /** A cancel request may have removed the payload, but its answer was lost. */
    cancelUnanswered: p.boolean().default(false),
    paidAt: timestampColumn().nullable(),
    receivedCents: centsColumn().default(0),
    refundingCents: centsColumn().default(0),
    refundedCents: centsColumn().default(0),
    disputedCents: centsColumn().default(0),
    /** The static code that it is paid to; null where its provider has issued the payload. */
    qrCodeUuid: p.uuid().nullable(),
    failure: p.json<ChargeFailure>().nullable(),
    history: historyColumn<PaymentStatus>(),
    splits: () => p.oneToMany(Split).mappedBy('charge').orderBy({ position: 'asc' }),
  }),
})

/** A charge (PIX In): the order, its payload, its payer and its state. */
export class Charge extends charge.class {
  /** Written by `transition` alone (src/activities/shared/transition.ts). */
  declare readonly state: ChargeState
}
charge.setClass(Charge)

const split = defineEntity({
  name: 'Split',
  properties: p => ({
    uuid: p.uuid().primary(),
    charge: () => p.manyToOne(Charge),
    position: p.integer(),
    type: unionColumn<SplitType>(),
    /** Hundredths of a percent; centavos if FIXED. */
    amount: centsColumn(),
    recipient: () => p.manyToOne(Account).name('recipient_account_uuid'),
    status: unionColumn<SplitStatus>(),
    creditedCents: centsColumn().default(0),
    /** Centavos that settled refunds have asked back from the split; the recipient's balance may have covered less. */
    returnRequestedCents: centsColumn().default(0),
  }),
})

/** Part of a charge that another account is credited when it is paid. */
export class Split extends split.class {
  /** Written by `transitionStatus` alone (src/activities/shared/transition.ts). */
  declare readonly status: SplitStatus
}
split.setClass(Split)
