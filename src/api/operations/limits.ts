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
import {
  lockAccountLimits,
  readAccountLimits,
  readLimitUsage,
  type StoredLimits,
  updateAccountLimits,
} from '../../db/repositories/account-limits.ts'
import { changeLimits, getEffectiveLimits, isSameSettings } from '../../domain/limits/account-limits.ts'
import { listUsageWindows } from '../../domain/limits/usage-window.ts'
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
