import { defineEntity } from '@mikro-orm/core'
import { TOKEN_SCOPES, type TokenScope } from '../../domain/tokens/token-scope.ts'
import { createdAtColumn, timestampColumn, unionColumn } from './columns.ts'

/** An API token of an account, optionally bound to one connection; only its SHA-256 is stored. */
const schema = defineEntity({
  name: 'Token',
  properties: p => ({
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    connectionUuid: p.uuid().nullable(),
    name: p.text(),
    /** The person who made it, as approvals name persons; null: a program. */
    author: p.text().nullable(),
    mode: unionColumn<'live' | 'test'>(),
    scopes: p
      .array()
      .$type<TokenScope[]>()
      .onCreate(() => [...TOKEN_SCOPES]),
    allowedAddresses: p
      .array()
      .$type<string[]>()
      .onCreate(() => []),
    prefix: p.text(),
    hash: p.blob(),
    expiresAt: timestampColumn().nullable(),
    revokedAt: timestampColumn().nullable(),
    lastUsedAt: timestampColumn().nullable(),
    createdAt: createdAtColumn(),
  }),
})

export class Token extends schema.class {}
schema.setClass(Token)
