import { defineEntity } from '@mikro-orm/core'
import { createdAtColumn, timestampColumn } from './columns.ts'

const paymentLink = defineEntity({
  name: 'PaymentLink',
  properties: p => ({
    uuid: p.uuid().primary(),
    chargeUuid: p.uuid(),
    tokenHash: p.blob(),
    sealedToken: p.text(),
    /** What the payer reads about the charge, besides its value and the name of the account. */
    note: p.text().nullable(),
    createdBy: p.uuid(),
    createdAt: createdAtColumn(),
    revokedAt: timestampColumn().nullable(),
  }),
})

/** A public address at which the payer of one charge sees its PIX code. */
export class PaymentLink extends paymentLink.class {}
paymentLink.setClass(PaymentLink)
