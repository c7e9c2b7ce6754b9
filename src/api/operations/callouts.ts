import type { EntityManager } from '../../db/client/orm.ts'
import { CalloutSecret } from '../../db/entities/webhook.ts'
import { ROW_LOCK } from '../../db/locks.ts'
import { fail, failField } from '../../http/api-error.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { generateSigningSecret, maskSigningSecret } from '../../webhook-client/signature.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { type UserAct, writeDirectly } from './user-acts.ts'
import {
  collectEndpointErrors,
  computeSecretEtag,
  type EndpointInspector,
  replaceSigningSecret,
  requireUsableEndpoint,
  type WebhookDependencies,
} from './webhooks.ts'

/** Call-outs of approvals: where the merchant's server is, and what signs the requests (docs/specification.md, "Call-outs"). */

/** Collects the errors of the URL of a call-out, as of the URL of a webhook. */
export async function collectCalloutErrors(url: unknown, inspect: EndpointInspector): Promise<FieldErrors> {
  const { url: messages } = await collectEndpointErrors({ url }, inspect)
  return messages ? { 'approvals.callout_url': messages } : {}
}

/** Reads the secret that signs the call-outs of an account; null where none was ever set. */
export function findCalloutSecret(em: EntityManager, accountUuid: string): Promise<CalloutSecret | null> {
  return em.findOne(CalloutSecret, accountUuid)
}

/**
 * Returns the secret that signs the call-outs of an account: a new one, whole, where it has none, else the present one masked. The caller
 * holds the lock of the account's limits.
 */
export async function createCalloutToken(
  tx: EntityManager,
  accountUuid: string,
  { sealer }: Pick<WebhookDependencies, 'sealer'>,
): Promise<string> {
  const present = await findCalloutSecret(tx, accountUuid)
  if (present) return present.maskedSecret
  const token = generateSigningSecret()
  tx.create(CalloutSecret, {
    uuid: accountUuid,
    sealedSecret: sealer.seal(token),
    maskedSecret: maskSigningSecret(token),
  })
  return token
}

/**
 * Replaces the secret that signs the call-outs of the token's account, and returns it; requests are signed by the previous one as well for a
 * day. Fails with `not_found` where no call-out was ever set, with `validation_failed` for a secret that cannot sign or is the present one.
 */
export async function rotateCalloutToken(
  em: EntityManager,
  caller: CallerToken,
  requested: string | undefined,
  tools: WebhookDependencies,
): Promise<string> {
  await requireUsableEndpoint({ token: requested }, tools.inspect)
  const token = requested ?? generateSigningSecret()
  return writeDirectly(em, describeRotation(caller), async tx => {
    const secret = await lockCalloutSecret(tx, caller)
    if (token === tools.sealer.open(secret.sealedSecret))
      failField('token', 'must differ from the token it replaces')
    replaceSigningSecret(secret, token, tools)
    return token
  })
}

/** Replaces the secret only if its ETag is still `etag`; returns null where it was replaced meanwhile. Fails as `rotateCalloutToken`. */
export function rotateCalloutTokenIfUnchanged(
  em: EntityManager,
  caller: CallerToken,
  etag: string | null,
  tools: WebhookDependencies,
): Promise<string | null> {
  const hasChanged = (token: string | null) => token !== null
  return writeDirectly(em, { ...describeRotation(caller), hasChanged }, async tx => {
    const secret = await lockCalloutSecret(tx, caller)
    if (etag !== computeSecretEtag(secret)) return null
    const token = generateSigningSecret()
    replaceSigningSecret(secret, token, tools)
    return token
  })
}

async function lockCalloutSecret(tx: EntityManager, { accountUuid }: CallerToken): Promise<CalloutSecret> {
  return (await tx.findOne(CalloutSecret, accountUuid, ROW_LOCK)) ?? fail('not_found')
}

function describeRotation(token: CallerToken) {
  const act: UserAct = { token, action: 'callout_rotate', subject: `account/${token.accountUuid}` }
  return { ids: null, act }
}
