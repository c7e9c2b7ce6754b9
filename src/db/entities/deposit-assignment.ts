import { defineEntity, p } from '@mikro-orm/core'
import { orderAuthorColumns, timestampColumn } from './columns.ts'

const schema = defineEntity({
  name: 'DepositAssignment',
  properties: {
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    /** The deposit, which pays the charge. */
    movementUuid: p.uuid(),
    qrCodeUuid: p.uuid(),
    chargeUuid: p.uuid(),
    ...orderAuthorColumns(),
    requestId: p.text(),
    /** Digest of the request that created it: a repeat has the same. */
    fingerprint: p.text(),
    createdAt: timestampColumn(),
  },
})

/** The order of an account by which a deposit has become the payment of a static code; never changed. */
export class DepositAssignment extends schema.class {}
schema.setClass(DepositAssignment)
