import type { CreateTransferBody } from '../../contract/transfers/transfer.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { KeyLookup } from '../../db/entities/key-lookup.ts'
import { isLookupMismatch, matchDocument } from '../../domain/pix-keys/key-look-up.ts'
import type { TransferLookup } from '../../domain/transfers/transfer-lookup.ts'
import { fail } from '../../http/api-error.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { findVisibleLookup, type SealedLookup } from './key-lookups.ts'

/** The look-up that a new transfer names: what it must agree with, and its copy for the order. */

type LookupBody = Pick<CreateTransferBody, 'pix_key' | 'document' | 'lookup_uuid' | 'on_mismatch'>
type LookupCaller = { em: EntityManager; token: CallerToken; sealer: Sealer }

/** A look-up with its sealed answer open. */
export type OpenedLookup = { row: KeyLookup; answer: SealedLookup; copy: TransferLookup }

/**
 * Reads the look-up that a body names; null where it names none, or one that is expired, of the other mode, or that the token may not
 * see.
 */
export async function readTransferLookup(
  { em, token, sealer }: LookupCaller,
  { lookup_uuid: uuid, on_mismatch: onMismatch = 'REFUSE' }: Pick<LookupBody, 'lookup_uuid' | 'on_mismatch'>,
): Promise<OpenedLookup | null> {
  const row = uuid === undefined ? null : await findVisibleLookup(em, token, uuid)
  const isOfMode = row?.isSimulated === (token.mode === 'test')
  if (!isOfMode || !row.sealedAnswer || row.expiresAt.getTime() <= Date.now()) return null
  const answer = sealer.open<SealedLookup>(row.sealedAnswer)
  const { name, document } = answer.owner
  const copy: TransferLookup = {
    uuid: row.uuid,
    onMismatch,
    owner: { name, document },
    providerAccountUuid: row.providerAccountUuid,
    expiresAt: row.expiresAt.toISOString(),
    ...(answer.endToEnd && { endToEnd: answer.endToEnd }),
  }
  return { row, answer, copy }
}

/** Collects the errors of the fields about a look-up; `lookup` is what was read of it. */
export function collectLookupErrors(
  { pix_key: key, lookup_uuid: uuid, on_mismatch: onMismatch }: LookupBody,
  lookup: OpenedLookup | null,
): FieldErrors {
  if (uuid === undefined) return onMismatch === undefined ? {} : { on_mismatch: ['needs lookup_uuid'] }
  if (!lookup) return { lookup_uuid: ['must be a look-up of the last 15 minutes; look the key up again'] }
  return key === lookup.answer.key ? {} : { lookup_uuid: ['must be a look-up of pix_key'] }
}

/**
 * Fails with 409 where an order must not be sent by its look-up, because the look-up does not match the document or the name that was
 * named; not where the order says WARN. Whether the key has the same owner when it is sent is compared then
 * (src/activities/transfers/receiver-check.ts).
 */
export function requireExpectedReceiver(
  { document }: LookupBody,
  { row, answer: { key, owner }, copy }: OpenedLookup,
): void {
  if (copy.onMismatch === 'WARN') return
  const isOtherDocument = matchDocument(document, { key, owner }) === 'MISMATCH'
  if (isOtherDocument || isLookupMismatch(row)) fail('receiver_mismatch')
}
