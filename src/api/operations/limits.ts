import type { z } from 'zod'
import {
  type limitsSchema,
  type limitUsageSchema,
  parseRequestedLimits,
  type ReplaceLimitsBody,
  showLimits,
  showLimitUsage,
} from '../../contract/limits/limits.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Transfer } from '../../db/entities/transfer.ts'
import {
  type LimitsInForce,
  lockAccountLimits,
  readAccountLimits,
  readLimitUsage,
  type StoredLimits,
  type UsageOwner,
  updateAccountLimits,
} from '../../db/repositories/account-limits.ts'
import { readTransferWindows } from '../../db/repositories/transfer-windows.ts'
import { type ApprovalRule, needsApproval } from '../../domain/approvals/approval.ts'
import { changeLimits, getEffectiveLimits, isSameSettings } from '../../domain/limits/account-limits.ts'
import {
  type ExceededLimit,
  findExceededOrderLimit,
  findExceededWindowLimit,
} from '../../domain/limits/exceeded-limit.ts'
import { listUsageWindows, type UsageWindow } from '../../domain/limits/usage-window.ts'
import {
  type TransferDestination,
  toDestinationColumns,
} from '../../domain/transfers/transfer-destination.ts'
import { fail } from '../../http/api-error.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { collectCalloutErrors, createCalloutToken, findCalloutSecret } from './callouts.ts'
import { writeDirectly } from './user-acts.ts'
import type { EndpointInspector, WebhookDependencies } from './webhooks.ts'

/** Reads the limits of the token's account, in force and pending. */
export async function readLimits(
  em: EntityManager,
  token: CallerToken,
): Promise<z.output<typeof limitsSchema>> {
  const secret = await findCalloutSecret(em, token.accountUuid)
  return showLimits(await readAccountLimits(em, token.accountUuid), secret?.maskedSecret)
}

/** Reads what is used of the limits of the token's account, of simulated or of real money as the token's mode is. */
export async function readUsedLimits(
  em: EntityManager,
  token: CallerToken,
): Promise<z.output<typeof limitUsageSchema>> {
  const { accountUuid } = token
  const stored = await readAccountLimits(em, accountUuid)
  const windows = listUsageWindows(getEffectiveLimits(stored, stored.at), stored.at)
  const owner = { accountUuid, isSimulated: token.mode === 'test' }
  return showLimitUsage(stored, await readLimitUsage(em, owner, windows))
}

/**
 * Computes what a change of limits would make of them now; null where it would leave them as they are. Fails where a new URL of a call-out
 * is not usable.
 */
export async function previewLimits(
  em: EntityManager,
  { accountUuid }: CallerToken,
  body: ReplaceLimitsBody,
  { inspect }: Pick<WebhookDependencies, 'inspect'>,
): Promise<z.output<typeof limitsSchema> | null> {
  const stored = await readAccountLimits(em, accountUuid)
  await requireUsableCallout(stored, body, inspect)
  const changed = changeLimits(stored, parseRequestedLimits(body), stored.at)
  return isSameSettings(stored, changed, stored.at) ? null : showLimits({ ...stored, ...changed }, undefined)
}

/** Fails where a body names another URL of the call-out than those in force and pending, and it is not usable. */
async function requireUsableCallout(
  stored: StoredLimits,
  { approvals }: ReplaceLimitsBody,
  inspect: EndpointInspector,
): Promise<void> {
  const url = approvals?.callout_url
  const known = [stored.limits, stored.pending?.limits].map(limits => limits?.approvals?.calloutUrl)
  // A known one takes no handshake: its server may be down, which may be the reason for the change.
  if (url == null || known.includes(url)) return
  const errors = await collectCalloutErrors(url, inspect)
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
}

type LimitChange = { limits: z.output<typeof limitsSchema>; isChanged: boolean }

/**
 * Replaces the limits of the token's account: what allows less acts at once, what allows more in 24 hours. A repeat changes
 * and records nothing. The first URL of a call-out makes the secret that signs, which is shown whole this once. Fails with
 * `limits_changed` where the body names another version than the present one.
 */
