import { defineEntity } from '@mikro-orm/core'
import { createdAtColumn } from './columns.ts'

const chargeExpiry = defineEntity({
  name: 'ChargeExpiry',
  properties: p => ({
    chargeUuid: p.uuid().primary(),
    /** Name of the operator, as in the operator actions. */
    confirmedBy: p.text(),
    reason: p.text(),
    confirmedAt: createdAtColumn(),
  }),
})

/** An operator's confirmation that a charge past its expiry was not paid, though its provider calls it completed. */
export class ChargeExpiry extends chargeExpiry.class {}
chargeExpiry.setClass(ChargeExpiry)
