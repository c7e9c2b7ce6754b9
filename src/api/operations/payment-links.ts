import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import { Account } from '../../db/entities/account.ts'
import { PaymentLink } from '../../db/entities/payment-link.ts'
import type { ReadCharge } from '../../db/repositories/charges.ts'
import { fail } from '../../http/api-error.ts'
import { type Sealer, sha256 } from '../../security/sealing.ts'
import { generateLinkToken, isLinkToken } from '../../security/tokens.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { findCharge, requireVisibleCharge } from './charges.ts'
import { writeDirectly } from './user-acts.ts'

/** Payment links (SPEC §9): a merchant sends one to the payer of a charge. */

type LinkOwner = { em: EntityManager; token: CallerToken; chargeUuid: string }

/** Finds the link of a visible charge that works, with its token; null where there is none. */
export async function findActivePaymentLink(em: EntityManager, sealer: Sealer, charge: ReadCharge) {
  const link = await em.findOne(PaymentLink, { chargeUuid: charge.uuid, revokedAt: null })
  if (!link) return null
  const { uuid, note, createdAt } = link
  return { uuid, note: note ?? null, createdAt, token: sealer.open<string>(link.sealedToken) }
}

/** Creates the link of a charge. A charge that has one keeps it: of concurrent requests one creates it, the others get `existing`. */
export async function createPaymentLink(
  sealer: Sealer,
  { em, token, chargeUuid, note }: LinkOwner & { note: string | undefined },
): Promise<'created' | 'existing'> {
  const charge = await requireVisibleCharge(em.fork(), token, chargeUuid)
  if ((await em.fork().count(PaymentLink, { chargeUuid: charge.uuid, revokedAt: null })) > 0)
    return 'existing'
  const linkToken = generateLinkToken()
  const link = {
    uuid: randomUUID(),
    chargeUuid: charge.uuid,
    note: note ?? null,
    createdBy: token.uuid,
    tokenHash: sha256(linkToken),
    sealedToken: sealer.seal(linkToken),
    createdAt: new Date(),
  }
  try {
    const act = { token, action: 'link_create', subject: `charge/${charge.uuid}` } as const
    await writeDirectly(em, { ids: null, act }, tx => tx.insert(PaymentLink, link))
    return 'created'
  } catch (error) {
    if (Object(error).constraint !== 'payment_link_active') throw error
    return 'existing'
  }
}

/** Revokes a link of a charge. Revoking it once more changes nothing. */
export async function revokePaymentLink({
  em,
  token,
  chargeUuid,
  uuid,
}: LinkOwner & { uuid: string }): Promise<void> {
  const charge = await requireVisibleCharge(em.fork(), token, chargeUuid)
  const isThere = await em.fork().count(PaymentLink, { uuid, chargeUuid: charge.uuid })
  if (isThere === 0) fail('not_found')
  const active = { uuid, chargeUuid: charge.uuid, revokedAt: null }
  const act = { token, action: 'link_revoke', subject: `charge/${charge.uuid}` } as const
  await writeDirectly<number>(em, { ids: null, act, hasChanged: count => count > 0 }, tx =>
    tx.nativeUpdate(PaymentLink, active, { revokedAt: new Date() }),
  )
}

type PaymentLinkVisit =
  | { kind: 'revoked' }
  | { kind: 'active'; charge: ReadCharge; merchant: string; timeZone: string; note: string | null }

/** Finds what the visitor of a link sees; null where the token is of no link. A blocked account's link is revoked. */
export async function visitPaymentLink(em: EntityManager, token: string): Promise<PaymentLinkVisit | null> {
  if (!isLinkToken(token)) return null
  const link = await em.findOne(PaymentLink, { tokenHash: sha256(token) })
  if (!link) return null
  if (link.revokedAt) return { kind: 'revoked' }
  const charge = (await findCharge(em, link.chargeUuid)) ?? fail('not_found')
  const account = await em.findOneOrFail(Account, charge.accountUuid)
  if (account.status !== 'ACTIVE') return { kind: 'revoked' }
  const { name: merchant, timeZone } = account
  return { kind: 'active', charge, merchant, timeZone, note: link.note ?? null }
}
