import { defineEntity } from '@mikro-orm/core'
import { createdAtColumn } from './columns.ts'

/** The second factor of a user: a shared secret, from which an authenticator computes codes (RFC 6238). */
const schema = defineEntity({
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

export class UserTotp extends schema.class {}
schema.setClass(UserTotp)
