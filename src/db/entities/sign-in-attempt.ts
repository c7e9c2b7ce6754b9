import { defineEntity } from '@mikro-orm/core'
import { timestampColumn } from './columns.ts'

/** An attempt to sign in that failed or is undecided, by hashes. */
const schema = defineEntity({
  name: 'StoredSignInAttempt',
  tableName: 'sign_in_attempt',
  properties: p => ({
    id: p.bigint('number').primary(),
    emailHash: p.blob(),
    addressHash: p.blob(),
    /** Null for a device that has not signed in before. */
    deviceHash: p.blob().nullable(),
    /** By PostgreSQL's clock. */
    at: timestampColumn().defaultRaw('now()'),
  }),
})

export class StoredSignInAttempt extends schema.class {}
schema.setClass(StoredSignInAttempt)
