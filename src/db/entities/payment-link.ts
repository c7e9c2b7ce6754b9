import { defineEntity } from '@mikro-orm/core'
import type { ChargeSplit } from '../../domain/charges/split.ts'
import { centsColumn, orderAuthorColumns, timestampColumn, unionColumn } from './columns.ts'

const paymentLink = defineEntity({
  name: 'PaymentLink',
  properties: p => ({
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    mode: unionColumn<'live' | 'test'>(),
    /** The charge that it shows; null where each payer gets a charge of its own. */
    chargeUuid: p.uuid().nullable(),
    tokenHash: p.blob(),
    sealedToken: p.text(),
    /** What the payer reads about the charge, besides its value and the name of the account. */
    note: p.text().nullable(),
    /** The only provider of its charges; null: the default ones. */
    connectionUuid: p.uuid().nullable(),
    /** Null only of a link that shows a charge, as are `expiresInSeconds` and `maxPayments`. */
    valueCents: centsColumn().nullable(),
    expiresInSeconds: p.integer().nullable(),
    externalRef: p.text().nullable(),
    splits: p.json<ChargeSplit[]>(),
    metadata: p.json<Record<string, string>>(),
    /** Most charges that are paid or can be paid at one time. */
    maxPayments: p.integer().nullable(),
    expiresAt: timestampColumn().nullable(),
    ...orderAuthorColumns(),
    requestId: p.text(),
    fingerprint: p.text(),
    createdAt: timestampColumn(),
    revokedAt: timestampColumn().nullable(),
  }),
})

/** A public address at which a payer sees a PIX code: that of a charge, or of one that is created for the payer. */
export class PaymentLink extends paymentLink.class {}
paymentLink.setClass(PaymentLink)
