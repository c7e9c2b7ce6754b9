import { defineEntity } from '@mikro-orm/core'
import { key, moment, oneOf, text } from '../columns.ts'

/** A merchant: whose money moves, and by which policies. */
const schema = defineEntity({
  name: 'Account',
  properties: p => ({
    uuid: key(),
    name: text(),
    document: text(),
    status: oneOf<'ACTIVE' | 'BLOCKED'>().default('ACTIVE'),
    /** What becomes of money that is no charge's: back to the payer once, or kept (SPEC §2). */
    unmatchedPolicy: oneOf<'refund' | 'keep'>().default('refund'),
    /** Bears what moves at a shared provider account without its merchants; at most one account does. */
    isService: p.boolean().default(false),
    uniqueExternalRef: p.boolean().default(false),
    createdAt: moment().onCreate(() => new Date()),
  }),
})

export class Account extends schema.class {}
schema.setClass(Account)
