import { defineEntity } from '@mikro-orm/core'
import { DEFAULT_TIME_ZONE } from '../../domain/shared/time-zone.ts'
import type { WrongPayerPolicy } from '../../domain/unmatched/deposit-return.ts'
import { createdAtColumn, unionColumn } from './columns.ts'

/** A merchant's account with its policies. */
const schema = defineEntity({
  name: 'Account',
  properties: p => ({
    uuid: p.uuid().primary(),
    name: p.text(),
    document: p.text(),
    status: unionColumn<'ACTIVE' | 'BLOCKED'>().default('ACTIVE'),
    /** Policy for a PIX that no charge expects: return it once, or keep it (SPEC §2). */
    wrongPayerPolicy: unionColumn<WrongPayerPolicy>().default('return'),
    unmatchedPolicy: unionColumn<'refund' | 'keep'>().default('refund'),
    /** Who pays a disputed charge that was split: the recipients their shares, as of a refund, or the owner all (SPEC §5). */
    disputedSplitPolicy: unionColumn<'share' | 'owner'>().default('share'),
    /** Bears movements at a shared provider account that belong to no merchant; at most one account does. */
    isService: p.boolean().default(false),
    uniqueExternalRef: p.boolean().default(false),
    /** IANA time zone of its days and times in the dashboard. */
    timeZone: p.text().default(DEFAULT_TIME_ZONE),
    createdAt: createdAtColumn(),
  }),
})

export class Account extends schema.class {}
schema.setClass(Account)
