import { defineEntity } from '@mikro-orm/core'
import { idColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'

/** An API token of an account, optionally bound to one connection; only its SHA-256 is stored. */
const schema = defineEntity({
  name: 'Token',
  properties: p => ({
    uuid: idColumn(),
    accountUuid: uuidColumn(),
    connectionUuid: uuidColumn().nullable(),
    name: textColumn(),
    mode: unionColumn<'live' | 'test'>(),
    prefix: textColumn(),
    hash: p.blob(),
    expiresAt: timestampColumn().nullable(),
    revokedAt: timestampColumn().nullable(),
    lastUsedAt: timestampColumn().nullable(),
    createdAt: timestampColumn().onCreate(() => new Date()),
  }),
})

export class Token extends schema.class {}
schema.setClass(Token)
