import { defineEntity } from '@mikro-orm/core'
import { createdAtColumn, timestampColumn } from './columns.ts'

/** The second factor of a user: a shared secret, from which an authenticator computes codes (RFC 6238). */
const userTotp = defineEntity({
  name: 'UserTotp',
  properties: p => ({
    uuid: p.uuid().primary(),
    userUuid: p.uuid(),
    sealedSecret: p.text(),
    /** Time step of the last accepted code. */
    lastStep: p.bigint('number'),
    createdAt: createdAtColumn(),
  }),
})

export class UserTotp extends userTotp.class {}
userTotp.setClass(UserTotp)

const recoveryCode = defineEntity({
  name: 'RecoveryCode',
  properties: p => ({
    totpUuid: p.uuid().primary(),
    hash: p.blob().primary(),
    usedAt: timestampColumn().nullable(),
  }),
})

/** A code that replaces the authenticator once. */
export class RecoveryCode extends recoveryCode.class {}
recoveryCode.setClass(RecoveryCode)