export async function replaceAccountLimits(
  em: EntityManager,
  token: CallerToken,
  body: ReplaceLimitsBody,
  tools: WebhookDependencies,
): Promise<z.output<typeof limitsSchema>> {
  const { accountUuid } = token
  await requireUsableCallout(await readAccountLimits(em.fork(), accountUuid), body, tools.inspect)
  const act = { token, action: 'limits_change', subject: `account/${accountUuid}` } as const
  const hasChanged = ({ isChanged }: LimitChange) => isChanged
  const { limits } = await writeDirectly(
    em,
    { ids: null, act, hasChanged },
    async (tx): Promise<LimitChange> => {
      const stored = await lockAccountLimits(tx, accountUuid)
      if (body.version !== undefined && body.version !== stored.version) fail('limits_changed')
      const changed = changeLimits(stored, parseRequestedLimits(body), stored.at)
      const isChanged = !isSameSettings(stored, changed, stored.at)
      if (isChanged) await updateAccountLimits(tx, accountUuid, changed)
      const calloutToken = body.approvals?.callout_url
        ? await createCalloutToken(tx, accountUuid, tools)
        : (await findCalloutSecret(tx, accountUuid))?.maskedSecret
      return { limits: showLimits(await readAccountLimits(tx, accountUuid), calloutToken), isChanged }
    },
  )
  return limits
}

/** A transfer that is not stored, or waits. `countedWindows`: those of whose counters it is a part already. */
type CheckedTransfer = Pick<Transfer, 'pixKey' | 'bankAccount' | 'document'> & {
  valueCents: number
  isScheduled: boolean
  countedWindows: UsageWindow[]
}

/** Finds the limit that a transfer would exceed if it were sent now. Locks nothing: the transaction that takes its room decides. */
export async function findExceededLimit(
  em: EntityManager,
  owner: UsageOwner,
  { countedWindows, isScheduled, ...transfer }: CheckedTransfer,
  { limits, at }: LimitsInForce,
): Promise<ExceededLimit | null> {
  const { valueCents } = transfer
  const orderLimit = findExceededOrderLimit(limits, transfer)
  // A scheduled one takes its room on the day on which it is sent.
  if (orderLimit || isScheduled) return orderLimit
  const { orderWindows, newReceiverUntil } = await readTransferWindows(em, owner, transfer, { limits, at })
  const usedCents = await readLimitUsage(em, owner, orderWindows.windows)
  for (const { name, startsOn, receiverHash } of countedWindows) {
    const isCounted = orderWindows.windows.some(
      one => one.name === name && one.startsOn === startsOn && one.receiverHash === receiverHash,
    )
    if (isCounted) usedCents[name] = (usedCents[name] ?? 0) - valueCents
  }
  return findExceededWindowLimit(limits, { valueCents, usedCents }, orderWindows, newReceiverUntil)
}

/** A transfer as it would be ordered. */
export type PlannedTransfer = { destination: TransferDestination; valueCents: number; isScheduled: boolean }

/**
 * Finds what the limits in force say about a transfer that is not ordered yet: the limit that it exceeds, and the approvals that it
 * waits for. Stores nothing; both are decided again when it is ordered.
 */
export async function evaluateOrderLimits(
  em: EntityManager,
  { accountUuid, mode }: CallerToken,
  { destination, ...order }: PlannedTransfer,
): Promise<{ exceeded: ExceededLimit | null; approvals: ApprovalRule | null }> {
  const stored = await readAccountLimits(em, accountUuid)
  const limits = getEffectiveLimits(stored, stored.at)
  const owner = { accountUuid, isSimulated: mode === 'test' }
  const transfer = { ...toDestinationColumns(destination), ...order, countedWindows: [] }
  const { approvals } = limits
  return {
    exceeded: await findExceededLimit(em, owner, transfer, { limits, at: stored.at }),
    approvals: needsApproval(approvals, order.valueCents) ? approvals : null,
  }
}
