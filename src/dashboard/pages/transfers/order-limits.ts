import type { CallerToken } from '../../../api/authorization/authenticate.ts'
import {
  evaluateOrderLimits,
  type PlannedTransfer,
  readLimits,
  readUsedLimits,
} from '../../../api/operations/limits.ts'
import { listAccountMembers } from '../../../db/repositories/account-users.ts'
import { type ApprovalRule, needsApproval } from '../../../domain/approvals/approval.ts'
import { roleHasPermission } from '../../../domain/users/roles.ts'
import { fail } from '../../../http/api-error.ts'
import type { PageContext } from '../../http/page-context.ts'

/** What the limits of an account say about a transfer before it is ordered, in the words of its form. */

type LimitVisit = Pick<PageContext<'merchant'>, 'em' | 't' | 'f' | 'session'>

/** `exceeded`: the limit that the order exceeds. `approval`: the approvals that it waits for, in short and in whole sentences. */
export type OrderLimits = { exceeded: string | null; approval: { rule: string; text: string } | null }

/** Most names of users that a sentence lists. */
const MAX_NAMES = 3

/** Reads what the limits in force say about an order. */
export async function readOrderLimits(
  visit: LimitVisit,
  token: CallerToken,
  order: PlannedTransfer,
): Promise<OrderLimits> {
  const { em, t, f } = visit
  const { exceeded, approvals } = await evaluateOrderLimits(em.fork(), token, order)
  const resets = exceeded?.resetsAt ? ` ${t('limits.resets', { time: f.plainTime(exceeded.resetsAt) })}` : ''
  return {
    exceeded:
      exceeded && t(`limits.exceeded.${exceeded.limit}`, { left: f.money(exceeded.leftCents) }) + resets,
    approval: approvals && (await describeApproval(visit, token, approvals)),
  }
}

/** Describes the approvals that an order waits for, and who may give them: never who orders it. */
async function describeApproval(
  { em, t, f, session }: LimitVisit,
  { accountUuid }: CallerToken,
  { aboveCents, count, expiresHours, calloutUrl }: ApprovalRule,
  phrase: 'approvals.waitsFor' | 'batch.waitsFor' = 'approvals.waitsFor',
) {
  const members = await listAccountMembers(em.fork(), { accountUuid })
  const approvers = members
    .filter(({ role, disabledAt }) => disabledAt === null && roleHasPermission(role, 'transfers.write'))
    .map(({ email }) => email)
    .filter(email => email !== session.user.email)
  const shownNames = approvers.slice(0, MAX_NAMES)
  const names = approvers.length > MAX_NAMES ? [...shownNames, t('approvals.others')] : shownNames
  const persons = t(count === 1 ? 'limits.onePerson' : 'limits.twoPersons')
  const waits = t(phrase, { amount: f.money(aboveCents), persons, hours: expiresHours })
  const who =
    approvers.length === 0
      ? t('approvals.noApprover')
      : approvers.length < count
        ? t('approvals.oneApprover', { name: approvers[0]! })
        : t('approvals.mayApprove', { names: f.anyOf(names) })
  return {
    rule: t('approvals.ruleIs', { persons, hours: expiresHours }),
    text: [waits, t('approvals.notYou'), who, ...(calloutUrl ? [t('approvals.serverToo')] : [])].join(' '),
  }
}

/** What the limits say about an order, and whether they refuse it. */
export type LimitText = { text: string; isRefused: boolean; isHint?: boolean }

/** Lists the texts about an order. */
export function listLimitTexts({ exceeded, approval }: OrderLimits): LimitText[] {
  if (exceeded) return [{ text: exceeded, isRefused: true }]
  return approval ? [{ text: approval.text, isRefused: false }] : []
}

/** Lists what the limits say about a batch before it is ordered: the approval of its sum, and what is left of the day. */
export async function listBatchLimitTexts(
  visit: LimitVisit,
  token: CallerToken,
  { valueCents, isScheduled }: { valueCents: number; isScheduled: boolean },
): Promise<LimitText[]> {
  const { em, t, f } = visit
  const { approvals } = await readLimits(em.fork(), token)
  const rule = approvals && {
    aboveCents: approvals.above,
    count: approvals.count,
    expiresHours: approvals.expires_hours,
    calloutUrl: approvals.callout_url,
  }
  const { left } = (await readUsedLimits(em.fork(), token)).per_day
  const isOverDay = left !== null && !isScheduled && valueCents > left
  return [
    ...(isOverDay ? [t('batch.overDay', { left: f.money(left) })] : []),
    ...(needsApproval(rule, valueCents)
      ? [(await describeApproval(visit, token, rule, 'batch.waitsFor')).text]
      : []),
  ].map(text => ({ text, isRefused: false }))
}

/** Fails, at the field of the value, where an order would be refused for a limit: nothing is stored of it. */
export function requireWithinLimits({ exceeded }: OrderLimits): void {
  if (exceeded) fail('over_limit', { errors: { value: [exceeded] } })
}

/** Lists what is used of the limits that are set, as the page of the limits shows it. */
export async function listShownUsage({ em }: LimitVisit, token: CallerToken) {
  const usage = Object.entries(await readUsedLimits(em.fork(), token))
  return usage.map(([name, used]) => ({ name, ...used })).filter(({ limit }) => limit !== null)
}
