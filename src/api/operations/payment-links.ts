import type { FilterQuery } from '@mikro-orm/core'
import type { Config } from '../../config.ts'
import { type CreateChargeBody, DEFAULT_EXPIRY_S } from '../../contract/charges/charge.ts'
import {
  type CreatePaymentLinkBody,
  computeLinkStatus,
  type PaymentLinkStatus,
  type PaymentLinksQuery,
  showCreatedPaymentLink,
  showPaymentLink,
} from '../../contract/payment-links/payment-link.ts'
import { showSplitTerms } from '../../contract/qr-codes/qr-code.ts'
import { uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { isUniqueViolation } from '../../db/client/transaction.ts'
import { Account } from '../../db/entities/account.ts'
import { Connection } from '../../db/entities/connection.ts'
import { PaymentLink } from '../../db/entities/payment-link.ts'
import type { ReadCharge } from '../../db/repositories/charges.ts'
import {
  countLinkPlaces,
  findLinkCharge,
  findPlacedCharge,
  takeLinkPlace,
} from '../../db/repositories/payment-links.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import { fail, failField } from '../../http/api-error.ts'
import { type Sealer, sha256 } from '../../security/sealing.ts'
import { generateLinkToken, isLinkToken } from '../../security/tokens.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { createCharge, findCharge, requireVisibleCharge, toSplits, validateCreateCharge } from './charges.ts'
import type { CreateDependencies, CreateRequest } from './create-operation.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from './idempotency.ts'
import { buildCreationRange, mapPage, readEntityPage } from './pagination.ts'
import { orderAuthorOf, type UserAct, writeDirectly } from './user-acts.ts'

/** Payment links (SPEC §9): of one charge, or of a value, of which each payer gets a charge of its own. */

export const PAYMENT_LINKS_PATH = '/api/v1/payment-links'
/** Path of the payers' pages. */
export const PAY_PATH = '/pay'

/** Longest time for which a link asks to work, in days. */
const MAX_LINK_DAYS = 366

type LinkDependencies = { sealer: Sealer; config: Pick<Config, 'publicUrl'> }

/** Builds the address of a link, which is the permission to see it. */
export function buildLinkUrl({ sealer, config }: LinkDependencies, link: PaymentLink): string {
  return `${config.publicUrl}${PAY_PATH}/${sealer.open<string>(link.sealedToken)}`
}

/** Builds the filter of the links that a token may see: of its mode, and of its provider where it is bound to one. */
function buildVisibleLinkFilter({ accountUuid, connectionUuid, modeScope: mode }: CallerToken) {
  return { accountUuid, ...(connectionUuid !== null && { connectionUuid }), ...(mode && { mode }) }
}

async function requireVisibleLink(em: EntityManager, token: CallerToken, uuid: string): Promise<PaymentLink> {
  const filter: FilterQuery<PaymentLink> = { $and: [{ uuid }, buildVisibleLinkFilter(token)] }
  return (await em.findOne(PaymentLink, filter)) ?? fail('not_found')
}

/** Reads a link that the token may see as it is shown, or fails with 404. */
export async function readPaymentLink(
  dependencies: LinkDependencies,
  { em, token, uuid }: { em: EntityManager; token: CallerToken; uuid: string },
) {
  const link = await requireVisibleLink(em, token, uuid)
  return (await createLinkPresenter(dependencies, em, [link]))(link)
}

/** Lists one page of the links that a token may see, newest first. */
export async function listPaymentLinks(
  dependencies: LinkDependencies,
  { em, token, query }: { em: EntityManager; token: CallerToken; query: PaymentLinksQuery },
) {
  const created = buildCreationRange(query)
  const filter: FilterQuery<PaymentLink> = {
    $and: [
      buildVisibleLinkFilter(token),
      {
        ...(query.uuid && { uuid: { $in: query.uuid } }),
        ...(query.charge_uuid !== undefined && { chargeUuid: query.charge_uuid }),
        ...(query.external_ref !== undefined && { externalRef: query.external_ref }),
        ...(created && { createdAt: created }),
      },
    ],
  }
  const page = await readEntityPage(em, PaymentLink, { name: 'payment-link', query, filter })
  return mapPage(page, await createLinkPresenter(dependencies, em, page.data))
}

/** Creates the presenter of links, which knows what takes their places. */
async function createLinkPresenter(dependencies: LinkDependencies, em: EntityManager, links: PaymentLink[]) {
  const offers = links.filter(({ chargeUuid }) => !chargeUuid)
  const counts = await countLinkPlaces(
    em,
    offers.map(({ uuid }) => uuid),
  )
  return (link: PaymentLink) => {
    const places = counts.get(link.uuid) ?? { paid: 0, open: 0 }
    return showPaymentLink(link, { url: buildLinkUrl(dependencies, link), places })
  }
}

/** Finds the link of a visible charge that works; null where there is none. */
export function findActivePaymentLink(
  em: EntityManager,
  { uuid: chargeUuid }: Pick<ReadCharge, 'uuid'>,
): Promise<PaymentLink | null> {
  return em.findOne(PaymentLink, { chargeUuid, revokedAt: null })
}

/**
 * Creates a link, or replays the response of the same Idempotency-Key. Not by `createOperation`: no provider is called and no money
 * moves, so that no workflow starts; the row is inserted here, and its outcome is certain when the statement returns.
 */
export async function createPaymentLink(
  dependencies: LinkDependencies,
  { body, token, idempotencyKey: key, em, requestId }: CreateRequest<CreatePaymentLinkBody>,
) {
  const { sealer } = dependencies
  const uuid = deriveOperationUuid({ owner: token, method: 'POST', path: PAYMENT_LINKS_PATH, key })
  const fingerprint = fingerprintRequest({ body, connectionUuid: token.connectionUuid })
  const findStored = () => em.fork().findOne(PaymentLink, { uuid, accountUuid: token.accountUuid })
  const respond = (link: PaymentLink, headers = {}) => ({
    status: 201 as const,
    headers,
    body: { data: showCreatedPaymentLink(link, buildLinkUrl(dependencies, link)) },
  })
  const replay = (link: PaymentLink) => {
    requireSameRequest(link, fingerprint)
    return respond(link, REPLAYED_HEADERS)
  }
  const stored = key === null ? null : await findStored()
  if (stored) return replay(stored)
  if (token.isAccountBlocked) fail('account_blocked')
  const terms = await (body.charge_uuid === undefined
    ? readOfferTerms({ em, token }, body)
    : readShownCharge({ em, token }, body.charge_uuid))
  const linkToken = generateLinkToken()
  const act: UserAct = { token, action: 'link_create', subject: describeSubject({ uuid, ...terms }) }
  const { tokenNumber = null, userUuid = null } = orderAuthorOf(token)
  try {
    const link = await writeDirectly(em, { ids: { uuid }, act }, async tx =>
      tx.create(PaymentLink, {
        ...terms,
        uuid,
        accountUuid: token.accountUuid,
        tokenHash: sha256(linkToken),
        sealedToken: sealer.seal(linkToken),
        note: body.message ?? null,
        tokenNumber,
        userUuid,
        requestId,
        fingerprint,
        createdAt: new Date(),
      }),
    )
    return respond(link)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    // A parallel request with the same key has stored it, or the charge has a link.
    const parallel = await findStored()
    return parallel ? replay(parallel) : fail('payment_link_exists')
  }
}

type LinkCaller = { em: EntityManager; token: CallerToken }

/** Reads what the link of a visible charge stores. */
async function readShownCharge({ em, token }: LinkCaller, chargeUuid: string) {
  const charge = await requireVisibleCharge(em.fork(), token, chargeUuid)
  const connection = await em.findOneOrFail(Connection, charge.connection.uuid)
  return {
    chargeUuid,
    connectionUuid: connection.uuid,
    mode: connection.isSimulated ? ('test' as const) : ('live' as const),
    splits: [],
    metadata: {},
  }
}

/** Reads the terms of a link that creates charges; fails with all 422 errors of the charges that it would create. */
async function readOfferTerms({ em, token }: LinkCaller, body: CreatePaymentLinkBody) {
  const { value: valueCents, expires_at: expiresAt = null } = body
  const splits = toSplits(body.splits ?? [])
  const days = expiresAt && (expiresAt.getTime() - Date.now()) / DAY
  if (days !== null && (days <= 0 || days > MAX_LINK_DAYS))
    failField('expires_at', 'must be in the future, at most 366 days ahead')
  const terms = {
    chargeUuid: null,
    connectionUuid: token.connectionUuid ?? body.provider_uuid ?? null,
    mode: token.mode,
    valueCents: valueCents!,
    expiresInSeconds: body.expires_in ?? DEFAULT_EXPIRY_S,
    externalRef: body.external_ref ?? null,
    splits,
    metadata: body.metadata ?? {},
    maxPayments: body.max_payments ?? 1,
    expiresAt,
  }
  const charge = toChargeBody({ ...terms, note: body.message ?? null })
  await validateCreateCharge({ em, token }, { ...charge, provider_uuid: body.provider_uuid })
  return terms
}

function describeSubject({ uuid, chargeUuid }: { uuid: string; chargeUuid?: string | null | undefined }) {
  return chargeUuid ? `charge/${chargeUuid}` : `payment-link/${uuid}`
}

/** Revokes a link that the token may see, or fails with 404. Revoking it once more changes nothing. */
export async function revokePaymentLink({ em, token, uuid }: LinkCaller & { uuid: string }): Promise<void> {
  const link = await requireVisibleLink(em.fork(), token, uuid)
  const act: UserAct = { token, action: 'link_revoke', subject: describeSubject(link) }
  await writeDirectly<number>(em, { ids: { uuid }, act, hasChanged: count => count > 0 }, tx =>
    tx.nativeUpdate(PaymentLink, { uuid, revokedAt: null }, { revokedAt: new Date() }),
  )
}

/**
 * What the visitor of a link sees: the charge, the offer of one, or why there is none. `pressKey`: of a press of this offer whose
 * charge is not stored yet.
 */
export type PaymentLinkVisit = { link: PaymentLink; merchant: string; timeZone: string } & (
  | { kind: 'charge'; charge: ReadCharge }
  | { kind: 'offer'; pressKey: string | null }
  | { kind: 'closed'; reason: Exclude<PaymentLinkStatus, 'ACTIVE'> }
)

/**
 * Finds what the visitor of a link sees; null where the token is of no link, or the link has not created the charge. A blocked account's
 * link is revoked. Who has asked for a charge sees it whatever becomes of the link.
 */
export async function visitPaymentLink(
  em: EntityManager,
  token: string,
  chargeUuid?: string,
): Promise<PaymentLinkVisit | null> {
  if (!isLinkToken(token)) return null
  const link = await em.findOne(PaymentLink, { tokenHash: sha256(token) })
  if (!link) return null
  const { status, name: merchant, timeZone } = await em.findOneOrFail(Account, link.accountUuid)
  const shared = { link, merchant, timeZone }
  if (status !== 'ACTIVE') return { ...shared, kind: 'closed', reason: 'REVOKED' }
  if (chargeUuid !== undefined) {
    const named = { linkUuid: link.uuid, chargeUuid }
    const linkCharge = uuidSchema.safeParse(chargeUuid).success ? await findLinkCharge(em, named) : undefined
    return linkCharge ? { ...shared, ...(await readLinkCharge(em, linkCharge)) } : null
  }
  if (link.revokedAt) return { ...shared, kind: 'closed', reason: 'REVOKED' }
  if (link.chargeUuid) return { ...shared, ...(await readLinkCharge(em, { chargeUuid: link.chargeUuid })) }
  // A link for one payment is that payment's page.
  const placedCharge = link.maxPayments === 1 ? await findPlacedCharge(em, link.uuid) : undefined
  if (placedCharge) return { ...shared, ...(await readLinkCharge(em, placedCharge)) }
  const places = (await countLinkPlaces(em, [link.uuid])).get(link.uuid) ?? { paid: 0, open: 0 }
  const linkStatus = computeLinkStatus(link, places)
  if (linkStatus !== 'ACTIVE') return { ...shared, kind: 'closed', reason: linkStatus }
  return { ...shared, kind: 'offer', pressKey: null }
}

async function readLinkCharge(
  em: EntityManager,
  { chargeUuid, pressKey }: { chargeUuid: string; pressKey?: string },
) {
  const charge = await findCharge(em, chargeUuid)
  if (charge) return { kind: 'charge', charge } as const
  return { kind: 'offer', pressKey: pressKey ?? fail('not_found') } as const
}

/**
 * Creates the charge of a press on the page of a link, as POST /payments does; the same press gets the same charge. Returns its uuid
 * once its row is stored, issued or not, and null where the link creates no charge now.
 */
export async function createLinkCharge(
  dependencies: CreateDependencies,
  {
    em,
    link,
    pressKey,
    requestId,
  }: { em: EntityManager; link: PaymentLink; pressKey: string; requestId: string },
): Promise<string | null> {
  const path = `${PAY_PATH}/${link.uuid}`
  const { accountUuid, mode, tokenNumber } = link
  const token: CallerToken = {
    uuid: link.uuid,
    accountUuid,
    connectionUuid: link.connectionUuid ?? null,
    mode,
    modeScope: mode,
    ...(tokenNumber != null && { number: tokenNumber }),
  }
  const uuid = deriveOperationUuid({ owner: token, method: 'POST', path, key: pressKey })
  const act: UserAct = { token, action: 'charge_create', subject: `charge/${uuid}` }
  const request = { em, token, body: toChargeBody(link), idempotencyKey: pressKey, requestId }
  try {
    await createCharge(dependencies, request, {
      path,
      reserve: chargeUuid =>
        writeDirectly(em, { ids: { uuid }, act }, tx =>
          takeLinkPlace(tx, { linkUuid: link.uuid, chargeUuid, pressKey }),
        ),
    })
    return uuid
  } catch (error) {
    if (['payment_link_open', 'payment_link_full'].includes(Object(error).constraint)) return null
    // It is being issued, or has failed: its page says so.
    if (await findCharge(em.fork(), uuid)) return uuid
    throw error
  }
}

/** Builds the order of one charge of a link, as POST /payments would have it. */
function toChargeBody(
  link: Pick<PaymentLink, 'valueCents' | 'expiresInSeconds' | 'externalRef' | 'splits' | 'note' | 'metadata'>,
): CreateChargeBody {
  const { externalRef, note, metadata } = link
  return {
    type: 'PIX',
    value: link.valueCents!,
    expires_in: link.expiresInSeconds!,
    splits: showSplitTerms(link.splits),
    ...(externalRef != null && { external_ref: externalRef }),
    ...(note != null && { message: note }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
}
