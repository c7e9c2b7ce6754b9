import { defineEntity } from '@mikro-orm/core'
import { key, moment, oneOf, text, uuid } from '../columns.ts'

/** An API key of an account, perhaps bound to one connection; only its SHA-256 is kept. */
const schema = defineEntity({
  name: 'Token',
  properties: p => ({
    uuid: key(),
    accountUuid: uuid(),
    connectionUuid: uuid().nullable(),
    name: text(),
    mode: oneOf<'live' | 'test'>(),
    prefix: text(),
    hash: p.blob(),
    expiresAt: moment().nullable(),
    revokedAt: moment().nullable(),
    lastUsedAt: moment().nullable(),
    createdAt: moment().onCreate(() => new Date()),
  }),
})

export class Token extends schema.class {}
schema.setClass(Token)
