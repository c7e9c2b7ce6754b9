import { defineEntity } from '@mikro-orm/core'
import { primaryKeyColumn, textColumn, timestampColumn, unionColumn } from './columns.ts'

/** A merchant: whose money moves, and by which policies. */
const schema = defineEntity({
  name: 'Account',
  properties: p => ({
    uuid: primaryKeyColumn(),
    name: textColumn(),
    document: textColumn(),
    status: unionColumn<'ACTIVE' | 'BLOCKED'>().default('ACTIVE'),
    /** What becomes of money that is no charge's: back to the payer once, or kept (SPEC §2). */
    unmatchedPolicy: unionColumn<'refund' | 'keep'>().default('refund'),
    /** Bears what moves at a shared provider account without its merchants; at most one account does. */
    isService: p.boolean().default(false),
    uniqueExternalRef: p.boolean().default(false),
    createdAt: timestampColumn().onCreate(() => new Date()),
  }),
})

export class Account extends schema.class {}
schema.setClass(Account)
